/* cloth.c - making and changing a piece of cloth; see cloth.h. */
#include "world/cloth.h"

#include <string.h>

#include "base/vector.h"
#include "contact/scene.h"
#include "mesh/attributes.h"
#include "mesh/renumber.h"
#include "model/membrane.h"
#include "world/fittings.h"
#include "world/world.h"

static double rest_area(const wf_vec2 rest[3])
{
    return 0.5 * wf_vec2_cross(wf_vec2_sub(rest[1], rest[0]), wf_vec2_sub(rest[2], rest[0]));
}

static wf_status check_faces(wf_context *context, const wf_cloth_def *def)
{
    for (int32_t f = 0; f < def->face_count; f++) {
        if (!(rest_area(def->rest[f]) > 0)) {
            return wf_fail(context, WF_ERROR_GEOMETRY, "face %d has no area, or is turned over, in its pattern",
                           (int)f + 1);
        }
        int32_t fabric = def->fabric ? def->fabric[f] : 0;
        if (fabric < 0 || fabric >= def->fabric_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "face %d names fabric %d of %d", (int)f + 1, (int)fabric + 1,
                           (int)def->fabric_count);
        }
    }
    return WF_OK;
}

static wf_status check_def(wf_context *context, const wf_cloth_def *def)
{
    if (def->fabric_count < 1) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a cloth needs at least one fabric");
    }
    for (int32_t k = 0; k < def->fabric_count; k++) {
        wf_status status = wf_fabric_check(context, &def->fabrics[k]);
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t p = 0; p < def->pair_count; p++) {
        for (int k = 0; k < 2; k++) {
            if (def->pairs[p][k] < 0 || def->pairs[p][k] >= def->vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "stitch %d names vertex %d of %d", (int)p + 1,
                               (int)def->pairs[p][k] + 1, (int)def->vertex_count);
            }
        }
        if (def->pairs[p][0] == def->pairs[p][1]) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "stitch %d joins vertex %d to itself", (int)p + 1,
                           (int)def->pairs[p][0] + 1);
        }
        if (def->pair_seam[p] < 0 || def->pair_seam[p] >= def->seam_count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "stitch %d names seam %d of %d", (int)p + 1,
                           (int)def->pair_seam[p] + 1, (int)def->seam_count);
        }
    }
    return check_faces(context, def);
}

void wf_cloth_grain_rest(const wf_cloth *cloth, wf_vec2 (*rest)[3])
{
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        double grain = cloth->grain ? cloth->grain[f] : 0, c = cos(grain), s = sin(grain);
        for (int k = 0; k < 3; k++) {
            wf_vec2 p = cloth->rest[f][k];
            rest[f][k] = (wf_vec2){c * p.x + s * p.y, -s * p.x + c * p.y};
        }
    }
}

/* A fabric without the curves that the membrane's law, which strains do not depend on, cannot express. */
static wf_fabric without_curves(const wf_fabric *fabric)
{
    wf_fabric linear = *fabric;
    linear.weft_curve.count = linear.warp_curve.count = linear.shear_curve.count = 0;
    linear.weft_unloading.count = linear.warp_unloading.count = linear.shear_unloading.count = 0;
    return linear;
}

wf_status wf_cloth_strains(const wf_cloth *cloth, double (*strains)[3])
{
    wf_context *context = cloth->context;
    const wf_fabric fabric = without_curves(&cloth->fabrics[0]);
    wf_vec2(*rest)[3] = wf_allocate(context, (size_t)cloth->mesh.face_count, sizeof *rest);
    if (!rest) {
        return WF_ERROR_MEMORY;
    }
    wf_cloth_grain_rest(cloth, rest);
    wf_membrane_def def = {.vertex_count = cloth->mesh.vertex_count,
                           .face_count = cloth->mesh.face_count,
                           .faces = (const int32_t(*)[3])cloth->mesh.faces,
                           .rest = (const wf_vec2(*)[3])rest,
                           .fabric_count = 1,
                           .fabrics = &fabric,
                           .form = WF_MEMBRANE_WEAVE};
    wf_model *membrane = NULL;
    wf_status status = wf_membrane_create(context, &def, &membrane);
    if (status == WF_OK) {
        wf_membrane_strains(context, membrane, cloth->mesh.positions, strains);
    }
    wf_model_destroy(context, membrane);
    wf_free(context, rest);
    return status;
}

/* From fabrics and rest shapes. */
static wf_status update_masses(wf_cloth *cloth)
{
    size_t faces = (size_t)cloth->mesh.face_count;
    double *density = wf_allocate(cloth->context, faces, sizeof *density);
    double *masses = wf_allocate(cloth->context, (size_t)cloth->mesh.vertex_count, sizeof *masses);
    wf_status status = density && masses ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (size_t f = 0; f < faces; f++) {
            density[f] = cloth->fabrics[cloth->fabric[f]].density;
        }
        status = wf_lumped_masses(cloth->context, cloth->mesh.vertex_count, (int32_t)faces,
                                  (const int32_t(*)[3])cloth->mesh.faces, (const wf_vec2(*)[3])cloth->rest, density,
                                  masses);
    }
    if (status == WF_OK) {
        memcpy(cloth->masses, masses, (size_t)cloth->mesh.vertex_count * sizeof *masses);
    }
    wf_free(cloth->context, masses);
    wf_free(cloth->context, density);
    return status;
}

void wf_cloth_destroy(wf_cloth *cloth)
{
    if (!cloth) {
        return;
    }
    wf_context *context = cloth->context;
    if (cloth->world) {
        wf_world_remove_cloth(cloth->world, cloth);
    }
    wf_cloth_remove_fittings(cloth);
    void *arrays[] = {cloth->velocities, cloth->masses,      cloth->vertex_of_source, cloth->rest,
                      cloth->grain,      cloth->fabric,      cloth->panel,            cloth->layer,
                      cloth->fabrics,    cloth->pairs,       cloth->pair_seam,        cloth->pair_rest_length,
                      cloth->pinned,     cloth->pin_targets, cloth->seam_ratio,       cloth->source_face,
                      cloth->loose,      (void *)cloth->chosen, cloth->history};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    wf_mesh_free(context, &cloth->mesh);
    wf_free(context, cloth);
}

/* Faces get a history, of nothing yet, as soon as a fabric needs one. */
static wf_status provide_history(wf_cloth *cloth, const wf_fabric *fabric)
{
    if (!cloth->history && wf_fabric_remembers(fabric)) {
        cloth->history = wf_allocate(cloth->context, (size_t)cloth->mesh.face_count, sizeof *cloth->history);
        return cloth->history ? WF_OK : WF_ERROR_MEMORY;
    }
    return WF_OK;
}

/* What `def` does not give is not kept. */
static wf_status allocate_arrays(wf_cloth *cloth, const wf_cloth_def *def)
{
    wf_context *context = cloth->context;
    size_t vertices = (size_t)def->vertex_count, faces = (size_t)def->face_count;
    size_t pairs = (size_t)def->pair_count, fabrics = (size_t)def->fabric_count;
    cloth->velocities = wf_allocate(context, vertices, sizeof *cloth->velocities);
    cloth->masses = wf_allocate(context, vertices, sizeof *cloth->masses);
    cloth->vertex_of_source = wf_allocate(context, vertices, sizeof *cloth->vertex_of_source);
    cloth->source_face = wf_allocate(context, faces, sizeof *cloth->source_face);
    cloth->seam_ratio = pairs > 0 ? wf_allocate(context, vertices, sizeof *cloth->seam_ratio) : NULL;
    cloth->loose = wf_allocate(context, vertices, sizeof *cloth->loose);
    cloth->pinned = wf_allocate(context, vertices, sizeof *cloth->pinned);
    cloth->pin_targets = wf_allocate(context, vertices, sizeof *cloth->pin_targets);
    cloth->rest = wf_allocate(context, faces, sizeof *cloth->rest);
    cloth->grain = def->grain ? wf_allocate(context, faces, sizeof *cloth->grain) : NULL;
    cloth->fabric = wf_allocate(context, faces, sizeof *cloth->fabric);
    cloth->panel = def->panel ? wf_allocate(context, faces, sizeof *cloth->panel) : NULL;
    cloth->layer = def->layer ? wf_allocate(context, faces, sizeof *cloth->layer) : NULL;
    cloth->fabrics = wf_allocate(context, fabrics, sizeof *cloth->fabrics);
    cloth->chosen = wf_allocate(context, fabrics, sizeof *cloth->chosen);
    cloth->pairs = wf_allocate(context, pairs, sizeof *cloth->pairs);
    cloth->pair_seam = wf_allocate(context, pairs, sizeof *cloth->pair_seam);
    cloth->pair_rest_length = wf_allocate(context, pairs, sizeof *cloth->pair_rest_length);
    return cloth->velocities && cloth->masses && cloth->vertex_of_source && cloth->source_face &&
                   (cloth->seam_ratio || pairs == 0) && cloth->loose && cloth->pinned && cloth->pin_targets &&
                   cloth->rest && (cloth->grain || !def->grain) && cloth->fabric && (cloth->panel || !def->panel) &&
                   (cloth->layer || !def->layer) && cloth->fabrics && cloth->chosen && cloth->pairs &&
                   cloth->pair_seam && cloth->pair_rest_length
               ? WF_OK
               : WF_ERROR_MEMORY;
}

static void copy_face(wf_cloth *cloth, const wf_cloth_def *def, int32_t face, int32_t source)
{
    cloth->source_face[face] = source;
    memcpy(cloth->rest[face], def->rest[source], sizeof cloth->rest[face]);
    if (cloth->grain) {
        cloth->grain[face] = def->grain[source];
    }
    cloth->fabric[face] = def->fabric ? def->fabric[source] : 0;
    if (cloth->panel) {
        cloth->panel[face] = def->panel[source];
    }
    if (cloth->layer) {
        cloth->layer[face] = def->layer[source];
    }
}

/* Fills the arrays and the mesh in the order that `vertex_order` and `face_order` (old index of each new one) give. */
static wf_status fill(wf_cloth *cloth, const wf_cloth_def *def, const int32_t *vertex_order, const int32_t *face_order)
{
    wf_context *context = cloth->context;
    int32_t *new_index = wf_allocate(context, (size_t)def->vertex_count, sizeof *new_index);
    wf_vec3 *positions = wf_allocate(context, (size_t)def->vertex_count, sizeof *positions);
    int32_t(*faces)[3] = wf_allocate(context, (size_t)def->face_count, sizeof *faces);
    wf_status status = new_index && positions && faces ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memcpy(cloth->fabrics, def->fabrics, (size_t)def->fabric_count * sizeof *cloth->fabrics);
        for (int32_t i = 0; i < def->vertex_count; i++) {
            new_index[vertex_order[i]] = i;
            cloth->vertex_of_source[vertex_order[i]] = i;
            positions[i] = def->positions[vertex_order[i]];
        }
        for (int32_t f = 0; f < def->face_count; f++) {
            for (int k = 0; k < 3; k++) {
                faces[f][k] = new_index[def->faces[face_order[f]][k]];
            }
            copy_face(cloth, def, f, face_order[f]);
        }
        for (int32_t i = 0; cloth->seam_ratio && i < def->vertex_count; i++) {
            cloth->seam_ratio[i] = 1;
        }
        for (int32_t p = 0; p < def->pair_count; p++) {
            double ratio = def->seam_ratio ? def->seam_ratio[def->pair_seam[p]] : 1;
            for (int k = 0; k < 2; k++) {
                int32_t vertex = new_index[def->pairs[p][k]];
                cloth->pairs[p][k] = vertex;
                cloth->loose[vertex] = WF_LOOSE_TO_NEIGHBOURS;
                cloth->seam_ratio[vertex] = fmax(cloth->seam_ratio[vertex], ratio);
            }
            cloth->pair_seam[p] = def->pair_seam[p];
        }
        status = wf_mesh_build_bare(context, def->vertex_count, positions, def->face_count, (const int32_t(*)[3])faces,
                                    &cloth->mesh);
    }
    wf_free(context, faces);
    wf_free(context, positions);
    wf_free(context, new_index);
    return status;
}

/* Indices must be sound before anything is sorted by them. */
static wf_status check_indices(wf_context *context, const wf_cloth_def *def)
{
    wf_mesh mesh;
    wf_status status =
        wf_mesh_build_bare(context, def->vertex_count, def->positions, def->face_count, def->faces, &mesh);
    if (status == WF_OK && def->face_count < 1) {
        status = wf_fail(context, WF_ERROR_ARGUMENT, "a cloth needs at least one face");
    }
    wf_mesh_free(context, &mesh);
    return status;
}

wf_status wf_cloth_create(wf_context *context, const wf_cloth_def *def, wf_cloth **result)
{
    wf_status status = check_indices(context, def);
    if (status == WF_OK) {
        status = check_def(context, def);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_cloth *cloth = wf_allocate(context, 1, sizeof *cloth);
    if (!cloth) {
        return WF_ERROR_MEMORY;
    }
    cloth->context = context;
    cloth->feels_air = true;
    cloth->air = wf_default_aerodynamics();
    cloth->source_count = def->vertex_count;
    cloth->fabric_count = def->fabric_count;
    cloth->pair_count = def->pair_count;
    int32_t *vertex_order = wf_allocate(context, (size_t)def->vertex_count, sizeof *vertex_order);
    int32_t *face_order = wf_allocate(context, (size_t)def->face_count, sizeof *face_order);
    status = vertex_order && face_order ? allocate_arrays(cloth, def) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_renumber(context, def->vertex_count, def->face_count, def->faces, vertex_order, face_order);
    }
    if (status == WF_OK) {
        status = fill(cloth, def, vertex_order, face_order);
    }
    if (status == WF_OK) {
        status = update_masses(cloth);
    }
    for (int32_t k = 0; status == WF_OK && k < cloth->fabric_count; k++) {
        status = provide_history(cloth, &cloth->fabrics[k]);
    }
    wf_free(context, face_order);
    wf_free(context, vertex_order);
    if (status != WF_OK) {
        wf_cloth_destroy(cloth);
        return status;
    }
    *result = cloth;
    return WF_OK;
}

static const wf_model_entry *model_for(const wf_model_entry *chosen, wf_model_kind kind, const wf_fabric *fabric)
{
    return chosen ? chosen : wf_model_default_for(kind, fabric);
}

const wf_model_entry *wf_cloth_model(const wf_cloth *cloth, int32_t index, wf_model_kind kind)
{
    return model_for(cloth->chosen[index][kind], kind, &cloth->fabrics[index]);
}

wf_status wf_cloth_set_fabric(wf_cloth *cloth, int32_t index, const wf_fabric *fabric)
{
    if (index < 0 || index >= cloth->fabric_count) {
        return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "fabric %d of %d does not exist", (int)index + 1,
                       (int)cloth->fabric_count);
    }
    wf_status status = wf_fabric_check(cloth->context, fabric);
    for (int kind = 0; status == WF_OK && kind < WF_MODEL_KINDS; kind++) {
        const wf_model_entry *model = model_for(cloth->chosen[index][kind], (wf_model_kind)kind, fabric);
        status = wf_model_check_fabric(cloth->context, model, fabric);
    }
    status = status == WF_OK ? provide_history(cloth, fabric) : status;
    if (status != WF_OK) {
        return status;
    }
    wf_fabric before = cloth->fabrics[index];
    cloth->fabrics[index] = *fabric;
    status = update_masses(cloth);
    if (status != WF_OK) {
        cloth->fabrics[index] = before;
        return status;
    }
    cloth->materials++;
    return WF_OK;
}

/* Makes the model of those faces and throws it away. */
static wf_status try_model(const wf_cloth *cloth, int32_t index, const wf_model_entry *entry)
{
    wf_context *context = cloth->context;
    size_t faces = (size_t)cloth->mesh.face_count;
    wf_vec2(*rest)[3] = wf_allocate(context, faces, sizeof *rest);
    bool *active = wf_allocate(context, faces, sizeof *active);
    wf_status status = rest && active ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_cloth_grain_rest(cloth, rest);
        for (size_t f = 0; f < faces; f++) {
            active[f] = index < 0 || cloth->fabric[f] == index;
        }
        const wf_sheet_faces sheet = {.vertex_count = cloth->mesh.vertex_count,
                                      .face_count = cloth->mesh.face_count,
                                      .faces = (const int32_t(*)[3])cloth->mesh.faces,
                                      .rest = (const wf_vec2(*)[3])rest,
                                      .fabric_count = cloth->fabric_count,
                                      .fabrics = cloth->fabrics,
                                      .face_fabric = cloth->fabric,
                                      .active = active};
        wf_model *model = NULL;
        status = wf_model_create(context, entry, &sheet, &model);
        wf_model_destroy(context, model);
    }
    wf_free(context, active);
    wf_free(context, rest);
    return status;
}

wf_status wf_cloth_set_model(wf_cloth *cloth, int32_t index, const wf_model_entry *entry)
{
    if (index < -1 || index >= cloth->fabric_count) {
        return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "fabric %d of %d does not exist", (int)index + 1,
                       (int)cloth->fabric_count);
    }
    wf_status status = try_model(cloth, index, entry);
    for (int32_t k = 0; status == WF_OK && k < cloth->fabric_count; k++) {
        if (index < 0 || index == k) {
            cloth->materials += wf_cloth_model(cloth, k, entry->kind) != entry;
            cloth->chosen[k][entry->kind] = entry;
        }
    }
    return status;
}

static wf_status check_source_vertices(const wf_cloth *cloth, int32_t count, const int32_t *vertices)
{
    for (int32_t k = 0; k < count; k++) {
        if (vertices[k] < 0 || vertices[k] >= cloth->source_count) {
            return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "vertex %lld of %d does not exist",
                           (long long)vertices[k] + 1, (int)cloth->source_count);
        }
    }
    return WF_OK;
}

wf_status wf_cloth_pin(wf_cloth *cloth, int32_t count, const int32_t *vertices, const wf_vec3 *targets)
{
    wf_status status = check_source_vertices(cloth, count, vertices);
    for (int32_t k = 0; status == WF_OK && targets && k < count; k++) {
        if (!(wf_vec3_norm(targets[k]) < WF_MESH_LARGEST_COORDINATE)) {
            status = wf_fail(cloth->context, WF_ERROR_NUMERIC,
                             "the target of vertex %d must be within %g m, got {%g, %g, %g}", (int)vertices[k] + 1,
                             WF_MESH_LARGEST_COORDINATE, targets[k].x, targets[k].y, targets[k].z);
        }
    }
    for (int32_t k = 0; status == WF_OK && k < count; k++) {
        int32_t i = cloth->vertex_of_source[vertices[k]];
        cloth->pinned[i] = 1;
        cloth->pin_targets[i] = targets ? targets[k] : cloth->mesh.positions[i];
    }
    return status;
}

wf_status wf_cloth_unpin(wf_cloth *cloth, int32_t count, const int32_t *vertices)
{
    if (!vertices) {
        memset(cloth->pinned, 0, (size_t)cloth->mesh.vertex_count * sizeof *cloth->pinned);
        return WF_OK;
    }
    wf_status status = check_source_vertices(cloth, count, vertices);
    for (int32_t k = 0; status == WF_OK && k < count; k++) {
        cloth->pinned[cloth->vertex_of_source[vertices[k]]] = 0;
    }
    return status;
}

wf_status wf_cloth_stitch_classes(const wf_cloth *cloth, int32_t *label)
{
    return wf_topology_classes(cloth->context, cloth->mesh.vertex_count, cloth->pair_count,
                               (const int32_t(*)[2])cloth->pairs, label);
}

wf_status wf_cloth_ease(const wf_cloth *cloth, int rings, double *ratio)
{
    size_t count = (size_t)cloth->mesh.vertex_count;
    double *now = wf_allocate(cloth->context, count, sizeof *now);
    double *next = wf_allocate(cloth->context, count, sizeof *next);
    if (!now || !next) {
        wf_free(cloth->context, next);
        wf_free(cloth->context, now);
        return WF_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        next[i] = cloth->seam_ratio ? cloth->seam_ratio[i] : 1;
    }
    for (int ring = 0; ring < rings; ring++) {
        memcpy(now, next, count * sizeof *now);
        for (int32_t corner = 0; corner < 3 * cloth->mesh.face_count; corner++) {
            const int32_t *face = cloth->mesh.faces[corner / 3];
            int32_t a = face[corner % 3], b = face[(corner + 1) % 3];
            next[a] = fmax(next[a], now[b]);
            next[b] = fmax(next[b], now[a]);
        }
    }
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        const int32_t *corners = cloth->mesh.faces[f];
        ratio[f] = fmax(next[corners[0]], fmax(next[corners[1]], next[corners[2]]));
    }
    wf_free(cloth->context, next);
    wf_free(cloth->context, now);
    return WF_OK;
}
