-- Convergence: the errors that the literature prints, and the order of every scheme.

local equations = require "spec.step.equations"
local weft = require "weft"

local prints = equations.prints

local function close_to(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= tolerance, ("expected %.12g, got %.12g"):format(expected, got))
end

describe("the order of a scheme", function()
  it("shows in the errors printed for y' = 2 y at t = 1 with 10 and 320 steps", function()
    local printed = {
      ["forward euler"] = { "1.197", "4.585e-2", 0.99 },
      ["explicit midpoint"] = { "8.44e-2", "9.58e-5", 1.99 },
      ["rk4"] = { "1.67e-4", "1.87e-10", 3.99 },
      ["backward euler"] = { "1.92", "4.65e-2", 1.01 },
      ["implicit midpoint"] = { "4.97e-2", "4.81e-5", 2.00 },
      ["bdf2"] = { "3.92e-1", "4.07e-4", 1.99 },
    }
    for scheme, values in pairs(printed) do
      local order, rows = weft.step.order { scheme = scheme, equation = equations.first(2), first = 10, halvings = 5 }
      assert.equal(320, rows[6].steps)
      prints(values[1], rows[1].error)
      prints(values[2], rows[6].error)
      close_to(values[3], order, 0.0051)
    end
  end)

  it("shows in the largest errors printed for the stiff spring over half a second", function()
    local printed = {
      ["forward euler"] = "1.675e-2", ["explicit midpoint"] = "3.876e-4", ["rk4"] = "1.209e-7",
      ["backward euler"] = "1.266e-2", ["implicit midpoint"] = "1.920e-4", ["bdf2"] = "7.783e-4",
      ["verlet"] = "2.545e-3",
    }
    for scheme, value in pairs(printed) do
      local largest = 0
      local equation = equations.third(0.5)
      weft.step.integrator(scheme):run {
        equation = equation, steps = 200,
        every = function(t, z)
          largest = math.max(largest, math.abs(z[1] - equation:exact(t)[1]))
        end,
      }
      prints(value, largest)
    end
  end)

  -- What the class claims, on an equation that is nonlinear in position, velocity and time. The damping of "verlet"
  -- lags: order 1 with it.
  local claimed = { ["verlet"] = 1 }

  it("is the one claimed, within 0.05, for every scheme and way of solving its equation", function()
    local coarsest = { ["rk4"] = 80, ["cash karp"] = 20, ["bdf4"] = 160, ["bdf3"] = 160 }
    for _, scheme in ipairs(weft.step.schemes()) do
      local runs_on_equations = not scheme.needs_elements and scheme.name ~= "linear filter" and scheme.name ~= "kang"
      if runs_on_equations and scheme.order > 0 then
        for _, newton in ipairs(scheme.implicit and { "linear", "full" } or { "default" }) do
          local first = coarsest[scheme.name] or 160
          local order = weft.step.order {
            scheme = { scheme = scheme.name, newton = newton }, equation = equations.pendulum(1), first = first,
            halvings = 2,
          }
          close_to(claimed[scheme.name] or scheme.order, order, 0.05)
        end
      end
    end
  end)

  it("of the alpha family is 2 at one half and 1 elsewhere", function()
    for _, case in ipairs { { 0, 1 }, { 0.25, 1 }, { 0.5, 2 }, { 0.75, 1 }, { 1, 1 } } do
      local order = weft.step.order {
        scheme = { scheme = "alpha", alpha = case[1] }, equation = equations.pendulum(1), first = 400, halvings = 2,
      }
      close_to(case[2], order, 0.05)
    end
  end)

  -- What it multiplies y' = -y by in a step, once the Euler start has been forgotten, against exp(-h).
  it("of generalised BDF2 is 2 and not 3 at 1 / sqrt(3), and 3 at 1 / 3 only", function()
    local function step_error(alpha, h)
      local before
      local integrator = weft.step.integrator { scheme = "alpha bdf2", alpha = alpha }
      local after
      integrator:run {
        equation = equations.first(-1), from = 0, to = 40 * h, steps = 40,
        every = function(_, _, y)
          before, after = after, y[1]
        end,
      }
      return math.abs(after / before - math.exp(-h))
    end
    local measured = { [1 / 3] = 3, [0.5] = 2, [1 / math.sqrt(3)] = 2, [1] = 2 }
    for alpha, expected in pairs(measured) do
      local order = math.log(step_error(alpha, 0.02) / step_error(alpha, 0.01)) / math.log(2) - 1
      close_to(expected, order, 0.05)
    end
  end)

  it("of Stoermer-Verlet is 2 without damping, 1 with lagged and 2 with averaged damping", function()
    local undamped = equations.oscillator(math.sqrt(5), 10)
    local order, rows = weft.step.order { scheme = "verlet", equation = undamped, first = 320, halvings = 2 }
    close_to(2, order, 0.05)
    assert.equal(1280, rows[3].steps)
    prints("1.247e-4", math.abs(weft.step.integrator("verlet"):run { equation = undamped, steps = 1280 }.x[1]
      - undamped:exact(10)[1]))
    close_to(1, (weft.step.order { scheme = "verlet", equation = equations.second(), first = 640, halvings = 2,
      norm = "max" }), 0.05)
    close_to(2, (weft.step.order { scheme = "verlet averaged", equation = equations.second(), first = 640, halvings = 2,
      norm = "max" }), 0.05)
  end)
end)

describe("Runge-Kutta tableaus", function()
  local midpoint = { a = { {}, { 1 / 2 } }, b = { 0, 1 } }
  local classical = { a = { {}, { 1 / 2 }, { 0, 1 / 2 }, { 0, 0, 1 } }, b = { 1 / 6, 2 / 6, 2 / 6, 1 / 6 } }

  it("reproduce the named schemes bit for bit", function()
    for name, tableau in pairs { ["explicit midpoint"] = midpoint, ["rk4"] = classical } do
      local named = weft.step.integrator(name):run { equation = equations.pendulum(1), steps = 50 }
      local given = weft.step.integrator { scheme = "runge kutta", tableau = tableau }
        :run { equation = equations.pendulum(1), steps = 50 }
      assert.equal(named.x[1], given.x[1])
      assert.equal(named.v[1], given.v[1])
    end
  end)

  it("are what the textbook says, written out for y' = g(t, y)", function()
    local h, t, y = 0.1, 0.3, 0.7
    local function g(time, value)
      return math.cos(time) * value - value ^ 2
    end
    local k1 = g(t, y)
    local k2 = g(t + h / 2, y + h / 2 * k1)
    local k3 = g(t + h / 2, y + h / 2 * k2)
    local k4 = g(t + h, y + h * k3)
    local equation = weft.step.equation {
      size = 1, first_order = true, v = { y },
      force = function(time, _, value)
        return { g(time, value[1]) }
      end,
    }
    local function step(scheme)
      local _, v = weft.step.integrator(scheme):step { equation = equation, t = t, step = h, x = { 0 }, v = { y } }
      return v[1]
    end
    close_to(y + h * k2, step "explicit midpoint", 1e-15)
    close_to(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), step "rk4", 1e-15)
    close_to(y + h * k1, step "forward euler", 1e-15)
  end)

  it("may be diagonally implicit: two stages of order 3, and the trapezoidal rule", function()
    local gamma = (3 + math.sqrt(3)) / 6 -- Crouzeix 1975, Norsett 1974
    local crouzeix = { a = { { gamma }, { 1 - 2 * gamma, gamma } }, b = { 1 / 2, 1 / 2 } }
    local scheme = { scheme = "runge kutta", tableau = crouzeix }
    close_to(3, (weft.step.order { scheme = scheme, equation = equations.pendulum(1), first = 80, halvings = 2 }), 0.05)
    local trapezoid = { a = { {}, { 1 / 2, 1 / 2 } }, b = { 1 / 2, 1 / 2 } }
    local given = weft.step.integrator { scheme = "runge kutta", tableau = trapezoid }
      :run { equation = equations.second(), steps = 40 }
    local named = weft.step.integrator("trapezoid"):run { equation = equations.second(), steps = 40 }
    close_to(named.x[1], given.x[1], 1e-13)
    close_to(named.v[1], given.v[1], 1e-13)
  end)

  it("are refused when they are none", function()
    local function message(tableau)
      local ok, text = pcall(weft.step.integrator, { scheme = "runge kutta", tableau = tableau })
      return not ok and text
    end
    assert.truthy(message { a = { { 0, 1 }, { 0.5 } }, b = { 0, 1 } }:find "lower triangular")
    assert.truthy(message { a = { {}, { 0.5 } }, b = { 0.5, 1 } }:find "sum to 1")
    assert.truthy(message { a = { {}, { 0 / 0 } }, b = { 0, 1 } })
    assert.truthy(message { a = { { -0.5 } }, b = { 1 } }:find "diagonal")
    assert.truthy(message(nil):find "tableau")
  end)
end)

describe("Cash-Karp 5(4)", function()
  it("keeps its error in proportion to the tolerance and counts what it rejects", function()
    local last
    for exponent = 4, 10, 2 do
      local tolerance = 10 ^ -exponent
      local integrator = weft.step.integrator {
        scheme = "cash karp", relative_tolerance = tolerance, absolute_tolerance = tolerance,
      }
      local result = integrator:run { equation = equations.third(0.5), steps = 1 }
      local deviation = math.abs(result.x[1] - equations.third(0.5):exact(0.5)[1])
      assert.is_true(deviation <= 5 * tolerance, ("error %g at tolerance %g"):format(deviation, tolerance))
      assert.is_true(result.work.rejected > 0) -- the first try is the whole interval
      assert.equal(6 * (result.work.steps + result.work.rejected), result.work.evaluations)
      if last then -- the error of a step is of order 5: a hundredth takes 100^(1/5) = 2.5 times the steps
        close_to(2.5, result.work.steps / last, 0.4)
      end
      last = result.work.steps
    end
  end)

  it("does not step below the smallest step", function()
    local integrator = weft.step.integrator {
      scheme = "cash karp", relative_tolerance = 1e-12, absolute_tolerance = 1e-12, smallest_step = 0.1,
    }
    local ok, message = pcall(integrator.run, integrator, { equation = equations.third(0.5), steps = 1 })
    assert.is_false(ok)
    assert.truthy(message:find "too inaccurate")
  end)
end)

describe("position Verlet", function()
  -- x+ = 2 x - x_-1 + h^2 a is symplectic Euler with v = (x - x_-1) / h (Cordier, E7).
  it("has the trajectory of symplectic Euler on a chain of 50 nodes", function()
    local h, count = 1e-3, 50
    local options = { count = count, stiffness = 400, mass = 0.5, rest = 0.1 }
    local equation = equations.chain(options)
    local x, v = {}, {}
    for i = 1, 2 * count do
      x[i], v[i] = equation.x[i], 0
    end
    -- Verlet begins with half a kick; symplectic Euler with a whole one: start it half a kick earlier.
    local function accelerations(positions)
      local integrator = weft.step.integrator "forward euler"
      local _, after = integrator:step { equation = equation, step = 1, x = positions, v = v }
      return after
    end
    local a = accelerations(x)
    local sx, sv = {}, {}
    for i = 1, 2 * count do
      sx[i], sv[i] = x[i], -h / 2 * a[i]
    end
    local verlet, symplectic = weft.step.integrator "verlet", weft.step.integrator "symplectic euler"
    for _ = 1, 300 do
      x, v = verlet:step { equation = equation, step = h, x = x, v = v, t = 0 }
      sx, sv = symplectic:step { equation = equation, step = h, x = sx, v = sv }
    end
    for i = 1, 2 * count do
      close_to(sx[i], x[i], 1e-9)
    end
    assert.is_true(x[2 * count] < -0.1) -- it fell
  end)

  it("makes one error of order h^4 a step", function()
    local omega = 3
    local function exact(t)
      return math.cos(omega * t) + 0.5 * math.sin(omega * t)
    end
    local function local_error(h)
      local a = -omega ^ 2 * exact(0)
      local v = (exact(0) - exact(-h)) / h + h / 2 * a
      local x = weft.step.integrator("verlet"):step {
        equation = equations.oscillator(omega, 1), step = h, x = { exact(0) }, v = { v },
      }
      return math.abs(x[1] - exact(h))
    end
    for _, h in ipairs { 0.08, 0.04, 0.02 } do
      close_to(16, local_error(h) / local_error(h / 2), 1.6)
    end
  end)
end)

describe("IMEX Euler", function()
  it("takes the five printed steps of a damped unit spring", function()
    local equation = weft.step.equation {
      size = 1, x = { 1 }, v = { 0 },
      force = function(_, x, v)
        return { -100 * x[1] - 0.5 * v[1] }
      end,
      stiff = function(_, x, v)
        return { -100 * x[1] - 0.5 * v[1] }
      end,
      stiff_stiffness = { { 100 } }, stiff_damping = { { 0.5 } },
    }
    local result = weft.step.integrator("imex euler"):run { equation = equation, from = 0, to = 0.2, steps = 5 }
    close_to(-0.1885463, result.x[1], 1e-7)
    close_to(-6.2899109, result.v[1], 1e-7)
  end)

  it("is refused for equations without a stiff part", function()
    local integrator = weft.step.integrator "imex euler"
    local ok, message = pcall(integrator.run, integrator, { equation = equations.second() })
    assert.is_false(ok)
    assert.truthy(message:find "stiff part")
  end)
end)
