-- Rigid bodies in worlds: falling, resting, sliding and rolling as mechanics says; in cloth and against each other, two
-- ways, without an intersection in any frame.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local norm = vectors.norm
local message_of, near = support.message_of, support.near

local G = 9.81

local function difference(a, b)
  return norm { a[1] - b[1], a[2] - b[2], a[3] - b[3] }
end

--- A slab whose upper side falls toward +x by `angle`, through the origin.
local function ramp(angle, friction, half_length)
  local c, s, vertices = math.cos(angle), math.sin(angle), {}
  for k, corner in ipairs { { -1, -2 }, { 1, -2 }, { 1, 2 }, { -1, 2 } } do
    local along = corner[1] * (half_length or 3)
    vertices[k] = { along * c, -along * s, corner[2] }
    vertices[k + 4] = { along * c - 0.2 * s, -along * s - 0.2 * c, corner[2] }
  end
  local faces = { { 1, 3, 2 }, { 1, 4, 3 }, { 5, 6, 7 }, { 5, 7, 8 }, { 1, 2, 6 }, { 1, 6, 5 },
                  { 2, 3, 7 }, { 2, 7, 6 }, { 3, 4, 8 }, { 3, 8, 7 }, { 4, 1, 5 }, { 4, 5, 8 } }
  return weft.body { vertices = vertices, faces = faces, friction = friction }
end

--- A body on such a slab, in contact; returns functions for how far and how fast it went down.
local function on_ramp(angle, friction, options, time_step)
  local world = weft.world { time_step = time_step or 1 / 100 }
  world:add(ramp(angle, friction))
  local above = (options.radius or options.size[2] / 2) + 0.001 - 1e-5
  local rigid = world:add(weft.rigid(support.with({ friction = friction, orientation = { 0, 0, -angle },
    position = { math.sin(angle) * above, math.cos(angle) * above, 0.5 } }, options)))
  local start, along = rigid.position, { math.cos(angle), -math.sin(angle) }
  local function way()
    return (rigid.position[1] - start[1]) * along[1] + (rigid.position[2] - start[2]) * along[2]
  end
  local function speed()
    return rigid.velocity[1] * along[1] + rigid.velocity[2] * along[2]
  end
  return world, rigid, way, speed
end

--- A sheet pinned along its border.
local function trampoline(world, cells, size, height)
  local sheet = world:add(weft.sheet { cells = { cells, cells }, size = { size, size },
                                       centre = { 0, height or 0, 0 } })
  local border, n = {}, cells + 1
  for k = 0, n * n - 1 do
    local i, j = k % n, math.floor(k / n)
    if i == 0 or j == 0 or i == cells or j == cells then
      border[#border + 1] = k + 1
    end
  end
  sheet:pin { vertices = border }
  return sheet, border
end

describe("A rigid body", function()
  it("falls as backward Euler says, and keeps its momentum where nothing acts", function()
    local world = weft.world { time_step = 0.01, tolerance = 1e-12 }
    local rigid = world:add(weft.rigid { shape = "box", velocity = { 1, 2, 0 }, spin = { 1, 2, 3 } })
    local angular = world:momentum().angular
    world:step(50)
    near(2 - G * 0.5, rigid.velocity[2], 1e-9)
    near(1 - G * (0.5 ^ 2 + 0.5 * 0.01) / 2, rigid.position[2], 1e-9)
    near(0.5, rigid.position[1], 1e-9)
    local now = rigid:momentum() -- about its centre
    local turning = norm { now.angular[1] - (now.centre[2] * now.linear[3] - now.centre[3] * now.linear[2]),
      now.angular[2] - (now.centre[3] * now.linear[1] - now.centre[1] * now.linear[3]),
      now.angular[3] - (now.centre[1] * now.linear[2] - now.centre[2] * now.linear[1]) }
    near(norm(angular), turning, 1e-9)
    local energy = world:energy()
    near(rigid.kinetic_energy, energy.kinetic, 1e-12)
    near(rigid.mass * G * rigid.centre[2], energy.potential, 1e-12)
  end)

  it("comes to rest on the floor, whatever it falls on", function()
    local shapes = { { shape = "sphere" }, { shape = "box", size = { 0.3, 0.1, 0.2 } },
                     { shape = "capsule", radius = 0.05, length = 0.2 },
                     { shape = "convex", points = support.tetrahedron.vertices } }
    for _, options in ipairs(shapes) do
      local world = weft.world { floor = 0 }
      local rigid = world:add(weft.rigid(support.with(options, { orientation = { 0.7, 0.1, 0.4 },
        position = { 0, options.points and 0.7 or 0.4, 0 } })))
      for _ = 1, 300 do
        world:step()
        for i = 1, rigid.vertices do
          assert.is_true(select(2, rigid.positions:get(i)) > 0)
        end
      end
      assert.is_true(norm(rigid.velocity) < 1e-4 and norm(rigid.spin) < 2e-3, options.shape)
      assert.equal(1, world.stats.parts, options.shape) -- rounding is no gain of energy that would divide the step
      local lowest = math.huge
      for i = 1, rigid.vertices do
        lowest = math.min(lowest, select(2, rigid.positions:get(i)))
      end
      assert.is_true(lowest < 0.0021, options.shape) -- of a round body: the thickness, and how flat its faces are
    end
  end)

  it("sticks to an incline that is not too steep: creeps less than a tenth of a millimetre in ten seconds", function()
    local world, rigid, way = on_ramp(0.3, 0.5, { shape = "box", size = { 0.2, 0.1, 0.2 } })
    world:step(50)
    local before = way()
    world:step(1000) -- ten seconds
    assert.is_true(math.abs(way() - before) < 1e-4)
    assert.is_true(norm(rigid.spin) < 1e-6)
  end)

  it("slides down a steeper one with g (sin - mu cos)", function()
    for _, case in ipairs { { 0.3, 0.2 }, { 0.6, 0.4 }, { 0.2, 0 } } do
      local angle, friction = case[1], case[2]
      local world, _, _, speed = on_ramp(angle, friction, { shape = "box", size = { 0.2, 0.1, 0.2 } })
      world:step(20)
      local before = speed()
      world:step(40)
      near(G * (math.sin(angle) - friction * math.cos(angle)), (speed() - before) / 0.4, 0.002)
    end
  end)

  it("slows down by friction and stops", function()
    local world, rigid, way = on_ramp(0, 0.3, { shape = "box", size = { 0.2, 0.1, 0.2 }, velocity = { 1, 0, 0 } })
    world:step(100)
    near(1 / (2 * 0.3 * G), way(), 0.03)
    assert.is_true(norm(rigid.velocity) < 1e-5)
  end)

  it("rolls as a sphere with 5/7 g sin, without slipping", function()
    for _, case in ipairs { { 0.1, 0.8 }, { 0.4, 0.8 } } do
      local world, rigid, _, speed = on_ramp(case[1], case[2], { shape = "sphere", radius = 0.05 })
      world:step(20)
      local before = speed()
      world:step(60)
      near(5 / 7 * G * math.sin(case[1]), (speed() - before) / 0.6, 0.002)
      near(speed(), -0.05 * rigid.spin[3], 1e-3)
    end
    -- With too little friction it slips: g (sin - mu cos), and turns up with 5/2 mu g cos / r.
    local world, rigid, _, speed = on_ramp(0.6, 0.1, { shape = "sphere", radius = 0.05 })
    world:step(20)
    local before, spin = speed(), rigid.spin[3]
    world:step(40)
    near(G * (math.sin(0.6) - 0.1 * math.cos(0.6)), (speed() - before) / 0.4, 0.002)
    near(-2.5 * 0.1 * G * math.cos(0.6) / 0.05, (rigid.spin[3] - spin) / 0.4, 0.002)
  end)

  it("goes along with a body that it stands on", function()
    local world = weft.world {}
    local table_top = world:add(ramp(0, 0.8))
    local rigid = world:add(weft.rigid { shape = "box", position = { 0, 0.05099, 0.5 }, friction = 0.8 })
    world:step(10)
    local start = rigid.position[1]
    for k = 1, 60 do -- up to 0.5 m/s and back to rest, at 1 m/s^2
      local speed = math.min(k, 60 - k) / 60
      table_top:move { shift = { speed / 60, 0, 0 } }
      world:step()
    end
    world:step(10)
    near(0.25, rigid.position[1] - start, 0.01)
    assert.is_true(norm(rigid.velocity) < 1e-3)
  end)
end)

describe("Rigid bodies and cloth", function()
  it("rest in a pinned sheet, whose pins pull as much as they weigh", function()
    local world = weft.world { damping = 1, tolerance = 1e-6 }
    local cells, size = 16, 0.6
    local sheet, border = trampoline(world, cells, size)
    local rest = {}
    for i = 1, sheet.vertices do
      local x, _, z = sheet.positions:get(i)
      rest[i] = { x, -z }
    end
    local rigid = world:add(weft.rigid { shape = "sphere", radius = 0.1, mass = 0.4, position = { 0.01, 0.12, 0.02 } })
    for k = 1, 400 do
      world:step()
      if k % 10 == 0 then
        support.assert_apart({ sheet, rigid }, "step " .. k)
      end
    end
    assert.is_true(norm(rigid.velocity) < 1e-3)
    local pull, is_pin, held = 0, {}, 0
    for _, v in ipairs(border) do
      is_pin[v] = true
    end
    for _, name in ipairs { sheet.membrane, sheet.bending } do
      local model = weft.model.create { name = name, faces = sheet.faces, rest = rest, fabric = weft.fabric.wool }
      local forces = model:forces { x = sheet.positions }
      for _, v in ipairs(border) do
        pull = pull + select(2, forces:get(v))
      end
    end
    for i = 1, sheet.vertices do
      held = held + (is_pin[i] and 0 or sheet.masses:get(i))
    end
    near(-(held + rigid.mass) * G, pull, 0.01)
  end)

  it("exchange momentum and lose none of it", function()
    local world = weft.world { time_step = 1 / 400, gravity = { 0, 0, 0 }, tolerance = 1e-12 }
    local sheet = world:add(weft.sheet { cells = { 12, 12 }, size = { 0.4, 0.4 } })
    local rigid = world:add(weft.rigid { shape = "box", size = { 0.1, 0.06, 0.08 }, mass = 0.1,
                                         position = { 0.05, 0.08, 0.03 }, velocity = { 0, -1, 0 },
                                         spin = { 1, 0, -2 } })
    local before, energy = world:momentum(), world:energy().total
    for k = 1, 80 do
      world:step()
      support.assert_apart({ sheet, rigid }, "step " .. k)
      local now = world:energy().total
      assert.is_true(now < energy * (1 + 1e-9))
      energy = now
    end
    local after = world:momentum()
    assert.is_true(sheet:momentum().linear[2] < -0.001)
    assert.is_true(difference(before.linear, after.linear) < 1e-9 * norm(before.linear))
    -- Impulses act at the points of the end of a step, which is of first order.
    assert.is_true(difference(before.angular, after.angular) < 0.05 * norm(before.angular))
  end)

  it("hang from a ribbon that they are laid over, and fall off where nothing holds them", function()
    local world = weft.world { tolerance = 1e-4 }
    local ribbon = world:add(weft.sheet { cells = { 24, 3 }, size = { 0.8, 0.1 } })
    local ends = {}
    for k = 0, 3 do
      ends[#ends + 1], ends[#ends + 2] = 25 * k + 1, 25 * k + 25
    end
    local targets = {}
    for i, v in ipairs(ends) do -- so that it hangs through
      local x, y, z = ribbon.positions:get(v)
      targets[i] = { x * 0.7, y, z }
    end
    ribbon:pin { vertices = ends, targets = targets }
    world:step(60, 3)
    local bar = world:add(weft.rigid { shape = "capsule", radius = 0.03, length = 0.2, density = 300, friction = 0.8,
                                       orientation = { math.pi / 2, 0, 0 }, position = { 0, -0.15, 0 } })
    for k = 1, 120 do
      world:step()
      if k % 5 == 0 then
        support.assert_apart({ ribbon, bar }, "step " .. k)
      end
    end
    assert.is_true(bar.position[2] > -0.4 and norm(bar.velocity) < 0.05)
    ribbon:unpin()
    world:step(60)
    assert.is_true(bar.position[2] < -2)
  end)

  it("slide over cloth of small faces as over a plane", function()
    local world = weft.world { time_step = 1 / 240 }
    local fabric = weft.fabric { base = "polyester", name = "smooth", friction = 0.2 }
    local sheet, all = world:add(weft.sheet { cells = { 40, 40 }, size = { 0.8, 0.3 }, centre = { 0.3, 0, 0 },
                                              fabric = fabric }), {}
    for i = 1, sheet.vertices do
      all[i] = i
    end
    sheet:pin { vertices = all }
    local box = world:add(weft.rigid { shape = "box", size = { 0.05, 0.05, 0.05 }, density = 600, friction = 0.2,
                                       position = { 0, 0.026, 0.003 }, orientation = { 0, 0.3, 0 } })
    world:step(12)
    local before, height = 2.0025, box.position[2]
    box.velocity = { 2, 0, 0.1 }
    for _ = 1, 48 do
      world:step()
      assert.is_true(math.abs(box.position[2] - height) < 3e-4 and norm(box.spin) < 5)
    end
    near(before - 0.2 * G * 0.2, norm(box.velocity), 0.06) -- 2 - mu g t; edges may not stop it
  end)

  it("go along with a table cloth that is pulled slowly", function()
    local world = weft.world { time_step = 1 / 120, tolerance = 1e-4 }
    world:add(ramp(0, 0.3, 0.5))
    local cloth = world:add(weft.sheet { cells = { 24, 12 }, size = { 0.6, 0.3 }, centre = { 0, 0.0012, 0.5 },
                                         fabric = weft.fabric { base = "wool", friction = 0.15 } })
    local cup = world:add(weft.rigid { shape = "box", size = { 0.06, 0.1, 0.06 }, density = 800, friction = 0.15,
                                       position = { 0.1, 0.054, 0.5 } })
    world:step(30)
    local start, edge, from = cup.position, {}, {}
    for j = 0, 12 do
      edge[j + 1] = 25 * j + 25
      from[j + 1] = { cloth.positions:get(edge[j + 1]) }
    end
    for k = 1, 60 do
      local targets = {}
      for i, p in ipairs(from) do
        targets[i] = { p[1] + 0.3 * k / 120, p[2], p[3] }
      end
      cloth:pin { vertices = edge, targets = targets }
      world:step()
      if k % 4 == 0 then
        support.assert_apart({ cloth, cup }, "step " .. k)
      end
    end
    near(0.15, cup.position[1] - start[1], 0.2)
    assert.is_true(cup.position[2] > 0.05)
  end)
end)

describe("Rigid bodies among themselves", function()
  it("stand in a stack", function()
    local world = weft.world { floor = 0 }
    local boxes = {}
    for k = 1, 5 do
      boxes[k] = world:add(weft.rigid { shape = "box", orientation = { 0, 0.2 * k, 0 }, mass = k,
                                        position = { 0.01 * (k % 2), 0.0505 + 0.102 * (k - 1), 0 } })
    end
    for k = 1, 200 do
      world:step()
      if k % 10 == 0 then
        support.assert_apart(boxes, "step " .. k)
      end
    end
    assert.is_true(world.stats.max_speed < 1e-3)
    for k, box in ipairs(boxes) do
      near(0.0505 + 0.101 * (k - 1), box.position[2], 0.005)
    end
  end)

  it("lie in a pile", function()
    local world = weft.world { floor = 0 }
    local balls = {}
    for k = 0, 7 do
      balls[k + 1] = world:add(weft.rigid { shape = "sphere", radius = 0.05, detail = 1,
        position = { 0.03 * (k % 2), 0.06 + 0.11 * k, 0.02 * (k % 3) } })
    end
    local energy = world:energy().total
    for k = 1, 300 do
      world:step()
      local now = world:energy().total
      assert.is_true(now < energy + 1e-4)
      energy = math.min(energy, now)
      if k % 10 == 0 then
        support.assert_apart(balls, "step " .. k)
      end
    end
    for _, ball in ipairs(balls) do
      assert.is_true(ball.position[2] < 0.2)
    end
  end)

  it("part no faster than they met where the step is divided", function()
    for _, speed in ipairs { 0.06, 0.2 } do
      local world, couples = support.still_world { time_step = 1 / 120 }, {}
      for k = 0, 19 do -- each a little later than the last
        local couple = {}
        for side = -1, 1, 2 do
          couple[#couple + 1] = world:add(weft.rigid { shape = "sphere", radius = 0.025, detail = 1, density = 300,
            position = { side * (0.0255 + (1 + k / 40) * speed / 120), 0.1 * k, 0 },
            velocity = { -side * speed / 2, 0, 0 } })
        end
        couples[k + 1] = couple
      end
      trampoline(world, 10, 0.5, -1) -- what is shot at it divides the steps in which the couples meet
      world:add(weft.rigid { shape = "sphere", radius = 0.05, density = 3000, position = { 0, -0.148, 0 },
                             velocity = { 0, -30, 0 } })
      local parts = 0
      for _ = 1, 20 do
        world:step()
        parts = math.max(parts, world.stats.parts)
        for _, couple in ipairs(couples) do
          assert.is_true(couple[2].velocity[1] - couple[1].velocity[1] <= speed)
        end
      end
      assert.is_true(parts > 4)
      for _, couple in ipairs(couples) do -- met: they no longer go at each other as they did
        assert.is_true(couple[2].velocity[1] - couple[1].velocity[1] > -0.5 * speed)
      end
    end
  end)

  it("pass the momentum of a hit on", function()
    local world = support.still_world { time_step = 1 / 200, tolerance = 1e-12 }
    local first = world:add(weft.rigid { shape = "sphere", radius = 0.05, mass = 1, velocity = { 2, 0, 0 } })
    local second = world:add(weft.rigid { shape = "box", mass = 3, position = { 0.2, 0.02, 0 } })
    local before = world:momentum()
    for k = 1, 60 do
      world:step()
      support.assert_apart({ first, second }, "step " .. k)
    end
    local after = world:momentum()
    assert.is_true(difference(before.linear, after.linear) < 1e-10)
    assert.is_true(difference(before.angular, after.angular) < 0.01)
    assert.is_true(second.velocity[1] > 0.4 and first.velocity[1] < second.velocity[1] + 0.01)
  end)

  it("give the same bits with any number of threads", function()
    local function run()
      local world = weft.world { floor = -0.3 }
      local sheet = trampoline(world, 12, 0.4)
      for k = 0, 5 do
        world:add(weft.rigid { shape = k % 2 == 0 and "sphere" or "box", density = 300,
                               [k % 2 == 0 and "radius" or "size"] = k % 2 == 0 and 0.03 or { 0.05, 0.04, 0.06 },
                               position = { 0.07 * (k % 3) - 0.07, 0.06 + 0.08 * math.floor(k / 3), 0.01 * k },
                               orientation = { 0.1 * k, 0, 0.3 } })
      end
      world:step(40)
      assert(sheet)
      return world:hash()
    end
    support.same_with_threads(run, { 1, 2, 5 })
  end)
end)

describe("A world with rigid bodies", function()
  it("takes each once, and lets it go", function()
    local world, other = weft.world {}, weft.world {}
    local rigid = weft.rigid { shape = "sphere" }
    assert.equal(rigid, world:add(rigid))
    assert.matches("is in this world already", message_of(world.add, world, rigid))
    assert.matches("is in another world already", message_of(other.add, other, rigid))
    world:remove(rigid)
    other:add(rigid)
    other:close()
    world:add(rigid)
    assert.is_true(world:momentum().mass > 0)
    rigid:close()
    world:step() -- what is closed has left
    assert.equal(0, world:momentum().mass)
  end)

  it("refuses schemes that do not know how bodies turn", function()
    local world = weft.world { integrator = "bdf2" }
    local rigid = weft.rigid { shape = "sphere" }
    assert.matches("rigid bodies need the integrator \"backward euler\", this is \"bdf2\"",
      message_of(world.add, world, rigid))
    world.integrator = "backward euler"
    world:add(rigid)
    assert.matches("rigid bodies need", message_of(function() world.integrator = "xpbd" end))
    assert.equal("backward euler", world.integrator)
    for _, name in ipairs { "barrier", "constraints", "geometric" } do
      assert.matches('contact "' .. name .. '" does not go with rigid bodies',
        message_of(function() world.contact = name end))
    end
    world.contact = "penalty"
    world:step()
  end)

  it("warns of bodies that start crossing others", function()
    local heard = {}
    weft.on_warning(function(text) heard[#heard + 1] = text end)
    local world = weft.world {}
    world:add(weft.rigid { shape = "box", name = "one" })
    world:add(weft.rigid { shape = "box", name = "two", position = { 0.05, 0.01, 0.02 } })
    world:add(weft.sheet { cells = { 4, 4 } })
    world:step()
    weft.on_warning(nil)
    table.sort(heard)
    assert.equal(3, #heard)
    assert.matches("cloth starts crossing one", heard[1])
    assert.matches("cloth starts crossing two", heard[2])
    assert.matches("what crosses passes through, world:untangle may part them$", heard[1])
    assert.matches("two starts crossing one", heard[3])
    assert.matches("they pass through each other, put one of them elsewhere$", heard[3])
  end)

  it("survives bodies of any size and speed, and keeps them apart", function()
    local world = weft.world { floor = 0 }
    local sheet = trampoline(world, 8, 0.4, 0.5)
    local members = { sheet,
      world:add(weft.rigid { shape = "sphere", radius = 0.001, mass = 1e-9, position = { 0, 0.6, 0 } }),
      world:add(weft.rigid { shape = "box", size = { 0.3, 0.001, 0.3 }, mass = 1e4, position = { 0.05, 0.7, 0 } }),
      world:add(weft.rigid { shape = "sphere", position = { 0, 2, 0 }, velocity = { 0, -300, 0 },
                             spin = { 0, 900, 50 } }),
      world:add(weft.rigid { shape = "box", size = { 50, 20, 50 }, position = { 0, -20.5, 0 }, thickness = 0 }) }
    world.floor = false
    for k = 1, 20 do
      world:step()
      support.assert_apart(members, "step " .. k)
      for i = 2, #members do
        assert.is_true(norm(members[i].position) < 1e5)
      end
    end
  end)

  it("gives back all memory when any allocation of a step fails", function()
    support.fail_each_allocation(function()
      local world = weft.world { floor = 0 }
      world:add(weft.sheet { cells = { 2, 2 }, size = { 0.1, 0.1 }, centre = { 0, 0.2012, 0 } })
      world:add(weft.rigid { shape = "sphere", detail = 0, position = { 0, 0.1002, 0 } })
      world:step()
      return world
    end):close()
  end)
end)
