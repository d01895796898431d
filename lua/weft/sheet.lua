--- Sheets: flat rectangular cloth.

local core = require "weft.core"
require "weft.cloth"

---@class weft.sheet.options
---@field cells? integer[] along weft and warp, 1 to 4096 each; {20, 20} by default
---@field size? number[] m, along weft and warp; {1, 1} by default
---@field centre? number[] {0, 0, 0} by default
---@field weft? number[] unit vector; {1, 0, 0} by default
---@field warp? number[] unit vector; {0, 0, -1} by default: a sheet that lies flat and faces up
---@field fabric? weft.fabric wool by default
---@field membrane? string a name of weft.model.list(); "weave" by default
---@field bending? string "plate" by default

--- A flat rectangular sheet, cut into triangles with alternating diagonals.
---@type fun(options?: weft.sheet.options): weft.cloth
return core.sheet
