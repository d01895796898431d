-- Flow primitives against closed forms, quadrature, and the laws of vector fields.

local fields = require "spec.air.fields"
local support = require "spec.support"
local weft = require "weft"

local wind, near = weft.wind, fields.near
local message_of = support.message_of
local TILTED = fields.unit { 1, -2, 0.5 }

describe("A directional wind", function()
  it("has the logarithmic profile over rough ground", function()
    local source = wind.directional {
      velocity = { 3, 0, 4 }, reference_height = 10, roughness = 0.1, displacement = 0.5, ground = 2,
    }
    for _, height in ipairs { 0.61, 1, 3, 10, 60 } do
      local factor = math.log((height - 0.5) / 0.1) / math.log(9.5 / 0.1)
      local u = source:at { 7, 2 + height, -3 }
      near(3 * factor, u[1], 1e-14)
      near(0, u[2], 0)
      near(4 * factor, u[3], 1e-14)
    end
    assert.same({ 0, 0, 0 }, source:at { 0, 2.59, 0 })
    assert.same({ 0, 0, 0 }, source:at { 0, -50, 0 })
    near(2.6, source.bounds.lower[2], 1e-12)
    assert.equal("weft.wind.source directional (5 m/s at 10 m, logarithmic)", tostring(source))
  end)

  it("takes its speed from the friction velocity where that is given: du/dy = u* / (0.4 h)", function()
    local source = wind.directional { velocity = { 0, 0, -1 }, friction_velocity = 0.3, roughness = 0.03 }
    for _, height in ipairs { 0.1, 1, 5 } do
      near(-0.3 / (0.4 * height), fields.gradient(source, { 0, height, 0 }, 1e-3 * height)[3][2], 1e-9 / height)
    end
    near(-0.3 / 0.4 * math.log(10 / 0.03), source:at({ 0, 10, 0 })[3], 1e-13)
  end)

  it("has a power law, too", function()
    local source = wind.directional { velocity = { 8, 0, 0 }, profile = "power", exponent = 0.2, displacement = 1 }
    near(8 * (1 / 9) ^ 0.2, source:at({ 0, 2, 0 })[1], 1e-14)
    near(8 * 4 ^ 0.2, source:at({ 0, 37, 0 })[1], 1e-14)
    assert.same({ 0, 0, 0 }, source:at { 0, 1, 0 })
  end)

  it("refuses a reference within the roughness, and keeps what it had", function()
    local source = wind.directional { velocity = { 8, 0, 0 } }
    assert.matches("reference_height must be greater than displacement and roughness together, 20.03 m, got 10",
      message_of(function() source.displacement = 20 end))
    assert.equal(0, source.displacement)
    assert.matches("velocity must not be 0",
      message_of(wind.directional, { velocity = { 0, 0, 0 }, friction_velocity = 1 }))
    assert.matches('profile must be one of "logarithmic", "power", got "log"',
      message_of(wind.directional, { velocity = { 1, 0, 0 }, profile = "log" }))
  end)
end)

describe("A point source", function()
  local centre = { 0.2, -0.1, 0.4 }
  local source = wind.point { flow = 3, position = centre, core = 0.1 }

  it("lets its flow through every sphere around it, and none through others", function()
    for _, radius in ipairs { 0.1, 0.5, 20 } do
      near(3, fields.flux(source, centre, radius, 16), 1e-12)
    end
    near(3, fields.flux(source, { 0.4, 0, 0.3 }, 1, 24), 1e-10)
    near(0, fields.flux(source, { 2, 0, 0 }, 0.7, 24), 1e-10)
    near(3 / 8, fields.flux(source, centre, 0.05, 8), 1e-13) -- inside the core it comes out evenly
  end)

  it("is a r / (4 pi r^3)", function()
    local u = source:at { 0.2, -0.1, 2.4 }
    near(3 / (4 * math.pi * 4), u[3], 1e-15)
    near(0, u[1], 0)
  end)

  it("has neither divergence nor curl outside its core", function()
    for _, p in ipairs(fields.random_points(40, 2)) do
      if math.sqrt((p[1] - 0.2) ^ 2 + (p[2] + 0.1) ^ 2 + (p[3] - 0.4) ^ 2) > 0.3 then
        local divergence, curl, size = fields.derivatives(source, p, 1e-3)
        near(0, divergence / size, 1e-7)
        near(0, curl / size, 1e-7)
      end
    end
  end)

  it("moves, and turns into a sink", function()
    source.position, source.flow = { 0, 0, 0 }, -3
    near(-3, fields.flux(source, { 0, 0, 0 }, 0.5, 16), 1e-12)
    assert.same({ 0, 0, 0 }, source:at { 0, 0, 0 })
    assert.same({ 0, 0, 0 }, source.position)
    source.falloff = { radius = 1, width = 1 } -- about the position, also when that is changed later
    source.position = { 5, 0, 0 }
    near(-3 / (4 * math.pi), source:at({ 6, 0, 0 })[1], 1e-15)
    near(-3 / (4 * math.pi) / 2.25 / 2, source:at({ 6.5, 0, 0 })[1], 1e-15)
    assert.same({ 0, 0, 0 }, source:at { 7, 0, 0 })
    assert.same({ lower = { 3, -2, -2 }, upper = { 7, 2, 2 } }, source.bounds)
  end)
end)

describe("A line source", function()
  it("lets its flow out of each metre, across its axis", function()
    local source = wind.line { flow = 2, position = { 1, 0, 0 }, axis = TILTED, core = 0.05 }
    local a, b = fields.across(TILTED)
    for _, radius in ipairs { 0.1, 1, 30 } do
      for _, along in ipairs { -3, 0, 50 } do
        local p = fields.sum(fields.sum({ 1, 0, 0 }, TILTED, along), a, radius)
        local u = source:at(p)
        near(2 / (2 * math.pi * radius), fields.dot(u, a), 1e-13 / radius)
        near(0, fields.dot(u, b), 1e-13 / radius)
        near(0, fields.dot(u, TILTED), 1e-13 / radius)
        local divergence, curl, size = fields.derivatives(source, p, 1e-3 * radius)
        near(0, divergence / size, 1e-8)
        near(0, curl / size, 1e-8)
      end
    end
  end)
end)

for _, profile in ipairs { "lamb", "rankine" } do
  describe("A " .. profile .. " vortex", function()
    local centre = { 1, 2, 3 }
    local source = wind.vortex { circulation = -1.5, position = centre, axis = TILTED, core = 0.1, profile = profile }

    it("has its circulation, right-handed about its axis", function()
      for _, radius in ipairs { 0.05, 0.1, 0.5, 2 } do
        local inside = profile == "lamb" and 1 - math.exp(-(radius / 0.1) ^ 2) or math.min(1, (radius / 0.1) ^ 2)
        near(-1.5 * inside, fields.circulation(source, centre, TILTED, radius, 24), 1e-12)
      end
      local off = fields.sum(centre, (fields.across(TILTED)), 0.3)
      near(-1.5, fields.circulation(source, off, TILTED, 1, 200), 1e-9)
      near(0, fields.circulation(source, fields.sum(centre, (fields.across(TILTED)), 3), TILTED, 1, 200), 1e-9)
    end)

    it("has no divergence, no curl outside its core, and that of its core's law inside", function()
      local a = fields.across(TILTED)
      for _, radius in ipairs { 0.02, 0.06, 0.5, 1 } do
        local divergence, _, size, curl = fields.derivatives(source, fields.sum(centre, a, radius), 1e-4)
        near(0, divergence / size, 1e-7)
        local expected = profile == "lamb" and -1.5 / (math.pi * 0.01) * math.exp(-(radius / 0.1) ^ 2)
          or radius < 0.1 and -1.5 / (math.pi * 0.01) or 0
        near(expected, fields.dot(curl, TILTED), 1e-6 * math.max(1, size))
        near(0, fields.dot(curl, a), 1e-6 * math.max(1, size))
      end
    end)
  end)
end

describe("A vortex ring", function()
  local R, gamma, core = 0.5, 2, 0.02
  local ring = wind.ring { circulation = gamma, radius = R, core = core }
  local thin = wind.ring { circulation = gamma, radius = R, core = 1e-4 }

  --- Biot and Savart's integral around the ring, by the trapezoidal rule: the speeds along y and away from it.
  local function quadrature(rho, y, soft)
    local along, outward, count = 0, 0, 4000
    for i = 1, count do
      local angle = 2 * math.pi * i / count
      local square = R * R + rho * rho + y * y + soft * soft - 2 * R * rho * math.cos(angle)
      local share = gamma / (4 * math.pi) * R * 2 * math.pi / count / square ^ 1.5
      along = along + share * (R - rho * math.cos(angle))
      outward = outward + share * y * math.cos(angle)
    end
    return along, outward
  end

  it("is Biot and Savart's integral, everywhere", function()
    for _, rho in ipairs { 0, 1e-9, 1e-5, 1e-3, 0.1, 0.4, 0.49, 0.5, 0.503, 0.6, 2, 50 } do
      for _, y in ipairs { -3, -0.1, -0.01, 0, 0.03, 0.5 } do
        local u = ring:at { rho * 0.6, y, rho * -0.8 }
        local along, outward = quadrature(rho, y, core)
        near(along, u[2], 1e-12 * math.max(1, math.abs(along)))
        near(0.6 * outward, u[1], 1e-12 * math.max(1, math.abs(outward)))
        near(-0.8 * outward, u[3], 1e-12 * math.max(1, math.abs(outward)))
      end
    end
  end)

  it("blows with gamma R^2 / 2 (R^2 + y^2)^(3/2) along its axis", function()
    for _, y in ipairs { -4, -0.5, 0, 0.2, 1, 9 } do
      local u = thin:at { 0, y, 0 }
      near(gamma * R ^ 2 / (2 * (R ^ 2 + y ^ 2) ^ 1.5), u[2], 1e-6 * u[2]) -- the core changes (core / R)^2 of it
      near(0, u[1], 1e-15)
    end
  end)

  it("is a dipole from far away", function()
    -- u = grad(m . r / (4 pi r^3)) (-1) = (3 (m . r) r / r^2 - m) / (4 pi r^3), with m = gamma pi R^2 along the axis
    local m = gamma * math.pi * R * R
    for _, direction in ipairs { { 0, 1, 0 }, { 1, 0, 0 }, fields.unit { 1, 2, -2 }, fields.unit { -3, 0.1, 1 } } do
      local r = 300
      local u = ring:at { r * direction[1], r * direction[2], r * direction[3] }
      local scale = m / (4 * math.pi * r ^ 3)
      for k = 1, 3 do
        local expected = scale * (3 * direction[2] * direction[k] - (k == 2 and 1 or 0))
        near(expected, u[k], 2e-5 * scale)
      end
    end
  end)

  it("has no divergence anywhere, next to no curl away from its core, and its circulation around the core", function()
    for _, p in ipairs(fields.random_points(60, 0.8)) do
      local distance = math.sqrt((math.sqrt(p[1] ^ 2 + p[3] ^ 2) - R) ^ 2 + p[2] ^ 2)
      local divergence, curl, size = fields.derivatives(ring, p, 2e-4)
      near(0, divergence / size, 1e-7 + 1e-13 / distance ^ 5)
      if distance > 0.15 then
        -- of a filament's core that is as (r^2 + core^2)^(-3/2), the curl falls off as core^2 / distance^2
        near(0, curl / size, 4 * (core / distance) ^ 2)
      end
    end
    near(gamma, fields.circulation(thin, { R, 0, 0 }, { 0, 0, 1 }, 0.1, 400) * -1, 1e-4 * gamma)
  end)

  it("turns with its axis", function()
    local u = ring:at { 0.2, 0.3, -0.1 }
    ring.axis = { 0, 0, -2 } -- y becomes -z, z becomes y
    assert.same({ 0, 0, -1 }, ring.axis)
    local v = ring:at { 0.2, -0.1, -0.3 }
    near(u[1], v[1], 1e-15)
    near(u[2], -v[3], 1e-15)
    near(u[3], v[2], 1e-15)
    ring.axis = { 0, 1, 0 }
    assert.matches("axis must be a vector other than 0", message_of(function() ring.axis = { 0, 0, 0 } end))
  end)
end)

describe("A jet", function()
  local diameter, speed = 0.2, 12
  local jet = wind.jet { speed = speed, diameter = diameter, position = { 0, 1, 0 }, axis = { 0, 0, 1 } }

  --- The integral of u_z^n 2 pi r dr across the jet.
  local function across(z, power)
    local nodes, weights = fields.gauss(40)
    local total, edge, pieces = 0, diameter + 1.2 * z, 40
    for piece = 1, pieces do
      local points = {}
      for i = 1, 40 do
        points[i] = { (piece - 0.5 + 0.5 * nodes[i]) * edge / pieces, 1, z }
      end
      for i, u in ipairs(fields.at_points(jet, points)) do
        total = total + u[3] ^ power * 2 * math.pi * points[i][1] * weights[i] * 0.5 * edge / pieces
      end
    end
    return total
  end

  it("has the same momentum flux at every distance from the opening", function()
    local expected = math.pi / 4 * diameter ^ 2 * speed ^ 2
    for _, z in ipairs { 0.01, 0.2, 0.8, 1.25, 1.3, 3, 10 } do
      support.near(expected, across(z, 2), 1e-4, "at " .. z)
    end
  end)

  it("draws in air: its flow grows as the distance far away, as Ricou and Spalding (1961) measured", function()
    local volume = math.pi / 4 * diameter ^ 2 * speed
    support.near(volume, across(0.001, 1), 0.02)
    -- Q / Q_0 = 0.32 x / d in their experiments
    local slope = (across(8, 1) - across(4, 1)) / volume / (4 / diameter)
    assert.is_true(slope > 0.25 and slope < 0.35, "slope " .. slope)
  end)

  it("has the half-width and the decay of Pope (2000), table 5.1", function()
    -- S = 0.094 (Hussein et al. 1994); the Gaussian's momentum gives B = (ln 2 / 2)^(1/2) / S = 6.26, measured 5.8 to
    -- 6.1
    for _, x in ipairs { 3, 6 } do
      local middle = jet:at({ 0, 1, x })[3]
      support.near(0.5 * middle, jet:at({ 0.094 * x, 1, x })[3], 1e-12)
      support.near(5.9, middle / speed * x / diameter, 0.07)
    end
    near(speed, jet:at({ 0, 1, 1.2 })[3], 1e-12)
    near(speed, jet:at({ 0.02, 1, 0.8 })[3], 1e-12)
    assert.is_true(jet:at({ 0, 1, 1.3 })[3] < speed)
  end)

  it("has no divergence", function()
    for _, p in ipairs(fields.random_points(200, 0.5)) do
      local z = 1.2 * p[3] + 0.7 -- 0.1 to 1.3: through the core's end
      for _, place in ipairs { { p[1] * 0.5, 1 + p[2] * 0.5, z }, { p[1], 1 + p[2], z + 3 } } do
        local divergence, _, size = fields.derivatives(jet, place, 2e-5)
        if size > 1e-3 then
          near(0, divergence / size, 2e-4) -- the slope of the profile jumps where its core ends
        end
      end
    end
  end)

  it("leaves what is behind its opening at rest", function()
    assert.same({ 0, 0, 0 }, jet:at { 0, 1, -0.01 })
    assert.same({ 0, 0, 0 }, jet:at { 0, 1, 0 })
  end)
end)

describe("A gust", function()
  local function speed_of(options)
    options.velocity = { 10, 0, 0 }
    local source = wind.gust(options)
    return function(time, point) return source:at(point or { 0, 0, 0 }, time)[1] end
  end

  it("rises and falls as one minus a cosine", function()
    local speed = speed_of { onset = 3, duration = 4 }
    for time, expected in pairs { [2.9] = 0, [3] = 0, [4] = 5, [5] = 10, [6] = 5, [7] = 0, [9] = 0 } do
      near(expected, speed(time), 1e-12)
    end
    local area = 0
    for i = 1, 100 do
      area = area + speed(3 + 4 * i / 100) * 0.04
    end
    near(20, area, 1e-12)
  end)

  it("dips, peaks and dips as IEC 61400-1's extreme operating gust", function()
    local speed = speed_of { shape = "eog", duration = 10.5 }
    near(10 * 0.37 * 2, speed(5.25), 1e-12)
    for _, t in ipairs { 1, 2.5, 4, 8 } do
      near(-3.7 * math.sin(3 * math.pi * t / 10.5) * (1 - math.cos(2 * math.pi * t / 10.5)), speed(t), 1e-12)
    end
    near(speed(2), speed(8.5), 1e-12)
    near(0, speed(10.5), 1e-12)
  end)

  it("rises and stays", function()
    local rise, ramp = speed_of { shape = "rise", duration = 2 }, speed_of { shape = "ramp", duration = 2 }
    near(5 - 5 * math.cos(math.pi / 4), rise(0.5), 1e-12)
    near(10, rise(50), 0)
    near(2.5, ramp(0.5), 1e-12)
    near(10, ramp(2), 0)
    near(0, ramp(-1), 0)
  end)

  it("comes with a front that travels", function()
    local speed = speed_of { shape = "ramp", duration = 1, travel = { 0, 0, 4 }, position = { 0, 0, 2 } }
    near(10 * 0.5, speed(0.5, { 9, 9, 2 }), 1e-12)
    near(10 * 0.25, speed(1.25, { 0, 0, 6 }), 1e-12)
    near(0, speed(1.9, { 0, 0, 10 }), 0)
  end)
end)

describe("Sources", function()
  local ways = {
    velocity = { 1, 2, 3 }, position = { 4, 5, 6 }, axis = { 0, 0, 1 }, flow = 2.5, core = 0.5, circulation = 3,
    radius = 2, reference_height = 5, ground = 1, roughness = 0.5, displacement = 0.25, exponent = 0.5,
    friction_velocity = 0.75, speed = 6, diameter = 0.5, spread = 0.125, onset = 1.5, duration = 3,
    travel = { 1, 0, 0 },
    intensity = 1.25, length = 20, unsteadiness = 0.5, smallest = 0.25, waves = 16, scale = 2, octaves = 2, gain = 0.5,
    evolution = 0.5, seed = 5, origin = { 1, 1, 1 }, profile = "rankine", shape = "ramp", spectrum = "dryden",
    interpolation = "cubic", outside = "edge",
  }
  local make = {
    uniform = { velocity = { 0, 0, 0 } }, directional = { velocity = { 1, 0, 0 } }, point = { flow = 1 },
    line = { flow = 1 }, vortex = { circulation = 1 }, ring = { circulation = 1, radius = 1 },
    jet = { speed = 1, diameter = 1 }, gust = { velocity = { 1, 0, 0 } },
    turbulence = { intensity = 1, velocity = { 3, 0, 0 } },
    curl_noise = { intensity = 1, velocity = { -9, 0, 1 } },
    field = { counts = { 1, 1, 1 }, spacing = { 1, 1, 1 }, velocities = { { 1, 2, 3 } } },
  }

  it("of all kinds give back every option, and can be set while they are used", function()
    for name in pairs(support.functions(require "weft.core")) do
      local kind = name:match "^%.wind_([%w_]+)$"
      assert.is_truthy(not kind or kind == "particles" or make[kind], kind) -- which are no source
    end
    for kind, options in pairs(make) do
      local source, changed = wind[kind](options), 0
      assert.equal(kind, source.kind)
      for name, value in pairs(ways) do
        if source[name] ~= nil then
          if kind == "directional" and name == "profile" then value = "power" end
          source[name] = value
          assert.same(value, source[name], kind .. "." .. name)
          assert.same(value, wind[kind](support.with(options, { [name] = value }))[name])
          changed = changed + 1
        else
          local message = message_of(function() source[name] = value end)
          assert.equal(("weft.wind.source: %s cannot be set: a %s wind has none"):format(name, kind), message)
        end
      end
      assert.is_true(changed > 0)
    end
  end)

  it("of all kinds survive places and times that are far out, and stay finite", function()
    for kind, options in pairs(make) do
      local source = wind[kind](options)
      for _, p in ipairs { { 1e300, -1e300, 1e6 }, { 0, 0, 0 }, { -1e6, 1e6, 1e6 }, { 1e-300, 0, 0 } } do
        for _, time in ipairs { 0, -1e9, 1e15, 1e300 } do
          for _, u in ipairs(source:at(p, time)) do
            assert.is_true(math.abs(u) <= 1000, kind)
          end
        end
      end
    end
  end)

  it("give the same bits for any number of threads and any instruction set", function()
    local points = weft.buffer { count = 3001 }
    points:assign(fields.random_points(3001, 3))
    local threads, set = weft.threads(), weft.instruction_set()
    for kind, options in pairs(make) do
      local source = wind[kind](options)
      local reference = source:at(points, 0.7):string()
      for _, name in ipairs(select(2, weft.instruction_set())) do
        weft.instruction_set(name)
        for count = 1, 3 do
          weft.threads(count)
          assert.is_true(reference == source:at(points, 0.7):string(), kind .. " " .. name)
        end
      end
      weft.threads(threads)
      weft.instruction_set(set)
    end
  end)

  it("lose nothing when memory runs out", function()
    for kind, options in pairs(make) do
      support.fail_each_allocation(function() return wind[kind](options) end):close()
      local source = wind[kind](options)
      support.fail_each_allocation(function() source.strength = { { 0, 1 }, { 1, 2 } } end)
    end
  end)
end)
