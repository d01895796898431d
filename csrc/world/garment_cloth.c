/* garment_cloth.c - see garment_cloth.h. */
#include "world/garment_cloth.h"

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
    }
    wf_free(context, faces.layer);
    wf_free(context, faces.fabric);
    wf_free(context, faces.grain);
    wf_free(context, faces.rest);
    return status;
}
