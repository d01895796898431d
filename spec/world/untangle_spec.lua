-- Cloth that starts in itself, in other cloth or in a body, and layers in the wrong order.
local weft = require "weft"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

local function sheet(size, cells, centre, more)
  return weft.sheet(support.with({ cells = { cells, cells }, size = { size, size }, centre = centre }, more or {}))
end

local function ball(radius)
  local shape = shapes.sphere({ 0, 0, 0 }, radius, 16)
  return weft.body { name = "ball", vertices = shape.vertices, faces = shape.faces }
end

--- A square that is laid onto a sphere of the radius around the origin.
local function dome(radius)
  return weft.cloth(shapes.band({ 20, 20 }, { 0.2, 0.2 }, function(u, v)
    local x, z = 0.2 * (u - 0.5), 0.2 * (v - 0.5)
    local angle = math.sqrt(x * x + z * z) / radius
    local share = angle > 0 and math.sin(angle) / angle or 1
    return { x * share, radius * math.cos(angle), z * share }
  end))
end

local function crossings(a, b)
  return weft.inspect.intersections(a, b).count
end

--- Runs the world for a second with an exact check: what was untangled stays so.
local function stays_untangled(world, check)
  for _ = 1, 20 do
    world:step()
    assert.equal(0, check())
  end
end

describe("Untangling", function()
  it("draws a sheet back that another cuts near its border", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    local a = world:add(sheet(0.2, 16, { 0, 0, 0 }))
    local b = world:add(sheet(0.2, 16, { 0.085, 0.001, 0.013 }, { weft = { 0, 1, 0 } }))
    local before = crossings(a, b)
    local report = world:untangle()
    assert.equal(before, report.crossings_before)
    assert.equal(0, report.crossings)
    assert.equal(0, crossings(a, b) + crossings(a) + crossings(b))
    assert.is_true(report.largest_move < 0.03, report.largest_move)
    stays_untangled(world, function() return crossings(a, b) + crossings(a) + crossings(b) end)
  end)

  it("takes back what pokes through the middle of another sheet", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    local flat = world:add(sheet(0.24, 24, { 0.003, 0, 0.002 }))
    local bump = world:add(weft.cloth(shapes.band({ 24, 24 }, { 0.24, 0.24 }, function(u, v)
      local x, z = 0.24 * (u - 0.5), 0.24 * (v - 0.5)
      return { x, -0.006 + 0.014 * math.exp(-(x * x + z * z) / 0.0016), z }
    end)))
    local report = world:untangle()
    assert.is_true(report.crossings_before > 50)
    assert.equal(0, report.crossings)
    assert.equal(0, crossings(flat, bump) + crossings(flat) + crossings(bump))
    assert.is_true(report.largest_move < 0.01)
    local _, top = bump.positions:get(12 * 25 + 13)
    local _, over = flat.positions:get(12 * 25 + 13)
    assert.is_true(top < over)
  end)

  it("moves nothing below the floor or into colliders", function()
    local function lowest(options, collider)
      local world = weft.world(support.with({ gravity = { 0, 0, 0 } }, options))
      if collider then
        world:add(collider)
      end
      local flat = world:add(sheet(0.24, 24, { 0.003, 0, 0.002 }))
      world:add(weft.cloth(shapes.band({ 24, 24 }, { 0.24, 0.24 }, function(u, v)
        local x, z = 0.24 * (u - 0.5), 0.24 * (v - 0.5)
        return { x, 0.006 - 0.014 * math.exp(-(x * x + z * z) / 0.0016), z }
      end)))
      local report = world:untangle()
      assert.is_true(report.crossings < report.crossings_before)
      local least = math.huge
      for i = 1, flat.vertices do
        least = math.min(least, (select(2, flat.positions:get(i))))
      end
      return least
    end
    local box = weft.collider.box { size = { 1, 0.1, 1 }, position = { 0, -0.051, 0 } }
    assert.is_true(lowest {} < -0.002)
    assert.is_true(lowest { floor = -0.001 } > -0.001)
    assert.is_true(lowest({}, box) > -0.001)
    -- a slope that what it pushes out leaves downwards
    local slope = weft.collider.plane { normal = { -1, -0.5, 0 }, point = { 0, 0, 0 } }
    assert.is_true(lowest({ floor = -0.001 }, slope) > -0.001)
  end)

  it("parts a ribbon that runs through itself", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    local ribbon = world:add(weft.cloth(shapes.band({ 60, 6 }, { 0.6, 0.06 }, function(u, v)
      local angle = 7.4 * (u - 0.5)
      return { 0.1 * math.sin(angle), 0.06 * math.cos(angle), 0.06 * (v - 0.5) + 0.02 * (u - 0.5) }
    end)))
    assert.is_true(crossings(ribbon) > 100)
    assert.equal(0, world:untangle().crossings)
    stays_untangled(world, function() return crossings(ribbon) end)
  end)

  it("takes cloth out of a body in which it starts", function()
    local world = weft.world { floor = -0.2 }
    local body, cloth = world:add(ball(0.1)), world:add(sheet(0.3, 24, { 0, 0.08, 0 }))
    local inside = weft.inspect.inside(body, cloth)
    local report = world:untangle()
    assert.equal(inside, report.inside_before)
    assert.equal(0, report.inside + report.crossings)
    assert.equal(0, (weft.inspect.inside(body, cloth)))
    stays_untangled(world, function() return crossings(cloth, body) + crossings(cloth) end)
  end)

  it("puts layers into their order, outwards from the body", function()
    local world = weft.world()
    world:add(ball(0.1))
    local shirt, jacket = world:add(dome(0.112)), world:add(dome(0.106))
    local report = world:untangle { order = { shirt, jacket } }
    assert.equal(0, report.crossings_before)
    assert.is_true(report.misplaced_before > 300)
    assert.equal(0, report.misplaced + report.crossings)
    for i = 1, shirt.vertices do
      local function height(cloth)
        local x, y, z = cloth.positions:get(i)
        return math.sqrt(x * x + y * y + z * z)
      end
      assert.is_true(height(jacket) > height(shirt) - 0.001) -- facets beside each other's vertices
    end
    assert.equal(0, world:untangle { order = { shirt, jacket } }.moved)
    stays_untangled(world, function() return crossings(shirt, jacket) + crossings(shirt) + crossings(jacket) end)
  end)

  it("lets layers that cross go the way of their order", function()
    for _, swapped in ipairs { false, true } do
      local world = weft.world { gravity = { 0, 0, 0 } }
      local low = world:add(sheet(0.2, 16, { 0, 0, 0 }))
      local tilted = world:add(sheet(0.18, 14, { 0, 0, 0 }, { weft = { 0.999, math.sqrt(1 - 0.999 ^ 2), 0 } }))
      local order = swapped and { tilted, low } or { low, tilted }
      local report = world:untangle { order = order }
      assert.is_true(report.crossings_before > 20)
      assert.equal(0, report.crossings)
      local _, y1 = low.positions:get(8 * 17 + 9)
      local _, y2 = tilted.positions:get(7 * 15 + 8)
      assert.equal(swapped, y1 > y2)
    end
  end)

  it("leaves what is in order as it is, and what is pinned where it is", function()
    local world = weft.world()
    local cloth = world:add(sheet(0.2, 8, { 0, 0, 0 }))
    local before = world:hash()
    assert.same({ 0, 0, 0 }, { world:untangle().crossings_before, world:untangle().moved, world:untangle().rounds })
    assert.equal(before, world:hash())
    local through = world:add(sheet(0.2, 8, { 0.02, 0.003, 0.01 }, { weft = { 0, 1, 0 } }))
    for _, pinned in ipairs { cloth, through } do
      local all = {}
      for i = 1, pinned.vertices do
        all[i] = i
      end
      pinned:pin { vertices = all }
    end
    before = world:hash()
    local report = world:untangle { rounds = 50 }
    assert.equal(report.crossings_before, report.crossings)
    assert.is_true(report.crossings > 10)
    assert.equal(report.crossings, #report.places)
    local x, y = report.places:get(1)
    assert.is_true(math.abs(x - 0.02) < 0.03 and math.abs(y) < 0.1)
    assert.equal(before, world:hash())
  end)

  it("gives the same bits again", function()
    local function run()
      local world = weft.world()
      world:add(ball(0.1))
      world:add(sheet(0.3, 16, { 0, 0.08, 0 }))
      world:add(sheet(0.3, 16, { 0.01, 0.09, 0 }, { weft = { 0.9, math.sqrt(1 - 0.81), 0 } }))
      world:untangle { rounds = 20 }
      return world:hash()
    end
    assert.equal(run(), run())
  end)

  it("looks at cloth with itself only where cloth meets cloth", function()
    local world = weft.world { self_contact = false }
    world:add(sheet(0.2, 8, { 0, 0, 0 }))
    world:add(sheet(0.2, 8, { 0.02, 0.003, 0.01 }, { weft = { 0, 1, 0 } }))
    assert.equal(0, world:untangle().crossings_before)
    local body = world:add(ball(0.05))
    assert.is_true(world:untangle().crossings_before > 0)
    assert.equal(0, world:untangle().crossings)
    world:remove(body)
  end)

  it("refuses what it cannot do", function()
    local world = weft.world()
    local a, b = world:add(sheet(0.2, 2, { 0, 0, 0 })), world:add(sheet(0.2, 2, { 0, 1, 0 }))
    for _, wrong in ipairs { { order = { a } }, { order = { a, 3 } }, { order = a }, { rounds = 0 }, { rounds = 1.5 },
      { round = 3 }, { order = {} } } do
      assert.truthy(support.message_of(world.untangle, world, wrong):find("weft.world.untangle", 1, true))
    end
    local away = weft.world():add(sheet(0.2, 2, { 0, 0, 0 }))
    for expected, order in pairs {
      ["order[1] and order[2] are the same cloth, of 9 vertices and 8 triangles"] = { b, b },
      ["order[1] and order[3] are the same cloth, of 9 vertices and 8 triangles"] = { a, b, a },
      ["order[2] is a cloth that is not in this world"] = { a, away, b },
      ["order must name every cloth of the world: 2, got 1"] = { b },
    } do
      local before = world:hash()
      assert.equal("weft.world.untangle: " .. expected, support.message_of(world.untangle, world, { order = order }))
      assert.equal(before, world:hash())
    end
    assert.matches("not in this world", support.message_of(world.untangle, weft.world(), { order = { a } }))
    world:untangle { order = { b, a } }
    world:add(weft.cloth { vertices = { { 0, 0, 5 }, { 1, 0, 5 }, { 0, 1, 5 } }, faces = { { 1, 2, 3 } },
      rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, stitches = { { 2, 3 } } })
    assert.truthy(support.message_of(world.untangle, world):find "stitches")
    assert.equal(0, weft.world():untangle().crossings)
  end)

  it("leaves nothing behind when memory runs out", function()
    local world = weft.world()
    world:add(ball(0.1))
    world:add(sheet(0.2, 4, { 0, 0.09, 0 }))
    world:step()
    local before = world:hash()
    support.fail_each_allocation(function()
      return world:untangle { rounds = 1 }
    end, function()
      assert.equal(before, world:hash())
    end)
  end)
end)
