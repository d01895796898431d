/* mannequin.c - a figure with given girths; see mannequin.h.
 *
 * The figure's factors are corrected until the finished mesh, sliced as a tailor would measure it, has what was asked
 * for: measure, multiply each factor by wanted / measured, repeat. Each measure has one factor that moves it most; what
 * the others add dies out in a few rounds.
 */
#include "body/mannequin.h"

#include <string.h>

#include "base/vector.h"
#include "body/figure.h"
#include "body/section.h"
#include "mesh/intersect.h"

enum { ROUNDS_MAX = 60 };

static const double fit_tolerance = 5e-4;      /* rounds end when every measure is this near, relative */
static const double accepted_error = 2e-3;     /* a request that stays farther off is refused */

/* ---- requests --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double least, largest;
} measure_table[WF_MEASURE_COUNT] = {
    {"height", 1.20, 2.20}, {"bust", 0.60, 1.60},      {"underbust", 0.55, 1.45},      {"waist", 0.45, 1.60},
    {"hips", 0.60, 1.70},   {"neck", 0.24, 0.55},      {"thigh", 0.30, 0.95},          {"upper_arm", 0.16, 0.55},
    {"wrist", 0.10, 0.26},  {"shoulder_width", 0.24, 0.56}, {"arm_length", 0.32, 0.80}, {"inseam", 0.45, 1.10},
};

static const char *const landmark_names[WF_LANDMARK_COUNT] = {
    "crown", "front_neck", "back_neck", "side_neck", "shoulder", "armpit", "wrist", "bust_point", "crotch"};

wf_mannequin_def wf_default_mannequin_def(void)
{
    return (wf_mannequin_def){.figure = WF_FIGURE_WOMAN};
}

const char *wf_measure_name(wf_measure measure)
{
    return measure_table[measure].name;
}

void wf_measure_range(wf_measure measure, double *least, double *largest)
{
    *least = measure_table[measure].least;
    *largest = measure_table[measure].largest;
}

const char *wf_landmark_name(wf_landmark landmark)
{
    return landmark_names[landmark];
}

static void set_if_missing(double *value, double derived)
{
    if (*value == 0) {
        *value = derived;
    }
}

/* Fills what was not asked for. The average figures are round values near the means of European women and men; the
 * slopes keep limbs and neck in proportion when bust and hips are not average for the height. */
static void derive_measures(wf_figure_kind figure, double m[WF_MEASURE_COUNT])
{
    bool man = figure == WF_FIGURE_MAN;
    set_if_missing(&m[WF_MEASURE_HEIGHT], man ? 1.78 : 1.68);
    double h = m[WF_MEASURE_HEIGHT];
    double mean_bust = (man ? 1.00 / 1.78 : 0.92 / 1.68) * h;
    set_if_missing(&m[WF_MEASURE_BUST], mean_bust);
    double bust = m[WF_MEASURE_BUST], fullness = bust - mean_bust;
    double underbust = (man ? 0.95 : 0.865) * bust;
    set_if_missing(&m[WF_MEASURE_WAIST], (man ? 0.87 : 0.82) * bust);
    /* A belly starts below the bust. */
    set_if_missing(&m[WF_MEASURE_UNDERBUST], fmax(underbust, (underbust + m[WF_MEASURE_WAIST]) / 2));
    set_if_missing(&m[WF_MEASURE_HIPS], (man ? 0.99 / 1.78 : 1.00 / 1.68) * h + 0.8 * fullness);
    double broad = m[WF_MEASURE_HIPS] - (man ? 0.99 / 1.78 : 1.00 / 1.68) * h;
    set_if_missing(&m[WF_MEASURE_NECK], (man ? 0.385 / 1.78 : 0.35 / 1.68) * h + 0.15 * fullness);
    set_if_missing(&m[WF_MEASURE_THIGH], (man ? 0.56 / 1.78 : 0.57 / 1.68) * h + 0.50 * broad);
    set_if_missing(&m[WF_MEASURE_UPPER_ARM], (man ? 0.31 / 1.78 : 0.28 / 1.68) * h + 0.22 * fullness);
    set_if_missing(&m[WF_MEASURE_WRIST], (man ? 0.175 / 1.78 : 0.16 / 1.68) * h + 0.05 * fullness);
    set_if_missing(&m[WF_MEASURE_SHOULDER_WIDTH], (man ? 0.41 / 1.78 : 0.365 / 1.68) * h + 0.10 * fullness);
    set_if_missing(&m[WF_MEASURE_ARM_LENGTH], (man ? 0.58 / 1.78 : 0.54 / 1.68) * h);
    set_if_missing(&m[WF_MEASURE_INSEAM], (man ? 0.81 / 1.78 : 0.755 / 1.68) * h);
}

static wf_status check_requests(wf_context *context, const wf_mannequin_def *def)
{
    if (def->figure != WF_FIGURE_WOMAN && def->figure != WF_FIGURE_MAN) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "mannequin: the figure must be woman or man");
    }
    for (int i = 0; i < WF_MEASURE_COUNT; i++) {
        double value = def->measures[i];
        if (value != 0 && !(value >= measure_table[i].least && value <= measure_table[i].largest)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "mannequin: %s must be from %g to %g m, got %g",
                           measure_table[i].name, measure_table[i].least, measure_table[i].largest, value);
        }
    }
    return WF_OK;
}

/* Legs and arms must suit the height, or torso and feet would have no room. */
static wf_status check_proportions(wf_context *context, const double m[WF_MEASURE_COUNT])
{
    static const struct {
        wf_measure measure;
        double least, largest; /* of the height */
    } limits[] = {{WF_MEASURE_INSEAM, 0.36, 0.54}, {WF_MEASURE_ARM_LENGTH, 0.22, 0.46}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        double value = m[limits[i].measure], height = m[WF_MEASURE_HEIGHT];
        if (value < limits[i].least * height || value > limits[i].largest * height) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "mannequin: %s must be from %.3g to %.3g m for a height of %g m, got %g",
                           measure_table[limits[i].measure].name, limits[i].least * height, limits[i].largest * height,
                           height, value);
        }
    }
    return WF_OK;
}

/* ---- one figure ------------------------------------------------------------------------------------------------- */

/* What stays the same from round to round: the mesh's connections. */
typedef struct workshop {
    wf_context *context;
    wf_figure figure;
    wf_figure_marks marks;
    wf_halfmesh surface;  /* the refined half of the present round */
    bool *second_diagonal;
    wf_mesh mesh;         /* the whole; its positions follow `surface` */
    wf_figure_measures sizes;
} workshop;

static wf_status build_surface(workshop *shop)
{
    wf_halfmesh cage, once;
    wf_halfmesh_free(shop->context, &shop->surface);
    wf_status status = wf_figure_build(shop->context, &shop->figure, &cage, &shop->marks);
    if (status != WF_OK) {
        return status;
    }
    status = wf_halfmesh_refine(shop->context, &cage, &once);
    wf_halfmesh_free(shop->context, &cage);
    if (status != WF_OK) {
        return status;
    }
    status = wf_halfmesh_refine(shop->context, &once, &shop->surface);
    wf_halfmesh_free(shop->context, &once);
    if (status != WF_OK) {
        return status;
    }
    wf_figure_add_curves(&shop->figure, &shop->surface);
    double sole = INFINITY;
    for (int32_t v = 0; v < shop->surface.vertex_count; v++) {
        sole = fmin(sole, shop->surface.positions[v].y);
    }
    for (int32_t v = 0; v < shop->surface.vertex_count; v++) {
        shop->surface.positions[v].y -= sole;
    }
    return WF_OK;
}

/* Cuts quads along their shorter diagonal. */
static wf_status choose_diagonals(workshop *shop)
{
    const wf_halfmesh *half = &shop->surface;
    shop->second_diagonal = wf_allocate(shop->context, (size_t)half->quad_count, sizeof *shop->second_diagonal);
    if (!shop->second_diagonal) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t q = 0; q < half->quad_count; q++) {
        const int32_t *v = half->quads[q];
        double first = wf_vec3_distance(half->positions[v[0]], half->positions[v[2]]);
        double second = wf_vec3_distance(half->positions[v[1]], half->positions[v[3]]);
        shop->second_diagonal[q] = second < 0.98 * first;
    }
    return WF_OK;
}

/* Finds the whole mesh's connections on the reference figure, so that all figures have the same faces. */
static wf_status connect(workshop *shop)
{
    shop->figure = wf_figure_of_height(1.68);
    wf_status status = build_surface(shop);
    if (status == WF_OK) {
        status = choose_diagonals(shop);
    }
    if (status != WF_OK) {
        return status;
    }
    int32_t vertex_count;
    wf_vec3 *positions;
    int32_t (*faces)[3];
    status =
        wf_halfmesh_mirror(shop->context, &shop->surface, shop->second_diagonal, &vertex_count, &positions, &faces);
    if (status == WF_OK) {
        status = wf_mesh_build(shop->context, vertex_count, positions, 4 * shop->surface.quad_count,
                               (const int32_t(*)[3])faces, &shop->mesh);
        wf_free(shop->context, positions);
        wf_free(shop->context, faces);
    }
    return status;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* The girth of the curve nearest to `origin` in the plane through it. */
static wf_status measure_girth(workshop *shop, wf_vec3 origin, wf_vec3 normal, double *girth)
{
    wf_section section;
    wf_status status = wf_section_cut(shop->context, &shop->mesh, shop->mesh.positions, origin, normal, &section);
    if (status != WF_OK) {
        return status;
    }
    const wf_section_curve *curve = wf_section_nearest(&section, origin);
    *girth = curve ? curve->girth : 0;
    wf_section_free(shop->context, &section);
    return WF_OK;
}

static wf_vec3 mark_point(const workshop *shop, int32_t mark)
{
    return shop->surface.positions[mark];
}

/* The point of the left breast that stands out most. */
static wf_vec3 find_bust_point(const workshop *shop)
{
    wf_vec3 best = {0, 0, -INFINITY};
    for (int32_t v = 0; v < shop->surface.vertex_count; v++) {
        wf_vec3 p = shop->surface.positions[v];
        bool near = fabs(p.y - shop->sizes.bust_height) < 0.04 * shop->figure.scale && p.x > 0 &&
                    p.x < 0.7 * mark_point(shop, shop->marks.shoulder).x;
        if (near && p.z > best.z) {
            best = p;
        }
    }
    return best;
}

static void measure_landmarks(workshop *shop)
{
    const wf_figure_marks *marks = &shop->marks;
    wf_figure_measures *sizes = &shop->sizes;
    wf_vec3 wrist = wf_vec3_lerp(mark_point(shop, marks->wrist_top), mark_point(shop, marks->wrist_bottom), 0.5);
    sizes->landmarks[WF_LANDMARK_CROWN] = mark_point(shop, marks->crown);
    sizes->landmarks[WF_LANDMARK_FRONT_NECK] = mark_point(shop, marks->front_neck);
    sizes->landmarks[WF_LANDMARK_BACK_NECK] = mark_point(shop, marks->back_neck);
    sizes->landmarks[WF_LANDMARK_SIDE_NECK] = mark_point(shop, marks->side_neck);
    sizes->landmarks[WF_LANDMARK_SHOULDER] = mark_point(shop, marks->shoulder);
    sizes->landmarks[WF_LANDMARK_ARMPIT] = mark_point(shop, marks->armpit);
    sizes->landmarks[WF_LANDMARK_WRIST] = wrist;
    sizes->landmarks[WF_LANDMARK_BUST_POINT] = find_bust_point(shop);
    sizes->landmarks[WF_LANDMARK_CROTCH] = mark_point(shop, marks->crotch);
}

static void measure_lengths(workshop *shop)
{
    wf_figure_measures *sizes = &shop->sizes;
    double *m = sizes->measures;
    wf_vec3 shoulder = sizes->landmarks[WF_LANDMARK_SHOULDER];
    m[WF_MEASURE_SHOULDER_WIDTH] = 2 * shoulder.x;
    m[WF_MEASURE_ARM_LENGTH] = wf_vec3_distance(shoulder, sizes->landmarks[WF_LANDMARK_WRIST]);
    m[WF_MEASURE_INSEAM] = sizes->landmarks[WF_LANDMARK_CROTCH].y;
    m[WF_MEASURE_HEIGHT] = 0;
    sizes->torso_front = sizes->arm_front = -INFINITY;
    sizes->torso_back = sizes->arm_back = INFINITY;
    for (int32_t v = 0; v < shop->surface.vertex_count; v++) {
        wf_vec3 p = shop->surface.positions[v];
        m[WF_MEASURE_HEIGHT] = fmax(m[WF_MEASURE_HEIGHT], p.y);
        bool arm = p.x > shoulder.x && p.y > m[WF_MEASURE_INSEAM];
        bool torso = !arm && p.y > 0.3 * m[WF_MEASURE_INSEAM] && p.y < sizes->landmarks[WF_LANDMARK_FRONT_NECK].y;
        if (arm) {
            sizes->arm_front = fmax(sizes->arm_front, p.z);
            sizes->arm_back = fmin(sizes->arm_back, p.z);
        } else if (torso) {
            sizes->torso_front = fmax(sizes->torso_front, p.z);
            sizes->torso_back = fmin(sizes->torso_back, p.z);
        }
    }
}

static wf_status measure_girths(workshop *shop)
{
    wf_figure_measures *sizes = &shop->sizes;
    const wf_figure *figure = &shop->figure;
    const wf_vec3 up = {0, 1, 0}, along_arm = wf_figure_arm_direction(figure);
    /* The tape around the neck slopes as the neck's base does, 2.5 cm over it. */
    wf_vec3 front = sizes->landmarks[WF_LANDMARK_FRONT_NECK], back = sizes->landmarks[WF_LANDMARK_BACK_NECK];
    wf_vec3 neck_up = wf_vec3_normalize((wf_vec3){0, front.z - back.z, back.y - front.y});
    wf_vec3 neck = wf_vec3_muladds(wf_vec3_lerp(front, back, 0.5), neck_up, 0.025 * figure->scale);
    sizes->neck_height = neck.y;
    wf_vec3 wrist = sizes->landmarks[WF_LANDMARK_WRIST];
    wf_vec3 upper_arm = wf_vec3_muladds(wrist, along_arm, -2 * sizes->measures[WF_MEASURE_ARM_LENGTH] / 3);
    double u = figure->scale, crotch = sizes->landmarks[WF_LANDMARK_CROTCH].y;
    double thigh_height = crotch - 0.05 * u, ankle_height = 0.065 * u;
    const struct {
        double *girth;
        wf_vec3 origin, normal;
    } wanted[] = {
        {&sizes->measures[WF_MEASURE_BUST], {0, sizes->bust_height, 0}, up},
        {&sizes->measures[WF_MEASURE_UNDERBUST], {0, sizes->underbust_height, 0}, up},
        {&sizes->measures[WF_MEASURE_WAIST], {0, sizes->waist_height, 0}, up},
        {&sizes->measures[WF_MEASURE_HIPS], {0, sizes->hip_height, 0}, up},
        {&sizes->measures[WF_MEASURE_NECK], neck, neck_up},
        {&sizes->measures[WF_MEASURE_THIGH], wf_figure_leg_point(figure, thigh_height), up},
        {&sizes->measures[WF_MEASURE_UPPER_ARM], upper_arm, along_arm},
        {&sizes->measures[WF_MEASURE_WRIST], wrist, along_arm},
        {&sizes->knee, wf_figure_leg_point(figure, sizes->knee_height), up},
        {&sizes->ankle, wf_figure_leg_point(figure, ankle_height), up},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        wf_status status = measure_girth(shop, wanted[i].origin, wanted[i].normal, wanted[i].girth);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

static wf_status measure(workshop *shop)
{
    const wf_figure *figure = &shop->figure;
    wf_halfmesh_mirror_positions(&shop->surface, shop->mesh.positions);
    shop->sizes.bust_height = figure->bust;
    shop->sizes.underbust_height = figure->bust - 0.075 * figure->scale;
    shop->sizes.waist_height = figure->waist;
    shop->sizes.hip_height = figure->hips;
    shop->sizes.knee_height = 0.5 * figure->crotch;
    shop->sizes.arm_angle = figure->arm_angle;
    measure_landmarks(shop);
    measure_lengths(shop);
    return measure_girths(shop);
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

/* The figure's number that a measure is corrected by. */
static double *measure_factor(wf_figure *figure, wf_measure measure)
{
    switch (measure) {
    case WF_MEASURE_HEIGHT:
        return &figure->crown;
    case WF_MEASURE_BUST:
        return &figure->bust_girth;
    case WF_MEASURE_UNDERBUST:
        return &figure->underbust_girth;
    case WF_MEASURE_WAIST:
        return &figure->waist_girth;
    case WF_MEASURE_HIPS:
        return &figure->hips_girth;
    case WF_MEASURE_NECK:
        return &figure->neck_girth;
    case WF_MEASURE_THIGH:
        return &figure->thigh_girth;
    case WF_MEASURE_UPPER_ARM:
        return &figure->upper_arm_girth;
    case WF_MEASURE_WRIST:
        return &figure->wrist_girth;
    case WF_MEASURE_SHOULDER_WIDTH:
        return &figure->shoulder_half_width;
    case WF_MEASURE_ARM_LENGTH:
        return &figure->arm_length;
    default:
        return &figure->crotch;
    }
}

/* Places hips, waist and bust between crotch and shoulder, in the reference figure's proportions. */
static void place_levels(wf_figure *figure, double height, double inseam)
{
    wf_figure plain = wf_figure_of_height(height);
    double stretch = (plain.shoulder - inseam) / (plain.shoulder - plain.crotch);
    figure->hips = plain.shoulder - (plain.shoulder - plain.hips) * stretch;
    figure->waist = plain.shoulder - (plain.shoulder - plain.waist) * stretch;
    figure->bust = plain.shoulder - (plain.shoulder - plain.bust) * stretch;
}

/* Moves every factor toward what `wanted` asks; returns the largest relative error and whose it is. */
static double correct(workshop *shop, const double wanted[WF_MEASURE_COUNT], wf_measure *worst)
{
    double largest = 0;
    for (int i = 0; i < WF_MEASURE_COUNT; i++) {
        double measured = shop->sizes.measures[i], error = fabs(measured / wanted[i] - 1);
        if (!(error <= largest)) {
            largest = error;
            *worst = (wf_measure)i;
        }
        double *factor = measure_factor(&shop->figure, (wf_measure)i);
        if (i == WF_MEASURE_HEIGHT) {
            *factor += wanted[i] - measured; /* the crown's height: the other factors start at any scale */
        } else if (measured > 0) {
            *factor *= fmin(fmax(wanted[i] / measured, 0.7), 1.4);
        }
    }
    return largest;
}

static wf_status fit(workshop *shop, const double wanted[WF_MEASURE_COUNT])
{
    double error = INFINITY;
    wf_measure worst = WF_MEASURE_HEIGHT;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        wf_status status = build_surface(shop);
        if (status == WF_OK) {
            status = measure(shop);
        }
        if (status != WF_OK) {
            return status;
        }
        wf_figure present = shop->figure;
        error = correct(shop, wanted, &worst);
        if (error < fit_tolerance) {
            shop->figure = present;
            return WF_OK;
        }
    }
    if (error < accepted_error) {
        return WF_OK;
    }
    return wf_fail(shop->context, WF_ERROR_ARGUMENT,
                   "mannequin: %s = %.3g m does not go together with the other measures (%.3g m came out)",
                   measure_table[worst].name, wanted[worst], shop->sizes.measures[worst]);
}

static wf_status check_crossings(workshop *shop)
{
    const wf_mesh *mesh = &shop->mesh;
    const wf_surface surface = {mesh->vertex_count, mesh->positions, mesh->face_count,
                                (const int32_t(*)[3])mesh->faces};
    int32_t pair[1][2];
    int64_t count;
    wf_status status = wf_intersections_find(shop->context, &surface, NULL, 1, pair, &count);
    if (status == WF_OK && count > 0) {
        wf_vec3 at = mesh->positions[mesh->faces[pair[0][0]][0]];
        status = wf_fail(shop->context, WF_ERROR_ARGUMENT,
                         "mannequin: with these measures the surface crosses itself at a height of %.2f m, %.2f m from "
                         "the middle", at.y, fabs(at.x));
    }
    return status;
}

static wf_status make_in(workshop *shop, const wf_mannequin_def *def, wf_mannequin *mannequin)
{
    double wanted[WF_MEASURE_COUNT];
    memcpy(wanted, def->measures, sizeof wanted);
    derive_measures(def->figure, wanted);
    wf_status status = check_proportions(shop->context, wanted);
    if (status == WF_OK) {
        status = connect(shop);
    }
    if (status != WF_OK) {
        return status;
    }
    shop->figure = wf_figure_of_height(wanted[WF_MEASURE_HEIGHT]);
    place_levels(&shop->figure, wanted[WF_MEASURE_HEIGHT], wanted[WF_MEASURE_INSEAM]);
    /* The tape lies over both breasts: they stand out by a third of what the bust measures over the chest. */
    double cup = wanted[WF_MEASURE_BUST] - wanted[WF_MEASURE_UNDERBUST] - 0.03 * shop->figure.scale;
    shop->figure.bosom = fmin(fmax(cup / 3, 0), 0.10 * shop->figure.scale);
    status = fit(shop, wanted);
    if (status == WF_OK) {
        status = check_crossings(shop);
    }
    if (status != WF_OK) {
        return status;
    }
    mannequin->vertex_count = shop->mesh.vertex_count;
    mannequin->face_count = shop->mesh.face_count;
    mannequin->positions = wf_allocate(shop->context, (size_t)shop->mesh.vertex_count, sizeof *mannequin->positions);
    mannequin->faces = wf_allocate(shop->context, (size_t)shop->mesh.face_count, sizeof *mannequin->faces);
    if (!mannequin->positions || !mannequin->faces) {
        return WF_ERROR_MEMORY;
    }
    memcpy(mannequin->positions, shop->mesh.positions, (size_t)shop->mesh.vertex_count * sizeof *mannequin->positions);
    memcpy(mannequin->faces, shop->mesh.faces, (size_t)shop->mesh.face_count * sizeof *mannequin->faces);
    mannequin->sizes = shop->sizes;
    return WF_OK;
}

wf_status wf_mannequin_make(wf_context *context, const wf_mannequin_def *def, wf_mannequin *mannequin)
{
    *mannequin = (wf_mannequin){0};
    wf_status status = check_requests(context, def);
    if (status != WF_OK) {
        return status;
    }
    workshop shop = {.context = context};
    status = make_in(&shop, def, mannequin);
    wf_halfmesh_free(context, &shop.surface);
    wf_mesh_free(context, &shop.mesh);
    wf_free(context, shop.second_diagonal);
    if (status != WF_OK) {
        wf_mannequin_free(context, mannequin);
    }
    return status;
}

void wf_mannequin_free(wf_context *context, wf_mannequin *mannequin)
{
    wf_free(context, mannequin->positions);
    wf_free(context, mannequin->faces);
    *mannequin = (wf_mannequin){0};
}
