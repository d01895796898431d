/* field.c - signed distance fields of triangle surfaces. */
#include <stdio.h>

#include "base/box.h"
#include "contact/colliders/grid.h"
#include "contact/colliders/sampled.h"

/* Interpolated distances rise faster than the distance: cubics through values that differ by a cell at most rise by up
 * to 1.25 a cell in one direction, so by less than this along any. */
#define LARGEST_SLOPE 2.2

wf_field_def wf_default_field_def(void)
{
    return (wf_field_def){.cell = 0, .band = 4, .linear = false};
}

wf_status wf_surface_part_bounds(wf_context *context, const wf_surface_part *part, wf_vec3 *lower, wf_vec3 *upper)
{
    wf_box box = wf_box_empty();
    for (int32_t f = 0; f < part->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            wf_box_include(&box, wf_vec3_sub(part->positions[part->faces[f][k]], part->origin));
        }
    }
    *lower = box.lower;
    *upper = box.upper;
    double largest = wf_box_reach(box.lower, box.upper);
    if (!(largest > 1e-6 && largest < 1e5)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the surface must have faces, and be larger than 1e-06 m and nearer "
                       "to its origin than 100000 m");
    }
    return WF_OK;
}

double wf_box_reach(wf_vec3 lower, wf_vec3 upper)
{
    return wf_vec3_norm(wf_vec3_make(fmax(fabs(lower.x), fabs(upper.x)), fmax(fabs(lower.y), fabs(upper.y)),
                                     fmax(fabs(lower.z), fabs(upper.z))));
}

double wf_box_extent(wf_vec3 lower, wf_vec3 upper)
{
    wf_vec3 size = wf_vec3_sub(upper, lower);
    return fmax(fmax(size.x, size.y), size.z);
}

void wf_solid_walk_to(wf_solid_walk *walk, wf_vec3 point)
{
    bool first = !walk->known;
    double before = walk->distance;
    walk->distance = wf_solid_distance_at(walk->solid, point, walk->known, &walk->nearest);
    walk->known = true;
    /* A way that meets the surface is at least as long as both its ends are far from it. */
    if (first || !(before + walk->distance > 1.001 * walk->spacing)) {
        walk->inside = wf_solid_winding_at(walk->solid, point) > 0.5;
    }
}

wf_status wf_surface_part_close(const wf_surface_part *part, wf_collider *collider, wf_mesh *closed)
{
    wf_context *context = collider->context;
    wf_closing_report *r = &collider->closing;
    wf_status status = wf_mesh_close(context, part->vertex_count, part->positions, part->face_count, part->faces,
                                     closed, r);
    if (status == WF_OK && r->welded + r->dropped + r->turned + r->holes + r->open_edges + r->crowded_edges > 0) {
        wf_warn(context, "%s: the surface was mended: %d vertices joined, %d faces dropped, %d turned, %d holes "
                "closed; %d edges stay open, %d have more than two faces", collider->class->name, (int)r->welded,
                (int)r->dropped, (int)r->turned, (int)r->holes, (int)r->open_edges, (int)r->crowded_edges);
    }
    wf_vec3 lower, upper;
    if (status == WF_OK) {
        status = wf_surface_part_bounds(context, part, &lower, &upper);
    }
    if (status == WF_OK && !(r->volume > 1e-9 * pow(wf_box_extent(lower, upper), 3))) {
        status = wf_fail(context, WF_ERROR_GEOMETRY, "the surface encloses nothing");
    }
    if (status != WF_OK) {
        wf_mesh_free(context, closed);
    }
    return status;
}

static double distance(const wf_collider *collider, wf_vec3 point, wf_vec3 *gradient)
{
    return wf_distance_grid_at(collider->samples, point, gradient);
}

static void describe(const wf_collider *collider, char *text, size_t size)
{
    const wf_distance_grid *grid = collider->samples;
    snprintf(text, size, "%s, cell %.4g m, %d blocks, %.1f MB", grid->cubic ? "cubic" : "linear", grid->cell,
             (int)grid->block_count, (double)wf_distance_grid_bytes(grid) * 1e-6);
}

static void free_samples(wf_context *context, void *samples)
{
    wf_distance_grid_free(context, samples);
    wf_free(context, samples);
}

static const wf_collider_class field_class = {
    .name = "field", .symmetry = WF_NO_SYMMETRY, .distance = distance, .slope = LARGEST_SLOPE, .describe = describe,
    .free_samples = free_samples,
};

typedef struct surface_source {
    const wf_solid *solid;
    wf_vec3 origin;
    double cell;
} surface_source;

/* Of points each a cell from the one before. */
static void signed_distances(void *user, size_t count, const wf_vec3 *points, double *distances)
{
    const surface_source *source = user;
    wf_solid_walk walk = {.solid = source->solid, .spacing = source->cell};
    for (size_t i = 0; i < count; i++) {
        wf_solid_walk_to(&walk, wf_vec3_add(points[i], source->origin));
        distances[i] = walk.inside ? -walk.distance : walk.distance;
    }
}

/* Samples the part's surface into the collider's grid. */
static wf_status sample_surface(wf_collider *collider, const wf_surface_part *part, wf_distance_grid_def *def)
{
    wf_context *context = collider->context;
    wf_mesh closed = {0};
    wf_solid *solid = NULL;
    wf_status status = wf_surface_part_close(part, collider, &closed);
    if (status == WF_OK) {
        status = wf_solid_create(context, &closed, &solid);
    }
    wf_mesh_free(context, &closed);
    if (status == WF_OK) {
        surface_source source = {solid, part->origin, def->cell};
        def->source = signed_distances;
        def->user = &source;
        def->anchor = wf_vec3_lerp(def->lower, def->upper, 0.5);
        status = wf_distance_grid_make(context, def, collider->samples);
    }
    wf_solid_destroy(context, solid);
    return status;
}

wf_status wf_collider_create_field(wf_context *context, const wf_collider_def *def, const wf_surface_part *part,
                                   const wf_field_def *field, wf_collider **collider)
{
    wf_distance_grid_def grid_def = {.band = field->band, .cubic = !field->linear};
    *collider = NULL;
    if (!(field->band >= 2 && field->band <= 32)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "band must be from 2 to 32 cells, got %g", field->band);
    }
    wf_status status = wf_surface_part_bounds(context, part, &grid_def.lower, &grid_def.upper);
    if (status == WF_OK) {
        grid_def.cell = field->cell == 0 ? wf_box_extent(grid_def.lower, grid_def.upper) / 64 : field->cell;
        status = wf_collider_check_size(context, "cell", grid_def.cell, 1e-6);
    }
    if (status == WF_OK) {
        status = wf_collider_create(context, &field_class, def, collider);
    }
    if (status != WF_OK) {
        return status;
    }
    (*collider)->samples = wf_allocate(context, 1, sizeof(wf_distance_grid));
    (*collider)->reach = wf_box_reach(grid_def.lower, grid_def.upper) + 0.5 * grid_def.cell;
    (*collider)->step = 0.05 * grid_def.cell;
    status = (*collider)->samples ? sample_surface(*collider, part, &grid_def) : WF_ERROR_MEMORY;
    return wf_collider_finish(status, collider);
}
