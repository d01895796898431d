-- The shared patterns: what nobody here drew comes out right.

local support = require "spec.support"
local weft = require "weft"
local sewing = require "spec.garment.sewing"

-- Areas, m2: summed over 20,000 chords of each curve by a program that shares nothing with weft.
local expected = {
  shirt_mean = { seams = 18, panels = 8, areas = {
      left_btorso = 0.10085983, left_ftorso = 0.10036740, left_sleeve_b = 0.05959089,
      left_sleeve_f = 0.05899206, right_btorso = 0.10085983, right_ftorso = 0.10036740,
      right_sleeve_b = 0.05959089, right_sleeve_f = 0.05899206,
  } },
  dress_pencil = { seams = 23, panels = 6, areas = {
      left_btorso = 0.12647006, left_ftorso = 0.12827779, right_btorso = 0.12647006,
      right_ftorso = 0.12827779, skirt_back = 0.34494357, skirt_front = 0.30994661,
  } },
}

describe("The shared patterns", function()
  for name, want in pairs(expected) do
    local path, missing = support.shared_data(("garmentcode/%s_specification.json"):format(name))

    it("have the areas of their drawings: " .. name, function()
      if not path then
        pending(missing)
        return
      end
      local garment = weft.garment.load(path)
      assert.same({ want.panels, want.seams }, { #garment.panels, #garment.seams })
      for _, panel in ipairs(garment.panels) do
        assert.near(want.areas[panel.name], panel.area, 1e-7, panel.name)
        assert.is_false(panel.turned)
        local behind = panel.name:find "btorso" or panel.name:find "_b$" or panel.name:find "back"
        assert.near(behind and -1 or 1, panel.normal[3], 1e-12, panel.name)
      end
    end)

    it("sew to one surface with neck, hem and two cuffs or armholes open: " .. name, function()
      if not path then
        pending(missing)
        return
      end
      local garment = weft.garment.load(path)
      for _, edge in ipairs { 0.012, 0.03, 0.1 } do
        local mesh = garment:triangulate { edge = edge }
        local sewn = sewing.sew(mesh)
        assert.is_true(sewn.sound and sewn.manifold and sewn.oriented)
        assert.same({ 4, -2 }, { sewn.loops, sewn.euler })
        assert.is_true(math.deg(mesh.minimum_angle) >= 25)
      end
    end)
  end

  it("have the dress gathered 1.3 : 1 at its waist", function()
    local path, missing = support.shared_data "garmentcode/dress_pencil_specification.json"
    if not path then
      pending(missing)
      return
    end
    local gathered = 0
    for _, seam in ipairs(weft.garment.load(path).seams) do
      local waist = seam.panels[1]:find "torso" and seam.panels[2]:find "skirt"
      assert.near(waist and 1.3022 or 1, seam.ratio, waist and 1e-3 or 0.052)
      gathered = gathered + (waist and 1 or 0)
    end
    assert.equal(9, gathered)
  end)
end)
