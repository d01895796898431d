/* testbench.h - the standard tests of fabrics on simulated cloth: what the instruments would measure, SI units.
 *
 * Each test makes a specimen (specimen.h), moves its clamps in steps, and reads the forces on them at equilibrium: the
 * tests run on the same membrane and bending forces as a world, slowly enough for viscosity not to count, and cloth
 * remembers from each step of the clamps to the next what a world's would (model/memory.h). What comes
 * out differs from the moduli that went in by what the instrument does to the specimen (clamps that hold it across,
 * free edges) and by the mesh; both are there to be seen.
 */
#ifndef WEFT_WORLD_TESTBENCH_H
#define WEFT_WORLD_TESTBENCH_H

#include "fabric/fit.h"
#include "world/specimen.h"

typedef enum wf_testbench_clamps {
    WF_CLAMPS_FIXED,   /* jaws: the cloth cannot contract along them */
    WF_CLAMPS_ROLLERS, /* an ideal of the same that lets it contract: strain is then the same everywhere */
    WF_CLAMPS_FRAME    /* of the shear test: all four sides are held in a frame of hinged bars */
} wf_testbench_clamps;

/* Extension: KES-FB1 tensile (5 cm x 20 cm, to 500 gf/cm) and FAST-3 (10 cm x 5 cm, to 100 gf/cm). Pulls until the load
 * per width is `load` (N/m), in `count` steps of strain, and lets go in as many until it is slack: curve
 * [2 count + 1] begins without strain, and so ends where no hysteresis leaves any. def.bends is ignored.
 * WF_ERROR_NUMERIC: the load is not reached below a strain of 3. */
wf_status wf_testbench_extend(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps, double load,
                              int32_t count, wf_measured_point *curve);

/* Strains at which the load per width is loads [count] (N/m, increasing), as FAST-3 reads them. */
wf_status wf_testbench_extensions(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps,
                                  int32_t count, const double *loads, double *strains);

/* Shear, KES-FB1 (5 cm x 20 cm, 8 degrees): one jaw moves along itself while a weight on it keeps the tension (N/m).
 * The angle goes from 0 to `angle` and through -angle back to 0, in steps of angle / count: curve [4 count + 1]. The
 * force per width is what the cloth adds to tension * tan(angle), which the weight alone would need (Kawabata 1980).
 * In a frame there is no tension, and the force is the work per angle and area. */
wf_status wf_testbench_shear(wf_context *context, const wf_specimen_def *def, wf_testbench_clamps clamps,
                             double tension, double angle, int32_t count, wf_measured_point *curve);

/* Pure bending, KES-FB2 (1 cm between clamps, 2.5 per cm): the ends of the specimen are held to an arc and the torque
 * on one of them is measured. The curvature goes as the angle above: curve [4 count + 1]. The instrument's specimen is
 * 20 times as wide as long and bends to a cylinder; with `cylinder` nothing moves across, so that any width does. */
wf_status wf_testbench_bend(wf_context *context, const wf_specimen_def *def, bool cylinder, double curvature,
                            int32_t count, wf_measured_point *curve);

/* Cantilever, FAST-2: the overhang (m) at which the line from the platform's edge to the tip is `angle` (rad) below the
 * horizontal, 41.5 degrees on the instrument; half of it is the bending length there. def.length is ignored. The
 * specimen is twice the fabric's bending length, and its weight is changed until the angle is right; the overhang of
 * the true weight follows by similarity. `gravity` in m/s2. */
wf_status wf_testbench_cantilever(wf_context *context, const wf_specimen_def *def, bool cylinder, double gravity,
                                  double angle, double *overhang);

/* Hanging heart loop (Peirce 1930): both ends of a strip of def.length are clamped at one place and leave it upward.
 * `height` is from the clamp down to the lowest point, m. */
wf_status wf_testbench_heart_loop(wf_context *context, const wf_specimen_def *def, bool cylinder, double gravity,
                                  double *height);

/* The bending length c (m) that Peirce reads from a heart loop's height: c = l0 (cos theta / tan theta)^(1/3), theta =
 * 32.85 degrees * (height - l0) / l0, where l0 = 0.1337 length is the height without weight. NaN where that has no
 * solution: the loop does not hang lower than that. */
double wf_peirce_bending_length(double length, double height);

#endif
