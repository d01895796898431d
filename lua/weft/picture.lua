--- Pictures: meshes, bodies and cloth under a soft sky and a key light, written as PNG.
---
---     weft.picture { body, { shirt, colour = {0.3, 0.45, 0.62} }, file = "shirt.png",
---                    views = {"three-quarter", "three-quarter back"} }

local options = require "weft.options"
local progress = require "weft.progress"

local built, core = pcall(require, "weft.picture_core")
if not built then
  error("weft.picture: this part is not built; install libembree-dev and libpng-dev and run make again\n" .. core, 0)
end

---@alias weft.picture.colour number[] red, green and blue as a screen shows them, each from 0 to 1

---@class weft.picture.view a camera: framed from a direction, or placed by eye and target
---@field azimuth? number degrees from the front (+Z) toward +X, the left of a body that faces the viewer
---@field elevation? number degrees above the horizon
---@field eye? number[] {x, y, z}, metres
---@field target? number[] what the middle of the picture shows
---@field up? number[]
---@field fov? number degrees from the bottom to the top of the picture; 30 along its longer side unless given

---@class weft.picture.item
---@field [1] table|userdata anything with buffers `positions` and `faces`: a mesh, a body, cloth
---@field look? "cloth"|"body"|"rigid"|"plain"|"wind" what the other fields start from
---@field colour? weft.picture.colour
---@field back_colour? weft.picture.colour of the inner side
---@field sheen? number 0 to 1, the bright rim of cloth seen at grazing angles
---@field gloss? number 0 to 1, a soft highlight
---@field crease? number degrees; edges that bend more look sharp
---@field edges? boolean draw the triangles
---@field borders? boolean draw the open edges
---@field lines? weft.buffer index buffer of vertex pairs: edges to draw, such as seams
---@field values? weft.buffer|number[] a number per vertex or face, shown in colours
---@field range? number[] the values at the two ends of the colour map
---@field map? "sequential"|"diverging"
---@field colours? weft.buffer a colour per vertex or face

---@class weft.picture.options
---@field [integer] weft.picture.item|table|userdata
---@field file? string where to write the PNG
---@field views? (string|weft.picture.view)[] side by side
---@field view? string|weft.picture.view
---@field width? integer pixels, 1600 unless given
---@field height? integer pixels, 1200 unless given
---@field samples? integer per pixel, 16 unless given
---@field background? weft.picture.colour
---@field ground? boolean|number whether there is a ground, or its height; at the lowest vertex unless given
---@field light? number[] direction to the key light; over the viewer's left shoulder unless given
---@field line_colour? weft.picture.colour
---@field line_width? number pixels
---@field seed? integer
---@field progress? boolean|fun(report: weft.progress.report)|weft.progress.bar

local VIEWS = {
  ["front"] = { azimuth = 0, elevation = 4 },
  ["back"] = { azimuth = 180, elevation = 4 },
  ["left"] = { azimuth = 90, elevation = 4 },
  ["right"] = { azimuth = -90, elevation = 4 },
  ["top"] = { azimuth = 0, elevation = 90 },
  ["three-quarter"] = { azimuth = 35, elevation = 6 },
  ["three-quarter back"] = { azimuth = 215, elevation = 6 },
}

local LOOKS = {
  body = { colour = { 0.70, 0.665, 0.63 }, sheen = 0.12, gloss = 0.12 },
  rigid = { colour = { 0.74, 0.55, 0.36 }, sheen = 0.1, gloss = 0.25 },
  plain = { colour = { 0.66, 0.68, 0.70 }, sheen = 0.1 },
  cloth = { sheen = 0.35 },
  wind = { sheen = 0 },
}

-- Cloths without a colour of their own take these in turn.
local CLOTH_COLOURS = {
  { 0.29, 0.43, 0.60 }, { 0.71, 0.36, 0.31 }, { 0.43, 0.54, 0.41 }, { 0.80, 0.66, 0.41 }, { 0.47, 0.37, 0.54 },
}

local LOOK_OF_CLASS = {
  ["weft.body"] = "body", ["weft.cloth"] = "cloth", ["weft.rigid"] = "rigid", ["weft.wind.drawing"] = "wind",
}

local OPTION_NAMES = {
  "background", "file", "ground", "height", "light", "line_colour", "line_width", "progress", "samples", "seed", "view",
  "views", "width",
}

local TILES_PER_CALL = 40 -- some 50 ms

local function fail(format, ...)
  error("weft.picture: " .. format:format(...), 0)
end

--- Calls a function whose errors are to name the line of the script that called weft.picture.
local function guard(call, ...)
  local passed, first, second = pcall(call, ...)
  if not passed then
    error(first, 3)
  end
  return first, second
end

--- The sorted names of a table as text.
local function names_of(list)
  local names = {}
  for name in pairs(list) do
    names[#names + 1] = ("'%s'"):format(name)
  end
  table.sort(names)
  return table.concat(names, ", ")
end

--- A view as the core takes it.
local function resolve_view(view)
  if type(view) == "string" then
    return VIEWS[view] or fail("view must be one of %s, or a table, got '%s'", names_of(VIEWS), view)
  elseif type(view) ~= "table" then
    fail("view must be one of %s, or a table, got %s", names_of(VIEWS), tostring(view))
  end
  return view
end

local function resolve_views(given)
  if given.view ~= nil and given.views ~= nil then
    fail("give either view or views")
  end
  local views = given.views
  if views == nil then
    views = { given.view == nil and "three-quarter" or given.view }
  elseif type(views) ~= "table" or #views == 0 then
    fail("views must be a list of views, got %s", type(views) == "table" and "an empty one" or tostring(views))
  end
  local resolved = {}
  for i = 1, #views do
    resolved[i] = resolve_view(views[i])
  end
  return resolved
end

--- The field of an object that may refuse unknown names.
local function field(object, name)
  local kind = type(object)
  if kind ~= "userdata" and kind ~= "table" then
    return nil
  end
  local readable, value = pcall(function() return object[name] end)
  return readable and value or nil
end

--- The fields of a mesh for the core. `cloths` counts those that took a colour of the palette.
local function resolve_item(item, index, cloths)
  local given = type(item) == "table" and getmetatable(item) == nil and item.positions == nil and item or { item }
  local object = given[1]
  local mesh = { positions = field(object, "positions"), faces = field(object, "faces") }
  if not (mesh.positions and mesh.faces) then
    fail("item %d must be a mesh, a body, cloth or another object with positions and faces, got %s", index,
      tostring(object))
  end
  local look_name = given.look or LOOK_OF_CLASS[getmetatable(object)] or "plain"
  local look = LOOKS[look_name] or fail("item %d: look must be one of %s, got %s", index, names_of(LOOKS),
                     tostring(look_name))
  for name, value in pairs(look) do
    mesh[name] = value
  end
  if look_name == "wind" and given.colour == nil and given.colours == nil then
    mesh.values, mesh.range, mesh.map = field(object, "values"), field(object, "range"), field(object, "map")
  end
  if look_name == "cloth" and given.colour == nil then
    mesh.colour = CLOTH_COLOURS[cloths % #CLOTH_COLOURS + 1]
    cloths = cloths + 1
  end
  for name, value in pairs(given) do
    if name == "positions" or name == "faces" then
      fail("item %d: give an object with positions and faces first, then its look", index)
    elseif name ~= 1 and name ~= "look" then
      mesh[name] = value
    end
  end
  return mesh, cloths
end

--- Makes a picture; with `file`, writes it. The result answers `pixel(column, row)`, `bytes()` and `save(path)`.
---@param given weft.picture.options
local function picture(given)
  local settings = {}
  for name, value in pairs(type(given) == "table" and given or {}) do
    if type(name) ~= "number" then
      settings[name] = value
    end
  end
  options.check("weft.picture", type(given) == "table" and settings or given, OPTION_NAMES)
  if given.file ~= nil and type(given.file) ~= "string" then
    error(("weft.picture: file must be a path, got %s"):format(tostring(given.file)), 2)
  end
  settings.file, settings.view, settings.progress = nil, nil, nil
  settings.views = guard(resolve_views, given)
  local made = guard(core.open, settings)
  local cloths = 0
  for i = 1, #given do
    local mesh, counted = guard(resolve_item, given[i], i, cloths)
    cloths = counted
    guard(made.add, made, mesh)
  end
  guard(made.begin, made)
  local report = progress.from(given.progress, "weft.picture")
  local done = 0
  while done < 1 do
    done = guard(made.advance, made, TILES_PER_CALL)
    report:update("picture", math.floor(done * 100), 100)
  end
  report:finish()
  if given.file then
    guard(made.save, made, given.file)
  end
  return made
end

return picture
