/* pattern.c - making and checking garments. */
#include "garment/pattern.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "garment/seams.h"
#include "mesh/triangulate.h"

static const double largest_coordinate = 1000; /* m */

/* Far above any real garment; they bound the work that compares seams pairwise. */
static const int32_t largest_panel_count = 1000, largest_seam_count = 2000;

/* Two fractions of an edge's length closer than this are the same place. */
static const double same_fraction = 1e-9;

wf_garment_def wf_default_garment_def(void)
{
    return (wf_garment_def){.euler_order = WF_EULER_INTRINSIC_XYZ};
}

static bool coordinate_is_good(double value)
{
    return isfinite(value) && fabs(value) <= largest_coordinate;
}

static wf_mat3 rotation_about(int axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    wf_mat3 r = {{{0}}};
    r.m[axis][axis] = 1;
    r.m[j][j] = r.m[k][k] = c;
    r.m[j][k] = -s;
    r.m[k][j] = s;
    return r;
}

static wf_mat3 rotation_from_euler(wf_vec3 angles, wf_euler_order order)
{
    wf_mat3 x = rotation_about(0, angles.x), y = rotation_about(1, angles.y), z = rotation_about(2, angles.z);
    return order == WF_EULER_INTRINSIC_XYZ ? wf_mat3_product(x, wf_mat3_product(y, z))
                                            : wf_mat3_product(z, wf_mat3_product(y, x));
}

wf_vec3 wf_panel_place(const wf_panel *panel, wf_vec2 point)
{
    return wf_vec3_add(wf_mat3_mulv(panel->rotation, wf_vec3_make(point.x, point.y, 0)), panel->translation);
}

wf_vec2 wf_seam_side_point(const wf_garment *garment, const wf_seam_side *side, double s)
{
    const wf_panel_edge *edge = &garment->panels[side->panel].edges[side->edge];
    double fraction = s <= 0 ? side->from : s >= 1 ? side->to : side->from + s * (side->to - side->from);
    return wf_curve_point(&edge->curve, wf_curve_parameter(&edge->curve, fraction * edge->length));
}

/* ---- panels ---------------------------------------------------------------------------------------------------- */

static wf_status check_vertices(wf_context *context, const wf_panel_def *def)
{
    if (def->vertex_count < 1 || def->edge_count < 1) {
        return wf_fail(context, WF_ERROR_FORMAT, "panel '%s' has %d vertices and %d edges, too few for an outline",
                       def->name, def->vertex_count, def->edge_count);
    }
    for (int32_t i = 0; i < def->vertex_count; i++) {
        if (!coordinate_is_good(def->vertices[i].x) || !coordinate_is_good(def->vertices[i].y)) {
            return wf_fail(context, WF_ERROR_NUMERIC,
                           "panel '%s': a vertex at (%g, %g) m is not a number or farther than 1 km", def->name,
                           def->vertices[i].x, def->vertices[i].y);
        }
    }
    const double placement[] = {def->translation.x, def->translation.y, def->translation.z,
                                def->rotation.x,    def->rotation.y,    def->rotation.z, def->grain};
    for (size_t i = 0; i < sizeof placement / sizeof *placement; i++) {
        if (!coordinate_is_good(placement[i])) {
            return wf_fail(context, WF_ERROR_NUMERIC, "panel '%s': its translation, rotation or grain holds %g",
                           def->name, placement[i]);
        }
    }
    if (def->fabric < 0 || def->layer < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "panel '%s': fabric %d and layer %d must not be negative",
                       def->name, def->fabric, def->layer);
    }
    return WF_OK;
}

/* A control point in the panel's plane. */
static wf_vec2 control_point(const wf_edge_def *edge, int index, wf_vec2 start, wf_vec2 end)
{
    wf_vec2 control = edge->control[index];
    if (!edge->relative) {
        return control;
    }
    wf_vec2 along = wf_vec2_sub(end, start);
    return (wf_vec2){start.x + control.x * along.x - control.y * along.y,
                     start.y + control.x * along.y + control.y * along.x};
}

static wf_status make_edge(wf_context *context, const wf_panel_def *def, int32_t index, int32_t number,
                           wf_panel_edge *edge)
{
    const wf_edge_def *from = &def->edges[index];
    if (from->start < 0 || from->start >= def->vertex_count || from->end < 0 || from->end >= def->vertex_count) {
        return wf_fail(context, WF_ERROR_FORMAT, "panel '%s', edge %d names a vertex that the panel does not have",
                       def->name, number);
    }
    wf_vec2 start = def->vertices[from->start], end = def->vertices[from->end];
    int controls = from->kind == WF_EDGE_QUADRATIC ? 1 : from->kind == WF_EDGE_CUBIC ? 2 : 0;
    wf_vec2 control[2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < controls; i++) {
        control[i] = control_point(from, i, start, end);
        if (!coordinate_is_good(control[i].x) || !coordinate_is_good(control[i].y)) {
            return wf_fail(context, WF_ERROR_NUMERIC,
                           "panel '%s', edge %d: a control point at (%g, %g) m is not a number or farther than 1 km",
                           def->name, number, control[i].x, control[i].y);
        }
    }
    double chord = wf_vec2_norm(wf_vec2_sub(end, start));
    switch (from->kind) {
    case WF_EDGE_LINE: edge->curve = wf_curve_line(start, end); break;
    case WF_EDGE_QUADRATIC: edge->curve = wf_curve_quadratic(start, control[0], end); break;
    case WF_EDGE_CUBIC: edge->curve = wf_curve_cubic(start, control[0], control[1], end); break;
    case WF_EDGE_ARC:
        /* Files round; a radius clearly below half the chord is a mistake. */
        if (!coordinate_is_good(from->radius) || chord <= 0 || from->radius < 0.499 * chord) {
            return wf_fail(context, WF_ERROR_GEOMETRY,
                           "panel '%s', edge %d: no circle of radius %g m passes through ends %g m apart", def->name,
                           number, from->radius, chord);
        }
        edge->curve = wf_curve_arc(start, end, from->radius, from->large, from->right);
        break;
    }
    edge->start = from->start;
    edge->end = from->end;
    edge->length = wf_curve_length(&edge->curve, 0, 1);
    if (!(edge->length > 1e-9)) {
        return wf_fail(context, WF_ERROR_GEOMETRY, "panel '%s', edge %d has no length", def->name, number);
    }
    return WF_OK;
}

/* Finds where loops begin: an edge that returns to its loop's first vertex closes it. */
static wf_status find_loops(wf_context *context, wf_panel *panel, int32_t first_number)
{
    bool *used = wf_allocate(context, (size_t)panel->vertex_count, sizeof *used);
    if (!used) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = WF_OK;
    int32_t loop_start = 0;
    panel->loop_count = 0;
    for (int32_t i = 0; i < panel->edge_count && status == WF_OK; i++) {
        const wf_panel_edge *edge = &panel->edges[i];
        if (i > loop_start && edge->start != edge[-1].end) {
            status = wf_fail(context, WF_ERROR_FORMAT, "panel '%s', edge %d does not begin where edge %d ends",
                             panel->name, i + first_number, i - 1 + first_number);
        } else if (used[edge->start]) {
            status = wf_fail(context, WF_ERROR_FORMAT, "panel '%s', edge %d begins at a vertex that the outline has "
                             "already passed", panel->name, i + first_number);
        } else {
            used[edge->start] = true;
            if (edge->end == panel->edges[loop_start].start) {
                panel->loop_count++;
                panel->loop_starts[panel->loop_count] = loop_start = i + 1;
            }
        }
    }
    if (status == WF_OK && loop_start != panel->edge_count) {
        status = wf_fail(context, WF_ERROR_FORMAT, "panel '%s': its outline is not closed; edge %d does not return to "
                         "where edge %d began", panel->name, panel->edge_count - 1 + first_number,
                         loop_start + first_number);
    }
    wf_free(context, used);
    return status;
}

/* Fails for an outline without an area. Where that is because it crosses or touches itself, the triangulation knows the
 * place; its segments are parts of the panel's edges. */
static wf_status fail_without_area(wf_context *context, const wf_panel *panel)
{
    enum { PARTS = 16 }; /* of a curved edge */
    const int32_t edge_count = panel->loop_starts[1];
    wf_vec2 *points = wf_allocate(context, (size_t)edge_count * PARTS, sizeof *points);
    if (!points) {
        return WF_ERROR_MEMORY;
    }
    int32_t loop_starts[2] = {0, 0};
    double perimeter = 0;
    for (int32_t i = 0; i < edge_count; i++) {
        const int32_t parts = panel->edges[i].curve.kind == WF_CURVE_LINE ? 1 : PARTS;
        for (int32_t k = 0; k < parts; k++) {
            points[loop_starts[1]++] = wf_curve_point(&panel->edges[i].curve, (double)k / parts);
        }
        perimeter += panel->edges[i].length;
    }
    wf_triangulate_params params = wf_default_triangulate_params();
    params.edge_length = perimeter;
    params.minimum_angle = 0;
    params.split_boundary = false;
    wf_planar_mesh planar;
    wf_status status = wf_triangulate(context, loop_starts[1], points, 1, loop_starts, &params, &planar);
    wf_planar_mesh_free(context, &planar);
    wf_free(context, points);
    if (status == WF_ERROR_MEMORY) {
        return status;
    }
    char reason[256] = "";
    if (status != WF_OK) {
        snprintf(reason, sizeof reason, ": %s", wf_context_message(context));
    }
    return wf_fail(context, WF_ERROR_GEOMETRY, "panel '%s': its outline encloses no area%s", panel->name, reason);
}

static wf_status measure_panel(wf_context *context, wf_panel *panel)
{
    double outline_area = 0;
    for (int32_t loop = 0; loop < panel->loop_count; loop++) {
        double area = 0;
        for (int32_t i = panel->loop_starts[loop]; i < panel->loop_starts[loop + 1]; i++) {
            area += wf_curve_area(&panel->edges[i].curve);
        }
        if (loop == 0) {
            outline_area = area;
            panel->clockwise = area < 0;
            panel->area = fabs(area);
        } else {
            panel->area -= fabs(area);
        }
        bool agrees = loop == 0 || (area < 0) != panel->clockwise;
        for (int32_t i = panel->loop_starts[loop]; i < panel->loop_starts[loop + 1]; i++) {
            panel->edges[i].agrees = agrees;
        }
    }
    if (!(panel->area > 1e-8)) {
        if (!(fabs(outline_area) > 1e-8)) {
            return fail_without_area(context, panel);
        }
        return wf_fail(context, WF_ERROR_GEOMETRY, "panel '%s': its holes are larger than its outline", panel->name);
    }
    wf_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < panel->edge_count; i++) {
        sum = wf_vec3_add(sum, wf_panel_place(panel, panel->vertices[panel->edges[i].start]));
    }
    panel->center = wf_vec3_scale(sum, 1.0 / panel->edge_count);
    return WF_OK;
}

static wf_status copy_folds(wf_context *context, const wf_panel_def *def, int32_t first_number, wf_panel *panel)
{
    panel->folds = wf_allocate(context, (size_t)def->fold_count, sizeof *panel->folds);
    if (!panel->folds) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < def->fold_count; k++) {
        const wf_panel_fold *fold = &def->folds[k];
        double length = wf_vec2_norm(wf_vec2_sub(fold->to, fold->from));
        /* Written so that NaN fails too. */
        if (!(length > 1e-6 && length < 4 * largest_coordinate && fabs(fold->angle) <= 3.14159265358979323846)) {
            return wf_fail(context, length > 1e-6 ? WF_ERROR_ARGUMENT : WF_ERROR_GEOMETRY,
                           "panel '%s': fold %d needs a length and an angle from -pi to pi, got %g m and %g rad",
                           panel->name, k + first_number, length, fold->angle);
        }
        panel->folds[k] = *fold;
    }
    panel->fold_count = def->fold_count;
    return WF_OK;
}

static wf_status make_panel(wf_context *context, const wf_garment_def *garment, const wf_panel_def *def,
                            wf_panel *panel)
{
    wf_status status = check_vertices(context, def);
    if (status != WF_OK) {
        return status;
    }
    panel->name = wf_copy_text(context, def->name);
    panel->label = def->label ? wf_copy_text(context, def->label) : NULL;
    panel->vertices = wf_allocate(context, (size_t)def->vertex_count, sizeof *panel->vertices);
    panel->edges = wf_allocate(context, (size_t)def->edge_count, sizeof *panel->edges);
    panel->loop_starts = wf_allocate(context, (size_t)def->edge_count + 1, sizeof *panel->loop_starts);
    if (!panel->name || (def->label && !panel->label) || !panel->vertices || !panel->edges || !panel->loop_starts) {
        return WF_ERROR_MEMORY;
    }
    panel->vertex_count = def->vertex_count;
    panel->edge_count = def->edge_count;
    memcpy(panel->vertices, def->vertices, (size_t)def->vertex_count * sizeof *panel->vertices);
    panel->rotation = rotation_from_euler(def->rotation, garment->euler_order);
    panel->translation = def->translation;
    panel->grain = def->grain;
    panel->fabric = def->fabric;
    panel->layer = def->layer;
    for (int32_t i = 0; i < def->edge_count; i++) {
        status = make_edge(context, def, i, i + garment->first_number, &panel->edges[i]);
        if (status != WF_OK) {
            return status;
        }
    }
    status = copy_folds(context, def, garment->first_number, panel);
    if (status == WF_OK) {
        status = find_loops(context, panel, garment->first_number);
    }
    return status == WF_OK ? measure_panel(context, panel) : status;
}

/* ---- seams ----------------------------------------------------------------------------------------------------- */

static wf_status make_seam(wf_context *context, const wf_garment *garment, int32_t index, const wf_seam_def *def)
{
    wf_seam *seam = &garment->seams[index];
    int32_t number = index + garment->first_number;
    seam->ends = def->ends;
    seam->law = def->law;
    /* Written so that NaN fails too. */
    if (!(def->law.bending >= 0 && def->law.bending <= 1e11 && def->law.stiffness >= 0 && def->law.stiffness <= 1e11 &&
          fabs(def->law.shrinkage) <= 0.5)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "seam %d needs a bending and a stiffness from 0 to 1e11 and a shrinkage from -0.5 to 0.5, got "
                       "%g N m2, %g N and %g", number, def->law.bending, def->law.stiffness, def->law.shrinkage);
    }
    if (def->law.shrinkage != 0 && def->law.stiffness == 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "seam %d: shrinkage needs a stiffness (N) that shortens the cloth",
                       number);
    }
    for (int k = 0; k < 2; k++) {
        const wf_seam_side *side = &def->side[k];
        if (side->panel < 0 || side->panel >= garment->panel_count) {
            return wf_fail(context, WF_ERROR_FORMAT, "seam %d names a panel that the garment does not have", number);
        }
        const wf_panel *panel = &garment->panels[side->panel];
        if (side->edge < 0 || side->edge >= panel->edge_count) {
            return wf_fail(context, WF_ERROR_FORMAT, "seam %d names edge %d of panel '%s', which has edges %d to %d",
                           number, side->edge + garment->first_number, panel->name, garment->first_number,
                           panel->edge_count - 1 + garment->first_number);
        }
        if (!(side->from >= 0 && side->to <= 1 && side->to - side->from > same_fraction)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "seam %d: the part of edge %d of panel '%s' must run from a fraction of its length to a "
                           "larger one within 0 to 1, got %g to %g",
                           number, side->edge + garment->first_number, panel->name, side->from, side->to);
        }
        seam->side[k] = *side;
        seam->length[k] = (side->to - side->from) * panel->edges[side->edge].length;
    }
    return WF_OK;
}

/* No part of an edge may be sewn twice. */
static wf_status check_overlaps(wf_context *context, const wf_garment *garment)
{
    for (int32_t i = 0; i < 2 * garment->seam_count; i++) {
        const wf_seam_side *a = &garment->seams[i / 2].side[i % 2];
        for (int32_t j = 0; j < i; j++) {
            const wf_seam_side *b = &garment->seams[j / 2].side[j % 2];
            if (a->panel != b->panel || a->edge != b->edge || a->from >= b->to - same_fraction
                || b->from >= a->to - same_fraction) {
                continue;
            }
            const char *name = garment->panels[a->panel].name;
            int32_t edge = a->edge + garment->first_number;
            if (i / 2 == j / 2) {
                return wf_fail(context, WF_ERROR_FORMAT, "seam %d sews edge %d of panel '%s' to itself",
                               i / 2 + garment->first_number, edge, name);
            }
            return wf_fail(context, WF_ERROR_FORMAT, "edge %d of panel '%s' is sewn by seam %d and again by seam %d",
                           edge, name, j / 2 + garment->first_number, i / 2 + garment->first_number);
        }
    }
    return WF_OK;
}

/* ---- garments -------------------------------------------------------------------------------------------------- */

static wf_status fill_garment(wf_context *context, const wf_garment_def *def, wf_garment *garment)
{
    garment->first_number = def->first_number;
    garment->panels = wf_allocate(context, (size_t)def->panel_count, sizeof *garment->panels);
    garment->seams = wf_allocate(context, (size_t)def->seam_count, sizeof *garment->seams);
    if (!garment->panels || !garment->seams) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = WF_OK;
    for (int32_t i = 0; i < def->panel_count && status == WF_OK; i++) {
        garment->panel_count = i + 1;
        for (int32_t j = 0; j < i; j++) {
            if (strcmp(def->panels[i].name, def->panels[j].name) == 0) {
                return wf_fail(context, WF_ERROR_FORMAT, "two panels are called '%s'", def->panels[i].name);
            }
        }
        status = make_panel(context, def, &def->panels[i], &garment->panels[i]);
    }
    garment->seam_count = def->seam_count;
    for (int32_t i = 0; i < def->seam_count && status == WF_OK; i++) {
        status = make_seam(context, garment, i, &def->seams[i]);
    }
    if (status == WF_OK) {
        status = check_overlaps(context, garment);
    }
    return status == WF_OK ? wf_garment_match_seams(context, garment) : status;
}

wf_status wf_garment_create(wf_context *context, const wf_garment_def *def, wf_garment **garment)
{
    *garment = NULL;
    if (def->panel_count < 1 || def->seam_count < 0) {
        return wf_fail(context, WF_ERROR_FORMAT, "a garment needs at least one panel");
    }
    if (def->panel_count > largest_panel_count || def->seam_count > largest_seam_count) {
        return wf_fail(context, WF_ERROR_LIMIT, "a garment may have %d panels and %d seams, got %d and %d",
                       largest_panel_count, largest_seam_count, def->panel_count, def->seam_count);
    }
    wf_garment *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = fill_garment(context, def, made);
    if (status != WF_OK) {
        wf_garment_destroy(context, made);
        return status;
    }
    *garment = made;
    return WF_OK;
}

void wf_garment_destroy(wf_context *context, wf_garment *garment)
{
    if (!garment) {
        return;
    }
    for (int32_t i = 0; garment->panels && i < garment->panel_count; i++) {
        wf_panel *panel = &garment->panels[i];
        wf_free(context, panel->name);
        wf_free(context, panel->label);
        wf_free(context, panel->vertices);
        wf_free(context, panel->edges);
        wf_free(context, panel->folds);
        wf_free(context, panel->loop_starts);
    }
    wf_free(context, garment->panels);
    wf_free(context, garment->seams);
    wf_free(context, garment);
}
