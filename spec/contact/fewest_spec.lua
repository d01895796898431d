-- Contacts found each once, against all of them.

local shapes = require "spec.contact.shapes"
local vectors = require "spec.vectors"
local weft = require "weft"

local dot = vectors.dot

--- The contacts as records, by a name that tells the pair.
local function contacts_of(scene, points, margin, fewest)
  local found, by_name, count = scene:find { at = points, margin = margin, fewest = fewest }, {}, 0
  for i = 1, found.vertices.count do
    local numbers, vertices = { found.numbers:get(i) }, { found.vertices:get(i) }
    by_name[numbers[4] .. ":" .. table.concat(vertices, ",")] = {
      vertices = vertices, weights = { found.weights:get(i) }, normal = { found.normals:get(i) }, distance = numbers[1],
      thickness = numbers[2], edges = numbers[4] % 2 == 1, body = numbers[4] >= 2,
    }
    count = count + 1
  end
  return by_name, count
end

--- Flat sheets of cells x cells squares above each other, each vertex aside by up to `aside` of an edge.
local function layers_of(count, cells, gap, aside, random)
  local scene = shapes.scene()
  for k = 1, count do
    shapes.add_sheet(scene, cells, { 0, gap * k, 0 }, { 0.01 * cells, 0, 0 }, { 0, 0, 0.01 * cells })
  end
  for _, p in ipairs(scene.points) do
    p[1], p[3] = p[1] + 0.01 * aside * random(), p[3] + 0.01 * aside * random()
  end
  return scene
end

describe("The fewest contacts", function()
  it("of layers whose vertices lie above each other are one of each vertex with each layer beside its own", function()
    local layers, cells, gap, half = 4, 5, 4e-4, 2e-4
    for _, aside in ipairs { 0, 1e-9, 1e-4 } do -- exactly above each other, and up to somewhat less so
      local shape = layers_of(layers, cells, gap, aside, shapes.random(3))
      local scene = shapes.open(shape, { half_thickness = half })
      scene:update { from = shape.points }
      -- Within reach are the next two layers, the farther one behind the nearer.
      local fewest, count = contacts_of(scene, shape.points, 5e-4, true)
      local _, usual = contacts_of(scene, shape.points, 5e-4)
      local per_vertex, once = {}, 2 * (layers - 1) * (cells + 1) ^ 2
      for _, c in pairs(fewest) do
        if not c.edges then
          per_vertex[c.vertices[1]] = (per_vertex[c.vertices[1]] or 0) + 1
          assert.near(gap, c.distance, 0.01 * gap)
        end
      end
      local with_faces = 0
      for _, n in pairs(per_vertex) do
        with_faces = with_faces + n
      end
      assert.equal(once, with_faces)
      -- At the borders sheets may cross where none has a vertex above the other.
      assert.is_true(count < once + 4 * layers * (cells + 1) and usual > 6 * count, ("%d of %d"):format(count, usual))
    end
  end)

  it("are some of all contacts, and one not farther away stands for each of the others", function()
    local dropped, kept = 0, 0
    for seed = 1, 6 do
      local random = shapes.random(seed)
      local shape = layers_of(3, 4, 0.003, seed % 2 == 0 and 0.3 or 0.01, random)
      for _, p in ipairs(shape.points) do
        p[2] = p[2] + 0.001 * random()
      end
      shapes.add_sphere(shape, 6, { 0.02, -0.045, 0.02 }, 0.046)
      local scene, margin = shapes.open(shape, { half_thickness = 0.0015 }), 0.001
      scene:update { from = shape.points }
      local all, fewest = contacts_of(scene, shape.points, margin), contacts_of(scene, shape.points, margin, true)
      for name, c in pairs(fewest) do
        assert.is_not_nil(all[name])
        assert.equal(all[name].distance, c.distance)
        kept = kept + 1
      end
      for name, c in pairs(all) do
        local stands = fewest[name] ~= nil
        dropped = dropped + (stands and 0 or 1)
        for _, other in pairs(stands and {} or fewest) do
          for k = 1, c.edges and 4 or 1 do
            local turned = k > 2 and -1 or 1 -- an end of the second edge sees the first from the other side
            local farthest = c.distance * (c.edges and 1.06 or 1 + 1e-6)
            stands = stands or (not other.edges and other.vertices[1] == c.vertices[k] and other.distance <= farthest
              and turned * dot(other.normal, c.normal) > 0.97)
          end
        end
        assert.is_true(stands, name)
      end
    end
    assert.is_true(dropped > 100 and kept > 100, ("%d dropped, %d kept"):format(dropped, kept))
  end)

  it("are the same for any number of threads", function()
    local shape = layers_of(4, 6, 4e-4, 1e-3, shapes.random(9))
    local found = {}
    for threads = 1, 3 do
      weft.threads(threads)
      local scene = shapes.open(shape, { half_thickness = 2e-4 })
      scene:update { from = shape.points }
      found[threads] = scene:find({ at = shape.points, margin = 1e-3, fewest = true }).vertices:string()
    end
    weft.threads(1)
    assert.equal(found[1], found[2])
    assert.equal(found[1], found[3])
  end)
end)
