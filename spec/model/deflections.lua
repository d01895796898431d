-- Small deflections of flat sheets: of z alone, by the matrix that models have there. Plates under loads, what vibrates
-- and what buckles, for the specs and for examples/validate.

local weft = require "weft"
local sheets = require "spec.model.sheets"

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

return deflections
