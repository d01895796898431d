/* box.c - a cuboid. */
#include <stdio.h>

#include "contact/colliders/collider.h"

/* Outside, the way from the nearest point; inside, straight to the nearest side. */
static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    wf_vec3 h = collider->half_size;
    wf_vec3 beyond = wf_vec3_make(fabs(point.x) - h.x, fabs(point.y) - h.y, fabs(point.z) - h.z);
    wf_vec3 side = wf_vec3_make(copysign(1, point.x), copysign(1, point.y), copysign(1, point.z));
    wf_vec3 out = wf_vec3_make(fmax(beyond.x, 0), fmax(beyond.y, 0), fmax(beyond.z, 0));
    double length = wf_vec3_norm(out);
    if (length > 0) {
        *gradient = wf_vec3_scale(wf_vec3_make(side.x * out.x, side.y * out.y, side.z * out.z), 1 / length);
        return length;
    }
    bool along_x = beyond.x >= beyond.y && beyond.x >= beyond.z, along_y = !along_x && beyond.y >= beyond.z;
    *gradient = along_x ? wf_vec3_make(side.x, 0, 0)
                        : (along_y ? wf_vec3_make(0, side.y, 0) : wf_vec3_make(0, 0, side.z));
    return fmax(fmax(beyond.x, beyond.y), beyond.z);
}

static wf_vec3 support(const wf_collider *collider, wf_vec3 direction)
{
    wf_vec3 h = collider->half_size;
    return wf_vec3_make(copysign(h.x, direction.x), copysign(h.y, direction.y), copysign(h.z, direction.z));
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    wf_vec3 h = collider->half_size;
    snprintf(text, size, "size {%.4g, %.4g, %.4g} m", 2 * h.x, 2 * h.y, 2 * h.z);
}

static const wf_collider_class box_class = {
    .name = "box", .symmetry = WF_NO_SYMMETRY, .convex = true, .distance = distance, .slope = 1, .support = support,
    .describe = describe,
};

wf_status wf_collider_create_box(wf_context *context, const wf_collider_def *def, wf_vec3 size,
                                 wf_collider **collider)
{
    wf_status status = wf_collider_check_size(context, "size", fmin(fmin(size.x, size.y), size.z), 1e-6);
    if (status == WF_OK) {
        status = wf_collider_check_size(context, "size", fmax(fmax(size.x, size.y), size.z), 1e-6);
    }
    if (status == WF_OK) {
        status = wf_collider_create(context, &box_class, def, collider);
    }
    if (status == WF_OK) {
        (*collider)->half_size = wf_vec3_scale(size, 0.5);
        (*collider)->reach = 0.5 * wf_vec3_norm(size);
    }
    return status;
}
