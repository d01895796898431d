-- Wind particles on their own: the tests T38 to T43 of Keckeisen's reference as far as they are of the air alone, and
-- what he left open: expiry, coverage, porosity, wakes, two sides of thin cloth, obstacles that move.

local support = require "spec.support"
local weft = require "weft"

local message_of = support.message_of

--- A grid that stays, at rest before anything came.
local function grid_of(upper, options)
  return weft.wind_particles(support.with({ lower = { 0, 0, 0 }, upper = upper, cell = 0.1 }, options or {}))
end

local function breeze(...)
  return weft.wind.uniform { velocity = { ... } }
end

--- A wall across x, from {x, y0, z0} to {x, y1, z1}.
local function wall(x, y0, y1, z0, z1, porosity)
  return { positions = { { x, y0, z0 }, { x, y1, z0 }, { x, y1, z1 }, { x, y0, z1 } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 } }, porosity = porosity }
end

local function blow(air, steps, options)
  for _ = 1, steps do
    air:advance(support.with({ duration = 1 / 60 }, options))
  end
end

local function wind_at(air, ...)
  local u, v, w = air:at({ points = { { ... } } }):get(1)
  return { u, v, w }
end

--- Calls visit(share, i, j, k) for the cells of a source, i, j, k from 0.
local function each_cell(air, source, visit)
  local shares, cells = air:cells(source).shares, air:stats().cells
  for number = 0, cells[1] * cells[2] * cells[3] - 1 do
    visit(shares:get(number + 1), number % cells[1], math.floor(number / cells[1]) % cells[2],
      math.floor(number / cells[1] / cells[2]))
  end
end

describe("A wind particle", function()
  it("goes h w in pieces of at most a cell, and reaches every cell on its way (T39)", function()
    for _, scheme in ipairs { "midpoint", "euler" } do
      local air, wind = grid_of({ 0.6, 0.1, 0.1 }, { per_side = 1, interval = 60, scheme = scheme }), breeze(10, 0, 0)
      air:advance { sources = { wind }, duration = 0.005 } -- from the boundary to its first place
      local x, y, z = air:read().positions:get(1)
      assert.near(0.05, x, 1e-6)
      assert.near(0.05, y, 1e-12)
      assert.near(0.05, z, 1e-12)
      air:advance { sources = { wind }, duration = 0.02 }
      assert.near(0.25, (air:read().positions:get(1)), 1e-6)
      assert.equal(1, air:read().positions.count)
      assert.equal(2, air:stats().pieces)
    end
  end)

  it("has then reached exactly these cells (T39)", function()
    local wind = breeze(10, 0, 0)
    local air = grid_of({ 0.6, 0.1, 0.1 }, { per_side = 1, interval = 60 })
    air:advance { sources = { wind }, duration = 0.005 }
    air:advance { sources = { wind }, duration = 0.02 }
    each_cell(air, 1, function(share, i)
      assert.equal(i <= 2 and 1 or 0, share)
    end)
  end)

  it("has reached the cells that it only cuts the corners of, too", function()
    local air = grid_of({ 0.5, 0.5, 0.1 }, { per_side = 1, interval = 60 })
    air:advance { sources = { breeze(10, 6.5, 0) }, duration = 0.02 }
    local cut = {} -- by the ways from the middles of the boundary's cells
    for start = 0.05, 0.45, 0.1 do
      for part = 0, 1, 1e-4 do
        cut[math.floor((start + 0.2 * part) / 0.1) .. " " .. math.floor(0.13 * part / 0.1)] = true
        cut[math.floor(0.2 * part / 0.1) .. " " .. math.floor((start + 0.13 * part) / 0.1)] = true
      end
    end
    each_cell(air, 1, function(share, i, j)
      if i ~= 2 or j == 0 then -- those that end on the boundary of a cell
        assert.equal(cut[i .. " " .. j] and 1 or 0, share, i .. " " .. j)
      end
    end)
  end)

  it("leaves what does not go into an obstacle that it meets (T40)", function()
    local function stored(obstacle)
      local air = grid_of({ 0.5, 0.1, 0.1 }, { per_side = 1 })
      air:advance { sources = { breeze(10, 0, 0) }, obstacles = { obstacle }, duration = 0.04 }
      local u, v, w = air:cells(1).velocities:get(3)
      return { u, v, w }
    end
    local head_on = stored(wall(0.25, -1, 1, -1, 1))
    local slanting = stored { positions = { { 0, -1, -0.2 }, { 0, 1, -0.2 }, { 0.5, 1, 0.3 }, { 0.5, -1, 0.3 } },
      faces = { { 1, 2, 3 }, { 1, 3, 4 } } }
    for k, expected in ipairs { 0, 0, 0 } do
      assert.near(expected, head_on[k], 1e-5)
    end
    for k, expected in ipairs { 5, 0, 5 } do
      assert.near(expected, slanting[k], 1e-5)
    end
    assert.near(0, slanting[3] - slanting[1], 1e-5) -- n . w with n = (-1, 0, 1) / sqrt 2
  end)

  it("takes over what an obstacle that moves does along its normal", function()
    local moving = wall(0.25, -1, 1, -1, 1)
    moving.before = wall(0.21, -1, 1, -1, 1).positions
    local air = grid_of({ 0.5, 0.1, 0.1 }, { per_side = 1 })
    air:advance { sources = { breeze(10, 0, 3) }, obstacles = { moving }, duration = 0.04 } -- 1 m/s
    local u, v, w = air:cells(1).velocities:get(3)
    assert.near(1, u, 1e-5)
    assert.near(0, v, 1e-5)
    assert.near(3, w, 1e-5)
  end)

  it("slides along what it meets where the wind does not go straight at it, or ends there", function()
    local slope = { positions = { { 0.2, -1, 0 }, { 0.2, 2, 0 }, { 1.2, 2, 1 }, { 1.2, -1, 1 } },
      faces = { { 1, 2, 3 }, { 1, 3, 4 } } } -- z = x - 0.2
    local options = { sources = { breeze(2, 0, 0) }, obstacles = { slope } }
    local sliding, ending = grid_of { 1.2, 0.2, 1 }, grid_of({ 1.2, 0.2, 1 }, { slide = false })
    blow(sliding, 60, options)
    blow(ending, 60, options)
    local function highest_at_slope(air)
      local near, positions = 0, air:read().positions
      for i = 1, positions.count do
        local x, _, z = positions:get(i)
        assert.is_true(z - (x - 0.2) > 0) -- none below it
        near = near + (z - (x - 0.2) < 1e-3 and 1 or 0)
      end
      return near
    end
    assert.is_true(highest_at_slope(sliding) > 50)
    assert.is_true(highest_at_slope(ending) < 5)
  end)

  it("stops where the wind goes straight at an obstacle", function()
    local air = grid_of { 1, 0.4, 0.4 }
    blow(air, 120, { sources = { breeze(2, 0, 0) }, obstacles = { wall(0.55, -1, 1, -1, 1) } })
    local positions = air:read().positions
    for i = 1, positions.count do
      assert.is_true((positions:get(i)) < 0.55)
    end
    assert.is_true(positions.count < 400) -- they do not gather
  end)
end)

describe("The lee of an obstacle", function()
  it("has no wind at all, right to its edge, and the wind beside it is whole", function()
    local air = grid_of { 3, 1, 1 }
    blow(air, 90, { sources = { breeze(4, 0, 0) }, obstacles = { wall(1.05, 0.3, 0.7, 0.3, 0.7) } })
    each_cell(air, 1, function(share, i, j, k)
      local behind = i > 10 and j >= 3 and j < 7 and k >= 3 and k < 7
      if i ~= 10 then
        assert.equal(behind and 0 or 1, share)
      end
    end)
    assert.same({ 0, 0, 0 }, wind_at(air, 2.5, 0.5, 0.5))
    assert.same({ 4, 0, 0 }, wind_at(air, 0.5, 0.5, 0.5))
    assert.same({ 4, 0, 0 }, wind_at(air, 2.5, 0.5, 0.1))
  end)

  it("is where each source's own air does not come: the sides of a wall keep theirs (T41)", function()
    local air = grid_of { 2, 0.6, 0.6 }
    blow(air, 90, { sources = { breeze(3, 0, 0), breeze(-3, 0, 0) },
      obstacles = { wall(1.05, -1, 2, -1, 2) } })
    for i = 0, 19 do
      local x = (i + 0.5) * 0.1
      if i ~= 10 then
        assert.same({ x < 1.05 and 3 or -3, 0, 0 }, wind_at(air, x, 0.35, 0.25))
      end
    end
    -- What a mark "windy" for all sources together would give (Keckeisen's rejected simplification): the sum, nothing.
    blow(air, 90, { sources = { breeze(3, 0, 0), breeze(-3, 0, 0) } })
    assert.same({ 0, 0, 0 }, wind_at(air, 0.55, 0.35, 0.25))
  end)

  it("is thrown by colliders and the floor too", function()
    local ball = weft.collider.sphere { position = { 1, 0.5, 0.5 }, radius = 0.3 }
    local box = weft.collider.box { position = { 1, 0.5, 0.5 }, size = { 0.2, 0.6, 0.6 } }
    for _, collider in ipairs { ball, box } do
      local air = grid_of { 3, 1, 1 }
      blow(air, 90, { sources = { breeze(4, 0, 0) }, obstacles = { { collider = collider } } })
      assert.same({ 0, 0, 0 }, wind_at(air, 1.75, 0.5, 0.5))
      assert.same({ 0, 0, 0 }, wind_at(air, 2.55, 0.55, 0.65))
      assert.same({ 4, 0, 0 }, wind_at(air, 2.55, 0.5, 0.95))
    end
    local air = grid_of { 2, 1, 1 }
    blow(air, 90, { sources = { breeze(1, -1, 0) }, floor = 0.45 })
    assert.same({ 0, 0, 0 }, wind_at(air, 1.5, 0.25, 0.5))
    assert.same({ 1, -1, 0 }, wind_at(air, 1.5, 0.75, 0.5))
  end)

  it("keeps the wind from the back half of a tube around a body (T38b)", function()
    local function tube(radius, segments)
      local mesh = { positions = {}, faces = {} }
      for i = 0, segments - 1 do
        local angle = 2 * math.pi * i / segments
        for _, y in ipairs { 0.1, 0.9 } do
          mesh.positions[#mesh.positions + 1] = { 0.7 + radius * math.cos(angle), y, 0.7 + radius * math.sin(angle) }
        end
      end
      for i = 0, segments - 1 do
        local a, b = 2 * i + 1, 2 * ((i + 1) % segments) + 1
        mesh.faces[#mesh.faces + 1] = { a, b + 1, b }
        mesh.faces[#mesh.faces + 1] = { a, a + 1, b + 1 }
      end
      return mesh
    end
    local cloth, body = tube(0.3, 40), tube(0.2, 40)
    local air = grid_of { 1.4, 1, 1.4 }
    blow(air, 90, { sources = { breeze(4, 0, 0) }, obstacles = { cloth, body } })
    local points, normals = {}, {}
    for i = 0, 39 do
      local angle = 2 * math.pi * (i + 0.5) / 40
      local x, z = math.cos(angle), math.sin(angle)
      points[i + 1] = { 0.7 + 0.3 * math.cos(math.pi / 40) * x, 0.5, 0.7 + 0.3 * math.cos(math.pi / 40) * z }
      normals[i + 1] = i % 2 == 0 and { x, 0, z } or { -x, 0, -z } -- of either sign
    end
    local winds = air:at { points = points, normals = normals }
    for i = 1, 40 do
      local outward = (points[i][1] - 0.7) / 0.3
      if outward < -0.1 then
        assert.near(4, (winds:get(i)), 1e-12)
      elseif outward > 0.1 and math.abs(points[i][3] - 0.7) < 0.2 then
        assert.equal(0, (winds:get(i)))
      end
    end
    -- Without lee, all faces have it.
    blow(air, 90, { sources = { breeze(4, 0, 0) } })
    winds = air:at { points = points, normals = normals }
    for i = 1, 40 do
      assert.equal(4, (winds:get(i)))
    end
  end)

  it("knows nothing of an obstacle without faces", function()
    local hashes = {}
    for k, nothing in ipairs { {}, { { 9, 9, 9 } } } do
      local air, wind = weft.wind_particles { cell = 0.1 }, { breeze(4, 0, 0) }
      local obstacles = { wall(0.55, 0, 1, 0, 1), k == 2 and { positions = nothing, faces = {} } or nil }
      blow(air, 10, { sources = wind, obstacles = obstacles })
      hashes[k] = table.concat(air:stats().cells, " ") .. air:read().positions:string()
    end
    assert.equal(hashes[1], hashes[2])
  end)

  it("grows behind a wall that comes, within the expiry, and goes when it goes, as fast as the wind (T42)", function()
    local air = grid_of { 3, 0.5, 0.5 }
    local wind, obstacle = { breeze(4, 0, 0) }, { wall(0.55, -1, 2, -1, 2) }
    blow(air, 90, { sources = wind })
    each_cell(air, 1, function(share)
      assert.equal(1, share)
    end)
    local expiry = air.options.expiry * 0.1 / 4 -- s
    for step = 1, 90 do
      blow(air, 1, { sources = wind, obstacles = obstacle })
      each_cell(air, 1, function(share, i)
        local since = step / 60 - ((i + 1) * 0.1 - 0.55) / 4 -- since the last air passed that was beyond the wall
        if i < 5 then
          assert.equal(1, share)
        elseif i > 5 and since > expiry + 1 / 60 then
          assert.equal(0, share)
        elseif i > 5 and since < -1 / 60 then
          assert.equal(1, share)
        end
      end)
    end
    -- Right behind the wall it took the expiry, and no longer.
    for step = 1, 45 do
      blow(air, 1, { sources = wind })
      each_cell(air, 1, function(share, i)
        local reached = 0.55 + 4 * step / 60
        if (i + 1) * 0.1 < reached - 0.3 - 4 / 60 then -- emissions are 0.3 m apart
          assert.equal(1, share)
        elseif i > 5 and i * 0.1 > reached + 0.1 then
          assert.equal(0, share)
        end
      end)
    end
  end)

  it("lets a share through where it is porous, as often as it is crossed", function()
    local air = grid_of { 2, 0.6, 0.6 }
    local two_halves = wall(1.55, -1, 2, -1, 2)
    two_halves.face_porosity = { 1, 0.25 } -- the triangles above and below the diagonal
    blow(air, 120, { sources = { breeze(4, 0, 0) },
      obstacles = { wall(0.55, -1, 2, -1, 2, 0.3), wall(1.05, -1, 2, -1, 2, 0.5), two_halves } })
    each_cell(air, 1, function(share, i, j, k)
      local diagonal = j - k -- y - z in cells
      local expected = i < 5 and 1 or i > 5 and i < 10 and 0.3 or i > 10 and i < 15 and 0.15
        or i > 15 and diagonal > 1 and 0.15 or i > 15 and diagonal < -1 and 0.0375
      if expected then
        assert.near(expected, share, 1e-5)
      end
    end)
    assert.near(1.2, wind_at(air, 0.85, 0.3, 0.3)[1], 1e-4)
  end)

  it("is filled by mixing with distance where a wake is asked for (Jensen 1983)", function()
    local k, radius = 0.1, math.sqrt(0.6 * 0.6 / math.pi)
    for _, porosity in ipairs { 0, 0.4 } do
      local air = grid_of({ 6, 1, 1 }, { wake = k })
      blow(air, 150, { sources = { breeze(4, 0, 0) }, obstacles = { wall(1.05, 0.2, 0.8, 0.2, 0.8, porosity) } })
      local last = porosity
      for i = 12, 58 do
        local x = (i + 0.5) * 0.1
        local share = wind_at(air, x, 0.5, 0.5)[1] / 4
        local function law(distance)
          return 1 - (1 - porosity) * (radius / (radius + k * distance)) ^ 2
        end
        -- A cell has the mean of what went through it.
        assert.near(law(x - 1.05), share, law(x - 1) - law(x - 1.1))
        assert.is_true(share > last)
        last = share
      end
      assert.is_true(last > 0.6)
    end
  end)

  it("of thin cloth in the middle of a cell is on one side of it alone", function()
    local air = grid_of({ 2, 1.2, 1.2 }, { cell = 0.2 })
    blow(air, 120, { sources = { breeze(3, 0, 4) }, obstacles = { wall(1.07, -1, 2, -1, 2) } })
    assert.same({ 0, 0, 0 }, wind_at(air, 1.071, 0.6, 0.6))
    local before = wind_at(air, 1.069, 0.6, 0.6) -- what goes along it stays
    assert.near(0, before[1], 1e-5)
    assert.near(4, before[3], 1e-5)
    -- The cloth itself feels all of what comes at it, wherever its normals point.
    for _, normal in ipairs { { 1, 0, 0 }, { -1, 0, 0 } } do
      local u, v, w = air:at({ points = { { 1.07, 0.6, 0.6 } }, normals = { normal } }):get(1)
      assert.same({ 3, 0, 4 }, { u, v, w })
    end
    -- And a second one in its lee nothing.
    blow(air, 120, { sources = { breeze(3, 0, 4) },
      obstacles = { wall(1.07, -1, 2, -1, 2), wall(1.12, -1, 2, -1, 2) } })
    local u, v, w = air:at({ points = { { 1.12, 0.6, 0.6 } }, normals = { { 1, 0, 0 } } }):get(1)
    assert.same({ 0, 0, 0 }, { u, v, w })
  end)
end)

describe("Obstacles that move", function()
  it("let nothing through that they sweep over", function()
    local air = grid_of { 3, 0.5, 0.5 }
    local wind, x = { breeze(4, 0, 0) }, 2
    blow(air, 90, { sources = wind })
    for step = 1, 40 do
      local next_x = x - 12 / 60 -- two cells in a step, against the wind
      if next_x < 0.3 then
        break
      end
      local obstacle = wall(next_x, -1, 2, -1, 2)
      obstacle.before = wall(x, -1, 2, -1, 2).positions
      blow(air, 1, { sources = wind, obstacles = { obstacle } })
      x = next_x
      local positions = air:read().positions
      for i = 1, positions.count do
        local at = positions:get(i)
        assert.is_true(at < x or at > 2 + 4 * step / 60 - 1e-6, ("%g of %g in step %d"):format(at, x, step))
      end
    end
    assert.is_true(x < 0.5)
  end)

  it("keep the air out of a closed box that turns and moves", function()
    local corners, faces = {}, {}
    for i = 0, 7 do
      corners[i + 1] = { i % 2 - 0.5, math.floor(i / 2) % 2 - 0.5, math.floor(i / 4) - 0.5 }
    end
    local quads = { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 }, { 3, 7, 8, 4 }, { 1, 5, 7, 3 }, { 2, 4, 8, 6 } }
    for _, quad in ipairs(quads) do
      faces[#faces + 1] = { quad[1], quad[2], quad[3] }
      faces[#faces + 1] = { quad[1], quad[3], quad[4] }
    end
    local function placed(time)
      local positions, c, s = {}, math.cos(3 * time), math.sin(3 * time)
      for i, p in ipairs(corners) do
        positions[i] = { 1.5 + 0.3 * time + c * p[1] + s * p[3], 1 + p[2], 1 - s * p[1] + c * p[3] }
      end
      return positions
    end
    local air, met, inside = grid_of { 3.4, 2, 2 }, 0, 0
    local wind = { breeze(3, 0.5, 0), breeze(0, 0, -2) }
    for step = 1, 100 do
      local time = step / 60
      air:advance { sources = wind, duration = 1 / 60,
        obstacles = { { positions = placed(time), before = placed(time - 1 / 60), faces = faces } } }
      local positions, c, s = air:read().positions, math.cos(3 * time), math.sin(3 * time)
      for i = 1, positions.count do
        local x, y, z = positions:get(i)
        x, y, z = x - 1.5 - 0.3 * time, y - 1, z - 1
        local u, w = c * x - s * z, s * x + c * z
        inside = inside + (math.max(math.abs(u), math.abs(y), math.abs(w)) < 0.499 and 1 or 0)
      end
      met = met + air:stats().queries
    end
    assert.equal(0, inside)
    assert.is_true(met > 1000)
  end)
end)

describe("Wind without obstacles", function()
  it("is that of its sources in every cell that they have reached (T43)", function()
    local air = grid_of { 1.5, 1, 1 }
    local sources = { breeze(3, 0.7, -0.2), breeze(-1, 0, 1) }
    blow(air, 200, { sources = sources })
    for _, point in ipairs { { 0.05, 0.05, 0.05 }, { 0.77, 0.31, 0.9 }, { 1.45, 0.95, 0.95 } } do
      local wind = wind_at(air, point[1], point[2], point[3])
      for k, expected in ipairs { 2, 0.7, 0.8 } do
        assert.near(expected, wind[k], 1e-12)
      end
    end
    assert.equal(2 * 15 * 10 * 10, air:stats().reached)
  end)

  it("comes from the boundary with the air, or is there at once where that is asked for", function()
    local air, filled = grid_of { 3, 0.5, 0.5 }, grid_of({ 3, 0.5, 0.5 }, { filled = true })
    local wind = { breeze(3, 0, 0) }
    for step = 1, 30 do
      blow(air, 1, { sources = wind })
      blow(filled, 1, { sources = wind, obstacles = { wall(1.05, -1, 2, -1, 2) } })
      each_cell(air, 1, function(share, i)
        local front = 3 * step / 60 / 0.1
        assert.equal(i < front + 1e-6 and 1 or 0, share) -- it starts a millionth of a cell inside
      end)
      each_cell(filled, 1, function(share, i)
        assert.equal(i < 10 and 1 or i > 10 and 0 or share, share)
      end)
    end
  end)

  it("finds its cells as they were when it dies down and rises again", function()
    local wind = weft.wind.uniform { velocity = { 3, 0, 0 },
      strength = { { 0, 1 }, { 1.5, 1 }, { 1.6, 0 }, { 3.5, 0 }, { 3.6, 1 } } }
    local air = grid_of { 1, 0.5, 0.5 }
    local calm
    for step = 1, 240 do
      blow(air, 1, { sources = { wind } })
      if step == 180 then
        calm = wind_at(air, 0.55, 0.25, 0.25)
      elseif step == 218 then
        assert.is_true(wind_at(air, 0.55, 0.25, 0.25)[1] > 2.9)
      end
    end
    assert.same({ 0, 0, 0 }, calm)
  end)
end)

describe("Every cell into which a source blows", function()
  local random = support.stream(12345)
  local function number(least, most)
    return least + (most - least) * random(1000000) / 1000000
  end
  local function place()
    return { number(0, 1.2), number(0, 1.2), number(0, 1.2) }
  end
  local function direction()
    return { number(-1, 1), number(-1, 1), number(-1, 1) }
  end
  local kinds = {
    uniform = function() return weft.wind.uniform { velocity = { number(-4, 4), number(-4, 4), number(-4, 4) } } end,
    directional = function() return weft.wind.directional { velocity = { 3, 0, 2 }, ground = -0.2 } end,
    point = function() return weft.wind.point { flow = number(5, 25), position = place() } end,
    sink = function() return weft.wind.point { flow = number(-25, -5), position = place() } end,
    line = function() return weft.wind.line { flow = number(5, 25), position = place(), axis = direction() } end,
    vortex = function()
      return weft.wind.vortex { circulation = number(5, 15), position = place(), axis = direction() }
    end,
    ring = function()
      return weft.wind.ring { circulation = 10, radius = number(0.3, 0.6), position = place(), axis = direction() }
    end,
    jet = function() return weft.wind.jet { speed = 10, diameter = 0.3, position = place(), axis = direction() } end,
    ["curl noise"] = function() return weft.wind.curl_noise { velocity = { 2, 0, 0 }, intensity = 1 } end,
  }

  --- How many cells with wind its air does not reach whole.
  local function holes(air, source)
    local count = 0
    each_cell(air, 1, function(share, i, j, k)
      if share ~= 1 then
        local v = source:at({ (i + 0.5) * 0.1, (j + 0.5) * 0.1, (k + 0.5) * 0.1 }, air.time)
        count = count + (v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2 > 1e-4 and 1 or 0)
      end
    end)
    return count
  end

  it("is reached again before it forgets, however the field drives the air apart", function()
    for _, name in ipairs(support.sorted_keys(kinds)) do
      local source = kinds[name]()
      local air = grid_of({ 1.2, 1.2, 1.2 }, { filled = true })
      for step = 1, 100 do
        blow(air, 1, { sources = { source } })
        if step % 7 == 0 then
          assert.equal(0, holes(air, source), name .. " in step " .. step)
        end
      end
      assert.is_true(air:stats().particles <= 6 * 12 ^ 3)
    end
  end)

  it("is reached in time from where the air comes", function()
    for _, name in ipairs { "point", "line", "vortex", "sink", "uniform" } do
      local source = kinds[name]()
      local air = grid_of { 1.2, 1.2, 1.2 }
      blow(air, 1, { sources = { source } })
      assert.is_true(holes(air, source) > 100 or name == "vortex", name)
      blow(air, 500, { sources = { source } })
      assert.equal(0, holes(air, source), name)
    end
  end)

  it("is not filled in a lee, in which only the way back tells it from a hole", function()
    local source = weft.wind.point { flow = 20, position = { 0.13, 0.61, 0.58 } }
    local air = grid_of { 1.2, 1.2, 1.2 }
    blow(air, 300, { sources = { source }, obstacles = { wall(0.45, 0.35, 0.85, 0.35, 0.85) } })
    local lee, wind = 0, 0
    each_cell(air, 1, function(share, i, j, k)
      local x, y, z = (i + 0.5) * 0.1, (j + 0.5) * 0.1, (k + 0.5) * 0.1
      local part = (0.45 - 0.13) / (x - 0.13) -- of the ray from the source, where it passes the wall's plane
      local aside = math.max(math.abs(0.61 + part * (y - 0.61) - 0.6), math.abs(0.58 + part * (z - 0.58) - 0.6)) - 0.25
      if x > 0.5 and math.abs(aside) > 0.09 * part + 0.02 then -- cells on the edge may be either
        lee, wind = lee + (aside < 0 and 1 or 0), wind + (aside > 0 and 1 or 0)
        assert.equal(aside < 0 and 0 or 1, share)
      end
    end)
    assert.is_true(lee > 300 and wind > 100)
  end)
end)

describe("The grid", function()
  it("is laid around the scene and follows it, and no wind is lost meanwhile", function()
    local air = weft.wind_particles { cell = 0.1, margin = 4, filled = true }
    local wind, moved = { breeze(4, 0, 0) }, 0
    local first = nil
    for step = 1, 150 do
      local x = 1 + 0.02 * step
      local obstacle = wall(x, 0, 0.6, 0, 0.6)
      obstacle.before = wall(x - 0.02, 0, 0.6, 0, 0.6).positions
      blow(air, 1, { sources = wind, obstacles = { obstacle } })
      local stats = air:stats()
      moved = moved + (first and stats.lower[1] ~= first and 1 or 0)
      first = stats.lower[1]
      assert.is_true(stats.lower[1] < x - 0.05 and stats.lower[1] + 0.1 * stats.cells[1] > x + 0.05)
      assert.same({ 4, 0, 0 }, wind_at(air, x - 0.15, 0.3, 0.3))
      assert.same({ 0, 0, 0 }, wind_at(air, x + 0.15, 0.3, 0.3))
      assert.same({ 4, 0, 0 }, wind_at(air, x + 0.15, 0.85, 0.3))
    end
    assert.is_true(moved >= 5 and moved <= 30)
  end)

  it("has cells of a size that fits the scene where none is given", function()
    local air = weft.wind_particles()
    air:advance { sources = { breeze(4, 0, 0) }, obstacles = { wall(0, 0, 3.2, 0, 1) }, duration = 1 / 60 }
    assert.near(0.1, air:stats().cell, 1e-12)
    air:advance { sources = { breeze(4, 0, 0) }, obstacles = { wall(0, 0, 32, 0, 10) }, duration = 1 / 60 }
    assert.near(1, air:stats().cell, 1e-12)
  end)

  it("is not there while nothing is in the way, and all wind arrives", function()
    local air = weft.wind_particles()
    air:advance { sources = { breeze(4, 0, 0) }, duration = 1 / 60 }
    assert.same({ 0, 0, 0 }, air:stats().cells)
    assert.same({ 4, 0, 0 }, wind_at(air, 3, 4, 5))
  end)
end)

describe("Wind particles", function()
  it("are the same for any number of threads", function()
    local function run(threads)
      local before = weft.threads()
      weft.threads(threads)
      local air = grid_of({ 2, 1, 1 }, { wake = 0.05 })
      local ball = weft.collider.sphere { position = { 1, 0.5, 0.5 }, radius = 0.2 }
      blow(air, 60, { sources = { breeze(4, 0.3, 0.1), breeze(-1, 0.5, 2) },
        obstacles = { { collider = ball }, wall(0.55, 0.2, 0.8, 0.2, 0.8, 0.3) } })
      weft.threads(before)
      local read = air:read()
      return { read.positions:table(), read.shares:table(), air:cells(1).shares:table(), air:cells(2).shares:table() }
    end
    local one = run(1)
    assert.is_true(#one[1] > 1000)
    assert.same(one, run(2))
    assert.same(one, run(5))
  end)

  it("can be read to be drawn", function()
    local air = grid_of { 1, 0.5, 0.5 }
    blow(air, 30, { sources = { breeze(4, 0, 0), breeze(0, 1, 0) }, obstacles = { wall(0.55, -1, 2, -1, 2, 0.5) } })
    local read, halved = air:read(), 0
    assert.equal(air:stats().particles, read.positions.count)
    for i = 1, read.positions.count do
      local x, share = (read.positions:get(i)), read.shares:get(i)
      if read.sources:get(i) == 1 then
        assert.equal(x < 0.55 and 1 or 0.5, share)
        halved = halved + (share == 0.5 and 1 or 0)
      else
        assert.equal(1, share)
      end
    end
    assert.is_true(halved > 20)
    assert.is_truthy(tostring(air):match "^weft.wind_particles %(%d+ particles, 10 x 5 x 5 cells of 0.1 m%)$")
    air:reset()
    assert.equal(0, air:read().positions.count)
  end)

  it("do not allocate when nothing becomes more", function()
    local air = grid_of { 1, 0.5, 0.5 }
    local options = { sources = { breeze(4, 0, 0) }, obstacles = { wall(0.55, 0, 0.3, 0, 0.3) } }
    blow(air, 60, options)
    support.collect()
    local before = weft.memory()
    blow(air, 60, options)
    support.collect()
    assert.equal(before, weft.memory())
  end)

  it("survive each allocation that fails", function()
    local wind, obstacle = { breeze(4, 0, 0) }, { wall(0.25, 0, 0.3, 0, 0.3) }
    local _, count = support.fail_each_allocation(function()
      local air = weft.wind_particles { cell = 0.1, filled = true }
      air:advance { sources = wind, obstacles = obstacle, duration = 1 / 60 }
      air:at { points = { { 0, 0, 0 } } }
      air:close()
    end)
    assert.is_true(count > 15)
  end)
end)

describe("Bad input to wind particles", function()
  local wind = breeze(4, 0, 0)

  it("is refused with its name", function()
    for expected, options in pairs {
      ["cell must be a number from 0 to 10000, got nan"] = { cell = 0 / 0 },
      ["cell must be a number from 0 to 10000, got -1"] = { cell = -1 },
      ["cell must be from 0.0001 to 10000, got 1e-05"] = { cell = 1e-5 },
      ["margin must be a number from 1 to 64, got 0"] = { margin = 0 },
      ["expiry must be from 4 to 1e+06, got 2"] = { expiry = 2 },
      ["lower and upper must be given together"] = { lower = { 0, 0, 0 } },
      ["the grid must have lower below upper in all three coordinates, within 1e+06 m, got {0, 0, 0} and "
        .. "{1, 0, 1}"] = { lower = { 0, 0, 0 }, upper = { 1, 0, 1 } },
      ["unknown option 'celll'; did you mean 'cell'?"] = { celll = 1 },
    } do
      local message = message_of(weft.wind_particles, options)
      assert.is_truthy(message:find(expected, 1, true) and message:find("^weft.wind_particles: "), message)
    end
  end)

  it("of cells too large or too small says by how much", function()
    local air = weft.wind_particles { cell = 2 }
    local obstacles = { wall(0, 0, 1, 0, 1) }
    assert.equal("weft.wind_particles.advance: cell must be smaller than the scene, which is 1 m long, got 2",
      message_of(air.advance, air, { sources = { wind }, obstacles = obstacles, duration = 0.01 }))
    air = weft.wind_particles { cell = 0.0005 }
    local message = message_of(air.advance, air, { sources = { wind }, obstacles = obstacles, duration = 0.01 })
    -- 2006 x 2006 cells across and 7 along take some 234 bytes each.
    assert.is_truthy(message:find("cells of 0.0005 m make a grid of %d+ x 200%d x 200%d, which takes up to %d+ MB for "
      .. "1 sources; at most 1074 MB are allowed"), message)
    assert.equal(0, air:stats().particles)
    air = weft.wind_particles { cell = 0.01, memory = 1e6 }
    assert.is_truthy(message_of(air.advance, air, { sources = { wind }, obstacles = obstacles, duration = 0.01 })
      :find("at most 1 MB are allowed (memory)", 1, true))
  end)

  it("of a step leaves the particles usable", function()
    local air = grid_of { 1, 0.5, 0.5 }
    local function fails(expected, options)
      local message = message_of(air.advance, air, options)
      assert.is_truthy(message:find(expected, 1, true), message)
    end
    local bad = wall(0 / 0, 0, 1, 0, 1)
    fails("duration must be", { sources = { wind } })
    fails("duration must be", { sources = { wind }, duration = 0 })
    fails("sources must be a weft.wind.source, got 3", { sources = { 3 }, duration = 0.1 })
    fails("obstacles must be a list of tables, got 3", { sources = { wind }, obstacles = { 3 }, duration = 0.1 })
    fails("positions", { sources = { wind }, obstacles = { bad }, duration = 0.1 })
    fails("faces", { sources = { wind }, duration = 0.1,
      obstacles = { { positions = { { 0, 0, 0 } }, faces = { { 1, 2, 3 } } } } })
    fails("porosity must be a number from 0 to 1, got 2", { sources = { wind }, duration = 0.1,
      obstacles = { wall(1, 0, 1, 0, 1, 2) } })
    fails("source is in this wind already", { sources = { wind, wind }, duration = 0.1 })
    blow(air, 60, { sources = { wind } })
    assert.same({ 4, 0, 0 }, wind_at(air, 0.5, 0.2, 0.2))
    air:close()
    assert.is_truthy(message_of(air.stats, air):find("a closed weft.wind_particles", 1, true))
  end)

  it("of a storm of 1000 m/s and steps of a minute passes", function()
    local air = grid_of { 1, 0.5, 0.5 }
    local storm = { breeze(1000, 0, 0) }
    for _ = 1, 5 do
      air:advance { sources = storm, obstacles = { wall(0.55, 0, 0.3, 0, 0.3) }, duration = 60 }
    end
    assert.same({ 0, 0, 0 }, wind_at(air, 0.85, 0.15, 0.15))
    assert.same({ 1000, 0, 0 }, wind_at(air, 0.85, 0.45, 0.45))
  end)
end)
