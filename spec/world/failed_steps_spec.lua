-- A step that fails leaves nothing behind: the next one has the bits that it would have had without it. Not only the
-- state is as it was, but all that steps hand on: the candidates of contact, the past of multi-step schemes, start
-- values and coarse grids of solves.

local core = require "weft.core"
local support = require "spec.support"
local weft = require "weft"

-- Contact ends at a million metres. Cloth that lies just before that leaves at any time, if it is fast.
local END = 1e6
local BOX = { { 0, 1, 3, 2 }, { 4, 6, 7, 5 }, { 0, 4, 5, 1 }, { 2, 3, 7, 6 }, { 0, 2, 6, 4 }, { 1, 5, 7, 3 } }

local function box(centre, half)
  local vertices, faces = {}, {}
  for k = 0, 7 do
    local corner = {}
    for axis = 1, 3 do
      corner[axis] = centre[axis] + (math.floor(k / 2 ^ (axis - 1)) % 2 * 2 - 1) * half[axis]
    end
    vertices[k + 1] = corner
  end
  for _, quad in ipairs(BOX) do
    faces[#faces + 1] = { quad[1] + 1, quad[3] + 1, quad[2] + 1 }
    faces[#faces + 1] = { quad[1] + 1, quad[4] + 1, quad[3] + 1 }
  end
  return weft.body { name = "box", vertices = vertices, faces = faces }
end

--- Two sheets that fall on a box and a floor, at once after that onto each other.
local function make_scene(options, extra)
  local x = extra.x or 0
  local scene = { x = x, world = weft.world(support.with({ floor = 0, time_step = 1 / 60 }, options)), sheets = {} }
  scene.body = scene.world:add(box({ x, 0.04, 0 }, { 0.06, 0.04, 0.06 }))
  for k = 1, 2 do
    local cells, size = 6 - k, 0.24 - 0.04 * k
    scene.sheets[k] = scene.world:add(weft.sheet { cells = { cells, cells }, size = { size, size },
      centre = { x, 0.081 + 0.003 * k, 0.02 * k } })
  end
  if extra.add then
    extra.add(scene)
  end
  return scene
end

local function set_velocities(scene, change)
  for _, sheet in ipairs(scene.sheets) do
    local velocities = sheet.velocities:table()
    for _, v in ipairs(velocities) do
      v[1] = v[1] + change
    end
    sheet:assign { velocities = velocities }
  end
end

--- Each lets a step fail, unless contact stops what was to let it, and takes that back. Returns whether it failed.
local failures = {
  -- behind the integrator, at the door
  ["that cloth leaves in"] = function(scene)
    local kept = {}
    for k, sheet in ipairs(scene.sheets) do
      kept[k] = sheet.velocities:table()
    end
    set_velocities(scene, 9000)
    local done = pcall(scene.world.step, scene.world)
    for k, sheet in ipairs(scene.sheets) do
      sheet:assign { velocities = kept[k] }
    end
    return not done
  end,
  -- after some parts, which a body that goes far divides it in
  ["that cloth leaves in a late part"] = function(scene)
    local kept, places = {}, scene.body.positions:table()
    for k, sheet in ipairs(scene.sheets) do
      kept[k] = sheet.velocities:table()
    end
    set_velocities(scene, 150)
    scene.body:move { shift = { 0, -0.12, 0 } }
    local done = pcall(scene.world.step, scene.world)
    scene.body:move { positions = places }
    for k, sheet in ipairs(scene.sheets) do
      sheet:assign { velocities = kept[k] }
    end
    return not done
  end,
}

--- Members come before one step and go before another: what is kept of those before has another number of rows.
local function change_members(scene, step)
  if step == 4 then
    scene.sheets[3] = scene.world:add(weft.sheet { cells = { 2, 2 }, size = { 0.06, 0.06 },
      centre = { scene.x, 0.2, 0.03 } })
  elseif step == 6 then
    scene.world:remove(table.remove(scene.sheets, 1))
  end
end

--- Runs two worlds, one of which fails now and then, and compares them after each step. Returns how often it failed.
local function compare(options, extra, fail)
  local one, other = make_scene(options, extra), make_scene(options, extra)
  local failed = 0
  for step = 1, 6 do
    if extra.change then
      extra.change(one, step)
      extra.change(other, step)
    end
    if step % 2 == 0 then
      if fail(other) then
        failed = failed + 1
      else
        assert.is_false(fail(one))
      end
    end
    assert.equal(one.world:hash(), other.world:hash(), "after the failure before step " .. step)
    one.world:step()
    other.world:step()
    assert.equal(one.world:hash(), other.world:hash(), "after step " .. step)
  end
  return failed
end

--- The same where each allocation of each step fails once.
local function compare_without_memory(options, extra)
  local one, other = make_scene(options, extra), make_scene(options, extra)
  local failed = 0
  for step = 1, extra.change and 6 or 5 do
    if extra.change then
      extra.change(one, step)
      extra.change(other, step)
    end
    local before, count, done = other.world:hash(), 0
    repeat
      core.fail_allocation(count)
      done = pcall(other.world.step, other.world)
      core.fail_allocation()
      assert.is_true(done or before == other.world:hash())
      count = count + 1
    until done
    failed = failed + count - 1
    one.world:step()
    assert.equal(one.world:hash(), other.world:hash(), "after step " .. step)
  end
  assert.is_true(failed > 20)
end

local contacts = { "impulses", "penalty", "geometric", "constraints", "barrier" }

describe("After a step that fails the next has the bits that it would have had without:", function()
  for _, contact in ipairs(contacts) do
    for name, fail in pairs(failures) do
      it(("contact %s, a step %s"):format(contact, name), function()
        assert.is_true(compare({ contact = contact }, { x = END - 0.6 }, fail) > 0)
      end)
    end

    it(("contact %s, without memory"):format(contact), function()
      compare_without_memory({ contact = contact }, {})
    end)
  end

  local schemes = { "bdf2", "bdf3", "imex bdf2", "xpbd", "projective dynamics", "vertex block descent", "linear filter",
    { scheme = "backward euler", newton = "full" }, { scheme = "backward euler", newton = "simplified" },
    { scheme = "bdf2", newton = "inexact" } }
  for _, scheme in ipairs(schemes) do
    local name = scheme.scheme and scheme.scheme .. ", newton " .. scheme.newton or scheme
    it(name, function()
      local fail = failures["that cloth leaves in a late part"]
      assert.is_true(compare({ integrator = scheme }, { x = END - 0.6 }, fail) > 0)
    end)
  end

  for scheme, time_step in pairs { ["verlet"] = 1e-4, ["verlet averaged"] = 1e-4, ["imex bdf2"] = 1 / 60,
    ["vertex block descent"] = 1 / 60, ["bdf2"] = 1 / 60 } do
    it(scheme .. ", the step after members came and went", function()
      local options = { integrator = scheme, time_step = time_step }
      local fail = failures["that cloth leaves in"]
      assert.is_true(compare(options, { x = END - 0.6, change = change_members }, fail) > 0)
    end)

    it(scheme .. ", the step after members came and went, without memory", function()
      compare_without_memory({ integrator = scheme, time_step = time_step }, { change = change_members })
    end)
  end

  local function add_rigids(scene)
    scene.world:add(weft.rigid { shape = "sphere", radius = 0.03, density = 300, position = { 0, 0.14, 0 } })
    scene.world:add(weft.rigid { shape = "box", size = { 0.05, 0.05, 0.05 }, density = 300,
      position = { 0.02, 0.2, 0.01 } })
  end

  local function add_collider(scene)
    scene.world:add(weft.collider.sphere { radius = 0.08, position = { 0.03, 0, 0 } })
  end

  local function add_wind(model)
    return function(scene)
      scene.world.wind.model = model
      scene.world.wind:add(weft.wind.uniform { velocity = { 2, 0, 1 } })
    end
  end

  for name, add in pairs { ["rigid bodies"] = add_rigids, ["a collider"] = add_collider,
    ["wind of particles"] = add_wind "particles" } do
    it(name .. ", without memory", function()
      compare_without_memory({}, { add = add })
    end)
  end

  for _, model in ipairs { "direct", "particles" } do
    it(("wind, model %s"):format(model), function()
      local fail = failures["that cloth leaves in a late part"]
      assert.is_true(compare({}, { x = END - 0.6, add = add_wind(model) }, fail) > 0)
    end)
  end
end)

describe("A trial of schemes", function()
  it("leaves the world's next steps the bits that they would have had without", function()
    for _, contact in ipairs(contacts) do
      local one, other = make_scene({ contact = contact }, {}), make_scene({ contact = contact }, {})
      one.world:step(3)
      other.world:step(3)
      local trial = core.step_trial(other.world)
      trial:begin("backward euler", 1 / 60)
      trial:advance(5)
      trial:close()
      assert.equal(one.world:hash(), other.world:hash())
      one.world:step(6)
      other.world:step(6)
      assert.equal(one.world:hash(), other.world:hash(), contact)
    end
  end)
end)
