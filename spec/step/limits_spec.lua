-- Stability: the printed limits, and what schemes multiply test equations by.

local equations = require "spec.step.equations"
local weft = require "weft"

local function close_to(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= tolerance, ("expected %.12g, got %.12g"):format(expected, got))
end

--- The largest |x| and |v| of a run; infinite when its numbers fail.
local function largest(scheme, equation, h, steps)
  local most = 0
  local integrator = weft.step.integrator(scheme)
  local finite = pcall(integrator.run, integrator, {
    equation = equation, from = 0, to = h * steps, steps = steps,
    every = function(_, x, v)
      for i = 1, #x do
        most = math.max(most, math.abs(x[i]), math.abs(v[i]))
      end
    end,
  })
  return finite and most or math.huge
end

describe("stability", function()
  -- Damped modes of example 2 and 3 and the undamped mode of test 7; printed limits of the step, s.
  local printed = {
    { equations.first(-15), { ["forward euler"] = 0.13333, ["explicit midpoint"] = 0.13333, ["rk4"] = 0.18568 } },
    { equations.second(),
      { ["forward euler"] = 0.45080, ["explicit midpoint"] = 0.45080, ["rk4"] = 0.62781, ["verlet"] = 0.36643 } },
    { equations.third(),
      { ["forward euler"] = 0.0100, ["explicit midpoint"] = 0.0400, ["rk4"] = 0.0935, ["verlet"] = 0.054031 } },
    { equations.oscillator(math.sqrt(5), 10), { ["verlet"] = 0.894427, ["symplectic euler"] = 0.894427 } },
  }

  it("ends at the printed steps, to a thousandth", function()
    for _, case in ipairs(printed) do
      for scheme, limit in pairs(case[2]) do
        local got = weft.step.stability_limit(scheme, { equation = case[1] })
        close_to(1, got / limit, 1e-3)
      end
    end
  end)

  it("is what runs show: bounded just below the limit, without bound just above", function()
    for _, case in ipairs(printed) do
      for scheme in pairs(case[2]) do
        local limit = weft.step.stability_limit(scheme, { equation = case[1] })
        assert.is_true(largest(scheme, case[1], limit * 0.995, 2000) < 300, scheme)
        assert.is_true(largest(scheme, case[1], limit * 1.02, 12000) > 1e4, scheme)
      end
    end
  end)

  it("of the classical scheme ends at 2.7853 on the real and 2.8284 on the imaginary axis", function()
    close_to(2.7853, weft.step.stability_limit "rk4", 5e-5)
    close_to(2.8284, weft.step.stability_limit("rk4", { direction = { 0, 1 } }), 5e-5)
  end)

  it("of implicit schemes has no end", function()
    for _, scheme in ipairs { "backward euler", "implicit midpoint", "trapezoid", "bdf2", "alpha bdf2", "alpha" } do
      for _, h in ipairs { 0.1, 1, 1e3 } do
        assert.is_true(largest(scheme, equations.first(-15), h, 200) <= 1, scheme)
        -- The undamped schemes turn the start's imbalance of force into speed, once.
        assert.is_true(largest(scheme, equations.third(), h, 200) < 1000 * h + 20, scheme)
      end
    end
  end)

  it("holds on the whole left half-plane for A-stable schemes", function()
    local a_stable = { "backward euler", "implicit midpoint", "trapezoid", "bdf2", "alpha bdf2",
      { scheme = "alpha", alpha = 0.75 } }
    for _, scheme in ipairs(a_stable) do
      for _, re in ipairs { -1e-3, -0.1, -0.7, -2, -10, -1e3, -1e6 } do
        for _, im in ipairs { 0, 0.01, 0.3, 1, 3, 20, 1e4 } do
          assert.is_true(weft.step.stability_function(scheme, { re, im }) <= 1 + 1e-12)
        end
      end
    end
    close_to(math.pi / 2, weft.step.stability_angle "bdf2", 1e-3)
    close_to(86.03, math.deg(weft.step.stability_angle "bdf3"), 0.05)
    close_to(73.35, math.deg(weft.step.stability_angle "bdf4"), 0.05)
  end)
end)

describe("the solutions of the test equations", function()
  it("are the printed ones", function()
    local second, third = equations.second(), equations.third()
    equations.prints("9.218681e-4", second:exact(10)[1])
    equations.prints("0.166945", second:exact(0.532777)[1])
    local positions = {
      [0.05] = "-1.133380876", [0.1] = "-1.017899971", [0.5] = "-1.012057524", [2] = "-1.009996897",
    }
    for t, z in pairs(positions) do
      equations.prints(z, third:exact(t)[1])
    end
    equations.prints("-1.133848", third:exact(0.0472)[1])
    -- and the scripted functions are those equations
    for _, equation in ipairs { second, third, equations.first(2) } do
      local integrator = weft.step.integrator {
        scheme = "cash karp", relative_tolerance = 1e-12, absolute_tolerance = 1e-12,
      }
      local result = integrator:run { equation = equation, steps = 1 }
      assert.is_true(result.end_error < 1e-10)
    end
  end)
end)

describe("one step of y' = z y", function()
  local function divide(a, b)
    local n = b[1] ^ 2 + b[2] ^ 2
    return { (a[1] * b[1] + a[2] * b[2]) / n, (a[2] * b[1] - a[1] * b[2]) / n }
  end

  local function power_series(z, terms)
    local sum, term = { 1, 0 }, { 1, 0 }
    for k = 1, terms do
      term = { (term[1] * z[1] - term[2] * z[2]) / k, (term[1] * z[2] + term[2] * z[1]) / k }
      sum = { sum[1] + term[1], sum[2] + term[2] }
    end
    return sum
  end

  --- z as the rotation and scaling of a plane; the step is 1.
  local function multiplier(scheme, z)
    local equation = weft.step.equation {
      size = 2, v = { 1, 0 },
      force = function(_, _, y)
        return { z[1] * y[1] - z[2] * y[2], z[2] * y[1] + z[1] * y[2] }
      end,
      damping = { { -z[1], z[2] }, { -z[2], -z[1] } },
    }
    local _, y = weft.step.integrator(scheme):step { equation = equation, step = 1, x = { 0, 0 }, v = { 1, 0 } }
    return y
  end

  it("multiplies by the scheme's stability function", function()
    local functions = {
      ["forward euler"] = function(z) return power_series(z, 1) end,
      ["explicit midpoint"] = function(z) return power_series(z, 2) end,
      ["rk4"] = function(z) return power_series(z, 4) end,
      ["backward euler"] = function(z) return divide({ 1, 0 }, { 1 - z[1], -z[2] }) end,
      ["implicit midpoint"] = function(z)
        return divide({ 1 + z[1] / 2, z[2] / 2 }, { 1 - z[1] / 2, -z[2] / 2 })
      end,
      ["trapezoid"] = function(z)
        return divide({ 1 + z[1] / 2, z[2] / 2 }, { 1 - z[1] / 2, -z[2] / 2 })
      end,
      ["alpha"] = function(z)
        return divide({ 1 + 0.4 * z[1], 0.4 * z[2] }, { 1 - 0.6 * z[1], -0.6 * z[2] })
      end,
    }
    for scheme, R in pairs(functions) do
      for _, z in ipairs { { -0.3, 0 }, { -1.2, 0.7 }, { 0.1, -2.1 }, { -2.5, 1e-3 } } do
        local expected, got = R(z), multiplier(scheme, z)
        local size = math.max(1, math.abs(expected[1]) + math.abs(expected[2]))
        close_to(expected[1], got[1], 1e-14 * size)
        close_to(expected[2], got[2], 1e-14 * size)
      end
    end
  end)

  it("leaves very stiff modes ringing with the midpoint rule, and ends them with backward Euler and BDF2", function()
    local stiff = equations.first(-1e6)
    local function after(scheme, steps)
      return weft.step.integrator(scheme):run { equation = stiff, from = 0, to = steps, steps = steps }.v[1]
    end
    close_to(-1, after("implicit midpoint", 1), 1e-5)
    close_to(1, after("implicit midpoint", 10), 1e-4)
    assert.is_true(math.abs(after("backward euler", 2)) < 1e-11)
    assert.is_true(math.abs(after("bdf2", 4)) < 1e-11)
  end)

  it("leaves the alpha family's printed part of infinitely stiff modes", function()
    for alpha, part in pairs { [0.5] = 1, [0.6] = 0.667, [0.75] = 0.333, [1] = 0 } do
      local R = multiplier({ scheme = "alpha", alpha = alpha }, { -1e9, 0 })
      close_to(part, math.abs(R[1]), 5e-4)
    end
  end)

  it("leaves the printed parts with generalised BDF2", function()
    close_to(0.732, (weft.step.stability_function("alpha bdf2", { -1e9, 0 })), 5e-4)
    close_to(0.988, (weft.step.stability_function("alpha bdf2", { 0, 1 })), 5e-4)
    close_to(0.933, (weft.step.stability_function("bdf2", { 0, 1 })), 5e-4)
  end)

  it("doubles with forward and quarters with backward Euler at -100 and 0.03 s", function()
    local equation = equations.first(-100)
    for scheme, factor in pairs { ["forward euler"] = -2, ["backward euler"] = 0.25 } do
      local _, y = weft.step.integrator(scheme):step { equation = equation, step = 0.03, x = { 0 }, v = { 1 } }
      close_to(factor, y[1], 1e-14)
    end
  end)
end)

describe("on an undamped oscillator", function()
  it("symplectic Euler is bounded below h omega = 2 and not above", function()
    assert.is_true(largest("symplectic euler", equations.oscillator(1, 1, 1, 0), 1.99, 1000) < 20)
    assert.is_true(largest("symplectic euler", equations.oscillator(1, 1, 1, 0), 2.01, 1000) > 1e6)
  end)

  it("forward Euler grows by sqrt(1 + h^2) a step", function()
    for _, h in ipairs { 0.1, 0.5, 1.99 } do
      local x, v = weft.step.integrator("forward euler")
        :step { equation = equations.oscillator(1, 1), step = h, x = { 0.6 }, v = { 0.8 } }
      close_to(math.sqrt(1 + h ^ 2), math.sqrt(x[1] ^ 2 + v[1] ^ 2), 1e-9)
    end
  end)
end)
