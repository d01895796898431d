--- Laws fitted to measured curves, and their plot.

local core = require "weft.core"
local options = require "weft.options"

local fit = {}

--- The law at x, and its slope there.
local function value_at(law, x)
  if type(law) ~= "table" or law.at ~= value_at then
    error(("law.at: law must be what weft.fabric.fit returns, got %s"):format(core.value_text(law)), 2)
  elseif type(x) ~= "number" or x ~= x or math.abs(x) == math.huge then
    error(("law.at: x must be a number, got %s"):format(core.value_text(x)), 2)
  end
  if law.kind == "line" then
    return law.offset + law.modulus * x, law.modulus
  end
  return core.knots_value(law.knots, law.kind == "spline", x)
end

local function fit_branch(given, name)
  local branch = given
  if type(given) == "table" then
    branch = {}
    for option, value in pairs(given) do
      branch[option] = value
    end
    branch.curve, branch.unloading = nil, nil
    branch[name] = given[name]
  end
  local law = options.call(3, core.fit_curve, branch)
  law.kind = given.kind or "line"
  law.at = value_at
  return law
end

--- Both branches at the corners of the first, as a fabric's curves take them: from the origin to one top, the unloading
--- one nowhere above the other or below 0.
local function branches_of(law)
  local loading, unloading, count = {}, {}, #law.knots
  for i = 1, count do
    local strain, load = law.knots:get(i)
    if strain > 0 then
      loading[#loading + 1] = { strain, load }
      if i < count then
        unloading[#unloading + 1] = { strain, math.max(0, math.min(load, (law.unloading:at(strain)))) }
      end
    end
  end
  return { loading = loading, unloading = unloading }
end

--- Fits; `given` is what weft.fabric.fit takes.
function fit.fit(given)
  local law = fit_branch(given, "curve")
  if given.unloading ~= nil then
    if law.kind == "line" then
      error("weft.fabric.fit: unloading is of segments and splines; a line has one branch", 2)
    end
    law.unloading = fit_branch(given, "unloading")
    law.branches = branches_of(law)
  end
  return law
end

--- A string of gnuplot, within which nothing has a meaning: in double quotes it would run what stands in backticks.
local function quoted(text)
  return "'" .. text:gsub("%c", " "):gsub("'", "''") .. "'"
end

local function data_of(points)
  local lines = {}
  for _, point in ipairs(points) do
    lines[#lines + 1] = ("%.9g %.9g"):format(point[1], point[2])
  end
  return table.concat(lines, "\n") .. "\ne\n"
end

local function is_curve(value)
  if type(value) ~= "table" or #value < 2 then
    return false
  end
  for _, point in ipairs(value) do
    if type(point) ~= "table" or type(point[1]) ~= "number" or type(point[2]) ~= "number" then
      return false
    end
  end
  return true
end

--- The law over the range of the points.
local function course_of(law, curve)
  local first, last, course = curve[1][1], curve[#curve][1], {}
  for k = 0, 200 do
    local x = first + (last - first) * k / 200
    course[k + 1] = { x, (law:at(x)) }
  end
  return course
end

--- Writes the data and the law over it as a PNG by gnuplot, from a script beside it.
function fit.plot(verb, law, given)
  options.check(verb, given, { "curve", "unloading", "file", "title", "x_label", "y_label" }, 2)
  options.path(verb, "file", given.file, 2)
  if not given.file:match "%.png$" then
    error(("%s: file must be a path that ends with .png, got %s"):format(verb, core.value_text(given.file)), 3)
  elseif not is_curve(given.curve) then
    error(("%s: curve must be a list of points {x, y}, got %s"):format(verb, core.value_text(given.curve)), 3)
  elseif given.unloading ~= nil and not is_curve(given.unloading) then
    error(("%s: unloading must be a list of points {x, y}, got %s"):format(verb, core.value_text(given.unloading)), 3)
  end
  for _, name in ipairs { "title", "x_label", "y_label" } do
    if given[name] ~= nil and type(given[name]) ~= "string" then
      error(("%s: %s must be a string, got %s"):format(verb, name, core.value_text(given[name])), 3)
    end
  end
  local data = { data_of(given.curve), data_of(course_of(law, given.curve)) }
  local plots = { '"-" using 1:2 with points pointtype 7 title "measured"',
    '"-" using 1:2 with lines linewidth 2 title ' .. quoted(law.kind) }
  if given.unloading then
    plots[3], data[3] = '"-" using 1:2 with points pointtype 6 title "measured, unloading"', data_of(given.unloading)
    if law.unloading then
      plots[4] = '"-" using 1:2 with lines linewidth 2 title ' .. quoted(law.kind .. ", unloading")
      data[4] = data_of(course_of(law.unloading, given.unloading))
    end
  end
  local path = given.file:gsub("%.png$", ".gnuplot")
  local script, message = io.open(path, "w")
  if not script then
    error(("%s: %s"):format(verb, message), 3)
  end
  script:write("set terminal pngcairo size 900,600\nset output ", quoted(given.file), "\nset grid\nset key top left\n",
    "set title ", quoted(given.title or ""), " noenhanced\nset xlabel ", quoted(given.x_label or "strain"),
    " noenhanced\nset ylabel ", quoted(given.y_label or "load (N/m)"), " noenhanced\n",
    "plot ", table.concat(plots, ", "), "\n", table.concat(data))
  script:close()
  local done = os.execute(("gnuplot '%s' 2>/dev/null"):format((path:gsub("'", "'\\''"))))
  return done == true or done == 0
end

return fit
