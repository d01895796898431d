--- Buffers: vertex data that is checked, copied in bulk, or handed to the host without a copy.
---
--- Which door for what: `get` and `set` for a few elements; `table`, `string` and `assign` to move everything at once;
--- `write` into a host's vertex buffer; `ffi` (LuaJIT) for loops over all elements.

local core = require "weft.core"
local verbs = require "weft.options"

---@class weft.buffer
---@field count integer elements (vertices, faces, ...); also #buffer
---@field components integer numbers per element
---@field type "double"|"float"|"index"
---@field writable boolean
---@field owner any the object whose data this is; nil for a buffer of its own
---@field closed boolean
---@field get fun(self: weft.buffer, index: integer): ... the components of one element
---@field set fun(self: weft.buffer, index: integer, ...: number) all components of one element
---@field table fun(self: weft.buffer): table a list of numbers, or of lists when there are several components
---@field string fun(self: weft.buffer): string the bytes as they lie in memory (indices 0-based)
---@field assign fun(self: weft.buffer, source: table|string|weft.buffer) all elements; unchanged on any error
---@field anchor fun(self: weft.buffer): weft.anchor what `ffi` holds
---@field close fun(self: weft.buffer)
local methods = core.classes["weft.buffer"]

--- Keeps the memory of a buffer allocated.
---@class weft.anchor
---@field address lightuserdata
---@field closed boolean
---@field close fun(self: weft.anchor) gives the memory up: no FFI pointer to it may still be in use

---@class weft.buffer.write_options
---@field layout? string what is written per element, a float32 for each letter: x y z w for the components, `-` before
---  what is negated, 0 and 1 for constants; "xyz" by default, "x-zy" for hosts whose Z is up
---@field stride? integer bytes from one element to the next; by default they lie side by side
---@field offset? integer bytes before the first element
---@field size? integer bytes of memory at the pointer; when given, writing past it is an error

local has_ffi, ffi = pcall(require, "ffi")

if has_ffi then
  local pointer_types = { double = "double *", float = "float *", index = "int32_t *" }
  local write, make_anchor = methods.write, methods.anchor
  local anchors = setmetatable({}, { __mode = "k" })

  --- The bytes of an FFI array; nil for a pointer, whose target's size nobody knows.
  local function array_size(cdata)
    local declared = tostring(ffi.typeof(cdata)) -- ctype<float [12]>, ctype<float (*)[12]>
    return declared:find("%]>$") and not declared:find("[*&]%)%[") and ffi.sizeof(cdata) or nil
  end

  --- Writes the buffer into host memory as float32 (indices as 0-based uint32).
  ---@param pointer lightuserdata|ffi.cdata* writing past the end of an FFI array is an error
  ---@param options? weft.buffer.write_options
  function methods:write(pointer, options)
    if type(pointer) ~= "cdata" then
      return write(self, pointer, options)
    end
    if not tostring(ffi.typeof(pointer)):find("[*%]]") then -- a number or a struct
      return write(self, nil, options)
    end
    local target = ffi.new("void *[1]")
    target[0] = ffi.cast("void *", pointer)
    local size = array_size(pointer)
    if size and (options == nil or type(options) == "table" and options.size == nil) then
      local sized = { size = size }
      for name, value in pairs(options or {}) do
        sized[name] = value
      end
      options = sized
    end
    return write(self, target, options)
  end

  ---@class weft.buffer.view
  ---@field ptr ffi.cdata* the first number; 0-based, unchecked
  ---@field count integer
  ---@field components integer

  --- The memory itself, for LuaJIT. `ptr` stays allocated as long as the returned anchor is referenced, even after the
  --- owner was closed or got a new array. Nothing checks its bounds: the one unchecked door.
  ---@return weft.buffer.view anchor
  function methods:ffi()
    verbs.self("weft.buffer.ffi", self, "weft.buffer")
    local anchor = make_anchor(self)
    local view = {
      ptr = ffi.cast((self.writable and "" or "const ") .. pointer_types[self.type], anchor.address),
      count = self.count,
      components = self.components,
    }
    anchors[view] = anchor
    return view
  end
  methods.ffi = verbs.verb("weft.buffer.ffi", methods.ffi)
else
  --- Only LuaJIT has FFI pointers.
  function methods.ffi()
    error("weft.buffer.ffi: needs LuaJIT; use table, string or write", 2)
  end
end

---@class weft.buffer.options
---@field count integer elements
---@field components? integer numbers per element, 1 to 16; 3 by default
---@field type? "double"|"float"|"index" double by default; indices are 1-based in Lua

--- A buffer with zeroed memory of its own.
---@type fun(options: weft.buffer.options): weft.buffer
return core.buffer
