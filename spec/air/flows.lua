-- Flows that theory and the literature know, for the specs and for examples/validate.

local weft = require "weft"

local flows = {}

--- Lists of values on the faces of a grid, from functions of the face's centre, in cells.
function flows.on_faces(cells, functions)
  local lists = {}
  for axis, name in ipairs { "x", "y", "z" } do
    local list, value = {}, functions[name]
    local count = { cells[1], cells[2], cells[3] }
    count[axis] = count[axis] + 1
    local shift = { 0.5, 0.5, 0.5 }
    shift[axis] = 0
    for k = 0, count[3] - 1 do
      for j = 0, count[2] - 1 do
        for i = 0, count[1] - 1 do
          list[#list + 1] = value and value(i + shift[1], j + shift[2], k + shift[3]) or 0
        end
      end
    end
    lists[name] = list
  end
  return lists
end

--- A vortex field of Taylor and Green in a box of 1 m: sin(2 pi x) cos(2 pi y), - cos(2 pi x) sin(2 pi y).
function flows.taylor_green(n, options)
  options.cells, options.size, options.boundary = { n, n, 1 }, { 1, 1, 1 / n }, { all = "periodic" }
  local k = 2 * math.pi / n
  local flow = weft.flow(options)
  local exact = flows.on_faces(options.cells, {
    x = function(i, j) return math.sin(k * i) * math.cos(k * j) end,
    y = function(i, j) return -math.cos(k * i) * math.sin(k * j) end,
  })
  flow:set(exact)
  return flow, exact
end

--- Root mean square of the difference to `factor` times what was set, of the x component.
function flows.error_of(flow, exact, factor)
  local x, sum = flow:faces "x", 0
  for i = 1, #x do
    sum = sum + (x:get(i) - factor * exact.x[i]) ^ 2
  end
  return math.sqrt(sum / #x)
end

-- ---- the cavity ----------------------------------------------------------------------------------------------------

-- u on x = 1/2 and v on y = 1/2 of the square cavity under a lid that slides with 1 along x: tables I and II of
-- U. Ghia, K. N. Ghia and C. T. Shin, "High-Re solutions for incompressible flow using the Navier-Stokes equations and
-- a multigrid method", J. Comput. Phys. 48 (1982).
flows.ghia = {
  y = { 0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5, 0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625,
    0.0547 },
  x = { 0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5, 0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703,
    0.0625 },
  [100] = {
    u = { 0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090, -0.15662, -0.10150,
      -0.06434, -0.04775, -0.04192, -0.03717 },
    v = { -0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454, 0.17527, 0.17507, 0.16077,
      0.12317, 0.10890, 0.10091, 0.09233 },
  },
  [1000] = {
    u = { 0.65928, 0.57492, 0.51117, 0.46604, 0.33304, 0.18719, 0.05702, -0.06080, -0.10648, -0.27805, -0.38289,
      -0.29730, -0.22220, -0.20196, -0.18109 },
    v = { -0.21388, -0.27669, -0.33714, -0.39188, -0.51550, -0.42665, -0.31966, 0.02526, 0.32235, 0.33075, 0.37095,
      0.32627, 0.30353, 0.29012, 0.27485 },
  },
}

--- A square cavity of 1 m under a lid that slides with 1 m/s, after so many seconds.
function flows.cavity(cells, reynolds, seconds)
  local flow = weft.flow { cells = { cells, cells, 1 }, size = { 1, 1, 1 / cells }, viscosity = 1 / reynolds,
    boundary = { all = "wall", y_high = { kind = "wall", velocity = { 1, 0, 0 } } } }
  for _ = 1, math.ceil(seconds * cells / 0.8) do
    flow:step(0.8 / cells)
  end
  return flow
end

--- The largest difference to the table, of either component.
function flows.cavity_error(flow, reynolds)
  local worst, table = 0, flows.ghia[reynolds]
  for i, y in ipairs(flows.ghia.y) do
    worst = math.max(worst, math.abs(flow:at({ 0.5, y, 0 })[1] - table.u[i]))
  end
  for i, x in ipairs(flows.ghia.x) do
    worst = math.max(worst, math.abs(flow:at({ x, 0.5, 0 })[2] - table.v[i]))
  end
  return worst
end

-- ---- the cylinder --------------------------------------------------------------------------------------------------

--- A cylinder of diameter 1 in a wind of 1 at Re 100 (or `reynolds`), in a box between two walls without friction:
--- `per` cells a diameter, `width` x `height` diameters, `ahead` of them in front of it. Strouhal numbers of
--- experiments are 0.164 to 0.166 (Williamson 1989), drags of computations without walls 1.33 to 1.35.
function flows.cylinder(options)
  local per, height, ahead = options.per, options.height, options.ahead
  local cells = { options.width * per, height * per, 1 }
  local wind = { 1, 0, 0 }
  local flow = weft.flow { cells = cells, cell = 1 / per, origin = { -ahead, -height / 2, 0 }, density = 1,
    viscosity = 1 / (options.reynolds or 100), boundary = { x_low = { kind = "inflow", velocity = wind },
      x_high = { kind = "open", velocity = wind }, y = "slip" } }
  --- What the circle leaves of a piece of a line at distance p from its centre, from a to b.
  local function chord(p, a, b)
    local half = 0.25 - p * p
    half = half > 0 and math.sqrt(half) or 0
    return 1 - math.max(0, math.min(b, half) - math.max(a, -half)) / (b - a)
  end
  local function x(i) return i / per - ahead end
  local function y(j) return j / per - height / 2 end
  flow:block(flows.on_faces(cells, {
    x = function(i, j) return chord(x(i), y(j - 0.5), y(j + 0.5)) end,
    y = function(i, j) return chord(y(j), x(i - 0.5), x(i + 0.5)) end,
    z = function(i, j) return x(i) ^ 2 + y(j) ^ 2 < 0.25 and 0 or 1 end,
  }))
  flow:set(flows.on_faces(cells, { -- with a push to one side, so that vortices begin soon
    x = function() return 1 end,
    y = function(i, j) return 0.3 * math.exp(-(x(i) - 1.5) ^ 2 - y(j) ^ 2) end,
  }))
  return flow
end

--- Steps such a flow to the time `to`; its Strouhal number and drag from the time `from` on, over whole periods.
function flows.shedding(flow, per, options)
  local before, times, drags = 0, {}, {}
  while flow.time < options.to do
    flow:step(options.step)
    local force = flow:force()
    if flow.time > options.from then
      if before < 0 and force[2] >= 0 then
        times[#times + 1] = flow.time - options.step * force[2] / (force[2] - before)
        drags[#times] = { 0, 0 }
      end
      local sum = drags[#times]
      if sum then
        sum[1], sum[2] = sum[1] + 2 * force[1] * per, sum[2] + 1
      end
    end
    before = force[2]
  end
  local drag, count = 0, 0
  for k = 1, #times - 1 do
    drag, count = drag + drags[k][1], count + drags[k][2]
  end
  return (#times - 1) / (times[#times] - times[1]), drag / count
end

return flows
