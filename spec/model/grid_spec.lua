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

  it("has the same springs with either damping", function()
    local sheet = sheets.grid { columns = 4, rows = 3, width = 0.08, height = 0.05 }
    local random = sheets.random(3)
    local x = sheets.map(sheet.x, function(u, v) return u + 2e-3 * random(), v + 2e-3 * random(), 2e-3 * random() end)
    local one, other = create(sheet), create(sheet, "grid springs with linear damping")
    assert.near(one:energy { x = x }, other:energy { x = x }, 1e-12 * one:energy { x = x })
    local still = one:forces({ x = x }):table()
    local drift = sheets.map(sheet.x, function() return 1, 2, 3 end)
    local turning = sheets.map(x, function(a, b) return -b, a, 0 end)
    local same, braked = other:forces({ x = x, v = drift }):table(), other:forces({ x = x, v = turning }):table()
    local most = 0
    for i, f in ipairs(still) do
      for k = 1, 3 do
        assert.near(f[k], same[i][k], 1e-9)
        most = math.max(most, math.abs(braked[i][k] - f[k]))
      end
    end
    assert.is_true(most > 1e-3)
  end)

  -- test 21 of the reference on the tutorial of 2004: Breen's energies of exponent 2 without an offset
  it("of energies that are squares has the springs along them of a grid of springs", function()
    local threads = weft.fabric { stretch = { weft = 300, warp = 500, coupling = 0 }, shear = 1e-9 }
    local sheet, random = sheets.grid { columns = 4, rows = 3, width = 0.08, height = 0.05 }, sheets.random(4)
    local x = sheets.map(sheet.x, function(u, v) return u + 2e-3 * random(), v + 2e-3 * random(), 2e-3 * random() end)
    local forces = {}
    for k, name in ipairs { "grid energies", "grid springs" } do
      forces[k] = weft.model.create { name = name, faces = sheet.faces, rest = sheet.rest, fabric = threads }
        :forces({ x = x }):table()
    end
    for i, f in ipairs(forces[1]) do
      for k = 1, 3 do
        assert.near(f[k], forces[2][i][k], 1e-9)
      end
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

describe("Bending along the threads of a grid", function()
  local fabric = weft.fabric { bend = { weft = 2e-5, warp = 5e-5 } }
  local sheet = sheets.grid { columns = 10, rows = 8, width = 0.1, height = 0.12, diagonal = "random", seed = 3 }

  --- The energy of a model where the sheet is folded by `angle` at every point of a thread along the weft or the warp.
  local function folded(name, angle, along)
    local arm = along == "weft" and 0.01 or 0.015
    local radius = 0.5 * arm / math.sin(0.5 * angle)
    local x = sheets.map(sheet.rest, function(u, v)
      local way = (along == "weft" and u or v) / arm * angle
      local s, c = radius * math.sin(way), radius * (1 - math.cos(way))
      if along == "weft" then
        return s, v, c
      end
      return u, s, c
    end)
    local model = weft.model.create { name = name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
    -- a plate of the same folds, over the rows or columns that lie between two others
    local plate = along == "weft" and 0.5 * 2e-5 * angle ^ 2 * 0.12 / arm * 9 or 0.5 * 5e-5 * angle ^ 2 * 0.1 / arm * 7
    return model:energy { x = x } / plate
  end

  it("costs what the thread's modulus makes it cost", function()
    for _, along in ipairs { "weft", "warp" } do
      for _, angle in ipairs { 0.01, 0.3, 1 } do
        assert.near(1, folded("grid angles", angle, along), 1e-9)
      end
    end
  end)

  it("costs leapfrog springs as much at 1 rad, and flat cloth the square of less", function()
    for _, along in ipairs { "weft", "warp" } do
      assert.near(1, folded("leapfrog springs", 1, along), 1e-9)
      assert.near(0.01 * folded("leapfrog springs", 0.1, along), folded("leapfrog springs", 0.01, along), 1e-6)
    end
    local model = weft.model.create { name = "leapfrog springs", faces = sheet.faces, rest = sheet.rest,
      fabric = fabric }
    local across = 0
    for i, row in ipairs(model:matrix { x = sheet.x, exact = true }) do
      across = i % 3 == 0 and math.max(across, math.abs(row[i])) or across
    end
    assert.near(0, across, 1e-12)
  end)
end)
