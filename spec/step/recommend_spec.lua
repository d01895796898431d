-- Trials of a scene with other schemes and steps, which must leave the scene alone, and the advice drawn from them.

local support = require "spec.support"
local weft = require "weft"
local core = require "weft.core"
local recommend = weft.step.recommend
local message_of = support.message_of

--- A small sheet that hangs from two corners and swings.
local function swinging(options)
  local given = { time_step = 1 / 60, self_contact = false }
  for name, value in pairs(options or {}) do
    given[name] = value
  end
  local world = weft.world(given)
  local sheet = world:add(weft.sheet { cells = { 4, 4 }, size = { 0.2, 0.2 }, warp = { 0, 1, 0 } })
  sheet:pin { vertices = { 21, 25 } }
  world.gravity = { 0, -9.81, 3 }
  world:step(6)
  world.gravity = { 0, -9.81, 0 }
  return world, sheet
end

--- Where the world's vertices are, in the order of trials.
local function positions_of(world)
  local trial = core.step_trial(world)
  trial:begin("backward euler", 1 / 60)
  return trial:positions()
end

local function advance(trial, steps)
  local made = 0
  while made < steps do
    made = made + assert(trial:advance(steps - made))
  end
end

describe("A trial", function()
  it("is the motion that the world itself would make, and leaves the world where it is", function()
    for _, scheme in ipairs { "backward euler", "bdf2", "xpbd", "projective dynamics" } do
      local world = swinging { tolerance = 1e-12 } -- iterations start elsewhere, so only what they find is the same
      local hash, time, text, speed = world:hash(), world.time, tostring(world), world.stats.rms_speed
      local trial = core.step_trial(world)
      for _ = 1, 2 do -- also the second time
        trial:begin(scheme, 1 / 120)
        advance(trial, 12)
        assert.same({ hash, time, text, speed }, { world:hash(), world.time, tostring(world), world.stats.rms_speed })
        assert.same({ "backward euler", 1 / 60 }, { world.integrator, world.time_step })
      end
      world.integrator, world.time_step = scheme, 1 / 120
      world:step(12)
      assert.is_true(core.step_distance("vertices", trial:positions(), positions_of(world)) < 1e-9)
    end
  end)

  it("does not disturb what the world's own scheme remembers", function()
    for _, scheme in ipairs { "bdf2", "backward euler" } do
      local world, sheet = swinging { integrator = scheme }
      world:step(5)
      local other, twin = swinging { integrator = scheme }
      other:step(5)
      local trial = core.step_trial(world)
      trial:begin({ scheme = "bdf3", newton = "linear" }, 1 / 240)
      advance(trial, 3)
      trial:begin("implicit midpoint", 1 / 30)
      advance(trial, 3)
      world:step(5)
      other:step(5)
      assert.equal(0, core.step_distance("vertices", sheet.positions, twin.positions))
      assert.equal(other:hash(), world:hash())
    end
  end)

  it("takes bodies and colliders where they are told to go, and leaves them where they were", function()
    local function pushed()
      local world = weft.world { time_step = 1 / 60, tolerance = 1e-12 }
      local body = world:add(weft.body { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces })
      local ball = world:add(weft.collider.sphere { radius = 0.1, position = { 0.1, 0.85, 0.35 } })
      local sheet = world:add(weft.sheet { cells = { 6, 6 }, size = { 0.8, 0.8 }, centre = { 0.1, 1.02, 0.1 } })
      world:step(2)
      body:move { shift = { 0, 0.1, 0 } }
      ball.position = { 0.1, 0.95, 0.35 }
      return world, sheet
    end
    local world, sheet = pushed()
    local other, twin = pushed()
    other:step(6)
    local hash, trial = world:hash(), core.step_trial(world)
    for _ = 1, 2 do -- also the second time
      trial:begin("backward euler", 1 / 60)
      advance(trial, 6)
      assert.equal(hash, world:hash())
      assert.is_true(core.step_distance("vertices", trial:positions(), positions_of(other)) < 1e-6)
    end
    world:step(6)
    assert.is_true(core.step_distance("vertices", sheet.positions, twin.positions) < 1e-6)
    support.fail_each_allocation(function() return core.step_trial(world) end)
  end)

  it("does not disturb contact either", function()
    local function dropped()
      local world = weft.world { floor = 0 }
      world:add(weft.body { vertices = support.tetrahedron.vertices, faces = support.tetrahedron.faces })
      world:add(weft.sheet { cells = { 6, 6 }, size = { 0.8, 0.8 }, centre = { 0.1, 1.02, 0.1 } })
      world:step(24)
      return world
    end
    local world, twin = dropped(), dropped()
    assert.is_true(world.stats.contacts > 0)
    local trial = core.step_trial(world)
    trial:begin("bdf2", 1 / 120)
    advance(trial, 10)
    world:step(10)
    twin:step(10)
    assert.equal(twin:hash(), world:hash())
  end)

  it("goes on from its own state when the world moves between its steps", function()
    local world = swinging()
    local alone, mixed = core.step_trial(world), core.step_trial(world)
    for _, trial in ipairs { alone, mixed } do
      trial:begin("bdf2", 1 / 100)
    end
    advance(alone, 10)
    for _ = 1, 10 do
      advance(mixed, 1)
      world:step()
    end
    assert.equal(0, core.step_distance("vertices", alone:positions(), mixed:positions()))
  end)

  it("notices when the members change, and tells schemes that fail", function()
    local world, sheet = swinging()
    local trial = core.step_trial(world)
    assert.matches("the trial has not begun", message_of(trial.advance, trial, 1))
    trial:begin("forward euler", 1 / 30)
    local count, why = nil, nil
    for _ = 1, 50 do
      count, why = trial:advance(1)
      if not count then
        break
      end
    end
    assert.is_nil(count)
    assert.equal("string", type(why))
    world:step() -- the world itself is well
    trial:begin("backward euler", 1 / 60)
    world:add(weft.sheet { cells = { 1, 1 }, centre = { 0, 3, 0 } })
    assert.matches("the world's members changed", message_of(trial.advance, trial, 1))
    world:remove(sheet)
    assert.matches("the world's members changed", message_of(trial.advance, trial, 1))
    world:close()
    assert.matches("closed", message_of(trial.advance, trial, 1))
    assert.matches("there is no cloth", message_of(core.step_trial, weft.world()))
  end)
end)

describe("How far two states are apart", function()
  it("is the distance of the vertices, or of centre and extent", function()
    local a, b = weft.buffer { count = 2 }, weft.buffer { count = 2 }
    a:set(1, 0, 0, 0)
    a:set(2, 2, 0, 0)
    b:set(1, 2, 3, 0)
    b:set(2, 0, 3, 0) -- moved by 3 and turned over: the vertices are elsewhere, the whole has only moved
    assert.equal(math.sqrt(13), core.step_distance("vertices", a, b))
    assert.equal(3, core.step_distance("gross", a, b))
    b:set(2, 0, 7, 0) -- centre at 5, extent 2 along y
    assert.is_true(math.abs(math.sqrt(5 ^ 2 + 2 ^ 2) - core.step_distance("gross", a, b)) < 1e-15)
  end)
end)

describe("Advice", function()
  it("names a scheme and a step that keep the error, and says why", function()
    local world = swinging()
    local hash = world:hash()
    local schemes = { "backward euler", "bdf2", "implicit midpoint", "verlet" }
    local advice = recommend(world, { error = 3e-3, seconds = 0.25, schemes = schemes, time_limit = 200 })
    assert.equal(hash, world:hash())
    assert.is_true(advice.met)
    assert.is_true(advice.error <= math.max(3e-3, advice.reference.uncertainty))
    assert.is_true(advice.reference.time_step < 1 / 60)
    assert.matches("^Take " .. advice.scheme .. " with steps of 1/%d+ s: an error of ", advice.reason)
    local tried = {}
    for _, row in ipairs(advice.rows) do
      tried[row.label] = true
      if not row.failure and row.error <= 3e-3 then
        assert.is_true(row.cost >= advice.cost) -- nothing that is as good is cheaper
      end
    end
    assert.same(support.sorted_keys(tried), (function()
      table.sort(schemes)
      return schemes
    end)())
    assert.is_truthy(advice.table:find("bdf2", 1, true))
    -- What was measured is what the world then does.
    world.integrator, world.time_step = advice.scheme, advice.time_step
    world:step(3)
  end)

  it("orders schemes by their order on a smooth motion: finer steps come closer", function()
    local world = swinging { tolerance = 1e-10 } -- at 1e-3 what the linear solves leave shows below a tenth of a mm
    local advice = recommend(world, {
      error = 1e-4, seconds = 0.1, schemes = { "implicit midpoint" }, time_limit = 200,
    })
    local errors = {}
    for _, row in ipairs(advice.rows) do
      if not row.failure and not row.partial then
        errors[#errors + 1] = row.error
      end
    end
    for k = 2, #errors do
      assert.is_true(errors[k] < errors[k - 1])
    end
    assert.is_true(#errors >= 3)
  end)

  it("keeps to a budget, or says what is missing", function()
    local world = swinging()
    local given = { budget = 0.05, seconds = 0.1, schemes = { "backward euler", "bdf2" }, time_limit = 4 }
    local rich = recommend(world, given)
    for _, row in ipairs(rich.rows) do
      assert.is_true(not rich.met or row.cost > 0.05 or row.error >= rich.error)
    end
    given.budget, given.error = 1e-9, 1
    local poor = recommend(world, given)
    assert.is_false(poor.met)
    assert.matches("Nothing tried costs less than 1e%-09 s a second", poor.reason)
  end)

  it("refuses what makes no sense", function()
    local world = swinging()
    assert.equal("weft.step.recommend: world must be a weft.world, got nothing", message_of(recommend))
    assert.matches("there is no cloth", message_of(recommend, weft.world()))
    assert.matches("unknown option 'eror'; did you mean 'error'", message_of(recommend, world, { eror = 1 }))
    assert.matches("error must be a number", message_of(recommend, world, { error = -1 }))
    assert.matches("measure must be one of", message_of(recommend, world, { measure = "feet" }))
    assert.matches("schemes must be a list", message_of(recommend, world, { schemes = {} }))
    assert.matches("there is no scheme 'rk5'; did you mean 'rk4'",
      message_of(recommend, world, { schemes = { "rk5" }, seconds = 0.01 }))
  end)
end)
