-- Sews and drapes a garment and holds it to what draped cloth must be. `local draping = require "spec.draping"`.
--
-- The judges share no code with the simulation: the exact intersection test, the winding number, the mesh's topology,
-- and speeds counted here.

local weft = require "weft"

local draping = {}

-- What must hold; m, m/s, rad. Strains and shear angles are those of cloth.strains.
local limits = {
  usual_strain = 0.022, -- of `usual_share` of the triangles
  usual_share = 0.99,
  strain = 0.05,       -- of `nearly_all` of the triangles
  nearly_all = 0.999,
  caught_strain = 0.1, -- of the others: friction holds what an armpit caught. With edges of 20 to 31 mm the worst
                       -- triangle of one shirt there ends between 3.3 and 6.4 %, without a trend
  cone = 0.6,          -- vertices at which the pattern has so much more than a full turn (rad),
  cone_strain = 0.1,   -- where flat cloth has to ruffle: the triangles around such a point are too large for that
  shear = 0.35,
  eased = 1.03,        -- ratio of a seam's sides above which the cloth beside it is eased or gathered on purpose
  eased_rings = 2,     -- of triangles: so far from the seam
  rms_speed = 1e-3,
  speed = 1e-2,
  rest_steps = 30,     -- half a second
}

-- ---- topology -------------------------------------------------------------------------------------------------------

--- How many vertices the panels have once the stitched ones are one.
local function sewn_vertices(panels)
  local parent = {}
  local function root(i)
    while parent[i] do
      i = parent[i]
    end
    return i
  end
  local merged = 0
  for i = 1, #panels.pairs do
    local a, b = panels.pairs:get(i)
    a, b = root(a), root(b)
    if a ~= b then
      parent[b] = a
      merged = merged + 1
    end
  end
  return panels.vertices - merged
end

--- Every seam is closed and made one, and nothing else is.
local function check_topology(expect, cloth, panels, loops)
  expect(cloth.stitches == 0, "%d stitches are open", cloth.stitches)
  expect(cloth.triangles == panels.triangles, "%d triangles of %d", cloth.triangles, panels.triangles)
  expect(cloth.vertices == sewn_vertices(panels), "%d vertices instead of %d", cloth.vertices, sewn_vertices(panels))
  local report = weft.inspect.examine(cloth)
  expect(report.manifold and report.oriented, "the sewn cloth is no oriented manifold")
  expect(report.components == 1, "the sewn cloth has %d parts", report.components)
  expect(report.isolated_vertices == 0, "%d vertices have no face", report.isolated_vertices)
  expect(report.zero_area_faces == 0, "%d faces have no area", report.zero_area_faces)
  expect(report.boundary_loops == loops and report.euler == 2 - loops,
    "%d borders and Euler number %d instead of a sphere with %d holes", report.boundary_loops, report.euler, loops)
end

-- ---- how it is worn -------------------------------------------------------------------------------------------------

--- The closed curves of a cloth's border: lists of points.
local function borders_of(cloth)
  local edges, directed, faces = {}, {}, cloth.faces
  for face = 1, #faces do
    local corners = { faces:get(face) }
    for k = 1, 3 do
      local a, b = corners[k], corners[k % 3 + 1]
      edges[#edges + 1] = { a, b }
      directed[a .. " " .. b] = true
    end
  end
  local after = {}
  for _, edge in ipairs(edges) do
    if not directed[edge[2] .. " " .. edge[1]] then
      after[edge[1]] = edge[2]
    end
  end
  local loops, seen = {}, {}
  for start = 1, cloth.vertices do
    local loop, vertex = {}, start
    while after[vertex] and not seen[vertex] do
      seen[vertex] = true
      loop[#loop + 1] = { cloth.positions:get(vertex) }
      vertex = after[vertex]
    end
    if #loop > 0 then
      loops[#loops + 1] = loop
    end
  end
  return loops
end

--- Whether something of `body` goes through a loop: whether it meets the cone from the loop to its middle. And the
--- middle.
local function surrounds(loop, body)
  local middle, vertices, faces = { 0, 0, 0 }, {}, {}
  for i, point in ipairs(loop) do
    for k = 1, 3 do
      middle[k] = middle[k] + point[k] / #loop
    end
    vertices[i], faces[i] = point, { i, i % #loop + 1, #loop + 1 }
  end
  vertices[#loop + 1] = middle
  return weft.inspect.intersections({ vertices = vertices, faces = faces }, body).count > 0, middle
end

local function highest(surface)
  local top, positions = -math.huge, surface.positions
  for i = 1, #positions do
    local _, y = positions:get(i)
    top = math.max(top, y)
  end
  return top
end

--- All of the cloth is outside of the body, its borders go around parts of the body, and its highest point, returned,
--- is from top[1] to top[2].
local function check_place(expect, cloth, body, top)
  local inside = weft.inspect.inside(body, cloth)
  expect(inside == 0, "%d vertices are inside the body", inside)
  for _, loop in ipairs(borders_of(cloth)) do
    local around, middle = surrounds(loop, body)
    expect(around, "the border around (%.3f, %.3f, %.3f) surrounds nothing of the body", unpack(middle))
  end
  local height = highest(cloth)
  expect(height >= top[1] and height <= top[2], "its highest point is at %.3f m, not from %.3f to %.3f", height,
    top[1], top[2])
  return height
end

-- ---- strains --------------------------------------------------------------------------------------------------------

--- The value up to which `share` of a sorted list goes.
local function quantile(sorted, share)
  return sorted[math.max(1, math.ceil(share * #sorted))]
end

local function four_quantiles(sorted)
  return ("%.4f %.4f %.4f %.4f"):format(quantile(sorted, 0.5), quantile(sorted, 0.9), quantile(sorted, 0.99),
    quantile(sorted, 1))
end

local function place_of(cloth, face)
  local x, y, z = 0, 0, 0
  for _, vertex in ipairs { cloth.faces:get(face) } do
    local a, b, c = cloth.positions:get(vertex)
    x, y, z = x + a / 3, y + b / 3, z + c / 3
  end
  return ("(%.3f, %.3f, %.3f)"):format(x, y, z)
end

--- For each face, whether it touches a point at which the corners of the panels add up to more than a full turn.
local function faces_at_cones(cloth, panels)
  local turns, faces = {}, cloth.faces
  for face = 1, cloth.triangles do
    local vertices, corners = { faces:get(face) }, { panels.faces:get(face) }
    for k = 1, 3 do
      local ax, ay = panels.rest:get(corners[k])
      local bx, by = panels.rest:get(corners[k % 3 + 1])
      local cx, cy = panels.rest:get(corners[(k + 1) % 3 + 1])
      local ux, uy, wx, wy = bx - ax, by - ay, cx - ax, cy - ay
      local angle = math.acos((ux * wx + uy * wy) / math.sqrt((ux * ux + uy * uy) * (wx * wx + wy * wy)))
      turns[vertices[k]] = (turns[vertices[k]] or 0) + angle
    end
  end
  local marked, count = {}, 0
  for face = 1, cloth.triangles do
    for _, vertex in ipairs { faces:get(face) } do
      marked[face] = marked[face] or turns[vertex] > 2 * math.pi + limits.cone
    end
    count = count + (marked[face] and 1 or 0)
  end
  return marked, count
end

--- The strains are within the limits. Returns their distribution as text.
local function check_strains(expect, cloth, panels)
  local strains, ease = cloth.strains, cloth:ease(limits.eased_rings)
  local at_cone, cone_count = faces_at_cones(cloth, panels)
  local worst_at_cone = { 0 }
  local usual, shears, eased, most_eased, worst, worst_shear = {}, {}, 0, 0, { 0 }, { 0 }
  for face = 1, cloth.triangles do
    local weft_strain, warp_strain, shear = strains:get(face)
    local strain, ratio = math.max(math.abs(weft_strain), math.abs(warp_strain)), ease:get(face)
    if ratio > limits.eased then
      local limit = (ratio - 1) / (ratio + 1) + limits.strain
      eased, most_eased = eased + 1, math.max(most_eased, strain / limit)
    else
      usual[#usual + 1], shears[#shears + 1] = strain, math.abs(shear)
      local largest = at_cone[face] and worst_at_cone or worst
      if strain > largest[1] then
        largest[1], largest[2] = strain, face
      end
      if math.abs(shear) > worst_shear[1] then
        worst_shear = { math.abs(shear), face }
      end
    end
  end
  table.sort(usual)
  table.sort(shears)
  local most = quantile(usual, limits.usual_share)
  expect(most <= limits.usual_strain, "strain of %g %% of the triangles is up to %.4f", 100 * limits.usual_share, most)
  most = quantile(usual, limits.nearly_all)
  expect(most <= limits.strain, "strain of %g %% of the triangles is up to %.4f", 100 * limits.nearly_all, most)
  expect(worst[1] <= limits.caught_strain, "strain of %.4f at %s", worst[1], place_of(cloth, worst[2] or 1))
  expect(worst_at_cone[1] <= limits.cone_strain, "strain of %.4f at a point of more than a full turn, %s",
    worst_at_cone[1], place_of(cloth, worst_at_cone[2] or 1))
  expect(worst_shear[1] <= limits.shear, "shear of %.4f rad at %s", worst_shear[1],
    place_of(cloth, worst_shear[2] or 1))
  expect(most_eased <= 1, "near eased seams, the strain is %.3f times its limit", most_eased)
  return ("strain of 50, 90, 99, 100 %% of the triangles %s, shear %s; %d at points of more than a full turn, with up "
    .. "to %.4f; %d near eased seams, with up to %.2f of their limit"):format(four_quantiles(usual),
    four_quantiles(shears), cone_count, worst_at_cone[1], eased, most_eased)
end

-- ---- draping --------------------------------------------------------------------------------------------------------

--- rms and largest speed of all vertices.
local function speeds_of(cloth)
  local sum, largest, velocities = 0, 0, cloth.velocities
  for i = 1, #velocities do
    local x, y, z = velocities:get(i)
    local square = x * x + y * y + z * z
    sum, largest = sum + square, math.max(largest, square)
  end
  return math.sqrt(sum / #velocities), math.sqrt(largest)
end

--- No frame, the first and every `every`th and the last, crosses itself or the body; it comes to rest.
local function check_run(expect, world, cloth, body, every)
  local frames, crossed = 0, false
  local function check_frame()
    frames = frames + 1
    local own, with_body = weft.inspect.intersections(cloth).count, weft.inspect.intersections(cloth, body).count
    expect(crossed or own + with_body == 0, "step %d: the cloth crosses itself %d times and the body %d times",
      world.steps, own, with_body)
    crossed = crossed or own + with_body > 0
  end
  local speeds, settle = {}, 1.5
  check_frame()
  local rested = world:run {
    until_rest = true, settle = settle, seconds = 20,
    every = function()
      speeds[world.steps] = { speeds_of(cloth) }
      if world.steps % every == 0 then
        check_frame()
      end
    end,
  }
  check_frame()

  -- At rest for half a second, with no damping but the fabric's.
  local free_steps = world.steps - math.floor(settle / world.time_step + 0.5)
  expect(rested and world.damping == 0 and free_steps >= limits.rest_steps,
    "%s after %.1f s, %d steps of them without extra damping", rested and "at rest" or "still moving", world.time,
    free_steps)
  local rms, largest = 0, 0
  for step = world.steps - limits.rest_steps + 1, world.steps do
    rms, largest = math.max(rms, speeds[step][1]), math.max(largest, speeds[step][2])
  end
  expect(rms <= limits.rms_speed and largest <= limits.speed, "moves: up to %.5f m/s rms, %.5f largest", rms, largest)
  return frames
end

---@class draping.options
---@field edge number
---@field loops integer borders that the garment has: hems and openings
---@field top number[] lowest and highest height at which the cloth's highest point may be, m
---@field every? integer steps from one frame that is checked for intersections to the next; 10 by default

---@class draping.result
---@field faults string[] what was wrong; empty when nothing was
---@field summary string counts, strains and times
---@field cloth weft.cloth
---@field world weft.world

--- Sews `garment` around `body`, lets it drape until it rests, and judges it.
---@param options draping.options
---@return draping.result
function draping.drape(garment, body, options)
  local faults = {}
  local function expect(condition, format, ...)
    if not condition then
      faults[#faults + 1] = format:format(...)
    end
  end
  local start = os.clock()
  local cloth = garment:sew { on = body, edge = options.edge }
  local sewn = os.clock()
  local panels = garment:triangulate { edge = options.edge }
  check_topology(expect, cloth, panels, options.loops)
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  local frames = check_run(expect, world, cloth, body, options.every or 10)
  local draped = os.clock()
  local top = check_place(expect, cloth, body, options.top)
  local distribution = check_strains(expect, cloth, panels)
  local summary = ("%d vertices, %d triangles; %s; highest point at %.3f m; at rest after %.1f s, %d frames checked; "
    .. "%.1f s of CPU to sew, %.1f s to drape"):format(cloth.vertices, cloth.triangles, distribution, top, world.time,
    frames, sewn - start, draped - sewn)
  return { faults = faults, summary = summary, cloth = cloth, world = world }
end

-- ---- patterns and bodies --------------------------------------------------------------------------------------------

--- Mannequins to dress.
draping.mannequins = {
  { name = "an average woman" },
  { name = "a small woman", height = 1.52, bust = 0.8, waist = 0.63, hips = 0.86 },
  { name = "a large woman", height = 1.66, bust = 1.24, waist = 1.1, hips = 1.28 },
  { name = "a tall woman", height = 1.86, bust = 0.98, waist = 0.79, hips = 1.06 },
  { name = "a man", figure = "man" },
}

local function on_shoulders(m)
  return { m.shoulder_height, m.back_neck_height + 0.03 }
end

local function on_waist(m)
  return { (m.waist_height + m.hip_height) / 2, m.waist_height + 0.06 }
end

--- What is drafted, with the options of weft.draft, for a body's measures `m`. Gathers get edges `finer` times as long:
--- with 3 cm, the length of their folds, they stretch the band to 1.01 of its limit, with 2.5 cm to 0.91.
draping.patterns = {
  { name = "a T-shirt", kind = "tshirt", loops = 4, top = on_shoulders },
  { name = "a T-shirt with short sleeves", kind = "tshirt", loops = 4, top = on_shoulders,
    options = function(m)
      return { ease = 0.15 * m.bust, sleeve_length = 0.72 * m.upper_arm, sleeve_ease = 0.36 * m.upper_arm,
        armhole_ease = 0.28 * m.upper_arm, neck_ease = 0.03 }
    end },
  { name = "a wide, long T-shirt", kind = "tshirt", loops = 4, top = on_shoulders,
    options = function(m)
      return { ease = 0.26 * m.bust, length = 0.43 * m.height, sleeve_length = 0.9 * m.upper_arm,
        sleeve_ease = 0.5 * m.upper_arm, armhole_ease = 0.36 * m.upper_arm, neck_ease = 0.03 }
    end },
  { name = "a shirt with long sleeves", kind = "tshirt", loops = 4, top = on_shoulders,
    options = function(m) return { ease = 0.17 * m.bust, sleeve_length = 0.9 * m.arm_length } end },
  { name = "a T-shirt with eased sleeve caps and a deep neck", kind = "tshirt", loops = 4, top = on_shoulders,
    options = function() return { cap_ease = 0.06, neck_depth = 0.13, sleeve_length = 0.28 } end },
  { name = "an A-line skirt", kind = "skirt", loops = 2, top = on_waist },
  { name = "a skirt gathered into a waistband", kind = "skirt", loops = 2, top = on_waist,
    finer = 5 / 6, options = function() return { gather = 1.4, flare = 0.5, length = 0.5 } end },
  { name = "a skirt with darts", kind = "skirt", loops = 2, top = on_waist,
    options = function() return { darts = 1, flare = 0.1, length = 0.55 } end },
  { name = "wide trousers", kind = "trousers", loops = 3, top = on_waist,
    options = function(m)
      return { ease = 0.025 * m.waist, hip_ease = 0.09 * m.hips, rise_ease = 0.035, hem = 0.5 * m.thigh + 0.15 }
    end },
  { name = "a tube", kind = "tube", loops = 2, top = on_waist,
    options = function(m) -- narrow enough not to slip off the hips
      return { top = m.waist_height, bottom = m.hip_height - 0.25, ease = 0.006 + 0.04 * math.max(0, m.hips - 1.1) }
    end },
}

--- The mannequin `number` of the list.
function draping.mannequin(number)
  local given = {}
  for name, value in pairs(draping.mannequins[number]) do
    given[name] = value
  end
  return weft.body.mannequin(given)
end

--- Drafts a pattern of the list for a mannequin, and drapes it.
---@param edge number
---@return draping.result
function draping.drape_pattern(pattern, body, edge)
  local m = body.measures
  local garment = weft.garment(weft.draft[pattern.kind](body, pattern.options and pattern.options(m)))
  return draping.drape(garment, body, {
    edge = edge * (pattern.finer or 1), loops = pattern.loops, top = pattern.top(m),
  })
end

return draping
