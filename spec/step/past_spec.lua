-- Viscosity in implicit steps: rates of strain from differences of strain, and what Newton's method makes of them.

local cloths = require "spec.step.cloths"
local sheets = require "spec.model.sheets"
local weft = require "weft"

local step = weft.step

--- Spins the sheet about a tilted axis through its middle, so that all of it turns out of its plane.
local function spinning(options, speed)
  options.gravity = { 0, 0, 0 }
  options.v = sheets.map(options.x, function(x, y, z)
    return speed * y, speed * (z - 0.15) - speed * (x - 0.2), -speed * y
  end)
  return options
end

--- Wool in a frame that stretches it: nothing buckles, whatever the velocities it starts with.
local function framed(speed, membrane)
  local border, random = {}, sheets.random(3)
  for k = 0, 120 do
    if k % 11 % 10 == 0 or math.floor(k / 11) % 10 == 0 then
      border[#border + 1] = k + 1
    end
  end
  local options = cloths.sheet { columns = 10, rows = 10, pins = border, shake = 0.001,
    fabric = weft.fabric.preset "wool", gravity = { 0, -9.81, 0 } }
  options.membrane = membrane
  for _, point in ipairs(options.x) do
    point[1], point[3] = 1.05 * point[1], 1.05 * point[3]
  end
  options.v = sheets.map(options.x, function() return speed * random(), speed * random(), speed * random() end)
  for _, k in ipairs(border) do
    options.v[k] = { 0, 0, 0 }
  end
  return step.cloth(options)
end

--- Asserts that each iteration near the solution gains more than the one before it, as quadratic convergence does;
--- the most iterations of a step. The first step, which is violent, does not count.
local function assert_quadratic(integrator, equation, steps, h)
  local most, seen, x, v = 0, 0
  for k = 0, steps do
    x, v = integrator:step { equation = equation, step = h, x = x, v = v }
    local records = integrator.newton
    local scale, last_ratio = records[1].residual
    for i = 1, k > 0 and #records - 1 or 0 do
      local ratio = records[i + 1].residual / records[i].residual
      if records[i].residual < 0.3 * scale and records[i + 1].residual > 1e-11 * scale then
        if last_ratio then
          assert.is_true(ratio < last_ratio / 3, ("step %d, iteration %d: %g after %g"):format(k, i, ratio, last_ratio))
          seen = seen + 1
        end
        last_ratio = ratio
      end
    end
    most = k > 0 and math.max(most, #records) or most
  end
  assert.is_true(seen >= 3, seen)
  return most
end

describe("viscous cloth in implicit steps", function()
  for _, name in ipairs { "backward euler", "bdf2" } do
    it("lets Newton's method converge quadratically: " .. name, function()
      local integrator = step.integrator { scheme = name, newton = "full", linearisation = "exact", extrapolate = false,
        newton_tolerance = 1e-11, linear_tolerance = 1e-13 }
      assert.is_true(assert_quadratic(integrator, framed(10), 6, 1 / 60) <= 5)
    end)
  end

  for _, membrane in ipairs { "green", "Biot", "edge elongations", "weave particles" } do
    it("does so for models of strains: " .. membrane, function()
      local integrator = step.integrator { scheme = "backward euler", newton = "full", linearisation = "exact",
        extrapolate = false, newton_tolerance = 1e-11, linear_tolerance = 1e-13 }
      assert.is_true(assert_quadratic(integrator, framed(10, membrane), 6, 1 / 60) <= 8)
    end)
  end

  it("takes hardly more iterations than elastic cloth where it swings and folds", function()
    local function iterations(fabric)
      local equation = step.cloth(cloths.sheet { columns = 10, rows = 10, pins = { 1, 11 }, fabric = fabric,
        jitter = 0.1 })
      return select(3, cloths.walk({ scheme = "backward euler", newton = "full", newton_tolerance = 1e-8,
        linearisation = "exact" }, equation, 1 / 60, 30)).newton_iterations
    end
    local viscous, elastic = iterations(weft.fabric.preset "wool"), iterations(cloths.fabric())
    assert.is_true(viscous < 1.2 * elastic, ("%d and %d"):format(viscous, elastic))
  end)

  -- From an unstrained start the stress of a step is (1 + viscosity / h) C (U - 1), however far the cloth turns in it.
  for _, name in ipairs { "backward euler", "vertex block descent", "projective dynamics" } do
    it("feels stiffer by viscosity / h and nothing else: " .. name, function()
      local h, viscosity = 1 / 60, 0.02
      local function after(changes)
        local options = spinning(cloths.sheet { shake = 0, fabric = cloths.fabric(changes) }, 20)
        local scheme = name == "backward euler"
          and { scheme = name, newton = "full", newton_tolerance = 1e-12, newton_iterations = 200 }
          or { scheme = name, iterations = 3000, newton_tolerance = 1e-12 }
        return (cloths.step(scheme, step.cloth(options), h))
      end
      local stiffer, bend = 1 + viscosity / h, { weft = 1e-9, warp = 1e-9, viscosity = 0 }
      local viscous = after { viscosity = viscosity, bend = bend }
      local stiff = after { bend = bend, shear = 29.2 * stiffer,
        stretch = { weft = 866 * stiffer, warp = 1391 * stiffer, coupling = 225.7 * stiffer } }
      assert.is_true(cloths.distance(viscous, stiff) < 1e-7, cloths.distance(viscous, stiff))
    end)
  end

  it("keeps backward differentiation of order 2 where cloth turns fast", function()
    local equation = step.cloth(spinning(cloths.sheet { shake = 0, fabric = cloths.fabric { viscosity = 0.1,
      stretch = { weft = 4, warp = 5, coupling = 1 }, shear = 1 } }, 5))
    local function at_end(count)
      return (cloths.walk({ scheme = "bdf2", newton = "full", linearisation = "exact", newton_tolerance = 1e-11 },
        equation, 0.128 / count, count))
    end
    local fine = at_end(1024)
    local coarse_error, error_now = cloths.distance(at_end(32), fine), cloths.distance(at_end(64), fine)
    local order = math.log(coarse_error / error_now) / math.log(2)
    assert.is_true(order > 1.95 and order < 2.05, order)
  end)

  it("keeps momentum and turns nothing", function()
    local options = spinning(cloths.sheet { fabric = cloths.fabric { viscosity = 0.05 } }, 10)
    local mass = cloths.masses(options)
    local linear, angular = cloths.momenta(mass, options.x, options.v)
    local x, v = cloths.step({ scheme = "backward euler", newton = "full", newton_tolerance = 1e-12 },
      step.cloth(options), 1 / 60)
    local after, turned = cloths.momenta(mass, x, v)
    -- sum of x1 x m v0 is sum of x0 x m v0 + h sum of v1 x m v0
    local _, drift = cloths.momenta(mass, v, options.v)
    for k = 1, 3 do
      assert.near(linear[k], after[k], 1e-12)
      assert.near(angular[k] + drift[k] / 60, turned[k], 1e-10)
    end
  end)
end)

describe("viscous springs in implicit steps", function()
  it("let Newton's method converge quadratically, and feel stiffer by damping / stiffness / h", function()
    local function net(stiffness, damping)
      return step.cloth { x = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } },
        v = { { 0, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 }, { 0, -8, 0 } }, springs = { { 1, 2 }, { 2, 3 }, { 3, 4 } },
        rest_lengths = { 1, 1, 1 }, stiffness = { stiffness, stiffness, stiffness },
        spring_damping = { damping, damping, damping }, mass = { 1, 1, 1, 1 }, pins = { 1 } }
    end
    local exact = { scheme = "backward euler", newton = "full", linearisation = "exact", extrapolate = false,
      newton_tolerance = 1e-13, linear_tolerance = 1e-14 }
    local viscous = cloths.step(exact, net(300, 40), 0.1)
    assert.is_true(cloths.distance(viscous, (cloths.step(exact, net(700, 0), 0.1))) < 1e-10)
    assert_quadratic(step.integrator(exact), net(300, 40), 20, 0.1)
  end)
end)
