-- The barrier of a pair and its friction, against finite differences and the symmetries of space.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"

local RANGE, OFFSET, STIFFNESS = 0.3, 0.05, 40

--- Pairs nearer than the barrier's reach whose closest points are of every kind: inside of the face, on one of its
--- edges, at a corner; inside of both edges, at one end, at two ends, on nearly parallel edges.
local function near_pair(random, kind, case)
  local gap = OFFSET + RANGE * (0.1 + 0.7 * math.abs(random()))
  if kind == "vertex_face" then
    local places = { { 0.3, 0.3 }, { 0.5, -0.1 }, { -0.1, -0.1 } }
    local place = places[case % 3 + 1]
    return { { place[1] + 0.05 * random(), gap, place[2] + 0.02 * random() }, { 0, 0.02 * random(), 0 },
      { 1, 0.02 * random(), 0 }, { 0, 0.02 * random(), 1 } }
  end
  local x, z = case % 4 == 1 and 0.6 or 0.1, case % 4 == 2 and 0.6 or 0
  x = z > 0 and 0.6 or x
  local along = case % 4 == 3 and 1 or 0.3 * random()
  local across = case % 4 == 3 and 0.015 * math.abs(random()) or 1
  return { { x - 0.5 * along, gap, z - 0.5 * across }, { x + 0.5 * along, gap + 0.01 * random(), z + 0.5 * across },
    { -0.5, 0, 0 }, { 0.5, 0.01 * random(), 0 } }
end

local function barrier(points, kind, start)
  return contact.barrier { points = points, kind = kind, range = RANGE, offset = OFFSET, stiffness = STIFFNESS,
    start = start }
end

local function copy(points)
  local result = {}
  for i, p in ipairs(points) do
    result[i] = { p[1], p[2], p[3] }
  end
  return result
end

local function each_pair(seed, count, visit)
  local random = shapes.random(seed)
  for _, kind in ipairs { "vertex_face", "edge_edge" } do
    for case = 1, count do
      visit(near_pair(random, kind, case), kind, random)
    end
  end
end

describe("The barrier of a pair", function()
  it("has the forces that its energy's differences give, for every kind of closest points", function()
    local pushed = 0
    each_pair(3, 200, function(points, kind)
      local energy, forces = barrier(points, kind)
      local largest, step = 0, 1e-6
      for i = 1, 4 do
        for k = 1, 3 do
          largest = math.max(largest, math.abs(select(k, forces:get(i))))
        end
      end
      pushed = pushed + (energy > 0 and 1 or 0)
      for i = 1, 4 do
        for k = 1, 3 do
          local moved, back = copy(points), copy(points)
          moved[i][k], back[i][k] = moved[i][k] + step, back[i][k] - step
          local difference = (barrier(back, kind, points) - barrier(moved, kind, points)) / (2 * step)
          assert.near(difference, (select(k, forces:get(i))), 1e-6 * (1 + largest))
        end
      end
    end)
    assert.is_true(pushed > 300)
  end)

  it("has forces that add up to nothing, and turn nothing", function()
    each_pair(5, 200, function(points, kind)
      local _, forces = barrier(points, kind)
      local sum, turn, size = { 0, 0, 0 }, { 0, 0, 0 }, 0
      for i = 1, 4 do
        local f, x = { forces:get(i) }, points[i]
        for k = 1, 3 do
          local a, b = k % 3 + 1, (k + 1) % 3 + 1
          sum[k] = sum[k] + f[k]
          turn[k] = turn[k] + x[a] * f[b] - x[b] * f[a]
          size = size + math.abs(f[k])
        end
      end
      for k = 1, 3 do
        assert.near(0, sum[k], 1e-13 * size)
        assert.near(0, turn[k], 1e-13 * size)
      end
    end)
  end)

  it("does not see where it is and which way it is turned", function()
    each_pair(11, 60, function(points, kind, random)
      local angle, shift = 3 * random(), { random(), random(), random() }
      local c, s = math.cos(angle), math.sin(angle)
      local moved = {}
      for i, p in ipairs(points) do
        local y, z = c * p[2] - s * p[3], s * p[2] + c * p[3]
        moved[i] = { c * p[1] - s * y + shift[1], s * p[1] + c * y + shift[2], z + shift[3] }
      end
      local before, after = barrier(points, kind), barrier(moved, kind)
      assert.near(before, after, 1e-10 * (1 + before))
    end)
  end)

  it("has a symmetric semidefinite matrix that shifts do not feel", function()
    each_pair(17, 100, function(points, kind, random)
      local _, _, matrix = barrier(points, kind)
      local rows, largest = {}, 0
      for i = 1, 12 do
        rows[i] = { matrix:get(i) }
        largest = math.max(largest, rows[i][i])
      end
      for i = 1, 12 do
        local shifted = { 0, 0, 0 }
        for j = 1, 12 do
          assert.near(rows[i][j], rows[j][i], 1e-13 * largest)
          shifted[(j - 1) % 3 + 1] = shifted[(j - 1) % 3 + 1] + rows[i][j]
        end
        for k = 1, 3 do
          assert.near(0, shifted[k], 1e-12 * largest)
        end
      end
      for _ = 1, 20 do
        local v, product = {}, 0
        for i = 1, 12 do
          v[i] = random()
        end
        for i = 1, 12 do
          for j = 1, 12 do
            product = product + v[i] * rows[i][j] * v[j]
          end
        end
        assert.is_true(product >= -1e-12 * largest)
      end
    end)
  end)

  it("leaves out of the matrix no more than the push over the size of the edges", function()
    each_pair(19, 40, function(points, kind)
      local _, forces, matrix = barrier(points, kind)
      local push, step = 0, 1e-6
      for i = 1, 4 do
        local x, y, z = forces:get(i)
        push = push + math.sqrt(x * x + y * y + z * z)
      end
      local inside = kind == "vertex_face" and points[1][1] > 0.1 and points[1][3] > 0.1
      for j = 1, 12 do
        local moved, back = copy(points), copy(points)
        local p, k = math.ceil(j / 3), (j - 1) % 3 + 1
        moved[p][k], back[p][k] = moved[p][k] + step, back[p][k] - step
        local _, ahead = barrier(moved, kind, points)
        local _, behind = barrier(back, kind, points)
        for i = 1, 12 do
          local f, c = math.ceil(i / 3), (i - 1) % 3 + 1
          local difference = (select(c, behind:get(f)) - select(c, ahead:get(f))) / (2 * step)
          if inside then
            assert.near(difference, (select(j, matrix:get(i))), 2 * push)
          end
        end
      end
    end)
  end)

  it("curves along the normal as the differences of its force do", function()
    local gap, step = 0.12, 1e-6
    local function points(height)
      return { { 0.2, OFFSET + height, 0.3 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
    end
    local function push(height)
      return (select(2, select(2, barrier(points(height), "vertex_face")):get(1)))
    end
    local _, _, matrix = barrier(points(gap), "vertex_face")
    local curvature = (push(gap - step) - push(gap + step)) / (2 * step)
    assert.near(curvature, (select(2, matrix:get(2))), 1e-6 * curvature)
  end)

  it("begins without a jump of its second derivative, and is infinite at the offset", function()
    local function at(gap)
      local points = { { 0.2, OFFSET + gap, 0.3 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
      local energy, forces, matrix = barrier(points, "vertex_face")
      return energy, select(2, forces:get(1)), (select(2, matrix:get(2)))
    end
    local energy, force, curvature = at(RANGE * (1 - 1e-6))
    assert.is_true(energy > 0 and energy < 1e-16 and force > 0 and force < 1e-10)
    assert.is_true(curvature > 0 and curvature < 1e-3)
    assert.same({ 0, 0, 0 }, { at(RANGE * 1.001) })
    assert.equal(math.huge, (at(0)))
    assert.equal(math.huge, (at(-0.01)))
    -- A tenth of the gap, ten times the force: the barrier's 1/s.
    local _, near = at(1e-6 * RANGE)
    assert.near(STIFFNESS * RANGE * 1e6, near, 1e-3 * near)
  end)

  it("fades out where edges become parallel", function()
    local function crossing(angle)
      local c, s = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
      return (barrier({ { -c, 0.15, -s }, { c, 0.15, s }, { -0.5, 0, 0 }, { 0.5, 0, 0 } }, "edge_edge"))
    end
    local full = crossing(0.5)
    assert.near(full, crossing(0.05), 1e-12)
    assert.is_true(crossing(0.02) < full and crossing(0.01) < crossing(0.02))
    assert.equal(0, crossing(0))
    -- y (2 - y) with y = sin^2 / 1e-3
    local y = math.sin(0.01) ^ 2 / 1e-3
    assert.near(y * (2 - y) * full, crossing(0.01), 1e-9 * full)
  end)
end)

describe("The potential of friction", function()
  it("is what its secant's force adds up to, and Coulomb's beyond sticking", function()
    local stick, step = 0.01, 1e-7
    for i = 0, 40 do
      local slide = 0.0005 + 0.0005 * i
      local potential, secant = contact.friction { slide = slide, stick = stick }
      local ahead, back = contact.friction { slide = slide + step, stick = stick },
        contact.friction { slide = slide - step, stick = stick }
      assert.near((ahead - back) / (2 * step), secant * slide, 1e-6)
      local _, secant_ahead = contact.friction { slide = slide + step, stick = stick }
      local _, secant_back = contact.friction { slide = slide - step, stick = stick }
      local difference = (secant_ahead * (slide + step) - secant_back * (slide - step)) / (2 * step)
      assert.near(difference, (select(3, contact.friction { slide = slide, stick = stick })), 1e-3 / stick)
      if slide >= stick then
        assert.near(slide, potential, 1e-15)
        assert.near(1, secant * slide, 1e-12)
      end
    end
    local _, at_rest = contact.friction { slide = 0, stick = stick }
    assert.near(2 / stick, at_rest, 1e-9)
  end)

  it("is bounded from above by the parabola of its secant", function()
    for i = 1, 30 do
      local from = 0.001 * i
      local here, secant = contact.friction { slide = from, stick = 0.01 }
      for k = 0, 60 do
        local to = 0.001 * k
        local there = contact.friction { slide = to, stick = 0.01 }
        assert.is_true(there <= here + secant / 2 * (to ^ 2 - from ^ 2) + 1e-12)
      end
    end
  end)
end)

describe("A pair's barrier given nonsense", function()
  it("says what is wrong", function()
    local points = { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
    assert.error_matches(function() contact.barrier { points = points, range = 1 } end, "kind")
    assert.error_matches(function() contact.barrier { points = points, kind = "vertex_face" } end, "range")
    assert.error_matches(function()
      contact.barrier { points = points, kind = "vertex_face", range = 0 }
    end, "range")
    assert.error_matches(function()
      contact.barrier { points = { points[1] }, kind = "edge_edge", range = 1 }
    end, "points must be 4")
    assert.error_matches(function() contact.friction { slide = -1, stick = 1 } end, "slide")
    assert.error_matches(function() contact.friction { slide = 1 } end, "stick")
  end)
end)
