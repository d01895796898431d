-- Seams that have shrunk: how far cloth beside them puckers, against what inextensible cloth must do, with a picture.
--
--   luajit examples/validate/pucker.lua
--
-- A strip of wool, 50 x 6 cm without weight, whose seam along the middle is stiff and shorter than its cloth by s.
-- Beside the seam it keeps its length, so it takes to waves whose excess (pi A / l)^2, the mean of half the square of
-- their slope, is s / (1 - s) to leading order. Writes out/pucker.png.

local weft = require "weft"
local lfs = require "lfs"

local COLUMNS, ROWS, LENGTH, WIDTH = 100, 12, 0.5, 0.06

local function settle(shrinkage)
  local world = weft.world { gravity = { 0, 0, 0 }, self_contact = false, damping = 1 }
  local strip = world:add(weft.sheet { cells = { COLUMNS, ROWS }, size = { LENGTH, WIDTH } })
  strip:seam { line = { { 0, WIDTH / 2 }, { LENGTH, WIDTH / 2 } }, bending = 1e-4, stiffness = 2000,
    shrinkage = shrinkage }
  local push, state = weft.buffer { count = strip.vertices }, 3
  for i = 1, strip.vertices do
    state = state * 16807 % 2147483647
    push:set(i, 0, 1e-3 * (2 * state / 2147483647 - 1), 0)
  end
  strip:assign { velocities = push }
  world:step(400)
  return strip, world
end

--- Of the inner three fifths of the strip's edge: length over that in the pattern, chord over the same, excess of
--- waves.
local function measure(strip)
  local arc, excess, before, start = 0, 0, nil, nil
  for i = COLUMNS / 5, 4 * COLUMNS / 5 do
    local p = { strip.positions:get(i + 1) }
    if before then
      local dx, dy, dz = p[1] - before[1], p[2] - before[2], p[3] - before[3]
      arc, excess = arc + math.sqrt(dx * dx + dy * dy + dz * dz), excess + dy * dy / dx / 2
    end
    before, start = p, start or p
  end
  local chord = before[1] - start[1]
  return arc / (0.6 * LENGTH), chord / (0.6 * LENGTH), excess / chord
end

lfs.mkdir "out"
print "shrinkage   length   chord   excess of waves   s / (1 - s)"
for _, shrinkage in ipairs { 0, 0.02, 0.04, 0.06, 0.08 } do
  local strip, world = settle(shrinkage)
  local arc, chord, excess = measure(strip)
  print(("%9.2f %8.4f %7.4f %17.4f %13.4f"):format(shrinkage, arc, chord, excess, shrinkage / (1 - shrinkage)))
  if shrinkage == 0.06 then
    world:picture { strip, file = "out/pucker.png", width = 1000, height = 500 }
  end
end
