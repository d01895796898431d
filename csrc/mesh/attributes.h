/* attributes.h - topology changes as one operation on everything that depends on the topology.
 *
 * A registry knows the faces of a mesh and every array that has an entry per vertex, per face or per corner: state,
 * histories, materials alike. It does not own them; it holds the address of the pointer to each. An operation computes
 * all new arrays first and then puts them in place of the old ones, which it frees (so views that retain them live on).
 * On failure nothing has changed. New arrays have exactly the new length, whatever capacity the old had.
 */
#ifndef WEFT_MESH_ATTRIBUTES_H
#define WEFT_MESH_ATTRIBUTES_H

#include "base/context.h"

typedef enum wf_attribute_domain {
    WF_ATTRIBUTE_VERTEX, /* [vertex_count][components] */
    WF_ATTRIBUTE_FACE,   /* [face_count][components] */
    WF_ATTRIBUTE_CORNER  /* [face_count][3][components] */
} wf_attribute_domain;

typedef enum wf_attribute_type { WF_ATTRIBUTE_DOUBLE, WF_ATTRIBUTE_INT32 } wf_attribute_type;

/* What vertices that become one give to it. Averages are for doubles only. Members count in ascending order. */
typedef enum wf_merge_rule {
    WF_MERGE_FIRST,            /* the value of the member with the smallest index */
    WF_MERGE_AVERAGE,
    WF_MERGE_WEIGHTED_AVERAGE, /* weighted with the registry's weights; the plain average where these sum to 0 */
    WF_MERGE_SUM,
    WF_MERGE_MINIMUM,
    WF_MERGE_MAXIMUM
} wf_merge_rule;

typedef struct wf_attribute {
    const char *name; /* for messages; must outlive the registry */
    wf_attribute_domain domain;
    wf_attribute_type type;
    int32_t components; /* 1 to 64 */
    wf_merge_rule rule; /* of vertex arrays */
    void *array;        /* the address of the pointer to the array, which wf_allocate or wf_reserve gave */
} wf_attribute;

/* Plain data; start from zero and set counts and faces. */
typedef struct wf_attributes {
    int32_t vertex_count, face_count;
    int32_t (**faces)[3];  /* the address of the pointer to the faces, [face_count] */
    double **weights;      /* the address of the pointer to the vertices' weights (masses), or NULL */
    wf_attribute *list;    /* added with wf_attributes_add */
    int32_t count;
    size_t capacity;
} wf_attributes;

/* Registers an array. WF_ERROR_ARGUMENT: components out of range, an average of integers, a weighted average without
 * weights, an array registered twice. */
wf_status wf_attributes_add(wf_context *context, wf_attributes *attributes, const wf_attribute *attribute);

/* Frees the registry, not the arrays. */
void wf_attributes_free(wf_context *context, wf_attributes *attributes);

/* The classes of vertices that pairs [pair_count] connect: class_of_vertex[v] is the smallest vertex of v's class.
 * WF_ERROR_ARGUMENT: an index out of range. */
wf_status wf_topology_classes(wf_context *context, int32_t vertex_count, int32_t pair_count, const int32_t (*pairs)[2],
                              int32_t *class_of_vertex);

/* Merges the vertices of each class into one. class_of_vertex[v] is any vertex that stands for v's class, itself in
 * that class (class_of_vertex of it is itself). New vertices are numbered by the smallest member of their class.
 * vertex_map [old vertex_count], unless NULL, receives the new index of each old vertex.
 *
 * WF_ERROR_GEOMETRY: an edge or a face would collapse, or two faces would come to lie on the same three vertices; the
 * message names them, counting from 1. WF_ERROR_ARGUMENT: not classes. WF_ERROR_NUMERIC: an integer sum overflows. */
wf_status wf_topology_merge(wf_context *context, wf_attributes *attributes, const int32_t *class_of_vertex,
                            int32_t *vertex_map);

#endif
