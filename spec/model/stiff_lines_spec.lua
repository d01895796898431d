-- Stiff lines, which seams are: rods on edges of a sheet, straight or curved in its pattern.

local sheets = require "spec.model.sheets"
local strips = require "spec.model.strips"
local support = require "spec.support"
local weft = require "weft"

local near = support.near

--- A ring of two rows of cells whose middle circle is a path of edges; the inner half as if it were another pattern of
--- the share `ease` of its size.
local function ring(radius, around, ease)
  local sheet = { faces = {}, rest = {}, x = {}, path = {} }
  local function point(i, j)
    local r, phi = radius * (1 + (j - 1) * 0.2), 2 * math.pi * i / around
    return r * math.cos(phi), r * math.sin(phi)
  end
  for i = 0, around - 1 do
    for j = 0, 2 do
      local x, y = point(i, j)
      sheet.x[#sheet.x + 1] = { x, y, 0 }
    end
    sheet.path[i + 1] = 3 * i + 2
  end
  for i = 0, around - 1 do
    local next_i = (i + 1) % around
    for j = 0, 1 do
      local a, d = 3 * i + j + 1, 3 * next_i + j + 1
      sheets.add_cell(sheet.faces, a, a + 1, d + 1, d, (i + j) % 2 == 1)
    end
  end
  for f, face in ipairs(sheet.faces) do
    local inner = (f - 1) % 4 < 2
    for k = 1, 3 do
      local p, scale = sheet.x[face[k]], inner and ease or 1
      sheet.rest[3 * f - 3 + k] = { scale * p[1], scale * p[2] }
    end
  end
  return sheet
end

local function line_of(sheet, options)
  options = options or {}
  return weft.model.stiff_line { faces = sheet.faces, rest = sheet.rest, path = options.path or sheet.path,
    closed = options.closed ~= false, bending = options.bending or 2e-5, viscosity = options.viscosity }
end

--- Rolled about the y axis.
local function roll(x, radius)
  return sheets.map(x, function(u, v, w)
    return (radius - w) * math.sin(u / radius), v, radius - (radius - w) * math.cos(u / radius)
  end)
end

describe("A stiff line", function()
  it("pulls with the gradient of its energy, whose matrix is constant and semidefinite; momentum stays", function()
    local sheet = ring(0.1, 12, 0.9)
    local random = sheets.random(3)
    for _, p in ipairs(sheet.x) do
      for k = 1, 3 do
        p[k] = p[k] + 0.03 * random()
      end
    end
    local line = line_of(sheet, { viscosity = 0.1 })
    assert.equal(12, line.elements)
    local force_error, matrix_error = sheets.difference_errors(line, sheet.x, 1e-5)
    assert.is_true(force_error < 1e-7 and matrix_error < 1e-7)
    local values = sheets.eigenvalues(line:matrix { x = sheet.x })
    assert.is_true(values[1] >= -1e-11 * values[#values])
    local force, torque, largest = sheets.totals(sheet.x, line:forces({ x = sheet.x }):table())
    assert.is_true(sheets.norm(force) < 1e-11 * largest and sheets.norm(torque) < 1e-12 * largest)
  end)

  it("feels nothing in any affine image of its pattern, however curved it is there", function()
    local turn = sheets.rotation({ 1, 2, 3 }, 1)
    for _, ease in ipairs { 1, 0.8 } do -- at 0.8 the image of the inner pattern is another one
      local sheet = ring(0.1, 24, ease)
      local line = line_of(sheet)
      local flat = sheets.map(sheet.x, function(x, y) return turn(1.2 * x + 0.3 * y + 1, 0.8 * y - 2, 0) end)
      assert.is_true(line:energy { x = flat } < 1e-20 * line:energy { x = roll(sheet.x, 0.1) })
    end
  end)

  -- On a cylinder of radius R the normal curvature of a line at the angle phi to its generators' normals is
  -- cos(phi)^2 / R, so a circle of radius r has the energy EI / 2 r / R^2 times the integral of cos^4, 3 pi / 4.
  it("on a rolled sheet has the energy of its normal curvature", function()
    local sheet = ring(0.05, 48, 1)
    near(2e-5 / 2 * 0.05 / 0.3 ^ 2 * 0.75 * math.pi, line_of(sheet):energy { x = roll(sheet.x, 0.3) }, 0.03)
    local strip = sheets.grid { columns = 40, rows = 4, width = 0.4, height = 0.04, diagonal = "random" }
    local path, back = {}, {}
    for i = 0, 40 do
      path[i + 1], back[41 - i] = strip.index(i, 2), strip.index(i, 2)
    end
    local straight = line_of(strip, { path = path, closed = false })
    assert.equal(39, straight.elements)
    local energy = straight:energy { x = roll(strip.x, 0.2) }
    near(2e-5 / 2 * 0.39 / 0.2 ^ 2, energy, 1e-3)
    near(energy, line_of(strip, { path = back, closed = false }):energy { x = roll(strip.x, 0.2) }, 1e-12)
    local turn = sheets.rotation({ 2, -1, 1 }, 2)
    near(energy, straight:energy { x = sheets.map(roll(strip.x, 0.2), turn) }, 1e-9)
    -- along the generators there is nothing to bend
    local across = {}
    for j = 0, 4 do
      across[j + 1] = strip.index(20, j)
    end
    assert.is_true(line_of(strip, { path = across, closed = false }):energy { x = roll(strip.x, 0.2) } < 1e-25)
  end)

  it("has a corner where it turns by more than 60 degrees, and none where the sheet ends", function()
    local sheet = sheets.grid { columns = 4, rows = 4, width = 0.4, height = 0.4 }
    local path = {}
    for i = 0, 4 do
      path[i + 1], path[5 + i] = sheet.index(i, 0), sheet.index(4, i)
    end
    assert.equal(6, line_of(sheet, { path = path, closed = false }).elements)
    assert.equal("weft.model.stiff_line: path must be a list of vertices, each joined to the next by an edge, got "
      .. "nothing", support.message_of(weft.model.stiff_line, { faces = sheet.faces, rest = sheet.rest }))
  end)
end)

-- A strip of the modulus B and the width w with a line of EI along its middle bends as one of B + EI / w.
describe("A strip with a seam along its middle", function()
  local function seam_of(share)
    return function(sheet)
      local path = {}
      for i, p in ipairs(sheet.rest) do
        if math.abs(p[1] - sheet.width / 2) < 1e-9 then
          path[#path + 1] = i
        end
      end
      table.sort(path, function(i, j) return sheet.rest[i][2] < sheet.rest[j][2] end)
      local seam = weft.model.stiff_line { faces = sheet.faces, rest = sheet.rest, path = path,
        bending = share * strips.BEND * sheet.width }
      assert.equal(41, seam.elements)
      return seam
    end
  end

  it("hangs as theory has it, within 0.3 % of the overhang, whatever the mesh", function()
    for _, mesh in ipairs { strips.meshes[1], strips.meshes[2] } do
      for _, share in ipairs { 0.5, 4 } do
        for _, overhang in ipairs { 0.7, 1.5 } do
          local error = strips.tip_error(mesh, { bending = "shell", overhang = overhang,
            modulus = (1 + share) * strips.BEND, seam = seam_of(share) })
          assert.is_true(error < 0.003, ("%s, %g, %g: %.2f %%"):format(mesh.name, overhang, share, 100 * error))
        end
      end
    end
  end)
end)
