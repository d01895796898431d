-- Errors name the script's line also where a function of the Lua side raises them, or calls the C side.

local support = require "spec.support"
local weft = require "weft"
local step = weft.step
local unpack = unpack or table.unpack

--- What a function raises, which must begin with the position of its first line.
local function raised(call)
  local done, message = pcall(call)
  assert.is_false(done)
  local line = debug.getinfo(call, "S").linedefined + 1
  local prefix = ("position_spec.lua:%d: "):format(line)
  local _, last = message:find(prefix, 1, true)
  assert.truthy(last, ("%s, not line %d"):format(message, line))
  return message:sub(last + 1)
end

local function force_of_nothing()
  return step.equation { x = { 1 }, force = function() end }
end

local function closed_equation()
  local equation = step.equation "pendulum"
  equation:close()
  return equation
end

describe("The line of an error is the script's", function()
  it("in weft.world.run", function()
    local world = weft.world()
    for _, given in ipairs { { seconds = -1 }, { settle = 2 }, { every = 7 }, { second = 1 } } do
      raised(function()
        world:run(given)
      end)
    end
  end)

  it("in weft.world.run where a step fails", function()
    local world, sheet = weft.world { integrator = "xpbd" }, weft.sheet { cells = { 2, 1 } }
    world:add(sheet):drawstring { path = { 1, 2, 3 }, length = 0.1 }
    assert.equal(support.message_of(world.step, world), raised(function()
      world:run { seconds = 0.1 }
    end))
  end)

  it("in weft.step.integrator.run", function()
    local rk4 = step.integrator "rk4"
    local useless, closed = force_of_nothing(), closed_equation()
    assert.equal("weft.step.integrator.run: force: it must return a number, got {}", raised(function()
      rk4:run { equation = useless }
    end))
    raised(function()
      rk4:run { equation = useless, every = print }
    end)
    raised(function()
      rk4:run { equation = closed }
    end)
    raised(function()
      rk4:run { equation = "pendulun" }
    end)
    assert.matches("steps must be an integer", raised(function()
      rk4:run { equation = "pendulum", steps = -1 }
    end))
    raised(function()
      rk4:run { equation = "pendulum", trace = { "heat" } }
    end)
    raised(function()
      return #closed.x
    end)
  end)

  it("in weft.step.order, stability and precision", function()
    local useless, closed = force_of_nothing(), closed_equation()
    for _, equation in ipairs { useless, closed, "pendulun", 3 } do
      raised(function()
        step.order { scheme = "rk4", equation = equation }
      end)
      raised(function()
        step.precision { schemes = { "rk4" }, equations = { equation }, steps = { 8 } }
      end)
    end
    raised(function()
      step.order { scheme = "rk44", equation = "pendulum" }
    end)
    raised(function()
      step.precision { schemes = { "rk44" }, equations = { "pendulum" }, steps = { 8 } }
    end)
    assert.matches("did you mean 'rk4'", raised(function()
      step.stability "rk44"
    end))
    raised(function()
      step.stability { scheme = "rk4", pixels = 3 }
    end)
  end)

  it("in weft.step.recommend", function()
    local world, empty, closed = weft.world(), weft.world(), weft.world()
    world:add(weft.sheet { cells = { 1, 1 } })
    closed:close()
    for _, wrong in ipairs { empty, closed, 3 } do
      raised(function()
        step.recommend(wrong)
      end)
    end
    assert.matches("did you mean 'rk4'", raised(function()
      step.recommend(world, { schemes = { "rk44" }, seconds = 0.01 })
    end))
  end)

  it("in weft.world.sew", function()
    local world, stranger = weft.world(), weft.sheet { cells = { 1, 1 } }
    assert.equal(support.message_of(world.sew, world, stranger), raised(function()
      world:sew(stranger)
    end))
  end)

  it("in what a callback raises within a verb, in a folder of any name", function()
    local script = table.concat({ "local weft = ...",
      "return weft.draft.pleats(setmetatable({}, { __index = function()",
      "  weft.sheet { cells = 0 }",
      "end }))" }, "\n")
    for _, path in ipairs { "weft/script.lua", "/a/weft/draft.lua", "/" .. ("folder/"):rep(12) .. "weft/draft.lua" } do
      local done, message = pcall((loadstring or load)(script, "@" .. path), weft)
      assert.is_false(done)
      assert.matches("%.lua:3: weft.sheet: cells must", message)
    end
  end)

  it("in weft.draft.skirt of a closed body, which was not closed on the way", function()
    local body = weft.body.mannequin()
    body:close()
    local message = raised(function()
      weft.draft.skirt(body)
    end)
    assert.equal("weft.draft.skirt: the first argument must be a mannequin or a table of measures, got weft.body "
      .. "(closed)", message)
  end)
end)

--- Calls with new objects; before the n-th line within lua/weft a hook closes the n-th of them. Returns the messages,
--- each once.
local function messages_of_closing(make, call)
  local found, closed, n = {}, true, 0
  while closed and n < 150 do
    local object, line = make(), 0
    n, closed = n + 1, false
    debug.sethook(function()
      if not closed and debug.getinfo(2, "S").source:find("weft[/\\]%w+%.lua") then
        line = line + 1
        if line == n then
          closed = true
          object:close()
        end
      end
    end, "l")
    local done, message = pcall(call, object)
    debug.sethook()
    if not done then
      found[message] = true
    end
  end
  return support.sorted_keys(found)
end

describe("A hook that closes what a verb works with", function()
  if jit then -- hooks are not called from compiled code
    setup(jit.off)
    teardown(jit.on)
  end

  local verbs = {
    ["weft.world.run"] = { weft.world, function(world)
      world:run { seconds = 0.05, until_rest = true }
    end },
    ["weft.step.order"] = { function() return step.equation "pendulum" end, function(equation)
      step.order { scheme = "rk4", equation = equation, first = 4, halvings = 1 }
    end },
    ["weft.step.precision"] = { function() return step.equation "pendulum" end, function(equation)
      step.precision { schemes = { "rk4" }, equations = { equation }, steps = { 4 } }
    end },
    ["weft.draft.skirt"] = { weft.body.mannequin, function(body)
      weft.draft.skirt(body)
    end },
    ["weft.fabric.save"] = { weft.fabric, function(fabric)
      fabric:save("/dev/null")
    end },
    ["weft.testbench.folded_loop"] = { weft.fabric, function(fabric)
      weft.testbench.folded_loop { fabric = fabric, edge = -1 }
    end },
  }

  for _, verb in ipairs(support.sorted_keys(verbs)) do
    it("is no fault of weft's in " .. verb, function()
      local messages = messages_of_closing(unpack(verbs[verb]))
      assert.is_true(#messages > 0)
      for _, message in ipairs(messages) do
        assert.is_nil(message:find("weft[/\\]%w+%.lua:%d"), message)
        assert.matches("position_spec.lua:%d+: weft%.", message)
      end
    end)
  end
end)
