-- What all sources of wind have in common: strength over time, extent, falloff, questions, bad input.

local support = require "spec.support"
local weft = require "weft"

local message_of, near = support.message_of, support.close
local wind = weft.wind

describe("A uniform wind", function()
  it("blows the same everywhere and always", function()
    local source = wind.uniform { velocity = { 4, 0, 1 } }
    for _, point in ipairs { { 0, 0, 0 }, { -3, 1e5, 2 }, { 1e300, -1e300, 0 } } do
      assert.same({ 4, 0, 1 }, source:at(point))
      assert.same({ 4, 0, 1 }, source:at(point, 1e6))
    end
    assert.equal("weft.wind.source uniform ({4, 0, 1} m/s)", tostring(source))
    assert.equal("uniform", source.kind)
    assert.same({ lower = { -math.huge, -math.huge, -math.huge }, upper = { math.huge, math.huge, math.huge } },
      source.bounds)
  end)

  it("can be turned and switched while it is used", function()
    local source = wind.uniform { velocity = { 4, 0, 1 } }
    source.velocity = { 0, 2, 0 }
    assert.same({ 0, 2, 0 }, source.velocity)
    assert.same({ 0, 2, 0 }, source:at { 1, 1, 1 })
    source.enabled = false
    assert.same({ 0, 0, 0 }, source:at { 1, 1, 1 })
    assert.equal("weft.wind.source uniform ({0, 2, 0} m/s, off)", tostring(source))
    source.enabled = true
    assert.same({ 0, 2, 0 }, source:at { 1, 1, 1 })
  end)

  it("answers for a buffer of points, into a buffer where one is given", function()
    local source = wind.uniform { velocity = { 1, 2, 3 }, extent = { lower = { 0, -1, -1 }, upper = { 1e4, 1, 1 } } }
    local points = weft.buffer { count = 1001 }
    for i = 1, 1001 do
      points:set(i, i - 500, 0, 0)
    end
    local velocities = source:at(points, 0)
    for i = 1, 1001 do
      local u, v, w = velocities:get(i)
      local inside = i >= 500 and 1 or 0
      assert.same({ inside, 2 * inside, 3 * inside }, { u, v, w })
    end
    local into = weft.buffer { count = 1001 }
    assert.equal(into, source:at(points, 0, into))
    assert.equal(velocities:string(), into:string())
    assert.matches("into must be a writable buffer of 1001 elements, got 3",
      message_of(source.at, source, points, 0, weft.buffer { count = 3 }))
    assert.matches("into must not be the buffer of points", message_of(source.at, source, points, 0, points))
  end)
end)

describe("The strength of a source", function()
  local source = wind.uniform { velocity = { 2, 0, 0 } }

  local function speed_at(time)
    return source:at({ 0, 0, 0 }, time)[1]
  end

  it("is a factor", function()
    assert.equal(1, source.strength)
    source.strength = -1.5
    assert.equal(-1.5, source.strength)
    assert.equal(-3, speed_at(7))
  end)

  it("runs through keys, straight between them and level outside", function()
    source.strength = { { 1, 0 }, { 2, 1 }, { 4, 3 } }
    for time, factor in pairs { [-5] = 0, [1] = 0, [1.25] = 0.25, [2] = 1, [3.5] = 2.5, [4] = 3, [100] = 3 } do
      near(factor, source:strength_at(time), 1e-15)
      near(2 * factor, speed_at(time), 1e-15)
    end
    assert.same({ keys = { { 1, 0 }, { 2, 1 }, { 4, 3 } }, interpolation = "linear", period = 0 }, source.strength)
  end)

  it("goes along half cosines where it is asked to, and repeats", function()
    source.strength = { keys = { { 0, 0 }, { 1, 4 }, { 3, 0 } }, interpolation = "cosine", period = 5 }
    for i = -40, 40 do
      local time, inner = i / 4, i / 4 % 5
      local factor = inner <= 1 and 2 - 2 * math.cos(math.pi * inner)
        or inner <= 3 and 2 + 2 * math.cos(math.pi * (inner - 1) / 2) or 0
      near(factor, source:strength_at(time), 1e-14)
    end
  end)

  it("refuses what is not one", function()
    local before = source.strength
    for text, strength in pairs {
      ["must be a number, a list of keys { time, value }, or a table"] = "strong",
      ["from 1 to 4096 keys, got 0"] = { keys = {} },
      ["keys whose times rise, got 1 after 1 s"] = { { 1, 0 }, { 1, 2 } },
      ["values within 1e+06, got {0, 1e+07}"] = { { 0, 1e7 }, { 1, 0 } },
      ["period must be a number of at least 0"] = { keys = { { 0, 1 } }, period = -1 },
      ["unknown option 'perod'"] = { perod = 1 },
    } do
      local message = message_of(function() source.strength = strength end)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    assert.is_truthy(message_of(function() source.strength = 0 / 0 end):find "strength")
    assert.same(before, source.strength)
  end)
end)

describe("The extent of a source", function()
  it("is a box or a ball, with sharp or soft edges", function()
    local source = wind.uniform { velocity = { 1, 0, 0 }, extent = { lower = { 0, 0, 0 }, upper = { 2, 1, 1 } } }
    assert.equal(1, source:at({ 0, 0, 0 })[1])
    assert.equal(1, source:at({ 2, 1, 1 })[1])
    assert.equal(0, source:at({ 2.001, 0.5, 0.5 })[1])
    assert.same({ lower = { 0, 0, 0 }, upper = { 2, 1, 1 } }, source.bounds)
    source.extent = { centre = { 1, 0, 0 }, radius = 2, margin = 1 }
    assert.same({ lower = { -1, -2, -2 }, upper = { 3, 2, 2 } }, source.bounds)
    for distance, factor in pairs { [0] = 1, [1] = 1, [1.5] = 0.5, [2] = 0, [2.5] = 0 } do
      near(factor, source:at({ 1, 0, distance })[1], 1e-15)
    end
    source.extent = false
    assert.equal(1, source:at({ 0, 0, 1e5 })[1])
    assert.is_false(source.extent)
  end)

  it("has no jump in value, slope or curvature at a soft edge", function()
    local source = wind.uniform { velocity = { 1, 0, 0 }, falloff = { radius = 1, width = 0.5, centre = { 0, 0, 0 } } }
    local function at(r) return source:at({ r, 0, 0 })[1] end
    for _, r in ipairs { 1, 1.5 } do
      local h = 1e-3
      local inner, outer = at(r - h), at(r + h)
      near(at(r), inner, 20 * (2 * h) ^ 3) -- what is left is of third order in the distance
      near(at(r), outer, 20 * (2 * h) ^ 3)
    end
    near(0.5, at(1.25), 1e-15)
    assert.same({ lower = { -1.5, -1.5, -1.5 }, upper = { 1.5, 1.5, 1.5 } }, source.bounds)
  end)

  it("refuses what is none", function()
    local source = wind.uniform { velocity = { 1, 0, 0 } }
    for text, extent in pairs {
      ["lower below upper"] = { lower = { 0, 0, 0 }, upper = { 1, 0, 1 } },
      ["a radius greater than 0"] = { centre = { 0, 0, 0 }, radius = 0 },
      ["either lower and upper or centre and radius"] = { lower = { 0, 0, 0 } },
      ["a margin from 0 to"] = { centre = { 0, 0, 0 }, radius = 1, margin = -1 },
      ["a table { lower =, upper = }"] = 3,
    } do
      local message = message_of(function() source.extent = extent end)
      assert.is_truthy(message:find(text, 1, true), message)
    end
    assert.is_false(source.extent)
    assert.matches("falloff must have a centre, because a uniform wind has no position",
      message_of(function() source.falloff = { width = 1 } end))
    assert.matches("width must be a number greater than 0, got nothing",
      message_of(function() source.falloff = { radius = 1 } end))
  end)
end)

describe("A source", function()
  it("refuses velocities that are none, or too fast for air that keeps its volume", function()
    assert.equal("weft.wind.uniform: velocity must be a velocity of at most 1000 m/s, got {1e+06, 0, 0}",
      message_of(wind.uniform, { velocity = { 1e6, 0, 0 } }))
    assert.equal("weft.wind.uniform: velocity must be three numbers {x, y, z}, got nothing", message_of(wind.uniform))
    assert.matches("velocity must be three", message_of(wind.uniform, { velocity = { 0, 0 / 0, 0 } }))
    assert.matches("unknown option 'velocty'; did you mean 'velocity'", message_of(wind.uniform, { velocty = 1 }))
    local source = wind.uniform { velocity = { 900, 0, 0 }, strength = 1e5 }
    assert.same({ 1000, 0, 0 }, source:at { 0, 0, 0 })
  end)
end)
