/* body.c - bodies; see body.h. */
#include "body/body.h"

#include <string.h>

#include "base/box.h"
#include "base/rotation.h"

static const double largest_thickness = 0.1, largest_friction = 10;
static const double largest_turn = 1e6; /* rad: far more, and an angle has no digits left */

wf_body_def wf_default_body_def(void)
{
    return (wf_body_def){.thickness = 0.0005, .friction = 0.4};
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static wf_status build_mesh(wf_body *body, const wf_body_def *def)
{
    wf_context *context = body->context;
    int32_t count = def->face_count, (*faces)[3] = wf_allocate(context, (size_t)count, sizeof *faces);
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    memcpy(faces, def->faces, (size_t)count * sizeof *faces);
    wf_status status = wf_mesh_drop_bad_faces(context, faces, &count);
    if (status == WF_OK && count == 0) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "%s: there is no face", body->name);
    }
    if (status == WF_OK) {
        status = wf_mesh_build(context, def->vertex_count, def->positions, count, (const int32_t(*)[3])faces,
                               &body->mesh);
    }
    wf_free(context, faces);
    if (status == WF_OK) {
        status = wf_mesh_examine(context, &body->mesh, &body->report);
    }
    wf_mesh_report *report = &body->report;
    if (status == WF_OK && report->closed && report->oriented && report->volume < 0) {
        wf_warn(context, "%s: the surface was inside out; its faces were turned", body->name);
        wf_mesh_turn(&body->mesh);
        report->volume = -report->volume;
    }
    if (status == WF_OK && count < def->face_count) {
        wf_warn(context, "%s: %d of %d faces were left out, since they name a vertex twice or repeat another face",
                body->name, def->face_count - count, def->face_count);
    }
    return status;
}

static void warn_of_defects(const wf_body *body)
{
    char defect[160];
    if (wf_mesh_describe_defect(&body->report, defect, sizeof defect)) {
        wf_warn(body->context, "%s: %s; cloth collides with it, but inside and outside are unknown, so that nobody can "
                "check that a garment starts outside", body->name, defect);
    }
}

static void find_bounds(wf_body *body)
{
    const wf_mesh *mesh = &body->mesh;
    wf_box box = wf_box_empty();
    for (int32_t f = 0; f < mesh->face_count; f++) { /* a vertex of no face is no part of the surface */
        for (int k = 0; k < 3; k++) {
            wf_box_include(&box, mesh->positions[mesh->faces[f][k]]);
        }
    }
    body->lower = box.lower;
    body->upper = box.upper;
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
    return wf_fail(body->context, WF_ERROR_NUMERIC, "%s: vertex %d is to be at {%g, %g, %g}, expected coordinates "
                   "from %g to %g m", body->name, (int)i + 1, p.x, p.y, p.z, -WF_MESH_LARGEST_COORDINATE,
                   WF_MESH_LARGEST_COORDINATE);
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

void wf_body_skip_way(wf_body *body)
{
    body->jumps++;
}

typedef struct rigid_motion {
    wf_rotation turn;
    wf_vec3 centre, shift;
} rigid_motion;

/* As a sum, so that no turn leaves it where it is, bit for bit. */
static wf_vec3 moved_point(const rigid_motion *motion, wf_vec3 p)
{
    wf_vec3 arm = wf_vec3_sub(p, motion->centre), way = wf_vec3_sub(wf_rotation_apply(motion->turn, arm), arm);
    return wf_vec3_add(wf_vec3_add(p, way), motion->shift);
}

wf_status wf_body_move_rigidly(wf_body *body, wf_vec3 turn, wf_vec3 centre, wf_vec3 shift)
{
    if (!(wf_vec3_norm(turn) <= largest_turn)) {
        return wf_fail(body->context, WF_ERROR_ARGUMENT, "turn must be by at most %g rad, got {%g, %g, %g}",
                       largest_turn, turn.x, turn.y, turn.z);
    }
    const rigid_motion motion = {wf_rotation_exp(turn), centre, shift};
    wf_vec3 *x = body->mesh.positions;
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        wf_status status = check_place(body, i, moved_point(&motion, x[i]));
        if (status != WF_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < body->mesh.vertex_count; i++) {
        x[i] = moved_point(&motion, x[i]);
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

wf_status wf_body_set_porosity(wf_body *body, double porosity)
{
    if (!(porosity >= 0 && porosity <= 1)) {
        return wf_fail(body->context, WF_ERROR_ARGUMENT, "porosity must be from 0 to 1, got %g", porosity);
    }
    body->porosity = porosity;
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
