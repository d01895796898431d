-- Panels that start in the body, or touch one another, are freed before sewing, or refused by name.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

--- A box from `lower` to `upper` as a body.
local function box(lower, upper)
  local vertices, faces = {}, {}
  for i = 0, 7 do
    vertices[i + 1] = {
      (i % 2 == 0 and lower or upper)[1],
      (math.floor(i / 2) % 2 == 0 and lower or upper)[2],
      (i < 4 and lower or upper)[3],
    }
  end
  for _, quad in ipairs { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 },
    { 2, 4, 8, 6 } } do
    faces[#faces + 1] = { quad[1], quad[2], quad[3] }
    faces[#faces + 1] = { quad[1], quad[3], quad[4] }
  end
  return weft.body { vertices = vertices, faces = faces }
end

--- A rectangle about the origin, moved to `translation`.
local function panel(width, height, translation, fields)
  fields = fields or {}
  fields.translation = translation
  fields.vertices = { { -width / 2, -height / 2 }, { width / 2, -height / 2 }, { width / 2, height / 2 },
    { -width / 2, height / 2 } }
  return fields
end

local function list(buffer)
  return buffer:table()
end

describe("weft.pattern_mesh.place", function()
  it("leaves panels alone that are free", function()
    local mesh = weft.garment { panels = { a = panel(0.3, 0.3, { 0, 0, 0.106 }) } }:triangulate { edge = 0.05 }
    local before = mesh.positions:string()
    assert.is_nil(mesh.panel_moved)
    mesh:place { body = box({ -0.1, -0.1, -0.1 }, { 0.1, 0.1, 0.1 }) }
    assert.equal(before, mesh.positions:string())
    assert.same({ 0 }, list(mesh.panel_moved))
    assert.near(0.006, mesh.panel_gap:get(1), 1e-15)
    mesh:place()
    assert.same({ 1 / 0 }, list(mesh.panel_gap))
  end)

  it("moves a front and a back that start in the middle of the body outward, as little as need be", function()
    local tube = weft.garment {
      panels = { back = panel(0.4, 0.4, { 0, 0, 0 }, { rotation = { 0, math.pi, 0 } }),
        front = panel(0.4, 0.4, { 0, 0, 0.02 }) },
      seams = { { { "front", 2 }, { "back", 4 } }, { { "front", 4 }, { "back", 2 } } },
    }
    local mesh = tube:triangulate { edge = 0.03 }
    mesh:place { body = box({ -0.1, -0.1, -0.1 }, { 0.1, 0.1, 0.1 }), clearance = 0.01 }
    local moved, gap = list(mesh.panel_moved), list(mesh.panel_gap)
    assert.is_true(moved[1] >= 0.11 and moved[1] < 0.1115, tostring(moved[1]))
    assert.is_true(moved[2] >= 0.09 and moved[2] < 0.0915, tostring(moved[2]))
    assert.is_true(gap[1] >= 0.01 and gap[2] >= 0.01)
    for i, point in ipairs(list(mesh.positions)) do
      assert.near(mesh.vertex_panel:get(i) == 1 and -moved[1] or 0.02 + moved[2], point[3], 1e-12)
    end
    for _, seam_gap in ipairs(list(mesh.seam_gap)) do
      assert.near(0.02 + moved[1] + moved[2], seam_gap, 1e-12)
    end
  end)

  it("sees what pierces a panel between its vertices", function()
    local mesh = weft.garment { panels = { a = panel(0.5, 0.5, { 0, 0, 0 }) } }:triangulate { edge = 0.1 }
    -- a needle 2 mm thick through the middle of a triangle
    local face, positions = list(mesh.faces)[math.floor(mesh.triangles / 2)], list(mesh.positions)
    local x, y = 0, 0
    for k = 1, 3 do
      x, y = x + positions[face[k]][1] / 3, y + positions[face[k]][2] / 3
    end
    mesh:place { body = box({ x - 0.001, y - 0.001, -0.2 }, { x + 0.001, y + 0.001, 0.15 }) }
    local moved = mesh.panel_moved:get(1)
    assert.is_true(moved > 0.15 and moved < 0.1525, tostring(moved))
  end)

  it("refuses a panel that it cannot free, by name, and changes nothing", function()
    local mesh = weft.garment {
      panels = { yoke = panel(0.3, 0.3, { 0, 0, 0 }), free = panel(0.3, 0.3, { 0, 0, 2 }) },
    }:triangulate { edge = 0.05 }
    local before = mesh.positions:string()
    local body = box({ -1, -1, -1 }, { 1, 1, 1 })
    assert.equal("weft.pattern_mesh.place: panel 'yoke' starts inside the body or crosses it, and moving it by up " ..
      "to 0.4 m along its normal does not free it", message_of(mesh.place, mesh, { body = body }))
    assert.equal(before, mesh.positions:string())
    mesh:place { body = body, reach = 1.1 }
    assert.is_true(mesh.panel_moved:get(2) >= 1.005)
  end)

  it("moves inward what only that way gets free", function()
    local mesh = weft.garment { panels = { a = panel(0.2, 0.2, { 0, 0, 0.05 }) } }:triangulate { edge = 0.05 }
    mesh:place { body = box({ -0.3, -0.3, 0 }, { 0.3, 0.3, 3 }) }
    assert.is_true(mesh.panel_moved:get(1) <= -0.055 and mesh.panel_moved:get(1) > -0.0565)
  end)

  it("separates panels that lie on one another, the outer layer outward", function()
    for _, outer in ipairs { "a", "b" } do
      local mesh = weft.garment { panels = {
        a = panel(0.3, 0.3, { 0, 0, 0 }, { layer = outer == "a" and 1 or 0 }),
        b = panel(0.2, 0.2, { 0.05, 0, 0.0005 }, { layer = outer == "b" and 1 or 0 }),
      } }:triangulate { edge = 0.05 }
      mesh:place { panel_gap = 0.004 }
      local moved = list(mesh.panel_moved)
      assert.equal(0, moved[outer == "a" and 2 or 1])
      assert.is_true(math.abs(moved[2] + 0.0005 - moved[1]) >= 0.004)
      assert.is_true(math.abs(moved[2] - moved[1]) <= 0.0065)
      assert.is_true(moved[outer == "a" and 1 or 2] > 0)
    end
  end)

  it("lets sewn panels touch at their seam, but not elsewhere", function()
    local function skirt(x, tilt)
      return weft.garment {
        panels = { a = panel(0.3, 0.3, { -0.15, 0, 0 }),
          b = panel(0.3, 0.3, { x, 0, 0 }, { rotation = { 0, tilt, 0 } }) },
        seams = { { { "a", 2 }, { "b", 4 } } },
      }:triangulate { edge = 0.03 }
    end
    local flat = skirt(0.15, 0)
    local before = flat.positions:string()
    flat:place()
    assert.equal(before, flat.positions:string())
    local crossing = skirt(-0.1, math.pi / 3) -- b goes through a 10 cm from the seam
    crossing:place()
    assert.equal(0, crossing.panel_moved:get(1))
    -- along its normal (sin 60, 0, cos 60) the line where b passes a moves by 1 / sin 60 of the way
    local line = -0.1 + crossing.panel_moved:get(2) / math.sin(math.pi / 3)
    assert.is_true(line > -0.06 and line < 0.01, tostring(line))
  end)

  it("separates panels that cross a little, and refuses wide ones that cross in the middle", function()
    local function cross(depth)
      return weft.garment { panels = {
        a = panel(0.3, 0.3, { 0, 0, 0 }),
        b = panel(0.3, 0.3, { 0, 0, -0.15 + depth }, { rotation = { 0, math.pi / 2, 0 } }),
        c = panel(0.1, 0.1, { 0, 0, 0.5 }),
      } }:triangulate { edge = 0.03 }
    end
    -- the first panel can step aside along its normal, or not at all when it is too wide for that
    local aside = cross(0.02)
    aside:place()
    assert.is_true(aside.panel_moved:get(1) > 0.02 and aside.panel_moved:get(1) < 0.03)
    assert.equal(0, aside.panel_moved:get(2))
    local wide = weft.garment { panels = { a = panel(1, 1, { 0, 0, 0 }),
      b = panel(1, 1, { 0, 0, 0 }, { rotation = { 0, math.pi / 2, 0 } }) } }:triangulate { edge = 0.1 }
    assert.matches("panels 'a' and 'b' cross one another, and moving them by up to 0.2 m along their normals does " ..
      "not separate them", message_of(wide.place, wide))
    local free = cross(-0.01)
    free:place()
    assert.same({ 0, 0, 0 }, list(free.panel_moved))
    local touching = weft.garment { panels = {
      a = panel(0.3, 0.3, { 0, 0, 0 }),
      b = panel(0.3, 0.3, { 0.1, 0, 0 }, { rotation = { 0, math.pi / 4, 0 } }), -- leans through a, 5 cm from its edge
    } }:triangulate { edge = 0.03 }
    touching:place()
    assert.equal(0, touching.panel_moved:get(1))
    local moved = touching.panel_moved:get(2)
    assert.is_true(moved >= 0.05 / math.sqrt(2) and moved < 0.05 / math.sqrt(2) + 0.01, tostring(moved))
    for i, point in ipairs(list(touching.positions)) do
      assert.is_true(touching.vertex_panel:get(i) == 1 or math.abs(point[1]) > 0.15 or point[3] >= 0.003)
    end
  end)

  it("refuses wrong options and loses nothing when an allocation fails", function()
    local garment = weft.garment { panels = { a = panel(0.2, 0.2, { 0, 0, 0 }) } }
    local mesh = garment:triangulate { edge = 0.1 }
    assert.matches("unknown option 'bdy'; did you mean 'body'", message_of(mesh.place, mesh, { bdy = 1 }))
    assert.matches("body must be a weft.body, got 1", message_of(mesh.place, mesh, { body = 1 }))
    local body = box({ -0.1, -0.1, -0.1 }, { 0.1, 0.1, 0.1 })
    support.fail_each_allocation(function()
      local fresh = garment:triangulate { edge = 0.1 }
      fresh:place { body = body }
      fresh:close()
    end)
  end)
end)

describe("The shared patterns on the shared body", function()
  for _, name in ipairs { "shirt_mean", "dress_pencil" } do
    local pattern, missing = support.shared_data(("garmentcode/%s_specification.json"):format(name))
    local figure = support.shared_data "garmentcode/mean_all.obj"
    it("are free of it as they are: " .. name, function()
      if not (pattern and figure) then
        pending(missing)
        return
      end
      local mesh = weft.garment.load(pattern):triangulate { edge = 0.03 }
      mesh:place { body = weft.body.load(figure) }
      for i, moved in ipairs(list(mesh.panel_moved)) do
        assert.equal(0, moved)
        assert.is_true(mesh.panel_gap:get(i) > 0.05)
      end
    end)
  end

  it("are freed from it when they start inside", function()
    local pattern, missing = support.shared_data "garmentcode/shirt_mean_specification.json"
    local figure = support.shared_data "garmentcode/mean_all.obj"
    if not (pattern and figure) then
      pending(missing)
      return
    end
    local file = assert(io.open(pattern, "rb"))
    local text = file:read "*a"
    file:close()
    -- all panels at z = 2 cm: front and back lie in the torso, sleeves in the arms
    text = text:gsub('("translation": %[%s*[%d.-]+,%s*[%d.-]+,%s*)[%d.-]+', "%12")
    local path = os.tmpname()
    file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    local garment = weft.garment.load(path)
    os.remove(path)
    local mesh = garment:triangulate { edge = 0.03 }
    local body = weft.body.load(figure)
    mesh:place { body = body }
    for i, moved in ipairs(list(mesh.panel_moved)) do
      assert.is_true(moved > (garment.panels[i].name:find "torso" and 0.05 or 0), garment.panels[i].name)
      assert.is_true(mesh.panel_gap:get(i) >= 0.005)
    end
  end)
end)
