-- Orders and stability, measured by running the schemes, against the theory of linear stability.

local support = require "spec.support"
local weft = require "weft"
local step = weft.step
local close, message_of = support.close, support.message_of

-- Complex numbers as pairs.
local function times(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
local function over(a, b)
  local square = b[1] ^ 2 + b[2] ^ 2
  return { (a[1] * b[1] + a[2] * b[2]) / square, (a[2] * b[1] - a[1] * b[2]) / square }
end

--- sum of coefficients[k] z^(k - 1)
local function polynomial(z, coefficients)
  local value = { 0, 0 }
  for k = #coefficients, 1, -1 do
    value = times(value, z)
    value[1] = value[1] + coefficients[k]
  end
  return value
end

local schemes = {}
for _, scheme in ipairs(step.schemes()) do
  schemes[scheme.name] = scheme
end

-- Numerator and denominator of R(z).
local functions = {
  ["forward euler"] = { { 1, 1 }, { 1 } },
  ["explicit midpoint"] = { { 1, 1, 1 / 2 }, { 1 } },
  rk4 = { { 1, 1, 1 / 2, 1 / 6, 1 / 24 }, { 1 } },
  ["cash karp"] = { { 1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 800 }, { 1 } },
  ["backward euler"] = { { 1 }, { 1, -1 } },
  ["implicit midpoint"] = { { 1, 1 / 2 }, { 1, -1 / 2 } },
  trapezoid = { { 1, 1 / 2 }, { 1, -1 / 2 } },
}

local points = { { -1, 0 }, { -0.5, 2 }, { 0, 1 }, { 0.3, -0.7 }, { -2.5, 0.1 }, { 0, 0 } }

describe("The stability function", function()
  for name, parts in pairs(functions) do
    it("of " .. name .. " is that of the theory to rounding", function()
      for _, z in ipairs(points) do
        local expected = over(polynomial(z, parts[1]), polynomial(z, parts[2]))
        local size, re, im = step.stability_function(name, z)
        close(expected[1], re, 1e-14)
        close(expected[2], im, 1e-14)
        close(math.sqrt(expected[1] ^ 2 + expected[2] ^ 2), size, 1e-14)
      end
    end)
  end

  it("of symplectic Euler on an oscillator is the spectral radius of its two-by-two map", function()
    for _, w in ipairs { 0.1, 1, 1.9 } do
      close(1, step.stability_function("symplectic euler", { 0, w }), 1e-12)
    end
    -- w > 2: (1 - w^2/2) - sqrt((1 - w^2/2)^2 - 1)
    local half = 1 - 2.5 ^ 2 / 2
    close(-half + math.sqrt(half ^ 2 - 1), step.stability_function("symplectic euler", { 0, 2.5 }), 1e-12)
    close(4, step.stability_function("symplectic euler", { 3, 0 }, { test = "dahlquist" }), 1e-12)
  end)

  it("of backward differentiation is the largest root of its characteristic polynomial", function()
    -- (1 - 2/3 z) r^2 - 4/3 r + 1/3 = 0
    for _, z in ipairs { -0.3, -2, -1e6 } do
      local a = 1 - 2 / 3 * z
      local square, largest = 16 / 9 - 4 / 3 * a
      if square >= 0 then
        largest = (4 / 3 + math.sqrt(square)) / (2 * a)
      else
        largest = math.sqrt(1 / 3 / a)
      end
      close(largest, step.stability_function("bdf2", z), 1e-12 + 1e-7 * (square == 0 and 1 or 0))
    end
  end)

  it("of stiff problems tells L-stability: backward Euler and BDF2 forget, the midpoint rule does not", function()
    assert.is_true(step.stability_function("backward euler", -1e6) < 1.1e-6)
    assert.is_true(step.stability_function("bdf2", -1e6) < 1e-3)
    local size, re = step.stability_function("implicit midpoint", -1e6)
    close(1, size, 1e-5)
    close(-1, re, 1e-5)
  end)
end)

describe("Stability limits", function()
  it("are those of the theory along both axes", function()
    local expected = {
      ["forward euler"] = { 2 }, ["explicit midpoint"] = { 2 }, rk4 = { 2.7852935634, 2 * math.sqrt(2) },
      ["symplectic euler"] = { 2 * (math.sqrt(2) - 1), 2 },
      verlet = { nil, 2 }, ["verlet averaged"] = { nil, 2 },
    }
    for name, limits in pairs(expected) do
      if limits[1] then
        close(limits[1], step.stability_limit(name), 1e-6, name)
      end
      if limits[2] then
        close(limits[2], step.stability_limit(name, { direction = { 0, 1 } }), 1e-6, name)
      end
    end
    for _, name in ipairs { "backward euler", "implicit midpoint", "bdf2" } do
      assert.equal(math.huge, step.stability_limit(name))
      assert.equal(math.huge, step.stability_limit(name, { direction = { 0, 3 } }))
    end
  end)

  it("of the tutorial's examples, as steps", function()
    local stiff = { name = "example 1", lambda = -15 }
    local expected = {
      { "forward euler", stiff, 2 / 15 }, { "explicit midpoint", stiff, 2 / 15 }, { "rk4", stiff, 0.18568 },
      { "forward euler", "example 2", 0.45080 }, { "explicit midpoint", "example 2", 0.45080 },
      { "rk4", "example 2", 0.62781 }, { "verlet", "example 2", 0.36643 },
      { "forward euler", "example 3", 0.0100 }, { "explicit midpoint", "example 3", 0.0400 },
      { "rk4", "example 3", 0.0935 }, { "verlet", "example 3", 0.054031 },
      { "verlet", { name = "oscillator", frequency = math.sqrt(5) }, 2 / math.sqrt(5) },
    }
    for _, case in ipairs(expected) do
      local equation = type(case[2]) == "table" and step.equation(case[2]) or case[2]
      close(case[3], step.stability_limit(case[1], { equation = equation }), 1e-3 * case[3], case[1])
    end
    for _, name in ipairs { "backward euler", "implicit midpoint", "bdf2" } do
      assert.equal(math.huge, step.stability_limit(name, { equation = step.equation(stiff) }))
    end
  end)

  it("are where a run begins to grow", function()
    local equation = step.equation { name = "oscillator", frequency = 10, damping = 1, to = 100 }
    for _, name in ipairs { "forward euler", "rk4", "symplectic euler", "verlet" } do
      local limit = step.stability_limit(name, { equation = equation })
      for factor, bounded in pairs { [0.99] = true, [1.03] = false } do
        local integrator = step.integrator(name)
        local finite, run = pcall(integrator.run, integrator,
          { equation = equation, to = 2e4 * limit * factor, steps = 2e4 })
        assert.equal(bounded, finite and math.abs(run.x[1]) < 1.5, name .. " at " .. factor)
      end
    end
  end)

  it("refuse what is not linear and small, and schemes that need more than forces", function()
    assert.matches("at most 16 unknowns",
      message_of(step.stability_limit, "rk4", { equation = step.equation { name = "spring chain", count = 9 } }))
    assert.matches("direction must not be {0, 0}", message_of(step.stability_limit, "rk4", { direction = { 0, 0 } }))
    assert.matches("an equation has no direction",
      message_of(step.stability_limit, "rk4", { direction = { 0, 1 }, equation = "example 2" }))
    assert.matches("z must be", message_of(step.stability_function, "rk4", "1"))
    assert.matches("z must be a number or {real part, imaginary part}",
      message_of(step.stability_function, "rk4", { 1 }))
    for _, z in ipairs { -1e30, { 0, -1e200 }, { 1e308, 1 } } do
      assert.matches("z must be at most 1e12", message_of(step.stability_function, "bdf3", z))
    end
    assert.matches("scheme", message_of(step.stability_function, nil, 1))
    assert.matches("chooses its step itself", message_of(step.stability_function, step.integrator "cash karp", 1))
  end)
end)

describe("Stability angles", function()
  it("are 90 degrees for A-stable schemes, 86.0 and 73.4 for BDF3 and BDF4 (Hairer and Wanner 1996)", function()
    local expected = { ["backward euler"] = 90, ["implicit midpoint"] = 90, bdf2 = 90, bdf3 = 86.03, bdf4 = 73.35 }
    for name, degrees in pairs(expected) do
      close(degrees, math.deg(step.stability_angle(name)), 0.01, name)
    end
  end)
end)

describe("Stability regions", function()
  it("of A-stable schemes hold the left half plane, of others what they should", function()
    for _, name in ipairs { "backward euler", "implicit midpoint", "bdf2" } do
      local region = step.stability { scheme = name, real = { -40, 0 }, imaginary = { -20, 20 }, pixels = { 40, 40 } }
      for i = 1, region.radius.count do
        assert.is_true(region.radius:get(i) <= 1 + 1e-6)
      end
    end
    local rk4 = step.stability { scheme = "rk4", real = { -4, 1 }, imaginary = { -3, 3 }, pixels = { 50, 60 } }
    local left, top = math.huge, 0
    for row = 1, 60 do
      for column = 1, 50 do
        local value = rk4.radius:get((row - 1) * 50 + column)
        local re, im = -4 + 0.1 * (column - 0.5), 3 - 0.1 * (row - 0.5)
        local exact = polynomial({ re, im }, functions.rk4[1])
        close(math.sqrt(exact[1] ^ 2 + exact[2] ^ 2), value, 1e-12 * (1 + value))
        if value <= 1 then
          left, top = math.min(left, re), math.max(top, im)
        end
      end
    end
    close(-2.7853, left, 0.1)
    close(2.94, top, 0.1)
  end)

  it("are drawn, axes and all, where there is something to draw with", function()
    if not support.modules()["weft.picture_core"] then
      return
    end
    local path = os.tmpname()
    local region = step.stability { scheme = "forward euler", pixels = { 60, 50 }, file = path }
    assert.equal(3000, region.radius.count)
    assert.equal("\137PNG", support.read_file(path):sub(1, 4))
    os.remove(path)
    assert.matches("no/such/folder", message_of(step.stability, { scheme = "rk4", pixels = { 2, 2 },
      file = "no/such/folder/x.png" }))
  end)

  it("refuse bad rectangles", function()
    assert.matches("real must go from a smaller to a larger number",
      message_of(step.stability, { scheme = "rk4", real = { 1, 1 } }))
    assert.matches("pixels must be two integers from 1 to 4096",
      message_of(step.stability, { scheme = "rk4", pixels = { 0, 3 } }))
    assert.matches("file must be a path", message_of(step.stability, { scheme = "rk4", file = 3 }))
    assert.matches("unknown option 'reel'", message_of(step.stability, { scheme = "rk4", reel = 3 }))
    assert.matches("must be called with a table", message_of(step.stability))
  end)
end)

describe("Orders", function()
  local orders = {
    ["forward euler"] = 1, ["explicit midpoint"] = 2, rk4 = 4, ["backward euler"] = 1, ["implicit midpoint"] = 2,
    bdf2 = 2,
  }

  it("on the first example are those of the tutorial, errors included", function()
    local errors = { -- with 10 and 320 steps
      ["forward euler"] = { 1.197, 4.585e-2 }, ["explicit midpoint"] = { 8.44e-2, 9.58e-5 },
      rk4 = { 1.67e-4, 1.87e-10 }, ["backward euler"] = { 1.92, 4.65e-2 }, ["implicit midpoint"] = { 4.97e-2, 4.81e-5 },
      bdf2 = { 3.92e-1, 4.07e-4 },
    }
    for name, expected in pairs(errors) do
      local order, rows = step.order { scheme = name, equation = "example 1" }
      close(orders[name], order, 0.05, name)
      close(expected[1], rows[1].error, 0.005 * expected[1], name)
      close(expected[2], rows[6].error, 0.005 * expected[2], name)
      assert.equal(320, rows[6].steps)
    end
  end)

  it("on nonlinear equations, with the solution known and not", function()
    for name, order in pairs(orders) do
      local scheme = { scheme = name, newton = schemes[name].implicit and "full" or nil, linearisation = "exact" }
      local first = order == 1 and 400 or 100
      local found = step.order {
        scheme = scheme, equation = step.equation { name = "pendulum", to = 1 }, first = first, halvings = 3,
        norm = "max",
      }
      close(order, found, 0.05, name)
      found = step.order { scheme = scheme, equation = step.equation { name = "spring chain", to = 0.2 },
        halvings = 3, first = order == 4 and 25 or first }
      close(order, found, 0.05, name)
    end
  end)

  it("of symplectic and Verlet schemes: lagged damping takes one order, averaged damping gives it back", function()
    local undamped = step.equation { name = "oscillator", frequency = math.sqrt(5), x = { 0 }, v = { 1 }, to = 10 }
    local damped = step.equation "example 2"
    local cases = {
      { "symplectic euler", "oscillator", 1 }, { "symplectic euler", damped, 1 }, { "verlet", undamped, 2 },
      { "verlet", damped, 1 }, { "verlet averaged", undamped, 2 }, { "verlet averaged", damped, 2 },
    }
    for _, case in ipairs(cases) do
      local order = step.order { scheme = case[1], equation = case[2], first = 320, halvings = 3,
        norm = "max" }
      close(case[3], order, 0.05, case[1])
    end
    local _, rows = step.order { scheme = "verlet", equation = undamped, first = 1280, halvings = 1 }
    close(1.247e-4, rows[1].error, 0.01e-4)
  end)

  it("refuse options that make no sense", function()
    assert.matches("first must be a number from 1",
      message_of(step.order, { scheme = "rk4", equation = "kepler", first = 0 }))
    assert.matches("must be integers", message_of(step.order, { scheme = "rk4", equation = "kepler", first = 1.5 }))
    assert.matches('norm must be one of "end", "max"',
      message_of(step.order, { scheme = "rk4", equation = "kepler", norm = "l2" }))
    assert.equal("weft.step.order: scheme must be a weft.step.integrator, got nothing",
      message_of(step.order, { equation = "kepler" }))
    assert.equal("weft.step.order: equation must be a weft.step.equation, got nothing",
      message_of(step.order, { scheme = "rk4" }))
    local explosion = step.equation {
      title = "explosion", x = { 1 }, v = { 1 }, to = 5, force = function(_, x) return x[1] ^ 3 end,
    }
    assert.matches("no reference solution of explosion",
      message_of(step.order, { scheme = "rk4", equation = explosion }))
  end)
end)
