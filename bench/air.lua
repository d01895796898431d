-- The price of air: its force on the faces of a sheet, with and without its matrix, beside the membrane's.
--
--   luajit bench/air.lua [cells=20,100] [laws=plate,keckeisen] [repeats=7] [quick]
--
-- Prints tables and writes out/air.json. Stands for "the air's force below 15 % of the membrane's evaluation".

local common = require "bench.common"
local weft = require "weft"

local options = common.arguments { cells = "20,100", laws = "plate,keckeisen", repeats = 7, quick = false }
local TARGET = 0.15

local kernels = common.kernel("air", [[
  typedef struct air_sheet air_sheet;
  air_sheet *bench_air_create(const char *law, int cells);
  void bench_air_destroy(air_sheet *s);
  double bench_air_run(air_sheet *s, int model, int matrix, int threads, int passes);
]])

-- ---- faces ---------------------------------------------------------------------------------------------------------

local MEMBRANE, AIR, TOTALS = 0, 1, 2

-- Bytes that a face stands for, all read and written once. Read: three indices, half a vertex' position and
-- velocity (24 each), the wind. Written: the force (32); read again, through a list for the three corners, to half a
-- vertex' force, which is read and written. With the matrix also the damping (64), written and read, and one and a half
-- blocks of edges and half of a vertex, read and written, with the places and lists of both.
local FORCE_BYTES = 12 + 0.5 * 48 + 24 + 32 + 32 + 12 + 0.5 * 48
local MATRIX_BYTES = 2 * 64 + 2 * 2 * 72 + 1.5 * 8 + 2 * 12

local function measure(law, cells)
  local sheet = kernels.bench_air_create(law, cells)
  assert(sheet ~= nil, "no sheet can be made")
  local faces, seconds = 2 * cells * cells, options.quick and 1e-3 or 2e-2
  local measurements = common.machine_measurements(1e6, options.quick)
  local function add(name, model, matrix, threads)
    local passes = math.ceil(seconds / kernels.bench_air_run(sheet, model, matrix, threads, 1))
    measurements[#measurements + 1] = { name, function()
      return 1e9 * kernels.bench_air_run(sheet, model, matrix, threads, passes) / passes / faces
    end }
  end
  add("membrane_forces", MEMBRANE, 0, 1)
  add("membrane", MEMBRANE, 1, 1)
  add("forces", AIR, 0, 1)
  add("forces_and_matrix", AIR, 1, 1)
  add("totals", TOTALS, 0, 1)
  add("membrane_2", MEMBRANE, 1, 2)
  add("forces_and_matrix_2", AIR, 1, 2)
  local ns, all = common.interleave(options.repeats, measurements)
  kernels.bench_air_destroy(sheet)
  local machine = common.machine_result(all)
  local triad = machine.triad_gb_per_s[1]
  return { law = law, faces = faces, ns = ns, machine = machine,
    share = common.ratio(all.forces, all.membrane), whole_share = common.ratio(all.forces_and_matrix, all.membrane),
    share_of_forces = common.ratio(all.forces, all.membrane_forces),
    bytes = { forces = FORCE_BYTES, forces_and_matrix = FORCE_BYTES + MATRIX_BYTES },
    fraction = { forces = FORCE_BYTES / ns.forces / triad,
      forces_and_matrix = (FORCE_BYTES + MATRIX_BYTES) / ns.forces_and_matrix / triad } }
end

--- Milliseconds of a step of a hanging sheet of as many faces, with wind and without.
local function measure_steps(cells)
  local measurements = {}
  for _, name in ipairs { "still", "windy" } do
    local world = weft.world { self_contact = false }
    world:add(common.hanging_sheet(cells + 1, { upright = true }))
    if name == "windy" then
      world.wind:add(weft.wind.uniform { velocity = { 1, 0, 2 } })
    end
    world:step(options.quick and 1 or 20)
    measurements[#measurements + 1] = { name, function()
      world:step(2)
      return 1e3 * world.stats.step_seconds
    end }
  end
  local ms, all = common.interleave(options.quick and 2 or 3 * options.repeats, measurements)
  return { still = ms.still, windy = ms.windy, ratio = common.ratio(all.windy, all.still) }
end

local results, targets = {}, {}
print "ns per face, one thread         forces     with matrix  totals     membrane: forces, with stiffness"
for law in options.laws:gmatch "[^,]+" do
  for cells in options.cells:gmatch "%d+" do
    local r = measure(law, tonumber(cells))
    results[#results + 1] = r
    r.step = measure_steps(tonumber(cells))
    print(("%-18s %7d faces %8.1f %8.1f %8.1f %15.1f %8.1f"):format(r.law, r.faces, r.ns.forces,
      r.ns.forces_and_matrix, r.ns.totals, r.ns.membrane_forces, r.ns.membrane))
    print(("    %.0f and %.0f bytes a face: %.2f and %.2f of the triad; %.1f %% and %.1f %% of the membrane; "
      .. "two threads x%.2f (membrane x%.2f)"):format(r.bytes.forces, r.bytes.forces_and_matrix, r.fraction.forces,
      r.fraction.forces_and_matrix, 100 * r.share, 100 * r.whole_share,
      r.ns.forces_and_matrix / r.ns.forces_and_matrix_2, r.ns.membrane / r.ns.membrane_2))
    print(("    a step %.2f ms without wind, %.2f ms with it: x%.2f"):format(r.step.still, r.step.windy, r.step.ratio))
    targets[#targets + 1] = common.target(("air's force, %s, %d faces"):format(r.law, r.faces),
      ("below %d %% of the membrane"):format(100 * TARGET),
      ("%.1f %%; %.1f %% with its matrix"):format(100 * r.share, 100 * r.whole_share), r.share < TARGET)
  end
end

common.print_machine(results[#results].machine)
common.print_targets(targets)
common.write("air", { machine = results[#results].machine, results = results, targets = targets })
