--- weft: cloth and garments.
---
--- SI units (m, kg, s, N, rad), Y up, {x, y, z} for points, 1-based indices.
---
--- A part is a file lua/weft/<part>.lua that returns what `weft.<part>` is and carries the LuaCATS annotations of it
--- and of the class behind it, whose functions are in weft.core. Parts are loaded when they are first used. Functions
--- of weft.core are given out as they are, not wrapped: errors then name the line of the script that called.

local core = require "weft.core"

---@class weft
---@field version string
local weft = { version = core.version }

-- Parts, by the name of their field.
local parts = {
  body = "weft.body",
  buffer = "weft.buffer",
  cloth = "weft.cloth",
  collider = "weft.collider",
  contact = "weft.contact",
  draft = "weft.draft",
  fabric = "weft.fabric",
  flow = "weft.flow",
  garment = "weft.garment",
  inspect = "weft.inspect",
  mesh = "weft.mesh",
  model = "weft.model",
  picture = "weft.picture",
  progress = "weft.progress",
  rigid = "weft.rigid",
  sheet = "weft.sheet",
  solve = "weft.solve",
  step = "weft.step",
  testbench = "weft.testbench",
  wind = "weft.wind",
  wind_particles = "weft.wind_particles",
  world = "weft.world",
}

--- The number of threads that share the work, the caller's included. Results do not depend on it. With a count from 1
--- to 256 it is set first.
---@type fun(count?: integer): integer
weft.threads = core.threads

--- What the inner loops are compiled for: "baseline" (SSE2, NEON), "avx2" or "avx512", the best that the processor has;
--- "scalar", without vectors, is there to compare with. With a name ("best" too) it is set first; a name that the
--- processor lacks is an error. The second value lists the names that it has. Results do not depend on it.
---@type fun(name?: string): string, string[]
weft.instruction_set = core.instruction_set

--- The memory of weft's C side, which Lua's collectgarbage "count" does not contain: the bytes held now, and the most
--- that were held at once.
---@type fun(): number, number
weft.memory = core.memory

local function print_warning(message)
  io.stderr:write("weft: warning: ", message, "\n")
end

--- Sets who receives warnings. What the handler raises is dropped; it may not yield.
---@param handler? fun(message: string) nil for the default, which writes `weft: warning: ...` to io.stderr
function weft.on_warning(handler)
  if handler == nil then
    handler = print_warning
  end
  core.on_warning(handler)
end

weft.on_warning(nil)

local function known_names()
  local names = {}
  for _, list in ipairs { parts, weft } do
    for name in pairs(list) do
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

setmetatable(weft, {
  __index = function(_, name)
    local part
    if parts[name] then
      part = require(parts[name])
    else
      local nearest = type(name) == "string" and core.nearest_name(name, known_names())
      local hint = nearest and ("; did you mean '%s'?"):format(nearest) or ""
      error(("weft: there is no '%s'%s"):format(tostring(name):sub(1, 60), hint), 2)
    end
    rawset(weft, name, part)
    return part
  end,
})

-- Views of vertex data come from every object, so the methods that this part adds in Lua are always there.
require "weft.buffer"

return weft
