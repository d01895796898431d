-- What the specs of garments share: sewing a pattern mesh on paper, and a shirt from tables.

local sewing = {}

--- Joins the pairs of a pattern mesh (weft.pattern_mesh) and describes what comes out.
function sewing.sew(mesh)
  local parent = {}
  for i = 1, mesh.vertices do
    parent[i] = i
  end
  local function root(i)
    while parent[i] ~= i do
      parent[i] = parent[parent[i]]
      i = parent[i]
    end
    return i
  end
  for _, pair in ipairs(mesh.pairs:table()) do
    local a, b = root(pair[1]), root(pair[2])
    parent[math.max(a, b)] = math.min(a, b)
  end

  local result = { vertices = 0, edges = 0, faces = mesh.triangles, manifold = true, oriented = true, sound = true,
    class = {} }
  for i = 1, #parent do
    result.class[i] = root(i)
    result.vertices = result.vertices + (result.class[i] == i and 1 or 0)
  end

  local directed, uses, boundary = {}, {}, {}
  local size = #parent + 1
  for _, face in ipairs(mesh.faces:table()) do
    local corner = { root(face[1]), root(face[2]), root(face[3]) }
    if corner[1] == corner[2] or corner[2] == corner[3] or corner[3] == corner[1] then
      result.sound = false
    end
    for k = 1, 3 do
      local a, b = corner[k], corner[k % 3 + 1]
      local key, undirected = a * size + b, math.min(a, b) * size + math.max(a, b)
      result.oriented = result.oriented and not directed[key]
      directed[key] = true
      uses[undirected] = (uses[undirected] or 0) + 1
      result.manifold = result.manifold and uses[undirected] <= 2
    end
  end
  for key, count in pairs(uses) do
    result.edges = result.edges + 1
    if count == 1 then
      local a, b = math.floor(key / size), key % size
      boundary[a], boundary[b] = boundary[a] or {}, boundary[b] or {}
      table.insert(boundary[a], b)
      table.insert(boundary[b], a)
    end
  end
  result.loops = 0
  local seen = {}
  for start, neighbours in pairs(boundary) do
    result.manifold = result.manifold and #neighbours == 2
    result.loops = result.loops + (seen[start] and 0 or 1)
    local stack = { start }
    while #stack > 0 do
      local at = table.remove(stack)
      if not seen[at] then
        seen[at] = true
        for _, neighbour in ipairs(boundary[at]) do
          stack[#stack + 1] = neighbour
        end
      end
    end
  end
  result.euler = result.vertices - result.edges + result.faces
  return result
end

--- A rectangle drawn counter-clockwise from its lower left corner; edges: bottom, right, top, left.
function sewing.rectangle(width, height, fields)
  local panel = { vertices = { { 0, 0 }, { width, 0 }, { width, height }, { 0, height } } }
  for name, value in pairs(fields or {}) do
    panel[name] = value
  end
  return panel
end

--- A shirt of eight panels and seventeen seams. All left panels are drawn as seen from the front, all right ones
--- mirrored, so half of the drawings show the inner side. `order` permutes the seams.
function sewing.shirt(order)
  local function torso(side, z)
    return {
      vertices = { { 0, 0 }, { side * 0.26, 0 }, { side * 0.26, 0.38 }, { side * 0.2, 0.58 }, { side * 0.08, 0.62 },
        { 0, 0.52 } },
      edges = {
        { 1, 2 }, { 2, 3 },
        { 3, 4, curvature = { type = "cubic", params = { { 0.2, side * 0.3 }, { 0.5, side * 0.2 } } } },
        { 4, 5 },
        { 5, 6, curvature = { type = "quadratic", params = { { 0.5, side * 0.3 } } } },
        { 6, 1 },
      },
      translation = { 0, 0.9, z },
    }
  end
  local function sleeve(side, z)
    return {
      vertices = { { 0, 0 }, { side * 0.25, 0.02 }, { side * 0.25, 0.16 }, { 0, 0.22 } },
      translation = { side * 0.3, 1.28, z },
    }
  end
  local panels, seams = {}, {}
  for _, side in ipairs { { "left", 1 }, { "right", -1 } } do
    for _, face in ipairs { { "front", 0.2 }, { "back", -0.2 } } do
      panels[side[1] .. "_" .. face[1]] = torso(side[2], face[2])
      panels[side[1] .. "_sleeve_" .. face[1]] = sleeve(side[2], face[2])
      seams[#seams + 1] = { { side[1] .. "_" .. face[1], 3 }, { side[1] .. "_sleeve_" .. face[1], 4 } }
    end
    local front, back = side[1] .. "_front", side[1] .. "_back"
    seams[#seams + 1] = { { front, 4 }, { back, 4 } }
    seams[#seams + 1] = { { front, 2, from = 0, to = 0.4 }, { back, 2, from = 0, to = 0.4 } }
    seams[#seams + 1] = { { front, 2, from = 0.4, to = 1 }, { back, 2, from = 0.4, to = 1 } }
    seams[#seams + 1] = { { side[1] .. "_sleeve_front", 1 }, { side[1] .. "_sleeve_back", 1 } }
    seams[#seams + 1] = { { side[1] .. "_sleeve_front", 3 }, { side[1] .. "_sleeve_back", 3 } }
  end
  seams[#seams + 1] = { { "left_front", 6, from = 0, to = 0.5 }, { "right_front", 6, from = 0, to = 0.5 } }
  seams[#seams + 1] = { { "left_front", 6, from = 0.5, to = 1 }, { "right_front", 6, from = 0.5, to = 1 } }
  seams[#seams + 1] = { { "left_back", 6 }, { "right_back", 6 } }
  local permuted = {}
  for i = 1, #seams do
    permuted[i] = seams[order and (i * order % 17 == 0 and 17 or i * order % 17) or i]
  end
  return { panels = panels, seams = permuted }
end

return sewing
