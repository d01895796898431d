-- Impact zones: many layers that hit at once are parted together, by impulses, where pair by pair does not end.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local weft = require "weft"

local HALF, LAYERS, MASS = 0.0005, 8, 1e-4

--- Sheets over each other that fly at their middle, with random heights and sideways ways.
local function stack()
  local shape, random = shapes.scene(), shapes.random(5)
  for layer = 1, LAYERS do
    shapes.add_sheet(shape, 6, { -0.05, 0.0015 * layer, -0.05 }, { 0.1, 0, 0 }, { 0, 0, 0.1 }, random)
  end
  local to, middle = {}, 0.0015 * (LAYERS + 1) / 2
  for i, p in ipairs(shape.points) do
    to[i] = { p[1] + 1e-3 * random(), middle - 2 * (p[2] - middle) + 1e-3 * random(), p[3] + 1e-3 * random() }
  end
  return shape, to
end

local function resolve(shape, to, options)
  local scene = contact { vertices = #shape.points, cloth = shape.cloth, half_thickness = HALF,
                          friction = options.friction or 0 }
  scene:update { from = shape.points, to = to }
  return scene:resolve { from = shape.points, to = to, inverse_mass = 1 / MASS, rounds = options.rounds,
                         zone_rounds = options.zone_rounds }
end

--- Linear momentum and kinetic energy of the motion from `from`, times the step and its square.
local function motion(from, x)
  local momentum, energy = { 0, 0, 0 }, 0
  for i, p in ipairs(from) do
    local q = { x(i) }
    for k = 1, 3 do
      momentum[k] = momentum[k] + MASS * (q[k] - p[k])
      energy = energy + 0.5 * MASS * (q[k] - p[k]) ^ 2
    end
  end
  return momentum, energy
end

describe("Impact zones", function()
  local shape, to = stack()
  local before, energy_before = motion(shape.points, function(i)
    return to[i][1], to[i][2], to[i][3]
  end)

  it("part what impulses pair by pair leave to the fail-safe", function()
    local _, pairwise = resolve(shape, to, { rounds = 2, zone_rounds = 0 })
    assert.is_true(pairwise.backed_off_vertices > 20, pairwise.backed_off_vertices)
    local x, together = resolve(shape, to, { rounds = 2 })
    assert.equal(0, together.backed_off_vertices)
    assert.is_true(together.zone_rounds > 0)
    local points = {}
    for i = 1, x.count do
      points[i] = { x:get(i) }
    end
    assert.equal(0, shapes.intersections(shape, points))
  end)

  for _, rounds in ipairs { 0, 8 } do
    it(("conserve momentum and take energy away, after %d rounds of impulses"):format(rounds), function()
      local x, stats = resolve(shape, to, { rounds = rounds, zone_rounds = 100, friction = 0.3 })
      assert.equal(0, stats.backed_off_vertices)
      local after, energy = motion(shape.points, function(i)
        return x:get(i)
      end)
      local scale = MASS * #shape.points * 1e-2 -- of what the layers have each
      for k = 1, 3 do
        assert.is_true(math.abs(after[k] - before[k]) < 1e-12 * scale)
      end
      assert.is_true(energy < energy_before, ("%g J after %g J"):format(energy, energy_before))
    end)
  end

  it("have the same bits for any number of threads", function()
    local function bits(threads)
      weft.threads(threads)
      local x = resolve(shape, to, { rounds = 1, friction = 0.3 })
      weft.threads(1)
      return x:string()
    end
    assert.is_true(bits(1) == bits(3))
  end)

  it("leave cloth that bodies pinch to the fail-safe", function()
    local pinched, random = shapes.scene(), shapes.random(2)
    shapes.add_sheet(pinched, 8, { -0.1, 0, -0.1 }, { 0.2, 0, 0 }, { 0, 0, 0.2 }, random)
    shapes.add_sphere(pinched, 8, { 0.001, 0.052, 0.002 }, 0.05)
    local half = #pinched.points
    shapes.add_sphere(pinched, 8, { 0.001, -0.052, 0.002 }, 0.05)
    local ends, inverse = {}, {}
    for i, p in ipairs(pinched.points) do
      local moving = i > pinched.cloth_count
      ends[i] = { p[1], p[2] + (moving and (i <= half and -0.0014 or 0.0014) or 0), p[3] }
      inverse[i] = moving and 0 or 1e4
    end
    local scene = shapes.open(pinched, { half_thickness = 0.001 })
    scene:update { from = pinched.points, to = ends }
    local x = scene:resolve { from = pinched.points, to = ends, inverse_mass = inverse }
    local farthest = 0
    for i = 1, pinched.cloth_count do
      local a, b, c = x:get(i)
      local p = pinched.points[i]
      farthest = math.max(farthest, math.abs(a - p[1]), math.abs(b - p[2]), math.abs(c - p[3]))
    end
    assert.is_true(farthest < 0.0014, ("cloth was thrown by %g m"):format(farthest))
  end)

  it("end soon beside pairs without any gap, which the fail-safe must hold, once all else is parted", function()
    local twice, ends = stack()
    local count, faces = #twice.points, #twice.cloth
    local sheet = count / LAYERS -- the lowest is there twice, and goes two ways
    for i = 1, sheet do
      twice.points[count + i] = { unpack(twice.points[i]) }
      ends[count + i] = { ends[i][1], ends[i][2] + 1e-3, ends[i][3] }
    end
    for f = 1, faces / LAYERS do
      local face = twice.cloth[f]
      twice.cloth[faces + f] = { face[1] + count, face[2] + count, face[3] + count }
    end
    local x, stats = resolve(twice, ends, { rounds = 2, zone_rounds = 100 })
    assert.is_true(stats.zone_rounds < 20, stats.zone_rounds)
    assert.equal(2 * sheet, stats.backed_off_vertices) -- and no other layer
    local single = shapes.scene()
    for i = 1, count do
      single.points[i] = { x:get(i) }
    end
    for f = 1, faces do
      single.cloth[f] = twice.cloth[f]
    end
    assert.equal(0, shapes.intersections(single, single.points))
  end)
end)
