-- What is attached to cloth, in worlds: air, bands, drawstrings and ties against statics.

local pieces = require "spec.world.closed_pieces"
local support = require "spec.support"
local weft = require "weft"

local message_of, near, still_world = support.message_of, support.near, support.still_world

-- Isotropic and without bending: C11 + C12 = 650 N/m.
local rubber = weft.fabric { name = "rubber", stretch = { weft = 500, warp = 500, coupling = 150 }, shear = 175,
  density = 0.1, bend = { weft = 0, warp = 0 }, thickness = 0.0005 }

local function ball_in(world)
  local ball, area = pieces.loose_ball { radius = 0.1, fabric = rubber }
  return pieces.sew(world, ball), area
end

describe("Air in a ball", function()
  -- Laplace: p = 2 T / R. Of a polyhedron that grows in all directions by 1 + e, the virtual work says it exactly:
  -- p 3 V0 (1 + e)^2 = A0 2 (C11 + C12) e.
  it("of constant pressure holds by p = 2 T / R", function()
    local world = still_world { damping = 5 }
    local ball, area = ball_in(world)
    local air = ball:inflate { pressure = 200 }
    local before = air.volume
    near(4 / 3 * math.pi * 0.1 ^ 3, before, 0.05)
    world:step(40)
    local e = (air.volume / before) ^ (1 / 3) - 1
    assert.is_true(e > 0.01)
    near(200, 2 * 650 * area * e / (3 * before * (1 + e) ^ 2), 2e-3)
    local tension = 650 * e / (1 + e)
    near(200, 2 * tension / (0.1 * (1 + e)), 0.02)
    -- and changes between steps
    air.pressure = -air.pressure / 10
    world:step(40)
    assert.is_true(air.volume < before)
    air.pressure = 200
    air.on = false
    world:step(60)
    near(before, air.volume, 1e-6)
    air:remove()
    assert.is_nil(air.volume)
    assert.equal("weft.fitting: pressure cannot be set: the fitting has been removed, or its cloth is closed",
      message_of(function() air.pressure = 1 end))
    assert.equal("weft.fitting.remove: the fitting has been removed, or its cloth is closed",
      message_of(air.remove, air))
  end)

  it("as a gas keeps p V, at any step, where its stiffness is a thousand times the ball's", function()
    for _, time_step in ipairs { 1 / 240, 1 / 60, 1 / 10 } do
      local world = still_world { time_step = time_step, damping = 1 }
      local ball, area = ball_in(world)
      local gas = ball:inflate { gas = true }
      local before = gas.volume
      near(101325 * before, gas.amount, 1e-12)
      near(1, 1 + gas.pressure, 1e-6)
      gas.outside = 101325 - 300
      world:step(time_step < 1 / 100 and 200 or 50)
      local e = (gas.volume / before) ^ (1 / 3) - 1
      near(gas.amount, (gas.pressure + gas.outside) * gas.volume, 1e-12)
      near(gas.pressure, 2 * 650 * area * e / (3 * before * (1 + e) ^ 2), 5e-3)
      assert.is_true(world.stats.max_speed < 1e-6)
    end
  end)

  it("exerts no force as a whole", function()
    for _, options in ipairs { { pressure = 500 }, { gas = true, pressure = 500 } } do
      local world = still_world { damping = 0 }
      local ball = ball_in(world)
      ball:assign { velocities = weft.buffer { count = ball.vertices } }
      ball:inflate(options)
      world:step(20)
      local p = ball:momentum()
      for k = 1, 3 do
        assert.is_true(math.abs(p.linear[k]) < 1e-7 and math.abs(p.angular[k]) < 1e-8)
      end
    end
  end)

  it("comes to the same with Newton's method", function()
    for _, scheme in ipairs { "backward euler", "bdf2" } do
      local world = still_world { integrator = { scheme = scheme, newton = "full" }, damping = 5 }
      local ball, area = ball_in(world)
      local gas = ball:inflate { gas = true, pressure = 400 }
      local before = gas.volume
      world:step(40)
      local e = (gas.volume / before) ^ (1 / 3) - 1
      near(gas.pressure, 2 * 650 * area * e / (3 * before * (1 + e) ^ 2), 5e-3)
    end
  end)

  it("as a gas is refused in an open piece, and the edge is named", function()
    local sheet = weft.sheet { cells = { 2, 2 } }
    assert.truthy(message_of(sheet.inflate, sheet, { gas = true }):find(
      "^weft.cloth.inflate: a gas needs a closed piece, and this one is open at the edge between vertices %d and %d$"))
    assert.equal("weft.cloth.inflate: pressure must be a number of Pa, or gas = true be given",
      message_of(sheet.inflate, sheet, {}))
    assert.equal("weft.cloth.inflate: face 1 is named twice",
      message_of(sheet.inflate, sheet, { pressure = 1, faces = { 1, 2, 1 } }))
    assert.equal("weft.cloth.inflate: air needs at least one face behind which it is",
      message_of(sheet.inflate, sheet, { pressure = 1, faces = {} }))
    assert.equal("weft.cloth.inflate: faces must be a list of indices, got a table with named fields",
      message_of(sheet.inflate, sheet, { pressure = 1, faces = { a = 1 } }))
    local air = sheet:inflate { pressure = 1 }
    assert.is_nil(air.tension)
    assert.equal("weft.fitting: shut cannot be set: air has none", message_of(function() air.shut = 1 end))
  end)
end)

-- ---- lines ---------------------------------------------------------------------------------------------------------

describe("A line around a tube", function()
  local function tube_in(world, fabric)
    local tube, ring = pieces.loose_tube { around = 24, up = 6, girth = 0.6, height = 0.15, fabric = fabric }
    return tube, ring, function() return pieces.sew(world, tube) end
  end

  local function girth_of(tube, ring, j)
    local x, sum = tube.positions, 0
    local first, last = x:get(1), nil
    assert(first)
    local path = ring(j)
    local function at(i) return { x:get(i) } end
    for k = 1, #path - 2 do
      local p, q = at(j * 24 + k), at(j * 24 + k + 1)
      sum, last = sum + math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2), q
    end
    local p = at(j * 24 + 1)
    return sum + math.sqrt((p[1] - last[1]) ^ 2 + (p[2] - last[2]) ^ 2 + (p[3] - last[3]) ^ 2)
  end

  -- Blown up by p, with A = l^2 / (4 n tan(pi / n)) the area of a ring of the girth l:
  -- p h dA/dl = 45 (l / 0.6 - 1) + 12 (l / 0.5 - 1), cloth of 300 N/m on 0.15 m and bands of 12 N in all.
  it("draws the waist to where band, cloth and pressure balance, across a seam that was sewn later", function()
    local world = still_world { tolerance = 1e-6, damping = 5 }
    local fabric = weft.fabric { stretch = { weft = 300, warp = 300, coupling = 0 }, shear = 50, thickness = 0.0005,
      bend = { weft = 0, warp = 0 } }
    local tube, ring, sew = tube_in(world, fabric)
    local bands = {}
    for j = 0, 6 do
      bands[j] = tube:elastic { path = ring(j), length = 0.5, stiffness = 0 }
    end
    sew()
    for j = 0, 6 do
      bands[j].stiffness = (j == 0 or j == 6) and 1 or 2 -- the outer ones have half the cloth
    end
    tube:inflate { pressure = 100 }
    world:step(100)
    local low, high = 0.5, 0.7
    for _ = 1, 60 do
      local l = (low + high) / 2
      local pull = 45 * (l / 0.6 - 1) + 12 * (l / 0.5 - 1) - 100 * 0.15 * l / (2 * 24 * math.tan(math.pi / 24))
      low, high = pull < 0 and l or low, pull < 0 and high or l
    end
    near(low, bands[3].path_length, 2e-3)
    near(2 * (bands[3].path_length / 0.5 - 1), bands[3].tension, 1e-9)
    near(0.6, bands[3].rest_length, 1e-12)
    near(bands[3].path_length, girth_of(tube, ring, 3), 1e-9)
    local before = bands[3].path_length
    bands[3].on = false
    assert.equal(0, bands[3].tension)
    world:step(30)
    assert.is_true(bands[3].path_length > before)
  end)

  it("slides as a drawstring: one tension, and a length that hardly gives", function()
    local world = still_world { damping = 5 }
    local tube, ring, sew = tube_in(world, rubber)
    local string = tube:drawstring { path = ring(3), length = 0.6 }
    sew()
    for k = 1, 30 do
      string.length = 0.6 - 0.1 * k / 30
      world:step(2)
    end
    world:step(60)
    near(0.5, string.path_length, 0.01)
    assert.is_true(string.tension > 1)
    local e = string.path_length / 0.5 - 1
    near(1000 * (e < 1e-3 and e * e / 2e-3 or e - 5e-4), string.tension, 1e-9)
    string.length = 0.7
    world:step(100)
    assert.equal(0, string.tension)
    near(0.6, string.path_length, 0.01)
  end)

  local soft = weft.fabric { name = "gauze", stretch = { weft = 20, warp = 20, coupling = 0 }, shear = 5, density = 0.1,
    bend = { weft = 1e-6, warp = 1e-6 }, thickness = 0.0005 }

  -- The tension that cloth bears is a ten-millionth of what the stiffest string has when it is drawn in.
  it("draws in the softest cloth however stiff it is, at 1/60 s", function()
    for _, stiffness in ipairs { 1e3, 1e4, 1e6, 1e8, 1e11 } do
      local world = still_world { damping = 5 }
      local tube, ring, sew = tube_in(world, soft)
      local string = tube:drawstring { path = ring(3), length = 0.6, stiffness = stiffness }
      sew()
      local fastest = 0
      for k = 1, 60 do
        string.length = 0.6 - 0.1 * math.min(k, 30) / 30
        world:step()
        fastest = math.max(fastest, world.stats.max_speed)
      end
      assert.is_true(fastest < 0.1, fastest)
      assert.is_true(math.abs(string.path_length - 0.5) < 5e-4)
      string.length = 0.4 -- at once
      world:step(120)
      assert.is_true(math.abs(string.path_length - 0.4) < 1e-3)
      assert.is_true(world.stats.max_speed < 0.05)
    end
  end)

  it("holds between two pins with all that it has, whatever that is", function()
    for _, stiffness in ipairs { 1e3, 1e7, 1e9 } do
      local world = weft.world { self_contact = false, damping = 1 }
      local sheet = world:add(weft.sheet { cells = { 20, 10 }, size = { 0.4, 0.2 }, warp = { 0, 1, 0 },
        fabric = soft })
      local path = {}
      for i = 1, 21 do
        path[i] = 210 + i
      end
      sheet:pin { vertices = { 211, 231 } }
      local string = sheet:drawstring { path = path, length = 0.36, stiffness = stiffness }
      world:step(200)
      local tension = stiffness * (1 / 9 - 5e-4)
      near(tension, string.tension, 1e-3)
      assert.is_true(world.stats.max_speed < 1e-6)
      -- a cable that carries the sheet: w L / (8 T)
      local _, y = sheet.positions:get(221)
      near(-9.81 * sheet.mass * 0.4 / (8 * tension), y - 0.1, 0.05)
    end
  end)

  it("is named by the step that a string drawn in at once ends", function()
    local world = weft.world {}
    local sheet = world:add(weft.sheet { cells = { 10, 10 }, size = { 0.5, 0.5 } })
    sheet:drawstring { path = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, length = 1e-6, stiffness = 1e6 }
    assert.matches("the drawstring of 10 edges from vertex 1 to 11 began the step with %S+ N: draw it in slowly",
      message_of(world.step, world, 60))
  end)

  it("needs edges", function()
    local sheet = weft.sheet { cells = { 4, 4 } }
    assert.equal("weft.cloth.elastic: no edge joins the path's vertices 2 and 4 (places 2 and 3)",
      message_of(sheet.elastic, sheet, { path = { 1, 2, 4 }, length = 1 }))
    assert.equal("weft.cloth.drawstring: a path needs at least 2 vertices, got 1",
      message_of(sheet.drawstring, sheet, { path = { 1 }, length = 1 }))
    assert.equal("weft.cloth.drawstring: length must be the length at rest, m, got nothing",
      message_of(sheet.drawstring, sheet, { path = { 1, 2 } }))
  end)
end)

-- ---- ties ----------------------------------------------------------------------------------------------------------

describe("A tie", function()
  -- A sheet that hangs by ties: they carry its weight.
  local function hanging(options)
    local world = weft.world { self_contact = false, damping = 4 }
    local top = world:add(weft.sheet { cells = { 4, 1 }, size = { 0.4, 0.1 }, centre = { 0, 1, 0 },
      warp = { 0, 1, 0 } })
    local below = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.4, 0.4 }, centre = { 0, 0.75, 0 },
      warp = { 0, 1, 0 } })
    top:pin { vertices = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } }
    options.to = top
    return world, below, below:attach(options)
  end

  it("of points, edges and faces carries what hangs on it", function()
    for _, options in ipairs {
      { vertices = { 21, 25 }, to_vertices = { 1, 5 } },
      { edges = { { 21, 22 }, { 24, 25 } }, to_edges = { { 1, 2 }, { 4, 5 } }, shares = { { 1, 0 }, { 0, 1 } },
        to_shares = { { 0.9, 0.1 }, { 0.1, 0.9 } } },
      { vertices = { 21, 25 }, to_faces = { 1, 8 } },
      { faces = { 25, 32 }, to_faces = { 1, 8 } },
    } do
      local world, below, tie = hanging(options)
      world:step(400)
      local sum = { 0, 0, 0 }
      for _, f in ipairs(tie.forces) do
        for k = 1, 3 do
          sum[k] = sum[k] + f[k]
        end
      end
      near(9.81 * below.mass, sum[2], 5e-3)
      assert.is_true(math.abs(sum[1]) < 0.01 * sum[2] and math.abs(sum[3]) < 0.01 * sum[2])
      assert.is_true(tie.force >= sum[2] / 2 - 1e-9)
      near(0.001, tie.length, 1e-12) -- the two halves of their thicknesses
    end
  end)

  it("breaks at the end of a step that pulls it too hard, and says so", function()
    local world, below, tie = hanging { vertices = { 21, 22, 23, 24, 25 }, to_vertices = { 1, 2, 3, 4, 5 } }
    world:step(300)
    assert.equal(0, #tie.broken)
    tie.strength = tie.force * 0.99
    local hash = world:hash()
    world:step()
    local broken = world.stats.broken
    assert.is_true(broken >= 1 and #tie.broken == broken)
    assert.is_true(world:hash() ~= hash)
    world:step(200) -- a ladder: the others have to carry more
    assert.equal(5, #tie.broken)
    assert.equal(0, tie.force)
    assert.is_true(below:momentum().linear[2] < -0.5 * below.mass)
    tie.strength = 0
    tie:mend()
    assert.equal(0, #tie.broken)
    assert.is_true(tie.force > 0)
  end)

  it("is the same for one thread and two, on and off", function()
    local hashes = {}
    for threads = 1, 2 do
      weft.threads(threads)
      local world, _, tie = hanging { vertices = { 21, 23, 25 }, to_vertices = { 1, 3, 5 }, strength = 1.2 }
      world:step(20)
      tie.on = false
      world:step(5)
      tie.on = true
      world:step(20)
      hashes[threads] = world:hash()
    end
    weft.threads(1)
    assert.equal(hashes[1], hashes[2])
  end)

  it("keeps the momentum of two free pieces", function()
    local world = still_world { damping = 0, tolerance = 1e-10 }
    local a = world:add(weft.sheet { cells = { 3, 3 }, size = { 0.3, 0.3 } })
    local b = world:add(weft.sheet { cells = { 3, 3 }, size = { 0.3, 0.3 }, centre = { 0, 0.02, 0 } })
    a:attach { faces = { 4, 9 }, to = b, to_faces = { 5, 12 }, stiffness = 100 }
    world:step(30)
    local p = world:momentum()
    for k = 1, 3 do
      assert.is_true(math.abs(p.linear[k]) < 1e-10)
    end
    assert.is_true(math.abs(a:momentum().linear[2]) > 1e-4)
  end)

  it("to a body's face goes where the body is, above what contact keeps", function()
    local world = weft.world { self_contact = false, damping = 2 }
    local floor = world:add(weft.body { vertices = { { -1, 0, -1 }, { 1, 0, -1 }, { 1, 0, 1 }, { -1, 0, 1 } },
      faces = { { 1, 3, 2 }, { 1, 4, 3 } } })
    local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.2, 0.2 }, centre = { 0, 0.05, 0 } })
    local tie = sheet:attach { vertices = { 1, 5 }, to = floor }
    world:step(60)
    for _, i in ipairs { 1, 5 } do
      local _, y = sheet.positions:get(i)
      near(0.5 * 0.001 + 0.0005, y, 0.05)
    end
    assert.is_true(tie.force < 1)
    world:remove(floor) -- the place stays
    world:step(5)
    assert.equal(2, tie.count)
  end)

  it("of a row closes as a zip does, from one end", function()
    local world = still_world { damping = 5 }
    local a = world:add(weft.sheet { cells = { 2, 10 }, size = { 0.1, 0.5 }, centre = { -0.08, 0, 0 } })
    local b = world:add(weft.sheet { cells = { 2, 10 }, size = { 0.1, 0.5 }, centre = { 0.08, 0, 0 } })
    local right, left = {}, {}
    for j = 0, 10 do
      right[j + 1], left[j + 1] = 3 * j + 3, 3 * j + 1
    end
    local zip = a:attach { vertices = right, to = b, to_vertices = left, shut = 0, length = 0 }
    local function gap(j)
      return b.positions:get(left[j]) - a.positions:get(right[j])
    end
    world:step()
    near(0.06, gap(1), 1e-9)
    for k = 1, 110 do
      zip.shut = 0.5 * k / 110
      world:step()
    end
    world:step(30)
    for j = 1, 5 do
      assert.is_true(math.abs(gap(j)) < 1e-4)
    end
    local forces = zip.forces -- what lies beyond the slider is open
    assert.is_true(math.abs(forces[2][1]) < 1 and math.abs(forces[8][1]) + math.abs(forces[11][1]) == 0)
    for k = 1, 110 do
      zip.shut = 0.5 + 0.5 * k / 110
      world:step()
    end
    world:step(60)
    for j = 1, 11 do
      assert.is_true(math.abs(gap(j)) < 1e-4)
    end
    zip.shut = 0
    assert.equal(0, zip.force)
  end)

  it("holds in schemes on elements, too; drawstrings are refused there", function()
    for _, scheme in ipairs { "xpbd", "vertex block descent", "projective dynamics" } do
      local world = weft.world { self_contact = false, integrator = scheme, damping = 2 }
      local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.4, 0.4 } })
      sheet:pin { vertices = { 1, 5 } }
      sheet:elastic { path = { 1, 2, 3, 4, 5 }, length = 0.35 }
      local tie = sheet:attach { vertices = { 21 }, to_vertices = { 1 }, length = 0.1 }
      world:step(60)
      assert.is_true(tie.force > 0 and tie.force < 10, scheme .. ": " .. tie.force)
      sheet:drawstring { path = { 1, 2, 3 }, length = 0.1 }
      assert.truthy(message_of(world.step, world):find("drawstrings", 1, true))
      world.integrator = "bdf2"
      world:step()
      -- at once, and the world keeps the scheme that it has
      assert.truthy(message_of(function() world.integrator = scheme end):find("drawstrings", 1, true))
      assert.equal("bdf2", world.integrator)
      world:step()
    end
  end)

  it("refuses what is no place", function()
    local sheet = weft.sheet { cells = { 2, 2 } }
    local function message(options) return message_of(sheet.attach, sheet, options) end
    assert.equal("weft.cloth.attach: one of vertices, edges and faces must be given, and not be empty", message {})
    assert.equal("weft.cloth.attach: one of to_vertices, to_edges and to_faces must be given",
      message { vertices = { 1 } })
    assert.equal("weft.cloth.attach: both sides must be as many places, got 1 and 2",
      message { vertices = { 1 }, to_vertices = { 2, 3 } })
    assert.equal("weft.cloth.attach: only one of vertices, edges and faces can be given",
      message { vertices = { 1 }, faces = { 1 }, to_vertices = { 2 } })
    assert.equal("weft.cloth.attach: the shares of place 1 must add up to 1, got 0.9",
      message { faces = { 1 }, shares = { { 0.3, 0.3, 0.3 } }, to_vertices = { 2 } })
    assert.equal("weft.cloth.attach: to must be a weft.cloth or a weft.body, got 3",
      message { vertices = { 1 }, to = 3 })
  end)

  it("goes when one of its cloths is closed", function()
    local world, below, tie = hanging { vertices = { 21 }, to_vertices = { 1 } }
    world:step()
    below:close()
    assert.is_false(tie.on)
    assert.equal("weft.fitting (ties of 1 ties, removed)", tostring(tie))
    assert.matches("^weft.fitting.remove: the fitting has been removed", message_of(tie.remove, tie))
    world:step()
  end)

  it("loses nothing when memory ends", function()
    local sheet, other = weft.sheet { cells = { 2, 2 } }, weft.sheet { cells = { 2, 2 } }
    local function gone(fitting) -- also from the stack
      fitting:remove()
      fitting:close()
    end
    for _, make in ipairs {
      function() gone(sheet:attach { vertices = { 1 }, to = other, to_faces = { 1 } }) end,
      function() gone(sheet:drawstring { path = { 1, 2 }, length = 1 }) end,
      function() gone(sheet:inflate { pressure = 1 }) end,
    } do
      make() -- lists of fittings grow once
      for _ = 1, 4 do
        support.collect() -- handles that hold handles of the worlds before
      end
      support.fail_each_allocation(make)
    end
  end)
end)

describe("The energy of a world", function()
  -- What each has been given, from its law and what it reads back.
  it("has that of fittings, each with its first cloth", function()
    local world = still_world { damping = 0 }
    local ball = ball_in(world)
    local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.4, 0.4 }, centre = { 0, 1, 0 } })
    assert.equal(0, world:energy().fittings)
    local without = world:energy().total
    local band = sheet:elastic { path = { 1, 2, 3, 4, 5 }, length = 0.25, stiffness = 40 }
    local of_band = 0.5 * 40 * 0.25 * (band.path_length / 0.25 - 1) ^ 2
    near(of_band, sheet:energy().fittings, 1e-12)
    local gas = ball:inflate { gas = true, pressure = 300, outside = 1000 }
    local of_gas = gas.outside * gas.volume - gas.amount * math.log(gas.volume)
    near(of_gas, ball:energy().fittings, 1e-12)
    local other = sheet:elastic { path = { 21, 22, 23 }, length = 0.1, stiffness = 40 }
    local of_other = 0.5 * 40 * 0.1 * (other.path_length / 0.1 - 1) ^ 2
    local ties = sheet:attach { vertices = { 21 }, to = ball, to_vertices = { 1 }, stiffness = 3 }
    local of_ties = 0.5 * ties.force ^ 2 / 3
    assert.is_true(of_ties > 0)
    near(of_band + of_other + of_ties, sheet:energy().fittings, 1e-12)
    near(of_gas, ball:energy().fittings, 1e-12)
    local sum = world:energy()
    near(of_band + of_other + of_ties + of_gas, sum.fittings, 1e-12)
    near(without + sum.fittings, sum.total, 1e-12)
    gas.on, band.on = false, false
    near(of_other + of_ties, world:energy().fittings, 1e-12)
  end)
end)
