-- Edges of patterns against closed forms: lengths, areas, and points spread by arc length.

local weft = require "weft"

--- A panel whose second edge is `curve` from (width, 0) back to the origin; its first edge is straight.
local function lens(width, curve)
  return weft.garment { panels = { lens = {
    vertices = { { 0, 0 }, { width, 0 } },
    edges = { { 1, 2 }, { 2, 1, curvature = curve } },
  } } }
end

--- The length of a curve, read from a seam that sews two equal panels along it.
local function length_of(width, curve)
  local panel = { vertices = { { 0, 0 }, { width, 0 } }, edges = { { 1, 2 }, { 2, 1, curvature = curve } } }
  local garment = weft.garment { panels = { a = panel, b = panel }, seams = { { { "a", 2 }, { "b", 2 } } } }
  return garment.seams[1].lengths[1]
end

--- Points of the outline on edge 2, in its direction, from the rest coordinates of a mesh: those not on y = 0.
local function curve_points(width, curve, edge)
  local points, result = lens(width, curve):triangulate { edge = edge }.rest:table(), {}
  local first
  for i, point in ipairs(points) do -- the outline comes first: edge 1, then edge 2
    if math.abs(point[1] - width) < 1e-12 and math.abs(point[2]) < 1e-12 then
      first = i
    end
  end
  for i = first, #points do
    result[#result + 1] = points[i]
  end
  return result
end

local function distance(a, b)
  return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2)
end

--- Arc length of y = c x^2 from 0 to x.
local function parabola_length(c, x)
  local u = 2 * c * x
  return (u * math.sqrt(1 + u * u) + math.log(u + math.sqrt(1 + u * u))) / (4 * c)
end

describe("Pattern edges", function()
  it("have the length and area of circular arcs, small and large, left and right", function()
    for _, case in ipairs {
      -- radius, large, angle swept; the chord is 0.4, so half the chord is radius sin(angle / 2)
      { 0.2, 0, math.pi }, { 0.2, 1, math.pi }, { 0.25, 0, 2 * math.asin(0.8) },
      { 0.25, 1, 2 * math.pi - 2 * math.asin(0.8) },
      { 5, 0, 2 * math.asin(0.04) },
    } do
      local radius, large, angle = case[1], case[2], case[3]
      local segment = radius ^ 2 / 2 * (angle - math.sin(angle))
      assert.near(radius * angle, length_of(0.4, { type = "circle", params = { radius, large, 1 } }), 1e-12)
      -- the edge runs in -x: bulging to the right of it is up, away from the straight edge's interior side below
      local up = lens(0.4, { type = "circle", params = { radius, large, 1 } })
      local down = lens(0.4, { type = "circle", params = { radius, large, 0 } })
      assert.near(segment, up.panels[1].area, 1e-12)
      assert.near(segment, down.panels[1].area, 1e-12)
      -- bulging up makes the outline counter-clockwise, so it shows the outer side and faces +z
      assert.same({ 0, 0, 1 }, up.panels[1].normal)
      assert.equal(-1, down.panels[1].normal[3])
    end
  end)

  it("have the length and area of a parabola as a quadratic curve", function()
    -- control point above the middle by h: the parabola through the ends with apex h/2
    for _, h in ipairs { 0.01, 0.2, 1.5 } do
      local width = 0.6
      -- relative to the edge that runs in -x, up is to its right, so negative
      local curve = { type = "quadratic", params = { { 0.5, -h / width } } }
      local c = 2 * h / width ^ 2
      assert.near(2 * parabola_length(c, width / 2), length_of(width, curve), 1e-11)
      assert.near(2 / 3 * width * h / 2, lens(width, curve).panels[1].area, 1e-12)
    end
  end)

  it("have one length as a quadratic curve and as the cubic that is the same curve", function()
    local control = { 0.2, 0.45 }
    local cubic = { { control[1] * 2 / 3, control[2] * 2 / 3 }, { control[1] * 2 / 3 + 1 / 3, control[2] * 2 / 3 } }
    local a = length_of(0.5, { type = "quadratic", params = { control } })
    assert.near(a, length_of(0.5, { type = "cubic", params = cubic }), 1e-12)
    assert.is_true(a > 0.55)
  end)

  it("survive a cusp", function()
    -- controls crossed over: the cubic stops and turns back at t = 1/2; both halves have the same closed-form length,
    -- checked by summing 200,000 chords
    local x = function(t) return 3 * (1 - t) ^ 2 * t * 1 + 3 * (1 - t) * t * t * 0 + t ^ 3 end
    local y = function(t) return 3 * (1 - t) ^ 2 * t * 1 + 3 * (1 - t) * t * t * 1 end
    local sum, n = 0, 200000
    for i = 1, n do
      sum = sum + math.sqrt((x(i / n) - x((i - 1) / n)) ^ 2 + (y(i / n) - y((i - 1) / n)) ^ 2)
    end
    assert.near(sum, length_of(1, { type = "cubic", params = { { 1, 1 }, { 0, 1 } } }), 1e-8)
  end)

  it("are sampled on the curve, evenly by arc length", function()
    local arc = curve_points(0.4, { type = "circle", params = { 0.25, 1, 1 } }, 0.05)
    local center = { 0.2, 0.15 }
    local angle = 2 * math.pi - 2 * math.asin(0.8)
    local count = math.ceil(0.25 * angle / 0.05)
    for i = 1, count do
      assert.near(0.25, distance(arc[i], center), 1e-12)
      assert.near(2 * 0.25 * math.sin(angle / count / 2), distance(arc[i], arc[i % #arc + 1]), i < count and 1e-12 or 1)
    end
    assert.is_true(math.abs(distance(arc[count + 1], center) - 0.25) > 1e-3) -- the next one is inside

    local h, width = 0.5, 0.6
    local points = curve_points(width, { type = "quadratic", params = { { 0.5, -h / width } } }, 0.04)
    local c = 2 * h / width ^ 2
    local total = 2 * parabola_length(c, width / 2)
    count = math.ceil(total / 0.04)
    for i = 1, count do
      local x = points[i][1] - width / 2
      assert.near(h / 2 - c * x * x, points[i][2], 1e-12)
      local from_apex = x >= 0 and parabola_length(c, x) or -parabola_length(c, -x)
      assert.near(total * (i - 1) / count, total / 2 - from_apex, 1e-10)
    end
  end)

  it("turn by at most 45 degrees from one point to the next, however coarse the mesh", function()
    local points = curve_points(0.2, { type = "circle", params = { 0.1, 0, 1 } }, 1)
    assert.near(0.1 * 2 * math.sin(math.pi / 8), distance(points[1], points[2]), 1e-12)
  end)

  it("take control points in the panel's plane when the pattern says so", function()
    local function area(coordinates, params)
      return weft.garment { curvature_coords = coordinates, panels = { lens = {
        vertices = { { 0.1, 0.2 }, { 0.5, 0.5 } },
        edges = { { 1, 2 }, { 2, 1, curvature = { type = "quadratic", params = params } } },
      } } }.panels[1].area
    end
    -- a quarter along the edge from (0.5, 0.5) to (0.1, 0.2), and 0.4 of its length to its left, which is (0.3, -0.4)
    local relative = area("relative", { { 0.25, 0.4 } })
    assert.near(relative, area("absolute", { { 0.5 - 0.1 + 0.4 * 0.3, 0.5 - 0.075 - 0.4 * 0.4 } }), 1e-14)
    assert.near(2 / 3 * 0.5 * 0.4 * 0.5 / 2, relative, 1e-14)
  end)
end)
