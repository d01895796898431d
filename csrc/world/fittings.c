/* fittings.c - see fittings.h; what worlds make of them is in fitting_models.c. */
#include "world/fittings.h"

#include <stdlib.h>
#include <string.h>

#include "contact/distance.h"

/* ---- a life ---------------------------------------------------------------------------------------------------- */

wf_fitting *wf_fitting_retain(wf_fitting *fitting)
{
    fitting->references++;
    return fitting;
}

void wf_fitting_release(wf_fitting *fitting)
{
    if (!fitting || --fitting->references > 0) {
        return;
    }
    for (int32_t t = 0; fitting->places && t < fitting->count; t++) {
        wf_body_release(fitting->places[t][1].body);
    }
    void *arrays[] = {fitting->edges, fitting->rest_lengths, fitting->faces,
                      fitting->places, fitting->gaps, fitting->broken, fitting->joints};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(fitting->context, arrays[i]);
    }
    wf_free(fitting->context, fitting);
}

/* The world makes its models anew. */
static void announce(const wf_fitting *fitting)
{
    for (int k = 0; k < 2; k++) {
        if (fitting->cloths[k]) {
            fitting->cloths[k]->materials++;
        }
    }
}

static void take_off(wf_cloth *cloth, wf_fitting *fitting)
{
    for (size_t i = 0; i < cloth->fitting_count; i++) {
        if (cloth->fittings[i] == fitting) {
            cloth->fitting_count--;
            memmove(&cloth->fittings[i], &cloth->fittings[i + 1],
                    (cloth->fitting_count - i) * sizeof(wf_fitting *));
            wf_fitting_release(fitting);
            return;
        }
    }
}

void wf_fitting_remove(wf_fitting *fitting)
{
    wf_fitting_retain(fitting);
    announce(fitting);
    for (int k = 0; k < 2; k++) {
        if (fitting->cloths[k]) {
            take_off(fitting->cloths[k], fitting);
        }
    }
    fitting->cloths[0] = fitting->cloths[1] = NULL;
    wf_fitting_release(fitting);
}

void wf_cloth_remove_fittings(wf_cloth *cloth)
{
    while (cloth->fitting_count > 0) {
        wf_fitting_remove(cloth->fittings[cloth->fitting_count - 1]);
    }
    wf_free(cloth->context, (void *)cloth->fittings);
    cloth->fittings = NULL;
    cloth->fitting_capacity = 0;
}

void wf_fitting_touch(wf_fitting *fitting)
{
    fitting->changes++;
}

/* A gas that is off is no part of the world's model: its term would be there without a force. */
void wf_fitting_switch(wf_fitting *fitting, bool on)
{
    fitting->on = on;
    fitting->changes++;
    if (fitting->chamber.gas || fitting->kind == WF_FITTING_FOLD) {
        announce(fitting);
    }
}

void wf_fitting_set_angle(wf_fitting *fitting, double angle)
{
    fitting->angle = angle;
    announce(fitting);
}

static wf_fitting *make_fitting(wf_context *context, wf_fitting_kind kind, int32_t count)
{
    wf_fitting *fitting = wf_allocate(context, 1, sizeof *fitting);
    if (fitting) {
        *fitting = (wf_fitting){.context = context, .kind = kind, .references = 1, .on = true, .count = count};
    }
    return fitting;
}

/* Puts a fitting that is complete on its cloths, or on none. */
static wf_status put_on(wf_fitting *fitting, wf_cloth *first, wf_cloth *second)
{
    wf_cloth *cloths[2] = {first, second == first ? NULL : second};
    for (int k = 0; k < 2 && cloths[k]; k++) {
        wf_status status = wf_reserve(fitting->context, (void *)&cloths[k]->fittings, &cloths[k]->fitting_capacity,
                                      cloths[k]->fitting_count + 1, sizeof(wf_fitting *));
        if (status != WF_OK) {
            return status;
        }
    }
    for (int k = 0; k < 2 && cloths[k]; k++) {
        cloths[k]->fittings[cloths[k]->fitting_count++] = wf_fitting_retain(fitting);
        fitting->cloths[k] = cloths[k];
    }
    announce(fitting);
    return WF_OK;
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* The edge's length in the pattern of the first face that has it; 0: there is none. */
static double edge_rest_length(const wf_cloth *cloth, int32_t a, int32_t b)
{
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t i = cloth->mesh.faces[f][k], j = cloth->mesh.faces[f][(k + 1) % 3];
            if ((i == a && j == b) || (i == b && j == a)) {
                return wf_vec2_norm(wf_vec2_sub(cloth->rest[f][(k + 1) % 3], cloth->rest[f][k]));
            }
        }
    }
    return 0;
}

static wf_status fill_line(wf_cloth *cloth, const wf_line_def *def, wf_fitting *fitting)
{
    for (int32_t e = 0; e < fitting->count; e++) {
        int32_t source[2] = {def->path[e], def->path[(e + 1) % def->count]};
        for (int k = 0; k < 2; k++) {
            if (source[k] < 0 || source[k] >= cloth->source_count) {
                return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "vertex %lld of %d does not exist",
                               (long long)source[k] + 1, (int)cloth->source_count);
            }
        }
        fitting->rest_lengths[e] = edge_rest_length(cloth, cloth->vertex_of_source[source[0]],
                                                    cloth->vertex_of_source[source[1]]);
        if (!(fitting->rest_lengths[e] > 0)) {
            return wf_fail(cloth->context, WF_ERROR_GEOMETRY,
                           "no edge joins the path's vertices %d and %d (places %d and %d)", (int)source[0] + 1,
                           (int)source[1] + 1, (int)e + 1, (int)((e + 1) % def->count) + 1);
        }
        fitting->edges[e][0] = source[0];
        fitting->edges[e][1] = source[1];
        fitting->rest_length += fitting->rest_lengths[e];
    }
    return WF_OK;
}

wf_status wf_cloth_add_line(wf_cloth *cloth, const wf_line_def *def, wf_fitting **result)
{
    wf_context *context = cloth->context;
    *result = NULL;
    if (def->count < (def->closed ? 3 : 2)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a path needs at least %d vertices, got %d", def->closed ? 3 : 2,
                       (int)def->count);
    }
    wf_fitting *fitting = make_fitting(context, def->kind, def->closed ? def->count : def->count - 1);
    if (!fitting) {
        return WF_ERROR_MEMORY;
    }
    fitting->edges = wf_allocate(context, (size_t)fitting->count, sizeof *fitting->edges);
    fitting->rest_lengths = wf_allocate(context, (size_t)fitting->count, sizeof *fitting->rest_lengths);
    fitting->stiffness = def->stiffness;
    fitting->viscosity = def->viscosity;
    fitting->pushes = def->pushes || def->kind == WF_FITTING_SEAM;
    fitting->closed = def->closed;
    fitting->bending = def->bending;
    fitting->angle = def->angle;
    wf_status status = fitting->edges && fitting->rest_lengths ? fill_line(cloth, def, fitting) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        fitting->length = def->kind == WF_FITTING_SEAM ? fitting->rest_length * (1 - def->shrinkage) : def->length;
        status = put_on(fitting, cloth, NULL);
    }
    if (status != WF_OK) {
        wf_fitting_release(fitting);
        return status;
    }
    *result = fitting;
    return WF_OK;
}

static wf_status find_joints(wf_fitting *fitting, const wf_incidence *around)
{
    const wf_cloth *cloth = fitting->cloths[0];
    wf_context *context = fitting->context;
    size_t count = (size_t)fitting->count + !fitting->closed;
    wf_free(context, fitting->joints);
    fitting->joint_count = 0;
    fitting->joints = wf_allocate(context, count, sizeof *fitting->joints);
    int32_t *path = wf_allocate(context, count, sizeof *path);
    wf_status status = fitting->joints && path ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (size_t i = 0; i < count; i++) {
            bool last = i == (size_t)fitting->count;
            path[i] = cloth->vertex_of_source[fitting->edges[i - last][last]];
        }
        const wf_stiff_path line = {.vertex_count = cloth->mesh.vertex_count, .face_count = cloth->mesh.face_count,
                                    .faces = (const int32_t(*)[3])cloth->mesh.faces,
                                    .rest = (const wf_vec2(*)[3])cloth->rest, .around = around,
                                    .count = (int32_t)count, .path = path, .closed = fitting->closed};
        status = wf_stiff_path_joints(context, &line, fitting->joints, &fitting->joint_count);
    }
    wf_free(context, path);
    return status;
}

bool wf_cloth_has_fitting(const wf_cloth *cloth, wf_fitting_kind kind)
{
    for (size_t i = 0; i < cloth->fitting_count; i++) {
        if (cloth->fittings[i]->kind == kind) {
            return true;
        }
    }
    return false;
}

wf_status wf_cloth_corners(const wf_cloth *cloth, wf_incidence *around)
{
    const wf_stencil corners = {cloth->mesh.face_count, 3, &cloth->mesh.faces[0][0]};
    return wf_incidence_build(cloth->context, cloth->mesh.vertex_count, &corners, around);
}

wf_status wf_cloth_find_joints(const wf_cloth *cloth)
{
    if (!wf_cloth_has_fitting(cloth, WF_FITTING_SEAM)) {
        return WF_OK;
    }
    wf_incidence around;
    wf_status status = wf_cloth_corners(cloth, &around);
    for (size_t i = 0; status == WF_OK && i < cloth->fitting_count; i++) {
        wf_fitting *fitting = cloth->fittings[i];
        status = fitting->kind == WF_FITTING_SEAM ? find_joints(fitting, &around) : WF_OK;
    }
    wf_incidence_free(cloth->context, &around);
    return status;
}

wf_stiff_joint wf_fitting_joint(const wf_fitting *fitting, int32_t joint, int32_t first_vertex)
{
    wf_stiff_joint result = fitting->joints[joint];
    for (int i = 0; i < WF_JOINT_NODES; i++) {
        result.vertices[i] += first_vertex;
    }
    result.stiffness = fitting->on ? fitting->bending : 0;
    result.viscosity = fitting->viscosity;
    return result;
}

bool wf_fitting_band_edge(const wf_fitting *fitting, int32_t edge, int32_t first_vertex, wf_band_edge *band)
{
    const wf_cloth *cloth = fitting->cloths[0];
    *band = (wf_band_edge){.length = fitting->length * fitting->rest_lengths[edge] / fitting->rest_length,
                           .stiffness = fitting->on ? fitting->stiffness : 0,
                           .viscosity = fitting->viscosity,
                           .pushes = fitting->pushes};
    for (int k = 0; k < 2; k++) {
        band->vertices[k] = first_vertex + cloth->vertex_of_source[fitting->edges[edge][k]];
    }
    return band->vertices[0] != band->vertices[1];
}

wf_drawstring wf_fitting_string(const wf_fitting *fitting)
{
    return (wf_drawstring){fitting->length, fitting->on ? fitting->stiffness : 0, fitting->viscosity, fitting->settled,
                           INFINITY};
}

static double edge_length(const wf_fitting *fitting, int32_t edge)
{
    const wf_cloth *cloth = fitting->cloths[0];
    return wf_vec3_distance(cloth->mesh.positions[cloth->vertex_of_source[fitting->edges[edge][0]]],
                            cloth->mesh.positions[cloth->vertex_of_source[fitting->edges[edge][1]]]);
}

double wf_fitting_path(const wf_fitting *fitting)
{
    double sum = 0;
    for (int32_t e = 0; e < fitting->count; e++) {
        sum += edge_length(fitting, e);
    }
    return sum;
}

double wf_fitting_tension(const wf_fitting *fitting)
{
    if (fitting->kind == WF_FITTING_DRAWSTRING) {
        wf_drawstring string = wf_fitting_string(fitting);
        return wf_drawstring_tension(&string, wf_fitting_path(fitting));
    }
    double sum = 0;
    for (int32_t e = 0; e < fitting->count; e++) {
        wf_band_edge band;
        if (wf_fitting_band_edge(fitting, e, 0, &band)) {
            sum += wf_band_tension(&band, edge_length(fitting, e)) * fitting->rest_lengths[e] / fitting->rest_length;
        }
    }
    return sum;
}

/* ---- air ------------------------------------------------------------------------------------------------------- */

static int compare_indices(const void *a, const void *b)
{
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

/* own: scratch [face_count] of the cloth */
static wf_status fill_air(wf_cloth *cloth, const int32_t *faces, int32_t *own, wf_fitting *fitting)
{
    for (int32_t k = 0; k < fitting->count; k++) {
        fitting->faces[k] = faces ? faces[k] : k;
        if (fitting->faces[k] < 0 || fitting->faces[k] >= cloth->mesh.face_count) {
            return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "face %lld of %d does not exist",
                           (long long)fitting->faces[k] + 1, (int)cloth->mesh.face_count);
        }
    }
    qsort(fitting->faces, (size_t)fitting->count, sizeof *fitting->faces, compare_indices);
    for (int32_t k = 1; k < fitting->count; k++) {
        if (fitting->faces[k] == fitting->faces[k - 1]) {
            return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "face %d is named twice", (int)fitting->faces[k] + 1);
        }
    }
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        own[cloth->source_face[f]] = f;
    }
    for (int32_t k = 0; k < fitting->count; k++) {
        fitting->faces[k] = own[fitting->faces[k]];
    }
    qsort(fitting->faces, (size_t)fitting->count, sizeof *fitting->faces, compare_indices);
    return WF_OK;
}

/* That the faces are closed; messages name the caller's vertices. */
static wf_status check_closed(const wf_cloth *cloth, const wf_fitting *fitting)
{
    wf_context *context = cloth->context;
    int32_t(*corners)[3] = wf_allocate(context, (size_t)fitting->count, sizeof *corners);
    int32_t *source = wf_allocate(context, (size_t)cloth->mesh.vertex_count, sizeof *source);
    wf_status status = corners && source ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        for (int32_t k = 0; k < fitting->count; k++) {
            memcpy(corners[k], cloth->mesh.faces[fitting->faces[k]], sizeof corners[k]);
        }
        for (int32_t s = cloth->source_count - 1; s >= 0; s--) {
            source[cloth->vertex_of_source[s]] = s;
        }
        status = wf_pressure_check_closed(context, fitting->count, (const int32_t(*)[3])corners, source);
    }
    wf_free(context, source);
    wf_free(context, corners);
    return status;
}

double wf_fitting_volume(const wf_fitting *fitting)
{
    const wf_cloth *cloth = fitting->cloths[0];
    const wf_vec3 *x = cloth->mesh.positions;
    double sum = 0;
    for (int32_t k = 0; k < fitting->count; k++) {
        const int32_t *v = cloth->mesh.faces[fitting->faces[k]];
        sum += wf_vec3_dot(x[v[0]], wf_vec3_cross(x[v[1]], x[v[2]])) / 6;
    }
    return fitting->inward ? -sum : sum;
}

double wf_fitting_pressure(const wf_fitting *fitting)
{
    return wf_pressure_at(&fitting->chamber, fitting->chamber.gas ? wf_fitting_volume(fitting) : 0);
}

static wf_status fill_gas(wf_cloth *cloth, double excess, double outside, wf_fitting *fitting)
{
    wf_status status = check_closed(cloth, fitting);
    if (status != WF_OK) {
        return status;
    }
    fitting->inward = wf_fitting_volume(fitting) < 0;
    double volume = wf_fitting_volume(fitting), amount = (outside + excess) * volume;
    if (!(volume > 1e-9)) {
        return wf_fail(cloth->context, WF_ERROR_GEOMETRY, "a gas needs a volume above 1e-9 m3 to begin with, got %g",
                       volume);
    }
    if (!(amount > 0)) {
        return wf_fail(cloth->context, WF_ERROR_ARGUMENT,
                       "a gas needs an absolute pressure above 0, got %g Pa outside and %g Pa more inside", outside,
                       excess);
    }
    fitting->chamber = (wf_chamber){.gas = true, .amount = amount, .outside = outside};
    return WF_OK;
}

wf_status wf_cloth_add_air(wf_cloth *cloth, int32_t count, const int32_t *faces, bool gas, double excess,
                           double outside, wf_fitting **result)
{
    *result = NULL;
    if (faces && count < 1) {
        return wf_fail(cloth->context, WF_ERROR_ARGUMENT, "air needs at least one face behind which it is");
    }
    wf_fitting *fitting = make_fitting(cloth->context, WF_FITTING_AIR, faces ? count : cloth->mesh.face_count);
    if (!fitting) {
        return WF_ERROR_MEMORY;
    }
    int32_t *scratch = wf_allocate(cloth->context, (size_t)cloth->mesh.face_count, sizeof *scratch);
    fitting->faces = wf_allocate(cloth->context, (size_t)fitting->count, sizeof *fitting->faces);
    fitting->chamber.pressure = excess;
    wf_status status = scratch && fitting->faces ? fill_air(cloth, faces, scratch, fitting) : WF_ERROR_MEMORY;
    wf_free(cloth->context, scratch);
    if (status == WF_OK) {
        fitting->cloths[0] = cloth; /* to be measured */
        status = gas ? fill_gas(cloth, excess, outside, fitting) : WF_OK;
    }
    if (status == WF_OK) {
        status = put_on(fitting, cloth, NULL);
    }
    if (status != WF_OK) {
        wf_fitting_release(fitting);
        return status;
    }
    *result = fitting;
    return WF_OK;
}

/* ---- ties ------------------------------------------------------------------------------------------------------ */

/* The caller's place with the face that is the cloth's own. */
static wf_place own_place(const wf_place *place)
{
    wf_place own = *place;
    if (place->cloth && place->face >= 0) {
        own.face = 0;
        while (place->cloth->source_face[own.face] != place->face) {
            own.face++;
        }
    }
    return own;
}

/* The vertices of an own place, in its cloth's or body's own numbering; returns how many. */
static int32_t corners_of(const wf_place *place, int32_t corners[3])
{
    if (place->face >= 0) {
        const wf_mesh *mesh = place->cloth ? &place->cloth->mesh : &place->body->mesh;
        memcpy(corners, mesh->faces[place->face], 3 * sizeof *corners);
        return 3;
    }
    for (int32_t k = 0; k < place->count; k++) {
        corners[k] = place->cloth ? place->cloth->vertex_of_source[place->vertices[k]] : place->vertices[k];
    }
    return place->count;
}

/* Where a body's place is at the end of the present step. */
static wf_vec3 body_point(const wf_place *place)
{
    int32_t corners[3], count = corners_of(place, corners);
    const wf_vec3 *x = place->body->mesh.positions;
    wf_vec3 point = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) {
        point = wf_vec3_muladds(point, x[corners[k]], place->shares[k]);
    }
    if (count == 3 && place->height != 0) {
        wf_vec3 n = wf_vec3_cross(wf_vec3_sub(x[corners[1]], x[corners[0]]), wf_vec3_sub(x[corners[2]], x[corners[0]]));
        point = wf_vec3_muladds(point, wf_vec3_normalize(n), place->height);
    }
    return point;
}

/* One vertex may be a part of both places. */
static void add_share(wf_tie *tie, int32_t vertex, double share)
{
    for (int32_t i = 0; i < tie->count; i++) {
        if (tie->vertices[i] == vertex) {
            tie->shares[i] += share;
            return;
        }
    }
    tie->vertices[tie->count] = vertex;
    tie->shares[tie->count++] = share;
}

double wf_fitting_share(const wf_fitting *fitting, int32_t tie)
{
    return fitting->on && !fitting->broken[tie] ? fmin(fmax(fitting->shut - tie, 0), 1) : 0;
}

wf_tie wf_fitting_tie(const wf_fitting *fitting, int32_t index, const int32_t first_vertex[2])
{
    double share = wf_fitting_share(fitting, index);
    double gap = fmax(fitting->gaps[index], fitting->length);
    wf_tie tie = {.length = fitting->length + (gap - fitting->length) * (1 - share),
                  .stiffness = share > 0 ? fitting->stiffness : 0,
                  .viscosity = fitting->viscosity};
    for (int side = 0; side < 2; side++) {
        const wf_place *place = &fitting->places[index][side];
        if (place->body) {
            tie.anchor = body_point(place);
            continue;
        }
        int which = place->cloth == fitting->cloths[0] ? 0 : 1;
        int32_t corners[3], count = corners_of(place, corners);
        for (int32_t k = 0; k < count; k++) {
            add_share(&tie, first_vertex[which] + corners[k], side == 0 ? place->shares[k] : -place->shares[k]);
        }
    }
    return tie;
}

static wf_vec3 own_place_point(const wf_place *place)
{
    if (place->body) {
        return body_point(place);
    }
    int32_t corners[3], count = corners_of(place, corners);
    wf_vec3 point = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) {
        point = wf_vec3_muladds(point, place->cloth->mesh.positions[corners[k]], place->shares[k]);
    }
    return point;
}

wf_vec3 wf_place_point(const wf_place *place)
{
    const wf_place own = own_place(place);
    return own_place_point(&own);
}

wf_place wf_place_on_body(wf_body *body, wf_vec3 point)
{
    wf_place place = {.body = body};
    double nearest = HUGE_VAL;
    for (int32_t f = 0; f < body->mesh.face_count; f++) {
        const int32_t *v = body->mesh.faces[f];
        const wf_vec3 *at = body->mesh.positions, x[4] = {point, at[v[0]], at[v[1]], at[v[2]]};
        double shares[3], distance = wf_vertex_face_distance(x, shares);
        if (distance < nearest) {
            nearest = distance;
            place.face = f;
            memcpy(place.shares, shares, sizeof shares);
        }
    }
    return place;
}

static wf_vec3 tie_way(const wf_fitting *fitting, int32_t tie)
{
    return wf_vec3_sub(own_place_point(&fitting->places[tie][0]), own_place_point(&fitting->places[tie][1]));
}

wf_vec3 wf_fitting_force(const wf_fitting *fitting, int32_t tie)
{
    const int32_t first_vertex[2] = {0, 0};
    wf_tie law = wf_fitting_tie(fitting, tie, first_vertex);
    return wf_tie_force(&law, tie_way(fitting, tie));
}

void wf_fitting_close(wf_fitting *fitting, double share)
{
    double before = fitting->shut;
    fitting->shut = share * fitting->count;
    for (int32_t t = 0; t < fitting->count; t++) {
        if (before <= t && fitting->shut > t) {
            fitting->gaps[t] = wf_vec3_norm(tie_way(fitting, t));
        }
    }
    fitting->changes++;
}

static wf_status check_place(wf_context *context, const wf_place *place)
{
    int32_t vertices = place->cloth ? place->cloth->source_count : place->body->mesh.vertex_count;
    int32_t faces = place->cloth ? place->cloth->mesh.face_count : place->body->mesh.face_count;
    if (place->face >= faces) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "face %d of %d does not exist", (int)place->face + 1, (int)faces);
    }
    for (int32_t k = 0; place->face < 0 && k < place->count; k++) {
        if (place->vertices[k] < 0 || place->vertices[k] >= vertices) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %lld of %d does not exist",
                           (long long)place->vertices[k] + 1, (int)vertices);
        }
    }
    return WF_OK;
}

wf_status wf_cloth_attach(wf_cloth *cloth, const wf_ties_def *def, wf_fitting **result)
{
    wf_context *context = cloth->context;
    *result = NULL;
    if (def->count < 1) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "there is nothing to attach");
    }
    wf_fitting *fitting = make_fitting(context, WF_FITTING_TIES, def->count);
    if (!fitting) {
        return WF_ERROR_MEMORY;
    }
    size_t count = (size_t)def->count;
    fitting->gaps = wf_allocate(context, count, sizeof *fitting->gaps);
    fitting->broken = wf_allocate(context, count, sizeof *fitting->broken);
    fitting->places = wf_allocate(context, count, sizeof *fitting->places);
    fitting->length = def->length;
    fitting->stiffness = def->stiffness;
    fitting->viscosity = def->viscosity;
    fitting->strength = def->strength;
    wf_status status = fitting->gaps && fitting->broken && fitting->places ? WF_OK : WF_ERROR_MEMORY;
    for (size_t t = 0; status == WF_OK && t < 2 * count; t++) {
        status = check_place(context, &def->places[t / 2][t % 2]);
    }
    for (size_t t = 0; status == WF_OK && t < count; t++) {
        for (int side = 0; side < 2; side++) {
            fitting->places[t][side] = own_place(&def->places[t][side]);
        }
        if (def->places[t][1].body) {
            wf_body_retain(def->places[t][1].body);
        }
    }
    if (status == WF_OK) {
        status = put_on(fitting, cloth, def->places[0][1].cloth);
    }
    if (status != WF_OK) {
        wf_fitting_release(fitting);
        return status;
    }
    wf_fitting_close(fitting, def->closed);
    *result = fitting;
    return WF_OK;
}
