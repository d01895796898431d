/* capsule.c - a segment with a radius. */
#include <stdio.h>

#include "contact/colliders/collider.h"

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    double end = collider->half_size.y;
    wf_vec3 from = wf_vec3_make(point.x, point.y - fmax(fmin(point.y, end), -end), point.z);
    double length = wf_vec3_norm(from);
    *gradient = length > 0 ? wf_vec3_scale(from, 1 / length) : wf_vec3_make(1, 0, 0);
    return length - collider->radius;
}

static wf_vec3 support(const wf_collider *collider, wf_vec3 direction)
{
    return wf_vec3_make(0, copysign(collider->half_size.y, direction.y), 0);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    snprintf(text, size, "length %.4g m, radius %.4g m", 2 * collider->half_size.y, collider->radius);
}

static const wf_collider_class capsule_class = {
    .name = "capsule", .symmetry = WF_ROUND_ABOUT_Y, .convex = true, .distance = distance, .slope = 1,
    .support = support, .describe = describe,
};

wf_status wf_collider_create_capsule(wf_context *context, const wf_collider_def *def, double length, double radius,
                                     wf_collider **collider)
{
    wf_status status = wf_collider_check_size(context, "length", length, 0);
    if (status == WF_OK) {
        status = wf_collider_check_size(context, "radius", radius, 1e-6);
    }
    if (status == WF_OK) {
        status = wf_collider_create(context, &capsule_class, def, collider);
    }
    if (status == WF_OK) {
        (*collider)->radius = (*collider)->rounding = radius;
        (*collider)->half_size.y = 0.5 * length;
        (*collider)->reach = 0.5 * length + radius;
    }
    return status;
}
