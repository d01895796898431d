/* tableau.c - see tableau.h. */
#include "step/tableau.h"

#include <math.h>

void wf_tableau_set_nodes(wf_tableau *tableau)
{
    for (int32_t i = 0; i < tableau->stages; i++) {
        tableau->c[i] = 0;
        for (int32_t j = 0; j < tableau->stages; j++) {
            tableau->c[i] += tableau->a[i][j];
        }
    }
}

static wf_status check_weights(wf_context *context, int32_t stages, const double *weights, const char *what)
{
    double sum = 0;
    for (int32_t i = 0; i < stages; i++) {
        sum += weights[i];
    }
    return fabs(sum - 1) <= 1e-9 ? WF_OK
                                 : wf_fail(context, WF_ERROR_ARGUMENT, "a tableau's %s must sum to 1, they sum to %g",
                                           what, sum);
}

wf_status wf_tableau_check(wf_context *context, const wf_tableau *tableau)
{
    if (tableau->stages < 1 || tableau->stages > WF_TABLEAU_STAGES) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a tableau must have 1 to %d stages, got %d", WF_TABLEAU_STAGES,
                       (int)tableau->stages);
    }
    for (int32_t i = 0; i < tableau->stages; i++) {
        if (!isfinite(tableau->c[i]) || tableau->a[i][i] < 0) {
            return wf_fail(context, WF_ERROR_ARGUMENT, 
                           "row %d of a tableau must have a finite node and a diagonal of 0 or more", (int)i + 1);
        }
        for (int32_t j = 0; j < tableau->stages; j++) {
            if (!isfinite(tableau->a[i][j])) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "coefficient %d, %d of a tableau must be finite", (int)i + 1,
                               (int)j + 1);
            }
            if (j > i && tableau->a[i][j] != 0) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "a tableau must be lower triangular: coefficient %d, %d is %g (coupled stages)",
                               (int)i + 1, (int)j + 1, tableau->a[i][j]);
            }
        }
    }
    wf_status status = check_weights(context, tableau->stages, tableau->b, "weights");
    if (status == WF_OK && tableau->embedded) {
        status = check_weights(context, tableau->stages, tableau->embedded_b, "embedded weights");
        if (status == WF_OK && (tableau->embedded_order < 1 || tableau->embedded_order > 20)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "a tableau's embedded order must be from 1 to 20, got %d",
                             (int)tableau->embedded_order);
        }
    }
    return status;
}

bool wf_tableau_is_explicit(const wf_tableau *tableau)
{
    for (int32_t i = 0; i < tableau->stages; i++) {
        if (tableau->a[i][i] != 0) {
            return false;
        }
    }
    return true;
}

const wf_tableau wf_tableau_explicit_midpoint = {
    .stages = 2, .c = {0, 0.5}, .a = {{0}, {0.5}}, .b = {0, 1}};

const wf_tableau wf_tableau_rk4 = {.stages = 4,
                                   .c = {0, 0.5, 0.5, 1},
                                   .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                   .b = {1.0 / 6, 2.0 / 6, 2.0 / 6, 1.0 / 6}};

const wf_tableau wf_tableau_cash_karp = {
    .stages = 6,
    .c = {0, 1.0 / 5, 3.0 / 10, 3.0 / 5, 1, 7.0 / 8},
    .a = {{0},
          {1.0 / 5},
          {3.0 / 40, 9.0 / 40},
          {3.0 / 10, -9.0 / 10, 6.0 / 5},
          {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
          {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}},
    .b = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771},
    .embedded = true,
    .embedded_b = {2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 1.0 / 4},
    .embedded_order = 4};

/* gamma is the root 0.4358665215... of g^3 - 3 g^2 + 3/2 g - 1/6 = 0, with which three equal diagonal entries have
 * order 3 and R(infinity) = 0. b1 = -(6 g^2 - 16 g + 1) / 4, b2 = (6 g^2 - 20 g + 5) / 4. */
#define G 0.43586652150845899941601945
#define B1 (-(6 * G * G - 16 * G + 1) / 4)
#define B2 ((6 * G * G - 20 * G + 5) / 4)
const wf_tableau wf_tableau_alexander = {.stages = 3,
                                         .c = {G, (1 + G) / 2, 1},
                                         .a = {{G}, {(1 - G) / 2, G}, {B1, B2, G}},
                                         .b = {B1, B2, G}};
