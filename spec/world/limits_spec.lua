-- Strain limits: in any direction and per thread, through a world's step.

local weft = require "weft"
local support = require "spec.support"
local message_of = support.message_of

local function soft(limit)
  return weft.fabric { density = 0.3, stretch = { weft = 20, warp = 20, coupling = 0 }, shear = 5, limit = limit }
end

--- The largest strains of a cloth: principal, weft, warp, shear angle.
local function largest(cloth)
  local most = { 0, 0, 0, 0 }
  local positions, faces = cloth.positions:table(), cloth.faces:table()
  for i, strain in ipairs(cloth.strains:table()) do
    -- strains are of U: its largest eigenvalue is the largest principal stretch, its columns are the threads
    local a, b, angle = 1 + strain[1], 1 + strain[2], strain[3]
    assert(positions[faces[i][1]])
    -- angle between the threads from U = [[a, c], [c, b]]: sin(angle) = c (a + b) / (|col1| |col2|)
    local low, high = -1, 1
    for _ = 1, 60 do
      local c = 0.5 * (low + high)
      local sine = c * (a + b) / math.sqrt((a * a + c * c) * (b * b + c * c))
      if sine < math.sin(angle) then
        low = c
      else
        high = c
      end
    end
    local c = 0.5 * (low + high)
    local principal = 0.5 * (a + b) + math.sqrt(0.25 * (a - b) ^ 2 + c * c) - 1
    for k, value in ipairs { principal, math.sqrt(a * a + c * c) - 1, math.sqrt(b * b + c * c) - 1, math.abs(angle) } do
      most[k] = math.max(most[k], value)
    end
  end
  return most
end

--- A strip that hangs from its first row for a second.
local function hang(limit, options)
  options = options or {}
  options.self_contact = false
  options.limit_sweeps = options.limit_sweeps or 1000
  local world = weft.world(options)
  local cloth = world:add(weft.sheet { cells = { 4, 12 }, size = { 0.1, 0.3 }, weft = { 1, 0, 0 },
    warp = { 0, -1, 0 }, fabric = soft(limit) })
  cloth:pin { vertices = { 1, 2, 3, 4, 5 } }
  world:step(60)
  return cloth, world
end

describe("Strain limits", function()
  it("hold cloth that its weight would stretch further, where they are reached, and only there", function()
    local free = largest(hang(0))
    assert.is_true(free[3] > 0.04, free[3]) -- rho g L / E = 4.4 % at the top
    for _, limit in ipairs { 0.02, { warp = 0.02 } } do
      local cloth, world = hang(limit)
      local most = largest(cloth)
      assert.near(0.02, most[3], 2e-4)
      assert.is_true(world.stats.limit_sweeps > 1 and world.stats.limit_excess < 2e-4)
      -- below, where the weight stretches it by less than 2 %, it is as without limits: stress rho g y / E
      local positions = cloth.positions:table()
      local length = positions[63][2] - positions[58][2]
      assert.near(-0.025 * (1 + 0.3 * 9.81 * 0.0375 / 20), length, 1e-4)
    end
    local most = largest(hang { weft = 0.02 })
    assert.is_true(most[3] > 0.04)
  end)

  it("bound the shear angle", function()
    -- a square hung from one corner shears
    local function sheared(limit)
      local world = weft.world { self_contact = false, limit_sweeps = 1000, damping = 3 }
      local cloth = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.3, 0.3 }, warp = { 0, -1, 0 },
        fabric = weft.fabric { base = soft(limit), shear = 2, stretch = { weft = 200, warp = 200 } } })
      cloth:pin { vertices = { 1 } }
      world:step(60)
      return largest(cloth)[4]
    end
    assert.is_true(sheared(0) > 0.3)
    assert.near(0.1, sheared { shear = 0.1 }, 1e-3)
  end)

  it("leave unstrained cloth alone, to the last bit", function()
    local function hash(limit)
      local world = weft.world { gravity = { 0, 0, 0 } }
      local cloth = world:add(weft.sheet { cells = { 5, 5 }, fabric = soft(limit) })
      local velocities = {}
      for i = 1, cloth.vertices do
        velocities[i] = { 0, 1 + 0.02 * math.sin(i), 0 }
      end
      cloth:assign { velocities = velocities }
      world:step(3)
      return world:hash()
    end
    assert.equal(hash(0), hash(5))
  end)

  for _, limit in ipairs { 0.05, { weft = 0.05, warp = 0.03, shear = 0.1 } } do
    it("keep momentum" .. (type(limit) == "table" and " per direction" or ""), function()
      local world = weft.world { gravity = { 0, 0, 0 }, tolerance = 1e-12, time_step = 1 / 4000, limit_sweeps = 500 }
      local cloth = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.2, 0.2 }, fabric = soft(limit) })
      local velocities = {}
      for i, p in ipairs(cloth.positions:table()) do
        velocities[i] = { 8 * p[1] + 2 * p[3] + 1, math.sin(i), 6 * p[3] - 2 * p[1] } -- outwards, and around
      end
      cloth:assign { velocities = velocities }
      local before = world:momentum()
      local held
      for _ = 1, 60 do
        world:step()
        held = held or world.stats.limit_sweeps > 2
      end
      local after = world:momentum()
      assert.is_true(held)
      local spin = math.abs(before.angular[2])
      for k = 1, 3 do
        assert.near(before.linear[k], after.linear[k], 1e-9)
        assert.near(before.angular[k], after.angular[k], 0.01 * spin) -- backward Euler loses some itself
      end
      assert.is_true(world:energy().kinetic > 0)
    end)
  end

  it("are the same bits for any number of threads", function()
    local before, hashes = weft.threads(), {}
    for threads = 1, 2 do
      weft.threads(threads)
      local world = weft.world { limit_sweeps = 30 }
      local cloth = world:add(weft.sheet { cells = { 40, 40 }, fabric = soft(0.02) })
      cloth:pin { vertices = { 1, 41 } }
      world:step(10)
      hashes[threads] = world:hash()
    end
    weft.threads(before)
    assert.equal(hashes[1], hashes[2])
  end)

  it("work with schemes that remember, and let contact have the last word", function()
    for _, scheme in ipairs { "bdf2", "alpha bdf2", "xpbd" } do
      local cloth = hang(0.02, { integrator = scheme })
      assert.is_true(largest(cloth)[3] < 0.022, scheme)
    end
    local world = weft.world { floor = -0.1 }
    local cloth = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.3, 0.3 }, fabric = soft(0.01) })
    world:step(60)
    for _, p in ipairs(cloth.positions:table()) do
      assert.is_true(p[2] > -0.1)
    end
  end)

  it("are read and set like other groups of values", function()
    local fabric = soft(0.1)
    assert.equal(0.1, fabric.limit.any)
    assert.equal(0, fabric.limit.weft)
    fabric.limit = { weft = 0.2, shear = 0.5 }
    assert.same({ 0.1, 0.2, 0, 0.5 }, { fabric.limit.any, fabric.limit.weft, fabric.limit.warp, fabric.limit.shear })
    fabric.limit.any = 0
    assert.equal("weft.fabric: limit.shear must be from 0 to 1.5 rad, got 2",
      message_of(function() fabric.limit.shear = 2 end))
    assert.equal("weft.fabric: limit.any must be from 0 to 10, got -1", message_of(weft.fabric, { limit = -1 }))
    assert.equal("weft.fabric: limit: unknown option 'wef'; did you mean 'weft'?",
      message_of(weft.fabric, { limit = { wef = 1 } }))
    assert.equal('weft.fabric: limit must be a number, or a table with any, weft, warp or shear, got "much"',
      message_of(weft.fabric, { limit = "much" }))
    assert.equal("weft.fabric.limit (any 0, weft 0.2, warp 0, shear 0.5 rad; 0: none)", tostring(fabric.limit))
  end)
end)
