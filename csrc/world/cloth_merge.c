/* cloth_merge.c - stitched vertices become one; see wf_cloth_merge_stitches in cloth.h. */
#include <string.h>

#include "mesh/attributes.h"
#include "world/cloth.h"

/* Positions and faces after the merge, and the mesh made of them; the cloth is left as it is. */
static wf_status build_merged_mesh(const wf_cloth *cloth, const int32_t *classes, wf_mesh *merged)
{
    wf_context *context = cloth->context;
    size_t vertices = (size_t)cloth->mesh.vertex_count, faces = (size_t)cloth->mesh.face_count;
    wf_vec3 *positions = wf_allocate(context, vertices, sizeof *positions);
    int32_t(*corners)[3] = wf_allocate(context, faces, sizeof *corners);
    wf_attributes attributes = {
        .vertex_count = (int32_t)vertices, .face_count = (int32_t)faces, .faces = &corners};
    const wf_attribute position = {"positions", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_DOUBLE, 3, WF_MERGE_FIRST,
                                   &positions};
    wf_status status = positions && corners ? wf_attributes_add(context, &attributes, &position) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memcpy(positions, cloth->mesh.positions, vertices * sizeof *positions);
        memcpy(corners, cloth->mesh.faces, faces * sizeof *corners);
        status = wf_topology_merge(context, &attributes, classes, NULL);
    }
    if (status == WF_OK) {
        status = wf_mesh_build_bare(context, attributes.vertex_count, positions, attributes.face_count,
                                    (const int32_t(*)[3])corners, merged);
    }
    wf_attributes_free(context, &attributes);
    wf_free(context, corners);
    wf_free(context, positions);
    return status;
}

/* Merges everything else that the cloth has per vertex. All or nothing. */
static wf_status merge_arrays(wf_cloth *cloth, const int32_t *classes, int32_t *vertex_map)
{
    wf_context *context = cloth->context;
    size_t faces = (size_t)cloth->mesh.face_count;
    int32_t(*corners)[3] = wf_allocate(context, faces, sizeof *corners);
    double *weights = wf_allocate(context, (size_t)cloth->mesh.vertex_count, sizeof *weights);
    if (!corners || !weights) {
        wf_free(context, weights);
        wf_free(context, corners);
        return WF_ERROR_MEMORY;
    }
    memcpy(corners, cloth->mesh.faces, faces * sizeof *corners);
    memcpy(weights, cloth->masses, (size_t)cloth->mesh.vertex_count * sizeof *weights);
    const wf_attribute list[] = {
        {"masses", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_DOUBLE, 1, WF_MERGE_SUM, &cloth->masses},
        {"velocities", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_DOUBLE, 3, WF_MERGE_WEIGHTED_AVERAGE, &cloth->velocities},
        {"loose", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_INT32, 1, WF_MERGE_MAXIMUM, &cloth->loose},
        {"pinned", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_INT32, 1, WF_MERGE_MAXIMUM, &cloth->pinned},
        {"pin targets", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_DOUBLE, 3, WF_MERGE_AVERAGE, &cloth->pin_targets},
        {"seam ratio", WF_ATTRIBUTE_VERTEX, WF_ATTRIBUTE_DOUBLE, 1, WF_MERGE_MAXIMUM, &cloth->seam_ratio},
    };
    wf_attributes attributes = {.vertex_count = cloth->mesh.vertex_count,
                                .face_count = cloth->mesh.face_count,
                                .faces = &corners,
                                .weights = &weights};
    wf_status status = WF_OK;
    size_t count = sizeof list / sizeof *list - !cloth->seam_ratio;
    for (size_t i = 0; status == WF_OK && i < count; i++) {
        status = wf_attributes_add(context, &attributes, &list[i]);
    }
    if (status == WF_OK) {
        status = wf_topology_merge(context, &attributes, classes, vertex_map);
    }
    wf_attributes_free(context, &attributes);
    wf_free(context, weights);
    wf_free(context, corners);
    return status;
}

wf_status wf_cloth_merge_stitches(wf_cloth *cloth)
{
    wf_context *context = cloth->context;
    size_t count = (size_t)cloth->mesh.vertex_count;
    int32_t *classes = wf_allocate(context, count, sizeof *classes);
    int32_t *vertex_map = wf_allocate(context, count, sizeof *vertex_map);
    wf_mesh merged = {0};
    wf_status status = classes && vertex_map ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_cloth_stitch_classes(cloth, classes);
    }
    if (status == WF_OK) {
        status = build_merged_mesh(cloth, classes, &merged);
    }
    if (status == WF_OK) {
        status = merge_arrays(cloth, classes, vertex_map);
    }
    if (status == WF_OK) {
        for (int32_t s = 0; s < cloth->source_count; s++) {
            cloth->vertex_of_source[s] = vertex_map[cloth->vertex_of_source[s]];
        }
        wf_mesh_free(context, &cloth->mesh);
        cloth->mesh = merged;
        cloth->pair_count = 0;
        cloth->topology++;
    } else {
        wf_mesh_free(context, &merged);
    }
    wf_free(context, vertex_map);
    wf_free(context, classes);
    return status;
}
