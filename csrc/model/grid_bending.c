/* grid_bending.c - bending on a grid along its threads: what three neighbours in a row say.
 *
 * "grid angles": the angle psi at the middle one, with the energy 1/2 C (psi - pi)^2 of Breen, House and Wozny (1994)
 * and Eberhardt, Weber and Strasser (1996), C from B of the thread's direction: a thread of arms a and b is folded by
 * pi - psi over (a + b) / 2. As strain serves the sum of the unit vectors to both neighbours, which is smooth where the
 * angle's gradient is not (angle_springs.c).
 *
 * "leapfrog springs": a spring between the outer two (Provot 1995), of a stiffness that folds by 1 rad cost what B
 * makes them cost. LIMIT: its length changes with the square of the fold, so its energy goes with the fourth power, and
 * flat cloth does not resist bending at all; and it stiffens the threads, in compression as well.
 *
 * Each belongs to a side between two rectangles and one of its ends, and counts half for either face. LIMIT of both: no
 * twist, no coupling of the two curvatures; needs a grid (grid.h).
 */
#include "model/angle_law.h"
#include "model/elongation.h"
#include "model/grid.h"
#include "model/models.h"

/* ---- three in a row -------------------------------------------------------------------------------------------- */

typedef struct thread {
    int32_t middle, near, far; /* `near` in the face's own rectangle */
    double near_arm, far_arm;  /* m */
    double weight;             /* B x width / length: energy 1/2 weight fold^2, J */
} thread;

/* The corner of a rectangle that is across one of its sides from `end`, and how far, when `side` lies along the weft
 * or the warp. */
static int32_t across(const wf_grid_cell *cell, int32_t end, bool side_is_weft, double *arm)
{
    *arm = fabs(side_is_weft ? cell->side.y : cell->side.x);
    if (end == cell->corner) {
        return side_is_weft ? cell->warp : cell->weft;
    }
    return cell->far;
}

/* Thread k of a face: over its side along the weft or the warp, at one of its ends. */
static bool find_thread(const wf_grid *grid, const wf_sheet_faces *sheet, int32_t face, int32_t k, thread *found)
{
    const wf_grid_cell *cell = &grid->cells[face];
    bool side_is_weft = k < 2;
    int32_t over = side_is_weft ? cell->over_weft : cell->over_warp;
    if (over < 0 || grid->cells[over].mate < 0) {
        return false;
    }
    const wf_grid_cell *next = &grid->cells[over];
    int32_t end = side_is_weft ? cell->weft : cell->warp;
    found->middle = k % 2 ? end : cell->corner;
    found->near = across(cell, found->middle, side_is_weft, &found->near_arm);
    found->far = across(next, found->middle, next->over_weft == face, &found->far_arm);
    const wf_fabric *fabric = &sheet->fabrics[wf_sheet_fabric(sheet, face)];
    double width = fabs(side_is_weft ? cell->side.x : cell->side.y);
    double modulus = side_is_weft ? fabric->bend_warp : fabric->bend_weft;
    found->weight = modulus * 0.25 * width / (0.5 * (found->near_arm + found->far_arm));
    return true;
}

static void set_viscosity(const wf_fabric *fabric, double *viscosity, int count)
{
    for (int s = 0; s < count; s++) {
        viscosity[s] = fabric->bend_viscosity;
    }
}

/* ---- angles ---------------------------------------------------------------------------------------------------- */

typedef struct angle_rest {
    double weight; /* N m */
} angle_rest;

/* Nodes: the middle, then both neighbours. */
static const wf_arm_shares arms = {{-1, 1, 0}, {-1, 0, 1}};

static void angle_strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    (void)rest;
    wf_angle_strains(3, arms, x, strain, gradient);
}

static void angle_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    (void)rest;
    wf_angle_add_curvature(3, arms, x, factor, hessian);
}

static const wf_strain_measure thread_angle = {"thread's angle", 3, 3, sizeof(angle_rest), angle_strains,
                                               angle_curvature};

static bool make_angle(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                       void *rest, wf_vec3 *reference)
{
    thread found;
    if (!find_thread(user, sheet, face, k, &found)) {
        return false;
    }
    ((angle_rest *)rest)->weight = found.weight;
    vertices[0] = found.middle;
    vertices[1] = found.near;
    vertices[2] = found.far;
    reference[0] = wf_vec3_make(0, 0, 0);
    reference[1] = wf_vec3_make(-found.near_arm, 0, 0);
    reference[2] = wf_vec3_make(found.far_arm, 0, 0);
    return true;
}

static void make_angle_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    ((wf_angle_material *)material)->modulus = 1; /* the weight has it: it depends on the direction */
    set_viscosity(fabric, viscosity, 3);
}

static wf_status create_angles(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "grid angles", .measure = &thread_angle, .law = &wf_angle_law,
                                            .elements_per_face = 4, .make_element = make_angle,
                                            .make_material = make_angle_material};
    return wf_grid_model_create(context, &recipe, sheet, model);
}

const wf_model_entry wf_grid_angles = {
    .name = "grid angles",
    .kind = WF_MODEL_BENDING,
    .source = "Breen, House and Wozny 1994, Eberhardt, Weber and Strasser 1996",
    .cannot = "needs a grid; has no rest angles, and no modulus of twist or coupling",
    .brakes_turning = true,
    .grid = true,
    .create = create_angles,
};

/* ---- leapfrog springs ------------------------------------------------------------------------------------------ */

static bool make_leapfrog(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                          void *data, wf_vec3 *reference)
{
    thread found;
    if (!find_thread(user, sheet, face, k, &found)) {
        return false;
    }
    double a = found.near_arm, b = found.far_arm, length = a + b;
    double shortening = 1 - sqrt(a * a + b * b + 2 * a * b * cos(1)) / length; /* at a fold of 1 rad */
    wf_elongation_rest *rest = data;
    rest->weight = found.weight / (shortening * shortening);
    rest->length = length;
    vertices[0] = found.near;
    vertices[1] = found.far;
    reference[0] = wf_vec3_make(0, 0, 0);
    reference[1] = wf_vec3_make(length, 0, 0);
    return true;
}

static void make_leapfrog_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    *(wf_linear_material *)material = (wf_linear_material){1, {{1}}};
    set_viscosity(fabric, viscosity, 1);
}

static wf_status create_leapfrogs(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "leapfrog springs", .measure = &wf_elongation_measure,
                                            .law = &wf_linear_law, .elements_per_face = 4,
                                            .make_element = make_leapfrog, .make_material = make_leapfrog_material};
    return wf_grid_model_create(context, &recipe, sheet, model);
}

const wf_model_entry wf_leapfrog_springs = {
    .name = "leapfrog springs",
    .kind = WF_MODEL_BENDING,
    .source = "Provot 1995",
    .cannot = "needs a grid; does not resist the bending of flat cloth, and resists its stretching",
    .grid = true,
    .create = create_leapfrogs,
};
