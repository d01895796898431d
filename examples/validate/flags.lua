-- Flags in a stream in two dimensions: when they begin to flutter, how often and how far they flap.
--
--   luajit examples/validate/flags.lua [quick]
--
-- Prints tables; writes out/flags.csv and, with gnuplot, out/flags.png. Takes a minute and a half, with
-- `quick` half a minute: flapping then on the coarser grid alone.
--
-- Speeds are reduced by the plate's own: U L sqrt(mass / stiffness); the mass ratio is density L / mass. The onset of
-- flutter in two dimensions is that of linear theory without friction (Kornecki, Dowell and O'Brien 1976; Eloy,
-- Souilliez and Schouveiler 2007), calculated in spec/air/flutter.lua. Plates in wind tunnels have always been more
-- stable than that (Eloy, Lagrange, Souilliez and Schouveiler 2008, who say why), so theory is the lower end. Growth is
-- fitted to the same part of both records, in which slower motions still die away: in theory's records three times as
-- long flutter sets in at 4.8 and 5.4 instead of 5.25 and 5.76.

local common = require "examples.validate.common"
local flags = require "spec.air.flags"
local flutter = require "spec.air.flutter"

local quick = arg[1] == "quick"
local STEP = 0.01
local cells, finest = { 16, 32 }, quick and 1 or 2

local function simulated(ratio, speed, cells_along)
  local world, flag, tips = flags.make { mass = 1 / ratio, stiffness = 1 / ratio / speed ^ 2, cell = 1 / cells_along,
    push = 0.01, step = STEP, integrator = "bdf2" }
  local record = flags.record(world, flag, tips, 14)
  return flutter.rate(record, STEP, math.floor(#record / 4), #record, 20)
end

local function theory(ratio, speed)
  local tip, step = flutter.tip { mass = 1 / ratio, stiffness = 1 / ratio / speed ^ 2, panels = 30, duration = 14 }
  return flutter.rate(tip, step, math.floor(#tip / 4), #tip, math.floor(0.2 / step))
end

local blocks = {}
print "a clamped flag after a small push: growth, U/L, and frequency, in the order of theory, cells along the flag,"
print "and growth continued to cells of no size"
local summary = {}
for _, case in ipairs { { 0.5, { 5, 6, 7, 9 } }, { 1, { 5, 6, 7, 9 } } } do
  local ratio, speeds = case[1], case[2]
  local growth, block = { {}, {}, {}, {} }, {}
  for k, speed in ipairs(speeds) do
    local expected, expected_frequency = theory(ratio, speed)
    local coarse, coarse_frequency = simulated(ratio, speed, cells[1])
    local fine, frequency = simulated(ratio, speed, cells[2])
    growth[1][k], growth[2][k], growth[3][k], growth[4][k] = expected, coarse, fine, 2 * fine - coarse
    block[k] = { speed, expected, coarse, fine, 2 * fine - coarse, expected_frequency, coarse_frequency, frequency }
    print(("  mass ratio %3g, speed %2g:  theory %7.3f %.3f   %d: %7.3f %.3f   %d: %7.3f %.3f   %7.3f"):format(ratio,
      speed, expected, expected_frequency, cells[1], coarse, coarse_frequency, cells[2], fine, frequency,
      2 * fine - coarse))
  end
  blocks[#blocks + 1] = block
  summary[#summary + 1] = ("  mass ratio %3g:  theory %.2f   %d: %.2f   %d: %.2f   continued %.2f"):format(ratio,
    flutter.onset(speeds, growth[1]), cells[1], flutter.onset(speeds, growth[2]), cells[2],
    flutter.onset(speeds, growth[3]), flutter.onset(speeds, growth[4]))
end
print "\nspeed at the onset of flutter"
print(table.concat(summary, "\n"))

-- ---- flapping ------------------------------------------------------------------------------------------------------

local function trace(record)
  local block = {}
  for k = 1, #record, 5 do
    block[#block + 1] = { k * STEP, record[k] }
  end
  return block
end

print "\nflapping at a reduced speed of 12: the tip's way from side to side, in lengths, and frequency times L/U"
for _, ratio in ipairs { 0.5, 1, 2 } do
  local texts = {}
  for n = 1, finest do
    local world, flag, tips = flags.make { mass = 1 / ratio, stiffness = 1 / ratio / 144, cell = 1 / cells[n],
      push = 0.3, step = STEP, integrator = "bdf2" }
    local record = flags.record(world, flag, tips, quick and 12 or 24)
    texts[n] = ("%d: %.2f %.3f"):format(cells[n], flags.flapping(record, STEP))
    if n == finest then
      blocks[#blocks + 1] = trace(record)
    end
  end
  print(("  mass ratio %3g:  %s"):format(ratio, table.concat(texts, "   ")))
end

-- Huang, Shin and Sung (2007): mass 1.5, stiffness 0.0015, Re 200, gravity 0.5 along the stream, hinged, at first at
-- an angle of 0.1 pi. At this Reynolds number friction, which air has none with cloth here, is much of what happens.
print "\nthe filament of Huang, Shin and Sung (2007) at Re 200: they have about 0.7 to 0.8 lengths and 0.3"
local scene
for n = 1, finest do
  local world, flag, tips = flags.make { mass = 1.5, stiffness = 0.0015, gravity = 0.5, edge = "hinged",
    angle = 0.1 * math.pi, reynolds = 200, cell = 1 / cells[n], ahead = 2, behind = 5, beside = quick and 1.5 or 3,
    step = STEP, integrator = "bdf2" }
  local record = flags.record(world, flag, tips, quick and 12 or 30)
  print(("  %d cells: %.2f and %.3f"):format(cells[n], flags.flapping(record, STEP)))
  scene = { world = world, flag = flag }
  if n == finest then
    blocks[#blocks + 1] = trace(record)
  end
end

-- ---- the picture ---------------------------------------------------------------------------------------------------

local picture, h = {}, 1 / cells[finest]
for y = -1, 1, h do
  for x = -0.5, 3.5, h do
    local function at(dx, dy)
      return scene.world.wind:at { x + dx, y + dy, 0 }
    end
    local spin = (at(h, 0)[2] - at(-h, 0)[2] - at(0, h)[1] + at(0, -h)[1]) / (2 * h)
    picture[#picture + 1] = { x, y, spin }
  end
end
blocks[#blocks + 1] = picture
local line = {}
for i = 1, scene.flag.positions.count do
  local x, y, z = scene.flag.positions:get(i)
  if z > 0 then
    line[#line + 1] = { x, y }
  end
end
blocks[#blocks + 1] = line

common.write("flags", blocks)
common.draw("flags", 1500, 1000, ([[
set multiplot
set size 0.5,0.5
set origin 0,0.5
set title "Growth of a small push, mass ratios 0.5 (blue) and 1 (red)"
set xlabel "reduced speed"
set ylabel "growth, U/L"
set key bottom right
plot 0 lc "grey" notitle, \
  file index 0 using 1:2 with lines lw 2 lc "blue" title "linear theory", \
  file index 0 using 1:3 with linespoints lt 4 lc "blue" title "%d cells", \
  file index 0 using 1:4 with linespoints lt 3 lc "blue" title "%d cells", \
  file index 0 using 1:5 with points lt 1 lc "blue" title "continued", \
  file index 1 using 1:2 with lines lw 2 lc "red" notitle, \
  file index 1 using 1:3 with linespoints lt 4 lc "red" notitle, \
  file index 1 using 1:4 with linespoints lt 3 lc "red" notitle, \
  file index 1 using 1:5 with points lt 1 lc "red" notitle
set origin 0.5,0.5
set title "The tip of flags"
set xlabel "time, L/U"
set ylabel "deflection, L"
set key top right
plot file index 2 with lines title "mass ratio 0.5, speed 12", file index 3 with lines title "1, 12", \
  file index 4 with lines title "2, 12", file index 5 with lines title "Re 200, hinged"
set size 1,0.5
set origin 0,0
set title "Vorticity behind the hinged flag"
set xlabel "x"
set ylabel "y"
set size ratio -1
set xrange [-0.5:3.5]
set yrange [-1:1]
set cbrange [-8:8]
set palette defined (-8 "blue", 0 "white", 8 "red")
unset key
plot file index 6 using 1:2:3 with image, file index 7 with lines lw 4 lc "black"
unset multiplot
]]):format(cells[1], cells[2]))
