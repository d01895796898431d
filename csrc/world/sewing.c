/* sewing.c - see sewing.h. */
#include "world/sewing.h"

#include <string.h>

#include "base/vector.h"
#include "contact/scene.h"
#include "mesh/intersect.h"

/* Times the fabric's bending moduli while sewing: no crumples for the seams to catch in. */
#define STIFF_AS_CARD 100

/* m: how far a late stitch may be open when closing is tried. */
#define LARGEST_LATE_GAP 0.02

/* m/s, of the middle of a panel when sewing begins; the damping ends it after about a centimetre. */
#define BULGE_SPEED 0.1

/* m/s, rms: a garment that moves less has found its place. */
#define STILL_SPEED 0.001

enum {
    CROSSING_LIMIT = 1024, /* pairs of triangles that are looked at */
    TRIES_PER_RING = 8,    /* smoothings of one patch before it is made larger */
    CLOSINGS_PER_RING = 4, /* failures to close all stitches before their surroundings are loosened (further) */
};

struct wf_sewing {
    wf_context *context;
    wf_world *world;
    wf_cloth *cloth;
    wf_sewing_params params;
    double longest; /* m, of the stitches before sewing */
    double time;    /* s simulated */
    int failed_closings, smoothings; /* so far */
    bool merged;    /* the topology is the sewn one; what crossed beside the stitches is still being smoothed out */
    bool clean;     /* nothing crosses any more; the garment finds its place */
    double clean_time;
    bool done;
};

wf_sewing_params wf_default_sewing_params(void)
{
    return (wf_sewing_params){
        .duration = 1.5, .stiffness = 200, .damping = 8, .time_limit = 6, .relax_time = 2, .tolerance = 0.002};
}

static double stitch_length(const wf_cloth *cloth, int32_t pair)
{
    return wf_vec3_distance(cloth->mesh.positions[cloth->pairs[pair][0]], cloth->mesh.positions[cloth->pairs[pair][1]]);
}

static wf_status check_params(wf_context *context, const wf_sewing_params *p)
{
    if (!(p->duration > 0 && p->duration <= 1000) || !(p->time_limit >= p->duration && p->time_limit <= 10000)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "duration must be above 0 and time_limit at least as long, got %g and %g", p->duration,
                       p->time_limit);
    }
    if (!(p->stiffness > 0 && p->stiffness <= 1e9) || !(p->damping >= 0 && p->damping <= 1e4) ||
        !(p->tolerance > 0 && p->tolerance <= 1)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "stiffness, damping and tolerance must be positive, got %g, %g and %g", p->stiffness,
                       p->damping, p->tolerance);
    }
    return WF_OK;
}

/* The middles of the panels (area-weighted) and how far their vertices are from them. */
static void measure_panels(const wf_cloth *cloth, int32_t panel_count, wf_vec3 *middle, double *area, double *radius)
{
    const wf_vec3 *x = cloth->mesh.positions;
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        const int32_t *v = cloth->mesh.faces[f];
        double weight = wf_vec3_norm(wf_vec3_cross(wf_vec3_sub(x[v[1]], x[v[0]]), wf_vec3_sub(x[v[2]], x[v[0]])));
        wf_vec3 sum = wf_vec3_add(x[v[0]], wf_vec3_add(x[v[1]], x[v[2]]));
        int32_t p = wf_cloth_panel(cloth, f);
        middle[p] = wf_vec3_muladds(middle[p], sum, weight / 3);
        area[p] += weight;
    }
    for (int32_t p = 0; p < panel_count; p++) {
        middle[p] = wf_vec3_scale(middle[p], area[p] > 0 ? 1 / area[p] : 0);
    }
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t p = wf_cloth_panel(cloth, f);
            double distance = wf_vec3_distance(x[cloth->mesh.faces[f][k]], middle[p]);
            radius[p] = fmax(radius[p], distance);
        }
    }
}

/* Gives every panel a push in the middle, toward its outer side. A flat panel that is pulled in its own plane would
 * stay in it; so it knows to which side it is to curl. */
static wf_status bulge_panels(wf_cloth *cloth)
{
    wf_context *context = cloth->context;
    int32_t panel_count = 0;
    for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
        int32_t p = wf_cloth_panel(cloth, f);
        panel_count = p >= panel_count ? p + 1 : panel_count;
    }
    wf_vec3 *normals = wf_allocate(context, (size_t)cloth->mesh.vertex_count, sizeof *normals);
    wf_vec3 *middle = wf_allocate(context, (size_t)panel_count, sizeof *middle);
    double *area = wf_allocate(context, (size_t)panel_count, sizeof *area);
    double *radius = wf_allocate(context, (size_t)panel_count, sizeof *radius);
    wf_status status = normals && middle && area && radius ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&cloth->mesh, cloth->mesh.positions, normals);
        measure_panels(cloth, panel_count, middle, area, radius);
        for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
            int32_t p = wf_cloth_panel(cloth, f);
            for (int k = 0; k < 3 && radius[p] > 0; k++) {
                int32_t i = cloth->mesh.faces[f][k];
                double share = 1 - wf_vec3_distance(cloth->mesh.positions[i], middle[p]) / radius[p];
                cloth->velocities[i] = wf_vec3_scale(normals[i], BULGE_SPEED * share);
            }
        }
    }
    wf_free(context, radius);
    wf_free(context, area);
    wf_free(context, middle);
    wf_free(context, normals);
    return status;
}

wf_status wf_sewing_create(wf_world *world, wf_cloth *cloth, const wf_sewing_params *params, wf_sewing **result)
{
    wf_context *context = cloth->context;
    wf_sewing_params used = params ? *params : wf_default_sewing_params();
    wf_status status = check_params(context, &used);
    if (status != WF_OK) {
        return status;
    }
    wf_sewing *sewing = wf_allocate(context, 1, sizeof *sewing);
    if (!sewing) {
        return WF_ERROR_MEMORY;
    }
    *sewing = (wf_sewing){.context = context, .world = world, .cloth = cloth, .params = used};
    for (int32_t p = 0; p < cloth->pair_count; p++) {
        sewing->longest = fmax(sewing->longest, stitch_length(cloth, p));
    }
    status = bulge_panels(cloth);
    if (status != WF_OK) {
        wf_sewing_destroy(sewing);
        return status;
    }
    *result = sewing;
    return WF_OK;
}

void wf_sewing_destroy(wf_sewing *sewing)
{
    if (sewing) {
        wf_free(sewing->context, sewing);
    }
}

/* The pace is smooth at both ends, so that the pull neither jerks the panels off nor slams the seams shut. */
static double remaining_share(double progress)
{
    double p = fmin(fmax(progress, 0), 1);
    return 1 - p * p * (3 - 2 * p);
}

/* Seconds that sewing has taken longer than it should. */
static double lateness(const wf_sewing *sewing)
{
    return fmax(sewing->time - sewing->params.duration, 0);
}

/* Counts the stitches that are open. Late ones are let through further open, up to two centimetres: what holds them is
 * found, and loosened, only by trying to close them. */
static void measure_gaps(const wf_sewing *sewing, wf_sewing_state *state)
{
    const wf_cloth *cloth = sewing->cloth;
    double tolerance = sewing->params.tolerance;
    tolerance = fmax(tolerance, fmin(tolerance * exp2(2 * (lateness(sewing) - 0.5)), LARGEST_LATE_GAP));
    for (int32_t p = 0; p < cloth->pair_count; p++) {
        double gap = stitch_length(cloth, p);
        state->open_stitches += gap > tolerance;
        if (gap > state->widest_gap) {
            state->widest_gap = gap;
            state->widest_seam = cloth->pair_seam[p];
            state->widest_pair = p;
        }
    }
}

/* target = the centroid of each vertex' class. */
static void class_centroids(const wf_cloth *cloth, const int32_t *label, int32_t *members, wf_vec3 *target)
{
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        target[label[i]] = wf_vec3_add(target[label[i]], cloth->mesh.positions[i]);
        members[label[i]]++;
    }
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        /* Labels are the smallest member: the sum there is complete, and scaled before the other members copy it. */
        if (label[i] == i) {
            target[i] = members[i] > 1 ? wf_vec3_scale(target[i], 1.0 / members[i]) : cloth->mesh.positions[i];
        } else {
            target[i] = target[label[i]];
        }
    }
}

/* Grows a set of vertices, 0 or 1 each, by `rings` edges. `before` is scratch. */
static void grow(const wf_cloth *cloth, int rings, uint8_t *marked, uint8_t *before)
{
    for (int ring = 0; ring < rings; ring++) {
        memcpy(before, marked, (size_t)cloth->mesh.vertex_count);
        for (int32_t corner = 0; corner < 3 * cloth->mesh.face_count; corner++) {
            const int32_t *face = cloth->mesh.faces[corner / 3];
            int32_t a = face[corner % 3], b = face[(corner + 1) % 3];
            marked[a] |= before[b];
            marked[b] |= before[a];
        }
    }
}

/* Where closing was held back again and again, whatever lies around may pass through each other, further out with every
 * failure; smooth_seams sees to it afterwards. */
static wf_status loosen(wf_sewing *sewing, const wf_vec3 *target)
{
    wf_cloth *cloth = sewing->cloth;
    size_t count = (size_t)cloth->mesh.vertex_count;
    uint8_t *held = wf_allocate(sewing->context, 2 * count, sizeof *held);
    if (!held) {
        return WF_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        held[i] = wf_vec3_distance(target[i], cloth->mesh.positions[i]) > 0;
    }
    grow(cloth, sewing->failed_closings / CLOSINGS_PER_RING, held, held + count);
    for (size_t i = 0; i < count; i++) {
        if (held[i]) {
            cloth->loose[i] = WF_LOOSE_TO_ALL;
        }
    }
    cloth->topology++;
    wf_free(sewing->context, held);
    return WF_OK;
}

/* Brings every class of stitched vertices to its centroid, through the door, and merges. */
static wf_status close_seams(wf_sewing *sewing)
{
    bool closed = false;
    wf_cloth *cloth = sewing->cloth;
    wf_context *context = sewing->context;
    size_t count = (size_t)cloth->mesh.vertex_count;
    int32_t *label = wf_allocate(context, count, sizeof *label);
    int32_t *members = wf_allocate(context, count, sizeof *members);
    wf_vec3 *target = wf_allocate(context, count, sizeof *target);
    wf_status status = label && members && target ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        status = wf_cloth_stitch_classes(cloth, label);
    }
    if (status == WF_OK) {
        class_centroids(cloth, label, members, target);
        status = wf_world_move_cloth(sewing->world, cloth, target, &closed);
    }
    if (status == WF_OK && closed) {
        status = wf_cloth_merge_stitches(cloth);
        sewing->merged = status == WF_OK;
    } else if (status == WF_OK && ++sewing->failed_closings % CLOSINGS_PER_RING == 0) {
        status = loosen(sewing, target);
    }
    wf_free(context, target);
    wf_free(context, members);
    wf_free(context, label);
    return status;
}

/* One step with the stitches pulling, without gravity and friction and with the sewing's damping; then all is as it
 * was. */
static wf_status calm_step(wf_sewing *sewing, double bending_scale)
{
    wf_world_params params = wf_world_get_params(sewing->world), calm = params;
    calm.gravity = (wf_vec3){0, 0, 0};
    calm.damping = sewing->params.damping;
    calm.friction_scale = 0;
    calm.bending_scale = bending_scale;
    wf_status status = wf_world_set_params(sewing->world, &calm);
    if (status == WF_OK) {
        /* Late stitches pull harder and harder: twice as hard every quarter of a second, a thousand times at most. */
        sewing->cloth->stitch_stiffness = sewing->params.stiffness * exp2(fmin(4 * lateness(sewing), 10));
        status = wf_world_step(sewing->world, 0);
        sewing->cloth->stitch_stiffness = 0;
        (void)wf_world_set_params(sewing->world, &params); /* were valid before */
    }
    return status;
}

/* A step toward closed stitches, and their merging when all are closed. */
static wf_status draw_together(wf_sewing *sewing, wf_sewing_state *state)
{
    wf_cloth *cloth = sewing->cloth;
    double share = remaining_share(sewing->time / sewing->params.duration);
    for (int32_t p = 0; p < cloth->pair_count; p++) {
        /* All seams close at the same pace: the longest sets it, shorter ones wait their turn. A stitch only pulls. */
        cloth->pair_rest_length[p] = fmin(stitch_length(cloth, p), share * sewing->longest);
    }
    wf_status status = calm_step(sewing, STIFF_AS_CARD);
    if (status != WF_OK) {
        return status;
    }
    measure_gaps(sewing, state);
    state->progress = 0.98 * fmin(sewing->time / sewing->params.duration, 1);
    if (state->open_stitches == 0) {
        status = close_seams(sewing);
        if (status != WF_OK || sewing->merged) {
            return status;
        }
    }
    if (sewing->time > sewing->params.time_limit && state->open_stitches == 0) {
        wf_vec3 place = cloth->mesh.positions[cloth->pairs[state->widest_pair][0]];
        return wf_fail(sewing->context, WF_ERROR_GEOMETRY,
                       "the seams are closed but cannot be merged: cloth is in the way of seam %d, near "
                       "{%.3f, %.3f, %.3f}; do panels lie in one place?",
                       (int)state->widest_seam + 1, place.x, place.y, place.z);
    }
    if (sewing->time > sewing->params.time_limit) {
        return wf_fail(sewing->context, WF_ERROR_GEOMETRY,
                       "the seams do not close: after %.2g s seam %d still gapes %.3g m and %d stitches are open",
                       sewing->time, (int)state->widest_seam + 1, state->widest_gap, (int)state->open_stitches);
    }
    return WF_OK;
}

/* Pairs of triangles of the cloth that intersect: how many, and the first of them. */
typedef struct crossings {
    int64_t count;
    int32_t pairs[CROSSING_LIMIT][2];
} crossings;

/* Marks the vertices of crossing faces and `rings` edges around them. */
static void mark_crossings(const wf_cloth *cloth, const crossings *found, int rings, uint8_t *marked, uint8_t *before)
{
    for (int64_t p = 0; p < found->count && p < CROSSING_LIMIT; p++) {
        for (int k = 0; k < 6; k++) {
            marked[cloth->mesh.faces[found->pairs[p][k / 3]][k % 3]] = 1;
        }
    }
    grow(cloth, rings, marked, before);
}

/* target = the mean of a marked vertex' neighbours in the mesh, which is linked; where it is for the others. */
static void mean_of_neighbours(const wf_cloth *cloth, const uint8_t *marked, wf_vec3 *target, int32_t *neighbours)
{
    for (int32_t e = 0; e < cloth->mesh.edge_count; e++) {
        for (int side = 0; side < 2; side++) {
            int32_t i = cloth->mesh.edges[e][side], j = cloth->mesh.edges[e][1 - side];
            target[i] = wf_vec3_add(target[i], cloth->mesh.positions[j]);
            neighbours[i]++;
        }
    }
    for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
        target[i] = marked[i] && neighbours[i] > 0 ? wf_vec3_scale(target[i], 1.0 / neighbours[i])
                                                   : cloth->mesh.positions[i];
    }
}

/* Draws the surroundings of crossings toward the mean of their neighbours, as far as the door lets them: a patch of
 * surface that is smooth enough does not cross itself. The patch grows with every try. */
static wf_status smooth_crossings(wf_sewing *sewing, const crossings *found)
{
    wf_cloth *cloth = sewing->cloth;
    wf_context *context = sewing->context;
    size_t count = (size_t)cloth->mesh.vertex_count;
    uint8_t *marked = wf_allocate(context, 2 * count, sizeof *marked);
    wf_vec3 *target = wf_allocate(context, count, sizeof *target);
    int32_t *neighbours = wf_allocate(context, count, sizeof *neighbours);
    wf_status status = marked && target && neighbours ? wf_mesh_link(context, &cloth->mesh) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        bool arrived;
        mark_crossings(cloth, found, 1 + sewing->smoothings / TRIES_PER_RING, marked, marked + count);
        mean_of_neighbours(cloth, marked, target, neighbours);
        status = wf_world_move_cloth(sewing->world, cloth, target, &arrived);
        sewing->smoothings++;
    }
    wf_free(context, neighbours);
    wf_free(context, target);
    wf_free(context, marked);
    return status;
}

/* While stitches were open, what lies beside them could pass through each other. Where it did, the sewn cloth is
 * smoothed; when the exact check finds no crossing any more, contact guards the seams like everything else. */
static wf_status smooth_seams(wf_sewing *sewing, wf_sewing_state *state)
{
    wf_cloth *cloth = sewing->cloth;
    state->progress = 0.99;
    wf_surface surface = {.vertex_count = cloth->mesh.vertex_count,
                          .positions = cloth->mesh.positions,
                          .face_count = cloth->mesh.face_count,
                          .faces = (const int32_t(*)[3])cloth->mesh.faces};
    crossings found;
    wf_status status =
        wf_intersections_find(sewing->context, &surface, NULL, CROSSING_LIMIT, found.pairs, &found.count);
    if (status != WF_OK) {
        return status;
    }
    if (found.count == 0) {
        memset(cloth->loose, 0, (size_t)cloth->mesh.vertex_count * sizeof *cloth->loose);
        cloth->topology++;
        sewing->clean = true;
        sewing->clean_time = sewing->time;
        return WF_OK;
    }
    if (sewing->time > sewing->params.time_limit) {
        wf_vec3 place = cloth->mesh.positions[cloth->mesh.faces[found.pairs[0][0]][0]];
        return wf_fail(sewing->context, WF_ERROR_GEOMETRY,
                       "the sewn cloth crosses itself: %lld pairs of triangles, near {%.3f, %.3f, %.3f}",
                       (long long)found.count, place.x, place.y, place.z);
    }
    status = smooth_crossings(sewing, &found);
    return status == WF_OK ? calm_step(sewing, STIFF_AS_CARD) : status;
}

/* The sewn garment finds its place before it feels weight and friction: a tight waist slides to where it fits. */
static wf_status relax(wf_sewing *sewing, wf_sewing_state *state)
{
    state->progress = 0.99;
    wf_status status = calm_step(sewing, 1);
    bool still = wf_world_stats(sewing->world).rms_speed < STILL_SPEED;
    sewing->done = status == WF_OK && (still || sewing->time - sewing->clean_time > sewing->params.relax_time);
    return status;
}

wf_status wf_sewing_advance(wf_sewing *sewing, wf_sewing_state *state)
{
    *state = (wf_sewing_state){.done = sewing->done, .progress = sewing->done, .time = sewing->time};
    if (sewing->done) {
        return WF_OK;
    }
    if (!wf_world_has_cloth(sewing->world, sewing->cloth)) {
        return wf_fail(sewing->context, WF_ERROR_STATE, "the cloth has left the world it is sewn in");
    }
    sewing->time += wf_world_get_params(sewing->world).time_step;
    wf_status status = sewing->clean    ? relax(sewing, state)
                       : sewing->merged ? smooth_seams(sewing, state)
                                        : draw_together(sewing, state);
    state->time = sewing->time;
    state->done = sewing->done;
    if (sewing->done) {
        state->progress = 1;
    }
    return status;
}
