/* contact_response.h - how a world answers contact, chosen by name, and what integrators each answer goes with.
 *
 * Every response ends in the fail-safe (contact/response.h): whatever it leaves undone, no pair passes through.
 */
#ifndef WEFT_STEP_CONTACT_RESPONSE_H
#define WEFT_STEP_CONTACT_RESPONSE_H

#include "step/integrator.h"

/* Kinds of integrators, as bits. */
enum {
    WF_EXPLICIT_SCHEMES = 1, /* evaluate forces alone */
    WF_IMPLICIT_SCHEMES = 2, /* solve with a matrix */
    WF_ELEMENT_SCHEMES = 4,  /* solve element by element */
    WF_ALL_SCHEMES = 7,
    WF_END_SCHEMES = 8,      /* are implicit, and what they solve for is the end of the step */
    WF_REPEATED_SCHEMES = 16 /* are implicit with linear solves and remember nothing: a step can be made again */
};

typedef struct wf_contact_response {
    const char *name;
    const char *describes; /* one sentence */
    unsigned schemes;      /* bits: what it goes with */
    unsigned springs;      /* bits: the schemes that see resting contacts as springs among their forces */
    int impulse_rounds;    /* of impulses behind the step, but for rigid bodies; then of impact zones */
    int zone_rounds;
    bool constrains;       /* the springs have multipliers, which take their overlap away */
    bool corrects;         /* what the step leaves too near is put right behind it, with friction */
    bool barrier;          /* the step's equation contains contact (barrier_stage.h) */
} wf_contact_response;

/* The one named, or NULL: WF_ERROR_ARGUMENT names the one that was probably meant. */
wf_status wf_contact_response_find(wf_context *context, const char *name, const wf_contact_response **response);

/* WF_ERROR_ARGUMENT when the scheme is none that the response goes with. */
wf_status wf_contact_response_check(wf_context *context, const wf_contact_response *response,
                                    const wf_integrator *integrator);

/* Whether the scheme gets springs for resting contacts, and whether it must resolve them with its step. */
bool wf_contact_response_has_springs(const wf_contact_response *response, const wf_integrator *integrator);
bool wf_scheme_resolves_springs(const wf_integrator *integrator);

/* The response whose forces take part in the solve, for parts of a step in which one that corrects gives energy:
 * "constraints" where the scheme allows it, "impulses" elsewhere. NULL: the response does not correct, or the scheme
 * does not solve. */
const wf_contact_response *wf_contact_response_in_solve(const wf_contact_response *response,
                                                        const wf_integrator *integrator);

#endif
