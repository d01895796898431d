# blender_drop.py - a sheet that falls on a ball in Blender's cloth, with self-collision, timed, for bench/contact.lua.
#
#   blender -b --factory-startup -t 1 --python bench/peers/blender_drop.py -- side=100 frames=30 ...
#
# Options: side (vertices along an edge), frames, fps, quality (steps per frame), collision (Blender's collision quality),
# rows (of the ball), radius and gap (m: the ball's, and how far the sheet starts above it), distance (m, that is kept),
# mass (kg, of the sheet), tension, bending, damping (Blender's settings). It waits and writes as blender_sheet.py does.
import sys
import time

import bpy

options = {"side": 100, "frames": 30, "fps": 30, "quality": 5, "collision": 2, "rows": 24, "radius": 0.25, "gap": 0.05,
           "distance": 0.001, "mass": 0.26, "tension": 15.0, "bending": 0.5, "damping": 5.0}
for argument in sys.argv[sys.argv.index("--") + 1:]:
    name, value = argument.split("=", 1)
    if name not in options:
        sys.exit("blender_drop.py: unknown option " + name)
    options[name] = type(options[name])(value)

side, radius = options["side"], options["radius"]
cells = side - 1

# Blender's Z is up. Diagonals alternate as in weft.sheet.
height = radius + options["gap"]
vertices = [(i / cells - 0.5, j / cells - 0.5, height) for j in range(side) for i in range(side)]
faces = []
for j in range(cells):
    for i in range(cells):
        a = j * side + i
        b, c, d = a + 1, a + side + 1, a + side
        if (i + j) % 2 == 0:
            faces += [(a, b, c), (a, c, d)]
        else:
            faces += [(a, b, d), (b, c, d)]

bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
bpy.ops.mesh.primitive_uv_sphere_add(segments=2 * options["rows"], ring_count=options["rows"], radius=radius)
ball = bpy.context.object
ball.modifiers.new("collision", "COLLISION")
ball.collision.thickness_outer = options["distance"]
ball.collision.cloth_friction = 5

mesh = bpy.data.meshes.new("sheet")
mesh.from_pydata(vertices, [], faces)
sheet = bpy.data.objects.new("sheet", mesh)
bpy.context.collection.objects.link(sheet)
modifier = sheet.modifiers.new("cloth", "CLOTH")
settings = modifier.settings
settings.quality = options["quality"]
settings.mass = options["mass"] / side ** 2
settings.air_damping = 0
settings.tension_stiffness = settings.compression_stiffness = options["tension"]
settings.bending_stiffness = options["bending"]
settings.tension_damping = settings.compression_damping = options["damping"]
settings.bending_damping = 0
collision = modifier.collision_settings
collision.use_collision = collision.use_self_collision = True
collision.collision_quality = options["collision"]
collision.distance_min = collision.self_distance_min = options["distance"]
modifier.point_cache.frame_start = 1
modifier.point_cache.frame_end = options["frames"] + 1

scene = bpy.context.scene
scene.render.fps = options["fps"]
scene.gravity = (0, 0, -9.81)
scene.frame_start, scene.frame_end = 1, options["frames"] + 1

for frame in range(options["frames"] + 1):
    if not sys.stdin.readline():
        break
    start, processor_start = time.perf_counter(), time.process_time()
    scene.frame_set(frame + 1)
    evaluated = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor_start
    lines = ["frame %d %.6f %.6f" % (frame, seconds, processor_seconds)]
    for vertex in evaluated.data.vertices:
        x, y, z = vertex.co
        lines.append("%.9g %.9g %.9g" % (x, z, -y))
    print("\n".join(lines), flush=True)
