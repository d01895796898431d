-- Projective dynamics: its constant matrix, and convergence to backward Euler whatever the matrix leaves out.

local cloths = require "spec.step.cloths"
local weft = require "weft"
local step = weft.step

local function scheme(iterations)
  return { scheme = "projective dynamics", iterations = iterations, newton_tolerance = 1e-12 }
end

cloths.promises({ describe = describe, it = it }, "Projective dynamics", scheme, 1000, { conserves = true })

describe("Projective dynamics", function()
  it("needs one iteration where its matrix is the second derivative", function()
    -- springs of rest length zero are quadratic in space
    local random = require("spec.model.sheets").random(2)
    local x, springs, stiffness, mass = {}, {}, {}, {}
    for i = 1, 12 do
      x[i], mass[i] = { random(), random(), random() }, 1.5 + random()
      for j = 1, i - 1 do
        springs[#springs + 1], stiffness[#stiffness + 1] = { i, j }, 10 + 9 * random()
      end
    end
    local equation = step.cloth { x = x, springs = springs, stiffness = stiffness, mass = mass, pins = { 4 } }
    local expected = cloths.reference(equation, 0.1)
    assert.is_true(cloths.distance(expected, (cloths.step(scheme(1), equation, 0.1))) < 1e-12)
  end)

  it("factors once for many steps, and again for another step length", function()
    local equation = step.cloth(cloths.sheet { pins = { 1 } })
    local integrator = step.integrator(scheme(3))
    local x, v
    for _ = 1, 6 do
      x, v = integrator:step { equation = equation, step = 1 / 60, x = x, v = v }
    end
    assert.equal(1, integrator.work.linearisations)
    integrator:step { equation = equation, step = 1 / 30, x = x, v = v }
    assert.equal(2, integrator.work.linearisations)
  end)

  it("stops where the residual is small enough", function()
    local equation = step.cloth(cloths.sheet { pins = { 1 }, shake = 0 })
    local function iterations(tolerance)
      local given = { scheme = "projective dynamics", iterations = 2000, newton_tolerance = tolerance }
      local _, _, work = cloths.step(given, equation, 1 / 60)
      return work.newton_iterations
    end
    local few, many = iterations(1e-2), iterations(1e-8)
    assert.is_true(few >= 1 and few < many and many < 2000, ("%d and %d"):format(few, many))
  end)

  it("hangs at the strain that the modulus gives", function()
    local options, elongation, length = cloths.strip {}
    local x = cloths.walk(scheme(20), step.cloth(options), 1 / 30, 90)
    assert.near(length + elongation, -x[#x][2], 2e-3 * elongation)
  end)

  it("stretches stiff cloth no more than that after a few iterations a step", function()
    local options, elongation, length = cloths.strip { warp = 1e5, rows = 40 }
    local x = cloths.walk(scheme(5), step.cloth(options), 1 / 30, 90)
    assert.near(length + elongation, -x[#x][2], 1e-5 * length)
  end)
end)
