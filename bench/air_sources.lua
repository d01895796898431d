-- What sources of wind cost: one velocity of each kind, from Lua for a whole buffer of points, with one thread and two.
--
--   luajit bench/air_sources.lua [points=20000] [repeats=7] [quick]
--
-- Prints a table and writes out/air_sources.json. No target is set for them.

local weft = require "weft"
local common = require "bench.common"

local options = common.arguments { points = 20000, repeats = 7, quick = false }
local wind = weft.wind
local COUNT = options.quick and 300 or options.points

local lattice = {}
for i = 1, 32 ^ 3 do
  lattice[i] = { i % 7, i % 5, i % 3 }
end
local field = { counts = { 32, 32, 32 }, spacing = { 0.14, 0.08, 0.14 }, origin = { -2.1, -0.1, -2.1 },
  velocities = lattice }

local kinds = {
  { "uniform", wind.uniform { velocity = { 4, 0, 1 } } },
  { "uniform, in a box, with falloff", wind.uniform { velocity = { 4, 0, 1 },
    extent = { lower = { -1, 0, -1 }, upper = { 1, 2, 1 }, margin = 0.3 },
    falloff = { radius = 0.5, width = 1, centre = { 0, 1, 0 } } } },
  { "directional", wind.directional { velocity = { 4, 0, 1 } } },
  { "point", wind.point { flow = 1 } },
  { "line", wind.line { flow = 1 } },
  { "vortex, lamb", wind.vortex { circulation = 1 } },
  { "vortex, rankine", wind.vortex { circulation = 1, profile = "rankine" } },
  { "ring", wind.ring { circulation = 1, radius = 0.5 } },
  { "jet", wind.jet { speed = 8, diameter = 0.3, position = { 0, 1, -2 } } },
  { "gust that travels", wind.gust { velocity = { 4, 0, 0 }, travel = { 4, 0, 0 } } },
  { "turbulence, 192 waves", wind.turbulence { intensity = 1 } },
  { "turbulence, 64 waves", wind.turbulence { intensity = 1, waves = 64 } },
  { "curl noise, 1 octave", wind.curl_noise { intensity = 1, octaves = 1 } },
  { "curl noise, 3 octaves", wind.curl_noise { intensity = 1, octaves = 3 } },
  { "field, linear", wind.field(field) },
  { "field, cubic", (function()
    field.interpolation = "cubic"
    return wind.field(field)
  end)() },
}

local points, into = weft.buffer { count = COUNT }, weft.buffer { count = COUNT }
local state = 3
local function random()
  state = state * 16807 % 2147483647
  return state / 2147483647
end
for i = 1, COUNT do
  points:set(i, 4 * random() - 2, 2 * random(), 4 * random() - 2)
end

local measurements = common.machine_measurements(1e6, options.quick)
for _, kind in ipairs(kinds) do
  for threads = 1, 2 do
    measurements[#measurements + 1] = { kind[1] .. threads, function()
      weft.threads(threads)
      local start = common.clock()
      kind[2]:at(points, 0.6, into)
      local seconds = common.clock() - start
      weft.threads(1)
      return 1e9 * seconds / COUNT
    end }
  end
end
local medians, all = common.interleave(options.quick and 1 or options.repeats, measurements)

local result = { machine = common.machine_result(all), points = COUNT, kinds = {} }
common.print_machine(result.machine)
print(("\n%-34s %10s %10s   ns per point, of %d"):format("", "1 thread", "2 threads", COUNT))
for k, kind in ipairs(kinds) do
  local row = { name = kind[1], ns = { medians[kind[1] .. 1], medians[kind[1] .. 2] } }
  result.kinds[k] = row
  print(("%-34s %10.1f %10.1f"):format(row.name, row.ns[1], row.ns[2]))
end
common.write("air_sources", result)
