--- Tables of named options for functions written in Lua, checked as the C side checks its own (csrc/lua/options.h).
---
---     options.check("weft.world.run", given, { "seconds", "progress" })

local core = require "weft.core"

local unpack = unpack or table.unpack

local options = {}

local text_of = core.value_text

--- Refuses what is not a table and fields that are not in `names`, with the nearest name as a suggestion.
---@param verb string as messages name it
---@param given any
---@param names string[]
---@param level? integer whose fault it is: 1 the caller's caller (default), as in `error`
function options.check(verb, given, names, level)
  level = (level or 1) + 2
  if type(given) ~= "table" then
    error(("%s must be called with a table of options, got %s"):format(verb, text_of(given)), level)
  end
  for name in pairs(given) do
    local known = false
    for _, candidate in ipairs(names) do
      known = known or candidate == name
    end
    if not known then
      local nearest = type(name) == "string" and core.nearest_name(name, names)
      local hint = nearest and ("; did you mean '%s'?"):format(nearest) or ""
      local shown = type(name) == "string" and #name <= 40 and ("'%s'"):format(name) or ("[%s]"):format(text_of(name))
      error(("%s: unknown option %s%s"):format(verb, shown, hint), level)
    end
  end
end

--- Refuses a first argument that is not an open object of the class, as methods written in C do.
---@param verb string
---@param value any
---@param class string
function options.self(verb, value, class)
  if getmetatable(value) ~= class then
    error(("%s: self must be a %s, got %s"):format(verb, class, text_of(value)), 3)
  elseif value.closed then
    error(("%s: self is a closed %s"):format(verb, class), 3)
  end
end

--- A number from `minimum` to `maximum`, or `default` when absent.
---@param verb string
---@param given table
---@param name string
---@param default any
---@param minimum number
---@param maximum number
---@param level? integer as in options.check
---@return any
function options.number(verb, given, name, default, minimum, maximum, level)
  local value = given[name]
  if value == nil then
    return default
  end
  if type(value) ~= "number" or not (value >= minimum and value <= maximum) then
    error(("%s: %s must be a number from %g to %g, got %s"):format(verb, name, minimum, maximum, text_of(value)),
      (level or 1) + 2)
  end
  return value
end

--- true or false, or `default` when absent.
---@param verb string
---@param given table
---@param name string
---@param default boolean
---@param level? integer as in options.check
---@return boolean
function options.boolean(verb, given, name, default, level)
  local value = given[name]
  if value == nil then
    return default
  elseif type(value) ~= "boolean" then
    error(("%s: %s must be true or false, got %s"):format(verb, name, text_of(value)), (level or 1) + 2)
  end
  return value
end

local LONGEST_PATH = 4096 -- bytes

--- Refuses what cannot be a path: the system would end it at a zero byte.
---@param verb string
---@param name string
---@param value any
---@param level? integer as in options.check
function options.path(verb, name, value, level)
  if type(value) ~= "string" or #value > LONGEST_PATH or value:find("\0", 1, true) then
    error(("%s: %s must be a string of at most %d bytes, none of them zero, got %s"):format(verb, name, LONGEST_PATH,
      text_of(value)), (level or 1) + 2)
  end
end

--- Refuses a path to which no file can be written, before the work whose result is to be there. Leaves no file behind.
---@param verb string
---@param path string
---@param level? integer as in options.check
function options.writable(verb, path, level)
  local present = io.open(path, "rb")
  if present then
    present:close()
  end
  local file, message = io.open(path, "ab")
  if not file then
    error(("%s: %s"):format(verb, message), (level or 1) + 2)
  end
  file:close()
  if not present then
    os.remove(path)
  end
end

--- Calls a function of the C side that does not yield, for a function of the Lua side. What it raises is raised again
--- for the script's line.
---@param level integer whose line that is: 1 that of the function that calls this, 2 its caller's, as in `error`
---@param f function
---@return any, any, any, any
function options.call(level, f, ...)
  local done, a, b, c, d = pcall(f, ...)
  if not done then
    error((tostring(a):gsub("^[^:\n]+:%d+: ", "")), level + 1)
  end
  return a, b, c, d
end

local own_folder = debug.getinfo(1, "S").source:match "^@(.*)options%.lua$"

--- Whether a file is of the Lua side, by what messages call it: its path, or "..." and the end of a long one.
local function is_own(path)
  local own = own_folder and own_folder .. path:match "[^/\\]*$"
  local tail = path:match "^%.%.%.(.*)$"
  return own ~= nil and (path == own or tail ~= nil and own:sub(-#tail) == tail)
end

--- What was raised within a verb of the Lua side, without the line there. There an object that is asked for something
--- can only be closed because a hook or a callback closed it meanwhile: verbs look at what they are given first.
local function without_line(verb, message)
  local path, told = tostring(message):match "^([^\n]-):%d+: (weft%..*)$"
  if type(message) ~= "string" or not told or not is_own(path) then
    return message
  end
  local class = told:match "^[^\n]- is a closed (weft%.[%w_.]+)$"
  return class and ("%s: the %s was closed while it ran"):format(verb, class) or told
end

--- A field of an object that a hook or a callback may have closed since the verb began.
---@param level integer as in options.call
---@param verb string
---@param object any
---@param name string
---@return any
function options.field(level, verb, object, name)
  local done, value = pcall(function() return object[name] end)
  if not done then
    error(without_line(verb, value), level + 1)
  end
  return value
end

local function pack(...)
  return { n = select("#", ...), ... }
end

--- The verb, made to raise for the script's line whatever is raised within it. Not for verbs that yield: Lua 5.1 cannot
--- within a protected call.
---@param verb string
---@param f function
---@return function
function options.verb(verb, f)
  return function(...)
    local results = pack(pcall(f, ...))
    if not results[1] then
      local message = without_line(verb, results[2])
      local told = type(message) == "string" and not message:find "^[^:\n]+:%d+: "
      error(message, told and 2 or 0)
    end
    return unpack(results, 2, results.n)
  end
end

return options
