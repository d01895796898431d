-- Triangulated, placed and paired panels (tests T25 to T28 and T30 of Keckeisen 2005, and what users ask for).

local support = require "spec.support"
local weft = require "weft"
local sewing = require "spec.garment.sewing"
local message_of = support.message_of
local rectangle = sewing.rectangle

local function distance(a, b)
  local sum = 0
  for i = 1, #a do
    sum = sum + (a[i] - b[i]) ^ 2
  end
  return math.sqrt(sum)
end

--- Vertices, edges and faces of the unsewn mesh.
local function counts(mesh)
  local edges, n = {}, 0
  for _, face in ipairs(mesh.faces:table()) do
    for k = 1, 3 do
      local a, b = face[k], face[k % 3 + 1]
      local key = math.min(a, b) * 1e7 + math.max(a, b)
      n = n + (edges[key] and 0 or 1)
      edges[key] = true
    end
  end
  return { vertices = mesh.vertices, edges = n, faces = mesh.triangles }
end

local function check_sound(sewn, loops, euler)
  assert.is_true(sewn.sound, "an edge collapses")
  assert.is_true(sewn.manifold, "not manifold")
  assert.is_true(sewn.oriented, "not oriented")
  assert.same({ loops, euler }, { sewn.loops, sewn.euler })
end

describe("Sewing on paper", function()
  it("joins two patches along one edge, and one patch to a tube (T25)", function()
    local garment = weft.garment {
      panels = { a = rectangle(0.1, 0.1), b = rectangle(0.1, 0.1, { translation = { 0.12, 0, 0 } }) },
      seams = { { { "a", 2 }, { "b", 4 } } },
    }
    local mesh = garment:triangulate { edge = 0.01 }
    local before, sewn = counts(mesh), sewing.sew(mesh)
    assert.equal(11, mesh.stitches)
    assert.same({ before.vertices - 11, before.edges - 10, before.faces }, { sewn.vertices, sewn.edges, sewn.faces })
    check_sound(sewn, 1, 1)

    local tube = weft.garment { panels = { a = rectangle(0.1, 0.1) }, seams = { { { "a", 2 }, { "a", 4 } } } }
    mesh = tube:triangulate { edge = 0.01 }
    before, sewn = counts(mesh), sewing.sew(mesh)
    assert.same({ before.vertices - 11, before.edges - 10, before.faces }, { sewn.vertices, sewn.edges, sewn.faces })
    check_sound(sewn, 2, 0)
  end)

  it("lets seams meet in one vertex, in every order of the seams (T26)", function()
    local panels, seams = {}, {}
    for i = 1, 3 do
      local a, b = 2 * math.pi / 3 * i, 2 * math.pi / 3 * (i + 1)
      panels["p" .. i] = {
        vertices = { { 0, 0 }, { 0.2 * math.cos(a), 0.2 * math.sin(a) }, { 0.2 * math.cos(b), 0.2 * math.sin(b) } },
        translation = { 0.02 * math.cos((a + b) / 2), 0.02 * math.sin((a + b) / 2), 0 },
      }
      seams[i] = { { "p" .. i, 3 }, { "p" .. i % 3 + 1, 1 } }
    end
    local first
    for _, order in ipairs { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } } do
      local mesh = weft.garment { panels = panels, seams = { seams[order[1]], seams[order[2]], seams[order[3]] } }
        :triangulate { edge = 0.03 }
      local sewn = sewing.sew(mesh)
      check_sound(sewn, 1, 1)
      local positions, members, sum = mesh.positions:table(), 0, { 0, 0, 0 }
      for i, class in ipairs(sewn.class) do -- the corner where all meet is the first point of the first panel
        if class == 1 then
          members = members + 1
          for k = 1, 3 do
            sum[k] = sum[k] + positions[i][k]
          end
        end
      end
      assert.equal(3, members)
      local result = { sewn.vertices, sewn.edges, sewn.faces, sum[1] / 3, sum[2] / 3, sum[3] / 3 }
      first = first or result
      assert.same(first, result)
      assert.near(0, distance({ result[4], result[5], result[6] }, { 0, 0, 0 }), 1e-15)
    end
  end)

  it("refines where a pair lies in one triangle, so that no element collapses (T27)", function()
    for _, width in ipairs { 0.01, 0.04, 0.09 } do -- tubes around which one, one and two edges would do
      for _, edge in ipairs { 0.05, 0.2 } do
        local tube = weft.garment { panels = { t = rectangle(width, 0.3) }, seams = { { { "t", 2 }, { "t", 4 } } } }
        check_sound(sewing.sew(tube:triangulate { edge = edge }), 2, 0)
      end
    end
    local sleeve = weft.garment { -- two strips, sewn along both sides
      panels = { a = rectangle(0.02, 0.3, { translation = { 0, 0, 0.1 } }), b = rectangle(0.02, 0.3) },
      seams = { { { "a", 2 }, { "b", 2 } }, { { "a", 4 }, { "b", 4 } } },
    }
    check_sound(sewing.sew(sleeve:triangulate { edge = 0.1 }), 2, 0)
    local triangle = { vertices = { { 0, 0 }, { 0.3, 0 }, { 0.1, 0.3 } } }
    local cushion = weft.garment { -- two triangles, sewn all around, each a single element at this edge length
      panels = { a = triangle, b = triangle },
      seams = { { { "a", 1 }, { "b", 1 } }, { { "a", 2 }, { "b", 2 } }, { { "a", 3 }, { "b", 3 } } },
    }
    check_sound(sewing.sew(cushion:triangulate { edge = 1 }), 0, 2)
    local chain = weft.garment { -- a strip whose ends are sewn to one another through a second strip
      panels = { a = rectangle(0.02, 0.2), b = rectangle(0.02, 0.2, { translation = { 0.03, 0, 0 } }) },
      seams = { { { "a", 2 }, { "b", 4 } }, { { "b", 2 }, { "a", 4 } } },
    }
    check_sound(sewing.sew(chain:triangulate { edge = 0.1 }), 2, 0)
    local pouch = weft.garment { -- an edge folded and sewn onto itself
      panels = { p = rectangle(0.2, 0.1) },
      seams = { { { "p", 1, from = 0, to = 0.5 }, { "p", 1, from = 0.5, to = 1 } } },
    }
    for _, edge in ipairs { 0.02, 0.3 } do
      check_sound(sewing.sew(pouch:triangulate { edge = edge }), 1, 1)
    end
  end)

  it("keeps every triangle's plane coordinates, and places it without stretching it (T28)", function()
    local garment = weft.garment(sewing.shirt())
    local mesh = garment:triangulate { edge = 0.05 }
    local rest, positions, panel_of = mesh.rest:table(), mesh.positions:table(), mesh.face_panel:table()
    local areas = {}
    for f, face in ipairs(mesh.faces:table()) do
      local a, b, c = rest[face[1]], rest[face[2]], rest[face[3]]
      local area = ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])) / 2
      assert.is_true(area > 0)
      local p, q, r = positions[face[1]], positions[face[2]], positions[face[3]]
      local normal_z = (q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1])
      assert.near(area * 2 * garment.panels[panel_of[f]].normal[3], normal_z, 1e-15)
      for k = 1, 3 do
        local u, v = face[k], face[k % 3 + 1]
        assert.near(distance(rest[u], rest[v]), distance(positions[u], positions[v]), 1e-14)
      end
      areas[panel_of[f]] = (areas[panel_of[f]] or 0) + area
    end
    local chords = 0.002 -- what chords cut off curved outlines
    for i, panel in ipairs(garment.panels) do
      assert.near(panel.area, areas[i], panel.name:find "sleeve" and 1e-14 or chords)
    end
    -- both corners of a stitched pair keep their own plane coordinates
    for _, pair in ipairs(mesh.pairs:table()) do
      assert.not_equal(pair[1], pair[2])
    end
  end)

  it("makes a shirt of 8 panels and 17 seams with 4 boundary loops (T30)", function()
    for order = 1, 3 do
      local garment = weft.garment(sewing.shirt(order))
      assert.same({ 8, 17 }, { #garment.panels, #garment.seams })
      for _, edge in ipairs { 0.4, 0.08, 0.03 } do
        check_sound(sewing.sew(garment:triangulate { edge = edge }), 4, -2)
      end
    end
  end)
end)

describe("Sampling", function()
  --- Fractions of arc length at which the two sides of seam 1 of `mesh` are paired, for straight edges.
  local function fractions(mesh, side)
    local rest, result, pairs_ = mesh.rest:table(), {}, mesh.pairs:table()
    local first, last = pairs_[1][side], pairs_[#pairs_][side]
    for i, pair in ipairs(pairs_) do
      result[i] = distance(rest[pair[side]], rest[first]) / distance(rest[last], rest[first])
    end
    return result
  end

  local function check_fractions(mesh)
    local a, b = fractions(mesh, 1), fractions(mesh, 2)
    for i = 1, #a do
      assert.near(a[i], b[i], 1e-12)
      assert.is_true(i == 1 or a[i] > a[i - 1])
    end
  end

  it("gives both sides of a gathered seam the same points, as many as the longer side needs", function()
    local skirt = weft.garment {
      panels = { band = rectangle(0.5, 0.05), skirt = rectangle(0.65, 0.4, { translation = { 0, -0.5, 0 } }) },
      seams = { { { "band", 1 }, { "skirt", 3 } } },
    }
    local mesh = skirt:triangulate { edge = 0.05 }
    assert.equal(14, mesh.stitches)
    assert.near(1.3, mesh.seam_ratio:get(1), 1e-15)
    check_fractions(mesh)
    check_sound(sewing.sew(mesh), 1, 1)
  end)

  it("passes a point that refinement puts on a seam to both sides", function()
    local ring = rectangle(0.3, 0.3)
    ring.edges = { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 1 }, { 5, 6 }, { 6, 7 }, { 7, 8 }, { 8, 5 } }
    for _, corner in ipairs { { 0.24, 0.1 }, { 0.297, 0.1 }, { 0.297, 0.2 }, { 0.24, 0.2 } } do
      table.insert(ring.vertices, corner) -- a hole 3 mm from the seam: only short triangles fit in between
    end
    local garment = weft.garment {
      panels = { ring = ring, plain = rectangle(0.2, 0.3, { translation = { 0.31, 0, 0 } }),
        third = rectangle(0.2, 0.3, { translation = { 0.6, 0, 0 } }) },
      seams = { { { "ring", 2 }, { "plain", 4 } }, { { "plain", 2 }, { "third", 4 } } },
    }
    local mesh = garment:triangulate { edge = 0.05 }
    local on_first = 0
    for _, seam in ipairs(mesh.pair_seam:table()) do
      on_first = on_first + (seam == 1 and 1 or 0)
    end
    assert.is_true(on_first > 10, on_first .. " pairs") -- 7 without refinement
    local sewn = sewing.sew(mesh)
    check_sound(sewn, 2, 0)
    -- no vertex on either side of the seam is left without a partner, and partners lie equally high
    local paired, rest = {}, mesh.rest:table()
    for _, pair in ipairs(mesh.pairs:table()) do
      paired[pair[1]], paired[pair[2]] = true, true
      assert.near(rest[pair[1]][2], rest[pair[2]][2], 1e-12)
    end
    for i, point in ipairs(rest) do
      local name = garment.panels[mesh.vertex_panel:get(i)].name
      if name == "ring" and point[1] == 0.3 or name == "plain" and point[1] == 0 then
        assert.is_true(paired[i])
      end
    end
  end)

  it("closes a dart, whose tip is one vertex", function()
    local panel = { vertices = { { 0, 0 }, { 0.3, 0 }, { 0.3, 0.3 }, { 0.17, 0.3 }, { 0.15, 0.18 }, { 0.13, 0.3 },
      { 0, 0.3 } } }
    local garment = weft.garment { panels = { p = panel }, seams = { { { "p", 4 }, { "p", 5 } } } }
    assert.is_false(garment.seams[1].same)
    for _, edge in ipairs { 0.02, 0.05, 0.3 } do
      local mesh = garment:triangulate { edge = edge }
      for _, pair in ipairs(mesh.pairs:table()) do
        assert.not_equal(pair[1], pair[2])
      end
      check_sound(sewing.sew(mesh), 1, 1)
      assert.is_true(math.deg(mesh.minimum_angle) >= 25)
    end
    local length = distance({ 0.17, 0.3 }, { 0.15, 0.18 })
    assert.equal(math.ceil(length / 0.02), garment:triangulate { edge = 0.02 }.stitches)
  end)

  it("sews parts of edges, and leaves the rest open", function()
    local garment = weft.garment {
      panels = { a = rectangle(0.3, 0.4), b = rectangle(0.3, 0.4, { translation = { 0.32, 0, 0 } }) },
      seams = { { { "a", 2, from = 0.25, to = 0.75 }, { "b", 4, from = 0.25, to = 0.75 } } },
    }
    local mesh = garment:triangulate { edge = 0.05 }
    assert.equal(5, mesh.stitches)
    check_fractions(mesh)
    local rest = mesh.rest:table()
    assert.near(0.1, rest[mesh.pairs:table()[1][1]][2], 1e-12)
    assert.near(0.3, rest[mesh.pairs:table()[5][1]][2], 1e-12)
    check_sound(sewing.sew(mesh), 1, 1)
  end)

  it("keeps holes", function()
    local washer = weft.garment { panels = { washer = {
      vertices = { { -0.2, 0 }, { 0.2, 0 }, { -0.05, 0 }, { 0.05, 0 } },
      edges = {
        { 1, 2, curvature = { type = "circle", params = { 0.2, 0, 1 } } },
        { 2, 1, curvature = { type = "circle", params = { 0.2, 0, 1 } } },
        { 3, 4, curvature = { type = "circle", params = { 0.05, 0, 0 } } },
        { 4, 3, curvature = { type = "circle", params = { 0.05, 0, 0 } } },
      },
    } } }
    assert.near(math.pi * (0.04 - 0.0025), washer.panels[1].area, 1e-14)
    local mesh = washer:triangulate { edge = 0.02 }
    check_sound(sewing.sew(mesh), 2, 0)
    for _, point in ipairs(mesh.rest:table()) do
      local radius = distance(point, { 0, 0 })
      assert.is_true(radius > 0.05 - 1e-12 and radius < 0.2 + 1e-12)
    end
  end)

  it("reaches the minimum angle, and the same bits every time", function()
    local garment = weft.garment(sewing.shirt())
    for _, edge in ipairs { 0.02, 0.05 } do
      local mesh, again = garment:triangulate { edge = edge }, garment:triangulate { edge = edge }
      assert.is_true(math.deg(mesh.minimum_angle) >= 25)
      assert.equal(mesh.positions:string(), again.positions:string())
      assert.equal(mesh.faces:string(), again.faces:string())
      assert.equal(mesh.pairs:string(), again.pairs:string())
    end
  end)

  it("turns the grain with a panel that is seen from its other side", function()
    local garment = weft.garment {
      panels = { back = rectangle(0.4, 0.6, { translation = { 0, 0, -0.3 }, grain = 0.2 }),
        front = rectangle(0.4, 0.6, { translation = { 0, 0, 0.3 }, grain = 0.2 }) },
      seams = { { { "front", 2 }, { "back", 2 } }, { { "front", 4 }, { "back", 4 } } },
    }
    local grain = garment:triangulate { edge = 0.1 }.panel_grain
    assert.near(-0.2, grain:get(1), 1e-15)
    assert.near(0.2, grain:get(2), 1e-15)
  end)
end)

describe("weft.garment.triangulate", function()
  it("refuses an edge length that would make a billion triangles, at once", function()
    local message = message_of(function() weft.garment(sewing.shirt()):triangulate { edge = 2e-5 } end)
    assert.matches("^weft.garment.triangulate: an edge length of 2e%-05 m would make about 4.%d*e%+09 triangles, " ..
      "more than the limit of 4000000$", message)
  end)

  it("names the panel whose outline crosses itself, and the place", function()
    local bow = { vertices = { { 0, 0 }, { 1, 0 }, { 0.2, 0.4 }, { 0.8, 0.5 } } }
    local message = message_of(function()
      weft.garment { panels = { a = rectangle(1, 1), bow = bow } }:triangulate { edge = 0.1 }
    end)
    assert.matches("^weft.garment.triangulate: panel 'bow': .*cross.*%(.*%)", message)
  end)

  it("names the place in the drawing's coordinates, also where the drawing shows the back", function()
    -- The lines y = x and y = 0.8 - 0.8 x meet at 0.8 / 1.8; more area lies in the clockwise part.
    for _, bow in ipairs {
      { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 0.8 } }, { { 0, 0.8 }, { 1, 0 }, { 1, 1 }, { 0, 0 } },
    } do
      local message = message_of(function()
        weft.garment { panels = { bow = { vertices = bow } } }:triangulate { edge = 0.1 }
      end)
      assert.matches("crosses itself at %(0.444444, 0.444444%)", message)
    end
  end)

  it("refuses wrong options", function()
    local garment = weft.garment { panels = { a = rectangle(1, 1) } }
    assert.matches("edge must be a number from 1e%-05 to 10, got 0", message_of(garment.triangulate, garment,
      { edge = 0 }))
    assert.matches("did you mean 'edge'", message_of(garment.triangulate, garment, { egde = 0.1 }))
  end)

  it("loses nothing when an allocation fails", function()
    local shirt = weft.garment(sewing.shirt())
    local count = 0
    support.fail_each_allocation(function()
      count = count + 1
      shirt:triangulate { edge = 0.2 }:close()
    end)
    assert.is_true(count > 50)
  end)
end)
