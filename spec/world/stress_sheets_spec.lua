local run = require "spec.world.stress.run"

describe("Cloth that falls on things and is pulled over them", function()
  for _, scene in ipairs(require "spec.world.stress.sheets") do
    it("passes through nothing: " .. scene.name, function()
      run.must_pass(scene)
    end)
  end
end)
