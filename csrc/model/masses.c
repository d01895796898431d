/* masses.c - lumped masses. */
#include "model/element.h"
#include "model/membrane.h"

/* Mixed Voronoi areas of a triangle's corners (Meyer, Desbrun, Schroeder and Barr 2003, figure 4): the Voronoi region
 * inside the triangle, or, where the triangle is obtuse, half of its area for the obtuse corner and a quarter each for
 * the others. */
static void mixed_areas(const wf_vec2 rest[3], double areas[3])
{
    double area = 0.5 * fabs(wf_vec2_cross(wf_vec2_sub(rest[1], rest[0]), wf_vec2_sub(rest[2], rest[0])));
    double dot[3], length2[3]; /* of the corner's two edges; squared length of the side opposite to the corner */
    int obtuse = -1;
    for (int k = 0; k < 3; k++) {
        wf_vec2 a = wf_vec2_sub(rest[(k + 1) % 3], rest[k]), b = wf_vec2_sub(rest[(k + 2) % 3], rest[k]);
        wf_vec2 opposite = wf_vec2_sub(b, a);
        dot[k] = wf_vec2_dot(a, b);
        length2[k] = wf_vec2_dot(opposite, opposite);
        if (dot[k] < 0) {
            obtuse = k;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (obtuse >= 0) {
            areas[k] = area * (k == obtuse ? 0.5 : 0.25);
        } else {
            /* 1/8 sum of |side|^2 cot(angle opposite to it), with cot = dot / (2 area) */
            int i = (k + 1) % 3, j = (k + 2) % 3;
            areas[k] = (length2[i] * dot[i] + length2[j] * dot[j]) / (16 * area);
        }
    }
}

wf_status wf_lumped_masses(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                           const wf_vec2 (*rest)[3], const double *density, double *mass)
{
    for (int32_t face = 0; face < face_count; face++) {
        wf_status status = wf_check_face(context, vertex_count, face, faces[face], rest[face]);
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < vertex_count; i++) {
        mass[i] = 0;
    }
    for (int32_t face = 0; face < face_count; face++) {
        double areas[3];
        mixed_areas(rest[face], areas);
        for (int k = 0; k < 3; k++) {
            mass[faces[face][k]] += density[face] * areas[k];
        }
    }
    return WF_OK;
}
