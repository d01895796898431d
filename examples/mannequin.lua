-- Makes three mannequins from measurements, prints what they measure, and draws them side by side.
--
--   luajit examples/mannequin.lua
--
-- Writes out/mannequins.png.

local weft = require "weft"
local lfs = require "lfs"

local figures = {
  { name = "average woman" },
  { name = "tall man", figure = "man", height = 1.92 },
  { name = "by measure", height = 1.60, bust = 1.06, waist = 0.92, hips = 1.12 },
}

--- The mesh of a body, moved sideways: a picture takes anything with positions and faces.
local function moved(body, x)
  local positions = weft.buffer { count = #body.positions }
  positions:assign(body.positions)
  for i = 1, #positions do
    local px, py, pz = positions:get(i)
    positions:set(i, px + x, py, pz)
  end
  return { positions = positions, faces = body.faces }
end

lfs.mkdir "out"
local picture = {
  view = { azimuth = 25, elevation = 5 }, width = 1600, height = 900, file = "out/mannequins.png", progress = true,
}
for i, figure in ipairs(figures) do
  local body = weft.body.mannequin(figure)
  print(body)
  for _, part in ipairs { "bust", "waist", "hips" } do
    local girth, height = body:girth { part = part }
    print(("  %-6s %5.1f cm, %5.1f cm over the floor"):format(part, 100 * girth, 100 * height))
  end
  picture[i] = { moved(body, 1.35 * (i - 2)), look = "body" }
end
weft.picture(picture)
print "wrote out/mannequins.png"
