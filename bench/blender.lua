-- weft against Blender's cloth on one mesh: a sheet of 1 m x 1 m, 10,000 vertices, 5 cm pinned at two corners, level at
-- first, for one second at 30 frames a second, one thread each, no contact.
--
--   luajit bench/blender.lua [side=100] [frames=30] [quality=5] [reference=200] [steps=960] [repeats=5] [quick]
--
-- They take turns frame by frame. Each is compared with its own converged motion of the same mesh: Blender's with
-- `reference` steps a frame, weft's with `steps` steps a second solved to 1e-6. Errors are root mean squares over the
-- frames, of the centre of mass, of the kinetic energy (relative to its largest) and of the mean height of the hem.
-- Blender ends its conjugate gradients after 100 iterations; with so light a mesh that is what most of its error comes
-- from: at few steps a frame the sheet hardly falls. So weft need not solve far to be nearer to its own limit: to 5e-2
-- and to 1e-3 one step a frame has the same error, that of the step's length. Blender's reference is kept in out/ and
-- is made anew when it is not there (some twenty minutes). Its solver would use all cores whatever -t says:
-- OMP_NUM_THREADS holds it to one. Needs Blender 3.4 (`make bench-peers`).
-- Writes out/blender.json.

local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"

local options = common.arguments {
  side = 100, frames = 30, quality = 5, reference = 200, steps = 960, repeats = 5, quick = false,
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

local function start_blender(quality)
  local settings = blender_settings()
  local command = "OMP_NUM_THREADS=1 blender -b --factory-startup -t 1 --python bench/peers/blender_sheet.py -- " ..
    "side=%d frames=%d fps=%d quality=%d mass=%.9g tension=%.9g bending=%.9g damping=%.9g"
  return motion.of_peer("blender", command:format(options.side, options.frames, FPS, quality, wool.density,
    settings.tension, settings.bending, settings.damping), vertices, FPS)
end

local function finish(m)
  for _ = 1, options.frames do
    m.advance()
  end
  m.close()
  return m
end

local function blender_reference()
  local path = ("%s/blender_%d_%d_%d.txt"):format(common.out, options.side, options.frames, options.reference)
  local kept = motion.read(path, vertices, FPS)
  if not kept or #kept.frames ~= options.frames + 1 then
    kept = finish(start_blender(options.reference))
    motion.save(kept, path)
  end
  return kept
end

-- ---- weft ----------------------------------------------------------------------------------------------------------

local function start_weft(steps, tolerance, integrator)
  local world = weft.world {
    time_step = 1 / steps, tolerance = tolerance, self_contact = false, max_iterations = 100000,
    integrator = integrator,
  }
  local cloth = world:add(common.hanging_sheet(options.side))
  return motion.of_world(world, cloth, FPS), cloth
end

local function masses_of(cloth)
  local view, masses = cloth.masses:ffi(), {}
  for i = 0, vertices - 1 do
    masses[i] = view.ptr[i]
  end
  return masses
end

-- ---- the comparison -------------------------------------------------------------------------------------------------

weft.threads(1)
local weft_reference, cloth = start_weft(options.steps, 1e-6, "implicit midpoint")
local masses = masses_of(cloth)
local weft_converged = motion.measures(finish(weft_reference), masses, options.side)
local blender_converged = motion.measures(blender_reference(), 1, options.side)

local runners = { { name = ("Blender, quality %d"):format(options.quality), motion = start_blender(options.quality) } }
for _, s in ipairs {
  { "backward euler", "linear", 30, 5e-2 }, { "backward euler", "linear", 30, 1e-2 },
  { "backward euler", "linear", 30, 1e-3 },
  { "bdf2", "linear", 30, 1e-2 }, { "bdf2", "linear", 60, 1e-3 },
  { "bdf2", "corrected", 30, 1e-2 }, { "bdf2", "corrected", 60, 1e-3 },
  { "alpha bdf2", "corrected", 30, 1e-3 }, { "alpha bdf2", "corrected", 60, 1e-3 },
} do
  runners[#runners + 1] = {
    name = ("%s, %s, %d steps/s, tolerance %g"):format(unpack(s)), steps = s[3],
    motion = start_weft(s[3], s[4], { scheme = s[1], newton = s[2] }),
  }
end
local machine = motion.race(runners, options.frames,
  common.machine_measurements(options.quick and 1e6 or 1e8, options.quick), options.repeats)

print "s per simulated second, and of processor time | errors: centre of mass mm, kinetic energy %, mean hem height mm"
local rows, blender, best = {}, nil, nil
for k, runner in ipairs(runners) do
  local seconds, processor = motion.frame_time(runner.motion)
  local row = { name = runner.name, steps = runner.steps, cost = FPS * seconds, processor_cost = FPS * processor }
  row.errors = motion.errors(motion.measures(runner.motion, runner.steps and masses or 1, options.side),
    runner.steps and weft_converged or blender_converged)
  rows[k] = row
  print(("%-48s %9.3f %9.3f | %8.2f %8.2f %8.2f"):format(row.name, row.cost, row.processor_cost,
    1000 * row.errors.centre, 100 * row.errors.energy, 1000 * row.errors.hem))
  if not runner.steps then
    blender = row
  else
    row.speedup, row.median_speedup = motion.speedup(runners[1].motion, runner.motion)
    if motion.no_worse(row.errors, blender.errors) and (not best or row.speedup > best.speedup) then
      best = row
    end
  end
end

local target = common.target("Blender's cloth, error no larger", ("at least %d times less time"):format(SPEEDUP),
  best and ("%.1f times (%s)"):format(best.speedup, best.name) or "no scheme is as accurate",
  best ~= nil and best.speedup >= SPEEDUP)
if not target.met then
  local row = best or rows[#rows]
  common.explain(row.name .. ", a step", 1000 * row.cost / row.steps, vertices, machine)
  print "  (bench/step.lua says by phase on what)"
end
common.print_machine(machine)
common.print_targets { target }
common.write("blender", { machine = machine, rows = rows, targets = { target } })
