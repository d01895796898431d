# blender_cloth.py - what the scenes in Blender's cloth have in common: a 1 m sheet, and steps that are timed.
#
# Options of all: side (vertices along an edge), frames, fps, quality (steps per frame), mass (kg, of the sheet), tension,
# bending, damping (Blender's settings). Before each frame it waits for a line of input, so that who measures can take
# turns. It writes a line "frame <n> <seconds> <seconds of processor time>", then a line "x y z" for each vertex, Y up
# as in weft; vertices run along the weft first.
#
# The edges of triangles are Blender's tension springs; its shear springs are for quadrilaterals.
import sys
import time

import bpy


def read_options(program, more):
    """Those of the command line, as name=value; `more` are the program's own, with what they are by default."""
    options = {"side": 100, "frames": 30, "fps": 30, "quality": 5, "mass": 0.26, "tension": 15.0, "bending": 0.5,
               "damping": 5.0, **more}
    for argument in sys.argv[sys.argv.index("--") + 1:]:
        name, value = argument.split("=", 1)
        if name not in options:
            sys.exit(program + ": unknown option " + name)
        options[name] = type(options[name])(value)
    return options


def clear():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def add_sheet(options, height):
    """The sheet, level at `height`, and its cloth modifier, which collides with nothing."""
    side = options["side"]
    cells = side - 1
    # Blender's Z is up. Diagonals alternate as in weft.sheet.
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
    collision.use_collision = collision.use_self_collision = False
    modifier.point_cache.frame_start = 1
    modifier.point_cache.frame_end = options["frames"] + 1
    return sheet, modifier


def run(options, sheet):
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
