/* body.c - bodies; see body.h. */
#include "body/body.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

static const double largest_thickness = 0.1, largest_friction = 10;

wf_body_def wf_default_body_def(void)
{
    return (wf_body_def){.thickness = 0.0005, .friction = 0.4};
}

/* ---- faces that no mesh can hold -------------------------------------------------------------------------------- */

/* A face's vertices in increasing order, and its place. */
typedef struct sorted_face {
    int32_t vertices[3], place;
} sorted_face;

static int compare_faces(const void *a, const void *b)
{
    const sorted_face *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->vertices[k] != q->vertices[k]) {
            return p->vertices[k] < q->vertices[k] ? -1 : 1;
        }
    }
    return p->place < q->place ? -1 : p->place > q->place;
}

static void order(int32_t *a, int32_t *b)
{
    if (*a > *b) {
        int32_t swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

/* Copies the faces without those that name a vertex twice or repeat an earlier one. */
static wf_status keep_good_faces(wf_context *context, const wf_body_def *def, int32_t (**faces)[3], int32_t *count)
{
    size_t given = (size_t)def->face_count;
    int32_t (*kept)[3] = wf_allocate(context, given, sizeof *kept);
    sorted_face *sorted = wf_allocate(context, given, sizeof *sorted);
    bool *dropped = wf_allocate(context, given, sizeof *dropped);
    if (!kept || !sorted || !dropped) {
        wf_free(context, kept);
        wf_free(context, sorted);
        wf_free(context, dropped);
        return WF_ERROR_MEMORY;
    }
    for (size_t f = 0; f < given; f++) {
        sorted_face *face = &sorted[f];
        *face = (sorted_face){{def->faces[f][0], def->faces[f][1], def->faces[f][2]}, (int32_t)f};
        order(&face->vertices[0], &face->vertices[1]);
        order(&face->vertices[1], &face->vertices[2]);
        order(&face->vertices[0], &face->vertices[1]);
        dropped[f] = face->vertices[0] == face->vertices[1] || face->vertices[1] == face->vertices[2];
    }
    qsort(sorted, given, sizeof *sorted, compare_faces);
    for (size_t i = 1; i < given; i++) {
        if (memcmp(sorted[i - 1].vertices, sorted[i].vertices, sizeof sorted[i].vertices) == 0) {
            dropped[sorted[i].place] = true;
        }
    }
    *count = 0;
    for (size_t f = 0; f < given; f++) {
        if (!dropped[f]) {
            memcpy(kept[(*count)++], def->faces[f], sizeof *kept);
        }
    }
    wf_free(context, sorted);
    wf_free(context, dropped);
    *faces = kept;
    return WF_OK;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static void turn_inside_out(int32_t (*faces)[3], int32_t count)
{
    for (int32_t f = 0; f < count; f++) {
        int32_t swapped = faces[f][1];
        faces[f][1] = faces[f][2];
        faces[f][2] = swapped;
    }
}

static wf_status build_mesh(wf_body *body, const wf_body_def *def)
{
    wf_context *context = body->context;
    int32_t (*faces)[3], count;
    wf_status status = keep_good_faces(context, def, &faces, &count);
    if (status != WF_OK) {
        return status;
    }
    if (count == 0) {
        wf_free(context, faces);
        return wf_fail(context, WF_ERROR_GEOMETRY, "%s: there is no face", body->name);
    }
    status = wf_mesh_build(context, def->vertex_count, def->positions, count, (const int32_t(*)[3])faces, &body->mesh);
    if (status == WF_OK) {
        status = wf_mesh_examine(context, &body->mesh, &body->report);
    }
    const wf_mesh_report *report = &body->report;
    if (status == WF_OK && report->closed && report->oriented && report->volume < 0) {
        wf_warn(context, "%s: the surface was inside out; its faces were turned", body->name);
        turn_inside_out(faces, count);
        wf_mesh_free(context, &body->mesh);
        status =
            wf_mesh_build(context, def->vertex_count, def->positions, count, (const int32_t(*)[3])faces, &body->mesh);
        if (status == WF_OK) {
            status = wf_mesh_examine(context, &body->mesh, &body->report);
        }
    }
    wf_free(context, faces);
    if (status == WF_OK && count < def->face_count) {
        wf_warn(context, "%s: %d of %d faces were left out, since they name a vertex twice or repeat another face",
                body->name, def->face_count - count, def->face_count);
    }
    return status;
}

static void warn_of_defects(const wf_body *body)
{
    const wf_mesh_report *report = &body->report;
    const char *lost = "cloth collides with it, but inside and outside are unknown, so that nobody can check that a "
                       "garment starts outside";
    if (!report->closed) {
        wf_warn(body->context, "%s: the surface is open (%d boundary edges in %d loops); %s", body->name,
                report->boundary_edges, report->boundary_loops, lost);
    } else if (!report->manifold) {
        wf_warn(body->context, "%s: the surface is not a manifold (%d edges with more than two faces, %d vertices "
                "where parts touch); %s", body->name, report->nonmanifold_edges, report->nonmanifold_vertices, lost);
    } else if (!report->oriented) {
        wf_warn(body->context, "%s: neighbouring faces do not have the same side outside; %s", body->name, lost);
    }
}

static void find_bounds(wf_body *body)
{
    const wf_mesh *mesh = &body->mesh;
    body->lower = (wf_vec3){INFINITY, INFINITY, INFINITY};
    body->upper = (wf_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int32_t f = 0; f < mesh->face_count; f++) { /* a vertex of no face is no part of the surface */
        for (int k = 0; k < 3; k++) {
            wf_vec3 p = mesh->positions[mesh->faces[f][k]];
            body->lower = (wf_vec3){fmin(body->lower.x, p.x), fmin(body->lower.y, p.y), fmin(body->lower.z, p.z)};
            body->upper = (wf_vec3){fmax(body->upper.x, p.x), fmax(body->upper.y, p.y), fmax(body->upper.z, p.z)};
        }
    }
}

static wf_status fill_body(wf_body *body, const wf_body_def *def)
{
    strncpy(body->name, def->name ? def->name : "body", sizeof body->name - 1);
    wf_status status = wf_body_set_thickness(body, def->thickness);
    if (status == WF_OK) {
        status = wf_body_set_friction(body, def->friction);
    }
    if (status == WF_OK) {
        status = build_mesh(body, def);
    }
    if (status == WF_OK && def->sizes) {
        body->sizes = wf_allocate(body->context, 1, sizeof *body->sizes);
        if (!body->sizes) {
            return WF_ERROR_MEMORY;
        }
        *body->sizes = *def->sizes;
    }
    if (status != WF_OK) {
        return status;
    }
    body->solid = body->report.closed && body->report.manifold && body->report.oriented;
    find_bounds(body);
    warn_of_defects(body);
    return WF_OK;
}

wf_status wf_body_create(wf_context *context, const wf_body_def *def, wf_body **body)
{
    *body = NULL;
    wf_body *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    made->context = context;
    made->reference_count = 1;
    wf_status status = fill_body(made, def);
    if (status != WF_OK) {
        wf_body_release(made);
        return status;
    }
    *body = made;
    return WF_OK;
}

wf_status wf_body_create_mannequin(wf_context *context, const wf_mannequin_def *figure, const wf_body_def *def,
                                   wf_body **body)
{
    *body = NULL;
    wf_mannequin mannequin;
    wf_status status = wf_mannequin_make(context, figure, &mannequin);
    if (status != WF_OK) {
        return status;
    }
    wf_body_def filled = *def;
    filled.name = def->name ? def->name : "mannequin";
    filled.vertex_count = mannequin.vertex_count;
    filled.face_count = mannequin.face_count;
    filled.positions = mannequin.positions;
    filled.faces = (const int32_t(*)[3])mannequin.faces;
    filled.sizes = &mannequin.sizes;
    status = wf_body_create(context, &filled, body);
    wf_mannequin_free(context, &mannequin);
    return status;
}

wf_body *wf_body_retain(wf_body *body)
{
    if (body) {
        body->reference_count++;
    }
    return body;
}

void wf_body_release(wf_body *body)
{
    if (!body || --body->reference_count > 0) {
        return;
    }
    wf_mesh_free(body->context, &body->mesh);
    wf_free(body->context, body->sizes);
    wf_free(body->context, body);
}

static wf_status check_place(const wf_body *body, int32_t i, wf_vec3 p)
{
    if (fabs(p.x) < WF_MESH_LARGEST_COORDINATE && fabs(p.y) < WF_MESH_LARGEST_COORDINATE &&
        fabs(p.z) < WF_MESH_LARGEST_COORDINATE) {
        return WF_OK;
    }
    return wf_fail(body->context, WF_ERROR_NUMERIC, "%s: vertex %d is to be at (%g, %g, %g)", body->name, (int)i + 1,
                   p.x, p.y, p.z);
}

wf_status wf_body_move(wf_body *body, const wf_vec3 *positions)
{
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        wf_status status = check_place(body, i, positions[i]);
        if (status != WF_OK) {
            return status;
        }
    }
    memcpy(body->mesh.positions, positions, (size_t)body->mesh.vertex_count * sizeof *positions);
    find_bounds(body);
    return WF_OK;
}

/* Rodrigues' formula, with the versine as 2 sin^2 of the half: exact for small angles. */
static wf_vec3 turn_about(wf_vec3 p, wf_vec3 centre, wf_vec3 turn)
{
    double angle = wf_vec3_norm(turn), half_sine = sin(0.5 * angle);
    if (angle == 0) {
        return p;
    }
    wf_vec3 axis = wf_vec3_scale(turn, 1 / angle), r = wf_vec3_sub(p, centre), across = wf_vec3_cross(axis, r);
    wf_vec3 moved = wf_vec3_muladds(p, across, sin(angle));
    return wf_vec3_muladds(moved, wf_vec3_cross(axis, across), 2 * half_sine * half_sine);
}

wf_status wf_body_move_rigidly(wf_body *body, wf_vec3 turn, wf_vec3 centre, wf_vec3 shift)
{
    wf_vec3 *x = body->mesh.positions;
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        wf_status status = check_place(body, i, wf_vec3_add(turn_about(x[i], centre, turn), shift));
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        x[i] = wf_vec3_add(turn_about(x[i], centre, turn), shift);
    }
    find_bounds(body);
    return WF_OK;
}

wf_status wf_body_set_thickness(wf_body *body, double thickness)
{
    if (!(thickness >= 0 && thickness <= largest_thickness)) {
        return wf_fail(body->context, WF_ERROR_ARGUMENT, "thickness must be from 0 to %g m, got %g", largest_thickness,
                       thickness);
    }
    body->thickness = thickness;
    return WF_OK;
}

wf_status wf_body_set_friction(wf_body *body, double friction)
{
    if (!(friction >= 0 && friction <= largest_friction)) {
        return wf_fail(body->context, WF_ERROR_ARGUMENT, "friction must be from 0 to %g, got %g", largest_friction,
                       friction);
    }
    body->friction = friction;
    return WF_OK;
}
