/* trace.c - see trace.h. Rays travel in packets of LANES samples of one pixel. */
#include "shade/trace.h"

#include <string.h>

#include "shade/sampling.h"

enum { LANES = 8 };

/* Light, relative to a white surface that shows as white. */
static const float KEY_STRENGTH = 1.25f;
static const float LIGHT_RADIUS = 0.14f;      /* tangent of the key light's half angle: about 8 degrees */
static const float SKY_ZENITH = 0.60f, SKY_HORIZON = 0.36f;
static const float MESH_BOUNCE = 0.13f;       /* light from a mesh that hides the sky */
static const float GROUND_BOUNCE = 0.30f;     /* light from the ground */
static const float GROUND_SKY = 0.55f;        /* light of the open sky on the ground */
static const float OFFSET = 2e-5f;            /* of ray origins from their surface; the scene has radius 1 */
static const float FAR_GROUND = 60.0f;        /* beyond, no shadow of the scene can be seen */
static const float WIRE_WIDTH = 0.8f, WIRE_STRENGTH = 0.6f; /* of the lines of a whole mesh, relative to other lines */
static const float FILTER_RADIUS = 0.75f;     /* of the tent that gathers a pixel, in pixels */

typedef struct RTCRayHit8 ray_packet;
typedef struct RTCRay8 shadow_packet;

/* What one sample of a pixel sees. */
typedef struct sample_hit {
    enum { SEES_NOTHING, SEES_MESH, SEES_GROUND } kind;
    vec3 point, origin; /* origin: from where its light is looked for */
    vec3 normal;        /* shading normal on the viewer's side */
    vec3 geometric;     /* normal of the face on the viewer's side */
    float depth;
    vec3 key, sky;      /* as in wf_pixel */
    float key_weight;   /* how much the visibility of the light matters */
} sample_hit;

float wf_ground_key(const wf_stage *stage)
{
    return KEY_STRENGTH * glm_max(0.0f, stage->light[1]);
}

float wf_ground_sky(void)
{
    return GROUND_SKY;
}

/* ---- primary rays ---------------------------------------------------------------------------------------------- */

/* A step of the tent filter: a uniform number in [0, 1) to an offset in (-1, 1), most often near 0. */
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

static void camera_ray(const wf_stage *stage, float x, float y, vec3 direction)
{
    glm_vec3_copy((float *)stage->camera.forward, direction);
    glm_vec3_muladds((float *)stage->camera.right, 2.0f * x / (float)stage->width - 1.0f, direction);
    glm_vec3_muladds((float *)stage->camera.up, 1.0f - 2.0f * y / (float)stage->height, direction);
    glm_vec3_normalize(direction);
}

static void set_ray(shadow_packet *rays, int lane, const vec3 origin, const vec3 direction)
{
    rays->org_x[lane] = origin[0];
    rays->org_y[lane] = origin[1];
    rays->org_z[lane] = origin[2];
    rays->dir_x[lane] = direction[0];
    rays->dir_y[lane] = direction[1];
    rays->dir_z[lane] = direction[2];
    rays->tnear[lane] = 0.0f;
    rays->tfar[lane] = INFINITY;
    rays->time[lane] = 0.0f;
    rays->mask[lane] = ~0u;
    rays->id[lane] = (unsigned)lane;
    rays->flags[lane] = 0;
}

/* ---- shading --------------------------------------------------------------------------------------------------- */

/* How much of a line's colour a point has that is on a drawn edge of its face, as seen in the picture: 1 on a line,
 * less on a wire, 0 elsewhere. `weights` are barycentric. */
static float drawn_line(const wf_stage *stage, const wf_surface *surface, unsigned face, vec3 corners[3],
                          const float weights[3])
{
    unsigned drawn = surface->drawn_edges[face];
    if (drawn == 0) {
        return 0.0f;
    }
    vec2 screen[3];
    vec2 at = {0, 0};
    float half_width = 0.5f * (float)stage->width, half_height = 0.5f * (float)stage->height;
    float right2 = glm_vec3_norm2((float *)stage->camera.right), up2 = glm_vec3_norm2((float *)stage->camera.up);
    vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        glm_vec3_muladds(corners[k], weights[k], point);
    }
    for (int k = 0; k <= 3; k++) {
        vec3 toward;
        glm_vec3_sub(k < 3 ? corners[k] : point, (float *)stage->camera.eye, toward);
        float depth = glm_vec3_dot(toward, (float *)stage->camera.forward);
        if (depth < 1e-4f) {
            return 0.0f;
        }
        float *target = k < 3 ? screen[k] : at;
        target[0] = half_width * glm_vec3_dot(toward, (float *)stage->camera.right) / (right2 * depth);
        target[1] = half_height * glm_vec3_dot(toward, (float *)stage->camera.up) / (up2 * depth);
    }
    float strength = 0.0f;
    for (int k = 0; k < 3; k++) {
        vec2 along, offset;
        glm_vec2_sub(screen[(k + 1) % 3], screen[k], along);
        glm_vec2_sub(at, screen[k], offset);
        float reach = 0.5f * stage->line_width * glm_vec2_norm(along);
        float distance = fabsf(glm_vec2_cross(along, offset));
        if ((drawn & (1u << k)) && distance <= reach) {
            strength = 1.0f;
        } else if ((drawn & (8u << k)) && distance <= WIRE_WIDTH * reach) {
            strength = glm_max(strength, WIRE_STRENGTH);
        }
    }
    return strength;
}

static void surface_colour(const wf_surface *surface, unsigned face, const float weights[3], bool front, vec3 colour)
{
    if (surface->vertex_colours) {
        glm_vec3_zero(colour);
        for (int k = 0; k < 3; k++) {
            glm_vec3_muladds(surface->vertex_colours[surface->faces[face][k]], weights[k], colour);
        }
    } else if (surface->face_colours) {
        glm_vec3_copy(surface->face_colours[face], colour);
    } else {
        glm_vec3_copy((float *)(front ? surface->colour : surface->back_colour), colour);
    }
}

/* The light of a sample apart from what hides it: Lambert's law; a sheen that grows toward grazing angles, as fibres
 * that stand off cloth show; a soft highlight (Blinn 1977). */
static void shade(const wf_stage *stage, const wf_surface *surface, const vec3 albedo, const vec3 view,
                  sample_hit *hit)
{
    float facing = glm_min(glm_max(glm_vec3_dot(hit->normal, (float *)view), 0.0f), 1.0f);
    float lit = glm_max(0.0f, glm_vec3_dot(hit->normal, (float *)stage->light));
    float rim = 1.0f - facing;
    rim = surface->sheen * rim * rim * rim;
    vec3 half;
    glm_vec3_add((float *)view, (float *)stage->light, half);
    glm_vec3_normalize(half);
    float aligned = glm_max(0.0f, glm_vec3_dot(hit->normal, half));
    float highlight = surface->gloss * lit * powf(aligned, 24.0f);
    for (int i = 0; i < 3; i++) {
        float fibre = rim * (0.35f + 0.65f * albedo[i]);
        hit->key[i] = KEY_STRENGTH * (albedo[i] * lit + 0.6f * fibre * lit + highlight);
        hit->sky[i] = albedo[i] + 0.6f * fibre;
    }
    hit->key_weight = lit;
}

/* Where the rays for light start. A coarse mesh with smooth normals would shade itself in facets near the shadow's
 * edge; the origin is therefore moved out toward the smooth surface that the normals describe (Hanika 2021). */
static void light_origin(vec3 corners[3], vec3 normals[3], const float weights[3], float side, sample_hit *hit)
{
    glm_vec3_copy(hit->point, hit->origin);
    for (int k = 0; k < 3; k++) {
        vec3 from_corner;
        glm_vec3_sub(hit->point, corners[k], from_corner);
        float below = glm_min(0.0f, side * glm_vec3_dot(from_corner, normals[k]));
        glm_vec3_muladds(normals[k], -below * side * weights[k], hit->origin);
    }
    glm_vec3_muladds(hit->geometric, OFFSET, hit->origin);
}

static void shade_mesh_hit(const wf_stage *stage, const struct RTCHit8 *hits, int lane, const vec3 direction,
                           sample_hit *hit)
{
    const wf_surface *surface = &stage->surfaces->items[hits->geomID[lane]];
    unsigned face = hits->primID[lane];
    float weights[3] = {1.0f - hits->u[lane] - hits->v[lane], hits->u[lane], hits->v[lane]};
    vec3 corners[3], normals[3], view, albedo;
    glm_vec3_zero(hit->point);
    glm_vec3_zero(hit->normal);
    for (int k = 0; k < 3; k++) {
        glm_vec3_copy(stage->surfaces->positions[surface->first_vertex + surface->faces[face][k]], corners[k]);
        glm_vec3_copy(surface->corner_normals[face][k], normals[k]);
        glm_vec3_muladds(corners[k], weights[k], hit->point);
        glm_vec3_muladds(normals[k], weights[k], hit->normal);
    }
    glm_vec3_normalize(hit->normal);
    vec3 side1, side2;
    glm_vec3_sub(corners[1], corners[0], side1);
    glm_vec3_sub(corners[2], corners[0], side2);
    glm_vec3_crossn(side1, side2, hit->geometric);
    glm_vec3_negate_to((float *)direction, view);
    bool front = glm_vec3_dot(hit->geometric, view) >= 0.0f;
    if (!front) {
        glm_vec3_negate(hit->geometric);
        glm_vec3_negate(hit->normal);
    }
    surface_colour(surface, face, weights, front, albedo);
    if (surface->drawn_edges) {
        glm_vec3_lerp(albedo, (float *)stage->line_colour, drawn_line(stage, surface, face, corners, weights), albedo);
    }
    hit->kind = SEES_MESH;
    light_origin(corners, normals, weights, front ? 1.0f : -1.0f, hit);
    shade(stage, surface, albedo, view, hit);
}

static void shade_ground_hit(const wf_stage *stage, const vec3 direction, float distance, sample_hit *hit)
{
    hit->kind = SEES_GROUND;
    hit->depth = distance;
    glm_vec3_copy((float *)stage->camera.eye, hit->point);
    glm_vec3_muladds((float *)direction, distance, hit->point);
    hit->point[1] = stage->ground_height;
    glm_vec3_copy((vec3){0, 1, 0}, hit->normal);
    glm_vec3_copy(hit->normal, hit->geometric);
    glm_vec3_copy(hit->point, hit->origin);
    hit->origin[1] += OFFSET;
    hit->key_weight = glm_max(0.0f, stage->light[1]);
}

/* The distance along a camera ray to the ground, or INFINITY. The ground is seen from above alone. */
static float ground_distance(const wf_stage *stage, const vec3 direction)
{
    float height = stage->camera.eye[1] - stage->ground_height;
    if (!stage->ground || direction[1] >= -1e-6f || height <= 0.0f) {
        return INFINITY;
    }
    float distance = height / -direction[1];
    return distance < FAR_GROUND ? distance : INFINITY;
}

/* Finds what samples [first, first + LANES) of a pixel see. */
static void trace_primary(const wf_stage *stage, int32_t x, int32_t y, uint32_t key, int32_t first, sample_hit *hits)
{
    ray_packet rays;
    _Alignas(32) int valid[LANES];
    vec3 directions[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        vec2 point;
        wf_sample_square((uint32_t)(first + lane), key, point);
        camera_ray(stage, (float)x + 0.5f + FILTER_RADIUS * tent(point[0]),
                   (float)y + 0.5f + FILTER_RADIUS * tent(point[1]), directions[lane]);
        set_ray(&rays.ray, lane, stage->camera.eye, directions[lane]);
        rays.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
        rays.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
        valid[lane] = first + lane < stage->samples ? -1 : 0;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, stage->surfaces->scene, &context, &rays);
    for (int lane = 0; lane < LANES; lane++) {
        sample_hit *hit = &hits[lane];
        memset(hit, 0, sizeof *hit);
        if (!valid[lane]) {
            continue;
        }
        bool mesh = rays.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
        float ground = ground_distance(stage, directions[lane]);
        if (mesh && rays.ray.tfar[lane] <= ground + OFFSET) {
            hit->depth = rays.ray.tfar[lane];
            shade_mesh_hit(stage, &rays.hit, lane, directions[lane], hit);
        } else if (ground < INFINITY) {
            shade_ground_hit(stage, directions[lane], ground, hit);
        }
    }
}

/* ---- light ----------------------------------------------------------------------------------------------------- */

/* Sets visible[lane] to whether each sample sees a point of the key light, chosen by the sample's number. */
static void trace_key_light(const wf_stage *stage, uint32_t key, int32_t first, const sample_hit *hits, bool *visible)
{
    shadow_packet rays;
    _Alignas(32) int valid[LANES];
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        vec2 point;
        vec3 direction;
        wf_sample_square((uint32_t)(first + lane), key, point);
        wf_sample_light(stage->light, LIGHT_RADIUS, point, direction);
        set_ray(&rays, lane, hits[lane].origin, direction);
        bool faces = hits[lane].key_weight > 0.0f && glm_vec3_dot((float *)hits[lane].geometric, direction) > 0.0f;
        valid[lane] = hits[lane].kind != SEES_NOTHING && faces ? -1 : 0;
        visible[lane] = valid[lane] != 0;
        any = any || valid[lane];
    }
    if (!any) {
        return;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcOccluded8(valid, stage->surfaces->scene, &context, &rays);
    for (int lane = 0; lane < LANES; lane++) {
        visible[lane] = visible[lane] && rays.tfar[lane] >= 0.0f;
    }
}

/* The light that comes from a direction in which no mesh is. */
static float sky_light(const wf_stage *stage, const vec3 direction)
{
    if (direction[1] >= 0.0f) {
        return SKY_HORIZON + (SKY_ZENITH - SKY_HORIZON) * direction[1];
    }
    return stage->ground ? GROUND_BOUNCE : SKY_HORIZON + (GROUND_BOUNCE - SKY_HORIZON) * -direction[1];
}

/* Sets light[lane] to what a sample receives from one direction, chosen by the cosine law. For the ground this is 1 for
 * the open sky and 0 for a mesh before it, so that open ground is exactly uniform. */
static void trace_sky(const wf_stage *stage, uint32_t key, int32_t first, const sample_hit *hits, float *light)
{
    shadow_packet rays;
    _Alignas(32) int valid[LANES];
    vec3 directions[LANES];
    bool any = false;
    for (int lane = 0; lane < LANES; lane++) {
        const sample_hit *hit = &hits[lane];
        valid[lane] = hit->kind != SEES_NOTHING ? -1 : 0;
        if (!valid[lane]) {
            set_ray(&rays, lane, (vec3){0, 0, 0}, (vec3){0, 1, 0});
            continue;
        }
        vec2 point;
        wf_sample_square((uint32_t)(first + lane), key, point);
        wf_sample_cosine(hit->normal, point, directions[lane]);
        /* A smooth normal can lean so far that a direction enters the face: mirror it out again. */
        float leaving = glm_vec3_dot(directions[lane], (float *)hit->geometric);
        if (leaving < 0.0f) {
            glm_vec3_muladds((float *)hit->geometric, -2.0f * leaving, directions[lane]);
        }
        set_ray(&rays, lane, hit->origin, directions[lane]);
        any = true;
    }
    if (!any) {
        return;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded8(valid, stage->surfaces->scene, &context, &rays);
    for (int lane = 0; lane < LANES; lane++) {
        if (valid[lane]) {
            bool open = rays.tfar[lane] >= 0.0f;
            bool ground = hits[lane].kind == SEES_GROUND;
            light[lane] = open ? (ground ? 1.0f : sky_light(stage, directions[lane])) : (ground ? 0.0f : MESH_BOUNCE);
        }
    }
}

/* ---- one pixel ------------------------------------------------------------------------------------------------- */

static void gather(wf_layer *layer, float *key_weight, const sample_hit *hit, bool visible, float light)
{
    layer->cover += 1.0f;
    layer->visibility += visible ? hit->key_weight : 0.0f;
    layer->openness += light;
    layer->depth += hit->depth;
    glm_vec3_add(layer->normal, (float *)hit->normal, layer->normal);
    *key_weight += hit->key_weight;
}

static void finish(wf_layer *layer, float key_weight, float samples)
{
    if (layer->cover > 0.0f) {
        layer->visibility = key_weight > 0.0f ? layer->visibility / key_weight : 0.0f;
        layer->openness /= layer->cover;
        layer->depth /= layer->cover;
        glm_vec3_normalize(layer->normal);
        layer->cover /= samples;
    }
}

void wf_trace_pixel(const wf_stage *stage, int32_t x, int32_t y, wf_pixel *pixel)
{
    float samples = (float)stage->samples, key_weight[2] = {0, 0};
    uint32_t key = wf_hash32((uint32_t)(y * stage->width + x) ^ wf_hash32(stage->seed));
    memset(pixel, 0, sizeof *pixel);
    for (int32_t first = 0; first < stage->samples; first += LANES) {
        sample_hit hits[LANES];
        bool visible[LANES];
        float light[LANES];
        trace_primary(stage, x, y, key, first, hits);
        trace_key_light(stage, wf_hash32(key + 1), first, hits, visible);
        trace_sky(stage, wf_hash32(key + 2), first, hits, light);
        for (int lane = 0; lane < LANES; lane++) {
            if (hits[lane].kind == SEES_MESH) {
                gather(&pixel->mesh, &key_weight[0], &hits[lane], visible[lane], light[lane]);
                glm_vec3_add(pixel->key, hits[lane].key, pixel->key);
                glm_vec3_add(pixel->sky, hits[lane].sky, pixel->sky);
            } else if (hits[lane].kind == SEES_GROUND) {
                gather(&pixel->ground, &key_weight[1], &hits[lane], visible[lane], light[lane]);
            }
        }
    }
    finish(&pixel->mesh, key_weight[0], samples);
    finish(&pixel->ground, key_weight[1], samples);
    glm_vec3_scale(pixel->key, 1.0f / samples, pixel->key);
    glm_vec3_scale(pixel->sky, 1.0f / samples, pixel->sky);
}
