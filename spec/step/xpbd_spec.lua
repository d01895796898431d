-- Extended position-based dynamics with small steps: closed forms, convergence, and what few iterations do.

local cloths = require "spec.step.cloths"
local weft = require "weft"
local step = weft.step

local function scheme(iterations, substeps)
  return { scheme = "xpbd", iterations = iterations, substeps = substeps or 1 }
end

cloths.promises({ describe = describe, it = it }, "XPBD", scheme, 3000, { conserves = true, splits = true })

describe("XPBD", function()
  it("solves one spring exactly in one iteration, substep by substep", function()
    local k, l, m, h, d = 300, 0.5, 0.2, 0.05, 0.7
    local equation = step.cloth { x = { { 0, 0, 0 }, { 0.8, 0, 0 } }, v = { { 0, 0, 0 }, { -1, 0, 0 } },
      springs = { { 1, 2 } }, stiffness = { k }, rest_lengths = { l }, spring_damping = { d }, mass = { 1, m },
      pins = { 1 }, gravity = { 0, 0, 0 } }
    for _, substeps in ipairs { 1, 2, 7 } do
      local x, v, part = 0.8, -1, h / substeps
      for _ = 1, substeps do -- m (v1 - v) = h (-k (x + h v1 - l) - d v1)
        v = (m * v - part * k * (x - l)) / (m + part * part * k + part * d)
        x = x + part * v
      end
      local got, velocity = cloths.step(scheme(1, substeps), equation, h)
      assert.near(x, got[2][1], 1e-14)
      assert.near(v, velocity[2][1], 1e-12)
    end
  end)

  it("solves one triangle that is pulled along a thread exactly, by its real modulus", function()
    local width, length, stretched, h, m = 0.03, 0.05, 0.06, 0.01, 0.002
    local fabric = cloths.fabric()
    local equation = step.cloth { x = { { 0, 0, 0 }, { width, 0, 0 }, { 0, stretched, 0 } }, faces = { { 1, 2, 3 } },
      rest = { { 0, 0 }, { width, 0 }, { 0, length } }, fabric = fabric, mass = { 1, 1, m }, pins = { 1, 2 },
      gravity = { 0, 0, 0 } }
    local stiffness = fabric.stretch.warp * width / (2 * length) -- area C2222 / length^2
    local x = cloths.step(scheme(1), equation, h)
    assert.near((m / h ^ 2 * stretched + stiffness * length) / (m / h ^ 2 + stiffness), x[3][2], 1e-14)
    assert.near(0, x[3][1], 1e-15)
  end)

  it("slows what has stretched by its viscosity after the step, exactly for one triangle", function()
    local width, length, h, m, eta = 0.03, 0.05, 0.01, 0.002, 0.02
    local fabric = cloths.fabric { viscosity = eta }
    local function moved(of)
      local _, v = cloths.step(scheme(1), step.cloth { x = { { 0, 0, 0 }, { width, 0, 0 }, { 0, length, 0 } },
        v = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } },
        rest = { { 0, 0 }, { width, 0 }, { 0, length } }, fabric = of, mass = { 1, 1, m }, pins = { 1, 2 },
        gravity = { 0, 0, 0 } }, h)
      return v[3][2]
    end
    local stiffness = fabric.stretch.warp * width / (2 * length)
    assert.near(moved(cloths.fabric()) / (1 + h * eta * stiffness / m), moved(fabric), 1e-12)
  end)

  it("hangs no longer for being viscous", function()
    local function stretch(viscosity)
      local options = cloths.strip { warp = 1e4 }
      options.fabric = cloths.fabric { density = 0.2, stretch = { weft = 60, warp = 1e4, coupling = 0 },
        viscosity = viscosity }
      local x = cloths.walk(scheme(1, 16), step.cloth(options), 1 / 60, 120)
      return -x[#x][2] - 0.2
    end
    assert.near(stretch(0), stretch(0.01), 0.02 * stretch(0))
  end)

  it("is of order one in its substeps", function()
    local equation = step.cloth { x = { { 0, 0, 0 }, { 1.2, 0, 0 } }, springs = { { 1, 2 } }, stiffness = { 40 },
      rest_lengths = { 1 }, mass = { 1, 1 }, pins = { 1 }, gravity = { 0, 0, 0 } }
    local exact = 1 + 0.2 * math.cos(math.sqrt(40) * 0.2)
    local function error_of(substeps)
      return math.abs(cloths.step(scheme(1, substeps), equation, 0.2)[2][1] - exact)
    end
    assert.near(1, math.log(error_of(200) / error_of(400)) / math.log(2), 0.02)
  end)

  it("hangs at the strain that the modulus gives when iterated to the end", function()
    local options, elongation, length = cloths.strip {}
    local x = cloths.walk(scheme(300, 8), step.cloth(options), 1 / 30, 60)
    assert.near(length + elongation, -x[#x][2], 2e-3 * elongation)
  end)

  it("hangs longer with one iteration of stiff cloth, by the square of the substep", function()
    local options, elongation, length = cloths.strip { warp = 1e7 }
    local equation = step.cloth(options)
    assert.is_true(elongation < 1e-8)
    local excess = {}
    for i, substeps in ipairs { 16, 32, 64 } do
      local x = cloths.walk(scheme(1, substeps), equation, 1 / 60, 180)
      excess[i] = -x[#x][2] - length
    end
    assert.near(4, excess[1] / excess[2], 0.8)
    assert.near(4, excess[2] / excess[3], 0.8)
  end)

  it("counts its substeps and passes", function()
    local _, _, work = cloths.walk(scheme(3, 4), step.cloth(cloths.sheet()), 1 / 60, 5)
    assert.equal(20, work.steps)
    assert.equal(60, work.solver_iterations)
  end)
end)
