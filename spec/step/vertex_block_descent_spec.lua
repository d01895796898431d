-- Vertex block descent: a potential that falls with every sweep, at any stiffness, to the backward Euler step.

local cloths = require "spec.step.cloths"
local weft = require "weft"
local step = weft.step

local function scheme(iterations, form)
  return { scheme = "vertex block descent", iterations = iterations, form = form }
end

cloths.promises({ describe = describe, it = it }, "Vertex block descent", scheme, 5000, {})

--- The incremental potential of a step of length h from options.x at rest to x.
local function potential(options, mass, models, h, x)
  local sum = 0
  for _, model in ipairs(models) do
    sum = sum + model:energy { x = x }
  end
  for i = 1, #x do
    local dx, dz = x[i][1] - options.x[i][1], x[i][3] - options.x[i][3]
    local dy = x[i][2] - (options.x[i][2] - h * h * 9.81)
    sum = sum + mass[i] / (2 * h * h) * (dx * dx + dy * dy + dz * dz)
  end
  return sum
end

describe("Vertex block descent", function()
  it("lowers the potential with every sweep, also of very stiff and of crushed cloth", function()
    local stiff = cloths.fabric { stretch = { weft = 5e6, warp = 7e6, coupling = 1e6 }, shear = 4e6 }
    for _, case in ipairs { { shake = 0.002 }, { shake = 0.08 }, { shake = 0.08, fabric = stiff } } do
      local options, h = cloths.sheet { shake = case.shake, fabric = case.fabric }, 1 / 60
      local mass, equation = cloths.masses(options), step.cloth(options)
      local sheet = { faces = options.faces, rest = options.rest, fabric = options.fabric }
      local models = { weft.model.membrane(sheet), weft.model.bending(sheet) }
      for _, form in ipairs { "plain", "chebyshev" } do
        local last = math.huge
        for sweeps = 1, 25 do
          local now = potential(options, mass, models, h, (cloths.step(scheme(sweeps, form), equation, h)))
          assert.is_true(now <= last * (1 + 1e-12), ("%s: %g after %g"):format(form, now, last))
          last = now
        end
      end
    end
  end)

  it("needs one sweep for one vertex", function()
    local equation = step.cloth { x = { { 0, 0, 0 }, { 0.8, 0, 0 } }, springs = { { 1, 2 } }, stiffness = { 300 },
      rest_lengths = { 0.5 }, mass = { 1, 0.2 }, pins = { 1 }, gravity = { 0, 0, 0 } }
    local x = cloths.step(scheme(1), equation, 0.05)
    assert.near((0.2 / 0.0025 * 0.8 + 300 * 0.5) / (0.2 / 0.0025 + 300), x[2][1], 1e-14)
  end)

  it("comes nearer with Chebyshev's weights in as many sweeps", function()
    local equation = step.cloth(cloths.sheet { columns = 12, rows = 12, pins = { 1, 13 }, shake = 0 })
    local expected = cloths.reference(equation, 1 / 60)
    local plain = cloths.distance(expected, (cloths.step(scheme(60), equation, 1 / 60)))
    local accelerated = cloths.distance(expected, (cloths.step(scheme(60, "chebyshev"), equation, 1 / 60)))
    assert.is_true(accelerated < 0.85 * plain, ("%g, plain %g"):format(accelerated, plain))
  end)

  it("hangs at the strain that the modulus gives", function()
    local options, elongation, length = cloths.strip { rows = 10 }
    local x = cloths.walk(scheme(200), step.cloth(options), 1 / 30, 60)
    assert.near(length + elongation, -x[#x][2], 2e-3 * elongation)
  end)

  it("knows its forms", function()
    local ok, message = pcall(step.integrator, scheme(1, "jacobi"))
    assert.is_false(ok)
    assert.truthy(message:find("chebyshev", 1, true), message)
  end)
end)
