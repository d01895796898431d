#include "model/strain.h"

static void evaluate(const void *material, const double *strain, double *energy, double *stress, double *tangent)
{
    const wf_linear_material *m = material;
    double sum = 0;
    for (int32_t s = 0; s < m->count; s++) {
        double pull = 0;
        for (int32_t t = 0; t < m->count; t++) {
            pull += m->moduli[s][t] * strain[t];
            if (tangent) {
                tangent[s * m->count + t] = m->moduli[s][t];
            }
        }
        sum += 0.5 * pull * strain[s];
        if (stress) {
            stress[s] = pull;
        }
    }
    if (energy) {
        *energy = sum;
    }
}

const wf_stress_law wf_linear_law = {"linear", sizeof(wf_linear_material), evaluate};
