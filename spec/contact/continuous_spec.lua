-- Continuous detection: no impact may be missed, and few may be invented. The exact judge is bench/exact_contact.c.

local ccd = require "bench.ccd_kernel"
local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local support = require "spec.support"

local pairs_of = {
  [0] = { impact = contact.vertex_face_impact, distance = contact.vertex_face_distance },
  { impact = contact.edge_edge_impact, distance = contact.edge_edge_distance },
}

local function at(from, to, time)
  local x = {}
  for i = 1, 4 do
    x[i] = {}
    for k = 1, 3 do
      x[i][k] = from[i][k] + (to[i][k] - from[i][k]) * time
    end
  end
  return x
end

local function random_pair(random, reach)
  local from, to = {}, {}
  for i = 1, 4 do
    from[i] = { random(), random(), random() }
    to[i] = { from[i][1] + reach * random(), from[i][2] + reach * random(), from[i][3] + reach * random() }
  end
  return from, to
end

-- The points in another order, as a pair that is the same.
local orders = {
  [0] = { { 1, 3, 4, 2 }, { 1, 2, 4, 3 } },
  { { 2, 1, 3, 4 }, { 1, 2, 4, 3 }, { 3, 4, 1, 2 } },
}

local function reordered(points, order)
  return { points[order[1]], points[order[2]], points[order[3]], points[order[4]] }
end

local function changed(points, change)
  local x = {}
  for i = 1, 4 do
    x[i] = { change(points[i][1]), change(points[i][2]), change(points[i][3]) }
  end
  return x
end

describe("The exact judge", function()
  it("says what the queries' rational arithmetic said", function()
    local missing = ccd.missing()
    if missing then
      pending(missing)
      return
    end
    for _, folder in ipairs(ccd.data) do
      for kind = 0, 1 do
        for part = 0, 1 do
          local path, absent = support.shared_data(ccd.data_path(folder, kind, part))
          if not path then
            pending(absent)
            return
          end
          local list = ccd.read(path)
          local queries = ccd.pack(list)
          for i, entry in ipairs(list) do
            assert.equal(entry.contact, ccd.kernel().bench_ccd_exact(kind, queries[i - 1], 1), path .. " query " .. i)
          end
        end
      end
    end
  end)

  it("knows a touch to the last digit, when it begins, and what a separation adds", function()
    local missing = ccd.missing()
    if missing then
      pending(missing)
      return
    end
    -- A vertex that falls from 1 to the height h, past the middle, the side and the corner of a face at height 0.
    local function falls(x, height, separation, until_time)
      local queries = ccd.pack { { from = { { x, 1, 0.25 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
        to = { { x, height, 0.25 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } } }
      queries[0].separation = separation
      return ccd.kernel().bench_ccd_exact(0, queries[0], until_time)
    end
    for _, x in ipairs { 0, 0.25, 0.75 } do
      assert.is_true(falls(x, 0, 0, 1))
      assert.is_false(falls(x, 1e-300, 0, 1))
      assert.is_true(falls(x, -1, 0, 0.5))
      assert.is_false(falls(x, -1, 0, 0.5 - 2 ^ -54))
      assert.is_true(falls(x, 0.5, 0.5, 1))
      assert.is_false(falls(x, 0.5, 0.5 - 2 ^ -54, 1))
    end
    assert.is_false(falls(-1e-300, -1, 0, 1))
    assert.is_true(falls(-0.5, -1, 0.5, 0.5))
    assert.is_false(falls(-0.5, -1, 0.5, 0.5 - 2 ^ -54))
  end)

  it("agrees with its quick part, which leaves it few pairs that are not adversarial", function()
    local missing = ccd.missing()
    if missing then
      pending(missing)
      return
    end
    local APART, TOUCHING, DOUBTFUL, count = 0, 1, 2, 400
    local functions, queries, times = ccd.kernel(), ccd.room(count)
    local function compare(family, number, kind, fraction)
      local answers = { [APART] = 0, [TOUCHING] = 0, [DOUBTFUL] = 0 }
      functions.bench_ccd_make(number, kind, 21, fraction, count, queries)
      functions.bench_ccd_detect(kind, queries, count, times)
      for i = 0, count - 1 do
        -- Of the whole motion, at the start, up to just before an impact, just after it, and up to any time.
        local impact = math.max(0, times[i])
        for _, until_time in ipairs { 1, 0, impact, math.min(1, impact + 1e-12), i / count } do
          local answer = functions.bench_ccd_quick(kind, queries[i], until_time)
          answers[answer] = answers[answer] + 1
          if answer ~= DOUBTFUL then
            local contact_exists = functions.bench_ccd_exact(kind, queries[i], until_time)
            assert.equal(contact_exists, answer == TOUCHING, family .. " query " .. i .. " up to " .. until_time)
          end
        end
      end
      assert.is_true(answers[APART] > 0.3 * count and answers[TOUCHING] > 0.05 * count)
      assert.is_true(answers[DOUBTFUL] <= (family == "adversarial" and 2 or 0.004) * count)
    end
    for family, number in pairs(ccd.families) do
      for kind = 0, 1 do
        compare(family, number, kind, 0)
        compare(family, number, kind, 0.02)
      end
    end
  end)
end)

for kind, pair in pairs(pairs_of) do
  describe("Continuous detection of " .. ccd.kinds[kind] .. " pairs", function()
    for _, folder in ipairs(ccd.data) do
      it("misses no impact of the queries in " .. folder, function()
        local queries, impacts = 0, 0
        for part = 0, 1 do
          local path, missing = support.shared_data(ccd.data_path(folder, kind, part))
          if not path then
            pending(missing)
            return
          end
          for i, entry in ipairs(ccd.read(path)) do
            local found = pair.impact { from = entry.from, to = entry.to }
            assert.is_true(found ~= false or not entry.contact, "missed query " .. i .. " of " .. path)
            queries, impacts = queries + 1, impacts + (entry.contact and 1 or 0)
          end
        end
        assert.equal(folder == "unit-tests" and kind == 1 and 74 or 250, queries)
        assert.is_true(impacts > 0 or folder:find "sliding" ~= nil)
      end)
    end

    -- The fraction of the pair's size that is to be kept, and how many queries.
    for family, samples in pairs {
      random = { { 0, 20000 }, { 0.02, 500 } },
      cloth = { { 0, 5000 }, { 0.02, 500 } },
      adversarial = { { 0, 2000 }, { 1e-6, 300 }, { 0.02, 300 } },
    } do
      it("misses none of the " .. family .. " queries, by the exact judge, and raises few false alarms", function()
        local missing = ccd.missing()
        if missing then
          pending(missing)
          return
        end
        for _, sample in ipairs(samples) do
          local found = ccd.run(family, kind, sample[1], sample[2], 7)
          assert.equal(sample[2], found.queries)
          assert.equal(0, found.misses)
          assert.equal(0, found.dropped)
          assert.equal(0, found.late)
          assert.is_true(found.contacts > 0.05 * sample[2])
          if family == "adversarial" then
            -- Most of them do come as near as doubles tell.
            assert.is_true(found.wide_alarms <= 0.01 * sample[2])
          else
            assert.is_true(found.false_alarms <= 0.03 * found.contacts)
            assert.equal(0, found.wide_alarms)
          end
        end
      end)
    end

    it("finds what dense sampling finds, and its time is early enough", function()
      local random, hits, alarms = shapes.random(3), 0, 0
      for trial = 1, 1500 do
        local from, to = random_pair(random, trial % 3 == 0 and 0.3 or 2)
        local separation = trial % 2 == 0 and 0.02 or 0.1
        local first = pair.distance { points = from }
        local kept = math.min(separation, 0.9 * first)
        local touched
        for i = 0, 200 do
          if pair.distance { points = at(from, to, i / 200) } < kept then
            touched = i / 200
            break
          end
        end
        local time = pair.impact { from = from, to = to, separation = separation }
        if touched then
          hits = hits + 1
          assert.is_true(time ~= false and time <= touched)
        end
        if time then
          assert.is_true(time >= 0 and time <= 1)
          for i = 0, 10 do -- up to then the separation holds
            assert.is_true(pair.distance { points = at(from, to, time * i / 10) } >= kept - 1e-12)
          end
          -- What was called an impact comes at least within the tolerance.
          assert.is_true(pair.distance { points = at(from, to, time) } <= 1.01 * kept + 1e-12)
        end
        alarms = alarms + (time and not touched and 1 or 0)
      end
      assert.is_true(hits > 100)
      assert.is_true(alarms < 0.05 * hits)
    end)

    it("finds impacts that are certain at any scale, place and speed", function()
      local random, certain = shapes.random(5), 0
      for trial = 1, 1200 do
        local from, to = random_pair(random, 1)
        -- Let the closest points swap sides, so that they meet on the way.
        local _, a, b, c = pair.distance { points = from }
        local weights = kind == 1 and { 1 - a, a, b - 1, -b } or { 1, -a, -b, -c }
        local gap, size, least = { 0, 0, 0 }, 0, 1
        for i = 1, 4 do
          least = math.min(least, math.abs(weights[i]))
          for k = 1, 3 do
            gap[k] = gap[k] + weights[i] * from[i][k]
          end
          size = size + weights[i] ^ 2
        end
        local scale, shift = 10 ^ (trial % 9 - 4), { 10 * random(), 10 * random(), 1000 * random() }
        local wind = { 100 * random(), 100 * random(), 100 * random() }
        for i = 1, 4 do
          for k = 1, 3 do
            local start = from[i][k]
            to[i][k] = scale * (start - 2 * gap[k] * weights[i] / size) + shift[k] + wind[k]
            from[i][k] = scale * start + shift[k]
          end
        end
        if least > 0.01 then -- not past a corner, where rounding decides
          certain = certain + 1
          assert.is_true(pair.impact { from = from, to = to } ~= false)
        end
      end
      assert.is_true(certain > 100)
    end)

    it("answers the same for the same pair in another order", function()
      local random, hits = shapes.random(11), 0
      for trial = 1, 400 do
        local from, to = random_pair(random, 2)
        local separation = trial % 2 * 0.05
        local options = { from = from, to = to, separation = separation, kept_part = 1, tolerance = 0 }
        local time = pair.impact(options)
        hits = hits + (time and 1 or 0)
        for _, order in ipairs(orders[kind]) do
          options.from, options.to = reordered(from, order), reordered(to, order)
          local other = pair.impact(options)
          assert.equal(time == false, other == false)
          assert.is_true(not time or math.abs(other - time) < 1e-6)
        end
      end
      assert.is_true(hits > 30)
    end)

    it("answers the same, to the bit, when nothing is rounded: moved, and scaled by powers of two", function()
      local random, hits = shapes.random(13), 0
      for _ = 1, 300 do
        local from, to = random_pair(random, 2)
        local function on_grid(value) return math.floor(value * 2 ^ 20) / 2 ^ 20 end
        from, to = changed(from, on_grid), changed(to, on_grid)
        local time = pair.impact { from = from, to = to, separation = 2 ^ -6 }
        hits = hits + (time and 1 or 0)
        local function moved(value) return value + 1024 end
        assert.equal(time, pair.impact { from = changed(from, moved), to = changed(to, moved), separation = 2 ^ -6 })
        for _, exponent in ipairs { -900, -90, 30, 300, 900 } do
          local function scaled(value) return value * 2 ^ exponent end
          assert.equal(time, pair.impact { from = changed(from, scaled), to = changed(to, scaled),
            separation = 2 ^ (exponent - 6) })
        end
      end
      assert.is_true(hits > 15)
    end)

    it("takes no note of motion in common, and none of rest", function()
      local random = shapes.random(9)
      for _ = 1, 100 do
        local from = random_pair(random, 1)
        assert.is_false(pair.impact { from = from, to = from, separation = 10 })
        local to = {}
        for i = 1, 4 do
          to[i] = { from[i][1] + 100, from[i][2] - 50, from[i][3] + 1 }
        end
        assert.is_false(pair.impact { from = from, to = to, separation = 1e-3 })
      end
    end)

    it("allows a part of a distance that is below the separation to be used up", function()
      local points = kind == 1 and { { -1, 1, 0 }, { 1, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
        or { { 0, 1, 0 }, { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 2 } }
      local function nearer(share, kept_part)
        local to = at(points, points, 0)
        for i = 1, kind == 1 and 2 or 1 do
          to[i][2] = 1 - share
        end
        return pair.impact { from = points, to = to, separation = 5, kept_part = kept_part }
      end
      assert.is_false(nearer(0.09))
      assert.is_true(nearer(0.11) ~= false)
      assert.is_false(nearer(0.69, 0.3))
      assert.is_true(nearer(0.71, 0.3) ~= false)
    end)

    it("calls touching at the start an impact at time 0", function()
      local points = kind == 1 and { { -1, 0, 0 }, { 1, 0, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
        or { { 0, 0, 0 }, { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 2 } }
      local to = at(points, points, 0)
      assert.equal(0, pair.impact { from = points, to = to })
      to[1][2] = 1
      assert.equal(0, pair.impact { from = points, to = to })
    end)

    it("refuses what is not a number, and calls an impact what is beyond the range of numbers", function()
      local random = shapes.random(17)
      local from, to = random_pair(random, 1)
      to[3][2] = 0 / 0
      assert.has_error(function() pair.impact { from = from, to = to } end)
      to[3][2], from[3][2], from[1][2] = 1.7e308, 1.7e308, -1.7e308
      assert.equal(0, pair.impact { from = from, to = to })
    end)
  end)
end

describe("The time of impact", function()
  -- Within the tolerance of the separation over the speed, and never after.
  local function assert_time(expected, slack, time)
    assert.is_true(time ~= false and time <= expected + 1e-15 and time >= expected - slack,
      ("%s instead of %.17g"):format(time, expected))
  end

  it("is that of a fall onto a face, an edge and a corner", function()
    local face = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
    for _, separation in ipairs { 0, 0.01, 0.1 } do
      local function fall(x, z)
        return contact.vertex_face_impact { from = { { x, 1, z }, unpack(face) }, to = { { x, -1, z }, unpack(face) },
          separation = separation }
      end
      local slack = 0.01 * separation / 2 + 1e-14
      assert_time((1 - separation) / 2, slack, fall(0.25, 0.25))
      -- Beside an edge and a corner, at 0.6 and 0.8 of the separation, the ball around them is met later, and at less
      -- speed.
      assert_time((1 - 0.8 * separation) / 2, slack / 0.6, fall(-0.6 * separation, 0.5))
      assert_time((1 - 0.6 * separation) / 2, slack / 0.6, fall(-0.64 * separation, -0.48 * separation))
      if separation > 0 then
        assert.is_false(fall(-1.02 * separation, 0.5))
      end
    end
  end)

  it("is that of an edge that turns onto another", function()
    -- One end stays at height 1, the other falls from 1 to -1: over x = -0.5 the edge is at height 0 when t = 2/3.
    local from = { { -1, 1, 0 }, { 1, 1, 0 }, { -0.5, 0, -1 }, { -0.5, 0, 1 } }
    local to = { { -1, -1, 0 }, { 1, 1, 0 }, { -0.5, 0, -1 }, { -0.5, 0, 1 } }
    assert_time(2 / 3, 1e-14, contact.edge_edge_impact { from = from, to = to })
    to[4] = { -0.5, 0, -0.9 } -- the other edge draws back before that
    assert.is_false(contact.edge_edge_impact { from = from, to = to })
  end)

  it("is that of a face that turns onto a vertex", function()
    -- Two corners rest, the third falls from height 1 to -1, and the vertex rests at height h in the middle of it.
    for _, h in ipairs { 0.25, 0, -0.125 } do
      local from = { { 0.5, h, 0 }, { 0, 0, -1 }, { 0, 0, 1 }, { 1, 1, 0 } }
      local to = { { 0.5, h, 0 }, { 0, 0, -1 }, { 0, 0, 1 }, { 1, -1, 0 } }
      assert_time(0.5 - h, 1e-14, contact.vertex_face_impact { from = from, to = to })
    end
  end)

  it("is the first of several", function()
    -- The vertex swings through the moving plane at the roots of t (t - 1/4) (t - 3/4), less a little.
    local from = { { -1, 1, 0 }, { 1, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
    local to = { { -1, -3, 0 }, { 1, -3, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
    assert_time(0.25, 1e-14, contact.edge_edge_impact { from = from, to = to })
  end)

  it("is none where bodies turn about a place at which they nearly touch, unless they come nearer there", function()
    -- A box tips about a corner below it that lies a little beside its edge, so that all but the edge's place there
    -- soon is on the other side of any plane that rests.
    for _, gap in ipairs { 1e-10, 1e-9, 1e-6 } do
      for _, angle in ipairs { 0.02, 0.3 } do
        for _, lift in ipairs { 3.5e-5, 1e-9, -3.5e-5 } do
          local function edge(time)
            local rise, y = angle * time, gap + lift * time
            return { -0.02, y + 0.02 * rise, -0.2 * gap }, { 0.08, y - 0.08 * rise, -0.2 * gap },
                   { -0.02, y + 0.02 * rise, -0.1 }
          end
          local a, b, c = edge(0)
          local a1, b1, c1 = edge(1)
          local corner, below = { 0, 0, 0 }, { 0, -0.1, 0 }
          local of_face = contact.vertex_face_impact { separation = 1e-4, from = { corner, a, b, c },
                                                       to = { corner, a1, b1, c1 } }
          local of_edge = contact.edge_edge_impact { separation = 1e-4, from = { corner, below, a, b },
                                                     to = { corner, below, a1, b1 } }
          if lift > 0 then
            assert.is_false(of_face)
            assert.is_false(of_edge)
          else
            assert.is_true(of_face ~= false and of_face <= gap / -lift)
            assert.is_true(of_edge ~= false and of_edge <= gap / -lift)
          end
        end
      end
    end
  end)

  it("exists for edges of no length and faces of no area", function()
    local point, segment = { 0, 0, 0 }, { { -1, 0, 0 }, { 1, 0, 0 }, { 0.5, 0, 0 } }
    local function crossing(impact, others)
      return impact { from = { { 0.25, 1, 0 }, unpack(others) }, to = { { 0.25, -1, 0 }, unpack(others) } }
    end
    assert_time(0.5, 1e-14, crossing(contact.vertex_face_impact, segment))
    assert_time(0.5, 1e-14, contact.edge_edge_impact {
      from = { { 0.25, 1, 0 }, { 0.25, 1, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
      to = { { 0.25, -1, 0 }, { 0.25, -1, 0 }, { -1, 0, 0 }, { 1, 0, 0 } } })
    assert_time(0.5, 1e-14, contact.vertex_face_impact { from = { { 0, 1, 0 }, point, point, point },
      to = { { 0, -1, 0 }, point, point, point } })
    -- Edges along one line, and a vertex in the face's plane.
    assert_time(0.5, 1e-14, contact.edge_edge_impact { from = { { 3, 0, 0 }, { 4, 0, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
      to = { { -1, 0, 0 }, { 0, 0, 0 }, { -1, 0, 0 }, { 1, 0, 0 } } })
    assert_time(0.5, 1e-14, contact.vertex_face_impact { from = { { 2, 0, 0 }, { 1, 0, -1 }, { 1, 0, 1 }, { 0, 0, 0 } },
      to = { { 0, 0, 0 }, { 1, 0, -1 }, { 1, 0, 1 }, { 0, 0, 0 } } })
  end)
end)
