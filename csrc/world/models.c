/* models.c - the force models of a world: one of each kind over the vertices of all its cloths.
 *
 * A thousand small cloths so cost what one large one does: element loops do not end with each cloth, and threads share
 * all of them.
 */
#include <string.h>

#include "model/bending.h"
#include "model/membrane.h"
#include "model/springs.h"
#include "world/world_state.h"

void wf_world_free_models(wf_world *world)
{
    wf_model_destroy(world->context, world->membrane);
    wf_model_destroy(world->context, world->bending);
    wf_model_destroy(world->context, world->stitches);
    world->membrane = world->bending = world->stitches = NULL;
}

/* What the models of surfaces are made from: the members' arrays, one after the other. */
typedef struct surfaces {
    wf_vec2 (*rest)[3];
    int32_t *fabric;
    wf_fabric *fabrics;
    int32_t fabric_count;
} surfaces;

static void gather_surfaces(const wf_world *world, surfaces *all)
{
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        int32_t first = world->cloths[m].first_face;
        wf_cloth_grain_rest(cloth, all->rest + first);
        for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
            all->fabric[first + f] = all->fabric_count + cloth->fabric[f];
        }
        memcpy(all->fabrics + all->fabric_count, cloth->fabrics, (size_t)cloth->fabric_count * sizeof *cloth->fabrics);
        all->fabric_count += cloth->fabric_count;
    }
}

static wf_status make_surface_models(wf_world *world, const int32_t (*faces)[3])
{
    wf_context *context = world->context;
    size_t fabric_count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        fabric_count += (size_t)world->cloths[m].cloth->fabric_count;
    }
    surfaces all = {.rest = wf_allocate(context, (size_t)world->face_count, sizeof *all.rest),
                    .fabric = wf_allocate(context, (size_t)world->face_count, sizeof *all.fabric),
                    .fabrics = wf_allocate(context, fabric_count, sizeof *all.fabrics)};
    wf_status status = all.rest && all.fabric && all.fabrics ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        gather_surfaces(world, &all);
        wf_membrane_def membrane = {.vertex_count = world->cloth_vertex_count,
                                    .face_count = world->face_count,
                                    .faces = faces,
                                    .rest = (const wf_vec2(*)[3])all.rest,
                                    .fabric_count = all.fabric_count,
                                    .fabrics = all.fabrics,
                                    .face_fabric = all.fabric,
                                    .form = world->params.membrane};
        status = wf_membrane_create(context, &membrane, &world->membrane);
    }
    if (status == WF_OK) {
        wf_bending_def bending = {.vertex_count = world->cloth_vertex_count,
                                  .face_count = world->face_count,
                                  .faces = faces,
                                  .rest = (const wf_vec2(*)[3])all.rest,
                                  .fabric_count = all.fabric_count,
                                  .fabrics = all.fabrics,
                                  .face_fabric = all.fabric};
        status = wf_bending_create(context, &bending, &world->bending);
    }
    wf_free(context, all.rest);
    wf_free(context, all.fabric);
    wf_free(context, all.fabrics);
    return status;
}

static wf_status make_stitches(wf_world *world)
{
    if (world->pair_count == 0) {
        return WF_OK;
    }
    wf_context *context = world->context;
    size_t count = (size_t)world->pair_count;
    int32_t(*pairs)[2] = wf_allocate(context, count, sizeof *pairs);
    double *none = wf_allocate(context, count, sizeof *none); /* set before each step; damping stays 0 */
    wf_status status = pairs && none ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (size_t m = 0; m < world->cloth_count; m++) {
            const wf_cloth_member *member = &world->cloths[m];
            for (int32_t p = 0; p < member->cloth->pair_count; p++) {
                for (int k = 0; k < 2; k++) {
                    pairs[member->first_pair + p][k] = member->first_vertex + member->cloth->pairs[p][k];
                }
            }
        }
        wf_springs_def def = {.vertex_count = world->cloth_vertex_count,
                              .count = world->pair_count,
                              .pairs = (const int32_t(*)[2])pairs,
                              .rest_lengths = none,
                              .stiffness = none,
                              .damping = none};
        status = wf_springs_create(context, &def, &world->stitches);
    }
    wf_free(context, none);
    wf_free(context, pairs);
    return status;
}

wf_status wf_world_make_models(wf_world *world, const int32_t (*cloth_faces)[3])
{
    wf_world_free_models(world);
    wf_status status = make_surface_models(world, cloth_faces);
    return status == WF_OK ? make_stitches(world) : status;
}
