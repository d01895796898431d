-- Rigid bodies on each other that do not stand: they tip over and fall as mechanics says, from whatever gap they begin
-- with, and nothing but contact holds what comes to rest.

local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local GRAVITY = 9.81
local contacts = { "impulses", "penalty" }

local function box(world, options)
  return world:add(weft.rigid(support.with({ shape = "box" }, options)))
end

--- s until a box that tips over an edge, `beyond` beside its centre and `below` under it, has turned by `angle`.
local function tipping_time(size, beyond, below, angle)
  local inertia = size ^ 2 / 6 + beyond ^ 2 + below ^ 2 -- of a unit mass, about the edge
  local turned, spin, time, step = 0, 0, 0, 1e-5
  while turned < angle do
    spin = spin + step * GRAVITY * (beyond * math.cos(turned) + below * math.sin(turned)) / inertia
    turned, time = turned + step * spin, time + step
  end
  return time
end

--- Steps; returns how far the energy rose above what it was, with that of contact's springs, J.
local function run(world, members, steps, what)
  local least, gain = world:energy().total, 0
  for k = 1, steps do
    world:step()
    local energy = world:energy().total
    gain = math.max(gain, energy - least)
    least = math.min(least, energy + world.stats.contact_energy)
    if k % 10 == 0 then
      support.assert_apart(members, ("%s, step %d"):format(what, k))
    end
  end
  return gain
end

describe("A box whose centre is beyond the edge of the box below", function()
  it("tips over as one that turns about that edge", function()
    for _, contact in ipairs(contacts) do
      for _, gap in ipairs { 0, 1e-9, 1e-6, 0.00098 } do
        for _, shift in ipairs { 0.065, 0.08, 0.099 } do
          local world = weft.world { floor = 0, contact = contact, time_step = 1 / 480 }
          box(world, { position = { 0, 0.05, 0 }, friction = 2 })
          local upper = box(world, { position = { shift, 0.15 + gap, 0 }, friction = 2 })
          local angle, turned, before, steps = 0.4, 0, 0, 0
          while turned < angle and steps < 200 do
            world:step()
            before, turned, steps = turned, -upper.orientation[3], steps + 1
          end
          local time = (steps - (turned - angle) / (turned - before)) * world.time_step
          support.near(tipping_time(0.1, shift - 0.05, 0.05, angle), time, 0.06)
          world:close()
        end
      end
    end
  end)
end)

describe("Towers", function()
  it("of boxes at round coordinates, each beside the one below, fall down", function()
    for _, contact in ipairs(contacts) do
      local world, boxes = weft.world { floor = 0, contact = contact }, {}
      for k = 1, 5 do
        boxes[k] = box(world, { position = { 0.02 * k, 0.1 * k - 0.05, 0 } })
      end
      local gain = run(world, boxes, 150, contact)
      assert.is_true(gain < 5 * 10 * boxes[1].mass * GRAVITY * boxes[1].thickness, ("%g J"):format(gain))
      assert.equal(0, world.stats.backed_off)
      assert.is_true(boxes[5].position[2] < 0.3)
      world:close()
    end
  end)

  it("of any boxes with any gaps come to rest on what is below them", function()
    for seed = 1, 6 do
      local random = shapes.random(7919 * seed)
      local world, boxes, top, weight = weft.world { floor = 0, contact = contacts[seed % 2 + 1] }, {}, 0, 0
      for k = 1, 6 do
        local size = { 0.09 + 0.03 * random(), 0.08 + 0.02 * random(), 0.09 + 0.03 * random() }
        local gap = seed % 3 == 0 and 0 or 10 ^ (-5.5 + 3.5 * random())
        boxes[k] = box(world, { size = size, position = { 0.04 * random(), top + gap + size[2] / 2, 0.04 * random() },
                                orientation = { 0, seed % 2 * random(), 0 } })
        top, weight = top + gap + size[2], weight + GRAVITY * boxes[k].mass
      end
      -- Each contact may raise what lies above it by two thicknesses.
      local gain = run(world, boxes, 150, "seed " .. seed)
      assert.is_true(gain < 6 * 2 * boxes[1].thickness * weight, ("seed %d: %g J"):format(seed, gain))
      assert.equal(0, world.stats.backed_off) -- nothing else holds them
      world:close()
    end
  end)
end)

describe("A rigid body in the floor", function()
  local cases = {
    { "1 m below it", { position = { 0, -1, 0 } }, 1.05 },
    { "partly in it", { position = { 0, 0.02, 0 } }, 0.03 },
    { "a sphere", { shape = "sphere", radius = 0.05, position = { 0, -0.2, 0 } }, 0.25 },
  }
  for _, case in ipairs(cases) do
    it("is lifted out, with no more energy than that of the lift: " .. case[1], function()
      for _, contact in ipairs(contacts) do
        local heard = support.heard_in(function()
          local world = weft.world { floor = 0, contact = contact }
          local body = box(world, support.with({ mass = 0.5 }, case[2]))
          local highest, start = -math.huge, world:energy().total
          for _ = 1, 160 do
            world:step()
            highest = math.max(highest, body.position[2])
            assert.is_true(math.abs(body.velocity[2]) < 0.501)
          end
          support.close(0.05, body.position[2], 2 * body.thickness)
          support.close(body.position[2], highest, 1e-5)
          support.close(0.5 * GRAVITY * (body.position[2] - case[2].position[2]), world:energy().total - start, 1e-6)
          world:close()
        end)
        assert.equal(1, #heard)
        assert.matches("is " .. case[3] .. " m deep in the floor; it is lifted out at up to 0.5 m/s", heard[1])
      end
    end)
  end

  it("takes along what lies above it, and goes through nothing", function()
    local heard = support.heard_in(function()
      local world = weft.world { floor = 0 }
      local body = box(world, { position = { 0, -0.15, 0 }, mass = 0.5 })
      local load = box(world, { position = { 0.01, 0.05, 0.01 }, mass = 2, size = { 0.1, 0.1, 0.1 } })
      local sheet = world:add(weft.sheet { cells = { 10, 10 }, size = { 0.3, 0.3 }, centre = { 0, 0.102, 0 } })
      run(world, { body, load, sheet }, 120, "load")
      assert.is_true(body.position[2] > 0.05 and load.position[2] > 0.15)
      world.floor = 0.2 -- 0.1 m within the load
      run(world, { body, load, sheet }, 120, "raised")
      assert.is_true(body.position[2] > 0.25 and load.position[2] > 0.35)
      world:close()
    end)
    assert.equal(3, #heard) -- the load, too, when the floor comes up
  end)
end)
