-- Momentum, angular momentum and the centre of mass of cloth, from the C side, against mechanics.

local support = require "spec.support"
local weft = require "weft"

local function close(expected, actual, tolerance)
  for i = 1, 3 do
    assert.is_true(math.abs(expected[i] - actual[i]) <= tolerance,
      ("expected {%g, %g, %g}, got {%g, %g, %g}"):format(expected[1], expected[2], expected[3], actual[1], actual[2],
        actual[3]))
  end
end

--- A free sheet that turns about the z axis with angular velocity w and flies with velocity u.
local function flying(options, w, u)
  local world = weft.world(options)
  local sheet = world:add(weft.sheet { cells = { 5, 5 }, size = { 0.5, 0.5 }, warp = { 0, 1, 0 } })
  local velocities = weft.buffer { count = sheet.vertices }
  for i = 1, sheet.vertices do
    local x, y = sheet.positions:get(i)
    velocities:set(i, u[1] - w * y, u[2] + w * x, u[3])
  end
  sheet:assign { velocities = velocities }
  return world, sheet
end

describe("The momentum of cloth", function()
  it("is that of a rigid sheet which turns and flies", function()
    local world, sheet = flying({}, 2, { 1, 0.5, -3 })
    local momentum, mass = world:momentum(), 0.26 * 0.25
    assert.is_true(math.abs(momentum.mass - mass) < 1e-12)
    close({ 0, 0, 0 }, momentum.centre, 1e-12)
    close({ mass, 0.5 * mass, -3 * mass }, momentum.linear, 1e-12)
    local inertia = 0
    for i = 1, sheet.vertices do
      local x, y = sheet.positions:get(i)
      inertia = inertia + sheet.masses:get(i) * (x * x + y * y)
    end
    close({ 0, 0, 2 * inertia }, momentum.angular, 1e-12)
    assert.same(momentum, sheet:momentum())
    assert.matches("the cloth is in no world", support.message_of(function()
      weft.sheet({ cells = { 1, 1 } }):momentum()
    end))
  end)

  it("falls with all of gravity where a script changes velocities before every step", function()
    for _, scheme in ipairs { "backward euler", "bdf2", "bdf3", "alpha bdf2" } do
      local world, sheet = flying({ integrator = scheme, time_step = 1 / 240, tolerance = 1e-10 }, 0, { 0, 0, 0 })
      local velocities = weft.buffer { count = sheet.vertices }
      world:step(3)
      for _ = 1, 21 do
        for i = 1, sheet.vertices do
          local x, y, z = sheet.velocities:get(i)
          velocities:set(i, x + 0.01, y, z)
        end
        sheet:assign { velocities = velocities }
        world:step()
      end
      local mass = world:momentum().mass
      close({ 0.21 * mass, -9.81 * 0.1 * mass, 0 }, world:momentum().linear, 1e-9)
    end
  end)

  it("stays without forces from outside, and falls with gravity, whatever the scheme", function()
    for _, scheme in ipairs { "backward euler", "bdf2", "implicit midpoint" } do
      local world = flying({ gravity = { 0, 0, 0 }, integrator = scheme, time_step = 1 / 240, tolerance = 1e-10 }, 1,
        { 0.1, 0, 0.2 })
      local before = world:momentum()
      world:step(24)
      local after = world:momentum()
      close(before.linear, after.linear, 1e-9)
      close({ 0.01, 0, 0.02 }, after.centre, 1e-8)
      close(before.angular, after.angular, 0.05 * before.angular[3])
      local falling = flying({ integrator = scheme, time_step = 1 / 240, tolerance = 1e-10 }, 0, { 0, 0, 0 })
      falling:step(24)
      close({ 0, -9.81 * 0.1 * falling:momentum().mass, 0 }, falling:momentum().linear, 1e-9)
    end
  end)

  it("is traced step by step with `every`", function()
    local world, trace = flying({ gravity = { 0, 0, 0 } }, 1, { 0, 0, 1 }), {}
    world:run { seconds = 0.1, every = function(w)
      trace[#trace + 1] = { w.time, w:momentum().linear[3], w:energy().total }
    end }
    assert.equal(6, #trace)
    assert.is_true(math.abs(trace[6][2] - trace[1][2]) < 1e-4)
    assert.is_true(trace[6][3] <= trace[1][3])
  end)
end)
