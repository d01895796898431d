-- Test equations: what they compute, against closed forms and differences, and what becomes of scripts' mistakes.

local support = require "spec.support"
local weft = require "weft"
local step = weft.step
local close, message_of = support.close, support.message_of

describe("Equations by name", function()
  it("have the solutions of the tutorial's examples", function()
    local two, three = step.equation "example 2", step.equation "example 3"
    close(9.218681e-4, two:exact(10)[1], 5e-10)
    close(0.166945, two:exact(0.532777)[1], 5e-7)
    for t, z in pairs { [0.05] = -1.133380876, [0.1] = -1.017899971, [0.5] = -1.012057524, [2] = -1.009996897 } do
      close(z, three:exact(t)[1], 1e-9)
    end
    close(math.exp(2), select(2, step.equation("example 1"):exact(1))[1], 1e-14)
  end)

  it("start where the solution does, and the solution satisfies them", function()
    local given = {
      { name = "dahlquist", lambda = { -0.3, 2 } }, { name = "dahlquist", lambda = 0 }, { name = "example 1" },
      { name = "example 2" }, { name = "example 3" }, { name = "oscillator", frequency = 3, damping = 0.5, centre = 2 },
      { name = "oscillator", frequency = 2, damping = 4, x = { 0.5 }, v = { -1 }, from = 1, to = 3 },
      { name = "pendulum" }, { name = "pendulum", x = { -3 }, gravity = 2, length = 0.3 },
      { name = "kepler" }, { name = "kepler", eccentricity = 0.9 },
    }
    local forward, h = step.integrator "forward euler", 1e-4
    for _, options in ipairs(given) do
      local equation = step.equation(options)
      assert.is_true(equation.solved)
      local x, v = equation:exact(equation.from)
      for i = 1, equation.size do
        close(equation.x[i], x[i], 1e-14)
        close(equation.v[i], v[i], 1e-14)
      end
      -- The force, seen through a step of forward Euler, is the solution's acceleration; v is the derivative of x.
      local t = equation.from + 0.37 * (equation.to - equation.from)
      x, v = equation:exact(t)
      local x1, v1 = equation:exact(t + h)
      local x0, v0 = equation:exact(t - h)
      local _, moved = forward:step { equation = equation, t = t, step = 1, x = x, v = v }
      for i = 1, equation.size do
        local size = 1 + math.abs(moved[i] - v[i])
        close((v1[i] - v0[i]) / (2 * h), moved[i] - v[i], 2e-5 * size)
        close((x1[i] - x0[i]) / (2 * h), v[i], 2e-5 * size)
      end
    end
  end)

  it("know the pendulum: its period is 4 K(sin(x/2)) sqrt(length / gravity)", function()
    local a, b, pi = 1, math.cos(1), math.pi -- let go at 2 rad
    for _ = 1, 10 do
      a, b = (a + b) / 2, math.sqrt(a * b)
    end
    local period = 4 * (pi / (2 * a)) / math.sqrt(9.81)
    local pendulum = step.equation "pendulum"
    close(0, pendulum:exact(period / 4)[1], 1e-13)
    close(2, pendulum:exact(7 * period)[1], 1e-12)
    close(-math.sqrt(2 * 9.81 * (1 - math.cos(2))), select(2, pendulum:exact(period / 4))[1], 1e-12)
  end)

  it("have the matrices that their forces' differences give, also the nonlinear chain", function()
    local full = { scheme = "backward euler", newton = "linear", linearisation = "exact" }
    for _, options in ipairs {
      { name = "dahlquist", lambda = { -1, 3 } }, { name = "example 3" }, { name = "pendulum" }, { name = "kepler" },
      { name = "spring chain", damping = 0.7, count = 4 }, { name = "spring chain", anchored = false, count = 3 },
    } do
      local equation = step.equation(options)
      -- The same force without matrices; both linearly implicit steps must agree.
      local forward = step.integrator "forward euler"
      local copy = step.equation {
        size = equation.size, x = equation.x, v = equation.v, linear_in_velocity = true,
        force = function(t, x, v)
          local _, after = forward:step { equation = equation, t = t, step = 1, x = x, v = v }
          for i = 1, #after do
            after[i] = (after[i] - v[i]) * (options.name == "spring chain" and 0.1 or 1)
          end
          return after
        end,
        mass = options.name == "spring chain" and 0.1 or 1,
      }
      local x, v = {}, {}
      for i = 1, equation.size do
        x[i], v[i] = equation.x[i] + 0.1 * math.sin(5 * i), equation.v[i] + 0.2 * math.cos(3 * i)
      end
      local x1, v1 = step.integrator(full):step { equation = equation, step = 0.05, x = x, v = v }
      local x2, v2 = step.integrator(full):step { equation = copy, step = 0.05, x = x, v = v }
      for i = 1, equation.size do
        close(x1[i], x2[i], 1e-7)
        close(v1[i], v2[i], 1e-6 * (1 + math.abs(v1[i])))
      end
    end
  end)

  it("conserve what they should: energy and both momenta, recorded step by step", function()
    local chain = step.equation {
      name = "spring chain", anchored = false, gravity = 0, count = 4, to = 0.5,
      v = { 0, 0.3, 0.1, -0.2, 0, 0.5, 0.2, 0.1 },
    }
    local run = step.integrator("rk4"):run {
      equation = chain, steps = 2000, trace = { "energy", "momentum", "angular momentum", "state" }, trace_every = 100,
    }
    assert.equal(21, run.trace.time.count)
    local energy = run.trace.energy:get(1)
    close(0.5 * 0.1 * (0.09 + 0.01 + 0.04 + 0.25 + 0.04 + 0.01), energy, 1e-15)
    local px, py, pz = run.trace.momentum:get(1)
    close(0.03, px, 1e-15)
    close(0.07, py, 1e-15)
    local _, _, lz = run.trace.angular_momentum:get(1)
    close(0.1 * (0.2 * 0.3 - 0.4 * 0.2 + 0.6 * 0.5 + 0.8 * 0.1), lz, 1e-15)
    for k = 1, 21 do
      close(energy, run.trace.energy:get(k), 1e-9)
      close(px, (run.trace.momentum:get(k)), 1e-14)
      close(lz, select(3, run.trace.angular_momentum:get(k)), 1e-10)
      close(run.trace.time:get(k), (k - 1) * 0.025, 1e-15)
    end
    assert.equal(0, pz)
    assert.equal(8, #{ run.trace.x:get(21) })
    close(run.x[3], select(3, run.trace.x:get(21)), 0)
    local orbit = step.integrator("rk4"):run { equation = "kepler", steps = 2000, trace = { "angular momentum" } }
    close(math.sqrt(0.75), select(3, orbit.trace.angular_momentum:get(2001)), 1e-9)
    assert.matches("the equation has no energy",
      message_of(step.integrator("rk4").run, step.integrator "rk4", { equation = "example 1", trace = { "energy" } }))
  end)

  it("refuse what does not belong to them", function()
    assert.equal("weft.step.equation: there is no equation 'pendulun'; did you mean 'pendulum'?",
      message_of(step.equation, "pendulun"))
    assert.equal("weft.step.equation: lambda is no option of pendulum",
      message_of(step.equation, { name = "pendulum", lambda = 1 }))
    assert.equal("weft.step.equation: x must have 2 numbers, got 1",
      message_of(step.equation, { name = "kepler", x = { 1 } }))
    assert.equal("weft.step.equation: eccentricity must be a number from 0 to 0.999, got 1",
      message_of(step.equation, { name = "kepler", eccentricity = 1 }))
    assert.equal("weft.step.equation: the interval must go forward, got 0 to -1",
      message_of(step.equation, { name = "kepler", to = -1 }))
    assert.equal("weft.step.equation: lambda must be real and not negative in example 2, got {1, 2}",
      message_of(step.equation, { name = "example 2", lambda = { 1, 2 } }))
    for _, problem in ipairs(step.equations()) do
      for _, name in ipairs(problem.parameters) do
        assert.is_truthy(message_of(step.equation, { name = problem.name, [name] = 0 / 0 }):find(name, 1, true))
      end
    end
  end)
end)

describe("Equations of functions", function()
  local function oscillator(changes)
    local options = {
      x = { 1, 0 }, v = { 0, 2 },
      force = function(_, x) return { -x[1], -4 * x[2] } end,
    }
    for name, value in pairs(changes or {}) do
      options[name] = value
    end
    return step.equation(options)
  end

  it("take lists that are returned or filled in, and a number for one unknown", function()
    local rk4 = step.integrator "rk4"
    local filled = oscillator { force = function(_, x, _, f) f[1], f[2] = -x[1], -4 * x[2] end }
    local one = step.equation { x = { 1 }, force = function(_, x) return -x[1] end }
    local x, v = rk4:step { equation = oscillator(), step = 0.1 }
    assert.same({ x, v }, { rk4:step { equation = filled, step = 0.1 } })
    close(x[1], (rk4:step { equation = one, step = 0.1 })[1], 0)
    close(math.cos(0.1), x[1], 1e-7)
  end)

  it("give time, places and velocities to their functions", function()
    local seen = {}
    local equation = oscillator { force = function(t, x, v)
      seen[#seen + 1] = { t, x[1], x[2], v[1], v[2], #x, #v }
      return { 0, 0 }
    end }
    step.integrator("explicit midpoint"):step { equation = equation, t = 3, step = 0.5 }
    assert.same({ { 3, 1, 0, 0, 2, 2, 2 }, { 3.25, 1, 0.5, 0, 2, 2, 2 } }, seen)
    assert.equal(2, equation.evaluations)
  end)

  it("are solved by implicit schemes with matrices, functions or differences alike", function()
    local matrix, diagonal = { { 1, 0.5 }, { -0.5, 4 } }, { { 0.1, 0.3 }, { -0.3, 0.1 } } -- unsymmetric
    local function force(_, x, v)
      return { -x[1] - 0.5 * x[2] - 0.1 * v[1] - 0.3 * v[2], 0.5 * x[1] - 4 * x[2] + 0.3 * v[1] - 0.1 * v[2] }
    end
    local variants = {
      oscillator { force = force, stiffness = matrix, damping = diagonal, linear_in_velocity = true },
      oscillator { force = force, stiffness = matrix, damping = diagonal },
      oscillator { force = force, stiffness = function() return matrix end, damping = function(_, _, _, d)
        d[1], d[2] = diagonal[1], diagonal[2]
      end },
      oscillator { force = force },
      oscillator { force = force, stiff = force, mass = { 1, 1 } },
    }
    local reference = {}
    for k, equation in ipairs(variants) do
      local run = step.integrator("backward euler"):run { equation = equation, steps = 20, to = 2 }
      reference[k] = { run.x[1], run.x[2], run.v[1], run.v[2] }
      for i = 1, 4 do
        close(reference[1][i], reference[k][i], 1e-9)
      end
    end
    local fine = step.integrator("rk4"):run { equation = variants[1], steps = 200, to = 2 }
    local implicit = step.integrator("backward euler"):run { equation = variants[4], steps = 2000, to = 2 }
    close(fine.x[1], implicit.x[1], 3e-3)
  end)

  it("use masses, energies, exact solutions and the start of a run", function()
    local equation = step.equation {
      title = "two weights", x = { { 1, 0 }, { 0, 3 } }, mass = { 2, 2, 3, 3 }, dimension = 2, to = 2,
      force = function() return { 2, -4, 0, 3 } end,
      energy = function(_, x) return -2 * x[1] + 4 * x[2] - 3 * x[4] end,
      exact = function(t) return { 1 + t ^ 2 / 2, -t ^ 2, 0, 3 + t ^ 2 / 2 }, { t, -2 * t, 0, t } end,
    }
    assert.equal("weft.step.equation (two weights, 4 unknowns, 0 to 2 s, solution known)", tostring(equation))
    local run = step.integrator("explicit midpoint"):run { equation = equation, steps = 7, trace = { "energy" } }
    assert.is_true(run.max_error < 1e-14)
    close(run.trace.energy:get(1), run.trace.energy:get(8), 1e-13)
    local other = step.integrator("explicit midpoint"):run { equation = equation, step = 0.3, x = { 0, 0, 0, 0 } }
    assert.is_nil(other.max_error)
    assert.equal(7, other.steps)
    close(2, other.x[1], 1e-14)
    local decay = step.equation {
      first_order = true, v = { 1 }, exact = function(t) return math.exp(-t) end,
      force = function(_, _, y) return -y[1] end,
    }
    assert.is_true(step.integrator("rk4"):run({ equation = decay, steps = 100 }).max_error < 1e-9)
  end)

  it("in space give states as buffers of points", function()
    local equation = step.equation {
      dimension = 3, x = { { 0, 1, 0 }, { 1, 1, 0 } }, force = function() return { 0, -1, 0, 0, -1, 0 } end,
    }
    local x = step.integrator("rk4"):step { equation = equation, step = 1 }
    assert.equal("weft.buffer", getmetatable(x))
    close(0.5, select(2, x:get(2)), 1e-15)
    local again, v = step.integrator("rk4"):step { equation = equation, x = x, step = 1 }
    close(0, select(2, again:get(1)), 1e-15)
    close(-1, select(2, v:get(1)), 1e-15)
  end)

  it("pass the errors of their functions on, with the state as it was", function()
    local integrator, calls = step.integrator { scheme = "rk4" }, 0
    local failing = oscillator { force = function(_, x)
      calls = calls + 1
      if calls == 7 then
        error "the seventh call"
      end
      return { -x[1], -4 * x[2] }
    end }
    local x, v = integrator:step { equation = failing, step = 0.1 }
    local before = { x[1], x[2], v[1], v[2] }
    assert.matches("weft.step.integrator.step: force: .*the seventh call",
      message_of(integrator.step, integrator, { equation = failing, step = 0.1, x = x, v = v }))
    assert.same(before, { x[1], x[2], v[1], v[2] })
    local good = { step.integrator("rk4"):step { equation = oscillator(), step = 0.1, x = x, v = v } }
    assert.same(good, { integrator:step { equation = failing, step = 0.1, x = x, v = v } })
    assert.equal(2, integrator.work.steps)
  end)

  it("say what was wrong with what a function returned", function()
    local integrator = step.integrator "backward euler"
    local function message(changes)
      return message_of(integrator.step, integrator, { equation = oscillator(changes), step = 0.1 })
    end
    local prefix = "weft.step.integrator.step: "
    assert.equal(prefix .. "force: it must return a list of 2 numbers, got {}", message { force = function() end })
    assert.equal(prefix .. "force: it must return a list of 2 numbers, got {1}",
      message { force = function() return { 1 } end })
    assert.equal(prefix .. 'force: it must return a list of 2 numbers, got {1, "2"}',
      message { force = function() return { 1, "2" } end })
    assert.equal(prefix .. "the force of the equation is not finite (component 2 is nan)",
      message { force = function() return { 1, 0 / 0 } end })
    assert.equal(prefix .. "force: it must return a list of 2 numbers, got 3",
      message { force = function() return 3 end })
    assert.equal(prefix .. "stiffness: it must return a list of 2 rows, got {1}",
      message { stiffness = function() return { 1 } end })
    assert.equal(prefix .. "damping: it must return a list of 2 numbers, got {}",
      message { damping = function() return { {}, {} } end })
    assert.matches("force: .*a table with named fields", message { force = function() error { code = 1 } end })
    assert.matches("force: .*attempt to yield", message { force = function() coroutine.yield() end })
  end)

  it("cannot integrate themselves, nor step the integrator that calls them, but others", function()
    local integrator, other = step.integrator "rk4", step.integrator "rk4"
    local equation
    equation = oscillator { force = function()
      other:step { equation = equation, step = 0.1 }
    end }
    assert.matches("equation is being integrated: its functions cannot integrate it again",
      message_of(integrator.step, integrator, { equation = equation, step = 0.1 }))
    equation = oscillator { force = function() integrator:step { equation = "pendulum", step = 0.1 } end }
    assert.matches("self is making a step: the functions of its equation cannot use it",
      message_of(integrator.step, integrator, { equation = equation, step = 0.1 }))
    equation = oscillator { force = function()
      local x = other:step { equation = "pendulum", step = 0.1 }
      equation:close()
      integrator:close()
      return { x[1], 0 }
    end }
    integrator:step { equation = equation, step = 0.1 }
    assert.is_true(equation.closed and integrator.closed)
    -- Nothing stays marked as in use.
    assert.is_truthy(other:step { equation = "pendulum", step = 0.1 })
  end)

  it("may be closed while a run is interrupted, which then says so", function()
    local equation, integrator = oscillator(), step.integrator "rk4"
    assert.equal("weft.step: the equation is a closed weft.step.equation",
      message_of(integrator.run, integrator, { equation = equation, every = function() equation:close() end }))
    assert.equal("weft.step: the integrator is a closed weft.step.integrator",
      message_of(integrator.run, integrator, { equation = "kepler", every = function() integrator:close() end }))
  end)

  it("yield between steps in `every`", function()
    local times = {}
    local run = coroutine.wrap(function()
      step.integrator("rk4"):run { equation = "pendulum", to = 1, steps = 4, every = function(t, x, v)
        assert.equal(1, #x + #v - 1)
        coroutine.yield(t)
      end }
      return "done"
    end)
    for _ = 1, 5 do
      times[#times + 1] = run()
    end
    assert.same({ 0.25, 0.5, 0.75, 1, "done" }, times)
  end)

  it("refuse options that make no equation", function()
    local function message(changes)
      return message_of(oscillator, changes)
    end
    assert.equal("weft.step.equation: force must be a function of t, x and v, or an equation's name, got nothing",
      message_of(step.equation, { size = 2 }))
    assert.equal("weft.step.equation: force must be a function, got 3", message { force = 3 })
    assert.equal("weft.step.equation: stiffness must be a function or a matrix, got 1", message { stiffness = 1 })
    assert.equal("weft.step.equation: stiffness must have 2 rows, got 1", message { stiffness = { { 1, 2 } } })
    assert.equal("weft.step.equation: damping[2] must be two numbers, got {1}",
      message { damping = { { 1, 2 }, { 1 } } })
    assert.equal("weft.step.equation: mass must be positive, got 0 for component 2", message { mass = { 1, 0 } })
    assert.equal("weft.step.equation: mass must have 2 numbers, got 1", message { mass = { 1 } })
    assert.equal("weft.step.equation: dimension must be 1, 2 or 3 and divide the size, got 3",
      message { dimension = 3 })
    assert.equal("weft.step.equation: frequency is no option of an equation without a name", message { frequency = 1 })
    assert.equal("weft.step.equation: unknown option 'forse'; did you mean 'force'?", message { forse = 1 })
    assert.equal("weft.step.equation: size must be an integer from 1 to 1024, got 0",
      message_of(step.equation, { size = 0, force = function() end }))
    assert.equal("weft.step.equation: size must be the number of unknowns, from 1 to 1024, got nothing",
      message_of(step.equation, { force = function() end }))
  end)

  it("make an implicit step fail where its matrix is singular", function()
    local equation = step.equation { x = { 1 }, stiffness = -4, force = function(_, x) return 4 * x[1] end,
      damping = 0, linear_in_velocity = true }
    local integrator = step.integrator "backward euler"
    assert.equal("weft.step.integrator.step: the matrix of the equation is singular at this step",
      message_of(integrator.step, integrator, { equation = equation, step = 0.5 }))
  end)
end)

describe("Integrators", function()
  it("are made from a name or options, and refuse both where they are wrong", function()
    assert.equal("weft.step.integrator (rk4, explicit, order 4, 0 steps)", tostring(step.integrator "rk4"))
    assert.equal("weft.step.integrator: there is no scheme 'rk5'; did you mean 'rk4'?",
      message_of(step.integrator, "rk5"))
    assert.equal("weft.step.integrator: scheme must be the name of a scheme, got nothing",
      message_of(step.integrator, {}))
    assert.equal("weft.step.integrator: options must be a table or the name of a scheme, got nothing",
      message_of(step.integrator))
    assert.equal("weft.step.integrator: unknown option 'alhpa'; did you mean 'alpha'?",
      message_of(step.integrator, { scheme = "rk4", alhpa = 1 }))
    assert.matches("newton must be one of", message_of(step.integrator, { scheme = "backward euler", newton = "fast" }))
    assert.matches("newton_tolerance must be", message_of(step.integrator, { scheme = "rk4", newton_tolerance = 2 }))
  end)

  it("take tableaus: midpoint and RK4 reproduce the built-in schemes bit for bit", function()
    local tableaus = {
      ["explicit midpoint"] = { a = { {}, { 0.5 } }, b = { 0, 1 } },
      rk4 = {
        a = { {}, { 0.5 }, { 0, 0.5 }, { 0, 0, 1 } }, b = { 1 / 6, 2 / 6, 2 / 6, 1 / 6 }, c = { 0, 0.5, 0.5, 1 },
      },
    }
    for scheme, tableau in pairs(tableaus) do
      for _, equation in ipairs { "pendulum", "example 1", "kepler", "spring chain" } do
        local one = step.integrator(scheme):run { equation = equation, steps = 50 }
        local general = step.integrator { scheme = "runge kutta", tableau = tableau }
        local other = general:run { equation = equation, steps = 50 }
        assert.same({ one.x, one.v }, { other.x, other.v })
      end
    end
    local function message(tableau)
      return message_of(step.integrator, { scheme = "runge kutta", tableau = tableau })
    end
    assert.equal("weft.step.integrator: tableau: b must be a list of weights, got nothing", message {})
    assert.equal("weft.step.integrator: tableau: a must have 2 rows, as b has weights, got 1",
      message { a = { {} }, b = { 0.5, 0.5 } })
    assert.matches("a%[1%] must be a row of the matrix", message { a = { { 1, 2, 3 }, {} }, b = { 0.5, 0.5 } })
    assert.is_truthy(message { a = { { 0, 1 }, {} }, b = { 0.5, 0.5 } })
    assert.is_truthy(message { a = { {}, { 1 } }, b = { 0.5, 0.6 } })
    assert.equal("weft.step.integrator: tableau: embedded_order must be the lower order of the two, got nothing",
      message { a = { {}, { 1 } }, b = { 0.5, 0.5 }, embedded_b = { 1, 0 } })
  end)

  it("count their work", function()
    local run = step.integrator("rk4"):run { equation = "oscillator", steps = 25 }
    assert.equal(25, run.work.steps)
    assert.equal(100, run.work.evaluations)
    assert.is_true(run.work.flops > 400)
    local implicit = step.integrator("backward euler"):run { equation = "oscillator", steps = 25 }
    assert.equal(25, implicit.work.linearisations)
    assert.equal(25, implicit.work.solves)
  end)

  it("refuse bad steps, states and intervals", function()
    local rk4 = step.integrator "rk4"
    local function message(options)
      return message_of(rk4.step, rk4, options)
    end
    assert.matches("step must be a number greater than 0", message { equation = "pendulum", step = 0 })
    assert.matches("step must be a number greater than 0", message { equation = "pendulum", step = -1 })
    assert.matches("step must be a number greater than 0", message { equation = "pendulum", step = 0 / 0 })
    assert.matches("step must be a length of time", message { equation = "pendulum" })
    assert.matches("equation must be", message { step = 1 })
    assert.matches("x%[1%] must be", message { equation = "pendulum", step = 1, x = { 1 / 0 } })
    local function run_message(options)
      return message_of(rk4.run, rk4, options)
    end
    assert.matches("the interval must go forward", run_message { equation = "pendulum", from = 2, to = 1 })
    assert.matches("steps must be", run_message { equation = "pendulum", steps = 0 })
    assert.matches("steps must be from 1 to 1000000000", run_message { equation = "pendulum", step = 1e-300 })
    assert.matches("is too long", run_message { equation = "pendulum", steps = 1e8, trace = { "state" } })
    assert.matches("every must be a function", run_message { equation = "pendulum", every = 3 })
    assert.matches("trace must be a list", run_message { equation = "pendulum", trace = "energy" })
    assert.matches("unknown option 'stepps'", run_message { equation = "pendulum", stepps = 3 })
    assert.matches("not finite", run_message { equation = "example 1", v = { 1e308 }, steps = 3 })
  end)
end)
