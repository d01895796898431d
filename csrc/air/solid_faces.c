/* solid_faces.c - open fractions of faces beside solids; see solid_faces.h. */
#include "air/solid_faces.h"

#include <string.h>

#include "air/lattice_crossings.h"
#include "base/box.h"
#include "base/tasks.h"

/* The part of an edge, from its lower end up, up to the first and beyond the last surface on it. */
typedef struct edge {
    float before, behind;
} edge;

/* Sum over surfaces near a cell. */
typedef struct motion {
    float sum[3]; /* m/s */
    float count;
} motion;

/* Corners of cells: [begin, end) along each axis. */
typedef struct region {
    int32_t begin[3], end[3];
} region;

struct wf_solid_faces {
    wf_context *context;
    wf_flow_grid grid;
    wf_lattice corners, centres;
    region used;    /* where the arrays below hold anything */
    region written; /* where the last results were others than those of empty space */
    bool any;       /* the arrays are there, for this box */
    bool whole;     /* results are to be written everywhere */
    size_t corner_count, cell_count;
    int16_t *winding[2];   /* [corner_count], [cell_count]: changes along x, of surfaces, at corners and at centres */
    uint8_t *inside[2];    /* of colliders; in the end, of anything */
    edge *edges[3];        /* [corner_count], on the upper side of each corner */
    uint8_t *between[3];   /* [cell_count] solids between a cell's centre and that of its lower neighbour: crossings */
    motion *motions;       /* [cell_count] */
    double *distances;     /* [corner_count] of a collider */
    wf_lattice_crossings crossings;
    size_t winding_capacity[2], inside_capacity[2], edge_capacity[3], between_capacity[3], motion_capacity,
        distance_capacity;
};

enum { CORNERS, CENTRES };

enum { SLICES = 1 }; /* of the grid across z, in a block */

static size_t corner_at(const wf_solid_faces *s, int32_t i, int32_t j, int32_t k)
{
    const size_t nx = (size_t)s->corners.count[0], ny = (size_t)s->corners.count[1];
    return (size_t)i + nx * ((size_t)j + ny * (size_t)k);
}

static size_t cell_at(const wf_solid_faces *s, int32_t i, int32_t j, int32_t k)
{
    const size_t nx = (size_t)s->grid.cells[0], ny = (size_t)s->grid.cells[1];
    return (size_t)i + nx * ((size_t)j + ny * (size_t)k);
}

static wf_vec3 point_of(const wf_lattice *lattice, int32_t i, int32_t j, int32_t k)
{
    return (wf_vec3){wf_lattice_coordinate(lattice, 0, i), wf_lattice_coordinate(lattice, 1, j),
                     wf_lattice_coordinate(lattice, 2, k)};
}

static void add_motion(wf_solid_faces *s, const int32_t cell[3], wf_vec3 velocity)
{
    for (int axis = 0; axis < 3; axis++) {
        if (cell[axis] < 0 || cell[axis] >= s->grid.cells[axis]) {
            return;
        }
    }
    motion *m = &s->motions[cell_at(s, cell[0], cell[1], cell[2])];
    m->sum[0] += (float)velocity.x;
    m->sum[1] += (float)velocity.y;
    m->sum[2] += (float)velocity.z;
    m->count += 1;
}

/* ---- making and beginning -------------------------------------------------------------------------------------- */

wf_status wf_solid_faces_create(wf_context *context, wf_solid_faces **solids)
{
    *solids = wf_allocate(context, 1, sizeof **solids);
    if (!*solids) {
        return WF_ERROR_MEMORY;
    }
    (*solids)->context = context;
    return WF_OK;
}

void wf_solid_faces_destroy(wf_solid_faces *s)
{
    if (!s) {
        return;
    }
    wf_context *context = s->context;
    wf_lattice_crossings_free(context, &s->crossings);
    for (int l = CORNERS; l <= CENTRES; l++) {
        wf_free(context, s->winding[l]);
        wf_free(context, s->inside[l]);
    }
    wf_free(context, s->motions);
    wf_free(context, s->distances);
    for (int axis = 0; axis < 3; axis++) {
        wf_free(context, s->edges[axis]);
        wf_free(context, s->between[axis]);
    }
    wf_free(context, s);
}

static wf_status reserve(wf_solid_faces *s)
{
    wf_context *context = s->context;
    const size_t corners = s->corner_count, cells = s->cell_count;
    wf_status status = WF_OK;
    for (int l = CORNERS; l <= CENTRES && status == WF_OK; l++) {
        const size_t count = l == CORNERS ? corners : cells;
        status = wf_reserve(context, &s->winding[l], &s->winding_capacity[l], count, sizeof *s->winding[l]);
        if (status == WF_OK) {
            status = wf_reserve(context, &s->inside[l], &s->inside_capacity[l], count, sizeof *s->inside[l]);
        }
    }
    for (int axis = 0; axis < 3 && status == WF_OK; axis++) {
        status = wf_reserve(context, &s->edges[axis], &s->edge_capacity[axis], corners, sizeof *s->edges[axis]);
        if (status == WF_OK) {
            status = wf_reserve(context, &s->between[axis], &s->between_capacity[axis], cells,
                                sizeof *s->between[axis]);
        }
    }
    return status == WF_OK ? wf_reserve(context, &s->motions, &s->motion_capacity, cells, sizeof *s->motions) : status;
}

static void clear_slice(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_solid_faces *s = user;
    const region *r = &s->used;
    const int32_t *cells = s->grid.cells;
    const size_t width = (size_t)(r->end[0] - r->begin[0]);
    for (int32_t k = r->begin[2] + (int32_t)begin; k < r->begin[2] + (int32_t)end; k++) {
        for (int32_t j = r->begin[1]; j < r->end[1]; j++) {
            const size_t c = corner_at(s, r->begin[0], j, k);
            memset(s->winding[CORNERS] + c, 0, width * sizeof *s->winding[CORNERS]);
            memset(s->inside[CORNERS] + c, 0, width * sizeof *s->inside[CORNERS]);
            for (int axis = 0; axis < 3; axis++) {
                for (size_t i = c; i < c + width; i++) {
                    s->edges[axis][i] = (edge){1, 1};
                }
            }
            if (j == cells[1] || k == cells[2] || r->begin[0] == cells[0]) {
                continue;
            }
            const size_t cell = cell_at(s, r->begin[0], j, k);
            const size_t count = width - (r->end[0] > cells[0]);
            memset(s->winding[CENTRES] + cell, 0, count * sizeof *s->winding[CENTRES]);
            memset(s->inside[CENTRES] + cell, 0, count * sizeof *s->inside[CENTRES]);
            memset(s->motions + cell, 0, count * sizeof *s->motions);
            for (int axis = 0; axis < 3; axis++) {
                memset(s->between[axis] + cell, 0, count * sizeof *s->between[axis]);
            }
        }
    }
}

static region whole_box(const wf_solid_faces *s)
{
    return (region){{0, 0, 0}, {s->corners.count[0], s->corners.count[1], s->corners.count[2]}};
}

static void join(region *r, const region *other)
{
    const bool empty = r->begin[0] >= r->end[0];
    for (int axis = 0; axis < 3; axis++) {
        r->begin[axis] = empty || other->begin[axis] < r->begin[axis] ? other->begin[axis] : r->begin[axis];
        r->end[axis] = empty || other->end[axis] > r->end[axis] ? other->end[axis] : r->end[axis];
    }
}

static void clear(wf_solid_faces *s)
{
    if (s->used.begin[0] < s->used.end[0]) {
        wf_parallel_for(s->context, (size_t)(s->used.end[2] - s->used.begin[2]), SLICES, clear_slice, s);
    }
    s->used = (region){{0, 0, 0}, {0, 0, 0}};
}

wf_status wf_solid_faces_begin(wf_solid_faces *s, const wf_flow_grid *grid, wf_vec3 origin, const double spacing[3],
                               bool anew)
{
    if (!anew && memcmp(s->grid.cells, grid->cells, sizeof grid->cells) == 0) {
        clear(s);
        s->whole = false;
    } else {
        s->any = false;
        s->whole = true;
        s->used = s->written = (region){{0, 0, 0}, {0, 0, 0}};
    }
    s->grid = *grid;
    s->corner_count = s->cell_count = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double first = (&origin.x)[axis];
        (&s->corners.first.x)[axis] = first;
        (&s->centres.first.x)[axis] = first + 0.5 * spacing[axis];
        s->corners.spacing[axis] = s->centres.spacing[axis] = spacing[axis];
        s->corners.count[axis] = grid->cells[axis] + 1;
        s->centres.count[axis] = grid->cells[axis];
        s->corner_count *= (size_t)s->corners.count[axis];
        s->cell_count *= (size_t)s->centres.count[axis];
    }
    return WF_OK;
}

/* With each solid, which lies between two points: the arrays at the first, and the corners that it may reach, of which
 * there may be none. */
static wf_status begin_solid(wf_solid_faces *s, wf_vec3 lower, wf_vec3 upper, region *reached)
{
    wf_status status = s->any ? WF_OK : reserve(s);
    if (status != WF_OK) {
        return status;
    }
    if (!s->any) {
        s->any = true;
        s->used = whole_box(s);
        clear(s);
    }
    bool none = false;
    for (int axis = 0; axis < 3; axis++) { /* with room for the cells beside it, and those that look two cells far */
        const double spacing = s->corners.spacing[axis], first = (&s->corners.first.x)[axis];
        const double count = s->corners.count[axis];
        const double low = ((&lower.x)[axis] - first) / spacing - 3, high = ((&upper.x)[axis] - first) / spacing + 4;
        reached->begin[axis] = (int32_t)fmin(fmax(floor(low), 0), count);
        reached->end[axis] = (int32_t)fmin(fmax(ceil(high), 0), count);
        none = none || reached->end[axis] <= reached->begin[axis];
    }
    if (none) {
        *reached = (region){{0, 0, 0}, {0, 0, 0}};
    } else {
        join(&s->used, reached);
    }
    return WF_OK;
}

/* ---- surfaces -------------------------------------------------------------------------------------------------- */

static void cut_edge(edge *e, float fraction)
{
    e->before = fminf(e->before, fraction);
    e->behind = fminf(e->behind, 1 - fraction);
}

static wf_vec3 velocity_at(const wf_lattice_crossing *crossing, const wf_vec3 *velocities, const int32_t (*faces)[3])
{
    wf_vec3 sum = {0, 0, 0};
    for (int v = 0; v < 3; v++) {
        sum = wf_vec3_muladds(sum, velocities[faces[crossing->triangle][v]], (double)crossing->weights[v]);
    }
    return sum;
}

/* Along the lines through corners: windings, cut edges, and the motion of the cells around these. */
static void take_corner_crossing(wf_solid_faces *s, const wf_lattice_crossing *crossing, wf_vec3 velocity)
{
    const int32_t *p = crossing->point;
    const int axis = crossing->axis, b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (axis == 0) {
        s->winding[CORNERS][corner_at(s, p[0] + 1, p[1], p[2])] -= crossing->direction;
    }
    if (p[axis] < 0) {
        return;
    }
    cut_edge(&s->edges[axis][corner_at(s, p[0], p[1], p[2])], crossing->fraction);
    for (int around = 0; around < 4; around++) {
        int32_t cell[3] = {p[0], p[1], p[2]};
        cell[b] -= around & 1;
        cell[c] -= around >> 1;
        add_motion(s, cell, velocity);
    }
}

/* Along the lines through centres. */
static void take_centre_crossing(wf_solid_faces *s, const wf_lattice_crossing *crossing, wf_vec3 velocity)
{
    int32_t cell[3] = {crossing->point[0], crossing->point[1], crossing->point[2]};
    if (crossing->axis == 0) {
        s->winding[CENTRES][cell_at(s, cell[0] + 1, cell[1], cell[2])] -= crossing->direction;
    }
    if (cell[crossing->axis] < 0) {
        return;
    }
    add_motion(s, cell, velocity);
    cell[crossing->axis]++;
    add_motion(s, cell, velocity);
    uint8_t *count = &s->between[crossing->axis][cell_at(s, cell[0], cell[1], cell[2])];
    *count += *count < UINT8_MAX;
}

wf_status wf_solid_faces_add_surface(wf_solid_faces *s, const wf_vec3 *positions, const wf_vec3 *velocities,
                                     int32_t face_count, const int32_t (*faces)[3])
{
    wf_box box = wf_box_empty();
    for (int32_t f = 0; f < face_count; f++) {
        for (int v = 0; v < 3; v++) {
            wf_box_include(&box, positions[faces[f][v]]);
        }
    }
    region reached;
    wf_status status = begin_solid(s, box.lower, box.upper, &reached);
    for (int l = CORNERS; l <= CENTRES && status == WF_OK; l++) {
        const bool at_corners = l == CORNERS;
        status = wf_lattice_crossings_find(s->context, at_corners ? &s->corners : &s->centres, true, positions,
                                           face_count, faces, &s->crossings);
        for (size_t i = 0; status == WF_OK && i < s->crossings.count; i++) {
            const wf_lattice_crossing *crossing = &s->crossings.items[i];
            const wf_vec3 velocity = velocity_at(crossing, velocities, faces);
            (at_corners ? take_corner_crossing : take_centre_crossing)(s, crossing, velocity);
        }
    }
    return status;
}

/* ---- colliders ------------------------------------------------------------------------------------------------- */

typedef struct visit {
    wf_solid_faces *solids;
    const wf_collider *collider;
    wf_pose pose;
    wf_vec3 velocity, spin;
    region at; /* the corners that the collider may reach */
} visit;

static double distance_at(const visit *v, wf_vec3 point)
{
    wf_vec3 gradient;
    return v->collider->class->distance(v->collider, wf_pose_to_local(&v->pose, point), &gradient);
}

static void measure_corners(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const visit *v = user;
    wf_solid_faces *s = v->solids;
    for (int32_t k = v->at.begin[2] + (int32_t)begin; k < v->at.begin[2] + (int32_t)end; k++) {
        for (int32_t j = v->at.begin[1]; j < v->at.end[1]; j++) {
            for (int32_t i = v->at.begin[0]; i < v->at.end[0]; i++) {
                const size_t c = corner_at(s, i, j, k);
                s->distances[c] = distance_at(v, point_of(&s->corners, i, j, k));
                s->inside[CORNERS][c] |= s->distances[c] < 0;
            }
        }
    }
}

/* Whether a solid reaches between two points outside of it, by steps that cannot jump over it (Hart 1996, "Sphere
 * tracing") down to a hundredth of the way. */
static bool lies_between(const visit *v, wf_vec3 from, wf_vec3 to, double from_distance, double to_distance)
{
    const double length = wf_vec3_distance(from, to), slope = v->collider->class->slope;
    if (from_distance + to_distance >= slope * length) {
        return false;
    }
    const double least = 0.01 * length;
    for (double way = fmax(from_distance / slope, least); way < length;) {
        const double distance = distance_at(v, wf_vec3_lerp(from, to, way / length));
        if (distance < 0) {
            return true;
        }
        way += fmax(distance / slope, least);
    }
    return false;
}

static void cut_collider_edges(const visit *v, int32_t i, int32_t j, int32_t k)
{
    wf_solid_faces *s = v->solids;
    const size_t here = corner_at(s, i, j, k);
    const int32_t at[3] = {i, j, k};
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] + 1 >= v->at.end[axis]) {
            continue;
        }
        const size_t there = corner_at(s, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        const double d = s->distances[here], e = s->distances[there];
        if ((d < 0) != (e < 0)) {
            cut_edge(&s->edges[axis][here], (float)(d / (d - e)));
        }
    }
}

/* The motion of a cell that the collider is in or beside, and whether it lies between its centre and the neighbours'
 * on the lower sides. */
static void visit_cell(const visit *v, int32_t i, int32_t j, int32_t k)
{
    wf_solid_faces *s = v->solids;
    const wf_vec3 centre = point_of(&s->centres, i, j, k);
    const double distance = distance_at(v, centre);
    const double *spacing = s->centres.spacing;
    const double reach = fmax(spacing[0], fmax(spacing[1], spacing[2]));
    if (distance >= v->collider->class->slope * reach) {
        return;
    }
    const wf_vec3 velocity =
        wf_vec3_add(v->velocity, wf_vec3_cross(v->spin, wf_vec3_sub(centre, v->pose.centre)));
    add_motion(s, (const int32_t[3]){i, j, k}, velocity);
    s->inside[CENTRES][cell_at(s, i, j, k)] |= distance < 0;
    for (int axis = 0; axis < 3 && distance >= 0; axis++) {
        wf_vec3 other = centre;
        (&other.x)[axis] -= spacing[axis];
        const double other_distance = distance_at(v, other);
        if (other_distance >= 0 && lies_between(v, other, centre, other_distance, distance)) {
            s->between[axis][cell_at(s, i, j, k)] = 2;
        }
    }
}

static void visit_slices(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const visit *v = user;
    for (int32_t k = v->at.begin[2] + (int32_t)begin; k < v->at.begin[2] + (int32_t)end; k++) {
        for (int32_t j = v->at.begin[1]; j < v->at.end[1]; j++) {
            for (int32_t i = v->at.begin[0]; i < v->at.end[0]; i++) {
                cut_collider_edges(v, i, j, k);
                if (i < v->solids->grid.cells[0] && j < v->solids->grid.cells[1] && k < v->solids->grid.cells[2]) {
                    visit_cell(v, i, j, k);
                }
            }
        }
    }
}

wf_status wf_solid_faces_add_collider(wf_solid_faces *s, const wf_collider *collider, const wf_pose *pose,
                                      wf_vec3 velocity, wf_vec3 spin)
{
    const wf_vec3 reach = wf_vec3_make(collider->reach, collider->reach, collider->reach);
    visit v = {.solids = s, .collider = collider, .pose = *pose, .velocity = velocity, .spin = spin};
    wf_status status = begin_solid(s, wf_vec3_sub(pose->centre, reach), wf_vec3_add(pose->centre, reach), &v.at);
    if (status == WF_OK) {
        status = wf_reserve(s->context, &s->distances, &s->distance_capacity, s->corner_count, sizeof *s->distances);
    }
    if (status != WF_OK || v.at.begin[0] >= v.at.end[0]) {
        return status;
    }
    const size_t slices = (size_t)(v.at.end[2] - v.at.begin[2]);
    wf_parallel_for(s->context, slices, SLICES, measure_corners, &v);
    wf_parallel_for(s->context, slices, SLICES, visit_slices, &v);
    return WF_OK;
}

/* ---- fractions ------------------------------------------------------------------------------------------------- */

/* Along x, of corners and centres. */
static void wind_slice(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_solid_faces *s = user;
    const region *r = &s->used;
    for (int l = CORNERS; l <= CENTRES; l++) {
        const int32_t *count = l == CORNERS ? s->corners.count : s->centres.count;
        for (int32_t k = r->begin[2] + (int32_t)begin; k < r->begin[2] + (int32_t)end && k < count[2]; k++) {
            for (int32_t j = r->begin[1]; j < r->end[1] && j < count[1]; j++) {
                const size_t row = l == CORNERS ? corner_at(s, 0, j, k) : cell_at(s, 0, j, k);
                int sum = 0;
                for (int32_t i = r->begin[0]; i < r->end[0] && i < count[0]; i++) {
                    sum += s->winding[l][row + (size_t)i];
                    s->inside[l][row + (size_t)i] |= sum > 0;
                }
            }
        }
    }
}

/* Of an edge with one end inside: its part outside, from that end. */
static float open_part(const wf_solid_faces *s, int axis, size_t lower, bool lower_inside)
{
    const edge *e = &s->edges[axis][lower];
    return lower_inside ? e->behind : e->before;
}

/* The open fraction of the face across `axis` whose lowest corner is at `at`: the polygon of the corners outside and
 * the points at which its edges are cut. */
static float fraction_of(const wf_solid_faces *s, int axis, const int32_t at[3])
{
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    static const int corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    size_t place[4];
    int insides = 0;
    for (int v = 0; v < 4; v++) {
        int32_t corner[3] = {at[0], at[1], at[2]};
        corner[b] += corners[v][0];
        corner[c] += corners[v][1];
        place[v] = corner_at(s, corner[0], corner[1], corner[2]);
        insides += s->inside[CORNERS][place[v]];
    }
    if (insides == 0 || insides == 4) {
        return insides == 0;
    }
    float x[8][2];
    int count = 0;
    for (int v = 0; v < 4; v++) {
        const int next = (v + 1) % 4, along = v % 2 == 0 ? 0 : 1;
        const bool in = s->inside[CORNERS][place[v]], next_in = s->inside[CORNERS][place[next]];
        if (!in) {
            x[count][0] = (float)corners[v][0];
            x[count++][1] = (float)corners[v][1];
        }
        if (in != next_in) {
            const size_t lower = v < 2 ? place[v] : place[next];
            const bool lower_in = v < 2 ? in : next_in;
            const float open = open_part(s, along == 0 ? b : c, lower, lower_in);
            x[count][1 - along] = (float)corners[v][1 - along];
            x[count++][along] = lower_in ? 1 - open : open;
        }
    }
    float area = 0;
    for (int v = 0; v < count; v++) {
        const int next = (v + 1) % count;
        area += 0.5f * (x[v][0] * x[next][1] - x[v][1] * x[next][0]);
    }
    return fminf(fmaxf(area, 0), 1);
}

typedef struct finish {
    const wf_solid_faces *solids;
    region at; /* the faces on the lower sides of these corners' cells */
    bool empty;
    float *const *open;
    float *const *velocity;
} finish;

static bool is_outside(const wf_solid_faces *s, const int32_t at[3], int axis, int32_t shift)
{
    int32_t cell[3] = {at[0], at[1], at[2]};
    cell[axis] += shift;
    return cell[axis] >= 0 && cell[axis] < s->grid.cells[axis] &&
           !s->inside[CENTRES][cell_at(s, cell[0], cell[1], cell[2])];
}

/* Whether the solid around a cell's centre ends on both sides before the third centre along some line. */
static bool is_thin(const wf_solid_faces *s, const int32_t at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const bool below = is_outside(s, at, axis, -1), above = is_outside(s, at, axis, 1);
        if ((below && (above || is_outside(s, at, axis, 2))) || (above && is_outside(s, at, axis, -2))) {
            return true;
        }
    }
    return false;
}

/* Whether a thin solid bars the way between the centres of a cell and its lower neighbour, where corners alone would
 * miss it: it lies between them or around one of them. */
static bool is_barred(const wf_solid_faces *s, int axis, const int32_t at[3])
{
    int32_t lower[3] = {at[0], at[1], at[2]};
    lower[axis]--;
    const size_t cell = cell_at(s, at[0], at[1], at[2]);
    const bool upper_in = s->inside[CENTRES][cell];
    const bool lower_in = s->inside[CENTRES][cell_at(s, lower[0], lower[1], lower[2])];
    if (!upper_in && !lower_in) {
        return s->between[axis][cell] >= 2;
    }
    return (upper_in && is_thin(s, at)) || (lower_in && is_thin(s, lower));
}

static void finish_face(const finish *f, int axis, const int32_t at[3])
{
    const wf_solid_faces *s = f->solids;
    const ptrdiff_t index = wf_flow_index(&s->grid, at[0], at[1], at[2]);
    float open = fraction_of(s, axis, at), sum = 0, count = 0;
    int32_t lower[3] = {at[0], at[1], at[2]};
    lower[axis]--;
    if (at[axis] < s->grid.cells[axis]) {
        const size_t cell = cell_at(s, at[0], at[1], at[2]);
        sum += s->motions[cell].sum[axis];
        count += s->motions[cell].count;
        if (lower[axis] >= 0 && is_barred(s, axis, at)) {
            open = 0;
        }
    }
    if (lower[axis] >= 0) {
        const motion *m = &s->motions[cell_at(s, lower[0], lower[1], lower[2])];
        sum += m->sum[axis];
        count += m->count;
    }
    f->open[axis][index] = open;
    f->velocity[axis][index] = count > 0 ? sum / count : 0;
}

static void finish_slice(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const finish *f = user;
    const region *r = &f->at;
    const wf_flow_grid *grid = &f->solids->grid;
    for (int32_t k = r->begin[2] + (int32_t)begin; k < r->begin[2] + (int32_t)end; k++) {
        for (int32_t j = r->begin[1]; j < r->end[1]; j++) {
            for (int axis = 0; axis < wf_flow_axes(grid); axis++) {
                const int32_t counts[3] = {grid->cells[0] + (axis == 0), grid->cells[1] + (axis == 1),
                                           grid->cells[2] + (axis == 2)};
                if (j >= counts[1] || k >= counts[2]) {
                    continue;
                }
                for (int32_t i = r->begin[0]; i < r->end[0] && i < counts[0]; i++) {
                    if (f->empty) {
                        const ptrdiff_t index = wf_flow_index(grid, i, j, k);
                        f->open[axis][index] = 1;
                        f->velocity[axis][index] = 0;
                    } else {
                        finish_face(f, axis, (const int32_t[3]){i, j, k});
                    }
                }
            }
        }
    }
}

static void finish_region(wf_solid_faces *s, finish *f, const region *at, bool empty)
{
    f->at = *at;
    f->empty = empty;
    if (at->begin[0] < at->end[0]) {
        wf_parallel_for(s->context, (size_t)(at->end[2] - at->begin[2]), SLICES, finish_slice, f);
    }
}

void wf_solid_faces_finish(wf_solid_faces *s, float *const open[3], float *const velocity[3])
{
    finish f = {.solids = s, .open = open, .velocity = velocity};
    const region everywhere = whole_box(s);
    finish_region(s, &f, s->whole ? &everywhere : &s->written, true);
    if (s->used.begin[0] < s->used.end[0]) {
        wf_parallel_for(s->context, (size_t)(s->used.end[2] - s->used.begin[2]), SLICES, wind_slice, s);
        finish_region(s, &f, &s->used, false);
    }
    s->written = s->used;
}
