#include "model/fabric_law.h"

static void evaluate(const void *data, const double *strain, double *energy, double *stress, double *tangent)
{
    const wf_fabric_material *m = data;
    double sum = m->coupling * strain[0] * strain[1], pull[3], slope[3];
    for (int s = 0; s < 3; s++) {
        double density = 0.5 * m->modulus[s] * strain[s] * strain[s];
        slope[s] = m->modulus[s];
        pull[s] = m->modulus[s] * strain[s];
        if (m->curve[s].count > 0) {
            wf_stress_spline_at(&m->curve[s], strain[s], &density, &pull[s], &slope[s]);
        }
        sum += density;
    }
    if (energy) {
        *energy = sum;
    }
    if (stress) {
        stress[0] = pull[0] + m->coupling * strain[1];
        stress[1] = pull[1] + m->coupling * strain[0];
        stress[2] = pull[2];
    }
    if (tangent) {
        const double moduli[9] = {slope[0], m->coupling, 0, m->coupling, slope[1], 0, 0, 0, slope[2]};
        for (int k = 0; k < 9; k++) {
            tangent[k] = moduli[k];
        }
    }
}

const wf_stress_law wf_fabric_law = {"fabric", sizeof(wf_fabric_material), evaluate};

void wf_make_fabric_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_fabric_material *m = material;
    *m = (wf_fabric_material){.modulus = {fabric->weft, fabric->warp, fabric->shear}, .coupling = fabric->coupling};
    wf_stress_spline_of(&fabric->weft_curve, false, &m->curve[0]);
    wf_stress_spline_of(&fabric->warp_curve, false, &m->curve[1]);
    wf_stress_spline_of(&fabric->shear_curve, true, &m->curve[2]);
    for (int s = 0; s < 3; s++) {
        viscosity[s] = fabric->viscosity;
    }
}
