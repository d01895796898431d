-- weft against Bullet's position-based soft body on one mesh: 6,561 vertices, 1 m x 1 m, the mass of wool, 5 cm pinned
-- at two corners, level at first, 60 frames a second, one thread each, no contact.
--
--   luajit bench/bullet.lua [side=81] [frames=120] [repeats=5] [quick]
--
-- Bullet stretches as far as its iterations let it, weft as far as its fabric does. What is compared is the time per
-- frame where weft stretches no more, by the 99th percentile over the edges in the last half second. Needs
-- libbullet-dev (`make bench-peers`). Writes out/bullet.json.

local weft = require "weft"
local common = require "bench.common"
local motion = require "bench.motion"

local options = common.arguments { side = 81, frames = 120, repeats = 5, quick = false }
local FPS, SPEEDUP = 60, 5
local LATE = math.min(30, options.frames)
local wool = weft.fabric.wool
local vertices = options.side ^ 2

local driver = common.program "bullet_sheet"

local function run_bullet(substeps, iterations)
  local path = common.out .. "/bullet.txt"
  local command = ("'%s' %d %d %g %d %d %.9g 0.05 %s"):format(driver, options.side, options.frames, FPS, substeps,
    iterations, wool.density, path)
  if os.execute(command) ~= 0 then
    error("cannot run " .. command, 0)
  end
  return motion.read(path, vertices, FPS)
end

--- Wool whose membrane is `factor` times as stiff.
local function run_weft(factor)
  weft.threads(1)
  local world = weft.world { time_step = 1 / FPS, self_contact = false, max_iterations = 100000 }
  local cloth = world:add(common.hanging_sheet(options.side, { fabric = common.stiffer(wool, factor) }))
  local m = motion.record(world, cloth, options.frames, FPS)
  world:close()
  cloth:close()
  return m
end

local rest = common.hanging_sheet(options.side)
local meter = motion.stretch_meter(rest.faces, rest.positions:ffi().ptr)
local rows = {
  { name = "Bullet, 8 x 10 iterations", run = function() return run_bullet(8, 10) end },
  { name = "Bullet, 1 x 10 iterations", run = function() return run_bullet(1, 10) end },
}
for _, factor in ipairs { 4, 1, 0.25, 0.0625 } do
  rows[#rows + 1] = {
    name = ("weft, membrane x %g"):format(factor), weft = true, run = function() return run_weft(factor) end,
  }
end

local measurements = common.machine_measurements(options.quick and 1e6 or 1e8, options.quick)
for _, row in ipairs(rows) do
  row.processor = {}
  measurements[#measurements + 1] = { row.name, function()
    local m = row.run()
    row.stretch = motion.late_stretch(m, meter, LATE)
    table.insert(row.processor, 1000 * motion.cost(m, "processor_seconds") / FPS)
    return 1000 * motion.cost(m, "seconds") / FPS
  end }
end
local costs, all = common.interleave(options.repeats, measurements)
local machine = common.machine_result(all)

print "ms per frame, and of processor time | stretch over the last half second: mean, 99th percentile, largest %"
local targets = {}
for _, row in ipairs(rows) do
  row.ms, row.processor_ms, row.run = costs[row.name], common.median(row.processor), nil
  print(("%-28s %9.2f %9.2f | %7.2f %7.2f %7.2f"):format(row.name, row.ms, row.processor_ms, 100 * row.stretch.mean,
    100 * row.stretch.p99, 100 * row.stretch.largest))
end
for _, bullet in ipairs(rows) do
  local best
  for _, row in ipairs(rows) do
    if not bullet.weft and row.weft and row.stretch.p99 <= bullet.stretch.p99 then
      local speedup = common.ratio(all[bullet.name], all[row.name])
      if not best or speedup > best.speedup then
        best = { row = row, speedup = speedup }
      end
    end
  end
  if not bullet.weft and not best then
    targets[#targets + 1] = common.target(("%s, no more stretch"):format(bullet.name),
      ("at least %d times less time"):format(SPEEDUP), "none is as stiff", false)
  elseif best then
    targets[#targets + 1] = common.target(("%s, no more stretch"):format(bullet.name),
      ("at least %d times less time"):format(SPEEDUP), ("%.1f times (%s)"):format(best.speedup, best.row.name),
      best.speedup >= SPEEDUP)
    if best.speedup < SPEEDUP then
      common.explain(best.row.name, best.row.ms, vertices, machine)
    end
  end
end
common.print_machine(machine)
common.print_targets(targets)
common.write("bullet", { machine = machine, rows = rows, targets = targets })
