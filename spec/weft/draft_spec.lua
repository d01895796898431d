-- Drafts: seams that fit, panels that hang clear of the body, sizes that follow the measures.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local bodies = {
  average = weft.body.mannequin(),
  small = weft.body.mannequin { height = 1.5, bust = 0.78, waist = 0.6, hips = 0.84 },
  large = weft.body.mannequin { bust = 1.3, waist = 1.15, hips = 1.35 },
  man = weft.body.mannequin { figure = "man" },
  tall = weft.body.mannequin { height = 1.85, bust = 1, waist = 0.8, hips = 1.08 },
}

local variants = {
  { "tshirt", "average", {} },
  { "tshirt", "small", { ease = 0.06, sleeve_length = 0.2 } },
  { "tshirt", "large", { ease = 0.2, length = 0.75 } },
  { "tshirt", "man", { ease = 0.16, sleeve_length = 0.58 } },
  { "tshirt", "tall", { neck_depth = 0.13, armhole_ease = 0.1, sleeve_ease = 0.14 } },
  { "skirt", "average", {} },
  { "skirt", "small", { darts = 1, length = 0.5, flare = 0.1 } },
  { "skirt", "large", { gather = 1.3, flare = 0.8 } },
  { "skirt", "tall", { darts = 2, dart_width = 0.02, waistband = 0.04 } },
  { "skirt", "man", { gather = 2, ease = 0 } },
  { "trousers", "average", {} },
  { "trousers", "small", { hem = 0.3, length = 0.7 } },
  { "trousers", "large", { hip_ease = 0.14 } },
  { "trousers", "man", { rise_ease = 0.03, hem = 0.5 } },
  { "tube", "average", {} },
  { "tube", "large", { top = 0.9, bottom = 0.5, ease = 0.3 } },
}

--- Points along an edge of a drafted panel: a straight line or a cubic curve in the edge's frame.
local function edge_points(panel, index)
  local edge = panel.edges[index]
  local a, b = panel.vertices[edge[1]], panel.vertices[edge[2]]
  local points, parts = {}, 200
  local ex, ey = b[1] - a[1], b[2] - a[2]
  local params = edge.curvature and edge.curvature.params or { { 1 / 3, 0 }, { 2 / 3, 0 } }
  local c, d = params[1], params[2]
  for i = 0, parts do
    local t = i / parts
    local s = 1 - t
    local along = 3 * s * s * t * c[1] + 3 * s * t * t * d[1] + t ^ 3
    local left = 3 * s * s * t * c[2] + 3 * s * t * t * d[2]
    points[i + 1] = { a[1] + along * ex - left * ey, a[2] + along * ey + left * ex }
  end
  return points
end

local function edge_length(panel, index)
  local points, length = edge_points(panel, index), 0
  for i = 2, #points do
    length = length + math.sqrt((points[i][1] - points[i - 1][1]) ^ 2 + (points[i][2] - points[i - 1][2]) ^ 2)
  end
  return length
end

local function side_length(draft, side)
  return edge_length(draft.panels[side[1]], side[2]) * ((side.to or 1) - (side.from or 0))
end

--- Signed area of a panel as drawn, positive counter-clockwise.
local function area(panel)
  local sum = 0
  for i = 1, #panel.edges do
    local points = edge_points(panel, i)
    for k = 2, #points do
      local p, q = points[k - 1], points[k]
      sum = sum + (p[1] * q[2] - q[1] * p[2]) / 2
    end
  end
  return sum
end

local function place(panel, point)
  local c, s = math.cos(panel.rotation[3]), math.sin(panel.rotation[3])
  return { c * point[1] - s * point[2] + panel.translation[1], s * point[1] + c * point[2] + panel.translation[2],
    panel.translation[3] }
end

local function names_of(panels)
  local names = {}
  for name in pairs(panels) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

for _, variant in ipairs(variants) do
  local kind, size, options = variant[1], variant[2], variant[3]
  local parts = {}
  for name, value in pairs(options) do
    parts[#parts + 1] = ("%s = %s"):format(name, value)
  end
  table.sort(parts)

  describe(("weft.draft.%s for the %s figure, %s"):format(kind, size, table.concat(parts, ", ")), function()
    local body = bodies[size]
    local m = body.measures
    local draft = weft.draft[kind](body, options)

    it("has closed outlines, drawn as seen from outside", function()
      for _, name in ipairs(names_of(draft.panels)) do
        local panel = draft.panels[name]
        for i, edge in ipairs(panel.edges) do
          assert.same({ i, i % #panel.edges + 1 }, { edge[1], edge[2] })
        end
        -- Panels in front are counter-clockwise, behind clockwise.
        assert.is_true(area(panel) * panel.translation[3] > 0.001, name)
      end
    end)

    it("has seams whose sides fit within 2 %, but for the gathers", function()
      local gather = options.gather or 1
      for i, seam in ipairs(draft.seams) do
        local a, b = side_length(draft, seam[1]), side_length(draft, seam[2])
        local ratio = math.max(a, b) / math.min(a, b)
        local gathered = seam[2][1]:find "_band" and not seam[1][1]:find "_band"
        local wanted = gathered and gather or 1
        assert.is_true(ratio < wanted * 1.02 and ratio > wanted / 1.02, ("seam %d: %.4f to %.4f"):format(i, a, b))
      end
    end)

    if kind == "skirt" then
      it("has a hem of its girth, square to the sides and as far below the waist as these are long", function()
        local front = draft.panels.front
        local hem, right = edge_points(front, 1), edge_points(front, #front.edges)
        local length, drop = options.length or 0.6, m.waist_height - m.hip_height
        local top = (m.waist + (options.ease or 0.015)) * (options.gather or 1)
        assert.near(math.max(m.hips + 0.05, top) + (options.flare or 0.35), 2 * edge_length(front, 1), 1e-4)
        assert.near(length - drop, edge_length(front, #front.edges), 1e-9) -- the sides, from the hips on
        local control = front.edges[1].curvature.params[1] -- of the hem's end, by its level chord
        local rx, ry = right[#right][1] - right[1][1], right[#right][2] - right[1][2]
        assert.near(0, (control[1] * rx + control[2] * ry) / math.sqrt((control[1] ^ 2 + control[2] ^ 2) *
          (rx * rx + ry * ry)), 1e-9)
        local lowest = 0
        for _, point in ipairs(hem) do
          lowest = math.min(lowest, point[2])
        end
        assert.near(-length, lowest, 1e-9)
      end)
    end

    it("names no edge in two seams, and closes all but hems and openings", function()
      local seen, free = {}, 0
      for _, seam in ipairs(draft.seams) do
        for _, side in ipairs(seam) do
          local key = ("%s %d %g"):format(side[1], side[2], side.from or 0)
          assert.is_nil(seen[key])
          seen[key] = true
          seen[("%s %d"):format(side[1], side[2])] = true
        end
      end
      for _, name in ipairs(names_of(draft.panels)) do
        for i = 1, #draft.panels[name].edges do
          free = free + (seen[("%s %d"):format(name, i)] and 0 or 1)
        end
      end
      local openings = { tshirt = 8, trousers = 8, tube = 4 } -- necks and hems; waists and hems; both ends
      if kind == "skirt" then
        local banded = options.waistband or options.gather
        openings.skirt = banded and 4 or 2 + 2 * (2 * (options.darts or 0) + 1)
      end
      assert.equal(openings[kind], free)
    end)

    it("hangs in front of and behind the body, without touching it", function()
      local positions = body.positions:table()
      for _, name in ipairs(names_of(draft.panels)) do
        local panel = draft.panels[name]
        local low, high = { math.huge, math.huge }, { -math.huge, -math.huge }
        for i = 1, #panel.edges do
          for _, point in ipairs(edge_points(panel, i)) do
            local p = place(panel, point)
            for k = 1, 2 do
              low[k], high[k] = math.min(low[k], p[k]), math.max(high[k], p[k])
            end
          end
        end
        local z = panel.translation[3]
        local nearest = math.huge
        for _, p in ipairs(positions) do
          if p[1] > low[1] and p[1] < high[1] and p[2] > low[2] and p[2] < high[2] then
            nearest = math.min(nearest, z > 0 and z - p[3] or p[3] - z)
          end
        end
        assert.is_true(nearest > 0.01, ("%s is %.3f m off"):format(name, nearest))
        assert.is_true(nearest < 0.25, ("%s is %.3f m off"):format(name, nearest))
      end
    end)

    it("becomes a garment that nobody has to turn or cross", function()
      local heard = {}
      weft.on_warning(function(text) heard[#heard + 1] = text end)
      local garment = weft.garment(draft)
      weft.on_warning(nil)
      assert.same({}, heard)
      assert.equal(#draft.seams, #garment.seams)
      for _, panel in ipairs(garment.panels) do
        assert.is_false(panel.turned)
        assert.near(math.abs(area(draft.panels[panel.name])), panel.area, 1e-3 * panel.area)
        assert.is_true(panel.normal[3] * draft.panels[panel.name].translation[3] > 0)
      end
      for i, seam in ipairs(garment.seams) do
        assert.is_false(seam.crossed)
        assert.near(side_length(draft, draft.seams[i][1]), seam.lengths[1], 1e-4)
        assert.near(side_length(draft, draft.seams[i][2]), seam.lengths[2], 1e-4)
      end
    end)

    it("is the same on both sides", function()
      for _, name in ipairs(names_of(draft.panels)) do
        local other = name:gsub("left_", "LEFT"):gsub("right_", "left_"):gsub("LEFT", "right_")
        assert.near(area(draft.panels[name]), area(draft.panels[other]), 1e-12)
      end
    end)

    it("has the width that the measures and the ease ask for", function()
      local function width_at(panel, height)
        local least, largest = math.huge, -math.huge
        for i = 1, #panel.edges do
          local points = edge_points(panel, i)
          for k = 2, #points do
            local p, q = place(panel, points[k - 1]), place(panel, points[k])
            if (p[2] < height) ~= (q[2] < height) then
              local x = p[1] + (q[1] - p[1]) * (height - p[2]) / (q[2] - p[2])
              least, largest = math.min(least, x), math.max(largest, x)
            end
          end
        end
        return largest - least
      end
      local function around(height)
        local sum = 0
        for _, name in ipairs(names_of(draft.panels)) do
          if not name:find "sleeve" and not name:find "band" then
            sum = sum + width_at(draft.panels[name], height)
          end
        end
        return sum
      end
      if kind == "tshirt" then
        -- Straight sides from the underarm, or wider toward the hem.
        assert.is_true(around(m.waist_height) >= m.bust + (options.ease or 0.11 * m.bust) - 1e-6)
      elseif kind == "skirt" then
        local waist = 0
        for _, seam in ipairs(draft.seams) do
          if seam[2][1]:find "_band" and not seam[1][1]:find "_band" then
            waist = waist + side_length(draft, seam[2])
          end
        end
        if waist == 0 then
          for name, panel in pairs(draft.panels) do
            for i, edge in ipairs(panel.edges) do
              local a, b = panel.vertices[edge[1]], panel.vertices[edge[2]]
              if a[2] == 0 and b[2] == 0 then
                waist = waist + edge_length(panel, i)
              end
            end
            assert.is_string(name)
          end
        end
        assert.near(m.waist + (options.ease or 0.015), waist, 1e-5)
        assert.is_true(waist < m.hips) -- it rests on the hips
        assert.is_true(around(m.hip_height) >= m.hips + 0.05 - 1e-9)
      elseif kind == "trousers" then
        assert.near(m.hips + (options.hip_ease or 0.055 * m.hips), around(m.hip_height + 1e-9), 0.02)
      else
        local height = options.top and 0.7 or m.waist_height
        assert.near(math.max(m.bust, m.waist, m.hips) + (options.ease or 0.05), around(height), 1e-9)
      end
    end)
  end)
end

describe("weft.draft", function()
  it("drafts from a table of measures as from the body that has them", function()
    local m = bodies.average.measures
    assert.same(weft.draft.tshirt(bodies.average), weft.draft.tshirt(m))
    -- What a table lacks is a mannequin's.
    local few = weft.draft.skirt { height = 1.7, waist = 0.72, hips = 1.0 }
    local whole = weft.draft.skirt(weft.body.mannequin { height = 1.7, waist = 0.72, hips = 1.0 })
    assert.near(area(whole.panels.front), area(few.panels.front), 1e-3)
  end)

  it("fits sleeves with ease when asked", function()
    local plain, eased = weft.draft.tshirt(bodies.average), weft.draft.tshirt(bodies.average, { cap_ease = 0.06 })
    local function cap(draft)
      for _, seam in ipairs(draft.seams) do
        if seam[1][1] == "left_sleeve_front" and seam[2][1] == "front" then
          return side_length(draft, seam[1]) / side_length(draft, seam[2])
        end
      end
    end
    assert.near(1, cap(plain), 1e-3)
    assert.near(1.06, cap(eased), 1e-3)
  end)

  it("makes the neck hole larger than the neck", function()
    for _, body in pairs(bodies) do
      local draft, sum = weft.draft.tshirt(body), 0
      for _, name in ipairs { "front", "back" } do
        local panel = draft.panels[name]
        for i, edge in ipairs(panel.edges) do
          local a, b = panel.vertices[edge[1]], panel.vertices[edge[2]]
          if math.abs(a[1] + b[1]) < 1e-12 and a[2] == b[2] and edge.curvature then
            sum = sum + edge_length(panel, i)
          end
        end
      end
      assert.is_true(sum > 1.1 * body.measures.neck and sum < 1.9 * body.measures.neck)
    end
  end)

  it("says what cannot be drafted", function()
    local body = bodies.average
    local scan = weft.body(support.tetrahedron)
    assert.matches("^weft.draft.skirt: weft.body body .* has no measures; give a table of them$",
      message_of(weft.draft.skirt, scan))
    assert.equal("weft.draft.tube: the first argument must be a mannequin or a table of measures, got 3",
      message_of(weft.draft.tube, 3))
    assert.equal("weft.draft.skirt: measures: there is no wiast = 1",
      message_of(weft.draft.skirt, { wiast = 1 }))
    assert.matches("^weft.draft.skirt: .*waist must be a number from 0.45 to 1.6, got 9",
      message_of(weft.draft.skirt, { waist = 9 }))
    assert.equal("weft.draft.skirt: unknown option 'lenght'; did you mean 'length'?",
      message_of(weft.draft.skirt, body, { lenght = 1 }))
    assert.matches("^weft.draft.skirt: flare must be at most %d.%d+ for a length of 0.6 m, got 6$",
      message_of(weft.draft.skirt, body, { flare = 6 }))
    assert.equal("weft.draft.skirt: darts must be 0, 1 or 2, got 0.5",
      message_of(weft.draft.skirt, body, { darts = 0.5 }))
    assert.equal("weft.draft.skirt: a gathered skirt needs a waistband",
      message_of(weft.draft.skirt, body, { gather = 2, waistband = 0 }))
    assert.matches("^weft.draft.skirt: length must be at least 0.24",
      message_of(weft.draft.skirt, body, { length = 0.1 }))
    assert.matches("^weft.draft.tshirt: sleeve_length must be at least 0.1",
      message_of(weft.draft.tshirt, body, { sleeve_length = 0.05 }))
    assert.matches("^weft.draft.tshirt: ease must be a number from 0 to 0.8, got %-?nan",
      message_of(weft.draft.tshirt, body, { ease = 0 / 0 }))
    assert.matches("^weft.draft.tube: top must be at least 0.05 m over bottom",
      message_of(weft.draft.tube, body, { top = 0.5, bottom = 0.6 }))
  end)
end)
