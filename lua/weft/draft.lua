--- Garments drafted from measurements, as a pattern maker would: a T-shirt, a skirt, trousers, a tube.
---
---     local body = weft.body.mannequin { bust = 0.98 }
---     local shirt = weft.garment(weft.draft.tshirt(body, { ease = 0.12, sleeve_length = 0.3 }))
---
--- Every draft is the table of panels and seams that weft.garment takes, so a script can change it before it is made.
--- Panels hang in front of and behind the body, a few centimetres off its largest extent, at the height at which they
--- are worn. "Left" is the wearer's: x > 0. Lengths in metres.

local core = require "weft.core"
local options = require "weft.options"

local cos, sin, tan, sqrt, max, min = math.cos, math.sin, math.tan, math.sqrt, math.max, math.min

---@class weft.draft
local draft = {}

-- ---- outlines ------------------------------------------------------------------------------------------------------

--- An outline under construction: points, and edges from each point to the next, with absolute control points.
local outline = {}
outline.__index = outline

local function new_outline(x, y)
  return setmetatable({ points = { { x, y } }, edges = {}, names = {} }, outline)
end

local function add_edge(self, x, y, name, controls)
  self.edges[#self.edges + 1] = controls or false
  self.points[#self.points + 1] = { x, y }
  if name then
    self.names[name] = #self.edges
  end
  return self
end

function outline:line(x, y, name)
  return add_edge(self, x, y, name)
end

--- A cubic Bezier curve with control points {x1, y1} and {x2, y2}.
function outline:curve(x1, y1, x2, y2, x, y, name)
  return add_edge(self, x, y, name, { { x1, y1 }, { x2, y2 } })
end

--- The same outline drawn in the other direction: what is seen from outside on the back.
function outline:reversed()
  local count = #self.edges
  local result = new_outline(self.points[1][1], self.points[1][2])
  for i = count, 1, -1 do
    local controls, to = self.edges[i], self.points[i]
    add_edge(result, to[1], to[2], nil, controls and { controls[2], controls[1] })
  end
  for name, i in pairs(self.names) do
    result.names[name] = count + 1 - i
  end
  return result
end

--- The same outline mirrored in x and so, to keep its direction, drawn backward.
function outline:mirrored()
  local function mirror(p)
    return { -p[1], p[2] }
  end
  local result = self:reversed()
  for i, point in ipairs(result.points) do
    result.points[i] = mirror(point)
  end
  for i, controls in ipairs(result.edges) do
    result.edges[i] = controls and { mirror(controls[1]), mirror(controls[2]) }
  end
  return result
end

--- A control point in the frame of the edge from `a` to `b`: fractions of its length along it and to its left.
local function relative(a, b, c)
  local ex, ey, x, y = b[1] - a[1], b[2] - a[2], c[1] - a[1], c[2] - a[2]
  local square = ex * ex + ey * ey
  return { (x * ex + y * ey) / square, (ex * y - ey * x) / square }
end

--- The panel that weft.garment takes. The outline must have come back to its first point.
function outline:panel(translation, rotation)
  local vertices, edges = {}, {}
  for i = 1, #self.edges do
    local a, b, controls = self.points[i], self.points[i + 1], self.edges[i]
    vertices[i] = { a[1], a[2] }
    edges[i] = { i, i % #self.edges + 1 }
    if controls then
      edges[i].curvature = { type = "cubic", params = { relative(a, b, controls[1]), relative(a, b, controls[2]) } }
    end
  end
  return { vertices = vertices, edges = edges, translation = translation, rotation = rotation or { 0, 0, 0 } }
end

-- ---- curves --------------------------------------------------------------------------------------------------------

local function distance(a, b)
  return sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2)
end

--- Length of a cubic Bezier curve (chords of 64 parts: good to 1e-4 of the length for curves as mild as these).
local function curve_length(a, c1, c2, b)
  local length, last, parts = 0, a, 64
  for i = 1, parts do
    local t = i / parts
    local s = 1 - t
    local wa, w1, w2, wb = s ^ 3, 3 * s * s * t, 3 * s * t * t, t ^ 3
    local point = {
      wa * a[1] + w1 * c1[1] + w2 * c2[1] + wb * b[1],
      wa * a[2] + w1 * c1[2] + w2 * c2[2] + wb * b[2],
    }
    length = length + distance(last, point)
    last = point
  end
  return length
end

--- Where the increasing function reaches `target` between `low` and `high`, or the nearer end.
local function solve(increasing, target, low, high)
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if increasing(middle) < target then
      low = middle
    else
      high = middle
    end
  end
  return (low + high) / 2
end

-- ---- measures ------------------------------------------------------------------------------------------------------

--- The measures of a body or of a table of them. What a table lacks is taken from the mannequin with those it has.
local function measures_of(verb, who)
  if type(who) == "userdata" and getmetatable(who) == "weft.body" and not who.closed then
    return who.measures or error(("%s: %s was not made as a mannequin and has no measures; give a table of them")
      :format(verb, tostring(who)), 3)
  end
  if type(who) ~= "table" then
    error(("%s: the first argument must be a mannequin or a table of measures, got %s"):format(verb, tostring(who)), 3)
  end
  local asked, names = {}, core.mannequin_measures()
  for _, name in ipairs(names) do
    asked[name] = who[name]
  end
  local made, body = pcall(core.mannequin, asked)
  if not made then
    error(("%s: %s"):format(verb, body), 3)
  end
  local measures = body.measures
  body:close()
  for name, value in pairs(who) do
    if type(value) ~= "number" or value ~= value or measures[name] == nil then
      error(("%s: measures: there is no %s = %s"):format(verb, tostring(name), tostring(value)), 3)
    end
    measures[name] = value
  end
  return measures
end

local clearance = 0.03 -- from the body's largest extent to the panels

--- z of the panels in front and behind.
local function depths(m)
  return m.torso_front + clearance, m.torso_back - clearance
end

local function fail(verb, ...)
  error(("%s: %s"):format(verb, string.format(...)), 3)
end

-- ---- T-shirt -------------------------------------------------------------------------------------------------------

--- The lines of front and back: a half, from the middle to the left side.
local function shirt_lines(m, o)
  local shoulder, neck = m.shoulder_width / 2, m.neck_width / 2 + o.neck_ease
  local underarm = (m.bust + o.ease) / 4
  local depth = m.shoulder_height - m.armpit_height + o.armhole_ease
  -- The axis of the arm at the side seam: the seam must pass below it.
  local axis = m.wrist_height + (m.wrist_reach - underarm) * tan(m.arm_angle)
  local y_underarm = min(m.armpit_height - 0.025, axis - 0.045)
  local slope = (m.side_neck_height - m.shoulder_height) / (shoulder - m.neck_width / 2)
  local lines = {
    neck = neck,
    shoulder = shoulder,
    underarm = underarm,
    y_underarm = y_underarm,
    y_shoulder = y_underarm + depth,
  }
  lines.y_neck = lines.y_shoulder + 0.85 * slope * (shoulder - neck)
  lines.y_hem = lines.y_neck - o.length
  -- Below the waist the shirt goes over the hips, above it over what is widest.
  local widest = max(m.bust + o.ease, m.waist + o.ease)
  if lines.y_hem < m.hip_height + 0.1 then
    widest = max(widest, m.hips + min(o.ease, 0.06))
  end
  lines.hem = widest / 4
  return lines
end

--- Armhole from the tip of the shoulder to the underarm; `scoop` is how far it goes in.
local function armhole_controls(l, scoop)
  local depth = l.y_shoulder - l.y_underarm
  return { l.shoulder - scoop, l.y_shoulder - 0.55 * depth },
    { l.shoulder + 0.2 * (l.underarm - l.shoulder), l.y_underarm }
end

local function armhole_length(l, scoop)
  local c1, c2 = armhole_controls(l, scoop)
  return curve_length({ l.shoulder, l.y_shoulder }, c1, c2, { l.underarm, l.y_underarm })
end

--- A whole front or back, counter-clockwise as drawn.
local function shirt_outline(l, neck_depth, scoop)
  local c1, c2 = armhole_controls(l, scoop)
  local low = l.y_neck - neck_depth * 4 / 3
  return new_outline(-l.hem, l.y_hem)
    :line(l.hem, l.y_hem, "hem")
    :line(l.underarm, l.y_underarm, "left side")
    :curve(c2[1], c2[2], c1[1], c1[2], l.shoulder, l.y_shoulder, "left armhole")
    :line(l.neck, l.y_neck, "left shoulder")
    :curve(l.neck, low, -l.neck, low, -l.neck, l.y_neck, "neck")
    :line(-l.shoulder, l.y_shoulder, "right shoulder")
    :curve(-c1[1], c1[2], -c2[1], c2[2], -l.underarm, l.y_underarm, "right armhole")
    :line(-l.hem, l.y_hem, "right side")
end

--- Half a sleeve: x from the top of the cap along the arm, y down from the top of the arm. `bend` shapes the cap.
local function cap_length(height, half_width, bend)
  return curve_length({ 0, 0 }, { 0, -bend * half_width }, { height, (bend - 1) * half_width }, { height, -half_width })
end

local function sleeve_outline(s, bend)
  return new_outline(s.length, 0)
    :line(0, 0, "top")
    :curve(0, -bend * s.half_width, s.cap, (bend - 1) * s.half_width, s.cap, -s.half_width, "cap")
    :line(s.length, -s.half_hem, "underarm")
    :line(s.length, 0, "hem")
end

--- A sleeve whose cap is as long as the armholes, up to `cap_ease`.
local function sleeve_shape(verb, m, o, front, back)
  local middle = (front + back) / 2
  local s = { length = o.sleeve_length }
  -- A cap needs some height: a sleeve as wide as the armhole is long would have none.
  s.half_width = min((m.upper_arm + o.sleeve_ease) / 2, 0.94 * middle)
  if s.half_width < m.upper_arm / 2 + 0.005 then
    fail(verb, "an armhole of %.3f m is too small for an upper arm of %.3f m; give more armhole_ease or ease",
      front + back, m.upper_arm)
  end
  s.cap = solve(function(height) return cap_length(height, s.half_width, 0.45) end, middle, 0, 2 * middle)
  s.front_bend = solve(function(bend) return cap_length(s.cap, s.half_width, bend) end, front, 0.05, 0.95)
  s.back_bend = solve(function(bend) return cap_length(s.cap, s.half_width, bend) end, back, 0.05, 0.95)
  if s.length < s.cap + 0.03 then
    fail(verb, "sleeve_length must be at least %.3f m (the cap is %.3f m high), got %g", s.cap + 0.03, s.cap, s.length)
  end
  local along = min(s.length / m.arm_length, 1)
  s.half_hem = min(s.half_width, s.half_width + along * ((m.wrist + o.sleeve_ease + 0.01) / 2 - s.half_width))
  return s
end

--- Where the top of the left sleeve's cap hangs: the sleeve's middle on the arm's axis, all of it beside the torso.
local function sleeve_place(m, l, s)
  local ax, ay = cos(m.arm_angle), -sin(m.arm_angle)
  local along = (m.wrist_reach - l.shoulder) * ax + (m.wrist_height - m.shoulder_height) * ay
  local x, y = m.wrist_reach - along * ax, m.wrist_height - along * ay
  x, y = x - ay * s.half_width / 2, y + ax * s.half_width / 2
  local under_x = x + s.cap * ax + s.half_width * ay
  local shift = max(0, l.underarm + 0.02 - under_x, l.shoulder + 0.03 - x)
  return x + shift, y + shift * ay / ax
end

local function add_sleeve(panels, seams, side, outlines, x, y, m)
  local sign = side == "left" and 1 or -1
  local depth_of = { front = m.arm_front + clearance, back = m.arm_back - clearance }
  for _, face in ipairs { "front", "back" } do
    local name = ("%s_sleeve_%s"):format(side, face)
    local drawn = outlines[face]
    if side == "right" then
      drawn = drawn:mirrored()
    end
    if face == "back" then
      drawn = drawn:reversed()
    end
    panels[name] = drawn:panel({ sign * x, y, depth_of[face] }, { 0, 0, -sign * m.arm_angle })
    outlines[name] = drawn
    seams[#seams + 1] = { { name, drawn.names.cap }, { face, outlines["shirt " .. face].names[side .. " armhole"] } }
  end
  local front, back = side .. "_sleeve_front", side .. "_sleeve_back"
  for _, edge in ipairs { "top", "underarm" } do
    seams[#seams + 1] = { { front, outlines[front].names[edge] }, { back, outlines[back].names[edge] } }
  end
end

---@class weft.draft.tshirt_options
---@field ease? number what the shirt is wider than the bust, all around; 0.11 of the bust by default
---@field length? number neck to hem; by default down to the hips
---@field sleeve_length? number tip of the shoulder to hem; 0.24 by default, 0.74 of a strong upper arm
---@field sleeve_ease? number what the sleeve is wider than the arm; 0.33 of the upper arm by default
---@field armhole_ease? number what the armhole is deeper than shoulder to armpit; 0.29 of the upper arm by default
---@field cap_ease? number how much longer than the armhole the sleeve's cap is, relative; 0 by default
---@field neck_ease? number what the neck hole is wider than the neck on each side; 0.02 by default
---@field neck_depth? number of the front below the neck's side; 0.085 by default

local tshirt_names = { "ease", "length", "sleeve_length", "sleeve_ease", "armhole_ease", "cap_ease", "neck_ease",
  "neck_depth" }

local function tshirt_options(verb, m, given)
  options.check(verb, given, tshirt_names, 2)
  local function number(name, default, minimum, maximum)
    return options.number(verb, given, name, default, minimum, maximum)
  end
  return {
    ease = number("ease", 0.11 * m.bust, 0, 0.8),
    -- The way over a full bust is longer than straight down.
    length = number("length", m.side_neck_height - m.hip_height + 0.02 + max(0, 0.12 * (m.bust - 0.55 * m.height)),
      0.3, 1.2),
    -- A wide sleeve has a high cap, and must reach below it.
    sleeve_length = number("sleeve_length", max(0.24, 0.74 * m.upper_arm), 0.05, 0.9),
    sleeve_ease = number("sleeve_ease", 0.33 * m.upper_arm, 0.01, 0.4),
    armhole_ease = number("armhole_ease", 0.29 * m.upper_arm, 0.02, 0.3),
    cap_ease = number("cap_ease", 0, 0, 0.3),
    neck_ease = number("neck_ease", 0.02, 0.005, 0.08),
    neck_depth = number("neck_depth", 0.085, 0.04, 0.25),
  }
end

--- A T-shirt: front and back in one piece each, sleeves in two halves with seams along the top and below.
---@param who weft.body|table<string, number> a mannequin, or measures named as its
---@param given? weft.draft.tshirt_options
---@return weft.garment.options
function draft.tshirt(who, given)
  local verb = "weft.draft.tshirt"
  local m = measures_of(verb, who)
  local o = tshirt_options(verb, m, given or {})
  local l = shirt_lines(m, o)
  if l.neck > l.shoulder - 0.03 then
    fail(verb, "neck_ease leaves a shoulder seam of %.3f m", l.shoulder - l.neck)
  elseif l.underarm < l.shoulder + 0.005 then
    fail(verb, "ease must be at least %.3f m, so that the shirt is wider than the shoulders, got %g",
      4 * (l.shoulder + 0.005) - m.bust, o.ease)
  elseif l.y_hem > l.y_underarm - 0.05 then
    fail(verb, "length must be at least %.3f m, to reach below the arm, got %g", l.y_neck - l.y_underarm + 0.05,
      o.length)
  end
  local front_z, back_z = depths(m)
  local front = shirt_outline(l, o.neck_depth, 0.016)
  local back = shirt_outline(l, min(0.03, 0.35 * o.neck_depth), 0.006):reversed()
  local panels = { front = front:panel { 0, 0, front_z }, back = back:panel { 0, 0, back_z } }
  local seams = {}
  for _, edge in ipairs { "left shoulder", "right shoulder", "left side", "right side" } do
    seams[#seams + 1] = { { "front", front.names[edge] }, { "back", back.names[edge] } }
  end
  local longer = 1 + o.cap_ease
  local s = sleeve_shape(verb, m, o, armhole_length(l, 0.016) * longer, armhole_length(l, 0.006) * longer)
  local x, y = sleeve_place(m, l, s)
  for _, side in ipairs { "left", "right" } do
    local outlines = { front = sleeve_outline(s, s.front_bend), back = sleeve_outline(s, s.back_bend),
      ["shirt front"] = front, ["shirt back"] = back }
    add_sleeve(panels, seams, side, outlines, x, y, m)
  end
  return { panels = panels, seams = seams }
end
draft.tshirt = options.verb("weft.draft.tshirt", draft.tshirt)

-- ---- skirt ---------------------------------------------------------------------------------------------------------

local MOST_FLARE = math.rad(60) -- of a side, from the vertical

--- The waist of a plain skirt is cut square to its sides, so that front and back meet without a corner: control points
--- from the left side, `top` out at y = 0, to the right.
local function skirt_waist_controls(top, hip, drop)
  local low = -2 / 3 * top * 1.2 * (hip - top) / drop -- 1.2: see the curve over the hip
  return { top / 3, low }, { -top / 3, low }
end

--- The end of a side that leaves the hips at an angle from the vertical, and control points of the hem from the right
--- side to the left: square to both, so that they meet without a corner, and as far below the waist in the middle as
--- the sides are long.
local function skirt_hem(o, drop, hip, angle)
  local side = o.length - drop
  local x, y, reach = hip + side * sin(angle), -drop - side * cos(angle), 4 / 3 * side * tan(angle / 2)
  local c1 = { reach * cos(angle) - x, y - reach * sin(angle) }
  return { x, y }, c1, { -c1[1], c1[2] }
end

--- How far out the side is at the waist's level, y = 0, and below it.
local function skirt_lines(verb, m, o)
  local waist = (m.waist + o.ease) / 4
  local drop = m.waist_height - m.hip_height
  local hip = (m.hips + o.hip_ease) / 4
  local top = waist * o.gather + o.darts * o.dart_width
  -- A flared or gathered skirt is wide enough at the hips by itself.
  local straight = top + (o.hem_width - top) * drop / o.length
  hip = max(hip, straight)
  local plain = o.gather == 1 and o.darts == 0
  if plain then
    top = solve(function(x)
      local c1, c2 = skirt_waist_controls(x, hip, drop)
      return curve_length({ x, 0 }, c1, c2, { -x, 0 }) / 2
    end, waist, 0.5 * waist, waist)
  end
  local function hem(angle)
    local corner, c1, c2 = skirt_hem(o, drop, hip, angle)
    return curve_length({ -corner[1], corner[2] }, c1, c2, corner) / 2
  end
  local widest = hem(MOST_FLARE)
  if o.hem_width > widest then
    local most = o.flare - 4 * (o.hem_width - widest)
    fail(verb, "flare must be at most %.2f for a length of %g m, got %g", most, o.length, o.flare)
  end
  return { waist = waist, top = top, drop = drop, hip = hip, angle = solve(hem, o.hem_width, 0, MOST_FLARE),
    plain = plain }
end

--- x positions of the dart mouths' left and right ends on the front's left half, from the middle to the side.
local function dart_places(l, o)
  local places, piece = {}, (l.top - o.darts * o.dart_width) / (o.darts + 1)
  for i = 1, o.darts do
    local from = i * piece + (i - 1) * o.dart_width
    places[i] = { from, from + o.dart_width }
  end
  return places
end

--- A whole front or back, counter-clockwise as drawn, y = 0 at the waist. Its waist is cut into pieces "top 1", "top 2"
--- and so on, the wearer's left first, with the legs of the darts between them.
local function skirt_outline(l, o)
  local drop = l.drop
  -- The curve over the hip ends in the direction of the straight side below it.
  local lean = 0.4 * drop * tan(l.angle)
  local corner, h1, h2 = skirt_hem(o, drop, l.hip, l.angle)
  local path = new_outline(-corner[1], corner[2]):curve(h1[1], h1[2], h2[1], h2[2], corner[1], corner[2], "hem")
  path:line(l.hip, -drop, "left side")
  path:curve(l.hip - lean, -0.6 * drop, l.top + 0.3 * (l.hip - l.top), -0.25 * drop, l.top, 0, "left hip")
  local places = dart_places(l, o)
  local pieces, darts = 0, 0
  local function piece(x)
    pieces = pieces + 1
    path:line(x, 0, ("top %d"):format(pieces))
  end
  local function dart(from, to)
    darts = darts + 1
    piece(from)
    path:line((from + to) / 2, -o.dart_length, ("dart %d a"):format(darts))
    path:line(to, 0, ("dart %d b"):format(darts))
  end
  for i = o.darts, 1, -1 do
    dart(places[i][2], places[i][1])
  end
  for i = 1, o.darts do
    dart(-places[i][1], -places[i][2])
  end
  if l.plain then
    pieces = 1
    local c1, c2 = skirt_waist_controls(l.top, l.hip, drop)
    path:curve(c1[1], c1[2], c2[1], c2[2], -l.top, 0, "top 1")
  else
    piece(-l.top)
  end
  path:curve(-l.top - 0.3 * (l.hip - l.top), -0.25 * drop, lean - l.hip, -0.6 * drop, -l.hip, -drop, "right hip")
  path:line(-corner[1], corner[2], "right side")
  path.pieces, path.darts = pieces, darts
  return path
end

--- Seams of both darts' legs.
local function add_darts(seams, name, path, darts)
  for i = 1, darts do
    local a, b = path.names[("dart %d a"):format(i)], path.names[("dart %d b"):format(i)]
    seams[#seams + 1] = { { name, a }, { name, b } }
  end
end

--- A band of the waist's length over front and back, each piece of the skirt's top sewn to its share of it.
local function add_waistband(panels, seams, o, paths, x, y, zs)
  for _, face in ipairs { "front", "back" } do
    local name = face .. "_band"
    local band = new_outline(-x, 0):line(x, 0, "bottom"):line(x, o.waistband, "left"):line(-x, o.waistband, "top")
      :line(-x, 0, "right")
    if face == "back" then
      band = band:reversed()
    end
    panels[name] = band:panel { 0, y, zs[face] }
    paths[name] = band
    -- Pieces run from the wearer's left, the one in the middle twice as long; the band's bottom runs from the right in
    -- front, from the left at the back.
    local count, done = paths[face].pieces, 0
    for i = 1, count do
      local share = (i == (count + 1) / 2 and 2 or 1) / (count + 1)
      local from, to = done, done + share
      done = to
      if face == "front" then
        from, to = 1 - to, 1 - from
      end
      seams[#seams + 1] = { { face, paths[face].names[("top %d"):format(i)] },
        { name, band.names.bottom, from = from, to = to } }
    end
  end
  for _, edge in ipairs { "left", "right" } do
    local front, back = paths.front_band.names[edge], paths.back_band.names[edge]
    seams[#seams + 1] = { { "front_band", front }, { "back_band", back } }
  end
end

---@class weft.draft.skirt_options
---@field length? number waist to hem; 0.6 by default
---@field ease? number what the waist is wider than the body's; 0.015 by default
---@field hip_ease? number what the hips are wider than the body's, at least; 0.05 by default
---@field flare? number what the hem is wider than the hips, all around; 0.35 by default
---@field gather? number length of the skirt's top over the waist's; 1 by default, more needs a waistband
---@field waistband? number its width; 0 (none) by default, 0.035 when gathered
---@field darts? integer in each quarter, 0 to 2; 0 by default
---@field dart_width? number 0.025 by default
---@field dart_length? number 0.11 by default

local skirt_names = { "length", "ease", "hip_ease", "flare", "gather", "waistband", "darts", "dart_width",
  "dart_length" }

local function skirt_options(verb, m, given)
  options.check(verb, given, skirt_names, 2)
  local function number(name, default, minimum, maximum)
    return options.number(verb, given, name, default, minimum, maximum)
  end
  local o = {
    length = number("length", 0.6, 0.05, m.waist_height - 0.03),
    ease = number("ease", 0.015, -0.05, 0.3),
    hip_ease = number("hip_ease", 0.05, 0.01, 0.6),
    gather = number("gather", 1, 1, 3),
    darts = number("darts", 0, 0, 2),
    dart_width = number("dart_width", 0.025, 0.005, 0.05),
    dart_length = number("dart_length", 0.11, 0.03, 0.2),
  }
  if o.darts % 1 ~= 0 then
    fail(verb, "darts must be 0, 1 or 2, got %g", o.darts)
  end
  o.waistband = number("waistband", o.gather > 1 and 0.035 or 0, 0, 0.15)
  if o.gather > 1 and o.waistband == 0 then
    fail(verb, "a gathered skirt needs a waistband")
  end
  local top = (m.waist + o.ease) * o.gather
  o.flare = number("flare", 0.35, 0, 6)
  o.hem_width = (max(m.hips + o.hip_ease, top) + o.flare) / 4
  return o
end

--- An A-line skirt of front and back, plain, with darts, or gathered into a waistband. It holds at the waist.
---@param who weft.body|table<string, number> a mannequin, or measures named as its
---@param given? weft.draft.skirt_options
---@return weft.garment.options
function draft.skirt(who, given)
  local verb = "weft.draft.skirt"
  local m = measures_of(verb, who)
  local o = skirt_options(verb, m, given or {})
  local drop = m.waist_height - m.hip_height
  if o.length < drop + 0.03 then
    fail(verb, "length must be at least %.3f m, to reach below the hips, got %g", drop + 0.03, o.length)
  end
  local l = skirt_lines(verb, m, o)
  local paths = { front = skirt_outline(l, o) }
  paths.back = paths.front:reversed()
  paths.back.pieces = paths.front.pieces
  local zs, panels, seams = {}, {}, {}
  zs.front, zs.back = depths(m)
  for _, face in ipairs { "front", "back" } do
    panels[face] = paths[face]:panel { 0, m.waist_height, zs[face] }
    add_darts(seams, face, paths[face], paths.front.darts)
  end
  for _, edge in ipairs { "left side", "left hip", "right side", "right hip" } do
    local front, back = paths.front.names[edge], paths.back.names[edge]
    seams[#seams + 1] = { { "front", front }, { "back", back } }
  end
  if o.waistband > 0 then
    add_waistband(panels, seams, o, paths, l.waist, m.waist_height + 0.01, zs)
  end
  return { panels = panels, seams = seams }
end
draft.skirt = options.verb("weft.draft.skirt", draft.skirt)

-- ---- trousers ------------------------------------------------------------------------------------------------------

---@class weft.draft.trousers_options
---@field ease? number what the waist is wider than the body's; 0.015 by default
---@field hip_ease? number what the hips are wider than the body's; 0.055 of them by default
---@field rise_ease? number what the crotch is lower than the body's; 0.02 by default
---@field length? number waist to hem along the side; by default down to the ankle
---@field hem? number girth of a leg's hem; 0.4 by default

--- The waist, cut square to the side, which is `x` wide there, and to the seam in the middle, so that the pieces meet
--- without corners: control points from the side to the middle.
local function trouser_waist_controls(l, x)
  local function step(right, up)
    local scale = (x - l.top_middle) / 3 / sqrt(right * right + up * up)
    return scale * right, scale * up
  end
  local side_x, side_y = step(0.3 * (l.y_hip - l.y_waist), 0.25 * (x - l.side)) -- see hip_curve
  local middle_x, middle_y = step(l.y_top_middle - l.y_crotch - 2 * l.bend, l.middle - l.top_middle)
  return { x + side_x, l.y_waist + side_y }, { l.top_middle + middle_x, l.y_top_middle + middle_y }
end

--- Half of the front or back: the lines of the left leg. x = 0 at the tip of the crotch, y over the sole.
local function trouser_lines(m, o, face)
  local front = face == "front"
  local hips = m.hips + o.hip_ease
  local l = {
    extension = (front and 0.0625 or 0.135) * hips,
    hip = hips / 4 + (front and -0.01 or 0.01),
    waist = (m.waist + o.ease) / 4 + (front and -0.005 or 0.005),
    hem = o.hem / 2 + (front and -1 or 1) * min(0.04 * hips, 0.12 * o.hem), -- as the sides, so that these are as long
    y_waist = m.waist_height,
    y_hip = m.hip_height,
    y_crotch = m.crotch_height - o.rise_ease,
    y_hem = m.waist_height - o.length,
  }
  l.middle = l.extension -- x of the middle seam at the hips
  l.side = l.extension + l.hip
  -- What the waist is narrower than the hips goes into side and middle seam; the back's seat is longer.
  local taken = l.hip - l.waist
  l.top_middle = l.middle + (front and 0.2 or 0.35) * max(taken, 0)
  l.y_top_middle = l.y_waist + (front and -0.005 or 0.025)
  l.bend = min(0.45 * (l.y_hip - l.y_crotch), l.extension)
  local waist = l.waist
  l.top_side = l.top_middle + solve(function(x)
    local c1, c2 = trouser_waist_controls(l, l.top_middle + x)
    return curve_length({ l.top_middle + x, l.y_waist }, c1, c2, { l.top_middle, l.y_top_middle })
  end, waist, 0.5 * waist, waist)
  -- The inside of the leg runs where the legs leave room.
  local u = m.height / 1.68
  l.inner = max(0.052 * u - 0.006, 0.02) * min(1, (l.y_crotch - l.y_hem) / (0.9 * l.y_crotch))
  return l
end

--- The curve of the side from the crotch's height to the waist, which goes on in the direction of the leg's straight
--- side below and is `x` wide there: control points and the end.
local function hip_curve(l, x)
  local rise = 0.4 * (l.y_waist - l.y_crotch)
  local lean = rise * (x - l.inner - l.hem) / (l.y_crotch - l.y_hem)
  return { x + lean, l.y_crotch + rise },
    { l.top_side + 0.25 * (l.side - l.top_side), l.y_waist - 0.3 * (l.y_waist - l.y_hip) }, { l.top_side, l.y_waist }
end

--- The x at the hips of the side that is `x` wide at the crotch's height.
local function hip_width(l, x)
  local c1, c2, top = hip_curve(l, x)
  local function at(t, from, k)
    local s = 1 - t
    return s ^ 3 * from + 3 * s * s * t * c1[k] + 3 * s * t * t * c2[k] + t ^ 3 * top[k]
  end
  local t = solve(function(t) return at(t, l.y_crotch, 2) end, l.y_hip, 0, 1)
  return at(t, x, 1)
end

--- The left half, counter-clockwise as drawn seen from the front.
local function trouser_outline(l)
  local side = solve(function(x) return hip_width(l, x) end, l.side, 0.5 * l.side, 1.5 * l.side)
  local c1, c2 = hip_curve(l, side)
  local w1, w2 = trouser_waist_controls(l, l.top_side)
  return new_outline(l.inner, l.y_hem)
    :line(l.inner + l.hem, l.y_hem, "hem")
    :line(side, l.y_crotch, "side")
    :curve(c1[1], c1[2], c2[1], c2[2], l.top_side, l.y_waist, "hip")
    :curve(w1[1], w1[2], w2[1], w2[2], l.top_middle, l.y_top_middle, "waist")
    :line(l.middle, l.y_crotch + 2 * l.bend, "rise")
    :curve(l.middle - 0.12 * l.extension, l.y_crotch + l.bend, 0.55 * l.extension, l.y_crotch, 0, l.y_crotch, "crotch")
    :line(l.inner, l.y_hem, "inseam")
end

local trousers_names = { "ease", "hip_ease", "rise_ease", "length", "hem" }

local function trousers_options(verb, m, given)
  options.check(verb, given, trousers_names, 2)
  local function number(name, default, minimum, maximum)
    return options.number(verb, given, name, default, minimum, maximum)
  end
  local least = m.waist_height - m.crotch_height + 0.08
  return {
    ease = number("ease", 0.015, -0.05, 0.2),
    hip_ease = number("hip_ease", 0.055 * m.hips, 0.02, 0.5),
    rise_ease = number("rise_ease", 0.02, 0, 0.1),
    length = number("length", m.waist_height - 0.1 * m.height / 1.68, least, m.waist_height - 0.02),
    hem = number("hem", 0.4, 0.2, 1),
  }
end

--- Trousers of two fronts and two backs.
---@param who weft.body|table<string, number> a mannequin, or measures named as its
---@param given? weft.draft.trousers_options
---@return weft.garment.options
function draft.trousers(who, given)
  local verb = "weft.draft.trousers"
  local m = measures_of(verb, who)
  local o = trousers_options(verb, m, given or {})
  local zs, panels, seams, names = {}, {}, {}, {}
  zs.front, zs.back = depths(m)
  local gap = 0.004 -- half of what is between the left and right tips of the crotch
  for _, face in ipairs { "front", "back" } do
    local lines = trouser_lines(m, o, face)
    if lines.hem + lines.inner < 0.1 or lines.top_side < lines.top_middle + 0.05 then
      fail(verb, "these measures leave no room for a leg")
    end
    local left = trouser_outline(lines)
    local right = left:mirrored()
    if face == "back" then
      left, right = left:reversed(), right:reversed()
    end
    for side, path in pairs { left = left, right = right } do
      local name = ("%s_%s"):format(side, face)
      panels[name] = path:panel { side == "left" and gap or -gap, 0, zs[face] }
      names[name] = path.names
    end
    for _, edge in ipairs { "rise", "crotch" } do
      seams[#seams + 1] = { { "left_" .. face, left.names[edge] }, { "right_" .. face, right.names[edge] } }
    end
  end
  for _, side in ipairs { "left", "right" } do
    local front, back = side .. "_front", side .. "_back"
    for _, edge in ipairs { "side", "hip", "inseam" } do
      seams[#seams + 1] = { { front, names[front][edge] }, { back, names[back][edge] } }
    end
  end
  return { panels = panels, seams = seams }
end
draft.trousers = options.verb("weft.draft.trousers", draft.trousers)

-- ---- pleats --------------------------------------------------------------------------------------------------------

---@class weft.draft.pleats_options
---@field count integer of pleats
---@field kind? "accordion"|"knife"|"box" accordion by default
---@field top number[][] {from, to}: where the pleats' upper ends lie side by side, m
---@field bottom number[][] {from, to}: and their lower ends
---@field angle? number rad, of each fold; 2 for accordion pleats, 2.8 for others, which lie flat
---@field depth? number of knife and box pleats, each hidden layer's share of a pleat's width: 1/3, up to nearly 1/2

local pleats_names = { "count", "kind", "top", "bottom", "angle", "depth" }

--- Where folds lie across the pleats, as { place in pleats from the first one's begin, sign }. Accordion pleats fold
--- back and forth; a knife pleat folds under and back again, and box pleats turn every other one about.
local fold_places = {
  accordion = function(k) return { { k, 1 }, { k + 0.5, -1 } } end,
  knife = function(k, depth) return { { k + 0.5 - depth / 2, 1 }, { k + 0.5 + depth / 2, -1 } } end,
  box = function(k, depth)
    local sign = k % 2 == 0 and 1 or -1
    return { { k + 0.5 - depth / 2, sign }, { k + 0.5 + depth / 2, -sign } }
  end,
}

--- Folds of a panel (weft.garment) that are its pleats, side by side from one line to another.
---@param given weft.draft.pleats_options
---@return weft.garment.fold[]
function draft.pleats(given)
  local verb = "weft.draft.pleats"
  options.check(verb, given, pleats_names)
  local kind = given.kind or "accordion"
  local places = fold_places[kind]
  if not places then
    fail(verb, "kind must be \"accordion\", \"knife\" or \"box\", got %s", core.value_text(kind))
  end
  local count = options.number(verb, given, "count", nil, 1, 1000)
  if not count or count % 1 ~= 0 then
    fail(verb, "count must be how many pleats, an integer, got %s", core.value_text(given.count))
  end
  local depth = options.number(verb, given, "depth", 1 / 3, 0.01, 0.49)
  local angle = options.number(verb, given, "angle", kind == "accordion" and 2 or 2.8, -math.pi, math.pi)
  local function is_length(value) -- false for NaN, too
    return type(value) == "number" and math.abs(value) < 1e6
  end
  local function point(name, share)
    local line = given[name]
    local a, b = type(line) == "table" and line[1], type(line) == "table" and line[2]
    for _, p in ipairs { a or 0, b or 0 } do
      if type(p) ~= "table" or not (is_length(p[1]) and is_length(p[2])) then
        fail(verb, "%s must be two points {x, y}, got %s", name, core.value_text(line))
      end
    end
    return { a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]) }
  end
  local folds = {}
  for k = 0, count - 1 do
    for _, place in ipairs(places(k, depth)) do
      if place[1] > 0 then -- at the very edge there is nothing to fold
        local share = place[1] / count
        folds[#folds + 1] = { from = point("top", share), to = point("bottom", share), angle = place[2] * angle }
      end
    end
  end
  return folds
end
draft.pleats = options.verb("weft.draft.pleats", draft.pleats)

-- ---- tube ----------------------------------------------------------------------------------------------------------

---@class weft.draft.tube_options
---@field top? number height of the upper edge; the armpits' by default
---@field bottom? number height of the lower edge; the hips' by default
---@field ease? number what it is wider than the widest of bust, waist and hips; 0.05 by default

local tube_names = { "top", "bottom", "ease" }

--- A straight tube around the torso, of front and back.
---@param who weft.body|table<string, number> a mannequin, or measures named as its
---@param given? weft.draft.tube_options
---@return weft.garment.options
function draft.tube(who, given)
  local verb = "weft.draft.tube"
  local m = measures_of(verb, who)
  given = given or {}
  options.check(verb, given, tube_names)
  local ease = options.number(verb, given, "ease", 0.05, -0.1, 3)
  local top = options.number(verb, given, "top", m.armpit_height - 0.03, 0.1, m.height)
  local bottom = options.number(verb, given, "bottom", m.hip_height, 0.05, m.height)
  if top < bottom + 0.05 then
    fail(verb, "top must be at least 0.05 m over bottom (%g), got %g", bottom, top)
  end
  local half = (max(m.bust, m.waist, m.hips) + ease) / 4
  local front = new_outline(-half, bottom):line(half, bottom, "hem"):line(half, top, "left"):line(-half, top, "top")
    :line(-half, bottom, "right")
  local back = front:reversed()
  local front_z, back_z = depths(m)
  local seams = {}
  for _, edge in ipairs { "left", "right" } do
    seams[#seams + 1] = { { "front", front.names[edge] }, { "back", back.names[edge] } }
  end
  return { panels = { front = front:panel { 0, 0, front_z }, back = back:panel { 0, 0, back_z } }, seams = seams }
end
draft.tube = options.verb("weft.draft.tube", draft.tube)

return draft
