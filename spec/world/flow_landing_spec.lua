-- Air between cloth and what it comes to lie on, where the gap is thinner than the cells of a flow.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local weft = require "weft"

local GRAVITY, DENSITY = 9.81, 1.2
local REST = 0.0005 -- m: half of the cloth's thickness; what it lies on has as much again where it is a body

local function still_air(options, flow)
  local world = weft.world(options)
  world.wind.still_air = true
  world.wind.model = flow and "flow" or "direct"
  world.wind.flow = flow or {}
  return world
end

local function level(options)
  return weft.sheet { cells = options.cells or { 10, 10 }, size = { options.size, options.size }, weft = { 1, 0, 0 },
    warp = { 0, 0, -1 }, centre = { 0, options.height, 0 } }
end

--- Of the cloth's weight.
local function lift(cloth)
  return cloth:air_force().force[2] / (cloth.mass * GRAVITY)
end

describe("Cloth that falls flat in a flow", function()
  -- Volume and Bernoulli's equation: the air under a square of size L at a height g leaves through a rim of 4 L g
  -- at U = sqrt(2 w / density) under the weight w per area, so that the gap closes at 4 g U / L, from a height h to
  -- the rest d in L ln(h / d) / (4 U). Before, the sheet needs as long as it falls in a vacuum, at least.
  it("lands on a floor, wherever that lies in the cells, as fast as air leaves, without jumps of force", function()
    local height, size = 0.1, 0.5
    for _, offset in ipairs { 0, 0.02, 0.034, 0.036, 0.05 } do
      local world = still_air({ floor = 0 }, { lower = { -0.7, -0.28 + offset, -0.7 },
        upper = { 0.7, 0.84 + offset, 0.7 }, cell = 0.07 })
      local cloth = world:add(level { size = size, height = height })
      local speed = math.sqrt(2 * cloth.mass / size ^ 2 * GRAVITY / DENSITY)
      local fall, leaving = math.sqrt(2 * height / GRAVITY), size / (4 * speed) * math.log(height / REST)
      local landed, before, jump
      for _ = 1, 60 do
        world:step()
        local _, highest = support.heights(cloth)
        local now = lift(cloth)
        jump = math.max(jump or 0, before and math.abs(now - before) or 0)
        before, landed = now, landed or highest < REST + 0.001 and world.time
      end
      local told = ("%g: %s s, from %g to %g, jump %g"):format(offset, landed, fall, fall + leaving, jump)
      assert.is_true(landed and landed > fall and landed < fall + leaving and jump < 0.25, told)
      assert.is_true(math.abs(lift(cloth)) < 0.01, told)
    end
  end)

  it("lands on a table top and on cloth", function()
    for _, on in ipairs { "body", "cloth" } do
      local world = still_air({ floor = -1 }, { cells = 36 })
      local below = level { size = 0.6, height = 0, cells = { 12, 12 } }
      if on == "cloth" then
        local all = {}
        below = world:add(below)
        for i = 1, below.positions.count do
          all[i] = i
        end
        below:pin { vertices = all }
      else
        world:add(weft.body { vertices = below.positions:table(), faces = below.faces:table() })
      end
      local cloth = world:add(level { size = 0.4, height = 0.12 })
      world:step(90)
      local _, highest, mean = support.heights(cloth)
      local told = ("%s: %g %g %g"):format(on, mean, highest, lift(cloth))
      assert.is_true(highest < 0.001 + 0.001 and math.abs(lift(cloth)) < 0.01, told)
    end
  end)

  it("drapes over a ball, collider or body, as in air that does not flow", function()
    local function drape(flow, ball)
      local world = still_air({}, flow)
      world:add(ball)
      local cloth = world:add(level { size = 0.5, height = 0.25, cells = { 16, 16 } })
      world:step(100)
      return (select(3, support.heights(cloth))), lift(cloth)
    end
    local collider = weft.collider.sphere { radius = 0.15 }
    local body = weft.body(shapes.sphere({ 0, 0, 0 }, 0.15, 16))
    local expected = drape(nil, collider)
    for _, ball in ipairs { collider, body } do
      local mean, lifted = drape({ cells = 24 }, ball)
      assert.is_true(math.abs(mean - expected) < 0.004 and math.abs(lifted) < 0.02,
        ("%s: %g for %g, %g"):format(ball, mean, expected, lifted))
    end
  end)

  it("is as it is for any number of threads", function()
    support.same_with_threads(function()
      local world = still_air({}, { cells = 20 })
      world:add(weft.body(shapes.sphere({ 0, 0, 0 }, 0.15, 12)))
      world:add(weft.body { vertices = { { -1, -0.1, -1 }, { -1, -0.1, 1 }, { 1, -0.1, 1 } }, faces = { { 1, 2, 3 } } })
      world:add(level { size = 0.5, height = 0.18, cells = { 16, 16 } })
      world:step(20)
      return world:hash()
    end)
  end)
end)

describe("Cloth that lies on a floor", function()
  -- What is nearest counts, not what else there is somewhere: the air's box is the same, and the body outside of it.
  it("is met by the air as if there were no body far away", function()
    local function land(with_body)
      local world = still_air({ floor = 0 }, { lower = { -0.7, -0.28, -0.7 }, upper = { 0.7, 0.84, 0.7 }, cell = 0.07 })
      if with_body then
        world:add(weft.body(shapes.sphere({ 3, 0.5, 0 }, 0.15, 8)))
      end
      local cloth, lifts = world:add(level { size = 0.5, height = 0.05 }), {}
      for step = 1, 30 do
        world:step()
        lifts[step] = lift(cloth)
      end
      return lifts
    end
    local with, without = land(true), land(false)
    for step, expected in ipairs(without) do
      support.close(expected, with[step], 1e-4, ("step %d"):format(step))
    end
  end)

  it("is not lifted by wind along it", function()
    local world = weft.world { floor = 0 }
    world.wind.model = "flow"
    world.wind.flow = { cells = 24 }
    world.wind:add(weft.wind.uniform { velocity = { 8, 0, 0 } })
    local cloth = world:add(level { size = 0.5, height = 0.0006 })
    local largest = 0
    for _ = 1, 60 do
      world:step()
      largest = math.max(largest, math.abs(lift(cloth)))
    end
    local _, highest = support.heights(cloth)
    assert.is_true(largest < 0.05 and highest < 0.001, ("%g %g"):format(largest, highest))
  end)
end)

describe("Cloth between walls", function()
  -- Its rim touches them: it is moved along its own normal alone.
  it("lets no air by", function()
    local world = support.still_world {}
    world.wind.model = "flow"
    world.wind.flow = { lower = { -1, -0.5, -0.5 }, upper = { 1, 0.5, 0.5 }, cell = 1 / 12,
      boundary = { x = "periodic", y = "slip", z = "slip" } }
    world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
    for _, side in ipairs { -1, 1 } do
      world:add(weft.collider.box { size = { 4, 0.2, 2 }, position = { 0, side * 0.4, 0 } })
    end
    local cloth = world:add(weft.sheet { cells = { 9, 9 }, size = { 0.6, 1 }, weft = { 0, 1, 0 }, warp = { 0, 0, 1 },
      centre = { 0.013, 0, 0 } })
    local all = {}
    for i = 1, cloth.positions.count do
      all[i] = i
    end
    cloth:pin { vertices = all }
    world:step(2)
    for y = -0.2, 0.2, 0.1 do
      local u = world.wind:at { 0.5, y, 0.1 }
      assert.is_true(math.abs(u[1]) < 1e-3, ("%g at %g"):format(u[1], y))
    end
  end)
end)
