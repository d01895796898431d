-- What each source of wind looks like: arrows of the velocity in the plane z = 0 and its speed, gusts over time, and
-- the spectra of turbulence against the formulas that it is made from.
--
--   luajit examples/validate/winds.lua
--
-- Writes out/winds.csv and, with gnuplot, out/winds.png. Takes seconds.

local weft = require "weft"
local common = require "examples.validate.common"

local wind = weft.wind
local COLUMNS, ROWS, LEFT, BOTTOM, STEP = 41, 31, -2, 0, 0.1

local lattice = {}
for i = 1, 8 * 8 do
  local x, y = (i - 1) % 8 - 3.5, math.floor((i - 1) / 8) - 3.5
  lattice[i] = { -y * x * x / 4, x, 0 }
end

-- Title, the sources, and how long an arrow is per m/s.
local panels = {
  { "directional over roughness 0.1 m", { wind.directional { velocity = { 2, 0, 0 }, roughness = 0.1, ground = 0,
    reference_height = 2 } }, 0.08 },
  { "point source and sink", { wind.point { flow = 4, position = { -0.8, 1.5, 0 } },
    wind.point { flow = -4, position = { 0.8, 1.5, 0 } } }, 0.1 },
  { "line source in a uniform wind", { wind.uniform { velocity = { 1, 0, 0 } },
    wind.line { flow = 2, position = { -0.5, 1.5, 0 }, axis = { 0, 0, 1 } } }, 0.1 },
  { "two vortices of opposite turns", {
    wind.vortex { circulation = 3, position = { -0.6, 1.5, 0 }, axis = { 0, 0, 1 } },
    wind.vortex { circulation = -3, position = { 0.6, 1.5, 0 }, axis = { 0, 0, 1 } } }, 0.06 },
  { "vortex ring", { wind.ring { circulation = 3, radius = 0.6, position = { 0, 1.5, 0 }, axis = { 1, 0, 0 } } },
    0.06 },
  { "jet of 0.3 m at 8 m/s", { wind.jet { speed = 8, diameter = 0.3, position = { -2, 1.5, 0 }, axis = { 1, 0, 0 } } },
    0.025 },
  { "turbulence, length 2 m", { wind.turbulence { intensity = 1, length = 2 } }, 0.08 },
  { "curl noise, scale 1 m", { wind.curl_noise { intensity = 1, scale = 1 } }, 0.08 },
  { "a field, cubic, with falloff", { wind.field { counts = { 8, 8, 1 }, spacing = { 0.45, 0.4, 1 },
    origin = { -1.6, 0.1, 0 }, velocities = lattice, interpolation = "cubic",
    falloff = { radius = 0.8, width = 0.6, centre = { 0, 1.5, 0 } } } }, 0.1 },
}

local points = weft.buffer { count = COLUMNS * ROWS }
for i = 1, COLUMNS * ROWS do
  points:set(i, LEFT + STEP * ((i - 1) % COLUMNS), BOTTOM + STEP * math.floor((i - 1) / COLUMNS), 0)
end

local blocks = {}
for k, panel in ipairs(panels) do
  local block, sums = { title = panel[1] }, {}
  for s, source in ipairs(panel[2]) do
    local velocities = source:at(points, 0)
    for i = 1, #points do
      local u, v, w = velocities:get(i)
      sums[i] = s == 1 and { u, v, w } or { sums[i][1] + u, sums[i][2] + v, sums[i][3] + w }
    end
  end
  for i, u in ipairs(sums) do
    local x, y = points:get(i)
    local speed = math.sqrt(u[1] ^ 2 + u[2] ^ 2 + u[3] ^ 2)
    local length = math.min(0.2, panel[3] * math.sqrt(u[1] ^ 2 + u[2] ^ 2)) -- so long at most that arrows stay apart
      / math.max(1e-9, math.sqrt(u[1] ^ 2 + u[2] ^ 2))
    local shown = ((i - 1) % COLUMNS) % 2 == 0 and math.floor((i - 1) / COLUMNS) % 2 == 0
    block[i] = { x, y, shown and length * u[1] or 0, shown and length * u[2] or 0, math.min(speed, 8) }
  end
  blocks[k] = block
end

-- ---- time ----------------------------------------------------------------------------------------------------------

local gusts = { "cosine", "eog", "rise", "ramp" }
for k, shape in ipairs(gusts) do
  local source, block = wind.gust { velocity = { 10, 0, 0 }, onset = 1, duration = 4, shape = shape }, {}
  for i = 0, 140 do
    block[i + 1] = { i * 0.05, source:at({ 0, 0, 0 }, i * 0.05)[1] }
  end
  blocks[#panels + k] = block
end

local series = {}
local gusty = wind.turbulence { intensity = 1.5, length = 10, velocity = { 6, 0, 0 } }
for i = 0, 600 do
  local u = gusty:at({ 0, 2, 0 }, i * 0.1)
  series[i + 1] = { i * 0.1, 6 + u[1], u[3] }
end
blocks[#blocks + 1] = series

--- The density of the spectrum of u and w along x in bands of frequency, mean over seeds: rows { k L, S_u, S_w }.
local function spectrum(name)
  local COUNT, SPACING, SEEDS, BANDS = 2048, 0.25, 20, 24
  local line, rows = weft.buffer { count = COUNT }, {}
  for i = 1, COUNT do
    line:set(i, i * SPACING, 0, 0)
  end
  for b = 1, BANDS do
    local mode = math.floor(3 * (COUNT / 8 / 3) ^ ((b - 1) / (BANDS - 1)) + 0.5)
    rows[b] = { 2 * math.pi * mode / (COUNT * SPACING) * 10, 0, 0, mode }
  end
  for seed = 1, SEEDS do
    local velocities = wind.turbulence({ intensity = 1, length = 10, spectrum = name, seed = seed, smallest = 0.5,
      waves = 512 }):at(line):table()
    for _, row in ipairs(rows) do
      for c = 1, 2 do
        local re, im = 0, 0
        for i = 1, COUNT do
          local phase, window = 2 * math.pi * row[4] * i / COUNT, 1 - math.cos(2 * math.pi * i / COUNT)
          local u = velocities[i][c == 1 and 1 or 3] * window
          re, im = re + u * math.cos(phase), im + u * math.sin(phase)
        end
        row[1 + c] = row[1 + c] + (re ^ 2 + im ^ 2) * SPACING / (COUNT * math.pi) * 2 / 3 / SEEDS
      end
    end
  end
  return rows
end

blocks[#blocks + 1] = spectrum "von karman"
blocks[#blocks + 1] = spectrum "dryden"
common.write("winds", blocks)

local commands = { [[
set multiplot layout 4,3
unset key
set grid noxtics noytics
set size ratio -1
set xrange [-2:2]
set yrange [0:3]
set cbrange [0:*]
set palette defined (0 "white", 1 "#9ecae1", 2 "#3182bd", 3 "#08306b")
]] }
for k, panel in ipairs(panels) do
  commands[#commands + 1] = ([[
set title "%s"
plot file index %d using 1:2:5 with image, file index %d using 1:2:3:4 with vectors head filled size 0.06,20 lc "black"
]]):format(panel[1], k - 1, k - 1)
end
commands[#commands + 1] = ([[
set size noratio
set grid
set key
set autoscale
set title "gusts of 10 m/s, from 1 s on, 4 s long"
set xlabel "s"
set ylabel "m/s"
plot %s
set title "turbulence of 1.5 m/s in a wind of 6 m/s"
plot file index %d using 1:2 with lines title "along", file index %d using 1:3 with lines title "across"
set title "spectra: von Karman, Dryden (lines: MIL-F-8785C)"
set logscale xy
set xlabel "length times wave number"
set ylabel "m3/s2"
set xrange [0.3:50]
vk(x) = 20 / pi * (1 + (1.339 * x)**2)**(-5.0 / 6)
vw(x) = 10 / pi * (1 + 8.0 / 3 * (1.339 * x)**2) * (1 + (1.339 * x)**2)**(-11.0 / 6)
dk(x) = 20 / pi / (1 + x**2)
dw(x) = 10 / pi * (1 + 3 * x**2) / (1 + x**2)**2
set key bottom left
plot vk(x) lc 1 title "von Karman, along", vw(x) lc 2 title "across", dk(x) lc 3 title "Dryden, along", \
  dw(x) lc 4 title "across", file index %d using 1:2 lc 1 notitle, file index %d using 1:3 lc 2 notitle, \
  file index %d using 1:2 lc 3 notitle, file index %d using 1:3 lc 4 notitle
unset multiplot
]]):format(common.elements(gusts, #panels, "lines"), #blocks - 3, #blocks - 3, #blocks - 2, #blocks - 2, #blocks - 1,
  #blocks - 1)
common.draw("winds", 1800, 1900, table.concat(commands))
