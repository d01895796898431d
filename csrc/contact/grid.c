/* grid.c - balls in cells as large as the largest ball; see grid.h.
 *
 * Cells go to buckets by a hash of their indices (Teschner et al. 2003), and balls to buckets by counting, in order of
 * index. Each ball asks its own cell and the 26 around for balls of larger index, so that a pair is met once.
 */
#include "contact/grid.h"

#include "base/tasks.h"

enum { BLOCK = 256 };
#define MOST_LOOKS ((uint64_t)1 << 30)
#define LARGEST_COORDINATE 1e6

typedef struct cell {
    int64_t x, y, z;
} cell;

typedef struct grid {
    int32_t count;
    const wf_vec3 *centres;
    const double *radii;
    const int32_t *group;
    cell *cells;         /* [count] of each ball */
    uint32_t mask;       /* buckets - 1 */
    int32_t *start;      /* [buckets + 1] */
    int32_t *balls;      /* [count] by bucket */
    int64_t *first_pair; /* [count + 1] of each ball */
    int64_t limit;
    int32_t (*pairs)[2]; /* [limit] */
} grid;

static uint32_t bucket_of(const grid *g, cell c)
{
    uint64_t hash = (uint64_t)c.x * 73856093u ^ (uint64_t)c.y * 19349663u ^ (uint64_t)c.z * 83492791u;
    return (uint32_t)(hash ^ hash >> 32) & g->mask;
}

static bool overlap(const grid *g, int32_t i, int32_t j)
{
    double reach = g->radii[i] + g->radii[j];
    return wf_vec3_norm2(wf_vec3_sub(g->centres[i], g->centres[j])) < reach * reach &&
           !(g->group && g->group[i] == g->group[j]);
}

/* The n-th of the 27 cells at a cell. */
static cell neighbour(cell c, int n)
{
    return (cell){c.x + n % 3 - 1, c.y + n / 3 % 3 - 1, c.z + n / 9 - 1};
}

/* How many balls of larger index overlap this one; the first `room` of these pairs, in order, go to `found`. */
static int64_t ask(const grid *g, int32_t i, int64_t room, int32_t (*found)[2])
{
    int64_t count = 0, kept = 0;
    for (int n = 0; n < 27; n++) {
        cell c = neighbour(g->cells[i], n);
        uint32_t bucket = bucket_of(g, c);
        for (int32_t at = g->start[bucket]; at < g->start[bucket + 1]; at++) {
            int32_t j = g->balls[at];
            const cell *other = &g->cells[j];
            if (j <= i || other->x != c.x || other->y != c.y || other->z != c.z || !overlap(g, i, j)) {
                continue;
            }
            count++;
            if (kept == room && (room == 0 || found[room - 1][1] < j)) {
                continue;
            }
            int64_t place = kept < room ? kept++ : room - 1;
            found[place][0] = i;
            for (; place > 0 && found[place - 1][1] > j; place--) {
                found[place][1] = found[place - 1][1];
            }
            found[place][1] = j;
        }
    }
    return count;
}

static void count_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    grid *g = user;
    for (size_t i = begin; i < end; i++) {
        g->first_pair[i + 1] = ask(g, (int32_t)i, 0, NULL);
    }
}

static void fill_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    grid *g = user;
    for (size_t i = begin; i < end; i++) {
        int64_t first = g->first_pair[i], last = g->first_pair[i + 1] < g->limit ? g->first_pair[i + 1] : g->limit;
        if (last > first) {
            ask(g, (int32_t)i, last - first, g->pairs + first);
        }
    }
}

static wf_status place_balls(wf_context *context, grid *g)
{
    double largest = 0;
    for (int32_t i = 0; i < g->count; i++) {
        wf_vec3 x = g->centres[i];
        if (!(fabs(x.x) <= LARGEST_COORDINATE && fabs(x.y) <= LARGEST_COORDINATE && fabs(x.z) <= LARGEST_COORDINATE)) {
            return wf_fail(context, WF_ERROR_NUMERIC, "grid: point %d is at (%g, %g, %g) m, expected finite "
                           "coordinates up to 1e6", i + 1, x.x, x.y, x.z);
        }
        if (!(g->radii[i] >= 1e-6 && g->radii[i] <= 1e6)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "grid: radius %d must be from 1e-6 to 1e6 m, got %g", i + 1,
                           g->radii[i]);
        }
        largest = fmax(largest, g->radii[i]);
    }
    double size = 2 * largest * (1 + 1e-9); /* rounding moves no ball past the next cell */
    for (int32_t i = 0; i < g->count; i++) {
        g->cells[i] = (cell){(int64_t)floor(g->centres[i].x / size), (int64_t)floor(g->centres[i].y / size),
                             (int64_t)floor(g->centres[i].z / size)};
        g->start[bucket_of(g, g->cells[i])]++;
    }
    int32_t before = 0;
    for (uint32_t b = 0; b <= g->mask; b++) {
        before += g->start[b];
        g->start[b] = before; /* the end; filling from the last ball back makes it the start */
    }
    g->start[g->mask + 1] = before;
    for (int32_t i = g->count - 1; i >= 0; i--) {
        g->balls[--g->start[bucket_of(g, g->cells[i])]] = i;
    }
    uint64_t looks = 0;
    for (int32_t i = 0; i < g->count; i++) {
        for (int n = 0; n < 27; n++) {
            uint32_t bucket = bucket_of(g, neighbour(g->cells[i], n));
            looks += (uint64_t)(g->start[bucket + 1] - g->start[bucket]);
        }
    }
    return looks <= MOST_LOOKS ? WF_OK : wf_fail(context, WF_ERROR_LIMIT, "grid: too many balls lie within the largest "
                                                 "diameter, %g m, of each other", 2 * largest);
}

static int64_t collect_pairs(wf_context *context, grid *g)
{
    wf_parallel_for(context, (size_t)g->count, BLOCK, count_block, g);
    for (int32_t i = 0; i < g->count; i++) {
        g->first_pair[i + 1] += g->first_pair[i];
    }
    wf_parallel_for(context, (size_t)g->count, BLOCK, fill_block, g);
    return g->first_pair[g->count];
}

wf_status wf_grid_find_pairs(wf_context *context, int32_t count, const wf_vec3 *centres, const double *radii,
                             const int32_t *group, int64_t limit, int32_t (*pairs)[2], int64_t *found)
{
    *found = 0;
    grid g = {.count = count, .centres = centres, .radii = radii, .group = group, .mask = 15, .limit = limit,
              .pairs = pairs};
    while (g.mask < (uint32_t)count) {
        g.mask = 2 * g.mask + 1;
    }
    g.cells = wf_allocate(context, (size_t)count, sizeof *g.cells);
    g.start = wf_allocate(context, (size_t)g.mask + 2, sizeof *g.start);
    g.balls = wf_allocate(context, (size_t)count, sizeof *g.balls);
    g.first_pair = wf_allocate(context, (size_t)count + 1, sizeof *g.first_pair);
    wf_status status = WF_ERROR_MEMORY;
    if (g.cells && g.start && g.balls && g.first_pair) {
        status = place_balls(context, &g);
    }
    if (status == WF_OK) {
        *found = collect_pairs(context, &g);
    }
    wf_free(context, g.cells);
    wf_free(context, g.start);
    wf_free(context, g.balls);
    wf_free(context, g.first_pair);
    return status;
}
