-- Seams that have shrunk: how far cloth beside them puckers, against what inextensible cloth must do, with a picture.
--
--   luajit examples/validate/pucker.lua
--
-- A strip of wool, 50 x 6 cm without weight, whose seam along the middle is stiff and shorter than its cloth by s.
-- Beside the seam it keeps its length, so it takes to waves whose excess (pi A / l)^2, the mean of half the square of
-- their slope, is s / (1 - s) to leading order. Writes out/pucker.png.

local lfs = require "lfs"
local shrunken = require "spec.world.shrunken_seam"

lfs.mkdir "out"
print "shrinkage   length   chord   excess of waves   s / (1 - s)"
for _, shrinkage in ipairs { 0, 0.02, 0.04, 0.06, 0.08 } do
  local strip, _, world = shrunken.settled(shrinkage, 400)
  local arc, chord, excess = shrunken.waves(strip, 0)
  print(("%9.2f %8.4f %7.4f %17.4f %13.4f"):format(shrinkage, arc, chord, excess, shrinkage / (1 - shrinkage)))
  if shrinkage == 0.06 then
    world:picture { strip, file = "out/pucker.png", width = 1000, height = 400,
      view = { azimuth = 20, elevation = 30 } }
  end
end
