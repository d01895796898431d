/* rigid.c - rigid bodies; see rigid.h. */
#include "body/rigid.h"

#include <string.h>

#include "base/range.h"
#include "body/mass.h"
#include "body/rigid_shapes.h"

const char *const wf_rigid_shape_names[] = {"sphere", "capsule", "box", "convex", "mesh", NULL};

#define LARGEST_POSITION 1e5 /* m */
#define LARGEST_SPEED 1e4    /* m/s */
#define LARGEST_SPIN 1e5     /* rad/s */

/* Of the smallest moment to the largest: below it a body is a needle or a sheet, and rounding makes its spin. */
#define LEAST_MOMENT 1e-9

wf_rigid_def wf_default_rigid_def(void)
{
    return (wf_rigid_def){.radius = 0.1, .length = 0.2, .size = {0.1, 0.1, 0.1}, .detail = 2, .density = 1000,
                          .thickness = 0.0005, .friction = 0.4};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static wf_status check_vector(wf_context *context, const char *name, wf_vec3 v, double largest)
{
    return wf_vec3_norm2(v) <= largest * largest
               ? WF_OK
               : wf_fail(context, WF_ERROR_ARGUMENT, "%s must be at most %g long, got (%g, %g, %g)", name, largest, v.x,
                         v.y, v.z);
}

static wf_status check_sizes(wf_context *context, const wf_rigid_def *def)
{
    const struct {
        const char *name;
        bool used;
        double value, lowest, highest;
    } ranges[] = {
        {"radius", def->shape == WF_RIGID_SPHERE || def->shape == WF_RIGID_CAPSULE, def->radius, 1e-4, 1e3},
        {"length", def->shape == WF_RIGID_CAPSULE, def->length, 1e-4, 1e3},
        {"size", def->shape == WF_RIGID_BOX, def->size.x, 1e-4, 1e3},
        {"size", def->shape == WF_RIGID_BOX, def->size.y, 1e-4, 1e3},
        {"size", def->shape == WF_RIGID_BOX, def->size.z, 1e-4, 1e3},
        {"detail", true, def->detail, 0, 4},
        {"mass", def->mass != 0, def->mass, 1e-9, 1e9},
        {"density", def->mass == 0, def->density, 1e-3, 1e6},
    };
    wf_status status = WF_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && status == WF_OK; i++) {
        if (ranges[i].used) {
            status = wf_check_range(context, ranges[i].name, ranges[i].value, ranges[i].lowest, ranges[i].highest);
        }
    }
    return status;
}

/* Of spheres, capsules and boxes themselves; their surfaces hold a little less. */
static wf_mass_properties mass_of_shape(const wf_rigid_def *def, const wf_mesh *mesh)
{
    wf_mass_properties mass = {.axes = wf_rotation_identity()};
    double r = def->radius, r2 = r * r, pi = acos(-1.0);
    switch (def->shape) {
    case WF_RIGID_SPHERE:
        mass.volume = 4 * pi / 3 * r * r2;
        mass.moments.x = mass.moments.y = mass.moments.z = 0.4 * mass.volume * r2;
        return mass;
    case WF_RIGID_CAPSULE: {
        double l = def->length, cylinder = pi * r2 * l, caps = 4 * pi / 3 * r * r2;
        mass.volume = cylinder + caps;
        mass.moments.y = cylinder * r2 / 2 + caps * 0.4 * r2;
        mass.moments.x = mass.moments.z = cylinder * (l * l / 12 + r2 / 4) +
                                          caps * (0.4 * r2 + l * l / 4 + 3 * r * l / 8);
        return mass;
    }
    case WF_RIGID_BOX: {
        wf_vec3 square = {def->size.x * def->size.x, def->size.y * def->size.y, def->size.z * def->size.z};
        mass.volume = def->size.x * def->size.y * def->size.z;
        mass.moments = wf_vec3_scale((wf_vec3){square.y + square.z, square.z + square.x, square.x + square.y},
                                     mass.volume / 12);
        return mass;
    }
    default:
        return wf_mass_of_surface(mesh->face_count, (const int32_t(*)[3])mesh->faces, mesh->positions);
    }
}

static wf_status set_mass(wf_rigid *rigid, const wf_rigid_def *def)
{
    wf_mass_properties mass = mass_of_shape(def, &rigid->mesh);
    double least = fmin(mass.moments.x, fmin(mass.moments.y, mass.moments.z));
    double most = fmax(mass.moments.x, fmax(mass.moments.y, mass.moments.z));
    if (!(mass.volume > 0 && least > LEAST_MOMENT * most && isfinite(most))) {
        return wf_fail(rigid->context, WF_ERROR_GEOMETRY, "the surface encloses no volume (%g m^3)", mass.volume);
    }
    double density = def->mass > 0 ? def->mass / mass.volume : def->density;
    rigid->mass = density * mass.volume;
    rigid->moments = wf_vec3_scale(mass.moments, density);
    if (!(rigid->mass >= 1e-15 && fmin(least * density, rigid->mass) > 1e-30)) {
        return wf_fail(rigid->context, WF_ERROR_GEOMETRY, "the body is too light: %g kg", rigid->mass);
    }
    rigid->axes = mass.axes;
    wf_rotation back = wf_rotation_inverse(mass.axes);
    rigid->origin = wf_rotation_apply(back, wf_vec3_scale(mass.centre, -1));
    for (int32_t i = 0; i < rigid->mesh.vertex_count; i++) {
        rigid->local[i] = wf_rotation_apply(back, wf_vec3_sub(rigid->mesh.positions[i], mass.centre));
        rigid->reach = fmax(rigid->reach, wf_vec3_norm(rigid->local[i]));
    }
    return WF_OK;
}

static wf_status fill(wf_rigid *rigid, const wf_rigid_def *def)
{
    const char *name = def->name ? def->name : wf_rigid_shape_names[def->shape];
    strncpy(rigid->name, name, sizeof rigid->name - 1);
    rigid->shape = def->shape;
    rigid->radius = def->shape == WF_RIGID_SPHERE ? def->radius : 0;
    wf_status status = check_sizes(rigid->context, def);
    if (status == WF_OK) {
        status = wf_rigid_set_thickness(rigid, def->thickness);
    }
    if (status == WF_OK) {
        status = wf_rigid_set_friction(rigid, def->friction);
    }
    if (status == WF_OK) {
        status = wf_rigid_make_surface(rigid->context, def, &rigid->mesh);
    }
    if (status != WF_OK) {
        return status;
    }
    rigid->local = wf_allocate(rigid->context, (size_t)rigid->mesh.vertex_count, sizeof *rigid->local);
    status = rigid->local ? set_mass(rigid, def) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_rigid_set_frame(rigid, def->position, def->orientation);
    }
    return status == WF_OK ? wf_rigid_set_motion(rigid, def->velocity, def->spin) : status;
}

wf_status wf_rigid_create(wf_context *context, const wf_rigid_def *def, wf_rigid **rigid)
{
    *rigid = NULL;
    wf_rigid *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    made->context = context;
    made->reference_count = 1;
    wf_status status = fill(made, def);
    if (status != WF_OK) {
        wf_rigid_release(made);
        return status;
    }
    *rigid = made;
    return WF_OK;
}

wf_rigid *wf_rigid_retain(wf_rigid *rigid)
{
    if (rigid) {
        rigid->reference_count++;
    }
    return rigid;
}

void wf_rigid_release(wf_rigid *rigid)
{
    if (!rigid || --rigid->reference_count > 0) {
        return;
    }
    wf_mesh_free(rigid->context, &rigid->mesh);
    wf_free(rigid->context, rigid->local);
    wf_free(rigid->context, rigid);
}

/* ---- what can be changed ----------------------------------------------------------------------------------------- */

wf_status wf_rigid_set_thickness(wf_rigid *rigid, double thickness)
{
    wf_status status = wf_check_range(rigid->context, "thickness", thickness, 0, 0.1);
    rigid->thickness = status == WF_OK ? thickness : rigid->thickness;
    return status;
}

wf_status wf_rigid_set_porosity(wf_rigid *rigid, double porosity)
{
    wf_status status = wf_check_range(rigid->context, "porosity", porosity, 0, 1);
    rigid->porosity = status == WF_OK ? porosity : rigid->porosity;
    return status;
}

wf_status wf_rigid_set_friction(wf_rigid *rigid, double friction)
{
    wf_status status = wf_check_range(rigid->context, "friction", friction, 0, 10);
    rigid->friction = status == WF_OK ? friction : rigid->friction;
    return status;
}

wf_vec3 wf_rigid_position(const wf_rigid *rigid)
{
    const wf_pose pose = {rigid->centre, rigid->turn};
    return wf_pose_to_world(&pose, rigid->origin);
}

wf_vec3 wf_rigid_orientation(const wf_rigid *rigid)
{
    return wf_rotation_log(wf_rotation_multiply(rigid->turn, wf_rotation_inverse(rigid->axes)));
}

wf_status wf_rigid_set_frame(wf_rigid *rigid, wf_vec3 position, wf_vec3 orientation)
{
    wf_status status = check_vector(rigid->context, "position", position, LARGEST_POSITION);
    if (status == WF_OK) {
        status = check_vector(rigid->context, "orientation", orientation, 1e6);
    }
    if (status == WF_OK) {
        wf_rotation turn = wf_rotation_turn(rigid->axes, orientation);
        wf_rigid_place(rigid, wf_vec3_sub(position, wf_rotation_apply(turn, rigid->origin)), turn);
    }
    return status;
}

wf_status wf_rigid_set_motion(wf_rigid *rigid, wf_vec3 velocity, wf_vec3 spin)
{
    wf_status status = check_vector(rigid->context, "velocity", velocity, LARGEST_SPEED);
    if (status == WF_OK) {
        status = check_vector(rigid->context, "spin", spin, LARGEST_SPIN);
    }
    if (status == WF_OK) {
        rigid->velocity = velocity;
        rigid->spin = spin;
    }
    return status;
}

void wf_rigid_place(wf_rigid *rigid, wf_vec3 centre, wf_rotation turn)
{
    const wf_pose pose = {centre, turn};
    rigid->centre = centre;
    rigid->turn = turn;
    for (int32_t i = 0; i < rigid->mesh.vertex_count; i++) {
        rigid->mesh.positions[i] = wf_pose_to_world(&pose, rigid->local[i]);
    }
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

wf_mat3 wf_rigid_inertia(const wf_rigid *rigid, wf_rotation turn)
{
    return wf_rotation_conjugate(turn, rigid->moments);
}

wf_mat3 wf_rigid_inverse_inertia(const wf_rigid *rigid, wf_rotation turn)
{
    wf_vec3 m = rigid->moments;
    return wf_rotation_conjugate(turn, (wf_vec3){1 / m.x, 1 / m.y, 1 / m.z});
}

wf_vec3 wf_rigid_angular_momentum(const wf_rigid *rigid)
{
    return wf_mat3_mulv(wf_rigid_inertia(rigid, rigid->turn), rigid->spin);
}

double wf_rigid_kinetic_energy(const wf_rigid *rigid)
{
    return 0.5 * rigid->mass * wf_vec3_norm2(rigid->velocity) +
           0.5 * wf_vec3_dot(rigid->spin, wf_rigid_angular_momentum(rigid));
}

/* The energy is split as
 *
 *     |L|^2 / (2 I_a)  +  (1/I_b - 1/I_a) p_b^2 / 2  +  (1/I_c - 1/I_a) p_c^2 / 2,     p = R^T L,
 *
 * with the middle moment I_a. The first part turns the body about L; the others, about its own axes b and c, do not
 * change L either and commute with the first: of three rotations, all exact, two are to be composed. Strang's
 * composition of them in Suzuki's (1990) five stages has order four and is symplectic (Dullweber, Leimkuhler and
 * McLachlan 1997 split all three axes). */
typedef struct spinner {
    wf_vec3 axis[2];  /* b and c, in the principal frame */
    double factor[2]; /* 1/I - 1/I_a */
    wf_vec3 momentum;
} spinner;

static wf_rotation spin_about(const spinner *s, int which, wf_rotation turn, double duration)
{
    wf_vec3 own = wf_rotation_apply(wf_rotation_inverse(turn), s->momentum);
    double angle = duration * s->factor[which] * wf_vec3_dot(own, s->axis[which]);
    if (angle == 0) {
        return turn;
    }
    return wf_rotation_normalize(wf_rotation_multiply(turn, wf_rotation_exp(wf_vec3_scale(s->axis[which], angle))));
}

static wf_rotation spin_step(const spinner *s, wf_rotation turn, double duration)
{
    const double outer = 1 / (4 - cbrt(4)), stage[5] = {outer, outer, 1 - 4 * outer, outer, outer};
    for (int k = 0; k < 5; k++) {
        double h = stage[k] * duration;
        turn = spin_about(s, 0, turn, 0.5 * h);
        turn = spin_about(s, 1, turn, h);
        turn = spin_about(s, 0, turn, 0.5 * h);
    }
    return turn;
}

wf_rotation wf_rigid_spin_freely(const wf_rigid *rigid, wf_rotation turn, wf_vec3 momentum, double duration)
{
    enum { MOST_STEPS = 100000 };
    const double largest_angle = 0.1;
    const double moment[3] = {rigid->moments.x, rigid->moments.y, rigid->moments.z};
    static const wf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int middle = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if ((moment[k] - moment[i]) * (moment[k] - moment[j]) <= 0) {
            middle = k;
            break;
        }
    }
    spinner s = {.momentum = momentum};
    double fastest = 0;
    for (int k = 0; k < 2; k++) {
        int i = (middle + 1 + k) % 3;
        s.axis[k] = axes[i];
        s.factor[k] = 1 / moment[i] - 1 / moment[middle];
        fastest = fmax(fastest, fabs(s.factor[k]) * wf_vec3_norm(momentum));
    }
    bool splits = s.factor[0] != 0 && s.factor[1] != 0;
    double count = splits ? fmin(ceil(duration * fastest / largest_angle), MOST_STEPS) : 1;
    for (int k = 0; k < (int)fmax(count, 1); k++) {
        turn = spin_step(&s, turn, duration / fmax(count, 1));
    }
    return wf_rotation_turn(turn, wf_vec3_scale(momentum, duration / moment[middle]));
}
