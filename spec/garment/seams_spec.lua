-- Which ends of stitched edges belong together, and which side of a panel is its outer one.

local support = require "spec.support"
local weft = require "weft"
local sewing = require "spec.garment.sewing"
local rectangle = sewing.rectangle

local function warnings_of(make)
  local warnings = {}
  weft.on_warning(function(message) warnings[#warnings + 1] = message end)
  local ok, result = pcall(make)
  weft.on_warning(nil)
  assert(ok, result)
  return warnings, result
end

describe("Seams", function()
  it("of a front and a back drawn alike join equal ends, and the back is turned over", function()
    for _, turn in ipairs { 0, math.pi } do -- the back drawn over the front, or already turned about y
      local back = turn == 0 and { translation = { 0, 0, -0.3 } }
        or { translation = { 0.4, 0, -0.3 }, rotation = { 0, math.pi, 0 } }
      local warnings, tube = warnings_of(function()
        return weft.garment {
          panels = { front = rectangle(0.4, 0.6, { translation = { 0, 0, 0.3 } }), back = rectangle(0.4, 0.6, back) },
          seams = turn == 0 and { { { "front", 2 }, { "back", 2 } }, { { "front", 4 }, { "back", 4 } } }
            or { { { "front", 2 }, { "back", 4 } }, { { "front", 4 }, { "back", 2 } } },
        }
      end)
      assert.same({}, warnings)
      for _, seam in ipairs(tube.seams) do
        assert.equal(turn == 0, seam.same)
        assert.is_false(seam.crossed)
      end
      for _, panel in ipairs(tube.panels) do
        assert.near(panel.name == "front" and 1 or -1, panel.normal[3], 1e-12)
        assert.equal(turn == 0 and panel.name == "back", panel.turned)
      end
      local sewn = sewing.sew(tube:triangulate { edge = 0.1 })
      assert.is_true(sewn.manifold and sewn.oriented and sewn.sound)
      assert.same({ 2, 0 }, { sewn.loops, sewn.euler })
    end
  end)

  it("are decided by the garment where a seam's own ends are misleading", function()
    local warnings, shirt = warnings_of(function() return weft.garment(sewing.shirt()) end)
    assert.same({}, warnings)
    local outward = { left_front = 1, right_front = 1, left_back = -1, right_back = -1 }
    for _, panel in ipairs(shirt.panels) do
      local front = panel.name:find "front" and 1 or -1
      assert.near(outward[panel.name] or front, panel.normal[3], 1e-12, panel.name)
    end
    -- one sleeve laid the wrong way round: its seams ask for a twist, the rest of the shirt does not allow it
    local tables = sewing.shirt()
    tables.panels.left_sleeve_front.rotation = { 0, 0, math.pi }
    tables.panels.left_sleeve_front.translation = { 0.5, 1.5, 0.2 }
    local found, turned = warnings_of(function() return weft.garment(tables) end)
    local sewn = sewing.sew(turned:triangulate { edge = 0.1 })
    assert.is_true(sewn.oriented and sewn.manifold and sewn.sound)
    assert.same({ 4, -2 }, { sewn.loops, sewn.euler }) -- no handle: its corners go where they belong
    assert.is_true(#found > 0)
    for _, message in ipairs(found) do
      assert.matches("^seam %d+ %(panel '.*left_sleeve.*looks crossed", message)
    end
  end)

  it("can be twisted on purpose: a Moebius band", function()
    local function band(crossed)
      return weft.garment { panels = { band = rectangle(1, 0.1) },
        seams = { { { "band", 2 }, { "band", 4 }, crossed = crossed } } }
    end
    local twisted = band(true)
    assert.is_true(twisted.seams[1].crossed)
    local sewn = sewing.sew(twisted:triangulate { edge = 0.05 })
    assert.is_true(sewn.manifold)
    assert.is_false(sewn.oriented)
    assert.same({ 0, 1 }, { sewn.euler, sewn.loops })
    for _, crossed in ipairs { false, "auto" } do
      local plain = sewing.sew(band(crossed):triangulate { edge = 0.05 })
      assert.is_true(plain.manifold and plain.oriented)
      assert.same({ 0, 2 }, { plain.euler, plain.loops })
    end
  end)

  it("warn when their placement looks crossed, unless the script has said what it wants", function()
    local function ribbon(crossed)
      -- two squares side by side; the second is drawn upside down, so the near edges' ends are exchanged as placed
      return {
        panels = {
          a = rectangle(0.3, 0.3),
          b = rectangle(0.3, 0.3, { rotation = { math.pi, 0, 0 }, translation = { 0.31, 0.3, 0 } }),
        },
        seams = {
          { { "a", 2 }, { "b", 4 }, crossed = crossed },
        },
      }
    end
    -- alone, the pair is simply turned to suit
    local warnings, pair = warnings_of(function() return weft.garment(ribbon()) end)
    assert.same({}, warnings)
    assert.is_true(pair.seams[1].same)
    assert.is_false(pair.seams[1].crossed)
    -- a ring of three with one panel turned over cannot suit all seams
    local function ring(crossed)
      local panels, seams = {}, {}
      for i = 1, 3 do
        local angle = 2 * math.pi / 3 * i
        panels["p" .. i] = rectangle(0.3, 0.3, { rotation = { 0, angle, 0 },
          translation = { 0.2 * math.sin(angle) - 0.15 * math.cos(angle), 0,
            0.2 * math.cos(angle) + 0.15 * math.sin(angle) } })
        seams[i] = { { "p" .. i, 2 }, { "p" .. i % 3 + 1, 4 } }
      end
      seams[3] = { { "p3", 2 }, { "p1", 4 }, crossed = crossed }
      return { panels = panels, seams = seams }
    end
    assert.same({}, (warnings_of(function() return weft.garment(ring()) end)))
    local _, moebius = warnings_of(function() return weft.garment(ring(true)) end)
    assert.is_true(moebius.seams[3].crossed)
    local sewn = sewing.sew(moebius:triangulate { edge = 0.1 })
    assert.is_false(sewn.oriented)
    assert.equal(1, sewn.loops)
  end)

  it("on the edges of a hole know that it runs the other way", function()
    -- a square ring and a square patch that fills its hole, the hole drawn in either direction
    for _, hole in ipairs { { { 5, 6 }, { 6, 7 }, { 7, 8 }, { 8, 5 } }, { { 5, 8 }, { 8, 7 }, { 7, 6 }, { 6, 5 } } } do
      local edges = { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 1 } }
      for i = 1, 4 do
        edges[4 + i] = hole[i]
      end
      local along = hole[1][2] == 6
      local garment = weft.garment {
        panels = {
          ring = { vertices = { { 0, 0 }, { 0.9, 0 }, { 0.9, 0.9 }, { 0, 0.9 }, { 0.3, 0.3 }, { 0.6, 0.3 },
            { 0.6, 0.6 }, { 0.3, 0.6 } }, edges = edges },
          patch = rectangle(0.3, 0.3, { translation = { 0.3, 0.3, 0.05 } }),
        },
        seams = along and { { { "ring", 5 }, { "patch", 1 } }, { { "ring", 6 }, { "patch", 2 } },
          { { "ring", 7 }, { "patch", 3 } }, { { "ring", 8 }, { "patch", 4 } } }
          or { { { "ring", 5 }, { "patch", 4 } }, { { "ring", 6 }, { "patch", 3 } },
          { { "ring", 7 }, { "patch", 2 } }, { { "ring", 8 }, { "patch", 1 } } },
      }
      local sewn = sewing.sew(garment:triangulate { edge = 0.08 })
      assert.is_true(sewn.manifold and sewn.oriented and sewn.sound)
      assert.same({ 1, 1 }, { sewn.loops, sewn.euler })
      for _, panel in ipairs(garment.panels) do
        assert.is_false(panel.turned)
      end
    end
  end)

  it("tell their lengths and ratio", function()
    local skirt = weft.garment {
      panels = { band = rectangle(0.5, 0.05), skirt = rectangle(0.65, 0.4, { translation = { 0, -0.5, 0 } }) },
      seams = { { { "band", 1 }, { "skirt", 3, from = 0, to = 1 } } },
    }
    local seam = skirt.seams[1]
    assert.same({ "band", "skirt" }, seam.panels)
    assert.same({ 1, 3 }, seam.edges)
    assert.near(0.5, seam.lengths[1], 1e-15)
    assert.near(0.65, seam.lengths[2], 1e-15)
    assert.near(1.3, seam.ratio, 1e-15)
  end)
end)

describe("The shared patterns' seams", function()
  for _, name in ipairs { "shirt_mean", "dress_pencil" } do
    local path, missing = support.shared_data(("garmentcode/%s_specification.json"):format(name))
    it("of " .. name .. " join the ends that lie nearer, but for one seam that turns a corner", function()
      if not path then
        pending(missing)
        return
      end
      local warnings, garment = warnings_of(function() return weft.garment.load(path) end)
      assert.same({}, warnings)
      local mesh = garment:triangulate { edge = 0.03 }
      local positions, pairs_, seam_of = mesh.positions:table(), mesh.pairs:table(), mesh.pair_seam:table()
      local ends = {}
      for i, pair in ipairs(pairs_) do
        local seam = ends[seam_of[i]] or { first = pair }
        seam.last = pair
        ends[seam_of[i]] = seam
      end
      local farther = {}
      local function gap(a, b)
        local p, q = positions[a], positions[b]
        return math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2)
      end
      for i, seam in pairs(ends) do
        local sewn = gap(seam.first[1], seam.first[2]) + gap(seam.last[1], seam.last[2])
        local other = gap(seam.first[1], seam.last[2]) + gap(seam.last[1], seam.first[2])
        if sewn > other then
          farther[#farther + 1] = i
        end
      end
      -- The dress's 17th seam sews 1.5 cm of the back bodice to the front of the skirt: the side seams do not meet.
      assert.same(name == "shirt_mean" and {} or { 17 }, farther)
      for _, seam in ipairs(garment.seams) do
        assert.is_false(seam.same or seam.crossed)
      end
    end)
  end
end)
