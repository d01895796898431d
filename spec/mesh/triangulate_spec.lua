-- Quality triangulation: every property that it promises, checked on outlines of many kinds.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local DEGREE = math.pi / 180

--- Numbers in [0, 1) that are the same on every Lua (Park and Miller 1988).
local function stream(seed)
  local state = seed
  return function()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
end

local function cross(a, b, c)
  return (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
end

local function distance(a, b)
  return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2)
end

local function angle_at(b, a, c)
  return math.acos(math.max(-1, math.min(1, ((a[1] - b[1]) * (c[1] - b[1]) + (a[2] - b[2]) * (c[2] - b[2]))
    / (distance(a, b) * distance(c, b)))))
end

--- The area of a loop, positive counter-clockwise.
local function loop_area(loop)
  local sum = 0
  for i = 1, #loop do
    sum = sum + cross(loop[1], loop[i], loop[i % #loop + 1]) / 2
  end
  return sum
end

local function triangulate(loops, edge, options)
  local arguments = { outline = loops[1], edge = edge }
  for name, value in pairs(options or {}) do
    arguments[name] = value
  end
  arguments.holes = {}
  for i = 2, #loops do
    arguments.holes[i - 1] = loops[i]
  end
  local made = weft.mesh.triangulate(arguments)
  return {
    points = made.points:table(),
    faces = made.faces:table(),
    splits = made.splits:table(),
    parameters = made.split_parameters:table(),
    minimum_angle = made.minimum_angle,
  }
end

--- Directed edges, with the face on their left and its third corner. No edge twice.
local function edges_of(mesh)
  local edges = {}
  for f, face in ipairs(mesh.faces) do
    for k = 1, 3 do
      local from, to = face[k], face[k % 3 + 1]
      edges[from] = edges[from] or {}
      assert(not edges[from][to], "an edge has two faces on the same side")
      edges[from][to] = { face = f, apex = face[(k + 1) % 3 + 1] }
    end
  end
  return edges
end

--- The outline's directed edges with the interior on the left, cut by the splits.
local function border_of(loops, mesh)
  local points, splits = {}, {}
  for i, split in ipairs(mesh.splits) do
    splits[split[1]] = splits[split[1]] or {}
    table.insert(splits[split[1]], { vertex = split[2], t = mesh.parameters[i] })
  end
  local border, count, offset = {}, 0, 0
  local function add(from, to)
    border[from] = border[from] or {}
    border[from][to] = true
    count = count + 1
  end
  for l, loop in ipairs(loops) do
    local forward = (loop_area(loop) > 0) == (l == 1)
    for i, point in ipairs(loop) do
      points[offset + i] = point
      local chain, t = { offset + i }, 0
      for _, split in ipairs(splits[offset + i] or {}) do
        assert(split.t > t and split.t < 1, "splits are not in order")
        t = split.t
        local next_point = loop[i % #loop + 1]
        local at = mesh.points[split.vertex]
        for c = 1, 2 do
          assert(math.abs(at[c] - point[c] - t * (next_point[c] - point[c])) < 1e-12, "a split is not where it says")
        end
        chain[#chain + 1] = split.vertex
      end
      chain[#chain + 1] = offset + i % #loop + 1
      for k = 1, #chain - 1 do
        if forward then
          add(chain[k], chain[k + 1])
        else
          add(chain[k + 1], chain[k])
        end
      end
    end
    offset = offset + #loop
  end
  return border, count, points
end

--- Whether d is inside the circle through a, b, c by more than rounding.
local function in_circle(a, b, c, d)
  local function row(p)
    local x, y = p[1] - d[1], p[2] - d[2]
    return x, y, x * x + y * y
  end
  local ax, ay, aa = row(a)
  local bx, by, bb = row(b)
  local cx, cy, cc = row(c)
  local determinant = aa * (bx * cy - cx * by) + bb * (cx * ay - ax * cy) + cc * (ax * by - bx * ay)
  local size = math.max(aa, bb, cc)
  return determinant > 1e-11 * size * size
end

--- Everything that must hold for any outline.
local function check(loops, mesh)
  local edges = edges_of(mesh)
  local border, border_count, points = border_of(loops, mesh)
  for i, point in ipairs(points) do
    assert.same(point, mesh.points[i])
  end
  local area, expected = 0, math.abs(loop_area(loops[1]))
  for i = 2, #loops do
    expected = expected - math.abs(loop_area(loops[i]))
  end
  local smallest = math.pi
  for _, face in ipairs(mesh.faces) do
    local a, b, c = mesh.points[face[1]], mesh.points[face[2]], mesh.points[face[3]]
    local double = cross(a, b, c)
    assert(double > 0, "a face is flipped or has no area")
    area = area + double / 2
    smallest = math.min(smallest, angle_at(a, b, c), angle_at(b, c, a), angle_at(c, a, b))
  end
  assert(math.abs(area - expected) <= 1e-12 * expected, ("area %.17g, not %.17g"):format(area, expected))
  assert(math.abs(smallest - mesh.minimum_angle) < 1e-6, "minimum_angle is not the smallest angle")
  local edge_count, open = 0, 0
  for from, targets in pairs(edges) do
    for to, side in pairs(targets) do
      local other = edges[to] and edges[to][from]
      if not other then
        open = open + 1
        assert(border[from] and border[from][to], "an open edge is not on the outline")
      else
        local face = mesh.faces[side.face]
        assert(not in_circle(mesh.points[face[1]], mesh.points[face[2]], mesh.points[face[3]],
          mesh.points[other.apex]), "an edge is not Delaunay")
      end
      edge_count = edge_count + (other and 0.5 or 1)
    end
  end
  assert.equal(border_count, open) -- so every piece of the outline is an edge
  assert.equal(2 - #loops, #mesh.points - edge_count + #mesh.faces) -- Euler
end

local function star(random, corners, inner)
  local loop = {}
  for i = 1, corners do
    local radius, turn = inner + (1 - inner) * random(), 2 * math.pi * i / corners
    loop[i] = { radius * math.cos(turn), radius * math.sin(turn) }
  end
  return loop
end

local function ring(corners, radius, x, y, clockwise)
  local loop = {}
  for i = 1, corners do
    local turn = (clockwise and -2 or 2) * math.pi * i / corners
    loop[i] = { (x or 0) + radius * math.cos(turn), (y or 0) + radius * math.sin(turn) }
  end
  return loop
end

--- The smallest interior angle of the loops.
local function sharpest_corner(loops)
  local sharpest = math.pi
  for l, loop in ipairs(loops) do
    local sign = ((loop_area(loop) > 0) == (l == 1)) and 1 or -1
    for i, point in ipairs(loop) do
      local before, after = loop[(i - 2) % #loop + 1], loop[i % #loop + 1]
      if sign * cross(before, point, after) > 0 then -- less than 180 degrees
        sharpest = math.min(sharpest, angle_at(point, before, after))
      end
    end
  end
  return sharpest
end

describe("weft.mesh.triangulate", function()
  it("keeps its promises on random stars, with holes and in both directions", function()
    local random, checked = stream(7), 0
    for _ = 1, 40 do
      local loops = { star(random, 3 + math.floor(random() * 20), 0.15 + 0.5 * random()) }
      if random() < 0.4 and #loops[1] > 6 then
        loops[2] = ring(3 + math.floor(random() * 6), 0.09, 0, 0, random() < 0.5)
      end
      local mesh = triangulate(loops, 0.06 + 0.3 * random())
      check(loops, mesh)
      if sharpest_corner(loops) > 30 * DEGREE then
        checked = checked + 1
        assert.is_true(mesh.minimum_angle >= 25 * DEGREE)
      end
    end
    assert.is_true(checked >= 10)
  end)

  it("obeys the empty-circle rule for every vertex that a face can see", function()
    local loops = { ring(17, 1), ring(5, 0.3, 0.2, 0.1) }
    local mesh = triangulate(loops, 0.35)
    local border = border_of(loops, mesh)
    local function visible(p, q)
      for from, targets in pairs(border) do
        for to in pairs(targets) do
          local a, b = mesh.points[from], mesh.points[to]
          if cross(p, q, a) * cross(p, q, b) < 0 and cross(a, b, p) * cross(a, b, q) < 0 then
            return false
          end
        end
      end
      return true
    end
    for _, face in ipairs(mesh.faces) do
      local a, b, c = mesh.points[face[1]], mesh.points[face[2]], mesh.points[face[3]]
      local middle = { (a[1] + b[1] + c[1]) / 3, (a[2] + b[2] + c[2]) / 3 }
      for _, d in ipairs(mesh.points) do
        assert.is_false(in_circle(a, b, c, d) and visible(middle, d))
      end
    end
  end)

  it("makes near-equilateral triangles of the target size", function()
    local mesh = triangulate({ { { 0, 0 }, { 1, 0 }, { 1, 0.6 }, { 0, 0.6 } } }, 0.03)
    check({ { { 0, 0 }, { 1, 0 }, { 1, 0.6 }, { 0, 0.6 } } }, mesh)
    local sum, count, longest, even = 0, 0, 0, 0
    for _, face in ipairs(mesh.faces) do
      local smallest = math.pi
      for k = 1, 3 do
        local p, q, r = mesh.points[face[k]], mesh.points[face[k % 3 + 1]], mesh.points[face[(k + 1) % 3 + 1]]
        local length = distance(p, q)
        sum, count, longest = sum + length, count + 1, math.max(longest, length)
        smallest = math.min(smallest, angle_at(p, q, r))
      end
      even = even + (smallest > 50 * DEGREE and 1 or 0)
    end
    assert.is_true(math.abs(sum / count / 0.03 - 1) < 0.06)
    assert.is_true(longest < 1.6 * 0.03)
    assert.is_true(even / #mesh.faces > 0.85)
    assert.is_true(mesh.minimum_angle > 32 * DEGREE)
  end)

  it("leaves segments near the target length whole", function()
    local loop = ring(60, 1)
    local mesh = triangulate({ loop }, distance(loop[1], loop[2]) * 0.8)
    assert.equal(0, #mesh.splits)
    assert.is_true(mesh.minimum_angle >= 26 * DEGREE)
  end)

  it("cuts long segments into equal parts", function()
    local mesh = triangulate({ { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } }, 0.1)
    assert.equal(36, #mesh.splits)
    for i, split in ipairs(mesh.splits) do
      assert.equal(math.floor((i - 1) / 9) + 1, split[1])
      assert.near(((i - 1) % 9 + 1) / 10, mesh.parameters[i], 1e-15)
    end
  end)

  it("does not touch the outline when told so", function()
    local loop = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }
    local mesh = triangulate({ loop }, 0.1, { split = false })
    check({ loop }, mesh)
    assert.equal(0, #mesh.splits)
    assert.is_true(#mesh.points > 20)
  end)

  it("cuts segments in narrow parts until the angles are good", function()
    local strip = { { 0, 0 }, { 1, 0 }, { 1, 0.02 }, { 0, 0.02 } }
    local mesh = triangulate({ strip }, 0.1)
    check({ strip }, mesh)
    assert.is_true(mesh.minimum_angle >= 25 * DEGREE)
    assert.is_true(#mesh.splits > 40)
  end)

  it("ends at needle corners, and spoils no triangle away from them", function()
    for _, height in ipairs { 0.3, 0.1, 0.01, 1e-4, 1e-9 } do
      local needle = { { 0, 0 }, { 1, 0 }, { 1, height } }
      local mesh = triangulate({ needle }, 0.05)
      check({ needle }, mesh)
      assert.is_true(#mesh.faces < 40 + 300 * height) -- it does not chase the corner
      for _, face in ipairs(mesh.faces) do
        local x = 0
        for k = 1, 3 do
          x = math.max(x, mesh.points[face[k]][1])
        end
        -- Where the needle is wider than two target lengths nothing excuses a bad angle.
        if x * height > 0.1 then
          for k = 1, 3 do
            local p, q, r = mesh.points[face[k]], mesh.points[face[k % 3 + 1]], mesh.points[face[(k + 1) % 3 + 1]]
            assert.is_true(angle_at(p, q, r) >= 25 * DEGREE)
          end
        end
      end
    end
  end)

  it("takes holes anywhere inside", function()
    local loops = { { { 0, 0 }, { 2, 0 }, { 2, 1 }, { 0, 1 } } }
    for i = 1, 6 do
      loops[#loops + 1] = ring(8, 0.1, 0.3 * i - 0.05, i % 2 == 0 and 0.3 or 0.7, i % 3 == 0)
    end
    local mesh = triangulate(loops, 0.08)
    check(loops, mesh)
    assert.is_true(mesh.minimum_angle >= 25 * DEGREE)
  end)

  it("gives the same bits again", function()
    local loop = star(stream(3), 14, 0.4)
    assert.same(triangulate({ loop }, 0.05), triangulate({ loop }, 0.05))
  end)

  it("refuses outlines that cross or touch, and says where", function()
    local function refusal(outline, holes)
      return message_of(weft.mesh.triangulate, { outline = outline, holes = holes, edge = 0.3 })
    end
    local square = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }
    local prefix = "weft.mesh.triangulate: "
    assert.equal(prefix .. "the outline crosses itself at (0.5, 0.5): segment 1 meets segment 3",
      refusal { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 } })
    assert.equal(prefix .. "the outline touches itself at (0.5, 0): segment 1 passes through point 4",
      refusal { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0.5, 0 }, { 0, 1 } })
    assert.equal(prefix .. "points 2 and 4 coincide at (1, 0)",
      refusal { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 1, 0 }, { 1, 2 } })
    assert.equal(prefix .. "points 2 and 3 coincide at (1, 0)", refusal { { 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 } })
    assert.matches("hole 1 lies outside the outline, near %(%d, 3%)",
      refusal(square, { { { 3, 3 }, { 4, 3 }, { 3, 4 } } }))
    assert.matches("hole 1 crosses the outline at", refusal(square, { ring(7, 0.4, 0.8, 0.5) }))
    assert.matches("hole 2 crosses hole 1 at", refusal(square, { ring(7, 0.2, 0.4, 0.5), ring(7, 0.2, 0.6, 0.52) }))
    assert.matches("hole 2 lies inside hole 1, near",
      refusal(square, { ring(7, 0.3, 0.5, 0.5), ring(7, 0.1, 0.5, 0.5) }))
    assert.matches("the outline touches hole 1 at %(0, 0.5%): segment 4 passes through point 5",
      refusal(square, { { { 0, 0.5 }, { 0.3, 0.4 }, { 0.3, 0.6 } } }))
  end)

  it("decides like a brute-force test whether an outline is simple", function()
    local random = stream(11)
    --- Exact for small integers.
    local function on_segment(a, b, p)
      return cross(a, b, p) == 0 and math.min(a[1], b[1]) <= p[1] and p[1] <= math.max(a[1], b[1])
        and math.min(a[2], b[2]) <= p[2] and p[2] <= math.max(a[2], b[2])
    end
    local function is_simple(loop)
      local n = #loop
      for i = 1, n do
        local a, b = loop[i], loop[i % n + 1]
        for j = 1, n do
          local c, d = loop[j], loop[j % n + 1]
          if j ~= i and j ~= i % n + 1 and on_segment(a, b, c) then
            return false
          end
          if j > i and cross(a, b, c) * cross(a, b, d) < 0 and cross(c, d, a) * cross(c, d, b) < 0 then
            return false
          end
        end
        if a[1] == b[1] and a[2] == b[2] then
          return false
        end
      end
      return true
    end
    local seen = { [true] = 0, [false] = 0 }
    for _ = 1, 600 do
      local loop, size = {}, ({ 2, 4, 30 })[math.floor(random() * 3) + 1]
      for i = 1, 3 + math.floor(random() * 5) do
        loop[i] = { math.floor(random() * (size + 1)), math.floor(random() * (size + 1)) }
      end
      local simple = is_simple(loop)
      seen[simple] = seen[simple] + 1
      local ok, result = pcall(triangulate, { loop }, size)
      assert.equal(simple, ok, ok and "" or result)
      if ok then
        check({ loop }, result)
      end
    end
    assert.is_true(seen[true] > 100 and seen[false] > 100)
  end)

  it("tells by less than a rounding error whether a corner lies on this or that side of a segment", function()
    -- Fibonacci numbers: F(n+2) F(n) - F(n+1)^2 = (-1)^(n+1), so (F(n+1), F(n)) misses the line from the origin to
    -- (F(n+2), F(n+1)) by a unit of area where the products are 1e23 units.
    local fibonacci = { 1, 1 }
    for n = 3, 57 do
      fibonacci[n] = fibonacci[n - 1] + fibonacci[n - 2]
    end
    for n = 40, 55 do
      local unit = 2 ^ -20
      local far = { fibonacci[n + 2] * unit, fibonacci[n + 1] * unit }
      local near = { fibonacci[n + 1] * unit, fibonacci[n] * unit }
      local top = { 0, far[1] }
      local ok, message = pcall(triangulate, { { { 0, 0 }, far, top, near } }, far[1], { minimum_angle = 0 })
      assert.equal(n % 2 == 1, ok)
      if not ok then
        assert.matches("the outline crosses itself", message)
      end
    end
  end)

  it("refuses numbers that make no sense, and too many triangles", function()
    local function refusal(changes)
      local arguments = { outline = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, edge = 0.1 }
      for name, value in pairs(changes) do
        arguments[name] = value
      end
      return message_of(weft.mesh.triangulate, arguments)
    end
    assert.matches("edge must be", refusal { edge = 0 })
    assert.matches("edge must be", refusal { edge = 0 / 0 })
    assert.matches("the edge length must be above 0 and below 1e%+06 m", refusal { edge = 1e7 })
    assert.matches("from 0 to 30 degrees, got 45", refusal { minimum_angle = 45 * DEGREE })
    assert.matches("an edge length of 1e%-05 m would make about .* more than the limit of 4000000",
      refusal { edge = 1e-5 })
    assert.matches("more than the limit of 50", refusal { limit = 50 })
    assert.matches("coordinates must be finite and below 1e%+06 m",
      refusal { outline = { { 0, 0 }, { 2e6, 0 }, { 0, 1 } } })
    assert.matches("outline%[2%] must be", refusal { outline = { { 0, 0 }, { 0 / 0, 0 }, { 0, 1 } } })
    assert.matches("an outline needs at least 3 points", refusal { outline = { { 0, 0 }, { 1, 0 } } })
    assert.matches("loop 2 must have at least 3 points", refusal { holes = { { { 0.1, 0.1 }, { 0.2, 0.1 } } } })
    assert.matches("holes must be", refusal { holes = { 7 } })
  end)

  it("survives each failing allocation", function()
    local loops = { ring(30, 1), ring(5, 0.3) }
    local _, count = support.fail_each_allocation(function()
      return weft.mesh.triangulate { outline = loops[1], holes = { loops[2] }, edge = 0.3 }
    end)
    assert.is_true(count > 20)
  end)
end)
