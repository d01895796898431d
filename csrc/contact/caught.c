/* caught.c - see caught.h. */
#include "contact/scene_private.h"

wf_status wf_contact_catch_nothing(wf_contact_scene *scene)
{
    wf_caught *caught = &scene->caught;
    if (!caught->vertex) {
        wf_context *context = scene->context;
        caught->vertex = wf_allocate(context, (size_t)scene->vertex_count, sizeof *caught->vertex);
        caught->edge = wf_allocate(context, (size_t)scene->edge_count, sizeof *caught->edge);
        caught->face = wf_allocate(context, (size_t)scene->face_count, sizeof *caught->face);
        if (!caught->vertex || !caught->edge || !caught->face) {
            wf_caught_free(context, caught);
            return WF_ERROR_MEMORY;
        }
    }
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        caught->vertex[i] = WF_CAUGHT_IN_NOTHING;
    }
    for (int32_t e = 0; e < scene->edge_count; e++) {
        caught->edge[e] = WF_CAUGHT_IN_NOTHING;
    }
    for (int32_t f = 0; f < scene->face_count; f++) {
        caught->face[f] = WF_CAUGHT_IN_NOTHING;
    }
    caught->any = false;
    caught->apart_count = 0;
    return WF_OK;
}

static void catch(wf_caught *caught, int32_t *place, int32_t body_class)
{
    *place = *place == WF_CAUGHT_IN_NOTHING || *place == body_class ? body_class : WF_CAUGHT_IN_SEVERAL;
    caught->any = true;
}

void wf_contact_catch_vertex(wf_contact_scene *scene, int32_t vertex, int32_t body_class)
{
    wf_caught *caught = &scene->caught;
    catch(caught, &caught->vertex[vertex], body_class);
    for (int32_t i = scene->fan_start[vertex]; i < scene->fan_start[vertex + 1]; i++) {
        int32_t face = scene->fan[i];
        wf_contact_catch_face(scene, face, body_class);
        for (int k = 0; k < 3; k++) {
            int32_t edge = scene->face_edges[face][k];
            if (scene->edges[edge][0] == vertex || scene->edges[edge][1] == vertex) {
                catch(caught, &caught->edge[edge], body_class);
            }
        }
    }
}

void wf_contact_catch_face(wf_contact_scene *scene, int32_t face, int32_t body_class)
{
    catch(&scene->caught, &scene->caught.face[face], body_class);
}

void wf_contact_catch_edge(wf_contact_scene *scene, int32_t face, int corner, int32_t body_class)
{
    catch(&scene->caught, &scene->caught.edge[scene->face_edges[face][corner]], body_class);
}

/* The class of the body that owns a vertex. */
static int32_t owner_of(const wf_contact_scene *scene, int32_t vertex)
{
    if (vertex >= scene->cloth_count) {
        return scene->body_class[vertex - scene->cloth_count];
    }
    return vertex >= scene->rigid_start ? scene->vertex_class[vertex] : WF_CAUGHT_IN_NOTHING;
}

/* Whether a primitive that is caught in `in` does not meet what owns a vertex. */
static bool passes(const wf_contact_scene *scene, int32_t in, int32_t vertex)
{
    int32_t owner = in == WF_CAUGHT_IN_NOTHING ? in : owner_of(scene, vertex);
    return owner != WF_CAUGHT_IN_NOTHING && (in == WF_CAUGHT_IN_SEVERAL || in == owner);
}

wf_status wf_contact_let_pass(wf_contact_scene *scene, int32_t rigid_class, int32_t other_class)
{
    wf_caught *caught = &scene->caught;
    wf_status status = wf_reserve(scene->context, &caught->apart, &caught->apart_capacity, caught->apart_count + 1,
                                  sizeof *caught->apart);
    if (status != WF_OK) {
        return status;
    }
    caught->apart[caught->apart_count][0] = rigid_class;
    caught->apart[caught->apart_count++][1] = other_class;
    return WF_OK;
}

static bool bodies_pass(const wf_contact_scene *scene, int32_t vertex, int32_t other)
{
    const wf_caught *caught = &scene->caught;
    if (vertex >= scene->cloth_count || other >= scene->cloth_count) {
        return false;
    }
    int32_t a = scene->vertex_class[vertex], b = scene->vertex_class[other];
    for (size_t k = 0; k < caught->apart_count; k++) {
        const int32_t *pair = caught->apart[k];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

bool wf_pair_passes(const wf_contact_scene *scene, int kind, int32_t first, int32_t second)
{
    const wf_caught *caught = &scene->caught;
    const bool edges = wf_is_edge_edge(kind);
    if (caught->apart_count > 0 &&
        bodies_pass(scene, edges ? scene->edges[first][0] : first,
                    edges ? scene->edges[second][0] : scene->faces[second][0])) {
        return true;
    }
    if (!caught->any) {
        return false;
    }
    if (edges) {
        return passes(scene, caught->edge[first], scene->edges[second][0]) ||
               passes(scene, caught->edge[second], scene->edges[first][0]);
    }
    return passes(scene, caught->vertex[first], scene->faces[second][0]) ||
           passes(scene, caught->face[second], first);
}

bool wf_face_passes(const wf_contact_scene *scene, int32_t face, int32_t other)
{
    return scene->caught.any && passes(scene, scene->caught.face[face], other);
}

bool wf_way_passes(const wf_contact_scene *scene, int32_t vertex, int32_t neighbour, int32_t other)
{
    for (int32_t i = scene->fan_start[vertex]; scene->caught.any && i < scene->fan_start[vertex + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t edge = scene->face_edges[scene->fan[i]][k];
            const int32_t *end = scene->edges[edge];
            if ((end[0] == vertex && end[1] == neighbour) || (end[1] == vertex && end[0] == neighbour)) {
                return passes(scene, scene->caught.edge[edge], other);
            }
        }
    }
    return false;
}

void wf_caught_free(wf_context *context, wf_caught *caught)
{
    wf_free(context, caught->vertex);
    wf_free(context, caught->edge);
    wf_free(context, caught->face);
    wf_free(context, caught->apart);
    *caught = (wf_caught){0};
}
