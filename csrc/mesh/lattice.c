/* lattice.c - hexagonal lattice points inside an outline, found row by row; see lattice.h.
 *
 * On a row of the lattice, the points too near to one part of the outline form an interval: the cut of the row with a
 * stadium around that part. Sorted along the row, the ends of these intervals and the crossings with the outline tell
 * which points to keep; no grid is needed, and the work is proportional to what the outline and the lattice are large.
 */
#include "mesh/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* How far lattice points stay away from the outline, in lengths of its parts, or of the target where these are shorter
 * or may not be cut. The apex of an equilateral triangle on a part is 0.87 away. */
static const double CLEARANCE = 0.62;

static const double ROW_HEIGHT = 0.86602540378443864676; /* sqrt(3) / 2, in target lengths */

typedef enum event_kind { EVENT_CROSSING, EVENT_NEAR_BEGIN, EVENT_NEAR_END } event_kind;

typedef struct event {
    double x;
    event_kind kind;
} event;

typedef struct lattice {
    wf_outline *outline;
    double h, row_height;
    wf_vec2 origin;       /* centre of the box: the lattice is symmetric about it */
    int32_t first_row, row_count;
    int32_t *row_start;   /* [row_count + 1] */
    event *events;        /* by row, then x */
} lattice;

static double row_y(const lattice *l, int32_t row)
{
    return l->origin.y + (l->first_row + row) * l->row_height;
}

/* The abscissa of the row's first lattice point right of the origin. */
static double row_x(const lattice *l, int32_t row)
{
    return l->origin.x + ((l->first_row + row) % 2 != 0 ? 0.5 * l->h : 0);
}

/* Widens [*low, *high] by the cut of the row with the disc around p. */
static void cut_disc(wf_vec2 p, double radius, double y, double *low, double *high)
{
    const double rest = radius * radius - (y - p.y) * (y - p.y);
    if (rest >= 0) {
        *low = fmin(*low, p.x - sqrt(rest));
        *high = fmax(*high, p.x + sqrt(rest));
    }
}

/* Widens [*low, *high] by the cut of the row with the segment p q. */
static void cut_segment(wf_vec2 p, wf_vec2 q, double y, double *low, double *high)
{
    if ((p.y <= y) != (q.y <= y)) {
        const double x = p.x + (q.x - p.x) * (y - p.y) / (q.y - p.y);
        *low = fmin(*low, x);
        *high = fmax(*high, x);
    }
}

/* The events of one part p q of the outline on one row, at most 3. A line inside is not crossed: what is on either side
 * of it is inside. */
static int part_events(wf_vec2 p, wf_vec2 q, bool crossed, double radius, double y, event events[3])
{
    int count = 0;
    double low = INFINITY, high = -INFINITY;
    cut_segment(p, q, y, &low, &high);
    if (low <= high && crossed) {
        events[count++] = (event){low, EVENT_CROSSING};
    }
    const wf_vec2 along = wf_vec2_sub(q, p);
    const double length = wf_vec2_norm(along);
    const wf_vec2 aside = {-along.y / length * radius, along.x / length * radius};
    cut_disc(p, radius, y, &low, &high);
    cut_disc(q, radius, y, &low, &high);
    cut_segment(wf_vec2_add(p, aside), wf_vec2_add(q, aside), y, &low, &high);
    cut_segment(wf_vec2_sub(p, aside), wf_vec2_sub(q, aside), y, &low, &high);
    if (low <= high) {
        events[count++] = (event){low, EVENT_NEAR_BEGIN};
        events[count++] = (event){high, EVENT_NEAR_END};
    }
    return count;
}

/* Visits every part of the outline on every row that it reaches. Without events it counts them into row_start
 * (shifted by one), else it writes them at row_start, which then moves to the row's end. */
static void scan_outline(lattice *l)
{
    const wf_delaunay *d = &l->outline->delaunay;
    for (int32_t h = 0; h < 3 * d->triangle_count; h++) {
        if (d->edges[h].segment < 0 || h > d->edges[h].twin) {
            continue;
        }
        const wf_vec2 p = d->points[wf_edge_origin(d, h)], q = d->points[wf_edge_target(d, h)];
        const bool crossed = !wf_outline_is_line(l->outline, d->edges[h].segment);
        const double length = wf_vec2_norm(wf_vec2_sub(q, p));
        const double radius = CLEARANCE * fmax(l->h, length < WF_LONGEST_SEGMENT * l->h ? length : l->h);
        const double low = (fmin(p.y, q.y) - radius - row_y(l, 0)) / l->row_height;
        const double high = (fmax(p.y, q.y) + radius - row_y(l, 0)) / l->row_height;
        const int32_t last = high < l->row_count - 1 ? (int32_t)floor(high) : l->row_count - 1;
        for (int32_t row = low > 0 ? (int32_t)ceil(low) : 0; row <= last; row++) {
            event found[3];
            const int count = part_events(p, q, crossed, radius, row_y(l, row), found);
            if (!l->events) {
                l->row_start[row + 1] += count;
                continue;
            }
            for (int i = 0; i < count; i++) {
                l->events[l->row_start[row]++] = found[i];
            }
        }
    }
}

static int compare_events(const void *a, const void *b)
{
    const event *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (int)p->kind - (int)q->kind;
}

static wf_status collect_events(lattice *l)
{
    wf_context *context = l->outline->context;
    l->row_start = wf_allocate(context, (size_t)l->row_count + 1, sizeof *l->row_start);
    if (!l->row_start) {
        return WF_ERROR_MEMORY;
    }
    scan_outline(l);
    int64_t total = 0;
    for (int32_t row = 0; row < l->row_count; row++) {
        total += l->row_start[row + 1];
        if (total > INT32_MAX) {
            return wf_fail(context, WF_ERROR_LIMIT, "the outline is too long for this edge length");
        }
        l->row_start[row + 1] = (int32_t)total;
    }
    l->events = wf_allocate(context, (size_t)total, sizeof *l->events);
    if (!l->events) {
        return WF_ERROR_MEMORY;
    }
    scan_outline(l);
    memmove(l->row_start + 1, l->row_start, (size_t)l->row_count * sizeof *l->row_start);
    l->row_start[0] = 0;
    for (int32_t row = 0; row < l->row_count; row++) {
        qsort(l->events + l->row_start[row], (size_t)(l->row_start[row + 1] - l->row_start[row]), sizeof *l->events,
              compare_events);
    }
    return WF_OK;
}

/* Inserts the lattice points of a row with low < x < high, starting the search at *near_vertex. */
static wf_status insert_interval(lattice *l, int32_t row, double low, double high, int32_t *near_vertex)
{
    wf_delaunay *d = &l->outline->delaunay;
    const double x0 = row_x(l, row);
    for (double i = ceil((low - x0) / l->h); x0 + i * l->h < high; i++) {
        const wf_vec2 point = {x0 + i * l->h, row_y(l, row)};
        int32_t h;
        const wf_place place = wf_delaunay_locate(d, point, d->vertex_edge[*near_vertex], false, &h);
        const bool on_outline = place == WF_PLACE_EDGE && d->edges[h].segment >= 0;
        if (place == WF_PLACE_VERTEX || on_outline || d->region[h / 3] != WF_REGION_INSIDE) {
            continue; /* rounding at the scale of the coordinates has eaten the clearance */
        }
        wf_status status = wf_delaunay_insert_at(d, point, place, h, near_vertex);
        if (status == WF_OK) {
            status = wf_outline_note_vertex(l->outline, -1, 0);
        }
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static wf_status insert_row(lattice *l, int32_t row, int32_t *near_vertex)
{
    bool inside = false;
    int near_parts = 0;
    for (int32_t i = l->row_start[row]; i + 1 < l->row_start[row + 1]; i++) {
        switch (l->events[i].kind) {
        case EVENT_CROSSING:
            inside = !inside;
            break;
        case EVENT_NEAR_BEGIN:
            near_parts++;
            break;
        case EVENT_NEAR_END:
            near_parts--;
            break;
        }
        if (inside && near_parts == 0) {
            wf_status status = insert_interval(l, row, l->events[i].x, l->events[i + 1].x, near_vertex);
            if (status != WF_OK) {
                return status;
            }
        }
    }
    return WF_OK;
}

/* Rows in halving strides, as the outline's points: a front of rows one after the other would make long thin triangles
 * again and again. */
static wf_status insert_rows(lattice *l)
{
    int32_t stride = 1, near_vertex = l->outline->point_vertex[0];
    while (stride <= l->row_count / 2) {
        stride *= 2;
    }
    wf_status status = insert_row(l, 0, &near_vertex);
    for (int64_t s = stride; s >= 1 && status == WF_OK; s /= 2) {
        for (int64_t row = s; row < l->row_count && status == WF_OK; row += 2 * s) {
            status = insert_row(l, (int32_t)row, &near_vertex);
        }
    }
    return status;
}

wf_status wf_lattice_fill(wf_outline *outline)
{
    wf_vec2 lower = outline->points[0], upper = outline->points[0];
    for (int32_t i = 1; i < outline->point_count; i++) {
        lower = (wf_vec2){fmin(lower.x, outline->points[i].x), fmin(lower.y, outline->points[i].y)};
        upper = (wf_vec2){fmax(upper.x, outline->points[i].x), fmax(upper.y, outline->points[i].y)};
    }
    lattice l = {.outline = outline, .h = outline->params.edge_length};
    l.row_height = ROW_HEIGHT * l.h;
    l.origin = (wf_vec2){(lower.x + upper.x) / 2, (lower.y + upper.y) / 2};
    /* The size check has bounded the perimeter, and with it the number of rows. */
    const int32_t half = (int32_t)((upper.y - lower.y) / 2 / l.row_height);
    l.first_row = -half;
    l.row_count = 2 * half + 1;
    wf_status status = collect_events(&l);
    if (status == WF_OK) {
        status = insert_rows(&l);
    }
    wf_free(outline->context, l.row_start);
    wf_free(outline->context, l.events);
    return status;
}
