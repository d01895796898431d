/* baraff_witkin.h - the stretch and shear conditions as a measure; see baraff_witkin.c. */
#ifndef WEFT_MODEL_BARAFF_WITKIN_H
#define WEFT_MODEL_BARAFF_WITKIN_H

#include "model/strain.h"

/* |U| - 1, |V| - 1, U . V of three nodes with a wf_weave_rest. */
extern const wf_strain_measure wf_baraff_witkin_measure;

#endif
