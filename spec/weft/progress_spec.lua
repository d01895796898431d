local support = require "spec.support"
local progress = require "weft.progress"

--- A stream that keeps what is written, and a clock that a spec moves.
local function console()
  local written, now = {}, 0
  local stream = {
    write = function(_, ...)
      for i = 1, select("#", ...) do
        written[#written + 1] = (select(i, ...))
      end
    end,
    flush = function() end,
  }
  local self = { stream = stream, clock = function() return now end }
  function self.text() return table.concat(written) end
  function self.wait(seconds) now = now + seconds end
  --- The lines as a terminal shows them: a carriage return begins the line anew over the old one.
  function self.screen()
    local lines = {}
    for line in (self.text() .. "\n"):gmatch "(.-)\n" do
      local shown = ""
      for part in (line .. "\r"):gmatch "(.-)\r" do
        shown = part .. shown:sub(#part + 1)
      end
      lines[#lines + 1] = (shown:gsub("%s+$", ""))
    end
    return lines
  end
  return self
end

local function bar_on(fake, columns)
  return progress.bar { stream = fake.stream, clock = fake.clock, columns = columns }
end

describe("weft.progress", function()
  it("rewrites one line with stage, bar, step and remaining time", function()
    local fake = console()
    local bar = bar_on(fake, 80)
    bar:update("sew", 0, 200)
    fake.wait(30)
    bar:update("sew", 50, 200)
    local lines = fake.screen()
    assert.equal(1, #lines)
    -- 50 steps took 30 s, so 150 take 90 s.
    assert.equal("sew  [#######.......................]  25%  step 50/200  1:30 left", lines[1])
  end)

  it("ends a stage with its duration when another begins", function()
    local fake = console()
    local bar = bar_on(fake, 80)
    bar:update("sew", 1, 2)
    fake.wait(61)
    bar:update("sew", 2, 2)
    bar:update("drape", 0, 10)
    bar:finish()
    assert.same({ "sew: 2 steps in 1:01", "drape: 0 steps in 0:00", "" }, fake.screen())
  end)

  it("counts hours", function()
    local fake = console()
    local bar = bar_on(fake, 80)
    bar:update("drape", 0, 100)
    fake.wait(100)
    bar:update("drape", 1, 100)
    assert.matches("2:45:00 left$", fake.screen()[1])
  end)

  it("redraws at most ten times a second", function()
    local fake = console()
    local bar = bar_on(fake, 80)
    for step = 0, 1000 do
      bar:update("drape", step, 1000)
      fake.wait(0.001)
    end
    local _, drawn = fake.text():gsub("\r", "")
    assert.is_true(drawn >= 9 and drawn <= 11, drawn .. " redraws in one second")
  end)

  it("never writes a line as wide as the terminal", function()
    for columns = 1, 90 do
      local fake = console()
      local bar = bar_on(fake, columns)
      for step = 0, 4 do
        bar:update("a stage with ü and a very long name that no terminal of this width can show", step * 1e6, 4e6)
        fake.wait(3600)
      end
      bar:finish()
      local limit = math.max(columns, 12) - 1
      for line in fake.text():gmatch "[^\r\n]+" do
        local _, width = line:gsub("[^\128-\191]", "")
        assert.is_true(width <= limit, ("%d characters on %d columns"):format(width, columns))
      end
    end
  end)

  it("never cuts a character in two and shows no control characters", function()
    local fake = console()
    local bar = bar_on(fake, 20)
    bar:update(("ä"):rep(40) .. "\27[31m\n", 0)
    local text = fake.text():gsub("\r", "")
    assert.is_nil(text:find "%c")
    assert.is_nil(text:gsub("ä", ""):find "[\128-\255]")
  end)

  it("writes plain lines now and then when there is no terminal", function()
    local fake = console()
    local bar = bar_on(fake, false)
    for step = 0, 25 do
      bar:update("drape", step, 25)
      fake.wait(1)
    end
    bar:finish()
    assert.equal("drape: step 0/25\ndrape: step 10/25, 0:15 left\ndrape: step 20/25, 0:05 left\n"
      .. "drape: 25 steps in 0:26\n", fake.text())
  end)

  it("works without knowing how many steps there will be", function()
    local fake = console()
    local bar = bar_on(fake, 80)
    bar:update("fly", 0)
    fake.wait(5)
    bar:update("fly", 7.5)
    assert.equal("fly  step 7", fake.screen()[1])
  end)

  it("calls a function with what a bar would show", function()
    local fake, reports = console(), {}
    local report = progress.from(function(r) reports[#reports + 1] = r end, "weft.run", fake.clock)
    report:update("sew", 0, 4)
    fake.wait(2)
    report:update("sew", 1, 4)
    report:update("drape", 0)
    report:finish()
    assert.same({
      { stage = "sew", step = 0, steps = 4, elapsed = 0 },
      { stage = "sew", step = 1, steps = 4, elapsed = 2, remaining = 6 },
      { stage = "drape", step = 0, elapsed = 0 },
    }, reports)
  end)

  it("is silent when off, shared when given, and refuses anything else", function()
    local silent = progress.from(nil, "weft.run")
    silent:update("sew", 1, 2)
    silent:finish()
    assert.has_no.errors(function() progress.from(false, "weft.run"):finish() end)
    local fake = console()
    local bar = bar_on(fake, 80)
    assert.equal(bar, progress.from(bar, "weft.run"))
    for _, wrong in ipairs { 3, "yes", {} } do
      assert.matches("^weft.run: progress must be true, a function or a bar of weft.progress, got ",
        support.message_of(progress.from, wrong, "weft.run"))
    end
  end)
end)
