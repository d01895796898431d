-- Distances of the analytic colliders against closed forms and brute force.

local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local collider = weft.collider
local message_of, near = support.message_of, support.close

-- A quarter turn about z and then an eighth about x, as a quaternion {x, y, z, w}.
local TURNED = { 0.2705980501, 0.2705980501, 0.6532814824, 0.6532814824 }

local function sum(a, b, scale)
  return { a[1] + (scale or 1) * b[1], a[2] + (scale or 1) * b[2], a[3] + (scale or 1) * b[3] }
end

local function length(a)
  return math.sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2)
end

local function make_all()
  return {
    collider.sphere { radius = 0.7, position = { 0.1, -0.2, 0.3 } },
    collider.capsule { from = { -0.5, 0.1, 0 }, to = { 0.4, 0.3, 0.2 }, radius = 0.2 },
    collider.box { size = { 1, 0.6, 0.8 }, position = { 0, 0.1, 0 }, orientation = TURNED },
    collider.cylinder { from = { -0.3, 0, 0.1 }, to = { 0.3, 0.5, 0 }, radius = 0.4 },
  }
end

describe("The distance from", function()
  it("a plane, a sphere, a capsule, a box and a cylinder is what geometry says", function()
    local function is(shape, point, expected, gradient)
      local distance, direction = shape:distance(point)
      near(expected, distance, 1e-14)
      near(0, length(sum(direction, gradient, -1)), 1e-14)
    end
    is(collider.plane { point = { 0, 1, 0 }, normal = { 0, 0, -3 } }, { 5, 6, 0.25 }, -0.25, { 0, 0, -1 })
    is(collider.sphere { radius = 2 }, { 0, 3, 4 }, 3, { 0, 0.6, 0.8 })
    is(collider.sphere { radius = 2 }, { 0, 0, -0.5 }, -1.5, { 0, 0, -1 })
    local capsule = collider.capsule { from = { -1, 0, 0 }, to = { 1, 0, 0 }, radius = 0.5 }
    is(capsule, { 0.3, 0, 2 }, 1.5, { 0, 0, 1 })
    is(capsule, { 4, 4, 0 }, 4.5, { 0.6, 0.8, 0 })
    local box = collider.box { size = { 2, 4, 6 } }
    is(box, { 4, 6, 0 }, 5, { 0.6, 0.8, 0 })
    is(box, { 0, 1.9, 0 }, -0.1, { 0, 1, 0 })
    is(box, { 2, 4, 5 }, 3, { 1 / 3, 2 / 3, 2 / 3 })
    local cylinder = collider.cylinder { from = { 0, 0, -1 }, to = { 0, 0, 1 }, radius = 1 }
    is(cylinder, { 4, 0, 5 }, 5, { 0.6, 0, 0.8 })
    is(cylinder, { 0, 0.5, 0.9 }, -0.1, { 0, 0, 1 })
    is(cylinder, { 0, 0.95, 0.5 }, -0.05, { 0, 1, 0 })
  end)

  it("each shape has a unit gradient, the slope of the distance, and leads to the surface", function()
    local random = shapes.random(5)
    for _, shape in ipairs(make_all()) do
      for _ = 1, 300 do
        local point = { random(), random(), random() }
        local distance, gradient = shape:distance(point)
        near(1, length(gradient), 1e-12)
        local direction, h = { random(), random(), random() }, 1e-6
        local ahead = shape:distance(sum(point, direction, h))
        local behind = shape:distance(sum(point, direction, -h))
        local slope = direction[1] * gradient[1] + direction[2] * gradient[2] + direction[3] * gradient[3]
        if distance > 1e-5 then -- inside there are ridges
          near(slope, (ahead - behind) / (2 * h), 2e-5)
          near(0, (shape:distance(sum(point, gradient, -distance))), 1e-12)
        end
        assert.is_true(math.abs(ahead - distance) <= h * length(direction) * (1 + 1e-6))
      end
    end
  end)

  it("each shape is that of its moved and turned self", function()
    local box = collider.box { size = { 1, 0.6, 0.8 } }
    local point = { 0.9, 0.2, -0.3 }
    local before = box:distance(point)
    box.orientation = { 0, 0, 5, 5 } -- a quarter turn about z: x becomes y, y becomes -x
    box.position = { 3, 0, 0 }
    near(before, (box:distance { 3 - point[2], point[1], point[3] }), 1e-14)
    assert.same({ 0, 0, math.sqrt(0.5), math.sqrt(0.5) }, box.orientation)
  end)

  it("many points is that from each, on any number of threads", function()
    local random, points = shapes.random(9), {}
    for k = 1, 1000 do
      points[k] = { random(), random(), random() }
    end
    for _, shape in ipairs(make_all()) do
      local distances, gradients = shape:distances { points = points }
      weft.threads(3)
      local again = shape:distances { points = points }
      weft.threads(1)
      assert.equal(distances:string(), again:string())
      for k = 1, 1000, 37 do
        local distance, gradient = shape:distance(points[k])
        assert.equal(distance, distances:get(k))
        assert.same(gradient, { gradients:get(k) })
      end
    end
  end)
end)

describe("The distance of a face from", function()
  --- The least distance over a triangle: a convex function, sought on ever finer grids around the best place.
  local function brute_force(shape, corners)
    local best, at, width = math.huge, { 1 / 3, 1 / 3 }, 1
    local function try(u, v)
      u, v = math.max(0, math.min(1, u)), math.max(0, math.min(1, v))
      if u + v > 1 then
        u, v = u / (u + v), v / (u + v)
      end
      local point = { 0, 0, 0 }
      for k, weight in ipairs { 1 - u - v, u, v } do
        point = sum(point, corners[k], weight)
      end
      local distance = shape:distance(point)
      if distance < best then
        best, at = distance, { u, v }
      end
    end
    for _ = 1, 30 do
      local u, v = at[1], at[2]
      for i = -4, 4 do
        for j = -4, 4 do
          try(u + i * width / 4, v + j * width / 4)
        end
      end
      width = width * 0.5
    end
    return best
  end

  it("every convex shape is what a search over the face finds", function()
    local random = shapes.random(3)
    for _, shape in ipairs(make_all()) do
      local outside = 0
      for case = 1, 40 do
        local middle, corners = { 1.2 * random(), 1.2 * random(), 1.2 * random() }, {}
        local size = case % 3 == 0 and 0.05 or 1
        for k = 1, 3 do
          corners[k] = sum(middle, { random(), random(), random() }, size)
        end
        if case % 10 == 0 then
          corners[3] = sum(corners[1], sum(corners[2], corners[1], -1), 0.4) -- no area
        end
        local expected = brute_force(shape, corners)
        local distance, a, b, c = shape:face_distance { points = corners }
        if expected > 0 then
          outside = outside + 1
          near(expected, distance, 1e-6)
          near(1, a + b + c, 1e-12)
          local point = sum(sum({ 0, 0, 0 }, corners[1], a), sum(sum({ 0, 0, 0 }, corners[2], b), corners[3], c))
          near(distance, (shape:distance(point)), 1e-6)
        else
          assert.is_true(distance <= 1e-9)
        end
      end
      assert.is_true(outside > 10)
    end
  end)

  it("a cylinder does not end where farthest points nearly lie in a plane, along its rim", function()
    local rim = collider.cylinder { from = { 0, -0.1, 0 }, to = { 0.02, 0.1, 0 }, radius = 0.1 }
    local corners = {
      { -0.074902392966073192, 0.10459165188339234, -0.073952568879763536 },
      { -0.037518869948028812, 0.10843284455936686, -0.073745577000256982 },
      { -0.037961833704419606, 0.10118980906811267, -0.11053009159443694 },
    }
    near(brute_force(rim, corners), (rim:face_distance { points = corners }), 1e-6)
  end)

  it("a side, an edge or a rim along the face is nothing where they touch, and known to a nanometre", function()
    local eighth = { 0, math.sin(math.pi / 8), 0, math.cos(math.pi / 8) }
    local cases = { -- how a shape's least point lies to the face in the plane y = height, and that height
      { 0.5, collider.box { size = { 1, 1, 1 } } }, -- a side
      { 0.5, collider.box { size = { 1, 1, 1 }, orientation = eighth } },
      { math.sqrt(0.5), collider.box { size = { 1, 1, 1 }, orientation = { eighth[2], 0, 0, eighth[4] } } }, -- an edge
      { 0.5, collider.cylinder { from = { -0.1, 0, 0 }, to = { 0.3, 0, 0 }, radius = 0.5 } }, -- along the side
      { 0.001, collider.cylinder { from = { 0, -0.001, 0 }, to = { 0, 0.001, 0 }, radius = 0.5 } }, -- a disc
      { 0.5, collider.capsule { from = { -0.1, 0, 0 }, to = { 0.3, 0, 0 }, radius = 0.5 } },
    }
    for _, case in ipairs(cases) do
      local height, shape = case[1], case[2]
      for _, corners in ipairs {
        { { -0.2, 0, -0.2 }, { 0.3, 0, -0.1 }, { 0, 0, 0.4 } }, -- over the middle
        { { 0, 0, 0 }, { 0.3, 0, 0 }, { 0, 0, 0.4 } }, -- a corner over it
        { { -2, 0, 0 }, { 2, 0, 0 }, { 0, 0, 2 } }, -- an edge
        { { -8, 0, -8 }, { 8, 0, -8 }, { 0, 0, 8 } }, -- larger than the shape
      } do
        local function at(above)
          local points = {}
          for k, corner in ipairs(corners) do
            points[k] = { corner[1], height + above, corner[3] }
          end
          return (shape:face_distance { points = points })
        end
        near(1e-9, at(1e-9), 1e-11)
        near(0.01, at(0.01), 1e-10)
        assert.is_true(at(0) <= 1e-15)
        assert.is_true(at(-1e-9) <= 0 and at(-height) <= 0)
      end
    end
  end)

  it("a plane is not asked for", function()
    assert.equal("weft.collider.face_distance: self must be a sphere, capsule, box or cylinder, got a collider of kind "
      .. '"plane", which knows the distances of points alone', message_of(function()
      collider.plane():face_distance { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } }
    end))
  end)
end)

describe("The impact of a face on", function()
  local function moved(from, to, time)
    local points = {}
    for k = 1, 3 do
      points[k] = sum(from[k], sum(to[k], from[k], -1), time)
    end
    return points
  end

  --- No sample before the time is too near, and at it the face is as near as may be: within the tolerance of 0.02 and
  --- what the proof of a distance may lack, 0.01.
  local function check(shape, from, to, separation)
    local time = shape:face_impact { from = from, to = to, separation = separation }
    local wanted = math.min(separation, 0.9 * shape:face_distance { points = from })
    for k = 0, 100 do
      local distance = shape:face_distance { points = moved(from, to, k / 100 * (time or 1)) }
      assert.is_true(distance > wanted * (1 - 1e-9) - 1e-15)
    end
    if time then
      near(1, shape:face_distance { points = moved(from, to, time) } / wanted, 0.035)
    end
    return time
  end

  it("every convex shape is called when it is as near as it may be, not later and not long before", function()
    local random = shapes.random(11)
    for _, shape in ipairs(make_all()) do
      local hits, misses = 0, 0
      for case = 1, 60 do
        local from, to = {}, {}
        local middle, there = { 1.2 * random(), 1.2 * random(), 1.2 * random() }, { random(), random(), random() }
        local size = case % 3 == 0 and 0.05 or 0.7
        for k = 1, 3 do
          from[k] = sum(middle, { random(), random(), random() }, size)
          to[k] = sum(there, { random(), random(), random() }, size)
        end
        if shape:face_distance { points = from } > 1e-6 then
          local hit = check(shape, from, to, case % 2 == 0 and 1e-3 or 0.05)
          hits, misses = hits + (hit and 1 or 0), misses + (hit and 0 or 1)
        end
      end
      assert.is_true(hits > 5 and misses > 5)
    end
  end)

  it("a rim that it tips over is called if it sinks to it, however much farther its corners go", function()
    for _, shape in ipairs {
      collider.box { size = { 0.3, 0.2, 0.3 }, position = { 0, -0.1, 0 } },
      collider.cylinder { from = { 0, -0.2, 0 }, to = { 0, 0, 0 }, radius = 0.15 },
    } do
      for _, gap in ipairs { 1e-6, 1e-5, 1e-4 } do
        for _, tip in ipairs { 0, 1e-4, 2e-3, 4e-3 } do
          for _, sunk in ipairs { 0, 0.03, 0.2, 2, 100 } do
            local from = { { 0.13, gap, -0.02 }, { 0.17, gap, 0 }, { 0.13, gap, 0.02 } }
            local height = gap - sunk * gap
            local to = { { 0.13, height + tip, -0.02 }, { 0.17, height - tip, 0 }, { 0.13, height + tip, 0.02 } }
            local time = check(shape, from, to, 1e-3)
            assert.equal(sunk > 0.1, time ~= false)
          end
        end
      end
    end
  end)

  it("a plane is not asked for", function()
    local face = { { 0, 1, 0 }, { 1, 1, 0 }, { 0, 1, 1 } }
    assert.equal("weft.collider.face_impact: self must be a sphere, capsule, box or cylinder, got a collider of kind "
      .. '"plane", which knows the distances of points alone', message_of(function()
      collider.plane():face_impact { from = face, to = face, separation = 1 }
    end))
  end)
end)

describe("A collider", function()
  it("prints as one line", function()
    assert.equal("weft.collider sphere (radius 0.7 m, at {0.1, -0.2, 0.3})", tostring(make_all()[1]))
    assert.equal("weft.collider plane (normal {0, 1, 0}, at {0, 0, 0})", tostring(collider.plane()))
    assert.equal("weft.collider box (size {1, 2, 3} m, at {0, 0, 0})", tostring(collider.box { size = { 1, 2, 3 } }))
  end)

  it("refuses what it cannot be", function()
    assert.equal("weft.collider.sphere: radius must be from 1e-06 to 100000 m, got -1",
      message_of(collider.sphere, { radius = -1 }))
    assert.equal("weft.collider.sphere: radius must be a number, got nothing", message_of(collider.sphere))
    assert.equal("weft.collider.plane: normal must be a vector from 1e-100 to 1e+100 long, got {0, 0, 0}",
      message_of(collider.plane, { normal = { 0, 0, 0 } }))
    assert.equal("weft.collider.box: size must be from 1e-06 to 100000 m, got 0",
      message_of(collider.box, { size = { 1, 0, 1 } }))
    assert.equal("weft.collider.capsule: unknown option 'position'; did you mean 'friction'?",
      message_of(collider.capsule, { from = { 0, 0, 0 }, to = { 0, 1, 0 }, radius = 1, position = { 0, 0, 0 } }))
    local sphere = collider.sphere { radius = 1 }
    assert.equal("weft.collider: orientation must be a quaternion {x, y, z, w} whose largest number is from 1e-100 to "
      .. "1e+100, got {0, 0, 0, 0}",
      message_of(function() sphere.orientation = { 0, 0, 0, 0 } end))
    assert.equal("weft.collider: position must have coordinates from -100000 to 100000 m, got {1e+06, 0, 0}",
      message_of(function() sphere.position = { 1e6, 0, 0 } end))
    assert.equal("weft.collider: friction must be from 0 to 10, got -1",
      message_of(function() sphere.friction = -1 end))
    assert.same({ 0, 0, 0 }, sphere.position)
  end)

  it("names the option that is wrong, whatever is given for it", function()
    local cube = weft.body {
      vertices = { { 0, 0, 0 }, { 0.3, 0, 0 }, { 0, 0.3, 0 }, { 0, 0, 0.3 } },
      faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } },
    }
    local placed = { position = { 0, 0, 0 }, orientation = { 0, 0, 0, 1 } }
    local sampled = support.with({ body = cube, faces = { 1, 2, 3, 4 }, origin = { 0, 0, 0 } }, placed)
    local along = { from = { 0, 0, 0 }, to = { 0, 1, 0 }, radius = 0.1 }
    local good = {
      { "plane", { point = { 0, 0, 0 }, normal = { 0, 1, 0 } } },
      { "sphere", support.with({ radius = 1 }, placed) },
      { "capsule", along },
      { "cylinder", along },
      { "box", support.with({ size = { 1, 1, 1 } }, placed) },
      { "field", support.with({ cell = 0.05, band = 4, interpolation = "cubic" }, sampled) },
      { "voxels", support.with({ cell = 0.05 }, sampled) },
      { "voxels", support.with({ occupied = { 1 }, size = { 1, 1, 1 }, lower = { 0, 0, 0 }, cell = 0.2 }, placed) },
      { "maps", support.with({ pixel = 0.05 }, sampled) },
    }
    local nan = 0 / 0
    local wrong = {
      nan, math.huge, -1, 1e308, true, {}, { nan, 0, 0 }, { 1e6, 0, 0 }, { 1e308, 1e308, 1e308 }, { "a", 1, 2 },
      { 0, 0, 0, 0 }, { nan, 0, 0, 1 }, { 1e308, 0, 0, 1 }, print,
    }
    local refused, accepted = 0, {}
    for _, case in ipairs(good) do
      local kind, options = case[1], support.with({ thickness = 0.001, friction = 0.4 }, case[2])
      assert.is_truthy(collider[kind](options))
      for name in pairs(options) do
        for k, value in ipairs(wrong) do
          local ok, message = pcall(collider[kind], support.with(options, { [name] = value }))
          refused = refused + (ok and 0 or 1)
          if ok then
            accepted[name .. k] = true
          else
            assert.is_truthy(message:find(("weft.collider.%s: .*%s"):format(kind, name)), message)
          end
        end
      end
    end
    assert.same({ normal8 = true }, accepted) -- it may be of any length
    assert.is_true(refused > 700)
    assert.equal("weft.collider.plane: point must have coordinates from -100000 to 100000 m, got {1e+06, 0, 0}",
      message_of(collider.plane, { point = { 1e6, 0, 0 } }))
    assert.equal("weft.collider.maps: origin must have coordinates from -100000 to 100000 m, got {0, 1e+06, 0}",
      message_of(collider.maps, { body = cube, origin = { 0, 1e6, 0 } }))
  end)
end)
