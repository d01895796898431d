-- Makes `require "weft"` work from the root of a clone after `make`, without setting any path: Lua looks for ./weft.lua
-- by itself. Installed copies do not contain this file. WEFT_BUILD names another build folder than build/.

local root = debug.getinfo(1, "S").source:match "^@(.*)weft%.lua$"
local abi = "lua" .. _VERSION:match "%d+%.%d+"
local objects = (os.getenv "WEFT_BUILD" or root .. "build") .. "/" .. abi

local core = io.open(objects .. "/weft/core.so", "rb")
if not core then
  error(("weft is not built for this Lua yet: run `make%s`"):format(abi == "lua5.1" and "" or " ABI=" .. abi), 0)
end
core:close()

package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = objects .. "/?.so;" .. package.cpath

return dofile(root .. "lua/weft/init.lua")
