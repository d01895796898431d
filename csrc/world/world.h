/* world.h - the object that ties cloth, bodies and forces together and owns the step.
 *
 * A step is a transaction: the state of the members is gathered, advanced and checked aside, and written back only
 * when everything succeeded. New positions enter through one door (door.h), which lets no pair of triangles touch.
 */
#ifndef WEFT_WORLD_WORLD_H
#define WEFT_WORLD_WORLD_H

#include "body/body.h"
#include "body/rigid.h"
#include "contact/colliders/collider.h"
#include "contact/friction.h"
#include "contact/untangle.h"
#include "step/contact_response.h"
#include "step/integrator.h"
#include "step/spectrum.h"
#include "world/cloth.h"

typedef struct wf_world wf_world;

typedef struct wf_world_params {
    double time_step;         /* s; default 1/60: backward Euler is stable for any, larger steps damp more */
    wf_vec3 gravity;          /* m/s^2; default (0, -9.81, 0) */
    double damping;           /* 1/s, of all motion in proportion to mass, as still air would; default 0 */
    bool floor;               /* a horizontal plane that neither cloth nor rigid bodies can pass; default false */
    double floor_height;      /* m; default 0 */
    double floor_friction;    /* Coulomb coefficient; default 0.5 */
    bool self_contact;        /* whether cloth meets cloth; default true */
    double contact_stiffness; /* Pa/m: contact pressure per metre of overlap of the two thicknesses; default 2e6, which
                                 carries the pressure of a tight garment (about 200 Pa) on a tenth of a millimetre */
    double friction_speed;    /* m/s: sliding slower than this counts as sticking, and is what sticking contacts creep
                                 at most; default 1e-5: a tenth of a millimetre in ten seconds */
    double friction_scale;    /* multiplies all coefficients of resting contact; default 1 */
    double bending_scale;     /* multiplies all bending moduli; default 1 */
    double contact_skin;      /* m: how far vertices move before candidate pairs are sought anew; default 0.004 */
    double tolerance;         /* of the linear solve, relative to the right-hand side; default 1e-3 */
    int max_iterations;       /* of the linear solve; default 1000 */
    int limit_sweeps;         /* of strain limits, in a step, at most; default 100 */
    const char *integrator;    /* a scheme of step/integrator.h; default "backward euler": robust with any contact,
                                  first order, damps. Read back, it is the name in the table */
    wf_integrator_params integrator_params; /* read back, with the scheme's defaults filled in */
    double barrier_tolerance; /* with contact "barrier" a step ends with the correction that is this part of the first,
                                  in the norm of energy; default 0.1, what graphics needs: the first one makes the
                                  error of one linear solve, which other responses leave as it is */
    const char *contact;       /* a response of step/contact_response.h; default "impulses". Read back, as above */
} wf_world_params;

wf_world_params wf_default_world_params(void);

enum { WF_MATERIAL_NAME_SIZE = 64, WF_MOST_FRICTION_PAIRS = 64 };

/* Friction of two materials: fabrics and bodies by name, and "floor". Others have the geometric mean of their own. */
typedef struct wf_friction_pair {
    char names[2][WF_MATERIAL_NAME_SIZE];
    wf_friction friction;
} wf_friction_pair;

typedef struct wf_step_stats {
    int32_t vertices, triangles, contacts, hits, backed_off;
    int32_t inside;             /* vertices that are inside a collider at the end of the step */
    int32_t pierced;            /* faces that a convex collider reaches through at its start */
    int32_t pinched;            /* vertices pressed from opposite sides, by a body from one at least, when it begins */
    double body_lag;            /* m: how far bodies are from where they are to be, since cloth was in their way */
    int32_t parts;              /* that the step was made in: more than one where contact would have torn cloth, or
                                   given it energy */
    /* J. Kinetic and potential energies with that of contacts grow by no more than the work of bodies, pins and air.
     * Left out is what the fail-safe does, and contact with rigid bodies and with colliders at the door. */
    double contact_energy;      /* of the resting contacts that acted in the step, at its end */
    double body_work, pin_work; /* in the step, of the bodies on cloth and of what moves the pins */
    double air_work;            /* of the air on cloth */
    int32_t broken;             /* ties that broke at the end of the step */
    int32_t solver_iterations;  /* of all linear solves of the step */
    int32_t integrator_steps, newton_iterations, force_evaluations;
    double solver_residual;
    int32_t limit_sweeps;       /* of strain limits */
    double limit_excess;        /* strain: how far the worst face was beyond a limit before the door */
    int64_t candidates;
    /* Wall time of the phases of the last step, s. */
    double assembly_seconds, solve_seconds, detection_seconds, response_seconds, step_seconds;
    double rms_speed, max_speed; /* m/s, of all free vertices after the step */
    double rest_time;            /* s for which rms <= 1 mm/s and max <= 1 cm/s have held without a break, without extra
                                    damping and without a vertex held back */
} wf_step_stats;

typedef struct wf_energies {
    double kinetic, membrane, bending, potential; /* J; potential relative to y = 0. Of a whole world, those of rigid
                                                     bodies are among the first and the last */
    double fittings; /* J: of bands, drawstrings, seams, air and ties, each with its first cloth */
    double model[WF_MODEL_ENTRY_LIMIT]; /* J: elastic, of each entry of the table of models */
    bool has_model[WF_MODEL_ENTRY_LIMIT]; /* whether the world has a model of it */
} wf_energies;

/* Of cloth vertices as point masses, pinned ones included, and, where it is of a whole world, of rigid bodies. */
typedef struct wf_momentum {
    double mass;             /* kg */
    wf_vec3 centre;          /* of mass, m */
    wf_vec3 linear, angular; /* kg m/s, and kg m^2/s about the origin */
} wf_momentum;

wf_status wf_world_create(wf_context *context, const wf_world_params *params, wf_world **world);
void wf_world_destroy(wf_world *world);

/* Adds or removes a member. A cloth is in one world at most and leaves it when it is destroyed; bodies and colliders
 * can be in many, and are kept until the last of them lets it go. WF_ERROR_STATE if what is added is a member already,
 * WF_ERROR_ARGUMENT if what is removed is none. */
wf_status wf_world_add_cloth(wf_world *world, wf_cloth *cloth);
wf_status wf_world_add_body(wf_world *world, wf_body *body);
wf_status wf_world_add_collider(wf_world *world, wf_collider *collider);
/* A rigid body is in one world at most. It needs "backward euler", which alone knows how bodies turn. */
wf_status wf_world_add_rigid(wf_world *world, wf_rigid *rigid);
bool wf_world_has_cloth(const wf_world *world, const wf_cloth *cloth); /* looks at the pointer alone */
wf_status wf_world_remove_cloth(wf_world *world, wf_cloth *cloth);
wf_status wf_world_remove_body(wf_world *world, wf_body *body);
wf_status wf_world_remove_collider(wf_world *world, wf_collider *collider);
wf_status wf_world_remove_rigid(wf_world *world, wf_rigid *rigid);

/* Reads and changes parameters between steps. WF_ERROR_ARGUMENT names the one out of range; then nothing changes. */
wf_world_params wf_world_get_params(const wf_world *world);
wf_status wf_world_set_params(wf_world *world, const wf_world_params *params);

/* One step; `extra_damping` (1/s, usually 0) is added to the world's for this step alone, to let cloth settle sooner.
 * On failure the state is the one before, and the next step has the same bits as without this one. */
wf_status wf_world_step(wf_world *world, double extra_damping);

/* Moves the vertices of a cloth to `target` (the cloth's own numbering) as far as nothing touches on the straight way
 * there, without advancing time or changing velocities. `all_arrived` tells whether no vertex had to be held back. */
wf_status wf_world_move_cloth(wf_world *world, wf_cloth *cloth, const wf_vec3 *target, bool *all_arrived);

/* Replaces the table of pairs, of which the later counts where two are of the same materials; `count` up to
 * WF_MOST_FRICTION_PAIRS. WF_ERROR_ARGUMENT names the pair out of range; then nothing changes. */
wf_status wf_world_set_friction(wf_world *world, const wf_friction_pair *pairs, int32_t count);
const wf_friction_pair *wf_world_get_friction(const wf_world *world, int32_t *count);

/* Takes cloth out of itself, other cloth and bodies (contact/untangle.h), without advancing time; what was moved is at
 * rest afterwards. `order` [order_count] NULL: layers are those of the cloths' faces; else all cloths of the world,
 * from the innermost on. WF_ERROR_STATE: cloth with open stitches; WF_ERROR_ARGUMENT: an order that does not name all
 * of them, names one twice, or one of another world. */
wf_status wf_world_untangle(wf_world *world, const wf_cloth *const *order, size_t order_count, int rounds,
                            wf_vec3 *places, int32_t *place_count, wf_untangle_report *report);

int64_t wf_world_step_count(const wf_world *world);
double wf_world_time(const wf_world *world); /* s: the sum over changes of the step length of steps times length */
wf_step_stats wf_world_stats(const wf_world *world);
wf_status wf_world_energies(wf_world *world, const wf_cloth *cloth /* NULL: all */, wf_energies *energies);
void wf_world_momentum(const wf_world *world, const wf_cloth *cloth /* NULL: all */, wf_momentum *momentum);

/* How fast the fastest motion of all cloth is at the present state, without contact: what explicit schemes must resolve
 * (step/spectrum.h). Zero where there is no cloth. */
wf_status wf_world_spectrum(wf_world *world, wf_spectrum *spectrum);

/* A hash of the whole state: positions, velocities, topology, parameters and step count of every member. */
uint64_t wf_world_hash(const wf_world *world);

#endif
