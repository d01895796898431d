-- Every scheme on cloth in a world: order, contact, changes from outside, failure.

local weft = require "weft"
local shapes = require "spec.contact.shapes"

-- Soft enough that a hundredth of a second resolves its fastest motion: then orders show.
local function soft_fabric()
  return weft.fabric { density = 0.2, stretch = { weft = 2, warp = 3, coupling = 0.4 }, shear = 1,
                       bend = { weft = 1e-5, warp = 1e-5 }, viscosity = 0.01 }
end

local function ball(radius)
  local scene = shapes.scene()
  shapes.add_sphere(scene, 10, { 0, 0, 0 }, radius)
  return weft.body { vertices = scene.points, faces = scene.body }
end

local function hanging(integrator, step, duration)
  local world = weft.world { integrator = integrator, time_step = step, self_contact = false, tolerance = 1e-12 }
  local sheet = world:add(weft.sheet { cells = { 3, 4 }, size = { 0.3, 0.4 }, fabric = soft_fabric() })
  sheet:pin { vertices = { 1, 4 } }
  world:step(math.floor(duration / step + 0.5))
  return sheet.positions:table(), world
end

local function distance(a, b)
  local largest = 0
  for i, p in ipairs(a) do
    for k = 1, 3 do
      largest = math.max(largest, math.abs(p[k] - b[i][k]))
    end
  end
  return largest
end

describe("integrators on cloth", function()
  local reference = (hanging("rk4", 1 / 4000, 0.1))

  local full = { newton = "full", newton_tolerance = 1e-11, linearisation = "exact" }
  local function with(scheme, options)
    local result = { scheme = scheme }
    for name, value in pairs(options or {}) do
      result[name] = value
    end
    return result
  end
  local expected = {
    { 1, with "backward euler" },
    { 1, with("backward euler", full) },
    { 1, with "imex euler" },
    { 1, with "symplectic euler" },
    { 2, with("implicit midpoint", full) },
    { 2, with("bdf2", full) },
    { 2, with("alpha bdf2", full) },
    { 2, with "explicit midpoint" },
    { 2, with "verlet averaged" },
  }
  for _, case in ipairs(expected) do
    local order, integrator = case[1], case[2]
    it(("%s (%s) has order %d"):format(integrator.scheme, integrator.newton or "default", order), function()
      local coarse = distance(hanging(integrator, 1 / 400, 0.1), reference)
      local fine = distance(hanging(integrator, 1 / 800, 0.1), reference)
      local observed = math.log(coarse / fine) / math.log(2)
      assert.is_true(math.abs(observed - order) < 0.2, ("observed order %.3f, errors %.3g %.3g"):format(observed,
        coarse, fine))
    end)
  end

  it("agree on backward Euler: Newton's method, projective dynamics and block descent", function()
    local exact = hanging(with("backward euler", full), 1 / 100, 0.1)
    for _, scheme in ipairs { "projective dynamics", "vertex block descent" } do
      local found = hanging({ scheme = scheme, iterations = 400 }, 1 / 100, 0.1)
      local apart = distance(found, exact)
      assert.is_true(apart < 1e-4, ("%s is %.3g m away"):format(scheme, apart))
    end
  end)
end)

describe("integrators and what happens between steps", function()
  for _, scheme in ipairs { "backward euler", "bdf2", "alpha bdf2", "bdf3", "bdf4" } do
    it(scheme .. " does not remember a velocity that a script replaced", function()
      local world = weft.world { integrator = scheme, gravity = { 0, 0, 0 }, self_contact = false, tolerance = 1e-12 }
      local sheet = world:add(weft.sheet { cells = { 2, 2 }, size = { 0.2, 0.2 } })
      local function move(velocity)
        local all = {}
        for i = 1, sheet.vertices do
          all[i] = velocity
        end
        sheet:assign { velocities = all }
      end
      move { 0, 3, 0 }
      world:step(5)
      move { 1, 0, 0 }
      local before = sheet.positions:table()
      world:step(6)
      local time = 6 * world.time_step
      for i, p in ipairs(sheet.positions:table()) do
        assert.is_true(math.abs(p[1] - before[i][1] - time) < 1e-8 and math.abs(p[2] - before[i][2]) < 1e-8)
      end
    end)
  end

  it("leave the state as it was when a step fails", function()
    local world = weft.world { integrator = "rk4", self_contact = false }
    local sheet = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.2, 0.2 } })
    sheet:pin { vertices = { 1 } }
    local hash, message
    for _ = 1, 1000 do
      hash = world:hash()
      local ok
      ok, message = pcall(world.step, world)
      if not ok then
        break
      end
    end
    assert.matches("rk4", message)
    assert.equal(hash, world:hash())
    world.integrator = "backward euler" -- and can go on with another
    world:step()
    assert.equal("backward euler", world.integrator)
  end)

  it("are refused by their names and options, and the old one stays", function()
    local world = weft.world { integrator = "bdf2" }
    assert.error_matches(function() world.integrator = "bdf22" end, "did you mean 'bdf2'")
    assert.error_matches(function() world.integrator = { scheme = "bdf2", alpha = 2 } end, "alpha")
    assert.error_matches(function() world.integrator = 3 end, "the name of a scheme or a table")
    assert.equal("bdf2", world.integrator)
  end)
end)

describe("integrators and contact", function()
  local schemes = { "backward euler", "implicit midpoint", "alpha", "bdf2", "alpha bdf2", "imex euler", "xpbd",
                    "projective dynamics", "vertex block descent", "linear filter", "kang" }
  for _, scheme in ipairs(schemes) do
    it(scheme .. " lays cloth on a body", function()
      local world = weft.world { integrator = scheme }
      local under = world:add(ball(0.15))
      local sheet = world:add(weft.sheet { cells = { 16, 16 }, size = { 0.4, 0.4 }, centre = { 0, 0.17, 0 } })
      world:step(40)
      assert.is_true(world.stats.contacts > 0)
      assert.equal(0, weft.inspect.intersections(sheet).count)
      assert.equal(0, weft.inspect.intersections(sheet, under).count)
      local highest = -1
      for _, p in ipairs(sheet.positions:table()) do
        highest = math.max(highest, p[2])
      end
      assert.is_true(highest > 0.14, "it lies on the ball")
    end)
  end
end)

describe("world:spectrum", function()
  -- The largest speed of a free sheet that starts trembling at a micrometre a second, after 3000 steps of `product`
  -- over the frequency; infinite where the scheme broke down.
  local function trembling(scheme, product)
    local world = weft.world { integrator = scheme, self_contact = false, gravity = { 0, 0, 0 } }
    local sheet = world:add(weft.sheet { cells = { 6, 5 }, size = { 0.3, 0.2 }, fabric = weft.fabric {
      density = 0.2, stretch = { weft = 40, warp = 30, coupling = 8 }, shear = 10, viscosity = 0,
      bend = { weft = 1e-5, warp = 1e-5, viscosity = 0 } } })
    local moves = {}
    for i = 1, sheet.vertices do
      moves[i] = { 1e-6 * math.sin(37 * i), 0, 1e-6 * math.cos(91 * i) }
    end
    sheet:assign { velocities = moves }
    world.time_step = product / world:spectrum().frequency
    return pcall(world.step, world, 3000) and world.stats.max_speed or math.huge
  end

  it("is where explicit schemes lose their stability: 2 for symplectic Euler, 2 sqrt 2 for rk4", function()
    assert.is_true(trembling("symplectic euler", 1.98) < 1e-4)
    assert.is_true(trembling("symplectic euler", 2.02) > 1)
    assert.is_true(trembling("rk4", 2.80) < 1e-4)
    assert.is_true(trembling("rk4", 2.86) > 1e-3)
  end)

  it("counts viscosity: in Kelvin-Voigt cloth damping is viscosity times the frequency squared", function()
    local world = weft.world { self_contact = false }
    world:add(weft.sheet { cells = { 5, 4 }, size = { 0.2, 0.2 }, fabric = weft.fabric {
      density = 0.2, stretch = { weft = 400, warp = 300, coupling = 80 }, shear = 100, viscosity = 0.01,
      bend = { weft = 1e-6, warp = 1e-6, viscosity = 0.01 } } })
    local spectrum = world:spectrum()
    assert.is_true(math.abs(spectrum.damping / (0.01 * spectrum.frequency ^ 2) - 1) < 0.01)
    assert.equal(0, weft.world():spectrum().frequency)
  end)
end)
