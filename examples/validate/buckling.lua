-- Strips on edge that buckle sideways under their own weight: when, for several laws and meshes against plates, and how
-- far they lean out then, on finer and finer meshes against the rod that a slender strip is.
--
--   luajit examples/validate/buckling.lua
--
-- Prints tables; writes out/buckling.csv and, with gnuplot, out/buckling.png. Takes minutes.

local buckling = require "spec.model.buckling"
local common = require "examples.validate.common"
local strips = require "spec.model.strips"

local blocks = {}

local function add(title)
  blocks[#blocks + 1] = { title = title }
  return blocks[#blocks]
end

local function mesh_named(name)
  for _, mesh in ipairs(strips.meshes) do
    if mesh.name == name then
      return mesh
    end
  end
end

-- ---- when -----------------------------------------------------------------------------------------------------------

local slendernesses = { 8, 16, 32 }
local cases = { { "plate", "unstructured" }, { "plate", "alternating diagonals" }, { "shell", "unstructured" },
  { "shell", "alternating diagonals" }, { "bending vector", "unstructured" }, { "bending vector", "one diagonal" },
  { "bending vector", "alternating diagonals" } }

local theory, titles = add "critical weight of a plate: L / w, q L^3 / sqrt(B C)", {}
for k, slenderness in ipairs(slendernesses) do
  theory[k] = { slenderness, buckling.plate(slenderness) }
end
print "q L^3 / sqrt(B C) at which a strip on edge buckles    L/w = 8   16      32"
print "  plate                                                 14.17   13.48   13.16"
for k, case in ipairs(cases) do
  titles[k] = ("%s, %s"):format(case[1], case[2])
  local block, cells = add(titles[k]), {}
  for i, slenderness in ipairs(slendernesses) do
    local strip = buckling.strip(mesh_named(case[2]), slenderness, 6 - i)
    block[i] = { slenderness, buckling.critical_weight(case[1], strip) }
    cells[i] = ("%5.2f"):format(block[i][2])
  end
  print(("  %-52s  %s"):format(titles[k], table.concat(cells, "   ")))
end
local first_branch = #blocks

-- ---- how far --------------------------------------------------------------------------------------------------------

local rod = buckling.branch(math.sqrt(2 / 1.3), 40)
local curve, branch_titles = add "branch of the rod: q L^3 / sqrt(B C), sideways / L", {}
for k, state in ipairs(rod) do
  curve[k] = { state.load, state.sideways }
end
print "\nhow far the free end is sideways, over L"
print "  L/w  edges across   load   sideways   rod"
for _, case in ipairs { { 8, 2 }, { 8, 4 }, { 8, 8 }, { 32, 2 } } do
  local block = add(("L/w = %d, %d edges across"):format(case[1], case[2]))
  branch_titles[#branch_titles + 1] = block.title
  for _, load in ipairs { 14.5, 16, 18, 20, 24, 28, 34 } do
    local _, sideways = buckling.lean(mesh_named "equilateral", { bending = "plate", slenderness = case[1],
      across = case[2], load = load, branch = rod })
    block[#block + 1] = { load, sideways }
    print(("  %3d  %12d   %4.1f   %8.4f   %.4f"):format(case[1], case[2], load, sideways, buckling.at(rod, load)[2]))
  end
end

common.write("buckling", blocks)
common.draw("buckling", 1400, 560, ([[
set multiplot layout 1,2
set title "Critical weight"
set xlabel "L / w"
set ylabel "q L^3 / (B C)^{1/2}"
set xrange [6:40]
set logscale x 2
set yrange [10:30]
plot 12.85 with lines linecolor "grey" title "rod", \
  file index 0 with lines linecolor "black" title "plate, theory", \
  %s
unset logscale x
set title "Beyond it"
set xlabel "q L^3 / (B C)^{1/2}"
set ylabel "free end sideways / L"
set xrange [12:35]
set yrange [0:0.65]
set key bottom right
plot file index %d with lines linecolor "black" title "rod, theory", \
  %s
unset multiplot
]]):format(common.elements(titles, 1, "points"), first_branch, common.elements(branch_titles, first_branch + 1,
  "linespoints")))
