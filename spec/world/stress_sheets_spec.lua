local run = require "spec.world.stress.run"

describe("Cloth that falls on things and is pulled over them", function()
  for _, scene in ipairs(require "spec.world.stress.sheets") do
    it("passes through nothing: " .. scene.name, function()
      local report = run.scene(scene, "small")
      assert.same({}, report.errors)
      assert.equal(0, report.crossings)
    end)
  end
end)
