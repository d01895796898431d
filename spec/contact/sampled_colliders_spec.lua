-- Fields, voxels and maps against the surfaces they were sampled from.

local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local collider = weft.collider
local message_of = support.message_of

local table_unpack = table.unpack or unpack -- luacheck: ignore

local RADIUS = 0.5

local function sphere(rows, change)
  local scene = shapes.scene()
  shapes.add_sphere(scene, rows, { 0, 0, 0 }, RADIUS)
  if change then
    change(scene)
  end
  return weft.body { vertices = scene.points, faces = scene.body }
end

local function length(x, y, z)
  return math.sqrt(x * x + y * y + z * z)
end

--- Points at up to `depth` on both sides of the sphere.
local function points_near(count, depth)
  local random, points = shapes.random(3), {}
  for k = 1, count do
    local x, y, z = random(), random(), random()
    local r, scale = length(x, y, z), RADIUS + depth * random()
    points[k] = { x / r * scale, y / r * scale, z / r * scale }
  end
  return points
end

--- The worst errors of distance and gradient at the points for which `counts` is true.
local function errors(shape, points, counts)
  local distances, gradients = shape:distances { points = points }
  local worst, turned = 0, 0
  for k, p in ipairs(points) do
    if not counts or counts(p) then
      local r = length(p[1], p[2], p[3])
      local x, y, z = gradients:get(k)
      worst = math.max(worst, math.abs(distances:get(k) - (r - RADIUS)))
      turned = math.max(turned, length(x - p[1] / r, y - p[2] / r, z - p[3] / r))
    end
  end
  return worst, turned
end

--- What the call warned of, and what it returned.
local function heard(call)
  local messages = {}
  weft.on_warning(function(message) messages[#messages + 1] = message end)
  local result = call()
  weft.on_warning(nil)
  return messages, result
end

describe("A field", function()
  it("converges to the distance with the square of the cell, by cubics with its cube", function()
    local body, points = sphere(96), points_near(400, 0.05)
    for interpolation, order in pairs { linear = 2, cubic = 3 } do
      local function worst(cell)
        return errors(collider.field { body = body, cell = cell, interpolation = interpolation }, points)
      end
      local coarse, fine = worst(1 / 4), worst(1 / 8)
      local found = math.log(coarse / fine) / math.log(2)
      assert.is_true(found > order - 0.35, ("%s: %g and %g: order %.2f"):format(interpolation, coarse, fine, found))
      local _, turned = errors(collider.field { body = body, cell = 1 / 24, interpolation = interpolation }, points)
      assert.is_true(turned < 0.02, tostring(turned))
    end
  end)

  it("has a gradient without jumps, which is for cubics that of the distance", function()
    local body = sphere(24)
    for _, interpolation in ipairs { "cubic", "linear" } do
      local field = collider.field { body = body, cell = 1 / 16, interpolation = interpolation }
      local random, h = shapes.random(11), 1e-5
      for _ = 1, 200 do
        local from = { 0.45 + 0.03 * random(), 0.2 * random(), 0.1 * random() }
        local d, g = field:distance(from)
        for axis = 1, 3 do
          local ahead, behind = { table_unpack(from) }, { table_unpack(from) }
          ahead[axis], behind[axis] = ahead[axis] + h, behind[axis] - h
          local da, ga = field:distance(ahead)
          local db, gb = field:distance(behind)
          assert.is_true(length(ga[1] - gb[1], ga[2] - gb[2], ga[3] - gb[3]) < 0.01)
          local slope = (da - db) / (2 * h)
          -- Interpolated distances are not quite as steep as distances.
          assert.is_true(math.abs(slope - g[axis]) < (interpolation == "cubic" and 0.03 or 0.12))
        end
        assert.is_true(math.abs(d) < 0.1)
      end
    end
  end)

  it("is never more than the distance beyond its band, has the right side everywhere, and any place", function()
    local body = sphere(24)
    local field = collider.field { body = body, cell = 1 / 20, position = { 1, 2, 3 } }
    local random = shapes.random(21)
    for _ = 1, 2000 do
      local x, y, z = random(), random(), random()
      local exact = length(x, y, z) - RADIUS
      local d = field:distance { 1 + x, 2 + y, 3 + z }
      if math.abs(exact) > 0.01 then
        assert.is_true(d * exact > 0)
      end
      assert.is_true(math.abs(d) <= math.abs(exact) + 0.01, ("%g for %g"):format(d, exact))
    end
    local far, gradient = field:distance { 1, 12, 3 }
    assert.is_true(math.abs(far - 9.5) < 1e-12)
    assert.same({ 0, 1, 0 }, gradient)
  end)

  it("closes holes, turns faces, joins vertices and drops repeated faces, and says so", function()
    local points = points_near(500, 0.1)
    local function check(change, expected, away_from)
      local body
      heard(function() body = sphere(20, change) end) -- bodies have their own warnings
      local messages, field = heard(function() return collider.field { body = body, cell = 1 / 24 } end)
      for name, value in pairs(expected) do
        assert.equal(value, field.report[name], name)
      end
      assert.is_truthy(messages[1]:find "^field: the surface was mended: ")
      local worst = errors(field, points, away_from)
      assert.is_true(worst < 0.008, tostring(worst))
    end
    check(function(scene) -- the cap around the pole
      local kept = {}
      for _, face in ipairs(scene.body) do
        local y = scene.points[face[1]][2] + scene.points[face[2]][2] + scene.points[face[3]][2]
        if y < 3 * 0.97 * RADIUS then
          kept[#kept + 1] = face
        end
      end
      assert(#kept < #scene.body)
      scene.body = kept
    end, { holes = 1, turned = 0, open_edges = 0 }, function(p) return p[2] < 0.4 end)
    check(function(scene)
      for f = 1, #scene.body, 7 do
        local face = scene.body[f]
        scene.body[f] = { face[1], face[3], face[2] }
      end
    end, { turned = math.ceil(20 * 2 * 19 * 2 / 7), holes = 0, welded = 0 })
    check(function(scene) -- a soup: each face has vertices of its own, some are there twice, one has no area
      local vertices, faces = {}, {}
      for f, face in ipairs(scene.body) do
        for _ = 1, f % 100 == 0 and 2 or 1 do
          local new = {}
          for k = 1, 3 do
            vertices[#vertices + 1] = scene.points[face[k]]
            new[k] = #vertices
          end
          faces[#faces + 1] = new
        end
      end
      scene.points, scene.body = vertices, faces
    end, { welded = 3 * (20 * 2 * 19 * 2 + 15) - (2 + 19 * 40), dropped = 15, holes = 0, crowded_edges = 0 })
  end)

  it("of a part is that part, closed where it was cut", function()
    local body = sphere(32)
    local upper = {}
    for f = 1, body.triangles do
      local a, b, c = body.faces:get(f)
      local y = select(2, body.positions:get(a)) + select(2, body.positions:get(b)) + select(2, body.positions:get(c))
      if y > 0 then
        upper[#upper + 1] = f
      end
    end
    local messages, field = heard(function()
      return collider.field { body = body, faces = upper, origin = { 0, 0.2, 0 }, cell = 1 / 32 }
    end)
    assert.equal(1, #messages)
    assert.equal(1, field.report.holes)
    support.near(2 / 3 * math.pi * RADIUS ^ 3, field.report.volume, 0.01)
    assert.same({ 0, 0.2, 0 }, field.position)
    support.near(-0.1, (field:distance { 0, 0.1, 0 }), 0.05)
    support.near(0.1, (field:distance { 0.1, -0.1, 0 }), 0.05)
    support.near(0.05, (field:distance { 0, 0.55, 0 }), 0.05)
    field.orientation = { 0, 0, 1, 0 } -- half a turn about the origin, at 0.2
    support.near(-0.1, (field:distance { 0, 0.3, 0 }), 0.05)
    support.near(0.05, (field:distance { 0, -0.15, 0 }), 0.05)
  end)

  it("refuses what it cannot sample", function()
    local body = sphere(8)
    assert.equal("weft.collider.field: body must be a weft.body, got nothing", message_of(collider.field, {}))
    assert.equal("weft.collider.field: cells of 1e-05 m make 100010 in a direction; at most 1024 can be",
      message_of(collider.field, { body = body, cell = 1e-5 }))
    assert.equal("weft.collider.field: the surface must have faces, and be larger than 1e-06 m and nearer to its "
      .. "origin than 100000 m", message_of(collider.field, { body = body, faces = {} }))
    heard(function()
      local flat = weft.body { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
      for _, kind in ipairs { "field", "voxels", "maps" } do
        assert.equal(("weft.collider.%s: the surface encloses nothing"):format(kind),
          message_of(collider[kind], { body = flat }))
      end
    end)
    assert.is_nil(collider.sphere({ radius = 1 }).report)
  end)

  it("leaves nothing behind when memory runs out while it, or others of its kind, are made", function()
    local body = weft.body { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces }
    for _, make in ipairs { collider.field, collider.voxels, collider.maps } do
      support.fail_each_allocation(function()
        local shape = make { body = body, [make == collider.maps and "pixel" or "cell"] = 0.1 }
        shape:close()
      end)
    end
    local world = weft.world { self_contact = false }
    world:add(weft.sheet { cells = { 2, 2 }, centre = { 0, 0.11, 0 } })
    support.fail_each_allocation(function()
      local ball = collider.sphere { radius = 0.1 }
      world:add(ball)
      world:remove(ball)
      ball:close()
    end)
  end)

  it("has the same bits on any number of threads", function()
    local body, points = sphere(12), points_near(300, 0.1)
    for _, make in ipairs { collider.field, collider.voxels, collider.maps } do
      local one = make({ body = body }):distances { points = points }:string()
      weft.threads(3)
      local three = make({ body = body }):distances { points = points }:string()
      weft.threads(1)
      assert.is_true(one == three)
    end
  end)
end)

describe("Voxels", function()
  it("are free, surface and interior where the body says so", function()
    local cell = 1 / 16
    local voxels = collider.voxels { body = sphere(32), cell = cell }
    local counts = { free = 0, surface = 0, interior = 0 }
    for i = -9, 8 do
      for j = -9, 8 do
        for k = -9, 8 do
          -- The nearest and the farthest point of the cell.
          local near, far = { 0, 0, 0 }, { 0, 0, 0 }
          for a, index in ipairs { i, j, k } do
            local low, high = math.abs(index * cell), math.abs((index + 1) * cell)
            near[a], far[a] = math.min(low, high), math.max(low, high)
          end
          local label = voxels:label { (i + 0.5) * cell, (j + 0.5) * cell, (k + 0.5) * cell }
          counts[label] = counts[label] + 1
          if length(table_unpack(near)) > RADIUS then
            assert.equal("free", label)
          elseif length(table_unpack(far)) < 0.995 * RADIUS then
            assert.equal("interior", label)
          end
        end
      end
    end
    assert.is_true(counts.surface > 500 and counts.interior > 1000 and counts.free > 2000)
    support.near(4 / 3 * math.pi * 8 ^ 3, counts.interior + counts.surface / 2, 0.08)
  end)

  it("know the surface to less than half a cell's diagonal", function()
    local points = points_near(2000, 0.1)
    for _, cell in ipairs { 1 / 10, 1 / 20 } do
      local worst = errors(collider.voxels { body = sphere(32), cell = cell }, points)
      assert.is_true(worst < 0.5 * math.sqrt(3) * cell, ("%g of %g"):format(worst, cell))
    end
  end)

  it("can be given", function()
    local occupied = {}
    for _ = 0, 9 do
      for j = 0, 9 do
        for i = 0, 19 do
          occupied[#occupied + 1] = j < 4 and i >= 5 and 1 or 0
        end
      end
    end
    local block = collider.voxels { occupied = occupied, size = { 20, 10, 10 }, cell = 0.1, lower = { -1, 0, 0 } }
    assert.equal("weft.collider voxels (20 x 10 x 10 cells of 0.1 m, at {0, 0, 0})", tostring(block))
    local above, gradient = block:distance { 0.2, 0.55, 0.5 }
    support.near(0.15, above, 0.03)
    assert.is_true(gradient[2] > 0.999)
    support.near(-0.1, (block:distance { 0.2, 0.3, 0.5 }), 0.5) -- smoothed: the plate is four cells thick
    assert.equal("interior", block:label { 0.2, 0.15, 0.5 })
    assert.equal("surface", block:label { 0.2, 0.35, 0.5 })
    assert.equal("free", block:label { 0.2, 0.45, 0.5 })
    assert.equal("free", block:label { 20, 0, 0 })
    assert.equal("weft.collider.voxels: occupied must have a number for each of 8 cells, got 1",
      message_of(collider.voxels, { occupied = { 1 }, size = { 2, 2, 2 }, cell = 1 }))
    assert.equal("weft.collider.voxels: lower must be within 100000 m of the origin, got (1e+308, 0, 0)",
      message_of(collider.voxels, { occupied = { 1 }, size = { 1, 1, 1 }, cell = 1, lower = { 1e308, 0, 0 } }))
    assert.equal("weft.collider.voxels: no cell is occupied",
      message_of(collider.voxels, { occupied = { 0 }, size = { 1, 1, 1 }, cell = 1 }))
    assert.equal("weft.collider.voxels: origin does not go with occupied",
      message_of(collider.voxels, { occupied = { 1 }, size = { 1, 1, 1 }, cell = 1, origin = { 0, 0, 0 } }))
    assert.equal("weft.collider.voxels: size does not go with body",
      message_of(collider.voxels, { body = sphere(8), size = { 1, 1, 1 } }))
  end)

  it("are solid where they are thin, too: a cell, a rod, a wall", function()
    for _, size in ipairs { { 1, 1, 1 }, { 7, 1, 1 }, { 1, 9, 9 } } do
      local occupied = {}
      for c = 1, size[1] * size[2] * size[3] do
        occupied[c] = 1
      end
      local thin = collider.voxels { occupied = occupied, size = size, cell = 0.1 }
      for i = -1, size[1] do
        local y, z = 0.1 * math.floor(size[2] / 2) + 0.05, 0.1 * math.floor(size[3] / 2) + 0.05
        local solid = i >= 0 and i < size[1]
        local distance = thin:distance { 0.1 * (i + 0.5), y, z }
        assert.is_true(solid == (distance < 0) and math.abs(distance) < 0.0901, ("%d: %g"):format(i, distance))
      end
    end
  end)
end)

describe("Maps", function()
  it("know a sphere's depth to a pixel where they look at it, and its inside where they see it", function()
    local maps, points = collider.maps { body = sphere(32) }, points_near(3000, 0.05)
    assert.equal("weft.collider maps (128 x 128 pixels of 0.007812 m, at {0, 0, 0})", tostring(maps))
    local worst, turned = errors(maps, points_near(3000, 0.01), function(p) return math.abs(p[3]) > 0.3 * RADIUS end)
    assert.is_true(worst < 1 / 128, tostring(worst))
    assert.is_true(turned < 0.1, tostring(turned))
    for _, p in ipairs(points) do
      local exact = length(p[1], p[2], p[3]) - RADIUS
      if math.abs(exact) > 2 / 128 then
        assert.is_true(maps:distance(p) * exact > 0)
      end
    end
    assert.equal("interior", maps:label { 0, 0, 0 })
    assert.equal("weft.collider.maps: pixels of 1e-05 m make 100000 in a direction; at most 4096 can be",
      message_of(collider.maps, { body = sphere(8), pixel = 1e-5 }))
  end)
end)
