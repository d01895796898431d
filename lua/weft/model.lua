--- Force models on their own, without a world: for experiments, courses and tests.
---
--- A cloth is a list of faces with the rest coordinates of their corners, in m along weft and warp.

local core = require "weft.core"

---@class weft.model.state
---@field x number[][]|weft.buffer positions of the vertices, m
---@field v? number[][]|weft.buffer velocities, m/s

---@class weft.model.energy_options
---@field x number[][]|weft.buffer positions of the vertices, m
---@field matrix? boolean of bending with a constant matrix: by its product, not by elements

---@class weft.model.matrix_options
---@field x number[][]|weft.buffer
---@field stiffness? number factor of the stiffness -df/dx; 1 by default
---@field damping? number factor of -df/dv; 0 by default
---@field exact? boolean the exact -df/dx, which may be indefinite, instead of the semidefinite one that solvers use

---@class weft.model
---@field kind string
---@field vertices integer
---@field elements integer
---@field closed boolean
---@field energy fun(self: weft.model, state: weft.model.energy_options): number elastic energy, J
---@field forces fun(self: weft.model, state: weft.model.state): weft.buffer elastic and viscous forces, N
---@field matrix fun(self: weft.model, options: weft.model.matrix_options): number[][] dense; at most 400 vertices
---@field strains fun(self: weft.model, state: weft.model.state): weft.buffer per face of a membrane: strain along the
---  weft, along the warp, and the engineering shear angle
---@field frame fun(self: weft.model, options: { x: number[][], face: integer }): number[], number[], number[] the
---  rotated weft and warp of a membrane's face, and U11, U12, U22 of its stretch
---@field remember fun(self: weft.model, state: { x: number[][], step: number? }) a named model has been led to x, and
---  keeps what its fabric remembers of that; the next step takes so many seconds, 0 (default): endless
---@field close fun(self: weft.model)

---@class weft.model.sheet
---@field faces integer[][]|weft.buffer
---@field rest number[][]|weft.buffer {u, v} per vertex, or three per face, one for each corner
---@field vertices? integer how many; by default as many as the faces name
---@field fabric weft.fabric
---@field form? string

---@class weft.model.named_sheet
---@field name string a name of weft.model.list()
---@field faces integer[][]|weft.buffer
---@field rest number[][]|weft.buffer {u, v} per vertex, or three per face, one for each corner
---@field vertices? integer how many; by default as many as the faces name
---@field fabric weft.fabric
---@field folds? integer[][] edges, as pairs of vertices, with a rest angle
---@field fold_angles? number[] rad, one per fold: positive where the two faces close towards the side of their normals

---@class weft.model.entry
---@field name string
---@field kind "membrane"|"bending"
---@field source string author and year
---@field cannot? string what it cannot do
---@field published boolean as printed, where that is no gradient of an energy
---@field brakes_turning boolean whether its viscosity feels rigid rotations too
---@field fixed_frame boolean whether it takes rigid rotations for strains
---@field folds boolean whether it takes rest angles
---@field curves boolean whether it takes a fabric's stress-strain curves
---@field hysteresis boolean whether it takes a fabric's friction between threads
---@field grid boolean whether it needs a grid of threads along weft and warp

---@class weft.model.springs_options
---@field vertices integer how many
---@field pairs integer[][]
---@field rest_lengths? number[] m, one per pair
---@field stiffness? number[] N/m
---@field damping? number[] N s/m
---@field form? "projected"|"linear" what damping resists: motion along the spring, or all relative motion of its ends

---@class weft.model.bands_options
---@field vertices integer how many
---@field pairs integer[][] edges
---@field length? number m, of the band on each edge at rest; 1 by default
---@field stiffness? number N: force per unit of strain; 1 by default
---@field viscosity? number s
---@field pushes? boolean whether it also resists being shorter; false by default

---@class weft.model.stiff_line_options
---@field faces integer[][]|weft.buffer
---@field rest number[][]|weft.buffer {u, v} per vertex, or three per face, one for each corner
---@field vertices? integer how many; by default as many as the faces name
---@field path integer[] vertices, each joined to the next by an edge of the faces
---@field closed? boolean whether the last is joined to the first
---@field bending? number N m2; 1 by default
---@field viscosity? number s

---@class weft.model.tie_options
---@field vertices integer how many
---@field points integer[] 1 to 6 vertices
---@field shares number[] the way that is held is the sum of share times vertex, less the anchor
---@field anchor? number[] m; the origin by default
---@field length? number m; 0 by default
---@field stiffness? number N/m; 1 by default
---@field viscosity? number s

---@class weft.model.pressure_options
---@field vertices integer how many
---@field faces integer[][] counter-clockwise seen from outside
---@field pressure? number Pa
---@field amount? number J: absolute pressure times volume of a gas
---@field outside? number Pa, absolute, around a gas; 0 by default

local model = {}

--- In-plane forces. form "exact" (default) is the model "corotational", "weave" the one of that name, "thesis" the
--- printed force of Keckeisen (2005).
---@type fun(options: weft.model.sheet): weft.model
model.membrane = core.model_membrane

--- Bending forces. form "quadratic" (default) is a plate with moduli in N m, "thesis" the printed element of Keckeisen
--- (2005), whose stiffness vanishes for flat cloth.
---@type fun(options: weft.model.sheet): weft.model
model.bending = core.model_bending

--- Any model of the table, by name.
---@type fun(options: weft.model.named_sheet): weft.model
model.create = core.model_create

--- The table of models.
---@type fun(): weft.model.entry[]
model.list = core.model_list

--- Springs between pairs of vertices. By default rest length 0, stiffness 1 N/m and no damping.
---@type fun(options: weft.model.springs_options): weft.model
model.springs = core.model_springs

--- Elastic bands and stiff lines: each edge pulls with stiffness times its strain.
---@type fun(options: weft.model.bands_options): weft.model
model.bands = core.model_bands

--- A string that slides along its edges: their lengths together have one strain, and the tension is the same on all.
---@type fun(options: weft.model.bands_options): weft.model
model.drawstring = core.model_drawstring

--- A rod along edges of a sheet, as a seam is: straight or curved at rest as they are in the pattern.
---@type fun(options: weft.model.stiff_line_options): weft.model
model.stiff_line = core.model_stiff_line

--- A point of cloth held at another, or at an anchor, by a thread of some length.
---@type fun(options: weft.model.tie_options): weft.model
model.tie = core.model_tie

--- A constant pressure on faces, or a gas in faces that close a volume.
---@type fun(options: weft.model.pressure_options): weft.model
model.pressure = core.model_pressure

--- Lumped masses, kg, one per vertex: density (kg/m2, default 1) times mixed Voronoi area.
---@type fun(options: { faces: integer[][], rest: number[][], vertices: integer?, density: number? }): weft.buffer
model.masses = core.model_masses

return model
