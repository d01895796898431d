--- Sources of wind: velocities of the air as functions of place and time, that superpose.

local core = require "weft.core"

---@class weft.wind.source
---@field kind string "uniform", "directional", "point", "line", "vortex", "ring", "jet", "gust", "turbulence",
---    "curl_noise", "field"
---@field velocity number[]? m/s; this and the following are nil for kinds without such an option, and can be set
---@field position number[]? m
---@field axis number[]? of length 1
---@field flow number? m³/s, of a line m²/s
---@field core number? m
---@field circulation number? m²/s
---@field radius number? m
---@field profile string?
---@field reference_height number? m
---@field ground number? m
---@field roughness number? m
---@field displacement number? m
---@field exponent number?
---@field friction_velocity number? m/s
---@field speed number? m/s
---@field diameter number? m
---@field spread number?
---@field onset number? s
---@field duration number? s
---@field shape string?
---@field travel number[]? m/s
---@field intensity number? m/s
---@field length number? m
---@field spectrum string?
---@field unsteadiness number?
---@field smallest number? m
---@field waves integer?
---@field scale number? m
---@field octaves integer?
---@field gain number?
---@field evolution number?
---@field seed integer?
---@field origin number[]? m
---@field spacing number[]? m; cannot be set
---@field interpolation string?
---@field outside string?
---@field counts integer[]? points of a field; cannot be set
---@field strength number|weft.wind.strength a factor over time; can be set, as the option
---@field extent weft.wind.extent|false where it blows; false: everywhere. Can be set
---@field falloff weft.wind.falloff|false how it fades with distance; false: not. Can be set
---@field enabled boolean false: it does not blow; can be set
---@field bounds weft.wind.bounds the box outside of which it does not blow
---@field closed boolean
---@field at fun(self: weft.wind.source, points: number[]|weft.buffer, time?: number, into?: weft.buffer): any
---    its velocity at a point, {u, v, w} in m/s, or at those of a buffer, as a buffer, at a time (0 s)
---@field strength_at fun(self: weft.wind.source, time: number): number the factor at a time; 0 while it is off
---@field sample fun(self: weft.wind.source, time: number) asks the function of a field now, as a world does per step
---@field assign fun(self: weft.wind.source, velocities: number[][]|weft.buffer) other velocities for a field, all
---@field arrows fun(self: weft.wind.source, options: weft.wind.arrows_options): weft.wind.drawing at a `time`
---@field streamlines fun(self: weft.wind.source, options: weft.wind.streamlines_options): weft.wind.drawing
---@field slice fun(self: weft.wind.source, options: weft.wind.slice_options): weft.wind.drawing
---@field markers fun(self: weft.wind.source, options: weft.wind.markers_options): weft.wind.drawing
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
---@field normal number[] of the face, of any length from 1e-100 to 1e100
---@field velocity? number[] m/s, of the face; 0 by default
---@field wind? number[] m/s; 0 by default
---@field area? number m²; 1 by default
---@field density? number kg/m³; 1.2 by default
---@field air? weft.cloth.air
---@field definite? boolean whether the damping has no negative eigenvalues; true by default

---@class weft.wind.directional_options
---@field velocity number[] m/s, at the reference height
---@field reference_height? number m above the ground; 10 by default
---@field ground? number m, the ground's height; 0 by default
---@field profile? "logarithmic"|"power" "logarithmic" by default
---@field roughness? number m, 1e-6 to 10: where the logarithmic profile has its 0; 0.03 by default, short grass
---@field displacement? number m, of the profile's zero above the ground; 0 by default
---@field exponent? number of the power law, 0 to 1; 1/7 by default
---@field friction_velocity? number m/s: above 0 it gives the speed of the logarithmic profile, and `velocity` the
---    direction alone
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.point_options
---@field flow number m³/s that come out; negative: a sink
---@field position? number[] m; {0, 0, 0} by default
---@field core? number m: within it the speed falls to 0; 0.05 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.line_options
---@field flow number m²/s: m³/s that come out of each metre; negative: a sink
---@field position? number[] m, a point of it; {0, 0, 0} by default
---@field axis? number[] its direction; {0, 1, 0} by default
---@field core? number m: within it the speed falls to 0; 0.05 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.vortex_options
---@field circulation number m²/s, right-handed about the axis
---@field position? number[] m, a point of its axis; {0, 0, 0} by default
---@field axis? number[] {0, 1, 0} by default
---@field core? number m; 0.1 by default
---@field profile? "lamb"|"rankine" of its core: smooth, or turning like a rigid body; "lamb" by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.ring_options
---@field circulation number m²/s: inside the ring the air goes along the axis
---@field radius number m
---@field position? number[] m, of its centre; {0, 0, 0} by default
---@field axis? number[] {0, 1, 0} by default
---@field core? number m; 0.05 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.jet_options
---@field speed number m/s at the opening
---@field diameter number m, of the opening
---@field position? number[] m, the middle of the opening; {0, 0, 0} by default
---@field axis? number[] where it blows; {0, 0, 1} by default
---@field spread? number of its half-width per distance, 0.01 to 1; 0.094 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.gust_options
---@field velocity number[] m/s, at its height
---@field onset? number s; 0 by default
---@field duration? number s; 2 by default
---@field shape? "cosine"|"eog"|"rise"|"ramp" "cosine" by default
---@field travel? number[] m/s: how its front goes; {0, 0, 0}, by default: everywhere at once
---@field position? number[] m, where the front is at the onset; {0, 0, 0} by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.turbulence_options
---@field intensity number m/s, the standard deviation of each component
---@field length? number m, the integral length along the wind; 10 by default
---@field spectrum? "von karman"|"dryden" "von karman" by default
---@field velocity? number[] m/s: what carries it past; not part of it. {0, 0, 0} by default
---@field unsteadiness? number of each wave per turn-over time of its eddies, 0 to 10; 0, by default: frozen
---@field smallest? number m, of the eddies; by default, and with 0, a hundredth of the length
---@field waves? integer 8 to 1024; 192 by default
---@field seed? integer 1 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.curl_noise_options
---@field intensity number m/s, the standard deviation of each component
---@field scale? number m, the cells of the first octave; 1 by default
---@field octaves? integer 1 to 8, each of half the scale of the one before; 3 by default
---@field gain? number of an octave's speed over the one before, 0 to 1; 0.794 by default
---@field evolution? number turns per turn-over time, 0 to 10; 0.25 by default
---@field velocity? number[] m/s: what carries it past; not part of it. {0, 0, 0} by default
---@field seed? integer 1 by default
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

---@class weft.wind.field_options
---@field file? string a legacy VTK file of STRUCTURED_POINTS with VECTORS, in place of all but the origin
---@field counts? integer[] points along x, y and z, 1 to 4096 each; required without a file
---@field spacing? number[] m between them along x, y and z; required without a file
---@field origin? number[] m, of the first point; {0, 0, 0} by default
---@field velocities? number[][]|weft.buffer m/s at the points, x fastest, then y, then z
---@field sample? fun(points: weft.buffer, time: number, velocities: weft.buffer): any in place of them: fills the
---    buffer of velocities, which starts from 0, or returns them all; a world asks it once per step
---@field each? fun(x: number, y: number, z: number, time: number): number, number, number in place of them: the
---    velocity at one point, asked for each; slower than `sample`
---@field interpolation? "linear"|"cubic" "linear" by default
---@field outside? "still"|"edge"|"repeat" what is beyond the last points: nothing, by default, what is at the edge, or
---    the field again
---@field strength? number|number[][]|weft.wind.strength 1 by default
---@field extent? weft.wind.extent|false
---@field falloff? weft.wind.falloff|false
---@field enabled? boolean true by default

--- Wind to look at: triangles with a number at each vertex, which weft.picture draws in colours.
---@class weft.wind.drawing
---@field kind string "arrows", "streamlines", "slice" or "markers"
---@field positions weft.buffer m
---@field faces weft.buffer index triples, counter-clockwise seen from outside
---@field values weft.buffer one for each vertex: the speed, m/s, or what a slice shows
---@field range number[] of the values: from 0 for speeds, symmetric about 0 for what has a sign
---@field map string "sequential" for speeds, "diverging" for what has a sign
---@field points weft.buffer where the wind was asked for: feet of arrows, points along streamlines
---@field velocities weft.buffer there, m/s
---@field starts weft.buffer? of streamlines: line k has the points from starts[k] to starts[k + 1] - 1, downstream; the
---    last is the first again where it is closed
---@field vertices integer how many
---@field triangles integer how many
---@field closed boolean
---@field save fun(self: weft.wind.drawing, path: string, options?: weft.mesh.save_options) the triangles, .obj or .ply
---@field close fun(self: weft.wind.drawing)

--- Either a box with a `spacing`, or `points`.
---@class weft.wind.arrows_options
---@field lower? number[] m
---@field upper? number[] m
---@field spacing? number m, of a lattice in the box
---@field points? number[][]|weft.buffer m, the feet of the arrows
---@field length? number m, of the arrow of the fastest wind; 0.9 spacings by default, with `points` 0.1
---@field scale? number s: length per speed, in the place of `length`
---@field slowest? number m/s: slower wind has no arrow; a thousandth of the fastest by default
---@field width? number m, radius of the shafts; a fortieth of the longest arrow by default
---@field time? number s, of sources: 0 by default
---@field memory? number bytes that it may take; 2^30 by default

---@class weft.wind.streamlines_options
---@field lower number[] m, the box that they stay in
---@field upper number[] m
---@field seeds? number[][]|weft.buffer m; this or `spacing` is required
---@field spacing? number m, between lines that are spaced evenly
---@field length? number m, from the seed, both ways; twice the diagonal of the box by default
---@field step? number m, at most; a hundredth of the diagonal by default, a quarter of the spacing at most
---@field turn? number rad, of a step, 0.001 to 0.5; 0.1 by default
---@field slowest? number m/s, at which they end; a thousandth of the fastest at the seeds by default
---@field radius? number m, of the tubes; 1/500 of the diagonal by default
---@field time? number s, of sources: 0 by default
---@field memory? number bytes that it may take; 2^30 by default

--- A box without depth along one axis, or a rectangle from a corner.
---@class weft.wind.slice_options
---@field lower? number[] m
---@field upper? number[] m
---@field corner? number[] m
---@field across? number[] m, one side of the rectangle
---@field up? number[] m, the other, at a right angle
---@field spacing number m, between points, at most
---@field value? "speed"|"x"|"y"|"z"|"through"|"vorticity" "speed" by default; "through": m/s along the normal,
---    "vorticity": 1/s, about it
---@field time? number s, of sources: 0 by default
---@field memory? number bytes that it may take; 2^30 by default

---@class weft.wind.markers_options
---@field points number[][]|weft.buffer m
---@field radius? number m; 0.01 by default
---@field time? number s, of sources: 0 by default
---@field memory? number bytes that it may take; 2^30 by default

---@class weft.wind.module
local wind = {}

--- The same velocity everywhere.
---@type fun(options: weft.wind.uniform_options): weft.wind.source
wind.uniform = core.wind_uniform

--- What the air does to one flat face: the force, N, and the symmetric part of minus its derivative by the velocity, as
--- three rows, N s/m: what worlds solve with.
---@type fun(options: weft.wind.face_options): number[], number[][]
wind.face_force = core.face_force

--- A parallel wind with a vertical profile: logarithmic, as over rough ground, or a power law.
---@type fun(options: weft.wind.directional_options): weft.wind.source
wind.directional = core.wind_directional

--- A point that air comes out of, or a sink: flow r / (4 pi |r|³).
---@type fun(options: weft.wind.point_options): weft.wind.source
wind.point = core.wind_point

--- An infinite line that air comes out of, or a sink: flow r / (2 pi |r|²).
---@type fun(options: weft.wind.line_options): weft.wind.source
wind.line = core.wind_line

--- An infinite straight vortex: circulation (k x r) / (2 pi |r|²) outside its core.
---@type fun(options: weft.wind.vortex_options): weft.wind.source
wind.vortex = core.wind_vortex

--- A vortex ring.
---@type fun(options: weft.wind.ring_options): weft.wind.source
wind.ring = core.wind_ring

--- A round turbulent jet.
---@type fun(options: weft.wind.jet_options): weft.wind.source
wind.jet = core.wind_jet

--- A gust that comes once.
---@type fun(options: weft.wind.gust_options): weft.wind.source
wind.gust = core.wind_gust

--- Turbulence with the spectra of the atmosphere, frozen in the wind that carries it.
---@type fun(options: weft.wind.turbulence_options): weft.wind.source
wind.turbulence = core.wind_turbulence

--- Swirls: the curl of noise.
---@type fun(options: weft.wind.curl_noise_options): weft.wind.source
wind.curl_noise = core.wind_curl_noise

--- Velocities on a lattice, from a list, a buffer or a function.
---@type fun(options: weft.wind.field_options): weft.wind.source
wind.field = core.wind_field

return wind
