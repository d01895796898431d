-- The scripts in README.md and doc/reference.md run as they are printed, and print what their `-->` comments say.

local support = require "spec.support"
local weft = require "weft"

local load_text = loadstring or load

--- Whole numbers as such and others to four digits, the same in every Lua.
local function text_of(value)
  if type(value) ~= "number" then
    return tostring(value)
  elseif value == 0 then
    return "0" -- and not -0
  end
  return (value % 1 == 0 and math.abs(value) < 1e15 and "%.0f" or "%.4g"):format(value)
end

--- An environment of a script's own, in which `print` collects lines and globals cannot be made.
local function new_environment(lines)
  local function collect(...)
    local texts = {}
    for i = 1, select("#", ...) do
      texts[i] = text_of((select(i, ...)))
    end
    lines[#lines + 1] = table.concat(texts, " ")
  end
  local function refuse(_, name)
    error("the script makes the global " .. tostring(name), 2)
  end
  return setmetatable({}, {
    __index = function(_, name) return name == "print" and collect or _G[name] end,
    __newindex = refuse,
  })
end

local function compile(script, name, environment)
  if setfenv then
    return setfenv(assert(load_text(script, name)), environment)
  end
  return assert(load_text(script, name, "t", environment))
end

--- What a script prints, as its comments say.
local function announced_lines(script)
  local lines = {}
  for line in script:gmatch "%-%->[ ]*([^\n]*)" do
    lines[#lines + 1] = line:gsub("%s+", " ")
  end
  return lines
end

local function run(script, name)
  local lines = {}
  compile(script, name, new_environment(lines))()
  assert.is_true(#lines > 0, "prints nothing")
  local announced = announced_lines(script)
  if #announced > 0 then
    for i, line in ipairs(lines) do
      lines[i] = line:gsub("%s+", " ")
    end
    assert.same(announced, lines)
  end
end

for path, least in pairs { ["README.md"] = 4, ["doc/reference.md"] = 20 } do
  describe(path, function()
    local scripts = support.markdown_scripts(support.read_file(path))
    local threads = weft.threads()

    setup(function() os.execute "mkdir -p out" end)

    after_each(function()
      weft.threads(threads)
      weft.on_warning(nil)
    end)

    for i, script in ipairs(scripts) do
      it("shows a script that runs, " .. i, function()
        run(script, ("=%s script %d"):format(path, i))
      end)
    end

    it("shows several scripts", function()
      assert.is_true(#scripts >= least)
    end)
  end)
end
