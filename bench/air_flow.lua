-- The flow of air: a step of vortices in a closed box, by phase and size, in bytes of the memory's bandwidth.
--
--   luajit bench/air_flow.lua [cells=64,128] [steps=10] [repeats=5] [quick]
--
-- Prints a table and writes out/air_flow.json. Stands for "a step of 64^3 cells in 60 ms on two threads".

local weft = require "weft"
local common = require "bench.common"

local options = common.arguments { cells = "64,128", steps = 10, repeats = 5, quick = false }
local TARGET = 60

-- Bytes of a cell, everything read and written once per pass over memory: flow_kernels.c, flow_pressure_kernels.c. A
-- stage of a sub-step reads of each component the values and the first ones and writes it, and reads three carriers and
-- the pressure; carrying and checking them, divergence, correction, pressure are once a step or projection. An
-- iteration: scale, two sweeps before and two after, the rest, what goes between grids, 8/7 of that in three
-- dimensions; a product, two sums, the step and the turn.
local STAGE = 4 * (3 * 3 + 4)
local STEP = 4 * (3 * 3 + 3)
local ROUND = 4 * (4 + 10 + 3 + 4)
local ITERATION = 4 * ((3 + 7 + 7 + 6 + 7 + 8 + 6) * 8 / 7 + 5 + 2 + 6 + 3)

local function vortices(n)
  local flow = weft.flow { cells = { n, n, n }, size = { 1, 1, 1 }, boundary = { all = "wall" } }
  local k = 2 * math.pi
  for axis, name in ipairs { "x", "y", "z" } do
    local count = { n, n, n }
    count[axis] = n + 1
    local values = weft.buffer { count = count[1] * count[2] * count[3], components = 1, type = "float" }
    local at = 0
    for z = 0, count[3] - 1 do
      for y = 0, count[2] - 1 do
        for x = 0, count[1] - 1 do
          local a, b, c = k * x / n, k * y / n, k * z / n
          at = at + 1
          values:set(at, axis == 1 and math.sin(a) * math.cos(b + k / 2 / n) * math.cos(c)
            or axis == 2 and -math.cos(a + k / 2 / n) * math.sin(b) * math.cos(c) or 0.3 * math.sin(3 * a))
        end
      end
    end
    flow:set { [name] = values }
  end
  flow:project()
  return flow
end

local function measure(n)
  local flow = vortices(n)
  local step = 0.9 / n -- sums of speeds are up to 1.4: two sub-steps
  local count = options.quick and 1 or options.steps
  local phases = {}
  local function run(threads)
    return function()
      weft.threads(threads)
      local start, processor = common.clock(), os.clock()
      local sums = { advection = 0, pressure = 0, other = 0, iterations = 0, substeps = 0, projections = 0 }
      for _ = 1, count do
        flow:step(step)
        local stats = flow.stats
        for _, phase in ipairs { "advection", "pressure", "other" } do
          sums[phase] = sums[phase] + 1000 * stats["seconds_" .. phase] / count
        end
        for _, name in ipairs { "iterations", "substeps", "projections" } do
          sums[name] = sums[name] + stats[name] / count
        end
      end
      sums.processor = 1000 * (os.clock() - processor) / count
      phases[threads] = sums
      return 1000 * (common.clock() - start) / count
    end
  end
  local measurements = common.machine_measurements(4 * n ^ 3 * 30, options.quick)
  table.insert(measurements, { "one", run(1) })
  table.insert(measurements, { "two", run(2) })
  flow:step(step)
  local ms, all = common.interleave(options.repeats, measurements)
  weft.threads(1)
  local machine, stats, p = common.machine_result(all), flow.stats, phases[2]
  local bytes = n ^ 3 * (STEP + p.substeps * 3 * STAGE + p.projections * ROUND + p.iterations * ITERATION)
  return { cells = n, milliseconds = { ms.one, ms.two }, processor_milliseconds = phases[1].processor,
    phases = phases, megabytes_moved = bytes / 1e6, megabytes = stats.bytes / 1e6,
    divergence = stats.divergence, courant = stats.courant, machine = machine,
    fraction = { bytes / ms.one / 1e6 / machine.triad_gb_per_s[1], bytes / ms.two / 1e6 / machine.triad_gb_per_s[2] } }
end

local results, targets = {}, {}
for cells in options.cells:gmatch "%d+" do
  local r = measure(tonumber(cells))
  results[#results + 1] = r
  local p = r.phases[2]
  print(("%d^3 cells, %.0f MB, Courant number %.2f: %.1f ms a step with one thread, %.1f with two%s"):format(r.cells,
    r.megabytes, r.courant, r.milliseconds[1], r.milliseconds[2], r.machine.noisy and "  NOISY" or ""))
  print(("    %.1f ms advection (%.1f sub-steps), %.1f pressure (%.1f iterations), %.1f other; divergence %.1e"):format(
    p.advection, p.substeps, p.pressure, p.iterations, p.other, r.divergence))
  print(("    %.1f ms of the processor with one thread"):format(r.processor_milliseconds))
  print(("    moves %.0f MB: %.2f and %.2f of the triad on as many bytes"):format(r.megabytes_moved, r.fraction[1],
    r.fraction[2]))
  if r.cells == 64 then
    targets[#targets + 1] = common.target("flow, 64^3 cells, two threads", ("at most %d ms a step"):format(TARGET),
      ("%.1f ms"):format(r.milliseconds[2]), r.milliseconds[2] <= TARGET)
  end
end
common.print_machine(results[#results].machine)
common.print_targets(targets)
common.write("air_flow", { machine = results[#results].machine, results = results, targets = targets })
