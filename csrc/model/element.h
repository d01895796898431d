/* element.h - the geometry of one triangle: shape gradients, deformation gradient, polar decomposition. */
#ifndef WEFT_MODEL_ELEMENT_H
#define WEFT_MODEL_ELEMENT_H

#include "base/context.h"
#include "base/wide.h"
#include "fabric/fabric.h"

/* Whether a face can be an element: distinct vertices in range, a finite rest shape with area. The message
 * names the face, counted from 1 as all messages do. */
wf_status wf_check_face(wf_context *context, int32_t vertex_count, int32_t face, const int32_t vertices[3],
                        const wf_vec2 rest[3]);

/* The corner of a face that is a vertex; -1: none is. */
static inline int wf_face_corner(const int32_t face[3], int32_t vertex)
{
    return face[0] == vertex ? 0 : face[1] == vertex ? 1 : face[2] == vertex ? 2 : -1;
}

/* The faces of a sheet and what they are made of, as models get them. */
typedef struct wf_sheet_faces {
    int32_t vertex_count, face_count;
    const int32_t (*faces)[3];
    const wf_vec2 (*rest)[3];
    int32_t fabric_count;
    const wf_fabric *fabrics;
    const int32_t *face_fabric; /* NULL: all 0 */
    const bool *active;         /* [face_count] whether a face has elements, or is but the neighbour of some that have;
                                 * NULL: all have. What spans several faces counts with the share that is active. */
    const double (*fold)[3];    /* [face_count] rest angle over each edge, from corner k to k + 1, rad: positive where
                                 * the faces close towards the side of the normal, as both count it; NULL: flat */
} wf_sheet_faces;

/* wf_check_face for all of them, wf_fabric_check for the fabrics, and that each face has one. */
wf_status wf_check_sheet(wf_context *context, const wf_sheet_faces *sheet);

static inline int32_t wf_sheet_fabric(const wf_sheet_faces *sheet, int32_t face)
{
    return sheet->face_fabric ? sheet->face_fabric[face] : 0;
}

static inline bool wf_sheet_active(const wf_sheet_faces *sheet, int32_t face)
{
    return !sheet->active || sheet->active[face];
}

/* Gradients of the linear shape functions of corners 1 and 2 (1/m); corner 0 has minus their sum. */
typedef struct wf_shape {
    wf_vec2 gradient1, gradient2;
    double area; /* m2 */
} wf_shape;

static inline wf_shape wf_shape_of(const wf_vec2 rest[3])
{
    wf_vec2 a = wf_vec2_sub(rest[1], rest[0]), b = wf_vec2_sub(rest[2], rest[0]);
    double twice = wf_vec2_cross(a, b);
    return (wf_shape){{b.y / twice, -b.x / twice}, {-a.y / twice, a.x / twice}, 0.5 * fabs(twice)};
}

/* F = R U of a 3 x 2 matrix. */
typedef struct wf_polar {
    wf_wide3 r1, r2, normal;   /* orthonormal: the columns of R and their cross product */
    wf_wide u11, u12, u22;     /* symmetric positive semidefinite */
    wf_wide trace, determinant; /* of U */
    wf_wide over_trace, over_determinant;
} wf_polar;

enum { WF_POLAR_NUMBERS = sizeof(wf_polar) / sizeof(wf_wide) };

/* Columns of F from the edges x1 - x0 and x2 - x0. */
static inline wf_wide3 wf_shape_column(wf_wide g1, wf_wide g2, wf_wide3 edge1, wf_wide3 edge2)
{
    return wf_wide3_muladds(wf_wide3_scale(edge1, g1), edge2, g2);
}

/* The decomposition when F has (nearly) lost a dimension: through the eigenvectors of U^2, with the missing direction
 * of R chosen perpendicular to what is left. polar: the numbers of a wf_polar, one after the other. */
void wf_polar_degenerate_numbers(wf_vec3 f1, wf_vec3 f2, double polar[WF_POLAR_NUMBERS]);

#ifndef WF_WIDE_VECTORS
static inline wf_polar wf_polar_degenerate(wf_vec3 f1, wf_vec3 f2)
{
    wf_polar p;
    wf_polar_degenerate_numbers(f1, f2, (double *)&p);
    return p;
}
#endif

/* Closed form: with S = F^T F, d = sqrt(det S), t = sqrt(tr S + 2 d):  U = (S + d I) / t,  U^-1 = (t I - U) / d.
 * Says whether it is to be trusted. */
static inline wf_wide_mask wf_polar_regular(wf_wide3 f1, wf_wide3 f2, wf_polar *p)
{
    wf_wide s11 = wf_wide3_dot(f1, f1), s12 = wf_wide3_dot(f1, f2), s22 = wf_wide3_dot(f2, f2);
    wf_wide3 cross = wf_wide3_cross(f1, f2);
    wf_wide d = wf_wide_sqrt(wf_wide3_dot(cross, cross)); /* sqrt(det S) without its cancellation */
    wf_wide t = wf_wide_sqrt(s11 + s22 + 2.0 * d), over = 1.0 / (t * d), over_t = d * over, over_d = t * over;
    p->trace = t;
    p->determinant = d;
    p->over_trace = over_t;
    p->over_determinant = over_d;
    p->u11 = (s11 + d) * over_t;
    p->u12 = s12 * p->over_trace;
    p->u22 = (s22 + d) * p->over_trace;
    /* t - u11 is u22 and the other way round */
    p->r1 = wf_wide3_scale(wf_wide3_sub(wf_wide3_scale(f1, p->u22), wf_wide3_scale(f2, p->u12)), p->over_determinant);
    p->r2 = wf_wide3_scale(wf_wide3_sub(wf_wide3_scale(f2, p->u11), wf_wide3_scale(f1, p->u12)), p->over_determinant);
    p->normal = wf_wide3_scale(cross, p->over_determinant);
    return (d > 1e-6 * (s11 + s22)) & (over < 1e100);
}

static inline wf_polar wf_polar_of(wf_wide3 f1, wf_wide3 f2)
{
    wf_polar p;
    wf_wide_mask regular = wf_polar_regular(f1, f2, &p), degenerate = regular == 0;
    if (wf_wide_any(degenerate)) {
        /* One by one. */
        const double *a = (const double *)&f1, *b = (const double *)&f2;
        for (int lane = 0; lane < WF_WIDTH; lane++) {
            double numbers[WF_POLAR_NUMBERS];
            if (!wf_wide_mask_lane(degenerate, lane)) {
                continue;
            }
            wf_polar_degenerate_numbers((wf_vec3){a[lane], a[WF_WIDTH + lane], a[2 * WF_WIDTH + lane]},
                                        (wf_vec3){b[lane], b[WF_WIDTH + lane], b[2 * WF_WIDTH + lane]}, numbers);
            for (int k = 0; k < WF_POLAR_NUMBERS; k++) {
                ((double *)&p)[k * WF_WIDTH + lane] = numbers[k];
            }
        }
    }
    return p;
}

#endif
