-- Lateral buckling: strips on edge, clamped at one end, which lean out and twist under their own weight. When, and how
-- far: meshes and theory, for the specs and for examples/validate.

local weft = require "weft"
local deflections = require "spec.model.deflections"
local sheets = require "spec.model.sheets"
local shooting = require "spec.model.shooting"
local strips = require "spec.model.strips"

local buckling = {}

local WIDTH = 0.02
local BEND, POISSON = 1e-3, 0.3 -- N m
local STRETCH = 1000 * 12 * BEND / WIDTH ^ 2 -- N/m: it bends in its plane 1000 times as hard as out of it

--- B = (D11 - D12^2 / D22) w and C = 4 D66 w.
local function strip_stiffness(modulus)
  return (1 - POISSON ^ 2) * modulus * WIDTH, 2 * (1 - POISSON) * modulus * WIDTH
end

--- A strip on a mesh of strips.meshes that is `slenderness` times as long as wide, with `across` edges across.
function buckling.strip(mesh, slenderness, across)
  return strips.mesh(mesh, { length = slenderness * WIDTH, width = WIDTH,
    rows = math.floor(slenderness * across * (mesh.aspect or 1) + 0.5) })
end

--- q L^3 / sqrt(B C) at which a plate of that slenderness buckles; slender ones at 12.85.
function buckling.plate(slenderness)
  return ({ [8] = 14.17, [16] = 13.48, [32] = 13.16 })[slenderness]
end

-- ---- when -----------------------------------------------------------------------------------------------------------

--- The stress of a beam on edge that carries a weight of 1 per length, of a strip along y that is clamped at its start:
--- along, across and shear at the height h above the middle and `left` before the free end. N/m.
local function beam_stress(width, left, h)
  local along = 6 * left ^ 2 * h / width ^ 3
  local shear = -1.5 * left / width * (1 - 4 * h ^ 2 / width ^ 2)
  -- equilibrium across: d shear / d(along) + d(across) / dh = 1 / width, zero at both edges
  local across = h / width - (1.5 * h - 2 * h ^ 3 / width ^ 2) / width
  return along, across, shear
end

--- The matrix of z by the beam's stress: what the weight adds to the stiffness.
local function stress_matrix(sheet, free)
  local place, matrix = {}, {}
  for a, i in ipairs(free) do
    place[i], matrix[a] = a, {}
    for b = 1, #free do
      matrix[a][b] = 0
    end
  end
  for _, face in ipairs(sheet.faces) do
    local a, b, c = sheet.rest[face[1]], sheet.rest[face[2]], sheet.rest[face[3]]
    local twice = (b[1] - a[1]) * (c[2] - a[2]) - (c[1] - a[1]) * (b[2] - a[2])
    local along, across, shear = beam_stress(sheet.width,
      sheet.length - ((a[2] + b[2] + c[2]) / 3 + sheet.clamp * sheet.edge), (a[1] + b[1] + c[1]) / 3 - sheet.width / 2)
    local gradient = { { (b[2] - c[2]) / twice, (c[1] - b[1]) / twice }, { (c[2] - a[2]) / twice,
      (a[1] - c[1]) / twice }, { (a[2] - b[2]) / twice, (b[1] - a[1]) / twice } }
    for p = 1, 3 do
      for q = 1, 3 do
        local i, j = place[face[p]], place[face[q]]
        if i and j then
          local u, v = gradient[p], gradient[q]
          matrix[i][j] = matrix[i][j] + 0.5 * math.abs(twice) * (along * u[2] * v[2] + across * u[1] * v[1] +
            shear * (u[1] * v[2] + u[2] * v[1]))
        end
      end
    end
  end
  return matrix
end

--- q L^3 / sqrt(B C) at which a strip buckles sideways: the least s of (K + s G) w = 0, K the bending model's matrix
--- and G that of the beam's stress.
function buckling.critical_weight(bending, sheet)
  local fabric = strips.isotropic(POISSON)
  local model = weft.model.create { name = bending, faces = sheet.faces, rest = sheet.rest, fabric = fabric }
  local matrix, free = deflections.matrix(model, sheet.x, sheet.fixed)
  local stress, l, w = stress_matrix(sheet, free), deflections.factor(matrix), {}
  local function apply(vector)
    local product = {}
    for a, row in ipairs(stress) do
      local sum = 0
      for b, value in ipairs(row) do
        sum = sum + value * vector[b]
      end
      product[a] = sum
    end
    return deflections.solve(l, product)
  end
  for a = 1, #free do
    w[a] = 1 + 0.3 * math.sin(a)
  end
  local growth
  for _ = 1, 12 do -- loads of either sign buckle it: iterate with the square
    w = apply(apply(w))
    growth = sheets.norm(w)
    for a = 1, #w do
      w[a] = w[a] / growth
    end
  end
  local beam, torsion = strip_stiffness(fabric.bend.weft)
  return growth ^ -0.5 * sheet.length ^ 3 / math.sqrt(beam * torsion)
end

-- ---- how far, by theory ---------------------------------------------------------------------------------------------
-- Kirchhoff's rod that bends with B about its width, twists with C, and does not bend in its own plane.

local STEPS = 100

--- Derivatives along the rod, of unit length. State: the tangent t, the width's direction e, the moment's x and y (the
--- weight has none about z) over sqrt(B C) / L, and the place. `ratio` is sqrt(C / B).
local function slopes(s, state, load, ratio)
  local tx, ty, tz, ex, ey, ez, mx, my = state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8]
  local bending, twist = (mx * ex + my * ey) * ratio, (mx * tx + my * ty) / ratio
  local wx, wy, wz = bending * ex + twist * tx, bending * ey + twist * ty, bending * ez + twist * tz
  local weight = load * (1 - s) -- of what is beyond s, down along z: M' = -t x (0, 0, -weight)
  return { wy * tz - wz * ty, wz * tx - wx * tz, wx * ty - wy * tx, wy * ez - wz * ey, wz * ex - wx * ez,
    wx * ey - wy * ex, weight * ty, -weight * tx, tx, ty, tz }
end

--- The state at the free end, of the moment {twist, my} at the clamp; `visit` gets all states.
local function shoot(load, ratio, twist, my, visit)
  local clamp = { 1, 0, 0, 0, 0, 1, twist, my, 0, 0, 0 }
  if visit then
    visit(clamp)
  end
  return shooting.integrate(function(s, state) return slopes(s, state, load, ratio) end, clamp, 1, STEPS, visit)
end

--- The load q L^3 / sqrt(B C) and the y of the moment at the clamp, of that `twist` there, from a start: none at the
--- free end.
local function balance(ratio, twist, load, my)
  return shooting.solve(function(q, y)
    local tip = shoot(q, ratio, twist, y)
    return tip[7], tip[8]
  end, load, my)
end

--- The states under loads q L^3 / sqrt(B C) from the critical one to `most`: { load =, along =, sideways =, down = } of
--- the free end, over L, and points = { x, y, z, ex, ey, ez } along the rod, e of its width. `ratio` is sqrt(C / B).
function buckling.branch(ratio, most)
  local load, my, twist, list = 12.85, 6.4, 1e-3, {}
  repeat
    load, my = balance(ratio, twist, load, my)
    local points = {}
    local function add(state)
      points[#points + 1] = { state[9], state[10], state[11], state[4], state[5], state[6] }
    end
    local tip = shoot(load, ratio, twist, my, add)
    list[#list + 1] = { load = load, along = tip[9], sideways = math.abs(tip[10]), down = -tip[11], points = points }
    twist = twist + 0.05
  until load > most
  return list
end

--- The branch at a load: its free end { along, sideways, down }, and the nearest state.
function buckling.at(branch, load)
  for k = 2, #branch do
    local p, q = branch[k - 1], branch[k]
    if q.load >= load then
      local t = (load - p.load) / (q.load - p.load)
      return { p.along + t * (q.along - p.along), p.sideways + t * (q.sideways - p.sideways),
        p.down + t * (q.down - p.down) }, t < 0.5 and p or q
    end
  end
end

-- ---- how far, on meshes ---------------------------------------------------------------------------------------------

--- The strip moved to where the rod of a state of the branch is.
local function bent(sheet, state)
  local length, last = sheet.length, #state.points - 1
  return sheets.map(sheet.x, function(u, v)
    if v < 1e-9 then
      return u, v, 0 -- held
    end
    local at = (v + sheet.clamp * sheet.edge) / length * last + 1
    local low = math.min(math.floor(at), last)
    local p, q, t, h, s = state.points[low], state.points[low + 1], at - low, u - sheet.width / 2, {}
    for k = 1, 6 do
      s[k] = p[k] + t * (q[k] - p[k])
    end
    return sheet.width / 2 + length * s[3] + h * s[6], length * s[1] + h * s[4] - sheet.clamp * sheet.edge,
      length * s[2] + h * s[5]
  end)
end

--- How far the free end has gone, over L: along, sideways, down. Options: bending, slenderness, across (edges), load (q
--- L^3 / sqrt(B C)), branch (of a rod, to start from).
function buckling.lean(mesh, options)
  local sheet = buckling.strip(mesh, options.slenderness, options.across)
  local beam, torsion = strip_stiffness(BEND)
  local weight = options.load * math.sqrt(beam * torsion) / sheet.length ^ 3
  local fabric = weft.fabric { density = weight / (9.81 * WIDTH), bend = { weft = BEND, warp = BEND,
    poisson = POISSON, twist = (1 - POISSON) / 2 },
    stretch = { weft = STRETCH, warp = STRETCH, coupling = POISSON * STRETCH }, shear = 0.5 * (1 - POISSON) * STRETCH }
  local _, state = buckling.at(options.branch, options.load)
  local x = strips.hang(sheet, { bending = options.bending, fabric = fabric, x = bent(sheet, state),
    down = { -1, 0, 0 } })
  local along, sideways = strips.mean(sheet, x, sheet.tip)
  local down = 0
  for _, i in ipairs(sheet.tip) do
    down = down + (sheet.x[i][1] - x[i][1]) / #sheet.tip
  end
  return along / sheet.length, math.abs(sideways) / sheet.length, down / sheet.length
end

return buckling
