local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

describe("weft.model.masses", function()
  it("sums to density times area on any mesh", function()
    for _, jitter in ipairs { 0, 0.35 } do
      local sheet = sheets.grid { columns = 9, rows = 7, width = 0.4, height = 0.3, jitter = jitter,
        diagonal = "random" }
      local masses = weft.model.masses { faces = sheet.faces, rest = sheet.rest, density = 0.26 }:table()
      local sum = 0
      for _, mass in ipairs(masses) do
        assert.is_true(mass > 0)
        sum = sum + mass
      end
      assert.near(0.26 * 0.12, sum, 1e-12 * 0.12)
    end
  end)

  it("are Voronoi areas: a square cut by one diagonal has equal corners", function()
    local masses = weft.model.masses {
      faces = { { 1, 2, 3 }, { 1, 3, 4 } }, rest = { { 0, 0 }, { 0.1, 0 }, { 0.1, 0.1 }, { 0, 0.1 } },
    }:table()
    for i = 1, 4 do
      assert.near(0.0025, masses[i], 1e-15)
    end
  end)

  it("split obtuse triangles in a half and two quarters", function()
    local masses = weft.model.masses { faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 }, { 0.5, 0.1 } } }:table()
    assert.near(0.0125, masses[1], 1e-15)
    assert.near(0.0125, masses[2], 1e-15)
    assert.near(0.025, masses[3], 1e-15)
  end)

  it("take rest coordinates per corner: a sewn vertex gets a share from each pattern", function()
    -- two triangles from different patterns that share an edge after sewing
    local masses = weft.model.masses {
      faces = { { 1, 2, 3 }, { 2, 1, 4 } },
      rest = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 7, 5 }, { 5, 5 }, { 7, 7 } },
    }:table()
    assert.near(0.5 + 2, masses[1] + masses[2] + masses[3] + masses[4], 1e-14)
    assert.near(0.25 + 0.5, masses[1], 1e-14) -- right angles keep half, and half of the rest each
  end)

  it("refuse faces without area", function()
    assert.equal("weft.model.masses: face 2 has no usable rest shape (area 0 m2, longest edge 2 m)",
      support.message_of(weft.model.masses, { faces = { { 1, 2, 3 }, { 1, 2, 4 } }, density = 1,
        rest = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 2, 0 } } }))
  end)
end)
