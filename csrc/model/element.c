#include "model/element.h"

#include <string.h>

wf_status wf_check_face(wf_context *context, int32_t vertex_count, int32_t face, const int32_t vertices[3],
                        const wf_vec2 rest[3])
{
    double longest2 = 0;
    for (int k = 0; k < 3; k++) {
        int32_t vertex = vertices[k];
        if (vertex < 0 || vertex >= vertex_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "face %d names vertex %d, but there are %d vertices",
                           face + 1, vertex + 1, vertex_count);
        }
        if (vertex == vertices[(k + 1) % 3]) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "face %d has vertex %d twice", face + 1, vertex + 1);
        }
        wf_vec2 edge = wf_vec2_sub(rest[(k + 1) % 3], rest[k]);
        longest2 = fmax(longest2, wf_vec2_dot(edge, edge));
    }
    double twice = fabs(wf_vec2_cross(wf_vec2_sub(rest[1], rest[0]), wf_vec2_sub(rest[2], rest[0])));
    /* Written so that a NaN fails too. */
    if (!(twice > 1e-9 * longest2 && twice > 1e-18 && isfinite(longest2) && isfinite(twice))) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "face %d has no usable rest shape (area %g m2, longest edge %g m)", face + 1,
                       0.5 * twice, sqrt(longest2));
    }
    return WF_OK;
}

wf_status wf_check_sheet(wf_context *context, const wf_sheet_faces *sheet)
{
    for (int32_t i = 0; i < sheet->fabric_count; i++) {
        wf_status status = wf_fabric_check(context, &sheet->fabrics[i]);
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t face = 0; face < sheet->face_count; face++) {
        int32_t fabric = wf_sheet_fabric(sheet, face);
        if (fabric < 0 || fabric >= sheet->fabric_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "face %d names fabric %d of %d", face + 1, fabric + 1,
                           sheet->fabric_count);
        }
        wf_status status = wf_check_face(context, sheet->vertex_count, face, sheet->faces[face], sheet->rest[face]);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

void wf_polar_degenerate_numbers(wf_vec3 f1, wf_vec3 f2, double polar[WF_POLAR_NUMBERS])
{
    double s11 = wf_vec3_norm2(f1), s12 = wf_vec3_dot(f1, f2), s22 = wf_vec3_norm2(f2);
    /* (c, s): eigenvector of the larger eigenvalue of F^T F, by half-angle formulas that do not cancel */
    double half = 0.5 * (s11 - s22), radius = sqrt(half * half + s12 * s12), c = 1, s = 0;
    if (radius > 0 && half >= 0) {
        c = sqrt(0.5 * (1 + half / radius));
        s = s12 / (2 * radius * c);
    } else if (radius > 0) {
        s = copysign(sqrt(0.5 * (1 - half / radius)), s12);
        c = s12 / (2 * radius * s);
    }
    wf_vec3 long_side = wf_vec3_muladds(wf_vec3_scale(f1, c), f2, s);
    wf_vec3 short_side = wf_vec3_muladds(wf_vec3_scale(f2, c), f1, -s);
    double long_stretch = wf_vec3_norm(long_side);
    wf_vec3 a = long_stretch > 1e-100 ? wf_vec3_scale(long_side, 1 / long_stretch) : wf_vec3_make(1, 0, 0);
    wf_vec3 rest = wf_vec3_muladds(short_side, a, -wf_vec3_dot(short_side, a));
    double short_stretch = wf_vec3_norm(rest);
    /* Below rounding the direction of what is left means nothing. */
    wf_vec3 b = short_stretch > 1e-13 * long_stretch && short_stretch > 1e-100 ? wf_vec3_scale(rest, 1 / short_stretch)
                                                                              : wf_vec3_perpendicular(a);
    wf_polar p;
    p.r1 = wf_vec3_sub(wf_vec3_scale(a, c), wf_vec3_scale(b, s));
    p.r2 = wf_vec3_add(wf_vec3_scale(a, s), wf_vec3_scale(b, c));
    p.normal = wf_vec3_cross(a, b);
    p.u11 = c * c * long_stretch + s * s * short_stretch;
    p.u22 = s * s * long_stretch + c * c * short_stretch;
    p.u12 = c * s * (long_stretch - short_stretch);
    p.trace = long_stretch + short_stretch;
    p.determinant = long_stretch * short_stretch;
    p.over_trace = 1 / p.trace;
    p.over_determinant = 1 / p.determinant;
    memcpy(polar, &p, sizeof p);
}
