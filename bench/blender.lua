-- weft against Blender's cloth on one mesh: a sheet of 1 m x 1 m, 10,000 vertices, 5 cm pinned at two corners, level at
-- first, for one second at 30 frames a second, one thread each, no contact.
--
--   luajit bench/blender.lua [side=100] [frames=30] [quality=5] [reference=40] [steps=1920] [repeats=5] [quick]
--
-- Each is compared with its own converged motion of the same mesh: Blender's with `reference` steps a frame, weft's
-- with `steps` steps a second solved to 1e-6. Errors are root mean squares over the frames, of the centre of mass, of
-- the kinetic energy (relative to its largest) and of the mean height of the hem. Blender's reference is kept in out/
-- and is made anew when it is not there. Needs Blender 3.4 (`make bench-peers`). Writes out/blender.json.

local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"

local options = common.arguments {
  side = 100, frames = 30, quality = 5, reference = 40, steps = 1920, repeats = 5, quick = false,
}
local FPS, SPEEDUP = 30, 50
local wool = weft.fabric.wool
local vertices = options.side ^ 2

-- ---- Blender -------------------------------------------------------------------------------------------------------

--- Blender's settings that stand for wool. Its tension stiffness is that of a spring times the spring's length, and a
--- grid has as many springs side by side, so it is the modulus times the length. Its hinges' stiffness is a tenth of
--- the setting times the length of an edge, that of a plate its modulus. Damping: wool's viscosity times the stiffness.
local function blender_settings()
  local edge = 1 / (options.side - 1)
  local modulus = 0.5 * (wool.stretch.weft + wool.stretch.warp)
  return {
    tension = modulus * edge, damping = wool.viscosity * modulus,
    bending = 0.5 * (wool.bend.weft + wool.bend.warp) / (0.1 * edge),
  }
end

local function run_blender(quality, path)
  local settings = blender_settings()
  local command = ("blender -b --factory-startup -t 1 --python bench/peers/blender_sheet.py -- side=%d frames=%d " ..
    "fps=%d quality=%d mass=%.9g tension=%.9g bending=%.9g damping=%.9g out='%s' 2>&1"):format(options.side,
    options.frames, FPS, quality, wool.density, settings.tension, settings.bending, settings.damping, path)
  local pipe = assert(io.popen(command))
  local output = pipe:read "*a"
  pipe:close()
  local ok, result = pcall(motion.read, path, vertices, FPS)
  if not ok then
    error(("Blender did not run: %s\n%s"):format(result, output), 0)
  end
  return result
end

local function blender_reference()
  local path = ("%s/blender_%d_%d_%d.txt"):format(common.out, options.side, options.frames, options.reference)
  local ok, kept = pcall(motion.read, path, vertices, FPS)
  if ok and #kept.frames == options.frames + 1 then
    return kept
  end
  return run_blender(options.reference, path)
end

-- ---- weft ----------------------------------------------------------------------------------------------------------

local function run_weft(settings, tolerance)
  weft.threads(1)
  local world = weft.world {
    time_step = 1 / settings.steps, tolerance = tolerance, self_contact = false, max_iterations = 100000,
  }
  local cloth = world:add(common.hanging_sheet(options.side))
  local result = motion.record(world, cloth, options.frames, FPS)
  local view = cloth.masses:ffi()
  local masses = {}
  for i = 0, vertices - 1 do
    masses[i] = view.ptr[i]
  end
  world:close()
  cloth:close()
  return result, masses
end

--- What is tried, cheapest first.
local schemes = {
  { steps = 30, tolerance = 1e-2 }, { steps = 30, tolerance = 1e-3 }, { steps = 60, tolerance = 1e-3 },
  { steps = 120, tolerance = 1e-3 }, { steps = 240, tolerance = 1e-3 },
}

-- ---- the comparison ------------------------------------------------------------------------------------------------

local function row(name, cost, processor_cost, errors)
  print(("%-34s %9.3f %9.3f | %8.2f %8.2f %8.2f"):format(name, cost, processor_cost, 1000 * errors.centre,
    100 * errors.energy, 1000 * errors.hem))
end

local reference_motion, masses = run_weft({ steps = options.steps }, 1e-6)
local reference = motion.measures(reference_motion, masses, options.side)
local blender_converged = motion.measures(blender_reference(), 1, options.side)

local blender = { costs = {}, processor_costs = {} }
local measurements = common.machine_measurements(options.quick and 1e6 or 1e8, options.quick)
measurements[#measurements + 1] = { "blender", function()
  local m = run_blender(options.quality, common.out .. "/blender.txt")
  blender.errors = motion.errors(motion.measures(m, 1, options.side), blender_converged)
  table.insert(blender.processor_costs, motion.cost(m, "processor_seconds"))
  return motion.cost(m, "seconds")
end }
for _, scheme in ipairs(schemes) do
  scheme.name = ("weft, %d steps/s, tolerance %g"):format(scheme.steps, scheme.tolerance)
  scheme.processor_costs = {}
  measurements[#measurements + 1] = { scheme.name, function()
    local m = run_weft(scheme, scheme.tolerance)
    scheme.errors = motion.errors(motion.measures(m, masses, options.side), reference)
    table.insert(scheme.processor_costs, motion.cost(m, "processor_seconds"))
    return motion.cost(m, "seconds")
  end }
end
local costs, all = common.interleave(options.repeats, measurements)
local machine = common.machine_result(all)

print "s per simulated second, and of processor time | errors: centre of mass mm, kinetic energy %, mean hem height mm"
blender.cost, blender.processor_cost = costs.blender, common.median(blender.processor_costs)
row(("Blender, quality %d"):format(options.quality), blender.cost, blender.processor_cost, blender.errors)
local best
for _, scheme in ipairs(schemes) do
  scheme.cost, scheme.processor_cost = costs[scheme.name], common.median(scheme.processor_costs)
  scheme.speedup = common.ratio(all.blender, all[scheme.name])
  scheme.no_worse = motion.no_worse(scheme.errors, blender.errors)
  row(scheme.name, scheme.cost, scheme.processor_cost, scheme.errors)
  if scheme.no_worse and (not best or scheme.speedup > best.speedup) then
    best = scheme
  end
end

local target = common.target("Blender's cloth, error no larger", ("at least %d times less time"):format(SPEEDUP),
  best and ("%.1f times (%s)"):format(best.speedup, best.name) or "no scheme is as accurate",
  best ~= nil and best.speedup >= SPEEDUP)
if not target.met then
  local scheme = best or schemes[#schemes]
  common.explain(scheme.name .. ", a step", 1000 * scheme.cost / scheme.steps, vertices, machine)
  print "  (bench/step.lua says by phase on what)"
end
common.print_machine(machine)
common.print_targets { target }
common.write("blender", { machine = machine, blender = blender, schemes = schemes, targets = { target } })
