/* grid.h - a sheet read as a grid of rectangles along weft and warp, for the models that need one.
 *
 * The faces of a cloth are triangles. Where each has its right angle between the weft and the warp and shares its
 * longest side with another of the same size, two and two are rectangles; rows and columns may differ in width.
 */
#ifndef WEFT_MODEL_GRID_H
#define WEFT_MODEL_GRID_H

#include "model/strain_model.h"

/* A rectangle as one of its two faces sees it: corners round from the face's right angle, the first side along the
 * weft. The other face sees the same rectangle from `far`, turned by 180 degrees. */
typedef struct wf_grid_cell {
    int32_t corner, weft, far, warp; /* vertices: the right angle, its neighbours along weft and warp, and the fourth */
    wf_vec2 side;                    /* m: rest coordinates of `weft` and `warp` from `corner`; either sign */
    int32_t mate;                    /* the other face; -1: this one is not half a rectangle */
    int32_t over_weft, over_warp;    /* faces beyond the sides along the weft and along the warp; -1: none */
} wf_grid_cell;

typedef struct wf_grid {
    wf_grid_cell *cells; /* [face_count] */
} wf_grid;

/* WF_ERROR_ARGUMENT names the first active face that is not half a rectangle, and the model that needs it. */
wf_status wf_grid_find(wf_context *context, const wf_sheet_faces *sheet, const char *model, wf_grid *grid);
void wf_grid_free(wf_context *context, wf_grid *grid);

static inline double wf_grid_cell_area(const wf_grid_cell *cell)
{
    return fabs(cell->side.x * cell->side.y);
}

/* For recipes (strain_model.h) of two elements a face with a wf_grid as `user`: two of the rectangle's corners, each
 * with its neighbours along weft and warp, a quarter of the area, and a wf_weave_rest. */
bool wf_grid_make_corner(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                         void *rest, wf_vec3 *reference);

/* Makes a model whose recipe needs a wf_grid. */
wf_status wf_grid_model_create(wf_context *context, const wf_strain_recipe *recipe, const wf_sheet_faces *sheet,
                               wf_model **model);

#endif
