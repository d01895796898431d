#include "fabric/laminate.h"

#include <math.h>
#include <stdio.h>

/* Moduli for (weft, warp, shear), in which weft and warp alone are coupled. */
typedef struct moduli {
    double weft, warp, coupling, shear;
} moduli;

static moduli membrane_of(const wf_fabric *fabric)
{
    return (moduli){fabric->weft, fabric->warp, fabric->coupling, fabric->shear};
}

static moduli bending_of(const wf_fabric *fabric)
{
    double d[3][3];
    wf_fabric_bending_moduli(fabric, d);
    return (moduli){d[0][0], d[1][1], d[0][1], d[2][2]};
}

static moduli add_scaled(moduli a, moduli b, double scale)
{
    return (moduli){a.weft + scale * b.weft, a.warp + scale * b.warp, a.coupling + scale * b.coupling,
                    a.shear + scale * b.shear};
}

/* B A^-1 B, which is symmetric. */
static moduli sandwich(moduli b, moduli a)
{
    double determinant = a.weft * a.warp - a.coupling * a.coupling;
    double x[2][2] = {{a.warp * b.weft - a.coupling * b.coupling, a.warp * b.coupling - a.coupling * b.warp},
                      {a.weft * b.coupling - a.coupling * b.weft, a.weft * b.warp - a.coupling * b.coupling}};
    return (moduli){(b.weft * x[0][0] + b.coupling * x[1][0]) / determinant,
                    (b.coupling * x[0][1] + b.warp * x[1][1]) / determinant,
                    (b.weft * x[0][1] + b.coupling * x[1][1]) / determinant,
                    a.shear > 0 ? b.shear * b.shear / a.shear : 0};
}

/* D - B A^-1 B, of layers whose heights count from the middle of the laminate. */
static moduli fused_bending(int32_t count, const wf_fabric *layers, double thickness)
{
    moduli a = {0}, b = {0}, d = {0};
    double top = 0.5 * thickness;
    for (int32_t k = 0; k < count; k++) {
        double z = top - 0.5 * layers[k].thickness;
        a = add_scaled(a, membrane_of(&layers[k]), 1);
        b = add_scaled(b, membrane_of(&layers[k]), z);
        d = add_scaled(d, bending_of(&layers[k]), 1);
        d = add_scaled(d, membrane_of(&layers[k]), z * z);
        top -= layers[k].thickness;
    }
    return add_scaled(d, sandwich(b, a), -1);
}

/* The viscous moduli, which are viscosity times the elastic ones, add too; one number stands for both directions. */
static void add_viscosities(int32_t count, const wf_fabric *layers, wf_fabric *laminate)
{
    double membrane = 0, bending = 0, own_bending = 0;
    for (int32_t k = 0; k < count; k++) {
        membrane += layers[k].viscosity * (layers[k].weft + layers[k].warp);
        bending += layers[k].bend_viscosity * (layers[k].bend_weft + layers[k].bend_warp);
        own_bending += layers[k].bend_weft + layers[k].bend_warp;
    }
    laminate->viscosity = membrane / (laminate->weft + laminate->warp);
    /* What fusing adds is the stretching of layers. */
    double added = laminate->bend_weft + laminate->bend_warp - own_bending;
    double whole = added + own_bending;
    laminate->bend_viscosity = whole > 0 ? (bending + laminate->viscosity * added) / whole : layers[0].bend_viscosity;
}

/* Losses are those of the layers by their shares in the moduli, in the band of the first. */
static void add_losses(int32_t count, const wf_fabric *layers, wf_fabric *laminate)
{
    double stretch = 0, shear = 0, bending = 0, own_bending = 0;
    for (int32_t k = 0; k < count; k++) {
        const wf_fabric *layer = &layers[k];
        stretch += layer->loss_stretch * (layer->weft + layer->warp);
        shear += layer->loss_shear * layer->shear;
        bending += layer->loss_bend * (layer->bend_weft + layer->bend_warp);
        own_bending += layer->bend_weft + layer->bend_warp;
    }
    double whole = laminate->bend_weft + laminate->bend_warp;
    laminate->loss_stretch = stretch / (laminate->weft + laminate->warp);
    laminate->loss_shear = laminate->shear > 0 ? shear / laminate->shear : 0;
    laminate->loss_bend = whole > 0 ? (bending + laminate->loss_stretch * (whole - own_bending)) / whole : 0;
    laminate->loss_from = layers[0].loss_from;
    laminate->loss_to = layers[0].loss_to;
}

/* The tightest of the layers holds them all; 0 is no limit. */
static double tighter(double a, double b)
{
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

wf_status wf_fabric_laminate(wf_context *context, int32_t count, const wf_fabric *layers, wf_laminate_bond bond,
                             wf_fabric *laminate)
{
    if (count < 1) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a laminate needs at least one layer");
    }
    wf_fabric sum = {.friction = layers[0].friction, .hysteresis_slip = layers[0].hysteresis_slip,
                     .hysteresis_bend_slip = layers[0].hysteresis_bend_slip};
    moduli membrane = {0}, bending = {0};
    for (int32_t k = 0; k < count; k++) {
        wf_status status = wf_fabric_check(context, &layers[k]);
        if (status == WF_OK && wf_fabric_has_curves(&layers[k])) {
            status = wf_fail(context, WF_ERROR_ARGUMENT,
                             "layer %d has stress-strain curves, and a laminate has moduli alone", k + 1);
        }
        if (status != WF_OK) {
            return status;
        }
        sum.limit = tighter(sum.limit, layers[k].limit);
        sum.limit_weft = tighter(sum.limit_weft, layers[k].limit_weft);
        sum.limit_warp = tighter(sum.limit_warp, layers[k].limit_warp);
        sum.limit_shear = tighter(sum.limit_shear, layers[k].limit_shear);
        sum.density += layers[k].density;
        sum.thickness += layers[k].thickness;
        sum.hysteresis_weft += layers[k].hysteresis_weft;
        sum.hysteresis_warp += layers[k].hysteresis_warp;
        sum.hysteresis_shear += layers[k].hysteresis_shear;
        sum.hysteresis_bend_weft += layers[k].hysteresis_bend_weft;
        sum.hysteresis_bend_warp += layers[k].hysteresis_bend_warp;
        membrane = add_scaled(membrane, membrane_of(&layers[k]), 1);
        bending = add_scaled(bending, bending_of(&layers[k]), 1);
    }
    if (bond == WF_LAMINATE_FUSED) {
        bending = fused_bending(count, layers, sum.thickness);
    }
    sum.weft = membrane.weft;
    sum.warp = membrane.warp;
    sum.coupling = membrane.coupling;
    sum.shear = membrane.shear;
    sum.bend_weft = bending.weft;
    sum.bend_warp = bending.warp;
    double mean = sqrt(bending.weft * bending.warp);
    sum.bend_poisson = mean > 0 ? bending.coupling / mean : layers[0].bend_poisson;
    sum.bend_twist = mean > 0 ? bending.shear / mean : layers[0].bend_twist;
    add_viscosities(count, layers, &sum);
    add_losses(count, layers, &sum);
    snprintf(sum.name, sizeof sum.name, "%s", layers[0].name);
    *laminate = sum;
    return wf_fabric_check(context, laminate);
}
