-- The first four frequencies of a clamped strip, a string and a hanging chain on finer and finer meshes, against
-- theory.
--
--   luajit examples/validate/vibration.lua
--
-- Prints a table; writes out/vibration.csv and, with gnuplot, out/vibration.png.

local common = require "examples.validate.common"
local deflections = require "spec.model.deflections"
local strips = require "spec.model.strips"

local bodies = {
  { "strip of the plate", function(...) return deflections.beam("plate", ...) end },
  { "strip of the shell", function(...) return deflections.beam("shell", ...) end },
  { "string", deflections.string },
  { "hanging chain", deflections.hanging_chain },
}

local meshes, names, blocks = { strips.meshes[1], strips.meshes[#strips.meshes] }, {}, {}
for k, body in ipairs(bodies) do
  names[k] = body[1]
end
print "error of the first four frequencies, % (theory, rad/s)"
for _, mesh in ipairs(meshes) do
  for _, body in ipairs(bodies) do
    local name, measure = body[1], body[2]
    local block = { title = ("%s, %s"):format(name, mesh.name) }
    blocks[#blocks + 1] = block
    for i, rows in ipairs { 12, 20, 28, 40, 56 } do
      local found, theory = measure(mesh, rows)
      local errors, worst = {}, 0
      if i == 1 then
        print(("\n%s (%.2f %.2f %.2f %.2f)"):format(block.title, theory[1], theory[2], theory[3], theory[4]))
      end
      for k, expected in ipairs(theory) do
        local error = math.huge
        for _, frequency in ipairs(found) do -- those of twisting lie between
          local off = 100 * (frequency / expected - 1)
          error = math.abs(off) < math.abs(error) and off or error
        end
        errors[k], worst = ("%7.2f"):format(error), math.max(worst, math.abs(error))
      end
      block[#block + 1] = { rows, worst }
      print(("  %3d edges  %s"):format(rows, table.concat(errors, " ")))
    end
  end
end

common.write("vibration", blocks)
common.draw("vibration", 1200, 560, ([[
set multiplot layout 1,2
set xlabel "edges along the strip"
set ylabel "error of the worst of the first four frequencies (%%)"
set logscale xy
set xrange [10:70]
set yrange [0.1:20]
set xtics (12, 20, 28, 40, 56)
set key bottom left
# The plate's wide line is seen behind the shell's, which is the same.
set linetype 1 linewidth 6 linecolor "light-blue"
set title "Mesh: %s"
plot 1 with lines linewidth 1 linecolor "grey" title "1 %%", \
  %s
set title "Mesh: %s"
plot 1 with lines linewidth 1 linecolor "grey" title "1 %%", \
  %s
unset multiplot
]]):format(meshes[1].name, common.elements(names, 0, "linespoints"), meshes[2].name,
  common.elements(names, #bodies, "linespoints")))
