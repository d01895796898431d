-- Ten patterns on five mannequins: whatever is drafted comes to lie on the body as cloth does.

local draping = require "spec.draping"

-- Coarse: the 50 garments take four to five minutes of one core.
local edge = 0.03

for number, mannequin in ipairs(draping.mannequins) do
  describe(mannequin.name, function()
    for _, pattern in ipairs(draping.patterns) do
      it("wears " .. pattern.name, function()
        local result = draping.drape_pattern(pattern, draping.mannequin(number), edge)
        assert.same({}, result.faults, result.summary)
      end)
    end
  end)
end
