-- Overlapping balls, found by a grid, against all pairs.

local contact = require "weft".contact
local shapes = require "spec.contact.shapes"
local support = require "spec.support"
local weft = require "weft"

local function random_balls(count, extent, radius, seed)
  local random, points, radii, groups = shapes.random(seed), {}, {}, {}
  for i = 1, count do
    points[i] = { extent * random() - 3, extent * random(), extent * random() + 1000 }
    radii[i] = radius * (0.55 + 0.45 * random())
    groups[i] = i % 7 + 1
  end
  return points, radii, groups
end

local function all_pairs(points, radii, groups)
  local list = {}
  for i = 1, #points do
    for j = i + 1, #points do
      local p, q, reach = points[i], points[j], radii[i] + radii[j]
      local apart = (p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2
      if apart < reach ^ 2 and not (groups and groups[i] == groups[j]) then
        list[#list + 1] = { i, j }
      end
    end
  end
  return list
end

describe("A grid of balls", function()
  it("finds the overlapping pairs that there are, sorted", function()
    for seed = 1, 6 do
      local points, radii, groups = random_balls(400, seed == 6 and 0.01 or 1, 0.1 * seed, seed)
      for _, of in ipairs { false, groups } do
        local truth = all_pairs(points, radii, of or nil)
        local found = contact.overlapping_balls { points = points, radius = radii, groups = of or nil }
        assert.is_true(#truth > 10)
        assert.equal(#truth, found.count)
        assert.same(truth, found.pairs:table())
      end
    end
  end)

  it("gives the first pairs up to the limit, and counts all", function()
    local points, radii = random_balls(200, 0.3, 0.1, 9)
    local truth = all_pairs(points, radii)
    for _, limit in ipairs { 0, 1, 17, 50, #truth, #truth + 1 } do
      local found = contact.overlapping_balls { points = points, radius = radii, limit = limit }
      assert.equal(#truth, found.count)
      assert.equal(math.min(limit, #truth), found.pairs.count)
      for i = 1, found.pairs.count do
        assert.same(truth[i], { found.pairs:get(i) })
      end
    end
  end)

  it("gives the same bytes for any number of threads", function()
    local points, radii = random_balls(3000, 1, 0.05, 4)
    local lists = {}
    for threads = 1, 3 do
      weft.threads(threads)
      lists[threads] = contact.overlapping_balls({ points = points, radius = radii }).pairs:string()
    end
    weft.threads(1)
    assert.equal(lists[1], lists[2])
    assert.equal(lists[1], lists[3])
  end)

  it("tells cloths that may touch from those that cannot, by the balls around them", function()
    local centres = {}
    for i = 1, 1000 do
      local k = i - 1
      centres[i] = { k % 10 * 0.3, math.floor(k / 10) % 10 * 0.3, math.floor(k / 100) * 0.3 }
    end
    assert.equal(0, contact.overlapping_balls({ points = centres, radius = 0.149 }).count)
    assert.equal(2700, contact.overlapping_balls({ points = centres, radius = 0.151 }).count)
  end)

  it("refuses what it cannot work on", function()
    local function message(options)
      return support.message_of(contact.overlapping_balls, options)
    end
    local one = { { 0, 0, 0 } }
    assert.matches("radius", message { points = one })
    assert.matches("radius 1 must be from 1e%-6 to 1e6 m, got 0", message { points = one, radius = 0 })
    assert.matches("point 1 is at", message { points = { { 2e6, 0, 0 } }, radius = 1 })
    assert.matches("groups must be one for each of 1 points, got 2",
      message { points = one, radius = 1, groups = { 1, 2 } })
    local heap = {}
    for i = 1, 40000 do
      heap[i] = { 0, 0, 0 }
    end
    assert.matches("too many balls lie within the largest diameter, 2 m", message { points = heap, radius = 1 })
    assert.equal(0, contact.overlapping_balls({ points = {}, radius = 1 }).count)
  end)

  it("survives each allocation that fails", function()
    local points = random_balls(50, 0.3, 0.1, 2)
    support.fail_each_allocation(function()
      contact.overlapping_balls { points = points, radius = 0.1, limit = 100 }
      return true
    end)
  end)
end)
