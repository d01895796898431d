-- The flow of air in frames that move: the same scene with a wind added to everything goes as it went.

local flows = require "spec.air.flows"
local support = require "spec.support"
local weft = require "weft"

local K = 2 * math.pi

--- Taylor and Green's vortices in a wind, after a time in steps of so many cells at 1 m/s: root mean square error of
--- the x component beside the solution, which is carried along and decays as at rest; and the share of their strength.
local function drift(n, options)
  local viscosity, wind, time = options.viscosity, options.wind, options.time or 0.4
  local flow, exact = flows.taylor_green(n, { viscosity = viscosity })
  for axis, name in ipairs { "x", "y" } do
    for i = 1, #exact[name] do
      exact[name][i] = exact[name][i] + wind[axis]
    end
  end
  flow:set(exact)
  local count = math.floor(time * n / (options.cells or 1.6) + 0.5)
  for _ = 1, count do
    flow:step(time / count)
  end
  local left, x = math.exp(-2 * viscosity * K * K * time), flow:faces "x"
  local square, along, whole = 0, 0, 0
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local wave = math.sin(K * (i / n - wind[1] * time)) * math.cos(K * ((j + 0.5) / n - wind[2] * time))
      local got = x:get(1 + i + (n + 1) * j) - wind[1]
      square, along, whole = square + (got - left * wave) ^ 2, along + got * wave, whole + wave * wave
    end
  end
  return math.sqrt(square) / n, along / whole / left, flow.stats.diffusion_stages > 0
end

local function order(coarse, fine)
  return math.log(coarse / fine) / math.log(2)
end

describe("Vortices that drift with a wind", function()
  -- The grid sees the wind: what is carried along makes its errors with the whole speed. They fall with its square.
  for _, case in ipairs { { "slowly", { 1, 0.5 }, 32, 0.015 }, { "fast", { -2, 1 }, 64, 0.035 } } do
    local name, wind, coarsest, most = case[1], case[2], case[3], case[4]
    it(name .. " decay as vortices at rest, to second order", function()
      for _, viscosity in ipairs { 0.002, 0.01 } do
        local coarse = drift(coarsest, { viscosity = viscosity, wind = wind })
        local fine, strength = drift(2 * coarsest, { viscosity = viscosity, wind = wind })
        local _, still = drift(2 * coarsest, { viscosity = viscosity, wind = { 0, 0 } })
        local told = ("viscosity %g: %g and %g, strength %g"):format(viscosity, coarse, fine, strength)
        assert.is_true(order(coarse, fine) > (name == "fast" and 1.75 or 1.8), told)
        assert.is_true(fine < most, told)
        support.near(still, strength, 0.01 * wind[1] ^ 2)
      end
    end)
  end

  it("do so too where viscosity takes stages of its own", function()
    local coarse, _, has_own = drift(128, { viscosity = 0.01, wind = { 1, 0.5 }, cells = 0.8 })
    local fine, strength, has_too = drift(256, { viscosity = 0.01, wind = { 1, 0.5 }, cells = 0.8 })
    assert.is_true(has_own and has_too)
    assert.is_true(order(coarse, fine) > 1.9, ("%g %g"):format(coarse, fine))
    assert.is_true(fine < 1.5e-4, fine)
    support.near(1, strength, 1e-3)
  end)

  it("keep the wind to rounding", function()
    local flow, exact = flows.taylor_green(32, { viscosity = 0.01 })
    for i = 1, #exact.x do
      exact.x[i] = exact.x[i] + 1.5
    end
    flow:set(exact)
    for _ = 1, 20 do
      flow:step(0.05)
    end
    local velocity, sum = flow:velocity(), 0
    for i = 1, #velocity do
      sum = sum + velocity:get(i) / #velocity
    end
    support.near(1.5, sum, 1e-6)
  end)
end)

-- A light sheet, 0.05 kg/m2, tilted, is thrown into air, which outweighs it, and stops in it. In the other frames air
-- and sheet have a wind more.
local function thrown(cells, wind, follows)
  local world = support.still_world { time_step = 1 / 60 }
  world.wind.model = "flow"
  world.wind.flow = follows and { cell = 1 / cells, margin = 0.6 } or { cell = 1 / cells, lower = { -1, -0.8, -0.8 },
    upper = { 2, 0.8, 0.8 }, boundary = { all = "periodic" } }
  world.wind.still_air = true
  world.wind:add(weft.wind.uniform { velocity = { wind, 0, 0 } })
  local sheet = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.4, 0.4 }, warp = { 0, 0, 1 },
    weft = { -math.sin(0.3), math.cos(0.3), 0 }, centre = { -0.487, 0.011, 0.007 },
    fabric = weft.fabric { base = "wool", density = 0.05 } })
  local velocities = {}
  for i = 1, sheet.vertices do
    velocities[i] = { wind + 2, 0, 0 }
  end
  sheet:assign { velocities = velocities }
  local speeds = {}
  for k = 1, 20 do
    world:step()
    local momentum = sheet:momentum()
    speeds[k] = momentum.linear[1] / momentum.mass - wind
  end
  return speeds
end

describe("A light sheet that is thrown into a flow", function()
  it("is stopped alike in every frame, the more so the smaller the cells are", function()
    local rest, worst = {}, {}
    for k, cells in ipairs { 16, 32 } do
      rest[k], worst[k] = thrown(cells, 0), 0
      for _, wind in ipairs { 0.6, 1.5 } do
        local moving = thrown(cells, wind)
        support.close(rest[k][1], moving[1], 0.005) -- the blow of the air, before anything has been carried
        for step = 1, 20 do
          worst[k] = math.max(worst[k], math.abs(moving[step] - rest[k][step]))
        end
      end
    end
    assert.is_true(rest[2][1] < 0.4 * 2 and rest[2][20] < 0.12 * 2, rest[2][20]) -- most is lost to the air at once
    assert.is_true(worst[2] < 0.02 * 2, worst[2])
    assert.is_true(worst[2] < 0.65 * worst[1], worst[1] / worst[2])
  end)

  it("is so too by a box that goes along", function()
    local rest, moving = thrown(20, 0, true), thrown(20, 1, true)
    for step = 1, 20 do
      support.close(rest[step], moving[step], 0.025 * 2)
    end
  end)
end)
