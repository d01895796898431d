-- Measurement sheets and material cards: units, what they are mapped to, round trips, and whatever else is in a file.

local weft = require "weft"
local support = require "spec.support"
local message_of = support.message_of

local function path_of(name)
  return "build/spec/" .. name
end

local function write(name, text)
  local file = assert(io.open(path_of(name), "wb"))
  file:write(text)
  file:close()
  return path_of(name)
end

local function load(name, text, given)
  return weft.fabric.load(write(name, text), given)
end

local kes = [[
# a worsted suiting
quantity,direction,value,unit
name,,"suiting, ""grey""",
W,,17.2,mg/cm2
T0,,0.61,mm
EMT,weft,6.1,%
EMT,warp,4.9,%
LT,weft,0.62,
LT,warp,0.61,
RT,weft,64,%
G,weft,0.55,gf/(cm·deg)
G,warp,0.61,gf/cm.deg
2HG,,0.7,gf/cm
B,weft,0.055,gf·cm²/cm
B,warp,0.071,gf.cm^2/cm
MIU,,0.16,
]]

local fast = [[
quantity;direction;value;unit
W;;172;g/m2
E5;weft;0,6;%
E20;weft;1,9;%
E100;weft;5,2;%
E100;warp;4,0;%
EB5;bias;4,5;%
C;weft;17,3;mm
C;warp;18,9;mm
B;warp;11,4;µN·m
T2;;0,55;mm
]]

local arcsim = [=[
// a knit
{ "density": 0.187, /* kg/m2 */
  "stretching": [[30, -4, 40, 28], [78, 26, 268, 27], [67, 77, 182, -14], [113, 54, 175, 44], [144, 111, 138, -29],
    [143, 49, 191, 39]],
  "bending": [[36e-6, 49e-6, 45e-6, 47e-6, 20e-6], [33e-6, 29e-6, 35e-6, 34e-6, 14e-6],
    [24e-6, 34e-6, 33e-6, 34e-6, 10e-6]],
  "yield_curv": 200 }
]=]

local garmentcode = [[
sim:
  config:
    max_sim_steps: 2400
    material:
      garment_tri_ka: 10000.0
      garment_edge_ke: 100.0   # of hinges
      spring_ke: 50000.0
      spring_kd: 10.0
      fabric_density: 1.0
      fabric_thickness: 0.1
      fabric_friction: 0.5
    options:
      attachment_stiffness:
      - 1000.
render:
  config:
    material: 3
]]

describe("Units of fabric testing", function()
  it("are those of the reference", function()
    local convert = weft.fabric.convert
    assert.near(0.980665, convert(1, "gf/cm"), 1e-12)
    assert.near(9.80665e-5, convert(1, "gf·cm²/cm"), 1e-15)
    assert.near(56.188, convert(1, "gf/(cm.deg)"), 1e-3)
    assert.near(490.3325, convert(500, "gf/cm", "N/m"), 1e-9)
    assert.near(250, convert(2.5, "cm-1"), 1e-12)
    assert.near(0.97, convert(97, "%"), 1e-12)
    assert.near(0.139701, convert(0.137e-4, "N.m", "gf.cm2/cm"), 1e-6) -- Keckeisen's wool
    assert.near(1, convert(convert(1, "oz/yd2"), "kg/m2", "oz/yd2"), 1e-12)
    assert.near(33.9057, convert(1, "oz/yd2", "g/m2"), 1e-4)
    assert.near(29.22, convert(convert(0.51, "N/(m.deg)"), "N/(m.rad)"), 0.01)
  end)

  it("are refused when they are none, or of different things", function()
    local convert = weft.fabric.convert
    assert.equal('weft.fabric.convert: there is no unit "gf/cn"; did you mean "gf/cm"?',
      message_of(convert, 1, "gf/cn"))
    assert.equal('weft.fabric.convert: "gf/cm" and "gf/(cm.deg)" measure different things',
      message_of(convert, 1, "gf/cm", "gf/(cm.deg)"))
    assert.equal("weft.fabric.convert: value must be a number, got nan", (message_of(convert, 0 / 0, "mm")
      :gsub("%-nan", "nan")))
    assert.equal("weft.fabric.convert: from must be the name of a unit, got 3", message_of(convert, 1, 3))
    assert.matches("there is no unit \"unit\"", message_of(convert, 1, "unit"))
  end)
end)

describe("A measurement sheet", function()
  it("of KES-F gives moduli", function()
    local fabric, report = load("suiting.csv", kes)
    assert.equal('suiting, "grey"', fabric.name)
    assert.near(0.172, fabric.density, 1e-12)
    assert.near(0.00061, fabric.thickness, 1e-12)
    -- a strip that contracts freely takes the same work up to 500 gf/cm
    assert.near(0.62 * 490.3325 / 0.061, fabric.stretch.young_weft, 1e-6)
    assert.near(0.61 * 490.3325 / 0.049, fabric.stretch.young_warp, 1e-6)
    assert.near(0.2 * (fabric.stretch.weft + fabric.stretch.warp) / 2, fabric.stretch.coupling, 1e-9)
    assert.near(0.58 * 56.188, fabric.shear, 1e-3)
    assert.near(0.055 * 9.80665e-5, fabric.bend.weft, 1e-15)
    assert.near(0.071 * 9.80665e-5, fabric.bend.warp, 1e-15)
    assert.equal(0.16, fabric.friction)
    assert.equal(0.01, fabric.viscosity) -- not measured: wool's
    assert.equal("kes", report.format)
    assert.same({ "2HG", "RT" }, report.unused)
    assert.near(0.061, report.measured["EMT weft"], 1e-12)
  end)

  it("of KES-F gives hysteresis where that is asked for", function()
    local loops = kes .. "2HB,weft,0.04,gf.cm/cm\n2HB,warp,0.05,gf.cm/cm\n"
    assert.equal(0, load("loops.csv", loops).hysteresis.bend_weft)
    local fabric, report = load("loops.csv", loops, { hysteresis = true })
    assert.near(0.5 * weft.fabric.convert(report.measured["2HG"] or report.measured["2HG weft"], "N/m"),
      fabric.hysteresis.shear, 1e-12)
    assert.near(0.02 * 9.80665e-3, fabric.hysteresis.bend_weft, 1e-12)
    assert.near(0.025 * 9.80665e-3, fabric.hysteresis.bend_warp, 1e-12)
    assert.same({}, report.unused)
    assert.matches("row 18: 2HB must not be negative", message_of(load, "loops.csv", (loops:gsub("0%.05", "-1")),
      { hysteresis = true }))
    assert.equal("weft.fabric.load: hysteresis must be true or false, got 1",
      message_of(load, "loops.csv", loops, { hysteresis = 1 }))
  end)

  it("of KES-F prefers work to linearity, and refuses the two when they do not agree", function()
    local work = 0.62 * 500 * 0.061 / 2 -- gf cm/cm2
    local fabric = load("work.csv", (kes:gsub("LT,weft[^\n]*", ("WT,weft,%.6f,gf.cm/cm2"):format(work))))
    assert.near(0.62 * 490.3325 / 0.061, fabric.stretch.young_weft, 1e-2)
    assert.matches("row 8: LT of the weft is 0.62 in SI units, but WT over EMT makes it 0.3", message_of(load,
      "work.csv", kes .. ("WT,weft,%.6f,gf.cm/cm2\n"):format(work / 2)))
    local secant = load("secant.csv", (kes:gsub("LT,w[^\n]*", "")))
    assert.near(490.3325 / 0.061, secant.stretch.young_weft, 1e-6)
    local light = load("light.csv", kes .. "Fm,,50,gf/cm\n")
    assert.near(0.62 * 49.03325 / 0.061, light.stretch.young_weft, 1e-6)
  end)

  it("of FAST gives moduli, with semicolons and decimal commas", function()
    local fabric, report = load("fast.csv", fast)
    assert.equal("fast", fabric.name)
    assert.near(98.0665 / 0.052, fabric.stretch.young_weft, 1e-6)
    assert.near(98.0665 / 0.040, fabric.stretch.young_warp, 1e-6)
    assert.near(123 / 4.5, fabric.shear, 0.01 * 123 / 4.5) -- the instrument's formula, rounded
    assert.near(9.81e-6 * 172 * 17.3 ^ 3 * 1e-6, fabric.bend.weft, 4e-4 * fabric.bend.weft)
    assert.near(11.4e-6, fabric.bend.warp, 1e-12) -- as measured
    assert.near(0.00055, fabric.thickness, 1e-12)
    assert.same({ "E20", "E5" }, report.unused)
    assert.matches("row 10: B of the warp is 5e%-06 in SI units, but W and the bending length C makes it 1.13",
      message_of(load, "fast.csv", (fast:gsub("11,4", "5,0"))))
  end)

  it("of a fabric reads back to the same numbers", function()
    for _, name in ipairs(weft.fabric.names()) do
      local fabric = weft.fabric.preset(name)
      fabric.friction, fabric.bend.viscosity = 1 / 3, 0.1 + 0.2
      fabric.bend.poisson, fabric.bend.twist = -0.125, 0.7
      fabric.hysteresis = { weft = 1 / 7, warp = 2, shear = 0.3, slip = 0.002, bend_weft = 1e-4 / 3, bend_slip = 7 }
      fabric.limit = { any = 0.1 / 3, weft = 0.05, warp = 0.06, shear = 0.7 }
      fabric.loss = { stretch = 0.1 / 3, shear = 0.3, bend = 0.05, from = 0.7, to = 77 }
      fabric:save(path_of "round.csv")
      local again, report = weft.fabric.load(path_of "round.csv")
      assert.equal("weft", report.format)
      for _, field in ipairs { "name", "density", "shear", "viscosity", "thickness", "friction" } do
        assert.equal(fabric[field], again[field])
      end
      for group, fields in pairs { stretch = { "weft", "warp", "coupling" },
        bend = { "weft", "warp", "poisson", "twist", "viscosity" },
        limit = { "any", "weft", "warp", "shear" }, loss = { "stretch", "shear", "bend", "from", "to" },
        hysteresis = { "weft", "warp", "shear", "slip", "bend_weft", "bend_warp", "bend_slip" } } do
        for _, field in ipairs(fields) do
          assert.equal(fabric[group][field], again[group][field])
        end
      end
    end
    local odd = weft.fabric { name = 'a "b", c;' }
    odd:save(path_of "round.csv")
    assert.equal('a "b", c;', weft.fabric.load(path_of "round.csv").name)
  end)

  it("takes what it lacks from a base", function()
    local text = "quantity,direction,value,unit\nB,weft,0.1,gf.cm2/cm\n"
    assert.equal("weft.fabric.load: W is missing; give a base fabric to take it from", message_of(load, "b.csv", text))
    local fabric = load("b.csv", text, { base = weft.fabric.polyester })
    assert.near(9.80665e-6, fabric.bend.weft, 1e-15)
    assert.equal(weft.fabric.polyester.bend.warp, fabric.bend.warp)
    assert.equal(2400, fabric.stretch.weft)
    assert.equal(2400, load("b.csv", text, { base = "polyester" }).stretch.weft)
  end)

  it("names the row that is wrong", function()
    local cases = {
      { "EMT,weft,6.1,%", "EMT,weft,6.1,", "row 6: EMT has no unit; it must be one of %, 1, m/m, mm/mm" },
      { "G,weft,0.55,gf/(cm·deg)", "G,weft,0.55,gf/cm", "row 11: the unit of G must be one of N/(m.deg), N/(m.rad), "
        .. "gf/(cm.deg), gf/(cm.rad), gf/cm.deg, got \"gf/cm\"" },
      { "EMT,weft", "EMT,left", "row 6: the direction of EMT must be weft or warp, got \"left\"" },
      { "T0,,", "T0,warp,", "row 5: the direction of T0 must be empty, got \"warp\"" },
      { "EMT,weft,6.1", "EMT,weft,six", "row 6: the value of EMT must be a number, got \"six\"" },
      { "EMT,weft,6.1", "EMT,weft,-6.1", "row 6: EMT must be greater than 0, got -0.061" },
      { "EMT,weft", "EMX,weft", "row 6: there is no quantity \"EMX\"; did you mean \"EMT\"?" },
      { "EMT,warp", "EMT,weft", "row 7: EMT of the weft is given twice, first in row 6" },
      { "EMT,weft,6.1,%\n", "", "EMT of the weft is missing" },
      { "MIU", "E100,warp,3,%\nMIU", "2HG is measured by kes, but E100 by fast: a sheet is of one instrument" },
      { 'name,,"suiting', 'name,,"suiting"""', "row 3: there is text after a quoted field" },
      { "value,unit", "value", "row 2: a sheet begins with the columns quantity, direction, value, unit; unit is "
        .. "missing" },
      { "EMT,weft,6.1,%", "EMT,weft,0.01,%", "the moduli of weft and warp, 3.04006e+06 and 6104.14 N/m, differ too "
        .. "much for a Poisson ratio of 0.2: weft * warp > coupling² does not hold" },
    }
    for _, case in ipairs(cases) do
      local from, to = kes:find(case[1], 1, true)
      local message = message_of(load, "bad.csv", kes:sub(1, from - 1) .. case[2] .. kes:sub(to + 1))
      assert.is_truthy(message:find(case[3], 1, true), message)
      assert.matches("^weft.fabric.load: ", message)
    end
    assert.matches("^weft.fabric.load: .*No such file", message_of(weft.fabric.load, "no/such/file.csv"))
    assert.matches("is empty", message_of(load, "empty.csv", ""))
    assert.matches("has more than 10 bytes", message_of(load, "long.csv", kes, { limit = 10 }))
  end)
end)

describe("A material card", function()
  it("of ARCSim gives moduli at a strain, and tells what it does not use", function()
    local fabric, report = load("knit.json", arcsim)
    assert.equal("knit", fabric.name)
    assert.equal(0.187, fabric.density)
    assert.equal(60, fabric.stretch.weft)
    assert.equal(80, fabric.stretch.warp)
    assert.equal(0, fabric.stretch.coupling) -- negative there, and then taken for 0
    assert.equal(14, fabric.shear)
    assert.near(6e-6, fabric.bend.weft, 1e-15)
    assert.near(9e-6, fabric.bend.warp, 1e-15)
    assert.same({ "yield_curv" }, report.unused)
    local stretched = load("knit.json", arcsim, { strain = 1 / 12 })
    assert.near(30 + 78, stretched.stretch.weft, 1e-9)
    assert.near(40 + 191, stretched.stretch.warp, 1e-9)
    assert.near((22 + 45) / 2, stretched.stretch.coupling, 1e-9)
    assert.near((28 + 44) / 4, stretched.shear, 1e-9)
  end)

  -- A hinge along an edge of length l between faces of area a together has the energy k l² / (8 a) θ².
  it("of ARCSim has a quarter of its bending data as the modulus of a plate", function()
    local k, h, kappa, cells = 36e-6, 0.01, 3, 40
    local energy = 0
    for _ = 1, cells do -- the edges across a strip of right triangles; its diagonals do not bend
      energy = energy + k * h ^ 2 / (8 * h ^ 2) * (kappa * h) ^ 2
    end
    local area = cells * h * h
    assert.near(load("knit.json", arcsim).bend.warp, 2 * energy / (kappa ^ 2 * area), 1e-12)
  end)

  it("of GarmentCode keeps stiffness over weight", function()
    assert.equal("weft.fabric.load: fabric_density has no unit; give the option density, kg/m2, which takes its place",
      message_of(load, "sim.yaml", garmentcode))
    local fabric, report = load("sim.yaml", garmentcode, { density = 0.2 })
    -- lengths in cm: spring over weight is 50000 / 9.81 cm, hinge over weight 100 / 9.81 cm3
    assert.near(0.75 * math.sqrt(3) * 50000 / 9.81 * 0.01 * 0.2 * 9.81, fabric.stretch.weft, 1e-9)
    assert.near(1 / 3, fabric.stretch.coupling / fabric.stretch.weft, 1e-12)
    assert.near(fabric.stretch.coupling, fabric.shear, 1e-9)
    local length = (fabric.bend.warp / (0.2 * 9.81)) ^ (1 / 3)
    assert.near((math.sqrt(3) / 2 * 100 / 9.81) ^ (1 / 3) * 0.01, length, 1e-9) -- 2.07 cm
    assert.near(0.001, fabric.thickness, 1e-12)
    assert.equal(0.5, fabric.friction)
    assert.same({ "spring_kd", "garment_tri_ka" }, report.unused)
  end)

  -- The lattice's moduli from its energy: springs k along the edges of equilateral triangles of side 1, each shared by
  -- two faces, strained by e11, e22, e12.
  it("of GarmentCode takes springs for what a lattice of them is", function()
    local fabric = load("sim.yaml", garmentcode, { density = 0.2 })
    local k = 50000 / 9.81 * 0.01 * 0.2 * 9.81
    local function density(e11, e22, gamma)
      local sum = 0
      for _, angle in ipairs { 0, math.pi / 3, 2 * math.pi / 3 } do
        local c, s = math.cos(angle), math.sin(angle)
        sum = sum + 0.5 * k * (e11 * c * c + e22 * s * s + gamma * c * s) ^ 2
      end
      return sum / (math.sqrt(3) / 2) -- one vertex, three edges, two triangles
    end
    assert.near(fabric.stretch.weft, 2 * density(1, 0, 0), 1e-9)
    assert.near(fabric.stretch.warp, 2 * density(0, 1, 0), 1e-9)
    assert.near(fabric.shear, 2 * density(0, 0, 1), 1e-9)
    assert.near(fabric.stretch.coupling, density(1, 1, 0) - density(1, 0, 0) - density(0, 1, 0), 1e-9)
  end)

  it("is refused with the place", function()
    local cases = {
      { "k.json", arcsim, '"density"', '"densty"', 'the material: there is no "densty"; did you mean "density"?' },
      { "k.json", arcsim, "[30, -4, 40, 28]", "[30, -4, 40]", "stretching, list 1: must be 4 numbers" },
      { "k.json", arcsim, "[30, -4, 40, 28]", "[-30, -4, 40, 28]", "stretching: the modulus of the weft is 0" },
      { "k.json", arcsim, "40, 28]", "40, \"28\"]", "stretching, list 1, number 4 must be a number, got 28" },
      { "k.json", arcsim, "*/", "", "a remark that begins with /* does not end" },
      { "k.json", arcsim, "[30, -4, 40, 28]", "[30, 9, 40, 28]", nil },
      { "s.yaml", garmentcode, "spring_ke: 50000.0", "spring_k: 50000.0",
        'row 7: there is no "spring_k"; did you mean "spring_ke"?' },
      { "s.yaml", garmentcode, "spring_ke: 50000.0", "spring_ke: much", "row 7: spring_ke must be a number, got much" },
      { "s.yaml", garmentcode, "spring_ke: 50000.0", "", "the material has no spring_ke" },
      { "s.yaml", garmentcode, "spring_kd: 10.0", "spring_ke: 10.0", "row 8: spring_ke is given twice" },
      { "s.yaml", garmentcode, "    material:\n", "    matter:\n", "there is no mapping sim: config: material:" },
    }
    for _, case in ipairs(cases) do
      local from, to = case[2]:find(case[3], 1, true)
      local text = case[2]:sub(1, from - 1) .. case[4] .. case[2]:sub(to + 1)
      local given = { density = 0.2 }
      if case[5] then
        local message = message_of(load, case[1], text, given)
        assert.is_truthy(message:find(case[5], 1, true), message)
      else
        assert.equal("weft.fabric", getmetatable((load(case[1], text, given))))
      end
    end
  end)

  it("keeps what looks like a remark inside of strings", function()
    local message = message_of(load, "k.json", (arcsim:gsub('"yield_curv"', '"yield // /* curv"')))
    assert.matches('there is no "yield // /%* curv"', message)
  end)
end)

describe("weft.fabric.load", function()
  it("checks its options", function()
    local path = write("suiting.csv", kes)
    assert.equal("weft.fabric.load: path must be a string of at most 4096 bytes, none of them zero, got nothing",
      message_of(weft.fabric.load))
    assert.equal("weft.fabric.load must be called with a table of options, got false",
      message_of(weft.fabric.load, path, false))
    assert.equal("weft.fabric.load: unknown option 'bse'; did you mean 'base'?",
      message_of(weft.fabric.load, path, { bse = 1 }))
    assert.matches('format must be one of "sheet"', message_of(weft.fabric.load, path, { format = "xml" }))
    assert.matches("strain must be a number from 0 to 0.166", message_of(weft.fabric.load, path, { strain = 1 }))
    assert.matches("not JSON", message_of(weft.fabric.load, path, { format = "arcsim" }))
    assert.matches("base must be", message_of(weft.fabric.load, path, { base = 3 }))
    assert.matches("weft.fabric.save: path must be .*, got nothing", message_of(function() weft.fabric.wool:save() end))
    assert.matches("weft.fabric.save: .*No such file", message_of(function() weft.fabric.wool:save "no/such/f.csv" end))
  end)

  it("refuses paths that the system would cut", function()
    local wool = weft.fabric.wool
    for _, path in ipairs { "build/spec/a\0b", ("p"):rep(5000) } do
      assert.matches("weft.fabric.load: path must be .* none of them zero", message_of(weft.fabric.load, path))
      assert.matches("weft.fabric.load_curve: path must be ", message_of(weft.fabric.load_curve, path))
      assert.matches("weft.fabric.save: path must be ", message_of(wool.save, wool, path))
    end
    assert.is_nil(io.open "build/spec/a")
  end)

  it("takes a name of at most 47 bytes from a file", function()
    local message = message_of(load, "k.csv", (kes:gsub('"suiting[^\n]*,', ("s"):rep(48) .. ",")))
    assert.matches("^weft.fabric.load: name must be a string of at most 47 bytes", message)
  end)

  it("takes any file that was cut off or changed for a fabric or for an error", function()
    local random, good, refused = support.stream(7), 0, 0
    local sources = { { "f.csv", kes }, { "f.csv", fast }, { "f.json", arcsim }, { "f.yaml", garmentcode } }
    for round = 1, 1200 do
      local name = sources[round % 4 + 1][1]
      local text = support.damaged(sources[round % 4 + 1][2], random, "0123456789-+.eE,;\"\n#:[]{}/*")
      local ok, result = pcall(load, name, text, { density = 0.2 })
      if ok then
        good = good + 1
        assert.is_true(result.stretch.weft * result.stretch.warp > result.stretch.coupling ^ 2)
      else
        refused = refused + 1
        assert.matches("weft.fabric.load: ", result)
        assert.is_nil(result:find("%.lua:%d+: .*%.lua:%d+:"), result)
        assert.is_nil(result:find "attempt to", result)
      end
    end
    assert.is_true(good > 100 and refused > 100)
  end)
end)
