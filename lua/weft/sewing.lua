--- Sewing: stitches drawn together around bodies and merged. Adds `sew` to weft.garment and weft.world.

local core = require "weft.core"
local options = require "weft.options"
local progress = require "weft.progress"

local unpack = table.unpack or unpack -- luacheck: ignore 143

local garment_methods = core.classes["weft.garment"]
local world_methods = core.classes["weft.world"]

--- A garment while it is sewn: what garment:sew loops over.
---@class weft.sewing
---@field closed boolean
---@field advance fun(self: weft.sewing): boolean, number, number, integer done, progress, widest gap (m), open stitches
---@field close fun(self: weft.sewing)

---@class weft.stitch_options how stitches are drawn together
---@field duration? number s of simulated time to draw the seams together; 1.5 by default
---@field stiffness? number N/m of a stitch; 200 by default
---@field damping? number 1/s; 8 by default
---@field time_limit? number s after which open seams are an error; 6 by default
---@field relax_time? number s at most that the sewn garment gets to find its place, without weight; 2 by default
---@field every? fun(world: weft.world) called after each step, with the world in which the garment is sewn
---@field progress? boolean|fun(report: weft.progress.report)|weft.progress.bar

---@class weft.sew_options: weft.stitch_options
---@field on? weft.body|weft.body[] what the garment is sewn around
---@field edge? number target edge length of the triangles, m; 0.012 by default
---@field fabric? weft.fabric|weft.fabric[] a list for garments whose panels name several; garment.fabric by default
---@field membrane? string|table<string|integer, string> models by name, as of weft.cloth
---@field bending? string|table<string|integer, string>
---@field world? table options of the world in which it is sewn (see weft.world)

local stitch_names = { "duration", "stiffness", "damping", "time_limit", "relax_time", "every", "progress" }
local garment_names = { "on", "edge", "fabric", "membrane", "bending", "world", unpack(stitch_names) }

local STEPS_SHOWN = 100

--- Refuses bad values before any work is done.
local function check(verb, given, names, level)
  options.check(verb, given, names, level)
  for name, range in pairs {
    edge = { 1e-5, 10 }, duration = { 1e-6, 1000 }, stiffness = { 1e-6, 1e9 }, damping = { 0, 1e4 },
    time_limit = { 1e-6, 1e4 }, relax_time = { 0, 1e4 },
  } do
    options.number(verb, given, name, nil, range[1], range[2], level)
  end
  if given.every ~= nil and type(given.every) ~= "function" then
    error(("%s: every must be a function, got %s"):format(verb, tostring(given.every)), level + 1)
  end
end

--- The option `on` as a list of bodies.
local function bodies_of(on)
  local list = on == nil and {} or type(on) == "table" and on or { on }
  for _, body in ipairs(list) do
    if getmetatable(body) ~= "weft.body" then
      error(("weft.garment.sew: on must be a weft.body or a list of them, got %s"):format(tostring(body)), 3)
    end
  end
  return list
end

--- Draws the stitches of a member together, step by step, and merges them.
local function sew(world, cloth, given, report, level)
  local sewing = options.call(level + 1, core.sewing, world, cloth, {
    duration = given.duration, stiffness = given.stiffness, damping = given.damping, time_limit = given.time_limit,
    relax_time = given.relax_time,
  })
  local done, share
  repeat
    done, share = options.call(level + 1, sewing.advance, sewing)
    if given.every then
      given.every(world)
    end
    report:update("sew", math.floor(share * STEPS_SHOWN), STEPS_SHOWN)
  until done
  report:finish()
  sewing:close()
end

--- Triangulates the panels, places them around the bodies, draws the stitches together with gravity off, and merges
--- them. The result can be added to any world. Fails by name when a panel cannot be freed from a body or a seam does
--- not close.
---@param given? weft.sew_options
---@return weft.cloth
function garment_methods:sew(given)
  options.self("weft.garment.sew", self, "weft.garment")
  given = given or {}
  check("weft.garment.sew", given, garment_names, 2)
  local bodies = bodies_of(given.on)
  local report = progress.from(given.progress, "weft.garment.sew")
  local world = options.call(2, core.world, given.world)
  report:update("triangulate", 0, 1)
  local panels = options.call(2, self.triangulate, self, { edge = given.edge })
  report:update("place", 0, 1)
  for _, body in ipairs(bodies) do
    options.call(2, panels.place, panels, { body = body })
    world:add(body)
  end
  local fabric = given.fabric or self.fabric
  local cloth = options.call(2, core.cloth_of_panels, panels, type(fabric) == "table" and fabric or { fabric },
    { membrane = given.membrane, bending = given.bending })
  world:add(cloth)
  sew(world, cloth, given, report, 2)
  world:remove(cloth)
  world:close()
  return cloth
end

--- Draws the stitches of a cloth in this world together, and merges them: for cloth made from tables
--- (weft.cloth { stitches = }).
---@param cloth weft.cloth
---@param given? weft.stitch_options
function world_methods:sew(cloth, given)
  options.self("weft.world.sew", self, "weft.world")
  given = given or {}
  check("weft.world.sew", given, stitch_names, 2)
  sew(self, cloth, given, progress.from(given.progress, "weft.world.sew"), 2)
end

return garment_methods.sew
