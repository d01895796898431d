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

/* ---- the geometry of one patch --------------------------------------------------------------------------------- */

/* Where the neighbour's far vertex lies when the neighbour is unfolded into the plane of this face. */
static wf_vec2 unfold(const wf_vec2 own[3], int k, const wf_vec2 other[3], int other_a, int other_b)
{
    wf_vec2 edge = wf_vec2_sub(other[other_b], other[other_a]);
    wf_vec2 far = wf_vec2_sub(other[3 - other_a - other_b], other[other_a]);
    double length2 = wf_vec2_dot(edge, edge);
    double foot = wf_vec2_dot(far, edge) / length2, height = fabs(wf_vec2_cross(edge, far)) / sqrt(length2);
    wf_vec2 own_edge = wf_vec2_sub(own[(k + 1) % 3], own[k]);
    wf_vec2 across = {-own_edge.y, own_edge.x};
    double side = wf_vec2_dot(across, wf_vec2_sub(own[(k + 2) % 3], own[k])) > 0 ? -1 : 1;
    wf_vec2 base = wf_vec2_add(own[k], wf_vec2_scale(own_edge, foot));
    return wf_vec2_add(base, wf_vec2_scale(across, side * height / wf_vec2_norm(own_edge)));
}

/* Adds hinge k: measure and form. Coordinates are taken from corner 0. */
static void add_hinge(wf_patch *patch, const wf_vec2 own[3], int k, wf_vec2 far)
{
    wf_shape shape = wf_shape_of(own);
    wf_vec2 x1 = wf_vec2_sub(own[1], own[0]), x2 = wf_vec2_sub(own[2], own[0]), p = wf_vec2_sub(far, own[0]);
    double l1 = wf_vec2_dot(shape.gradient1, p), l2 = wf_vec2_dot(shape.gradient2, p);
    patch->weight[k][0] = -(1 - l1 - l2);
    patch->weight[k][1] = -l1;
    patch->weight[k][2] = -l2;
    patch->weight[k][3 + k] = 1;
    patch->form[k][0] = 0.5 * (p.x * p.x - l1 * x1.x * x1.x - l2 * x2.x * x2.x);
    patch->form[k][1] = 0.5 * (p.y * p.y - l1 * x1.y * x1.y - l2 * x2.y * x2.y);
    patch->form[k][2] = 0.5 * (p.x * p.y - l1 * x1.x * x1.y - l2 * x2.x * x2.y);
    patch->hinge_count++;
}

/* An incomplete face hands its area to its complete neighbours, who can tell its whole curvature; where it also has
 * incomplete neighbours it keeps a quarter, against modes of narrow strips that complete faces do not see. */
static void hand_over_area(wf_patch *patches, const int32_t neighbours[3], int32_t face, double area)
{
    int complete = 0, present = patches[face].hinge_count;
    for (int k = 0; k < 3; k++) {
        complete += neighbours[k] >= 0 && patches[neighbours[k]].hinge_count == 3;
    }
    if (present == 3 || complete == 0) {
        return;
    }
    double handed = complete == present ? area : 0.75 * area;
    for (int k = 0; k < 3; k++) {
        if (neighbours[k] >= 0 && patches[neighbours[k]].hinge_count == 3) {
            patches[neighbours[k]].area += handed / complete;
        }
    }
    patches[face].area -= handed;
}

wf_status wf_patches_build(wf_context *context, int32_t vertex_count, int32_t face_count, const int32_t (*faces)[3],
                           const wf_vec2 (*rest)[3], wf_patch *patches)
{
    wf_incidence incidence;
    wf_stencil stencil = {face_count, 3, face_count > 0 ? &faces[0][0] : NULL};
    wf_status status = wf_incidence_build(context, vertex_count, &stencil, &incidence);
    int32_t(*neighbours)[3] = wf_allocate(context, (size_t)face_count, sizeof *neighbours);
    if (status != WF_OK || !neighbours) {
        wf_incidence_free(context, &incidence);
        wf_free(context, neighbours);
        return status != WF_OK ? status : WF_ERROR_MEMORY;
    }
    for (int32_t face = 0; face < face_count; face++) {
        wf_patch *patch = &patches[face];
        memset(patch, 0, sizeof *patch);
        patch->area = wf_shape_of(rest[face]).area;
        for (int k = 0; k < 3; k++) {
            int32_t other = neighbour_over(&incidence, faces, face, k);
            neighbours[face][k] = other;
            patch->vertices[k] = faces[face][k];
            patch->vertices[3 + k] = faces[face][0];
            if (other >= 0) {
                int a = corner_of(faces[other], faces[face][k]), b = corner_of(faces[other], faces[face][(k + 1) % 3]);
                patch->vertices[3 + k] = faces[other][3 - a - b];
                add_hinge(patch, rest[face], k, unfold(rest[face], k, rest[other], a, b));
            }
        }
    }
    for (int32_t face = 0; face < face_count; face++) {
        hand_over_area(patches, neighbours[face], face, wf_shape_of(rest[face]).area);
    }
    wf_incidence_free(context, &incidence);
    wf_free(context, neighbours);
    return WF_OK;
}

/* ---- stiffness ------------------------------------------------------------------------------------------------- */

/* Eigenvalues (on the diagonal of a) and eigenvectors (columns of q) of a symmetric matrix, by Jacobi rotations. */
static void eigen_symmetric3(double a[3][3], double q[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            q[i][j] = i == j;
        }
    }
    for (int sweep = 0; sweep < 20; sweep++) {
        for (int pair = 0; pair < 3; pair++) {
            int i = pair == 2 ? 1 : 0, j = pair == 0 ? 1 : 2;
            if (a[i][j] == 0) {
                continue;
            }
            double theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
            double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
            double c = 1 / sqrt(t * t + 1), s = t * c;
            for (int k = 0; k < 3; k++) {
                double ki = a[k][i], kj = a[k][j];
                a[k][i] = c * ki - s * kj;
                a[k][j] = s * ki + c * kj;
            }
            for (int k = 0; k < 3; k++) {
                double ik = a[i][k], jk = a[j][k], qi = q[k][i], qj = q[k][j];
                a[i][k] = c * ik - s * jk;
                a[j][k] = s * ik + c * jk;
                q[k][i] = c * qi - s * qj;
                q[k][j] = s * qi + c * qj;
            }
        }
    }
}

static bool invert_symmetric3(const double a[3][3], double inverse[3][3])
{
    double c00 = a[1][1] * a[2][2] - a[1][2] * a[2][1], c01 = a[1][2] * a[2][0] - a[1][0] * a[2][2];
    double c02 = a[1][0] * a[2][1] - a[1][1] * a[2][0];
    double determinant = a[0][0] * c00 + a[0][1] * c01 + a[0][2] * c02;
    if (!(determinant > 0)) {
        return false;
    }
    inverse[0][0] = c00 / determinant;
    inverse[0][1] = inverse[1][0] = c01 / determinant;
    inverse[0][2] = inverse[2][0] = c02 / determinant;
    inverse[1][1] = (a[0][0] * a[2][2] - a[0][2] * a[2][0]) / determinant;
    inverse[1][2] = inverse[2][1] = (a[0][2] * a[1][0] - a[0][0] * a[1][2]) / determinant;
    inverse[2][2] = (a[0][0] * a[1][1] - a[0][1] * a[1][0]) / determinant;
    return true;
}

/* The least energy 1/2 area k : D : k among the curvatures k with form k = j is 1/2 area j : G^-1 : j, where
 * G = form D^-1 form^T. Directions that the patch hardly measures (six vertices near one conic section) are left out:
 * their inverse would punish noise. */
void wf_patch_stiffness(const wf_patch *patch, const double moduli[3][3], double stiffness[3][3])
{
    memset(stiffness, 0, 9 * sizeof(double));
    double compliance[3][3], scaled[3][3] = {{0}}, q[3][3], scale[3];
    if (patch->area <= 0 || patch->hinge_count == 0 || !invert_symmetric3(moduli, compliance)) {
        return;
    }
    for (int h = 0; h < 3; h++) {
        double size = sqrt(patch->form[h][0] * patch->form[h][0] + patch->form[h][1] * patch->form[h][1] +
                           2 * patch->form[h][2] * patch->form[h][2]);
        scale[h] = size > 0 ? 1 / size : 0;
    }
    for (int h = 0; h < 3; h++) {
        for (int i = 0; i < 3; i++) {
            for (int m = 0; m < 3; m++) {
                for (int n = 0; n < 3; n++) {
                    scaled[h][i] += scale[h] * patch->form[h][m] * compliance[m][n] * patch->form[i][n] * scale[i];
                }
            }
        }
    }
    eigen_symmetric3(scaled, q);
    double largest = fmax(scaled[0][0], fmax(scaled[1][1], scaled[2][2]));
    for (int e = 0; e < 3; e++) {
        if (scaled[e][e] < WF_PATCH_LEAST_MEASURE * largest) {
            continue;
        }
        for (int h = 0; h < 3; h++) {
            for (int i = 0; i < 3; i++) {
                stiffness[h][i] += patch->area * scale[h] * q[h][e] * q[i][e] * scale[i] / scaled[e][e];
            }
        }
    }
}
