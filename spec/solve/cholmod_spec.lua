-- The direct solver: sparse Cholesky factors against conjugate gradients (T11 of the reference on Cordier 2004).

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"
local message_of = support.message_of
local with = support.with

--- One backward Euler step of a sheet that hangs from two corners: (M + h^2 K) v = h g M.
local function hanging_sheet(n, h)
  local sheet = sheets.grid { columns = n, rows = n, width = 1, height = 1, jitter = 0.2, seed = 4 }
  local wool = weft.fabric.wool
  local membrane = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = wool }
  local masses = weft.model.masses { faces = sheet.faces, rest = sheet.rest, density = wool.density }
  local x = sheets.map(sheet.x, function(u, v, w) return u, v, w + 0.05 * math.sin(5 * u) end)
  local matrix = membrane:matrix { x = x, stiffness = h * h }
  local system = { rows = #x, pairs = {}, blocks = {}, b = {}, fixed = { 1, n + 1 }, x = sheets.zeros(#x) }
  for i = 1, #x do
    for j = i, #x do
      local block, any = {}, i == j
      for r = 1, 3 do
        for c = 1, 3 do
          local value = matrix[3 * i - 3 + r][3 * j - 3 + c] + ((i == j and r == c) and masses:get(i) or 0)
          block[#block + 1], any = value, any or value ~= 0
        end
      end
      if any then
        system.pairs[#system.pairs + 1], system.blocks[#system.blocks + 1] = { i, j }, block
      end
    end
    system.b[i] = { 0, 0, -9.81 * h * masses:get(i) }
  end
  system.x[1] = { 0.1, 0, -0.2 } -- a pin that moves
  return system
end

local function largest(a, b)
  local most = 0
  for i, v in ipairs(a) do
    for k = 1, 3 do
      most = math.max(most, math.abs(v[k] - (b and b[i][k] or 0)))
    end
  end
  return most
end

if support.modules()["weft.cholmod_core"] then
  describe("weft.solve.linear with the method cholmod", function()
    it("agrees with conjugate gradients to 1e-10", function()
      local system = hanging_sheet(11, 1 / 60)
      system.guided, system.directions = { 40 }, { { 1, 2, 2 } }
      local direct, report = weft.solve.linear(with(system, { method = "cholmod" }))
      assert.is_true(report.converged and report.residual < 1e-12)
      direct = direct:table()
      assert.same({ 0.1, 0, -0.2 }, direct[1])
      for _, preconditioner in ipairs { "block jacobi", "incomplete cholesky", "multigrid" } do
        local x = weft.solve.linear(with(system, { relative_tolerance = 1e-14,
          preconditioner = preconditioner })):table()
        assert.is_true(largest(direct, x) < 1e-10 * largest(direct))
      end
      assert.near(0, direct[40][1] + 2 * direct[40][2] + 2 * direct[40][3], 1e-13)
    end)

    it("takes contacts", function()
      local system = hanging_sheet(5, 1 / 60)
      system.contact_pairs = { { 3, 3 }, { 30, 30 }, { 3, 30 } }
      system.contact_blocks = { { 2, 0, 0, 0, 2, 0, 0, 0, 2 }, { 2, 0, 0, 0, 2, 0, 0, 0, 2 },
        { -2, 0, 0, 0, -2, 0, 0, 0, -2 } }
      local direct = weft.solve.linear(with(system, { method = "cholmod" })):table()
      local x = weft.solve.linear(with(system, { relative_tolerance = 1e-14, preconditioner = "block jacobi" })):table()
      assert.is_true(largest(direct, x) < 1e-10 * largest(direct))
    end)

    it("keeps the symbolic factor of a pattern", function()
      local first, second = hanging_sheet(6, 1 / 60), hanging_sheet(6, 1 / 30)
      weft.solve.linear(with(hanging_sheet(4, 1 / 60), { method = "cholmod" }))
      assert.is_false(select(2, weft.solve.linear(with(first, { method = "cholmod" }))).reused)
      local x, report = weft.solve.linear(with(second, { method = "cholmod" }))
      assert.is_true(report.reused)
      local expected = weft.solve.linear(with(second, { relative_tolerance = 1e-14 })):table()
      assert.is_true(largest(x:table(), expected) < 1e-10 * largest(expected))
    end)

    it("says where a system is not positive definite, and solves the next", function()
      local system = hanging_sheet(4, 1 / 60)
      local spoiled = with(system, { pairs = { unpack(system.pairs) }, blocks = { unpack(system.blocks) } })
      spoiled.pairs[#spoiled.pairs + 1] = { 8, 14 }
      spoiled.blocks[#spoiled.blocks + 1] = { 9, 0, 0, 0, 9, 0, 0, 0, 9 }
      assert.matches("^weft.solve.linear: linear system: the matrix is not positive definite at vertex %d+$",
        message_of(weft.solve.linear, with(spoiled, { method = "cholmod" })))
      assert.is_true(select(2, weft.solve.linear(with(system, { method = "cholmod" }))).converged)
      local all = {}
      for i = 1, system.rows do
        all[i] = i
      end
      local x = weft.solve.linear(with(system, { method = "cholmod", fixed = all })):table()
      assert.same(system.x, x)
    end)
  end)
end

describe("The method cholmod", function()
  it("says what to install where it is not built", function()
    local part, core = package.loaded["weft.solve"], package.loaded["weft.cholmod_core"]
    package.loaded["weft.solve"], package.loaded["weft.cholmod_core"] = nil, nil
    package.preload["weft.cholmod_core"] = function() error("no such library", 0) end
    local message = message_of(require "weft.solve".linear, { rows = 1, method = "cholmod" })
    package.preload["weft.cholmod_core"] = nil
    package.loaded["weft.solve"], package.loaded["weft.cholmod_core"] = part, core
    assert.matches("the method cholmod is not built; install libsuitesparse%-dev and run make again\nno such library",
      message)
  end)
end)
