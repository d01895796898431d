-- Draws a mesh from several sides, smooth and with its triangles, to judge it.
--
--   luajit examples/look.lua file.obj [file.png]
--
-- Reads OBJ and PLY; writes out/look.png unless told otherwise.

local weft = require "weft"
local lfs = require "lfs"

local source, target = arg[1], arg[2] or "out/look.png"
if not source then
  io.stderr:write "usage: luajit examples/look.lua file.obj [file.png]\n"
  os.exit(2)
end

lfs.mkdir "out"
local mesh = weft.mesh.load(source)
print(mesh)
weft.picture {
  { mesh, edges = true, borders = true, colours = mesh.colours },
  views = { "front", "left", "back", "three-quarter" },
  width = 2000,
  height = 900,
  file = target,
  progress = true,
}
print("wrote " .. target)
