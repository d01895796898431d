/* sphere.c - a point with a radius. */
#include <stdio.h>

#include "contact/colliders/collider.h"

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    double length = wf_vec3_norm(point);
    *gradient = length > 0 ? wf_vec3_scale(point, 1 / length) : wf_vec3_make(0, 1, 0);
    return length - collider->radius;
}

static wf_vec3 support(const wf_collider *collider, wf_vec3 direction)
{
    (void)collider;
    (void)direction;
    return wf_vec3_make(0, 0, 0);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    snprintf(text, size, "radius %.4g m", collider->radius);
}

static const wf_collider_class sphere_class = {
    .name = "sphere", .symmetry = WF_ROUND, .convex = true, .distance = distance, .slope = 1, .support = support,
    .describe = describe,
};

wf_status wf_collider_create_sphere(wf_context *context, const wf_collider_def *def, double radius,
                                    wf_collider **collider)
{
    wf_status status = wf_collider_check_size(context, "radius", radius, 1e-6);
    if (status == WF_OK) {
        status = wf_collider_create(context, &sphere_class, def, collider);
    }
    if (status == WF_OK) {
        (*collider)->radius = (*collider)->rounding = (*collider)->reach = radius;
    }
    return status;
}
