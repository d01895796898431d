-- Work against precision, and what the schemes do to energy: the published numbers.

local support = require "spec.support"
local weft = require "weft"
local step = weft.step
local close, message_of = support.close, support.message_of

describe("Work against precision", function()
  it("on the tutorial's third example, in the largest error up to half a second", function()
    local expected = {
      ["forward euler"] = 1.675e-2, ["explicit midpoint"] = 3.876e-4, rk4 = 1.209e-7, ["backward euler"] = 1.266e-2,
      ["implicit midpoint"] = 1.920e-4, bdf2 = 7.783e-4, verlet = 2.545e-3,
    }
    for scheme, largest in pairs(expected) do
      local run = step.integrator(scheme):run { equation = "example 3", to = 0.5, steps = 200 }
      close(largest, run.max_error, 1e-3 * largest, scheme)
    end
  end)

  it("is not to be seen at the end of that example, where the solution rests", function()
    local run = step.integrator("backward euler"):run { equation = "example 3", steps = 10 }
    assert.is_true(run.end_error <= 3.11e-6)
    assert.is_true(run.max_error > 0.02)
  end)

  it("has a slope of minus the order beyond the limit of stability, and blows up before it", function()
    local orders = {
      ["forward euler"] = 1, ["explicit midpoint"] = 2, rk4 = 4, ["backward euler"] = 1, ["implicit midpoint"] = 2,
      bdf2 = 2, bdf3 = 3, trapezoid = 2,
    }
    local names = support.sorted_keys(orders)
    local equation = step.equation { name = "dahlquist", lambda = -30 }
    local rows = step.precision { schemes = names, equations = { equation }, steps = { 10, 1280, 2560 } }
    assert.equal(3 * #names, #rows)
    for k, name in ipairs(names) do
      local coarse, fine, finest = rows[3 * k - 2], rows[3 * k - 1], rows[3 * k]
      assert.equal(name, coarse.scheme)
      local slope = math.log(finest.error / fine.error) / math.log(finest.flops / fine.flops)
      close(-orders[name], slope, 0.08, name)
      local explicit = name == "forward euler" or name == "explicit midpoint" or name == "rk4"
      assert.equal(explicit, coarse.error > 1, name)
    end
  end)

  it("counts operations in proportion to evaluations", function()
    local rows = step.precision {
      schemes = { "rk4", "backward euler" }, equations = { "pendulum", "kepler" }, steps = { 100, 300 },
    }
    for k = 1, #rows, 2 do
      local one, three = rows[k], rows[k + 1]
      close(3, three.evaluations / one.evaluations, 0)
      close(3, three.flops / one.flops, 0.02)
    end
    assert.equal(400, rows[1].evaluations)
    assert.equal(100, rows[3].solves)
    local differenced = step.equation { x = { 1, 2 }, force = function(_, x) return { -x[1], -x[2] } end }
    local counted = step.precision { schemes = { "backward euler" }, equations = { differenced }, steps = { 64 } }
    assert.is_true(counted[1].evaluations > 64 * 8) -- two columns, both sides, of two matrices, and the force
  end)

  it("needs no solution: it makes a reference", function()
    local rows = step.precision {
      schemes = { "rk4", { scheme = "backward euler", newton = "full" } }, steps = { 200, 400 }, norm = "end",
      equations = { step.equation { name = "spring chain", to = 0.2, stiffness = 200 } },
    }
    close(16, rows[1].error / rows[2].error, 1.5)
    close(2, rows[3].error / rows[4].error, 0.1)
    assert.equal("backward euler (newton = full)", rows[3].scheme)
    assert.is_true(rows[3].newton_iterations > 200)
  end)

  it("writes JSON and CSV", function()
    local given = { schemes = { "rk4", "forward euler" }, equations = { step.equation {
      title = 'stiff "one"', first_order = true, v = { 1 }, force = function(_, _, y) return -1e200 * y[1] end,
      exact = function(t) return t == 0 and 1 or 0 end,
    } }, steps = { 5 } }
    local path = os.tmpname()
    given.file = path .. ".csv"
    step.precision(given)
    local lines = {}
    for line in io.lines(given.file) do
      lines[#lines + 1] = line
    end
    assert.equal("scheme,equation,steps,step,error,evaluations,linearisations,solves,solver_iterations,products,"
      .. "newton_iterations,flops,seconds", lines[1])
    assert.equal('"rk4","stiff ""one""",5,0.20000000000000001,inf', lines[2]:sub(1, 47))
    assert.equal(3, #lines)
    os.remove(given.file)
    given.file = path .. ".json"
    step.precision(given)
    local text = support.read_file(given.file)
    assert.is_truthy(text:find('{"scheme": "rk4", "equation": "stiff \\u0022one\\u0022", "steps": 5', 1, true))
    assert.is_truthy(text:find('"error": null', 1, true))
    os.remove(given.file)
    os.remove(path)
  end)

  it("refuses what it cannot do", function()
    local function message(changes)
      local given = { schemes = { "rk4" }, equations = { "kepler" }, steps = { 8 } }
      for name, value in pairs(changes) do
        given[name] = value
      end
      return message_of(step.precision, given)
    end
    assert.equal("weft.step.precision: schemes must be a list, got rk4", message { schemes = "rk4" })
    assert.matches("steps must be a list of integers", message { steps = { 1.5 } })
    assert.matches("steps must be a list of integers", message { steps = { 0 / 0 } })
    assert.matches("file must be a path that ends with .json or .csv", message { file = "x.png" })
    assert.matches("cannot write no/such/folder", message { file = "no/such/folder/x.csv" })
    assert.matches("norm must be one of", message { norm = "l1" })
    assert.equal("weft.step.precision: scheme: there is no scheme 'rk5'; did you mean 'rk4'?",
      message { schemes = { "rk5" } })
    assert.equal("weft.step.precision: equation must be a weft.step.equation, got 3", message { equations = { 3 } })
  end)
end)

describe("Damping by the scheme", function()
  it("keeps the stiff spring of the third example from its lowest point (figure 8b of the tutorial)", function()
    local lowest = { [0.05] = -1.06875, [0.02] = -1.091875, [0.01] = -1.108912 }
    local function minimum(scheme, length)
      local least = 0
      step.integrator(scheme):run { equation = "example 3", step = length, every = function(_, x)
        least = math.min(least, x[1])
      end }
      return least
    end
    for length, expected in pairs(lowest) do
      close(expected, minimum("backward euler", length), 2e-6)
    end
    close(-1.130833, minimum("implicit midpoint", 0.02), 2e-6)
    close(-1.133848, minimum("rk4", 0.0002), 2e-6)
  end)

  it("takes energy from an undamped oscillator by a known factor a period, or none", function()
    local factors = {
      ["backward euler"] = { [0.1] = 0.7315, [0.5] = 0.2461 }, bdf2 = { [0.1] = 0.9985, [0.5] = 0.8859 },
      ["forward euler"] = { [0.1] = 1.37, [0.5] = 4.06 },
    }
    local period = 2 * math.pi
    for scheme, cases in pairs(factors) do
      for length, expected in pairs(cases) do
        -- Amplitude per unit of time, from the spectral radius: energy falls in whole steps.
        local radius = step.stability_function(scheme, { 0, length })
        close(expected, radius ^ (period / length), 0.005 * expected, scheme)
      end
    end
    for _, scheme in ipairs { "implicit midpoint", "verlet" } do
      local run = step.integrator(scheme):run {
        equation = "oscillator", to = 2e3 * period, step = 0.1, trace = { "energy" }, trace_every = 997,
      }
      for k = 1, run.trace.energy.count do
        close(0.5, run.trace.energy:get(k), 0.002, scheme)
      end
    end
  end)

  it("is none for momenta of a free chain, whatever the scheme", function()
    local chain = step.equation {
      name = "spring chain", anchored = false, gravity = 0, count = 3, damping = 0.5, to = 1,
      v = { 1, 0, -0.5, 0.3, 0, 0.6 },
    }
    for _, scheme in ipairs { "rk4", "verlet", "symplectic euler", "backward euler", "bdf2", "implicit midpoint" } do
      local run = step.integrator(scheme):run {
        equation = chain, steps = 500, trace = { "momentum" }, trace_every = 50,
      }
      for k = 1, 11 do
        local x, y = run.trace.momentum:get(k)
        close(0.05, x, 1e-12, scheme)
        close(0.09, y, 1e-12, scheme)
      end
    end
  end)
end)
