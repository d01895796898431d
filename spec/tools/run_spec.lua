-- spec/run.lua: what the sum at its end is made of.

local function run(specs)
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder)
  for name, text in pairs(specs) do
    local file = assert(io.open(("%s/%s_spec.lua"):format(folder, name), "w"))
    file:write(text)
    file:close()
  end
  local pipe = assert(io.popen(("env -u WEFT_PRELOAD WEFT_INTERPRETERS=luajit WEFT_SPEC_TIMEOUT=2 WEFT_BUILD=%s " ..
    "luajit spec/run.lua %s 2>&1; echo code $?"):format(folder, folder)))
  local output = pipe:read "*a"
  pipe:close()
  os.execute("rm -r " .. folder)
  return output:match "([^\n]*)\ncode (%d+)\n$"
end

local function spec(body)
  return ("it('does', function() %s end)\n"):format(body)
end

describe("The sum of all specs", function()
  local good = spec "" .. spec "" .. "pending('later')\n"

  it("adds up files", function()
    assert.same({ "4 passed, 0 failed, 2 skipped", "0" }, { run { a = good, b = good } })
  end)

  it("counts failures and errors", function()
    assert.same({ "2 passed, 2 failed, 1 skipped", "1" },
      { run { a = good, b = spec "assert.is_true(false)" .. spec "error 'no'" } })
  end)

  it("counts a crash, a hang, an early exit and a file that does not load as a failure each", function()
    assert.same({ "2 passed, 1 failed, 1 skipped", "1" }, { run { a = good, b = spec "os.execute 'kill -11 $PPID'" } })
    assert.same({ "2 passed, 1 failed, 1 skipped", "1" }, { run { a = good, b = spec "while true do end" } })
    assert.same({ "2 passed, 1 failed, 1 skipped", "1" }, { run { a = good, b = spec "os.exit(0)" } })
    assert.same({ "2 passed, 1 failed, 1 skipped", "1" }, { run { a = good, b = "this is not Lua" } })
  end)

  it("fails when there is nothing to run", function()
    assert.same({ "0 passed, 1 failed, 0 skipped", "1" }, { run {} })
  end)
end)
