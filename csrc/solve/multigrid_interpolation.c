/* multigrid_interpolation.c - how the values of a multigrid's grid follow from those of the next.
 *
 * Rows are grouped around roots that are three edges apart, which become the rows of the next grid. A vertex takes its
 * displacement from the triangle of roots that it lies in, with its barycentric coordinates there: that makes all
 * affine motions of smooth cloth exact, rotations among them, with three unknowns a root. (Functions constant on groups
 * and six rigid motions for each, Vanek, Mandel and Brezina 1996, need half again as many iterations or a coarse matrix
 * three times as large.) The triangle is that of the roots' Delaunay triangulation, which among all triangles that
 * contain a point has the least sum of weights times squared distances; it is sought among neighbouring groups alone.
 * Where cloth keeps its shape, so do these coordinates: they are found once.
 */
#include <string.h>

#include "base/vector.h"
#include "solve/multigrid_level.h"

enum { NEIGHBOUR_LIMIT = 16 };

/* Weights outside this range are not looked at; a little outside is common at the cloth's edge. */
#define LEAST_WEIGHT -0.7
#define MOST_WEIGHT 1.7

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static bool touches_group(const wf_grid_graph *graph, size_t row, const int32_t *group)
{
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        if (graph->entries[k].near && group[graph->entries[k].column] >= 0) {
            return true;
        }
    }
    return false;
}

static bool has_neighbour(const wf_grid_graph *graph, size_t row)
{
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        if (graph->entries[k].near) {
            return true;
        }
    }
    return false;
}

/* A row and all its neighbours where none of them is in a group yet. */
static int32_t group_neighbourhoods(const wf_grid_graph *graph, size_t rows, int32_t *group, int32_t *root)
{
    int32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        if (group[row] >= 0 || !has_neighbour(graph, row) || touches_group(graph, row, group)) {
            continue;
        }
        group[row] = count;
        root[count] = (int32_t)row;
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            if (graph->entries[k].near) {
                group[graph->entries[k].column] = count;
            }
        }
        count++;
    }
    return count;
}

/* The group that most neighbours of a row are in, the earlier one of two. */
static int32_t favourite_group(const wf_grid_graph *graph, size_t row, const int32_t *group)
{
    int32_t best = -1, best_votes = 0;
    for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
        int32_t candidate = graph->entries[k].near ? group[graph->entries[k].column] : -1, votes = 0;
        for (int32_t l = graph->start[row]; candidate >= 0 && l < graph->start[row + 1]; l++) {
            votes += graph->entries[l].near && group[graph->entries[l].column] == candidate;
        }
        if (votes > best_votes || (votes == best_votes && votes > 0 && candidate < best)) {
            best = candidate;
            best_votes = votes;
        }
    }
    return best;
}

/* ---- neighbours ------------------------------------------------------------------------------------------------ */

/* Appends the groups that `group` is coupled to by near entries, each once. `seen` is group where one is listed. */
static int32_t list_neighbours(const wf_grid_level *fine, const wf_grid_graph *graph, int32_t group, int32_t *seen,
                               const int32_t *group_of, wf_grid_entry *entries)
{
    int32_t count = 0;
    for (int32_t m = fine->member_start[group]; m < fine->member_start[group + 1]; m++) {
        int32_t row = fine->members[m];
        for (int32_t k = graph->start[row]; k < graph->start[row + 1]; k++) {
            int32_t other = graph->entries[k].near ? group_of[graph->entries[k].column] : -1;
            if (other >= 0 && other != group && seen[other] != group) {
                seen[other] = group;
                if (entries) {
                    entries[count] = (wf_grid_entry){.column = other};
                }
                count++;
            }
        }
    }
    return count;
}

/* Rows by targets with weights that are not 0. */
static wf_status list_members(wf_context *context, wf_grid_level *fine)
{
    size_t total = 0;
    for (size_t row = 0; row < fine->rows; row++) {
        for (int t = 0; t < 3; t++) {
            total += fine->weight[row][t] != 0;
        }
    }
    wf_free(context, fine->member_start);
    wf_free(context, fine->members);
    wf_free(context, fine->member_weight);
    fine->member_start = wf_allocate(context, fine->coarse_rows + 2, sizeof *fine->member_start);
    fine->members = wf_allocate(context, total, sizeof *fine->members);
    fine->member_weight = wf_allocate(context, total, sizeof *fine->member_weight);
    if (!fine->member_start || !fine->members || !fine->member_weight) {
        return WF_ERROR_MEMORY;
    }
    /* Counts two places up become starts one place up, which run on to the next start while rows are listed. */
    for (size_t row = 0; row < fine->rows; row++) {
        for (int t = 0; t < 3; t++) {
            if (fine->weight[row][t] != 0) {
                fine->member_start[fine->target[row][t] + 2]++;
            }
        }
    }
    for (size_t group = 0; group < fine->coarse_rows; group++) {
        fine->member_start[group + 2] += fine->member_start[group + 1];
    }
    for (size_t row = 0; row < fine->rows; row++) {
        for (int t = 0; t < 3; t++) {
            if (fine->weight[row][t] != 0) {
                int32_t at = fine->member_start[fine->target[row][t] + 1]++;
                fine->members[at] = (int32_t)row;
                fine->member_weight[at] = fine->weight[row][t];
            }
        }
    }
    return WF_OK;
}

static wf_status find_neighbours(wf_context *context, const wf_grid_level *fine, const wf_grid_graph *graph,
                                 const int32_t *group_of, wf_grid_graph *adjacent)
{
    size_t groups = fine->coarse_rows;
    int32_t *seen = wf_allocate(context, groups, sizeof *seen);
    adjacent->start = wf_allocate(context, groups + 1, sizeof *adjacent->start);
    if (seen && adjacent->start) {
        memset(seen, -1, groups * sizeof *seen);
        for (size_t group = 0; group < groups; group++) {
            adjacent->start[group + 1] = adjacent->start[group] +
                                         list_neighbours(fine, graph, (int32_t)group, seen, group_of, NULL);
        }
        adjacent->entries = wf_allocate(context, (size_t)adjacent->start[groups], sizeof *adjacent->entries);
    }
    bool complete = seen && adjacent->start && adjacent->entries;
    if (complete) {
        memset(seen, -1, groups * sizeof *seen);
        for (size_t group = 0; group < groups; group++) {
            list_neighbours(fine, graph, (int32_t)group, seen, group_of, adjacent->entries + adjacent->start[group]);
        }
    }
    wf_free(context, seen);
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

/* ---- weights --------------------------------------------------------------------------------------------------- */

/* A way to interpolate a point: from the root of its group, and from one or two neighbours. */
typedef struct candidate {
    int32_t first, second; /* indices of neighbours, or -1 */
    double first_weight, second_weight;
    double cost;
} candidate;

/* The sum of |weight| distance^2 of the roots, and ten times the distance^2 of the point to what the weights give. */
static void consider(candidate *best, candidate c, wf_vec3 point, const wf_vec3 *neighbours)
{
    double own_weight = 1 - c.first_weight - c.second_weight;
    const double weights[3] = {own_weight, c.first_weight, c.second_weight};
    for (int k = 0; k < 3; k++) {
        if (!(weights[k] >= LEAST_WEIGHT && weights[k] <= MOST_WEIGHT)) {
            return;
        }
    }
    wf_vec3 rest = point;
    c.cost = fabs(own_weight) * wf_vec3_norm2(point);
    const int32_t used[2] = {c.first, c.second};
    for (int k = 0; k < 2; k++) {
        if (used[k] >= 0) {
            rest = wf_vec3_muladds(rest, neighbours[used[k]], -weights[k + 1]);
            c.cost += fabs(weights[k + 1]) * wf_vec3_norm2(wf_vec3_sub(neighbours[used[k]], point));
        }
    }
    c.cost += 10 * wf_vec3_norm2(rest);
    if (c.cost < best->cost) {
        *best = c;
    }
}

/* All positions are relative to the root of the point's group. */
static candidate best_candidate(wf_vec3 point, const wf_vec3 *neighbours, int32_t count)
{
    candidate best = {-1, -1, 0, 0, 11 * wf_vec3_norm2(point)}; /* constant */
    for (int32_t a = 0; a < count; a++) {
        wf_vec3 u = neighbours[a];
        double uu = wf_vec3_norm2(u), pu = wf_vec3_dot(point, u);
        if (!(uu > 0)) {
            continue;
        }
        consider(&best, (candidate){a, -1, pu / uu, 0, 0}, point, neighbours);
        for (int32_t b = a + 1; b < count; b++) {
            wf_vec3 v = neighbours[b];
            double vv = wf_vec3_norm2(v), uv = wf_vec3_dot(u, v), pv = wf_vec3_dot(point, v);
            double gram = uu * vv - uv * uv;
            if (gram > 0.05 * uu * vv) { /* sine of the angle above 0.22: no needles, no collinear roots */
                consider(&best, (candidate){a, b, (pu * vv - pv * uv) / gram, (pv * uu - pu * uv) / gram, 0}, point,
                         neighbours);
            }
        }
    }
    return best;
}

static void weigh_group(wf_grid_level *fine, int32_t group, int32_t root, const int32_t *roots,
                        const wf_grid_graph *adjacent, const wf_vec3 *positions)
{
    wf_vec3 neighbours[NEIGHBOUR_LIMIT];
    int32_t begin = adjacent->start[group], count = adjacent->start[group + 1] - begin;
    count = count < NEIGHBOUR_LIMIT ? count : NEIGHBOUR_LIMIT;
    for (int32_t k = 0; k < count; k++) {
        neighbours[k] = wf_vec3_sub(positions[roots[adjacent->entries[begin + k].column]], positions[root]);
    }
    for (int32_t m = fine->member_start[group]; m < fine->member_start[group + 1]; m++) {
        int32_t row = fine->members[m];
        if (row == root) {
            continue;
        }
        candidate best = best_candidate(wf_vec3_sub(positions[row], positions[root]), neighbours, count);
        fine->weight[row][0] = (float)(1 - best.first_weight - best.second_weight);
        if (best.first >= 0) {
            fine->target[row][1] = adjacent->entries[begin + best.first].column;
            fine->weight[row][1] = (float)best.first_weight;
        }
        if (best.second >= 0) {
            fine->target[row][2] = adjacent->entries[begin + best.second].column;
            fine->weight[row][2] = (float)best.second_weight;
        }
    }
}

static wf_status weigh(wf_context *context, wf_grid_level *fine, const wf_grid_graph *graph, const int32_t *group_of,
                       const int32_t *roots, wf_vec3 *positions, wf_grid_graph *adjacent)
{
    for (size_t row = 0; row < fine->rows; row++) {
        if (group_of[row] >= 0) {
            fine->target[row][0] = group_of[row];
            fine->weight[row][0] = 1;
        }
    }
    wf_status status = list_members(context, fine);
    if (status == WF_OK) {
        status = find_neighbours(context, fine, graph, group_of, adjacent);
    }
    if (status != WF_OK || !positions) {
        return status;
    }
    for (size_t group = 0; group < fine->coarse_rows; group++) {
        weigh_group(fine, (int32_t)group, roots[group], roots, adjacent, positions);
    }
    for (size_t group = 0; group < fine->coarse_rows; group++) {
        positions[group] = positions[roots[group]]; /* roots ascend, and are not before their group */
    }
    return list_members(context, fine);
}

wf_status wf_grid_level_interpolate(wf_context *context, wf_grid_level *fine, const wf_grid_graph *graph,
                                    wf_vec3 *positions, wf_grid_graph *adjacent)
{
    size_t rows = fine->rows;
    int32_t *first_group = wf_allocate(context, rows, sizeof *first_group);
    int32_t *group_of = wf_allocate(context, rows, sizeof *group_of);
    int32_t *roots = wf_allocate(context, rows, sizeof *roots);
    fine->target = wf_allocate(context, rows, sizeof *fine->target);
    fine->weight = wf_allocate(context, rows, sizeof *fine->weight);
    wf_status status = WF_ERROR_MEMORY;
    if (first_group && group_of && roots && fine->target && fine->weight) {
        memset(first_group, -1, rows * sizeof *first_group);
        fine->coarse_rows = (size_t)group_neighbourhoods(graph, rows, first_group, roots);
        for (size_t row = 0; row < rows; row++) {
            group_of[row] = first_group[row] >= 0 ? first_group[row] : favourite_group(graph, row, first_group);
        }
        status = weigh(context, fine, graph, group_of, roots, positions, adjacent);
    }
    wf_free(context, first_group);
    wf_free(context, group_of);
    wf_free(context, roots);
    return status;
}
