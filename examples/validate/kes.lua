-- The virtual KES-F beside measured numbers: a sheet becomes a fabric with its hysteresis, goes through the tensile,
-- shear and bending tests, and should read what the sheet says.
--
--   luajit examples/validate/kes.lua [sheet.csv]
--
-- Without a sheet it takes spec/fabric/suiting.csv, whose numbers are of the usual size. Prints a table, writes the
-- loops to out/kes.csv and, with gnuplot, draws them in out/kes.png; crosses are where the sheet says that they are.

local weft = require "weft"
local common = require "examples.validate.common"

local fabric, report = weft.fabric.load(arg and arg[1] or "spec/fabric/suiting.csv", { hysteresis = true })
local units = { EMT = "%", LT = "1", RT = "%", G = "gf/(cm.deg)", ["2HG"] = "gf/cm", B = "gf.cm2/cm",
  ["2HB"] = "gf.cm/cm" }

--- What the sheet says, in its unit; of shear one number may stand for both directions.
local function measured(name, direction)
  local value = report.measured[name .. " " .. direction] or report.measured[name]
  return value and (units[name] == "%" and 100 * value or weft.fabric.convert(value,
    ({ G = "N/(m.rad)", ["2HG"] = "N/m", B = "N.m", ["2HB"] = "N.m/m" })[name] or "1", units[name]))
end

local blocks, marks = {}, {}
print(("%s: read by the virtual KES-F, and measured"):format(fabric.name))
for _, direction in ipairs { "weft", "warp" } do
  local tests = {
    weft.testbench.kes_tensile { fabric = fabric, direction = direction, clamps = "rollers", edge = 0.01 },
    weft.testbench.kes_shear { fabric = fabric, direction = direction, clamps = "frame", edge = 0.01 },
    weft.testbench.kes_bending { fabric = fabric, direction = direction, bending = "shell" },
  }
  for k, names in ipairs { { "EMT", "LT", "RT" }, { "G", "2HG" }, { "B", "2HB" } } do
    for _, name in ipairs(names) do
      local value, known = tests[k][name], measured(name, direction)
      print(("  %-4s %s  %9.4f  %9.4f  %-12s %+6.2f %%"):format(name, direction, value, known, units[name],
        100 * (value / known - 1)))
    end
    tests[k].curve.title = names[1] .. " " .. direction
    blocks[#blocks + 1] = tests[k].curve
  end
  local load = weft.fabric.convert(report.measured.Fm or 490.3325, "N/m", "gf/cm")
  marks[#marks + 1] = { { measured("EMT", direction), load }, title = "EMT " .. direction }
  local g, hg, b, hb = measured("G", direction), measured("2HG", direction), measured("B", direction),
    measured("2HB", direction)
  marks[#marks + 1] = { { 0.5, 0.5 * g + hg / 2 }, { 2.5, 2.5 * g + hg / 2 }, { 0.5, 0.5 * g - hg / 2 },
    { 5, 5 * g - hg / 2 }, title = "G, 2HG " .. direction }
  marks[#marks + 1] = { { 0.5, 0.5 * b + hb / 2 }, { 1.5, 1.5 * b + hb / 2 }, { 1, b - hb / 2 },
    title = "B, 2HB " .. direction }
end
for _, mark in ipairs(marks) do
  blocks[#blocks + 1] = mark
end
common.write("kes", blocks)

local plots = {}
for k, axes in ipairs { { "strain (%)", "load (gf/cm)", "0:*" }, { "angle (degrees)", "load (gf/cm)" },
  { "curvature (1/cm)", "moment (gf cm/cm)" } } do
  plots[k] = ([[
set xlabel "%s"
set ylabel "%s"
set yrange [%s]
plot file index %d with linespoints pointtype 7 pointsize 0.4 linetype 1 linewidth 3 title "weft", \
  file index %d with linespoints pointtype 7 pointsize 0.4 linetype 2 title "warp", \
  file index %d with points pointtype 2 pointsize 2 linetype 1 title "measured, weft", \
  file index %d with points pointtype 2 pointsize 2 linetype 2 title "measured, warp"
]]):format(axes[1], axes[2], axes[3] or "*:*", k - 1, k + 2, k + 5, k + 8)
end
common.draw("kes", 1500, 520, "set key top left\nset multiplot layout 1,3\n" .. table.concat(plots)
  .. "unset multiplot\n")
