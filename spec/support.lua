-- What specs share. `local support = require "spec.support"`.

local support = {}

--- The message of the error that `call` raises, without the script's position in front.
function support.message_of(call, ...)
  local ok, message = pcall(call, ...)
  assert(not ok, "expected an error, but the call succeeded")
  assert(type(message) == "string", "expected a message, got " .. type(message))
  return (message:gsub("^[^:\n]+:%d+: ", ""))
end

--- The folder of shared data, or nil and a message for `pending`. Specs read it where it lies.
function support.shared_data(path)
  local root = os.getenv "WEFT_SHARED_DATA" or "../shared/data"
  local file = io.open(root .. "/" .. path, "rb")
  if file then
    file:close()
    return root .. "/" .. path
  end
  return nil, ("%s/%s is not there; set WEFT_SHARED_DATA to the folder of the shared data"):format(root, path)
end

function support.read_file(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

--- A copy of a table with some fields changed.
function support.with(values, changes)
  local copy = {}
  for _, from in ipairs { values, changes } do
    for name, value in pairs(from) do
      copy[name] = value
    end
  end
  return copy
end

--- Raises an error where it is called unless a number is what is expected, but for a share of it.
---@param what? string named in the message
function support.near(expected, got, share, what)
  local is_near = math.abs(expected - got) <= share * math.abs(expected)
  if not is_near then
    error(("%sexpected %.8g within %g %%, got %.8g"):format(what and what .. ": " or "", expected, 100 * share, got), 2)
  end
end

--- The same unless it is within a tolerance, in the numbers' own unit.
function support.close(expected, got, tolerance, what)
  local is_close = math.abs(expected - got) <= tolerance
  if not is_close then
    error(("%sexpected %.15g, got %.15g"):format(what and what .. ": " or "", expected, got), 2)
  end
end

--- Runs, and returns the warnings.
function support.heard_in(run)
  local weft, heard = require "weft", {}
  weft.on_warning(function(text) heard[#heard + 1] = text end)
  local ok, message = pcall(run)
  weft.on_warning(nil)
  assert(ok, message)
  return heard
end

--- Runs, and sees that nothing was warned of.
function support.quietly(run)
  local heard = support.heard_in(run)
  assert(#heard == 0, heard[1])
end

--- Repeatable random integers from 0 to count - 1 (Park and Miller 1988).
function support.stream(seed)
  local state = seed
  return function(count)
    state = state * 16807 % 2147483647
    return state % count
  end
end

--- The text as bad disks and editors leave it: sometimes cut off, and with some bytes changed, to any or to one of
--- `bytes`.
---@param random fun(count: integer): integer as from support.stream
function support.damaged(text, random, bytes)
  if random(3) == 0 then
    text = text:sub(1, random(#text) + 1)
  end
  for _ = 1, random(5) do
    local at = random(#text) + 1
    local value = random(2) == 0 and random(256) or bytes:byte(random(#bytes) + 1)
    text = text:sub(1, at - 1) .. string.char(value) .. text:sub(at + 1)
  end
  return text
end

--- A world without gravity, unless the options say otherwise, in which cloth does not touch itself.
function support.still_world(options)
  return require "weft".world(support.with({ gravity = { 0, 0, 0 }, self_contact = false }, options or {}))
end

--- Asserts that what `make(count)` returns is the same with each of these numbers of threads (1, 2 and 3).
function support.same_with_threads(make, counts)
  local threads = require "weft".threads
  local present, first = threads(), nil
  for k, count in ipairs(counts or { 1, 2, 3 }) do
    threads(count)
    local made, got = pcall(make, count)
    threads(present)
    assert(made, got)
    first = k == 1 and got or first
    assert(got == first, ("%d threads give another result than %d"):format(count, (counts or { 1 })[1]))
  end
end

--- Asserts that no two surfaces of a list intersect, by the exact judge.
function support.assert_apart(surfaces, what)
  local weft = require "weft"
  for i = 1, #surfaces do
    for j = 1, i - 1 do
      local count = weft.inspect.intersections(surfaces[i], surfaces[j]).count
      assert(count == 0, ("%s: %d intersections of %d and %d"):format(what, count, i, j))
    end
  end
end

--- m: of the vertices of cloth or of a body, the lowest, the highest, and their mean.
function support.heights(member)
  local lowest, highest, sum = math.huge, -math.huge, 0
  for i = 1, member.vertices do
    local _, y = member.positions:get(i)
    lowest, highest, sum = math.min(lowest, y), math.max(highest, y), sum + y
  end
  return lowest, highest, sum / member.vertices
end

--- m, from a collider: the least distance of any vertex, and of any face where the kind knows that.
function support.least_distances(shape, cloth)
  local least, faces = math.huge, math.huge
  local distances, P, F = shape:distances { points = cloth.positions }, cloth.positions, cloth.faces
  for i = 1, cloth.vertices do
    least = math.min(least, distances:get(i))
  end
  local knows_faces = shape.kind ~= "plane" and not shape.report
  for f = 1, knows_faces and cloth.triangles or 0 do
    local a, b, c = F:get(f)
    local points = { { P:get(a) }, { P:get(b) }, { P:get(c) } }
    if distances:get(a) < 0.2 then
      faces = math.min(faces, (shape:face_distance { points = points }))
    end
  end
  return least, math.min(least, faces)
end

--- Steps two worlds that are the same, one of them after each allocation of the step has failed once: it goes on as if
--- that had not been tried. Calls `look(step)`; returns how many steps failed.
function support.step_despite_failures(troubled, other, steps, look)
  local core, failed = require "weft.core", 0
  for step = 1, steps do
    local count, done = 0, false
    while not done do
      local before = troubled:hash()
      core.fail_allocation(count)
      done = pcall(troubled.step, troubled)
      core.fail_allocation()
      assert(done or before == troubled:hash(), "a failed step changed the world")
      count = count + (done and 0 or 1)
    end
    failed = failed + count
    other:step()
    assert(other:hash() == troubled:hash(), ("step %d differs after others failed"):format(step))
    look(step)
  end
  return failed
end

--- Pins the vertices of a cloth that `which(x, y, z)` picks, or all, and returns their numbers.
function support.pin(cloth, which)
  local vertices = {}
  for i = 1, cloth.vertices do
    if not which or which(cloth.positions:get(i)) then
      vertices[#vertices + 1] = i
    end
  end
  cloth:pin { vertices = vertices }
  return vertices
end

--- The Lua scripts of a Markdown text, and as a second result the text without any fenced block.
function support.markdown_scripts(text)
  local scripts = {}
  for script in text:gmatch "```lua\n(.-)```" do
    scripts[#scripts + 1] = script
  end
  return scripts, (text:gsub("```.-```", ""))
end

--- Runs until nothing more is collected, finalizers included.
function support.collect()
  for _ = 1, 3 do
    collectgarbage "collect"
  end
end

--- The command that started this Lua, for specs that start another like it.
function support.interpreter()
  local first = 0
  while arg[first - 1] do
    first = first - 1
  end
  return arg[first]
end

--- Lets each allocation of weft's C side fail once while `make` runs, until it succeeds. A failure must be a Lua error
--- about memory and must leave nothing behind; `unchanged`, when given, is called after each. Returns what `make`
--- returned and how many allocations it made.
function support.fail_each_allocation(make, unchanged)
  local core = require "weft.core"
  support.collect()
  local before, count = core.memory(), 0
  while true do
    core.fail_allocation(count)
    local ok, result = pcall(make)
    core.fail_allocation()
    if ok then
      return result, count
    end
    assert(tostring(result):find "out of memory", "expected an error about memory, got: " .. tostring(result))
    support.collect()
    local after = core.memory()
    assert(after == before, ("%d bytes were lost with allocation %d"):format(after - before, count))
    if unchanged then
      unchanged()
    end
    count = count + 1
  end
end

--- A closed surface.
support.tetrahedron = {
  vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
  faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } },
}

--- The C modules: weft.core and those of the parts that are shared objects of their own, where they are built.
function support.modules()
  local modules = { ["weft.core"] = require "weft.core" }
  for _, name in ipairs { "weft.picture_core", "weft.cholmod_core" } do
    local built, module = pcall(require, name)
    if built then
      modules[name] = module
    end
  end
  return modules
end

--- The methods and the properties of every class, by the class's name.
function support.classes()
  local classes = {}
  for _, module in pairs(support.modules()) do
    for name, methods in pairs(module.classes) do
      classes[name] = { methods = methods, fields = module.fields[name] }
    end
  end
  return classes
end

--- The names of the parts, `weft.<name>`, that are there.
function support.parts()
  local weft, names = require "weft", {}
  local pipe = assert(io.popen "ls lua/weft")
  for file in pipe:lines() do
    local name = file:match "^(.+)%.lua$" or file
    if name ~= "init" and pcall(function() return weft[name] end) then
      names[#names + 1] = name
    end
  end
  pipe:close()
  table.sort(names)
  return names
end

--- The functions that a part gives: itself when it can be called, under the name "", and those in its table.
function support.functions(part)
  local functions = {}
  local metatable = type(part) == "table" and getmetatable(part)
  if type(part) == "function" or type(metatable) == "table" and metatable.__call then
    functions[""] = part
  end
  for name, value in pairs(type(part) == "table" and part or {}) do
    if type(value) == "function" then
      functions["." .. name] = value
    end
  end
  return functions
end

function support.sorted_keys(list)
  local keys = {}
  for key in pairs(list) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

local function square_garment()
  return require "weft".garment { panels = { square = { vertices = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } } } }
end

--- How to make one object of each class, small, from nothing but what is in the project. Every class needs an entry:
--- the specs that hold all objects to the same rules use it.
---@type table<string, fun(): any>
support.factories = {
  ["weft.buffer"] = function()
    return require "weft".buffer { count = 3 }
  end,
  ["weft.body"] = function()
    return require "weft".body { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces }
  end,
  ["weft.rigid"] = function()
    return require "weft".rigid { shape = "sphere" }
  end,
  ["weft.mesh"] = function()
    return require "weft".mesh { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces }
  end,
  ["weft.triangulation"] = function()
    return require "weft".mesh.triangulate { outline = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, edge = 0.5 }
  end,
  ["weft.anchor"] = function()
    return require "weft".buffer { count = 3 }:anchor()
  end,
  ["weft.collider"] = function()
    return require "weft".collider.sphere { radius = 0.1 }
  end,
  ["weft.flow"] = function()
    return require "weft".flow { cells = { 4, 4, 1 }, cell = 0.1 }
  end,
  ["weft.contact"] = function()
    return require "weft".contact { vertices = 4, cloth = support.tetrahedron.faces, half_thickness = 0.001 }
  end,
  ["weft.cloth"] = function()
    return require "weft".sheet { cells = { 1, 1 } }
  end,
  ["weft.sewing"] = function()
    local weft = require "weft"
    local world, cloth = weft.world(), weft.sheet { cells = { 1, 1 } }
    world:add(cloth)
    return require "weft.core".sewing(world, cloth, {})
  end,
  ["weft.wind.source"] = function()
    return require "weft".wind.uniform { velocity = { 4, 0, 1 } }
  end,
  ["weft.wind_particles"] = function()
    return require "weft".wind_particles { lower = { 0, 0, 0 }, upper = { 1, 1, 1 }, cell = 0.25 }
  end,
  ["weft.wind.drawing"] = function()
    return require "weft".wind.uniform({ velocity = { 4, 0, 1 } }):arrows { points = { { 0, 0, 0 } } }
  end,
  ["weft.world.wind"] = function()
    return require "weft".world().wind
  end,
  ["weft.world"] = function()
    return require "weft".world()
  end,
  ["weft.fitting"] = function()
    return require "weft".sheet({ cells = { 1, 1 } }):elastic { path = { 1, 2 }, length = 0.5 }
  end,
  ["weft.fabric"] = function()
    return require "weft".fabric.wool
  end,
  ["weft.fabric.stretch"] = function()
    return require "weft".fabric.wool.stretch
  end,
  ["weft.fabric.bend"] = function()
    return require "weft".fabric.wool.bend
  end,
  ["weft.fabric.hysteresis"] = function()
    return require "weft".fabric.wool.hysteresis
  end,
  ["weft.fabric.loss"] = function()
    return require "weft".fabric.wool.loss
  end,
  ["weft.fabric.limit"] = function()
    return require "weft".fabric.wool.limit
  end,
  ["weft.garment"] = square_garment,
  ["weft.model"] = function()
    return require "weft".model.springs { vertices = 2, pairs = { { 1, 2 } } }
  end,
  ["weft.step.equation"] = function()
    return require "weft".step.equation { force = function(_, x) return -x[1] end, x = { 1 } }
  end,
  ["weft.step.springs"] = function()
    return require "weft".step.spring_chain { points = 3 }
  end,
  ["weft.step.integrator"] = function()
    return require "weft".step.integrator "backward euler"
  end,
  ["weft.march"] = function()
    local step = require "weft".step
    return require "weft.core".step_march("weft.step.order", step.integrator "rk4", step.equation "pendulum",
      { steps = 10, trace_every = 1 })
  end,
  ["weft.region"] = function()
    return (require "weft.core".step_region("rk4", { pixels = { 2, 2 } }))
  end,
  ["weft.trial"] = function()
    local weft = require "weft"
    local world = weft.world()
    world:add(weft.sheet { cells = { 1, 1 } })
    return require "weft.core".step_trial(world)
  end,
  ["weft.pattern_mesh"] = function()
    return square_garment():triangulate { edge = 0.5 }
  end,
}

if support.modules()["weft.picture_core"] then
  support.factories["weft.picture"] = function()
    return require "weft.picture_core".open { width = 8, height = 8 }
  end
end

if support.modules()["weft.cholmod_core"] then
  support.factories["weft.cholmod"] = function()
    return require "weft.cholmod_core".open()
  end
end

return support
