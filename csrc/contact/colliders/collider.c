/* collider.c - what all kinds of colliders share; see collider.h. */
#include "contact/colliders/collider.h"

#include "base/tasks.h"

static const double largest_thickness = 0.1, largest_friction = 10, largest_size = 1e5;

enum { POINT_BLOCK = 256 };

wf_collider_def wf_default_collider_def(void)
{
    return (wf_collider_def){.thickness = 0.0005, .friction = 0.4, .pose.turn = wf_rotation_identity()};
}

wf_status wf_collider_check_size(wf_context *context, const char *name, double size, double least)
{
    if (size >= least && size <= largest_size) {
        return WF_OK;
    }
    return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be from %g to %g m, got %g", name, least, largest_size, size);
}

wf_status wf_collider_check_place(wf_context *context, const char *name, wf_vec3 p)
{
    if (fabs(p.x) <= largest_size && fabs(p.y) <= largest_size && fabs(p.z) <= largest_size) {
        return WF_OK;
    }
    return wf_fail(context, WF_ERROR_ARGUMENT, "%s must have coordinates from %g to %g m, got {%g, %g, %g}", name,
                   -largest_size, largest_size, p.x, p.y, p.z);
}

wf_status wf_collider_create(wf_context *context, const wf_collider_class *class, const wf_collider_def *def,
                             wf_collider **collider)
{
    *collider = NULL;
    wf_collider *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    made->context = context;
    made->reference_count = 1;
    made->class = class;
    wf_status status = wf_collider_set_thickness(made, def->thickness);
    if (status == WF_OK) {
        status = wf_collider_set_friction(made, def->friction);
    }
    if (status == WF_OK) {
        status = wf_collider_place(made, &def->pose);
    }
    *collider = made;
    return wf_collider_finish(status, collider);
}

wf_status wf_collider_finish(wf_status status, wf_collider **collider)
{
    if (status != WF_OK) {
        wf_collider_release(*collider);
        *collider = NULL;
    }
    return status;
}

wf_collider *wf_collider_retain(wf_collider *collider)
{
    if (collider) {
        collider->reference_count++;
    }
    return collider;
}

void wf_collider_release(wf_collider *collider)
{
    if (!collider || --collider->reference_count > 0) {
        return;
    }
    if (collider->samples) {
        collider->class->free_samples(collider->context, collider->samples);
    }
    wf_free(collider->context, collider);
}

wf_status wf_collider_set_thickness(wf_collider *collider, double thickness)
{
    if (!(thickness >= 0 && thickness <= largest_thickness)) {
        return wf_fail(collider->context, WF_ERROR_ARGUMENT, "thickness must be from 0 to %g m, got %g",
                       largest_thickness, thickness);
    }
    collider->thickness = thickness;
    return WF_OK;
}

wf_status wf_collider_set_porosity(wf_collider *collider, double porosity)
{
    if (!(porosity >= 0 && porosity <= 1)) {
        return wf_fail(collider->context, WF_ERROR_ARGUMENT, "porosity must be from 0 to 1, got %g", porosity);
    }
    collider->porosity = porosity;
    return WF_OK;
}

wf_status wf_collider_set_friction(wf_collider *collider, double friction)
{
    if (!(friction >= 0 && friction <= largest_friction)) {
        return wf_fail(collider->context, WF_ERROR_ARGUMENT, "friction must be from 0 to %g, got %g", largest_friction,
                       friction);
    }
    collider->friction = friction;
    return WF_OK;
}

/* To length 1; false where that cannot be: zero, or not finite. */
static bool normalize(wf_rotation *q)
{
    double largest = fmax(fabs(q->w), fmax(fabs(q->v.x), fmax(fabs(q->v.y), fabs(q->v.z))));
    double length = sqrt(q->w * q->w + wf_vec3_norm2(q->v));
    *q = (wf_rotation){q->w / length, {q->v.x / length, q->v.y / length, q->v.z / length}};
    return largest >= 1e-100 && largest <= 1e100 && isfinite(length);
}

wf_status wf_collider_move(wf_collider *collider, const wf_pose *pose)
{
    wf_pose given = *pose;
    wf_status status = wf_collider_check_place(collider->context, "position", given.centre);
    if (status != WF_OK) {
        return status;
    }
    if (!normalize(&given.turn)) {
        wf_rotation q = pose->turn;
        return wf_fail(collider->context, WF_ERROR_ARGUMENT, "orientation must be a quaternion {x, y, z, w} whose "
                       "largest number is from 1e-100 to 1e+100, got {%g, %g, %g, %g}", q.v.x, q.v.y, q.v.z, q.w);
    }
    collider->pose = given;
    return WF_OK;
}

wf_status wf_collider_place(wf_collider *collider, const wf_pose *pose)
{
    wf_status status = wf_collider_move(collider, pose);
    collider->jumps += status == WF_OK;
    return status;
}

double wf_collider_distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    wf_vec3 local;
    double distance = collider->class->distance(collider, wf_pose_to_local(&collider->pose, point), &local);
    *gradient = wf_rotation_apply(collider->pose.turn, local);
    return distance;
}

typedef struct query {
    const wf_collider *collider;
    const wf_vec3 *points;
    double *distances;
    wf_vec3 *gradients;
} query;

static void answer_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const query *q = user;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 gradient;
        q->distances[i] = wf_collider_distance(q->collider, q->points[i], &gradient);
        if (q->gradients) {
            q->gradients[i] = gradient;
        }
    }
}

void wf_collider_distances(const wf_collider *collider, size_t count, const wf_vec3 *points, double *distances,
                           wf_vec3 *gradients)
{
    query q = {collider, points, distances, gradients};
    wf_parallel_for(collider->context, count, POINT_BLOCK, answer_block, &q);
}
