/* render.c - see render.h. A picture passes through stages, each cut into units that advance works on in parallel:
 * tiles are traced, rows smoothed a few times, rows finished. */
#include "shade/render.h"

#include <string.h>

#include "base/context.h"
#include "base/tasks.h"
#include "base/vector.h"
#include "shade/filter.h"
#include "shade/trace.h"

enum { SIZE_LIMIT = 16384, SAMPLE_LIMIT = 4096, VIEW_LIMIT = 16, SMOOTHINGS = 3 };
static const int64_t PIXEL_LIMIT = (int64_t)1 << 26;

enum { PHASE_TRACE, PHASE_SMOOTH, PHASE_FINISH = PHASE_SMOOTH + SMOOTHINGS, PHASE_DONE };

struct wf_picture {
    int32_t width, height, samples, view_count;
    wf_stage stages[VIEW_LIMIT];
    int32_t lefts[VIEW_LIMIT + 1]; /* view k covers columns lefts[k] to lefts[k + 1] - 1 */
    float background[3];           /* linear */
    wf_surfaces surfaces;
    wf_pixel *pixels;
    wf_light *lights[2];
    uint8_t *bytes;
    int phase;
    int64_t next_unit; /* of the phase: a tile or a row */
};

wf_picture_def wf_default_picture_def(void)
{
    return (wf_picture_def){.width = 1600,
                            .height = 1200,
                            .samples = 16,
                            .background = {0.90f, 0.90f, 0.89f},
                            .line_colour = {0.08f, 0.08f, 0.10f},
                            .line_width = 1.2f,
                            .ground = true,
                            .ground_height = NAN,
                            .seed = 1};
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static wf_status check_def(wf_context *context, const wf_picture_def *def)
{
    if (def->width < 1 || def->height < 1 || def->width > SIZE_LIMIT || def->height > SIZE_LIMIT ||
        (int64_t)def->width * def->height > PIXEL_LIMIT) {
        return wf_fail(context, WF_ERROR_LIMIT,
                       "width and height must be from 1 to %d and make at most %lld pixels, got %d x %d", SIZE_LIMIT,
                       (long long)PIXEL_LIMIT, (int)def->width, (int)def->height);
    }
    if (def->samples < 1 || def->samples > SAMPLE_LIMIT) {
        return wf_fail(context, WF_ERROR_LIMIT, "samples must be from 1 to %d, got %d", SAMPLE_LIMIT,
                       (int)def->samples);
    }
    if (def->view_count < 1 || def->view_count > VIEW_LIMIT || def->view_count > def->width) {
        return wf_fail(context, WF_ERROR_LIMIT, "a picture has from 1 to %d views, and no more than its width, got %d",
                       VIEW_LIMIT, (int)def->view_count);
    }
    if (!wf_vec3_isfinite(def->light) || isinf(def->ground_height)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the light's direction and the ground's height must be finite");
    }
    return WF_OK;
}

/* A direction to the key light: over the viewer's left shoulder and above. */
static void set_light(const wf_picture_def *def, const wf_frame *frame, vec3 light)
{
    wf_vec3 direction = wf_vec3_normalize(def->light);
    if (wf_vec3_norm(direction) > 0) {
        glm_vec3_copy((vec3){(float)direction.x, (float)direction.y, (float)direction.z}, light);
        return;
    }
    vec3 level = {-frame->forward[0], 0, -frame->forward[2]};
    if (glm_vec3_norm2(level) < 1e-6f) {
        glm_vec3_negate_to((float *)frame->up, level);
        level[1] = 0;
    }
    glm_vec3_normalize(level);
    glm_vec3_zero(light);
    glm_vec3_muladds(level, 0.58f, light);
    glm_vec3_muladds((float *)frame->right, -0.42f, light);
    light[1] += 0.80f;
    glm_vec3_normalize(light);
}

/* A view in the scaled space of the surfaces. */
static wf_view scaled_view(const wf_view *view, const wf_surfaces *surfaces)
{
    wf_view result = *view;
    result.eye = wf_vec3_scale(wf_vec3_sub(view->eye, surfaces->centre), 1 / surfaces->radius);
    result.target = wf_vec3_scale(wf_vec3_sub(view->target, surfaces->centre), 1 / surfaces->radius);
    return result;
}

static wf_status set_stages(wf_context *context, const wf_picture_def *def, wf_picture *picture)
{
    const wf_surfaces *surfaces = &picture->surfaces;
    wf_frame frames[VIEW_LIMIT];
    float depth = FLT_MAX;
    for (int k = 0; k < picture->view_count; k++) {
        wf_view view = scaled_view(&def->views[k], surfaces);
        double aspect = (double)(picture->lefts[k + 1] - picture->lefts[k]) / picture->height;
        wf_status status = wf_frame_view(context, &view, aspect, surfaces->vertex_count,
                                         (const float(*)[3])surfaces->positions, &frames[k]);
        if (status != WF_OK) {
            return status;
        }
        depth = frames[k].framed ? fminf(depth, frames[k].depth) : depth;
    }
    for (int k = 0; k < picture->view_count; k++) {
        wf_stage *stage = &picture->stages[k];
        *stage = (wf_stage){.surfaces = surfaces,
                            .camera = wf_frame_camera(&frames[k], depth),
                            .width = picture->lefts[k + 1] - picture->lefts[k],
                            .height = picture->height,
                            .samples = picture->samples,
                            .seed = def->seed + (uint32_t)k,
                            .ground = def->ground,
                            .ground_height = surfaces->lowest,
                            .line_width = def->line_width};
        if (!isnan(def->ground_height)) {
            stage->ground_height = (float)((def->ground_height - surfaces->centre.y) / surfaces->radius);
        }
        set_light(def, &frames[k], stage->light);
        for (int i = 0; i < 3; i++) {
            stage->line_colour[i] = wf_srgb_to_linear(def->line_colour[i]);
        }
    }
    return WF_OK;
}

static wf_status fill_picture(wf_context *context, const wf_picture_def *def, int64_t mesh_count,
                              const wf_picture_mesh *meshes, wf_picture *picture)
{
    picture->width = def->width;
    picture->height = def->height;
    picture->samples = def->samples;
    picture->view_count = def->view_count;
    for (int k = 0; k <= def->view_count; k++) {
        picture->lefts[k] = (int32_t)((int64_t)def->width * k / def->view_count);
    }
    for (int i = 0; i < 3; i++) {
        picture->background[i] = wf_srgb_to_linear(def->background[i]);
    }
    wf_status status = wf_surfaces_build(context, mesh_count, meshes, &picture->surfaces);
    if (status == WF_OK) {
        status = set_stages(context, def, picture);
    }
    if (status != WF_OK) {
        return status;
    }
    size_t count = (size_t)def->width * (size_t)def->height;
    picture->pixels = wf_allocate(context, count, sizeof *picture->pixels);
    picture->lights[0] = wf_allocate(context, count, sizeof *picture->lights[0]);
    picture->lights[1] = wf_allocate(context, count, sizeof *picture->lights[1]);
    picture->bytes = wf_allocate(context, count, 3);
    bool complete = picture->pixels && picture->lights[0] && picture->lights[1] && picture->bytes;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

wf_status wf_picture_create(wf_context *context, const wf_picture_def *def, int64_t mesh_count,
                            const wf_picture_mesh *meshes, wf_picture **result)
{
    wf_status status = check_def(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_picture *picture = wf_allocate(context, 1, sizeof *picture);
    if (!picture) {
        return WF_ERROR_MEMORY;
    }
    status = fill_picture(context, def, mesh_count, meshes, picture);
    if (status != WF_OK) {
        wf_picture_destroy(context, picture);
        return status;
    }
    *result = picture;
    return WF_OK;
}

static void free_work(wf_context *context, wf_picture *picture)
{
    wf_surfaces_free(context, &picture->surfaces);
    wf_free(context, picture->pixels);
    wf_free(context, picture->lights[0]);
    wf_free(context, picture->lights[1]);
    picture->pixels = NULL;
    picture->lights[0] = picture->lights[1] = NULL;
}

void wf_picture_destroy(wf_context *context, wf_picture *picture)
{
    if (picture) {
        free_work(context, picture);
        wf_free(context, picture->bytes);
        wf_free(context, picture);
    }
}

/* ---- working --------------------------------------------------------------------------------------------------- */

static int64_t tile_columns(const wf_picture *picture)
{
    return (picture->width + WF_TILE - 1) / WF_TILE;
}

static int view_of(const wf_picture *picture, int32_t x)
{
    int view = 0;
    while (x >= picture->lefts[view + 1]) {
        view++;
    }
    return view;
}

static void trace_tile(wf_picture *picture, int64_t tile)
{
    int32_t left = (int32_t)(tile % tile_columns(picture)) * WF_TILE;
    int32_t top = (int32_t)(tile / tile_columns(picture)) * WF_TILE;
    for (int32_t y = top; y < top + WF_TILE && y < picture->height; y++) {
        for (int32_t x = left; x < left + WF_TILE && x < picture->width; x++) {
            int view = view_of(picture, x);
            size_t index = (size_t)y * (size_t)picture->width + (size_t)x;
            wf_pixel *pixel = &picture->pixels[index];
            wf_trace_pixel(&picture->stages[view], x - picture->lefts[view], y, pixel);
            picture->lights[0][index] = (wf_light){{pixel->mesh.visibility, pixel->ground.visibility},
                                                   {pixel->mesh.openness, pixel->ground.openness}};
        }
    }
}

static void smooth_row(wf_picture *picture, int32_t y)
{
    int pass = picture->phase - PHASE_SMOOTH;
    for (int k = 0; k < picture->view_count; k++) {
        wf_smooth_light(picture->pixels, picture->lights[pass % 2], picture->lights[(pass + 1) % 2], picture->width,
                        picture->height, picture->lefts[k], picture->lefts[k + 1], y, 1 << pass, picture->samples);
    }
}

/* The part of the ground's shadow that is drawn at column x: it fades out before the sides of its view, for a shadow
 * cut off by the side, where another view may begin, reads as an object. */
static float shadow_part(const wf_picture *picture, int view, int32_t x)
{
    float left = (float)picture->lefts[view], right = (float)picture->lefts[view + 1], middle = (float)x + 0.5f;
    float edge = glm_min(middle - left, right - middle) / (right - left);
    return glm_smoothstep(0.0f, 0.16f, edge);
}

/* Meshes are tone-mapped; the background and the ground on it are display colours already. */
static void finish_row(wf_picture *picture, int32_t y)
{
    size_t row = (size_t)y * (size_t)picture->width;
    for (int32_t x = 0; x < picture->width; x++) {
        const wf_pixel *pixel = &picture->pixels[row + (size_t)x];
        const wf_light *light = &picture->lights[SMOOTHINGS % 2][row + (size_t)x];
        int view = view_of(picture, x);
        const wf_stage *stage = &picture->stages[view];
        float key = wf_ground_key(stage), sky = wf_ground_sky();
        float lit = (key * (key > 0 ? light->visibility[1] : 1.0f) + sky * light->openness[1]) / (key + sky);
        float ground = 1.0f - pixel->mesh.cover + pixel->ground.cover * (lit - 1.0f) * shadow_part(picture, view, x);
        uint8_t *bytes = picture->bytes + 3 * (row + (size_t)x);
        for (int i = 0; i < 3; i++) {
            float value = picture->background[i] * ground;
            if (pixel->mesh.cover > 0) {
                float mesh = pixel->key[i] * light->visibility[0] + pixel->sky[i] * light->openness[0];
                value += pixel->mesh.cover * wf_tone(mesh / pixel->mesh.cover);
            }
            bytes[i] = wf_colour_byte(wf_linear_to_srgb(value));
        }
    }
}

/* Units [first_unit + begin, first_unit + end) of the picture's phase. */
static void work_block(void *user, size_t block, size_t begin, size_t end)
{
    wf_picture *picture = user;
    (void)block;
    for (size_t i = begin; i < end; i++) {
        int64_t unit = picture->next_unit + (int64_t)i;
        if (picture->phase == PHASE_TRACE) {
            trace_tile(picture, unit);
        } else if (picture->phase < PHASE_FINISH) {
            smooth_row(picture, (int32_t)unit);
        } else {
            finish_row(picture, (int32_t)unit);
        }
    }
}

double wf_picture_advance(wf_context *context, wf_picture *picture, int64_t tile_count)
{
    int64_t tiles = tile_columns(picture) * ((picture->height + WF_TILE - 1) / WF_TILE);
    /* A row of a later phase takes about as long as a few tiles do where there is much to see. */
    while (picture->phase != PHASE_DONE && tile_count > 0) {
        int64_t units = picture->phase == PHASE_TRACE ? tiles : picture->height;
        int64_t count = units - picture->next_unit < tile_count ? units - picture->next_unit : tile_count;
        wf_parallel_for(context, (size_t)count, 1, work_block, picture);
        picture->next_unit += count;
        tile_count -= count;
        if (picture->next_unit == units) {
            picture->phase++;
            picture->next_unit = 0;
        }
        if (picture->phase == PHASE_DONE) {
            free_work(context, picture);
        }
    }
    if (picture->phase == PHASE_DONE) {
        return 1;
    }
    if (picture->phase == PHASE_TRACE) {
        return 0.9 * (double)picture->next_unit / (double)tiles;
    }
    double passes = picture->phase - PHASE_SMOOTH + (double)picture->next_unit / picture->height;
    return 0.9 + 0.1 * passes / (SMOOTHINGS + 1);
}

const uint8_t *wf_picture_pixels(const wf_picture *picture)
{
    return picture->bytes;
}
