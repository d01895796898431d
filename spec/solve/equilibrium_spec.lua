-- Cloth in static equilibrium and one implicit step: T11 to T13, T19 and T20 of the reference on Keckeisen (2005).

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

--- A strip of cloth that hangs from its top row, which slides sideways on rollers. Returns the mean elongation.
local function hanging_elongation(fabric, mesh)
  local length, width = 1, 0.05
  local sheet = sheets.grid { columns = mesh.columns, rows = mesh.rows, width = width, height = length,
    jitter = mesh.jitter, diagonal = mesh.diagonal, seed = 3 }
  local membrane = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = fabric }
  local x = sheets.map(sheet.x, function(u, v) return u, v - length, 0 end)
  -- loads of a third of each face's weight per corner: what the linear displacement of the element asks for
  local load = sheets.zeros(#x)
  for _, face in ipairs(sheet.faces) do
    local a, b, c = sheet.rest[face[1]], sheet.rest[face[2]], sheet.rest[face[3]]
    local area = 0.5 * ((b[1] - a[1]) * (c[2] - a[2]) - (c[1] - a[1]) * (b[2] - a[2]))
    for k = 1, 3 do
      load[face[k]][2] = load[face[k]][2] - 9.81 * fabric.density * area / 3
    end
  end
  local guided, directions = {}, {}
  for i = 0, mesh.columns do
    guided[#guided + 1], directions[#directions + 1] = sheet.index(i, mesh.rows), { 0, 1, 0 }
  end
  guided[#guided + 1], directions[#directions + 1] = sheet.index(0, mesh.rows), { 1, 0, 0 }
  for i = 1, #x do -- in its plane
    guided[#guided + 1], directions[#directions + 1] = i, { 0, 0, 1 }
  end
  local at, report = weft.solve.equilibrium { models = { membrane }, x = x, load = load, guided = guided,
    directions = directions, tolerance = 1e-7 }
  assert.is_true(report.converged)
  local sum = 0
  for i = 0, mesh.columns do
    local _, y = at:get(sheet.index(i, 0))
    sum = sum - (y + length) / (mesh.columns + 1)
  end
  return sum
end

describe("A hanging strip", function()
  local published = { ["wool viscose"] = 3.216e-3, wool = 0.957e-3, ["polyester acrylic"] = 0.569e-3,
    polyester = 0.370e-3 }
  for name, metres in pairs(published) do
    it("of " .. name .. " stretches by its weight over Young's modulus", function()
      local fabric = weft.fabric.preset(name)
      local expected = fabric.density * 9.81 / (2 * fabric.stretch.young_warp)
      assert.near(metres, expected, 0.0006e-3)
      assert.near(expected, hanging_elongation(fabric, { columns = 4, rows = 80 }), 0.002 * expected)
      assert.near(expected, hanging_elongation(fabric, { columns = 2, rows = 20 }), 0.002 * expected)
      assert.near(expected, hanging_elongation(fabric, { columns = 4, rows = 60, jitter = 0.25, diagonal = "random" }),
        0.005 * expected)
    end)
  end
end)

describe("A pulled sheet", function()
  --- Strains along weft and warp when one side is pulled along the weft (axis 1) or the warp (axis 2) with a line load,
  --- N/m.
  local function pull(fabric, axis, line_load, turned)
    local sheet = sheets.grid { columns = 6, rows = 6, width = 0.1, height = 0.1, jitter = 0.2, diagonal = "random" }
    local rest = sheet.rest
    if turned then -- the pattern cut across the grain
      rest = {}
      for i, p in ipairs(sheet.rest) do
        rest[i] = { p[2], -p[1] }
      end
    end
    local membrane = weft.model.membrane { faces = sheet.faces, rest = rest, fabric = fabric }
    local load, guided, directions = sheets.zeros(#sheet.x), {}, {}
    local function edge(k, far)
      if axis == 1 then
        return sheet.index(far and 6 or 0, k)
      end
      return sheet.index(k, far and 6 or 0)
    end
    for k = 0, 6 do
      if k > 0 then -- half of each segment's load to its ends
        local a, b = edge(k - 1, true), edge(k, true)
        local half = 0.5 * line_load * math.abs(sheet.x[b][3 - axis] - sheet.x[a][3 - axis])
        load[a][axis], load[b][axis] = load[a][axis] + half, load[b][axis] + half
      end
      guided[#guided + 1], directions[#directions + 1] = edge(k), { axis == 1 and 1 or 0, axis == 2 and 1 or 0, 0 }
    end
    guided[#guided + 1], directions[#directions + 1] = edge(0), { axis == 2 and 1 or 0, axis == 1 and 1 or 0, 0 }
    for i = 1, #sheet.x do
      guided[#guided + 1], directions[#directions + 1] = i, { 0, 0, 1 }
    end
    local x, report = weft.solve.equilibrium { models = { membrane }, x = sheet.x, load = load, guided = guided,
      directions = directions, tolerance = 1e-9 }
    assert.is_true(report.converged)
    local strains = membrane:strains { x = x }:table()
    for _, strain in ipairs(strains) do -- the patch test: the same in all triangles
      for k = 1, 3 do
        assert.near(strains[1][k], strain[k], 1e-7)
      end
    end
    return strains[1][1], strains[1][2]
  end

  it("contracts across by C1122 over the modulus across", function()
    local ratios = { ["wool viscose"] = 0.249, wool = 0.261, ["polyester acrylic"] = 0.150, polyester = 0.250 }
    for name, ratio in pairs(ratios) do
      local fabric = weft.fabric.preset(name)
      local weft_strain, warp_strain = pull(fabric, 2, 1)
      assert.near(ratio, -weft_strain / warp_strain, 0.0006)
      assert.near(fabric.stretch.coupling / fabric.stretch.weft, -weft_strain / warp_strain, 1e-6)
    end
  end)

  it("stretches along weft and warp by the ratio of Young's moduli", function()
    local fabric = weft.fabric.wool_viscose
    local weft_strain = pull(fabric, 1, 10)
    local _, warp_strain = pull(fabric, 2, 10)
    assert.near(fabric.stretch.young_warp / fabric.stretch.young_weft, weft_strain / warp_strain, 1e-6)
    assert.near(10 / fabric.stretch.young_weft, weft_strain, 1e-7)
    local _, swapped = pull(fabric, 1, 10, true)
    assert.near(warp_strain, swapped, 1e-9)
  end)
end)

describe("One linearised implicit step", function()
  local faces = { { 1, 2, 3 }, { 1, 3, 4 } }
  local rest = { { 0, 0 }, { 0.1, 0 }, { 0.1, 0.1 }, { 0, 0.1 } }
  local x = { { 0, 0, 0 }, { 0.102, 0, 0 }, { 0.101, 0.1, 0.01 }, { 0, 0.101, 0.005 } }

  --- Velocities after the step, by a dense solve of (M + h^2 K + h D) v' = M v + h f(x, 0).
  local function step(form, h)
    local fabric = weft.fabric.preset("wool", { reading = "thesis" })
    local membrane = weft.model.membrane { faces = faces, rest = rest, fabric = fabric, form = form }
    local masses = weft.model.masses { faces = faces, rest = rest, density = fabric.density }:table()
    local matrix = membrane:matrix { x = x, stiffness = h * h, damping = h }
    local forces, v = membrane:forces { x = x }:table(), { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0.1 }, { 0, 0, 0 } }
    local reduced, right = {}, {}
    for i = 7, 12 do
      local vertex, axis = math.floor((i - 1) / 3) + 1, (i - 1) % 3 + 1
      reduced[i - 6] = {}
      for j = 7, 12 do
        reduced[i - 6][j - 6] = matrix[i][j] + (i == j and masses[vertex] or 0)
      end
      local gravity = axis == 3 and -9.81 * masses[vertex] or 0
      right[i - 6] = masses[vertex] * v[vertex][axis] + h * (forces[vertex][axis] + gravity)
    end
    return sheets.solve_dense(reduced, right), matrix, masses
  end

  it("has the published velocities in the thesis form", function()
    local v = step("thesis", 0.02)
    local golden = { -0.016058468, -0.017819869, -0.099309308, 0.026281619, -0.027789065, -0.196261744 }
    for i, value in ipairs(golden) do
      assert.near(value, v[i], 6e-9)
    end
  end)

  it("has a symmetric positive definite matrix", function()
    for _, form in ipairs { "thesis", "exact" } do
      local _, matrix, masses = step(form, 0.02)
      assert.is_true(sheets.asymmetry(matrix) < 1e-14)
      for i = 1, 12 do
        matrix[i][i] = matrix[i][i] + masses[math.floor((i - 1) / 3) + 1]
      end
      assert.is_true(sheets.eigenvalues(matrix)[1] > 6e-4)
    end
  end)
end)

describe("weft.solve.equilibrium", function()
  it("is the same bits for any number of threads", function()
    local sheet = sheets.grid { columns = 40, rows = 40, width = 0.4, height = 0.4, jitter = 0.2, diagonal = "random" }
    local sheet_of = { faces = sheet.faces, rest = sheet.rest, fabric = weft.fabric.wool }
    local membrane, bending = weft.model.membrane(sheet_of), weft.model.bending(sheet_of)
    local load = sheets.map(sheet.x, function() return 0, 0, -1e-4 end)
    local before, results = weft.threads(), {}
    for threads = 1, 3 do
      weft.threads(threads)
      results[threads] = weft.solve.equilibrium { models = { membrane, bending }, x = sheet.x, load = load,
        fixed = { 1, 41 }, max_iterations = 3 }:string()
    end
    weft.threads(before)
    assert.is_true(results[1] == results[2] and results[1] == results[3])
  end)

  it("does not mind how far apart in the list of vertices neighbours are", function()
    -- columns of the matrix are kept in 16 bits where that does
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.04, height = 0.04, jitter = 0.2, diagonal = "random" }
    local results = {}
    for _, gap in ipairs { 1, 6000 } do
      local faces, rest, x, load, fixed = {}, {}, {}, {}, {}
      for i, face in ipairs(sheet.faces) do
        faces[i] = { gap * face[1], gap * face[2], gap * face[3] }
      end
      for i = 1, gap * #sheet.x do
        local own = i % gap == 0
        rest[i], x[i] = own and sheet.rest[i / gap] or { 0, 0 }, own and sheet.x[i / gap] or { 0, 0, 0 }
        load[i] = own and { 0, 0, -1e-6 } or { 0, 0, 0 }
        if not own or i <= 2 * gap then
          fixed[#fixed + 1] = i
        end
      end
      local sheet_of = { faces = faces, rest = rest, vertices = #x, fabric = weft.fabric.wool }
      local at = weft.solve.equilibrium { models = { weft.model.membrane(sheet_of), weft.model.bending(sheet_of) },
        x = x, load = load, fixed = fixed, max_iterations = 3 }
      results[gap] = {}
      for i = 1, #sheet.x do
        results[gap][i] = { at:get(gap * i) }
      end
    end
    assert.is_true(results[1][#sheet.x][3] < -1e-4)
    for i, position in ipairs(results[1]) do
      for k = 1, 3 do
        assert.near(position[k], results[6000][i][k], 1e-9)
      end
    end
  end)

  it("names what is wrong with its input", function()
    local message_of = support.message_of
    local springs = weft.model.springs { vertices = 2, pairs = { { 1, 2 } } }
    local two = { { 0, 0, 0 }, { 1, 0, 0 } }
    assert.equal("weft.solve.equilibrium: models must be different, got one twice",
      message_of(weft.solve.equilibrium, { models = { springs, springs }, x = two, load = two }))
    assert.equal("weft.solve.equilibrium: load must have 2 vectors, got 1",
      message_of(weft.solve.equilibrium, { models = { springs }, x = two, load = { { 0, 0, 0 } } }))
    assert.equal("weft.solve.equilibrium: matrix: a model of 2 vertices in a matrix of 1 rows",
      message_of(weft.solve.equilibrium, { models = { springs }, x = { { 0, 0, 0 } }, load = { { 0, 0, 0 } } }))
    assert.equal("weft.solve.equilibrium: directions must have one vector for each of the 1 guided vertices, got 0",
      message_of(weft.solve.equilibrium, { models = { springs }, x = two, load = two, guided = { 1 } }))
    springs:close()
    assert.equal("weft.solve.equilibrium: a model is a closed weft.model",
      message_of(weft.solve.equilibrium, { models = { springs }, x = two, load = two }))
  end)

  it("survives each allocation failing", function()
    local springs = weft.model.springs { vertices = 2, pairs = { { 1, 2 } }, rest_lengths = { 1 } }
    local two = { { 0, 0, 0 }, { 1.5, 0, 0 } }
    local x = support.fail_each_allocation(function()
      return (weft.solve.equilibrium { models = { springs }, x = two, load = sheets.zeros(2), fixed = { 1 } })
    end)
    assert.near(1, (x:get(2)), 1e-6)
  end)
end)

describe("A system that nothing holds", function()
  it("is refused with the element that shows it", function()
    local limp = weft.model.springs { vertices = 3, pairs = { { 1, 2 }, { 2, 3 } }, stiffness = { 0, 0 },
      rest_lengths = { 1, 1 } }
    local message = support.message_of(weft.solve.equilibrium, { models = { limp }, fixed = { 1 },
      x = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } }, load = { { 0, 0, 0 }, { 0, -1, 0 }, { 0, -1, 0 } } })
    assert.equal("weft.solve.equilibrium: linear system: the matrix is not positive definite at vertex 2: between the "
      .. "vertices 1, 2 of element 1 of the springs it has a direction of no positive curvature", message)
  end)
end)
