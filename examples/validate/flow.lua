-- Air by itself beside theory and the literature: vortices that decay, the cavity under a sliding lid, the street of
-- vortices behind a cylinder.
--
--   luajit examples/validate/flow.lua [quick]
--
-- Prints tables; writes out/flow.csv and, with gnuplot, out/flow.png. Takes minutes, with `quick` some seconds: the
-- cavity then has 32 cells a side, too few for Re 1000, as the picture's titles say.

local common = require "examples.validate.common"
local flows = require "spec.air.flows"

local quick = arg[1] == "quick"

local function steps(flow, count, seconds)
  for _ = 1, count do
    flow:step(seconds)
  end
end

-- ---- Taylor and Green ----------------------------------------------------------------------------------------------

local k = 2 * math.pi

local function decay(cells, viscosity, advection)
  local flow, exact = flows.taylor_green(cells, { viscosity = viscosity, advection = advection })
  local start = flows.error_of(flow, exact, 0)
  steps(flow, 20, 0.01)
  return -math.log(flows.error_of(flow, exact, 0) / start) / 0.2
end

print "vortices of Taylor and Green in 1 m, 64 x 64 cells, 20 steps of 0.01 s: decay, 1/s"
print "  viscosity    theory   limited  unlimited  first order"
for _, viscosity in ipairs { 0.05, 0.002 } do
  print(("  %9g  %8.3f  %8.3f  %9.3f  %11.3f"):format(viscosity, 2 * viscosity * k * k, decay(64, viscosity),
    decay(64, viscosity, "unlimited"), decay(64, viscosity, "first order")))
end

print "\nthe same at viscosity 0.01 after 0.4 s in steps of 1.6 cells: root mean square error, and order"
local before = {}
for _, cells in ipairs(quick and { 16, 32 } or { 16, 32, 64, 128 }) do
  local texts = {}
  for n, advection in ipairs { "limited", "unlimited" } do
    local flow, exact = flows.taylor_green(cells, { viscosity = 0.01, advection = advection })
    steps(flow, cells / 4, 1.6 / cells)
    local wrong = flows.error_of(flow, exact, math.exp(-2 * 0.01 * k * k * 0.4))
    local order = before[n] and ("%.2f"):format(math.log(before[n] / wrong) / math.log(2)) or ""
    texts[n], before[n] = ("%s %.2e %5s"):format(advection, wrong, order), wrong
  end
  print(("  %3d cells: %s   %s"):format(cells, texts[1], texts[2]))
end

-- ---- the cavity ----------------------------------------------------------------------------------------------------

local finest = quick and 32 or 128
local blocks = {}
print "\ncavity: largest difference to the table of Ghia, Ghia and Shin (1982), over the lid's speed"
for _, reynolds in ipairs { 100, 1000 } do
  for _, cells in ipairs(quick and { finest } or { 32, 64, finest }) do
    local flow = flows.cavity(cells, reynolds, reynolds == 100 and 20 or 60)
    print(("  Re %4d, %3d x %3d cells: %.4f%s"):format(reynolds, cells, cells, flows.cavity_error(flow, reynolds),
      reynolds == 1000 and cells < 64 and "  (too coarse: 0.04 takes 64 x 64)" or ""))
    if cells == finest then
      local measured, table, u, v = {}, {}, {}, {}
      for i, y in ipairs(flows.ghia.y) do
        table[i] = { y, flows.ghia[reynolds].u[i], flows.ghia.x[i], flows.ghia[reynolds].v[i] }
      end
      for i = 0, 100 do
        u[i + 1], v[i + 1] = flow:at { 0.5, i / 100, 0 }, flow:at { i / 100, 0.5, 0 }
        measured[i + 1] = { i / 100, u[i + 1][1], i / 100, v[i + 1][2] }
      end
      blocks[#blocks + 1], blocks[#blocks + 2] = measured, table
    end
  end
end

-- ---- the cylinder --------------------------------------------------------------------------------------------------

print "\ncylinder at Re 100: Strouhal number (experiments 0.164 to 0.166) and drag (computations 1.33 to 1.35)"
local street
for _, case in ipairs(quick and { { 8, 20, 12, 5 } } or { { 8, 20, 12, 5 }, { 10, 22, 14, 6 }, { 16, 24, 20, 8 },
  { 10, 30, 30, 10 } }) do
  local per, width, height, ahead = case[1], case[2], case[3], case[4]
  local flow = flows.cylinder { per = per, width = width, height = height, ahead = ahead }
  local strouhal, drag = flows.shedding(flow, per, { step = 0.7 / per, from = quick and 20 or 45,
    to = quick and 40 or 90 })
  print(("  %2d cells across, %d x %d diameters: %.4f and %.3f"):format(per, width, height, strouhal, drag))
  if per == 16 or quick then
    street = { flow = flow, width = width, height = height, per = per, ahead = ahead }
  end
end
local picture, vorticity = {}, street.flow:vorticity()
local wide, high = street.width * street.per, street.height * street.per
for j = 1, high do
  for i = 1, wide do
    local _, _, z = vorticity:get((j - 1) * wide + i)
    picture[#picture + 1] = { (i - 0.5) / street.per - street.ahead, (j - 0.5) / street.per - street.height / 2, z }
  end
end
blocks[#blocks + 1] = picture

common.write("flow", blocks)
common.draw("flow", 1500, 1000, ([[
set multiplot
set size 0.5,0.5
set origin 0,0.5
set title "Cavity, %d x %d cells, u on the middle line; circles: Ghia, Ghia and Shin 1982"
set xlabel "u"
set ylabel "y"
set key bottom right
plot file index 0 using 2:1 with lines lc "blue" title "Re 100", \
  file index 1 using 2:1 with points pt 6 lc "blue" notitle, \
  file index 2 using 2:1 with lines lc "red" title "Re 1000", \
  file index 3 using 2:1 with points pt 6 lc "red" notitle
set origin 0.5,0.5
set title "Cavity, %d x %d cells, v on the middle line"
set xlabel "x"
set ylabel "v"
set key top right
plot file index 0 using 3:4 with lines lc "blue" title "Re 100", \
  file index 1 using 3:4 with points pt 6 lc "blue" notitle, \
  file index 2 using 3:4 with lines lc "red" title "Re 1000", \
  file index 3 using 3:4 with points pt 6 lc "red" notitle
set size 1,0.5
set origin 0,0
set title "Vorticity behind a cylinder at Re 100, %d cells across it"
set xlabel "x"
set ylabel "y"
set yrange [-5:5]
set size ratio -1
set cbrange [-3:3]
set palette defined (-3 "blue", 0 "white", 3 "red")
set object 1 circle at 0,0 size 0.5 fillcolor rgb "grey" fillstyle solid front
plot file index 4 using 1:2:3 with image notitle
unset multiplot
]]):format(finest, finest, finest, finest, street.per))
