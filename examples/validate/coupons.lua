-- Pieces of cloth in testing machines against theory: Young's modulus with the grain at any angle, the picture frame,
-- and a stiffening fabric's curve, measured, fitted and simulated.
--
--   luajit examples/validate/coupons.lua
--
-- Prints tables; writes out/coupons.csv and, with gnuplot, out/coupons.png.

local weft = require "weft"
local common = require "examples.validate.common"
local coupons = require "spec.model.coupons"
local sheets = require "spec.model.sheets"

local fabric = coupons.fabric
local names = { "weave", "corotational", "green", "edge springs" }
local blocks = {}

local function add(title)
  blocks[#blocks + 1] = { title = title }
  return blocks[#blocks]
end

--- Young's modulus along the bar, N/m, by theory.
local function young(degrees)
  local d = coupons.direction(degrees)
  return 1 / coupons.expected_strain(fabric, coupons.pull(1, d), d)
end

-- ---- Young's modulus ------------------------------------------------------------------------------------------------

local theory = add "Young's modulus by theory: angle of the grain (degrees), N/m"
for degrees = 0, 90 do
  theory[#theory + 1] = { degrees, young(degrees) }
end
print "Young's modulus (N/m), grain at an angle to the pull, Delaunay triangles"
print("angle   theory   " .. table.concat(names, "   "))
local measured = {}
for k, name in ipairs(names) do
  measured[k] = add("Young's modulus of " .. name)
end
for degrees = 0, 90, 15 do
  local angle, d, cells = math.rad(degrees), coupons.direction(degrees), {}
  local sheet = coupons.triangulated(0.012, angle)
  for k, name in ipairs(names) do
    local load = 3e-4 * young(degrees)
    local strain = coupons.strain_at_rest(coupons.entry(name), sheet, fabric, coupons.pull(load, d), d)
    measured[k][#measured[k] + 1] = { degrees, load / strain }
    cells[k] = ("%" .. #name .. ".1f"):format(load / strain)
  end
  print(("%5d  %7.1f   %s"):format(degrees, young(degrees), table.concat(cells, "   ")))
end

-- ---- the picture frame ----------------------------------------------------------------------------------------------

theory = add "picture frame by theory: angle (degrees), N/m"
for degrees = 0, 8 do
  theory[#theory + 1] = { degrees, fabric.shear * math.rad(degrees) }
end
print "\nshear (N/m) in a picture frame"
print("angle   theory   " .. table.concat(names, "   "))
for k, name in ipairs(names) do
  measured[k] = add("picture frame, " .. name)
end
for degrees = 1, 8 do
  local cells = {}
  for k, name in ipairs(names) do
    local stress = coupons.frame_stress(coupons.entry(name), coupons.triangulated(0.012, 0), fabric, math.rad(degrees))
    measured[k][#measured[k] + 1] = { degrees, stress }
    cells[k] = ("%" .. #name .. ".3f"):format(stress)
  end
  print(("%5d  %7.3f   %s"):format(degrees, fabric.shear * math.rad(degrees), table.concat(cells, "   ")))
end

-- ---- a stiffening fabric --------------------------------------------------------------------------------------------
-- 100 N/m at 5 % and 500 N/m at 10 %, "measured" with noise; a law is fitted, made the fabric's curve, and the cloth is
-- pulled on the KES-F's tensile tester.

local function stiffening(strain)
  return 33.333 * (math.exp(27.726 * strain) - 1)
end

local noise, curve = sheets.random(3), {}
for k = 0, 25 do
  local strain = 0.004 * k
  curve[#curve + 1] = { strain, math.max(0, stiffening(strain) * (1 + 0.05 * noise())) }
end
table.sort(curve, function(a, b) return a[2] < b[2] end) -- noise must not make it fall
for k, point in ipairs(curve) do
  point[1] = 0.004 * (k - 1)
end
local spline = weft.fabric.fit { curve = curve, kind = "spline", knots = 9 }
local line = weft.fabric.fit { curve = curve, to = 0.0201 }
local data, law, straight = add "measured: strain (%), N/m", add "spline", add "line up to 2 %"
for k, point in ipairs(curve) do
  data[k] = { 100 * point[1], point[2] }
end
for k = 0, 100 do
  local strain = 0.001 * k
  law[#law + 1], straight[#straight + 1] = { 100 * strain, (spline:at(strain)) }, { 100 * strain, (line:at(strain)) }
end
local knots = {}
for k = 1, #spline.knots do
  local strain, load = spline.knots:get(k)
  knots[k] = { strain, load }
end
local stiff = weft.fabric { base = "wool", curves = { weft = knots }, stretch = { coupling = 0 } }
local pulled, simulated = weft.testbench.kes_tensile { fabric = stiff, clamps = "rollers", edge = 0.01, steps = 10,
  mesh = "unstructured" }, add "simulated"
print "\na stiffening fabric: strain (%), the curve without noise, fitted, simulated (N/m)"
for k = 1, (#pulled.curve + 1) / 2 do
  local strain, load = pulled.curve[k][1], weft.fabric.convert(pulled.curve[k][2], "gf/cm", "N/m")
  simulated[k] = { strain, load }
  print(("%5.2f   %7.1f   %7.1f   %7.1f"):format(strain, stiffening(strain / 100), (spline:at(strain / 100)), load))
end

common.write("coupons", blocks)
local count = #names
common.draw("coupons", 1500, 500, ([[
set multiplot layout 1,3
set key top left
set title "Young's modulus, the grain turned"
set xlabel "angle of the grain to the pull (degrees)"
set xtics 15
set ylabel "N/m"
set logscale y
plot file index 0 with lines linecolor "black" title "theory", \
  %s
unset logscale y
set xtics autofreq
set title "Picture frame"
set xlabel "angle (degrees)"
set ylabel "shear (N/m)"
plot file index %d with lines linecolor "black" title "theory", \
  %s
set title "A curve measured, fitted, simulated"
set xlabel "strain (%%)"
set ylabel "N/m"
set yrange [0:550]
plot file index %d with points pointtype 1 linecolor "dark-grey" title "measured", \
  file index %d with lines linecolor "black" title "spline fitted to it", \
  file index %d with lines dashtype 2 linecolor "dark-grey" title "line fitted up to 2 %%", \
  file index %d with points pointtype 6 linecolor "red" title "cloth in the tensile tester"
unset multiplot
]]):format(common.elements(names, 1, "points"), count + 1, common.elements(names, count + 2, "linespoints"),
  2 * count + 2, 2 * count + 3, 2 * count + 4, 2 * count + 5))
