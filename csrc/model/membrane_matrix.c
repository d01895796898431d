#include "model/membrane_matrix.h"

/* ---- the form -------------------------------------------------------------------------------------------------- */

/* Removes the negative eigenvalue of [[a, b], [b, c]], if any. */
static void clamp_symmetric2(double *a, double *b, double *c)
{
    double mean = 0.5 * (*a + *c), half = 0.5 * (*a - *c), radius = sqrt(half * half + *b * *b);
    if (mean - radius >= 0) {
        return;
    }
    if (mean + radius <= 0) {
        *a = *b = *c = 0;
        return;
    }
    /* the positive eigenvalue times its projector (1/2)(I + [[half, b], [b, -half]] / radius) */
    double scale = 0.5 * (mean + radius), over = 1 / radius;
    *a = scale * (1 + half * over);
    *c = scale * (1 - half * over);
    *b = scale * *b * over;
}

/* Removes the negative eigenvalue of the form in the orthonormal coordinates (sqrt2 spin, dU11, dU22, sqrt2 dU12) of
 * dF near U = I. The matrix is [[g, l], [l, C]] with C positive definite; its only negative eigenvalue is the root of
 *     phi(x) = g - x - l^T (C - x)^-1 l,
 * which falls and is concave for x < 0: Newton from the right of the root converges without overshooting. */
static void remove_negative_eigenvalue(wf_tangent *t)
{
    const double c11 = t->strain[0][0], c12 = t->strain[0][1], c22 = t->strain[1][1], c33 = 2 * t->strain[2][2];
    const double root2 = 1.4142135623730951;
    const double g = 0.5 * t->spin, l1 = t->coupling[0] / root2, l2 = t->coupling[1] / root2, l3 = t->coupling[2];
    /* The smallest eigenvalue of a 2 x 2 part is never below that of the whole: phi <= 0 at the start. */
    const double negligible = -1e-12 * (c11 + c22);
    double x = fmin(0.5 * (g + c33) - sqrt(0.25 * (g - c33) * (g - c33) + l3 * l3), negligible);
    double v1 = 0, v2 = 0, v3 = 0;
    for (int round = 0; round < 12; round++) {
        double a = c11 - x, b = c22 - x, over = 1 / (a * b - c12 * c12);
        v1 = -(b * l1 - c12 * l2) * over;
        v2 = -(a * l2 - c12 * l1) * over;
        v3 = -l3 / (c33 - x);
        double phi = g - x + l1 * v1 + l2 * v2 + l3 * v3;
        if (phi > 0 && x == negligible) {
            return;
        }
        double step = phi / (1 + v1 * v1 + v2 * v2 + v3 * v3);
        if (step > 1e-10 * x) {
            break;
        }
        x += step;
    }
    /* The form gains -x v v^T with v = (1, v1, v2, v3), normalised. */
    double gain = -x / (1 + v1 * v1 + v2 * v2 + v3 * v3);
    t->spin += 2 * gain;
    t->coupling[0] += root2 * gain * v1;
    t->coupling[1] += root2 * gain * v2;
    t->coupling[2] += gain * v3;
    v3 /= root2; /* sqrt2 dU12 = (2 dU12) / sqrt2 */
    t->strain[0][0] += gain * v1 * v1;
    t->strain[0][1] += gain * v1 * v2;
    t->strain[1][0] = t->strain[0][1];
    t->strain[1][1] += gain * v2 * v2;
    t->strain[0][2] = t->strain[2][0] = gain * v1 * v3;
    t->strain[1][2] = t->strain[2][1] = gain * v2 * v3;
    t->strain[2][2] += gain * v3 * v3;
}

void wf_membrane_tangent(const wf_polar *p, const wf_stress *s, const double moduli[4], bool semidefinite,
                         wf_tangent *t)
{
    double w = wf_stress_spin(p, s);
    *t = (wf_tangent){.strain = {{moduli[0], moduli[1], 0}, {moduli[1], moduli[2], 0}, {0, 0, moduli[3]}}};
    t->spin = s->s11 * p->u11 + 2 * s->s12 * p->u12 + s->s22 * p->u22;
    t->coupling[0] = w - s->s12;
    t->coupling[1] = w + s->s12;
    t->coupling[2] = 0.5 * (s->s11 - s->s22);
    /* U^-1 (s - w J), with U^-1 = [[u22, -u12], [-u12, u11]] / det U; symmetric by the choice of w. A needle's
     * determinant is bounded from below: its true value is of no use to a linear solve. */
    double over = 1 / fmax(p->determinant, 1e-3 * (semidefinite ? 1 : 1e-9));
    t->normal11 = (p->u22 * s->s11 - p->u12 * (s->s12 - w)) * over;
    t->normal12 = (p->u22 * (s->s12 + w) - p->u12 * s->s22) * over;
    t->normal22 = (p->u11 * s->s22 - p->u12 * (s->s12 + w)) * over;
    if (!semidefinite) {
        return;
    }
    clamp_symmetric2(&t->normal11, &t->normal12, &t->normal22);
    /* Positive semidefinite already when spin >= l^T C^-1 l; written without division. */
    double l1 = t->coupling[0], l2 = t->coupling[1], l3 = t->coupling[2];
    double determinant = moduli[0] * moduli[2] - moduli[1] * moduli[1];
    double plane = moduli[2] * l1 * l1 - 2 * moduli[1] * l1 * l2 + moduli[0] * l2 * l2;
    if (t->spin * determinant * moduli[3] < plane * moduli[3] + l3 * l3 * determinant || t->spin < 0) {
        remove_negative_eigenvalue(t);
    }
}

void wf_tangent_scale(wf_tangent *t, double scale)
{
    t->spin *= scale;
    for (int i = 0; i < 3; i++) {
        t->coupling[i] *= scale;
        for (int j = 0; j < 3; j++) {
            t->strain[i][j] *= scale;
        }
    }
    t->normal11 *= scale;
    t->normal12 *= scale;
    t->normal22 *= scale;
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

/* How a corner's displacement along r1 and r2 changes (spin, U11, U22, 2 U12): rows of a 4 x 2 matrix. */
static void strain_rows(wf_vec2 g, const wf_polar *p, bool frozen, double rows[4][2])
{
    if (frozen) {
        const double sym[4][2] = {{0, 0}, {g.x, 0}, {0, g.y}, {g.y, g.x}};
        for (int i = 0; i < 4; i++) {
            rows[i][0] = sym[i][0];
            rows[i][1] = sym[i][1];
        }
        return;
    }
    double over = 1 / fmax(p->trace, WF_LEAST_TRACE), gx = g.x * over, gy = g.y * over;
    rows[0][0] = -gy;
    rows[0][1] = gx;
    rows[1][0] = g.x - p->u12 * gy;
    rows[1][1] = p->u12 * gx;
    rows[2][0] = p->u12 * gy;
    rows[2][1] = g.y - p->u12 * gx;
    rows[3][0] = 2 * (g.y - p->u22 * gy);
    rows[3][1] = 2 * p->u22 * gx;
}

static void form_times_rows(const wf_tangent *t, double area, double rows[4][2], double product[4][2])
{
    for (int k = 0; k < 2; k++) {
        double spin = area * rows[0][k], a = area * rows[1][k], b = area * rows[2][k], c = area * rows[3][k];
        product[0][k] = t->spin * spin + t->coupling[0] * a + t->coupling[1] * b + t->coupling[2] * c;
        for (int i = 0; i < 3; i++) {
            product[i + 1][k] = t->coupling[i] * spin + t->strain[i][0] * a + t->strain[i][1] * b +
                                t->strain[i][2] * c;
        }
    }
}

/* The 3 x 3 block  sum_ij local[i][j] r_i r_j^T + normal n n^T. */
static void to_world(const wf_polar *p, double rows[4][2], double product[4][2], double normal, double block[9])
{
    double local[2][2];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            local[i][j] = rows[0][i] * product[0][j] + rows[1][i] * product[1][j] + rows[2][i] * product[2][j] +
                          rows[3][i] * product[3][j];
        }
    }
    const double r1[3] = {p->r1.x, p->r1.y, p->r1.z}, r2[3] = {p->r2.x, p->r2.y, p->r2.z};
    const double n[3] = {p->normal.x, p->normal.y, p->normal.z};
    for (int i = 0; i < 3; i++) {
        double a = r1[i] * local[0][0] + r2[i] * local[1][0], b = r1[i] * local[0][1] + r2[i] * local[1][1];
        double c = n[i] * normal;
        for (int j = 0; j < 3; j++) {
            block[3 * i + j] = a * r1[j] + b * r2[j] + c * n[j];
        }
    }
}

static double normal_form(const wf_tangent *t, double area, wf_vec2 a, wf_vec2 b)
{
    return area * (a.x * (t->normal11 * b.x + t->normal12 * b.y) + a.y * (t->normal12 * b.x + t->normal22 * b.y));
}

static void keep_upper(const double block[9], double upper[6])
{
    upper[0] = block[0];
    upper[1] = block[1];
    upper[2] = block[2];
    upper[3] = block[4];
    upper[4] = block[5];
    upper[5] = block[8];
}

void wf_membrane_blocks(const wf_shape *shape, const wf_polar *p, bool frozen, const wf_tangent *tangent,
                        wf_corner_blocks *blocks)
{
    double rows1[4][2], rows2[4][2], product1[4][2], product2[4][2], block[9];
    strain_rows(shape->gradient1, p, frozen, rows1);
    strain_rows(shape->gradient2, p, frozen, rows2);
    form_times_rows(tangent, shape->area, rows1, product1);
    form_times_rows(tangent, shape->area, rows2, product2);
    wf_vec2 g1 = shape->gradient1, g2 = shape->gradient2;
    to_world(p, rows1, product1, normal_form(tangent, shape->area, g1, g1), block);
    keep_upper(block, blocks->k11);
    to_world(p, rows2, product2, normal_form(tangent, shape->area, g2, g2), block);
    keep_upper(block, blocks->k22);
    to_world(p, rows1, product2, normal_form(tangent, shape->area, g1, g2), blocks->k12);
}

/* Row-major 3 x 3 of the six stored numbers. */
static void spread(const double upper[6], double full[9])
{
    full[0] = upper[0];
    full[1] = full[3] = upper[1];
    full[2] = full[6] = upper[2];
    full[4] = upper[3];
    full[5] = full[7] = upper[4];
    full[8] = upper[5];
}

void wf_corner_blocks_add_row(const wf_corner_blocks *k, int32_t corner, const int32_t slots[3], wf_mat3 *blocks)
{
    static const int transposed[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    double k11[9], k22[9];
    const double *k12 = k->k12;
    double *to0 = &blocks[slots[0]].m[0][0], *to1 = &blocks[slots[1]].m[0][0], *to2 = &blocks[slots[2]].m[0][0];
    spread(k->k11, k11);
    spread(k->k22, k22);
    if (corner == 0) {
        /* (0,1) = -(1,1) - (2,1) and (0,2) = -(1,2) - (2,2) */
        for (int i = 0; i < 9; i++) {
            double to_1 = k11[i] + k12[transposed[i]], to_2 = k12[i] + k22[i];
            to0[i] += to_1 + to_2;
            to1[i] -= to_1;
            to2[i] -= to_2;
        }
    } else if (corner == 1) {
        for (int i = 0; i < 9; i++) {
            to0[i] -= k11[i] + k12[i];
            to1[i] += k11[i];
            to2[i] += k12[i];
        }
    } else {
        for (int i = 0; i < 9; i++) {
            double k21 = k12[transposed[i]];
            to0[i] -= k21 + k22[i];
            to1[i] += k21;
            to2[i] += k22[i];
        }
    }
}
