/* hull.h - convex hulls of points in space. */
#ifndef WEFT_BODY_HULL_H
#define WEFT_BODY_HULL_H

#include "base/context.h"

enum { WF_HULL_LARGEST_POINT_COUNT = 4096 };

/* Makes the hull's faces, counter-clockwise seen from outside, by adding one point after the other; signs are exact
 * (mesh/predicates.h), so that points in one plane or on one line, and repeated ones, do no harm. *faces comes from the
 * context and holds the points' indices; points inside are in no face.
 * WF_ERROR_GEOMETRY: all points lie in a plane. WF_ERROR_LIMIT: too many. */
wf_status wf_hull_build(wf_context *context, int32_t point_count, const wf_vec3 *points, int32_t (**faces)[3],
                        int32_t *face_count);

#endif
