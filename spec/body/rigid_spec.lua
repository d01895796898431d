-- Rigid bodies by themselves: surfaces, masses and inertias against closed forms, free spin against Euler's equations.

local support = require "spec.support"
local vectors = require "spec.vectors"
local weft = require "weft"

local norm = vectors.norm
local message_of, near = support.message_of, support.near

local pi = math.pi

local function is_closed(rigid)
  local report = weft.inspect.examine(rigid)
  return report.closed and report.manifold and report.oriented and report.euler == 2
end

--- The corners of a box, with further points of it.
local function box_points(size, at)
  local points = {}
  for i = 0, 2 do
    for j = 0, 2 do
      for k = 0, 2 do
        points[#points + 1] = { at[1] + size[1] * i / 2, at[2] + size[2] * j / 2, at[3] + size[3] * k / 2 }
      end
    end
  end
  return points
end

describe("weft.rigid", function()
  it("makes closed surfaces, all points of spheres and capsules at their distance", function()
    for detail = 0, 4 do
      local sphere = weft.rigid { shape = "sphere", radius = 0.3, detail = detail }
      assert.is_true(is_closed(sphere))
      assert.equal(10 * 4 ^ detail + 2, sphere.vertices)
      for i = 1, sphere.vertices do
        near(0.3, norm { sphere.positions:get(i) }, 1e-14)
      end
      local capsule = weft.rigid { shape = "capsule", radius = 0.1, length = 0.3, detail = detail }
      assert.is_true(is_closed(capsule))
      for i = 1, capsule.vertices do
        local x, y, z = capsule.positions:get(i)
        near(0.1, norm { x, math.max(math.abs(y) - 0.15, 0), z }, 1e-12)
      end
    end
    local box = weft.rigid { shape = "box", size = { 1, 2, 3 } }
    assert.is_true(is_closed(box))
    near(6, weft.inspect.examine(box).volume, 1e-15)
  end)

  it("has the mass and moments of the round shapes themselves", function()
    local sphere = weft.rigid { shape = "sphere", radius = 0.2, density = 3 }
    near(4 / 3 * pi * 0.008 * 3, sphere.mass, 1e-14)
    near(0.4 * sphere.mass * 0.04, sphere.moments[2], 1e-14)
    local box = weft.rigid { shape = "box", size = { 1, 2, 3 }, mass = 12 }
    assert.same({ 13, 10, 5 }, box.moments)
    -- The moments of a capsule are the limit of those of its surface.
    local capsule = weft.rigid { shape = "capsule", radius = 0.1, length = 0.3, mass = 1, detail = 4 }
    local surface = weft.rigid { shape = "mesh", points = capsule.positions, faces = capsule.faces, mass = 1 }
    near(capsule.moments[1], surface.moments[1], 0.003)
    near(capsule.moments[2], surface.moments[2], 0.003)
  end)

  it("integrates closed surfaces exactly, wherever they are and however they are turned", function()
    local size, at = { 0.3, 0.2, 0.5 }, { 7, -3, 2 }
    local hull = weft.rigid { shape = "convex", points = box_points(size, at), density = 100 }
    near(100 * 0.03, hull.mass, 1e-12)
    for k = 1, 3 do
      near(at[k] + size[k] / 2, hull.centre[k], 1e-13)
    end
    local expected = {}
    for k = 1, 3 do
      expected[k] = hull.mass / 12 * (size[k % 3 + 1] ^ 2 + size[(k + 1) % 3 + 1] ^ 2)
    end
    table.sort(expected)
    local turned = weft.rigid { shape = "box", size = size, orientation = { 0.4, -1, 0.7 }, position = { 5, 5, 5 } }
    local again = weft.rigid { shape = "convex", points = turned.positions, mass = 3 }
    local moments = again.moments
    table.sort(moments)
    for k = 1, 3 do
      near(expected[k], moments[k], 1e-11)
    end
    -- A tetrahedron with three edges of length 1 at right angles, of mass 1, by hand.
    local tetrahedron = weft.rigid { shape = "mesh", points = support.tetrahedron.vertices,
                                     faces = support.tetrahedron.faces, density = 6 }
    near(1, tetrahedron.mass, 1e-14)
    near(1 / 4, tetrahedron.centre[1], 1e-14)
    -- Covariance: 1/10 - 1/16 on the diagonal, 1/20 - 1/16 off it; inertia is trace - covariance, with the
    -- eigenvectors (1, 1, 1) and across.
    local diagonal, off = 3 / 80, -1 / 80
    local along, across = 3 * diagonal - (diagonal + 2 * off), 3 * diagonal - (diagonal - off)
    local sorted = tetrahedron.moments
    table.sort(sorted)
    near(across, sorted[1], 1e-13)
    near(across, sorted[2], 1e-13)
    near(along, sorted[3], 1e-13)
  end)

  it("makes the hull of its points and leaves out those inside", function()
    local random, points = support.stream(5), {}
    for i = 1, 300 do
      points[i] = { random(1000) / 1000, random(1000) / 1000, random(1000) / 500 }
    end
    local hull = weft.rigid { shape = "convex", points = points }
    assert.is_true(is_closed(hull))
    local _, distances = weft.inspect.inside(hull, points)
    for i = 1, 300 do
      assert.is_true(distances:get(i) < 1e-9)
    end
    -- Every face has all points on its inner side.
    for f = 1, hull.triangles do
      local a, b, c = hull.faces:get(f)
      local p, q, r = { hull.positions:get(a) }, { hull.positions:get(b) }, { hull.positions:get(c) }
      local u, v = {}, {}
      for k = 1, 3 do
        u[k], v[k] = q[k] - p[k], r[k] - p[k]
      end
      local n = { u[2] * v[3] - u[3] * v[2], u[3] * v[1] - u[1] * v[3], u[1] * v[2] - u[2] * v[1] }
      for i = 1, #points do
        local side = n[1] * (points[i][1] - p[1]) + n[2] * (points[i][2] - p[2]) + n[3] * (points[i][3] - p[3])
        assert.is_true(side < 1e-12)
      end
    end
    local cube = weft.rigid { shape = "convex", points = box_points({ 1, 1, 1 }, { 0, 0, 0 }) }
    assert.is_true(is_closed(cube))
    near(1, weft.inspect.examine(cube).volume, 1e-15)
  end)

  it("puts its shape's origin at a position and turns it about there", function()
    local rigid = weft.rigid { shape = "convex", points = box_points({ 1, 1, 1 }, { 0, 0, 0 }), position = { 1, 2, 3 },
                               orientation = { 0, 0, pi / 2 } }
    near(1 - 0.5, rigid.centre[1], 1e-13)
    near(2.5, rigid.centre[2], 1e-13)
    near(3.5, rigid.centre[3], 1e-13)
    rigid.orientation = { 0.1, 0.2, -0.3 }
    for k, expected in ipairs { 0.1, 0.2, -0.3 } do
      near(expected, rigid.orientation[k], 1e-12)
      near(k, rigid.position[k], 1e-13)
    end
    rigid.position, rigid.velocity, rigid.spin = { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 }
    assert.same({ 1, 0, 0 }, rigid.velocity)
    assert.same({ 0, 2, 0 }, rigid.spin)
    near(0.5 * rigid.mass + 0.5 * 4 * rigid.mass / 6, rigid.kinetic_energy, 1e-12)
  end)

  it("refuses what is no body, and says why", function()
    local function refused(options)
      return message_of(weft.rigid, options)
    end
    local tetrahedron = support.tetrahedron
    assert.equal("weft.rigid: shape must be \"sphere\", \"capsule\", \"box\", \"convex\" or \"mesh\", got nothing",
      refused {})
    assert.matches("radius must be from 0.0001 to 1000, got 0$", refused { shape = "sphere", radius = 0 })
    assert.matches("radius must be from", refused { shape = "sphere", radius = 1e9 })
    assert.matches("mass", refused { shape = "sphere", mass = 0 })
    assert.matches("mass", refused { shape = "sphere", mass = -1 })
    assert.matches("mass", refused { shape = "sphere", mass = 0 / 0 })
    assert.matches("mass must be from 1e%-09 to", refused { shape = "sphere", mass = 1e-300 })
    assert.equal("weft.rigid: give either mass or density", refused { shape = "box", mass = 1, density = 1 })
    assert.matches("size", refused { shape = "box", size = { 1, 0, 1 } })
    assert.equal("weft.rigid: radius is an option of spheres and capsules, not of shape \"box\"",
      refused { shape = "box", radius = 1 })
    assert.matches("points must be a list", refused { shape = "convex" })
    assert.matches("lie in a plane", refused { shape = "convex", points = {} })
    assert.matches("lie in a plane", refused { shape = "convex", points = { { 0, 0, 0 }, { 0, 0, 0 } } })
    assert.matches("lie in a plane", refused { shape = "convex",
      points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 2, 1, 0 } } })
    assert.matches("no volume", refused { shape = "convex",
      points = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 1e-13 }, { 1, 1e-13, 0 } } })
    assert.matches("points", refused { shape = "convex", points = { { 0, 0, 0 / 0 } } })
    local function mesh_refused(points, faces)
      return refused({ shape = "mesh", points = points, faces = faces }):match
        "^weft%.rigid: a mesh must be closed, manifold and oriented: (.*)$"
    end
    local f = tetrahedron.faces
    assert.equal("the surface has no face", mesh_refused({}, {}))
    assert.equal("the surface is open (4 boundary edges in 1 loops)",
      mesh_refused(tetrahedron.vertices, { f[1], f[2] }))
    assert.equal("neighbouring faces do not have the same side outside",
      mesh_refused(tetrahedron.vertices, { f[1], f[2], f[3], { f[4][1], f[4][3], f[4][2] } }))
    local points, faces = {}, {} -- two of them, that share their first vertex
    for k = 1, 4 do
      local p, q = tetrahedron.vertices[k], k > 1 and k + 3 or 1
      points[k], points[q] = p, { -p[1], -p[2], -p[3] }
      faces[k] = f[k]
      faces[k + 4] = {}
      for c = 1, 3 do
        faces[k + 4][4 - c] = f[k][c] > 1 and f[k][c] + 3 or 1
      end
    end
    assert.equal("the surface is not a manifold (0 edges with more than two faces, 1 vertices where parts touch)",
      mesh_refused(points, faces))
    assert.matches("belong to no face", refused { shape = "mesh", faces = tetrahedron.faces,
      points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 5, 5, 5 } } })
    assert.matches("position must be at most", refused { shape = "sphere", position = { 1e9, 0, 0 } })
    assert.matches("velocity must be at most", refused { shape = "sphere", velocity = { 1e9, 0, 0 } })
    assert.matches("spin must be at most", refused { shape = "sphere", spin = { 1e9, 0, 0 } })
    local rigid = weft.rigid { shape = "sphere" }
    assert.matches("spin must be at most", message_of(function() rigid.spin = { 0, 1e300, 0 } end))
    assert.same({ 0, 0, 0 }, rigid.spin)
  end)

  it("turns a surface that is inside out", function()
    local faces, heard = {}, {}
    for i, face in ipairs(support.tetrahedron.faces) do
      faces[i] = { face[1], face[3], face[2] }
    end
    weft.on_warning(function(text) heard[#heard + 1] = text end)
    local rigid = weft.rigid { shape = "mesh", points = support.tetrahedron.vertices, faces = faces }
    weft.on_warning(nil)
    assert.same({ "weft.rigid: the surface was inside out; its faces were turned" }, heard)
    assert.is_true(is_closed(rigid))
    near(1 / 6, weft.inspect.examine(rigid).volume, 1e-15)
  end)

  it("gives back all memory when any allocation fails", function()
    for _, options in ipairs { { shape = "sphere", detail = 1 }, { shape = "capsule", detail = 0 },
                               { shape = "convex", points = box_points({ 1, 1, 1 }, { 0, 0, 0 }) } } do
      support.fail_each_allocation(function() return weft.rigid(options) end):close()
    end
  end)
end)

describe("free spin", function()
  local function spin(options, steps, time_step, each)
    local world = support.still_world { time_step = time_step }
    local rigid = world:add(weft.rigid(options))
    for k = 1, steps do
      world:step()
      each(rigid, k)
    end
    return rigid
  end

  local function drift(rigid, angular)
    local now, sum = rigid:momentum().angular, 0
    for k = 1, 3 do
      sum = math.max(sum, math.abs(now[k] - angular[k]))
    end
    return sum / norm(angular)
  end

  it("keeps energy and angular momentum through the flips of the middle axis, for any step", function()
    for _, time_step in ipairs { 1 / 240, 1 / 60, 1 / 10 } do
      local options = { shape = "box", size = { 0.3, 0.2, 0.1 }, spin = { 0.01, 20, 0.01 } }
      local start = weft.rigid(options)
      local energy, angular, least = start.kinetic_energy, start:momentum().angular, math.huge
      spin(options, math.floor(6 / time_step), time_step, function(rigid)
        near(energy, rigid.kinetic_energy, 1e-7)
        assert.is_true(drift(rigid, angular) < 1e-11)
        -- of the body's own middle axis, which turns over (Dzhanibekov)
        local x, y, z = rigid.positions:get(3)
        local p, q, r = rigid.positions:get(1)
        least = math.min(least, ((x - p) * 0 + (y - q) * 1 + (z - r) * 0) / 0.2)
      end)
      assert.is_true(least < -0.9)
    end
  end)

  it("follows Euler's equations", function()
    -- In the body's frame, I dw/dt = I w x w, by many small steps of Runge and Kutta.
    local options = { shape = "box", size = { 0.3, 0.2, 0.1 }, mass = 1, spin = { 3, 5, 2 } }
    local moments = weft.rigid(options).moments
    local function rate(w)
      return { (moments[2] - moments[3]) / moments[1] * w[2] * w[3],
               (moments[3] - moments[1]) / moments[2] * w[3] * w[1],
               (moments[1] - moments[2]) / moments[3] * w[1] * w[2] }
    end
    local function along(w, k, h)
      return { w[1] + h * k[1], w[2] + h * k[2], w[3] + h * k[3] }
    end
    local w, n = { 3, 5, 2 }, 20000
    for _ = 1, n do
      local h = 1 / n
      local a = rate(w)
      local b = rate(along(w, a, h / 2))
      local c = rate(along(w, b, h / 2))
      local d = rate(along(w, c, h))
      for k = 1, 3 do
        w[k] = w[k] + h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k])
      end
    end
    local rigid = spin(options, 30, 1 / 30, function() end)
    local o, corner = { rigid.positions:get(1) }, { 2, 3, 5 }
    for k = 1, 3 do -- the body's axes are its edges from corner 1
      local e = { rigid.positions:get(corner[k]) }
      local axis = { e[1] - o[1], e[2] - o[2], e[3] - o[3] }
      local own = (rigid.spin[1] * axis[1] + rigid.spin[2] * axis[2] + rigid.spin[3] * axis[3]) / norm(axis)
      near(w[k], own, 1e-6)
    end
  end)

  it("precesses as a symmetric top does", function()
    -- The axis turns about the angular momentum with |L| / I1.
    local tilt = 0.3
    local options = { shape = "capsule", radius = 0.05, length = 0.2, mass = 1,
                      spin = { 40 * math.sin(tilt), 40 * math.cos(tilt), 0 } }
    local top = weft.rigid(options)
    local angular = top:momentum().angular
    local rate = norm(angular) / top.moments[1]
    local period = 2 * pi / rate
    local steps = 7
    -- After one period of precession the axis is back, and the top has turned about it by:
    local own = (1 / top.moments[2] - 1 / top.moments[1]) * top.moments[2] * 40 * math.cos(tilt) * period
    local rigid = spin(options, steps, period / steps, function() end)
    local expected = weft.rigid(support.with(options, { orientation = { 0, own, 0 } }))
    for i = 1, rigid.vertices do
      local x, y, z = rigid.positions:get(i)
      local p, q, r = expected.positions:get(i)
      assert.is_true(norm { x - p, y - q, z - r } < 1e-11)
    end
  end)
end)
