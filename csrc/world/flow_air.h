/* flow_air.h - the air of a world as a flow that cloth and bodies shape: the model "flow" of world.wind.
 *
 * A box of cells around the scene. The sources of wind say what flows in through its sides, and what the air does when
 * it is first asked for; inside, the air goes its own way (air/flow.h), around bodies (air/solid_faces.h) and with the
 * cloth (air/flow_cloth.h). The pressure jump takes the place of the law of faces.
 *
 * A step carries the air on once, then projects it and steps the cloth with the force that this gives, until both agree
 * or the most sweeps are made. The first projection expects the cloth's own forces of the last step again; each further
 * one takes those of the sweep before, by Anderson's acceleration (1965) of s -> s' where s = M v - h F is the momentum
 * that cloth has but for the air's force F in the step: one unknown per vertex that holds inertia, weight, elasticity
 * and contact. Cloth that flies agrees at once; what is held, by pins or on a body, takes two or three sweeps when the
 * load changes, and holds the air as what holds it does.
 */
#ifndef WEFT_WORLD_FLOW_AIR_H
#define WEFT_WORLD_FLOW_AIR_H

#include "air/flow.h"
#include "base/types.h"

enum { WF_FLOW_MOST_SWEEPS = 16, WF_FLOW_BY_WIND = -1 };

typedef enum wf_flow_coupling {
    WF_FLOW_IMPLICIT,
    WF_FLOW_LAGGED,  /* the air gets the cloth's velocity, the cloth the air's force: to compare with. Diverges where
                        the air is heavier than the cloth */
    WF_FLOW_RIGID    /* cloth bars the air and feels nothing of it */
} wf_flow_coupling;

extern const char *const wf_flow_coupling_names[]; /* ended by NULL */

typedef struct wf_flow_air_params {
    double cell;         /* m, their edge; 0 (default): by `cells` */
    int32_t cells;       /* along the longest side of the box; default 48 */
    bool placed;         /* the box is from `lower` to `upper`; else it is around the scene and follows it */
    wf_vec3 lower, upper;
    double margin;       /* m, around the scene; 0 (default): as much as the scene is long */
    int sides[WF_FLOW_SIDES]; /* wf_flow_side_kind; WF_FLOW_BY_WIND (default): inflow where the wind blows in, open
                                 elsewhere */
    double viscosity;    /* m2/s; default 1.5e-5 */
    double confinement;  /* of vorticity; default 0 */
    wf_flow_coupling coupling;
    int32_t sweeps;      /* of a step, at most; default 6. With schemes that remember earlier steps one is made */
    double leak;         /* sweeps end when air and cloth differ by less than this part of the largest speed; 0.01 */
} wf_flow_air_params;

wf_flow_air_params wf_default_flow_air_params(void);

typedef struct wf_flow_air_stats {
    int32_t cells[3];
    wf_vec3 lower, upper;        /* m, of the box */
    int32_t cut_faces, sweeps;   /* of the last step */
    int32_t direct_faces;        /* of cloth that the flow does not reach: they feel the wind as without it */
    double leak, largest_leak;   /* m/s: rms and largest difference of air and cloth at cut faces, after it */
    int32_t iterations;          /* of the last projection */
    int32_t substeps;
    double divergence;           /* after it */
    wf_vec3 momentum;            /* kg m/s, of the air in the box */
    double cut_seconds, carry_seconds, project_seconds; /* of the last step */
} wf_flow_air_stats;

#endif
