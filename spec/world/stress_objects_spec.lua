local run = require "spec.world.stress.run"

describe("Rigid bodies in cloth", function()
  for _, scene in ipairs(require "spec.world.stress.objects") do
    it("pass through nothing: " .. scene.name, function()
      run.must_pass(scene)
    end)
  end
end)
