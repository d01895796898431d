-- Small pieces of cloth as equations, and what the specs of the schemes that work on elements all ask of them.

local assert = require "luassert"
local sheets = require "spec.model.sheets"
local weft = require "weft"
local step = weft.step

local cloths = {}

--- Fabric without viscosity, unless `changes` say otherwise.
function cloths.fabric(changes)
  local fabric = weft.fabric.preset "wool"
  local table_of = { density = fabric.density, stretch = { weft = 866, warp = 1391, coupling = 225.7 }, shear = 29.2,
    bend = { weft = 1.37e-5, warp = 1.35e-5, viscosity = 0 }, viscosity = 0 }
  for key, value in pairs(changes or {}) do
    table_of[key] = value
  end
  return weft.fabric(table_of)
end

--- An unstructured sheet of 0.4 x 0.3 m, its vertices shaken by `shake` (m), as options of weft.step.cloth.
function cloths.sheet(options)
  options = options or {}
  local columns, rows = options.columns or 6, options.rows or 5
  local grid = sheets.grid { columns = columns, rows = rows, width = 0.4, height = 0.3, jitter = options.jitter or 0.25,
    diagonal = "random", seed = 5 }
  local random, shake = sheets.random(11), options.shake or 0.002
  local x = sheets.map(grid.rest, function(u, v)
    return u + shake * random(), shake * random(), v + shake * random()
  end)
  return { x = x, faces = grid.faces, rest = grid.rest, fabric = options.fabric or cloths.fabric(),
    pins = options.pins, gravity = options.gravity, damping = options.damping, v = options.v }
end

--- One step of a scheme (a name or a table of options) from the start, or from {x, v}: x and v as tables, and the work.
function cloths.step(scheme, equation, h, state)
  local integrator = step.integrator(scheme)
  local x, v = integrator:step { equation = equation, step = h, x = state and state.x, v = state and state.v }
  return x:table(), v:table(), integrator.work
end

--- Many steps of one integrator.
function cloths.walk(scheme, equation, h, count)
  local integrator = step.integrator(scheme)
  local x, v
  for _ = 1, count do
    x, v = integrator:step { equation = equation, step = h, x = x, v = v }
  end
  return x:table(), v:table(), integrator.work
end

function cloths.distance(a, b)
  local largest = 0
  for i = 1, #a do
    local dx, dy, dz = a[i][1] - b[i][1], a[i][2] - b[i][2], a[i][3] - b[i][3]
    largest = math.max(largest, math.sqrt(dx * dx + dy * dy + dz * dz))
  end
  return largest
end

--- Whether every number is finite.
function cloths.finite(points)
  for i = 1, #points do
    for k = 1, 3 do
      local zero = points[i][k] - points[i][k]
      if zero ~= 0 then
        return false
      end
    end
  end
  return true
end

--- Sum of mass x vector, and of mass x place x vector.
function cloths.momenta(mass, x, v)
  local linear, angular = { 0, 0, 0 }, { 0, 0, 0 }
  for i = 1, #v do
    local turn = sheets.cross(x[i], v[i])
    for k = 1, 3 do
      linear[k] = linear[k] + mass[i] * v[i][k]
      angular[k] = angular[k] + mass[i] * turn[k]
    end
  end
  return linear, angular
end

function cloths.masses(options)
  return weft.model.masses { faces = options.faces, rest = options.rest, density = options.fabric.density }:table()
end

local newton = { scheme = "backward euler", newton = "full", newton_tolerance = 1e-9, newton_iterations = 1000 }

--- Backward Euler by Newton's method.
function cloths.reference(equation, h, state)
  return cloths.step(newton, equation, h, state)
end

--- What all three schemes promise, in the words of busted. `scheme(iterations)` is a table of options with so many
--- iterations; `many` of them converge. Facts: `conserves`, each iteration keeps the momentum; `splits`, the viscosity
--- of membranes acts after the step.
function cloths.promises(busted, name, scheme, many, facts)
  local describe, it, conserves = busted.describe, busted.it, facts.conserves
  describe(name .. ", like every scheme on elements,", function()
    it("converges to the backward Euler step of Newton's method on an unstructured sheet", function()
      local equation = step.cloth(cloths.sheet { pins = { 1, 7 } })
      local expected, expected_v = cloths.reference(equation, 1 / 60)
      local last = math.huge
      for _, share in ipairs { 100, 10, 1 } do
        local x = cloths.step(scheme(math.ceil(many / share)), equation, 1 / 60)
        local error_now = cloths.distance(expected, x)
        assert.is_true(error_now < last, ("%g after %g"):format(error_now, last))
        last = error_now
      end
      assert.is_true(last < 1e-7, last)
      local _, v = cloths.step(scheme(many), equation, 1 / 60)
      assert.is_true(cloths.distance(expected_v, v) < 1e-5)
    end)

    it("converges to it with viscosity and damping too", function()
      local options = cloths.sheet { pins = { 1, 7 }, shake = 0.0005, damping = 2,
        fabric = cloths.fabric { viscosity = facts.splits and 0 or 0.01,
          bend = { weft = 1.37e-5, warp = 1.35e-5, viscosity = 0.01 } } }
      local equation = step.cloth(options)
      local expected = cloths.reference(equation, 1 / 60)
      assert.is_true(cloths.distance(expected, (cloths.step(scheme(many), equation, 1 / 60))) < 1e-7)
    end)

    it(conserves and "keeps momentum after any number of iterations, and turns nothing at the end"
      or "keeps momentum and turns nothing at the end", function()
      local options = cloths.sheet { gravity = { 0, 0, 0 } }
      local random = sheets.random(3)
      options.v = sheets.map(options.x, function() return 0.2 * random(), 0.2 * random(), 0.2 * random() end)
      local mass, equation = cloths.masses(options), step.cloth(options)
      local before = cloths.momenta(mass, options.x, options.v)
      for _, iterations in ipairs(conserves and { 1, 3, many } or { many }) do
        local x, v = cloths.step(scheme(iterations), equation, 1 / 60)
        local after = cloths.momenta(mass, x, v)
        for k = 1, 3 do
          assert.near(before[k], after[k], conserves and 1e-12 or 1e-7)
        end
        if iterations == many then -- sum of x1 x m (v1 - v0) = h sum of x1 x f, and no force turns anything
          local change = sheets.map(v, function(a, b, c) return a, b, c end)
          for i = 1, #change do
            for k = 1, 3 do
              change[i][k] = v[i][k] - options.v[i][k]
            end
          end
          local _, turned = cloths.momenta(mass, x, change)
          for k = 1, 3 do
            assert.near(0, turned[k], 1e-7)
          end
        end
      end
    end)

    it("moves pins as they were told, and free fall by its closed form", function()
      local options = cloths.sheet { shake = 0, pins = { 3 }, damping = 3 }
      options.v = sheets.zeros(#options.x)
      options.v[3] = { 0.5, -0.25, 2 }
      local x, v = cloths.step(scheme(5), step.cloth(options), 1 / 32)
      for k = 1, 3 do
        assert.near(options.x[3][k] + options.v[3][k] / 32, x[3][k], 1e-15)
        assert.equal(options.v[3][k], v[3][k])
      end
      local falling = cloths.sheet { shake = 0, damping = 3 }
      local _, fallen = cloths.step(scheme(5), step.cloth(falling), 1 / 32)
      local substeps = scheme(5).substeps or 1
      local expected, h = 0, 1 / 32 / substeps
      for _ = 1, substeps do
        expected = (expected - 9.81 * h) / (1 + 3 * h)
      end
      for i = 1, #fallen do
        assert.near(expected, fallen[i][2], 1e-12)
      end
    end)

    it("stays together however stiff the cloth is", function()
      local options = cloths.sheet { pins = { 1 }, shake = 0.003, fabric = cloths.fabric {
        stretch = { weft = 8e8, warp = 9e8, coupling = 1e8 }, shear = 5e8,
        bend = { weft = 10, warp = 10, viscosity = 0 } } }
      local x, v = cloths.walk(scheme(4), step.cloth(options), 1 / 60, 40)
      assert.is_true(cloths.finite(x) and cloths.finite(v))
      for i = 1, #x do
        local dx, dy, dz = x[i][1] - x[1][1], x[i][2] - x[1][2], x[i][3] - x[1][3]
        assert.is_true(math.sqrt(dx * dx + dy * dy + dz * dz) < 0.75, "a sheet of 0.5 m across")
      end
    end)

    it("opens triangles that start as a line or a point", function()
      local rest = { { 0, 0 }, { 0.1, 0 }, { 0, 0.1 }, { 0.1, 0.1 } }
      local faces = { { 1, 2, 3 }, { 2, 4, 3 } }
      for _, start in ipairs { { { 0, 0, 0 }, { 0.1, 0, 0 }, { 0.05, 0, 0 }, { 0.1, 0, 0 } },
        { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } } do
        local equation = step.cloth { x = start, faces = faces, rest = rest, fabric = cloths.fabric(), damping = 20,
          gravity = { 0, 0, 0 } }
        local x = cloths.walk(scheme(10), equation, 1 / 60, 60)
        assert.is_true(cloths.finite(x))
        local strains = weft.model.membrane { faces = faces, rest = rest, fabric = cloths.fabric() }:strains { x = x }
        for _, strain in ipairs(strains:table()) do
          assert.near(0, strain[1], 0.05)
          assert.near(0, strain[2], 0.05)
        end
      end
    end)

    it("works where a hundred triangles meet in a vertex", function()
      local rest, x, faces = { { 0, 0 } }, { { 0, 0, 0 } }, {}
      for k = 0, 99 do
        local u, v = 0.1 * math.cos(2 * math.pi * k / 100), 0.1 * math.sin(2 * math.pi * k / 100)
        rest[k + 2], x[k + 2] = { u, v }, { 1.01 * u, 0.002 * math.sin(9 * k), 0.99 * v }
        faces[k + 1] = { 1, k + 2, (k + 1) % 100 + 2 }
      end
      local equation = step.cloth { x = x, rest = rest, faces = faces, fabric = cloths.fabric(), pins = { 2, 50 } }
      local expected = cloths.reference(equation, 1 / 240)
      local few = cloths.distance(expected, (cloths.step(scheme(2), equation, 1 / 240)))
      local more = cloths.distance(expected, (cloths.step(scheme(many), equation, 1 / 240)))
      assert.is_true(more < 0.3 * few, ("%g after %g"):format(more, few))
    end)

    it("gives the same bits for any number of threads and any instruction set", function()
      local options = cloths.sheet { columns = 40, rows = 40, pins = { 1 },
        fabric = cloths.fabric { viscosity = 0.01 } }
      local equation, best = step.cloth(options), weft.instruction_set()
      local expected = cloths.walk(scheme(3), equation, 1 / 60, 2)
      for _, threads in ipairs { 2, 5 } do
        weft.threads(threads)
        local x = cloths.walk(scheme(3), equation, 1 / 60, 2)
        weft.threads(1)
        assert.equal(0, cloths.distance(expected, x))
      end
      for _, set in ipairs(select(2, weft.instruction_set())) do
        weft.instruction_set(set)
        local x = cloths.walk(scheme(3), equation, 1 / 60, 2)
        weft.instruction_set(best)
        assert.equal(0, cloths.distance(expected, x))
      end
    end)

    it("refuses what is not made of elements", function()
      local ok, message = pcall(cloths.step, scheme(1), step.equation "pendulum", 0.1)
      assert.is_false(ok)
      assert.truthy(message:find("elements", 1, true), message)
    end)
  end)
end

--- A strip of `rows` cells of 1 cm, hanging straight from its pinned first row at rest; its fabric has no coupling, so
--- that theory knows how it stretches: by density g L^2 / (2 warp) at the end.
function cloths.strip(options)
  local rows, warp = options.rows or 20, options.warp or 50
  local grid = sheets.grid { columns = 2, rows = rows, width = 0.02, height = rows * 0.01, diagonal = "alternating" }
  local x = sheets.map(grid.rest, function(u, v) return u, -v, 0 end)
  local fabric = cloths.fabric { density = 0.2, stretch = { weft = 60, warp = warp, coupling = 0 } }
  local length = rows * 0.01
  return { x = x, faces = grid.faces, rest = grid.rest, fabric = fabric, pins = { 1, 2, 3 }, damping = 10,
    bending = false }, 0.2 * 9.81 * length ^ 2 / (2 * warp), length
end

return cloths
