--- The standard tests of fabrics, run on simulated cloth: what the instruments would report, in their own units.
---
---     local fabric = weft.fabric.wool
---     print(weft.testbench.kes_bending { fabric = fabric, direction = "warp" }.B)   -- gf cm2/cm
---
--- Specimens are as large as the instruments' unless told otherwise. Tests are quasi-static: clamps move in steps, and
--- forces are read at equilibrium (csrc/world/testbench.h).

local core = require "weft.core"
local new_sheet = require "weft.sheet"
local options = require "weft.options"
local units = require "weft.fabric_units"

local testbench = {}

local GRAVITY = 9.80665

---@class weft.testbench.options
---@field fabric weft.fabric
---@field direction? "weft"|"warp"|"bias"|number which yarns are pulled or bent, or the angle (rad) from the weft to the
--- specimen's length; "weft" by default
---@field mesh? "structured"|"unstructured" a grid with alternating diagonals (default), or Delaunay triangles
---@field edge? number m, edge length of the mesh
---@field length? number m, between the clamps
---@field width? number m
---@field membrane? string a name of weft.model.list()
---@field bending? string a name of weft.model.list()

---@class weft.testbench.curve_options : weft.testbench.options
---@field clamps? "jaws"|"rollers"|"frame" rollers let the specimen contract; a frame holds all sides of a sheared one
---@field steps? integer of each branch of the tensile curve, short ones at first; 40 by default

local specimen_names = { "fabric", "direction", "mesh", "edge", "length", "width", "membrane", "bending" }
local angles = { weft = 0, warp = math.pi / 2, bias = math.pi / 4 }

--- The options for the C side: what was given, on top of `defaults`.
local function prepare(verb, given, defaults, ...)
  local names = { ... }
  for _, name in ipairs(specimen_names) do
    names[#names + 1] = name
  end
  options.check(verb, given, names, 2)
  local prepared = {}
  for name, value in pairs(defaults) do
    prepared[name] = value
  end
  for name, value in pairs(given) do
    prepared[name] = value
  end
  local direction = given.direction
  if type(direction) == "string" then
    prepared.direction = angles[direction]
    if not prepared.direction then
      error(('%s: direction must be one of "weft", "warp", "bias", or an angle, got %s'):format(verb,
        core.value_text(direction)), 3)
    end
  end
  return prepared
end

--- Calls f(...) for `verb`, which is then what errors name, at the line of the script that called the test.
local function call_as(verb, level, f, ...)
  local done, result = pcall(f, ...)
  if not done then
    error((tostring(result):gsub("^[^:\n]+:%d+: ", ""):gsub("^weft[%w_.]*:", verb .. ":")), level + 1)
  end
  return result
end

--- Refuses what no scene can be made of, before it is: the scenes' own cloths would speak in the name of weft.cloth.
local function check_scene(verb, given)
  if getmetatable(given.fabric) ~= "weft.fabric" then
    error(("%s: fabric must be a weft.fabric, got %s"):format(verb, core.value_text(given.fabric)), 3)
  elseif given.mesh ~= nil and given.mesh ~= "structured" and given.mesh ~= "unstructured" then
    error(('%s: mesh must be one of "structured", "unstructured", got %s'):format(verb, core.value_text(given.mesh)), 3)
  end
  call_as(verb, 3, new_sheet, { cells = { 1, 1 }, fabric = given.fabric, membrane = given.membrane,
    bending = given.bending }):close()
end

local function call(f, verb, prepared)
  return options.call(3, f, verb, prepared)
end

--- A list of points in other units; the C side's curves are strain, angle (rad) or curvature and N/m or N m per m.
local function converted(curve, x_unit, x_kind, y_unit, y_kind)
  local points, x_factor, y_factor = {}, units.factor(x_unit, x_kind), units.factor(y_unit, y_kind)
  for i = 1, #curve do
    local x, y = curve:get(i)
    points[i] = { x / x_factor, y / y_factor }
  end
  return points
end

-- ---- KES-F ----------------------------------------------------------------------------------------------------------

--- The distance of the branches of a cycle 0, 1, 0, -1, 0 in 4 * steps, at x and -x: the mean.
local function loop_width(curve, steps, x)
  local function y(branch, at)
    return core.measured_value(curve, branch * steps + 1, (branch + 1) * steps + 1, at)
  end
  return (y(0, x) - y(1, x) + y(3, -x) - y(2, -x)) / 2
end

---@class weft.testbench.tensile
---@field EMT number %, extension at the largest load
---@field LT number linearity: WT over half of the largest load times EMT
---@field WT number gf cm/cm2, work up to the largest load
---@field RT number %, of it that comes back
---@field curve number[][] %, gf/cm, there and back

--- KES-FB1 tensile: a specimen 5 cm long and 20 cm wide is pulled to 500 gf/cm (`load`, N/m) and let go. With jaws it
--- cannot contract at its ends, and reports a modulus between that of a strip that is free to contract and C1111.
---@param given weft.testbench.curve_options|{ load: number? }
---@return weft.testbench.tensile
function testbench.kes_tensile(given)
  local verb = "weft.testbench.kes_tensile"
  local prepared = prepare(verb, given, { length = 0.05, width = 0.2, edge = 0.005, load = 490.3325, steps = 40 },
    "clamps", "load", "steps")
  local curve = call(core.testbench_extend, verb, prepared)
  local half = (#curve + 1) / 2
  local strain, load = curve:get(half)
  local work = core.measured_work(curve, 1, half)
  return {
    EMT = 100 * strain, LT = 2 * work / (load * strain), WT = units.convert(verb, work, "J/m2", "gf.cm/cm2"),
    RT = -100 * core.measured_work(curve, half, #curve) / work,
    curve = converted(curve, "%", "strain", "gf/cm", "load"),
  }
end

---@class weft.testbench.shear
---@field G number gf/(cm deg), slope from 0.5 to 2.5 degrees, mean of both sides
---@field ["2HG"] number gf/cm, width of the loop at 0.5 degrees, mean of both sides
---@field ["2HG5"] number gf/cm, at 5 degrees
---@field curve number[][] degrees, gf/cm: the whole loop

--- KES-FB1 shear: a specimen 5 cm long and 20 cm wide under a tension of 10 gf/cm (`tension`, N/m) is sheared to 8
--- degrees both ways. Its free edges carry no shear stress, so what jaws report is less than the modulus; `clamps =
--- "frame"` holds all sides.
---@param given weft.testbench.curve_options|{ tension: number? }
---@return weft.testbench.shear
function testbench.kes_shear(given)
  local verb = "weft.testbench.kes_shear"
  local steps = 16 -- half a degree each
  local prepared = prepare(verb, given, { length = 0.05, width = 0.2, edge = 0.005, steps = steps }, "clamps",
    "tension")
  local curve = call(core.testbench_shear, verb, prepared)
  local rad = math.rad
  local up = core.measured_line(curve, 1, steps + 1, rad(0.499), rad(2.501))
  local down = core.measured_line(curve, 2 * steps + 1, 3 * steps + 1, rad(-2.501), rad(-0.499))
  return {
    G = units.convert(verb, (up + down) / 2, "N/(m.rad)", "gf/(cm.deg)"),
    ["2HG"] = units.convert(verb, loop_width(curve, steps, rad(0.5)), "N/m", "gf/cm"),
    ["2HG5"] = units.convert(verb, loop_width(curve, steps, rad(5)), "N/m", "gf/cm"),
    curve = converted(curve, "deg", "angle", "gf/cm", "load"),
  }
end

---@class weft.testbench.bending
---@field B number gf cm2/cm, slope from 0.5 to 1.5 per cm, mean of both sides
---@field ["2HB"] number gf cm/cm, width of the loop at 1 per cm
---@field curve number[][] 1/cm, gf cm/cm: the whole loop

--- KES-FB2: pure bending of 1 cm between the clamps to 2.5 per cm both ways. The specimen is wide and bends to a
--- cylinder; `cylinder = false` lets its sides curl.
---@param given weft.testbench.options|{ cylinder: boolean? }
---@return weft.testbench.bending
function testbench.kes_bending(given)
  local verb = "weft.testbench.kes_bending"
  local steps = 5 -- half a cm^-1 each
  local prepared = prepare(verb, given, { length = 0.01, width = 0.01, edge = 0.0005, steps = steps }, "cylinder")
  local curve = call(core.testbench_bend, verb, prepared)
  local up = core.measured_line(curve, 1, steps + 1, 49.9, 150.1)
  local down = core.measured_line(curve, 2 * steps + 1, 3 * steps + 1, -150.1, -49.9)
  return {
    B = units.convert(verb, (up + down) / 2, "N.m", "gf.cm2/cm"),
    ["2HB"] = units.convert(verb, loop_width(curve, steps, 100), "N.m/m", "gf.cm/cm"),
    curve = converted(curve, "1/cm", "curvature", "gf.cm/cm", "moment"),
  }
end

---@class weft.testbench.friction
---@field MIU number mean coefficient of friction
---@field MMD number its mean deviation
---@field curve number[][] mm, coefficient

--- KES-SE: friction. A piece of cloth, 3 cm x 3 cm, slides over a plate with the coefficient `plate` (the fabric's own
--- by default; two surfaces rub with the geometric mean of theirs) and is slowed down by friction alone.
---@param given { fabric: weft.fabric, edge: number?, plate: number?, speed: number?, membrane: string?,
--- bending: string? }
---@return weft.testbench.friction
function testbench.kes_friction(given)
  local verb = "weft.testbench.kes_friction"
  options.check(verb, given, { "fabric", "edge", "plate", "speed", "membrane", "bending" })
  check_scene(verb, given)
  return require "weft.testbench_scenes".friction {
    fabric = given.fabric, membrane = given.membrane, bending = given.bending,
    plate = options.number(verb, given, "plate", given.fabric.friction, 0, 10),
    edge = options.number(verb, given, "edge", 0.005, 5e-4, 0.03),
    speed = options.number(verb, given, "speed", 0.3, 0.01, 10) }
end
testbench.kes_friction = options.verb("weft.testbench.kes_friction", testbench.kes_friction)

-- ---- FAST and others ----------------------------------------------------------------------------------------------

---@class weft.testbench.fast_extension
---@field E5 number %
---@field E20 number %
---@field E100 number %
---@field EB5? number %, in place of the others, of a specimen on the bias
---@field G? number N/m, 123 / EB5

--- FAST-3: extension of 10 cm x 5 cm at 5, 20 and 100 gf/cm; on the bias at 5 gf/cm, and the shear modulus that the
--- instrument makes of it.
---@param given weft.testbench.options|{ clamps: string? }
---@return weft.testbench.fast_extension
function testbench.fast_extension(given)
  local verb = "weft.testbench.fast_extension"
  local prepared = prepare(verb, given, { length = 0.1, width = 0.05, edge = 0.0025 }, "clamps")
  local bias = given.direction == "bias"
  prepared.loads = bias and { 4.903325 } or { 4.903325, 19.6133, 98.0665 }
  local strains = call(core.testbench_extensions, verb, prepared)
  if bias then
    return { EB5 = 100 * strains:get(1), G = 123 / (100 * strains:get(1)) }
  end
  return { E5 = 100 * strains:get(1), E20 = 100 * strains:get(2), E100 = 100 * strains:get(3) }
end

---@class weft.testbench.fast_bending
---@field overhang number mm
---@field C number mm, bending length: half the overhang
---@field B number uN m, W C³ 9.81e-6

--- FAST-2: a strip 2.5 cm wide is pushed over an edge until its tip is 41.5 degrees below it. `cylinder = true` does
--- not let its sides curl, which is the theory's strip.
---@param given weft.testbench.options|{ cylinder: boolean? }
---@return weft.testbench.fast_bending
function testbench.fast_bending(given)
  local verb = "weft.testbench.fast_bending"
  local prepared = prepare(verb, given, { width = 0.025, edge = 0.0015 }, "cylinder")
  local overhang = call(core.testbench_cantilever, verb, prepared)
  local c = overhang / 2
  return { overhang = 1e3 * overhang, C = 1e3 * c, B = 1e6 * given.fabric.density * GRAVITY * c ^ 3 }
end
testbench.fast_bending = options.verb("weft.testbench.fast_bending", testbench.fast_bending)

--- Peirce's hanging heart loop: a strip 15 cm long, 1 cm wide, hangs from both ends, which leave the clamp upward. Its
--- height, m, and the bending length (m) and modulus (N m) that Peirce (1930) reads from it.
---@param given weft.testbench.options|{ cylinder: boolean? }
---@return { height: number, C: number, B: number }
function testbench.heart_loop(given)
  local verb = "weft.testbench.heart_loop"
  local prepared = prepare(verb, given, { length = 0.15, width = 0.01, edge = 0.003, cylinder = true }, "cylinder")
  local height, c = call(core.testbench_heart_loop, verb, prepared)
  if c ~= c then
    error(("%s: the fabric is too stiff: its loop is %.4g m high, which tells no bending length; take a greater length")
      :format(verb, height), 2)
  end
  return { height = height, C = c, B = given.fabric.density * GRAVITY * c ^ 3 }
end
testbench.heart_loop = options.verb("weft.testbench.heart_loop", testbench.heart_loop)

--- The loop of a strip that is folded back on itself on a plane: its height, m, and what follows for an inextensible
--- heavy strip: C = 1.103 height, and the modulus, N m.
---@param given weft.testbench.options
---@return { height: number, C: number, B: number, cloth: weft.cloth, world: weft.world }
function testbench.folded_loop(given)
  local verb = "weft.testbench.folded_loop"
  options.check(verb, given, { "fabric", "direction", "mesh", "edge", "width", "membrane", "bending" })
  check_scene(verb, given)
  local direction = angles[given.direction or "weft"] or given.direction
  if type(direction) ~= "number" or not (direction >= -10 and direction <= 10) then
    error(('%s: direction must be one of "weft", "warp", "bias", or an angle, got %s'):format(verb,
      core.value_text(given.direction)), 2)
  end
  local scenes = require "weft.testbench_scenes"
  local edge = options.number(verb, given, "edge", 0.002, 5e-4, 0.01)
  local length = scenes.bending_length(given.fabric, direction)
  if not (length > 2 * edge and length < 200 * edge) then -- a loop of less than ten edges, or a strip of thousands
    error(("%s: edge must be from 0.005 to 0.5 bending lengths of %.3g m, got %g"):format(verb, length, edge), 2)
  end
  local result = scenes.folded_loop {
    fabric = given.fabric, direction = direction, mesh = given.mesh, membrane = given.membrane,
    bending = given.bending, edge = edge, width = options.number(verb, given, "width", 0.01, 1e-3, 0.1) }
  result.C = 1.103 * result.height
  result.B = given.fabric.density * GRAVITY * result.C ^ 3
  return result
end
testbench.folded_loop = options.verb("weft.testbench.folded_loop", testbench.folded_loop)

---@class weft.testbench.cusick_options
---@field fabric weft.fabric
---@field edge? number m; 0.008 by default
---@field mesh? "structured"|"unstructured" rings of cells, or Delaunay triangles (default)
---@field seed? integer of the start: waves around the disc and the grain's direction; 1 by default
---@field wave? number m, their height at the start; 0.0005 by default
---@field seconds? number most of simulated time; 15 by default
---@field time_step? number s; 1/60 by default
---@field disc? number m, radius of the cloth; 0.15 by default
---@field support? number m, radius of the support; 0.09 by default
---@field membrane? string a name of weft.model.list()
---@field bending? string a name of weft.model.list()
---@field file? string a PNG to be written
---@field progress? boolean|fun(report: weft.progress.report)|weft.progress.bar

---@class weft.testbench.cusick
---@field coefficient number %, drape coefficient: the shadow outside of the support over the cloth outside of it
---@field nodes integer folds
---@field radii weft.buffer m, the shadow's in each degree from +x toward +z
---@field rested boolean whether it came to rest
---@field cloth weft.cloth
---@field world weft.world

local cusick_names = { "fabric", "edge", "mesh", "seed", "wave", "seconds", "time_step", "disc", "support", "file",
  "progress", "membrane", "bending" }

--- Cusick's drape test: a disc of cloth, 30 cm across, held between discs of 18 cm, hangs down; its shadow gives the
--- drape coefficient and the number of folds. Cloth can rest in more than one shape: take the mean of several seeds.
---@param given weft.testbench.cusick_options
---@return weft.testbench.cusick
function testbench.cusick(given)
  local verb = "weft.testbench.cusick"
  options.check(verb, given, cusick_names)
  check_scene(verb, given)
  if given.file ~= nil then
    options.path(verb, "file", given.file)
    options.writable(verb, given.file)
  end
  local picture = given.file and require "weft.picture" -- says what to install where there is nothing to draw with
  local disc = options.number(verb, given, "disc", 0.15, 0.01, 10)
  local support = options.number(verb, given, "support", 0.6 * disc, 0.1 * disc, 0.95 * disc)
  local result = require "weft.testbench_scenes".drape(verb, {
    fabric = given.fabric, mesh = given.mesh or "unstructured", disc = disc, support = support,
    edge = options.number(verb, given, "edge", 0.008, 0.01 * disc, (disc - support) / 2),
    seed = options.number(verb, given, "seed", 1, 0, 1e9), wave = options.number(verb, given, "wave", 5e-4, 0, 0.1),
    seconds = options.number(verb, given, "seconds", 15, 0, 1e4),
    time_step = options.number(verb, given, "time_step", 1 / 60, 1e-5, 1), progress = given.progress,
    membrane = given.membrane, bending = given.bending,
  })
  if given.file then
    local holder = require "weft.testbench_scenes".support(support, disc)
    picture { result.cloth, holder, file = given.file, views = { "top", "three-quarter" }, width = 1600,
      height = 700 }
    holder:close()
  end
  return result
end

--- All tests of KES-F on a fabric, as a measurement sheet: the text of a CSV that weft.fabric.load reads. So a fabric's
--- moduli can go through the virtual instruments and back. Clamps are the ideal ones, rollers and a frame.
---@param given { fabric: weft.fabric, mesh: string?, membrane: string?, bending: string? } bending: "shell" by default,
--- which is exact on any mesh
---@return string sheet
function testbench.kes_sheet(given)
  local verb = "weft.testbench.kes_sheet"
  options.check(verb, given, { "fabric", "mesh", "membrane", "bending" })
  check_scene(verb, given)
  local rows = { "quantity,direction,value,unit" }
  local function add(name, direction, value, unit)
    -- the width of a loop that is none is not quite 0
    rows[#rows + 1] = ("%s,%s,%.9g,%s"):format(name, direction, math.max(value, 0), unit)
  end
  rows[2] = ('name,,"%s",'):format((given.fabric.name:gsub('"', '""'):gsub("%c", " "))) -- a row is one line
  add("W", "", 100 * given.fabric.density, "mg/cm2")
  add("T0", "", 1e3 * given.fabric.thickness, "mm")
  for _, direction in ipairs { "weft", "warp" } do
    local function run(test, more)
      more.fabric, more.direction, more.mesh, more.membrane = given.fabric, direction, given.mesh, given.membrane
      return call_as(verb, 2, test, more)
    end
    local tensile = run(testbench.kes_tensile, { clamps = "rollers" })
    local bending = run(testbench.kes_bending, { bending = given.bending or "shell", width = 0.02 })
    local shear = run(testbench.kes_shear, { clamps = "frame" })
    add("EMT", direction, tensile.EMT, "%")
    add("LT", direction, tensile.LT, "")
    add("RT", direction, tensile.RT, "%")
    add("G", direction, shear.G, "gf/(cm.deg)")
    add("2HG", direction, shear["2HG"], "gf/cm")
    add("B", direction, bending.B, "gf.cm2/cm")
    add("2HB", direction, bending["2HB"], "gf.cm/cm")
  end
  add("MIU", "", testbench.kes_friction { fabric = given.fabric, membrane = given.membrane }.MIU, "")
  return table.concat(rows, "\n") .. "\n"
end

return testbench
