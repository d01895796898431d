/* models.c - the force models of a world: one of each entry of the table that faces have, over the vertices of all
 * cloths.
 *
 * A thousand small cloths so cost what one large one does: element loops do not end with each cloth, and threads share
 * all of them.
 */
#include <string.h>

#include "model/bending.h"
#include "model/springs.h"
#include "world/fittings.h"
#include "world/world_state.h"

void wf_world_free_models(wf_world *world)
{
    for (size_t m = 0; m < world->model_count; m++) {
        wf_model_destroy(world->context, world->models[m].model);
    }
    world->model_count = 0;
    world->stitches = NULL;
    wf_world_free_air(world);
    wf_strain_limits_destroy(world->context, world->limits);
    world->limits = NULL;
    memset((void *)world->fittings, 0, sizeof world->fittings);
}

static void add_model(wf_world *world, wf_model *model, const wf_model_entry *entry)
{
    world->entries[world->model_count] = entry;
    world->models[world->model_count++] = (wf_scaled_model){model, 1};
}

void wf_world_member_elements(const wf_world *world, const wf_cloth_member *member, size_t model, int32_t *first,
                              int32_t *count)
{
    const wf_stencil *stencil = &world->models[model].model->stencil;
    int32_t end_vertex = member->first_vertex + member->cloth->mesh.vertex_count, bounds[2];
    for (int k = 0; k < 2; k++) {
        int32_t vertex = k == 0 ? member->first_vertex : end_vertex, low = 0, high = stencil->count;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            bool before = stencil->vertices[(size_t)middle * (size_t)stencil->arity] < vertex;
            low = before ? middle + 1 : low;
            high = before ? high : middle;
        }
        bounds[k] = low;
    }
    *first = bounds[0];
    *count = bounds[1] - bounds[0];
}

/* What the models of surfaces are made from: the members' arrays, one after the other. */
typedef struct surfaces {
    int32_t (*faces)[3];
    wf_vec2 (*rest)[3];
    int32_t *fabric;
    wf_fabric *fabrics;
    int32_t fabric_count;
    double (*fold)[3]; /* [faces] rest angles */
    bool *folded;      /* [faces] whether it needs a bending that takes them */
    bool *active;      /* [faces] scratch */
} surfaces;

static wf_status gather_surfaces(const wf_world *world, surfaces *all)
{
    wf_status status = WF_OK;
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        int32_t first = world->cloths[m].first_face;
        wf_cloth_grain_rest(cloth, all->rest + first);
        for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
            all->fabric[first + f] = all->fabric_count + cloth->fabric[f];
            for (int k = 0; k < 3; k++) {
                all->faces[first + f][k] = world->cloths[m].first_vertex + cloth->mesh.faces[f][k];
            }
        }
        memcpy(all->fabrics + all->fabric_count, cloth->fabrics, (size_t)cloth->fabric_count * sizeof *cloth->fabrics);
        all->fabric_count += cloth->fabric_count;
        status = wf_cloth_folds(cloth, all->fold + first, all->folded + first);
    }
    return status;
}

static const wf_model_entry *entry_of_face(const wf_cloth *cloth, int32_t face, wf_model_kind kind, bool folded)
{
    const wf_model_entry *entry = wf_cloth_model(cloth, cloth->fabric[face], kind);
    return kind == WF_MODEL_BENDING && folded && !entry->folds ? wf_model_of_folds() : entry;
}

/* Marks the faces that have the entry, and returns how many. */
static int32_t find_faces(const wf_world *world, const wf_model_entry *entry, const bool *folded, bool *active)
{
    int32_t count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth *cloth = world->cloths[m].cloth;
        for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
            int32_t face = world->cloths[m].first_face + f;
            bool has = entry_of_face(cloth, f, entry->kind, folded[face]) == entry;
            active[face] = has;
            count += has;
        }
    }
    return count;
}

/* Leaves *model NULL where there is none to make: a world without cloth has the default models,
 * of no faces. */
static wf_status make_model(const wf_world *world, const wf_model_entry *entry, const wf_sheet_faces *sheet,
                            const surfaces *all, wf_model **model)
{
    *model = NULL;
    int32_t count = find_faces(world, entry, all->folded, all->active);
    if (count == 0 && (sheet->face_count > 0 || entry != wf_model_default(entry->kind))) {
        return WF_OK;
    }
    wf_sheet_faces part = *sheet;
    part.active = count < sheet->face_count ? all->active : NULL;
    part.fold = entry->folds ? (const double(*)[3])all->fold : NULL;
    return wf_model_create(world->context, entry, &part, model);
}

static wf_status make_models_of(wf_world *world, wf_model_kind kind, const wf_sheet_faces *sheet,
                                const surfaces *all)
{
    for (int i = 0; i < wf_model_entry_count(); i++) {
        const wf_model_entry *entry = wf_model_entry_at(i);
        if (entry->kind != kind) {
            continue;
        }
        wf_model *model;
        wf_status status = make_model(world, entry, sheet, all, &model);
        if (status != WF_OK) {
            return status;
        }
        if (model) {
            add_model(world, model, entry);
        }
    }
    return WF_OK;
}

static size_t count_fabrics(const wf_world *world)
{
    size_t count = 0;
    for (size_t m = 0; m < world->cloth_count; m++) {
        count += (size_t)world->cloths[m].cloth->fabric_count;
    }
    return count;
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
        wf_springs_def def = {.vertex_count = world->row_count,
                              .count = world->pair_count,
                              .pairs = (const int32_t(*)[2])pairs,
                              .rest_lengths = none,
                              .stiffness = none,
                              .damping = none};
        status = wf_springs_create(context, &def, &world->stitches);
    }
    if (status == WF_OK) {
        add_model(world, world->stitches, NULL);
    }
    wf_free(context, none);
    wf_free(context, pairs);
    return status;
}

static wf_status make_fittings(wf_world *world)
{
    wf_status status = wf_world_make_fittings(world, world->fittings);
    for (int k = 0; k < WF_FITTING_MODELS; k++) {
        if (world->fittings[k]) {
            add_model(world, world->fittings[k], NULL);
        }
    }
    return status;
}

static void free_surfaces(wf_context *context, surfaces *all)
{
    void *arrays[] = {all->faces, all->rest, all->fabric, all->fabrics, all->fold, all->folded, all->active};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(context, arrays[k]);
    }
}

/* Frees nothing on failure. */
static wf_status make_surfaces(const wf_world *world, surfaces *all, wf_sheet_faces *sheet)
{
    wf_context *context = world->context;
    size_t face_count = (size_t)world->face_count;
    *all = (surfaces){.faces = wf_allocate(context, face_count, sizeof *all->faces),
                      .rest = wf_allocate(context, face_count, sizeof *all->rest),
                      .fabric = wf_allocate(context, face_count, sizeof *all->fabric),
                      .fabrics = wf_allocate(context, count_fabrics(world), sizeof *all->fabrics),
                      .fold = wf_allocate(context, face_count, sizeof *all->fold),
                      .folded = wf_allocate(context, face_count, sizeof *all->folded),
                      .active = wf_allocate(context, face_count, sizeof *all->active)};
    if (!all->faces || !all->rest || !all->fabric || !all->fabrics || !all->fold || !all->folded || !all->active) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = gather_surfaces(world, all);
    if (status != WF_OK) {
        return status;
    }
    *sheet = (wf_sheet_faces){.vertex_count = world->row_count,
                              .face_count = world->face_count,
                              .faces = (const int32_t(*)[3])all->faces,
                              .rest = (const wf_vec2(*)[3])all->rest,
                              .fabric_count = all->fabric_count,
                              .fabrics = all->fabrics,
                              .face_fabric = all->fabric};
    return WF_OK;
}

/* Membranes, stitches, fittings, air and bending, in this order: what needs blocks comes before what needs scalars. */
wf_status wf_world_make_models(wf_world *world)
{
    surfaces all;
    wf_sheet_faces sheet;
    wf_world_free_models(world);
    wf_status status = make_surfaces(world, &all, &sheet);
    status = status == WF_OK ? make_models_of(world, WF_MODEL_MEMBRANE, &sheet, &all) : status;
    status = status == WF_OK ? make_stitches(world) : status;
    status = status == WF_OK ? make_fittings(world) : status;
    status = status == WF_OK ? wf_world_make_air(world, &sheet) : status;
    if (status == WF_OK && world->air.model) {
        add_model(world, world->air.model, NULL);
    }
    status = status == WF_OK ? make_models_of(world, WF_MODEL_BENDING, &sheet, &all) : status;
    status = status == WF_OK ? wf_strain_limits_create(world->context, &sheet, &world->limits) : status;
    free_surfaces(world->context, &all);
    return status;
}

/* ---- elements that are dropped --------------------------------------------------------------------------------- */

void wf_world_drop_elements(wf_world *world)
{
    for (size_t m = 0; m < world->model_count; m++) {
        wf_bending_drop_elements(world->context, world->models[m].model);
    }
}

/* Those of models made anew. */
static wf_status remake_elements(wf_world *world)
{
    surfaces all;
    wf_sheet_faces sheet;
    wf_status status = make_surfaces(world, &all, &sheet);
    for (size_t m = 0; m < world->model_count && status == WF_OK; m++) {
        wf_model *twin;
        if (!wf_bending_has_elements(world->models[m].model)) {
            status = make_model(world, world->entries[m], &sheet, &all, &twin);
            if (status == WF_OK) {
                wf_bending_move_elements(twin, world->models[m].model);
                wf_model_destroy(world->context, twin);
            }
        }
    }
    free_surfaces(world->context, &all);
    return status;
}

wf_status wf_world_need_elements(wf_world *world)
{
    bool complete = true;
    for (size_t m = 0; m < world->model_count; m++) {
        complete = complete && wf_bending_has_elements(world->models[m].model);
    }
    return complete ? WF_OK : remake_elements(world);
}
