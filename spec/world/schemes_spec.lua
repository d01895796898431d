-- Every scheme that can step a world: the same bits however it is computed, and a scene that changes while it runs.

local cloths = require "spec.step.cloths"
local weft = require "weft"

local function soft_fabric(viscosity)
  return weft.fabric { density = 0.2, stretch = { weft = 20, warp = 30, coupling = 4 }, shear = 10,
    viscosity = viscosity, bend = { weft = 1e-5, warp = 1e-5, viscosity = viscosity } }
end

--- Whether a step of 1/60 s is one that it can take; the others need steps as short as their fastest motion.
local function takes_long_steps(scheme)
  return scheme.implicit and scheme.name ~= "verlet averaged"
end

--- A scheme as `integrator` of a world; one that needs coefficients gets them.
local function options_of(scheme)
  if scheme.name == "runge kutta" then
    return { scheme = scheme.name, tableau = { a = { {}, { 1 } }, b = { 0.5, 0.5 } } } -- Heun's
  end
  return scheme.name
end

describe("A world has the same bits for any number of threads and any instruction set", function()
  --- The hash after a few steps of a sheet that lies on the floor with a corner held up, and of cloth above it.
  local function run(scheme)
    local world = weft.world { integrator = options_of(scheme), floor = 0 }
    local fabric = soft_fabric(1e-4) -- s, so little that explicit schemes can take steps of 10 us
    local sheet = world:add(weft.sheet { cells = { 16, 16 }, size = { 0.2, 0.2 }, centre = { 0, 0.0008, 0 },
      fabric = fabric })
    world:add(weft.sheet { cells = { 9, 7 }, size = { 0.1, 0.1 }, centre = { 0, 0.0025, 0 }, fabric = fabric })
    local fastest = world:spectrum()
    world.time_step = takes_long_steps(scheme) and 1 / 240 or 0.3 / (fastest.frequency + fastest.damping)
    sheet:pin { vertices = { 1 } }
    local moves = {}
    for i = 1, sheet.vertices do
      moves[i] = { 0.02 * math.sin(37 * i), 0.02 * math.cos(91 * i), 0.02 * math.sin(53 * i) }
    end
    sheet:assign { velocities = moves }
    world:step(4)
    assert.is_true(cloths.finite(sheet.positions:table()))
    return world:hash()
  end

  for _, scheme in ipairs(weft.step.schemes()) do
    it("stepped by " .. scheme.name, function()
      local expected = run(scheme)
      weft.threads(2)
      local with_two = run(scheme)
      weft.threads(1)
      assert.equal(expected, with_two)
      local best, sets = weft.instruction_set()
      for _, set in ipairs(sets) do
        weft.instruction_set(set)
        local hash = run(scheme)
        weft.instruction_set(best)
        assert.equal(expected, hash, set)
      end
    end)
  end
end)

describe("A scene that changes while it runs", function()
  local fabric = soft_fabric(0.01) -- s: without viscosity BDF3 and BDF4, which are not A-stable, shake it ever more

  --- Two squares of 5 x 5 vertices side by side, 1 cm apart, to be stitched together.
  local function patches()
    local points, rest, faces, stitches = {}, {}, {}, {}
    for patch = 0, 1 do
      for j = 0, 4 do
        for i = 0, 4 do
          points[#points + 1] = { 0.11 * patch + 0.025 * i, 0.1, 0.025 * j }
          rest[#rest + 1] = { 0.025 * i, -0.025 * j }
          local a = #points
          if i < 4 and j < 4 then
            faces[#faces + 1] = { a, a + 5, a + 1 }
            faces[#faces + 1] = { a + 1, a + 5, a + 6 }
          end
        end
      end
    end
    for j = 0, 4 do
      stitches[#stitches + 1] = { 5 * j + 5, 26 + 5 * j }
    end
    return weft.cloth { vertices = points, rest = rest, faces = faces, stitches = stitches, fabric = fabric }
  end

  --- Whether all of a cloth is within a metre of where it began, but for `fallen` metres.
  local function is_near(cloth, fallen)
    for _, p in ipairs(cloth.positions:table()) do
      if not (math.abs(p[1]) < 1 and math.abs(p[3]) < 1 and p[2] < 1 and p[2] > -1 - fallen) then
        return false
      end
    end
    return true
  end

  local function sheet_at(height)
    return weft.sheet { cells = { 5, 4 }, size = { 0.1, 0.1 }, centre = { 0.1, height, 0.05 }, fabric = fabric }
  end

  for _, scheme in ipairs(weft.step.schemes()) do
    if takes_long_steps(scheme) then
      it("goes on with " .. scheme.name, function()
        local integrator = options_of(scheme)
        local world = weft.world { integrator = integrator, floor = -0.1 }
        local sewn, other = world:add(patches()), sheet_at(0.15)
        sewn:pin { vertices = { 1 } }
        world:step(3)
        world:add(other)
        world:step(3)
        world:sew(sewn)
        assert.equal(0, sewn.stitches)
        assert.equal(45, sewn.vertices)
        world:step(3)
        sewn:unpin()
        world:step(3)
        world:remove(other)
        world:step(3)
        world.integrator = scheme.name == "backward euler" and "bdf2" or "backward euler"
        world:step(3)
        world:add(other)
        world.integrator = integrator
        world.time_step = 1 / 90
        other:pin { vertices = { 2 } }
        world:step(4)
        assert.is_true(is_near(sewn, 0.1) and is_near(other, 0.1))
        assert.equal(0, weft.inspect.intersections(sewn, other).count)
      end)
    end
  end
end)
