#include "garment/folds.h"

#include <stdlib.h>
#include <string.h>

/* Nearer to an outline point than this, in lengths of the outline's segment, a fold ends at the point. */
#define AT_POINT 1e-6

/* So far may a fold fall short of the outline, in lengths of the segment there: curves bulge beyond theirs. */
#define SHORT_OF 0.25

typedef struct crossing {
    double along;    /* m, from the fold's begin */
    int32_t segment; /* of the outline, from point `segment` on */
    double fraction; /* of the segment */
} crossing;

/* A fold in the frame of the panel's outline. */
typedef struct fold_line {
    wf_vec2 from, way; /* way: unit */
    double length;     /* m */
} fold_line;

static fold_line fold_in_outline(const wf_panel *panel, const wf_panel_fold *fold)
{
    double side = panel->clockwise != panel->turned ? -1 : 1;
    wf_vec2 from = {side * fold->from.x, fold->from.y}, to = {side * fold->to.x, fold->to.y};
    wf_vec2 way = wf_vec2_sub(to, from);
    double length = wf_vec2_norm(way);
    return (fold_line){from, wf_vec2_scale(way, 1 / length), length};
}

static int compare_crossings(const void *a, const void *b)
{
    const crossing *p = a, *q = b;
    if (p->along != q->along) {
        return p->along < q->along ? -1 : 1;
    }
    return (p->segment > q->segment) - (p->segment < q->segment);
}

/* Where the fold meets the outline, in its order. found: [point_count] */
static int32_t find_crossings(const wf_panel_outline *outline, const fold_line *fold, crossing *found)
{
    int32_t count = 0;
    for (int32_t i = 0; i < outline->point_count; i++) {
        wf_vec2 a = wf_vec2_sub(outline->points[i], fold->from);
        wf_vec2 b = wf_vec2_sub(outline->points[outline->next[i]], fold->from);
        double beside_a = wf_vec2_cross(fold->way, a), beside_b = wf_vec2_cross(fold->way, b);
        double length = wf_vec2_norm(wf_vec2_sub(b, a)), near_point = AT_POINT * length;
        bool at_a = fabs(beside_a) <= near_point, at_b = fabs(beside_b) <= near_point;
        if (!at_a && (at_b || (beside_a > 0) == (beside_b > 0))) {
            continue; /* a point is one of the segment that begins there */
        }
        double fraction = at_a ? 0 : beside_a / (beside_a - beside_b);
        double along = wf_vec2_dot(fold->way, wf_vec2_add(wf_vec2_scale(a, 1 - fraction), wf_vec2_scale(b, fraction)));
        if (along >= -SHORT_OF * length && along <= fold->length + SHORT_OF * length) {
            found[count++] = (crossing){along, i, fraction};
        }
    }
    qsort(found, (size_t)count, sizeof *found, compare_crossings);
    return count;
}

static wf_status sample_panel(wf_context *context, wf_sampling *sampling, int32_t index)
{
    const wf_panel *panel = &sampling->garment->panels[index];
    wf_panel_outline outline;
    wf_status status = wf_sampling_outline(context, sampling, index, &outline);
    if (status != WF_OK) {
        return status;
    }
    crossing *found = wf_allocate(context, (size_t)outline.point_count, sizeof *found);
    status = found ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t k = 0; k < panel->fold_count && status == WF_OK; k++) {
        fold_line fold = fold_in_outline(panel, &panel->folds[k]);
        int32_t count = find_crossings(&outline, &fold, found);
        for (int32_t i = 0; i < count && status == WF_OK; i++) {
            const double *range = outline.segment_range[found[i].segment];
            if (found[i].fraction > 0) {
                status = wf_sampling_place(context, sampling, outline.segment_strand[found[i].segment], range,
                                           range[0] + found[i].fraction * (range[1] - range[0]));
            }
        }
    }
    wf_free(context, found);
    wf_panel_outline_free(context, &outline);
    return status;
}

wf_status wf_folds_sample(wf_context *context, wf_sampling *sampling)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < sampling->garment->panel_count && status == WF_OK; i++) {
        status = sampling->garment->panels[i].fold_count > 0 ? sample_panel(context, sampling, i) : WF_OK;
        sampling->panel_changed[i] = true; /* none has been triangulated yet */
    }
    return status;
}

/* Whether a point is inside the outline: the number of segments to its right is odd. */
static bool is_inside(const wf_panel_outline *outline, wf_vec2 point)
{
    bool inside = false;
    for (int32_t i = 0; i < outline->point_count; i++) {
        wf_vec2 a = outline->points[i], b = outline->points[outline->next[i]];
        if ((a.y > point.y) != (b.y > point.y)) {
            double x = a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y);
            inside = inside != (x > point.x);
        }
    }
    return inside;
}

/* Adds the lines of one fold, and returns how many. found: [point_count] scratch */
static int32_t add_fold(const wf_panel_outline *outline, const fold_line *fold, double angle, crossing *found,
                        wf_fold_lines *lines)
{
    int32_t count = find_crossings(outline, fold, found), before = -1, added = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t point = found[i].fraction < 0.5 ? found[i].segment : outline->next[found[i].segment];
        bool edge = before >= 0 && (outline->next[before] == point || outline->next[point] == before);
        if (before >= 0 && before != point && !edge) {
            wf_vec2 middle = wf_vec2_scale(wf_vec2_add(outline->points[before], outline->points[point]), 0.5);
            if (is_inside(outline, middle)) {
                lines->points[lines->count][0] = before;
                lines->points[lines->count][1] = point;
                lines->angles[lines->count++] = angle;
                added++;
            }
        }
        before = point;
    }
    return added;
}

wf_status wf_fold_lines_find(wf_context *context, const wf_garment *garment, int32_t index,
                             const wf_panel_outline *outline, wf_fold_lines *lines)
{
    const wf_panel *panel = &garment->panels[index];
    size_t limit = (size_t)panel->fold_count * (size_t)outline->point_count;
    memset(lines, 0, sizeof *lines);
    if (panel->fold_count == 0) {
        return WF_OK;
    }
    crossing *found = wf_allocate(context, (size_t)outline->point_count, sizeof *found);
    lines->points = wf_allocate(context, limit, sizeof *lines->points);
    lines->angles = wf_allocate(context, limit, sizeof *lines->angles);
    wf_status status = found && lines->points && lines->angles ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t k = 0; k < panel->fold_count && status == WF_OK; k++) {
        fold_line fold = fold_in_outline(panel, &panel->folds[k]);
        if (add_fold(outline, &fold, panel->folds[k].angle, found, lines) == 0) {
            status = wf_fail(context, WF_ERROR_GEOMETRY,
                             "panel '%s': fold %d does not cross it from outline to outline", panel->name,
                             k + garment->first_number);
        }
    }
    wf_free(context, found);
    return status;
}

void wf_fold_lines_free(wf_context *context, wf_fold_lines *lines)
{
    wf_free(context, lines->points);
    wf_free(context, lines->angles);
    memset(lines, 0, sizeof *lines);
}
