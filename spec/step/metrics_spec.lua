-- E and S, the measures of error of Kang's thesis (2003, eq. 6.1 to 6.3), and the points of its tables that follow from
-- the integrator alone.

local weft = require "weft"
local nets = require "spec.step.nets"
local support = require "spec.support"

local step = weft.step

--- One interval from the origin to `reference` and `experiment`.
local function compare(reference, experiment, mode)
  local n = #reference
  local function from_origin(list)
    local points = {}
    for i = 1, n do
      points[i], points[n + i] = { 0, 0, 0 }, list[i]
    end
    return points
  end
  local m = step.metrics { vertices = n, reference = from_origin(reference), experiment = from_origin(experiment),
    mode = mode }
  assert.equal(1, #m)
  return m[1].error, m[1].similarity, m[1].moving
end

describe("E and S", function()
  it("have the algebra of their definition (T43)", function()
    local reference, reversed, doubled = {}, {}, {}
    for i = 1, 10 do
      local p = { i, -0.1 * i * i, 1 / i }
      reference[i] = p
      reversed[i] = { -p[1], -p[2], -p[3] }
      doubled[i] = { 2 * p[1], 2 * p[2], 2 * p[3] }
    end
    for experiment, expected in pairs { [reference] = { 0, 1 }, [reversed] = { 4, 1 }, [doubled] = { 1, 1 } } do
      local e, s, moving = compare(reference, experiment)
      assert.near(expected[1], e, 1e-14)
      assert.near(expected[2], s, 1e-14)
      assert.equal(10, moving)
    end
    -- At right angles: nothing in common.
    local e, s = compare({ { 1, 0, 0 } }, { { 0, 1, 0 } })
    assert.near(2, e, 1e-15)
    assert.near(0, s, 1e-15)
  end)

  it("count pins as S = 0 in the thesis' way, or not at all (T43)", function()
    local list = {}
    for i = 1, 10 do
      list[i] = i <= 3 and { 0, 0, 0 } or { 0, i, 0 }
    end
    local e, s, moving = compare(list, list, "thesis")
    assert.equal(0, e)
    assert.near(0.7, s, 1e-15)
    assert.equal(7, moving)
    e, s = compare(list, list, "moving")
    assert.equal(0, e)
    assert.near(1, s, 1e-15)
    assert.same({ 0, 1, 0 }, { compare({ { 0, 0, 0 } }, { { 1, 0, 0 } }, "moving") })
    assert.same({ 0, 0, 0 }, { compare({ { 0, 0, 0 } }, { { 1, 0, 0 } }, "thesis") })
  end)

  it("name what is wrong with their input", function()
    local two = { { 0, 0, 0 }, { 1, 0, 0 } }
    assert.equal("weft.step.metrics: reference and experiment must have 1 points for each of the same check points, at "
      .. "least two, got 2 and 1 points",
      support.message_of(step.metrics, { vertices = 1, reference = two, experiment = { { 0, 0, 0 } } }))
    assert.matches("reference must have three numbers for each point", support.message_of(step.metrics,
      { vertices = 1, reference = weft.buffer { count = 2, components = 2 }, experiment = two }))
    assert.matches("mode must be one of", support.message_of(step.metrics, { mode = "best" }))
  end)
end)

-- Check points every 1/30 s. The reference takes 1/30000 s, 1000 steps between two of them.
local SPACING, REFERENCE = 1 / 30, 1000

local function record(springs, steps_between, check_points, options)
  options = options or {}
  options.scheme = options.scheme or "kang"
  options.step, options.steps = SPACING / steps_between, steps_between * check_points
  options.trace, options.trace_every = { "state" }, steps_between
  local trace = nets.run(springs, options).trace
  return trace.x, trace.v, trace.time
end

describe("The tables of the thesis", function()
  it("begin with the closed form of free fall (T44)", function()
    local springs = nets.sheet { points = { 3, 3 } }
    local reference = record(springs, REFERENCE, 5)
    -- x = g t (t + h) / 2: E_q = ((h - h_ref) / ((2 q - 1) T + h_ref))^2
    local printed = { [5] = { 0.039522, 0.004397, 0.001583, 0.000808, 0.000489 },
      [1] = { 0.996008, 0.110815, 0.039904, 0.020362, 0.012318 } }
    for steps, list in pairs(printed) do
      local m = step.metrics { vertices = 9, reference = reference, experiment = record(springs, steps, 5) }
      assert.equal(5, #m)
      for q = 1, 5 do
        local h, h0 = SPACING / steps, SPACING / REFERENCE
        assert.near(((h - h0) / ((2 * q - 1) * SPACING + h0)) ^ 2, m[q].error, 1e-7)
        assert.near(list[q], m[q].error, 1e-6)
        assert.near(1, m[q].similarity, 1e-12)
      end
    end
  end)

  -- The scene that Tables 6.2 to 6.4 can be traced to: 33 x 33 points, two neighbouring corners pinned, level start.
  describe("in their scene", function()
    local springs, reference, velocities

    setup(function()
      springs = nets.sheet { pins = nets.corners, tolerance = 1e-8 }
      reference, velocities = record(springs, REFERENCE, 8)
    end)

    local function measure(x)
      local count = #x / 1089
      local part = reference:table()
      for i = #part, #x + 1, -1 do
        part[i] = nil
      end
      assert.is_true(count >= 2)
      return step.metrics { vertices = 1089, reference = part, experiment = x }
    end

    --- Each interval begun from the reference's own state.
    local function resynchronised(steps_between)
      local list, x, v = {}, reference:table(), velocities:table()
      for q = 1, 8 do
        local x0, v0, x1 = {}, {}, {}
        for i = 1, 1089 do
          x0[i], v0[i], x1[i] = x[(q - 1) * 1089 + i], v[(q - 1) * 1089 + i], x[q * 1089 + i]
        end
        local trace = record(springs, steps_between, 1, { x = x0, v = v0 })
        for i = 1, 1089 do
          x1[1089 + i], x1[i] = x1[i], x0[i]
        end
        list[q] = step.metrics { vertices = 1089, reference = x1, experiment = trace }[1]
      end
      return list
    end

    it("agree at their first check points, which measure the integrator alone (T45, Table 6.2 and 6.3)", function()
      local m = measure(record(springs, 5, 8))
      assert.is_true(m[1].error > 0.0390 and m[1].error < 0.0400) -- printed 0.039510
      assert.near(0.998158, m[1].similarity, 5e-5) -- printed; 1 - 2/1089 = 0.998163
      assert.equal(1087, m[1].moving)
      assert.is_true(m[2].error > 0.0035 and m[2].error < 0.0050) -- printed 0.003994
      for q = 3, 8 do
        assert.is_true(m[q].error < 0.015 and m[q].similarity > 0.991)
      end
    end)

    it("agree with an independent program, one sweep and solved (T45)", function()
      local one, solved = measure(record(springs, 5, 8)), measure(record(springs, 5, 8, { scheme = "backward euler" }))
      local known = {
        { one, { .03943, .00440, .00206, .00196, .00259, .00229, nil, .00378 } },
        { solved, { .03944, .00439, .00187, .00169, .00194, .00124, nil, .00146 } },
      }
      for _, case in ipairs(known) do
        for q = 1, 8 do
          if case[2][q] then
            assert.near(case[2][q], case[1][q].error, 0.02 * case[2][q] + 1e-5)
          end
        end
      end
    end)

    it("at 1/30 s begin with E = 1 (T46, Table 6.4)", function()
      local solved = measure(record(springs, 1, 8, { scheme = "backward euler" }))
      assert.is_true(solved[1].error > 0.98 and solved[1].error < 1.05) -- printed 1.032871
      assert.is_true(solved[2].error > 0.09 and solved[2].error < 0.12) -- printed 0.093998
      for q = 3, 8 do
        assert.is_true(solved[q].error < 0.13 and solved[q].similarity > 0.98)
      end
      local again = resynchronised(1)
      assert.near(solved[1].error, again[1].error, 0.01)
      for q = 3, 8 do
        assert.is_true(again[q].error < 0.13 and again[q].similarity > 0.98)
      end
    end)
  end)

  it("have 43 and 30 check points (T47)", function()
    local springs = nets.sheet { points = { 9, 9 }, pins = { 1, 9 }, axial_stiffness = 0.03 }
    for steps, count in pairs { [5] = 43, [1] = 30 } do
      local x, _, time = record(springs, steps, count)
      local reference = record(springs, 100, count)
      local m = step.metrics { vertices = 81, reference = reference, experiment = x }
      assert.equal(count, #m)
      assert.equal(count + 1, #time)
      for q = 1, count do
        assert.near(SPACING, time:get(q + 1) - time:get(q), 1e-12)
        assert.is_true(m[q].error >= 0 and m[q].similarity >= 0 and m[q].similarity <= 1)
      end
    end
  end)
end)
