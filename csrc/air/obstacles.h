/* obstacles.h - what stops air on its way: triangles of cloth and bodies, colliders and the floor.
 *
 * All have two sides. Everything moves from where it was `before` a step to where it is at the step's end; a triangle's
 * plane takes along what is near it, so that a point on one side of it stays there for as long as it does not go
 * through, however the triangle turns. A share of the air passes: the porosity, from 0 (tight) to 1 (nothing is there).
 */
#ifndef WEFT_AIR_OBSTACLES_H
#define WEFT_AIR_OBSTACLES_H

#include "contact/colliders/collider.h"

typedef struct wf_obstacles wf_obstacles;

/* One cloth or one body. */
typedef struct wf_obstacle_mesh {
    int32_t vertex_count;
    const wf_vec3 *positions;     /* [vertex_count] m, at the end of the step */
    const wf_vec3 *before;        /* [vertex_count] m, at its beginning; NULL: where the last update of the same owner,
                                   * with as many vertices, left it, or at rest */
    const void *owner;            /* NULL: of its own each time */
    int32_t face_count;
    const int32_t (*faces)[3];    /* [face_count] */
    double porosity;              /* 0 to 1: of one crossing, so that a closed surface counts twice */
    const double *face_porosity;  /* [face_count] 0 to 1, or NULL: as above */
} wf_obstacle_mesh;

typedef struct wf_obstacle_collider {
    wf_collider *collider;
    wf_pose pose;                 /* at the end of the step. At its beginning it was where the last update left it */
    double porosity;              /* of the way in and out together */
} wf_obstacle_collider;

typedef struct wf_obstacles_def {
    int32_t mesh_count, collider_count;
    const wf_obstacle_mesh *meshes;
    const wf_obstacle_collider *colliders;
    bool floor;                   /* the plane y = floor_height, tight and at rest */
    double floor_height;          /* m */
    double duration;              /* s, of the step; 0: nothing moves */
} wf_obstacles_def;

wf_status wf_obstacles_create(wf_context *context, wf_obstacles **obstacles);
void wf_obstacles_destroy(wf_obstacles *obstacles); /* NULL is allowed */

/* Copies all, and holds references to the colliders. The tree is kept, and takes the new places, while the number of
 * faces stays. Allocates nothing then. WF_ERROR_ARGUMENT: an index or a porosity out of range; WF_ERROR_NUMERIC: a
 * position that is not finite; WF_ERROR_MEMORY. On failure there is nothing in the way. */
wf_status wf_obstacles_update(wf_obstacles *obstacles, const wf_obstacles_def *def);

/* The step of the last update is to be made again: what it found as begin is the begin of the next one, too. */
void wf_obstacles_undo(wf_obstacles *obstacles);
/* There is nothing any more of this owner: who has its address next is another. */
void wf_obstacles_forget(wf_obstacles *obstacles, const void *owner);

typedef struct wf_obstacle_hit {
    double part;       /* of the segment, 0 to 1 */
    wf_vec3 point;     /* m, on the obstacle where it then is */
    wf_vec3 normal;    /* then, of length 1, to the side that the segment comes from */
    wf_vec3 velocity;  /* m/s, of the obstacle there */
    double porosity;
    double radius;     /* m: of the disc that hides as much in the segment's direction as the box around its cloth, body
                        * or collider does; 1e6 for what has no end */
} wf_obstacle_hit;

/* The first obstacle on the straight way of a point that leaves `from` after a part of the step (0 to 1) and reaches
 * `to` after another. Both 1: with everything where it is at the end. Colliders and folds of samples that are thinner
 * than 1/256 of the way may be missed. Runs on any thread. */
bool wf_obstacles_first_hit(const wf_obstacles *obstacles, wf_vec3 from, wf_vec3 to, double from_part, double to_part,
                            wf_obstacle_hit *hit);

int32_t wf_obstacles_face_count(const wf_obstacles *obstacles);

/* The middle (m) and the unit normal of the first `count` faces, mesh by mesh, at the end of the step. */
void wf_obstacles_face_places(const wf_obstacles *obstacles, int32_t count, wf_vec3 *middles, wf_vec3 *normals);

/* The box around all that has an end, at the end of the step; false where there is nothing. */
bool wf_obstacles_bounds(const wf_obstacles *obstacles, wf_vec3 *lower, wf_vec3 *upper);
bool wf_obstacles_is_empty(const wf_obstacles *obstacles);

/* A grid of cubes: cell (i, j, k) begins at lower + cell * (i, j, k) and has the number i + nx (j + ny k). */
typedef struct wf_cell_grid {
    wf_vec3 lower; /* m */
    double cell;   /* m */
    int32_t nx, ny, nz;
} wf_cell_grid;

/* Sets marks[nx ny nz] to 1 in every cell that an obstacle may touch in the step, else to 0. */
void wf_obstacles_mark(const wf_obstacles *obstacles, const wf_cell_grid *grid, uint8_t *marks);

#endif
