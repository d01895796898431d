-- The same garment, sewn and draped again, and with another number of threads: the same bits.

local draping = require "spec.draping"
local weft = require "weft"

describe("a sewn and draped garment", function()
  --- Bits of all positions after sewing and after half a second of draping, and the hash of the world then.
  local function run(threads)
    weft.threads(threads)
    local body = draping.mannequin(2)
    local shirt = weft.garment(weft.draft.tshirt(body))
    local cloth = shirt:sew { on = body, edge = 0.025, relax_time = 0.5 }
    local sewn = cloth.positions:string()
    local world = weft.world()
    world:add(body)
    world:add(cloth)
    world:run { seconds = 0.5 }
    weft.threads(1)
    return sewn, cloth.positions:string(), world:hash()
  end

  it("has the same bits from run to run and with one and two threads", function()
    local sewn, draped, hash = run(1)
    assert.is_true(sewn ~= draped)
    for _, threads in ipairs { 1, 2 } do
      local sewn_again, draped_again, hash_again = run(threads)
      assert.is_true(sewn == sewn_again, ("sewing again with %d threads differs"):format(threads))
      assert.is_true(draped == draped_again, ("draping again with %d threads differs"):format(threads))
      assert.equal(hash, hash_again)
    end
  end)
end)
