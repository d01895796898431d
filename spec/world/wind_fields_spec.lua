-- Sources in a world: how they superpose, and functions that give their fields, once per step.

local fields = require "spec.air.fields"
local support = require "spec.support"
local weft = require "weft"

local near = fields.near
local message_of = support.message_of

local function make_world(...)
  local world = support.still_world { time_step = 1 / 50 }
  local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.5, 0.5 }, centre = { 0, 1, 0 } })
  for _, source in ipairs { ... } do
    world.wind:add(source)
  end
  return world, sheet
end

local function field_of(sample)
  return weft.wind.field { counts = { 2, 2, 2 }, spacing = { 4, 4, 4 }, origin = { -2, -1, -2 }, sample = sample }
end

describe("The wind of a world", function()
  it("is the sum of its sources, at the world's time", function()
    local sources = {
      weft.wind.uniform { velocity = { 1, 0, 0 }, strength = { { 0, 0 }, { 1, 5 } } },
      weft.wind.vortex { circulation = 2, position = { 0.1, 0, 0.2 } },
      weft.wind.turbulence { intensity = 1, velocity = { 3, 0, 0 } },
      field_of(function(points, time, velocities)
        for i = 1, #points do
          local x = points:get(i)
          velocities:set(i, 0, x + time, 0)
        end
      end),
    }
    local world = make_world((table.unpack or unpack)(sources))
    world:step()
    world:step()
    for _, p in ipairs(fields.random_points(20, 1)) do
      local sum = { 0, 0, 0 }
      for _, source in ipairs(sources) do
        sum = fields.sum(sum, source:at(p, 0.04))
      end
      local u = world.wind:at(p)
      for c = 1, 3 do
        near(sum[c], u[c], 1e-6)
      end
    end
  end)

  it("asks a function once per step, for the end of the step, before anything moves", function()
    local times = {}
    local source = field_of(function(points, time, velocities)
      times[#times + 1] = time
      assert.equal(8, #points)
      velocities:set(1, 0, 3, 0)
    end)
    local world = make_world(source)
    for _ = 1, 3 do
      world:step()
    end
    assert.equal(3, #times)
    for k = 1, 3 do
      near(k / 50, times[k], 1e-15)
    end
  end)

  it("does not ask a function again for who only looks, and looking leaves the world as it is", function()
    local region = { lower = { -1, 0, -1 }, upper = { 1, 2, 1 } }
    local function run(model, looks)
      local asked = 0
      local source = field_of(function(points, _, velocities)
        asked = asked + 1
        for i = 1, #points do
          velocities:set(i, asked, 0, 0)
        end
      end)
      local world = make_world(source)
      world.wind.model = model
      local hash = world:hash()
      if looks then
        world.wind:at { 0, 1, 0 }
      end
      assert.equal(hash, world:hash())
      asked = 0
      for step = 1, 3 do
        world:step()
        hash = world:hash()
        if looks then
          local seen = world.wind:at { 0, 2.5, 0 }
          assert.equal(step, source:at({ 0, 2.5, 0 })[1])
          assert.is_true(model ~= "direct" or seen[1] == step)
          world.wind:arrows(support.with(region, { spacing = 1 }))
          world.wind:streamlines(support.with(region, { spacing = 1 }))
        end
        assert.equal(hash, world:hash())
        assert.equal(step, asked)
      end
      return world:hash()
    end
    for _, model in ipairs { "direct", "particles", "flow" } do
      assert.equal(run(model, false), run(model, true), model)
    end
  end)

  it("does not count a source that is disabled: without another it is none", function()
    local function hash_of(disabled, model)
      local source = weft.wind.uniform { velocity = { 3, 0, 0 }, enabled = false }
      local world, sheet = make_world(disabled and source or nil)
      world.gravity = { 0, -9.81, 0 }
      world.wind.model = model
      world:step(5)
      local y = select(2, sheet.positions:get(1))
      assert.same({ 0, 0, 0 }, world.wind:at { 0, 1, 0 })
      assert.equal(0, sheet:air_force().force[2])
      source.enabled = true
      world:step()
      assert.equal(disabled, sheet:air_force().force[2] > 0)
      return y
    end
    for _, model in ipairs { "direct", "particles", "flow" } do
      assert.equal(hash_of(false, model), hash_of(true, model), model)
    end
    local unasked = field_of(function() error "it is disabled" end)
    unasked.enabled = false
    make_world(unasked):step()
  end)

  it("has the hash of its model alone: options of another are no part of it", function()
    local source = weft.wind.uniform { velocity = { 3, 0, 0 } }
    local world, other = make_world(source), make_world(source)
    for _ = 1, 2 do
      world.wind.flow = { cells = 8, lower = { -1, 0, -1 }, upper = { 1, 2, 1 } }
      world.wind.particles = { cell = 0.1 }
      assert.equal(other:hash(), world:hash())
      world:step(2)
      other:step(2)
    end
    assert.equal(other:hash(), world:hash())
  end)

  it("moves cloth as the same field does that is a list", function()
    local list = {}
    for i = 1, 8 do
      list[i] = { i, 2, -i }
    end
    local function positions(source)
      local world, sheet = make_world(source)
      for _ = 1, 5 do
        world:step()
      end
      return sheet.positions:string(), sheet.positions:get(13)
    end
    local given, x = positions(weft.wind.field { counts = { 2, 2, 2 }, spacing = { 4, 4, 4 }, origin = { -2, -1, -2 },
      velocities = list })
    assert.is_true(given == (positions(field_of(function() return list end))))
    assert.is_true(x > 1e-4)
  end)

  it("lets a function that fails undo the step, and keeps every field", function()
    for _, wrong in ipairs {
      function() error "my own words" end,
      function() return { { 1, 2, 3 } } end,
      function(_, _, velocities) velocities:set(2, 5000, 0, 0) end,
      coroutine.yield,
    } do
      local fails = false
      local first = field_of(function(_, time, velocities) velocities:set(1, time, 0, 0) end)
      local second = field_of(function(points, time, velocities)
        if fails then
          return wrong(points, time, velocities)
        end
      end)
      local world = make_world(first, second)
      world:step()
      fails = true
      local before, field = world:hash(), first:at({ -2, -1, -2 })[1]
      local message = message_of(world.step, world)
      assert.matches("^weft.world.step: ", message)
      assert.equal(before, world:hash())
      assert.equal(1, world.steps)
      assert.equal(field, first:at({ -2, -1, -2 })[1]) -- the first was asked, too, and its answer dropped
      fails = false
      world:step()
      assert.equal(2, world.steps)
    end
  end)

  it("is as it was after a step that fails later", function()
    local speed = 1
    local source = field_of(function(points, _, velocities)
      for i = 1, #points do
        velocities:set(i, speed, 0, 0)
      end
    end)
    local world = make_world(source)
    world.wind.model = "flow"
    world.wind.flow = { cells = 40 }
    world:step(2)
    local hash = world:hash()
    speed = 900
    assert.matches("sub%-steps", message_of(world.step, world))
    assert.equal(hash, world:hash())
    assert.same({ 1, 0, 0 }, source:at { 0, 0, 0 })
    speed = 1
    world:step()
  end)

  it("does not let a function change the wind that asks it, or step the world", function()
    local world, action
    local source = field_of(function() action() end)
    world = make_world(source)
    for pattern, wrong in pairs {
      ["a wind cannot be changed by a function that it asks"] = function() world.wind:remove(source) end,
      ["a wind cannot be changed"] = function() world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } }) end,
      ["cannot be changed by a"] = function() world.wind:clear() end,
      ["must not ask for its own field"] = function() source:sample(1) end,
      ["a wind cannot be changed by"] = function() world.wind:at { 0, 0, 0 } end,
    } do
      action = wrong
      assert.matches(pattern, message_of(world.step, world))
      assert.equal(1, #world.wind)
    end
    action = function() world:step() end
    assert.is_string(message_of(world.step, world))
    assert.equal(0, world.steps)
    action = function() source.origin, source.strength = { -3, -1, -2 }, 2 end -- its own options it may set
    world:step()
    assert.equal(1, world.steps)
  end)

  it("is in the world's hash, with all that its sources are made of", function()
    local source = weft.wind.point { flow = 1, position = { 0, 3, 0 } }
    local list = {}
    for i = 1, 8 do
      list[i] = { 0, i, 0 }
    end
    local field = weft.wind.field { counts = { 2, 2, 2 }, spacing = { 1, 1, 1 }, velocities = list }
    local world = make_world(source, field)
    local seen = { [world:hash()] = true }
    list[8] = { 0, 0, 0 }
    for k, change in ipairs {
      function() source.flow = 2 end,
      function() source.strength = 2 end,
      function() source.strength = { { 0, 1 }, { 1, 2 } } end,
      function() source.strength = { keys = { { 0, 1 }, { 1, 2 } }, period = 3 } end,
      function() source.extent = { centre = { 0, 0, 0 }, radius = 9 } end,
      function() source.falloff = { width = 1 } end,
      function() source.enabled = false end,
      function() field:assign(list) end,
      function() field.outside = "edge" end,
    } do
      change()
      assert.is_nil(seen[world:hash()], k)
      seen[world:hash()] = true
    end
  end)

  it("keeps its sources when nobody else does, and lets go of them", function()
    local watch = setmetatable({}, { __mode = "k" })
    local world = make_world()
    do
      local function sample(_, _, velocities) velocities:set(1, 1, 0, 0) end
      watch[sample] = true
      world.wind:add(field_of(sample))
    end
    support.collect()
    world:step()
    assert.is_truthy(next(watch))
    world.wind:clear()
    support.collect()
    assert.is_nil(next(watch))
    world:step()
  end)

  it("survives worlds and sources that are closed in any order", function()
    local source = field_of(function(_, _, velocities) velocities:set(1, 1, 0, 0) end)
    local world = make_world(source)
    source:close()
    world:step()
    world:close()
    local other = field_of(function(_, _, velocities) velocities:set(1, 1, 0, 0) end)
    local second = make_world(other)
    second:step()
    second:close()
    near(1, other:at({ -2, -1, -2 })[1], 0)
  end)
end)
