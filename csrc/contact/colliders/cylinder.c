/* cylinder.c - a solid cylinder with flat ends. */
#include <stdio.h>

#include "contact/colliders/collider.h"

/* In the half-plane through the axis it is a rectangle: distances are those of a box there. */
static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    double from_axis = sqrt(point.x * point.x + point.z * point.z);
    wf_vec3 outward = from_axis > 0 ? wf_vec3_make(point.x / from_axis, 0, point.z / from_axis)
                                    : wf_vec3_make(1, 0, 0);
    wf_vec3 up = wf_vec3_make(0, copysign(1, point.y), 0);
    double across = from_axis - collider->radius, along = fabs(point.y) - collider->half_size.y;
    double out_across = fmax(across, 0), out_along = fmax(along, 0);
    double length = sqrt(out_across * out_across + out_along * out_along);
    if (length > 0) {
        *gradient = wf_vec3_muladds(wf_vec3_scale(outward, out_across / length), up, out_along / length);
        return length;
    }
    *gradient = across >= along ? outward : up;
    return fmax(across, along);
}

static wf_vec3 support(const wf_collider *collider, wf_vec3 direction)
{
    double across = sqrt(direction.x * direction.x + direction.z * direction.z);
    double scale = across > 0 ? collider->radius / across : 0;
    return wf_vec3_make(direction.x * scale, copysign(collider->half_size.y, direction.y), direction.z * scale);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    snprintf(text, size, "length %.4g m, radius %.4g m", 2 * collider->half_size.y, collider->radius);
}

static const wf_collider_class cylinder_class = {
    .name = "cylinder", .symmetry = WF_ROUND_ABOUT_Y, .convex = true, .distance = distance, .slope = 1,
    .support = support, .describe = describe,
};

wf_status wf_collider_create_cylinder(wf_context *context, const wf_collider_def *def, double length, double radius,
                                      wf_collider **collider)
{
    wf_status status = wf_collider_check_size(context, "length", length, 1e-6);
    if (status == WF_OK) {
        status = wf_collider_check_size(context, "radius", radius, 1e-6);
    }
    if (status == WF_OK) {
        status = wf_collider_create(context, &cylinder_class, def, collider);
    }
    if (status == WF_OK) {
        (*collider)->radius = radius;
        (*collider)->half_size.y = 0.5 * length;
        (*collider)->reach = sqrt(0.25 * length * length + radius * radius);
    }
    return status;
}
