/* mass.c - see mass.h. The integrals of 1, x and x x^T over the inside are sums over the tetrahedra that the faces make
 * with one point: over one with edge vectors a, b, c from that point and D = det(a, b, c)
 *
 *     D / 6,      D / 24 (a + b + c),      D / 120 (s s^T + a a^T + b b^T + c c^T),   s = a + b + c
 *
 * (Blow and Binstock 2004). */
#include "body/mass.h"

enum { MOST_ROTATIONS = 60 };

/* One rotation of Jacobi's method, in the plane of axes p and q, that makes a[p][q] zero; `axes` has the axes as
 * columns. */
static void rotate_away(double a[3][3], double axes[3][3], int p, int q)
{
    if (a[p][q] == 0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        double xp = axes[k][p], xq = axes[k][q];
        axes[k][p] = c * xp - s * xq;
        axes[k][q] = s * xp + c * xq;
    }
}

/* The rotation with these columns (Shepperd 1978): from the largest of the four squares. */
static wf_rotation rotation_of(const double m[3][3])
{
    double trace = m[0][0] + m[1][1] + m[2][2];
    wf_rotation q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2]) {
        q = (wf_rotation){1 + trace, {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]}};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = (wf_rotation){m[2][1] - m[1][2], {1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]}};
    } else if (m[1][1] >= m[2][2]) {
        q = (wf_rotation){m[0][2] - m[2][0], {m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]}};
    } else {
        q = (wf_rotation){m[1][0] - m[0][1], {m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace}};
    }
    return wf_rotation_normalize(q);
}

static void find_principal_axes(double inertia[3][3], wf_mass_properties *mass)
{
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double trace = inertia[0][0] + inertia[1][1] + inertia[2][2];
    for (int k = 0; k < MOST_ROTATIONS; k++) {
        int p = k % 3 == 2 ? 1 : 0, q = k % 3 == 0 ? 1 : 2;
        if (fabs(inertia[p][q]) > 1e-17 * fabs(trace)) {
            rotate_away(inertia, axes, p, q);
        }
    }
    mass->moments = (wf_vec3){inertia[0][0], inertia[1][1], inertia[2][2]};
    mass->axes = rotation_of((const double(*)[3])axes); /* rotations keep the axes right-handed */
}

wf_mass_properties wf_mass_of_surface(int32_t face_count, const int32_t (*faces)[3], const wf_vec3 *positions)
{
    wf_mass_properties mass = {.axes = wf_rotation_identity()};
    wf_vec3 from = positions[faces[0][0]], first = {0, 0, 0};
    double second[3][3] = {{0}};
    for (int32_t f = 0; f < face_count; f++) {
        wf_vec3 corner[4];
        for (int k = 0; k < 3; k++) {
            corner[k] = wf_vec3_sub(positions[faces[f][k]], from);
        }
        corner[3] = wf_vec3_add(corner[0], wf_vec3_add(corner[1], corner[2]));
        double determinant = wf_vec3_dot(corner[0], wf_vec3_cross(corner[1], corner[2]));
        mass.volume += determinant / 6;
        first = wf_vec3_muladds(first, corner[3], determinant / 24);
        for (int k = 0; k < 4; k++) {
            const double v[3] = {corner[k].x, corner[k].y, corner[k].z};
            for (int i = 0; i < 9; i++) {
                second[i / 3][i % 3] += determinant / 120 * v[i / 3] * v[i % 3];
            }
        }
    }
    wf_vec3 centre = wf_vec3_scale(first, 1 / mass.volume);
    mass.centre = wf_vec3_add(from, centre);
    const double c[3] = {centre.x, centre.y, centre.z};
    for (int i = 0; i < 9; i++) {
        second[i / 3][i % 3] -= mass.volume * c[i / 3] * c[i % 3];
    }
    double trace = second[0][0] + second[1][1] + second[2][2];
    for (int i = 0; i < 9; i++) {
        second[i / 3][i % 3] = (i % 4 == 0 ? trace : 0) - second[i / 3][i % 3];
    }
    find_principal_axes(second, &mass);
    return mass;
}
