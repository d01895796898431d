-- The mannequin: closed, smooth, symmetric, and as large as asked, measured here and not by its maker.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

--- The figures that everything is asked of, from ordinary to extreme.
local figures = {
  {},
  { figure = "man" },
  { height = 1.5, bust = 0.78, waist = 0.6, hips = 0.84 },
  { height = 1.78, bust = 1.02, waist = 0.88, hips = 1.1, inseam = 0.82 },
  { bust = 1.3, waist = 1.25, hips = 1.35 },
  { bust = 1.1, underbust = 0.85 },
  { height = 1.2 },
  { height = 2.2, figure = "man" },
  { height = 1.55, bust = 1.45, waist = 1.4, hips = 1.6 },
  { height = 1.9, bust = 0.6, waist = 0.45, hips = 0.6 },
  { figure = "man", bust = 1.5, waist = 1.6, hips = 1.4, neck = 0.5 },
  { bust = 1.3, waist = 0.7, hips = 1.3 },
  { shoulder_width = 0.26, upper_arm = 0.4 },
  { shoulder_width = 0.55, arm_length = 0.75, wrist = 0.2 },
  { hips = 1.5, thigh = 0.5 },
  { thigh = 0.8, inseam = 0.61, neck = 0.28 },
}

local function name_of(options)
  local parts = {}
  for name, value in pairs(options) do
    parts[#parts + 1] = ("%s = %s"):format(name, value)
  end
  table.sort(parts)
  return "{ " .. table.concat(parts, ", ") .. " }"
end

--- Edges with the number of faces along each direction of them.
local function edges_of(faces)
  local edges = {}
  for _, face in ipairs(faces) do
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      local key = a * 1e6 + b
      edges[key] = (edges[key] or 0) + 1
    end
  end
  return edges
end

local function perimeter_of_hull(points)
  table.sort(points, function(p, q) return p[1] < q[1] or p[1] == q[1] and p[2] < q[2] end)
  local hull = {}
  local function add(p, floor)
    while #hull > floor do
      local a, b = hull[#hull - 1], hull[#hull]
      if (b[1] - a[1]) * (p[2] - b[2]) - (b[2] - a[2]) * (p[1] - b[1]) > 0 then
        break
      end
      hull[#hull] = nil
    end
    hull[#hull + 1] = p
  end
  for i = 1, #points do
    add(points[i], 1)
  end
  local floor = #hull
  for i = #points - 1, 1, -1 do
    add(points[i], floor)
  end
  local sum = 0
  for i = 2, #hull do
    sum = sum + math.sqrt((hull[i][1] - hull[i - 1][1]) ^ 2 + (hull[i][2] - hull[i - 1][2]) ^ 2)
  end
  return sum
end

--- The curves in which the plane through `origin` with unit normal `n` cuts: lists of points.
local function section(positions, faces, origin, n)
  local parent, points = {}, {}
  local function root(key)
    while parent[key] ~= key do
      key = parent[key]
    end
    return key
  end
  local heights = {}
  for i, p in ipairs(positions) do
    heights[i] = (p[1] - origin[1]) * n[1] + (p[2] - origin[2]) * n[2] + (p[3] - origin[3]) * n[3]
  end
  for _, face in ipairs(faces) do
    local first
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      if (heights[a] < 0) ~= (heights[b] < 0) then
        local key = math.min(a, b) * 1e6 + math.max(a, b)
        if not parent[key] then
          local p, q, w = positions[a], positions[b], heights[a] / (heights[a] - heights[b])
          parent[key] = key
          points[key] = { p[1] + w * (q[1] - p[1]), p[2] + w * (q[2] - p[2]), p[3] + w * (q[3] - p[3]) }
        end
        if first then
          parent[root(first)] = root(key)
        end
        first = key
      end
    end
  end
  local curves = {}
  for key, point in pairs(points) do
    local curve = curves[root(key)] or {}
    curves[root(key)] = curve
    curve[#curve + 1] = point
  end
  return curves
end

--- Girth of the curve nearest to `origin` in the plane there that `u` and `v`, unit vectors, span.
local function girth(positions, faces, origin, u, v)
  local n = { u[2] * v[3] - u[3] * v[2], u[3] * v[1] - u[1] * v[3], u[1] * v[2] - u[2] * v[1] }
  local nearest, best = nil, math.huge
  for _, curve in pairs(section(positions, faces, origin, n)) do
    local middle = { 0, 0, 0 }
    for _, p in ipairs(curve) do
      for k = 1, 3 do
        middle[k] = middle[k] + p[k] / #curve
      end
    end
    local distance = 0
    for k = 1, 3 do
      distance = distance + (middle[k] - origin[k]) ^ 2
    end
    if distance < best then
      nearest, best = curve, distance
    end
  end
  local flat = {}
  for i, p in ipairs(nearest) do
    flat[i] = { 0, 0 }
    for k = 1, 3 do
      flat[i][1] = flat[i][1] + (p[k] - origin[k]) * u[k]
      flat[i][2] = flat[i][2] + (p[k] - origin[k]) * v[k]
    end
  end
  return perimeter_of_hull(flat)
end

--- The smallest angle of all triangles, rad.
local function smallest_angle(positions, faces)
  local smallest = math.pi
  for _, face in ipairs(faces) do
    for k = 1, 3 do
      local a, b, c = positions[face[k]], positions[face[k % 3 + 1]], positions[face[(k + 1) % 3 + 1]]
      local dot, p, q = 0, 0, 0
      for i = 1, 3 do
        local x, y = b[i] - a[i], c[i] - a[i]
        dot, p, q = dot + x * y, p + x * x, q + y * y
      end
      smallest = math.min(smallest, math.acos(dot / math.sqrt(p * q)))
    end
  end
  return smallest
end

local reference = weft.body.mannequin().faces:string()

for _, options in ipairs(figures) do
  describe("A mannequin " .. name_of(options), function()
    local body = weft.body.mannequin(options)
    local positions, faces, m, marks = body.positions:table(), body.faces:table(), body.measures, body.landmarks

    it("is one closed manifold", function()
      assert.is_true(body.solid)
      local count, odd = 0, 0
      local edges = edges_of(faces)
      for key, times in pairs(edges) do
        count = count + 1
        -- The neighbour runs the other way.
        if times ~= 1 or edges[key % 1e6 * 1e6 + math.floor(key / 1e6)] ~= 1 then
          odd = odd + 1
        end
      end
      assert.equal(0, odd)
      assert.equal(2, #positions - count / 2 + #faces) -- Euler: a sphere
      assert.is_true(#positions > 9000 and #positions < 14000)
    end)

    it("numbers its vertices as all figures do", function()
      assert.is_true(reference == body.faces:string())
    end)

    it("is its own mirror image, to the last bit", function()
      local places, odd = {}, 0
      for _, p in ipairs(positions) do
        local key = ("%.17g %.17g %.17g"):format(math.abs(p[1]), p[2], p[3])
        places[key] = (places[key] or 0) + (p[1] == 0 and 2 or 1)
      end
      for _, times in pairs(places) do
        odd = odd + (times == 2 and 0 or 1)
      end
      assert.equal(0, odd)
    end)

    it("stands on the floor, as tall as asked, and looks along +z", function()
      local bounds = body.bounds
      assert.near(0, bounds.lower[2], 1e-12)
      local height = options.height or options.figure == "man" and 1.78 or 1.68
      assert.near(height, bounds.upper[2], 0.002 * height)
      assert.near(height, m.height, 0.002 * height)
      local toes, heels = 0, 0
      for _, p in ipairs(positions) do
        if p[2] < 0.02 * height then
          toes, heels = math.max(toes, p[3]), math.min(heels, p[3])
        end
      end
      assert.is_true(toes > -heels)
    end)

    it("has the girths that were asked for, within 1 %", function()
      local x, z, s = { 1, 0, 0 }, { 0, 0, 1 }, math.sqrt(0.5)
      local across_arm = { s, s, 0 } -- with z: the arm points 45 degrees down
      local function level(height, at)
        return girth(positions, faces, { at or 0, height, 0 }, z, x)
      end
      local shoulder, wrist = marks.shoulder, marks.wrist
      local back_along = 2 / 3 * m.arm_length * s
      local arm = { wrist[1] - back_along, wrist[2] + back_along, wrist[3] }
      local front, back = marks.front_neck, marks.back_neck
      local dy, dz = back[2] - front[2], front[3] - back[3]
      local length = math.sqrt(dy * dy + dz * dz)
      local rise = 0.025 * m.height / 1.68
      local neck = { 0, (front[2] + back[2]) / 2 + rise * dz / length, (front[3] + back[3]) / 2 + rise * dy / length }
      local measured = {
        bust = level(m.bust_height),
        underbust = level(m.underbust_height),
        waist = level(m.waist_height),
        hips = level(m.hip_height),
        thigh = level(m.crotch_height - 0.05 * m.height / 1.68, 0.1),
        wrist = girth(positions, faces, wrist, across_arm, z),
        upper_arm = girth(positions, faces, arm, across_arm, z),
        neck = girth(positions, faces, neck, x, { 0, -dy / length, dz / length }),
        shoulder_width = 2 * shoulder[1],
        arm_length = math.sqrt((wrist[1] - shoulder[1]) ^ 2 + (wrist[2] - shoulder[2]) ^ 2 +
          (wrist[3] - shoulder[3]) ^ 2),
        inseam = m.crotch_height,
        height = body.bounds.upper[2],
      }
      for name, value in pairs(measured) do
        assert.near(m[name], value, 0.001 * value, name)
        if options[name] then
          assert.near(options[name], value, 0.01 * value, name)
        end
      end
    end)

    it("has triangles that are no slivers", function()
      assert.is_true(math.deg(smallest_angle(positions, faces)) > 4)
    end)

  end)
end

describe("weft.body.mannequin", function()
  it("is the same bits every time, for any number of threads", function()
    local before = weft.threads(1)
    local first = weft.body.mannequin({ bust = 1 }).positions:string()
    weft.threads(2)
    assert.is_true(first == weft.body.mannequin({ bust = 1 }).positions:string())
    weft.threads(before)
  end)

  it("puts its landmarks where they belong", function()
    local body = weft.body.mannequin()
    local m, marks = body.measures, body.landmarks
    local order = { "crotch_height", "hip_height", "waist_height", "underbust_height", "bust_height", "armpit_height",
      "shoulder_height", "front_neck_height", "side_neck_height", "back_neck_height" }
    for i = 2, #order do
      assert.is_true(m[order[i]] > m[order[i - 1]], order[i])
    end
    for name, mark in pairs(marks) do
      assert.is_true(mark[1] >= 0, name)
    end
    assert.same({ 0, 0, 0, 0 }, { marks.crown[1], marks.front_neck[1], marks.back_neck[1], marks.crotch[1] })
    -- Shoulders slope by about 20 degrees: what holds a shirt.
    local slope = math.deg(math.atan((marks.side_neck[2] - marks.shoulder[2]) /
      (marks.shoulder[1] - marks.side_neck[1])))
    assert.is_true(slope > 15 and slope < 32, tostring(slope))
    -- Landmarks on the surface are its vertices.
    local places = {}
    for _, p in ipairs(body.positions:table()) do
      places[("%.17g %.17g %.17g"):format(p[1], p[2], p[3])] = true
    end
    for name, p in pairs(marks) do
      assert.equal(name ~= "wrist", places[("%.17g %.17g %.17g"):format(p[1], p[2], p[3])] or false, name)
    end
  end)

  it("gives its measures as girths", function()
    local body = weft.body.mannequin { waist = 0.7 }
    for _, part in ipairs { "bust", "waist", "hips", "neck" } do
      assert.equal(body.measures[part], (body:girth { part = part }))
    end
    assert.near(0.7, (body:girth { height = body.measures.waist_height }), 0.007)
  end)

  it("derives what is not asked from height, bust, waist and hips", function()
    local small, tall = weft.body.mannequin({ height = 1.5 }).measures, weft.body.mannequin({ height = 1.8 }).measures
    for _, name in ipairs { "bust", "waist", "hips", "thigh", "wrist", "shoulder_width", "arm_length", "inseam" } do
      assert.near(1.8 / 1.5, tall[name] / small[name], 0.005, name)
    end
    local full = weft.body.mannequin({ bust = 1.2 }).measures
    local plain = weft.body.mannequin().measures
    assert.near(0.92, plain.bust, 0.002)
    for _, name in ipairs { "waist", "hips", "neck", "thigh", "upper_arm", "shoulder_width" } do
      assert.is_true(full[name] > plain[name] * 1.01, name)
    end
  end)

  it("refuses what no figure can have", function()
    assert.equal("weft.body.mannequin: height must be a number from 1.2 to 2.2, got 3",
      message_of(weft.body.mannequin, { height = 3 }))
    assert.equal("weft.body.mannequin: bust must be a number from 0.6 to 1.6, got 0",
      message_of(weft.body.mannequin, { bust = 0 }))
    assert.equal("weft.body.mannequin: unknown option 'buste'; did you mean 'bust'?",
      message_of(weft.body.mannequin, { buste = 1 }))
    assert.equal('weft.body.mannequin: figure must be one of "woman", "man", got "child"',
      message_of(weft.body.mannequin, { figure = "child" }))
    assert.matches("^weft.body.mannequin: mannequin: underbust = 0.56 m does not go together with the other measures",
      message_of(weft.body.mannequin, { bust = 1.1, underbust = 0.56, waist = 1.55 }))
    assert.matches("mannequin: with these measures the surface crosses itself at a height of 1.10 m",
      message_of(weft.body.mannequin, { height = 1.439, bust = 1.299, underbust = 0.797, waist = 1.028, hips = 0.809,
        neck = 0.502, thigh = 0.696, upper_arm = 0.28, wrist = 0.216, shoulder_width = 0.402, arm_length = 0.454,
        inseam = 0.763 }))
    assert.equal("weft.body.mannequin: mannequin: inseam must be from 0.72 to 1.08 m for a height of 2 m, got 0.6",
      message_of(weft.body.mannequin, { height = 2, inseam = 0.6 }))
  end)

  it("survives failing allocations", function()
    local core = require "weft.core"
    support.collect()
    local before = weft.memory()
    for count = 0, 10000, 307 do -- there are some thousands; each takes a mannequin to reach
      core.fail_allocation(count)
      local ok, result = pcall(weft.body.mannequin)
      core.fail_allocation()
      if ok then
        result:close()
        assert.is_true(count > 500)
        break
      end
      assert.matches("out of memory", result)
      assert.equal(before, (weft.memory()))
    end
  end)
end)
