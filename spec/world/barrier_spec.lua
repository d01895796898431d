-- Contact "barrier": the step's own equation contains contact and friction, and no iterate of it touches.

local weft = require "weft"
local support = require "spec.support"
local shapes = require "spec.contact.shapes"

local function world_of(options)
  options.contact = "barrier"
  return weft.world(options)
end

local function ball(radius, rows, centre)
  local scene = shapes.scene()
  shapes.add_sphere(scene, rows or 12, centre or { 0, 0, 0 }, radius)
  return weft.body { vertices = scene.points, faces = scene.body }
end

--- A plane of two triangles with a back below, or above where it is a lid at a height.
local function plate(friction, lid)
  local y, back = lid or 0, lid and 1 or -1
  return weft.body { friction = friction, thickness = 0.0005,
    vertices = { { -2, y, -2 }, { 2, y, -2 }, { 2, y, 2 }, { -2, y, 2 }, { 0, back, 0 } },
    faces = { { 1, 3, 2 }, { 1, 4, 3 }, { 1, 2, 5 }, { 2, 3, 5 }, { 3, 4, 5 }, { 4, 1, 5 } } }
end

local function sheet(cells, size, centre, fabric)
  return weft.sheet { cells = { cells, cells }, size = { size, size }, centre = centre, fabric = fabric }
end

local function set_velocity(cloth, ...)
  local all = {}
  for i = 1, cloth.vertices do
    all[i] = { ... }
  end
  cloth:assign { velocities = all }
end

--- Steps, and sees that nothing intersects in any frame and that the door finds nothing to do.
local function steps_free(world, count, members)
  for _ = 1, count do
    world:step()
    assert.equal(0, world.stats.backed_off)
    for i, member in ipairs(members) do
      if i == 1 or member.positions then
        assert.equal(0, weft.inspect.intersections(member).count)
      end
      for j = 1, i - 1 do
        assert.equal(0, weft.inspect.intersections(members[j], member).count)
      end
    end
  end
end

describe("Contact by barriers", function()
  it("lets a sheet fall on a ball without touching in any frame", function()
    for _, integrator in ipairs { "backward euler", "bdf2" } do
      local world = world_of { integrator = integrator }
      local body = world:add(ball(0.06))
      local cloth = world:add(sheet(12, 0.24, { 0.003, 0.064, 0.002 }))
      steps_free(world, 40, { cloth, body })
      assert.is_true(world.stats.contacts > 0)
      assert.is_true(world:momentum().centre[2] < 0.05)
    end
  end)

  it("stops a sheet that falls at 100 m/s with steps of 1/30 s", function()
    local world = world_of { time_step = 1 / 30 }
    local body = world:add(ball(0.06))
    local cloth = world:add(sheet(10, 0.2, { 0.003, 1, 0.002 }))
    set_velocity(cloth, 0, -100, 0)
    steps_free(world, 4, { cloth, body })
    local highest = -math.huge
    for i = 1, cloth.vertices do
      highest = math.max(highest, (select(2, cloth.positions:get(i))))
    end
    assert.is_true(highest > 0.06) -- something of it lies on the ball
  end)

  it("keeps sheets that are pressed together apart by a quarter of their contact distance", function()
    local world = world_of { gravity = { 0, 0, 0 } }
    local cloths = {}
    for k = 1, 3 do
      cloths[k] = world:add(sheet(6, 0.1, { 0.003 * k, 0.004 * k, 0 }))
    end
    local low, high, all = cloths[1], cloths[3], {}
    for i = 1, low.vertices do
      all[i] = i
    end
    low:pin { vertices = all }
    for step = 1, 12 do
      local targets = {}
      for i = 1, high.vertices do
        local x, _, z = high.positions:get(i)
        targets[i] = { x, 0.004 + math.max(0.008 - 0.0006 * step, 0.0012), z }
      end
      high:pin { vertices = all, targets = targets }
      world:step()
      for a = 1, 3 do
        for b = a + 1, 3 do
          assert.equal(0, weft.inspect.intersections(cloths[a], cloths[b]).count)
        end
      end
    end
    local top, middle = select(2, high.positions:get(25)), select(2, cloths[2].positions:get(25))
    assert.near(0.0052, top, 1e-12) -- the pins arrived, 1.2 mm above the lowest sheet: two contact distances are 2 mm
    assert.is_true(middle > 0.004 + 0.00025 and middle < top - 0.00025)
  end)

  it("gives two sheets that meet no momentum", function()
    local world = world_of { gravity = { 0, 0, 0 }, barrier_tolerance = 1e-4, tolerance = 1e-10 }
    local a, b = world:add(sheet(5, 0.1, { 0, 0, 0 })), world:add(sheet(5, 0.1, { 0.013, 0.006, 0.004 }))
    set_velocity(b, 0.1, -1, 0)
    local before = world:momentum()
    local met = 0
    for _ = 1, 15 do
      world:step()
      met = met + world.stats.contacts
    end
    assert.is_true(met > 0)
    local after = world:momentum()
    for k = 1, 3 do
      assert.near(before.linear[k], after.linear[k], 1e-6 * math.abs(before.linear[2]))
    end
    assert.is_true(a:momentum().linear[2] < 0.3 * before.linear[2])
  end)

  it("does not add energy", function()
    local world = world_of { gravity = { 0, 0, 0 }, barrier_tolerance = 1e-3 }
    world:add(ball(0.05))
    local cloth = world:add(sheet(10, 0.16, { 0, 0.055, 0 }))
    set_velocity(cloth, 0, -1, 0)
    local last = world:energy().total
    local first = last
    for _ = 1, 30 do
      world:step()
      local now = world:energy().total
      assert.is_true(now <= last + 1e-3 * first)
      last = now
    end
  end)

  it("takes the same work to press cloth whatever the step, and gives back no more", function()
    -- Two sheets between plates, which are pressed to a fifth of their distance, and then one of these goes away.
    local function pressed(time_step)
      local world = world_of { gravity = { 0, 0, 0 }, time_step = time_step }
      world:add(plate(0.3))
      for k = 1, 2 do
        world:add(sheet(4, 0.1, { 0.001 * k, 0.0015 * k, 0.0007 * k }))
      end
      local high = world:add(plate(0.3, 0.0045))
      local start, work, largest = world:energy().total, 0, 0
      local function step(way)
        high:move { shift = { 0, way, 0 } }
        world:step()
        work = work + world.stats.body_work
        largest = math.max(largest, work)
        local gained = world:energy().total - start + world.stats.contact_energy - work
        assert.is_true(gained <= 1e-6 * largest + 1e-15, ("%g J of %g J, h = %g s"):format(gained, largest, time_step))
      end
      for _ = 1, 20 do
        step(-0.0041 / 20)
      end
      local taken = work
      step(1)
      step(0)
      world:close()
      return taken
    end
    local expected = pressed(1 / 60)
    assert.is_true(expected > 0.05)
    support.near(expected, pressed(1e-3), 0.05)
    support.near(expected, pressed(2e-4), 0.1)
  end)

  describe("on an incline", function()
    -- Plate and cloth have friction 0.5: by Coulomb's law cloth sticks where the slope is below. It comes to rest on
    -- the level plate, which is then tilted.
    local function tilted(slope)
      local c = 1 / math.sqrt(1 + slope * slope)
      local world = world_of { gravity = { 0, -9.81 * c, 0 }, barrier_tolerance = 1e-4 }
      world:add(plate(0.5))
      world:add(sheet(3, 0.05, { 0, 0.0011, 0 }, weft.fabric { base = "wool", friction = 0.5 }))
      world:step(30, 20)
      world:step(30)
      world.gravity = { 9.81 * slope * c, -9.81 * c, 0 }
      return world, 9.81 * c
    end

    local function speed(world)
      local m = world:momentum()
      return m.linear[1] / m.mass
    end

    it("cloth sticks below the angle of friction", function()
      local world = tilted(0.495)
      local start = world:momentum().centre[1]
      world:step(60)
      assert.is_true(math.abs(world:momentum().centre[1] - start) < 1.1e-5) -- a second of friction_speed
    end)

    it("and slides above it with the acceleration that is left", function()
      for _, slope in ipairs { 0.505, 0.55, 0.8 } do
        local world, g = tilted(slope)
        world:step(40)
        local before = speed(world)
        world:step(10)
        local expected = g * (slope - 0.5)
        assert.near(expected, (speed(world) - before) / (10 / 60), 0.01 * expected + 5e-4 * g)
      end
    end)

    it("and holds with the static coefficient until it slides", function()
      local function pulled(slope, start)
        local world = world_of { floor = 0, barrier_tolerance = 1e-4, gravity = { 0, -9.81, 0 },
          friction = { { between = { "wool", "floor" }, dynamic = 0.4, static = 0.6 } } }
        local cloth = world:add(sheet(3, 0.05, { 0, 0.0006, 0 }, weft.fabric.wool))
        world:step(30, 20)
        world:step(20)
        set_velocity(cloth, start, 0, 0)
        world.gravity = { 9.81 * slope, -9.81, 0 }
        world:step(20)
        local m = world:momentum()
        return m.linear[1] / m.mass
      end
      assert.is_true(pulled(0.58, 0) < 1.1e-5)
      local v = pulled(0.58, 0.1)
      support.near(0.1 + 9.81 * (0.58 - 0.4) * 20 / 60, v, 0.01 * v)
      assert.is_true(pulled(0.62, 0) > 0.3)
    end)

    it("and comes to a halt after v^2 / 2 a", function()
      local world, g = tilted(0)
      world.gravity = { 9.81 * 0.9, -9.81, 0 }
      world:step(20)
      local v = speed(world)
      local start = world:momentum().centre[1]
      world.gravity = { 0, -g, 0 }
      world:step(60)
      -- Backward Euler takes the speed at the end of each step: half a step less of the first speed.
      support.near(v * v / (g * 0.5 * 2) - v / 120, world:momentum().centre[1] - start, 0.02 * v * v / g)
      assert.is_true(math.abs(speed(world)) < 1.1e-5)
    end)
  end)

  it("begins with cloth at or below its contact distance and frees it without a jump", function()
    for _, distance in ipairs { 1, 0.5, 0.1, 0.01 } do
      local world = world_of { gravity = { 0, 0, 0 } }
      local low = world:add(sheet(4, 0.1, { 0, 0, 0 }))
      local high = world:add(sheet(4, 0.1, { 0.004, 0.001 * distance, 0.003 }))
      steps_free(world, 20, { low, high })
      assert.is_true(world.stats.max_speed < 0.5)
    end
  end)

  describe("parts no faster than 0.5 m/s", function()
    -- m/s: the fastest that a sheet moves from what it is near to
    local function fastest(world, count, above, below)
      local most = 0
      for _ = 1, count do
        world:step()
        local up, down = above:momentum(), below and below:momentum()
        most = math.max(most, up.linear[2] / up.mass - (down and down.linear[2] / down.mass or 0))
      end
      world:close()
      return most
    end

    it("sheets that begin near to each other", function()
      -- What the first step of bdf2, which is one of backward Euler, gives grows by up to a half in the next.
      for integrator, bound in pairs { ["backward euler"] = 0.5, bdf2 = 0.6 } do
        for _, time_step in ipairs { 1 / 60, 1e-3, 2e-4 } do
          for _, gap in ipairs { 1e-6, 1e-4, 5e-4 } do
            local world = world_of { gravity = { 0, 0, 0 }, time_step = time_step, integrator = integrator }
            local low = world:add(sheet(4, 0.1, { 0, 0, 0 }))
            local high = world:add(sheet(4, 0.1, { 0.004, gap, 0.003 }))
            local speed = fastest(world, 20, high, low)
            assert.is_true(speed < bound, ("%s, %g s, %g m: %g m/s"):format(integrator, time_step, gap, speed))
          end
        end
      end
    end)

    it("and cloth when a load goes", function()
      for _, time_step in ipairs { 1 / 60, 1e-3, 2e-4 } do
        local world = world_of { gravity = { 0, 0, 0 }, time_step = time_step }
        world:add(plate(0.3))
        local cloth = world:add(sheet(4, 0.1, { 0, 0.001, 0 }))
        local lid = world:add(plate(0.3, 0.002))
        for _ = 1, 20 do
          lid:move { shift = { 0, -0.00008, 0 } } -- to 0.4 mm
          world:step()
        end
        lid:move { shift = { 0, 1, 0 } }
        local speed = fastest(world, 20, cloth)
        assert.is_true(speed < 0.5, ("%g s: %g m/s"):format(time_step, speed))
      end
    end)

    it("and does not hold what leaves", function()
      -- Cloth at rest on a plate that is drawn away falls freely, and so does what is thrown from it.
      for _, case in ipairs { { "plate", 0, -20 }, { "cloth", 2, 0 } } do
        local world = world_of { time_step = 1e-3 }
        local body = world:add(plate(0.3))
        local cloth = world:add(sheet(4, 0.1, { 0, 0.0007, 0 }))
        world:step(300)
        set_velocity(cloth, 0, case[2], 0)
        for _ = 1, 20 do
          body:move { shift = { 0, case[3] * 1e-3, 0 } }
          world:step()
        end
        local m = world:momentum()
        support.near(case[2] - 9.81 * 0.02, m.linear[2] / m.mass, 0.01)
        world:close()
      end
    end)
  end)

  it("takes cloth along with a body that moves further than their distance", function()
    local world = world_of { time_step = 0.01 }
    local cloth = world:add(sheet(4, 0.1, { 0, 0.0015, 0 }))
    local body = world:add(plate(0.4))
    world:step(20)
    for _ = 1, 20 do
      body:move { shift = { 0, 0.01, 0 } }
      steps_free(world, 1, { cloth, body })
    end
    local m = world:momentum()
    support.near(1, m.linear[2] / m.mass, 0.02)
  end)

  it("rests on the floor, above a quarter of the cloth's half thickness", function()
    local world = world_of { floor = 0 }
    local cloth = world:add(sheet(6, 0.1, { 0, 0.01, 0 }))
    world:step(60)
    for i = 1, cloth.vertices do
      assert.is_true(select(2, cloth.positions:get(i)) > 0)
    end
    assert.is_true(world.stats.max_speed < 1e-2)
  end)

  it("lifts cloth out of the floor at half a metre per second, and does not throw it", function()
    local function lifted(time_step, depth, seconds)
      local world = world_of { floor = 0, time_step = time_step }
      world:add(sheet(4, 0.1, { 0, -depth, 0 }))
      local fastest = 0
      for _ = 1, math.floor(seconds / time_step + 0.5) do
        world:step()
        local m = world:momentum()
        fastest = math.max(fastest, m.linear[2] / m.mass)
      end
      assert.is_true(fastest < 0.5, ("%g m/s, h = %g s"):format(fastest, time_step))
      return world:momentum().centre[2]
    end
    for _, time_step in ipairs { 1 / 60, 1e-3 } do
      support.near(0.5 * 0.1, lifted(time_step, 0.2, 0.1) + 0.2, 0.15)
      local rest = lifted(time_step, 0.01, 0.2)
      assert.is_true(rest > 0 and rest < 0.0006, ("%g m"):format(rest))
    end
    lifted(1e-4, 0.001, 0.02)
  end)

  it("has the same bits on one thread and on two", function()
    local hashes = {}
    for threads = 1, 2 do
      weft.threads(threads)
      local world = world_of {}
      world:add(ball(0.06))
      world:add(sheet(20, 0.24, { 0.003, 0.064, 0.002 }))
      world:step(15)
      hashes[threads] = world:hash()
    end
    weft.threads(1)
    assert.equal(hashes[1], hashes[2])
  end)

  it("takes cloth thicker than its edges are long", function()
    local world = world_of {}
    world:add(plate(0.4))
    local cloth = world:add(sheet(12, 0.06, { 0, 0.012, 0 }, weft.fabric { base = "wool", thickness = 0.01 }))
    steps_free(world, 30, { cloth })
    assert.is_true(world:momentum().centre[2] > 0.25 * 0.0055)
  end)

  it("throws cloth off a body that jumps a metre, and lets a body move pins that are in its way", function()
    local world = world_of {}
    local cloth = world:add(sheet(6, 0.1, { 0, 0.002, 0 }))
    local body = world:add(plate(0.4))
    world:step(10)
    body:move { shift = { 0, 1, 0 } }
    steps_free(world, 3, { cloth, body })
    assert.is_true(world:momentum().centre[2] > 1)

    world = world_of {}
    local pins, all = world:add(sheet(3, 0.1, { 0, 0.01, 0 })), {}
    for i = 1, pins.vertices do
      all[i] = i
    end
    pins:pin { vertices = all }
    body = world:add(plate(0.4))
    for _ = 1, 10 do
      body:move { shift = { 0, 0.002, 0 } }
      world:step()
      assert.equal(0, weft.inspect.intersections(pins, body).count)
    end
    assert.is_true(world.stats.backed_off > 0) -- pins that did not stay where they were told to
    assert.is_true(world:momentum().centre[2] > 0.02)
  end)

  it("lets cloth be squeezed between bodies to a tenth of two contact distances", function()
    local world = world_of {}
    local cloth = world:add(sheet(6, 0.1, { 0, 0.003, 0 }))
    local low, high = world:add(plate(0.4)), world:add(plate(0.4, 0.01))
    for k = 1, 29 do -- from 10 mm to 2 mm to 0.2 mm
      high:move { shift = { 0, k <= 20 and -0.0004 or -0.0002, 0 } }
      steps_free(world, 1, { cloth, low })
      assert.equal(0, weft.inspect.intersections(cloth, high).count)
    end
    assert.is_true(world.stats.max_speed < 1e-2)
  end)

  it("goes on with cloth that starts crossing a body, and with cloth that starts touching cloth", function()
    local world = world_of {}
    world:add(ball(0.06))
    local cloth = world:add(sheet(8, 0.2, { 0.001, 0.03, 0.002 }))
    world:step(5)
    assert.is_true(cloth:momentum().centre[2] < 0.03 - 1e-3)
    world = world_of {}
    world:add(sheet(4, 0.1, { 0, 0, 0 }))
    world:add(sheet(4, 0.1, { 0.004, 0, 0.003 }))
    local apart = world:add(sheet(4, 0.1, { 1, 0, 0 }))
    world:step(5)
    assert.is_true(apart:momentum().centre[2] < -1e-3)
  end)

  it("has colliders as springs, outside of which the door keeps cloth", function()
    local world = world_of {}
    world:add(weft.collider.sphere { radius = 0.05 })
    local cloth = world:add(sheet(10, 0.16, { 0.002, 0.055, 0.001 }))
    world:step(60)
    for i = 1, cloth.vertices do
      local x, y, z = cloth.positions:get(i)
      assert.is_true(x * x + y * y + z * z > 0.05 ^ 2)
    end
    assert.equal(0, weft.inspect.intersections(cloth).count)
    assert.is_true(world:momentum().centre[2] > 0)
  end)

  it("refuses schemes whose equation is not at the end of the step", function()
    for _, integrator in ipairs { "forward euler", "trapezoid", "implicit midpoint", "xpbd" } do
      assert.error_matches(function()
        world_of { integrator = integrator }
      end, "barrier.*backward euler")
    end
    local world = weft.world { integrator = "trapezoid" }
    assert.error_matches(function() world.contact = "barrier" end, "barrier")
    assert.equal("impulses", world.contact)
    assert.error_matches(function() world_of { barrier_tolerance = 0 } end, "barrier_tolerance")
    assert.error_matches(function()
      world_of({}):add(weft.rigid { shape = "sphere", radius = 0.05, mass = 0.3 })
    end, "rigid bodies")
    local cut = world_of { integrator = { scheme = "backward euler", newton = "full", first_step = 0.001 } }
    cut:add(sheet(2, 0.1, { 0, 0, 0 }))
    assert.error_matches(function() cut:step() end, "first_step")
  end)
end)
