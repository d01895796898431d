-- The virtual KES-F on fabrics whose loops are open: what goes in as hysteresis comes out as 2HG, 2HB and RT.

local support = require "spec.support"
local weft = require "weft"
local testbench, convert = weft.testbench, weft.fabric.convert

describe("The virtual KES-F", function()
  it("reads 2HG from shear's friction, in a frame and between jaws, along weft and warp", function()
    local fabric = weft.fabric { hysteresis = { shear = 0.6 } }
    local width, modulus = convert(1.2, "N/m", "gf/cm"), convert(fabric.shear, "N/(m.rad)", "gf/(cm.deg)")
    for _, mesh in ipairs { "structured", "unstructured" } do
      for _, direction in ipairs { "weft", "warp" } do
        local read = testbench.kes_shear { fabric = fabric, clamps = "frame", mesh = mesh, direction = direction,
          edge = 0.01 }
        assert.near(width, read["2HG"], 1e-3 * width)
        assert.near(width, read["2HG5"], 2e-3 * width)
        assert.near(modulus, read.G, 2e-3 * modulus)
      end
    end
    local jaws = testbench.kes_shear { fabric = fabric, edge = 0.01 }
    assert.near(width, jaws["2HG"], 0.02 * width)
  end)

  it("loses twice 2HG times the angle less what builds friction up, in a closed loop of shear", function()
    local fabric = weft.fabric { hysteresis = { shear = 0.6, slip = 0.004 } }
    local curve = testbench.kes_shear { fabric = fabric, clamps = "frame", edge = 0.025 }.curve
    local lost, angle = 0, math.rad(8)
    for i = 17, #curve - 1 do -- from 8 degrees to -8 and back to 0; the rest of the loop is the mirror of 0 to 8
      lost = lost + math.rad(curve[i + 1][1] - curve[i][1]) * convert(curve[i][2] + curve[i + 1][2], "gf/cm", "N/m") / 2
    end
    -- from the corner at 8 degrees: up to +8 again along what it came from, the height above the modulus
    local above = 0.5 * fabric.shear * angle ^ 2 + 0.6 * angle
    local expected = 4 * 0.6 * (angle - 0.004)
    assert.near(expected, lost + above, 0.02 * expected)
  end)

  it("reads 2HB from the friction of curvature", function()
    local fabric = weft.fabric { hysteresis = { bend_weft = 2e-4, bend_warp = 3e-4 } }
    for _, mesh in ipairs { "structured", "unstructured" } do
      for direction, height in pairs { weft = 2e-4, warp = 3e-4 } do
        local read = testbench.kes_bending { fabric = fabric, mesh = mesh, direction = direction, edge = 0.0007 }
        local width, modulus = convert(2 * height, "N.m/m", "gf.cm/cm"),
          convert(fabric.bend[direction], "N.m", "gf.cm2/cm")
        assert.near(width, read["2HB"], 0.045 * width) -- faces of a cylinder differ, and |k| of each rubs
        assert.near(modulus, read.B, 0.02 * modulus)
      end
    end
  end)

  it("reads RT from the friction of threads that are pulled, and stops where the specimen is slack", function()
    local fabric = weft.fabric { stretch = { coupling = 0 }, hysteresis = { weft = 40, warp = 60 } }
    for direction, height in pairs { weft = 40, warp = 60 } do
      local read = testbench.kes_tensile { fabric = fabric, direction = direction, clamps = "rollers", edge = 0.025 }
      local share = height / 490.3325
      assert.near(100 * (1 - 2 * share) ^ 2 / (1 - share ^ 2), read.RT, 0.2)
      assert.near(1 + share, read.LT, 0.003)
      assert.near(100 * 490.3325 * (1 - share) / fabric.stretch[direction], read.EMT, 1e-3 * read.EMT)
      assert.near(100 * height / fabric.stretch[direction], read.curve[#read.curve][1], 0.01)
      assert.near(0, read.curve[#read.curve][2], 1e-4)
    end
  end)

  it("gives back the hysteresis that a sheet brought", function()
    local fabric = weft.fabric.load("spec/fabric/suiting.csv", { hysteresis = true })
    local shear = testbench.kes_shear { fabric = fabric, clamps = "frame", edge = 0.025 }
    assert.near(0.55, shear["2HG"], 1e-3)
    assert.near(0.58, shear.G, 2e-3)
    for direction, measured in pairs { weft = { 0.055, 0.021 }, warp = { 0.071, 0.027 } } do
      local bending = testbench.kes_bending { fabric = fabric, direction = direction, edge = 0.0007 }
      assert.near(measured[1], bending.B, 0.02 * measured[1])
      assert.near(measured[2], bending["2HB"], 0.045 * measured[2])
    end
  end)
end)

describe("Cloth of a fabric with hysteresis", function()
  it("has models that can express it, unless others are chosen", function()
    local able = {}
    for _, entry in ipairs(weft.model.list()) do
      able[entry.name] = entry.hysteresis
    end
    local plain = weft.sheet {}
    local membrane, bending = plain.membrane, plain.bending
    local sheet = weft.sheet { fabric = weft.fabric { hysteresis = { shear = 1, bend_weft = 1e-4 } } }
    assert.is_true(able[sheet.membrane] and able[sheet.bending])
    plain.fabric = sheet.fabric
    assert.same({ sheet.membrane, sheet.bending }, { plain.membrane, plain.bending })
    plain.fabric = weft.fabric.wool
    assert.same({ membrane, bending }, { plain.membrane, plain.bending })
    plain.bending = "hinges"
    assert.has_error(function() plain.fabric = sheet.fabric end,
      'weft.cloth: fabric "wool" has hysteresis, which "hinges" cannot express; "shell" can')
    assert.equal("hinges", plain.bending)
  end)

  it("keeps a crease where friction holds more than its weight and elasticity bring back", function()
    local function rolled(height)
      local vertices, faces, rest, radius = {}, {}, {}, 0.02
      for i = 0, 10 do
        for j = 0, 2 do
          local angle = 0.005 * i / radius
          vertices[#vertices + 1] = { radius * math.sin(angle), radius * (1 - math.cos(angle)), 0.005 * j }
          rest[#rest + 1] = { 0.005 * i, -0.005 * j }
        end
      end
      for i = 0, 9 do
        for j = 1, 2 do
          local a = 3 * i + j
          faces[#faces + 1], faces[#faces + 2] = { a, a + 1, a + 3 }, { a + 1, a + 4, a + 3 }
        end
      end
      local flat = {}
      for k, p in ipairs(rest) do
        flat[k] = { p[1], 0, -p[2] }
      end
      local fabric = weft.fabric { hysteresis = { bend_weft = height } }
      local cloth = weft.cloth { vertices = flat, rest = rest, faces = faces, fabric = fabric, bending = "shell" }
      local world = support.still_world { integrator = { scheme = "backward euler", newton = "full" } }
      world:add(cloth)
      local all = {}
      for k = 1, #flat do
        all[k] = k
      end
      cloth:pin { vertices = all, targets = vertices }
      world:step(2)
      cloth:unpin()
      cloth:pin { vertices = { 1, 2, 3, 4, 5, 6 } }
      world:step(300)
      local _, y = cloth.positions:get(32)
      return y / vertices[32][2]
    end
    -- B k = 1.37e-5 * 50 = 6.9e-4 N
    assert.near(0.17, rolled(0), 0.02) -- straight, from the clamp's slope of 1/8 on
    assert.is_true(rolled(9e-4) > 0.9)
  end)
end)
