-- A flexible plate held at its leading edge in a stream along it, by linear theory: small deflections of an elastic
-- strip in a flow without friction in two dimensions that leaves the trailing edge smoothly and sheds a wake there
-- (Kornecki, Dowell and O'Brien 1976; Eloy, Souilliez and Schouveiler 2007 for the clamped and the hinged plate).
-- Strip by its modes in vacuo; flow by vortices on the strip and in its wake, in time. For specs and
-- examples/validate.
--
-- Length, speed and density of the fluid are 1: mass is that of the strip per area over density and length, its
-- stiffness the bending modulus over density, square of speed and cube of length.

local flutter = {}

-- Roots b of cosh b cos b = -1, clamped and free, and of tan b = tanh b, hinged and free, whose first is a rotation.
local roots = {
  clamped = { 1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349, 14.1371683910, 17.2787595321 },
  hinged = { 0, 3.9266023120, 7.0685827456, 10.2101761228, 13.3517687778, 16.4933614313 },
}

--- Deflection and slope of a mode at x.
local function mode(edge, k, x)
  local b = roots[edge][k]
  if b == 0 then
    return math.sqrt(3) * x, math.sqrt(3)
  elseif edge == "hinged" then
    -- sin b x + (sin b / sinh b) sinh b x, of unit mean square but for terms of exp(-b)
    local ratio = math.sin(b) / math.sinh(b)
    local scale = math.sqrt(2)
    return scale * (math.sin(b * x) + ratio * math.sinh(b * x)),
      scale * b * (math.cos(b * x) + ratio * math.cosh(b * x))
  end
  local s = (math.cosh(b) + math.cos(b)) / (math.sinh(b) + math.sin(b))
  return math.cosh(b * x) - math.cos(b * x) - s * (math.sinh(b * x) - math.sin(b * x)),
    b * (math.sinh(b * x) + math.sin(b * x) - s * (math.cosh(b * x) - math.cos(b * x)))
end

--- Row-pivoted Gauss-Jordan inverse.
local function invert(a)
  local n = #a
  for i = 1, n do
    for j = 1, n do
      a[i][n + j] = i == j and 1 or 0
    end
  end
  for i = 1, n do
    local best = i
    for r = i + 1, n do
      best = math.abs(a[r][i]) > math.abs(a[best][i]) and r or best
    end
    a[i], a[best] = a[best], a[i]
    local row, pivot = a[i], a[i][i]
    for j = i, 2 * n do
      row[j] = row[j] / pivot
    end
    for r = 1, n do
      local other, factor = a[r], a[r][i]
      if r ~= i and factor ~= 0 then
        for j = i, 2 * n do
          other[j] = other[j] - factor * row[j]
        end
      end
    end
  end
  local inverse = {}
  for i = 1, n do
    inverse[i] = {}
    for j = 1, n do
      inverse[i][j] = a[i][n + j]
    end
  end
  return inverse
end

--- Motion of the tip after a small push: its deflections in steps of 1 / panels, and the length of a step.
--- Options: mass, stiffness, edge ("clamped" or "hinged"), panels (40), duration (30), gravity (0: along the stream,
--- over speed squared and length).
function flutter.tip(options)
  local n, edge, modes = options.panels or 40, options.edge or "clamped", 6
  local dx = 1 / n
  local h, m = dx, options.mass
  local at_vortex, at_point, slope = {}, {}, {}
  for j = 1, n do
    at_vortex[j], at_point[j], slope[j] = {}, {}, {}
    for k = 1, modes do
      at_vortex[j][k] = mode(edge, k, (j - 0.75) * dx)
      at_point[j][k], slope[j][k] = mode(edge, k, (j - 0.25) * dx)
    end
  end
  local function influence(i, x)
    return -1 / (2 * math.pi * ((i - 0.25) * dx - x))
  end
  local tension = {} -- the integral of m g (1 - x) phi' phi'
  for k = 1, modes do
    tension[k] = {}
    for l = 1, modes do
      local sum = 0
      for i = 1, 400 do
        local x = (i - 0.5) / 400
        local _, a = mode(edge, k, x)
        local _, b = mode(edge, l, x)
        sum = sum + m * (options.gravity or 0) * (1 - x) * a * b / 400
      end
      tension[k][l] = sum
    end
  end
  -- Unknowns: amplitudes, vortices of the strip, the one just shed. Trapezoidal rule for the strip, second-order
  -- backward differences for the pressure.
  local size, a = modes + n + 1, {}
  for i = 1, size do
    a[i] = {}
    for j = 1, size do
      a[i][j] = 0
    end
  end
  for k = 1, modes do
    a[k][k] = 4 * m / h ^ 2 + options.stiffness * roots[edge][k] ^ 4
    for l = 1, modes do
      a[k][l] = a[k][l] + tension[k][l]
    end
    local tail = 0
    for j = n, 1, -1 do
      tail = tail + at_vortex[j][k] * dx
      a[k][modes + j] = -(at_vortex[j][k] + 1.5 / h * tail)
    end
  end
  for i = 1, n do
    for k = 1, modes do
      a[modes + i][k] = -(2 / h * at_point[i][k] + slope[i][k])
    end
    for j = 1, n do
      a[modes + i][modes + j] = influence(i, (j - 0.75) * dx)
    end
    a[modes + i][size] = influence(i, 1 + 0.25 * dx)
  end
  for j = 1, n + 1 do
    a[size][modes + j] = 1
  end
  local inverse = invert(a)
  local q, v, acceleration, vortices, before = {}, {}, {}, {}, {}
  for k = 1, modes do
    q[k], v[k], acceleration[k] = 0, k <= 2 and 1e-3 or 0, 0
  end
  for j = 1, n do
    vortices[j], before[j] = 0, 0
  end
  local wake, tips, right, oldest = {}, {}, {}, 12 * n -- a wake of 12 lengths
  local first, last, shed, tip_of = 1, 0, 0, {}
  for k = 1, modes do
    tip_of[k] = mode(edge, k, 1)
  end
  for step = 1, math.floor((options.duration or 30) / h) do
    for k = 1, modes do
      right[k] = m * (4 / h ^ 2 * q[k] + 4 / h * v[k] + acceleration[k])
      local tail = 0
      for j = n, 1, -1 do
        tail = tail + at_vortex[j][k] * dx
        right[k] = right[k] + tail / h * (-2 * vortices[j] + 0.5 * before[j])
      end
    end
    for i = 1, n do
      local sum = 0
      for w = first, last do
        sum = sum + wake[w] * influence(i, 1 + 0.25 * dx + (last + 1 - w) * dx)
      end
      sum = -sum
      for k = 1, modes do
        sum = sum - at_point[i][k] * (2 / h * q[k] + v[k])
      end
      right[modes + i] = sum
    end
    right[size] = -shed
    local new = {}
    for i = 1, size do
      local row, sum = inverse[i], 0
      for j = 1, size do
        sum = sum + row[j] * right[j]
      end
      new[i] = sum
    end
    local tip = 0
    for k = 1, modes do
      local speed = 2 / h * (new[k] - q[k]) - v[k]
      acceleration[k] = 2 / h * (speed - v[k]) - acceleration[k]
      q[k], v[k] = new[k], speed
      tip = tip + q[k] * tip_of[k]
    end
    before, vortices = vortices, {}
    for j = 1, n do
      vortices[j] = new[modes + j]
    end
    last = last + 1
    wake[last] = new[size]
    shed = shed + new[size]
    first = last - first >= oldest and first + 1 or first
    tips[step] = tip
  end
  return tips, h
end

--- Growth rate and frequency (cycles per time) of what is left of an oscillation late in a record, by the least
--- squares fit of x(n+1) + a x(n) + b x(n-1) = 0 at a distance of about a tenth of a cycle.
function flutter.rate(record, step, from, to, lag)
  local p11, p12, p22, r1, r2 = 0, 0, 0, 0, 0
  local mean = 0
  for i = from, to do
    mean = mean + record[i] / (to - from + 1)
  end
  for i = from + lag, to - lag do
    local x, y, z = record[i + lag] - mean, record[i] - mean, record[i - lag] - mean
    p11, p12, p22, r1, r2 = p11 + y * y, p12 + y * z, p22 + z * z, r1 - x * y, r2 - x * z
  end
  local determinant = p11 * p22 - p12 * p12
  local a, b = (r1 * p22 - r2 * p12) / determinant, (p11 * r2 - p12 * r1) / determinant
  local inner = -a / (2 * math.sqrt(math.abs(b)))
  return math.log(math.abs(b)) / (2 * lag * step),
    math.abs(inner) < 1 and math.acos(inner) / (2 * math.pi * lag * step) or 0
end

--- Where values given at speeds pass through 0, NaN where they do not.
function flutter.onset(speeds, values)
  for k = 2, #speeds do
    if values[k - 1] < 0 and values[k] >= 0 then
      return speeds[k - 1] + (speeds[k] - speeds[k - 1]) * values[k - 1] / (values[k - 1] - values[k])
    end
  end
  return 0 / 0
end

return flutter
