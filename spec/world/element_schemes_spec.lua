-- Worlds stepped by the schemes that work element by element: contact, friction and pins, as with the default step.

local weft = require "weft"

local schemes = { "xpbd", "projective dynamics", "vertex block descent" }

--- A sheet that lies on a floor of friction 0.5, pulled along it by `pull` (m/s^2): how far its centre went in `steps`
--- sixtieths of a second, its lowest and highest point, and the world.
local function lie(scheme, pull, steps)
  local world = weft.world { gravity = { pull, -9.81, 0 }, floor = 0, floor_friction = 0.5, integrator = scheme }
  local sheet = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.3, 0.3 }, centre = { 0, 0.0006, 0 } })
  world:step(steps)
  local mean, lowest, highest = 0, math.huge, -math.huge
  for i = 1, sheet.vertices do
    local x, y = sheet.positions:get(i)
    mean, lowest, highest = mean + x / sheet.vertices, math.min(lowest, y), math.max(highest, y)
  end
  return mean, lowest, highest, world
end

--- A square of cloth laid over a small block, after two seconds: its mean and lowest height.
local function drape(scheme)
  local a, top = 0.06, -0.002
  local block = weft.body {
    vertices = { { -a, top - 0.1, -a }, { a, top - 0.1, -a }, { a, top - 0.1, a }, { -a, top - 0.1, a },
      { -a, top, -a }, { a, top, -a }, { a, top, a }, { -a, top, a } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 5, 7, 6 }, { 5, 8, 7 }, { 1, 6, 2 }, { 1, 5, 6 }, { 2, 7, 3 }, { 2, 6, 7 },
      { 3, 8, 4 }, { 3, 7, 8 }, { 4, 5, 1 }, { 4, 8, 5 } },
  }
  local world = weft.world { integrator = scheme }
  world:add(block)
  local sheet = world:add(weft.sheet { cells = { 16, 16 }, size = { 0.24, 0.24 }, fabric = weft.fabric.wool })
  world:step(120)
  local mean, lowest = 0, math.huge
  for i = 1, sheet.vertices do
    local _, y = sheet.positions:get(i)
    mean, lowest = mean + y / sheet.vertices, math.min(lowest, y)
  end
  return mean, lowest
end

describe("A world", function()
  for _, scheme in ipairs(schemes) do
    it("stepped by " .. scheme .. " lets cloth come to rest on its floor, half a thickness above it", function()
      local _, lowest, highest, world = lie(scheme, 0, 60)
      assert.near(0.0005, lowest, 3e-6)
      assert.near(0.0005, highest, 3e-6)
      assert.is_true(world.stats.max_speed < 1e-4, world.stats.max_speed)
    end)

    it("stepped by " .. scheme .. " holds cloth by friction", function()
      local far = lie(scheme, 3, 40)
      -- without friction 0.67 m
      assert.is_true(far < 0.03, far)
    end)

  end

  it("drapes cloth over a body alike, whether projective dynamics or XPBD steps it", function()
    -- one linear solve a step ends in other folds
    local expected_mean, expected_lowest = drape { scheme = "projective dynamics", iterations = 60 }
    for _, scheme in ipairs { { scheme = "projective dynamics" }, { scheme = "xpbd", substeps = 60 } } do
      local mean, lowest = drape(scheme)
      assert.near(expected_mean, mean, 0.15 * math.abs(expected_mean))
      assert.near(expected_lowest, lowest, 0.15 * math.abs(expected_lowest))
    end
  end)

  it("lets cloth slide as Coulomb's law has it, in small steps most exactly", function()
    local expected = 0.5 * (8 - 0.5 * 9.81) * (40 / 60) ^ 2
    assert.near(expected, lie("xpbd", 8, 40), 0.02 * expected)
    assert.near(expected, lie("projective dynamics", 8, 40), 0.1 * expected)
  end)

  it("refuses them for a membrane whose forces are no gradient", function()
    for _, scheme in ipairs(schemes) do
      local world = weft.world { integrator = scheme }
      world:add(weft.sheet { cells = { 2, 2 }, membrane = "corotational as published" })
      local ok, message = pcall(world.step, world)
      assert.is_false(ok)
      assert.truthy(message:find("membrane", 1, true), message)
    end
  end)
end)
