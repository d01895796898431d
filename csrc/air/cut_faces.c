/* cut_faces.c - faces between cells that cloth cuts; see cut_faces.h. */
#include "air/cut_faces.h"

#include <string.h>

/* What is sorted: crossings by their faces. */
typedef struct wf_cut_key {
    uint32_t face; /* axis * grid count + index */
    uint32_t item;
} wf_cut_key;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 3 };
#define MOST_ENTRIES ((size_t)1000000000)

/* Stable, so crossings of one face stay in the order of their triangles. Ends in keys[1]: an odd number of passes. */
static void sort_keys(wf_cut_key *keys[2], size_t count)
{
    for (int pass = 0; pass < PASSES; pass++) {
        const wf_cut_key *from = keys[pass % 2];
        wf_cut_key *to = keys[(pass + 1) % 2];
        const int shift = DIGIT_BITS * pass;
        uint32_t places[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) {
            places[from[i].face >> shift & (DIGITS - 1)]++;
        }
        for (int d = 0; d < DIGITS; d++) {
            const uint32_t here = places[d];
            places[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            to[places[from[i].face >> shift & (DIGITS - 1)]++] = from[i];
        }
    }
}

static float slope_of(const wf_vec3 *positions, const int32_t triangle[3], int axis)
{
    const wf_vec3 a = positions[triangle[0]];
    const wf_vec3 normal = wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(positions[triangle[1]], a),
                                                           wf_vec3_sub(positions[triangle[2]], a)));
    return (float)fabs((&normal.x)[axis]);
}

/* From the lower side of a face up; the few layers of one face are nearly always one. */
static void order_layers(wf_cut_key *keys, size_t count, const wf_lattice_crossing *items)
{
    for (size_t i = 1; i < count; i++) {
        const wf_cut_key key = keys[i];
        size_t j = i;
        for (; j > 0 && items[keys[j - 1].item].fraction > items[key.item].fraction; j--) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
}

static void write_faces(const wf_flow_grid *grid, const wf_vec3 *positions, const int32_t (*triangles)[3],
                        wf_cut_key *keys, wf_cut_faces *cuts)
{
    const wf_lattice_crossing *items = cuts->crossings.items;
    const size_t count = cuts->crossings.count;
    size_t faces = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && keys[end].face == keys[begin].face; end++) {
        }
        order_layers(keys + begin, end - begin, items);
        cuts->axis[faces] = (uint8_t)(keys[begin].face / grid->count);
        cuts->index[faces] = (ptrdiff_t)(keys[begin].face % grid->count);
        cuts->first_layer[faces] = (int32_t)begin;
        for (size_t i = begin; i < end; i++) {
            const wf_lattice_crossing *item = &items[keys[i].item];
            wf_cut_layer *layer = &cuts->layers[i];
            layer->triangle = item->triangle;
            memcpy(layer->weights, item->weights, sizeof layer->weights);
            layer->share = 1.0f / (float)(end - begin);
            layer->slope = slope_of(positions, triangles[item->triangle], item->axis);
        }
        faces++;
    }
    cuts->first_layer[faces] = (int32_t)count;
    cuts->face_count = faces;
    cuts->layer_count = count;
}

static wf_status reserve(wf_context *context, size_t count, wf_cut_faces *cuts)
{
    wf_status status = wf_reserve(context, &cuts->axis, &cuts->axis_capacity, count, sizeof *cuts->axis);
    if (status == WF_OK) {
        status = wf_reserve(context, &cuts->index, &cuts->index_capacity, count, sizeof *cuts->index);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cuts->first_layer, &cuts->first_capacity, count + 1, sizeof *cuts->first_layer);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cuts->layers, &cuts->layer_capacity, count, sizeof *cuts->layers);
    }
    for (int k = 0; k < 2 && status == WF_OK; k++) {
        status = wf_reserve(context, &cuts->keys[k], &cuts->key_capacity[k], count, sizeof *cuts->keys[k]);
    }
    return status;
}

wf_status wf_cut_faces_find(wf_context *context, const wf_flow_grid *grid, wf_vec3 origin, const double spacing[3],
                            const wf_vec3 *positions, int32_t triangle_count, const int32_t (*triangles)[3],
                            wf_cut_faces *cuts)
{
    cuts->face_count = cuts->layer_count = 0;
    if (grid->count > MOST_ENTRIES) {
        return wf_fail(context, WF_ERROR_LIMIT, "a grid of %zu entries; the limit is %zu", grid->count, MOST_ENTRIES);
    }
    wf_lattice lattice;
    for (int axis = 0; axis < 3; axis++) {
        (&lattice.first.x)[axis] = (&origin.x)[axis] + 0.5 * spacing[axis];
        lattice.spacing[axis] = spacing[axis];
        lattice.count[axis] = grid->cells[axis];
    }
    wf_status status = wf_lattice_crossings_find(context, &lattice, false, positions, triangle_count, triangles,
                                                 &cuts->crossings);
    const size_t count = status == WF_OK ? cuts->crossings.count : 0;
    status = status == WF_OK ? reserve(context, count, cuts) : status;
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        const wf_lattice_crossing *item = &cuts->crossings.items[i];
        int32_t cell[3] = {item->point[0], item->point[1], item->point[2]};
        cell[item->axis]++;
        const size_t index = (size_t)wf_flow_index(grid, cell[0], cell[1], cell[2]);
        cuts->keys[0][i] = (wf_cut_key){(uint32_t)(item->axis * grid->count + index), (uint32_t)i};
    }
    sort_keys(cuts->keys, count);
    write_faces(grid, positions, triangles, cuts->keys[1], cuts);
    return WF_OK;
}

void wf_cut_faces_free(wf_context *context, wf_cut_faces *cuts)
{
    wf_lattice_crossings_free(context, &cuts->crossings);
    wf_free(context, cuts->axis);
    wf_free(context, cuts->index);
    wf_free(context, cuts->first_layer);
    wf_free(context, cuts->layers);
    wf_free(context, cuts->keys[0]);
    wf_free(context, cuts->keys[1]);
    *cuts = (wf_cut_faces){0};
}
