-- The prefactored filter of Desbrun, Schroeder and Barr (1999) and Meyer et al. (2001). T numbers: of Cordier's thesis
-- (2004), and T50 of Kang's (2003).

local weft = require "weft"
local nets = require "spec.step.nets"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local step = weft.step

local function shaken(points, by, random)
  return sheets.map(points, function(a, b, c) return a + by * random(), b + by * random(), c + by * random() end)
end

describe("The linear filter", function()
  it("is the inverse of the constant matrix, pins or not (T12, Kang T50)", function()
    for _, pins in ipairs { {}, { 1, 7, 20 } } do
      local springs = nets.sheet { points = { 7, 6 }, axial_stiffness = 2, pins = pins, gravity = { 0, 0, 0 },
        absolute_damping = 1e-4, relative_damping = 2e-3 }
      local random, h, n = sheets.random(61), 1 / 50, 42
      local x = shaken(springs.positions:table(), 0.02, random)
      local v = shaken(sheets.zeros(n), 1, random)
      local pinned = {}
      for _, i in ipairs(pins) do
        pinned[i], v[i] = true, { 0.1, 0.2, 0.3 }
      end
      -- A dv = h (f(x, v) - h K v), with A the scalar operator.
      local whole = springs:matrix { x = x, stiffness = h * h, damping = h, derivative = "scalar" }
      local stiff = springs:matrix { x = x, stiffness = h * h, derivative = "scalar" }
      local f = springs:forces({ x = x, v = v }):table()
      local after = nets.run(springs, { scheme = "linear filter", form = "plain", step = h, steps = 1, x = x, v = v }).v
      for c = 1, 3 do
        local rows, right = {}, {}
        for i = 1, n do
          rows[i], right[i] = {}, 0
          local sum = -springs.masses:get(i) * v[i][c]
          for j = 1, n do
            rows[i][j] = (pinned[i] or pinned[j]) and (i == j and 1 or 0) or whole[3 * i - 3 + c][3 * j - 3 + c]
            sum = sum + stiff[3 * i - 3 + c][3 * j - 3 + c] * v[j][c]
          end
          right[i] = pinned[i] and 0 or h * f[i][c] - sum
        end
        for i, change in ipairs(sheets.solve_dense(rows, right)) do
          assert.near(v[i][c] + change, (select(c, after:get(i))), 1e-10)
        end
      end
    end
  end)

  it("keeps momentum (T12)", function()
    local springs = nets.sheet { points = { 12, 12 }, axial_stiffness = 3, gravity = { 0, 0, 0 } }
    local random = sheets.random(62)
    local x = shaken(springs.positions:table(), 0.02, random)
    local result = nets.run(springs, { scheme = "linear filter", form = "plain", step = 1 / 60, steps = 50, x = x })
    local sum, size = nets.momentum(springs, result.v)
    assert.is_true(size > 1e-6)
    assert.is_true(sum < 1e-10 * size)
  end)

  it("keeps the angular momentum of a spinning quad with its correction, and loses it without (T12)", function()
    local corners = { { -0.5, 0, -0.5 }, { 0.5, 0, -0.5 }, { 0.5, 0, 0.5 }, { -0.5, 0, 0.5 } }
    local springs = step.springs { positions = corners, faces = { { 1, 2, 3 }, { 1, 3, 4 } }, stiffness = 40,
      mass = 0.1, gravity = { 0, 0, 0 } }
    local omega = { 0.4, 3, -0.2 }
    local v = sheets.map(corners, function(a, b, c)
      return omega[2] * c - omega[3] * b, omega[3] * a - omega[1] * c, omega[1] * b - omega[2] * a
    end)
    local function drift(form)
      local result = nets.run(springs, { scheme = "linear filter", form = form, step = 1 / 60, steps = 40, v = v,
        trace = { "angular momentum" } })
      local worst, trace = 0, result.trace.angular_momentum
      local before = { trace:get(1) }
      for k = 2, #trace do
        local now, change, size = { trace:get(k) }, 0, 0
        for c = 1, 3 do
          change, size = change + (now[c] - before[c]) ^ 2, size + before[c] ^ 2
        end
        worst = math.max(worst, math.sqrt(change / size))
        before = now
      end
      return worst
    end
    local corrected, plain = drift "corrected", drift "plain"
    assert.is_true(corrected < 1e-8)
    assert.is_true(plain > 100 * math.max(corrected, 1e-10))
  end)

  it("keeps it where damping along springs is large, and lets damping of differences take it", function()
    local corners = { { -0.5, 0, -0.5 }, { 0.5, 0, -0.5 }, { 0.5, 0, 0.5 }, { -0.5, 0, 0.5 } }
    local v = sheets.map(corners, function(a, _, c) return 0.3 * c, 0, -0.3 * a end)
    local function turn(damping)
      local springs = step.springs { positions = corners, faces = { { 1, 2, 3 }, { 1, 3, 4 } }, stiffness = 4000,
        mass = 0.1, gravity = { 0, 0, 0 }, projected_damping = damping.projected, relative_damping = damping.relative }
      local trace = nets.run(springs, { scheme = "linear filter", step = 1 / 60, steps = 60, v = v,
        trace = { "angular momentum" } }).trace.angular_momentum
      local first, last = select(2, trace:get(1)), select(2, trace:get(61))
      return last / first
    end
    assert.near(1, turn { projected = 50 }, 1e-9)
    local relative = turn { relative = 50 }
    assert.is_true(relative >= 0 and relative < 1e-3)
  end)

  it("lets a world's free cloth fall and turn without speeding it up", function()
    local world = weft.world { integrator = "linear filter", time_step = 1 / 60, self_contact = false }
    local sheet = world:add(weft.sheet { cells = { 3, 2 }, size = { 0.3, 0.2 } })
    local centre = world:momentum().centre
    sheet:assign { velocities = sheets.map(sheet.positions:table(), function(a, _, c)
      return c - centre[3], 0, centre[1] - a
    end) }
    local before = world:momentum()
    world:step(60)
    local after = world:momentum()
    local function about_centre(m)
      return m.angular[2] - m.centre[3] * m.linear[1] + m.centre[1] * m.linear[3]
    end
    assert.is_true(math.abs(about_centre(before)) > 1e-5)
    assert.near(1, about_centre(after) / about_centre(before), 1e-6)
    assert.is_true(world.stats.max_speed < 11, ("max speed %g"):format(world.stats.max_speed))
  end)

  it("stops free cloth in heavily damped air", function()
    local world = weft.world { integrator = "linear filter", time_step = 0.1, damping = 1000, gravity = { 0, 0, 0 } }
    local sheet = world:add(weft.sheet { cells = { 5, 5 }, size = { 0.3, 0.3 } })
    sheet:assign { velocities = sheets.map(sheet.positions:table(), function(a, _, c) return c, 0, -a end) }
    world:step(20)
    assert.is_true(world.stats.max_speed < 1e-4, ("max speed %g"):format(world.stats.max_speed))
  end)

  it("gives no rotation to what lies on one line", function()
    local springs = nets.chain { points = 5, pins = {}, stiffness = 30 }
    local v = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 0 } }
    local result = nets.run(springs, { scheme = "linear filter", step = 0.1, steps = 20, v = v,
      trace = { "angular momentum" } })
    local first, last = { result.trace.angular_momentum:get(1) }, { result.trace.angular_momentum:get(21) }
    for c = 1, 3 do
      assert.near(first[c], last[c], 1e-9)
    end
  end)

  it("factors once, and again when the step, the net or its pins change", function()
    local integrator = step.integrator "linear filter"
    local springs = nets.sheet { points = { 8, 8 }, pins = { 1, 8 } }
    local function factors()
      return integrator.work.linearisations
    end
    integrator:step { equation = springs, step = 0.01 }
    integrator:step { equation = springs, step = 0.01 }
    assert.equal(1, factors())
    integrator:step { equation = springs, step = 0.02 }
    assert.equal(2, factors())
    integrator:step { equation = nets.sheet { points = { 8, 8 }, pins = { 1, 8 } }, step = 0.02 }
    assert.equal(2, factors()) -- another net, the same matrix
    integrator:step { equation = nets.sheet { points = { 8, 8 }, pins = { 1 } }, step = 0.02 }
    assert.equal(3, factors())
    integrator:step { equation = nets.sheet { points = { 8, 8 }, pins = { 1 }, axial_stiffness = 1 }, step = 0.02 }
    assert.equal(4, factors())
    integrator:step { equation = nets.sheet { points = { 4, 16 }, pins = { 1 } }, step = 0.02 }
    assert.equal(5, factors())
  end)

  it("is stable on stiff cloth at long steps, and sluggish", function()
    local springs = nets.sheet { pins = nets.corners, axial_stiffness = 300 }
    assert.is_true((1 / 30) / springs.explicit_step > 50)
    local result = nets.run(springs, { scheme = "linear filter", step = 1 / 30, steps = 90 })
    local stretch = springs:stretch { x = result.x }
    assert.is_true(stretch < 1.02)
    assert.is_true(nets.largest(result.v) < 1)
  end)

  it("has order 1 on nets", function()
    local function at(n)
      local springs = nets.sheet { points = { 7, 7 }, pins = { 1, 7 }, axial_stiffness = 0.3 }
      return nets.run(springs, { scheme = "linear filter", step = 0.2 / n, steps = n }).x
    end
    -- Over-damped as it is, it gets there late: with 80 steps the error falls by 1.7 when the step is halved.
    local fine = at(20480)
    local e1, e2, e3 = nets.difference(at(320), fine), nets.difference(at(640), fine), nets.difference(at(1280), fine)
    assert.near(2, e1 / e2, 0.15)
    assert.near(2, e2 / e3, 0.1)
  end)

  it("refuses equations without springs, and forms it does not have", function()
    assert.matches("no constant matrix of springs", support.message_of(function()
      step.integrator("linear filter"):step { equation = "pendulum", step = 0.1 }
    end))
    assert.equal("weft.step.integrator: linear filter: form must be corrected or plain, got scalar",
      support.message_of(step.integrator, { scheme = "linear filter", form = "scalar" }))
  end)
end)
