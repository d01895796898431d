-- The test equations of the tutorial on cloth simulation (Eurographics 2004), with their solutions.

local assert = require "luassert"

local weft = require "weft"

local equations = {}

--- y' = lambda y, y(0) = 1, as the velocity of a system without positions.
function equations.first(lambda)
  return weft.step.equation {
    size = 1, first_order = true, from = 0, to = 1, v = { 1 },
    force = function(_, _, y)
      return { lambda * y[1] }
    end,
    damping = { { -lambda } },
    exact = function(t)
      return { math.exp(lambda * t) }
    end,
  }
end

--- y'' = -(lambda / 2) y - lambda y' with lambda = 5: overdamped, y(10) = 9.218681e-4.
function equations.second()
  local root = math.sqrt(15)
  return weft.step.equation {
    size = 1, from = 0, to = 10, x = { 0 }, v = { 1 },
    force = function(_, x, v)
      return { -2.5 * x[1] - 5 * v[1] }
    end,
    stiffness = { { 2.5 } }, damping = { { 5 } },
    exact = function(t)
      local a, b = (-5 + root) / 2, (-5 - root) / 2
      local p, q = math.exp(a * t), math.exp(b * t)
      return { (p - q) / root }, { (a * p - b * q) / root }
    end,
  }
end

--- A mass of 0.1 kg on a spring of 100 N/m with damping: z'' = -1000 (z + 1.01) - 10 z'.
function equations.third(to)
  local omega = math.sqrt(975)
  local sine = -(5 - 0.05) / omega
  return weft.step.equation {
    size = 1, from = 0, to = to or 2, x = { -1 }, v = { -5 }, mass = 0.1,
    force = function(_, z, v)
      return { 100 * (-1 - z[1]) - v[1] - 1 }
    end,
    stiffness = { { 100 } }, damping = { { 1 } },
    exact = function(t)
      local e, c, s = math.exp(-5 * t), math.cos(omega * t), math.sin(omega * t)
      return { -1.01 + e * (0.01 * c + sine * s) },
        { e * (-5 * (0.01 * c + sine * s) + omega * (sine * c - 0.01 * s)) }
    end,
  }
end

--- x'' = -omega^2 x from (x, v).
function equations.oscillator(omega, to, x, v)
  x, v = x or 0, v or 1
  return weft.step.equation {
    size = 1, from = 0, to = to, x = { x }, v = { v },
    force = function(_, position)
      return { -omega ^ 2 * position[1] }
    end,
    stiffness = { { omega ^ 2 } }, damping = { { 0 } },
    energy = function(_, position)
      return 0.5 * omega ^ 2 * position[1] ^ 2
    end,
    exact = function(t)
      local c, s = math.cos(omega * t), math.sin(omega * t)
      return { x * c + v / omega * s }, { v * c - x * omega * s }
    end,
  }
end

--- Nonlinear in position, velocity and time: a driven pendulum with cubic drag. `stiff` for IMEX schemes.
function equations.pendulum(to, drag)
  drag = drag or 0.2
  return weft.step.equation {
    size = 1, from = 0, to = to, x = { 1 }, v = { 0.5 },
    force = function(t, x, v)
      return { -9.81 * math.sin(x[1]) - drag * v[1] ^ 3 + 0.5 * math.cos(3 * t) }
    end,
    stiffness = function(_, x)
      return { { 9.81 * math.cos(x[1]) } }
    end,
    damping = function(_, _, v)
      return { { 3 * drag * v[1] ^ 2 } }
    end,
    stiff = function(_, x, v)
      return { -9.81 * x[1] - 0.1 * v[1] }
    end,
    stiff_stiffness = { { 9.81 } }, stiff_damping = { { 0.1 } },
  }
end

--- Point masses on a line of springs in the plane, hanging from a fixed first one; x, y of each point side by side.
function equations.chain(options)
  local count, k, rest, m = options.count, options.stiffness, options.rest or 1, options.mass or 1
  local drag = options.drag or 0
  local x = {}
  for i = 0, count - 1 do
    x[2 * i + 1], x[2 * i + 2] = i * rest * (options.stretch or 1), 0
  end
  local function force(_, p, v)
    local f = {}
    for i = 1, count do
      f[2 * i - 1], f[2 * i] = -drag * v[2 * i - 1], -drag * v[2 * i] - m * 9.81
    end
    for i = 1, count - 1 do
      local a, b = 2 * i - 1, 2 * i + 1
      local dx, dy = p[b] - p[a], p[b + 1] - p[a + 1]
      local length = math.sqrt(dx * dx + dy * dy)
      local s = k * (length - rest) / length
      f[a], f[a + 1], f[b], f[b + 1] = f[a] + s * dx, f[a + 1] + s * dy, f[b] - s * dx, f[b + 1] - s * dy
    end
    f[1], f[2] = 0, 0
    return f
  end
  return weft.step.equation {
    size = 2 * count, from = 0, to = options.to or 1, x = x, mass = m, force = force,
    -- The first point does not move: it starts at rest and no force acts on it.
    stiffness = function(_, p)
      local K = {}
      for i = 1, 2 * count do
        K[i] = {}
        for j = 1, 2 * count do
          K[i][j] = 0
        end
      end
      for i = 1, count - 1 do
        local a, b = 2 * i - 1, 2 * i + 1
        local d = { p[b] - p[a], p[b + 1] - p[a + 1] }
        local length = math.sqrt(d[1] * d[1] + d[2] * d[2])
        local slack = 1 - rest / length
        if options.definite then
          slack = math.max(slack, 0)
        end
        for r = 1, 2 do
          for c = 1, 2 do
            local n = d[r] * d[c] / length ^ 2
            local value = k * (slack * ((r == c and 1 or 0) - n) + n)
            local ar, ac, br, bc = a + r - 1, a + c - 1, b + r - 1, b + c - 1
            if i > 1 then
              K[ar][ac] = K[ar][ac] + value
              K[ar][bc] = K[ar][bc] - value
              K[br][ac] = K[br][ac] - value
            end
            K[br][bc] = K[br][bc] + value
          end
        end
      end
      return K
    end,
    damping = function()
      local D = {}
      for i = 1, 2 * count do
        D[i] = {}
        for j = 1, 2 * count do
          D[i][j] = i == j and i > 2 and drag or 0
        end
      end
      return D
    end,
    energy = options.energy ~= false and function(_, p)
      local e = 0
      for i = 2, count do
        e = e + m * 9.81 * p[2 * i]
      end
      for i = 1, count - 1 do
        local dx, dy = p[2 * i + 1] - p[2 * i - 1], p[2 * i + 2] - p[2 * i]
        e = e + 0.5 * k * (math.sqrt(dx * dx + dy * dy) - rest) ^ 2
      end
      return e
    end or nil,
  }
end

--- Asserts that a number, rounded to as many digits as the text of another has, is that other.
function equations.prints(expected, got)
  local mantissa = expected:match "^%-?[%d.]+"
  local digits = #mantissa:gsub("[%-.]", ""):gsub("^0+", "")
  local scientific = ("%%.%de"):format(digits - 1)
  local want, is = scientific:format(tonumber(expected)), scientific:format(got)
  assert.equal(want, is)
end

return equations
