local weft = require "weft"
local support = require "spec.support"
local message_of = support.message_of

-- Keckeisen (2005), figure 2.4: density, C1111, C2222, C1212, C1122, B1 and B2 in 1e-4 N m.
local published = {
  ["wool viscose"] = { 0.23, 245, 366, 0.38, 61.1, 0.013, 0.037 },
  wool = { 0.26, 866, 1391, 0.51, 225.7, 0.137, 0.135 },
  ["polyester acrylic"] = { 0.17, 3057, 1534, 1.22, 459.1, 0.055, 0.092 },
  polyester = { 0.26, 2400, 3600, 5.23, 600, 0.371, 0.480 },
  ["shear resistant"] = { 0.2, 2000, 2000, 1000, 400, 100, 100 },
  ["bend resistant"] = { 0.2, 2000, 2000, 5.0, 400, 100, 100 },
}

describe("weft.fabric", function()
  it("has the published presets, read per radian unless asked otherwise", function()
    local names = weft.fabric.names()
    assert.equal(6, #names)
    for _, name in ipairs(names) do
      local row = published[name]
      local thesis = weft.fabric.preset(name, { reading = "thesis" })
      local radian = weft.fabric.preset(name)
      assert.equal(row[1], thesis.density)
      assert.equal(row[2], thesis.stretch.weft)
      assert.equal(row[3], thesis.stretch.warp)
      assert.equal(row[4], thesis.shear)
      assert.equal(row[5], thesis.stretch.coupling)
      assert.near(row[6] * 1e-4, thesis.bend.weft, 1e-18)
      assert.near(row[7] * 1e-4, thesis.bend.warp, 1e-18)
      local measured = not name:find "resistant"
      assert.near(row[4] * (measured and 180 / math.pi or 1), radian.shear, 1e-9)
    end
    -- the values per radian that the moduli per degree stand for, N/m
    assert.near(21.8, weft.fabric.wool_viscose.shear, 0.05)
    assert.near(29.2, weft.fabric.wool.shear, 0.05)
    assert.near(69.9, weft.fabric.polyester_acrylic.shear, 0.05)
    assert.near(299.7, weft.fabric.polyester.shear, 0.05)
  end)

  it("derives Young's moduli of strips", function()
    local wool = weft.fabric.wool
    assert.near(866 - 225.7 ^ 2 / 1391, wool.stretch.young_weft, 1e-9)
    assert.near(1391 - 225.7 ^ 2 / 866, wool.stretch.young_warp, 1e-9)
  end)

  it("gives a new copy at each access", function()
    local mine = weft.fabric.wool
    mine.bend.warp = 1e-3
    mine.density = 0.3
    assert.equal(1e-3, mine.bend.warp)
    assert.equal(0.3, mine.density)
    assert.near(0.135e-4, weft.fabric.wool.bend.warp, 1e-18)
    assert.equal(0.26, weft.fabric.wool.density)
  end)

  it("starts from a base", function()
    local silk = weft.fabric { base = "wool", name = "silk", density = 0.06, bend = { warp = 2e-6 }, shear = 40 }
    assert.equal("silk", silk.name)
    assert.equal(0.06, silk.density)
    assert.equal(2e-6, silk.bend.warp)
    assert.near(0.137e-4, silk.bend.weft, 1e-18)
    assert.equal(866, silk.stretch.weft)
    local other = weft.fabric { base = silk, stretch = { coupling = 10 } }
    assert.equal(10, other.stretch.coupling)
    assert.equal(40, other.shear)
    assert.equal(866, weft.fabric {}.stretch.weft)
  end)

  it("takes a group from a table", function()
    local wool = weft.fabric.wool
    wool.stretch = { weft = 900 }
    assert.equal(900, wool.stretch.weft)
    assert.equal(1391, wool.stretch.warp)
    assert.equal("weft.fabric: bend must be a table with weft, warp, poisson, twist or viscosity, got 3",
      message_of(function() wool.bend = 3 end))
  end)

  it("prints as one line", function()
    assert.equal("weft.fabric wool (0.26 kg/m2; weft 866, warp 1391, shear 29.22 N/m; bend 13.7, 13.5 uN m)",
      tostring(weft.fabric.wool))
    assert.equal("weft.fabric.stretch (weft 866, warp 1391, coupling 225.7 N/m)", tostring(weft.fabric.wool.stretch))
  end)

  it("refuses names that it would have to cut", function()
    local wool, longest = weft.fabric.wool, ("n"):rep(47)
    wool.name = longest
    assert.equal(longest, wool.name)
    assert.equal('weft.fabric: name must be a string of at most 47 bytes, got "' .. ("n"):rep(40) .. '..." (48 bytes)',
      message_of(function() wool.name = longest .. "n" end))
    assert.matches("name must be a string of at most 47 bytes", message_of(weft.fabric, { name = longest .. "n" }))
    assert.equal(longest, wool.name)
  end)

  it("keeps a group's fabric alive, and closes the group with it", function()
    local bend = weft.fabric.wool.bend
    support.collect()
    assert.near(0.137e-4, bend.weft, 1e-18)
    local wool = weft.fabric.wool
    local stretch = wool.stretch
    wool:close()
    assert.matches("closed", message_of(function() return stretch.weft end))
  end)

  it("refuses what cannot be simulated and stays as it was", function()
    local wool = weft.fabric.wool
    assert.equal("weft.fabric: density must be from 0.0001 to 100 kg/m2, got -1",
      message_of(function() wool.density = -1 end))
    assert.equal("weft.fabric: stretch.coupling must be smaller than sqrt(weft * warp) = 1097.55 N/m, got 2000",
      message_of(function() wool.stretch.coupling = 2000 end))
    assert.equal("weft.fabric: bend.warp must be from 0 to 1000 N m, got -1e-05",
      message_of(function() wool.bend.warp = -1e-5 end))
    assert.equal("weft.fabric: bend.poisson must be from -0.999 to 0.999, got 1",
      message_of(function() wool.bend.poisson = 1 end))
    assert.equal("weft.fabric: bend.twist must be from 0 to 1000, got -0.1",
      message_of(function() wool.bend.twist = -0.1 end))
    assert.equal("weft.fabric: friction must be from 0 to 10, got 11", message_of(function() wool.friction = 11 end))
    assert.matches("density must be a number, got nan", message_of(function() wool.density = 0 / 0 end))
    assert.equal(0.26, wool.density)
    assert.equal(225.7, wool.stretch.coupling)
    assert.equal("weft.fabric: no fabric is named \"felt\"; there are \"wool viscose\", \"wool\", "
      .. "\"polyester acrylic\", \"polyester\", \"shear resistant\" and \"bend resistant\"",
      message_of(function() weft.fabric { base = "felt" } end))
    assert.matches("^weft.fabric.preset: no fabric is named \"felt\"", message_of(weft.fabric.preset, "felt"))
    assert.equal("weft.fabric: there is no \"woll\"; did you mean \"wool\"?",
      message_of(function() return weft.fabric.woll end))
    assert.equal("weft.fabric: unknown option 'densty'; did you mean 'density'?",
      message_of(function() weft.fabric { densty = 1 } end))
    assert.equal("weft.fabric: bend: unknown option 'wrap'; did you mean 'warp'?",
      message_of(function() weft.fabric { bend = { wrap = 1 } } end))
  end)

  it("survives each allocation failing", function()
    support.fail_each_allocation(function() return weft.fabric { base = "wool", density = 0.3 } end)
  end)
end)
