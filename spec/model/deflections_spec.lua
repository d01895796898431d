-- Small deflections of plates and strips, under loads and vibrating. Reference on garments and haptics (2007), A8, A10.

local weft = require "weft"
local deflections = require "spec.model.deflections"
local sheets = require "spec.model.sheets"
local strips = require "spec.model.strips"

local BEND = strips.BEND
local isotropic = strips.isotropic
local pressure = 1e-5 -- Pa
local structured, triangulated = strips.meshes[1], strips.meshes[#strips.meshes]

local function model_of(bending, sheet, fabric)
  return weft.model.create { name = bending, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
end

describe("A strip under a load that hardly bends it", function()
  -- q L^4 / (8 D) of a beam; linear in q, and with the cube of the thickness for a plate of one material
  it("sags by q L^4 / (8 D) within 1 %", function()
    for _, bending in ipairs { "plate", "shell" } do
      for _, mesh in ipairs { structured, triangulated } do
        local sheet = strips.mesh(mesh, { length = 0.1, rows = 40, width = 0.01 })
        local z, mean = deflections.under_pressure(model_of(bending, sheet, isotropic(0)), sheet, pressure), 0
        for _, i in ipairs(sheet.tip) do
          mean = mean + z[i] / #sheet.tip
        end
        local expected = pressure * sheet.length ^ 4 / (8 * BEND)
        assert.near(expected, mean, 0.01 * expected, bending .. ", " .. mesh.name)
      end
    end
  end)
end)

describe("A clamped square plate under pressure", function()
  --- A square of n edges of 1 cm within a row of cells; all but what is inside of it is held.
  local function plate(n, diagonal, jitter)
    local edge, cells = 0.01, n + 2
    local sheet = sheets.grid { columns = cells, rows = cells, width = cells * edge, height = cells * edge,
      diagonal = diagonal }
    local random = sheets.random(8)
    sheet.fixed = {}
    for j = 0, cells do
      for i = 0, cells do
        local at = sheet.index(i, j)
        if math.min(i, j, cells - i, cells - j) < 2 then
          sheet.fixed[#sheet.fixed + 1] = at
        else
          local p = sheet.rest[at]
          sheet.rest[at] = { p[1] + jitter * edge * random(), p[2] + jitter * edge * random() }
          sheet.x[at] = { sheet.rest[at][1], sheet.rest[at][2], 0 }
        end
      end
    end
    return sheet
  end

  --- The same with Delaunay triangles inside.
  local function triangulated_plate(n)
    local grid, edge = plate(n, "same", 0), 0.01
    local sheet, outline, place = { rest = {}, faces = {}, x = {}, fixed = {} }, {}, {}
    for _, i in ipairs(grid.fixed) do
      sheet.rest[#sheet.rest + 1] = grid.rest[i]
      sheet.fixed[#sheet.fixed + 1], place[i] = #sheet.rest, #sheet.rest
    end
    for _, face in ipairs(grid.faces) do
      local a, b, c = place[face[1]], place[face[2]], place[face[3]]
      if a and b and c then
        sheet.faces[#sheet.faces + 1] = { a, b, c }
      end
    end
    for side, at in ipairs { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } do
      local along = ({ { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } })[side]
      for k = 0, n - 1 do
        outline[#outline + 1] = { edge * (1 + n * at[1] + k * along[1]), edge * (1 + n * at[2] + k * along[2]) }
      end
    end
    local cut = weft.mesh.triangulate { outline = outline, edge = edge, split = false }
    local joined = {}
    for i, p in ipairs(cut.points:table()) do
      local same
      for k, q in ipairs(i <= #outline and sheet.rest or {}) do
        same = math.abs(p[1] - q[1]) + math.abs(p[2] - q[2]) < 1e-9 and k or same
      end
      if not same then
        sheet.rest[#sheet.rest + 1] = { p[1], p[2] }
        same = #sheet.rest
      end
      joined[i] = same
    end
    for _, face in ipairs(cut.faces:table()) do
      sheet.faces[#sheet.faces + 1] = { joined[face[1]], joined[face[2]], joined[face[3]] }
    end
    for i, p in ipairs(sheet.rest) do
      sheet.x[i] = { p[1], p[2], 0 }
    end
    return sheet
  end

  --- Its largest deflection over p a^4 / D. The clamp acts some way before the inner row of those that are fixed.
  local function deflection(bending, diagonal, jitter)
    local n = 31
    local sheet = diagonal == "unstructured" and triangulated_plate(n) or plate(n, diagonal, jitter)
    local z = deflections.under_pressure(model_of(bending, sheet, isotropic(0.3)), sheet, pressure)
    local most, side = 0, (n + 2 * (strips.clamps[bending] or 0.5)) * 0.01
    for _, w in ipairs(z) do
      most = math.max(most, w)
    end
    return most * BEND / (pressure * side ^ 4)
  end

  -- 0.001265 p a^4 / D; percent. Where the clamp acts is known to a tenth of an edge, which is 2.5 % here.
  local limits = {
    plate = { same = 1, alternating = 2, random = 2, unstructured = 1.5 },
    shell = { same = 1, alternating = 2, random = 2, unstructured = 1.5 },
    ["loop shell"] = { same = 1, alternating = 3, random = 4, unstructured = 3 },
  }
  for bending, meshes in pairs(limits) do
    it("sags by 0.001265 p a^4 / D, at 32 elements: " .. bending, function()
      for diagonal, limit in pairs(meshes) do
        local error = 100 * (deflection(bending, diagonal, diagonal == "random" and 0.15 or 0) / 0.001265 - 1)
        assert.is_true(math.abs(error) < limit, ("%s: %.2f %%"):format(diagonal, error))
      end
    end)
  end
end)

-- ---- vibration ------------------------------------------------------------------------------------------------------

--- Within 1 %; modes of twisting lie between those expected.
local function assert_among(found, expected)
  for _, frequency in ipairs(expected) do
    local near = math.huge
    for _, value in ipairs(found) do
      near = math.min(near, math.abs(value / frequency - 1))
    end
    assert.is_true(near < 0.01, ("%g: off by %.2f %%"):format(frequency, 100 * near))
  end
end

for _, mesh in ipairs { structured, triangulated } do
  describe("A vibrating strip, " .. mesh.name, function()
    it("has the first four frequencies of a clamped beam", function()
      for _, bending in ipairs { "plate", "shell" } do
        assert_among(deflections.beam(bending, mesh, 40))
      end
    end)

    it("has those of a string", function()
      assert_among(deflections.string(mesh, 50))
    end)

    it("has those of a hanging chain", function()
      assert_among(deflections.hanging_chain(mesh, 70))
    end)
  end)
end
