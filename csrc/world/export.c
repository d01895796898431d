/* export.c - see export.h. */
#include "world/export.h"

#include "base/vector.h"

/* m/s: more is a mistake. */
#define LARGEST_SPEED 1e4

void wf_export_order_free(const wf_cloth *cloth, wf_export_order *order)
{
    wf_free(cloth->context, order->faces);
    wf_free(cloth->context, order->vertex_index);
    wf_free(cloth->context, order->vertices);
    *order = (wf_export_order){0};
}

wf_status wf_export_order_build(const wf_cloth *cloth, wf_export_order *order)
{
    wf_context *context = cloth->context;
    size_t vertices = (size_t)cloth->mesh.vertex_count, faces = (size_t)cloth->mesh.face_count;
    order->vertices = wf_allocate(context, vertices, sizeof *order->vertices);
    order->vertex_index = wf_allocate(context, vertices, sizeof *order->vertex_index);
    order->faces = wf_allocate(context, faces, sizeof *order->faces);
    if (!order->vertices || !order->vertex_index || !order->faces) {
        wf_export_order_free(cloth, order);
        return WF_ERROR_MEMORY;
    }
    for (size_t i = 0; i < vertices; i++) {
        order->vertex_index[i] = -1;
    }
    int32_t next = 0;
    for (int32_t s = 0; s < cloth->source_count; s++) {
        int32_t vertex = cloth->vertex_of_source[s];
        if (order->vertex_index[vertex] < 0) {
            order->vertex_index[vertex] = next;
            order->vertices[next++] = vertex;
        }
    }
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        order->faces[cloth->source_face[f]] = f;
    }
    return WF_OK;
}

void wf_export_vectors(const wf_cloth *cloth, const wf_export_order *order, const wf_vec3 *inner, wf_vec3 *outer)
{
    for (int32_t k = 0; k < cloth->mesh.vertex_count; k++) {
        outer[k] = inner[order->vertices[k]];
    }
}

void wf_export_faces(const wf_cloth *cloth, const wf_export_order *order, int32_t (*faces)[3])
{
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            faces[f][k] = order->vertex_index[cloth->mesh.faces[order->faces[f]][k]];
        }
    }
}

wf_status wf_cloth_set_velocities(wf_cloth *cloth, const wf_vec3 *velocities)
{
    for (int32_t k = 0; k < cloth->mesh.vertex_count; k++) {
        if (!(wf_vec3_norm(velocities[k]) < LARGEST_SPEED)) {
            return wf_fail(cloth->context, WF_ERROR_NUMERIC,
                           "the velocity of vertex %d must be below %g m/s, got {%g, %g, %g}", (int)k + 1,
                           LARGEST_SPEED, velocities[k].x, velocities[k].y, velocities[k].z);
        }
    }
    wf_export_order order;
    wf_status status = wf_export_order_build(cloth, &order);
    if (status == WF_OK) {
        for (int32_t k = 0; k < cloth->mesh.vertex_count; k++) {
            cloth->velocities[order.vertices[k]] = velocities[k];
        }
        wf_export_order_free(cloth, &order);
    }
    return status;
}
