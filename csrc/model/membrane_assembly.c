/* membrane_assembly.c - see membrane_assembly.h. */
#include "model/membrane_assembly.h"

#include <string.h>

/* Of 2.3 kB results each: with the rows of the matrix that they are for, the longest chunk is what a core's own cache
 * holds. Shorter ones make threads wait for each other more often, but the results of a small mesh are to be a small
 * part of its memory. */
enum { SHORTEST_CHUNK = 128, LONGEST_CHUNK = 512, CHUNKS = 16 };

_Static_assert(2 * LONGEST_CHUNK * 3 * WF_LANES < UINT16_MAX, "edges name the blocks of a chunk in 16 bits");

/* In batches; a multiple of the shortest, which threads share evenly. */
static int32_t chunk_length(int32_t batches)
{
    int32_t length = batches / CHUNKS / SHORTEST_CHUNK * SHORTEST_CHUNK;
    length = length < SHORTEST_CHUNK ? SHORTEST_CHUNK : length > LONGEST_CHUNK ? LONGEST_CHUNK : length;
    return batches < length ? batches : length;
}

/* ---- edges ----------------------------------------------------------------------------------------------------- */

/* A face's side, from corner k to corner k + 1, seen from the lesser of its vertices. */
typedef struct side {
    int32_t other; /* the greater vertex */
    int32_t face, k;
} side;

static int32_t chunk_of(const wf_membrane_assembly *a, int32_t face)
{
    return face / WF_LANES / a->chunk_batches;
}

/* A side's block among its chunk's results. */
static int32_t block_of(const wf_membrane_assembly *a, side s)
{
    return (s.face / WF_LANES % a->chunk_batches * 3 + s.k) * WF_LANES + s.face % WF_LANES;
}

/* The sides at `vertex` whose other vertex is greater, by that vertex and then by face. */
static int32_t sides_at(const wf_stencil *faces, const wf_incidence *incidence, int32_t vertex, side *sides)
{
    int32_t count = 0;
    for (int32_t i = incidence->start[vertex]; i < incidence->start[vertex + 1]; i++) {
        int32_t face = incidence->corner[i] / 3, corner = incidence->corner[i] % 3;
        const int32_t *v = faces->vertices + 3 * (int64_t)face;
        int32_t after = v[(corner + 1) % 3], before = v[(corner + 2) % 3];
        const side both[2] = {{after, face, corner}, {before, face, (corner + 2) % 3}};
        for (int b = 0; b < 2; b++) {
            int32_t at = count;
            if (both[b].other < vertex) {
                continue;
            }
            for (; at > 0 && sides[at - 1].other > both[b].other; at--) {
                sides[at] = sides[at - 1];
            }
            sides[at] = both[b];
            count++;
        }
    }
    return count;
}

/* Calls for each edge, by its lesser vertex. With `fill`, writes the edges; else counts them into the chunks. */
static void visit_edges(const wf_stencil *faces, const wf_incidence *incidence, wf_membrane_assembly *a, side *sides,
                        bool fill)
{
    int32_t zero = a->chunk_batches * 3 * WF_LANES;
    for (int32_t vertex = 0; vertex < incidence->vertex_count; vertex++) {
        int32_t count = sides_at(faces, incidence, vertex, sides);
        for (int32_t s = 0, used; s < count; s += used) {
            side first = sides[s];
            int32_t chunk = chunk_of(a, first.face);
            bool again = s > 0 && sides[s - 1].other == first.other;
            bool crowded = again && chunk_of(a, sides[s - 1].face) == chunk;
            bool pair = s + 1 < count && sides[s + 1].other == first.other && chunk_of(a, sides[s + 1].face) == chunk;
            used = pair ? 2 : 1;
            wf_membrane_chunk *to = &a->chunks[chunk];
            int32_t *next = crowded ? &to->crowded_edge : &to->edge;
            if (fill) {
                const int32_t *v = faces->vertices + 3 * (int64_t)first.face;
                side second = sides[s + used - 1];
                const int32_t *w = faces->vertices + 3 * (int64_t)second.face;
                wf_membrane_edge *edge = crowded ? &a->crowded_edges[*next] : &a->edges[*next];
                edge->first = (uint16_t)(2 * block_of(a, first) + again);
                edge->second = (uint16_t)(pair ? 2 * block_of(a, second) + (w[second.k] != v[first.k]) : 2 * zero);
            }
            ++*next;
        }
    }
}

/* ---- vertices -------------------------------------------------------------------------------------------------- */

static void visit_vertices(const wf_incidence *incidence, wf_membrane_assembly *a, bool fill)
{
    for (int32_t vertex = 0; vertex < incidence->vertex_count; vertex++) {
        int32_t last = -1;
        for (int32_t i = incidence->start[vertex]; i < incidence->start[vertex + 1]; i++) {
            int32_t chunk = chunk_of(a, incidence->corner[i] / 3);
            if (chunk != last) {
                int32_t *next = &a->chunks[chunk].vertex;
                if (fill) {
                    a->vertices[*next] = (wf_membrane_vertex){vertex, i};
                }
                ++*next;
            }
            last = chunk;
        }
    }
}

/* ---- building -------------------------------------------------------------------------------------------------- */

/* From counts to where each chunk begins, and the totals at the end. */
static void sum_counts(wf_membrane_assembly *a)
{
    wf_membrane_chunk at = {0};
    for (int32_t c = 0; c <= a->chunk_count; c++) {
        wf_membrane_chunk count = a->chunks[c];
        a->chunks[c] = at;
        at.edge += count.edge;
        at.crowded_edge += count.crowded_edge;
        at.vertex += count.vertex;
    }
}

/* Filling has left each chunk's beginning at its end. */
static void step_back(wf_membrane_assembly *a)
{
    memmove(a->chunks + 1, a->chunks, (size_t)a->chunk_count * sizeof *a->chunks);
    a->chunks[0] = (wf_membrane_chunk){0};
}

wf_status wf_membrane_assembly_build(wf_context *context, const wf_stencil *faces, const wf_incidence *incidence,
                                     wf_membrane_assembly *assembly)
{
    int32_t batches = (int32_t)wf_lane_batches(faces->count), most = 0;
    wf_membrane_assembly a = {.chunk_batches = chunk_length(batches)};
    a.chunk_count = batches > 0 ? (batches + a.chunk_batches - 1) / a.chunk_batches : 0;
    *assembly = (wf_membrane_assembly){0};
    for (int32_t vertex = 0; vertex < incidence->vertex_count; vertex++) {
        int32_t corners = incidence->start[vertex + 1] - incidence->start[vertex];
        most = corners > most ? corners : most;
    }
    side *sides = wf_allocate(context, 2 * (size_t)most, sizeof *sides);
    a.chunks = wf_allocate(context, (size_t)a.chunk_count + 1, sizeof *a.chunks);
    bool ok = sides && a.chunks;
    if (ok) {
        visit_edges(faces, incidence, &a, sides, false);
        visit_vertices(incidence, &a, false);
        sum_counts(&a);
        wf_membrane_chunk total = a.chunks[a.chunk_count];
        a.edges = wf_allocate(context, (size_t)total.edge, sizeof *a.edges);
        a.crowded_edges = wf_allocate(context, (size_t)total.crowded_edge, sizeof *a.crowded_edges);
        a.vertices = wf_allocate(context, (size_t)total.vertex, sizeof *a.vertices);
        ok = a.edges && a.crowded_edges && a.vertices;
    }
    if (ok) {
        visit_edges(faces, incidence, &a, sides, true);
        visit_vertices(incidence, &a, true);
        step_back(&a);
        *assembly = a;
    } else {
        wf_membrane_assembly_free(context, &a);
    }
    wf_free(context, sides);
    return ok ? WF_OK : WF_ERROR_MEMORY;
}

void wf_membrane_assembly_free(wf_context *context, wf_membrane_assembly *assembly)
{
    wf_free(context, assembly->chunks);
    wf_free(context, assembly->edges);
    wf_free(context, assembly->crowded_edges);
    wf_free(context, assembly->vertices);
    wf_free(context, assembly->empty_places);
    *assembly = (wf_membrane_assembly){0};
}

/* ---- binding --------------------------------------------------------------------------------------------------- */

/* The side that an edge's first block is of. */
const int32_t *wf_membrane_edge_face(const wf_membrane_assembly *a, const wf_stencil *faces, int32_t chunk,
                                     const wf_membrane_edge *edge, int *k)
{
    int32_t block = edge->first >> 1, batch = chunk * a->chunk_batches + block / (3 * WF_LANES);
    *k = block / WF_LANES % 3;
    return faces->vertices + 3 * ((int64_t)batch * WF_LANES + block % WF_LANES);
}

static wf_status bind_edge(wf_context *context, const wf_membrane_assembly *a, const wf_stencil *faces, int32_t chunk,
                           const wf_pattern *pattern, wf_membrane_edge *edge)
{
    int k;
    const int32_t *v = wf_membrane_edge_face(a, faces, chunk, edge, &k);
    int32_t i = v[k], j = v[(k + 1) % 3];
    bool inside = i < pattern->row_count && j < pattern->row_count;
    int32_t place = inside ? wf_pattern_place(pattern, i > j ? i : j, i > j ? j : i) : -1;
    if (place < 0) {
        return wf_fail(context, WF_ERROR_STATE, "matrix: vertices %d and %d of a model are not coupled in this matrix",
                       i + 1, j + 1);
    }
    edge->place = 2 * place + (i < j);
    return WF_OK;
}

/* Places of the model's rows that neither an edge nor a vertex with faces has. */
static wf_status find_empty_places(wf_context *context, wf_membrane_assembly *a, const wf_model *model,
                                   const wf_pattern *pattern)
{
    int32_t first = wf_pattern_first_place(pattern, model->first_row);
    int32_t end = wf_pattern_first_place(pattern, model->end_row);
    uint8_t *taken = wf_allocate(context, (size_t)(end - first), sizeof *taken);
    if (!taken) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t e = 0; e < a->chunks[a->chunk_count].edge; e++) {
        taken[(a->edges[e].place >> 1) - first] = 1;
    }
    for (int32_t v = 0; v < a->chunks[a->chunk_count].vertex; v++) {
        taken[wf_pattern_diagonal_place(pattern, a->vertices[v].vertex) - first] = 1;
    }
    int32_t count = 0;
    for (int32_t place = first; place < end; place++) {
        count += !taken[place - first];
    }
    wf_free(context, a->empty_places);
    a->empty_count = 0;
    a->empty_places = wf_allocate(context, (size_t)count, sizeof *a->empty_places);
    for (int32_t place = first; a->empty_places && place < end; place++) {
        if (!taken[place - first]) {
            a->empty_places[a->empty_count++] = place;
        }
    }
    wf_free(context, taken);
    return a->empty_places ? WF_OK : WF_ERROR_MEMORY;
}

wf_status wf_membrane_assembly_bind(wf_context *context, wf_membrane_assembly *assembly, const wf_model *model,
                                    const wf_pattern *pattern)
{
    wf_membrane_assembly *a = assembly;
    for (int32_t c = 0; c < a->chunk_count; c++) {
        for (int32_t e = a->chunks[c].edge; e < a->chunks[c + 1].edge; e++) {
            wf_status status = bind_edge(context, a, &model->stencil, c, pattern, &a->edges[e]);
            if (status != WF_OK) {
                return status;
            }
        }
        for (int32_t e = a->chunks[c].crowded_edge; e < a->chunks[c + 1].crowded_edge; e++) {
            wf_status status = bind_edge(context, a, &model->stencil, c, pattern, &a->crowded_edges[e]);
            if (status != WF_OK) {
                return status;
            }
        }
    }
    a->pattern = pattern;
    return find_empty_places(context, a, model, pattern);
}
