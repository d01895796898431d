local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local function springs(options)
  options.vertices, options.pairs = options.vertices or 2, options.pairs or { { 1, 2 } }
  return weft.model.springs(options)
end

describe("Springs", function()
  it("pull when stretched and push when compressed", function()
    local model = springs { rest_lengths = { 0.2 }, stiffness = { 10 } }
    local forces = model:forces { x = { { 0, 0, 0 }, { 0.3, 0, 0 } } }:table()
    assert.near(1, forces[1][1], 1e-14)
    assert.near(-1, forces[2][1], 1e-14)
    forces = model:forces { x = { { 0, 0, 0 }, { 0, 0.1, 0 } } }:table()
    assert.near(-1, forces[1][2], 1e-14)
    assert.near(0.05, model:energy { x = { { 0, 0, 0 }, { 0, 0.1, 0 } } }, 1e-15)
  end)

  it("damp along themselves alone", function()
    local model = springs { rest_lengths = { 0.3 }, stiffness = { 10 }, damping = { 2 } }
    local forces = model:forces { x = { { 0, 0, 0 }, { 0.3, 0, 0 } }, v = { { 1, 5, -3 }, { 0, 0, 0 } } }:table()
    assert.near(-2, forces[1][1], 1e-14)
    assert.near(0, forces[1][2], 1e-14)
    assert.near(2, forces[2][1], 1e-14)
  end)

  it("damp all motion of their ends in the linear form, and so brake what only turns", function()
    -- test 19 of the reference on the tutorial of 2004
    local x = { { 0, 0, 0 }, { 0.3, 0, 0 } }
    local turning, parting = { { 0, -1, 0 }, { 0, 1, 0 } }, { { -1, 0, 0 }, { 0.5, 0, 0 } }
    local along, all = {}, {}
    for form, list in pairs { projected = along, linear = all } do
      local model = springs { rest_lengths = { 0.3 }, stiffness = { 10 }, damping = { 2 }, form = form }
      list.turning = model:forces({ x = x, v = turning }):table()
      list.parting = model:forces({ x = x, v = parting }):table()
      list.matrix = model:matrix { x = x, stiffness = 0, damping = 1 }
    end
    assert.near(0, along.turning[1][2], 1e-14)
    assert.near(4, all.turning[1][2], 1e-14)
    assert.near(-4, all.turning[2][2], 1e-14)
    assert.near(along.parting[1][1], all.parting[1][1], 1e-14)
    assert.near(3, all.parting[1][1], 1e-14)
    assert.near(0, along.matrix[2][2], 1e-14)
    for i = 1, 3 do
      assert.near(2, all.matrix[i][i], 1e-14)
      assert.near(-2, all.matrix[i][3 + i], 1e-14)
    end
  end)

  it("have right derivatives, and a semidefinite matrix for solvers", function()
    local model = springs { vertices = 4, pairs = { { 1, 2 }, { 2, 3 }, { 4, 1 }, { 1, 3 } },
      rest_lengths = { 0.1, 0.4, 0, 0.2 }, stiffness = { 10, 20, 5, 8 }, damping = { 1, 1, 1, 1 } }
    local random = sheets.random(8)
    for _ = 1, 5 do
      local x = sheets.map(sheets.zeros(4), function() return 0.2 * random(), 0.2 * random(), 0.2 * random() end)
      local force_error, matrix_error = sheets.difference_errors(model, x)
      assert.is_true(force_error < 1e-6)
      assert.is_true(matrix_error < 1e-5)
      local values = sheets.eigenvalues(model:matrix { x = x, damping = 1 })
      assert.is_true(values[1] > -1e-12 * values[#values])
    end
  end)

  it("stay finite at no length", function()
    local here = { { 1, 1, 1 }, { 1, 1, 1 } }
    for _, rest in ipairs { 0, 0.1 } do
      local model = springs { rest_lengths = { rest }, stiffness = { 7 }, damping = { 1 } }
      for _, f in ipairs(model:forces { x = here, v = here }:table()) do
        assert.same({ 0, 0, 0 }, { f[1], f[2], f[3] })
      end
      local matrix = model:matrix { x = here, damping = 1 }
      for i = 1, 3 do
        assert.equal(rest == 0 and 7 or 0, matrix[i][i]) -- of rest length zero: the same in all directions
        assert.equal(rest == 0 and -7 or 0, matrix[i][i + 3])
      end
    end
  end)

  it("name what is wrong with their input", function()
    assert.equal("weft.model.springs: spring 1 joins vertices 2 and 2; two different ones of 2 are needed",
      support.message_of(springs, { pairs = { { 2, 2 } } }))
    assert.equal("weft.model.springs: spring 1 needs rest length, stiffness and damping >= 0, got 0 m, -1 N/m, 0 N s/m",
      support.message_of(springs, { stiffness = { -1 } }))
    assert.equal("weft.model.springs: stiffness must have one number for each of the 1 pairs, got 2",
      support.message_of(springs, { stiffness = { 1, 2 } }))
    support.fail_each_allocation(function() return springs {} end)
  end)
end)
