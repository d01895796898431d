-- Provot's limit of elongation (1995), as a correction of given states and after each step of a scheme.

local weft = require "weft"
local nets = require "spec.step.nets"

local step = weft.step

describe("Provot's correction", function()
  local function pair(options)
    options.positions, options.edges = { { 0, 0, 0 }, { 1, 0, 0 } }, { { 1, 2 } }
    options.gravity = { 0, 0, 0 }
    return step.springs(options)
  end

  it("shortens a spring to the limit, by inverse masses, and moves velocities with it (Cordier T08)", function()
    local long = { { 0, 0, 0 }, { 1.5, 0, 0 } }
    local x, v, left, sweeps = pair({}):limit { x = long, elongation = 0.1, step = 0.01 }
    assert.near(0.2, (x:get(1)), 1e-14)
    assert.near(1.3, (x:get(2)), 1e-14)
    assert.near(0.2 / 0.01, (v:get(1)), 1e-12)
    assert.near(-0.2 / 0.01, (v:get(2)), 1e-12)
    assert.near(0.1, left, 1e-12)
    assert.equal(1, sweeps)

    x, v = pair({ mass = { 1, 3 } }):limit { x = long, elongation = 0.1, step = 0.01 }
    assert.near(0.3, (x:get(1)), 1e-14)
    assert.near(1.4, (x:get(2)), 1e-14)
    assert.near(0, v:get(1) + 3 * v:get(2), 1e-12) -- momentum

    x = pair({ pins = { 1 } }):limit { x = long, elongation = 0.1 }
    assert.same({ 0, 0, 0 }, { x:get(1) })
    assert.near(1.1, (x:get(2)), 1e-14)

    x, v, left, sweeps = pair({ pins = { 1, 2 } }):limit { x = long, elongation = 0.1 }
    assert.same({ 0, 0, 0 }, { v:get(2) })
    assert.same({ 1.5, 0, 0 }, { x:get(2) })
    assert.near(0.5, left, 1e-14)
    assert.equal(0, sweeps)

    x, v, left, sweeps = pair({}):limit { x = { { 0, 0, 0 }, { 0.4, 0, 0 } } } -- compressed: left alone
    assert.same({ 0.4, 0, 0 }, { x:get(2) })
    assert.same({ 0, 0, 0 }, { v:get(2) })
    assert.near(-0.6, left, 1e-14)
    assert.equal(0, sweeps)
  end)

  it("makes the velocity (x - old x) / h after a step whose positions move by h v", function()
    local springs = pair { elongation = 0.1, stiffness = 1 }
    local x = { { 0, 0, 0 }, { 1.1, 0, 0 } }
    local result = nets.run(springs, { scheme = "symplectic euler", step = 0.1, steps = 1, x = x,
      v = { { -1, 0, 0 }, { 3, 0, 0 } } })
    for i = 1, 2 do
      assert.near((result.x:get(i) - x[i][1]) / 0.1, (result.v:get(i)), 1e-12)
    end
    assert.near(1.1, result.x:get(2) - result.x:get(1), 1e-12)
  end)

  it("converges slowly on a long chain (Kang T49)", function()
    local springs = nets.chain { points = 21, pins = { 1 } }
    local x = springs.positions:table()
    for i = 1, 21 do
      x[i][1] = 2 * (i - 1)
    end
    local function left(sweeps)
      return select(3, springs:limit { x = x, elongation = 0.1, sweeps = sweeps })
    end
    assert.near(0.9538, left(50), 1e-3)
    assert.near(0.7536, left(100), 1e-3)
    assert.near(0.4538, left(200), 1e-3)
    assert.near(0.1555, left(500), 1e-3)
    assert.is_true(left(5000) >= 0.1 - 1e-12)
  end)

  it("depends on the order of the springs, and keeps momentum (tutorial, test 20)", function()
    local function corrected(reversed)
      local edges = {}
      for e = 1, 5 do
        edges[e] = reversed and { 7 - e, 6 - e } or { e, e + 1 }
      end
      local places = {}
      for i = 1, 6 do
        places[i] = { i, 0, 0 }
      end
      local springs = step.springs { positions = places, edges = edges, mass = { 1, 2, 1, 3, 1, 1 } }
      local x = {}
      for i = 1, 6 do
        x[i] = { 1.4 * i, 0, i % 2 * 0.2 }
      end
      local after, v = springs:limit { x = x, sweeps = 3 }
      return after, (nets.momentum(springs, v))
    end
    local forward, momentum = corrected(false)
    local backward = corrected(true)
    assert.is_true(nets.difference(forward, backward) > 1e-3)
    assert.near(0, momentum, 1e-12)
  end)

  it("leaves a hanging cloth within the limit, the more so the more it sweeps (Cordier T09)", function()
    -- 20 x 20 points, 5 cm: structural springs and both diagonals, two corners pinned; velocities lose 1 % a step.
    local positions, edges = {}, {}
    for j = 1, 20 do
      for i = 1, 20 do
        positions[#positions + 1] = { 0.05 * i, 0, 0.05 * j }
      end
    end
    local function at(i, j) return (j - 1) * 20 + i end
    for j = 1, 20 do
      for i = 1, 20 do
        if i < 20 then edges[#edges + 1] = { at(i, j), at(i + 1, j) } end
        if j < 20 then edges[#edges + 1] = { at(i, j), at(i, j + 1) } end
        if i < 20 and j < 20 then
          edges[#edges + 1] = { at(i, j), at(i + 1, j + 1) }
          edges[#edges + 1] = { at(i + 1, j), at(i, j + 1) }
        end
      end
    end
    local function strain(h, sweeps)
      local springs = step.springs { positions = positions, edges = edges, mass = 0.001, stiffness = 2,
        pins = { 1, 20 }, absolute_damping = 0.001 * 0.01 / h, elongation = 0.1, limit_sweeps = sweeps }
      local result = nets.run(springs, { scheme = "symplectic euler", step = h, steps = 400 })
      return springs:stretch { x = result.x } - 1
    end
    -- Measured by an independent program that also limits by Gauss-Seidel; it does not say its springs' stiffness.
    local known = {
      [0.01] = { { 5, 0.44 }, { 20, 0.19 }, { 50, 0.145 }, { 100, 0.123 }, { 200, 0.111 } },
      [0.04] = { { 5, 4.7 }, { 20, 1.46 }, { 50, 0.59 }, { 100, 0.32 }, { 200, 0.20 } },
    }
    for h, list in pairs(known) do
      local last = math.huge
      for _, case in ipairs(list) do
        local now = strain(h, case[1])
        assert.is_true(now <= 1.1 * case[2])
        assert.is_true(now < last)
        last = now
      end
    end
  end)

  it("works after any scheme", function()
    for _, scheme in ipairs { "forward euler", "symplectic euler", "explicit midpoint", "rk4", "verlet",
      "backward euler", "bdf2", "kang", "linear filter" } do
      local springs = nets.chain { points = 6, spacing = 0.1, pins = { 1 }, mass = 0.01, stiffness = 1,
        gravity = { 0, -9.8, 0 }, elongation = 0.1, limit_sweeps = 2000 }
      local result = nets.run(springs, { scheme = scheme, step = 1 / 200, steps = 100 })
      assert.is_true(springs:stretch { x = result.x } <= 1.1 + 1e-6, scheme)
    end
  end)
end)
