-- weft against Bullet's position-based soft body on one mesh: 6,561 vertices, 1 m x 1 m, the mass of wool, 5 cm pinned
-- at two corners, level at first, 60 frames a second, one thread each, no contact.
--
--   luajit bench/bullet.lua [side=81] [frames=120] [repeats=5] [quick]
--
-- They take turns frame by frame. Bullet stretches as far as its iterations let it, weft as far as its fabric does.
-- What is compared is the time per frame where weft stretches no more, by the 99th percentile over the edges in the
-- last half second. Needs libbullet-dev (`make bench-peers`). Writes out/bullet.json.

local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"

local options = common.arguments { side = 81, frames = 120, repeats = 5, quick = false }
local FPS, SPEEDUP = 60, 5
local LATE = math.min(30, options.frames)
local wool = weft.fabric.wool
local vertices = options.side ^ 2

local driver = common.program "bullet_sheet"

local function start_bullet(substeps, iterations)
  return motion.of_peer("bullet" .. substeps, ("'%s' %d %d %g %d %d %.9g 0.05"):format(driver, options.side,
    options.frames, FPS, substeps, iterations, wool.density), vertices, FPS)
end

--- Wool whose membrane is `factor` times as stiff.
local function start_weft(factor)
  local world = weft.world { time_step = 1 / FPS, self_contact = false, max_iterations = 100000 }
  local cloth = world:add(common.hanging_sheet(options.side, { fabric = common.stiffer(wool, factor) }))
  return motion.of_world(world, cloth, FPS)
end

weft.threads(1)
local rest = common.hanging_sheet(options.side)
local meter = motion.stretch_meter(rest.faces, rest.positions:ffi().ptr)
local runners = {
  { name = "Bullet, 8 x 10 iterations", bullet = true, motion = start_bullet(8, 10) },
  { name = "Bullet, 1 x 10 iterations", bullet = true, motion = start_bullet(1, 10) },
}
for _, factor in ipairs { 4, 1, 0.25, 0.0625 } do
  runners[#runners + 1] = { name = ("weft, membrane x %g"):format(factor), motion = start_weft(factor) }
end
local machine = motion.race(runners, options.frames,
  common.machine_measurements(options.quick and 1e6 or 1e8, options.quick), options.repeats)

print "ms per frame, and of processor time | stretch over the last half second: mean, 99th percentile, largest %"
local rows, targets = {}, {}
for k, runner in ipairs(runners) do
  local seconds, processor = motion.frame_time(runner.motion)
  local row = { name = runner.name, ms = 1000 * seconds, processor_ms = 1000 * processor }
  row.stretch = motion.late_stretch(runner.motion, meter, LATE)
  rows[k] = row
  print(("%-28s %9.2f %9.2f | %7.2f %7.2f %7.2f"):format(row.name, row.ms, row.processor_ms, 100 * row.stretch.mean,
    100 * row.stretch.p99, 100 * row.stretch.largest))
end

--- The fastest of ours that stretches no more than this one of Bullet's.
local function fastest(bullet)
  local best, speedup
  for k, row in ipairs(rows) do
    if not runners[k].bullet and row.stretch.p99 <= rows[bullet].stretch.p99 and (not best or row.ms < best.ms) then
      best, speedup = row, motion.speedup(runners[bullet].motion, runners[k].motion)
    end
  end
  return best, speedup
end

for k, runner in ipairs(runners) do
  if runner.bullet then
    local best, speedup = fastest(k)
    targets[#targets + 1] = common.target(runner.name .. ", no more stretch",
      ("at least %d times less time"):format(SPEEDUP),
      best and ("%.1f times (%s)"):format(speedup, best.name) or "none is as stiff", best ~= nil and speedup >= SPEEDUP)
    if best and speedup < SPEEDUP then
      common.explain(best.name, best.ms, vertices, machine)
    end
  end
end
common.print_machine(machine)
common.print_targets(targets)
common.write("bullet", { machine = machine, rows = rows, targets = targets })
