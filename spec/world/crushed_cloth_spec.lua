-- Bodies that are told to go where cloth has no room: into the floor, into colliders and into other bodies.
local weft = require "weft"
local contact_shapes = require "spec.contact.shapes"
local support = require "spec.support"

local FACES = { { 1, 2, 3 }, { 1, 3, 4 }, { 5, 7, 6 }, { 5, 8, 7 }, { 1, 6, 2 }, { 1, 5, 6 }, { 2, 7, 3 }, { 2, 6, 7 },
  { 3, 8, 4 }, { 3, 7, 8 }, { 4, 5, 1 }, { 4, 8, 5 } }
local GAP, DEEPER = 0.05, 0.01 -- m: from the presser to what is pressed on, and how far beyond it the presser is to go
local MOST_PARTS = 256         -- that the reference promises

-- Ways of looking along each axis: `up` is the side that the presser comes from.
local SIDES = {
  above = function(up, a, b) return { a, up, b } end,
  right = function(up, a, b) return { up, b, a } end,
  front = function(up, a, b) return { b, a, up } end,
}

local function slab(side, low, high, width)
  local vertices = {}
  for _, up in ipairs { low, high } do
    for _, corner in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
      vertices[#vertices + 1] = side(up, width * corner[1], width * corner[2])
    end
  end
  return { vertices = vertices, faces = FACES }
end

local function ball(side, radius)
  local scene = contact_shapes.scene()
  contact_shapes.add_sphere(scene, 8, side(GAP + radius, 0, 0), radius)
  return { vertices = scene.points, faces = scene.body }
end

local function sheet(side, cells, up)
  local points, rest, faces = {}, {}, {}
  for i = 0, cells do
    for k = 0, cells do
      rest[#rest + 1] = { 0.4 * k / cells, 0.4 * i / cells }
      points[#points + 1] = side(up, 0.4 * i / cells - 0.2, 0.4 * k / cells - 0.2)
    end
  end
  for i = 0, cells - 1 do
    for k = 1, cells do
      local a = i * (cells + 1) + k
      faces[#faces + 1] = { a, a + 1, a + cells + 2 }
      faces[#faces + 1] = { a, a + cells + 2, a + cells + 1 }
    end
  end
  return weft.cloth { vertices = points, faces = faces, rest = rest }
end

local HOLDERS = {
  floor = function() end,
  box = function(side)
    local size = side(0.1, 0.6, 0.6)
    return weft.collider.box { size = size, position = side(-0.05, 0, 0) }
  end,
  plane = function(side) return weft.collider.plane { normal = side(1, 0, 0) } end,
  sphere = function(side) return weft.collider.sphere { radius = 0.1, position = side(-0.1, 0, 0) } end,
  body = function(side) return weft.body(slab(side, -0.1, 0, 0.35)) end,
}

--- Presses `layers` sheets between a holder and a presser for some steps and checks each of them.
local function press(case)
  local side, layers = SIDES[case.side or "above"], {}
  local on_floor = case.holder == "floor"
  local world = weft.world { contact = case.contact, floor = on_floor and 0 or nil,
    gravity = not on_floor and { 0, 0, 0 } or nil }
  for k = 1, case.layers or 1 do
    layers[k] = world:add(sheet(side, case.cells, 0.002 + 0.002 * k))
  end
  local holder = HOLDERS[case.holder](side)
  if holder then
    world:add(holder)
  end
  local shape = case.presser == "ball" and ball(side, 0.1) or slab(side, GAP, GAP + 0.1, 0.3)
  local presser = world:add(weft.body(shape))
  presser:move { shift = side(-GAP - DEEPER, 0, 0) }
  for _ = 1, 3 do
    world:step()
    local stats = world.stats
    assert.is_true(stats.parts <= MOST_PARTS)
    assert.equal(0, stats.inside)
    -- There is no room for it where cloth is; it came nearly as near as the finest part of a step, and cloth, let it.
    local gap = stats.body_lag - DEEPER
    assert.is_true(gap > 0 and gap < case.reaches, ("%g m are left"):format(gap))
    local reached = { vertices = {}, faces = shape.faces }
    local lag = side(stats.body_lag, 0, 0)
    for i = 1, presser.vertices do
      local x, y, z = presser.positions:get(i)
      reached.vertices[i] = { x + lag[1], y + lag[2], z + lag[3] }
    end
    for k, layer in ipairs(layers) do
      local crossings = weft.inspect.intersections(layer).count + weft.inspect.intersections(layer, reached).count
      if case.holder == "body" then
        crossings = crossings + weft.inspect.intersections(layer, holder).count
      end
      for l = k + 1, #layers do
        crossings = crossings + weft.inspect.intersections(layer, layers[l]).count
      end
      assert.equal(0, crossings)
      for i = 1, on_floor and layer.vertices or 0 do
        assert.is_true((select(2, layer.positions:get(i))) > 0)
      end
    end
  end
  return world, presser, side
end

describe("A body that is to go where cloth has no room", function()
  -- 1 mm of cloth with its neighbour's distance at both sides, and a 256th of the way that is tried at once.
  local reaches = 0.002

  for _, contact in ipairs { "impulses", "penalty", "geometric", "constraints", "barrier" } do
    it(("stops before the floor and colliders, with %s"):format(contact), function()
      for _, holder in ipairs { "floor", "box", "plane", "sphere" } do
        for _, presser in ipairs { "slab", "ball" } do
          press { contact = contact, holder = holder, presser = presser, cells = 6, reaches = reaches }
        end
      end
    end)
  end

  it("stops whichever side it comes from", function()
    for _, side in ipairs { "right", "front" } do
      for _, holder in ipairs { "box", "plane", "body" } do
        press { contact = "geometric", side = side, holder = holder, presser = "slab", cells = 4, reaches = reaches }
      end
    end
  end)

  it("stops before several layers", function()
    press { contact = "impulses", holder = "floor", presser = "slab", cells = 3, layers = 3, reaches = 3 * reaches }
  end)

  it("goes away again, and cloth is free", function()
    local world, presser, side = press { contact = "geometric", holder = "box", presser = "slab", cells = 6,
      reaches = reaches }
    presser:move { shift = side(GAP, 0, 0) }
    world:step(2)
    assert.equal(0, world.stats.body_lag)
    assert.equal(0, world.stats.inside)
    support.near(GAP - DEEPER, presser.bounds.lower[2], 1e-9)
  end)
end)

--- Six layers on a floor, and a slab that comes down on them by a tenth of its height in each of `moving` steps.
--- Returns the sums of parts and of tries at them over the last eight steps, and the most tries of a step.
local function press_stack(steps, moving)
  local layers, top, sheets = 6, 0.0105, {}
  local world = weft.world { floor = 0 }
  for k = 1, layers do
    sheets[k] = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.1, 0.1 }, centre = { 0, 0.0015 * k, 0 } })
  end
  local shape = slab(SIDES.above, top, top + 0.02, 0.08)
  shape.friction = 0.3
  local presser = world:add(weft.body(shape))
  local parts, most = 0, 0
  for step = 1, steps do
    if step <= moving then
      presser:move { shift = { 0, -0.1 * top, 0 } }
    end
    world:step()
    parts = parts + (step > steps - 8 and world.stats.parts or 0)
    most = math.max(most, world.stats.integrator_steps)
    for k = 2, layers do
      assert.equal(0, weft.inspect.intersections(sheets[k - 1], sheets[k]).count)
    end
  end
  return parts, most, world
end

describe("A stack of layers that is pressed", function()
  it("stops what presses it after a few tries at parts of a step, not after all of them", function()
    local _, most, world = press_stack(12, 12)
    assert.is_true(world.stats.body_lag > 0)
    assert.is_true(most > 16 and most < 96, most) -- two solves a part at most, with another law of friction
  end)

  it("may give back what its contacts hold: that does not divide steps", function()
    local parts = press_stack(18, 9)
    assert.is_true(parts < 90, parts)
  end)
end)
