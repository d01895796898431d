-- A world's step in a flow of air: what cutting the grid by cloth and bodies, carrying the air, and the pressure with
-- the cloth's mass in it take, and by how many sweeps air and cloth agree.
--
--   luajit bench/air_cloth.lua [cells=64] [steps=10] [sheet=70] [repeats=1] [quick]
--
-- A light sheet of sheet^2 cells hangs by its upper edge in 3 m/s, before a ball. Prints a table and writes
-- out/air_cloth.json.

local weft = require "weft"
local common = require "bench.common"

local options = common.arguments { cells = 64, steps = 10, sheet = 70, repeats = 1, quick = false }
local PHASES = { "cut", "carry", "project" }

local function scene(coupling, sweeps)
  local world = weft.world { self_contact = false }
  world.wind.model = "flow"
  world.wind.flow = { cells = options.cells, lower = { -0.8, -1, -1 }, upper = { 1.2, 1, 1 }, coupling = coupling,
    sweeps = sweeps }
  world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
  world:add(weft.collider.sphere { radius = 0.3, position = { 0.5, 0, 0 } })
  local n = options.sheet
  local cloth = world:add(weft.sheet { cells = { n, n }, weft = { 0, 0, 1 }, warp = { 0, 1, 0 },
    fabric = weft.fabric { base = "polyester", density = 0.06 } })
  local edge = {}
  for i = 1, n + 1 do
    edge[i] = n * (n + 1) + i
  end
  cloth:pin { vertices = edge }
  return world
end

--- Means of the steps, ms and counts.
local function measure(coupling, sweeps)
  local world, count = scene(coupling, sweeps), options.quick and 1 or options.steps
  local means = { coupling = coupling, most_sweeps = sweeps, cut = 0, carry = 0, project = 0, step = 0, sweeps = 0,
    iterations = 0, substeps = 0, leak = 0, cut_faces = 0 }
  world:step(2) -- arrays are there then
  local processor = os.clock()
  for _ = 1, count do
    world:step()
    local stats = world.wind.flow_stats
    for _, phase in ipairs(PHASES) do
      means[phase] = means[phase] + 1000 * stats[phase .. "_seconds"] / count
    end
    means.step = means.step + 1000 * world.stats.step_seconds / count
    for _, name in ipairs { "sweeps", "iterations", "substeps", "leak", "cut_faces" } do
      means[name] = means[name] + stats[name] / count
    end
  end
  means.processor = 1000 * (os.clock() - processor) / count
  return means
end

weft.threads(2)
local results = {}
print(("%d cells along each side, a sheet of %d x %d"):format(options.cells, options.sheet, options.sheet))
print "coupling   sweeps  leak m/s  cut ms  carry ms  project ms  iterations  step ms  processor ms"
for _, case in ipairs { { "rigid", 1 }, { "implicit", 1 }, { "implicit", 6 } } do
  for _ = 1, options.repeats do
    local m = measure(case[1], case[2])
    results[#results + 1] = m
    print(("%-9s %7.1f %9.3f %7.1f %9.1f %11.1f %11.1f %8.1f %13.1f"):format(m.coupling, m.sweeps, m.leak, m.cut,
      m.carry, m.project, m.iterations, m.step, m.processor))
  end
end
weft.threads(1)
common.write("air_cloth", { results = results, load = common.load_average() })
