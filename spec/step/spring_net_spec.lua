-- Nets of masses and springs: forces, derivatives, damping, and what the exact linear solve makes of them. T numbers
-- are those of the tests derived from Kang's thesis (2003) and, where it says so, from Cordier's (2004) and the
-- tutorial on clothes for real-time applications (2004).

local weft = require "weft"
local nets = require "spec.step.nets"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local step = weft.step

local function one_spring(options)
  options.positions = options.positions or { { 0, 0, 0 }, { 1.5, 0, 0 } }
  options.edges, options.gravity = { { 1, 2 } }, options.gravity or { 0, 0, 0 }
  return step.springs(options)
end

--- The block (row, column) of a dense matrix.
local function block(matrix, row, column)
  local result = {}
  for i = 1, 3 do
    result[i] = {}
    for j = 1, 3 do
      result[i][j] = matrix[3 * row - 3 + i][3 * column - 3 + j]
    end
  end
  return result
end

local function random_direction(random)
  local a, b, c = random(), random(), random()
  local length = math.sqrt(a * a + b * b + c * c)
  return a / length, b / length, c / length
end

describe("Forces of springs", function()
  it("pull the ends of a long spring together (T1, Cordier T01)", function()
    local f = one_spring({ stiffness = 2, rest = 1 }):forces { x = { { 0, 0, 0 }, { 1.5, 0, 0 } } }:table()
    assert.same({ 1, 0, 0 }, f[1])
    assert.same({ -1, 0, 0 }, f[2])
    f = one_spring({ stiffness = 10, rest = 1 }):forces { x = { { 0, 0, 0 }, { 0, 1.5, 0 } } }:table()
    assert.same({ 0, 5, 0 }, f[1])
    f = one_spring({ stiffness = 10, rest = 1 }):forces { x = { { 0, 0, 0 }, { 0, 0.5, 0 } } }:table()
    assert.same({ 0, -5, 0 }, f[1])
  end)

  it("sum to nothing, and turn nothing (T4)", function()
    local springs = nets.sheet { gravity = { 0, 0, 0 } }
    local random = sheets.random(3)
    local x = springs.positions:table()
    for i = 1, #x do
      for c = 1, 3 do
        x[i][c] = x[i][c] + 0.1 / 32 * random()
      end
    end
    local f = springs:forces { x = x }:table()
    local sum, torque, size = { 0, 0, 0 }, { 0, 0, 0 }, 0
    for i = 1, #f do
      for c = 1, 3 do
        local a, b = c % 3 + 1, (c + 1) % 3 + 1
        sum[c] = sum[c] + f[i][c]
        torque[c] = torque[c] + x[i][a] * f[i][b] - x[i][b] * f[i][a]
        size = size + math.abs(f[i][c])
      end
    end
    for c = 1, 3 do
      assert.near(0, sum[c] / size, 1e-14)
      assert.near(0, torque[c] / size, 1e-14)
    end
  end)

  it("are the negative gradient of their energy", function()
    local springs = nets.sheet { points = { 4, 4 }, gravity = { 1, -9.8, 2 } }
    local random = sheets.random(9)
    local x = sheets.map(springs.positions:table(), function(a, b, c)
      return a + 0.1 * random(), b + 0.1 * random(), c + 0.1 * random()
    end)
    local f, delta = springs:forces { x = x }:table(), 1e-6
    local function energy()
      local elastic, weight = springs:energy { x = x }
      return elastic + weight
    end
    for _, at in ipairs { 1, 6, 16 } do
      for c = 1, 3 do
        local here = x[at][c]
        x[at][c] = here + delta
        local above = energy()
        x[at][c] = here - delta
        local below = energy()
        x[at][c] = here
        assert.near(f[at][c], (below - above) / (2 * delta), 1e-6)
      end
    end
  end)

  it("stay finite where two points meet (T5)", function()
    for _, scheme in ipairs { "symplectic euler", "kang", "backward euler", "linear filter" } do
      local springs = step.springs { positions = { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 } },
        edges = { { 1, 2 }, { 2, 3 } }, rest = { 0.5, 0.9 }, stiffness = 10, pins = { 1 } }
      local result = nets.run(springs, { scheme = scheme, step = 0.01, steps = 100 })
      assert.is_true(nets.largest(result.x) < 10)
    end
  end)
end)

describe("The derivative", function()
  -- The block between two vertices, -df_1/dx_2, without the masses that the operator has on its diagonal alone.
  local function derivative_of(length, rest, kind, u)
    local springs = one_spring { stiffness = 7, rest = rest, positions = { { 0, 0, 0 }, { u[1], u[2], u[3] } } }
    local x = { { 0.3, -0.2, 0.1 }, { 0.3 + length * u[1], -0.2 + length * u[2], 0.1 + length * u[3] } }
    local b, result = block(springs:matrix { x = x, derivative = kind }, 1, 2), {}
    for i = 1, 3 do
      result[i] = {}
      for j = 1, 3 do
        result[i][j] = -b[i][j]
      end
    end
    return result, springs, x
  end

  it("agrees with differences of the forces (T2, Cordier T02)", function()
    local random, delta = sheets.random(11), 1e-6
    for k = 1, 200 do
      local u = { random_direction(random) }
      local ratio = k % 2 == 0 and 2 + 0.99 * random() or 0.525 + 0.474 * random() -- stretched, compressed
      local exact, springs, x = derivative_of(ratio * 0.8, 0.8, "exact", u)
      local worst, size = 0, 0
      for j = 1, 3 do
        local here = x[2][j]
        x[2][j] = here + delta
        local above = { springs:forces({ x = x }):get(1) }
        x[2][j] = here - delta
        local below = { springs:forces({ x = x }):get(1) }
        x[2][j] = here
        for i = 1, 3 do
          worst = math.max(worst, math.abs((above[i] - below[i]) / (2 * delta) - exact[i][j]))
          size = math.max(size, math.abs(exact[i][j]))
        end
      end
      assert.is_true(worst < 1e-6 * math.max(size, 7))
      local stabilised = derivative_of(ratio * 0.8, 0.8, "stabilised", u)
      for i = 1, 3 do
        for j = 1, 3 do
          -- Stretched they are the same; compressed, k u u^T is left.
          local expected = ratio > 1 and exact[i][j] or 7 * u[i] * u[j]
          assert.near(expected, stabilised[i][j], 1e-12)
        end
      end
    end
  end)

  it("is semidefinite, bounded by k and continuous at rest (T3)", function()
    local random = sheets.random(12)
    for exponent = -6, 1, 0.25 do
      local u = { random_direction(random) }
      local b = derivative_of(10 ^ exponent, 1, "stabilised", u)
      local values = sheets.eigenvalues(b)
      assert.is_true(values[1] >= -1e-12 * 7)
      for i = 1, 3 do
        for j = 1, 3 do
          assert.is_true(math.abs(b[i][j]) <= 7 * (1 + 1e-12))
        end
      end
      local above, below = derivative_of(1 + 1e-9, 1, "stabilised", u), derivative_of(1 - 1e-9, 1, "stabilised", u)
      for i = 1, 3 do
        for j = 1, 3 do
          assert.near(above[i][j], below[i][j], 7e-8)
        end
      end
    end
  end)

  it("makes a symmetric definite operator whose stiffness does not see translation (T4)", function()
    local springs = nets.sheet { points = { 6, 6 } }
    local random = sheets.random(4)
    local x = sheets.map(springs.positions:table(), function(a, b, c)
      return a + 0.1 / 5 * random(), b + 0.1 / 5 * random(), c + 0.1 / 5 * random()
    end)
    local a, n = springs:matrix { x = x, stiffness = 0.1 }, 3 * 36
    local largest = springs.stiffness:get(1)
    for i = 1, n do
      local sum = 0
      for j = 1, n do
        assert.equal(a[i][j], a[j][i])
        if (i - j) % 3 == 0 then
          sum = sum + a[i][j]
        end
      end
      assert.near(springs.masses:get(math.floor((i + 2) / 3)), sum, 1e-12 * largest)
    end
    for _ = 1, 100 do
      local v, product = {}, 0
      for i = 1, n do
        v[i] = random()
      end
      for i = 1, n do
        for j = 1, n do
          product = product + v[i] * a[i][j] * v[j]
        end
      end
      assert.is_true(product > 0)
    end
  end)
end)

describe("Meshes", function()
  it("of the thesis have its numbers of edges (T6)", function()
    local springs = nets.sheet()
    assert.equal(1089, springs.vertices)
    assert.equal(3136, #springs.edges)
    local seen = {}
    for _, e in ipairs(springs.edges:table()) do
      local key = math.min(e[1], e[2]) .. " " .. math.max(e[1], e[2])
      assert.is_nil(seen[key])
      seen[key] = true
    end
    for _, points in ipairs { { 2, 2 }, { 5, 9 }, { 40, 40 }, { 47, 46 } } do
      springs = nets.sheet { points = points }
      local faces = 2 * (points[1] - 1) * (points[2] - 1)
      assert.equal(1, springs.vertices - #springs.edges + faces)
    end
    -- Table 6.1: vertices, edges, triangles of discs.
    for _, mesh in ipairs { { 148, 404, 257 }, { 405, 1161, 757 }, { 1566, 4590, 3025 }, { 2128, 6231, 4104 } } do
      assert.equal(1, mesh[1] - mesh[2] + mesh[3])
    end
  end)

  it("may be given by their triangles", function()
    local springs = step.springs { positions = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 1 }, { 0, 0, 1 } },
      faces = { { 1, 2, 3 }, { 1, 3, 4 } }, axial_stiffness = 3 }
    assert.equal(5, #springs.edges)
    for e = 1, 5 do
      assert.near(3, springs.stiffness:get(e) * springs.rest_lengths:get(e), 1e-12)
    end
  end)
end)

describe("Damping", function()
  local rest = { positions = { { 0, 0, 0 }, { 1, 0, 0 } } }

  local function pair(options)
    options.positions, options.stiffness = rest.positions, options.stiffness or 0
    return one_spring(options)
  end

  it("absolute: slows by 1 / (1 + h c / m) a step (T24)", function()
    for _, scheme in ipairs { "backward euler", "kang", "linear filter" } do
      local springs = pair { mass = 0.05, absolute_damping = 0.1 }
      local result = nets.run(springs, { scheme = scheme, step = 1 / 30, steps = 30, v = { { 1, 2, 3 }, { 1, 2, 3 } } })
      local x, y, z = result.v:get(1)
      assert.near(0.144257, x, 1e-6)
      assert.near(0.9375 ^ 30, x, 1e-10) -- the tolerance of the linear solves
      assert.near(2 * x, y, 1e-12)
      assert.near(3 * x, z, 1e-12)
    end
  end)

  it("relative: slows what differs and leaves what is common (T25)", function()
    local h, c, m = 1 / 60, 2, 0.05
    local s = h * c / m
    local function relative(scheme)
      scheme.step, scheme.steps, scheme.v = h, 1, { { 3, 1, 0 }, { 1, 1, 2 } }
      local result = nets.run(pair { mass = m, relative_damping = c }, scheme)
      local a, b = { result.v:get(1) }, { result.v:get(2) }
      assert.near(4, a[1] + b[1], 1e-12)
      assert.near(1, a[2], 1e-15) -- common
      assert.near(1, b[2], 1e-15)
      assert.near((a[1] - b[1]) / 2, (b[3] - a[3]) / 2, 1e-12)
      return (a[1] - b[1]) / 2
    end
    assert.near((1 + s * s) / (1 + s) ^ 2, relative { scheme = "kang", iterations = 1 }, 1e-12)
    assert.near(1 / (1 + 2 * s), relative { scheme = "backward euler" }, 1e-9)
    assert.near(1 / (1 + 2 * s), relative { scheme = "linear filter" }, 1e-12)
  end)

  it("relative: tends to the exact decay as the step shrinks (T26)", function()
    local function error_of(n)
      local springs = pair { mass = 0.05, relative_damping = 0.1 }
      local result = nets.run(springs, { scheme = "backward euler", step = 1 / n, steps = n,
        v = { { 0, 0.5, 0 }, { 0, -0.5, 0 } } })
      local _, a = result.v:get(1)
      local _, b = result.v:get(2)
      return math.abs(a - b - math.exp(-4))
    end
    local e60, e120, e240 = error_of(60), error_of(120), error_of(240)
    assert.near(2, e60 / e120, 0.2)
    assert.near(2, e120 / e240, 0.2)
  end)

  it("projected: leaves rotation alone, relative does not (tutorial, test 19)", function()
    local x, omega = { { -0.5, 0, 0 }, { 0.5, 0, 0 } }, 3
    local turning, closing = { { 0, -omega / 2, 0 }, { 0, omega / 2, 0 } }, { { 1, 0, 0 }, { -1, 0, 0 } }
    local projected, relative = pair { projected_damping = 2 }, pair { relative_damping = 2 }
    assert.same({ 0, 0, 0 }, projected:forces { x = x, v = turning }:table()[1])
    assert.same({ 0, 2 * omega, 0 }, relative:forces { x = x, v = turning }:table()[1])
    assert.same({ -4, 0, 0 }, projected:forces { x = x, v = closing }:table()[1])
    assert.same({ -4, 0, 0 }, relative:forces { x = x, v = closing }:table()[1])
  end)

  it("of the step itself is that of backward Euler's theory (T27)", function()
    -- Collinear small vibrations of 63 unit masses between pins: modes sin(q pi i / 64).
    for q = 1, 5 do
      local h, amplitude = 1, 1e-6
      local lambda = 2 - 2 * math.cos(q * math.pi / 64)
      local springs = nets.chain {}
      local x = springs.positions:table()
      for i = 1, 65 do
        x[i][1] = x[i][1] + amplitude * math.sin(q * math.pi * (i - 1) / 64)
      end
      local a = h * h * lambda / (1 + h * h * lambda)
      local before, now, probe = 1, 1 - a, 1 + math.floor(32 / q) -- from rest: the first step is half of a double one
      nets.walk(springs, { scheme = "backward euler", step = h, steps = 40, x = x }, function(after, _, k)
        assert.near(now * amplitude * math.sin(q * math.pi * (probe - 1) / 64),
          (after:get(probe)) - (probe - 1), 1e-9 * amplitude + 1e-13)
        if k > 1 then
          -- q^2 - 2 (1 - a) q + (1 - a): roots of modulus sqrt(1 - a) = (1 + h^2 lambda)^(-1/2)
          assert.is_true(a < 1)
        end
        before, now = now, 2 * (1 - a) * now - (1 - a) * before
      end)
    end
  end)
end)

describe("Schemes on nets", function()
  it("backward Euler converges with order 1 (T23)", function()
    local function at(n)
      local springs = nets.sheet { points = { 17, 17 }, pins = { 1, 17 }, tolerance = 1e-8 }
      return nets.run(springs, { scheme = "backward euler", step = 0.2 / n, steps = n }).x:table()
    end
    local fine, errors = at(1920), {}
    for k, n in ipairs { 30, 60, 120, 240 } do
      local sum, x = 0, at(n)
      for i = 1, #x do
        for c = 1, 3 do
          sum = sum + (x[i][c] - fine[i][c]) ^ 2
        end
      end
      errors[k] = math.sqrt(sum / #x)
    end
    assert.near(6.24e-3, errors[1], 0.12e-3) -- an independent program: 6.24e-3 m
    for k = 1, 3 do
      local ratio = errors[k] / errors[k + 1]
      assert.is_true(ratio > 1.9 and ratio < 2.2)
    end
  end)

  it("symplectic Euler has the limit that the net tells (T17)", function()
    local springs = nets.sheet { pins = nets.corners }
    local h = springs.explicit_step
    assert.is_true(h > 1 / 245 and h < 1 / 230) -- about 1/238 s
    local result = nets.run(springs, { scheme = "symplectic euler", step = 1 / 240, steps = 480 })
    assert.is_true(nets.largest(result.v) < 100)
    local blown
    nets.walk(springs, { scheme = "symplectic euler", step = 1 / 150, steps = 60 }, function(_, v, k)
      blown = nets.largest(v) > 1e4 and k or nil
      return not blown
    end)
    assert.is_true(blown ~= nil and blown <= 60)
  end)

  it("Verlet is symplectic Euler by another name (Cordier T06)", function()
    local springs = nets.chain { points = 50, spacing = 0.1, stiffness = 50, mass = 0.02 }
    local random, h = sheets.random(6), 0.01
    local x = sheets.map(springs.positions:table(), function(a, b, c)
      return a + 0.01 * random(), b + 0.01 * random(), c + 0.01 * random()
    end)
    for c = 1, 3 do
      x[1][c], x[50][c] = (select(c, springs.positions:get(1))), (select(c, springs.positions:get(50)))
    end
    -- x- + h v + h^2 a / 2 is Verlet's first step: symplectic Euler starts from v - h a / 2 to make the same.
    local force, v = springs:forces({ x = x }):table(), {}
    for i = 1, 50 do
      local free = i > 1 and i < 50
      v[i] = {}
      for c = 1, 3 do
        v[i][c] = free and -0.5 * h * force[i][c] / 0.02 or 0
      end
    end
    local a = nets.run(springs, { scheme = "verlet", step = h, steps = 300, x = x })
    local b = nets.run(springs, { scheme = "symplectic euler", step = h, steps = 300, x = x, v = v })
    assert.is_true(nets.difference(a.x, b.x) < 1e-9)
    assert.is_true(nets.difference(a.x, x) > 1e-3)
  end)

  it("the recurrence has a local error of order 4 in positions (Cordier T07)", function()
    -- One step from exact values at -h and 0 of x'' = -x about a pinned point, x = cos t.
    local function local_error(h)
      local springs = one_spring { rest = 0, stiffness = 1, pins = { 1 }, positions = { { 0, 0, 0 }, { 1, 0, 0 } } }
      local t = 0.7
      local x0, before = math.cos(t), math.cos(t - h)
      local result = nets.run(springs, { scheme = "symplectic euler", step = h, steps = 1,
        x = { { 0, 0, 0 }, { x0, 0, 0 } }, v = { { 0, 0, 0 }, { (x0 - before) / h, 0, 0 } } })
      return math.abs((result.x:get(2)) - math.cos(t + h))
    end
    for _, h in ipairs { 0.1, 0.05, 0.025 } do
      assert.near(16, local_error(h) / local_error(h / 2), 1.6)
    end
  end)

  it("one linear solve is Baraff and Witkin's step, solved right (Cordier T11)", function()
    local springs = nets.sheet { points = { 5, 5 }, pins = { 1, 5 }, axial_stiffness = 3, tolerance = 1e-12 }
    local random, h, n = sheets.random(2), 1 / 60, 75
    local function shaken(list, by)
      return sheets.map(list, function(a, b, c) return a + by * random(), b + by * random(), c + by * random() end)
    end
    local x = shaken(springs.positions:table(), 0.02)
    local v = shaken(sheets.zeros(25), 0.3)
    v[1], v[5] = { 0, 0, 0 }, { 0, 0, 0 }
    -- A v1 = M v + h f, by elimination of the dense matrix, pinned rows out.
    local a, f = springs:matrix { x = x, stiffness = h * h, damping = h }, springs:forces({ x = x }):table()
    local rows, right, m = {}, {}, springs.masses:get(1)
    for i = 1, n do
      local at, c = math.floor((i + 2) / 3), (i - 1) % 3 + 1
      rows[i], right[i] = a[i], m * v[at][c] + h * f[at][c]
      if at == 1 or at == 5 then
        for j = 1, n do
          rows[i][j] = i == j and 1 or 0
        end
        right[i] = 0
      end
    end
    for k = 1, n do -- symmetric definite: no pivoting
      assert.is_true(rows[k][k] > 0)
      for i = k + 1, n do
        local factor = rows[i][k] / rows[k][k]
        for j = k, n do
          rows[i][j] = rows[i][j] - factor * rows[k][j]
        end
        right[i] = right[i] - factor * right[k]
      end
    end
    for i = n, 1, -1 do
      for j = i + 1, n do
        right[i] = right[i] - rows[i][j] * right[j]
      end
      right[i] = right[i] / rows[i][i]
    end
    local after = nets.run(springs, { scheme = "backward euler", step = h, steps = 1, x = x, v = v }).v
    for i = 1, n do
      assert.near(right[i], (select((i - 1) % 3 + 1, after:get(math.floor((i + 2) / 3)))), 1e-8)
    end
  end)

  it("stiff cloth comes to rest at 40 ms where symplectic Euler explodes (Cordier T10)", function()
    local springs = nets.sheet { points = { 20, 20 }, pins = { 1, 20 }, axial_stiffness = 30, size = { 0.95, 0.95 },
      tolerance = 1e-4 }
    assert.is_true(0.04 / springs.explicit_step > 5) -- h omega > 10
    local most, last = 0, 0
    local x = nets.walk(springs, { scheme = "backward euler", step = 0.04, steps = 500 }, function(x, v)
      local _, _, kinetic = springs:energy { x = x, v = v }
      most, last = math.max(most, kinetic), kinetic
    end)
    assert.is_truthy(x)
    assert.is_true(last < 1e-4 * most)
    local finite = true
    nets.walk(springs, { scheme = "symplectic euler", step = 0.04, steps = 60 }, function(_, v)
      finite = nets.largest(v) < 1e6
      return finite
    end)
    assert.is_false(finite)
  end)

  it("explicit steps end at sqrt(m/k) and 1.414 sqrt(m/k) on a square grid (tutorial, test 17)", function()
    -- Structural springs alone: rows and columns vibrate for themselves, omega^2 < 4 k/m.
    local n, edges, positions = 32, {}, {}
    for j = 1, n do
      for i = 1, n do
        positions[#positions + 1] = { i, 0, j }
        if i < n then
          edges[#edges + 1] = { #positions, #positions + 1 }
        end
        if j < n then
          edges[#edges + 1] = { #positions, #positions + n }
        end
      end
    end
    local pins = {}
    for i = 1, n do
      pins[#pins + 1] = i
    end
    local springs = step.springs { positions = positions, edges = edges, stiffness = 100, mass = 0.01, pins = pins,
      gravity = { 0, 0, 0 } }
    local random = sheets.random(5)
    local v = sheets.map(positions, function(_) return 1e-7 * random(), 0, 1e-7 * random() end)
    for i = 1, n do
      v[i] = { 0, 0, 0 }
    end
    local unit = math.sqrt(0.01 / 100)
    local function speed(scheme, factor)
      local fast = 0
      nets.walk(springs, { scheme = scheme, step = factor * unit, steps = 600, v = v }, function(_, after, k)
        fast = k % 20 == 0 and nets.largest(after) or fast
        return fast < 1e-3
      end)
      return fast
    end
    assert.is_true(speed("symplectic euler", 0.98) < 1e-5)
    assert.is_true(speed("symplectic euler", 1.03) >= 1e-3)
    assert.is_true(speed("rk4", 1.40) < 1e-5)
    assert.is_true(speed("rk4", 1.46) >= 1e-3)
    -- h = 1/25 s is four times the explicit limit, and backward Euler does not mind.
    assert.is_true(0.04 / unit >= 4)
    local result = nets.run(springs, { scheme = "backward euler", step = 0.04, steps = 50, v = v })
    assert.is_true(nets.largest(result.v) < 1e-6)
  end)

  it("Newton's method converges quadratically on a chain (tutorial, tests 14 and 15)", function()
    local function chain()
      return nets.chain { points = 12, spacing = 0.1, stiffness = 200, mass = 0.01, pins = { 1 },
        gravity = { 0, -9.8, 0 }, tolerance = 1e-12 }
    end
    local function run(options)
      options.scheme, options.step, options.steps, options.newton_tolerance = "backward euler", 0.01, 20, 1e-11
      return nets.run(chain(), options)
    end
    local full, inexact = run { newton = "full", linearisation = "exact" }, run { newton = "inexact", forcing = 0.02 }
    local simplified = run { newton = "simplified", newton_iterations = 2000 }
    assert.is_true(nets.difference(full.x, inexact.x) < 1e-8)
    assert.is_true(nets.difference(full.x, simplified.x) < 1e-8)
    assert.is_true(nets.difference(full.x, run({ newton = "linear" }).x) > 1e-4)
    -- Records of the last step: once close, each residual is about the square of the one before.
    local integrator = step.integrator { scheme = "backward euler", newton = "full", linearisation = "exact",
      newton_tolerance = 1e-13, linear_tolerance = 1e-13 }
    integrator:step { equation = chain(), step = 0.05 }
    local records = integrator.newton
    local ratios = 0
    for k = 2, #records - 1 do
      local rate = math.log(records[k + 1].residual / records[k].residual) /
        math.log(records[k].residual / records[k - 1].residual)
      if records[k].residual < 1e-3 * records[1].residual and records[k + 1].residual > 1e-11 * records[1].residual then
        assert.is_true(rate > 1.7)
        ratios = ratios + 1
      end
    end
    assert.is_true(ratios >= 1)
  end)

  it("a constant matrix has a third of the non-zeros of the full one (tutorial, test 15)", function()
    local net = nets.sheet { points = { 5, 4 }, relative_damping = 1e-3 }
    local start, random = net.positions:table(), sheets.random(3)
    local function crumpled()
      return sheets.map(start, function(x, y, z)
        return x + 0.1 * random(), y + 0.1 * random(), z + 0.1 * random()
      end)
    end
    --- Non-zeros, and whether each 3 x 3 block is a number times the identity.
    local function count(matrix)
      local entries, scalars = 0, true
      for i, row in ipairs(matrix) do
        for j, value in ipairs(row) do
          entries = entries + (value ~= 0 and 1 or 0)
          local corner = matrix[i - (i - 1) % 3][j - (j - 1) % 3]
          scalars = scalars and value == ((i - j) % 3 == 0 and corner or 0)
        end
      end
      return entries, scalars
    end
    local x = crumpled()
    local blocks = net.vertices + 2 * #net.edges
    local constant = net:matrix { x = x, damping = 0.1, derivative = "scalar" }
    for _, derivative in ipairs { "exact", "stabilised" } do
      local full, scalars = count(net:matrix { x = x, damping = 0.1, derivative = derivative })
      assert.equal(9 * blocks, full)
      assert.is_false(scalars)
      local entries
      entries, scalars = count(constant)
      assert.equal(full / 3, entries)
      assert.is_true(scalars)
    end
    assert.same(constant, net:matrix { x = crumpled(), damping = 0.1, derivative = "scalar" }) -- wherever it is
  end)

  it("has the same bits for any number of threads (T20)", function()
    local function run(threads)
      weft.threads(threads)
      local springs = nets.sheet { pins = nets.corners, relative_damping = 1e-4 }
      local result = nets.run(springs, { scheme = "kang", step = 1 / 150, steps = 400 })
      weft.threads(1)
      return result.x:ffi()
    end
    local one, four = run(1), run(4)
    for i = 0, 3 * 1089 - 1 do
      assert.equal(one.ptr[i], four.ptr[i])
    end
  end)
end)

describe("Nets", function()
  it("name what is wrong with their input", function()
    local two = { { 0, 0, 0 }, { 1, 0, 0 } }
    local function message(options)
      options.positions = options.positions or two
      return support.message_of(step.springs, options)
    end
    assert.equal("weft.step.springs: edges must be a list of index pairs, or faces, got nothing", message {})
    assert.equal("weft.step.springs: edge 1 joins vertices 2 and 2; two different ones of 2 are needed",
      message { edges = { { 2, 2 } } })
    assert.equal("weft.step.springs: stiffness and axial_stiffness say the same thing twice; give one of them",
      message { edges = { { 1, 2 } }, stiffness = 1, axial_stiffness = 1 })
    assert.equal("weft.step.springs: mass must be a number, or one for each of the 2 vertices, got 1",
      message { edges = { { 1, 2 } }, mass = { 1 } })
    assert.matches("mass must be a number greater than 0", message { edges = { { 1, 2 } }, mass = 0 })
    assert.matches("axial_stiffness must be divided by rest lengths > 0, but edge 1 has none",
      message { edges = { { 1, 2 } }, rest = 0, axial_stiffness = 1 })
    assert.matches("along and across", support.message_of(step.spring_sheet, { across = { 2, 0, 0 } }))
    for _, scheme in ipairs { "backward euler", "kang", "linear filter" } do
      local _, count = support.fail_each_allocation(function()
        local springs = nets.sheet { points = { 3, 3 }, pins = { 1 } }
        return nets.run(springs, { scheme = scheme, step = 0.01, steps = 2 })
      end)
      assert.is_true(count > 20)
    end
  end)

  it("may have no edges, and all vertices pinned", function()
    local free = step.springs { positions = { { 0, 0, 0 } }, edges = {}, gravity = { 0, -10, 0 } }
    assert.equal(math.huge, free.explicit_step)
    local _, y = nets.run(free, { scheme = "backward euler", step = 0.1, steps = 1 }).v:get(1)
    assert.near(-1, y, 1e-12)
    local held = nets.chain { points = 2 }
    for _, scheme in ipairs { "backward euler", "kang", "linear filter", "symplectic euler" } do
      local result = nets.run(held, { scheme = scheme, step = 0.5, steps = 2, v = { { 0, 1, 0 }, { 0, 1, 0 } } })
      assert.same({ 1, 1, 0 }, { result.x:get(2) }) -- pins move as they start
    end
  end)
end)
