-- What surfaces are like, and which points are inside them.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local minus, dot = vectors.minus, vectors.dot

--- A torus around the Y axis, counter-clockwise seen from outside; with `open` one strip of its faces is left out.
local function torus(radius, tube, m, n, open)
  local vertices, faces = {}, {}
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local u, v = 2 * math.pi * i / m, 2 * math.pi * j / n
      local r = radius + tube * math.cos(v)
      vertices[#vertices + 1] = { r * math.cos(u), tube * math.sin(v), -r * math.sin(u) }
      local function at(a, b)
        return (i + a) % m * n + (j + b) % n + 1
      end
      if not (open and i == 0) then
        faces[#faces + 1] = { at(0, 0), at(1, 0), at(1, 1) }
        faces[#faces + 1] = { at(0, 0), at(1, 1), at(0, 1) }
      end
    end
  end
  return { vertices = vertices, faces = faces }
end

describe("weft.inspect.examine", function()
  it("describes a torus", function()
    local report = weft.inspect.examine(torus(1, 0.3, 80, 60))
    assert.is_true(report.closed and report.manifold and report.oriented)
    assert.same({ 1, 0, 0, 0, 0, 0, 0, 0 }, { report.components, report.boundary_loops, report.boundary_edges,
      report.nonmanifold_edges, report.nonmanifold_vertices, report.zero_area_faces, report.isolated_vertices,
      report.euler })
    -- Pappus: 2 pi^2 R r^2 and 4 pi^2 R r, of which the polyhedron misses a few thousandths.
    assert.near(2 * math.pi ^ 2 * 0.09, report.volume, 5e-3 * report.volume)
    assert.near(4 * math.pi ^ 2 * 0.3, report.area, 3e-3 * report.area)
  end)

  it("sees openings, turned faces and several parts", function()
    local report = weft.inspect.examine(torus(1, 0.3, 12, 8, true))
    assert.is_false(report.closed)
    assert.is_true(report.manifold and report.oriented)
    assert.same({ 2, 16, 0 }, { report.boundary_loops, report.boundary_edges, report.euler })

    local turned = torus(1, 0.3, 12, 8)
    turned.faces[5] = { turned.faces[5][2], turned.faces[5][1], turned.faces[5][3] }
    report = weft.inspect.examine(turned)
    assert.is_true(report.closed and report.manifold)
    assert.is_false(report.oriented)

    local v = support.tetrahedron.vertices
    local two = { vertices = { v[1], v[2], v[3], v[4], v[1], v[2], v[3], v[4], v[1] }, faces = {} }
    for i, face in ipairs(support.tetrahedron.faces) do
      two.faces[i] = face
      two.faces[4 + i] = { face[1] + 4, face[2] + 4, face[3] + 4 }
    end
    report = weft.inspect.examine(two)
    assert.same({ 2, 4, 1 }, { report.components, report.euler, report.isolated_vertices })
    assert.near(1 / 3, report.volume, 1e-15)
  end)

  it("sees what is not manifold", function()
    local vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { -1, 0, 0 }, { 0, -1, 0 }, { 2, 0, 0 } }
    local report = weft.inspect.examine { vertices = vertices, faces = { { 1, 2, 3 }, { 1, 5, 6 } } }
    assert.is_false(report.manifold)
    assert.same({ 1, 0, 2, 1 }, { report.nonmanifold_vertices, report.nonmanifold_edges, report.boundary_loops,
      report.components })
    report = weft.inspect.examine { vertices = vertices, faces = { { 1, 2, 3 }, { 1, 2, 4 }, { 2, 1, 6 } } }
    assert.is_false(report.manifold)
    assert.same({ 1, 0 }, { report.nonmanifold_edges, report.nonmanifold_vertices })
    report = weft.inspect.examine { vertices = vertices, faces = { { 1, 2, 7 } } }
    assert.equal(1, report.zero_area_faces)
  end)

  it("names the first face that makes no mesh", function()
    local v = support.tetrahedron.vertices
    local function refusal(faces)
      return support.message_of(weft.inspect.examine, { vertices = v, faces = faces })
    end
    assert.matches("face 2 names vertex 3 twice", refusal { { 1, 2, 3 }, { 3, 4, 3 } })
    assert.matches("faces 1 and 3 have the same three vertices", refusal { { 1, 2, 3 }, { 2, 3, 4 }, { 3, 2, 1 } })
    assert.matches("vertex 2 is at %(1e%+07, 0, 0%)", support.message_of(weft.inspect.examine,
      { vertices = { { 0, 0, 0 }, { 1e7, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }))
  end)

  it("is a method of meshes", function()
    local mesh = weft.mesh(support.tetrahedron)
    assert.same(weft.inspect.examine(mesh), mesh:examine())
    assert.is_true(mesh:examine().closed)
  end)

  it("survives each failing allocation", function()
    local _, count = support.fail_each_allocation(function()
      return weft.inspect.examine(support.tetrahedron)
    end)
    assert.is_true(count > 10)
  end)
end)

describe("weft.inspect.inside", function()
  local random_state = 5
  local function random()
    random_state = random_state * 16807 % 2147483647
    return random_state / 2147483647
  end

  --- The distance of a point from the smooth torus of radii 1 and 0.3, negative inside.
  local function torus_distance(p)
    local ring = math.sqrt(p[1] ^ 2 + p[3] ^ 2) - 1
    return math.sqrt(ring ^ 2 + p[2] ^ 2) - 0.3
  end

  it("knows the inside of a torus and the distance from it", function()
    local body = torus(1, 0.3, 90, 60)
    local points, inside = {}, 0
    for i = 1, 1000 do
      local p
      repeat
        p = { 3 * random() - 1.5, random() - 0.5, 3 * random() - 1.5 }
      until math.abs(torus_distance(p)) > 2e-3 -- the polyhedron lies up to 1.6e-3 inside
      points[i] = p
      inside = inside + (torus_distance(p) < 0 and 1 or 0)
    end
    local count, distances = weft.inspect.inside(body, points)
    assert.equal(inside, count)
    assert.is_true(inside > 150)
    for i = 1, #points do
      assert.near(torus_distance(points[i]), distances:get(i), 2e-3)
    end
  end)

  it("is the same for any number of threads", function()
    local body, threads = torus(1, 0.3, 30, 20), weft.threads()
    local points, results = {}, {}
    for i = 1, 2000 do
      points[i] = { 3 * random() - 1.5, random() - 0.5, 3 * random() - 1.5 }
    end
    for count = 1, 3 do
      weft.threads(count)
      local _, distances = weft.inspect.inside(body, points)
      results[count] = distances:string()
    end
    weft.threads(threads)
    assert.equal(results[1], results[2])
    assert.equal(results[1], results[3])
  end)

  it("finds distances exactly from faces, edges and corners", function()
    local cube = { vertices = {}, faces = {} }
    for i = 0, 7 do
      cube.vertices[i + 1] = { i % 2, math.floor(i / 2) % 2, math.floor(i / 4) }
    end
    for _, quad in ipairs { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 },
      { 2, 4, 8, 6 } } do
      cube.faces[#cube.faces + 1] = { quad[1], quad[2], quad[3] }
      cube.faces[#cube.faces + 1] = { quad[1], quad[3], quad[4] }
    end
    local count, distances = weft.inspect.inside(cube,
      { { 0.5, 0.5, 3 }, { 0.5, 2, 2 }, { 3, 3, 3 }, { 0.25, 0.5, 0.5 }, { 0.5, 0.9, 0.5 }, { -1e6, 0.5, 0.5 } })
    assert.equal(2, count)
    local expected = { 2, math.sqrt(2), math.sqrt(12), -0.25, -0.1, 1e6 }
    for i, distance in ipairs(expected) do
      assert.near(distance, distances:get(i), 1e-14 * math.max(1, math.abs(distance)))
    end
  end)

  it("is not confused by a small crossing or a small gap", function()
    -- Two overlapping tori count as one body: around the overlap the surface winds twice.
    local a, b = torus(1, 0.3, 40, 30), torus(1, 0.3, 40, 30)
    local offset = #a.vertices
    for i, p in ipairs(b.vertices) do
      a.vertices[offset + i] = { p[1] + 0.1, p[2], p[3] }
    end
    for _, face in ipairs(b.faces) do
      a.faces[#a.faces + 1] = { face[1] + offset, face[2] + offset, face[3] + offset }
    end
    table.remove(a.faces, 3) -- and one face is missing
    local count = weft.inspect.inside(a, { { 1.05, 0, 0 }, { -1, 0.1, 0 }, { 0, 0, 1 }, { 0, 0, 0 }, { 0, 0.5, 0 } })
    assert.equal(3, count)
  end)

  it("takes the shared body", function()
    local path, reason = support.shared_data "garmentcode/mean_all.obj"
    if not path then
      pending(reason)
      return
    end
    local body = weft.mesh.load(path)
    local report = body:examine()
    assert.is_true(report.closed and report.manifold and report.oriented)
    -- The chest, above the head, between the legs.
    local count, distances = weft.inspect.inside(body, { { 0, 1.2, 0 }, { 0, 2.5, 0 }, { 0, 0.3, 0 } })
    assert.equal(1, count)
    assert.is_true(distances:get(1) < -0.05)
  end)

  it("takes lists, buffers and objects as points", function()
    local body = torus(1, 0.3, 12, 8)
    local buffer = weft.buffer { count = 2 }
    buffer:set(1, 1, 0, 0)
    assert.equal(1, (weft.inspect.inside(body, buffer)))
    assert.equal(1, (weft.inspect.inside(body, { { 1, 0, 0 }, { 0, 0, 0 } })))
    assert.equal(0, (weft.inspect.inside(body, weft.mesh { vertices = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 3, 0 } },
      faces = { { 1, 2, 3 } } })))
    assert.matches("points must be something with positions", support.message_of(weft.inspect.inside, body, 7))
  end)

  it("survives each failing allocation", function()
    local _, count = support.fail_each_allocation(function()
      return weft.inspect.inside(support.tetrahedron, { { 0, 0, 0 } })
    end)
    assert.is_true(count > 10)
  end)
end)

describe("weft.inspect.winding", function()
  --- The sum of the solid angles of all faces (van Oosterom and Strackee 1983), over 4 pi.
  local function brute_force(surface, point)
    local sum = 0
    for _, face in ipairs(surface.faces) do
      local a, b, c = minus(surface.vertices[face[1]], point), minus(surface.vertices[face[2]], point),
        minus(surface.vertices[face[3]], point)
      local la, lb, lc = math.sqrt(dot(a, a)), math.sqrt(dot(b, b)), math.sqrt(dot(c, c))
      local y = dot(a, { b[2] * c[3] - b[3] * c[2], b[3] * c[1] - b[1] * c[3], b[1] * c[2] - b[2] * c[1] })
      local x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
      local angle = x ~= 0 and math.atan(y / x) or 0
      if x < 0 then
        angle = angle + (y < 0 and -math.pi or math.pi)
      end
      sum = sum + 2 * angle
    end
    return sum / (4 * math.pi)
  end

  for _, open in ipairs { false, true } do
    it("agrees with the sum over all faces of " .. (open and "an open" or "a closed") .. " torus, to 1e-3", function()
      local body, points, state = torus(1, 0.3, 60, 40, open), {}, 9
      for i = 1, 150 do
        points[i] = {}
        for c = 1, 3 do
          state = state * 16807 % 2147483647
          points[i][c] = (state / 2147483647 - 0.5) * (i % 2 == 0 and 2.6 or 6)
        end
      end
      local winding = weft.inspect.winding(body, points)
      for i, point in ipairs(points) do
        assert.near(brute_force(body, point), winding:get(i), 1e-3)
      end
    end)
  end
end)
