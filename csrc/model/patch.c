#include "model/patch.h"

#include <string.h>

#include "base/dense.h"
#include "base/symmetric.h"

enum { OWN = 0, FAR = 1, FIELDS = 3, EDGE_HINGES = 5, CUBICS = 4, SURFACES = 3 + CUBICS };

/* Of P; see patch.h. With all of it waves of small, given heights are right. */
#define GRADIENT_SHARE (2.0 / 3)

/* Squares of what hinges measure of a surface, where a curvature, or its change, is 1 over faces of area 1. What they
 * show less of is hardly told from nothing: a fit without such bounds would see much of it where there is little, and
 * resist short waves on irregular meshes a thousand times too much. */
#define LEAST_QUADRATIC 1e-4
#define LEAST_CUBIC 4.0

/* The plate moduli of a fabric, kept invertible where only one direction has none. */
static void fabric_moduli(const wf_fabric *fabric, double moduli[3][3])
{
    wf_fabric bounded = *fabric;
    double least = 1e-6 * fmax(fabric->bend_weft, fabric->bend_warp);
    bounded.bend_weft = fmax(bounded.bend_weft, least);
    bounded.bend_warp = fmax(bounded.bend_warp, least);
    wf_fabric_bending_moduli(&bounded, moduli);
}

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

/* a . moduli b */
static double form(const double a[3], const double (*moduli)[3], const double b[3])
{
    double stress[3];
    times(moduli, b, stress);
    return dot(a, stress);
}

/* ---- a face on its own ----------------------------------------------------------------------------------------- */

typedef struct facet {
    const int32_t *vertices;
    const wf_vec2 *rest;
    wf_hinge_site site[3];
    bool present[3];
    double normal[3][3];  /* [edge]: n n^T as (11, 22, 2 x 12) */
    double length[3], area;
    double moduli[3][3];
    double project[3][3]; /* of tensors: to those without moments across free edges */
    double measure[3][3]; /* [edge]: curvature of the hinge's change of slope where it divides by the heights */
} facet;

/* Adds to the projection the free edge with the normal tensor n. What is left of n under the projection so far is the
 * direction that it takes out: those taken out are orthogonal under the moduli. */
static void release_edge(facet *f, const double n[3])
{
    double left[3], moment[3];
    times((const double(*)[3])f->project, n, left);
    times((const double(*)[3])f->moduli, left, moment);
    double stiffness = dot(left, moment);
    if (!(stiffness > 1e-9 * form(n, (const double(*)[3])f->moduli, n))) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f->project[i][j] -= left[i] * moment[j] / stiffness;
        }
    }
}

static void place_facet(const wf_sheet_faces *sheet, int32_t face, facet *f)
{
    f->vertices = sheet->faces[face];
    f->rest = sheet->rest[face];
    fabric_moduli(&sheet->fabrics[wf_sheet_fabric(sheet, face)], f->moduli);
}

static void fill_facet(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, facet *f)
{
    memset(f, 0, sizeof *f);
    place_facet(sheet, face, f);
    f->area = wf_shape_of(f->rest).area;
    f->project[0][0] = f->project[1][1] = f->project[2][2] = 1;
    for (int k = 0; k < 3; k++) {
        wf_vec2 edge = wf_vec2_sub(f->rest[(k + 1) % 3], f->rest[k]);
        wf_hinge_direction(edge, f->normal[k]);
        f->length[k] = wf_vec2_norm(edge);
        f->present[k] = wf_hinge_over(sheet, neighbours, face, k, &f->site[k]);
        if (!f->present[k]) {
            release_edge(f, f->normal[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        times((const double(*)[3])f->project, f->normal[k], f->measure[k]);
        for (int i = 0; i < 3 && f->present[k]; i++) {
            f->measure[k][i] /= wf_hinge_width(&f->site[k]);
        }
    }
}

/* The change of slope over a hinge as weights of its nodes' heights. */
static void weigh_hinge(const wf_hinge_site *site, double weight[WF_HINGE_NODES])
{
    double own = 1 / site->own_height, far = 1 / site->far_height;
    weight[0] = -own * (1 - site->own_foot) - far * (1 - site->far_foot);
    weight[1] = -own * site->own_foot - far * site->far_foot;
    weight[2] = own;
    weight[3] = far;
}

/* ---- two faces at an edge -------------------------------------------------------------------------------------- */

/* The tensors of curvature across an edge, along it, and of twist, in the frame of one of its faces: of the edge from
 * the vertex `start` on, and of the direction away from the face's far corner or, mirrored, towards it. */
static void edge_tensors(const facet *f, int edge, int32_t start, bool mirrored, double tensor[3][3])
{
    wf_vec2 along = wf_vec2_sub(f->rest[(edge + 1) % 3], f->rest[edge]);
    along = wf_vec2_scale(along, (f->vertices[edge] == start ? 1 : -1) / wf_vec2_norm(along));
    wf_vec2 normal = {along.y, -along.x};
    bool inward = wf_vec2_dot(normal, wf_vec2_sub(f->rest[(edge + 2) % 3], f->rest[edge])) > 0;
    normal = wf_vec2_scale(normal, inward != mirrored ? -1 : 1);
    const double rows[3][3] = {
        {normal.x * normal.x, normal.y * normal.y, 2 * normal.x * normal.y},
        {along.x * along.x, along.y * along.y, 2 * along.x * along.y},
        {2 * normal.x * along.x, 2 * normal.y * along.y, 2 * (normal.x * along.y + normal.y * along.x)},
    };
    memcpy(tensor, rows, sizeof rows);
}

/* The edge of a face that is opposite a vertex. */
static int edge_opposite(const facet *f, int32_t vertex)
{
    return (wf_face_corner(f->vertices, vertex) + 1) % 3;
}

/* Whether the face beyond an edge has the same moduli in the same directions. */
static bool is_alike(const wf_sheet_faces *sheet, const facet *own, int edge, int32_t other)
{
    const wf_hinge_site *site = &own->site[edge];
    double tensor[2][3][3];
    facet far;
    if (site->share == 1) {
        return true;
    }
    place_facet(sheet, other, &far);
    edge_tensors(own, edge, site->vertices[0], false, tensor[OWN]);
    edge_tensors(&far, edge_opposite(&far, site->vertices[3]), site->vertices[0], true, tensor[FAR]);
    double scale = own->moduli[0][0] + own->moduli[1][1], difference = 0;
    for (int i = 0; i < 9; i++) {
        double here = form(tensor[OWN][i / 3], (const double(*)[3])own->moduli, tensor[OWN][i % 3]);
        double there = form(tensor[FAR][i / 3], (const double(*)[3])far.moduli, tensor[FAR][i % 3]);
        difference = fmax(difference, fabs(here - there));
    }
    return difference <= 1e-9 * scale;
}

/* An edge with its two faces in a frame of its own, in units of the root of their area: x along it from its middle, y
 * from the own face to the far one. Fields are heights over it: of curvature across the edge in the own face, along it,
 * and of twist, that bend the far face with the same moment. */
typedef struct edge_view {
    const facet *side[2];
    int edge[2];
    double unit, length;
    wf_vec2 corner[2];
    double across[2][FIELDS];        /* [side] curvature across the edge */
    int32_t count, slot[EDGE_HINGES]; /* of the hinges that there are, the edge's own first */
    int32_t at[2][3];                /* which of them are over the edges of each side, from the common one on, or -1 */
    double row[EDGE_HINGES][FIELDS]; /* their change of slope for each field */
} edge_view;

static void fields_at(const edge_view *view, int side, wf_vec2 p, double field[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        field[i] = 0.5 * view->across[side][i] * p.y * p.y;
    }
    field[1] += 0.5 * p.x * p.x;
    field[2] += p.x * p.y;
}

/* What the far face's curvature across the edge is: of the own moment. */
static void join_moments(edge_view *view, const double (*tensor)[3][3])
{
    const facet *own = view->side[OWN], *far = view->side[FAR];
    double stiffness = form(tensor[FAR][0], (const double(*)[3])far->moduli, tensor[FAR][0]);
    for (int i = 0; i < FIELDS; i++) {
        view->across[OWN][i] = view->across[FAR][i] = i == 0;
        double moment = form(tensor[OWN][0], (const double(*)[3])own->moduli, tensor[OWN][i]);
        if (stiffness > 0) {
            double coupled = i == 0 ? 0 : form(tensor[FAR][0], (const double(*)[3])far->moduli, tensor[FAR][i]);
            view->across[FAR][i] = (moment - coupled) / stiffness;
        }
    }
}

/* Takes out of the fields those with a moment across a free edge of either face: `project` is of their multiples. */
static void release_fields(const edge_view *view, const double (*tensor)[3][3], double project[FIELDS][FIELDS])
{
    for (int i = 0; i < 6; i++) {
        const int side = i / 3, k = i % 3;
        const facet *f = view->side[side];
        double row[FIELDS], left[FIELDS];
        for (int q = 0; q < FIELDS; q++) {
            double curvature[3];
            for (int j = 0; j < 3; j++) {
                curvature[j] = view->across[side][q] * tensor[side][0][j] + (q > 0 ? tensor[side][q][j] : 0);
            }
            row[q] = form(f->normal[k], (const double(*)[3])f->moduli, curvature);
        }
        times((const double(*)[3])project, row, left);
        double norm2 = dot(left, left);
        for (int j = 0; j < 9 && !f->present[k] && norm2 > 1e-6 * dot(row, row); j++) {
            project[j / 3][j % 3] -= left[j / 3] * left[j % 3] / norm2;
        }
    }
}

static int32_t view_hinge(edge_view *view, const wf_hinge_site *site, int far_side, int own_side,
                          const wf_vec2 node[WF_HINGE_NODES], int32_t slot)
{
    double weight[WF_HINGE_NODES], *row = view->row[view->count];
    weigh_hinge(site, weight);
    memset(row, 0, sizeof view->row[0]);
    for (int a = 0; a < WF_HINGE_NODES; a++) {
        double field[FIELDS];
        fields_at(view, a == 3 ? far_side : own_side, node[a], field);
        for (int i = 0; i < FIELDS; i++) {
            row[i] += weight[a] * view->unit * field[i];
        }
    }
    view->slot[view->count] = slot;
    return view->count++;
}

/* The edge's hinge, and those over the others of its faces; slots: of those of each side, in the order of its edges. */
static void view_hinges(edge_view *view, int32_t own_slot, const int32_t (*slots)[2])
{
    const wf_hinge_site *site = &view->side[OWN]->site[view->edge[OWN]];
    const wf_vec2 ends[2] = {{-0.5 * view->length, 0}, {0.5 * view->length, 0}};
    const wf_vec2 middle[WF_HINGE_NODES] = {ends[0], ends[1], view->corner[OWN], view->corner[FAR]};
    view->at[OWN][0] = view->at[FAR][0] = view_hinge(view, site, FAR, OWN, middle, own_slot);
    for (int side = OWN; side <= FAR; side++) {
        const facet *f = view->side[side];
        for (int i = 1; i < 3; i++) {
            int edge = (view->edge[side] + i) % 3;
            wf_vec2 node[WF_HINGE_NODES];
            for (int a = 0; a < 3; a++) {
                int32_t vertex = f->vertices[(edge + a) % 3];
                node[a] = vertex == site->vertices[0]   ? ends[0]
                          : vertex == site->vertices[1] ? ends[1]
                                                        : view->corner[side];
            }
            view->at[side][i] = -1;
            if (f->present[edge]) {
                node[3] = wf_hinge_flat_corner(&f->site[edge], node[0], node[1], node[2]);
                view->at[side][i] = view_hinge(view, &f->site[edge], side, side, node, slots[side][i - 1]);
            }
        }
    }
}

/* Turns the edge until the moments of its faces are equal, the other edges dividing by the heights. */
static void balance_moments(const edge_view *view, double turn[EDGE_HINGES])
{
    double stiffness = 0, change[EDGE_HINGES] = {0};
    for (int side = OWN; side <= FAR; side++) {
        const facet *f = view->side[side];
        int edge = view->edge[side];
        double stress[3], length = f->length[edge];
        times((const double(*)[3])f->moduli, f->normal[edge], stress);
        stiffness += length * length * dot(stress, f->normal[edge]) / f->area;
        for (int i = 0; i < 3; i++) {
            if (view->at[side][i] >= 0) {
                change[view->at[side][i]] += (side == OWN ? -1 : 1) * length * dot(stress, f->measure[(edge + i) % 3]);
            }
        }
    }
    for (int32_t h = 0; h < view->count && stiffness > 0; h++) {
        turn[h] += change[h] / stiffness;
    }
}

/* Adds the least coefficients with which the turn of all fields is right: of the sheet's slope over the edge's middle,
 * which is zero, to the own face's. */
static void correct_turn(const edge_view *view, const double (*project)[FIELDS], double turn[EDGE_HINGES])
{
    const wf_hinge_site *site = &view->side[OWN]->site[view->edge[OWN]];
    double matrix[EDGE_HINGES * EDGE_HINGES] = {0}, right[EDGE_HINGES] = {0}, change[EDGE_HINGES], missing[FIELDS];
    double corner[FIELDS], start[FIELDS], end[FIELDS];
    size_t count = (size_t)view->count, rows[EDGE_HINGES];
    fields_at(view, OWN, view->corner[OWN], corner);
    fields_at(view, OWN, (wf_vec2){-0.5 * view->length, 0}, start);
    fields_at(view, OWN, (wf_vec2){0.5 * view->length, 0}, end);
    for (int q = 0; q < FIELDS; q++) {
        double foot = (1 - site->own_foot) * start[q] + site->own_foot * end[q];
        missing[q] = (corner[q] - foot) * view->unit / site->own_height;
        for (size_t h = 0; h < count; h++) {
            missing[q] -= turn[h] * view->row[h][q];
        }
    }
    for (int q = 0; q < FIELDS; q++) {
        double row[EDGE_HINGES], wanted = dot(project[q], missing);
        for (size_t h = 0; h < count; h++) {
            row[h] = dot(project[q], view->row[h]);
        }
        for (size_t h = 0; h < count; h++) {
            right[h] += row[h] * wanted;
            for (size_t i = 0; i < count; i++) {
                matrix[h * count + i] += row[h] * row[i];
            }
        }
    }
    for (size_t h = 0; h < count; h++) {
        matrix[h * count + h] += LEAST_QUADRATIC;
    }
    if (wf_dense_factor(count, matrix, rows)) {
        wf_dense_solve(count, matrix, rows, right, change);
        for (size_t h = 0; h < count; h++) {
            turn[h] += change[h];
        }
    }
}

/* turn [WF_PATCH_HINGES]: what the own face turns to the middle of its edge k, of the hinges' changes of slope. */
static void find_turn(const facet *own, int k, const facet *far, int back, double *turn)
{
    const wf_hinge_site *site = &own->site[k];
    edge_view view = {.side = {own, far}, .edge = {k, back}, .unit = sqrt(own->area + far->area)};
    view.length = 0.5 * (own->length[k] + far->length[back]) / view.unit;
    view.corner[OWN] = (wf_vec2){(site->own_foot - 0.5) * view.length, -site->own_height / view.unit};
    view.corner[FAR] = (wf_vec2){(site->far_foot - 0.5) * view.length, site->far_height / view.unit};
    double tensor[2][3][3], project[FIELDS][FIELDS] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    edge_tensors(own, k, site->vertices[0], false, tensor[OWN]);
    edge_tensors(far, back, site->vertices[0], true, tensor[FAR]);
    join_moments(&view, (const double(*)[3][3])tensor);
    release_fields(&view, (const double(*)[3][3])tensor, project);
    const int32_t slots[2][2] = {{(k + 1) % 3, (k + 2) % 3}, {3 + 2 * k, 4 + 2 * k}};
    view_hinges(&view, k, slots);
    double found[EDGE_HINGES] = {site->own_height / (site->own_height + site->far_height)};
    balance_moments(&view, found);
    correct_turn(&view, (const double(*)[FIELDS])project, found);
    for (int32_t h = 0; h < view.count; h++) {
        turn[view.slot[h]] = found[h];
    }
}

/* ---- a face with its neighbours -------------------------------------------------------------------------------- */

typedef struct surroundings {
    facet own, far[3];
    int back[3]; /* which of the neighbour's edges is the common one */
    bool alike;  /* all of one fabric and grain */
    double turn[3][WF_PATCH_HINGES];
} surroundings;

static void add_hinge(const wf_hinge_site *site, int32_t slot, const int32_t places[3], wf_patch *patch)
{
    wf_patch_hinge *hinge = &patch->hinge[slot];
    const wf_vec2 *at = patch->place;
    for (int i = 0; i < 3; i++) {
        int32_t j = 0;
        while (j < 2 && patch->vertices[places[j]] != site->vertices[i]) {
            j++;
        }
        hinge->node[i] = places[j];
    }
    const int32_t *node = hinge->node;
    hinge->node[3] = 3 + slot;
    patch->vertices[3 + slot] = site->vertices[3];
    patch->place[3 + slot] = wf_hinge_flat_corner(site, at[node[0]], at[node[1]], at[node[2]]);
    weigh_hinge(site, hinge->weight);
    hinge->far_foot = site->far_foot;
    hinge->far_height = site->far_height;
    hinge->angle = site->angle;
    hinge->side = 1;
    hinge->present = true;
}

static void add_neighbour(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int k,
                          surroundings *s, wf_patch *patch)
{
    const facet *own = &s->own;
    facet *far = &s->far[k];
    int32_t other = neighbours[face][k];
    fill_facet(sheet, neighbours, other, far);
    int back = edge_opposite(far, own->site[k].vertices[3]);
    s->back[k] = back;
    s->alike = s->alike && is_alike(sheet, own, k, other);
    const int32_t places[3] = {k, (k + 1) % 3, 3 + k};
    for (int i = 1; i < 3; i++) {
        int edge = (back + i) % 3;
        int32_t slot = 3 + 2 * k + i - 1;
        if (far->present[edge]) {
            add_hinge(&far->site[edge], slot, places, patch);
            patch->hinge[slot].side = far->vertices[back] == own->vertices[(k + 1) % 3] ? 1 : -1;
            s->alike = s->alike && is_alike(sheet, far, edge, neighbours[other][edge]);
        }
    }
}

static void measure_curvature(const surroundings *s, wf_patch *patch)
{
    for (int k = 0; k < 3; k++) {
        double into[3];
        times((const double(*)[3])s->own.project, s->own.normal[k], into);
        for (int h = 0; h < WF_PATCH_HINGES; h++) {
            for (int i = 0; i < 3; i++) {
                patch->measure[i][h] += s->own.length[k] / s->own.area * into[i] * s->turn[k][h];
            }
        }
    }
}

/* ---- the change of curvature ----------------------------------------------------------------------------------- */

#define ROOT2 1.4142135623730951
#define ROOT3 1.7320508075688772

/* Surfaces x^2 / 2, y^2 / 2, x y / sqrt(2), x^3, sqrt(3) x^2 y, sqrt(3) x y^2, y^3 around the face's middle, in units
 * of the root of its area. Their multiples turn with the frame like vectors, so that no frame is preferred. */
static void surfaces_at(wf_vec2 p, double surface[SURFACES])
{
    const double values[SURFACES] = {
        0.5 * p.x * p.x, 0.5 * p.y * p.y, p.x * p.y / ROOT2, p.x * p.x * p.x, ROOT3 * p.x * p.x * p.y,
        ROOT3 * p.x * p.y * p.y, p.y * p.y * p.y};
    memcpy(surface, values, sizeof values);
}

/* The derivatives of (k11, k22, 2 k12) of the cubic ones along x and y. */
static const double slope[2][3][CUBICS] = {{{6, 0, 0, 0}, {0, 0, 2 * ROOT3, 0}, {0, 4 * ROOT3, 0, 0}},
                                           {{0, 2 * ROOT3, 0, 0}, {0, 0, 0, 6}, {0, 0, 4 * ROOT3, 0}}};

static wf_vec2 cubic_gradient(int q, wf_vec2 p)
{
    switch (q) {
        case 0:
            return (wf_vec2){3 * p.x * p.x, 0};
        case 1:
            return (wf_vec2){2 * ROOT3 * p.x * p.y, ROOT3 * p.x * p.x};
        case 2:
            return (wf_vec2){ROOT3 * p.y * p.y, 2 * ROOT3 * p.x * p.y};
        default:
            return (wf_vec2){0, 3 * p.y * p.y};
    }
}

typedef struct fit {
    double unit;
    wf_vec2 middle, place[WF_PATCH_VERTICES]; /* of the face, m; of the vertices around it, in units */
    double row[WF_PATCH_HINGES][SURFACES];      /* the hinges' change of slope of each surface */
    double cubic[CUBICS][WF_PATCH_HINGES];    /* the cubic surface of the hinges' changes of slope */
} fit;

/* The cubic part of least squares, from the normal matrix. What is left of the cubic surfaces beside quadratic ones has
 * the normal matrix n; (n n + least^2)^-1 n in place of its inverse keeps what hinges show well and leaves the rest. */
static bool solve_fit(const double matrix[SURFACES * SURFACES], fit *f)
{
    enum { N = CUBICS };
    double quadratic[9], mixed[3][N], n[N * N], square[N * N], column[3];
    size_t rows[N];
    for (int i = 0; i < 9; i++) {
        quadratic[i] = matrix[i / 3 * SURFACES + i % 3] + (i % 4 == 0 ? 1e-9 : 0);
    }
    if (!wf_dense_factor(3, quadratic, rows)) {
        return false;
    }
    for (int q = 0; q < N; q++) {
        double right[3];
        for (int i = 0; i < 3; i++) {
            right[i] = matrix[i * SURFACES + 3 + q];
        }
        wf_dense_solve(3, quadratic, rows, right, column);
        for (int i = 0; i < 3; i++) {
            mixed[i][q] = column[i];
        }
    }
    for (int q = 0; q < N; q++) {
        for (int r = 0; r < N; r++) {
            n[q * N + r] = matrix[(3 + q) * SURFACES + 3 + r];
            for (int i = 0; i < 3; i++) {
                n[q * N + r] -= matrix[(3 + q) * SURFACES + i] * mixed[i][r];
            }
        }
    }
    for (int q = 0; q < N; q++) {
        for (int r = 0; r < N; r++) {
            square[q * N + r] = q == r ? LEAST_CUBIC * LEAST_CUBIC : 0;
            for (int i = 0; i < N; i++) {
                square[q * N + r] += n[q * N + i] * n[i * N + r];
            }
        }
    }
    bool regular = wf_dense_factor(N, square, rows);
    for (int h = 0; h < WF_PATCH_HINGES && regular; h++) {
        double shown[N], right[N] = {0}, cubic[N];
        for (int q = 0; q < N; q++) {
            shown[q] = f->row[h][3 + q];
            for (int i = 0; i < 3; i++) {
                shown[q] -= mixed[i][q] * f->row[h][i];
            }
        }
        for (int q = 0; q < N; q++) {
            for (int i = 0; i < N; i++) {
                right[q] += n[q * N + i] * shown[i];
            }
        }
        wf_dense_solve(N, square, rows, right, cubic);
        for (int q = 0; q < N; q++) {
            f->cubic[q][h] = cubic[q];
        }
    }
    return regular;
}

/* The surface of least squares; cubic parts that the hinges hardly show are nearly zero. */
static bool fit_surface(const wf_patch *patch, fit *f)
{
    double matrix[SURFACES * SURFACES] = {0};
    f->unit = sqrt(patch->area);
    f->middle = wf_vec2_scale(wf_vec2_add(wf_vec2_add(patch->place[0], patch->place[1]), patch->place[2]), 1.0 / 3);
    memset(f->row, 0, sizeof f->row);
    for (int a = 0; a < WF_PATCH_VERTICES; a++) {
        f->place[a] = wf_vec2_scale(wf_vec2_sub(patch->place[a], f->middle), 1 / f->unit);
    }
    for (int h = 0; h < WF_PATCH_HINGES; h++) {
        const wf_patch_hinge *hinge = &patch->hinge[h];
        for (int a = 0; a < WF_HINGE_NODES && hinge->present; a++) {
            double surface[SURFACES];
            surfaces_at(f->place[hinge->node[a]], surface);
            for (int q = 0; q < SURFACES; q++) {
                f->row[h][q] += hinge->weight[a] * f->unit * surface[q];
            }
        }
        for (int q = 0; q < SURFACES; q++) {
            for (int r = 0; r < SURFACES; r++) {
                matrix[q * SURFACES + r] += f->row[h][q] * f->row[h][r];
            }
        }
    }
    return solve_fit(matrix, f);
}

/* By how much the face's turn to the middle of its edge k is wrong for each cubic surface. */
static void turn_errors(const surroundings *s, const fit *f, int k, double error[CUBICS])
{
    static const double gauss = 0.28867513459481287; /* sqrt(1/12) */
    const wf_hinge_site *site = &s->own.site[k];
    wf_vec2 a = f->place[k], b = f->place[(k + 1) % 3], c = f->place[(k + 2) % 3], edge = wf_vec2_sub(b, a);
    wf_vec2 middle = wf_vec2_scale(wf_vec2_add(a, b), 0.5), normal = {edge.y, -edge.x};
    double outward = wf_vec2_dot(normal, wf_vec2_sub(c, a)) > 0 ? -1 : 1;
    normal = wf_vec2_scale(normal, outward / wf_vec2_norm(edge));
    double start[SURFACES], end[SURFACES], corner[SURFACES];
    surfaces_at(a, start);
    surfaces_at(b, end);
    surfaces_at(c, corner);
    for (int q = 0; q < CUBICS; q++) {
        int i = 3 + q;
        wf_vec2 before = cubic_gradient(q, wf_vec2_sub(middle, wf_vec2_scale(edge, gauss)));
        wf_vec2 after = cubic_gradient(q, wf_vec2_add(middle, wf_vec2_scale(edge, gauss)));
        double foot = (1 - site->own_foot) * start[i] + site->own_foot * end[i];
        error[q] = -0.5 * wf_vec2_dot(normal, wf_vec2_add(before, after)) -
                   (corner[i] - foot) * f->unit / site->own_height;
        for (int h = 0; h < WF_PATCH_HINGES; h++) {
            error[q] += s->turn[k][h] * f->row[h][i];
        }
    }
}

/* P of the cubic surfaces, N m: what a sheet's energy has beside that of its faces' curvatures, over their area. With
 * the curvature k0 in the middle of a face and g its gradient, that is g (second moments of the triangle) g; and as the
 * face measures k0 + e, e of the errors of its turns, minus 2 k0 e + e e. Neighbours' errors are opposite: of the first
 * there is left what k0 differs by between them, half of it for each. */
static void missing_energy(const surroundings *s, const fit *f, const wf_patch *patch, double p[CUBICS * CUBICS])
{
    const double (*moduli)[3] = (const double(*)[3])patch->moduli;
    double moment[2][2] = {{0}}, error[3][CUBICS] = {{0}}, normals[3][CUBICS] = {{0}};
    double steps[CUBICS][CUBICS] = {{0}};
    for (int a = 0; a < 3; a++) {
        const double at[2] = {f->place[a].x, f->place[a].y};
        for (int i = 0; i < 4; i++) {
            moment[i / 2][i % 2] += at[i / 2] * at[i % 2] / 12;
        }
    }
    for (int k = 0; k < 3; k++) {
        double turn[CUBICS], length = s->own.length[k] / f->unit;
        wf_vec2 far = wf_vec2_add(wf_vec2_add(f->place[k], f->place[(k + 1) % 3]), f->place[3 + k]);
        const double away[2] = {-far.x / 3, -far.y / 3};
        turn_errors(s, f, k, turn);
        for (int q = 0; q < CUBICS; q++) {
            double difference[3];
            for (int i = 0; i < 3; i++) {
                error[i][q] += length * s->own.normal[k][i] * turn[q];
                difference[i] = away[0] * slope[0][i][q] + away[1] * slope[1][i][q];
            }
            normals[k][q] = length * form(s->own.normal[k], moduli, difference);
        }
        for (int q = 0; q < CUBICS; q++) {
            for (int r = 0; r < CUBICS; r++) {
                steps[q][r] += 0.5 * (turn[q] * normals[k][r] + turn[r] * normals[k][q]);
            }
        }
    }
    for (int q = 0; q < CUBICS; q++) {
        for (int r = 0; r < CUBICS; r++) {
            double sum = -steps[q][r];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    sum -= error[i][q] * moduli[i][j] * error[j][r];
                    for (int d = 0; d < 4; d++) {
                        sum += moment[d / 2][d % 2] * slope[d / 2][i][q] * moduli[i][j] * slope[d % 2][j][r];
                    }
                }
            }
            p[q * CUBICS + r] = sum;
        }
    }
}

/* p = l l^T of a semidefinite matrix */
static void factor(const double p[CUBICS * CUBICS], double l[CUBICS][CUBICS])
{
    double trace = 0;
    for (int q = 0; q < CUBICS; q++) {
        trace += p[q * CUBICS + q];
    }
    memset(l, 0, CUBICS * sizeof *l);
    for (int q = 0; q < CUBICS; q++) {
        for (int r = q; r < CUBICS; r++) {
            double sum = p[r * CUBICS + q];
            for (int i = 0; i < q; i++) {
                sum -= l[r][i] * l[q][i];
            }
            if (r == q && !(sum > 1e-12 * trace)) {
                break;
            }
            l[r][q] = r == q ? sqrt(sum) : sum / l[q][q];
        }
    }
}

static void measure_gradient(const surroundings *s, wf_patch *patch)
{
    fit f;
    double p[CUBICS * CUBICS], l[CUBICS][CUBICS];
    if (!s->alike || !fit_surface(patch, &f)) {
        return;
    }
    missing_energy(s, &f, patch, p);
    wf_symmetric_clamp(CUBICS, p);
    factor(p, l);
    for (int i = 0; i < CUBICS; i++) {
        for (int h = 0; h < WF_PATCH_HINGES; h++) {
            double sum = 0;
            for (int q = i; q < CUBICS; q++) {
                sum += l[q][i] * f.cubic[q][h];
            }
            patch->measure[3 + i][h] = sqrt(GRADIENT_SHARE) * sum / f.unit;
        }
    }
}

void wf_patch_fill(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, wf_patch *patch)
{
    static const int32_t corners[3] = {0, 1, 2};
    surroundings s = {.alike = true};
    memset(patch, 0, sizeof *patch);
    fill_facet(sheet, neighbours, face, &s.own);
    patch->area = s.own.area;
    memcpy(patch->moduli, s.own.moduli, sizeof patch->moduli);
    for (int i = 0; i < WF_PATCH_VERTICES; i++) {
        int corner = i < 3 ? i : 0;
        patch->vertices[i] = sheet->faces[face][corner];
        patch->place[i] = sheet->rest[face][corner];
    }
    for (int k = 0; k < 3; k++) {
        s.alike &= s.own.present[k];
        if (s.own.present[k]) {
            add_hinge(&s.own.site[k], k, corners, patch);
            add_neighbour(sheet, neighbours, face, k, &s, patch);
            find_turn(&s.own, k, &s.far[k], s.back[k], s.turn[k]);
        }
    }
    measure_curvature(&s, patch);
    measure_gradient(&s, patch);
}
