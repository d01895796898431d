-- Makes `require "weft"` work from the root of a clone after `make`, without setting any path: Lua looks for ./weft.lua
-- by itself. Installed copies do not contain this file. WEFT_BUILD names another build folder than build/.

local source = debug.getinfo(1, "S").source
local root = source:match("^@(.*)weft%.lua$")
local build = os.getenv "WEFT_BUILD" or root .. "build"
local abi = "lua" .. _VERSION:match "%d+%.%d+"

package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = build .. "/" .. abi .. "/?.so;" .. package.cpath

return dofile(root .. "lua/weft/init.lua")
