--- weft.step.recommend: tries schemes and steps on a scene of one's own. See lua/weft/step.lua for its options.

local core = require "weft.core"
local options = require "weft.options"

local call = options.call

local VERB = "weft.step.recommend"
local COARSEST, FINEST = -2, 12 -- steps of 2^-k times the world's
local SAMPLES = 4               -- moments at which motions are compared
local REFERENCE_TOLERANCE = 1e-7

local candidates = {
  "backward euler", "bdf2", "alpha bdf2", "implicit midpoint", "xpbd", "projective dynamics", "vertex block descent",
  "kang", "verlet", "rk4",
}

-- Schemes whose step the stiffest edge of the cloth limits begin with a finer one.
local FIRST_EXPLICIT = 2
local is_explicit = {}
for _, scheme in ipairs(core.step_schemes()) do
  is_explicit[scheme.name] = not scheme.implicit and not scheme.needs_elements and scheme.name ~= "kang"
end

local function label_of(scheme)
  if type(scheme) ~= "table" then
    return tostring(scheme)
  end
  local settings = {}
  for name, value in pairs(scheme) do
    if name ~= "scheme" then
      settings[#settings + 1] = ("%s = %s"):format(tostring(name), tostring(value))
    end
  end
  table.sort(settings)
  return tostring(scheme.scheme) .. (#settings > 0 and " (" .. table.concat(settings, ", ") .. ")" or "")
end

local function step_text(length)
  local rate = 1 / length
  return math.abs(rate - math.floor(rate + 0.5)) < 1e-6 * rate and ("1/%d s"):format(math.floor(rate + 0.5))
    or ("%.3g s"):format(length)
end

local function length_text(metres)
  return metres >= 1 and ("%.3g m"):format(metres) or metres >= 1e-3 and ("%.3g mm"):format(1e3 * metres)
    or ("%.3g um"):format(1e6 * metres)
end

-- ---- trials --------------------------------------------------------------------------------------------------------

--- One run. `reference` is a list of positions at the samples, or nil to record such. Gives up where the error is
--- beyond `hopeless`, or when the time is.
---@return table row { scheme, label, time_step, error, cost, failure, partial, positions }
local function try(self, scheme, k, reference, hopeless, time)
  local row = { scheme = scheme, label = label_of(scheme), time_step = self.time_step / 2 ^ k, error = 0 }
  local between, spent, made = self.steps / SAMPLES * 2 ^ k, 0, 0
  call(4, self.trial.begin, self.trial, scheme, row.time_step, not reference and REFERENCE_TOLERANCE or nil)
  row.positions = not reference and {} or nil
  for sample = 1, SAMPLES do
    while made < sample * between do
      local count, seconds = call(4, self.trial.advance, self.trial, sample * between - made)
      if not count then
        row.failure, row.error = seconds, math.huge
        return row
      end
      made, spent = made + count, spent + seconds
      self.spent = self.spent + seconds
      if spent > (time or math.huge) and made < sample * between then
        row.failure, row.error = "too slow to be tried", math.huge
        return row
      end
    end
    if reference then
      row.error = math.max(row.error, core.step_distance(self.measure, self.trial:positions(), reference[sample]))
    else
      row.positions[sample] = self.trial:positions()
    end
    row.cost = spent / (made * row.time_step)
    if row.error > hopeless and sample < SAMPLES then
      row.partial = true
      break
    end
  end
  return row
end

--- The motion itself, as fine as a part of the time allows, and how much the last halving of the step changed it.
local function find_reference(self)
  local scheme, k = "bdf2", 1
  local best = try(self, scheme, k, nil, math.huge)
  if best.failure then
    error(("%s: no reference motion: %s"):format(VERB, best.failure), 3)
  end
  local change = math.huge
  repeat
    k = k + 1
    local start, finer = self.spent, try(self, scheme, k, nil, math.huge)
    if finer.failure then
      break
    end
    change = 0
    for sample = 1, SAMPLES do
      change = math.max(change, core.step_distance(self.measure, best.positions[sample],
        finer.positions[sample]))
    end
    best = finer
  until change <= self.reference_goal or k == FINEST or self.spent + 2 * (self.spent - start) > self.time_limit / 2
  return best, change
end

--- Tries ever finer steps of one scheme until the error is small enough, or it costs too much to go on.
local function refine(self, scheme, reference, rows)
  local share = self.spent + (self.time_limit - self.spent) / math.max(1, self.remaining)
  local cheapest = math.huge
  for _, row in ipairs(rows) do
    cheapest = row.error <= self.target and math.min(cheapest, row.cost) or cheapest
  end
  local name = type(scheme) == "table" and scheme.scheme or scheme
  for k = is_explicit[name] and FIRST_EXPLICIT or COARSEST, FINEST do
    local start = self.spent
    local row = try(self, scheme, k, reference, self.wants_error and 10 * self.target or math.huge, share - start)
    rows[#rows + 1] = row
    if row.failure and (row.failure:find "needs a " or row.failure:find "too slow") then
      break
    end
    local cost, took = row.cost or 0, self.spent - start
    if row.error <= self.target or 2 * cost > math.min(4 * cheapest, self.budget and 4 * self.budget or math.huge)
      or self.spent + 2 * took > share then
      break
    end
  end
end

-- ---- choosing ------------------------------------------------------------------------------------------------------

local function best_of(rows, accept, better)
  local best
  for _, row in ipairs(rows) do
    if row.cost and not row.failure and accept(row) and (not best or better(row, best)) then
      best = row
    end
  end
  return best
end

local function cheaper(a, b) return a.cost < b.cost end

--- The error of a trial that was given up is larger than what was seen.
local function closer(a, b)
  if (a.partial or false) ~= (b.partial or false) then
    return not a.partial
  end
  return a.error < b.error
end

local function choose(self, rows)
  local function affordable(row) return not self.budget or row.cost <= self.budget end
  local function both(row) return row.error <= self.target and affordable(row) end
  local function any() return true end
  local best = best_of(rows, self.wants_error and both or affordable, self.wants_error and cheaper or closer)
  if best then
    return best, true
  end
  return best_of(rows, affordable, closer) or best_of(rows, any, cheaper), false
end

local function describe(row)
  return ("%s with steps of %s: an error of %s for %.2g s of computing per second"):format(row.label,
    step_text(row.time_step), length_text(row.error), row.cost)
end

local function explain(self, best, met, rows)
  local text = "Take " .. describe(best) .. "."
  if not met and self.wants_error and best.error > self.target then
    text = text .. (" Nothing tried stays within %s%s; this comes closest."):format(length_text(self.target),
      self.budget and (" at %.2g s a second"):format(self.budget) or "")
  elseif not met then
    text = text .. (" Nothing tried costs less than %.2g s a second."):format(self.budget)
  end
  local other = best_of(rows, function(row) return row.label ~= best.label and row.error <= self.target end, cheaper)
  if met and other then
    text = text .. " Next is " .. describe(other) .. "."
  end
  if self.target > math.max(self.error, self.wants_error and 0 or best.error) then
    text = text .. (" The motion itself is known to %s only, so nothing closer can be told."):format(
      length_text(self.target))
  end
  return text
end

local function tabulate(rows)
  local lines = { ("%-32s %10s %12s %12s"):format("scheme", "step", "error", "s per second") }
  for _, row in ipairs(rows) do
    local line = ("%-32s %10s "):format(row.label, step_text(row.time_step))
    if row.failure then
      line = line .. row.failure:sub(1, 76)
    else
      line = line .. ("%12s %12.3g"):format((row.partial and "> " or "") .. length_text(row.error), row.cost)
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

return function(world, given)
  given = given or {}
  options.check(VERB, given, { "error", "budget", "seconds", "schemes", "time_limit", "measure" }, 1)
  local self = {
    error = options.number(VERB, given, "error", given.budget and 0 or 1e-3, 1e-9, 10),
    budget = options.number(VERB, given, "budget", nil, 1e-9, 1e9),
    time_limit = options.number(VERB, given, "time_limit", 20, 0.01, 1e6),
    wants_error = given.error ~= nil or given.budget == nil,
    measure = given.measure or "gross",
    spent = 0,
  }
  self.reference_goal = (given.error or 1e-3) / 10
  if self.measure ~= "gross" and self.measure ~= "vertices" then
    error(('%s: measure must be one of "gross", "vertices", got %s'):format(VERB, tostring(given.measure)), 2)
  end
  local seconds = options.number(VERB, given, "seconds", 0.5, 1e-5, 1e3)
  local schemes = given.schemes or candidates
  if type(schemes) ~= "table" or #schemes == 0 then
    error(("%s: schemes must be a list, got %s"):format(VERB, tostring(given.schemes)), 2)
  end
  for _, scheme in ipairs(schemes) do
    local ok, message = pcall(core.step_integrator, scheme)
    if not ok then
      error((message:gsub("^.-weft%.step%.integrator", VERB .. ": schemes", 1)), 2)
    end
  end
  self.trial = call(2, core.step_trial, world)
  self.time_step = world.time_step
  local unit = SAMPLES * 2 ^ -COARSEST -- so that samples fall on steps of every length
  self.steps = unit * math.max(1, math.ceil(seconds / (unit * self.time_step) - 1e-9))
  local motion, uncertainty = find_reference(self)
  self.target = math.max(self.error, uncertainty < math.huge and uncertainty or 0)
  local rows = {}
  for i, scheme in ipairs(schemes) do
    self.remaining = #schemes - i + 1
    refine(self, scheme, motion.positions, rows)
  end
  self.trial:close()
  local best, met = choose(self, rows)
  if not best then
    error(("%s: no scheme can take this scene:\n%s"):format(VERB, tabulate(rows)), 2)
  end
  return {
    scheme = best.scheme, time_step = best.time_step, error = best.error, cost = best.cost, met = met,
    reason = explain(self, best, met, rows), table = tabulate(rows), rows = rows,
    reference = { scheme = motion.scheme, time_step = motion.time_step, uncertainty = uncertainty },
  }
end
