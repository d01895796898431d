--- Fabrics: what a piece of cloth is made of.

local card = require "weft.fabric_card"
local core = require "weft.core"
local fitting = require "weft.fabric_fit"
local options = require "weft.options"
local sheet = require "weft.fabric_sheet"
local units = require "weft.fabric_units"

--- Moduli per width of cloth. Weft runs along a pattern's x, warp along its y. Values can be read and set; what cannot
--- be simulated is refused and leaves the fabric as it was.
---@class weft.fabric
---@field name string
---@field density number kg/m2
---@field stretch weft.fabric.stretch also set from a table: fabric.stretch = { weft = 900 }
---@field shear number N/m per radian of the angle between weft and warp
---@field bend weft.fabric.bend also set from a table
---@field viscosity number s: viscous moduli in the plane are viscosity times the elastic ones
---@field thickness number m, the distance that two layers keep
---@field friction number Coulomb's coefficient
---@field curves { weft: weft.fabric.curve?, warp: weft.fabric.curve?, shear: weft.fabric.curve? } measured stress over
--- strain in place of the moduli. A copy; set from a table: {} takes a curve away
---@field hysteresis weft.fabric.hysteresis also set from a table
---@field loss weft.fabric.loss also set from a table
---@field limit weft.fabric.limit how far it can be deformed at all; a number sets `any` and no other
---@field closed boolean
---@field close fun(self: weft.fabric)
---@field save fun(self: weft.fabric, path: string) see below

--- Up to 24 points {strain or rad, N/m}, or two branches of them.
---@alias weft.fabric.curve number[][]|{ loading: number[][], unloading: number[][]? }

---@class weft.fabric.stretch
---@field weft number C1111, N/m
---@field warp number C2222, N/m
---@field coupling number C1122, N/m; its square is smaller than weft times warp
---@field young_weft number N/m, of a strip along the weft that is free to contract; read only
---@field young_warp number N/m; read only
---@field closed boolean
---@field close fun(self: weft.fabric.stretch)

---@class weft.fabric.bend
---@field weft number N m, for curving the weft
---@field warp number N m, for curving the warp
---@field poisson number how much a curvature resists the one across it, over sqrt(weft * warp); 0.2
---@field twist number the modulus of twist over sqrt(weft * warp); 0.4
---@field viscosity number s
---@field closed boolean
---@field close fun(self: weft.fabric.bend)

---@class weft.fabric.hysteresis dry friction between threads
---@field weft number N/m: half the height of the stress-strain loop; 0: none
---@field warp number
---@field shear number
---@field slip number strain over which friction builds up before threads slip; 0.001
---@field bend_weft number N: half the height of the moment-curvature loop where the weft is curved
---@field bend_warp number
---@field bend_slip number 1/m, of curvature; 5
---@field closed boolean
---@field close fun(self: weft.fabric.hysteresis)

---@class weft.fabric.loss tan(delta) that is the same at all frequencies of a band; 0: none
---@field stretch number 0 to 0.3
---@field shear number
---@field bend number
---@field from number Hz; 0.1
---@field to number Hz, 10 to 10000 times `from`; 100
---@field closed boolean
---@field close fun(self: weft.fabric.loss)

---@class weft.fabric.limit 0: no limit
---@field any number principal stretch less one, in any direction
---@field weft number stretch of the weft threads, less one
---@field warp number
---@field shear number rad
---@field closed boolean
---@field close fun(self: weft.fabric.limit)

---@class weft.fabric.options
---@field base? string|weft.fabric where values come from that are not given; "wool" by default
---@field name? string
---@field density? number kg/m2
---@field stretch? { weft: number?, warp: number?, coupling: number? }
---@field shear? number
---@field bend? { weft: number?, warp: number?, poisson: number?, twist: number?, viscosity: number? }
---@field viscosity? number
---@field thickness? number
---@field friction? number
---@field curves? { weft: weft.fabric.curve?, warp: weft.fabric.curve?, shear: weft.fabric.curve? }
---@field hysteresis? { weft: number?, warp: number?, shear: number?, slip: number?, bend_weft: number?,
--- bend_warp: number?, bend_slip: number? }
---@field loss? { stretch: number?, shear: number?, bend: number?, from: number?, to: number? }
---@field limit? number|{ any: number?, weft: number?, warp: number?, shear: number? }

---@class weft.fabric.load_options
---@field base? string|weft.fabric what the file does not hold comes from here; without it, what is missing is an
--- error, except viscosity, thickness and friction, which are then wool's
---@field format? "sheet"|"garmentcode"|"arcsim" by default what the file's content and name say
---@field density? number kg/m2; GarmentCode's properties need it, since theirs has no unit
---@field strain? number 0 to 1/6, of ARCSim's materials: at which stretch the moduli are taken; 0 by default
---@field hysteresis? boolean of a KES sheet: its loops, too, become the fabric's; false by default
---@field limit? integer bytes that the file may have; 1e6 by default

---@class weft.fabric.report
---@field format "weft"|"kes"|"fast"|"garmentcode"|"arcsim"
---@field unused string[] what the file holds and a fabric does not
---@field measured table<string, number> what the file holds, SI units, as "EMT warp"

local fabric = {}
local methods = core.classes["weft.fabric"]

--- A fabric from the table of Keckeisen (2005), figure 2.4: "wool viscose", "wool", "polyester acrylic", "polyester"
--- (measured), "shear resistant", "bend resistant" (fictitious). Also as fields, where _ stands for the space:
--- weft.fabric.wool, weft.fabric.wool_viscose; each access makes a new one.
---
--- The table's shear moduli of the measured four are taken per degree, as shear testers report them; reading = "thesis"
--- takes them per radian as that work does: cloth then shears almost freely.
---@type fun(name: string, options?: { reading: "per radian"|"thesis"|nil }): weft.fabric
fabric.preset = core.fabric_preset

--- The names of the presets.
---@type fun(): string[]
fabric.names = core.fabric_names

--- A value in one unit of fabric testing as a value in another, in the SI unit without `to`: "gf/cm" is N/m,
--- "gf.cm2/cm" is N.m, "gf/(cm.deg)" is N/(m.rad).
---@param value number
---@param from string
---@param to? string
---@return number
function fabric.convert(value, from, to)
  return units.convert("weft.fabric.convert", value, from, to)
end

local load_names = { "base", "format", "density", "strain", "hysteresis", "limit" }

local function check_load(verb, path, given)
  options.path(verb, "path", path, 2)
  options.check(verb, given, load_names, 2)
  local format = given.format
  if format ~= nil and format ~= "sheet" and format ~= "garmentcode" and format ~= "arcsim" then
    error(('%s: format must be one of "sheet", "garmentcode", "arcsim", got %s'):format(verb, core.value_text(format)),
      3)
  end
  return {
    format = format, base = given.base, hysteresis = options.boolean(verb, given, "hysteresis", false, 2),
    density = options.number(verb, given, "density", nil, 1e-4, 100, 2),
    strain = options.number(verb, given, "strain", 0, 0, 1 / 6, 2),
    limit = options.number(verb, given, "limit", 1e6, 1, 1e9, 2),
  }
end

local function read_text(path, limit)
  local file, message = io.open(path, "rb")
  local text = file and file:read(limit + 1)
  if file then
    file:close()
  end
  if not file then
    sheet.fail("%s", message)
  elseif not text or text == "" then
    sheet.fail("%s is empty or no file", path)
  elseif #text > limit then
    sheet.fail("%s has more than %d bytes", path, limit)
  end
  return text
end

local function format_of(path, text)
  if text:find "^\239?\187?\191?%s*[{/]" then
    return "arcsim"
  end
  return (path:find "%.ya?ml$" or text:find "%f[%w]material:%s*[\n#]") and "garmentcode" or "sheet"
end

local function load_fabric(path, given)
  local text = read_text(path, given.limit)
  local format = given.format or format_of(path, text)
  local found, report
  if format == "arcsim" then
    found, report = card.read_arcsim(text, given)
  elseif format == "garmentcode" then
    found, report = card.read_garmentcode(text, given)
  else
    found, report = sheet.read(text, given.base, given.hysteresis)
  end
  local file_name = path:match "([^/\\]+)%.%w+$" or path:match "([^/\\]+)$"
  found.base, found.name = given.base, found.name or file_name:sub(1, 47)
  return core.fabric(found), report
end

--- A fabric from a file: a measurement sheet of KES-F, of FAST or of weft's own moduli (CSV; its columns are quantity,
--- direction, value and unit), GarmentCode's simulation properties (YAML), or a material of ARCSim (JSON with
--- remarks). doc/reference.md has the sheets' quantities and how each is mapped to moduli.
---@param path string
---@param given? weft.fabric.load_options
---@return weft.fabric
---@return weft.fabric.report
function fabric.load(path, given)
  local verb = "weft.fabric.load"
  local checked = check_load(verb, path, given == nil and {} or given)
  return sheet.attempt(verb, load_fabric, path, checked)
end

--- Writes the fabric as a sheet of moduli, which weft.fabric.load reads back to the same numbers.
---@param path string
function methods:save(path)
  local verb = "weft.fabric.save"
  options.self(verb, self, "weft.fabric")
  options.path(verb, "path", path)
  if next(self.curves) then
    error(("%s: a sheet of moduli has no place for stress-strain curves"):format(verb), 2)
  end
  local file, message = io.open(path, "wb")
  if not file then
    error(("%s: %s"):format(verb, message), 2)
  end
  local written = file:write(sheet.write(self))
  if not (file:close() and written) then
    error(("%s: %s cannot be written"):format(verb, path), 2)
  end
end
methods.save = options.verb("weft.fabric.save", methods.save)

--- Layers that are bonded to each other, such as cloth with fused interfacing, as one fabric; the outer one first.
--- Moduli in the plane add; in bending the layers stretch each other, by their distance from the common neutral plane.
---@param layers weft.fabric[] 1 to 16
---@return weft.fabric
function fabric.fused(layers)
  return core.fabric_laminate("weft.fabric.fused", layers, true)
end

--- Layers that lie on each other and slide, such as a lining, as one fabric: all moduli add.
---@param layers weft.fabric[] 1 to 16
---@return weft.fabric
function fabric.loose(layers)
  return core.fabric_laminate("weft.fabric.loose", layers, false)
end

---@class weft.fabric.fit_options
---@field curve number[][] measured points {x, y}: strain, angle or curvature, and load or moment; x grows, y does not
--- fall
---@field unloading? number[][] of segments and splines: the way back, in the same order
---@field kind? "line"|"segments"|"spline" a modulus (default), a polygon, or a monotone C1 cubic through its corners
---@field knots? integer|number[] how many corners, 2 to 24 (6 by default, with as many points between each two), or
--- where
---@field from? number of a line: the range of x that counts
---@field to? number
---@field through_zero? boolean whether the law has y = 0 at x = 0; true by default

---@class weft.fabric.law
---@field kind string
---@field modulus number the slope, of segments and splines at x = 0
---@field offset? number of a line, y at x = 0
---@field knots? weft.buffer of the others: x, y and slope of each corner
---@field residual number root mean square of what is left
---@field determination? number of a line: the share of the variance that it explains
---@field points integer how many counted
---@field unloading? weft.fabric.law of the way back
---@field branches? weft.fabric.curve both at the corners of the first, as a fabric's curves take them
---@field at fun(self: weft.fabric.law, x: number): number, number y and slope

--- Fits a law to a measured curve by least squares. Segments and splines never fall.
---@param given weft.fabric.fit_options
---@return weft.fabric.law
function fabric.fit(given)
  return fitting.fit(given)
end

--- Plots a law over the points it was fitted to, by gnuplot: writes `file` (.png) and its script beside it. False when
--- gnuplot is not installed.
---@param law weft.fabric.law
---@param given { curve: number[][], unloading: number[][]?, file: string, title: string?, x_label: string?,
--- y_label: string? }
---@return boolean drawn
function fabric.plot_fit(law, given)
  local verb = "weft.fabric.plot_fit"
  if type(law) ~= "table" or type(law.at) ~= "function" then
    error(("%s: law must be what weft.fabric.fit returns, got %s"):format(verb, core.value_text(law)), 2)
  end
  return fitting.plot(verb, law, given)
end

--- Reads a measured curve: a CSV of two columns, each with its unit in its title, as in `strain (%), load (gf/cm)`; the
--- columns are strain, angle or curvature, and load or moment. Returns the points in SI units; of a file that turns
--- back at its largest strain, angle or curvature two branches, both in ascending order.
---@param path string
---@return number[][] curve
---@return number[][]? unloading
function fabric.load_curve(path)
  local verb = "weft.fabric.load_curve"
  options.path(verb, "path", path)
  local curve, unloading = sheet.attempt(verb, function()
    return sheet.split_branches((sheet.read_curve(read_text(path, 1e6))))
  end)
  return curve, unloading
end

local function preset_of(name)
  if type(name) == "string" then
    local spaced = name:gsub("_", " ")
    for _, known in ipairs(core.fabric_names()) do
      if known == spaced then
        return known
      end
    end
  end
end

return setmetatable(fabric, {
  --- A fabric of your own: the base's values, changed where given.
  ---@overload fun(options: weft.fabric.options): weft.fabric
  __call = function(_, given)
    return core.fabric(given)
  end,
  __index = function(_, name)
    local preset = preset_of(name)
    if not preset then
      local nearest = type(name) == "string" and core.nearest_name(name, core.fabric_names())
      local hint = nearest and ('; did you mean "%s"?'):format((nearest:gsub(" ", "_"))) or ""
      error(("weft.fabric: there is no %s%s"):format(core.value_text(name), hint), 2)
    end
    return core.fabric_preset(preset)
  end,
})
