-- The C interface alone: a program that includes weft.h and nothing of Lua.

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

describe("The C interface", function()
  it("lets a program without Lua build, fall as backward Euler does, and leave no memory behind", function()
    local program = os.tmpname()
    local build = os.getenv "WEFT_BUILD" or "build"
    local text = run(("cc -std=c11 -Wall -Wextra -Icsrc examples/free_fall.c "
      .. "$(find %s/core -name '*.o' ! -path '*core/shade*' ! -path '*core/direct*') -lm -pthread -o %s "
      .. "&& %s && echo clean"):format(build, program, program))
    os.remove(program)
    assert.equal("-5.003100 m after 1.000 s\nclean\n", text) -- -g h^2 n (n + 1) / 2
  end)
end)
