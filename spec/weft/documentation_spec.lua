-- Every public name carries a LuaCATS annotation in lua/weft, which editors show, and is in doc/reference.md.

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
files.init, files.sewing = read_annotations "lua/weft/init.lua", read_annotations "lua/weft/sewing.lua"

local function is_documented(class, name)
  for _, file in pairs(files) do
    if file.fields[class] and (file.fields[class][name] or file.defined[name]) then
      return true
    end
  end
  return false
end

-- Objects that the Lua side wraps; scripts do not see their methods.
local internal = {
  ["weft.picture"] = true, ["weft.sewing"] = true, ["weft.march"] = true, ["weft.region"] = true, ["weft.trial"] = true,
  ["weft.cholmod"] = true,
}

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

  it("have a field for each number of a step and of a search", function()
    local contact = weft.contact { vertices = 3, cloth = { { 1, 2, 3 } }, half_thickness = 0.001 }
    contact:update { from = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, skin = 0.01 }
    for class, stats in pairs { world = weft.world().stats, contact = contact:stats() } do
      assert.same(sorted_keys(stats), sorted_keys(files[class].fields["weft." .. class .. ".stats"]))
    end
  end)

  it("are found at all", function()
    assert.is_true(#sorted_keys(files) >= 3)
    assert.is_true(files.buffer.fields["weft.buffer"].get and files.buffer.defined.ffi)
    assert.is_nil(files.buffer.fields["weft.buffer"].no_such_field)
  end)
end)

-- ---- the reference -------------------------------------------------------------------------------------------------

local CALLED = "%s*[%({\"]" -- after a name

local reference = support.read_file "doc/reference.md"
local scripts = table.concat((support.markdown_scripts(reference)), "\n")

--- The set of what matches the pattern between backticks, outside of scripts.
local function in_backticks(text, pattern)
  local found = {}
  local _, prose = support.markdown_scripts(text)
  for span in prose:gmatch "`([^`\n]+)`" do
    for name in span:gmatch(pattern) do
      found[name] = true
    end
  end
  return found
end

-- Names as a script writes them, such as weft.fabric.preset and world:run (and paths, such as csrc/weft.h).
local names = in_backticks(reference, "[%a_][%w_.:/]*")

-- Sections that hold more than the part they are named after.
local section_of_file = { sheet = "cloth", sewing = "garment" }

local function section(part)
  local heading = "\n## weft." .. (section_of_file[part] or part) .. "\n"
  local start, stop = reference:find(heading, 1, true)
  assert(start, "doc/reference.md has no section '## weft." .. part .. "'")
  return reference:sub(stop, (reference:find("\n## ", stop, true) or 0) - 1)
end

--- What a script calls an object's methods by: the last part of its class.
local function prefix_of(class)
  return class:match "[%w_]+$"
end

-- Objects of which scripts see some methods, or which are Lua tables.
local methods_by_hand = { picture = { "pixel", "bytes", "save" }, bar = { "update", "finish" } }

--- The methods by the prefix under which they are documented. `close` is said once, for all.
local function public_methods()
  local methods = {}
  for class, members in pairs(support.classes()) do
    if not internal[class] then
      methods[prefix_of(class)] = {}
      for name in pairs(members.methods) do
        if name ~= "close" then
          table.insert(methods[prefix_of(class)], name)
        end
      end
    end
  end
  for prefix, list in pairs(methods_by_hand) do
    methods[prefix] = list
  end
  return methods
end

local function sorted(list)
  table.sort(list)
  return list
end

describe("doc/reference.md", function()
  it("names every function, and shows it in a script", function()
    local missing = {}
    local function expect(name)
      if not names[name] then
        missing[#missing + 1] = name .. " is not explained"
      end
      local part, member = name:match "^(weft%.[%w_]+)(.*)$"
      if not scripts:find((member == "" and part or member):gsub("%.", "%%.") .. CALLED) then
        missing[#missing + 1] = name .. " is in no script"
      end
    end
    for _, part in ipairs(support.parts()) do
      for name in pairs(support.functions(weft[part])) do
        expect("weft." .. part .. name)
      end
    end
    for name, value in pairs(weft) do
      if type(value) == "function" then
        expect("weft." .. name)
      end
    end
    assert.same({}, sorted(missing))
  end)

  it("names every method, and shows it in a script", function()
    local missing = {}
    for prefix, list in pairs(public_methods()) do
      for _, name in ipairs(list) do
        if not names[prefix .. ":" .. name] then
          missing[#missing + 1] = prefix .. ":" .. name .. " is not explained"
        end
        if not scripts:find(":" .. name .. CALLED) then
          missing[#missing + 1] = prefix .. ":" .. name .. " is in no script"
        end
      end
    end
    assert.same({}, sorted(missing))
  end)

  it("names every option and every field in the section of its part", function()
    local missing, count = {}, 0
    for part, file in pairs(files) do
      local documented = part ~= "init" and in_backticks(section(part), "[%a_][%w_]*") or {}
      for class, fields in pairs(file.fields) do
        for name in pairs(fields) do
          count = count + 1
          if not internal[class] and not documented[name] and name ~= "private" and name ~= "close"
            and name ~= "closed" and not (class == "weft" and names["weft." .. name]) then
            missing[#missing + 1] = class .. "." .. name
          end
        end
      end
    end
    assert.same({}, sorted(missing))
    assert.is_true(count > 200)
  end)

  it("names nothing that does not exist", function()
    local stale, methods = {}, public_methods()
    for name in pairs(names) do
      local part, member = name:match "^weft%.([%w_]+)%.?([%w_]*)$"
      if part and not pcall(function()
        return assert(member == "" and weft[part] or weft[part][member])
      end) then
        stale[#stale + 1] = name
      end
      local prefix, method = name:match "^([%w_]+):([%w_]+)$"
      local list = prefix and method ~= "close" and methods[prefix]
      if list and not (" " .. table.concat(list, " ") .. " "):find(" " .. method .. " ", 1, true) then
        stale[#stale + 1] = name
      end
    end
    assert.same({}, sorted(stale))
  end)
end)
