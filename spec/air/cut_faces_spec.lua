-- Which faces of a staggered grid cloth cuts and solids fill: against brute force, exact areas, and floods that must
-- not get through.

local core = require "weft.core"
local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local minus, cross, dot = vectors.minus, vectors.cross, vectors.dot

local message_of = support.message_of

local function random_numbers(seed)
  local stream = support.stream(seed)
  return function()
    return stream(2 ^ 30) / 2 ^ 30
  end
end

local function triple(a, b, c)
  return dot(cross(a, b), c)
end

--- The segment's crossing of a triangle as a fraction, or nil: signs of five volumes.
local function crossing(a, b, p, q, r)
  local va, vb = triple(minus(q, p), minus(r, p), minus(a, p)), triple(minus(q, p), minus(r, p), minus(b, p))
  if va * vb >= 0 then
    return nil
  end
  local d = minus(b, a)
  local s, t, u = triple(d, minus(p, a), minus(q, a)), triple(d, minus(q, a), minus(r, a)),
    triple(d, minus(r, a), minus(p, a))
  if s * t > 0 and t * u > 0 then
    return va / (va - vb)
  end
end

local function centre_of(box, i, j, k)
  return { box.origin[1] + (i - 0.5) * box.spacing[1], box.origin[2] + (j - 0.5) * box.spacing[2],
    box.origin[3] + (k - 0.5) * box.spacing[3] }
end

local function key(axis, i, j, k)
  return ((axis * 1000 + i) * 1000 + j) * 1000 + k
end

--- Layers of each cut face by its key.
local function cut(box)
  local layers, faces = core.cut_faces(box)
  local cuts, count = {}, 0
  for l = 1, layers.count do
    local axis, i, j, k, triangle, u, v, w = layers:get(l)
    local name = key(axis, i, j, k)
    count = count + (cuts[name] and 0 or 1)
    cuts[name] = cuts[name] or { axis = axis }
    table.insert(cuts[name], { triangle = triangle, weights = { u, v, w } })
  end
  assert.equal(faces, count)
  return cuts, faces, layers
end

--- Cells that are reached from one by faces that are not cut, but for those nearer than `edge` to the box's sides.
local function flood(box, cuts, start, edge)
  edge = edge or 0
  local reached, queue = { [key(0, start[1], start[2], start[3])] = true }, { start }
  while #queue > 0 do
    local cell = table.remove(queue)
    for axis = 1, 3 do
      for side = 0, 1 do
        local to = { cell[1], cell[2], cell[3] }
        to[axis] = to[axis] + 2 * side - 1
        local face = { cell[1], cell[2], cell[3] }
        face[axis] = face[axis] + side
        if to[axis] > edge and to[axis] <= box.cells[axis] - edge and not cuts[key(axis, face[1], face[2], face[3])] and
          not reached[key(0, to[1], to[2], to[3])] then
          reached[key(0, to[1], to[2], to[3])] = true
          queue[#queue + 1] = to
        end
      end
    end
  end
  return function(i, j, k)
    return reached[key(0, i, j, k)] == true
  end
end

local function triangles_of(seed, count)
  local random, vertices, faces = random_numbers(seed), {}, {}
  for t = 1, count do
    local size = t % 3 == 0 and 0.1 or 1.2
    local base = { random() * 0.9 - 0.4, random() * 0.9 - 0.4, random() * 0.9 - 0.4 }
    for _ = 1, 3 do
      vertices[#vertices + 1] = { base[1] + size * random(), base[2] + size * random(), base[3] + size * random() }
    end
    faces[t] = { 3 * t - 2, 3 * t - 1, 3 * t }
  end
  return vertices, faces
end

--- A rotation about the axis (1, 2, 3) by an angle.
local function turned(p, angle)
  local n = { 1 / math.sqrt(14), 2 / math.sqrt(14), 3 / math.sqrt(14) }
  local c, s, along, across = math.cos(angle), math.sin(angle), dot(n, p), cross(n, p)
  local q = {}
  for a = 1, 3 do
    q[a] = c * p[a] + s * across[a] + (1 - c) * along * n[a]
  end
  return q
end

--- A flat sheet of `cells` x `cells` squares of the side `size` around a point, turned about the axis above.
local function sheet(size, cells, middle, angle)
  local vertices, faces, width = {}, {}, cells + 1
  for j = 0, cells do
    for i = 0, cells do
      local p = turned({ 0, size * (j / cells - 0.5), size * (i / cells - 0.5) }, angle)
      vertices[#vertices + 1] = { middle[1] + p[1], middle[2] + p[2], middle[3] + p[3] }
    end
  end
  for j = 0, cells - 1 do
    for i = 0, cells - 1 do
      local a = j * width + i + 1
      faces[#faces + 1] = { a, a + 1, a + width }
      faces[#faces + 1] = { a + 1, a + width + 1, a + width }
    end
  end
  return vertices, faces
end

--- An octahedron with its faces divided, pushed out onto a sphere unless `flat`; the faces point outward.
local function ball(middle, radius, rounds, flat)
  local vertices = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } }
  local faces = { { 1, 3, 5 }, { 3, 2, 5 }, { 2, 4, 5 }, { 4, 1, 5 }, { 3, 1, 6 }, { 2, 3, 6 }, { 4, 2, 6 },
    { 1, 4, 6 } }
  for _ = 1, rounds do
    local middles, finer = {}, {}
    local function halfway(a, b)
      local name = math.min(a, b) * 1e6 + math.max(a, b)
      if not middles[name] then
        local p, q = vertices[a], vertices[b]
        local m = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2, (p[3] + q[3]) / 2 }
        local length = flat and 1 or math.sqrt(dot(m, m))
        vertices[#vertices + 1] = { m[1] / length, m[2] / length, m[3] / length }
        middles[name] = #vertices
      end
      return middles[name]
    end
    for _, f in ipairs(faces) do
      local a, b, c = halfway(f[1], f[2]), halfway(f[2], f[3]), halfway(f[3], f[1])
      for _, new in ipairs { { f[1], a, c }, { a, f[2], b }, { c, b, f[3] }, { a, b, c } } do
        finer[#finer + 1] = new
      end
    end
    faces = finer
  end
  for v, p in ipairs(vertices) do
    vertices[v] = { middle[1] + radius * p[1], middle[2] + radius * p[2], middle[3] + radius * p[3] }
  end
  return vertices, faces
end

describe("Faces that cloth cuts", function()
  local box = { origin = { 0.1, -0.2, 0.05 }, spacing = { 0.13, 0.11, 0.12 }, cells = { 8, 9, 7 } }

  it("are those whose cells' centres a triangle parts", function()
    for seed = 1, 3 do
      local vertices, faces = triangles_of(seed, 60)
      local cuts = cut(support.with(box, { vertices = vertices, faces = faces }))
      local found, hits = 0, 0
      for axis = 1, 3 do
        for i = 1, box.cells[1] do
          for j = 1, box.cells[2] do
            for k = 1, box.cells[3] do
              local lower = { i, j, k }
              lower[axis] = lower[axis] - 1
              local a, b = centre_of(box, lower[1], lower[2], lower[3]), centre_of(box, i, j, k)
              local list = {}
              for t, f in ipairs(lower[axis] > 0 and faces or {}) do
                local at = crossing(a, b, vertices[f[1]], vertices[f[2]], vertices[f[3]])
                if at then
                  list[#list + 1] = { at = at, triangle = t }
                end
              end
              table.sort(list, function(p, q) return p.at < q.at end)
              local layers = cuts[key(axis, i, j, k)] or {}
              assert.equal(#list, #layers)
              hits, found = hits + #list, found + (#layers > 0 and 1 or 0)
              for l, layer in ipairs(layers) do
                assert.equal(list[l].triangle, layer.triangle)
                local point, f = { 0, 0, 0 }, faces[layer.triangle]
                for v = 1, 3 do
                  for c = 1, 3 do
                    point[c] = point[c] + layer.weights[v] * vertices[f[v]][c]
                  end
                end
                for c = 1, 3 do
                  assert.near(a[c] + list[l].at * (b[c] - a[c]), point[c], 1e-6)
                end
              end
            end
          end
        end
      end
      assert.is_true(found > 100 and hits > found, found .. " " .. hits)
    end
  end)

  it("let nothing out of closed surfaces, even where everything coincides", function()
    -- Corners, edges and faces of the octahedron on centres and lines through them; then turned and shifted a little.
    local even = { origin = { 0, 0, 0 }, spacing = { 1, 1, 1 }, cells = { 13, 13, 13 } }
    for _, radius in ipairs { 3, 4, 4.5 } do
      for _, shift in ipairs { 0, 0.5, 1e-16, -1e-16, 0.25 } do
        for _, flat in ipairs { true, false } do
          local vertices, faces = ball({ 6.5 + shift, 6.5, 6.5 - shift }, radius, 2, flat)
          local cuts, count = cut(support.with(even, { vertices = vertices, faces = faces }))
          local reached = flood(even, cuts, { 7, 7, 7 })
          assert.is_false(reached(1, 1, 1))
          assert.is_true(reached(7, 8, 7))
          local outside = flood(even, cuts, { 1, 1, 1 })
          for i = 1, 13 do
            for j = 1, 13 do
              for k = 1, 13 do
                assert.is_false(reached(i, j, k) and outside(i, j, k))
              end
            end
          end
          assert.is_true(count > 50)
        end
      end
    end
  end)

  it("close a channel that a tilted or a level sheet spans, with the area of its projections", function()
    local channel = { origin = { 0, 0, 0 }, spacing = { 0.1, 0.1, 0.1 }, cells = { 24, 10, 10 } }
    for _, angle in ipairs { 0, 0.2, 0.4, 0.6 } do
      for _, x in ipairs { 1.15, 1.2, 1.2341 } do
        local vertices, faces = sheet(2.4, 16, { x, 0.5, 0.5 }, angle)
        local cuts = cut(support.with(channel, { vertices = vertices, faces = faces }))
        local reached = flood(channel, cuts, { 1, 1, 1 })
        local across = 0
        for j = 1, 10 do
          for k = 1, 10 do
            assert.is_false(reached(24, j, k))
          end
        end
        for _, face in pairs(cuts) do
          across = across + (face.axis == 1 and 1 or 0)
        end
        assert.equal(100, across)
      end
    end
  end)

  it("are the same for any number of threads", function()
    local vertices, faces = ball({ 0.5, 0.5, 0.5 }, 0.4, 5)
    local request = { origin = { 0, 0, 0 }, spacing = { 0.05, 0.05, 0.05 }, cells = { 20, 20, 20 }, vertices = vertices,
      faces = faces }
    support.same_with_threads(function()
      local layers = core.cut_faces(request)
      return layers:string()
    end, { 1, 2, 5 })
  end)

  it("refuse what is not a number", function()
    assert.matches("not finite", message_of(core.cut_faces, support.with(box, { faces = { { 1, 2, 3 } },
      vertices = { { 0, 0, 0 }, { 2e6, 0, 0 }, { 0, 1, 0 } } })))
  end)
end)

describe("Faces beside solids", function()
  --- Open fraction and velocity of a face, 1-based.
  local function reader(box, arrays)
    return function(axis, i, j, k, what)
      local at = i + (box.cells[1] + 1) * (j - 1 + (box.cells[2] + 1) * (k - 1))
      return (arrays[axis][what or "open"]:get(at))
    end
  end

  --- Closed area of the plane across x in front of cell i.
  local function closed(box, of, i)
    local sum = 0
    for j = 1, box.cells[2] do
      for k = 1, box.cells[3] do
        sum = sum + (1 - of(1, i, j, k)) * box.spacing[2] * box.spacing[3]
      end
    end
    return sum
  end

  it("close a sphere's sections, to second order in the cells", function()
    for kind = 1, 2 do
      local errors = {}
      for _, n in ipairs { 12, 24, 48 } do
        local box = { origin = { 0, 0, 0 }, spacing = { 1 / n, 1 / n, 1 / n }, cells = { n, n, n } }
        local request
        if kind == 1 then
          local vertices, faces = ball({ 0.52, 0.49, 0.51 }, 0.31, 6)
          request = support.with(box, { vertices = vertices, faces = faces, velocities = vertices })
        else
          request = support.with(box, { collider = weft.collider.sphere { radius = 0.31,
            position = { 0.52, 0.49, 0.51 } } })
        end
        local of, sum = reader(box, core.solid_faces(request)), 0
        for i = 1, n + 1 do
          local x = (i - 1) / n - 0.52
          sum = sum + math.abs(closed(box, of, i) - math.max(math.pi * (0.31 ^ 2 - x ^ 2), 0)) / n
        end
        errors[#errors + 1] = sum
      end
      assert.is_true(errors[3] < errors[1] / 12, kind .. ": " .. table.concat(errors, " "))
      assert.is_true(errors[3] < 2e-3 * 4 / 3 * math.pi * 0.31 ^ 3 * 3)
    end
  end)

  it("close a slab exactly, wherever its faces lie", function()
    local box = { origin = { -1, -1, -1 }, spacing = { 0.2, 0.2, 0.2 }, cells = { 10, 10, 10 } }
    local vertices, faces = {}, { { 1, 3, 2 }, { 2, 3, 4 }, { 5, 6, 7 }, { 6, 8, 7 }, { 1, 2, 5 }, { 2, 6, 5 },
      { 3, 7, 4 }, { 4, 7, 8 }, { 1, 5, 3 }, { 3, 5, 7 }, { 2, 4, 6 }, { 4, 8, 6 } }
    for _, z in ipairs { -1.3, 1.7 } do
      for _, y in ipairs { -1.2, 1.4 } do
        for _, x in ipairs { -0.37, 0.6 } do
          vertices[#vertices + 1] = { x, y, z }
        end
      end
    end
    local velocities = {}
    for v = 1, 8 do
      velocities[v] = { 1.5, -2, 0.5 }
    end
    local of = reader(box, core.solid_faces(support.with(box, { vertices = vertices, faces = faces,
      velocities = velocities })))
    for i = 1, 11 do
      local x = -1 + 0.2 * (i - 1)
      assert.near(x > -0.37 and x < 0.6 and 4 or 0, closed(box, of, i), 1e-5)
    end
    local across = 0
    for i = 1, 10 do
      for k = 1, 10 do
        across = across + 0.04 * (1 - of(2, i, 6, k))
      end
    end
    assert.near(0.97 * 2, across, 1e-5)
    assert.near(1.5, of(1, 4, 6, 6, "velocity"), 1e-6)
    assert.near(-2, of(2, 4, 5, 6, "velocity"), 1e-6)
    assert.equal(0, of(1, 1, 5, 5, "velocity"))
  end)

  it("close behind walls of any thickness and slant", function()
    local box = { origin = { 0, 0, 0 }, spacing = { 0.1, 0.1, 0.1 }, cells = { 12, 12, 12 } }
    for n, thickness in ipairs { 0.004, 0.03, 0.07, 0.11, 0.14, 0.17 } do
      for turn = 0, 6 do
        local angle, x = 0.11 * turn, 0.605 + 0.013 * (n + turn)
        local c, s = math.cos(angle / 2), math.sin(angle / 2) / math.sqrt(14)
        local wall = weft.collider.box { size = { thickness, 9, 9 }, position = { x, 0.6, 0.6 },
          orientation = { s, 2 * s, 3 * s, c } }
        local of = reader(box, core.solid_faces(support.with(box, { collider = wall, velocity = { 3, 0, 0 } })))
        local barred = {}
        for axis = 1, 3 do
          for i = 1, 12 do
            for j = 1, 12 do
              for k = 1, 12 do
                barred[key(axis, i, j, k)] = of(axis, i, j, k) == 0 or nil
              end
            end
          end
        end
        local reached = flood(box, barred, { 2, 6, 6 }, 1) -- solids may go on outside
        assert.is_true(reached(3, 6, 6))
        assert.is_false(reached(11, 6, 6), ("%g m thick, turned by %g, at %g"):format(thickness, angle, x))
        assert.near(3, of(1, 1 + math.floor(x / 0.1), 6, 6, "velocity"), 1e-6)
      end
    end
  end)

  it("move as a turning collider does", function()
    local box = { origin = { -1, -1, -1 }, spacing = { 0.125, 0.125, 0.125 }, cells = { 16, 16, 16 } }
    local of = reader(box, core.solid_faces(support.with(box, { collider = weft.collider.sphere { radius = 0.6 },
      velocity = { 0.3, 0, 0 }, spin = { 0, 0, 2 } })))
    for i = 6, 12 do
      for j = 6, 12 do
        -- u = 0.3 - 2 y at the face's centre
        local y = -1 + 0.125 * (j - 0.5)
        assert.near(0.3 - 2 * y, of(1, i, j, 8, "velocity"), 1e-5)
      end
    end
  end)
end)
