--- Worlds: what is simulated together, and the step.

local core = require "weft.core"
local options = require "weft.options"
local progress = require "weft.progress"

---@class weft.world.friction_pair
---@field between string[] names of two fabrics or bodies, or "floor"
---@field dynamic number coefficient while they slide
---@field static? number while they stick; the same by default

---@class weft.world.options
---@field time_step? number s; 1/60 by default: backward Euler is stable for any, and larger steps damp more
---@field gravity? number[] m/s²; {0, -9.81, 0} by default
---@field damping? number 1/s, of all motion in proportion to mass; 0 by default
---@field floor? number|boolean height of a plane that neither cloth nor rigid bodies pass, true for 0; none by default
---@field floor_friction? number Coulomb coefficient, 0.5 by default
---@field self_contact? boolean whether cloth meets cloth; true by default
---@field tolerance? number of the linear solve, relative; 1e-3 by default
---@field max_iterations? integer of the linear solve; 1000 by default
---@field limit_sweeps? integer of the limits of fabrics in a step, at most; 100 by default
---@field integrator? string|weft.step.integrator_options a scheme of weft.step.schemes(), with options in a table;
--- "backward euler" by default: it takes any contact and any step, and damps
---@field friction? weft.world.friction_pair[] of pairs of materials; others have the mean of their own
---@field contact? "impulses"|"penalty"|"geometric"|"constraints"|"barrier" what answers contact; "impulses" by default
---@field contact_stiffness? number Pa/m, contact pressure per overlap; 2e6 by default
---@field friction_speed? number m/s, slower sliding counts as sticking; 1e-5 by default
---@field barrier_tolerance? number of contact "barrier": what part of a step's first correction, in the norm of energy,
--- the last one is; 0.1 by default
---@field contact_skin? number m, how far vertices move before pairs are sought anew; 0.004, at most a mean edge

---@class weft.energy
---@field kinetic number J
---@field membrane number J, elastic
---@field bending number J
---@field potential number J, of gravity, relative to the origin
---@field fittings number J, of elastics, drawstrings, seams, air and ties: of a pressure less itself times the volume;
--- of two cloths tied together, with the first
---@field total number J
---@field models table<string, number> J, elastic, of each model by name

---@class weft.momentum of vertices as point masses
---@field mass number kg
---@field centre number[] of mass, m
---@field linear number[] kg m/s
---@field angular number[] kg m²/s, about the origin

---@class weft.world.untangle_options
---@field order? weft.cloth[] all cloths, from the innermost on; by default layers are those of garments' panels
---@field rounds? integer of small moves, at most; 300 by default

---@class weft.world.untangled what world:untangle found, did and left
---@field crossings_before integer pairs of triangles
---@field crossings integer
---@field inside_before integer vertices in solid bodies
---@field inside integer
---@field misplaced_before integer vertices on the wrong side of a layer further in
---@field misplaced integer
---@field rounds integer
---@field moved integer vertices
---@field largest_move number m
---@field places weft.buffer points where crossings are left, m, 1000 at most

---@class weft.world.stats
---@field vertices integer
---@field triangles integer
---@field candidates integer pairs that may touch
---@field contacts integer
---@field hits integer pairs that would have touched on the way
---@field backed_off integer vertices that the fail-safe pulled back, or barriers hold where there is no gap
---@field inside integer vertices inside colliders at the end
---@field pierced integer faces that convex colliders reach through at the start
---@field parts integer that the step was made in: 1, or as many as contact asked for
---@field pinched integer vertices pressed from opposite sides
---@field body_lag number m, how far bodies are at most from where they were put
---@field contact_energy number J, of the resting contacts that acted, at the end
---@field body_work number J, of bodies and colliders on cloth
---@field pin_work number J, of what moves pins
---@field air_work number J, of the air on cloth
---@field broken integer ties that broke
---@field solver_iterations integer of all linear solves
---@field solver_residual number relative, of the last
---@field integrator_steps integer
---@field newton_iterations integer
---@field force_evaluations integer
---@field limit_sweeps integer of the limits of fabrics
---@field limit_excess number strain: how far the worst face was beyond a limit
---@field assembly_seconds number of wall time, as the next three, by phase
---@field solve_seconds number
---@field detection_seconds number
---@field response_seconds number
---@field step_seconds number of wall time, in all
---@field rms_speed number m/s, of the free vertices
---@field max_speed number m/s
---@field rest_time number s for which they have been low

--- Kinds of sides are those of weft.flow, and "wind" (by default): inflow, as the sources say, where the wind blows in,
--- and open elsewhere.
---@class weft.world.flow_options
---@field cells? integer how many along the box's longest side, 4 to 512; 48 by default
---@field cell? number m, the edge of a cell, instead of `cells`
---@field lower? number[] m, a corner of the box, with `upper`; by default it is around the scene and follows it
---@field upper? number[] m, the opposite corner
---@field margin? number m, around the scene, where the box is not given; as much as the scene is long by default
---@field boundary? table<string, "wind"|"periodic"|"inflow"|"open"|"wall"|"slip"> by "all", "x", "y", "z", "x_low",
--- "x_high" and so on, of which the more special one counts
---@field viscosity? number m²/s, kinematic; 1.5e-5 by default
---@field confinement? number of vorticity, 0 to 100; 0 by default
---@field coupling? "implicit"|"lagged"|"rigid" "implicit" by default; "lagged" to see what goes wrong without; "rigid":
--- cloth stands in the air's way and feels nothing of it
---@field sweeps? integer how often a step is made at most until air and cloth agree, 1 to 16; 6 by default
---@field leak? number sweeps end when they differ by less than this part of the largest speed; 0.01 by default

---@class weft.world.flow_stats
---@field cells integer[] along x, y and z
---@field lower number[] m, of the box
---@field upper number[] m
---@field cut_faces integer faces of cells that cloth cuts
---@field direct_faces integer faces of cloth outside of the box or too small for its cells: they feel the wind directly
---@field sweeps integer
---@field leak number m/s, the rms over these faces of what air and cloth differ by
---@field largest_leak number m/s
---@field iterations integer of the last pressure solve
---@field substeps integer of advection
---@field divergence number that is left, times spacing over the largest speed
---@field momentum number[] kg m/s, of the air in the box
---@field cut_seconds number
---@field carry_seconds number
---@field project_seconds number of all sweeps

---@class weft.world.wind the air of a world; `#wind` is the number of its sources, `wind[1]` the first of them
---@field density number kg/m³; 1.2 by default
---@field still_air boolean whether air resists without any source that is enabled too; false by default
---@field model "direct"|"particles"|"flow" how wind gets to the cloth: as the sources say, where its air comes, or as a
---    flow around all that is there
---@field particles weft.wind_particles.options of the model "particles"; what is assigned replaces all of them
---@field flow weft.world.flow_options of the flow, read as a copy; what is assigned replaces all of it, and the air
--- begins anew
---@field flow_stats weft.world.flow_stats? of the last step's flow; nil while there is none
---@field closed boolean
---@field add fun(self: weft.world.wind, source: weft.wind.source): weft.wind.source the source
---@field remove fun(self: weft.world.wind, source: weft.wind.source)
---@field clear fun(self: weft.world.wind) removes all sources
---@field read_particles fun(self: weft.world.wind): weft.wind_particles.particles of the model "particles", to draw
---@field particle_stats fun(self: weft.world.wind): weft.wind_particles.stats
---@field at fun(self: weft.world.wind, points: number[]|weft.buffer, into?: weft.buffer): any
---    the velocity of the air now at a point, {u, v, w} in m/s, or at those of a buffer, as a buffer
---@field arrows fun(self: weft.world.wind, options: weft.wind.arrows_options): weft.wind.drawing of the wind now
---@field streamlines fun(self: weft.world.wind, options: weft.wind.streamlines_options): weft.wind.drawing
---@field slice fun(self: weft.world.wind, options: weft.wind.slice_options): weft.wind.drawing
---@field markers fun(self: weft.world.wind, options: weft.wind.markers_options): weft.wind.drawing
---@field close fun(self: weft.world.wind) lets go of the handle; the wind stays, and `world.wind` is another handle

---@class weft.world
---@field time_step number
---@field gravity number[]
---@field damping number
---@field floor number|false
---@field floor_friction number
---@field self_contact boolean
---@field contact_stiffness number
---@field barrier_tolerance number
---@field tolerance number
---@field integrator string the scheme's name; a table with its options can be assigned too
---@field friction weft.world.friction_pair[] what is assigned replaces all
---@field contact string what answers contact, by name
---@field wind weft.world.wind its air
---@field time number s
---@field steps integer
---@field stats weft.world.stats what the last step did; one table, filled anew when it is read
---@field closed boolean
---@field add fun(self: weft.world, member: weft.cloth|weft.body|weft.collider|weft.rigid): any the member
---@field remove fun(self: weft.world, member: weft.cloth|weft.body|weft.collider|weft.rigid)
---@field step fun(self: weft.world, count?: integer, extra_damping?: number) the latter (1/s) for these steps alone
---@field energy fun(self: weft.world): weft.energy of all cloth and rigid bodies
---@field momentum fun(self: weft.world): weft.momentum of all cloth and rigid bodies
---@field sew fun(self: weft.world, cloth: weft.cloth, options?: weft.stitch_options) see weft.sewing
---@field untangle fun(self: weft.world, options?: weft.world.untangle_options): weft.world.untangled
---@field hash fun(self: weft.world): string of the whole state
---@field spectrum fun(self: weft.world): { frequency: number, damping: number } rad/s and 1/s of the fastest motion
---@field close fun(self: weft.world)
local methods = core.classes["weft.world"]

local REST_TIME = 0.5       -- s for which speeds must stay low
local SETTLING_DAMPING = 4  -- 1/s, while settling

---@class weft.world.run_options
---@field seconds? number of simulated time; 1 by default, or the limit when `until_rest`
---@field until_rest? boolean stop when rms speed has been at most 1 mm/s and the largest 1 cm/s for half a second
---@field settle? number s at the beginning with extra damping, so that cloth comes to rest sooner; 0 by default
---@field every? fun(world: weft.world) called after each step
---@field progress? boolean|fun(report: weft.progress.report)|weft.progress.bar

local run_names = { "seconds", "until_rest", "settle", "every", "progress" }

local function check_run(given)
  options.check("weft.world.run", given, run_names, 2)
  local seconds = options.number("weft.world.run", given, "seconds", 1, 0, 1e6, 2)
  if given.every ~= nil and type(given.every) ~= "function" then
    error(("weft.world.run: every must be a function, got %s"):format(tostring(given.every)), 3)
  end
  return seconds, options.number("weft.world.run", given, "settle", 0, 0, seconds, 2)
end

local function rests(world)
  return options.field(3, "weft.world.run", world, "stats").rest_time >= REST_TIME
end

--- Steps the world for a time, or until it rests. A Lua loop over single steps: it can be interrupted, and yields when
--- `every` or `progress` do.
---@param given? weft.world.run_options
---@return boolean rested whether everything is at rest at the end
function methods:run(given)
  options.self("weft.world.run", self, "weft.world")
  given = given or {}
  local seconds, settle = check_run(given)
  local report = progress.from(given.progress, "weft.world.run")
  local time_step = options.field(2, "weft.world.run", self, "time_step")
  local steps, settling_steps = math.floor(seconds / time_step + 0.5), math.floor(settle / time_step + 0.5)
  for k = 1, steps do
    local settling = k <= settling_steps
    options.call(2, self.step, self, 1, settling and SETTLING_DAMPING or 0)
    report:update(settling and "settle" or "drape", k, steps)
    if given.every then
      given.every(self)
    end
    if self.closed then
      error("weft.world.run: the world was closed while it ran", 2)
    end
    if given.until_rest and rests(self) then
      break
    end
  end
  local rested = rests(self) -- no tail call, which would lose the script's line
  return rested
end

--- A picture of members: world:picture { cloth, body, file = "shirt.png" } (see weft.picture).
---@param what weft.picture.options
function methods:picture(what)
  options.self("weft.world.picture", self, "weft.world")
  return require "weft.picture"(what)
end

require "weft.sewing" -- world:sew, garment:sew

--- A world. Add cloth and bodies, then step.
---@type fun(options?: weft.world.options): weft.world
return core.world
