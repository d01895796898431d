-- Strips on edge that buckle sideways under their own weight: when, against plates, and how far, on finer and finer
-- meshes and against the rod that a slender strip is.

local weft = require "weft"
local buckling = require "spec.model.buckling"
local strips = require "spec.model.strips"

local one_diagonal, alternating, equilateral, triangulated = strips.meshes[1], strips.meshes[2], strips.meshes[4],
  strips.meshes[#strips.meshes]

local function critical(bending, mesh, slenderness, across)
  return buckling.critical_weight(bending, buckling.strip(mesh, slenderness, across))
end

describe("A clamped strip on edge under its own weight", function()
  for _, bending in ipairs { "plate", "shell" } do
    it("buckles where a plate does, within 5 %, and nearer with more edges across: " .. bending, function()
      local function error(slenderness, across)
        return math.abs(critical(bending, triangulated, slenderness, across) / buckling.plate(slenderness) - 1)
      end
      assert.is_true(error(8, 5) < 0.05)
      assert.is_true(error(16, 4) < 0.05)
      assert.is_true(error(16, 3) > 1.5 * error(16, 4))
      assert.is_true(error(32, 3) < 1.2 * error(16, 3)) -- as many edges as dense matrices take
    end)
  end

  it("does so on other meshes", function()
    for _, bending in ipairs { "plate", "shell" } do
      for _, k in ipairs { 1, 2, 4, 5, 6 } do
        assert.near(14.17, critical(bending, strips.meshes[k], 8, 5), 0.025 * 14.17, bending)
      end
      -- those with few cells along
      assert.near(14.17, critical(bending, strips.meshes[3], 8, 3), 0.05 * 14.17, bending)
      assert.near(14.17, critical(bending, strips.meshes[7], 8, 7), 0.05 * 14.17, bending)
    end
  end)

  it("does not where the table of models says why: no modulus of twist, or not the fabric's stiffness", function()
    for _, entry in ipairs(weft.model.list()) do
      local worst, least, most = 0, math.huge, 0
      for _, mesh in ipairs { one_diagonal, alternating, not entry.grid and triangulated or nil } do
        local ratio = entry.kind == "bending" and critical(entry.name, mesh, 8, 4) / buckling.plate(8) or 1
        ratio = ratio == ratio and ratio or 0 -- flat cloth does not resist
        worst, least, most = math.max(worst, math.abs(ratio - 1)), math.min(least, ratio), math.max(most, ratio)
      end
      if worst > 0.055 then
        local reason
        for _, word in ipairs { "twist", "stiff", "does not resist", "limits of" } do
          reason = reason or entry.cannot and entry.cannot:find(word, 1, true)
        end
        assert.truthy(reason, ("%s: off by %.0f %%"):format(entry.name, 100 * worst))
      end
      if entry.name == "bending vector" or entry.name == "discrete shells" then
        assert.is_true(most > 1.15 * least)
      end
    end
  end)
end)

describe("A strip that buckled under its own weight", function()
  it("leaves the straight state at 12.85 sqrt(B C) / L^3 where it is a rod, and leans out with the root of the rest",
    function()
      for _, ratio in ipairs { 0.8, 1, 1.25 } do
        local branch = buckling.branch(ratio, 13.2)
        assert.near(12.85, branch[1].load, 0.005)
        local near, far = buckling.at(branch, 12.95), buckling.at(branch, 13.15)
        assert.near(math.sqrt((13.15 - 12.853) / (12.95 - 12.853)), far[2] / near[2], 0.06)
      end
    end)

  local load = 20 -- 1.4 times the critical one of L / w = 8
  local rod = buckling.branch(math.sqrt(2 / 1.3), load) -- C / B = 2 (1 - nu) / (1 - nu^2)

  local function sideways(mesh, slenderness, across)
    local _, out = buckling.lean(mesh, { bending = "plate", slenderness = slenderness, across = across, load = load,
      branch = rod })
    return out
  end

  it("converges under refinement, with the square of the edge, to the same on other meshes", function()
    local middle, fine = sideways(equilateral, 8, 4), sideways(equilateral, 8, 8)
    local limit = fine + (fine - middle) / 3
    assert.is_true(fine > 0.95 * limit and fine < limit, ("%g of %g"):format(fine, limit))
    local third, sixth = sideways(triangulated, 8, 3), sideways(triangulated, 8, 6)
    assert.is_true(limit - third > 2.5 * (limit - sixth), ("%g, %g of %g"):format(third, sixth, limit))
    assert.near(limit, sixth + (sixth - third) / 3, 0.04 * limit)
  end)

  it("leans nearly as far as the rod where it is slender", function()
    local theory = buckling.at(rod, load)[2]
    assert.near(theory, sideways(equilateral, 32, 2), 0.08 * theory)
  end)
end)
