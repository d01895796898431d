/* loop_shell.c - bending of the smooth surface that Loop's subdivision makes of the mesh (Cirak, Ortiz and Schroeder
 * 2000, "Subdivision surfaces: a new paradigm for thin-shell finite-element analysis").
 *
 * A face of the limit surface is a combination of the vertices around its own three. At its barycentre, the one point
 * of quadrature, that is known exactly on every mesh: one step of subdivision makes the face's middle child regular,
 * whose twelve vertices carry a quartic box spline. So each element has constant coefficients of the two tangents and
 * of the second derivatives along weft and warp at rest, and with the unit normal n of the tangents the strains are
 * (x_11 . n, x_22 . n, 2 x_12 . n): the curvature tensor, for a flat rest shape, under the plate's law.
 *
 * Borders are creases of the subdivision; past them lie ghosts, each the mirror image of a vertex over an edge. What
 * moves is the control mesh: fixed vertices do not fix the surface's points, and where three rows of them are fixed the
 * clamp acts 0.85 of an edge inside the last. One point is enough where most vertices have six neighbours, and 4 %
 * wrong on grids whose cells have four triangles.
 */
#include <string.h>

#include "model/hinge.h"
#include "model/incidence.h"
#include "model/models.h"

enum { CHILD_NODES = 12, MOST_NEIGHBOURS = 24 };

typedef struct loop_rest {
    double weight;                   /* m2 */
    int32_t stride;                  /* the measure's node count */
    double tangent[2][WF_MAX_NODES]; /* 1/m */
    double second[3][WF_MAX_NODES];  /* 11, 22, twice 12; 1/m2 */
} loop_rest;

/* ---- the measure ----------------------------------------------------------------------------------------------- */

typedef struct frame {
    wf_vec3 tangent[2], normal;
    double size; /* of the tangents' cross product, 1 at rest */
} frame;

/* Tangents whose cross product is less have no normal to speak of. */
#define LEAST_SIZE 1e-9

static wf_vec3 combine(const double *weights, int32_t count, const wf_vec3 *x)
{
    wf_vec3 sum = {0, 0, 0};
    for (int32_t i = 1; i < count; i++) {
        sum = wf_vec3_muladds(sum, wf_vec3_sub(x[i], x[0]), weights[i]);
    }
    return sum;
}

static bool frame_of(const loop_rest *rest, const wf_vec3 *x, frame *f)
{
    f->tangent[0] = combine(rest->tangent[0], rest->stride, x);
    f->tangent[1] = combine(rest->tangent[1], rest->stride, x);
    wf_vec3 cross = wf_vec3_cross(f->tangent[0], f->tangent[1]);
    f->size = wf_vec3_norm(cross);
    if (!(f->size > LEAST_SIZE)) {
        return false;
    }
    f->normal = wf_vec3_scale(cross, 1 / f->size);
    return true;
}

static void strains(const void *rest, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const loop_rest *loop = rest;
    int32_t nodes = loop->stride;
    frame f;
    memset(strain, 0, 3 * sizeof *strain);
    if (gradient) {
        memset(gradient, 0, 3 * (size_t)nodes * sizeof *gradient);
    }
    if (!frame_of(loop, x, &f)) {
        return;
    }
    for (int s = 0; s < 3; s++) {
        wf_vec3 second = combine(loop->second[s], nodes, x);
        strain[s] = wf_vec3_dot(second, f.normal);
        /* the derivative by the cross product, and by the tangents */
        wf_vec3 tilt = wf_vec3_scale(wf_vec3_muladds(second, f.normal, -strain[s]), 1 / f.size);
        wf_vec3 by_first = wf_vec3_cross(f.tangent[1], tilt), by_other = wf_vec3_cross(tilt, f.tangent[0]);
        for (int32_t i = 0; gradient && i < nodes; i++) {
            wf_vec3 sum = wf_vec3_scale(f.normal, loop->second[s][i]);
            sum = wf_vec3_muladds(sum, by_first, loop->tangent[0][i]);
            gradient[s * nodes + i] = wf_vec3_muladds(sum, by_other, loop->tangent[1][i]);
        }
    }
}

/* scale [u]x: the matrix of the product with u from the left */
static wf_mat3 cross_matrix(wf_vec3 u, double scale)
{
    return (wf_mat3){{{0, -scale * u.z, scale * u.y}, {scale * u.z, 0, -scale * u.x}, {-scale * u.y, scale * u.x, 0}}};
}

/* Of W . n, W the factors' sum of second derivatives and n = c / |c|, c = t1 x t2:
 *     d2 (W . n) = dW . dn + dc . H dc + g . d2c,  g = (W - (W . n) n) / |c|,
 *     H = (3 (W . n) n n^T - (W . n) 1 - W n^T - n W^T) / c^2. */
static void add_curvature(const void *rest, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const loop_rest *loop = rest;
    int32_t nodes = loop->stride;
    double weight[WF_MAX_NODES];
    frame f;
    if (!frame_of(loop, x, &f)) {
        return;
    }
    for (int32_t i = 0; i < nodes; i++) {
        weight[i] = factor[0] * loop->second[0][i] + factor[1] * loop->second[1][i] + factor[2] * loop->second[2][i];
    }
    wf_vec3 sum = combine(weight, nodes, x), n = f.normal;
    double along = wf_vec3_dot(sum, n), over = 1 / (f.size * f.size);
    wf_vec3 tilt = wf_vec3_scale(wf_vec3_muladds(sum, n, -along), 1 / f.size);
    wf_mat3 inner = wf_mat3_identity_plus_outer(-along * over, 3 * along * over, n, n);
    inner = wf_mat3_muladds(inner, wf_mat3_identity_plus_outer(0, 1, sum, n), -over);
    inner = wf_mat3_muladds(inner, wf_mat3_identity_plus_outer(0, 1, n, sum), -over);
    const wf_mat3 turn[2] = {cross_matrix(f.tangent[1], -1), cross_matrix(f.tangent[0], 1)}; /* dc / dt */
    const wf_mat3 across = wf_mat3_identity_plus_outer(1 / f.size, -1 / f.size, n, n);
    wf_mat3 tip[2], pair[2][2]; /* dn / dt, and the second derivatives by two tangents */
    for (int a = 0; a < 2; a++) {
        tip[a] = wf_mat3_product(across, turn[a]);
        for (int b = 0; b < 2; b++) {
            pair[a][b] = wf_mat3_product(wf_mat3_transpose(turn[a]), wf_mat3_product(inner, turn[b]));
        }
    }
    pair[0][1] = wf_mat3_muladds(pair[0][1], cross_matrix(tilt, 1), -1);
    pair[1][0] = wf_mat3_muladds(pair[1][0], cross_matrix(tilt, 1), 1);
    const wf_mat3 back[2] = {wf_mat3_transpose(tip[0]), wf_mat3_transpose(tip[1])};
    for (int32_t i = 0; i < nodes; i++) {
        for (int32_t j = 0; j < nodes; j++) {
            wf_mat3 block = hessian[i * nodes + j];
            for (int a = 0; a < 2; a++) {
                block = wf_mat3_muladds(block, tip[a], weight[i] * loop->tangent[a][j]);
                block = wf_mat3_muladds(block, back[a], loop->tangent[a][i] * weight[j]);
                for (int b = 0; b < 2; b++) {
                    block = wf_mat3_muladds(block, pair[a][b], loop->tangent[a][i] * loop->tangent[b][j]);
                }
            }
            hessian[i * nodes + j] = block;
        }
    }
}

/* Sheets whose vertices have few neighbours get elements of fewer nodes. */
enum { FEW_NODES = 16 };

static const wf_strain_measure few = {"curvature of a limit surface", FEW_NODES, 3, sizeof(loop_rest), strains,
                                      add_curvature};
static const wf_strain_measure many = {"curvature of a limit surface", WF_MAX_NODES, 3, sizeof(loop_rest), strains,
                                       add_curvature};

/* ---- the vertices around a face -------------------------------------------------------------------------------- */

typedef struct loop_sheet {
    wf_incidence incidence;
    int32_t stride;
} loop_sheet;

typedef struct ring {
    const wf_sheet_faces *sheet;
    const wf_incidence *incidence;
    int32_t face;
    int32_t vertex[WF_MAX_NODES];
    wf_vec2 place[WF_MAX_NODES]; /* unfolded into the face's plane */
    bool placed[WF_MAX_NODES];
    int32_t count;
    bool overflow;
} ring;

typedef double row[WF_MAX_NODES]; /* a point's weights of the ring's vertices */

static int32_t index_of(ring *r, int32_t vertex)
{
    for (int32_t i = 0; i < r->count; i++) {
        if (r->vertex[i] == vertex) {
            return i;
        }
    }
    if (r->count == WF_MAX_NODES) {
        r->overflow = true;
        return 0;
    }
    r->vertex[r->count] = vertex;
    return r->count++;
}

/* The far vertices of the faces over an edge; their number. */
static int32_t far_vertices(const ring *r, int32_t a, int32_t b, int32_t far[2])
{
    int32_t count = 0;
    for (int32_t k = r->incidence->start[a]; k < r->incidence->start[a + 1]; k++) {
        const int32_t *face = r->sheet->faces[r->incidence->corner[k] / 3];
        if (wf_face_corner(face, b) >= 0) {
            if (count < 2) {
                far[count] = face[3 - wf_face_corner(face, a) - wf_face_corner(face, b)];
            }
            count++;
        }
    }
    return count;
}

static void edge_point(ring *r, int32_t a, int32_t b, row weights)
{
    int32_t far[2];
    bool inner = far_vertices(r, a, b, far) == 2;
    memset(weights, 0, sizeof(row));
    weights[index_of(r, a)] += inner ? 0.375 : 0.5;
    weights[index_of(r, b)] += inner ? 0.375 : 0.5;
    for (int k = 0; inner && k < 2; k++) {
        weights[index_of(r, far[k])] += 0.125;
    }
}

static void vertex_point(ring *r, int32_t vertex, row weights)
{
    int32_t neighbour[MOST_NEIGHBOURS], faces[MOST_NEIGHBOURS], count = 0, border = 0;
    for (int32_t k = r->incidence->start[vertex]; k < r->incidence->start[vertex + 1]; k++) {
        const int32_t *face = r->sheet->faces[r->incidence->corner[k] / 3];
        for (int c = 0; c < 3; c++) {
            int32_t i = 0;
            while (i < count && neighbour[i] != face[c]) {
                i++;
            }
            if (face[c] == vertex || i == MOST_NEIGHBOURS) {
                r->overflow |= i == MOST_NEIGHBOURS;
                continue;
            }
            neighbour[i] = face[c];
            faces[i] = i < count ? faces[i] + 1 : 1;
            count = i < count ? count : count + 1;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        border += faces[i] != 2;
    }
    double cosine = 0.375 + 0.25 * cos(2 * 3.14159265358979323846 / count);
    double share = border == 0 ? (0.625 - cosine * cosine) / count : border == 2 ? 0.125 : 0;
    memset(weights, 0, sizeof(row));
    for (int32_t i = 0; i < count; i++) {
        if (share > 0 && (border == 0 || faces[i] != 2)) {
            weights[index_of(r, neighbour[i])] += share;
            weights[index_of(r, vertex)] -= share;
        }
    }
    weights[index_of(r, vertex)] += 1;
}

/* The corner k of a face whose other two have places, in the plane of the own face. */
static wf_vec2 unfold_corner(const ring *r, int32_t face, int k, wf_vec2 p, wf_vec2 q)
{
    const wf_vec2 *rest = r->sheet->rest[face], *own = r->sheet->rest[r->face];
    wf_vec2 edge = wf_vec2_sub(rest[(k + 2) % 3], rest[(k + 1) % 3]), arm = wf_vec2_sub(rest[k], rest[(k + 1) % 3]);
    wf_vec2 to = wf_vec2_sub(q, p);
    double over = 1 / wf_vec2_dot(edge, edge), up = wf_vec2_cross(edge, arm) * over;
    double turned = up * wf_vec2_cross(wf_vec2_sub(own[1], own[0]), wf_vec2_sub(own[2], own[0])) > 0 ? 1 : -1;
    double sign = up > 0 ? turned : -turned; /* the side that the own face has of its edges */
    return wf_vec2_add(wf_vec2_add(p, wf_vec2_scale(to, wf_vec2_dot(arm, edge) * over)),
                       wf_vec2_scale((wf_vec2){-to.y, to.x}, fabs(up) * sign));
}

/* From face to face around the own one's corners, until nothing is left. */
static void unfold(ring *r)
{
    for (bool more = true; more;) {
        more = false;
        for (int c = 0; c < 3; c++) {
            int32_t vertex = r->sheet->faces[r->face][c];
            for (int32_t k = r->incidence->start[vertex]; k < r->incidence->start[vertex + 1]; k++) {
                int32_t face = r->incidence->corner[k] / 3, at[3], missing = 0, last = 0;
                for (int i = 0; i < 3; i++) {
                    at[i] = index_of(r, r->sheet->faces[face][i]);
                    if (!r->placed[at[i]]) {
                        missing++;
                        last = i;
                    }
                }
                if (missing == 1) {
                    r->place[at[last]] = unfold_corner(r, face, last, r->place[at[(last + 1) % 3]],
                                                       r->place[at[(last + 2) % 3]]);
                    r->placed[at[last]] = more = true;
                }
            }
        }
    }
}

/* ---- the middle child ------------------------------------------------------------------------------------------ */

/* Derivatives of the twelve box splines at the barycentre along the child's two edges from its first vertex, in the
 * order of Stam (1998): times 162 the first, 9 the second, 18 the mixed one. */
static const double spline_tangent[2][CHILD_NODES] = {{-4, -5, 0, -78, -30, 4, 78, 0, -1, 5, 30, 1},
                                                      {-5, -4, -30, -78, 0, -1, 0, 78, 4, 1, 30, 5}};
static const double spline_second[3][CHILD_NODES] = {{1, 2, -2, -2, 4, 1, -2, -8, 0, 2, 4, 0},
                                                     {2, 1, 4, -2, -2, 0, -8, -2, 1, 0, 4, 2},
                                                     {1.5, 1.5, -1, 2, -1, -0.5, -4, -4, -0.5, 0.5, 5, 0.5}};

static void mirror(const row a, const row b, const row over, row weights)
{
    for (int i = 0; i < WF_MAX_NODES; i++) {
        weights[i] = a[i] + b[i] - over[i];
    }
}

/* The two points beyond edge k of the face, next to its first and its second end: of the face there, or ghosts. */
static void points_beyond(ring *r, int k, const row middle[3], const row end[3], row first, row second)
{
    const int32_t *corner = r->sheet->faces[r->face];
    int next = (k + 1) % 3, opposite = (k + 2) % 3;
    int32_t far[2], a = corner[k], b = corner[next];
    if (far_vertices(r, a, b, far) == 2) {
        int32_t beyond = far[0] == corner[opposite] ? far[1] : far[0];
        edge_point(r, a, beyond, first);
        edge_point(r, b, beyond, second);
    } else {
        mirror(end[k], middle[k], middle[opposite], first);
        mirror(end[next], middle[k], middle[next], second);
    }
}

static void fill_child(ring *r, row child[CHILD_NODES])
{
    const int32_t *corner = r->sheet->faces[r->face];
    row middle[3], end[3];
    for (int k = 0; k < 3; k++) {
        edge_point(r, corner[k], corner[(k + 1) % 3], middle[k]);
        vertex_point(r, corner[k], end[k]);
    }
    static const int middle_at[3] = {3, 6, 7}, end_at[3] = {4, 2, 10};
    static const int beyond_at[3][2] = {{1, 0}, {5, 9}, {11, 8}};
    for (int k = 0; k < 3; k++) {
        memcpy(child[middle_at[k]], middle[k], sizeof(row));
        memcpy(child[end_at[k]], end[k], sizeof(row));
        points_beyond(r, k, (const row *)middle, (const row *)end, child[beyond_at[k][0]], child[beyond_at[k][1]]);
    }
}

/* From derivatives along the child's edges to those along weft and warp. With X the rest coordinates,
 * f,ab = X_i,a X_j,b f,ij + X_k,ab f,k. */
static bool fill_rest(const ring *r, const row child[CHILD_NODES], loop_rest *loop)
{
    row first[2] = {{0}}, second[3] = {{0}};
    wf_vec2 x_first[2] = {{0}}, x_second[3] = {{0}};
    for (int32_t i = 0; i < r->count; i++) {
        for (int c = 0; c < CHILD_NODES; c++) {
            for (int s = 0; s < 3; s++) {
                second[s][i] += spline_second[s][c] / 9 * child[c][i];
                first[s % 2][i] += s < 2 ? spline_tangent[s][c] / 162 * child[c][i] : 0;
            }
        }
        for (int s = 0; s < 3; s++) {
            x_second[s] = wf_vec2_add(x_second[s], wf_vec2_scale(r->place[i], second[s][i]));
            x_first[s % 2] = s < 2 ? wf_vec2_add(x_first[s], wf_vec2_scale(r->place[i], first[s][i])) : x_first[s % 2];
        }
    }
    double determinant = wf_vec2_cross(x_first[0], x_first[1]);
    if (!(fabs(determinant) > 0)) {
        return false;
    }
    /* inverse[a][i] = d theta_a / d X_i */
    const double inverse[2][2] = {{x_first[1].y / determinant, -x_first[1].x / determinant},
                                  {-x_first[0].y / determinant, x_first[0].x / determinant}};
    static const int at[3][2] = {{0, 0}, {1, 1}, {0, 1}};
    for (int32_t i = 0; i < r->count; i++) {
        for (int k = 0; k < 2; k++) {
            loop->tangent[k][i] = inverse[0][k] * first[0][i] + inverse[1][k] * first[1][i];
        }
        double left[3];
        for (int s = 0; s < 3; s++) {
            left[s] = second[s][i] - x_second[s].x * loop->tangent[0][i] - x_second[s].y * loop->tangent[1][i];
        }
        for (int s = 0; s < 3; s++) {
            int p = at[s][0], q = at[s][1];
            double mixed = inverse[0][p] * inverse[1][q] + inverse[1][p] * inverse[0][q];
            loop->second[s][i] = (s == 2 ? 2 : 1) * (inverse[0][p] * inverse[0][q] * left[0] +
                                                     inverse[1][p] * inverse[1][q] * left[1] + mixed * left[2]);
        }
    }
    return true;
}

/* ---- faces of a sheet ------------------------------------------------------------------------------------------ */

/* Finds the vertices around a face. */
static void open_ring(const wf_sheet_faces *sheet, const wf_incidence *incidence, int32_t face, ring *r,
                      row child[CHILD_NODES])
{
    *r = (ring){.sheet = sheet, .incidence = incidence, .face = face};
    for (int k = 0; k < 3; k++) {
        int32_t at = index_of(r, sheet->faces[face][k]);
        r->place[at] = sheet->rest[face][k];
        r->placed[at] = true;
    }
    fill_child(r, child);
}

static bool make_face(const void *user, const wf_sheet_faces *sheet, int32_t face, int32_t k, int32_t *vertices,
                      void *rest, wf_vec3 *reference)
{
    (void)k;
    const loop_sheet *all = user;
    row child[CHILD_NODES];
    ring r;
    loop_rest loop;
    open_ring(sheet, &all->incidence, face, &r, child);
    unfold(&r);
    memset(&loop, 0, sizeof loop);
    loop.weight = wf_shape_of(sheet->rest[face]).area;
    loop.stride = all->stride;
    if (!fill_rest(&r, (const row *)child, &loop)) {
        return false;
    }
    memcpy(rest, &loop, sizeof loop);
    for (int32_t i = 0; i < all->stride; i++) {
        const int32_t node = i < r.count ? i : 0; /* the others repeat the first, without weight */
        vertices[i] = r.vertex[node];
        reference[i] = wf_vec3_make(r.place[node].x, r.place[node].y, 0);
    }
    return true;
}

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    *model = NULL;
    loop_sheet all = {.stride = FEW_NODES};
    const wf_stencil corners = {sheet->face_count, 3, sheet->face_count > 0 ? &sheet->faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, sheet->vertex_count, &corners, &all.incidence);
    for (int32_t face = 0; status == WF_OK && face < sheet->face_count; face++) {
        row child[CHILD_NODES];
        ring r;
        open_ring(sheet, &all.incidence, face, &r, child);
        all.stride = r.count > FEW_NODES ? WF_MAX_NODES : all.stride;
        if (r.overflow) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "face %d has more than %d vertices around it, too many for "
                             "\"loop shell\"", face + 1, (int)WF_MAX_NODES);
        }
    }
    if (status == WF_OK) {
        const wf_strain_recipe recipe = {.name = "loop shell", .measure = all.stride == FEW_NODES ? &few : &many,
                                         .law = &wf_linear_law, .elements_per_face = 1, .make_element = make_face,
                                         .make_material = wf_hinge_plate_material};
        status = wf_strain_model_from_sheet(context, &recipe, &all, sheet, model);
    }
    wf_incidence_free(context, &all.incidence);
    return status;
}

const wf_model_entry wf_loop_shell = {
    .name = "loop shell",
    .kind = WF_MODEL_BENDING,
    .source = "Cirak, Ortiz and Schroeder 2000",
    .cannot = "has no rest angles, smooths folds over two rings of faces, and is up to a tenth too soft, in twist a "
              "quarter, where vertices have four or eight neighbours",
    .create = create,
};
