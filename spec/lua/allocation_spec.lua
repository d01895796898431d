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
end)
