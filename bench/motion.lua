-- Recorded motions of a sheet, of weft or of a peer, and what is compared between them: centre of mass, kinetic energy,
-- mean height of the hem, stretch of the edges. `local motion = require "bench.motion"`.
--
-- A motion is { vertices =, fps =, frames = { { x = double array, seconds =, processor_seconds = }, ... } }; frame 1 is
-- the start. Vertices are in the order of weft.sheet's source: along the weft first.

local ffi = require "ffi"
local common = require "bench.common"

local motion = {}

--- Reads what the peers write: lines "frame <n> <seconds> <processor seconds>", each before a line "x y z" per vertex.
function motion.read(path, vertices, fps)
  local file = io.open(path)
  if not file then
    error(path .. " was not written", 0)
  end
  local frames = {}
  for line in file:lines() do
    local seconds, processor = line:match "^frame %d+ (%S+) (%S+)"
    if not seconds then
      error(("%s: expected a frame, got '%s'"):format(path, line:sub(1, 60)), 0)
    end
    local x = ffi.new("double[?]", 3 * vertices)
    for i = 0, 3 * vertices - 1 do
      x[i] = file:read "*n" or error(path .. " ends in the middle of a frame", 0)
    end
    file:read "*l"
    frames[#frames + 1] = { x = x, seconds = tonumber(seconds), processor_seconds = tonumber(processor) }
  end
  file:close()
  return { vertices = vertices, fps = fps, frames = frames }
end

local function copy_positions(cloth)
  local view = cloth.positions:ffi()
  local x = ffi.new("double[?]", 3 * view.count)
  ffi.copy(x, view.ptr, 3 * view.count * 8)
  return x
end

--- Steps a world whose time_step divides the frame, and records a cloth of it.
function motion.record(world, cloth, frames, fps)
  local steps = math.floor(1 / (fps * world.time_step) + 0.5)
  local result = { vertices = cloth.vertices, fps = fps, frames = { { x = copy_positions(cloth), seconds = 0,
    processor_seconds = 0 } } }
  for k = 1, frames do
    local start, processor_start = common.clock(), os.clock()
    world:step(steps)
    result.frames[k + 1] = {
      seconds = common.clock() - start, processor_seconds = os.clock() - processor_start, x = copy_positions(cloth),
    }
  end
  return result
end

--- The mean time of the frames after the first that is simulated (which also builds things), per simulated second.
function motion.cost(m, field)
  local values = {}
  for k = 3, #m.frames do
    values[#values + 1] = m.frames[k][field]
  end
  return common.mean(values) * m.fps
end

--- Per frame from the second on: centre of mass (m), kinetic energy (J) of the motion since the frame before, and the
--- mean height of the hem, the first row. `masses`: an array in kg, or one number for all vertices.
function motion.measures(m, masses, columns)
  local mass_of = type(masses) == "number" and function() return masses end or function(i) return masses[i] end
  local list = {}
  for k = 2, #m.frames do
    local x, before = m.frames[k].x, m.frames[k - 1].x
    local total, energy, cx, cy, cz, hem = 0, 0, 0, 0, 0, 0
    for i = 0, m.vertices - 1 do
      local mass = mass_of(i)
      local vx, vy, vz = x[3 * i] - before[3 * i], x[3 * i + 1] - before[3 * i + 1], x[3 * i + 2] - before[3 * i + 2]
      total = total + mass
      cx, cy, cz = cx + mass * x[3 * i], cy + mass * x[3 * i + 1], cz + mass * x[3 * i + 2]
      energy = energy + 0.5 * mass * (vx * vx + vy * vy + vz * vz) * m.fps ^ 2
      if i < columns then
        hem = hem + x[3 * i + 1] / columns
      end
    end
    list[#list + 1] = { centre = { cx / total, cy / total, cz / total }, energy = energy, hem = hem }
  end
  return list
end

--- Root mean squares over the frames of the differences of two lists of measures: centre (m), energy (relative to the
--- reference's largest), hem (m).
function motion.errors(measures, reference)
  local centre, energy, hem, largest = 0, 0, 0, 0
  for k, r in ipairs(reference) do
    local m = measures[k]
    for c = 1, 3 do
      centre = centre + (m.centre[c] - r.centre[c]) ^ 2
    end
    energy, hem, largest = energy + (m.energy - r.energy) ^ 2, hem + (m.hem - r.hem) ^ 2, math.max(largest, r.energy)
  end
  local n = #reference
  return { centre = math.sqrt(centre / n), energy = math.sqrt(energy / n) / largest, hem = math.sqrt(hem / n) }
end

--- Whether no error is larger than the other's.
function motion.no_worse(errors, other)
  return errors.centre <= other.centre and errors.energy <= other.energy and errors.hem <= other.hem
end

--- A function that gives the stretches { mean, p99, largest } of a frame's positions over those of a sheet at rest.
function motion.stretch_meter(faces, rest_x)
  local f, edges, seen = faces:ffi(), {}, {}
  for t = 0, faces.count - 1 do
    for k = 0, 2 do
      local a, b = f.ptr[3 * t + k], f.ptr[3 * t + (k + 1) % 3]
      local key = math.min(a, b) * 2 ^ 26 + math.max(a, b)
      if not seen[key] then
        seen[key] = true
        edges[#edges + 1] = { a, b }
      end
    end
  end
  local function length(x, edge)
    local a, b = 3 * edge[1], 3 * edge[2]
    return math.sqrt((x[a] - x[b]) ^ 2 + (x[a + 1] - x[b + 1]) ^ 2 + (x[a + 2] - x[b + 2]) ^ 2)
  end
  local rest = {}
  for e, edge in ipairs(edges) do
    rest[e] = length(rest_x, edge)
  end
  return function(x)
    local stretch = {}
    for e, edge in ipairs(edges) do
      stretch[e] = length(x, edge) / rest[e] - 1
    end
    table.sort(stretch)
    return {
      mean = common.mean(stretch), p99 = common.quantile(stretch, 0.99), largest = stretch[#stretch],
    }
  end
end

--- Means of the stretches over the last `count` frames.
function motion.late_stretch(m, meter, count)
  local sum = { mean = 0, p99 = 0, largest = 0 }
  for k = #m.frames - count + 1, #m.frames do
    for name, value in pairs(meter(m.frames[k].x)) do
      sum[name] = sum[name] + value / count
    end
  end
  return sum
end

return motion
