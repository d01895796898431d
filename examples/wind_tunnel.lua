-- A mannequin in a wind tunnel, a flag in its lee and another beside it: how the air goes around it, what is left of
-- the wind behind it, and the forces on both flags.
--
--   luajit examples/wind_tunnel.lua [seconds=1.5] [cells=48] [out=out] [frames=out/tunnel] [quick]
--
-- Takes half a minute, with `quick` some seconds: a fifth of a second on coarse cells, in small pictures.
-- Writes out/wind_tunnel.png, streamlines; out/wake.png, the speed in the middle of the tunnel; out/wind_tunnel.csv, a
-- row for each step; and frames of an animation, vorticity at the height of the chest. Where ImageMagick is installed
-- these become out/wind_tunnel.gif.

local animation = require "examples.animation"
local weft = require "weft"

local options = animation.options("tunnel", { seconds = 1.5, cells = 48 }, { seconds = 0.2, cells = 16 })
local seconds, cells, out, folder, scale = options.seconds, options.cells, options.out, options.frames, options.scale

local speed, chest, lower, upper = 6, 1.25, { -1.1, 0, -2.4 }, { 1.1, 2.2, 1.2 }
local world = weft.world {}
local body = world:add(weft.body.mannequin { height = 1.72 })

local function add_flag(x)
  local flag = world:add(weft.sheet { cells = { 12, 12 }, size = { 0.4, 0.4 }, weft = { 0, 0, -1 },
    warp = { 0, 1, 0 }, centre = { x, chest, -0.9 } })
  local hoist = {}
  for row = 0, 12 do
    hoist[#hoist + 1] = 13 * row + 1
  end
  flag:pin { vertices = hoist }
  return flag
end
local sheltered, free = add_flag(0), add_flag(0.75)

world.wind:add(weft.wind.uniform { velocity = { 0, 0, -speed } })
world.wind.model = "flow"
world.wind.flow = { cells = cells, lower = lower, upper = upper, boundary = { x = "slip", y = "slip" } }

--- A slice through the tunnel between two corners, of which a number left out is the tunnel's.
local function slice(x, y, value)
  return world.wind:slice { lower = { x or lower[1], y or lower[2], lower[3] },
    upper = { x or upper[1], y or upper[2], upper[3] }, spacing = 0.04, value = value }
end

local csv = assert(io.open(out .. "/wind_tunnel.csv", "w"))
csv:write "time,wake_speed,sheltered_drag,free_drag\n"
local frames, half, sums = 0, math.floor(seconds / world.time_step / 2), { wake = 0, sheltered = 0, free = 0 }
world:run { seconds = seconds, progress = true, every = function()
  local wake = -world.wind:at({ 0, chest, -0.5 })[3]
  local drag, free_drag = -sheltered:air_force().force[3], -free:air_force().force[3]
  csv:write(("%.4f,%.4f,%.5f,%.5f\n"):format(world.time, wake, drag, free_drag))
  if world.steps > half then -- the wake is there
    sums = { wake = sums.wake + wake, sheltered = sums.sheltered + drag, free = sums.free + free_drag }
  end
  if world.steps % 3 == 0 then -- 20 frames a second
    frames = frames + 1
    world:picture { body, sheltered, free, { slice(nil, chest, "vorticity"), range = { -40, 40 } }, samples = 4,
      file = ("%s/%03d.png"):format(folder, frames), width = scale * 640, height = scale * 480,
      view = { azimuth = 60, elevation = 35 } }
  end
end }
csv:close()

local seeds = {}
for k = 0, 76 do
  seeds[#seeds + 1] = { -0.5 + k % 11 / 10, 0.1 + 0.3 * math.floor(k / 11), upper[3] }
end
local lines = world.wind:streamlines { lower = lower, upper = upper, seeds = seeds, radius = 0.006 }
world:picture { body, sheltered, free, lines, file = out .. "/wind_tunnel.png",
  view = { azimuth = 70, elevation = 12 }, width = scale * 1200, height = scale * 900 }
world:picture { body, sheltered, free, slice(0, nil), file = out .. "/wake.png", view = "left",
  width = scale * 1200, height = scale * 900 }
animation.join(folder, out .. "/wind_tunnel.gif", 5)
local count = world.steps - half
print(world)
print(("wind of %g m/s: %.2f m/s half a metre behind the back, drag of the flags %.3f N there, %.3f N beside"):format(
  speed, sums.wake / count, sums.sheltered / count, sums.free / count))
