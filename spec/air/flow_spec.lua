-- The flow solver by itself: what theory and the literature know of flows without cloth.

local flows = require "spec.air.flows"
local support = require "spec.support"
local weft = require "weft"

local message_of, near = support.message_of, support.near
local on_faces, taylor_green, error_of = flows.on_faces, flows.taylor_green, flows.error_of

--- Sums over the velocities at the centres of cells.
local function sums(flow)
  local velocity = flow:velocity()
  local square, momentum = 0, { 0, 0, 0 }
  for i = 1, #velocity do
    local u, v, w = velocity:get(i)
    square = square + u * u + v * v + w * w
    momentum = { momentum[1] + u, momentum[2] + v, momentum[3] + w }
  end
  return square / #velocity, momentum
end

local function largest(flow)
  local top = 0
  for _, axis in ipairs { "x", "y", "z" } do
    local faces = flow:faces(axis)
    for i = 1, #faces do
      top = math.max(top, math.abs(faces:get(i)))
    end
  end
  return top
end

local function steps(flow, count, seconds)
  for _ = 1, count do
    flow:step(seconds)
  end
end

local function random_flow(options, seed)
  local random = support.stream(seed)
  local flow = weft.flow(options)
  local value = function() return random(2000001) / 1e6 - 1 end
  flow:set(on_faces(options.cells, { x = value, y = value, z = value }))
  return flow
end

-- ---- projection ----------------------------------------------------------------------------------------------------

describe("The projection", function()
  for _, boundary in ipairs { "periodic", "wall", "open", "slip" } do
    it("takes the divergence out of noise in a box with all sides " .. boundary, function()
      local flow = random_flow({ cells = { 24, 17, 20 }, cell = 0.1, boundary = { all = boundary } }, 3)
      local before = sums(flow)
      flow:project()
      local stats = flow.stats
      assert.is_true(stats.divergence <= 1e-5, stats.divergence)
      assert.is_true(stats.iterations <= 12, stats.iterations)
      assert.equal(boundary == "open" and 0 or 1, stats.pockets)
      assert.is_true(sums(flow) < before) -- it is the nearest field without divergence
      -- The same by hand: 0.1 m cells of what flow:faces gives.
      local x, y, z = flow:faces "x", flow:faces "y", flow:faces "z"
      local worst = 0
      for k = 0, 19 do
        for j = 0, 16 do
          for i = 0, 23 do
            local out = x:get(i + 2 + 25 * (j + 17 * k)) - x:get(i + 1 + 25 * (j + 17 * k))
              + y:get(i + 1 + 24 * (j + 1 + 18 * k)) - y:get(i + 1 + 24 * (j + 18 * k))
              + z:get(i + 1 + 24 * (j + 17 * (k + 1))) - z:get(i + 1 + 24 * (j + 17 * k))
            worst = math.max(worst, math.abs(out))
          end
        end
      end
      assert.is_true(worst / stats.largest_speed <= 1.1e-5, worst)
    end)
  end

  it("leaves a field alone that has no divergence, and takes all of a gradient", function()
    -- A gradient of cos(2 pi x) cos(2 pi y), exact on the grid.
    local n, k = 16, 2 * math.pi / 16
    local function potential(i, j) return math.cos(k * i) * math.cos(k * j) end
    local flow = weft.flow { cells = { n, n, 1 }, cell = 1 / n, boundary = { all = "periodic" } }
    flow:set(on_faces({ n, n, 1 }, {
      x = function(i, j) return potential(i + 0.5, j) - potential(i - 0.5, j) end,
      y = function(i, j) return potential(i, j + 0.5) - potential(i, j - 0.5) end,
    }))
    flow:project()
    assert.is_true(largest(flow) < 1e-5)
  end)

  it("solves each pocket for itself, and says what is trapped", function()
    -- A wall without holes at x = 8 cells; the left part is blown into, the right one is open.
    local cells = { 16, 8, 8 }
    local wind = { kind = "inflow", velocity = { 1, 0, 0 } }
    local flow = weft.flow { cells = cells, cell = 0.1,
      boundary = { all = "wall", x_low = wind, x_high = "open" } }
    flow:block(on_faces(cells, {
      x = function(i) return i == 8 and 0 or 1 end, y = function() return 1 end, z = function() return 1 end,
    }))
    flow:step(0.01)
    assert.equal(1, flow.stats.pockets)
    near(0.64, flow.stats.trapped, 1e-3) -- 0.8 m x 0.8 m at 1 m/s
    assert.is_true(math.abs(flow:at({ 1.2, 0.4, 0.4 })[1]) < 1e-6)
    wind.velocity = { 0, 0, 0 }
    flow:side { side = "x_low", velocity = wind.velocity }
    flow:step(0.01)
    assert.is_true(flow.stats.trapped < 1e-6)
  end)

  it("takes few iterations past thin walls with gaps", function()
    -- Baffles one face thick, at places that no coarse grid has faces at.
    local cells = { 48, 32, 16 }
    local flow = random_flow({ cells = cells, cell = 1 / 32, boundary = { all = "wall", x_high = "open" } }, 5)
    flow:block(on_faces(cells, {
      x = function(i, j)
        return (i == 11 and j < 27 or i == 22 and j > 5 or i == 35 and j < 27) and 0 or 1
      end,
      y = function() return 1 end, z = function() return 1 end,
    }))
    flow:project()
    assert.is_true(flow.stats.divergence <= 1e-5, flow.stats.divergence)
    assert.is_true(flow.stats.iterations <= 12, flow.stats.iterations)
  end)
end)

describe("Any box", function()
  local kinds = { "inflow", "open", "wall", "slip" }

  --- Sides, solids, viscosities and steps of all kinds by one seed.
  local function run(seed)
    local random = support.stream(seed)
    local function share() return random(1000001) / 1e6 end
    local function signed() return 2 * share() - 1 end
    random(7)
    local cells, boundary = { 4 + random(20), 4 + random(20), random(3) == 0 and 1 or 4 + random(12) }, {}
    for axis, name in ipairs { "x", "y", "z" } do
      if random(4) == 0 or cells[axis] == 1 then
        boundary[name] = "periodic"
      else
        for _, side in ipairs { "_low", "_high" } do
          boundary[name .. side] = { kind = kinds[random(4) + 1], velocity = { signed(), signed(), signed() } }
        end
      end
    end
    local flow = weft.flow { cells = cells, cell = 0.1, boundary = boundary, viscosity = 10 ^ (-4 * share()),
      predict_pressure = random(4) > 0, advection = random(2) == 0 and "unlimited" or "limited",
      substep_limit = 2000 }
    local most = 20
    if random(2) == 0 then -- crumbs, and what is almost closed
      most = 1000 -- air squeezes through cracks
      local function open()
        local kind = random(10)
        return kind == 0 and 0 or kind == 1 and share() or kind == 2 and 1e-4 * share() or 1
      end
      local solids = on_faces(cells, { x = open, y = open, z = open })
      solids.velocity = { signed(), signed(), signed() }
      flow:block(solids)
    end
    flow:set(on_faces(cells, { x = signed, y = signed, z = signed }))
    local step = 10 ^ (-2.5 * share())
    for _ = 1, 6 do
      flow:step(step)
      local stats = flow.stats
      assert.is_true(stats.divergence <= 1e-5, ("seed %d: divergence %g"):format(seed, stats.divergence))
      assert.is_true(stats.largest_speed < most, ("seed %d: %g m/s"):format(seed, stats.largest_speed))
    end
  end

  it("of any sides and any solids is left without divergence and without wild speeds", function()
    for seed = 1, 25 do
      run(seed)
    end
  end)
end)

-- ---- advection and viscosity ----------------------------------------------------------------------------------------

local function uniform(flow, cells, u, v, w)
  flow:set(on_faces(cells, {
    x = function() return u end, y = function() return v end, z = function() return w end,
  }))
end

describe("A uniform wind", function()
  it("stays what it is to the last bit", function()
    local cells = { 12, 10, 8 }
    local flow = weft.flow { cells = cells, cell = 0.1, viscosity = 0.01, boundary = { all = "periodic" } }
    uniform(flow, cells, 1.3, -0.7, 0.4)
    local before = flow:faces("x"):string() .. flow:faces("y"):string() .. flow:faces("z"):string()
    steps(flow, 5, 0.3)
    assert.is_true(before == flow:faces("x"):string() .. flow:faces("y"):string() .. flow:faces("z"):string())
    assert.is_true(flow.stats.substeps > 3)
  end)
end)

describe("Taylor and Green's vortices", function()
  local k = 2 * math.pi

  local function rate_of(n, viscosity, advection)
    local flow = taylor_green(n, { viscosity = viscosity, advection = advection })
    local before = sums(flow)
    steps(flow, 20, 0.01)
    return -0.5 * math.log(sums(flow) / before) / 0.2
  end

  it("decay as they should, at both viscosities", function()
    near(2 * 0.05 * k * k, rate_of(64, 0.05), 0.01)
    near(2 * 0.002 * k * k, rate_of(64, 0.002), 0.08)
    near(2 * 0.002 * k * k, rate_of(64, 0.002, "unlimited"), 0.08)
    assert.is_true(rate_of(64, 0.002, "first order") > 0.3) -- what the plain scheme does
  end)

  it("are of second order in space and time together", function()
    local function error_at(n)
      local flow, exact = taylor_green(n, { viscosity = 0.01 })
      steps(flow, n / 4, 1.6 / n)
      return error_of(flow, exact, math.exp(-2 * 0.01 * k * k * 0.4))
    end
    local coarse, middle, fine = error_at(16), error_at(32), error_at(64)
    assert.is_true(math.log(coarse / middle) / math.log(2) > 1.8, coarse / middle)
    assert.is_true(math.log(middle / fine) / math.log(2) > 1.8, middle / fine)
  end)

  it("are of second order in time, of first without the pressure of before", function()
    -- Drifting vortices change in time; against one of 512 steps on the same grid.
    local function run(count, predict)
      local flow, exact = taylor_green(32, { viscosity = 0.002, predict_pressure = predict, advection = "unlimited",
        courant = 0.25, tolerance = 1e-7 })
      for i = 1, #exact.x do
        exact.x[i] = exact.x[i] + 0.7
      end
      flow:set(exact)
      steps(flow, count, 0.5 / count)
      return flow:faces "x"
    end
    local function distance(a, b)
      local sum = 0
      for i = 1, #a do
        sum = sum + (a:get(i) - b:get(i)) ^ 2
      end
      return math.sqrt(sum / #a)
    end
    local reference = run(256, true)
    local coarse, fine = distance(run(16, true), reference), distance(run(32, true), reference)
    assert.is_true(math.log(coarse / fine) / math.log(2) > 1.7, coarse / fine)
    local rough, less = distance(run(16, false), reference), distance(run(32, false), reference)
    assert.is_true(math.log(rough / less) / math.log(2) < 1.5, rough / less)
    assert.is_true(rough > 2 * coarse)
  end)

  it("do not speed up in steps twenty cells long", function()
    for _, predict in ipairs { true, false } do
      local flow = taylor_green(32, { viscosity = 0, predict_pressure = predict })
      local start, energy = largest(flow), sums(flow)
      local top = start
      for _ = 1, 10 do
        flow:step(20 / 32)
        local now, left = largest(flow), sums(flow)
        assert.is_true(now <= (predict and start or top) * (1 + 1e-5), now / top)
        assert.is_true(left <= energy * (1 + 1e-5), left / energy)
        assert.is_true(flow.stats.divergence <= 1e-5)
        top, energy = now, left
      end
    end
  end)
end)

describe("Noise in a periodic box", function()
  local cells = { 16, 12, 10 }
  local options = { cells = cells, cell = 0.1, viscosity = 1e-3, boundary = { all = "periodic" } }

  it("keeps its momentum to rounding, and loses energy", function()
    local flow = random_flow(options, 7)
    flow:project()
    local energy, before = sums(flow)
    for _ = 1, 10 do
      flow:step(0.1)
      local left, momentum = sums(flow)
      assert.is_true(left < energy)
      energy = left
      for a = 1, 3 do
        assert.is_true(math.abs(momentum[a] - before[a]) < 2e-4, momentum[a] - before[a]) -- of 1920 cells at 1 m/s
      end
    end
  end)

  it("moves the same to the last bit with any number of threads and any instruction set", function()
    local function run(threads, set)
      weft.threads(threads)
      weft.instruction_set(set)
      local flow = random_flow({ cells = { 40, 30, 24 }, cell = 0.1,
        boundary = { all = "wall", x_high = "open" } }, 9)
      steps(flow, 3, 0.1)
      return flow:faces("x"):string() .. flow:faces("y"):string() .. flow:pressure():string()
    end
    local _, sets = weft.instruction_set()
    local one = run(1, "best")
    assert.is_true(one == run(2, "best"))
    assert.is_true(one == run(3, "best"))
    for _, set in ipairs(sets) do
      assert.is_true(one == run(1, set), set)
    end
    weft.threads(1)
    weft.instruction_set "best"
  end)

  it("does so too where air comes in through open sides, however often it is asked", function()
    local function run(threads)
      weft.threads(threads)
      local flow = weft.flow { cells = { 12, 12, 12 }, cell = 0.08,
        boundary = { all = { kind = "open", velocity = { 3, 1, 0.5 } },
          x_low = { kind = "inflow", velocity = { 3, 1, 0.5 } } } }
      flow:set(on_faces({ 12, 12, 12 }, { x = function(i, j, k) return 3 + math.sin(i + 3 * j + 5 * k) end }))
      steps(flow, 12, 1 / 60)
      return flow:faces("x"):string() .. flow:faces("z"):string()
    end
    local one = run(1)
    for k = 1, 60 do
      assert.is_true(one == run(2 + k % 2), k)
    end
    weft.threads(1)
  end)

  it("goes on from what was set, not from what was before", function()
    local flow, again = random_flow(options, 7), random_flow(options, 7)
    local start = { x = flow:faces "x", y = flow:faces "y", z = flow:faces "z" }
    steps(flow, 2, 0.1)
    flow:set(start)
    flow:step(0.1)
    again:step(0.1)
    assert.is_true(again:faces("x"):string() == flow:faces("x"):string())
  end)
end)

describe("A dye, which is the third component in two dimensions,", function()
  it("is carried exactly where it rises linearly", function()
    local n = 64
    local wind = { kind = "inflow", velocity = { 0.5, 0, 0 } }
    local flow = weft.flow { cells = { n, 4, 1 }, cell = 1 / n, viscosity = 0,
      boundary = { x_low = wind, x_high = "open", y = "periodic" } }
    flow:set(on_faces({ n, 4, 1 }, { x = function() return 0.5 end, z = function(i) return i / n end }))
    steps(flow, 10, 0.02)
    for i = 34, 50 do -- 0.1 m on, and nothing of the sides yet
      local w = flow:at({ i / n, 1 / 32, 0 })[3]
      assert.is_true(math.abs(w - (i / n - 0.1)) < 2e-6, w)
    end
  end)

  it("spreads with variance 2 nu t", function()
    local n, viscosity = 48, 0.01
    local function variance(flow)
      local velocity, mass, square = flow:velocity(), 0, 0
      for i = 1, #velocity do
        local _, _, w = velocity:get(i)
        local x = ((i - 1) % n + 0.5) / n - 0.5
        mass, square = mass + w, square + w * x * x
      end
      return square / mass
    end
    -- In one long step, which viscosity takes for itself, and in short ones.
    for _, count in ipairs { 1, 30 } do
      local flow = weft.flow { cells = { n, n, 1 }, cell = 1 / n, viscosity = viscosity,
        boundary = { all = "periodic" } }
      flow:set(on_faces({ n, n, 1 }, { z = function(i, j)
        return math.exp(-((i / n - 0.5) ^ 2 + (j / n - 0.5) ^ 2) / (2 * 0.06 ^ 2))
      end }))
      local before = variance(flow)
      steps(flow, count, 0.3 / count)
      near(2 * viscosity * 0.3, variance(flow) - before, 0.02)
      assert.equal(count == 1, flow.stats.diffusion_stages > 0)
    end
  end)
end)

-- ---- walls ----------------------------------------------------------------------------------------------------------

describe("The cavity under a sliding lid", function()
  it("has the velocities of Ghia's table at Re 100", function()
    assert.is_true(flows.cavity_error(flows.cavity(48, 100, 15), 100) < 0.02)
  end)

  it("has the velocities of Ghia's table at Re 1000", function()
    assert.is_true(flows.cavity_error(flows.cavity(64, 1000, 50), 1000) < 0.04)
  end)
end)

describe("A channel", function()
  it("has Poiseuille's profile between its own walls, and between solids", function()
    -- u = a y (H - y) / (2 nu): 1 in the middle of H = 1 m.
    local viscosity, n = 0.1, 32
    local push = { 8 * viscosity, 0, 0 }
    local flow = weft.flow { cells = { 4, n, 1 }, cell = 1 / n, viscosity = viscosity, acceleration = push,
      boundary = { x = "periodic", y = "wall" } }
    steps(flow, 60, 0.2)
    -- The same between two slabs whose surfaces lie 0.3 of a cell inside the cells they cut.
    local cells = { 4, n + 4, 1 }
    local slabs = weft.flow { cells = cells, cell = 1 / n, viscosity = viscosity, acceleration = push,
      boundary = { x = "periodic", y = "wall" } }
    local lower, upper = 1.7, n + 1.7
    local function part(j) -- of a face from j - 1/2 to j + 1/2
      return math.max(0, math.min(j + 0.5, upper) - math.max(j - 0.5, lower))
    end
    slabs:block(on_faces(cells, {
      x = function(_, j) return part(j) end,
      y = function(_, j) return (j > lower and j < upper) and 1 or 0 end,
      z = function(_, j) return part(j) end,
    }))
    steps(slabs, 60, 0.2)
    for j = 0, n - 1 do
      local y = (j + 0.5) / n
      local u = 4 * y * (1 - y)
      assert.is_true(math.abs(flow:at({ 0.05, y, 0 })[1] - u) < 0.003)
      local beside = (j + 2.5) / n
      local v = 4 * (beside - lower / n) * (upper / n - beside)
      assert.is_true(math.abs(slabs:at({ 0.05, beside, 0 })[1] - math.max(0, v)) < 0.01)
    end
    -- The slabs hold the air back with what drives it: density x volume x acceleration.
    local force = slabs:force()
    near(1.2 * (4 / n) * (1 / n) * 1 * 0.8, force[1], 0.03)
  end)
end)

describe("Air in a closed box", function()
  it("presses on the bottom with its weight, in every step", function()
    for _, predict in ipairs { true, false } do
      local flow = weft.flow { cells = { 6, 10, 5 }, cell = 0.1, boundary = { all = "wall" },
        acceleration = { 0, -9.81, 0 }, predict_pressure = predict }
      for _ = 1, 3 do
        flow:step(0.05)
        local pressure = flow:pressure()
        near(1.2 * 9.81 * 0.9, pressure:get(1) - pressure:get(1 + 6 * 9), 1e-4) -- 9 cells up
        assert.is_true(largest(flow) < 1e-3 * 9.81 * 0.05) -- of what a step without pressure would make
      end
    end
  end)
end)

describe("A solid along the grid", function()
  it("lets nothing through, and what is inside moves with it", function()
    local cells = { 20, 16, 12 }
    local wind = { kind = "inflow", velocity = { 3, 0, 0 } }
    local flow = weft.flow { cells = cells, cell = 0.1, boundary = { x_low = wind } }
    local function closed(i, j, k) return i >= 6 and i <= 9 and j >= 5 and j <= 11 and k >= 4 and k <= 8 end
    local function fraction(i, j, k) return closed(i, j, k) and 0 or 1 end
    local open = on_faces(cells, { x = fraction, y = fraction, z = fraction })
    for _, speed in ipairs { 0, 0.5 } do
      open.velocity = { speed, 0, 0 }
      flow:block(open)
      steps(flow, 5, 0.05)
      assert.is_true(flow.stats.divergence <= 1e-5, flow.stats.divergence)
      for axis, name in ipairs { "x", "y", "z" } do
        local faces = flow:faces(name)
        local there = axis == 1 and speed or 0
        for n = 1, #faces do
          if open[name][n] == 0 then
            assert.is_true(math.abs(faces:get(n) - there) <= 1e-6)
          end
        end
      end
    end
    assert.is_true(flow:force()[1] > 0)
  end)
end)

describe("Flow past a cylinder at Re 100", function()
  it("sheds vortices at the known rate and has the known drag", function()
    -- 10 cells across it, in a box 22 x 14 diameters: 7 % of it are blocked.
    local flow = flows.cylinder { per = 10, width = 22, height = 14, ahead = 6 }
    local strouhal, drag = flows.shedding(flow, 10, { step = 0.07, from = 40, to = 75 })
    near(0.165, strouhal, 0.1)
    near(1.34, drag, 0.15)
  end)
end)

-- ---- sides ----------------------------------------------------------------------------------------------------------

describe("Sides", function()
  it("let a vortex leave, and take nothing back", function()
    local n = 32
    local wind = { kind = "inflow", velocity = { 1, 0, 0 } }
    local flow = weft.flow { cells = { 2 * n, n, 1 }, cell = 1 / n, viscosity = 1e-4, boundary = { x_low = wind,
      x_high = { kind = "open", velocity = { 1, 0, 0 }, sponge = 0.3, sponge_rate = 10 }, y = "slip" } }
    local function swirl(i, j) return 20 * math.exp(-40 * ((i / n - 1.2) ^ 2 + (j / n - 0.5) ^ 2)) end
    flow:set(on_faces({ 2 * n, n, 1 }, {
      x = function(i, j) return 1 - swirl(i, j) * (j / n - 0.5) end,
      y = function(i, j) return swirl(i, j) * (i / n - 1.2) end,
    }))
    for _ = 1, 100 do
      flow:step(0.03)
      assert.is_true(largest(flow) < 3.5)
    end
    assert.is_true(math.abs(largest(flow) - 1) < 0.02, largest(flow))
  end)

  it("blow with a velocity for each face", function()
    local flow = weft.flow { cells = { 12, 8, 4 }, cell = 0.1,
      boundary = { x_low = "inflow", x_high = "open", y = "slip", z = "slip" } }
    local points = flow:side_points "x_low"
    assert.equal(32, #points)
    local velocities, total = {}, 0
    for i = 1, #points do
      local x, y = points:get(i)
      assert.equal(0, x)
      velocities[i] = { 1 + y, 0, 0 }
      total = total + velocities[i][1]
    end
    flow:side { side = "x_low", velocities = velocities }
    steps(flow, 3, 0.05)
    local faces, inside, outside = flow:faces "x", 0, 0
    for k = 0, 3 do
      for j = 0, 7 do
        inside = inside + faces:get(1 + 13 * (j + 8 * k))
        outside = outside + faces:get(13 + 13 * (j + 8 * k))
      end
    end
    near(total, inside, 1e-6)
    near(total, outside, 1e-4)
    near(1.35, faces:get(1 + 13 * 3), 1e-6)
  end)
end)

describe("Confinement of vorticity", function()
  it("keeps vortices up that would decay, and is off by default", function()
    local function left(confinement)
      local flow = taylor_green(16, { viscosity = 0, advection = "first order", confinement = confinement })
      steps(flow, 20, 0.02)
      return (sums(flow))
    end
    assert.is_true(left(0.5) > 1.1 * left(0))
    assert.equal(left(nil), left(0))
  end)

  it("pushes towards the vortex's middle and around it: N x omega", function()
    -- Of a vortex about z with its middle in the middle, N points inwards and N x omega along the turning.
    local n = 16
    local function run(confinement)
      local flow = weft.flow { cells = { n, n, 1 }, cell = 1 / n, viscosity = 0, advection = "none",
        confinement = confinement, boundary = { all = "slip" } }
      local function turn(i, j) return math.exp(-60 * ((i / n - 0.5) ^ 2 + (j / n - 0.5) ^ 2)) end
      flow:set(on_faces({ n, n, 1 }, {
        x = function(i, j) return -turn(i, j) * (j / n - 0.5) end,
        y = function(i, j) return turn(i, j) * (i / n - 0.5) end,
      }))
      flow:step(0.01)
      return flow:at({ 0.5 + 1.5 / n, 0.5, 0 })[2]
    end
    assert.is_true(run(1) > run(0))
  end)
end)

-- ---- bad input ------------------------------------------------------------------------------------------------------

describe("A flow refuses", function()
  local function refused(options)
    return message_of(weft.flow, options)
  end

  it("grids that cannot be", function()
    assert.matches("cells must be three integers", refused { cells = { 0, 4, 4 }, cell = 1 })
    assert.matches("cells must be from 4 to 4096", refused { cells = { 2, 4, 4 }, cell = 1 })
    assert.matches("one of cell .* and size", refused { cells = { 4, 4, 4 } })
    assert.matches("cell must be", refused { cells = { 4, 4, 4 }, cell = 0 })
    assert.matches("cell must be", refused { cells = { 4, 4, 4 }, cell = 0 / 0 })
    assert.matches("four times the shortest", refused { cells = { 4, 4, 4 }, size = { 1, 1, 100 } })
    assert.matches("periodic along z", refused { cells = { 4, 4, 1 }, cell = 1, boundary = { z = "wall" } })
    assert.matches("both its sides or on neither, got y_high alone",
      refused { cells = { 4, 4, 4 }, cell = 1, boundary = { y_high = "periodic" } })
    assert.matches("did you mean 'viscosity'", refused { cells = { 4, 4, 4 }, cell = 1, viscocity = 1 })
    assert.matches("did you mean 'x_low'", refused { cells = { 4, 4, 4 }, cell = 1, boundary = { xlow = "open" } })
  end)

  it("grids that would not fit in memory, and says how much they would take", function()
    local message = refused { cells = { 4096, 4096, 4096 }, cell = 1e-3 }
    assert.matches("6.872e%+10 cells would take [%d.e+]+ GB, more than the limit of 4 GB", message)
    assert.matches("more than the limit", refused { cells = { 64, 64, 64 }, cell = 1, memory_limit = 1e7 })
  end)

  it("what single precision cannot hold, by name", function()
    local function with(name, value)
      local options = { cells = { 4, 4, 4 }, cell = 1 }
      options[name] = value
      return refused(options)
    end
    assert.matches("acceleration.x must be from %-1e%+06 to 1e%+06, got 1e%+300", with("acceleration", { 1e300, 1, 1 }))
    assert.matches("edges of a cell must be from 1e%-06 to 1e%+09 m, got 1e%-300", with("cell", 1e-300))
    assert.matches("origin.z must be .* got 1e%+300", with("origin", { 0, 0, 1e300 }))
    assert.matches("density must be .* got 1e%-300", with("density", 1e-300))
    assert.matches("a side's velocity.y must be .* got 1e%+300",
      with("boundary", { x_low = { kind = "inflow", velocity = { 0, 1e300, 0 } } }))
    local flow = weft.flow { cells = { 4, 4, 4 }, cell = 1 }
    assert.matches("velocity.x must be .* got 1e%+300", message_of(flow.block, flow, { velocity = { 1e300, 0, 0 } }))
    assert.matches("a side's velocity.z must be",
      message_of(flow.side, flow, { side = "x_low", velocity = { 0, 0, -1e300 } }))
    local velocities = {}
    for n = 1, 16 do
      velocities[n] = { n == 3 and 1e300 or 0, 0, 0 }
    end
    assert.matches("at most 1e%+09 m/s, got {1e%+300, 0, 0} at face 3",
      message_of(flow.side, flow, { side = "x_low", velocities = velocities }))
    assert.matches("seconds must be", message_of(flow.step, flow, 1e-300))
    flow:step(1)
    assert.same({ 0, 0, 0 }, flow:at { 2, 2, 2 })
  end)

  it("viscosity that takes more stages than anyone waits for", function()
    local flow = weft.flow { cells = { 4, 4, 4 }, cell = 1e-3, viscosity = 1e6 }
    assert.matches("a viscosity of 1e%+06 m2/s takes [%d.e+]+ stages in a step of 1 s",
      message_of(flow.step, flow, 1))
    assert.equal(0, flow.time)
    flow:step(1e-9)
  end)

  it("a wind of a million metres per second, and stays as it was", function()
    local cells = { 8, 8, 8 }
    local flow = weft.flow { cells = cells, cell = 0.01, boundary = { all = "periodic" } }
    uniform(flow, cells, 1e6, 0, 0)
    local before = flow:faces("x"):string()
    assert.matches("crosses [%d.e+]+ cells in a step of .* sub%-steps, more than the limit of 200",
      message_of(function() flow:step(1 / 60) end))
    assert.is_true(before == flow:faces("x"):string())
    assert.equal(0, flow.time)
    flow:step(1e-7) -- ten cells: it can be done
    assert.is_true(before == flow:faces("x"):string())
  end)

  it("what is not a number", function()
    local flow = weft.flow { cells = { 4, 4, 1 }, cell = 1 }
    for _, seconds in ipairs { 0, -1, 0 / 0, math.huge, "1" } do
      assert.matches("weft.flow.step: seconds must be", message_of(function() flow:step(seconds) end))
    end
    assert.matches("x must be one number for each of 5 x 4 x 1 faces, got 3",
      message_of(function() flow:set { x = { 1, 2, 3 } } end))
    local values = weft.buffer { count = 20, components = 1, type = "float" }
    values:set(7, 1e30)
    assert.matches("x must be numbers from", message_of(function() flow:set { x = values } end))
    assert.matches("point must be", message_of(function() flow:at { 0, 0 / 0, 0 } end))
    assert.matches("velocities must be one for each of 4 faces",
      message_of(function() flow:side { side = "x_low", velocities = { { 0, 0, 0 } } } end))
    local pair = {}
    for k = 1, 2 do
      pair[k] = weft.flow { cells = { 4, 4, 1 }, cell = 1, boundary = { all = "open" } }
    end
    local fast = { { 0, 0, 0 }, { 0, 0, 0 }, { 1e10, 0, 0 }, { 0, 0, 0 } }
    assert.matches("at most 1e%+09 m/s, got {1e%+10, 0, 0} at face 3", message_of(function()
      pair[1]:side { side = "x_low", velocity = { 3, 0, 0 }, sponge = 2, sponge_rate = 50, velocities = fast }
    end))
    for k = 1, 2 do -- nothing of what was refused was taken
      pair[k]:step(0.1)
    end
    assert.same(pair[2]:at { 0.5, 0.5, 0.5 }, pair[1]:at { 0.5, 0.5, 0.5 })
    assert.matches("viscosity must be", message_of(function() flow.viscosity = -1 end))
    assert.equal(0, largest(flow))
  end)

  it("nothing that was made before it failed to get memory", function()
    support.fail_each_allocation(function()
      return weft.flow { cells = { 8, 8, 4 }, cell = 1 }
    end)
  end)
end)
