-- Drops a ball, a box, a pill and a gem into a cloth that hangs by its corners, and draws where they come to rest.
--
--   luajit examples/hammock.lua [file.png]

local weft = require "weft"
local lfs = require "lfs"

local target = arg[1] or "out/hammock.png"
lfs.mkdir "out"

local world = weft.world { floor = -0.6 }
local cells = 24
local cloth = world:add(weft.sheet { cells = { cells, cells }, size = { 0.8, 0.8 }, fabric = weft.fabric.wool })
local corners = { 1, cells + 1, cells * (cells + 1) + 1, (cells + 1) ^ 2 }
local held = {}
for k, corner in ipairs(corners) do
  local x, y, z = cloth.positions:get(corner)
  held[k] = { 0.8 * x, y, 0.8 * z }
end
cloth:pin { vertices = corners, targets = held }

local gem = {}
for k = 0, 6 do
  local angle = 2 * math.pi * k / 7
  gem[#gem + 1] = { 0.05 * math.cos(angle), 0.02, 0.05 * math.sin(angle) }
  gem[#gem + 1] = { 0.03 * math.cos(angle), 0.04, 0.03 * math.sin(angle) }
end
gem[#gem + 1] = { 0, -0.04, 0 }

local objects = {
  weft.rigid { shape = "sphere", radius = 0.07, density = 250, position = { 0.02, 0.2, 0.03 }, detail = 3 },
  weft.rigid { shape = "box", size = { 0.1, 0.07, 0.14 }, density = 250, position = { -0.1, 0.35, -0.03 },
               orientation = { 0.5, 0.3, 0.2 } },
  weft.rigid { shape = "capsule", radius = 0.035, length = 0.1, density = 250, position = { 0.1, 0.4, -0.05 },
               orientation = { 0, 0, 1.2 }, spin = { 3, 0, 5 } },
  weft.rigid { shape = "convex", points = gem, density = 500, position = { 0, 0.5, 0.06 }, spin = { 0, 4, 1 } },
}
for _, object in ipairs(objects) do
  world:add(object)
end
local rested = world:run { seconds = 4, until_rest = true, progress = true }
for _, object in ipairs(objects) do
  print(object, weft.inspect.intersections(object, cloth).count .. " intersections")
end
print(rested and "at rest" or "still moving", world.stats.max_speed .. " m/s")
world:picture { cloth, { objects[1], colour = { 0.75, 0.3, 0.25 } }, objects[2],
                { objects[3], colour = { 0.3, 0.5, 0.35 } }, { objects[4], colour = { 0.3, 0.35, 0.65 }, crease = 10 },
                file = target, view = { azimuth = 25, elevation = 28 }, width = 900, height = 700 }
