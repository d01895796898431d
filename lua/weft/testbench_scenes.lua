--- The tests of weft.testbench that run in a world, since they need contact or motion.

local body = require "weft.body"
local core = require "weft.core"
local mesh = require "weft.mesh"
local new_cloth = require "weft.cloth"
local new_fabric = require "weft.fabric"
local new_sheet = require "weft.sheet"
local new_world = require "weft.world"
local options = require "weft.options"

local scenes = {}

local atan2 = math.atan2 or math.atan -- two arguments from Lua 5.3 on

-- ---- drape ---------------------------------------------------------------------------------------------------------
-- The Cusick tester: a disc of cloth held between two smaller discs hangs down and throws a shadow (G. E. Cusick 1965;
-- BS 5058, ISO 9073-9).

--- Repeatable random numbers in [0, 1) (Park and Miller 1988).
local function random_source(seed)
  local state = seed * 7919 % 2147483646 + 1
  for _ = 1, 3 do
    state = state * 16807 % 2147483647
  end
  return function()
    state = state * 16807 % 2147483647
    return (state - 1) / 2147483646
  end
end

--- A regular polygon as large as the circle.
local function ring(radius, count)
  local points, step = {}, 2 * math.pi / count
  radius = radius * math.sqrt(step / math.sin(step))
  for k = 1, count do
    local angle = 2 * math.pi * (k - 1) / count
    points[k] = { radius * math.cos(angle), radius * math.sin(angle) }
  end
  return points
end

--- A flat ring of cloth as triangles: points, faces, how many points come before those of its inner border, and how
--- many these are.
local function unstructured_annulus(inner, outer, edge)
  local inner_count = math.max(12, math.floor(2 * math.pi * inner / edge + 0.5))
  local outer_count = math.max(16, math.floor(2 * math.pi * outer / edge + 0.5))
  local flat = mesh.triangulate { outline = ring(outer, outer_count), holes = { ring(inner, inner_count) }, edge = edge,
    split = false }
  return flat.points:table(), flat.faces:table(), outer_count, inner_count
end

--- The same in rings of cells with alternating diagonals.
local function structured_annulus(inner, outer, edge)
  local around = math.max(16, math.floor(math.pi * (inner + outer) / edge + 0.5))
  local rings = math.max(1, math.floor((outer - inner) / edge + 0.5))
  local points, faces = {}, {}
  for i = 0, rings do
    for _, point in ipairs(ring(inner + (outer - inner) * i / rings, around)) do
      points[#points + 1] = point
    end
  end
  for i = 0, rings - 1 do
    for k = 0, around - 1 do
      local a, b = i * around + k + 1, i * around + (k + 1) % around + 1
      local c, d = b + around, a + around
      if (i + k) % 2 == 0 then
        faces[#faces + 1], faces[#faces + 2] = { a, c, b }, { a, d, c }
      else
        faces[#faces + 1], faces[#faces + 2] = { a, d, b }, { b, d, c }
      end
    end
  end
  return points, faces, 0, around
end

--- The disc outside of the support, with a ring of vertices half an edge before its rim and two rings behind it: cloth
--- is clamped where the hinges over the last vertices that are held begin, half an edge inside of them.
local function make_disc(given)
  local half = given.edge / 2
  local annulus = given.mesh == "structured" and structured_annulus or unstructured_annulus
  local points, faces, first, count = annulus(given.support + half, given.disc, given.edge)
  local held = {}
  for k = 1, count do
    held[k] = first + k
  end
  for row = 1, 2 do
    local inner, outer = #points, row == 1 and first or #points - count
    for k, point in ipairs(ring(given.support + half - row * given.edge, count)) do
      local after = k % count + 1
      points[inner + k], held[#held + 1] = point, inner + k
      local a, b, c, d = outer + k, outer + after, inner + after, inner + k
      if (row + k) % 2 == 0 then
        faces[#faces + 1], faces[#faces + 2] = { a, b, d }, { b, c, d }
      else
        faces[#faces + 1], faces[#faces + 2] = { a, b, c }, { a, c, d }
      end
    end
  end
  return points, faces, held
end

--- A start that is not quite flat: waves around of random heights, the same for every mesh, and random grain.
local function start_of(given)
  local random = random_source(given.seed)
  local grain, waves = 2 * math.pi * random(), {}
  for n = 1, 12 do
    waves[n] = { n = n, height = 2 * random() - 1, phase = 2 * math.pi * random() }
  end
  return grain, function(r, angle)
    local sum = 0
    for _, wave in ipairs(waves) do
      sum = sum + wave.height * math.cos(wave.n * angle + wave.phase)
    end
    return given.wave * sum * math.max(0, (r - given.support) / (given.disc - given.support))
  end
end

local function make_cloth(given)
  local points, faces, held = make_disc(given)
  local grain, height = start_of(given)
  local c, s = math.cos(grain), math.sin(grain)
  local vertices, rest, is_held = {}, {}, {}
  for _, vertex in ipairs(held) do
    is_held[vertex] = true
  end
  for i, p in ipairs(points) do
    local r = math.sqrt(p[1] ^ 2 + p[2] ^ 2)
    vertices[i] = { p[1], is_held[i] and 0 or height(r, atan2(p[2], p[1])), -p[2] }
    rest[i] = { c * p[1] + s * p[2], c * p[2] - s * p[1] }
  end
  local cloth = new_cloth { vertices = vertices, faces = faces, rest = rest, fabric = given.fabric,
    membrane = given.membrane, bending = given.bending }
  return cloth, held
end

--- Drapes the disc; `given` has all options. Returns what the instrument would read, and the scene.
function scenes.drape(verb, given)
  local cloth, held = make_cloth(given)
  local world = new_world { time_step = given.time_step }
  world:add(cloth)
  cloth:pin { vertices = held }
  local rested = world:run { seconds = given.seconds, settle = math.min(1.5, given.seconds), until_rest = true,
    progress = given.progress }
  local area, nodes, radii = core.testbench_shadow(verb, { positions = cloth.positions, faces = cloth.faces,
    depth = 0.03 * (given.disc - given.support) })
  local support, whole = math.pi * given.support ^ 2, math.pi * given.disc ^ 2
  local hole = math.pi * (given.support - 1.5 * given.edge) ^ 2 -- inside of the rings that are held
  local covered = area + hole
  return {
    coefficient = 100 * (covered - support) / (whole - support), nodes = nodes, radii = radii, rested = rested,
    cloth = cloth, world = world,
  }
end

--- The two discs that hold the cloth, as one body to be looked at; it reaches below the rim.
function scenes.support(radius, disc)
  local count = 96
  local vertices, faces = {}, {}
  for side, y in ipairs { 0.02 * disc, -1.1 * (disc - radius) } do
    for k, point in ipairs(ring(radius, count)) do
      vertices[(side - 1) * count + k] = { point[1], y, -point[2] }
    end
  end
  for k = 1, count do
    local after = k % count + 1
    faces[#faces + 1], faces[#faces + 2] = { k, count + k, count + after }, { k, count + after, after }
    if k > 1 and k < count then
      faces[#faces + 1], faces[#faces + 2] = { 1, k, k + 1 }, { count + 1, count + k + 1, count + k }
    end
  end
  return body { name = "support", vertices = vertices, faces = faces }
end

-- ---- friction -----------------------------------------------------------------------------------------------------

-- A step of friction uses the speed at its beginning, and so slows by a share of the loss in speed too little.
local GRAVITY, STEP = 9.80665, 2e-4

--- A box whose upper side is at y = 0.
local function make_plate(friction, half_length, half_width)
  local x, z, y = half_length, half_width, -0.02
  return body {
    name = "plate", friction = friction, thickness = 0,
    vertices = { { -x, y, -z }, { x, y, -z }, { x, y, z }, { -x, y, z }, { -x, 0, -z }, { x, 0, -z }, { x, 0, z },
      { -x, 0, z } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 5, 7, 6 }, { 5, 8, 7 }, { 1, 5, 6 }, { 1, 6, 2 }, { 2, 6, 7 }, { 2, 7, 3 },
      { 3, 7, 8 }, { 3, 8, 4 }, { 4, 8, 5 }, { 4, 5, 1 } },
  }
end

--- A piece that lies on a plate gets a speed, and slows down by friction times gravity.
function scenes.friction(given)
  local fabric, edge, speed = given.fabric, given.edge, given.speed
  local size, cells = 0.03, math.max(1, math.floor(0.03 / edge + 0.5))
  local world = new_world { time_step = STEP, gravity = { 0, -GRAVITY, 0 }, tolerance = 1e-6 }
  world:add(make_plate(given.plate, 1, 0.1))
  local cloth = world:add(new_sheet { cells = { cells, cells }, size = { size, size }, fabric = fabric,
    membrane = given.membrane, bending = given.bending, centre = { -0.5, 0.5 * fabric.thickness, 0 } })
  world:run { seconds = 0.1, settle = 0.1 }
  local velocities = {}
  for i = 1, cloth.vertices do
    velocities[i] = { speed, 0, 0 }
  end
  cloth:assign { velocities = velocities }
  world:step(5) -- layers of vertices find their common speed
  local curve, first = {}, world:momentum()
  local before, start = first.linear[1] / first.mass, first.centre[1]
  for _ = 1, 20000 do
    world:step()
    local now = world:momentum()
    local after = now.linear[1] / now.mass
    if after < 0.5 * speed then
      break
    end
    curve[#curve + 1] = { 1e3 * (now.centre[1] - start), (before - after) / (GRAVITY * STEP) }
    before = after
  end
  local mean, deviation = 0, 0
  for _, point in ipairs(curve) do
    mean = mean + point[2] / #curve
  end
  for _, point in ipairs(curve) do
    deviation = deviation + math.abs(point[2] - mean) / #curve
  end
  return { MIU = mean, MMD = deviation, curve = curve }
end

-- ---- folded loop --------------------------------------------------------------------------------------------------

-- Of the heavy strip folded back on a plane, lengths in bending lengths: theta'' = (a - s) cos theta from lift-off,
-- where neither slope nor moment, to landing.
local LIFT, LOOP_LENGTH = 3.745, 4.683

--- The strip's course: it lies for `lying`, makes the loop, and lies on itself. Points {x, y} at even steps.
local function loop_course(lying, step, gap)
  local points, x, y, theta, turn = {}, -lying, 0, 0, 0
  local count = math.floor((2 * lying + LOOP_LENGTH) / step)
  for k = 0, count do
    points[k + 1] = { x, y }
    local s = k * step - lying
    if s >= 0 and s < LOOP_LENGTH then
      local middle = theta + 0.5 * step * turn
      turn = turn + step * (LIFT - s - 0.5 * step) * math.cos(middle)
      theta = theta + step * turn
    elseif s >= LOOP_LENGTH then
      theta, turn = math.pi, 0
    end
    x, y = x + step * math.cos(theta), y + step * math.sin(theta)
    if s >= LOOP_LENGTH or theta > 3 then
      y = math.max(y, gap)
    end
  end
  return points
end

--- A flat strip of `count` edges: its points and faces.
local function make_strip(given, count)
  local edge, across = given.edge, math.max(1, math.floor(given.width / given.edge + 0.5))
  if given.mesh == "unstructured" then
    local flat = mesh.triangulate { edge = edge, outline = { { 0, 0 }, { count * edge, 0 },
      { count * edge, given.width }, { 0, given.width } } }
    return flat.points:table(), flat.faces:table()
  end
  local points, faces = {}, {}
  for i = 0, count do
    for j = 0, across do
      points[#points + 1] = { i * edge, j * given.width / across }
    end
  end
  for i = 0, count - 1 do
    for j = 1, across do
      local a = i * (across + 1) + j
      local b, d = a + across + 1, a + 1
      if (i + j) % 2 == 0 then
        faces[#faces + 1], faces[#faces + 2] = { a, b, b + 1 }, { a, b + 1, d }
      else
        faces[#faces + 1], faces[#faces + 2] = { a, b, d }, { b, b + 1, d }
      end
    end
  end
  return points, faces
end

--- (B / W)^(1/3), m, of a strip cut at an angle (rad) to the weft.
function scenes.bending_length(fabric, direction)
  local c, s = math.cos(direction), math.sin(direction)
  local modulus = (math.sqrt(fabric.bend.weft) * c * c + math.sqrt(fabric.bend.warp) * s * s) ^ 2
  return (modulus / (fabric.density * GRAVITY)) ^ (1 / 3)
end

--- The height of the loop, from the middle of what lies. `given`: fabric, direction (rad), edge, width, mesh, and the
--- cloth's membrane and bending.
function scenes.folded_loop(given)
  local fabric, edge, length = given.fabric, given.edge, scenes.bending_length(given.fabric, given.direction)
  local c, s = math.cos(given.direction), math.sin(given.direction)
  local thin = new_fabric { base = fabric, thickness = 1e-4, friction = 0 }
  local course = loop_course(4, edge / length, 2e-4 / length)
  local points, faces = make_strip(given, #course - 1)
  local vertices, rest, held = {}, {}, {}
  for i, p in ipairs(points) do
    local u, v = p[1], p[2]
    local before = math.min(math.floor(u / edge + 1e-6) + 1, #course - 1)
    local t, one, other = u / edge + 1 - before, course[before], course[before + 1]
    vertices[i] = { length * (one[1] + t * (other[1] - one[1])), length * (one[2] + t * (other[2] - one[2])) + 1e-4,
      -v }
    rest[i] = { c * u - s * v, s * u + c * v }
    if u < 2.5 * edge then
      held[#held + 1] = i
    end
  end
  -- without friction the loop would in the end lean sideways: it has to rest before that
  local world = new_world { floor = true, floor_friction = 0, gravity = { 0, -GRAVITY, 0 }, damping = 4,
    contact_skin = math.min(0.004, edge) }
  local cloth = world:add(options.call(3, new_cloth, { vertices = vertices, rest = rest, faces = faces, fabric = thin,
    membrane = given.membrane, bending = given.bending }))
  cloth:pin { vertices = held }
  world:run { seconds = 8, until_rest = true }
  local top = 0
  for i = 1, cloth.vertices do
    local _, y = cloth.positions:get(i)
    top = math.max(top, y)
  end
  return { height = top - 1e-4, cloth = cloth, world = world }
end

return scenes
