local run = require "spec.world.stress.run"

describe("Cloth that is drawn, twisted, piled, pinched and knotted", function()
  for _, scene in ipairs(require "spec.world.stress.strips") do
    it("passes through nothing: " .. scene.name, function()
      local report = run.scene(scene, "small")
      assert.same({}, report.errors)
      assert.equal(0, report.crossings)
    end)
  end
end)
