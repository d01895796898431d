local support = require "spec.support"
local weft = require "weft"
local core = require "weft.core"
local message_of = support.message_of

describe("weft", function()
  it("makes no globals", function()
    local before = {}
    for name in pairs(_G) do
      before[name] = true
    end
    for name in pairs(package.loaded) do
      if name:find "^weft" and name ~= "weft.core" then
        package.loaded[name] = nil
      end
    end
    require "weft"
    for name in pairs(_G) do
      assert.is_true(before[name], name)
    end
  end)

  it("counts in integers where Lua has them", function()
    local world, sheet = weft.world(), weft.sheet { cells = { 2, 2 } }
    world:add(sheet)
    world:step()
    local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
    local contact = weft.contact { vertices = 3, cloth = { { 1, 2, 3 } } }
    contact:update { from = corners }
    local _, took = contact:resolve { from = corners, to = corners, inverse_mass = 1 }
    for _, count in ipairs { world.steps, world.stats.newton_iterations, world.stats.vertices,
      weft.inspect.intersections(sheet).count, took.candidates, took.hits, (weft.memory()) } do
      assert.matches("^%d+$", tostring(count))
    end
  end)

  it("names the nearest part", function()
    assert.equal("weft: there is no 'bufer'; did you mean 'buffer'?", message_of(function() return weft.bufer end))
    assert.equal("weft: there is no 'zzzzzz'", message_of(function() return weft.zzzzzz end))
    assert.equal("weft: there is no '1'", message_of(function() return weft[1] end))
  end)

  it("reads and sets the number of threads", function()
    local before = weft.threads()
    assert.equal(2, weft.threads(2))
    assert.equal(2, weft.threads())
    assert.equal("weft.threads: count must be an integer from 1 to 256, got 0", message_of(weft.threads, 0))
    assert.equal("weft.threads: count must be an integer from 1 to 256, got \"2\"", message_of(weft.threads, "2"))
    assert.equal("weft.threads: count must be an integer from 1 to 256, got nan", message_of(weft.threads, 0 / 0))
    assert.equal(2, weft.threads())
    weft.threads(before)
  end)

  it("keeps the old threads when there is no memory for new ones", function()
    local before = weft.threads(1)
    for n = 0, 1 do
      core.fail_allocation(n)
      assert.matches("^weft.threads: out of memory", message_of(weft.threads, 3))
      assert.equal(1, weft.threads())
    end
    core.fail_allocation()
    weft.threads(before)
  end)

  it("reads and sets the instruction set", function()
    local before, available = weft.instruction_set()
    assert.same({ "scalar", "baseline" }, { available[1], available[2] })
    for _, name in ipairs(available) do
      assert.equal(name, (weft.instruction_set(name)))
      assert.equal(name, (weft.instruction_set()))
    end
    assert.equal(available[#available], (weft.instruction_set "best"))
    for _, name in ipairs { "avx2", "avx512" } do
      if not (" " .. table.concat(available, " ") .. " "):find(" " .. name .. " ", 1, true) then
        assert.equal(("weft.instruction_set: this processor or build has no %s instructions"):format(name),
          message_of(weft.instruction_set, name))
      end
    end
    assert.equal("weft.instruction_set: name must be one of \"best\", \"scalar\", \"baseline\", \"avx2\", \"avx512\", "
      .. "got \"sse2\"", message_of(weft.instruction_set, "sse2"))
    assert.equal(available[#available], (weft.instruction_set()))
    weft.instruction_set(before)
  end)

  it("counts its memory", function()
    support.collect()
    local before = weft.memory()
    local buffer = weft.buffer { count = 1000 }
    local during, peak = weft.memory()
    assert.is_true(during >= before + 24000 and during < before + 25000)
    assert.is_true(peak >= during)
    buffer:close()
    assert.equal(before, (weft.memory()))
  end)
end)

describe("weft.on_warning", function()
  after_each(function() weft.on_warning(nil) end)

  it("hands warnings to a handler", function()
    local got = {}
    weft.on_warning(function(message) got[#got + 1] = message end)
    core.warn "the body is open"
    core.warn "100% %s"
    assert.same({ "the body is open", "100% %s" }, got)
  end)

  it("survives handlers that raise, yield or warn", function()
    weft.on_warning(function() error "no" end)
    core.warn "a"
    weft.on_warning(coroutine.yield)
    core.warn "b"
    local calls = 0
    weft.on_warning(function()
      calls = calls + 1
      core.warn "again"
    end)
    core.warn "c"
    weft.on_warning(nil)
    assert.is_true(calls >= 1 and calls < 100)
  end)

  it("writes to io.stderr by default", function()
    local written = {}
    local real = io.stderr
    io.stderr = { write = function(_, ...) written[#written + 1] = table.concat { ... } end } -- luacheck: ignore
    core.warn "the body is open"
    io.stderr = real -- luacheck: ignore
    assert.equal("weft: warning: the body is open\n", written[#written])
  end)

  it("refuses what is not a function", function()
    assert.equal("weft.on_warning: handler must be a function or nil, got 3", message_of(weft.on_warning, 3))
  end)
end)

describe("The floating-point environment", function()
  local has_ffi, ffi = pcall(require, "ffi")
  if not has_ffi then
    return -- only FFI lets a spec change it
  end
  ffi.cdef "int fesetround(int); int fegetround(void);"
  local TO_NEAREST, UPWARD = 0, 0x800

  it("is the default in every call and the host's own afterwards, also after an error", function()
    local buffer = weft.buffer { count = 1, components = 1, type = "float" }
    local set, value = buffer.set, 1 + 2 ^ -30 -- rounds to 1, or up to 1 + 2^-23
    ffi.C.fesetround(UPWARD)
    set(buffer, 1, value)
    local after_call = ffi.C.fegetround()
    local ok, message = pcall(set, buffer, 2, value)
    local after_error = ffi.C.fegetround()
    local assigned, reason = pcall(function() buffer.count = 1 end)
    local shown = buffer.type
    ffi.C.fesetround(TO_NEAREST)
    assert.equal(1, (buffer:get(1)))
    assert.same({ UPWARD, UPWARD, false, false, "float" }, { after_call, after_error, ok, assigned, shown })
    assert.matches("index must be an integer from 1 to 1, got 2$", message)
    assert.matches("count cannot be set$", reason)
  end)
end)
