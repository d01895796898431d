-- Runs stress scenes and judges every frame, by exact arithmetic that shares no code with contact.
--
-- A scene is { name =, build = function(size, world_options) }, which returns
--     world, cloths, bodies   what is in it
--     rigids                  rigid bodies; may be nil
--     frames                  steps to make
--     drive(frame)            what pulls, called before each step; may be nil
--     watch(frame)            what looks, after each step; may be nil
--     outcome()               at the end: a list of { what, value, least, largest }: whether the scene happened
--     view                    for the picture

local weft = require "weft"

local run = {}

--- All scenes, in the order in which they are shown.
function run.scenes()
  local list = {}
  for _, file in ipairs { "sheets", "strips", "objects" } do
    for _, scene in ipairs(require("spec.world.stress." .. file)) do
      list[#list + 1] = scene
    end
  end
  return list
end

--- Crossings of rigid bodies, where they are near enough, with each other and with bodies.
local function rigid_crossings(rigids, bodies)
  local count, reach, centres = 0, {}, {}
  for i, rigid in ipairs(rigids) do
    local c, x, y, z = rigid.centre, rigid.positions:get(1)
    reach[i], centres[i] = math.sqrt((x - c[1]) ^ 2 + (y - c[2]) ^ 2 + (z - c[3]) ^ 2), c
    for j = 2, rigid.vertices do
      x, y, z = rigid.positions:get(j)
      reach[i] = math.max(reach[i], math.sqrt((x - c[1]) ^ 2 + (y - c[2]) ^ 2 + (z - c[3]) ^ 2))
    end
    for k = 1, i - 1 do
      local d = centres[k]
      if (d[1] - c[1]) ^ 2 + (d[2] - c[2]) ^ 2 + (d[3] - c[3]) ^ 2 <= (reach[i] + reach[k]) ^ 2 then
        count = count + weft.inspect.intersections(rigid, rigids[k]).count
      end
    end
    for _, body in ipairs(bodies) do
      count = count + weft.inspect.intersections(rigid, body).count
    end
  end
  return count
end

--- Crossings of all cloth with itself, other cloth, bodies and rigid bodies.
function run.crossings(scene)
  local rigids = scene.rigids or {}
  local count = rigid_crossings(rigids, scene.bodies)
  for i, cloth in ipairs(scene.cloths) do
    count = count + weft.inspect.intersections(cloth).count
    for k = 1, i - 1 do
      count = count + weft.inspect.intersections(cloth, scene.cloths[k]).count
    end
    for _, list in ipairs { scene.bodies, rigids } do
      for _, body in ipairs(list) do
        count = count + weft.inspect.intersections(cloth, body).count
      end
    end
  end
  return count
end

--- Runs a scene. Returns what it was like, and the scene.
function run.scene(scene, size, world_options)
  local made = scene.build(size, world_options or {})
  local report = { name = scene.name, frames = 0, crossings = run.crossings(made), held = 0, most_held = 0, hits = 0,
    parts = 0, seconds = 0, fastest = 0, errors = {} }
  for frame = 1, made.frames do
    if made.drive then
      made.drive(frame)
    end
    local done, message = pcall(made.world.step, made.world)
    if not done then
      report.errors[#report.errors + 1] = ("frame %d: %s"):format(frame, message)
      break
    end
    local stats = made.world.stats
    report.frames = frame
    report.seconds = report.seconds + stats.step_seconds
    report.held = report.held + stats.backed_off
    report.most_held = math.max(report.most_held, stats.backed_off)
    report.parts = report.parts + stats.parts
    report.hits = report.hits + stats.hits
    report.fastest = math.max(report.fastest, stats.max_speed)
    local crossings = run.crossings(made)
    if crossings > 0 and report.crossings == 0 then
      report.errors[#report.errors + 1] = ("frame %d: %d crossings"):format(frame, crossings)
    end
    report.crossings = report.crossings + crossings
    if made.watch then
      made.watch(frame)
    end
  end
  report.vertices = made.world.stats.vertices
  report.outcome = made.outcome()
  for _, o in ipairs(report.outcome) do
    local what, value, least, largest = o[1], o[2], o[3], o[4]
    if not (value >= least and value <= largest) then
      report.errors[#report.errors + 1] = ("%s is %g, not from %g to %g"):format(what, value, least, largest)
    end
  end
  return report, made
end

--- Raises an error unless a scene, small, happens as it should without a crossing, as it begins too.
function run.must_pass(scene)
  local report = run.scene(scene, "small")
  if #report.errors > 0 or report.crossings > 0 then
    error(("%d crossings\n%s"):format(report.crossings, table.concat(report.errors, "\n")), 2)
  end
end

return run
