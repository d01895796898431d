/* contact_response.c - see contact_response.h. */
#include "step/contact_response.h"

#include <string.h>

#include "base/nearest_name.h"
#include "step/scheme.h"

enum { IMPULSES, PENALTY, GEOMETRIC, CONSTRAINTS, BARRIER, RESPONSE_COUNT };

static const wf_contact_response responses[] = {
    [IMPULSES] =
    {.name = "impulses",
     .describes = "Resting contacts are springs with friction in implicit solves; what would hit gets impulses, "
                  "and where that does not end, impact zones.",
     .schemes = WF_ALL_SCHEMES,
     .springs = WF_IMPLICIT_SCHEMES | WF_ELEMENT_SCHEMES, /* explicit schemes have impulses alone */
     .impulse_rounds = 8,
     .zone_rounds = 20},
    [PENALTY] =
    {.name = "penalty",
     .describes = "Resting contacts are springs with friction, also in explicit schemes, as stiff as their step "
                  "allows; no impulses but for rigid bodies.",
     .schemes = WF_ALL_SCHEMES,
     .springs = WF_ALL_SCHEMES},
    [GEOMETRIC] =
    {.name = "geometric",
     .describes = "No forces: behind the step positions and velocities are corrected to what contact distances and "
                  "friction allow; where the smallest part of a step gains much so, contacts are in the solve.",
     .schemes = WF_ALL_SCHEMES,
     .corrects = true,
     .impulse_rounds = 8, /* for what comes from farther away than corrections look */
     .zone_rounds = 20},
    [CONSTRAINTS] =
    {.name = "constraints",
     .describes = "Contacts are constraints of the implicit solve: multipliers press as much as keeps their distance, "
                  "never pull, and carry friction.",
     .schemes = WF_REPEATED_SCHEMES,
     .springs = WF_REPEATED_SCHEMES,
     .impulse_rounds = 8, /* for what comes from farther away */
     .zone_rounds = 20,
     .constrains = true},
    [BARRIER] =
    {.name = "barrier",
     .describes = "The step itself contains contact and friction, as potentials that no pair can pass; each iterate of "
                  "its solution is free of contact.",
     .schemes = WF_END_SCHEMES,
     .springs = WF_END_SCHEMES, /* for colliders */
     .barrier = true},
};

wf_status wf_contact_response_find(wf_context *context, const char *name, const wf_contact_response **response)
{
    const char *names[RESPONSE_COUNT + 1] = {0};
    for (size_t k = 0; k < RESPONSE_COUNT; k++) {
        if (strcmp(responses[k].name, name) == 0) {
            *response = &responses[k];
            return WF_OK;
        }
        names[k] = responses[k].name;
    }
    *response = NULL;
    const char *nearest = wf_nearest_name(name, names);
    return nearest ? wf_fail(context, WF_ERROR_ARGUMENT, "there is no contact response '%.60s'; did you mean '%s'?",
                             name, nearest)
                   : wf_fail(context, WF_ERROR_ARGUMENT, "there is no contact response '%.60s'", name);
}

static unsigned scheme_kind(const wf_integrator *integrator)
{
    const wf_integrator_class *class = wf_integrator_get_class(integrator);
    if (class->needs_elements) {
        return WF_ELEMENT_SCHEMES;
    }
    if (!class->implicit) {
        return WF_EXPLICIT_SCHEMES;
    }
    wf_newton newton = wf_integrator_get_params(integrator).newton;
    bool linear = newton == WF_NEWTON_LINEAR || newton == WF_NEWTON_CORRECTED;
    unsigned end = class->solves_for_end ? WF_END_SCHEMES : 0;
    unsigned repeated = class->history == 0 && linear ? WF_REPEATED_SCHEMES : 0;
    return WF_IMPLICIT_SCHEMES | end | repeated;
}

wf_status wf_contact_response_check(wf_context *context, const wf_contact_response *response,
                                    const wf_integrator *integrator)
{
    if (response->schemes & scheme_kind(integrator)) {
        return WF_OK;
    }
    static const char *const kinds[] = {"", "explicit", "implicit", "explicit or implicit", "element by element",
                                        "explicit or element by element", "implicit or element by element", "any",
                                        "implicit in the end of the step (\"backward euler\" or \"bdf2\")",
                                        [WF_REPEATED_SCHEMES] = "implicit, with linear solves and without memory"};
    return wf_fail(context, WF_ERROR_ARGUMENT, "contact '%s' needs a scheme that is %s, which '%s' is not",
                   response->name, kinds[response->schemes], wf_integrator_get_class(integrator)->name);
}

bool wf_contact_response_has_springs(const wf_contact_response *response, const wf_integrator *integrator)
{
    return (response->springs & scheme_kind(integrator)) != 0;
}

bool wf_scheme_resolves_springs(const wf_integrator *integrator)
{
    return scheme_kind(integrator) == WF_EXPLICIT_SCHEMES;
}

const wf_contact_response *wf_contact_response_in_solve(const wf_contact_response *response,
                                                        const wf_integrator *integrator)
{
    const unsigned kind = scheme_kind(integrator);
    if (!response->corrects || (kind & WF_EXPLICIT_SCHEMES)) {
        return NULL;
    }
    return responses[CONSTRAINTS].springs & kind ? &responses[CONSTRAINTS] : &responses[IMPULSES];
}
