-- Time integrators: where they are stable, what precision costs, and which of them suits a scene.
--
--   luajit examples/integrators.lua
--
-- Writes out/stability_<scheme>.png for every scheme that has a stability region.

local weft = require "weft"
local lfs = require "lfs"

local step = weft.step
lfs.mkdir "out"

print "Stability: largest step times frequency without and with damping alone, angle of the stable sector"
for _, scheme in ipairs(step.schemes()) do
  local file = ("out/stability_%s.png"):format(scheme.name:gsub(" ", "_"))
  -- Schemes that work element by element have no region.
  if pcall(step.stability, { scheme = scheme.name, file = file }) then
    local undamped = step.stability_limit(scheme.name, { direction = { 0, 1 } })
    local damped = step.stability_limit(scheme.name)
    local angle = math.deg(step.stability_angle(scheme.name))
    print(("  %-18s %6.3f %6.3f %5.1f  %s"):format(scheme.name, undamped, damped, angle, file))
  end
end

print "\nA pendulum of one's own, and what four schemes make of it in 10 s with 1,000 steps"
local pendulum = step.equation {
  title = "pendulum with friction", x = { 2 }, to = 10, linear_in_velocity = true,
  force = function(_, x, v) return -9.81 * math.sin(x[1]) - 0.1 * v[1] end,
  stiffness = function(_, x) return { { 9.81 * math.cos(x[1]) } } end,
  damping = 0.1,
}
for _, row in ipairs(step.precision {
  schemes = { "rk4", "verlet averaged", "bdf2", "backward euler" }, equations = { pendulum }, steps = { 1000 },
}) do
  print(("  %-18s error %.1e, %.0f evaluations, %.2g operations"):format(row.scheme, row.error, row.evaluations,
    row.flops))
end

print "\nA sheet that swings from two corners"
local world = weft.world { self_contact = false }
local sheet = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.4, 0.4 }, warp = { 0, 1, 0 } })
sheet:pin { vertices = { 73, 81 } }
world.gravity = { 0, -9.81, 3 }
world:run { seconds = 0.3 }
world.gravity = { 0, -9.81, 0 }
local advice = step.recommend(world, { error = 2e-3, time_limit = 15 })
print(advice.table)
print(advice.reason)
world.integrator, world.time_step = advice.scheme, advice.time_step
world:run { seconds = 0.5 }
print(world)
