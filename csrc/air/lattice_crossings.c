/* lattice_crossings.c - lines of a lattice through triangles; see lattice_crossings.h. */
#include "air/lattice_crossings.h"

#include "base/tasks.h"
#include "mesh/predicates.h"

enum { BLOCK = 512 }; /* triangles */
#define LARGEST_COORDINATE 1e6
#define MOST_CROSSINGS ((size_t)1 << 30)

typedef struct finder {
    const wf_lattice *lattice;
    bool below;
    const wf_vec3 *positions;
    const int32_t (*triangles)[3];
    wf_lattice_crossing *items; /* NULL: to be counted */
    size_t *block_counts;       /* counts, or where each block's begin; SIZE_MAX: of a block with a bad corner */
} finder;

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

/* The plane across an axis, in cyclic order: orient2d there is the normal's component along the axis. */
static wf_vec2 project(wf_vec3 p, int axis)
{
    return (wf_vec2){wf_component(p, (axis + 1) % 3), wf_component(p, (axis + 2) % 3)};
}

/* The side of the line p q on which x lies, shifted by e^(b + 1), e^(c + 1) in the plane of axes b and c: never 0
 * unless p and q coincide there. */
static int side_of_line(wf_vec2 p, wf_vec2 q, wf_vec2 x, int axis)
{
    int sign = sign_of(wf_orient2d(p, q, x));
    if (sign != 0) {
        return sign;
    }
    const int along_c = (q.x > p.x) - (q.x < p.x), along_b = (p.y > q.y) - (p.y < q.y);
    const bool b_first = (axis + 1) % 3 < (axis + 2) % 3;
    const int first = b_first ? along_b : along_c, second = b_first ? along_c : along_b;
    return first != 0 ? first : second;
}

/* The same for the triangle's plane; `normal` holds the exact signs of its normal. */
static int side_of_plane(const wf_vec3 p[3], const int normal[3], wf_vec3 x)
{
    int sign = sign_of(wf_orient3d(p[0], p[1], p[2], x));
    for (int axis = 0; sign == 0 && axis < 3; axis++) {
        sign = normal[axis];
    }
    return sign;
}

/* The lattice's points along an axis that lie in [low, high]: [*begin, *end). */
static void points_between(const wf_lattice *lattice, int axis, double low, double high, int32_t *begin, int32_t *end)
{
    const double count = lattice->count[axis], first = wf_component(lattice->first, axis);
    const double spacing = lattice->spacing[axis];
    int32_t i = (int32_t)fmin(fmax(floor((low - first) / spacing) - 1, 0), count);
    while (i < lattice->count[axis] && wf_lattice_coordinate(lattice, axis, i) < low) {
        i++;
    }
    int32_t j = (int32_t)fmin(fmax(ceil((high - first) / spacing) + 2, 0), count);
    while (j > i && wf_lattice_coordinate(lattice, axis, j - 1) > high) {
        j--;
    }
    *begin = i;
    *end = j > i ? j : i;
}

/* The last point of a line that is below the plane, -1: none. */
static int32_t last_below(const finder *f, const wf_vec3 p[3], const int normal[3], int axis, wf_vec3 point,
                          double height)
{
    const wf_lattice *lattice = f->lattice;
    const double place = (height - wf_component(lattice->first, axis)) / lattice->spacing[axis];
    int32_t i = (int32_t)fmin(fmax(floor(place), -1), lattice->count[axis] - 1);
    double *coordinate = &point.x + axis;
    for (; i >= 0; i--) {
        *coordinate = wf_lattice_coordinate(lattice, axis, i);
        if (side_of_plane(p, normal, point) != normal[axis]) {
            break;
        }
    }
    for (; i + 1 < lattice->count[axis]; i++) {
        *coordinate = wf_lattice_coordinate(lattice, axis, i + 1);
        if (side_of_plane(p, normal, point) == normal[axis]) {
            break;
        }
    }
    return i;
}

/* Rounding puts points a hair outside. */
static void weights_at(const wf_vec2 q[3], wf_vec2 x, double weights[3])
{
    double sum = 0;
    const double area = wf_orient2d(q[0], q[1], q[2]);
    for (int c = 0; c < 3; c++) {
        weights[c] = fmax(wf_orient2d(q[(c + 1) % 3], q[(c + 2) % 3], x) / area, 0);
        sum += weights[c];
    }
    for (int c = 0; c < 3; c++) {
        weights[c] = sum > 0 ? weights[c] / sum : 1.0 / 3;
    }
}

static bool cross_line(const finder *f, const wf_vec3 p[3], const wf_vec2 q[3], const int normal[3], int axis,
                       int32_t j, int32_t k, wf_lattice_crossing *crossing)
{
    const wf_lattice *lattice = f->lattice;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const wf_vec2 x = {wf_lattice_coordinate(lattice, b, j), wf_lattice_coordinate(lattice, c, k)};
    for (int e = 0; e < 3; e++) {
        if (side_of_line(q[e], q[(e + 1) % 3], x, axis) != normal[axis]) {
            return false;
        }
    }
    double weights[3], height = 0;
    weights_at(q, x, weights);
    for (int v = 0; v < 3; v++) {
        height += weights[v] * wf_component(p[v], axis);
    }
    wf_vec3 point;
    (&point.x)[axis] = 0;
    (&point.x)[b] = x.x;
    (&point.x)[c] = x.y;
    const int32_t i = last_below(f, p, normal, axis, point, height);
    if (i == lattice->count[axis] - 1 || (i < 0 && !(f->below && axis == 0))) {
        return false;
    }
    if (crossing) {
        const double fraction =
            i < 0 ? 0 : (height - wf_lattice_coordinate(lattice, axis, i)) / lattice->spacing[axis];
        crossing->axis = (uint8_t)axis;
        crossing->point[axis] = i;
        crossing->point[b] = j;
        crossing->point[c] = k;
        crossing->direction = (int8_t)normal[axis];
        crossing->fraction = (float)fmin(fmax(fraction, 0), 1);
        for (int v = 0; v < 3; v++) {
            crossing->weights[v] = (float)weights[v];
        }
    }
    return true;
}

static size_t cross_triangle(const finder *f, int32_t triangle, wf_lattice_crossing *out)
{
    wf_vec3 p[3];
    int32_t begin[3], end[3];
    int ranges = 0; /* axes along which there are points */
    for (int v = 0; v < 3; v++) {
        p[v] = f->positions[f->triangles[triangle][v]];
    }
    for (int axis = 0; axis < 3; axis++) {
        const double a0 = wf_component(p[0], axis), a1 = wf_component(p[1], axis), a2 = wf_component(p[2], axis);
        points_between(f->lattice, axis, fmin(a0, fmin(a1, a2)), fmax(a0, fmax(a1, a2)), &begin[axis], &end[axis]);
        ranges += end[axis] > begin[axis];
    }
    if (ranges < 2) {
        return 0;
    }
    int normal[3];
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = sign_of(wf_orient2d(project(p[0], axis), project(p[1], axis), project(p[2], axis)));
    }
    size_t count = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (normal[axis] == 0) {
            continue; /* seen edge on: the shifted lines miss it */
        }
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        const wf_vec2 q[3] = {project(p[0], axis), project(p[1], axis), project(p[2], axis)};
        for (int32_t k = begin[c]; k < end[c]; k++) {
            for (int32_t j = begin[b]; j < end[b]; j++) {
                wf_lattice_crossing *crossing = out ? out + count : NULL;
                if (cross_line(f, p, q, normal, axis, j, k, crossing)) {
                    if (crossing) {
                        crossing->triangle = triangle;
                    }
                    count++;
                }
            }
        }
    }
    return count;
}

static bool corners_sound(const finder *f, int32_t triangle)
{
    for (int v = 0; v < 3; v++) {
        const wf_vec3 p = f->positions[f->triangles[triangle][v]];
        if (!(fabs(p.x) < LARGEST_COORDINATE && fabs(p.y) < LARGEST_COORDINATE && fabs(p.z) < LARGEST_COORDINATE)) {
            return false;
        }
    }
    return true;
}

static void count_block(void *user, size_t block, size_t begin, size_t end)
{
    const finder *f = user;
    size_t count = 0;
    for (size_t t = begin; t < end; t++) {
        if (!corners_sound(f, (int32_t)t)) {
            count = SIZE_MAX;
            break;
        }
        count += cross_triangle(f, (int32_t)t, NULL);
    }
    f->block_counts[block] = count;
}

static void fill_block(void *user, size_t block, size_t begin, size_t end)
{
    const finder *f = user;
    wf_lattice_crossing *out = f->items + f->block_counts[block];
    for (size_t t = begin; t < end; t++) {
        out += cross_triangle(f, (int32_t)t, out);
    }
}

wf_status wf_lattice_crossings_find(wf_context *context, const wf_lattice *lattice, bool below,
                                    const wf_vec3 *positions, int32_t triangle_count, const int32_t (*triangles)[3],
                                    wf_lattice_crossings *crossings)
{
    const size_t count = (size_t)triangle_count, blocks = wf_block_count(count, BLOCK);
    crossings->count = 0;
    wf_status status = wf_reserve(context, &crossings->block_counts, &crossings->block_capacity, blocks,
                                  sizeof *crossings->block_counts);
    if (status != WF_OK) {
        return status;
    }
    finder f = {.lattice = lattice, .below = below, .positions = positions, .triangles = triangles,
                .block_counts = crossings->block_counts};
    wf_parallel_for(context, count, BLOCK, count_block, &f);
    size_t total = 0;
    for (size_t b = 0; b < blocks; b++) {
        const size_t here = f.block_counts[b];
        if (here == SIZE_MAX) {
            return wf_fail(context, WF_ERROR_NUMERIC, "a corner of a triangle is not finite or not below %g m",
                           LARGEST_COORDINATE);
        }
        f.block_counts[b] = total;
        total += here;
    }
    if (total > MOST_CROSSINGS) {
        return wf_fail(context, WF_ERROR_LIMIT, "triangles cross the lines of the lattice %zu times; the limit is %zu",
                       total, MOST_CROSSINGS);
    }
    status = wf_reserve(context, &crossings->items, &crossings->capacity, total, sizeof *crossings->items);
    if (status != WF_OK) {
        return status;
    }
    f.items = crossings->items;
    wf_parallel_for(context, count, BLOCK, fill_block, &f);
    crossings->count = total;
    return WF_OK;
}

void wf_lattice_crossings_free(wf_context *context, wf_lattice_crossings *crossings)
{
    wf_free(context, crossings->items);
    wf_free(context, crossings->block_counts);
    *crossings = (wf_lattice_crossings){0};
}
