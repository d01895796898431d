/* provot.c - see provot.h. */
#include "step/provot.h"

/* Elongations within this of the limit count as on it: the corrections leave rounding behind. */
static const double SLACK = 1e-12;

static void move(int32_t vertex, wf_vec3 by, double h, wf_vec3 *x, wf_vec3 *v)
{
    x[vertex] = wf_vec3_add(x[vertex], by);
    if (v) {
        v[vertex] = wf_vec3_muladds(v[vertex], by, 1 / h);
    }
}

static double inverse_mass(const wf_provot *p, int32_t vertex)
{
    return p->prescribed && p->prescribed[3 * vertex] ? 0 : 1 / p->masses[vertex];
}

/* Whether any edge was too long. */
static bool sweep(const wf_provot *p, double h, wf_vec3 *x, wf_vec3 *v)
{
    bool corrected = false;
    for (int32_t e = 0; e < p->edge_count; e++) {
        int32_t i = p->edges[e][0], j = p->edges[e][1];
        wf_vec3 d = wf_vec3_sub(x[j], x[i]);
        double square = wf_vec3_norm2(d), most = (1 + p->limit) * p->rest_lengths[e], slack = most * (1 + SLACK);
        if (!(most > 0 && square > slack * slack)) {
            continue;
        }
        double length = sqrt(square);
        double a = inverse_mass(p, i), b = inverse_mass(p, j);
        if (a + b > 0) {
            wf_vec3 excess = wf_vec3_scale(d, (length - most) / (length * (a + b)));
            move(i, wf_vec3_scale(excess, a), h, x, v);
            move(j, wf_vec3_scale(excess, -b), h, x, v);
            corrected = true;
        }
    }
    return corrected;
}

int32_t wf_provot_correct(const wf_provot *provot, double h, wf_vec3 *x, wf_vec3 *v, double *elongation)
{
    int32_t made = 0;
    while (made < provot->sweeps && sweep(provot, h, x, v)) {
        made++;
    }
    if (elongation) {
        double most = -1;
        for (int32_t e = 0; e < provot->edge_count; e++) {
            if (provot->rest_lengths[e] > 0) {
                double length = wf_vec3_distance(x[provot->edges[e][0]], x[provot->edges[e][1]]);
                most = fmax(most, length / provot->rest_lengths[e] - 1);
            }
        }
        *elongation = most;
    }
    return made;
}
