/* bending_thesis.h - the bending element as printed in Keckeisen (2005); see the defect named in bending.h. */
#ifndef WEFT_MODEL_BENDING_THESIS_H
#define WEFT_MODEL_BENDING_THESIS_H

#include "model/bending.h"

/* As wf_bending_create and wf_bending_set_fabrics, which check the arguments and call these. */
wf_status wf_bending_thesis_create(wf_context *context, const wf_bending_def *def, wf_model **model);
wf_status wf_bending_thesis_set_fabrics(wf_context *context, wf_model *model, int32_t fabric_count,
                                        const wf_fabric *fabrics);

#endif
