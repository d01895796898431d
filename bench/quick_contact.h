/* quick_contact.h - the judge's quick part: whether a moving pair touches, or comes within a separation, decided by
 * bounds in double precision where they suffice. What it is sure of is proved; the rest is for exact_contact. */
#ifndef WEFT_BENCH_QUICK_CONTACT_H
#define WEFT_BENCH_QUICK_CONTACT_H

#include "exact_contact.h"

typedef enum quick_verdict { APART, TOUCHING, DOUBTFUL } quick_verdict;

/* Of the motion up to `until`: whether the pair's distance is at most `separation` at some time. */
quick_verdict quick_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation,
                            double until);

/* The pair's distance, but for rounding; 0 for sizes beyond 2^-900 and 2^900. */
double quick_distance(exact_pair kind, const double x[4][3]);

#endif
