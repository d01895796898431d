-- Strips that hang from a clamp under their own weight, against the heavy elastica: tips for overhangs of 0.5 to 4
-- bending lengths, by the two bending models that are plates.
--
--   luajit examples/validate/elastica.lua [mesh]
--
-- mesh: a name of strips.meshes in spec/model/strips.lua, "unstructured" by default. Prints a table and writes
-- out/elastica.csv; with gnuplot, out/elastica.png.

local lfs = require "lfs"
local strips = require "spec.model.strips"

local name = arg[1] or "unstructured"
local bendings, overhangs = { "plate", "shell" }, { 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 }

local mesh, names = nil, {}
for i, known in ipairs(strips.meshes) do
  names[i] = known.name
  mesh = known.name == name and known or mesh
end
if not mesh then
  error(("no mesh is named '%s'; there are: %s"):format(name, table.concat(names, ", ")), 0)
end

local function write(file, out, up)
  file:write(("%g,%g\n"):format(out, up))
end

lfs.mkdir "out"
local file = assert(io.open("out/elastica.csv", "w"))
file:write "# out, up: tips by theory (bending lengths); then one block per model, then the strips' shapes by theory\n"
for k = 1, 80 do
  write(file, strips.elastica(k / 20))
end
print(("tips in bending lengths, mesh: %s"):format(name))
print "model   L/c        out (theory)         up (theory)        off by"
for _, bending in ipairs(bendings) do
  file:write "\n\n"
  for _, overhang in ipairs(overhangs) do
    local out, up = strips.tip(mesh, { bending = bending, overhang = overhang })
    local expected_out, expected_up = strips.elastica(overhang)
    local off = math.sqrt((out - expected_out) ^ 2 + (up - expected_up) ^ 2) / overhang
    print(("%-6s  %3.1f  %9.4f (%7.4f)  %9.4f (%7.4f)  %5.2f %%"):format(bending, overhang, out, expected_out, up,
      expected_up, 100 * off))
    write(file, out, up)
  end
end
file:write "\n"
for _, overhang in ipairs(overhangs) do
  file:write "\n"
  local _, _, points = strips.elastica(overhang)
  for i = 1, #points, 10 do
    write(file, points[i][1], points[i][2])
  end
end
file:close()

local script = assert(io.open("out/elastica.gnuplot", "w"))
script:write(([[
set terminal pngcairo size 700,900
set output "out/elastica.png"
set datafile separator ","
set title "Heavy strips of 0.5 to 4 bending lengths, mesh: %s"
set xlabel "out from the clamp (bending lengths)"
set ylabel "up (bending lengths)"
set size ratio -1
set xrange [0:1.7]
set grid
set key below height 1
file = "out/elastica.csv"
plot file index 3 with lines linecolor rgb "#bbbbbb" title "strips, theory", \
  file index 0 with lines linewidth 2 linecolor rgb "black" title "tips, theory", \
  file index 1 with points pointtype 6 pointsize 1.6 linecolor rgb "#d62728" title "%s", \
  file index 2 with points pointtype 2 pointsize 1.3 linecolor rgb "#1f77b4" title "%s"
]]):format(name, bendings[1], bendings[2]))
script:close()
local drawn = os.execute "gnuplot out/elastica.gnuplot"
if drawn ~= 0 and drawn ~= true then
  print "no plot: gnuplot is not installed (Debian package gnuplot-nox)"
end
