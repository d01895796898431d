#include "model/patch.h"

#include <string.h>

/* ---- neighbours ------------------------------------------------------------------------------------------------ */

static int corner_of(const int32_t face[3], int32_t vertex)
{
    return face[0] == vertex ? 0 : face[1] == vertex ? 1 : face[2] == vertex ? 2 : -1;
}

/* The one other face at the edge from corner k to k + 1, or -1 when there is none or more than one. */
static int32_t neighbour_over(const wf_incidence *incidence, const int32_t (*faces)[3], int32_t face, int k)
{
    int32_t a = faces[face][k], b = faces[face][(k + 1) % 3], found = -1;
    for (int32_t i = incidence->start[a]; i < incidence->start[a + 1]; i++) {
        int32_t other = incidence->corner[i] / 3;
        if (other == face || corner_of(faces[other], b) < 0) {
            continue;
        }
        if (found >= 0) {
            return -1;
        }
        found = other;
    }
    return found;
}

wf_status wf_patch_find_neighbours(wf_context *context, int32_t vertex_count, int32_t face_count,
                                   const int32_t (*faces)[3], int32_t (*neighbours)[3])
{
    wf_incidence incidence;
    wf_stencil stencil = {face_count, 3, face_count > 0 ? &faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, vertex_count, &stencil, &incidence);
    if (status != WF_OK) {
        return status;
    }
    for (int32_t face = 0; face < face_count; face++) {
        for (int k = 0; k < 3; k++) {
            neighbours[face][k] = neighbour_over(&incidence, faces, face, k);
        }
    }
    wf_incidence_free(context, &incidence);
    return WF_OK;
}

/* ---- one patch ------------------------------------------------------------------------------------------------- */

/* Height of a corner over the edge between two others, and its foot as a fraction of that edge. */
static double height_over(const wf_vec2 rest[3], int from, int to, int corner, double *foot)
{
    wf_vec2 edge = wf_vec2_sub(rest[to], rest[from]), point = wf_vec2_sub(rest[corner], rest[from]);
    double length2 = wf_vec2_dot(edge, edge);
    *foot = wf_vec2_dot(point, edge) / length2;
    return fabs(wf_vec2_cross(edge, point)) / sqrt(length2);
}

/* The slopes of the two faces away from the edge are (far - foot) / height each; their sum is the change of slope, and
 * over half the sum of the heights it is the hinge's curvature. */
static void add_hinge(wf_patch *patch, int k, const wf_vec2 own[3], const wf_vec2 other[3], int a, int b)
{
    double own_foot, other_foot;
    double own_height = height_over(own, k, (k + 1) % 3, (k + 2) % 3, &own_foot);
    double other_height = height_over(other, a, b, 3 - a - b, &other_foot);
    double width = 0.5 * (own_height + other_height);
    double own_weight = 1 / (own_height * width), other_weight = 1 / (other_height * width);
    double *weight = patch->weight[k];
    weight[(k + 2) % 3] = own_weight;
    weight[3 + k] = other_weight;
    weight[k] = -own_weight * (1 - own_foot) - other_weight * (1 - other_foot);
    weight[(k + 1) % 3] = -own_weight * own_foot - other_weight * other_foot;
    patch->present[k] = true;
}

/* Where the far vertex of hinge k lies when the neighbour is unfolded into the face's plane. */
static wf_vec2 unfold(const wf_vec2 own[3], int k, const wf_vec2 other[3], int a, int b)
{
    double foot, height = height_over(other, a, b, 3 - a - b, &foot);
    wf_vec2 edge = wf_vec2_sub(own[(k + 1) % 3], own[k]), across = {-edge.y, edge.x};
    double outward = wf_vec2_dot(across, wf_vec2_sub(own[(k + 2) % 3], own[k])) > 0 ? -1 : 1;
    return wf_vec2_add(wf_vec2_add(own[k], wf_vec2_scale(edge, foot)),
                       wf_vec2_scale(across, outward * height / wf_vec2_norm(edge)));
}

static wf_vec3 cross3(const double a[3], const double b[3])
{
    return (wf_vec3){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/* The share of the hinges' normals in the directions; bending.h says why it is neither 0 nor 1. */
#define NORMAL_SHARE 0.7

/* Blends the hinges' normals with the directions that return any constant curvature exactly: the columns of the inverse
 * of k_h = measured[h] . (k11, k22, 2 k12). Left alone where that inverse is large. */
static void blend_directions(wf_patch *patch, const wf_vec2 place[WF_PATCH_VERTICES])
{
    double measured[3][3] = {{0}};
    for (int h = 0; h < 3; h++) {
        for (int a = 1; a < WF_PATCH_VERTICES; a++) {
            wf_vec2 x = wf_vec2_sub(place[a], place[0]);
            measured[h][0] += 0.5 * patch->weight[h][a] * x.x * x.x;
            measured[h][1] += 0.5 * patch->weight[h][a] * x.y * x.y;
            measured[h][2] += 0.5 * patch->weight[h][a] * x.x * x.y;
        }
    }
    wf_vec3 column[3];
    double largest = 0;
    for (int h = 0; h < 3; h++) {
        column[h] = cross3(measured[(h + 1) % 3], measured[(h + 2) % 3]);
        largest = fmax(largest, wf_vec3_norm(column[h]));
    }
    double determinant = measured[0][0] * column[0].x + measured[0][1] * column[0].y + measured[0][2] * column[0].z;
    if (!(fabs(determinant) > 0.25 * largest)) {
        return;
    }
    for (int h = 0; h < 3; h++) {
        const double exact[3] = {column[h].x / determinant, column[h].y / determinant, column[h].z / determinant};
        for (int i = 0; i < 3; i++) {
            patch->direction[h][i] = NORMAL_SHARE * patch->direction[h][i] + (1 - NORMAL_SHARE) * exact[i];
        }
    }
}

void wf_patch_fill(wf_patch_face face, const wf_patch_face neighbours[3], wf_patch *patch)
{
    memset(patch, 0, sizeof *patch);
    patch->area = wf_shape_of(face.rest).area;
    wf_vec2 place[WF_PATCH_VERTICES] = {face.rest[0], face.rest[1], face.rest[2]};
    for (int k = 0; k < 3; k++) {
        wf_vec2 edge = wf_vec2_sub(face.rest[(k + 1) % 3], face.rest[k]);
        double over = 1 / wf_vec2_dot(edge, edge);
        patch->direction[k][0] = edge.y * edge.y * over;
        patch->direction[k][1] = edge.x * edge.x * over;
        patch->direction[k][2] = -2 * edge.x * edge.y * over;
        patch->vertices[k] = face.vertices[k];
        patch->vertices[3 + k] = face.vertices[0];
        const wf_patch_face *other = &neighbours[k];
        if (other->vertices) {
            int a = corner_of(other->vertices, face.vertices[k]);
            int b = corner_of(other->vertices, face.vertices[(k + 1) % 3]);
            patch->vertices[3 + k] = other->vertices[3 - a - b];
            add_hinge(patch, k, face.rest, other->rest, a, b);
            place[3 + k] = unfold(face.rest, k, other->rest, a, b);
        }
    }
    if (patch->present[0] && patch->present[1] && patch->present[2]) {
        blend_directions(patch, place);
    }
}

/* ---- stiffness ------------------------------------------------------------------------------------------------- */

static double form(const double a[3], const double moduli[3][3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += a[i] * moduli[i][j] * b[j];
        }
    }
    return sum;
}

/* With all hinges present s = area direction^T D direction. Across a missing one the slope is free and takes the value
 * of least energy: its row and column are eliminated. */
void wf_patch_stiffness(const wf_patch *patch, const double moduli[3][3], double stiffness[3][3])
{
    for (int h = 0; h < 3; h++) {
        for (int i = 0; i < 3; i++) {
            stiffness[h][i] = patch->area * form(patch->direction[h], moduli, patch->direction[i]);
        }
    }
    for (int free = 0; free < 3; free++) {
        double pivot = stiffness[free][free];
        if (patch->present[free]) {
            continue;
        }
        for (int h = 0; h < 3; h++) {
            for (int i = 0; i < 3 && pivot > 0; i++) {
                if (h != free && i != free) {
                    stiffness[h][i] -= stiffness[h][free] * stiffness[free][i] / pivot;
                }
            }
        }
        for (int h = 0; h < 3; h++) {
            stiffness[h][free] = stiffness[free][h] = 0;
        }
    }
}
