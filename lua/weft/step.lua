--- Time integrators on their own: test equations, steps, orders, stability, and work against precision.

local core = require "weft.core"
local options = require "weft.options"

---@alias weft.step.state number[]|number[][]|weft.buffer numbers, or points
---@alias weft.step.function fun(t: number, x: number[], v: number[], result: table): number[]|number|nil
---@alias weft.step.matrix number[][]|number|fun(t: number, x: number[], v: number[], result: table): number[][]|nil

---@class weft.step.equation_options
---@field name? string one of weft.step.equations(); without it an equation of functions:
---@field force? weft.step.function f(t, x, v), returned or filled in
---@field size? integer unknowns, 1 to 1024; as many as `x` or `v` has by default
---@field mass? number|number[] 1 by default
---@field stiffness? weft.step.matrix -df/dx; differences by default
---@field damping? weft.step.matrix -df/dv; differences by default
---@field stiff? weft.step.function the part of the force that IMEX schemes take implicitly
---@field stiff_stiffness? weft.step.matrix of `stiff`
---@field stiff_damping? weft.step.matrix of `stiff`
---@field energy? fun(t: number, x: number[]): number potential energy
---@field exact? fun(t: number): number[]|number, number[]|number x and v of the solution; of first order, y
---@field first_order? boolean the solution is v: y' = force(t, x, y); false by default
---@field linear_in_velocity? boolean f(t, x, v) = f(t, x, 0) - D(t, x) v; false by default
---@field dimension? integer coordinates of a point, 1 to 3, for momenta; 0, none, by default
---@field title? string for prints and plots
---@field x? weft.step.state the start; 0 by default, or the problem's own
---@field v? weft.step.state
---@field from? number s; 0 by default
---@field to? number s; 1 by default, or the problem's own
---@field lambda? number|number[] of "dahlquist" and "example 1", {re, im}, and of "example 2"
---@field frequency? number of "oscillator", 1/s
---@field centre? number of "oscillator"
---@field gravity? number of "pendulum" and "spring chain", m/s²
---@field length? number of "pendulum" and of the chain's springs, m
---@field eccentricity? number of "kepler"
---@field count? integer points of "spring chain"
---@field anchored? boolean whether it hangs from the origin

---@class weft.step.equation
---@field name string
---@field size integer
---@field x number[] the start
---@field v number[]
---@field from number s
---@field to number s
---@field solved boolean whether the solution is known
---@field first_order boolean whether the solution is v
---@field evaluations number calls of its functions since it was made, those for differences included
---@field closed boolean
---@field exact fun(self: weft.step.equation, t: number): number[], number[] x and v of the solution from its start
---@field close fun(self: weft.step.equation)

---@class weft.step.tableau a Runge-Kutta scheme
---@field a number[][] rows
---@field b number[] weights
---@field c? number[] nodes; the sums of the rows by default
---@field embedded_b? number[] weights of the error estimate
---@field embedded_order? integer the lower of the two orders

---@class weft.step.integrator_options
---@field scheme string one of weft.step.schemes()
---@field alpha? number of "alpha" and "alpha bdf2", 0 to 1
---@field tableau? weft.step.tableau of "runge kutta"
---@field newton? "default"|"linear"|"full"|"inexact"|"simplified"|"corrected" how an implicit stage is solved
---@field linearisation? "definite"|"exact"
---@field newton_tolerance? number relative; 1e-9 by default
---@field newton_iterations? integer at most; 200 by default
---@field linear_tolerance? number of each linear solve; 1e-10 by default
---@field forcing? number of inexact Newton, 0.02 by default; 0: as Eisenstat and Walker choose it
---@field line_search? boolean true by default
---@field extrapolate? boolean start Newton's method from the extrapolated velocity; true by default
---@field step_control? boolean halve the step where Newton's method fails; true by default
---@field easy_iterations? integer a step of at most so many Newton iterations may double; 3 by default
---@field relative_tolerance? number of schemes with an error estimate; 1e-6 by default
---@field absolute_tolerance? number the same; 1e-9 by default
---@field first_step? number s, what control begins with
---@field smallest_step? number s, control gives up below
---@field iterations? integer of approximate schemes
---@field substeps? integer of schemes that divide their step
---@field form? string of schemes that come in several published forms

---@class weft.step.work
---@field steps number taken, substeps counted one by one
---@field rejected number tried and taken back
---@field evaluations number of the forces
---@field energies number evaluations of the energy
---@field linearisations number
---@field solves number of linear systems
---@field solver_iterations number
---@field products number with the matrix
---@field newton_iterations number
---@field flops number floating-point operations: vectors exactly, and what the equation says of its own
---@field last_step number s, the last one that was taken

---@class weft.step.newton_record
---@field residual number before the iteration
---@field forcing number what the linear solve was asked for
---@field linear_residual number and reached
---@field step number of the line search

---@class weft.step.step_options
---@field equation weft.step.equation|string
---@field step number s
---@field t? number s; the equation's start by default
---@field x? weft.step.state the equation's start by default
---@field v? weft.step.state

---@class weft.step.integrator
---@field scheme string
---@field order integer 0: depends on the options
---@field implicit boolean
---@field work weft.step.work since it was made
---@field newton weft.step.newton_record[] the iterations of the last equation that Newton's method solved
---@field closed boolean
---@field step fun(self: weft.step.integrator, options: weft.step.step_options): number[], number[] x and v after it
---@field restart fun(self: weft.step.integrator) forgets earlier states
---@field close fun(self: weft.step.integrator)
local methods = core.classes["weft.step.integrator"]

local step = {}

--- The schemes there are: { name, describes, order, implicit, memory, adaptive, needs_elements, needs_stiff } each.
---@type fun(): table[]
step.schemes = core.step_schemes

--- The equations there are by name: a list of { name, describes, parameters }.
---@type fun(): table[]
step.equations = core.step_equations

---@class weft.step.cloth_options
---@field x number[][] the vertices at the start, m
---@field v? number[][] their velocities, m/s; at rest by default
---@field faces? integer[][] triangles of the sheet
---@field rest? number[][] rest coordinates {u, v} in the grain frame, m: one for each vertex, or three for each face
---@field fabric? weft.fabric of the sheet
---@field membrane? boolean|string a name of weft.model.list(), false for none; true: the default one
---@field bending? boolean|string
---@field springs? integer[][] pairs of vertices, with or without a sheet
---@field rest_lengths? number[] one for each spring, m; 0 by default
---@field stiffness? number[] N/m; 1 by default
---@field spring_damping? number[] along each spring, N s/m; 0 by default
---@field mass? number[] one for each vertex, kg; from the fabric's density by default
---@field pins? integer[] vertices that keep the velocity they start with
---@field gravity? number[] m/s^2; {0, -9.81, 0} by default
---@field damping? number 1/s, of all motion in proportion to mass; 0 by default
---@field tolerance? number relative residual of linear solves that name none; 1e-10 by default

--- A piece of cloth without contact as an equation: what every scheme can be tried on.
---@type fun(options: weft.step.cloth_options): weft.step.equation
step.cloth = core.step_cloth

--- An integrator, by the name of its scheme or with options.
---@type fun(options: weft.step.integrator_options|string): weft.step.integrator
step.integrator = core.step_integrator

--- A test equation, by name or as functions of a script.
---@type fun(options: weft.step.equation_options|string): weft.step.equation
step.equation = core.step_equation

local call = options.call

--- Of a name and of a spring net the equation, for a function that scripts call.
local function as_equation(given)
  if type(given) == "string" or type(given) == "userdata" then
    given = call(3, core.step_equation, given)
  end
  return given
end

-- ---- spring nets ---------------------------------------------------------------------------------------------------

---@class weft.step.net_options what all makers of nets share
---@field rest? number|number[] rest lengths, m: one for all springs or one for each; as at the start by default
---@field stiffness? number|number[] N/m; 1 by default
---@field axial_stiffness? number N, instead of `stiffness`: this over the rest length is a spring's stiffness
---@field mass? number|number[] kg, of each vertex; 1 by default
---@field total_mass? number kg, instead of `mass`: shared by all vertices alike
---@field pins? integer[] vertices that move at the constant velocity they start with
---@field velocities? number[][]|weft.buffer at the start, m/s; 0 by default
---@field gravity? number[] m/s²; {0, -9.81, 0} by default
---@field absolute_damping? number kg/s: a force of minus this times the velocity; 0 by default
---@field relative_damping? number kg/s: of the difference of velocities along every spring
---@field projected_damping? number kg/s: of the part of that difference that lies along the spring
---@field derivative? "stabilised"|"exact" what implicit schemes get: semidefinite (default), or what may be indefinite
---@field tolerance? number relative residual of linear solves; 1e-10 by default
---@field elongation? number limit of length / rest length - 1 that is imposed after every step of any scheme
---@field limit_sweeps? integer over all springs, at most, to impose it; 50 by default

---@class weft.step.springs_options: weft.step.net_options
---@field positions number[][]|weft.buffer m
---@field edges? integer[][]|weft.buffer pairs of vertices
---@field faces? integer[][]|weft.buffer triangles, instead of `edges`: their edges

---@class weft.step.spring_sheet_options: weft.step.net_options
---@field points? integer[] along and across; {33, 33} by default
---@field size? number[] m; {1, 1} by default
---@field corner? number[] {0, 0, 0} by default
---@field along? number[] direction; {1, 0, 0} by default
---@field across? number[] direction; {0, 0, 1} by default: a sheet that lies flat

---@class weft.step.spring_chain_options: weft.step.net_options
---@field points? integer 65 by default
---@field spacing? number m; 1 by default
---@field start? number[] {0, 0, 0} by default
---@field along? number[] direction; {1, 0, 0} by default

---@class weft.step.net_state
---@field x number[][]|weft.buffer
---@field v? number[][]|weft.buffer 0 by default

---@class weft.step.springs a net of masses and springs; wherever a weft.step.equation can be given, it can
---@field vertices integer
---@field positions weft.buffer at the start, m
---@field edges weft.buffer pairs of vertices
---@field rest_lengths weft.buffer m
---@field stiffness weft.buffer N/m
---@field masses weft.buffer kg
---@field explicit_step number s: up to here symplectic Euler is sure to be stable while little is stretched
---@field closed boolean
---@field forces fun(self: weft.step.springs, state: weft.step.net_state): weft.buffer N
---@field energy fun(self: weft.step.springs, state: weft.step.net_state): number, number, number elastic, of the
---  weight, kinetic, J
---@field stretch fun(self: weft.step.springs, state: { x: number[][] }): number, number largest and mean length over
---  rest length
---@field matrix fun(self: weft.step.springs, options: { x: number[][], stiffness: number?, damping: number?,
---  derivative: string? }): number[][] masses + stiffness (1) times -df/dx + damping (0) times -df/dv, dense
---@field limit fun(self: weft.step.springs, options: { x: number[][], v: number[][]?, elongation: number?,
---  sweeps: integer?, step: number? }): weft.buffer, weft.buffer, number, integer Provot's correction of positions and
---  velocities, the largest elongation that is left, and the sweeps made
---@field close fun(self: weft.step.springs)

--- A net of masses and springs.
---@type fun(options: weft.step.springs_options): weft.step.springs
step.springs = core.step_springs

--- The sheet of Kang's thesis (2003): springs along the edges of triangles, whose diagonals run from point (i, j) to
--- (i + 1, j + 1). Point (i, j) is vertex (j - 1) * points[1] + i.
---@type fun(options?: weft.step.spring_sheet_options): weft.step.springs
step.spring_sheet = core.step_spring_sheet

--- A straight chain.
---@type fun(options?: weft.step.spring_chain_options): weft.step.springs
step.spring_chain = core.step_spring_chain

---@class weft.step.metrics_options
---@field vertices integer
---@field reference number[][]|weft.buffer positions at check points, one after the other, as a run traces them
---@field experiment number[][]|weft.buffer
---@field mode? "thesis"|"moving" whether points that rest in the reference count, as S = 0 (default), or not

--- E and S of Kang's thesis (2003), for each interval between check points: a list of { error, similarity, moving }.
---@type fun(options: weft.step.metrics_options): { error: number, similarity: number, moving: integer }[]
step.metrics = core.step_metrics

-- ---- runs ----------------------------------------------------------------------------------------------------------

--- Goes on to the end in pieces of 50 ms, so that Ctrl-C and hooks work in between. False when the numbers fail and
--- that is allowed. Errors are those of `level`, as in options.call.
local function finish(level, march, verb, tolerant)
  local part
  repeat
    part = call(level + 1, march.advance, march, verb, nil, tolerant)
  until part == nil or part == 1
  return part == 1
end

local traceable = {
  energy = "energy", momentum = "momentum", ["angular momentum"] = "angular_momentum", state = "time",
}

local function check_trace(given, trace)
  for _, name in ipairs(given) do
    local field = traceable[name]
    if not field then
      error(("weft.step.integrator.run: trace must be a list of energy, momentum, angular momentum and state, got %s")
        :format(tostring(name)), 3)
    elseif not trace[field] then
      error(("weft.step.integrator.run: the equation has no %s"):format(name), 3)
    end
  end
end

---@class weft.step.run_options
---@field equation weft.step.equation|string
---@field x? weft.step.state the equation's start by default
---@field v? weft.step.state
---@field from? number s; the equation's interval by default
---@field to? number s
---@field steps? integer 100 by default
---@field step? number s, instead of `steps`: the largest length of equal steps
---@field every? fun(t: number, x: number[], v: number[]) called after each step; may yield
---@field trace? string[] what to record, of "energy", "momentum", "angular momentum" and "state"
---@field trace_every? integer steps between two records; 1 by default

local run_names = { "equation", "x", "v", "from", "to", "steps", "step", "every", "trace", "trace_every" }

local function check_run(given)
  options.check("weft.step.integrator.run", given, run_names, 2)
  if given.every ~= nil and type(given.every) ~= "function" then
    error(("weft.step.integrator.run: every must be a function, got %s"):format(tostring(given.every)), 3)
  elseif given.trace ~= nil and type(given.trace) ~= "table" then
    error(("weft.step.integrator.run: trace must be a list, got %s"):format(tostring(given.trace)), 3)
  end
end

--- Takes an equation through an interval in equal steps, from a fresh start of the scheme. A Lua loop over bounded
--- calls: it can be interrupted, and yields when `every` does.
---@param given weft.step.run_options
---@return table result { t, x, v, steps, step, work, max_error, end_error, trace }
function methods:run(given)
  options.self("weft.step.integrator.run", self, "weft.step.integrator")
  check_run(given)
  local verb = "weft.step.integrator.run"
  local equation = as_equation(given.equation)
  local own = given.x == nil and given.v == nil and given.from == nil
  local march = call(2, core.step_march, verb, self, equation, {
    x = given.x, v = given.v, from = given.from, to = given.to, steps = given.steps, step = given.step,
    exact = own and type(equation) == "userdata" and equation.solved,
    trace_every = given.trace and (given.trace_every or 1) or nil,
  })
  if given.trace then
    check_trace(given.trace, march:trace())
  end
  if given.every then
    while call(2, march.advance, march, verb, 1) < 1 do
      given.every(march:state())
    end
    given.every(march:state())
  else
    finish(2, march, verb)
  end
  local result = {}
  result.t, result.x, result.v = march:state()
  result.work, result.steps, result.step = march:work()
  result.max_error, result.end_error = march:errors()
  result.trace = given.trace and march:trace() or nil
  return result
end

-- ---- orders --------------------------------------------------------------------------------------------------------

local REFERENCE_STEPS, REFERENCE_LIMIT, REFERENCE_ERROR = 64, 2 ^ 20, 1e-11

--- States at `samples` + 1 equidistant times, from the fourth-order Runge-Kutta scheme with ever smaller steps, and how
--- much the last halving still changed them.
local function reference(verb, equation, samples)
  local rk4, steps = core.step_integrator "rk4", samples
  while steps < REFERENCE_STEPS do
    steps = steps * 2
  end
  local states, change
  while steps <= REFERENCE_LIMIT do
    local march = call(3, core.step_march, verb, rk4, equation, { steps = steps, trace_every = steps / samples })
    local finer = finish(3, march, verb, true) and march:states() or nil
    change = states and finer and core.step_difference(equation, states, finer) or nil
    states = finer
    if change and change <= REFERENCE_ERROR then
      break
    end
    steps = steps * 2
  end
  if not states or not change then
    error(("%s: no reference solution of %s: rk4 does not reach its end in %d steps"):format(verb, equation.name,
      REFERENCE_LIMIT), 3)
  end
  return states
end


--- Errors of one scheme with one number of steps; infinite where its numbers fail.
local function measure(verb, scheme, equation, steps, samples)
  local march = call(3, core.step_march, verb, scheme, equation, {
    steps = steps, exact = not samples, samples = samples,
  })
  local finished = finish(3, march, verb, true)
  local max_error, end_error = march:errors()
  local work, _, length = march:work()
  return finished and max_error or math.huge, finished and end_error or math.huge, work, length
end

---@class weft.step.order_options
---@field scheme string|weft.step.integrator_options|weft.step.integrator
---@field equation weft.step.equation|string
---@field first? integer the coarsest number of steps; 10 by default
---@field halvings? integer how often it is doubled, 1 to 20; 5 by default
---@field norm? "end"|"max" the error at the end (default), or the largest in the interval

--- Measures the order: errors against the solution, or against a reference where none is known, for ever smaller steps.
---@param given weft.step.order_options
---@return number order of the last two
---@return table rows a list of { steps, step, error, order }
function step.order(given)
  local verb = "weft.step.order"
  options.check(verb, given, { "scheme", "equation", "first", "halvings", "norm" }, 1)
  local first = options.number(verb, given, "first", 10, 1, 1e6)
  local halvings = options.number(verb, given, "halvings", 5, 1, 20)
  local norm = given.norm or "end"
  if first % 1 ~= 0 or halvings % 1 ~= 0 then
    error(("%s: first and halvings must be integers"):format(verb), 2)
  elseif norm ~= "end" and norm ~= "max" then
    error(('%s: norm must be one of "end", "max", got %s'):format(verb, tostring(norm)), 2)
  end
  local scheme = call(2, core.step_plain_integrator, verb, given.scheme)
  local equation = as_equation(given.equation)
  call(2, core.step_march, verb, scheme, equation, { steps = first }) -- refuses strangers
  local exact = equation.solved
  local samples = not exact and reference(verb, equation, first) or nil
  local rows = {}
  for k = 0, halvings do
    local row = { steps = first * 2 ^ k }
    local max_error, end_error, _, length = measure(verb, scheme, equation, row.steps, samples)
    row.error, row.step = norm == "max" and max_error or end_error, length
    row.order = k > 0 and math.log(rows[k].error / row.error) / math.log(2) or nil
    rows[k + 1] = row
  end
  return rows[#rows].order, rows
end
step.order = options.verb("weft.step.order", step.order)

-- ---- stability -----------------------------------------------------------------------------------------------------

---@class weft.step.test
---@field test? "dahlquist"|"oscillator" the test problem; the scheme's own by default

--- The stability function of a scheme at z, a number or {re, im}, measured by running it: |R(z)|, or the spectral
--- radius of what a scheme with memory, or one that treats positions apart, does to an error; then the parts of R(z)
--- where the scheme has such a function.
---@type fun(scheme: string|table, z: number|number[], options?: weft.step.test): number, number?, number?
step.stability_function = core.step_stability_function

---@class weft.step.limit_options
---@field direction? number[] in the complex plane; {-1, 0} by default
---@field equation? weft.step.equation|string a linear one: the limit is then a step, s
---@field test? "dahlquist"|"oscillator"
---@field farthest? number how far to look; 1e6 by default

--- How far z, or the step for an equation, may go before the scheme is unstable. Infinite where it never is.
---@type fun(scheme: string|table, options?: weft.step.limit_options): number
step.stability_limit = core.step_stability_limit

--- The angle to the negative real axis, rad, within which a scheme is stable: pi/2 for A-stable ones.
---@type fun(scheme: string|table, options?: weft.step.test): number
step.stability_angle = core.step_stability_angle

---@class weft.step.region_options
---@field scheme string|weft.step.integrator_options|weft.step.integrator
---@field real? number[] from, to
---@field imaginary? number[] from, to
---@field pixels? integer[] width, height; {320, 320} by default
---@field test? "dahlquist"|"oscillator"
---@field file? string a PNG to be written

--- The stability region: |R(z)| at the centres of pixels, the top row first. With `file` it is drawn.
---@param given weft.step.region_options|string
---@return table region { radius, real, imaginary, width, height }
function step.stability(given)
  local verb = "weft.step.stability"
  if type(given) == "string" then
    given = { scheme = given }
  end
  options.check(verb, given, { "scheme", "real", "imaginary", "pixels", "test", "file" }, 1)
  if given.file ~= nil and type(given.file) ~= "string" then
    error(("%s: file must be a path, got %s"):format(verb, tostring(given.file)), 2)
  end
  local region, radius = call(2, core.step_region, given.scheme, {
    real = given.real, imaginary = given.imaginary, pixels = given.pixels, test = given.test,
  })
  repeat
    local part = call(2, region.advance, region)
  until part == 1
  local result = { radius = radius }
  result.real, result.imaginary, result.width, result.height = region:bounds()
  if given.file then
    require "weft.picture" -- says what to install where there is nothing to draw with
    call(2, require "weft.picture_core".save_region, given.file, radius, {
      real = result.real, imaginary = result.imaginary, pixels = { result.width, result.height },
    })
  end
  return result
end

-- ---- work against precision ----------------------------------------------------------------------------------------

local columns = {
  "scheme", "equation", "steps", "step", "error", "evaluations", "linearisations", "solves", "solver_iterations",
  "products", "newton_iterations", "flops", "seconds",
}

local function csv_field(value)
  if type(value) == "string" then
    return '"' .. value:gsub('"', '""') .. '"'
  end
  return value == math.huge and "inf" or ("%.17g"):format(value)
end

local function csv(rows)
  local lines = { table.concat(columns, ",") }
  for i, row in ipairs(rows) do
    local fields = {}
    for k, name in ipairs(columns) do
      fields[k] = csv_field(row[name])
    end
    lines[i + 1] = table.concat(fields, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

local function json_string(text)
  return '"' .. text:gsub('[%c"\\]', function(letter) return ("\\u%04x"):format(letter:byte()) end) .. '"'
end

local function json(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    local fields = {}
    for k, name in ipairs(columns) do
      local value = row[name]
      fields[k] = ('"%s": %s'):format(name, type(value) == "string" and json_string(value)
        or value == math.huge and "null" or ("%.17g"):format(value))
    end
    lines[i] = "  {" .. table.concat(fields, ", ") .. "}"
  end
  return "[\n" .. table.concat(lines, ",\n") .. "\n]\n"
end

local function write_rows(verb, path, rows)
  local text = path:match "%.json$" and json(rows) or csv(rows)
  local file, message = io.open(path, "wb")
  if not file then
    error(("%s: cannot write %s"):format(verb, message), 3)
  end
  file:write(text)
  file:close()
end

--- What rows call a scheme: its name, and the options that were set.
local function label_of(scheme)
  if type(scheme) ~= "table" then
    return type(scheme) == "string" and scheme or scheme.scheme
  end
  local settings = {}
  for name, value in pairs(scheme) do
    if name ~= "scheme" and type(value) ~= "table" then
      settings[#settings + 1] = ("%s = %s"):format(tostring(name), tostring(value))
    end
  end
  table.sort(settings)
  local suffix = #settings > 0 and " (" .. table.concat(settings, ", ") .. ")" or ""
  return tostring(scheme.scheme) .. suffix
end

local function greatest_divisor(numbers)
  local divisor = 0
  for _, number in ipairs(numbers) do
    while number ~= 0 do
      divisor, number = number, divisor % number
    end
  end
  return divisor
end

---@class weft.step.precision_options
---@field schemes (string|weft.step.integrator_options|weft.step.integrator)[]
---@field equations (weft.step.equation|string)[]
---@field steps integer[] numbers of steps to try
---@field norm? "end"|"max" the largest error in the interval (default), or that at the end
---@field file? string .json or .csv, to be written

local precision_names = { "schemes", "equations", "steps", "norm", "file" }

local function check_precision(verb, given)
  options.check(verb, given, precision_names, 2)
  for _, name in ipairs { "schemes", "equations", "steps" } do
    if type(given[name]) ~= "table" or #given[name] == 0 then
      error(("%s: %s must be a list, got %s"):format(verb, name, tostring(given[name])), 3)
    end
  end
  for _, count in ipairs(given.steps) do
    if type(count) ~= "number" or count % 1 ~= 0 or count < 1 or count > 1e8 then
      error(("%s: steps must be a list of integers from 1 to 1e8, got %s in it"):format(verb, tostring(count)), 3)
    end
  end
  if given.norm ~= nil and given.norm ~= "end" and given.norm ~= "max" then
    error(('%s: norm must be one of "end", "max", got %s'):format(verb, tostring(given.norm)), 3)
  elseif given.file ~= nil and not (type(given.file) == "string"
      and (given.file:match "%.json$" or given.file:match "%.csv$")) then
    error(("%s: file must be a path that ends with .json or .csv, got %s"):format(verb, tostring(given.file)), 3)
  end
end

--- Work against precision: each scheme on each equation with each number of steps. An error is infinite where the
--- numbers of a scheme failed.
---@param given weft.step.precision_options
---@return table[] rows { scheme, equation, steps, step, error, evaluations, linearisations, solves, flops, ... }
function step.precision(given)
  local verb = "weft.step.precision"
  check_precision(verb, given)
  local rows, samples = {}, greatest_divisor(given.steps)
  for _, name in ipairs(given.equations) do
    local equation = as_equation(name)
    local states
    for _, wanted in ipairs(given.schemes) do
      local scheme = call(2, core.step_plain_integrator, verb, wanted)
      for _, steps in ipairs(given.steps) do
        call(2, core.step_march, verb, scheme, equation, { steps = steps }) -- refuses what is no equation
        states = states or not equation.solved and reference(verb, equation, samples) or nil
        local before, start = equation.evaluations, os.clock()
        local max_error, end_error, work, length = measure(verb, scheme, equation, steps, states)
        rows[#rows + 1] = {
          scheme = label_of(wanted), equation = equation.name, steps = steps, step = length,
          error = given.norm == "end" and end_error or max_error,
          evaluations = math.max(work.evaluations, equation.evaluations - before),
          linearisations = work.linearisations, solves = work.solves, solver_iterations = work.solver_iterations,
          products = work.products, newton_iterations = work.newton_iterations, flops = work.flops,
          seconds = os.clock() - start,
        }
      end
    end
  end
  if given.file then
    write_rows(verb, given.file, rows)
  end
  return rows
end
step.precision = options.verb("weft.step.precision", step.precision)

-- ---- advice --------------------------------------------------------------------------------------------------------

---@class weft.step.recommend_options
---@field error? number m, what an error may be; 1e-3 by default
---@field budget? number s of computing per simulated second
---@field seconds? number of the motion to be tried; 0.5 by default
---@field measure? "gross"|"vertices" of centre and extent (default), or of all vertices
---@field schemes? (string|weft.step.integrator_options)[] those that run a world by default
---@field time_limit? number s that all trials may take, about; 20 by default

---@class weft.step.recommendation
---@field scheme string|weft.step.integrator_options
---@field time_step number s
---@field error number m
---@field cost number s of computing per simulated second
---@field met boolean whether it is what was asked for
---@field reason string
---@field table string all trials, to be printed
---@field rows table[] { scheme, label, time_step, error, cost, failure, partial }
---@field reference { scheme: string, time_step: number, uncertainty: number } what errors are distances to

--- Tries schemes and steps on a world from its present state, against a fine reference, and says which to take and why:
--- the cheapest within `error`, or with a `budget` alone the most precise within that. The world stays as it is.
---@type fun(world: weft.world, options?: weft.step.recommend_options): weft.step.recommendation
step.recommend = options.verb("weft.step.recommend", require "weft.recommend")

return step
