-- What the fast schemes give for their time: milliseconds a frame against stretch, and against the motion that
-- backward Euler makes with the same steps when it is iterated to the end (by projective dynamics, whose iteration is
-- sure to get there). 1 m x 1 m, 0.2 kg, two corner points pinned, level at first, 60 frames a second, one thread.
--
--   luajit bench/fast.lua [side=100] [frames=45] [factor=1] [repeats=5] [quick]
--
-- factor: how many times as stiff as wool the membrane is. Prints a table and writes out/fast.json.

local ffi = require "ffi"
local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"

local options = common.arguments { side = 100, frames = 45, factor = 1, repeats = 5, quick = false }
local FPS, MASS = 60, 0.2
local side = options.side

local reference = { "backward euler, converged", { scheme = "projective dynamics", iterations = 500,
  newton_tolerance = 1e-3 } }
local schemes = {
  { "backward euler, one solve", { scheme = "backward euler" } },
  { "xpbd, 4 x 1", { scheme = "xpbd", substeps = 4 } },
  { "xpbd, 16 x 1", { scheme = "xpbd", substeps = 16 } },
  { "xpbd, 64 x 1", { scheme = "xpbd", substeps = 64 } },
  { "xpbd, 16 x 4", { scheme = "xpbd", substeps = 16, iterations = 4 } },
  { "projective dynamics, 1", { scheme = "projective dynamics", iterations = 1 } },
  { "projective dynamics, 3", { scheme = "projective dynamics", iterations = 3 } },
  { "projective dynamics, 10", { scheme = "projective dynamics", iterations = 10 } },
  { "projective dynamics, 30", { scheme = "projective dynamics", iterations = 30 } },
  { "vertex block descent, 5", { scheme = "vertex block descent", iterations = 5 } },
  { "vertex block descent, 20", { scheme = "vertex block descent", iterations = 20 } },
  { "the same, chebyshev, 20", { scheme = "vertex block descent", iterations = 20, form = "chebyshev" } },
}

local wool = common.stiffer(weft.fabric.wool, options.factor)
wool.density = MASS
local sheet = common.hanging_sheet(side, { fabric = wool, pinned = 0 })

--- The sheet as an equation: its threads run along x and z.
local function equation()
  local x, rest, faces = {}, {}, {}
  local positions, corners = sheet.positions, sheet.faces
  for i = 1, sheet.vertices do
    local a, b, c = positions:get(i)
    x[i], rest[i] = { a, b, c }, { a, -c }
  end
  for f = 1, sheet.triangles do
    faces[f] = { corners:get(f) }
  end
  return weft.step.cloth { x = x, rest = rest, faces = faces, fabric = wool, tolerance = 1e-3,
    pins = { side * (side - 1) + 1, side * side } }
end

local function copy(buffer)
  local view = buffer:ffi()
  local x = ffi.new("double[?]", 3 * view.count)
  ffi.copy(x, view.ptr, 3 * view.count * 8)
  return x
end

local cloth = equation()

local function start(scheme)
  local integrator, x, v = weft.step.integrator(scheme), nil, nil
  local m = { vertices = side * side, fps = FPS }
  m.frames = { { x = copy(sheet.positions), seconds = 0, processor_seconds = 0 } }
  function m.advance()
    local begin, processor = common.clock(), os.clock()
    x, v = integrator:step { equation = cloth, step = 1 / FPS, x = x, v = v }
    local seconds, processor_seconds = common.clock() - begin, os.clock() - processor
    table.insert(m.frames, { x = copy(x), seconds = seconds, processor_seconds = processor_seconds })
    return seconds
  end
  function m.close()
    integrator:close()
  end
  return m
end

weft.threads(1)
local runners = { { name = reference[1], motion = start(reference[2]) } }
for k, scheme in ipairs(schemes) do
  runners[k + 1] = { name = scheme[1], motion = start(scheme[2]) }
end
local machine = motion.race(runners, options.frames,
  common.machine_measurements(options.quick and 1e6 or 1e8, options.quick), options.repeats)

local meter = motion.stretch_meter(sheet.faces, sheet.positions:ffi().ptr)
local late, mass = math.min(15, options.frames), MASS / side ^ 2
local target = motion.measures(runners[1].motion, mass, side)
local results = {}
print(("%d vertices, membrane x %g of wool's; ms a frame, and of processor time"):format(side ^ 2, options.factor))
print "stretch: mean, 99th percentile, largest, in the last 15 frames | rms difference to the converged motion"
for k, runner in ipairs(runners) do
  local seconds, processor = motion.frame_time(runner.motion)
  local stretch = motion.late_stretch(runner.motion, meter, late)
  local errors = motion.errors(motion.measures(runner.motion, mass, side), target)
  results[k] = { name = runner.name, ms = 1000 * seconds, processor_ms = 1000 * processor, stretch = stretch,
    errors = errors }
  print(("%-26s %8.2f %8.2f | %6.3f %6.2f %7.2f %% | centre %6.1f mm, hem %6.1f mm, kinetic energy %5.1f %%"):format(
    runner.name, 1000 * seconds, 1000 * processor, 100 * stretch.mean, 100 * stretch.p99, 100 * stretch.largest,
    1000 * errors.centre, 1000 * errors.hem, 100 * errors.energy))
end
common.print_machine(machine)
common.write("fast", { machine = machine, side = side, factor = options.factor, results = results })
