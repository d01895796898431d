--- Triangles read from and written to files, with the order of vertices and faces kept.

local core = require "weft.core"

---@class weft.mesh
---@field positions weft.buffer points, m
---@field faces weft.buffer index triples, counter-clockwise seen from outside
---@field vertices integer how many
---@field triangles integer how many
---@field colours weft.buffer? red, green, blue from 0 to 1 for each vertex, where the file has them
---@field closed boolean
---@field examine fun(self: weft.mesh): weft.inspect.report the same as weft.inspect.examine(mesh)
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

---@class weft.mesh.triangulate_options
---@field outline number[][]|weft.buffer {{x, y}, ...} m, in either direction, not repeating the first point
---@field holes? (number[][]|weft.buffer)[] loops inside the outline
---@field edge number target edge length, m
---@field minimum_angle? number rad, at most 30 degrees; 26 degrees by default
---@field limit? integer triangles; 4,000,000 by default
---@field split? boolean whether points may be inserted on the outline; true by default

---@class weft.triangulation
---@field points weft.buffer x and y of the vertices, m; the outline's points come first, then the holes'
---@field positions weft.buffer the same with z = 0
---@field faces weft.buffer index triples, counter-clockwise
---@field vertices integer how many
---@field triangles integer how many
---@field splits weft.buffer a segment (the point where it starts) and the vertex that was inserted on it
---@field split_parameters weft.buffer where on the segment, from 0 to 1
---@field minimum_angle number the smallest angle of any triangle, rad
---@field closed boolean
---@field close fun(self: weft.triangulation)

---@class weft.mesh.module
---@overload fun(options: weft.mesh.options): weft.mesh
local mesh = {}

--- Reads an OBJ or PLY file; its first bytes decide which. Polygons become fans of triangles; nothing is welded.
---@type fun(path: string, options?: weft.mesh.load_options): weft.mesh
mesh.load = core.load_mesh

--- Cuts the area inside an outline, and outside its holes, into near-equilateral triangles. Each angle is at least the
--- minimum wherever the outline's own angles allow it.
---@type fun(options: weft.mesh.triangulate_options): weft.triangulation
mesh.triangulate = core.triangulate

core.classes["weft.mesh"].examine = core.examine

return setmetatable(mesh, { __call = core.mesh })
