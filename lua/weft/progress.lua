--- Progress of long verbs: stage, step and remaining time.
---
--- On a terminal one line is rewritten; elsewhere a plain line appears at the start and end of a stage and now and
--- then between. A verb takes `progress = true` for such a bar, a function for reports of its own, or a bar that
--- several verbs share:
---
---     local report = progress.from(options.progress, "weft.run")
---     for step = 1, steps do
---         work()
---         report:update("drape", step, steps)
---     end
---     report:finish()

local core = require "weft.core"
local options = require "weft.options"

local progress = {}

---@class weft.progress.report what a progress function gets
---@field stage string
---@field step integer finished steps of the stage
---@field steps? integer how many there will be, where that is known
---@field elapsed number seconds since the stage began
---@field remaining? number seconds until the stage ends, where that can be told

---@class weft.progress.options
---@field stream? file* where to write; standard error unless given
---@field clock? fun(): number seconds that never run backwards
---@field columns? integer|false width of the terminal; false writes plain lines; detected for standard error

---@class weft.progress.bar
---@field private stream file*
---@field private clock fun(): number
---@field private columns integer|false
local Bar = {}
Bar.__index = Bar

local REDRAW_INTERVAL = 0.1 -- seconds, on a terminal
local LINE_INTERVAL = 10    -- seconds between plain lines
local SETTLING_TIME = 0.5   -- seconds after which the pace is trusted

--- The number of characters, for UTF-8 text of single-width characters.
local function text_width(text)
  local _, count = text:gsub("[^\128-\191]", "")
  return count
end

--- The text without control characters, cut after `width` characters.
local function cut(text, width)
  text = text:gsub("%c", " ")
  if text_width(text) <= width then
    return text
  end
  local kept, count = {}, 0
  for character in text:gmatch "[^\128-\191][\128-\191]*" do
    if count == width then
      break
    end
    count = count + 1
    kept[count] = character
  end
  return table.concat(kept)
end

--- 75 as "1:15", 4000 as "1:06:40".
local function duration_text(seconds)
  local whole = math.floor(seconds + 0.5)
  local hours, minutes = math.floor(whole / 3600), math.floor(whole / 60) % 60
  if hours > 0 then
    return ("%d:%02d:%02d"):format(hours, minutes, whole % 60)
  end
  return ("%d:%02d"):format(minutes, whole % 60)
end

local function step_text(step, steps)
  if not steps then
    return ("step %d"):format(math.floor(step))
  end
  return ("step %d/%d"):format(math.floor(step), math.floor(steps))
end

---@private
---@return number? remaining seconds
function Bar:remaining()
  local elapsed = self.now - self.stage_began
  if not self.steps or self.step <= 0 or elapsed < SETTLING_TIME then
    return nil
  end
  return elapsed * math.max(0, self.steps - self.step) / self.step
end

--- The line of a terminal, never wider than it: parts are left out where there is no room, the bar first.
---@private
function Bar:terminal_line()
  local room = self.columns - 1 -- a full line would make some terminals begin the next
  local remaining = self:remaining()
  local tail = "  " .. step_text(self.step, self.steps)
  if remaining then
    tail = tail .. "  " .. duration_text(remaining) .. " left"
  end
  local name = cut(self.stage, math.max(8, room - text_width(tail)))
  local bar_width = math.min(30, room - text_width(name) - text_width(tail) - 10)
  if self.steps and bar_width >= 5 then
    local part = self.steps > 0 and math.min(1, self.step / self.steps) or 1
    local filled = math.floor(part * bar_width)
    tail = ("  [%s%s] %3d%%"):format(("#"):rep(filled), ("."):rep(bar_width - filled), math.floor(part * 100)) .. tail
  end
  return cut(name .. tail, room)
end

---@private
function Bar:draw_on_terminal()
  local line = self:terminal_line()
  if line ~= self.drawn then
    local leftover = math.max(0, text_width(self.drawn) - text_width(line))
    self.stream:write("\r", line, (" "):rep(leftover))
    self.stream:flush()
    self.drawn = line
  end
end

---@private
function Bar:write_plain()
  local remaining = self:remaining()
  local tail = remaining and (", " .. duration_text(remaining) .. " left") or ""
  self.stream:write(self.stage:gsub("%c", " "), ": ", step_text(self.step, self.steps), tail, "\n")
  self.stream:flush()
end

---@private
function Bar:end_stage()
  if not self.stage then
    return
  end
  local line = ("%s: %d steps in %s"):format(self.stage:gsub("%c", " "), math.floor(self.step),
                       duration_text(self.now - self.stage_began))
  if self.columns then
    line = cut(line, self.columns - 1)
    line = "\r" .. line .. (" "):rep(math.max(0, text_width(self.drawn) - text_width(line)))
  end
  self.stream:write(line, "\n")
  self.stream:flush()
  self.stage = nil
end

--- Reports that `step` of `steps` steps of a stage are finished. A new stage name ends the stage before it.
---@param stage string
---@param step number
---@param steps? number
function Bar:update(stage, step, steps)
  self.now = self.clock()
  local begins = stage ~= self.stage
  if begins then
    self:end_stage()
    self.stage, self.stage_began, self.drawn = stage, self.now, ""
  end
  self.step, self.steps = step, steps
  local interval = self.columns and REDRAW_INTERVAL or LINE_INTERVAL
  if begins or self.now - self.last_shown >= interval then
    self.last_shown = self.now
    if self.columns then
      self:draw_on_terminal()
    else
      self:write_plain()
    end
  end
end

--- Ends the last stage. The bar may be used again.
function Bar:finish()
  self.now = self.clock()
  self:end_stage()
end

--- A bar of its own, for scripts that share one between several verbs.
---@param given? weft.progress.options
---@return weft.progress.bar
function progress.bar(given)
  given = given or {}
  options.check("weft.progress.bar", given, { "clock", "columns", "stream" })
  local columns = given.columns
  if columns == nil then
    columns = not given.stream and core.terminal_columns() or false
  end
  return setmetatable({
    stream = given.stream or io.stderr,
    clock = given.clock or core.clock,
    columns = columns and math.max(columns, 12),
    last_shown = -math.huge,
    drawn = "",
  }, Bar)
end

--- Passes what a bar would show to a function.
local Caller = {}
Caller.__index = Caller

function Caller:update(stage, step, steps)
  local now = self.clock()
  if stage ~= self.stage then
    self.stage, self.began = stage, now
  end
  local elapsed = now - self.began
  local remaining = steps and step > 0 and elapsed * math.max(0, steps - step) / step or nil
  self.call { stage = stage, step = step, steps = steps, elapsed = elapsed, remaining = remaining }
end

function Caller:finish()
  self.stage = nil
end

local Silence = {}
Silence.__index = Silence

function Silence.update() end

function Silence.finish() end

--- Makes what a verb reports to out of its option `progress`.
---@param value nil|boolean|fun(report: weft.progress.report)|weft.progress.bar
---@param verb string the verb's name, for messages
---@param clock? fun(): number
---@return weft.progress.bar
function progress.from(value, verb, clock)
  if not value then
    return setmetatable({}, Silence)
  elseif value == true then
    return progress.bar { clock = clock }
  elseif type(value) == "function" then
    return setmetatable({ call = value, clock = clock or core.clock }, Caller)
  elseif type(value) == "table" and type(value.update) == "function" and type(value.finish) == "function" then
    return value
  end
  error(("%s: progress must be true, a function or a bar of weft.progress, got %s"):format(tostring(verb),
    type(value) == "table" and "a table" or tostring(value)), 3)
end

return progress
