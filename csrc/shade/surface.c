/* surface.c - see surface.h. */
#include "shade/surface.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/vector.h"

/* Around a vertex with more faces than this, creases are not looked for: comparing all pairs would take too long. */
enum { CREASE_FAN_LIMIT = 256 };

static const double POSITION_LIMIT = 1e9;

wf_picture_mesh wf_default_picture_mesh(void)
{
    return (wf_picture_mesh){.name = "mesh",
                             .colour = {0.62f, 0.62f, 0.62f},
                             .back_colour = {0.5f, 0.5f, 0.5f},
                             .sheen = 0.3f,
                             .crease = 50 * 0.017453292519943295,
                             .value_high = 1};
}

static void colour_from(const float display[3], vec3 linear)
{
    for (int i = 0; i < 3; i++) {
        linear[i] = wf_srgb_to_linear(display[i]);
    }
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static wf_status check_mesh(wf_context *context, const wf_picture_mesh *mesh)
{
    if (mesh->vertex_count < 1 || mesh->face_count < 1) {
        return wf_fail(context, WF_ERROR_GEOMETRY, "%s has nothing to draw: %lld vertices, %lld faces", mesh->name,
                       (long long)mesh->vertex_count, (long long)mesh->face_count);
    }
    if (mesh->vertex_count > INT32_MAX || mesh->face_count > INT32_MAX) {
        return wf_fail(context, WF_ERROR_LIMIT, "%s has more than 2147483647 vertices or faces", mesh->name);
    }
    for (int64_t i = 0; i < mesh->vertex_count; i++) {
        wf_vec3 p = mesh->positions[i];
        if (!(fabs(p.x) < POSITION_LIMIT && fabs(p.y) < POSITION_LIMIT && fabs(p.z) < POSITION_LIMIT)) {
            return wf_fail(context, WF_ERROR_NUMERIC,
                           "%s: vertex %lld is at (%g, %g, %g); coordinates must be finite and below 1e9 m",
                           mesh->name, (long long)i + 1, p.x, p.y, p.z);
        }
    }
    for (int64_t f = 0; f < mesh->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t v = mesh->faces[f][k];
            if (v < 0 || v >= mesh->vertex_count) {
                return wf_fail(context, WF_ERROR_GEOMETRY, "%s: face %lld names vertex %lld of %lld", mesh->name,
                               (long long)f + 1, (long long)v + 1, (long long)mesh->vertex_count);
            }
        }
    }
    if (mesh->values && mesh->value_count != mesh->vertex_count && mesh->value_count != mesh->face_count) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s has %lld values for %lld vertices and %lld faces", mesh->name,
                       (long long)mesh->value_count, (long long)mesh->vertex_count, (long long)mesh->face_count);
    }
    if (mesh->colours && mesh->colour_count != mesh->vertex_count && mesh->colour_count != mesh->face_count) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s has %lld colours for %lld vertices and %lld faces", mesh->name,
                       (long long)mesh->colour_count, (long long)mesh->vertex_count, (long long)mesh->face_count);
    }
    return WF_OK;
}

/* ---- positions ------------------------------------------------------------------------------------------------- */

static wf_status scale_positions(wf_context *context, int64_t mesh_count, const wf_picture_mesh *meshes,
                                 wf_surfaces *surfaces)
{
    wf_vec3 low = meshes[0].positions[0], high = low;
    for (int64_t m = 0; m < mesh_count; m++) {
        surfaces->vertex_count += meshes[m].vertex_count;
        for (int64_t i = 0; i < meshes[m].vertex_count; i++) {
            wf_vec3 p = meshes[m].positions[i];
            low = (wf_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
            high = (wf_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        }
    }
    surfaces->centre = wf_vec3_lerp(low, high, 0.5);
    surfaces->radius = wf_vec3_distance(low, high) / 2;
    if (!(surfaces->radius > 1e-9)) {
        return wf_fail(context, WF_ERROR_GEOMETRY, "all vertices of the picture are in one point");
    }
    surfaces->positions = wf_allocate(context, (size_t)surfaces->vertex_count + 1, sizeof *surfaces->positions);
    if (!surfaces->positions) {
        return WF_ERROR_MEMORY;
    }
    surfaces->lowest = FLT_MAX;
    int64_t next = 0;
    for (int64_t m = 0; m < mesh_count; m++) {
        for (int64_t i = 0; i < meshes[m].vertex_count; i++, next++) {
            wf_vec3 p = wf_vec3_sub(meshes[m].positions[i], surfaces->centre);
            surfaces->positions[next][0] = (float)(p.x / surfaces->radius);
            surfaces->positions[next][1] = (float)(p.y / surfaces->radius);
            surfaces->positions[next][2] = (float)(p.z / surfaces->radius);
            surfaces->lowest = fminf(surfaces->lowest, surfaces->positions[next][1]);
        }
    }
    return WF_OK;
}

/* ---- normals --------------------------------------------------------------------------------------------------- */

static void face_corners(const float (*positions)[3], const uint32_t face[3], vec3 corners[3])
{
    for (int k = 0; k < 3; k++) {
        glm_vec3_copy((float *)positions[face[k]], corners[k]);
    }
}

/* The unit normal of a face, and the angles at its corners; zeros for a face without area. */
static void face_normal(const float (*positions)[3], const uint32_t face[3], vec3 normal, float angles[3])
{
    vec3 corner[3], side[3];
    face_corners(positions, face, corner);
    for (int k = 0; k < 3; k++) {
        glm_vec3_sub(corner[(k + 1) % 3], corner[k], side[k]);
    }
    glm_vec3_crossn(side[0], side[1], normal);
    for (int k = 0; k < 3; k++) {
        vec3 back, across;
        glm_vec3_negate_to(side[(k + 2) % 3], back);
        glm_vec3_cross(side[k], back, across);
        angles[k] = glm_vec3_norm2(normal) > 0 ? atan2f(glm_vec3_norm(across), glm_vec3_dot(side[k], back)) : 0;
    }
}

/* Corners by vertex, in compressed rows: corners[start[v]] to corners[start[v + 1] - 1] are those of vertex v, each as
 * 3 * face + k. */
typedef struct corner_rows {
    int64_t *start, *corners;
} corner_rows;

static void fill_corner_rows(const wf_surface *surface, corner_rows rows)
{
    for (int64_t c = 0; c < 3 * surface->face_count; c++) {
        rows.start[surface->faces[c / 3][c % 3] + 1]++;
    }
    for (int64_t v = 0; v < surface->vertex_count; v++) {
        rows.start[v + 1] += rows.start[v];
    }
    /* Filling from the back turns each row's end into its start. */
    for (int64_t c = 3 * surface->face_count; c-- > 0;) {
        rows.corners[--rows.start[surface->faces[c / 3][c % 3] + 1]] = c;
    }
    for (int64_t v = 0; v < surface->vertex_count; v++) {
        rows.start[v] = rows.start[v + 1];
    }
    rows.start[surface->vertex_count] = 3 * surface->face_count;
}

/* The normals of the corners around one vertex: means of the face normals weighted with the faces' angles there
 * (Thürmer and Wüthrich 1998), each corner counting only the faces that bend away from its own by less than the crease
 * angle. */
static void vertex_corner_normals(wf_surface *surface, const float (*normals)[3], const float (*angles)[3],
                                  const int64_t *corners, int64_t count, float crease_cosine)
{
    float threshold = count > CREASE_FAN_LIMIT ? -2.0f : crease_cosine;
    for (int64_t i = 0; i < count; i++) {
        int64_t face = corners[i] / 3, k = corners[i] % 3;
        float *own = (float *)normals[face], *result = surface->corner_normals[face][k];
        if (i > 0 && threshold < -1.0f) {
            glm_vec3_copy(surface->corner_normals[corners[0] / 3][corners[0] % 3], result);
            continue;
        }
        vec3 sum = {0, 0, 0};
        for (int64_t j = 0; j < count; j++) {
            float *other = (float *)normals[corners[j] / 3];
            if (glm_vec3_dot(own, other) >= threshold) {
                glm_vec3_muladds(other, angles[corners[j] / 3][corners[j] % 3], sum);
            }
        }
        glm_vec3_copy(glm_vec3_norm2(sum) > 1e-12f ? sum : own, result);
        glm_vec3_normalize(result);
    }
}

static wf_status build_normals(wf_context *context, const wf_surfaces *surfaces, wf_surface *surface, double crease)
{
    size_t face_count = (size_t)surface->face_count;
    const float(*positions)[3] = (const float(*)[3])surfaces->positions + surface->first_vertex;
    float(*normals)[3] = wf_allocate(context, face_count, sizeof *normals);
    float(*angles)[3] = wf_allocate(context, face_count, sizeof *angles);
    corner_rows rows = {wf_allocate(context, (size_t)surface->vertex_count + 1, sizeof *rows.start),
                        wf_allocate(context, 3 * face_count, sizeof *rows.corners)};
    surface->corner_normals = wf_allocate(context, face_count, sizeof *surface->corner_normals);
    bool complete = normals && angles && rows.start && rows.corners && surface->corner_normals;
    if (complete) {
        for (size_t f = 0; f < face_count; f++) {
            face_normal(positions, surface->faces[f], normals[f], angles[f]);
        }
        fill_corner_rows(surface, rows);
        for (int64_t v = 0; v < surface->vertex_count; v++) {
            vertex_corner_normals(surface, (const float(*)[3])normals, (const float(*)[3])angles,
                                  rows.corners + rows.start[v], rows.start[v + 1] - rows.start[v],
                                  (float)cos(crease));
        }
    }
    wf_free(context, rows.corners);
    wf_free(context, rows.start);
    wf_free(context, angles);
    wf_free(context, normals);
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

/* ---- colours --------------------------------------------------------------------------------------------------- */

static wf_status build_colours(wf_context *context, const wf_picture_mesh *mesh, wf_surface *surface)
{
    colour_from(mesh->colour, surface->colour);
    colour_from(mesh->back_colour, surface->back_colour);
    surface->sheen = mesh->sheen;
    surface->gloss = mesh->gloss;
    if (!mesh->values && !mesh->colours) {
        return WF_OK;
    }
    int64_t count = mesh->values ? mesh->value_count : mesh->colour_count;
    float(*colours)[3] = wf_allocate(context, (size_t)count, sizeof *colours);
    if (!colours) {
        return WF_ERROR_MEMORY;
    }
    *(count == mesh->vertex_count ? &surface->vertex_colours : &surface->face_colours) = colours;
    double range = mesh->value_high - mesh->value_low;
    for (int64_t i = 0; i < count; i++) {
        if (mesh->values) {
            double t = range != 0 ? (mesh->values[i] - mesh->value_low) / range : 0.5;
            wf_colour_map_linear(mesh->map, (float)t, colours[i]);
        } else {
            colour_from(mesh->colours[i], colours[i]);
        }
    }
    return WF_OK;
}

/* ---- drawn edges ----------------------------------------------------------------------------------------------- */

/* An edge of a face: its vertices as one number, the smaller first, and the corner it starts from. */
typedef struct half_edge {
    uint64_t key;
    int64_t corner;
} half_edge;

static uint64_t edge_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int compare_half_edges(const void *a, const void *b)
{
    uint64_t x = ((const half_edge *)a)->key, y = ((const half_edge *)b)->key;
    return (x > y) - (x < y);
}

/* Marks the run of half edges [begin, end), which are one edge, as a line or a wire. */
static void mark_edge(wf_surface *surface, const half_edge *halves, int64_t begin, int64_t end, bool wire)
{
    for (int64_t i = begin; i < end; i++) {
        surface->drawn_edges[halves[i].corner / 3] |= (uint8_t)(1u << (halves[i].corner % 3 + (wire ? 3 : 0)));
    }
}

static int64_t run_end(const half_edge *halves, int64_t count, int64_t begin)
{
    int64_t end = begin;
    while (end < count && halves[end].key == halves[begin].key) {
        end++;
    }
    return end;
}

static void mark_line(wf_surface *surface, const half_edge *halves, int64_t count, const int32_t line[2])
{
    uint64_t key = edge_key((uint32_t)line[0], (uint32_t)line[1]);
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (halves[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < count && halves[low].key == key) {
        mark_edge(surface, halves, low, run_end(halves, count, low), false);
    }
}

static wf_status build_drawn_edges(wf_context *context, const wf_picture_mesh *mesh, wf_surface *surface)
{
    if (!mesh->edges && !mesh->borders && mesh->line_count == 0) {
        return WF_OK;
    }
    int64_t count = 3 * surface->face_count;
    surface->drawn_edges = wf_allocate(context, (size_t)surface->face_count, 1);
    half_edge *halves = wf_allocate(context, (size_t)count, sizeof *halves);
    if (!surface->drawn_edges || !halves) {
        wf_free(context, halves);
        return WF_ERROR_MEMORY;
    }
    for (int64_t c = 0; c < count; c++) {
        const uint32_t *face = surface->faces[c / 3];
        halves[c] = (half_edge){edge_key(face[c % 3], face[(c + 1) % 3]), c};
    }
    qsort(halves, (size_t)count, sizeof *halves, compare_half_edges);
    for (int64_t begin = 0; begin < count;) {
        int64_t end = run_end(halves, count, begin);
        if (mesh->edges) {
            mark_edge(surface, halves, begin, end, true);
        }
        if (mesh->borders && end - begin == 1) {
            mark_edge(surface, halves, begin, end, false);
        }
        begin = end;
    }
    for (int64_t i = 0; i < mesh->line_count; i++) {
        mark_line(surface, halves, count, mesh->lines[i]);
    }
    wf_free(context, halves);
    return WF_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static wf_status build_surface(wf_context *context, const wf_picture_mesh *mesh, const wf_surfaces *surfaces,
                               int64_t first_vertex, wf_surface *surface)
{
    surface->first_vertex = first_vertex;
    surface->vertex_count = mesh->vertex_count;
    surface->face_count = mesh->face_count;
    /* Embree reads 16 bytes at a time: one spare element. */
    surface->faces = wf_allocate(context, (size_t)mesh->face_count + 1, sizeof *surface->faces);
    if (!surface->faces) {
        return WF_ERROR_MEMORY;
    }
    for (int64_t f = 0; f < mesh->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            surface->faces[f][k] = (uint32_t)mesh->faces[f][k];
        }
    }
    wf_status status = build_normals(context, surfaces, surface, mesh->crease);
    if (status == WF_OK) {
        status = build_colours(context, mesh, surface);
    }
    if (status == WF_OK) {
        status = build_drawn_edges(context, mesh, surface);
    }
    return status;
}

static wf_status attach(wf_context *context, wf_surfaces *surfaces, const wf_surface *surface, unsigned identity)
{
    RTCGeometry geometry = rtcNewGeometry(surfaces->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) {
        return wf_fail(context, WF_ERROR_MEMORY, "Embree could not make a geometry");
    }
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               surfaces->positions + surface->first_vertex, 0, sizeof *surfaces->positions,
                               (size_t)surface->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, surface->faces, 0,
                               sizeof *surface->faces, (size_t)surface->face_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(surfaces->scene, geometry, identity);
    rtcReleaseGeometry(geometry);
    return WF_OK;
}

static wf_status build_scene(wf_context *context, wf_surfaces *surfaces)
{
    /* One thread: those that trace are the context's own, and the hierarchy is the same for any number of them. */
    surfaces->device = rtcNewDevice("threads=1,verbose=0");
    if (!surfaces->device) {
        return wf_fail(context, WF_ERROR_STATE, "Embree cannot start here (error %d)", (int)rtcGetDeviceError(NULL));
    }
    surfaces->scene = rtcNewScene(surfaces->device);
    if (!surfaces->scene) {
        return wf_fail(context, WF_ERROR_MEMORY, "Embree could not make a scene");
    }
    rtcSetSceneFlags(surfaces->scene, RTC_SCENE_FLAG_ROBUST);
    for (int64_t m = 0; m < surfaces->count; m++) {
        wf_status status = attach(context, surfaces, &surfaces->items[m], (unsigned)m);
        if (status != WF_OK) {
            return status;
        }
    }
    rtcCommitScene(surfaces->scene);
    enum RTCError error = rtcGetDeviceError(surfaces->device);
    if (error != RTC_ERROR_NONE) {
        return wf_fail(context, error == RTC_ERROR_OUT_OF_MEMORY ? WF_ERROR_MEMORY : WF_ERROR_STATE,
                       "Embree could not build its hierarchy (error %d)", (int)error);
    }
    return WF_OK;
}

wf_status wf_surfaces_build(wf_context *context, int64_t mesh_count, const wf_picture_mesh *meshes,
                            wf_surfaces *surfaces)
{
    *surfaces = (wf_surfaces){0};
    if (mesh_count < 1) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a picture needs at least one mesh");
    }
    wf_status status = WF_OK;
    for (int64_t m = 0; m < mesh_count && status == WF_OK; m++) {
        status = check_mesh(context, &meshes[m]);
    }
    if (status == WF_OK) {
        status = scale_positions(context, mesh_count, meshes, surfaces);
    }
    if (status == WF_OK) {
        surfaces->items = wf_allocate(context, (size_t)mesh_count, sizeof *surfaces->items);
        status = surfaces->items ? WF_OK : WF_ERROR_MEMORY;
    }
    int64_t first_vertex = 0;
    for (int64_t m = 0; m < mesh_count && status == WF_OK; m++) {
        surfaces->count = m + 1;
        status = build_surface(context, &meshes[m], surfaces, first_vertex, &surfaces->items[m]);
        first_vertex += meshes[m].vertex_count;
    }
    if (status == WF_OK) {
        status = build_scene(context, surfaces);
    }
    if (status != WF_OK) {
        wf_surfaces_free(context, surfaces);
    }
    return status;
}

void wf_surfaces_free(wf_context *context, wf_surfaces *surfaces)
{
    if (surfaces->scene) {
        rtcReleaseScene(surfaces->scene);
    }
    if (surfaces->device) {
        rtcReleaseDevice(surfaces->device);
    }
    for (int64_t m = 0; m < surfaces->count; m++) {
        wf_surface *surface = &surfaces->items[m];
        wf_free(context, surface->faces);
        wf_free(context, surface->corner_normals);
        wf_free(context, surface->vertex_colours);
        wf_free(context, surface->face_colours);
        wf_free(context, surface->drawn_edges);
    }
    wf_free(context, surfaces->items);
    wf_free(context, surfaces->positions);
    *surfaces = (wf_surfaces){0};
}
