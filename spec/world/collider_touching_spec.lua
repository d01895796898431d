-- Cloth that begins exactly at colliders, or nanometres from them, as round coordinates make it: it stays outside and
-- comes to rest at its distance, as from a little way off, and at no more cost.

local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local collider = weft.collider
local RESPONSES = { "impulses", "penalty", "geometric", "constraints", "barrier" }
local GAPS = { 0, 1e-15, -1e-12, 1e-12, 1e-9, 1e-6, 1e-4 } -- m
local TOP, STEPS = 0.1, 8
local STIFFNESS = 2e6 -- Pa/m, of a world's contact
local REST = 0.001 -- m: half of the sheet's thickness and the collider's 0.0005

local function ball()
  local scene = shapes.scene()
  shapes.add_sphere(scene, 12, { 0, 0, 0 }, 0.06)
  return weft.body { vertices = scene.points, faces = scene.body }
end

--- Each has its highest point at TOP, above the origin.
local kinds = {
  plane = function() return collider.plane { point = { 0, TOP, 0 }, normal = { 0, 1, 0 } } end,
  box = function() return collider.box { size = { 0.12, 0.1, 0.12 }, position = { 0, TOP - 0.05, 0 } } end,
  ["box of the sheet's size"] = function()
    return collider.box { size = { 0.2, 0.1, 0.2 }, position = { 0, TOP - 0.05, 0 } }
  end,
  ["turned box"] = function()
    local s, c = math.sin(0.2), math.cos(0.2)
    return collider.box { size = { 0.12, 0.1, 0.08 }, position = { 0, TOP - 0.05, 0 }, orientation = { 0, s, 0, c } }
  end,
  ["box on its edge"] = function()
    local s, c = math.sin(math.pi / 8), math.cos(math.pi / 8)
    return collider.box { size = { 0.06, 0.06, 0.3 }, position = { 0, TOP - 0.03 * math.sqrt(2), 0 },
      orientation = { 0, 0, s, c } }
  end,
  cylinder = function() return collider.cylinder { from = { 0, 0, 0 }, to = { 0, TOP, 0 }, radius = 0.06 } end,
  ["thin cylinder"] = function()
    return collider.cylinder { from = { -0.2, TOP - 0.002, 0 }, to = { 0.2, TOP - 0.002, 0 }, radius = 0.002 }
  end,
  capsule = function()
    return collider.capsule { from = { -0.05, TOP - 0.03, 0 }, to = { 0.05, TOP - 0.03, 0 }, radius = 0.03 }
  end,
  sphere = function() return collider.sphere { radius = 0.1, position = { 0, TOP - 0.1, 0 } } end,
  field = function() return collider.field { body = ball(), cell = 0.01, position = { 0, TOP - 0.06, 0 } } end,
  voxels = function() return collider.voxels { body = ball(), cell = 0.01, position = { 0, TOP - 0.06, 0 } } end,
  maps = function() return collider.maps { body = ball(), pixel = 0.002, position = { 0, TOP - 0.06, 0 } } end,
}

local function least_distance(shape, cloth)
  return (select(2, support.least_distances(shape, cloth)))
end

local function sheet(height)
  return weft.sheet { cells = { 6, 6 }, size = { 0.2, 0.2 }, centre = { 0, height, 0 } }
end

--- Steps and sees that no step has cloth in a shape; how many impacts and parts there were.
local function watch(world, shape, cloth, steps, where)
  local hits, parts = 0, 0
  for _ = 1, steps do
    world:step()
    local least = least_distance(shape, cloth)
    assert.is_true(least > 0, ("%s: %g m"):format(where, least))
    assert.equal(0, world.stats.pierced, where)
    assert.equal(0, world.stats.inside, where)
    hits, parts = hits + world.stats.hits, parts + world.stats.parts
  end
  return hits, parts
end

local function stays_on(kind, contact, gap)
  local world, shape = weft.world { contact = contact }, kinds[kind]()
  world:add(shape)
  -- Where the shape itself says that it ends: samples know that to a cell, and maps are uneven.
  local top, even = TOP - shape:distance { 0, TOP, 0 }, shape.kind ~= "maps"
  local cloth = world:add(sheet(top + gap))
  local before = world:energy().total
  local where = ("%s, %s, %g m"):format(kind, contact, gap)
  local hits, parts = watch(world, shape, cloth, STEPS, where)
  -- A tenth of what springs hold that are as deep as the distance.
  local gain, most = world:energy().total - before, 0.1 * 0.5 * STIFFNESS * 0.2 * 0.2 * REST * REST
  assert.is_true(gain < most, ("%s: gains %g of %g J"):format(where, gain, most))
  local largest = contact == "geometric" and 16 or 10 -- what correction parts counts as a gain
  assert.is_true(hits < 600 and parts <= largest * STEPS, ("%s: %d hits, %d parts"):format(where, hits, parts))
  local function middle()
    return select(2, cloth.positions:get(25)) - top
  end
  local function lies()
    return middle() > (even and 0.3 or -1) * REST and middle() < 6 * REST
  end
  for _ = 1, 40 do -- to come down again from what springs threw it to
    if not lies() then
      world:step()
    end
  end
  assert.is_true(lies(), ("%s: lies at %g m"):format(where, middle()))
  world:close()
end

--- Tries every kind of shape with every answer to contact, with one in so many of the gaps each, so that both have all
--- of them with some of the others.
local function each_shape(what, makers, gaps, part, try)
  for c, contact in ipairs(RESPONSES) do
    for k, kind in ipairs(support.sorted_keys(makers)) do
      it(("%s: %s, %s"):format(what, kind, contact), function()
        support.quietly(function()
          for g, gap in ipairs(gaps) do
            if (c + k + g) % part == 0 then
              try(kind, contact, gap)
            end
          end
        end)
      end)
    end
  end
end

describe("Cloth that begins at a collider", function()
  each_shape("stays on its side and rests", kinds, GAPS, 3, stays_on)
end)

-- Convex shapes with their highest point at TOP, and the same with all sides further in.
local firm = {
  sphere = function(less) return collider.sphere { radius = 0.05 - less, position = { 0, TOP - 0.05, 0 } } end,
  box = function(less)
    local size = 0.06 - 2 * less
    return collider.box { size = { size, size, size }, position = { 0, TOP - 0.03, 0 } }
  end,
  ["edge of a box"] = function(less)
    local size = 0.06 - 2 * less
    return collider.box { size = { size, size, size }, position = { -0.03, TOP - 0.03, 0 } }
  end,
  capsule = function(less)
    local y = TOP - 0.03
    return collider.capsule { from = { -0.05, y, 0 }, to = { 0.05, y, 0 }, radius = 0.03 - less }
  end,
  cylinder = function(less)
    return collider.cylinder { from = { 0, less, 0 }, to = { 0, TOP - less, 0 }, radius = 0.03 - less }
  end,
}
local CENTRE, SHALLOW = 25, 2e-6 -- a vertex; m

describe("Cloth that a pin holds exactly at a collider", function()
  local function hangs(kind, contact, gap)
    local world, shape, inner = weft.world { contact = contact }, firm[kind](0), firm[kind](SHALLOW)
    world:add(shape)
    local cloth = world:add(sheet(TOP + gap))
    cloth:pin { vertices = { CENTRE } }
    local parts, where = 0, ("%s, %s, %g m"):format(kind, contact, gap)
    for step = 1, 30 do
      if step > 20 then
        cloth:pin { vertices = { CENTRE }, targets = { { 0, TOP + 0.0002 * (step - 20), 0 } } } -- leaves it
      end
      world:step()
      assert.equal(0, world.stats.pierced, where)
      local least = least_distance(inner, cloth)
      assert.is_true(least > 0, ("%s: %g m in step %d"):format(where, least, step))
      parts = parts + world.stats.parts
    end
    assert.is_true(parts < (contact == "geometric" and 480 or 240), ("%s: %d parts"):format(where, parts))
    assert.is_true(select(2, cloth.positions:get(1)) < TOP - 0.01, where) -- it hangs down beside it
    world:close()
  end

  each_shape("does not let go of the rest", firm, { 0, 1e-9, -1e-9, 1e-7, 1e-6, 1e-4 }, 2, hangs)

  it("makes steps in one part behind barriers, as by springs", function()
    local function table_top()
      return collider.box { size = { 0.6, 0.2, 0.6 }, position = { 0, TOP - 0.1, 0 } }
    end
    for _, make in ipairs { kinds.plane, table_top } do
      for _, gap in ipairs { 0, -1e-7, 1e-7, 1e-4 } do
        local world = weft.world { contact = "barrier" }
        local shape = world:add(make())
        world:add(sheet(TOP + gap)):pin { vertices = { 1, 7, 25, 43, 49 } }
        for step = 1, 10 do
          world:step()
          assert.equal(1, world.stats.parts, ("%s, %g m, step %d"):format(shape.kind, gap, step))
        end
        world:close()
      end
    end
  end)
end)

describe("A collider that comes exactly to cloth", function()
  it("because a script placed it there holds it up", function()
    for _, gap in ipairs { 0, 1e-12, 1e-9 } do
      support.quietly(function()
        local world = weft.world {}
        local box = world:add(collider.box { size = { 0.12, 0.1, 0.12 }, position = { 0, -3, 0 } })
        local cloth = world:add(sheet(0.5))
        cloth:pin { vertices = { 1, 7, 43, 49 } }
        world:step(20)
        local lowest = math.huge
        for i = 1, cloth.vertices do
          lowest = math.min(lowest, (select(2, cloth.positions:get(i))))
        end
        box:place { position = { 0, lowest - gap - 0.05, 0 } }
        watch(world, box, cloth, 10, ("placed, %g m"):format(gap))
      end)
    end
  end)

  it("on a way that begins away from it says nothing of a start inside", function()
    support.quietly(function()
      local world = weft.world { gravity = { 0, 0, 0 } }
      local box = world:add(collider.box { size = { 0.12, 0.1, 0.12 }, position = { 0, -0.1, 0 } })
      local cloth = world:add(sheet(0))
      box.position = { 0, -0.03, 0 }
      watch(world, box, cloth, 5, "moved before the first step")
    end)
  end)

  it("and goes on has it off from where the step began, where a flow of air has the step made again", function()
    support.quietly(function()
      local world = weft.world { time_step = 1 / 60 }
      world.wind.still_air, world.wind.model, world.wind.flow = true, "flow", { cells = 12, coupling = "implicit" }
      local box = world:add(collider.box { size = { 0.12, 0.1, 0.12 }, position = { 0, -0.05, 0 } })
      local cloth = world:add(sheet(0))
      box.position = { 0, -0.03, 0 }
      local _, parts = watch(world, box, cloth, 1, "in a flow")
      assert.is_true(parts > 1 and world.wind.flow_stats.sweeps > 1)
      world:close()
    end)
  end)

  it("is named as it is called where cloth starts in it", function()
    local function said(shape)
      local world = weft.world {}
      world:add(shape)
      world:add(sheet(TOP - 0.03))
      return support.heard_in(function() world:step() end)[1] or ""
    end
    assert.matches("^%d+ vertices of cloth start inside voxels; they come out of it", said(kinds.voxels()))
    assert.matches("^%d+ vertices of cloth start inside maps; they come out of it", said(kinds.maps()))
    assert.matches("^1 vertex of cloth starts inside a sphere; it comes out of it",
      said(collider.sphere { radius = 0.02, position = { 0, TOP - 0.03, 0 } }))
  end)
end)

describe("Cloth that begins below the floor", function()
  it("is warned of once, and not where it but touches", function()
    for height, expected in pairs { [-0.01] = 1, [0] = 0, [-1e-12] = 0 } do
      local heard = support.heard_in(function()
        local world = weft.world { floor = 0 }
        world:add(sheet(height))
        world:step(3)
      end)
      assert.equal(expected, #heard, tostring(height))
      assert.is_true(expected == 0 or heard[1]:find "^49 vertices of cloth start below the floor; " ~= nil)
    end
  end)
end)

describe("Cloth between things that it touches exactly", function()
  for _, contact in ipairs(RESPONSES) do
    it("lies on two boxes side by side, and on one beside a floor: " .. contact, function()
      support.quietly(function()
        local world = weft.world { contact = contact }
        local left = world:add(collider.box { size = { 0.1, 0.1, 0.3 }, position = { -0.05, 0.05, 0 } })
        local right = world:add(collider.box { size = { 0.1, 0.1, 0.3 }, position = { 0.05, 0.05, 0 } })
        local cloth = world:add(sheet(TOP))
        watch(world, left, cloth, STEPS, contact)
        assert.is_true(least_distance(right, cloth) > 0)
        world:close()
        world = weft.world { contact = contact, floor = 0 }
        local box = world:add(collider.box { size = { 0.2, 0.2, 0.4 }, position = { -0.2, 0.1, 0 } })
        cloth = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.2, 0.2 }, centre = { 0, 0, 0 } }) -- in the crease
        watch(world, box, cloth, STEPS, contact)
        for i = 1, cloth.vertices do
          assert.is_true(select(2, cloth.positions:get(i)) > 0)
        end
        world:close()
      end)
    end)
  end
end)
