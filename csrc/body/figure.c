/* figure.c - the control mesh of the mannequin; see figure.h.
 *
 * Half a ring around the torso or head has RING points, from the middle of the front (0) over the side to the middle of
 * the back. A leg's ring has LEG points, of which the first RING continue the torso's last ring and the others the
 * bridge between the legs. An arm's ring has ARM points and starts at the armpit; it grows out of the hole that the
 * torso's rings leave at the side between armpit and shoulder.
 */
#include "body/figure.h"

#include "base/vector.h"

enum { RING = 9, SIDE = 4, LEG = 12, BRIDGE = LEG - RING, ARM = 8 };

static const double reference_height = 1.68;
static const double pi = 3.14159265358979323846;

wf_figure wf_figure_of_height(double height)
{
    double u = height / reference_height;
    return (wf_figure){.scale = u,
                       .crotch = 0.764 * u,
                       .hips = 0.853 * u,
                       .waist = 1.062 * u,
                       .bust = 1.213 * u,
                       .shoulder = 1.385 * u,
                       .neck = 1.430 * u,
                       .crown = height,
                       .shoulder_half_width = 0.190 * u,
                       .arm_length = 0.55 * u,
                       .arm_angle = pi / 4,
                       .hips_girth = u,
                       .waist_girth = u,
                       .underbust_girth = u,
                       .bust_girth = u,
                       .neck_girth = u,
                       .thigh_girth = u,
                       .upper_arm_girth = u,
                       .wrist_girth = u,
                       .bosom = 0.03 * u};
}

/* ---- torso ------------------------------------------------------------------------------------------------------ */

/* A horizontal section of the reference figure: half width, front and back in z (m), squareness (2 is an ellipse).
 * `level` says where: 0 crotch, 1 hips, 2 waist, 3 bust, 4 shoulder, and parts between. */
typedef struct torso_section {
    double level, half_width, front, back, squareness;
} torso_section;

enum { ARMPIT_ROW = 7, TORSO_ROWS = 8 };

static const torso_section torso_sections[TORSO_ROWS] = {
    {0.05, 0.186, 0.092, -0.108, 2.2}, {1.00, 0.188, 0.103, -0.128, 2.3}, {1.32, 0.181, 0.113, -0.120, 2.3},
    {1.66, 0.158, 0.114, -0.098, 2.3}, {2.00, 0.138, 0.106, -0.086, 2.3}, {2.48, 0.142, 0.104, -0.098, 2.3},
    {3.00, 0.157, 0.104, -0.116, 2.4}, {3.42, 0.168, 0.098, -0.122, 2.5},
};

/* Linear between the values at these levels; 2.5 is right below the breasts. */
static double interpolate(const double values[6], double level)
{
    static const double levels[6] = {0, 1, 2, 2.5, 3, 4};
    int below = 0;
    while (below < 4 && level > levels[below + 1]) {
        below++;
    }
    return values[below] + (values[below + 1] - values[below]) * (level - levels[below]) /
                               (levels[below + 1] - levels[below]);
}

static double level_height(const wf_figure *figure, double level)
{
    double below_bust = (figure->waist + figure->bust) / 2;
    const double heights[6] = {figure->crotch, figure->hips, figure->waist, below_bust, figure->bust, figure->shoulder};
    return interpolate(heights, level);
}

static double level_factor(const wf_figure *figure, double level)
{
    double shoulder = figure->shoulder_half_width / 0.190;
    const double factors[6] = {figure->hips_girth,      figure->hips_girth, figure->waist_girth,
                               figure->underbust_girth, figure->bust_girth, (figure->bust_girth + shoulder) / 2};
    return interpolate(factors, level);
}

/* A fuller torso grows forward and back more than sideways: what a girth's factor does to width and depth. */
static double widening(const wf_figure *figure, double factor)
{
    return figure->scale * pow(factor / figure->scale, 0.8);
}

static double deepening(const wf_figure *figure, double factor)
{
    return figure->scale * pow(factor / figure->scale, 1.25);
}

static double signed_power(double x, double exponent)
{
    return copysign(pow(fabs(x), exponent), x);
}

/* Point j of a superelliptic half ring. */
static wf_vec3 ring_point(int j, double half_width, double front, double back, double squareness, double y)
{
    double angle = pi * j / (RING - 1), middle = (front + back) / 2, depth = (front - back) / 2;
    double x = j == 0 || j == RING - 1 ? 0 : half_width * signed_power(sin(angle), 2 / squareness);
    double z = 2 * j == RING - 1 ? middle : middle + depth * signed_power(cos(angle), 2 / squareness);
    return (wf_vec3){x, y, z};
}

static wf_vec3 torso_point(const wf_figure *figure, int row, int j)
{
    const torso_section *section = &torso_sections[row];
    double factor = level_factor(figure, section->level);
    double wide = section->half_width * widening(figure, factor), deep = deepening(figure, factor);
    double y = level_height(figure, section->level);
    wf_vec3 p = ring_point(j, wide, section->front * deep, section->back * deep, section->squareness, y);
    if (row == 0) {
        /* The legs' creases rise to the sides. */
        p.y += 0.045 * figure->scale * sin(pi * j / (RING - 1));
    }
    return p;
}

/* The rows over the armpit: points of the reference figure, x in m, y over the tip of the shoulder, z. `pull` says how
 * much of the shoulder's (1) or neck's (0) factor a row takes. Row 0 has no point at the side: the arm begins there. */
enum { YOKE_ROWS = 4 };

static const double yoke_pull[YOKE_ROWS] = {1, 1, 0.55, 0};

static const wf_vec3 yoke_points[YOKE_ROWS][RING] = {
    {{0, -.075, .090}, {.055, -.075, .092}, {.110, -.072, .080}, {.162, -.060, .042}, {0, 0, 0},
     {.168, -.060, -.070}, {.118, -.068, -.122}, {.058, -.068, -.130}, {0, -.068, -.126}},
    {{0, -.022, .066}, {.052, -.020, .070}, {.108, -.010, .058}, {.164, -.006, .018}, {.190, 0, -.025},
     {.166, -.002, -.068}, {.112, .002, -.106}, {.056, .004, -.120}, {0, .004, -.118}},
    {{0, .008, .044}, {.040, .012, .044}, {.078, .024, .030}, {.106, .034, .000}, {.114, .036, -.032},
     {.106, .038, -.066}, {.078, .042, -.090}, {.042, .046, -.100}, {0, .046, -.100}},
    {{0, .030, .026}, {.028, .034, .024}, {.052, .044, .010}, {.066, .054, -.012}, {.069, .062, -.034},
     {.064, .068, -.056}, {.048, .072, -.074}, {.026, .074, -.082}, {0, .074, -.082}},
};

static wf_vec3 yoke_point(const wf_figure *figure, int row, int j)
{
    wf_vec3 p = yoke_points[row][j];
    double shoulder = figure->shoulder_half_width / 0.190, pull = yoke_pull[row];
    double width = pull * shoulder + (1 - pull) * figure->neck_girth;
    double chest = level_factor(figure, row == 0 ? 3.6 : 4);
    double depth = pull * (row == 0 ? deepening(figure, chest) : widening(figure, chest)) +
                   (1 - pull) * figure->neck_girth;
    double rise = (figure->neck - figure->shoulder) / 0.045;
    return (wf_vec3){p.x * width, figure->shoulder + p.y * (p.y > 0 ? rise : figure->scale), p.z * depth};
}

/* ---- neck and head ---------------------------------------------------------------------------------------------- */

/* A section of neck or head: heights of its front and back (m over the neck's base; below the crown from `from_crown`
 * on), half width, front and back in z. */
typedef struct head_section {
    double front_y, back_y, half_width, front, back, squareness;
} head_section;

enum { NECK_ROWS = 1, HEAD_ROWS = 5 };

static const head_section neck_sections[NECK_ROWS] = {{0.036, 0.078, 0.0570, 0.050, -0.066, 2.0}};

/* Heights here are below the crown. */
static const head_section head_sections[HEAD_ROWS] = {
    {-0.206, -0.142, 0.056, 0.110, -0.062, 2.0}, {-0.170, -0.112, 0.068, 0.124, -0.078, 2.2},
    {-0.115, -0.086, 0.078, 0.124, -0.090, 2.2}, {-0.062, -0.052, 0.077, 0.114, -0.088, 2.2},
    {-0.022, -0.020, 0.056, 0.080, -0.060, 2.2},
};

static wf_vec3 head_point(const wf_figure *figure, const head_section *section, double base, double factor, int j)
{
    wf_vec3 p = ring_point(j, section->half_width * factor, section->front, section->back, section->squareness, 0);
    double middle = (section->front + section->back) / 2, depth = (section->front - section->back) / 2;
    double across = (p.z - middle) / depth;
    p.y = base + figure->scale * (section->front_y * (1 + across) + section->back_y * (1 - across)) / 2;
    p.z = middle * figure->scale + (p.z - middle) * factor;
    return p;
}

/* ---- legs ------------------------------------------------------------------------------------------------------- */

/* A horizontal section of a leg. `height` goes from 0.1 at the ankle to 1 at the crotch. The inside of the leg stays
 * where it is, whatever the girth. */
typedef struct leg_section {
    double height, inner, outer, front, back; /* m, of the reference figure's left leg */
    double thigh;                             /* how much of the thigh's factor it takes */
} leg_section;

enum { LEG_ROWS = 9, FOOT_ROWS = 4 };

static const leg_section leg_sections[LEG_ROWS] = {
    {0.945, 0.012, 0.188, 0.094, -0.104, 1.0}, {0.850, 0.018, 0.184, 0.092, -0.094, 1.0},
    {0.730, 0.030, 0.170, 0.078, -0.086, 0.9}, {0.610, 0.044, 0.160, 0.056, -0.080, 0.6},
    {0.500, 0.054, 0.158, 0.032, -0.080, 0.5}, {0.395, 0.058, 0.166, 0.014, -0.100, 0.5},
    {0.290, 0.062, 0.162, 0.002, -0.104, 0.5}, {0.190, 0.073, 0.150, -0.012, -0.096, 0.3},
    {0.100, 0.082, 0.140, -0.014, -0.092, 0.15},
};

/* Point k of a ring whose front is at angle 0 (between points 0 and 2) and whose outside is at point SIDE. */
static double leg_angle(int k)
{
    return pi / 2 + (k - SIDE) * pi / 6;
}

/* The height over the sole of a section of the leg. Feet keep their size when legs are short. */
static double leg_height(const wf_figure *figure, double height)
{
    double ankle = 0.0764 * figure->scale;
    return ankle + (figure->crotch - ankle) * (height - 0.1) / 0.9;
}

static wf_vec3 leg_point(const wf_figure *figure, const leg_section *section, int k)
{
    double u = figure->scale;
    double factor = section->thigh * figure->thigh_girth + (1 - section->thigh) * u;
    double half_width = (section->outer - section->inner) / 2 * factor;
    double half_depth = (section->front - section->back) / 2 * factor;
    double middle = (section->front + section->back) / 2 * u;
    double angle = leg_angle(k);
    return (wf_vec3){section->inner * u + half_width + half_width * sin(angle), leg_height(figure, section->height),
                     middle + half_depth * cos(angle)};
}

wf_vec3 wf_figure_leg_point(const wf_figure *figure, double height)
{
    int row = 1;
    while (row + 1 < LEG_ROWS && leg_height(figure, leg_sections[row].height) > height) {
        row++;
    }
    double upper = leg_height(figure, leg_sections[row - 1].height);
    double lower = leg_height(figure, leg_sections[row].height);
    double t = (height - upper) / (lower - upper);
    /* Opposite points of the two rings have the axis between them. */
    const int inner = (SIDE + LEG / 2) % LEG;
    wf_vec3 above = wf_vec3_lerp(leg_point(figure, &leg_sections[row - 1], SIDE),
                                 leg_point(figure, &leg_sections[row - 1], inner), 0.5);
    wf_vec3 below =
        wf_vec3_lerp(leg_point(figure, &leg_sections[row], SIDE), leg_point(figure, &leg_sections[row], inner), 0.5);
    return wf_vec3_lerp(above, below, t);
}

/* A ring of the foot: centre, half width, half height, and the tilt of its plane (0 horizontal, pi/2 upright). */
typedef struct foot_section {
    double x, y, z, half_width, half_height, tilt;
} foot_section;

static const foot_section foot_sections[FOOT_ROWS] = {
    {0.110, 0.040, -0.058, 0.036, 0.074, 0.80},
    {0.114, 0.033, 0.012, 0.038, 0.042, 1.40},
    {0.119, 0.021, 0.075, 0.048, 0.027, 1.57},
    {0.119, 0.013, 0.120, 0.042, 0.018, 1.57},
};

static wf_vec3 foot_point(const wf_figure *figure, const foot_section *section, int k)
{
    double angle = leg_angle(k), u = figure->scale;
    double along = section->half_height * signed_power(cos(angle), 0.8);
    return (wf_vec3){(section->x + section->half_width * signed_power(sin(angle), 0.8)) * u,
                     (section->y + along * sin(section->tilt)) * u, (section->z + along * cos(section->tilt)) * u};
}

/* ---- arms ------------------------------------------------------------------------------------------------------- */

/* A section across the arm: distance from the joint (a fraction of the arm's length up to the wrist, 1; beyond, m),
 * half thickness up-down and front-back, which factor it takes (0 upper arm, 1 wrist, 2 none). */
typedef struct arm_section {
    double distance, thickness, breadth, forearm;
} arm_section;

enum { ARM_ROWS = 8, HAND_ROWS = 2 };

static const arm_section arm_sections[ARM_ROWS] = {
    {0.085, 0.060, 0.062, 0.0}, {0.19, 0.054, 0.057, 0.0},  {0.31, 0.051, 0.054, 0.0},  {0.44, 0.046, 0.049, 0.1},
    {0.57, 0.042, 0.045, 0.3},  {0.70, 0.040, 0.043, 0.5}, {0.85, 0.032, 0.036, 0.85}, {1.00, 0.025, 0.031, 1.0},
};

static const arm_section hand_sections[HAND_ROWS] = {{0.070, 0.020, 0.049, 0}, {0.140, 0.016, 0.042, 0}};

wf_vec3 wf_figure_arm_direction(const wf_figure *figure)
{
    return (wf_vec3){cos(figure->arm_angle), -sin(figure->arm_angle), 0};
}

/* The torso's half width at a height; over the armpit, the armpit's. */
static double torso_half_width(const wf_figure *figure, double height)
{
    double below_y = 0, below_x = 0;
    for (int row = 0; row < TORSO_ROWS; row++) {
        double y = level_height(figure, torso_sections[row].level);
        double x = torso_sections[row].half_width * widening(figure, level_factor(figure, torso_sections[row].level));
        if (y > height && row > 0) {
            return below_x + (x - below_x) * (height - below_y) / (y - below_y);
        }
        below_y = y;
        below_x = x;
    }
    return below_x;
}

/* Half thickness and breadth of a section of the arm, m. */
static void arm_radii(const wf_figure *figure, int row, double *thickness, double *breadth)
{
    const arm_section *section = &arm_sections[row];
    double factor = (1 - section->forearm) * figure->upper_arm_girth + section->forearm * figure->wrist_girth;
    *thickness = section->thickness * factor;
    *breadth = section->breadth * factor;
}

static wf_vec3 plain_arm_point(const wf_figure *figure, double distance)
{
    double u = figure->scale, bend = distance / (0.55 * u);
    wf_vec3 joint = {figure->shoulder_half_width - 0.026 * u, figure->shoulder - 0.042 * u,
                     (-0.026 + 0.05 * bend * bend) * u};
    return wf_vec3_muladds(joint, wf_figure_arm_direction(figure), distance);
}

/* How much of a section's thickness its underside is ahead of its axis, so that the first ones lean from the torso's
 * side into the arm's direction. */
static const double arm_lean[ARM_ROWS] = {0.75, 0.3};

/* The underside of a section, where the arm is nearest to the torso. */
static wf_vec3 arm_underside(const wf_figure *figure, int row)
{
    double thickness, breadth;
    arm_radii(figure, row, &thickness, &breadth);
    wf_vec3 along = wf_figure_arm_direction(figure), up = {-along.y, along.x, 0};
    wf_vec3 p = plain_arm_point(figure, arm_sections[row].distance * figure->arm_length);
    return wf_vec3_muladds(wf_vec3_muladds(p, up, -thickness), along, thickness * arm_lean[row]);
}

/* How far the arm moves outward to hang free of the torso. */
static double arm_shift(const wf_figure *figure)
{
    double shift = 0;
    for (int row = 0; row < ARM_ROWS; row++) {
        wf_vec3 p = arm_underside(figure, row);
        double gap = (row == 0 ? 0.006 : 0.014) * figure->scale;
        shift = fmax(shift, torso_half_width(figure, p.y) + gap - p.x);
    }
    return shift;
}

static wf_vec3 axis_point(const wf_figure *figure, double distance)
{
    wf_vec3 p = plain_arm_point(figure, distance);
    p.x += arm_shift(figure);
    return p;
}

/* Point k of a ring with the given half thickness and breadth, from the underside over the back. */
static wf_vec3 arm_ring_point(const wf_figure *figure, double distance, double thickness, double breadth, double lean,
                              int k)
{
    double angle = 2 * pi * k / ARM;
    wf_vec3 along = wf_figure_arm_direction(figure), up = {-along.y, along.x, 0};
    wf_vec3 p = wf_vec3_muladds(axis_point(figure, distance), up, -thickness * cos(angle));
    p = wf_vec3_muladds(p, along, thickness * lean * cos(angle));
    p.z -= breadth * sin(angle);
    return p;
}

static wf_vec3 arm_point(const wf_figure *figure, int row, int k)
{
    double u = figure->scale;
    if (row < ARM_ROWS) {
        double thickness, breadth;
        arm_radii(figure, row, &thickness, &breadth);
        return arm_ring_point(figure, arm_sections[row].distance * figure->arm_length, thickness, breadth,
                              arm_lean[row], k);
    }
    const arm_section *section = &hand_sections[row - ARM_ROWS];
    return arm_ring_point(figure, figure->arm_length + section->distance * u, section->thickness * u,
                          section->breadth * u, 0, k);
}

/* ---- assembly --------------------------------------------------------------------------------------------------- */

/* Keeps the first failure, so that the assembly reads as a plain list. */
typedef struct builder {
    wf_context *context;
    wf_halfmesh *cage;
    wf_status status;
} builder;

static int32_t add_vertex(builder *build, wf_vec3 p)
{
    int32_t index = build->cage->vertex_count;
    if (build->status == WF_OK) {
        build->status = wf_halfmesh_add_vertex(build->context, build->cage, p);
    }
    return index;
}

static void add_quad(builder *build, int32_t a, int32_t b, int32_t c, int32_t d)
{
    if (build->status == WF_OK) {
        build->status = wf_halfmesh_add_quad(build->context, build->cage, a, b, c, d);
    }
}

/* Quads between two half rings, the second above the first. */
static void join_half_rings(builder *build, const int32_t *lower, const int32_t *upper, int first, int end)
{
    for (int j = first; j < end; j++) {
        add_quad(build, lower[j], lower[j + 1], upper[j + 1], upper[j]);
    }
}

/* Quads between two closed rings, the second above the first. */
static void join_rings(builder *build, const int32_t *lower, const int32_t *upper, int count)
{
    for (int k = 0; k < count; k++) {
        int next = (k + 1) % count;
        add_quad(build, lower[k], lower[next], upper[next], upper[k]);
    }
}

/* Closes the last ring of the head: a grid of 2 x 4 quads on each side. */
static void add_crown(builder *build, const wf_figure *figure, const int32_t *ring, wf_figure_marks *marks)
{
    const wf_vec3 *points = build->cage->positions;
    wf_vec3 front = points[ring[0]], back = points[ring[RING - 1]], side = points[ring[SIDE]];
    int32_t grid[2][5]; /* the middle line and the line halfway to the side, from front to back */
    grid[0][0] = ring[0];
    grid[1][0] = ring[1];
    grid[0][4] = ring[8];
    grid[1][4] = ring[7];
    for (int i = 1; i < 4; i++) {
        double z = front.z + (back.z - front.z) * i / 4, y = figure->crown - (i == 2 ? 0 : 0.006) * figure->scale;
        grid[0][i] = add_vertex(build, (wf_vec3){0, y, z});
        grid[1][i] = add_vertex(build, (wf_vec3){side.x * 0.52, y - 0.003 * figure->scale, z});
    }
    const int32_t outer[5] = {ring[2], ring[3], ring[4], ring[5], ring[6]};
    for (int i = 0; i < 4; i++) {
        add_quad(build, grid[0][i], grid[1][i], grid[1][i + 1], grid[0][i + 1]);
        add_quad(build, grid[1][i], outer[i], outer[i + 1], grid[1][i + 1]);
    }
    marks->crown = grid[0][2];
}

static void add_torso_and_head(builder *build, const wf_figure *figure, int32_t crotch_ring[RING],
                               int32_t arm_hole[ARM], wf_figure_marks *marks)
{
    enum { NECK_BASE = TORSO_ROWS + YOKE_ROWS - 1, ROWS = TORSO_ROWS + YOKE_ROWS + NECK_ROWS + HEAD_ROWS };
    int32_t rings[ROWS][RING];
    for (int row = 0; row < ROWS; row++) {
        int yoke = row - TORSO_ROWS, neck = yoke - YOKE_ROWS, head = neck - NECK_ROWS;
        for (int j = 0; j < RING; j++) {
            if (yoke == 0 && j == SIDE) {
                continue; /* inside the arm */
            }
            wf_vec3 p = yoke < 0   ? torso_point(figure, row, j)
                        : neck < 0 ? yoke_point(figure, yoke, j)
                        : head < 0 ? head_point(figure, &neck_sections[neck], figure->neck, figure->neck_girth, j)
                                   : head_point(figure, &head_sections[head], figure->crown, figure->scale, j);
            rings[row][j] = add_vertex(build, p);
        }
    }
    for (int row = 0; row + 1 < ROWS; row++) {
        bool beside_arm = row == ARMPIT_ROW || row == ARMPIT_ROW + 1;
        join_half_rings(build, rings[row], rings[row + 1], 0, beside_arm ? SIDE - 1 : RING - 1);
        if (beside_arm) {
            join_half_rings(build, rings[row], rings[row + 1], SIDE + 1, RING - 1);
        }
    }
    if (build->status == WF_OK) {
        add_crown(build, figure, rings[ROWS - 1], marks);
    }
    const int32_t *armpit = rings[ARMPIT_ROW], *middle = rings[ARMPIT_ROW + 1], *shoulder = rings[ARMPIT_ROW + 2];
    const int32_t hole[ARM] = {armpit[SIDE],       armpit[SIDE + 1],   middle[SIDE + 1],   shoulder[SIDE + 1],
                               shoulder[SIDE],     shoulder[SIDE - 1], middle[SIDE - 1],   armpit[SIDE - 1]};
    for (int k = 0; k < ARM; k++) {
        arm_hole[k] = hole[k];
    }
    for (int j = 0; j < RING; j++) {
        crotch_ring[j] = rings[0][j];
    }
    marks->armpit = armpit[SIDE];
    marks->shoulder = shoulder[SIDE];
    marks->side_neck = rings[NECK_BASE][SIDE];
    marks->front_neck = rings[NECK_BASE][0];
    marks->back_neck = rings[NECK_BASE][RING - 1];
}

static void add_arm(builder *build, const wf_figure *figure, const int32_t hole[ARM], wf_figure_marks *marks)
{
    int32_t below[ARM], ring[ARM];
    for (int k = 0; k < ARM; k++) {
        below[k] = hole[k];
    }
    for (int row = 0; row < ARM_ROWS + HAND_ROWS; row++) {
        for (int k = 0; k < ARM; k++) {
            ring[k] = add_vertex(build, arm_point(figure, row, k));
        }
        join_rings(build, below, ring, ARM);
        for (int k = 0; k < ARM; k++) {
            below[k] = ring[k];
        }
        if (row == ARM_ROWS - 1) {
            marks->wrist_bottom = ring[0];
            marks->wrist_top = ring[ARM / 2];
        }
    }
    int32_t tip = add_vertex(build, axis_point(figure, figure->arm_length + 0.175 * figure->scale));
    for (int k = 0; k < ARM; k += 2) {
        add_quad(build, ring[(k + ARM - 1) % ARM], ring[k], ring[k + 1], tip);
    }
}

/* Closes the foot's last ring at the toes: a grid of 3 x 3 quads. */
static void add_toes(builder *build, const wf_figure *figure, const int32_t ring[LEG])
{
    int32_t inner[4];
    const int corners[4] = {2, 5, 8, 11};
    for (int k = 0; k < 4; k++) {
        wf_vec3 p = build->cage->positions[ring[corners[k]]];
        wf_vec3 middle = {0.119 * figure->scale, 0.013 * figure->scale, 0.137 * figure->scale};
        p = wf_vec3_lerp(p, middle, 0.5);
        p.z = middle.z;
        inner[k] = add_vertex(build, p);
    }
    for (int k = 0; k < 4; k++) {
        int corner = corners[k], next = (k + 1) % 4;
        int before = corner - 1, after = (corner + 1) % LEG, after2 = (corner + 2) % LEG;
        add_quad(build, inner[k], ring[after], ring[corner], ring[before]);
        add_quad(build, inner[k], inner[next], ring[after2], ring[after]);
    }
    add_quad(build, inner[3], inner[2], inner[1], inner[0]);
}

static void add_leg(builder *build, const wf_figure *figure, const int32_t crotch_ring[RING], wf_figure_marks *marks)
{
    int32_t above[LEG], ring[LEG];
    for (int j = 0; j < RING; j++) {
        above[j] = crotch_ring[j];
    }
    if (build->status != WF_OK) {
        return;
    }
    wf_vec3 front = build->cage->positions[crotch_ring[0]], back = build->cage->positions[crotch_ring[RING - 1]];
    for (int i = 0; i < BRIDGE; i++) {
        double t = (i + 1) / (double)(BRIDGE + 1); /* from back to front */
        wf_vec3 p = wf_vec3_lerp(back, front, t);
        p.y = figure->crotch - 0.02 * figure->scale * sin(pi * t);
        above[RING + i] = add_vertex(build, p);
    }
    marks->crotch = above[RING + BRIDGE / 2];
    for (int row = 0; row < LEG_ROWS + FOOT_ROWS; row++) {
        for (int k = 0; k < LEG; k++) {
            wf_vec3 p = row < LEG_ROWS ? leg_point(figure, &leg_sections[row], k)
                                       : foot_point(figure, &foot_sections[row - LEG_ROWS], k);
            ring[k] = add_vertex(build, p);
        }
        join_rings(build, ring, above, LEG);
        for (int k = 0; k < LEG; k++) {
            above[k] = ring[k];
        }
    }
    if (build->status == WF_OK) {
        add_toes(build, figure, ring);
    }
}

wf_status wf_figure_build(wf_context *context, const wf_figure *figure, wf_halfmesh *cage, wf_figure_marks *marks)
{
    *cage = (wf_halfmesh){0};
    builder build = {context, cage, WF_OK};
    int32_t crotch_ring[RING], arm_hole[ARM];
    add_torso_and_head(&build, figure, crotch_ring, arm_hole, marks);
    add_arm(&build, figure, arm_hole, marks);
    add_leg(&build, figure, crotch_ring, marks);
    if (build.status != WF_OK) {
        wf_halfmesh_free(context, cage);
    }
    return build.status;
}

/* ---- curves ----------------------------------------------------------------------------------------------------- */

static double gauss(double x, double width)
{
    return exp(-0.5 * x * x / (width * width));
}

/* 0 below 0, 1 above 1, smooth between. */
static double smooth_step(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

void wf_figure_add_curves(const wf_figure *figure, wf_halfmesh *surface)
{
    double u = figure->scale, bust_x = 0.088 * figure->bust_girth, hips_x = 0.078 * figure->hips_girth;
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        wf_vec3 *p = &surface->positions[v];
        if (p->x > figure->shoulder_half_width + 0.02 * u) {
            continue; /* the arms */
        }
        double front = smooth_step(p->z / (0.06 * u)), back = smooth_step(-p->z / (0.06 * u));
        /* Fuller below than above. */
        double drop = p->y - (figure->bust - 0.01 * u);
        double breast = gauss(drop, (drop > 0 ? 0.058 : 0.036) * u) * gauss(p->x - bust_x, 0.050 * u);
        p->z += figure->bosom * front * breast;
        double rise = p->y - (figure->hips - 0.015 * u);
        double buttock = gauss(rise, (rise > 0 ? 0.062 : 0.045) * u) * gauss(p->x - hips_x, 0.050 * u);
        p->z -= 0.022 * u * back * buttock;
    }
}
