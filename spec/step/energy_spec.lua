-- What schemes do to the energy of oscillations.

local equations = require "spec.step.equations"
local weft = require "weft"

local function close_to(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= tolerance, ("expected %.12g, got %.12g"):format(expected, got))
end

--- By what the amplitude of a unit oscillator is multiplied in one period, measured over `periods` of them after the
--- start has been forgotten.
local function amplitude_per_period(scheme, h, periods)
  local settled, steps = math.floor(20 / h), math.floor(2 * math.pi * periods / h + 0.5)
  local amplitudes, step = {}, 0
  weft.step.integrator(scheme):run {
    equation = equations.oscillator(1, 1, 1, 0), from = 0, to = (settled + steps) * h, steps = settled + steps,
    every = function(_, x, v)
      step = step + 1
      amplitudes[step] = math.sqrt(x[1] ^ 2 + v[1] ^ 2)
    end,
  }
  return (amplitudes[settled + steps] / amplitudes[settled]) ^ (2 * math.pi / (steps * h))
end

describe("the energy of an undamped oscillator", function()
  it("falls and grows per period as printed", function()
    local printed = {
      [0.1] = { ["backward euler"] = "0.7315", ["bdf2"] = "0.9985", ["forward euler"] = "1.37" },
      [0.5] = { ["backward euler"] = "0.2461", ["bdf2"] = "0.8859", ["forward euler"] = "4.06" },
    }
    for h, values in pairs(printed) do
      for scheme, value in pairs(values) do
        equations.prints(value, amplitude_per_period(scheme, h, 1))
      end
    end
  end)

  it("falls by 1 / sqrt(1 + h^2 omega^2) a step with backward Euler, and stays with the trapezoidal rule", function()
    for _, h in ipairs { 0.01, 0.3, 1, 7 } do
      local equation = equations.oscillator(1, 1)
      local function amplitude(scheme)
        local x, v = weft.step.integrator(scheme):step { equation = equation, step = h, x = { 0.6 }, v = { -0.8 } }
        return math.sqrt(x[1] ^ 2 + v[1] ^ 2)
      end
      close_to(1 / math.sqrt(1 + h ^ 2), amplitude "backward euler", 1e-12)
      close_to(1, amplitude "trapezoid", 1e-12)
      close_to(1, amplitude "implicit midpoint", 1e-12)
    end
    close_to(0.70711, 1 / math.sqrt(2), 5e-6)
  end)

  it("has no trend over ten thousand periods with the midpoint rule and Verlet", function()
    for _, scheme in ipairs { "implicit midpoint", "verlet", "verlet averaged" } do
      local h, steps = 0.5, 125664
      local lowest, highest, step = { math.huge, math.huge }, { 0, 0 }, 0
      weft.step.integrator(scheme):run {
        equation = weft.step.equation { name = "oscillator", frequency = 1, x = { 1 }, v = { 0 } },
        from = 0, to = h * steps, steps = steps,
        every = function(_, x, v)
          step = step + 1
          local half = step <= 2000 and 1 or step > steps - 2000 and 2 or nil
          if half then
            local energy = x[1] ^ 2 + v[1] ^ 2
            lowest[half], highest[half] = math.min(lowest[half], energy), math.max(highest[half], energy)
          end
        end,
      }
      close_to(1, lowest[2] / lowest[1], 1e-6)
      close_to(1, highest[2] / highest[1], 1e-6)
    end
  end)
end)

describe("the deepest point of the stiff spring", function()
  it("is missed by backward Euler as printed, and not by the midpoint rule", function()
    local function deepest(scheme, h)
      local lowest = 0
      weft.step.integrator(scheme):run {
        equation = equations.third(0.5), steps = math.floor(0.5 / h + 0.5),
        every = function(_, z)
          lowest = math.min(lowest, z[1])
        end,
      }
      return lowest
    end
    equations.prints("-1.06875", deepest("backward euler", 0.05))
    equations.prints("-1.091875", deepest("backward euler", 0.02))
    equations.prints("-1.108912", deepest("backward euler", 0.01))
    equations.prints("-1.130833", deepest("implicit midpoint", 0.02))
  end)

  it("does not show in the error at the end: backward Euler at 0.2 s is right to 3.1e-6 at rest", function()
    local result = weft.step.integrator("backward euler"):run { equation = equations.third(2), steps = 10 }
    assert.is_true(math.abs(result.x[1] - equations.third():exact(2)[1]) <= 3.15e-6)
  end)
end)

describe("the energy of a swinging chain", function()
  it("is lost in the order backward Euler, BDF2, generalised BDF2, Runge-Kutta 5(4)", function()
    local equation = weft.step.equation {
      name = "spring chain", count = 8, anchored = true, stiffness = 2000, damping = 0, mass = 0.05, length = 0.1,
      gravity = 9.81,
    }
    local function change(scheme)
      local trace = weft.step.integrator(scheme):run {
        equation = equation, from = 0, to = 1, step = 1 / 600, trace = { "energy" },
      }.trace
      return trace.energy:get(#trace.energy) - trace.energy:get(1)
    end
    local lost = {}
    for i, scheme in ipairs { { scheme = "backward euler", newton = "full" }, { scheme = "bdf2", newton = "full" },
      { scheme = "alpha bdf2", newton = "full" }, { scheme = "cash karp" } } do
      lost[i] = -change(scheme)
    end
    for i = 1, 3 do
      assert.is_true(lost[i] > 1.5 * math.abs(lost[i + 1]), ("%g %g"):format(lost[i], lost[i + 1]))
    end
  end)
end)
