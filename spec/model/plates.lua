-- Sheets bent to cylinders and other smooth shapes, and how much energy that is beside the plate's: for the specs of
-- bending models and bench/models.lua.

local weft = require "weft"
local sheets = require "spec.model.sheets"

local plates = { BEND = 1e-5 }
local BEND = plates.BEND

--- Poisson's ratio is 0.2.
plates.isotropic = weft.fabric { bend = { weft = BEND, warp = BEND } }

--- A sheet of equilateral triangles of 1 cm, n x n of them or so. `area` is its area.
function plates.equilateral(n)
  local edge, height, rows = 0.01, 0.01 * math.sqrt(3) / 2, math.floor(n * 2 / math.sqrt(3))
  local sheet = { faces = {}, rest = {}, x = {}, area = n * edge * rows * height }
  for j = 0, rows do
    for i = 0, n do
      local u, v = (i + j % 2 / 2) * edge, j * height
      sheet.rest[#sheet.rest + 1] = { u, v }
      sheet.x[#sheet.x + 1] = { u, v, 0 }
    end
  end
  for j = 0, rows - 1 do
    for i = 1, n do
      local a, d = j * (n + 1) + i, (j + 1) * (n + 1) + i
      local b, c = a + 1, d + 1
      sheets.add_cell(sheet.faces, a, b, c, d, j % 2 == 0)
    end
  end
  return sheet
end

function plates.grid(options)
  return function(n)
    local sheet = sheets.grid { columns = n, rows = n, width = 0.01 * n, height = 0.01 * n, seed = 5,
      diagonal = options.diagonal, jitter = options.jitter }
    sheet.area = (0.01 * n) ^ 2
    return sheet
  end
end

--- The sheet rolled on a cylinder whose curved direction makes the angle phi with the weft.
function plates.rolled(sheet, radius, phi)
  local cos, sin = math.cos(phi), math.sin(phi)
  return sheets.map(sheet.x, function(u, v)
    local along, across = u * cos + v * sin, v * cos - u * sin
    return radius * math.sin(along / radius), across, radius * (1 - math.cos(along / radius))
  end)
end

--- That shape of curvature 1 / 0.4.
function plates.cylinder(phi)
  return function(sheet) return plates.rolled(sheet, 0.4, phi) end
end

--- The parabolic sheet of curvatures a and b, so flat that it is not strained.
function plates.curved(sheet, a, b)
  return sheets.map(sheet.x, function(u, v) return u, v, 0.5 * (a * u * u + b * v * v) end)
end

--- The twisted sheet z = 0.01 x y, of which a plate of Poisson's ratio 0.2 has 1.6 times 1/2 B 0.01^2 area.
function plates.twisted(sheet)
  return sheets.map(sheet.x, function(u, v) return u, v, 0.01 * u * v end)
end

--- Energy over 1/2 B k^2 area. What free edges lose is in proportion to their length: extrapolated over two sizes.
function plates.ratio(name, make_sheet, shape, curvature, fabric)
  local values = {}
  for i, n in ipairs { 10, 20 } do
    local sheet = make_sheet(n)
    local model = weft.model.create { name = name, faces = sheet.faces, rest = sheet.rest,
      fabric = fabric or plates.isotropic }
    values[i] = model:energy { x = shape(sheet) } / (0.5 * BEND * curvature ^ 2 * sheet.area)
  end
  return 2 * values[2] - values[1]
end

-- ---- waves ----------------------------------------------------------------------------------------------------------

--- Whether a point is so far inside of a sheet of n = 20 that nothing of the border is felt.
local function is_inside(u, v)
  return math.min(u, v) > 0.035 and math.max(u, v) < 0.165
end

--- The phase of a wave of so many edges of 1 cm, and its number.
local function phase(phi, edges)
  local number = 2 * math.pi / (0.01 * edges)
  return function(p) return number * (p[1] * math.cos(phi) + p[2] * math.sin(phi)) end, number
end

--- The bending energy of small waves in the middle of a sheet over the plate's: from the work of the forces at the sine
--- and the cosine, so that the waves' places average out.
function plates.wave_energy(name, sheet, phi, edges)
  local at, number = phase(phi, edges)
  local model = weft.model.create { name = name, faces = sheet.faces, rest = sheet.rest, fabric = plates.isotropic }
  local areas = weft.model.masses { faces = sheet.faces, rest = sheet.rest }:table()
  local work, area, height = 0, 0, 1e-6
  for _, wave in ipairs { math.cos, math.sin } do
    local x = {}
    for i, p in ipairs(sheet.rest) do
      x[i] = { p[1], p[2], height * wave(at(p)) }
    end
    for i, force in ipairs(model:forces { x = x }:table()) do
      if is_inside(x[i][1], x[i][2]) then
        work, area = work - force[3] * x[i][3] / height ^ 2, area + areas[i] / 2
      end
    end
  end
  return work / area / (BEND * number ^ 4)
end

--- What the membrane measures of the length that such waves take up, over what it is: the mean square of the slopes of
--- flat triangles.
function plates.wave_length(sheet, phi, edges)
  local at, number = phase(phi, edges)
  local sum, area = 0, 0
  for _, face in ipairs(sheet.faces) do
    local a, b, c = sheet.rest[face[1]], sheet.rest[face[2]], sheet.rest[face[3]]
    local twice = (b[1] - a[1]) * (c[2] - a[2]) - (c[1] - a[1]) * (b[2] - a[2])
    if is_inside((a[1] + b[1] + c[1]) / 3, (a[2] + b[2] + c[2]) / 3) then
      for _, wave in ipairs { math.cos, math.sin } do
        local z = wave(at(a))
        local p, q = wave(at(b)) - z, wave(at(c)) - z
        local x, y = p * (c[2] - a[2]) - q * (b[2] - a[2]), q * (b[1] - a[1]) - p * (c[1] - a[1])
        sum, area = sum + (x * x + y * y) / math.abs(twice), area + math.abs(twice) / 2
      end
    end
  end
  return sum / area / number ^ 2
end

return plates
