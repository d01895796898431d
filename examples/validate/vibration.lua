-- The first four frequencies of a clamped strip, a string and a hanging chain on finer and finer meshes, against
-- theory.
--
--   luajit examples/validate/vibration.lua
--
-- Prints a table; writes out/vibration.csv and, with gnuplot, out/vibration.png.

local weft = require "weft"
local common = require "examples.validate.common"
local deflections = require "spec.model.deflections"
local sheets = require "spec.model.sheets"
local strips = require "spec.model.strips"

local LENGTH, STRAIN, STIFF = 0.2, 1e-3, 1e5
local stiff = weft.fabric { density = strips.DENSITY, stretch = { weft = STIFF, warp = STIFF, coupling = 0 },
  shear = STIFF / 2 }

--- Frequencies of a strip that bends.
local function beam(bending)
  return function(mesh, rows)
    local sheet = strips.mesh(mesh, { length = LENGTH, rows = rows, width = 4 * LENGTH / rows })
    local model = weft.model.create { name = bending, faces = sheet.faces, rest = sheet.rest,
      fabric = strips.isotropic(0) }
    return deflections.frequencies(model, sheet, { fixed = sheet.fixed, density = strips.DENSITY, count = 10 })
  end
end

--- Frequencies of a membrane where v has become stretched(v), and of u as strained.
local function membrane(held, across, stretched)
  return function(mesh, rows)
    local sheet = strips.mesh(mesh, { length = LENGTH, rows = rows, width = 2 * LENGTH / rows, clamp = 0 })
    if held then
      for _, i in ipairs(sheet.tip) do
        sheet.fixed[#sheet.fixed + 1] = i
      end
    end
    local model = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = stiff }
    return deflections.frequencies(model, sheet, { fixed = sheet.fixed, density = strips.DENSITY, count = 4,
      x = sheets.map(sheet.x, function(u, v) return (1 + across) * u, stretched(v), 0 end) })
  end
end

local weight = strips.DENSITY * 9.81 / STIFF
local bodies = {
  { "strip of the plate", beam "plate", strips.beam_frequencies(LENGTH) },
  { "strip of the shell", beam "shell", strips.beam_frequencies(LENGTH) },
  { "string", membrane(true, STRAIN, function(v) return (1 + STRAIN) * v end),
    strips.string_frequencies(LENGTH, STIFF * STRAIN) },
  { "hanging chain", membrane(false, weight * LENGTH, function(v)
    return v + weight * (LENGTH * math.max(v, 0) - 0.5 * math.max(v, 0) ^ 2)
  end), strips.chain_frequencies(LENGTH) },
}

local meshes, names, blocks = { strips.meshes[1], strips.meshes[#strips.meshes] }, {}, {}
for k, body in ipairs(bodies) do
  names[k] = body[1]
end
print "error of the first four frequencies, % (theory, rad/s)"
for _, mesh in ipairs(meshes) do
  for _, body in ipairs(bodies) do
    local name, measure, theory = body[1], body[2], body[3]
    local block = { title = ("%s, %s"):format(name, mesh.name) }
    blocks[#blocks + 1] = block
    print(("\n%s (%.2f %.2f %.2f %.2f)"):format(block.title, theory[1], theory[2], theory[3], theory[4]))
    for _, rows in ipairs { 12, 20, 28, 40, 56 } do
      local found, errors, worst = measure(mesh, rows), {}, 0
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
