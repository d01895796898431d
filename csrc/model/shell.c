/* shell.c - an orthotropic plate law on a curvature tensor per face, measured by the angles of hinges.
 *
 * A face measures its curvature, and how that changes, with the nine hinges of its patch (model/patch.h), by the angles
 * between their faces. Angles have rest values, so the sheet may be pleated, and they do not change under any rigid
 * motion. Where rows of vertices are fixed the clamp acts half the way from the last of them to the next.
 */
#include <string.h>

#include "model/models.h"
#include "model/patch.h"

typedef struct shell_rest {
    double weight;                                     /* m2 */
    double angle[WF_PATCH_HINGES];                     /* at rest, rad */
    double measure[WF_PATCH_STRAINS][WF_PATCH_HINGES]; /* wf_patch, of angles */
    int32_t node[WF_PATCH_HINGES][WF_HINGE_NODES];
    int32_t hinge[WF_PATCH_HINGES];                    /* which of them there are */
    int32_t hinge_count;
} shell_rest;

/* ---- the measure ----------------------------------------------------------------------------------------------- */

static void gather_hinge(const shell_rest *shell, int32_t h, const wf_vec3 *x, wf_vec3 corner[WF_HINGE_NODES])
{
    for (int i = 0; i < WF_HINGE_NODES; i++) {
        corner[i] = x[shell->node[h][i]];
    }
}

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const shell_rest *shell = rest;
    memset(strain, 0, WF_PATCH_STRAINS * sizeof *strain);
    if (gradient) {
        memset(gradient, 0, WF_PATCH_STRAINS * WF_PATCH_VERTICES * sizeof *gradient);
    }
    for (int32_t k = 0; k < shell->hinge_count; k++) {
        int32_t h = shell->hinge[k];
        wf_vec3 corner[WF_HINGE_NODES], turning[WF_HINGE_NODES];
        gather_hinge(shell, h, x, corner);
        double fold = wf_hinge_fold(wf_hinge_angle(corner, gradient ? turning : NULL), shell->angle[h]);
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            strain[s] += shell->measure[s][h] * fold;
            for (int i = 0; gradient && i < WF_HINGE_NODES; i++) {
                wf_vec3 *entry = &gradient[s * WF_PATCH_VERTICES + shell->node[h][i]];
                *entry = wf_vec3_muladds(*entry, turning[i], shell->measure[s][h]);
            }
        }
    }
}

static void add_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const shell_rest *shell = rest;
    for (int32_t k = 0; k < shell->hinge_count; k++) {
        int32_t h = shell->hinge[k];
        wf_vec3 corner[WF_HINGE_NODES];
        gather_hinge(shell, h, x, corner);
        double scale = 0;
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            scale += factor[s] * shell->measure[s][h];
        }
        wf_hinge_add_curvature(corner, scale, shell->node[h], WF_PATCH_VERTICES, hessian);
    }
}

static const wf_strain_measure measure = {"curvature of a face", WF_PATCH_VERTICES, WF_PATCH_STRAINS,
                                          sizeof(shell_rest), strains, add_curvature};

/* ---- making one ------------------------------------------------------------------------------------------------ */

static bool make_shell(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                       void *rest, wf_vec3 *reference)
{
    (void)k;
    wf_patch patch;
    shell_rest *shell = rest;
    wf_patch_fill(sheet, user, face, &patch);
    memset(shell, 0, sizeof *shell);
    shell->weight = patch.area;
    memcpy(vertices, patch.vertices, sizeof patch.vertices);
    for (int i = 0; i < WF_PATCH_VERTICES; i++) {
        reference[i] = wf_vec3_make(patch.place[i].x, patch.place[i].y, 0);
    }
    for (int32_t h = 0; h < WF_PATCH_HINGES; h++) {
        const wf_patch_hinge *hinge = &patch.hinge[h];
        const int32_t *node = hinge->node;
        if (!hinge->present) {
            continue;
        }
        reference[node[3]] = wf_hinge_unfold(reference[node[0]], reference[node[1]], reference[node[2]],
                                             hinge->far_foot, hinge->far_height, hinge->angle);
        memcpy(shell->node[h], node, sizeof shell->node[h]);
        shell->angle[h] = hinge->angle;
        shell->hinge[shell->hinge_count++] = h;
        for (int s = 0; s < WF_PATCH_STRAINS; s++) {
            shell->measure[s][h] = hinge->side * patch.measure[s][h];
        }
    }
    return true;
}

static void make_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_linear_material *linear = material;
    wf_hinge_plate_material(fabric, material, viscosity);
    linear->count = WF_PATCH_STRAINS;
    for (int s = 3; s < WF_PATCH_STRAINS; s++) {
        linear->moduli[s][s] = 1;
        viscosity[s] = fabric->bend_viscosity;
    }
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "shell", .measure = &measure, .law = &wf_linear_law,
                                            .elements_per_face = 1, .make_element = make_shell,
                                            .make_material = make_material, .remembers = true,
                                            .part = WF_HISTORY_BEND};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

const wf_model_entry wf_shell = {
    .name = "shell",
    .kind = WF_MODEL_BENDING,
    .folds = true,
    .hysteresis = true,
    .source = "Morley 1968, Grinspun et al. 2006, with slopes that are right for quadratic surfaces",
    .create = create,
};
