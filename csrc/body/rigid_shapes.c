/* rigid_shapes.c - see rigid_shapes.h. */
#include "body/rigid_shapes.h"

#include "body/hull.h"

enum { CORNERS_OF_ICOSAHEDRON = 12, FACES_OF_ICOSAHEDRON = 20 };

/* An icosahedron with corners of distance 1 and two of them on the y axis. */
static wf_status make_icosahedron(wf_context *context, wf_mesh *mesh)
{
    const double height = 1 / sqrt(5), radius = 2 / sqrt(5), fifth = 2 * acos(-1.0) / 5;
    wf_vec3 corner[CORNERS_OF_ICOSAHEDRON] = {{0, 1, 0}};
    corner[CORNERS_OF_ICOSAHEDRON - 1] = (wf_vec3){0, -1, 0};
    int32_t face[FACES_OF_ICOSAHEDRON][3];
    for (int k = 0; k < 5; k++) {
        int upper = 1 + k, next_upper = 1 + (k + 1) % 5, lower = 6 + k, next_lower = 6 + (k + 1) % 5;
        corner[upper] = (wf_vec3){radius * sin(k * fifth), height, radius * cos(k * fifth)};
        corner[lower] = (wf_vec3){radius * sin((k + 0.5) * fifth), -height, radius * cos((k + 0.5) * fifth)};
        const int32_t of_fifth[4][3] = {{0, upper, next_upper},
                                        {upper, lower, next_upper},
                                        {next_upper, lower, next_lower},
                                        {CORNERS_OF_ICOSAHEDRON - 1, next_lower, lower}};
        for (int i = 0; i < 12; i++) {
            face[4 * k + i / 3][i % 3] = of_fifth[i / 3][i % 3];
        }
    }
    return wf_mesh_build(context, CORNERS_OF_ICOSAHEDRON, corner, FACES_OF_ICOSAHEDRON, (const int32_t(*)[3])face,
                         mesh);
}

/* Replaces a mesh on the unit sphere by one with each face cut in four. */
static wf_status quarter_faces(wf_context *context, wf_mesh *mesh)
{
    int32_t old = mesh->vertex_count, count = old + mesh->edge_count, face_count = 0;
    wf_vec3 *positions = wf_allocate(context, (size_t)count, sizeof *positions);
    int32_t (*faces)[3] = wf_allocate(context, 4 * (size_t)mesh->face_count, sizeof *faces);
    wf_status status = positions && faces ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t i = 0; i < count && status == WF_OK; i++) {
        const int32_t *ends = i < old ? NULL : mesh->edges[i - old];
        positions[i] = i < old ? mesh->positions[i]
                               : wf_vec3_normalize(wf_vec3_add(mesh->positions[ends[0]], mesh->positions[ends[1]]));
    }
    for (int32_t f = 0; f < mesh->face_count && status == WF_OK; f++) {
        const int32_t *v = mesh->faces[f], *e = mesh->face_edges[f];
        const int32_t parts[4][3] = {{v[0], old + e[0], old + e[2]},
                                     {v[1], old + e[1], old + e[0]},
                                     {v[2], old + e[2], old + e[1]},
                                     {old + e[0], old + e[1], old + e[2]}};
        for (int i = 0; i < 12; i++) {
            faces[face_count + i / 3][i % 3] = parts[i / 3][i % 3];
        }
        face_count += 4;
    }
    wf_mesh_free(context, mesh);
    if (status == WF_OK) {
        status = wf_mesh_build(context, count, positions, face_count, (const int32_t(*)[3])faces, mesh);
    }
    wf_free(context, positions);
    wf_free(context, faces);
    return status;
}

static wf_status make_unit_sphere(wf_context *context, int32_t detail, wf_mesh *mesh)
{
    wf_status status = make_icosahedron(context, mesh);
    for (int32_t k = 0; k < detail && status == WF_OK; k++) {
        status = quarter_faces(context, mesh);
    }
    return status;
}

static wf_status make_hull(wf_context *context, int32_t count, const wf_vec3 *points, wf_mesh *mesh)
{
    int32_t (*faces)[3], face_count;
    wf_status status = wf_hull_build(context, count, points, &faces, &face_count);
    if (status != WF_OK) {
        return status;
    }
    /* Points inside are left out. */
    int32_t *place = wf_allocate(context, (size_t)count, sizeof *place);
    wf_vec3 *kept = wf_allocate(context, (size_t)count, sizeof *kept);
    status = place && kept ? WF_OK : WF_ERROR_MEMORY;
    int32_t kept_count = 0;
    for (int32_t f = 0; f < face_count && status == WF_OK; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t *at = &place[faces[f][k]];
            if (*at == 0) {
                kept[kept_count++] = points[faces[f][k]];
                *at = kept_count;
            }
            faces[f][k] = *at - 1;
        }
    }
    if (status == WF_OK) {
        status = wf_mesh_build(context, kept_count, kept, face_count, (const int32_t(*)[3])faces, mesh);
    }
    wf_free(context, place);
    wf_free(context, kept);
    wf_free(context, faces);
    return status;
}

/* The hull of two spheres' outer halves, each ended by a ring. */
static wf_status make_capsule(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh)
{
    wf_mesh sphere;
    wf_status status = make_unit_sphere(context, def->detail, &sphere);
    if (status != WF_OK) {
        return status;
    }
    int32_t ring = 10 << def->detail, count = 0;
    wf_vec3 *points = wf_allocate(context, (size_t)sphere.vertex_count + 2 * (size_t)ring, sizeof *points);
    status = points ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t i = 0; i < sphere.vertex_count + ring && status == WF_OK; i++) {
        double angle = (i - sphere.vertex_count) * 2 * acos(-1.0) / ring;
        bool on_ring = i >= sphere.vertex_count;
        wf_vec3 p = on_ring ? (wf_vec3){sin(angle), 0, cos(angle)} : sphere.positions[i];
        for (int end = -1; end <= 1; end += 2) {
            if (on_ring || end * p.y > 1e-6) {
                points[count++] = wf_vec3_muladds((wf_vec3){0, 0.5 * end * def->length, 0}, p, def->radius);
            }
        }
    }
    if (status == WF_OK) {
        status = make_hull(context, count, points, mesh);
    }
    wf_free(context, points);
    wf_mesh_free(context, &sphere);
    return status;
}

static wf_status make_sphere(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh)
{
    wf_status status = make_unit_sphere(context, def->detail, mesh);
    for (int32_t i = 0; i < mesh->vertex_count && status == WF_OK; i++) {
        mesh->positions[i] = wf_vec3_scale(mesh->positions[i], def->radius);
    }
    return status;
}

/* Corner k lies on the side of x, y, z that bits 0, 1, 2 of k tell. */
static wf_status make_box(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh)
{
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    wf_vec3 corner[8];
    for (int k = 0; k < 8; k++) {
        corner[k] = (wf_vec3){(k & 1 ? 0.5 : -0.5) * def->size.x, (k & 2 ? 0.5 : -0.5) * def->size.y,
                              (k & 4 ? 0.5 : -0.5) * def->size.z};
    }
    return wf_mesh_build(context, 8, corner, 12, faces, mesh);
}

/* A surface that was given: closed and oriented, or turned to be outside out. */
static wf_status make_given(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh)
{
    wf_status status = wf_mesh_build(context, def->point_count, def->points, def->face_count, def->faces, mesh);
    wf_mesh_report report;
    char defect[160];
    if (status == WF_OK) {
        status = wf_mesh_examine(context, mesh, &report);
    }
    if (status == WF_OK && wf_mesh_describe_defect(&report, defect, sizeof defect)) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "a mesh must be closed, manifold and oriented: %s", defect);
    }
    if (status == WF_OK && report.isolated_vertices > 0) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "%d points belong to no face", report.isolated_vertices);
    }
    if (status == WF_OK && report.volume < 0) {
        wf_warn(context, "weft.rigid: the surface was inside out; its faces were turned");
        wf_mesh_turn(mesh);
    }
    if (status != WF_OK) {
        wf_mesh_free(context, mesh);
    }
    return status;
}

wf_status wf_rigid_make_surface(wf_context *context, const wf_rigid_def *def, wf_mesh *mesh)
{
    *mesh = (wf_mesh){0};
    switch (def->shape) {
    case WF_RIGID_SPHERE:
        return make_sphere(context, def, mesh);
    case WF_RIGID_CAPSULE:
        return make_capsule(context, def, mesh);
    case WF_RIGID_BOX:
        return make_box(context, def, mesh);
    case WF_RIGID_CONVEX:
        return make_hull(context, def->point_count, def->points, mesh);
    case WF_RIGID_MESH:
        break;
    }
    return make_given(context, def, mesh);
}
