/* sample.h - points on the outlines of a garment's panels, driven by its seams.
 *
 * Both sides of a seam must get the same number of points (reference E5), so the points are kept once per seam: a
 * strand is a sorted list of fractions 0 ... 1 of arc length that every piece of outline lying on it shares. A piece
 * is a part of an edge that is sewn as one (two pieces share a strand) or not sewn (a strand of its own). A point added
 * to a strand is added to all seam partners at once.
 */
#ifndef WEFT_GARMENT_SAMPLE_H
#define WEFT_GARMENT_SAMPLE_H

#include "garment/pattern.h"

typedef struct wf_strand {
    int32_t seam;          /* -1: not sewn */
    int32_t segment_count;
    double *fractions;     /* [segment_count + 1], from 0 to 1, increasing */
    size_t capacity;
} wf_strand;

typedef struct wf_piece {
    int32_t panel, edge, strand;
    double from, to;       /* fractions of the edge's arc length */
    bool reversed;         /* the strand's fraction s lies at 1 - s of the piece */
    int32_t first_point, last_point; /* its ends among the panel's outline points, set by wf_sampling_outline */
} wf_piece;

typedef struct wf_sampling {
    const wf_garment *garment;
    int32_t strand_count, piece_count;
    wf_strand *strands;
    wf_piece *pieces;             /* panel by panel, in the outline's order */
    int32_t *panel_pieces;        /* [panel_count + 1] */
    int32_t (*seam_pieces)[2];    /* [seam_count] the two pieces of a seam */
    bool *panel_changed;          /* [panel_count] its outline differs from the one last asked for */
} wf_sampling;

/* The outline of a panel as polygons, in its rest frame: the panel's plane seen from its outer side (x changes sign
 * when that is the back of the drawing), so that the outline runs counter-clockwise unless seams.h turned the panel. */
typedef struct wf_panel_outline {
    int32_t point_count, loop_count;
    wf_vec2 *points;
    int32_t *loop_starts;         /* [loop_count + 1] */
    int32_t *next;                /* [point_count] the point that follows in the loop */
    int32_t *segment_strand;      /* [point_count] strand of the segment from a point to the next */
    double (*segment_range)[2];   /* [point_count] its begin and end as fractions of the strand */
} wf_panel_outline;

/* Cuts the outlines into pieces and gives each strand segments of about `edge_length` measured on its longer side, at
 * least one, and enough for no curve to turn by more than 45 degrees within a segment. */
wf_status wf_sampling_create(wf_context *context, const wf_garment *garment, double edge_length,
                             wf_sampling **sampling);
void wf_sampling_destroy(wf_context *context, wf_sampling *sampling);

wf_status wf_sampling_outline(wf_context *context, wf_sampling *sampling, int32_t panel, wf_panel_outline *outline);
void wf_panel_outline_free(wf_context *context, wf_panel_outline *outline);

/* The outline point of a piece at the strand's fraction number `index`. */
int32_t wf_piece_point(const wf_sampling *sampling, const wf_piece *piece, int32_t index);

/* Asks for a point at `fraction` of a strand, within the segment `range`. Nothing is added where a point lies already
 * (nearer than a fifth of that segment, so that requests of two partners do not crowd). Marks the panels concerned. */
wf_status wf_sampling_split(wf_context *context, wf_sampling *sampling, int32_t strand, const double range[2],
                            double fraction);

/* The same for a point that must be there: one that is so near is moved, unless it ends the strand. */
wf_status wf_sampling_place(wf_context *context, wf_sampling *sampling, int32_t strand, const double range[2],
                            double fraction);

#endif
