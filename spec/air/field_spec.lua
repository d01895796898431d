-- Wind on a lattice: interpolation, what is beyond, functions of scripts, and what they do wrong.

local fields = require "spec.air.fields"
local support = require "spec.support"
local weft = require "weft"

local wind, near = weft.wind, fields.near
local message_of = support.message_of

--- Options of a field whose velocities are what a function of the place gives.
local function sampled(f, options)
  local o = support.with({ counts = { 4, 5, 3 }, spacing = { 0.5, 0.25, 2 }, origin = { -1, 2, 0.5 } }, options or {})
  local velocities = {}
  for k = 0, o.counts[3] - 1 do
    for j = 0, o.counts[2] - 1 do
      for i = 0, o.counts[1] - 1 do
        velocities[#velocities + 1] = { f(o.origin[1] + i * o.spacing[1], o.origin[2] + j * o.spacing[2],
          o.origin[3] + k * o.spacing[3]) }
      end
    end
  end
  o.velocities = velocities
  return o
end

--- Points within the lattice of `sampled`.
local function inside(count)
  local points = fields.random_points(count, 1)
  for _, p in ipairs(points) do
    p[1], p[2], p[3] = -0.25 + 0.75 * p[1], 2.5 + 0.5 * p[2], 2.5 + 2 * p[3]
  end
  return points
end

local function trilinear(x, y, z)
  return 1 + x - 2 * y + z + x * y - 0.5 * y * z + 0.25 * x * y * z, x * z, 3 - y
end

describe("A field on a lattice", function()
  it("is exact for trilinear functions, up to single precision", function()
    local source = wind.field(sampled(trilinear))
    for _, p in ipairs(inside(200)) do
      local u, v, w = trilinear(p[1], p[2], p[3])
      local got = source:at(p)
      near(u, got[1], 2e-6)
      near(v, got[2], 2e-6)
      near(w, got[3], 2e-6)
    end
    assert.same({ 4, 5, 3 }, source.counts)
    assert.same({ lower = { -1, 2, 0.5 }, upper = { 0.5, 3, 4.5 } }, source.bounds)
    assert.equal("weft.wind.source field (4 x 5 x 3 points)", tostring(source))
  end)

  it("with cubics is exact for linear functions up to the edge and for quadratic ones a cell away from it", function()
    local source = wind.field(sampled(function(x, y, z) return 1 + x, y - z, 2 * z end, { interpolation = "cubic" }))
    for _, p in ipairs(inside(200)) do
      local got = source:at(p)
      near(1 + p[1], got[1], 2e-6)
      near(p[2] - p[3], got[2], 2e-6)
    end
    local curved = wind.field(sampled(function(x, y) return x * x - y * y, x * y, 0 end,
      { interpolation = "cubic", counts = { 6, 6, 2 } }))
    for _, p in ipairs(fields.random_points(100, 1)) do
      local x, y = 0.25 + 0.75 * p[1], 2.625 + 0.375 * p[2]
      local got = curved:at { x, y, 1 }
      near(x * x - y * y, got[1], 4e-6)
      near(x * y, got[2], 4e-6)
    end
  end)

  it("with cubics has no kinks, with straight lines it has", function()
    local function kink(interpolation)
      local source = wind.field(sampled(function(x) return math.sin(3 * x), 0, 0 end,
        { interpolation = interpolation, counts = { 8, 2, 2 } }))
      local function slope(x)
        return (source:at({ x + 1e-3, 2.1, 1 })[1] - source:at({ x - 1e-3, 2.1, 1 })[1]) / 2e-3
      end
      return math.abs(slope(0.5 + 2e-3) - slope(0.5 - 2e-3))
    end
    assert.is_true(kink "cubic" < 0.1)
    assert.is_true(kink "linear" > 0.5)
  end)

  it("is nothing, its edge, or itself again beyond its last points", function()
    local options = sampled(function(x) return x, 1, 0 end, { outside = "still" })
    local source = wind.field(options)
    assert.same({ 0, 0, 0 }, source:at { 0.501, 2.5, 1 })
    near(0.5, source:at({ 0.5, 2.5, 1 })[1], 1e-7)
    source.outside = "edge"
    near(0.5, source:at({ 70, -9, 1 })[1], 1e-7)
    assert.equal(math.huge, source.bounds.upper[1])
    source.outside = "repeat" -- after four cells of 0.5
    for _, x in ipairs { -0.9, -0.1, 0.4 } do
      near(x, source:at({ x + 6, 2.5, 1 })[1], 1e-6)
      near(x, source:at({ x - 8, 2.5 + 1.25, 1 })[1], 1e-6)
    end
    near((0.5 - 1) / 2, source:at({ 0.75, 2.5, 1 })[1], 1e-6) -- between the last point and the first
  end)

  it("does not depend on a direction that has one point", function()
    local source = wind.field { counts = { 2, 1, 1 }, spacing = { 1, 1, 1 }, velocities = { { 0, 0, 0 }, { 4, 0, 2 } } }
    assert.same({ 1, 0, 0.5 }, source:at { 0.25, -77, 1e5 })
    assert.equal(-math.huge, source.bounds.lower[2])
  end)

  it("moves, takes other velocities, and has a strength", function()
    local source = wind.field(sampled(function() return 1, 2, 3 end, { strength = { { 0, 0 }, { 2, 1 } } }))
    source.origin = { 10, 10, 10 }
    near(2, source:at({ 10.1, 10.1, 10.1 }, 2)[2], 1e-15)
    near(1, source:at({ 10.1, 10.1, 10.1 }, 1)[2], 1e-15)
    local others = weft.buffer { count = 60 }
    for i = 1, 60 do
      others:set(i, 0, -1, 0)
    end
    source:assign(others)
    near(-1, source:at({ 10.1, 10.1, 10.1 }, 2)[2], 1e-15)
    assert.equal("weft.wind.source.assign: velocities must be 60 vectors, 4 x 5 x 3, got 1",
      message_of(source.assign, source, { { 1, 2, 3 } }))
    support.fail_each_allocation(function() source:assign(others) end)
    assert.matches("a uniform wind is no field",
      message_of(source.assign, wind.uniform { velocity = { 1, 0, 0 } }, others))
    assert.matches("spacing cannot be changed", message_of(function() source.spacing = { 1, 1, 1 } end))
  end)

  it("refuses what is none", function()
    local velocities = { { 1, 0, 0 } }
    for text, options in pairs {
      ["counts must be three integers from 1 to 4096, got {0, 1, 1}"] =
        { counts = { 0, 1, 1 }, spacing = { 1, 1, 1 }, velocities = velocities },
      ["counts must be at most 67.1089 million points together, got 1000 million, which would need 12 GB"] =
        { counts = { 1000, 1000, 1000 }, spacing = { 1, 1, 1 }, velocities = velocities },
      ["spacing must have components from 0.0001 to 100000, got {0, 1, 1}"] =
        { counts = { 1, 1, 1 }, spacing = { 0, 1, 1 }, velocities = velocities },
      ["velocities must be 2 vectors, 2 x 1 x 1, got 1"] =
        { counts = { 2, 1, 1 }, spacing = { 1, 1, 1 }, velocities = velocities },
      ["velocities must be at most 1000 m/s, got {1e+06, 0, 0} at point 1"] =
        { counts = { 1, 1, 1 }, spacing = { 1, 1, 1 }, velocities = { { 1e6, 0, 0 } } },
      ["velocities[1]"] = { counts = { 1, 1, 1 }, spacing = { 1, 1, 1 }, velocities = { { 0 / 0, 0, 0 } } },
      ["must have one of velocities, a function sample and a function each"] =
        { counts = { 1, 1, 1 }, spacing = { 1, 1, 1 } },
      ["sample must be a function"] = { counts = { 1, 1, 1 }, spacing = { 1, 1, 1 }, sample = 3 },
    } do
      local message = message_of(wind.field, options)
      assert.is_truthy(message:find(text, 1, true), message)
    end
  end)
end)

describe("A field in a VTK file", function()
  local path = os.tmpname()
  teardown(function() os.remove(path) end)

  local HEADER = [[
# vtk DataFile Version 3.0
a wind
%s
DATASET STRUCTURED_POINTS
DIMENSIONS 2 3 1
ORIGIN -1 0.5 2
SPACING 0.5 0.25 1
POINT_DATA 6
]]

  local function write(text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return { file = path }
  end

  local ascii = HEADER:format "ASCII" .. "SCALARS p float 1\nLOOKUP_TABLE default\n1 2 3 4 5 6\n"
    .. "VECTORS u float\n1 0 0  2 0 0\n3 0 0\n4 0 0 5 0 0 6 0 -2.5e-1\n"

  --- The bytes of a double, most significant first, for numbers that are small whole multiples of 1/4.
  local function big_endian(value)
    if value == 0 then
      return ("\0"):rep(8)
    end
    local mantissa, exponent = math.abs(value), 0
    while mantissa >= 2 do
      mantissa, exponent = mantissa / 2, exponent + 1
    end
    while mantissa < 1 do
      mantissa, exponent = mantissa * 2, exponent - 1
    end
    local biased = exponent + 1023 + (value < 0 and 2048 or 0)
    local part = (mantissa - 1) * 16 -- four bits are enough
    return string.char(math.floor(biased / 16), biased % 16 * 16 + part) .. ("\0"):rep(6)
  end

  it("is read, as text and as bytes", function()
    local binary = { HEADER:format "BINARY", "VECTORS u double\n" }
    for i = 1, 6 do
      for _, value in ipairs { i, 0, i == 6 and -0.25 or 0 } do
        binary[#binary + 1] = big_endian(value)
      end
    end
    for _, text in ipairs { ascii, ascii:gsub("\n", "\r\n"), table.concat(binary) } do
      local source = wind.field(write(text))
      assert.same({ 2, 3, 1 }, source.counts)
      assert.same({ -1, 0.5, 2 }, source.origin)
      assert.same({ 0.5, 0.25, 1 }, source.spacing)
      near(2, source:at({ -0.5, 0.5, 7 })[1], 0)
      near(6, source:at({ -0.5, 1, 7 })[1], 0)
      near(-0.25, source:at({ -0.5, 1, 7 })[3], 0)
      near(2.5, source:at({ -0.75, 0.625, 7 })[1], 1e-6)
    end
    write(ascii)
    assert.same({ 5, 5, 5 }, wind.field({ file = path, origin = { 5, 5, 5 }, interpolation = "cubic" }).origin)
    support.fail_each_allocation(function() return wind.field { file = path } end)
  end)

  it("is an error where it is none", function()
    for text, change in pairs {
      ["does not start with '# vtk DataFile'"] = { "# vtk", "# vkt" },
      ["third line must be ASCII or BINARY"] = { "ASCII", "ASCI" },
      ["must be STRUCTURED_POINTS"] = { "STRUCTURED_POINTS", "RECTILINEAR_GRID" },
      ["DIMENSIONS, ORIGIN and SPACING, of three numbers each"] = { "0.25 1\n", "0.25 one\n" },
      ["POINT_DATA must be as many as DIMENSIONS"] = { "POINT_DATA 6", "POINT_DATA 7" },
      ["has 1e+12 points, of which at most 67108864 can be read"] =
        { "DIMENSIONS 2 3 1(.-)POINT_DATA 6", "DIMENSIONS 1000000 1000000 1%1POINT_DATA 1000000000000" },
      ["it has no VECTORS"] = { "VECTORS", "TENSORS" },
      ["its VECTORS must be of float or double"] = { "u float", "u int" },
      ["its VECTORS have fewer numbers"] = { "6 0 %-2", "6 x -2" },
      ["velocities must be at most 1000 m/s, got {6e+300, 0, -0.25} at point 6"] = { "6 0 %-2", "6e300 0 -2" },
      ["vector 6 is not finite"] = { "6 0 %-2", "6e999 0 -2" },
      ["spacing must have components from 0.0001 to 100000, got {0.5, 0, 1}"] = { "0.25 1\n", "0 1\n" },
    } do
      local changed, count = ascii:gsub(change[1], change[2])
      assert.equal(1, count, text)
      local message = message_of(wind.field, write(changed))
      assert.is_truthy(message:find(text, 1, true), message)
    end
    local binary = HEADER:format "BINARY" .. "VECTORS u float\n" .. ("\0"):rep(71)
    assert.matches("it ends within its data", message_of(wind.field, write(binary)))
    assert.matches("counts must not be given beside a file",
      message_of(wind.field, { file = path, counts = { 1, 1, 1 } }))
    assert.matches("no/such/file", message_of(wind.field, { file = "no/such/file" }))
  end)

  it("is read or refused, however it is damaged", function()
    local random = support.stream(11)
    for _ = 1, 300 do
      local ok, message = pcall(wind.field, write(support.damaged(ascii, random, "0123456789 -.e\n")))
      assert.is_true(ok or message:find "weft.wind.field" ~= nil, message)
    end
  end)
end)

describe("A field of a function", function()
  local box = { counts = { 3, 4, 2 }, spacing = { 1, 1, 1 }, origin = { 0, 1, 2 } }

  local function field(sample)
    return wind.field(support.with(box, { sample = sample }))
  end

  it("is asked once for all points, and holds what it got until it is asked again", function()
    local calls, seen = 0, nil
    local source = field(function(points, time, velocities)
      calls = calls + 1
      seen = points:table()
      for i = 1, #points do
        local x, y, z = points:get(i)
        velocities:set(i, x + time, y * z, 0)
      end
    end)
    assert.equal(0, calls)
    local u = source:at({ 0.5, 1.25, 2.5 }, 3)
    near(3.5, u[1], 1e-6)
    near(1.25 * 2.5, u[2], 1e-6)
    source:at({ 1, 1, 2 }, 4)
    assert.equal(1, calls)
    assert.equal(24, #seen)
    assert.same({ 0, 1, 2 }, seen[1])
    assert.same({ 1, 1, 2 }, seen[2])
    assert.same({ 2, 4, 3 }, seen[24])
    source:sample(10)
    assert.equal(2, calls)
    near(10.5, source:at({ 0.5, 1.25, 2.5 }, 3)[1], 1e-6)
    assert.equal("weft.wind.source field (3 x 4 x 2 points of a function)", tostring(source))
  end)

  it("follows its origin", function()
    local source = field(function(points, _, velocities) velocities:assign(points) end)
    source.origin = { 5, 5, 5 }
    local u = source:at { 5.5, 6.5, 5.5 }
    near(5.5, u[1], 1e-6)
    near(6.5, u[2], 1e-6)
  end)

  it("may return its velocities as a list or a buffer, or be asked for each point", function()
    local list = {}
    for i = 1, 24 do
      list[i] = { 1, i, 0 }
    end
    near(1, field(function() return list end):at({ 0, 1, 2 })[2], 0)
    local buffer = weft.buffer { count = 24 }
    buffer:assign(list)
    near(3, field(function() return buffer end):at({ 2, 1, 2 })[2], 0)
    local each = wind.field(support.with(box, { each = function(x, y, z, time) return x, y * z, time end }))
    near(1.25 * 2.5, each:at({ 0.5, 1.25, 2.5 }, 7)[2], 1e-6)
    near(7, each:at({ 0.5, 1.25, 2.5 }, 9)[3], 0)
  end)

  -- What functions do wrong, and what is said of it.
  local bad = {
    ["a field's function failed: .*my own words"] = function() error "my own words" end,
    ["a field's function failed: {}$"] = function() error {} end,
    ["must return nothing or 24 velocities, got 1"] = function() return { { 1, 2, 3 } } end,
    ["velocities%[2%] must be three numbers"] = function() return { { 1, 2, 3 }, { 1, 2 } } end,
    ["velocities must be a list of vectors or a weft.buffer, got 7"] = function() return 7 end,
    ["velocities must be at most 1000 m/s, got {10000, 0, 0} at point 3"] =
      function(_, _, velocities) velocities:set(3, 1e4, 0, 0) end,
    ["a field's function failed: .*yield"] = coroutine.yield,
    ["velocities is a closed weft.buffer"] = function(_, _, velocities) velocities:close() end,
  }

  it("that does something wrong is a Lua error, and leaves the field as it was", function()
    for pattern, wrong in pairs(bad) do
      local now = function(_, _, velocities) velocities:set(1, 5, 0, 0) end
      local source = field(function(...) return now(...) end)
      source:sample(0)
      near(5, source:at({ 0, 1, 2 })[1], 0)
      now = wrong
      assert.matches(pattern, message_of(source.sample, source, 1))
      near(5, source:at({ 0, 1, 2 })[1], 0)
      if not pattern:find "closed" then
        now = function(_, _, velocities) velocities:set(1, 6, 0, 0) end
        source:sample(2)
        near(6, source:at({ 0, 1, 2 })[1], 0)
      end
    end
  end)

  it("works in a coroutine, which it cannot leave", function()
    local source = field(function() return coroutine.yield() end)
    local thread = coroutine.create(function() source:sample(0) end)
    local ok, message = coroutine.resume(thread)
    assert.is_false(ok)
    assert.matches("yield", message)
    local good = field(function(_, _, velocities) velocities:set(1, 4, 0, 0) end)
    assert.is_true(coroutine.resume(coroutine.create(function() good:sample(0) end)))
    near(4, good:at({ 0, 1, 2 })[1], 0)
  end)

  it("may not ask for itself, and may close itself", function()
    local source
    source = field(function() source:sample(1) end)
    assert.matches("must not ask for its own field", message_of(source.sample, source, 0))
    local other
    other = field(function(_, _, velocities)
      other:close()
      support.collect()
      velocities:set(1, 1, 1, 1)
    end)
    other:sample(0)
    assert.is_true(other.closed)
    assert.matches("self is a closed weft.wind.source", message_of(other.sample, other, 0))
  end)

  it("is collected with its source, the function too", function()
    local weft_core = require "weft.core"
    local watch = setmetatable({}, { __mode = "k" })
    support.collect()
    local before = weft_core.memory()
    do
      local function sample(_, _, velocities) velocities:set(1, 1, 0, 0) end
      watch[sample] = true
      local source = field(sample)
      source:sample(0)
    end
    support.collect()
    assert.is_nil(next(watch))
    assert.equal(before, (weft_core.memory()))
  end)

  it("loses nothing when memory runs out", function()
    local source = support.fail_each_allocation(function()
      return field(function(_, _, velocities) velocities:set(1, 1, 0, 0) end)
    end)
    support.fail_each_allocation(function() source:sample(0) end)
    assert.matches("a uniform wind without a function has nothing to ask",
      message_of(source.sample, wind.uniform { velocity = { 1, 0, 0 } }, 0))
  end)
end)
