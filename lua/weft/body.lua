--- Bodies: triangle surfaces that cloth lies on and bumps into.

local core = require "weft.core"

---@class weft.body
---@field name string
---@field positions weft.buffer points, m
---@field faces weft.buffer index triples, counter-clockwise seen from outside
---@field vertices integer how many
---@field triangles integer how many
---@field solid boolean closed, manifold and oriented: inside and outside are known
---@field bounds { lower: number[], upper: number[] }
---@field thickness number m, how far cloth stays from the surface beside its own half thickness; can be set
---@field friction number Coulomb's coefficient; can be set
---@field porosity number the share of wind of particles that passes, 0 (as it is made) to 1; can be set
---@field measures table<string, number>? of a mannequin: girths, lengths and heights, m, all measured on the mesh
---@field landmarks table<string, number[]>? of a mannequin: points, the left one of a pair
---@field closed boolean whether `close` was called
---@field girth fun(self: weft.body, options: weft.body.girth_options): number, number girth and height over the sole, m
---@field move fun(self: weft.body, options: weft.body.move_options) worlds take their cloth along in their next step
---@field place fun(self: weft.body, options: weft.body.move_options) worlds find it there; what it lands in passes
---@field save fun(self: weft.body, path: string) .obj or .ply
---@field close fun(self: weft.body)

--- A girth is that of a tape pulled tight around a horizontal section of the mesh: the torso without the arms, below
--- the crotch one leg. Bodies that are no mannequins are searched at the heights of the average figure; they must stand
--- along Y and look along +Z.
---@class weft.body.girth_options
---@field height? number m over the lowest point
---@field part? "bust"|"waist"|"hips"|"neck"

--- Either positions, or a rigid motion: first the turn, then the shift.
---@class weft.body.move_options
---@field positions? number[][]|weft.buffer m, one for each vertex
---@field turn? number[] rad: a vector along the axis, as long as the angle
---@field centre? number[] m, of the turn; the middle of the bounds by default
---@field shift? number[] m

---@class weft.body.options
---@field vertices number[][]|weft.buffer
---@field faces integer[][]|weft.buffer
---@field name? string
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.body.load_options
---@field name? string the file's name by default
---@field thickness? number
---@field friction? number
---@field limit? number bytes that the file may have; 2^30 by default

--- What is not given follows from the height, and from bust, waist and hips where these are given. Lengths in m.
---@class weft.body.mannequin_options
---@field figure? "woman"|"man" whose average proportions are used; "woman" by default
---@field height? number sole to crown, 1.2 to 2.2; 1.68, for a man 1.78
---@field bust? number girth at the bust points, 0.6 to 1.6; 0.548 (0.562) of the height
---@field underbust? number girth below the breasts, 0.55 to 1.45; 0.865 (0.95) of the bust, more with a large waist
---@field waist? number girth, 0.45 to 1.6; 0.82 (0.87) of the bust
---@field hips? number girth, 0.6 to 1.7; 0.595 (0.556) of the height, and 0.8 of what the bust is over its default
---@field neck? number girth, 0.24 to 0.55
---@field thigh? number girth 5 cm below the crotch, 0.3 to 0.95
---@field upper_arm? number girth, 0.16 to 0.55
---@field wrist? number girth, 0.1 to 0.26
---@field shoulder_width? number tip to tip, 0.24 to 0.56
---@field arm_length? number tip of the shoulder to wrist, 0.32 to 0.8 and 0.22 to 0.46 of the height
---@field inseam? number crotch to sole, 0.45 to 1.1 and 0.36 to 0.54 of the height
---@field name? string
---@field thickness? number
---@field friction? number

---@class weft.body.module
---@overload fun(options: weft.body.options): weft.body
local body = {}

--- Reads a body from an OBJ or PLY file. A surface that is open or non-manifold is taken, with a warning that says
--- what is lost.
---@type fun(path: string, options?: weft.body.load_options): weft.body
body.load = core.load_body

--- A closed, smooth, symmetric human figure that stands on Y = 0 and looks along +Z with its arms 45 degrees down. Its
--- girths, measured on the mesh, are what was asked for. All mannequins share one numbering of vertices.
---@type fun(options?: weft.body.mannequin_options): weft.body
body.mannequin = core.mannequin

return setmetatable(body, { __call = core.body })
