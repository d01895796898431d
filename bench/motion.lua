-- Recorded motions of a sheet, of weft or of a peer, and what is compared between them: centre of mass, kinetic energy,
-- mean height of the hem, stretch of the edges. `local motion = require "bench.motion"`.
--
-- A motion is { vertices =, fps =, frames = { { x = double array, seconds =, processor_seconds = }, ... } }; frame 1 is
-- the start. Vertices are in the order of weft.sheet's source: along the weft first.

local ffi = require "ffi"
local common = require "bench.common"

local motion = {}

--- Reads one frame that a peer writes: a line "frame <n> <seconds> <processor seconds>", whatever stands before it,
--- then a line "x y z" for each vertex. nil at the end.
local function read_frame(file, vertices)
  local seconds, processor
  repeat
    local line = file:read "*l"
    if not line then
      return nil
    end
    seconds, processor = line:match "^frame %d+ (%S+) (%S+)"
  until seconds
  local x = ffi.new("double[?]", 3 * vertices)
  for i = 0, 3 * vertices - 1 do
    x[i] = file:read "*n" or error("a peer ended in the middle of a frame", 0)
  end
  file:read "*l"
  return { x = x, seconds = tonumber(seconds), processor_seconds = tonumber(processor) }
end

--- The motion in a file that motion.save wrote, or nil.
function motion.read(path, vertices, fps)
  local file = io.open(path)
  if not file then
    return nil
  end
  local result = { vertices = vertices, fps = fps, frames = {} }
  for frame in function() return read_frame(file, vertices) end do
    table.insert(result.frames, frame)
  end
  file:close()
  return result
end

function motion.save(m, path)
  local file = assert(io.open(path, "w"))
  for k, frame in ipairs(m.frames) do
    file:write(("frame %d %.6f %.6f\n"):format(k - 1, frame.seconds, frame.processor_seconds))
    for i = 0, m.vertices - 1 do
      file:write(("%.9g %.9g %.9g\n"):format(frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]))
    end
  end
  file:close()
end

--- A motion that another program makes: `advance` asks it for one more frame and waits. `name` tells pipes apart.
function motion.of_peer(name, command, vertices, fps)
  local fifo = ("%s/%s.fifo"):format(common.out, name)
  os.execute(("rm -f '%s' && mkfifo '%s'"):format(fifo, fifo))
  -- The shell opens the pipe whatever becomes of the command, so that opening it here cannot hang; what is asked of a
  -- command that has ended goes to cat, so that asking does not end this process.
  local input = assert(io.popen(("( %s ) 2>'%s.log' >'%s'; cat >/dev/null"):format(command, fifo, fifo), "w"))
  local output = assert(io.open(fifo))
  os.remove(fifo)
  local m = { vertices = vertices, fps = fps, frames = {} }
  function m.advance()
    input:write "\n"
    input:flush()
    local frame = read_frame(output, vertices)
    if not frame then
      error(("%s ended early; what it said is in %s.log"):format(name, fifo), 0)
    end
    table.insert(m.frames, frame)
    return frame.seconds
  end
  function m.close()
    input:close()
    output:close()
    os.remove(fifo .. ".log")
  end
  m.advance() -- the start
  return m
end

local function copy_positions(cloth)
  local view = cloth.positions:ffi()
  local x = ffi.new("double[?]", 3 * view.count)
  ffi.copy(x, view.ptr, 3 * view.count * 8)
  return x
end

--- A motion of a cloth in its world, whose time_step divides the frame.
function motion.of_world(world, cloth, fps)
  local steps = math.floor(1 / (fps * world.time_step) + 0.5)
  local m = { vertices = cloth.vertices, fps = fps }
  m.frames = { { x = copy_positions(cloth), seconds = 0, processor_seconds = 0 } }
  function m.advance()
    local start, processor_start = common.clock(), os.clock()
    world:step(steps)
    local seconds, processor = common.clock() - start, os.clock() - processor_start
    table.insert(m.frames, { seconds = seconds, processor_seconds = processor, x = copy_positions(cloth) })
    return seconds
  end
  function m.close()
    world:close()
    cloth:close()
  end
  return m
end

--- Advances motions { name =, motion = } by turns, frame by frame, and measures the machine `machine_repeats` times in
--- between. Returns the machine's result.
function motion.race(runners, frames, machine_measurements, machine_repeats)
  local machine = {}
  local every = math.max(1, math.floor(frames / machine_repeats))
  for frame = 1, frames do
    for _, runner in ipairs(runners) do
      runner.motion.advance()
    end
    if frame % every == 0 then
      local _, all = common.interleave(1, machine_measurements)
      for name, values in pairs(all) do
        machine[name] = machine[name] or {}
        table.insert(machine[name], values[1])
      end
    end
  end
  for _, runner in ipairs(runners) do
    runner.motion.close()
  end
  return common.machine_result(machine)
end

--- Seconds of the frames that count: not the first one simulated, which also builds things.
local function counted(m, field)
  local values = {}
  for k = math.min(3, #m.frames), #m.frames do
    values[#values + 1] = m.frames[k][field]
  end
  return values
end

--- Mean time, wall's and processor's, of a frame, in s.
function motion.frame_time(m)
  return common.mean(counted(m, "seconds")), common.mean(counted(m, "processor_seconds"))
end

--- How many times less time the second motion took: over all frames, and the median of the frames' ratios.
function motion.speedup(slow, fast)
  local a, b = counted(slow, "seconds"), counted(fast, "seconds")
  return common.mean(a) / common.mean(b), common.ratio(a, b)
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
