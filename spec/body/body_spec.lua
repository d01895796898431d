-- Bodies: what is taken and with which warning; girths against closed forms and a tailor's table.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local pi = math.pi

--- What `call` returns and the warnings that it gave.
local function listen(call, ...)
  local heard = {}
  weft.on_warning(function(text) heard[#heard + 1] = text end)
  local result = call(...)
  weft.on_warning(nil)
  return result, heard
end

--- A tube or closed barrel around a vertical axis: rings of `columns` points at `heights` with half widths `a`, `b`.
local function barrel(heights, a, b, columns, closed, x, vertices, faces)
  vertices, faces, x = vertices or {}, faces or {}, x or 0
  local base, rows = #vertices, #heights
  for i = 1, rows do
    for j = 0, columns - 1 do
      local angle = 2 * pi * j / columns
      vertices[#vertices + 1] = { x + a * math.sin(angle), heights[i], b * math.cos(angle) }
    end
  end
  for i = 0, rows - 2 do
    for j = 0, columns - 1 do
      local p, q = base + i * columns + j + 1, base + i * columns + (j + 1) % columns + 1
      faces[#faces + 1] = { p, q, p + columns }
      faces[#faces + 1] = { q, q + columns, p + columns }
    end
  end
  if closed then
    local last = base + (rows - 1) * columns
    for j = 2, columns - 1 do
      faces[#faces + 1] = { base + 1, base + j + 1, base + j }
      faces[#faces + 1] = { last + 1, last + j, last + j + 1 }
    end
  end
  return vertices, faces
end

--- Perimeter of the polygon inscribed in an ellipse.
local function ellipse(a, b, columns)
  local sum = 0
  for j = 1, columns do
    local s, t = 2 * pi * (j - 1) / columns, 2 * pi * j / columns
    sum = sum + math.sqrt((a * (math.sin(t) - math.sin(s))) ^ 2 + (b * (math.cos(t) - math.cos(s))) ^ 2)
  end
  return sum
end

describe("weft.body", function()
  it("takes a closed surface without a word", function()
    local body, heard = listen(weft.body, { vertices = support.tetrahedron.vertices,
      faces = support.tetrahedron.faces, name = "corner", thickness = 0.01, friction = 0.7 })
    assert.same({}, heard)
    assert.equal("weft.body corner (4 vertices, 4 faces, 1 m tall, solid)", tostring(body))
    assert.same({ "corner", true, 0.01, 0.7, 4, 4 }, { body.name, body.solid, body.thickness, body.friction,
      body.vertices, body.triangles })
    assert.same({ lower = { 0, 0, 0 }, upper = { 1, 1, 1 } }, body.bounds)
    assert.same(support.tetrahedron.vertices, body.positions:table())
    assert.same(support.tetrahedron.faces, body.faces:table())
    assert.is_nil(body.measures)
    assert.is_nil(body.landmarks)
  end)

  it("lets thickness and friction be changed within their ranges", function()
    local body = weft.body(support.tetrahedron)
    assert.same({ 0.0005, 0.4 }, { body.thickness, body.friction })
    body.thickness, body.friction = 0, 1.5
    assert.same({ 0, 1.5 }, { body.thickness, body.friction })
    for _, bad in ipairs { -1, 0.2, 0 / 0, "x" } do
      assert.matches("thickness must be", message_of(function() body.thickness = bad end))
    end
    assert.matches("friction must be from 0 to 10, got 11", message_of(function() body.friction = 11 end))
    assert.same({ 0, 1.5 }, { body.thickness, body.friction })
    assert.matches("thickness must be from 0 to 0.1 m, got 1", message_of(weft.body, {
      vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces, thickness = 1 }))
  end)

  it("takes open, non-manifold and badly oriented surfaces and says what is lost", function()
    local lost = "inside and outside are unknown"
    local v, f = support.tetrahedron.vertices, support.tetrahedron.faces
    local cases = {
      { { f[1], f[2], f[3] }, "the surface is open %(3 boundary edges in 1 loops%)" },
      { { f[1], f[2], f[3], { f[4][1], f[4][3], f[4][2] } }, "do not have the same side outside" },
    }
    for _, case in ipairs(cases) do
      local body, heard = listen(weft.body, { vertices = v, faces = case[1] })
      assert.equal(1, #heard)
      assert.matches(case[2], heard[1])
      assert.matches(lost, heard[1])
      assert.is_false(body.solid)
    end
    -- Two tetrahedra that share an edge: four faces there.
    local vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, -1, 0 }, { 0, 0, -1 } }
    local faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 }, { 1, 5, 2 }, { 1, 2, 6 }, { 1, 6, 5 },
      { 2, 5, 6 } }
    local body, heard = listen(weft.body, { vertices = vertices, faces = faces })
    assert.matches("is not a manifold", heard[1])
    assert.matches(lost, heard[1])
    assert.is_false(body.solid)
  end)

  it("turns a surface that is inside out", function()
    local v, faces = support.tetrahedron.vertices, {}
    for i, f in ipairs(support.tetrahedron.faces) do
      faces[i] = { f[1], f[3], f[2] }
    end
    local body, heard = listen(weft.body, { vertices = v, faces = faces })
    assert.same(support.tetrahedron.faces, body.faces:table())
    assert.equal(1, #heard)
    assert.matches("inside out", heard[1])
    assert.is_true(body.solid)
  end)

  it("leaves out faces that no mesh can hold", function()
    local v, f = support.tetrahedron.vertices, support.tetrahedron.faces
    local body, heard = listen(weft.body, { vertices = v,
      faces = { f[1], { 1, 1, 2 }, f[2], f[3], { f[1][2], f[1][3], f[1][1] }, f[4], { f[2][1], f[2][3], f[2][2] } } })
    assert.same(f, body.faces:table())
    assert.equal(1, #heard)
    assert.matches("3 of 7 faces were left out", heard[1])
    assert.is_true(body.solid)
  end)

  it("refuses what is no body", function()
    local v = support.tetrahedron.vertices
    assert.equal("weft.body: body: there is no face", message_of(weft.body, { vertices = v, faces = {} }))
    assert.equal("weft.body: body: there is no face", message_of(weft.body, { vertices = v, faces = { { 1, 2, 1 } } }))
    assert.matches("faces", message_of(weft.body, { vertices = v, faces = { { 1, 2, 5 } } }))
    assert.matches("finite and below 1e%+06 m", message_of(weft.body,
      { vertices = { { 0, 0, 0 }, { 1e9, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }))
    assert.equal("weft.body.load: /none: cannot be opened: No such file or directory",
      message_of(weft.body.load, "/none"))
    assert.matches("^weft.body.load: unknown option 'nme'; did you mean 'name'?", message_of(weft.body.load, "x",
      { nme = "y" }))
  end)

  it("survives every failing allocation", function()
    local _, count = support.fail_each_allocation(function()
      weft.body(support.tetrahedron):close()
    end)
    assert.is_true(count >= 5)
  end)

  it("is saved and loaded with its vertices in place", function()
    local path = os.tmpname()
    local body = weft.body { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces }
    for _, ending in ipairs { ".obj", ".ply" } do
      body:save(path .. ending)
      local again = weft.body.load(path .. ending)
      assert.equal(path:match "[^/]*$" .. ending, again.name)
      assert.equal(body.positions:string(), again.positions:string())
      assert.equal(body.faces:string(), again.faces:string())
      os.remove(path .. ending)
    end
    os.remove(path)
  end)
end)

describe("weft.body.girth", function()
  it("is the perimeter of a section", function()
    local body = weft.body((function()
      local v, f = barrel({ 1, 1.3, 1.9, 2.7 }, 0.2, 0.13, 60, true)
      return { vertices = v, faces = f }
    end)())
    for _, height in ipairs { 0.01, 0.3, 0.5, 1.69 } do -- 0.3 is a ring of vertices
      local girth, at = body:girth { height = height }
      assert.near(ellipse(0.2, 0.13, 60), girth, 1e-12)
      assert.equal(height, at)
    end
  end)

  it("is a tape's: it bridges hollows", function()
    -- A star of five points, extruded: the tape runs along the pentagon of its tips.
    local vertices, faces = {}, {}
    for row = 0, 1 do
      for j = 0, 9 do
        local angle, radius = pi * j / 5, j % 2 == 0 and 1 or 0.4
        vertices[#vertices + 1] = { radius * math.sin(angle), row, radius * math.cos(angle) }
      end
    end
    for j = 0, 9 do
      local p, q = j + 1, (j + 1) % 10 + 1
      faces[#faces + 1] = { p, q, p + 10 }
      faces[#faces + 1] = { q, q + 10, p + 10 }
    end
    local body = listen(weft.body, { vertices = vertices, faces = faces })
    assert.near(10 * math.sin(pi / 5), (body:girth { height = 0.37 }), 1e-12)
  end)

  it("leaves arms out", function()
    local v, f = barrel({ 0, 2 }, 0.2, 0.15, 40, true)
    barrel({ 0.5, 1.5 }, 0.06, 0.07, 20, true, 0.5, v, f)
    barrel({ 0.5, 1.5 }, 0.06, 0.07, 20, true, -0.5, v, f)
    local body = weft.body { vertices = v, faces = f }
    assert.near(ellipse(0.2, 0.15, 40), (body:girth { height = 1 }), 1e-12)
  end)

  it("works on open curves", function()
    local body = listen(weft.body, { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } },
      faces = { { 1, 2, 3 }, { 2, 4, 3 } } })
    assert.near(2, (body:girth { height = 0.25 }), 1e-15) -- there and back
  end)

  it("finds waist and hips of any figure", function()
    local heights, rings, columns = {}, 200, 30
    local vertices, faces = {}, {}
    for i = 0, rings do
      heights[i + 1] = 1.7 * i / rings
    end
    local function radius(t) -- widest at half the height, narrowest at 0.63
      return t < 0.5 and 0.16 - 0.1 * (t - 0.5) ^ 2 or 0.13 + 0.03 * math.cos(pi * (t - 0.5) / 0.13)
    end
    vertices, faces = barrel(heights, 1, 1, columns, true, 0, vertices, faces)
    for _, p in ipairs(vertices) do
      local r = radius(p[2] / 1.7)
      p[1], p[3] = p[1] * r, p[3] * r
    end
    local body = weft.body { vertices = vertices, faces = faces }
    local waist, waist_height = body:girth { part = "waist" }
    local hips, hip_height = body:girth { part = "hips" }
    local polygon = 2 * columns * math.sin(pi / columns)
    assert.near(0.10 * polygon, waist, 1e-3)
    assert.near(0.16 * polygon, hips, 1e-3)
    assert.near(0.63 * 1.7, waist_height, 0.006)
    assert.near(0.50 * 1.7, hip_height, 0.006)
  end)

  it("says what it needs", function()
    local body = weft.body(support.tetrahedron)
    assert.equal("weft.body.girth: either height or part must be given", message_of(body.girth, body, {}))
    assert.equal("weft.body.girth: either height or part must be given",
      message_of(body.girth, body, { height = 0.5, part = "waist" }))
    assert.equal("weft.body.girth: height must be between 0 and the body's 1 m, got 1",
      message_of(body.girth, body, { height = 1 }))
    assert.matches('part must be one of "bust", "waist", "hips", "neck", got "knee"',
      message_of(body.girth, body, { part = "knee" }))
  end)

  it("agrees within 1 % with the measurements that came with scanned bodies", function()
    for name, wanted in pairs {
      mean_all = { height = 1.7199, bust = 0.998407, waist = 0.843338, hips = 1.03478 },
      mean_female = { height = 1.66194, bust = 0.974076, waist = 0.803442, hips = 1.04091 },
    } do
      local path, missing = support.shared_data("garmentcode/" .. name .. ".obj")
      if not path then
        pending(missing)
        return
      end
      local body = weft.body.load(path)
      assert.is_true(body.solid)
      assert.near(wanted.height, body.bounds.upper[2] - body.bounds.lower[2], 1e-4)
      for _, part in ipairs { "bust", "waist", "hips" } do
        assert.near(wanted[part], (body:girth { part = part }), 0.01 * wanted[part])
      end
    end
  end)
end)
