-- Models chosen by name for the faces of a cloth: alone, mixed, changed between steps, through seams and merging, with
-- every scheme.

local weft = require "weft"
local support = require "spec.support"
local message_of = support.message_of

local function sheet(options)
  options = options or {}
  return weft.sheet { cells = options.cells or { 6, 5 }, size = { 0.3, 0.25 }, centre = options.centre,
    membrane = options.membrane, bending = options.bending }
end

--- The sheet of `sheet`, cut from two fabrics along the middle of the weft.
local function two_fabrics(options)
  local columns, rows, vertices, rest, faces, fabric = 6, 5, {}, {}, {}, {}
  for j = 0, rows do
    for i = 0, columns do
      rest[#rest + 1] = { 0.05 * i, 0.05 * j }
      vertices[#vertices + 1] = { 0.05 * i, 0, -0.05 * j }
    end
  end
  for j = 0, rows - 1 do
    for i = 0, columns - 1 do
      local a = j * (columns + 1) + i + 1
      local c = a + columns + 1
      for _, face in ipairs { { a, a + 1, c + 1 }, { a, c + 1, c } } do
        faces[#faces + 1] = face
        fabric[#fabric + 1] = i < columns / 2 and 1 or 2
      end
    end
  end
  local other = weft.fabric { base = "wool", name = "other" }
  return weft.cloth { vertices = vertices, rest = rest, faces = faces, fabric = { weft.fabric.wool, other },
    face_fabric = fabric, membrane = options.membrane, bending = options.bending }
end

--- Holds the corners 1 and 7, which both sheets have.
local function hang(cloth, options)
  local world = weft.world(options)
  world:add(cloth)
  cloth:pin { vertices = { 1, 7 } }
  return world
end

local function assert_near_positions(expected, cloth, tolerance)
  for i, p in ipairs(cloth.positions:table()) do
    for k = 1, 3 do
      assert.near(expected[i][k], p[k], tolerance)
    end
  end
end

describe("The models of a cloth", function()
  it("are weave and plate, and say so where they are others", function()
    local cloth = sheet()
    assert.equal("weave", cloth.membrane)
    assert.equal("plate", cloth.bending)
    assert.falsy(tostring(cloth):find("membrane", 1, true))
    cloth.membrane = "green"
    assert.equal("green", cloth.membrane)
    assert.truthy(tostring(cloth):find("of wool; membrane green)", 1, true))
    cloth.bending = "projected Laplacian as published"
    assert.truthy(tostring(cloth):find("; membrane green; bending projected Laplacian as published)", 1, true))
  end)

  it("named are those that are there anyway, to the last bit", function()
    local function hash(membrane, bending)
      local world = hang(sheet { membrane = membrane, bending = bending })
      world:step(10)
      return world:hash()
    end
    assert.equal(hash(), hash("weave", "plate"))
    assert.not_equal(hash(), hash("green"))
  end)

  it("share the faces between them", function()
    local states = {}
    for _, membrane in ipairs { "weave", "green", "edge springs" } do
      states[membrane] = { whole = hang(two_fabrics { membrane = membrane }) }
      states[membrane].whole:step(20)
    end
    local mixed = two_fabrics { membrane = { wool = "green", other = "edge springs" } }
    local world = hang(mixed)
    world:step(20)
    assert.same({ "green", "edge springs" }, mixed.membrane)
    assert.truthy(tostring(mixed):find("membrane of several kinds", 1, true))
    local energy = world:energy()
    assert.is_true(energy.models.green > 0 and energy.models["edge springs"] > 0 and energy.models.plate > 0)
    assert.is_nil(energy.models.weave)
    assert.near(energy.membrane, energy.models.green + energy.models["edge springs"], 1e-15)
    -- the same energies at one place: the parts of the mixed cloth add up to what each has of the whole
    local function parts_at_rest(choice)
      local cloth = two_fabrics { membrane = choice }
      local w = weft.world()
      w:add(cloth)
      cloth:pin { vertices = { 1, 7, 36 } }
      w:step(5)
      return cloth, w
    end
    local cloth, w = parts_at_rest "green"
    local all = w:energy().membrane
    cloth.membrane = { other = "weave" }
    local left = w:energy().models.green
    cloth.membrane = { default = "green", wool = "weave" }
    local right = w:energy().models.green
    assert.is_true(left > 0.05 * all and right > 0.05 * all)
    assert.near(all, left + right, 1e-12 * all)
    cloth.bending = { "projected Laplacian as published", "plate" }
    local half = w:energy().models.plate
    cloth.bending = { "plate", "projected Laplacian as published" }
    local other_half = w:energy().models.plate
    cloth.bending = "plate"
    assert.near(w:energy().bending, half + other_half, 1e-12 * w:energy().bending)
  end)

  it("are near to each other under small strains, each by itself and mixed", function()
    local expected
    for _, membrane in ipairs { "weave", "green", { wool = "green", other = "weave" } } do
      local cloth = two_fabrics { membrane = membrane }
      local world = hang(cloth, { damping = 5, tolerance = 1e-8 })
      world:step(200)
      expected = expected or cloth.positions:table()
      assert_near_positions(expected, cloth, 2e-3)
      assert.is_true(cloth.positions:table()[39][2] < -0.1)
    end
  end)

  it("can be changed between steps: what follows is as if it had been so", function()
    local function state(first, second)
      local cloth = sheet { membrane = first }
      local world = hang(cloth)
      cloth.membrane = second
      world:step(5)
      return world:hash()
    end
    assert.equal(state("green", "edge springs"), state("edge springs", "edge springs"))
    local cloth = sheet()
    local world = hang(cloth)
    for _, membrane in ipairs { "green", "edge springs", "weave" } do
      cloth.membrane = membrane
      world:step(10)
      assert.is_true(world:energy().models[membrane] > 0)
    end
  end)

  it("of one cloth do not touch another's", function()
    local function positions(choices)
      local world, last = weft.world { self_contact = false, tolerance = 1e-12 }, nil
      for i, membrane in ipairs(choices) do
        last = world:add(sheet { membrane = membrane, centre = { 0, 0, 3 * (i - #choices) } })
        last:pin { vertices = { 1, 7 } }
      end
      world:step(5)
      return last.positions:table(), last
    end
    local alone = positions { "green" }
    local _, together = positions { "weave", "edge springs", "green" }
    assert_near_positions(alone, together, 1e-9)
  end)

  it("keep momentum, and the same bits for any number of threads", function()
    local before = weft.threads()
    local hashes = {}
    for threads = 1, 2 do
      weft.threads(threads)
      local cloth = weft.sheet { cells = { 40, 40 }, size = { 0.5, 0.5 }, membrane = "green" }
      local world = weft.world { gravity = { 0, 0, 0 }, tolerance = 1e-10 }
      world:add(cloth)
      local velocities = {}
      for i = 1, cloth.vertices do
        velocities[i] = { math.sin(i), 0.3 * math.cos(3 * i), 1 + math.sin(2 * i) }
      end
      cloth:assign { velocities = velocities }
      local start = world:momentum()
      world:step(5)
      local finish = world:momentum()
      for k = 1, 3 do
        assert.near(start.linear[k], finish.linear[k], 1e-9)
      end
      hashes[threads] = world:hash()
    end
    weft.threads(before)
    assert.equal(hashes[1], hashes[2])
  end)

  it("stay with the faces through sewing and merging", function()
    -- two squares with a gap between them, of two fabrics, are sewn along three vertices
    local function square(x)
      return { { x, 0, 0 }, { x + 0.1, 0, 0 }, { x, 0, -0.1 }, { x + 0.1, 0, -0.1 }, { x, 0, -0.2 },
        { x + 0.1, 0, -0.2 } }
    end
    local vertices, rest, faces = {}, {}, {}
    for half = 0, 1 do
      for i, p in ipairs(square(0.12 * half)) do
        vertices[6 * half + i], rest[6 * half + i] = p, { p[1], -p[3] }
      end
      for row = 0, 1 do
        local a = 6 * half + 2 * row + 1
        faces[#faces + 1] = { a, a + 1, a + 3 }
        faces[#faces + 1] = { a, a + 3, a + 2 }
      end
    end
    local other = weft.fabric { base = "polyester", name = "other" }
    local cloth = weft.cloth { vertices = vertices, rest = rest, faces = faces,
      fabric = { weft.fabric.wool, other }, face_fabric = { 1, 1, 1, 1, 2, 2, 2, 2 },
      stitches = { { 2, 7 }, { 4, 9 }, { 6, 11 } }, membrane = { wool = "green", other = "edge springs" } }
    local world = weft.world()
    world:add(cloth)
    world:sew(cloth)
    assert.equal(0, cloth.stitches)
    assert.same({ "green", "edge springs" }, cloth.membrane)
    cloth:pin { vertices = { 1 } }
    world:step(10)
    local models = world:energy().models
    assert.is_true(models.green > 0 and models["edge springs"] > 0 and models.weave == nil)
  end)

  it("step with every scheme", function()
    for _, scheme in ipairs(weft.step.schemes()) do
      for _, membrane in ipairs { "green", "edge springs" } do
        local cloth = sheet { membrane = membrane, cells = { 4, 3 } }
        local made, world = pcall(weft.world, { integrator = scheme.name, time_step = 1e-4, self_contact = false })
        if made then -- "runge kutta" needs a tableau
          world:add(cloth)
          cloth:pin { vertices = { 1, 5 } }
          world:step(5)
          local fallen = select(2, cloth.positions:get(13))
          assert.near(-0.5 * 9.81 * 5e-4 ^ 2, fallen, 1e-6, scheme.name)
        end
      end
    end
  end)

  it("take the same step of backward Euler with every scheme that finds one, iterated to the end", function()
    for _, membrane in ipairs { "green", "edge springs" } do
      local expected
      for _, integrator in ipairs {
        { scheme = "backward euler", newton = "full", newton_tolerance = 1e-10, newton_iterations = 50 },
        { scheme = "xpbd", substeps = 1, iterations = 600 },
        { scheme = "projective dynamics", iterations = 600 },
        { scheme = "vertex block descent", iterations = 1500 },
      } do
        local cloth = sheet { membrane = membrane, cells = { 4, 3 } }
        local world = weft.world { integrator = integrator, time_step = 0.01, tolerance = 1e-12, self_contact = false }
        world:add(cloth)
        cloth:pin { vertices = { 1, 5 } }
        world:step(12)
        expected = expected or cloth.positions:table()
        assert_near_positions(expected, cloth, 1e-6)
      end
    end
  end)

  it("whose force is no gradient are refused, by name, by schemes that need energies", function()
    local world = weft.world { integrator = "xpbd" }
    world:add(sheet { bending = "projected Laplacian as published" })
    local message = message_of(world.step, world)
    assert.truthy(message:find("xpbd needs the energies of elements", 1, true), message)
  end)

  it("refuse what they cannot be, and stay as they were", function()
    local cloth = two_fabrics {}
    assert.equal('weft.cloth: membrane: no membrane is named "gren"; did you mean "green"?',
      message_of(function() cloth.membrane = "gren" end))
    assert.equal('weft.cloth: membrane: no membrane is named "plate"; weft.model.list() lists them all',
      message_of(function() cloth.membrane = "plate" end))
    assert.equal('weft.cloth: membrane: the cloth has no fabric "othr"; did you mean "other"?',
      message_of(function() cloth.membrane = { wool = "green", othr = "green" } end))
    assert.equal("weft.cloth: bending: the cloth has no fabric 3",
      message_of(function() cloth.bending = { [3] = "plate" } end))
    assert.equal("weft.cloth: membrane must be the name of a model, or a table of names by fabric, got 7",
      message_of(function() cloth.membrane = 7 end))
    assert.equal("weft.cloth: membrane must be a string, got {}",
      message_of(function() cloth.membrane = { wool = {} } end))
    assert.equal('weft.sheet: membrane: no membrane is named "grean"; did you mean "green"?',
      message_of(weft.sheet, { membrane = "grean" }))
    assert.equal("weave", cloth.membrane)
    assert.equal("weft.cloth: face_fabric must name a fabric for each of the 1 faces, got 2", message_of(weft.cloth, {
      vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } },
      faces = { { 1, 2, 3 } }, face_fabric = { 1, 1 } }))
  end)

  it("give everything back when memory runs out", function()
    local cloth = two_fabrics {}
    support.fail_each_allocation(function()
      cloth.membrane = { wool = "green", other = "edge springs" }
      cloth.membrane = "weave"
    end)
  end)
end)
