local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

-- The square of the golden step: two triangles, corners in the order of the reference.
local function square(positions, fabric)
  return weft.cloth {
    vertices = positions,
    rest = { { 0, 0 }, { 0.1, 0 }, { 0.1, 0.1 }, { 0, 0.1 } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 } },
    fabric = fabric,
  }
end

local function close_to(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= tolerance, ("expected %.12g, got %.12g"):format(expected, got))
end

describe("weft.world", function()
  it("falls freely as backward Euler does: y = -g h^2 n (n + 1) / 2", function()
    for _, membrane in ipairs { "corotational", "corotational as published", "green" } do
      local world = weft.world { time_step = 0.02, tolerance = 1e-12 }
      local sheet = world:add(weft.sheet { cells = { 3, 3 }, fabric = weft.fabric.wool, membrane = membrane })
      world:step(50)
      local fallen = -9.81 * 0.02 ^ 2 * 50 * 51 / 2 -- -5.0031 m
      for i = 1, sheet.vertices do
        close_to(fallen, select(2, sheet.positions:get(i)), 1e-9)
        close_to(-9.81 * 0.02 * 50, select(2, sheet.velocities:get(i)), 1e-9)
      end
      close_to(1, world.time, 1e-12)
    end
  end)

  it("takes the reference's golden step of wool with two pins", function()
    local wool = weft.fabric.preset("wool", { reading = "thesis" })
    assert.equal(0.01, wool.viscosity)
    wool.bend = { weft = 0, warp = 0 } -- the reference has no bending here
    local cloth = square({ { 0, 0, 0 }, { 0.102, 0, 0 }, { 0.101, 0.1, 0.01 }, { 0, 0.101, 0.005 } }, wool)
    for i = 1, 4 do
      close_to(6.5e-4, cloth.masses:get(i), 1e-15)
    end
    local world = weft.world {
      time_step = 0.02, gravity = { 0, 0, -9.81 }, tolerance = 1e-14, self_contact = false,
    }
    cloth.membrane = "corotational as published"
    world:add(cloth)
    cloth:pin { vertices = { 1, 2 } }
    cloth:assign { velocities = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0.1 }, { 0, 0, 0 } } }
    world:step()
    local expected = {
      [3] = { -0.016058468, -0.017819869, -0.099309308 },
      [4] = { 0.026281619, -0.027789065, -0.196261744 },
    }
    for vertex, velocity in pairs(expected) do
      local got = { cloth.velocities:get(vertex) }
      for k = 1, 3 do
        close_to(velocity[k], got[k], 2e-9)
      end
    end
    assert.same({ 0, 0, 0 }, { cloth.positions:get(1) })
    assert.same({ 0.102, 0, 0 }, { cloth.positions:get(2) })
  end)

  it("halves its error when the step is halved", function()
    -- A sheet pinned at one edge swings down; the reference solution is a run with a 16 times smaller step.
    local function height_after(h)
      local world = weft.world { time_step = h, tolerance = 1e-10, self_contact = false }
      local sheet = world:add(weft.sheet {
        cells = { 4, 4 }, size = { 0.2, 0.2 }, fabric = weft.fabric.bend_resistant,
      })
      sheet:pin { vertices = { 1, 2, 3, 4, 5 } }
      world:step(math.floor(0.1 / h + 0.5))
      local sum = 0
      for i = 1, sheet.vertices do
        sum = sum + select(2, sheet.positions:get(i))
      end
      return sum / sheet.vertices
    end
    local exact = 2 * height_after(0.1 / 5120) - height_after(0.1 / 2560) -- extrapolated
    local coarse = height_after(0.1 / 320) - exact
    local fine = height_after(0.1 / 640) - exact
    local order = math.log(coarse / fine) / math.log(2)
    close_to(1, order, 0.1)
  end)

  it("stays finite and comes to rest with large steps, stiff cloth and thousands of triangles", function()
    local world = weft.world { time_step = 0.02, damping = 1 }
    local sheet = world:add(weft.sheet { cells = { 65, 64 }, fabric = weft.fabric.polyester })
    assert.is_true(sheet.triangles >= 8300)
    sheet:pin { vertices = { 1, 66 } }
    local most = 0
    for _ = 1, 150 do
      world:step()
      most = math.max(most, world:energy().kinetic)
    end
    local last = world:energy()
    assert.is_true(last.kinetic < 0.02 * most)
    assert.is_true(last.potential < 0 and last.membrane > 0 and last.bending > 0)
  end)

  it("moves pins to their targets exactly", function()
    local world = weft.world {}
    local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.2, 0.2 } })
    for k = 1, 10 do
      sheet:pin { vertices = { 1, 5 }, targets = { { -0.1, 0.01 * k, 0.1 }, { 0.1, 0.01 * k, 0.1 } } }
      world:step()
      close_to(0.01 * k, select(2, sheet.positions:get(1)), 1e-12)
      close_to(0.01 * k, select(2, sheet.positions:get(5)), 1e-12)
    end
    sheet:unpin()
    world:step()
    assert.is_true(select(2, sheet.velocities:get(1)) < 0.6)
  end)

  it("moves pins that are to go far in several steps", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    local sheet = world:add(weft.sheet { cells = { 2, 2 }, size = { 0.2, 0.2 } })
    local x0, y0, z0 = sheet.positions:get(1)
    sheet:pin { vertices = { 1 }, targets = { { x0, y0 + 1, z0 } } }
    world:step()
    close_to(y0 + 20 / 60, select(2, sheet.positions:get(1)), 1e-12) -- 20 m/s
    world:step(2)
    close_to(y0 + 1, select(2, sheet.positions:get(1)), 1e-12)
    assert.equal("weft.cloth.pin: the target of vertex 1 must be within 1e+06 m, got {1e+300, 0, 0}",
      message_of(sheet.pin, sheet, { vertices = { 1 }, targets = { { 1e300, 0, 0 } } }))
    local fast = {}
    for i = 1, 9 do
      fast[i] = { 0, i == 9 and 1e300 or 0, 0 }
    end
    assert.matches("the velocity of vertex 9 must be below 10000 m/s",
      message_of(sheet.assign, sheet, { velocities = fast }))
  end)

  it("does not call rest what contact holds back", function()
    local vertices, rest, faces = {}, {}, {}
    for layer = 0, 1 do -- of one cloth, in the same place: nothing tells their sides
      for k = 0, 8 do
        local x, z = 0.1 * (k % 3), 0.1 * math.floor(k / 3)
        vertices[#vertices + 1], rest[#rest + 1] = { x, 0, z }, { x + layer, -z }
      end
      for _, k in ipairs { 1, 2, 4, 5 } do
        local corner = 9 * layer + k
        faces[#faces + 1] = { corner, corner + 3, corner + 1 }
        faces[#faces + 1] = { corner + 1, corner + 3, corner + 4 }
      end
    end
    weft.on_warning(function() end)
    local world = weft.world { floor = -0.5 }
    world:add(weft.cloth { vertices = vertices, rest = rest, faces = faces, fabric = weft.fabric.wool })
    assert.is_false(world:run { seconds = 1, until_rest = true })
    weft.on_warning(nil)
    assert.is_true(world.stats.backed_off > 0)
  end)

  it("sees what its bodies are changed to", function()
    local world = weft.world()
    local body = world:add(weft.body {
      vertices = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 1 }, { 0, -0.5, 0 } },
      faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 2, 3, 4 }, { 3, 1, 4 } },
    })
    local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.2, 0.2 }, centre = { 0, 0.0015, -0.4 } })
    world:run { seconds = 0.5 }
    assert.is_true(select(2, sheet.positions:get(13)) < 0.002)
    body.thickness = 0.01
    world:run { seconds = 1, settle = 0.5 }
    assert.is_true(select(2, sheet.positions:get(13)) > 0.009)
  end)

  it("lets cloth rest on its floor", function()
    local world = weft.world { floor = 0 }
    local sheet = world:add(weft.sheet { cells = { 10, 10 }, size = { 0.2, 0.2 }, centre = { 0, 0.05, 0 } })
    assert.is_true(world:run { seconds = 3, until_rest = true })
    for i = 1, sheet.vertices do
      local y = select(2, sheet.positions:get(i))
      assert.is_true(y > 0 and y < 0.001)
    end
  end)

  it("has the same bits from run to run and for any number of threads", function()
    local function run(threads)
      weft.threads(threads)
      local world = weft.world { floor = 0 }
      world:add(weft.sheet { cells = { 30, 30 }, size = { 0.4, 0.4 }, centre = { 0, 0.1, 0 } })
      world:add(weft.sheet { cells = { 30, 30 }, size = { 0.3, 0.3 }, centre = { 0, 0.15, 0.02 } })
      world:step(30)
      weft.threads(1)
      return world:hash()
    end
    local first = run(1)
    assert.equal(first, run(1))
    assert.equal(first, run(2))
    assert.equal(first, run(3))
  end)

  it("reads back and changes what it was made with", function()
    local world = weft.world { time_step = 0.01, gravity = { 0, -1, 0 }, damping = 0.5, floor = 0.25 }
    assert.same({ 0.01, 0.5, 0.25, 0 }, { world.time_step, world.damping, world.floor, world.time })
    world:add(weft.sheet {})
    world:step(2)
    world.time_step = 0.02
    world:step(2)
    close_to(0.06, world.time, 1e-15)
    world.gravity = { 0, 0, 1 }
    world.floor = false
    assert.same({ 0, 0, 1 }, world.gravity)
    assert.is_false(world.floor)
    assert.equal("weft.world: damping must be from 0 to 10000, got -1",
      message_of(function() world.damping = -1 end))
    assert.equal(0.5, world.damping)
    assert.equal("weft.world: unknown option 'time_stp'; did you mean 'time_step'?",
      message_of(weft.world, { time_stp = 1 }))
    assert.equal("weft.world: steps cannot be set", message_of(function() world.steps = 3 end))
  end)

  it("removes what is a member, and nothing else", function()
    local world, other = weft.world {}, weft.world {}
    local triangle = { vertices = { { 0, 0, 9 }, { 1, 0, 9 }, { 0, 1, 9 } }, faces = { { 1, 2, 3 } } }
    for name, member in pairs {
      cloth = weft.sheet {}, body = weft.body(triangle), collider = weft.collider.sphere { radius = 0.1 },
      ["rigid body"] = weft.rigid { shape = "sphere", radius = 0.1 },
    } do
      local expected = ("weft.world.remove: the %s is not in this world"):format(name)
      local before = world:hash()
      assert.equal(expected, message_of(world.remove, world, member))
      assert.equal(before, world:hash())
      world:add(member)
      local with = world:hash()
      assert.equal(expected, message_of(other.remove, other, member))
      assert.equal(with, world:hash())
      world:remove(member)
      assert.equal(before, world:hash())
      assert.equal(expected, message_of(world.remove, world, member))
      world:add(member) -- it may come back
      world:remove(member)
    end
  end)

  it("keeps its members, and lets them go when they are closed", function()
    local world = weft.world {}
    local sheet = weft.sheet {}
    assert.equal(sheet, world:add(sheet))
    assert.matches("in this world already", message_of(world.add, world, sheet))
    local other = weft.world {}
    assert.matches("in another world already", message_of(other.add, other, sheet))
    world:remove(sheet)
    other:add(sheet)
    other:step()
    sheet:close()
    other:step()
    assert.equal(0, other.stats.vertices)
    assert.equal("weft.world.add: member is a closed weft.cloth", message_of(world.add, world, sheet))
    assert.equal("weft.world.add: member must be a weft.cloth, a weft.body, a weft.collider or a weft.rigid, got 3",
      message_of(world.add, world, 3))
    world:close()
    assert.matches("closed weft.world", message_of(world.step, world))
    local orphan = weft.sheet {}
    local short_lived = weft.world {}
    short_lived:add(orphan)
    short_lived:close()
    weft.world {}:add(orphan)
  end)

  --- One of each kind of member, in the way of what falls, by name.
  local function members()
    return {
      cloth = weft.sheet {},
      body = weft.body { vertices = { { 1, -1, 0 }, { -1, -1, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } },
      collider = weft.collider.sphere { radius = 0.1 },
      rigid = weft.rigid { shape = "sphere", radius = 0.1 },
    }
  end

  it("is left by members of all kinds that are closed, every one that they were in", function()
    local worlds, before = { weft.world {}, weft.world {} }, {}
    for name, member in pairs(members()) do
      local several = name == "body" or name == "collider"
      for k = 1, several and 2 or 1 do
        before[k] = worlds[k]:hash()
        worlds[k]:add(member)
        assert.is_true(before[k] ~= worlds[k]:hash(), name)
      end
      member:close()
      member:close()
      for k = 1, several and 2 or 1 do
        assert.equal(before[k], worlds[k]:hash(), name)
      end
    end
    assert.equal(0, worlds[1]:momentum().mass)
    local sheet = worlds[1]:add(weft.sheet { cells = { 2, 2 }, centre = { 0, 0.05, 0 } })
    worlds[1]:step(30)
    local fall = 9.81 / 60 ^ 2 * 30 * 31 / 2 -- nothing holds it
    assert.near(0.05 - fall, select(2, sheet.positions:get(5)), 1e-6)
  end)

  it("is left by members that were removed, and those of a world that was closed, as by any", function()
    for _, member in pairs(members()) do
      local world, closed = weft.world {}, weft.world {}
      world:add(member)
      world:remove(member)
      closed:add(member)
      closed:close()
      world:add(member)
      local other = world:add(weft.collider.sphere { radius = 1 })
      assert.is_false(pcall(world.add, world, member))
      member:close()
      world:remove(other)
      assert.equal(weft.world({}):hash(), world:hash())
    end
  end)

  it("is left by what a callback closes once the step is done", function()
    local function run(closes)
      local world = weft.world {}
      world:add(weft.sheet { cells = { 4, 4 } })
      local body = world:add(members().body)
      local heard = 0
      weft.on_warning(function()
        heard = heard + 1
        if closes then
          body:close()
          body:close()
          assert.is_true(body.closed)
        end
      end)
      world:step()
      assert.is_true(heard > 0)
      if not closes then
        world:remove(body)
      end
      world:step()
      weft.on_warning(nil)
      return world:hash()
    end
    assert.equal(run(false), run(true))
  end)

  it("warns of cloth that starts crossing something, and goes on", function()
    local heard = {}
    weft.on_warning(function(message) heard[#heard + 1] = message end)
    local world = weft.world()
    world:add(weft.body {
      name = "pyramid",
      vertices = { { -1, -0.01, -1 }, { 1, -0.01, -1 }, { 0, -0.01, 1 }, { 0, 0.1, 0 } },
      faces = { { 1, 2, 3 }, { 1, 4, 2 }, { 2, 4, 3 }, { 3, 4, 1 } },
    })
    world:add(weft.sheet { cells = { 4, 4 } })
    world:add(weft.sheet { cells = { 4, 4 }, warp = { 0, 1, 0 } })
    world:step(2)
    weft.on_warning(nil)
    assert.equal(3, #heard)
    assert.matches("^cloth starts crossing pyramid: %d+ pairs of triangles, near {", heard[1])
    assert.matches("^cloth starts crossing other cloth: ", heard[2])
  end)

  it("says where cloth starts crossing something, however large its faces are", function()
    local x, y, z = 1.2, 0.3, -0.7
    local heard = support.heard_in(function()
      local world = weft.world()
      world:add(weft.body {
        vertices = { { x - 0.1, y - 0.1, z - 0.1 }, { x + 0.1, y - 0.1, z - 0.1 }, { x, y - 0.1, z + 0.1 },
          { x, y + 0.1, z } },
        faces = { { 1, 2, 3 }, { 1, 4, 2 }, { 2, 4, 3 }, { 3, 4, 1 } },
      })
      world:add(weft.sheet { cells = { 1, 1 }, size = { 6, 6 }, centre = { 0, y, 0 } })
      world:step()
    end)
    assert.equal(1, #heard)
    local place = { heard[1]:match("near {(%S+), (%S+), (%S+)}") }
    for k, wanted in ipairs { x, y, z } do
      support.close(wanted, tonumber(place[k]), 0.1, heard[1])
    end
  end)

  it("warns of each of many members that cross, and of no others", function()
    local heard = support.heard_in(function()
      local world = weft.world()
      for k = 1, 24 do
        world:add(weft.sheet { cells = { 2, 2 }, size = { 0.1, 0.1 }, centre = { 0.2 * k, 0, 0 } })
        world:add(weft.rigid { shape = "sphere", radius = 0.01, detail = 1, position = { 0.2 * k, 0.1, 0 } })
      end
      world:add(weft.sheet { cells = { 2, 2 }, size = { 0.1, 0.1 }, centre = { 1, 0, 0.003 }, warp = { 0, 1, 0 } })
      world:add(weft.rigid { shape = "sphere", radius = 0.01, detail = 1, position = { 2.02, 0.003, 0 } })
      world:add(weft.rigid { shape = "box", size = { 0.05, 0.05, 0.05 }, position = { 3, 0.1, 0 } })
      world:add(weft.rigid { shape = "box", size = { 0.2, 0.1, 0.2 }, position = { 4, 0, 0.04 } })
      world:step()
      world:close()
    end)
    table.sort(heard)
    local expected = { "^cloth starts crossing other cloth", "^cloth starts crossing sphere",
      "^cloth starts inside box", "^sphere starts inside box" }
    assert.equal(#expected, #heard, table.concat(heard, "\n"))
    for k, pattern in ipairs(expected) do
      assert.matches(pattern, heard[k])
    end
  end)

  it("looks for no contact where cloth meets neither cloth nor a body, and begins to when that changes", function()
    local heard = {}
    weft.on_warning(function(message) heard[#heard + 1] = message end)
    local function crossing_sheets(self_contact)
      local world = weft.world { self_contact = self_contact }
      world:add(weft.sheet { cells = { 30, 30 } })
      world:add(weft.sheet { cells = { 30, 30 }, warp = { 0, 1, 0 } })
      local before = weft.memory()
      world:step()
      return world, weft.memory() - before
    end
    local world, without = crossing_sheets(false)
    assert.same({ 0, 0 }, { world.stats.candidates, #heard })
    world.self_contact = true
    world:step()
    weft.on_warning(nil)
    assert.is_true(world.stats.candidates > 0)
    assert.matches("^cloth starts crossing other cloth: ", heard[1])
    weft.on_warning(function() end)
    local _, with = crossing_sheets(true)
    weft.on_warning(nil)
    assert.is_true(with > without)
  end)

  it("stops at a raised error and goes on from there", function()
    local world = weft.world {}
    world:add(weft.sheet { cells = { 2, 2 } })
    assert.equal("enough", (message_of(world.run, world, {
      seconds = 1, settle = 0.5,
      every = function(w)
        if w.steps == 7 then
          error("enough", 0)
        end
      end,
    })))
    assert.same({ 7, 0 }, { world.steps, world.damping })
    local co = coroutine.wrap(function()
      world:run { seconds = 0.1, every = function() coroutine.yield "step" end }
    end)
    assert.equal("step", co())
    assert.equal(8, world.steps)
  end)
end)

describe("weft.sheet", function()
  it("has its caller's order, its size and its mass", function()
    local sheet = weft.sheet { cells = { 2, 1 }, size = { 0.4, 0.2 }, centre = { 0, 1, 0 } }
    assert.same({ 6, 4 }, { sheet.vertices, sheet.triangles })
    local corners = { { -0.2, 1, 0.1 }, { 0, 1, 0.1 }, { 0.2, 1, 0.1 }, { -0.2, 1, -0.1 }, { 0, 1, -0.1 },
      { 0.2, 1, -0.1 } }
    for i, expected in ipairs(corners) do
      for k, value in ipairs { sheet.positions:get(i) } do
        close_to(expected[k], value, 1e-15)
      end
      close_to(1, select(2, sheet.normals:get(i)), 1e-12)
    end
    close_to(0.08 * weft.fabric.wool.density, sheet.mass, 1e-12)
    assert.matches("^weft.cloth %(6 vertices, 4 triangles, 0%.0208 kg of wool%)$", tostring(sheet))
  end)

  it("refuses what cannot be", function()
    assert.equal("weft.sheet: cells must be two integers from 1 to 4096, got {0, 10}",
      message_of(weft.sheet, { cells = { 0, 10 } }))
    assert.matches("size must be", message_of(weft.sheet, { size = { 1, 0 / 0 } }))
    assert.matches("right angles", message_of(weft.sheet, { weft = { 1, 0, 0 }, warp = { 1, 0, 0 } }))
  end)

  it("changes its fabric between steps", function()
    local world = weft.world {}
    local sheet = world:add(weft.sheet {})
    world:step()
    sheet.fabric = weft.fabric.polyester
    assert.equal("polyester", sheet.fabric.name)
    close_to(weft.fabric.polyester.density, sheet.mass, 1e-12)
    world:step()
  end)
end)

describe("weft.cloth", function()
  it("measures strains of its faces", function()
    -- Stretched by 1 % along weft, 2 % along warp, sheared by 0.03 rad.
    local s, c = math.sin(0.03), math.cos(0.03)
    local function at(u, v)
      return { u * 1.01 + v * 1.02 * s, v * 1.02 * c, 0 }
    end
    local cloth = square { at(0, 0), at(0.1, 0), at(0.1, 0.1), at(0, 0.1) }
    local curved = weft.fabric { stretch = { coupling = 0 }, curves = { warp = { { 0.1, 40 } },
      weft = { loading = { { 0.05, 12 }, { 0.1, 60 } }, unloading = { { 0.05, 4 } } } } }
    for _, fabric in ipairs { cloth.fabric, curved } do -- whatever resists them
      cloth.fabric = fabric
      for f = 1, 2 do
        local weft_strain, warp_strain, shear = cloth.strains:get(f)
        close_to(0.01, weft_strain, 5e-4)
        close_to(0.02, warp_strain, 5e-4)
        close_to(0.03, shear, 1e-4)
      end
    end
  end)

  it("refuses bad tables with one clear error", function()
    local points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
    local flat = { { 0, 0 }, { 1, 0 }, { 0, 1 } }
    assert.matches("^weft.cloth: vertices must be", message_of(weft.cloth, { faces = {}, rest = {} }))
    assert.matches("rest must have a {u, v} for each of the 3 vertices, got 2",
      message_of(weft.cloth, { vertices = points, faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 } } }))
    assert.matches("turned over", message_of(weft.cloth, { vertices = points, faces = { { 1, 3, 2 } }, rest = flat }))
    assert.matches("twice", message_of(weft.cloth, { vertices = points, faces = { { 1, 1, 2 } }, rest = flat }))
    assert.matches("at least one face", message_of(weft.cloth, { vertices = points, faces = {}, rest = flat }))
    assert.matches("from 1 to 3", message_of(weft.cloth, { vertices = points, faces = { { 1, 2, 4 } }, rest = flat }))
  end)

  it("solves for the pins and the step that there are now, whatever the solver has kept", function()
    local tracks = {}
    for k, renews in ipairs { false, true } do
      local world = weft.world { time_step = 1 / 60, tolerance = 1e-9, self_contact = false }
      local sheet = world:add(weft.sheet { cells = { 14, 14 }, size = { 0.3, 0.3 } })
      sheet:pin { vertices = { 1, 15 } }
      world:step(3)
      tracks[k] = { iterations = 0 }
      for _, change in ipairs {
        function() sheet:pin { vertices = { 113 } } end,
        function() sheet:unpin { vertices = { 1 } } end,
        function() world.time_step = 1 / 100 end,
        function() sheet:unpin() end,
      } do
        change()
        if renews then
          sheet.fabric = sheet.fabric -- models, matrix and solver are made anew
        end
        for _ = 1, 2 do
          world:step()
          tracks[k].iterations = tracks[k].iterations + world.stats.solver_iterations
        end
        tracks[k][#tracks[k] + 1] = sheet.positions:table()
      end
    end
    assert.near(tracks[2].iterations, tracks[1].iterations, 0.1 * tracks[2].iterations)
    for k, positions in ipairs(tracks[1]) do
      for i, position in ipairs(positions) do
        for c = 1, 3 do
          assert.near(tracks[2][k][i][c], position[c], 1e-6)
        end
      end
    end
  end)

  it("refuses steps and tolerances that are none, and steps with nothing to solve", function()
    for _, step in ipairs { 0, -1, 0 / 0, 1 / 0 } do
      assert.matches("^weft.world: time_step must be a number from 1e%-06 to 1, got ",
        message_of(weft.world, { time_step = step }))
    end
    for _, tolerance in ipairs { 0, -1, 0 / 0, 2 } do
      assert.matches("^weft.world: tolerance must be a number from 1e%-14 to 0.5, got ",
        message_of(weft.world, { tolerance = tolerance }))
    end
    local empty = weft.world()
    empty:step(2)
    assert.equal(0, empty.stats.solver_iterations)
    local held, all = weft.world(), {}
    local sheet = held:add(weft.sheet { cells = { 2, 2 } })
    for i = 1, sheet.vertices do
      all[i] = i
    end
    sheet:pin { vertices = all }
    local before = sheet.positions:string()
    held:step(3)
    assert.equal(0, held.stats.solver_iterations)
    assert.equal(before, sheet.positions:string())
  end)
end)
