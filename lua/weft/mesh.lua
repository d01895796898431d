--- Triangles read from and written to files, with the order of vertices and faces kept.

local core = require "weft.core"

---@class weft.mesh
---@field positions weft.buffer points, m
---@field faces weft.buffer index triples, counter-clockwise seen from outside
---@field vertices integer how many
---@field triangles integer how many
---@field colours weft.buffer? red, green, blue from 0 to 1 for each vertex, where the file has them
---@field closed boolean
---@field save fun(self: weft.mesh, path: string, options?: weft.mesh.save_options) .obj (positions and faces) or .ply
---@field close fun(self: weft.mesh)

---@class weft.mesh.save_options
---@field precision? "double"|"float" of a PLY file's coordinates; "double" by default

---@class weft.mesh.options
---@field vertices number[][]|weft.buffer
---@field faces integer[][]|weft.buffer
---@field colours? number[][]|weft.buffer

---@class weft.mesh.load_options
---@field limit? number bytes that the file may have; 2^30 by default

---@class weft.mesh.module
---@overload fun(options: weft.mesh.options): weft.mesh
local mesh = {}

--- Reads an OBJ or PLY file; its first bytes decide which. Polygons become fans of triangles; nothing is welded.
---@type fun(path: string, options?: weft.mesh.load_options): weft.mesh
mesh.load = core.load_mesh

return setmetatable(mesh, { __call = core.mesh })
