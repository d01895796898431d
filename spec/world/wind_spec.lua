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

  it("is that of each face, in every cloth, through sewing too", function()
    --- The sum over faces of the law, with the cloth as it is; its corners do not move.
    local function brute_force(cloth, wind, air)
      local sum = { 0, 0, 0 }
      for f = 1, cloth.triangles do
        local corners = {}
        for k, vertex in ipairs { cloth.faces:get(f) } do
          corners[k] = { cloth.positions:get(vertex) }
        end
        local a, b, c = corners[1], corners[2], corners[3]
        local ux, uy, uz = b[1] - a[1], b[2] - a[2], b[3] - a[3]
        local vx, vy, vz = c[1] - a[1], c[2] - a[2], c[3] - a[3]
        local n = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx }
        local area = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2) / 2
        local force = weft.wind.face_force { normal = n, area = area, wind = wind, density = 1.3, air = air }
        for k = 1, 3 do
          sum[k] = sum[k] + force[k]
        end
      end
      return sum
    end
    local world, wind = weft.world { self_contact = false }, { 5, 2, -4 }
    world.wind:add(weft.wind.uniform { velocity = { 5, 0, 0 } })
    world.wind:add(weft.wind.uniform { velocity = { 0, 2, -4 } })
    world.wind.density = 1.3
    local laws = { { law = "keckeisen", lift = 0.5 }, false, { law = "plate", porosity = 0.3 } }
    local cloths = {
      world:add(weft.sheet { cells = { 5, 3 }, warp = { 0, 1, 0 } }),
      world:add(weft.sheet { cells = { 2, 2 }, centre = { 0, 3, 0 } }),
      world:add(weft.cloth { -- two triangles, to be sewn along one edge
        vertices = { { 0, 0, 5 }, { 0.1, 0, 5 }, { 0, 0.1, 5 }, { 0.11, 0.01, 5.01 }, { 0.11, 0.11, 5.01 },
          { 0.01, 0.11, 5.01 } },
        rest = { { 0, 0 }, { 0.1, 0 }, { 0, 0.1 }, { 0.3, 0 }, { 0.3, 0.1 }, { 0.2, 0.1 } },
        faces = { { 1, 2, 3 }, { 4, 5, 6 } }, stitches = { { 2, 4 }, { 3, 6 } },
      }),
    }
    local function hold_all()
      for k, cloth in ipairs(cloths) do
        local all = {}
        for i = 1, cloth.vertices do
          all[i] = i
        end
        if k < 3 then
          cloth:pin { vertices = all }
        else
          cloth:pin { vertices = { 1, 2, 3, 4, 5, 6 } } -- as they were given
        end
        cloth.air = laws[k]
      end
      world:step(2)
      for k, cloth in ipairs(cloths) do
        local expected = laws[k] and brute_force(cloth, wind, laws[k]) or { 0, 0, 0 }
        close(expected, cloth:air_force().force, 1e-12, "cloth " .. k)
      end
    end
    hold_all()
    cloths[3]:unpin()
    cloths[3]:pin { vertices = { 1 } }
    world:sew(cloths[3], { duration = 0.3, relax_time = 0.1 })
    assert.equal(4, cloths[3].vertices)
    hold_all()
    world:remove(cloths[1])
    table.remove(cloths, 1)
    table.remove(laws, 1)
    table.insert(cloths, 2, cloths[1]) -- the sewn one stays third
    table.insert(laws, 2, laws[1])
    hold_all()
  end)

  it("has the same bits with any number of threads and every instruction set", function()
    local function run(scheme)
      local world, hashes = weft.world { integrator = scheme }, {}
      local flag = world:add(weft.sheet { cells = { 20, 15 }, size = { 0.8, 0.6 }, warp = { 0, 1, 0 } })
      flag:pin { vertices = { 1, 148, 316 } }
      flag.air = { law = "keckeisen" }
      -- Numbers of faces that fill no whole vectors.
      for k, law in ipairs { "plate", "keckeisen printed", "kang printed" } do
        local sheet = world:add(weft.sheet { cells = { 2 * k + 5, 3 }, centre = { 0, -2 * k, 0 }, warp = { 0, 1, 0 } })
        sheet.air = { law = law }
      end
      world.wind:add(weft.wind.uniform { velocity = { 7, 1, 3 } })
      world:step(2)
      hashes[1] = world:hash()
      for k = 1, 3 do
        hashes[1 + k] = flag:air_force().moment[k]
      end
      return hashes
    end
    local best, sets = weft.instruction_set()
    for _, scheme in ipairs { "backward euler", "xpbd", { scheme = "bdf2", newton = "full" } } do
      local expected = run(scheme)
      weft.threads(2)
      assert.same(expected, run(scheme))
      weft.threads(1)
      for _, set in ipairs(sets) do
        weft.instruction_set(set)
        assert.same(expected, run(scheme))
      end
      weft.instruction_set(best)
    end
  end)

  it("counts what it does to cloth that it holds against a body", function()
    for _, contact in ipairs { "impulses", "barrier", "geometric" } do
      local world = weft.world { time_step = 1 / 120, contact = contact, gravity = { 0, 0, 0 } }
      world:add(weft.body {
        vertices = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 }, { 0, 0, -0.5 } },
        faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 2, 1, 5 }, { 3, 2, 5 }, { 4, 3, 5 }, { 1, 4, 5 } },
      })
      local sheet = world:add(weft.sheet { cells = { 8, 8 }, size = { 0.8, 0.8 }, centre = { 0, 0, 0.1 },
        warp = { 0, 1, 0 }, fabric = fabric_of(0.1) })
      world.wind:add(weft.wind.uniform { velocity = { 0, 0, -10 } })
      local before, way, parts = world:energy().total, 0, 0
      for _ = 1, 60 do
        world:step()
        parts, way = parts + world.stats.parts, way + world.stats.air_work
        local energy, stats = world:energy().total, world.stats
        assert.is_true(energy - before <= stats.air_work + stats.body_work + 1e-4, contact)
        before = energy
      end
      assert.is_true(parts <= 62, ("%s: %d parts"):format(contact, parts)) -- it is not taken for contact's gain
      -- At most all of the pressure over all of the way, at least half of it: it flies at less than half the wind.
      local most = 0.5 * 1.2 * 1.17 * 100 * 0.64 * 0.1
      assert.is_true(way < most and way > 0.25 * most, ("%s: %g J of %g"):format(contact, way, most))
      if contact ~= "geometric" then -- whose solve knows nothing of contact, and lets the cloth give way to the wind
        near(most / 0.1, -sheet:air_force().force[3], 0.02, contact)
      end
    end
  end)

  it("is left alone by schemes that are tried out", function()
    local core = require "weft.core"
    local function hung()
      local world = weft.world()
      local flag = world:add(weft.sheet { cells = { 6, 6 }, warp = { 0, 1, 0 } })
      flag:pin { vertices = { 1, 43 } }
      world.wind:add(weft.wind.uniform { velocity = { 6, 0, 2 }, strength = { { 0, 0.5 }, { 1, 1.5 } } })
      world:step(5)
      return world, flag
    end
    local world, flag = hung()
    local hash, force = world:hash(), flag:air_force()
    local trial = core.step_trial(world)
    trial:begin("backward euler", world.time_step, world.tolerance)
    trial:advance(7)
    assert.equal(hash, world:hash())
    assert.same(force, flag:air_force())
    local other, twin = hung()
    other:step(7)
    local tried = trial:positions()
    local farthest = 0
    for i = 1, #tried do
      local x, y, z = tried:get(i)
      local nearest = math.huge -- a trial has its own order of vertices
      for j = 1, twin.vertices do
        local a, b, c = twin.positions:get(j)
        nearest = math.min(nearest, math.abs(x - a) + math.abs(y - b) + math.abs(z - c))
      end
      farthest = math.max(farthest, nearest)
    end
    assert.is_true(farthest < 1e-3)
    trial:close()
    world:step(7)
    other:close()
    assert.is_true(world:hash() ~= hash)
  end)

  it("ends rest when it changes, and comes and goes without leaving a trace", function()
    local world, sheet = air_world { wind = { 0, 0, 3 }, across = "z", world = { gravity = { 0, 0, 0 } } }
    local all = {}
    for i = 1, sheet.vertices do
      all[i] = i
    end
    sheet:pin { vertices = all }
    world:step(40)
    assert.is_true(world.stats.rest_time > 0.5)
    world.wind.density = 1
    world:step()
    assert.is_true(world.stats.rest_time < 0.02)
    sheet.air = false
    world:step()
    assert.same({ 0, 0, 0 }, sheet:air_force().force)
    sheet.air = true
    world:step()
    assert.is_true(sheet:air_force().force[3] > 0)
    world.wind:clear()
    world:step()
    assert.same({ 0, 0, 0 }, sheet:air_force().force)
    assert.equal(0, #world.wind)
  end)
end)

describe("world.wind", function()
  it("is one object that lists its sources", function()
    local world = weft.world()
    local wind = world.wind
    assert.equal(wind, world.wind)
    local a, b = weft.wind.uniform { velocity = { 1, 0, 0 } }, weft.wind.uniform { velocity = { 0, 2, 0 } }
    assert.equal(a, wind:add(a))
    wind:add(b)
    assert.equal(2, #wind)
    assert.equal(b, wind[2])
    assert.is_nil(wind[3])
    assert.is_nil(wind[0])
    assert.is_nil(wind[1.5])
    assert.same({ 1, 2, 0 }, wind:at { 3, 4, 5 })
    local points = weft.buffer { count = 2 }
    local velocities = weft.buffer { count = 2 }
    assert.equal(velocities, wind:at(points, velocities))
    assert.same({ 1, 2, 0 }, { velocities:get(2) })
    assert.same({ 1, 2, 0 }, { wind:at(points):get(1) })
    wind:remove(a)
    assert.equal(b, wind[1])
    assert.equal(1, #wind)
    assert.equal("weft.world.wind (1 source, direct, air of 1.2 kg/m3)", tostring(wind))
    collectgarbage()
    collectgarbage()
    assert.equal("uniform", wind[1].kind)
    wind:clear()
    assert.equal("weft.world.wind (no air)", tostring(wind))
    assert.same({ 0, 0, 0 }, wind:at { 3, 4, 5 })
  end)

  it("is there again with its sources when its handle was closed", function()
    local world = weft.world()
    local closed = world.wind
    local source = closed:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
    local other = closed:add(weft.wind.uniform { velocity = { 0, 2, 0 } })
    closed:close()
    assert.is_true(closed.closed)
    local wind = world.wind
    assert.equal(wind, world.wind)
    assert.equal(2, #wind)
    assert.equal(source, wind[1])
    assert.same({ 1, 2, 0 }, wind:at { 0, 0, 0 })
    wind:remove(source)
    assert.equal(other, wind[1])
    world.wind:close()
    world.wind:clear()
    assert.equal(0, #world.wind)
    wind = world.wind
    world:close()
    assert.is_true(wind.closed)
  end)

  it("is left by sources that are closed", function()
    local world, second = weft.world(), weft.world()
    local source = world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
    local other = world.wind:add(weft.wind.uniform { velocity = { 0, 2, 0 } })
    second.wind:add(source)
    world.wind:close() -- its next handle knows them too
    source:close()
    assert.equal(1, #world.wind)
    assert.equal(0, #second.wind)
    assert.equal(other, world.wind[1])
    assert.same({ 0, 2, 0 }, world.wind:at { 0, 0, 0 })
    world.wind:remove(other)
    other:close()
    assert.equal(0, #world.wind)
  end)

  it("gives its source the time of the world", function()
    local world = weft.world { time_step = 0.1 }
    world.wind:add(weft.wind.uniform { velocity = { 10, 0, 0 }, strength = { { 0, 0 }, { 1, 1 } } })
    world:step(5)
    near(5, world.wind:at({ 0, 0, 0 })[1], 1e-12)
    local sheet = world:add(weft.sheet { cells = { 1, 1 }, warp = { 0, 1, 0 }, weft = { 0, 0, 1 } })
    sheet:pin { vertices = { 1, 2, 3, 4 } }
    world:step() -- the wind at its end
    near(0.5 * 1.2 * 1.17 * 36, sheet:air_force().force[1], 1e-9)
  end)

  it("refuses what is not right, and stays as it was", function()
    local world = weft.world()
    local wind, source = world.wind, weft.wind.uniform { velocity = { 1, 0, 0 } }
    wind:add(source)
    local function message(f, ...)
      return support.message_of(f, ...)
    end
    assert.matches("weft.world.wind.add: .*is in this wind already", message(wind.add, wind, source))
    assert.matches("weft.world.wind.add: source must be a weft.wind.source, got 3", message(wind.add, wind, 3))
    assert.matches("weft.world.wind.remove: .*not in this wind",
      message(wind.remove, wind, weft.wind.uniform { velocity = { 1, 0, 0 } }))
    for _, bad in ipairs { 0 / 0, -1, 1e300, "thick" } do
      assert.matches("weft.world.wind: density must be a number from 0 to 10000, got", message(function()
        wind.density = bad
      end))
    end
    assert.matches("model must be \"direct\", \"particles\" or \"flow\", got \"vacuum\"", message(function()
      wind.model = "vacuum"
    end))
    assert.matches("still_air must be", message(function()
      wind.still_air = 1
    end))
    assert.matches("there is no field 'densty'; did you mean 'density'", message(function()
      wind.densty = 1
    end))
    assert.matches("points must be three numbers", message(wind.at, wind, { 0, 0 / 0, 0 }))
    assert.matches("into must be a writable buffer of 2 points",
      message(wind.at, wind, weft.buffer { count = 2 }, weft.buffer { count = 3 }))
    local points = weft.buffer { count = 2 }
    assert.matches("into must not be the buffer of points", message(wind.at, wind, points, points))
    assert.equal(1, #wind)
    assert.equal(1.2, wind.density)
    world:close()
    assert.matches("closed", message(function()
      return wind.density
    end))
    assert.matches("closed", message(wind.add, wind, source))
    assert.matches("closed", message(function()
      return wind[1]
    end))
  end)

  it("knows how a cloth feels it", function()
    local sheet = weft.sheet { cells = { 1, 1 } }
    local defaults = { law = "plate", normal = 1.17, friction = 0.01, drag = 1.17, lift = 1, porosity = 0,
      permeability = 0 }
    assert.same(defaults, sheet.air)
    sheet.air = { law = "keckeisen", drag = 2 }
    assert.same(support.with(defaults, { law = "keckeisen", drag = 2 }), sheet.air)
    sheet.air = false
    assert.equal(false, sheet.air)
    sheet.air = true
    assert.equal("plate", sheet.air.law)
    local function message(value)
      return support.message_of(function()
        sheet.air = value
      end)
    end
    assert.matches("air must be a table such as", message(3))
    assert.matches("unknown option 'drga'; did you mean 'drag'", message { drga = 1 })
    assert.matches("drag must be a number from 0 to 1000, got %-1", message { drag = -1 })
    assert.matches("normal must be a number from 0 to 1000", message { normal = 0 / 0 })
    assert.matches("law of air is", message { law = "wing" })
    assert.equal("plate", sheet.air.law)
    assert.matches("the cloth is in no world", support.message_of(sheet.air_force, sheet))
  end)
end)
