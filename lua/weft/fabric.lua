--- Fabrics: what a piece of cloth is made of.

local core = require "weft.core"

--- Moduli per width of cloth. Weft runs along a pattern's x, warp along its y. Values can be read and set; what cannot
--- be simulated is refused and leaves the fabric as it was.
---@class weft.fabric
---@field name string
---@field density number kg/m2
---@field stretch weft.fabric.stretch also set from a table: fabric.stretch = { weft = 900 }
---@field shear number N/m per radian of the angle between weft and warp
---@field bend weft.fabric.bend also set from a table
---@field viscosity number s: viscous moduli in the plane are viscosity times the elastic ones
---@field thickness number m, the distance that two layers keep
---@field friction number Coulomb's coefficient
---@field closed boolean
---@field close fun(self: weft.fabric)

---@class weft.fabric.stretch
---@field weft number C1111, N/m
---@field warp number C2222, N/m
---@field coupling number C1122, N/m; its square is smaller than weft times warp
---@field young_weft number N/m, of a strip along the weft that is free to contract; read only
---@field young_warp number N/m; read only
---@field closed boolean
---@field close fun(self: weft.fabric.stretch)

---@class weft.fabric.bend
---@field weft number N m, for curving the weft
---@field warp number N m, for curving the warp
---@field viscosity number s
---@field closed boolean
---@field close fun(self: weft.fabric.bend)

---@class weft.fabric.options
---@field base? string|weft.fabric where values come from that are not given; "wool" by default
---@field name? string
---@field density? number kg/m2
---@field stretch? { weft: number?, warp: number?, coupling: number? }
---@field shear? number
---@field bend? { weft: number?, warp: number?, viscosity: number? }
---@field viscosity? number
---@field thickness? number
---@field friction? number

local fabric = {}

--- A fabric from the table of Keckeisen (2005), figure 2.4: "wool viscose", "wool", "polyester acrylic", "polyester"
--- (measured), "shear resistant", "bend resistant" (fictitious). Also as fields, where _ stands for the space:
--- weft.fabric.wool, weft.fabric.wool_viscose; each access makes a new one.
---
--- The table's shear moduli of the measured four are taken per degree, as shear testers report them; reading = "thesis"
--- takes them per radian as that work does: cloth then shears almost freely.
---@type fun(name: string, options?: { reading: "per radian"|"thesis"|nil }): weft.fabric
fabric.preset = core.fabric_preset

--- The names of the presets.
---@type fun(): string[]
fabric.names = core.fabric_names

local function preset_of(name)
  if type(name) == "string" then
    local spaced = name:gsub("_", " ")
    for _, known in ipairs(core.fabric_names()) do
      if known == spaced then
        return known
      end
    end
  end
end

return setmetatable(fabric, {
  --- A fabric of your own: the base's values, changed where given.
  ---@overload fun(options: weft.fabric.options): weft.fabric
  __call = function(_, options)
    return core.fabric(options)
  end,
  __index = function(_, name)
    local preset = preset_of(name)
    if not preset then
      local nearest = type(name) == "string" and core.nearest_name(name, core.fabric_names())
      local hint = nearest and ("; did you mean '%s'?"):format((nearest:gsub(" ", "_"))) or ""
      error(("weft.fabric: there is no '%s'%s"):format(tostring(name), hint), 2)
    end
    return core.fabric_preset(preset)
  end,
})
