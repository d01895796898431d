-- What contact does to momentum and energy: of an isolated pair, and of whole steps in which sheets collide.

local vectors = require "spec.vectors"
local weft = require "weft"
local colliding_sheets = require "spec.world.colliding_sheets"
local shapes = require "spec.contact.shapes"

local cross = vectors.cross

describe("The contact phase", function()
  --- A corner of one triangle that comes through another, both moving at random. The one pair that can meet is the
  --- vertex and the face: the rest of the first triangle stays far behind.
  local function fly(random)
    local from = { { 0.2 * random(), 0.05, 0.2 * random() }, { 1, 0.1 * random(), -1 }, { -1, 0.1 * random(), -1 },
                   { 0, 0.1 * random(), 2 }, { 40, 90, 0 }, { 41, 90, 0 } }
    local to = {}
    for i, p in ipairs(from) do
      local size = i <= 4 and 0.03 or 0
      to[i] = { p[1] + size * random(), p[2] + size * random() - (i == 1 and 0.3 or 0), p[3] + size * random() }
    end
    return from, to
  end

  it("conserves linear and angular momentum of an isolated pair to 1e-12, with friction too", function()
    local random, met = shapes.random(11), 0
    for trial = 1, 100 do
      local rough = trial % 2
      local from, to = fly(random)
      local inverse = {}
      for i = 1, 6 do
        inverse[i] = 10 ^ random()
      end
      local scene = weft.contact { vertices = 6, cloth = { { 2, 3, 4 }, { 1, 5, 6 } }, half_thickness = 0.005,
                                   friction = rough * (0.5 + 0.5 * random()) }
      scene:update { from = from, to = to, skin = 0.5 }
      local x, stats = scene:resolve { from = from, to = to, inverse_mass = inverse, rounds = 1, zone_rounds = 0 }
      local first, last = {}, {}
      for i = 1, 4 do
        first[i], last[i] = from[i], to[i]
      end
      local time = weft.contact.vertex_face_impact { from = first, to = last, separation = 0.001 }
      if stats.impulses == 1 and stats.backed_off_vertices == 0 and time then
        met = met + 1
        local linear, angular, size = { 0, 0, 0 }, { 0, 0, 0 }, 0
        for i = 1, 4 do
          local change, place = {}, {}
          local p = { x:get(i) }
          for k = 1, 3 do
            change[k] = (p[k] - to[i][k]) / inverse[i]
            place[k] = from[i][k] + time * (to[i][k] - from[i][k]) -- where they meet
          end
          local moment = cross(place, change)
          for k = 1, 3 do
            linear[k], angular[k] = linear[k] + change[k], angular[k] + moment[k]
            size = size + math.abs(change[k])
          end
        end
        for k = 1, 3 do
          assert.is_true(math.abs(linear[k]) < 1e-12 * size, ("linear %g of %g"):format(linear[k], size))
          assert.is_true(math.abs(angular[k]) < 1e-12 * size, ("angular %g of %g"):format(angular[k], size))
        end
      end
    end
    assert.is_true(met > 60, met)
  end)
end)

describe("A step with contact", function()
  for _, response in ipairs { "impulses", "penalty", "geometric", "constraints" } do
    it(response .. ": conserves linear momentum and adds no energy", function()
      local world = colliding_sheets({ contact = response, time_step = 0.005, tolerance = 1e-10 }, 0.002,
        { 0.04, 0.08 })
      local before, most, met, lost = world:momentum(), world:energy().total, false, 0
      local first, scale = most, 0
      for k = 1, 3 do
        scale = scale + math.abs(before.linear[k])
      end
      for step = 1, 40 do
        world:step()
        local stats, now, energy = world.stats, world:momentum(), world:energy().total
        met = met or stats.contacts > 0 or stats.hits > 0
        lost = lost + stats.backed_off
        for k = 1, 3 do
          local change = now.linear[k] - before.linear[k]
          assert.is_true(math.abs(change) < 1e-8 * scale, ("step %d: %g of %g"):format(step, change, scale))
        end
        assert.is_true(energy <= most * (1 + 1e-9), ("step %d: %g J after %g J"):format(step, energy, most))
        most = energy
      end
      assert.equal(0, lost)
      assert.is_true(met and most < 0.9 * first)
    end)
  end
end)

describe("A step of two triangles that rub on each other", function()
  local function triangle(world, points, velocity)
    local rest = {}
    for i, p in ipairs(points) do
      rest[i] = { p[1], p[3] }
    end
    local cloth = world:add(weft.cloth { vertices = points, rest = rest, faces = { { 1, 2, 3 } },
                                         fabric = weft.fabric { friction = 0.5 } })
    cloth:assign { velocities = { velocity, velocity, velocity } }
  end

  for _, response in ipairs { "impulses", "penalty", "geometric", "constraints" } do
    it(response .. ": conserves their angular momentum", function()
      local world = weft.world { contact = response, gravity = { 0, 0, 0 }, time_step = 0.005, tolerance = 1e-12 }
      triangle(world, { { -0.1, 0, -0.08 }, { 0.1, 0, -0.1 }, { 0, 0, 0.1 } }, { 0, 0, 0 })
      triangle(world, { { -0.01, 0.0008, -0.012 }, { 0.01, 0.0008, -0.01 }, { 0, 0.0008, 0.01 } }, { 0.2, -0.1, 0.07 })
      local before, energy = world:momentum(), world:energy().kinetic
      world:step()
      assert.is_true(world.stats.contacts == 3 and world.stats.hits == 0)
      assert.is_true(world:energy().kinetic < 0.5 * energy)
      local after, size = world:momentum(), 0
      for k = 1, 3 do
        size = size + math.abs(before.angular[k])
      end
      for k = 1, 3 do -- solver tolerance; friction as a couple over the contact distance makes it 0.1 to 0.4
        local change = after.angular[k] - before.angular[k]
        assert.is_true(math.abs(change) < 1e-7 * size, ("%g of %g"):format(change, size))
      end
    end)
  end
end)
