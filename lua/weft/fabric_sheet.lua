--- Measurement sheets: tables with the columns quantity, direction, value and unit, one measured number a row, of
--- KES-F, of FAST, or of weft's own moduli; and what they say about a fabric.
---
---     quantity,direction,value,unit
---     W,,23.1,mg/cm2
---     EMT,warp,3.9,%
---
--- Fields may be quoted, and separated by commas, semicolons or tabs; with semicolons and tabs, decimal commas are
--- understood. Lines that begin with # are remarks. Every number has its unit: none is assumed.

local core = require "weft.core"
local units = require "weft.fabric_units"

local sheet = {}

local LINE_LIMIT = 10000

-- ---- failures -------------------------------------------------------------------------------------------------------

local failure = {}

--- Raises what sheet.attempt reports.
function sheet.fail(message, ...)
  error(setmetatable({ message = message:format(...) }, failure), 0)
end
local fail = sheet.fail

--- Calls `action`; what it fails with is raised in the name of `verb`, blaming the caller's caller.
function sheet.attempt(verb, action, ...)
  local ok, first, second = pcall(action, ...)
  if ok then
    return first, second
  end
  local message = getmetatable(first) == failure and first.message
    or (tostring(first):gsub("^[^:\n]+:%d+: ", ""):gsub("^weft%.fabric: ", ""))
  return error(verb .. ": " .. message, 3)
end

-- ---- rows of text ---------------------------------------------------------------------------------------------------

local function trim(text)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

--- The fields of one line.
local function split(line, separator, where)
  local fields, position = {}, 1
  while true do
    if line:find('^%s*"', position) then
      local start = line:find('"', position, true)
      local text, at = {}, start + 1
      while true do
        local stop = line:find('"', at, true)
        if not stop then
          fail("%s: a quote is not closed", where)
        end
        text[#text + 1] = line:sub(at, stop - 1)
        if line:sub(stop + 1, stop + 1) ~= '"' then
          position = stop + 1
          break
        end
        text[#text + 1], at = '"', stop + 2
      end
      fields[#fields + 1] = table.concat(text)
      local rest = line:match("^%s*", position)
      position = position + #rest
      if position <= #line and line:sub(position, position) ~= separator then
        fail("%s: there is text after a quoted field", where)
      end
    else
      local stop = line:find(separator, position, true) or #line + 1
      fields[#fields + 1] = trim(line:sub(position, stop - 1))
      position = stop
    end
    if position > #line then
      return fields
    end
    position = position + 1
    if position > #line then
      fields[#fields + 1] = ""
      return fields
    end
  end
end

local function separator_of(line)
  for _, candidate in ipairs { ";", "\t", "," } do
    if line:find(candidate, 1, true) then
      return candidate
    end
  end
  return ","
end

--- The lines that hold rows, each with its number in the file.
local function rows_of(text)
  text = text:gsub("^\239\187\191", ""):gsub("\r\n", "\n"):gsub("\r", "\n")
  local rows, number = {}, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    if number > LINE_LIMIT then
      fail("the file has more than %d lines", LINE_LIMIT)
    elseif line:find "%z" then
      fail("row %d: the file is not text", number)
    elseif line:find "%S" and not line:find "^%s*#" then
      rows[#rows + 1] = { line = line, number = number }
    end
  end
  return rows
end

--- A number of the file; `separator` tells whether a comma can be a decimal one.
local function number_of(text, separator, where)
  local plain = separator ~= "," and text:gsub(",", ".") or text
  local value = plain:find "^[+-]?[%d.]+[eE]?[+-]?%d*$" and tonumber(plain)
  if not value or value ~= value or value == math.huge or value == -math.huge then
    fail("%s must be a number, got \"%s\"", where, text:sub(1, 40))
  end
  return value
end

--- The columns that a header names, as indices.
local function read_header(row, names)
  local separator = separator_of(row.line)
  local columns = {}
  for i, field in ipairs(split(row.line, separator, "row " .. row.number)) do
    local name = field:lower()
    if columns[name] then
      fail("row %d: the column %s is there twice", row.number, name)
    end
    columns[name] = i
  end
  for _, name in ipairs(names) do
    if not columns[name] then
      fail("row %d: a sheet begins with the columns %s; %s is missing", row.number, table.concat(names, ", "), name)
    end
  end
  return columns, separator
end

-- ---- quantities -----------------------------------------------------------------------------------------------------

local BOTH, NONE, BIAS = "weft and warp", "none", "bias"

-- What a sheet can hold: the kind of its unit, its directions, the instrument that measures it, and whether a fabric
-- has no use for it.
local quantities = {
  density = { kind = "density", directions = NONE },
  stretch = { kind = "load", directions = BOTH, from = "weft" },
  ["stretch coupling"] = { kind = "load", directions = NONE, from = "weft" },
  shear = { kind = "shear", directions = NONE, from = "weft" },
  bend = { kind = "bend", directions = BOTH, from = "weft" },
  viscosity = { kind = "time", directions = NONE },
  ["bend poisson"] = { kind = "ratio", directions = NONE, from = "weft" },
  ["bend twist"] = { kind = "ratio", directions = NONE, from = "weft" },
  ["bend viscosity"] = { kind = "time", directions = NONE },
  hysteresis = { kind = "load", directions = BOTH, from = "weft" },
  ["hysteresis shear"] = { kind = "load", directions = NONE, from = "weft" },
  ["hysteresis slip"] = { kind = "strain", directions = NONE, from = "weft" },
  ["hysteresis bend"] = { kind = "moment", directions = BOTH, from = "weft" },
  ["hysteresis bend slip"] = { kind = "curvature", directions = NONE, from = "weft" },
  ["limit any"] = { kind = "strain", directions = NONE, from = "weft" },
  limit = { kind = "strain", directions = BOTH, from = "weft" },
  ["limit shear"] = { kind = "angle", directions = NONE, from = "weft" },
  ["loss stretch"] = { kind = "ratio", directions = NONE, from = "weft" },
  ["loss shear"] = { kind = "ratio", directions = NONE, from = "weft" },
  ["loss bend"] = { kind = "ratio", directions = NONE, from = "weft" },
  ["loss from"] = { kind = "frequency", directions = NONE, from = "weft" },
  ["loss to"] = { kind = "frequency", directions = NONE, from = "weft" },
  thickness = { kind = "length", directions = NONE },
  friction = { kind = "ratio", directions = NONE },

  W = { kind = "density", directions = NONE },
  G = { kind = "shear", directions = BOTH, optional = true },
  B = { kind = "bend", directions = BOTH },

  Fm = { kind = "load", directions = NONE, from = "kes" },
  LT = { kind = "ratio", directions = BOTH, from = "kes" },
  WT = { kind = "work", directions = BOTH, from = "kes" },
  EMT = { kind = "strain", directions = BOTH, from = "kes" },
  T0 = { kind = "length", directions = NONE, from = "kes" },
  MIU = { kind = "ratio", directions = BOTH, optional = true, from = "kes" },
  RT = { kind = "ratio", directions = BOTH, from = "kes", unused = "unless hysteresis" },
  ["2HG"] = { kind = "load", directions = BOTH, optional = true, from = "kes", unused = "unless hysteresis" },
  ["2HG5"] = { kind = "load", directions = BOTH, optional = true, from = "kes", unused = true },
  ["2HB"] = { kind = "moment", directions = BOTH, from = "kes", unused = "unless hysteresis" },
  MMD = { kind = "ratio", directions = BOTH, optional = true, from = "kes", unused = true },
  SMD = { kind = "length", directions = BOTH, optional = true, from = "kes", unused = true },
  LC = { kind = "ratio", directions = NONE, from = "kes", unused = true },
  WC = { kind = "work", directions = NONE, from = "kes", unused = true },
  RC = { kind = "ratio", directions = NONE, from = "kes", unused = true },
  TM = { kind = "length", directions = NONE, from = "kes", unused = true },

  E5 = { kind = "strain", directions = BOTH, from = "fast", unused = true },
  E20 = { kind = "strain", directions = BOTH, from = "fast", unused = true },
  E100 = { kind = "strain", directions = BOTH, from = "fast" },
  EB5 = { kind = "strain", directions = BIAS, from = "fast" },
  C = { kind = "length", directions = BOTH, from = "fast" },
  T2 = { kind = "length", directions = NONE, from = "fast" },
  T100 = { kind = "length", directions = NONE, from = "fast", unused = true },
  ST = { kind = "length", directions = NONE, from = "fast", unused = true },
}

local function names_of(list)
  local names = {}
  for name in pairs(list) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

local function check_direction(row, name, quantity, direction)
  local fits = direction == "weft" or direction == "warp"
  if quantity.directions == NONE then
    fits = direction == ""
  elseif quantity.directions == BIAS then
    fits = direction == "bias" or direction == ""
    direction = "bias"
  elseif quantity.optional then
    fits = fits or direction == ""
  end
  if not fits then
    fail("row %d: the direction of %s must be %s, got \"%s\"", row.number, name,
      quantity.directions == NONE and "empty" or quantity.directions == BIAS and "bias" or "weft or warp",
      direction:sub(1, 40))
  end
  return direction
end

local function check_unit(row, name, quantity, unit)
  if unit == "" and quantity.kind == "ratio" then
    return 1
  end
  local factor, expected = units.factor(unit, quantity.kind)
  if unit == "" then
    fail("row %d: %s has no unit; it must be one of %s", row.number, name, expected)
  elseif not factor then
    fail("row %d: the unit of %s must be one of %s, got \"%s\"", row.number, name, expected, unit:sub(1, 40))
  end
  return factor
end

--- What the sheet holds, in SI units: found[quantity][direction] = { value, row }; and the fabric's name.
local function read(text)
  local rows = rows_of(text)
  if #rows == 0 then
    fail "the sheet is empty"
  end
  local columns, separator = read_header(rows[1], { "quantity", "direction", "value", "unit" })
  local found, title = {}, nil
  for k = 2, #rows do
    local row = rows[k]
    local fields = split(row.line, separator, "row " .. row.number)
    local name, direction = fields[columns.quantity] or "", (fields[columns.direction] or ""):lower()
    local value, unit = fields[columns.value] or "", fields[columns.unit] or ""
    local quantity = quantities[name]
    if name == "name" then
      title = value
    elseif not quantity then
      local nearest = core.nearest_name(name:sub(1, 60), names_of(quantities))
      fail("row %d: there is no quantity \"%s\"%s", row.number, name:sub(1, 40),
        nearest and ("; did you mean \"%s\"?"):format(nearest) or "")
    else
      direction = check_direction(row, name, quantity, direction)
      local factor = check_unit(row, name, quantity, unit)
      local number = number_of(value, separator, ("row %d: the value of %s"):format(row.number, name))
      found[name] = found[name] or {}
      if found[name][direction] then
        fail("row %d: %s%s is given twice, first in row %d", row.number, name,
          direction ~= "" and " of the " .. direction or "", found[name][direction].row)
      end
      found[name][direction] = { value = number * factor, row = row.number }
    end
  end
  return found, title
end

-- ---- from measurements to moduli ------------------------------------------------------------------------------------

local POISSON = 0.2          -- not measurable on either instrument; Keckeisen (2005), section 2.4
local KES_LOAD = 490.3325    -- N/m: 500 gf/cm, the largest load of the tensile tester
local FAST_LOAD = 98.0665    -- N/m: 100 gf/cm
local BIAS_LOAD = 4.903325   -- N/m: 5 gf/cm
local STANDARD_GRAVITY = 9.80665
local BRANCH_POINTS = 24     -- of the curves that are made of EMT, LT and RT

local function get(found, name, direction)
  local entry = found[name] and found[name][direction]
  return entry and entry.value, entry
end

local function positive(found, name, direction)
  local value, entry = get(found, name, direction)
  if value and value <= 0 then
    fail("row %d: %s must be greater than 0, got %g", entry.row, name, value)
  end
  return value
end

--- Two readings of one modulus have to agree.
local function agree(found, name, direction, value, other, how)
  local _, entry = get(found, name, direction)
  if value and other and math.abs(value - other) > 0.1 * math.max(math.abs(value), math.abs(other)) then
    fail("row %d: %s%s is %g in SI units, but %s makes it %g; one of them is wrong", entry.row, name,
      direction ~= "" and " of the " .. direction or "", value, how, other)
  end
end

--- N/m: the linear law that takes the same work up to the largest load of the tester. Without work or linearity, the
--- secant. LT = WT / (Fm EMT / 2).
local function kes_stretch(found, direction)
  local extension, load = positive(found, "EMT", direction), positive(found, "Fm", "") or KES_LOAD
  if not extension then
    return nil
  end
  local linearity, work = positive(found, "LT", direction), positive(found, "WT", direction)
  if work then
    agree(found, "LT", direction, linearity, 2 * work / (load * extension), "WT over EMT")
    return 2 * work / extension ^ 2
  end
  return (linearity or 1) * load / extension
end

local function fast_stretch(found, direction)
  local extension = positive(found, "E100", direction)
  return extension and FAST_LOAD / extension
end

--- C1111, C2222 and C1122 from the two moduli of strips that contract freely, with C1122 = ν (C1111 + C2222) / 2: since
--- E1 / E2 = C1111 / C2222, both are E / (1 - q), q = C1122² / (C1111 C2222) = ν² (E1 + E2)² / (4 E1 E2).
local function couple(young_weft, young_warp)
  local q = (POISSON * (young_weft + young_warp)) ^ 2 / (4 * young_weft * young_warp)
  if q >= 0.9 then
    fail("the moduli of weft and warp, %g and %g N/m, differ too much for a Poisson ratio of %g: weft * warp > "
      .. "coupling² does not hold", young_weft, young_warp, POISSON)
  end
  local weft, warp = young_weft / (1 - q), young_warp / (1 - q)
  return { weft = weft, warp = warp, coupling = POISSON * (weft + warp) / 2 }
end

local function mean(found, name)
  local single, weft, warp = positive(found, name, ""), positive(found, name, "weft"), positive(found, name, "warp")
  return single or weft and warp and (weft + warp) / 2 or weft or warp
end

--- N m, of both directions: measured, or density g c³ from the bending length.
local function bending(found, direction, density)
  local measured, bending_length = get(found, "B", direction), positive(found, "C", direction)
  local derived = bending_length and density and density * STANDARD_GRAVITY * bending_length ^ 3
  agree(found, "B", direction, measured, derived, "W and the bending length C")
  return measured or derived
end

--- N/m per rad: measured, or of a strip cut on the bias, whose modulus is nearly four times the shear's.
local function shear_of(found)
  local measured, extension = mean(found, "G"), positive(found, "EB5", "bias")
  return measured or extension and BIAS_LOAD / (4 * extension)
end

--- The instrument; sheets of two are not one specimen's.
local function instrument_of(found)
  local instrument, first
  for _, name in ipairs(names_of(found)) do
    local from = quantities[name].from
    if from and instrument and from ~= instrument then
      fail("%s is measured by %s, but %s by %s: a sheet is of one instrument", first, instrument, name, from)
    elseif from then
      instrument, first = from, name
    end
  end
  return instrument or "kes"
end

local function require_all(values, base)
  for _, row in ipairs(values) do
    if row[2] == nil and not base then
      fail("%s is missing; give a base fabric to take it from", row[1])
    end
  end
end

--- Branches that give the measured extension, linearity and resilience of one direction: the power laws
--- load (strain / EMT)^n, whose work is load EMT / (n + 1). nil where there is no resilience.
local function kes_branches(found, direction)
  local extension, load = positive(found, "EMT", direction), positive(found, "Fm", "") or KES_LOAD
  local resilience, entry = get(found, "RT", direction)
  if not (extension and resilience) then
    return nil
  end
  local work = positive(found, "WT", direction)
  local linearity = positive(found, "LT", direction) or work and 2 * work / (load * extension) or 1
  if not (resilience > 0 and resilience <= 1 and linearity <= 1) then
    fail("row %d: RT must be from 0 to 100 %%, and LT at most 1, for branches to be made of them; got %g %% and %g",
      entry.row, 100 * resilience, linearity)
  end
  local n, loading, unloading = 2 / linearity - 1, {}, {}
  local back = (n + 1) / resilience - 1
  for k = 1, BRANCH_POINTS do
    local share = k / BRANCH_POINTS
    loading[k] = { extension * share, load * share ^ n }
    unloading[k] = { extension * share, load * share ^ back }
  end
  return { loading = loading, unloading = unloading }
end

--- Half the heights of the loops of a KES sheet.
local function kes_hysteresis(found)
  local function half(name, direction)
    local value, entry = get(found, name, direction)
    if value and value < 0 then
      fail("row %d: %s must not be negative, got %g", entry.row, name, value)
    end
    return value and value / 2
  end
  local shear, weft, warp = half("2HG", ""), half("2HG", "weft"), half("2HG", "warp")
  return { shear = shear or weft and warp and (weft + warp) / 2 or weft or warp, bend_weft = half("2HB", "weft"),
    bend_warp = half("2HB", "warp") }
end

local losses = { "stretch", "shear", "bend", "from", "to" }

local function own_hysteresis(found)
  return { weft = get(found, "hysteresis", "weft"), warp = get(found, "hysteresis", "warp"),
    shear = get(found, "hysteresis shear", ""), slip = get(found, "hysteresis slip", ""),
    bend_weft = get(found, "hysteresis bend", "weft"), bend_warp = get(found, "hysteresis bend", "warp"),
    bend_slip = get(found, "hysteresis bend slip", "") }
end

--- Options of weft.fabric, and the instrument.
local function moduli_of(found, base, hysteresis)
  local instrument = instrument_of(found)
  local density = positive(found, "density", "") or positive(found, "W", "")
  local given = {
    density = density, viscosity = get(found, "viscosity", ""),
    thickness = get(found, "thickness", "") or get(found, "T0", "") or get(found, "T2", ""),
    friction = get(found, "friction", "") or mean(found, "MIU"),
    bend = { viscosity = get(found, "bend viscosity", ""), poisson = get(found, "bend poisson", ""),
      twist = get(found, "bend twist", "") },
  }
  local stretch_name, bend_name, shear_name = "stretch", "bend", "shear"
  if instrument == "weft" then
    given.stretch = { weft = get(found, "stretch", "weft"), warp = get(found, "stretch", "warp"),
      coupling = get(found, "stretch coupling", "") }
    given.shear = get(found, "shear", "")
    given.bend.weft, given.bend.warp = get(found, "bend", "weft"), get(found, "bend", "warp")
    given.hysteresis, given.loss = own_hysteresis(found), {}
    given.limit = { any = get(found, "limit any", ""), weft = get(found, "limit", "weft"),
      warp = get(found, "limit", "warp"), shear = get(found, "limit shear", "") }
    for _, name in ipairs(losses) do
      given.loss[name] = get(found, "loss " .. name, "")
    end
  else
    local measure = instrument == "kes" and kes_stretch or fast_stretch
    local young_weft, young_warp = measure(found, "weft"), measure(found, "warp")
    stretch_name, bend_name = instrument == "kes" and "EMT" or "E100", instrument == "kes" and "B" or "C"
    shear_name = instrument == "kes" and "G" or "EB5"
    given.stretch = young_weft and young_warp and couple(young_weft, young_warp) or nil
    if (young_weft or young_warp) and not given.stretch then
      fail("%s of the %s is missing", stretch_name, young_weft and "warp" or "weft")
    end
    given.shear = shear_of(found)
    given.bend.weft, given.bend.warp = bending(found, "weft", density), bending(found, "warp", density)
    if instrument == "kes" and hysteresis then
      given.hysteresis = kes_hysteresis(found)
      given.curves = { weft = kes_branches(found, "weft"), warp = kes_branches(found, "warp") }
      if given.stretch and (given.curves.weft or given.curves.warp) then
        given.stretch.coupling = 0 -- curves that are flat at the origin have none
      end
    end
  end
  local stretch = given.stretch or {}
  require_all({
    { instrument == "weft" and "density" or "W", density },
    { stretch_name .. " of the weft", stretch.weft }, { stretch_name .. " of the warp", stretch.warp },
    { "stretch coupling", instrument ~= "weft" or stretch.coupling }, { shear_name, given.shear },
    { bend_name .. " of the weft", given.bend.weft }, { bend_name .. " of the warp", given.bend.warp },
  }, base)
  return given, instrument
end

--- What a sheet says about a fabric: options of weft.fabric, and a report.
---@param text string
---@param base? weft.fabric
---@param hysteresis? boolean whether the loops count
function sheet.read(text, base, hysteresis)
  local found, title = read(text)
  local given, instrument = moduli_of(found, base, hysteresis)
  given.base, given.name = base, title
  local report = { format = instrument, unused = {}, measured = {} }
  for _, name in ipairs(names_of(found)) do
    local unused = quantities[name].unused
    if unused and not (hysteresis and unused == "unless hysteresis") then
      report.unused[#report.unused + 1] = name
    end
    for direction, entry in pairs(found[name]) do
      report.measured[direction == "" and name or name .. " " .. direction] = entry.value
    end
  end
  return given, report
end

-- ---- writing --------------------------------------------------------------------------------------------------------

--- The shortest text that reads back as the same number.
local function number_text(value)
  for digits = 15, 17 do
    local text = ("%%.%dg"):format(digits):format(value):gsub(",", ".")
    if tonumber(text) == value then
      return text
    end
  end
end

--- A sheet of weft's own moduli, SI units.
function sheet.write(fabric)
  local rows = { "# A fabric of weft: moduli per width of cloth, weft along a pattern's x",
    "quantity,direction,value,unit", ('name,,"%s",'):format((fabric.name:gsub('"', '""'))) }
  local function add(name, direction, value)
    rows[#rows + 1] = ("%s,%s,%s,%s"):format(name, direction, number_text(value),
      units.kinds[quantities[name].kind].unit)
  end
  add("density", "", fabric.density)
  add("stretch", "weft", fabric.stretch.weft)
  add("stretch", "warp", fabric.stretch.warp)
  add("stretch coupling", "", fabric.stretch.coupling)
  add("shear", "", fabric.shear)
  add("bend", "weft", fabric.bend.weft)
  add("bend", "warp", fabric.bend.warp)
  add("bend poisson", "", fabric.bend.poisson)
  add("bend twist", "", fabric.bend.twist)
  add("viscosity", "", fabric.viscosity)
  add("bend viscosity", "", fabric.bend.viscosity)
  for _, row in ipairs { { "hysteresis", "weft", "weft" }, { "hysteresis", "warp", "warp" },
    { "hysteresis shear", "", "shear" }, { "hysteresis slip", "", "slip" }, { "hysteresis bend", "weft", "bend_weft" },
    { "hysteresis bend", "warp", "bend_warp" }, { "hysteresis bend slip", "", "bend_slip" } } do
    add(row[1], row[2], fabric.hysteresis[row[3]])
  end
  for _, name in ipairs(losses) do
    add("loss " .. name, "", fabric.loss[name])
  end
  add("limit any", "", fabric.limit.any)
  add("limit", "weft", fabric.limit.weft)
  add("limit", "warp", fabric.limit.warp)
  add("limit shear", "", fabric.limit.shear)
  add("thickness", "", fabric.thickness)
  add("friction", "", fabric.friction)
  return table.concat(rows, "\n") .. "\n"
end

-- ---- curves ---------------------------------------------------------------------------------------------------------

--- A measured curve: two columns, each with its unit in its title, as in `strain (%), load (gf/cm)`. Returns the points
--- in SI units and the kinds of the columns.
function sheet.read_curve(text)
  local rows = rows_of(text)
  if #rows == 0 then
    fail "the file is empty"
  end
  local separator = separator_of(rows[1].line)
  local titles, factors, kinds = split(rows[1].line, separator, "row " .. rows[1].number), {}, {}
  if #titles ~= 2 then
    fail("row %d: a curve has two columns, got %d", rows[1].number, #titles)
  end
  for i, title in ipairs(titles) do
    local name, unit = title:match "^(.-)%s*[%(%[](.*)[%)%]]%s*$"
    name = trim(name or title):lower()
    if not units.kinds[name] then
      fail("row %d: a column must be one of strain, load, angle, curvature, moment, got \"%s\"", rows[1].number,
        name:sub(1, 40))
    elseif not unit then
      fail("row %d: the column %s has no unit; write it as in \"%s (%s)\"", rows[1].number, name, name,
        units.kinds[name].unit)
    end
    local factor, expected = units.factor(unit, name)
    if not factor then
      fail("row %d: the unit of %s must be one of %s, got \"%s\"", rows[1].number, name, expected, unit:sub(1, 40))
    end
    factors[i], kinds[i] = factor, name
  end
  if #rows == 1 then
    fail "the file has titles, but no points"
  end
  local points = {}
  for k = 2, #rows do
    local where = "row " .. rows[k].number
    local fields = split(rows[k].line, separator, where)
    if #fields ~= 2 then
      fail("%s: a row has two numbers, got %d fields", where, #fields)
    end
    points[#points + 1] = { number_of(fields[1], separator, where .. ": " .. kinds[1]) * factors[1],
      number_of(fields[2], separator, where .. ": " .. kinds[2]) * factors[2] }
  end
  return points, kinds
end

--- A curve up to its largest x, and, where it turns back there, the way back from there on, in ascending order.
function sheet.split_branches(points)
  local top = 1
  for i, point in ipairs(points) do
    top = point[1] > points[top][1] and i or top
  end
  if top == #points or top == 1 then
    return points
  end
  local loading, unloading = {}, {}
  for i = 1, top do
    loading[i] = points[i]
  end
  for i = #points, top, -1 do
    unloading[#unloading + 1] = points[i]
  end
  return loading, unloading
end

return sheet
