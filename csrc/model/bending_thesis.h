/* bending_thesis.h - the bending element as printed in Keckeisen (2005); see the defect named in bending.h. */
#ifndef WEFT_MODEL_BENDING_THESIS_H
#define WEFT_MODEL_BENDING_THESIS_H

#include "model/bending.h"

/* As wf_bending_create, which checks the arguments and calls this. */
wf_status wf_bending_thesis_create(wf_context *context, const wf_bending_def *def, wf_model **model);


#endif
