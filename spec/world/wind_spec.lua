-- Air in worlds: its force in the solve, against closed solutions, conservation laws and frames of reference.

local support = require "spec.support"
local weft = require "weft"

local near = support.near

local function stiff(density)
  local fabric = weft.fabric.preset "wool"
  fabric.density = density or 0.26
  return fabric
end

--- A world with a square sheet across `axis` ("y": horizontal), in wind or still air.
local function sheet_world(options)
  local given = support.with({ self_contact = false, tolerance = 1e-12 }, options.world or {})
  local world = weft.world(given)
  local horizontal = options.across ~= "z"
  local sheet = world:add(weft.sheet { cells = options.cells or { 6, 6 }, size = { 1, 1 },
    warp = horizontal and { 0, 0, -1 } or { 0, 1, 0 }, fabric = options.fabric or stiff() })
  if options.velocity then
    world.wind:add(weft.wind.uniform { velocity = options.velocity })
  else
    world.wind.still_air = true
  end
  sheet.air = options.air
  return world, sheet
end

--- Gives all vertices the velocity that f makes of their positions.
local function set_velocities(sheet, f)
  local velocities = weft.buffer { count = sheet.vertices }
  for i = 1, sheet.vertices do
    velocities:set(i, f(sheet.positions:get(i)))
  end
  sheet:assign { velocities = velocities }
end

local function each(sheet, f)
  for i = 1, sheet.vertices do
    local x, y, z = sheet.positions:get(i)
    f(i, x, y, z)
  end
end

local function mean_height(sheet)
  local sum = 0
  each(sheet, function(_, _, y)
    sum = sum + y / sheet.vertices
  end)
  return sum
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
    -- m g = rho/2 C_D v^2 per area: 1.939 m/s for wool and viscose, 2.062 for wool, 1.667 for polyester
    for _, law in ipairs { { law = "keckeisen", drag = 1, lift = 1 }, plate } do
      for _, v in ipairs { 1.939, 2.062, 1.667 } do
        local density = 0.5 * 1.2 * v * v / 9.81
        local world, sheet = sheet_world { fabric = stiff(density), air = law }
        world:step(180)
        local x, y, z = sheet.velocities:get(1)
        near(v, -y, 1e-3)
        assert.is_true(math.abs(x) + math.abs(z) < 1e-9)
        near(density * 9.81, sheet:air_force().force[2], 1e-3)
      end
    end
  end)

  it("lets a sheet fall as ln cosh (T36), with the order of the scheme", function()
    -- h(t) = (v^2 / g) ln cosh (g t / v)
    local v, g, density = 2, 9.81, 0.5 * 1.2 * 4 / 9.81
    local expected = v * v / g * math.log((math.exp(g / v) + math.exp(-g / v)) / 2)
    local schemes = { ["backward euler"] = 1, bdf2 = 2, ["implicit midpoint"] = 2, trapezoid = 2,
      ["explicit midpoint"] = 2, rk4 = 4, xpbd = 1 }
    for scheme, order in pairs(schemes) do
      local errors = {}
      for k, h in ipairs { 1 / 50, 1 / 100 } do
        local world, sheet = sheet_world { fabric = stiff(density), air = plate, cells = { 2, 2 },
          world = { time_step = h, integrator = scheme } }
        sheet.membrane, sheet.bending = nil, nil
        world:step(math.floor(1 / h + 0.5))
        errors[k] = math.abs(-mean_height(sheet) - expected)
        each(sheet, function(_, _, y)
          assert.is_true(math.abs(y - mean_height(sheet)) < 1e-9, scheme)
        end)
      end
      local measured = math.log(errors[1] / errors[2]) / math.log(2)
      assert.is_true(measured > order - 0.25, ("%s: order %.2f"):format(scheme, measured))
      assert.is_true(errors[2] < (order == 1 and 0.03 or 1e-3), scheme)
    end
  end)
end)
