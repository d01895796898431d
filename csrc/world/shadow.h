/* shadow.h - the shadow that a surface throws when it is lit from above, as drape testers measure it. */
#ifndef WEFT_WORLD_SHADOW_H
#define WEFT_WORLD_SHADOW_H

#include "base/context.h"

enum { WF_SHADOW_DIRECTIONS = 360 };

typedef struct wf_shadow {
    double area;                           /* m2 */
    double radius[WF_SHADOW_DIRECTIONS];   /* m, how far it reaches from the centre in each degree from +x toward +z */
    int32_t nodes;                         /* folds: maxima of the radius that rise and fall by at least `depth` */
} wf_shadow;

/* Projects triangles along y and paints them in pixels of `pixel` (m); what several of them cover counts once. The
 * radius is smoothed over five degrees before nodes are counted. WF_ERROR_LIMIT: more than 2^28 pixels. */
wf_status wf_shadow_measure(wf_context *context, int32_t vertex_count, const wf_vec3 *positions, int32_t face_count,
                            const int32_t (*faces)[3], wf_vec3 centre, double pixel, double depth, wf_shadow *shadow);

#endif
