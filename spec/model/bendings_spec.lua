-- What the bending models of the table are as plates: reference on garments and haptics (2007), G21 to G26, H14 and
-- A14 to A17; reference on Keckeisen (2005), T16.

local weft = require "weft"
local plates = require "spec.model.plates"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local BEND, isotropic = plates.BEND, plates.isotropic

local function model_of(name, sheet, options)
  options = options or {}
  return weft.model.create { name = name, faces = sheet.faces, rest = sheet.rest,
    fabric = options.fabric or isotropic, folds = options.folds, fold_angles = options.fold_angles }
end

local equilateral, grid, ratio = plates.equilateral, plates.grid, plates.ratio
local rolled, curved, cylinder = plates.rolled, plates.curved, plates.cylinder

describe("Hinges with one modulus", function()
  local names = { "discrete shells", "hinges", "bending vector", "quadratic isometric", "angle springs" }

  it("have the plate's energy on cylinders of equilateral triangles, in all directions", function()
    for _, name in ipairs(names) do
      for _, phi in ipairs { 0, 0.3, math.pi / 4, math.pi / 2 } do
        assert.near(1, ratio(name, equilateral, cylinder(phi), 1 / 0.4), 0.005, name)
      end
    end
  end)

  it("are there the plate of Poisson's ratio -1/3, and cross springs that of 1/3", function()
    for _, name in ipairs(names) do
      assert.near(4 / 3, ratio(name, equilateral, function(s) return curved(s, 0.01, 0.01) end, 0.01), 0.01, name)
      assert.near(8 / 3, ratio(name, equilateral, function(s) return curved(s, 0.01, -0.01) end, 0.01), 0.01, name)
    end
  end)

  it("are up to three times too stiff across the diagonals of a grid, as the table says", function()
    for _, name in ipairs { "discrete shells", "bending vector" } do
      assert.near(1, ratio(name, grid { diagonal = "same" }, cylinder(0), 1 / 0.4), 0.005)
      assert.near(3, ratio(name, grid { diagonal = "same" }, cylinder(math.pi / 4), 1 / 0.4), 0.01)
      assert.near(1.5, ratio(name, grid { diagonal = "alternating" }, cylinder(math.pi / 4), 1 / 0.4), 0.01)
    end
  end)

  it("bend two directions with what the mesh makes of the fabric's moduli, as the table says", function()
    -- normals at 90 and +-30 degrees; B(30 degrees) = (sqrt(1) 3/4 + sqrt(4) 1/4)^2
    local fabric = weft.fabric { bend = { weft = BEND, warp = 4 * BEND } }
    for _, name in ipairs(names) do
      assert.near(4 / 9 + 8 / 9 * 1.25 ^ 2, ratio(name, equilateral, cylinder(0), 1 / 0.4, fabric), 0.01)
      assert.near(4, ratio(name, equilateral, cylinder(math.pi / 2), 1 / 0.4, fabric), 0.03)
    end
  end)
end)

describe("The linear bending vector", function()
  it("vanishes for flat hinges that are not convex", function() -- A14: signed areas
    local random = sheets.random(3)
    for _ = 1, 200 do
      local rest = { { 0, 0 }, { 1, 0 }, { 2 * random(), 0.1 + math.abs(random()) },
        { 2 * random(), -0.1 - math.abs(random()) } }
      local sheet = { faces = { { 1, 2, 3 }, { 2, 1, 4 } }, rest = rest }
      local x = sheets.map(rest, function(u, v) return u, v, 0.3 end)
      for _, name in ipairs { "bending vector", "quadratic isometric" } do
        assert.near(0, model_of(name, sheet):energy { x = x }, 1e-26)
      end
    end
  end)

  it("is the one of cotangents", function() -- A16
    local random = sheets.random(4)
    local function cot(a, b, c) -- at a
      local p, q = { b[1] - a[1], b[2] - a[2] }, { c[1] - a[1], c[2] - a[2] }
      return (p[1] * q[1] + p[2] * q[2]) / math.abs(p[1] * q[2] - p[2] * q[1])
    end
    for _ = 1, 50 do
      local rest = { { 0, 0 }, { 1, 0 }, { random(), 0.2 + math.abs(random()) },
        { random(), -0.2 - math.abs(random()) } }
      local sheet = { faces = { { 1, 2, 3 }, { 2, 1, 4 } }, rest = rest }
      local own, far = cot(rest[1], rest[2], rest[3]), cot(rest[1], rest[2], rest[4])
      local own_end, far_end = cot(rest[2], rest[1], rest[3]), cot(rest[2], rest[1], rest[4])
      local k = { own_end + far_end, own + far, -own - own_end, -far - far_end }
      local area = 0.5 * (rest[3][2] - rest[4][2])
      local heights, sum = { random(), random(), random(), random() }, 0
      local x = {}
      for i, p in ipairs(rest) do
        x[i] = { p[1], p[2], heights[i] }
        sum = sum + k[i] * heights[i]
      end
      -- 3/2 B / (sum of the areas) |K x|^2
      local expected = 1.5 * BEND / area * sum ^ 2
      assert.near(expected, model_of("quadratic isometric as published", sheet):energy { x = x }, 1e-9 * expected)
    end
  end)

  it("is a third as stiff as the fabric in print, and the quadratic isometric model three times", function() -- A15
    assert.near(1 / 3, ratio("bending vector as published", equilateral, cylinder(0.2), 1 / 0.4), 0.002)
    assert.near(3, ratio("quadratic isometric as published", equilateral, cylinder(0.2), 1 / 0.4), 0.02)
  end)

  it("has a constant matrix", function()
    local sheet = sheets.grid { columns = 3, rows = 3, width = 0.05, height = 0.05, jitter = 0.2 }
    local model = model_of("bending vector", sheet)
    assert.same(model:matrix { x = sheet.x, exact = true }, model:matrix { x = rolled(sheet, 0.02, 0.4), exact = true })
  end)
end)

describe("Bridson's hinge", function()
  local sheet = { faces = { { 1, 2, 3 }, { 2, 1, 4 } },
    rest = { { 0, 0 }, { 0.02, 0 }, { 0.01, 0.01 }, { 0.01, -0.01 } } }
  --- The hinge folded by an angle; its edge stretched.
  local function folded(angle, stretch)
    return { { 0, 0, 0 }, { 0.02 * stretch, 0, 0 }, { 0.01, 0.01, 0 },
      { 0.01, -0.01 * math.cos(angle), 0.01 * math.sin(angle) } }
  end

  it("pushes with sin(angle / 2)", function()
    local model = model_of("hinges", sheet)
    local function push(angle) return select(3, model:forces({ x = folded(angle, 1) }):get(3)) end
    for _, angle in ipairs { 0.1, 1, 2, 3 } do
      assert.near(math.sin(angle / 2) / math.sin(0.25), push(angle) / push(0.5), 1e-9)
    end
    local published = model_of("hinges as published", sheet)
    assert.near(push(0.7), select(3, published:forces({ x = folded(0.7, 1) }):get(3)), 1e-15)
  end)

  it("gains energy in print where edges stretch: fold, stretch, unfold, shrink", function()
    --- The work of the forces around that cycle over the energy of the fold.
    local function work(name)
      local model, sum, steps = model_of(name, sheet), 0, 60
      local corners = { { 0.2, 1 }, { 1, 1 }, { 1, 1.4 }, { 0.2, 1.4 }, { 0.2, 1 } }
      local before = folded(corners[1][1], corners[1][2])
      for leg = 1, 4 do
        for step = 1, steps do
          local t = step / steps
          local function between(k) return corners[leg][k] * (1 - t) + corners[leg + 1][k] * t end
          local after, middle = folded(between(1), between(2)), {}
          for i = 1, 4 do
            middle[i] = {}
            for k = 1, 3 do
              middle[i][k] = 0.5 * (before[i][k] + after[i][k])
            end
          end
          for i, f in ipairs(model:forces({ x = middle }):table()) do
            for k = 1, 3 do
              sum = sum + f[k] * (after[i][k] - before[i][k])
            end
          end
          before = after
        end
      end
      return sum / model:energy { x = folded(1, 1) }
    end
    assert.near(0, work "hinges", 1e-3)
    assert.is_true(math.abs(work "hinges as published") > 0.2)
  end)
end)

describe("Cross springs", function()
  -- one spring of 2 cm
  local sheet = { faces = { { 1, 2, 3 }, { 2, 1, 4 } },
    rest = { { 0, 0 }, { 0.02, 0 }, { 0.01, 0.01 }, { 0.01, -0.01 } } }
  local function force(length)
    local x = { { 0, 0, 0 }, { 0.02, 0, 0 }, { 0.01, length / 2, 0 }, { 0.01, -length / 2, 0 } }
    return select(2, model_of("cross springs", sheet):forces({ x = x }):get(3))
  end
  local beam = 8 / 9 * 2e-4 * BEND / 0.02 -- B L of 8/9 of the area, over L

  it("push with 12 B / L^2 when they buckle and 39.478 B / L^2 where their ends meet", function() -- A17
    assert.near(12, force(0.02 * (1 - 1.0001e-4)) / (beam / 0.02 ^ 2), 0.01)
    assert.near(39.478, force(1e-9) / (beam / 0.02 ^ 2), 0.001)
  end)

  it("are arcs: half a circle pushes with what the elastica says", function()
    -- y = pi / 2: |r| / L = 2 / pi, force 4 y^2 / (2 / pi) = pi^3 / 2
    assert.near(math.pi ^ 3 / 2, force(0.02 * 2 / math.pi) / (beam / 0.02 ^ 2), 1e-9)
  end)

  it("do not pull", function()
    assert.equal(0, force(0.021))
  end)
end)

for _, name in ipairs { "plate", "shell" } do
  describe("The " .. name, function()
    local meshes = { equilateral = equilateral, same = grid { diagonal = "same" },
      alternating = grid { diagonal = "alternating" }, jittered = grid { diagonal = "random", jitter = 0.2 },
      ["strongly jittered"] = grid { diagonal = "random", jitter = 0.3 } }

    for mesh, make in pairs(meshes) do
      it("has the plate's energy on any mesh, on cylinders in all directions: " .. mesh, function()
        for _, phi in ipairs { 0, math.pi / 8, math.pi / 4, math.pi / 2 } do
          assert.near(1, ratio(name, make, cylinder(phi), 1 / 0.4), 0.005)
        end
      end)

      it("couples the two curvatures and resists twist as the plate does: " .. mesh, function()
        -- Poisson's ratio 0.2: 2 (1 + 0.2) for the sphere, 2 (1 - 0.2) for the saddle, and for z = k x y as well
        assert.near(2.4, ratio(name, make, function(s) return curved(s, 0.01, 0.01) end, 0.01), 0.012)
        assert.near(1.6, ratio(name, make, function(s) return curved(s, 0.01, -0.01) end, 0.01), 0.008)
        assert.near(1.6, ratio(name, make, plates.twisted, 0.01), 1e-3)
      end)
    end

    it("bends waves too easily by no more than the membrane measures them too short", function()
      for _, mesh in ipairs { "equilateral", "same", "alternating", "jittered" } do
        local sheet = meshes[mesh](20)
        for _, phi in ipairs { 0, math.pi / 8, math.pi / 4, math.pi / 2, 3 * math.pi / 4 } do
          for edges, tolerance in pairs { [6] = 0.035, [8] = 0.02, [12] = 0.012 } do
            assert.near(1, plates.wave_energy(name, sheet, phi, edges) / plates.wave_length(sheet, phi, edges),
              tolerance, mesh)
          end
        end
      end
    end)
  end)
end

describe("Alternating diagonals", function()
  local alternating = grid { diagonal = "alternating" }

  it("soften the loop shell, as the table says", function()
    assert.near(0.738, ratio("loop shell", alternating, plates.twisted, 0.01) / 1.6, 0.01)
    assert.near(0.906, ratio("loop shell", alternating, cylinder(math.pi / 4), 1 / 0.4), 0.01)
  end)
end)

describe("The shell", function()
  it("has no moment across free edges", function()
    -- as "plate": two equilateral triangles resist with B / 1.2963 (bending_spec.lua)
    local side, a = 0.02, 0.05
    local height = side * math.sqrt(3) / 2
    local model = model_of("shell", { faces = { { 1, 2, 3 }, { 2, 1, 4 } },
      rest = { { 0, 0 }, { side, 0 }, { side / 2, height }, { side / 2, -height } } })
    local x = { { 0, 0, 0 }, { side, 0, 0 }, { side / 2, height, 0 },
      { side / 2, -height * math.cos(a), -height * math.sin(a) } }
    local expected = 0.5 * side * height * BEND * (a / height) ^ 2 / ((1 / 9 + 1 + 2 * 0.2 / 3) / (1 - 0.2 ^ 2))
    assert.near(expected, model:energy { x = x }, 1e-9 * expected)
  end)

  it("joins patterns of different grain over a seam", function()
    local sheet, corners = sheets.of_two_grains()
    for _, name in ipairs { "shell", "discrete shells", "bending vector" } do
      local sewn, whole = model_of(name, { faces = sheet.faces, rest = corners }), model_of(name, sheet)
      for _, phi in ipairs { 0, 0.5, 1.2 } do
        local x = rolled(sheet, 0.1, phi)
        assert.near(whole:energy { x = x }, sewn:energy { x = x }, 1e-9 * whole:energy { x = x })
      end
    end
  end)

  it("lets rigid motions pass and nothing else that is out of the plane: no soft modes on any mesh", function()
    for _, diagonal in ipairs { "same", "alternating", "random" } do
      for rows = 1, 4 do
        local sheet = sheets.grid { columns = 5, rows = rows, width = 5, height = rows, diagonal = diagonal,
          jitter = rows > 2 and 0.2 or 0 }
        local matrix, upright = model_of("shell", sheet):matrix { x = sheet.x }, {}
        for i = 3, #matrix, 3 do
          local row = {}
          for j = 3, #matrix, 3 do
            row[#row + 1] = matrix[i][j] / BEND
          end
          upright[#upright + 1] = row
        end
        local values = sheets.eigenvalues(upright)
        assert.near(0, values[3], 1e-11 * values[#values])
        assert.is_true(values[4] > 0.05)
      end
    end
  end)
end)

describe("The loop shell", function()
  it("is the plate on regular meshes: cylinder, sphere, saddle and twist", function()
    for _, make in ipairs { equilateral, grid { diagonal = "same" } } do
      for _, phi in ipairs { 0, math.pi / 8, math.pi / 4, math.pi / 2 } do
        assert.near(1, ratio("loop shell", make, cylinder(phi), 1 / 0.4), 0.01)
      end
      assert.near(2.4, ratio("loop shell", make, function(s) return curved(s, 0.01, 0.01) end, 0.01), 0.03)
      assert.near(1.6, ratio("loop shell", make, function(s) return curved(s, 0.01, -0.01) end, 0.01), 0.03)
      assert.near(1.6, ratio("loop shell", make, plates.twisted, 0.01), 0.03)
    end
  end)

  it("takes vertices of any valence up to what its elements hold, and says where they do not", function()
    local function fan(count)
      local sheet = { faces = {}, rest = { { 0, 0 } } }
      for k = 1, count do
        local angle = 2 * math.pi * k / count
        sheet.rest[k + 1] = { math.cos(angle), math.sin(angle) }
        sheet.faces[k] = { 1, k + 1, k % count + 2 }
      end
      return sheet
    end
    for _, count in ipairs { 3, 4, 5, 7, 12, 23 } do
      local sheet = fan(count)
      local model = model_of("loop shell", sheet)
      local sheared = sheets.map(sheet.rest, function(u, v) return u, 0.3 * u + v, 2 * v end)
      assert.near(0, model:energy { x = sheared }, 1e-25)
      assert.is_true(model:energy { x = sheets.map(sheet.rest, function(u, v) return u, v, 0.1 * u * u end) } > 0)
    end
    assert.equal('weft.model.create: face 1 has more than 24 vertices around it, too many for "loop shell"',
      support.message_of(model_of, "loop shell", fan(24)))
  end)
end)

describe("Cyclic bending", function()
  -- test 28 of the reference on the tutorial of 2004, in bending: pi viscosity frequency B k^2 a cycle, which is 2 pi
  -- viscosity frequency times the energy at the largest curvature. Those without stiffness when flat have no such loop.
  local without = { ["projected Laplacian as published"] = true, ["cross springs"] = true, ["leapfrog springs"] = true }

  it("takes 2 pi viscosity frequency times the largest energy a cycle, by every law", function()
    local fabric = weft.fabric { base = plates.isotropic, bend = { viscosity = 0.02 } }
    for _, entry in ipairs(weft.model.list()) do
      if entry.kind == "bending" and not without[entry.name] then
        local sheet = plates.grid { diagonal = entry.grid and "same" or "random", jitter = entry.grid and 0 or 0.2 }(8)
        local model = weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
        local curvature, steps = 1e-2, 32
        for _, frequency in ipairs { 3, 300 } do
          local work = 0
          for k = 1, steps do
            local phase = 2 * math.pi * k / steps
            local x = plates.curved(sheet, curvature * math.sin(phase), 0)
            local rate = curvature * frequency * math.cos(phase)
            local v = sheets.map(sheet.x, function(u) return 0, 0, 0.5 * rate * u * u end)
            work = work - sheets.dot(model:forces({ x = x, v = v }):table(), v) * 2 * math.pi / frequency / steps
          end
          local expected = 2 * math.pi * 0.02 * frequency * model:energy { x = plates.curved(sheet, curvature, 0) }
          assert.near(expected, work, 0.01 * expected, entry.name)
        end
      end
    end
  end)
end)

describe("Folds", function()
  local names = { "shell", "discrete shells", "hinges" }
  --- A strip of 6 x 2 cells with a crease across its middle.
  local function creased(angle)
    local sheet = sheets.grid { columns = 6, rows = 2, width = 0.06, height = 0.02 }
    local folds, angles = {}, {}
    for j = 0, 1 do
      folds[#folds + 1] = { sheet.index(3, j), sheet.index(3, j + 1) }
      angles[#angles + 1] = angle
    end
    return sheet, folds, angles
  end
  local function folded(sheet, angle)
    return sheets.map(sheet.x, function(u, v)
      local w = math.max(0, u - 0.03)
      return math.min(u, 0.03) + w * math.cos(angle), v, w * math.sin(angle)
    end)
  end

  it("rest at their angle, and are pushed back to it", function()
    for _, name in ipairs(names) do
      for _, angle in ipairs { 0.5, -1.2, 3 } do
        local sheet, folds, angles = creased(angle)
        local model = model_of(name, sheet, { folds = folds, fold_angles = angles })
        local energy = model:energy { x = sheet.x }
        assert.is_true(energy > 0)
        assert.near(0, model:energy { x = folded(sheet, angle) }, 1e-20 + 1e-12 * energy)
        local before, after, work = folded(sheet, 0.8 * angle), folded(sheet, 0.81 * angle), 0
        for i, f in ipairs(model:forces({ x = before }):table()) do
          for k = 1, 3 do
            work = work + f[k] * (after[i][k] - before[i][k])
          end
        end
        assert.is_true(work > 0)
      end
    end
  end)

  it("have derivatives as flat hinges have", function()
    for _, name in ipairs(names) do
      local sheet, folds, angles = creased(1.4)
      local x = folded(sheet, 0.9)
      local force_error, matrix_error = sheets.difference_errors(
        model_of(name, sheet, { folds = folds, fold_angles = angles }), x)
      assert.is_true(force_error < 1e-6 and matrix_error < 1e-6)
    end
  end)

  it("are refused by models without rest angles, and where there is no edge", function()
    local sheet, folds, angles = creased(1)
    local function message(name, pairs_of, of)
      return support.message_of(model_of, name, sheet, { folds = pairs_of, fold_angles = of })
    end
    assert.equal('weft.model.create: the model "bending vector" has no rest angles: it cannot be folded',
      message("bending vector", folds, angles))
    assert.equal("weft.model.create: fold 1: vertices 1 and 3 are not the ends of an edge of two faces",
      message("shell", { { 1, 3 } }, { 1 }))
    assert.equal("weft.model.create: fold 1: vertices 1 and 2 are not the ends of an edge of two faces",
      message("shell", { { 1, 2 } }, { 1 }))
    assert.equal("weft.model.create: fold 2 has the angle 4 rad, not one between -pi and pi",
      message("shell", folds, { 1, 4 }))
    assert.equal("weft.model.create: fold_angles must have one number for each of the 2 pairs, got 1",
      message("shell", folds, { 1 }))
  end)
end)

describe("The projected Laplacian as published", function()
  it("is no gradient and conserves no momentum", function() -- reference on Keckeisen (2005), T16; G23
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.1, height = 0.1, jitter = 0.2 }
    local model = model_of("projected Laplacian as published", sheet, { fabric = weft.fabric { bend = { weft = 2,
      warp = 1 } } })
    local x = rolled(sheet, 0.1, 0.3)
    local force_error = sheets.difference_errors(model, x)
    assert.is_true(force_error > 0.1)
    local force, torque, largest = sheets.totals(x, model:forces({ x = x }):table())
    assert.near(0, sheets.norm(force), 1e-12 * largest)
    assert.is_true(sheets.norm(torque) > 1e-4 * largest * 0.1)
  end)
end)
