-- Every model of weft.model.list(): time of forces and of forces with stiffness, errors in the tests of mechanics, and
-- what it cannot do. The tests are those of spec/model, which say what is claimed; here all models run all of their
-- kind.
--
--   luajit bench/models.lua [cells=20] [repeats=7] [kind=membrane] [quick]
--
-- Prints two tables and writes out/models.json. One core, in a cache. Times are per face of a square sheet, as models
-- differ in what their elements are. Matrices that are multiples of the identity and do not depend on positions are not
-- made anew, as in a world's steps.

local buckling = require "spec.model.buckling"
local common = require "bench.common"
local coupons = require "spec.model.coupons"
local plates = require "spec.model.plates"
local strips = require "spec.model.strips"
local weft = require "weft"

local options = common.arguments { cells = 20, repeats = 7, kind = "", quick = false }

local kernels = common.kernel("models", [[
  typedef struct sheet sheet;
  sheet *bench_model_create(const char *name, int cells);
  void bench_model_destroy(sheet *s);
  int bench_model_elements(const sheet *s);
  double bench_model_run(sheet *s, int stiffness, int passes);
]])

-- ---- time ----------------------------------------------------------------------------------------------------------

--- Nanoseconds per face of all entries, by name: { forces =, stiffness = (forces with it), elements_per_face = }, and
--- the machine.
local function measure_times(entries)
  local faces, seconds = 2 * options.cells ^ 2, options.quick and 1e-3 or 1e-2
  local measurements, made = common.machine_measurements(1e6, options.quick), {}
  for i, entry in ipairs(entries) do
    local sheet = kernels.bench_model_create(entry.name, options.cells)
    assert(sheet ~= nil, "no sheet can be made of " .. entry.name)
    made[i] = sheet
    for stiffness = 0, 1 do
      local passes = math.ceil(seconds / kernels.bench_model_run(sheet, stiffness, 1))
      measurements[#measurements + 1] = { entry.name .. stiffness, function()
        return 1e9 * kernels.bench_model_run(sheet, stiffness, passes) / passes / faces
      end }
    end
  end
  local medians, all = common.interleave(options.repeats, measurements)
  local times = {}
  for i, entry in ipairs(entries) do
    times[entry.name] = { forces = medians[entry.name .. 0], stiffness = medians[entry.name .. 1],
      elements_per_face = kernels.bench_model_elements(made[i]) / faces }
    kernels.bench_model_destroy(made[i])
  end
  return times, common.machine_result(all)
end

-- ---- errors --------------------------------------------------------------------------------------------------------

--- The one of the values that f gives for a list which is farthest from 1; nil where the model finds no equilibrium.
local function farthest(list, f)
  local worst = 1
  for _, item in ipairs(list) do
    local done, value = pcall(f, item)
    if not done then
      return nil, value
    end
    worst = math.abs(value - 1) > math.abs(worst - 1) and value or worst
  end
  return worst
end

--- What a membrane measures over what its fabric has, the worst of all meshes.
local function membrane_errors(entry)
  local meshes, fabric = coupons.meshes(entry), coupons.fabric
  --- Over directions (degrees) of a strain of 3e-4: the measures differ by its square.
  local function extension(directions)
    return farthest(meshes, function(sheet)
      return assert(farthest(directions, function(degrees)
        local d = coupons.direction(degrees)
        local stress = coupons.pull(3e-4 / coupons.expected_strain(fabric, coupons.pull(1, d), d), d)
        return 3e-4 / coupons.strain_at_rest(entry, sheet, fabric, stress, d)
      end))
    end)
  end
  local patch = 0
  for _, sheet in ipairs(meshes) do
    patch = math.max(patch, coupons.imbalance(sheet, coupons.model(entry, sheet, fabric),
      coupons.affine(sheet, { 1.05, 0.08, 0.2 }, { -0.03, 1.02, 0.1 })))
  end
  return { patch = patch, uniaxial = extension { 0, 90 }, bias = extension { 30, 45 },
    frame = farthest(meshes, function(sheet)
      return coupons.frame_stress(entry, sheet, fabric, 4e-3) / (fabric.shear * 4e-3)
    end) }
end

local bent_meshes = { same = plates.grid { diagonal = "same" }, alternating = plates.grid { diagonal = "alternating" },
  jittered = plates.grid { diagonal = "random", jitter = 0.2 } }

local function plate_meshes(entry)
  return entry.grid and { "same", "alternating" } or { "same", "alternating", "jittered" }
end

--- The energy of cylinders and of a twist over the plate's, and how far the tip of a heavy strip is off, %.
local function bending_errors(entry)
  local errors = { cylinder = {} }
  for _, mesh in ipairs(plate_meshes(entry)) do
    errors.cylinder[mesh] = farthest({ 0, math.pi / 8, math.pi / 4, math.pi / 2 }, function(phi)
      return plates.ratio(entry.name, bent_meshes[mesh], plates.cylinder(phi), 1 / 0.4)
    end)
  end
  errors.twist_on = {}
  errors.twist = farthest(plate_meshes(entry), function(mesh)
    errors.twist_on[mesh] = plates.ratio(entry.name, bent_meshes[mesh], plates.twisted, 0.01) / 1.6
    return errors.twist_on[mesh]
  end)
  errors.buckling = farthest(entry.grid and { 1, 2 } or { 1, 2, #strips.meshes }, function(mesh)
    local weight = buckling.critical_weight(entry.name, buckling.strip(strips.meshes[mesh], 8, 4))
    return assert(weight == weight and weight / buckling.plate(8), "flat cloth does not resist bending")
  end)
  local function tip(mesh)
    local done, error = pcall(strips.tip_error, mesh, { bending = entry.name, overhang = 2 })
    return done and 100 * error or nil
  end
  errors.tip = tip(strips.meshes[1])
  if not entry.grid and not options.quick and errors.tip and errors.tip < 1 then
    errors.tip_on, errors.worst_tip = {}, 0
    for _, mesh in ipairs(strips.meshes) do
      local error = tip(mesh)
      errors.tip_on[mesh.name] = error
      errors.worst_tip = errors.worst_tip and error and math.max(errors.worst_tip, error)
    end
  end
  return errors
end

-- ---- the tables ----------------------------------------------------------------------------------------------------

local function text(format, value)
  return value and format:format(value) or "-"
end

--- What of a fabric, and of creases, a model takes: C stress-strain curves, H hysteresis, F rest angles.
local function taken(row)
  return (row.curves and "C" or "-") .. (row.hysteresis and "H" or "-") .. (row.folds and "F" or "-")
end

local function print_row(row, cells)
  print(("%-33s %7.1f %9.1f  %s  %5s  %s"):format(row.name, row.time.forces, row.time.stiffness,
    table.concat(cells, " "), taken(row), row.cannot or ""))
end

local function print_membranes(rows)
  print(("%-33s %7s %9s  %8s %8s %8s %8s  takes  cannot"):format("membrane (ns a face)", "forces", "and K",
    "uniaxial", "bias", "frame", "patch %"))
  for _, row in ipairs(rows) do
    local e, cells = row.errors, {}
    for i, value in ipairs { e.uniaxial or false, e.bias or false, e.frame or false } do
      cells[i] = ("%8s"):format(text("%.4f", value))
    end
    cells[4] = ("%8.3f"):format(100 * e.patch)
    print_row(row, cells)
  end
  print "  modulus that is measured over the fabric's, the worst of all meshes; - : no equilibrium is found;"
  print "  force on inner vertices over that on the border, where the strain is the same everywhere;"
  print "  takes: C stress-strain curves, H hysteresis"
end

local function print_bendings(rows)
  print(("%-33s %7s %9s  %7s %7s %7s %7s %7s %7s %7s  takes  cannot"):format("bending (ns a face)", "forces", "and K",
    "regular", "altern.", "jitter", "twist", "buckles", "tip %", "worst %"))
  for _, row in ipairs(rows) do
    local e, cells = row.errors, {}
    for i, value in ipairs { e.cylinder.same or false, e.cylinder.alternating or false, e.cylinder.jittered or false,
      e.twist or false, e.buckling or false } do
      cells[i] = ("%7s"):format(text("%.3f", value))
    end
    cells[6], cells[7] = ("%7s"):format(text("%.2f", e.tip)), ("%7s"):format(text("%.2f", e.worst_tip))
    print_row(row, cells)
  end
  print "  energy over the plate's: of cylinders in four directions on three meshes, of a twist on the worst of them;"
  print "  weight under which a strip on edge buckles over a plate's, the worst of three meshes; - : bends without any;"
  print "  tip of a strip of two bending lengths against the elastica, in % of its length: on one mesh, and on the"
  print "  worst of nine where that is below 1"
  print "  takes: C stress-strain curves, H hysteresis of threads or of bending, F rest angles"
end

local function rows_of(kind)
  local rows = {}
  for _, entry in ipairs(weft.model.list()) do
    if entry.kind == kind and (options.kind == "" or options.kind == kind) then
      rows[#rows + 1] = entry
    end
  end
  return rows
end

local function find(rows, name)
  for _, row in ipairs(rows) do
    if row.name == name then
      return row
    end
  end
end

local membranes, bendings, entries = rows_of "membrane", rows_of "bending", {}
for _, list in ipairs { membranes, bendings } do
  for _, entry in ipairs(list) do
    entries[#entries + 1] = entry
  end
end
local times, machine = measure_times(entries)
for _, entry in ipairs(entries) do
  entry.time = times[entry.name]
  entry.errors = (entry.kind == "membrane" and membrane_errors or bending_errors)(entry)
end

local targets = {}
if #membranes > 0 then
  print_membranes(membranes)
  local e, worst = membranes[1].errors, 0
  for _, name in ipairs { "uniaxial", "bias", "frame" } do
    worst = math.max(worst, 100 * math.abs(e[name] - 1))
  end
  targets[#targets + 1] = common.target(("moduli of \"%s\", the default"):format(membranes[1].name), "within 0.5 %",
    ("%.2f %%"):format(worst), worst <= 0.5)
end
if #bendings > 0 then
  print_bendings(bendings)
  for _, name in ipairs { bendings[1].name, "shell" } do
    local error = find(bendings, name).errors.worst_tip
    if error then
      targets[#targets + 1] = common.target(("elastica of \"%s\" on the worst of nine meshes"):format(name),
        "within 1 %", ("%.2f %%"):format(error), error <= 1)
    end
  end
end
common.print_machine(machine)
common.print_targets(targets)
common.write("models", { machine = machine, membranes = membranes, bendings = bendings, targets = targets })
