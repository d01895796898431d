/* continuous.c - additive continuous collision detection; see continuous.h. */
#include "contact/continuous.h"

#include "contact/distance.h"

/* Pairs that slide along each other at a small gap take many small steps; called impacts, they would be held back. */
enum { MOST_ITERATIONS = 2048 };

/* Positions and distances err by a few units in the last place of the pair's extent; this is some hundred of them. */
#define ROUNDING_GUARD 1e-13

static double vertex_face(const wf_vec3 x[4])
{
    double weights[3];
    return wf_vertex_face_distance(x, weights);
}

static double edge_edge(const wf_vec3 x[4])
{
    double s, t;
    return wf_edge_edge_distance(x, &s, &t);
}

/* `first` points make up the first primitive; the others the second. */
static bool impact(double (*distance_of)(const wf_vec3 x[4]), int first, const wf_vec3 x0[4], const wf_vec3 x1[4],
                   double separation, double *time)
{
    wf_vec3 start[4], motion[4], mean = {0, 0, 0};
    double size = 0, fastest[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        start[k] = wf_vec3_sub(x0[k], x0[0]);
        motion[k] = wf_vec3_sub(x1[k], x0[k]);
        mean = wf_vec3_muladds(mean, motion[k], 0.25);
        size = fmax(size, wf_vec3_norm(start[k]) + wf_vec3_norm(motion[k]));
    }
    for (int k = 0; k < 4; k++) {
        motion[k] = wf_vec3_sub(motion[k], mean);
        fastest[k >= first] = fmax(fastest[k >= first], wf_vec3_norm(motion[k]));
    }
    double guard = ROUNDING_GUARD * size;
    double approach = fastest[0] + fastest[1]; /* the most that the distance can shrink over the step */
    double distance = distance_of(start);
    double kept = fmin(separation, WF_KEPT_DISTANCE * distance);
    /* Near enough to call it an impact; otherwise the last iterations would creep. */
    double near_enough = guard + 0.05 * fmin(kept, distance - kept);

    *time = 0;
    if (distance <= guard) {
        return true;
    }
    if (approach == 0) {
        return false;
    }
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        double gap = distance - kept;
        if (gap <= near_enough) {
            return true;
        }
        if (gap - guard > (1 - *time) * approach) {
            return false;
        }
        *time += (gap - guard) / approach;
        wf_vec3 x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = wf_vec3_muladds(start[k], motion[k], *time);
        }
        distance = distance_of(x);
    }
    return true;
}

bool wf_vertex_face_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], double separation, double *time)
{
    return impact(vertex_face, 1, x0, x1, separation, time);
}

bool wf_edge_edge_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], double separation, double *time)
{
    return impact(edge_edge, 2, x0, x1, separation, time);
}
