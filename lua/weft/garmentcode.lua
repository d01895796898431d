--- Pattern documents: GarmentCode specifications, read, written, and turned into what weft.core.garment takes.
---
--- A document is a file's content as Lua tables: `pattern.panels` (by name), `pattern.stitches`, `properties`. It is
--- kept whole, so that fields that weft does not know survive a save. weft's own fields are extras that other readers
--- pass over: `grain` (degrees), `fabric`, `layer` and `folds` (`from`, `to`, `angle` in degrees) of a panel; `from`
--- and `to` (fractions of the edge's length) of a stitch's side; `{ "crossed": true }` as a third element of a stitch,
--- in which, or in one after it, `bending`, `stiffness` and `shrinkage` say what its seam adds.

local core = require "weft.core"
local json_text = require "weft.json_text"

local garmentcode = {}

local unpack = unpack or table.unpack

-- Failures travel to the public function, which adds its name and the script's position.
local failure = {}

local function fail(message, ...)
  error(setmetatable({ message = message:format(...) }, failure), 0)
end

--- Calls `action` and raises what it fails with in the name of `verb`, blaming the caller's caller.
---@param verb string
function garmentcode.attempt(verb, action, ...)
  local ok, result = pcall(action, ...)
  if ok then
    return result
  end
  local message = getmetatable(result) == failure and result.message or tostring(result):gsub("^.-weft%.garment: ", "")
  return error(verb .. ": " .. message, 3)
end

-- ---- JSON ----------------------------------------------------------------------------------------------------------

-- Marks tables that are arrays even when they are empty.
local array_mark = {}

local function array(list)
  return setmetatable(list or {}, array_mark)
end

local function load_cjson()
  local loaded, cjson = pcall(require, "cjson")
  if not loaded then
    fail("reading pattern files needs lua-cjson; on Debian: apt install lua-cjson")
  end
  return cjson
end

-- lua-cjson decodes [] and {} alike. So empty arrays get one element, which no pattern contains, before decoding.
local empty_array = "weft: an empty array"

local function mark_empty_arrays(text)
  return json_text.change(text, "%[", function(at)
    return at, text:find("^%s*%]", at + 1) and ('["%s"'):format(empty_array) or "["
  end)
end

local function restore_arrays(value)
  if type(value) ~= "table" then
    return value
  end
  if value[1] == empty_array then
    return array()
  end
  for key, element in pairs(value) do
    value[key] = restore_arrays(element)
  end
  return value[1] ~= nil and array(value) or value
end

local function decode(text)
  text = text:gsub("^\239\187\191", "") -- the byte order mark that some editors put in front
  local cjson = load_cjson().new()
  cjson.decode_invalid_numbers(false)
  local ok, result = pcall(cjson.decode, text) -- first as it is, so that positions in messages are the file's
  if not ok then
    fail("the file is not JSON: %s", tostring(result))
  end
  return restore_arrays(cjson.decode(mark_empty_arrays(text)))
end

--- The shortest text that reads back as the same number.
local function number_text(value)
  if value ~= value or value == math.huge or value == -math.huge then
    fail("a number that is not finite cannot be saved")
  end
  for digits = 15, 17 do
    local text = ("%%.%dg"):format(digits):format(value)
    if tonumber(text) == value then
      return (text:gsub(",", ".")) -- some locales write a comma
    end
  end
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function string_text(value)
  return '"' .. value:gsub('[%c"\\]', function(character)
    return escapes[character] or ("\\u%04x"):format(character:byte())
  end) .. '"'
end

local encode

local function encode_array(list, indent, parts)
  local plain = true
  for _, element in ipairs(list) do
    plain = plain and type(element) ~= "table"
  end
  local inner = indent .. "  "
  parts[#parts + 1] = "["
  for i, element in ipairs(list) do
    parts[#parts + 1] = (i > 1 and "," or "") .. (plain and (i > 1 and " " or "") or "\n" .. inner)
    encode(element, inner, parts)
  end
  parts[#parts + 1] = (plain and "" or "\n" .. indent) .. "]"
end

local function encode_object(object, indent, parts)
  local names = {}
  for name in pairs(object) do
    if type(name) ~= "string" then
      fail("a table with both names and numbers as keys cannot be saved")
    end
    names[#names + 1] = name
  end
  table.sort(names)
  local inner = indent .. "  "
  parts[#parts + 1] = "{"
  for i, name in ipairs(names) do
    parts[#parts + 1] = (i > 1 and ",\n" or "\n") .. inner .. string_text(name) .. ": "
    encode(object[name], inner, parts)
  end
  parts[#parts + 1] = (#names > 0 and "\n" .. indent or "") .. "}"
end

function encode(value, indent, parts)
  local kind = type(value)
  if kind == "table" and (getmetatable(value) == array_mark or value[1] ~= nil) then
    encode_array(value, indent, parts)
  elseif kind == "table" then
    encode_object(value, indent, parts)
  elseif kind == "number" then
    parts[#parts + 1] = number_text(value)
  elseif kind == "string" then
    parts[#parts + 1] = string_text(value)
  elseif kind == "boolean" then
    parts[#parts + 1] = tostring(value)
  elseif kind == "userdata" then
    parts[#parts + 1] = "null" -- as lua-cjson gives it
  else
    fail("a %s cannot be saved", kind)
  end
end

-- ---- checks --------------------------------------------------------------------------------------------------------

--- A field's value; JSON's null counts as absent.
local function field(object, name)
  local value = object[name]
  if type(value) == "userdata" then
    return nil
  end
  return value
end

local function shown(value)
  if type(value) == "string" then
    return core.value_text(value)
  end
  return value == nil and "nothing" or type(value) == "table" and "a table" or tostring(value)
end

local function check_number(value, where, what)
  if type(value) ~= "number" then
    fail("%s: %s must be a number, got %s", where, what, shown(value))
  elseif not (value > -1e15 and value < 1e15) then
    fail("%s: %s must be a finite number below 1e15, got %s", where, what, shown(value))
  end
  return value
end

local function check_table(value, where, what)
  if type(value) ~= "table" then
    fail("%s: %s must be a table, got %s", where, what, shown(value))
  end
  return value
end

--- A table without holes, after which `ipairs` and `#` would pass over elements.
local function check_list(value, where, what)
  local hole = 1
  while check_table(value, where, what)[hole] ~= nil do
    hole = hole + 1
  end
  for key in pairs(value) do
    if type(key) == "number" and key > hole then
      fail("%s: %s must be a list without holes, got nothing at %d", where, what, hole)
    end
  end
  return value
end

local function check_numbers(value, count, where, what)
  if type(value) ~= "table" or #check_list(value, where, what) ~= count then
    fail("%s: %s must be %d numbers, got %s", where, what, count,
      type(value) == "table" and #value .. " values" or shown(value))
  end
  for i = 1, count do
    check_number(value[i], where, what)
  end
  return value
end

--- Documents count from 0, scripts from 1. What is no number is left for the checks to refuse.
local function from_zero(value)
  return type(value) == "number" and value - 1 or value
end

--- A number of something, counted from `first`, as one counted from 1.
local function check_index(value, first, where, what)
  if type(value) ~= "number" or value ~= math.floor(value) or value < 0 or value > 1e6 then
    fail("%s: %s must be a whole number, at least %d, got %s", where, what, first,
      type(value) == "number" and ("%g"):format(value + first) or shown(value))
  end
  return value + 1
end

local function append(list, ...)
  for i = 1, select("#", ...) do
    list[#list + 1] = (select(i, ...))
  end
end

-- ---- from documents to the core ------------------------------------------------------------------------------------

local LINE, QUADRATIC, CUBIC, ARC = 0, 1, 2, 3

--- Appends kind, relative, and four numbers of an edge's curve.
local function add_curvature(flat, curvature, setting, origin, where)
  if curvature == nil then
    return append(flat.edges, LINE, 1, 0, 0, 0, 0)
  end
  check_table(curvature, where, "its curvature")
  local kind, params = field(curvature, "type"), field(curvature, "params")
  if kind == nil and curvature[1] ~= nil then -- the older form: the control point of a quadratic curve, or zeros
    local x, y = unpack(check_numbers(curvature, 2, where, "its curvature"))
    if x == 0 and y == 0 then
      return append(flat.edges, LINE, 1, 0, 0, 0, 0)
    end
    kind, params = "quadratic", { { x, y } }
  end
  if kind == "circle" then
    check_list(params, where, "the circle's params")
    if #params ~= 3 then
      fail("%s: a circle's params must be radius, large_arc and right, got %d values", where, #params)
    end
    local large, right = params[2], params[3]
    return append(flat.edges, ARC, 0, check_number(params[1], where, "the circle's radius") * setting.scale,
      (large == true or large == 1) and 1 or 0, (right == true or right == 1) and 1 or 0, 0)
  end
  if kind ~= "quadratic" and kind ~= "cubic" then
    fail("%s: the curvature's type must be \"quadratic\", \"cubic\" or \"circle\", got %s", where, shown(kind))
  end
  local count = kind == "quadratic" and 1 or 2
  check_list(params, where, "the curvature's params")
  if #params ~= count then
    fail("%s: a %s curve has %d control point%s, got %d", where, kind, count, count > 1 and "s" or "", #params)
  end
  local x1, y1 = unpack(check_numbers(params[1], 2, where, "a control point"))
  local x2, y2 = 0, 0
  if count == 2 then
    x2, y2 = unpack(check_numbers(params[2], 2, where, "a control point"))
  end
  local relative, by = 1, 1
  if setting.absolute then
    relative, by = 0, setting.scale
    x1, y1, x2, y2 = x1 - origin[1], y1 - origin[2], x2 - origin[1], y2 - origin[2]
  end
  append(flat.edges, count == 1 and QUADRATIC or CUBIC, relative, x1 * by, y1 * by, x2 * by, y2 * by)
end

--- Older templates ask for their vertices' mean to become the panel's origin, about which it is turned.
local function mean_of(vertices, where)
  local x, y = 0, 0
  for _, vertex in ipairs(vertices) do
    check_numbers(vertex, 2, where, "a vertex")
    x, y = x + vertex[1] / #vertices, y + vertex[2] / #vertices
  end
  return { x, y }
end

--- Appends a panel's folds: the panel's number, two points, the angle.
local function add_folds(flat, panel, setting, origin, where)
  for i, fold in ipairs(check_list(field(panel, "folds") or {}, where, "its folds")) do
    local here = ("%s, fold %d"):format(where, i - 1 + setting.first)
    check_table(fold, here, "it")
    append(flat.folds, #flat.names)
    for _, name in ipairs { "from", "to" } do
      local x, y = unpack(check_numbers(field(fold, name), 2, here, name))
      append(flat.folds, (x - origin[1]) * setting.scale, (y - origin[2]) * setting.scale)
    end
    append(flat.folds, math.rad(check_number(field(fold, "angle"), here, "its angle")))
  end
end

local function add_panel(flat, name, panel, setting)
  local where = ("panel '%s'"):format(name)
  check_table(panel, where, "it")
  local vertices = check_list(field(panel, "vertices"), where, "its vertices")
  local edges = check_list(field(panel, "edges"), where, "its edges")
  local move = check_numbers(field(panel, "translation") or { 0, 0, 0 }, 3, where, "its translation")
  local turn = check_numbers(field(panel, "rotation") or { 0, 0, 0 }, 3, where, "its rotation")
  local grain = check_number(field(panel, "grain") or 0, where, "its grain")
  local fabric = check_index(from_zero(field(panel, "fabric") or 1), 1, where, "its fabric")
  local layer = check_index(field(panel, "layer") or 0, 0, where, "its layer") - 1
  local label = field(panel, "label") or ""
  if type(label) ~= "string" then
    fail("%s: its label must be a string, got %s", where, shown(label))
  end
  local scale, origin = setting.scale, setting.recentre and mean_of(vertices, where) or { 0, 0 }
  append(flat.names, name)
  append(flat.labels, label)
  append(flat.panels, #vertices, #edges, (move[1] + origin[1]) * scale, (move[2] + origin[2]) * scale, move[3] * scale,
    math.rad(turn[1]), math.rad(turn[2]), math.rad(turn[3]), math.rad(grain), fabric, layer)
  for i, vertex in ipairs(vertices) do
    local what = ("vertex %d"):format(i - 1 + setting.first)
    local x, y = unpack(check_numbers(vertex, 2, where, what))
    append(flat.vertices, (x - origin[1]) * scale, (y - origin[2]) * scale)
  end
  for i, edge in ipairs(edges) do
    local here = ("%s, edge %d"):format(where, i - 1 + setting.first)
    check_table(edge, here, "it")
    local ends = check_list(field(edge, "endpoints"), here, "its endpoints")
    if #ends ~= 2 then
      fail("%s: its endpoints must be two vertices, got %d", here, #ends)
    end
    append(flat.edges, check_index(ends[1], setting.first, here, "an endpoint"),
      check_index(ends[2], setting.first, here, "an endpoint"))
    add_curvature(flat, field(edge, "curvature"), setting, origin, here)
  end
  add_folds(flat, panel, setting, origin, where)
end

local AUTO, STRAIGHT, CROSSED, SAME = 0, 1, 2, 3

--- How a stitch's third element, if any, pairs the ends.
local function ends_of(stitch, where)
  local extra = stitch[3]
  if extra == "right_wrong" then
    return SAME
  end
  if type(extra) ~= "table" or extra.crossed == nil or extra.crossed == "auto" then
    return AUTO
  end
  if type(extra.crossed) ~= "boolean" then
    fail("%s: crossed must be true, false or \"auto\", got %s", where, shown(extra.crossed))
  end
  return extra.crossed and CROSSED or STRAIGHT
end

local LAW_NAMES = { "bending", "stiffness", "shrinkage" }

--- What a stitch says of its seam, if anything: beside how its ends are paired, or after that.
local function law_of(stitch)
  local extra = type(stitch[3]) == "table" and stitch[3] or stitch[4]
  return type(extra) == "table" and extra or {}
end

--- Gives what `law` says to all stitches of a document that do not say it themselves.
---@param document table
---@param law? weft.garment.seam_law
---@return table document
function garmentcode.with_seams(document, law)
  local pattern = type(document) == "table" and document.pattern
  local stitches = type(pattern) == "table" and pattern.stitches
  for _, stitch in ipairs(law and type(stitches) == "table" and stitches or {}) do
    if type(stitch) == "table" then
      local place = (stitch[3] == nil or type(stitch[3]) == "table") and 3 or 4
      stitch[place] = type(stitch[place]) == "table" and stitch[place] or {}
      for _, name in ipairs(LAW_NAMES) do
        if stitch[place][name] == nil then
          stitch[place][name] = law[name]
        end
      end
    end
  end
  return document
end

local function add_stitch(flat, number, stitch, numbers_of_panels, first)
  local where = ("%s %d"):format(first == 0 and "stitch" or "seam", number - 1 + first)
  check_table(stitch, where, "it")
  for k = 1, 2 do
    local side = check_table(stitch[k], where, k == 1 and "its first side" or "its second side")
    local panel = field(side, "panel")
    local index = numbers_of_panels[panel]
    if not index then
      fail("%s: there is no panel %s", where, shown(panel))
    end
    append(flat.seams, index, check_index(field(side, "edge"), first, where, "an edge's number"),
      check_number(field(side, "from") or 0, where, "from"), check_number(field(side, "to") or 1, where, "to"))
  end
  append(flat.seams, ends_of(stitch, where))
  for _, name in ipairs(LAW_NAMES) do
    append(flat.seams, check_number(law_of(stitch)[name] or 0, where, name))
  end
end

--- Names of the panels: as `panel_order` lists them, then the others by name.
local function ordered_names(pattern)
  local names, listed, others = {}, {}, {}
  local order = field(pattern, "panel_order")
  for _, name in ipairs(type(order) == "table" and order or {}) do
    if type(name) == "string" and pattern.panels[name] ~= nil and not listed[name] then
      listed[name] = true
      names[#names + 1] = name
    end
  end
  for name in pairs(pattern.panels) do
    if not listed[name] then
      others[#others + 1] = tostring(name)
    end
  end
  table.sort(others)
  append(names, unpack(others))
  return names
end

--- The arguments of weft.core.garment for a document. `first` is how its user counts edges and stitches.
---@param document table
---@param first 0|1
---@return table
function garmentcode.flatten(document, first)
  check_table(document, "the document", "it")
  local pattern = check_table(field(document, "pattern"), "the document", "'pattern'")
  local panels = check_table(field(pattern, "panels"), "the document", "'pattern.panels'")
  local stitches = check_list(field(pattern, "stitches") or {}, "the document", "'pattern.stitches'")
  local properties = check_table(field(document, "properties") or {}, "the document", "'properties'")
  local units = check_number(field(properties, "units_in_meter") or 100, "properties", "units_in_meter")
  local coordinates = field(properties, "curvature_coords") or "relative"
  if next(panels) == nil then
    fail("the document has no panels")
  end
  if units < 1e-3 or units > 1e6 then
    fail("properties: units_in_meter must be from 0.001 to 1000000, got %g", units)
  end
  if coordinates ~= "relative" and coordinates ~= "absolute" then
    fail("properties: curvature_coords must be \"relative\" or \"absolute\", got %s", shown(coordinates))
  end

  local flat = { names = {}, labels = {}, panels = {}, vertices = {}, edges = {}, seams = {}, folds = {},
    first_number = first }
  local setting = { scale = 1 / units, absolute = coordinates == "absolute", first = first,
    recentre = field(properties, "normalize_panel_translation") == true }
  local numbers_of_panels = {}
  for i, name in ipairs(ordered_names(pattern)) do
    numbers_of_panels[name] = i
    add_panel(flat, name, panels[name], setting)
  end
  for i, stitch in ipairs(stitches) do
    add_stitch(flat, i, stitch, numbers_of_panels, first)
  end
  return flat
end

-- ---- files ---------------------------------------------------------------------------------------------------------

---@param path string
---@return table document
function garmentcode.read(path)
  local file, problem = io.open(path, "rb")
  if not file then
    fail("cannot open the file: %s", problem)
  end
  local text = file:read "*a"
  file:close()
  if not text then
    fail("%s: cannot read the file", path)
  end
  return decode(text)
end

---@param document table
---@param path string
function garmentcode.write(document, path)
  local parts = {}
  encode(document, "", parts)
  parts[#parts + 1] = "\n"
  local file, problem = io.open(path, "wb")
  if not file then
    fail("cannot open the file: %s", problem)
  end
  local written = file:write(table.concat(parts))
  if not file:close() or not written then
    fail("%s: cannot write the file", path)
  end
end

-- ---- from a script's tables to documents ---------------------------------------------------------------------------

--- A deep copy in which lists are arrays.
local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local result = {}
  for key, element in pairs(value) do
    result[key] = copy(element)
  end
  return value[1] ~= nil and array(result) or result
end

--- The same for what must be a list, even an empty one, of what `made` makes of each element. What is no table is left
--- for the checks to refuse, and so are holes.
local function copy_list(value, made)
  if type(value) ~= "table" then
    return value
  end
  local list = array()
  for i, element in pairs(value) do
    if type(i) == "number" then
      list[i] = (made or copy)(element, i)
    end
  end
  return list
end

local function check_fields(given, where, names)
  for key in pairs(given) do
    local known = key == 1 or key == 2
    for _, name in ipairs(names) do
      known = known or key == name
    end
    if not known then
      local nearest = type(key) == "string" and core.nearest_name(key, names)
      fail("%s: unknown field %s%s", where, shown(key), nearest and ("; did you mean '%s'?"):format(nearest) or "")
    end
  end
end

local function degrees(value)
  return type(value) == "number" and math.deg(value) or value
end

local function edge_document(edge, where)
  if type(edge) ~= "table" then
    return edge
  end
  check_fields(edge, where, { "endpoints", "curvature", "label" })
  local ends = type(edge.endpoints) == "table" and edge.endpoints or edge
  return {
    endpoints = array { from_zero(ends[1]), from_zero(ends[2]) },
    curvature = copy(edge.curvature),
    label = edge.label,
  }
end

local function edge_documents(panel, name)
  if panel.edges ~= nil or type(panel.vertices) ~= "table" then
    return copy_list(panel.edges, function(edge, i)
      return edge_document(edge, ("panel '%s', edge %s"):format(name, i))
    end)
  end
  local edges = array()
  for i = 1, #panel.vertices do -- straight edges all around
    edges[i] = { endpoints = array { i - 1, i % #panel.vertices } }
  end
  return edges
end

local panel_fields = { "name", "vertices", "edges", "translation", "rotation", "grain", "fabric", "layer", "label",
  "folds" }

local function fold_document(fold, where)
  if type(fold) ~= "table" then
    return fold
  end
  check_fields(fold, where, { "from", "to", "angle" })
  return { from = copy_list(fold.from), to = copy_list(fold.to), angle = degrees(fold.angle) }
end

local function panel_document(panel, name)
  check_fields(panel, ("panel '%s'"):format(name), panel_fields)
  return {
    vertices = copy_list(panel.vertices),
    edges = edge_documents(panel, name),
    translation = copy_list(panel.translation) or array { 0, 0, 0 },
    rotation = copy_list(panel.rotation, degrees) or array { 0, 0, 0 },
    label = panel.label,
    grain = degrees(panel.grain),
    fabric = panel.fabric,
    layer = panel.layer,
    folds = copy_list(panel.folds, function(fold, i)
      return fold_document(fold, ("panel '%s', fold %s"):format(name, i))
    end),
  }
end

local function side_document(side, where)
  if type(side) ~= "table" then
    return side
  end
  check_fields(side, where, { "panel", "edge", "from", "to" })
  return { panel = side.panel or side[1], edge = from_zero(side.edge or side[2]), from = side.from, to = side.to }
end

local function stitch_document(seam, where)
  if type(seam) ~= "table" then
    return seam
  end
  check_fields(seam, where, { "crossed", "bending", "stiffness", "shrinkage" })
  local stitch = array { side_document(seam[1], where), side_document(seam[2], where) }
  local extra = { crossed = seam.crossed, bending = seam.bending, stiffness = seam.stiffness,
    shrinkage = seam.shrinkage }
  if next(extra) ~= nil and #stitch == 2 then
    stitch[3] = extra
  end
  return stitch
end

--- The panels' keys: numbers first.
local function sorted_keys(panels)
  local keys = {}
  for key in pairs(panels) do
    if type(key) ~= "number" and type(key) ~= "string" then
      fail("panels must be a list, or keyed by names, got the key %s", shown(key))
    end
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then
      return type(a) == "number"
    end
    return a < b
  end)
  return keys
end

--- A document from the tables that weft.garment takes.
---@param given weft.garment.options
---@return table document
function garmentcode.from_tables(given)
  check_list(given.panels, "the garment", "'panels'")
  check_list(given.seams or {}, "the garment", "'seams'")
  local panels, order = {}, array()
  for _, key in ipairs(sorted_keys(given.panels)) do
    local panel = check_table(given.panels[key], ("panel %s"):format(tostring(key)), "it")
    local name = type(key) == "string" and key or panel.name
    if type(name) ~= "string" then
      fail("panel %s: its name must be a string, got %s", tostring(key), shown(name))
    end
    if panels[name] then
      fail("two panels are called '%s'", name)
    end
    panels[name] = panel_document(panel, name)
    order[#order + 1] = name
  end
  local stitches = copy_list(given.seams or {}, function(seam, i)
    return stitch_document(seam, ("seam %s"):format(i))
  end)
  return {
    pattern = { panels = panels, stitches = stitches, panel_order = order },
    parameters = {},
    parameter_order = array(),
    properties = {
      curvature_coords = given.curvature_coords or "relative",
      normalize_panel_translation = false,
      normalized_edge_loops = true,
      units_in_meter = given.units_in_meter or 1,
    },
  }
end

return garmentcode
