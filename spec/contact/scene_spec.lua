-- Candidates and contacts of scenes against all pairs.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local HALF = 0.01

--- Random loose triangles and a crumpled sheet, against random body triangles.
local function random_scene(seed)
  local random, scene = shapes.random(seed), shapes.scene()
  shapes.add_sheet(scene, 6, { -0.2, 0, -0.2 }, { 0.4, 0, 0 }, { 0, 0, 0.4 }, random)
  for _, point in ipairs(scene.points) do
    point[2] = point[2] + 0.06 * random()
  end
  shapes.add_triangles(scene, scene.cloth, 30, 0.2, 0.08, random)
  shapes.add_triangles(scene, scene.body, 50, 0.2, 0.08, random)
  return scene, random
end

local function moved(points, size, random)
  local result = {}
  for i, point in ipairs(points) do
    result[i] = { point[1] + size * random(), point[2] + size * random(), point[3] + size * random() }
  end
  return result
end

local function key(vertices, first)
  local a, b = {}, {}
  for i = 1, 4 do
    table.insert(i <= first and a or b, vertices[i])
  end
  table.sort(a)
  table.sort(b)
  a, b = table.concat(a, ","), table.concat(b, ",")
  return first == 2 and b < a and b .. "|" .. a or a .. "|" .. b
end

--- A function that tells whether an edge of the cloth leads from one primitive of a pair to the other.
local function neighbour_test(scene)
  local joined = {}
  for _, e in ipairs(shapes.edges(scene.cloth)) do
    joined[e[1] .. ":" .. e[2]], joined[e[2] .. ":" .. e[1]] = true, true
  end
  return function(kind, vertices)
    local first = kind == "vertex_face" and 1 or 2
    for i = 1, first do
      for j = first + 1, 4 do
        if joined[vertices[i] .. ":" .. vertices[j]] then
          return true
        end
      end
    end
    return false
  end
end

--- Calls visit(kind, vertices) for every pair of primitives that may touch.
local function each_pair(scene, visit)
  local faces, owned = shapes.faces(scene), {}
  local edges = shapes.edges(faces)
  for _, face in ipairs(faces) do
    for k = 1, 3 do
      owned[face[k]] = true
    end
  end
  local cloth = scene.cloth_count
  for v in pairs(owned) do
    for _, f in ipairs(faces) do
      if (v <= cloth or f[1] <= cloth) and v ~= f[1] and v ~= f[2] and v ~= f[3] then
        visit("vertex_face", { v, f[1], f[2], f[3] })
      end
    end
  end
  for i, a in ipairs(edges) do
    for j = 1, i - 1 do
      local b = edges[j]
      if (a[1] <= cloth or b[1] <= cloth) and a[1] ~= b[1] and a[1] ~= b[2] and a[2] ~= b[1] and a[2] ~= b[2] then
        visit("edge_edge", { a[1], a[2], b[1], b[2] })
      end
    end
  end
end

local function distance(kind, vertices, points)
  local measure = kind == "vertex_face" and contact.vertex_face_distance or contact.edge_edge_distance
  return measure { points = { points[vertices[1]], points[vertices[2]], points[vertices[3]], points[vertices[4]] } }
end

--- The candidates of each kind, neighbours included, as sets; checks that none comes twice.
local function candidates_of(scene)
  local found = { vertex_face = {}, edge_edge = {} }
  for kind, set in pairs(found) do
    for _, suffix in ipairs { "", "_neighbour" } do
      local list = scene:candidates(kind .. suffix)
      for i = 1, list.count do
        local name = key({ list:get(i) }, kind == "vertex_face" and 1 or 2)
        assert(not set[name], "a pair came twice")
        set[name] = suffix == "" and "pair" or "neighbour"
      end
    end
  end
  return found
end

describe("The candidates of a scene", function()
  it("hold every pair that comes within its contact distance, however it moves within what was announced", function()
    for seed = 1, 3 do
      local shape, random = random_scene(seed)
      local from = shape.points
      local to = moved(from, seed == 3 and 0.1 or 0.02, random)
      local scene = shapes.open(shape, { half_thickness = HALF })
      scene:update { from = from, to = to, skin = 0.02 }
      local found, is_neighbour, needed = candidates_of(scene), neighbour_test(shape), 0
      for step = 0, 2 do
        local x = {}
        for i = 1, #from do
          x[i] = {}
          for k = 1, 3 do
            -- Along the way, and aside by somewhat less than half the skin.
            x[i][k] = from[i][k] + (to[i][k] - from[i][k]) * step / 2 + 0.0057 * random()
          end
        end
        each_pair(shape, function(kind, vertices)
          local neighbour = is_neighbour(kind, vertices)
          if distance(kind, vertices, x) <= (neighbour and HALF or 2 * HALF) then
            needed = needed + 1
            local kept = found[kind][key(vertices, kind == "vertex_face" and 1 or 2)]
            assert.equal(neighbour and "neighbour" or "pair", kept)
          end
        end)
      end
      assert.is_true(needed > 500)
    end
  end)

  it("of a crowd hold every pair that comes near on the way, and are fewer than those that last", function()
    local layers, gap = 4, 0.004
    for seed = 1, 3 do
      local shape, random, to = shapes.scene(), shapes.random(seed), {}
      for layer = 1, layers do
        shapes.add_sheet(shape, 4, { -0.05, gap * layer, -0.05 }, { 0.1, 0, 0 }, { 0, 0, 0.1 }, random)
      end
      shapes.add_triangles(shape, shape.body, 8, 0.05, 0.03, random)
      local from = shape.points
      for i, p in ipairs(from) do -- layers close up while all go aside, and past a body
        local down = i <= shape.cloth_count and 0.7 * p[2] or 0
        local aside = i <= shape.cloth_count and 0.02 or 0
        to[i] = { p[1] + aside + 1e-3 * random(), p[2] - down + 1e-3 * random(), p[3] + 1e-3 * random() }
      end
      local given = { half_thickness = 0.0008 }
      local crowd, alone = shapes.open(shape, given), shapes.open(shape, given)
      crowd:update { from = from, skin = 0.02 }
      local lasting = crowd:stats().candidates
      crowd:update { from = from, to = to, skin = 0.02 }
      assert.equal(1, crowd:stats().rebuilds)
      assert.is_true(crowd:stats().candidates < 0.7 * lasting)
      local found, is_neighbour, needed = candidates_of(crowd), neighbour_test(shape), 0
      for step = 0, 4 do
        local x = moved(from, 0, random)
        for i = 1, #from do
          for k = 1, 3 do
            x[i][k] = from[i][k] + (to[i][k] - from[i][k]) * step / 4
          end
        end
        each_pair(shape, function(kind, vertices)
          if not is_neighbour(kind, vertices) and distance(kind, vertices, x) <= 0.0016 then
            needed = needed + 1
            assert.equal("pair", found[kind][key(vertices, kind == "vertex_face" and 1 or 2)])
          end
        end)
      end
      assert.is_true(needed > 300)
      alone:update { from = from, to = to, skin = 1e-4 }
      local same = { from = from, to = to, inverse_mass = 1, rounds = 0, zone_rounds = 0 }
      local _, took = crowd:resolve(same)
      local _, took_alone = alone:resolve(same)
      assert.is_true(took.hits > 20)
      assert.equal(took_alone.hits, took.hits)
    end
  end)

  it("of a crowd are those of a smaller skin rather than very many", function()
    local layers, cells = 16, 12
    local faces = 2 * layers * cells ^ 2
    local function stack(gap)
      local shape = shapes.scene()
      for layer = 1, layers do
        shapes.add_sheet(shape, cells, { 0, gap * layer, 0 }, { 0.12, 0, 0 }, { 0, 0, 0.12 })
      end
      return shape, shapes.open(shape, { half_thickness = 0.0006 })
    end
    local shape, crowd = stack(0.002)
    local alone = shapes.open(shape, { half_thickness = 0.0006 })
    crowd:update { from = shape.points, skin = 0.008 }
    alone:update { from = shape.points, skin = 0.001 }
    assert.equal(alone:stats().candidates, crowd:stats().candidates)
    assert.is_true(crowd:stats().candidates < 24 * faces)
    local request = { at = shape.points, margin = 0.001 }
    local found, truth = crowd:find(request), alone:find(request)
    assert.equal(truth.vertices.count, found.vertices.count)
    assert.is_true(truth.vertices.count > 4 * faces)
    local apart, loose = stack(0.009)
    loose:update { from = apart.points, skin = 0.008 }
    assert.equal(1, loose:stats().rebuilds)
  end)

  it("leave out what is far: not all pairs are looked at", function()
    local shape = random_scene(4)
    local scene = shapes.open(shape, { half_thickness = HALF })
    scene:update { from = shape.points, skin = 0.004 }
    local far = 0
    for kind, set in pairs(candidates_of(scene)) do
      each_pair(shape, function(other, vertices)
        if other == kind and set[key(vertices, kind == "vertex_face" and 1 or 2)]
          and distance(kind, vertices, shape.points) > 2 * HALF + 0.004 + 1e-3 then
          far = far + 1
        end
      end)
    end
    assert.equal(0, far)
  end)

  it("last while vertices stay near, and are the same bits for any number of threads", function()
    local shape, random = random_scene(5)
    local scene = shapes.open(shape, { half_thickness = HALF })
    scene:update { from = shape.points, skin = 0.02 }
    local first = scene:candidates("edge_edge"):string()
    scene:update { from = moved(shape.points, 0.005, random), skin = 0.02 }
    assert.equal(first, scene:candidates("edge_edge"):string())
    scene:update { from = moved(shape.points, 0.05, random), skin = 0.02 }
    assert.not_equal(first, scene:candidates("edge_edge"):string())
    weft.threads(2)
    local again = shapes.open(shape, { half_thickness = HALF })
    again:update { from = shape.points, skin = 0.02 }
    weft.threads(1)
    assert.equal(first, again:candidates("edge_edge"):string())
  end)

  it("leave out pairs that share a class, and keep neighbours across a seam apart", function()
    -- Two strips side by side; the right side of the first is to be sewn to the left side of the second.
    local shape = shapes.scene()
    shapes.add_sheet(shape, 2, { 0, 0, 0 }, { 0.02, 0, 0 }, { 0, 0, 0.02 })
    shapes.add_sheet(shape, 2, { 0.021, 0, 0 }, { 0.02, 0, 0 }, { 0, 0, 0.02 })
    local classes = {}
    for i = 1, 18 do
      classes[i] = i >= 10 and i <= 12 and i - 3 or i -- 10, 11, 12 lie beside 7, 8, 9
    end
    local function relation(a, b) -- as the mesh that is sewn has it
      if classes[a] == classes[b] then
        return "same"
      end
      for _, e in ipairs(shapes.edges(shape.cloth)) do
        local p, q = classes[e[1]], classes[e[2]]
        if p == classes[a] and q == classes[b] or p == classes[b] and q == classes[a] then
          return "joined"
        end
      end
    end
    local scene = shapes.open(shape, { half_thickness = HALF, classes = classes })
    scene:update { from = shape.points, skin = 0.01 }
    local found, seen = candidates_of(scene), {}
    each_pair(shape, function(kind, vertices)
      local first, same, joined = kind == "vertex_face" and 1 or 2, false, false
      for i = 1, first do
        for j = first + 1, 4 do
          local r = relation(vertices[i], vertices[j])
          same, joined = same or r == "same", joined or r == "joined"
        end
      end
      local kept = found[kind][key(vertices, first)]
      if same then
        assert.is_nil(kept)
      elseif kept then
        assert.equal(joined and "neighbour" or "pair", kept)
        seen[kept] = true
      end
    end)
    assert.is_true(seen.neighbour and seen.pair)
  end)
end)

local function unit_square(y, flip)
  local points = { { 0, y, 0 }, { 1, y, 0 }, { 1, y, 1 }, { 0, y, 1 } }
  local faces = flip and { { 1, 2, 3 }, { 1, 3, 4 } } or { { 1, 2, 4 }, { 2, 3, 4 } }
  return points, faces
end

--- Two pieces of cloth from points and faces, 5 mm thick together.
local function two_pieces(points, faces, other_points, other_faces)
  local shape = { points = {}, cloth = {}, body = {} }
  for _, piece in ipairs { { points, faces }, { other_points, other_faces } } do
    local base = #shape.points
    for _, point in ipairs(piece[1]) do
      shape.points[#shape.points + 1] = point
    end
    for _, face in ipairs(piece[2]) do
      shape.cloth[#shape.cloth + 1] = { base + face[1], base + face[2], base + face[3] }
    end
  end
  shape.cloth_count = #shape.points
  local scene = shapes.open(shape, { half_thickness = 0.0025, friction = 0.3 })
  scene:update { from = shape.points }
  return scene:find { at = shape.points }, shape
end

describe("The contacts of a scene", function()
  it("are those of all pairs: inner ones each once, with their geometry", function()
    for seed = 6, 8 do
      local shape = random_scene(seed)
      local scene = shapes.open(shape, { half_thickness = HALF, friction = 0.25 })
      scene:update { from = shape.points }
      local found = scene:find { at = shape.points, margin = 0.002 }
      local reach, seen = 2 * HALF + 0.002, {}
      for i = 1, found.vertices.count do
        local v, w = { found.vertices:get(i) }, { found.weights:get(i) }
        local n, numbers = { found.normals:get(i) }, { found.numbers:get(i) }
        local kind = numbers[4] % 2 == 1 and "edge_edge" or "vertex_face"
        local name = kind .. key(v, kind == "vertex_face" and 1 or 2)
        assert.is_nil(seen[name])
        seen[name] = true
        assert.near(0, w[1] + w[2] + w[3] + w[4], 1e-14)
        assert.near(1, n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2, 1e-12)
        assert.is_true(numbers[1] < reach)
        assert.near(numbers[1], distance(kind, v, shape.points), 1e-12)
        assert.near(2 * HALF, numbers[2], 1e-15)
        assert.near(0.25, numbers[3], 1e-15)
        local body = false
        for c = 1, 3 do
          local gap = 0
          for k = 1, 4 do
            gap = gap + w[k] * shape.points[v[k]][c]
            body = body or v[k] > shape.cloth_count
          end
          assert.near(gap, numbers[1] * n[c], 1e-12)
        end
        assert.equal(body, numbers[4] >= 2)
      end
      local is_neighbour, inner = neighbour_test(shape), 0
      each_pair(shape, function(kind, vertices)
        if kind == "vertex_face" and not is_neighbour(kind, vertices) then
          local points = {}
          for k = 1, 4 do
            points[k] = shape.points[vertices[k]]
          end
          local d, a, b, c = contact.vertex_face_distance { points = points }
          if d < reach and a > 0 and b > 0 and c > 0 then
            inner = inner + 1
            assert.is_true(seen[kind .. key(vertices, 1)])
          end
        end
      end)
      assert.is_true(inner > 10)
    end
  end)

  it("contain the nearest pair of surfaces that do not cross", function()
    for seed = 1, 20 do
      local random, shape = shapes.random(seed), shapes.scene()
      for sheet = 0, 1 do
        local base = #shape.points
        shapes.add_sheet(shape, 4, { 0.003 * sheet, 0.012 * sheet, 0 }, { 0.1, 0, 0 }, { 0, 0, 0.1 }, random)
        for i = base + 1, #shape.points do
          shape.points[i][2] = shape.points[i][2] + 0.005 * random()
        end
      end
      local scene = shapes.open(shape, { half_thickness = HALF })
      scene:update { from = shape.points }
      local found, nearest, reported = scene:find { at = shape.points }, math.huge, math.huge
      for i = 1, found.vertices.count do
        reported = math.min(reported, (found.numbers:get(i)))
      end
      local half = #shape.points / 2
      each_pair(shape, function(kind, vertices)
        if (vertices[1] <= half) ~= (vertices[4] <= half) then
          nearest = math.min(nearest, (distance(kind, vertices, shape.points)))
        end
      end)
      assert.near(nearest, reported, 1e-12)
    end
  end)

  it("count a corner over a corner for each face of either", function()
    local found = two_pieces({ { 0, 0, 0 }, { 1, 1, 0 }, { 0, 1, 1 }, { -1, 1, 0 } }, { { 1, 2, 3 }, { 1, 3, 4 } },
      { { 0, -0.003, 0 }, { 1, -1, 0 }, { 0, -1, 1 }, { -1, -1, 0 } }, { { 1, 2, 3 }, { 1, 3, 4 } })
    assert.equal(4, found.vertices.count)
    for i = 1, 4 do
      assert.equal(1, math.abs((select(2, found.normals:get(i)))))
    end
  end)

  it("count a corner over a ridge for each of its faces", function()
    local found = two_pieces({ { 0, 0.003, 0 }, { 1, 1, 0.2 }, { -1, 1, 0 } }, { { 1, 2, 3 } },
      { { 0, 0, -1 }, { 0, 0, 1 }, { 1, -1, 0 }, { -1, -1, 0 } }, { { 1, 2, 3 }, { 1, 4, 2 } })
    assert.equal(2, found.vertices.count)
    for i = 1, 2 do
      assert.near(0.003, (found.numbers:get(i)), 1e-15)
    end
  end)

  it("count crossing ridges once, by their edges", function()
    local found = two_pieces({ { -1, 0.003, 0 }, { 1, 0.003, 0 }, { 0, 1, 1 }, { 0, 1, -1 } },
      { { 1, 2, 3 }, { 1, 4, 2 } }, { { 0, 0, -1 }, { 0, 0, 1 }, { 1, -1, 0 }, { -1, -1, 0 } },
      { { 1, 2, 3 }, { 1, 4, 2 } })
    assert.equal(1, found.vertices.count)
    assert.equal(1, ({ found.numbers:get(1) })[4])
  end)

  it("hold parallel ridges by their ends", function()
    local found = two_pieces({ { -0.5, 0.003, 0 }, { 0.5, 0.003, 0 }, { 0, 1, 1 }, { 0, 1, -1 } },
      { { 1, 2, 3 }, { 1, 4, 2 } }, { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 1 }, { 0, -1, -1 } },
      { { 1, 2, 3 }, { 1, 4, 2 } })
    assert.equal(4, found.vertices.count)
    for i = 1, 4 do
      assert.near(0.003, (found.numbers:get(i)), 1e-15)
    end
  end)

  it("of flat sheets hold every vertex and every crossing of edges", function()
    local points, faces = unit_square(0)
    local other = unit_square(0.004)
    for _, point in ipairs(other) do
      point[1], point[3] = 0.1 + 0.6 * point[1], 0.2 + 0.6 * point[3]
    end
    local _, flipped = unit_square(0, true)
    local found = two_pieces(points, faces, other, flipped)
    local kinds = {}
    for i = 1, found.vertices.count do
      local _, _, _, kind = found.numbers:get(i)
      kinds[kind] = (kinds[kind] or 0) + 1
      assert.near(0.004, (found.numbers:get(i)), 1e-15)
    end
    -- Four vertices over the faces below; the diagonal below meets two sides and the diagonal of the square above.
    assert.same({ [0] = 4, [1] = 3 }, kinds)
  end)

  it("that touch have a direction that does not jump", function()
    local points, faces = unit_square(0)
    local found = two_pieces(points, faces, { { 0.3, 0, 0.3 }, { 0.4, 1, 0.3 }, { 0.3, 1, 0.4 } }, { { 1, 2, 3 } })
    assert.equal(1, found.vertices.count)
    assert.same({ 0, -1, 0 }, { found.normals:get(1) }) -- of the face, whose corners turn that way
  end)
end)

describe("Neighbours in a cloth", function()
  --- A strip folded twice: its outer parts are 4 mm apart, and joined by the part in the middle.
  local function folded_strip(options)
    local shape = { points = {}, body = {}, cloth = {}, cloth_count = 8 }
    for i, x in ipairs { 0.03, 0, -0.01, 0.03 } do
      local y, z = i <= 2 and 0.002 or -0.002, i == 2 and 0.015 or 0.02 -- the upper crease lies over the lower part
      shape.points[2 * i - 1], shape.points[2 * i] = { x, y, -z }, { x, y, z }
    end
    for i = 0, 2 do
      local a = 2 * i
      shape.cloth[#shape.cloth + 1], shape.cloth[#shape.cloth + 2] = { a + 1, a + 2, a + 3 }, { a + 2, a + 4, a + 3 }
    end
    options.half_thickness = 0.005
    local scene = shapes.open(shape, options)
    scene:update { from = shape.points }
    return scene, shape
  end

  local function count_neighbours(scene, shape)
    local is_neighbour, count, distances = neighbour_test(shape), 0, {}
    local found = scene:find { at = shape.points }
    for i = 1, found.vertices.count do
      local distance_now, thickness, _, kind = found.numbers:get(i)
      if is_neighbour(kind % 2 == 1 and "edge_edge" or "vertex_face", { found.vertices:get(i) }) then
        count = count + 1
        distances[count] = { distance_now, thickness }
      end
    end
    return count, distances
  end

  it("make no contacts without a thickness of their own", function()
    local scene, shape = folded_strip {}
    assert.equal(0, (count_neighbours(scene, shape)))
    assert.is_true(scene:candidates("vertex_face_neighbour").count > 0)
  end)

  it("make contacts within their own thickness, the smallest of the vertices'", function()
    local scene, shape = folded_strip { neighbour_half_thickness = 0.0025 }
    local count, distances = count_neighbours(scene, shape)
    assert.is_true(count > 0)
    for _, pair in ipairs(distances) do
      assert.is_true(pair[1] < pair[2])
      assert.near(0.005, pair[2], 1e-15)
    end
    local thin = {}
    for i = 1, 8 do
      thin[i] = i <= 4 and 0.0025 or 0.001
    end
    assert.equal(0, (count_neighbours(folded_strip { neighbour_half_thickness = thin }, shape)))
  end)

  it("are not tested where both are loose", function()
    local everything = {}
    for i = 1, 8 do
      everything[i] = i
    end
    local scene = folded_strip { loose = everything }
    assert.equal(0, scene:candidates("vertex_face_neighbour").count)
    assert.equal(0, scene:candidates("edge_edge_neighbour").count)
    local one_side = folded_strip { loose = { 1, 2, 3, 4 } }
    assert.is_true(one_side:candidates("vertex_face_neighbour").count > 0)
  end)
end)

describe("A contact scene", function()
  it("names what is wrong with its definition", function()
    local face = { { 1, 2, 3 } }
    local function message(options)
      return support.message_of(contact, options)
    end
    assert.matches("cloth face 1 has vertex 4, expected 1 to 3",
      message { vertices = 6, cloth_vertices = 3, cloth = { { 1, 2, 4 } } })
    assert.matches("body face 1 has vertex 1, expected 4 to 6",
      message { vertices = 6, cloth_vertices = 3, body = face })
    assert.matches("cloth face 1 has vertex 1 twice", message { vertices = 3, cloth = { { 1, 2, 1 } } })
    assert.matches("half_thickness must be a number or one for each of 3 vertices",
      message { vertices = 3, cloth = face, half_thickness = { 1, 1 } })
    assert.matches("half_thickness must be a number from 0 to 1, got %-1",
      message { vertices = 3, cloth = face, half_thickness = -1 })
    assert.matches("classes must be one for each of 3", message { vertices = 3, cloth = face, classes = { 1 } })
  end)

  it("has nothing to find before the first update", function()
    local scene = contact { vertices = 3, cloth = { { 1, 2, 3 } } }
    local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
    assert.matches("find before the first update", support.message_of(scene.find, scene, { at = points }))
    assert.matches("resolve before the first update",
      support.message_of(scene.resolve, scene, { from = points, to = points, inverse_mass = 1 }))
    assert.equal("weft.contact.candidates: contact: candidates before the first update",
      support.message_of(scene.candidates, scene, "edge_edge"))
  end)

  it("blames a margin that is too large, and finds as before with smaller ones", function()
    local sheet = weft.sheet { cells = { 60, 60 }, size = { 0.1, 0.1 } }
    for _, half_thickness in ipairs { 0, 1e-4 } do
      local scene = contact { vertices = sheet.vertices, cloth = sheet.faces, half_thickness = half_thickness }
      scene:update { from = sheet.positions }
      assert.matches("a margin of 0%.5 m is too large for edges of 0%.00167 m",
        support.message_of(scene.find, scene, { at = sheet.positions, margin = 0.5 }))
      assert.equal(0, scene:find { at = sheet.positions }.vertices.count)
      assert.equal(0, scene:find { at = sheet.positions, margin = 0.001 }.vertices.count)
    end
    local thick = contact { vertices = sheet.vertices, cloth = sheet.faces, half_thickness = 0.25 }
    assert.matches("a thickness of 0%.5 m is too large for edges of 0%.00167 m",
      support.message_of(thick.update, thick, { from = sheet.positions }))
  end)

  it("survives each allocation that fails", function()
    local shape = random_scene(9)
    support.fail_each_allocation(function()
      local scene = shapes.open(shape, { half_thickness = HALF })
      scene:update { from = shape.points }
      scene:find { at = shape.points }
      scene:close()
      return true
    end)
  end)
end)
