-- Bands, drawstrings, ties and pressure: derivatives of their energies, balanced, and what theory says of them.

local sheets = require "spec.model.sheets"
local support = require "spec.support"
local weft = require "weft"

local close_to, message_of = support.close, support.message_of

local function points(count, seed)
  local random, x = sheets.random(seed), {}
  for i = 1, count do
    x[i] = { random(), random(), random() }
  end
  return x
end

--- A closed surface: a cube of unequal sides cut into triangles, its vertices moved about.
local function lump(seed)
  local random, x = sheets.random(seed), {}
  for i = 0, 7 do
    x[i + 1] = { i % 2 + 0.2 * random(), 2 * (math.floor(i / 2) % 2) + 0.2 * random(),
      3 * math.floor(i / 4) + 0.2 * random() }
  end
  local faces = {}
  local sides = { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 }, { 2, 4, 8, 6 } }
  for _, q in ipairs(sides) do
    faces[#faces + 1] = { q[1], q[2], q[3] }
    faces[#faces + 1] = { q[1], q[3], q[4] }
  end
  return x, faces
end

local function volume_of(x, faces)
  local sum = 0
  for _, f in ipairs(faces) do
    local c = sheets.cross(x[f[2]], x[f[3]])
    sum = sum + (x[f[1]][1] * c[1] + x[f[1]][2] * c[2] + x[f[1]][3] * c[3]) / 6
  end
  return sum
end

local line = { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 5, 4 } }

local function path_of(x, pairs)
  local path = 0
  for _, e in ipairs(pairs) do
    local a, b = x[e[1]], x[e[2]]
    path = path + sheets.norm { a[1] - b[1], a[2] - b[2], a[3] - b[3] }
  end
  return path
end

--- Models and states of all kinds: { name, model, x, viscous }.
local function specimens(seed)
  local x, faces = lump(seed)
  local list = {}
  local function add(name, kind, x_of, options)
    options.vertices, options.stiffness = #x_of, options.stiffness or not options.faces and 40 or nil
    list[#list + 1] = { name, weft.model[kind](options), x_of, anchored = options.anchor ~= nil }
  end
  local function add_tie(name, count, shares, length, anchor)
    local indices = {}
    for i = 1, count do
      indices[i] = i
    end
    add(name, "tie", points(count, seed), { points = indices, shares = shares, length = length, anchor = anchor })
  end
  add("bands", "bands", points(5, seed), { pairs = line, length = 0.4, viscosity = 0.1 })
  add("stiff lines", "bands", points(5, seed), { pairs = line, length = 1.2, pushes = true })
  add("a drawstring", "drawstring", points(5, seed), { pairs = line, length = 2, viscosity = 0.1 })
  add("a straightening drawstring", "drawstring", points(5, seed), { pairs = line,
    length = path_of(points(5, seed), line) / 1.0007 })
  add("a slack drawstring", "drawstring", points(5, seed), { pairs = line, length = 20 })
  add_tie("a thread", 2, { 1, -1 }, 0.2)
  add_tie("a tie", 2, { 1, -1 })
  add_tie("a point on a face", 4, { 1, -0.2, -0.5, -0.3 })
  add_tie("edge on edge", 4, { 0.3, 0.7, -0.6, -0.4 }, 0.1)
  add_tie("face on face", 6, { 0.3, 0.2, 0.5, -0.6, -0.3, -0.1 }, 0.1)
  add_tie("an anchored point", 3, { 0.3, 0.2, 0.5 }, 0.1, { 2, 1, 0 })
  add("a pressure", "pressure", x, { faces = faces, pressure = 200 })
  add("a vacuum", "pressure", x, { faces = faces, pressure = -200 })
  add("a gas", "pressure", x, { faces = faces, amount = 700, outside = 100 })
  add("a gas under pressure", "pressure", x, { faces = faces, amount = 200, outside = 100 })
  return list
end

describe("What is attached to cloth", function()
  it("pulls with the gradient of its energy, and its matrix is the derivative of that", function()
    for seed = 1, 2 do
      for _, s in ipairs(specimens(seed)) do
        local force_error, matrix_error = sheets.difference_errors(s[2], s[3], 1e-6)
        if s[1] ~= "a slack drawstring" then
          assert.is_true(force_error < 1e-7, s[1] .. ": force " .. force_error)
          assert.is_true(matrix_error < 1e-7, s[1] .. ": matrix " .. matrix_error)
        end
        assert.is_true(sheets.asymmetry(s[2]:matrix { x = s[3], exact = true }) < 1e-13
          or s[1] == "a slack drawstring", s[1])
      end
    end
  end)

  it("balances", function()
    for _, s in ipairs(specimens(3)) do
      local force, torque, largest = sheets.totals(s[3], s[2]:forces({ x = s[3] }):table())
      if not s.anchored then
        assert.is_true(sheets.norm(force) <= 1e-12 * math.max(largest, 1), s[1])
        assert.is_true(sheets.norm(torque) <= 1e-12 * math.max(largest, 1), s[1])
      end
    end
  end)

  it("is semidefinite where solvers need it", function()
    for _, s in ipairs(specimens(4)) do
      local values = sheets.eigenvalues(s[2]:matrix { x = s[3] })
      assert.is_true(values[1] >= -1e-11 * values[#values], s[1] .. " " .. values[1])
    end
  end)

  it("is finite where points meet", function()
    local together = sheets.zeros(6)
    for _, s in ipairs(specimens(5)) do
      local x = {}
      for i = 1, #s[3] do
        x[i] = together[i] or { 0, 0, 0 }
      end
      for _, row in ipairs(s[2]:matrix { x = x, damping = 1 }) do
        for _, value in ipairs(row) do
          assert.is_true(value == value and math.abs(value) < 1e300, s[1])
        end
      end
      assert.is_true(sheets.norm(s[2]:forces({ x = x }):table()[1]) < 1e300, s[1])
    end
  end)

  it("resists motion, and no rigid one", function()
    for _, s in ipairs(specimens(6)) do
      local x, random, v, rigid = s[3], sheets.random(7), {}, {}
      for i, p in ipairs(x) do
        v[i] = { random(), random(), random() }
        local w = sheets.cross({ 0.3, -0.5, 0.2 }, p)
        rigid[i] = { w[1] + 1, w[2] - 2, w[3] + 3 }
      end
      local function viscous(velocity)
        local still, moving = s[2]:forces({ x = x }):table(), s[2]:forces({ x = x, v = velocity }):table()
        local force, power = 0, 0
        for i = 1, #x do
          for k = 1, 3 do
            local f = moving[i][k] - still[i][k]
            force, power = math.max(force, math.abs(f)), power + f * velocity[i][k]
          end
        end
        return force, power
      end
      assert.is_true(select(2, viscous(v)) <= 1e-12, s[1])
      assert.is_true(viscous(rigid) < 1e-12, s[1])
    end
  end)
end)

describe("A band", function()
  it("pulls each edge by its own strain, and does not push", function()
    local x = { { 0, 0, 0 }, { 0.3, 0, 0 }, { 0.3, 0.1, 0 } }
    local band = weft.model.bands { vertices = 3, pairs = { { 1, 2 }, { 2, 3 } }, length = 0.2, stiffness = 8 }
    local f = band:forces({ x = x }):table()
    close_to(4, f[1][1], 1e-12)
    assert.same({ 0, 0, 0 }, f[3])
  end)
end)

describe("A drawstring", function()
  it("has one tension on edges of all lengths", function()
    local x = points(5, 8)
    local path = path_of(x, line)
    local f = weft.model.drawstring({ vertices = 5, pairs = line, length = path / 1.1005, stiffness = 30 })
      :forces({ x = x }):table()
    close_to(3, sheets.norm(f[1]), 1e-12)
    close_to(3, sheets.norm(f[5]), 1e-12)
  end)

  it("holds around a circle with the pressure T / R", function()
    local n, radius, x, pairs = 200, 0.3, {}, {}
    for i = 1, n do
      local a = 2 * math.pi * i / n
      x[i], pairs[i] = { radius * math.cos(a), radius * math.sin(a), 0 }, { i, i % n + 1 }
    end
    local side = 2 * radius * math.sin(math.pi / n)
    local f = weft.model.drawstring({ vertices = n, pairs = pairs, length = n * side / 1.2005, stiffness = 10 })
      :forces({ x = x }):table()
    close_to(2 / radius, sheets.norm(f[7]) / side, 1e-10)
  end)
end)

describe("A pressure", function()
  it("is the area vector times p: a closed piece feels nothing, an open one what it lacks", function()
    local push = weft.model.pressure { vertices = 4, faces = { { 1, 2, 3 }, { 1, 3, 4 } }, pressure = 50 }
    local force = sheets.totals({ { 0, 0, 0 }, { 2, 0, 0 }, { 2, 3, 0 }, { 0, 3, 0 } },
      push:forces({ x = { { 0, 0, 0 }, { 2, 0, 0 }, { 2, 3, 0 }, { 0, 3, 0 } } }):table())
    close_to(300, force[3], 1e-12)
  end)

  -- On a free boundary the load has no potential: the derivative of its force is not symmetric there, and nowhere else.
  it("has a stiffness whose symmetric part alone is in the matrix, where there is a free boundary", function()
    local x, faces = lump(9)
    local open = {}
    for i = 1, #faces - 2 do
      open[i] = faces[i]
    end
    local push = weft.model.pressure { vertices = 8, faces = open, pressure = 100 }
    local _, whole_error = sheets.difference_errors(push, x, 1e-6)
    local _, symmetric_error = sheets.difference_errors(push, x, 1e-6, true)
    assert.is_true(whole_error > 0.1)
    assert.is_true(symmetric_error < 1e-7)
    local matrix, h, on_boundary = push:matrix { x = x, exact = true }, 1e-6, { [2] = true, [4] = true, [8] = true,
      [6] = true }
    assert.is_true(sheets.asymmetry(matrix) < 1e-15)
    for j = 1, 24 do
      local vertex, axis = math.floor((j + 2) / 3), (j - 1) % 3 + 1
      local at = x[vertex][axis]
      x[vertex][axis] = at + h
      local more = push:forces({ x = x }):table()
      x[vertex][axis] = at - h
      local less = push:forces({ x = x }):table()
      x[vertex][axis] = at
      for i = 1, 24 do
        local row, column = math.floor((i + 2) / 3), (i - 1) % 3 + 1
        if not (on_boundary[row] and on_boundary[vertex]) then
          close_to((less[row][column] - more[row][column]) / (2 * h), matrix[i][j], 1e-5)
        end
      end
    end
  end)

  it("does the work p dV", function()
    local x, faces = lump(10)
    local push = weft.model.pressure { vertices = 8, faces = faces, pressure = 70 }
    close_to(-70 * volume_of(x, faces), push:energy { x = x }, 1e-12)
  end)
end)

describe("A gas", function()
  it("follows Boyle", function()
    local x, faces = lump(11)
    local volume = volume_of(x, faces)
    local gas = weft.model.pressure { vertices = 8, faces = faces, amount = 900, outside = 100 }
    local push = weft.model.pressure { vertices = 8, faces = faces, pressure = 900 / volume - 100 }
    local a, b = gas:forces({ x = x }):table(), push:forces({ x = x }):table()
    for i = 1, 8 do
      for k = 1, 3 do
        close_to(b[i][k], a[i][k], 1e-10)
      end
    end
    close_to(100 * volume - 900 * math.log(volume), gas:energy { x = x }, 1e-10)
  end)

  it("is refused where the piece is open, or has no one inside", function()
    local x, faces = lump(12)
    local given = { vertices = #x, faces = {}, amount = 1 }
    for i = 1, #faces - 1 do
      given.faces[i] = faces[i]
    end
    assert.equal("weft.model.pressure: a gas needs a closed piece, and this one is open at the edge between vertices 2 "
      .. "and 6", message_of(weft.model.pressure, given))
    given.faces[#faces] = { faces[#faces][2], faces[#faces][1], faces[#faces][3] }
    assert.truthy(message_of(weft.model.pressure, given):find("do not face the same side", 1, true))
  end)
end)

describe("The models of attachments", function()
  it("refuse what they cannot be made of", function()
    for name, list in pairs { bands = "pairs", drawstring = "pairs", pressure = "faces" } do
      assert.equal(("weft.model.%s: %s must have at least one element"):format(name, list),
        message_of(weft.model[name], { vertices = 3, [list] = {}, pressure = name == "pressure" and 1 or nil }))
      assert.matches("got a table with named fields",
        message_of(weft.model[name], { vertices = 3, [list] = { a = 1 } }))
    end
    assert.equal("weft.model.bands: edge 1 joins vertices 2 and 2; two different ones of 3 are needed",
      message_of(weft.model.bands, { vertices = 3, pairs = { { 2, 2 } } }))
    assert.equal("weft.model.drawstring: edge 1 joins vertices 2 and 2; two different ones of 3 are needed",
      message_of(weft.model.drawstring, { vertices = 3, pairs = { { 2, 2 } } }))
    assert.equal("weft.model.tie: tie 1 names vertex 2 twice",
      message_of(weft.model.tie, { vertices = 3, points = { 2, 2 }, shares = { 1, -1 } }))
    assert.equal("weft.model.tie: points must be 1 to 6 vertices and shares as many, got 1 and 2",
      message_of(weft.model.tie, { vertices = 3, points = { 2 }, shares = { 1, -1 } }))
    assert.equal("weft.model.pressure: either pressure (Pa) or, for a gas, amount (J) must be given, got nothing",
      message_of(weft.model.pressure, { vertices = 3, faces = { { 1, 2, 3 } } }))
    assert.equal("weft.model.pressure: face 1 needs three different vertices of 3, got 1, 2, 2",
      message_of(weft.model.pressure, { vertices = 3, faces = { { 1, 2, 2 } }, pressure = 1 }))
  end)

  it("lose nothing when memory ends", function()
    local _, faces = lump(1)
    for _, make in ipairs {
      function() return weft.model.bands { vertices = 5, pairs = line } end,
      function() return weft.model.drawstring { vertices = 5, pairs = line } end,
      function() return weft.model.tie { vertices = 2, points = { 1, 2 }, shares = { 1, -1 } } end,
      function() return weft.model.pressure { vertices = 8, faces = faces, amount = 1 } end,
    } do
      support.fail_each_allocation(make)
    end
  end)
end)
