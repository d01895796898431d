# blender_drop.py - a sheet that falls on a ball in Blender's cloth, with self-collision, timed, for bench/contact.lua.
#
#   blender -b --factory-startup -t 1 --python bench/peers/blender_drop.py -- side=100 frames=30 ...
#
# Options and output are those of blender_cloth.py, and collision (Blender's collision quality), rows (of the ball),
# radius and gap (m: the ball's, and how far the sheet starts above it), distance (m, that is kept).
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import blender_cloth

options = blender_cloth.read_options("blender_drop.py", {"collision": 2, "rows": 24, "radius": 0.25, "gap": 0.05,
                                                         "distance": 0.001})
radius = options["radius"]

blender_cloth.clear()
bpy.ops.mesh.primitive_uv_sphere_add(segments=2 * options["rows"], ring_count=options["rows"], radius=radius)
ball = bpy.context.object
ball.modifiers.new("collision", "COLLISION")
ball.collision.thickness_outer = options["distance"]
ball.collision.cloth_friction = 5

sheet, modifier = blender_cloth.add_sheet(options, radius + options["gap"])
collision = modifier.collision_settings
collision.use_collision = collision.use_self_collision = True
collision.collision_quality = options["collision"]
collision.distance_min = collision.self_distance_min = options["distance"]
blender_cloth.run(options, sheet)
