-- Sews a garment around a body and drapes it until it rests.
--
--   luajit examples/dress.lua [pattern.json] [body.obj]
--
-- Writes out/<pattern>.obj (the cloth alone), .ply and .png (three-quarter front and back). Without arguments it
-- dresses the parametric mannequin in a T-shirt, a skirt and trousers drafted from its measurements. A GarmentCode
-- pattern wants the body that it was drafted for. WEFT_EDGE sets the edge length of the triangles in metres.

local weft = require "weft"
local lfs = require "lfs"

local edge = os.getenv "WEFT_EDGE" or 0.012
edge = tonumber(edge) or edge -- what is no number is refused by name
local bar = weft.progress.bar()

local function dress(name, garment, body)
  print(garment)
  local cloth = garment:sew { on = body, edge = edge, progress = bar }
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  local rested = world:run { seconds = 20, settle = 1.5, until_rest = true, progress = bar }
  bar:finish()
  print(world)
  print(cloth)
  local crossings = weft.inspect.intersections(cloth).count + weft.inspect.intersections(cloth, body).count
  print(("%d intersections; %s"):format(crossings, rested and "at rest" or "still moving after 20 s"))
  local path = "out/" .. name
  cloth:save(path .. ".obj")
  cloth:save(path .. ".ply")
  world:picture { cloth, body, file = path .. ".png", views = { "three-quarter", "three-quarter back" } }
  print(("wrote %s.obj, %s.ply and %s.png\n"):format(path, path, path))
  if crossings > 0 or not rested then
    error(name .. " did not come to rest without intersections", 0)
  end
end

local function main(pattern, body_file)
  lfs.mkdir "out"
  local body = body_file and weft.body.load(body_file) or weft.body.mannequin()
  if pattern then
    dress(pattern:match "([^/\\]+)$":gsub("_specification", ""):gsub("%.json$", ""), weft.garment.load(pattern), body)
    return
  end
  for _, name in ipairs { "tshirt", "skirt", "trousers" } do
    dress(name, weft.garment(weft.draft[name](body)), body)
  end
end

local done, message = pcall(main, arg[1], arg[2])
if not done then
  io.stderr:write("\n", tostring(message), "\n")
  os.exit(1)
end
