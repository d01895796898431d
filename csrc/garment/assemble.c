/* assemble.c - from a garment to one unsewn mesh. */
#include "garment/assemble.h"

#include <stdio.h>
#include <string.h>

#include "garment/sample.h"
#include "garment/stitch.h"
#include "mesh/triangulate.h"

/* Rounds in which triangulation may put points on outlines; the last takes the outlines as they are. */
enum { SPLIT_ROUNDS = 12, REPAIR_ROUNDS = 40 };

wf_garment_mesh_params wf_default_garment_mesh_params(void)
{
    return (wf_garment_mesh_params){
        .edge_length = 0.012, .minimum_angle = 26 * 3.14159265358979323846 / 180, .triangle_limit = 4000000};
}

static wf_status check_size(wf_context *context, const wf_garment *garment, const wf_garment_mesh_params *params)
{
    double h = params->edge_length, estimate = 0;
    if (!(h >= 1e-5 && h <= 10)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the edge length must be from 1e-5 to 10 m, got %g", h);
    }
    for (int32_t i = 0; i < garment->panel_count; i++) {
        const wf_panel *panel = &garment->panels[i];
        estimate += panel->area / (0.4330127018922193 * h * h); /* sqrt(3)/4 h^2: an equilateral triangle */
        for (int32_t k = 0; k < panel->edge_count; k++) {
            estimate += panel->edges[k].length / h;
        }
    }
    if (estimate > (double)params->triangle_limit) {
        return wf_fail(context, WF_ERROR_LIMIT, "an edge length of %g m would make about %.3g triangles, more than the "
                       "limit of %lld", h, estimate, (long long)params->triangle_limit);
    }
    return WF_OK;
}

/* ---- triangulation --------------------------------------------------------------------------------------------- */

static void free_panel_mesh(wf_context *context, wf_panel_mesh *mesh)
{
    wf_panel_outline_free(context, &mesh->outline);
    wf_fold_lines_free(context, &mesh->folds);
    wf_free(context, mesh->points);
    wf_free(context, mesh->faces);
    memset(mesh, 0, sizeof *mesh);
}

/* Passes the triangulation's points on outlines to the strands, for all partners. */
static wf_status pass_splits(wf_context *context, wf_sampling *sampling, const wf_panel_outline *outline,
                             const wf_planar_mesh *planar)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < planar->split_count && status == WF_OK; i++) {
        const wf_boundary_split *split = &planar->splits[i];
        const double *range = outline->segment_range[split->segment];
        double fraction = range[0] + split->t * (range[1] - range[0]);
        status = wf_sampling_split(context, sampling, outline->segment_strand[split->segment], range, fraction);
    }
    return status;
}

/* Fails with the panel's name in front of the message. The outline may have been mirrored; a place in a message is to
 * be one of the drawing, so the drawing is asked again. */
static wf_status fail_panel(wf_context *context, const wf_panel *panel, const wf_panel_outline *outline,
                            const wf_triangulate_params *params, wf_status status)
{
    if (status == WF_ERROR_GEOMETRY && panel->clockwise != panel->turned) {
        for (int32_t i = 0; i < outline->point_count; i++) {
            outline->points[i].x = -outline->points[i].x;
        }
        wf_planar_mesh planar;
        wf_status again = wf_triangulate(context, outline->point_count, outline->points, outline->loop_count,
                                         outline->loop_starts, params, &planar);
        wf_planar_mesh_free(context, &planar);
        status = again != WF_OK ? again : status;
    }
    char reason[512];
    snprintf(reason, sizeof reason, "%s", wf_context_message(context));
    return wf_fail(context, status, "panel '%s': %s", panel->name, reason);
}

static wf_status triangulate_panel(wf_context *context, wf_sampling *sampling, int32_t index,
                                   const wf_garment_mesh_params *params, bool split_boundary, wf_panel_mesh *mesh)
{
    free_panel_mesh(context, mesh);
    wf_status status = wf_sampling_outline(context, sampling, index, &mesh->outline);
    if (status == WF_OK) {
        status = wf_fold_lines_find(context, sampling->garment, index, &mesh->outline, &mesh->folds);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_triangulate_params detail = wf_default_triangulate_params();
    detail.edge_length = params->edge_length;
    detail.minimum_angle = params->minimum_angle;
    detail.triangle_limit = params->triangle_limit;
    detail.split_boundary = split_boundary;
    detail.line_count = mesh->folds.count;
    detail.lines = (const int32_t(*)[2])mesh->folds.points;
    wf_planar_mesh planar;
    const wf_panel_outline *outline = &mesh->outline;
    status = wf_triangulate(context, outline->point_count, outline->points, outline->loop_count, outline->loop_starts,
                            &detail, &planar);
    if (status != WF_OK) {
        return fail_panel(context, &sampling->garment->panels[index], outline, &detail, status);
    }
    mesh->vertex_count = planar.vertex_count;
    mesh->face_count = planar.face_count;
    mesh->points = planar.points;
    mesh->faces = planar.faces;
    mesh->point_capacity = (size_t)planar.vertex_count;
    mesh->face_capacity = (size_t)planar.face_count;
    planar.points = NULL; /* handed over */
    planar.faces = NULL;
    status = pass_splits(context, sampling, outline, &planar);
    wf_planar_mesh_free(context, &planar);
    return status;
}

/* Triangulates the panels whose outline changed until no triangulation puts a new point on an outline. */
static wf_status triangulate_panels(wf_context *context, wf_sampling *sampling, const wf_garment_mesh_params *params,
                                    wf_panel_mesh *meshes)
{
    bool changed = true;
    for (int round = 0; changed; round++) {
        changed = false;
        for (int32_t i = 0; i < sampling->garment->panel_count; i++) {
            if (!sampling->panel_changed[i]) {
                continue;
            }
            wf_status status = triangulate_panel(context, sampling, i, params, round < SPLIT_ROUNDS, &meshes[i]);
            if (status != WF_OK) {
                return status;
            }
            changed = true;
        }
    }
    return WF_OK;
}

static wf_status fail_collapse(wf_context *context, const wf_sampling *sampling, const wf_repair *repair)
{
    const wf_garment *garment = sampling->garment;
    char where[64] = "its seams";
    if (repair->seam >= 0) {
        snprintf(where, sizeof where, "seam %d", repair->seam + garment->first_number);
    }
    return wf_fail(context, WF_ERROR_GEOMETRY, "panel '%s' collapses when %s is sewn, however finely it is cut",
                   garment->panels[repair->panel].name, where);
}

/* Triangulates and pairs until sewing would leave every triangle sound. */
static wf_status prepare_panels(wf_context *context, wf_sampling *sampling, const wf_garment_mesh_params *params,
                                wf_panel_mesh *meshes, wf_stitching *stitching)
{
    for (int round = 0; ; round++) {
        wf_status status = triangulate_panels(context, sampling, params, meshes);
        wf_repair repair;
        if (status == WF_OK) {
            wf_stitching_free(context, stitching);
            status = wf_stitching_create(context, sampling, meshes, stitching);
        }
        if (status == WF_OK) {
            status = wf_stitching_repair(context, sampling, meshes, stitching, &repair);
        }
        if (status != WF_OK || repair.outline_splits + repair.inner_splits == 0) {
            return status;
        }
        if (round >= REPAIR_ROUNDS) {
            return fail_collapse(context, sampling, &repair);
        }
    }
}

/* ---- the common mesh ------------------------------------------------------------------------------------------- */

static double smallest_angle(wf_vec2 a, wf_vec2 b, wf_vec2 c)
{
    const wf_vec2 corner[3] = {a, b, c};
    double smallest = 4;
    for (int i = 0; i < 3; i++) {
        wf_vec2 u = wf_vec2_sub(corner[(i + 1) % 3], corner[i]), v = wf_vec2_sub(corner[(i + 2) % 3], corner[i]);
        smallest = fmin(smallest, atan2(wf_vec2_cross(u, v), wf_vec2_dot(u, v)));
    }
    return smallest;
}

static wf_status allocate_mesh(wf_context *context, wf_pattern_mesh *mesh)
{
    size_t vertices = (size_t)mesh->vertex_count, faces = (size_t)mesh->face_count;
    size_t panels = (size_t)mesh->panel_count, pairs = (size_t)mesh->pair_count;
    mesh->rest = wf_allocate(context, vertices, sizeof *mesh->rest);
    mesh->positions = wf_allocate(context, vertices, sizeof *mesh->positions);
    mesh->vertex_panel = wf_allocate(context, vertices, sizeof *mesh->vertex_panel);
    mesh->faces = wf_allocate(context, faces, sizeof *mesh->faces);
    mesh->face_panel = wf_allocate(context, faces, sizeof *mesh->face_panel);
    mesh->pairs = wf_allocate(context, pairs, sizeof *mesh->pairs);
    mesh->pair_seam = wf_allocate(context, pairs, sizeof *mesh->pair_seam);
    mesh->seam_ratio = wf_allocate(context, (size_t)mesh->seam_count, sizeof *mesh->seam_ratio);
    mesh->seams = wf_allocate(context, (size_t)mesh->seam_count, sizeof *mesh->seams);
    mesh->folds = wf_allocate(context, (size_t)mesh->fold_count, sizeof *mesh->folds);
    mesh->panel_grain = wf_allocate(context, panels, sizeof *mesh->panel_grain);
    mesh->panel_fabric = wf_allocate(context, panels, sizeof *mesh->panel_fabric);
    mesh->panel_layer = wf_allocate(context, panels, sizeof *mesh->panel_layer);
    mesh->panel_normal = wf_allocate(context, panels, sizeof *mesh->panel_normal);
    bool complete = mesh->rest && mesh->positions && mesh->vertex_panel && mesh->faces && mesh->face_panel
                    && mesh->pairs && mesh->pair_seam && mesh->seam_ratio && mesh->seams && mesh->folds
                    && mesh->panel_grain && mesh->panel_fabric && mesh->panel_layer && mesh->panel_normal;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

/* Copies one panel into the common mesh from vertex `first` and face `face` on. */
static void place_panel(const wf_panel *panel, int32_t index, const wf_panel_mesh *from, int32_t first, int32_t face,
                        wf_pattern_mesh *mesh)
{
    bool mirrored = panel->clockwise != panel->turned;
    for (int32_t i = 0; i < from->vertex_count; i++) {
        wf_vec2 point = from->points[i];
        mesh->rest[first + i] = point;
        mesh->positions[first + i] = wf_panel_place(panel, (wf_vec2){mirrored ? -point.x : point.x, point.y});
        mesh->vertex_panel[first + i] = index;
    }
    for (int32_t f = 0; f < from->face_count; f++) {
        const int32_t *corner = from->faces[f];
        for (int k = 0; k < 3; k++) {
            mesh->faces[face + f][k] = first + corner[k];
        }
        mesh->face_panel[face + f] = index;
        double angle = smallest_angle(from->points[corner[0]], from->points[corner[1]], from->points[corner[2]]);
        mesh->minimum_angle = fmin(mesh->minimum_angle, angle);
    }
    mesh->panel_grain[index] = mirrored ? -panel->grain : panel->grain;
    mesh->panel_fabric[index] = panel->fabric;
    mesh->panel_layer[index] = panel->layer;
    mesh->panel_normal[index] = panel->normal;
}

/* The vertices along the first sides of seams. */
static wf_status list_seams(wf_context *context, const wf_sampling *sampling, const wf_stitching *stitching,
                            wf_pattern_mesh *mesh)
{
    int32_t total = 0;
    for (int32_t i = 0; i < mesh->seam_count; i++) {
        mesh->seams[i] = (wf_pattern_seam){sampling->garment->seams[i].law, total,
                                           sampling->strands[i].segment_count + 1};
        total += mesh->seams[i].count;
    }
    mesh->seam_vertices = wf_allocate(context, (size_t)total, sizeof *mesh->seam_vertices);
    if (!mesh->seam_vertices) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < mesh->seam_count; i++) {
        const wf_piece *piece = &sampling->pieces[sampling->seam_pieces[i][0]];
        for (int32_t k = 0; k < mesh->seams[i].count; k++) {
            mesh->seam_vertices[mesh->seams[i].first + k] = stitching->panel_vertices[piece->panel] +
                                                            wf_piece_point(sampling, piece, k);
        }
    }
    return WF_OK;
}

static void list_folds(const wf_panel_mesh *panel, int32_t index, wf_pattern_fold *folds)
{
    for (int32_t k = 0; k < panel->folds.count; k++) {
        folds[k] = (wf_pattern_fold){index, panel->points[panel->folds.points[k][0]],
                                     panel->points[panel->folds.points[k][1]], panel->folds.angles[k]};
    }
}

static wf_status join_panels(wf_context *context, const wf_sampling *sampling, const wf_panel_mesh *meshes,
                             const wf_stitching *stitching, wf_pattern_mesh *mesh)
{
    const wf_garment *garment = sampling->garment;
    mesh->panel_count = garment->panel_count;
    mesh->seam_count = garment->seam_count;
    mesh->vertex_count = stitching->vertex_count;
    mesh->pair_count = stitching->pair_count;
    mesh->minimum_angle = 4;
    for (int32_t i = 0; i < garment->panel_count; i++) {
        mesh->face_count += meshes[i].face_count;
        mesh->fold_count += meshes[i].folds.count;
    }
    if (allocate_mesh(context, mesh) != WF_OK) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0, face = 0; i < garment->panel_count; face += meshes[i++].face_count) {
        place_panel(&garment->panels[i], i, &meshes[i], stitching->panel_vertices[i], face, mesh);
    }
    for (int32_t i = 0, fold = 0; i < garment->panel_count; fold += meshes[i++].folds.count) {
        list_folds(&meshes[i], i, mesh->folds + fold);
    }
    for (int32_t i = 0; i < stitching->pair_count; i++) {
        memcpy(mesh->pairs[i], stitching->pairs[i], sizeof mesh->pairs[i]);
        mesh->pair_seam[i] = stitching->pair_seam[i];
    }
    for (int32_t i = 0; i < garment->seam_count; i++) {
        double a = garment->seams[i].length[0], b = garment->seams[i].length[1];
        mesh->seam_ratio[i] = a > b ? a / b : b / a;
    }
    return list_seams(context, sampling, stitching, mesh);
}

wf_status wf_garment_triangulate(wf_context *context, const wf_garment *garment, const wf_garment_mesh_params *params,
                                 wf_pattern_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    wf_status status = check_size(context, garment, params);
    if (status != WF_OK) {
        return status;
    }
    wf_sampling *sampling;
    status = wf_sampling_create(context, garment, params->edge_length, &sampling);
    if (status != WF_OK) {
        return status;
    }
    status = wf_folds_sample(context, sampling);
    if (status != WF_OK) {
        wf_sampling_destroy(context, sampling);
        return status;
    }
    wf_stitching stitching = {0};
    wf_panel_mesh *meshes = wf_allocate(context, (size_t)garment->panel_count, sizeof *meshes);
    status = meshes ? prepare_panels(context, sampling, params, meshes, &stitching) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = join_panels(context, sampling, meshes, &stitching, mesh);
    }
    for (int32_t i = 0; meshes && i < garment->panel_count; i++) {
        free_panel_mesh(context, &meshes[i]);
    }
    wf_free(context, meshes);
    wf_stitching_free(context, &stitching);
    wf_sampling_destroy(context, sampling);
    if (status != WF_OK) {
        wf_pattern_mesh_free(context, mesh);
    }
    return status;
}

void wf_pattern_mesh_free(wf_context *context, wf_pattern_mesh *mesh)
{
    void *const arrays[] = {mesh->rest, mesh->positions, mesh->faces, mesh->face_panel, mesh->vertex_panel,
                            mesh->pairs, mesh->pair_seam, mesh->seam_ratio, mesh->seams, mesh->seam_vertices,
                            mesh->folds, mesh->panel_grain, mesh->panel_fabric,
                            mesh->panel_layer, mesh->panel_normal};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    memset(mesh, 0, sizeof *mesh);
}
