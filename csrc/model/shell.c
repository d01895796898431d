/* shell.c - an orthotropic plate law on a curvature tensor per face, measured by the angles of hinges.
 *
 * A face turns about each of its edges from its own plane to the edge's normal by an angle, and these three make up its
 * curvature tensor: the sum over edges of (length / area) angle n n^T, n the edge's normal in the plane (Morley's
 * element, which passes the patch test on every mesh; Onate and Cervera 1993 and Grinspun et al. 2006, "Computing
 * discrete shape operators on general meshes", build on the same). How a hinge's angle divides between its two faces is
 * not given by positions alone. The published models let each face have the share of its height. Any division is an
 * upper bound of the energy that the best one has, so where triangles are unlike this is too stiff: by 5 % on grids
 * whose vertices are moved by a fifth of a cell, 13 % at three tenths. Therefore one step towards the best: each edge
 * turns by what makes the moments across it equal, as far as it can without its neighbours knowing, times RELAXATION.
 * That leaves less than 1 % and 3 %.
 *
 * A face so measures its curvature with its own three hinges and the outer two of each neighbour: nine angles of up to
 * twelve vertices, with constant coefficients. Angles have rest values, so the sheet may be pleated, and they do not
 * change under any rigid motion. No moment acts across an edge at a border, or one with more than two faces: what the
 * face turns there is chosen for the least energy. Where rows of vertices are fixed the clamp acts 0.42 of an edge
 * inside the last of them.
 */
#include <string.h>

#include "model/hinge.h"
#include "model/models.h"
#include "model/patch.h"

enum { SHELL_NODES = 12, SHELL_HINGES = 9, OWN_HINGES = 3 };

/* 0.6 to 1 do as well on most meshes; grids whose cells have four triangles want nearly 1. */
#define RELAXATION 0.95

typedef struct shell_rest {
    double weight;                         /* m2 */
    double angle[SHELL_HINGES];            /* at rest, rad */
    double measure[3][SHELL_HINGES];       /* (k11, k22, 2 k12) of the angles, 1/m */
    int32_t node[SHELL_HINGES][WF_HINGE_NODES];
    int32_t hinge[SHELL_HINGES];           /* which of them there are */
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
    memset(strain, 0, 3 * sizeof *strain);
    if (gradient) {
        memset(gradient, 0, 3 * SHELL_NODES * sizeof *gradient);
    }
    for (int32_t k = 0; k < shell->hinge_count; k++) {
        int32_t h = shell->hinge[k];
        wf_vec3 corner[WF_HINGE_NODES], turning[WF_HINGE_NODES];
        gather_hinge(shell, h, x, corner);
        double fold = wf_hinge_fold(wf_hinge_angle(corner, gradient ? turning : NULL), shell->angle[h]);
        for (int s = 0; s < 3; s++) {
            strain[s] += shell->measure[s][h] * fold;
            for (int i = 0; gradient && i < WF_HINGE_NODES; i++) {
                wf_vec3 *entry = &gradient[s * SHELL_NODES + shell->node[h][i]];
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
        double scale = factor[0] * shell->measure[0][h] + factor[1] * shell->measure[1][h] +
                       factor[2] * shell->measure[2][h];
        wf_hinge_add_curvature(corner, scale, shell->node[h], SHELL_NODES, hessian);
    }
}

static const wf_strain_measure measure = {"curvature of a face", SHELL_NODES, 3, sizeof(shell_rest), strains,
                                          add_curvature};

/* ---- a face on its own ----------------------------------------------------------------------------------------- */

typedef struct curvature {
    wf_hinge_site site[3];
    bool present[3];
    double normal[3][3];  /* [edge]: n n^T as (11, 22, 2 x 12) */
    double length[3], area;
    double moduli[3][3];
    double project[3][3]; /* of tensors: to those without moments across free edges */
    double measure[3][3]; /* [edge]: of the angle, times the height's share */
} curvature;

static void times(const double (*matrix)[3], const double *vector, double *result)
{
    for (int i = 0; i < 3; i++) {
        result[i] = matrix[i][0] * vector[0] + matrix[i][1] * vector[1] + matrix[i][2] * vector[2];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds to the projection the free edge with the normal tensor n. What is left of n under the projection so far is the
 * direction that it takes out: those taken out are orthogonal under the moduli. */
static void release_edge(curvature *c, const double n[3])
{
    double left[3], moment[3];
    times((const double(*)[3])c->project, n, left);
    times((const double(*)[3])c->moduli, left, moment);
    double stiffness = dot(left, moment), whole[3];
    times((const double(*)[3])c->moduli, n, whole);
    if (!(stiffness > 1e-9 * dot(n, whole))) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c->project[i][j] -= left[i] * moment[j] / stiffness;
        }
    }
}

static void fill_curvature(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face,
                           curvature *c)
{
    const wf_vec2 *rest = sheet->rest[face];
    memset(c, 0, sizeof *c);
    c->area = wf_shape_of(rest).area;
    wf_fabric_bending_moduli(&sheet->fabrics[wf_sheet_fabric(sheet, face)], c->moduli);
    c->project[0][0] = c->project[1][1] = c->project[2][2] = 1;
    for (int k = 0; k < 3; k++) {
        wf_vec2 edge = wf_vec2_sub(rest[(k + 1) % 3], rest[k]);
        wf_hinge_direction(edge, c->normal[k]);
        c->length[k] = wf_vec2_norm(edge);
        c->present[k] = wf_hinge_over(sheet, neighbours, face, k, &c->site[k]);
        if (!c->present[k]) {
            release_edge(c, c->normal[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        if (c->present[k]) {
            times((const double(*)[3])c->project, c->normal[k], c->measure[k]);
            for (int i = 0; i < 3; i++) {
                c->measure[k][i] /= wf_hinge_width(&c->site[k]);
            }
        }
    }
}

/* The moment across an edge, over the edge's length, as a function of the face's three angles. */
static void edge_moment(const curvature *c, int edge, double moment[3])
{
    double stress[3];
    times((const double(*)[3])c->moduli, c->normal[edge], stress);
    for (int k = 0; k < 3; k++) {
        moment[k] = dot(stress, c->measure[k]);
    }
}

/* ---- a face with its neighbours -------------------------------------------------------------------------------- */

typedef struct element {
    shell_rest shell;
    int32_t *vertices;  /* [SHELL_NODES] */
    wf_vec3 *reference; /* [SHELL_NODES] */
} element;

/* Which of three places of the element a vertex has. */
static int32_t place_of(const int32_t *vertices, int32_t vertex, const int32_t places[3])
{
    return vertices[places[0]] == vertex ? places[0] : vertices[places[1]] == vertex ? places[1] : places[2];
}

/* Adds hinge `slot` of a site. All but its far vertex are at the three places given. */
static void add_hinge(const wf_hinge_site *site, int32_t slot, const int32_t places[3], element *e)
{
    shell_rest *shell = &e->shell;
    for (int i = 0; i < 3; i++) {
        shell->node[slot][i] = place_of(e->vertices, site->vertices[i], places);
    }
    const int32_t *node = shell->node[slot];
    shell->node[slot][3] = 3 + slot;
    e->vertices[3 + slot] = site->vertices[3];
    e->reference[3 + slot] = wf_hinge_unfold(e->reference[node[0]], e->reference[node[1]], e->reference[node[2]],
                                             site->far_foot, site->far_height, site->angle);
    shell->angle[slot] = site->angle;
    shell->hinge[shell->hinge_count++] = slot;
}

/* Turns edge k towards equal moments: what that adds to the measure, and the neighbour's outer hinges. */
static void relax_edge(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int k,
                       const curvature *own, element *e)
{
    shell_rest *shell = &e->shell;
    curvature far;
    int32_t other = neighbours[face][k];
    fill_curvature(sheet, neighbours, other, &far);
    const int32_t *own_corners = sheet->faces[face], *far_corners = sheet->faces[other];
    int back = 1; /* the neighbour's edge opposite the hinge's far vertex */
    while (far_corners[(back + 2) % 3] != own->site[k].vertices[3]) {
        back = (back + 1) % 3;
    }
    double side = far_corners[back] == own_corners[(k + 1) % 3] ? 1 : -1; /* -1: the faces look to opposite sides */
    double own_moment[3], far_moment[3], own_stress[3], far_stress[3];
    edge_moment(own, k, own_moment);
    edge_moment(&far, back, far_moment);
    times((const double(*)[3])own->moduli, own->normal[k], own_stress);
    times((const double(*)[3])far.moduli, far.normal[back], far_stress);
    double length = own->length[k], far_length = far.length[back];
    double stiffness = length * length * dot(own->normal[k], own_stress) / own->area +
                       far_length * far_length * dot(far.normal[back], far_stress) / far.area;
    if (!(stiffness > 0)) {
        return;
    }
    double turned[SHELL_HINGES] = {0}, into[3];
    for (int i = 0; i < 3; i++) {
        turned[i] = -RELAXATION / stiffness * length * own_moment[i];
    }
    turned[k] += RELAXATION / stiffness * far_length * far_moment[back];
    const int32_t places[3] = {k, (k + 1) % 3, 3 + k};
    for (int i = 1; i < 3; i++) {
        int edge = (back + i) % 3;
        int32_t slot = OWN_HINGES + 2 * k + i - 1;
        if (far.present[edge]) {
            add_hinge(&far.site[edge], slot, places, e);
            turned[slot] = side * RELAXATION / stiffness * far_length * far_moment[edge];
        }
    }
    times((const double(*)[3])own->project, own->normal[k], into);
    for (int s = 0; s < 3; s++) {
        for (int h = 0; h < SHELL_HINGES; h++) {
            shell->measure[s][h] += length / own->area * into[s] * turned[h];
        }
    }
}

static bool make_shell(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                       void *rest, wf_vec3 *reference)
{
    (void)k;
    static const int32_t corners[3] = {0, 1, 2};
    curvature own;
    element e = {.shell = {0}, .vertices = vertices, .reference = reference};
    fill_curvature(sheet, user, face, &own);
    e.shell.weight = own.area;
    for (int i = 0; i < SHELL_NODES; i++) {
        const int corner = i < 3 ? i : 0; /* nodes that there are not repeat corner 0 and have no hinge */
        vertices[i] = sheet->faces[face][corner];
        reference[i] = wf_vec3_make(sheet->rest[face][corner].x, sheet->rest[face][corner].y, 0);
    }
    for (int edge = 0; edge < 3; edge++) {
        if (own.present[edge]) {
            add_hinge(&own.site[edge], edge, corners, &e);
            for (int s = 0; s < 3; s++) {
                e.shell.measure[s][edge] += own.measure[edge][s];
            }
        }
    }
    for (int edge = 0; edge < 3; edge++) {
        if (own.present[edge]) {
            relax_edge(sheet, user, face, edge, &own, &e);
        }
    }
    memcpy(rest, &e.shell, sizeof e.shell);
    return true;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "shell", .measure = &measure, .law = &wf_linear_law,
                                            .elements_per_face = 1, .make_element = make_shell,
                                            .make_material = wf_hinge_plate_material, .remembers = true,
                                            .part = WF_HISTORY_BEND};
    return wf_hinge_model_from_sheet(context, &recipe, sheet, model);
}

const wf_model_entry wf_shell = {
    .name = "shell",
    .kind = WF_MODEL_BENDING,
    .folds = true,
    .hysteresis = true,
    .source = "Onate and Cervera 1993, Grinspun et al. 2006, with edges turned to equal moments",
    .create = create,
};
