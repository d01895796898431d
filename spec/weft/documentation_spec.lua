-- Every public name carries a LuaCATS annotation in lua/weft: what editors show, and the reference.

local support = require "spec.support"
local weft = require "weft"
local sorted_keys = support.sorted_keys

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do
    lines[#lines + 1] = line
  end
  return lines
end

--- What a file documents: `fields` of each class, and names defined right below a `---` comment.
local function read_annotations(path)
  local found = { fields = {}, defined = {} }
  local documented_functions, class, commented = {}, nil, false
  for _, line in ipairs(lines_of(path)) do
    local comment = line:match "^%s*%-%-%-(.*)$"
    if comment then
      class = comment:match "^@class%s+([%w_.]+)" or class
      local field = comment:match "^@field%s+([%w_]+)%??%s+%S"
      if class then
        found.fields[class] = found.fields[class] or {}
        if field then
          found.fields[class][field] = true
        end
      end
      if comment:match "^@overload%s+fun%(" then
        found.defined[""] = true -- the part is a table that can be called
      end
      commented = true
    else
      local name = line:match "^%s*function%s+[%w_.]*[.:]([%w_]+)%s*%(" or line:match "^%s*[%w_.]+%.([%w_]+)%s*="
      if name and commented then
        found.defined[name] = true
      end
      local function_name = line:match "^local%s+function%s+([%w_]+)"
      if function_name and commented then
        documented_functions[function_name] = true
      end
      -- The part itself: a function that is returned, or what is called in its place.
      local returned = line:match "^return%s+([%w_]+)$"
      if (commented and line:match "^return%f[%W]") or documented_functions[returned or ""]
        or (commented and line:match "^%s*__call%s*=") then
        found.defined[""] = true
      end
      commented = false
    end
  end
  return found
end

local files = {}
for _, name in ipairs(support.parts()) do
  files[name] = read_annotations(("lua/weft/%s.lua"):format(name))
end
files.init = read_annotations "lua/weft/init.lua"

local function is_documented(class, name)
  for _, file in pairs(files) do
    if file.fields[class] and (file.fields[class][name] or file.defined[name]) then
      return true
    end
  end
  return false
end

-- Objects that the Lua side wraps; scripts do not see their methods.
local internal = { ["weft.picture"] = true, ["weft.sewing"] = true }

describe("The annotations", function()
  it("cover every method and property of every class", function()
    local missing = {}
    for class, members in pairs(support.classes()) do
      for _, list in ipairs { members.methods, members.fields } do
        for name in pairs(list) do
          if not internal[class] and not is_documented(class, name) then
            missing[#missing + 1] = class .. "." .. name
          end
        end
      end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)

  it("cover every function of every part", function()
    local missing = {}
    for _, part in ipairs(support.parts()) do
      for name in pairs(support.functions(weft[part])) do
        if not files[part].defined[name:gsub("^%.", "")] then
          missing[#missing + 1] = "weft." .. part .. name
        end
      end
    end
    for name, value in pairs(weft) do
      if type(value) == "function" and not files[name] and not files.init.defined[name] then
        missing[#missing + 1] = "weft." .. name
      end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)

  it("name no field that does not exist", function()
    local stale = {}
    for class, members in pairs(support.classes()) do
      for _, file in pairs(files) do
        for name in pairs(not internal[class] and file.fields[class] or {}) do
          if name ~= "closed" and members.methods[name] == nil and members.fields[name] == nil then
            stale[#stale + 1] = class .. "." .. name
          end
        end
      end
    end
    table.sort(stale)
    assert.same({}, stale)
  end)

  it("are found at all", function()
    assert.is_true(#sorted_keys(files) >= 3)
    assert.is_true(files.buffer.fields["weft.buffer"].get and files.buffer.defined.ffi)
    assert.is_nil(files.buffer.fields["weft.buffer"].no_such_field)
  end)
end)
