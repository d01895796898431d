-- Stress scenes of sheets that fall on something.

local weft = require "weft"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

--- The vertices of a sheet of n x n cells within `reach` cells of its corners.
local function corners_of(n, reach)
  local list = {}
  for i = 0, n do
    for k = 0, n do
      if math.min(i, n - i) <= reach and math.min(k, n - k) <= reach then
        list[#list + 1] = i * (n + 1) + k + 1
      end
    end
  end
  return list
end

local sheets = {}

--- Five layers fall on a ball; then the lowest is pulled down by its corners.
sheets[1] = {
  name = "stack",
  build = function(size, options)
    local n, radius = size == "full" and 40 or 12, 0.1
    local world = weft.world(support.with({ time_step = 1 / 60 }, options))
    local ball = world:add(shapes.body(shapes.sphere({ 0, 0, 0 }, radius, size == "full" and 24 or 12), "ball", 0.3))
    local cloths = {}
    for k = 1, 5 do
      cloths[k] = world:add(weft.sheet { cells = { n, n }, size = { 0.36, 0.36 },
        centre = { 0.002 * k, radius + 0.004 * k, 0.001 * k } })
    end
    local fall = size == "full" and 60 or 40
    local corners, from, depth = corners_of(n, math.floor(n / 8)), {}, 0.15
    return {
      world = world, cloths = cloths, bodies = { ball }, frames = fall + 60,
      drive = function(frame)
        if frame == fall + 1 then
          for k, corner in ipairs(corners) do
            from[k] = { cloths[1].positions:get(corner) }
          end
        end
        if frame > fall then
          local targets = {}
          for k, p in ipairs(from) do
            targets[k] = { p[1], p[2] - depth * math.min((frame - fall) / 45, 1), p[3] }
          end
          cloths[1]:pin { vertices = corners, targets = targets }
        end
      end,
      outcome = function()
        local reached, order = 0, math.huge
        for k, corner in ipairs(corners) do
          local _, y = cloths[1].positions:get(corner)
          reached = math.max(reached, y - (from[k][2] - depth))
        end
        local middle = (n / 2) * (n + 1) + n / 2 + 1
        for k = 2, 5 do
          local _, above = cloths[k].positions:get(middle)
          local _, below = cloths[k - 1].positions:get(middle)
          order = math.min(order, above - below)
        end
        local _, top = support.heights(cloths[5])
        return { { "way left to the corners", reached, -1e-6, 0.01 },
          { "least distance of layers on top", order, 0, 0.02 },
          { "height of the top layer", top, radius, radius + 0.03 } }
      end,
      view = { azimuth = 30, elevation = 15 },
    }
  end,
}

sheets[2] = {
  name = "needles",
  build = function(size, options)
    local n, count = size == "full" and 70 or 24, size == "full" and 6 or 4
    local world = weft.world(support.with({ time_step = 1 / 60, floor = -0.1 }, options))
    local needles = {}
    for i = 1, count do
      for j = 1, count do
        needles[#needles + 1] = shapes.needle({ 0.3 * ((i - 0.5) / count - 0.5), 0.01 * ((i + j) % 2),
          0.3 * ((j - 0.5) / count - 0.5) }, 0.1, 0.004)
      end
    end
    local bed = world:add(shapes.body(shapes.join(needles), "needles", 0.2))
    local sheet = world:add(weft.sheet { cells = { n, n }, size = { 0.36, 0.36 }, centre = { 0, 0.06, 0 } })
    return {
      world = world, cloths = { sheet }, bodies = { bed }, frames = size == "full" and 120 or 60,
      outcome = function()
        local lowest, highest = support.heights(sheet)
        return { { "height of the highest point", highest, 0.009, 0.03 },
          { "height of the lowest point", lowest, -0.1, -0.01 } }
      end,
      view = { azimuth = 25, elevation = 20 },
    }
  end,
}

sheets[3] = {
  name = "bullet",
  build = function(size, options)
    local n = size == "full" and 60 or 20
    local world = weft.world(support.with({ time_step = 1 / 30, floor = -1 }, options))
    local ball = world:add(shapes.body(shapes.sphere({ 0, 0, 0 }, 0.15, size == "full" and 24 or 12), "ball", 0.4))
    local sheet = world:add(weft.sheet { cells = { n, n }, size = { 0.5, 0.5 }, centre = { 0, 1.7, 0 } })
    local velocities, middle = {}, {}
    for i = 1, sheet.vertices do
      local x, _, z = sheet.positions:get(i)
      velocities[i] = { 0, -100, 0 }
      middle[#middle + 1] = x * x + z * z < 0.05 ^ 2 and i or nil
    end
    sheet:assign { velocities = velocities }
    local over, energies = math.huge, { [0] = world:energy().kinetic }
    return {
      world = world, cloths = { sheet }, bodies = { ball }, frames = size == "full" and 60 or 40,
      watch = function(frame)
        energies[frame] = world:energy().kinetic
        for _, i in ipairs(frame == 1 and middle or {}) do -- passing in one step would leave no crossing
          over = math.min(over, (select(2, sheet.positions:get(i))))
        end
      end,
      outcome = function()
        local _, top = support.heights(sheet)
        -- It stays on the ball or, where the blow costs it less, leaps and slides off.
        return { { "lowest of what is over the ball, after the blow", over, 0.1, 1.6 },
          { "height of the highest point", top, -1, 0.2 },
          { "kinetic energy after the blow over that before", energies[1] / energies[0], 0, 1 },
          { "fastest vertex at the end", world.stats.max_speed, 0, 5 } }
      end,
      view = { azimuth = 25, elevation = 15 },
    }
  end,
}

--- The mean angle by which a cloth is turned about the Y axis, followed from step to step, inside a radius.
local function turning(cloth, radius)
  local last, total = {}, 0
  local P = cloth.positions
  local inner = {}
  for i = 1, cloth.vertices do
    local x, _, z = P:get(i)
    if x * x + z * z > 1e-6 and x * x + z * z < radius * radius then
      inner[#inner + 1] = i
      last[i] = math.atan2(-z, x)
    end
  end
  return function()
    local now, sum = cloth.positions, 0
    for _, i in ipairs(inner) do
      local x, _, z = now:get(i)
      local angle = math.atan2(-z, x)
      sum = sum + (angle - last[i] + math.pi) % (2 * math.pi) - math.pi
      last[i] = angle
    end
    total = total + sum / #inner
    return total
  end
end

--- A ball under a sheet on the floor begins to turn and winds it up.
sheets[4] = {
  name = "winding",
  build = function(size, options)
    local n, radius = size == "full" and 70 or 24, 0.1
    local world = weft.world(support.with({ time_step = 1 / 60, floor = true, floor_friction = 0.6 }, options))
    local shape = shapes.sphere({ 0, radius + 0.003, 0 }, radius, size == "full" and 24 or 14)
    local ball = world:add(shapes.body(shape, "ball", 1.5))
    local sheet = world:add(weft.sheet { cells = { n, n }, size = { 0.7, 0.7 }, centre = { 0, 2 * radius + 0.02, 0 } })
    local fall, turns = 50, size == "full" and 2 or 1
    local spin = turning(sheet, 0.04)
    local angle = 0
    return {
      world = world, cloths = { sheet }, bodies = { ball }, frames = fall + (size == "full" and 120 or 70),
      watch = function()
        angle = spin()
      end,
      drive = function(frame)
        if frame > fall then
          local rate = math.min((frame - fall) / 15, 1) * turns * 2 * math.pi / 60
          ball:move { turn = { 0, rate, 0 }, centre = { 0, radius, 0 } }
        end
      end,
      outcome = function()
        local _, top = support.heights(sheet)
        return { { "turns of the cloth on the ball", angle / (2 * math.pi), 0.5, 5 },
          { "height of the highest point", top, 2 * radius, 2 * radius + 0.05 } }
      end,
      view = { azimuth = 20, elevation = 35 },
    }
  end,
}

return sheets
