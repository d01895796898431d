/* elongation.h - the strain measure of springs: how much longer an element's two nodes are apart than at rest. */
#ifndef WEFT_MODEL_ELONGATION_H
#define WEFT_MODEL_ELONGATION_H

#include "model/strain.h"

typedef struct wf_elongation_rest {
    double weight;
    double length; /* m */
} wf_elongation_rest;

/* One strain of two nodes: |r| / length - 1. */
extern const wf_strain_measure wf_elongation_measure;

#endif
