-- The option `contact` of worlds: what answers contact, and with which schemes.

local weft = require "weft"
local shapes = require "spec.contact.shapes"
local message_of = require("spec.support").message_of

local responses = { "impulses", "penalty", "geometric", "constraints" }

local function ball(radius)
  local scene = shapes.scene()
  shapes.add_sphere(scene, 12, { 0, 0, 0 }, radius)
  return weft.body { vertices = scene.points, faces = scene.body }
end

local function draped(options, steps)
  local world = weft.world(options)
  local body = world:add(ball(0.06))
  local sheet = world:add(weft.sheet { cells = { 12, 12 }, size = { 0.24, 0.24 }, centre = { 0.003, 0.064, 0.002 } })
  world:step(steps or 40)
  return world, sheet, body
end

describe("the response of a world to contact", function()
  it("is named, impulses by default, and can be changed between steps", function()
    local world = weft.world()
    assert.equal("impulses", world.contact)
    assert.equal("penalty", weft.world({ contact = "penalty" }).contact)
    world.contact = "penalty"
    assert.equal("penalty", world.contact)
  end)

  it("is refused where it is not known, and then stays", function()
    local world = weft.world { contact = "penalty" }
    assert.matches("there is no contact response 'penalti'; did you mean 'penalty'%?", message_of(function()
      world.contact = "penalti"
    end))
    assert.matches("there is no contact response 'of my own'", message_of(weft.world, { contact = "of my own" }))
    assert.matches("contact", message_of(weft.world, { contact = 7 }))
    assert.equal("penalty", world.contact)
    world:step()
  end)

  it("is refused with schemes that it does not go with", function()
    for _, integrator in ipairs { "bdf2", "xpbd", "verlet" } do
      assert.matches("contact 'constraints' needs a scheme that is implicit, with linear solves and without memory, " ..
        "which '" .. integrator .. "' is not", message_of(weft.world, { contact = "constraints",
          integrator = integrator }))
    end
    local world = weft.world { contact = "constraints" }
    assert.matches("which 'xpbd' is not", message_of(function()
      world.integrator = "xpbd"
    end))
    assert.same({ "backward euler", "constraints" }, { world.integrator, world.contact })
    world.integrator = "trapezoid"
  end)

  it("constraints keep their distance under load, where springs give way", function()
    local function overlap(response)
      local world = weft.world { contact = response, floor = true, contact_stiffness = 1e4, tolerance = 1e-8 }
      local sheet = world:add(weft.sheet { cells = { 3, 3 }, size = { 0.1, 0.1 }, centre = { 0, 0.0005, 0 } })
      world:step(60)
      local sum = 0
      for i = 1, sheet.vertices do
        sum = sum + (0.0005 - select(2, sheet.positions:get(i))) / sheet.vertices
      end
      return sum
    end
    assert.is_true(overlap "impulses" > 1e-4 and math.abs(overlap "constraints") < 2e-6)
  end)

  it("constraints push cloth out of a collider of any size that has turned into it", function()
    local world = weft.world { time_step = 1 / 60, contact = "constraints", floor = 0 }
    local size = 1000
    local cylinder = world:add(weft.collider.cylinder { radius = size / 2, from = { 0, 0, 0 }, to = { 0, size, 0 },
      friction = 10 })
    for k, options in ipairs { { 1, 0 }, { 2, 10 }, { 1.5, 10.001 } } do
      local sheet = world:add(weft.sheet { cells = { 3, 3 }, size = { options[1] * size, options[1] * size },
        centre = { 0, size + 0.1 + options[2], 0 } })
      if k == 2 then
        sheet:pin { vertices = { 1, 4, 16 } }
      end
    end
    for step = 1, 15 do
      if step >= 8 and step % 3 == 0 then
        cylinder.orientation = { (step * 0.377) % 1, 0.3, 0.1, 1 }
      end
      world:step()
    end
    assert.equal(15, world.steps)
  end)

  it("is part of the state", function()
    local hashes = {}
    for _, response in ipairs(responses) do
      local hash = weft.world({ contact = response }):hash()
      assert.is_nil(hashes[hash])
      hashes[hash] = true
    end
  end)

  for _, response in ipairs(responses) do
    it(response .. " keeps cloth that falls on a ball free of intersections, with every kind of scheme", function()
      local schemes = response == "constraints" and { "backward euler", "implicit midpoint" }
        or { "backward euler", "bdf2", "xpbd", "vertex block descent" }
      for _, integrator in ipairs(schemes) do
        local world, sheet, body = draped { contact = response, integrator = integrator }
        assert.equal(0, weft.inspect.intersections(sheet).count, integrator)
        assert.equal(0, weft.inspect.intersections(sheet, body).count, integrator)
        local lowest = math.huge
        for i = 1, sheet.vertices do
          lowest = math.min(lowest, select(2, sheet.positions:get(i)))
        end
        assert.is_true(lowest < -0.05, "it hangs down") -- not a sheet that stays where it was
        assert.is_true(world.stats.contacts > 10)
      end
    end)

    it(response .. " has the same bits for any number of threads", function()
      local hash = {}
      for _, threads in ipairs { 1, 4 } do
        weft.threads(threads)
        hash[threads] = draped({ contact = response }, 25):hash()
        weft.threads(1)
      end
      assert.equal(hash[1], hash[4])
    end)
  end

  it("geometric passes a push on through all layers of a stack within the step", function()
    local layers, gap, thickness, size = 16, 0.001, 0.0004, 0.1
    local world = weft.world { contact = "geometric", gravity = { 0, 0, 0 }, time_step = 1 / 120 }
    local fabric = weft.fabric { base = "wool", thickness = thickness }
    local corners = { { -0.1, 0, -0.1 }, { 0.1, 0, -0.1 }, { 0.1, 0, 0.1 }, { -0.1, 0, 0.1 } }
    local function at(height)
      local points = {}
      for i, p in ipairs(corners) do
        points[i] = { p[1], height, p[3] }
      end
      return points
    end
    local top = gap * layers
    local press = world:add(weft.body { vertices = at(top), faces = { { 1, 2, 3 }, { 1, 3, 4 } },
      thickness = 0.5 * thickness })
    local sheets = {}
    for k = 1, layers do
      sheets[k] = world:add(weft.sheet { cells = { 6, 6 }, size = { size, size }, fabric = fabric,
        centre = { 0, gap * (k - 1), 0 } })
    end
    for step = 1, 12 do
      press:move { positions = at(top - 0.1 * step / 120) }
      world:step()
      assert.equal(0, world.stats.backed_off)
    end
    -- The plate has gathered all layers above the first that keeps its distance to it; each keeps its own.
    local plate, touched = top - 0.1 * 12 / 120, 0
    for k = layers, 1, -1 do
      local expected = math.min(gap * (k - 1), plate - thickness * (layers - k + 1))
      touched = touched + (expected < gap * (k - 1) and 1 or 0)
      for i = 1, sheets[k].vertices do
        local _, y = sheets[k].positions:get(i)
        assert.near(expected, y, 0.05 * thickness)
      end
    end
    assert.equal(layers, touched)
  end)

  it("penalty carries cloth on springs in explicit schemes too, as stiff as their step allows", function()
    -- On a floor a vertex of mass m and a third of its faces' area A sinks in by m g / (stiffness A) where the step
    -- resolves the spring, and otherwise by g h^2: the spring of stiffness m / h^2.
    local density, stiffness, size = 0.2, 2e5, 0.2
    local fabric = weft.fabric { density = density, stretch = { weft = 2, warp = 2, coupling = 0.4 }, shear = 1,
                                 bend = { weft = 0, warp = 0 }, thickness = 0.002 }
    for _, step in ipairs { 1 / 2000, 1 / 500 } do
      local world = weft.world { contact = "penalty", integrator = "symplectic euler", time_step = step, floor = true,
                                 damping = 30, contact_stiffness = stiffness, friction_speed = 0.1 }
      local sheet = world:add(weft.sheet { cells = { 2, 2 }, size = { size, size }, centre = { 0, 0.001, 0 },
                                           fabric = fabric })
      world:step(math.floor(1 / step))
      local area = {}
      for f = 1, sheet.triangles do
        for _, i in ipairs { sheet.faces:get(f) } do
          area[i] = (area[i] or 0) + size ^ 2 / sheet.triangles / 3
        end
      end
      for i = 1, sheet.vertices do
        local expected = 9.81 * math.max(sheet.masses:get(i) / (stiffness * area[i]), step ^ 2)
        local overlap = 0.001 - select(2, sheet.positions:get(i))
        assert.is_true(math.abs(overlap - expected) < 1e-3 * expected, ("%g instead of %g"):format(overlap, expected))
      end
      assert.is_true(world.stats.max_speed < 1e-6)
    end
  end)
end)
