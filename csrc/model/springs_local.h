/* springs_local.h - springs one by one; see local.h. */
#ifndef WEFT_MODEL_SPRINGS_LOCAL_H
#define WEFT_MODEL_SPRINGS_LOCAL_H

#include "model/local.h"

/* There are few springs (seams, attachments): they are relaxed one after the other. The constant matrix is that of
 * springs without rest length, an upper bound of the second derivative at every length beyond it. */
extern const wf_local_class wf_springs_local;

#endif
