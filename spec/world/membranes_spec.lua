-- A cloth that hangs from two corners hangs alike under every membrane that has its fabric's moduli.

local weft = require "weft"

-- As published the corotational force tangles wool, which hardly resists shear, and its torque shows; damping that is
-- linear brakes the fall; and moduli that are a mesh's, or that of a fixed frame, are not wool's.
local left_out = { ["corotational as published"] = true, ["Baraff-Witkin as published"] = true, cauchy = true,
  ["grid springs with linear damping"] = true }

local function hung(name)
  local world = weft.world { time_step = 1 / 60 }
  local sheet = weft.sheet { cells = { 8, 8 }, size = { 0.3, 0.3 }, fabric = weft.fabric.wool, membrane = name }
  world:add(sheet)
  sheet:pin { vertices = { 1, 9 } }
  for _ = 1, 60 do
    world:step()
  end
  local lowest = 0
  for i = 1, sheet.vertices do
    local _, y = sheet.positions:get(i)
    lowest = math.min(lowest, y)
  end
  world:close()
  return lowest
end

describe("A sheet that hangs by two corners", function()
  it("is as low after a second under all of them", function()
    local expected = hung "corotational"
    assert.is_true(expected < -0.29)
    for _, entry in ipairs(weft.model.list()) do
      if entry.kind == "membrane" and not left_out[entry.name] then
        local lowest = hung(entry.name)
        assert.near(expected, lowest, 0.001, ("%s: %g, not %g"):format(entry.name, lowest, expected))
      end
    end
  end)
end)
