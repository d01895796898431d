/* spectrum.h - how fast the fastest motion of a system is: what explicit schemes must resolve. */
#ifndef WEFT_STEP_SPECTRUM_H
#define WEFT_STEP_SPECTRUM_H

#include "step/system.h"

typedef struct wf_spectrum {
    double frequency; /* rad/s: the root of the largest eigenvalue of M^-1 K */
    double damping;   /* 1/s: the largest eigenvalue of M^-1 D */
} wf_spectrum;

/* Measures it at (t, x, v) by power iteration on the semidefinite stand-ins of K and D, with free components alone:
 * from below, to about a per cent. A forward Euler step must be shorter than 2 / damping, one of Stormer-Verlet shorter
 * than 2 / frequency; implicit schemes need neither. The system's last linearisation is lost. */
wf_status wf_system_spectrum(wf_context *context, const wf_system *system, double t, const double *x, const double *v,
                             wf_spectrum *spectrum);

#endif
