/* strain_local.h - models of strains one element or one vertex at a time; see local.h. */
#ifndef WEFT_MODEL_STRAIN_LOCAL_H
#define WEFT_MODEL_STRAIN_LOCAL_H

#include "model/local.h"

/* The constant matrix bounds G^T C G of the elements at rest, turned in any way: with D the row sums of |C|, scaled so
 * that they are the least, strain s of the gradients g_a has D_s rank (g_a . g_b), where the rank of the g's makes
 * multiples of the identity bound their products. */
extern const wf_local_class wf_strain_local;

#endif
