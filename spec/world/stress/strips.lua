-- Stress scenes of strips, tubes and knots.

local weft = require "weft"
local shapes = require "spec.world.stress.shapes"
local support = require "spec.support"

local function extent(cloth, axis)
  local P, least, largest = cloth.positions, math.huge, -math.huge
  for i = 1, cloth.vertices do
    local value = select(axis, P:get(i))
    least, largest = math.min(least, value), math.max(largest, value)
  end
  return least, largest
end

local function row(first, count, stride)
  local list = {}
  for k = 1, count do
    list[k] = first + (k - 1) * (stride or 1)
  end
  return list
end

local strips = {}

--- A ribbon wider than the slit is long is drawn down through it.
strips[1] = {
  name = "slit",
  build = function(size, options)
    local across, along = size == "full" and 16 or 8, size == "full" and 100 or 40
    local width, length, gap = 0.08, 0.4, 0.004
    local world = weft.world(support.with({ time_step = 1 / 120 }, options))
    local cheeks = world:add(shapes.body(shapes.join {
      shapes.box({ -0.2, -0.03, -0.1 }, { -gap / 2, 0, 0.1 }), shapes.box({ gap / 2, -0.03, -0.1 }, { 0.2, 0, 0.1 }) },
      "cheeks", 0.2))
    -- Hangs in the slit by 4 cm; the rest leans to one side, out of line.
    local hanging, tilt = 0.04, 0.6
    local ribbon = world:add(weft.cloth(shapes.band({ along, across }, { length, width }, function(u, v)
      local s = u * length - hanging
      local up = math.max(s - 0.004, 0)
      return { up * math.sin(tilt), math.min(s, 0.004) + up * math.cos(tilt), width * (v - 0.5) }
    end)))
    local lead, pull = row(1, across + 1), size == "full" and 240 or 160
    local speed = (length + 0.15) / (pull / 120)
    local from = {}
    for k, v in ipairs(lead) do
      from[k] = { ribbon.positions:get(v) }
    end
    return {
      world = world, cloths = { ribbon }, bodies = { cheeks }, frames = pull + 10,
      drive = function(frame)
        local targets = {}
        for k, p in ipairs(from) do
          targets[k] = { p[1], p[2] - speed * math.min(frame, pull) / 120, p[3] }
        end
        ribbon:pin { vertices = lead, targets = targets }
      end,
      outcome = function()
        local _, top = extent(ribbon, 2)
        return { { "height of the ribbon's end", top, -1, -0.03 } }
      end,
      view = { azimuth = 60, elevation = 20 },
    }
  end,
}

--- A band held at two ends, of which one is turned five times while both come nearer.
strips[2] = {
  name = "twist",
  build = function(size, options)
    local across, along = size == "full" and 40 or 10, size == "full" and 80 or 25
    local width, length, turns = 0.2, 0.5, 5
    local world = weft.world(support.with({ time_step = 1 / 120, gravity = { 0, 0, 0 }, damping = 0.5 }, options))
    local band = world:add(weft.cloth(shapes.band({ along, across }, { length, width }, function(u, v)
      return { length * (u - 0.5), 0, width * (v - 0.5) }
    end)))
    local left, right = row(1, across + 1), row(along * (across + 1) + 1, across + 1)
    local frames = size == "full" and 600 or 240
    local function targets_of(angle, x)
      local targets = {}
      for k = 0, across do
        local r = width * (k / across - 0.5)
        targets[k + 1] = { x, r * math.sin(angle), r * math.cos(angle) }
      end
      return targets
    end
    local angle, last = 0, 0
    return {
      world = world, cloths = { band }, bodies = {}, frames = frames,
      drive = function(frame)
        local part = math.min(frame / (frames - 20), 1)
        local x = length / 2 - 0.11 * part
        band:pin { vertices = left, targets = targets_of(-math.pi * turns * part, -x) }
        band:pin { vertices = right, targets = targets_of(math.pi * turns * part, x) }
      end,
      watch = function() -- the turns, followed from step to step
        local function direction(list)
          local P = band.positions
          local _, y1, z1 = P:get(list[1])
          local _, y2, z2 = P:get(list[#list])
          return math.atan2(y2 - y1, z2 - z1)
        end
        local now = direction(right) - direction(left)
        angle = angle + (now - last + math.pi) % (2 * math.pi) - math.pi
        last = now
      end,
      outcome = function()
        return { { "turns", angle / (2 * math.pi), turns - 0.01, turns + 0.01 } }
      end,
      view = { azimuth = 15, elevation = 25 },
    }
  end,
}

--- A strip is lowered onto the floor, end first, and folds up.
strips[3] = {
  name = "pile",
  build = function(size, options)
    local across, along = size == "full" and 10 or 4, size == "full" and 250 or 80
    local width, length = 0.04, 0.8
    local world = weft.world(support.with({ time_step = 1 / 120, floor = true }, options))
    local strip = world:add(weft.cloth(shapes.band({ along, across }, { length, width }, function(u, v)
      return { 0.002 * math.sin(9 * u), 0.005 + u * length, width * (v - 0.5) }
    end)))
    local top = row(along * (across + 1) + 1, across + 1)
    local from, frames = {}, size == "full" and 400 or 240
    for k, v in ipairs(top) do
      from[k] = { strip.positions:get(v) }
    end
    return {
      world = world, cloths = { strip }, bodies = {}, frames = frames + (size == "full" and 160 or 60),
      drive = function(frame)
        if frame <= frames then
          local targets = {}
          for k, p in ipairs(from) do
            targets[k] = { p[1], p[2] - (length - 0.04) * frame / frames, p[3] }
          end
          strip:pin { vertices = top, targets = targets }
        else
          strip:unpin()
        end
      end,
      outcome = function()
        local _, height = extent(strip, 2)
        local left, right = extent(strip, 1)
        return { { "height", height, 0.003, 0.06 }, { "length of the pile", right - left, 0.01, 0.3 } }
      end,
      view = { azimuth = 40, elevation = 12 },
    }
  end,
}

--- A smooth arm along -Y that bends at its middle by `angle`: rings about a bent centre line, closed at the ends.
local function arm(angle, radius, length, rows, columns)
  local vertices, faces = {}, {}
  local bend = 0.1 -- length along which it bends
  local function frame(s)
    -- The centre line and its direction at arc length s from the elbow: straight, a circle, straight.
    local turned = angle * math.min(math.max(s / bend + 0.5, 0), 1)
    local x, y, steps = 0, 0, 40
    for k = 1, steps do
      local at = -bend / 2 + (s + bend / 2) * (k - 0.5) / steps
      local a = angle * math.min(math.max(at / bend + 0.5, 0), 1)
      x, y = x + math.sin(a) * (s + bend / 2) / steps, y + math.cos(a) * (s + bend / 2) / steps
    end
    return x, y, math.sin(turned), math.cos(turned)
  end
  local function add(s, r)
    local x, y, tx, ty = frame(s)
    for k = 0, (r > 0 and columns or 1) - 1 do
      local around = 2 * math.pi * k / columns
      local out = r * math.cos(around)
      vertices[#vertices + 1] = { x + ty * out, tx * out - y, r * math.sin(around) }
    end
  end
  add(-length / 2 - 0.01, 0)
  for i = 0, rows do
    local s = length * (i / rows - 0.5)
    -- Flesh gives way where the inner side would fold: the crook is thinner.
    add(s, radius * (1 - 0.3 * math.exp(-(s / 0.06) ^ 2)))
  end
  add(length / 2 + 0.01, 0)
  local function at(i, k)
    return 2 + i * columns + k % columns
  end
  for k = 0, columns - 1 do
    faces[#faces + 1] = { 1, at(0, k + 1), at(0, k) }
    faces[#faces + 1] = { #vertices, at(rows, k), at(rows, k + 1) }
    for i = 0, rows - 1 do
      faces[#faces + 1] = { at(i, k), at(i, k + 1), at(i + 1, k) }
      faces[#faces + 1] = { at(i, k + 1), at(i + 1, k + 1), at(i + 1, k) }
    end
  end
  return { vertices = vertices, faces = faces }
end

strips[4] = {
  name = "sleeve",
  build = function(size, options)
    local full = size == "full"
    local rows, columns, radius, length = full and 60 or 36, full and 24 or 16, 0.04, 0.5
    local most = math.rad(125)
    local world = weft.world(support.with({ time_step = 1 / 60 }, options))
    local shape = arm(0, radius, length, rows, columns)
    local limb = world:add(shapes.body(shape, "arm", 0.4))
    local around, along = full and 36 or 20, full and 48 or 24
    local girth, long = 2 * math.pi * 0.052, 0.36
    local tube = shapes.band({ along, around }, { long, girth }, function(u, v)
      local angle = 2 * math.pi * v
      return { 0.052 * math.cos(angle), long * (0.5 - u), 0.052 * math.sin(angle) }
    end, true)
    local sleeve = world:add(weft.cloth(tube))
    sleeve:pin { vertices = row(1, around + 1) } -- at the shoulder
    world:sew(sleeve, { duration = 0.2, relax_time = 0.1 })
    local bend, frames = 0, full and 120 or 80
    return {
      world = world, cloths = { sleeve }, bodies = { limb }, frames = frames + 15,
      drive = function(frame)
        bend = most * math.min(frame / frames, 1)
        limb:move { positions = arm(bend, radius, length, rows, columns).vertices }
      end,
      outcome = function()
        local strains, largest = sleeve.strains, 0
        for f = 1, sleeve.triangles do
          local weft_strain, warp_strain = strains:get(f)
          largest = math.max(largest, math.abs(weft_strain), math.abs(warp_strain))
        end
        return { { "angle of the arm", math.deg(bend), 124.9, 125.1 },
          { "largest strain of the sleeve", largest, 0, 0.4 } }
      end,
      view = { azimuth = 10, elevation = 10 },
    }
  end,
}

--- An overhand knot: a trefoil curve that is opened at one place, whose ends are drawn apart.
strips[5] = {
  name = "knot",
  build = function(size, options)
    local full = size == "full"
    local along, across, width = full and 300 or 150, full and 4 or 2, 0.008
    local reach = 0.2
    -- The middle of an open trefoil (Lissajous-like polynomial knot: Shastri 1992), then straight ends.
    local points, steps = {}, 2000
    local function curve(t)
      return { 0.04 * (t ^ 3 - 3 * t), 0.025 * (t ^ 4 - 4 * t ^ 2), 0.006 * (t ^ 5 - 10 * t) }
    end
    for k = 0, steps do
      points[k + 1] = curve(-2.12 + 4.24 * k / steps)
    end
    local function away(p, q)
      local d = { p[1] - q[1], p[2] - q[2], p[3] - q[3] }
      local l = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
      return { p[1] + reach * d[1] / l, p[2] + reach * d[2] / l, p[3] + reach * d[3] / l }
    end
    table.insert(points, 1, away(points[1], points[2]))
    table.insert(points, away(points[#points], points[#points - 1]))
    -- By arc length, with a frame that turns least (Wang et al. 2008 would do; projection does for what is so smooth).
    local lengths, total = { 0 }, 0
    for k = 2, #points do
      local a, b = points[k - 1], points[k]
      total = total + math.sqrt((b[1] - a[1]) ^ 2 + (b[2] - a[2]) ^ 2 + (b[3] - a[3]) ^ 2)
      lengths[k] = total
    end
    local frames, side, segment = {}, { 0, 0, 1 }, 1
    for i = 0, along do
      local s = total * i / along
      while segment < #points - 1 and lengths[segment + 1] < s do
        segment = segment + 1
      end
      local a, b = points[segment], points[segment + 1]
      local l = lengths[segment + 1] - lengths[segment]
      local part = (s - lengths[segment]) / l
      local t = { (b[1] - a[1]) / l, (b[2] - a[2]) / l, (b[3] - a[3]) / l }
      local along_t = side[1] * t[1] + side[2] * t[2] + side[3] * t[3]
      side = { side[1] - along_t * t[1], side[2] - along_t * t[2], side[3] - along_t * t[3] }
      local norm = math.sqrt(side[1] ^ 2 + side[2] ^ 2 + side[3] ^ 2)
      side = { side[1] / norm, side[2] / norm, side[3] / norm }
      frames[i] = { { a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]), a[3] + part * (b[3] - a[3]) }, side }
    end
    local world = weft.world(support.with({ time_step = 1 / 120, gravity = { 0, 0, 0 }, damping = 1 }, options))
    local band = world:add(weft.cloth(shapes.band({ along, across }, { total, width }, function(u, v)
      local f = frames[math.floor(u * along + 0.5)]
      local w = width * (v - 0.5)
      return { f[1][1] + w * f[2][1], f[1][2] + w * f[2][2], f[1][3] + w * f[2][3] }
    end)))
    local ends = { row(1, across + 1), row(along * (across + 1) + 1, across + 1) }
    local from, frames_to_go, pulled = { {}, {} }, full and 400 or 240, 0
    for e = 1, 2 do
      for k, v in ipairs(ends[e]) do
        from[e][k] = { band.positions:get(v) }
      end
    end
    local span = math.abs(from[2][1][1] - from[1][1][1])
    return {
      world = world, cloths = { band }, bodies = {}, frames = frames_to_go,
      drive = function(frame)
        local part = frame / frames_to_go
        pulled = (0.93 * total - span) * part
        for e = 1, 2 do
          local targets = {}
          for k, p in ipairs(from[e]) do
            targets[k] = { p[1] + (e == 2 and 0.5 or -0.5) * pulled, p[2], p[3] }
          end
          band:pin { vertices = ends[e], targets = targets }
        end
      end,
      outcome = function()
        local least, largest = extent(band, 1)
        return { { "span over length", (largest - least) / total, 0.85, 1.05 } }
      end,
      view = full and { eye = { 0.04, 0.21, 0.1 }, target = { 0, 0.168, 0 } } or { azimuth = 0, elevation = 20 },
    }
  end,
}

return strips
