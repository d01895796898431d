/* garment_cloth.c - see garment_cloth.h. */
#include "world/garment_cloth.h"

#include "world/fittings.h"

/* What the panels say, face by face. */
typedef struct face_arrays {
    wf_vec2 (*rest)[3];
    double *grain;
    int32_t *fabric, *layer;
} face_arrays;

static void fill(const wf_pattern_mesh *panels, face_arrays *faces)
{
    for (int32_t f = 0; f < panels->face_count; f++) {
        int32_t panel = panels->face_panel[f];
        for (int k = 0; k < 3; k++) {
            faces->rest[f][k] = panels->rest[panels->faces[f][k]];
        }
        faces->grain[f] = panels->panel_grain[panel];
        faces->fabric[f] = panels->panel_fabric[panel];
        faces->layer[f] = panels->panel_layer[panel];
    }
}

static wf_status add_seam(wf_cloth *cloth, const wf_pattern_mesh *panels, const wf_pattern_seam *seam)
{
    const wf_line_def def = {.kind = WF_FITTING_SEAM, .count = seam->count, .path = panels->seam_vertices + seam->first,
                             .stiffness = seam->law.stiffness, .shrinkage = seam->law.shrinkage,
                             .bending = seam->law.bending, .viscosity = 0.01};
    wf_fitting *fitting = NULL;
    wf_status status = wf_cloth_add_line(cloth, &def, &fitting);
    wf_fitting_release(fitting); /* the cloth has it */
    return status;
}

/* path: scratch [vertex_count] */
static wf_status add_fold(wf_cloth *cloth, const wf_pattern_fold *fold, int32_t *path)
{
    wf_line_def def = {.kind = WF_FITTING_FOLD, .path = path, .length = 1, .angle = fold->angle};
    wf_fitting *fitting = NULL;
    wf_status status = wf_cloth_line_path(cloth, fold->panel, fold->from, fold->to, path, &def.count);
    if (status == WF_OK) {
        status = wf_cloth_add_line(cloth, &def, &fitting);
    }
    wf_fitting_release(fitting);
    return status;
}

static wf_status add_lines(wf_cloth *cloth, const wf_pattern_mesh *panels)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < panels->seam_count && status == WF_OK; i++) {
        const wf_seam_law *law = &panels->seams[i].law;
        status = law->bending > 0 || law->stiffness > 0 ? add_seam(cloth, panels, &panels->seams[i]) : WF_OK;
    }
    int32_t *path = wf_allocate(cloth->context, (size_t)panels->vertex_count, sizeof *path);
    if (!path) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < panels->fold_count && status == WF_OK; i++) {
        status = add_fold(cloth, &panels->folds[i], path);
    }
    wf_free(cloth->context, path);
    return status;
}

wf_status wf_cloth_create_from_panels(wf_context *context, const wf_pattern_mesh *panels, int32_t fabric_count,
                                      const wf_fabric *fabrics, wf_cloth **cloth)
{
    size_t count = (size_t)panels->face_count;
    face_arrays faces = {.rest = wf_allocate(context, count, sizeof *faces.rest),
                         .grain = wf_allocate(context, count, sizeof *faces.grain),
                         .fabric = wf_allocate(context, count, sizeof *faces.fabric),
                         .layer = wf_allocate(context, count, sizeof *faces.layer)};
    wf_status status = faces.rest && faces.grain && faces.fabric && faces.layer ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        fill(panels, &faces);
        wf_cloth_def def = {.vertex_count = panels->vertex_count,
                            .positions = panels->positions,
                            .face_count = panels->face_count,
                            .faces = (const int32_t(*)[3])panels->faces,
                            .rest = (const wf_vec2(*)[3])faces.rest,
                            .grain = faces.grain,
                            .fabric = faces.fabric,
                            .panel = panels->face_panel,
                            .layer = faces.layer,
                            .fabric_count = fabric_count,
                            .fabrics = fabrics,
                            .pair_count = panels->pair_count,
                            .pairs = (const int32_t(*)[2])panels->pairs,
                            .pair_seam = panels->pair_seam,
                            .seam_count = panels->seam_count,
                            .seam_ratio = panels->seam_ratio};
        status = wf_cloth_create(context, &def, cloth);
        if (status == WF_OK) {
            status = add_lines(*cloth, panels);
            if (status != WF_OK) {
                wf_cloth_destroy(*cloth);
                *cloth = NULL;
            }
        }
    }
    wf_free(context, faces.layer);
    wf_free(context, faces.fabric);
    wf_free(context, faces.grain);
    wf_free(context, faces.rest);
    return status;
}
