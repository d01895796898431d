-- A flag on its mast in a wind near the ground, turbulent as such winds are, and in a gust: frames of an animation,
-- a picture of the last with the wind behind it, and what the air does to the flag.
--
--   luajit examples/flag.lua [seconds=4] [out=out] [frames=out/flag] [quick]
--
-- Takes about a minute, a quarter of it for the physics: a second has 240 steps and 30 frames. With `quick`
-- a fifth of a second in small pictures. Where ImageMagick is installed the frames become out/flag.gif.

local animation = require "examples.animation"
local weft = require "weft"

local options = animation.options("flag", { seconds = 4 }, { seconds = 0.2 })
local seconds, out, folder, scale = options.seconds, options.out, options.frames, options.scale

local fabric = weft.fabric { base = "polyester", name = "flag nylon", density = 0.06 }
local columns, rows, width, height, top = 36, 24, 1.5, 1, 3.5
local world = weft.world { time_step = 1 / 240, integrator = "bdf2" }
local flag = world:add(weft.sheet { cells = { columns, rows }, size = { width, height }, warp = { 0, 1, 0 },
  centre = { width / 2, top - height / 2, 0 }, fabric = fabric })
local mast = {}
for row = 0, rows do
  mast[#mast + 1] = row * (columns + 1) + 1
end
flag:pin { vertices = mast }

-- 5 m/s at the flag's height, 15 % turbulence carried along by it, and 6 m/s more in a gust at half time.
local wind = { 5, 0, 1 }
world.wind:add(weft.wind.directional { velocity = wind, reference_height = top - height / 2 })
world.wind:add(weft.wind.turbulence { intensity = 0.75, length = 5, velocity = wind, seed = 3 })
world.wind:add(weft.wind.gust { velocity = { 6, 0, 0 }, onset = seconds / 2, duration = 2 })

local pole = weft.rigid { shape = "capsule", radius = 0.03, length = 2.4, position = { -0.04, top - 1.05, 0 },
                          detail = 3 } -- to look at

local function draw(file, w, h, arrows)
  world:picture { { flag, colour = { 0.75, 0.16, 0.12 } }, { pole, colour = { 0.3, 0.3, 0.32 } }, arrows, file = file,
    view = { azimuth = 25, elevation = 5 }, width = scale * w, height = scale * h }
end

local frame, per_frame = 0, 8 -- 30 frames a second
local sum, count = { 0, 0, 0 }, 0
local steps = math.floor(seconds * 240 + 0.5)
for step = 1, steps do
  world:step()
  local force = flag:air_force().force
  for k = 1, 3 do
    sum[k] = sum[k] + force[k]
  end
  count = count + 1
  if step % per_frame == 0 then
    frame = frame + 1
    draw(("%s/%03d.png"):format(folder, frame), 480, 400)
  end
  if step % 240 == 0 or step == steps then
    local blows = world.wind:at { width / 2, top - height / 2, 0 }
    print(("%4.1f s: wind %4.1f %4.1f %4.1f m/s, force %5.2f %5.2f %5.2f N, fastest %4.1f m/s"):format(world.time,
      blows[1], blows[2], blows[3], sum[1] / count, sum[2] / count, sum[3] / count, world.stats.max_speed))
    sum, count = { 0, 0, 0 }, 0
  end
end
draw(out .. "/flag.png", 900, 720,
  world.wind:arrows { lower = { -0.6, 1.2, -1 }, upper = { 2.6, 3.7, -1 }, spacing = 0.4 })
animation.join(folder, out .. "/flag.gif", 3)
