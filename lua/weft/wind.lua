--- Sources of wind: velocities of the air as functions of place and time, that superpose.

local core = require "weft.core"

---@class weft.wind.source
---@field kind string "uniform"
---@field velocity number[]? m/s, of kinds that have one; can be set
---@field strength number|weft.wind.strength a factor over time; can be set, as the option
---@field extent weft.wind.extent|false where it blows; false: everywhere. Can be set
---@field falloff weft.wind.falloff|false how it fades with distance; false: not. Can be set
---@field enabled boolean false: it does not blow; can be set
---@field bounds weft.wind.bounds the box outside of which it does not blow
---@field closed boolean
---@field at fun(self: weft.wind.source, points: number[]|weft.buffer, time?: number, into?: weft.buffer): any
---    its velocity at a point, {u, v, w} in m/s, or at those of a buffer, as a buffer, at a time (0 s)
---@field strength_at fun(self: weft.wind.source, time: number): number the factor at a time; 0 while it is off
---@field close fun(self: weft.wind.source)

---@class weft.wind.strength
---@field keys number[][] {time, value}, times in s, rising; the first value before them, the last after them
---@field interpolation? "linear"|"cosine" between keys; "linear" by default, "cosine" is level at the keys
---@field period? number s: what happens from 0 to this repeats; 0, by default: nothing does

--- A box or a ball; it stays where it is when the source moves.
---@class weft.wind.extent
---@field lower? number[] m, of a box
---@field upper? number[] m
---@field centre? number[] m, of a ball
---@field radius? number m
---@field margin? number m: from the boundary inwards, within which it fades; 0 by default

--- Full up to `radius` from the centre, nothing from `radius + width` on, smooth between.
---@class weft.wind.falloff
---@field radius? number m; 0 by default
---@field width number m
---@field centre? number[] m; by default the source's position, with which it moves

---@class weft.wind.bounds
---@field lower number[] m; -math.huge where there is no bound
---@field upper number[]

---@class weft.wind.uniform_options
---@field velocity number[] m/s
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.face_options
---@field normal number[] of the face, of any length
---@field velocity? number[] m/s, of the face; 0 by default
---@field wind? number[] m/s; 0 by default
---@field area? number m²; 1 by default
---@field density? number kg/m³; 1.2 by default
---@field air? weft.cloth.air
---@field definite? boolean whether the damping has no negative eigenvalues; true by default

---@class weft.wind.module
local wind = {}

--- The same velocity everywhere.
---@type fun(options: weft.wind.uniform_options): weft.wind.source
wind.uniform = core.wind_uniform

--- What the air does to one flat face: the force, N, and the symmetric part of minus its derivative by the velocity, as
--- three rows, N s/m: what worlds solve with.
---@type fun(options: weft.wind.face_options): number[], number[][]
wind.face_force = core.face_force

return wind
