-- The patch test: an affine map of an irregular mesh is a state of constant stress, so no inner vertex feels a force,
-- and a membrane whose border is held at one finds it.

local vectors = require "spec.vectors"
local weft = require "weft"
local coupons = require "spec.model.coupons"
local sheets = require "spec.model.sheets"

local dot, norm = vectors.dot, vectors.norm

local fabric = weft.fabric { stretch = { weft = 1000, warp = 400, coupling = 120 }, shear = 30 }

local function combine(a, s, b, t)
  return { s * a[1] + t * b[1], s * a[2] + t * b[2], s * a[3] + t * b[3] }
end

--- The strains of each measure for the columns u and v of a deformation gradient.
local measures = {
  cauchy = function(u, v) return u[1] - 1, v[2] - 1, u[2] + v[1] end,
  green = function(u, v) return 0.5 * (dot(u, u) - 1), 0.5 * (dot(v, v) - 1), dot(u, v) end,
  polar = function(u, v) -- by U = (F^T F + det 1) / sqrt(tr F^T F + 2 det)
    local a, b, c = dot(u, u), dot(u, v), dot(v, v)
    local det = math.sqrt(a * c - b * b)
    local trace = math.sqrt(a + c + 2 * det)
    return (a + det) / trace - 1, (c + det) / trace - 1, 2 * b / trace
  end,
  conditions = function(u, v) return norm(u) - 1, norm(v) - 1, dot(u, v) end,
  diagonals = function(u, v)
    return norm(u) - 1, norm(v) - 1, (norm(combine(u, 1, v, 1)) - norm(combine(u, 1, v, -1))) / math.sqrt(2)
  end,
  angle = function(u, v) return norm(u) - 1, norm(v) - 1, math.asin(dot(u, v) / norm(u) / norm(v)) end,
}

--- What each membrane measures; those without an entry are not homogeneous, and have a spec of their own below.
local measure_of = { corotational = "polar", Biot = "polar", ["corotational as published"] = "polar", green = "green",
  cauchy = "cauchy", ["Baraff-Witkin"] = "conditions", ["weave particles"] = "diagonals", weave = "diagonals",
  ["weave particles as published"] = "diagonals", ["grid particles"] = "conditions", ["grid energies"] = "angle" }
local mesh_dependent = { ["edge springs"] = true, ["grid springs"] = true, ["grid springs with linear damping"] = true,
  ["Baraff-Witkin as published"] = true,
  ["edge elongations"] = true }

local affine, imbalance = coupons.affine, coupons.imbalance
local stretched_u, stretched_v = { 1.05, 0.08, 0.2 }, { -0.03, 1.02, 0.1 }

for _, entry in ipairs(weft.model.list()) do
  if entry.kind == "membrane" and measure_of[entry.name] then
    describe("The membrane " .. entry.name, function()
      local meshes = coupons.meshes(entry)

      it("balances inner vertices under an affine map", function()
        for _, sheet in ipairs(meshes) do
          local x = affine(sheet, stretched_u, stretched_v)
          assert.is_true(imbalance(sheet, coupons.model(entry, sheet, fabric), x) < 1e-12)
        end
      end)

      it("has the energy of its strains there", function()
        local e1, e2, g = measures[measure_of[entry.name]](stretched_u, stretched_v)
        local density = 0.5 * (1000 * e1 * e1 + 400 * e2 * e2 + 30 * g * g) + 120 * e1 * e2
        for _, sheet in ipairs(meshes) do
          local energy = coupons.model(entry, sheet, fabric):energy { x = affine(sheet, stretched_u, stretched_v) }
          assert.near(density * sheet.area, energy, 1e-12 * energy)
        end
      end)

      if not entry.published then
        it("finds the affine map from its border", function()
          local sheet = meshes[2]
          local expected = affine(sheet, { 1.05, 0.08, 0 }, { -0.03, 1.02, 0 })
          local held, on_border, random = {}, {}, sheets.random(5)
          for _, edge in ipairs(sheet.border) do
            held[#held + 1], on_border[edge[1]] = edge[1], true
          end
          local start = {}
          for i, p in ipairs(expected) do
            local amount = on_border[i] and 0 or 2e-3
            start[i] = { p[1] + amount * random(), p[2] + amount * random(), 0 }
          end
          local found = coupons.rest(sheet, coupons.model(entry, sheet, fabric), { x = start, held = held,
            tolerance = 1e-9 })
          for i, p in ipairs(expected) do
            assert.near(p[1], found[i][1], 1e-9)
            assert.near(p[2], found[i][2], 1e-9)
          end
        end)
      end
    end)
  elseif entry.kind == "membrane" then
    it("The membrane " .. entry.name .. " is known to depend on the mesh", function()
      assert.is_true(mesh_dependent[entry.name])
    end)
  end
end

describe("What depends on the mesh", function()
  it("is the force on inner vertices of spring meshes, and of conditions scaled by area as published", function()
    for _, name in ipairs { "edge springs", "Baraff-Witkin as published" } do
      local entry = coupons.entry(name)
      local sheet = coupons.meshes(entry)[2]
      local x = affine(sheet, stretched_u, stretched_v)
      assert.is_true(imbalance(sheet, coupons.model(entry, sheet, fabric), x) > 0.05)
    end
  end)

  it("is the force of edge elongations, by a share that falls with the strain", function()
    local entry = coupons.entry("edge elongations")
    local sheet = coupons.meshes(entry)[2]
    local model = coupons.model(entry, sheet, fabric)
    local function share(strain)
      return imbalance(sheet, model, affine(sheet, { 1 + strain, 0, 0 }, { 0, 1 - 0.3 * strain, 0 }))
    end
    local first, second, third = share(0.04), share(0.02), share(0.01)
    assert.is_true(first < 0.05)
    assert.near(2, first / second, 0.1)
    assert.near(2, second / third, 0.1)
  end)

  it("is not the force between a grid's springs, but their moduli", function()
    local entry = coupons.entry("grid springs")
    for _, sheet in ipairs(coupons.meshes(entry)) do
      local cell = sheet.columns == 4 and (0.1 / 4) / (0.08 / 3)
      local x = affine(sheet, { 1 + 1e-6, 0, 0 }, { 0, 1, 0 })
      local energy = coupons.model(entry, sheet, fabric):energy { x = x } / (0.5e-12 * sheet.area)
      if cell then -- all rectangles alike: the shear springs add C1212 (a / b)^2 along the weft
        assert.near(1000 + 30 * cell ^ 2, energy, 1e-5 * energy)
        assert.is_true(imbalance(sheet, coupons.model(entry, sheet, fabric), x) < 1e-6)
      else
        assert.is_true(energy > 1010)
      end
    end
  end)
end)
