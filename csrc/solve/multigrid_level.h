/* multigrid_level.h - one grid of the multigrid preconditioner: its matrix, its sweeps and the way to the next grid.
 * Internal to multigrid*.c; multigrid.c describes the method.
 *
 * Rows are cut into strips, and strips have colours: strips of one colour do not see each other and are worked on at
 * the same time. The order of the sweeps is by colours, within a strip by rows. A matrix is kept as
 *   - the lower triangle of the blocks and scalars within strips, each read once for both halves of a product;
 *   - `outer`, what couples different strips, both triangles;
 *   - `extra`, what changes from step to step (contacts), both triangles.
 */
#ifndef WEFT_SOLVE_MULTIGRID_LEVEL_H
#define WEFT_SOLVE_MULTIGRID_LEVEL_H

#include "solve/preconditioner.h"

/* Where the value of a slot comes from: an index in the finer grid's blocks (or in the single matrix), and how. */
typedef enum wf_grid_source_kind {
    WF_GRID_BLOCK,      /* as it is */
    WF_GRID_TRANSPOSED, /* transposed */
    WF_GRID_SCALAR,     /* times the identity */
    WF_GRID_KINDS
} wf_grid_source_kind;

/* Compressed rows with blocks stored by rows; one float is read past the last block. */
typedef struct wf_grid_rows {
    int32_t *start, *column; /* [rows + 1], ascending columns */
    float (*blocks)[9];
    size_t capacity[3];
} wf_grid_rows;

/* An entry of the whole pattern of a grid, without the diagonal; only while the next grid is made. */
typedef struct wf_grid_entry {
    int32_t column;
    bool near;       /* neighbours in the mesh, which make groups */
    uint32_t source; /* index * WF_GRID_KINDS + kind, in this grid's blocks or scalars */
} wf_grid_entry;

typedef struct wf_grid_graph {
    int32_t *start;         /* [rows + 1] */
    wf_grid_entry *entries; /* columns ascend */
} wf_grid_graph;

typedef struct wf_grid_level {
    size_t rows;

    /* Strips: [strip_count] ranges of 2^strip_shift rows, listed by colour. */
    int strip_shift;
    int32_t strip_count, colour_count;
    int32_t *strip_colour, *strips_by_colour, *colour_start;

    /* The matrix. Slots of `inner` come first in the numbering of slots, then those of `outer`, then the diagonal. */
    wf_grid_rows inner, outer, extra;
    int32_t *scalar_start, *scalar_column; /* scalars within strips, lower triangle; the finest grid alone has any */
    float *scalars;
    bool has_scalars, has_extra;
    bool recolour; /* the colours were made for extra entries that are gone */
    float (*diagonal)[9];    /* without what is held; one float more for the reading past the last */
    wf_float4 (*inverse)[3]; /* of the diagonal, by columns */

    /* The values of a slot are sums: sources[source_start[slot]] and on. */
    int32_t *source_start;
    uint32_t *sources;
    int32_t *scalar_source; /* the finest grid: [scalars] index in the single matrix */

    /* The next grid: its row for each row of this one, or -1; and back. */
    size_t coarse_rows;
    int32_t *aggregate;
    int32_t *member_start, *members;

    /* Vectors of the cycle: right-hand side, solution and residual, and a solution of the first pass. */
    wf_float4 *r, *z, *residual, *first;
} wf_grid_level;

/* ---- multigrid_pattern.c: what depends on the topology alone ----------------------------------------------------- */

/* Makes the finest grid for the pattern of `single` and lists its entries. */
wf_status wf_grid_level_create_finest(wf_context *context, const wf_single_matrix *single, wf_grid_level *level,
                                      wf_grid_graph *graph);

/* Groups the rows of `fine`; coarse_rows is 0 where no two rows are coupled. */
wf_status wf_grid_level_aggregate(wf_context *context, wf_grid_level *fine, const wf_grid_graph *graph);

/* Makes the grid whose rows are the groups of `fine`, and lists its entries. */
wf_status wf_grid_level_create_coarse(wf_context *context, const wf_grid_level *fine, const wf_grid_graph *fine_graph,
                                      wf_grid_level *level, wf_grid_graph *graph);

void wf_grid_graph_free(wf_context *context, wf_grid_graph *graph);
void wf_grid_level_free(wf_context *context, wf_grid_level *level);

/* ---- multigrid_values.c: what changes with the matrix ------------------------------------------------------------ */

/* Copies the system into the finest grid. */
wf_status wf_grid_level_fill_finest(wf_context *context, wf_grid_level *level, const wf_linear_system *system,
                                    const wf_mat3 *diagonal);

/* Sums the fine matrix over groups (Galerkin with functions that are constant on groups). */
wf_status wf_grid_level_fill_coarse(wf_context *context, const wf_grid_level *fine, wf_grid_level *level);

/* Colours the strips so that strips coupled by `outer` or `extra` differ. */
wf_status wf_grid_level_colour(wf_context *context, wf_grid_level *level);

/* ---- multigrid_sweep.c ------------------------------------------------------------------------------------------- */

/* One Gauss-Seidel sweep for A z = r in order from z = 0, and residual = r - A z. */
void wf_grid_level_sweep_down(wf_context *context, wf_grid_level *level);

/* One sweep in the opposite order from z as it is; overwrites residual. */
void wf_grid_level_sweep_up(wf_context *context, wf_grid_level *level);

/* product = A z; distinct. */
void wf_grid_level_multiply(wf_context *context, const wf_grid_level *level, const wf_float4 *z, wf_float4 *product);

#endif
