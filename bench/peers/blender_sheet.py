# blender_sheet.py - a sheet hung by two corners in Blender's cloth, timed, for bench/blender.lua.
#
#   blender -b --factory-startup -t 1 --python bench/peers/blender_sheet.py -- side=100 frames=30 ...
#
# Options: side (vertices along an edge), frames, fps, quality (steps per frame), mass (kg, of the sheet), tension,
# bending, damping (Blender's settings). Before each frame it waits for a line of input, so that who measures can take
# turns. It writes a line "frame <n> <seconds> <seconds of processor time>", then a line "x y z" for each vertex, Y up
# as in weft; vertices run along the weft first, and the last row has the pins.
#
# The edges of triangles are Blender's tension springs; its shear springs are for quadrilaterals.
import sys
import time

import bpy

options = {"side": 100, "frames": 30, "fps": 30, "quality": 5, "mass": 0.26, "tension": 15.0,
           "bending": 0.5, "damping": 5.0}
for argument in sys.argv[sys.argv.index("--") + 1:]:
    name, value = argument.split("=", 1)
    if name not in options:
        sys.exit("blender_sheet.py: unknown option " + name)
    options[name] = type(options[name])(value)

side = options["side"]
cells = side - 1

# Blender's Z is up. Diagonals alternate as in weft.sheet.
vertices = [(i / cells - 0.5, j / cells - 0.5, 0.0) for j in range(side) for i in range(side)]
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
mesh = bpy.data.meshes.new("sheet")
mesh.from_pydata(vertices, [], faces)
sheet = bpy.data.objects.new("sheet", mesh)
bpy.context.collection.objects.link(sheet)
pins = sheet.vertex_groups.new(name="pins")
held = [cells * side + i for i in range(side) if not 0.05 + 1e-9 < i / cells < 0.95 - 1e-9]
pins.add(held, 1.0, "REPLACE")

modifier = sheet.modifiers.new("cloth", "CLOTH")
settings = modifier.settings
settings.quality = options["quality"]
settings.mass = options["mass"] / side ** 2
settings.air_damping = 0
settings.tension_stiffness = settings.compression_stiffness = options["tension"]
settings.bending_stiffness = options["bending"]
settings.tension_damping = settings.compression_damping = options["damping"]
settings.bending_damping = 0
settings.vertex_group_mass = "pins"
modifier.collision_settings.use_collision = False
modifier.collision_settings.use_self_collision = False
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
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = sheet.evaluated_get(graph)
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor_start
    lines = ["frame %d %.6f %.6f" % (frame, seconds, processor_seconds)]
    for vertex in evaluated.data.vertices:
        x, y, z = vertex.co
        lines.append("%.9g %.9g %.9g" % (x, z, -y))
    print("\n".join(lines), flush=True)
