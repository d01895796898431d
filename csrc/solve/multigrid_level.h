/* multigrid_level.h - one grid of the multigrid preconditioner: its matrix, its sweeps and the way to the next grid.
 * Internal to multigrid*.c; multigrid.c describes the method.
 *
 * Rows are cut into strips, and strips have colours: strips of one colour do not see each other and are worked on at
 * the same time. The order of the sweeps is by colours, within a strip by rows. The matrix of a coarse grid is kept as
 *   - `inner`, the lower triangle within strips, each block of which is read once for both halves of a product;
 *   - `outer`, what couples different strips, both triangles;
 *   - `extra`, what changes from step to step (contacts), both triangles.
 * The finest grid has none: it reads the solver's own single matrix.
 */
#ifndef WEFT_SOLVE_MULTIGRID_LEVEL_H
#define WEFT_SOLVE_MULTIGRID_LEVEL_H

#include "solve/preconditioner.h"

/* Compressed rows with blocks stored by rows; one float is read past the last block. */
typedef struct wf_grid_rows {
    int32_t *start, *column; /* [rows + 1], ascending columns */
    float (*blocks)[9];
    size_t capacity[3];
} wf_grid_rows;

/* An entry of the whole pattern of a grid, without the diagonal. */
typedef struct wf_grid_entry {
    int32_t column;
    uint32_t near : 1;       /* neighbours in the mesh, which make groups */
    uint32_t transposed : 1; /* it is the transpose of */
    uint32_t slot : 30;      /* this block of a coarse grid */
} wf_grid_entry;

enum { WF_GRID_SLOT_LIMIT = 1 << 30 };

typedef struct wf_grid_graph {
    int32_t *start;         /* [rows + 1] */
    wf_grid_entry *entries; /* columns ascend */
} wf_grid_graph;

enum { WF_GRID_PARTS = 4 }; /* see plan_part */

enum {
    WF_GRID_REACHES_BEYOND = 1, /* to other strips, by the pattern */
    WF_GRID_HAS_EXTRA = 2       /* to any row */
};

typedef struct wf_grid_level {
    size_t rows;

    /* Strips: [strip_count] ranges of 2^strip_shift rows, listed by colour. */
    int strip_shift;
    int32_t strip_count, colour_count;
    int32_t *strip_colour, *strips_by_colour, *colour_start, *colour_marks;

    uint8_t *others; /* [rows]: what a row is coupled to besides its strip, the flags above */

    const wf_single_matrix *single; /* the matrix of the finest grid, else NULL */
    int32_t *lower_scalars_end;     /* finest: [rows], where a row's scalars below the diagonal end */

    /* The matrix of a coarse grid. The blocks of `inner` come first, then those of `outer`. */
    wf_grid_rows inner, outer, extra; /* `extra` of the finest grid lies in the single matrix */
    bool has_extra;
    bool recolour;           /* the colours were made for extra entries that are gone */
    float (*diagonal)[9];    /* coarse: without what is held; one float more for the reading past the last */
    float (*inverse)[9];     /* [rows + 1] of the diagonal, by columns; read one float past each */
    float *scalar_sums;      /* the grid after the finest: [slots] what its scalars add to the diagonals of blocks */
    uint64_t scalar_values;  /* of which scalars those are, as of the single matrix; 0: none yet */
    double (*sums)[9];       /* coarse: [slots] by columns while the finer matrix is summed, else anything. Slots are
                              * numbered by rows: those of `inner`, of `outer`, and the diagonal's */

    /* The next grid: a row's value is interpolated from three rows there at most, unused ones with weight 0; and the
     * same by coarse rows. */
    size_t coarse_rows;
    int32_t (*target)[3];
    float (*weight)[3];
    int32_t *member_start, *members;
    float *member_weight;

    /* How the coarse matrix is summed. An entry of a row (the finest grid: blocks and then scalars of the single
     * matrix; the others: those of the graph and then the diagonal) goes with weight[column][t] to the row's local sum
     * local[3 e + t], e counting entries over all rows. What a row adds to coarse slots is listed from
     * plan_start[row] on: local sum plan_part / WF_GRID_PARTS with weight[row][s], s = plan_part % WF_GRID_PARTS, to
     * slot plan_slot of the coarse row target[row][s]; a list, since whether a sum has a slot is more than a processor
     * can guess. Strips of one plan colour share no slot. The local sums that blocks go to come first in a row, and the
     * first plan_block_count of its list are theirs: the rest, which far scalars reach alone, serves only when scalars
     * have changed. */
    uint8_t *local, *local_count, *block_local_count; /* the latter two: [rows] */
    int32_t *plan_start;
    uint16_t *plan_block_count, *plan_slot, *plan_part;
    int32_t plan_colour_count;
    int32_t *plan_strips, *plan_colour_start;

    /* Vectors of the cycle; all but the finest grid have a right-hand side and two solutions of their own. */
    wf_float4 *residual, *r, *z, *first;
} wf_grid_level;

/* ---- multigrid_pattern.c: what depends on the topology alone ----------------------------------------------------- */

/* Makes the matrix and the vectors of a coarse level whose `rows` is set for the columns of `graph`, and sets where
 * its entries are. */
wf_status wf_grid_level_create(wf_context *context, wf_grid_level *level, wf_grid_graph *graph);

/* Makes the finest grid on `single`, and the graph of its entries. */
wf_status wf_grid_level_create_finest(wf_context *context, const wf_single_matrix *single, wf_grid_level *level,
                                      wf_grid_graph *graph);

/* multigrid_interpolation.c: groups the rows of `fine` around roots, and finds from which roots each is interpolated.
 * positions: of the rows, which become those of the roots, or NULL: values are then constant in groups. `adjacent`
 * lists the groups that are neighbours. coarse_rows is 0 where no two rows are coupled. */
wf_status wf_grid_level_interpolate(wf_context *context, wf_grid_level *fine, const wf_grid_graph *graph,
                                    wf_vec3 *positions, wf_grid_graph *adjacent);

/* multigrid_plan.c: makes the grid whose rows are the groups of `fine`, lists its entries and plans how they are
 * summed. Sets coarse_rows to 0 where a row is coupled to too many groups for a plan. */
wf_status wf_grid_level_create_coarse(wf_context *context, wf_grid_level *fine, const wf_grid_graph *fine_graph,
                                      const wf_grid_graph *adjacent, wf_grid_level *level, wf_grid_graph *graph);

/* Of a coarse grid: its blocks, those on the diagonal included. */
static inline size_t wf_grid_level_slots(const wf_grid_level *level)
{
    return (size_t)level->inner.start[level->rows] + (size_t)level->outer.start[level->rows] + level->rows;
}

/* The first slot of a row. */
static inline int32_t wf_grid_level_first_slot(const wf_grid_level *level, size_t row)
{
    return level->inner.start[row] + level->outer.start[row] + (int32_t)row;
}

void wf_grid_graph_free(wf_context *context, wf_grid_graph *graph);
void wf_grid_level_free(wf_context *context, wf_grid_level *level);

/* ---- multigrid_values.c: what changes with the matrix ------------------------------------------------------------ */

/* Makes the finest grid ready for the values that the single matrix has now. diagonal: as of the preconditioner. */
void wf_grid_level_fill_finest(wf_context *context, wf_grid_level *level, const wf_mat3 *diagonal);

/* Sums the fine matrix with the weights of the interpolation (Galerkin). graph: of the fine grid; not used where that
 * is the finest. sums: scratch, [slots of the level]. */
wf_status wf_grid_level_fill_coarse(wf_context *context, const wf_grid_level *fine, const wf_grid_graph *graph,
                                    double (*sums)[9], wf_grid_level *level);

/* ---- multigrid_sweep.c ------------------------------------------------------------------------------------------- */

/* One Gauss-Seidel sweep for A z = r in order from z = 0, and level->residual = r - A z. */
void wf_grid_level_sweep_down(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z);

/* One sweep in the opposite order from z as it is; overwrites level->residual. */
void wf_grid_level_sweep_up(wf_context *context, const wf_grid_level *level, const wf_float4 *r, wf_float4 *z);

/* product = A z on a coarse grid; distinct. */
void wf_grid_level_multiply(wf_context *context, const wf_grid_level *level, const wf_float4 *z, wf_float4 *product);

#endif
