-- Bodies that stand through cloth from the start: what crosses them passes through until it is out, without energy from
-- nowhere, and what does not cross never does. The judge is exact.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local weft = require "weft"

local quietly = support.heard_in
local RESPONSES = { "impulses", "penalty", "geometric", "constraints", "barrier" }
local SIZE = 0.3

local function box(world, lower, upper)
  return world:add(weft.body(shapes.box(lower, upper)))
end

local function square(world, cells, centre)
  return world:add(weft.sheet { cells = { cells, cells }, size = { SIZE, SIZE }, centre = centre })
end

local function crossings(cloth, body)
  return weft.inspect.intersections(cloth, body).count
end

--- A sheet, hung up by two or four of its corners or by none, with a ball, a block or a rod through it somewhere.
local function random_scene(random, options)
  local function between(a, b)
    return a + (b - a) * random(1000000) / 1e6
  end
  local function half_size()
    return { between(0.02, 0.1), between(0.02, 0.1), between(0.02, 0.1) }
  end
  local world = weft.world(options)
  local cells, kind, pins = 8 + random(6), random(3), random(3)
  local cloth = square(world, cells)
  local shape = shapes.sphere({ 0, 0, 0 }, between(0.03, 0.09), 8)
  if kind > 0 then
    local half = kind == 1 and half_size() or { 0.02, between(0.1, 0.2), 0.02 }
    shape = shapes.box({ -half[1], -half[2], -half[3] }, half)
  end
  local body = weft.body(shape)
  body:move { turn = { between(-2, 2), between(-2, 2), between(-2, 2) }, centre = { 0, 0, 0 },
    shift = { between(-0.16, 0.16), between(-0.03, 0.03), between(-0.16, 0.16) } }
  world:add(body)
  if pins > 0 then
    local n = cells + 1
    cloth:pin { vertices = pins == 1 and { 1, n } or { 1, n, n * n, n * n - cells } }
  end
  return world, cloth, body
end

--- The faces of cloth that cross a body, as a set; those with corners in it, too, if asked.
local function faces_through(cloth, body, corners)
  local set, found = {}, weft.inspect.intersections(cloth, body, { limit = 10000 }).pairs
  for k = 1, #found do
    set[(found:get(k))] = true
  end
  if corners then
    local _, distances = weft.inspect.inside(body, cloth)
    for f = 1, cloth.triangles do
      local a, b, c = cloth.faces:get(f)
      set[f] = set[f] or math.min(distances:get(a), distances:get(b), distances:get(c)) < 0 or nil
    end
  end
  return set
end

local function is_within(set, other)
  for f in pairs(set) do
    if not other[f] then
      return false
    end
  end
  return true
end

describe("A body that stands through cloth from the start", function()
  for _, response in ipairs(RESPONSES) do
    it("gives no energy, and nothing else begins to cross it: " .. response, function()
      local random, crossed, left = support.stream(77), 0, 0
      for case = 1, 10 do
        local time_step = ({ 1 / 60, 1 / 120, 0.005 })[case % 3 + 1]
        quietly(function()
          local world, cloth, body = random_scene(random, { contact = response, time_step = time_step })
          local through = faces_through(cloth, body, true)
          crossed = crossed + (crossings(cloth, body) > 0 and 1 or 0)
          local least, worst = world:energy().total, -math.huge
          for _ = 1, math.floor(0.4 / time_step) do
            world:step()
            local energy = world:energy().total
            worst = math.max(worst, energy - least)
            least = math.min(least, energy + world.stats.contact_energy)
            assert.is_true(is_within(faces_through(cloth, body), through))
          end
          left = left + (crossings(cloth, body) == 0 and 1 or 0)
          -- Geometric correction stretches cloth as it moves it.
          local most = response == "geometric" and 0.02 or 1e-3
          assert.is_true(worst < most, ("case %d: %.3g J"):format(case, worst))
          world:close()
        end)
      end
      assert.is_true(crossed >= 9 and left >= 2, ("%d crossed, %d came out"):format(crossed, left))
    end)

    it("lets it fall: " .. response, function()
      quietly(function()
        local world = weft.world { contact = response, time_step = 1 / 120 }
        local rod = box(world, { -0.02, -0.05, -0.02 }, { 0.02, 0.05, 0.02 })
        local cloth = square(world, 10, { 0.011, 0, 0.007 })
        assert.is_true(crossings(cloth, rod) > 0)
        world:step(42)
        local fallen = 9.81 / 2 * 0.35 ^ 2
        support.near(-fallen, cloth:momentum().centre[2], 0.3) -- but for what rubs along the rod
        assert.equal(0, crossings(cloth, rod))
        world:close()
      end)
    end)
  end

  it("does not take it along when it moves on", function()
    quietly(function()
      local world = weft.world { time_step = 1 / 120, gravity = { 0, 0, 0 } }
      local ball = world:add(weft.body(shapes.sphere({ 0, 0.01, 0 }, 0.05, 8)))
      local cloth = square(world, 10, { 0.011, 0, 0.007 })
      cloth:pin { vertices = { 1, 11, 111, 121 } }
      assert.is_true(crossings(cloth, ball) > 0)
      local work = 0
      for _ = 1, 60 do
        ball:move { shift = { 0, 0.002, 0 } }
        world:step()
        work = work + world.stats.body_work + world.stats.pin_work
      end
      assert.equal(0, crossings(cloth, ball))
      assert.is_true(math.abs(cloth:momentum().centre[2]) < 0.02, cloth:momentum().centre[2])
      assert.is_true(world:energy().total < work + 1e-4)
      world:close()
    end)
  end)

  it("is found however it got there: before cloth, after it, or put there by a script", function()
    local function comes_out(prepare)
      local heard = quietly(function()
        local world = weft.world { time_step = 1 / 120 }
        local function post()
          return box(world, { -0.02, -0.02, -0.02 }, { 0.02, 0.05, 0.02 })
        end
        local cloth, body = prepare(world, post)
        world:step()
        assert.is_true(crossings(cloth, body) > 0)
        world:step(42)
        assert.equal(0, crossings(cloth, body))
        world:close()
      end)
      assert.equal(1, #heard)
      assert.matches("^cloth starts crossing body: .*; what crosses passes through, world:untangle may part them$",
        heard[1])
    end
    comes_out(function(world, post)
      local body = post()
      return square(world, 10, { 0.011, 0, 0.007 }), body
    end)
    comes_out(function(world, post)
      local cloth = square(world, 10, { 0.011, 0, 0.007 })
      cloth:pin { vertices = { 1, 2 } }
      world:step()
      cloth:unpin { vertices = { 1, 2 } }
      return cloth, post()
    end)
    comes_out(function(world, post)
      local cloth, body = square(world, 10, { 0.011, 0, 0.007 }), post()
      body:place { shift = { 0, -1, 0 } }
      world:step()
      body:place { shift = { 0, 1, 0 } }
      return cloth, body
    end)
  end)

  it("stays in the way of what is clear of it in a flow of air, which makes steps again until both agree", function()
    quietly(function()
      local fallen = {}
      for k, coupling in ipairs { "lagged", "implicit" } do
        local world = weft.world { time_step = 1 / 240 }
        world.wind.still_air, world.wind.model, world.wind.flow = true, "flow", { cells = 12, coupling = coupling }
        local ball = world:add(weft.body(shapes.sphere({ 0, 0.01, 0 }, 0.05, 8)))
        local cloth = square(world, 8, { 0.011, 0, 0.007 })
        local through = faces_through(cloth, ball, true)
        world:step()
        assert.equal(k == 2, world.wind.flow_stats.sweeps > 1)
        for _ = 2, 60 do
          world:step()
          assert.is_true(is_within(faces_through(cloth, ball), through))
        end
        fallen[k] = cloth:momentum().centre[2]
        world:close()
      end
      support.near(fallen[1], fallen[2], 0.05)
    end)
  end)

  it("carries cloth that but touches it", function()
    quietly(function()
      for _, response in ipairs { "impulses", "penalty", "geometric", "constraints" } do
        local world = weft.world { contact = response, time_step = 1 / 120 }
        box(world, { -0.16, -0.05, -0.16 }, { 0.16, 0, 0.16 })
        local cloth = square(world, 8)
        world:step(40)
        support.close(0.001, cloth:momentum().centre[2], 1e-4, response) -- half a millimetre each
        world:close()
      end
    end)
  end)

  it("goes on after steps that failed as if they had not been begun", function()
    quietly(function()
      local function scene()
        local world = weft.world { time_step = 1 / 120 }
        local body = box(world, { -0.02, -0.02, -0.02 }, { 0.02, 0.05, 0.02 })
        return world, square(world, 6, { 0.011, 0, 0.007 }), body
      end
      local troubled, cloth, body = scene()
      local other = scene()
      local last_crossing = 0
      local failed = support.step_despite_failures(troubled, other, 40, function(step)
        last_crossing = crossings(cloth, body) > 0 and step or last_crossing
      end)
      assert.is_true(failed > 30 and last_crossing > 1 and last_crossing < 40)
    end)
  end)

  it("passes cloth in a step that a trial of schemes made before", function()
    quietly(function()
      local world = weft.world { time_step = 1 / 120 }
      local body = box(world, { -0.02, -0.05, -0.02 }, { 0.02, 0.05, 0.02 })
      local cloth = square(world, 10, { 0.011, 0, 0.007 })
      weft.step.recommend(world, { seconds = 0.02, schemes = { "backward euler" }, time_limit = 1 })
      world:step(42)
      assert.equal(0, crossings(cloth, body))
      world:close()
    end)
  end)
end)

describe("Sheets that cross from the start", function()
  for _, response in ipairs { "impulses", "constraints", "barrier" } do
    it("keep crossing, and get no energy from it: " .. response, function()
      local random, crossed = support.stream(5), 0
      local function between(a, b)
        return a + (b - a) * random(1000000) / 1e6
      end
      for case = 1, 6 do
        quietly(function()
          local world = weft.world { contact = response, time_step = ({ 1 / 60, 1 / 120 })[case % 2 + 1] }
          local flat = square(world, 8 + random(4))
          local turn, slope = between(-3, 3), between(-1.5, 1.5)
          local tilted = world:add(weft.sheet { cells = { 10, 10 }, size = { SIZE, SIZE },
            centre = { between(-0.1, 0.1), between(-0.05, 0.05), between(-0.1, 0.1) },
            warp = { math.cos(turn) * math.cos(slope), math.sin(slope), math.sin(turn) * math.cos(slope) },
            weft = { -math.sin(turn), 0, math.cos(turn) } })
          flat:pin { vertices = { 1, 2 } }
          crossed = crossed + (crossings(flat, tilted) > 0 and 1 or 0)
          local least, worst = world:energy().total, -math.huge
          for _ = 1, math.floor(0.3 / world.time_step) do
            world:step()
            local energy = world:energy().total
            worst = math.max(worst, energy - least)
            least = math.min(least, energy + world.stats.contact_energy)
          end
          -- Geometric correction stretches cloth as it moves it.
          local most = response == "geometric" and 0.02 or 1e-3
          assert.is_true(worst < most, ("case %d: %.3g J"):format(case, worst))
          world:close()
        end)
      end
      assert.is_true(crossed >= 5)
    end)
  end
end)
