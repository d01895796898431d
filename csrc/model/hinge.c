#include "model/hinge.h"

#include <string.h>

#include "model/incidence.h"

/* ---- the angle ------------------------------------------------------------------------------------------------- */

/* A face seen from its edge: from c to d, with the far corner a. Turning it about the edge moves a by its height along
 * the normal, so normal / height is the angle's gradient there; the ends of the edge take what that leaves of force and
 * torque. (Bridson, Marino and Fedkiw 2003, equation 2, in the form of Tamstorf and Grinspun 2013.) */
typedef struct side {
    wf_vec3 edge, arm; /* d - c, a - c */
    double edge2, length;
    wf_vec3 normal;    /* unit */
    double doubled;    /* twice the area */
    wf_vec3 lever;     /* normal / height */
    double foot;       /* of a, as a fraction from c */
} side;

/* A face so flat has no normal to speak of: height over length. */
#define LEAST_SLENDERNESS 1e-9

static bool side_of(wf_vec3 c, wf_vec3 d, wf_vec3 a, side *s)
{
    s->edge = wf_vec3_sub(d, c);
    s->arm = wf_vec3_sub(a, c);
    wf_vec3 cross = wf_vec3_cross(s->edge, s->arm);
    s->edge2 = wf_vec3_norm2(s->edge);
    s->doubled = wf_vec3_norm(cross);
    if (!(s->doubled > LEAST_SLENDERNESS * s->edge2) || !(s->edge2 > 0)) {
        return false;
    }
    s->length = sqrt(s->edge2);
    s->normal = wf_vec3_scale(cross, 1 / s->doubled);
    s->lever = wf_vec3_scale(s->normal, s->length / s->doubled);
    s->foot = wf_vec3_dot(s->arm, s->edge) / s->edge2;
    return true;
}

static void add_gradient(const side *s, wf_vec3 *c, wf_vec3 *d, wf_vec3 *a)
{
    *a = wf_vec3_add(*a, s->lever);
    *c = wf_vec3_muladds(*c, s->lever, s->foot - 1);
    *d = wf_vec3_muladds(*d, s->lever, -s->foot);
}

double wf_hinge_angle(const wf_vec3 x[WF_HINGE_NODES], wf_vec3 gradient[WF_HINGE_NODES])
{
    side own, far;
    if (gradient) {
        memset(gradient, 0, WF_HINGE_NODES * sizeof *gradient);
    }
    if (!side_of(x[0], x[1], x[2], &own) || !side_of(x[1], x[0], x[3], &far)) {
        return 0;
    }
    if (gradient) {
        add_gradient(&own, &gradient[0], &gradient[1], &gradient[2]);
        add_gradient(&far, &gradient[1], &gradient[0], &gradient[3]);
    }
    double sine = wf_vec3_dot(own.edge, wf_vec3_cross(far.normal, own.normal)) / own.length;
    return atan2(sine, wf_vec3_dot(own.normal, far.normal));
}

double wf_hinge_fold(double angle, double rest_angle)
{
    static const double pi = 3.14159265358979323846;
    double fold = angle - rest_angle;
    return fold > pi ? fold - 2 * pi : fold < -pi ? fold + 2 * pi : fold;
}

/* ---- its second derivatives ------------------------------------------------------------------------------------ */

/* k (1 - 2 n n^T) [u]x  with n perpendicular to u */
static wf_mat3 turned_cross(double k, wf_vec3 n, wf_vec3 u)
{
    wf_vec3 nu = wf_vec3_cross(n, u);
    wf_mat3 result = wf_mat3_identity_plus_outer(0, -2 * k, n, nu);
    result.m[0][1] -= k * u.z;
    result.m[0][2] += k * u.y;
    result.m[1][0] += k * u.z;
    result.m[1][2] -= k * u.x;
    result.m[2][0] -= k * u.y;
    result.m[2][1] += k * u.x;
    return result;
}

/* The derivative of one side's gradient. With N = edge x arm the lever is p = |edge| N / N^2; node is c, d, a. Each
 * side's is unsymmetric for itself, for the faces turn about an edge that moves; the sum is not. */
static void add_side(const side *s, double factor, const int32_t node[3], int32_t node_count, wf_mat3 *hessian)
{
    double k = s->length / (s->doubled * s->doubled);
    wf_mat3 lever[3]; /* dp / d node */
    lever[2] = turned_cross(k, s->normal, s->edge);
    lever[1] = turned_cross(-k, s->normal, s->arm);
    wf_mat3 longer = wf_mat3_identity_plus_outer(0, 1 / (s->doubled * s->length), s->normal, s->edge);
    lever[1] = wf_mat3_muladds(lever[1], longer, 1);
    lever[0] = wf_mat3_muladds(wf_mat3_muladds((wf_mat3){{{0}}}, lever[1], -1), lever[2], -1);
    wf_vec3 foot[3]; /* d foot / d node */
    foot[2] = wf_vec3_scale(s->edge, 1 / s->edge2);
    foot[1] = wf_vec3_scale(wf_vec3_muladds(s->arm, s->edge, -2 * s->foot), 1 / s->edge2);
    foot[0] = wf_vec3_scale(wf_vec3_add(foot[1], foot[2]), -1);
    const double share[3] = {s->foot - 1, -s->foot, 1}, moving[3] = {1, -1, 0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            wf_mat3 *block = &hessian[node[i] * node_count + node[j]];
            wf_mat3 shift = wf_mat3_identity_plus_outer(0, factor * moving[i], s->lever, foot[j]);
            *block = wf_mat3_muladds(wf_mat3_muladds(*block, lever[j], factor * share[i]), shift, 1);
        }
    }
}

void wf_hinge_add_curvature(const wf_vec3 x[WF_HINGE_NODES], double factor, const int32_t place[WF_HINGE_NODES],
                            int32_t node_count, wf_mat3 *hessian)
{
    side own, far;
    if (side_of(x[0], x[1], x[2], &own) && side_of(x[1], x[0], x[3], &far)) {
        const int32_t own_nodes[3] = {place[0], place[1], place[2]}, far_nodes[3] = {place[1], place[0], place[3]};
        add_side(&own, factor, own_nodes, node_count, hessian);
        add_side(&far, factor, far_nodes, node_count, hessian);
    }
}

/* ---- hinges of a sheet ----------------------------------------------------------------------------------------- */

/* The one other face at the edge from corner k to k + 1, or -1 when there is none or more than one. */
static int32_t neighbour_over(const wf_incidence *incidence, const int32_t (*faces)[3], int32_t face, int k)
{
    int32_t a = faces[face][k], b = faces[face][(k + 1) % 3], found = -1;
    for (int32_t i = incidence->start[a]; i < incidence->start[a + 1]; i++) {
        int32_t other = incidence->corner[i] / 3;
        if (other == face || wf_face_corner(faces[other], b) < 0) {
            continue;
        }
        if (found >= 0) {
            return -1;
        }
        found = other;
    }
    return found;
}

wf_status wf_sheet_find_neighbours(wf_context *context, int32_t vertex_count, int32_t face_count,
                                   const int32_t (*faces)[3], wf_sheet_neighbours neighbours)
{
    wf_incidence incidence;
    wf_stencil stencil = {face_count, 3, face_count > 0 ? &faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, vertex_count, &stencil, &incidence);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t face = 0; face < face_count; face++) {
        for (int k = 0; k < 3; k++) {
            neighbours[face][k] = neighbour_over(&incidence, faces, face, k);
        }
    }
    wf_incidence_free(context, &incidence);
    return WF_OK;
}

/* Height of a corner over the edge between two others, and its foot as a fraction of that edge. */
static double height_over(wf_vec2 from, wf_vec2 to, wf_vec2 corner, double *foot)
{
    wf_vec2 edge = wf_vec2_sub(to, from), arm = wf_vec2_sub(corner, from);
    *foot = wf_vec2_dot(arm, edge) / wf_vec2_dot(edge, edge);
    return fabs(wf_vec2_cross(edge, arm)) / wf_vec2_norm(edge);
}

void wf_hinge_direction(wf_vec2 edge, double direction[3])
{
    double over = 1 / wf_vec2_dot(edge, edge);
    direction[0] = edge.y * edge.y * over;
    direction[1] = edge.x * edge.x * over;
    direction[2] = -2 * edge.x * edge.y * over;
}

wf_vec2 wf_hinge_flat_corner(const wf_hinge_site *site, wf_vec2 a, wf_vec2 b, wf_vec2 c)
{
    wf_vec2 edge = wf_vec2_sub(b, a), across = {-edge.y, edge.x};
    double outward = wf_vec2_dot(across, wf_vec2_sub(c, a)) > 0 ? -1 : 1;
    return wf_vec2_add(wf_vec2_add(a, wf_vec2_scale(edge, site->far_foot)),
                       wf_vec2_scale(across, outward * site->far_height / site->length));
}

bool wf_hinge_over(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int32_t k,
                   wf_hinge_site *site)
{
    int32_t other = neighbours[face][k], after = (k + 1) % 3, own_far = (k + 2) % 3;
    if (other < 0) {
        return false;
    }
    const int32_t *own = sheet->faces[face], *far = sheet->faces[other];
    const wf_vec2 *rest = sheet->rest[face], *far_rest = sheet->rest[other];
    int a = wf_face_corner(far, own[k]), b = wf_face_corner(far, own[after]);
    site->vertices[0] = own[k];
    site->vertices[1] = own[after];
    site->vertices[2] = own[own_far];
    site->vertices[3] = far[3 - a - b];
    wf_vec2 edge = wf_vec2_sub(rest[after], rest[k]);
    site->length = wf_vec2_norm(edge);
    site->own_height = height_over(rest[k], rest[after], rest[own_far], &site->own_foot);
    site->far_height = height_over(far_rest[a], far_rest[b], far_rest[3 - a - b], &site->far_foot);
    site->place[0] = rest[k];
    site->place[1] = rest[after];
    site->place[2] = rest[own_far];
    site->place[3] = wf_hinge_flat_corner(site, rest[k], rest[after], rest[own_far]);
    wf_hinge_direction(edge, site->direction);
    site->angle = sheet->fold ? sheet->fold[face][k] : 0;
    /* the same bending from the other side? */
    double other_direction[3], difference = 0;
    wf_hinge_direction(wf_vec2_sub(far_rest[b], far_rest[a]), other_direction);
    for (int i = 0; i < 3; i++) {
        difference += fabs(other_direction[i] - site->direction[i]);
    }
    bool alike = wf_sheet_active(sheet, other) && wf_sheet_fabric(sheet, face) == wf_sheet_fabric(sheet, other) &&
                 difference < 1e-9;
    site->share = alike ? 1 : 0.5;
    return true;
}

bool wf_hinge_at(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int32_t k,
                 wf_hinge_site *site)
{
    return wf_hinge_over(sheet, neighbours, face, k, site) && (site->share < 1 || face < neighbours[face][k]);
}

wf_vec3 wf_hinge_unfold(wf_vec3 c, wf_vec3 d, wf_vec3 a, double far_foot, double far_height, double angle)
{
    wf_vec3 edge = wf_vec3_sub(d, c), arm = wf_vec3_sub(a, c);
    wf_vec3 normal = wf_vec3_normalize(wf_vec3_cross(edge, arm));
    wf_vec3 outward = wf_vec3_normalize(wf_vec3_cross(edge, normal));
    wf_vec3 foot = wf_vec3_muladds(c, edge, far_foot);
    return wf_vec3_muladds(wf_vec3_muladds(foot, outward, far_height * cos(angle)), normal, far_height * sin(angle));
}

void wf_hinge_rest_positions(const wf_hinge_site *site, wf_vec3 x[WF_HINGE_NODES])
{
    for (int i = 0; i < 3; i++) {
        x[i] = (wf_vec3){site->place[i].x, site->place[i].y, 0};
    }
    x[3] = wf_hinge_unfold(x[0], x[1], x[2], site->far_foot, site->far_height, site->angle);
}

wf_status wf_hinge_model_from_sheet(wf_context *context, const wf_strain_recipe *recipe, const wf_sheet_faces *sheet,
                                    wf_model **model)
{
    *model = NULL;
    wf_sheet_neighbours neighbours = wf_allocate(context, (size_t)sheet->face_count, sizeof *neighbours);
    if (!neighbours) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = wf_sheet_find_neighbours(context, sheet->vertex_count, sheet->face_count, sheet->faces,
                                                neighbours);
    if (status == WF_OK) {
        status = wf_strain_model_from_sheet(context, recipe, neighbours, sheet, model);
    }
    wf_free(context, neighbours);
    return status;
}

/* ---- moduli of a hinge ----------------------------------------------------------------------------------------- */

double wf_hinge_weight(const wf_sheet_faces *sheet, int32_t face, const wf_hinge_site *site)
{
    double moduli[3][3], sum = 0;
    wf_fabric_bending_moduli(&sheet->fabrics[wf_sheet_fabric(sheet, face)], moduli);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += site->direction[i] * moduli[i][j] * site->direction[j];
        }
    }
    return site->share * site->length * wf_hinge_width(site) * sum;
}

void wf_hinge_unit_material(int32_t count, const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_linear_material linear = {.count = count};
    for (int32_t s = 0; s < count; s++) {
        linear.moduli[s][s] = 1;
        viscosity[s] = fabric->bend_viscosity;
    }
    *(wf_linear_material *)material = linear;
}

void wf_hinge_plate_material(const wf_fabric *fabric, void *material, double *viscosity)
{
    wf_linear_material linear = {.count = 3};
    double moduli[3][3];
    wf_fabric_bending_moduli(fabric, moduli);
    for (int s = 0; s < 3; s++) {
        memcpy(linear.moduli[s], moduli[s], sizeof moduli[s]);
        viscosity[s] = fabric->bend_viscosity;
    }
    *(wf_linear_material *)material = linear;
}
