--- Sewing: a garment's panels drawn together around a body and merged at the seams. Adds `sew` to weft.garment.

local core = require "weft.core"
require "weft.cloth"
require "weft.world"
local options = require "weft.options"
local progress = require "weft.progress"

local garment_methods = core.classes["weft.garment"]

--- A garment while it is sewn: what garment:sew loops over.
---@class weft.sewing
---@field closed boolean
---@field advance fun(self: weft.sewing): boolean, number, number, integer done, progress, widest gap (m), open stitches
---@field close fun(self: weft.sewing)

---@class weft.sew_options
---@field on? weft.body|weft.body[] what the garment is sewn around
---@field edge? number target edge length of the triangles, m; 0.012 by default
---@field fabric? weft.fabric|weft.fabric[] a list for garments whose panels name several; garment.fabric by default
---@field world? table options of the world in which it is sewn (see weft.world)
---@field duration? number s of simulated time to draw the seams together; 1.5 by default
---@field stiffness? number N/m of a stitch; 200 by default
---@field damping? number 1/s; 8 by default
---@field time_limit? number s after which open seams are an error; 6 by default
---@field relax_time? number s at most that the sewn garment gets to find its place, without weight; 2 by default
---@field every? fun(world: weft.world) called after each step, with the world in which the garment is sewn
---@field progress? boolean|fun(report: weft.progress.report)|weft.progress.bar

local names = { "on", "edge", "fabric", "world", "duration", "stiffness", "damping", "time_limit",
  "relax_time", "every",  "progress" }

local STEPS_SHOWN = 100

local function bodies_of(on)
  if on == nil then
    return {}
  end
  return type(on) == "userdata" and { on } or on
end

--- Triangulates the panels, places them around the bodies, draws the stitches together with gravity off, and merges
--- them. The result can be added to any world. Fails by name when a panel cannot be freed from a body or a seam does
--- not close.
---@param given? weft.sew_options
---@return weft.cloth
function garment_methods:sew(given)
  options.self("weft.garment.sew", self, "weft.garment")
  given = given or {}
  options.check("weft.garment.sew", given, names)
  local report = progress.from(given.progress, "weft.garment.sew")
  report:update("triangulate", 0, 1)
  local panels = self:triangulate { edge = given.edge or 0.012 }
  report:update("place", 0, 1)
  local bodies = bodies_of(given.on)
  for _, body in ipairs(bodies) do
    panels:place { body = body }
  end
  local fabric = given.fabric or self.fabric
  local cloth = core.cloth_of_panels(panels, type(fabric) == "table" and fabric or { fabric })
  local world = core.world(given.world)
  for _, body in ipairs(bodies) do
    world:add(body)
  end
  world:add(cloth)
  local sewing = core.sewing(world, cloth, {
    duration = given.duration, stiffness = given.stiffness, damping = given.damping, time_limit = given.time_limit,
    relax_time = given.relax_time,
  })
  local done, share
  repeat
    done, share = sewing:advance()
    if given.every then
      given.every(world)
    end
    report:update("sew", math.floor(share * STEPS_SHOWN), STEPS_SHOWN)
  until done
  report:finish()
  sewing:close()
  world:remove(cloth)
  world:close()
  return cloth
end

return garment_methods.sew
