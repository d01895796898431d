#include "world/specimen.h"

#include <math.h>
#include <string.h>

#include "mesh/triangulate.h"
#include "model/models.h"

enum { LARGEST_CELL_COUNT = 2000, LARGEST_FACE_COUNT = 400000, ROWS_BEYOND = 2 };

static wf_status check_def(wf_context *context, const wf_specimen_def *def)
{
    const struct {
        const char *name;
        double value, least, most;
    } rows[] = {{"length", def->length, 1e-4, 100}, {"width", def->width, 1e-4, 100}, {"edge", def->edge, 1e-5, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!(rows[i].value >= rows[i].least && rows[i].value <= rows[i].most)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s must be from %g to %g m, got %g", rows[i].name,
                           rows[i].least, rows[i].most, rows[i].value);
        }
    }
    if (!(def->length / def->edge < LARGEST_CELL_COUNT && def->width / def->edge < LARGEST_CELL_COUNT &&
          2 * def->length * def->width < def->edge * def->edge * LARGEST_FACE_COUNT)) {
        return wf_fail(context, WF_ERROR_LIMIT, "an edge of %g m makes more than %d triangles of %g x %g m",
                       def->edge, LARGEST_FACE_COUNT, def->length, def->width);
    }
    if (!(fabs(def->direction) <= 10)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "direction must be an angle from -10 to 10 rad, got %g",
                       def->direction);
    }
    return wf_fabric_check(context, def->fabric);
}

/* ---- mesh ------------------------------------------------------------------------------------------------------ */

static int32_t cells_of(double length, double edge)
{
    double count = floor(length / edge + 0.5);
    return count < 1 ? 1 : (int32_t)count;
}

static wf_status allocate(wf_specimen *s, int32_t vertices, int32_t faces)
{
    wf_context *context = s->context;
    size_t count = (size_t)vertices;
    s->vertex_count = vertices;
    s->face_count = faces;
    s->faces = wf_allocate(context, (size_t)faces, sizeof *s->faces);
    s->flat = wf_allocate(context, count, sizeof *s->flat);
    s->place = wf_allocate(context, count, sizeof *s->place);
    s->x = wf_allocate(context, count, sizeof *s->x);
    s->load = wf_allocate(context, count, sizeof *s->load);
    s->force = wf_allocate(context, count, sizeof *s->force);
    bool remembers = wf_fabric_remembers(s->def.fabric);
    s->history = remembers ? wf_allocate(context, (size_t)faces, sizeof *s->history) : NULL;
    bool made = s->faces && s->flat && s->place && s->x && s->load && s->force && (s->history || !remembers);
    return made ? wf_filter_create(context, vertices, &s->filter) : WF_ERROR_MEMORY;
}

static void add_quad(wf_specimen *s, int32_t *count, const int32_t corners[4], bool rising)
{
    int32_t a = corners[0], b = corners[1], c = corners[2], d = corners[3];
    const int32_t pair[2][3] = {{a, b, rising ? c : d}, {rising ? a : b, c, d}};
    for (int t = 0; t < 2; t++) {
        memcpy(s->faces[(*count)++], pair[t], sizeof pair[t]);
    }
}

static void fill_grid(wf_specimen *s, int32_t nx, int32_t ny, int32_t *faces)
{
    int32_t vertex = 0;
    for (int32_t j = 0; j <= ny; j++) {
        for (int32_t i = 0; i <= nx; i++) {
            s->flat[vertex++] = (wf_vec2){i * s->def.length / nx, j * s->def.width / ny};
        }
    }
    for (int32_t j = 0; j < ny; j++) {
        for (int32_t i = 0; i < nx; i++) {
            int32_t a = j * (nx + 1) + i;
            add_quad(s, faces, (const int32_t[4]){a, a + 1, a + nx + 2, a + nx + 1}, (i + j) % 2 == 0);
        }
    }
}

/* The points of a rectangle's outline with nx and ny cells a side, counter-clockwise from (0, 0). */
static void fill_outline(const wf_specimen *s, int32_t nx, int32_t ny, wf_vec2 *outline)
{
    double length = s->def.length, width = s->def.width;
    for (int32_t k = 0; k < nx; k++) {
        outline[k] = (wf_vec2){k * length / nx, 0};
        outline[nx + ny + k] = (wf_vec2){(nx - k) * length / nx, width};
    }
    for (int32_t k = 0; k < ny; k++) {
        outline[nx + k] = (wf_vec2){length, k * width / ny};
        outline[2 * nx + ny + k] = (wf_vec2){0, (ny - k) * width / ny};
    }
}

/* The vertex of row j at the start (x = 0) or at the end. */
static int32_t clamp_vertex(const wf_specimen *s, int32_t nx, int32_t ny, bool end, int32_t j)
{
    if (!s->def.unstructured) {
        return j * (nx + 1) + (end ? nx : 0);
    }
    return end ? nx + j : j == 0 ? 0 : 2 * nx + 2 * ny - j;
}

/* Two rows of cells beyond a clamp. */
static void go_on(wf_specimen *s, int32_t nx, int32_t ny, bool end, int32_t *vertices, int32_t *faces)
{
    const int32_t first = *vertices;
    for (int32_t row = 1; row <= ROWS_BEYOND; row++) {
        for (int32_t j = 0; j <= ny; j++) {
            wf_vec2 at = s->flat[clamp_vertex(s, nx, ny, end, j)];
            s->flat[(*vertices)++] = (wf_vec2){at.x + (end ? row : -row) * s->cell, at.y};
        }
        for (int32_t j = 0; j < ny; j++) {
            int32_t outer = first + (row - 1) * (ny + 1) + j, inner = outer - (ny + 1), above = inner + 1;
            if (row == 1) {
                inner = clamp_vertex(s, nx, ny, end, j);
                above = clamp_vertex(s, nx, ny, end, j + 1);
            }
            const int32_t at_start[4] = {outer, inner, above, outer + 1}, at_end[4] = {inner, outer, outer + 1, above};
            add_quad(s, faces, end ? at_end : at_start, (row + j) % 2 == (end ? 1 : nx % 2));
        }
    }
}

static void fill_places(wf_specimen *s)
{
    double slack = 1e-9 * (s->def.length + s->def.width);
    for (int32_t i = 0; i < s->vertex_count; i++) {
        wf_vec2 p = s->flat[i];
        bool side = p.y <= slack || p.y >= s->def.width - slack;
        s->place[i] = p.x <= slack                   ? WF_SPECIMEN_START
                      : p.x >= s->def.length - slack ? WF_SPECIMEN_END
                      : side                         ? WF_SPECIMEN_SIDE
                                                     : WF_SPECIMEN_FREE;
        s->x[i] = (wf_vec3){p.x, p.y, 0};
    }
}

static wf_status make_mesh(wf_specimen *s)
{
    const wf_specimen_def *def = &s->def;
    int32_t nx = cells_of(def->length, def->edge), ny = cells_of(def->width, def->edge);
    int32_t rows = ROWS_BEYOND * ((def->goes_on[0] ? 1 : 0) + (def->goes_on[1] ? 1 : 0));
    int32_t vertices = (nx + 1) * (ny + 1), faces = 2 * nx * ny, face = 0;
    wf_planar_mesh planar = {0};
    wf_status status = WF_OK;
    s->cell = def->length / nx;
    if (def->unstructured) {
        wf_vec2 *outline = wf_allocate(s->context, (size_t)(2 * (nx + ny)), sizeof *outline);
        if (!outline) {
            return WF_ERROR_MEMORY;
        }
        fill_outline(s, nx, ny, outline);
        wf_triangulate_params params = wf_default_triangulate_params();
        params.edge_length = def->edge;
        params.split_boundary = false;
        const int32_t loop[2] = {0, 2 * (nx + ny)};
        status = wf_triangulate(s->context, loop[1], outline, 1, loop, &params, &planar);
        wf_free(s->context, outline);
        vertices = planar.vertex_count;
        faces = planar.face_count;
    }
    if (status == WF_OK) {
        status = allocate(s, vertices + rows * (ny + 1), faces + 2 * rows * ny);
    }
    if (status == WF_OK) {
        if (def->unstructured) {
            memcpy(s->flat, planar.points, (size_t)vertices * sizeof *s->flat);
            memcpy(s->faces, planar.faces, (size_t)faces * sizeof *s->faces);
            face = faces;
        } else {
            fill_grid(s, nx, ny, &face);
        }
        for (int end = 0; end < 2; end++) {
            if (def->goes_on[end]) {
                go_on(s, nx, ny, end, &vertices, &face);
            }
        }
        fill_places(s);
    }
    wf_planar_mesh_free(s->context, &planar);
    return status;
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

static wf_status make_model(wf_specimen *s, wf_model_kind kind, const char *name, const wf_sheet_faces *sheet)
{
    const wf_model_entry *entry = wf_model_default_for(kind, s->def.fabric);
    wf_status status = name ? wf_model_find(s->context, kind, name, &entry) : WF_OK;
    if (status == WF_OK) {
        status = wf_model_create(s->context, entry, sheet, &s->models[s->model_count]);
    }
    s->model_count += status == WF_OK ? 1 : 0;
    return status;
}

static wf_status make_models(wf_specimen *s)
{
    wf_vec2(*rest)[3] = wf_allocate(s->context, (size_t)s->face_count, sizeof *rest);
    if (!rest) {
        return WF_ERROR_MEMORY;
    }
    double c = cos(s->def.direction), t = sin(s->def.direction);
    for (int32_t f = 0; f < s->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            wf_vec2 p = s->flat[s->faces[f][k]];
            rest[f][k] = (wf_vec2){c * p.x - t * p.y, t * p.x + c * p.y};
        }
    }
    wf_sheet_faces sheet = {.vertex_count = s->vertex_count, .face_count = s->face_count,
                            .faces = (const int32_t(*)[3])s->faces, .rest = (const wf_vec2(*)[3])rest,
                            .fabric_count = 1, .fabrics = s->def.fabric};
    wf_status status = make_model(s, WF_MODEL_MEMBRANE, s->def.membrane, &sheet);
    if (status == WF_OK && s->def.bends) {
        status = make_model(s, WF_MODEL_BENDING, s->def.bending, &sheet);
    } else if (status == WF_OK && s->def.bending) { /* a flat specimen has none, but a name still has to be one */
        const wf_model_entry *entry;
        status = wf_model_find(s->context, WF_MODEL_BENDING, s->def.bending, &entry);
    }
    wf_free(s->context, rest);
    return status;
}

wf_status wf_specimen_create(wf_context *context, const wf_specimen_def *def, wf_specimen **specimen)
{
    *specimen = NULL;
    wf_status status = check_def(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_specimen *s = wf_allocate(context, 1, sizeof *s);
    if (!s) {
        return WF_ERROR_MEMORY;
    }
    s->context = context;
    s->def = *def;
    status = make_mesh(s);
    if (status == WF_OK) {
        status = make_models(s);
    }
    for (int32_t i = 0; i < s->vertex_count && !def->bends && status == WF_OK; i++) {
        status = wf_filter_fix_direction(context, s->filter, i, (wf_vec3){0, 0, 1});
    }
    if (status != WF_OK) {
        wf_specimen_destroy(s);
        return status;
    }
    *specimen = s;
    return WF_OK;
}

void wf_specimen_destroy(wf_specimen *s)
{
    if (!s) {
        return;
    }
    for (int32_t m = 0; m < s->model_count; m++) {
        wf_model_destroy(s->context, s->models[m]);
    }
    wf_filter_destroy(s->context, s->filter);
    wf_free(s->context, s->faces);
    wf_free(s->context, s->flat);
    wf_free(s->context, s->place);
    wf_free(s->context, s->x);
    wf_free(s->context, s->load);
    wf_free(s->context, s->force);
    wf_free(s->context, s->history);
    wf_free(s->context, s);
}

/* ---- loads and equilibrium ------------------------------------------------------------------------------------- */

void wf_specimen_set_weight(wf_specimen *s, wf_vec3 acceleration)
{
    memset(s->load, 0, (size_t)s->vertex_count * sizeof *s->load);
    for (int32_t f = 0; f < s->face_count; f++) {
        const int32_t *corners = s->faces[f];
        wf_vec2 a = wf_vec2_sub(s->flat[corners[1]], s->flat[corners[0]]);
        wf_vec2 b = wf_vec2_sub(s->flat[corners[2]], s->flat[corners[0]]);
        double third = s->def.fabric->density * 0.5 * wf_vec2_cross(a, b) / 3;
        for (int k = 0; k < 3; k++) {
            s->load[corners[k]] = wf_vec3_muladds(s->load[corners[k]], acceleration, third);
        }
    }
}

void wf_specimen_fix(wf_specimen *s, wf_specimen_place place)
{
    for (int32_t i = 0; i < s->vertex_count; i++) {
        if (s->place[i] == place) {
            wf_filter_fix(s->filter, i);
        }
    }
}

wf_status wf_specimen_guide(wf_specimen *s, wf_specimen_place place, wf_vec3 direction)
{
    wf_status status = WF_OK;
    for (int32_t i = 0; i < s->vertex_count && status == WF_OK; i++) {
        if (s->place[i] == place) {
            status = wf_filter_fix_direction(s->context, s->filter, i, direction);
        }
    }
    return status;
}

wf_status wf_specimen_solve(wf_specimen *s, double tolerance)
{
    wf_equilibrium_params params = wf_default_equilibrium_params();
    params.tolerance = tolerance;
    wf_equilibrium_result result;
    wf_status status = wf_equilibrium_solve(s->context, s->vertex_count, s->model_count, s->models, s->load, s->filter,
                                            s->x, &params, &result);
    if (status == WF_OK && !result.converged) {
        return wf_fail(s->context, WF_ERROR_NUMERIC,
                       "the specimen finds no equilibrium: forces of %.3g times the load are left after %d iterations",
                       result.residual, (int)result.iterations);
    }
    return status;
}

void wf_specimen_remember(wf_specimen *s)
{
    for (int32_t m = 0; s->history && m < s->model_count; m++) {
        const wf_model_class *class = s->models[m]->class;
        if (class->update_history) {
            class->update_history(s->context, s->models[m], s->x, s->history);
            class->set_history(s->context, s->models[m], s->history, s->x, 0);
        }
    }
}

void wf_specimen_reactions(wf_specimen *s)
{
    memcpy(s->force, s->load, (size_t)s->vertex_count * sizeof *s->force);
    for (int32_t m = 0; m < s->model_count; m++) {
        s->models[m]->class->add_forces(s->context, s->models[m], s->x, NULL, s->force);
    }
}

wf_vec3 wf_specimen_mean(const wf_specimen *s, wf_specimen_place place)
{
    wf_vec3 sum = {0, 0, 0};
    int32_t count = 0;
    for (int32_t i = 0; i < s->vertex_count; i++) {
        if (s->place[i] == place) {
            sum = wf_vec3_add(sum, s->x[i]);
            count++;
        }
    }
    return wf_vec3_scale(sum, count > 0 ? 1.0 / count : 0);
}
