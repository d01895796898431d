local run = require "spec.world.stress.run"

describe("Cloth that is drawn, twisted, piled, pinched and knotted", function()
  for _, scene in ipairs(require "spec.world.stress.strips") do
    it("passes through nothing: " .. scene.name, function()
      run.must_pass(scene)
    end)
  end
end)
