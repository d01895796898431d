-- When a flag in a stream in two dimensions begins to flutter, and how it flaps: bands of theory and the literature.
--
-- Theory without friction (Kornecki, Dowell and O'Brien 1976; Eloy, Souilliez and Schouveiler 2007;
-- spec/air/flutter.lua) is the lower end: plates in wind tunnels have always begun later (Eloy, Lagrange, Souilliez and
-- Schouveiler 2008). Speeds are reduced by the plate's own, mass ratios density L / mass.

local flags = require "spec.air.flags"
local flutter = require "spec.air.flutter"
local support = require "spec.support"

local STEP = 0.01

--- Growth of a small push at each of the speeds, in the flow with so many cells along the flag, or by theory.
local function growth(ratio, speeds, cells)
  local values = {}
  for k, speed in ipairs(speeds) do
    local plate = { mass = 1 / ratio, stiffness = 1 / ratio / speed ^ 2 }
    local step, lag, record = STEP, 20
    if cells then
      local world, flag, tips = flags.make(support.with(plate, { cell = 1 / cells, push = 0.01, step = STEP,
        integrator = "bdf2" }))
      record = flags.record(world, flag, tips, 14)
    else
      record, step = flutter.tip(support.with(plate, { panels = 30, duration = 14 }))
      lag = math.floor(0.2 / step)
    end
    values[k] = flutter.rate(record, step, math.floor(#record / 4), #record, lag)
  end
  return values
end

describe("The onset of flutter", function()
  for _, ratio in ipairs { 0.5, 1 } do
    it(("is later than theory's, by less with finer cells, at a mass ratio of %g"):format(ratio), function()
      local theory = flutter.onset({ 4.5, 5, 5.5, 6, 6.5 }, growth(ratio, { 4.5, 5, 5.5, 6, 6.5 }))
      local coarse, fine = growth(ratio, { 6, 7, 8 }, 16), growth(ratio, { 6, 7 }, 32)
      local by_coarse, by_fine = flutter.onset({ 6, 7, 8 }, coarse), flutter.onset({ 6, 7 }, fine)
      local told = ("theory %g, 16 cells %g, 32 cells %g"):format(theory, by_coarse, by_fine)
      assert.is_true(by_fine >= theory and by_fine < 1.3 * theory, told)
      assert.is_true(by_coarse > by_fine and by_coarse < 1.45 * theory, told)
      -- The grid damps in proportion to its cells: growth continued to cells of no size.
      local continued = {}
      for k = 1, 2 do
        continued[k] = 2 * fine[k] - coarse[k]
      end
      local slope = continued[2] - continued[1]
      local onset = 6 - continued[1] / slope
      assert.is_true(onset > 0.95 * theory and onset < 1.15 * theory, ("%s, continued %g"):format(told, onset))
    end)
  end
end)

describe("A flag that flaps at twice the speed of its onset", function()
  it("flaps faster and less far the lighter it is, as often as theory's waves grow", function()
    local ranges, frequencies, theory = {}, {}, {}
    for k, ratio in ipairs { 0.5, 2 } do
      local plate = { mass = 1 / ratio, stiffness = 1 / ratio / 144, cell = 1 / 16, step = STEP, integrator = "bdf2",
        push = 0.3 }
      local world, flag, tips = flags.make(plate)
      ranges[k], frequencies[k] = flags.flapping(flags.record(world, flag, tips, 16), STEP)
      local tip, step = flutter.tip { mass = plate.mass, stiffness = plate.stiffness, panels = 30, duration = 6 }
      theory[k] = select(2, flutter.rate(tip, step, math.floor(#tip / 4), #tip, math.floor(0.1 / step)))
      -- Waves as large as the flag are long are no small ones: the heavy flag turns back sooner than they would.
      support.near(theory[k], frequencies[k], k == 1 and 0.4 or 0.1)
    end
    local told = ("ranges %g %g, frequencies %g %g, of theory %g %g"):format(ranges[1], ranges[2], frequencies[1],
      frequencies[2], theory[1], theory[2])
    assert.is_true(frequencies[2] > 1.4 * frequencies[1], told)
    assert.is_true(ranges[2] < 0.6 * ranges[1], told)
    assert.is_true(ranges[1] > 0.7 and ranges[1] < 1.6 and ranges[2] > 0.3, told)
  end)
end)
