-- Flags in a stream in two dimensions beside linear theory (spec/air/flutter.lua): below the onset of flutter a push
-- dies away, above it grows, at theory's frequency, and flapping is bounded.

local flags = require "spec.air.flags"
local flutter = require "spec.air.flutter"
local support = require "spec.support"

local near = support.near

local function rates(ratio, speed, cell)
  local plate = { mass = 1 / ratio, stiffness = 1 / ratio / speed ^ 2, push = 0.01, cell = cell, step = 0.01,
    integrator = "bdf2", duration = 16, panels = 24 }
  local world, flag, tips = flags.make(plate)
  local record = flags.record(world, flag, tips, 12)
  local growth, frequency = flutter.rate(record, 0.01, 300, #record, 20)
  local tip, step = flutter.tip(plate)
  local expected_growth, expected_frequency = flutter.rate(tip, step, math.floor(#tip / 4), #tip, 5)
  return growth, frequency, expected_growth, expected_frequency
end

--- Cycles per time between the first and the last rise through 0.
local function counted(record, step)
  local first, last, count = nil, nil, -1
  for i = 2, #record do
    if record[i - 1] < 0 and record[i] >= 0 then
      last, count = (i - record[i] / (record[i] - record[i - 1])) * step, count + 1
      first = first or last
    end
  end
  return count / (last - first)
end

describe("Linear theory of flutter", function()
  it("has the frequency of the plate by itself where the fluid is light", function()
    local tip, step = flutter.tip { mass = 1000, stiffness = 1000, panels = 30, duration = 12 }
    near(1.8751 ^ 2 / (2 * math.pi), counted(tip, step), 0.01)
  end)

  it("turns a heavy stiff plate on a hinge into the stream by the lift of a thin aerofoil", function()
    -- lift pi times the angle (2 pi, half density and square of speed) at a quarter of the chord, inertia mass / 3
    local tip, step = flutter.tip { mass = 300, stiffness = 1e4, edge = "hinged", panels = 10, duration = 300 }
    near(math.sqrt(0.75 * math.pi / 300) / (2 * math.pi), counted(tip, step), 0.05)
  end)
end)

describe("A flag in a stream", function()
  it("comes to rest below the onset of flutter and flutters above it, as often as theory says", function()
    for _, ratio in ipairs { 0.5, 1 } do
      local slow, _, theory = rates(ratio, 4)
      assert.is_true(slow < 0 and theory < 0, ("%g %g"):format(slow, theory))
      local fast, frequency, growth, expected = rates(ratio, 9)
      assert.is_true(fast > 0 and growth > fast, ("%g %g"):format(fast, growth))
      near(expected, frequency, 0.05)
    end
    local _, frequency, _, expected = rates(1, 5) -- and dies away
    near(expected, frequency, 0.05)
  end)

  it("is damped by the grid in proportion to its cells", function()
    local coarse = rates(1, 9, 1 / 16)
    local fine, _, theory = rates(1, 9, 1 / 32)
    assert.is_true(coarse < fine and fine < theory and theory - fine < 0.7 * (theory - coarse),
      ("%g %g %g"):format(coarse, fine, theory))
  end)

  it("flaps as far as it is long at most", function()
    local world, flag, tips = flags.make { mass = 1, stiffness = 1 / 144, push = 0.3, step = 0.01, integrator = "bdf2" }
    local record = flags.record(world, flag, tips, 14)
    local low, high = 0, 0
    for k = 700, #record do
      low, high = math.min(low, record[k]), math.max(high, record[k])
    end
    assert.is_true(high - low > 0.3 and high - low < 1.6, high - low)
  end)
end)
