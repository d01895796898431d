/* aerodynamic_law.h - the force of air on a piece of surface, from its velocity relative to the air.
 *
 * With v that velocity (surface minus air, m/s), n the unit normal, A the area (m^2) and rho the density of air
 * (kg/m^3), p = |n . v|, q = |v_t| of the tangential part v_t = v - (n . v) n, and s = |v|:
 *
 *     plate              F = -rho/2 A ( C_n |n . v| (n . v) n + C_f |v_t| v_t )
 *                        pressure along the normal and skin friction along the surface
 *     keckeisen          F = -rho/2 A ( C_D |n . v| v + C_L (n . v) (s n - (n . v) v / s) )
 *                        drag and lift. The angle is that to the normal, so that lift goes as sin a cos a and vanishes
 *                        at grazing and at head-on flow. Kang's law, corrected, is the same one.
 *     keckeisen printed  drag as above; lift with C_L q in the place of C_L (n . v): its cosine is of the angle to the
 *                        surface, as printed (Keckeisen 2005, 2.5; Kang 2003, 5.5). Lift is then largest at grazing
 *                        flow, where it changes its sign at once.
 *     kang printed       drag as above; lift with C_L (s - p) instead, Kang's fast form (2003, 5.6), which jumps too.
 *
 * All are even in n, vanish at v = 0 and depend on the relative velocity alone. The surface's two sides are one: C_f is
 * that of both.
 *
 * The printed ones are there to compare with. `plate` is the default: drag and lift are measured on wings, against the
 * flow, and do not add up to what a sheet can bear, a pressure along its normal.
 */
#ifndef WEFT_AIR_AERODYNAMIC_LAW_H
#define WEFT_AIR_AERODYNAMIC_LAW_H

#include "base/context.h"
#include "base/vector.h"

typedef enum wf_aerodynamic_law {
    WF_PLATE,
    WF_KECKEISEN,
    WF_KECKEISEN_PRINTED,
    WF_KANG_PRINTED,
    WF_AERODYNAMIC_LAWS
} wf_aerodynamic_law;

/* How a cloth feels the air. */
typedef struct wf_aerodynamics {
    wf_aerodynamic_law law; /* default WF_PLATE */

    /* Of the plate. normal: 1.17, a square plate or disc across the flow (Hoerner 1965, Fluid-dynamic drag, 3-15; long
     * strips have up to 1.98). friction: 0.01, twice the 0.005 of a turbulent boundary layer at Reynolds' number 7e5
     * (0.074 Re^-1/5, Prandtl), which is also that of one metre of a surface of 0.1 mm roughness, such as yarns make
     * (Schlichting 1979, 21.39: 0.0049). */
    double normal, friction;

    /* Of the other laws. drag: 1.17, for the same reason; lift: 1. */
    double drag, lift;

    /* The share of its area that is open, 0 to 1: the force is that on the rest. Default 0. */
    double porosity;

    /* What passes through it in a flow (air/flow_cloth.h): the speed, m/s, at a pressure of 100 Pa, which ISO 9237
     * (1995) measures, there in mm/s. Default 0: tight. Dense shirting has about 0.1, gauze 2 and more. */
    double permeability;
} wf_aerodynamics;

#define WF_AIR_PERMEABILITY_PRESSURE 100.0 /* Pa, of ISO 9237 for clothing */

#define WF_AIR_DENSITY 1.2 /* kg/m^3: dry air at 20 C and 1013 hPa has 1.204 */

wf_aerodynamics wf_default_aerodynamics(void);

/* The law's name, and the law of a name: WF_ERROR_ARGUMENT lists them. */
const char *wf_aerodynamic_law_name(wf_aerodynamic_law law);
wf_status wf_aerodynamic_law_find(wf_context *context, const char *name, wf_aerodynamic_law *law);

/* WF_ERROR_ARGUMENT names what is out of range: coefficients from 0 to 1000, a porosity from 0 to 1. */
wf_status wf_aerodynamics_check(wf_context *context, const wf_aerodynamics *air);

/* The force (N) and minus the symmetric part of its derivative by the velocity (N s/m); `definite`: that without its
 * negative eigenvalues, which the plate's has none of. */
void wf_aerodynamic_force(const wf_aerodynamics *air, double density, wf_vec3 normal, double area, wf_vec3 velocity,
                          bool definite, wf_vec3 *force, wf_mat3 *damping);

/* An upper bound of the eigenvalues of that derivative at speeds up to `speed`, per area, N s/m^3. */
double wf_aerodynamic_damping_bound(const wf_aerodynamics *air, double density, double speed);

#endif
