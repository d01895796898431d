/* barrier.c - the barrier and the friction of a pair; see barrier.h. */
#include "contact/barrier.h"

#include "contact/distance.h"

#define PARALLEL_SINE2 1e-3

static wf_pair_distance pair_distance(const wf_vec3 x[4], double distance, const double weight[4])
{
    wf_pair_distance at = {.distance = distance};
    wf_vec3 gap = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        at.weight[k] = weight[k];
        gap = wf_vec3_muladds(gap, wf_vec3_sub(x[k], x[0]), weight[k]); /* from a point of the pair: sum 0 */
    }
    double length = wf_vec3_norm(gap);
    at.normal = length > 0 ? wf_vec3_scale(gap, 1 / length) : wf_vec3_make(0, 1, 0);
    return at;
}

wf_pair_distance wf_vertex_face_closest(const wf_vec3 x[4])
{
    double face[3];
    double distance = wf_vertex_face_distance(x, face);
    return pair_distance(x, distance, (const double[4]){1, -face[0], -face[1], -face[2]});
}

wf_pair_distance wf_edge_edge_closest(const wf_vec3 x[4])
{
    double s, t;
    double distance = wf_edge_edge_distance(x, &s, &t);
    return pair_distance(x, distance, (const double[4]){1 - s, s, t - 1, -t});
}

double wf_parallel_threshold(const wf_vec3 x[4])
{
    return PARALLEL_SINE2 * wf_vec3_norm2(wf_vec3_sub(x[1], x[0])) * wf_vec3_norm2(wf_vec3_sub(x[3], x[2]));
}

/* B, -B' and B'' of the share s of the range that is left. */
static void barrier_of(double s, double *value, double *push, double *curvature)
{
    if (!(s < 1)) {
        *value = *push = *curvature = 0;
    } else if (s > 0) {
        double left = 1 - s, logarithm = log(s), ratio = left / s;
        *value = -left * left * logarithm;
        *push = -2 * left * logarithm + left * ratio;
        *curvature = -2 * logarithm + 4 * ratio + ratio * ratio;
    } else {
        *value = *push = *curvature = INFINITY;
    }
}

wf_barrier_terms wf_barrier_terms_of(const wf_barrier_law *law, const wf_pair_distance *at, const wf_vec3 x[4])
{
    wf_barrier_terms terms = {0};
    double value, push, curvature, range = law->range;
    barrier_of((at->distance - law->offset) / range, &value, &push, &curvature);
    double energy = law->stiffness * range * range * value, fade = 1;
    if (law->parallel > 0 && value > 0) {
        wf_vec3 u = wf_vec3_sub(x[1], x[0]), v = wf_vec3_sub(x[3], x[2]);
        double y = wf_vec3_norm2(wf_vec3_cross(u, v)) / law->parallel;
        if (y < 1) {
            fade = y * (2 - y);
            terms.turn = 4 * (1 - y) / law->parallel * energy;
            terms.u = u;
            terms.v = v;
        }
    }
    terms.energy = fade > 0 ? fade * energy : 0;
    terms.push = fade > 0 ? fade * law->stiffness * range * push : 0;
    terms.along = fade > 0 ? fade * law->stiffness * curvature : 0;
    return terms;
}

/* J_k a: [v] a is v x a. */
static wf_vec3 apply_turn(const wf_barrier_terms *terms, int k, wf_vec3 a)
{
    wf_vec3 edge = k < 2 ? terms->v : terms->u;
    return wf_vec3_scale(wf_vec3_cross(edge, a), k == 0 || k == 3 ? 1 : -1);
}

wf_vec3 wf_barrier_force(const wf_barrier_terms *terms, const wf_pair_distance *at, int k)
{
    wf_vec3 force = wf_vec3_scale(at->normal, at->weight[k] * terms->push);
    if (terms->turn > 0) { /* J^T is -J */
        wf_vec3 cross = wf_vec3_cross(terms->u, terms->v);
        force = wf_vec3_muladds(force, apply_turn(terms, k, cross), terms->turn);
    }
    return force;
}

wf_mat3 wf_barrier_block(const wf_barrier_terms *terms, const wf_pair_distance *at, int i, int j)
{
    wf_mat3 block = wf_mat3_identity_plus_outer(0, terms->along * at->weight[i] * at->weight[j], at->normal,
                                                at->normal);
    if (terms->turn > 0) {
        /* [a]^T [b] = (a . b) I - b a^T */
        wf_vec3 a = i < 2 ? terms->v : terms->u, b = j < 2 ? terms->v : terms->u;
        double turn = (i == 0 || i == 3) == (j == 0 || j == 3) ? terms->turn : -terms->turn;
        block = wf_mat3_muladds(block, wf_mat3_identity_plus_outer(wf_vec3_dot(a, b), -1, b, a), turn);
    }
    return block;
}

double wf_friction_secant(double slide, double stick)
{
    return slide < stick ? (2 - slide / stick) / stick : 1 / slide;
}

double wf_friction_tangent(double slide, double stick)
{
    return slide < stick ? 2 * (1 - slide / stick) / stick : 0;
}

double wf_friction_potential(double slide, double stick)
{
    double share = slide / stick;
    return slide < stick ? stick * (share * share * (1 - share / 3) + 1.0 / 3) : slide;
}
