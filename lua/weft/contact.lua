--- Contact on its own: distances, continuous detection, and scenes of triangles that must not pass through each other.
--- A world does all of this by itself; here it can be looked at and measured.

local core = require "weft.core"

---@class weft.contact A scene: cloth, bodies, and the list of pairs that may touch.
---@field closed boolean
---@field update fun(self: weft.contact, options: weft.contact.update_options) makes the list cover a motion
---@field candidates fun(self: weft.contact, kind: weft.contact.kind): weft.buffer the list: four vertices of each pair
---@field find fun(self: weft.contact, options: weft.contact.find_options): weft.contact.contacts what is near
---@field resolve fun(self: weft.contact, options: weft.contact.resolve_options): weft.buffer, weft.contact.stats
---    new positions, such that nothing touched on the way
---@field stats fun(self: weft.contact): weft.contact.stats what the last update, find or resolve took
---@field close fun(self: weft.contact)

---@alias weft.contact.kind "vertex_face"|"edge_edge"|"vertex_face_neighbour"|"edge_edge_neighbour"

---@class weft.contact.options
---@field vertices integer how many there are
---@field cloth_vertices? integer the first so many are cloth, the rest bodies; all by default
---@field cloth? integer[][]|weft.buffer faces of the cloth
---@field body? integer[][]|weft.buffer faces of bodies; bodies are not tested against each other
---@field half_thickness? number|number[] m, of all or of each vertex; those of a pair add up to its contact distance
---@field neighbour_half_thickness? number|number[] m, the same for neighbours in the cloth, the smallest; 0 by default
---@field friction? number|number[] Coulomb's coefficient, of all or of each vertex
---@field classes? integer[] for each vertex of the cloth; pairs that share a class are not tested
---@field loose? integer[] vertices around open stitches: neighbours with one in each primitive are not tested
---@field planes? 6|14|18|26 of the bounding volumes; 6 (boxes) by default
---@field arity? 2|4|8 children of the trees' nodes; 4 by default
---@field tree? "medians"|"regions" halved from the top, or merged from regions of the mesh; "medians" by default
---@field tree_update? "refit"|"hybrid"|"inflated"|"rebuild" how the trees follow the motion; "refit" by default
---@field pruning? "none"|"directions"|"cones" how regions that cannot touch themselves are told
---@field contour_test? boolean false prunes by normals alone, which may miss collisions; true by default

---@class weft.contact.update_options
---@field from number[][]|weft.buffer positions of all vertices, m
---@field to? number[][]|weft.buffer `from` by default
---@field skin? number m; a larger one makes a longer list that lasts longer; 0.004 by default

---@class weft.contact.find_options
---@field at number[][]|weft.buffer positions of all vertices, m
---@field margin? number m beyond the contact distance; 0 by default
---@field fewest? boolean each once: pairs whose closest points are the same count as one, faces behind nearer ones not

---@class weft.contact.contacts
---@field vertices weft.buffer four of each contact
---@field weights weft.buffer of these vertices; positive on the first primitive, sum 0
---@field normals weft.buffer from the second primitive to the first
---@field numbers weft.buffer distance, thickness (m), friction, kind (1: edge and edge, 2: with a body, 3: both)

---@class weft.contact.resolve_options
---@field from number[][]|weft.buffer positions free of intersections, m
---@field to number[][]|weft.buffer
---@field inverse_mass number|number[] 1/kg, of all or of each vertex; 0 for what impulses do not move
---@field separation? number m, what pairs must keep; a tenth of the smallest thickness by default
---@field rounds? integer of impulses; 8 by default
---@field zone_rounds? integer of impact zones, between impulses and the fail-safe; 20 by default

---@class weft.contact.stats
---@field candidates integer
---@field rebuilds integer of the list
---@field tested_pairs integer of primitives, when the list was last made
---@field regions integer of cloth that cannot touch themselves, when the list was last made
---@field region_faces integer in them
---@field refitted integer faces whose bounding volumes were taken anew
---@field contacts integer
---@field hits integer pairs that would have touched
---@field impulse_rounds integer
---@field zone_rounds integer
---@field impulses integer
---@field backed_off_vertices integer pulled back by the fail-safe
---@field carried_vertices integer moved along with a body
---@field slices integer parts that the motion was cut into
---@field kept_motion number part of the motion kept
---@field tree_seconds number of broad_seconds
---@field broad_seconds number
---@field narrow_seconds number
---@field continuous_seconds number
---@field response_seconds number

---@class weft.contact.pair_options
---@field points number[][] of the pair: vertex and three corners, or the ends of one edge and of the other; m

---@class weft.contact.impact_options
---@field from number[][] the pair's points at time 0, m
---@field to number[][] and at time 1
---@field separation? number m, what must be kept; 0 by default
---@field kept_part? number 0 to 1: what a pair that starts nearer must keep of its first distance; 0.9 by default
---@field tolerance? number 0 to 1: an impact is called when so little is left of the gap above it; 0.01 by default

---@class weft.contact.barrier_options
---@field points number[][] of the pair: vertex and three corners, or the ends of one edge and of the other; m
---@field kind "vertex_face"|"edge_edge"
---@field range number m, of the gap in which the pair pushes
---@field offset? number m, what of the distance is no gap; 0 by default
---@field stiffness? number N/m; 1 by default
---@field start? number[][] edges at the start of the step, whose lengths tell when they are nearly parallel; `points`
---    by default

---@class weft.contact.friction_options
---@field slide number m, how far the pair has slid since the step began
---@field stick number m, below which it counts as sticking

---@class weft.contact.module
---@overload fun(options: weft.contact.options): weft.contact
local contact = {}

--- The distance of a vertex from a face, and the weights of the face's corners in its closest point.
---@type fun(options: weft.contact.pair_options): number, number, number, number
contact.vertex_face_distance = core.vertex_face_distance

--- The distance of two edges, and the closest points' places along them, from 0 to 1.
---@type fun(options: weft.contact.pair_options): number, number, number
contact.edge_edge_distance = core.edge_edge_distance

--- A time up to which a vertex and a face that move along straight lines keep their separation, or false when they do.
---@type fun(options: weft.contact.impact_options): number|false
contact.vertex_face_impact = core.vertex_face_impact

--- The same for two edges.
---@type fun(options: weft.contact.impact_options): number|false
contact.edge_edge_impact = core.edge_edge_impact

--- The barrier of a pair: its energy (J), the forces on the four points (N), and the semidefinite stand-in for the
--- Hessian, 12 rows of 12 (N/m).
---@type fun(options: weft.contact.barrier_options): number, weft.buffer, weft.buffer
contact.barrier = core.contact_barrier

--- The smoothed potential of friction for a unit of force (m), its derivative divided by the slide and its second
--- derivative (1/m).
---@type fun(options: weft.contact.friction_options): number, number, number
contact.friction = core.contact_friction

---@class weft.contact.balls_options
---@field points number[][]|weft.buffer their centres, m
---@field radius number|number[] m, from 1e-6, of all or of each
---@field groups? integer[] one for each: pairs of one group are left out
---@field limit? integer of the pairs that are given; 100000 by default

--- The pairs of balls that overlap, by a grid: particles, or many small cloths by the balls around them.
---@type fun(options: weft.contact.balls_options): { count: integer, pairs: weft.buffer }
contact.overlapping_balls = core.overlapping_balls

return setmetatable(contact, { __call = core.contact })
