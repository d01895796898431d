/* attributes.c - merging with everything that follows; see attributes.h. */
#include "mesh/attributes.h"

#include <string.h>

#include "mesh/mesh.h"
#include "mesh/union_find.h"

/* ---- registry -------------------------------------------------------------------------------------------------- */

static void *array_of(const wf_attribute *attribute)
{
    void *array;
    memcpy(&array, attribute->array, sizeof array);
    return array;
}

static size_t element_size(const wf_attribute *attribute)
{
    return attribute->type == WF_ATTRIBUTE_DOUBLE ? sizeof(double) : sizeof(int32_t);
}

/* Entries of a vertex or face array; a corner array has three for each face, which go together. */
static size_t row_size(const wf_attribute *attribute)
{
    const size_t corners = attribute->domain == WF_ATTRIBUTE_CORNER ? 3 : 1;
    return corners * (size_t)attribute->components * element_size(attribute);
}

wf_status wf_attributes_add(wf_context *context, wf_attributes *attributes, const wf_attribute *attribute)
{
    if (attribute->components < 1 || attribute->components > 64) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "attribute %s: components must be from 1 to 64, got %d",
                       attribute->name, attribute->components);
    }
    const bool average = attribute->rule == WF_MERGE_AVERAGE || attribute->rule == WF_MERGE_WEIGHTED_AVERAGE;
    if (average && attribute->type == WF_ATTRIBUTE_INT32) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "attribute %s: integers cannot be averaged", attribute->name);
    }
    if (attribute->rule == WF_MERGE_WEIGHTED_AVERAGE && !attributes->weights) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "attribute %s: there are no weights for its average",
                       attribute->name);
    }
    for (int32_t i = 0; i < attributes->count; i++) {
        if (attributes->list[i].array == attribute->array) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "attribute %s is already registered, as %s", attribute->name,
                           attributes->list[i].name);
        }
    }
    wf_status status = wf_reserve(context, &attributes->list, &attributes->capacity, (size_t)attributes->count + 1,
                                  sizeof *attributes->list);
    if (status == WF_OK) {
        attributes->list[attributes->count++] = *attribute;
    }
    return status;
}

void wf_attributes_free(wf_context *context, wf_attributes *attributes)
{
    wf_free(context, attributes->list);
    memset(attributes, 0, sizeof *attributes);
}

/* ---- new arrays in place of old ones --------------------------------------------------------------------------- */

/* What an operation has computed. */
typedef struct replacement {
    int32_t (*faces)[3];
    void **arrays; /* [attributes.count], NULL where the old one stays */
} replacement;

static wf_status replacement_begin(wf_context *context, const wf_attributes *a, replacement *r)
{
    r->faces = wf_allocate(context, (size_t)a->face_count, sizeof *r->faces);
    r->arrays = wf_allocate(context, (size_t)a->count, sizeof *r->arrays);
    return r->faces && r->arrays ? WF_OK : WF_ERROR_MEMORY;
}

static void replacement_discard(wf_context *context, const wf_attributes *a, replacement *r)
{
    for (int32_t i = 0; r->arrays && i < a->count; i++) {
        wf_free(context, r->arrays[i]);
    }
    wf_free(context, r->arrays);
    wf_free(context, r->faces);
}

/* Cannot fail. */
static void replacement_commit(wf_context *context, wf_attributes *a, replacement *r)
{
    for (int32_t i = 0; i < a->count; i++) {
        if (r->arrays[i]) {
            void *old = array_of(&a->list[i]);
            memcpy(a->list[i].array, &r->arrays[i], sizeof old);
            wf_free(context, old);
        }
    }
    wf_free(context, *a->faces);
    *a->faces = r->faces;
    wf_free(context, r->arrays);
}

/* ---- merging --------------------------------------------------------------------------------------------------- */

wf_status wf_topology_classes(wf_context *context, int32_t vertex_count, int32_t pair_count, const int32_t (*pairs)[2],
                              int32_t *class_of_vertex)
{
    wf_union_find_reset(class_of_vertex, vertex_count);
    for (int32_t i = 0; i < pair_count; i++) {
        for (int k = 0; k < 2; k++) {
            if (pairs[i][k] < 0 || pairs[i][k] >= vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "merge: pair %d names vertex %lld, but there are %d vertices", i + 1,
                               (long long)pairs[i][k] + 1, vertex_count);
            }
        }
        wf_union_find_join(class_of_vertex, pairs[i][0], pairs[i][1]);
    }
    /* Roots have the smallest index, so one pass in order flattens all. */
    for (int32_t v = 0; v < vertex_count; v++) {
        class_of_vertex[v] = class_of_vertex[class_of_vertex[v]];
    }
    return WF_OK;
}

/* Numbers the classes by their smallest member: map[v] is the new index of v. Returns how many, or -1 with a message
 * when these are not classes. `number` [vertex_count] is scratch. */
static int32_t number_classes(wf_context *context, int32_t vertex_count, const int32_t *class_of_vertex,
                              int32_t *number, int32_t *map)
{
    int32_t count = 0;
    memset(number, -1, (size_t)vertex_count * sizeof *number);
    for (int32_t v = 0; v < vertex_count; v++) {
        const int32_t c = class_of_vertex[v];
        if (c < 0 || c >= vertex_count || class_of_vertex[c] != c) {
            wf_fail(context, WF_ERROR_ARGUMENT, "merge: vertex %d is not in a class that a vertex stands for", v + 1);
            return -1;
        }
        if (number[c] < 0) {
            number[c] = count++;
        }
        map[v] = number[c];
    }
    return count;
}

static wf_status map_faces(wf_context *context, const wf_attributes *a, const int32_t *map, int32_t new_vertex_count,
                           int32_t (*new_faces)[3])
{
    for (int32_t f = 0; f < a->face_count; f++) {
        const int32_t *old = (*a->faces)[f];
        int collapsed = 0, which = 0;
        for (int k = 0; k < 3; k++) {
            new_faces[f][k] = map[old[k]];
            if (map[old[k]] == map[old[(k + 1) % 3]]) {
                collapsed++;
                which = k;
            }
        }
        if (collapsed == 1) {
            return wf_fail(context, WF_ERROR_GEOMETRY,
                           "merge: the edge of face %d between vertices %d and %d would collapse", f + 1,
                           old[which] + 1, old[(which + 1) % 3] + 1);
        }
        if (collapsed > 1) {
            return wf_fail(context, WF_ERROR_GEOMETRY,
                           "merge: face %d with vertices %d, %d and %d would collapse into a point", f + 1, old[0] + 1,
                           old[1] + 1, old[2] + 1);
        }
    }
    return wf_mesh_check_faces(context, new_vertex_count, a->face_count, (const int32_t(*)[3])new_faces);
}

/* The vertices of each new vertex, in compressed rows, ascending. */
typedef struct class_members {
    int32_t *start; /* [new count + 1] */
    int32_t *vertex; /* [old count] */
} class_members;

static wf_status list_members(wf_context *context, int32_t old_count, int32_t new_count, const int32_t *map,
                              class_members *m)
{
    m->start = wf_allocate(context, (size_t)new_count + 2, sizeof *m->start);
    m->vertex = wf_allocate(context, (size_t)old_count, sizeof *m->vertex);
    if (!m->start || !m->vertex) {
        return WF_ERROR_MEMORY;
    }
    /* Counted two places on, so that filling leaves each row's start in its own place. */
    for (int32_t v = 0; v < old_count; v++) {
        m->start[map[v] + 2]++;
    }
    for (int32_t c = 0; c < new_count; c++) {
        m->start[c + 2] += m->start[c + 1];
    }
    for (int32_t v = 0; v < old_count; v++) {
        m->vertex[m->start[map[v] + 1]++] = v;
    }
    return WF_OK;
}

/* One component of one new vertex. `values` is the old array at this component. */
static double merge_doubles(wf_merge_rule rule, const double *values, int32_t stride, const double *weights,
                            const int32_t *member, int32_t count)
{
    const double first = values[(size_t)member[0] * (size_t)stride];
    if (count == 1 || rule == WF_MERGE_FIRST) {
        return first;
    }
    double sum = 0, weighted_sum = 0, weight = 0, least = first, largest = first;
    for (int32_t i = 0; i < count; i++) {
        const double value = values[(size_t)member[i] * (size_t)stride];
        const double w = weights ? weights[member[i]] : 0;
        sum += value;
        weighted_sum += w * value;
        weight += w;
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    switch (rule) {
    case WF_MERGE_SUM:
        return sum;
    case WF_MERGE_MINIMUM:
        return least;
    case WF_MERGE_MAXIMUM:
        return largest;
    case WF_MERGE_WEIGHTED_AVERAGE:
        return weight != 0 ? weighted_sum / weight : sum / count;
    default:
        return sum / count;
    }
}

static int64_t merge_integers(wf_merge_rule rule, const int32_t *values, int32_t stride, const int32_t *member,
                              int32_t count)
{
    int64_t result = values[(size_t)member[0] * (size_t)stride];
    for (int32_t i = 1; i < count; i++) {
        const int32_t value = values[(size_t)member[i] * (size_t)stride];
        if (rule == WF_MERGE_SUM) {
            result += value;
        } else if ((rule == WF_MERGE_MINIMUM && value < result) || (rule == WF_MERGE_MAXIMUM && value > result)) {
            result = value;
        }
    }
    return result;
}

static wf_status merge_array(wf_context *context, const wf_attributes *a, const wf_attribute *attribute,
                             int32_t new_count, const class_members *m, void *result)
{
    const int32_t n = attribute->components;
    const double *weights = attribute->rule == WF_MERGE_WEIGHTED_AVERAGE ? *a->weights : NULL;
    for (int32_t c = 0; c < new_count; c++) {
        const int32_t *member = m->vertex + m->start[c];
        const int32_t member_count = m->start[c + 1] - m->start[c];
        for (int32_t k = 0; k < n; k++) {
            const size_t at = (size_t)c * (size_t)n + (size_t)k;
            if (attribute->type == WF_ATTRIBUTE_DOUBLE) {
                const double *values = (const double *)array_of(attribute) + k;
                ((double *)result)[at] = merge_doubles(attribute->rule, values, n, weights, member, member_count);
                continue;
            }
            const int32_t *values = (const int32_t *)array_of(attribute) + k;
            const int64_t merged = merge_integers(attribute->rule, values, n, member, member_count);
            if (merged < INT32_MIN || merged > INT32_MAX) {
                return wf_fail(context, WF_ERROR_NUMERIC, "merge: the sum of %s at vertex %d is too large",
                               attribute->name, member[0] + 1);
            }
            ((int32_t *)result)[at] = (int32_t)merged;
        }
    }
    return WF_OK;
}

static wf_status merge_arrays(wf_context *context, const wf_attributes *a, int32_t new_count, const int32_t *map,
                              replacement *r)
{
    class_members members = {0};
    wf_status status = list_members(context, a->vertex_count, new_count, map, &members);
    for (int32_t i = 0; i < a->count && status == WF_OK; i++) {
        if (a->list[i].domain != WF_ATTRIBUTE_VERTEX) {
            continue;
        }
        r->arrays[i] = wf_allocate(context, (size_t)new_count, row_size(&a->list[i]));
        status = r->arrays[i] ? merge_array(context, a, &a->list[i], new_count, &members, r->arrays[i])
                              : WF_ERROR_MEMORY;
    }
    wf_free(context, members.start);
    wf_free(context, members.vertex);
    return status;
}

wf_status wf_topology_merge(wf_context *context, wf_attributes *a, const int32_t *class_of_vertex, int32_t *vertex_map)
{
    replacement r = {0};
    int32_t new_count = -1;
    int32_t *map = wf_allocate(context, (size_t)a->vertex_count, sizeof *map);
    int32_t *number = wf_allocate(context, (size_t)a->vertex_count, sizeof *number);
    wf_status status = map && number ? replacement_begin(context, a, &r) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        new_count = number_classes(context, a->vertex_count, class_of_vertex, number, map);
        status = new_count >= 0 ? map_faces(context, a, map, new_count, r.faces) : WF_ERROR_ARGUMENT;
    }
    if (status == WF_OK) {
        status = merge_arrays(context, a, new_count, map, &r);
    }
    if (status == WF_OK) {
        replacement_commit(context, a, &r);
        if (vertex_map && a->vertex_count > 0) {
            memcpy(vertex_map, map, (size_t)a->vertex_count * sizeof *map);
        }
        a->vertex_count = new_count;
    } else {
        replacement_discard(context, a, &r);
    }
    wf_free(context, map);
    wf_free(context, number);
    return status;
}
