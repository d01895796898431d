-- What worlds do with bodies and cloth as they should not be.
local weft = require "weft"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

local RADIUS = 0.08

--- Drops a sheet onto what is left of a ball; returns the sheet, the body and the world after a second.
local function drop_on(shape, options)
  options = options or {}
  local world = weft.world { floor = -0.2 }
  local body = world:add(weft.body { name = "ball", vertices = shape.vertices, faces = shape.faces,
    thickness = options.thickness })
  local fabric = weft.fabric { base = "wool", name = "cloth", thickness = options.cloth_thickness or 0.001 }
  local cloth = world:add(weft.sheet { cells = { 14, 14 }, size = { 0.24, 0.24 }, fabric = fabric,
    centre = { 0.003, RADIUS + 0.02, 0.002 } })
  for _ = 1, 40 do
    world:step()
    assert.equal(0, weft.inspect.intersections(cloth, body).count)
    assert.equal(0, weft.inspect.intersections(cloth).count)
    assert.is_true(world.stats.max_speed < 5)
  end
  return cloth, body, world
end

local function top(cloth)
  return (select(2, support.heights(cloth)))
end

describe("Cloth falls onto a ball, which carries it,", function()
  local function ball()
    return shapes.sphere({ 0, 0, 0 }, RADIUS, 10)
  end

  it("with holes", function()
    local shape, kept = ball(), {}
    for f, face in ipairs(shape.faces) do
      kept[#kept + 1] = f % 9 ~= 0 and face or nil
    end
    shape.faces = kept
    local cloth, body = drop_on(shape)
    assert.is_false(body.solid)
    assert.is_true(top(cloth) > RADIUS - 0.01)
  end)

  it("with flipped faces", function()
    local shape = ball()
    for f, face in ipairs(shape.faces) do
      if f % 3 == 0 then
        face[1], face[2] = face[2], face[1]
      end
    end
    local cloth, body = drop_on(shape)
    assert.is_false(body.solid)
    assert.is_true(top(cloth) > RADIUS - 0.01)
  end)

  it("with a vertex of its own for each corner", function()
    local shape, vertices, faces = ball(), {}, {}
    for f, face in ipairs(shape.faces) do
      for k = 1, 3 do
        vertices[#vertices + 1] = shape.vertices[face[k]]
      end
      faces[f] = { 3 * f - 2, 3 * f - 1, 3 * f }
    end
    assert.is_true(top((drop_on { vertices = vertices, faces = faces })) > RADIUS - 0.01)
  end)

  it("with faces that have no area, and faces that come twice", function()
    local shape = ball()
    local n = #shape.vertices
    shape.vertices[n + 1] = shape.vertices[n]
    shape.faces[#shape.faces + 1] = { n, n + 1, 1 }
    shape.faces[#shape.faces + 1] = { n, n + 1, n - 1 }
    shape.faces[#shape.faces + 1] = shape.faces[1]
    assert.is_true(top((drop_on(shape))) > RADIUS - 0.01)
  end)

  it("although both are thicker than the cloth's edges are long", function()
    local cloth = drop_on(ball(), { thickness = 0.015, cloth_thickness = 0.03 })
    assert.is_true(top(cloth) > RADIUS)
  end)
end)

describe("A world", function()
  it("says which thickness is too large for which edges", function()
    local world = weft.world()
    world:add(weft.sheet { cells = { 4, 4 }, size = { 0.3, 0.3 }, centre = { 0, 1, 0 } })
    world:add(weft.sheet { cells = { 40, 40 }, size = { 0.1, 0.1 },
      fabric = weft.fabric { base = "wool", thickness = 0.01 } })
    assert.error_matches(function()
      world:step()
    end, "a thickness of 0%.01 m is too large for edges of 0%.0025 m")
  end)
end)

describe("A body", function()
  it("that is put down into cloth is left by it, after untangling", function()
    local shape = shapes.sphere({ 0, 0, 0 }, RADIUS, 10)
    local world = weft.world { floor = -0.2 }
    local cloth = world:add(weft.sheet { cells = { 14, 14 }, size = { 0.24, 0.24 } })
    local body = world:add(weft.body { vertices = shape.vertices, faces = shape.faces })
    world:step() -- warns, and lets what crosses pass
    assert.is_true(weft.inspect.intersections(cloth, body).count > 0)
    local report = world:untangle()
    assert.equal(0, report.crossings + report.inside)
    for _ = 1, 20 do
      world:step()
      assert.equal(0, weft.inspect.intersections(cloth, body).count)
    end
  end)

  it("that jumps through cloth pushes it along, a third of a metre a step, and never through", function()
    local shape = shapes.sphere({ 0, 0, 0 }, RADIUS, 10)
    for _, shift in ipairs { { 0, 1, 0 }, { 0, 100, 0 }, { 3, 0.3, 0 }, { 0, 0.05, 0 } } do
      local world = weft.world()
      local body = world:add(weft.body { vertices = shape.vertices, faces = shape.faces })
      local cloth = world:add(weft.sheet { cells = { 10, 10 }, size = { 0.24, 0.24 },
        centre = { 0, RADIUS + 0.01, 0 } })
      world:step(3)
      body:move { shift = shift }
      local way = math.sqrt(shift[1] ^ 2 + shift[2] ^ 2)
      for k = 1, 3 do
        world:step()
        local lag, reached = world.stats.body_lag, {}
        local left = math.max(way - k * 20 / 60, 0)
        assert.is_true(math.abs(left - lag) < 1e-6 or (k > 1 and lag == 0), -- once it is clear of the cloth
          ("%g m behind"):format(lag))
        for i = 1, body.vertices do
          local x, y, z = body.positions:get(i)
          reached[i] = { x - shift[1] * lag / way, y - shift[2] * lag / way, z }
        end
        assert.equal(0, weft.inspect.intersections(cloth, { vertices = reached, faces = shape.faces }).count)
        assert.equal(0, weft.inspect.intersections(cloth).count)
        assert.is_true(shift[1] > 0 or top(cloth) > shift[2] * (1 - lag / way) + RADIUS)
      end
    end
  end)
end)
