-- The exact words about wrong options, through functions that have options of each kind.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local HEIGHT = "weft.body.mannequin: height must be a number from 1.2 to 2.2, got "
local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
local triangles = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } }

local function mesh(vertices, faces)
  return message_of(weft.mesh, { vertices = vertices, faces = faces })
end

local function body(options)
  options.vertices, options.faces = points, triangles
  return message_of(weft.body, options)
end

local function mannequin(options)
  return message_of(weft.body.mannequin, options)
end

describe("A wrong option", function()
  it("is unknown", function()
    assert.equal("weft.body: unknown option 'thicknes'; did you mean 'thickness'?", body { thicknes = 1 })
    assert.equal("weft.body: unknown option 'qqqqqqqq'", body { qqqqqqqq = 1 })
    assert.equal("weft.body: unknown option [1]", body { 3 })
    assert.equal("weft.body: unknown option [a userdata]", body { [io.stdout] = 3 })
  end)

  it("is missing", function()
    assert.matches("^weft.mesh: faces must be .*, got nothing$", mesh(points, nil))
  end)

  it("is not such a number", function()
    assert.equal(HEIGHT .. "1", mannequin { height = 1 })
    assert.equal(HEIGHT .. "nan", mannequin { height = 0 / 0 })
    assert.equal(HEIGHT .. "inf", mannequin { height = 1 / 0 })
    assert.equal(HEIGHT .. "\"1.7\"", mannequin { height = "1.7" })
    assert.equal(HEIGHT .. "{1, \"a\", table}",
      mannequin { height = { 1, "a", {} } })
    assert.equal(HEIGHT .. "a function", mannequin { height = print })
    assert.equal(HEIGHT .. "true", mannequin { height = true })
  end)

  it("is shown short", function()
    assert.equal(HEIGHT .. "\"" .. ("x"):rep(40) ..
      "...\" (1000 bytes)", mannequin { height = ("x"):rep(1000) })
    assert.equal(HEIGHT .. "{1, 2, 3, 4, 5, 6, ... (8 elements)}",
      mannequin { height = { 1, 2, 3, 4, 5, 6, 7, 8 } })
    assert.equal(HEIGHT .. "a table with named fields",
      mannequin { height = { x = 1 } })
    assert.equal(HEIGHT .. "a weft.buffer",
      mannequin { height = weft.buffer { count = 1 } })
    local name = ("n"):rep(1e5)
    local short = '["' .. ("n"):rep(40) .. '..." (100000 bytes)]'
    assert.equal("weft.body.mannequin: unknown option " .. short, mannequin { [name] = 1 })
    assert.equal("weft.fabric.load: unknown option " .. short, message_of(weft.fabric.load, "x", { [name] = 1 }))
    for _, call in ipairs {
      function() weft.fabric.convert(1, name) end, function() weft.fabric.convert(1, "mm", name) end,
      function() weft.fabric.fit { curve = points, kind = name } end, function() weft.fabric.fit(name) end,
      function() weft.fabric.load(name) end, function() weft.fabric.load("x", { format = name }) end,
      function() return weft.fabric[name] end, function() return weft[name] end,
      function() weft.world { integrator = name } end, function() weft.step.equation(name) end,
      function() weft.testbench.kes_bending { fabric = weft.fabric.wool, direction = name } end,
      function() weft.testbench.folded_loop { fabric = weft.fabric.wool, direction = name } end,
      function() weft.testbench.cusick { fabric = weft.fabric.wool, mesh = name } end,
    } do
      local message = message_of(call)
      assert.is_true(#message < 200, message:sub(1, 300))
    end
  end)

  it("is not a string", function()
    assert.equal("weft.body: name must be a string, got 3", body { name = 3 })
    assert.matches("^weft.body: name must be a string without zero bytes", body { name = "a\0b" })
  end)

  it("is a list with a wrong element, named by its place", function()
    assert.equal("weft.mesh: vertices[2] must be three numbers, got {1, 2}", mesh({ points[1], { 1, 2 } }, triangles))
    assert.equal("weft.mesh: vertices[1] must be three numbers, got {1, 2, nan}", mesh({ { 1, 2, 0 / 0 } }, triangles))
    assert.equal("weft.mesh: vertices[1] must be three numbers, got 7", mesh({ 7 }, triangles))
    assert.equal("weft.mesh: faces[2] must be three indices from 1 to 4, got {1, 2, 5}",
      mesh(points, { triangles[1], { 1, 2, 5 } }))
    assert.equal("weft.mesh: faces[1] must be three indices from 1 to 4, got {0, 1, 2}", mesh(points, { { 0, 1, 2 } }))
    assert.equal("weft.mesh: faces[1] must be three indices from 1 to 4, got {1, 2, 2.5}",
      mesh(points, { { 1, 2, 2.5 } }))
    assert.matches("^weft.mesh: vertices must be a list of vectors or a weft.buffer, got 3$", mesh(3, triangles))
    local named = { a = { 1, 2, 3 } } -- no empty list
    assert.equal("weft.mesh: vertices must be a list of vectors or a weft.buffer, got a table with named fields",
      mesh(named, triangles))
    assert.matches("^weft.mesh: faces must be a list of .*, got a table with named fields$", mesh(points, named))
  end)

  it("is a buffer of another shape, or with an index that is too large", function()
    local faces = weft.buffer { count = 1, type = "index" }
    faces:set(1, 1, 2, 5)
    assert.equal("weft.mesh: faces[1] must be made of indices from 1 to 4, got 5", mesh(points, faces))
    assert.equal("weft.mesh: faces must be a buffer of 3 index components, got one of 3 double",
      mesh(points, weft.buffer { count = 1 }))
    assert.equal("weft.mesh: vertices must be a buffer of 3 double components, got one of 2 double",
      mesh(weft.buffer { count = 4, components = 2 }, triangles))
    local closed = weft.buffer { count = 4 }
    closed:close()
    assert.equal("weft.mesh: vertices is a closed weft.buffer", mesh(closed, triangles))
  end)

  it("does not run the metamethods of the table", function()
    local trap = setmetatable({}, { __index = error, __len = error, __call = error, __tostring = error })
    assert.equal(HEIGHT .. "{}", mannequin { height = trap })
  end)
end)

describe("The same points and faces", function()
  it("come from tables and from buffers", function()
    local vertices = weft.buffer { count = 4 }
    vertices:assign(points)
    local faces = weft.buffer { count = 4, type = "index" }
    faces:assign(triangles)
    local from_buffers = weft.mesh { vertices = vertices, faces = faces }
    local from_tables = weft.mesh { vertices = points, faces = triangles }
    assert.equal(from_tables.positions:string(), from_buffers.positions:string())
    assert.equal(from_tables.faces:string(), from_buffers.faces:string())
    assert.same(triangles, from_buffers.faces:table())
  end)
end)
