-- Air in worlds: its force in the solve, against closed solutions, conservation laws and frames of reference.

local support = require "spec.support"
local weft = require "weft"

local near = support.near

local function fabric_of(density)
  local fabric = weft.fabric.preset "wool"
  fabric.density = density or 0.26
  fabric.viscosity = 0
  return fabric
end

--- A flat cloth of equilateral triangles, cells by cells parallelograms of 0.1 m, that lies and faces up, or with
--- `across` stands and faces along z. Each of its vertices has a third of the mass of every face around it, as it
--- has of the force, so that it stays flat in even flow.
local function lattice(options)
  local cells, side = options.cells or 4, 0.1
  local vertices, rest, faces = {}, {}, {}
  for j = 0, cells do
    for i = 0, cells do
      local u, v = side * (i + 0.5 * j), side * math.sqrt(0.75) * j
      rest[#rest + 1] = { u, v }
      vertices[#vertices + 1] = options.across == "z" and { u, v, 0 } or { u, 0, -v }
    end
  end
  local function at(i, j)
    return j * (cells + 1) + i + 1
  end
  for j = 0, cells - 1 do
    for i = 0, cells - 1 do
      faces[#faces + 1] = { at(i, j), at(i + 1, j), at(i, j + 1) }
      faces[#faces + 1] = { at(i + 1, j), at(i + 1, j + 1), at(i, j + 1) }
    end
  end
  local area = 2 * cells ^ 2 * math.sqrt(0.75) / 2 * side ^ 2
  return weft.cloth { vertices = vertices, rest = rest, faces = faces, fabric = options.fabric }, area
end

--- A world with a lattice in wind, or in still air.
local function air_world(options)
  local world = weft.world(support.with({ self_contact = false, tolerance = 1e-12 }, options.world or {}))
  local cloth, area = lattice(options)
  world:add(cloth)
  if options.wind then
    world.wind:add(weft.wind.uniform { velocity = options.wind })
  else
    world.wind.still_air = true
  end
  cloth.air = options.air or true
  return world, cloth, area
end

--- Gives all vertices the velocity that f makes of their positions.
local function set_velocities(sheet, f)
  local velocities = weft.buffer { count = sheet.vertices }
  for i = 1, sheet.vertices do
    velocities:set(i, f(sheet.positions:get(i)))
  end
  sheet:assign { velocities = velocities }
end

--- Calls f with each vector of a buffer.
local function each(sheet, buffer, f)
  for i = 1, sheet.vertices do
    f(buffer:get(i))
  end
end

local function close(expected, got, tolerance, what)
  for k = 1, 3 do
    assert.is_true(math.abs(expected[k] - got[k]) <= tolerance, ("%s: expected {%.12g, %.12g, %.12g}, "
      .. "got {%.12g, %.12g, %.12g}"):format(what or "vector", expected[1], expected[2], expected[3], got[1], got[2],
      got[3]))
  end
end

local plate = { law = "plate", normal = 1, friction = 0 }

describe("The air of a world", function()
  it("is none without wind: the bits of a world that never heard of it", function()
    local hashes = {}
    for k = 1, 3 do
      local world = weft.world {}
      local sheet = world:add(weft.sheet { cells = { 8, 8 }, warp = { 0, 1, 0 } })
      sheet:pin { vertices = { 1, 9 } }
      if k == 2 then
        world.wind.density = 3
        sheet.air = { normal = 2 }
        assert.same({ force = { 0, 0, 0 }, moment = { 0, 0, 0 } }, sheet:air_force())
      elseif k == 3 then
        local source = world.wind:add(weft.wind.uniform { velocity = { 5, 0, 0 } })
        world.wind:remove(source)
      end
      world:step(20)
      hashes[k] = world:hash()
      assert.equal(0, world.stats.air_work)
    end
    assert.equal(hashes[1], hashes[2])
    assert.equal(hashes[1], hashes[3])
  end)

  it("lets flat sheets fall at their terminal velocities (T33)", function()
    -- m g = rho/2 C_D v^2 per area: woven wool and viscose, wool, polyester and polyamide
    for _, law in ipairs { { law = "keckeisen", drag = 1, lift = 1 }, plate } do
      for _, v in ipairs { 1.939, 2.062, 1.667 } do
        local density = 0.5 * 1.2 * v * v / 9.81
        local world, sheet, area = air_world { fabric = fabric_of(density), air = law }
        world:step(180)
        each(sheet, sheet.velocities, function(x, y, z)
          close({ 0, -v, 0 }, { x, y, z }, 1e-4, "velocity")
        end)
        near(density * 9.81 * area, sheet:air_force().force[2], 1e-4)
      end
    end
  end)

  it("lets a sheet fall as ln cosh (T36), with the order of the scheme", function()
    -- h(t) = (v^2 / g) ln cosh (g t / v)
    local v, g = 2, 9.81
    local expected = v * v / g * math.log((math.exp(g / v) + math.exp(-g / v)) / 2)
    local schemes = { ["backward euler"] = 1, bdf2 = 2, ["implicit midpoint"] = 2, trapezoid = 2, alpha = 1,
      ["explicit midpoint"] = 2, rk4 = 4, xpbd = 1, ["vertex block descent"] = 1, ["projective dynamics"] = 1 }
    for scheme, order in pairs(schemes) do
      local errors, explicit = {}, scheme == "explicit midpoint" or scheme == "rk4"
      for k, h in ipairs(explicit and { 1 / 4000, 1 / 8000 } or { 1 / 100, 1 / 200 }) do
        local world, sheet = air_world { fabric = fabric_of(0.5 * 1.2 * v * v / g), air = plate, cells = 1,
          world = { time_step = h, integrator = scheme } }
        local start = sheet:momentum().centre[2]
        world:step(math.floor(1 / h + 0.5))
        local fallen = start - sheet:momentum().centre[2]
        errors[k] = math.abs(fallen - expected)
        each(sheet, sheet.positions, function(_, y)
          assert.is_true(math.abs(y + fallen) < 1e-6, scheme)
        end)
      end
      local measured = math.log(errors[1] / errors[2]) / math.log(2)
      assert.is_true(errors[2] < 1e-9 or math.abs(measured - order) < 0.3,
        ("%s: order %.2f, error %g"):format(scheme, measured, errors[2]))
    end
  end)

  it("gives free cloth the momentum of force times time", function()
    for _, integrator in ipairs { "backward euler", { scheme = "backward euler", newton = "full",
      newton_tolerance = 1e-13 } } do
      local world, sheet = air_world { wind = { 3, 1, -2 }, world = { integrator = integrator, gravity = { 0, 0, 0 } } }
      set_velocities(sheet, function(x, y, z)
        return 2 * y - z, x - 1, 3 * x + z
      end)
      for _ = 1, 20 do
        local before = sheet:momentum().linear
        world:step()
        local after, force = sheet:momentum().linear, sheet:air_force().force
        local expected = {}
        for k = 1, 3 do
          expected[k] = (after[k] - before[k]) * 60
        end
        close(expected, force, 1e-10, "force")
        assert.is_true(math.abs(force[1]) > 1e-3)
      end
    end
  end)

  it("has the moment of its forces, and does their work", function()
    -- A plate that is held across the wind: rho/2 C_n A u^2 at its centre.
    local world, sheet, area = air_world { wind = { 0, 0, 5 }, across = "z", air = plate,
      world = { gravity = { 0, 0, 0 } } }
    local all = {}
    for i = 1, sheet.vertices do
      all[i] = i
    end
    sheet:pin { vertices = all }
    world:step()
    local total, centre = sheet:air_force(), sheet:momentum().centre
    local force = 0.5 * 1.2 * area * 25
    close({ 0, 0, force }, total.force, 1e-12)
    close({ centre[2] * force, -centre[1] * force, 0 }, total.moment, 1e-12)
    assert.equal(0, world.stats.air_work)
    -- Pulled against it at 1 m/s it takes 36 / 25 as much, and the work of the wind is minus what the pins do.
    local targets = {}
    each(sheet, sheet.positions, function(x, y, z)
      targets[#targets + 1] = { x, y, z - 1 / 60 }
    end)
    sheet:pin { vertices = all, targets = targets }
    world:step()
    local kinetic = world:energy().kinetic -- pins have their speed at once
    near(-force * 36 / 25 / 60, world.stats.air_work, 1e-9)
    near(-world.stats.air_work + kinetic, world.stats.pin_work, 1e-9)
  end)

  it("is the same in a frame that moves with the wind, to rounding", function()
    -- Wind past cloth at rest, and still air with cloth that flies through it.
    for _, integrator in ipairs { "backward euler", "bdf2", "xpbd", "vertex block descent",
      { scheme = "bdf2", newton = "full", newton_tolerance = 1e-13 } } do
      local u = { 4, 1.5, -3 }
      local positions = {}
      for k = 1, 2 do
        local world, sheet = air_world { wind = k == 1 and u or nil,
          world = { integrator = integrator, gravity = { 0, 0, 0 } } }
        set_velocities(sheet, function(x, y, z)
          local part = k == 1 and 0 or 1
          return z - part * u[1], x + y - part * u[2], 0.5 * x - part * u[3]
        end)
        world:step(30)
        positions[k] = {}
        each(sheet, sheet.positions, function(x, y, z)
          table.insert(positions[k], { x, y, z })
        end)
      end
      for i, p in ipairs(positions[2]) do
        close(positions[1][i], { p[1] + 0.5 * u[1], p[2] + 0.5 * u[2], p[3] + 0.5 * u[3] }, 1e-7,
          type(integrator) == "table" and "newton" or integrator)
      end
    end
  end)

  it("only takes energy while it is still", function()
    for _, integrator in ipairs { "backward euler", "bdf2", "xpbd", "projective dynamics", "vertex block descent",
      { scheme = "backward euler", newton = "full" } } do
      local world, sheet = air_world { cells = 8, world = { integrator = integrator } }
      sheet:pin { vertices = { 1 } }
      local before = world:energy()
      for _ = 1, 60 do
        world:step()
        local energy = world:energy()
        assert.is_true(energy.total <= before.total + 1e-9,
          ("%s: %.12g after %.12g"):format(tostring(integrator), energy.total, before.total))
        before = energy
      end
      assert.is_true(before.kinetic > 1e-3)
    end
  end)
end)
