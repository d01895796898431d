/* untangle_layers.c - layers into their order, outwards from the body. */
#include <string.h>

#include "contact/untangle_private.h"

#define REACH_OF_LAYERS 0.05 /* m: layers further from each other are not compared */

/* Away from the nearest solid; zero where there is none near. */
static wf_vec3 outward(const wf_untangler *u, int32_t i)
{
    if (!u->solid || !(fabs(u->distance[i]) < 10 * REACH_OF_LAYERS)) {
        return (wf_vec3){0, 0, 0};
    }
    wf_vec3 away = wf_vec3_normalize(wf_vec3_sub(u->x[i], u->closest[i]));
    return u->distance[i] < 0 ? wf_vec3_scale(away, -1) : away;
}

/* Distances of all cloth vertices from the faces that are marked, and the places there (`closest` may be NULL). */
static wf_status measure_from(wf_untangler *u, const uint8_t *marked, double *distance, wf_vec3 *closest)
{
    int32_t (*faces)[3] = wf_allocate(u->context, (size_t)u->cloth_faces, sizeof *faces), count = 0;
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        if (marked[f]) {
            memcpy(faces[count++], u->def->scene.cloth_faces[f], sizeof *faces);
        }
    }
    wf_mesh mesh = {0};
    wf_solid *surface = NULL;
    wf_status status =
        wf_mesh_build_bare(u->context, u->vertex_count, u->x, count, (const int32_t(*)[3])faces, &mesh);
    if (status == WF_OK) {
        status = wf_solid_create(u->context, &mesh, &surface);
    }
    if (status == WF_OK) {
        wf_solid_distance(u->context, surface, u->cloth_count, u->x, distance, closest);
    }
    wf_solid_destroy(u->context, surface);
    wf_mesh_free(u->context, &mesh);
    wf_free(u->context, faces);
    return status;
}

typedef struct layer_scratch {
    wf_vec3 *normals, *closest;
    double *distance;
    uint8_t *marked; /* faces */
} layer_scratch;

/* Counts the vertices of faces further out than `layer` that are on the wrong side of it; they wish to cross over. Of
 * the layer's faces those that they have to pass are marked as passing, too. */
static wf_status order_layer(wf_untangler *u, int32_t layer, layer_scratch *s)
{
    const int32_t *face_layer = u->def->face_layer;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        s->marked[f] = face_layer[f] == layer;
    }
    wf_status status = measure_from(u, s->marked, s->distance, s->closest);
    int32_t before = u->misplaced;
    double deepest = 0;
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->vertex_layer[i] <= layer || s->distance[i] > REACH_OF_LAYERS) {
            continue;
        }
        wf_vec3 out = outward(u, i), off = wf_vec3_sub(u->x[i], s->closest[i]);
        out = wf_vec3_norm2(out) > 0 ? out : s->normals[i];
        double height = wf_vec3_dot(off, out), wanted = 2 * u->def->scene.half_thickness[i];
        /* Beside the layer, past its border, is neither over it nor under it. */
        if (height < 0 && height < -0.7 * s->distance[i]) {
            u->misplaced++;
            u->passing[i] = 1;
            deepest = fmax(deepest, s->distance[i]);
            wf_untangle_wish(u, i, wf_vec3_scale(out, fmin(wanted - height, wf_untangle_step(u, i))), 4);
        }
    }
    if (status != WF_OK || u->misplaced == before) {
        return status;
    }
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        const int32_t *v = u->def->scene.cloth_faces[f];
        s->marked[f] = face_layer[f] > layer && (u->passing[v[0]] || u->passing[v[1]] || u->passing[v[2]]);
    }
    status = measure_from(u, s->marked, s->distance, NULL);
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        u->passing[i] |= u->vertex_layer[i] == layer && s->distance[i] <= deepest + 2 * wf_untangle_step(u, i);
    }
    return status;
}

static int32_t next_layer(const wf_untangler *u, int32_t layer)
{
    int32_t next = INT32_MAX;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        int32_t of_face = u->def->face_layer[f];
        next = of_face > layer && of_face < next ? of_face : next;
    }
    return next;
}

/* Where there is no body, cloth takes its own normals for outward: near another layer it lies along it. */
wf_status wf_untangle_order_layers(wf_untangler *u)
{
    u->misplaced = 0;
    memset(u->passing, 0, (size_t)u->cloth_count);
    if (!u->def->face_layer) {
        return WF_OK;
    }
    int32_t least = INT32_MAX, largest = INT32_MIN;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        least = u->def->face_layer[f] < least ? u->def->face_layer[f] : least;
        largest = u->def->face_layer[f] > largest ? u->def->face_layer[f] : largest;
    }
    layer_scratch s = {.normals = wf_allocate(u->context, (size_t)u->vertex_count, sizeof *s.normals),
                       .closest = wf_allocate(u->context, (size_t)u->cloth_count, sizeof *s.closest),
                       .distance = wf_allocate(u->context, (size_t)u->cloth_count, sizeof *s.distance),
                       .marked = wf_allocate(u->context, (size_t)u->cloth_faces, sizeof *s.marked)};
    wf_status status = s.normals && s.closest && s.distance && s.marked ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&u->cloth, u->x, s.normals);
    }
    for (int32_t layer = least; status == WF_OK && layer < largest; layer = next_layer(u, layer)) {
        status = order_layer(u, layer, &s);
    }
    wf_free(u->context, s.normals);
    wf_free(u->context, s.closest);
    wf_free(u->context, s.distance);
    wf_free(u->context, s.marked);
    return status;
}

/* Crossing faces of different layers: the outer one goes outward. */
void wf_untangle_part_layers(wf_untangler *u)
{
    for (int64_t k = 0; u->def->face_layer && k < wf_untangle_listed(u->self_count); k++) {
        int32_t f = u->self[k][0], g = u->self[k][1];
        int32_t f_layer = u->def->face_layer[f], g_layer = u->def->face_layer[g];
        if (f_layer == g_layer) {
            continue;
        }
        const int32_t *outer = u->def->scene.cloth_faces[f_layer > g_layer ? f : g];
        const int32_t *inner = u->def->scene.cloth_faces[f_layer > g_layer ? g : f];
        wf_vec3 normal = wf_untangle_face_normal(u->x, inner);
        for (int c = 0; c < 3; c++) {
            wf_vec3 out = outward(u, outer[c]);
            out = wf_vec3_norm2(out) > 0 ? out : normal;
            wf_untangle_wish(u, outer[c], wf_vec3_scale(out, wf_untangle_step(u, outer[c])), 1);
        }
    }
}
