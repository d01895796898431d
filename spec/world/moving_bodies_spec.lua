-- Bodies that move: kinematics, friction with what lies on them, and what happens when they cannot go there.
local weft = require "weft"
local contact_shapes = require "spec.contact.shapes"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

local function plate(friction)
  return weft.body {
    name = "plate", friction = friction,
    vertices = { { -1, -0.02, -1 }, { 1, -0.02, -1 }, { 1, -0.02, 1 }, { -1, -0.02, 1 }, { -1, 0, -1 }, { 1, 0, -1 },
      { 1, 0, 1 }, { -1, 0, 1 } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 5, 7, 6 }, { 5, 8, 7 }, { 1, 5, 6 }, { 1, 6, 2 }, { 2, 6, 7 }, { 2, 7, 3 },
      { 3, 7, 8 }, { 3, 8, 4 }, { 4, 8, 5 }, { 4, 5, 1 } },
  }
end

--- On the plate's diagonal, or at (x, z).
local function sheet_on_plate(friction, x, z)
  local world = weft.world { time_step = 0.01 }
  local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.1, 0.1 }, centre = { x or 0, 0.002, z or 0 } })
  local body = world:add(plate(friction))
  world:step(40)
  return world, sheet, body
end

local function velocity(sheet)
  local m = sheet:momentum()
  return m.linear[1] / m.mass, m.linear[2] / m.mass, m.linear[3] / m.mass
end

describe("A moving body", function()
  it("takes along what sticks to it, and it is at rest again when the body is", function()
    local world, sheet, body = sheet_on_plate(0.4) -- mu g is 3.9 m/s2
    local start, speed = sheet:momentum().centre[1], 0
    for _ = 1, 20 do
      speed = speed + 2 * 0.01
      body:move { shift = { speed * 0.01, 0, 0 } }
      world:step()
    end
    support.near(speed, (velocity(sheet)), 0.001)
    support.near(0.5 * 2 * 0.2 * 0.21, sheet:momentum().centre[1] - start, 0.001)
    world:step(40)
    assert.is_true(math.abs((velocity(sheet))) < 1e-4)
    assert.equal(0, weft.inspect.intersections(sheet, body).count)
  end)

  it("leaves what has no friction where it is", function()
    -- Beside the plate's diagonal: where the sheet is not quite flat its edges see that aslant, and are pushed by
    -- 0.1 to 46 mm, as rounding has it.
    local world, sheet, body = sheet_on_plate(0, 0.5, -0.4)
    local start = sheet:momentum().centre[1]
    for _ = 1, 20 do
      body:move { shift = { 0.01, 0, 0 } }
      world:step()
    end
    assert.is_true(math.abs(sheet:momentum().centre[1] - start) < 0.0005) -- it went 0.2 m
  end)

  it("lifts cloth as fast as it moves", function()
    local world, sheet, body = sheet_on_plate(0.4)
    for _ = 1, 30 do
      body:move { shift = { 0, 0.005, 0 } }
      world:step()
      assert.equal(0, weft.inspect.intersections(sheet, body).count)
    end
    support.near(0.5, (select(2, velocity(sheet))), 0.01)
  end)

  it("turns as Rodrigues' formula says, about any centre", function()
    local body = plate(0.4)
    body:move { turn = { 0, math.pi / 2, 0 }, centre = { 1, 0, 0 }, shift = { 0, 0, 2 } }
    local x, y, z = body.positions:get(6) -- was (1, 0, -1): before the centre, now beside it
    support.near(1, 1 + x, 1e-12)
    support.near(1, 1 + y, 1e-12)
    support.near(2, z, 1e-12)
    for _ = 1, 360 do
      body:move { turn = { 0.3 * math.pi / 180, 0, math.sqrt(1 - 0.09) * math.pi / 180 }, centre = { 0.1, 0.2, 0.3 } }
    end
    local again = { body.positions:get(6) }
    for k, value in ipairs { x, y, z } do
      assert.is_true(math.abs(again[k] - value) < 1e-12)
    end
  end)

  it("is moved in each world from where that world's last step left it", function()
    local one, sheet, body = sheet_on_plate(4)
    local other = weft.world { time_step = 0.02 } -- friction gives 0.78 m/s in a step
    local second = other:add(weft.sheet { cells = { 4, 4 }, size = { 0.1, 0.1 }, centre = { 0, 0.002, 0 } })
    other:add(body)
    other:step(40)
    body:move { shift = { 0.005, 0, 0 } }
    one:step()
    body:move { shift = { 0.005, 0, 0 } }
    one:step()
    other:step()
    support.near(0.5, (velocity(sheet)), 0.01)
    support.near(0.5, (velocity(second)), 0.01)
    support.near(0.01, second:momentum().centre[1], 0.01)
  end)

  it("that teleports takes its cloth along or raises an error that changes nothing", function()
    local world, sheet, body = sheet_on_plate(0.4)
    for _, shift in ipairs { { 0, 3, 0 }, { 0, -100, 0 }, { 50, 50, 0 }, { 0, -2, 0 } } do
      local before = world:hash()
      body:move { shift = shift }
      local done = pcall(world.step, world)
      if not done then
        assert.equal(before, world:hash())
        world:remove(body)
        break
      end
      assert.is_true(world.stats.body_lag > 0 or weft.inspect.intersections(sheet, body).count == 0)
      assert.equal(0, weft.inspect.intersections(sheet).count)
    end
    world:step()
  end)

  -- A ball of 264 faces in a sheet that hangs over it.
  local function sheet_over_ball(contact)
    local scene = contact_shapes.scene()
    contact_shapes.add_sphere(scene, 12, { 0, 0, 0 }, 0.15)
    local world = weft.world { contact = contact }
    local ball = world:add(weft.body { name = "ball", vertices = scene.points, faces = scene.body })
    local sheet = world:add(weft.sheet { cells = { 12, 12 }, size = { 0.6, 0.6 }, centre = { 0, 0.155, 0 } })
    world:step(15)
    --- The ball as the world has it, `lag` behind along x.
    local function reached(lag)
      local points = {}
      for i = 1, ball.vertices do
        local x, y, z = ball.positions:get(i)
        points[i] = { x - lag, y, z }
      end
      return { vertices = points, faces = scene.body }
    end
    return world, sheet, ball, reached
  end

  for _, contact in ipairs { "impulses", "penalty", "geometric", "constraints", "barrier" } do
    it(("that is far from where it is to be goes on in bounded steps and crosses nothing, with %s"):format(contact),
      function()
        local world, sheet, ball, reached = sheet_over_ball(contact)
        local lag, arrived = 0, false
        for _, shift in ipairs { 1, 0, 0, 0, 9999, 0, -9999.5, 0 } do
          ball:move { shift = { shift, 0, 0 } }
          local before = math.abs(lag + shift)
          world:step()
          lag = world.stats.body_lag
          local way = before - lag
          local at_once = lag == 0 and math.abs(sheet:momentum().centre[1] - ball.bounds.lower[1]) > 0.3 -- out of it
          assert.is_true(at_once or way > -1e-9 and way <= 20 / 60 + 1e-6, ("went %g m"):format(way))
          assert.is_true(world.stats.parts < 160)
          arrived = arrived or lag == 0
          lag = shift < -9000 and -lag or lag
          if math.abs(lag) < 2 then -- farther, rounding would place it
            assert.equal(0, weft.inspect.intersections(sheet, reached(lag)).count)
          end
          assert.equal(0, weft.inspect.intersections(sheet).count)
        end
        assert.is_true(arrived)
        assert.is_true(math.abs(sheet:momentum().centre[1]) > 0.1) -- was dragged along
      end)
  end

  it("makes as many parts of a step as in a frame that goes along", function()
    --- A sheet without weight over a ball, both as fast as `speed` (m/s); the ball goes to the side for some steps.
    local function parts_at(speed, contact)
      local scene = contact_shapes.scene()
      contact_shapes.add_sphere(scene, 8, { 0, 0, 0 }, 0.15)
      local world, velocities, parts = weft.world { gravity = { 0, 0, 0 }, contact = contact }, {}, {}
      local ball = world:add(weft.body { name = "ball", vertices = scene.points, faces = scene.body })
      local sheet = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.4, 0.4 }, centre = { 0, 0.17, 0 } })
      for i = 1, sheet.vertices do
        velocities[i] = { speed, 0, 0 }
      end
      sheet:assign { velocities = velocities }
      for step = 1, 8 do
        ball:move { shift = { speed / 60, 0, step > 2 and step < 6 and 0.11 or 0 } }
        world:step()
        parts[step] = world.stats.parts
      end
      return table.concat(parts, " ")
    end
    for _, contact in ipairs { "impulses", "barrier" } do
      local parts = parts_at(0, contact)
      assert.matches("^1 1 [2-9] [2-9] [2-9] 1 1 1$", parts)
      assert.equal(parts, parts_at(9, contact))
      assert.equal(parts, parts_at(-18, contact))
    end
  end)

  it("that jumps to and fro under cloth never crosses it", function()
    local world, sheet, ball, reached = sheet_over_ball "impulses"
    local at, target = 0, 0
    for k = 1, 6 do
      local shift = k % 2 == 1 and 1 or -1
      ball:move { shift = { shift, 0, 0 } }
      target = target + shift
      world:step()
      at = target > at and target - world.stats.body_lag or target + world.stats.body_lag
      assert.equal(0, weft.inspect.intersections(sheet, reached(target - at)).count)
      assert.equal(0, weft.inspect.intersections(sheet).count)
    end
  end)

  it("that is fast in fact keeps its speed with steps that follow it", function()
    local world, sheet, ball, reached = sheet_over_ball "impulses"
    world.time_step = 1 / 600
    for _ = 1, 8 do
      ball:move { shift = { 0, 100 / 600, 0 } }
      world:step()
      assert.equal(0, world.stats.body_lag)
      assert.equal(0, weft.inspect.intersections(sheet, reached(0)).count)
      assert.equal(0, weft.inspect.intersections(sheet).count)
    end
    assert.is_true(sheet:momentum().linear[2] / sheet:momentum().mass > 20) -- was carried along
  end)

  it("is where it is to be at once when nothing is in the way, however far", function()
    local world = weft.world {}
    local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.1, 0.1 }, centre = { 0, 50, 0 } })
    local body = world:add(plate(0.4))
    local speed = 0
    for _, shift in ipairs { { 1e4, 0, 0 }, { -2e4, 80, 0 }, { 1e4, 0, 0 }, { 0, -80, 0.25 }, { 0, 0, 9e5 } } do
      local way_crosses = shift[2] == -80 -- down through the sheet
      body:move { shift = shift }
      world:step()
      assert.equal(way_crosses, world.stats.body_lag > 0)
      speed = speed - 9.81 / 60
      support.near(speed, (select(2, velocity(sheet))), 1e-6) -- falls freely
      if way_crosses then
        support.near(80 - 20 / 60, world.stats.body_lag, 1e-3)
        body:place { shift = { 0, 0, 0 } } -- arrives
      end
    end
    assert.equal(0, world.stats.body_lag)
  end)

  it("that is placed is there without a way, and what it lands in is reported and untangled", function()
    local heard = {}
    weft.on_warning(function(message) heard[#heard + 1] = message end)
    local world, sheet, ball = sheet_over_ball "impulses"
    ball:place { shift = { 3, 0, 0 } }
    world:step()
    assert.equal(0, world.stats.body_lag)
    assert.is_true(sheet:momentum().centre[1] < 0.01) -- nobody dragged it
    assert.same({}, heard)
    ball:place { positions = ball.positions }
    ball:place { shift = { -3, 0.13, 0 } }
    world:step()
    weft.on_warning(nil)
    assert.equal(1, #heard)
    assert.is_truthy(heard[1]:find "^cloth starts crossing ball: %d+ pairs of triangles, near ")
    assert.is_true(weft.inspect.intersections(sheet, ball).count > 0)
    assert.is_true(world.stats.max_speed < 5)
    local report = world:untangle {}
    assert.equal(0, report.crossings)
    world:step(3)
    assert.equal(0, weft.inspect.intersections(sheet, ball).count)
    local message = support.message_of(ball.place, ball, { positions = { { 0, 0, 0 } } })
    assert.equal(("weft.body.place: positions must be one for each of the %d vertices, got 1"):format(ball.vertices),
      message)
  end)

  it("stops where cloth between it and another cannot give way, says so, and goes on when there is room", function()
    local function block(name, lower, upper)
      local shape = shapes.box(lower, upper)
      return weft.body { name = name, vertices = shape.vertices, faces = shape.faces }, shape
    end
    local world = weft.world()
    local torso = world:add(block("torso", { -0.1, -0.2, -0.1 }, { 0, 0.1, 0.1 }))
    local arm, shape = block("arm", { 0.03, -0.1, -0.05 }, { 0.08, 0.05, 0.05 })
    world:add(arm)
    local skirt = world:add(weft.cloth(shapes.band({ 10, 10 }, { 0.2, 0.2 }, function(u, v)
      return { 0.015, 0.1 - 0.2 * u, 0.2 * (v - 0.5) }
    end)))
    local hem = {}
    for k = 1, 11 do
      hem[k] = k
    end
    skirt:pin { vertices = hem }
    local gap, pinched, most_lag = 0.03, 0, 0
    local function close(way)
      gap = gap - way
      arm:move { shift = { -way, 0, 0 } }
      world:step()
      -- Where the world has the arm: it came from +x, and lags that far.
      local lag, reached = world.stats.body_lag, {}
      for k, p in ipairs(shape.vertices) do
        reached[k] = { p[1] + gap - 0.03 + lag, p[2], p[3] }
      end
      assert.equal(0, weft.inspect.intersections(skirt, { vertices = reached, faces = shape.faces }).count)
      assert.equal(0, weft.inspect.intersections(skirt, torso).count + weft.inspect.intersections(skirt).count)
      assert.is_true(gap + lag > 0)
      assert.is_true(world.stats.max_speed < 2)
      pinched, most_lag = math.max(pinched, world.stats.pinched), math.max(most_lag, lag)
    end
    for _ = 1, 22 do
      close(0.0015)
    end
    support.near(0.003, most_lag, 0.1) -- that the blocks would overlap
    assert.is_true(pinched > 20)
    for _ = 1, 8 do
      close(-0.002)
    end
    assert.same({ 0, 0 }, { world.stats.body_lag, world.stats.pinched })
  end)

  it("is placed by a function that the step asks, in several worlds, however far, and changes nothing where it cannot",
    function()
      for _, contact in ipairs { "impulses", "barrier" } do
        local action
        local world, other = weft.world { contact = contact }, weft.world { contact = contact }
        local body, sheet = plate(0.4), weft.sheet { cells = { 4, 4 }, size = { 0.2, 0.2 }, centre = { 0, 0.05, 0 } }
        world:add(body)
        world:add(sheet)
        other:add(body)
        world.wind:add(weft.wind.field { counts = { 2, 2, 2 }, spacing = { 4, 4, 4 }, origin = { -2, -1, -2 },
          sample = function() if action then action() end end })
        world:step()
        action = function() body:place { shift = { 0, -9e5, 0 } } end
        world:step()
        action = nil
        world:step()
        other:step()
        assert.same({ 0, 0 }, { world.stats.body_lag, other.stats.body_lag })
        local before, beside, at = world:hash(), other:hash(), body.positions:string()
        for expected, options in pairs {
          ["turn must be by at most 1e+06 rad, got {1e+300, 0, 0}"] = { turn = { 1e300, 0, 0 } },
          ["shift must be three numbers {x, y, z}, got {nan, 0, 0}"] = { shift = { 0 / 0, 0, 0 } },
          ["expected coordinates from -1e+06 to 1e+06 m"] = { shift = { 0, -2e5, 0 } },
          ["vertex 1 is to be at {"] = { turn = { 0, 1, 0 }, centre = { 1e308, 0, 0 } },
        } do
          for name, call in pairs { place = body.place, move = body.move } do
            local message = support.message_of(call, body, options)
            assert.equal(1, (message:find("weft.body." .. name, 1, true)))
            assert.is_truthy(message:find(expected, 1, true), message)
          end
        end
        assert.same({ before, beside, at }, { world:hash(), other:hash(), body.positions:string() })
        other:close()
        body:place { shift = { 0, 9e5, 0 } }
        action = function() error "stop" end
        before = world:hash()
        assert.matches("stop", support.message_of(world.step, world))
        assert.equal(before, world:hash())
        action = function() body:close() end
        world:step()
        assert.equal("weft.body.place: self is a closed weft.body",
          support.message_of(body.place, body, { shift = { 0, 0, 0 } }))
        action = nil
        world:step()
        assert.is_true(sheet:momentum().centre[2] > 0)
      end
    end)

  it("refuses motions that are no motions", function()
    local body = plate(0.4)
    for _, wrong in ipairs {
      {}, { positions = { { 0, 0, 0 } } }, { centre = { 0, 0, 0 } }, { shift = { 0, 0 } }, { shift = { 0, 0, 0 / 0 } },
      { shift = { 2e6, 0, 0 } }, { turn = { 0, math.huge, 0 } }, { positions = body.positions, shift = { 0, 1, 0 } },
      { shift = { 0, 1, 0 }, centre = { 0, 0, 0 } }, { turns = { 0, 1, 0 } },
    } do
      assert.truthy(support.message_of(body.move, body, wrong):find "weft.body.move")
    end
    local x, y, z = body.positions:get(7)
    assert.same({ 1, 0, 1 }, { x, y, z })
    body:move { positions = body.positions }
    assert.same({ lower = { -1, -0.02, -1 }, upper = { 1, 0, 1 } }, body.bounds)
  end)

  it("leaves nothing behind when memory runs out", function()
    support.fail_each_allocation(function()
      local world = weft.world()
      world:add(plate(0.4))
      world:close()
    end)
  end)
end)
