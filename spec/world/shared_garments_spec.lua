-- Patterns and a body that nobody here made, at the edge length of real work. Pending where they are not there.

local draping = require "spec.draping"
local support = require "spec.support"
local weft = require "weft"

-- Over the sole, m: the shoulders of this body rise from 1.422 at their tips to 1.457 at the neck (its measures: height
-- less head, and a slope of 21.7 degrees over half of what the shoulders are wider than the neck).
local shoulders = { 1.422, 1.457 + 0.02 }

for _, name in ipairs { "shirt_mean", "dress_pencil" } do
  describe(name, function()
    it("lies on its body as cloth does", function()
      local pattern, missing = support.shared_data(("garmentcode/%s_specification.json"):format(name))
      local body, body_missing = support.shared_data "garmentcode/mean_all.obj"
      if not pattern or not body then
        return pending(missing or body_missing)
      end
      local result = draping.drape(weft.garment.load(pattern), weft.body.load(body), {
        edge = 0.012, loops = 4, top = shoulders,
      })
      print(("%s: %s"):format(name, result.summary))
      assert.same({}, result.faults)
    end)
  end)
end
