--- Wind only where air has come from: particles carry the air of each source, and what stands in their way throws a
--- lee. A world does all of this by itself (`world.wind.model = "particles"`); here it can be looked at and measured.

local core = require "weft.core"

---@class weft.wind_particles The grid around the scene, and the particles of each source.
---@field options weft.wind_particles.options as it was made, with what was left out
---@field time number s, that the last advance reached
---@field closed boolean
---@field advance fun(self: weft.wind_particles, options: weft.wind_particles.advance_options) lets the air move on
---@field at fun(self: weft.wind_particles, options: weft.wind_particles.at_options): weft.buffer velocities, m/s
---@field cells fun(self: weft.wind_particles, source: integer): weft.wind_particles.cells what they hold of a source
---@field read fun(self: weft.wind_particles): weft.wind_particles.particles all particles
---@field stats fun(self: weft.wind_particles): weft.wind_particles.stats what the last advance did
---@field reset fun(self: weft.wind_particles) forgets all particles and cells
---@field close fun(self: weft.wind_particles)

--- Lengths in cells are ways of the source's air.
---@class weft.wind_particles.options
---@field cell? number m, the side of the grid's cubes; 0, by default: 1/32 of the longest side of the scene
---@field margin? number cells of air around the scene, 1 to 64; 3 by default
---@field lower? number[] m, with `upper`: a grid that stays where it is, in place of one around the scene
---@field upper? number[] m
---@field per_side? integer particles along a side of a boundary cell, 1 to 4: more make finer edges of lee; 2 by
---    default
---@field interval? number cells that air passes from one emission to the next; 3 by default
---@field expiry? number cells that air passes until a cell that nothing reaches is lee; 2 interval + 2 by default
---@field slide? boolean whether particles slide along what they meet, or end; true by default
---@field wake? number how fast air is mixed into a lee: what is missing falls with the distance x as
---    (r / (r + wake x))^2 behind what hides a disc of radius r (Jensen 1983: 0.04 over water to 0.1); 0, by default: a
---    lee has no end
---@field filled? boolean whether a new source is at once everywhere where its air comes; false, by default: it comes
---@field scheme? "midpoint"|"euler" of the particles' ways; "midpoint" by default
---@field memory? number bytes that grid and particles may take; 2^30 by default

---@class weft.wind_particles.advance_options
---@field duration number s
---@field time? number s, where it begins; where the last one ended by default
---@field sources weft.wind.source[]
---@field obstacles? weft.wind_particles.obstacle[]
---@field floor? number m, the height of one that nothing passes

--- Triangles, or a collider.
---@class weft.wind_particles.obstacle
---@field positions? number[][]|weft.buffer m, of the vertices, at the end
---@field before? number[][]|weft.buffer m, at the beginning; at rest by default
---@field faces? integer[][]|weft.buffer
---@field collider? weft.collider
---@field porosity? number the share of the air that passes, 0 (default) to 1
---@field face_porosity? number[] of each face

---@class weft.wind_particles.at_options
---@field points number[][]|weft.buffer m
---@field normals? number[][]|weft.buffer of length 1: the points are middles of faces of cloth, where it is the wind
---    that comes at them that counts, before they stop it

---@class weft.wind_particles.cells Of cells by number: x first, then y, then z.
---@field shares weft.buffer of the source's air that is there, 0 to 1
---@field velocities weft.buffer m/s, stopped by what is in the way

---@class weft.wind_particles.particles
---@field positions weft.buffer m
---@field shares weft.buffer of the air that they carry
---@field sources weft.buffer numbers of their sources

---@class weft.wind_particles.stats
---@field particles integer
---@field emitted integer at the boundary, by the last advance
---@field filled integer in holes and new cells
---@field ended integer that left, stopped or were too many in their cell
---@field pieces integer of ways, each at most a cell long
---@field queries integer of obstacles along them
---@field reached integer cells, of all sources
---@field bytes number
---@field cell number m
---@field lower number[] m, where the grid begins
---@field cells integer[] along x, y and z

--- Wind particles on their own.
---
---     local weft = require "weft"
---     local wind = weft.wind.uniform { velocity = { 4, 0, 0 } }
---     local air = weft.wind_particles { lower = { 0, 0, 0 }, upper = { 2, 1, 1 }, cell = 0.1 }
---     local wall = { positions = { { 1, 0, 0.3 }, { 1, 1, 0.3 }, { 1, 1, 0.7 }, { 1, 0, 0.7 } },
---                    faces = { { 1, 2, 3 }, { 1, 3, 4 } } }
---     for _ = 1, 30 do
---       air:advance { sources = { wind }, obstacles = { wall }, duration = 1 / 30 }
---     end
---     print(air:at { points = { { 1.5, 0.5, 0.5 } } }:get(1)) -- 0 0 0: behind the wall
---@type fun(options?: weft.wind_particles.options): weft.wind_particles
return core.wind_particles
