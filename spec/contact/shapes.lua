-- Meshes for the contact specs, and a judge of intersections that shares nothing with the code under test.

local shapes = {}

--- Numbers in [-1, 1) that are the same on every Lua (Park and Miller 1988).
function shapes.random(seed)
  local state = seed
  return function()
    state = state * 16807 % 2147483647
    return state / 2147483647 * 2 - 1
  end
end

--- An empty scene; the functions below add to it. Cloth must be added before bodies.
function shapes.scene()
  return { points = {}, cloth = {}, body = {}, cloth_count = 0 }
end

--- An unstructured sheet of cells x cells squares from `corner` along u and v, each cut along a random diagonal.
function shapes.add_sheet(scene, cells, corner, u, v, random)
  local base, points = #scene.points, scene.points
  for i = 0, cells do
    for j = 0, cells do
      local inner = i > 0 and i < cells and j > 0 and j < cells and random and 0.25 or 0
      local a, b = (i + inner * (random and random() or 0)) / cells, (j + inner * (random and random() or 0)) / cells
      local point = {}
      for k = 1, 3 do
        point[k] = corner[k] + u[k] * a + v[k] * b
      end
      points[#points + 1] = point
    end
  end
  for i = 0, cells - 1 do
    for j = 0, cells - 1 do
      local a = base + i * (cells + 1) + j + 1
      local b, c, d = a + cells + 1, a + cells + 2, a + 1
      local cut = random and random() < 0 and { { a, b, d }, { b, c, d } } or { { a, b, c }, { a, c, d } }
      scene.cloth[#scene.cloth + 1], scene.cloth[#scene.cloth + 2] = cut[1], cut[2]
    end
  end
  scene.cloth_count = #points
end

--- A sphere of `rows` rings as a body.
function shapes.add_sphere(scene, rows, centre, radius)
  local base, points, columns = #scene.points, scene.points, 2 * rows
  local function add(polar, around)
    local across = radius * math.sin(polar)
    points[#points + 1] = { centre[1] + across * math.cos(around), centre[2] + radius * math.cos(polar),
      centre[3] + across * math.sin(around) }
  end
  add(0, 0)
  for i = 1, rows - 1 do
    for j = 0, columns - 1 do
      add(math.pi * i / rows, 2 * math.pi * j / columns)
    end
  end
  add(math.pi, 0)
  local function ring(i, j)
    return base + 2 + (i - 1) * columns + j % columns
  end
  for j = 0, columns - 1 do
    scene.body[#scene.body + 1] = { base + 1, ring(1, j + 1), ring(1, j) }
    scene.body[#scene.body + 1] = { #points, ring(rows - 1, j), ring(rows - 1, j + 1) }
    for i = 1, rows - 2 do
      scene.body[#scene.body + 1] = { ring(i, j), ring(i, j + 1), ring(i + 1, j + 1) }
      scene.body[#scene.body + 1] = { ring(i, j), ring(i + 1, j + 1), ring(i + 1, j) }
    end
  end
end

--- Single triangles with corners within `size` of random places within `extent`.
function shapes.add_triangles(scene, list, count, extent, size, random)
  for _ = 1, count do
    local x, y, z, face = extent * random(), extent * random(), extent * random(), {}
    for k = 1, 3 do
      scene.points[#scene.points + 1] = { x + size * random(), y + size * random(), z + size * random() }
      face[k] = #scene.points
    end
    list[#list + 1] = face
  end
  if list == scene.cloth then
    scene.cloth_count = #scene.points
  end
end

--- The scene as weft.contact, with what else is given.
function shapes.open(scene, options)
  local given = { vertices = #scene.points, cloth_vertices = scene.cloth_count, cloth = scene.cloth, body = scene.body }
  for name, value in pairs(options) do
    given[name] = value
  end
  return require "weft".contact(given)
end

--- Faces of cloth, then of bodies.
function shapes.faces(scene)
  local faces = {}
  for _, face in ipairs(scene.cloth) do
    faces[#faces + 1] = face
  end
  for _, face in ipairs(scene.body) do
    faces[#faces + 1] = face
  end
  return faces
end

--- The edges of faces, each once, smaller index first.
function shapes.edges(faces)
  local edges, seen = {}, {}
  for _, face in ipairs(faces) do
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      a, b = math.min(a, b), math.max(a, b)
      if not seen[a .. ":" .. b] then
        seen[a .. ":" .. b] = true
        edges[#edges + 1] = { a, b }
      end
    end
  end
  return edges
end

local function volume(a, b, c, d)
  local ux, uy, uz = b[1] - a[1], b[2] - a[2], b[3] - a[3]
  local vx, vy, vz = c[1] - a[1], c[2] - a[2], c[3] - a[3]
  return (uy * vz - uz * vy) * (d[1] - a[1]) + (uz * vx - ux * vz) * (d[2] - a[2])
    + (ux * vy - uy * vx) * (d[3] - a[3])
end

local function pierces(p, q, a, b, c)
  if (volume(a, b, c, p) > 0) == (volume(a, b, c, q) > 0) then
    return false
  end
  local u, v, w = volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)
  return u > 0 and v > 0 and w > 0 or u < 0 and v < 0 and w < 0
end

--- How many edges pierce faces with which they share no vertex; pairs within the bodies are left out.
function shapes.intersections(scene, points)
  local faces, boxes, count = shapes.faces(scene), {}, 0
  for i, face in ipairs(faces) do
    local box = {}
    for k = 1, 3 do
      local a, b, c = points[face[1]][k], points[face[2]][k], points[face[3]][k]
      box[k], box[k + 3] = math.min(a, b, c), math.max(a, b, c)
    end
    boxes[i] = box
  end
  for i, f in ipairs(faces) do
    for j, g in ipairs(faces) do
      local a, b = boxes[i], boxes[j]
      if i ~= j and (i <= #scene.cloth or j <= #scene.cloth) and a[1] <= b[4] and b[1] <= a[4] and a[2] <= b[5]
        and b[2] <= a[5] and a[3] <= b[6] and b[3] <= a[6] then
        for k = 1, 3 do
          local p, q = f[k], f[k % 3 + 1]
          local shared = p == g[1] or p == g[2] or p == g[3] or q == g[1] or q == g[2] or q == g[3]
          if not shared and pierces(points[p], points[q], points[g[1]], points[g[2]], points[g[3]]) then
            count = count + 1
          end
        end
      end
    end
  end
  return count
end

return shapes
