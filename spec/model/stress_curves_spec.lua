-- Membranes of measured stress-strain curves: A22 to A24 of the reference on the garment tutorial.

local weft = require "weft"
local coupons = require "spec.model.coupons"
local sheets = require "spec.model.sheets"

local triangle = { faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } } }

local function fabric_of(curves)
  return weft.fabric { stretch = { weft = 1000, warp = 400, coupling = 0 }, shear = 30, curves = curves }
end

--- The stress along the weft and the energy density at a strain; `name`: of the model that measures it.
local function stretched(model, strain)
  local x = { { 0, 0, 0 }, { 1 + strain, 0, 0 }, { 0, 1, 0 } }
  return 2 * model:forces({ x = x }):get(1), 2 * model:energy { x = x }
end

--- The shear stress at an angle, with sides that keep their length.
local function sheared(model, angle)
  local x = { { 0, 0, 0 }, { 1, 0, 0 }, { math.sin(angle), math.cos(angle), 0 } }
  local f = model:forces({ x = x }):table()[3]
  return -2 * (f[1] * math.cos(angle) - f[2] * math.sin(angle))
end

describe("A measured curve", function()
  local points = { { -0.05, -2 }, { 0.01, 1 }, { 0.02, 8 }, { 0.05, 9 }, { 0.06, 9 }, { 0.1, 60 } }
  local model = coupons.model({ name = "weave particles" }, triangle, fabric_of { weft = points })

  it("goes through its points and the origin, without a kink, and rises between them", function()
    for _, p in ipairs(points) do
      assert.near(p[2], (stretched(model, p[1])), 1e-9)
      local below = p[2] - stretched(model, p[1] - 1e-7)
      local above = stretched(model, p[1] + 1e-7) - p[2]
      assert.near(above, below, 1e-4 * 1e-4 + 1e-4 * math.abs(above))
    end
    assert.near(0, (stretched(model, 0)), 1e-12)
    local before = -math.huge
    for k = -120, 240 do
      local stress = stretched(model, k / 2000)
      assert.is_true(stress >= before - 1e-12)
      before = stress
    end
  end)

  it("goes on straight beyond its ends, and its energy is its integral", function()
    local slope = (stretched(model, 0.15) - stretched(model, 0.1)) / 0.05
    assert.near(slope, (stretched(model, 0.3) - stretched(model, 0.15)) / 0.15, 1e-9 * slope)
    local sum, steps = 0, 2000
    for k = 1, steps do
      sum = sum + stretched(model, 0.12 * (k - 0.5) / steps) * 0.12 / steps
    end
    local _, energy = stretched(model, 0.12)
    assert.near(energy, sum, 1e-6 * energy)
    assert.near(0, select(2, stretched(model, 0)), 1e-15)
  end)

  it("without points in compression goes straight there in tension, and is mirrored in shear", function()
    local one = coupons.model({ name = "weave particles" }, triangle, fabric_of { weft = { { 0.05, 1 }, { 0.1, 6 } },
      shear = { { 0.05, 2 }, { 0.2, 3 } } })
    local slope = stretched(one, 1e-6) / 1e-6
    assert.near(-0.3 * slope, (stretched(one, -0.3)), 1e-4 * slope)
    for _, angle in ipairs { 0.02, 0.1, 0.3 } do
      assert.near(-sheared(one, angle), sheared(one, -angle), 1e-12)
    end
    local energies = coupons.model({ name = "grid energies" }, { faces = { { 1, 2, 4 }, { 3, 4, 2 } },
      rest = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } }, fabric_of { shear = { { 0.05, 2 }, { 0.2, 3 } } })
    local c, s = math.cos(0.2), math.sin(0.2)
    local f = energies:forces({ x = { { 0, 0, 0 }, { 1, 0, 0 }, { 1 + s, c, 0 }, { s, c, 0 } } }):table()
    assert.near(-3, (f[3][1] + f[4][1]) * c - (f[3][2] + f[4][2]) * s, 1e-9)
  end)

  it("of random ascending points ascends", function()
    local random = sheets.random(4)
    for _ = 1, 20 do
      local curve, strain, stress = {}, 0, 0
      for k = 1, 24 do
        strain, stress = strain + 0.001 + 0.01 * (1 + random()), stress + math.exp(4 * random())
        curve[k] = { strain, stress }
      end
      local trial = coupons.model({ name = "Biot" }, triangle, fabric_of { weft = curve })
      local before = stretched(trial, -0.1)
      for k = -99, 400 do
        local now = stretched(trial, k * strain / 380)
        assert.is_true(now > before)
        before = now
      end
    end
  end)
end)

describe("Curves that cannot be", function()
  local function refused(curves, part)
    local ok, message = pcall(fabric_of, curves)
    assert.is_false(ok)
    assert.truthy(message:find(part, 1, true), message)
  end

  it("are refused, and named", function()
    refused({ weft = { { 0.1, 5 }, { 0.05, 9 } } }, "curves.weft must ascend: point 2")
    refused({ warp = { { 0.1, 5 }, { 0.2, 4 } } }, "curves.warp must ascend: point 2")
    refused({ shear = { { 0.1, -5 } } }, "curves.shear must pass through the origin: point 1")
    refused({ shear = { { 0, 1 }, { 0.1, 5 } } }, "curves.shear must pass through the origin: point 1")
    refused({ weft = { { 11, 5 } } }, "curves.weft: point 1 must have a strain within 10")
    refused({ weft = { { 0, 0 } } }, "curves.weft must have a point beside the origin")
    for _, points in ipairs {
      { { 1e-300, 0 }, { 0.1, 5 } }, { { 1e-300, 1 } }, { { -1e-12, 0 } }, { { -0.1, -2e8 } }, { { 0.001, 2e6 } },
    } do
      refused({ shear = points }, "curves.shear: point 1 must be 1e-9 away in strain from the origin")
    end
    refused({ weft = { { 0.1, 5 }, { 0.1 + 1e-12, 5 } } }, "curves.weft: point 2 must be 1e-9 away in strain")
    refused({ weft = { { 0.1, 5 }, { 0.101, 5e6 } } }, "curves.weft: point 2 must be 1e-9 away in strain")
    local many = {}
    for k = 1, 25 do
      many[k] = { k, k }
    end
    refused({ weft = many }, "weft may have 24 points, got 25")
    local ok, message = pcall(weft.fabric, { stretch = { weft = 1000, warp = 400, coupling = 120 },
      curves = { weft = { { 0.1, 3 }, { 0.2, 20 } } } })
    assert.is_false(ok)
    assert.truthy(message:find("stretch.coupling must be 0 or smaller than sqrt(weft * warp)", 1, true), message)
  end)

  it("or that a model cannot express, too; reading and taking away", function()
    local fabric = fabric_of { weft = { { 0.1, 5 } }, shear = { { 0.2, 1 } } }
    for _, entry in ipairs(weft.model.list()) do
      if entry.kind == "membrane" and not entry.grid then
        local made, message = pcall(coupons.model, entry, triangle, fabric)
        assert.equal(entry.curves, made)
        assert.truthy(made or message:find("stress-strain curves", 1, true), message)
      end
    end
    assert.same({ weft = { { 0.1, 5 } }, shear = { { 0.2, 1 } } }, fabric.curves)
    fabric.curves = { weft = {} }
    assert.same({ shear = { { 0.2, 1 } } }, fabric.curves)
    local saved, message = pcall(fabric.save, fabric, "/nowhere")
    assert.is_false(saved)
    assert.truthy(message:find("no place for stress-strain curves", 1, true), message)
    fabric.curves = { shear = {} }
    assert.is_true(pcall(coupons.model, { name = "green" }, triangle, fabric))
  end)
end)

describe("The power law of Breen and Eberhardt", function()
  -- Printed (tutorial 2004, equation 5) as 1/2 C (r - l - h1)^3 for r >= l and 1/2 C (r - l - h2)^5 below.
  local function above(stretch, h)
    return 0.5e6 * (stretch - h) ^ 3
  end
  local function below(stretch, h)
    return 0.5e6 * (stretch - h) ^ 5
  end

  it("as printed pushes a compressed side on, and jumps where r = l and h is not 0", function()
    assert.is_true(below(-0.1, 0) < 0)
    assert.is_true(below(-0.11, 0) < below(-0.1, 0)) -- less energy the shorter it is
    assert.near(-0.5, above(0, 0.01), 1e-12)
    assert.near(-5e-5, below(0, 0.01), 1e-12)
  end)

  it("with restoring powers is a curve that a grid's sides follow both ways", function()
    local points = {}
    for k = -12, 11 do
      local e = 0.01 * k
      points[#points + 1] = { e, e >= 0 and 1.5e6 * e ^ 2 or -2.5e6 * e ^ 4 }
    end
    local grid = { faces = { { 1, 2, 4 }, { 3, 4, 2 } }, rest = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } }
    local model = coupons.model({ name = "grid energies" }, grid, fabric_of { weft = points })
    for _, e in ipairs { -0.1, -0.035, 0.045, 0.1 } do
      local x = { { 0, 0, 0 }, { 1 + e, 0, 0 }, { 1 + e, 1, 0 }, { 0, 1, 0 } }
      local stress = e >= 0 and 1.5e6 * e ^ 2 or -2.5e6 * e ^ 4
      local energy = e >= 0 and above(e, 0) or -below(e, 0)
      assert.near(stress, 2 * model:forces({ x = x }):get(1), 0.01 * math.abs(stress) + 0.2)
      assert.near(energy, model:energy { x = x }, 0.02 * energy + 0.02)
    end
  end)
end)

-- A23: 100 N/m at 5 %, 500 N/m at 10 %
local exponential = {}
for k = 1, 24 do
  local strain = 0.1 * (k / 24) ^ 1.3
  exponential[k] = { strain, 33.333 * (math.exp(27.726 * strain) - 1) }
end
local suiting = weft.fabric { stretch = { weft = 2000, warp = 2000, coupling = 0 }, shear = 30,
  curves = { warp = exponential, weft = exponential, shear = { { 0.02, 4 }, { 0.1, 20 }, { 0.14, 40 } } } }
-- the secant at 100 N/m
local linear = weft.fabric { stretch = { weft = 2000, warp = 2000, coupling = 0 }, shear = 200 }

for _, entry in ipairs(coupons.membranes(function(e) return e.curves and e.name ~= "Baraff-Witkin as published" end)) do
  describe("A strip of " .. entry.name, function()
    local meshes = coupons.meshes(entry)

    local function extension(sheet, fabric, stress, direction)
      local x = coupons.rest(sheet, coupons.model(entry, sheet, fabric), { load = coupons.traction(sheet, stress),
        tolerance = entry.published and 1e-4 or 1e-6 })
      return coupons.stretch(coupons.gradient(sheet, x), direction)
    end

    it("extends by its curve: as the secant's under its own weight, and not at all so under a tester's load", function()
      for k, sheet in ipairs { meshes[1], meshes[3] } do
        local exact = entry.name ~= "edge elongations" or k == 1
        assert.near(0.0021, extension(sheet, suiting, { 0, 2, 0 }, { 0, 1 }), 0.00002)
        assert.near(0.0010, extension(sheet, linear, { 0, 2, 0 }, { 0, 1 }), 0.000005)
        assert.near(0.05, extension(sheet, suiting, { 0, 100, 0 }, { 0, 1 }), exact and 5e-5 or 2e-3)
        assert.near(0.1, extension(sheet, suiting, { 500, 0, 0 }, { 1, 0 }), exact and 1e-4 or 1e-2)
        assert.near(0.25, extension(sheet, linear, { 0, 500, 0 }, { 0, 1 }), exact and 3e-4 or 3e-2)
      end
    end)

    if not entry.published then
      it("has forces and a matrix that are its curves' derivatives, and a semidefinite one", function()
        local sheet = sheets.grid { columns = 3, rows = 2, width = 0.06, height = 0.04, seed = 2,
          jitter = entry.grid and 0 or 0.2 }
        local model, random = coupons.model(entry, sheet, suiting), sheets.random(5)
        local x = sheets.map(sheet.x, function(u, v)
          return 1.03 * u + 0.05 * v + 2e-3 * random(), 0.98 * v + 2e-3 * random(), 2e-3 * random()
        end)
        local force_error, matrix_error = sheets.difference_errors(model, x)
        assert.is_true(force_error < 1e-6, ("forces off by %g"):format(force_error))
        assert.is_true(matrix_error < 1e-5, ("matrix off by %g"):format(matrix_error))
        local values = sheets.eigenvalues(model:matrix { x = x, damping = 0.1 })
        assert.is_true(values[1] > -1e-10 * values[#values])
      end)
    end
  end)
end
