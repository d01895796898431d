-- Whatever a script passes, the process survives and answers with a Lua error. A deterministic stream of wrong, huge,
-- closed and malicious arguments for every function, method and property.

local support = require "spec.support"
local weft = require "weft"
local core = require "weft.core"

--- Numbers that are the same on every Lua (Park and Miller 1988).
local function stream(seed)
  local state = seed
  return function(count)
    state = state * 16807 % 2147483647
    return state % count + 1
  end
end

local sorted_keys = support.sorted_keys

-- What must not be called at random: it is not for scripts.
local excluded = { fail_allocation = true }

-- No string here is the name of a file that can be written.
local strings = { "", "\0", "no/such/folder/file.obj", ("y"):rep(5000), "no/%s%n%d", "../../..", "\255/\254", "no/nan" }
local numbers = { 0, 1, 2, 3, -1, 0.5, 1e-320, 0 / 0, 1 / 0, -1 / 0, 2 ^ 31, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1e300, 100 }

--- Every name that an option or a field has, from the annotations in lua/weft, and keys that are never right.
local function option_names()
  local found = { [1] = true, [2] = true, [3] = true, [true] = true, no_such_option = true }
  local pipe = assert(io.popen "cat lua/weft/*.lua")
  for line in pipe:lines() do
    local name = line:match "^%-%-%-@field ([%a_][%w_]*)"
    if name then
      found[name] = true
    end
  end
  pipe:close()
  local names = {}
  for name in pairs(found) do
    names[#names + 1] = name
  end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names
end

local fields = option_names()

local RAISED = "a script's function that raises"

local function raise()
  error(RAISED)
end

local function raise_object()
  error(setmetatable({}, { __tostring = raise, __index = raise }))
end

local function make_argument_source(random)
  local objects, names = {}, sorted_keys(support.factories)

  local function refresh()
    for _, class in ipairs(names) do
      objects[#objects + 1] = support.factories[class]()
      local closed = support.factories[class]()
      closed:close()
      objects[#objects + 1] = closed
    end
  end

  local argument

  local function option_table(depth)
    local result = {}
    for _ = 1, random(6) do
      result[fields[random(#fields)]] = argument(depth + 1)
    end
    if random(4) == 1 then
      setmetatable(result, { __index = raise, __len = raise, __pairs = raise, __call = raise })
    end
    return result
  end

  local function list(depth)
    local result = {}
    for i = 1, random(5) - 1 do
      result[i] = argument(depth + 1)
    end
    return result
  end

  function argument(depth)
    local kind = random(12)
    if kind <= 3 then
      return numbers[random(#numbers)]
    elseif kind <= 5 then
      return strings[random(#strings)]
    elseif kind <= 7 and depth < 3 then
      return list(depth)
    elseif kind == 8 and depth < 3 then
      return option_table(depth)
    elseif kind == 9 then
      return ({ raise, raise_object, coroutine.yield, type })[random(4)]
    elseif kind == 10 then
      return ({ true, false, io.stdout, coroutine.create(raise) })[random(4)]
    elseif kind == 11 then
      return nil
    end
    return objects[random(#objects)]
  end

  return argument, objects, refresh
end

local unpack = table.unpack or unpack

--- Calls f(...). A failure must be a message that names a function of weft, or come from the script's own function; not
--- one that Lua made up on the way.
local function check(name, f, ...)
  local ok, message = pcall(f, ...)
  if not ok and not (type(message) == "string" and (message:find "weft[.:]" or message:find(RAISED, 1, true))) then
    error(("%s raised %s"):format(name, tostring(message)), 0)
  end
end

local function call(argument, random, name, f, first)
  local count = random(5) - 1
  local arguments = {}
  for i = 1, count do
    arguments[i] = argument(0)
  end
  if first ~= nil then
    table.insert(arguments, 1, first)
    count = count + 1
  end
  check(name, f, unpack(arguments, 1, count))
end

local classes = support.classes()

local function fuzz(seed, rounds)
  local random = stream(seed)
  local argument, objects, refresh = make_argument_source(random)
  local calls = 0
  for _ = 1, rounds do
    refresh()
    for _, name_of_module in ipairs(sorted_keys(support.modules())) do
      local module = support.modules()[name_of_module]
      for _, name in ipairs(sorted_keys(module)) do
        if type(module[name]) == "function" and not excluded[name] then
          call(argument, random, name, module[name])
          calls = calls + 1
        end
      end
    end
    for _, part in ipairs(support.parts()) do
      local functions = support.functions(weft[part])
      for _, name in ipairs(sorted_keys(functions)) do
        call(argument, random, "weft." .. part .. name, functions[name])
        calls = calls + 1
      end
    end
    for _, object in ipairs(objects) do
      local class = getmetatable(object)
      for _, method in ipairs(sorted_keys(classes[class].methods)) do
        if method ~= "close" or random(20) == 1 then
          local name = class .. "." .. method
          call(argument, random, name, object[method], random(10) > 1 and object or nil)
          calls = calls + 1
        end
      end
      for _, field in ipairs(sorted_keys(classes[class].fields)) do
        check(class, function() return object[field] end)
        check(class, function() object[field] = argument(0) end)
        calls = calls + 1
      end
      check(class, function() return object[argument(0)] end)
      check(class, tostring, object)
    end
    for i = #objects, 1, -1 do
      objects[i] = nil
    end
    if random(3) == 1 then
      collectgarbage()
    end
  end
  return calls
end

describe("Hostile arguments", function()
  setup(function() weft.on_warning(function() end) end)

  teardown(function()
    weft.on_warning(nil)
    weft.threads(1)
  end)

  for seed = 1, 4 do
    it("leave the process alive, stream " .. seed, function()
      assert.is_true(fuzz(seed, 3) > 300)
    end)
  end

  it("leave everything usable and no memory behind", function()
    weft.threads(1)
    for class, make in pairs(support.factories) do
      local object = make()
      assert.equal(class, getmetatable(object))
      object:close()
    end
    support.collect()
    local before = weft.memory()
    fuzz(99, 1)
    weft.threads(1)
    weft.on_warning(nil)
    support.collect()
    assert.equal(before, (weft.memory()))
  end)

  it("include finalizers that close what is being used", function()
    local count, closings = 2000, 0
    for _ = 1, 50 do
      local buffer = weft.buffer { count = count }
      buffer:set(count, 1, 2, 3)
      local function close()
        buffer:close()
        closings = closings + 1
      end
      if newproxy then
        getmetatable(newproxy(true)).__gc = close
      else
        setmetatable({}, { __gc = close })
      end
      local got, values = pcall(function() return buffer:table() end)
      assert.is_true(got and #values == count or values:find "closed" ~= nil)
      support.collect()
      assert.is_true(buffer.closed)
    end
    assert.equal(50, closings)
  end)

  -- Under the sanitizers: what is freed in use is found by them.
  it("include finalizers that take away what is being read", function()
    -- Reads again and again until the finalizer has run in the middle of it, or between two readings.
    local function read_while(take, read)
      local taken = false
      local function finalize()
        taken = true
        take()
      end
      support.collect()
      if newproxy then
        getmetatable(newproxy(true)).__gc = finalize
      else
        setmetatable({}, { __gc = finalize })
      end
      local good, result
      while not taken do
        good, result = pcall(read)
      end
      return good, result
    end
    local world = weft.world { time_step = 1 / 60 }
    world:add(weft.sheet { size = { 1, 1 }, cells = { 2, 2 } })
    local wind, source = world.wind, world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
    local few, many = { { 0, 5 }, { 1, 5 } }, {}
    for k = 1, 500 do
      many[k] = { k, 5 }
    end
    for _ = 1, 5 do
      wind.model = "particles"
      wind.particles = { cell = 0.3 }
      world:step()
      local good, read = read_while(function() wind.model = "direct" end, function() return wind:read_particles() end)
      assert.is_true(good and #read.positions > 0 or read:find("from the first step", 1, true) ~= nil)
      source.strength = many
      local _, strength = read_while(function() source.strength = few end, function() return source.strength end)
      for _, key in ipairs(strength.keys) do
        assert.equal(5, key[2])
      end
      local march = core.step_march("weft.step.order", "symplectic euler", "oscillator",
        { to = 1, steps = 4000, trace_every = 1 })
      local _, trace = read_while(function() march:advance("weft.step.order") end, function() return march:trace() end)
      assert.equal(#trace.time, #trace.energy)
    end
  end)

  for place, run in pairs {
    ["the main coroutine"] = function(f) f() end, ["another coroutine"] = function(f) coroutine.wrap(f)() end,
  } do
    it("include finalizers that close in a coroutine what is being used in " .. place, function()
      local vertices, closings = {}, 0
      for i = 1, 1000 do
        vertices[i] = i % 4 + 1
      end
      local function use()
        local sheet = weft.sheet { cells = { 1, 1 } }
        local attach, options, closed = sheet.attach, { vertices = vertices, to_vertices = vertices, length = 1 }, false
        local function close()
          coroutine.wrap(function() sheet:close() end)()
          closings = closings + 1
          closed = true
        end
        support.collect()
        if newproxy then
          getmetatable(newproxy(true)).__gc = close
        else
          setmetatable({}, { __gc = close })
        end
        while not closed do
          pcall(attach, sheet, options)
        end
        support.collect()
        assert.is_true(sheet.closed)
      end
      for _ = 1, 20 do
        run(use)
      end
      assert.equal(20, closings)
    end)
  end

  it("do not make closing wait for functions that an error has left", function()
    local function closing_frees()
      local buffer = weft.buffer { count = 100000 }
      local before = weft.memory()
      buffer:close()
      assert.is_true(weft.memory() <= before - 2e6)
    end
    local function fail()
      return weft.buffer { count = -1 }
    end
    assert.is_false(pcall(fail))
    closing_frees()
    coroutine.wrap(function()
      assert.is_false(pcall(fail))
      closing_frees()
    end)()
    assert.is_false(pcall(coroutine.wrap(fail))) -- and a coroutine that died of it
    closing_frees()
  end)

  it("include callbacks that close: the handle is closed at once, its memory freed when it is collected", function()
    support.collect()
    local before, buffer = weft.memory(), weft.buffer { count = 1000 }
    weft.on_warning(function()
      buffer:close()
      buffer:close() -- closing is idempotent here, too
    end)
    core.warn "now"
    assert.is_true(buffer.closed)
    assert.is_true(weft.memory() > before + 24000)
    buffer = nil -- luacheck: ignore
    weft.on_warning(nil)
    support.collect()
    assert.equal(before, (weft.memory()))
  end)
end)
