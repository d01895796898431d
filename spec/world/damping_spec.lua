-- The cloth by which Volino and Magnenat-Thalmann compare integrators: 50 cm square, 100 N/m in every direction,
-- 100 g/m², triangles of 2 cm², nothing that dissipates. What schemes do to its energy, and which steps each survives.

local cloths = require "spec.step.cloths"
local sheets = require "spec.model.sheets"
local weft = require "weft"

local CELLS = 25

local function fabric()
  return weft.fabric { density = 0.1, stretch = { weft = 100, warp = 100, coupling = 0 }, shear = 50, viscosity = 0,
    bend = { weft = 1e-6, warp = 1e-6, viscosity = 0 } }
end

local function square(cells)
  return weft.sheet { cells = { cells, cells }, size = { 0.5, 0.5 }, fabric = fabric() }
end

--- The cloth flat in the air, `options` of the world.
local function flat(options)
  options.self_contact = false
  local world = weft.world(options)
  return world, world:add(square(CELLS))
end

describe("a square held by one edge, swinging down", function()
  --- What is left over in the balance of energy after some seconds, J, and how much the weight had given, J.
  local function swing(integrator, seconds)
    local world, cloth = flat { integrator = integrator, time_step = 1 / 240, tolerance = 1e-8 }
    local edge = {}
    for i = 1, CELLS + 1 do
      edge[i] = i
    end
    cloth:pin { vertices = edge }
    local before, exchanged = world:energy(), 0
    for _ = 1, 240 * seconds do
      world:step()
      exchanged = math.max(exchanged, before.potential - world:energy().potential)
    end
    return world:energy().total - before.total, exchanged
  end

  it("loses energy in the order backward Euler, BDF2, generalised BDF2, and next to nothing by Runge-Kutta 5(4)",
    function()
      local last
      for i, scheme in ipairs { "backward euler", "bdf2", "alpha bdf2" } do -- the last with its 1 / sqrt 3
        local lost = -swing(scheme, 0.25) -- while it is still taut: folds differ
        assert.is_true(lost > 0)
        assert.is_true(i == 1 or lost < 0.7 * last, ("%s: %g J, the one before %g J"):format(scheme, lost, last or 0))
        last = lost
      end
      local drift, exchanged = swing({ scheme = "cash karp", relative_tolerance = 1e-5, absolute_tolerance = 1e-7 }, 1)
      assert.is_true(math.abs(drift) < 1e-3 * exchanged, ("%g J of %g J"):format(drift, exchanged))
      assert.is_true(math.abs(drift) < 0.1 * last)
    end)
end)

describe("a square whose vertices were thrown anywhere within 2 cm", function()
  local cells = 12

  --- It, with vertices thrown as far as `distance`, m, in a world without weight.
  local function crumpled(integrator, time_step, distance)
    local random, start = sheets.random(7), square(cells)
    local rest = sheets.map(start.positions:table(), function(x, _, z) return x, -z end)
    local thrown = sheets.map(start.positions:table(), function(x, y, z)
      return x + distance * random(), y + distance * random(), z + distance * random()
    end)
    local world = weft.world { integrator = integrator, time_step = time_step, self_contact = false,
      gravity = { 0, 0, 0 } }
    local cloth = world:add(weft.cloth { vertices = thrown, faces = start.faces, rest = rest, fabric = fabric() })
    return world, cloth
  end

  it("relaxes by backward Euler with steps from 0.1 ms to 1 s, and never has more energy than at first", function()
    for _, time_step in ipairs { 1e-4, 1e-3, 1e-2, 1e-1, 1 } do
      local world, cloth = crumpled("backward euler", time_step, 0.02)
      local before = world:energy().total
      local last
      for _ = 1, 20 do
        world:step()
        last = world:energy().total
        assert.is_true(last < before, ("%g s: %g J, at first %g J"):format(time_step, last, before))
      end
      assert.is_true(last < (time_step > 1e-4 and 0.01 or 0.8) * before, ("%g of %g J"):format(last, before))
      assert.is_true(cloths.finite(cloth.positions:table()))
    end
  end)

  it("makes Runge-Kutta 5(4) shorten its steps", function()
    local function steps(distance)
      local world = crumpled("cash karp", 1e-3, distance)
      world:step()
      return world.stats.integrator_steps
    end
    assert.equal(1, steps(0))
    local slightly = steps(1e-4)
    assert.is_true(slightly > 4)
    assert.is_true(steps(0.02) > 1.25 * slightly)
  end)
end)

describe("a free square that trembles at a micrometre a second", function()
  local STEPS = 1500

  --- By how much its energy is multiplied in 1500 steps of `product` over the frequency of its fastest motion; infinite
  --- where it broke.
  local function growth(integrator, product)
    local world, cloth = flat { integrator = integrator, gravity = { 0, 0, 0 } }
    local moves = {}
    for i = 1, cloth.vertices do
      moves[i] = { 1e-6 * math.sin(37 * i), 0, 1e-6 * math.cos(91 * i) }
    end
    cloth:assign { velocities = moves }
    local frequency = world:spectrum().frequency
    world.time_step = product / frequency
    local before = world:energy().total
    local after = pcall(world.step, world, STEPS) and world:energy().total / before or math.huge
    return after, frequency
  end

  it("blows up by the leapfrog rule beyond steps of 1 / frequency, and not before", function()
    local leapfrog = { scheme = "alpha bdf2", alpha = 0 }
    for _, product in ipairs { 0.1, 0.5, 0.98 } do
      assert.is_true(growth(leapfrog, product) < 10)
    end
    local broken, frequency = growth(leapfrog, 1.03)
    assert.is_true(broken > 1e6)
    assert.is_true(2e-4 < 1 / frequency and 1 / frequency < 3e-4)
  end)

  it("gains energy by forward Euler with steps of any length, as fast as 1 + h^2 omega^2 a step allows", function()
    for _, product in ipairs { 0.02, 0.05, 0.1 } do
      local limit = (1 + product ^ 2) ^ STEPS
      local gained = growth("forward euler", product)
      assert.is_true(gained > limit ^ 0.5 and gained < limit, ("%g; at most %g"):format(gained, limit))
    end
  end)
end)
