/* fitting_models.c - the models of all fittings of a world's cloths, one of each kind, and what breaks. */
#include <string.h>

#include "base/hash.h"
#include "world/fittings.h"
#include "world/world_state.h"

/* Fittings are gone through in the order of the cloths and, on each, of their making. */
typedef struct walk {
    size_t cloth, fitting;
} walk;

/* The next fitting that acts in the world; NULL after the last. `member` is its first cloth's. */
static wf_fitting *next_fitting(const wf_world *world, walk *at, const wf_cloth_member **member)
{
    for (; at->cloth < world->cloth_count; at->cloth++, at->fitting = 0) {
        const wf_cloth *cloth = world->cloths[at->cloth].cloth;
        while (at->fitting < cloth->fitting_count) {
            wf_fitting *fitting = cloth->fittings[at->fitting++];
            bool here = !fitting->cloths[1] || fitting->cloths[1]->world == world;
            if (fitting->cloths[0] == cloth && here) {
                *member = &world->cloths[at->cloth];
                return fitting;
            }
        }
    }
    return NULL;
}

typedef struct counts {
    size_t bands, strings, string_edges, chambers, chamber_faces, ties;
} counts;

static counts count_all(const wf_world *world)
{
    counts n = {0};
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        size_t count = (size_t)f->count;
        n.bands += f->kind == WF_FITTING_BAND ? count : 0;
        n.strings += f->kind == WF_FITTING_DRAWSTRING;
        n.string_edges += f->kind == WF_FITTING_DRAWSTRING ? count : 0;
        n.chambers += f->kind == WF_FITTING_AIR;
        n.chamber_faces += f->kind == WF_FITTING_AIR ? count : 0;
        n.ties += f->kind == WF_FITTING_TIES ? count : 0;
    }
    return n;
}

static int32_t first_vertex_of(const wf_world *world, const wf_cloth *cloth)
{
    size_t m = 0;
    while (world->cloths[m].cloth != cloth) {
        m++;
    }
    return world->cloths[m].first_vertex;
}

/* How many elements of its model are the fitting's. A gas that is switched off lets its faces be. */
static int32_t count_elements(const wf_fitting *f)
{
    if (f->kind == WF_FITTING_TIES) {
        return f->count;
    }
    if (f->kind == WF_FITTING_AIR) {
        return f->on || !f->chamber.gas ? f->count : 0;
    }
    int32_t count = 0;
    for (int32_t e = 0; e < f->count; e++) {
        wf_band_edge edge;
        count += wf_fitting_band_edge(f, e, 0, &edge);
    }
    return count;
}

/* ---- making them ----------------------------------------------------------------------------------------------- */

typedef struct makings {
    wf_band_edge *bands;
    int32_t (*string_edges)[2], *string_start;
    wf_drawstring *strings;
    int32_t (*chamber_faces)[3], *chamber_start;
    wf_chamber *chambers;
    wf_tie *ties;
    counts n; /* of what has been filled in */
} makings;

static void add_band(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    for (int32_t e = 0; e < f->count; e++) {
        m->n.bands += wf_fitting_band_edge(f, e, first_vertex, &m->bands[m->n.bands]);
    }
}

static void add_string(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    for (int32_t e = 0; e < f->count; e++) {
        wf_band_edge edge;
        if (wf_fitting_band_edge(f, e, first_vertex, &edge)) {
            memcpy(m->string_edges[m->n.string_edges++], edge.vertices, sizeof edge.vertices);
        }
    }
    m->strings[m->n.strings++] = wf_fitting_string(f);
    m->string_start[m->n.strings] = (int32_t)m->n.string_edges;
}

static wf_chamber chamber_of(const wf_fitting *f)
{
    wf_chamber chamber = f->chamber;
    chamber.pressure = f->on ? chamber.pressure : 0;
    return chamber;
}

static void add_air(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    const wf_mesh *mesh = &f->cloths[0]->mesh;
    int32_t count = count_elements(f);
    for (int32_t k = 0; k < count; k++) {
        const int32_t *face = mesh->faces[f->faces[k]];
        int32_t *to = m->chamber_faces[m->n.chamber_faces++];
        for (int i = 0; i < 3; i++) {
            to[i] = first_vertex + face[f->inward ? 2 - i : i];
        }
    }
    m->chambers[m->n.chambers++] = chamber_of(f);
    m->chamber_start[m->n.chambers] = (int32_t)m->n.chamber_faces;
}

static void find_first_vertices(const wf_world *world, const wf_fitting *f, int32_t first_vertex[2])
{
    for (int k = 0; k < 2; k++) {
        first_vertex[k] = f->cloths[k] ? first_vertex_of(world, f->cloths[k]) : 0;
    }
}

static void add_ties(const wf_world *world, const wf_fitting *f, makings *m)
{
    int32_t first_vertex[2];
    find_first_vertices(world, f, first_vertex);
    for (int32_t t = 0; t < f->count; t++) {
        m->ties[m->n.ties++] = wf_fitting_tie(f, t, first_vertex);
    }
}

static void fill_makings(const wf_world *world, makings *m)
{
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        switch (f->kind) {
        case WF_FITTING_BAND:
            add_band(f, member->first_vertex, m);
            break;
        case WF_FITTING_DRAWSTRING:
            add_string(f, member->first_vertex, m);
            break;
        case WF_FITTING_AIR:
            add_air(f, member->first_vertex, m);
            break;
        case WF_FITTING_TIES:
            add_ties(world, f, m);
            break;
        }
    }
}

static wf_status make_models(wf_world *world, const makings *m, wf_model *models[WF_FITTING_MODELS])
{
    wf_context *context = world->context;
    int32_t vertices = world->cloth_vertex_count;
    wf_status status = WF_OK;
    if (m->n.bands > 0) {
        status = wf_bands_create(context, vertices, (int32_t)m->n.bands, m->bands, &models[WF_FITTING_BAND]);
    }
    if (status == WF_OK && m->n.strings > 0) {
        const wf_drawstrings_def def = {vertices, (int32_t)m->n.string_edges,
                                        (const int32_t(*)[2])m->string_edges, (int32_t)m->n.strings, m->string_start,
                                        m->strings};
        status = wf_drawstrings_create(context, &def, &models[WF_FITTING_DRAWSTRING]);
    }
    if (status == WF_OK && m->n.chambers > 0) {
        const wf_pressure_def def = {vertices, (int32_t)m->n.chamber_faces, (const int32_t(*)[3])m->chamber_faces,
                                     (int32_t)m->n.chambers, m->chamber_start, m->chambers};
        status = wf_pressure_create(context, &def, &models[WF_FITTING_AIR]);
    }
    if (status == WF_OK && m->n.ties > 0) {
        status = wf_ties_create(context, vertices, (int32_t)m->n.ties, m->ties, &models[WF_FITTING_TIES]);
    }
    return status;
}

static bool allocate_makings(wf_context *context, const counts *n, makings *m)
{
    m->bands = wf_allocate(context, n->bands, sizeof *m->bands);
    m->string_edges = wf_allocate(context, n->string_edges, sizeof *m->string_edges);
    m->string_start = wf_allocate(context, n->strings + 1, sizeof *m->string_start);
    m->strings = wf_allocate(context, n->strings, sizeof *m->strings);
    m->chamber_faces = wf_allocate(context, n->chamber_faces, sizeof *m->chamber_faces);
    m->chamber_start = wf_allocate(context, n->chambers + 1, sizeof *m->chamber_start);
    m->chambers = wf_allocate(context, n->chambers, sizeof *m->chambers);
    m->ties = wf_allocate(context, n->ties, sizeof *m->ties);
    return m->bands && m->string_edges && m->string_start && m->strings && m->chamber_faces && m->chamber_start &&
           m->chambers && m->ties;
}

static void free_makings(wf_context *context, makings *m)
{
    void *arrays[] = {m->bands, m->string_edges, m->string_start, m->strings,
                      m->chamber_faces, m->chamber_start, m->chambers, m->ties};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
}

static int64_t changes_of(const wf_world *world)
{
    int64_t sum = 0;
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        sum += f->changes;
    }
    return sum;
}

wf_status wf_world_make_fittings(wf_world *world, wf_model *models[WF_FITTING_MODELS])
{
    wf_context *context = world->context;
    counts n = count_all(world);
    memset((void *)models, 0, WF_FITTING_MODELS * sizeof *models);
    if (n.bands + n.strings + n.chambers + n.ties == 0) {
        return WF_OK;
    }
    makings m = {0};
    wf_status status = allocate_makings(context, &n, &m) ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        fill_makings(world, &m);
        status = make_models(world, &m, models);
        world->fitting_changes = changes_of(world);
    }
    free_makings(context, &m);
    return status;
}

/* ---- between steps --------------------------------------------------------------------------------------------- */

static void load_ties(const wf_world *world, const wf_fitting *f, wf_model *model, int32_t *tie)
{
    int32_t first_vertex[2];
    find_first_vertices(world, f, first_vertex);
    for (int32_t t = 0; t < f->count; t++) {
        const wf_tie values = wf_fitting_tie(f, t, first_vertex);
        wf_ties_set(model, (*tie)++, &values);
    }
}

static bool on_body(const wf_fitting *f)
{
    return f->kind == WF_FITTING_TIES && f->places[0][1].body;
}

void wf_world_load_fittings(wf_world *world)
{
    int64_t changes = changes_of(world);
    bool changed = changes != world->fitting_changes;
    world->fitting_changes = changes;
    world->revision += changed;
    int32_t band = 0, string = 0, chamber = 0, tie = 0;
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        wf_model *model = world->fittings[f->kind];
        if (f->kind == WF_FITTING_BAND) {
            for (int32_t e = 0; e < f->count; e++) {
                wf_band_edge edge;
                if (wf_fitting_band_edge(f, e, member->first_vertex, &edge)) {
                    wf_bands_set(model, band++, &edge);
                }
            }
        } else if (f->kind == WF_FITTING_DRAWSTRING) {
            wf_drawstrings_of(model)[string++] = wf_fitting_string(f);
        } else if (f->kind == WF_FITTING_AIR) {
            wf_pressure_chambers(model)[chamber++] = chamber_of(f);
        } else if (changed || on_body(f)) {
            load_ties(world, f, model, &tie);
        } else {
            tie += f->count;
        }
    }
}

double wf_world_fitting_energy(const wf_world *world, const wf_cloth *cloth)
{
    double sum = 0;
    int32_t first[WF_FITTING_MODELS] = {0};
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        wf_model *model = world->fittings[f->kind];
        int32_t count = count_elements(f);
        if (count > 0 && (!cloth || member->cloth == cloth)) {
            sum += model->class->energy(world->context, model, world->x0, first[f->kind], count);
        }
        first[f->kind] += count;
    }
    return sum;
}

int32_t wf_world_break_ties(wf_world *world)
{
    int32_t count = 0;
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        for (int32_t t = 0; f->kind == WF_FITTING_TIES && f->strength > 0 && t < f->count; t++) {
            if (wf_fitting_share(f, t) > 0 && wf_vec3_norm(wf_fitting_force(f, t)) > f->strength) {
                f->broken[t] = 1;
                f->changes++;
                count++;
            }
        }
    }
    return count;
}

uint64_t wf_world_hash_fittings(const wf_world *world, uint64_t hash)
{
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        const double numbers[] = {f->kind, f->on, f->length, f->stiffness, f->viscosity, f->closed, f->chamber.pressure,
                                  f->chamber.amount, f->chamber.outside};
        hash = wf_hash_bytes(hash, numbers, sizeof numbers);
        if (f->kind == WF_FITTING_TIES) {
            hash = wf_hash_bytes(hash, f->broken, (size_t)f->count);
        }
    }
    return hash;
}
