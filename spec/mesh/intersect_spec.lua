-- The exact judge of intersections, against brute force in whole numbers.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local minus, cross, dot = vectors.minus, vectors.cross, vectors.dot

local unpack = table.unpack or unpack

-- An independent answer in exact whole-number arithmetic: one triangle clipped by the other.
-- Points are homogeneous, {x, y, z, w} with w > 0, reduced by their common divisor, so all numbers stay below 2^53.

local function gcd(a, b)
  a, b = math.abs(a), math.abs(b)
  while b ~= 0 do
    a, b = b, a % b
  end
  return a
end

local function reduced(p)
  local divisor = gcd(gcd(p[1], p[2]), gcd(p[3], p[4]))
  return { p[1] / divisor, p[2] / divisor, p[3] / divisor, p[4] / divisor }
end

--- The part of a convex polygon (or segment, or point) with normal . x <= offset.
local function clip(polygon, normal, offset)
  local result, n = {}, #polygon
  for i = 1, n do
    local p, q = polygon[i], polygon[i % n + 1]
    local sp, sq = dot(normal, p) - offset * p[4], dot(normal, q) - offset * q[4]
    assert(math.abs(sp) < 2 ^ 53 and math.abs(sq) < 2 ^ 53)
    if sp <= 0 then
      result[#result + 1] = p
    end
    if n > 1 and sp * sq < 0 then
      -- p + t (q - p) with t = (sp / p.w) / (sp / p.w - sq / q.w), in homogeneous coordinates
      local r, a, b = {}, math.abs(sq), math.abs(sp)
      for c = 1, 4 do
        r[c] = a * p[c] + b * q[c]
        assert(math.abs(r[c]) < 2 ^ 53)
      end
      result[#result + 1] = reduced(r)
    end
  end
  return result
end

local function opposite(a)
  return { -a[1], -a[2], -a[3] }
end

local function common_part(a, b)
  local polygon = {}
  for i = 1, 3 do
    polygon[i] = { a[i][1], a[i][2], a[i][3], 1 }
  end
  local normal = cross(minus(b[2], b[1]), minus(b[3], b[1]))
  assert(dot(normal, normal) > 0)
  polygon = clip(clip(polygon, normal, dot(normal, b[1])), opposite(normal), -dot(normal, b[1]))
  for k = 1, 3 do
    local outward = cross(minus(b[k % 3 + 1], b[k]), normal)
    polygon = clip(polygon, outward, dot(outward, b[k]))
  end
  return polygon
end

--- Whether a and b have more in common than their first `shared` corners.
local function expected(a, b, shared)
  local part = common_part(a, b)
  for _, p in ipairs(part) do
    if shared == 0 then
      return true
    elseif shared == 1 then
      if p[1] ~= a[1][1] * p[4] or p[2] ~= a[1][2] * p[4] or p[3] ~= a[1][3] * p[4] then
        return true
      end
    else
      local offset = { p[1] - a[1][1] * p[4], p[2] - a[1][2] * p[4], p[3] - a[1][3] * p[4] }
      local away = cross(offset, minus(a[2], a[1]))
      if dot(away, away) ~= 0 then
        return true
      end
    end
  end
  return false
end

local function has_area(t)
  local normal = cross(minus(t[2], t[1]), minus(t[3], t[1]))
  return dot(normal, normal) > 0
end

local function random_triangle(random, size, depth)
  local t
  repeat
    t = {}
    for i = 1, 3 do
      t[i] = { random(size + 1), random(size + 1), random(depth + 1) }
    end
  until has_area(t)
  return t
end

--- The two triangles as one mesh, or two.
local function judged(a, b, shared)
  if shared == 0 then
    local one = { vertices = a, faces = { { 1, 2, 3 } } }
    local other = { vertices = b, faces = { { 2, 3, 1 } } }
    local hits = weft.inspect.intersections(one, other).count
    assert.equal(hits, weft.inspect.intersections(other, one).count)
    return hits == 1
  end
  local vertices, second = { a[1], a[2], a[3] }, {}
  for k = 1, 3 do
    if k > shared then
      vertices[#vertices + 1] = b[k]
    end
    second[k] = k > shared and #vertices or k
  end
  local faces = { { 1, 2, 3 }, { second[2], second[3], second[1] } }
  return weft.inspect.intersections({ vertices = vertices, faces = faces }).count == 1
end

describe("weft.inspect.intersections", function()
  for shared = 0, 2 do
    it("is exact for triangles that share " .. shared .. " vertices", function()
      local random, seen = support.stream(shared + 5), { [true] = 0, [false] = 0 }
      for i = 1, 900 do
        local size = 1 + i % 4
        local depth = ({ 0, 1, size })[i % 3 + 1]
        local a = random_triangle(random, size, depth)
        local b
        repeat
          b = random_triangle(random, size, depth)
          for k = 1, shared do
            b[k] = a[k]
          end
        until has_area(b)
        local answer = expected(a, b, shared)
        seen[answer] = seen[answer] + 1
        assert.equal(answer, judged(a, b, shared))
      end
      assert.is_true(seen[true] > 40 and seen[false] > 40)
    end)
  end

  it("counts touching within one rounding error, and only touching", function()
    local floor = { vertices = { { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
    local function above(z)
      return { vertices = { { 0, 0, z }, { 0.1, 0, 1 }, { 0, 0.1, 1 } }, faces = { { 1, 2, 3 } } }
    end
    assert.equal(1, weft.inspect.intersections(floor, above(0)).count)
    assert.equal(0, weft.inspect.intersections(floor, above(1e-50)).count)
    assert.equal(1, weft.inspect.intersections(floor, above(-1e-50)).count)
  end)

  it("takes faces without area", function()
    local floor = { vertices = { { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
    local function pin(z)
      return { vertices = { { 0, 0, z }, { 0, 0, z + 1 }, { 0, 0, z + 2 } }, faces = { { 1, 2, 3 } } }
    end
    assert.equal(1, weft.inspect.intersections(floor, pin(-0.5)).count)
    assert.equal(1, weft.inspect.intersections(floor, pin(-2)).count)
    assert.equal(0, weft.inspect.intersections(floor, pin(0.25)).count)
  end)

  --- A square sheet of n x n cells, z = height(x, y), put so far along x.
  local function sheet(n, height, along)
    local vertices, faces = {}, {}
    for j = 0, n do
      for i = 0, n do
        local x, y = i / n, j / n
        vertices[#vertices + 1] = { x + (along or 0), y, height(x, y) }
        if i < n and j < n then
          local v = j * (n + 1) + i + 1
          faces[#faces + 1] = { v, v + 1, v + n + 2 }
          faces[#faces + 1] = { v, v + n + 2, v + n + 1 }
        end
      end
    end
    return { vertices = vertices, faces = faces }
  end

  it("finds nothing in a sheet, flat or wavy", function()
    assert.equal(0, weft.inspect.intersections(sheet(60, function() return 0 end)).count)
    assert.equal(0, weft.inspect.intersections(sheet(60, function(x, y) return 0.1 * x + 0.3 * y end)).count)
    assert.equal(0, weft.inspect.intersections(sheet(60, function(x, y)
      return 0.1 * math.sin(9 * x) * math.cos(7 * y)
    end)).count)
  end)

  local function brute_force(a, b)
    local pairs_found = {}
    for f, p in ipairs(a.faces) do
      for g, q in ipairs(b.faces) do
        local one = { vertices = { a.vertices[p[1]], a.vertices[p[2]], a.vertices[p[3]] }, faces = { { 1, 2, 3 } } }
        local two = { vertices = { b.vertices[q[1]], b.vertices[q[2]], b.vertices[q[3]] }, faces = { { 1, 2, 3 } } }
        if weft.inspect.intersections(one, two).count == 1 then
          pairs_found[#pairs_found + 1] = { f, g }
        end
      end
    end
    return pairs_found
  end

  it("finds every pair that brute force finds, in order, for any number of threads", function()
    local a = sheet(9, function(x, y) return 0.2 * math.sin(9 * x + 2 * y) end)
    local b = sheet(11, function(x, y) return 0.2 * math.cos(7 * y - x) end)
    local brute = brute_force(a, b)
    assert.is_true(#brute > 20)
    local threads = weft.threads()
    for _, count in ipairs { 1, 2 } do
      weft.threads(count)
      local hits = weft.inspect.intersections(a, b)
      assert.equal(#brute, hits.count)
      assert.same(brute, hits.pairs:table())
    end
    weft.threads(threads)
    local few = weft.inspect.intersections(a, b, { limit = 7 })
    assert.equal(#brute, few.count)
    assert.equal(7, #few.pairs)
    assert.same({ unpack(brute, 1, 7) }, few.pairs:table())
  end)

  for along, some in pairs { [-0.75] = true, [0.5] = true, [1] = true, [1.0625] = false } do
    it("finds them where only a part of one is beside the other, along " .. along, function()
      local a = sheet(8, function(x, y) return 0.25 * x * y end)
      local b = sheet(8, function(_, y) return 0.125 * y end, along)
      local brute, hits = brute_force(a, b), weft.inspect.intersections(a, b)
      assert.equal(some, #brute > 0)
      assert.equal(#brute, hits.count)
      assert.same(brute, hits.pairs:table())
    end)
  end

  it("finds a sheet folded onto itself and one that passes through itself", function()
    -- Two triangles over one edge, folded flat onto each other.
    local folded = { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } },
      faces = { { 1, 2, 3 }, { 2, 1, 4 } } }
    assert.equal(1, weft.inspect.intersections(folded).count)
    folded.vertices[4] = { 1, 1, 1e-50 }
    assert.equal(0, weft.inspect.intersections(folded).count)
    folded.vertices[4] = { 1, -1, 0 }
    assert.equal(0, weft.inspect.intersections(folded).count)
    -- A fan around one vertex whose last blade pierces the first.
    local fan = { vertices = { { 0, 0, 0 }, { 2, -1, 0 }, { 2, 1, 0 }, { 1, 0, -1 }, { 1, 0, 1 } },
      faces = { { 1, 2, 3 }, { 1, 4, 5 } } }
    local hits = weft.inspect.intersections(fan)
    assert.same({ { 1, 2 } }, hits.pairs:table())
  end)

  it("says what is wrong with its arguments", function()
    local good = support.tetrahedron
    assert.matches("a must be something with positions and faces.*got 3",
      support.message_of(weft.inspect.intersections, 3))
    assert.matches("b must be something with positions and faces.*got {}",
      support.message_of(weft.inspect.intersections, good, {}))
    assert.matches("limit must be", support.message_of(weft.inspect.intersections, good, nil, { limit = -1 }))
    assert.matches("unknown option 'limits'; did you mean 'limit'",
      support.message_of(weft.inspect.intersections, good, nil, { limits = 1 }))
    assert.matches("faces%[1%] must be", support.message_of(weft.inspect.intersections,
      { vertices = good.vertices, faces = { { 1, 2, 9 } } }))
  end)

  it("survives each failing allocation", function()
    local _, count = support.fail_each_allocation(function()
      return weft.inspect.intersections(support.tetrahedron, support.tetrahedron)
    end)
    assert.is_true(count >= 5)
  end)
end)
