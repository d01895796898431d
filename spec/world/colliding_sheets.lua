-- Two sheets that fly at each other, aslant, in free space: for the specs of what contact conserves.

local weft = require "weft"
local support = require "spec.support"

--- The world. The sheets start `height` on both sides of the middle; `speeds` are those of the lower and of the upper.
return function(world_options, height, speeds)
  local world = weft.world(support.with({ gravity = { 0, 0, 0 } }, world_options))
  for k = 1, 2 do
    local sign = 2 * k - 3
    local sheet = world:add(weft.sheet { cells = { 6 + k, 6 }, size = { 0.2, 0.2 },
                                         centre = { 0.02 * sign, height * sign, 0.01 * sign } })
    local v = {}
    for i = 1, sheet.vertices do
      v[i] = { 0.02, -speeds[k] * sign, 0.01 * sign }
    end
    sheet:assign { velocities = v }
  end
  return world
end
