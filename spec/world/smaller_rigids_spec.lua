-- Rigid bodies that begin exactly between two things, without room to come aside: contact lets them go as if there were
-- some, at no more cost.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local weft = require "weft"

local GAPS = { 0, 1e-12, -1e-12, 1e-9, -1e-9, 4e-9, 1e-8, 1e-7, 1e-6, -1e-5 }
local HULL = { { -0.05, -0.05, -0.05 }, { 0.05, -0.05, -0.05 }, { 0.05, -0.05, 0.05 }, { -0.05, -0.05, 0.05 },
  { -0.05, 0.05, -0.05 }, { 0.05, 0.05, -0.05 }, { 0.05, 0.05, 0.05 }, { -0.05, 0.05, 0.05 } }
local SHAPES = {
  { "box", {} }, { "convex", { points = HULL } }, { "sphere", { radius = 0.05, detail = 1 } },
  { "capsule", { radius = 0.02, length = 0.06, detail = 1, orientation = { 0, 0, math.pi / 2 } } },
}

local function block(world, low, high)
  return world:add(shapes.body(shapes.box(low, high)))
end

--- m: how far a body reaches from its centre along an axis, on one side.
local function extent(body, axis, sign)
  local most = 0
  for i = 1, body.vertices do
    most = math.max(most, sign * (select(axis, body.positions:get(i)) - body.position[axis]))
  end
  return most
end

local function rigid(world, shape, options)
  return world:add(weft.rigid(support.with(support.with(shape[2], { shape = shape[1] }), options)))
end

--- Between two bodies; they begin to leave in the second step.
local function between(shape, gap, options)
  local world = weft.world {}
  local body = rigid(world, shape, options)
  local left = block(world, { -0.4, -0.2, -0.2 }, { -extent(body, 1, -1) - gap, 0.2, 0.2 })
  local right = block(world, { extent(body, 1, 1) + gap, -0.2, -0.2 }, { 0.4, 0.2, 0.2 })
  return world, body, function()
    left:move { shift = { -0.01, 0, 0 } }
    right:move { shift = { 0.01, 0, 0 } }
  end, { body, left, right }
end

--- Steps, with the others leaving in the second to the fifth; returns in how many parts.
local function run(world, steps, leave)
  local parts = 0
  for k = 1, steps do
    if k > 1 and k < 6 then
      leave()
    end
    world:step()
    parts = parts + world.stats.parts
    assert.equal(0, world.stats.backed_off)
  end
  return parts
end

describe("A rigid body without room", function()
  for _, shape in ipairs(SHAPES) do
    it("falls freely between two bodies, and after them: " .. shape[1], function()
      for _, gap in ipairs(GAPS) do
        local what = ("%s, gap %g"):format(shape[1], gap)
        local heard = support.heard_in(function()
          local world, body, leave, all = between(shape, gap, { friction = 0 })
          local parts = run(world, 12, leave)
          assert.is_true(parts <= 24, ("%s: %d parts"):format(what, parts))
          support.close(-9.81 * 12 / 60, body.velocity[2], 0.02, what)
          support.assert_apart(all, what)
          world:close()
        end)
        assert.equal(nil, heard[1])
      end
    end)

    it("rests under a lid, and after that left: " .. shape[1], function()
      for _, gap in ipairs(GAPS) do
        for _, ground in ipairs { "floor", "body" } do
          local what = ("%s on a %s, gap %g"):format(shape[1], ground, gap)
          local heard = support.heard_in(function()
            local world = weft.world { floor = ground == "floor" and 0 or nil }
            local body = rigid(world, shape, {})
            local below, above = extent(body, 2, -1), extent(body, 2, 1)
            body.position = { 0, below + gap, 0 }
            local all = { body, block(world, { -0.4, below + above + 2 * gap, -0.4 }, { 0.4, 0.3, 0.4 }) }
            all[3] = ground == "body" and block(world, { -0.4, -0.2, -0.4 }, { 0.4, 0, 0.4 }) or nil
            local parts = run(world, 30, function() all[2]:move { shift = { 0, 0.01, 0 } } end)
            -- Weights press bodies through what little room there is, so that some steps are made in small parts.
            assert.is_true(parts <= 30 + 4 * 16, ("%s: %d parts"):format(what, parts))
            local height = body.position[2] - extent(body, 2, -1)
            assert.is_true(height > 0 and height < 1.1e-3, ("%s: %g m"):format(what, height))
            support.assert_apart(all, what)
            world:close()
          end)
          assert.equal(nil, heard[1])
        end
      end
    end)
  end

  it("is held by friction while both press on it", function()
    local world, body = between(SHAPES[1], 0, { friction = 1 })
    world:step(20)
    support.close(0, body.position[2], 1e-3)
    world:close()
  end)

  it("is as large as it was where a script puts it elsewhere", function()
    local world, body = between(SHAPES[1], 0, { velocity = { 0, 0, 0 } })
    block(world, { 1, -1, -1 }, { 3, 0, 1 })
    local other = rigid(world, SHAPES[1], { position = { 1.5, 0.06, 0 } })
    world:step(2)
    other.position, other.velocity = { 1.5, 0.06, 0 }, { 0, 0, 0 }
    body.position, body.velocity = { 2.5, 0.06, 0 }, { 0, 0, 0 }
    world:step(40)
    support.close(other.position[2], body.position[2], 1e-7)
    world:close()
  end)

  it("goes on so, whether or not steps have failed before", function()
    local function scene()
      return (between(SHAPES[1], 0, {}))
    end
    local failed = support.step_despite_failures(scene(), scene(), 2, function() end)
    assert.is_true(failed > 20, failed)
  end)
end)
