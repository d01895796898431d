-- Springs and barriers of contacts that begin compressed, as of cloth that a script put within the contact distance,
-- bring it out at no more than the lift speed, however short the step, and bear what they bear otherwise.

local support = require "spec.support"
local surfaces = require "spec.world.surfaces"
local weft = require "weft"

local LIFT, GRAVITY, DISTANCE = 0.5, 9.81, 0.0015 -- m/s, m/s^2, m: more than any contact distance here

--- A sheet at rest `gap` above a surface at 0.
local function scene(surface, contact, time_step, gap)
  local world = weft.world { contact = contact, time_step = time_step, gravity = { 0, -GRAVITY, 0 } }
  surface[2](world)
  return world, world:add(weft.sheet { cells = { 5, 5 }, size = { 0.14, 0.14 }, centre = { 0, gap, 0 } })
end

describe("Cloth that begins within the contact distance", function()
  for _, contact in ipairs { "impulses", "penalty", "barrier" } do
    for _, surface in ipairs(surfaces) do
      it(("is thrown no faster than it is lifted: %s, %s"):format(surface[1], contact), function()
        for _, time_step in ipairs { 1 / 60, 1e-3, 2e-4 } do
          for _, gap in ipairs { 1e-4, 5e-4 } do
            local world, sheet = scene(surface, contact, time_step, gap)
            local mass, before, gain, top = 0, world:energy().total, 0, 0
            for i = 1, sheet.vertices do
              mass = mass + sheet.masses:get(i)
            end
            for _ = 1, math.ceil(0.06 / time_step) do
              world:step()
              local _, highest = support.heights(sheet)
              gain, top = math.max(gain, world:energy().total - before), math.max(top, highest)
            end
            local where = ("%g s, %g m"):format(time_step, gap)
            local most = mass * (0.5 * LIFT ^ 2 + GRAVITY * DISTANCE)
            assert.is_true(gain < most, ("%s: gains %g of %g J"):format(where, gain, most))
            local height = DISTANCE + 0.5 * LIFT ^ 2 / GRAVITY
            assert.is_true(top < height, ("%s: at %g of %g m"):format(where, top, height))
            world:close()
          end
        end
      end)
    end
  end
end)

describe("Cloth that came out of the contact distance", function()
  for _, contact in ipairs { "impulses", "penalty", "barrier" } do
    it("rests where what pushes bears its weight, as if it had come from above: " .. contact, function()
      local surface = surfaces[contact == "barrier" and 4 or 2] -- colliders' contacts are springs with any
      for _, time_step in ipairs { 1 / 60, 1e-3 } do
        local heights = {}
        for k, gap in ipairs { 1e-4, 0.0011 } do
          local world, sheet = scene(surface, contact, time_step, gap)
          world:step(math.ceil(0.5 / time_step))
          heights[k] = select(2, support.heights(sheet))
          local fastest = world.stats.max_speed
          assert.is_true(fastest < 2e-3, ("%g s, %g m: %g m/s"):format(time_step, gap, fastest))
          world:close()
        end
        assert.is_true(math.abs(heights[1] - heights[2]) < 2e-6, ("%g s: %.9g and %.9g m"):format(time_step,
          heights[1], heights[2]))
      end
    end)
  end
end)
