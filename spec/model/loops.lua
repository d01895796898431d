-- Theory of loops of cloth, heavy strips that bend in one plane: the folded loop and the hanging heart loop. Lengths
-- are in bending lengths.

local shooting = require "spec.model.shooting"

local loops = {}

local STEPS = 400

--- The end of the strip theta'' = weight (a - s) cos theta + pull sin theta from an angle and a curvature on: angle,
--- curvature, x, y. `a` is the length whose weight the start carries; `visit` gets x, y on the way.
local function shoot(length, angle, curvature, weight, a, pull, visit)
  local function slopes(s, state)
    local cos, sin = math.cos(state[1]), math.sin(state[1])
    return { state[2], weight * (a - s) * cos + pull * sin, cos, sin }
  end
  local state = shooting.integrate(slopes, { angle, curvature, 0, 0 }, length, STEPS, visit and function(state)
    visit(state[3], state[4])
  end)
  return state[1], state[2], state[3], state[4]
end

--- Of a strip folded back on itself on a plane: its height, the length of the loop, the length whose weight the plane
--- carries where it begins, and its points { x, y }. It begins and ends level, and without moment.
function loops.folded()
  local carried, length = shooting.solve(function(a, l)
    local angle, curvature = shoot(l, 0, 0, 1, a, 0)
    return angle - math.pi, curvature
  end, 3.7, 4.7)
  local height, points = 0, { { 0, 0 } }
  shoot(length, 0, 0, 1, carried, 0, function(x, y)
    height, points[#points + 1] = math.max(height, y), { x, y }
  end)
  return height, length, carried, points
end

--- Of a strip of `length` that hangs from both ends, which leave the clamp upward: its height from there down, and the
--- points of one half.
function loops.heart(length)
  local half = length / 2
  local curvature, pull = -4.9, -8.7 -- of a half without weight, lengths over its own
  local function hang(share, visit)
    return shoot(1, math.pi / 2, curvature, share * half ^ 3, 1, pull, visit)
  end
  local parts = math.ceil(8 + half ^ 3) -- of its weight, one after the other
  for part = 0, parts do
    curvature, pull = shooting.solve(function(k, p)
      curvature, pull = k, p
      local angle, _, x = hang(part / parts)
      return angle + math.pi, x
    end, curvature, pull)
  end
  local points = { { 0, 0 } }
  local _, _, _, y = hang(1, function(x, at)
    points[#points + 1] = { half * x, half * at }
  end)
  return -half * y, points
end

--- The bending length that Peirce (1930) reads from the height of a heart loop, both in units of your own.
function loops.peirce(length, height)
  local empty = 0.1337 * length -- the height without weight
  local theta = math.rad(32.85) * (height - empty) / empty
  return empty * (math.cos(theta) / math.tan(theta)) ^ (1 / 3)
end

return loops
