/* flow_cloth.c - the interface between a flow and cloth; see flow_cloth.h. */
#include "air/flow_cloth.h"

#include <string.h>

#include "air/sealed_faces.h"

/* m: how far the rim of a pocket one cell thick is open, about the distance at which layers of cloth rest. */
#define POCKET_RIM 1e-3

/* A component of a vertex' velocity that cut faces have a part of. */
typedef struct component {
    int32_t place;         /* 3 * vertex + axis */
    double mass;           /* kg, of the cloth */
    double air_mass;       /* kg, of what it carries along */
    double inverse_mass;   /* 1/kg of both, 0 where it is prescribed */
    double momentum;       /* kg m/s: of that air before it was stopped, and what pressure gave it */
    double velocity;       /* m/s */
} component;

/* A cut face. */
typedef struct face {
    int8_t axis;
    ptrdiff_t index;
    double mass;           /* kg, of the air around it */
    double hold;           /* theta */
    double start;          /* m/s: u* */
    double push;           /* m/s: what pressure adds to it */
    double slip;           /* m/s: of the air that glides along the cloth, relative to it */
    bool sealed;           /* no way leads around the cloth: nothing glides across */
    wf_vec3 normal;        /* of the cloth, of unit length */
} face;

struct wf_flow_cloth {
    wf_context *context;
    wf_flow *flow;
    wf_flow_interface interface;
    wf_cut_faces cuts;
    double step;
    int32_t vertex_count;
    bool *sealed, *thin;   /* [face_count], and of the grid, all scratch */
    int32_t *labels;
    uint8_t *barred;
    wf_vec3 *predicted;    /* [vertex_count] */
    int32_t *component_of; /* [3 * vertex_count], -1: none */
    component *components;
    size_t component_count;
    face *faces;           /* [face_count] */
    float *conductance;    /* [face_count] */
    int32_t *corner_component; /* [3 * layer_count] */
    double *corner_weight;     /* [3 * layer_count] */
    double *response;          /* [component_count] scratch */
    size_t predicted_capacity, component_of_capacity, component_capacity, face_capacity, conductance_capacity,
        corner_component_capacity, corner_weight_capacity, response_capacity, sealed_capacity, thin_capacity,
        labels_capacity, barred_capacity;
};

/* ---- rows of weights ------------------------------------------------------------------------------------------- */

/* Adds W^T value to an array over components. */
static void spread(const wf_flow_cloth *cloth, size_t f, double value, double *sums)
{
    const size_t begin = 3 * (size_t)cloth->cuts.first_layer[f], end = 3 * (size_t)cloth->cuts.first_layer[f + 1];
    for (size_t c = begin; c < end; c++) {
        sums[cloth->corner_component[c]] += cloth->corner_weight[c] * value;
    }
}

static double collect(const wf_flow_cloth *cloth, size_t f, const double *values)
{
    const size_t begin = 3 * (size_t)cloth->cuts.first_layer[f], end = 3 * (size_t)cloth->cuts.first_layer[f + 1];
    double sum = 0;
    for (size_t c = begin; c < end; c++) {
        sum += cloth->corner_weight[c] * values[cloth->corner_component[c]];
    }
    return sum;
}

/* What pressure times step over density, phi, would add to the velocity at a face, m/s. */
static double push_of(const wf_flow_cloth *cloth, const face *f, const float *phi)
{
    const wf_flow_grid *grid = wf_flow_get_grid(cloth->flow);
    const double spacing = wf_flow_get_params(cloth->flow)->spacing[f->axis];
    return ((double)phi[f->index - grid->stride[f->axis]] - (double)phi[f->index]) / spacing;
}

/* ---- what the flow calls --------------------------------------------------------------------------------------- */

/* The velocities of the components from their momentum, and those of the faces from these. */
static void settle(wf_flow_cloth *cloth, float *const velocity[3])
{
    for (size_t k = 0; k < cloth->component_count; k++) {
        component *c = &cloth->components[k];
        const double predicted = (&cloth->predicted[c->place / 3].x)[c->place % 3];
        c->velocity =
            c->inverse_mass > 0 ? (c->mass * predicted + c->momentum) * c->inverse_mass : predicted;
        cloth->response[k] = c->velocity;
    }
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const face *at = &cloth->faces[f];
        const double stopped = collect(cloth, f, cloth->response) + at->slip;
        const double u = (1 - at->hold) * (at->start + at->push) + at->hold * stopped;
        velocity[at->axis][at->index] = (float)u;
    }
}

static void add_momentum(wf_flow_cloth *cloth)
{
    for (size_t k = 0; k < cloth->component_count; k++) {
        cloth->components[k].momentum += cloth->response[k];
    }
}

/* What air that glides along the cloth has across a face. */
static double slip_of(const wf_flow_cloth *cloth, size_t f, float *const velocity[3])
{
    const wf_flow_grid *grid = wf_flow_get_grid(cloth->flow);
    const face *at = &cloth->faces[f];
    const ptrdiff_t across = grid->stride[at->axis];
    wf_vec3 u = {0, 0, 0}; /* of the air, relative to the cloth; both sides' mean */
    for (int a = 0; a < wf_flow_axes(grid); a++) {
        const float *from = velocity[a] + at->index;
        const ptrdiff_t s = grid->stride[a];
        const double sum = (double)from[0] + (double)from[s] + (double)from[-across] + (double)from[s - across];
        (&u.x)[a] = a == at->axis ? (double)from[0] : 0.25 * sum;
    }
    for (int32_t i = cloth->cuts.first_layer[f]; i < cloth->cuts.first_layer[f + 1]; i++) {
        for (size_t c = 3 * (size_t)i; c < 3 * (size_t)i + 3; c++) {
            const int32_t vertex = cloth->components[cloth->corner_component[c]].place / 3;
            u = wf_vec3_muladds(u, cloth->predicted[vertex], -cloth->corner_weight[c]);
        }
    }
    u = wf_vec3_muladds(u, at->normal, -wf_vec3_dot(u, at->normal));
    return (&u.x)[at->axis];
}

static void prepare(void *user, float *const velocity[3])
{
    wf_flow_cloth *cloth = user;
    memset(cloth->response, 0, cloth->component_count * sizeof *cloth->response);
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        face *at = &cloth->faces[f];
        at->start = (double)velocity[at->axis][at->index];
        at->push = 0;
        at->slip = at->sealed ? 0 : slip_of(cloth, f, velocity);
        spread(cloth, f, at->mass * at->hold * (at->start - at->slip), cloth->response);
    }
    for (size_t k = 0; k < cloth->component_count; k++) {
        cloth->components[k].momentum = 0;
    }
    add_momentum(cloth);
    settle(cloth, velocity);
}

static void apply(void *user, const float *phi, float *result)
{
    wf_flow_cloth *cloth = user;
    const wf_flow_grid *grid = wf_flow_get_grid(cloth->flow);
    const double *spacing = wf_flow_get_params(cloth->flow)->spacing;
    const double volume = spacing[0] * spacing[1] * spacing[2];
    memset(cloth->response, 0, cloth->component_count * sizeof *cloth->response);
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const face *at = &cloth->faces[f];
        spread(cloth, f, at->mass * at->hold * push_of(cloth, at, phi), cloth->response);
    }
    for (size_t k = 0; k < cloth->component_count; k++) {
        cloth->response[k] *= cloth->components[k].inverse_mass;
    }
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const face *at = &cloth->faces[f];
        const double u = (1 - at->hold) * push_of(cloth, at, phi) + at->hold * collect(cloth, f, cloth->response);
        const float flux = (float)(u * volume / spacing[at->axis]);
        result[at->index - grid->stride[at->axis]] += flux;
        result[at->index] -= flux;
    }
}

static void correct(void *user, const float *phi, float *const velocity[3])
{
    wf_flow_cloth *cloth = user;
    memset(cloth->response, 0, cloth->component_count * sizeof *cloth->response);
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        face *at = &cloth->faces[f];
        const double push = push_of(cloth, at, phi);
        at->push += push;
        spread(cloth, f, at->mass * at->hold * push, cloth->response);
    }
    add_momentum(cloth);
    settle(cloth, velocity);
}

/* ---- cutting --------------------------------------------------------------------------------------------------- */

static bool is_prescribed(const wf_flow_sheet *sheet, int32_t triangle)
{
    const int32_t *v = sheet->faces[triangle];
    return sheet->inverse_mass[v[0]] == 0 && sheet->inverse_mass[v[1]] == 0 && sheet->inverse_mass[v[2]] == 0;
}

/* Layers of one face: those that nothing moves bear all of it, else each in proportion to its mass. */
static void share_out(const wf_flow_sheet *sheet, wf_cut_layer *layers, int32_t count)
{
    double sum = 0;
    int32_t fixed = 0;
    for (int32_t i = 0; i < count; i++) {
        fixed += is_prescribed(sheet, layers[i].triangle);
        sum += sheet->density ? sheet->density[layers[i].triangle] : 1;
    }
    for (int32_t i = 0; i < count; i++) {
        const double density = sheet->density ? sheet->density[layers[i].triangle] : 1;
        layers[i].share = fixed == 0 ? (float)(density / sum)
                          : is_prescribed(sheet, layers[i].triangle) ? 1.0f / (float)fixed : 0.0f;
    }
}

/* What a layer lets through, m/s per Pa, across its own plane. */
static double permeability_of(const wf_flow_sheet *sheet, const wf_cut_layer *layer, double density)
{
    double permeability = sheet->permeability ? sheet->permeability[layer->triangle] : 0, near = 0;
    for (int v = 0; v < 3 && sheet->nearness; v++) {
        near += (double)layer->weights[v] * sheet->nearness[sheet->faces[layer->triangle][v]];
    }
    if (sheet->nearness && near < 1) {
        permeability += (1 - near) / (fmax(near, 1e-9) * density * WF_FLOW_GAP_SPEED);
    }
    return permeability;
}

/* theta of a face: layers resist one after the other, each across its slope. */
static double hold_of(const wf_flow_cloth *cloth, const wf_flow_sheet *sheet, const wf_cut_layer *layers,
                      int32_t count, int axis, bool thin)
{
    const wf_flow_params *params = wf_flow_get_params(cloth->flow);
    const double rim = thin ? fmin(4 * POCKET_RIM / params->spacing[axis], 1) : 0;
    double resistance = 0; /* Pa s/m */
    for (int32_t i = 0; i < count; i++) {
        const double permeability = permeability_of(sheet, &layers[i], params->density) +
                                    rim / (params->density * WF_FLOW_GAP_SPEED);
        if (!(permeability * layers[i].slope > 0)) {
            return 1;
        }
        resistance += 1 / (permeability * layers[i].slope);
    }
    const double r = resistance * cloth->step / (params->density * params->spacing[axis]);
    return isinf(r) ? 1 : r / (1 + r);
}

/* Keeps the cut faces that are open, and opens them wholly. */
static void drop_solid_faces(float *const open[3], wf_cut_faces *cuts)
{
    size_t kept = 0;
    int32_t layers = 0;
    for (size_t f = 0; f < cuts->face_count; f++) {
        float *fraction = &open[cuts->axis[f]][cuts->index[f]];
        const int32_t begin = cuts->first_layer[f], end = cuts->first_layer[f + 1];
        if (*fraction < 0.5f) {
            continue;
        }
        *fraction = 1;
        cuts->axis[kept] = cuts->axis[f];
        cuts->index[kept] = cuts->index[f];
        cuts->first_layer[kept++] = layers;
        memmove(&cuts->layers[layers], &cuts->layers[begin], (size_t)(end - begin) * sizeof *cuts->layers);
        layers += end - begin;
    }
    cuts->first_layer[kept] = layers;
    cuts->face_count = kept;
    cuts->layer_count = (size_t)layers;
}

static wf_status reserve(wf_flow_cloth *cloth, const wf_flow_sheet *sheet)
{
    wf_context *context = cloth->context;
    const size_t faces = cloth->cuts.face_count + 1, corners = 3 * cloth->cuts.layer_count + 3; /* never none */
    const size_t vertices = (size_t)sheet->vertex_count + 1, cells = wf_flow_get_grid(cloth->flow)->count;
    wf_status status = wf_reserve(context, &cloth->faces, &cloth->face_capacity, faces, sizeof *cloth->faces);
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->conductance, &cloth->conductance_capacity, faces,
                            sizeof *cloth->conductance);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->corner_component, &cloth->corner_component_capacity, corners,
                            sizeof *cloth->corner_component);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->corner_weight, &cloth->corner_weight_capacity, corners,
                            sizeof *cloth->corner_weight);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->components, &cloth->component_capacity, corners,
                            sizeof *cloth->components);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->response, &cloth->response_capacity, corners, sizeof *cloth->response);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->predicted, &cloth->predicted_capacity, vertices,
                            sizeof *cloth->predicted);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->sealed, &cloth->sealed_capacity, faces, sizeof *cloth->sealed);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->thin, &cloth->thin_capacity, faces, sizeof *cloth->thin);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->labels, &cloth->labels_capacity, cells, sizeof *cloth->labels);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->barred, &cloth->barred_capacity, cells, sizeof *cloth->barred);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &cloth->component_of, &cloth->component_of_capacity, 3 * vertices,
                            sizeof *cloth->component_of);
    }
    return status;
}

/* The component of a vertex along an axis, made when first met. */
static int32_t component_at(wf_flow_cloth *cloth, const wf_flow_sheet *sheet, int32_t vertex, int axis)
{
    const int32_t place = 3 * vertex + axis;
    if (cloth->component_of[place] < 0) {
        cloth->component_of[place] = (int32_t)cloth->component_count;
        const bool moves = sheet->inverse_mass[vertex] > 0; /* those that do not need have no mass at all */
        cloth->components[cloth->component_count++] =
            (component){.place = place, .mass = moves ? sheet->mass[vertex] : 0, .inverse_mass = moves};
    }
    return cloth->component_of[place];
}

/* The mean of the layers of a face, all turned to one side of it. */
static wf_vec3 normal_of(const wf_flow_sheet *sheet, const wf_cut_layer *layers, int32_t count, int axis)
{
    wf_vec3 normal = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        const int32_t *v = sheet->faces[layers[i].triangle];
        const wf_vec3 a = sheet->positions[v[0]];
        const wf_vec3 n = wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(sheet->positions[v[1]], a),
                                                          wf_vec3_sub(sheet->positions[v[2]], a)));
        normal = wf_vec3_muladds(normal, n, copysign((double)layers[i].share, (&n.x)[axis]));
    }
    return wf_vec3_normalize(normal);
}

static void make_rows(wf_flow_cloth *cloth, const wf_flow_sheet *sheet)
{
    const wf_flow_params *params = wf_flow_get_params(cloth->flow);
    const double volume = params->spacing[0] * params->spacing[1] * params->spacing[2];
    cloth->component_count = 0;
    memset(cloth->component_of, -1, 3 * (size_t)sheet->vertex_count * sizeof *cloth->component_of);
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const int32_t begin = cloth->cuts.first_layer[f], count = cloth->cuts.first_layer[f + 1] - begin;
        const int axis = cloth->cuts.axis[f];
        wf_cut_layer *layers = &cloth->cuts.layers[begin];
        share_out(sheet, layers, count);
        cloth->faces[f] = (face){.axis = (int8_t)axis, .index = cloth->cuts.index[f],
                                 .mass = params->density * volume,
                                 .hold = hold_of(cloth, sheet, layers, count, axis, cloth->thin[f]),
                                 .sealed = cloth->sealed[f],
                                 .normal = normal_of(sheet, layers, count, axis)};
        for (int32_t i = 0; i < count; i++) {
            for (int v = 0; v < 3; v++) {
                const size_t corner = 3 * (size_t)(begin + i) + (size_t)v;
                cloth->corner_weight[corner] = (double)layers[i].share * (double)layers[i].weights[v];
                cloth->corner_component[corner] =
                    component_at(cloth, sheet, sheet->faces[layers[i].triangle][v], axis);
            }
        }
    }
}

/* Masses with the air's, then what stands for E in the preconditioner: its row sums, which bound it. */
static void weigh(wf_flow_cloth *cloth)
{
    const double *spacing = wf_flow_get_params(cloth->flow)->spacing;
    const double volume = spacing[0] * spacing[1] * spacing[2];
    memset(cloth->response, 0, cloth->component_count * sizeof *cloth->response);
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        spread(cloth, f, cloth->faces[f].mass * cloth->faces[f].hold, cloth->response);
    }
    for (size_t k = 0; k < cloth->component_count; k++) {
        component *c = &cloth->components[k];
        c->air_mass = cloth->response[k];
        const double mass = c->mass + c->air_mass;
        c->inverse_mass = c->inverse_mass > 0 && mass > 0 ? 1 / mass : 0;
        cloth->response[k] *= c->inverse_mass;
    }
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const face *at = &cloth->faces[f];
        const double answer = 1 - at->hold + at->hold * collect(cloth, f, cloth->response);
        cloth->conductance[f] = (float)(answer * volume / (spacing[at->axis] * spacing[at->axis]));
    }
}

wf_status wf_flow_cloth_cut(wf_flow_cloth *cloth, const wf_flow_sheet *sheet, double step, float *const open[3])
{
    const wf_flow_params *params = wf_flow_get_params(cloth->flow);
    const wf_flow_grid *grid = wf_flow_get_grid(cloth->flow);
    cloth->step = step;
    cloth->component_count = 0;
    wf_flow_set_interface(cloth->flow, NULL);
    wf_status status = wf_cut_faces_find(cloth->context, grid, params->origin, params->spacing, sheet->positions,
                                         sheet->face_count, sheet->faces, &cloth->cuts);
    if (status == WF_OK && open) {
        drop_solid_faces(open, &cloth->cuts);
    }
    status = status == WF_OK ? reserve(cloth, sheet) : status;
    if (status != WF_OK) {
        cloth->cuts.face_count = cloth->cuts.layer_count = 0;
        return status;
    }
    cloth->vertex_count = sheet->vertex_count;
    wf_sealed_faces_find(grid, &cloth->cuts, open, cloth->labels, cloth->barred, cloth->sealed);
    wf_thin_pockets_find(grid, &cloth->cuts, open, cloth->labels, cloth->barred, cloth->sealed, cloth->thin);
    make_rows(cloth, sheet);
    weigh(cloth);
    cloth->interface = (wf_flow_interface){.face_count = cloth->cuts.face_count,
                                           .axis = cloth->cuts.axis,
                                           .index = cloth->cuts.index,
                                           .conductance = cloth->conductance,
                                           .prepare = prepare,
                                           .apply = apply,
                                           .correct = correct,
                                           .user = cloth};
    wf_flow_set_interface(cloth->flow, &cloth->interface);
    return WF_OK;
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

void wf_flow_cloth_predict(wf_flow_cloth *cloth, const wf_vec3 *velocities)
{
    memcpy(cloth->predicted, velocities, (size_t)cloth->vertex_count * sizeof *velocities);
}

void wf_flow_cloth_result(const wf_flow_cloth *cloth, wf_vec3 *forces)
{
    memset(forces, 0, (size_t)cloth->vertex_count * sizeof *forces);
    for (size_t k = 0; k < cloth->component_count; k++) {
        const component *c = &cloth->components[k];
        (&forces[c->place / 3].x)[c->place % 3] = (c->momentum - c->air_mass * c->velocity) / cloth->step;
    }
}

wf_flow_cloth_leak wf_flow_cloth_leak_of(const wf_flow_cloth *cloth, const wf_vec3 *velocities)
{
    wf_flow_cloth_leak leak = {0, 0};
    for (size_t k = 0; k < cloth->component_count; k++) {
        const component *c = &cloth->components[k];
        cloth->response[k] = (&velocities[c->place / 3].x)[c->place % 3] - c->velocity;
    }
    for (size_t f = 0; f < cloth->cuts.face_count; f++) {
        const double difference = cloth->faces[f].hold * collect(cloth, f, cloth->response);
        leak.largest = fmax(leak.largest, fabs(difference));
        leak.rms += difference * difference;
    }
    leak.rms = cloth->cuts.face_count > 0 ? sqrt(leak.rms / (double)cloth->cuts.face_count) : 0;
    return leak;
}

const wf_cut_faces *wf_flow_cloth_cuts(const wf_flow_cloth *cloth)
{
    return &cloth->cuts;
}

wf_status wf_flow_cloth_create(wf_context *context, wf_flow *flow, wf_flow_cloth **cloth)
{
    *cloth = wf_allocate(context, 1, sizeof **cloth);
    if (!*cloth) {
        return WF_ERROR_MEMORY;
    }
    (*cloth)->context = context;
    (*cloth)->flow = flow;
    return WF_OK;
}

/* NULL is allowed. */
void wf_flow_cloth_destroy(wf_flow_cloth *cloth)
{
    if (!cloth) {
        return;
    }
    wf_context *context = cloth->context;
    wf_cut_faces_free(context, &cloth->cuts);
    wf_free(context, cloth->sealed);
    wf_free(context, cloth->thin);
    wf_free(context, cloth->labels);
    wf_free(context, cloth->barred);
    wf_free(context, cloth->predicted);
    wf_free(context, cloth->component_of);
    wf_free(context, cloth->components);
    wf_free(context, cloth->faces);
    wf_free(context, cloth->conductance);
    wf_free(context, cloth->corner_component);
    wf_free(context, cloth->corner_weight);
    wf_free(context, cloth->response);
    wf_free(context, cloth);
}
