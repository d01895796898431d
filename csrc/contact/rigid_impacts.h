/* rigid_impacts.h - what hits rigid bodies, all at once.
 *
 * A body that lands on four corners must not be thrown up by the first that is looked at: what it takes is known when
 * the others are. So the pairs that hit rigid bodies get impulses in turns, which may grow and shrink again but never
 * pull, until all gaps are what they should be (projected Gauss-Seidel: Moreau and Jean 1999; friction in the cone of
 * the present push). What hits next joins those of the rounds before: in a tower what parts two bodies pushes one of
 * them into a third, and the first pair must still be kept when that is parted. Gaps are linear in the motion that is
 * found, and measured anew where it led to, as Newton's method does. Each impulse acts on both sides of its pair, so
 * momentum is kept however far the turns get. Where no impulses part bodies, as where one is wedged in what it crosses,
 * what such bodies got is taken back in the end: the fail-safe, which stops them, finds them where they were to go, not
 * where turns threw them. Cloth that they pushed meanwhile goes on: that momentum is not kept.
 */
#ifndef WEFT_CONTACT_RIGID_IMPACTS_H
#define WEFT_CONTACT_RIGID_IMPACTS_H

#include "base/context.h"
#include "contact/friction.h"
#include "contact/rigid_motion.h"

/* Of the contact distance: where what hits a rigid body comes to rest, a little nearer than contact begins, so that the
 * forces of the next step can hold it. */
#define WF_RIGID_REST 0.98

typedef struct wf_rigid_impact {
    int32_t vertex[4];     /* -1: none */
    double weight[4];      /* as of wf_contact */
    bool of_rigid[4];      /* whether the vertices are rigid bodies' */
    bool on_floor;         /* of vertex[0] alone; of a sphere, which that stands for, its lowest point */
    wf_vec3 normal;
    double rest;           /* m: the gap that is wanted along the normal */
    wf_friction friction;
    wf_vec3 start;         /* the weighted sum of the points at the start of the step, m, */
    wf_vec3 rigid_end;     /* and of those of rigid bodies at its end, before the impulses that are being found */
    wf_rigid_arm arms[2];
    int arm_count;
    double mobility;       /* 1/kg, along the normal */
    double push;           /* impulse times the time step, kg m, along the normal */
    double change;         /* m, of the gap by the last turn */
    wf_vec3 drag;          /* and across */
} wf_rigid_impact;

typedef struct wf_rigid_impacts {
    wf_rigid_impact *items;
    size_t count, capacity;
    size_t noted;          /* how many times pairs were, also known ones */
    int32_t *slots;        /* [slot_count] places of `items` by their vertices, -1: none */
    size_t slot_count, slot_capacity;
    double way;            /* m: how far any vertex goes in the slice, at most */
    double largest;        /* m: change of a gap by a turn of the last solve */
    int unsettled;         /* solves in a row whose last turn changed gaps of bodies as much as the first */
} wf_rigid_impacts;

/* What impulses act on. */
typedef struct wf_impact_scene {
    wf_context *context;
    const wf_contact_rigids *rigids;
    const double *inverse_mass, *half_thickness; /* [vertices of the scene] */
    const wf_vec3 *x0;
    wf_vec3 *x1;
    uint8_t *on_floor; /* [vertices of the scene] whether it has an impact with the floor; 0 before the first round */
} wf_impact_scene;

/* Begins a slice in which no vertex goes farther than `way` (m). */
void wf_rigid_impacts_begin(wf_rigid_impacts *impacts, double way);

void wf_rigid_impacts_free(wf_context *context, wf_rigid_impacts *impacts);

/* Whether bodies are where no impulses part them from all that they hit, such as one that is wedged in what it crosses:
 * turns would push it to and fro without an end. */
bool wf_rigid_impacts_are_in_vain(const wf_rigid_impacts *impacts);

/* Puts such bodies, and those that impulses join to them, where they were to go before there were any. */
void wf_rigid_impacts_take_back(const wf_impact_scene *scene, const wf_rigid_impacts *impacts);

/* Notes a pair, at least one of its vertices a rigid body's; one that is known in about the same place and direction
 * is taken up there, with its impulses. Pairs that nothing can move are left out. WF_ERROR_MEMORY. */
wf_status wf_rigid_impacts_add(const wf_impact_scene *scene, const wf_rigid_impact *pair, wf_rigid_impacts *impacts);

/* Moves the ends of vertices and bodies; bodies, and cloth that hits them, stay above the floor. WF_ERROR_MEMORY. */
wf_status wf_rigid_impacts_solve(const wf_impact_scene *scene, wf_rigid_impacts *impacts);

#endif
