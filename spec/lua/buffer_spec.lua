local support = require "spec.support"
local weft = require "weft"
local core = require "weft.core"
local message_of = support.message_of

describe("weft.buffer", function()
  it("is described by its shape", function()
    local buffer = weft.buffer { count = 4 }
    assert.equal("weft.buffer (4 x 3 double)", tostring(buffer))
    assert.equal(4, #buffer)
    assert.same({ 4, 3, "double", true, false }, { buffer.count, buffer.components, buffer.type, buffer.writable,
      buffer.closed })
    assert.is_nil(buffer.owner)
  end)

  it("gives back what was set, within its bounds", function()
    local buffer = weft.buffer { count = 2 }
    buffer:set(2, 1.5, -2.25, 1e300)
    assert.same({ 0, 0, 0 }, { buffer:get(1) })
    assert.same({ 1.5, -2.25, 1e300 }, { buffer:get(2) })
    for _, index in ipairs { 0, 3, -1, 1.5, 0 / 0, 2 ^ 60, 1 / 0, "1", {} } do
      assert.matches("^weft.buffer.get: index must be an integer from 1 to 2, got ",
        message_of(buffer.get, buffer, index))
    end
    local empty = weft.buffer { count = 0 }
    assert.equal("weft.buffer.get: index is out of range: there is nothing to index", message_of(empty.get, empty, 1))
  end)

  it("cannot be written to where it shows what cloth has, which that would not change", function()
    local sheet = weft.sheet { cells = { 2, 2 } }
    for _, name in ipairs { "positions", "velocities", "normals", "masses", "faces", "strains" } do
      local buffer = sheet[name]
      assert.is_false(buffer.writable)
      assert.equal("weft.buffer.set: this buffer is read-only: it shows what an object has, which only the " ..
        "object's own methods change", message_of(buffer.set, buffer, 1, buffer:get(1)))
      assert.matches("^weft.buffer.assign: this buffer is read%-only", message_of(buffer.assign, buffer, buffer))
    end
    local moved = weft.buffer { count = sheet.vertices }
    moved:assign(sheet.velocities)
    moved:set(1, 0, 2, 0)
    sheet:assign { velocities = moved }
    assert.same({ 0, 2, 0 }, { sheet.velocities:get(1) })
  end)

  it("stays unchanged when a value is refused", function()
    local buffer = weft.buffer { count = 2 }
    buffer:assign { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.equal("weft.buffer.set: value must be a number, got nan", message_of(buffer.set, buffer, 1, 9, 9, 0 / 0))
    assert.equal("weft.buffer.set: expected 3 values, got 2", message_of(buffer.set, buffer, 1, 9, 9))
    assert.equal("weft.buffer.assign: each value of source must be a number, got \"6\"",
      message_of(buffer.assign, buffer, { { 9, 9, 9 }, { 9, 9, "6" } }))
    assert.equal("weft.buffer.assign: element 2 of source must be a list of 3 numbers",
      message_of(buffer.assign, buffer, { { 9, 9, 9 }, { 9, 9 } }))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, buffer:table())
  end)

  it("moves to and from tables, strings and buffers", function()
    for _, type in ipairs { "double", "float", "index" } do
      local a = weft.buffer { count = 3, components = 2, type = type }
      local b = weft.buffer { count = 3, components = 2, type = type }
      a:assign { 1, 2, 3, 4, 5, 6 }
      assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, a:table())
      b:assign(a:string())
      assert.same(a:table(), b:table())
      a:set(1, 7, 8)
      b:assign(a)
      assert.same({ 7, 8 }, { b:get(1) })
    end
    local flat = weft.buffer { count = 3, components = 1 }
    flat:assign { 1, 2, 3 }
    assert.same({ 1, 2, 3 }, flat:table())
  end)

  it("keeps indices 0-based in memory", function()
    local faces = weft.buffer { count = 1, type = "index" }
    faces:set(1, 1, 2, 258)
    assert.equal("\0\0\0\0\1\0\0\0\1\1\0\0", faces:string())
    assert.equal("weft.buffer.set: value must be an integer from 1 to 2147483647, got 0",
      message_of(faces.set, faces, 1, 0, 1, 2))
    assert.matches("not finite or not an index", message_of(faces.assign, faces, ("\255"):rep(12)))
  end)

  it("refuses strings of the wrong length or with values that are not finite", function()
    local buffer = weft.buffer { count = 1, components = 1 }
    assert.equal("weft.buffer.assign: source must be a string of 8 bytes, got 7",
      message_of(buffer.assign, buffer, "1234567"))
    assert.matches("not finite", message_of(buffer.assign, buffer, ("\255"):rep(8)))
    local single = weft.buffer { count = 1, components = 1, type = "float" }
    assert.matches("value must be a number from", message_of(single.set, single, 1, 1e39))
  end)

  it("can be closed at any time, any number of times", function()
    local buffer = weft.buffer { count = 1 }
    buffer:close()
    buffer:close()
    assert.is_true(buffer.closed)
    assert.equal("weft.buffer (closed)", tostring(buffer))
    assert.equal("weft.buffer.get: self is a closed weft.buffer", message_of(buffer.get, buffer, 1))
    assert.equal("weft.buffer.count: self is a closed weft.buffer", message_of(function() return buffer.count end))
    local other = weft.buffer { count = 1 }
    assert.equal("weft.buffer.assign: source is a closed weft.buffer", message_of(other.assign, other, buffer))
  end)

  it("names the nearest field and what cannot be set", function()
    local buffer = weft.buffer { count = 1 }
    assert.equal("weft.buffer: there is no field 'cuont'; did you mean 'count'?",
      message_of(function() return buffer.cuont end))
    assert.equal("weft.buffer: there is no field [1]", message_of(function() return buffer[1] end))
    assert.equal("weft.buffer: count cannot be set", message_of(function() buffer.count = 2 end))
    assert.equal("weft.buffer: get cannot be set", message_of(function() buffer.get = 2 end))
    assert.equal("weft.buffer: closed cannot be set", message_of(function() buffer.closed = true end))
  end)

  it("refuses what is not a buffer", function()
    local buffer = weft.buffer { count = 1 }
    assert.equal("weft.buffer.get: self must be a weft.buffer, got nothing", message_of(buffer.get))
    assert.equal("weft.buffer.get: self must be a weft.buffer, got a userdata", message_of(buffer.get, io.stdout, 1))
    assert.equal("weft.buffer.close: self must be a weft.buffer, got {}", message_of(buffer.close, {}))
    assert.equal("weft.buffer", getmetatable(buffer))
  end)

  it("is refused without a sound shape", function()
    assert.equal("weft.buffer: unknown option 'cuont'; did you mean 'count'?",
      message_of(weft.buffer, { cuont = 1 }))
    assert.equal("weft.buffer: unknown option [1]", message_of(weft.buffer, { 4 }))
    assert.equal("weft.buffer: count must be an integer of at least 0, got nothing", message_of(weft.buffer, {}))
    assert.equal("weft.buffer must be called with a table of options, got 3", message_of(weft.buffer, 3))
    assert.equal("weft.buffer: type must be one of \"double\", \"float\", \"index\", got \"int\"",
      message_of(weft.buffer, { count = 1, type = "int" }))
    assert.matches("^weft.buffer: out of memory", message_of(weft.buffer, { count = 2 ^ 31 - 1, components = 16 }))
  end)

  it("leaks nothing when an allocation fails", function()
    support.collect()
    local before = weft.memory()
    for n = 0, 1 do
      core.fail_allocation(n)
      assert.matches("^weft.buffer: out of memory", message_of(weft.buffer, { count = 10 }))
    end
    core.fail_allocation()
    support.collect()
    assert.equal(before, (weft.memory()))
  end)

  it("is collected", function()
    support.collect()
    local before = weft.memory()
    for _ = 1, 100 do
      weft.buffer { count = 100 }
    end
    support.collect()
    assert.equal(before, (weft.memory()))
  end)

  it("tells the collector of its memory", function()
    support.collect()
    local before, most = weft.memory(), 0
    for _ = 1, 500 do -- 500 MB, and almost nothing in Lua
      weft.buffer { count = 125000, components = 1 }
      most = math.max(most, (weft.memory()))
    end
    assert.is_true(most - before < 100e6)
    support.collect()
  end)

  it("refuses to write to what is not host memory", function()
    local buffer = weft.buffer { count = 1 }
    for _, pointer in ipairs { 12345, "text", {}, io.stdout } do
      assert.matches("^weft.buffer.write: pointer must be a light userdata", message_of(buffer.write, buffer, pointer))
    end
  end)
end)

local has_ffi, ffi = pcall(require, "ffi")

describe("weft.buffer.ffi", function()
  if not has_ffi then
    it("says that it needs LuaJIT", function()
      local buffer = weft.buffer { count = 1 }
      assert.matches("needs LuaJIT", message_of(buffer.ffi, buffer))
    end)
    return
  end

  it("is the memory itself", function()
    local buffer = weft.buffer { count = 2 }
    local view = buffer:ffi()
    view.ptr[4] = 7
    buffer:set(1, 1, 2, 3)
    assert.same({ 0, 7, 0 }, { buffer:get(2) })
    assert.same({ 1, 2, 3, 2, 3 }, { view.ptr[0], view.ptr[1], view.ptr[2], view.count, view.components })
  end)

  it("stays allocated until the anchor is collected", function()
    support.collect()
    local before = weft.memory()
    local buffer = weft.buffer { count = 1000, components = 1 }
    buffer:set(1000, 42)
    local view = buffer:ffi()
    buffer:close()
    buffer = nil -- luacheck: ignore
    support.collect()
    assert.is_true(weft.memory() >= before + 8000)
    assert.equal(42, view.ptr[999])
    view = nil -- luacheck: ignore
    support.collect()
    assert.equal(before, (weft.memory()))
  end)
end)

describe("weft.buffer.write", function()
  if not has_ffi then
    return
  end

  local function floats(array, count)
    local list = {}
    for i = 1, count do
      list[i] = tonumber(array[i - 1])
    end
    return list
  end

  it("writes float32 in the layout that is asked for", function()
    local buffer = weft.buffer { count = 2 }
    buffer:assign { { 1, 2, 3 }, { 4, 5, 6 } }
    local target = ffi.new "float[10]"
    buffer:write(target)
    assert.same({ 1, 2, 3, 4, 5, 6, 0, 0, 0, 0 }, floats(target, 10))
    buffer:write(target, { layout = "x-zy1", stride = 20, offset = 4 })
    assert.same({ 1, 1, -3, 2, 1, 6, 4, -6, 5, 1 }, floats(target, 10))
    buffer:write(ffi.cast("float *", target), { layout = "-1z" })
    assert.same({ -1, 3, -1, 6 }, floats(target, 4))
    buffer:write(ffi.cast("void *", target), { layout = "0" })
    assert.same({ 0, 0, -1, 6 }, floats(target, 4))
  end)

  it("writes indices as 0-based uint32", function()
    local faces = weft.buffer { count = 1, type = "index" }
    faces:set(1, 1, 2, 3)
    local target = ffi.new "uint32_t[4]"
    faces:write(target)
    assert.same({ 0, 1, 2, 0 }, floats(target, 4))
    assert.matches("layout must be", message_of(faces.write, faces, target, { layout = "xy1" }))
  end)

  it("does not write past the end of an array", function()
    local buffer = weft.buffer { count = 2 }
    local target = ffi.new "float[5]"
    assert.equal("weft.buffer.write: pointer must have room for 24 bytes, got 20",
      message_of(buffer.write, buffer, target))
    assert.equal("weft.buffer.write: stride must be an integer from 12 to 1048576, got 4",
      message_of(buffer.write, buffer, target, { stride = 4 }))
    assert.equal("weft.buffer.write: pointer must not be NULL",
      message_of(buffer.write, buffer, ffi.cast("float *", nil)))
    assert.matches("pointer must be", message_of(buffer.write, buffer, ffi.new("int64_t", 4)))
    for _, layout in ipairs { "", "q", "x-", "w", "--x", ("x"):rep(33) } do
      assert.matches("layout must be", message_of(buffer.write, buffer, target, { layout = layout }))
    end
  end)
end)
