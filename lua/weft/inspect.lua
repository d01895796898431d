--- Questions about surfaces, answered exactly and independently of the simulation: the judge of its results.
---
--- A surface is any object with `positions` and `faces`, such as a mesh, a body or cloth, or a table with `vertices`
--- (or `positions`) and `faces` as lists or buffers.

local core = require "weft.core"

---@alias weft.inspect.surface userdata|{ vertices: number[][]|weft.buffer, faces: integer[][]|weft.buffer }

---@class weft.inspect.limits
---@field limit? integer pairs to list at most; 1000 by default

---@class weft.inspect.pairs
---@field count number of all pairs of triangles that intersect
---@field pairs weft.buffer the first of them: a face of the first surface and one of the second, sorted

---@class weft.inspect.report
---@field closed boolean every edge has an even number of faces
---@field manifold boolean no non-manifold edge or vertex
---@field oriented boolean faces that share an edge run along it in opposite directions
---@field components integer sets of faces connected through vertices
---@field boundary_loops integer closed curves formed by boundary edges
---@field boundary_edges integer edges of one face
---@field nonmanifold_edges integer edges of three faces and more
---@field nonmanifold_vertices integer vertices whose faces form more than one fan
---@field zero_area_faces integer faces with collinear corners
---@field isolated_vertices integer vertices of no face
---@field euler integer vertices - edges + faces
---@field area number m^2
---@field volume number enclosed, m^3, where the surface is closed and oriented

local inspect = {}

--- All pairs of a triangle of `a` and one of `b` that have a point in common, decided in exact arithmetic. Without `b`:
--- the pairs within `a`, of which those that share a vertex or an edge count when they have more in common than that.
--- Touching counts.
---@type fun(a: weft.inspect.surface, b?: weft.inspect.surface, options?: weft.inspect.limits): weft.inspect.pairs
inspect.intersections = core.intersections

--- What a surface is like: closed, manifold, oriented, of how many parts.
---@type fun(surface: weft.inspect.surface): weft.inspect.report
inspect.examine = core.examine

--- How many points are inside a surface, and a buffer of their distances from it, negative inside. Points are a list, a
--- buffer, or anything with positions. Inside is where the surface winds around the point more than half, so small gaps
--- and self-crossings do no harm.
---@type fun(surface: weft.inspect.surface, points: number[][]|weft.buffer|weft.inspect.surface): integer, weft.buffer
inspect.inside = core.inside

--- How often a surface winds around each point: 1 inside and 0 outside of a closed one, to 1e-3; the solid angle that
--- it fills, over 4 pi, of an open one.
---@type fun(surface: weft.inspect.surface, points: number[][]|weft.buffer|weft.inspect.surface): weft.buffer
inspect.winding = core.winding

return inspect
