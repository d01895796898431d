-- What cloth lies on at a height of 0, one of each kind: its name, a function that adds it to a world, and how far, m,
-- contact keeps cloth of the thickness that is the default from it.

local shapes = require "spec.world.stress.shapes"
local weft = require "weft"

return {
  { "a box", function(world)
    world:add(weft.collider.box { size = { 0.6, 0.2, 0.6 }, position = { 0, -0.1, 0 } })
  end, 1e-3 },
  { "a plane", function(world) world:add(weft.collider.plane()) end, 1e-3 },
  { "the floor", function(world) world.floor = 0 end, 0.5e-3 },
  { "a body", function(world) world:add(shapes.body(shapes.box({ -0.3, -0.2, -0.3 }, { 0.3, 0, 0.3 }))) end, 1e-3 },
}
