-- T15 and T16 of the reference on Keckeisen (2005), and the plate's own promises.

local weft = require "weft"
local plates = require "spec.model.plates"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local function model_of(sheet, fabric, form)
  return weft.model.bending { faces = sheet.faces, rest = sheet.rest, fabric = fabric, form = form }
end

local rolled = plates.rolled

--- The energy of a rolled square over that of the plate. What its free edges lose is in proportion to their length; it
--- is removed by extrapolating over two sizes.
local function energy_ratio(options, fabric, phi)
  local root = math.sqrt(fabric.bend.weft) * math.cos(phi) ^ 2 + math.sqrt(fabric.bend.warp) * math.sin(phi) ^ 2
  local ratio = {}
  for i, cells in ipairs { 12, 24 } do
    local size = 0.01 * cells
    local sheet = sheets.grid { columns = cells, rows = cells, width = size, height = size, jitter = options.jitter,
      diagonal = options.diagonal, seed = 5 }
    local radius = 0.4
    local plate = root ^ 2 / (2 * radius ^ 2) * size ^ 2
    ratio[i] = model_of(sheet, fabric):energy { x = rolled(sheet, radius, phi) } / plate
  end
  return 2 * ratio[2] - ratio[1]
end

describe("Bending", function()
  it("is zero for flat and sheared cloth, and for its rigid motions", function()
    local sheet = sheets.grid { columns = 5, rows = 4, width = 0.1, height = 0.08, jitter = 0.3, diagonal = "random" }
    local model = model_of(sheet, weft.fabric.polyester)
    local turn = sheets.rotation({ 1, -2, 0.7 }, 2)
    local x = sheets.map(sheet.x, function(u, v)
      local a, b, c = turn(1.1 * u + 0.2 * v, 0.9 * v, 0)
      return a + 3, b - 2, c + 1
    end)
    local _, _, largest = sheets.totals(x, model:forces { x = x, v = x }:table())
    local _, _, curved = sheets.totals(x, model:forces { x = rolled(sheet, 0.1, 0) }:table())
    assert.is_true(largest < 1e-9 * curved)
    assert.is_true(model:energy { x = x } < 1e-20)
  end)

  it("costs B(phi) / (2 r^2) per area on a cylinder, on regular and on irregular triangulations", function()
    local fabric = weft.fabric.wool_viscose -- B2 is 2.8 times B1
    for _, mesh in ipairs { { diagonal = "same" }, { diagonal = "alternating" }, { diagonal = "same", jitter = 0.15 },
      { diagonal = "random", jitter = 0.3 } } do
      for _, phi in ipairs { 0, math.pi / 8, math.pi / 4, math.pi / 2 } do
        assert.near(1, energy_ratio(mesh, fabric, phi), 0.005)
      end
    end
  end)

  it("bends weft and warp with their own moduli", function()
    local sheet = sheets.grid { columns = 10, rows = 10, width = 0.1, height = 0.1 }
    local fabric = weft.fabric { bend = { weft = 1e-5, warp = 4e-5, poisson = 0 } }
    local model = model_of(sheet, fabric)
    local along, across = rolled(sheet, 0.3, 0), rolled(sheet, 0.3, math.pi / 2)
    assert.near(4, model:energy { x = across } / model:energy { x = along }, 0.15) -- free edges take their share
    -- the same pattern turned by 90 degrees swaps them
    local turned = {}
    for i, p in ipairs(sheet.rest) do
      turned[i] = { -p[2], p[1] }
    end
    local other = weft.model.bending { faces = sheet.faces, rest = turned, fabric = fabric }
    for _, pair in ipairs { { along, across }, { across, along } } do
      local energy = model:energy { x = pair[1] }
      assert.near(energy, other:energy { x = pair[2] }, 1e-9 * energy)
      assert.near(energy, model:energy { x = pair[1], matrix = true }, 1e-9 * energy)
    end
  end)

  it("has the matrix and forces of its quadratic energy", function()
    local sheet = sheets.grid { columns = 3, rows = 3, width = 0.06, height = 0.06, jitter = 0.3, diagonal = "random" }
    local random = sheets.random(2)
    local x = sheets.map(sheet.x, function(a, b) return a + 0.01 * random(), b + 0.01 * random(), 0.02 * random() end)
    local force_error, matrix_error = sheets.difference_errors(model_of(sheet, weft.fabric.polyester), x, 1e-6)
    assert.is_true(force_error < 1e-7)
    assert.is_true(matrix_error < 1e-7)
  end)

  it("has the forces of its energy where many edges meet at a vertex, whatever its number", function()
    local count = 700
    for _, hub in ipairs { 1, count / 2, count + 1 } do
      local faces, rest, x, random = {}, {}, {}, sheets.random(4)
      local function number(k)
        return (k - 1) % count + ((k - 1) % count + 1 >= hub and 2 or 1)
      end
      for k = 1, count do
        local angle = 2 * math.pi * k / count
        faces[k] = { hub, number(k), number(k + 1) }
        rest[number(k)] = { math.cos(angle), math.sin(angle) }
      end
      rest[hub] = { 0, 0 }
      for i = 1, count + 1 do
        x[i] = { rest[i][1], rest[i][2], 0.1 * random() }
      end
      local model, work = weft.model.bending { faces = faces, rest = rest, fabric = weft.fabric.wool }, 0
      for i, force in ipairs(model:forces { x = x }:table()) do
        work = work - 0.5 * (force[1] * x[i][1] + force[2] * x[i][2] + force[3] * x[i][3])
      end
      local energy = model:energy { x = x }
      assert.near(energy, work, 1e-9 * energy)
    end
  end)

  it("lets affine motions pass and nothing else: no soft modes on any mesh", function()
    for _, diagonal in ipairs { "same", "alternating", "random" } do
      for rows = 1, 4 do
        local sheet = sheets.grid { columns = 5, rows = rows, width = 5, height = rows, diagonal = diagonal,
          jitter = rows > 2 and 0.2 or 0 }
        local fabric = weft.fabric { bend = { weft = 1, warp = 1 } }
        local matrix, scalar = model_of(sheet, fabric):matrix { x = sheet.x }, {}
        assert.is_true(sheets.asymmetry(matrix) < 1e-13)
        for i = 1, #matrix, 3 do
          local row = {}
          for j = 1, #matrix, 3 do
            row[#row + 1] = matrix[i][j]
            assert.equal(matrix[i][j], matrix[i + 1][j + 1]) -- x, y and z alike
            assert.equal(0, matrix[i][j + 1])
          end
          scalar[#scalar + 1] = row
        end
        local values = sheets.eigenvalues(scalar)
        assert.near(0, values[3], 1e-12 * values[#values])
        assert.is_true(values[1] > -1e-12 * values[#values])
        assert.is_true(values[4] > 0.05)
      end
    end
  end)

  it("exerts no force and no torque in total on isometric shapes", function()
    local sheet = sheets.grid { columns = 6, rows = 5, width = 0.12, height = 0.1, jitter = 0.2, diagonal = "random" }
    local x = rolled(sheet, 0.1, 0.4)
    local force, torque, largest = sheets.totals(x, model_of(sheet, weft.fabric.polyester):forces { x = x }:table())
    assert.near(0, sheets.norm(force), 1e-12 * largest)
    assert.near(0, sheets.norm(torque), 1e-12 * largest) -- each entry of the matrix pulls along a line
  end)

  it("damps what bends and no rigid motion", function()
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.08, height = 0.08, jitter = 0.2 }
    local fabric = weft.fabric { bend = { viscosity = 0.5 } }
    local model = model_of(sheet, fabric)
    local x, still = rolled(sheet, 0.1, 0), sheets.zeros(#sheet.x)
    local v = sheets.map(x, function(a, b, c) return 1 - b, a, 2 + c * 0 end)
    local _, _, elastic = sheets.totals(x, model:forces { x = x }:table())
    local spin = sheets.map(sheet.x, function(a, b) return 1 - b, a, 2 end)
    local _, _, rigid = sheets.totals(x, model:forces { x = sheet.x, v = spin }:table())
    assert.is_true(rigid < 1e-10 * elastic)
    local with, without = model:forces { x = x, v = v }:table(), model:forces { x = x, v = still }:table()
    -- v here turns the cylinder in its plane: the quadratic form sees the change of its (vector) curvature
    local power = 0
    for i, f in ipairs(with) do
      for k = 1, 3 do
        power = power + (f[k] - without[i][k]) * v[i][k]
      end
    end
    assert.is_true(power < 0)
    local damping = model:matrix { x = x, stiffness = 0, damping = 1 }
    local stiffness = model:matrix { x = x }
    assert.near(0.5 * stiffness[1][1], damping[1][1], 1e-12 * stiffness[1][1])
  end)

  it("joins patterns of different grain over a seam", function()
    local sheet, corners = sheets.of_two_grains()
    local fabric = weft.fabric { bend = { weft = 2e-5, warp = 2e-5 } }
    local sewn = weft.model.bending { faces = sheet.faces, rest = corners, fabric = fabric }
    local whole = model_of(sheet, fabric)
    for _, phi in ipairs { 0, 0.5, 1.2 } do
      local x = rolled(sheet, 0.1, phi)
      assert.near(whole:energy { x = x }, sewn:energy { x = x }, 1e-9 * whole:energy { x = x })
    end
  end)

  it("has no moment across free edges", function()
    -- Two equilateral triangles folded by a: the free edges' slopes settle, and what resists is 1 / (m . D^-1 m), with
    -- m the curvature dual to the hinge's, (-1/3, 1, 0); for Poisson's ratio 0.2 that is B / 1.2963.
    local side, a, modulus = 0.02, 0.05, 3e-5
    local height = side * math.sqrt(3) / 2
    local model = weft.model.bending { faces = { { 1, 2, 3 }, { 2, 1, 4 } },
      rest = { { 0, 0 }, { side, 0 }, { side / 2, height }, { side / 2, -height } },
      fabric = weft.fabric { bend = { weft = modulus, warp = modulus } } }
    local x = { { 0, 0, 0 }, { side, 0, 0 }, { side / 2, height, 0 },
      { side / 2, -height * math.cos(a), -height * math.sin(a) } }
    local curvature, area = 2 * math.sin(a / 2) / height, side * height
    local compliance = (1 / 9 + 1 + 2 * 0.2 / 3) / (1 - 0.2 ^ 2)
    local expected = 0.5 * area * modulus * curvature ^ 2 / compliance
    assert.near(expected, model:energy { x = x }, 1e-9 * expected)
  end)

  it("has no hinge over edges with three faces", function()
    local points = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { -1, 0.5 } }
    local fin = weft.model.bending { faces = { { 1, 2, 3 }, { 2, 1, 4 }, { 1, 2, 5 } }, fabric = weft.fabric.wool,
      rest = { points[1], points[2], points[3], points[2], points[1], points[4], points[1], points[2], points[5] } }
    local x = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 3 }, { 1, 1, 0 }, { -1, 0.5, 2 } }
    assert.equal(0, fin:energy { x = x })
  end)

  it("survives each allocation failing", function()
    local sheet = sheets.grid { columns = 2, rows = 2, width = 0.1, height = 0.1 }
    support.fail_each_allocation(function() return model_of(sheet, weft.fabric.wool) end)
    support.fail_each_allocation(function() return model_of(sheet, weft.fabric.wool, "thesis") end)
  end)
end)

describe("The thesis' bending element", function()
  --- The patch of the reference: 0.1 m square, alternating diagonals, on a cylinder of 0.1 m.
  local function energy_per_area(cells)
    local sheet = sheets.grid { columns = cells, rows = cells, width = 0.1, height = 0.1, diagonal = "alternating" }
    local fabric = weft.fabric { bend = { weft = 1, warp = 1 } }
    return model_of(sheet, fabric, "thesis"):energy { x = rolled(sheet, 0.1, 0) } / 0.01
  end

  it("vanishes with the fourth power of the edge length", function()
    assert.near(2.81e-6, energy_per_area(10), 0.01e-6)
    assert.near(1.85e-7, energy_per_area(20), 0.01e-7)
    assert.near(1.19e-8, energy_per_area(40), 0.01e-8)
  end)

  it("has no stiffness at all when flat", function()
    local sheet = sheets.grid { columns = 3, rows = 3, width = 0.1, height = 0.1, jitter = 0.2 }
    local model = model_of(sheet, weft.fabric { bend = { weft = 1, warp = 1 } }, "thesis")
    for _, row in ipairs(model:matrix { x = sheet.x }) do
      for _, value in ipairs(row) do
        assert.equal(0, value)
      end
    end
  end)

  it("pulls with its frozen matrix and moves with the cloth", function()
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.1, height = 0.1, jitter = 0.2 }
    local model = model_of(sheet, weft.fabric { bend = { weft = 2, warp = 1 } }, "thesis")
    local x = rolled(sheet, 0.1, 0.3)
    local forces, matrix = model:forces { x = x }:table(), model:matrix { x = x }
    local force, _, largest = sheets.totals(x, forces)
    assert.near(0, sheets.norm(force), 1e-12 * largest)
    for i, f in ipairs(forces) do
      for k = 1, 3 do
        local sum = 0
        for j, p in ipairs(x) do
          for l = 1, 3 do
            sum = sum - matrix[3 * i - 3 + k][3 * j - 3 + l] * p[l]
          end
        end
        assert.near(sum, f[k], 1e-12 * largest)
      end
    end
    local turn = sheets.rotation({ 1, 1, 3 }, 0.8)
    local moved = sheets.map(x, function(a, b, c)
      local p, q, r = turn(a, b, c)
      return p + 1, q, r - 2
    end)
    local turned = model:forces { x = moved }:table()
    for i, f in ipairs(sheets.map(forces, turn)) do
      for k = 1, 3 do
        assert.near(f[k], turned[i][k], 1e-10 * largest)
      end
    end
  end)
end)
