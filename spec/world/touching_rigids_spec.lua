-- Rigid bodies that begin touching several things at once, as round coordinates make them: they come aside of all of
-- these, whatever side of it rounding put them on, and rest in whole steps at the distance of contact.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local weft = require "weft"

local OFFSETS = { 0, -1e-12, -1e-9, 1e-6, -1e-6, -1e-5 }
local HULL = { { -0.05, -0.05, -0.05 }, { 0.05, -0.05, -0.05 }, { 0.05, -0.05, 0.05 }, { -0.05, -0.05, 0.05 },
  { -0.05, 0.05, -0.05 }, { 0.05, 0.05, -0.05 }, { 0.05, 0.05, 0.05 }, { -0.05, 0.05, 0.05 }, { 0.01, 0.05, 0.02 } }

--- A body whose upper face is at 0.
local function add_table(world)
  return world:add(shapes.body(shapes.box({ -1, -0.1, -1 }, { 1, 0, 1 }), "table"))
end

--- At {x, y, z} decimetres, each of which is longer by the offset.
local function rigid(world, x, y, z, offset, options)
  local unit = 0.1 + offset
  local shape = { shape = "box", position = { unit * x, unit * y + 0.05 + offset, unit * z } }
  return world:add(weft.rigid(support.with(shape, options or {})))
end

local function sheet(world, y, offset)
  local centre = { 0, (0.1 + offset) * y + offset, 0 }
  return world:add(weft.sheet { cells = { 6, 6 }, size = { 0.22, 0.22 }, centre = centre })
end

local function row(count)
  return function(world, offset)
    local members = {}
    for k = 1, count do
      members[k] = rigid(world, k - 3, 0, 0, offset)
    end
    return members
  end
end

local function tower(options)
  return function(world, offset)
    local members = {}
    for k = 1, 4 do
      members[k] = rigid(world, 0, k - 1, 0, offset, options)
    end
    return members
  end
end

local function pile(options, layers)
  return function(world, offset)
    local members = { rigid(world, 0, 0, 0, offset, options) }
    for k = 1, layers do
      members[#members + 1] = sheet(world, k, offset)
      members[#members + 1] = rigid(world, 0, k, 0, offset, options)
    end
    return members
  end
end

local function pyramid(world, offset)
  local members = {}
  for level = 0, 2 do
    for k = 1, 3 - level do
      members[#members + 1] = rigid(world, k + level / 2, level, 0, offset)
    end
  end
  return members
end

-- What stands on spheres and capsules may roll: they are looked at for fewer steps.
local SCENES = {
  { "a row of four boxes", row(4) }, { "a row of eight boxes", row(8) }, { "a pyramid of boxes", pyramid },
  { "a tower of boxes", tower() }, { "a tower of hulls", tower { shape = "convex", points = HULL } },
  { "a tower of spheres", tower { shape = "sphere", radius = 0.05 }, 6 },
  { "a tower of capsules", tower { shape = "capsule", radius = 0.02, length = 0.06 }, 6 },
  { "a box, cloth and a box", pile({}, 1) }, { "spheres and cloth", pile({ shape = "sphere", radius = 0.05 }, 1), 6 },
  { "three boxes and two sheets", pile({}, 2) },
}

--- Steps; returns the largest number of parts of a step once contact has taken hold.
local function run(world, steps)
  local parts = 0
  for k = 1, steps do
    world:step()
    parts = k > 3 and math.max(parts, world.stats.parts) or parts
  end
  return parts
end

describe("Rigid bodies that begin touching several things", function()
  for _, scene in ipairs(SCENES) do
    for _, ground in ipairs { "body", "floor" } do
      it(("come aside of all of them: %s on a %s"):format(scene[1], ground), function()
        for _, offset in ipairs(OFFSETS) do
          local what = ("offset %g"):format(offset)
          local heard = support.heard_in(function()
            local world = weft.world { floor = ground == "floor" and 0 or nil }
            local below = ground == "body" and { add_table(world) } or {}
            local members, before = scene[2](world, offset), world:energy().total
            local parts = run(world, scene[3] or 12)
            assert.is_true(parts <= 4, ("%s: %d parts"):format(what, parts))
            assert.equal(0, world.stats.backed_off)
            -- The distance to a body and between bodies is a millimetre.
            local lift = 1e-3 * 9.81 * world:momentum().mass * #members
            assert.is_true(world:energy().total - before < lift, what)
            table.move(members, 1, #members, #below + 1, below)
            support.assert_apart(below, what)
            assert.is_true(support.heights(members[1]) > 0, what)
            world:close()
          end)
          assert.equal(nil, heard[1])
        end
      end)
    end
  end

  it("come aside of what they touch where they cross something else", function()
    local heard = support.heard_in(function()
      local world = weft.world {}
      local under = add_table(world)
      local crossing = { rigid(world, 0, 0, 0, 0), rigid(world, 0.5, 0, 0, 0) }
      local beside = rigid(world, 1.5, 0, 0, 0)
      run(world, 30)
      support.assert_apart({ under, crossing[1], beside }, "first")
      support.assert_apart({ under, crossing[2], beside }, "second")
      for _, member in ipairs(crossing) do
        support.close(0.001, (support.heights(member)), 1e-4)
      end
      world:close()
    end)
    assert.equal(1, #heard)
    assert.matches("box starts crossing box", heard[1])
  end)

  it("begin so, and go on, whether or not steps have failed before", function()
    local heard = support.heard_in(function()
      local function scene()
        local world = weft.world { floor = 0 }
        pile({}, 1)(world, 0)
        world:add(weft.collider.box { size = { 0.02, 0.2, 0.02 }, position = { 0.105, 0, 0.105 } })
        return world
      end
      local failed = support.step_despite_failures(scene(), scene(), 2, function() end)
      assert.is_true(failed > 20, failed)
    end)
    assert.equal(nil, heard[1])
  end)

  it("stay where there is no room, and go nowhere else", function()
    support.heard_in(function()
      local world = weft.world { gravity = { 0, 0, 0 } }
      for _, x in ipairs { -0.15, 0.15 } do
        world:add(weft.body { vertices = { { x, -1, -1 }, { x, 1, -1 }, { x, 1, 1 }, { x, -1, 1 } },
          faces = { { 1, 2, 3 }, { 1, 3, 4 } } })
      end
      local boxes = { rigid(world, -1, 0, 0, 0), rigid(world, 0, 0, 0, 0), rigid(world, 1, 0, 0, 0) }
      world:step(3)
      for k, box in ipairs(boxes) do
        support.close(0.1 * (k - 2), box.position[1], 2e-5) -- smaller to contact by 10 micrometres, all of them
      end
      world:close()
    end)
  end)
end)

describe("A rigid body that begins at a floor or in its distance", function()
  local bodies = {
    { "a sphere", { shape = "sphere", radius = 0.05 }, 0.05 },
    { "a lying capsule", { shape = "capsule", radius = 0.05, length = 0.1, orientation = { 0, 0, math.pi / 2 } },
      0.05 },
    { "a box", { shape = "box" }, 0.05 },
  }
  for _, shape in ipairs(bodies) do
    it("is carried to its distance without being thrown: " .. shape[1], function()
      for _, gap in ipairs { 0, 1e-9, 1e-6, 1e-4, -1e-5 } do
        local world = weft.world { floor = 0 }
        local body = world:add(weft.rigid(support.with(shape[2], { position = { 0, shape[3] + gap, 0 } })))
        local highest = 0
        for _ = 1, 60 do
          world:step()
          highest = math.max(highest, body.position[2] - shape[3])
        end
        -- Its weight presses it in by some hundredths.
        local where = ("%s from %g m: %g m"):format(shape[1], gap, body.position[2] - shape[3])
        assert.is_true(body.position[2] - shape[3] > 0.9 * body.thickness, where)
        assert.is_true(highest < 1.1 * body.thickness, where)
        world:close()
      end
    end)
  end

  it("is carried with what lies on it", function()
    local world = weft.world { floor = 0 }
    local members = tower()(world, 0)
    for k = 5, 10 do
      members[k] = rigid(world, 0, k - 1, 0, 0)
    end
    world:step(60)
    assert.is_true(support.heights(members[1]) > 0.8 * members[1].thickness)
    support.close(0.9 + 0.05 + 0.0095, members[10].position[2], 0.002)
    assert.is_true(world.stats.max_speed < 0.05) -- it sways
    world:close()
  end)

  it("parts from the bodies above and below at no more than its distance in a tenth of a second, however high they "
    .. "are stacked", function()
    for _, ground in ipairs { "body", "floor" } do
      for _, offset in ipairs(OFFSETS) do
        local world = weft.world { floor = ground == "floor" and 0 or nil }
        local below = ground == "body" and add_table(world) or nil
        local members = {}
        for k = 1, 20 do
          members[k] = rigid(world, 0, k - 1, 0, offset)
        end
        local most = 1.1 * 1e-3 / 0.1 * world.time_step -- their distance is a millimetre
        local top, gaps = 0, {}
        for step = 0, 3 do
          for k, member in ipairs(members) do
            local gap = member.position[2] - (k > 1 and members[k - 1].position[2] or top)
            local opened = gap - (gaps[k] or gap)
            local where = ("%s, offset %g, step %d: %g m"):format(ground, offset, step, opened)
            assert.is_true(opened > -1e-6 and opened < most, where)
            gaps[k] = gap
          end
          world:step()
          assert.equal(1, world.stats.parts)
          assert.equal(0, world.stats.hits) -- what carries one carries all that lie on it
        end
        support.assert_apart({ below or members[1], (table.unpack or unpack)(members, below and 1 or 2) }, ground)
        world:close()
      end
    end
  end)
end)
