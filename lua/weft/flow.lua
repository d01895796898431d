--- The flow of air in a box, by itself: incompressible Navier-Stokes on a staggered grid, in single precision.

local core = require "weft.core"

---@class weft.flow
---@field cells integer[] along x, y and z
---@field spacing number[] m, the edges of a cell
---@field size number[] m, of the box
---@field origin number[] m, the box's lowest corner
---@field time number s
---@field stats weft.flow.stats of the last step or projection
---@field density number kg/m³; can be set
---@field viscosity number m²/s, kinematic; can be set
---@field confinement number strength of vorticity confinement; can be set
---@field tolerance number of the divergence that a step leaves; can be set
---@field acceleration number[] m/s², on all the air; can be set
---@field advection "limited"|"unlimited"|"first order"|"none" can be set
---@field closed boolean
---@field step fun(self: weft.flow, seconds: number) carries the air on
---@field project fun(self: weft.flow) makes velocities that were set free of divergence
---@field set fun(self: weft.flow, options: weft.flow.set_options) velocities on faces
---@field block fun(self: weft.flow, options: weft.flow.block_options) solids, by what they leave open of each face
---@field side fun(self: weft.flow, options: weft.flow.side_options) what comes in through a side from now on
---@field side_points fun(self: weft.flow, side: string): weft.buffer the centres of a side's faces, m
---@field faces fun(self: weft.flow, axis: "x"|"y"|"z"): weft.buffer velocities across faces, floats
---@field velocity fun(self: weft.flow): weft.buffer at the centres of cells, floats
---@field vorticity fun(self: weft.flow): weft.buffer curl of the velocity at the centres of cells, 1/s, floats
---@field pressure fun(self: weft.flow): weft.buffer at the centres of cells, Pa, floats
---@field at fun(self: weft.flow, where: number[]|weft.buffer): number[]|weft.buffer the velocity at points, m/s
---@field force fun(self: weft.flow): number[], number[] on all solids together, N, and the part that is pressure
---@field arrows fun(self: weft.flow, options: weft.wind.arrows_options): weft.wind.drawing of its velocities
---@field streamlines fun(self: weft.flow, options: weft.wind.streamlines_options): weft.wind.drawing
---@field slice fun(self: weft.flow, options: weft.wind.slice_options): weft.wind.drawing
---@field markers fun(self: weft.flow, options: weft.wind.markers_options): weft.wind.drawing
---@field close fun(self: weft.flow)

--- A kind alone stands for a side at rest. "periodic": both sides of an axis; "inflow": the velocity is given; "open":
--- pressure 0 outside, and what comes in has the velocity; "wall": air sticks to it, and it slides with the velocity;
--- "slip": a wall without friction.
---@class weft.flow.boundary
---@field kind? "periodic"|"inflow"|"open"|"wall"|"slip" "open" by default
---@field velocity? number[] m/s; {0, 0, 0} by default
---@field sponge? number m, depth of the layer in which air is drawn towards the velocity; 0 by default
---@field sponge_rate? number 1/s, at the side; 0 by default

---@class weft.flow.options
---@field cells integer[] 4 to 4096 along each axis, or 1 along z: two dimensions, periodic along z
---@field cell? number m, the edge of cubes, 1e-6 and more; this or `size` is required
---@field size? number[] m, of the box
---@field origin? number[] m, the box's lowest corner; {0, 0, 0} by default
---@field density? number kg/m³; 1.2 by default
---@field viscosity? number m²/s, kinematic; 1.5e-5 by default
---@field boundary? table<string, string|weft.flow.boundary> by "all", "x", "y", "z", "x_low", "x_high" and so on, of
--- which the more special one counts; "open" by default
---@field advection? "limited"|"unlimited"|"first order"|"none" "limited" by default
---@field acceleration? number[] m/s², on all the air, up to 1e6 along each axis; {0, 0, 0} by default
---@field courant? number cells that air crosses in a sub-step, 0.01 to 1.2; 0.9 by default
---@field confinement? number of vorticity, 0 to 100; 0 by default
---@field predict_pressure? boolean whether the last pressure acts during sub-steps; true by default
---@field tolerance? number of |div u| times spacing over the largest speed, 1e-7 to 0.1; 1e-5 by default
---@field substep_limit? integer a step that needs more is refused; 200 by default
---@field memory_limit? number bytes; a grid that needs more is refused; 4e9 by default

--- A list of numbers or a buffer of floats for each axis: one for each face, x fastest, then y, then z. There is one
--- face more along the axis than cells.
---@class weft.flow.set_options
---@field x? number[]|weft.buffer m/s, across faces
---@field y? number[]|weft.buffer
---@field z? number[]|weft.buffer

---@class weft.flow.block_options
---@field x? number[]|weft.buffer 0 to 1: the open fraction of each face
---@field y? number[]|weft.buffer
---@field z? number[]|weft.buffer
---@field velocity? number[] m/s, of the solids

---@class weft.flow.side_options
---@field side "x_low"|"x_high"|"y_low"|"y_high"|"z_low"|"z_high"
---@field velocity? number[] m/s
---@field velocities? number[][]|weft.buffer one for each face of an inflow or open side, as `side_points` orders them
---@field sponge? number m
---@field sponge_rate? number 1/s

---@class weft.flow.stats
---@field substeps integer of advection
---@field diffusion_stages integer of viscosity's own step; 0: it was part of the sub-steps
---@field projections integer rounds of solving for pressure
---@field iterations integer of conjugate gradients, of all rounds
---@field levels integer grids of the multigrid
---@field pockets integer parts of the air that nothing joins to an open side
---@field trapped number m³/s that would have to leave pockets and cannot
---@field divergence number the largest |div u| times spacing over the largest speed
---@field courant number cells that the fastest air crosses in the step, summed over axes
---@field largest_speed number m/s, of a component
---@field seconds_advection number
---@field seconds_pressure number
---@field seconds_other number
---@field bytes number

--- A box of air at rest.
---@type fun(options: weft.flow.options): weft.flow
return core.flow
