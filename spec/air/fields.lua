-- What specs of velocity fields share: derivatives, integrals over circles and spheres.

local vectors = require "spec.vectors"
local weft = require "weft"

local norm = vectors.norm

local fields = {}

function fields.near(expected, got, tolerance, what)
  local is_near = math.abs(expected - got) <= tolerance -- false for NaN
  if not is_near then
    error(("%sexpected %.15g, got %.15g"):format(what and what .. ": " or "", expected, got), 2)
  end
end

--- The velocities at a list of points, as a list.
function fields.at_points(source, points, time)
  local buffer = weft.buffer { count = #points }
  buffer:assign(points)
  return source:at(buffer, time or 0):table()
end

--- gradient[i][j] = du_i / dx_j by fourth-order central differences of step h.
function fields.gradient(source, point, h, time)
  local points = {}
  for j = 1, 3 do
    for _, k in ipairs { -2, -1, 1, 2 } do
      local p = { point[1], point[2], point[3] }
      p[j] = p[j] + k * h
      points[#points + 1] = p
    end
  end
  local u, gradient = fields.at_points(source, points, time), { {}, {}, {} }
  for j = 1, 3 do
    local a, b, c, d = u[4 * j - 3], u[4 * j - 2], u[4 * j - 1], u[4 * j]
    for i = 1, 3 do
      gradient[i][j] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h)
    end
  end
  return gradient
end

--- The divergence, the curl's length, and the root of the sum of all squared derivatives, to compare with.
function fields.derivatives(source, point, h, time)
  local g, sum = fields.gradient(source, point, h, time), 0
  for i = 1, 3 do
    for j = 1, 3 do
      sum = sum + g[i][j] ^ 2
    end
  end
  local curl = { g[3][2] - g[2][3], g[1][3] - g[3][1], g[2][1] - g[1][2] }
  return g[1][1] + g[2][2] + g[3][3], math.sqrt(curl[1] ^ 2 + curl[2] ^ 2 + curl[3] ^ 2), math.sqrt(sum), curl
end

function fields.dot(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end

function fields.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

function fields.unit(a)
  local length = norm(a)
  return { a[1] / length, a[2] / length, a[3] / length }
end

--- Two directions across an axis, which with it make a right-handed frame.
function fields.across(axis)
  local a = fields.unit(fields.cross(axis, math.abs(axis[1]) < 0.6 and { 1, 0, 0 } or { 0, 1, 0 }))
  return a, fields.cross(axis, a)
end

function fields.sum(a, b, scale)
  return { a[1] + b[1] * (scale or 1), a[2] + b[2] * (scale or 1), a[3] + b[3] * (scale or 1) }
end

--- The line integral of the velocity around a circle, by the trapezoidal rule, which is exact to rounding for smooth
--- fields and enough points.
function fields.circulation(source, centre, axis, radius, count)
  local a, b = fields.across(axis)
  local points, tangents = {}, {}
  for i = 1, count do
    local angle = 2 * math.pi * i / count
    local c, s = math.cos(angle), math.sin(angle)
    points[i] = fields.sum(fields.sum(centre, a, radius * c), b, radius * s)
    tangents[i] = fields.sum({ -s * a[1], -s * a[2], -s * a[3] }, b, c)
  end
  local total = 0
  for i, u in ipairs(fields.at_points(source, points)) do
    total = total + fields.dot(u, tangents[i]) * 2 * math.pi * radius / count
  end
  return total
end

--- Nodes and weights of Gauss's rule on -1 to 1.
function fields.gauss(count)
  local nodes, weights = {}, {}
  for i = 1, count do
    local z, slope = math.cos(math.pi * (i - 0.25) / (count + 0.5)), 0
    for _ = 1, 30 do
      local p, before = 1, 0
      for j = 1, count do
        p, before = ((2 * j - 1) * z * p - (j - 1) * before) / j, p
      end
      slope = count * (z * p - before) / (z * z - 1)
      z = z - p / slope
    end
    nodes[i], weights[i] = z, 2 / ((1 - z * z) * slope * slope)
  end
  return nodes, weights
end

--- The flow through a sphere, outwards.
function fields.flux(source, centre, radius, count)
  local nodes, weights = fields.gauss(count)
  local points, normals, shares = {}, {}, {}
  for i = 1, count do
    local sine = math.sqrt(1 - nodes[i] ^ 2)
    for j = 1, 2 * count do
      local angle = math.pi * j / count
      local n = { sine * math.cos(angle), nodes[i], sine * math.sin(angle) }
      normals[#normals + 1] = n
      points[#points + 1] = fields.sum(centre, n, radius)
      shares[#shares + 1] = weights[i] * math.pi / count * radius * radius
    end
  end
  local total = 0
  for i, u in ipairs(fields.at_points(source, points)) do
    total = total + fields.dot(u, normals[i]) * shares[i]
  end
  return total
end

--- Points in a box around the origin, the same in every run.
function fields.random_points(count, half, seed)
  local state = seed or 7
  local function next_number()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  local points = {}
  for i = 1, count do
    points[i] = { half * (2 * next_number() - 1), half * (2 * next_number() - 1), half * (2 * next_number() - 1) }
  end
  return points
end

return fields
