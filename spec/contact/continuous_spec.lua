-- Continuous detection: no impact may be missed, and few may be invented.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local support = require "spec.support"

local pairs_of = {
  ["vertex-face"] = { impact = contact.vertex_face_impact, distance = contact.vertex_face_distance },
  ["edge-edge"] = { impact = contact.edge_edge_impact, distance = contact.edge_edge_distance },
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

local folders = { "erleben-sliding-spike", "erleben-sliding-wedge", "erleben-spikes", "erleben-wedges", "unit-tests" }

for kind, pair in pairs(pairs_of) do
  describe("Continuous detection of " .. kind .. " pairs", function()
    for _, folder in ipairs(folders) do
      it("misses no impact of the queries in " .. folder, function()
        local queries, impacts = 0, 0
        for part = 0, 1 do
          local path, missing = support.shared_data(("ccd-queries/%s/%s/data_0_%d.csv"):format(folder, kind, part))
          if not path then
            pending(missing)
            return
          end
          local rows, truth = {}
          for line in io.lines(path) do
            local n = {}
            for number in line:gmatch "[^,]+" do
              n[#n + 1] = tonumber(number)
            end
            -- Denominators are powers of two: the quotients are exact.
            rows[#rows + 1] = { n[1] / n[2], n[3] / n[4], n[5] / n[6] }
            truth = n[7] == 1
            if #rows == 8 then
              local found = pair.impact { from = { rows[1], rows[2], rows[3], rows[4] },
                to = { rows[5], rows[6], rows[7], rows[8] } }
              assert.is_true(found ~= false or not truth, "missed query " .. queries + 1 .. " of " .. path)
              queries, impacts, rows = queries + 1, impacts + (truth and 1 or 0), {}
            end
          end
        end
        assert.equal(folder == "unit-tests" and kind == "edge-edge" and 74 or 250, queries)
        assert.is_true(impacts > 0 or folder:find "sliding" ~= nil)
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
          -- What was called an impact comes at least within six hundredths.
          assert.is_true(pair.distance { points = at(from, to, time) } <= 1.06 * kept + 1e-12)
        end
        alarms = alarms + (time and not touched and 1 or 0)
      end
      assert.is_true(hits > 100)
      assert.is_true(alarms < 0.1 * hits)
    end)

    it("finds impacts that are certain at any scale, place and speed", function()
      local random = shapes.random(5)
      for trial = 1, 600 do
        local from, to = random_pair(random, 1)
        -- Let the closest points swap sides, so that they meet on the way.
        local _, a, b, c = pair.distance { points = from }
        local weights = kind == "edge-edge" and { 1 - a, a, b - 1, -b } or { 1, -a, -b, -c }
        local gap, size = { 0, 0, 0 }, 0
        for i = 1, 4 do
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
        assert.is_true(pair.impact { from = from, to = to } ~= false)
      end
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

    it("allows a tenth of a distance that is below the separation", function()
      local points = kind == "edge-edge" and { { -1, 1, 0 }, { 1, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
        or { { 0, 1, 0 }, { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 2 } }
      local function nearer(share)
        local to = at(points, points, 0)
        for i = 1, kind == "edge-edge" and 2 or 1 do
          to[i][2] = 1 - share
        end
        return pair.impact { from = points, to = to, separation = 5 }
      end
      assert.is_false(nearer(0.09))
      assert.is_true(nearer(0.11) ~= false)
    end)

    it("calls touching at the start an impact at time 0", function()
      local points = kind == "edge-edge" and { { -1, 0, 0 }, { 1, 0, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
        or { { 0, 0, 0 }, { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 2 } }
      local to = at(points, points, 0)
      assert.equal(0, pair.impact { from = points, to = to })
      to[1][2] = 1
      assert.equal(0, pair.impact { from = points, to = to })
    end)
  end)
end
