#include "fabric/fabric.h"

#include <math.h>
#include <string.h>

#define DEGREES_PER_RADIAN 57.29577951308232

/* Keckeisen (2005), figure 2.4. C1122 is 0.2 (C1111 + C2222) / 2, as printed to one decimal. */
typedef struct preset_row {
    const char *name;
    double density, weft, warp, shear, coupling, bend_weft, bend_warp;
    bool measured;
} preset_row;

static const preset_row presets[] = {
    {"wool viscose", 0.23, 245, 366, 0.38, 61.1, 0.013e-4, 0.037e-4, true},
    {"wool", 0.26, 866, 1391, 0.51, 225.7, 0.137e-4, 0.135e-4, true},
    {"polyester acrylic", 0.17, 3057, 1534, 1.22, 459.1, 0.055e-4, 0.092e-4, true},
    {"polyester", 0.26, 2400, 3600, 5.23, 600, 0.371e-4, 0.480e-4, true},
    {"shear resistant", 0.2, 2000, 2000, 1000, 400, 100e-4, 100e-4, false},
    {"bend resistant", 0.2, 2000, 2000, 5.0, 400, 100e-4, 100e-4, false},
};

int wf_fabric_preset_count(void)
{
    return (int)(sizeof presets / sizeof presets[0]);
}

const char *wf_fabric_preset_name(int index)
{
    return index >= 0 && index < wf_fabric_preset_count() ? presets[index].name : NULL;
}

wf_status wf_fabric_preset(wf_context *context, const char *name, wf_fabric_reading reading, wf_fabric *fabric)
{
    for (int i = 0; i < wf_fabric_preset_count(); i++) {
        const preset_row *row = &presets[i];
        if (strcmp(row->name, name) != 0) {
            continue;
        }
        *fabric = (wf_fabric){
            .density = row->density,
            .weft = row->weft,
            .warp = row->warp,
            .coupling = row->coupling,
            .shear = row->shear * (row->measured && reading == WF_FABRIC_PER_RADIAN ? DEGREES_PER_RADIAN : 1),
            .bend_weft = row->bend_weft,
            .bend_warp = row->bend_warp,
            .bend_poisson = 0.2,
            .bend_twist = 0.4,
            .viscosity = 0.01,
            .bend_viscosity = 0.01,
            .thickness = 0.001,
            .friction = 0.4,
            .hysteresis_slip = 0.001,
            .hysteresis_bend_slip = 5,
            .loss_from = 0.1,
            .loss_to = 100,
        };
        memcpy(fabric->name, row->name, strlen(row->name) + 1);
        return WF_OK;
    }
    return wf_fail(context, WF_ERROR_ARGUMENT,
                   "no fabric is named \"%.60s\"; there are \"wool viscose\", \"wool\", \"polyester acrylic\", "
                   "\"polyester\", \"shear resistant\" and \"bend resistant\"",
                   name);
}

static double least_slope(const wf_stress_curve *curve, double modulus)
{
    wf_stress_spline spline;
    wf_stress_spline_of(curve, false, &spline);
    return spline.count > 0 ? wf_stress_spline_least_slope(&spline) : modulus;
}

static wf_status check_curves(wf_context *context, const wf_fabric *fabric)
{
    wf_status status = wf_stress_curve_check(context, &fabric->weft_curve, "curves.weft");
    status = status == WF_OK ? wf_stress_curve_check(context, &fabric->warp_curve, "curves.warp") : status;
    status = status == WF_OK ? wf_stress_curve_check(context, &fabric->shear_curve, "curves.shear") : status;
    const struct {
        const char *name;
        const wf_stress_curve *curve, *unloading;
    } pairs[] = {{"curves.weft", &fabric->weft_curve, &fabric->weft_unloading},
                 {"curves.warp", &fabric->warp_curve, &fabric->warp_unloading},
                 {"curves.shear", &fabric->shear_curve, &fabric->shear_unloading}};
    for (int k = 0; k < 3 && status == WF_OK; k++) {
        status = wf_unloading_curve_check(context, pairs[k].curve, pairs[k].unloading, pairs[k].name);
    }
    if (status != WF_OK) {
        return status;
    }
    if (fabric->shear_unloading.count > 0 && fabric->shear_curve.point[0].strain < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "curves.shear: branches are mirrored, so the loading one must not have points below 0");
    }
    double weft = fmin(least_slope(&fabric->weft_curve, fabric->weft), least_slope(&fabric->weft_unloading, 1e9));
    double warp = fmin(least_slope(&fabric->warp_curve, fabric->warp), least_slope(&fabric->warp_unloading, 1e9));
    if (fabric->coupling != 0 && !(weft * warp > fabric->coupling * fabric->coupling)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "stretch.coupling must be 0 or smaller than sqrt(weft * warp) = %g N/m, of the curves' least "
                       "slopes %g and %g, got %g", sqrt(weft * warp), weft, warp, fabric->coupling);
    }
    return WF_OK;
}

wf_status wf_fabric_check(wf_context *context, const wf_fabric *fabric)
{
    bool has_loss = fabric->loss_stretch > 0 || fabric->loss_shear > 0 || fabric->loss_bend > 0;
    const struct {
        const char *field;
        double value, least, most;
        const char *unit;
    } rows[] = {
        {"density", fabric->density, 1e-4, 100, " kg/m2"},
        {"stretch.weft", fabric->weft, 1e-3, 1e9, " N/m"},
        {"stretch.warp", fabric->warp, 1e-3, 1e9, " N/m"},
        {"stretch.coupling", fabric->coupling, -1e9, 1e9, " N/m"},
        {"shear", fabric->shear, 0, 1e9, " N/m"},
        {"bend.weft", fabric->bend_weft, 0, 1e3, " N m"},
        {"bend.warp", fabric->bend_warp, 0, 1e3, " N m"},
        {"bend.poisson", fabric->bend_poisson, -0.999, 0.999, ""},
        {"bend.twist", fabric->bend_twist, 0, 1e3, ""},
        {"viscosity", fabric->viscosity, 0, 1e3, " s"},
        {"bend.viscosity", fabric->bend_viscosity, 0, 1e3, " s"},
        {"thickness", fabric->thickness, 1e-6, 0.1, " m"},
        {"friction", fabric->friction, 0, 10, ""},
        {"hysteresis.weft", fabric->hysteresis_weft, 0, 1e6, " N/m"},
        {"hysteresis.warp", fabric->hysteresis_warp, 0, 1e6, " N/m"},
        {"hysteresis.shear", fabric->hysteresis_shear, 0, 1e6, " N/m"},
        {"hysteresis.slip", fabric->hysteresis_slip, wf_fabric_has_hysteresis(fabric) ? 1e-6 : 0, 0.1, ""},
        {"hysteresis.bend_weft", fabric->hysteresis_bend_weft, 0, 1e3, " N"},
        {"hysteresis.bend_warp", fabric->hysteresis_bend_warp, 0, 1e3, " N"},
        {"hysteresis.bend_slip", fabric->hysteresis_bend_slip, wf_fabric_has_bend_hysteresis(fabric) ? 1e-3 : 0, 1e4,
         " 1/m"},
        {"loss.stretch", fabric->loss_stretch, 0, 0.3, ""},
        {"loss.shear", fabric->loss_shear, 0, 0.3, ""},
        {"loss.bend", fabric->loss_bend, 0, 0.3, ""},
        {"loss.from", fabric->loss_from, has_loss ? 1e-6 : 0, 1e6, " Hz"},
        {"loss.to", fabric->loss_to, has_loss ? 10 * fabric->loss_from : 0,
         has_loss ? 1e4 * fabric->loss_from : 1e10, " Hz"},
        {"limit.any", fabric->limit, 0, 10, ""},
        {"limit.weft", fabric->limit_weft, 0, 10, ""},
        {"limit.warp", fabric->limit_warp, 0, 10, ""},
        {"limit.shear", fabric->limit_shear, 0, 1.5, " rad"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* Written so that a NaN fails too. */
        if (!(rows[i].value >= rows[i].least && rows[i].value <= rows[i].most)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be from %g to %g%s, got %g", rows[i].field,
                           rows[i].least, rows[i].most, rows[i].unit, rows[i].value);
        }
    }
    if (!(fabric->weft * fabric->warp > fabric->coupling * fabric->coupling)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "stretch.coupling must be smaller than sqrt(weft * warp) = %g N/m, got %g",
                       sqrt(fabric->weft * fabric->warp), fabric->coupling);
    }
    return wf_fabric_has_curves(fabric) || wf_fabric_has_unloading(fabric) ? check_curves(context, fabric) : WF_OK;
}

double wf_fabric_young_weft(const wf_fabric *fabric)
{
    return fabric->weft - fabric->coupling * fabric->coupling / fabric->warp;
}

double wf_fabric_young_warp(const wf_fabric *fabric)
{
    return fabric->warp - fabric->coupling * fabric->coupling / fabric->weft;
}

void wf_fabric_bending_moduli(const wf_fabric *fabric, double moduli[3][3])
{
    double mixed = sqrt(fabric->bend_weft * fabric->bend_warp);
    double coupling = fabric->bend_poisson * mixed, twist = fabric->bend_twist * mixed;
    const double d[3][3] = {{fabric->bend_weft, coupling, 0}, {coupling, fabric->bend_warp, 0}, {0, 0, twist}};
    memcpy(moduli, d, sizeof d);
}
