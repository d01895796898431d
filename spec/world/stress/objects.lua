-- Stress scenes of rigid bodies and cloth.

local weft = require "weft"
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

return objects
