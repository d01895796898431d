-- Folds, pleats and pressed creases in cloth.

local pieces = require "spec.world.closed_pieces"
local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local minus, dot = vectors.minus, vectors.dot

local message_of, near, still_world = support.message_of, support.near, support.still_world

--- The angle between the way from one vertex to the second, and from there to the third.
local function turn_at(cloth, i, j, k)
  local p, q, r = { cloth.positions:get(i) }, { cloth.positions:get(j) }, { cloth.positions:get(k) }
  local a, b = minus(q, p), minus(r, q)
  return math.acos(dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)))
end

describe("A pressed fold", function()
  it("of weightless cloth rests at its angle, flat beside it, whatever the bending", function()
    for _, bending in ipairs { "plate", "discrete shells" } do
      for _, angle in ipairs { 0.5, -1.2, 2.5 } do
        local world = still_world { damping = 3 }
        local strip = world:add(weft.sheet { cells = { 20, 4 }, size = { 0.2, 0.04 }, bending = bending })
        local fold = strip:fold { line = { { 0.1, 0 }, { 0.1, 0.04 } }, angle = angle }
        assert.equal(4, fold.count)
        world:step(1)
        local before = world:energy().bending
        assert.is_true(before > 1e-7)
        world:step(300)
        near(math.abs(angle), turn_at(strip, 43, 53, 63), 2e-3)
        near(math.abs(angle), turn_at(strip, 52, 53, 54), 1e-3)
        assert.is_true(world:energy().bending < 1e-6 * before)
        local _, middle = strip.positions:get(53)
        local _, tip = strip.positions:get(63)
        assert.is_true((tip - middle) * angle > 0) -- closes to the side of the normals, which is up
      end
    end
  end)

  it("can be pressed anew, switched off and taken off", function()
    local world = still_world { damping = 3 }
    local strip = world:add(weft.sheet { cells = { 12, 2 }, size = { 0.12, 0.02 } })
    local fold = strip:fold { path = { 7, 20, 33 }, angle = 1 }
    world:step(200)
    near(1, turn_at(strip, 14, 20, 26), 5e-3)
    local hash = world:hash()
    fold.angle = -0.5
    assert.equal(-0.5, fold.angle)
    assert.is_true(world:hash() ~= hash)
    world:step(200)
    near(0.5, turn_at(strip, 14, 20, 26), 5e-3)
    fold.on = false
    world:step(200)
    assert.is_true(turn_at(strip, 14, 20, 26) < 5e-3)
    fold.on = true
    fold:remove()
    world:step()
    assert.equal("weft.fitting: angle cannot be set: the fitting has been removed, or its cloth is closed",
      message_of(function() fold.angle = 1 end))
  end)

  it("lets cloth bend as before where it hardly folds: the bending around it is of the same moduli", function()
    local sag = {}
    for k, angle in ipairs { 0, 1e-7 } do
      local world = still_world { gravity = { 0, -9.81, 0 }, damping = 3 }
      local strip = world:add(weft.sheet { cells = { 20, 2 }, size = { 0.1, 0.01 },
        fabric = weft.fabric { bend = { weft = 1e-3, warp = 1e-3, poisson = 0, twist = 0.5 } } })
      strip:pin { vertices = { 1, 2, 3, 22, 23, 24, 43, 44, 45 } }
      strip:fold { line = { { 0.025, 0 }, { 0.025, 0.01 } }, angle = angle }
      world:step(200)
      sag[k] = select(2, strip.positions:get(42))
    end
    assert.is_true(sag[1] < -1e-3)
    near(sag[1], sag[2], 0.03)
  end)

  it("folds a seam once it is sewn", function()
    local world = still_world { damping = 3 }
    local tube = pieces.loose_tube { around = 24, up = 6, girth = 0.6, height = 0.15, fabric = weft.fabric.wool }
    local up = {}
    for j = 0, 6 do
      up[j + 1] = j * 25 + 1
    end
    tube:fold { path = up, angle = 1.5 }
    pieces.sew(world, tube)
    world:step(300)
    -- rings of 24 vertices from the seam on; faces' normals are outward, and the crease closes towards them
    assert.is_true(turn_at(tube, 96, 73, 74) > 1)
    assert.is_true(turn_at(tube, 84, 85, 86) < 0.6)
  end)

  it("needs edges that follow it, and an angle", function()
    local sheet = weft.sheet { cells = { 4, 4 }, size = { 0.4, 0.4 } }
    assert.equal("weft.cloth.fold: no edges of panel 1 follow the line from (0.05, 0) to (0.05, 0.4)",
      message_of(sheet.fold, sheet, { line = { { 0.05, 0 }, { 0.05, 0.4 } }, angle = 1 }))
    assert.truthy(message_of(sheet.fold, sheet, { line = { { 0, 0.1 }, { 0.4, 0.3 } }, angle = 1 }):find(
      "^weft.cloth.fold: no edge joins the path's vertices 6 and 13"))
    assert.equal("weft.cloth.fold: angle must be the angle at rest, rad: positive towards the side of the normals, "
      .. "got nothing", message_of(sheet.fold, sheet, { path = { 1, 2 } }))
    assert.equal("weft.cloth.fold: line takes the place of path and closed",
      message_of(sheet.fold, sheet, { path = { 1, 2 }, line = { { 0, 0 }, { 1, 0 } }, angle = 1 }))
    assert.equal("weft.cloth.fold: line must be two points {u, v} of the pattern",
      message_of(sheet.fold, sheet, { line = { { 0, 0 } }, angle = 1 }))
    assert.truthy(message_of(sheet.fold, sheet, { path = { 1, 2 }, angle = 4 }):find("angle must be", 1, true))
    assert.equal(5, sheet:elastic { line = { { 0, 0.1 }, { 0.4, 0.1 } }, length = 1 }.count + 1)
  end)
end)

describe("A pleated strip", function()
  local PLEATS, DEPTH, ANGLE = 10, 0.02, 2

  --- Hung by its upper edge under so many m/s2: its length and bending energy.
  local function hang(acceleration)
    local world = still_world { gravity = { 0, -acceleration, 0 }, damping = 4, time_step = 1 / 120 }
    local rows = 4 * PLEATS
    local strip = world:add(weft.sheet { cells = { 2, rows }, size = { 0.01, PLEATS * DEPTH },
      warp = { 0, 1, 0 }, weft = { 1, 0, 0 } })
    for k = 1, PLEATS - 1 do
      local v = k * DEPTH
      strip:fold { line = { { 0, v }, { 0.01, v } }, angle = k % 2 == 0 and ANGLE or -ANGLE }
    end
    strip:pin { vertices = { 3 * rows + 1, 3 * rows + 2, 3 * rows + 3 } }
    world:step(700)
    assert.is_true(world.stats.max_speed < 2e-3, world.stats.max_speed)
    local _, top = strip.positions:get(3 * rows + 2)
    local _, bottom = strip.positions:get(2)
    return top - bottom, world:energy().bending
  end

  -- The strip as a plane chain of its rows of cells, hinges of B w / h between them: its length and elastic energy, by
  -- Newton's method on the angles of its links from the vertical.
  local function chain(acceleration)
    local fabric, links = weft.fabric.wool, 4 * PLEATS
    local h = DEPTH / 4
    local k, mass = fabric.bend.warp * 0.01 / h, fabric.density * 0.01 * h
    local rest, angle = {}, { ANGLE / 2 }
    for i = 1, links - 1 do
      rest[i] = i % 4 > 0 and 0 or i % 8 == 0 and ANGLE or -ANGLE
      angle[i + 1] = angle[i] + rest[i]
    end
    for _ = 1, 100 do
      local force, stiffness = {}, {}
      for i = 1, links do
        local pull = mass * (links - i + 0.5) * acceleration * h
        local above, below = i > 1 and 1 or 0, i < links and 1 or 0
        force[i] = -pull * math.sin(angle[i])
          + below * k * ((angle[i + 1] or 0) - angle[i] - (rest[i] or 0))
          - above * k * (angle[i] - (angle[i - 1] or 0) - (rest[i - 1] or 0))
        stiffness[i] = pull * math.cos(angle[i]) + (above + below) * k + 1e-9
      end
      for i = 2, links do -- elimination of the neighbours, which are joined with -k
        local share = -k / stiffness[i - 1]
        stiffness[i], force[i] = stiffness[i] + share * k, force[i] - share * force[i - 1]
      end
      for i = links, 1, -1 do
        force[i] = (force[i] + k * (force[i + 1] or 0)) / stiffness[i]
        angle[i] = angle[i] + math.max(-0.2, math.min(0.2, force[i]))
      end
    end
    local length, energy = 0, 0
    for i = 1, links do
      length = length + h * math.cos(angle[i])
      energy = energy + (i < links and k / 2 * (angle[i + 1] - angle[i] - rest[i]) ^ 2 or 0)
    end
    return length, energy
  end

  it("is as long as its folds leave it, and opens with the load as a chain of its facets does", function()
    local before, stored = 0, -1
    for _, acceleration in ipairs { 0, 1, 5, 25 } do
      local length, energy = hang(acceleration)
      local expected, expected_energy = chain(acceleration)
      near(expected, length, 0.02)
      assert.is_true(length > before + 1e-3 and energy > stored)
      assert.is_true(math.abs(energy - expected_energy) < 0.08 * expected_energy + 1e-12)
      before, stored = length, energy
    end
    near(PLEATS * DEPTH * math.cos(ANGLE / 2), (chain(0)), 1e-9)
  end)
end)
