-- Seams in worlds: stiff lines along edges of cloth, and how cloth puckers on a seam that has shrunk.

local pieces = require "spec.world.closed_pieces"
local shrunken = require "spec.world.shrunken_seam"
local support = require "spec.support"
local weft = require "weft"

local message_of, near, still_world = support.message_of, support.near, support.still_world

local COLUMNS, ROWS, LENGTH = shrunken.COLUMNS, shrunken.ROWS, shrunken.LENGTH

describe("A seam that has shrunk", function()
  it("makes cloth pucker: waves that take up what it is too long", function()
    for _, shrinkage in ipairs { 0.02, 0.08 } do
      local strip, seam = shrunken.settled(shrinkage, 300)
      near(LENGTH * (1 - shrinkage), seam.length, 1e-12)
      near(seam.length, seam.path_length, 1e-3)
      for j = 0, 2 do
        local arc, chord, slope = shrunken.waves(strip, j)
        near(1, arc, 2e-3)
        near(1 - shrinkage, chord, 6e-3)
        local excess = arc / chord - 1
        near(excess, slope - 0.75 * slope ^ 2, 0.08)
        near(shrinkage / (1 - shrinkage), slope - 0.75 * slope ^ 2, 0.15)
      end
    end
  end)

  it("leaves cloth flat where it has not", function()
    local strip = shrunken.settled(0, 300)
    for j = 0, ROWS do
      local _, _, slope = shrunken.waves(strip, j)
      assert.is_true(slope < 1e-6, slope)
    end
  end)
end)

describe("A seam", function()
  it("has its energy among the world's, and what it is can be changed between steps", function()
    local world = still_world { damping = 0 }
    local strip, seam = shrunken.strip(world, { bending = 2e-4, stiffness = 100, shrinkage = 0.01 })
    world:step()
    local path_length = seam.path_length
    local stretch = 0
    for i = 0, COLUMNS - 1 do -- the energy of each edge's own strain
      local first = ROWS / 2 * (COLUMNS + 1) + i + 1
      local a, b = { strip.positions:get(first) }, { strip.positions:get(first + 1) }
      local strain = math.sqrt((b[1] - a[1]) ^ 2 + (b[3] - a[3]) ^ 2) / (0.99 * LENGTH / COLUMNS) - 1
      stretch = stretch + 50 * strain ^ 2 * 0.99 * LENGTH / COLUMNS
    end
    near(stretch, world:energy().fittings, 1e-4) -- and a little of how the stretch varies along it
    assert.is_true(path_length < LENGTH and path_length > seam.length)
    near(100 * (path_length / seam.length - 1), seam.tension, 1e-6)
    assert.equal(seam.rest_length * 0.99, seam.length)
    assert.equal("seam", seam.kind)
    local before = world:energy().fittings
    seam.stiffness = 0
    seam.bending = 3e-4
    world:step()
    assert.is_true(world:energy().fittings < 1e-3 * before)
    seam.on = false
    world:step()
    assert.equal(0, world:energy().fittings)
    assert.equal(3e-4, seam.bending)
    seam:remove()
    world:step()
  end)

  it("keeps cloth from sagging: a strip that bends as its B w and the seam's EI together", function()
    local sag = {}
    for _, bending in ipairs { 0, 1e-4 } do -- N m2, and 5e-5 of the strip
      local world = weft.world { self_contact = false, damping = 3 }
      local strip = world:add(weft.sheet { cells = { 24, 2 }, size = { 0.12, 0.01 }, fabric = weft.fabric {
        bend = { weft = 5e-3, warp = 5e-3, poisson = 0, twist = 0.5 }, density = 0.2 } })
      local path, fixed = {}, {}
      for i = 0, 24 do
        path[i + 1] = 25 + i + 1
      end
      for j = 0, 2 do
        for i = 0, 4 do
          fixed[#fixed + 1] = j * 25 + i + 1
        end
      end
      strip:pin { vertices = fixed }
      strip:seam { path = path, bending = bending }
      world:step(300)
      local _, y = strip.positions:get(25 + 25)
      local length = 0.1025 -- the clamp acts half an edge before the last row that is held
      near(-0.2 * 0.01 * 9.81 * length ^ 4 / (8 * (5e-5 + bending)), y, 0.04)
      sag[#sag + 1] = y
    end
    near(3, sag[1] / sag[2], 0.05)
  end)

  it("is where it was when the sides are sewn, and then has cloth on both", function()
    local world = still_world()
    local tube, ring = pieces.loose_tube { around = 24, up = 6, girth = 0.6, height = 0.15, fabric = weft.fabric.wool }
    local up = {}
    for j = 0, 6 do
      up[j + 1] = j * 25 + 1
    end
    local seam = tube:seam { path = up, bending = 1e-7 }
    local waist = tube:seam { path = ring(3), bending = 1e-7 }
    pieces.sew(world, tube)
    assert.equal(6, seam.count)
    world:step()
    -- around the tube, 23 joints between edges as they are now; straight up, nothing to bend
    local expected = 0
    for k = 2, 24 do
      local a, b = { tube.positions:get(72 + k - 1) }, { tube.positions:get(72 + k) } -- 24 in each ring now
      local c = { tube.positions:get(72 + k % 24 + 1) }
      for i = 1, 3 do
        expected = expected + 1e-7 / 2 / 0.025 ^ 3 * (a[i] - 2 * b[i] + c[i]) ^ 2
      end
    end
    assert.is_true(expected > 2e-6)
    near(expected, world:energy().fittings, 0.01)
    waist.on = false
    world:step()
    assert.is_true(world:energy().fittings < 1e-8, world:energy().fittings)
  end)

  it("refuses what it cannot be", function()
    local sheet = weft.sheet { cells = { 4, 4 } }
    assert.equal("weft.cloth.seam: no edge joins the path's vertices 2 and 4 (places 2 and 3)",
      message_of(sheet.seam, sheet, { path = { 1, 2, 4 }, bending = 1 }))
    assert.equal("weft.cloth.seam: shrinkage needs a stiffness (N) that shortens the cloth",
      message_of(sheet.seam, sheet, { path = { 1, 2 }, shrinkage = 0.05 }))
    assert.equal("weft.cloth.seam: unknown option 'bend'",
      message_of(sheet.seam, sheet, { path = { 1, 2 }, bend = 1 }))
    local band = sheet:elastic { path = { 1, 2 }, length = 0.1 }
    assert.is_nil(band.bending)
    assert.equal("weft.fitting: bending cannot be set: elastic has none", message_of(function() band.bending = 1 end))
  end)

  it("find their joints together: one more has its own five arrays, and none of the sheet's", function()
    local function allocations(count)
      return select(2, support.fail_each_allocation(function()
        local world = weft.world { self_contact = false }
        local sheet = world:add(weft.sheet { cells = { 3, 2 } })
        for k = 1, count do
          sheet:seam { path = { k, k + 4, k + 8 }, bending = 1e-6 }
        end
        world:step()
        return true
      end))
    end
    assert.equal(5, allocations(3) - allocations(2))
  end)
end)
