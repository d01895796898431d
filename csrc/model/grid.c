#include "model/grid.h"

#include "model/hinge.h"
#include "model/weave.h"

/* Of rest coordinates, relative to a face's longest side. */
#define STRAIGHT 1e-6

/* The corner whose sides run along weft and warp, or -1. first_is_weft: whether the one to the next corner is the
 * weft's. */
static int right_angle(const wf_vec2 rest[3], bool *first_is_weft)
{
    for (int k = 0; k < 3; k++) {
        wf_vec2 a = wf_vec2_sub(rest[(k + 1) % 3], rest[k]), b = wf_vec2_sub(rest[(k + 2) % 3], rest[k]);
        double least = STRAIGHT * (wf_vec2_norm(a) + wf_vec2_norm(b));
        *first_is_weft = fabs(a.y) < least && fabs(b.x) < least;
        if (*first_is_weft || (fabs(a.x) < least && fabs(b.y) < least)) {
            return k;
        }
    }
    return -1;
}

/* The face without its mate's vertex. */
static void read_half(const wf_sheet_faces *sheet, const int32_t neighbours[3], int32_t face, wf_grid_cell *cell)
{
    const int32_t *v = sheet->faces[face];
    const wf_vec2 *rest = sheet->rest[face];
    bool first_is_weft;
    int k = right_angle(rest, &first_is_weft);
    if (k < 0) {
        cell->mate = -1;
        return;
    }
    int next = (k + 1) % 3, last = (k + 2) % 3, weft = first_is_weft ? next : last, warp = first_is_weft ? last : next;
    *cell = (wf_grid_cell){.corner = v[k],
                           .weft = v[weft],
                           .warp = v[warp],
                           .side = {rest[weft].x - rest[k].x, rest[warp].y - rest[k].y},
                           .mate = neighbours[next],
                           .over_weft = neighbours[first_is_weft ? k : last],
                           .over_warp = neighbours[first_is_weft ? last : k]};
}

/* Whether b is a seen from the other side. */
static bool is_same_cell(const wf_grid_cell *a, const wf_grid_cell *b)
{
    double most = STRAIGHT * (fabs(a->side.x) + fabs(a->side.y));
    return a->weft == b->warp && a->warp == b->weft && fabs(fabs(a->side.x) - fabs(b->side.x)) <= most &&
           fabs(fabs(a->side.y) - fabs(b->side.y)) <= most;
}

static wf_status pair_halves(wf_context *context, const wf_sheet_faces *sheet, const char *model, wf_grid *grid,
                             int32_t (*neighbours)[3])
{
    wf_status status = wf_sheet_find_neighbours(context, sheet->vertex_count, sheet->face_count, sheet->faces,
                                                neighbours);
    for (int32_t face = 0; status == WF_OK && face < sheet->face_count; face++) {
        read_half(sheet, neighbours[face], face, &grid->cells[face]);
    }
    for (int32_t face = 0; status == WF_OK && face < sheet->face_count; face++) {
        wf_grid_cell *cell = &grid->cells[face], *mate = cell->mate >= 0 ? &grid->cells[cell->mate] : NULL;
        if (mate && mate->mate == face && is_same_cell(cell, mate)) {
            cell->far = mate->corner;
        } else {
            cell->mate = -1;
        }
    }
    for (int32_t face = 0; status == WF_OK && face < sheet->face_count; face++) {
        if (wf_sheet_active(sheet, face) && grid->cells[face].mate < 0) {
            status = wf_fail(context, WF_ERROR_ARGUMENT,
                             "\"%s\" needs a grid of rectangles along weft and warp, each of two faces; face %d is not "
                             "half of one", model, face + 1);
        }
    }
    return status;
}

wf_status wf_grid_find(wf_context *context, const wf_sheet_faces *sheet, const char *model, wf_grid *grid)
{
    size_t count = (size_t)sheet->face_count;
    grid->cells = wf_allocate(context, count, sizeof *grid->cells);
    int32_t(*neighbours)[3] = wf_allocate(context, count, sizeof *neighbours);
    wf_status status = grid->cells && neighbours ? pair_halves(context, sheet, model, grid, neighbours)
                                                 : WF_ERROR_MEMORY;
    wf_free(context, neighbours);
    if (status != WF_OK) {
        wf_grid_free(context, grid);
    }
    return status;
}

void wf_grid_free(wf_context *context, wf_grid *grid)
{
    wf_free(context, grid->cells);
    grid->cells = NULL;
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

bool wf_grid_make_corner(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                         void *data, wf_vec3 *reference)
{
    (void)sheet;
    const wf_grid_cell *cell = &((const wf_grid *)user)->cells[face];
    wf_weave_rest *rest = data;
    wf_vec2 at[2][3] = {{{0, 0}, {cell->side.x, 0}, {0, cell->side.y}},
                        {{cell->side.x, 0}, {0, 0}, {cell->side.x, cell->side.y}}};
    const int32_t node[2][3] = {{cell->corner, cell->weft, cell->warp}, {cell->weft, cell->corner, cell->far}};
    *rest = wf_weave_rest_of(at[k]);
    rest->weight = 0.25 * wf_grid_cell_area(cell);
    for (int i = 0; i < 3; i++) {
        vertices[i] = node[k][i];
        reference[i] = wf_vec3_make(at[k][i].x, at[k][i].y, 0);
    }
    return true;
}

wf_status wf_grid_model_create(wf_context *context, const wf_strain_recipe *recipe, const wf_sheet_faces *sheet,
                               wf_model **model)
{
    *model = NULL;
    wf_grid grid;
    wf_status status = wf_grid_find(context, sheet, recipe->name, &grid);
    if (status == WF_OK) {
        status = wf_strain_model_from_sheet(context, recipe, &grid, sheet, model);
        wf_grid_free(context, &grid);
    }
    return status;
}
