/* around_axis.c - capsules and cylinders, round about the y axis. */
#include <stdio.h>

#include "contact/colliders/collider.h"

static void describe(const wf_collider *collider, char *text, size_t size)
{
    snprintf(text, size, "length %.4g m, radius %.4g m", 2 * collider->half_size.y, collider->radius);
}

static wf_status create(wf_context *context, const wf_collider_class *class, const wf_collider_def *def, double length,
                        double least_length, double radius, wf_collider **collider)
{
    wf_status status = wf_collider_check_size(context, "length", length, least_length);
    if (status == WF_OK) {
        status = wf_collider_check_size(context, "radius", radius, 1e-6);
    }
    if (status == WF_OK) {
        status = wf_collider_create(context, class, def, collider);
    }
    if (status == WF_OK) {
        (*collider)->radius = radius;
        (*collider)->half_size.y = 0.5 * length;
    }
    return status;
}

/* ---- capsules: a segment with a radius --------------------------------------------------------------------------- */

static double capsule_distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    double end = collider->half_size.y;
    wf_vec3 from = wf_vec3_make(point.x, point.y - fmax(fmin(point.y, end), -end), point.z);
    double length = wf_vec3_norm(from);
    *gradient = length > 0 ? wf_vec3_scale(from, 1 / length) : wf_vec3_make(1, 0, 0);
    return length - collider->radius;
}

static wf_vec3 capsule_support(const wf_collider *collider, wf_vec3 direction)
{
    return wf_vec3_make(0, copysign(collider->half_size.y, direction.y), 0);
}

static const wf_collider_class capsule_class = {
    .name = "capsule", .symmetry = WF_ROUND_ABOUT_Y, .convex = true, .distance = capsule_distance, .slope = 1,
    .support = capsule_support, .describe = describe,
};

wf_status wf_collider_create_capsule(wf_context *context, const wf_collider_def *def, double length, double radius,
                                     wf_collider **collider)
{
    wf_status status = create(context, &capsule_class, def, length, 0, radius, collider);
    if (status == WF_OK) {
        (*collider)->rounding = radius;
        (*collider)->reach = 0.5 * length + radius;
    }
    return status;
}

/* ---- cylinders with flat ends ------------------------------------------------------------------------------------ */

/* In the half-plane through the axis it is a rectangle: distances are those of a box there. */
static double cylinder_distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
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

static wf_vec3 cylinder_support(const wf_collider *collider, wf_vec3 direction)
{
    double across = sqrt(direction.x * direction.x + direction.z * direction.z);
    double scale = across > 0 ? collider->radius / across : 0;
    return wf_vec3_make(direction.x * scale, copysign(collider->half_size.y, direction.y), direction.z * scale);
}

static const wf_collider_class cylinder_class = {
    .name = "cylinder", .symmetry = WF_ROUND_ABOUT_Y, .convex = true, .distance = cylinder_distance, .slope = 1,
    .support = cylinder_support, .describe = describe,
};

wf_status wf_collider_create_cylinder(wf_context *context, const wf_collider_def *def, double length, double radius,
                                      wf_collider **collider)
{
    wf_status status = create(context, &cylinder_class, def, length, 1e-6, radius, collider);
    if (status == WF_OK) {
        (*collider)->reach = sqrt(0.25 * length * length + radius * radius);
    }
    return status;
}
