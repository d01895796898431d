-- Turbulence: spectra, variances, correlations and lengths against von Karman's and Dryden's formulas, with bands from
-- the scatter over seeds; and curl noise.

local fields = require "spec.air.fields"
local support = require "spec.support"
local weft = require "weft"

local wind, near = weft.wind, fields.near
local SIGMA, LENGTH = 1.5, 10

-- ---- formulas -----------------------------------------------------------------------------------------------------

-- MIL-F-8785C, 3.7.1.1 and 3.7.1.2, of the spatial frequency (rad/m): one-sided, along the wind and across it.
local spectra = {
  ["von karman"] = {
    function(k)
      return SIGMA ^ 2 * 2 * LENGTH / math.pi * (1 + (1.339 * LENGTH * k) ^ 2) ^ (-5 / 6)
    end,
    function(k)
      local q = (1.339 * LENGTH * k) ^ 2
      return SIGMA ^ 2 * LENGTH / math.pi * (1 + 8 / 3 * q) * (1 + q) ^ (-11 / 6)
    end,
  },
  dryden = {
    function(k) return SIGMA ^ 2 * 2 * LENGTH / math.pi / (1 + (LENGTH * k) ^ 2) end,
    function(k)
      local q = (LENGTH * k) ^ 2
      return SIGMA ^ 2 * LENGTH / math.pi * (1 + 3 * q) / (1 + q) ^ 2
    end,
  },
}

--- The modified Bessel function of the second kind, from its integral.
local function bessel(order, z)
  local sum, step = 0, 0.01
  for i = 0, 1500 do
    local t = i * step
    sum = sum + (i == 0 and 0.5 or 1) * math.exp(-z * math.cosh(t)) * math.cosh(order * t) * step
  end
  return sum
end

-- Correlations along the line between two points, and across it (von Karman 1948; Dryden 1943).
local correlations = {
  ["von karman"] = {
    function(r)
      local z = r / (1.339 * LENGTH)
      return 2 ^ (2 / 3) / 2.678938534707747 * z ^ (1 / 3) * bessel(1 / 3, z)
    end,
    function(r)
      local z = r / (1.339 * LENGTH)
      return 2 ^ (2 / 3) / 2.678938534707747 * z ^ (1 / 3) * (bessel(1 / 3, z) - z / 2 * bessel(2 / 3, z))
    end,
  },
  dryden = {
    function(r) return math.exp(-r / LENGTH) end,
    function(r) return math.exp(-r / LENGTH) * (1 - r / (2 * LENGTH)) end,
  },
}

-- ---- measuring ----------------------------------------------------------------------------------------------------

--- The power at each whole frequency of a series, whose length is a power of two (Cooley and Tukey 1965).
local function power(series)
  local n, re, im = #series, {}, {}
  local bits = 0
  while 2 ^ bits < n do
    bits = bits + 1
  end
  for i = 0, n - 1 do
    local reversed, rest = 0, i
    for _ = 1, bits do
      reversed = reversed * 2 + rest % 2
      rest = math.floor(rest / 2)
    end
    re[reversed], im[reversed] = series[i + 1], 0
  end
  local half = 1
  while half < n do
    for k = 0, half - 1 do
      local c, s = math.cos(-math.pi * k / half), math.sin(-math.pi * k / half)
      for i = k, n - 1, 2 * half do
        local j = i + half
        local a, b = re[j] * c - im[j] * s, re[j] * s + im[j] * c
        re[j], im[j], re[i], im[i] = re[i] - a, im[i] - b, re[i] + a, im[i] + b
      end
    end
    half = 2 * half
  end
  local result = {}
  for i = 1, n / 2 - 1 do
    result[i] = re[i] ^ 2 + im[i] ^ 2
  end
  return result
end

--- Mean and standard error of a list.
local function statistics(list)
  local mean, square = 0, 0
  for _, value in ipairs(list) do
    mean = mean + value / #list
  end
  for _, value in ipairs(list) do
    square = square + (value - mean) ^ 2
  end
  return mean, math.sqrt(square / (#list - 1) / #list)
end

--- Raises unless the mean of what each seed gave is the expected number, within four standard errors and a share of it;
--- and unless that says something: the errors must be smaller than `most` of it.
local function expect(expected, list, share, most, what)
  local mean, deviation = statistics(list)
  local allowed = 4 * deviation + share * math.abs(expected)
  if not (math.abs(mean - expected) <= allowed and deviation <= most) then
    error(("%s: expected %.5g, got %.5g +- %.2g"):format(what, expected, mean, deviation), 2)
  end
end

local COUNT, STEP, SEEDS = 4096, LENGTH / 40, 32
local UNIT = 2 * math.pi * LENGTH / (COUNT * STEP) -- of the frequencies of a series
local BANDS = { 0.4, 0.7, 1.2, 2, 3.5, 6 } -- edges, over the length

--- Per band, the power spectral densities of each seed, of the components along the three axes and across them: they
--- are the same, because no direction is another than any other.
local function measure(spectrum)
  local densities = {}
  for band = 1, #BANDS - 1 do
    densities[band] = { {}, {} }
  end
  local lines = {}
  for axis = 1, 3 do
    lines[axis] = weft.buffer { count = COUNT }
    for i = 1, COUNT do
      local p = { 0.3, -0.2, 0.1 }
      p[axis] = i * STEP
      lines[axis]:set(i, p[1], p[2], p[3])
    end
  end
  for seed = 1, SEEDS do
    local source = wind.turbulence {
      intensity = SIGMA, length = LENGTH, spectrum = spectrum, seed = seed, smallest = LENGTH / 19, waves = 512,
    }
    for band = 1, #BANDS - 1 do
      densities[band][1][seed], densities[band][2][seed] = 0, 0
    end
    for axis = 1, 3 do
      local velocities = source:at(lines[axis]):table()
      for c = 1, 3 do
        local series = {}
        for i = 1, COUNT do -- Hann's window, whose mean square is 3 / 8
          series[i] = velocities[i][c] * (1 - math.cos(2 * math.pi * (i - 0.5) / COUNT)) / 2
        end
        local powers, way = power(series), c == axis and 1 or 2
        for band = 1, #BANDS - 1 do
          local sum, count = 0, 0
          for i = math.ceil(BANDS[band] / UNIT), math.ceil(BANDS[band + 1] / UNIT) - 1 do
            sum, count = sum + powers[i], count + 1
          end
          densities[band][way][seed] = densities[band][way][seed]
            + sum / count * STEP / (COUNT * math.pi) * 8 / 3 / (3 * way)
        end
      end
    end
  end
  return densities
end

for _, spectrum in ipairs { "von karman", "dryden" } do
  describe("Turbulence with the spectrum of " .. spectrum, function()
    it("has its spectra along the wind and across it, as MIL-F-8785C gives them", function()
      local densities = measure(spectrum)
      for band = 1, #BANDS - 1 do
        for way = 1, 2 do
          local expected, parts = 0, 50
          for i = 1, parts do
            local k = (BANDS[band] + (BANDS[band + 1] - BANDS[band]) * (i - 0.5) / parts) / LENGTH
            expected = expected + spectra[spectrum][way](k) / parts
          end
          -- what eddies below the smallest, at 120 over the length, would add is up to 2 % in the last band
          expect(expected, densities[band][way], 0.03, 0.06 * expected, ("band %d, way %d"):format(band, way))
        end
      end
    end)

    it("has its variance, and its correlations along and across every direction", function()
      local f, g = correlations[spectrum][1], correlations[spectrum][2]
      local places = fields.random_points(400, 20 * LENGTH, 3)
      local distances = { 0, 0.1 * LENGTH, 0.5 * LENGTH, 1.5 * LENGTH }
      for _, direction in ipairs { { 1, 0, 0 }, fields.unit { 1, 2, -1 } } do
        local across = fields.across(direction)
        local along_of, across_of, mixed_of = {}, {}, {}
        for d = 1, #distances do
          along_of[d], across_of[d], mixed_of[d] = {}, {}, {}
        end
        for seed = 1, 24 do
          local source = wind.turbulence { intensity = SIGMA, length = LENGTH, spectrum = spectrum, seed = 100 + seed }
          local first = fields.at_points(source, places)
          for d, distance in ipairs(distances) do
            local moved = {}
            for i, p in ipairs(places) do
              moved[i] = fields.sum(p, direction, distance)
            end
            local along, cross, mixed = 0, 0, 0
            for i, u in ipairs(fields.at_points(source, moved)) do
              along = along + fields.dot(first[i], direction) * fields.dot(u, direction) / #places
              cross = cross + fields.dot(first[i], across) * fields.dot(u, across) / #places
              mixed = mixed + fields.dot(first[i], across) * fields.dot(u, direction) / #places
            end
            along_of[d][seed], across_of[d][seed], mixed_of[d][seed] = along, cross, mixed
          end
        end
        for d, distance in ipairs(distances) do
          local along = distance == 0 and 1 or f(distance)
          local cross = distance == 0 and 1 or g(distance)
          -- eddies smaller than a hundredth of the length are left out: 2 % of the variance
          expect(SIGMA ^ 2 * along, along_of[d], 0.025, 0.06 * SIGMA ^ 2, "along " .. distance)
          expect(SIGMA ^ 2 * cross, across_of[d], 0.025, 0.06 * SIGMA ^ 2, "across " .. distance)
          expect(0, mixed_of[d], 0, 0.06 * SIGMA ^ 2, "mixed " .. distance)
        end
      end
    end)

    it("has its integral length", function()
      -- the mean square of the mean over a line of length D is 2 sigma^2 / D^2 times the integral of (D - r) f(r) dr
      local D, count, squares = 20 * LENGTH, 200, {}
      local places, expected = fields.random_points(40, 400 * LENGTH, 5), 0
      for i = 1, 400 do
        local r = D * (i - 0.5) / 400
        expected = expected + 2 * SIGMA ^ 2 / D ^ 2 * (D - r) * correlations[spectrum][1](r) * D / 400
      end
      for seed = 1, 40 do
        local source = wind.turbulence { intensity = SIGMA, length = LENGTH, spectrum = spectrum, seed = seed }
        local square = 0
        for _, p in ipairs(places) do
          local line, mean = {}, 0
          for i = 1, count do
            line[i] = { p[1] + D * (i - 0.5) / count, p[2], p[3] }
          end
          for _, u in ipairs(fields.at_points(source, line)) do
            mean = mean + u[1] / count
          end
          square = square + mean ^ 2 / #places
        end
        squares[seed] = square
      end
      expect(expected, squares, 0.02, 0.06 * expected, "mean over a line")
      -- which for a long line is 2 sigma^2 length / D
      support.near(expected, 2 * SIGMA ^ 2 * LENGTH / D, 0.08)
    end)
  end)
end

describe("Turbulence", function()
  it("has no divergence, and a curl", function()
    local source = wind.turbulence { intensity = 2, length = 3, smallest = 0.1 }
    for _, p in ipairs(fields.random_points(50, 20)) do
      local divergence, curl, size = fields.derivatives(source, p, 3e-4, 2.7)
      near(0, divergence / size, 1e-6)
      assert.is_true(curl > 0.1 * size)
    end
  end)

  it("is carried past as it is", function()
    local source = wind.turbulence { intensity = 2, length = 3, velocity = { 4, -1, 2 } }
    for _, p in ipairs(fields.random_points(20, 20)) do
      local now = source:at(p, 0)
      local later = source:at({ p[1] + 4 * 2.5, p[2] - 2.5, p[3] + 2 * 2.5 }, 2.5)
      for c = 1, 3 do
        near(now[c], later[c], 1e-9)
      end
    end
  end)

  it("decays from itself where it is not frozen, small eddies first", function()
    local function kept(smallest, time)
      local source = wind.turbulence { intensity = 1, length = 10, unsteadiness = 0.5, smallest = smallest }
      local places = fields.random_points(500, 100)
      local before, product, square = fields.at_points(source, places, 0), 0, 0
      for i, u in ipairs(fields.at_points(source, places, time)) do
        product, square = product + fields.dot(u, before[i]), square + fields.dot(before[i], before[i])
      end
      return product / square
    end
    near(1, kept(1, 0), 1e-12)
    assert.is_true(kept(1, 1) < 0.999 and kept(1, 1) > kept(1, 10))
    assert.is_true(math.abs(kept(1, 1e4)) < 0.3)
    local frozen = wind.turbulence { intensity = 1 }
    assert.same(frozen:at({ 1, 2, 3 }, 0), frozen:at({ 1, 2, 3 }, 1e4))
  end)

  it("is decided by its seed", function()
    local function at(seed) return wind.turbulence({ intensity = 1, seed = seed }):at { 1, 2, 3 } end
    assert.same(at(7), at(7))
    assert.not_same(at(7), at(8))
    local source = wind.turbulence { intensity = 1, seed = 7 }
    source.seed = 8
    assert.same(at(8), source:at { 1, 2, 3 })
  end)

  it("refuses eddies that are no smaller than the largest, and too many waves", function()
    local source = wind.turbulence { intensity = 1, length = 5 }
    assert.matches("smallest must be 0 or at least 0.001 m and below length, 5 m, got 6",
      support.message_of(function() source.smallest = 6 end))
    assert.equal(0, source.smallest)
    assert.matches("waves must be an integer from 8 to 1024, got 2000",
      support.message_of(wind.turbulence, { intensity = 1, waves = 2000 }))
    support.fail_each_allocation(function() source.waves = 64 end)
  end)
end)

describe("Curl noise", function()
  it("has no divergence", function()
    for _, octaves in ipairs { 1, 4 } do
      local source = wind.curl_noise { intensity = 2, scale = 1, octaves = octaves }
      for _, p in ipairs(fields.random_points(100, 20)) do
        local divergence, curl, size = fields.derivatives(source, p, 1e-4, 0.9)
        near(0, divergence / size, 1e-6)
        assert.is_true(curl > 1e-3 * size)
      end
    end
  end)

  it("has the intensity that it is given, in each component, whatever the octaves", function()
    for _, octaves in ipairs { 1, 3, 6 } do
      local squares, means = { {}, {}, {} }, { {}, {}, {} }
      for seed = 1, 24 do
        local source = wind.curl_noise { intensity = 3, scale = 0.5, octaves = octaves, seed = seed }
        local square, mean = { 0, 0, 0 }, { 0, 0, 0 }
        local velocities = fields.at_points(source, fields.random_points(2000, 50, seed), seed)
        for _, u in ipairs(velocities) do
          for c = 1, 3 do
            square[c], mean[c] = square[c] + u[c] ^ 2 / 2000, mean[c] + u[c] / 2000
          end
        end
        for c = 1, 3 do
          squares[c][seed], means[c][seed] = square[c], mean[c]
        end
      end
      for c = 1, 3 do
        expect(9, squares[c], 0, 0.3, octaves .. " octaves, component " .. c)
        expect(0, means[c], 0, 0.05, octaves .. " octaves, mean of component " .. c)
      end
    end
  end)

  it("has eddies of its scale: the velocity changes over a cell, and not over a hundredth", function()
    local source = wind.curl_noise { intensity = 1, scale = 2, octaves = 1 }
    local function change(distance)
      local places, moved, sum = fields.random_points(2000, 100), {}, 0
      for i, p in ipairs(places) do
        moved[i] = { p[1] + distance, p[2], p[3] }
      end
      local before = fields.at_points(source, places)
      for i, u in ipairs(fields.at_points(source, moved)) do
        sum = sum + (u[2] - before[i][2]) ^ 2 / #places
      end
      return sum / 2 -- 1 where the two are independent
    end
    assert.is_true(change(0.02) < 1e-3)
    support.near(1, change(20), 0.1)
    assert.is_true(change(2) > 0.5)
  end)

  it("has octaves of half the scale, and gain times the speed", function()
    --- The mean square of what the velocity changes by over a distance, for each seed.
    local function changes(octaves, gain, distance)
      local list, places, moved = {}, fields.random_points(1500, 80), {}
      for i, p in ipairs(places) do
        moved[i] = fields.sum(p, { 0.6, 0, 0.8 }, distance)
      end
      for seed = 1, 24 do
        local source = wind.curl_noise { intensity = 1, scale = 1, octaves = octaves, gain = gain, seed = seed }
        local before, sum = fields.at_points(source, places), 0
        for i, u in ipairs(fields.at_points(source, moved)) do
          local d = fields.sum(u, before[i], -1)
          sum = sum + fields.dot(d, d) / #places
        end
        list[seed] = sum
      end
      return list
    end
    for _, distance in ipairs { 0.03, 0.2 } do
      local one, half, quarter = statistics(changes(1, 1, distance)), statistics(changes(1, 1, 2 * distance)),
        statistics(changes(1, 1, 4 * distance))
      local expected = (one + 0.64 * half + 0.64 ^ 2 * quarter) / (1 + 0.64 + 0.64 ^ 2)
      expect(expected, changes(3, 0.8, distance), 0.02, 0.03 * expected, "change over " .. distance)
    end
  end)

  it("changes in time without a jump, and is carried past", function()
    local source = wind.curl_noise { intensity = 1, scale = 1, octaves = 1, evolution = 0.5 }
    local p = { 0.3, 0.7, 12.1 }
    local now, next_one, later = source:at(p, 1), source:at(p, 1 + 1e-6), source:at(p, 1.5)
    for c = 1, 3 do
      near(now[c], next_one[c], 3e-5)
    end
    assert.is_true(math.abs(now[1] - later[1]) > 1e-3)
    local period = source:at(p, 3) -- gradients turn with half a turn per second
    near(now[1], period[1], 1e-9)
    source.evolution, source.velocity = 0, { 2, 0, 0 }
    near(source:at(p, 0)[2], source:at({ 6.3, 0.7, 12.1 }, 3)[2], 1e-12)
  end)

  it("refuses octaves whose cells are too small", function()
    assert.matches("octaves must leave cells of at least 0.001 m, got 8, of 0.000",
      support.message_of(wind.curl_noise, { intensity = 1, scale = 0.1, octaves = 8 }))
  end)
end)
