-- T22 and T23 of the reference on Keckeisen (2005).

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"
local message_of = support.message_of
local with = support.with

local preconditioners = { "none", "diagonal", "block jacobi", "block ssor", "incomplete cholesky", "multigrid" }

--- A random symmetric positive definite system on a ring of vertices with chords (or a chain), and its dense matrix.
local function random_system(rows, seed, contact_count, chain)
  local random = sheets.random(seed)
  local system = { rows = rows, pairs = {}, blocks = {}, contact_pairs = {}, contact_blocks = {}, b = {} }
  local dense = {}
  for i = 1, 3 * rows do
    dense[i] = {}
    for j = 1, 3 * rows do
      dense[i][j] = 0
    end
  end
  local function add(pairs, blocks, i, j, block)
    pairs[#pairs + 1], blocks[#blocks + 1] = { i, j }, block
    for r = 1, 3 do
      for c = 1, 3 do
        local value = block[3 * r - 3 + c]
        dense[3 * i - 3 + r][3 * j - 3 + c] = dense[3 * i - 3 + r][3 * j - 3 + c] + value
        if i ~= j then
          dense[3 * j - 3 + c][3 * i - 3 + r] = dense[3 * j - 3 + c][3 * i - 3 + r] + value
        end
      end
    end
  end
  --- s (v, w) (v, w)^T on two vertices: semidefinite, its coupling block not symmetric
  local function couple(pairs, blocks, i, j, stiffness)
    local v, w = { random(), random(), random() }, { random(), random(), random() }
    local function product(a, b)
      local block = {}
      for r = 1, 3 do
        for c = 1, 3 do
          block[3 * r - 3 + c] = stiffness * a[r] * b[c]
        end
      end
      return block
    end
    add(pairs, blocks, i, i, product(v, v))
    add(pairs, blocks, j, j, product(w, w))
    add(pairs, blocks, i, j, product(v, w))
  end
  for i = 1, rows do
    local mass = 1 + 0.5 * random()
    add(system.pairs, system.blocks, i, i, { mass, 0, 0, 0, mass, 0, 0, 0, mass })
    system.b[i] = { random(), random(), random() }
  end
  for i = 1, rows do
    for step = 1, chain and 1 or 3 do
      if not (chain and i == rows) then
        couple(system.pairs, system.blocks, i, (i + step - 1) % rows + 1, 20)
      end
    end
  end
  for k = 1, contact_count or 0 do
    local i, j = (k * 7) % rows + 1, (k * 13 + 4) % rows + 1
    if i ~= j then
      couple(system.contact_pairs, system.contact_blocks, i, j, 100)
    end
  end
  return system, dense
end

local function flat(vectors)
  local list = {}
  for _, v in ipairs(vectors) do
    for k = 1, 3 do
      list[#list + 1] = v[k]
    end
  end
  return list
end

local function largest_difference(x, dense_x)
  local largest = 0
  for i, value in ipairs(flat(x)) do
    largest = math.max(largest, math.abs(value - dense_x[i]))
  end
  return largest
end

describe("weft.solve.linear", function()
  it("agrees with a dense solve under every preconditioner, contacts included", function()
    for seed = 1, 3 do
      local system, dense = random_system(23, seed, 40)
      local expected = sheets.solve_dense(dense, flat(system.b))
      for _, preconditioner in ipairs(preconditioners) do
        local x, report = weft.solve.linear(with(system, { preconditioner = preconditioner,
          relative_tolerance = 1e-12 }))
        assert.is_true(report.converged)
        assert.is_true(largest_difference(x:table(), expected) < 1e-10, preconditioner)
      end
    end
  end)

  it("needs fewer iterations the more the preconditioner knows", function()
    local system = random_system(300, 4)
    local counts = {}
    for i, preconditioner in ipairs(preconditioners) do
      local _, report = weft.solve.linear(with(system, { preconditioner = preconditioner, relative_tolerance = 1e-8 }))
      counts[i] = report.iterations
    end
    assert.is_true(counts[3] < counts[1])
    assert.is_true(counts[4] < 0.6 * counts[3])
    assert.is_true(counts[5] < counts[4])
  end)

  it("factors a chain, which has no fill, to single precision: two steps do", function()
    local chain = with(random_system(80, 2, 0, true),
      { relative_tolerance = 1e-9, preconditioner = "incomplete cholesky", precision = "double" })
    local _, report = weft.solve.linear(chain)
    assert.is_true(report.iterations <= 2)
    _, report = weft.solve.linear(with(chain, { preconditioner = "block jacobi" }))
    assert.is_true(report.iterations > 20)
  end)

  it("multiplies as the dense matrix does, whatever the order of contacts", function()
    local system, dense = random_system(31, 9, 60)
    local y = weft.solve.product(system):table()
    for i = 1, 31 do
      for k = 1, 3 do
        local sum = 0
        for j = 1, 31 do
          for l = 1, 3 do
            sum = sum + dense[3 * i - 3 + k][3 * j - 3 + l] * system.b[j][l]
          end
        end
        assert.near(sum, y[i][k], 1e-11)
      end
    end
  end)

  it("keeps fixed components and solves the rest of the equations", function()
    local system, dense = random_system(19, 5, 20)
    local x0 = sheets.zeros(19)
    x0[3] = { 0.7, -0.3, 0.2 }
    x0[8] = { 0, 1.5, 0 }
    x0[11] = { 0.4, 0.5, 0.6 }
    x0[14] = { 1, 2, 3 }
    local oblique, a, b = { 1, 2, -2 }, { 1, 1, 0 }, { 0, 1, 1 }
    local held = { x = x0, fixed = { 3 }, guided = { 8, 11, 14, 14 }, directions = { { 0, 1, 0 }, oblique, a, b },
      relative_tolerance = 1e-13 }
    -- the reduced dense system, from a basis of the free motions: x = x0 + N y
    local basis = {}
    for i = 1, 19 do
      local free = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
      if i == 3 then
        free = {}
      elseif i == 8 then
        free = { { 1, 0, 0 }, { 0, 0, 1 } }
      elseif i == 11 then
        free = { { 2, -1, 0 }, sheets.cross(oblique, { 2, -1, 0 }) }
      elseif i == 14 then
        free = { sheets.cross(a, b) }
      end
      for _, direction in ipairs(free) do
        basis[#basis + 1] = { i, direction }
      end
    end
    local flat_x0, flat_b = flat(x0), flat(system.b)
    local reduced, right = {}, {}
    for p, column in ipairs(basis) do
      reduced[p], right[p] = {}, 0
      for k = 1, 3 do
        local row = dense[3 * column[1] - 3 + k]
        local sum = flat_b[3 * column[1] - 3 + k]
        for j = 1, 57 do
          sum = sum - row[j] * flat_x0[j]
        end
        right[p] = right[p] + column[2][k] * sum
      end
      for q, other in ipairs(basis) do
        local sum = 0
        for k = 1, 3 do
          for l = 1, 3 do
            sum = sum + column[2][k] * dense[3 * column[1] - 3 + k][3 * other[1] - 3 + l] * other[2][l]
          end
        end
        reduced[p][q] = sum
      end
    end
    local y, expected = sheets.solve_dense(reduced, right), flat(x0)
    for p, column in ipairs(basis) do
      for k = 1, 3 do
        local at = 3 * column[1] - 3 + k
        expected[at] = expected[at] + y[p] * column[2][k]
      end
    end
    for _, preconditioner in ipairs(preconditioners) do
      local x, report = weft.solve.linear(with(with(system, held), { preconditioner = preconditioner }))
      assert.is_true(report.converged)
      x = x:table()
      assert.same({ 0.7, -0.3, 0.2 }, x[3]) -- bit for bit
      assert.equal(1.5, x[8][2])
      local function along(v, d)
        return v[1] * d[1] + v[2] * d[2] + v[3] * d[3]
      end
      assert.near(along(x0[11], oblique), along(x[11], oblique), 1e-14)
      assert.near(along(x0[14], a), along(x[14], a), 1e-14)
      assert.near(along(x0[14], b), along(x[14], b), 1e-14)
      assert.is_true(largest_difference(x, expected) < 1e-10, preconditioner)
    end
  end)

  it("keeps one vertical component at zero through the solve", function()
    local system = random_system(12, 6)
    local x = weft.solve.linear(with(system, { guided = { 5 }, directions = { { 0, 1, 0 } } })):table()
    assert.equal(0, x[5][2])
    assert.is_true(math.abs(x[5][1]) > 1e-6)
  end)

  it("takes right-hand sides of zero, exact starts and impossible tolerances", function()
    local system, dense = random_system(15, 7)
    local x, report = weft.solve.linear(with(system, { b = sheets.zeros(15) }))
    assert.equal(0, report.iterations)
    assert.equal(0, report.residual)
    assert.same({ 0, 0, 0 }, x:table()[4])
    local exact = weft.solve.linear(with(system, { relative_tolerance = 1e-15 }))
    report = select(2, weft.solve.linear(with(system, { x = exact, relative_tolerance = 1e-10 })))
    assert.equal(0, report.iterations)
    x, report = weft.solve.linear(with(system, { relative_tolerance = 0, max_iterations = 500 }))
    assert.is_true(report.iterations <= 500)
    assert.is_true(largest_difference(x:table(), sheets.solve_dense(dense, flat(system.b))) < 1e-10)
    report = select(2, weft.solve.linear(with(system, { max_iterations = 2, relative_tolerance = 1e-12 })))
    assert.equal(2, report.iterations)
    assert.is_false(report.converged)
    -- everything fixed: nothing to do
    local all = {}
    for i = 1, 15 do
      all[i] = i
    end
    report = select(2, weft.solve.linear(with(system, { fixed = all })))
    assert.equal(0, report.iterations)
  end)

  it("is relative to the right-hand side, not to the start", function()
    local system = random_system(40, 8)
    local x = weft.solve.linear(with(system, { relative_tolerance = 1e-3 }))
    local _, report = weft.solve.linear(with(system, { x = x, relative_tolerance = 1e-3 }))
    assert.equal(0, report.iterations)
  end)

  it("says which vertex makes a system indefinite", function()
    local system = random_system(10, 2)
    local pairs_list, blocks = { unpack(system.pairs) }, { unpack(system.blocks) }
    pairs_list[#pairs_list + 1], blocks[#blocks + 1] = { 6, 6 }, { -500, 0, 0, 0, -500, 0, 0, 0, -500 }
    assert.equal("weft.solve.linear: linear system: the matrix is not positive definite at vertex 6",
      message_of(weft.solve.linear, with(system, { pairs = pairs_list, blocks = blocks })))
    -- positive diagonal blocks, but a coupling that is too strong
    blocks[#blocks], pairs_list[#pairs_list] = { 900, 0, 0, 0, 900, 0, 0, 0, 900 }, { 2, 7 }
    for _, preconditioner in ipairs(preconditioners) do
      assert.matches("not positive definite at vertex [27]$", message_of(weft.solve.linear,
        with(system, { pairs = pairs_list, blocks = blocks, preconditioner = preconditioner })))
    end
  end)

  it("says that a semidefinite system without a solution has none", function()
    local function chain(pull)
      local system = { rows = 40, pairs = {}, blocks = {}, b = {} }
      local function add(i, j, s)
        table.insert(system.pairs, { i, j })
        table.insert(system.blocks, { s, 0, 0, 0, s, 0, 0, 0, s })
      end
      for i = 1, 40 do
        system.b[i] = { i == 7 and 1 or i == 30 and pull or 0, 0, 0 }
        add(i, i, (i == 1 or i == 40) and 100 or 200)
        if i > 1 then
          add(i - 1, i, -100)
        end
      end
      return system
    end
    for _, preconditioner in ipairs(preconditioners) do
      local message = message_of(weft.solve.linear, with(chain(0.5), { preconditioner = preconditioner }))
      assert.matches("the matrix is singular", message, 1, true)
      -- with a right-hand side that it can give, the same matrix is solved
      local _, report = weft.solve.linear(with(chain(-1), { preconditioner = preconditioner }))
      assert.is_true(report.converged)
    end
  end)

  it("is the same bits for any number of threads", function()
    local system = random_system(1500, 3, 800)
    local before, results = weft.threads(), {}
    for threads = 1, 3 do
      weft.threads(threads)
      results[threads] = weft.solve.linear(system):string()
    end
    weft.threads(before)
    assert.is_true(results[1] == results[2] and results[1] == results[3])
  end)

  it("reaches double accuracy with iterations in single precision", function()
    for seed = 1, 3 do
      local system, dense = random_system(23, seed, 40)
      local expected = sheets.solve_dense(dense, flat(system.b))
      for _, precision in ipairs { "single", "double" } do
        for _, preconditioner in ipairs(preconditioners) do
          local x, report = weft.solve.linear(with(system, { preconditioner = preconditioner, precision = precision,
            relative_tolerance = 1e-13 }))
          assert.is_true(report.converged)
          assert.is_true(largest_difference(x:table(), expected) < 1e-11, preconditioner .. precision)
        end
      end
    end
  end)

  --- Unit masses and springs of this stiffness along oblique directions v: on each mass, or between it and the next.
  local function oblique_springs(stiffness, between)
    local system = { rows = 60, pairs = {}, blocks = {}, contact_pairs = {}, contact_blocks = {}, b = {} }
    local directions = {}
    local function spring(i, j, v, factor)
      local block = {}
      for r = 1, 3 do
        for c = 1, 3 do
          block[3 * r - 3 + c] = factor * stiffness * v[r] * v[c]
        end
      end
      table.insert(system.contact_pairs, { i, j })
      table.insert(system.contact_blocks, block)
    end
    for i = 1, 60 do
      system.pairs[i], system.blocks[i] = { i, i }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
      system.b[i] = { math.sin(i), math.cos(3 * i), 1 }
      local v = { math.sin(5 * i), math.cos(7 * i), math.sin(2 * i + 1) }
      local length = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
      directions[i] = { v[1] / length, v[2] / length, v[3] / length }
      spring(i, i, directions[i], 1)
      if between and i < 60 then
        spring(i, i + 1, directions[i], -1)
        spring(i + 1, i + 1, directions[i], 1)
      end
    end
    return system, directions
  end

  it("solves systems that are much stiffer along some directions than along others", function()
    for _, stiffness in ipairs { 1e4, 1e6, 1e8 } do
      for _, preconditioner in ipairs(preconditioners) do
        local options = { preconditioner = preconditioner, relative_tolerance = 1e-8 }
        local system, directions = oblique_springs(stiffness, false)
        local x, report = weft.solve.linear(with(system, options))
        assert.is_true(report.converged, preconditioner)
        for i, v in ipairs(directions) do -- (1 + k v v^T)^-1 b
          local b, along = system.b[i], 0
          for c = 1, 3 do
            along = along + v[c] * b[c]
          end
          for c, value in ipairs { x:get(i) } do
            assert.near(b[c] - along * v[c] * stiffness / (1 + stiffness), value, 1e-4, preconditioner)
          end
        end
        weft.solve.linear(with(oblique_springs(stiffness, true), { preconditioner = preconditioner,
          relative_tolerance = 1e-6, max_iterations = 1000 }))
      end
    end
  end)

  --- A chain along x of springs across and along, nearly without mass: its condition number is 10^13.
  local function stiff_chain(rows)
    local system = { rows = rows, pairs = {}, blocks = {}, b = {}, fixed = { 1 } }
    for i = 1, rows do
      local degree = (i == 1 or i == rows) and 1 or 2
      local d = 1e6 * degree + 1e-9
      system.pairs[i], system.blocks[i] = { i, i }, { d, 0, 0, 0, d, 0, 0, 0, d }
      system.b[i] = { math.sin(i), math.cos(3 * i), 1 }
    end
    for i = 2, rows do
      system.pairs[#system.pairs + 1] = { i - 1, i }
      system.blocks[#system.blocks + 1] = { -1e6, 0, 0, 0, -1e6, 0, 0, 0, -1e6 }
    end
    return system
  end

  it("goes over to double precision by itself where single precision does not do", function()
    local system = stiff_chain(2000)
    local x, report = weft.solve.linear(with(system, { preconditioner = "block jacobi", relative_tolerance = 1e-10 }))
    assert.is_true(report.converged)
    -- The tension of a link carries all loads beyond it.
    local load, previous = { 0, 0, 0 }, nil
    x = x:table()
    for i = system.rows, 2, -1 do
      for k = 1, 3 do
        load[k] = load[k] + system.b[i][k]
        assert.near(load[k], 1e6 * (x[i][k] - x[i - 1][k]), 1e-5 * system.rows)
      end
      previous = i
    end
    assert.equal(2, previous)
  end)

  --- Two systems without a coupling as one, the second's vertices after the first's.
  local function side_by_side(a, b)
    local both = { rows = a.rows + b.rows, pairs = {}, blocks = {}, b = {} }
    for _, part in ipairs { { a, 0 }, { b, a.rows } } do
      for k, pair in ipairs(part[1].pairs) do
        both.pairs[#both.pairs + 1] = { pair[1] + part[2], pair[2] + part[2] }
        both.blocks[#both.blocks + 1] = part[1].blocks[k]
      end
      for _, value in ipairs(part[1].b) do
        both.b[#both.b + 1] = value
      end
    end
    return both
  end

  it("solves islands as if each were alone: the same bits, and the iterations of the slowest", function()
    local a, b = random_system(700, 3), random_system(60, 4, 0, true)
    for _, precision in ipairs { "single", "double" } do
      for _, preconditioner in ipairs { "diagonal", "block jacobi", "incomplete cholesky" } do
        local how = { precision = precision, preconditioner = preconditioner, relative_tolerance = 1e-8 }
        local xa, took_a = weft.solve.linear(with(a, how))
        local xb, took_b = weft.solve.linear(with(b, how))
        local x, took = weft.solve.linear(with(side_by_side(a, b), how))
        assert.equal(1, took_a.islands)
        assert.equal(2, took.islands)
        assert.is_true(took_a.iterations ~= took_b.iterations)
        assert.equal(math.max(took_a.iterations, took_b.iterations), took.iterations)
        assert.is_true(x:string() == xa:string() .. xb:string())
      end
    end
  end)

  it("joins islands that contacts couple", function()
    local both = side_by_side(random_system(20, 3), random_system(30, 4))
    both.contact_pairs, both.contact_blocks = { { 5, 5 }, { 41, 41 }, { 5, 41 } },
      { { 3, 0, 0, 0, 3, 0, 0, 0, 3 }, { 3, 0, 0, 0, 3, 0, 0, 0, 3 }, { -3, 0, 0, 0, -3, 0, 0, 0, -3 } }
    assert.equal(1, select(2, weft.solve.linear(both)).islands)
    local lone = with(both, { contact_pairs = {}, contact_blocks = {} })
    assert.equal(2, select(2, weft.solve.linear(lone)).islands)
  end)

  it("names the indefinite one among islands", function()
    local b = random_system(10, 2)
    b.pairs[#b.pairs + 1], b.blocks[#b.blocks + 1] = { 2, 7 }, { 900, 0, 0, 0, 900, 0, 0, 0, 900 }
    local both = side_by_side(random_system(40, 5), b)
    assert.matches("not positive definite at vertex 4[27]$", message_of(weft.solve.linear, both))
  end)

  it("takes fewer iterations from a start near the solution", function()
    local system = random_system(400, 6)
    local x, cold = weft.solve.linear(with(system, { relative_tolerance = 1e-8, preconditioner = "block jacobi" }))
    local near = sheets.map(x:table(), function(u, v, w) return 1.0001 * u, v, w end)
    local warm = select(2, weft.solve.linear(with(system, { relative_tolerance = 1e-8, x = near,
      preconditioner = "block jacobi" })))
    assert.is_true(warm.iterations > 0 and warm.iterations < 0.7 * cold.iterations)
  end)

  it("solves systems of any scale, and says when a vertex is out of all", function()
    local system, dense = random_system(12, 8)
    local expected = sheets.solve_dense(dense, flat(system.b))
    for _, factor in ipairs { 1e-15, 1e15 } do
      local scaled = with(system, { blocks = {}, b = {}, relative_tolerance = 1e-12 })
      for k, block in ipairs(system.blocks) do
        scaled.blocks[k] = {}
        for e = 1, 9 do
          scaled.blocks[k][e] = factor * block[e]
        end
      end
      for k, b in ipairs(system.b) do
        scaled.b[k] = { 1e-100 * factor * b[1], 1e-100 * factor * b[2], 1e-100 * factor * b[3] }
      end
      local x = sheets.map(weft.solve.linear(scaled):table(), function(u, v, w)
        return 1e100 * u, 1e100 * v, 1e100 * w
      end)
      assert.is_true(largest_difference(x, expected) < 1e-10)
    end
    assert.matches("the mean diagonal entry of vertex 1 is 1e%-30, not from 1e%-20 to 1e%+20", message_of(
      weft.solve.linear, { rows = 1, pairs = { { 1, 1 } }, b = { { 1, 1, 1 } },
        blocks = { { 1e-30, 0, 0, 0, 1e-30, 0, 0, 0, 1e-30 } } }))
  end)

  it("refuses tolerances that are none", function()
    local system = random_system(4, 1)
    for _, value in ipairs { -1, 0 / 0 } do
      for _, name in ipairs { "relative_tolerance", "absolute_tolerance" } do
        assert.matches(name .. " must be", message_of(weft.solve.linear, with(system, { [name] = value })))
      end
    end
    assert.matches("max_iterations must be", message_of(weft.solve.linear, with(system, { max_iterations = -1 })))
  end)

  it("names what is wrong with its input", function()
    assert.equal("weft.solve.linear: b must have 2 vectors, got 1",
      message_of(weft.solve.linear, { rows = 2, pairs = {}, blocks = {}, b = { { 0, 0, 0 } } }))
    assert.equal("weft.solve.linear: blocks must have nine numbers for each of the 1 pairs in pairs, got 0",
      message_of(weft.solve.linear, { rows = 1, pairs = { { 1, 1 } }, blocks = {}, b = { { 0, 0, 0 } } }))
    assert.equal("weft.solve.linear: linear system: the matrix is not positive definite at vertex 1",
      message_of(weft.solve.linear, { rows = 1, pairs = {}, blocks = {}, b = { { 0, 0, 0 } } }))
  end)

  it("survives each allocation failing", function()
    local system = random_system(4, 1, 3)
    support.fail_each_allocation(function() return (weft.solve.linear(system)) end)
  end)
end)
