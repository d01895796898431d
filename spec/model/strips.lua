-- Strips of cloth clamped at one end, on meshes of all kinds, and what theory says of them: for the specs of bending
-- models, bench/models.lua and examples/validate.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local shooting = require "spec.model.shooting"

local strips = {}

-- ---- meshes ---------------------------------------------------------------------------------------------------------

--- Structured: rows of `columns` cells. Options: diagonal, jitter, aspect (a cell's width over its length along the
--- strip), centred (cells of four triangles, whose lines run at 45 degrees), shifted (rows moved by half a cell).
--- Unstructured: whatever the triangulator makes of the outline.
strips.meshes = {
  { name = "one diagonal", diagonal = "same" },
  { name = "alternating diagonals", diagonal = "alternating" },
  { name = "diagonals both ways", centred = true },
  { name = "equilateral", shifted = true, aspect = 2 / math.sqrt(3) },
  { name = "equilateral, turned", shifted = "along", aspect = math.sqrt(3) / 2 },
  { name = "random", diagonal = "random", jitter = 0.2 },
  { name = "cells twice as long", diagonal = "random", jitter = 0.15, aspect = 0.5 },
  { name = "cells twice as wide", diagonal = "random", jitter = 0.15, aspect = 2 },
  { name = "unstructured", unstructured = true },
}

--- Points of rows of cells, and their faces. Rows 0 to 2 are straight, for the clamp.
local function fill_rows(sheet, mesh, columns, rows, edge, width)
  local random = sheets.random(4)
  local cell = width / columns
  local function index(i, j) return j * (columns + 1) + i + 1 end
  for j = 0, rows do
    for i = 0, columns do
      local u, v = i * cell, (j - 2) * edge
      local inner = i > 0 and i < columns
      if mesh.shifted == true and j % 2 == 1 and inner then
        u = u + 0.5 * cell -- the first cell of such a row is longer, the last shorter
      elseif mesh.shifted == "along" and j > 2 and j < rows and i % 2 == 1 then
        v = v + 0.5 * edge
      end
      if mesh.jitter and j > 2 then
        u = u + (inner and mesh.jitter * cell * random() or 0)
        v = v + (j < rows and mesh.jitter * edge * random() or 0)
      end
      sheet.rest[index(i, j)] = { u, v }
    end
  end
  for j = 0, rows - 1 do
    for i = 0, columns - 1 do
      local a, b, c, d = index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)
      if mesh.centred then
        sheet.rest[#sheet.rest + 1] = { (i + 0.5) * cell, (j - 1.5) * edge }
        local e = #sheet.rest
        for _, face in ipairs { { a, b, e }, { b, c, e }, { c, d, e }, { d, a, e } } do
          sheet.faces[#sheet.faces + 1] = face
        end
      else
        local other = mesh.diagonal == "alternating" and (i + j) % 2 == 1 or mesh.diagonal == "random" and random() > 0
          or mesh.shifted == true and j % 2 == 0 or mesh.shifted == "along" and i % 2 == 1
        sheets.add_cell(sheet.faces, a, b, c, d, other)
      end
    end
  end
end

--- Two rows of cells, and the triangulation of the rest.
local function fill_unstructured(sheet, columns, rows, edge, width)
  fill_rows(sheet, { diagonal = "same" }, columns, 2, edge, width)
  local outline, first = {}, 2 * (columns + 1)
  local length = (rows - 2) * edge
  for i = 0, columns do
    outline[#outline + 1] = { i * width / columns, 0 }
  end
  for j = 1, rows - 2 do
    outline[#outline + 1] = { width, j * edge }
  end
  for i = columns - 1, 0, -1 do
    outline[#outline + 1] = { i * width / columns, length }
  end
  for j = rows - 3, 1, -1 do
    outline[#outline + 1] = { 0, j * edge }
  end
  local cut = weft.mesh.triangulate { outline = outline, edge = edge, split = false }
  for i = 1, cut.vertices do
    local u, v = cut.positions:get(i)
    sheet.rest[first + i] = { u, v }
  end
  for i = 1, cut.triangles do
    local a, b, c = cut.faces:get(i)
    sheet.faces[#sheet.faces + 1] = { first + a, first + b, first + c }
  end
end

--- A strip along y from the clamp, with `rows` edges along its free length. { rest, faces, x, fixed, tip, length,
--- width, mesh }: `fixed` are the vertices of two rows of cells before it, `tip` those of its end. The clamp acts
--- some way before y = 0, options.clamp edges, by default half the way to the next row of vertices (bending.h);
--- `length` counts from there.
function strips.mesh(mesh, options)
  local clamp = options.clamp or (mesh.centred and 0.25 or 0.5)
  local edge = options.length / (options.rows + clamp)
  local columns = math.max(2, math.floor(options.width / edge / (mesh.aspect or 1) + 0.5))
  local sheet = { rest = {}, faces = {}, x = {}, fixed = {}, tip = {}, length = options.length, width = options.width,
    edge = edge, clamp = clamp, rows = options.rows }
  if mesh.unstructured then
    fill_unstructured(sheet, columns, options.rows + 2, edge, options.width)
  else
    fill_rows(sheet, mesh, columns, options.rows + 2, edge, options.width)
  end
  for i, p in ipairs(sheet.rest) do
    sheet.x[i] = { p[1], p[2], 0 }
    if p[2] < 1e-9 then
      sheet.fixed[#sheet.fixed + 1] = i
    elseif p[2] > (options.rows - 1e-6) * edge then
      sheet.tip[#sheet.tip + 1] = i
    end
  end
  return sheet
end

-- ---- equilibrium ----------------------------------------------------------------------------------------------------

--- The mean of some vertices' y, from the clamp, and z.
function strips.mean(sheet, x, vertices)
  local along, up = 0, 0
  for _, i in ipairs(vertices) do
    along, up = along + (x[i][2] + sheet.clamp * sheet.edge) / #vertices, up + x[i][3] / #vertices
  end
  return along, up
end

--- The strip, or `flat` points of it, bent to the elastica of `overhang` bending lengths.
function strips.bent(sheet, overhang, flat)
  local _, _, points = strips.elastica(overhang)
  local unit = sheet.length / overhang
  return sheets.map(flat or sheet.x, function(u, v)
    if v < 1e-9 then
      return u, v, 0 -- held
    end
    local at = (v + sheet.clamp * sheet.edge) / sheet.length * (#points - 1) + 1
    local low = math.min(math.floor(at), #points - 1)
    local t, p, q = at - low, points[low], points[low + 1]
    return u, unit * (p[1] * (1 - t) + q[1] * t) - sheet.clamp * sheet.edge, unit * (p[2] * (1 - t) + q[2] * t)
  end)
end

--- The strip's membrane and bending, and its weight per vertex, N. Options: bending, fabric, turn (of the grain, rad).
local function make_models(sheet, options)
  local rest, list = sheet.rest, {}
  if options.turn then
    local cos, sin = math.cos(options.turn), math.sin(options.turn)
    rest = sheets.map(sheet.rest, function(u, v) return cos * u - sin * v, sin * u + cos * v end)
  end
  for k, name in ipairs { "corotational", options.bending } do
    list[k] = weft.model.create { name = name, faces = sheet.faces, rest = rest, fabric = options.fabric }
  end
  list[3] = options.seam
  local weights = weft.model.masses { faces = sheet.faces, rest = rest, density = options.fabric.density }:table()
  for i, mass in ipairs(weights) do
    weights[i] = 9.81 * mass
  end
  return list, weights
end

--- The strip under its weight. Further options: x (start), down (of gravity; -z by default), seam (a model).
function strips.hang(sheet, options)
  local models, load = make_models(sheet, options)
  local down = options.down or { 0, 0, -1 }
  for i, weight in ipairs(load) do
    load[i] = { weight * down[1], weight * down[2], weight * down[3] }
  end
  local x, report = weft.solve.equilibrium { models = models, x = options.x, load = load, fixed = sheet.fixed,
    tolerance = 1e-4, linear_tolerance = 1e-6, max_iterations = 1000 }
  assert(report.converged, "the strip comes not to rest")
  return x:table()
end

-- ---- guided as a cylinder -------------------------------------------------------------------------------------------

--- How much of rows of vertices a place v along the strip has: of four of them, { row = share }, from row -2 to `rows`.
local function row_shares(v, edge, rows)
  local at, shares = v / edge, {}
  local first = math.max(-2, math.min(math.floor(at) - 1, rows - 3))
  for a = 0, 3 do
    local share = 1
    for b = 0, 3 do
      share = b == a and share or share * (at - first - b) / (a - b)
    end
    shares[first + a] = share
  end
  return shares
end

--- The strip under its weight when it can only be a cylinder: what is as far from the clamp moves alike. The start is
--- the elastica of options.overhang.
function strips.hang_guided(sheet, options)
  local models, weights = make_models(sheet, options)
  local rows, place, x, shares = sheet.rows, {}, {}, {}
  for j = 1, rows do
    x[j] = { 0, j * sheet.edge, 0 }
  end
  for j, p in ipairs(strips.bent(sheet, options.overhang, x)) do
    place[2 * j - 1], place[2 * j] = p[2], p[3]
  end
  for i, p in ipairs(sheet.rest) do
    x[i], shares[i] = { p[1], p[2], 0 }, row_shares(p[2], sheet.edge, rows)
  end
  --- The forces on the rows.
  local function forces()
    local sum, total = {}, {}
    for k = 1, 2 * rows do
      total[k] = 0
    end
    for i, p in ipairs(x) do
      p[2], p[3] = 0, 0
      for j, share in pairs(shares[i]) do -- rows up to 0 are held
        p[2] = p[2] + share * (j > 0 and place[2 * j - 1] or j * sheet.edge)
        p[3] = p[3] + share * (j > 0 and place[2 * j] or 0)
      end
    end
    for k, model in ipairs(models) do
      sum[k] = model:forces { x = x }
    end
    for i in ipairs(x) do
      local _, y, z = sum[1]:get(i)
      local _, other_y, other_z = sum[2]:get(i)
      for j, share in pairs(shares[i]) do
        if j > 0 then
          total[2 * j - 1] = total[2 * j - 1] + share * (y + other_y)
          total[2 * j] = total[2 * j] + share * (z + other_z - weights[i])
        end
      end
    end
    return total
  end
  local weight = 0
  for _, w in ipairs(weights) do
    weight = weight + w
  end
  local matrix, h = {}, 1e-6 * sheet.edge
  for _ = 1, 30 do -- Newton's method, derivatives by differences
    local residual = forces()
    if sheets.norm(residual) < 1e-6 * weight then
      return x
    end
    for k = 1, 2 * rows do
      matrix[k] = matrix[k] or {}
    end
    for k = 1, 2 * rows do
      local at = place[k]
      place[k] = at + h
      local more = forces()
      place[k] = at - h
      local less = forces()
      place[k] = at
      for r = 1, 2 * rows do
        matrix[r][k] = (less[r] - more[r]) / (2 * h)
      end
    end
    for k, step in ipairs(sheets.solve_dense(matrix, residual)) do
      place[k] = place[k] + step
    end
  end
  error "the guided strip comes not to rest"
end

-- ---- theory ---------------------------------------------------------------------------------------------------------

--- The heavy elastica: the tip (along, up, in bending lengths) of a beam of `length` bending lengths that is clamped
--- horizontally. theta'' = -(length - s) cos theta, theta(0) = 0, theta'(length) = 0, of the angle theta below the
--- horizontal; shooting on theta'(0), which is less than that of a beam that stays level. Third result: the points
--- {along, up} of the whole, at equal distances.
function strips.elastica(length)
  local function shoot(curvature, visit)
    return shooting.integrate(function(s, state)
      local cos, sin = math.cos(state[1]), math.sin(state[1])
      return { state[2], -(length - s) * cos, cos, -sin }
    end, { 0, curvature, 0, 0 }, length, 400, visit)
  end
  local low, high = 0, length ^ 2 / 2
  for _ = 1, 60 do
    local middle = 0.5 * (low + high)
    if shoot(middle)[2] > 0 then
      high = middle
    else
      low = middle
    end
  end
  local points = { { 0, 0 } }
  local tip = shoot(high, function(state) points[#points + 1] = { state[3], state[4] } end)
  return tip[3], tip[4], points
end

--- The first four angular frequencies of a clamped beam, of a string under `tension`, N/m, and of a hanging chain.
function strips.beam_frequencies(length)
  local list = {}
  for k, root in ipairs { 1.87510, 4.69409, 7.85476, 10.99554 } do -- cos r cosh r = -1
    list[k] = root ^ 2 * math.sqrt(strips.BEND / strips.DENSITY) / length ^ 2
  end
  return list
end

function strips.string_frequencies(length, tension)
  local list = {}
  for k = 1, 4 do
    list[k] = k * math.pi * math.sqrt(tension / strips.DENSITY) / length
  end
  return list
end

function strips.chain_frequencies(length)
  local list = {}
  for k, root in ipairs { 2.40483, 5.52008, 8.65373, 11.79153 } do -- of the Bessel function J0
    list[k] = 0.5 * root * math.sqrt(9.81 / length)
  end
  return list
end

-- ---- both -----------------------------------------------------------------------------------------------------------

strips.BEND, strips.DENSITY = 1.35e-5, 0.26

--- How many edges before y = 0 a bending's clamp acts, where that is not half an edge.
strips.clamps = { ["loop shell"] = 0.85 }

--- A plate of one modulus and Poisson's ratio; without, a strip bends as a beam.
function strips.isotropic(poisson)
  return weft.fabric { density = strips.DENSITY, bend = { weft = strips.BEND, warp = strips.BEND, poisson = poisson,
    twist = (1 - poisson) / 2 } }
end

--- The tip (along, up) of a strip of `overhang` bending lengths under its weight, in bending lengths. Options: bending,
--- overhang, and if need be rows, columns, fabric, turn (grain, rad), modulus (of the strip along its length), guided
--- (as a cylinder), seam (a function of the mesh that returns a model).
function strips.tip(mesh, options)
  local c = ((options.modulus or strips.BEND) / (strips.DENSITY * 9.81)) ^ (1 / 3)
  local rows = options.rows or 40
  local length = options.overhang * c
  local sheet = strips.mesh(mesh, { length = length, rows = rows, width = (options.columns or 6) / rows * length,
    clamp = strips.clamps[options.bending] })
  local along, up = strips.mean(sheet, (options.guided and strips.hang_guided or strips.hang)(sheet, {
    bending = options.bending, fabric = options.fabric or strips.isotropic(0), turn = options.turn,
    overhang = options.overhang, x = strips.bent(sheet, options.overhang),
    seam = options.seam and options.seam(sheet) }), sheet.tip)
  return along / c, up / c
end

--- How far that tip is from where the elastica has it, over the overhang.
function strips.tip_error(mesh, options)
  local along, up = strips.tip(mesh, options)
  local expected_along, expected_up = strips.elastica(options.overhang)
  return math.sqrt((along - expected_along) ^ 2 + (up - expected_up) ^ 2) / options.overhang
end

return strips
