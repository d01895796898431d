-- The multigrid preconditioner: a symmetric positive definite operator that keeps iteration counts nearly flat.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"
local with = support.with

--- The matrix mass + scale K of a flat or rolled-up sheet of springs, n x n vertices on one square metre, as pairs and
--- blocks. Springs run along edges and one diagonal of each cell, with a little stiffness across them, as of tension.
local function sheet_system(n, options)
  options = options or {}
  local system = { rows = n * n, pairs = {}, blocks = {}, b = {} }
  local scale, tension = options.scale or 0.4, 1e-3
  local mass = 0.26 / (n * n)
  local diagonal, x = {}, {}
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local u, v = i / (n - 1), j / (n - 1)
      local bend = options.rolled and 6 or 1e-9
      x[#x + 1] = { math.sin(bend * u) / bend, (1 - math.cos(bend * u)) / bend, v }
      diagonal[#diagonal + 1] = { mass, 0, 0, 0, mass, 0, 0, 0, mass }
      system.b[#system.b + 1] = { 0.1 * mass * math.sin(9 * u), -0.16 * mass, 0.1 * mass * math.cos(7 * v) }
    end
  end
  local function spring(i, j)
    local d = { x[j][1] - x[i][1], x[j][2] - x[i][2], x[j][3] - x[i][3] }
    local length2 = d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2
    local block = {}
    for r = 1, 3 do
      for c = 1, 3 do
        local entry = scale * ((1 - tension) * d[r] * d[c] / length2 + (r == c and tension or 0))
        local k = 3 * r - 3 + c
        diagonal[i][k] = diagonal[i][k] + entry
        diagonal[j][k] = diagonal[j][k] + entry
        block[k] = -entry
      end
    end
    system.pairs[#system.pairs + 1], system.blocks[#system.blocks + 1] = { i, j }, block
  end
  for j = 0, n - 1 do
    for i = 1, n do
      local k = j * n + i
      if i < n then
        spring(k, k + 1)
      end
      if j < n - 1 then
        spring(k, k + n)
      end
      if i < n and j < n - 1 then
        spring(k + (j + i) % 2, k + n + (j + i + 1) % 2)
      end
    end
  end
  for k = 1, n * n do
    system.pairs[#system.pairs + 1], system.blocks[#system.blocks + 1] = { k, k }, diagonal[k]
  end
  system.fixed, system.positions = { 1, n }, x
  return system
end

local function solve(system, preconditioner, tolerance)
  return weft.solve.linear(with(system, { preconditioner = preconditioner, relative_tolerance = tolerance }))
end

local function largest_difference(a, b)
  local largest = 0
  for i = 1, #a do
    for k = 1, 3 do
      largest = math.max(largest, math.abs(a[i][k] - b[i][k]))
    end
  end
  return largest
end

local function largest_entry(a)
  return largest_difference(a, sheets.zeros(#a))
end

--- Contacts between sheet vertices far apart: stiff springs along z.
local function add_contacts(system, count, stiffness)
  system.contact_pairs, system.contact_blocks = {}, {}
  local function add(i, j, s)
    system.contact_pairs[#system.contact_pairs + 1] = { i, j }
    system.contact_blocks[#system.contact_blocks + 1] = { 0, 0, 0, 0, 0, 0, 0, 0, s }
  end
  for k = 1, count do
    local i, j = (k * 37) % system.rows + 1, (k * 101 + 11) % system.rows + 1
    if i ~= j then
      add(i, i, stiffness)
      add(j, j, stiffness)
      add(i, j, -stiffness)
    end
  end
end

local dot = sheets.dot

local function random_vectors(count, seed)
  local random, list = sheets.random(seed), {}
  for i = 1, count do
    list[i] = { random(), random(), random() }
  end
  return list
end

local function difference(a, b)
  local list = {}
  for i = 1, #a do
    list[i] = { a[i][1] - b[i][1], a[i][2] - b[i][2], a[i][3] - b[i][3] }
  end
  return list
end

--- sqrt(x^T A x)
local function energy_norm(system, x)
  local sum = 0
  for k, pair in ipairs(system.pairs) do
    local a, b, block, product = x[pair[1]], x[pair[2]], system.blocks[k], 0
    for r = 1, 3 do
      for c = 1, 3 do
        product = product + a[r] * block[3 * r - 3 + c] * b[c]
      end
    end
    sum = sum + (pair[1] == pair[2] and 1 or 2) * product
  end
  return math.sqrt(sum)
end

describe("the multigrid preconditioner", function()
  it("leads to the same solution as the others", function()
    for _, rolled in ipairs { false, true } do
      local system = sheet_system(24, { rolled = rolled })
      local x, report = solve(system, "multigrid", 1e-10)
      local expected = solve(system, "block jacobi", 1e-12):table()
      assert.is_true(report.converged)
      assert.is_true(largest_difference(x:table(), expected) < 1e-7 * largest_entry(expected))
    end
  end)

  it("stops where the tolerance is what the error has of the solution's energy, whatever the start", function()
    for _, rolled in ipairs { false, true } do
      local system = sheet_system(40, { rolled = rolled })
      local held = sheets.zeros(system.rows)
      held[1], held[40] = { 0.02, 0, 0.1 }, { 0, -0.05, 0.1 } -- the fixed part is no part of the solution's energy
      local solution = weft.solve.linear(with(system, { x = held, relative_tolerance = 1e-13 })):table()
      local whole, starts = energy_norm(system, difference(solution, held)), { held }
      for scale = 0, 2 do -- near, and up to a hundred times farther than zero
        local noise = random_vectors(system.rows, 3 + scale)
        noise[1], noise[40] = { 0, 0, 0 }, { 0, 0, 0 }
        local size = 10 ^ (2 * scale - 2) * whole / energy_norm(system, noise)
        for i, x in ipairs(solution) do
          noise[i] = { x[1] + size * noise[i][1], x[2] + size * noise[i][2], x[3] + size * noise[i][3] }
        end
        starts[#starts + 1] = noise
      end
      for _, start in ipairs(starts) do
        for digits = 2, 6 do
          local tolerance = 10 ^ -digits
          local x, report = weft.solve.linear(with(system, { x = start, relative_tolerance = tolerance }))
          local left = energy_norm(system, difference(x:table(), solution)) / whole
          assert.is_true(report.converged and report.residual <= tolerance)
          -- P^-1 A has eigenvalues from 0.3 to a little more than 1
          assert.is_true(left > 0.8 * report.residual and left < 2 * report.residual,
            ("%g left, %g reported"):format(left, report.residual))
        end
      end
    end
  end)

  it("is symmetric and positive definite, with pins and contacts", function()
    -- One step from x = 0 is a P^-1 b with an unknown factor a > 0 for each b. In the products
    -- (b1 . x2) (b2 . x3) (b3 . x1) = (b1 . x3) (b3 . x2) (b2 . x1) the factors cancel.
    local system = sheet_system(33, { rolled = true })
    system.guided, system.directions = { 40, 41, 500, 500 }, { { 0, 1, 0 }, { 1, 2, 2 }, { 1, 0, 0 }, { 0, 1, 1 } }
    add_contacts(system, 60, 5)
    for seed = 1, 3 do
      local b, x = {}, {}
      for k = 1, 3 do
        b[k] = random_vectors(system.rows, 10 * seed + k)
        for _, fixed in ipairs(system.fixed) do
          b[k][fixed] = { 0, 0, 0 }
        end
        x[k] = weft.solve.linear(with(system, { b = b[k], preconditioner = "multigrid", max_iterations = 1,
          relative_tolerance = 0 })):table()
        assert.is_true(dot(b[k], x[k]) > 0)
      end
      local one = dot(b[1], x[2]) * dot(b[2], x[3]) * dot(b[3], x[1])
      local other = dot(b[1], x[3]) * dot(b[3], x[2]) * dot(b[2], x[1])
      local scale = math.abs(dot(b[1], x[1]) * dot(b[2], x[2]) * dot(b[3], x[3]))
      assert.is_true(math.abs(one - other) < 1e-5 * scale)
    end
  end)

  it("needs at most half again as many iterations with sixteen times the vertices", function()
    for _, rolled in ipairs { false, true } do
      local counts, constant = {}, nil
      for i, n in ipairs { 50, 200 } do
        local system = sheet_system(n, { rolled = rolled })
        counts[i] = select(2, solve(system, "multigrid", 1e-3)).iterations
        system.positions = nil
        constant = select(2, solve(system, "multigrid", 1e-3)).iterations
      end
      assert.is_true(counts[2] <= 1.5 * counts[1], counts[1] .. " became " .. counts[2])
      assert.is_true(counts[2] < 0.8 * constant, counts[2] .. " against " .. constant)
    end
  end)

  it("interpolates between positions that are in a line, in one place, or none at all", function()
    local system = sheet_system(24, { rolled = true })
    local expected = solve(system, "block jacobi", 1e-12):table()
    local line, place, far = {}, {}, {}
    for k, x in ipairs(system.positions) do
      line[k], place[k], far[k] = { x[1] + x[2], 0, 0 }, { 1, 2, 3 }, { 1e6 * k, -1e5 * k * k, 1 }
    end
    for _, positions in ipairs { line, place, far, false } do
      system.positions = positions or nil
      local x, report = solve(system, "multigrid", 1e-10)
      assert.is_true(report.converged)
      assert.is_true(largest_difference(x:table(), expected) < 1e-7 * largest_entry(expected))
    end
    assert.equal("weft.solve.linear: positions must have 576 vectors, got 1",
      support.message_of(weft.solve.linear, with(system, { positions = { { 0, 0, 0 } } })))
  end)

  it("keeps pinned vertices and guided directions", function()
    local system = sheet_system(20, { rolled = true })
    system.x = sheets.zeros(400)
    system.x[1], system.x[20], system.x[77] = { 1, 2, 3 }, { -1, 0.5, 0 }, { 0, 0.25, 0 }
    system.guided, system.directions = { 77 }, { { 0, 1, 0 } }
    local x = solve(system, "multigrid", 1e-10):table()
    local expected = solve(system, "block jacobi", 1e-12):table()
    assert.same({ 1, 2, 3 }, x[1])
    assert.same({ -1, 0.5, 0 }, x[20])
    assert.equal(0.25, x[77][2])
    assert.is_true(largest_difference(x, expected) < 1e-6)
  end)

  it("works where all is pinned, and where whole groups are pinned or guided alike", function()
    local system = sheet_system(12)
    local all, left, guided, directions = {}, {}, {}, {}
    for k = 1, 144 do
      all[k] = k
      if (k - 1) % 12 < 6 then
        left[#left + 1] = k
      else
        guided[#guided + 1], directions[#directions + 1] = k, { 1, 1, 0 }
      end
    end
    local _, report = solve(with(system, { fixed = all }), "multigrid", 1e-6)
    assert.equal(0, report.iterations)
    local held = with(system, { fixed = left, guided = guided, directions = directions })
    local x = solve(held, "multigrid", 1e-9):table()
    assert.is_true(largest_difference(x, solve(held, "block jacobi", 1e-12):table()) < 1e-7)
    for k = 1, 144 do
      assert.near(0, x[k][1] + x[k][2], 1e-12)
    end
  end)

  it("takes a single vertex, a pair, lone vertices and many islands", function()
    local one = { rows = 1, pairs = { { 1, 1 } }, blocks = { { 2, 1, 0, 1, 2, 0, 0, 0, 4 } }, b = { { 3, 3, 4 } } }
    local x, report = solve(one, "multigrid", 1e-9)
    assert.is_true(report.converged)
    assert.is_true(largest_difference(x:table(), { { 1, 1, 1 } }) < 1e-7)
    -- a row of little sheets of different stiffness, with a lone vertex after each
    local islands = { rows = 0, pairs = {}, blocks = {}, b = {}, fixed = {}, positions = {} }
    for k = 1, 40 do
      local sheet, first = sheet_system(1 + k % 7 + 1, { scale = 10 ^ (k % 5 - 3), rolled = k % 2 == 0 }), islands.rows
      for i, pair in ipairs(sheet.pairs) do
        islands.pairs[#islands.pairs + 1] = { pair[1] + first, pair[2] + first }
        islands.blocks[#islands.blocks + 1] = sheet.blocks[i]
      end
      for i, b in ipairs(sheet.b) do
        islands.b[#islands.b + 1], islands.positions[#islands.positions + 1] = b, sheet.positions[i]
      end
      islands.rows = first + sheet.rows + 1
      islands.pairs[#islands.pairs + 1], islands.blocks[#islands.blocks + 1] =
        { islands.rows, islands.rows }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
      islands.b[#islands.b + 1], islands.positions[#islands.positions + 1] = { 1e-3, 0, -1e-3 }, { 0, 0, 0 }
    end
    x, report = solve(islands, "multigrid", 1e-10)
    assert.is_true(report.converged)
    assert.is_true(report.iterations < 0.7 * select(2, solve(islands, "incomplete cholesky", 1e-10)).iterations)
    local expected = solve(islands, "block jacobi", 1e-12):table()
    assert.is_true(largest_difference(x:table(), expected) < 1e-6 * largest_entry(expected))
  end)

  it("takes vertices in a line and in a star", function()
    for shape = 1, 2 do
      local system = { rows = 200, pairs = {}, blocks = {}, b = {} }
      local degree = {}
      for k = 2, 200 do
        local other = shape == 1 and k - 1 or 1
        system.pairs[#system.pairs + 1], system.blocks[#system.blocks + 1] =
          { other, k }, { -50, 0, 0, 0, 0, 0, 0, 0, 0 }
        degree[k], degree[other] = (degree[k] or 0) + 1, (degree[other] or 0) + 1
      end
      for k = 1, 200 do
        system.pairs[#system.pairs + 1], system.blocks[#system.blocks + 1] =
          { k, k }, { 50 * degree[k] + 1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3 }
        system.b[k] = { math.sin(k), 1, 2 }
      end
      local x, report = solve(system, "multigrid", 1e-9)
      local expected = solve(system, "incomplete cholesky", 1e-11):table()
      assert.is_true(report.converged and report.iterations <= 60)
      assert.is_true(largest_difference(x:table(), expected) < 1e-5 * largest_entry(expected))
    end
  end)

  it("converges with stiff contacts between far vertices, and forgets them after", function()
    local system = sheet_system(40, { rolled = true })
    local _, without = solve(system, "multigrid", 1e-6)
    local touching = with(system, {})
    add_contacts(touching, 150, 20)
    local x, report = solve(touching, "multigrid", 1e-9)
    assert.is_true(report.converged)
    assert.is_true(report.iterations <= 8 * without.iterations)
    local expected = solve(touching, "block jacobi", 1e-12):table()
    assert.is_true(largest_difference(x:table(), expected) < 1e-6 * largest_entry(expected))
  end)

  it("serves matrices that change: the equilibrium of a hanging sheet", function()
    local sheet = sheets.grid { columns = 24, rows = 24, width = 0.5, height = 0.5, jitter = 0.2, seed = 5 }
    local load = {}
    for k = 1, #sheet.x do
      load[k] = { 0, 0, -1e-3 }
    end
    local results = {}
    for i, preconditioner in ipairs { "multigrid", "block jacobi" } do
      local x, report = weft.solve.equilibrium {
        models = { weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = weft.fabric.wool } },
        x = sheet.x, load = load, fixed = { sheet.index(0, 0), sheet.index(24, 0), sheet.index(0, 24) },
        preconditioner = preconditioner,
      }
      assert.is_true(report.converged)
      results[i] = { x = x:table(), linear = report.linear_iterations, energy = report.energy }
    end
    assert.is_true(math.abs(results[1].energy - results[2].energy) < 1e-7 * math.abs(results[2].energy))
    assert.is_true(results[1].linear < 0.5 * results[2].linear)
  end)

  it("follows a change of the step, with which the scalars of linear bending change", function()
    --- Iterations of three steps of a hundredth of a second after two others.
    local function iterations(before)
      local world = weft.world { time_step = before, self_contact = false, max_iterations = 1000 }
      local fabric = weft.fabric.wool
      fabric.bend = { warp = 1e3 * fabric.bend.warp, weft = 1e3 * fabric.bend.weft }
      local sheet = weft.sheet { cells = { 29, 29 }, fabric = fabric }
      sheet:pin { vertices = { 1, 2, 29, 30 } }
      world:add(sheet)
      local count = 0
      for k = 1, 5 do
        world.time_step = k <= 2 and before or 1e-2
        world:step()
        count = count + (k > 2 and world.stats.solver_iterations or 0)
      end
      return count
    end
    assert.is_true(iterations(1) < 5 * iterations(1e-2)) -- with the scalars of the long steps 22 times
  end)

  it("gives the same bits for any number of threads", function()
    local system = sheet_system(90, { rolled = true })
    add_contacts(system, 100, 20)
    local before, results = weft.threads(), {}
    for threads = 1, 4 do
      weft.threads(threads)
      results[threads] = solve(system, "multigrid", 1e-6):string()
    end
    weft.threads(before)
    for threads = 2, 4 do
      assert.is_true(results[threads] == results[1])
    end
  end)

  it("survives each allocation failing", function()
    local system = sheet_system(7)
    add_contacts(system, 5, 1)
    support.fail_each_allocation(function() return (solve(system, "multigrid", 1e-6)) end)
  end)
end)
