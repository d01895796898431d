/* rigids.c - rigid bodies in a world: their rows, their surfaces, and how they get from the solve through the door.
 *
 * The solve gives each body the velocity that forces and resting contacts leave it, with the inertia that it has as the
 * step begins. What turns its axes without torque follows after: from there on it spins freely with the angular
 * momentum that the solve found, exactly and so without a gyroscopic term whose linearisation would gain or lose
 * energy. The door gets the pose that this leads to.
 */
#include "contact/free_motion.h"
#include "contact/rigid_impacts.h"
#include "world/world_state.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

void wf_world_count_rigids(wf_world *world, int64_t *vertices, int64_t *faces)
{
    world->weighed_count = (int32_t)(*vertices + (int64_t)world->rigid_count);
    *vertices += 2 * (int64_t)world->rigid_count;
    world->row_count = (int32_t)*vertices;
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid_member *member = &world->rigids[k];
        member->first_vertex = (int32_t)*vertices;
        *vertices += member->rigid->mesh.vertex_count;
        *faces += member->rigid->mesh.face_count;
    }
    world->moving_count = (int32_t)*vertices;
}

/* m: how far the faces' planes lie inside of the sphere, at most. */
static double roundness_of(const wf_rigid *rigid)
{
    double nearest = rigid->radius;
    for (int32_t f = 0; f < rigid->mesh.face_count && rigid->radius > 0; f++) {
        const int32_t *v = rigid->mesh.faces[f];
        wf_vec3 a = rigid->local[v[0]];
        wf_vec3 normal = wf_vec3_cross(wf_vec3_sub(rigid->local[v[1]], a), wf_vec3_sub(rigid->local[v[2]], a));
        nearest = fmin(nearest, wf_vec3_dot(wf_vec3_normalize(normal), a));
    }
    return rigid->radius - nearest;
}

static double least_moment(const wf_rigid *rigid)
{
    return fmin(rigid->moments.x, fmin(rigid->moments.y, rigid->moments.z));
}

wf_status wf_world_gather_rigids(wf_world *world, int32_t (*faces)[3], int32_t *classes)
{
    world->rigid_motions = wf_allocate(world->context, world->rigid_count, sizeof *world->rigid_motions);
    if (!world->rigid_motions) {
        return WF_ERROR_MEMORY;
    }
    world->roundness = 0;
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid_member *member = &world->rigids[k];
        const wf_rigid *rigid = member->rigid;
        int32_t first = member->first_vertex;
        member->thickness = rigid->thickness;
        member->friction = rigid->friction;
        for (int32_t f = 0; f < rigid->mesh.face_count; f++, faces++) {
            for (int c = 0; c < 3; c++) {
                (*faces)[c] = first + rigid->mesh.faces[f][c];
            }
        }
        for (int32_t i = first; i < first + rigid->mesh.vertex_count; i++) {
            classes[i] = first;
            world->half_thickness[i] = world->neighbour_half_thickness[i] = rigid->thickness;
            world->friction[i] = rigid->friction;
            if (world->material) {
                world->material[i] = wf_world_material(world, rigid->name);
            }
        }
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        classes[row.centre] = row.centre;
        classes[row.turn] = row.turn;
        world->mass[row.centre] = rigid->mass;
        world->mass[row.turn] = least_moment(rigid);
        world->roundness = fmax(world->roundness, 2 * roundness_of(rigid));
    }
    return WF_OK;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

/* What follows from a body's pose and motion when a step, or a part of one, begins. */
static void start_rigid(wf_world *world, size_t k, wf_pose pose, wf_vec3 velocity, wf_vec3 spin)
{
    const wf_vec3 none = {0, 0, 0};
    wf_rigid_member *member = &world->rigids[k];
    const wf_rigid *rigid = member->rigid;
    const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
    double least = least_moment(rigid);
    member->excess = wf_mat3_muladds(wf_rigid_inertia(rigid, pose.turn), wf_mat3_identity_plus_outer(1, 0, none, none),
                                     -least);
    member->inverse_inertia = wf_rigid_inverse_inertia(rigid, pose.turn);
    world->x0[row.centre] = world->x0[row.turn] = none;
    world->v0[row.centre] = velocity;
    world->v0[row.turn] = spin;
    world->inverse_mass[row.centre] = 1 / rigid->mass;
    world->inverse_mass[row.turn] = 1 / least;
    world->rigid_motions[k] = (wf_contact_rigid){.first_vertex = member->first_vertex,
                                                 .vertex_count = rigid->mesh.vertex_count,
                                                 .local = member->depth > 0 ? member->smaller : rigid->local,
                                                 .radius = fmax(0, rigid->radius - member->depth),
                                                 .thickness = rigid->thickness,
                                                 .from = pose,
                                                 .to = pose,
                                                 .end = pose};
    wf_contact_rigid_place(&world->rigid_motions[k], &pose, world->x0);
    for (int32_t i = member->first_vertex; i < member->first_vertex + rigid->mesh.vertex_count; i++) {
        world->v0[i] = wf_vec3_add(velocity, wf_vec3_cross(spin, wf_vec3_sub(world->x0[i], pose.centre)));
    }
}

/* A body that no part of a step frees would be tried in sixteen in each. So it is not, once that was in vain, until it
 * moves; and now and then, since something else may have made room. */
#define TRIED_AGAIN 32     /* steps */
#define STUCK WF_TOUCHING  /* m: who goes no farther in a step */

bool wf_world_rigids_slowed(const wf_world *world)
{
    bool any = false;
    for (size_t k = 0; k < world->rigid_count; k++) {
        any = any || (world->rigid_motions[k].slowed && world->rigids[k].now.stuck % TRIED_AGAIN == 0);
    }
    return any;
}

/* m: of any point of a body, at most. */
static double way_between(const wf_rigid *rigid, const wf_pose *from, const wf_pose *to)
{
    return wf_vec3_distance(from->centre, to->centre) + rigid->reach * wf_vec3_norm(wf_pose_turning(from, to));
}

/* Steps after this one. */
static uint8_t count_stuck(const wf_world *world, size_t k, const wf_pose *start)
{
    const wf_rigid_member *member = &world->rigids[k];
    const wf_contact_rigid *motion = &world->rigid_motions[k];
    bool stuck = member->slowed && way_between(member->rigid, start, &motion->to) < STUCK;
    return stuck ? member->now.stuck % TRIED_AGAIN + 1 : 0;
}

/* Pushed by a script it may get free. */
static bool is_pushed(const wf_world *world, const wf_rigid *rigid)
{
    double speed = wf_vec3_norm(rigid->velocity) + rigid->reach * wf_vec3_norm(rigid->spin);
    return speed * world->params.time_step > STUCK;
}

void wf_world_load_rigids(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_rigid *rigid = world->rigids[k].rigid;
        const wf_vec3 centre = wf_vec3_add(rigid->centre, world->rigids[k].nudge);
        start_rigid(world, k, (wf_pose){centre, rigid->turn}, rigid->velocity, rigid->spin);
        world->rigids[k].now = world->rigids[k].standing;
        world->rigids[k].slowed = false;
        world->rigids[k].now.catches |= world->rigids[k].starts_caught;
        world->rigids[k].now.overlaps |= world->rigids[k].starts_overlapping;
        world->rigids[k].now.parting |= world->rigids[k].starts;
        if (world->rigids[k].starts || is_pushed(world, rigid)) {
            world->rigids[k].now.stuck = 0;
        }
    }
}

void wf_world_go_on_with_rigids(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        start_rigid(world, k, world->rigid_motions[k].to, world->v1[row.centre], world->v1[row.turn]);
    }
}

void wf_world_begin_rigid_motion(wf_world *world)
{
    double h = world->part;
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_rigid_member *member = &world->rigids[k];
        const wf_rigid *rigid = member->rigid;
        wf_contact_rigid *motion = &world->rigid_motions[k];
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        wf_vec3 *spin = &world->v1[row.turn];
        wf_vec3 momentum = wf_mat3_mulv(wf_rigid_inertia(rigid, motion->from.turn), *spin);
        motion->to.centre = wf_vec3_add(motion->from.centre, world->x1[row.centre]);
        motion->to.turn = wf_rigid_spin_freely(rigid, motion->from.turn, momentum, h);
        *spin = wf_mat3_mulv(wf_rigid_inverse_inertia(rigid, motion->to.turn), momentum);
        motion->end = motion->to;
        motion->inverse_mass = 1 / rigid->mass;
        motion->inverse_inertia = member->inverse_inertia;
        motion->held = motion->slowed = false;
        motion->pushed = motion->turned = (wf_vec3){0, 0, 0};
        wf_contact_rigid_place(motion, &motion->to, world->x1);
        /* To the scene rows are vertices that belong to no face: they stay. */
        world->x1[row.centre] = world->x1[row.turn] = (wf_vec3){0, 0, 0};
    }
}

/* What is left of a motion that dies away, once squares of it are too small for numbers. */
static wf_vec3 ended(wf_vec3 motion)
{
    const double least2 = 1e-200; /* m^2/s^2, and rad^2/s^2 */
    return wf_vec3_norm2(motion) < least2 ? (wf_vec3){0, 0, 0} : motion;
}

void wf_world_end_rigid_motion(wf_world *world)
{
    double h = world->part;
    for (size_t k = 0; k < world->rigid_count; k++) {
        const wf_contact_rigid *motion = &world->rigid_motions[k];
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        world->rigids[k].slowed = world->rigids[k].slowed || motion->slowed;
        wf_vec3 *velocity = &world->v1[row.centre], *spin = &world->v1[row.turn];
        if (motion->held) {
            *velocity = wf_vec3_scale(wf_vec3_sub(motion->to.centre, motion->from.centre), 1 / h);
            *spin = wf_vec3_scale(wf_pose_turning(&motion->from, &motion->to), 1 / h);
        } else {
            *velocity = wf_vec3_muladds(*velocity, motion->pushed, 1 / h);
            *spin = wf_vec3_muladds(*spin, motion->turned, 1 / h);
        }
        *velocity = ended(*velocity);
        *spin = ended(*spin);
    }
}

void wf_world_store_rigids(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid *rigid = world->rigids[k].rigid;
        const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)k);
        const wf_pose start = {wf_vec3_add(rigid->centre, world->rigids[k].nudge), rigid->turn};
        world->rigids[k].now.stuck = count_stuck(world, k, &start);
        rigid->velocity = world->v1[row.centre];
        rigid->spin = world->v1[row.turn];
        wf_rigid_place(rigid, world->rigid_motions[k].to.centre, world->rigid_motions[k].to.turn);
        world->rigids[k].left = (wf_pose){rigid->centre, rigid->turn};
        world->rigids[k].standing = world->rigids[k].now;
        world->rigids[k].starts_caught = world->rigids[k].starts_overlapping = world->rigids[k].starts = false;
        world->rigids[k].nudge = (wf_vec3){0, 0, 0};
        world->rigids[k].stored_depth = world->rigids[k].depth;
    }
}

double wf_world_rigid_speed2(const wf_world *world, size_t index)
{
    const wf_rigid_rows row = wf_world_rigid_rows(world, (int32_t)index);
    double reach = world->rigids[index].rigid->reach;
    double speed = wf_vec3_norm(world->v1[row.centre]) + reach * wf_vec3_norm(world->v1[row.turn]);
    return speed * speed;
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

/* A point of a body, as it moves. */
typedef struct moving_point {
    wf_vec3 start, arm; /* m; the arm from the centre at the end of the step */
    double below;       /* m: how deep it is below what the door lets it come to, or 0 */
} moving_point;

/* The deepest vertex of a body, or the lowest point of a sphere. */
static moving_point deepest_point(const wf_world *world, size_t k)
{
    const wf_contact_rigid *motion = &world->rigid_motions[k];
    moving_point deepest = {.below = 0};
    int32_t count = motion->radius > 0 ? 1 : motion->vertex_count;
    for (int32_t i = 0; i < count; i++) {
        moving_point point = {.start = world->x0[motion->first_vertex + i],
                              .arm = wf_rotation_apply(motion->end.turn, motion->local[i])};
        if (motion->radius > 0) {
            point.arm = (wf_vec3){0, -motion->radius, 0};
            point.start = wf_vec3_add(motion->from.centre, point.arm);
        }
        double lowest = fmin(world->params.floor_height + 0.1 * motion->thickness, point.start.y);
        point.below = lowest - (motion->end.centre.y + point.arm.y);
        deepest = point.below > deepest.below ? point : deepest;
    }
    return deepest;
}

/* An inelastic impulse with friction at one point, as between the pairs of the scene (contact/impulses.c). */
static void push_off_floor(const wf_world *world, wf_contact_rigid *motion, const moving_point *point)
{
    const wf_vec3 up = {0, 1, 0};
    wf_vec3 way = wf_vec3_sub(wf_vec3_add(motion->end.centre, point->arm), point->start);
    double start = point->start.y - world->params.floor_height;
    double rise = fmin(start, WF_RIGID_REST * motion->thickness) - (start + way.y);
    wf_rigid_arm arm = {motion, 1, point->arm};
    double push = rise / wf_rigid_arm_mobility(&arm, up);
    wf_vec3 slide = {way.x, 0, way.z}, impulse = wf_vec3_scale(up, push);
    double sliding = wf_vec3_norm(slide);
    if (sliding > 0) {
        double most = sliding / wf_rigid_arm_mobility(&arm, wf_vec3_normalize(slide));
        impulse = wf_vec3_muladds(impulse, slide, -fmin(world->params.floor_friction * push, most) / sliding);
    }
    wf_rigid_arm_push(&arm, impulse);
}

bool wf_world_keep_rigids_above_floor(wf_world *world, wf_vec3 *x1, bool firmly)
{
    enum { MOST_IMPULSES = 20 };
    bool any = false;
    for (size_t k = 0; world->params.floor && k < world->rigid_count; k++) {
        wf_contact_rigid *motion = &world->rigid_motions[k];
        moving_point point = deepest_point(world, k);
        if (point.below == 0) {
            continue;
        }
        for (int i = 0; i < MOST_IMPULSES && point.below > 0 && !firmly && motion->inverse_mass > 0; i++) {
            push_off_floor(world, motion, &point);
            point = deepest_point(world, k);
        }
        if (firmly) {
            motion->end = motion->from;
            motion->held = motion->slowed = true;
        } else {
            motion->end.centre.y += point.below;
            motion->pushed.y += point.below;
        }
        motion->to = motion->end;
        motion->moved = false;
        wf_contact_rigid_place(motion, &motion->to, x1);
        any = true;
    }
    return any;
}
