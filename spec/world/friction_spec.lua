-- Coulomb's law in worlds: inclines, belts, edges; static and dynamic coefficients of pairs of materials.

local weft = require "weft"
local support = require "spec.support"
local shapes = require "spec.world.stress.shapes"
local message_of = support.message_of

local G = 9.81

--- A patch of cloth that rests on the floor; tilt(angle) turns gravity instead of it, so that it goes down along x.
local function patch(options)
  options.floor = true
  options.floor_friction = options.floor_friction or 0
  options.tolerance = 1e-6
  local world = weft.world(options)
  local fabric = weft.fabric { base = "wool", name = "felt" }
  local sheet = world:add(weft.sheet { cells = { 2, 2 }, size = { 0.04, 0.04 }, fabric = fabric,
                                       centre = { 0, 0.5 * fabric.thickness, 0 } })
  world:step(60)
  return world, sheet, function(angle)
    world.gravity = { G * math.sin(angle), -G * math.cos(angle), 0 }
  end
end

--- Along x, over all vertices.
local function mean(vectors)
  local sum = 0
  for i = 1, #vectors do
    sum = sum + vectors:get(i)
  end
  return sum / #vectors
end

local function place(sheet)
  return mean(sheet.positions)
end

local function speed(sheet)
  return mean(sheet.velocities)
end

describe("Friction on an incline", function()
  local mu = 0.4
  for _, case in ipairs { { "impulses", "backward euler" }, { "penalty", "backward euler" }, { "impulses", "bdf2" },
                        { "geometric", "backward euler" }, { "constraints", "backward euler" } } do
    local options = function()
      return { contact = case[1], integrator = case[2], floor_friction = mu }
    end
    local name = case[1] .. ", " .. case[2]

    it(name .. ": holds below the angle of friction, with less than 0.1 mm of creep in 10 s", function()
      local world, sheet, tilt = patch(options())
      tilt(math.atan(0.95 * mu))
      world:step(60) -- the shock of the tilt
      local from = place(sheet)
      world:step(600)
      assert.is_true(math.abs(place(sheet) - from) < 1e-4, ("crept %g m"):format(place(sheet) - from))
    end)

    it(name .. ": slides with g (sin a - mu cos a) above it, within 1 %", function()
      for _, ratio in ipairs { 1.1, 2 } do
        local angle = math.atan(ratio * mu)
        local world, sheet, tilt = patch(options())
        local expected = G * (math.sin(angle) - mu * math.cos(angle))
        tilt(angle)
        world:step(150)
        local before = speed(sheet)
        world:step(30)
        local found = 2 * (speed(sheet) - before)
        assert.is_true(math.abs(found - expected) < 0.01 * expected, ("%g instead of %g"):format(found, expected))
      end
    end)
  end
end)

describe("Cloth that a slope is too steep for", function()
  local mu = 0.4
  for _, contact in ipairs { "impulses", "penalty", "constraints" } do
    it(contact .. ": slides from the first step on, whatever its length", function()
      for _, time_step in ipairs { 1 / 30, 1 / 60, 1 / 240 } do
        for _, ratio in ipairs { 1.1, 1.2 } do
          local angle = math.atan(ratio * mu)
          local world, sheet, tilt = patch { contact = contact, floor_friction = mu, time_step = time_step }
          local from = place(sheet)
          tilt(angle)
          world:step(math.floor(1 / time_step + 0.5))
          -- at its end each step has all the speed that it gains: half of a step's way more than gains by and by
          local way = 0.5 * (1 + time_step) * G * (math.sin(angle) - mu * math.cos(angle))
          support.near(way, place(sheet) - from, 0.02)
        end
      end
    end)
  end
end)

--- Shares of mu m g h that a sheet gains in each step on a plate that starts to move at 1.5 m/s.
local function gains_on_plate(contact, mu, time_step)
  local world = weft.world { contact = contact, time_step = time_step, tolerance = 1e-6 }
  local box = shapes.box({ -0.5, -0.05, -0.5 }, { 0.5, 0, 0.5 })
  local body = world:add(weft.body { vertices = box.vertices, faces = box.faces, friction = mu })
  local fabric = weft.fabric { base = "wool", friction = mu }
  local sheet = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.2, 0.2 }, fabric = fabric,
                                       centre = { 0, 0.5 * fabric.thickness + 0.001, 0 } })
  world:step(math.ceil(0.2 / time_step))
  local after, gains = sheet:momentum(), {}
  local most = mu * G * after.mass * time_step
  for k = 1, 12 do
    body:move { shift = { 1.5 * time_step, 0, 0 } }
    world:step()
    local before = after.linear[1]
    after = sheet:momentum()
    gains[k] = (after.linear[1] - before) / most
  end
  return gains
end

describe("A plate that starts to move", function()
  local mu = 0.4
  -- In long steps springs bear what landed on them with more than its weight.
  for _, case in ipairs { { "impulses", 1e-3, 0.06 }, { "penalty", 1e-3, 0.06 }, { "constraints", 1e-3, 0.01 },
                        { "constraints", 1 / 60, 0.01 } } do
    local contact, time_step, tolerance = case[1], case[2], case[3]
    it(("%s, %.2g s: draws along what lies on it by no more than mu times its weight"):format(contact, time_step),
      function()
        for k, gain in ipairs(gains_on_plate(contact, mu, time_step)) do
          assert.is_true(math.abs(gain - 1) < tolerance, ("step %d: %g"):format(k, gain))
        end
      end)
  end
end)

describe("Friction of constraints", function()
  local mu, contact = 0.4, "constraints"

  it("holds below the angle and slides above it in steps of any length", function()
    for _, time_step in ipairs { 1 / 30, 1 / 240, 1e-3 } do
      for _, ratio in ipairs { 0.97, 1.1, 1.2 } do
        local angle = math.atan(ratio * mu)
        local world, sheet, tilt = patch { contact = contact, floor_friction = mu, time_step = time_step }
        local expected = math.max(0, G * (math.sin(angle) - mu * math.cos(angle)))
        tilt(angle)
        world:step(100)
        local from, before = place(sheet), speed(sheet)
        world:step(100)
        local found, time = (speed(sheet) - before) / (100 * time_step), 100 * time_step
        local where = ("%g s, %g: %g instead of %g"):format(time_step, ratio, found, expected)
        assert.is_true(math.abs(found - expected) <= 0.01 * expected + 1e-6, where)
        assert.is_true(expected > 0 or math.abs(place(sheet) - from) < 1e-5 * time, where)
      end
    end
  end)

  it("lets stacked sheets come to rest", function()
    local world = weft.world { contact = contact, floor = true, floor_friction = mu }
    local fabric = weft.fabric { base = "wool" }
    for k = 1, 4 do
      world:add(weft.sheet { cells = { 6, 6 }, size = { 0.15, 0.15 }, fabric = fabric,
                             centre = { 0.003 * k, (1.05 * k - 0.5) * fabric.thickness + 0.0005 * k, 0.002 * k } })
    end
    world:step(60)
    for _ = 1, 30 do
      world:step()
      assert.is_true(world.stats.max_speed < 1e-3, world.stats.max_speed)
    end
  end)
end)

--- The solid over a polygon in the plane of x and y, from z = -0.05 to 0.05. The polygon is convex, counterclockwise.
local function extruded(polygon, mu)
  local n, vertices, faces = #polygon, {}, {}
  for _, z in ipairs { -0.05, 0.05 } do
    for _, p in ipairs(polygon) do
      vertices[#vertices + 1] = { p[1], p[2], z }
    end
  end
  for i = 1, n do
    local j = i % n + 1
    faces[#faces + 1], faces[#faces + 2] = { i, j, n + j }, { i, n + j, n + i }
    if i > 2 then
      faces[#faces + 1], faces[#faces + 2] = { 1, i, i - 1 }, { n + 1, n + i - 1, n + i }
    end
  end
  return weft.body { vertices = vertices, faces = faces, friction = mu }
end

--- A strip 1 cm wide of `count` cells along a curve: along(s) is its place at s, 0 to `length`.
local function strip(length, count, fabric, along)
  local vertices, rest, faces = {}, {}, {}
  for i = 0, count do
    for k = 0, 1 do
      local s = length * i / count
      local x, y = along(s)
      vertices[#vertices + 1], rest[#rest + 1] = { x, y, 0.01 * k - 0.005 }, { s, 0.01 * k }
    end
    if i > 0 then
      local a = 2 * i - 1
      faces[#faces + 1], faces[#faces + 2] = { a, a + 2, a + 1 }, { a + 1, a + 2, a + 3 }
    end
  end
  return weft.cloth { vertices = vertices, rest = rest, faces = faces, fabric = fabric }
end

local function limp(mu)
  return weft.fabric { density = 0.2, stretch = { weft = 500, warp = 500, coupling = 0 }, shear = 100, friction = mu,
                       bend = { weft = 1e-8, warp = 1e-8 }, thickness = 0.001, viscosity = 0.01 }
end

-- "geometric" corrects what the step has done without contact: its friction follows weight and impact, not the tension
-- that draws cloth over a body.
local with_tension = { "impulses", "penalty", "constraints" }

describe("Cloth on a floor that a load presses on", function()
  it("lies as high and is held as firmly in short steps as in long ones", function()
    local heights = {}
    for _, time_step in ipairs { 1 / 60, 1e-3, 1e-4 } do
      local load, mu = 200 * G, 0.3 -- some 400 Pa
      local world = weft.world { floor = 0, floor_friction = mu, time_step = time_step, gravity = { 0, -load, 0 } }
      local sheet = world:add(weft.sheet { cells = { 3, 3 }, size = { 0.1, 0.1 }, centre = { 0, 3e-4, 0 } })
      local steps = math.max(3, math.floor(0.02 / time_step))
      world:step(steps)
      heights[#heights + 1] = sheet:momentum().centre[2]
      world.gravity = { 0.7 * mu * load, -load, 0 }
      world:step(steps)
      assert.is_true(speed(sheet) < 0.02 * mu * load * steps * time_step, ("%g s: %g m/s"):format(time_step,
        speed(sheet)))
    end
    support.near(heights[1], heights[2], 0.01)
    support.near(heights[1], heights[3], 0.01)
  end)
end)

describe("Friction of a strip over a cylinder", function()
  for _, response in ipairs(with_tension) do
    it(response .. ": lets the tension grow by e^(mu theta), within 3 %", function()
      local radius, mu, span, sides = 0.05, 0.3, 0.05, 120
      local polygon = {}
      for k = 0, sides - 1 do
        local t = 2 * math.pi * k / sides
        polygon[#polygon + 1] = { radius * math.cos(t), radius * math.sin(t) }
      end
      local world = weft.world { contact = response, gravity = { 0, 0, 0 }, damping = 2, tolerance = 1e-6 }
      local r = radius + 0.001 -- half the cloth's thickness and the body's
      local length = 2 * span + math.pi * r
      local count = 90
      local cloth = strip(length, count, limp(mu), function(s)
        local t = math.min(math.max((s - span) / r, 0), math.pi)
        local below = math.max(span - s, s - span - math.pi * r, 0)
        return -r * math.cos(t), r * math.sin(t) - below
      end)
      world:add(extruded(polygon, mu))
      world:add(cloth)
      for k = 1, 240 do
        cloth:pin { vertices = { 1, 2, 2 * count + 1, 2 * count + 2 },
                    targets = { { -r, -span, -0.005 }, { -r, -span, 0.005 }, { r, -span - 1e-5 * k, -0.005 },
                                { r, -span - 1e-5 * k, 0.005 } } }
        world:step()
      end
      local function strain(from, to) -- of a straight part, between rows
        local _, y0 = cloth.positions:get(2 * from + 1)
        local _, y1 = cloth.positions:get(2 * to + 1)
        return math.abs(y1 - y0) / ((to - from) * length / count) - 1
      end
      local rows = math.floor(0.8 * span / (length / count))
      local ratio = strain(count - rows, count) / strain(0, rows)
      local expected = math.exp(mu * math.pi)
      assert.is_true(math.abs(ratio / expected - 1) < 0.03, ("%g instead of %g"):format(ratio, expected))
    end)
  end
end)

describe("A strip over the edge of a table", function()
  local mu, radius, on_table = 0.3, 0.01, 0.1
  local r = radius + 0.001

  --- The overhang below the rounded edge that friction just holds: dT/dt = mu (T + w r cos t) - w r sin t over the
  --- edge, from mu w b; without the weight of the strip on the edge it is mu b e^(mu pi/2). Runge and Kutta's steps.
  local function largest_overhang()
    local pull, n = mu * on_table, 100
    local h = math.pi / 2 / n
    local function slope(t, p)
      return mu * (p + r * math.cos(t)) - r * math.sin(t)
    end
    for k = 0, n - 1 do
      local t = k * h
      local a = slope(t, pull)
      local b = slope(t + h / 2, pull + h / 2 * a)
      local c = slope(t + h / 2, pull + h / 2 * b)
      pull = pull + h / 6 * (a + 2 * b + 2 * c + slope(t + h, pull + h * c))
    end
    return pull
  end

  local function slipped(response, overhang)
    local polygon = { { -0.2, -0.2 }, { 0.2 - 0.2, -0.2 } }
    for k = 0, 20 do
      local t = math.pi / 2 * k / 20
      polygon[#polygon + 1] = { -radius + radius * math.cos(t), -radius + radius * math.sin(t) }
    end
    polygon[#polygon + 1] = { -0.2, 0 }
    local length = on_table + math.pi / 2 * r + overhang
    local world = weft.world { contact = response, tolerance = 1e-6, damping = 1 }
    world:add(extruded(polygon, mu))
    local cloth = world:add(strip(length, 60, limp(mu), function(s)
      local t = math.min(math.max((s - on_table) / r, 0), math.pi / 2)
      local x = -radius + r * math.sin(t) - math.max(on_table - s, 0)
      return x, -radius + r * math.cos(t) - math.max(s - on_table - math.pi / 2 * r, 0)
    end))
    world:step(60) -- the shock of the start
    local from = cloth.positions:get(1)
    world:step(180)
    return cloth.positions:get(1) - from
  end

  for _, response in ipairs(with_tension) do
    it(response .. ": slips when the overhang is 5 % more than friction holds, and not when it is 5 % less", function()
      local most = largest_overhang()
      local less, more = slipped(response, 0.95 * most), slipped(response, 1.05 * most)
      assert.is_true(math.abs(less) < 1e-3, ("slipped by %g m"):format(less))
      assert.is_true(more > 0.01, ("slipped by %g m only"):format(more))
    end)
  end
end)

describe("Friction of pairs of materials", function()
  it("holds up to the static coefficient, and slides with the dynamic one", function()
    local world, sheet, tilt = patch { friction = { { between = { "floor", "felt" }, dynamic = 0.3, static = 0.5 } } }
    tilt(math.atan(0.45))
    world:step(300)
    assert.is_true(math.abs(place(sheet)) < 1e-4)
    sheet:assign { velocities = (function()
      local v = {}
      for i = 1, sheet.vertices do
        v[i] = { 0.5, 0, 0 }
      end
      return v
    end)() }
    world:step(60)
    local angle, before = math.atan(0.45), speed(sheet)
    world:step(60)
    local expected = G * (math.sin(angle) - 0.3 * math.cos(angle))
    assert.is_true(math.abs(speed(sheet) - before - expected) < 0.01 * expected)
  end)

  it("reads back, is part of the state, and refuses what is out of range", function()
    local world = weft.world()
    local hash = world:hash()
    world.friction = { { between = { "wool", "mannequin" }, dynamic = 0.2 },
                       { between = { "wool", "wool" }, dynamic = 0.3, static = 0.35 } }
    assert.not_equal(hash, world:hash())
    assert.same({ { between = { "wool", "mannequin" }, dynamic = 0.2, static = 0.2 },
                  { between = { "wool", "wool" }, dynamic = 0.3, static = 0.35 } }, world.friction)
    for _, bad in ipairs { 3, { 1 }, { { between = { "a" }, dynamic = 1 } }, { { between = { "a", "b" } } },
      { { between = { "a", "b" }, dynamic = -1 } }, { { between = { "a", "b" }, dynamic = 0.5, static = 0.4 } },
      { { between = { "a", {} }, dynamic = 1 } }, { { between = { "a", "b" }, dynamic = 1, kinetic = 1 } } } do
      assert.matches("friction", message_of(function()
        world.friction = bad
      end))
    end
    assert.equal(2, #world.friction)
    world.friction = {}
    assert.equal(hash, world:hash())
  end)
end)
