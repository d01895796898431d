-- Closed pieces of cloth and tubes for the specs of what is attached to them.

local vectors = require "spec.vectors"
local weft = require "weft"

local pieces = {}

local function distance(a, b)
  return vectors.norm(vectors.minus(a, b))
end

--- Vertices and faces of an icosahedron whose faces are cut into four, `level` times, on a sphere.
local function icosphere(level, radius)
  local t = (1 + math.sqrt(5)) / 2
  local v = { { -1, t, 0 }, { 1, t, 0 }, { -1, -t, 0 }, { 1, -t, 0 }, { 0, -1, t }, { 0, 1, t }, { 0, -1, -t },
    { 0, 1, -t }, { t, 0, -1 }, { t, 0, 1 }, { -t, 0, -1 }, { -t, 0, 1 } }
  local faces = { { 1, 12, 6 }, { 1, 6, 2 }, { 1, 2, 8 }, { 1, 8, 11 }, { 1, 11, 12 }, { 2, 6, 10 }, { 6, 12, 5 },
    { 12, 11, 3 }, { 11, 8, 7 }, { 8, 2, 9 }, { 4, 10, 5 }, { 4, 5, 3 }, { 4, 3, 7 }, { 4, 7, 9 }, { 4, 9, 10 },
    { 5, 10, 6 }, { 3, 5, 12 }, { 7, 3, 11 }, { 9, 7, 8 }, { 10, 9, 2 } }
  local function project(p)
    local scale = radius / vectors.norm(p)
    return { scale * p[1], scale * p[2], scale * p[3] }
  end
  for i, p in ipairs(v) do
    v[i] = project(p)
  end
  for _ = 1, level do
    local middles, finer = {}, {}
    local function middle(a, b)
      local key = math.min(a, b) .. "-" .. math.max(a, b)
      if not middles[key] then
        v[#v + 1] = project { v[a][1] + v[b][1], v[a][2] + v[b][2], v[a][3] + v[b][3] }
        middles[key] = #v
      end
      return middles[key]
    end
    for _, f in ipairs(faces) do
      local a, b, c = middle(f[1], f[2]), middle(f[2], f[3]), middle(f[3], f[1])
      finer[#finer + 1] = { f[1], a, c }
      finer[#finer + 1] = { f[2], b, a }
      finer[#finer + 1] = { f[3], c, b }
      finer[#finer + 1] = { a, b, c }
    end
    faces = finer
  end
  return v, faces
end

--- A ball of loose triangles that lie where they belong, with the stitches that make it closed, and its area, m2. No
--- flat pattern has a sphere's shape: each face has one of its own.
function pieces.loose_ball(options)
  local points, triangles = icosphere(options.level or 2, options.radius)
  local given = { vertices = {}, faces = {}, rest = {}, stitches = {}, fabric = options.fabric }
  local first, area = {}, 0
  for k, face in ipairs(triangles) do
    local p = {}
    for i, corner in ipairs(face) do
      p[i] = points[corner]
      table.insert(given.vertices, p[i])
      if first[corner] then
        table.insert(given.stitches, { first[corner], #given.vertices })
      else
        first[corner] = #given.vertices
      end
    end
    local ab, ac, bc = distance(p[1], p[2]), distance(p[1], p[3]), distance(p[2], p[3])
    local u = (ab * ab + ac * ac - bc * bc) / (2 * ab)
    local height = math.sqrt(ac * ac - u * u)
    table.insert(given.rest, { 0, 0 })
    table.insert(given.rest, { ab, 0 })
    table.insert(given.rest, { u, height })
    given.faces[k] = { 3 * k - 2, 3 * k - 1, 3 * k }
    area = area + ab * height / 2
  end
  return weft.cloth(given), area
end

--- A tube around the y axis that is cut open and lies closed, with the stitches along the cut. `ring(j)` are the
--- vertices of a ring, j from 0 below, from one side of the cut to the other.
function pieces.loose_tube(options)
  local around, up, girth, height = options.around, options.up, options.girth, options.height
  local given = { vertices = {}, faces = {}, rest = {}, stitches = {}, fabric = options.fabric }
  local radius = girth / around / (2 * math.sin(math.pi / around))
  for j = 0, up do
    for i = 0, around do
      local a = 2 * math.pi * (i % around) / around
      table.insert(given.vertices, { radius * math.sin(a), height * j / up, radius * math.cos(a) })
      table.insert(given.rest, { girth * i / around, height * j / up })
    end
    table.insert(given.stitches, { j * (around + 1) + 1, (j + 1) * (around + 1) })
  end
  for j = 0, up - 1 do
    for i = 1, around do
      local a = j * (around + 1) + i
      local b, c, d = a + 1, a + around + 2, a + around + 1
      table.insert(given.faces, (i + j) % 2 == 0 and { a, b, c } or { a, b, d })
      table.insert(given.faces, (i + j) % 2 == 0 and { a, c, d } or { b, c, d })
    end
  end
  local function ring(j)
    local path = {}
    for i = 1, around + 1 do
      path[i] = j * (around + 1) + i
    end
    return path
  end
  return weft.cloth(given), ring
end

--- Merges the stitches of a piece that lies where it belongs.
function pieces.sew(world, cloth)
  world:add(cloth)
  world:sew(cloth, { duration = 0.02, relax_time = 0.02 })
  assert(cloth.stitches == 0)
  return cloth
end

return pieces
