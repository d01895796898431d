-- What wind particles cost: a step of the air around a wall and a ball, for each particle, with one thread and two.
--
--   luajit bench/air_particles.lua [cells=32] [repeats=5] [quick]
--
-- Prints a table and writes out/air_particles.json. No target is set for them.

local weft = require "weft"
local common = require "bench.common"

local options = common.arguments { cells = 32, repeats = 5, quick = false }
local CELLS = options.quick and 8 or options.cells
local STEPS = options.quick and 3 or 30
local size = CELLS / 10

local function obstacles()
  local x, low, high = 0.3 * size, 0.3 * size, 0.7 * size
  return { { positions = { { x, low, low }, { x, high, low }, { x, high, high }, { x, low, high } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 } }, porosity = 0.3 },
    { collider = weft.collider.sphere { radius = 0.15 * size, position = { 0.6 * size, 0.5 * size, 0.5 * size } } } }
end

local kinds = {
  { "uniform", weft.wind.uniform { velocity = { 4, 0.7, -0.4 } } },
  { "directional", weft.wind.directional { velocity = { 4, 0, 1 }, ground = -0.1 } },
  { "vortex", weft.wind.vortex { circulation = 10, position = { size / 2, 0, size / 2 } } },
  { "point", weft.wind.point { flow = 20, position = { 0.1 * size, size / 2, size / 2 } } },
}

local measurements, stats = common.machine_measurements(1e6, options.quick), {}
for _, kind in ipairs(kinds) do
  local air = weft.wind_particles { lower = { 0, 0, 0 }, upper = { size, size, size }, cell = 0.1, filled = true }
  local step = { sources = { kind[2] }, obstacles = obstacles(), duration = 1 / 60 }
  for _ = 1, STEPS do
    air:advance(step)
  end
  for threads = 1, 2 do
    measurements[#measurements + 1] = { kind[1] .. threads, function()
      weft.threads(threads)
      local start, particles = common.clock(), 0
      for _ = 1, STEPS do
        air:advance(step)
        particles = particles + air:stats().particles
      end
      local ns = 1e9 * (common.clock() - start)
      stats[kind[1]] = air:stats()
      stats[kind[1]].mean = particles / STEPS
      return ns / particles
    end }
  end
end
local ns, all = common.interleave(options.quick and 1 or options.repeats, measurements)
weft.threads(1)

local result = { machine = common.machine_result(all), cells = CELLS ^ 3, kinds = {} }
common.print_machine(result.machine)
print(("\n%-14s %10s %10s %10s   ns per particle and step; %d^3 cells, a wall of porosity 0.3, a ball"):format("",
  "particles", "1 thread", "2 threads", CELLS))
for k, kind in ipairs(kinds) do
  local row = { name = kind[1], particles = stats[kind[1]].mean, bytes = stats[kind[1]].bytes,
    ns = { ns[kind[1] .. 1], ns[kind[1] .. 2] } }
  result.kinds[k] = row
  print(("%-14s %10.0f %10.1f %10.1f   %.2f ms a step, %.1f MB"):format(row.name, row.particles, row.ns[1], row.ns[2],
    1e-6 * row.ns[1] * row.particles, row.bytes / 1e6))
end
common.write("air_particles", result)
