-- One backward-Euler step of a hanging sheet of wool: what it costs by phase, how the cost grows, and what many small
-- cloths, a second thread, Lua and memory add.
--
--   luajit bench/step.lua [vertices=10000,100000] [total=100000] [sizes] [repeats=5] [warm=5] [flat] [out=step] [quick]
--
-- 1 m x 1 m, 5 cm pinned at two corners, 1/60 s, relative residual 1e-3, no contact, one core. The residual is that in
-- the norm of the inverse preconditioner, nearly the energy of what the velocities lack. The root of the sum of
-- squares, which tells of the stiffest motions alone, is then still 0.04 to 0.15 of the right-hand side's and would
-- take some ten iterations more to 1e-3. Against converged solves, 3,600 vertices err by 0.05 micrometres (upright) to
-- 7 (swinging) in their centre after ten steps.
-- The sheet starts upright (with `flat`: level, and swings down); `warm` steps go before those that are measured, of
-- which the median counts.
-- `total` is what the many cloths and the threads are measured on; with `sizes` they and Lua are left out. Prints
-- tables and writes out/<out>.json.

local weft = require "weft"
local common = require "bench.common"

local options = common.arguments {
  vertices = "10000,100000", total = 100000, sizes = false, repeats = 5, warm = 5, flat = false, out = "step",
  quick = false,
}
local TARGET_MS = { [10000] = 12, [100000] = 150, [1000000] = 2000 }
local LARGEST_EXPONENT, LARGEST_CLOTHS_RATIO, LEAST_OF_TRIAD, LARGEST_SHARE, LARGEST_BYTES = 1.15, 1.5, 0.85, 0.01, 2000

-- ---- worlds --------------------------------------------------------------------------------------------------------

local function new_world()
  return weft.world { time_step = 1 / 60, tolerance = 1e-3, self_contact = false, max_iterations = 100000 }
end

local function one_sheet(vertices)
  weft.threads(1)
  local before = weft.memory()
  local world, side = new_world(), common.side_of(vertices)
  local cloth = world:add(common.hanging_sheet(side, { upright = not options.flat }))
  world:step()
  local bytes = weft.memory() - before
  return { world = world, cloth = cloth, vertices = side * side, bytes_per_vertex = bytes / side ^ 2 }
end

--- Small sheets side by side, each hung in the same way. `size` in m.
local function many_sheets(count, vertices, size)
  local world, side = new_world(), common.side_of(vertices)
  for k = 1, count do
    world:add(common.hanging_sheet(side, {
      upright = not options.flat, size = { size, size }, centre = { 1.5 * k * size, 0, 0 }, pinned = 0.05 * size,
    }))
  end
  world:step()
  return { world = world, vertices = count * side * side }
end

--- Makes a measurement for common.interleave: a step on so many threads, whose phases go to `scene.steps`.
local function stepper(scene, threads)
  scene.steps = {}
  return function()
    weft.threads(threads)
    local start = common.clock()
    scene.world:step()
    local seconds = common.clock() - start
    local step = { wall_seconds = seconds }
    for name, value in pairs(scene.world.stats) do
      step[name] = value
    end
    table.insert(scene.steps, step)
    return seconds
  end
end

local function warm_up(scenes)
  for _ = 1, options.warm - 1 do
    for _, scene in ipairs(scenes) do
      scene.world:step()
    end
  end
end

--- Medians over the measured steps of everything that the world says of a step; seconds as ms.
local function summary(scene)
  local result = { vertices = scene.vertices, bytes_per_vertex = scene.bytes_per_vertex, phases = {} }
  local rest = 0
  for name in pairs(scene.steps[1]) do
    local values = {}
    for k, step in ipairs(scene.steps) do
      values[k] = step[name]
    end
    local phase = name:match "^(%w+)_seconds$"
    if phase == "step" or phase == "wall" then
      result[phase .. "_ms"] = 1000 * common.median(values)
    elseif phase then
      result.phases[phase] = 1000 * common.median(values)
      rest = rest + result.phases[phase]
    else
      result[name] = common.median(values)
    end
  end
  result.phases.other = math.max(0, result.step_ms - rest)
  return result
end

-- ---- what a missed step is spent on --------------------------------------------------------------------------------

local function explain(r, machine)
  for _, name in ipairs { "assembly", "solve", "detection", "response", "other" } do
    local ms = r.phases[name] or 0
    common.explain(("%s, %.0f %% of the step"):format(name, 100 * ms / r.step_ms), ms, r.vertices, machine)
  end
  local iterations = math.max(1, r.solver_iterations)
  common.explain(("one of %d iterations"):format(r.solver_iterations), r.phases.solve / iterations, r.vertices, machine)
  local kernels = common.sheet_kernels()
  local sheet, side = common.kernel_sheet(math.min(r.vertices, 10000))
  for single, precision in pairs { [0] = "double", [1] = "single" } do
    print(("    one product of the matrix with a vector, %s: %.0f bytes per vertex, %.0f operations"):format(precision,
      kernels.bench_product_bytes(sheet, single) / side ^ 2, kernels.bench_product_flops(sheet, single) / side ^ 2))
  end
  kernels.bench_sheet_destroy(sheet)
end

--- The matrix and its copy, whose bytes are those of their products without the vectors; the rest is the grids of the
--- preconditioner, the membrane's faces, the mesh and a dozen vectors.
local function explain_memory(bytes)
  local kernels = common.sheet_kernels()
  local sheet, side = common.kernel_sheet(10000)
  local double = kernels.bench_product_bytes(sheet, 0) / side ^ 2 - 48
  local single = kernels.bench_product_bytes(sheet, 1) / side ^ 2 - 32
  kernels.bench_sheet_destroy(sheet)
  print(("    of %.0f bytes per vertex the matrix has %.0f, its copy in single precision %.0f, all else %.0f")
    :format(bytes, double, single, bytes - double - single))
end

-- ---- sections ------------------------------------------------------------------------------------------------------

local targets = {}

local function add_target(...)
  targets[#targets + 1] = common.target(...)
end

local function sizes()
  local list = {}
  for text in options.vertices:gmatch "[^,]+" do
    list[#list + 1] = tonumber(text)
  end
  return list
end

local function print_step(r)
  print(("%8d | %9.2f ms | %8.2f %9.2f %8.2f %7.2f | %5d %8.1e | %6.0f"):format(r.vertices, r.step_ms,
    r.phases.assembly, r.phases.solve, r.phases.response or 0, r.phases.other, r.solver_iterations, r.solver_residual,
    r.bytes_per_vertex))
end

--- Sizes against each other. Returns the results and the machine's.
local function measure_sizes()
  local scenes, measurements = {}, common.machine_measurements(options.quick and 1e6 or 1e8, options.quick)
  for i, vertices in ipairs(sizes()) do
    scenes[i] = one_sheet(vertices)
    measurements[#measurements + 1] = { vertices, stepper(scenes[i], 1) }
  end
  warm_up(scenes)
  local _, all = common.interleave(options.repeats, measurements)
  local machine, results = common.machine_result(all), {}
  print "vertices |     one step | assembly    solve     door   other | iterations, residual | bytes per vertex"
  for i, scene in ipairs(scenes) do
    local r = summary(scene)
    results[i] = r
    print_step(r)
    local limit = TARGET_MS[sizes()[i]]
    if limit then
      add_target(("step of %d vertices"):format(sizes()[i]), ("%g ms"):format(limit), ("%.1f ms"):format(r.step_ms),
        r.step_ms <= limit)
      if r.step_ms > limit then
        explain(r, machine)
      end
    end
    scene.world:close()
    scene.cloth:close()
  end
  return results, machine
end

local function judge_growth(results)
  local first, last = results[1], results[#results]
  local exponent = math.log(last.step_ms / first.step_ms) / math.log(last.vertices / first.vertices)
  add_target(("cost exponent, %d to %d vertices"):format(first.vertices, last.vertices),
    ("at most %.2f"):format(LARGEST_EXPONENT), ("%.2f"):format(exponent), exponent <= LARGEST_EXPONENT)
  local bytes = 0
  for _, r in ipairs(results) do
    bytes = math.max(bytes, r.bytes_per_vertex)
  end
  add_target("memory, contact off", ("at most %d bytes per vertex"):format(LARGEST_BYTES), ("%.0f"):format(bytes),
    bytes <= LARGEST_BYTES)
  if bytes > LARGEST_BYTES then
    explain_memory(bytes)
  end
  return exponent
end

--- Many small cloths against one of as many vertices, and two threads against one on copies of one world.
local function measure_cloths_and_threads()
  local total = options.quick and 900 or options.total
  local count, each = total / 100, 100
  local one, twin = one_sheet(total), one_sheet(total)
  local many, dense = many_sheets(count, each, 1), many_sheets(count, each, math.sqrt(each / total))
  warm_up { one, twin, many, dense }
  local measurements = common.machine_measurements(options.quick and 1e6 or 1e8, options.quick)
  for _, row in ipairs { { "one", one, 1 }, { "two threads", twin, 2 }, { "many", many, 1 }, { "dense", dense, 1 } } do
    measurements[#measurements + 1] = { row[1], stepper(row[2], row[3]) }
  end
  local medians, all = common.interleave(options.repeats, measurements)
  local machine = common.machine_result(all)
  local result = {
    machine = machine, vertices = total, cloths = count,
    ms = { one = 1000 * medians.one, many = 1000 * medians.many, dense = 1000 * medians.dense,
      two_threads = 1000 * medians["two threads"] },
    iterations = { one = summary(one).solver_iterations, many = summary(many).solver_iterations,
      dense = summary(dense).solver_iterations },
    many_over_one = common.ratio(all.many, all.one), dense_over_one = common.ratio(all.dense, all.one),
    speedup = common.ratio(all.one, all["two threads"]), triad_ratio = machine.triad_ratio,
  }
  print(("%d cloths of %d vertices: %.1f ms, %d iterations; as fine as the one: %.1f ms, %d; one of %d: %.1f ms, %d")
    :format(count, each, result.ms.many, result.iterations.many, result.ms.dense, result.iterations.dense, total,
      result.ms.one, result.iterations.one))
  add_target(("%d cloths of %d against one"):format(count, each), ("at most %.1f times"):format(LARGEST_CLOTHS_RATIO),
    ("%.2f (%.2f as fine)"):format(result.many_over_one, result.dense_over_one),
    math.max(result.many_over_one, result.dense_over_one) <= LARGEST_CLOTHS_RATIO)
  print(("two threads: %.1f ms against %.1f: x%.2f; the triad x%.2f%s"):format(result.ms.two_threads, result.ms.one,
    result.speedup, machine.triad_ratio, machine.noisy and "  NOISY" or ""))
  add_target(("two threads, %d vertices"):format(total),
    ("at least %.2f of the triad's ratio"):format(LEAST_OF_TRIAD),
    ("x%.2f of x%.2f"):format(result.speedup, machine.triad_ratio),
    result.speedup >= LEAST_OF_TRIAD * machine.triad_ratio)
  if result.speedup < LEAST_OF_TRIAD * machine.triad_ratio then
    local single, double = summary(one), summary(twin)
    for name, ms in pairs(single.phases) do
      print(("    %-10s %9.2f ms on one thread, %9.2f on two"):format(name, ms, double.phases[name]))
    end
  end
  assert(one.world:hash() == twin.world:hash(), "two threads give other bits than one")
  return result
end

--- Bytes of Lua garbage per step, and the part of the time that is spent outside of C.
local function measure_lua()
  weft.threads(1)
  local scene = one_sheet(options.quick and 400 or 10000)
  local shares = {}
  for k = 1, options.repeats do
    local start = common.clock()
    scene.world:step()
    local seconds = common.clock() - start
    shares[k] = (seconds - scene.world.stats.step_seconds) / seconds
  end
  local small = one_sheet(400)
  local function garbage_of_steps(count)
    local before = collectgarbage "count"
    for _ = 1, count do
      small.world:step()
    end
    return collectgarbage "count" - before
  end
  local function garbage_of_run(count)
    local before = collectgarbage "count"
    small.world:run { seconds = count / 60 }
    return collectgarbage "count" - before
  end
  jit.off() -- the compiler would count what it stores of the loops it compiles
  collectgarbage "collect"
  collectgarbage "stop"
  local garbage = common.interleave(math.max(5, options.repeats), {
    { "step", function() return 1024 * garbage_of_steps(100) / 100 end },
    { "run", function() return 1024 * (garbage_of_run(150) - garbage_of_run(50)) / 100 end },
  })
  collectgarbage "restart"
  jit.on()
  local bytes, bytes_of_run = garbage.step, garbage.run
  local share = common.median(shares)
  add_target("Lua's share of a step, 10000 vertices", "under 1 %", ("%.4f %%"):format(100 * share),
    share < LARGEST_SHARE)
  add_target("Lua garbage per step", "0 bytes", ("%g in step, %g in run"):format(bytes, bytes_of_run),
    bytes == 0 and bytes_of_run == 0)
  return { share = share, garbage_bytes = bytes, garbage_bytes_of_run = bytes_of_run }
end

local results, machine = measure_sizes()
local exponent
if #results > 1 then
  exponent = judge_growth(results)
end
local cloths, lua
if not options.sizes then
  collectgarbage "collect"
  cloths, lua = measure_cloths_and_threads(), measure_lua()
end
common.print_machine(machine)
common.print_targets(targets)
common.write(options.out, {
  machine = machine, scene = options.flat and "flat" or "upright", threads = 1, results = results, exponent = exponent,
  cloths = cloths, lua = lua, targets = targets,
})
