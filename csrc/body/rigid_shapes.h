/* rigid_shapes.h - the surfaces of rigid bodies, about the origin of their shape. Internal to rigid*.c. */
#ifndef WEFT_BODY_RIGID_SHAPES_H
#define WEFT_BODY_RIGID_SHAPES_H

#include "body/rigid.h"

/* Makes the surface of the shape; `mesh` is all zero on failure. */
wf_status wf_rigid_make_surface(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh);

#endif
