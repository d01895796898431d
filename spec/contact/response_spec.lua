-- The door for positions: its guarantee, judged by intersections of edges and faces, and the law of its impulses.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local HALF = 0.00125

local function table_of(buffer)
  local points = {}
  for i = 1, buffer.count do
    points[i] = { buffer:get(i) }
  end
  return points
end

local function masses(shape)
  local inverse = {}
  for i = 1, #shape.points do
    inverse[i] = i <= shape.cloth_count and 1e4 or 0
  end
  return inverse
end

--- Moves the cloth `steps` times to where aim(i, x, v, step) wants vertex i, displaced by v in the last step. Judges
--- each time. Returns the last positions and the sums of the statistics.
local function run(shape, steps, aim, options)
  local scene = shapes.open(shape, { half_thickness = HALF, friction = 0.3 })
  local x, v, inverse = shape.points, {}, masses(shape)
  local totals = { hits = 0, impulses = 0, backed_off_vertices = 0 }
  for step = 1, steps do
    local to = {}
    for i, point in ipairs(x) do
      to[i] = i <= shape.cloth_count and aim(i, point, v[i] or { 0, 0, 0 }, step) or point
    end
    scene:update { from = x, to = to, skin = 0.004 }
    local rounds = options and options.rounds
    local resolved, stats = scene:resolve { from = x, to = to, inverse_mass = inverse, rounds = rounds,
                                            zone_rounds = rounds }
    resolved = table_of(resolved)
    for i, point in ipairs(resolved) do
      v[i] = { point[1] - x[i][1], point[2] - x[i][2], point[3] - x[i][3] }
      assert(i <= shape.cloth_count or v[i][1] == 0 and v[i][2] == 0 and v[i][3] == 0, "a body moved")
    end
    x = resolved
    for name in pairs(totals) do
      totals[name] = totals[name] + stats[name]
    end
    assert.equal(0, shapes.intersections(shape, x), "in step " .. step)
  end
  return x, totals
end

local function over_sphere(layers, cells)
  local random, shape = shapes.random(21), shapes.scene()
  for layer = 1, layers do
    local corner = { -0.25 + 0.01 * layer, 0.2 + 0.01 * layer, -0.25 }
    shapes.add_sheet(shape, cells, corner, { 0.5, 0, 0 }, { 0, 0, 0.5 }, random)
  end
  shapes.add_sphere(shape, 8, { 0.013, 0, 0.007 }, 0.15)
  return shape, random
end

--- On, or down at first with `speed` (m per step).
local function flight(speed, fall)
  return function(_, x, v, step)
    return { x[1] + v[1], x[2] + (step == 1 and -speed or v[2]) - fall, x[3] + v[3] }
  end
end

describe("The door for positions keeps apart", function()
  it("a sheet thrown at a sphere at 100 m/s in steps of 1/30 s", function()
    local x, totals = run(over_sphere(1, 10), 3, flight(100 / 30, 0.01))
    assert.is_true(totals.hits > 20 and totals.impulses > 20)
    local lowest, highest = math.huge, -math.huge
    for i = 1, 121 do
      lowest, highest = math.min(lowest, x[i][2]), math.max(highest, x[i][2])
    end
    -- What met nothing fell on; what lay over the sphere stayed.
    assert.is_true(lowest < -3 and highest > 0.14)
  end)

  it("a sheet thrown aslant", function()
    local _, totals = run(over_sphere(1, 10), 2, function(_, x, v, step)
      local s = step == 1 and 1 or 0
      return { x[1] + v[1] + 0.8 * s, x[2] + v[2] - 1.2 * s, x[3] + v[3] + 0.5 * s }
    end)
    assert.is_true(totals.hits > 0)
  end)

  it("five layers falling on a sphere", function()
    local _, totals = run(over_sphere(5, 7), 12, flight(0.02, 0.003))
    assert.is_true(totals.hits > 100)
  end)

  it("sheets that crowd, so that a list with the whole skin would be too long, and go all their way", function()
    local shape, to = shapes.scene(), {}
    for layer = 1, 8 do
      shapes.add_sheet(shape, 10, { 0, 0.0014 * layer, 0 }, { 0.05, 0, 0 }, { 0, 0, 0.05 })
    end
    for i, point in ipairs(shape.points) do
      local way = math.floor((i - 1) / (shape.cloth_count / 8)) % 2 == 0 and 0.002 or -0.002
      to[i] = { point[1] + way, point[2], point[3] }
    end
    local scene = shapes.open(shape, { half_thickness = 0.0005, friction = 0.3 })
    scene:update { from = shape.points, to = to, skin = 0.02 }
    local resolved, stats = scene:resolve { from = shape.points, to = to, inverse_mass = 1e4 }
    assert.same(to, table_of(resolved))
    assert.same({ 1, 0, 0 }, { stats.kept_motion, stats.hits, stats.backed_off_vertices })
  end)

  it("two sheets that want to pass through each other", function()
    local random, shape = shapes.random(23), shapes.scene()
    shapes.add_sheet(shape, 9, { -0.25, 0, -0.25 }, { 0.5, 0, 0 }, { 0, 0, 0.5 }, random)
    shapes.add_sheet(shape, 9, { -0.26, 0.01, -0.24 }, { 0.5, 0, 0 }, { 0, 0, 0.5 }, random)
    local half = shape.cloth_count / 2
    local x, totals = run(shape, 6, function(i, point)
      return { point[1], point[2] + (i <= half and 0.03 or -0.03), point[3] }
    end)
    assert.is_true(totals.hits > 100)
    -- Equal and opposite: nothing gets anywhere.
    local mean = 0
    for i = 1, half do
      mean = mean + x[i][2] / half
    end
    assert.is_true(math.abs(mean) < 0.03)
  end)

  it("anything sent anywhere", function()
    local shape, random = over_sphere(2, 6)
    local _, totals = run(shape, 8, function(_, x, _, step)
      local size = 10 ^ (step % 4 * 2 - 3)
      return step % 2 == 0 and { size * random(), size * random(), size * random() }
        or { x[1] + 0.02 * random(), x[2] + 0.02 * random(), x[3] + 0.02 * random() }
    end)
    assert.is_true(totals.hits > 500 and totals.backed_off_vertices > 50)
  end)

  it("all of it by the fail-safe alone", function()
    local shape, random = over_sphere(2, 6)
    local _, totals = run(shape, 8, function(_, x)
      return { x[1] + 0.05 * random(), x[2] - 0.1 + 0.05 * random(), x[3] + 0.05 * random() }
    end, { rounds = 0 })
    assert.equal(0, totals.impulses)
    assert.is_true(totals.backed_off_vertices > 20)
  end)

  it("pins from bodies: what cannot be pushed is stopped", function()
    local shape = shapes.scene()
    shapes.add_sheet(shape, 4, { -0.1, 0.2, -0.1 }, { 0.2, 0, 0 }, { 0, 0, 0.2 })
    shapes.add_sphere(shape, 8, { 0, 0, 0 }, 0.15)
    local scene = shapes.open(shape, { half_thickness = HALF })
    local to = {}
    for i, point in ipairs(shape.points) do
      to[i] = { point[1], i <= 25 and point[2] - 0.1 or point[2], point[3] }
    end
    scene:update { from = shape.points, to = to }
    local x, stats = scene:resolve { from = shape.points, to = to, inverse_mass = 0 }
    assert.equal(0, shapes.intersections(shape, table_of(x)))
    assert.is_true(stats.backed_off_vertices > 0 and stats.impulses == 0)
  end)

  it("cloth from a body that runs into it", function()
    local shape = shapes.scene()
    shapes.add_sheet(shape, 8, { -0.3, 0.2, -0.3 }, { 0.6, 0, 0 }, { 0, 0, 0.6 }, shapes.random(3))
    shapes.add_sphere(shape, 8, { 0.01, 0, 0.02 }, 0.15)
    for _, rounds in ipairs { 8, 0 } do
      local scene = shapes.open(shape, { half_thickness = HALF })
      local x, carried = shape.points, 0
      for _ = 1, 4 do
        local to = {}
        for i, point in ipairs(x) do
          to[i] = { point[1], i <= shape.cloth_count and point[2] or point[2] + 0.04, point[3] }
        end
        scene:update { from = x, to = to }
        local resolved, stats = scene:resolve { from = x, to = to, inverse_mass = masses(shape), rounds = rounds,
                                                zone_rounds = rounds }
        carried = carried + stats.carried_vertices
        local y = table_of(resolved)
        for i = shape.cloth_count + 1, #y do
          assert.same(to[i], y[i])
        end
        assert.equal(0, shapes.intersections(shape, y))
        x = y
      end
      local highest = -math.huge
      for i = 1, shape.cloth_count do
        highest = math.max(highest, x[i][2])
      end
      assert.is_true(highest > 0.3) -- the top of the sphere came to 0.31
      assert.is_true(rounds == 8 or carried > 0)
    end
  end)
end)

describe("The door for positions", function()
  it("gives the same bits for one thread and two", function()
    local function positions()
      local shape, random = over_sphere(3, 12)
      local scene = shapes.open(shape, { half_thickness = HALF, friction = 0.3 })
      local x = shape.points
      for step = 1, 4 do
        local to = {}
        for i, point in ipairs(x) do
          local x1, x3 = point[1] + 0.01 * random(), point[3] + 0.01 * random()
          to[i] = i <= shape.cloth_count and { x1, point[2] - 0.03, x3 } or point
        end
        scene:update { from = x, to = to }
        x = scene:resolve { from = x, to = to, inverse_mass = masses(shape) }
        x = step < 4 and table_of(x) or x
      end
      return x:string()
    end
    local first = positions()
    weft.threads(2)
    local second = positions()
    weft.threads(1)
    assert.is_true(first == second)
  end)

  it("leaves exactly where it was sent what meets nothing", function()
    local shape, random = over_sphere(1, 6)
    local scene = shapes.open(shape, { half_thickness = HALF })
    local to = {}
    for i, point in ipairs(shape.points) do
      to[i] = i <= shape.cloth_count and { point[1], point[2] + 0.01 * random(), point[3] } or point
    end
    scene:update { from = shape.points, to = to }
    local x, stats = scene:resolve { from = shape.points, to = to, inverse_mass = masses(shape) }
    assert.equal(0, stats.hits)
    assert.same(to, table_of(x))
  end)

  it("refuses positions that are no numbers or beyond all bounds, and stays usable", function()
    local shape = over_sphere(1, 4)
    local scene = shapes.open(shape, { half_thickness = HALF })
    scene:update { from = shape.points }
    local buffer = weft.buffer { count = #shape.points }
    local memory = buffer:ffi() -- the one door for what is not a number
    for _, bad in ipairs { 0 / 0, 1 / 0, 1e300, -1e7 } do
      memory.ptr[7] = bad
      local message = support.message_of(scene.resolve, scene, { from = shape.points, to = buffer, inverse_mass = 1 })
      assert.matches("vertex 3 is at %(0, .*%) m, expected finite coordinates below 1e6", message)
    end
    local x = scene:resolve { from = shape.points, to = shape.points, inverse_mass = 1 }
    assert.same(shape.points, table_of(x))
  end)

  it("survives each allocation that fails", function()
    local shape = over_sphere(1, 5)
    local to = {}
    for i, point in ipairs(shape.points) do
      to[i] = { point[1], i <= shape.cloth_count and point[2] - 0.1 or point[2], point[3] }
    end
    support.fail_each_allocation(function()
      local scene = shapes.open(shape, { half_thickness = HALF })
      scene:update { from = shape.points }
      scene:resolve { from = shape.points, to = to, inverse_mass = masses(shape) }
      scene:close()
      return true
    end)
  end)
end)

--- A vertex over the middle of a face, moving down by 1 and aside by `slide`, all of mass 1. Returns the displacements'
--- changes.
local function collide(slide, friction, inverse_mass)
  local from = { { 0, 0.1, 0 }, { 1, 0, -1 }, { -1, 0, -1 }, { 0, 0, 2 } }
  local to = { { slide, -0.9, 0 }, { 1, 0, -1 }, { -1, 0, -1 }, { 0, 0, 2 } }
  -- The corners of the two cloth faces that are not named are far away.
  for _, far in ipairs { { 40, 90, 0 }, { 41, 90, 0 } } do
    from[#from + 1], to[#to + 1] = far, far
  end
  local cloth = { { 2, 3, 4 }, { 1, 5, 6 } }
  local scene = contact { vertices = 6, cloth = cloth, half_thickness = 0.005, friction = friction }
  scene:update { from = from, to = to, skin = 0.5 }
  local x, stats = scene:resolve { from = from, to = to, inverse_mass = inverse_mass, rounds = 1, separation = 0.001 }
  local changes = {}
  for i = 1, 6 do
    local p = { x:get(i) }
    changes[i] = { p[1] - to[i][1], p[2] - to[i][2], p[3] - to[i][3] }
  end
  return changes, stats, table_of(x)
end

describe("An impulse", function()
  it("conserves momentum, and leaves the pair at its contact distance", function()
    local inverse = { 1, 0.5, 2, 4, 1, 1 }
    local changes, stats, x = collide(0.02, 0.3, inverse)
    assert.equal(1, stats.impulses)
    assert.equal(0, stats.backed_off_vertices)
    for k = 1, 3 do
      local momentum = 0
      for i = 1, 6 do
        momentum = momentum + changes[i][k] / inverse[i]
      end
      assert.near(0, momentum, 1e-14)
    end
    -- 0.01 apart along the normal at the impact, which is vertical, where it came with 0.099 of the motion.
    local _, a, b, c = contact.vertex_face_distance {
      points = { { 0.02 * 0.099, 0, 0 }, { 1, 0, -1 }, { -1, 0, -1 }, { 0, 0, 2 } } }
    assert.near(0.01, x[1][2] - (a * x[2][2] + b * x[3][2] + c * x[4][2]), 1e-4)
  end)

  it("obeys Coulomb: along the face at most mu times the part across, and no more than stops the slide", function()
    for _, case in ipairs { { 0.5, 0.1 }, { 0.5, 0.3 }, { 0.01, 0.3 }, { 0.3, 0 } } do
      local slide, mu = case[1], case[2]
      local changes = collide(slide, mu, { 1, 0, 0, 0, 1, 1 })
      local normal, tangential = changes[1][2], -changes[1][1]
      assert.near(0.91, normal, 1e-12) -- from -0.9 to the contact distance
      assert.near(math.min(mu * normal, slide), tangential, 1e-12)
    end
  end)
end)
