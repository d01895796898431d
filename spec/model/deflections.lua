-- Small deflections of flat sheets: of z alone, by the matrix that models have there. Plates under loads, what vibrates
-- and what buckles, for the specs and for examples/validate.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local strips = require "spec.model.strips"

local deflections = {}

--- The matrix of z of all vertices but the fixed ones, and the list of those.
function deflections.matrix(model, x, fixed)
  local matrix, held, free, upright = model:matrix { x = x, exact = true }, {}, {}, {}
  for _, i in ipairs(fixed) do
    held[i] = true
  end
  for i = 1, #x do
    if not held[i] then
      free[#free + 1] = i
    end
  end
  for a, i in ipairs(free) do
    upright[a] = {}
    for b, j in ipairs(free) do
      upright[a][b] = matrix[3 * i][3 * j]
    end
  end
  return upright, free
end

--- Lower Cholesky factor.
function deflections.factor(matrix)
  local n, l = #matrix, {}
  for i = 1, n do
    local row = {}
    for j = 1, i do
      local other, sum = l[j] or row, matrix[i][j]
      for k = 1, j - 1 do
        sum = sum - row[k] * other[k]
      end
      row[j] = i == j and math.sqrt(sum) or sum / other[j]
    end
    l[i] = row
  end
  return l
end

function deflections.solve(l, b)
  local n, x = #l, {}
  for i = 1, n do
    local sum = b[i]
    for k = 1, i - 1 do
      sum = sum - l[i][k] * x[k]
    end
    x[i] = sum / l[i][i]
  end
  for i = n, 1, -1 do
    local sum = x[i]
    for k = i + 1, n do
      sum = sum - l[k][i] * x[k]
    end
    x[i] = sum / l[i][i]
  end
  return x
end

--- z of all vertices under a pressure so small (Pa) that nothing stretches.
function deflections.under_pressure(model, sheet, pressure)
  local load, guided, directions = weft.model.masses { faces = sheet.faces, rest = sheet.rest }:table(), {}, {}
  for i, area in ipairs(load) do
    load[i] = { 0, 0, pressure * area }
    guided[2 * i - 1], directions[2 * i - 1] = i, { 1, 0, 0 }
    guided[2 * i], directions[2 * i] = i, { 0, 1, 0 }
  end
  local x, report = weft.solve.equilibrium { models = { model }, x = sheet.x, load = load, fixed = sheet.fixed,
    guided = guided, directions = directions }
  assert(report.converged, "the plate comes not to rest")
  local z = {}
  for i = 1, #x do
    z[i] = select(3, x:get(i))
  end
  return z
end

--- The lowest `count` angular frequencies of z.
function deflections.frequencies(model, sheet, options)
  local matrix, free = deflections.matrix(model, options.x or sheet.x, options.fixed)
  local masses = weft.model.masses { faces = sheet.faces, rest = sheet.rest, density = options.density }:table()
  local scaled = {}
  for a, i in ipairs(free) do
    scaled[a] = {}
    for b, j in ipairs(free) do
      scaled[a][b] = matrix[a][b] / math.sqrt(masses[i] * masses[j])
    end
  end
  local values, lowest = sheets.eigenvalues(scaled), {}
  for k = 1, options.count do
    lowest[k] = math.sqrt(values[k])
  end
  return lowest
end

-- ---- strips that vibrate --------------------------------------------------------------------------------------------
-- Of 0.2 m, on a mesh of strips.meshes with so many edges along: the lowest frequencies, and the first four by theory.

local LENGTH, STIFF, STRAIN = 0.2, 1e5, 1e-3

--- A strip that bends. Modes of twisting lie between those of theory.
function deflections.beam(bending, mesh, rows)
  local sheet = strips.mesh(mesh, { length = LENGTH, rows = rows, width = 4 * LENGTH / rows })
  local model = weft.model.create { name = bending, faces = sheet.faces, rest = sheet.rest,
    fabric = strips.isotropic(0) }
  return deflections.frequencies(model, sheet, { fixed = sheet.fixed, density = strips.DENSITY, count = 8 }),
    strips.beam_frequencies(LENGTH)
end

--- A membrane where v has become stretched(v), and u has been strained by `across`; at most the greatest strain along,
--- so that its fibres move together.
local function membrane(mesh, rows, held, across, stretched)
  local sheet = strips.mesh(mesh, { length = LENGTH, rows = rows, width = 2 * LENGTH / rows, clamp = 0 })
  for _, i in ipairs(held and sheet.tip or {}) do
    sheet.fixed[#sheet.fixed + 1] = i
  end
  local model = weft.model.membrane { faces = sheet.faces, rest = sheet.rest, fabric = weft.fabric {
    density = strips.DENSITY, stretch = { weft = STIFF, warp = STIFF, coupling = 0 }, shear = STIFF / 2 } }
  return deflections.frequencies(model, sheet, { fixed = sheet.fixed, density = strips.DENSITY, count = 4,
    x = sheets.map(sheet.x, function(u, v) return (1 + across) * u, stretched(v), 0 end) })
end

function deflections.string(mesh, rows)
  return membrane(mesh, rows, true, STRAIN, function(v) return (1 + STRAIN) * v end),
    strips.string_frequencies(LENGTH, STIFF * STRAIN)
end

function deflections.hanging_chain(mesh, rows)
  local weight = strips.DENSITY * 9.81 / STIFF
  return membrane(mesh, rows, false, weight * LENGTH, function(v)
    v = math.max(v, 0)
    return v + weight * (LENGTH * v - 0.5 * v * v)
  end), strips.chain_frequencies(LENGTH)
end

return deflections
