/* wind_drawing.c - see wind_drawing.h. */
#include "air/wind_drawing.h"

#include <string.h>

enum {
    SIDES = 8, /* of shafts: smooth in pictures, whose creases begin at 50 degrees */
    ARROW_VERTICES = 3 * SIDES + 2,
    ARROW_FACES = 6 * SIDES,
    SAMPLE_BLOCK = 1 << 14
};

static const double DEFAULT_MEMORY = 1073741824.0; /* 2^30 */
static const double SLOWEST_SHARE = 1e-3;          /* of the fastest wind, from which on arrows are drawn */

/* ---- the drawing ------------------------------------------------------------------------------------------------- */

void wf_wind_drawing_free(wf_context *context, wf_wind_drawing *drawing)
{
    wf_free(context, drawing->positions);
    wf_free(context, drawing->faces);
    wf_free(context, drawing->values);
    wf_free(context, drawing->points);
    wf_free(context, drawing->velocities);
    wf_free(context, drawing->starts);
    *drawing = (wf_wind_drawing){.vertex_count = 0};
}

/* Gives the drawing arrays of these sizes, and its points. WF_ERROR_LIMIT says how many bytes it would take where that
 * is more than `memory`, or more vertices or faces than can be counted. `what` names it. */
static wf_status reserve(wf_context *context, const char *what, double vertex_count, double face_count,
                         double point_count, double memory, wf_wind_drawing *drawing)
{
    double bytes = vertex_count * (double)(sizeof *drawing->positions + sizeof *drawing->values) +
                   face_count * (double)sizeof *drawing->faces +
                   point_count * (double)(sizeof *drawing->points + sizeof *drawing->velocities);
    if (!(bytes <= memory) || !(fmax(vertex_count, 3 * face_count) <= INT32_MAX)) {
        return wf_fail(context, WF_ERROR_LIMIT,
                       "%s would take %.3g million triangles and %.3g MB; memory allows %.3g MB", what,
                       face_count / 1e6, bytes / 1e6, memory / 1e6);
    }
    drawing->vertex_count = (size_t)vertex_count;
    drawing->face_count = (size_t)face_count;
    drawing->positions = wf_allocate(context, drawing->vertex_count, sizeof *drawing->positions);
    drawing->faces = wf_allocate(context, drawing->face_count, sizeof *drawing->faces);
    drawing->values = wf_allocate(context, drawing->vertex_count, sizeof *drawing->values);
    if (!drawing->points) {
        drawing->point_count = (size_t)point_count;
        drawing->points = wf_allocate(context, drawing->point_count, sizeof *drawing->points);
        drawing->velocities = wf_allocate(context, drawing->point_count, sizeof *drawing->velocities);
    }
    bool complete = drawing->positions && drawing->faces && drawing->values && drawing->points && drawing->velocities;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

wf_status wf_wind_sample(const wf_wind_sampler *sampler, size_t count, const wf_vec3 *points, wf_vec3 *velocities)
{
    for (size_t begin = 0; begin < count; begin += SAMPLE_BLOCK) {
        size_t size = count - begin < SAMPLE_BLOCK ? count - begin : SAMPLE_BLOCK;
        wf_status status = sampler->sample(sampler->user, size, points + begin, velocities + begin);
        if (status != WF_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!wf_vec3_isfinite(velocities[i])) {
            velocities[i] = (wf_vec3){0, 0, 0};
        }
    }
    return WF_OK;
}

/* The largest of the speeds. */
static double fastest(size_t count, const wf_vec3 *velocities)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, wf_vec3_norm(velocities[i]));
    }
    return largest;
}

static wf_status check_points(wf_context *context, size_t count, const wf_vec3 *points)
{
    for (size_t i = 0; i < count; i++) {
        if (!wf_vec3_isfinite(points[i])) {
            return wf_fail(context, WF_ERROR_NUMERIC, "point %zu is not finite", i + 1);
        }
    }
    return WF_OK;
}

wf_status wf_box_lattice(wf_context *context, wf_vec3 lower, wf_vec3 upper, double spacing, double memory,
                         size_t *count, wf_vec3 **points)
{
    double sizes[3] = {upper.x - lower.x, upper.y - lower.y, upper.z - lower.z}, counts[3], total = 1;
    for (int k = 0; k < 3; k++) {
        if (!(sizes[k] >= 0) || !isfinite(sizes[k])) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "upper must not be below lower, got a box of %g x %g x %g m", sizes[0], sizes[1], sizes[2]);
        }
        if (!(spacing > 0) || !isfinite(spacing)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "spacing must be a number above 0, got %g", spacing);
        }
        /* A share of the spacing, so that a side of three spacings has four points however it was rounded. */
        counts[k] = floor(sizes[k] / spacing * (1 + 1e-12) + 1e-9) + 1;
        total *= counts[k];
    }
    double bytes = total * (double)sizeof **points;
    if (!(bytes <= memory)) {
        return wf_fail(context, WF_ERROR_LIMIT, "spacing of %g m makes %.3g points in the box, %.3g MB; memory allows "
                       "%.3g MB", spacing, total, bytes / 1e6, memory / 1e6);
    }
    wf_vec3 *lattice = wf_allocate(context, (size_t)total, sizeof *lattice);
    if (!lattice) {
        return WF_ERROR_MEMORY;
    }
    double first[3] = {lower.x, lower.y, lower.z};
    size_t n[3];
    for (int k = 0; k < 3; k++) {
        first[k] += 0.5 * fmax(0, sizes[k] - (counts[k] - 1) * spacing);
        n[k] = (size_t)counts[k];
    }
    for (size_t i = 0; i < (size_t)total; i++) {
        lattice[i] = (wf_vec3){first[0] + (double)(i / (n[1] * n[2])) * spacing,
                               first[1] + (double)(i / n[2] % n[1]) * spacing,
                               first[2] + (double)(i % n[2]) * spacing};
    }
    *points = lattice;
    *count = (size_t)total;
    return WF_OK;
}

/* Copies the points and asks for their wind. */
static wf_status sample_points(const wf_wind_sampler *sampler, const wf_vec3 *points, wf_wind_drawing *drawing)
{
    if (drawing->point_count > 0) {
        memcpy(drawing->points, points, drawing->point_count * sizeof *points);
    }
    return wf_wind_sample(sampler, drawing->point_count, drawing->points, drawing->velocities);
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

wf_wind_arrows wf_default_wind_arrows(void)
{
    return (wf_wind_arrows){.length = 0.1, .memory = DEFAULT_MEMORY};
}

static wf_status check_arrows(wf_context *context, const wf_wind_arrows *params)
{
    const double values[] = {params->length, params->scale, params->slowest, params->width};
    static const char *const names[] = {"length", "scale", "slowest", "width"};
    for (int k = 0; k < 4; k++) {
        if (!(values[k] >= 0) || !isfinite(values[k]) || (k == 0 && !(values[0] > 0))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be a number %s 0, got %g", names[k],
                           k == 0 ? "above" : "of at least", values[k]);
        }
    }
    return WF_OK;
}

/* A ring of vertices about an axis. */
static void set_ring(wf_vec3 *ring, wf_vec3 centre, wf_vec3 a, wf_vec3 b, double radius)
{
    for (int k = 0; k < SIDES; k++) {
        double angle = 6.283185307179586 * k / SIDES;
        wf_vec3 offset = wf_vec3_muladds(wf_vec3_scale(a, radius * cos(angle)), b, radius * sin(angle));
        ring[k] = wf_vec3_add(centre, offset);
    }
}

static void set_face(int32_t face[3], int32_t a, int32_t b, int32_t c)
{
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

/* An arrow's vertices: foot, foot's ring, neck's ring, head's ring, tip. Those too short for a head of full size are
 * smaller copies of the shortest that has one. */
static void add_arrow(wf_vec3 foot, wf_vec3 direction, double length, double width, wf_vec3 *vertices,
                      int32_t (*faces)[3], int32_t first)
{
    double head = 6 * width;
    if (length < 2 * head) {
        head = 0.5 * length;
        width = head / 6;
    }
    wf_vec3 a = wf_vec3_perpendicular(direction), b = wf_vec3_cross(direction, a);
    wf_vec3 neck = wf_vec3_muladds(foot, direction, length - head);
    vertices[0] = foot;
    set_ring(vertices + 1, foot, a, b, width);
    set_ring(vertices + 1 + SIDES, neck, a, b, width);
    set_ring(vertices + 1 + 2 * SIDES, neck, a, b, 2.5 * width);
    vertices[ARROW_VERTICES - 1] = wf_vec3_muladds(foot, direction, length);
    for (int32_t k = 0; k < SIDES; k++) {
        int32_t low = first + 1 + k, low_next = first + 1 + (k + 1) % SIDES;
        int32_t neck_at = low + SIDES, neck_next = low_next + SIDES;
        int32_t head_at = neck_at + SIDES, head_next = neck_next + SIDES;
        set_face(faces[6 * k], first, low_next, low);
        set_face(faces[6 * k + 1], low, low_next, neck_next);
        set_face(faces[6 * k + 2], low, neck_next, neck_at);
        set_face(faces[6 * k + 3], neck_at, neck_next, head_next);
        set_face(faces[6 * k + 4], neck_at, head_next, head_at);
        set_face(faces[6 * k + 5], head_at, head_next, first + ARROW_VERTICES - 1);
    }
}

/* Drops the points whose wind is too slow for an arrow. */
static void keep_fast(wf_wind_drawing *drawing, double slowest)
{
    size_t kept = 0;
    for (size_t i = 0; i < drawing->point_count; i++) {
        double speed = wf_vec3_norm(drawing->velocities[i]);
        if (speed > 0 && speed >= slowest) {
            drawing->points[kept] = drawing->points[i];
            drawing->velocities[kept++] = drawing->velocities[i];
        }
    }
    drawing->point_count = kept;
}

static wf_status draw_arrows(wf_context *context, const wf_wind_arrows *params, const wf_wind_sampler *sampler,
                             size_t count, const wf_vec3 *points, wf_wind_drawing *drawing)
{
    double most = (double)count;
    wf_status status = check_arrows(context, params);
    if (status == WF_OK) {
        status = check_points(context, count, points);
    }
    if (status == WF_OK) {
        status = reserve(context, "arrows", ARROW_VERTICES * most, ARROW_FACES * most, most, params->memory, drawing);
    }
    if (status == WF_OK) {
        status = sample_points(sampler, points, drawing);
    }
    if (status != WF_OK) {
        return status;
    }
    double speed = fastest(count, drawing->velocities);
    double scale = params->scale > 0 ? params->scale : speed > 0 ? params->length / speed : 0;
    double width = params->width > 0 ? params->width : scale * speed / 40;
    keep_fast(drawing, params->slowest > 0 ? params->slowest : SLOWEST_SHARE * speed);
    drawing->vertex_count = ARROW_VERTICES * drawing->point_count;
    drawing->face_count = ARROW_FACES * drawing->point_count;
    drawing->range[1] = speed;
    for (size_t i = 0; i < drawing->point_count; i++) {
        double own = wf_vec3_norm(drawing->velocities[i]);
        size_t first = ARROW_VERTICES * i;
        add_arrow(drawing->points[i], wf_vec3_scale(drawing->velocities[i], 1 / own), scale * own, width,
                  drawing->positions + first, drawing->faces + ARROW_FACES * i, (int32_t)first);
        for (size_t k = 0; k < ARROW_VERTICES; k++) {
            drawing->values[first + k] = own;
        }
    }
    return WF_OK;
}

wf_status wf_wind_draw_arrows(wf_context *context, const wf_wind_arrows *params, const wf_wind_sampler *sampler,
                              size_t count, const wf_vec3 *points, wf_wind_drawing *drawing)
{
    wf_status status = draw_arrows(context, params, sampler, count, points, drawing);
    if (status != WF_OK) {
        wf_wind_drawing_free(context, drawing);
    }
    return status;
}

/* ---- tubes ------------------------------------------------------------------------------------------------------- */

static bool is_closed(const wf_vec3 *points, size_t count)
{
    return wf_vec3_equal(points[0], points[count - 1]);
}

/* A vector across a line, carried from its point p with tangent t to q with tangent u: two reflections. */
static wf_vec3 carry(wf_vec3 across, wf_vec3 p, wf_vec3 t, wf_vec3 q, wf_vec3 u)
{
    wf_vec3 chord = wf_vec3_sub(q, p);
    double square = wf_vec3_norm2(chord);
    wf_vec3 reflected = wf_vec3_muladds(across, chord, -2 * wf_vec3_dot(chord, across) / square);
    wf_vec3 tangent = wf_vec3_muladds(t, chord, -2 * wf_vec3_dot(chord, t) / square);
    wf_vec3 second = wf_vec3_sub(u, tangent);
    double norm = wf_vec3_norm2(second);
    if (norm > 0) {
        reflected = wf_vec3_muladds(reflected, second, -2 * wf_vec3_dot(second, reflected) / norm);
    }
    /* What rounding left along the tangent goes. */
    return wf_vec3_normalize(wf_vec3_muladds(reflected, u, -wf_vec3_dot(reflected, u)));
}

/* The angle by which the frame has turned when a closed line comes back to its first point. */
static double turn_of_loop(const wf_vec3 *points, const wf_vec3 *velocities, size_t count)
{
    wf_vec3 start = wf_vec3_normalize(velocities[0]), tangent = start;
    wf_vec3 first = wf_vec3_perpendicular(tangent), across = first;
    for (size_t i = 1; i < count; i++) {
        wf_vec3 next = wf_vec3_normalize(velocities[i]);
        across = carry(across, points[i - 1], tangent, points[i], next);
        tangent = next;
    }
    return atan2(wf_vec3_dot(across, wf_vec3_cross(start, first)), wf_vec3_dot(across, first));
}

static void join_rings(int32_t from, int32_t to, int32_t (*faces)[3])
{
    for (int32_t k = 0; k < SIDES; k++) {
        int32_t next = (k + 1) % SIDES;
        set_face(faces[2 * k], from + k, from + next, to + next);
        set_face(faces[2 * k + 1], from + k, to + next, to + k);
    }
}

/* The tube of a line. An open one has its rings, then the middle of its foot and its tip. */
static void add_tube(const wf_vec3 *points, const wf_vec3 *velocities, size_t count, double radius,
                     wf_wind_drawing *drawing)
{
    bool closed = is_closed(points, count);
    size_t rings = closed ? count - 1 : count;
    int32_t first = (int32_t)drawing->vertex_count;
    wf_vec3 *vertices = drawing->positions + first;
    double *values = drawing->values + first;
    int32_t(*faces)[3] = drawing->faces + drawing->face_count;
    double untwist = closed ? -turn_of_loop(points, velocities, count) / (double)rings : 0;
    wf_vec3 tangent = wf_vec3_normalize(velocities[0]), across = wf_vec3_perpendicular(tangent);
    for (size_t i = 0; i < rings; i++) {
        if (i > 0) {
            wf_vec3 next = wf_vec3_normalize(velocities[i]);
            across = carry(across, points[i - 1], tangent, points[i], next);
            tangent = next;
        }
        wf_vec3 other = wf_vec3_cross(tangent, across);
        double c = cos(untwist * (double)i), s = sin(untwist * (double)i);
        set_ring(vertices + SIDES * i, points[i], wf_vec3_muladds(wf_vec3_scale(across, c), other, s),
                 wf_vec3_muladds(wf_vec3_scale(other, c), across, -s), radius);
        for (int k = 0; k < SIDES; k++) {
            values[SIDES * i + (size_t)k] = wf_vec3_norm(velocities[i]);
        }
        if (i + 1 < rings || closed) {
            int32_t at = first + (int32_t)(SIDES * i);
            join_rings(at, first + (int32_t)(SIDES * ((i + 1) % rings)), faces + 2 * SIDES * i);
        }
    }
    drawing->vertex_count += SIDES * rings;
    drawing->face_count += 2 * SIDES * (closed ? rings : rings - 1);
    if (closed) {
        return;
    }
    int32_t foot = (int32_t)drawing->vertex_count, last = foot - SIDES;
    faces = drawing->faces + drawing->face_count;
    drawing->positions[foot] = points[0];
    drawing->positions[foot + 1] = wf_vec3_muladds(points[count - 1], tangent, 3 * radius);
    drawing->values[foot] = values[0];
    drawing->values[foot + 1] = wf_vec3_norm(velocities[count - 1]);
    for (int32_t k = 0; k < SIDES; k++) {
        int32_t next = (k + 1) % SIDES;
        set_face(faces[2 * k], foot, first + next, first + k);
        set_face(faces[2 * k + 1], last + k, last + next, foot + 1);
    }
    drawing->vertex_count += 2;
    drawing->face_count += 2 * SIDES;
}

wf_status wf_wind_drawing_add_tubes(wf_context *context, double radius, double memory, wf_wind_drawing *drawing)
{
    double vertices = 0, faces = 0;
    for (size_t i = 0; i < drawing->line_count; i++) {
        size_t count = (size_t)(drawing->starts[i + 1] - drawing->starts[i]);
        bool closed = is_closed(drawing->points + drawing->starts[i], count);
        double rings = (double)(closed ? count - 1 : count);
        vertices += SIDES * rings + (closed ? 0 : 2);
        faces += 2 * SIDES * (closed ? rings : rings + 1);
    }
    wf_status status =
        reserve(context, "streamlines", vertices, faces, (double)drawing->point_count, memory, drawing);
    if (status == WF_OK && !drawing->starts) {
        drawing->starts = wf_allocate(context, 1, sizeof *drawing->starts);
        status = drawing->starts ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status != WF_OK) {
        return status;
    }
    drawing->vertex_count = drawing->face_count = 0;
    for (size_t i = 0; i < drawing->line_count; i++) {
        int32_t start = drawing->starts[i];
        add_tube(drawing->points + start, drawing->velocities + start, (size_t)(drawing->starts[i + 1] - start), radius,
                 drawing);
    }
    drawing->range[1] = fastest(drawing->point_count, drawing->velocities);
    return WF_OK;
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

static void add_octahedron(wf_vec3 centre, double radius, wf_vec3 *vertices, int32_t (*faces)[3], int32_t first)
{
    static const int8_t corners[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int k = 0; k < 6; k++) {
        double offset = k % 2 == 0 ? radius : -radius;
        vertices[k] = wf_vec3_add(centre, (wf_vec3){k / 2 == 0 ? offset : 0, k / 2 == 1 ? offset : 0,
                                                    k / 2 == 2 ? offset : 0});
    }
    for (int f = 0; f < 8; f++) {
        set_face(faces[f], first + corners[f][0], first + corners[f][1], first + corners[f][2]);
    }
}

static wf_status draw_markers(wf_context *context, double radius, double memory, const wf_wind_sampler *sampler,
                              size_t count, const wf_vec3 *points, wf_wind_drawing *drawing)
{
    if (!(radius > 0) || !isfinite(radius)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "radius must be a number above 0, got %g", radius);
    }
    double most = (double)count;
    wf_status status = check_points(context, count, points);
    if (status == WF_OK) {
        status = reserve(context, "markers", 6 * most, 8 * most, most, memory, drawing);
    }
    if (status == WF_OK) {
        status = sample_points(sampler, points, drawing);
    }
    for (size_t i = 0; i < count && status == WF_OK; i++) {
        add_octahedron(points[i], radius, drawing->positions + 6 * i, drawing->faces + 8 * i, (int32_t)(6 * i));
        for (size_t k = 0; k < 6; k++) {
            drawing->values[6 * i + k] = wf_vec3_norm(drawing->velocities[i]);
        }
    }
    if (status == WF_OK) {
        drawing->range[1] = fastest(count, drawing->velocities);
    }
    return status;
}

wf_status wf_wind_draw_markers(wf_context *context, double radius, double memory, const wf_wind_sampler *sampler,
                               size_t count, const wf_vec3 *points, wf_wind_drawing *drawing)
{
    wf_status status = draw_markers(context, radius, memory, sampler, count, points, drawing);
    if (status != WF_OK) {
        wf_wind_drawing_free(context, drawing);
    }
    return status;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

wf_wind_slice wf_default_wind_slice(void)
{
    return (wf_wind_slice){.memory = DEFAULT_MEMORY};
}

static wf_status check_slice(wf_context *context, const wf_wind_slice *slice)
{
    double across = wf_vec3_norm(slice->across), up = wf_vec3_norm(slice->up);
    if (!wf_vec3_isfinite(slice->corner) || !isfinite(across * up) || !(across * up > 0)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the sides of a slice must have lengths, got %g m and %g m", across,
                       up);
    }
    if (!(fabs(wf_vec3_dot(slice->across, slice->up)) <= 1e-6 * across * up)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the sides of a slice must be at a right angle");
    }
    if (!(slice->spacing > 0) || !isfinite(slice->spacing)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "spacing must be a number above 0, got %g", slice->spacing);
    }
    return WF_OK;
}

/* The derivative along a row of n values, `stride` apart, at position i. */
static double slope(const double *values, size_t i, size_t n, size_t stride, double spacing)
{
    const double *v = values + i * stride;
    if (i == 0) {
        return (4 * v[stride] - 3 * v[0] - v[2 * stride]) / (2 * spacing);
    }
    if (i == n - 1) {
        const double *back = v - stride, *two_back = v - 2 * stride;
        return (3 * v[0] - 4 * back[0] + two_back[0]) / (2 * spacing);
    }
    return (v[stride] - *(v - stride)) / (2 * spacing);
}

/* The vorticity about the slice's normal, which velocities in the slice suffice for. */
static wf_status set_vorticity(wf_context *context, const wf_wind_slice *slice, const size_t n[2],
                               wf_wind_drawing *drawing)
{
    wf_vec3 a = wf_vec3_normalize(slice->across), b = wf_vec3_normalize(slice->up);
    double spacing[2] = {wf_vec3_norm(slice->across) / (double)(n[0] - 1),
                         wf_vec3_norm(slice->up) / (double)(n[1] - 1)};
    double *along = wf_allocate(context, 2 * drawing->point_count, sizeof *along);
    if (!along) {
        return WF_ERROR_MEMORY;
    }
    double *upward = along + drawing->point_count;
    for (size_t i = 0; i < drawing->point_count; i++) {
        along[i] = wf_vec3_dot(drawing->velocities[i], a);
        upward[i] = wf_vec3_dot(drawing->velocities[i], b);
    }
    for (size_t j = 0; j < n[1]; j++) {
        for (size_t i = 0; i < n[0]; i++) {
            drawing->values[j * n[0] + i] =
                slope(upward + j * n[0], i, n[0], 1, spacing[0]) - slope(along + i, j, n[1], n[0], spacing[1]);
        }
    }
    wf_free(context, along);
    return WF_OK;
}

static void set_values(const wf_wind_slice *slice, wf_wind_drawing *drawing)
{
    wf_vec3 normal = wf_vec3_normalize(wf_vec3_cross(slice->across, slice->up));
    for (size_t i = 0; i < drawing->point_count; i++) {
        wf_vec3 v = drawing->velocities[i];
        drawing->values[i] = slice->value == WF_WIND_SPEED ? wf_vec3_norm(v)
                           : slice->value == WF_WIND_X   ? v.x
                           : slice->value == WF_WIND_Y   ? v.y
                           : slice->value == WF_WIND_Z   ? v.z
                                                         : wf_vec3_dot(v, normal);
    }
}

static void set_grid(const wf_wind_slice *slice, const size_t n[2], wf_wind_drawing *drawing)
{
    int32_t(*face)[3] = drawing->faces;
    for (size_t j = 0; j < n[1]; j++) {
        for (size_t i = 0; i < n[0]; i++) {
            wf_vec3 point = wf_vec3_muladds(slice->corner, slice->across, (double)i / (double)(n[0] - 1));
            drawing->points[j * n[0] + i] = wf_vec3_muladds(point, slice->up, (double)j / (double)(n[1] - 1));
            if (i + 1 < n[0] && j + 1 < n[1]) {
                int32_t at = (int32_t)(j * n[0] + i), above = at + (int32_t)n[0];
                set_face(*face++, at, at + 1, above + 1);
                set_face(*face++, at, above + 1, above);
            }
        }
    }
    memcpy(drawing->positions, drawing->points, drawing->point_count * sizeof *drawing->points);
}

static wf_status draw_slice(wf_context *context, const wf_wind_slice *slice, const wf_wind_sampler *sampler,
                            wf_wind_drawing *drawing)
{
    wf_status status = check_slice(context, slice);
    if (status != WF_OK) {
        return status;
    }
    double sides[2] = {wf_vec3_norm(slice->across), wf_vec3_norm(slice->up)}, cells[2];
    for (int k = 0; k < 2; k++) {
        cells[k] = fmax(2, ceil(sides[k] / slice->spacing * (1 - 1e-12)));
    }
    double count = (cells[0] + 1) * (cells[1] + 1);
    status = reserve(context, "a slice", count, 2 * cells[0] * cells[1], count, slice->memory, drawing);
    if (status != WF_OK) {
        return status;
    }
    size_t n[2] = {(size_t)cells[0] + 1, (size_t)cells[1] + 1};
    set_grid(slice, n, drawing);
    status = wf_wind_sample(sampler, drawing->point_count, drawing->points, drawing->velocities);
    if (status != WF_OK) {
        return status;
    }
    set_values(slice, drawing);
    if (slice->value == WF_WIND_VORTICITY) {
        status = set_vorticity(context, slice, n, drawing);
    }
    drawing->has_sign = slice->value != WF_WIND_SPEED;
    for (size_t i = 0; i < drawing->point_count; i++) {
        drawing->range[1] = fmax(drawing->range[1], fabs(drawing->values[i]));
    }
    drawing->range[0] = drawing->has_sign ? -drawing->range[1] : 0;
    return status;
}

wf_status wf_wind_draw_slice(wf_context *context, const wf_wind_slice *slice, const wf_wind_sampler *sampler,
                             wf_wind_drawing *drawing)
{
    wf_status status = draw_slice(context, slice, sampler, drawing);
    if (status != WF_OK) {
        wf_wind_drawing_free(context, drawing);
    }
    return status;
}
