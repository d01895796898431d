-- A real garment under every scheme: does it drape, how fast, and if not, why.
--
--   luajit bench/schemes.lua [edge length in cm, 3 by default] [limit of wall time per scheme in s, 20 by default]
--
-- A T-shirt drafted for the mannequin is sewn and draped for half a second; each scheme then carries it on for a
-- second at 1/60 s, in contact with the body and itself. Prints a table and writes out/schemes.json: wall time and work
-- a step, the root mean square speed at the end, the 99th percentile's and the largest strain, how far the vertices are
-- from the default scheme's (mean), and crossings, which must be none.
--
-- Explicit schemes cannot take such steps: before the table stands how fast the garment's fastest motion is. Their rows
-- show how it breaks down.

local weft = require "weft"
local common = require "bench.common"
local cjson = require "cjson"

local edge = (tonumber(arg[1]) or 3) / 100
local limit = tonumber(arg[2]) or 20

local body = weft.body.mannequin()
local garment = weft.garment(weft.draft.tshirt(body))

local function start()
  local cloth = garment:sew { on = body, edge = edge }
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  world:step(30)
  world:remove(cloth)
  return cloth
end

local function strains_of(cloth)
  local all = {}
  for _, s in ipairs(cloth.strains:table()) do
    all[#all + 1] = math.max(math.abs(s[1]), math.abs(s[2]))
  end
  table.sort(all)
  return all[#all], common.quantile(all, 0.99)
end

local function run(scheme, time_step)
  local cloth = start()
  local world = weft.world { integrator = scheme, time_step = time_step }
  world:add(body)
  world:add(cloth)
  local began, steps, work = common.clock(), 0, { newton = 0, forces = 0, iterations = 0 }
  local ok, message = true, nil
  while ok and steps * time_step < 1 - 1e-9 and common.clock() - began < limit do
    ok, message = pcall(world.step, world)
    steps = steps + (ok and 1 or 0)
    local stats = world.stats
    work.newton, work.forces = work.newton + stats.newton_iterations, work.forces + stats.force_evaluations
    work.iterations = work.iterations + stats.solver_iterations
  end
  local seconds = common.clock() - began
  local largest, most = strains_of(cloth)
  return {
    scheme = scheme, time_step = time_step, steps = steps, simulated = steps * time_step,
    milliseconds_per_step = 1000 * seconds / math.max(steps, 1),
    seconds_per_second = steps > 0 and seconds / (steps * time_step) or nil,
    newton = work.newton / math.max(steps, 1), forces = work.forces / math.max(steps, 1),
    iterations = work.iterations / math.max(steps, 1), rms_speed = world.stats.rms_speed,
    largest_strain = largest, most_strain = most, failed = not ok and tostring(message) or nil,
    crossings = weft.inspect.intersections(cloth).count + weft.inspect.intersections(cloth, body).count,
    positions = cloth.positions:table(), vertices = cloth.vertices,
  }
end

local function mean_distance(a, b)
  local sum = 0
  for i, p in ipairs(a) do
    local q = b[i]
    sum = sum + math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2)
  end
  return sum / #a
end

local rows, reference = {}, nil
local function report(row)
  reference = reference or row.positions
  row.apart = mean_distance(row.positions, reference)
  row.positions = nil
  rows[#rows + 1] = row
  print(("%-22s %8.2g %6d %9.1f %9.1f %7.1f %7.0f %9.2g %8.2f %8.2f %8.2f %5d %s"):format(row.scheme, row.time_step,
    row.steps, row.milliseconds_per_step, row.seconds_per_second or 0, row.newton, row.iterations, row.rms_speed,
    100 * row.most_strain, 100 * row.largest_strain, 1000 * row.apart, row.crossings, row.failed or ""))
  io.stdout:flush()
end

local function print_spectrum()
  local cloth = start()
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  local spectrum = world:spectrum()
  print(("fastest motion: %.3g rad/s, damped at %.3g 1/s"):format(spectrum.frequency, spectrum.damping))
  print(("Stormer-Verlet could take %.2g s, forward Euler %.2g s\n"):format(2 / spectrum.frequency,
    2 / spectrum.damping))
end

print_spectrum()
print(("%-22s %8s %6s %9s %9s %7s %7s %9s %8s %8s %8s %5s"):format("scheme", "step s", "steps", "ms/step", "s per s",
  "Newton", "solver", "rms m/s", "99 % %", "most %", "apart mm", "cross"))
report(run("backward euler", 1 / 60))
for _, scheme in ipairs(weft.step.schemes()) do
  if scheme.name ~= "backward euler" and scheme.name ~= "runge kutta" then
    report(run(scheme.name, 1 / 60))
  end
end
local file = assert(io.open(common.out .. "/schemes.json", "w"))
file:write(cjson.encode(rows), "\n")
file:close()
