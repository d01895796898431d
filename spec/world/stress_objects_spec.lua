local run = require "spec.world.stress.run"

describe("Rigid bodies in cloth", function()
  for _, scene in ipairs(require "spec.world.stress.objects") do
    it("pass through nothing: " .. scene.name, function()
      local report = run.scene(scene, "small")
      assert.same({}, report.errors)
      assert.equal(0, report.crossings)
    end)
  end
end)
