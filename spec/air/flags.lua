-- A flag in a stream in two dimensions, in a world whose air flows: for specs and examples/validate.

local weft = require "weft"

local flags = {}

--- A world with a strip of cloth 1 m long in air of 1 kg/m3 that blows at 1 m/s along x, in a box one cell thick.
--- Options: mass, kg/m2, and stiffness, N m, required; cell, m (1/16); reynolds (1000); edge, "clamped" or "hinged";
--- angle, rad, of the strip to the stream (0); gravity, m/s2, along the stream (0); ahead, behind and beside, m, of
--- the box around the leading edge (1, 3, 1.5); step, s (0.02); push, m/s, of the tip (0); sweeps, leak, integrator.
function flags.make(options)
  local cell = options.cell or 1 / 16
  local count = math.floor(1 / cell + 0.5) * (options.finer or 1)
  local world = weft.world { gravity = { options.gravity or 0, 0, 0 }, self_contact = false,
    time_step = options.step or 0.02, integrator = options.integrator or "backward euler", tolerance = 1e-7 }
  world.wind.model = "flow"
  world.wind.density = 1
  world.wind:add(weft.wind.uniform { velocity = { 1, 0, 0 } })
  local beside = options.beside or 1.5
  world.wind.flow = { cell = cell, viscosity = 1 / (options.reynolds or 1000),
    lower = { -(options.ahead or 1), -beside, -cell / 2 }, upper = { options.behind or 3, beside, cell / 2 },
    boundary = { x_low = "inflow", x_high = "open", y = "slip", z = "periodic" },
    sweeps = options.sweeps, leak = options.leak, coupling = options.coupling }
  -- Points off the lattice lines of the grid: the strip lies between them.
  local angle = options.angle or 0
  local along = { math.cos(angle), math.sin(angle), 0 }
  local stretch = options.stretch or 200
  local flag = world:add(weft.sheet { cells = { count, 1 }, size = { 1, cell }, weft = along, warp = { 0, 0, 1 },
    centre = { along[1] / 2, along[2] / 2 + (options.offset or 0), 0 },
    fabric = weft.fabric { name = "flag", density = options.mass, viscosity = 0,
      stretch = { weft = stretch, warp = stretch, coupling = 0 }, shear = stretch,
      bend = { weft = options.stiffness, warp = options.stiffness, poisson = 0, twist = 1, viscosity = 0 } } })
  local held, velocities, tips = {}, {}, {}
  local reach = (options.edge == "hinged" and 0.5 or 1.5) / count
  for i = 1, flag.positions.count do
    local x, y = flag.positions:get(i)
    local s = math.sqrt(x * x + (y - (options.offset or 0)) ^ 2)
    if s < reach then
      held[#held + 1] = i
    end
    velocities[i] = { 0, s < reach and 0 or (options.push or 0) * s * s, 0 }
    if s > 1 - 0.5 / count then
      tips[#tips + 1] = i
    end
  end
  flag:pin { vertices = held }
  flag:assign { velocities = velocities }
  return world, flag, tips
end

--- Deflections of the tip in all steps of a number of seconds.
function flags.record(world, flag, tips, seconds, watch)
  local record = {}
  for k = 1, math.floor(seconds / world.time_step + 0.5) do
    world:step()
    local y = 0
    for _, i in ipairs(tips) do
      y = y + select(2, flag.positions:get(i)) / #tips
    end
    record[k] = y
    if watch then
      watch(k, y)
    end
  end
  return record
end

--- Range and frequency of a tip in the second half of a record of steps of so many seconds: m, and cycles per second
--- (0 for none) between the first and the last rise through 0.
function flags.flapping(record, step)
  local low, high, first, last, count = math.huge, -math.huge, nil, nil, -1
  for k = math.floor(#record / 2), #record do
    low, high = math.min(low, record[k]), math.max(high, record[k])
    if record[k - 1] < 0 and record[k] >= 0 then
      last, count = (k - record[k] / (record[k] - record[k - 1])) * step, count + 1
      first = first or last
    end
  end
  return high - low, count > 0 and count / (last - first) or 0
end

return flags
