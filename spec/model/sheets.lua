-- Flat sheets, random numbers and small linear algebra for the specs of fabric, model and solve.

local unpack = unpack or table.unpack

local sheets = {}

--- Repeatable random numbers in [-1, 1] (Lehmer's generator), the same under every Lua.
function sheets.random(seed)
  local state = seed or 1
  return function()
    state = state * 16807 % 2147483647
    return 2 * state / 2147483647 - 1
  end
end

--- The two faces of a cell with these corners, in turn; `other`: cut from b to d instead of from a to c.
function sheets.add_cell(faces, a, b, c, d, other)
  faces[#faces + 1] = { a, b, other and d or c }
  faces[#faces + 1] = { other and b or a, c, d }
end

--- A rectangle of columns x rows cells. Options: width, height (m), diagonal = "same" (default), "alternating" or
--- "random", jitter (of inner vertices, in cells), seed. Returns { faces, rest, x, columns, rows, index(i, j) }, rest
--- per vertex, x flat in the plane z = 0.
function sheets.grid(options)
  local columns, rows = options.columns, options.rows
  local random = sheets.random(options.seed)
  local jitter, diagonal = options.jitter or 0, options.diagonal or "same"
  local cell_x, cell_y = options.width / columns, options.height / rows
  local sheet = { faces = {}, rest = {}, x = {}, columns = columns, rows = rows }
  function sheet.index(i, j) -- from 0
    return j * (columns + 1) + i + 1
  end
  for j = 0, rows do
    for i = 0, columns do
      local u = i + (i > 0 and i < columns and jitter * random() or 0)
      local v = j + (j > 0 and j < rows and jitter * random() or 0)
      sheet.rest[#sheet.rest + 1] = { u * cell_x, v * cell_y }
      sheet.x[#sheet.x + 1] = { u * cell_x, v * cell_y, 0 }
    end
  end
  for j = 0, rows - 1 do
    for i = 0, columns - 1 do
      local a, b = sheet.index(i, j), sheet.index(i + 1, j)
      local c, d = sheet.index(i + 1, j + 1), sheet.index(i, j + 1)
      local other = diagonal == "random" and random() > 0 or diagonal == "alternating" and (i + j) % 2 == 1
      sheets.add_cell(sheet.faces, a, b, c, d, other)
    end
  end
  return sheet
end

--- A square of 8 cm, and corners of its faces as if its right half were another pattern: with the rest shape turned by
--- 30 degrees and moved, and the grain with it.
function sheets.of_two_grains()
  local sheet = sheets.grid { columns = 8, rows = 8, width = 0.08, height = 0.08 }
  local turn, corners = sheets.rotation({ 0, 0, 1 }, math.pi / 6), {}
  for _, face in ipairs(sheet.faces) do
    local right = (sheet.rest[face[1]][1] + sheet.rest[face[2]][1] + sheet.rest[face[3]][1]) / 3 > 0.04
    for k = 1, 3 do
      local u, v = sheet.rest[face[k]][1], sheet.rest[face[k]][2]
      if right then
        u, v = turn(u, v, 0)
        u, v = u + 5, v - 1
      end
      corners[#corners + 1] = { u, v }
    end
  end
  return sheet, corners
end

--- The points f(x, y, z) of points.
function sheets.map(points, f)
  local mapped = {}
  for i, p in ipairs(points) do
    mapped[i] = { f(p[1], p[2], p[3]) }
  end
  return mapped
end

function sheets.zeros(count)
  local list = {}
  for i = 1, count do
    list[i] = { 0, 0, 0 }
  end
  return list
end

--- A rotation about an axis (any length) by an angle, as a function of x, y, z.
function sheets.rotation(axis, angle)
  local length = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
  local a, b, c = axis[1] / length, axis[2] / length, axis[3] / length
  local cos, sin = math.cos(angle), math.sin(angle)
  return function(x, y, z)
    local along = (a * x + b * y + c * z) * (1 - cos)
    return x * cos + (b * z - c * y) * sin + a * along, y * cos + (c * x - a * z) * sin + b * along,
      z * cos + (a * y - b * x) * sin + c * along
  end
end

function sheets.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

--- The sum of forces, the sum of torques about the origin, and the largest force.
function sheets.totals(x, forces)
  local force, torque, largest = { 0, 0, 0 }, { 0, 0, 0 }, 0
  for i, f in ipairs(forces) do
    local t = sheets.cross(x[i], f)
    for k = 1, 3 do
      force[k], torque[k] = force[k] + f[k], torque[k] + t[k]
      largest = math.max(largest, math.abs(f[k]))
    end
  end
  return force, torque, largest
end

--- The sum of a_i . b_i over the vectors of two lists.
function sheets.dot(a, b)
  local sum = 0
  for i = 1, #a do
    for k = 1, 3 do
      sum = sum + a[i][k] * b[i][k]
    end
  end
  return sum
end

function sheets.norm(v)
  local sum = 0
  for _, value in ipairs(v) do
    sum = sum + value * value
  end
  return math.sqrt(sum)
end

--- Central differences: largest errors of forces against the energy, and of the exact matrix against the forces, each
--- relative to the largest value compared with.
--- `symmetric`: the matrix is compared with the symmetric part of the forces' derivative.
function sheets.difference_errors(model, x, step, symmetric)
  local n, h = #x, step or 1e-7
  local forces, matrix = model:forces { x = x }:table(), model:matrix { x = x, exact = true }
  local force_error, force_size, matrix_error, matrix_size, derivative = 0, 0, 0, 0, {}
  for j = 1, 3 * n do
    derivative[j] = {}
    local vertex, axis = math.floor((j - 1) / 3) + 1, (j - 1) % 3 + 1
    local at = x[vertex][axis]
    x[vertex][axis] = at + h
    local more, energy_more = model:forces { x = x }:table(), model:energy { x = x }
    x[vertex][axis] = at - h
    local less, energy_less = model:forces { x = x }:table(), model:energy { x = x }
    x[vertex][axis] = at
    local force = -(energy_more - energy_less) / (2 * h)
    force_error = math.max(force_error, math.abs(force - forces[vertex][axis]))
    force_size = math.max(force_size, math.abs(forces[vertex][axis]))
    for i = 1, 3 * n do
      local row, column = math.floor((i - 1) / 3) + 1, (i - 1) % 3 + 1
      derivative[j][i] = -(more[row][column] - less[row][column]) / (2 * h)
    end
  end
  for j = 1, 3 * n do
    for i = 1, 3 * n do
      local stiffness = symmetric and (derivative[j][i] + derivative[i][j]) / 2 or derivative[j][i]
      matrix_error = math.max(matrix_error, math.abs(stiffness - matrix[i][j]))
      matrix_size = math.max(matrix_size, math.abs(matrix[i][j]))
    end
  end
  return force_error / force_size, matrix_error / matrix_size
end

--- The largest difference between a matrix and its transpose, relative to its largest entry.
function sheets.asymmetry(matrix)
  local difference, largest = 0, 0
  for i, row in ipairs(matrix) do
    for j, value in ipairs(row) do
      difference = math.max(difference, math.abs(value - matrix[j][i]))
      largest = math.max(largest, math.abs(value))
    end
  end
  return difference / largest
end

--- Eigenvalues of a symmetric matrix in ascending order (Jacobi's method).
function sheets.eigenvalues(matrix)
  local n, a = #matrix, {}
  for i, row in ipairs(matrix) do
    a[i] = { unpack(row) }
  end
  for _ = 1, 40 do
    local off, total = 0, 0
    for p = 1, n do
      total = total + a[p][p] ^ 2
      for q = p + 1, n do
        off = off + a[p][q] ^ 2
        if a[p][q] ~= 0 then
          local theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          local t = (theta >= 0 and 1 or -1) / (math.abs(theta) + math.sqrt(theta * theta + 1))
          local c = 1 / math.sqrt(t * t + 1)
          local s = t * c
          for k = 1, n do
            a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
          end
          local row_p, row_q = a[p], a[q]
          for k = 1, n do
            row_p[k], row_q[k] = c * row_p[k] - s * row_q[k], s * row_p[k] + c * row_q[k]
          end
        end
      end
    end
    if off <= 1e-28 * total then
      break
    end
  end
  local values = {}
  for i = 1, n do
    values[i] = a[i][i]
  end
  table.sort(values)
  return values
end

--- Solves a dense system by elimination with pivoting.
function sheets.solve_dense(matrix, b)
  local n, a, x = #matrix, {}, {}
  for i = 1, n do
    a[i] = { unpack(matrix[i]) }
    a[i][n + 1] = b[i]
  end
  for k = 1, n do
    local pivot = k
    for i = k + 1, n do
      if math.abs(a[i][k]) > math.abs(a[pivot][k]) then
        pivot = i
      end
    end
    a[k], a[pivot] = a[pivot], a[k]
    for i = k + 1, n do
      local factor = a[i][k] / a[k][k]
      for j = k, n + 1 do
        a[i][j] = a[i][j] - factor * a[k][j]
      end
    end
  end
  for i = n, 1, -1 do
    local sum = a[i][n + 1]
    for j = i + 1, n do
      sum = sum - a[i][j] * x[j]
    end
    x[i] = sum / a[i][i]
  end
  return x
end

return sheets
