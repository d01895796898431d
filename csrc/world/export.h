/* export.h - a cloth in the order its maker gave: what leaves weft as buffers, meshes and files.
 *
 * Inside, vertices and faces are numbered for locality. Outside, faces come in the caller's order, and vertices in the
 * order of the smallest of the caller's vertices that each one is (several, after sewing).
 */
#ifndef WEFT_WORLD_EXPORT_H
#define WEFT_WORLD_EXPORT_H

#include "world/cloth.h"

typedef struct wf_export_order {
    int32_t *vertices;      /* [vertex_count] the inner vertex that is exported as the k-th */
    int32_t *vertex_index;  /* [vertex_count] its inverse: what number an inner vertex has outside */
    int32_t *faces;         /* [face_count] the inner face that is exported as the k-th */
} wf_export_order;

wf_status wf_export_order_build(const wf_cloth *cloth, wf_export_order *order);
void wf_export_order_free(const wf_cloth *cloth, wf_export_order *order);

/* Vertex vectors (positions, velocities, ...) of the cloth's own numbering, in the outer order. */
void wf_export_vectors(const wf_cloth *cloth, const wf_export_order *order, const wf_vec3 *inner, wf_vec3 *outer);

/* Faces in the outer order with outer vertex numbers. */
void wf_export_faces(const wf_cloth *cloth, const wf_export_order *order, int32_t (*faces)[3]);

#endif
