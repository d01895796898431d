/* garment_cloth.h - from a garment's triangulated panels to a cloth that can be sewn. */
#ifndef WEFT_WORLD_GARMENT_CLOTH_H
#define WEFT_WORLD_GARMENT_CLOTH_H

#include "garment/assemble.h"
#include "world/cloth.h"

/* A cloth with the panels' faces, grains, layers and stitches, their folds, and what seams add. `fabrics`
 * [fabric_count]: a panel that names a fabric beyond them is an error (WF_ERROR_ARGUMENT). */
wf_status wf_cloth_create_from_panels(wf_context *context, const wf_pattern_mesh *panels, int32_t fabric_count,
                                      const wf_fabric *fabrics, wf_cloth **cloth);

#endif
