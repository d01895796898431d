-- What contact costs: the search by kind of tree, update and pruning, and whole scenes.
--
--   luajit bench/contact.lua [triangles=10000,100000] [body=50000] [repeats=5] [data=<folder>] [only=variants,...]
--       [side=81] [layers=50] [layer=5000] [pressed=geometric] [weight] [barrier=41] [frames=30] [drop=100]
--       [shirt=0.02] [quick]
--
-- `variants`: a sheet of so many triangles in waves whose layers nearly touch, by itself, and a sheet that lies on a
-- ball of `body` triangles; they go to and fro between two states, so that the list is made each time. Update, find and
-- resolve, ms, for the default and with one option of weft.contact changed; and trees refitted against rebuilt.
-- `meshes`: the search on the two frames of `data`/collision-meshes (WEFT_SHARED_DATA), and whether all kinds agree.
-- `sphere`: 1 m x 1 m of `side` x `side` vertices falls on a ball in steps of 5 ms, 8 to a frame, one thread.
-- `layers`: so many sheets of `layer` vertices, 1 mm apart, between a plate at rest and one that comes down at 0.1 m/s,
-- steps of 1/120 s, two threads. They are pressed by contact "geometric", the answer for stacks, or by another,
-- pressed=impulses being the world's default; and by the plate alone, unless `weight` asks for gravity too. The first
-- step, which builds the world and in which the plate still rests, is told apart.
-- `barrier`: `barrier` x `barrier` vertices fall on a ball in steps of 1/60 s, by barriers and by impulses in turn, one
-- thread.
-- `shirt`: the share of contact in the steps of a draped T-shirt of this edge (m).
-- `blender`: `drop` x `drop` vertices fall on a ball, for `frames` frames of 1/30 s, beside Blender's cloth with
-- self-collision; both are judged by exact arithmetic. Only where Blender is installed (`make bench-peers`).
-- Prints tables and writes out/contact.json. Times are medians of wall time; processor time where it says so.

local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"
local shapes = require "spec.world.stress.shapes"

local options = common.arguments {
  triangles = "10000,100000", body = 50000, repeats = 5, data = os.getenv "WEFT_SHARED_DATA" or "", only = "",
  side = 81, layers = 50, layer = 5000, pressed = "geometric", weight = false, barrier = 41, frames = 30, drop = 100,
  shirt = 0.02, quick = false,
}
local MESH_MS, FRAME_SECONDS, LAYERS_SECONDS, REFIT_FACTOR, BARRIER_FACTOR, BLENDER_FACTOR = 40, 0.12, 2, 8, 6, 60
local HALF = 0.0005 -- m, half the distance that cloth keeps
local BALL = 0.25 -- m, the radius of the ball that sheets fall on

local result, targets = {}, {}

local function add_target(...)
  targets[#targets + 1] = common.target(...)
end

-- ---- scenes that are looked at alone -------------------------------------------------------------------------------

--- A grid of n x n cells whose point (a, b) of the unit square lies at place(a, b).
local function grid(n, place)
  local points, faces = {}, {}
  for i = 0, n do
    for j = 0, n do
      points[#points + 1] = { place(i / n, j / n) }
    end
  end
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local a = i * (n + 1) + j + 1
      local b, c, d = a + n + 1, a + n + 2, a + 1
      faces[#faces + 1], faces[#faces + 2] = { a, b, c }, { a, c, d }
    end
  end
  return points, faces
end

--- Waves 4 cm high whose slopes come as near each other as `gap` (m); the second state is a little higher.
local function waves(triangles)
  local n = math.floor(math.sqrt(triangles / 2) + 0.5)
  local function state(rise)
    return function(a, b)
      local phase = 8 * 2 * math.pi * a
      return 0.3 * a + 0.006 * math.sin(2 * phase), 0.02 * math.sin(phase) + rise * b, b
    end
  end
  local from, faces = grid(n, state(0))
  return { from = from, to = grid(n, state(0.004)), cloth = faces, body = {} }
end

--- A sheet that hangs over a ball 1.5 mm above it, and below.
local function over_ball(triangles, body)
  local n = math.floor(math.sqrt(triangles / 2) + 0.5)
  local function state(lift)
    return function(a, b)
      local x, z = a - 0.5, b - 0.5
      local out = math.sqrt(x * x + z * z)
      local polar = math.min(out / 0.3, math.pi / 2) -- straight down from the equator on
      local radius = 0.3 + lift
      local across = out > 0 and radius * math.sin(polar) / out or 0
      return x * across, radius * math.cos(polar) - math.max(0, out - 0.15 * math.pi), z * across
    end
  end
  local from, faces = grid(n, state(0.0025))
  local to = grid(n, state(0.0012))
  local cloth = #from
  local ball = shapes.sphere({ 0, 0, 0 }, 0.3, math.floor(math.sqrt(body / 4) + 0.5))
  local of_body = {}
  for i, p in ipairs(ball.vertices) do
    from[cloth + i], to[cloth + i] = p, p
  end
  for i, f in ipairs(ball.faces) do
    of_body[i] = { f[1] + cloth, f[2] + cloth, f[3] + cloth }
  end
  return { from = from, to = to, cloth = faces, body = of_body, cloth_count = cloth }
end

local function open(scene, variant)
  local given = {
    vertices = #scene.from, cloth_vertices = scene.cloth_count, cloth = scene.cloth, body = scene.body,
    half_thickness = HALF, friction = 0.3,
  }
  for name, value in pairs(variant) do
    given[name] = value
  end
  return weft.contact(given)
end

local function buffer_of(points)
  local buffer = weft.buffer { count = #points, components = 3 }
  local view = buffer:ffi()
  for i, p in ipairs(points) do
    for k = 1, 3 do
      view.ptr[3 * (i - 1) + k - 1] = p[k]
    end
  end
  return buffer
end

local VARIANTS = {
  { name = "default" },
  { name = "no pruning", pruning = "none" }, { name = "cones", pruning = "cones" },
  { name = "no contour test", contour_test = false },
  { name = "regions", tree = "regions" }, { name = "regions, no pruning", tree = "regions", pruning = "none" },
  { name = "14 planes", planes = 14 }, { name = "18 planes", planes = 18 }, { name = "26 planes", planes = 26 },
  { name = "arity 2", arity = 2 }, { name = "arity 8", arity = 8 },
  { name = "hybrid", tree_update = "hybrid" }, { name = "inflated", tree_update = "inflated" },
  { name = "rebuild", tree_update = "rebuild" },
}

local function options_of(variant)
  local given = {}
  for name, value in pairs(variant) do
    given[name] = name ~= "name" and value or nil
  end
  return given
end

--- A function that makes the list for the next state, finds and resolves, and keeps what each took.
local function stepper(scene, variant, from, to)
  -- What resolves covers the next state too, so that what makes the list is another scene.
  local contact, resolving, turn, rows = open(scene, options_of(variant)), open(scene, options_of(variant)), 0, {}
  contact:update { from = from, skin = 0.002 }
  return function()
    turn = turn + 1
    local here, there = turn % 2 == 0 and from or to, turn % 2 == 0 and to or from
    local began = common.clock()
    contact:update { from = here, skin = 0.002 }
    local updated, broad = common.clock(), contact:stats()
    contact:find { at = here }
    local found = common.clock() - updated
    resolving:update { from = here, skin = 0.002 }
    local covered = common.clock()
    local _, took = resolving:resolve { from = here, to = there, inverse_mass = 1 }
    local row = { update = updated - began, find = found, resolve = common.clock() - covered,
      tree = broad.tree_seconds, tested = broad.tested_pairs, regions = broad.regions, contacts = took.contacts,
      candidates = broad.candidates }
    table.insert(rows, row)
    return row.update + row.find + row.resolve
  end, rows
end

local function medians_of(rows)
  local row = {}
  for name in pairs(rows[1]) do
    local values = {}
    for i, r in ipairs(rows) do
      values[i] = r[name]
    end
    row[name] = common.median(values)
  end
  return row
end

local function run_variants()
  weft.threads(1)
  result.variants = {}
  for text in options.triangles:gmatch "[^,]+" do
    local triangles = tonumber(text)
    for kind, scene in pairs { self = waves(triangles), body = over_ball(triangles, options.body) } do
      local from, to = buffer_of(scene.from), buffer_of(scene.to)
      local measurements, all = {}, {}
      for _, variant in ipairs(VARIANTS) do
        local step, rows = stepper(scene, variant, from, to)
        measurements[#measurements + 1] = { variant.name, step }
        all[variant.name] = rows
      end
      common.interleave(options.repeats, measurements)
      print(("%d triangles, %s: ms of list, of which trees, find, resolve | tested pairs, regions, candidates")
        :format(triangles, kind == "self" and "in waves" or "on a ball of " .. #scene.body))
      for _, variant in ipairs(VARIANTS) do
        local row = medians_of(all[variant.name])
        row.name, row.triangles, row.scene = variant.name, triangles, kind
        table.insert(result.variants, row)
        print(("  %-20s %8.2f %8.2f %8.2f %8.2f | %9d %6d %8d"):format(row.name, 1000 * row.update, 1000 * row.tree,
          1000 * row.find, 1000 * row.resolve, row.tested, row.regions, row.candidates))
      end
      if kind == "self" then
        local factor = medians_of(all.rebuild).tree / medians_of(all.default).tree
        add_target(("trees refitted, %d triangles"):format(triangles),
          ("at least %d times faster than rebuilt"):format(REFIT_FACTOR), ("%.1f times"):format(factor),
          factor >= REFIT_FACTOR)
      end
    end
  end
end

-- ---- the shared frames ---------------------------------------------------------------------------------------------

local function run_meshes()
  local folder = options.data .. "/collision-meshes/cloth_ball"
  local frames = {}
  for i, name in ipairs { "92", "93" } do
    local file = io.open(folder .. name .. ".ply")
    if not file then
      print "meshes: there is no collision-meshes folder in data="
      return
    end
    file:close()
    frames[i] = weft.mesh.load(folder .. name .. ".ply")
  end
  weft.threads(1)
  result.meshes = {}
  local truth
  for _, variant in ipairs { VARIANTS[1], VARIANTS[2], VARIANTS[5], VARIANTS[8] } do
    local given = options_of(variant)
    given.vertices, given.cloth, given.half_thickness = frames[1].vertices, frames[1].faces, 1e-4
    local contact, times, found = weft.contact(given), {}, {}
    contact:update { from = frames[1].positions, skin = 1e-4 }
    for turn = 1, 2 * options.repeats do
      local frame = frames[turn % 2 + 1]
      local began = os.clock()
      contact:update { from = frame.positions, skin = 1e-4 }
      times[turn] = os.clock() - began
      found[turn % 2 + 1] = contact:find({ at = frame.positions }).vertices.count
    end
    table.sort(times)
    truth = truth or found
    local same = found[1] == truth[1] and found[2] == truth[2]
    local row = { name = variant.name, least = times[1], median = common.median(times), contacts = found, same = same }
    table.insert(result.meshes, row)
    print(("  %-20s %7.1f ms of processor time, at least %.1f; %d and %d contacts"):format(row.name,
      1000 * row.median, 1000 * row.least, found[1], found[2]))
    add_target("the shared frames, " .. variant.name, "the same contacts", same and "the same" or "others", same)
  end
  local judged = result.meshes[1]
  add_target("search on the shared frames, " .. judged.name, ("less than %d ms"):format(MESH_MS),
    ("%.1f ms"):format(1000 * judged.least), 1000 * judged.least < MESH_MS)
end

-- ---- worlds ------------------------------------------------------------------------------------------------------

--- Steps a world; sums of what its steps took, by phase.
local function run_steps(world, steps, before)
  local sum = { steps = steps, detection = 0, response = 0, solve = 0, assembly = 0, step = 0, backed_off = 0 }
  local began = common.clock()
  for k = 1, steps do
    if before then
      before(k)
    end
    world:step()
    local stats = world.stats
    for _, phase in ipairs { "detection", "response", "solve", "assembly", "step" } do
      sum[phase] = sum[phase] + (stats[phase .. "_seconds"] or 0)
    end
    sum.backed_off = sum.backed_off + stats.backed_off
    sum.longest = math.max(sum.longest or 0, stats.step_seconds)
  end
  sum.wall = common.clock() - began
  return sum
end

local function print_steps(name, sum)
  local share = (sum.detection + sum.response) / sum.step
  print(("  %-28s %8.2f ms a step: detection %.2f, response %.2f, solve %.2f, assembly %.2f; contact %.0f %%")
    :format(name, 1000 * sum.step / sum.steps, 1000 * sum.detection / sum.steps, 1000 * sum.response / sum.steps,
      1000 * sum.solve / sum.steps, 1000 * sum.assembly / sum.steps, 100 * share))
  sum.share = share
end

--- Triangles of a cloth that have a point in common, or that a body has in common with it.
local function crossings(cloth, body)
  return weft.inspect.intersections(cloth).count + (body and weft.inspect.intersections(cloth, body).count or 0)
end

--- A sheet of 1 m above a ball.
local function drop_world(world_options, side, gap)
  local world = weft.world(world_options)
  local ball = world:add(shapes.body(shapes.sphere({ 0, 0, 0 }, BALL, 24), "ball", 0.3))
  local cloth = world:add(weft.sheet { cells = { side - 1, side - 1 }, size = { 1, 1 },
    centre = { 0, BALL + gap, 0 } })
  return world, cloth, ball
end

local function run_sphere()
  weft.threads(1)
  local frames = options.quick and 6 or 45
  local world, cloth, ball = drop_world({ time_step = 0.005 }, options.side, 0.02)
  local sum = run_steps(world, 8 * frames)
  print_steps(("%d vertices on a ball"):format(options.side ^ 2), sum)
  sum.frame, sum.crossings = sum.wall / frames, crossings(cloth, ball)
  result.sphere = sum
  add_target("a sheet on a ball, 8 steps of 5 ms", ("at most %g s a frame"):format(FRAME_SECONDS),
    ("%.3f s, %d crossings"):format(sum.frame, sum.crossings), sum.frame <= FRAME_SECONDS and sum.crossings == 0)
end

local function run_layers()
  weft.threads(2)
  local cells, size, gap = common.side_of(options.layer) - 1, 0.7, 0.001
  local fabric = weft.fabric { base = "wool", thickness = 0.0004 }
  local world = weft.world { time_step = 1 / 120, contact = options.pressed,
    gravity = { 0, options.weight and -9.81 or 0, 0 } }
  local top = gap * options.layers
  local function plate(y0, y1)
    local box = shapes.box({ -size, y0, -size }, { size, y1, size })
    return weft.body { vertices = box.vertices, faces = box.faces, friction = 0.3, thickness = 0.0002 }, box
  end
  world:add((plate(-0.1, -gap)))
  local press, box = plate(top, top + 0.1)
  world:add(press)
  local sheets = {}
  for k = 1, options.layers do
    sheets[k] = world:add(weft.sheet { cells = { cells, cells }, size = { size, size }, fabric = fabric,
      centre = { 0, gap * (k - 1), 0 } })
  end
  local built = common.clock()
  world:step()
  built = common.clock() - built
  local steps = options.quick and 4 or 24
  local sum = run_steps(world, steps, function(k)
    local moved = {}
    for i, v in ipairs(box.vertices) do
      moved[i] = { v[1], v[2] - 0.1 * k / 120, v[3] }
    end
    press:move { positions = moved }
  end)
  local what = ("%d layers, %s, %s gravity"):format(options.layers, options.pressed,
    options.weight and "with" or "without")
  print_steps(("%s, %d vertices each"):format(what, (cells + 1) ^ 2), sum)
  sum.crossings, sum.built, sum.pressed, sum.weight = 0, built, options.pressed, options.weight
  for k = 1, options.layers do
    sum.crossings = sum.crossings + crossings(sheets[k], press)
      + (k > 1 and weft.inspect.intersections(sheets[k - 1], sheets[k]).count or 0)
  end
  sum.lowered = top - gap - select(2, sheets[options.layers].positions:get(1))
  print(("  %.1f s for the first step; %d vertices held back; the uppermost layer is %.1f mm lower, the plate %.1f mm")
    :format(built, sum.backed_off, 1000 * sum.lowered, 100 * steps / 120))
  sum.seconds_per_step = sum.wall / steps
  result.layers = sum
  add_target(what .. ", two threads", ("at most %g s a step"):format(LAYERS_SECONDS),
    ("%.2f s (longest %.2f), %d crossings"):format(sum.seconds_per_step, sum.longest, sum.crossings),
    sum.seconds_per_step <= LAYERS_SECONDS and sum.crossings == 0)
end

local function run_barrier()
  weft.threads(1)
  local rows, steps = {}, options.quick and 6 or 90
  for k, contact in ipairs { "barrier", "impulses" } do
    local world, cloth, ball = drop_world({ time_step = 1 / 60, contact = contact }, options.barrier, 0.02)
    rows[k] = { name = contact, world = world, cloth = cloth, ball = ball, seconds = 0, longest = 0 }
  end
  for _ = 1, steps do -- in turn, so that what else the machine does slows both
    for _, row in ipairs(rows) do
      local seconds = run_steps(row.world, 1).wall
      row.seconds, row.longest = row.seconds + seconds, math.max(row.longest, seconds)
    end
  end
  local barrier, impulses = rows[1], rows[2]
  result.barrier = { ratio = barrier.seconds / impulses.seconds, crossings = 0 }
  for _, row in ipairs(rows) do
    print(("  %-28s %8.2f ms a step, longest %.2f"):format(row.name, 1000 * row.seconds / steps, 1000 * row.longest))
    result.barrier[row.name] = { seconds_per_step = row.seconds / steps, longest = row.longest }
    result.barrier.crossings = result.barrier.crossings + crossings(row.cloth, row.ball)
  end
  add_target(("barriers beside impulses, %d vertices on a ball"):format(options.barrier ^ 2),
    ("at most %d times as long"):format(BARRIER_FACTOR),
    ("%.1f times, %d crossings"):format(result.barrier.ratio, result.barrier.crossings),
    result.barrier.ratio <= BARRIER_FACTOR and result.barrier.crossings == 0)
end

local function run_shirt()
  weft.threads(1)
  local body = weft.body.mannequin()
  local cloth = weft.garment(weft.draft.tshirt(body)):sew { on = body, edge = options.shirt }
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  world:step(options.quick and 2 or 30)
  local sum = run_steps(world, options.quick and 2 or 30)
  print_steps(("T-shirt of %d vertices"):format(cloth.vertices), sum)
  sum.ratio = (sum.detection + sum.response) / sum.solve
  result.shirt = sum
  add_target("contact on the draped shirt", "at most what the solve costs", ("%.2f of it"):format(sum.ratio),
    sum.ratio <= 1)
end

-- ---- Blender -------------------------------------------------------------------------------------------------------

local function run_blender()
  if os.execute "command -v blender >/dev/null 2>&1" ~= 0 then
    print "blender: it is not installed; make bench-peers"
    return
  end
  weft.threads(1)
  local side, wool, gap = options.drop, weft.fabric.wool, 0.05
  local edge, modulus = 1 / (side - 1), 0.5 * (wool.stretch.weft + wool.stretch.warp)
  local command = ("OMP_NUM_THREADS=1 blender -b --factory-startup -t 1 --python bench/peers/blender_drop.py -- " ..
    "side=%d frames=%d fps=30 radius=%g gap=%g distance=0.001 mass=%.9g tension=%.9g bending=%.9g damping=%.9g"):format(
    side, options.frames, BALL, gap, wool.density, modulus * edge,
    0.5 * (wool.bend.weft + wool.bend.warp) / (0.1 * edge), wool.viscosity * modulus)
  local peer = motion.of_peer("blender_drop", command, side ^ 2, 30)
  local world, cloth, ball = drop_world({ time_step = 1 / 60 }, side, gap)
  local faces = cloth.faces
  local row = { blender = { seconds = 0, crossings = 0 }, weft = { seconds = 0, crossings = 0 } }
  for _ = 1, options.frames do
    row.blender.seconds = row.blender.seconds + peer.advance()
    local began = common.clock()
    world:step(2)
    row.weft.seconds = row.weft.seconds + common.clock() - began
    row.weft.crossings = math.max(row.weft.crossings, crossings(cloth, ball))
    local x, points = peer.frames[#peer.frames].x, {}
    for i = 1, side ^ 2 do
      points[i] = { x[3 * i - 3], x[3 * i - 2], x[3 * i - 1] }
    end
    local mesh = weft.mesh { vertices = points, faces = faces }
    row.blender.crossings = math.max(row.blender.crossings, crossings(mesh, ball))
  end
  peer.close()
  row.speedup = row.blender.seconds / row.weft.seconds
  for name, of in pairs { Blender = row.blender, weft = row.weft } do
    print(("  %-8s %8.3f s a frame, at most %d crossings"):format(name, of.seconds / options.frames, of.crossings))
  end
  result.blender = row
  add_target("Blender's cloth with self-collision", ("at least %d times less time"):format(BLENDER_FACTOR),
    ("%.1f times, %d crossings (Blender: %d)"):format(row.speedup, row.weft.crossings, row.blender.crossings),
    row.speedup >= BLENDER_FACTOR and row.weft.crossings == 0)
end

-- ---- all -----------------------------------------------------------------------------------------------------------

local SECTIONS = {
  { "variants", run_variants }, { "meshes", run_meshes }, { "sphere", run_sphere }, { "layers", run_layers },
  { "barrier", run_barrier }, { "shirt", run_shirt }, { "blender", run_blender },
}
for _, section in ipairs(SECTIONS) do
  if options.only == "" or ("," .. options.only .. ","):find("," .. section[1] .. ",", 1, true) then
    section[2]()
  end
end
local _, all = common.interleave(options.quick and 1 or 5, common.machine_measurements(options.quick and 1e6 or 1e8,
  options.quick))
result.machine = common.machine_result(all)
common.print_machine(result.machine)
common.print_targets(targets)
result.targets = targets
common.write("contact", result)
