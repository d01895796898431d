-- What theories of rods and strips are solved by: an integration from one end on, and Newton's method for the two
-- values there that the other end asks for.

local shooting = {}

--- The state at s = length of d state / ds = slopes(s, state), lists of numbers, from s = 0 on by so many steps of
--- Runge and Kutta's classical scheme. `visit` gets the state after each step.
function shooting.integrate(slopes, state, length, steps, visit)
  local h = length / steps
  local function moved(slope, step)
    local next = {}
    for i = 1, #state do
      next[i] = state[i] + step * slope[i]
    end
    return next
  end
  for k = 0, steps - 1 do
    local s, next = k * h, {}
    local a = slopes(s, state)
    local b = slopes(s + h / 2, moved(a, h / 2))
    local c = slopes(s + h / 2, moved(b, h / 2))
    local d = slopes(s + h, moved(c, h))
    for i = 1, #state do
      next[i] = state[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i])
    end
    state = next
    if visit then
      visit(state)
    end
  end
  return state
end

--- p and q where both residuals of f(p, q) are 0, by Newton's method from a start.
function shooting.solve(f, p, q)
  for _ = 1, 50 do
    local h, first, second = 1e-6, f(p, q)
    local first_p, second_p = f(p + h, q)
    local first_q, second_q = f(p, q + h)
    local a, b, c, d = (first_p - first) / h, (first_q - first) / h, (second_p - second) / h, (second_q - second) / h
    local step_p, step_q = (d * first - b * second) / (a * d - b * c), (a * second - c * first) / (a * d - b * c)
    p, q = p - step_p, q - step_q
    if math.abs(step_p) + math.abs(step_q) < 1e-9 then
      return p, q
    end
  end
  error "no values are found that the other end asks for"
end

return shooting
