--- Colliders: shapes that cloth lies on and bumps into, known by their distance instead of by triangles.

local core = require "weft.core"

---@class weft.collider
---@field kind string "plane", "sphere", "capsule", "box", "cylinder", "field", "voxels", "maps"
---@field position number[] m; when it is set, the collider moves there in the next step and takes along what it meets
---@field orientation number[] a quaternion {x, y, z, w}, of any length but 0; set like the position
---@field thickness number m, how far cloth stays from the surface beside its own half thickness; can be set
---@field friction number Coulomb's coefficient; can be set
---@field porosity number the share of wind of particles that passes, 0 (as it is made) to 1; can be set
---@field report weft.collider.report? what had to be mended of the surface that was sampled
---@field closed boolean
---@field place fun(self: weft.collider, options: weft.collider.place_options) sets it there without a way
---@field distance fun(self: weft.collider, point: number[]): number, number[] m, negative inside, and its gradient
---@field distances fun(self: weft.collider, options: weft.collider.points_options): weft.buffer, weft.buffer
---    the same of many points
---@field face_distance fun(self: weft.collider, options: weft.collider.points_options): number, number, number, number
---    of a triangle from a convex collider, m, and the weights of its corners in the nearest point
---@field face_impact fun(self: weft.collider, options: weft.collider.face_impact_options): number|false the time, 0 at
---    the start and 1 at the end, up to which a triangle that moves straight keeps away from a convex collider; false
---    when it does all the way, or begins in it
---@field label fun(self: weft.collider, point: number[]): "free"|"surface"|"interior" of the voxel around it; of other
---    kinds by the sign of the distance
---@field close fun(self: weft.collider)

---@class weft.collider.place_options
---@field position? number[]
---@field orientation? number[]

---@class weft.collider.points_options
---@field points number[][]|weft.buffer

---@class weft.collider.face_impact_options
---@field from number[][]|weft.buffer three points
---@field to number[][]|weft.buffer
---@field separation number m, > 0: how far it is to keep away; 0.9 of its first distance where that is less

---@class weft.collider.plane_options
---@field point? number[] on it; {0, 0, 0} by default
---@field normal? number[] away from the solid side, of any length but 0; {0, 1, 0} by default
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.sphere_options
---@field radius number m
---@field position? number[] of the centre; {0, 0, 0} by default
---@field orientation? number[] a quaternion {x, y, z, w}; {0, 0, 0, 1} by default
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.axis_options
---@field from number[] the axis's ends, m; of a capsule, the centres of its round ends
---@field to number[]
---@field radius number m
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.box_options
---@field size number[] whole edges, m
---@field position? number[] of the centre; {0, 0, 0} by default
---@field orientation? number[] a quaternion {x, y, z, w}; {0, 0, 0, 1} by default
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.report
---@field welded integer vertices that lay on others
---@field dropped integer faces that named a vertex twice or repeated another
---@field flat integer faces without area
---@field turned integer faces that looked the other way than most around them
---@field holes integer closed
---@field open_edges integer that make no loop
---@field crowded_edges integer of three faces and more
---@field volume number m³, enclosed

---@class weft.collider.field_options
---@field body weft.body whose surface is sampled, as it is now
---@field faces? integer[] of the body, a part of it; all by default
---@field origin? number[] of the collider's coordinates, a joint for one; {0, 0, 0} by default
---@field cell? number m; 1/64 of the largest extent by default
---@field band? number cells on both sides of the surface within which distances are exact, 2 to 32; 4 by default
---@field interpolation? "cubic"|"linear" "cubic" by default
---@field position? number[] `origin` by default: where the body is
---@field orientation? number[] a quaternion {x, y, z, w}; {0, 0, 0, 1} by default
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

--- Of a body, or of cells that are given.
---@class weft.collider.voxel_options
---@field body? weft.body
---@field faces? integer[] of the body, a part of it; all by default
---@field origin? number[] of the collider's coordinates; {0, 0, 0} by default
---@field cell? number m; 1/64 of the largest extent by default
---@field occupied? number[] instead of a body: for each cell, x fastest, then y, then z, 0 where it is free
---@field size? integer[] of `occupied`, cells along x, y and z, 1 to 512 each
---@field lower? number[] m, of `occupied`: its lower corner; {0, 0, 0} by default
---@field position? number[]
---@field orientation? number[]
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.map_options
---@field body weft.body
---@field faces? integer[] of the body, a part of it; all by default
---@field origin? number[] of the collider's coordinates; {0, 0, 0} by default
---@field pixel? number m; 1/128 of the larger extent in x and y by default
---@field position? number[]
---@field orientation? number[]
---@field thickness? number m, 0 to 0.1; 0.0005 by default
---@field friction? number 0 to 10; 0.4 by default

---@class weft.collider.module
local collider = {}

--- A half-space: solid on the side that the normal points away from.
---@type fun(options?: weft.collider.plane_options): weft.collider
collider.plane = core.collider_plane

--- A ball.
---@type fun(options: weft.collider.sphere_options): weft.collider
collider.sphere = core.collider_sphere

--- A cylinder with half balls at its ends.
---@type fun(options: weft.collider.axis_options): weft.collider
collider.capsule = core.collider_capsule

--- A cuboid.
---@type fun(options: weft.collider.box_options): weft.collider
collider.box = core.collider_box

--- A solid cylinder with flat ends.
---@type fun(options: weft.collider.axis_options): weft.collider
collider.cylinder = core.collider_cylinder

--- The signed distance of a body's surface, or of a part of it, sampled on a grid.
---@type fun(options: weft.collider.field_options): weft.collider
collider.field = core.collider_field

--- Cells that are inside a body or not.
---@type fun(options: weft.collider.voxel_options): weft.collider
collider.voxels = core.collider_voxels

--- Depths and normals of a body as it is seen along its z, from the front and from the back.
---@type fun(options: weft.collider.map_options): weft.collider
collider.maps = core.collider_maps

return collider
