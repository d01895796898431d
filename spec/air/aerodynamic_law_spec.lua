-- The force of air on one face: published values, symmetries, continuity, derivatives.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local dot, norm = vectors.dot, vectors.norm

local unpack = table.unpack or unpack

local face_force = weft.wind.face_force
local laws = { "plate", "keckeisen", "keckeisen printed", "kang printed" }

--- The force of a law with these coefficients; the others are 0.
local function force_of(law, coefficients, options)
  local air = support.with({ law = law, normal = 0, friction = 0, drag = 0, lift = 0 }, coefficients)
  return face_force(support.with(options, { air = air }))
end

local function near(expected, got, tolerance, what)
  for k = 1, 3 do
    local ok = math.abs(expected[k] - got[k]) <= tolerance
    assert.is_true(ok, ("%s: expected {%.10g, %.10g, %.10g}, got {%.10g, %.10g, %.10g}"):format(what or "force",
      expected[1], expected[2], expected[3], got[1], got[2], got[3]))
  end
end

--- Repeatable vectors of components between -1 and 1.
local function random_vectors(seed)
  local next_integer = support.stream(seed)
  return function()
    local v = {}
    for k = 1, 3 do
      v[k] = next_integer(2000001) / 1000000 - 1
    end
    return v
  end
end

--- The eigenvalues of a symmetric matrix of three rows (Jacobi's rotations).
local function eigenvalues(m)
  local a = {}
  for i = 1, 3 do
    a[i] = { m[i][1], m[i][2], m[i][3] }
  end
  for _ = 1, 30 do
    for _, pair in ipairs { { 1, 2 }, { 1, 3 }, { 2, 3 } } do
      local p, q = pair[1], pair[2]
      if math.abs(a[p][q]) > 0 then
        local theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q]
        local t = (theta < 0 and -1 or 1) / (math.abs(theta) + math.sqrt(theta * theta + 1))
        local c = 1 / math.sqrt(t * t + 1)
        local s = t * c
        for k = 1, 3 do
          a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
        end
        for k = 1, 3 do
          a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
        end
      end
    end
  end
  local values = { a[1][1], a[2][2], a[3][3] }
  table.sort(values)
  return values
end

--- Minus the symmetric part of the derivative of the force, by central differences.
local function differences(options, step)
  local columns = {}
  for j = 1, 3 do
    local forces = {}
    for side = -1, 1, 2 do
      local velocity = { unpack(options.velocity, 1, 3) }
      velocity[j] = velocity[j] + side * step
      forces[side] = (face_force(support.with(options, { velocity = velocity })))
    end
    columns[j] = {}
    for i = 1, 3 do
      columns[j][i] = -(forces[1][i] - forces[-1][i]) / (2 * step)
    end
  end
  local m = {}
  for i = 1, 3 do
    m[i] = {}
    for j = 1, 3 do
      m[i][j] = 0.5 * (columns[j][i] + columns[i][j])
    end
  end
  return m
end

describe("The force of air on a face", function()
  local golden = { area = 0.01, normal = { 0, 0, 1 }, velocity = { 0, 0, 0 }, wind = { 3, 0, 4 }, density = 1.2 }

  it("is that of Keckeisen's drag and lift, in both readings of the angle (T31)", function()
    near({ 0.072, 0, 0.096 }, force_of("keckeisen", { drag = 1 }, golden), 1e-15)
    near({ -0.0576, 0, 0.0432 }, force_of("keckeisen", { lift = 1 }, golden), 1e-15)
    near({ 0.072, 0, 0.096 }, force_of("keckeisen printed", { drag = 1 }, golden), 1e-15)
    near({ -0.0432, 0, 0.0324 }, force_of("keckeisen printed", { lift = 1 }, golden), 1e-15)
  end)

  it("is that of Kang's drag and lift (T32 and T33)", function()
    -- His control parameters are density / 2 times area times coefficient.
    local function kang(coefficients, velocity)
      return force_of("kang printed", coefficients, { density = 2, normal = { 0, 0, 1 }, velocity = velocity })
    end
    near({ 0, 0, 0.4 }, kang({ drag = 0.1 }, { 0, 0, -2 }), 1e-15)
    near({ 0, 0, 0 }, kang({ lift = 1 }, { 0, 0, -2 }), 1e-15)
    near({ -0.3, 0, -0.3 }, kang({ drag = 0.3 }, { 1, 0, 1 }), 1e-15)
    local lift = 1 - math.sqrt(0.5)
    near({ lift, 0, -lift }, kang({ lift = 1 }, { 1, 0, 1 }), 1e-15)
  end)

  it("is pressure along the normal and friction along a plate", function()
    -- rho/2 A C_n |n.v| n.v and rho/2 A C_f |v_t| v_t
    near({ 0, 0, 0.006 * 1.17 * 16 }, force_of("plate", { normal = 1.17 }, golden), 1e-15)
    near({ 0.006 * 0.01 * 9, 0, 0 }, force_of("plate", { friction = 0.01 }, golden), 1e-15)
    local standard = face_force { area = 2, normal = { 0, 1, 0 }, wind = { 0, 10, 0 } }
    near({ 0, 0.6 * 2 * 1.17 * 100, 0 }, standard, 1e-12, "a plate by default")
  end)

  it("is less by the share of the cloth that is open", function()
    for _, law in ipairs(laws) do
      local tight, open = face_force(support.with(golden, { air = { law = law } })),
        face_force(support.with(golden, { air = { law = law, porosity = 0.75 } }))
      near({ 0.25 * tight[1], 0.25 * tight[2], 0.25 * tight[3] }, open, 1e-15, law)
      near({ 0, 0, 0 }, face_force(support.with(golden, { air = { law = law, porosity = 1 } })), 0, law)
    end
  end)

  it("is the same when the normal is turned over, and in a frame that moves", function()
    local random = random_vectors(1)
    for _, law in ipairs(laws) do
      for _ = 1, 50 do
        local n, v, w, c = random(), random(), random(), random()
        local options = { normal = n, velocity = v, wind = w, air = { law = law } }
        local force = face_force(options)
        near(force, face_force(support.with(options, { normal = { -n[1], -n[2], -n[3] } })), 1e-15, law)
        local moved = face_force(support.with(options, { velocity = { v[1] + c[1], v[2] + c[2], v[3] + c[3] },
          wind = { w[1] + c[1], w[2] + c[2], w[3] + c[3] } }))
        near(force, moved, 1e-14, law .. " in a moving frame")
      end
    end
  end)

  it("has lift across the flow, and vanishes without flow", function()
    local random = random_vectors(2)
    for _, law in ipairs(laws) do
      for _ = 1, 50 do
        local v = random()
        local lift = force_of(law, { lift = 1 }, { normal = random(), velocity = v })
        assert.is_true(math.abs(dot(lift, v)) <= 1e-14 * norm(v))
      end
      local still, damping = face_force { normal = random(), air = { law = law } }
      near({ 0, 0, 0 }, still, 0, law)
      for row = 1, 3 do
        near({ 0, 0, 0 }, damping[row], 0, law)
      end
      local slow = face_force { normal = random(), velocity = { 1e-200, 0, 1e-180 }, air = { law = law } }
      near({ 0, 0, 0 }, slow, 0, law)
    end
  end)

  it("never drives: its power in the relative flow is not positive", function()
    local random = random_vectors(3)
    for _, law in ipairs(laws) do
      for _ = 1, 200 do
        local v = random()
        assert.is_true(dot(face_force { normal = random(), velocity = v, air = { law = law } }, v) <= 1e-15)
      end
    end
  end)

  it("goes through grazing flow continuously, but as printed it jumps (T32)", function()
    local function at(law, degrees)
      local angle = math.rad(degrees)
      local velocity = { 10 * math.cos(angle), 0, 10 * math.sin(angle) }
      local force = force_of(law, { normal = 1, drag = 1, lift = 1 }, { normal = { 0, 0, 1 }, velocity = velocity })
      return norm(force) / (0.5 * 1.2 * 100), force[3]
    end
    for _, law in ipairs { "plate", "keckeisen" } do
      assert.is_true(at(law, 1) < 0.04, law)
      assert.is_true(at(law, 1e-6) < 1e-7, law)
    end
    for _, law in ipairs { "keckeisen printed", "kang printed" } do
      local size, before = at(law, -1e-6)
      local _, after = at(law, 1e-6)
      support.near(1, size, 1e-6, law)
      support.near(-2 * before, after - before, 1e-6, law) -- twice the dynamic pressure
    end
  end)

  it("has the symmetric part of its derivative as damping", function()
    local random = random_vectors(4)
    for _, law in ipairs(laws) do
      for _ = 1, 40 do
        local options = { normal = random(), velocity = random(), definite = false,
          air = { law = law, normal = 1.1, friction = 0.3, drag = 0.9, lift = 1.4 } }
        local _, damping = face_force(options)
        local expected = differences(options, 1e-6)
        for row = 1, 3 do
          near(expected[row], damping[row], 1e-8, law)
        end
      end
    end
  end)

  it("has a damping without negative eigenvalues, the nearest one to it", function()
    local random = random_vectors(5)
    local clamped = {}
    for _, law in ipairs(laws) do
      clamped[law] = 0
      for _ = 1, 200 do
        local options = { normal = random(), velocity = random(), air = { law = law, lift = 3, friction = 1 } }
        local _, damping = face_force(options)
        local _, exact = face_force(support.with(options, { definite = false }))
        local kept, all = eigenvalues(damping), eigenvalues(exact)
        for k = 1, 3 do
          assert.is_true(kept[k] >= -1e-14, law)
          assert.is_true(math.abs(kept[k] - math.max(all[k], 0)) < 1e-13, law)
        end
        clamped[law] = clamped[law] + (all[1] < -1e-12 and 1 or 0)
      end
    end
    assert.equal(0, clamped.plate)
    assert.is_true(clamped.keckeisen > 50 and clamped["keckeisen printed"] > 50 and clamped["kang printed"] > 50)
  end)

  it("refuses what is no face and no law", function()
    local function message(options)
      return support.message_of(face_force, options)
    end
    assert.equal("weft.wind.face_force: normal must be three numbers {x, y, z}, got nothing", message {})
    assert.matches("normal must be a vector of a length from 1e-100 to 1e100, got {0, 0, 0}",
      message { normal = { 0, 0, 0 } }, 1, true)
    assert.matches("normal must be a vector of a length from 1e%-100 to 1e100", message { normal = { 0, 1e300, 0 } })
    assert.matches("law of air is \"plate\", \"keckeisen\"", message { normal = { 0, 0, 1 }, air = { law = "wing" } })
    assert.matches("porosity must be a number from 0 to 1, got 2",
      message { normal = { 0, 0, 1 }, air = { porosity = 2 } })
    assert.matches("unknown option 'velocty'; did you mean 'velocity'", message { normal = { 0, 0, 1 }, velocty = 1 })
    assert.matches("velocity must be", message { normal = { 0, 0, 1 }, velocity = { 0 / 0, 0, 0 } })
    for _, key in ipairs { "velocity", "wind" } do
      for _, speed in ipairs { 1000.1, 1e160, 1e300, math.huge } do
        assert.matches(key .. " must be .*got ", message { normal = { 0, 0, 1 }, [key] = { 0, speed, 0 } })
      end
      assert.is_table((face_force { normal = { 0, 0, 1 }, [key] = { 0, 0, -1000 } }))
    end
  end)
end)
