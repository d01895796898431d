-- Faces are evaluated several at a time and their matrix is put together by edges: with any number of faces, with
-- collapsed ones between others, with any instruction set, the sum must be that of single faces.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local fabric = weft.fabric.wool

--- A strip of `count` triangles, unevenly shaped, and where its vertices are.
local function strip(count, seed)
  local random = sheets.random(seed or 5)
  local rest, x, faces = {}, {}, {}
  for i = 0, count + 1 do
    local u, v = 0.01 * (i + 0.3 * random()), 0.012 * (i % 2) + 0.002 * random()
    rest[i + 1] = { u, v }
    x[i + 1] = { 1.02 * u + 0.001 * random(), 0.97 * v + 0.001 * random(), 0.002 * random() }
  end
  for i = 1, count do
    faces[i] = i % 2 == 1 and { i, i + 1, i + 2 } or { i + 1, i, i + 2 }
  end
  return { faces = faces, rest = rest, x = x }
end

local function membrane(sheet, form, faces)
  return weft.model.membrane { vertices = #sheet.rest, faces = faces or sheet.faces, rest = sheet.rest,
    fabric = fabric, form = form }
end

local function velocities(sheet)
  return sheets.map(sheet.x, function(x, y, z) return y + z, z - x, x * y end)
end

--- Every number of a matrix, in a string that tells any two apart.
local function bits(matrix)
  local numbers = {}
  for _, row in ipairs(matrix) do
    for _, value in ipairs(row) do
      numbers[#numbers + 1] = ("%.17g"):format(value)
    end
  end
  return table.concat(numbers, " ")
end

--- Energy, forces and both matrices, to the last bit, with the instruction set that is on.
local function everything(model, sheet)
  return table.concat({ ("%.17g"):format(model:energy { x = sheet.x }),
    model:forces { x = sheet.x, v = velocities(sheet) }:string(), model:forces { x = sheet.x }:string(),
    bits(model:matrix { x = sheet.x, damping = 0.3 }), bits(model:matrix { x = sheet.x, exact = true }) }, "\n")
end

local function assert_same_with_all_sets(model, sheet)
  local best, sets = weft.instruction_set()
  local expected = everything(model, sheet)
  for _, name in ipairs(sets) do
    weft.instruction_set(name)
    local got = everything(model, sheet)
    weft.instruction_set(best)
    assert.is_true(got == expected, name)
  end
end

--- Forces, energy and matrices against the sums over models of one face each. `bounded` leaves out the exact matrix,
--- which is not bounded where faces have collapsed.
local function assert_sum_of_faces(sheet, form, tolerance, bounded)
  local v, all = velocities(sheet), membrane(sheet, form)
  local energy, forces, matrices = 0, sheets.zeros(#sheet.x), {}
  for _, exact in ipairs(bounded and { false } or { false, true }) do
    local sum = {}
    for i = 1, 3 * #sheet.x do
      sum[i] = {}
      for j = 1, 3 * #sheet.x do
        sum[i][j] = 0
      end
    end
    matrices[exact] = sum
  end
  for _, face in ipairs(sheet.faces) do
    local one = membrane(sheet, form, { face })
    energy = energy + one:energy { x = sheet.x }
    for i, f in ipairs(one:forces { x = sheet.x, v = v }:table()) do
      for k = 1, 3 do
        forces[i][k] = forces[i][k] + f[k]
      end
    end
    for exact, sum in pairs(matrices) do
      for i, row in ipairs(one:matrix { x = sheet.x, damping = 0.2, exact = exact }) do
        for j, value in ipairs(row) do
          sum[i][j] = sum[i][j] + value
        end
      end
    end
  end
  assert.near(energy, all:energy { x = sheet.x }, 1e-13 * energy)
  for i, f in ipairs(all:forces { x = sheet.x, v = v }:table()) do
    for k = 1, 3 do
      assert.near(forces[i][k], f[k], tolerance)
    end
  end
  for exact, sum in pairs(matrices) do
    for i, row in ipairs(all:matrix { x = sheet.x, damping = 0.2, exact = exact }) do
      for j, value in ipairs(row) do
        assert.near(sum[i][j], value, tolerance)
      end
    end
  end
end

for _, form in ipairs { "exact", "weave" } do
  describe("A membrane's faces together in the form " .. form, function()
    it("have right derivatives, and the same bits with every instruction set, for 1 to 17 of them", function()
      for count = 1, 17 do
        local sheet = strip(count, count)
        local model = membrane(sheet, form)
        assert_same_with_all_sets(model, sheet)
        local force_error, matrix_error = sheets.difference_errors(model, sheet.x)
        assert.is_true(force_error < 1e-6, ("%d faces: forces off by %g"):format(count, force_error))
        assert.is_true(matrix_error < 1e-6, ("%d faces: matrix off by %g"):format(count, matrix_error))
      end
    end)

    it("are the sum of single faces", function()
      assert_sum_of_faces(strip(13), form, 1e-11)
    end)

    it("are so when some have collapsed", function()
      local sheet = strip(19)
      sheet.x[4] = { (unpack or table.unpack)(sheet.x[5]) }                       -- two faces are lines
      for i = 10, 12 do
        sheet.x[i] = { (unpack or table.unpack)(sheet.x[9]) }                     -- two are points
      end
      for k = 1, 3 do
        sheet.x[16][k] = 0.5 * (sheet.x[15][k] + sheet.x[17][k]) -- and one is flat, its corners apart
      end
      assert_same_with_all_sets(membrane(sheet, form), sheet)
      assert_sum_of_faces(sheet, form, 1e-8, true)
    end)

    it("are so where edges have three and four faces, faces turn either way and vertices have none", function()
      local sheet = {
        faces = { { 1, 2, 3 }, { 2, 1, 4 }, { 1, 2, 5 }, { 6, 2, 1 }, { 3, 2, 8 }, { 3, 8, 9 }, { 9, 8, 3 } },
        rest = { { 0, 0 }, { 0.01, 0 }, { 0.004, 0.01 }, { 0.005, -0.009 }, { 0.006, 0.008 }, { 0.003, 0.012 },
          { 0.5, 0.5 }, { 0.013, 0.009 }, { 0.009, 0.019 } } }
      local random = sheets.random(11)
      sheet.x = sheets.map(sheet.rest, function(u, v)
        return u + 0.001 * random(), v + 0.001 * random(), 0.004 * random()
      end)
      assert_same_with_all_sets(membrane(sheet, form), sheet)
      assert_sum_of_faces(sheet, form, 1e-11)
    end)
  end)
end

describe("Membranes", function()
  it("share rows of a matrix with another membrane's", function()
    -- two layers sewn into one, each of half the stiffness and its own mesh: as their whole
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.1, height = 0.1, jitter = 0.2, seed = 4 }
    local half = weft.fabric { shear = 0.5 * fabric.shear, stretch = { weft = 0.5 * fabric.stretch.weft,
      warp = 0.5 * fabric.stretch.warp, coupling = 0.5 * fabric.stretch.coupling } }
    local function layer(material)
      return weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = material }
    end
    local function hang(models)
      local load, fixed = sheets.zeros(#sheet.x), {}
      for i in ipairs(load) do
        load[i] = { 0, -0.05, 0 }
      end
      for i = 0, 4 do
        fixed[i + 1] = sheet.index(i, 4)
      end
      return (weft.solve.equilibrium { models = models, x = sheet.x, load = load, fixed = fixed, tolerance = 1e-10 })
    end
    local whole, layers = hang { layer(fabric) }:table(), hang { layer(half), layer(half) }:table()
    for i, p in ipairs(whole) do
      for k = 1, 3 do
        assert.near(p[k], layers[i][k], 1e-8)
      end
    end
  end)

  it("step the same behind thousands of others", function()
    -- the second cloth's faces begin where the first one's end, in the middle of what is evaluated at a time
    local function positions(cloths)
      local world, last = weft.world { self_contact = false, tolerance = 1e-12, max_iterations = 4000 }, nil
      for i = 1, cloths do
        last = weft.sheet { size = { 0.4, 0.5 }, cells = { 40, 51 }, centre = { 0, 0, 3 * (i - 1) } }
        last:pin { vertices = { 1 } }
        world:add(last)
      end
      for _ = 1, 2 do
        world:step()
      end
      return last.positions:table(), world
    end
    local alone, behind = positions(1), positions(2)
    for i, p in ipairs(alone) do
      assert.near(p[1], behind[i][1], 1e-9)
      assert.near(p[2], behind[i][2], 1e-9)
      assert.near(p[3], behind[i][3] - 3, 1e-9)
    end
  end)

  it("step a cloth to the same bits with every instruction set and any number of threads", function()
    local best, sets = weft.instruction_set()
    local function hash()
      local world = weft.world { self_contact = false }
      local sheet = weft.sheet { size = { 0.5, 0.5 }, cells = { 50, 50 } }
      sheet:pin { vertices = { 1 } }
      world:add(sheet)
      world:step()
      world:step()
      return world:hash()
    end
    local expected = hash()
    for _, name in ipairs(sets) do
      weft.instruction_set(name)
      assert.equal(expected, hash(), name)
    end
    weft.instruction_set(best)
    weft.threads(2)
    assert.equal(expected, hash())
    weft.threads(1)
  end)
end)
