-- Rules that hold for objects of every class.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local sorted_keys = support.sorted_keys
local classes = support.classes()

describe("The classes", function()
  it("all have a factory in spec/support.lua", function()
    assert.same(sorted_keys(classes), sorted_keys(support.factories))
    assert.is_true(#sorted_keys(classes) >= 2)
  end)
end)

for _, class in ipairs(sorted_keys(support.factories)) do
  local make = support.factories[class]

  describe(class, function()
    make() -- parts that are loaded when first used keep what they allocate

    it("prints as one line that begins with its class", function()
      local text = tostring(make())
      assert.equal(class, text:sub(1, #class))
      assert.is_nil(text:find "\n")
    end)

    it("closes any number of times, and is an error to use from then on", function()
      local object = make()
      assert.is_false(object.closed)
      object:close()
      object:close()
      assert.is_true(object.closed)
      assert.equal(class .. " (closed)", tostring(object))
      for _, field in ipairs(sorted_keys(classes[class].fields)) do
        assert.equal(("%s.%s: self is a closed %s"):format(class, field, class),
          message_of(function() return object[field] end))
        assert.equal(("%s.%s: self is a closed %s"):format(class, field, class),
          message_of(function() object[field] = 1 end))
      end
      for _, method in ipairs(sorted_keys(classes[class].methods)) do
        if method ~= "close" then
          local message = message_of(object[method], object)
          assert.is_truthy(message:find("closed " .. class, 1, true) or message:find "needs LuaJIT", message)
        end
      end
    end)

    it("does not show its metatable, and its finalizer and accessors take no stranger", function()
      local object = make()
      assert.equal(class, getmetatable(object))
      local metatable = debug.getmetatable(object)
      metatable.__gc(io.stdout)
      metatable.__gc {}
      metatable.__gc()
      metatable.__tostring(3)
      assert.matches("self must be a", message_of(metatable.__index, io.stdout, "closed"))
      assert.matches("self must be a", message_of(metatable.__newindex, 1, "closed", 1))
      metatable.__gc(object) -- what the collector does, early: the object is closed, nothing worse
      assert.is_true(object.closed)
    end)

    it("reads every property, and refuses nonsense for those that can be set", function()
      local object = make()
      for _, field in ipairs(sorted_keys(classes[class].fields)) do
        local value = object[field]
        local message = message_of(function() object[field] = io.stdout end)
        assert.is_truthy(message:find("must be", 1, true) or message:find("cannot be set", 1, true), message)
        if type(value) ~= "userdata" then
          assert.same(value, object[field])
        end
      end
    end)

    it("is made whole or not at all when memory runs out", function()
      local object, count = support.fail_each_allocation(make)
      assert.is_true(count > 0)
      object:close()
    end)

    it("gives its memory back, closed or collected", function()
      support.collect()
      local before = weft.memory()
      for i = 1, 10 do
        local object = make()
        if i % 2 == 0 then
          object:close()
        end
      end
      support.collect()
      assert.equal(before, (weft.memory()))
    end)
  end)
end
