/* free_fall.c - weft without Lua: a sheet falls for a second, and the C interface tells how far.
 *
 *   make && cc -std=c11 -Icsrc examples/free_fall.c \
 *       $(find build/core -name '*.o' ! -path '*core/shade*' ! -path '*core/direct*') -lm -pthread
 */
#include <stdio.h>

#include "weft.h"

static int fail(wf_context *context)
{
    fprintf(stderr, "%s\n", wf_context_message(context));
    return 1;
}

int main(void)
{
    wf_context *context = wf_context_create(NULL);
    if (!context) {
        return 1;
    }
    wf_fabric fabric;
    wf_sheet_def def = {
        .cells = {10, 10}, .size = {0.2, 0.2}, .weft = {1, 0, 0}, .warp = {0, 0, -1}, .fabric = &fabric};
    wf_world_params params = wf_default_world_params();
    params.time_step = 0.02;
    params.tolerance = 1e-12;
    wf_cloth *cloth = NULL;
    wf_world *world = NULL;
    if (wf_fabric_preset(context, "wool", WF_FABRIC_PER_RADIAN, &fabric) != WF_OK ||
        wf_cloth_create_sheet(context, &def, &cloth) != WF_OK || wf_world_create(context, &params, &world) != WF_OK ||
        wf_world_add_cloth(world, cloth) != WF_OK) {
        return fail(context);
    }
    for (int step = 0; step < 50; step++) {
        if (wf_world_step(world, 0) != WF_OK) {
            return fail(context);
        }
    }
    printf("%.6f m after %.3f s\n", cloth->mesh.positions[0].y, wf_world_time(world));
    wf_cloth_destroy(cloth);
    wf_world_destroy(world);
    bool clean = wf_context_bytes(context) < 4096; /* the context's own task pool is left */
    wf_context_destroy(context);
    return clean ? 0 : 1;
}
