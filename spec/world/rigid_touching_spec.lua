-- Rigid bodies that touch something from the start, as round coordinates make them, that have cloth wholly inside, or
-- that overlap each other: they move as gravity and contact have it, without energy from nowhere.

local support = require "spec.support"
local weft = require "weft"

local heard_in = support.heard_in

local GRAVITY = 9.81

local function hung_sheet(world, height, cells)
  local n = cells + 1
  local sheet = world:add(weft.sheet { cells = { cells, cells }, size = { 0.4, 0.4 }, centre = { 0, height, 0 } })
  sheet:pin { vertices = { 1, n, n * cells + 1, n * n } }
  return sheet
end

local function cube(world, position)
  return world:add(weft.rigid { shape = "box", size = { 0.1, 0.1, 0.1 }, mass = 0.2, position = position })
end

--- Its upper face is the square of 2 m at the height 0.
local function table_body(world)
  return world:add(weft.body {
    vertices = { { -1, 0, -1 }, { 1, 0, -1 }, { 1, 0, 1 }, { -1, 0, 1 }, { 0, -1, 0 } },
    faces = { { 3, 2, 1 }, { 4, 3, 1 }, { 1, 2, 5 }, { 2, 3, 5 }, { 3, 4, 5 }, { 4, 1, 5 } } })
end

--- Steps, and returns how far the energy rose above what it was, with that of contact's springs, J.
local function gain_of(world, steps)
  local least, worst = world:energy().total, -math.huge
  for _ = 1, steps do
    world:step()
    local energy = world:energy().total
    worst = math.max(worst, energy - least)
    least = math.min(least, energy + world.stats.contact_energy)
  end
  return worst
end

describe("A rigid body that touches something from the start", function()
  for _, contact in ipairs { "impulses", "penalty" } do
    it("is carried by cloth in the plane of its face, as from a micrometre off: " .. contact, function()
      local heard = heard_in(function()
        local height = {}
        for k, above in ipairs { 1e-6, 0, 1e-17, -1e-15 } do
          local world = weft.world { contact = contact }
          hung_sheet(world, 0.5, 12)
          local box = cube(world, { 0, 0.55 + above, 0 })
          local gain = gain_of(world, 60)
          assert.is_true(gain < 1e-3, ("%g J"):format(gain))
          height[k] = box.position[2]
          support.near(height[1], height[k], 1e-4)
          assert.is_true(height[k] < 0.47)
          world:close()
        end
      end)
      assert.equal(0, #heard)
    end)
  end

  it("falls past cloth on both of its sides, or with vertices in its faces", function()
    heard_in(function()
      for _, contact in ipairs { "impulses", "penalty" } do
        local between = weft.world { contact = contact }
        hung_sheet(between, 0.5, 12)
        hung_sheet(between, 0.6, 12)
        local box = cube(between, { 0, 0.55, 0 })
        assert.is_true(gain_of(between, 30) < 1e-3)
        assert.is_true(box.position[2] < 0.5)
        between:close()
        local through = weft.world { contact = contact }
        hung_sheet(through, 0.5, 12)
        local hull = through:add(weft.rigid { shape = "convex", mass = 0.1, position = { 0, 0.48, 0 },
          points = { { 0, 0, 0 }, { 0.1, 0, 0 }, { 0, 0.1, 0 }, { 0, 0, 0.1 }, { 0.05, 0.05, 1e-9 } } })
        local before = hull.position[2]
        assert.is_true(gain_of(through, 30) < 1e-3)
        support.near(before - GRAVITY / 2 * 0.25, hull.position[2], 0.15)
        through:close()
      end
    end)
  end)

  it("rests on others, on a floor and on a body, at the distance of contact", function()
    local heard = heard_in(function()
      local world = weft.world { floor = 0 }
      local pile = {}
      for k = 1, 4 do
        pile[k] = cube(world, { 0, 0.1 * k - 0.05, 0 })
      end
      local beside = cube(world, { 0.1, 0.05, 0 })
      local before = world:energy().total
      world:step(60)
      local thickness, lifted = pile[1].thickness, 0
      for k, box in ipairs(pile) do
        -- The distance is a thickness to the floor, and two to each other.
        local up = box.position[2] - (0.1 * k - 0.05)
        assert.is_true(up > 0 and up < thickness * (2 * k - 1), ("%d: %g m"):format(k, up))
        support.close(0, box.position[1], 2 * thickness)
        lifted = lifted + 0.2 * GRAVITY * up
      end
      lifted = lifted + 0.2 * GRAVITY * (beside.position[2] - 0.05)
      assert.is_true(world:energy().total - before <= lifted + 1e-4)
      world:close()
      local on_body = weft.world {}
      table_body(on_body)
      local box = cube(on_body, { 0, 0.05, 0 })
      box.velocity = { 1, 0, 0 }
      on_body:step(60)
      assert.is_true(box.position[1] > 0.05 and box.position[2] > 0.05 and box.position[2] < 0.052)
      on_body:close()
    end)
    assert.equal(0, #heard)
  end)

  it("stands in towers and blocks of any number, and in whole steps", function()
    for _, counts in ipairs { { 1, 12, 1 }, { 9, 1, 1 }, { 3, 3, 3 } } do
      local world, members, heard = weft.world { floor = 0 }, {}, {}
      for i = 1, counts[1] do
        for j = 1, counts[2] do
          for k = 1, counts[3] do
            local place = { 0.1 * i, 0.1 * j - 0.05, 0.1 * k }
            table.insert(members, world:add(weft.rigid { shape = "box", position = place }))
          end
        end
      end
      weft.on_warning(function(text) heard[#heard + 1] = text end)
      world:step(30)
      weft.on_warning(nil)
      assert.equal(nil, heard[1])
      assert.equal(1, world.stats.parts)
      for i = 1, #members do
        for j = 1, i - 1 do
          assert.equal(0, weft.inspect.intersections(members[i], members[j]).count)
        end
      end
    end
  end)

  it("is where a script put it until a step is done", function()
    local core = require "weft.core"
    local world = weft.world {}
    hung_sheet(world, 0.5, 4)
    local box = cube(world, { 0, 0.55, 0 })
    local before, count, done = world:hash(), 0, false
    while not done do
      core.fail_allocation(count)
      done = pcall(world.step, world)
      core.fail_allocation()
      assert.is_true(done or (before == world:hash() and box.position[2] == 0.55))
      count = count + 1
    end
    assert.is_true(count > 10 and box.position[2] < 0.55)
    world:close()
  end)
end)

describe("Cloth wholly inside a rigid body", function()
  for _, put in ipairs { false, true } do
    it(put and "is let go where a script put the body" or "is let go", function()
      for _, contact in ipairs { "impulses", "penalty" } do
        local heard = heard_in(function()
          local world = weft.world { contact = contact }
          local sheet = hung_sheet(world, 0.5, 6)
          local ball = world:add(weft.rigid { shape = "sphere", radius = 1, mass = 5, position = { 0, 0.5, 0 } })
          if put then
            ball.position = { 0, 5, 0 }
            world:step()
            ball.position, ball.velocity = { 0, 0.5, 0 }, { 0, 0, 0 }
          end
          local gain = gain_of(world, 60)
          assert.is_true(gain < 0.01, ("%g J"):format(gain))
          support.near(0.5 - GRAVITY / 2, ball.position[2], 0.2)
          assert.is_true(world:energy().membrane < 0.02)
          assert.equal(0, weft.inspect.intersections(sheet, ball).count)
          world:close()
        end)
        assert.equal(1, #heard)
        assert.matches("^cloth starts inside sphere, near {.*passes through", heard[1])
      end
    end)
  end
end)

describe("Rigid bodies that overlap from the start", function()
  it("fall as each does alone, and warn", function()
    for _, apart in ipairs { 0.02, 0.099 } do
      local heard = heard_in(function()
        local world = weft.world {}
        local ball = world:add(weft.rigid { shape = "sphere", radius = 0.05, mass = 0.2, position = { 0, 0.5, 0 } })
        local box = cube(world, { apart, 0.5, 0 })
        assert.is_true(gain_of(world, 60) < 1e-6)
        -- The implicit step falls a step's g h^2 / 2 a step too far.
        support.near(0.5 - GRAVITY / 2, ball.position[2], 0.1)
        support.near(0.5 - GRAVITY / 2, box.position[2], 0.1)
        support.near(-GRAVITY, ball.velocity[2], 1e-3)
        world:close()
      end)
      assert.equal(1, #heard)
      assert.matches("box starts crossing sphere.*pass through each other", heard[1])
    end
  end)

  it("pass through each other, also one that is inside, and meet when they come again", function()
    local heard = heard_in(function()
      local world = weft.world { gravity = { 0, 0, 0 } }
      local large = world:add(weft.rigid { shape = "box", size = { 0.3, 0.3, 0.3 }, mass = 1 })
      local small = world:add(weft.rigid { shape = "sphere", radius = 0.04, mass = 0.2, velocity = { 1, 0, 0 } })
      world:step(18) -- 0.3 m
      support.near(0.3, small.position[1], 0.005)
      support.close(0, large.velocity[1], 1e-9)
      small.velocity = { -1, 0, 0 }
      assert.is_true(gain_of(world, 60) < 1e-3)
      assert.equal(0, weft.inspect.intersections(large, small).count)
      assert.is_true(small.position[1] > large.position[1] + 0.15)
      local momentum = world:momentum().linear
      support.close(-0.2, momentum[1], 1e-4) -- as the solver's tolerance has it
      world:close()
    end)
    assert.equal(1, #heard)
    assert.matches("sphere starts inside box; they pass through each other", heard[1])
  end)
end)

describe("A rigid body that no part of a step frees", function()
  --- A box of 0.1 m that is in a body whose upper face is at 0.
  local function sunken(depth)
    local world = weft.world {}
    world:add(weft.body { vertices = { { -1, 0, -1 }, { 1, 0, -1 }, { 1, 0, 1 }, { -1, 0, 1 }, { 0, -1, 0 } },
      faces = { { 3, 2, 1 }, { 4, 3, 1 }, { 1, 2, 5 }, { 2, 3, 5 }, { 3, 4, 5 }, { 4, 1, 5 } } })
    return world, cube(world, { 0, 0.05 - depth, 0 })
  end

  it("is tried in parts now and then, and as soon as something moves it", function()
    local heard = heard_in(function()
      for _, depth in ipairs { 1e-4, 3e-4, 1e-3, 5e-3, 0.01, 0.03 } do
        local world, box = sunken(depth)
        local divided = 0
        for _ = 1, 40 do
          world:step()
          divided = divided + (world.stats.parts > 2 and 1 or 0)
        end
        assert.is_true(divided >= 1 and divided <= 3, ("%g m: %d steps in parts"):format(depth, divided))
        assert.equal(1, world.stats.backed_off)
        box.velocity = { 0, -1, 0 }
        world:step()
        assert.is_true(world.stats.parts > 1)
        box.position, box.velocity = { 0, 0.06, 0 }, { 0, 0, 0 }
        world:step(40)
        assert.equal(0, world.stats.backed_off)
        support.close(0.051, box.position[2], 1e-4)
        world:close()
      end
    end)
    assert.equal(6, #heard)
  end)

  it("is so whether or not steps before have failed", function()
    heard_in(function()
      support.step_despite_failures(sunken(0.03), sunken(0.03), 3, function() end)
    end)
  end)
end)

--- What bodies stand on, touching it at the height 0; each returns its own share of their distance, m.
local GROUNDS = {
  floor = function(world)
    world.floor = 0
    return 0
  end,
  body = function(world)
    return table_body(world).thickness
  end,
  cloth = function(world)
    local sheet = world:add(weft.sheet { cells = { 2, 2 }, size = { 0.4, 0.4 }, centre = { 0, 0, 0 } })
    sheet:pin { vertices = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }
    return sheet.fabric.thickness / 2
  end,
}

describe("A rigid body that begins within its distance", function()
  local function add(world, shape, thickness, height)
    local size = shape == "box" and { 0.1, 0.1, 0.1 } or nil
    return world:add(weft.rigid { shape = shape, size = size, radius = not size and 0.05 or nil,
      detail = not size and 1 or nil, mass = 1, thickness = thickness, position = { 0, height, 0 } })
  end

  --- How fast any of them is, m/s, how far the last rises, m, and by how much more the energy rises than lifts them, J.
  local function rise_of(world, members, duration)
    local from, fastest, highest, gain = {}, 0, 0, -math.huge
    for k, member in ipairs(members) do
      from[k] = member.position[2]
    end
    local before = world:energy().total
    for _ = 1, math.floor(duration / world.time_step + 0.5) do
      world:step()
      local lifted = 0
      for k, member in ipairs(members) do
        fastest = math.max(fastest, math.abs(member.velocity[2]))
        lifted = lifted + member.mass * GRAVITY * (member.position[2] - from[k])
      end
      highest = math.max(highest, members[#members].position[2] - from[#members])
      gain = math.max(gain, world:energy().total - before - lifted)
    end
    return fastest, highest, gain
  end

  --- m/s: a tenth of what is missing in a hundredth of a second, and no more than 0.05 m/s.
  local function most_of(missing)
    return 1.02 * math.min(missing / 0.1, 0.05) + 1e-4
  end

  for ground, make in pairs(GROUNDS) do
    it("comes to it no faster than gently, however thick and in whatever steps: " .. ground, function()
      for _, shape in ipairs { "box", "sphere", "capsule" } do
        for _, thickness in ipairs { 0.0005, 0.005, 0.05 } do
          for _, time_step in ipairs { 1 / 30, 1 / 240, 1e-3, 2e-4 } do
            local world = weft.world { time_step = time_step }
            local distance = thickness + make(world)
            local member = add(world, shape, thickness, shape == "capsule" and 0.15 or 0.05)
            local duration = math.min(0.2, 80 * time_step)
            local fastest, highest, gain = rise_of(world, { member }, duration)
            local due = math.min(0.05 * duration, distance * (1 - math.exp(-duration / 0.1)))
            local least = ground == "cloth" and 0 or 0.6 * due -- cloth presses by no more than the weight
            local where = ("%s, %g m thick, step %g s: %g m/s, %g of %g m, %g J"):format(shape, thickness, time_step,
              fastest, highest, distance, gain)
            assert.is_true(fastest < most_of(distance), where)
            assert.is_true(highest > least and highest < distance, where)
            assert.is_true(gain < 0.5 * most_of(distance) ^ 2, where)
            world:close()
          end
        end
      end
    end)
  end

  it("does so where a script put it, and from anywhere within", function()
    for _, part in ipairs { 0, 1e-9, 0.3, 0.6, 0.9 } do
      for _, time_step in ipairs { 1 / 60, 1e-3 } do
        local world = weft.world { floor = 0, time_step = time_step }
        local member = add(world, "box", 0.005, 0.2)
        world:step(2)
        member.position, member.velocity = { 0, 0.05 + part * 0.005, 0 }, { 0, 0, 0 }
        local fastest, highest = rise_of(world, { member }, 0.2)
        assert.is_true(fastest < most_of((1 - part) * 0.005), ("at %g: %g m/s"):format(part, fastest))
        assert.is_true(highest < (1 - part) * 0.005, ("at %g: %g m"):format(part, highest))
        world:close()
      end
    end
  end)

  it("carries what is stacked on it up without throwing it", function()
    for _, thickness in ipairs { 0.0005, 0.01 } do
      for _, time_step in ipairs { 1 / 60, 1e-3 } do
        for _, count in ipairs { 3, 10 } do
          local world, members = weft.world { floor = 0, time_step = time_step }, {}
          for k = 1, count do
            members[k] = add(world, "box", thickness, 0.1 * k - 0.05)
          end
          local fastest, highest, gain = rise_of(world, members, math.min(0.15, 50 * time_step))
          local where = ("%d of %g m, step %g s: %g m/s, %g m, %g J"):format(count, thickness, time_step, fastest,
            highest, gain)
          assert.is_true(fastest < count * most_of(2 * thickness), where)
          assert.is_true(highest < (2 * count - 1) * thickness, where)
          assert.is_true(gain < 0.5 * count * (count * most_of(2 * thickness)) ^ 2, where)
          world:close()
        end
      end
    end
  end)
end)
