-- Layers as one fabric, against the theory of laminates.

local support = require "spec.support"
local weft = require "weft"

local function close_to(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= (tolerance or 1e-12) * math.abs(expected),
    ("expected %.15g, got %.15g"):format(expected, got))
end

local wool = weft.fabric { base = "wool", thickness = 0.0006, viscosity = 0.02 }
local canvas = weft.fabric { base = "polyester", thickness = 0.0003, density = 0.1,
  stretch = { weft = 500, warp = 2500, coupling = 100 }, shear = 300, viscosity = 0.005, friction = 0.7 }

describe("weft.fabric.loose", function()
  it("adds everything", function()
    local both = weft.fabric.loose { wool, canvas }
    close_to(wool.density + canvas.density, both.density)
    close_to(wool.thickness + canvas.thickness, both.thickness)
    close_to(wool.shear + canvas.shear, both.shear)
    for _, way in ipairs { "weft", "warp", "coupling" } do
      close_to(wool.stretch[way] + canvas.stretch[way], both.stretch[way])
    end
    for _, way in ipairs { "weft", "warp" } do
      close_to(wool.bend[way] + canvas.bend[way], both.bend[way])
    end
    assert.equal(wool.friction, both.friction)
  end)

  it("adds viscous moduli, too", function()
    local both = weft.fabric.loose { wool, canvas }
    local function viscous(f) return f.viscosity * (f.stretch.weft + f.stretch.warp) end
    close_to(viscous(wool) + viscous(canvas), viscous(both))
  end)

  it("of one layer is that layer", function()
    for _, make in ipairs { weft.fabric.loose, weft.fabric.fused } do
      local same = make { wool }
      close_to(wool.bend.weft, same.bend.weft)
      close_to(wool.stretch.coupling, same.stretch.coupling)
      close_to(wool.viscosity, same.viscosity)
      assert.equal(wool.name, same.name)
    end
  end)
end)

it("A laminate of a fabric with curves is refused", function()
  local ok, message = pcall(weft.fabric.fused, { weft.fabric.wool,
    weft.fabric { stretch = { coupling = 0 }, curves = { weft = { { 0.1, 5 } } } } })
  assert.is_false(ok)
  assert.truthy(message:find("layer 2 has stress-strain curves", 1, true), message)
end)

describe("weft.fabric.fused", function()
  it("of two equal layers bends with 2 (B + E z^2)", function()
    local both = weft.fabric.fused { wool, wool }
    for _, way in ipairs { "weft", "warp" } do
      close_to(2 * (wool.bend[way] + wool.stretch[way] * (wool.thickness / 2) ^ 2), both.bend[way])
    end
  end)

  -- A homogeneous plate cut into layers is the same plate: Q = E / (1 - nu^2) h, D = Q h^2 / 12.
  it("puts a plate together again that was cut into layers", function()
    local function plate(h)
      local q = 1e6 * h / (1 - 0.3 ^ 2)
      return weft.fabric { thickness = h, stretch = { weft = q, warp = q, coupling = 0.3 * q }, shear = 0.35 * q,
        bend = { weft = q * h * h / 12, warp = q * h * h / 12 } }
    end
    local whole = plate(0.001)
    local cut = weft.fabric.fused { plate(0.0001), plate(0.0006), plate(0.0003) }
    close_to(whole.stretch.weft, cut.stretch.weft)
    close_to(whole.bend.weft, cut.bend.weft)
    close_to(whole.bend.warp, cut.bend.warp)
  end)

  -- Of one Poisson's ratio: the parallel-axis rule about the neutral surface weighted with stiffness.
  it("follows the parallel-axis rule", function()
    local function layer(q, h, bend)
      return weft.fabric { thickness = h, stretch = { weft = q, warp = 2 * q, coupling = 0.25 * q },
        bend = { weft = bend, warp = bend } }
    end
    local layers = { layer(300, 0.0004, 1e-5), layer(2000, 0.0001, 2e-6), layer(700, 0.0008, 3e-5) }
    local both = weft.fabric.fused(layers)
    local height, moment, stiffness = 0, 0, 0
    local middles = {}
    for k, f in ipairs(layers) do
      middles[k] = height - f.thickness / 2
      height = height - f.thickness
      moment, stiffness = moment + f.stretch.weft * middles[k], stiffness + f.stretch.weft
    end
    local weft_modulus = 0
    for k, f in ipairs(layers) do
      weft_modulus = weft_modulus + f.bend.weft + f.stretch.weft * (middles[k] - moment / stiffness) ^ 2
    end
    close_to(weft_modulus, both.bend.weft)
  end)

  it("adds coupling and twist in bending, too", function()
    local twisted = weft.fabric { base = wool, bend = { twist = 0.7, poisson = 0.1 } }
    local both = weft.fabric.loose { wool, twisted }
    local function moduli(f, name) return f.bend[name] * math.sqrt(f.bend.weft * f.bend.warp) end
    for _, name in ipairs { "twist", "poisson" } do
      close_to(moduli(wool, name) + moduli(twisted, name), moduli(both, name))
    end
    assert.is_true(weft.fabric.fused({ wool, wool }).bend.twist > 0)
  end)

  it("does not mind which side is out", function()
    local a, b = weft.fabric.fused { wool, canvas }, weft.fabric.fused { canvas, wool }
    close_to(a.bend.weft, b.bend.weft)
    close_to(a.bend.warp, b.bend.warp)
    assert.is_true(a.bend.warp > weft.fabric.loose({ wool, canvas }).bend.warp)
  end)

  it("refuses what is no list of fabrics", function()
    local message = support.message_of
    assert.equal("weft.fabric.fused: layers must be a list of 1 to 16 fabrics, the outer one first, got {}",
      message(weft.fabric.fused, {}))
    assert.equal("weft.fabric.loose: layers must be a list of 1 to 16 fabrics, the outer one first, got nothing",
      message(weft.fabric.loose))
    assert.truthy(message(weft.fabric.loose, { wool, 3 }):find("layers must be a weft.fabric, got 3", 1, true))
    assert.truthy(message(weft.fabric.fused, { weft.fabric { thickness = 0.09 }, weft.fabric { thickness = 0.09 } })
      :find("thickness", 1, true))
  end)
end)
