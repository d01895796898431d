-- What every force model of the table must be: derivatives of one energy, balanced, blind to rigid motion, the same
-- for any number of threads. A model joins the table and is asked the same.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local unpack = unpack or table.unpack

-- All moduli differ, so that none can stand for another.
local fabric = weft.fabric { stretch = { weft = 300, warp = 500, coupling = 80 }, shear = 60,
  bend = { weft = 2e-5, warp = 3.5e-5, viscosity = 0.02 }, viscosity = 0.03 }

--- An unstructured sheet (a grid for models of threads) and a model on it, curved and strained by about `amount`.
local function specimen(entry, seed, amount)
  local columns, rows = 4, 3
  local sheet = sheets.grid { columns = columns, rows = rows, width = 0.08, height = 0.054, seed = seed,
    jitter = entry.grid and 0 or 0.2, diagonal = entry.grid and "same" or "random" }
  local random = sheets.random(seed + 100)
  local turn = sheets.rotation({ 1, 2, -0.7 }, 0.8)
  sheet.x = sheets.map(sheet.x, function(u, v)
    local size = 0.018 * amount
    return turn(1.03 * u + 0.05 * v + size * random(), 0.98 * v + size * random(),
      3 * u * u - 2 * u * v + v * v + size * random())
  end)
  sheet.v = sheets.map(sheet.x, function() return random(), random(), random() end)
  return sheet, weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
end

local function scaled(points, s)
  return sheets.map(points, function(x, y, z) return s * x, s * y, s * z end)
end

--- States that an element is nearly, or fully, without a shape in.
local degenerate = {
  { "a face is nearly a line", function(sheet)
    local a, b, c = unpack(sheet.faces[8])
    for k = 1, 3 do
      sheet.x[c][k] = 0.4 * sheet.x[a][k] + 0.6 * sheet.x[b][k] + (k == 3 and 1e-4 or 0)
    end
  end },
  { "two vertices nearly meet", function(sheet)
    local a, b = unpack(sheet.faces[8])
    for k = 1, 3 do
      sheet.x[b][k] = sheet.x[a][k] + 1e-4 * k
    end
  end },
  { "a hinge is folded sharply", function(sheet)
    for i, p in ipairs(sheet.x) do
      local u = sheet.rest[i][1]
      if u > 0.041 then
        p[1], p[2], p[3] = 0.082 - u, sheet.rest[i][2], 0.003
      else
        p[1], p[2], p[3] = u, sheet.rest[i][2], 0
      end
      for k = 1, 3 do -- off the rest lengths, where what only pushes has a kink
        p[k] = 0.99 * p[k]
      end
    end
  end },
}

--- Energy at first, J, and after each of 60 steps of a motion of free cloth, and the work of viscosity on it: by Runge
--- and Kutta's scheme, with steps so short that it loses nothing of its own.
local function damped_motion(entry)
  local sheet = specimen(entry, 9, 0.02)
  local h, speed, size = 1e-4, 0.3, 1
  if entry.kind == "bending" then -- slower, and smaller: cross springs begin to push all at once, which is very stiff
    speed, size = 0.1, 0.85
  end
  local model = weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = weft.fabric {
    base = fabric, viscosity = 2e-5, bend = { viscosity = 0.02 } } }
  local masses = weft.model.masses { faces = sheet.faces, rest = sheet.rest, density = fabric.density }:table()
  local x, v, taken = scaled(sheet.x, size), scaled(sheet.v, speed), 0
  local function moved(points, by, step)
    local list = {}
    for i, p in ipairs(points) do
      local d = by[i]
      list[i] = { p[1] + step * d[1], p[2] + step * d[2], p[3] + step * d[3] }
    end
    return list
  end
  local function slopes(place, velocity)
    local moving = model:forces({ x = place, v = velocity }):table()
    local power = sheets.dot(model:forces({ x = place }):table(), velocity) - sheets.dot(moving, velocity)
    for i, f in ipairs(moving) do
      moving[i] = { f[1] / masses[i], f[2] / masses[i], f[3] / masses[i] }
    end
    return velocity, moving, power
  end
  local function energy()
    local kinetic = 0
    for i, w in ipairs(v) do
      kinetic = kinetic + 0.5 * masses[i] * (w[1] ^ 2 + w[2] ^ 2 + w[3] ^ 2)
    end
    return kinetic + model:energy { x = x }
  end
  local before, after = energy(), {}
  for k = 1, 60 do
    local place, velocity, from_x, from_v = x, v, x, v
    for stage, weight in ipairs { 1, 2, 2, 1 } do
      local step = stage < 3 and h / 2 or h
      local by_x, by_v, power = slopes(place, velocity)
      x, v, taken = moved(x, by_x, h / 6 * weight), moved(v, by_v, h / 6 * weight), taken + h / 6 * weight * power
      place, velocity = moved(from_x, by_x, step), moved(from_v, by_v, step)
    end
    after[k] = energy()
  end
  return before, after, taken
end

local function finite(value)
  return value == value and math.abs(value) < 1e300
end

for _, entry in ipairs(weft.model.list()) do
  describe("The model " .. entry.name, function()
    if not entry.published then
      it("has forces that are its energy's gradient, and a matrix that is theirs, at random states", function()
        for seed, amount in ipairs { 0.02, 0.1, 0.3 } do
          local sheet, model = specimen(entry, seed, amount)
          local force_error, matrix_error = sheets.difference_errors(model, sheet.x)
          assert.is_true(force_error < 1e-6, ("forces off by %g at %g"):format(force_error, amount))
          assert.is_true(matrix_error < 1e-6, ("matrix off by %g at %g"):format(matrix_error, amount))
        end
      end)

      for _, state in ipairs(degenerate) do
        it("has them where " .. state[1], function()
          local sheet, model = specimen(entry, 4, 0.02)
          state[2](sheet)
          local force_error, matrix_error = sheets.difference_errors(model, sheet.x, 1e-9)
          assert.is_true(force_error < 1e-4, ("forces off by %g"):format(force_error))
          assert.is_true(matrix_error < 1e-4, ("matrix off by %g"):format(matrix_error))
        end)
      end

      it("has a matrix that is its forces' derivative where all is flat", function()
        local sheet, model = specimen(entry, 4, 0)
        for i, rest in ipairs(sheet.rest) do
          sheet.x[i] = { 1.02 * rest[1], 0.97 * rest[2], 0 }
        end
        local _, matrix_error = sheets.difference_errors(model, sheet.x, 1e-6)
        assert.is_true(matrix_error < 1e-6, ("matrix off by %g"):format(matrix_error))
      end)

      it("has a matrix for solvers that is semidefinite, and exact where that is", function()
        for seed, amount in ipairs { 0.02, 0.3 } do
          local sheet, model = specimen(entry, seed, amount)
          local matrix = model:matrix { x = sheet.x, damping = 0.1 }
          local values = sheets.eigenvalues(matrix)
          assert.is_true(sheets.asymmetry(matrix) < 1e-12)
          assert.is_true(values[1] > -1e-10 * values[#values], ("%g of %g"):format(values[1], values[#values]))
        end
        local sheet, model = specimen(entry, 3, 0)
        for i, rest in ipairs(sheet.rest) do -- stretched along both threads and flat: nothing is indefinite
          sheet.x[i] = { 1.02 * rest[1], 1.03 * rest[2], 0 }
        end
        local exact, safe = model:matrix { x = sheet.x, exact = true }, model:matrix { x = sheet.x }
        local largest, difference = 0, 0
        for i, row in ipairs(exact) do
          for j, value in ipairs(row) do
            largest, difference = math.max(largest, math.abs(value)), math.max(difference, math.abs(value - safe[i][j]))
          end
        end
        assert.is_true(difference <= 1e-10 * largest, ("differs by %g of %g"):format(difference, largest))
      end)

      it("has such a matrix where compressed cloth leaves its plane by next to nothing", function()
        for _, exponent in ipairs { 100, 130, 150, 155, 160 } do -- whose squares and cubes underflow
          local sheet, model = specimen(entry, 3, 0)
          local random = sheets.random(5)
          local x = sheets.map(sheet.rest, function(u, v) return 0.8 * u, 0.7 * v, 10 ^ -exponent * random() end)
          local values = sheets.eigenvalues(model:matrix { x = x })
          assert.is_true(values[1] > -1e-10 * values[#values], ("1e-%d m: %g of %g"):format(exponent, values[1],
            values[#values]))
        end
      end)

      it("pushes and turns nothing as a whole, viscous or not", function()
        local sheet, model = specimen(entry, 2, 0.2)
        for _, v in ipairs { sheets.zeros(#sheet.x), not entry.brakes_turning and sheet.v or nil } do
          local force, torque, largest = sheets.totals(sheet.x, model:forces({ x = sheet.x, v = v }):table())
          assert.is_true(largest > 0)
          for k = 1, 3 do
            assert.near(0, force[k], 1e-12 * largest)
            assert.near(0, entry.fixed_frame and 0 or torque[k], 1e-12 * largest)
          end
        end
      end)

      it(entry.fixed_frame and "takes a rotation for a strain" or "feels no rigid motion", function()
        local sheet, model = specimen(entry, 5, 0.2)
        local energy, forces = model:energy { x = sheet.x }, model:forces({ x = sheet.x }):table()
        local turn = sheets.rotation({ -0.3, 1, 0.5 }, 2.1)
        local moved = sheets.map(sheet.x, function(x, y, z)
          local a, b, c = turn(x, y, z)
          return a + 0.3, b - 0.2, c + 0.5
        end)
        if entry.fixed_frame then
          assert.is_true(model:energy { x = moved } > 2 * energy)
          return
        end
        assert.near(energy, model:energy { x = moved }, 1e-9 * energy)
        local turned, _, largest = sheets.map(forces, turn), sheets.totals(sheet.x, forces)
        largest = math.max(sheets.norm(largest), 1e-6)
        for i, f in ipairs(model:forces({ x = moved }):table()) do
          for k = 1, 3 do
            assert.near(turned[i][k], f[k], 1e-8 * (largest + math.abs(turned[i][k])))
          end
        end
        -- a spin about an axis, and a drift, are no strain rates
        local turning = entry.brakes_turning and 0 or 1
        local drift = sheets.map(sheet.x, function(x, y, z)
          return turning * (0.4 * z - y) + 1, turning * (x - 0.2 * z), turning * (0.2 * y - 0.4 * x)
        end)
        for i, f in ipairs(model:forces({ x = sheet.x, v = drift }):table()) do
          for k = 1, 3 do
            assert.near(forces[i][k], f[k], 1e-9 * (1 + math.abs(f[k])))
          end
        end
      end)

      it("loses energy to viscosity, at the rate that its damping matrix says", function()
        local sheet, model = specimen(entry, 6, 0.2)
        local still = model:forces({ x = sheet.x }):table()
        local moving = model:forces({ x = sheet.x, v = sheet.v }):table()
        local power = sheets.dot(moving, sheet.v) - sheets.dot(still, sheet.v)
        assert.is_true(power < 0)
        local expected = 0
        for i, row in ipairs(model:matrix { x = sheet.x, stiffness = 0, damping = 1 }) do
          for j, value in ipairs(row) do
            local a, b = sheet.v[math.floor((i - 1) / 3) + 1], sheet.v[math.floor((j - 1) / 3) + 1]
            expected = expected - a[(i - 1) % 3 + 1] * value * b[(j - 1) % 3 + 1]
          end
        end
        assert.near(expected, power, 1e-9 * math.abs(expected))
      end)

      it("loses energy all along a free motion, and just what viscosity takes", function()
        local before, after, taken = damped_motion(entry)
        for k = 2, #after do
          assert.is_true(after[k] < after[k - 1], ("%g J after %g J"):format(after[k], after[k - 1]))
        end
        local lost = before - after[#after]
        assert.is_true(lost > 0.02 * before, ("%g of %g J"):format(lost, before))
        assert.near(lost, taken, 0.01 * lost)
      end)
    end

    it("rests without energy or force where nothing is strained", function()
      local sheet, model = specimen(entry, 7, 0)
      local turn = sheets.rotation({ 2, -1, 0.3 }, entry.fixed_frame and 0 or 1.3)
      local x = sheets.map(sheet.rest, function(u, v) return turn(u, v, 0) end)
      assert.near(0, model:energy { x = x }, 1e-18)
      local _, _, largest = sheets.totals(x, model:forces({ x = x }):table())
      assert.near(0, largest, 1e-9)
      if not entry.published then
        assert.is_true(model:energy { x = scaled(sheet.x, 0.9) } > 1e-9)
      end
    end)

    it("is the same bits for any number of threads", function()
      local sheet = sheets.grid { columns = 18, rows = 18, width = 0.2, height = 0.2 }
      local random, before = sheets.random(9), weft.threads()
      local x = sheets.map(sheet.x, function(u, v) return u, v + 0.002 * random(), 3 * u * v + 0.002 * random() end)
      local model = weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
      local function bits(threads)
        weft.threads(threads)
        local numbers = { ("%.17g"):format(model:energy { x = x }), model:forces({ x = x, v = sheet.x }):string() }
        for _, row in ipairs(model:matrix { x = x, damping = 0.1 }) do
          for _, value in ipairs(row) do
            numbers[#numbers + 1] = value == 0 and "" or ("%.17g"):format(value)
          end
        end
        return table.concat(numbers, " ")
      end
      local one = bits(1)
      local two = bits(2)
      weft.threads(before)
      assert.is_true(one == two)
    end)

    it("gives everything back when memory runs out", function()
      local sheet = sheets.grid { columns = 2, rows = 2, width = 0.1, height = 0.1 }
      local _, count = support.fail_each_allocation(function()
        local model = weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
        model:matrix { x = sheet.x }
        model:close()
      end)
      assert.is_true(count > 8)
    end)

    it("stays finite where faces have collapsed to a point", function()
      local sheet, model = specimen(entry, 8, 0.1)
      for i = 2, 9 do
        sheet.x[i] = { unpack(sheet.x[1]) }
      end
      assert.is_true(finite(model:energy { x = sheet.x }))
      for _, f in ipairs(model:forces({ x = sheet.x, v = sheet.v }):table()) do
        assert.is_true(finite(f[1]) and finite(f[2]) and finite(f[3]))
      end
      for _, row in ipairs(model:matrix { x = sheet.x, damping = 0.1 }) do
        for _, value in ipairs(row) do
          assert.is_true(finite(value))
        end
      end
    end)
  end)
end

describe("weft.model.create", function()
  it("names what is wrong with its options", function()
    local sheet = { faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, fabric = fabric }
    local function message(changes)
      local options = {}
      for key, value in pairs(sheet) do
        options[key] = value
      end
      for key, value in pairs(changes) do
        options[key] = value
      end
      return support.message_of(weft.model.create, options)
    end
    assert.equal("weft.model.create: name must be a name of weft.model.list(), got nothing", message {})
    assert.equal('weft.model.create: name: no model is named "gren"; did you mean "green"?', message { name = "gren" })
    assert.equal('weft.model.create: name: no model is named "x"; weft.model.list() lists them all',
      message { name = "x" })
    assert.equal("weft.model.create: face 1 has vertex 1 twice", message { name = "green", faces = { { 1, 1, 2 } },
      vertices = 3 })
    assert.equal("weft.model.create: face 1 has no usable rest shape (area 0 m2, longest edge 1 m)",
      message { name = "edge springs", rest = { { 0, 0 }, { 1, 0 }, { 0.5, 0 } } })
  end)
end)
