/* plane.c - the half-space below a plane. Faces are outside when their vertices are. */
#include <stdio.h>

#include "contact/colliders/collider.h"

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    (void)collider;
    *gradient = wf_vec3_make(0, 1, 0);
    return point.y;
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    wf_vec3 normal = wf_rotation_apply(collider->pose.turn, wf_vec3_make(0, 1, 0));
    snprintf(text, size, "normal {%.3g, %.3g, %.3g}", normal.x, normal.y, normal.z);
}

static const wf_collider_class plane_class = {
    .name = "plane", .symmetry = WF_ROUND_ABOUT_Y, .convex = true, .distance = distance, .slope = 1,
    .describe = describe,
};

wf_status wf_collider_create_plane(wf_context *context, const wf_collider_def *def, wf_collider **collider)
{
    wf_status status = wf_collider_create(context, &plane_class, def, collider);
    if (status == WF_OK) {
        (*collider)->reach = INFINITY;
    }
    return status;
}
