-- Dry friction between the threads of a fabric: what faces remember from step to step.

local weft = require "weft"
local support = require "spec.support"

local E, HEIGHT, SLIP = 400, 2, 1e-4

local function fabric(height)
  return weft.fabric { density = 0.5, stretch = { weft = E, warp = E, coupling = 0 }, shear = 300, viscosity = 0,
    bend = { weft = 0, warp = 0, viscosity = 0 }, hysteresis = { weft = height, slip = SLIP } }
end

--- A square of 0.1 m, held at its left side, stretched by `strain` along the weft.
local function square(height, strain, membrane)
  local right = 0.1 * (1 + strain)
  return weft.cloth { vertices = { { 0, 0, 0 }, { right, 0, 0 }, { right, 0.1, 0 }, { 0, 0.1, 0 } },
    rest = { { 0, 0 }, { 0.1, 0 }, { 0.1, 0.1 }, { 0, 0.1 } }, faces = { { 1, 2, 3 }, { 1, 3, 4 } },
    fabric = fabric(height), membrane = membrane or "weave particles" }
end

local function world_of(cloth, options)
  options = options or {}
  options.gravity, options.self_contact = { 0, 0, 0 }, false
  local world = weft.world(options)
  world:add(cloth)
  return world
end

--- Turning points of the strain of a square let go at 5 %, undamped but for friction.
local function turning_points(height, membrane)
  local cloth = square(height, 0.05, membrane)
  cloth:pin { vertices = { 1, 4 } }
  -- mass 2.5 g on a spring of 400 N/m: a period of 16 ms in 320 steps
  local world = world_of(cloth, { time_step = 5e-5, tolerance = 1e-12, integrator = "trapezoid" })
  local points, last, rate = {}, 0.05, 0
  for _ = 1, 1000 do
    world:step()
    local strain = cloth.positions:get(2) / 0.1 - 1
    if (strain - last) * rate < 0 then
      points[#points + 1] = math.abs(last)
    end
    last, rate = strain, strain - last
  end
  return points
end

describe("A fabric's hysteresis", function()
  it("shortens each swing as Coulomb's friction does: by twice its height over the modulus", function()
    for _, membrane in ipairs { "weave particles", "Biot" } do
      local free, rubbed = turning_points(0, membrane), turning_points(HEIGHT, membrane)
      assert.near(0.05, free[2], 2e-4)
      local previous = 0.05
      for k = 1, 3 do
        -- the loop of a half cycle from a to b loses height (a + b - 2 slip): 1/2 E (a^2 - b^2) is that
        local loss = HEIGHT * (previous + rubbed[k] - 2 * SLIP)
        assert.near(loss, 0.5 * E * (previous ^ 2 - rubbed[k] ^ 2), 0.03 * loss)
        assert.near(previous - 2 * HEIGHT / E, rubbed[k], 6e-4)
        previous = rubbed[k]
      end
    end
  end)

  it("holds cloth where it was let go, as long as the pull is weaker than it", function()
    local cloth = square(30, 0)
    cloth:pin { vertices = { 1, 2, 3, 4 } }
    local world = world_of(cloth, { integrator = { scheme = "backward euler", newton = "full" } })
    cloth:pin { vertices = { 2, 3 }, targets = { { 0.105, 0, 0 }, { 0.105, 0.1, 0 } } }
    world:step(5)
    cloth:unpin { vertices = { 2, 3 } }
    world:step(200)
    -- it goes back unless E strain = 20 is more than the height
    assert.near(0.1 * 1.05, cloth.positions:get(2), 2e-4)
  end)

  it("belongs to the state: to its hash, and to what a step that fails leaves alone", function()
    local function run(height)
      local cloth = square(height, 0.05)
      cloth:pin { vertices = { 1, 4 } }
      local world = world_of(cloth)
      world:step(3)
      return world, cloth
    end
    local world, cloth = run(HEIGHT)
    assert.not_equal(run(0):hash(), world:hash())
    assert.equal(run(HEIGHT):hash(), world:hash())
    local hash = world:hash()
    cloth.bending = "hinges" -- the models are made anew, and what was remembered stays
    assert.equal(hash, world:hash())
    local core = require "weft.core"
    for n = 0, 40, 4 do
      core.fail_allocation(n)
      local ok = pcall(world.step, world)
      core.fail_allocation()
      assert.is_false(ok)
      assert.equal(hash, world:hash())
    end
    world:step()
    assert.not_equal(hash, world:hash())
  end)

  it("is refused by models that cannot express it, and checked", function()
    local cloth = square(HEIGHT, 0)
    assert.equal('weft.cloth: membrane: fabric "wool" has hysteresis, which "green" cannot express; '
      .. '"weave particles" can', support.message_of(function() cloth.membrane = "green" end))
    local sheet = weft.sheet { membrane = "green" }
    assert.equal('weft.cloth: fabric "wool" has hysteresis, which "green" cannot express; "weave particles" can',
      support.message_of(function() sheet.fabric = fabric(HEIGHT) end))
    assert.equal(0, sheet.fabric.hysteresis.weft)
    -- A choice is one also where it is the default; what nobody chose gives way.
    local function give(piece)
      piece.fabric = fabric(HEIGHT)
    end
    local chosen, later, free = weft.sheet { membrane = "weave" }, weft.sheet(), weft.sheet()
    later.membrane = "weave"
    for _, piece in ipairs { chosen, later } do
      assert.equal('weft.cloth: fabric "wool" has hysteresis, which "weave" cannot express; "weave particles" can',
        support.message_of(give, piece))
      assert.same({ "weave", 0 }, { piece.membrane, piece.fabric.hysteresis.weft })
    end
    give(free)
    assert.equal("weave particles", free.membrane)
    free.fabric = weft.fabric.wool
    assert.equal("weave", free.membrane)
    local material = fabric(HEIGHT)
    assert.equal("weft.fabric: hysteresis.slip must be from 1e-06 to 0.1, got 0",
      support.message_of(function() material.hysteresis.slip = 0 end))
    material.hysteresis = { shear = 1 }
    assert.same({ HEIGHT, 1 }, { material.hysteresis.weft, material.hysteresis.shear })
  end)
end)
