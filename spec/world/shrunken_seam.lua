-- A strip of cloth whose seam along the middle has shrunk, and the waves that it takes to: for the specs of seams and
-- examples/validate/pucker.lua.
--
-- Along the seam cloth is shortened to 1 - s; beside it, it keeps its length and takes to waves of an amplitude A and a
-- length l whose excess is (pi A / l)^2, the mean of half the square of their slope, to leading order: with the next
-- one, s / (1 - s) = a - 3/4 a^2 of sines.

local sheets = require "spec.model.sheets"
local support = require "spec.support"
local weft = require "weft"

local seams = { COLUMNS = 100, ROWS = 12, LENGTH = 0.5 }
local COLUMNS, ROWS, LENGTH, WIDTH = seams.COLUMNS, seams.ROWS, seams.LENGTH, 0.06

--- A strip along x, in y = 0, with a seam along its middle row.
function seams.strip(world, options)
  local strip = world:add(weft.sheet { cells = { COLUMNS, ROWS }, size = { LENGTH, WIDTH } })
  return strip, strip:seam(support.with(options, { line = { { 0, WIDTH / 2 }, { LENGTH, WIDTH / 2 } } }))
end

--- A stiff seam that has shrunk by so much, after so many steps from small random velocities.
function seams.settled(shrinkage, steps)
  local world = support.still_world { damping = 1 }
  local strip, seam = seams.strip(world, { bending = 1e-4, stiffness = 2000, shrinkage = shrinkage })
  local random, push = sheets.random(3), weft.buffer { count = strip.vertices }
  for i = 1, strip.vertices do
    push:set(i, 0, 1e-3 * random(), 0)
  end
  strip:assign { velocities = push }
  world:step(steps)
  return strip, seam, world
end

--- Of the inner three fifths of the strip's row j: arc and chord over the length in the pattern, and the mean of half
--- the square of dy/dx.
function seams.waves(strip, j)
  local first, last = COLUMNS / 5, 4 * COLUMNS / 5
  local arc, slopes, before, start = 0, 0, nil, nil
  for i = first, last do
    local p = { strip.positions:get(j * (COLUMNS + 1) + i + 1) }
    if before then
      local dx, dy, dz = p[1] - before[1], p[2] - before[2], p[3] - before[3]
      arc, slopes = arc + math.sqrt(dx * dx + dy * dy + dz * dz), slopes + dy * dy / dx / 2
    end
    before, start = p, start or p
  end
  local rest, chord = (last - first) * LENGTH / COLUMNS, before[1] - start[1]
  return arc / rest, chord / rest, slopes / chord
end

return seams
