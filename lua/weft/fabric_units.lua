--- Units of fabric testing: what KES-F, FAST and drape testers print, and what it is in SI units.
---
--- Per width of cloth, as everywhere in weft: a load is N/m, a bending modulus N m (N m2 per m), a shear modulus N/m
--- per radian of the angle between weft and warp.

local core = require "weft.core"

local units = {}

local GRAM_FORCE = 9.80665e-3 -- N, by definition of the standard gravity (CGPM 1901)
local DEGREES = 180 / math.pi

-- By kind of quantity, the factor to SI of each unit. The first is the SI unit.
local kinds = {
  density = { unit = "kg/m2", ["kg/m2"] = 1, ["g/m2"] = 1e-3, ["mg/cm2"] = 1e-2, ["g/cm2"] = 10,
    ["oz/yd2"] = 0.028349523125 / 0.9144 ^ 2 },
  load = { unit = "N/m", ["N/m"] = 1, ["N/cm"] = 100, ["cN/cm"] = 1, ["gf/cm"] = 100 * GRAM_FORCE },
  shear = { unit = "N/(m.rad)", ["N/(m.rad)"] = 1, ["N/(m.deg)"] = DEGREES,
    ["gf/(cm.deg)"] = 100 * GRAM_FORCE * DEGREES, ["gf/cm.deg"] = 100 * GRAM_FORCE * DEGREES,
    ["gf/(cm.rad)"] = 100 * GRAM_FORCE },
  bend = { unit = "N.m", ["N.m"] = 1, ["N.m2/m"] = 1, ["mN.m"] = 1e-3, ["uN.m"] = 1e-6,
    ["gf.cm2/cm"] = 1e-2 * GRAM_FORCE, ["gf.cm"] = 1e-2 * GRAM_FORCE, ["cN.cm2/cm"] = 1e-4, ["N.mm"] = 1e-3 },
  moment = { unit = "N.m/m", ["N.m/m"] = 1, ["gf.cm/cm"] = GRAM_FORCE, ["cN.cm/cm"] = 1e-2 },
  work = { unit = "J/m2", ["J/m2"] = 1, ["N.m/m2"] = 1, ["gf.cm/cm2"] = 100 * GRAM_FORCE },
  strain = { unit = "1", ["1"] = 1, ["%"] = 0.01, ["mm/mm"] = 1, ["m/m"] = 1 },
  angle = { unit = "rad", rad = 1, deg = 1 / DEGREES },
  curvature = { unit = "1/m", ["1/m"] = 1, ["1/cm"] = 100, ["1/mm"] = 1000 },
  length = { unit = "m", m = 1, cm = 0.01, mm = 1e-3, um = 1e-6 },
  time = { unit = "s", s = 1, ms = 1e-3 },
  frequency = { unit = "Hz", Hz = 1, kHz = 1000 },
  ratio = { unit = "1", ["1"] = 1, ["%"] = 0.01 },
}
units.kinds = kinds

--- A unit as the table has it: points for products, figures for powers, u for micro, no spaces.
local function plain(unit)
  unit = unit:gsub("\194\183", "."):gsub("%*", "."):gsub("\194\178", "2"):gsub("%^", ""):gsub("\194\181", "u")
    :gsub("\206\188", "u"):gsub("\194\176", "deg"):gsub("%s*([./()])%s*", "%1"):gsub("%s+", "."):gsub("^%.", "")
    :gsub("%.$", "")
  return (unit:gsub("^1/(%a+)%-1$", "1/%1"):gsub("^(%a+)%-1$", "1/%1"))
end

--- The factor from a unit of this kind to SI, or nil and what is expected.
---@param unit string
---@param kind string
---@return number? factor
---@return string? expected
function units.factor(unit, kind)
  local known, short = kinds[kind], plain(unit)
  if short ~= "unit" and known[short] then
    return known[short]
  end
  local names = {}
  for name in pairs(known) do
    if name ~= "unit" then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return nil, table.concat(names, ", ")
end

local function kinds_of(unit)
  local found = {}
  for kind, known in pairs(kinds) do
    if unit ~= "unit" and known[unit] then
      found[kind] = known[unit]
    end
  end
  return found
end

local function all_units()
  local seen, names = { unit = true }, {}
  for _, known in pairs(kinds) do
    for name in pairs(known) do
      if not seen[name] then
        seen[name], names[#names + 1] = true, name
      end
    end
  end
  table.sort(names)
  return names
end

local function check(verb, name, unit)
  if type(unit) ~= "string" then
    error(("%s: %s must be the name of a unit, got %s"):format(verb, name, core.value_text(unit)), 4)
  end
  local short = plain(unit)
  local found = kinds_of(short)
  if next(found) == nil then
    local nearest = core.nearest_name(short, all_units())
    local hint = nearest and ("; did you mean \"%s\"?"):format(nearest) or ""
    error(("%s: there is no unit %s%s"):format(verb, core.value_text(unit), hint), 4)
  end
  return found
end

--- A value in one unit as a value in another; in SI units without `to`.
---@param verb string
function units.convert(verb, value, from, to)
  if type(value) ~= "number" or value ~= value or value == math.huge or value == -math.huge then
    error(("%s: value must be a number, got %s"):format(verb, core.value_text(value)), 3)
  end
  local sources = check(verb, "from", from)
  if to == nil then
    local _, factor = next(sources)
    return value * factor
  end
  local targets = check(verb, "to", to)
  for kind, factor in pairs(sources) do
    if targets[kind] then
      return value * factor / targets[kind]
    end
  end
  return error(("%s: \"%s\" and \"%s\" measure different things"):format(verb, from, to), 3)
end

return units
