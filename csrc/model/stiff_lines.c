#include "model/stiff_lines.h"

#include <string.h>

#include "model/incidence.h"
#include "model/strain_model.h"

#define SHARPEST_TURN 1.0471975511965976 /* rad; beyond, a path has a corner */

static const double pi = 3.14159265358979323846;

/* ---- the model ------------------------------------------------------------------------------------------------- */

typedef struct joint_rest {
    double length; /* the weight */
    double share[WF_JOINT_NODES]; /* 1/m2: of the curvature */
} joint_rest;

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const joint_rest *joint = rest;
    wf_vec3 curvature = {0, 0, 0};
    for (int i = 0; i < WF_JOINT_NODES; i++) {
        /* from the joint's own place, so that far from the origin nothing cancels */
        curvature = wf_vec3_muladds(curvature, wf_vec3_sub(x[i], x[1]), joint->share[i]);
    }
    memcpy(strain, &curvature, sizeof curvature);
    if (gradient) {
        wf_vector_gradient(WF_JOINT_NODES, joint->share, gradient);
    }
}

static const wf_strain_measure measure = {"curvature of a line", WF_JOINT_NODES, 3, sizeof(joint_rest), strains, NULL};

static void place(const void *single, int32_t node_count, int32_t *vertices, wf_vec3 *reference, double *viscosity)
{
    (void)node_count;
    (void)reference; /* strains are linear, and those of space */
    const wf_stiff_joint *joint = single;
    memcpy(vertices, joint->vertices, sizeof joint->vertices);
    *viscosity = joint->viscosity;
}

static void split(const void *single, void *rest, void *material)
{
    const wf_stiff_joint *joint = single;
    joint_rest *shape = rest;
    wf_linear_material *rod = material;
    shape->length = joint->length;
    for (int i = 0; i < WF_JOINT_NODES; i++) {
        shape->share[i] = joint->share[i] / joint->length;
    }
    *rod = (wf_linear_material){.count = 3};
    for (int s = 0; s < 3; s++) {
        rod->moduli[s][s] = joint->stiffness;
    }
}

static const wf_strain_singles stiff_joints = {.name = "stiff lines", .measure = &measure, .law = &wf_linear_law,
                                               .size = sizeof(wf_stiff_joint), .place = place, .split = split};

static wf_status check_joints(wf_context *context, int32_t vertex_count, int32_t count, const wf_stiff_joint *joints)
{
    for (int32_t j = 0; j < count; j++) {
        const wf_stiff_joint *joint = &joints[j];
        for (int i = 0; i < WF_JOINT_NODES; i++) {
            if (joint->vertices[i] < 0 || joint->vertices[i] >= vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "joint %d: vertex %d of %d does not exist", j + 1,
                               joint->vertices[i] + 1, vertex_count);
            }
        }
        /* Written so that NaN and infinity fail too. */
        if (!(joint->length > 0 && joint->length < 1e6 && joint->stiffness >= 0 && joint->stiffness < 1e12 &&
              joint->viscosity >= 0 && joint->viscosity <= 1e3)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "joint %d needs a length > 0, a stiffness >= 0 and a viscosity from 0 to 1000, got %g m, "
                           "%g N m2, %g s", j + 1, joint->length, joint->stiffness, joint->viscosity);
        }
    }
    return WF_OK;
}

void wf_stiff_lines_set(wf_model *model, int32_t joint, const wf_stiff_joint *values)
{
    wf_strain_model_set(model, split, joint, values);
}

wf_status wf_stiff_lines_create(wf_context *context, int32_t vertex_count, int32_t count, const wf_stiff_joint *joints,
                                wf_model **model)
{
    *model = NULL;
    wf_status status = check_joints(context, vertex_count, count, joints);
    return status == WF_OK
               ? wf_strain_model_from_singles(context, &stiff_joints, vertex_count, count, joints, model)
               : status;
}

/* ---- joints of a path ------------------------------------------------------------------------------------------ */

/* The one face but `not` around vertex b that has the edge to p; -1: there is none, or more than one. */
static int32_t face_across(const wf_stiff_path *sheet, const wf_incidence *around, int32_t b, int32_t p, int32_t not)
{
    int32_t found = -1;
    for (int32_t i = around->start[b]; i < around->start[b + 1]; i++) {
        int32_t face = around->corner[i] / 3;
        if (face != not && wf_face_corner(sheet->faces[face], p) >= 0) {
            if (found >= 0) {
                return -1;
            }
            found = face;
        }
    }
    return found;
}

/* One side of a joint: the fan of faces from the edge before to the edge after. */
typedef struct fan {
    int32_t first, last; /* faces */
    double angle;        /* rad, of all at the joint */
} fan;

static double angle_at(const wf_vec2 rest[3], int corner)
{
    wf_vec2 u = wf_vec2_sub(rest[(corner + 1) % 3], rest[corner]);
    wf_vec2 v = wf_vec2_sub(rest[(corner + 2) % 3], rest[corner]);
    return atan2(fabs(wf_vec2_cross(u, v)), wf_vec2_dot(u, v));
}

/* Walks around b from a face at the edge to a until a face with c. False: a border is in the way. */
static bool walk_fan(const wf_stiff_path *sheet, const wf_incidence *around, int32_t a, int32_t b, int32_t c,
                     int32_t first, fan *result)
{
    *result = (fan){first, first, 0};
    int32_t entered = a, face = first;
    for (int32_t steps = around->start[b + 1] - around->start[b]; face >= 0 && steps > 0; steps--) {
        const int32_t *corners = sheet->faces[face];
        int at = wf_face_corner(corners, b), from = wf_face_corner(corners, entered);
        result->angle += angle_at(sheet->rest[face], at);
        result->last = face;
        entered = corners[3 - at - from];
        if (entered == c) {
            return true;
        }
        face = face_across(sheet, around, b, entered, face);
    }
    return false;
}

/* A joint that is being made, and how many nodes it has so far. */
typedef struct making {
    wf_stiff_joint *joint;
    int nodes;
} making;

static void add_share(making *m, int32_t vertex, double share)
{
    int slot = 0;
    while (slot < m->nodes && m->joint->vertices[slot] != vertex) {
        slot++;
    }
    m->nodes += slot == m->nodes;
    m->joint->vertices[slot] = vertex;
    m->joint->share[slot] += share;
}

/* Adds factor times the direction from the edge i-j of a face to its third corner. Returns the edge's length, m. */
static double add_height(const wf_stiff_path *sheet, int32_t face, int32_t i, int32_t j, double factor, making *m)
{
    const int32_t *corners = sheet->faces[face];
    const wf_vec2 *rest = sheet->rest[face];
    int a = wf_face_corner(corners, i), b = wf_face_corner(corners, j), top = 3 - a - b;
    wf_vec2 edge = wf_vec2_sub(rest[b], rest[a]), arm = wf_vec2_sub(rest[top], rest[a]);
    double length = wf_vec2_norm(edge), foot = wf_vec2_dot(arm, edge) / (length * length);
    double scale = factor * length / fabs(wf_vec2_cross(edge, arm));
    add_share(m, corners[top], scale);
    add_share(m, i, -scale * (1 - foot));
    add_share(m, j, -scale * foot);
    return length;
}

/* The joint at b of the edges a-b and b-c. False: there is none, because merging has left no edge or no face, or the
 * path has a corner. */
static bool make_joint(const wf_stiff_path *sheet, const wf_incidence *around, int32_t a, int32_t b, int32_t c,
                       wf_stiff_joint *joint)
{
    *joint = (wf_stiff_joint){.vertices = {a, b, c, b, b, b, b}};
    making m = {joint, 3};
    fan sides[2];
    int count = 0;
    for (int32_t i = around->start[b]; a != b && b != c && i < around->start[b + 1] && count < 2; i++) {
        int32_t face = around->corner[i] / 3;
        count += wf_face_corner(sheet->faces[face], a) >= 0 && walk_fan(sheet, around, a, b, c, face, &sides[count]);
    }
    double turned = 0; /* one way, as both sides together see it */
    for (int k = 0; k < count; k++) {
        turned += (k == 0 ? 1 : -1) * (pi - sides[k].angle) / count;
    }
    if (count == 0 || a == c || fabs(turned) > SHARPEST_TURN) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        double share = 1.0 / count, lean = -share * tan(0.5 * (pi - sides[k].angle));
        double before = add_height(sheet, sides[k].first, a, b, lean, &m);
        double after = add_height(sheet, sides[k].last, b, c, lean, &m);
        joint->share[0] += share / before;
        joint->share[1] -= share / before + share / after;
        joint->share[2] += share / after;
        joint->length += 0.5 * share * (before + after);
    }
    return true;
}

static int32_t find_joints(const wf_stiff_path *path, const wf_incidence *around, wf_stiff_joint *joints)
{
    int32_t count = 0;
    int32_t first = path->closed ? 0 : 1, end = path->closed ? path->count : path->count - 1;
    for (int32_t i = first; i < end; i++) {
        int32_t before = path->path[(i + path->count - 1) % path->count], after = path->path[(i + 1) % path->count];
        count += make_joint(path, around, before, path->path[i], after, &joints[count]);
    }
    return count;
}

wf_status wf_stiff_path_joints(wf_context *context, const wf_stiff_path *path, wf_stiff_joint *joints, int32_t *count)
{
    *count = 0;
    if (path->around) {
        *count = find_joints(path, path->around, joints);
        return WF_OK;
    }
    for (int32_t f = 0; f < path->face_count; f++) {
        wf_status checked = wf_check_face(context, path->vertex_count, f, path->faces[f], path->rest[f]);
        if (checked != WF_OK) {
            return checked;
        }
    }
    wf_incidence around;
    const wf_stencil corners = {path->face_count, 3, path->face_count > 0 ? &path->faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, path->vertex_count, &corners, &around);
    if (status == WF_OK) {
        *count = find_joints(path, &around, joints);
        wf_incidence_free(context, &around);
    }
    return status;
}
