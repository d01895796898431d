-- The scripts in README.md run as they are printed.

local load_text = loadstring or load

local function scripts()
  local file = assert(io.open("README.md", "rb"))
  local text = file:read "*a"
  file:close()
  local list = {}
  for script in text:gmatch "```lua\n(.-)```" do
    list[#list + 1] = script
  end
  return list
end

describe("README.md", function()
  local real_print = print

  setup(function()
    os.execute "mkdir -p out"
    _G.print = function() end
  end)

  teardown(function() _G.print = real_print end)

  for i, script in ipairs(scripts()) do
    it("shows a script that runs, " .. i, function()
      assert(load_text(script, "=README.md script " .. i))()
    end)
  end

  it("shows several scripts", function()
    assert.is_true(#scripts() >= 4)
  end)
end)
