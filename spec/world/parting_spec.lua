-- Cloth that begins nearer to what it lies on than contact keeps it is parted from it gently, however short the steps:
-- it rises at 0.05 m/s, and no energy comes to it but that of this speed and of its rise.
-- Layers that press on each other come to rest so, and do not draw on the bodies that pressed them.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local surfaces = require "spec.world.surfaces"
local weft = require "weft"

local PARTING_SPEED, GRAVITY = 0.05, 9.81

local function box(lower, upper)
  return shapes.body(shapes.box(lower, upper))
end

describe("A sheet that begins too near to", function()
  for _, response in ipairs { "geometric", "constraints" } do
    for _, surface in ipairs(surfaces) do
      local name, add, rest = surface[1], surface[2], surface[3]
      it(("%s rises from it gently with %s"):format(name, response), function()
        for _, time_step in ipairs { 1 / 60, 1e-3 } do
          for _, gap in ipairs { 1e-4, 1e-6, 0 } do
            local case = ("step %g, gap %g: "):format(time_step, gap)
            local world = weft.world { contact = response, time_step = time_step }
            add(world)
            local sheet = world:add(weft.sheet { cells = { 5, 5 }, size = { 0.25, 0.25 }, centre = { 0, gap, 0 } })
            local before, most, top = world:energy().total, 0, 0
            for _ = 1, math.ceil(0.1 / time_step) do
              world:step()
              local _, highest = support.heights(sheet)
              most, top = math.max(most, world:energy().total - before), math.max(top, highest)
            end
            local fair = world:momentum().mass * (PARTING_SPEED ^ 2 / 2 + GRAVITY * (rest - gap))
            assert.is_true(most < 1.1 * fair, case .. ("%g J, not %g J"):format(most, fair))
            local height = rest + PARTING_SPEED ^ 2 / 2 / GRAVITY
            assert.is_true(top < height + 2e-5, case .. ("up to %g m, not %g m"):format(top, height))
            local _, _, mean = support.heights(sheet)
            assert.is_true(math.abs(mean - rest) < 0.05 * rest, case .. mean)
            assert.is_true(world.stats.max_speed < 0.02, case .. world.stats.max_speed)
          end
        end
      end)
    end
  end
end)

describe("Layers that geometric correction parts", function()
  it("come to rest when what pressed them goes, which takes no work from it", function()
    local world = weft.world { contact = "geometric" }
    world:add(box({ -0.2, -0.1, -0.2 }, { 0.2, 0, 0.2 }))
    for layer = 1, 2 do
      world:add(weft.sheet { cells = { 4, 4 }, size = { 0.07, 0.07 }, centre = { 0, 0.002 * layer, 0 } })
    end
    local plate = world:add(box({ -0.1, 0.007, -0.1 }, { 0.1, 0.1, 0.1 }))
    local work = 0
    for step = 1, 18 do
      plate:move { shift = { 0, step <= 12 and -0.0006 or step > 14 and 0.003 or 0, 0 } }
      world:step()
      work = work + math.abs(world.stats.body_work)
    end
    assert.is_true(work < 0.02, work) -- J; as if glued to the plate: 0.3
    assert.is_true(world.stats.max_speed < 0.02, world.stats.max_speed)
  end)

  it("come to rest where one that hangs bears the other", function()
    local world = weft.world { contact = "geometric" }
    world:add(weft.sheet { cells = { 7, 7 }, size = { 0.3, 0.3 } }):pin { vertices = { 1, 8, 57, 64 } }
    world:add(weft.sheet { cells = { 9, 9 }, size = { 0.37, 0.37 }, centre = { 0, 1e-5, 0 } })
    for _ = 1, 30 do
      world:step()
      assert.is_true(world.stats.parts <= 16, world.stats.parts)
    end
    assert.is_true(world.stats.max_speed < 0.03, world.stats.max_speed)
  end)
end)
