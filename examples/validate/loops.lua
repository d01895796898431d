-- Loops of a strip of wool against the heavy elastica: the course of the folded loop, and how low heart loops of
-- several lengths hang, with what Peirce's formula makes of them.
--
--   luajit examples/validate/loops.lua [bending]
--
-- Prints tables; writes out/loops.csv and, with gnuplot, out/loops.png. Takes minutes.

local weft = require "weft"
local common = require "examples.validate.common"
local loops = require "spec.model.loops"

local bending = arg[1] or "plate"
local fabric, meshes = weft.fabric.wool, { "structured", "unstructured" }
local c = (fabric.bend.weft / (fabric.density * 9.80665)) ^ (1 / 3) -- the bending length, m
local blocks = {}

local function add(title)
  blocks[#blocks + 1] = { title = title }
  return blocks[#blocks]
end

-- ---- the folded loop ------------------------------------------------------------------------------------------------

local height, _, _, course = loops.folded()
local theory = add "folded loop by theory, from where it leaves the plane: x, y, in bending lengths"
for k, point in ipairs(course) do
  theory[k] = point
end
print(("folded loop, bending lengths high: theory %.4f"):format(height))
for _, mesh in ipairs(meshes) do
  local read, block = weft.testbench.folded_loop { fabric = fabric, mesh = mesh, bending = bending },
    add("folded loop, " .. mesh)
  local right = -math.huge
  for i = 1, read.cloth.vertices do
    right = math.max(right, (read.cloth.positions:get(i)))
  end
  local theory_right = 0
  for _, point in ipairs(course) do
    theory_right = math.max(theory_right, point[1])
  end
  for i = 1, read.cloth.vertices do -- so that both end at the same place
    local x, y = read.cloth.positions:get(i)
    x = (x - right) / c + theory_right
    if x > -2.5 then
      block[#block + 1] = { x, y / c }
    end
  end
  print(("  %-12s  %.4f, B %.4g N m of %.4g"):format(mesh, read.height / c, read.B, fabric.bend.weft))
  read.world:close()
end

-- ---- heart loops ----------------------------------------------------------------------------------------------------

local elastica = add "heart loop by theory: length (bending lengths), height / length"
local peirce = add "by Peirce's formula"
for k = 10, 90 do
  elastica[#elastica + 1] = { k / 10, loops.heart(k / 10) / (k / 10) }
end
for k = 1, 160 do
  local share = 0.1337 * (1 + k / 100) -- height / length
  local length = 1 / loops.peirce(1, share)
  if length > 1 and length < 9 then
    peirce[#peirce + 1] = { length, share }
  end
end
print "\nheart loops: length and height in bending lengths, and the bending length that Peirce reads over the fabric's"
for _, mesh in ipairs(meshes) do
  local block = add("heart loop, " .. mesh)
  for _, length in ipairs { 3, 4.5, 6, 7.5, 8.5 } do
    local read = weft.testbench.heart_loop { fabric = fabric, length = length * c, width = length * c / 12,
      edge = length * c / 60, mesh = mesh, bending = bending }
    block[#block + 1] = { length, read.height / c / length }
    print(("  %-12s  %.1f   %.4f (theory %.4f)   C %.3f"):format(mesh, length, read.height / c, loops.heart(length),
      read.C / c))
  end
end

common.write("loops", blocks)
common.draw("loops", 1400, 560, ([[
set multiplot layout 1,2
set title "Folded loop, %s"
set xlabel "bending lengths"
set size ratio -1
set yrange [0:1.4]
set key top left
plot file index 0 with lines linecolor "black" title "heavy elastica", \
  %s
set title "Heart loop, %s"
set size noratio
set xlabel "length / bending length"
set ylabel "height / length"
set yrange [0.1:0.36]
set key top left
plot file index 3 with lines linecolor "black" title "heavy elastica", \
  file index 4 with lines dashtype 2 linecolor "dark-grey" title "Peirce's formula", \
  %s
unset multiplot
]]):format(bending, common.elements(meshes, 1, "points"), bending, common.elements(meshes, 5, "points")))
