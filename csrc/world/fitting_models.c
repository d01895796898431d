/* fitting_models.c - the models of all fittings of a world's cloths, one of each kind, and what breaks. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "world/fittings.h"
#include "world/world_state.h"

#define NO_CLOTH_BEARS 1e6 /* N: a string that begins a step with more has been drawn in at once */

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

static int32_t first_vertex_of(const wf_world *world, const wf_cloth *cloth)
{
    size_t m = 0;
    while (world->cloths[m].cloth != cloth) {
        m++;
    }
    return world->cloths[m].first_vertex;
}

/* The band edges of a line that merging has left. */
static int32_t count_edges(const wf_fitting *f)
{
    int32_t count = 0;
    for (int32_t e = 0; e < f->count; e++) {
        wf_band_edge edge;
        count += wf_fitting_band_edge(f, e, 0, &edge);
    }
    return count;
}

/* How many elements of a model are the fitting's. A gas that is switched off lets its faces be. */
static int32_t count_elements(const wf_fitting *f, int model)
{
    bool bands = model == WF_FITTING_BAND && f->kind == WF_FITTING_SEAM; /* seams pull along themselves too */
    if (model != (int)f->kind && !bands) {
        return 0;
    }
    switch ((wf_fitting_kind)model) {
    case WF_FITTING_BAND:
    case WF_FITTING_DRAWSTRING:
        return count_edges(f);
    case WF_FITTING_AIR:
        return f->on || !f->chamber.gas ? f->count : 0;
    case WF_FITTING_TIES:
        return f->count;
    case WF_FITTING_SEAM:
        return f->joint_count;
    case WF_FITTING_FOLD:
        break;
    }
    return 0;
}

/* ---- making them ----------------------------------------------------------------------------------------------- */

typedef struct counts {
    size_t elements[WF_FITTING_MODELS], strings, chambers;
} counts;

static counts count_all(const wf_world *world)
{
    counts n = {0};
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        for (int k = 0; k < WF_FITTING_MODELS; k++) {
            n.elements[k] += (size_t)count_elements(f, k);
        }
        n.strings += f->kind == WF_FITTING_DRAWSTRING;
        n.chambers += f->kind == WF_FITTING_AIR;
    }
    return n;
}

typedef struct makings {
    wf_band_edge *bands;
    int32_t (*string_edges)[2], *string_start;
    wf_drawstring *strings;
    int32_t (*chamber_faces)[3], *chamber_start;
    wf_chamber *chambers;
    wf_tie *ties;
    wf_stiff_joint *joints;
    counts n; /* of what has been filled in */
} makings;

static void add_band(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    for (int32_t e = 0; e < f->count; e++) {
        size_t *count = &m->n.elements[WF_FITTING_BAND];
        *count += wf_fitting_band_edge(f, e, first_vertex, &m->bands[*count]);
    }
}

static void add_string(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    for (int32_t e = 0; e < f->count; e++) {
        wf_band_edge edge;
        if (wf_fitting_band_edge(f, e, first_vertex, &edge)) {
            memcpy(m->string_edges[m->n.elements[WF_FITTING_DRAWSTRING]++], edge.vertices, sizeof edge.vertices);
        }
    }
    m->strings[m->n.strings++] = wf_fitting_string(f);
    m->string_start[m->n.strings] = (int32_t)m->n.elements[WF_FITTING_DRAWSTRING];
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
    int32_t count = count_elements(f, WF_FITTING_AIR);
    for (int32_t k = 0; k < count; k++) {
        const int32_t *face = mesh->faces[f->faces[k]];
        int32_t *to = m->chamber_faces[m->n.elements[WF_FITTING_AIR]++];
        for (int i = 0; i < 3; i++) {
            to[i] = first_vertex + face[f->inward ? 2 - i : i];
        }
    }
    m->chambers[m->n.chambers++] = chamber_of(f);
    m->chamber_start[m->n.chambers] = (int32_t)m->n.elements[WF_FITTING_AIR];
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
        m->ties[m->n.elements[WF_FITTING_TIES]++] = wf_fitting_tie(f, t, first_vertex);
    }
}

static void add_seam(const wf_fitting *f, int32_t first_vertex, makings *m)
{
    add_band(f, first_vertex, m);
    for (int32_t j = 0; j < f->joint_count; j++) {
        m->joints[m->n.elements[WF_FITTING_SEAM]++] = wf_fitting_joint(f, j, first_vertex);
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
        case WF_FITTING_SEAM:
            add_seam(f, member->first_vertex, m);
            break;
        case WF_FITTING_FOLD:
            break;
        }
    }
}

static wf_status make_models(wf_world *world, const makings *m, wf_model *models[WF_FITTING_MODELS])
{
    wf_context *context = world->context;
    int32_t vertices = world->row_count, count[WF_FITTING_MODELS];
    for (int k = 0; k < WF_FITTING_MODELS; k++) {
        count[k] = (int32_t)m->n.elements[k];
    }
    wf_status status = WF_OK;
    if (count[WF_FITTING_BAND] > 0) {
        status = wf_bands_create(context, vertices, count[WF_FITTING_BAND], m->bands, &models[WF_FITTING_BAND]);
    }
    if (status == WF_OK && m->n.strings > 0) {
        const wf_drawstrings_def def = {vertices, count[WF_FITTING_DRAWSTRING], (const int32_t(*)[2])m->string_edges,
                                        (int32_t)m->n.strings, m->string_start, m->strings};
        status = wf_drawstrings_create(context, &def, &models[WF_FITTING_DRAWSTRING]);
    }
    if (status == WF_OK && m->n.chambers > 0) {
        const wf_pressure_def def = {vertices, count[WF_FITTING_AIR], (const int32_t(*)[3])m->chamber_faces,
                                     (int32_t)m->n.chambers, m->chamber_start, m->chambers};
        status = wf_pressure_create(context, &def, &models[WF_FITTING_AIR]);
    }
    if (status == WF_OK && count[WF_FITTING_TIES] > 0) {
        status = wf_ties_create(context, vertices, count[WF_FITTING_TIES], m->ties, &models[WF_FITTING_TIES]);
    }
    if (status == WF_OK && count[WF_FITTING_SEAM] > 0) {
        status = wf_stiff_lines_create(context, vertices, count[WF_FITTING_SEAM], m->joints, &models[WF_FITTING_SEAM]);
    }
    return status;
}

static bool allocate_makings(wf_context *context, const counts *n, makings *m)
{
    m->bands = wf_allocate(context, n->elements[WF_FITTING_BAND], sizeof *m->bands);
    m->string_edges = wf_allocate(context, n->elements[WF_FITTING_DRAWSTRING], sizeof *m->string_edges);
    m->string_start = wf_allocate(context, n->strings + 1, sizeof *m->string_start);
    m->strings = wf_allocate(context, n->strings, sizeof *m->strings);
    m->chamber_faces = wf_allocate(context, n->elements[WF_FITTING_AIR], sizeof *m->chamber_faces);
    m->chamber_start = wf_allocate(context, n->chambers + 1, sizeof *m->chamber_start);
    m->chambers = wf_allocate(context, n->chambers, sizeof *m->chambers);
    m->ties = wf_allocate(context, n->elements[WF_FITTING_TIES], sizeof *m->ties);
    m->joints = wf_allocate(context, n->elements[WF_FITTING_SEAM], sizeof *m->joints);
    return m->bands && m->string_edges && m->string_start && m->strings && m->chamber_faces && m->chamber_start &&
           m->chambers && m->ties && m->joints;
}

static void free_makings(wf_context *context, makings *m)
{
    void *arrays[] = {m->bands, m->string_edges, m->string_start, m->strings,
                      m->chamber_faces, m->chamber_start, m->chambers, m->ties, m->joints};
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
    memset((void *)models, 0, WF_FITTING_MODELS * sizeof *models);
    wf_status status = WF_OK;
    for (size_t m = 0; m < world->cloth_count && status == WF_OK; m++) {
        status = wf_cloth_find_joints(world->cloths[m].cloth);
    }
    counts n = count_all(world);
    makings m = {0};
    if (status == WF_OK) {
        status = allocate_makings(context, &n, &m) ? WF_OK : WF_ERROR_MEMORY;
    }
    if (status == WF_OK) {
        fill_makings(world, &m);
        status = make_models(world, &m, models);
        world->fitting_changes = changes_of(world);
    }
    free_makings(context, &m);
    return status;
}

/* ---- between steps --------------------------------------------------------------------------------------------- */

static void load_bands(const wf_fitting *f, int32_t first_vertex, wf_model *model, int32_t *band)
{
    for (int32_t e = 0; e < f->count; e++) {
        wf_band_edge edge;
        if (wf_fitting_band_edge(f, e, first_vertex, &edge)) {
            wf_bands_set(model, (*band)++, &edge);
        }
    }
}

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
    int32_t next[WF_FITTING_MODELS] = {0}; /* elements, strings or chambers */
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        if (f->kind == WF_FITTING_FOLD) {
            continue;
        }
        wf_model *model = world->fittings[f->kind];
        int32_t *own = &next[f->kind];
        switch (f->kind) {
        case WF_FITTING_BAND:
            load_bands(f, member->first_vertex, model, own);
            break;
        case WF_FITTING_DRAWSTRING:
            wf_drawstrings_of(model)[(*own)++] = wf_fitting_string(f);
            break;
        case WF_FITTING_AIR:
            wf_pressure_chambers(model)[(*own)++] = chamber_of(f);
            break;
        case WF_FITTING_TIES:
            if (changed || on_body(f)) {
                load_ties(world, f, model, own);
            } else {
                *own += f->count;
            }
            break;
        case WF_FITTING_SEAM:
            load_bands(f, member->first_vertex, world->fittings[WF_FITTING_BAND], &next[WF_FITTING_BAND]);
            for (int32_t j = 0; j < f->joint_count; j++) {
                const wf_stiff_joint joint = wf_fitting_joint(f, j, member->first_vertex);
                wf_stiff_lines_set(model, (*own)++, &joint);
            }
            break;
        case WF_FITTING_FOLD:
            break;
        }
    }
}

void wf_world_expect_strings(wf_world *world)
{
    wf_model *model = world->fittings[WF_FITTING_DRAWSTRING];
    if (model) {
        wf_drawstrings_expect(model, world->x0, world->inverse_mass, world->part);
    }
}

void wf_world_settle_strings(wf_world *world)
{
    wf_model *model = world->fittings[WF_FITTING_DRAWSTRING];
    if (!model) {
        return;
    }
    wf_drawstrings_settle(model, world->x0, world->x1, world->v1);
    const wf_cloth_member *member;
    walk at = {0};
    int32_t string = 0;
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        if (f->kind == WF_FITTING_DRAWSTRING) {
            f->settled = wf_drawstrings_of(model)[string++].settled;
        }
    }
}

wf_status wf_world_blame_string(const wf_world *world, wf_status status)
{
    const wf_fitting *tightest = NULL;
    double most = NO_CLOTH_BEARS;
    const wf_cloth_member *member;
    walk at = {0};
    for (const wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        double tension = f->kind == WF_FITTING_DRAWSTRING ? wf_fitting_tension(f) : 0;
        tightest = tension > most ? f : tightest;
        most = fmax(most, tension);
    }
    if (!tightest) {
        return status;
    }
    char message[256];
    snprintf(message, sizeof message, "%s", wf_context_message(world->context));
    return wf_fail(world->context, status,
                   "%s; the drawstring of %d edges from vertex %d to %d began the step with %g N: draw it in slowly, "
                   "or make it less stiff", message, (int)tightest->count, (int)tightest->edges[0][0] + 1,
                   (int)tightest->edges[tightest->count - 1][1] + 1, most);
}

double wf_world_fitting_energy(const wf_world *world, const wf_cloth *cloth)
{
    double sum = 0;
    int32_t first[WF_FITTING_MODELS] = {0};
    const wf_cloth_member *member;
    walk at = {0};
    for (wf_fitting *f = next_fitting(world, &at, &member); f; f = next_fitting(world, &at, &member)) {
        for (int k = 0; k < WF_FITTING_MODELS; k++) {
            wf_model *model = world->fittings[k];
            int32_t count = count_elements(f, k);
            if (count > 0 && (!cloth || member->cloth == cloth)) {
                sum += model->class->energy(world->context, model, world->x0, first[k], count);
            }
            first[k] += count;
        }
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
        const double numbers[] = {f->kind, f->on, f->length, f->stiffness, f->viscosity, f->bending, f->settled,
                                  f->angle, f->shut, f->chamber.pressure, f->chamber.amount, f->chamber.outside};
        hash = wf_hash_bytes(hash, numbers, sizeof numbers);
        if (f->kind == WF_FITTING_TIES) {
            hash = wf_hash_bytes(hash, f->broken, (size_t)f->count);
        }
    }
    return hash;
}
