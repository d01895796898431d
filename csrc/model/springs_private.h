/* springs_private.h - what a model of springs holds, for the files of csrc/model that evaluate one. */
#ifndef WEFT_MODEL_SPRINGS_PRIVATE_H
#define WEFT_MODEL_SPRINGS_PRIVATE_H

#include "model/incidence.h"
#include "model/springs.h"

typedef struct wf_springs {
    wf_model head;
    int32_t (*pairs)[2];
    double *rest_lengths, *stiffness, *damping;
    bool linear_damping;
    int32_t (*places)[4]; /* as of wf_pattern_place_all */
    double *past;     /* [springs] sum of the lengths over the past; NULL until first needed */
    double past_rate; /* 1/s, as a membrane's */
    wf_incidence incidence; /* spring * 2 + end */
} wf_springs;

#endif
