-- Bodies of the stress scenes, as { vertices =, faces = }: closed, and outward everywhere.

local weft = require "weft"

local shapes = {}

function shapes.body(shape, name, friction)
  return weft.body { name = name, vertices = shape.vertices, faces = shape.faces, friction = friction }
end

--- Closed by turning a profile of { radius, height } pairs, from a pole below to a pole above, about the Y axis.
function shapes.turned(profile, columns, centre)
  local vertices, faces = {}, {}
  local first, last = profile[1], profile[#profile]
  vertices[1] = { centre[1], centre[2] + first[2], centre[3] }
  for r = 2, #profile - 1 do
    for k = 0, columns - 1 do
      local angle = 2 * math.pi * (k + r / 2) / columns
      vertices[#vertices + 1] = { centre[1] + profile[r][1] * math.cos(angle), centre[2] + profile[r][2],
        centre[3] + profile[r][1] * math.sin(angle) }
    end
  end
  vertices[#vertices + 1] = { centre[1], centre[2] + last[2], centre[3] }
  local function at(ring, k)
    return 2 + (ring - 1) * columns + k % columns
  end
  local rings, top = #profile - 2, #vertices
  for k = 0, columns - 1 do
    faces[#faces + 1] = { 1, at(1, k), at(1, k + 1) }
    faces[#faces + 1] = { top, at(rings, k + 1), at(rings, k) }
    for ring = 1, rings - 1 do
      faces[#faces + 1] = { at(ring, k), at(ring + 1, k), at(ring, k + 1) }
      faces[#faces + 1] = { at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1) }
    end
  end
  return { vertices = vertices, faces = faces }
end

function shapes.sphere(centre, radius, rows)
  local profile = {}
  for r = 0, rows do
    profile[r + 1] = { radius * math.sin(math.pi * r / rows), -radius * math.cos(math.pi * r / rows) }
  end
  return shapes.turned(profile, 2 * rows, centre)
end

--- Upright, with its point at `tip`.
function shapes.needle(tip, length, radius)
  local profile = { { 0, -length }, { radius, -length }, { radius / 2, -length / 2 }, { 0, 0 } }
  return shapes.turned(profile, 6, tip)
end

function shapes.box(lower, upper)
  local vertices = {}
  for k = 0, 7 do
    vertices[k + 1] = { (k % 2 == 0 and lower or upper)[1], (k % 4 < 2 and lower or upper)[2],
      (k < 4 and lower or upper)[3] }
  end
  return { vertices = vertices, faces = { { 1, 3, 2 }, { 2, 3, 4 }, { 5, 6, 7 }, { 6, 8, 7 }, { 1, 2, 5 }, { 2, 6, 5 },
    { 3, 7, 4 }, { 4, 7, 8 }, { 1, 5, 3 }, { 3, 5, 7 }, { 2, 4, 6 }, { 4, 8, 6 } } }
end

--- Several as one body.
function shapes.join(list)
  local vertices, faces = {}, {}
  for _, shape in ipairs(list) do
    local base = #vertices
    for _, vertex in ipairs(shape.vertices) do
      vertices[#vertices + 1] = vertex
    end
    for _, face in ipairs(shape.faces) do
      faces[#faces + 1] = { face[1] + base, face[2] + base, face[3] + base }
    end
  end
  return { vertices = vertices, faces = faces }
end

--- A band of cells[1] x cells[2] along and across; place(along, across), both from 0 to 1, says where it begins in
--- space. `size` in m is what it is at rest. With `round` its two long sides are one.
function shapes.band(cells, size, place, round)
  local vertices, rest, faces = {}, {}, {}
  for i = 0, cells[1] do
    for j = 0, cells[2] do
      vertices[#vertices + 1] = place(i / cells[1], j / cells[2])
      rest[#rest + 1] = { size[1] * i / cells[1], size[2] * j / cells[2] }
    end
  end
  local function at(i, j)
    return i * (cells[2] + 1) + j + 1
  end
  for i = 0, cells[1] - 1 do
    for j = 0, cells[2] - 1 do
      local a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
      local odd = (i + j) % 2 == 1
      faces[#faces + 1] = odd and { a, b, d } or { a, b, c }
      faces[#faces + 1] = odd and { b, c, d } or { a, c, d }
    end
  end
  local stitches
  if round then
    stitches = {}
    for i = 0, cells[1] do
      stitches[i + 1] = { at(i, 0), at(i, cells[2]) }
    end
  end
  return { vertices = vertices, rest = rest, faces = faces, stitches = stitches }
end

return shapes
