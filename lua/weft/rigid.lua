--- Rigid bodies: objects with a mass that rest in cloth, hang from it, fall into it, and push it as it pushes them.

local core = require "weft.core"

---@class weft.rigid
---@field name string
---@field shape "sphere"|"capsule"|"box"|"convex"|"mesh"
---@field positions weft.buffer points of the surface, m
---@field faces weft.buffer index triples, counter-clockwise seen from outside
---@field vertices integer how many
---@field triangles integer how many
---@field mass number kg
---@field moments number[] principal moments of inertia, kg m²
---@field centre number[] of mass, m
---@field kinetic_energy number J
---@field position number[] of the shape's origin, m; can be set: out of the floor it is lifted, through cloth it passes
---@field orientation number[] rotation vector of the shape's frame, 0 to pi long, rad; can be set
---@field velocity number[] of the centre of mass, m/s; can be set
---@field spin number[] rad/s; can be set
---@field thickness number m, how far others stay from the surface beside their own thickness; can be set
---@field friction number Coulomb's coefficient; can be set
---@field porosity number the share of wind of particles that passes, 0 (as it is made) to 1; can be set
---@field closed boolean whether `close` was called
---@field momentum fun(self: weft.rigid): weft.momentum
---@field close fun(self: weft.rigid)

--- Sphere, box and capsule are about the shape's origin, the capsule along y. Their masses and inertias are those of
--- the round shapes themselves, although the surface that cloth meets is made of triangles.
---@class weft.rigid.options
---@field shape "sphere"|"capsule"|"box"|"convex"|"mesh"
---@field radius? number m, of spheres and capsules; 0.1 by default
---@field length? number m, of capsules between the centres of their caps; 0.2 by default
---@field size? number[] m, of boxes; {0.1, 0.1, 0.1} by default
---@field detail? integer of spheres and capsules, 0 to 4; 2 by default, 162 vertices of a sphere, four times as many
--- with each further one
---@field points? number[][]|weft.buffer of convex bodies, which are the hull of them, and meshes
---@field faces? integer[][]|weft.buffer of meshes, which must be closed
---@field mass? number kg; from the density by default
---@field density? number kg/m³; 1000 by default
---@field position? number[] of the shape's origin, m; {0, 0, 0} by default
---@field orientation? number[] an axis as long as the angle, rad; {0, 0, 0} by default
---@field velocity? number[] m/s; {0, 0, 0} by default
---@field spin? number[] rad/s; {0, 0, 0} by default
---@field name? string
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

--- A rigid body, for world:add.
---@type fun(options: weft.rigid.options): weft.rigid
return core.rigid
