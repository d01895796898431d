-- What vectors give the evaluation of a sheet's elements: forces and stiffness of membrane and bending, with every
-- instruction set that the processor has, against the scalar build of the same source. One core, in a cache.
--
--   luajit bench/elements.lua [vertices=400,2500] [repeats=5] [quick]
--
-- Prints a table and writes out/elements.json. Stands for "at least 6 times the scalar build".

local common = require "bench.common"
local core = require "weft.core"

local options = common.arguments { vertices = "400,2500", repeats = 5, quick = false }
local TARGET = 6
local numbers = { scalar = 1, baseline = 2, avx2 = 3, avx512 = 4 } -- wf_instruction_set

local kernels = common.sheet_kernels()
local best, sets = core.instruction_set()

local function assert_same_forces(sheet, count, before)
  local forces = kernels.bench_elements_forces(sheet)
  for i = 0, count - 1 do
    assert(before[i] == nil or before[i] == forces[i], "instruction sets give other bits")
    before[i] = forces[i]
  end
end

--- What the best build's time goes to, forces and what the stiffness adds, beside the scalar build's.
local function explain(sheet, result, passes)
  local ns = {}
  for _, set in ipairs { "scalar", best } do
    ns[set] = {}
    for stiffness = 0, 1 do
      local runs = {}
      for k = 1, options.repeats do
        runs[k] = 1e9 * kernels.bench_elements_run(sheet, numbers[set], stiffness, passes) / passes / result.faces
      end
      ns[set][stiffness] = common.median(runs)
    end
  end
  local bytes = { [0] = kernels.bench_elements_bytes(sheet, 0), [1] = kernels.bench_elements_bytes(sheet, 1) }
  local function line(what, now, before, moved)
    print(("    %-22s %6.1f ns a face (scalar %6.1f): %4.0f bytes are read and written, the triad moves %5.0f; " ..
      "the FMA loop does %5.0f operations"):format(what, now, before, moved / result.faces,
      now * result.machine.triad_gb_per_s[1], now * result.machine.fma_gflop_per_s[1]))
  end
  line("forces", ns[best][0], ns.scalar[0], bytes[0])
  line("what the stiffness adds", ns[best][1] - ns[best][0], ns.scalar[1] - ns.scalar[0], bytes[1] - bytes[0])
end

local function measure(vertices)
  local sheet, side = common.kernel_sheet(vertices)
  local faces, forces = 2 * (side - 1) ^ 2, {}
  local passes = math.max(1, math.floor((options.quick and 1e4 or 1e6) / faces))
  local measurements = common.machine_measurements(1e6, options.quick)
  for _, set in ipairs(sets) do
    measurements[#measurements + 1] = { set, function()
      local seconds = kernels.bench_elements_run(sheet, numbers[set], 1, passes)
      assert_same_forces(sheet, 3 * side * side, forces)
      return seconds / passes
    end }
  end
  local medians, all = common.interleave(options.repeats, measurements)
  local result = { vertices = side * side, faces = faces, machine = common.machine_result(all), sets = {} }
  for _, set in ipairs(sets) do
    local nanoseconds = 1e9 * medians[set] / faces
    result.sets[set] = { nanoseconds_per_face = nanoseconds, speedup = common.ratio(all.scalar, all[set]) }
    print(("%8d vertices, %-8s %8.1f ns a face, x%5.2f the scalar build; the FMA loop does %6.0f operations in it")
      :format(result.vertices, set, nanoseconds, result.sets[set].speedup,
        nanoseconds * result.machine.fma_gflop_per_s[1]))
  end
  if result.sets[best].speedup < TARGET then
    explain(sheet, result, passes)
  end
  kernels.bench_sheet_destroy(sheet)
  return result
end

local results, targets = {}, {}
for text in options.vertices:gmatch "[^,]+" do
  local r = measure(tonumber(text))
  results[#results + 1] = r
  local speedup = r.sets[best].speedup
  targets[#targets + 1] = common.target(("membrane and bending, %d vertices, %s"):format(r.vertices, best),
    ("at least %d times scalar"):format(TARGET), ("x%.2f"):format(speedup), speedup >= TARGET)
end
common.print_machine(results[#results].machine)
common.print_targets(targets)
common.write("elements", { machine = results[#results].machine, results = results, targets = targets })
