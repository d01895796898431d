-- What colliders cost: a query of each kind, a face of each exact kind (called from Lua), making the samples of a body,
-- and a whole step of a sheet that lies on each, beside the body of triangles that was sampled.
--
--   luajit bench/colliders.lua [side=81] [points=20000] [rows=48] [repeats=5] [quick]
--
-- One thread. Prints a table and writes out/colliders.json. No target is set for them.

local weft = require "weft"
local common = require "bench.common"
local shapes = require "spec.contact.shapes"

local options = common.arguments { side = 81, points = 20000, rows = 48, repeats = 5, quick = false }

local RADIUS = 0.15
local HALF = RADIUS / math.sqrt(3)

local function make_body()
  local scene = shapes.scene()
  shapes.add_sphere(scene, options.quick and 8 or options.rows, { 0, 0, 0 }, RADIUS)
  return weft.body { vertices = scene.points, faces = scene.body }
end

--- Points within a few millimetres of the ball: where cloth is.
local function make_points()
  local random, points = shapes.random(17), {}
  for k = 1, options.quick and 500 or options.points do
    local x, y, z = random(), random(), random()
    local scale = (RADIUS + 0.004 * random()) / math.sqrt(x * x + y * y + z * z)
    points[k] = { x * scale, y * scale, z * scale }
  end
  return points
end

local function timed(call)
  local start = common.clock()
  local result = call()
  return common.clock() - start, result
end

--- Seconds of a step of a sheet that lies on the member, and what of it detection and response take.
local function measure_step(member, top)
  local side = options.quick and 9 or options.side
  local world = weft.world { self_contact = false }
  world:add(member)
  world:add(weft.sheet { cells = { side - 1, side - 1 }, size = { 0.5, 0.5 }, centre = { 0, top + 0.003, 0 } })
  world:step(options.quick and 5 or 60)
  local steps, step, contact = options.quick and 2 or 10, {}, {}
  for k = 1, steps do
    world:step()
    local stats = world.stats
    step[k], contact[k] = stats.step_seconds, stats.detection_seconds + stats.response_seconds
  end
  return common.median(step), common.median(contact)
end

weft.threads(1)
local body, points, rows = make_body(), make_points(), {}
local makers = { -- kind, options, top where it is not the ball's
  { "plane", { point = { 0, RADIUS, 0 } } }, { "sphere", { radius = RADIUS } },
  { "capsule", { from = { 0, -HALF, 0 }, to = { 0, HALF, 0 }, radius = HALF }, 2 * HALF },
  { "box", { size = { 2 * HALF, 2 * HALF, 2 * HALF } }, HALF },
  { "cylinder", { from = { 0, -HALF, 0 }, to = { 0, HALF, 0 }, radius = HALF }, HALF }, { "field", { body = body } },
  { "field", { body = body, interpolation = "linear" } }, { "voxels", { body = body } }, { "maps", { body = body } },
}

-- A million points would be more exact and take longer to copy from Lua; the same ones are asked for again and again.
local buffer = weft.buffer { count = #points, components = 3 }
for k, point in ipairs(points) do
  buffer:set(k, point[1], point[2], point[3])
end

local function measure_queries(shape)
  return timed(function() shape:distances { points = buffer } end) / #points
end

--- Small faces near the shape, called from Lua.
local function measure_faces(shape)
  local count, corners = math.min(#points, 2000), { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }
  local given = { points = corners }
  return timed(function()
    for k = 1, count do
      local p = points[k]
      corners[1][1], corners[1][2], corners[1][3] = p[1], p[2], p[3]
      corners[2][1], corners[2][2], corners[2][3] = p[1] + 0.006, p[2], p[3]
      corners[3][1], corners[3][2], corners[3][3] = p[1], p[2], p[3] + 0.006
      shape:face_distance(given)
    end
  end) / count
end

print(("%-44s %10s %10s %10s %10s %10s"):format("", "make, s", "query, ns", "face, ns", "step, ms", "contact, ms"))
for _, maker in ipairs(makers) do
  local name, given = maker[1], maker[2]
  local made, shape = timed(function() return weft.collider[name](given) end)
  local exact = shape.kind ~= "plane" and not given.body
  local _, all = common.interleave(options.repeats, {
    { "query", function() return measure_queries(shape) end },
    { "face", function() return exact and measure_faces(shape) or 0 end },
  })
  local step, contact = measure_step(shape, maker[3] or RADIUS)
  local row = {
    kind = shape.kind, what = tostring(shape), make_seconds = made, query_ns = 1e9 * common.median(all.query),
    face_ns = exact and 1e9 * common.median(all.face) or nil, step_ms = 1000 * step, contact_ms = 1000 * contact,
  }
  rows[#rows + 1] = row
  print(("%-44s %10.3f %10.1f %10s %10.2f %10.2f"):format(
    row.kind .. (given.interpolation and ", " .. given.interpolation or ""), made, row.query_ns,
    row.face_ns and ("%.0f"):format(row.face_ns) or "", row.step_ms, row.contact_ms))
end
local step, contact = measure_step(body, RADIUS)
print(("%-44s %10s %10s %10s %10.2f %10.2f"):format(("the body, %d triangles"):format(body.triangles), "", "", "",
  1000 * step, 1000 * contact))

common.write("colliders", {
  rows = rows, body = { triangles = body.triangles, step_ms = 1000 * step, contact_ms = 1000 * contact }, targets = {},
})
