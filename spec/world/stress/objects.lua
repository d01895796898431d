-- Stress scenes of rigid bodies and cloth.

local weft = require "weft"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

local function speed_of(rigid)
  local v = rigid.velocity
  return math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
end

local objects = {}

--- Spheres fall into a sheet that hangs from its border, and fill it like a bag.
objects[1] = {
  name = "bag",
  rigid = true,
  build = function(size, options)
    local full = size == "full"
    local n, side, rows, layers = full and 36 or 14, full and 0.7 or 0.45, full and 5 or 2, full and 8 or 4
    local world = weft.world(support.with({ time_step = 1 / 120 }, options))
    local bag = world:add(weft.sheet { cells = { n, n }, size = { side, side } })
    local border, targets = {}, {}
    for k = 0, (n + 1) ^ 2 - 1 do
      local i, j = k % (n + 1), math.floor(k / (n + 1))
      if i == 0 or j == 0 or i == n or j == n then -- held together, so that it hangs through
        local x, y, z = bag.positions:get(k + 1)
        border[#border + 1], targets[#targets + 1] = k + 1, { 0.8 * x, y, 0.8 * z }
      end
    end
    bag:pin { vertices = border, targets = targets }
    for _ = 1, 60 do
      world:step(1, 4)
    end
    local balls, radius, spacing = {}, 0.025, 0.058
    for layer = 1, layers do
      for i = 1, rows do
        for j = 1, rows do
          balls[#balls + 1] = world:add(weft.rigid { shape = "sphere", radius = radius, detail = 1, density = 300,
            position = { (i - (rows + 1) / 2) * spacing + 0.001 * (layer % 3), spacing * layer,
                         (j - (rows + 1) / 2) * spacing + 0.001 * (layer % 2) } })
        end
      end
    end
    return {
      world = world, cloths = { bag }, bodies = {}, rigids = balls, frames = full and 240 or 120,
      outcome = function()
        local inside, fastest, highest, lowest = 0, 0, -math.huge, math.huge
        for _, ball in ipairs(balls) do
          local p = ball.position
          inside = inside + (math.max(math.abs(p[1]), math.abs(p[3])) < side / 2 and p[2] > -side and 1 or 0)
          fastest = math.max(fastest, speed_of(ball))
          highest, lowest = math.max(highest, p[2]), math.min(lowest, p[2])
        end
        return { { "balls in the bag", inside, #balls, #balls },
                 { "lowest ball, m", lowest, -side, -0.08 },
                 { "height of the heap, m", highest - lowest, full and 0.08 or 0.02, 0.4 },
                 { "fastest ball, m/s", fastest, 0, 0.5 } }
      end,
      view = { eye = { 0.9, 0.5, 1.2 }, target = { 0, -0.12, 0 } },
    }
  end,
}

--- A cloth is torn from a laid table.
objects[2] = {
  name = "table",
  rigid = true,
  build = function(size, options)
    local full = size == "full"
    local n, side = full and 40 or 16, 0.6
    local world = weft.world(support.with({ time_step = 1 / 240, floor = -0.7 }, options))
    local shape = shapes.box({ -0.25, -0.03, -0.25 }, { 0.25, 0, 0.25 })
    local top = world:add(shapes.body(shape, "table", 0.1))
    local fabric = weft.fabric { base = "polyester", name = "table cloth", friction = 0.1 }
    local cloth = world:add(weft.sheet { cells = { n, n }, size = { side, side }, centre = { 0.08, 0.002, 0 },
      fabric = fabric })
    local objects_on_it = {}
    for i = -1, 1 do
      for k = -1, 1 do
        local box = (i + k) % 2 == 0
        objects_on_it[#objects_on_it + 1] = world:add(weft.rigid { friction = 0.1, density = 600,
          shape = box and "box" or "convex", size = box and { 0.05, 0.05, 0.05 } or nil,
          points = not box and { { -0.03, 0, -0.03 }, { 0.03, 0, -0.03 }, { 0.03, 0, 0.03 }, { -0.03, 0, 0.03 },
            { -0.02, 0.06, -0.02 }, { 0.02, 0.06, -0.02 }, { 0.02, 0.06, 0.02 }, { -0.02, 0.06, 0.02 } } or nil,
          position = { 0.11 * i - 0.07, box and 0.0295 or 0.0045, 0.13 * k } })
      end
    end
    local edge, from, rest, pull, starts = {}, {}, full and 60 or 30, full and 80 or 60, {}
    for k = 0, n do
      edge[k + 1] = (k + 1) * (n + 1)
    end
    return {
      world = world, cloths = { cloth }, bodies = { top }, rigids = objects_on_it, frames = rest + pull + 30,
      drive = function(frame)
        if frame == rest + 1 then
          for k, v in ipairs(edge) do
            from[k] = { cloth.positions:get(v) }
          end
          for k, rigid in ipairs(objects_on_it) do
            starts[k] = rigid.position
          end
        end
        if frame > rest then
          local targets, time = {}, math.min(frame - rest, pull) / 240
          for k, p in ipairs(from) do -- 60 m/s2, to 6 m/s
            local way = time < 0.1 and 30 * time * time or 6 * time - 0.3
            targets[k] = { p[1] + way, p[2], p[3] }
          end
          cloth:pin { vertices = edge, targets = targets }
        end
      end,
      outcome = function()
        local lowest, farthest, slowest = math.huge, 0, math.huge
        for k, rigid in ipairs(objects_on_it) do
          local p, s = rigid.position, starts[k]
          lowest = math.min(lowest, p[2])
          farthest = math.max(farthest, math.sqrt((p[1] - s[1]) ^ 2 + (p[3] - s[3]) ^ 2))
        end
        for i = 1, cloth.vertices do
          slowest = math.min(slowest, (cloth.positions:get(i)))
        end
        return { { "cloth's last vertex, m", slowest, 0.2, 2 }, { "lowest object, m", lowest, -0.001, 0.06 },
          { "farthest way of an object, m", farthest, 0.001, 0.06 } } -- mu g, as long as it lies on cloth
      end,
      view = { eye = { 0.8, 0.7, 1.5 }, target = { 0.1, 0, 0 } },
    }
  end,
}

return objects
