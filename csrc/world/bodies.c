/* bodies.c - bodies in a world: their way in a step.
 *
 * A body goes evenly from where the last step left it to where it is to be, and the cloth that it meets goes along.
 * What is told to be far away comes there in one of three ways:
 *
 * - a body that was placed (wf_body_skip_way) is there before the step begins, and what it lands in crosses it: a
 *   warning says where;
 * - one that no cloth is in the way of, and no rigid body, is set there at once, too. What is in the way is told from
 *   boxes, the body's on its way and those of whole cloths;
 * - any other goes as far as LARGEST_BODY_SPEED and LARGEST_BODY_WAY let it, as a whole, and goes on in the next steps;
 *   until then it lags. Contact has to look at all that a body sweeps over: the way bounds what that costs, whatever
 *   the step, and a body that is fast in fact, followed with short steps, keeps its speed.
 */
#include <string.h>

#include "base/box.h"
#include "world/world_state.h"

#define LARGEST_BODY_SPEED 20.0 /* m/s: as pins; in long steps this is farther */
#define LARGEST_BODY_WAY (1 / 3.0) /* m, in a step: those 20 m/s at the usual sixtieth of a second */
#define WHOLE_WAY 1.000001 /* of the farthest: what is left then is rounding */

static wf_box widened(wf_box b, double by)
{
    const wf_vec3 margin = {by, by, by};
    return (wf_box){wf_vec3_sub(b.lower, margin), wf_vec3_add(b.upper, margin)};
}

/* Takes from the times [*from, *to] those at which a + (b - a) t is above 0. */
static void while_above(double a, double b, double *from, double *to)
{
    if (a < 0 && b < 0) {
        *from = INFINITY;
    } else if (a < 0) {
        *from = fmax(*from, a / (a - b));
    } else if (b < 0) {
        *to = fmin(*to, a / (a - b));
    }
}

/* Whether a box whose sides move evenly meets one that rests. Vertices that move evenly stay within such sides. */
static bool box_passes(const wf_box *start, const wf_box *end, const wf_box *rests)
{
    const double *l0 = &start->lower.x, *l1 = &end->lower.x, *u0 = &start->upper.x, *u1 = &end->upper.x;
    const double *lower = &rests->lower.x, *upper = &rests->upper.x;
    double from = 0, to = 1;
    for (int axis = 0; axis < 3; axis++) {
        while_above(upper[axis] - l0[axis], upper[axis] - l1[axis], &from, &to);
        while_above(u0[axis] - lower[axis], u1[axis] - lower[axis], &from, &to);
    }
    return from <= to;
}

/* Whether a body meets neither cloth nor rigid bodies, which stay where they are, on all of its way. */
static bool way_is_free(const wf_world *world, const wf_body_member *member)
{
    const int32_t count = member->body->mesh.vertex_count;
    double near = member->body->thickness;
    for (int32_t i = 0; i < world->vertex_count; i++) {
        near = fmax(near, world->half_thickness[i]);
    }
    const wf_box start = widened(wf_box_of(world->x0 + member->first_vertex, count), 2 * near);
    const wf_box end = widened(wf_box_of(member->body->mesh.positions, count), 2 * near);
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *cloth = &world->cloths[m];
        wf_box rests = wf_box_of(world->x0 + cloth->first_vertex, cloth->cloth->mesh.vertex_count);
        if (box_passes(&start, &end, &rests)) {
            return false;
        }
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        const wf_rigid_member *rigid = &world->rigids[m];
        wf_box rests = wf_box_of(world->x0 + rigid->first_vertex, rigid->rigid->mesh.vertex_count);
        if (box_passes(&start, &end, &rests)) {
            return false;
        }
    }
    return true;
}

/* Sets a body where it is to be, at rest. */
static void set_there(wf_world *world, const wf_body_member *member)
{
    size_t count = (size_t)member->body->mesh.vertex_count;
    memcpy(world->x0 + member->first_vertex, member->body->mesh.positions, count * sizeof *world->x0);
    memcpy(world->x1 + member->first_vertex, member->body->mesh.positions, count * sizeof *world->x1);
    memset(world->v0 + member->first_vertex, 0, count * sizeof *world->v0);
    memset(world->v1 + member->first_vertex, 0, count * sizeof *world->v1);
}

void wf_world_load_bodies(wf_world *world)
{
    for (size_t m = 0; m < world->body_count; m++) {
        wf_body_member *member = &world->bodies[m];
        size_t count = (size_t)member->body->mesh.vertex_count;
        member->now = member->standing;
        member->now.catches |= member->starts_caught;
        memcpy(world->x0 + member->first_vertex, member->positions, count * sizeof *world->x0);
        memcpy(world->v0 + member->first_vertex, member->velocities, count * sizeof *world->v0);
        if (member->jumps != member->body->jumps) {
            set_there(world, member);
        }
    }
}

/* m: what this step goes of the way of the vertex that goes farthest, as seen by what goes `against` (m) in it. */
static double longest_way(const wf_world *world, const wf_body_member *member, wf_vec3 against)
{
    double longest2 = 0;
    for (int32_t i = 0; i < member->body->mesh.vertex_count; i++) {
        wf_vec3 way = wf_vec3_sub(member->body->mesh.positions[i], world->x0[member->first_vertex + i]);
        longest2 = fmax(longest2, wf_vec3_norm2(wf_vec3_sub(wf_vec3_scale(way, member->share), against)));
    }
    return sqrt(longest2);
}

wf_status wf_world_begin_bodies(wf_world *world)
{
    double farthest = fmax(LARGEST_BODY_WAY, LARGEST_BODY_SPEED * world->params.time_step);
    for (size_t m = 0; m < world->body_count; m++) {
        wf_body_member *member = &world->bodies[m];
        member->share = 1;
        if (member->jumps != member->body->jumps) {
            wf_status status = wf_world_check_placed(world, member);
            if (status != WF_OK) {
                return status;
            }
        }
        /* What was placed may be found to be caught only here. */
        member->now.catches |= member->starts_caught;
        double way = longest_way(world, member, (wf_vec3){0, 0, 0});
        if (way > WHOLE_WAY * farthest && way_is_free(world, member)) {
            set_there(world, member);
        } else if (way > WHOLE_WAY * farthest) {
            member->share = farthest / way;
        }
    }
    return WF_OK;
}

static wf_vec3 mean_velocity(const wf_cloth_member *member)
{
    const wf_cloth *cloth = member->cloth;
    wf_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        sum = wf_vec3_add(sum, cloth->velocities[i]);
    }
    return wf_vec3_scale(sum, 1 / fmax(1, cloth->mesh.vertex_count));
}

double wf_world_body_way(const wf_world *world)
{
    double longest = 0;
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        double way = longest_way(world, member, (wf_vec3){0, 0, 0}), against = 0, h = world->params.time_step;
        for (size_t k = 0; way > longest && k < world->cloth_count; k++) {
            wf_vec3 along = wf_vec3_scale(mean_velocity(&world->cloths[k]), h);
            against = fmax(against, longest_way(world, member, along));
        }
        for (size_t k = 0; way > longest && k < world->rigid_count; k++) {
            wf_vec3 along = wf_vec3_scale(world->rigids[k].rigid->velocity, h);
            against = fmax(against, longest_way(world, member, along));
        }
        longest = fmax(longest, fmin(way, against));
    }
    return longest;
}

double wf_world_cloth_way(const wf_world *world)
{
    double longest2 = 0;
    for (size_t m = 0; m < world->body_count || m == 0; m++) {
        wf_vec3 along = {0, 0, 0}; /* m/s: of the body, if there is any */
        if (world->body_count > 0) {
            const wf_body_member *member = &world->bodies[m];
            const int32_t count = member->body->mesh.vertex_count;
            for (int32_t i = 0; i < count; i++) {
                wf_vec3 way = wf_vec3_sub(member->body->mesh.positions[i], world->x0[member->first_vertex + i]);
                along = wf_vec3_muladds(along, way, member->share / (count * world->params.time_step));
            }
        }
        for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
            longest2 = fmax(longest2, wf_vec3_norm2(wf_vec3_sub(world->v0[i], along)));
        }
    }
    return sqrt(longest2) * world->params.time_step;
}

void wf_world_carry_bodies(wf_world *world)
{
    bool ends = world->part == world->time_left && !world->bodies_stopped;
    double part = world->bodies_stopped ? 0 : world->part / world->time_left;
    double done = 1 - world->time_left / world->params.time_step;
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body_member *member = &world->bodies[m];
        /* Of what is left of the step's share of the way, as a part of all that is left of the way. */
        double share = member->share, along = share < 1 ? part * share * (1 - done) / (1 - share * done) : part;
        for (int32_t i = 0; i < member->body->mesh.vertex_count; i++) {
            int32_t k = member->first_vertex + i;
            wf_vec3 target = member->body->mesh.positions[i];
            world->x1[k] = ends && share == 1 ? target : wf_vec3_lerp(world->x0[k], target, along);
            world->v1[k] = wf_vec3_scale(wf_vec3_sub(world->x1[k], world->x0[k]), 1 / world->part);
        }
    }
}

void wf_world_measure_lag(wf_world *world)
{
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body *body = world->bodies[m].body;
        for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
            double lag = wf_vec3_distance(world->x1[world->bodies[m].first_vertex + i], body->mesh.positions[i]);
            world->stats.body_lag = fmax(world->stats.body_lag, lag);
        }
    }
}

void wf_world_store_bodies(wf_world *world)
{
    for (size_t m = 0; m < world->body_count; m++) {
        wf_body_member *member = &world->bodies[m];
        size_t count = (size_t)member->body->mesh.vertex_count;
        memcpy(member->positions, world->x1 + member->first_vertex, count * sizeof *world->x1);
        memcpy(member->velocities, world->v1 + member->first_vertex, count * sizeof *world->v1);
        member->jumps = member->body->jumps;
        member->standing = member->now;
        member->starts_caught = member->starts_caught && world->unbreakable; /* a trial leaves it to the step */
    }
}
