-- Folds and stiff seams in patterns: edges that follow lines, pleats that drape, and what seams add.

local support = require "spec.support"
local weft = require "weft"

local message_of, near, still_world = support.message_of, support.near, support.still_world

local function rectangle(width, height, folds)
  return { name = "sheet", vertices = { { 0, 0 }, { width, 0 }, { width, height }, { 0, height } }, folds = folds }
end

--- The panels' vertices on the line through two points, and how far from each other the outer two are.
local function on_line(mesh, from, to)
  local ux, uy = to[1] - from[1], to[2] - from[2]
  local length = math.sqrt(ux * ux + uy * uy)
  local count, low, high = 0, math.huge, -math.huge
  for i = 1, mesh.vertices do
    local x, y = mesh.rest:get(i)
    local beside = ((x - from[1]) * uy - (y - from[2]) * ux) / length
    if math.abs(beside) < 1e-9 then
      local along = ((x - from[1]) * ux + (y - from[2]) * uy) / length
      count, low, high = count + 1, math.min(low, along), math.max(high, along)
    end
  end
  return count, high - low
end

describe("A panel's folds", function()
  it("are lines that edges follow, in triangles as good as without", function()
    for _, edge in ipairs { 0.03, 0.012 } do
      local folds = { { from = { 0.1, -0.01 }, to = { 0.1, 0.2 }, angle = 1 },
        { from = { 0.2, 0 }, to = { 0.25, 0.2 }, angle = -1 }, { from = { 0, 0.05 }, to = { 0.1, 0.05 }, angle = 1 } }
      local garment = weft.garment { panels = { rectangle(0.3, 0.2, { folds[1], folds[2] }) } }
      local mesh = garment:triangulate { edge = edge }
      assert.is_true(mesh.minimum_angle > math.rad(26))
      for k = 1, 2 do
        local f = folds[k]
        local count, length = on_line(mesh, k == 1 and { 0.1, 0 } or f.from, f.to)
        assert.is_true(count > 0.15 / edge and count < 0.36 / edge, count)
        near(k == 1 and 0.2 or math.sqrt(0.05 ^ 2 + 0.2 ^ 2), length, 1e-9)
      end
      assert.truthy(message_of(function()
        weft.garment({ panels = { rectangle(0.3, 0.2, { folds[1], folds[3] }) } }):triangulate { edge = edge }
      end):find("panel 'sheet': fold 2 does not cross it from outline to outline", 1, true))
    end
  end)

  it("cross seams at points that both sides have, and go on around holes", function()
    local half = { vertices = { { 0, 0 }, { 0.2, 0 }, { 0.2, 0.3 }, { 0, 0.3 } } }
    local pattern = { seams = { { { "left", 2 }, { "right", 4 } } }, panels = { left = half, right = {
      vertices = half.vertices, translation = { 0.3, 0, 0 },
      folds = { { from = { 0, 0.1234 }, to = { 0.2, 0.1234 }, angle = 1 } } } } }
    local mesh = weft.garment(pattern):triangulate { edge = 0.05 }
    for k = 1, mesh.stitches do
      local i, j = mesh.pairs:get(k)
      near(1 + select(2, mesh.rest:get(i)), 1 + select(2, mesh.rest:get(j)), 1e-12)
    end
    local ring = { name = "ring", vertices = { { 0, 0 }, { 0.3, 0 }, { 0.3, 0.3 }, { 0, 0.3 }, { 0.1, 0.1 },
      { 0.2, 0.1 }, { 0.2, 0.2 }, { 0.1, 0.2 } }, edges = { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 1 }, { 5, 6 }, { 6, 7 },
      { 7, 8 }, { 8, 5 } }, folds = { { from = { 0, 0.151 }, to = { 0.3, 0.151 }, angle = 1 } } }
    local cloth = weft.garment({ panels = { ring } }):sew { edge = 0.03, relax_time = 0 }
    assert.equal(2, #cloth.fittings)
    near(0.1, cloth.fittings[1].rest_length, 1e-6)
    near(0.1, cloth.fittings[2].rest_length, 1e-6)
  end)

  it("rest at their angles, towards the outer side where these are positive, however the panel is drawn", function()
    for _, reversed in ipairs { false, true } do
      local panel = rectangle(0.2, 0.05, { { from = { 0.1, 0 }, to = { 0.1, 0.05 }, angle = 1.2 } })
      if reversed then -- its back is shown
        panel.vertices = { { 0, 0 }, { 0, 0.05 }, { 0.2, 0.05 }, { 0.2, 0 } }
      end
      local cloth = weft.garment({ panels = { panel } }):sew { edge = 0.01, relax_time = 0 }
      assert.equal("fold", cloth.fittings[1].kind)
      near(1.2, cloth.fittings[1].angle, 1e-12)
      local world = still_world { damping = 3 }
      world:add(cloth)
      local nx, ny, nz = cloth.normals:get(1)
      world:step(300)
      -- the two ends have come towards each other on the side of the normal
      local first, last
      for i = 1, cloth.vertices do
        local p = { cloth.positions:get(i) }
        first = (not first or p[1] < first[1]) and p or first
        last = (not last or p[1] > last[1]) and p or last
      end
      local centre = { 0, 0, 0 }
      for i = 1, cloth.vertices do
        local p = { cloth.positions:get(i) }
        for k = 1, 3 do
          centre[k] = centre[k] + p[k] / cloth.vertices
        end
      end
      local middle = { (first[1] + last[1]) / 2, (first[2] + last[2]) / 2, (first[3] + last[3]) / 2 }
      near(0.2 * math.cos(0.6), last[1] - first[1], 0.02)
      local rise = (middle[1] - centre[1]) * nx + (middle[2] - centre[2]) * ny + (middle[3] - centre[3]) * nz
      near(0.05 * math.sin(0.6), rise, 0.05)
    end
  end)

  it("survive a file", function()
    local path = os.tmpname()
    local garment = weft.garment { units_in_meter = 100, panels = { { name = "sheet",
      vertices = { { 0, 0 }, { 30, 0 }, { 30, 20 }, { 0, 20 } },
      folds = { { from = { 10, 0 }, to = { 10, 20 }, angle = 0.5 } } } },
      seams = { { { "sheet", 2 }, { "sheet", 4 }, bending = 1e-4 } }, seam = { stiffness = 20, shrinkage = 0.02 } }
    garment:save(path)
    local again = weft.garment.load(path)
    os.remove(path)
    local cloth = again:sew { edge = 0.05, relax_time = 0, world = { self_contact = false } }
    local seam, fold = cloth.fittings[1], cloth.fittings[2]
    assert.equal("seam", seam.kind)
    near(1e-4, seam.bending, 1e-12)
    assert.equal(20, seam.stiffness)
    near(0.2 * 0.98, seam.length, 1e-9)
    near(0.5, fold.angle, 1e-12)
    near(0.2, fold.rest_length, 1e-9)
  end)

  it("are refused with reasons", function()
    local function message(folds)
      return message_of(weft.garment, { panels = { rectangle(0.3, 0.2, folds) } })
    end
    assert.equal("weft.garment: panel 'sheet': fold 1 needs a length and an angle from -pi to pi, got 0 m and 1 rad",
      message { { from = { 0, 0 }, to = { 0, 0 }, angle = 1 } })
    assert.truthy(message({ { from = { 0, 0 }, to = { 0, 1 }, angle = 4 } }):find("got 1 m and 4 rad", 1, true))
    assert.truthy(message({ { from = { 0, 0 }, to = { 0, 1 }, turn = 4 } }):find(
      "panel 'sheet', fold 1: unknown field", 1, true))
    assert.truthy(message({ { from = { 0, 0 }, angle = 1 } }):find("panel 'sheet', fold 1: to must be", 1, true))
    local long = message(("x"):rep(100000))
    assert.truthy(long:find("its folds must be a table, got \"xxx", 1, true))
    assert.is_true(#long < 200)
    local crossing = weft.garment { panels = { rectangle(0.3, 0.2, {
      { from = { 0.1, 0 }, to = { 0.2, 0.2 }, angle = 1 }, { from = { 0.2, 0 }, to = { 0.1, 0.2 }, angle = 1 } }) } }
    assert.truthy(message_of(crossing.triangulate, crossing):find(
      "meets the outline, a hole or another line on its way", 1, true))
  end)
end)

describe("Pleats", function()
  it("are folds side by side", function()
    local function signs(folds)
      local list = {}
      for k, fold in ipairs(folds) do
        list[k] = fold.angle > 0 and "+" or "-"
      end
      return table.concat(list)
    end
    local top, bottom = { { 0, 1 }, { 1, 1 } }, { { 0, 0 }, { 2, 0 } }
    local accordion = weft.draft.pleats { count = 3, top = top, bottom = bottom }
    assert.equal("-+-+-", signs(accordion))
    near(1 / 6, accordion[1].from[1], 1e-12)
    near(1 / 3, accordion[1].to[1], 1e-12)
    local knife = weft.draft.pleats { kind = "knife", count = 3, top = top, bottom = bottom, depth = 0.25, angle = 3 }
    assert.equal("+-+-+-", signs(knife))
    near(0.25 / 3, knife[2].from[1] - knife[1].from[1], 1e-12)
    assert.equal("+--++-", signs(weft.draft.pleats { kind = "box", count = 3, top = top, bottom = bottom }))
    assert.equal("weft.draft.pleats: kind must be \"accordion\", \"knife\" or \"box\", got \"plissee\"",
      message_of(weft.draft.pleats, { kind = "plissee", count = 1, top = top, bottom = bottom }))
    assert.equal("weft.draft.pleats: count must be how many pleats, an integer, got 1.5",
      message_of(weft.draft.pleats, { count = 1.5, top = top, bottom = bottom }))
    assert.equal("weft.draft.pleats: top must be two points {x, y}, got nothing",
      message_of(weft.draft.pleats, { count = 2, bottom = bottom }))
    for _, bad in ipairs { 0 / 0, 1e300, "0" } do
      assert.matches("^weft.draft.pleats: bottom must be two points {x, y}",
        message_of(weft.draft.pleats, { count = 2, top = top, bottom = { { 0, 0 }, { bad, 0 } } }))
    end
  end)

  -- Sewn to a waistband that is shorter than it by 1.6, as its pleats make it: at the hem, folds that close outward are
  -- nearer to the axis than those between them.
  it("drape as a skirt", function()
    local body = weft.body.mannequin()
    local depth = {}
    for _, pressed in ipairs { true, false } do
      local pattern = weft.draft.skirt(body, { gather = 1.6, length = 0.45, flare = 0.4 })
      for _, name in ipairs { "front", "back" } do
        local half, hem = 0, 0
        for _, v in ipairs(pattern.panels[name].vertices) do
          half, hem = v[2] > -1e-9 and math.max(half, v[1]) or half, math.max(hem, v[1])
        end
        local low = -0.46 -- past the hem, which is round
        pattern.panels[name].folds = weft.draft.pleats { count = 5, top = { { -half, 0 }, { half, 0 } },
          bottom = { { -hem, low }, { hem, low } } }
      end
      local cloth = weft.garment(pattern):sew { on = body, edge = 0.035, relax_time = 0 }
      assert.equal(18, #cloth.fittings)
      for _, fold in ipairs(cloth.fittings) do
        fold.on = pressed
      end
      local world = weft.world()
      world:add(body)
      world:add(cloth)
      world:run { seconds = 2, settle = 1 }
      assert.equal(0, weft.inspect.intersections(cloth, body).count)
      assert.equal(0, weft.inspect.intersections(cloth).count)
      local radius, count = { 0, 0 }, { 0, 0 }
      for _, fold in ipairs(cloth.fittings) do
        local path, side = fold.path, fold.angle > 0 and 1 or 2
        local p, q = { cloth.positions:get(path[1]) }, { cloth.positions:get(path[#path]) }
        local hem = p[2] < q[2] and p or q
        radius[side], count[side] = radius[side] + math.sqrt(hem[1] ^ 2 + hem[3] ^ 2), count[side] + 1
      end
      depth[pressed] = radius[2] / count[2] - radius[1] / count[1]
    end
    assert.is_true(depth[true] > 0.01 and depth[true] > depth[false] + 0.005, ("%g and %g"):format(depth[true],
      depth[false]))
  end)
end)
