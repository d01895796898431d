/* grid_springs.c - Provot's (1995) springs on a grid: structural ones along the sides of its rectangles, shear ones
 * along both diagonals.
 *
 * Measures: the four sides' elongations l / L - 1, along the weft and along the warp, and for each diagonal D of a
 * rectangle a x b the shear angle that would elongate it so, (l - D) D / (a b). With the fabric's moduli shared among
 * them, the structural set alone has the stiffness C1111 and C2222, and the diagonals the shear modulus C1212.
 *
 * LIMIT: the sets do not stay apart. Stretch elongates the diagonals too, which adds C1212 a^2/b^2 along the weft,
 * C1212 b^2/a^2 along the warp, and a lateral contraction of C1212 where the fabric's is C1122: springs cannot express
 * that modulus. Needs a grid (grid.h).
 *
 * Damping is projected on the springs. The linear form (tutorial 2004, equation 3) resists all relative motion of a
 * spring's ends, which is easier to solve with but brakes what only turns.
 */
#include "model/grid.h"
#include "model/models.h"
#include "model/springs.h"
#include "model/weave.h"

enum { CELL_SPRINGS = 6 };

/* Nodes: corner, weft, far, warp of the grid's cell. */
static const int cell_spring[CELL_SPRINGS][2] = {{0, 1}, {3, 2}, {0, 3}, {1, 2}, {0, 2}, {1, 3}};

typedef struct cell_rest {
    double weight; /* m2 */
    double length[CELL_SPRINGS]; /* m */
    double scale[CELL_SPRINGS];  /* strain per m of elongation */
} cell_rest;

static void cell_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const cell_rest *rest = data;
    for (int s = 0; s < CELL_SPRINGS; s++) {
        const int *end = cell_spring[s];
        wf_vec3 edge = wf_vec3_sub(x[end[1]], x[end[0]]);
        strain[s] = rest->scale[s] * (wf_vec3_norm(edge) - rest->length[s]);
        if (gradient) {
            wf_vec3 *node = gradient + 4 * s, pull = wf_vec3_scale(wf_vec3_normalize(edge), rest->scale[s]);
            node[0] = node[1] = node[2] = node[3] = (wf_vec3){0, 0, 0};
            node[end[1]] = pull;
            node[end[0]] = wf_vec3_scale(pull, -1);
        }
    }
}

static void cell_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const cell_rest *rest = data;
    for (int s = 0; s < CELL_SPRINGS; s++) {
        wf_add_edge_curvature(4, cell_spring[s][0], cell_spring[s][1], x, factor[s] * rest->scale[s], hessian);
    }
}

static const wf_strain_measure cell_measure = {"sides and diagonals", 4, CELL_SPRINGS, sizeof(cell_rest),
                                               cell_strains, cell_curvature};

/* Half of the rectangle's springs for either of its faces. */
static bool make_element(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                         void *data, wf_vec3 *reference)
{
    (void)sheet, (void)k;
    const wf_grid_cell *cell = &((const wf_grid *)user)->cells[face];
    const int32_t node[4] = {cell->corner, cell->weft, cell->far, cell->warp};
    const wf_vec2 at[4] = {{0, 0}, {cell->side.x, 0}, cell->side, {0, cell->side.y}};
    for (int i = 0; i < 4; i++) {
        vertices[i] = node[i];
        reference[i] = wf_vec3_make(at[i].x, at[i].y, 0);
    }
    cell_rest *rest = data;
    rest->weight = 0.5 * wf_grid_cell_area(cell);
    for (int s = 0; s < CELL_SPRINGS; s++) {
        double length = wf_vec2_norm(wf_vec2_sub(at[cell_spring[s][1]], at[cell_spring[s][0]]));
        rest->length[s] = length;
        rest->scale[s] = s < 4 ? 1 / length : length / wf_grid_cell_area(cell);
    }
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    const double moduli[CELL_SPRINGS] = {fabric->weft, fabric->weft, fabric->warp, fabric->warp, fabric->shear,
                                         fabric->shear};
    wf_linear_material *m = material;
    *m = (wf_linear_material){.count = CELL_SPRINGS};
    for (int s = 0; s < CELL_SPRINGS; s++) {
        m->moduli[s][s] = 0.5 * moduli[s]; /* each has a twin */
        viscosity[s] = fabric->viscosity;
    }
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "grid springs", .measure = &cell_measure, .law = &wf_linear_law,
                                            .elements_per_face = 1, .make_element = make_element,
                                            .make_material = make_material};
    return wf_grid_model_create(context, &recipe, sheet, model);
}

const wf_model_entry wf_grid_springs = {
    .name = "grid springs",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Provot 1995",
    .cannot = "needs a grid; contraction across a pull is what the shear springs make of it, and they stiffen stretch",
    .grid = true,
    .create = create,
};

/* ---- with linear damping --------------------------------------------------------------------------------------- */

typedef struct spring_list {
    int32_t (*pairs)[2];
    double *rest_lengths, *stiffness, *damping;
} spring_list;

static int32_t list_springs(const wf_grid *grid, const wf_sheet_faces *sheet, spring_list *list)
{
    int32_t count = 0;
    for (int32_t face = 0; face < sheet->face_count; face++) {
        if (!wf_sheet_active(sheet, face)) {
            continue;
        }
        int32_t vertices[4];
        cell_rest rest;
        wf_vec3 reference[4];
        wf_linear_material material;
        double viscosity[CELL_SPRINGS];
        make_element(grid, sheet, face, 0, vertices, &rest, reference);
        make_material(&sheet->fabrics[wf_sheet_fabric(sheet, face)], &material, viscosity);
        for (int s = 0; s < CELL_SPRINGS; s++, count++) {
            list->pairs[count][0] = vertices[cell_spring[s][0]];
            list->pairs[count][1] = vertices[cell_spring[s][1]];
            list->rest_lengths[count] = rest.length[s];
            list->stiffness[count] = rest.weight * material.moduli[s][s] * rest.scale[s] * rest.scale[s];
            list->damping[count] = viscosity[s] * list->stiffness[count];
        }
    }
    return count;
}

static wf_status create_linearly_damped(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    wf_grid grid;
    wf_status status = wf_grid_find(context, sheet, "grid springs with linear damping", &grid);
    if (status != WF_OK) {
        return status;
    }
    size_t most = CELL_SPRINGS * (size_t)sheet->face_count;
    spring_list list = {wf_allocate(context, most, sizeof *list.pairs), wf_allocate(context, most, sizeof(double)),
                        wf_allocate(context, most, sizeof(double)), wf_allocate(context, most, sizeof(double))};
    status = WF_ERROR_MEMORY;
    if (list.pairs && list.rest_lengths && list.stiffness && list.damping) {
        const wf_springs_def def = {.vertex_count = sheet->vertex_count,
                                    .count = list_springs(&grid, sheet, &list),
                                    .pairs = (const int32_t(*)[2])list.pairs,
                                    .rest_lengths = list.rest_lengths,
                                    .stiffness = list.stiffness,
                                    .damping = list.damping,
                                    .linear_damping = true};
        status = wf_springs_create(context, &def, model);
    }
    wf_free(context, list.damping);
    wf_free(context, list.stiffness);
    wf_free(context, list.rest_lengths);
    wf_free(context, list.pairs);
    wf_grid_free(context, &grid);
    return status;
}

const wf_model_entry wf_grid_springs_linear = {
    .name = "grid springs with linear damping",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Provot 1995",
    .cannot = "what grid springs cannot; its damping brakes rigid rotation and bending",
    .brakes_turning = true,
    .grid = true,
    .create = create_linearly_damped,
};
