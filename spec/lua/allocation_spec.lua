-- Each allocation of the verbs that make, read and change things is failed once: one Lua error, nothing lost, and the
-- object as it was before. (object_spec.lua does the same to the constructors.)

local support = require "spec.support"
local weft = require "weft"

local tetrahedron = support.tetrahedron
local path = os.tmpname()

local function tube()
  return weft.garment {
    panels = { { name = "tube", vertices = { { 0, 0 }, { 0.6, 0 }, { 0.6, 0.4 }, { 0, 0.4 } } } },
    seams = { { { "tube", 2 }, { "tube", 4 } } },
  }
end

local function hanging_sheet()
  local world = weft.world { time_step = 1 / 60, floor = -0.1 }
  local sheet = world:add(weft.sheet { cells = { 3, 3 }, size = { 0.3, 0.3 } })
  return { world = world, sheet = sheet }
end

local function state(scene)
  return scene.world:hash() .. scene.sheet.positions:string() .. scene.world.steps
end

-- Name, what is there before, the verb, and what must not change when it fails.
local verbs = {
  { "weft.buffer.anchor", function() return weft.buffer { count = 3 } end,
    function(buffer) buffer:anchor():close() end },
  { "weft.mesh.load of OBJ", function()
    weft.mesh(tetrahedron):save(path .. ".obj")
  end, function() weft.mesh.load(path .. ".obj"):close() end },
  { "weft.mesh.load of PLY", function()
    weft.mesh(tetrahedron):save(path .. ".ply")
  end, function() weft.mesh.load(path .. ".ply"):close() end },
  { "weft.body.load", function()
    weft.mesh(tetrahedron):save(path .. ".obj")
  end, function() weft.body.load(path .. ".obj"):close() end },
  { "weft.mesh.save", function() return weft.mesh(tetrahedron) end,
    function(mesh) mesh:save(path .. ".ply") end,
    function(mesh) return mesh.positions:string() .. mesh.faces:string() end },
  { "weft.body.girth", function() return weft.body(tetrahedron) end,
    function(body) body:girth { height = 0.3 } end,
    function(body) return body.positions:string() end },
  { "weft.garment.triangulate", tube, function(garment) garment:triangulate { edge = 0.1 }:close() end,
    function(garment) return garment.panels[1].area end },
  { "weft.model.create", function() return weft.fabric.wool end, function(fabric)
    for _, entry in ipairs(weft.model.list()) do
      weft.model.create({ name = entry.name, faces = { { 1, 2, 4 }, { 3, 4, 2 } },
        rest = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }, fabric = fabric }):close()
    end
  end, function(fabric) return fabric.density end },
  { "weft.world.add", hanging_sheet, function(scene)
    local other = weft.sheet { cells = { 1, 1 }, centre = { 0, 1, 0 } }
    scene.world:add(other)
    scene.world:remove(other)
    other:close()
  end, state },
  { "weft.cloth.save", hanging_sheet, function(scene) scene.sheet:save(path .. ".obj") end, state },
  { "weft.step.integrator.step", function() return { equation = weft.step.equation "spring chain", step = 0.01 } end,
    function(options)
      local integrator = weft.step.integrator { scheme = "bdf3", newton = "full" }
      integrator:step(options)
      integrator:close()
    end, function(options) return options.equation.x[1] end },
  { "weft.step.integrator.run", function() return weft.step.equation "pendulum" end,
    function(equation)
      local integrator = weft.step.integrator "backward euler"
      local run = integrator:run { equation = equation, steps = 5, trace = { "energy", "state" } }
      for _, buffer in pairs(run.trace) do
        buffer:close()
      end
      integrator:close()
      support.collect() -- the walk
    end },
  { "weft.step.equation", function()
    return { x = { 1, 2 }, stiffness = { { 1, 0 }, { 0, 1 } }, damping = { { 0, 0 }, { 0, 0 } },
      force = function(_, x) return { -x[1], -x[2] } end }
  end, function(options) weft.step.equation(options):close() end },
  { "weft.step.stability_function", function() end, function()
    weft.step.stability_function("bdf4", { -1, 2 })
    support.collect()
  end },
  { "weft.step.stability", function() end, function()
    weft.step.stability({ scheme = "rk4", pixels = { 3, 3 } }).radius:close()
    support.collect()
  end },
  { "weft.step.order", function() end, function()
    weft.step.order { scheme = "rk4", equation = "spring chain", halvings = 1, first = 64 }
    support.collect()
  end },
  { "a trial of a world", function()
    local scene = hanging_sheet()
    scene.world:step(2)
    scene.world:energy() -- the elements that this asks for stay
    return scene
  end, function(scene)
    local trial = require "weft.core".step_trial(scene.world)
    trial:begin("bdf2", 0.01)
    trial:advance(1)
    trial:close()
  end, state },
}

describe("With each allocation failing once,", function()
  teardown(function()
    for _, ending in ipairs { "", ".obj", ".ply" } do
      os.remove(path .. ending)
    end
  end)

  for _, verb in ipairs(verbs) do
    local name, prepare, act, observe = verb[1], verb[2], verb[3], verb[4]

    it(name .. " fails cleanly", function()
      local object = prepare()
      local before = observe and observe(object)
      local _, count = support.fail_each_allocation(function() act(object) end, function()
        if observe then
          assert.equal(before, observe(object))
        end
      end)
      assert.is_true(count > 0)
    end)
  end

  local function windy_sheet(scheme)
    return function()
      local scene = hanging_sheet()
      scene.world.integrator = scheme
      scene.world.wind:add(weft.wind.uniform { velocity = { 3, 0, 1 } })
      return scene
    end
  end

  for name, make in pairs { ["in a vacuum"] = hanging_sheet, ["in wind"] = windy_sheet "backward euler",
    ["in wind, by elements,"] = windy_sheet "xpbd" } do
    it("the first step " .. name .. " leaves the state before it, and the next goes on as if nothing had been",
    function()
      local core = require "weft.core"
      local reference = make()
      local before = state(reference)
      reference.world:step(2)
      local after, failures, failed = state(reference), 0
      repeat
        local scene = make()
        core.fail_allocation(failures)
        failed = not pcall(scene.world.step, scene.world)
        core.fail_allocation()
        if failed then
          failures = failures + 1
          assert.equal(before, state(scene))
          scene.world:step()
        end
        scene.world:step()
        assert.equal(after, state(scene))
        scene.world:close()
        scene.sheet:close()
      until not failed
      assert.is_true(failures > 10)
    end)
  end

  for _, scheme in ipairs { "backward euler", "xpbd", "projective dynamics", "vertex block descent" } do
    it("the first step by " .. scheme .. " leaves nothing behind once the world and the cloth are gone", function()
      support.fail_each_allocation(function()
        local scene = hanging_sheet()
        scene.world.integrator, scene.world.wind.still_air = scheme, true
        scene.world:step()
        scene.world:close()
        scene.sheet:close()
      end)
    end)
  end

  it("a step with barriers changes nothing, and leaves nothing behind", function()
    support.fail_each_allocation(function()
      local scene = hanging_sheet()
      scene.world.contact = "barrier"
      local near = scene.world:add(weft.sheet { cells = { 3, 3 }, size = { 0.3, 0.3 }, centre = { 0, 0.0002, 0.01 } })
      local before = state(scene)
      local done, message = pcall(scene.world.step, scene.world)
      assert.is_true(done or before == state(scene))
      scene.world:close()
      scene.sheet:close()
      near:close()
      assert(done, message)
    end)
  end)

  it("later steps have none to fail: they allocate nothing, in the air or landing", function()
    local scene = hanging_sheet()
    scene.world:step(2)
    local _, count = support.fail_each_allocation(function() scene.world:step(10) end)
    assert.equal(0, count)
    assert.is_true(select(2, scene.sheet.positions:get(1)) < -0.099)
  end)

  it("nor do steps in which pins move", function()
    local scene = hanging_sheet()
    scene.sheet:pin { vertices = { 1, 2 }, targets = { { -0.15, 2, -0.15 }, { -0.15, 2, -0.05 } } } -- some six steps
    scene.world:step(2)
    local _, count = support.fail_each_allocation(function() scene.world:step(2) end)
    assert.equal(0, count)
    assert.is_true(scene.world.stats.pin_work > 0)
  end)
end)
