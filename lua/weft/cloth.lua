--- Cloth: sheets, cloths from tables, and what sewing makes of garments.

local core = require "weft.core"

---@class weft.cloth
---@field positions weft.buffer m, in the order in which the vertices were given; filled anew when it is read
---@field velocities weft.buffer m/s
---@field normals weft.buffer unit vectors
---@field masses weft.buffer kg
---@field faces weft.buffer triangles, counter-clockwise
---@field strains weft.buffer per face: weft strain, warp strain, shear angle (rad)
---@field vertices integer
---@field triangles integer
---@field stitches integer vertex pairs that are not merged yet
---@field mass number kg
---@field fabric weft.fabric a copy; assign to change it
---@field membrane string|string[]|table<string, string> a name of weft.model.list(), or one for each fabric by name or
---  number, and `default`
---@field bending string|string[]|table<string, string>
---@field closed boolean
---@field pin fun(self: weft.cloth, options: weft.cloth.pin_options) holds vertices where they are, or moves them
---@field unpin fun(self: weft.cloth, options?: { vertices?: integer[] }) lets vertices go; all without `vertices`
---@field assign fun(self: weft.cloth, options: { velocities?: number[][] }) sets the state
---@field energy fun(self: weft.cloth): weft.energy of this cloth in its world
---@field momentum fun(self: weft.cloth): weft.momentum of this cloth in its world
---@field ease fun(self: weft.cloth, rings: integer): weft.buffer per face the largest ratio of seam sides near it
---@field save fun(self: weft.cloth, path: string) .obj with normals and pattern coordinates, or .ply
---@field close fun(self: weft.cloth)
---@class weft.cloth.pin_options
---@field vertices integer[]
---@field targets? number[][] where each is to be at the end of the next step; where it is now by default

---@class weft.cloth.options
---@field vertices number[][] m
---@field faces integer[][]
---@field rest number[][] {u, v} of each vertex, weft and warp coordinates of the cut pattern, m
---@field fabric? weft.fabric|weft.fabric[] wool by default
---@field face_fabric? integer[] which of the fabrics each face is cut from
---@field membrane? string|table<string|integer, string>
---@field bending? string|table<string|integer, string>
---@field stitches? integer[][] vertex pairs for world:sew to draw together

--- A cloth from tables.
---@type fun(options: weft.cloth.options): weft.cloth
return core.cloth
