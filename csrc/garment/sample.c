/* sample.c - strands, pieces and outlines. */
#include "garment/sample.h"

#include <stdlib.h>
#include <string.h>

static const double largest_turn = 0.7853981633974483; /* rad within one segment: 45 degrees */
static const double same_fraction = 1e-9;

#define CROWDED 0.2 /* of a segment: nearer to a point no other is put */

/* A seam's side on its edge, for sorting. */
typedef struct sewn_part {
    wf_seam_side side;
    int32_t seam, which;
} sewn_part;

static int compare_parts(const void *a, const void *b)
{
    const sewn_part *p = a, *q = b;
    if (p->side.panel != q->side.panel) {
        return p->side.panel < q->side.panel ? -1 : 1;
    }
    if (p->side.edge != q->side.edge) {
        return p->side.edge < q->side.edge ? -1 : 1;
    }
    return (p->side.from > q->side.from) - (p->side.from < q->side.from);
}

/* Appends the pieces of one edge: its sewn parts and the gaps between them. Returns how many parts it used. */
static int32_t cut_edge(wf_sampling *s, int32_t panel, int32_t edge, const sewn_part *parts, int32_t part_count)
{
    double position = 0;
    int32_t used = 0;
    while (position < 1 - same_fraction) {
        wf_piece *piece = &s->pieces[s->piece_count];
        bool here = used < part_count && parts[used].side.panel == panel && parts[used].side.edge == edge;
        *piece = (wf_piece){.panel = panel, .edge = edge, .from = position};
        if (here && parts[used].side.from <= position + same_fraction) {
            const sewn_part *part = &parts[used++];
            piece->to = part->side.to;
            piece->strand = part->seam; /* strands of seams come first, in the seams' order */
            piece->reversed = part->which == 1 && !s->garment->seams[part->seam].same;
            s->seam_pieces[part->seam][part->which] = s->piece_count;
        } else {
            piece->to = here ? parts[used].side.from : 1;
            piece->strand = s->strand_count++;
        }
        if (piece->to > 1 - same_fraction) {
            piece->to = 1;
        }
        position = piece->to;
        s->piece_count++;
    }
    return used;
}

static wf_status cut_edges(wf_context *context, wf_sampling *s)
{
    const wf_garment *garment = s->garment;
    int32_t part_count = 2 * garment->seam_count;
    sewn_part *parts = wf_allocate(context, (size_t)part_count, sizeof *parts);
    if (!parts) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < part_count; i++) {
        parts[i] = (sewn_part){garment->seams[i / 2].side[i % 2], i / 2, i % 2};
    }
    qsort(parts, (size_t)part_count, sizeof *parts, compare_parts);
    int32_t done = 0;
    s->strand_count = garment->seam_count;
    for (int32_t panel = 0; panel < garment->panel_count; panel++) {
        s->panel_pieces[panel] = s->piece_count;
        s->panel_changed[panel] = true;
        for (int32_t edge = 0; edge < garment->panels[panel].edge_count; edge++) {
            done += cut_edge(s, panel, edge, parts + done, part_count - done);
        }
    }
    s->panel_pieces[garment->panel_count] = s->piece_count;
    wf_free(context, parts);
    return WF_OK;
}

static const wf_panel_edge *edge_of(const wf_sampling *s, const wf_piece *piece)
{
    return &s->garment->panels[piece->panel].edges[piece->edge];
}

/* Raises a strand's number of segments to what one of its pieces needs; the fractions are filled afterwards. */
static void require_segments(wf_sampling *s, const wf_piece *piece, double edge_length)
{
    const wf_panel_edge *edge = edge_of(s, piece);
    double part = piece->to - piece->from;
    double by_length = ceil(part * edge->length / edge_length - 1e-6);
    double by_turning = ceil(part * wf_curve_turning(&edge->curve) / largest_turn - 1e-6);
    int32_t needed = (int32_t)fmax(1, fmax(by_length, by_turning));
    wf_strand *strand = &s->strands[piece->strand];
    if (strand->segment_count < needed) {
        strand->segment_count = needed;
    }
}

/* A loop needs three points; edges of a lens or a drop may have given fewer. */
static void require_polygons(wf_sampling *s)
{
    for (int32_t p = 0; p < s->garment->panel_count; p++) {
        const wf_panel *panel = &s->garment->panels[p];
        int32_t begin = s->panel_pieces[p];
        for (int32_t loop = 0; loop < panel->loop_count; loop++) {
            int32_t end = begin, segments = 0;
            while (end < s->panel_pieces[p + 1] && s->pieces[end].edge < panel->loop_starts[loop + 1]) {
                segments += s->strands[s->pieces[end++].strand].segment_count;
            }
            for (int32_t i = begin; i < end && segments < 3; i++) {
                wf_strand *strand = &s->strands[s->pieces[i].strand];
                strand->segment_count = strand->segment_count < 3 ? 3 : strand->segment_count;
            }
            begin = end;
        }
    }
}

static wf_status fill_strands(wf_context *context, wf_sampling *s)
{
    for (int32_t i = 0; i < s->strand_count; i++) {
        wf_strand *strand = &s->strands[i];
        int32_t count = strand->segment_count;
        strand->seam = i < s->garment->seam_count ? i : -1;
        if (wf_reserve(context, &strand->fractions, &strand->capacity, (size_t)count + 1,
                       sizeof *strand->fractions) != WF_OK) {
            return WF_ERROR_MEMORY;
        }
        for (int32_t k = 0; k <= count; k++) {
            strand->fractions[k] = (double)k / count;
        }
    }
    return WF_OK;
}

static wf_status fill_sampling(wf_context *context, wf_sampling *s, double edge_length)
{
    const wf_garment *garment = s->garment;
    size_t piece_limit = 4 * (size_t)garment->seam_count; /* each sewn part adds itself and at most one gap after it */
    for (int32_t i = 0; i < garment->panel_count; i++) {
        piece_limit += (size_t)garment->panels[i].edge_count;
    }
    s->pieces = wf_allocate(context, piece_limit, sizeof *s->pieces);
    s->panel_pieces = wf_allocate(context, (size_t)garment->panel_count + 1, sizeof *s->panel_pieces);
    s->seam_pieces = wf_allocate(context, (size_t)garment->seam_count, sizeof *s->seam_pieces);
    s->panel_changed = wf_allocate(context, (size_t)garment->panel_count, sizeof *s->panel_changed);
    if (!s->pieces || !s->panel_pieces || !s->seam_pieces || !s->panel_changed) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = cut_edges(context, s);
    if (status != WF_OK) {
        return status;
    }
    s->strands = wf_allocate(context, (size_t)s->strand_count, sizeof *s->strands);
    if (!s->strands) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < s->piece_count; i++) {
        require_segments(s, &s->pieces[i], edge_length);
    }
    require_polygons(s);
    return fill_strands(context, s);
}

wf_status wf_sampling_create(wf_context *context, const wf_garment *garment, double edge_length,
                             wf_sampling **sampling)
{
    *sampling = wf_allocate(context, 1, sizeof **sampling);
    if (!*sampling) {
        return WF_ERROR_MEMORY;
    }
    (*sampling)->garment = garment;
    wf_status status = fill_sampling(context, *sampling, edge_length);
    if (status != WF_OK) {
        wf_sampling_destroy(context, *sampling);
        *sampling = NULL;
    }
    return status;
}

void wf_sampling_destroy(wf_context *context, wf_sampling *sampling)
{
    if (!sampling) {
        return;
    }
    for (int32_t i = 0; sampling->strands && i < sampling->strand_count; i++) {
        wf_free(context, sampling->strands[i].fractions);
    }
    wf_free(context, sampling->strands);
    wf_free(context, sampling->pieces);
    wf_free(context, sampling->panel_pieces);
    wf_free(context, sampling->seam_pieces);
    wf_free(context, sampling->panel_changed);
    wf_free(context, sampling);
}

/* ---- outlines -------------------------------------------------------------------------------------------------- */

/* Adds the points of one piece, all but its last, which is the next piece's first. */
static void add_piece(wf_sampling *s, wf_piece *piece, wf_panel_outline *outline)
{
    const wf_panel *panel = &s->garment->panels[piece->panel];
    const wf_panel_edge *edge = edge_of(s, piece);
    const wf_strand *strand = &s->strands[piece->strand];
    int32_t count = strand->segment_count;
    double mirror = panel->clockwise != panel->turned ? -1 : 1;
    piece->first_point = outline->point_count;
    for (int32_t k = 0; k < count; k++) {
        int32_t here = piece->reversed ? count - k : k, there = piece->reversed ? here - 1 : here + 1;
        double s_here = strand->fractions[here], along = piece->reversed ? 1 - s_here : s_here;
        double fraction = piece->from + along * (piece->to - piece->from);
        wf_vec2 point = wf_curve_point(&edge->curve, wf_curve_parameter(&edge->curve, fraction * edge->length));
        int32_t i = outline->point_count++;
        outline->points[i] = (wf_vec2){mirror * point.x, point.y};
        outline->next[i] = i + 1;
        outline->segment_strand[i] = piece->strand;
        outline->segment_range[i][0] = s_here;
        outline->segment_range[i][1] = strand->fractions[there];
    }
    piece->last_point = outline->point_count;
}

wf_status wf_sampling_outline(wf_context *context, wf_sampling *s, int32_t panel_index, wf_panel_outline *outline)
{
    const wf_panel *panel = &s->garment->panels[panel_index];
    int32_t begin = s->panel_pieces[panel_index], end = s->panel_pieces[panel_index + 1];
    size_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        count += (size_t)s->strands[s->pieces[i].strand].segment_count;
    }
    memset(outline, 0, sizeof *outline);
    outline->points = wf_allocate(context, count, sizeof *outline->points);
    outline->loop_starts = wf_allocate(context, (size_t)panel->loop_count + 1, sizeof *outline->loop_starts);
    outline->next = wf_allocate(context, count, sizeof *outline->next);
    outline->segment_strand = wf_allocate(context, count, sizeof *outline->segment_strand);
    outline->segment_range = wf_allocate(context, count, sizeof *outline->segment_range);
    if (!outline->points || !outline->loop_starts || !outline->next || !outline->segment_strand
        || !outline->segment_range) {
        wf_panel_outline_free(context, outline);
        return WF_ERROR_MEMORY;
    }
    outline->loop_count = panel->loop_count;
    for (int32_t loop = 0, i = begin; loop < panel->loop_count; loop++) {
        int32_t start = outline->point_count;
        for (; i < end && s->pieces[i].edge < panel->loop_starts[loop + 1]; i++) {
            add_piece(s, &s->pieces[i], outline);
        }
        s->pieces[i - 1].last_point = start;
        outline->next[outline->point_count - 1] = start;
        outline->loop_starts[loop + 1] = outline->point_count;
    }
    s->panel_changed[panel_index] = false;
    return WF_OK;
}

void wf_panel_outline_free(wf_context *context, wf_panel_outline *outline)
{
    wf_free(context, outline->points);
    wf_free(context, outline->loop_starts);
    wf_free(context, outline->next);
    wf_free(context, outline->segment_strand);
    wf_free(context, outline->segment_range);
    memset(outline, 0, sizeof *outline);
}

int32_t wf_piece_point(const wf_sampling *sampling, const wf_piece *piece, int32_t index)
{
    int32_t count = sampling->strands[piece->strand].segment_count;
    int32_t along = piece->reversed ? count - index : index;
    return along == count ? piece->last_point : piece->first_point + along;
}

static void mark_changed(wf_sampling *s, int32_t strand)
{
    for (int32_t i = 0; i < s->piece_count; i++) {
        if (s->pieces[i].strand == strand) {
            s->panel_changed[s->pieces[i].panel] = true;
        }
    }
}

/* The point of a strand at the fraction or the first beyond it. */
static int32_t point_after(const wf_strand *strand, double fraction)
{
    int32_t at = 1;
    while (at < strand->segment_count && strand->fractions[at] < fraction) {
        at++;
    }
    return at;
}

wf_status wf_sampling_place(wf_context *context, wf_sampling *s, int32_t strand_index, const double range[2],
                            double fraction)
{
    wf_strand *strand = &s->strands[strand_index];
    double crowded = CROWDED * fabs(range[1] - range[0]);
    int32_t at = point_after(strand, fraction);
    at = fraction - strand->fractions[at - 1] < strand->fractions[at] - fraction ? at - 1 : at;
    if (fabs(strand->fractions[at] - fraction) >= crowded) {
        return wf_sampling_split(context, s, strand_index, range, fraction);
    }
    if (at > 0 && at < strand->segment_count) {
        strand->fractions[at] = fraction;
        mark_changed(s, strand_index);
    }
    return WF_OK;
}

wf_status wf_sampling_split(wf_context *context, wf_sampling *s, int32_t strand_index, const double range[2],
                            double fraction)
{
    wf_strand *strand = &s->strands[strand_index];
    double crowded = CROWDED * fabs(range[1] - range[0]);
    int32_t at = point_after(strand, fraction);
    if (fraction - strand->fractions[at - 1] < crowded || strand->fractions[at] - fraction < crowded) {
        return WF_OK;
    }
    size_t count = (size_t)strand->segment_count + 1;
    if (wf_reserve(context, &strand->fractions, &strand->capacity, count + 1, sizeof *strand->fractions) != WF_OK) {
        return WF_ERROR_MEMORY;
    }
    memmove(strand->fractions + at + 1, strand->fractions + at, (count - (size_t)at) * sizeof *strand->fractions);
    strand->fractions[at] = fraction;
    strand->segment_count++;
    mark_changed(s, strand_index);
    return WF_OK;
}
