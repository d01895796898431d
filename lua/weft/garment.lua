--- Garments: panels and seams, from a GarmentCode specification or from tables.
---
---     local shirt = weft.garment.load "shirt.json"
---     local tube = weft.garment {
---       panels = { { name = "tube", vertices = { { 0, 0 }, { 0.6, 0 }, { 0.6, 0.4 }, { 0, 0.4 } } } },
---       seams = { { { "tube", 2 }, { "tube", 4 } } },
---     }
---
--- Which ends of two stitched edges belong together is decided from the placed panels and the neighbouring seams; a
--- warning names a seam for which they disagree.

local core = require "weft.core"
local garmentcode = require "weft.garmentcode"
local options = require "weft.options"

---@class weft.garment
---@field panels weft.garment.panel_info[] in the order of the file's `panel_order` or of the list
---@field seams weft.garment.seam_info[]
---@field closed boolean
---@field triangulate fun(self: weft.garment, options?: weft.garment.triangulate_options): weft.pattern_mesh
---@field fabric weft.fabric what it is cut from, a copy; wool until it is set
---@field sew fun(self: weft.garment, options?: weft.sew_options): weft.cloth see weft.sewing
---@field close fun(self: weft.garment)
local methods = core.classes["weft.garment"]

require "weft.world" -- and with it garment:sew

---@class weft.garment.panel_info
---@field name string
---@field label? string the body part it belongs to
---@field area number m2, holes taken out
---@field edges integer
---@field normal number[] unit, outward, as placed
---@field turned boolean the drawing shows the inner side, as seams and placement say
---@field grain number rad from the panel's y axis to the warp
---@field fabric integer which of the garment's fabrics, from 1
---@field layer integer 0 next to the body

---@class weft.garment.seam_info
---@field panels string[] of the two sides
---@field edges integer[] of the two sides, from 1
---@field lengths number[] m
---@field ratio number longer over shorter side, at least 1
---@field same boolean start is sewn to start, not to the other's end
---@field crossed boolean the seam twists the cloth

---@class weft.garment.triangulate_options
---@field edge? number target edge length, m; 0.012 by default
---@field angle? number smallest angle of a triangle, rad, held wherever the outline allows; 26 degrees by default
---@field limit? integer most triangles; 4,000,000 by default

--- All panels triangulated and placed, not yet sewn.
---@class weft.pattern_mesh
---@field vertices integer
---@field triangles integer
---@field stitches integer vertex pairs
---@field positions weft.buffer m, placed
---@field rest weft.buffer m, in each panel's plane seen from outside
---@field faces weft.buffer counter-clockwise seen from outside
---@field face_panel weft.buffer
---@field vertex_panel weft.buffer
---@field pairs weft.buffer vertices to be made one
---@field pair_seam weft.buffer
---@field seam_ratio weft.buffer per seam, longer over shorter side
---@field panel_grain weft.buffer per panel, rad from the rest frame's y axis to the warp
---@field minimum_angle number smallest angle of a triangle, rad
---@field panel_moved? weft.buffer per panel, how far `place` moved it along its outward normal, m
---@field panel_gap? weft.buffer per panel, its distance from the body after `place`, m; infinite without a body
---@field seam_gap? weft.buffer per seam, the largest distance of two stitched vertices after `place`, m
---@field place fun(self: weft.pattern_mesh, options?: weft.pattern_mesh.place_options) moves panels that touch the body
---  or one another along their normals; an error names panels that cannot be freed
---@field close fun(self: weft.pattern_mesh)

---@class weft.pattern_mesh.place_options
---@field body? weft.body
---@field clearance? number m between panels and body; 0.005 by default
---@field panel_gap? number m between panels; 0.003 by default
---@field reach? number m that a panel may be moved; 0.4 by default

---@class weft.garment.fold a crease that is pressed into a panel, as far as it lies inside
---@field from number[] {x, y}, m
---@field to number[]
---@field angle number rad, at rest: positive where the cloth closes towards its outer side

---@class weft.garment.panel
---@field name? string in a list of panels; not where panels are keyed by name
---@field vertices number[][] {x, y}, m
---@field edges? weft.garment.edge[] loop by loop, the outline first, then holes; straight all around by default
---@field translation? number[] m
---@field rotation? number[] Euler angles about x, y, z, rad; R = Rx Ry Rz
---@field grain? number rad from the panel's y axis to the warp
---@field fabric? integer which of the garment's fabrics; 1 by default
---@field layer? integer 0 (next to the body) by default
---@field label? string
---@field folds? weft.garment.fold[] from outline to outline

---@class weft.garment.edge {start, end} vertices, from 1
---@field endpoints? integer[] instead of the list part
---@field curvature? { type: "quadratic"|"cubic"|"circle", params: table } as in GarmentCode: control points in the
---  edge's frame ({ {x, y}, ... }: fractions of its length along it and to its left), or { radius, large_arc, right }
---@field label? string

---@class weft.garment.seam_law what a seam with its allowance and thread adds to the cloth, as cloth:seam does
---@field bending? number N m2
---@field stiffness? number N
---@field shrinkage? number

---@class weft.garment.seam: weft.garment.seam_law {side, side}; a side is { panel, edge, from =, to = }
---@field crossed? boolean|"auto" true twists the seam; "auto" does not, and warns where that looks wrong

---@class weft.garment.options
---@field panels weft.garment.panel[]|table<string, weft.garment.panel>
---@field seams? weft.garment.seam[]
---@field seam? weft.garment.seam_law of all seams that do not say it themselves
---@field units_in_meter? number 1 by default: metres
---@field curvature_coords? "relative"|"absolute"

---@class weft.garment.load_options
---@field seam? weft.garment.seam_law of all seams that do not say it themselves
---@field euler? "intrinsic"|"extrinsic" how a rotation's angles are applied: R = Rx Ry Rz, as pygarment writes (the
---  default), or R = Rz Ry Rx, as Maya and older data sets do

-- The file's content of each garment, for saving.
local documents = setmetatable({}, { __mode = "k" })

local function check_law(function_name, law)
  if law ~= nil and type(law) ~= "table" then
    error(("%s: seam must be a table, got %s"):format(function_name, core.value_text(law)), 3)
  end
  options.check(function_name .. ": seam", law or {}, { "bending", "stiffness", "shrinkage" }, 3)
end

local function build(document, first, euler, law)
  document = garmentcode.with_seams(document, law)
  local flat = garmentcode.flatten(document, first)
  flat.euler = euler
  local garment = core.garment(flat)
  documents[garment] = document
  return garment
end

--- Writes a GarmentCode specification that reads back as the same garment, unknown fields included.
---@param path string
function methods:save(path)
  if getmetatable(self) ~= "weft.garment" then
    error("weft.garment.save: self must be a weft.garment", 2)
  elseif self.closed then
    error("weft.garment.save: self is a closed weft.garment", 2)
  end
  if type(path) ~= "string" then
    error("weft.garment.save: path must be a string, got " .. tostring(path), 2)
  end
  garmentcode.attempt("weft.garment.save", garmentcode.write, documents[self], path)
end

local garment = {}

--- Reads a GarmentCode specification.
---@param path string
---@param given? weft.garment.load_options
---@return weft.garment
function garment.load(path, given)
  if type(path) ~= "string" then
    error("weft.garment.load: path must be a string, got " .. tostring(path), 2)
  end
  given = given or {}
  options.check("weft.garment.load", given, { "euler", "seam" })
  check_law("weft.garment.load", given.seam)
  return garmentcode.attempt(("weft.garment.load: %s"):format(path), function()
    return build(garmentcode.read(path), 0, given.euler, given.seam)
  end)
end

return setmetatable(garment, {
  --- A garment from tables. Counts from 1, metres, radians.
  ---@param given weft.garment.options
  ---@return weft.garment
  __call = function(_, given)
    options.check("weft.garment", given, { "panels", "seams", "seam", "units_in_meter", "curvature_coords" })
    check_law("weft.garment", given.seam)
    return garmentcode.attempt("weft.garment", function()
      return build(garmentcode.from_tables(given), 1, nil, given.seam)
    end)
  end,
})
