-- Wind to look at: streamlines against closed solutions, arrows and slices against the field, and sound triangles.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local norm = vectors.norm

local message_of = support.message_of

local box = { lower = { -2, -2, -2 }, upper = { 2, 2, 2 } }

local function boxed(options)
  return support.with(box, options)
end

--- A field that is linear in the place, which lattices hold exactly: the velocity is what f makes of x, y and z.
local function linear(f)
  local field = weft.wind.field { origin = { -3, -3, -3 }, spacing = { 3, 3, 3 }, counts = { 3, 3, 3 }, each = f }
  field:sample(0)
  return field
end

local function point(buffer, i)
  return { buffer:get(i) }
end

local function distance(a, b)
  return norm { a[1] - b[1], a[2] - b[2], a[3] - b[3] }
end

--- Calls f with every point of every line and the line's number.
local function each_point(lines, f)
  for k = 1, #lines.starts - 1 do
    for i = lines.starts:get(k), lines.starts:get(k + 1) - 1 do
      f(point(lines.points, i), k, i)
    end
  end
end

local function assert_sound(drawing, closed, what)
  local report = weft.inspect.examine(drawing)
  assert.is_true(report.manifold and report.oriented, what)
  assert.are.equal(0, report.zero_area_faces, what)
  assert.are.equal(0, report.isolated_vertices, what)
  assert.are.equal(closed, report.closed, what)
  if closed then
    assert.is_true(report.volume > 0, what) -- and so faces turn outward
  end
  return report
end

describe("Streamlines", function()
  local eddy = weft.wind.vortex { circulation = 2, axis = { 0, 0, 1 }, core = 0.01 }
  local saddle = linear(function(x, y) return x, -y, 0 end)

  it("of a vortex are circles, closed, with the radius kept", function()
    for _, radius in ipairs { 0.2, 0.7, 1.9 } do
      local lines = eddy:streamlines(boxed { seeds = { { radius, 0, 0.3 } } })
      assert.are.equal(2, #lines.starts)
      local count = #lines.points
      assert.same(point(lines.points, 1), point(lines.points, count))
      assert.is_true(count > 60)
      local turned = 0
      each_point(lines, function(p, _, i)
        support.near(radius, math.sqrt(p[1] ^ 2 + p[2] ^ 2), 1e-4)
        assert.are.equal(0.3, p[3])
        support.near(2 / (2 * math.pi * radius), norm(point(lines.velocities, i)), 2e-4)
        if i > 1 then
          local q = point(lines.points, i - 1)
          turned = turned + math.atan2(q[1] * p[2] - q[2] * p[1], q[1] * p[1] + q[2] * p[2])
        end
      end)
      support.near(2 * math.pi, turned, 1e-12)
      assert.are.equal(0, assert_sound(lines, true).euler) -- a torus
    end
  end)

  it("are of the fourth order in the turn of a step", function()
    local function drift(turn)
      local lines = eddy:streamlines(boxed { seeds = { { 0, 1, 0 } }, turn = turn, step = 1, length = 3 })
      local first, last = point(lines.points, 1), point(lines.points, #lines.points)
      return math.max(math.abs(norm(first) - 1), math.abs(norm(last) - 1))
    end
    local coarse, fine = drift(0.4), drift(0.1)
    assert.is_true(coarse > 1e-6)
    assert.is_true(coarse / fine > 4 ^ 4, ("%g, %g"):format(coarse, fine))
  end)

  it("of an even wind are straight, from one side of the box to the other", function()
    local breeze = weft.wind.uniform { velocity = { 3, 1, 0.5 } }
    local lines = breeze:streamlines(boxed { seeds = { { 0, 0, 0 }, { -1, 0.5, 1 } } })
    assert.are.equal(3, #lines.starts)
    local seeds = { { 0, 0, 0 }, { -1, 0.5, 1 } }
    each_point(lines, function(p, k)
      local t = (p[1] - seeds[k][1]) / 3
      assert.is_true(distance(p, { p[1], seeds[k][2] + t, seeds[k][3] + 0.5 * t }) < 1e-12)
    end)
    for k = 1, 2 do
      local first, last = point(lines.points, lines.starts:get(k)), point(lines.points, lines.starts:get(k + 1) - 1)
      support.near(-2, first[1], 1e-12)
      support.near(2, last[1], 1e-12) -- downstream
    end
    assert.are.equal(2, assert_sound(lines, true).components)
  end)

  it("of a source are rays, those of a sink end in it", function()
    for _, flow in ipairs { 4, -4 } do
      local source = weft.wind.point { flow = flow, position = { 0.1, 0, 0 }, core = 1e-3 }
      local seed = { 0.5, 0.3, 0.6 }
      local lines = source:streamlines(boxed { seeds = { seed } })
      local way = { seed[1] - 0.1, seed[2], seed[3] }
      local nearest, farthest = math.huge, 0
      each_point(lines, function(p)
        local r = { p[1] - 0.1, p[2], p[3] }
        local along = (r[1] * way[1] + r[2] * way[2] + r[3] * way[3]) / norm(way)
        assert.is_true(math.abs(norm(r) - along) < 1e-9)
        nearest, farthest = math.min(nearest, norm(r)), math.max(farthest, norm(r))
      end)
      assert.is_true(nearest < 0.02)
      support.near(2 * norm(way) / 0.6, farthest, 1e-9) -- where it leaves the box
    end
  end)

  it("of a saddle are hyperbolas, that leave where these do", function()
    local lines = saddle:streamlines(boxed { seeds = { { 0.3, 1, 0 }, { -1, -0.2, 1 } }, turn = 0.02, step = 0.05 })
    local constants = { 0.3, 0.2 }
    each_point(lines, function(p, k)
      support.near(constants[k], p[1] * p[2], 1e-6)
    end)
    local last = point(lines.points, lines.starts:get(2) - 1)
    support.near(2, last[1], 1e-12)
    support.near(0.15, last[2], 1e-5)
  end)

  it("end where there is no wind, after their length, and where the wind is slow", function()
    local extent = { lower = { -9, -9, -9 }, upper = { 0.5, 9, 9 } }
    local half = weft.wind.uniform { velocity = { 1, 0, 0 }, extent = extent }
    local lines = half:streamlines(boxed { seeds = { { -1, 0, 0 } } })
    local last = point(lines.points, #lines.points)
    assert.is_true(last[1] <= 0.5 and last[1] > 0.49)
    lines = half:streamlines(boxed { seeds = { { -1, 0, 0 } }, length = 0.25 })
    support.near(-1.25, lines.points:get(1), 1e-12)
    support.near(-0.75, lines.points:get(#lines.points), 1e-12)
    local slow = linear(function(x) return 0.5 - x, 0, 0 end)
    lines = slow:streamlines(boxed { seeds = { { -1, 0, 0 } }, slowest = 0.1 })
    last = point(lines.points, #lines.points)
    assert.is_true(last[1] <= 0.4 and last[1] > 0.39)
    assert.are.equal(2, #slow:streamlines(boxed { seeds = { { 0.5, 0, 0 }, { 1, 0, 0 } } }).starts)
    assert.are.equal(1, #slow:streamlines(boxed { seeds = { { 5, 0, 0 } } }).starts) -- outside
  end)

  it("are evenly spaced without seeds: none nearer than half the spacing, no place farther than all of it", function()
    local spacing, turning = 0.5, linear(function(x, y) return -y, x, 0.3 end)
    local lines = turning:streamlines(boxed { spacing = spacing })
    local lists, others = {}, 0
    each_point(lines, function(p, k)
      lists[k] = lists[k] or {}
      table.insert(lists[k], p)
    end)
    for k, list in ipairs(lists) do
      for m = k + 1, #lists do
        for i = 1, #list, 3 do
          for j = 1, #lists[m] do
            assert.is_true(distance(list[i], lists[m][j]) >= 0.5 * spacing)
            others = others + 1
          end
        end
      end
    end
    assert.is_true(#lists > 10 and others > 1000)
    -- Every seed has a line near it, or too short a part of one.
    local far, seeds = 0, 0
    for x = -1.5, 1.5, spacing do
      for y = -1.5, 1.5, spacing do
        local nearest = math.huge
        each_point(lines, function(p) nearest = math.min(nearest, distance(p, { x, y, 0 })) end)
        far = far + (nearest > spacing and 1 or 0)
        seeds = seeds + 1
      end
    end
    assert.is_true(far <= 0.1 * seeds, far .. " of " .. seeds)
    assert_sound(lines, true)
  end)

  it("are the same for any number of threads", function()
    local swirl = weft.wind.curl_noise { intensity = 2, scale = 1 }
    support.same_with_threads(function()
      local lines = swirl:streamlines(boxed { spacing = 0.5, time = 0.5 })
      return lines.positions:string() .. lines.faces:string() .. lines.values:string()
    end)
  end)
end)

describe("Arrows", function()
  local field = linear(function(x, y, z) return 1 + x, 0.5 * y - z, 0.25 * x end)

  it("point along the wind, as long as it is fast", function()
    local arrows = field:arrows(boxed { spacing = 1, scale = 0.1 })
    local per_arrow = arrows.vertices / #arrows.points
    assert.are.equal(0, per_arrow % 1)
    assert.is_true(#arrows.points > 100)
    for i = 1, #arrows.points do
      local foot, v = point(arrows.points, i), field:at(point(arrows.points, i))
      assert.same(v, point(arrows.velocities, i))
      assert.same(foot, point(arrows.positions, per_arrow * (i - 1) + 1))
      local tip = point(arrows.positions, per_arrow * i)
      for k = 1, 3 do
        assert.is_true(math.abs(tip[k] - foot[k] - 0.1 * v[k]) < 1e-12)
      end
      support.near(norm(v), arrows.values:get(per_arrow * i), 1e-12)
    end
    assert.are.equal(#arrows.points, assert_sound(arrows, true).components)
  end)

  it("stand on a lattice with what is left over at both ends, and are a little shorter than its spacing", function()
    local breeze = weft.wind.uniform { velocity = { 3, 0, 4 } }
    local arrows = breeze:arrows { lower = { 0, 0, 0 }, upper = { 1, 0.5, 0 }, spacing = 0.3 }
    assert.are.equal(4 * 2, #arrows.points)
    assert.is_true(distance(point(arrows.points, 1), { 0.05, 0.1, 0 }) < 1e-12)
    assert.is_true(distance(point(arrows.points, 8), { 0.95, 0.4, 0 }) < 1e-12)
    local tip = point(arrows.positions, arrows.vertices / 8)
    support.near(0.9 * 0.3, distance(point(arrows.points, 1), tip), 1e-12)
    assert.same({ 0, 5 }, arrows.range)
    assert.are.equal("sequential", arrows.map)
  end)

  it("are left out where there is no wind", function()
    local arrows = linear(function(x) return x, 0, 0 end):arrows { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } } }
    assert.are.equal(2, #arrows.points)
    assert.are.equal(0, #weft.world().wind:arrows(boxed { spacing = 1 }).points)
  end)
end)

describe("Slices", function()
  local field = linear(function(x, y, z) return 1 + 2 * y, 3 * x - z, 0.5 * z + y end)

  it("have the field's values at their vertices", function()
    local values = {
      speed = norm, x = function(v) return v[1] end, y = function(v) return v[2] end, z = function(v) return v[3] end,
      through = function(v) return v[3] end,
    }
    for name, f in pairs(values) do
      local slice = field:slice { lower = { -1, -1, 0.5 }, upper = { 1, 0.5, 0.5 }, spacing = 0.2, value = name }
      assert.are.equal(11 * 9, slice.vertices)
      assert.are.equal(2 * 10 * 8, slice.triangles)
      local largest = 0
      for i = 1, slice.vertices do
        local p = point(slice.positions, i)
        support.near(f(field:at(p)), slice.values:get(i), 1e-15)
        largest = math.max(largest, math.abs(slice.values:get(i)))
      end
      assert.same({ name == "speed" and 0 or -largest, largest }, slice.range)
      assert.are.equal(name == "speed" and "sequential" or "diverging", slice.map)
      support.near(2 * 1.5, assert_sound(slice, false).area, 1e-12)
    end
  end)

  it("have the vorticity about their normal", function()
    local curl = { 1 + 1, 0, 3 - 2 } -- of the field: dw/dy - dv/dz, du/dz - dw/dx, dv/dx - du/dy
    for axis = 1, 3 do
      local lower, upper = { -1, -1, -1 }, { 1, 1, 1 }
      lower[axis], upper[axis] = 0.25, 0.25
      local slice = field:slice { lower = lower, upper = upper, spacing = 0.25, value = "vorticity" }
      for i = 1, slice.vertices do
        assert.is_true(math.abs(curl[axis] - slice.values:get(i)) < 1e-12)
      end
    end
    -- Any rectangle: the component of the curl along its normal.
    local c, s = math.cos(0.7), math.sin(0.7)
    local slice = field:slice {
      corner = { 0, 0, 0 }, across = { c, s, 0 }, up = { 0, 0, 1 }, spacing = 0.1, value = "vorticity",
    }
    support.near(s * curl[1] - c * curl[2], slice.values:get(1), 1e-10)
  end)

  it("are of second order at the rim too", function()
    local jet = weft.wind.jet { speed = 5, diameter = 0.4, axis = { 1, 0, 0 } }
    local function worst(spacing)
      local slice = jet:slice { lower = { 3, -0.3, 0 }, upper = { 4, 0.3, 0 }, spacing = spacing, value = "vorticity" }
      local h, largest = 1e-4, 0
      for i = 1, slice.vertices do
        local x, y, z = slice.positions:get(i)
        local exact = (jet:at({ x + h, y, z })[2] - jet:at({ x - h, y, z })[2]
          - jet:at({ x, y + h, z })[1] + jet:at({ x, y - h, z })[1]) / (2 * h)
        largest = math.max(largest, math.abs(exact - slice.values:get(i)))
      end
      return largest
    end
    assert.is_true(worst(0.05) / worst(0.025) > 3)
  end)
end)

describe("Markers", function()
  it("are octahedra about their points, with the speed there", function()
    local breeze = weft.wind.uniform { velocity = { 0, 3, 4 } }
    local points = weft.buffer { count = 2 }
    points:set(2, 1, 2, 3)
    local markers = breeze:markers { points = points, radius = 0.1 }
    support.near(2 * 4 / 3 * 0.1 ^ 3, assert_sound(markers, true).volume, 1e-12)
    for i = 1, 12 do
      support.near(0.1, distance(point(markers.positions, i), point(points, i > 6 and 2 or 1)), 1e-12)
      assert.are.equal(5, markers.values:get(i))
    end
  end)
end)

describe("Drawings of wind", function()
  it("show the wind of a world at its time, and that of a source at any", function()
    local world = weft.world { time_step = 0.25 }
    local source = weft.wind.uniform { velocity = { 4, 0, 0 }, strength = { { 0, 0 }, { 1, 1 } } }
    world.wind:add(source)
    world:step(2)
    local options = { points = { { 0, 0, 0 } } }
    assert.are.equal(2, world.wind:arrows(options).velocities:get(1))
    assert.are.equal(4, source:arrows({ points = options.points, time = 3 }).velocities:get(1))
    assert.are.equal(0, #source:arrows(options).points)
  end)

  it("ask a field's function that has not been asked yet, as source:at does, and once", function()
    local times = {}
    local field = weft.wind.field {
      origin = { -3, -3, -3 },
      spacing = { 3, 3, 3 },
      counts = { 3, 3, 3 },
      sample = function(points, time, velocities)
        times[#times + 1] = time
        for i = 1, #points do
          velocities:set(i, time, 0, 0)
        end
      end,
    }
    local arrows = field:arrows { points = { { 0, 0, 0 } }, length = 1, time = 2 }
    assert.same({ 2, 0, 0 }, point(arrows.velocities, 1))
    field:streamlines(boxed { spacing = 1 })
    assert.same({ 2, 0, 0 }, field:at { 1, 1, 1 })
    assert.same({ 2 }, times)
    local broken = weft.wind.field {
      counts = { 2, 2, 2 },
      spacing = { 1, 1, 1 },
      sample = function() error "no wind" end,
    }
    local message = message_of(broken.arrows, broken, { points = { { 0, 0, 0 } } })
    assert.matches("weft.wind.source.arrows: .*no wind", message)
  end)

  it("show a flow", function()
    local flow = weft.flow {
      cells = { 8, 8, 8 }, cell = 0.25, origin = { -1, -1, -1 }, boundary = { all = "periodic" },
    }
    local x = {}
    for k = 1, 9 * 8 * 8 do
      x[k] = 2 + math.floor((k - 1) / 9) % 8 -- faster further up
    end
    flow:set { x = x }
    local arrows = flow:arrows { lower = { 0, -0.5, 0 }, upper = { 0, 0.5, 0 }, spacing = 0.125 }
    assert.are.equal(9, #arrows.points)
    for i = 1, 9 do
      assert.same(flow:at(point(arrows.points, i)), point(arrows.velocities, i))
    end
    assert.is_true(arrows.velocities:get(9) > arrows.velocities:get(1))
    assert.is_truthy(message_of(flow.slice, flow, {}):find("weft.flow.slice: lower must be", 1, true))
  end)

  it("are saved and read back", function()
    local arrows = weft.wind.uniform({ velocity = { 1, 0, 0 } }):arrows { points = { { 0, 0, 0 }, { 0, 1, 0 } } }
    for _, ending in ipairs { "obj", "ply" } do
      local path = os.tmpname() .. "." .. ending
      arrows:save(path)
      local mesh = weft.mesh.load(path)
      os.remove(path)
      assert.are.equal(arrows.triangles, mesh.triangles)
      assert.same(point(arrows.positions, 30), point(mesh.positions, 30))
    end
  end)

  it("refuse what cannot be drawn, and say why", function()
    local breeze = weft.wind.uniform { velocity = { 1, 0, 0 } }
    local nan, arrows = 0 / 0, breeze.arrows
    local function refused(pattern, method, options)
      local message = message_of(breeze[method], breeze, options)
      assert.is_truthy(message:find(pattern, 1, true), message)
    end
    refused("weft.wind.source.arrows: spacing must be", "arrows", boxed {})
    refused("spacing must be", "arrows", boxed { spacing = 0 })
    refused("spacing must be", "arrows", boxed { spacing = nan })
    refused("memory allows 1.07e+03 MB", "arrows", boxed { spacing = 1e-4 })
    refused("arrows would take", "arrows", boxed { spacing = 0.1, memory = 2e6 })
    refused("upper must not be below lower", "arrows", { lower = { 0, 1, 0 }, upper = { 1, 0, 0 }, spacing = 1 })
    refused("lower must be", "arrows", { lower = { 0, nan, 0 }, upper = { 1, 0, 0 }, spacing = 1 })
    refused("upper must be", "streamlines", { lower = { 0, 0, 0 }, spacing = 1 })
    refused("spacing must be", "streamlines", box)
    refused("turn must be", "streamlines", boxed { spacing = 1, turn = 3 })
    refused("of 0 x 0 x 0 m", "streamlines", { lower = { 0, 0, 0 }, upper = { 0, 0, 0 }, spacing = 1 })
    refused("seeds", "streamlines", boxed { seeds = { { 0, 0 } } })
    refused("hold; a larger step", "streamlines", boxed { seeds = { { 0, 0, 0 } }, step = 1e-3, memory = 1e5 })
    refused("takes more than 1e+06 steps of 1e-06 m", "streamlines", boxed { spacing = 1, step = 1e-6 })
    refused("level with it", "slice", boxed { spacing = 1 })
    refused("right angle", "slice", { corner = { 0, 0, 0 }, across = { 1, 0, 0 }, up = { 1, 1, 0 }, spacing = 1 })
    refused("must have lengths", "slice", { corner = { 0, 0, 0 }, across = { 0, 0, 0 }, up = { 1, 1, 0 }, spacing = 1 })
    refused("a slice would take", "slice", { lower = { 0, 0, 0 }, upper = { 1, 1, 0 }, spacing = 1e-5 })
    refused("value must be", "slice", { lower = { 0, 0, 0 }, upper = { 1, 1, 0 }, spacing = 1, value = "pressure" })
    refused("points must be", "markers", {})
    refused("radius must be", "markers", { points = { { 0, 0, 0 } }, radius = 0 })
    refused("did you mean 'spacing'", "arrows", boxed { spacin = 1 })
    local bad = weft.buffer { count = 2 }
    bad:ffi().ptr[4] = nan
    refused("points[2] must be three numbers", "markers", { points = bad })
    refused("points[2] must be three numbers", "arrows", { points = bad })
    refused("seeds[2] must be three numbers", "streamlines", boxed { seeds = bad })
    assert.is_truthy(message_of(arrows, 3, boxed { spacing = 1 }):find("self must be", 1, true))
    assert.is_truthy(message_of(weft.world().wind.arrows, weft.world().wind, boxed { spacing = 1, time = 2 })
      :find("time", 1, true))
  end)

  it("lose nothing when memory runs out", function()
    local breeze = weft.wind.uniform { velocity = { 1, 0.5, 0 } }
    local flat = { lower = { 0, 0, 0 }, upper = { 1, 1, 0 }, spacing = 0.5, value = "vorticity" }
    for _, make in ipairs {
      function() return breeze:arrows(boxed { spacing = 1 }) end,
      function() return breeze:streamlines(boxed { spacing = 1 }) end,
      function() return breeze:slice(flat) end,
      function() return breeze:markers { points = { { 0, 0, 0 } } } end,
    } do
      local drawing, count = support.fail_each_allocation(make)
      assert.is_true(count > 3)
      drawing:close()
    end
  end)
end)
