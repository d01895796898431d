-- Newton's method in the implicit stage: convergence, variants, line search, and steps controlled by it.

local equations = require "spec.step.equations"
local sheets = require "spec.model.sheets"
local support = require "spec.support"
local weft = require "weft"
local close_to = support.close

local function same_state(expected, got, tolerance)
  for i = 1, #expected do
    close_to(expected[i], got[i], tolerance)
  end
end

--- A stiff chain that falls from a horizontal line.
local function falling(options)
  local given = { count = 8, stiffness = 1e4, mass = 0.1, drag = 0.1 }
  for key, value in pairs(options or {}) do
    given[key] = value
  end
  return equations.chain(given)
end

--- Steps an equation; what each step's Newton records were.
local function run(options, equation, steps, h)
  local integrator = weft.step.integrator(options)
  local records = {}
  local result = integrator:run {
    equation = equation, from = 0, to = steps * h, steps = steps,
    every = function()
      records[#records + 1] = integrator.newton
    end,
  }
  return result, records
end

describe("Newton's method", function()
  it("converges quadratically on a nonlinear chain", function()
    local _, records = run({ scheme = "backward euler", newton = "full", linearisation = "exact", extrapolate = false,
      newton_tolerance = 1e-13, linear_tolerance = 1e-14 }, falling(), 8, 0.04)
    local pairs_of_ratios = 0
    for _, list in ipairs(records) do
      local last_ratio
      for k = 1, #list - 1 do
        local now, after = list[k].residual, list[k + 1].residual
        if now < 0.2 and after > 1e-9 then -- near the solution, above rounding
          local ratio = after / now
          assert.is_true(after < 5 * now ^ 2, ("%g after %g"):format(after, now))
          if last_ratio then
            assert.is_true(ratio < last_ratio / 3, ("%g after %g"):format(ratio, last_ratio))
            pairs_of_ratios = pairs_of_ratios + 1
          end
          last_ratio = ratio
        end
      end
    end
    assert.is_true(pairs_of_ratios >= 5, pairs_of_ratios)
  end)

  it("finds the same state with and without an energy, definite and exact, and the equation holds there", function()
    local h = 0.04
    local exact = { scheme = "backward euler", newton = "full", linearisation = "exact", newton_tolerance = 1e-12 }
    local definite = { scheme = "backward euler", newton = "full", newton_tolerance = 1e-12 }
    local reference = run(exact, falling(), 20, h)
    for _, case in ipairs {
      { exact, falling { energy = false } }, { definite, falling { definite = true } },
      { definite, falling { definite = true, energy = false } },
    } do
      same_state(reference.x, run(case[1], case[2], 20, h).x, 1e-8)
    end
    -- x1 = x + h v1, v1 = v + h M^-1 f(x1, v1), checked through an explicit step from the end
    local before = run(exact, falling(), 19, h)
    local integrator = weft.step.integrator(exact)
    local x1, v1 = integrator:step { equation = falling(), step = h, x = before.x, v = before.v }
    local _, kicked = weft.step.integrator("forward euler"):step { equation = falling(), step = h, x = x1, v = v1 }
    for i = 3, #x1 do
      close_to(before.x[i] + h * v1[i], x1[i], 1e-12)
      close_to(v1[i] - before.v[i], kicked[i] - v1[i], 1e-8)
    end
  end)

  it("starts nearer with an extrapolated velocity and takes fewer iterations", function()
    local function iterations(extrapolate)
      return run({ scheme = "backward euler", newton = "full", linearisation = "exact", extrapolate = extrapolate },
        falling(), 60, 0.02).work.newton_iterations
    end
    assert.is_true(iterations(true) < 0.97 * iterations(false))
  end)

  it("finds the state of crushed springs with its line search, and shortens steps on the way", function()
    -- Springs at six tenths of their length push against each other: far from quadratic.
    local equation = falling { stretch = 0.6, definite = true, count = 5 }
    local options = { scheme = "backward euler", newton = "full", newton_iterations = 100 }
    local result, records = run(options, equation, 10, 0.05)
    local shortened = 0
    for _, list in ipairs(records) do
      for _, record in ipairs(list) do
        assert.is_true(record.step > 0)
        shortened = shortened + (record.step < 1 and 1 or 0)
      end
    end
    assert.is_true(shortened > 0)
    for i = 1, 4 do -- and then they have their length again
      local dx, dy = result.x[2 * i + 1] - result.x[2 * i - 1], result.x[2 * i + 2] - result.x[2 * i]
      close_to(1, math.sqrt(dx * dx + dy * dy), 0.01)
    end
  end)

  it("solves a linear equation in one iteration, and takes as many as the linearly implicit step: one", function()
    for _, newton in ipairs { "linear", "full", "inexact", "simplified", "corrected" } do
      for _, scheme in ipairs { "backward euler", "implicit midpoint", "trapezoid", "bdf2", "alpha bdf2" } do
        local result = weft.step.integrator { scheme = scheme, newton = newton }
          :run { equation = equations.third(0.5), steps = 20 }
        assert.equal(20, result.work.newton_iterations)
        local linear = weft.step.integrator(scheme):run { equation = equations.third(0.5), steps = 20 }
        close_to(linear.x[1], result.x[1], 1e-12)
      end
    end
  end)

  it("gives up cleanly: what did not converge, and how far", function()
    local integrator = weft.step.integrator {
      scheme = "backward euler", newton = "full", newton_iterations = 1, step_control = false,
    }
    local ok, message = pcall(integrator.run, integrator, { equation = falling(), steps = 2, from = 0, to = 0.1 })
    assert.is_false(ok)
    assert.truthy(message:find "Newton's method did not converge")
  end)
end)

describe("the linearly implicit step", function()
  it("is the first iteration of Newton's method, as Baraff and Witkin print it", function()
    -- (M - h df/dv - h^2 df/dx) dv = h (f + h df/dx v) for f = -k x - c v - g x^3
    local k, c, g, h, m, x, v = 40, 3, 7, 0.05, 0.3, 0.8, -0.4
    local equation = weft.step.equation {
      size = 1, mass = m,
      force = function(_, p, q)
        return { -k * p[1] - c * q[1] - g * p[1] ^ 3 }
      end,
      stiffness = function(_, p)
        return { { k + 3 * g * p[1] ^ 2 } }
      end,
      damping = { { c } },
    }
    local dfdx, f = -(k + 3 * g * x ^ 2), -k * x - c * v - g * x ^ 3
    local dv = h * (f + h * dfdx * v) / (m + h * c - h ^ 2 * dfdx)
    local x1, v1 = weft.step.integrator("backward euler"):step { equation = equation, step = h, x = { x }, v = { v } }
    close_to(v + dv, v1[1], 1e-14)
    close_to(x + h * (v + dv), x1[1], 1e-14)
  end)

  it("is consistent where forces are not linear in the velocity", function()
    local order = weft.step.order {
      scheme = "backward euler", first = 200, halvings = 2,
      equation = weft.step.equation {
        size = 1, first_order = true, v = { 2 },
        force = function(_, _, y)
          return { -y[1] * math.abs(y[1]) }
        end,
        exact = function(t)
          return { 2 / (1 + 2 * t) }
        end,
      },
    }
    close_to(1, order, 0.05)
  end)
end)

describe("the corrected step", function()
  -- A weight on a stiff link of 1 m falls from the horizontal and is below its pin after K(1/sqrt 2) sqrt(L / g), a
  -- complete elliptic integral (Legendre), with the speed sqrt(2 g L). Steps of a 30th of that.
  local quarter, steps = 1.8540746773013719 * math.sqrt(1 / 9.81), 30

  local function miss(options)
    options.scheme = options.scheme or "bdf2"
    local result = run(options, equations.chain { count = 2, stiffness = 1e4, mass = 0.1, drag = 0 }, steps,
      quarter / steps)
    local n = #result.x
    return math.abs(result.x[n - 1]), math.abs(result.v[n - 1]) / math.sqrt(2 * 9.81), result.work
  end

  it("swings a stiff link nearly as Newton's method does, and the linear step does not", function()
    for _, scheme in ipairs { "bdf2", "alpha bdf2" } do
      local linear, linear_speed = miss { scheme = scheme, newton = "linear" }
      local corrected, corrected_speed, work = miss { scheme = scheme }
      local full, full_speed = miss { scheme = scheme, newton = "full" }
      assert.equal(2 * steps, work.newton_iterations)
      assert.is_true(corrected < linear / 20, ("%s: %g m, linear %g m"):format(scheme, corrected, linear))
      assert.is_true(math.abs(corrected_speed - 1) < math.abs(linear_speed - 1) / 20, corrected_speed)
      close_to(full, corrected, 0.005)
      close_to(full_speed, corrected_speed, 0.01)
    end
  end)

  it("keeps the linear step where a correction does not help", function()
    -- Crushed springs: the correction is held to lower the potential.
    local equation = falling { stretch = 0.3, definite = true, count = 5 }
    for _, scheme in ipairs { "backward euler", "bdf2" } do
      local result = run({ scheme = scheme, newton = "corrected" }, equation, 40, 0.05)
      for i = 1, #result.x do
        assert.is_true(math.abs(result.x[i]) < 20)
      end
    end
  end)
end)

describe("the system of positions and velocities", function()
  -- J = I - h gamma [[0, I], [K, D]] of size 2n, against the reduced (I - h gamma D - h^2 gamma^2 K) of size n.
  local K = { { -30, 10, 0 }, { 10, -50, 20 }, { 0, 20, -40 } }
  local D = { { -2, 1, 0 }, { 1, -3, 1 }, { 0, 1, -2 } }
  local x0, v0 = { 0.3, -0.2, 0.5 }, { 1, 0, -2 }

  local function negated(A)
    local B = {}
    for i = 1, 3 do
      B[i] = { -A[i][1], -A[i][2], -A[i][3] }
    end
    return B
  end

  local equation = weft.step.equation {
    size = 3, x = x0, v = v0, stiffness = negated(K), damping = negated(D),
    force = function(_, x, v)
      local f = {}
      for i = 1, 3 do
        f[i] = 0
        for j = 1, 3 do
          f[i] = f[i] + K[i][j] * x[j] + D[i][j] * v[j]
        end
      end
      return f
    end,
  }

  --- Y = past + h gamma (stage's slope), solved with all unknowns at once.
  local function full_solve(past, gamma)
    local J, b = {}, {}
    for i = 1, 6 do
      J[i], b[i] = {}, past[i]
      for j = 1, 6 do
        local slope = i <= 3 and (j == i + 3 and 1 or 0) or (j <= 3 and K[i - 3][j] or D[i - 3][j - 3])
        J[i][j] = (i == j and 1 or 0) - gamma * slope
      end
    end
    return sheets.solve_dense(J, b)
  end

  it("may be reduced to velocities alone, for gamma = h, h / 2 and 2 h / 3", function()
    local h = 0.2
    local Y0 = { x0[1], x0[2], x0[3], v0[1], v0[2], v0[3] }
    local euler = full_solve(Y0, h)
    local x, v = weft.step.integrator("backward euler"):step { equation = equation, step = h }
    same_state(euler, { x[1], x[2], x[3], v[1], v[2], v[3] }, 1e-12)
    local middle = full_solve(Y0, h / 2)
    local mx, mv = weft.step.integrator("implicit midpoint"):step { equation = equation, step = h }
    for i = 1, 3 do
      close_to(2 * middle[i] - x0[i], mx[i], 1e-12)
      close_to(2 * middle[i + 3] - v0[i], mv[i], 1e-12)
    end
    local past = {}
    for i = 1, 6 do
      past[i] = 4 / 3 * euler[i] - 1 / 3 * Y0[i]
    end
    local bdf = full_solve(past, 2 * h / 3)
    local result = weft.step.integrator("bdf2"):run { equation = equation, from = 0, to = 2 * h, steps = 2 }
    same_state(bdf, { result.x[1], result.x[2], result.x[3], result.v[1], result.v[2], result.v[3] }, 1e-12)
  end)
end)

describe("inexact Newton on a sheet of springs", function()
  local function run_net(options, h)
    options.scheme, options.linearisation = "backward euler", "exact"
    local net = weft.step.spring_sheet {
      points = { 9, 9 }, size = { 0.4, 0.4 }, stiffness = 200, total_mass = 0.05, pins = { 1, 9 },
      relative_damping = 1e-3,
    }
    return run(options, net, 10, h or 0.01)
  end

  local function same_sheet(expected, got)
    for i = 1, #expected do
      local a, b = { expected:get(i) }, { got:get(i) }
      same_state(a, b, 1e-8)
    end
  end

  local exact = run_net { newton = "full" }

  it("solves each linear system to the forcing term, and ends in the state of the exact method", function()
    local result, records = run_net { newton = "inexact" }
    for _, list in ipairs(records) do
      for _, record in ipairs(list) do
        assert.equal(0.02, record.forcing)
        assert.is_true(record.linear_residual <= 0.02)
      end
    end
    same_sheet(exact.x, result.x)
    assert.is_true(result.work.solver_iterations < 0.6 * exact.work.solver_iterations)
    assert.is_true(result.work.newton_iterations > exact.work.newton_iterations)
  end)

  it("converges superlinearly as the forcing term goes to zero (Eisenstat and Walker)", function()
    same_sheet(exact.x, (run_net { newton = "inexact", forcing = 0 }).x)
    local _, records = run_net { newton = "inexact", forcing = 0, newton_tolerance = 1e-13 }
    for _, list in ipairs(records) do
      local ratios = {}
      for k = 2, #list - 1 do -- the first forcing term is a guess
        local now, after = list[k], list[k + 1]
        if after.residual > 1e-13 then -- rounding is at 5e-14
          ratios[#ratios + 1] = after.residual / now.residual
        end
        if after.residual > 1e-7 then -- what is left to gain limits it from below
          assert.is_true(after.forcing < now.forcing)
        end
      end
      assert.is_true(#ratios >= 3)
      for k = 2, #ratios do
        assert.is_true(ratios[k] < 0.3 * ratios[k - 1], ("%g after %g"):format(ratios[k], ratios[k - 1]))
      end
    end
  end)

  it("stagnates with a forcing term of 1, and says so", function()
    local ok, message = pcall(run_net, { newton = "inexact", forcing = 1 })
    assert.is_false(ok)
    assert.truthy(message:find "found no better state")
  end)

  it("may keep one matrix for all steps, that of springs without rest lengths", function()
    local small = run_net({ newton = "full" }, 0.002)
    local result = run_net({ newton = "simplified" }, 0.002)
    assert.equal(1, result.work.linearisations)
    same_sheet(small.x, result.x)
  end)

  it("converges with that far-off matrix because it is accelerated", function()
    local result = run_net { newton = "simplified" }
    assert.equal(1, result.work.linearisations)
    for i = 1, #exact.x do
      local a, b = { exact.x:get(i) }, { result.x:get(i) }
      same_state(a, b, 1e-6)
    end
    local ok = pcall(run_net, { newton = "simplified", line_search = false, step_control = false })
    assert.is_false(ok)
  end)
end)

describe("simplified Newton", function()
  local function taut()
    return falling { stretch = 1.01, stiffness = 200, count = 5 }
  end

  it("forms its matrix once for all steps, and again when the step changes or it restarts", function()
    local options = { scheme = "backward euler", newton = "simplified", newton_iterations = 500 }
    local integrator = weft.step.integrator(options)
    local equation = taut()
    local x, v = equation.x, equation.v
    local function step(h, count)
      for _ = 1, count do
        x, v = integrator:step { equation = equation, step = h, x = x, v = v }
      end
      return integrator.work.linearisations
    end
    assert.equal(1, step(0.02, 10))
    assert.equal(2, step(0.01, 10))
    integrator:restart()
    assert.equal(3, step(0.01, 5))
  end)

  it("ends in the state of the exact method", function()
    for _, scheme in ipairs { "backward euler", "implicit midpoint", "bdf2" } do
      local exact = run({ scheme = scheme, newton = "full", linearisation = "exact", newton_tolerance = 1e-11 }, taut(),
        20, 0.02)
      local simplified = run({
        scheme = scheme, newton = "simplified", newton_iterations = 500, newton_tolerance = 1e-11,
      }, taut(), 20, 0.02)
      same_state(exact.x, simplified.x, 1e-8)
      same_state(exact.v, simplified.v, 1e-6)
      assert.is_true(simplified.work.newton_iterations > exact.work.newton_iterations)
    end
  end)
end)

describe("step control by Newton's method", function()
  it("halves the step where it fails and finishes, for every implicit scheme", function()
    for _, scheme in ipairs { "backward euler", "bdf2", "bdf3", "bdf4", "implicit midpoint", "alpha bdf2" } do
      local options = {
        scheme = scheme, newton = "full", linearisation = "exact", newton_iterations = 4, step_control = true,
      }
      local result = run(options, falling(), 4, 0.1)
      assert.is_true(result.work.rejected > 0)
      assert.is_true(result.work.steps > 4)
      close_to(0.4, result.t, 1e-12)
      -- and what it finds is the motion that small steps find
      local fine = run({ scheme = "bdf2", newton = "full", linearisation = "exact" }, falling(), 800, 0.0005)
      assert.is_true(math.abs(result.x[#result.x] - fine.x[#fine.x]) < 0.35, scheme)
    end
  end)

  it("lets the step grow where that is easy", function()
    local integrator = weft.step.integrator {
      scheme = "backward euler", newton = "full", step_control = true, first_step = 1e-4,
    }
    local result = integrator:run { equation = equations.third(2), steps = 1 }
    assert.is_true(result.work.steps <= 16) -- 1e-4 doubles 14 times on its way to 2
    assert.is_true(result.work.last_step > 0.3)
    assert.equal(0, result.work.rejected)
  end)

  it("grows again to the whole step once the motion is calm", function()
    local integrator = weft.step.integrator {
      scheme = "bdf2", newton = "full", linearisation = "exact", newton_iterations = 4, easy_iterations = 4,
      step_control = true,
    }
    local equation = falling { drag = 1 }
    local x, v, t, shortest = equation.x, equation.v, 0, math.huge
    for _ = 1, 100 do
      x, v = integrator:step { equation = equation, step = 0.1, x = x, v = v, t = t }
      t = t + 0.1
      shortest = math.min(shortest, integrator.work.last_step)
    end
    assert.is_true(shortest < 0.06)
    close_to(0.1, integrator.work.last_step, 1e-12)
    assert.is_true(x[#x] < -6.5) -- it hangs
    local rest = 0
    for i = 1, #v do
      rest = math.max(rest, math.abs(v[i]))
    end
    assert.is_true(rest < 0.5)
  end)

  it("gives up at the smallest step", function()
    local integrator = weft.step.integrator {
      scheme = "backward euler", newton = "full", newton_iterations = 1, step_control = true, smallest_step = 0.02,
    }
    local ok, message = pcall(integrator.step, integrator, { equation = falling(), step = 0.1 })
    assert.is_false(ok)
    assert.truthy(message:find "did not converge")
    assert.equal(0, integrator.work.steps)
    assert.equal(3, integrator.work.rejected) -- 0.1, 0.05, 0.025
  end)
end)
