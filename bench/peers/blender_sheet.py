# blender_sheet.py - a sheet hung by two corners in Blender's cloth, timed, for bench/blender.lua.
#
#   blender -b --factory-startup -t 1 --python bench/peers/blender_sheet.py -- side=100 frames=30 ...
#
# Options and output are those of blender_cloth.py; the last row of vertices has the pins.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import blender_cloth

options = blender_cloth.read_options("blender_sheet.py", {})
side = options["side"]
cells = side - 1

blender_cloth.clear()
sheet, modifier = blender_cloth.add_sheet(options, 0.0)
pins = sheet.vertex_groups.new(name="pins")
pins.add([cells * side + i for i in range(side) if not 0.05 + 1e-9 < i / cells < 0.95 - 1e-9], 1.0, "REPLACE")
modifier.settings.vertex_group_mass = "pins"
blender_cloth.run(options, sheet)
