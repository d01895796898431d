-- What functions answer about places, however far away or near to 0: coordinates up to 1000 km, or an error that names
-- the argument.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of
local collider, contact, inspect = weft.collider, weft.contact, weft.inspect

local unpack = unpack or table.unpack
local FARTHEST = 1e6 -- m
local TOO_FAR = { FARTHEST * (1 + 1e-15), -1e7, 1e15, -1e160, 1e200, 1e300, 1.7e308, 1 / 0, -1 / 0, 0 / 0 }
local ALLOWED = { FARTHEST, -FARTHEST, 0, -0.0, 5e-324, -5e-324, 2.3e-308, 1e-200 }

local body = weft.body(support.tetrahedron)
local ball, box = collider.sphere { radius = 0.1 }, collider.box { size = { 1, 1, 1 } }
local world = weft.world()
world.wind:add(weft.wind.vortex { circulation = 1 })


local function filled(points)
  local made = weft.buffer { count = #points }
  made:assign(points)
  return made
end

--- Four points, a vertex and a face or two edges, of which one is at x.
local function four(x)
  return { { 0.2, 0.2, 0.5 }, { x, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
end

--- By the start of its message, what asks about a place with a coordinate, as a list and as a buffer.
local asked = {
  ["weft.collider.distance: point"] = function(x) return ball:distance { x, 0, 1 } end,
  ["weft.collider.label: point"] = function(x) return box:label { 1, x, 1 } end,
  ["weft.collider.distances: points[2]"] = function(x)
    return box:distances { points = { { 0, 0, 0 }, { 0, 0, x } } }
  end,
  ["weft.collider.face_distance: points[1]"] = function(x)
    return ball:face_distance { points = { { x, 0, 0 }, { 0, 2, 1 }, { 0, 2, 0 } } }
  end,
  ["weft.collider.face_impact: from[3]"] = function(x)
    return box:face_impact { from = { { 0, 3, 0 }, { 0, 3, 1 }, { x, 3, 0 } }, separation = 0.001,
      to = { { 0, -3, 0 }, { 0, -3, 1 }, { -1, -3, 0 } } }
  end,
  ["weft.collider.face_impact: to[1]"] = function(x)
    return ball:face_impact { from = { { 0, 3, 0 }, { 0, 3, 1 }, { -1, 3, 0 } }, separation = 0.001,
      to = { { x, -3, 0 }, { 0, -3, 1 }, { -1, -3, 0 } } }
  end,
  ["weft.contact.vertex_face_distance: points[2]"] = function(x)
    return contact.vertex_face_distance { points = four(x) }
  end,
  ["weft.contact.edge_edge_distance: points[2]"] = function(x)
    return contact.edge_edge_distance { points = four(x) }
  end,
  ["weft.contact.barrier: points[2]"] = function(x)
    return (contact.barrier { points = four(x), kind = "vertex_face", range = 0.6 })
  end,
  ["weft.contact.barrier: start[2]"] = function(x)
    return (contact.barrier { points = four(0), start = four(x), kind = "edge_edge", range = 0.6 })
  end,
  ["weft.inspect.inside: positions[1]"] = function(x) return inspect.inside(body, { { x, 0, 0.1 } }) end,
  ["weft.inspect.winding: positions[1]"] = function(x) return inspect.winding(body, { { x, 0.1, 0.1 } }) end,
  ["weft.world.wind.markers: points[1]"] = function(x)
    return world.wind:markers { points = { { x, 0, 1 } } }.points
  end,
  ["weft.world.wind.arrows: points[1]"] = function(x) return world.wind:arrows { points = { { x, 0, 1 } } }.points end,
  ["weft.world.wind.streamlines: seeds[1]"] = function(x)
    return world.wind:streamlines { lower = { 0, 0, 0 }, upper = { 1, 1, 1 }, seeds = { { x, 0, 1 } } }.points
  end,
  ["weft.world.wind.slice: corner"] = function(x)
    return world.wind:slice { corner = { x, 0, 0 }, across = { 1, 0, 0 }, up = { 0, 1, 0 }, spacing = 0.5 }.points
  end,
}

--- Calls with each number in an answer: numbers, lists and buffers.
local function each_number(call, ...)
  for k = 1, select("#", ...) do
    local value = select(k, ...)
    if type(value) == "userdata" then
      value = value:table()
    end
    if type(value) == "table" then
      each_number(call, unpack(value))
    elseif type(value) == "number" then
      call(value)
    end
  end
end

local names = support.sorted_keys(asked)

describe("A place that a function is asked about", function()
  it("is refused beyond 1000 km", function()
    for _, name in ipairs(names) do
      for _, x in ipairs(TOO_FAR) do
        local message = message_of(asked[name], x)
        local expected = name .. " must be three numbers"
        assert.equal(expected, message:sub(1, #expected), ("%s at %g"):format(name, x))
        assert.matches(", got {", message, 1, true)
      end
    end
  end)

  it("is answered finitely up to there, and next to 0 as at 0", function()
    for _, name in ipairs(names) do
      for _, x in ipairs(ALLOWED) do
        each_number(function(value)
          assert.is_true(math.abs(value) < 1e7, ("%s at %g: %g"):format(name, x, value))
        end, asked[name](x))
      end
    end
  end)

  it("is refused in a buffer", function()
    for _, x in ipairs { 1e7, -1e300 } do
      local points = filled { { 0, 0, 1 }, { x, 0, 1 } }
      local calls = {
        ["weft.collider.distances: points"] = function() ball:distances { points = points } end,
        ["weft.inspect.inside: positions"] = function() inspect.inside(body, points) end,
        ["weft.inspect.winding: positions"] = function() inspect.winding(body, points) end,
        ["weft.world.wind.arrows: points"] = function() world.wind:arrows { points = points } end,
      }
      for name, call in pairs(calls) do
        assert.matches(name .. "[2] must be three numbers from -1000000 to 1000000, got {", message_of(call), 1, true)
      end
    end
  end)

  it("is as far from a sphere as it is from the sphere's middle", function()
    for _, size in ipairs { 1, 1e3, 1e5, FARTHEST } do
      -- The nearest point of the face is at a third of each corner.
      local distance = ball:face_distance { points = { { size, 0, 0 }, { 0, size, 0 }, { 0, 0, size } } }
      assert.is_true(math.abs(distance - (size / math.sqrt(3) - 0.1)) < 1e-15 * size)
      local time = ball:face_impact { from = { { size, 1, 0 }, { -size, 1, -size }, { -size, 1, size } },
        to = { { size, -1, 0 }, { -size, -1, -size }, { -size, -1, size } }, separation = 0.001 }
      assert.is_true(time and time <= 0.4495 and time > 0.449, ("%g m: %s"):format(size, tostring(time)))
    end
  end)
end)
