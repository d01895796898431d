-- Strips that hang from a clamp under their own weight, against the heavy elastica: tips for overhangs of 0.5 to 4
-- bending lengths, by the two bending models that are plates.
--
--   luajit examples/validate/elastica.lua [mesh]
--
-- mesh: a name of strips.meshes in spec/model/strips.lua, "unstructured" by default. Prints a table and writes
-- out/elastica.csv; with gnuplot, out/elastica.png.

local common = require "examples.validate.common"
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

local tips = { title = "tips by theory: out, up (bending lengths)" }
for k = 1, 80 do
  local out, up = strips.elastica(k / 20)
  tips[k] = { out, up }
end
local blocks = { tips }
print(("tips in bending lengths, mesh: %s"):format(name))
print "model   L/c        out (theory)         up (theory)        off by"
for _, bending in ipairs(bendings) do
  local block = { title = "tips of the " .. bending }
  blocks[#blocks + 1] = block
  for k, overhang in ipairs(overhangs) do
    local out, up = strips.tip(mesh, { bending = bending, overhang = overhang })
    local expected_out, expected_up = strips.elastica(overhang)
    local off = math.sqrt((out - expected_out) ^ 2 + (up - expected_up) ^ 2) / overhang
    print(("%-6s  %3.1f  %9.4f (%7.4f)  %9.4f (%7.4f)  %5.2f %%"):format(bending, overhang, out, expected_out, up,
      expected_up, 100 * off))
    block[k] = { out, up }
  end
end
for _, overhang in ipairs(overhangs) do
  local _, _, points = strips.elastica(overhang)
  local block = { title = ("strip of %g bending lengths by theory"):format(overhang) }
  for i = 1, #points, 10 do
    block[#block + 1] = points[i]
  end
  blocks[#blocks + 1] = block
end

common.write("elastica", blocks)
common.draw("elastica", 700, 900, ([[
set title "Heavy strips of 0.5 to 4 bending lengths, mesh: %s"
set xlabel "out from the clamp (bending lengths)"
set ylabel "up (bending lengths)"
set size ratio -1
set xrange [0:1.7]
set key below height 1
plot for [k = %d:%d] file index k with lines linecolor rgb "#bbbbbb" notitle, \
  file index 0 with lines linewidth 2 linecolor rgb "black" title "tips, theory", \
  %s
]]):format(name, #bendings + 1, #bendings + #overhangs, common.elements(bendings, 1, "points")))
