local weft = require "weft"

-- A disc with a rounded rim: rings of a flat lens, closed.
local function disc(radius, thickness, sides)
  local vertices, faces = { { 0, 0, 0 }, { 0, -thickness, 0 } }, {}
  local rings = { { radius - thickness / 2, 0 }, { radius, -thickness / 2 }, { radius - thickness / 2, -thickness } }
  for r, ring in ipairs(rings) do
    for k = 0, sides - 1 do
      local angle = 2 * math.pi * (k + r / 2) / sides
      vertices[#vertices + 1] = { ring[1] * math.cos(angle), ring[2], ring[1] * math.sin(angle) }
    end
  end
  for k = 0, sides - 1 do
    local next = (k + 1) % sides
    local function at(ring, i)
      return 3 + (ring - 1) * sides + i
    end
    faces[#faces + 1] = { 1, at(1, next), at(1, k) }
    faces[#faces + 1] = { 2, at(3, k), at(3, next) }
    for ring = 1, 2 do
      faces[#faces + 1] = { at(ring, k), at(ring, next), at(ring + 1, k) }
      faces[#faces + 1] = { at(ring, next), at(ring + 1, next), at(ring + 1, k) }
    end
  end
  return weft.body { name = "disc", vertices = vertices, faces = faces, friction = 0.6 }
end

local RADIUS, SIZE = 0.09, 0.3

--- Drapes a square of the fabric over the disc; its shadow's share of what hangs over, and the largest shear.
local function drape(fabric)
  local world = weft.world { time_step = 1 / 50 }
  world:add(disc(RADIUS, 0.01, 48))
  local sheet = world:add(weft.sheet { cells = { 24, 24 }, size = { SIZE, SIZE }, centre = { 0, 0.003, 0 },
    fabric = fabric })
  world:run { seconds = 4, settle = 1, until_rest = true }
  local shadow, shear = 0, 0
  -- The shadow from above, counted on a grid of 2 mm.
  local cell, covered = 0.002, {}
  local P, F, S = sheet.positions, sheet.faces, sheet.strains
  for f = 1, sheet.triangles do
    local corners = {}
    for k, v in ipairs { F:get(f) } do
      local x, _, z = P:get(v)
      corners[k] = { x, z }
    end
    local a, b, c = corners[1], corners[2], corners[3]
    local function side(p, q, x, z)
      return (q[1] - p[1]) * (z - p[2]) - (q[2] - p[2]) * (x - p[1])
    end
    local low_x, high_x = math.min(a[1], b[1], c[1]), math.max(a[1], b[1], c[1])
    local low_z, high_z = math.min(a[2], b[2], c[2]), math.max(a[2], b[2], c[2])
    for i = math.floor(low_x / cell), math.ceil(high_x / cell) do
      for j = math.floor(low_z / cell), math.ceil(high_z / cell) do
        local x, z = i * cell, j * cell
        local s1, s2, s3 = side(a, b, x, z), side(b, c, x, z), side(c, a, x, z)
        if (s1 >= 0 and s2 >= 0 and s3 >= 0) or (s1 <= 0 and s2 <= 0 and s3 <= 0) then
          local key = i * 4096 + j
          shadow = shadow + (covered[key] and 0 or cell * cell)
          covered[key] = true
        end
      end
    end
    shear = math.max(shear, math.abs((select(3, S:get(f)))))
  end
  local area = math.pi * RADIUS ^ 2
  assert.equal(0, weft.inspect.intersections(sheet).count)
  return (shadow - area) / (SIZE ^ 2 - area), shear
end

describe("The drape of a square over a disc", function()
  it("grows with the bending stiffness over the weight of the fabric", function()
    local last = 0
    for _, name in ipairs { "wool viscose", "wool", "polyester", "bend resistant" } do
      local coefficient = drape(weft.fabric.preset(name))
      assert.is_true(coefficient > last, ("%s: %.3f after %.3f"):format(name, coefficient, last))
      last = coefficient
    end
    assert.is_true(last < 1.001)
  end)

  it("is sheared less by a fabric that resists shear", function()
    local _, stiff = drape(weft.fabric.preset "shear resistant")
    local soft_fabric = weft.fabric.preset "bend resistant"
    local _, soft = drape(soft_fabric)
    assert.is_true(stiff < 0.5 * soft, ("%.4f against %.4f rad"):format(stiff, soft))
  end)
end)
