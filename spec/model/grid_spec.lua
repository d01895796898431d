-- Sheets that are grids, and those that are not.

local weft = require "weft"
local sheets = require "spec.model.sheets"

local function create(sheet, name)
  return weft.model.create { name = name or "grid springs", faces = sheet.faces, rest = sheet.rest,
    fabric = weft.fabric.wool }
end

describe("A model of threads", function()
  it("takes rectangles cut either way, their vertices in any order", function()
    local sheet = sheets.grid { columns = 5, rows = 4, width = 0.1, height = 0.06, diagonal = "random", seed = 2 }
    for k, face in ipairs(sheet.faces) do -- from other corners, some from behind
      local a, b, c = face[k % 3 + 1], face[(k + 1) % 3 + 1], face[(k + 2) % 3 + 1]
      sheet.faces[k] = k % 4 == 0 and { b, a, c } or { a, b, c }
    end
    local stretched = sheets.map(sheet.x, function(x, y) return 1.01 * x, y, 0 end)
    -- four corners a rectangle, or half of its springs for each face
    for name, elements in pairs { ["grid energies"] = 80, ["grid particles"] = 80, ["grid springs"] = 40 } do
      local model = create(sheet, name)
      assert.equal(elements, model.elements)
      local wool = weft.fabric.wool
      local expected = wool.stretch.weft + (name == "grid springs" and wool.shear * (4 / 3) ^ 2 or 0)
      assert.near(expected, model:energy { x = stretched } / (0.006 * 0.5e-4), 1e-3 * expected)
    end
  end)

  it("refuses sheets that are none, and names a face", function()
    local function message(sheet, name)
      local ok, text = pcall(create, sheet, name)
      assert.is_false(ok)
      return text
    end
    local slanted = sheets.grid { columns = 3, rows = 3, width = 0.1, height = 0.1 }
    slanted.rest = sheets.map(slanted.rest, function(u, v) return u + 0.1 * v, v end)
    for _, name in ipairs { "grid energies", "grid particles", "grid springs" } do
      local text = message(slanted, name)
      assert.truthy(text:find('"' .. name .. '" needs a grid of rectangles', 1, true), text)
      assert.truthy(text:find("face 1 ", 1, true), text)
    end
    local odd = sheets.grid { columns = 3, rows = 3, width = 0.1, height = 0.1 }
    odd.faces[#odd.faces] = nil
    assert.truthy(message(odd):find("face 17 ", 1, true), message(odd))
    local steps = { faces = { { 1, 2, 3 }, { 3, 2, 4 } }, rest = { { 0, 0 }, { 2, 0 }, { 0, 1 }, { 2, 1.1 } } }
    assert.truthy(message(steps):find("face 1 ", 1, true))
    local kite = { faces = { { 1, 2, 3 }, { 3, 2, 4 } }, rest = { { 0, 0 }, { 2, 0 }, { 0, 1 }, { 1.2, 1.6 } } }
    assert.truthy(message(kite):find("face 1 ", 1, true))
  end)
end)
