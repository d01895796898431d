-- Distances of pairs against brute force and closed forms.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"

local function mix(points, weights)
  local x = { 0, 0, 0 }
  for i, point in ipairs(points) do
    for k = 1, 3 do
      x[k] = x[k] + weights[i] * point[k]
    end
  end
  return x
end

local function length(a, b)
  return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2)
end

--- Four points: general, or of a kind that is hard.
local function make_points(random, kind)
  local p = {}
  for i = 1, 4 do
    p[i] = { random(), random(), random() }
  end
  if kind == 1 then -- a sliver face; edges that meet
    p[4] = mix({ p[2], p[3] }, { 0.3, 0.7 })
    p[4][1] = p[4][1] + 10 ^ (-4 - 12 * math.abs(random()))
  elseif kind == 2 then -- nearly parallel edges
    local s = 2 * random()
    for k = 1, 3 do
      p[4][k] = p[3][k] + s * (p[2][k] - p[1][k]) + random() * 10 ^ (-2 - 14 * math.abs(random()))
    end
  elseif kind == 3 then -- an edge without length
    p[2] = { p[1][1], p[1][2], p[1][3] }
  elseif kind == 4 then -- a face without area
    p[4] = mix({ p[2], p[3] }, { 0.5, 0.5 })
  end
  return p
end

describe("The distance of a vertex from a face", function()
  it("is what brute force finds, and that of its closest point, for general and degenerate faces", function()
    local random, steps = shapes.random(7), 24
    for trial = 1, 1000 do
      local p = make_points(random, trial % 6)
      local distance, a, b, c = contact.vertex_face_distance { points = p }
      assert.is_true(a >= 0 and b >= 0 and c >= 0 and math.abs(a + b + c - 1) < 1e-14)
      assert.near(distance, length(p[1], mix({ p[2], p[3], p[4] }, { a, b, c })), 1e-9)
      local best = math.huge
      for i = 0, steps do
        for j = 0, steps - i do
          local u, v = i / steps, j / steps
          best = math.min(best, length(p[1], mix({ p[2], p[3], p[4] }, { 1 - u - v, u, v })))
        end
      end
      assert.is_true(distance <= best + 1e-14)
    end
  end)

  it("tells which feature is closest by exact zeros", function()
    local face = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
    local function at(x, y, z)
      return { contact.vertex_face_distance { points = { { x, y, z }, face[1], face[2], face[3] } } }
    end
    assert.same({ 2, 0.5, 0.25, 0.25 }, at(0.25, 0.25, 2))
    assert.same({ 3, 0.5, 0.5, 0 }, at(0.5, -3, 0))
    assert.same({ 5, 1, 0, 0 }, at(-3, -4, 0))
  end)
end)

describe("The distance of two edges", function()
  it("is what brute force finds, and that of its closest points, for general, parallel and empty edges", function()
    local random, steps = shapes.random(11), 24
    for trial = 1, 1000 do
      local p = make_points(random, trial % 6)
      local distance, s, t = contact.edge_edge_distance { points = p }
      assert.is_true(s >= 0 and s <= 1 and t >= 0 and t <= 1)
      local x, y = mix({ p[1], p[2] }, { 1 - s, s }), mix({ p[3], p[4] }, { 1 - t, t })
      assert.near(distance, length(x, y), 1e-14)
      local best = math.huge
      for i = 0, steps do
        for j = 0, steps do
          local u, v = i / steps, j / steps
          best = math.min(best, length(mix({ p[1], p[2] }, { 1 - u, u }), mix({ p[3], p[4] }, { 1 - v, v })))
        end
      end
      assert.is_true(distance <= best + 1e-12)
    end
  end)

  it("is exact to rounding however nearly parallel crossing edges are", function()
    for exponent = 1, 15 do
      local slope = 10 ^ -exponent
      local points = { { -1, 0, -slope }, { 1, 0, slope }, { -1, 0.25, slope }, { 1, 0.25, -slope } }
      assert.near(0.25, contact.edge_edge_distance { points = points }, 1e-15)
      for _, point in ipairs(points) do
        point[2] = 0
      end
      assert.near(0, contact.edge_edge_distance { points = points }, 1e-15)
    end
  end)
end)
