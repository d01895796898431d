-- Air as a flow in worlds: what tight and porous sheets do to it and it to them, against closed solutions.

local core = require "weft.core"
local support = require "spec.support"
local weft = require "weft"

local message_of, near, pin = support.message_of, support.near, support.pin
local DENSITY, STEP = 1.2, 1 / 60

--- A duct of 1 m x 1 m along x that the air goes round in: periodic, without friction at its sides.
local function duct(options)
  return support.with({ lower = { -1, -0.5, -0.5 }, upper = { 1, 0.5, 0.5 }, cell = 1 / 12,
    boundary = { x = "periodic", y = "slip", z = "slip" } }, options or {})
end

local function flow_world(options, flow)
  local world = support.still_world(options)
  world.wind.still_air = true
  world.wind.model = "flow"
  world.wind.flow = flow
  return world
end

--- A sheet across the duct, turned by an angle about z and large enough to span it.
local function barrier(world, options)
  local angle, size = options.angle or 0, options.angle and 1.3 or 1
  local cloth = world:add(weft.sheet { cells = options.cells or { 9, 9 }, size = { size, size },
    weft = { -math.sin(angle), math.cos(angle), 0 }, warp = { 0, 0, 1 }, centre = { options.x or 0.013, 0, 0 },
    fabric = weft.fabric { base = "wool", density = options.density or 0.05 } })
  cloth.air = { permeability = options.permeability or 0 }
  return cloth
end

local function at_rim(_, y, z)
  return math.max(math.abs(y), math.abs(z)) > 0.499
end

--- Mean of the positions along x, by area: what the sheet has swept of the duct's section.
local function swept(cloth)
  local sum, faces = 0, cloth.faces
  for f = 1, faces.count do
    local corners = { faces:get(f) }
    for v = 1, 3 do
      sum = sum + cloth.positions:get(corners[v]) / 3
    end
  end
  return sum / faces.count
end

describe("Tight cloth that is held", function()
  it("lets nothing through, and gets all the momentum that the air had", function()
    for _, angle in ipairs { 0, 0.2, 0.5 } do
      local world = flow_world({}, duct())
      world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
      local cloth = barrier(world, { angle = angle })
      pin(cloth)
      world:step()
      local force, momentum = cloth:air_force().force, world.wind.flow_stats.momentum
      -- Keckeisen's paradox: the flux is 0 as soon as the sheet is there, and yet it has felt the wind.
      assert.is_true(math.abs(momentum[1]) < 1e-6 * 2 * DENSITY * 3, momentum[1])
      near(2 * DENSITY * 3 / STEP, force[1] + momentum[1] / STEP, 0.01)
      world:step()
      assert.is_true(math.abs(world.wind.flow_stats.momentum[1]) < 1e-6 * 2 * DENSITY * 3)
      assert.is_true(world.wind.flow_stats.divergence < 1e-5)
    end
  end)

  it("carries the air along when it is moved, tilted or not", function()
    for _, angle in ipairs { 0, 0.4 } do
      local world = flow_world({}, duct())
      local cloth = barrier(world, { angle = angle, x = -0.3 })
      local vertices = pin(cloth)
      for _ = 1, 12 do
        local targets = {}
        for i = 1, cloth.positions.count do
          local x, y, z = cloth.positions:get(i)
          targets[i] = { x + 1.5 * STEP, y, z }
        end
        cloth:pin { vertices = vertices, targets = targets }
        world:step()
        near(2 * DENSITY * 1.5, world.wind.flow_stats.momentum[1], 1e-5)
      end
    end
  end)

  it("has its like in bodies without an inside", function()
    local world = flow_world({}, duct())
    world.wind:add(weft.wind.uniform { velocity = { 2, 0, 0 } })
    pin(barrier(world, { x = 0.5, permeability = 1000 }))
    local screen = world:add(weft.body { vertices = { { 0.1, -1, -1 }, { 0.1, 1, -1 }, { 0.1, 1, 1 }, { 0.1, -1, 1 } },
      faces = { { 1, 2, 3 }, { 1, 3, 4 } } })
    world:step()
    assert.is_true(math.abs(world.wind.flow_stats.momentum[1]) < 1e-6 * 2 * DENSITY * 2)
    screen:move { shift = { 0.01, 0, 0 } }
    world:step()
    near(2 * DENSITY * 0.01 / STEP, world.wind.flow_stats.momentum[1], 1e-4)
  end)

  it("loses what Darcy's law says to what passes through it", function()
    -- 0.2 m/s at 100 Pa: 2 m/s take 1000 Pa, and two layers twice that
    for _, layers in ipairs { 1, 2 } do
      local world = flow_world({}, duct { boundary = { all = "slip", x_low = "inflow", x_high = "open" } })
      world.wind:add(weft.wind.uniform { velocity = { 2, 0, 0 } })
      local force = 0
      local cloths = {}
      for layer = 1, layers do
        cloths[layer] = barrier(world, { permeability = 0.2, x = 0.013 + 0.001 * layer })
        pin(cloths[layer])
      end
      for _ = 1, 3 do
        world:step()
      end
      for layer = 1, layers do
        force = force + cloths[layer]:air_force().force[1]
      end
      near(1000 * layers, force, 0.01)
      near(2, world.wind:at { 0.5, 0.1, 0.1 } [1], 1e-4)
    end
  end)

  it("lets as much through where it is tilted, by its own area", function()
    local world = flow_world({}, duct { cell = 1 / 24, boundary = { all = "slip", x_low = "inflow",
      x_high = "open" } })
    world.wind:add(weft.wind.uniform { velocity = { 2, 0, 0 } })
    local cloth = barrier(world, { permeability = 0.2, angle = 0.5 })
    pin(cloth)
    for _ = 1, 3 do
      world:step()
    end
    -- 2 cos 0.5 m/s through each part of it; along x that pressure on the duct's section
    near(1000 * math.cos(0.5), cloth:air_force().force[1], 0.04)
  end)
end)

describe("Light cloth in a column of air", function()
  -- A sheet with 2 m of air to move: x'' = density g / (density + 2 m rho).
  local function fall(density, options)
    local world = flow_world({ gravity = { 2, 0, 0 } }, duct(options))
    return world, barrier(world, { density = density, cells = { 13, 13 } })
  end

  it("moves as both together do, and momentum is conserved", function()
    for _, density in ipairs { 0.05, 0.005 } do
      local world, cloth = fall(density)
      local start, steps = swept(cloth), 60
      for k = 1, steps do
        world:step()
        near(2 * density * k * STEP, cloth:momentum().linear[1] + world.wind.flow_stats.momentum[1], 1e-3)
      end
      local acceleration = 2 * density / (density + 2 * DENSITY)
      near(acceleration * STEP ^ 2 * steps * (steps + 1) / 2, swept(cloth) - start, 0.03)
      near(acceleration * steps * STEP * 2 * DENSITY, world.wind.flow_stats.momentum[1], 0.01)
    end
  end)

  it("is thrown about where air and cloth only take each other's last state", function()
    for _, density in ipairs { 0.05, 0.005 } do
      local world, cloth = fall(density, { coupling = "lagged" })
      local fastest = 0
      for _ = 1, 3 do
        world:step()
        fastest = math.max(fastest, math.abs(cloth:momentum().linear[1] / cloth:momentum().mass))
      end
      -- errors grow by the ratio of the masses, 48 and 480, in each step
      assert.is_true(fastest > 10 * 2 * DENSITY / density * 2 * STEP, fastest)
    end
  end)

  it("is held by its rim as tightly as sweeps are made, and bulges as a drum", function()
    local leaks, fluxes = {}, {}
    for _, sweeps in ipairs { 1, 2, 4, 12 } do
      local world = flow_world({}, duct { sweeps = sweeps, leak = 0.001 })
      world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
      local cloth = barrier(world, {})
      pin(cloth, at_rim)
      local leak, flux, force = 0, 0, 0
      for k = 1, 8 do
        world:step()
        leak = math.max(leak, k > 2 and world.wind.flow_stats.leak or 0)
        flux = flux + STEP * world.wind.flow_stats.momentum[1] / 2 / DENSITY
        force = force + STEP * cloth:air_force().force[1]
      end
      near(2 * DENSITY, force + world.wind.flow_stats.momentum[1], 0.01)
      leaks[#leaks + 1] = leak
      fluxes[#fluxes + 1] = math.abs(flux - (swept(cloth) - 0.013)) -- m: air that has gone through
    end
    local told = table.concat(leaks, " ") .. ", " .. table.concat(fluxes, " ")
    assert.is_true(leaks[2] < leaks[1] and leaks[3] < 0.5 * leaks[1] and leaks[4] < 0.12 * leaks[1], told)
    assert.is_true(fluxes[4] < 0.1 * fluxes[1], told)
  end)
end)

describe("A flow around the scene", function()
  local function mean_behind(world)
    local along, speed, count = 0, 0, 0
    for y = 0.1, 0.6, 0.1 do
      for z = -0.3, 0.3, 0.1 do
        local u = world.wind:at { 0.4, y, z } -- half the height of the wall
        along, speed, count = along + u[1], speed + math.sqrt(u[1] ^ 2 + u[2] ^ 2 + u[3] ^ 2), count + 1
      end
    end
    return along / count, speed / count
  end

  -- Keckeisen's figures 2.10 and 2.11, with a curtain instead of a flag. The air right behind a wall is not still: it
  -- turns round in a vortex as high as the wall, at up to half the wind's speed.
  it("has a lee behind a wall, which ends when the wall moves away", function()
    local world = flow_world({ gravity = { 0, -9.81, 0 } }, { lower = { -1, 0, -1 }, upper = { 1.8, 1.6, 1 },
      cell = 0.1, boundary = { all = "inflow", x_high = "open", y_low = "wall" } })
    world.wind:add(weft.wind.uniform { velocity = { 4, 0, 0 } })
    local wall = world:add(weft.collider.box { size = { 0.04, 1.6, 1.2 } })
    local curtain = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.5, 0.5 }, centre = { 0.4, 0.35, 0 },
      weft = { 0, 0, 1 }, warp = { 0, 1, 0 } })
    pin(curtain, function(_, y)
      return y > 0.59
    end)
    local along, speed, force = 0, 0, 0
    for k = 1, 60 do
      world:step()
      local u, s = mean_behind(world)
      if k > 20 then
        along, speed, force = along + u / 40, speed + s / 40, force + curtain:air_force().force[1] / 40
      end
    end
    local told = ("%g %g %g"):format(along, speed, force)
    assert.is_true(along < 0.3 * 4 and speed < 0.5 * 4 and force < 0.1, told)
    for k = 1, 40 do -- sideways at 3 m/s, until it is out of the box
      wall.position = { 0, 0, 0.05 * k }
      world:step()
    end
    force = 0
    for k = 1, 60 do
      world:step()
      force = force + (k > 40 and curtain:air_force().force[1] / 20 or 0)
    end
    local recovered = mean_behind(world)
    -- the curtain flaps: solved to 1e-6 the mean of these twenty steps is 0.16 N, behind the wall it is -0.45
    assert.is_true(recovered > 0.75 * 4 and force > 0.1, ("%g %g"):format(recovered, force))
  end)

  it("is dragged along by a body", function()
    local world = flow_world({}, { lower = { -1, -0.6, -0.6 }, upper = { 1, 0.6, 0.6 }, cell = 0.1 })
    local cloth = barrier(world, { x = 0.9 })
    pin(cloth)
    local ball = world:add(weft.collider.sphere { radius = 0.25, position = { -0.6, 0, 0 } })
    for k = 1, 20 do
      ball.position = { -0.6 + 0.03 * k, 0, 0 }
      world:step()
    end
    local behind, beside = world.wind:at { -0.6 + 0.6 - 0.32, 0, 0 }, world.wind:at { -0.6 + 0.57, 0.4, 0 }
    assert.is_true(behind[1] > 0.5 * 1.8 and behind[1] < 1.3 * 1.8, behind[1])
    assert.is_true(beside[1] < 0, beside[1]) -- what it pushes aside comes back around it
  end)

  it("keeps a flag in a storm within bounds, with the same bits for any number of threads", function()
    support.same_with_threads(function(count)
      local world = flow_world({ gravity = { 0, -9.81, 0 } }, { cells = 20 })
      world.wind:add(weft.wind.uniform { velocity = { 10, 0, 0.5 } })
      local flag = world:add(weft.sheet { cells = { 12, 8 }, size = { 0.6, 0.4 }, weft = { 1, 0, 0 },
        warp = { 0, 1, 0 }, fabric = weft.fabric { base = "polyester", density = 0.05 } })
      pin(flag, function(x)
        return x < -0.29
      end)
      local fastest, hash = 0, nil
      for _ = 1, count == 1 and 60 or 12 do
        world:step()
        fastest = math.max(fastest, world.stats.max_speed)
        if world.steps == 12 then
          hash = world:hash()
        end
      end
      assert.is_true(fastest < 20, fastest)
      for i = 1, flag.positions.count do
        local x, y, z = flag.positions:get(i)
        assert.is_true(x * x + y * y + z * z < 1)
      end
      return hash
    end)
  end)

  it("follows the scene in whole cells", function()
    local world = flow_world({}, { cell = 0.125, margin = 0.5 })
    local cloth = barrier(world, {})
    local vertices = pin(cloth)
    world:step()
    local first = world.wind.flow_stats
    for k = 1, 20 do
      local targets = {}
      for i = 1, cloth.positions.count do
        local _, y, z = cloth.positions:get(i)
        targets[i] = { 0.013 + 0.1 * k, y, z }
      end
      cloth:pin { vertices = vertices, targets = targets }
      world:step()
    end
    local last = world.wind.flow_stats
    local cells = (last.lower[1] - first.lower[1]) / 0.125
    assert.near(cells, math.floor(cells + 0.5), 1e-9)
    assert.is_true(cells >= 12 and cells <= 18, cells)
    assert.equal(first.lower[2], last.lower[2])
    assert.same(first.cells, last.cells)
    assert.near(6, world.wind:at { 2.013 + 0.07, 0.1, 0.1 } [1], 2) -- the air before it, which it has driven all along
  end)

  it("is as it was after a step that fails, whatever fails", function()
    local boundary = { all = "open", x_low = "inflow" }
    local world = flow_world({}, duct { boundary = boundary })
    local wind = world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
    pin(barrier(world, {}), at_rim)
    world:step()
    local failures = 0
    for n = 0, 400 do
      world.wind.flow = duct { sweeps = 3, boundary = boundary } -- begins anew, so that there is something to allocate
      local hash = world:hash()
      core.fail_allocation(n)
      local ok = pcall(world.step, world)
      core.fail_allocation()
      if ok then
        break
      end
      failures = failures + 1
      assert.equal(1, world.steps)
      world.wind.flow = duct { sweeps = 3, boundary = boundary }
      assert.equal(hash, world:hash())
    end
    assert.is_true(failures > 10, failures)
    for _ = 1, 2 do
      world:step()
    end
    local before = world:hash()
    local loud = world.wind:add(weft.wind.uniform { velocity = { 900, 300, 300 } })
    assert.matches("sub%-steps", message_of(world.step, world))
    world.wind:remove(loud)
    assert.equal(before, world:hash())
    world:step()
    assert.is_true(#world.wind == 1 and world.wind[1] == wind)
  end)

  it("grows with the scene, and keeps the air that it had", function()
    local world = flow_world({}, { cell = 0.125, margin = 0.5 })
    world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
    local near_one = barrier(world, {})
    pin(near_one)
    world:step(10)
    local before = world.wind:at { 0.3, 0.1, 0.1 } [1]
    local far_one = world:add(weft.sheet { cells = { 9, 9 }, size = { 1, 1 }, weft = { 0, 1, 0 }, warp = { 0, 0, 1 },
      centre = { 0.013, 2.5, 0 } })
    pin(far_one)
    world:step()
    assert.near(before, world.wind:at { 0.3, 0.1, 0.1 } [1], 0.5)
    world:step(20)
    local stats = world.wind.flow_stats
    assert.is_true(stats.upper[2] > 3.4 and stats.lower[2] < -0.9)
    assert.equal(0, stats.direct_faces)
    -- Both are plates of a square metre across 3 m/s.
    local dynamic = 0.5 * DENSITY * 9
    assert.is_true(near_one:air_force().force[1] > 0.7 * dynamic)
    assert.is_true(far_one:air_force().force[1] > 0.7 * dynamic)
    world.wind.flow = { cells = 16 }              -- which become larger with a scene of three times the size
    world:step()
    local spacing = (world.wind.flow_stats.upper[1] - world.wind.flow_stats.lower[1]) / world.wind.flow_stats.cells[1]
    world:add(weft.sheet { cells = { 2, 2 }, size = { 1, 1 }, centre = { 0, 9, 0 } })
    world:step()
    stats = world.wind.flow_stats
    assert.is_true(stats.upper[2] > 15)
    assert.is_true((stats.upper[1] - stats.lower[1]) / stats.cells[1] > 2 * spacing)
  end)

  it("keeps its cells when a body leaves the cloth behind", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    world.wind.model = "flow"
    world.wind.flow = { cells = 24 }
    world.wind:add(weft.wind.uniform { velocity = { 5, 0, 0 } })
    local sheet = weft.sheet { cells = { 4, 4 }, size = { 0.5, 0.5 }, weft = { 0, 0, 1 }, warp = { 0, 1, 0 } }
    world:add(sheet):pin { vertices = { 1, 5, 21, 25 } }
    local ball = world:add(weft.collider.sphere { radius = 0.1, position = { 0, 0, 0.6 } })
    world:step()
    local function cell()
      local stats = world.wind.flow_stats
      return (stats.upper[1] - stats.lower[1]) / stats.cells[1]
    end
    local before = cell()
    for _, z in ipairs { 1.2, 2, 4, 100 } do
      ball:place { position = { 0, 0, z } }
      world:step()
      assert.is_true(cell() < 2.5 * before and world.wind.flow_stats.cut_faces > 10)
    end
    assert.is_true(cell() < 1.1 * before) -- the ball is far behind
  end)

  it("leaves cloth that it does not reach to the wind itself", function()
    local elsewhere = { cells = 8, lower = { 10, 10, 10 }, upper = { 11, 11, 11 } }
    for _, flow in ipairs { { cell = 100 }, { cell = 1 }, elsewhere } do
      local forces, momenta = {}, {}
      for k, model in ipairs { "direct", "flow" } do
        local world = flow_world({}, flow)
        world.wind.model = model
        world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
        local cloth = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.3, 0.3 }, weft = { 0, 1, 0 },
          warp = { 0, 0, 1 } })
        world:step(3)
        forces[k], momenta[k] = cloth:air_force().force[1], cloth:momentum().linear[1]
        assert.equal(k == 2 and 32 or 0, k == 2 and world.wind.flow_stats.direct_faces or 0)
      end
      near(forces[1], forces[2], 1e-6)
      near(momenta[1], momenta[2], 1e-6)
    end
    -- Half of it outside: that half as without a flow.
    local world = flow_world({}, { cell = 0.125, lower = { -1, 0, -1 }, upper = { 1, 1, 1 } })
    world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
    local cloth = barrier(world, {})
    pin(cloth)
    world:step(10)
    local outside = world.wind.flow_stats.direct_faces
    assert.is_true(outside > 70 and outside < 110, outside)
    assert.is_true(cloth:air_force().force[1] > 0.7 * 0.5 * DENSITY * 9)
  end)

  it("flows around bodies where there is no cloth", function()
    for _, model in ipairs { "flow", "particles" } do
      local world = weft.world { time_step = STEP }
      world.wind.model = model
      world.wind.flow = { cells = 24 }
      world.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
      world:add(weft.collider.box { size = { 0.2, 1, 1 } })
      world:step(60)
      assert.is_true(world.wind:at { 0.3, 0, 0 } [1] < 1.5, model)
      assert.near(3, world.wind:at { -1.3, 0.1, 0 } [1], 1, model)
      assert.is_true(model ~= "flow" or world.wind.flow_stats.substeps > 0)
    end
    local empty = weft.world {}
    empty.wind.model = "flow"
    empty.wind:add(weft.wind.uniform { velocity = { 3, 0, 0 } })
    empty:step()
    assert.equal(3, empty.wind:at { 0, 0, 0 } [1])
  end)

  it("is forgotten while the wind is another", function()
    local world = flow_world({}, { cells = 16 })
    local wind = world.wind:add(weft.wind.uniform { velocity = { 8, 0, 0 } })
    local cloth = barrier(world, {})
    pin(cloth)
    world:step(5)
    world.wind.model = "direct"
    wind.velocity = { 0, 0, 0 }
    world:step()
    world.wind.model = "flow"
    world:step()
    assert.near(0, cloth:air_force().force[1], 1e-3)
    world.wind.density = 0
    world:step()
    near(0, cloth:air_force().force[1], 1e-6)
  end)

  it("goes on after refused steps, whichever side they had turned", function()
    local world = flow_world({}, { cell = 0.05, margin = 0.3 })
    local cloth = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.3, 0.3 }, warp = { 0, 1, 0 } })
    cloth:pin { vertices = { 1, 7 } }
    local wind = world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
    world:step(3)
    for _, loud in ipairs { { 1000, 0, 0 }, { -1000, 0, 0 } } do
      wind.velocity = { 1, 0, 0 }
      local before = world:hash()
      local at = world.wind:at { 0.1, 0.05, 0.02 }
      wind.velocity = loud
      assert.matches("sub%-steps", message_of(world.step, world))
      assert.same(at, world.wind:at { 0.1, 0.05, 0.02 })
      wind.velocity = { 1, 0, 0 }
      assert.equal(before, world:hash())
    end
    wind.velocity = { -2, 0, 0 }
    world:step(3)
  end)

  it("takes steps of any lengths, one after the other", function()
    local world = weft.world { gravity = { 0, 0, 0 } }
    world.wind.model = "flow"
    world.wind.flow = { cells = 16 }
    world.wind:add(weft.wind.uniform { velocity = { 5, 0, 0 } })
    local sheet = weft.sheet { cells = { 6, 6 }, size = { 0.5, 0.5 }, weft = { 0, 0, 1 }, warp = { 0, 1, 0 } }
    world:add(sheet):pin { vertices = { 1, 7, 43, 49 } }
    world:step(10)
    for _, step in ipairs { 1e-6, 1 / 60, 1e-4, 1 / 960, 1 / 24, 1 / 60 } do
      world.time_step = step
      world:step()
      assert.is_true(world.stats.max_speed < 5 and world.wind.flow_stats.substeps < 10)
    end
  end)

  it("refuses what makes no sense, by name", function()
    local world = flow_world({}, {})
    local function refused(flow)
      return message_of(function()
        world.wind.flow = flow
      end)
    end
    assert.matches("cels.*did you mean", refused { cels = 3 })
    assert.matches("cells must be", refused { cells = 0 })
    assert.matches("cell must be", refused { cell = 0 / 0 })
    assert.matches("lower and upper", refused { lower = { 0, 0, 0 } })
    assert.matches("upper must be above lower .* got {1, 0, 1} and lower {0, 2, 0}",
      refused { lower = { 0, 2, 0 }, upper = { 1, 0, 1 } })
    assert.matches("cell .* and cells .* give one", refused { cell = 0.1, cells = 8 })
    assert.matches("got a margin of 0.5 m", refused { lower = { 0, 0, 0 }, upper = { 1, 1, 1 }, margin = 0.5 })
    assert.matches("both its sides or on neither, got z_low alone", refused { boundary = { z_low = "periodic" } })
    assert.matches("leak must be .* got 2", refused { leak = 2 })
    assert.matches("sweeps must be .* got 99", refused { sweeps = 99 })
    assert.matches("coupling", refused { coupling = "loose" })
    assert.matches("x_low", refused { boundary = { x_low = "door" } })
    world:add(weft.sheet { cells = { 2, 2 } })
    world.wind.flow = { cell = 0.001 }
    assert.matches("GB", message_of(world.step, world))
    world.wind.flow = { cell = 1e-4 }
    assert.matches("cells would take [%d.e+]+ GB, more than the limit of 4 GB", message_of(world.step, world))
    world.wind.flow = { cell = 0.25 }
    world:step()
    assert.equal(0.25, world.wind.flow.cell)
    assert.equal("implicit", world.wind.flow.coupling)
  end)
end)
