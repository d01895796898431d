-- Cloth that touches something exactly from the start, as round coordinates make it: it stays on its side of that, in
-- every response, as from a little way off.

local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"
local weft = require "weft"

local RESPONSES = { "impulses", "penalty", "geometric", "constraints", "barrier" }
local TOP = 0.3

local function sheet(height, options)
  options = options or {}
  return weft.sheet { cells = options.cells or { 8, 8 }, size = options.size or { 0.2, 0.2 },
    centre = { options.shift or 0, height, 0 } }
end

--- A box between two heights, as a body.
local function box(low, high, size, shift)
  local h, x = size / 2, shift or 0
  return shapes.body(shapes.box({ x - h, low, -h }, { x + h, high, h }))
end

--- A box whose upper face is at TOP.
local function block(size)
  return box(TOP - 0.2, TOP, size)
end

--- Cloth on something is above it within three of its distances, to which contact may have lifted it and no farther.
local function rests(contact, under, height, options, pinned)
  local world = weft.world { contact = contact }
  local below = world:add(under)
  if pinned then
    support.pin(below)
  end
  local cloth = world:add(sheet(height, options))
  local before = world:energy().total
  world:step(20)
  local low, high = support.heights(cloth)
  local where = ("%s from %g m: %g to %g m"):format(contact, height - TOP, low - TOP, high - TOP)
  assert.is_true(low > TOP and high < TOP + 0.003, where)
  assert.equal(0, weft.inspect.intersections(cloth, below).count)
  local lift = 9.81 * 0.003 * world:momentum().mass
  assert.is_true(world:energy().total - before < lift, where)
  world:close()
end

describe("Cloth that touches from the start", function()
  for _, contact in ipairs(RESPONSES) do
    it("rests on a body's face, whatever side rounding put it on: " .. contact, function()
      support.quietly(function()
        for _, above in ipairs { 0, 1e-12, -1e-12, 1e-9, -1e-9 } do
          rests(contact, block(0.3), TOP + above)
        end
        rests(contact, block(0.2), TOP) -- the edges of both lie along each other
      end)
    end)

    it("rests on other cloth, and hangs from none: " .. contact, function()
      support.quietly(function()
        rests(contact, sheet(TOP), TOP, nil, true)
        rests(contact, sheet(TOP, { size = { 0.3, 0.3 }, cells = { 7, 7 } }), TOP, { shift = 0.0031 }, true)
      end)
    end)

    it("lies on the floor that it begins at or in: " .. contact, function()
      for _, start in ipairs { 0, -1e-12, -1e-4, -0.01 } do
        local world = weft.world { contact = contact, floor = TOP }
        local cloth = world:add(sheet(TOP + start))
        world:step(60)
        local low, high = support.heights(cloth)
        local where = ("%s from %g m: %g to %g m"):format(contact, start, low - TOP, high - TOP)
        assert.is_true(low > TOP + 0.0003 and high < TOP + 0.0008, where) -- half of its thickness, the floor has none
        world:close()
      end
    end)

    it("stays where it is pinned, and where a script put it until a step is done: " .. contact, function()
      local world = weft.world { contact = contact }
      world:add(block(0.3))
      local cloth = world:add(sheet(TOP))
      cloth:pin { vertices = { 1 } }
      world:energy()
      for i = 1, cloth.vertices do
        assert.equal(TOP, (select(2, cloth.positions:get(i))))
      end
      support.quietly(function() world:step(20) end)
      support.close(TOP, (select(2, cloth.positions:get(1))), 1e-8)
      assert.is_true(support.heights(cloth) >= TOP)
      assert.is_true(world.stats.max_speed < 5e-3 and world.stats.parts == 1, world.stats.max_speed) -- at rest
      world:close()
    end)
  end

  -- A body leaves pins that are exactly at it, slides along below them, or presses into them, which then go along.
  local WAYS = { down = { 0, -0.005, 0 }, aside = { 0.005, 0, 0 }, up = { 0, 0.005, 0 } }
  local PINS = { { 13 }, { 1, 5, 21, 25 }, { 6, 7, 8, 9, 10 } }
  local function leaves_bodies_free(contact, pins, name, gap)
    local world = weft.world { contact = contact }
    local below, other = world:add(block(pins == PINS[2] and 0.2 or 0.3)), world:add(box(0, 0.1, 0.1, 1))
    local cloth = world:add(sheet(TOP + gap, { cells = { 4, 4 } }))
    cloth:pin { vertices = pins }
    for step = 1, 6 do
      if step <= 4 then
        below:move { shift = WAYS[name] }
        other:move { shift = { 0, 0.001, 0 } }
      end
      world:step()
      local where = ("%s, %d pins, %g m, %s, step %d"):format(contact, #pins, gap, name, step)
      assert.equal(0, world.stats.body_lag, where)
      support.assert_apart({ cloth, below }, where)
      for _, pin in ipairs(name == "up" and {} or pins) do
        support.close(TOP, (select(2, cloth.positions:get(pin))), 1e-8, where)
      end
    end
    world:close()
  end

  for _, contact in ipairs(RESPONSES) do
    it("leaves bodies free that are exactly at its pins: " .. contact, function()
      support.quietly(function()
        for name in pairs(WAYS) do
          for k, pins in ipairs(PINS) do
            for g, gap in ipairs { 0, 1e-12, -1e-12, -5e-10, 1e-9 } do
              if g == 1 or (g + k) % 2 == 0 then
                leaves_bodies_free(contact, pins, name, gap)
              end
            end
          end
        end
      end)
    end)
  end

  -- Boxes as large as the cloth, smaller, and beside each other, so that some of it lies at one alone.
  local SANDWICHES = { { 0.2, 0 }, { 0.1, 0 }, { 0.1, 0.03 } }
  -- Of what is below, between layers, above.
  local GAPS = { { 1e-12, 1e-9, 1e-12 }, { 1e-9, 1e-9, 1e-9 }, { 1e-9, 1e-6, 5e-9 }, { 1e-6, 1e-9, 1e-9 } }
  local function between(contact, gaps, shape, layers, look)
    local world = weft.world { contact = contact }
    local members, height = { world:add(box(TOP - 0.2, TOP, shape[1], shape[2])) }, TOP + gaps[1]
    for k = 1, layers do
      members[#members + 1] = world:add(sheet(height, { cells = { 5, 5 }, shift = 0.0013 * (k - 1) }))
      height = height + (k < layers and gaps[2] or gaps[3])
    end
    members[#members + 1] = world:add(box(height, height + 0.2, shape[1], -shape[2]))
    for step = 1, 2 do
      world:step()
      look(world, members, ("%s, gaps %g %g %g, box %g %g, %d layers, step %d"):format(contact, gaps[1], gaps[2],
        gaps[3], shape[1], shape[2], layers, step))
    end
    world:close()
  end

  it("has a way out of nothing into nothing: what is apart by nanometres between bodies stays apart", function()
    for _, contact in ipairs(RESPONSES) do
      for _, shape in ipairs(SANDWICHES) do
        for _, gaps in ipairs(GAPS) do
          between(contact, gaps, shape, gaps == GAPS[1] and 2 or 1, function(_, members, where)
            support.assert_apart(members, where)
          end)
        end
      end
    end
  end)

  it("stays where it is between bodies without any room", function()
    weft.on_warning(function() end) -- of what touches
    for _, contact in ipairs(RESPONSES) do
      between(contact, { 0, 0, 0 }, { 0.3, 0 }, 1, function(world, members, where)
        local low, high = support.heights(members[2])
        assert.is_true(low == TOP and high == TOP, where)
        assert.is_true(world.stats.backed_off > 0, where)
      end)
    end
    weft.on_warning(nil)
  end)

  it("still passes through what it crosses, and is warned of", function()
    local heard = 0
    weft.on_warning(function(text) heard = heard + (text:find("starts crossing body", 1, true) and 1 or 0) end)
    local world = weft.world {}
    world:add(block(0.11))
    local cloth = world:add(sheet(TOP - 0.05))
    world:step(20)
    weft.on_warning(nil)
    assert.equal(1, heard)
    assert.is_true(select(2, support.heights(cloth)) < TOP - 0.05)
    world:close()
  end)
end)

describe("Cloth that begins in a body", function()
  local DEPTHS = { 1e-8, 1e-7, 9e-7 } -- m

  local function ball()
    return shapes.body(shapes.sphere({ 0, TOP - 0.1, 0 }, 0.1, 12))
  end

  for _, contact in ipairs(RESPONSES) do
    it("by less than a micrometre, where rounding put it, rests on it: " .. contact, function()
      for name, make in pairs { ["a wide block"] = function() return block(0.5) end,
        ["a narrow block"] = function() return block(0.15) end,
        ["a block of its size"] = function() return block(0.2) end, ["a ball"] = ball } do
        for _, depth in ipairs(DEPTHS) do
          local world = weft.world { contact = contact }
          local where = ("%s, %s, %g m"):format(contact, name, depth)
          local body, cloth = world:add(make()), world:add(sheet(TOP - depth))
          local heard = support.heard_in(function() world:step(10) end)
          assert.equal(0, #heard, where .. ": " .. tostring(heard[1]))
          assert.equal(0, weft.inspect.intersections(cloth, body).count, where)
          local y = select(2, cloth.positions:get(41)) -- in the middle
          assert.is_true(y > TOP and y < TOP + 0.003, ("%s: %g m"):format(where, y - TOP))
          world:close()
        end
      end
    end)
  end

  it("is warned of, once and for each body that it is in, and stays in it", function()
    for _, depth in ipairs { 2e-6, 1e-3, 0.1 } do
      local world = weft.world {}
      world:add(block(0.5))
      world:add(box(TOP + 0.1, TOP + 0.2, 0.5))
      local cloth = world:add(sheet(TOP - depth))
      local heard = support.heard_in(function() world:step(3) end)
      assert.equal(1, #heard, tostring(heard[2]))
      assert.matches("^cloth starts inside .*, and stays in it$", heard[1])
      world:step(60)
      local low, high = support.heights(cloth)
      assert.is_true(low > TOP - 0.2 and high < TOP, ("%g to %g m"):format(low, high))
    end
  end)

  it("because that was placed around it is warned of, not where it is beside", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    local body = world:add(box(-0.1, 0.1, 0.5, 3))
    world:add(sheet(0))
    assert.equal(0, #support.heard_in(function() world:step() end))
    body:place { shift = { -3, 0, 0 } }
    local heard = support.heard_in(function() world:step(2) end)
    assert.equal(1, #heard)
    assert.matches("^cloth starts inside .*, and stays in it$", heard[1])
  end)
end)
