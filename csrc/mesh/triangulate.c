/* triangulate.c - the quality triangulation from outline to result; see triangulate.h. */
#include "mesh/triangulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "mesh/lattice.h"
#include "mesh/outline.h"
#include "mesh/refine.h"

/* Sweeps of smoothing: most of the lattice is optimal as it is, and what disturbs it near the outline spreads over a
 * few rows. */
enum { SWEEPS_BEFORE_REFINEMENT = 4, SWEEPS_AFTER_REFINEMENT = 4 };

wf_triangulate_params wf_default_triangulate_params(void)
{
    return (wf_triangulate_params){.minimum_angle = 26 * 3.14159265358979323846 / 180,
                                   .triangle_limit = 4000000,
                                   .split_boundary = true};
}

/* A vertex that was put on the outline, not on a line inside. */
static bool is_split(const wf_outline *o, int32_t vertex)
{
    const wf_outline_vertex where = o->vertices[vertex];
    return where.segment >= 0 && where.t > 0 && !wf_outline_is_line(o, where.segment);
}

static int compare_splits(const void *a, const void *b)
{
    const wf_boundary_split *p = a, *q = b;
    if (p->segment != q->segment) {
        return p->segment < q->segment ? -1 : 1;
    }
    return p->t < q->t ? -1 : p->t > q->t;
}

/* Numbers the vertices: the outline's points first, the others as they were made. Returns the map from the
 * triangulation's numbers. */
static int32_t *number_vertices(const wf_outline *o)
{
    int32_t *number = wf_allocate(o->context, (size_t)o->delaunay.vertex_count, sizeof *number);
    if (!number) {
        return NULL;
    }
    int32_t next = o->point_count;
    for (int32_t v = WF_DELAUNAY_BOX_VERTICES; v < o->delaunay.vertex_count; v++) {
        const wf_outline_vertex where = o->vertices[v];
        number[v] = where.segment >= 0 && where.t == 0 ? where.segment : next++;
    }
    return number;
}

static wf_status allocate_result(const wf_outline *o, wf_planar_mesh *mesh)
{
    const wf_delaunay *d = &o->delaunay;
    mesh->vertex_count = d->vertex_count - WF_DELAUNAY_BOX_VERTICES;
    for (int32_t t = 0; t < d->triangle_count; t++) {
        mesh->face_count += d->region[t] == WF_REGION_INSIDE;
    }
    for (int32_t v = WF_DELAUNAY_BOX_VERTICES; v < d->vertex_count; v++) {
        mesh->split_count += is_split(o, v);
    }
    mesh->points = wf_allocate(o->context, (size_t)mesh->vertex_count, sizeof *mesh->points);
    mesh->faces = wf_allocate(o->context, (size_t)mesh->face_count, sizeof *mesh->faces);
    mesh->splits = wf_allocate(o->context, (size_t)mesh->split_count, sizeof *mesh->splits);
    return mesh->points && mesh->faces && mesh->splits ? WF_OK : WF_ERROR_MEMORY;
}

/* The smallest angle of a triangle. */
static double smallest_angle(const wf_vec2 *points, const int32_t face[3])
{
    double smallest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const wf_vec2 a = wf_vec2_sub(points[face[(k + 1) % 3]], points[face[k]]);
        const wf_vec2 b = wf_vec2_sub(points[face[(k + 2) % 3]], points[face[k]]);
        smallest = fmin(smallest, atan2(wf_vec2_cross(a, b), wf_vec2_dot(a, b)));
    }
    return smallest;
}

static wf_status export_mesh(const wf_outline *o, wf_planar_mesh *mesh)
{
    const wf_delaunay *d = &o->delaunay;
    int32_t *number = number_vertices(o);
    wf_status status = number ? allocate_result(o, mesh) : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        wf_free(o->context, number);
        return status;
    }
    int32_t split_count = 0, face_count = 0;
    for (int32_t v = WF_DELAUNAY_BOX_VERTICES; v < d->vertex_count; v++) {
        mesh->points[number[v]] = d->points[v];
        if (is_split(o, v)) {
            mesh->splits[split_count++] = (wf_boundary_split){o->vertices[v].segment, o->vertices[v].t, number[v]};
        }
    }
    qsort(mesh->splits, (size_t)split_count, sizeof *mesh->splits, compare_splits);
    mesh->minimum_angle = INFINITY;
    for (int32_t t = 0; t < d->triangle_count; t++) {
        if (d->region[t] != WF_REGION_INSIDE) {
            continue;
        }
        int32_t *face = mesh->faces[face_count++];
        for (int k = 0; k < 3; k++) {
            face[k] = number[d->edges[3 * t + k].origin];
        }
        mesh->minimum_angle = fmin(mesh->minimum_angle, smallest_angle(mesh->points, face));
    }
    wf_free(o->context, number);
    return WF_OK;
}

wf_status wf_triangulate(wf_context *context, int32_t point_count, const wf_vec2 *points, int32_t loop_count,
                         const int32_t *loop_starts, const wf_triangulate_params *params, wf_planar_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    wf_outline outline;
    wf_status status = wf_outline_begin(context, point_count, points, loop_count, loop_starts, params, &outline);
    if (status != WF_OK) {
        return status;
    }
    status = wf_lattice_fill(&outline);
    if (status == WF_OK) {
        status = wf_smooth(&outline, SWEEPS_BEFORE_REFINEMENT);
    }
    if (status == WF_OK) {
        status = wf_refine(&outline);
    }
    if (status == WF_OK) {
        status = wf_smooth(&outline, SWEEPS_AFTER_REFINEMENT);
    }
    if (status == WF_OK) {
        status = export_mesh(&outline, mesh);
    }
    wf_outline_free(&outline);
    if (status != WF_OK) {
        wf_planar_mesh_free(context, mesh);
    }
    return status;
}

void wf_planar_mesh_free(wf_context *context, wf_planar_mesh *mesh)
{
    wf_free(context, mesh->points);
    wf_free(context, mesh->faces);
    wf_free(context, mesh->splits);
    memset(mesh, 0, sizeof *mesh);
}
