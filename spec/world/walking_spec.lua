-- A figure that walks: its lee goes with it, in wind particles and in a flow.

local support = require "spec.support"
local weft = require "weft"

local near = support.near
local STEP, WIND = 1 / 60, 4
local PACE, PERIOD, SWING = 1.3, 1.08, 0.4 -- m/s, s of two steps, rad of the legs to each side

--- A figure that walks along z, and its vertices at a time: the torso goes evenly, the legs swing about the hips.
local function walker()
  local body = weft.body.mannequin { figure = "man" }
  local start, hip = body.positions:table(), body.measures.hip_height
  local reach = hip - body.measures.crotch_height + 0.1
  return body, function(time)
    local angle, positions = SWING * math.sin(2 * math.pi * time / PERIOD), {}
    for i, p in ipairs(start) do
      local x, below, z = p[1], hip - p[2], p[3]
      local is_arm = math.abs(x) > 0.2 and below < hip - body.measures.crotch_height - 0.1
      local part = is_arm and 0 or math.max(0, math.min(1, below / reach)) * math.max(-1, math.min(1, x / 0.04))
      local c, s = math.cos(part * angle), math.sin(part * angle)
      positions[i] = { x, hip - c * below - s * z, c * z - s * below + PACE * time }
    end
    return positions
  end
end

--- Walks against the wind, and calls `look` with the place of the figure in each step of a cycle after the air has
--- settled, or from the start in some steps.
local function walk(options, look)
  local world = support.still_world { time_step = STEP }
  local body, pose = walker()
  body:place { positions = pose(0) }
  world:add(body)
  if options.cloth then
    world:add(weft.sheet { cells = { 2, 2 }, size = { 0.2, 0.2 }, centre = { 0.8, 0.3, -1.7 } }):pin {
      vertices = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }
  end
  world.wind.model = options.model
  local box = { cell = 0.1, lower = { -1, -0.5, -2 }, upper = { 1, 2.4, 4 } }
  world.wind.flow = options.follows and { cell = 0.1, margin = 0.9 } or box
  world.wind.particles = { cell = 0.1, margin = 8 }
  world.wind:add(weft.wind.uniform { velocity = { 0, 0, -WIND } })
  local cycle, before = options.steps or math.floor(PERIOD / STEP + 0.5), options.steps and 0 or 40
  for step = 1, before + cycle do
    body:move { positions = pose(step * STEP) }
    world:step()
    if step > before then
      look(world, PACE * step * STEP, step - before, cycle)
    end
  end
  return world, body
end

--- m/s along the wind: the mean of the air half a metre behind the back, from the waist to the shoulders.
local function lee(world, place)
  local sum, count = 0, 0
  for y = 1.1, 1.35, 0.1 do
    for x = -0.05, 0.05, 0.05 do
      sum, count = sum - world.wind:at({ x, y, place - 0.15 - 0.5 })[3], count + 1
    end
  end
  return sum / count
end

describe("A figure that walks against the wind", function()
  it("has no wind of particles half a metre behind it, in any phase of its steps", function()
    local mean, most = 0, 0
    local world, body = walk({ model = "particles" }, function(world, place, _, cycle)
      local wind = lee(world, place)
      mean, most = mean + wind / cycle, math.max(most, wind)
      assert.equal(WIND, -world.wind:at({ 0.95, 1.2, place - 0.65 })[3])
      assert.equal(WIND, -world.wind:at({ 0, 1.2, place + 0.4 })[3])
      assert.equal(WIND, -world.wind:at({ 0, 1.95, place - 0.65 })[3])
    end)
    assert.is_true(mean == 0 and most == 0, ("%g %g"):format(mean, most))
    body:place { shift = { 0, 0, -20 } }
    world:step(60)
    near(WIND, lee(world, PACE * (40 + 65) * STEP), 1e-6)
  end)

  it("has a lee in a flow, and takes air along at its own pace", function()
    local mean, most, back, beside = 0, -math.huge, 0, 0
    walk({ model = "flow", follows = true }, function(world, place, _, cycle)
      local wind = lee(world, place)
      mean, most = mean + wind / cycle, math.max(most, wind)
      back = back + world.wind:at({ 0, 1.2, place })[3] / cycle -- in the body
      beside = beside - world.wind:at({ 1.2, 1.2, place - 0.65 })[3] / cycle
    end)
    -- Keckeisen's bound for a wall (T38), which a figure keeps in any phase.
    assert.is_true(mean < 0.3 * WIND and most < 0.3 * WIND, ("%g %g"):format(mean, most))
    -- Air that turns round behind a bluff body is at most half as fast as the wind past it, which is its own way more.
    assert.is_true(mean > -(PACE + 0.5 * (WIND + PACE)), mean)
    near(PACE, back, 0.02)
    near(WIND, beside, 0.1)
  end)

  it("moves the air the same where there is no cloth in the world as where there is", function()
    local winds = {}
    for k, cloth in ipairs { false, true } do
      winds[k] = {}
      walk({ model = "flow", cloth = cloth, steps = 40 }, function(world, place, step)
        if step % 20 == 0 then
          for dz = -0.6, 0.6, 0.3 do
            table.insert(winds[k], world.wind:at({ 0.03, 1.2, place + dz })[3])
          end
        end
      end)
    end
    for i, wind in ipairs(winds[1]) do
      support.close(winds[2][i], wind, 0.02 * WIND)
    end
  end)
end)
