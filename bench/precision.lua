-- Work against precision of every scheme on every test equation: the largest error in the interval over the number of
-- floating-point operations, both in logarithms (Eurographics 2004 tutorial on clothes, figures 9 to 13).
--
--   luajit bench/precision.lua [equations=pendulum,kepler]
--
-- Prints a table of the observed orders and of what one error costs, writes out/precision.json and, where gnuplot is
-- there, out/precision_<equation>.png.

local weft = require "weft"
local common = require "bench.common"

local step = weft.step
local options = common.arguments { equations = "" }

local schemes = {
  "forward euler", "symplectic euler", "explicit midpoint", "rk4", "cash karp", "verlet", "verlet averaged",
  "backward euler", { scheme = "backward euler", newton = "full" }, "implicit midpoint", "trapezoid", "alpha", "bdf2",
  "alpha bdf2", "bdf3", "bdf4",
}
local imex = { "imex euler", "imex bdf2" } -- of equations that have a stiff part

-- A cloth of 1,008 stiff springs that hangs from its upper edge, for a second. Implicit schemes are stable with ten
-- steps, explicit ones need about a thousand (net.explicit_step).
local function spring_cloth()
  local pins = {}
  for i = 1, 19 do
    pins[i] = i
  end
  return step.spring_sheet {
    points = { 19, 19 }, along = { 1, 0, 0 }, across = { 0, -1, 0 }, total_mass = 0.2, stiffness = 200, pins = pins,
    projected_damping = 0.01,
  }
end

-- The interval of the stiff third example ends where the solution still moves.
local equations = {
  "example 1", step.equation { name = "example 1", lambda = -15 }, "example 2",
  step.equation { name = "example 3", to = 0.5 }, "oscillator", "pendulum", "kepler",
  step.equation { name = "spring chain", damping = 0.05 }, spring_cloth(),
}
local files = { "example_1", "example_1_stiff", "example_2", "example_3", "oscillator", "pendulum", "kepler",
  "spring_chain", "spring_cloth" }
local titles = { "y' = 2 y", "y' = -15 y", "y'' = -2.5 y - 5 y'", "a damped stiff spring, to 0.5 s", "an oscillator",
  "a pendulum from 2 rad", "an orbit of eccentricity 0.5", "five masses on stiff springs",
  "a cloth of 1,008 stiff springs" }

local function step_counts(halvings)
  local counts = {}
  for k = 0, halvings do
    counts[#counts + 1] = 10 * 2 ^ k
  end
  return counts
end

--- Rows of one scheme after the other: lists of { flops, error } by the scheme's label, in order.
local function curves(rows)
  local list, by_name = {}, {}
  for _, row in ipairs(rows) do
    if not by_name[row.scheme] then
      by_name[row.scheme] = { name = row.scheme }
      list[#list + 1] = by_name[row.scheme]
    end
    table.insert(by_name[row.scheme], row)
  end
  return list
end

--- Slope of the steepest stretch whose error is neither of runaway nor of rounding.
local function observed_order(curve)
  local order
  for k = 2, #curve do
    local coarse, fine = curve[k - 1].error, curve[k].error
    if fine > 1e-10 and coarse < 0.05 and fine < coarse then
      order = math.log(coarse / fine) / math.log(curve[k].steps / curve[k - 1].steps)
    end
  end
  return order
end

--- Operations for an error of at most `wanted`, between measured points on straight lines of the diagram.
local function cost(curve, wanted)
  for k = 2, #curve do
    local coarse, fine = curve[k - 1], curve[k]
    if fine.error <= wanted then
      if coarse.error <= wanted or coarse.error == math.huge or fine.error == 0 then
        return fine.flops
      end
      local part = math.log(coarse.error / wanted) / math.log(coarse.error / fine.error)
      return coarse.flops * (fine.flops / coarse.flops) ^ part
    end
  end
end

local function quote(text)
  return '"' .. text:gsub('[\\"]', "\\%0") .. '"'
end

local function plot(file, title, list)
  local data, script = common.out .. "/" .. file .. ".data", common.out .. "/" .. file .. ".gnuplot"
  local out = assert(io.open(data, "w"))
  local shown = {}
  for _, curve in ipairs(list) do
    local points = {}
    for _, row in ipairs(curve) do
      if row.error < 10 and row.error > 0 then
        points[#points + 1] = ("%.6g %.6g\n"):format(row.flops, row.error)
      end
    end
    if #points > 0 then
      shown[#shown + 1] = curve.name
      out:write(table.concat(points), "\n\n")
    end
  end
  out:close()
  out = assert(io.open(script, "w"))
  out:write(([[
set terminal pngcairo size 1100,800 font "sans,11" linewidth 1.4
set output %s
set title %s noenhanced
set logscale xy
set format "10^{%%L}"
set xlabel "floating-point operations"
set ylabel "largest error"
set grid
set key outside right noenhanced
plot ]]):format(quote(common.out .. "/" .. file .. ".png"), quote(title)))
  for k, name in ipairs(shown) do
    out:write(k > 1 and ", \\\n  " or "", ("%s index %d with linespoints linetype %d dashtype %d pointtype %d title %s")
      :format(quote(data), k - 1, (k - 1) % 8 + 1, k > 8 and 2 or 1, (k - 1) % 15 + 1, quote(name)))
  end
  out:write "\n"
  out:close()
  local done = os.execute(("gnuplot %s"):format(script))
  os.remove(data)
  os.remove(script)
  return done == 0 or done == true
end

local has_gnuplot = os.execute "command -v gnuplot >/dev/null 2>&1"
has_gnuplot = has_gnuplot == 0 or has_gnuplot == true
if not has_gnuplot then
  print "no plots: install gnuplot-nox"
end

local all = {}
print(("%-34s %-34s %6s %14s"):format("equation", "scheme", "order", "flops at 1e-4"))
for i, equation in ipairs(equations) do
  if options.equations == "" or ("," .. options.equations .. ","):find("," .. files[i] .. ",", 1, true) then
    local tried = { (table.unpack or unpack)(schemes) }
    if files[i]:find "^spring_" then
      tried[#tried + 1], tried[#tried + 2] = imex[1], imex[2]
    end
    local rows = step.precision { schemes = tried, equations = { equation },
      steps = step_counts(files[i] == "spring_cloth" and 8 or 10) }
    local list = curves(rows)
    for _, curve in ipairs(list) do
      local order, operations = observed_order(curve), cost(curve, 1e-4)
      print(("%-34s %-34s %6s %14s"):format(titles[i], curve.name, order and ("%.2f"):format(order) or "-",
        operations and ("%.3g"):format(operations) or "-"))
    end
    if has_gnuplot then
      assert(plot("precision_" .. files[i], titles[i], list), "gnuplot failed")
    end
    for _, row in ipairs(rows) do
      row.equation, row.error = titles[i], row.error < math.huge and row.error or nil -- JSON has no infinity
      all[#all + 1] = row
    end
  end
end
common.write("precision", { rows = all })
