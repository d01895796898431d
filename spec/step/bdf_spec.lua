-- Multi-step schemes: coefficients, changes of the step, beginnings and restarts.

local equations = require "spec.step.equations"
local support = require "spec.support"
local weft = require "weft"
local close_to = support.close

--- States after steps of the given lengths from time t on, the start first.
local function states(scheme, equation, lengths, x, v, t)
  local integrator = type(scheme) == "string" and weft.step.integrator(scheme) or scheme
  local seen
  seen, t = { { x = x or equation.x, v = v or equation.v } }, t or 0
  for i, h in ipairs(lengths) do
    local last = seen[i]
    local x1, v1 = integrator:step { equation = equation, t = t, step = h, x = last.x, v = last.v }
    seen[i + 1] = { x = x1, v = v1 }
    t = t + h
  end
  return seen, t
end

local function equal_steps(count, h)
  local lengths = {}
  for i = 1, count do
    lengths[i] = h
  end
  return lengths
end

describe("backward differentiation", function()
  local lambda = -3
  local equation = equations.first(lambda)

  it("has the textbook's coefficients with equal steps", function()
    local h = 0.1
    local textbook = {
      bdf2 = { { 4 / 3, -1 / 3 }, 2 / 3 },
      bdf3 = { { 18 / 11, -9 / 11, 2 / 11 }, 6 / 11 },
      bdf4 = { { 48 / 25, -36 / 25, 16 / 25, -3 / 25 }, 12 / 25 },
    }
    for scheme, c in pairs(textbook) do
      local seen = states(scheme, equation, equal_steps(8, h))
      for n = #c[1], 8 do
        local sum = 0
        for j, weight in ipairs(c[1]) do
          sum = sum + weight * seen[n + 1 - j].v[1]
        end
        close_to(sum / (1 - c[2] * h * lambda), seen[n + 1].v[1], 1e-14)
      end
    end
  end)

  it("of order 2 has the coefficients of any two steps", function()
    for _, ratio in ipairs { 0.3, 0.5, 1, 1.7, 2.35 } do
      local h = 0.08
      local seen = states("bdf2", equation, { h, h * ratio })
      local y, h1 = { seen[1].v[1], seen[2].v[1] }, h * ratio
      local past = ((1 + ratio) ^ 2 * y[2] - ratio ^ 2 * y[1]) / (1 + 2 * ratio)
      close_to(past / (1 - h1 * (1 + ratio) / (1 + 2 * ratio) * lambda), seen[3].v[1], 1e-14)
    end
  end)

  it("of order 2 begins with backward Euler", function()
    local first = states("bdf2", equation, { 0.1 })[2]
    local euler = states("backward euler", equation, { 0.1 })[2]
    close_to(euler.v[1], first.v[1], 1e-15)
  end)

  -- Steps whose pattern is kept while they are refined.
  local function error_of(scheme, pattern, repeats)
    local sum = 0
    for _, part in ipairs(pattern) do
      sum = sum + part
    end
    local lengths = {}
    for _ = 1, repeats do
      for _, part in ipairs(pattern) do
        lengths[#lengths + 1] = part / sum / repeats
      end
    end
    local problem = equations.third(1)
    local seen, t = states(scheme, problem, lengths)
    return math.abs(seen[#seen].x[1] - problem:exact(t)[1])
  end

  it("keeps its order when the steps change", function()
    local cases = {
      { "bdf2", { 1, 2, 1, 2, 4, 2 }, 2, 100 },
      { "alpha bdf2", { 1, 2, 1, 2, 4, 2 }, 2, 100 },
      { "bdf3", { 1, 1.4, 1, 0.7, 0.9 }, 3, 400 },
      { "bdf4", { 1, 1.2, 1, 0.8, 0.95 }, 4, 200 },
    }
    for _, case in ipairs(cases) do
      local coarse, fine = error_of(case[1], case[2], case[4]), error_of(case[1], case[2], 2 * case[4])
      close_to(case[3], math.log(coarse / fine) / math.log(2), 0.05)
    end
  end)

  it("of order 2 keeps it on random steps, each half to twice the last", function()
    -- Means over meshes of the logarithm of the error, as the order varies with the mesh.
    local function mean_error(scheme, count)
      local random, sum, meshes = 12345, 0, 12
      local function uniform()
        random = (random * 1103515245 + 12345) % 2147483648
        return random / 2147483648
      end
      for _ = 1, meshes do
        local lengths, total, h = {}, 0, 1
        for i = 1, count do
          local ratio = 2 ^ (2 * uniform() - 1)
          h = (h * ratio > 2.5 or h * ratio < 0.4) and h / ratio or h * ratio
          lengths[i], total = h, total + h
        end
        for i = 1, count do
          lengths[i] = lengths[i] / total
        end
        local problem = equations.oscillator(6, 1, 1, 0)
        local seen, t = states(scheme, problem, lengths)
        local x, v = problem:exact(t)
        local last = seen[#seen]
        sum = sum + math.log(math.sqrt((last.x[1] - x[1]) ^ 2 + ((last.v[1] - v[1]) / 6) ^ 2))
      end
      return sum / meshes
    end
    for _, scheme in ipairs { "bdf2", "alpha bdf2" } do
      close_to(2, (mean_error(scheme, 200) - mean_error(scheme, 1600)) / math.log(8), 0.05)
    end
  end)

  it("begins anew when a step is too long for the last, and when told to", function()
    local problem = equations.second()
    for _, scheme in ipairs { "bdf2", "alpha bdf2", "bdf3", "bdf4" } do
      local fresh = function(from)
        return states(scheme, problem, { 0.5 }, from.x, from.v)[2]
      end
      local seen = states(scheme, problem, { 0.1, 0.1, 0.1, 0.1, 0.5 })
      assert.same(fresh(seen[5]), seen[6])
      local integrator = weft.step.integrator(scheme)
      local before = states(integrator, problem, equal_steps(5, 0.1))
      integrator:restart()
      assert.same(fresh(before[6]), states(integrator, problem, { 0.5 }, before[6].x, before[6].v)[2])
    end
  end)

  it("forgets nothing when a step fails", function()
    for _, scheme in ipairs { "bdf2", "alpha bdf2", "bdf3", "bdf4", "verlet", "imex bdf2" } do
      local fail = false
      local failing = weft.step.equation {
        size = 1, x = { 0 }, v = { 1 },
        force = function(_, x, v)
          return { fail and 0 / 0 or -2.5 * x[1] - 5 * v[1] }
        end,
        stiff = function(_, x, v)
          return { -2 * x[1] - 4 * v[1] }
        end,
        stiffness = { { 2.5 } }, damping = { { 5 } }, stiff_stiffness = { { 2 } }, stiff_damping = { { 4 } },
      }
      local integrator, undisturbed = weft.step.integrator(scheme), weft.step.integrator(scheme)
      local seen = states(integrator, failing, equal_steps(5, 0.1))
      local other = states(undisturbed, failing, equal_steps(5, 0.1))
      fail = true
      local ok, message = pcall(states, integrator, failing, { 0.1 }, seen[6].x, seen[6].v, 0.5)
      assert.is_false(ok)
      assert.truthy(message:find("force", 1, true), message)
      fail = false
      assert.same(states(undisturbed, failing, { 0.1 }, other[6].x, other[6].v, 0.5)[2],
        states(integrator, failing, { 0.1 }, seen[6].x, seen[6].v, 0.5)[2])
    end
  end)
end)
