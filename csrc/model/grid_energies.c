/* grid_energies.c - the energies of Breen, House and Wozny (1994) and of Eberhardt, Weber and Strasser (1996) in the
 * plane of a grid: the elongation of its sides along weft and warp, and the angles between consecutive sides, at each
 * of the four corners of every rectangle.
 *
 * Each strain belongs to one test of Kawabata's system (tension along the weft, tension along the warp, shear), and has
 * a law of its own. The authors' law is a power, printed as 1/2 C (r - l - h)^3 for r >= l and 1/2 C (r - l - h)^5
 * below. DEFECT: an odd power of a negative number makes compression push itself on, and with h other than zero the two
 * branches do not meet. Here any law of three strains serves: the linear one by default.
 *
 * An element is a corner: a vertex with its neighbours along the weft and the warp, and a quarter of the rectangle.
 * Side and angle are those of continuum mechanics for a homogeneous deformation, so the moduli are the fabric's.
 * LIMIT: needs a grid (grid.h).
 */
#include "model/grid.h"
#include "model/models.h"
#include "model/weave.h"

/* U, V, and what turns with them: the unit vectors along them, those across each towards the other, and the normal. */
typedef struct corner_frame {
    double u_length, v_length, cosine, sine;
    wf_vec3 u, v, across_u, across_v, normal;
} corner_frame;

static corner_frame frame_of(const wf_weave_rest *rest, const wf_vec3 *x)
{
    wf_weave f = wf_weave_of(rest, x);
    corner_frame c = {.u_length = wf_vec3_norm(f.u), .v_length = wf_vec3_norm(f.v), .u = wf_vec3_normalize(f.u),
                      .v = wf_vec3_normalize(f.v)};
    wf_vec3 cross = wf_vec3_cross(c.u, c.v);
    c.cosine = wf_vec3_dot(c.u, c.v);
    c.sine = wf_vec3_norm(cross);
    c.normal = wf_vec3_normalize(cross);
    c.across_u = wf_vec3_cross(c.normal, c.u);
    c.across_v = wf_vec3_cross(c.v, c.normal);
    return c;
}

/* a / length, or zero where the length is */
static wf_vec3 over(wf_vec3 a, double length)
{
    return wf_vec3_scale(a, length > 0 ? 1 / length : 0);
}

static void corner_strains(const void *data, const wf_vec3 *x, double *strain, wf_vec3 *gradient)
{
    const wf_weave_rest *rest = data;
    corner_frame c = frame_of(rest, x);
    const wf_vec3 none = {0, 0, 0};
    strain[0] = c.u_length - 1;
    strain[1] = c.v_length - 1;
    strain[2] = atan2(c.cosine, c.sine); /* by how much the right angle has closed */
    if (gradient) {
        wf_weave_spread(rest, (wf_weave){c.u, none}, gradient);
        wf_weave_spread(rest, (wf_weave){none, c.v}, gradient + 3);
        wf_weave_spread(rest, (wf_weave){over(c.across_u, c.u_length), over(c.across_v, c.v_length)}, gradient + 6);
    }
}

/* to += s (a b^T + b a^T) + t n n^T */
static void add_turn(wf_mat3 *to, wf_vec3 a, wf_vec3 b, double s, wf_vec3 n, double t)
{
    *to = wf_mat3_muladds(*to, wf_mat3_identity_plus_outer(0, 1, a, b), s);
    *to = wf_mat3_muladds(*to, wf_mat3_identity_plus_outer(0, 1, b, a), s);
    *to = wf_mat3_muladds(*to, wf_mat3_identity_plus_outer(0, 1, n, n), t);
}

static void corner_curvature(const void *data, const wf_vec3 *x, const double *factor, wf_mat3 *hessian)
{
    const wf_weave_rest *rest = data;
    wf_weave f = wf_weave_of(rest, x);
    corner_frame c = frame_of(rest, x);
    wf_weave_curvature k = {.uu = {{{0}}}};
    wf_add_length_curvature(&k.uu, f.u, factor[0]);
    wf_add_length_curvature(&k.vv, f.v, factor[1]);
    if (c.u_length > 0 && c.v_length > 0) {
        double a = 1 / c.u_length, b = 1 / c.v_length, s = c.sine > 0 ? factor[2] / c.sine : 0;
        add_turn(&k.uu, c.across_u, c.u, -factor[2] * a * a, c.normal, -s * c.cosine * a * a);
        add_turn(&k.vv, c.across_v, c.v, -factor[2] * b * b, c.normal, -s * c.cosine * b * b);
        k.uv = wf_mat3_identity_plus_outer(0, s * a * b, c.normal, c.normal);
    }
    wf_weave_spread_curvature(rest, &k, hessian);
}

static const wf_strain_measure corner_measure = {"sides and angles", 3, 3, sizeof(wf_weave_rest), corner_strains,
                                                 corner_curvature};

static wf_status create(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    static const wf_strain_recipe recipe = {.name = "grid energies", .measure = &corner_measure, .law = &wf_fabric_law,
                                            .elements_per_face = 2, .make_element = wf_grid_make_corner,
                                            .make_material = wf_make_fabric_material};
    return wf_grid_model_create(context, &recipe, sheet, model);
}

const wf_model_entry wf_grid_energies = {
    .name = "grid energies",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Breen, House and Wozny 1994, Eberhardt, Weber and Strasser 1996",
    .cannot = "needs a grid",
    .curves = true,
    .grid = true,
    .create = create,
};
