/* distance.c - closest points of vertex-face and edge-edge pairs; see distance.h. */
#include "contact/distance.h"

/* Below this sin² two edges count as nearly parallel: the system of their closest points has lost half the digits, so
 * the ends are tried as well and its solution is refined. */
#define NEARLY_PARALLEL 1e-6
/* A face whose sin² at its first corner is below this is measured by its edges: its normal has no digits left. */
#define SLIVER 1e-20

static double clamp_unit(double value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Squared distance of the origin from the segment a, a + u; *t is the closest point's parameter. */
static double segment_distance2(wf_vec3 a, wf_vec3 u, double *t)
{
    double uu = wf_vec3_norm2(u);
    *t = uu > 0 ? clamp_unit(-wf_vec3_dot(a, u) / uu) : 0;
    return wf_vec3_norm2(wf_vec3_muladds(a, u, *t));
}

double wf_vertex_face_distance(const wf_vec3 x[4], double weights[3])
{
    /* The face's corners as seen from the vertex. */
    const wf_vec3 corner[3] = {wf_vec3_sub(x[1], x[0]), wf_vec3_sub(x[2], x[0]), wf_vec3_sub(x[3], x[0])};
    wf_vec3 ab = wf_vec3_sub(x[2], x[1]), ac = wf_vec3_sub(x[3], x[1]);
    wf_vec3 normal = wf_vec3_cross(ab, ac);
    double normal2 = wf_vec3_norm2(normal);
    double inside[3] = {-1, -1, -1};
    if (normal2 > SLIVER * wf_vec3_norm2(ab) * wf_vec3_norm2(ac)) {
        for (int k = 0; k < 3; k++) {
            inside[k] = wf_vec3_dot(wf_vec3_cross(corner[(k + 1) % 3], corner[(k + 2) % 3]), normal);
        }
        if (inside[0] > 0 && inside[1] > 0 && inside[2] > 0) {
            double sum = inside[0] + inside[1] + inside[2];
            weights[0] = inside[0] / sum;
            weights[1] = inside[1] / sum;
            weights[2] = inside[2] / sum;
            return fabs(wf_vec3_dot(normal, corner[0])) / sqrt(normal2);
        }
    }
    /* The closest point lies on an edge that has the vertex on its outer side. */
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (inside[k] > 0) {
            continue;
        }
        int from = (k + 1) % 3, to = (k + 2) % 3;
        double t, distance2 = segment_distance2(corner[from], wf_vec3_sub(x[to + 1], x[from + 1]), &t);
        if (distance2 < best) {
            best = distance2;
            weights[k] = 0;
            weights[from] = 1 - t;
            weights[to] = t;
        }
    }
    if (!(best < INFINITY)) { /* not a number, or beyond the range of squares */
        weights[0] = 1;
        weights[1] = weights[2] = 0;
    }
    return sqrt(best);
}

double wf_edge_edge_sine2(const wf_vec3 x[4])
{
    wf_vec3 u = wf_vec3_sub(x[1], x[0]), v = wf_vec3_sub(x[3], x[2]);
    double size = wf_vec3_norm2(u) * wf_vec3_norm2(v);
    return size > 0 ? wf_vec3_norm2(wf_vec3_cross(u, v)) / size : 0;
}

/* Keeps the end of one edge against the whole of the other when that is closer than *best. */
static void try_end(wf_vec3 other_from_end, wf_vec3 other_edge, double end, double *best, double *end_parameter,
                    double *other_parameter)
{
    double parameter, distance2 = segment_distance2(other_from_end, other_edge, &parameter);
    if (distance2 < *best) {
        *best = distance2;
        *end_parameter = end;
        *other_parameter = parameter;
    }
}

double wf_edge_edge_distance(const wf_vec3 x[4], double *s, double *t)
{
    wf_vec3 u = wf_vec3_sub(x[1], x[0]), v = wf_vec3_sub(x[3], x[2]), r = wf_vec3_sub(x[0], x[2]);
    double uu = wf_vec3_norm2(u), uv = wf_vec3_dot(u, v), vv = wf_vec3_norm2(v);
    wf_vec3 cross = wf_vec3_cross(u, v);
    double determinant = wf_vec3_norm2(cross); /* uu vv - uv², without the cancellation */
    if (determinant > NEARLY_PARALLEL * uu * vv) {
        double ur = wf_vec3_dot(u, r), vr = wf_vec3_dot(v, r);
        *s = clamp_unit((uv * vr - ur * vv) / determinant);
        *t = (uv * *s + vr) / vv;
        if (*t <= 0 || *t >= 1) {
            *t = *t > 0;
            *s = clamp_unit((uv * *t - ur) / uu);
        }
        return wf_vec3_norm(wf_vec3_sub(wf_vec3_muladds(r, u, *s), wf_vec3_scale(v, *t)));
    }

    double best = INFINITY;
    *s = *t = 0;
    wf_vec3 minus_r = wf_vec3_scale(r, -1);
    try_end(minus_r, v, 0, &best, s, t);
    try_end(wf_vec3_sub(x[2], x[1]), v, 1, &best, s, t);
    try_end(r, u, 0, &best, t, s);
    try_end(wf_vec3_sub(x[0], x[3]), u, 1, &best, t, s);
    if (determinant > 0) {
        /* Where the lines cross, by the triple product, then once more from the residual. */
        double cs = 0, ct = 0;
        for (int pass = 0; pass < 2; pass++) {
            wf_vec3 q = wf_vec3_sub(wf_vec3_muladds(r, u, cs), wf_vec3_scale(v, ct));
            cs += wf_vec3_dot(wf_vec3_cross(v, q), cross) / determinant;
            ct += wf_vec3_dot(wf_vec3_cross(u, q), cross) / determinant;
        }
        if (cs > 0 && cs < 1 && ct > 0 && ct < 1) {
            double distance2 = wf_vec3_norm2(wf_vec3_sub(wf_vec3_muladds(r, u, cs), wf_vec3_scale(v, ct)));
            if (distance2 < best) {
                best = distance2;
                *s = cs;
                *t = ct;
            }
        }
    }
    return sqrt(best);
}
