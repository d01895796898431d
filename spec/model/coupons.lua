-- Test pieces of cloth for the specs of membranes and for bench/models.lua: meshes, loads that make homogeneous states,
-- and how they deform.

local weft = require "weft"
local sheets = require "spec.model.sheets"

local coupons = {}

local width, height = 0.1, 0.08

local meshes = {
  { columns = 4, rows = 3, diagonal = "same", jitter = 0, turn = 0 },
  { columns = 7, rows = 6, diagonal = "random", jitter = 0.25, turn = 0.4 },
  { columns = 14, rows = 10, diagonal = "alternating", jitter = 0.2, turn = -1.1 },
}

--- The edges of one face, each so that the face lies to its left.
local function find_border(sheet)
  local count, border = {}, {}
  for _, face in ipairs(sheet.faces) do
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      local key = math.min(a, b) .. " " .. math.max(a, b)
      count[key] = (count[key] or 0) + 1
    end
  end
  for _, face in ipairs(sheet.faces) do
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      if count[math.min(a, b) .. " " .. math.max(a, b)] == 1 then
        border[#border + 1] = { a, b }
      end
    end
  end
  return border
end

--- Delaunay triangles of a rectangle, in the plane: { rest, faces, x, border, centre (the vertex nearest to it) }.
function coupons.delaunay(edge, length, across)
  local cut = weft.mesh.triangulate { outline = { { 0, 0 }, { length, 0 }, { length, across }, { 0, across } },
    edge = edge }
  local sheet, nearest = { rest = cut.points:table(), faces = cut.faces:table() }, math.huge
  sheet.x, sheet.border = sheets.map(sheet.rest, function(u, v) return u, v, 0 end), find_border(sheet)
  for i, p in ipairs(sheet.rest) do
    local distance = (p[1] - length / 2) ^ 2 + (p[2] - across / 2) ^ 2
    if distance < nearest then
      nearest, sheet.centre = distance, i
    end
  end
  return sheet
end

--- The sheet cut at an angle to the grain.
local function turned(sheet, angle)
  local cos, sin = math.cos(angle), math.sin(angle)
  sheet.rest = sheets.map(sheet.rest, function(u, v) return cos * u - sin * v, sin * u + cos * v end)
  sheet.x = sheets.map(sheet.rest, function(u, v) return u, v, 0 end)
  sheet.border, sheet.area, sheet.turn = find_border(sheet), width * height, angle
  return sheet
end

--- A rectangle of Delaunay triangles, cut at an angle to the grain.
function coupons.triangulated(edge, angle)
  return turned(coupons.delaunay(edge, width, height), angle)
end

--- Meshes of one rectangle, of different resolution, each cut from the cloth at another angle to the grain: three grids
--- and Delaunay triangles. Models of threads get grids along the grain, of rows and columns of different width.
function coupons.meshes(entry)
  local list = {}
  for k, mesh in ipairs(meshes) do
    local sheet = sheets.grid { columns = mesh.columns, rows = mesh.rows, width = width, height = height,
      diagonal = mesh.diagonal, jitter = entry.grid and 0 or mesh.jitter, seed = k }
    if entry.grid and k > 1 then
      sheet.rest = sheets.map(sheet.rest, function(u, v)
        return u + 0.02 * u * (width - u) / width / 0.1, v - 0.03 * v * (height - v) / height / 0.1
      end)
    end
    sheet.centre = sheet.index(math.floor(mesh.columns / 2), math.floor(mesh.rows / 2))
    list[k] = turned(sheet, entry.grid and 0 or mesh.turn)
  end
  if not entry.grid then
    list[#list + 1] = coupons.triangulated(0.012, 0.9)
  end
  return list
end

coupons.border = find_border

--- A model of the table on a sheet.
function coupons.model(entry, sheet, fabric)
  return weft.model.create { name = entry.name, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
end

--- The loads of a homogeneous stress {uu, vv, uv} (N/m of undeformed width) on the border's vertices.
function coupons.traction(sheet, stress)
  local load = sheets.zeros(#sheet.rest)
  for _, edge in ipairs(sheet.border) do
    local a, b = sheet.rest[edge[1]], sheet.rest[edge[2]]
    local normal_u, normal_v = b[2] - a[2], a[1] - b[1] -- times the length
    for _, i in ipairs(edge) do
      load[i][1] = load[i][1] + 0.5 * (stress[1] * normal_u + stress[3] * normal_v)
      load[i][2] = load[i][2] + 0.5 * (stress[3] * normal_u + stress[2] * normal_v)
    end
  end
  return load
end

--- The mean deformation gradient over the sheet, from its border (Gauss): columns for u and v.
function coupons.gradient(sheet, x)
  local f = { { 0, 0, 0 }, { 0, 0, 0 } }
  for _, edge in ipairs(sheet.border) do
    local a, b = sheet.rest[edge[1]], sheet.rest[edge[2]]
    local normal = { b[2] - a[2], a[1] - b[1] }
    for c = 1, 2 do
      for k = 1, 3 do
        f[c][k] = f[c][k] + 0.5 * (x[edge[1]][k] + x[edge[2]][k]) * normal[c] / sheet.area
      end
    end
  end
  return f
end

--- |F d| - 1 for the direction d in the grain frame.
function coupons.stretch(f, direction)
  local sum = 0
  for k = 1, 3 do
    sum = sum + (f[1][k] * direction[1] + f[2][k] * direction[2]) ^ 2
  end
  return math.sqrt(sum) - 1
end

--- Where a sheet comes to rest in its plane. Options: load, held (vertices that stay; by default one in the middle).
function coupons.rest(sheet, model, options)
  local guided, directions, x = {}, {}, options.x or sheet.x
  for i = 1, #x do
    guided[i], directions[i] = i, { 0, 0, 1 }
  end
  local at, report = weft.solve.equilibrium { models = { model }, x = x, load = options.load or sheets.zeros(#x),
    fixed = options.held or { sheet.centre }, guided = guided, directions = directions,
    tolerance = options.tolerance or 1e-6 }
  assert(report.converged, ("no equilibrium: residual %g after %d"):format(report.residual, report.iterations))
  return at:table()
end

--- The strain along `direction` of a fabric under the stress {uu, vv, uv}, by its compliance.
function coupons.expected_strain(fabric, stress, direction)
  local c11, c22, c12 = fabric.stretch.weft, fabric.stretch.warp, fabric.stretch.coupling
  local determinant, cos, sin = c11 * c22 - c12 * c12, direction[1], direction[2]
  local e_u = (c22 * stress[1] - c12 * stress[2]) / determinant
  local e_v = (c11 * stress[2] - c12 * stress[1]) / determinant
  return cos * cos * e_u + sin * sin * e_v + cos * sin * stress[3] / fabric.shear
end

-- ---- the patch test -------------------------------------------------------------------------------------------------

--- The sheet under an affine map: u and v are what the unit vectors of weft and warp become.
function coupons.affine(sheet, u, v)
  return sheets.map(sheet.rest, function(a, b)
    return a * u[1] + b * v[1], a * u[2] + b * v[2], a * u[3] + b * v[3]
  end)
end

--- The largest force on an inner vertex, over the largest on the border.
function coupons.imbalance(sheet, model, x)
  local border, inner, outer = {}, 0, 0
  for _, edge in ipairs(sheet.border) do
    border[edge[1]] = true
  end
  for i, f in ipairs(model:forces({ x = x }):table()) do
    if border[i] then
      outer = math.max(outer, sheets.norm(f))
    else
      inner = math.max(inner, sheets.norm(f))
    end
  end
  return inner / outer
end

-- ---- a tester's measurements ----------------------------------------------------------------------------------------

-- A5 of the reference on the garment tutorial: E_u = 1000, E_v = 400, G = 30, nu_u = 0.3
local young_u, young_v, shear, poisson = 1000, 400, 30, 0.3
local stiffening = 1 - poisson * poisson * young_v / young_u

coupons.fabric = weft.fabric { shear = shear, stretch = { weft = young_u / stiffening, warp = young_v / stiffening,
  coupling = poisson * young_v / stiffening } }

function coupons.direction(degrees)
  return { math.cos(math.rad(degrees)), math.sin(math.rad(degrees)) }
end

--- A line load along a direction, N/m of undeformed width.
function coupons.pull(tension, d)
  return { tension * d[1] * d[1], tension * d[2] * d[2], tension * d[1] * d[2] }
end

--- The strain along d of a sheet that came to rest under a stress, and the deformation gradient.
function coupons.strain_at_rest(entry, sheet, material, stress, d)
  local x = coupons.rest(sheet, coupons.model(entry, sheet, material), { load = coupons.traction(sheet, stress),
    tolerance = entry.published and 1e-4 or 1e-6 }) -- the search for a least energy stalls where forces have none
  local gradient = coupons.gradient(sheet, x)
  return coupons.stretch(gradient, d), gradient
end

--- The shear stress, N/m, of a sheet in a picture frame sheared by an angle.
function coupons.frame_stress(entry, sheet, material, angle)
  local cos, sin = math.cos(angle), math.sin(angle)
  local model = coupons.model(entry, sheet, material)
  local start = sheets.map(sheet.rest, function(u, v) return u + sin * v, cos * v, 0 end)
  local held, on_border = {}, {}
  for _, edge in ipairs(sheet.border) do
    held[#held + 1], on_border[edge[1]] = edge[1], true
  end
  for i, p in ipairs(start) do
    p[1] = p[1] + (on_border[i] and 0 or 5e-4)
  end
  local x = coupons.rest(sheet, model, { x = start, held = held, tolerance = 1e-8 })
  local work = 0 -- of the frame, per radian
  for i, f in ipairs(model:forces({ x = x }):table()) do
    work = work - f[1] * cos * sheet.rest[i][2] + f[2] * sin * sheet.rest[i][2]
  end
  return work / sheet.area
end

--- Membranes of the table for which `wanted` (a set of names, or a function of the entry) says so.
function coupons.membranes(wanted)
  local list = {}
  for _, entry in ipairs(weft.model.list()) do
    if entry.kind == "membrane" and (type(wanted) == "table" and wanted[entry.name]
        or type(wanted) == "function" and wanted(entry)) then
      list[#list + 1] = entry
    end
  end
  return list
end

function coupons.entry(name)
  return coupons.membranes({ [name] = true })[1]
end

return coupons
