/* lua_rigid.c - weft.rigid. */
#include "lua/lua_rigid.h"

#include "body/hull.h"
#include "lua/buffer.h"

/* ---- properties ------------------------------------------------------------------------------------------------ */

static void destroy_rigid(wf_context *context, void *object, void *parent)
{
    (void)context;
    (void)parent;
    wf_rigid_release(object);
}

static void describe_rigid(lua_State *L, void *object)
{
    const wf_rigid *rigid = object;
    const wf_vec3 at = wf_rigid_position(rigid);
    lua_pushfstring(L, "weft.rigid %s (%f kg, at {%f, %f, %f})", rigid->name, rigid->mass, at.x, at.y, at.z);
}

static void view_positions(void *object, wf_lua_view *view)
{
    const wf_mesh *mesh = &((const wf_rigid *)object)->mesh;
    *view = (wf_lua_view){mesh->positions, mesh->positions, WF_LUA_DOUBLE, (size_t)mesh->vertex_count, 3, false};
}

static void view_faces(void *object, wf_lua_view *view)
{
    const wf_mesh *mesh = &((const wf_rigid *)object)->mesh;
    *view = (wf_lua_view){mesh->faces, mesh->faces, WF_LUA_INDEX, (size_t)mesh->face_count, 3, false};
}

static void get_positions(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &wf_lua_rigid_class, "positions", view_positions);
}

static void get_faces(lua_State *L, void *object)
{
    (void)object;
    wf_lua_push_view(L, 1, &wf_lua_rigid_class, "faces", view_faces);
}

static void get_vertices(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_rigid *)object)->mesh.vertex_count);
}

static void get_triangles(lua_State *L, void *object)
{
    lua_pushinteger(L, ((const wf_rigid *)object)->mesh.face_count);
}

static void get_name(lua_State *L, void *object)
{
    lua_pushstring(L, ((const wf_rigid *)object)->name);
}

static void get_shape(lua_State *L, void *object)
{
    lua_pushstring(L, wf_rigid_shape_names[((const wf_rigid *)object)->shape]);
}

static void get_mass(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_rigid *)object)->mass);
}

static void get_moments(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, ((const wf_rigid *)object)->moments);
}

static void get_centre(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, ((const wf_rigid *)object)->centre);
}

static void get_kinetic_energy(lua_State *L, void *object)
{
    lua_pushnumber(L, wf_rigid_kinetic_energy(object));
}

static void get_position(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, wf_rigid_position(object));
}

static void set_position(lua_State *L, void *object, int index, const char *what)
{
    wf_vec3 position = wf_lua_check_vec3(L, index, what);
    wf_lua_check_status(L, wf_rigid_set_frame(object, position, wf_rigid_orientation(object)), "weft.rigid");
}

static void get_orientation(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, wf_rigid_orientation(object));
}

static void set_orientation(lua_State *L, void *object, int index, const char *what)
{
    wf_vec3 orientation = wf_lua_check_vec3(L, index, what);
    wf_lua_check_status(L, wf_rigid_set_frame(object, wf_rigid_position(object), orientation), "weft.rigid");
}

static void get_velocity(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, ((const wf_rigid *)object)->velocity);
}

static void set_velocity(lua_State *L, void *object, int index, const char *what)
{
    wf_vec3 velocity = wf_lua_check_vec3(L, index, what);
    wf_lua_check_status(L, wf_rigid_set_motion(object, velocity, ((const wf_rigid *)object)->spin), "weft.rigid");
}

static void get_spin(lua_State *L, void *object)
{
    wf_lua_push_vec3(L, ((const wf_rigid *)object)->spin);
}

static void set_spin(lua_State *L, void *object, int index, const char *what)
{
    wf_vec3 spin = wf_lua_check_vec3(L, index, what);
    wf_lua_check_status(L, wf_rigid_set_motion(object, ((const wf_rigid *)object)->velocity, spin), "weft.rigid");
}

static void get_thickness(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_rigid *)object)->thickness);
}

static void set_thickness(lua_State *L, void *object, int index, const char *what)
{
    double thickness = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_rigid_set_thickness(object, thickness), "weft.rigid");
}

static void get_porosity(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_rigid *)object)->porosity);
}

static void set_porosity(lua_State *L, void *object, int index, const char *what)
{
    double porosity = wf_lua_check_number(L, index, what, 0, 1);
    wf_lua_check_status(L, wf_rigid_set_porosity(object, porosity), "weft.rigid");
}

static void get_friction(lua_State *L, void *object)
{
    lua_pushnumber(L, ((const wf_rigid *)object)->friction);
}

static void set_friction(lua_State *L, void *object, int index, const char *what)
{
    double friction = wf_lua_check_number(L, index, what, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_check_status(L, wf_rigid_set_friction(object, friction), "weft.rigid");
}

/* rigid:momentum(): as of cloth. */
static int rigid_momentum(lua_State *L)
{
    const wf_rigid *rigid = wf_lua_check_object(L, 1, &wf_lua_rigid_class, "weft.rigid.momentum: self");
    wf_vec3 linear = wf_vec3_scale(rigid->velocity, rigid->mass);
    lua_createtable(L, 0, 4);
    wf_lua_set_number(L, "mass", rigid->mass);
    wf_lua_push_vec3(L, rigid->centre);
    lua_setfield(L, -2, "centre");
    wf_lua_push_vec3(L, linear);
    lua_setfield(L, -2, "linear");
    wf_lua_push_vec3(L, wf_vec3_add(wf_rigid_angular_momentum(rigid), wf_vec3_cross(rigid->centre, linear)));
    lua_setfield(L, -2, "angular");
    return 1;
}

static const luaL_Reg rigid_methods[] = {{"momentum", rigid_momentum}, {NULL, NULL}};

static const wf_lua_property rigid_properties[] = {{"name", get_name, NULL},
                                                   {"shape", get_shape, NULL},
                                                   {"positions", get_positions, NULL},
                                                   {"faces", get_faces, NULL},
                                                   {"vertices", get_vertices, NULL},
                                                   {"triangles", get_triangles, NULL},
                                                   {"mass", get_mass, NULL},
                                                   {"moments", get_moments, NULL},
                                                   {"centre", get_centre, NULL},
                                                   {"kinetic_energy", get_kinetic_energy, NULL},
                                                   {"position", get_position, set_position},
                                                   {"orientation", get_orientation, set_orientation},
                                                   {"velocity", get_velocity, set_velocity},
                                                   {"spin", get_spin, set_spin},
                                                   {"thickness", get_thickness, set_thickness},
                                                   {"friction", get_friction, set_friction},
                                                   {"porosity", get_porosity, set_porosity},
                                                   {NULL, NULL, NULL}};

const wf_lua_class wf_lua_rigid_class = {"weft.rigid", rigid_methods, rigid_properties, describe_rigid, destroy_rigid};

/* ---- the constructor ------------------------------------------------------------------------------------------- */

static const char constructor[] = "weft.rigid";

/* Refuses what another shape would take. */
static void check_shape_options(const wf_lua_options *options, wf_rigid_shape shape)
{
    enum { SPHERE = 1 << WF_RIGID_SPHERE, CAPSULE = 1 << WF_RIGID_CAPSULE, BOX = 1 << WF_RIGID_BOX,
           CONVEX = 1 << WF_RIGID_CONVEX, MESH = 1 << WF_RIGID_MESH };
    static const struct {
        const char *name, *of;
        int shapes, needed_by;
    } rules[] = {{"radius", "spheres and capsules", SPHERE | CAPSULE, 0},
                 {"length", "capsules", CAPSULE, 0},
                 {"detail", "spheres and capsules", SPHERE | CAPSULE, 0},
                 {"size", "boxes", BOX, 0},
                 {"points", "convex bodies and meshes", CONVEX | MESH, CONVEX | MESH},
                 {"faces", "meshes", MESH, MESH}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        bool given = wf_lua_push_option(options, rules[i].name);
        lua_pop(options->L, 1);
        if (given && !(rules[i].shapes >> shape & 1)) {
            wf_lua_fail(options->L, "%s: %s is an option of %s, not of shape \"%s\"", constructor, rules[i].name,
                        rules[i].of, wf_rigid_shape_names[shape]);
        }
        if (rules[i].needed_by >> shape & 1) {
            wf_lua_require_option(options, rules[i].name, "a list");
        }
    }
}

/* The lists stay on the stack. */
static void read_lists(const wf_lua_options *options, wf_rigid_def *def)
{
    const double *points;
    size_t count = wf_lua_option_vectors(options, "points", 3, &points);
    size_t most = def->shape == WF_RIGID_CONVEX ? WF_HULL_LARGEST_POINT_COUNT : 1000000;
    if (count > most) {
        wf_lua_fail(options->L, "%s: points must be at most %d, got %d", constructor, (int)most, (int)count);
    }
    def->points = (const wf_vec3 *)points;
    def->point_count = (int32_t)count;
    if (def->shape == WF_RIGID_MESH) {
        const int32_t *faces;
        size_t face_count = wf_lua_option_index_groups(options, "faces", 3, count, &faces);
        if (face_count > 4 * most) {
            wf_lua_fail(options->L, "%s: too many faces", constructor);
        }
        def->faces = (const int32_t(*)[3])faces;
        def->face_count = (int32_t)face_count;
    }
}

/* core.rigid { shape = "sphere", radius =, mass =, ... } */
static int rigid_new(lua_State *L)
{
    static const char *const names[] = {"shape",    "radius",      "length",   "size", "detail",    "points",
                                        "faces",    "mass",        "density",  "name", "thickness", "friction",
                                        "position", "orientation", "velocity", "spin", NULL};
    lua_settop(L, 1);
    wf_lua_options options = wf_lua_open_options(L, 1, constructor, names);
    wf_rigid_def def = wf_default_rigid_def();
    int shape = WF_RIGID_SPHERE;
    wf_lua_require_option(&options, "shape", "\"sphere\", \"capsule\", \"box\", \"convex\" or \"mesh\"");
    wf_lua_option_choice(&options, "shape", wf_rigid_shape_names, &shape);
    def.shape = (wf_rigid_shape)shape;
    check_shape_options(&options, def.shape);
    wf_lua_option_number(&options, "radius", &def.radius, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "length", &def.length, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_vec3(&options, "size", &def.size);
    int64_t detail = def.detail;
    wf_lua_option_integer(&options, "detail", &detail, 0, 4);
    def.detail = (int32_t)detail;
    bool has_mass = wf_lua_option_number(&options, "mass", &def.mass, WF_LUA_POSITIVE, WF_LUA_HIGHEST);
    if (wf_lua_option_number(&options, "density", &def.density, WF_LUA_POSITIVE, WF_LUA_HIGHEST) && has_mass) {
        wf_lua_fail(L, "%s: give either mass or density", constructor);
    }
    wf_lua_option_number(&options, "thickness", &def.thickness, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_number(&options, "friction", &def.friction, WF_LUA_LOWEST, WF_LUA_HIGHEST);
    wf_lua_option_vec3(&options, "position", &def.position);
    wf_lua_option_vec3(&options, "orientation", &def.orientation);
    wf_lua_option_vec3(&options, "velocity", &def.velocity);
    wf_lua_option_vec3(&options, "spin", &def.spin);
    def.name = wf_lua_option_string(&options, "name");
    read_lists(&options, &def);
    void **slot = wf_lua_new_object(L, &wf_lua_rigid_class, 0);
    wf_rigid *rigid;
    wf_status status = wf_rigid_create(wf_lua_context(L), &def, &rigid);
    *slot = rigid;
    wf_lua_check_status(L, status, constructor);
    return 1;
}

void wf_lua_open_rigid(lua_State *L);

void wf_lua_open_rigid(lua_State *L)
{
    static const luaL_Reg functions[] = {{"rigid", rigid_new}, {NULL, NULL}};
    wf_lua_register_class(L, &wf_lua_rigid_class);
    wf_lua_set_functions(L, functions);
}
