-- Losses that do not depend on the frequency (constant Q), beside viscosity that loses in proportion to it.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local support = require "spec.support"

local TURN = 2 * math.pi

--- tan(delta) of a model that is led through sines of the frequency f; x: positions at an amplitude, read: a stress.
local function loss_factor(model, x, read, f, amplitude)
  local n = 48
  local step, cycles = 1 / (f * n), math.min(150, math.max(4, math.ceil(10 * f)))
  model:remember { x = x(0), step = step }
  local in_phase, ahead = 0, 0
  for k = 1, n * cycles do
    local angle = TURN * k / n
    local at = x(amplitude * math.sin(angle))
    if k > n * (cycles - 1) then
      local stress = read(model, at)
      in_phase, ahead = in_phase + stress * math.sin(angle), ahead + stress * math.cos(angle)
    end
    model:remember { x = at, step = step }
  end
  return ahead / in_phase
end

local triangle = { faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } } }

local function stretched(strain)
  return { { 0, 0, 0 }, { 1 + strain, 0, 0 }, { 0, 1, 0 } }
end

local function sheared(angle)
  return { { 0, 0, 0 }, { 1, 0, 0 }, { math.sin(angle), math.cos(angle), 0 } }
end

local function pull(model, x)
  return 2 * model:forces({ x = x }):get(1)
end

local function couple(model, x)
  local f = model:forces({ x = x }):table()[3]
  return f[2] * x[3][1] - f[1] * x[3][2]
end

--- A hinge of two faces, folded by an angle.
local hinge = { faces = { { 1, 2, 3 }, { 1, 4, 2 } }, rest = { { 0, 0 }, { 0, 1 }, { -1, 0.5 }, { 1, 0.5 } } }

local function folded(angle)
  return { { 0, 0, 0 }, { 0, 1, 0 }, { -1, 0.5, 0 }, { math.cos(angle), 0.5, math.sin(angle) } }
end

local function lift(model, x)
  local f = model:forces({ x = x }):table()[4]
  return f[1] * math.sin(x[4][3]) - f[3] * x[4][1]
end

local function with(model, shape, fabric)
  return weft.model.create { name = model, faces = shape.faces, rest = shape.rest, fabric = fabric }
end

describe("A fabric's loss", function()
  local fabric = weft.fabric { viscosity = 0, bend = { viscosity = 0 },
    loss = { stretch = 0.1, shear = 0.2, bend = 0.05, from = 0.3, to = 100 } }

  it("is the loss factor that was asked for, of each mode, over two decades and a half", function()
    for _, f in ipairs { 0.3, 0.5, 1, 2, 5, 10, 20, 50, 100 } do
      assert.near(0.1, loss_factor(with("weave particles", triangle, fabric), stretched, pull, f, 1e-4), 0.003)
      assert.near(0.2, loss_factor(with("weave particles", triangle, fabric), sheared, couple, f, 1e-4), 0.007)
      assert.near(0.05, loss_factor(with("shell", hinge, fabric), folded, lift, f, 1e-4), 0.0015)
    end
  end)

  it("is that about a stretched state too, where a curve is steep", function()
    local curve = weft.fabric { stretch = { coupling = 0 }, curves = { weft = { { 0.05, 10 }, { 0.1, 100 } } },
      loss = { stretch = 0.1, from = 0.3, to = 100 } }
    local function about(strain)
      return stretched(0.08 + strain)
    end
    for _, f in ipairs { 0.5, 5, 50 } do
      assert.near(0.1, loss_factor(with("weave particles", triangle, curve), about, pull, f, 1e-4), 0.006)
    end
  end)

  it("leaves slow motion alone, and rigid motion of any speed", function()
    local plain = weft.fabric.wool
    local model = with("weave particles", triangle, fabric)
    assert.near(pull(with("weave particles", triangle, plain), stretched(0.01)), pull(model, stretched(0.01)), 1e-9)
    model:remember { x = stretched(0.01) }
    model:remember { x = stretched(0.01), step = 0.01 }
    assert.near(pull(with("weave particles", triangle, plain), stretched(0.01)), pull(model, stretched(0.01)), 1e-9)
    local flat = with("shell", hinge, fabric)
    for k = 0, 20 do
      local c, s = math.cos(0.7 * k), math.sin(0.7 * k)
      for _, piece in ipairs { { with("weave particles", triangle, fabric), stretched(0) }, { flat, folded(0) } } do
        local turned = {}
        for i, p in ipairs(piece[2]) do
          turned[i] = { c * p[1] - s * p[3] + k, p[2], s * p[1] + c * p[3] }
        end
        for _, force in ipairs(piece[1]:forces({ x = turned }):table()) do
          assert.near(0, math.abs(force[1]) + math.abs(force[2]) + math.abs(force[3]), 1e-9)
        end
        piece[1]:remember { x = turned, step = 0.01 }
      end
    end
  end)

  it("has the stiffness that its stress has", function()
    local model = with("weave particles", triangle, fabric)
    model:remember { x = stretched(0), step = 0.02 }
    local x = { { 0, 0, 0 }, { 1.02, 0.03, 0 }, { 0.05, 0.98, 0.01 } }
    local _, matrix_error = sheets.difference_errors(model, x, 1e-6)
    assert.is_true(matrix_error < 1e-7, matrix_error)
  end)

  it("must be of a band, and of a model that remembers", function()
    local material = weft.fabric { loss = { stretch = 0.1 } }
    assert.equal("weft.fabric: loss.to must be from 1 to 1000 Hz, got 100000",
      support.message_of(function() material.loss.to = 1e5 end))
    assert.equal("weft.fabric: loss.bend must be from 0 to 0.3, got 0.9",
      support.message_of(function() material.loss.bend = 0.9 end))
    assert.matches('has losses, which "green" cannot express; "weave particles" can', support.message_of(with, "green",
      triangle, material))
  end)
end)

--- A square of 0.1 m, held at its left side and let go at a strain of 1 %: where the strain turns, and energies.
local function swing(loss, density, scheme, steps)
  local fabric = weft.fabric { density = density, stretch = { weft = 400, warp = 400, coupling = 0 }, shear = 300,
    viscosity = 0, bend = { weft = 0, warp = 0, viscosity = 0 }, loss = { stretch = loss, from = 2, to = 500 } }
  local cloth = weft.cloth { vertices = { { 0, 0, 0 }, { 0.101, 0, 0 }, { 0.101, 0.1, 0 }, { 0, 0.1, 0 } },
    rest = { { 0, 0 }, { 0.1, 0 }, { 0.1, 0.1 }, { 0, 0.1 } }, faces = { { 1, 2, 3 }, { 1, 3, 4 } }, fabric = fabric,
    membrane = "weave particles" }
  cloth:pin { vertices = { 1, 4 } }
  local period = 0.0157 * math.sqrt(density / 0.5)
  local world = support.still_world { time_step = period / steps, tolerance = 1e-12,
    integrator = { scheme = scheme, newton = "full" } }
  world:add(cloth)
  local peaks, last, rate, energies = {}, 0.01, 0, {}
  for k = 1, 8 * steps do
    world:step()
    local strain = cloth.positions:get(2) / 0.1 - 1
    if rate * (strain - last) < 0 then
      peaks[#peaks + 1] = last
    end
    if k % steps == 0 then
      energies[#energies + 1] = world:energy().total
    end
    last, rate = strain, strain - last
  end
  return peaks, energies, world
end

local function decrement(peaks)
  return math.log((peaks[4] - peaks[3]) / (peaks[12] - peaks[11])) / 4 -- from side to side, four cycles later
end

describe("Cloth that swings and loses", function()
  it("swings down by pi times the loss factor a cycle over two decades, with BDF2 and backward Euler", function()
    for scheme, steps in pairs { bdf2 = 120, ["backward euler"] = 600 } do
      for _, density in ipairs { 0.02, 0.2, 2, 20, 90 } do -- 300 to 5 Hz
        local free = decrement((swing(0, density, scheme, steps)))
        local lost = decrement((swing(0.1, density, scheme, steps))) - free
        assert.near(0.1 * math.pi, lost, 0.08 * 0.1 * math.pi) -- backward Euler brakes stiffened cloth a little more
      end
    end
  end)

  it("loses energy in each cycle", function()
    for _, scheme in ipairs { "bdf2", "backward euler" } do
      local _, energies = swing(0.1, 0.5, scheme, 100)
      for k = 2, #energies do
        assert.is_true(energies[k] < energies[k - 1])
      end
    end
  end)

  it("has the same bits with any number of threads, and its flows belong to the state", function()
    local hash = select(3, swing(0.1, 0.5, "bdf2", 20)):hash()
    weft.threads(2)
    local again = select(3, swing(0.1, 0.5, "bdf2", 20)):hash()
    weft.threads(1)
    assert.equal(hash, again)
    assert.not_equal(hash, select(3, swing(0.11, 0.5, "bdf2", 20)):hash())
  end)
end)
