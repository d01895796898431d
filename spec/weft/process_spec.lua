-- Whole processes: load, step, close, unload, and ways to end that are not a return from the script.

local support = require "spec.support"

local scene = [[
  local weft = require "weft"
  weft.threads(2)
  local world = weft.world { time_step = 1 / 60, floor = -0.1 }
  local sheet = world:add(weft.sheet { cells = { 5, 5 }, size = { 0.5, 0.5 }, centre = { 0, 0.02, 0 } })
  local body = world:add(weft.body {
    vertices = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 1 }, { 0, -0.5, 0 } },
    faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 2, 3, 4 }, { 3, 1, 4 } },
  })
  local buffer = sheet.positions
  world:step(5)
  assert(world.steps == 5 and select("#", buffer:get(36)) == 3)
  %s
]]

local function run(ending, times)
  local script = os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(scene:format(ending))
  file:close()
  local command = ("i=0; while [ $i -lt %d ]; do %s %s >/dev/null 2>&1; echo $?; i=$((i+1)); done"):format(
    times, support.interpreter(), script)
  local codes, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do
    codes[line] = (codes[line] or 0) + 1
  end
  pipe:close()
  os.remove(script)
  return codes
end

describe("A process", function()
  it("ends a hundred runs of a small scene with exit code 0", function()
    assert.same({ ["0"] = 50 }, run("world:close() sheet:close() body:close() buffer:close()", 50))
    assert.same({ ["0"] = 50 }, run("", 50)) -- closed by the Lua state
  end)

  it("ends cleanly whichever way it ends", function()
    assert.same({ ["3"] = 3 }, run("os.exit(3)", 3))
    assert.same({ ["0"] = 3 }, run("os.exit(0, true)", 3))
    assert.same({ ["1"] = 3 }, run("error 'no'", 3))
    assert.same({ ["0"] = 3 }, run("weft = nil; world = nil; collectgarbage(); package.loaded.weft = nil", 3))
    assert.same({ ["0"] = 3 }, run("body:close(); world:step(2); sheet:close(); world:step(2); world:close()", 3))
    assert.same({ ["0"] = 3 }, run("package.loaded['weft.core'] = nil; require 'weft.core'; collectgarbage()", 3))
    assert.same({ ["0"] = 3 }, run("coroutine.wrap(function() weft.on_warning(nil); weft.threads(3) end)()", 3))
  end)

  it("survives finalizers that use weft while the Lua state is closed", function()
    local late = [[
      local function at_end(f)
        if newproxy then
          local proxy = newproxy(true)
          getmetatable(proxy).__gc = f
          return proxy
        end
        return setmetatable({}, { __gc = f })
      end
      keep = at_end(function()
        pcall(buffer.get, buffer, 1)
        pcall(world.step, world, 1)
        pcall(weft.buffer, { count = 3 })
        pcall(weft.memory)
        pcall(weft.threads, 1)
        pcall(require "weft.core".warn, "late")
      end)
    ]]
    assert.same({ ["0"] = 5 }, run(late, 5))
    -- The finalizer that was made first runs last, after the context's own.
    local early = late:gsub("buffer%.get, buffer", "rawget(_G, 'buffer').get, rawget(_G, 'buffer')")
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write("weft, buffer = nil\n", early, "weft = require 'weft'; buffer = weft.buffer { count = 3 }\n")
    file:close()
    local pipe = assert(io.popen(support.interpreter() .. " " .. script .. " 2>&1; echo $?"))
    assert.equal("0\n", pipe:read "*a")
    pipe:close()
    os.remove(script)
  end)

  it("is told to build first where weft is not built", function()
    local pipe = assert(io.popen(("WEFT_BUILD=/nowhere %s -e 'print(pcall(require, \"weft\"))' 2>&1"):format(
      support.interpreter())))
    assert.matches("weft is not built for this Lua yet: run `make", pipe:read "*a")
    pipe:close()
  end)

  it("prints a world and its cloth with as many digits as one reads", function()
    local weft = require "weft"
    local world = weft.world { gravity = { 0, -10, 0 } }
    local cloth = world:add(weft.sheet { cells = { 1, 1 }, size = { 1 / 3, 1 / 7 } })
    world:step()
    assert.equal("weft.cloth (4 vertices, 2 triangles, 0.01238 kg of wool)", tostring(cloth))
    assert.equal("weft.world (0.016667 s, 1 steps, 4 vertices, 2 triangles, 0 contacts, rms speed 0.167 m/s)",
      tostring(world))
  end)
end)

describe("examples/dress.lua", function()
  local function fails_with(pattern, arguments, environment)
    local pipe = assert(io.popen(("%s %s examples/dress.lua %s 2>&1; echo exit $?"):format(environment or "",
      support.interpreter(), arguments)))
    local output = pipe:read "*a"
    pipe:close()
    assert.matches(pattern, output)
    assert.matches("exit 1\n$", output)
  end

  it("ends with exit code 1 and the reason on any failure", function()
    fails_with("weft.garment.load: no/such.json: cannot open the file", "no/such.json")
    fails_with("weft.garment.load: README.md: the file is not JSON", "README.md")
    fails_with("weft.body.load: no/such.obj: cannot be opened", "no/such.json no/such.obj")
    fails_with('weft.garment.sew: edge must be a number .*, got "fine"', "", "WEFT_EDGE=fine")
  end)
end)
