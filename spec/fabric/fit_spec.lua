-- Laws fitted to measured curves.

local weft = require "weft"
local support = require "spec.support"
local message_of, fit = support.message_of, weft.fabric.fit

local function curve_of(f, count, last)
  local points = {}
  for k = 0, count do
    points[k + 1] = { last * k / count, f(last * k / count) }
  end
  return points
end

--- The curve of the reference: 100 N/m at 5 %, 500 N/m at 10 %.
local function stiffening(strain)
  return 33.333 * (math.exp(27.726 * strain) - 1)
end

describe("A fitted line", function()
  it("is the line that the points are on, and that of least squares", function()
    local law = fit { curve = curve_of(function(x) return 700 * x end, 5, 0.1) }
    assert.near(700, law.modulus, 1e-9)
    assert.near(0, law.residual, 1e-9)
    assert.near(1, law.determination, 1e-12)
    local offset = fit { curve = { { 0, 1 }, { 1, 2 }, { 2, 4 }, { 3, 4 } }, through_zero = false }
    assert.near(1.1, offset.modulus, 1e-12) -- by hand: sum of dx dy over sum of dx²
    assert.near(1.1, offset.offset, 1e-12)
    assert.near((0.7 / 4) ^ 0.5, offset.residual, 1e-12)
    assert.near(1.1 + 1.1 * 5, (offset:at(5)), 1e-12)
  end)

  it("counts the points of a range alone", function()
    local curve = curve_of(stiffening, 20, 0.1)
    local low, high = fit { curve = curve, to = 0.0101 }, fit { curve = curve, from = 0.09, through_zero = false }
    assert.equal(3, low.points)
    assert.near(stiffening(0.01) / 0.01, low.modulus, 0.05 * low.modulus)
    assert.is_true(high.modulus > 8 * low.modulus)
  end)
end)

describe("Fitted segments and splines", function()
  it("pass through the knots' points when there are as many knots", function()
    local curve = curve_of(stiffening, 10, 0.1)
    for _, kind in ipairs { "segments", "spline" } do
      local law = fit { curve = curve, kind = kind, knots = 11 }
      assert.near(0, law.residual, 1e-9)
      for _, point in ipairs(curve) do
        assert.near(point[2], (law:at(point[1])), 1e-8)
      end
    end
  end)

  it("follow a stiffening curve, and are monotone and smooth", function()
    local curve = curve_of(stiffening, 60, 0.1)
    local law = fit { curve = curve, kind = "spline", knots = { 0, 0.02, 0.04, 0.06, 0.08, 0.09, 0.1 } }
    assert.is_true(law.residual < 5)
    assert.is_true(law.residual < 0.2 * fit { curve = curve }.residual)
    assert.equal(0, (law:at(0)))
    local step, last, last_slope = 1e-5, law:at(0)
    for x = step, 0.12, step do
      local y, slope = law:at(x)
      assert.is_true(y >= last and slope >= 0)
      assert.near(slope, (y - last) / step, 0.01 * slope + 1)
      assert.is_true(math.abs(slope - last_slope) < 0.02 * slope + 1)
      last, last_slope = y, slope
    end
  end)

  it("level what would fall", function()
    local noisy = {}
    for k = 0, 30 do
      noisy[k + 1] = { k, math.min(k, 10) }
    end
    local law = fit { curve = noisy, kind = "segments", knots = { 0, 8, 12, 20, 30 } }
    for k = 1, 4 do
      local _, here = law.knots:get(k)
      local _, after = law.knots:get(k + 1)
      assert.is_true(after >= here - 1e-12)
    end
  end)

  it("can be a fabric's curves", function()
    local law = fit { curve = curve_of(stiffening, 40, 0.1), kind = "spline", knots = 8 }
    local points = {}
    for k = 1, #law.knots do
      local strain, load = law.knots:get(k)
      points[k] = { strain, load }
    end
    local fabric = weft.fabric { curves = { weft = points } }
    assert.equal(#points, #fabric.curves.weft)
  end)
end)

describe("A measured curve", function()
  local function write(text)
    local file = assert(io.open("build/spec/curve.csv", "w"))
    file:write(text)
    file:close()
    return "build/spec/curve.csv"
  end

  it("is read in SI units", function()
    local curve = weft.fabric.load_curve(write "# KES-FB1\nstrain (%), load (gf/cm)\n0, 0\n2.5, 100\n")
    assert.near(0.025, curve[2][1], 1e-15)
    assert.near(98.0665, curve[2][2], 1e-9)
    curve = weft.fabric.load_curve(write "angle [deg];load [N/m]\n0;0\n8;2,5\n")
    assert.near(math.rad(8), curve[2][1], 1e-15)
    assert.equal(2.5, curve[2][2])
  end)

  it("is refused with the row", function()
    for text, expected in pairs {
      ["strain, load (gf/cm)\n0, 0\n"] = "row 1: the column strain has no unit; write it as in \"strain (1)\"",
      ["strain (mm), load (gf/cm)\n"] = "row 1: the unit of strain must be one of %, 1, m/m, mm/mm, got \"mm\"",
      ["strain (%), force (N)\n"] = "a column must be one of strain, load, angle, curvature, moment, got \"force\"",
      ["strain (%), load (N/m)\n1, x\n"] = "row 2: load must be a number, got \"x\"",
      ["strain (%), load (N/m)\n1\n"] = "row 2: a row has two numbers, got 1 fields",
      ["strain (%)\n"] = "row 1: a curve has two columns, got 1",
    } do
      local message = message_of(weft.fabric.load_curve, write(text))
      assert.is_truthy(message:find(expected, 1, true), message)
      assert.matches("^weft.fabric.load_curve: ", message)
    end
    assert.matches("No such file", message_of(weft.fabric.load_curve, "no/such.csv"))
    assert.matches("titles, but no points", message_of(weft.fabric.load_curve, write "strain (%), load (gf/cm)\n"))
  end)

  it("must be monotone to be fitted", function()
    assert.equal("weft.fabric.fit: point 3 of the curve: y must not fall, but 1 follows 2",
      message_of(fit, { curve = { { 0, 0 }, { 1, 2 }, { 2, 1 } } }))
    assert.equal("weft.fabric.fit: point 2 of the curve: x must grow, but 0 follows 0",
      message_of(fit, { curve = { { 0, 0 }, { 0, 1 } } }))
    assert.equal("weft.fabric.fit: a curve needs at least two points, got 1", message_of(fit, { curve = { { 0, 0 } } }))
    assert.equal("weft.fabric.fit: curve must be a list of points {x, y}, got nothing", message_of(fit, {}))
    assert.matches("knots must grow", message_of(fit, { curve = { { 0, 0 }, { 1, 1 } }, kind = "spline",
      knots = { 1, 0 } }))
    assert.matches("too few points between the 6 knots", message_of(fit, { curve = { { 0, 0 }, { 1, 1 } },
      kind = "segments" }))
    assert.matches("a line needs two points of different x from 5 to 1, got 0", message_of(fit,
      { curve = { { 0, 0 }, { 1, 1 } }, from = 5 }))
    for _, kind in ipairs { "segments", "spline" } do
      for _, name in ipairs { "from", "to" } do
        assert.equal(
          "weft.fabric.fit: " .. name .. " is of a line: segments and splines take their range from the knots",
          message_of(fit, { curve = { { 0, 0 }, { 1, 1 } }, kind = kind, [name] = 1 }))
      end
    end
    local line = { { 0, 0 }, { 1, 1 }, { 2, 2 } }
    assert.equal("weft.fabric.fit: knots are of segments and splines", message_of(fit, { curve = line, knots = 3 }))
    assert.matches("squares of the curve's points are not finite",
      message_of(fit, { curve = { { 0, 0 }, { 1e200, 1 } } }))
    for expected, unloading in pairs {
      ["unloading%[2%] must be two numbers, got {1, nan}"] = { { 0, 0 }, { 1, 0 / 0 } },
      ["unloading: a curve needs at least two points, got 1"] = { { 0, 0 } },
      ["unloading: point 2 of the curve: x must grow, but 0 follows 2"] = { { 2, 2 }, { 0, 0 } },
      ["unloading: there are too few points between the 3 knots"] = { { 0, 0 }, { 2, 2 } },
    } do
      assert.matches("^weft.fabric.fit: " .. expected,
        message_of(fit, { curve = line, unloading = unloading, kind = "segments", knots = 3 }))
    end
    assert.equal("weft.fabric.fit: unknown option 'knot'; did you mean 'knots'?",
      message_of(fit, { curve = { { 0, 0 }, { 1, 1 } }, knot = 3 }))
  end)

  it("is plotted with its fit where gnuplot is", function()
    local curve = curve_of(stiffening, 20, 0.1)
    local law = fit { curve = curve, kind = "spline" }
    os.remove "build/spec/fit.png"
    local drawn = weft.fabric.plot_fit(law, { curve = curve, file = "build/spec/fit.png", title = "a 'quote' \"\\\n" ..
      "`touch build/spec/ran`" })
    local file = io.open("build/spec/fit.png", "rb")
    assert.equal(drawn, file ~= nil)
    assert.is_nil(io.open "build/spec/ran") -- what is in a title is text
    if file then
      assert.equal("\137PNG", file:read(4))
      file:close()
    end
    assert.matches("file must be a path that ends with .png",
      message_of(weft.fabric.plot_fit, law, { curve = curve, file = "x.pdf" }))
    assert.matches("law must be what weft.fabric.fit returns", message_of(weft.fabric.plot_fit, {}, { curve = curve }))
    assert.matches("No such file", message_of(weft.fabric.plot_fit, law, { curve = curve, file = "no/such/f.png" }))
    for _, name in ipairs { "title", "x_label", "y_label" } do
      assert.matches(name .. " must be a string, got 7",
        message_of(weft.fabric.plot_fit, law, { curve = curve, file = "build/spec/fit.png", [name] = 7 }))
    end
    assert.matches("curve must be a list of points {x, y}",
      message_of(weft.fabric.plot_fit, law, { curve = { 1, 2 }, file = "build/spec/fit.png" }))
    assert.matches("law.at: x must be a number, got nothing", message_of(law.at, law))
    assert.matches("law.at: x must be a number, got nan", message_of(law.at, fit { curve = curve }, 0 / 0))
    assert.matches("law.at: law must be what weft.fabric.fit returns, got nothing", message_of(law.at, nil, 1))
  end)

  it("survives each allocation failing", function()
    local curve = curve_of(stiffening, 20, 0.1)
    support.fail_each_allocation(function() return fit { curve = curve, kind = "spline" } end)
  end)
end)
