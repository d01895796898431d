-- Tests T1 to T9 of the reference on Keckeisen (2005), and what the exact form promises beyond it.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local thesis_wool = weft.fabric.preset("wool", { reading = "thesis" })
local triangle = { { 0, 0 }, { 0.02, 0 }, { 0, 0.01 } }
local bent = { { 0, 0, 0 }, { 0.021, 0.001, 0.002 }, { 0.0005, 0.0098, 0.001 } }

local function one_triangle(form, fabric)
  return weft.model.membrane { faces = { { 1, 2, 3 } }, rest = triangle, fabric = fabric or thesis_wool, form = form }
end

local function flat(points)
  return sheets.map(points, function(u, v) return u, v, 0 end)
end

--- A sheet with random rest shapes, and a model of it.
local function patch(form, fabric, seed)
  local sheet = sheets.grid { columns = 3, rows = 3, width = 0.06, height = 0.05, jitter = 0.25, diagonal = "random",
    seed = seed or 7 }
  return weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = fabric or weft.fabric.wool,
    form = form }, sheet
end

local function shaken(points, amount, seed)
  local random = sheets.random(seed or 3)
  return sheets.map(points, function(x, y, z)
    return x + amount * random(), y + amount * random(), z + amount * random()
  end)
end

describe("The membrane's element", function()
  it("has the published stiffness in its rest shape", function()
    local golden = {
      { 217.01, 113.105, -216.5, -0.255, -0.51, -112.85 }, { 113.105, 1391.1275, -112.85, -0.1275, -0.255, -1391 },
      { -216.5, -112.85, 216.5, 0, 0, 112.85 }, { -0.255, -0.1275, 0, 0.1275, 0.255, 0 },
      { -0.51, -0.255, 0, 0.255, 0.51, 0 }, { -112.85, -1391, 112.85, 0, 0, 1391 },
    }
    for _, form in ipairs { "thesis", "exact" } do
      local matrix = one_triangle(form):matrix { x = flat(triangle) }
      for i = 0, 5 do
        for j = 0, 5 do
          local row, column = 3 * math.floor(i / 2) + i % 2 + 1, 3 * math.floor(j / 2) + j % 2 + 1
          assert.near(golden[i + 1][j + 1], matrix[row][column], 1e-9 * 1391)
        end
        assert.near(0, matrix[3 * math.floor(i / 2) + 3][3], 1e-9)
      end
    end
  end)

  it("has three motions without stiffness in its plane, and none with negative stiffness", function()
    local matrix, plane = one_triangle("exact"):matrix { x = flat(triangle) }, {}
    for _, i in ipairs { 1, 2, 4, 5, 7, 8 } do
      local row = {}
      for _, j in ipairs { 1, 2, 4, 5, 7, 8 } do
        row[#row + 1] = matrix[i][j]
      end
      plane[#plane + 1] = row
    end
    local values = sheets.eigenvalues(plane)
    for k = 1, 3 do
      assert.near(0, values[k], 1e-9 * values[6])
    end
    assert.is_true(values[4] > 1e-5 * values[6])
  end)

  it("has the published polar decomposition", function()
    local weft_axis, warp_axis, stretch = one_triangle("exact"):frame { x = bent }
    local expected = { { 0.995948847, -0.004189605, 0.089823948 }, { -0.004521069, 0.995317610, 0.096552656 },
      { 1.054519204, 0.054674024, 0.984840470 } }
    for k = 1, 3 do
      assert.near(expected[1][k], weft_axis[k], 6e-10)
      assert.near(expected[2][k], warp_axis[k], 6e-10)
      assert.near(expected[3][k], stretch[k], 6e-10)
    end
    local dot = weft_axis[1] * warp_axis[1] + weft_axis[2] * warp_axis[2] + weft_axis[3] * warp_axis[3]
    assert.near(0, dot, 1e-14)
    assert.near(1, sheets.norm(weft_axis), 1e-14)
    assert.near(1, sheets.norm(warp_axis), 1e-14)
  end)

  it("decomposes alike by the closed form and by eigenvectors", function()
    -- F^T F = Q diag(l) Q^T by hand, against the frame's U
    local random = sheets.random(11)
    for _ = 1, 50 do
      local x = sheets.map(flat(triangle), function(a, b)
        return a + 0.01 * random(), b + 0.006 * random(), 0.01 * random()
      end)
      local e, f = {}, {}
      for k = 1, 3 do
        e[k], f[k] = (x[2][k] - x[1][k]) / 0.02, (x[3][k] - x[1][k]) / 0.01
      end
      local a, b, c = 0, 0, 0
      for k = 1, 3 do
        a, b, c = a + e[k] * e[k], b + e[k] * f[k], c + f[k] * f[k]
      end
      local angle = 0.5 * math.atan2(2 * b, a - c)
      local cos, sin = math.cos(angle), math.sin(angle)
      local l1 = math.sqrt(a * cos ^ 2 + 2 * b * cos * sin + c * sin ^ 2)
      local l2 = math.sqrt(a * sin ^ 2 - 2 * b * cos * sin + c * cos ^ 2)
      local _, _, u = one_triangle("exact"):frame { x = x }
      local tolerance = 1e-12 * l1 * l1 / l2
      assert.near(l1 * cos ^ 2 + l2 * sin ^ 2, u[1], tolerance)
      assert.near((l1 - l2) * cos * sin, u[2], tolerance)
      assert.near(l1 * sin ^ 2 + l2 * cos ^ 2, u[3], tolerance)
    end
  end)

  it("has the published forces and energy", function()
    local golden = {
      thesis = { { 0.21902477, -0.08805018, 0.01126574 }, { -0.21807232, 0.00063983, -0.01969483 } },
      exact = { { 0.20497424, -0.08098629, 0.01068093 }, { -0.21804050, -0.00636509, -0.02037435 } },
    }
    for form, expected in pairs(golden) do
      local model = one_triangle(form)
      local forces = model:forces { x = bent }:table()
      for k = 1, 3 do
        assert.near(expected[1][k], forces[1][k], 6e-9)
        assert.near(expected[2][k], forces[2][k], 6e-9)
        assert.near(0, forces[1][k] + forces[2][k] + forces[3][k], 1e-15)
      end
      assert.near(1.26336982e-4, model:energy { x = bent }, 6e-13)
    end
  end)

  it("exerts a torque in the thesis form alone", function()
    local sheared = sheets.map(flat(triangle), function(x, y) return x + 0.1 * y, y, 0 end)
    local _, torque = sheets.totals(sheared, one_triangle("thesis"):forces { x = sheared }:table())
    assert.near(-2.5763e-5, torque[3], 5e-10) -- the defect
    _, torque = sheets.totals(sheared, one_triangle("exact"):forces { x = sheared }:table())
    assert.near(0, torque[3], 1e-16)
    -- isotropic moduli: the thesis form has none either
    local isotropic = weft.fabric { stretch = { weft = 1000, warp = 1000, coupling = 300 }, shear = 350 }
    _, torque = sheets.totals(bent, one_triangle("thesis", isotropic):forces { x = bent }:table())
    assert.near(0, sheets.norm(torque), 1e-15)
  end)
end)

describe("The membrane", function()
  it("is at rest in every rigid position of its rest shape", function()
    local random = sheets.random(5)
    for _, form in ipairs { "exact", "weave", "thesis" } do
      local model, sheet = patch(form)
      for _ = 1, 5 do
        local turn = sheets.rotation({ random(), random(), random() }, 3 * random())
        local x = sheets.map(sheet.x, function(a, b, c)
          local p, q, r = turn(a, b, c)
          return p + 0.5, q - 0.3, r + 0.1
        end)
        local _, _, largest = sheets.totals(x, model:forces { x = x }:table())
        assert.is_true(largest <= 1e-12 * 1391 * 0.05)
      end
    end
  end)

  it("needs the rotation for that: without it half a radian strains by cos - 1", function()
    local model, sheet = patch "exact"
    local turn = sheets.rotation({ 0, 0, 1 }, 0.5)
    local x = sheets.map(sheet.x, turn)
    for _, strain in ipairs(model:strains { x = x }:table()) do
      assert.near(0, sheets.norm(strain), 1e-13)
    end
    assert.near(-0.12241743, math.cos(0.5) - 1, 1e-8) -- what sym(grad u) would give
  end)

  it("turns its forces with the sheet", function()
    for _, form in ipairs { "exact", "weave", "thesis" } do
      local model, sheet = patch(form)
      local x = shaken(sheet.x, 0.004)
      local turn = sheets.rotation({ 1, 2, -0.5 }, 1.1)
      local forces = sheets.map(model:forces { x = x }:table(), turn)
      local turned = model:forces { x = sheets.map(x, turn) }:table()
      for i, f in ipairs(forces) do
        for k = 1, 3 do
          assert.near(f[k], turned[i][k], 1e-11)
        end
      end
    end
  end)

  it("exerts no force and, but in the thesis form, no torque in total", function()
    for seed = 1, 10 do
      local model, sheet = patch(seed % 2 == 0 and "exact" or "weave")
      local x = shaken(sheet.x, 0.006, seed)
      local v = shaken(sheets.zeros(#x), 1, seed + 10)
      local force, torque, largest = sheets.totals(x, model:forces { x = x, v = v }:table())
      assert.near(0, sheets.norm(force), 1e-13 * largest)
      assert.near(0, sheets.norm(torque), 1e-14 * largest)
    end
  end)

  it("is the gradient of its energy, and its exact matrix that of its forces", function()
    for seed = 1, 6 do
      local model, sheet = patch(seed % 2 == 0 and "exact" or "weave", weft.fabric.polyester, seed)
      local force_error, matrix_error = sheets.difference_errors(model, shaken(sheet.x, 0.004, seed))
      assert.is_true(force_error < 1e-7)
      assert.is_true(matrix_error < 1e-6)
    end
  end)

  it("has right derivatives in nearly degenerate states too", function()
    local states = {
      { { 0, 0, 0 }, { 0.02, 0, 0 }, { 0.01, 2e-4, 0 } },         -- nearly collinear
      { { 0, 0, 0 }, { 0.06, 0, 0 }, { 0.001, 0.0015, 0.001 } },  -- a needle
      { { 0, 0, 0 }, { 0.004, 0.0001, 0 }, { 0, 0.002, 0.0001 } }, -- five times too small
    }
    for _, form in ipairs { "exact", "weave" } do
      for _, x in ipairs(states) do
        local force_error, matrix_error = sheets.difference_errors(one_triangle(form, weft.fabric.wool), x, 1e-9)
        assert.is_true(force_error < 1e-6)
        assert.is_true(matrix_error < 1e-5)
      end
    end
  end)

  it("gives solvers a matrix that is symmetric and semidefinite, and exact where that already is", function()
    for case, reading in ipairs { "per radian", "thesis", "per radian", "thesis" } do
      local fabric = weft.fabric.preset("wool", { reading = reading })
      local model, sheet = patch(case > 2 and "weave" or "exact", fabric)
      for seed = 1, 4 do
        local matrix = model:matrix { x = shaken(sheet.x, 0.006, seed), damping = 0.3 }
        assert.is_true(sheets.asymmetry(matrix) < 1e-14)
        local values = sheets.eigenvalues(matrix)
        assert.is_true(values[1] > -1e-12 * values[#values])
      end
    end
    -- under tension the true matrix is semidefinite, and the solvers' is the same
    for _, form in ipairs { "exact", "weave" } do
      local model, sheet = patch(form, weft.fabric.wool)
      local x = sheets.map(sheet.x, function(u, v) return 1.02 * u, 1.03 * v, 0 end)
      local semidefinite, exact = model:matrix { x = x }, model:matrix { x = x, exact = true }
      for i, row in ipairs(exact) do
        for j, value in ipairs(row) do
          assert.near(value, semidefinite[i][j], 1e-9)
        end
      end
    end
  end)

  it("stiffens against transverse motion under tension, and does not buckle the matrix under compression", function()
    for _, form in ipairs { "exact", "weave" } do
      local model = one_triangle(form, weft.fabric.wool)
      local function transverse(factor, exact)
        local x = sheets.map(flat(triangle), function(u, v) return factor * u, factor * v, 0 end)
        return model:matrix { x = x, exact = exact }[3][3]
      end
      assert.is_true(transverse(1.05) > 1)
      assert.is_true(transverse(0.95, true) < -1)
      assert.near(0, transverse(0.95), 1e-12)
    end
  end)

  for _, form in ipairs { "exact", "weave" } do
    it("damps strain rates and no rigid motion in the form " .. form, function()
      local model, sheet = patch(form)
      local stretched = sheets.map(sheet.x, function(u, v) return 1.1 * u, v, 0 end)
      local elastic = model:forces { x = stretched }:table()
      local function viscous_of(m, x, v)
        local total, alone = m:forces { x = x, v = v }:table(), m:forces { x = x }:table()
        local f = {}
        for i in ipairs(total) do
          f[i] = { total[i][1] - alone[i][1], total[i][2] - alone[i][2], total[i][3] - alone[i][3] }
        end
        return f
      end
      local _, _, scale = sheets.totals(stretched, elastic)
      local function largest_of(m, motion)
        local v = sheets.map(stretched, motion)
        local _, _, largest = sheets.totals(stretched, viscous_of(m, stretched, v))
        return largest
      end
      assert.near(0, largest_of(model, function() return 1, 2, 3 end), 1e-12 * scale)
      assert.near(0, largest_of(model, function(x, y) return -y, x, 0 end), 1e-11 * scale)
      assert.near(0, largest_of(model, function(_, y) return 0, 0, y end), 1e-12 * scale)
      -- the thesis' rate sees a spin of a stretched sheet as shear, 0.05 per unit of spin: its engineering rate is 0.1
      local thesis = patch "thesis"
      assert.is_true(largest_of(thesis, function(x, y) return -y, x, 0 end) > 1e-4 * scale)
      -- power is never positive, and the matrix of damping is that of the forces
      for seed = 1, 4 do
        local x, v = shaken(sheet.x, 0.004, seed), shaken(sheets.zeros(#sheet.x), 1, seed + 5)
        local forces, power = viscous_of(model, x, v), 0
        local damping = model:matrix { x = x, stiffness = 0, damping = 1 }
        for i, f in ipairs(forces) do
          for k = 1, 3 do
            power = power + f[k] * v[i][k]
            local sum = 0
            for j = 1, #v do
              for l = 1, 3 do
                sum = sum - damping[3 * i - 3 + k][3 * j - 3 + l] * v[j][l]
              end
            end
            assert.near(sum, f[k], 1e-10)
          end
        end
        assert.is_true(power < 0)
      end
    end)
  end

  it("stays finite when it collapses, and opens again", function()
    local collapsed = {
      { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0.01, 0 } },
      { { 0, 0, 0 }, { 0.02, 0, 0 }, { 0.01, 0, 0 } },
      { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } },
      { { 0, 0, 0 }, { 1e-200, 0, 0 }, { 0, 1e-200, 0 } },
    }
    for _, form in ipairs { "exact", "weave", "thesis" } do
      local model = one_triangle(form, weft.fabric.wool)
      local masses = weft.model.masses { faces = { { 1, 2, 3 } }, rest = triangle, density = 0.26 }:table()
      for _, x in ipairs(collapsed) do
        for _, f in ipairs(model:forces { x = x, v = x }:table()) do
          assert.is_true(f[1] == f[1] and sheets.norm(f) < 1e4)
        end
        for _, row in ipairs(model:matrix { x = x, damping = 1 }) do
          for _, value in ipairs(row) do
            assert.is_true(value == value and math.abs(value) < 1e9)
          end
        end
        -- released, with damping by small explicit steps of a massless kind: it finds its rest shape
        local at = sheets.map(x, function(a, b, c) return a, b, c end)
        for _ = 1, 4000 do
          local forces = model:forces { x = at }:table()
          for i, f in ipairs(forces) do
            for k = 1, 3 do
              at[i][k] = at[i][k] + 5e-9 / masses[i] * f[k]
            end
          end
        end
        assert.near(0, model:energy { x = at }, 1e-7)
      end
    end
  end)

  it("reads strains along weft and warp, and the angle between them", function()
    for _, form in ipairs { "exact", "weave" } do
      local model = one_triangle(form, weft.fabric.wool)
      local upright = sheets.map(flat(triangle), function(u, v) return 1.03 * u, 0, 0.98 * v end)
      local strains = model:strains { x = upright }:table()
      assert.near(0.03, strains[1][1], 1e-14)
      assert.near(-0.02, strains[1][2], 1e-14)
      assert.near(0, strains[1][3], 1e-14)
      -- a picture frame closed by 0.2 rad: the threads keep their lengths, but U11 and U22 are cos 0.1
      local frame = sheets.map(flat(triangle), function(u, v)
        return u * math.cos(0.1) + v * math.sin(0.1), u * math.sin(0.1) + v * math.cos(0.1), 0
      end)
      local sheared = model:strains({ x = frame }):table()[1]
      assert.near(form == "weave" and 0 or math.cos(0.1) - 1, sheared[1], 1e-14)
      assert.near(0.2, sheared[3], 1e-14)
    end
  end)

  it("shears with force over length = shear modulus times angle", function()
    -- a square frame with sides of 0.1 m, its angle closed by gamma: power = C1212 gamma dgamma/dt area
    local fabric, gamma = weft.fabric.wool, 1e-4
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.1, height = 0.1, jitter = 0.25, diagonal = "random" }
    local model = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = fabric }
    local function at(angle)
      return sheets.map(sheet.x, function(u, v) return u + v * math.sin(angle), v * math.cos(angle), 0 end)
    end
    local d = 1e-6
    local moment = (model:energy { x = at(gamma + d) } - model:energy { x = at(gamma - d) }) / (2 * d)
    assert.near(fabric.shear * gamma, moment / 0.1 / 0.1, 1e-4 * fabric.shear * gamma)
  end)

  it("is the same bits for any number of threads and any instruction set", function()
    local sheet = sheets.grid { columns = 60, rows = 50, width = 0.6, height = 0.5, jitter = 0.2, diagonal = "random" }
    local model = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = weft.fabric.wool }
    local x, before = shaken(sheet.x, 0.002), weft.threads()
    local function result()
      return model:forces { x = x, v = x }:string() .. ("%.17g"):format(model:energy { x = x })
    end
    local expected = result()
    for threads = 2, 3 do
      weft.threads(threads)
      assert.is_true(result() == expected)
    end
    weft.threads(before)
    local best, sets = weft.instruction_set()
    for _, name in ipairs(sets) do
      weft.instruction_set(name)
      assert.is_true(result() == expected, name)
    end
    weft.instruction_set(best)
  end)

  it("names what is wrong with its input", function()
    local message_of = support.message_of
    local function make(options)
      return message_of(weft.model.membrane, options)
    end
    local fabric = weft.fabric.wool
    assert.equal("weft.model.membrane: face 1 has vertex 2 twice",
      make { faces = { { 1, 2, 2 } }, rest = triangle, fabric = fabric, vertices = 3 })
    assert.equal("weft.model.membrane: rest must have 4 points, one per vertex, or 3, one per corner; got 2",
      make { faces = { { 1, 2, 4 } }, rest = { { 0, 0 }, { 1, 0 } }, fabric = fabric })
    assert.equal("weft.model.membrane: fabric must be a weft.fabric, got nothing",
      make { faces = { { 1, 2, 3 } }, rest = triangle })
    assert.equal("weft.model.membrane: form must be one of \"exact\", \"thesis\", \"weave\", got \"StVK\"",
      make { faces = { { 1, 2, 3 } }, rest = triangle, fabric = fabric, form = "StVK" })
    assert.equal("weft.model.forces: x must have one vector for each of the 3 vertices, got 1",
      message_of(function() one_triangle("exact"):forces { x = { { 0, 0, 0 } } } end))
    local bending = weft.model.bending { faces = { { 1, 2, 3 } }, rest = triangle, fabric = fabric }
    assert.equal("weft.model.strains: only membranes have strains, got a model of bending",
      message_of(function() bending:strains { x = flat(triangle) } end))
    assert.equal("weft.model membrane (1 elements on 3 vertices)", tostring(one_triangle("exact")))
  end)

  it("of threads is the system of weave particles, element by element", function()
    local fabric = weft.fabric { stretch = { weft = 300, warp = 500, coupling = 80 }, shear = 60, viscosity = 0.03 }
    for seed = 1, 3 do
      local weave, sheet = patch("weave", fabric, seed)
      local particles = weft.model.create { name = "weave particles", faces = sheet.faces, rest = sheet.rest,
        fabric = fabric }
      local x, v = shaken(sheet.x, 0.004, seed), shaken(sheet.x, 1, seed + 5)
      local energy, forces = particles:energy { x = x }, particles:forces({ x = x, v = v }):table()
      assert.near(energy, weave:energy { x = x }, 1e-12 * energy)
      local _, _, largest = sheets.totals(x, forces)
      for i, f in ipairs(weave:forces({ x = x, v = v }):table()) do
        for k = 1, 3 do
          assert.near(forces[i][k], f[k], 1e-12 * largest)
        end
      end
      local matrix = particles:matrix { x = x, exact = true, damping = 0.2 }
      for i, row in ipairs(weave:matrix { x = x, exact = true, damping = 0.2 }) do
        for j, value in ipairs(row) do
          assert.near(matrix[i][j], value, 1e-9)
        end
      end
    end
  end)

  it("survives each allocation failing", function()
    support.fail_each_allocation(function() return (patch("exact")) end)
    local model, sheet = patch "exact"
    support.fail_each_allocation(function() model:matrix { x = sheet.x } end)
  end)
end)
