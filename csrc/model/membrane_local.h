/* membrane_local.h - the membrane element by element and vertex by vertex; see local.h. */
#ifndef WEFT_MODEL_MEMBRANE_LOCAL_H
#define WEFT_MODEL_MEMBRANE_LOCAL_H

#include "model/local.h"

/* Of the forms that are gradients. As compliant constraints, a triangle's three strains are one block, coupled by the
 * fabric's inverse moduli. Its constant matrix is that of the springs  w1 |dF e1|^2 + w2 |dF e2|^2  on the columns of
 * the deformation gradient, which at no stress bounds the true second derivative from above at every rotation:
 *     w1 = max(C1111 + |C1122| r, 2 C1212),  w2 = max(C2222 + |C1122| / r, 2 C1212),  r = sqrt(C1111 / C2222). */
extern const wf_local_class wf_membrane_local;

#endif
