-- What specs share. `local support = require "spec.support"`.

local support = {}

--- The message of the error that `call` raises, without the script's position in front.
function support.message_of(call, ...)
  local ok, message = pcall(call, ...)
  assert(not ok, "expected an error, but the call succeeded")
  assert(type(message) == "string", "expected a message, got " .. type(message))
  return (message:gsub("^[^:\n]+:%d+: ", ""))
end

--- The folder of shared data, or nil and a message for `pending`. Specs read it where it lies.
function support.shared_data(path)
  local root = os.getenv "WEFT_SHARED_DATA" or "../shared/data"
  local file = io.open(root .. "/" .. path, "rb")
  if file then
    file:close()
    return root .. "/" .. path
  end
  return nil, ("%s/%s is not there; set WEFT_SHARED_DATA to the folder of the shared data"):format(root, path)
end

--- Runs until nothing more is collected, finalizers included.
function support.collect()
  for _ = 1, 3 do
    collectgarbage "collect"
  end
end

return support
