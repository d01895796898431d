-- Theory of loops of cloth, heavy strips that bend in one plane: the folded loop and the hanging heart loop. Lengths
-- are in bending lengths.

local loops = {}

local STEPS = 400

--- The end of the strip theta'' = weight (a - s) cos theta + pull sin theta from an angle and a curvature on: angle,
--- curvature, x, y. `a` is the length whose weight the start carries; `visit` gets x, y on the way.
local function shoot(length, angle, curvature, weight, a, pull, visit)
  local h, x, y = length / STEPS, 0, 0
  local function slope(s, theta)
    return weight * (a - s) * math.cos(theta) + pull * math.sin(theta)
  end
  for k = 0, STEPS - 1 do
    local s = k * h
    local k1, t1 = slope(s, angle), curvature
    local k2, t2 = slope(s + h / 2, angle + h / 2 * t1), curvature + h / 2 * k1
    local k3, t3 = slope(s + h / 2, angle + h / 2 * t2), curvature + h / 2 * k2
    local k4, t4 = slope(s + h, angle + h * t3), curvature + h * k3
    local function middle(f)
      return h / 6 * (f(angle) + 2 * f(angle + h / 2 * t1) + 2 * f(angle + h / 2 * t2) + f(angle + h * t3))
    end
    x, y = x + middle(math.cos), y + middle(math.sin)
    angle, curvature = angle + h / 6 * (t1 + 2 * t2 + 2 * t3 + t4), curvature + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    if visit then
      visit(x, y)
    end
  end
  return angle, curvature, x, y
end

--- p and q where both residuals of f(p, q) are 0, by Newton's method from a start.
local function solve(f, p, q)
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
  error "the loop is not found"
end

--- Of a strip folded back on itself on a plane: its height, the length of the loop, the length whose weight the plane
--- carries where it begins, and its points { x, y }. It begins and ends level, and without moment.
function loops.folded()
  local carried, length = solve(function(a, l)
    local angle, curvature = shoot(l, 0, 0, 1, a, 0)
    return angle - math.pi, curvature
  end, 3.7, 4.7)
  local height, points = 0, { { 0, 0 } }
  shoot(length, 0, 0, 1, carried, 0, function(x, y)
    height, points[#points + 1] = math.max(height, y), { x, y }
  end)
  return height, length, carried, points
end

--- Of a strip of `length` that hangs from both ends, which leave the clamp upward: its height from there down, and the
--- points of one half.
function loops.heart(length)
  local half = length / 2
  local curvature, pull = -4.9, -8.7 -- of a half without weight, lengths over its own
  local function hang(share, visit)
    return shoot(1, math.pi / 2, curvature, share * half ^ 3, 1, pull, visit)
  end
  local parts = math.ceil(8 + half ^ 3) -- of its weight, one after the other
  for part = 0, parts do
    curvature, pull = solve(function(k, p)
      curvature, pull = k, p
      local angle, _, x = hang(part / parts)
      return angle + math.pi, x
    end, curvature, pull)
  end
  local points = { { 0, 0 } }
  local _, _, _, y = hang(1, function(x, at)
    points[#points + 1] = { half * x, half * at }
  end)
  return -half * y, points
end

--- The bending length that Peirce (1930) reads from the height of a heart loop, both in units of your own.
function loops.peirce(length, height)
  local empty = 0.1337 * length -- the height without weight
  local theta = math.rad(32.85) * (height - empty) / empty
  return empty * (math.cos(theta) / math.tan(theta)) ^ (1 / 3)
end

return loops
