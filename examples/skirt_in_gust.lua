-- Lets a gust catch a skirt on the mannequin.
--
--   luajit examples/skirt_in_gust.lua [edge=0.02] [out=out] [frames=out/skirt] [quick]
--
-- Takes half a minute, with `quick` some seconds: large triangles, the beginning of the gust, and small pictures.
-- Writes out/skirt_in_gust.png, the skirt at the height of the gust and the wind behind it; out/skirt_moments.png, five
-- moments; and frames of an animation. Where ImageMagick is installed these become out/skirt_in_gust.gif.

local animation = require "examples.animation"
local weft = require "weft"

-- edge: the length of the triangles' edges, m
local options = animation.options("skirt", { edge = 0.02 }, { edge = 0.07 })
local edge, out, folder, quick, scale = options.edge, options.out, options.frames, options.quick, options.scale

local body = weft.body.mannequin { height = 1.72 }
local garment = weft.garment(weft.draft.skirt(body, { length = 0.62, flare = 1.3 }))
local bend = { weft = 4e-5, warp = 4e-5 }
garment.fabric = weft.fabric { base = "polyester", name = "taffeta", density = 0.08, bend = bend }
local bar = weft.progress.bar()
local skirt = garment:sew { on = body, edge = edge, progress = bar }
local world = weft.world { time_step = 1 / 120 }
world:add(body)
world:add(skirt)
world:run { seconds = quick and 0.2 or 1, settle = quick and 0.1 or 0.5, progress = bar }

-- From the right, from below and a little from the front: in the still air of the room, up to the waist.
local start = world.time
world.wind:add(weft.wind.gust {
  velocity = { 9, 6, -3 }, onset = start + 0.2, duration = 1.2,
  extent = { lower = { -2, -1, -2 }, upper = { 2, 1.2, 2 }, margin = 0.2 },
})

--- An object where it is now, moved sideways: a picture takes anything with positions and faces.
local function copy(object, dx)
  local moved = weft.buffer { count = #object.positions }
  for k = 1, #moved do
    local x, y, z = object.positions:get(k)
    moved:set(k, x + dx, y, z)
  end
  return { positions = moved, faces = object.faces }
end

local frames, strongest, moments = 0, 0, { view = { azimuth = 20, elevation = 6 }, width = scale * 1500,
  height = scale * 500, file = out .. "/skirt_moments.png" }

local function draw_frame()
  local time = world.time - start
  strongest = math.max(strongest, skirt:air_force().force[1])
  if world.steps % 5 == 0 then -- 24 frames a second
    frames = frames + 1
    world:picture { body, skirt, file = ("%s/%03d.png"):format(folder, frames), width = scale * 360,
                    height = scale * 480, samples = 4, ground = 0,
                    view = { eye = { 2.9, 1.3, 4.2 }, target = { 0.1, 0.86, 0 }, fov = 24 } }
  end
  if time >= 0.35 * (#moments / 2 + 1) - 0.2 then
    local dx = 1.45 * #moments / 2
    moments[#moments + 1] = { copy(body, dx), look = "body" }
    moments[#moments + 1] = { copy(skirt, dx), look = "cloth", colour = { 0.29, 0.43, 0.60 } }
  end
end

world:run { seconds = quick and 0.3 or 0.8, every = draw_frame, progress = bar } -- the middle of the gust
local arrows = world.wind:arrows { lower = { -1.2, 0.1, -0.6 }, upper = { 0.9, 1.3, -0.6 }, spacing = 0.3 }
world:picture { body, skirt, arrows, file = out .. "/skirt_in_gust.png", width = scale * 900, height = scale * 900,
                view = { azimuth = 25, elevation = 5 } }
world:run { seconds = quick and 0.1 or 1, every = draw_frame, progress = bar }
bar:finish()
world:picture(moments)
animation.join(folder, out .. "/skirt_in_gust.gif", 4)
print(world)
print(skirt, ("%d frames, at most %.2f N to the left"):format(frames, strongest))
