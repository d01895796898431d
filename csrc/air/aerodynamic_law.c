/* aerodynamic_law.c - see aerodynamic_law.h. */
#include "air/aerodynamic_law.h"

#include <string.h>

#include "air/aerodynamic_formulas.h"

static const char *const names[WF_AERODYNAMIC_LAWS] = {
    [WF_PLATE] = "plate",
    [WF_KECKEISEN] = "keckeisen",
    [WF_KECKEISEN_PRINTED] = "keckeisen printed",
    [WF_KANG_PRINTED] = "kang printed",
};

wf_aerodynamics wf_default_aerodynamics(void)
{
    return (wf_aerodynamics){.law = WF_PLATE, .normal = 1.17, .friction = 0.01, .drag = 1.17, .lift = 1};
}

const char *wf_aerodynamic_law_name(wf_aerodynamic_law law)
{
    return names[law];
}

wf_status wf_aerodynamic_law_find(wf_context *context, const char *name, wf_aerodynamic_law *law)
{
    for (int k = 0; k < WF_AERODYNAMIC_LAWS; k++) {
        if (strcmp(name, names[k]) == 0) {
            *law = (wf_aerodynamic_law)k;
            return WF_OK;
        }
    }
    return wf_fail(context, WF_ERROR_ARGUMENT,
                   "the law of air is \"plate\", \"keckeisen\", \"keckeisen printed\" or \"kang printed\", not "
                   "\"%.60s\"", name);
}

wf_status wf_aerodynamics_check(wf_context *context, const wf_aerodynamics *air)
{
    const struct {
        const char *name;
        double value, highest;
    } numbers[] = {{"normal", air->normal, 1000}, {"friction", air->friction, 1000}, {"drag", air->drag, 1000},
                   {"lift", air->lift, 1000},     {"porosity", air->porosity, 1},
                   {"permeability", air->permeability, 1000}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (!(numbers[k].value >= 0 && numbers[k].value <= numbers[k].highest)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be from 0 to %g, got %g", numbers[k].name,
                           numbers[k].highest, numbers[k].value);
        }
    }
    if (!((int)air->law >= 0 && air->law < WF_AERODYNAMIC_LAWS)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "there is no law of air %d", (int)air->law);
    }
    return WF_OK;
}

void wf_aerodynamic_force(const wf_aerodynamics *air, double density, wf_vec3 normal, double area, wf_vec3 velocity,
                          bool definite, wf_vec3 *force, wf_mat3 *damping)
{
    wf_face_flow flow;
    wf_face_flow_of(air->law, wf_vec3_scale(normal, 2 * area), velocity, &flow);
    wf_face_air at = wf_face_air_of(air->law, wf_law_factors_of(air, density), &flow, true, definite);
    const double *d = at.damping;
    *force = at.force;
    *damping = (wf_mat3){{{d[0], d[1], d[2]}, {d[1], d[3], d[4]}, {d[2], d[4], d[5]}}};
}

/* Of the terms above: |mm| + |mt| or |tt| + |mt| at c = 1 or w = 1, where each power of them is at most 1. */
double wf_aerodynamic_damping_bound(const wf_aerodynamics *air, double density, double speed)
{
    double factor = air->law == WF_PLATE ? fmax(2 * air->normal, 2 * air->friction) : 2.5 * air->drag + 3 * air->lift;
    return 0.5 * density * (1 - air->porosity) * factor * speed;
}
