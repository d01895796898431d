-- Kang's linear-time update (2003) on spring nets: memory, time by size, by sweeps, and its error against that of
-- solved steps in the same time, in one plot.
--
--   luajit bench/kang.lua [repeats=5] [quick]
--
-- Prints tables, writes out/kang.json and, where gnuplot is installed, out/kang.png. Times are the processor's, on one
-- thread.

local common = require "bench.common"
local weft = require "weft"

local options = common.arguments { repeats = 5, quick = false }
local step = weft.step
local targets = {}

local function sheet(side, more)
  local given = { points = { side, side }, total_mass = 0.05, axial_stiffness = 0.03, gravity = { 0, -9.8, 0 },
    pins = { 1, side } }
  for name, value in pairs(more or {}) do
    given[name] = value
  end
  return step.spring_sheet(given)
end

--- Processor seconds of one step, of `steps` made in a row.
local function time_steps(springs, scheme, steps)
  local integrator = step.integrator(scheme)
  integrator:run { equation = springs, from = 0, to = 1 / 150, steps = 1 } -- allocates
  local start = os.clock()
  integrator:run { equation = springs, from = 0, to = steps / 150, steps = steps }
  return (os.clock() - start) / steps
end

-- ---- memory --------------------------------------------------------------------------------------------------------

local function measure_memory()
  local side = options.quick and 21 or 201
  collectgarbage()
  collectgarbage()
  local before = weft.memory()
  local springs = sheet(side)
  local integrator = step.integrator "kang"
  integrator:step { equation = springs, step = 1 / 150 }
  collectgarbage()
  collectgarbage()
  local bytes, vertices, edges = weft.memory() - before, springs.vertices, #springs.edges
  local allowed = 320 * vertices + 120 * edges
  print(("memory of a net of %d vertices and %d springs with its integrator: %.1f MB, %.0f bytes a vertex"):format(
    vertices, edges, bytes / 1e6, bytes / vertices))
  targets[#targets + 1] = common.target("memory of a net and its scheme", "320 B/vertex + 120 B/spring",
    ("%.0f %% of that"):format(100 * bytes / allowed), bytes <= allowed)
  return { vertices = vertices, edges = edges, bytes = bytes, allowed = allowed }
end

-- ---- time by size --------------------------------------------------------------------------------------------------

local function slope(points)
  local n, sx, sy, sxx, sxy = #points, 0, 0, 0, 0
  for _, p in ipairs(points) do
    local x, y = math.log(p[1]), math.log(p[2])
    sx, sy, sxx, sxy = sx + x, sy + y, sxx + x * x, sxy + x * y
  end
  return (n * sxy - sx * sy) / (n * sxx - sx * sx)
end

local function measure_sizes()
  local sides = options.quick and { 8, 16, 32 } or { 32, 40, 46, 64, 128, 256, 512 }
  local measurements, rows, points = {}, {}, {}
  for _, side in ipairs(sides) do
    local springs = sheet(side)
    local steps = math.max(2, math.floor((options.quick and 2e4 or 3e5) / side ^ 2))
    measurements[#measurements + 1] = { "s" .. side, function() return time_steps(springs, "kang", steps) end }
  end
  local medians = common.interleave(options.repeats, measurements)
  print "vertices | ms a step | ns a vertex (one sweep)"
  for _, side in ipairs(sides) do
    local seconds = medians["s" .. side]
    rows[#rows + 1] = { vertices = side ^ 2, seconds = seconds }
    points[#points + 1] = { side ^ 2, seconds }
    print(("%8d | %9.3f | %6.0f"):format(side ^ 2, 1e3 * seconds, 1e9 * seconds / side ^ 2))
  end
  local exponent = slope(points)
  targets[#targets + 1] = common.target("time of a step by vertices, exponent", "0.9 to 1.2", ("%.2f"):format(exponent),
    exponent >= 0.9 and exponent <= 1.2)
  -- The thesis' meshes of 3,025 and 4,104 triangles took 10.8 and 15.8 ms in 2003.
  for side, limit in pairs(options.quick and {} or { [40] = 1.0, [46] = 1.5 }) do
    local ms = 1e3 * medians["s" .. side]
    targets[#targets + 1] = common.target(("a step of %d vertices"):format(side ^ 2), ("%.1f ms"):format(limit),
      ("%.3f ms"):format(ms), ms <= limit)
  end
  return { rows = rows, exponent = exponent }
end

-- ---- time by sweeps ------------------------------------------------------------------------------------------------

local function measure_sweeps()
  local counts, springs = { 1, 3, 5, 9, 17, 33 }, sheet(options.quick and 12 or 40)
  local measurements = {}
  for _, k in ipairs(counts) do
    local steps = math.max(2, math.floor((options.quick and 50 or 2000) / (k + 5)))
    measurements[#measurements + 1] = { "k" .. k, function()
      return time_steps(springs, { scheme = "kang", iterations = k }, steps)
    end }
  end
  local medians = common.interleave(options.repeats, measurements)
  local n, sx, sy, sxx, sxy = #counts, 0, 0, 0, 0
  for _, k in ipairs(counts) do
    local t = medians["k" .. k]
    sx, sy, sxx, sxy = sx + k, sy + t, sxx + k * k, sxy + k * t
  end
  local each = (n * sxy - sx * sy) / (n * sxx - sx * sx)
  local base, worst = (sy - each * sx) / n, 0
  for _, k in ipairs(counts) do
    worst = math.max(worst, math.abs(medians["k" .. k] / (base + each * k) - 1))
  end
  print(("%d vertices: a step takes %.1f us and %.1f us a sweep"):format(springs.vertices, 1e6 * base, 1e6 * each))
  targets[#targets + 1] = common.target("time of k sweeps, off a straight line", "10 %",
    ("%.1f %%"):format(100 * worst), worst <= 0.1)
  return { base = base, sweep = each, worst = worst }
end

-- ---- error against time --------------------------------------------------------------------------------------------

-- 3,025 triangles, as many as the thesis' third mesh: 55 strips of 55, between rows of 29 and 28 points in turn, 1 m
-- square, with the thesis' mass; two neighbouring corners are pinned, and it starts level.
local function strips(axial)
  local positions, faces, rows, start = {}, {}, 56, {}
  for j = 0, rows - 1 do
    start[j] = #positions
    local long = j % 2 == 0
    for i = 0, long and 28 or 27 do
      positions[#positions + 1] = { (i + (long and 0 or 0.5)) / 28, 0, j / (rows - 1) }
    end
  end
  for j = 0, rows - 2 do
    local long, short = start[j], start[j + 1]
    if j % 2 == 1 then
      long, short = short, long
    end
    for i = 1, 28 do
      faces[#faces + 1] = { long + i, long + i + 1, short + i }
      if i < 28 then
        faces[#faces + 1] = { short + i, long + i + 1, short + i + 1 }
      end
    end
  end
  return step.springs { positions = positions, faces = faces, total_mass = 0.05, axial_stiffness = axial,
    gravity = { 0, -9.8, 0 }, pins = { 1, 29 }, tolerance = 1e-6 }, #faces
end

local SECONDS = 0.3

local schemes = {
  { name = "Kang, 1 sweep", scheme = "kang" },
  { name = "Kang, 9 sweeps", scheme = "kang", iterations = 9 },
  { name = "backward Euler, one solve", scheme = "backward euler" },
  { name = "backward Euler, full Newton", scheme = "backward euler", newton = "full", linearisation = "exact",
    newton_tolerance = 1e-5, newton_iterations = 200, linear_tolerance = 1e-3 },
}

local function rms_difference(a, b)
  local sum, p, q = 0, a:ffi(), b:ffi()
  for i = 0, 3 * #a - 1 do
    sum = sum + (p.ptr[i] - q.ptr[i]) ^ 2
  end
  return math.sqrt(sum / #a)
end

--- Runs one scheme with one step; seconds of computing per second of motion, and the error.
local function measure_error(springs, scheme, steps, reference)
  local given = {}
  for name, value in pairs(scheme) do
    given[name] = name ~= "name" and value or nil
  end
  local integrator = step.integrator(given)
  local start = os.clock()
  local result = integrator:run { equation = springs, from = 0, to = SECONDS, steps = steps }
  local seconds = (os.clock() - start) / SECONDS
  return { steps = steps, step = SECONDS / steps, seconds = seconds, error = rms_difference(result.x, reference),
    stretch = (springs:stretch { x = result.x }), newton_iterations = result.work.newton_iterations,
    solver_iterations = result.work.solver_iterations }
end

local function measure_errors(axial)
  local springs, faces = strips(axial)
  -- A fourth-order reference far within its limit of stability; its own error shows when its step is halved.
  local fine = math.ceil(SECONDS / springs.explicit_step) * 2
  local function solution(steps)
    return step.integrator("rk4"):run({ equation = springs, from = 0, to = SECONDS, steps = steps }).x
  end
  local reference = solution(2 * fine)
  local doubt = rms_difference(solution(fine), reference)
  print(("%d triangles, EA = %g N, %g s: reference with %d steps of rk4, known to %.0e m"):format(faces, axial, SECONDS,
    2 * fine, doubt))
  local curves = {}
  for s, scheme in ipairs(schemes) do
    curves[s] = { name = scheme.name, points = {} }
    for _, steps in ipairs(options.quick and { 9, 45 } or { 9, 18, 45, 90, 180, 450, 900, 1800 }) do
      local last = curves[s].points[#curves[s].points]
      if not (last and last.seconds > (options.quick and 1 or 3)) then
        local p = measure_error(springs, scheme, steps, reference)
        table.insert(curves[s].points, p)
        print(("  %-28s h = 1/%-5.0f %9.4f s per s   error %.2e m   stretch %6.3f   %d Newton, %d solver iterations")
          :format(scheme.name, 1 / p.step, p.seconds, p.error, p.stretch, p.newton_iterations, p.solver_iterations))
      end
    end
  end
  return { axial_stiffness = axial, faces = faces, vertices = springs.vertices, reference_steps = 2 * fine,
    reference_error = doubt, reference_stretch = (springs:stretch { x = reference }), curves = curves }
end

local function plot(results)
  local data = common.out .. "/kang.dat"
  local file, blocks = assert(io.open(data, "w")), {}
  for panel, result in ipairs(results) do
    blocks[panel] = {}
    for c, curve in ipairs(result.curves) do
      blocks[panel][c] = #blocks[panel] + (panel - 1) * #result.curves
      for _, p in ipairs(curve.points) do
        file:write(("%g %g %g\n"):format(p.seconds, p.error, 1 / p.step))
      end
      file:write "\n\n"
    end
  end
  file:close()
  local script = {
    "set terminal pngcairo size 1500,640 font 'sans,12'", ("set output '%s/kang.png'"):format(common.out),
    "set logscale xy", "set grid",
    "set multiplot layout 1,2 title '3,025 triangles, two corners pinned, 0.3 s from rest'",
    "set xlabel 'computing time per second of motion (s)'", "set ylabel 'error of positions, root mean square (m)'",
    "set format y '10^{%L}'", "set format x '10^{%L}'", "set key bottom left", "set yrange [1e-4:1]",
  }
  for panel, result in ipairs(results) do
    local lines = {}
    for c, curve in ipairs(result.curves) do
      lines[c] = ("'%s' index %d using 1:2 with linespoints pt %d lw 2 title '%s'"):format(data, blocks[panel][c],
        ({ 7, 5, 9, 11 })[c], curve.name)
    end
    script[#script + 1] = ('set title "EA = %g N, %s; along each line h = 1/30 to 1/%.0f s"'):format(
      result.axial_stiffness, result.axial_stiffness == 0.03 and "as in the thesis" or "100 times the thesis",
      1 / result.curves[1].points[#result.curves[1].points].step)
    script[#script + 1] = "plot " .. table.concat(lines, ", \\\n  ")
  end
  local path = common.out .. "/kang.gnuplot"
  file = assert(io.open(path, "w"))
  file:write(table.concat(script, "\n"), "\n")
  file:close()
  if os.execute "command -v gnuplot >/dev/null 2>&1" ~= 0 then
    print "no plot: gnuplot is not installed (Debian package gnuplot-nox)"
  elseif os.execute(("gnuplot '%s'"):format(path)) == 0 then
    print(("the plot is %s/kang.png"):format(common.out))
  end
end

-- --------------------------------------------------------------------------------------------------------------------

local result = { memory = measure_memory(), sizes = measure_sizes(), sweeps = measure_sweeps() }
result.errors = { measure_errors(0.03), measure_errors(3) }
plot(result.errors)
common.print_targets(targets)
result.targets = targets
common.write("kang", result)
