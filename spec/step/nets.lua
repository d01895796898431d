-- Spring nets for specs, and how they are run. The sheet is that of Kang's thesis (2003, chapter 6) where the options
-- do not say otherwise: 33 x 33 points, 1 m x 1 m, 0.05 kg, springs of stiffness 0.03 N / l0, g = 9.8.

local weft = require "weft"

local nets = {}

local function with_defaults(options, defaults)
  for name, value in pairs(defaults) do
    if options[name] == nil then
      options[name] = value
    end
  end
  return options
end

nets.corners = { 1, 33 } -- two neighbouring ones

function nets.sheet(options)
  return weft.step.spring_sheet(with_defaults(options or {}, {
    points = { 33, 33 }, total_mass = 0.05, axial_stiffness = 0.03, gravity = { 0, -9.8, 0 },
  }))
end

--- Between two pinned ends, along x, with unit masses and springs, without weight.
function nets.chain(options)
  local points = options.points or 65
  return weft.step.spring_chain(with_defaults(options, {
    points = points, gravity = { 0, 0, 0 }, pins = { 1, points }, velocities = nil,
  }))
end

local function split(options)
  local run = {}
  for _, name in ipairs { "x", "v", "step", "steps", "every", "trace", "trace_every", "from", "to" } do
    run[name], options[name] = options[name], nil
  end
  return options, run
end

--- Runs `steps` steps of length `step` of a scheme given as { scheme =, ... } in the same table; returns the result.
function nets.run(springs, options)
  local scheme, run = split(options)
  run.equation, run.from = springs, run.from or 0
  run.to, run.step = run.from + run.step * run.steps, nil
  return weft.step.integrator(scheme):run(run)
end

--- Calls visit(x, v, number of steps made) after every step, until it returns false; x and v are buffers.
function nets.walk(springs, options, visit)
  local scheme, run = split(options)
  local integrator, x, v = weft.step.integrator(scheme), run.x, run.v
  for k = 1, run.steps do
    local ok, x1, v1 = pcall(integrator.step, integrator,
      { equation = springs, x = x, v = v, t = (k - 1) * run.step, step = run.step })
    if not ok then
      return nil, x1
    end
    x, v = x1, v1
    if visit(x, v, k) == false then
      break
    end
  end
  return x, v
end

--- The largest norm of a buffer of vectors.
function nets.largest(buffer)
  local largest, anchor = 0, buffer:ffi()
  for i = 0, #buffer - 1 do
    local a, b, c = anchor.ptr[3 * i], anchor.ptr[3 * i + 1], anchor.ptr[3 * i + 2]
    largest = math.max(largest, a * a + b * b + c * c)
    if largest ~= largest then
      return math.huge
    end
  end
  return math.sqrt(largest)
end

--- The largest difference of two buffers or lists of vectors, by component.
function nets.difference(a, b)
  local largest = 0
  for i = 1, #a do
    local p = type(a) == "table" and a[i] or { a:get(i) }
    local q = type(b) == "table" and b[i] or { b:get(i) }
    for c = 1, 3 do
      largest = math.max(largest, math.abs(p[c] - q[c]))
    end
  end
  return largest
end

--- Sum of m v, and sum of m |v|.
function nets.momentum(springs, v)
  local sum, size = { 0, 0, 0 }, 0
  for i = 1, #v do
    local m, p = springs.masses:get(i), { v:get(i) }
    for c = 1, 3 do
      sum[c] = sum[c] + m * p[c]
    end
    size = size + m * math.sqrt(p[1] ^ 2 + p[2] ^ 2 + p[3] ^ 2)
  end
  return math.sqrt(sum[1] ^ 2 + sum[2] ^ 2 + sum[3] ^ 2), size
end

return nets
