--- Material cards of other simulators, mapped to weft's moduli: the simulation properties of GarmentCode (YAML) and the
--- materials of ARCSim (JSON with remarks).

local core = require "weft.core"
local json_text = require "weft.json_text"
local sheet = require "weft.fabric_sheet"

local card = {}

local fail = sheet.fail
local LINE_LIMIT, GRAVITY = 100000, 9.81

local function known(names, name, where)
  for _, candidate in ipairs(names) do
    if candidate == name then
      return
    end
  end
  local nearest = core.nearest_name(tostring(name):sub(1, 60), names)
  fail("%s: there is no \"%s\"%s", where, tostring(name):sub(1, 40),
    nearest and ("; did you mean \"%s\"?"):format(nearest) or "")
end

local function check_number(value, where, least)
  if type(value) ~= "number" or not (value > -1e15 and value < 1e15) then
    fail("%s must be a number, got %s", where, tostring(value):sub(1, 40))
  elseif least and value < least then
    fail("%s must be at least %g, got %g", where, least, value)
  end
  return value
end

-- ---- GarmentCode ----------------------------------------------------------------------------------------------------

local garmentcode_names = { "spring_ke", "garment_edge_ke", "fabric_density", "fabric_thickness", "fabric_friction",
  "spring_kd", "garment_edge_kd", "garment_tri_ke", "garment_tri_ka", "garment_tri_kd" }

--- The scalars of the mapping sim: config: material: of a YAML file, as { text, row } by name; nil when there is none.
--- Only what leads there is understood; other parts of the file may be any YAML of block mappings.
local function read_material_section(text)
  local path, found, number = {}, nil, 0
  for line in (text:gsub("\r\n?", "\n") .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    if number > LINE_LIMIT then
      fail("the file has more than %d lines", LINE_LIMIT)
    end
    local indent, key, value = line:match "^( *)([%w_%-]+):%s*(.-)%s*$"
    local content = line:match "^%s*([^%s#])"
    if content then
      local depth = #line:match "^ *"
      while #path > 0 and path[#path].depth >= depth do
        path[#path] = nil
      end
      local inside = #path == 3 and path[1].key == "sim" and path[2].key == "config" and path[3].key == "material"
      value = value and value:gsub("%s+#.*$", ""):gsub("^#.*$", "")
      if inside and (not key or value == "") then
        fail("row %d: a material holds lines \"name: number\"", number)
      elseif inside then
        if found[key] then
          fail("row %d: %s is given twice", number, key)
        end
        found[key] = { text = value, row = number }
      elseif key then
        if #path >= 64 then
          fail("row %d: the file is nested too deeply", number)
        end
        path[#path + 1] = { depth = #indent, key = key }
        if #path == 3 and path[1].key == "sim" and path[2].key == "config" and key == "material" then
          found = found or {}
        end
      end
    end
  end
  return found
end

--- The material of GarmentCode's simulation properties.
---
--- That simulator works in centimetres with gravity 9.81 cm/s² and says of its other units nothing: what a cloth looks
--- like depends on stiffness over weight alone, and so the mapping keeps that, with the areal density that the caller
--- must give. spring_ke k acts along every edge of an about equilateral mesh, which is an isotropic sheet with
--- C1111 = 3√3/4 k and C1122 = C1212 = √3/4 k. garment_edge_ke is the energy 1/2 k θ² of a hinge, which on that
--- mesh bends to a cylinder like a plate with B = √3/2 k (Seung and Nelson 1988). The triangles' area terms
--- (garment_tri_*) do nothing in the position-based solver that reads this file; the dampers depend on its iterations.
function card.read_garmentcode(text, options)
  local found = read_material_section(text)
  if not found then
    fail "there is no mapping sim: config: material: in the file"
  end
  local values, unused = {}, {}
  for name, entry in pairs(found) do
    known(garmentcode_names, name, "row " .. entry.row)
    local number = entry.text:find "^[+-]?[%d.]+[eE]?[+-]?%d*$" and tonumber(entry.text) or entry.text
    values[name] = check_number(number, ("row %d: %s"):format(entry.row, name), 0)
  end
  for _, name in ipairs(garmentcode_names) do
    if values[name] and (name:find "_kd$" or name:find "^garment_tri") then
      unused[#unused + 1] = name
    end
  end
  for _, name in ipairs { "spring_ke", "garment_edge_ke", "fabric_density" } do
    if not values[name] then
      fail("the material has no %s", name)
    end
  end
  local density = options.density
  if not density then
    fail("fabric_density has no unit; give the option density, kg/m2, which takes its place")
  elseif values.fabric_density == 0 then
    fail("row %d: fabric_density must be greater than 0", found.fabric_density.row)
  end
  -- stiffness over weight per area is a length (springs) or a volume (hinges), in cm and cm3
  local weight, file_weight = density * GRAVITY, values.fabric_density * 9.81
  local spring = weight * values.spring_ke / file_weight * 1e-2
  local hinge = weight * values.garment_edge_ke / file_weight * 1e-6
  local root = math.sqrt(3)
  return {
    density = density,
    stretch = { weft = 0.75 * root * spring, warp = 0.75 * root * spring, coupling = 0.25 * root * spring },
    shear = 0.25 * root * spring,
    bend = { weft = 0.5 * root * hinge, warp = 0.5 * root * hinge },
    thickness = values.fabric_thickness and values.fabric_thickness * 1e-2, friction = values.fabric_friction,
  }, { format = "garmentcode", unused = unused, measured = values }
end

-- ---- ARCSim ---------------------------------------------------------------------------------------------------------

local arcsim_names = { "density", "stretching", "bending", "damping", "yield_curv", "weakening", "strain_limits",
  "alt_stretching", "alt_bending", "alt_poisson", "toughness", "fracture_bend_thickness" }

--- JSON without the remarks // and /* */.
local function without_remarks(text)
  return json_text.change(text, "/", function(at)
    local kind = text:sub(at, at + 1)
    if kind == "//" then
      return (text:find("\n", at, true) or #text + 1) - 1, ""
    elseif kind ~= "/*" then
      return at, "/"
    end
    local _, stop = text:find("*/", at + 2, true)
    if not stop then
      fail "a remark that begins with /* does not end"
    end
    return stop, " "
  end)
end

local function decode(text)
  local loaded, cjson = pcall(require, "cjson")
  if not loaded then
    fail "reading material files needs lua-cjson; on Debian: apt install lua-cjson"
  end
  cjson = cjson.new()
  cjson.decode_invalid_numbers(false)
  cjson.decode_max_depth(50)
  local ok, document = pcall(cjson.decode, without_remarks(text))
  if not ok then
    fail("the file is not JSON: %s", tostring(document))
  elseif type(document) ~= "table" then
    fail "the file must hold an object"
  end
  return document
end

local function check_table_of_numbers(value, name, rows, columns)
  if type(value) ~= "table" or #value ~= rows then
    fail("%s must be %d lists of %d numbers, got %s", name, rows, columns,
      type(value) == "table" and #value .. " lists" or tostring(value):sub(1, 40))
  end
  for i = 1, rows do
    if type(value[i]) ~= "table" or #value[i] ~= columns then
      fail("%s, list %d: must be %d numbers", name, i, columns)
    end
    for k = 1, columns do
      check_number(value[i][k], ("%s, list %d, number %d"):format(name, i, k))
    end
  end
  return value
end

local function positive_part(value)
  return math.max(value, 0)
end

--- Moduli from the six lists of `stretching`: of no strain, and of a stretch of 1/6 along 0, 22.5, 45, 67.5 and 90
--- degrees to u. Each holds half of C1111, C1122, C2222 and of the factor of ε12², which is a quarter of the factor
--- of the squared engineering angle. The simulator takes what is negative for 0, and interpolates in the stretch.
local function arcsim_stretch(stretching, strain)
  local weight = 6 * strain
  local function at(direction, component)
    return 2 * positive_part((1 - weight) * stretching[1][component] + weight * stretching[direction][component])
  end
  local weft, warp = at(2, 1), at(6, 3)
  for name, value in pairs { weft = weft, warp = warp } do
    if value <= 0 then
      fail("stretching: the modulus of the %s is %g, but must be greater than 0", name, value)
    end
  end
  return { weft = weft, warp = warp, coupling = (at(2, 2) + at(6, 2)) / 2 }, at(4, 4) / 4
end

--- A material of ARCSim (Wang, O'Brien, Ramamoorthi 2011; Narain, Samii, O'Brien 2012), SI units.
---
--- `bending` has a list for hinges along 0, 45 and 90 degrees to u, of five curvatures, of which the first is none. A
--- hinge of length l between faces of area a together has the energy k l² / (8 a) θ²: on a mesh of right triangles
--- bent to a cylinder along its lines that is k/8 κ² per area, and so B = k / 4. A hinge along u bends the warp.
function card.read_arcsim(text, options)
  local document = decode(text)
  local unused = {}
  for name in pairs(document) do
    known(arcsim_names, name, "the material")
    if name ~= "density" and name ~= "stretching" and name ~= "bending" and name ~= "damping" then
      unused[#unused + 1] = name
    end
  end
  table.sort(unused)
  local strain = options.strain or 0
  local stretching = check_table_of_numbers(document.stretching, "stretching", 6, 4)
  local bending = check_table_of_numbers(document.bending, "bending", 3, 5)
  local density = check_number(document.density, "density")
  local viscosity = document.damping and check_number(document.damping, "damping", 0)
  local stretch, shear = arcsim_stretch(stretching, strain)
  return {
    density = options.density or density, stretch = stretch, shear = shear, viscosity = viscosity,
    bend = { weft = positive_part(bending[3][1]) / 4, warp = positive_part(bending[1][1]) / 4, viscosity = viscosity },
  }, { format = "arcsim", unused = unused, measured = { density = density } }
end

return card
