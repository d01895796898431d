/* exact_contact.h - whether a pair that moves along straight lines touches, or comes within a separation, decided in
 * exact arithmetic. It judges continuous detection and shares nothing with it but the definition of a pair. */
#ifndef WEFT_BENCH_EXACT_CONTACT_H
#define WEFT_BENCH_EXACT_CONTACT_H

#include <stdbool.h>

typedef enum exact_pair { EXACT_VERTEX_FACE, EXACT_EDGE_EDGE } exact_pair;

/* The points at times 0 and 1: {vertex, face corners} or {ends of one edge, ends of the other}; any finite numbers.
 * Whether the pair's distance is at most `separation` at a time in [0, until]. */
bool exact_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation, double until);

/* The sign of the volume that the origin spans with the hull's plane (a face's corners from the vertex; two edges'
 * differences) at that time in [0, 1]: 0 where they are in one plane. */
int exact_side(exact_pair kind, const double x0[4][3], const double x1[4][3], double time);

#endif
