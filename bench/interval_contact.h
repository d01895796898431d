/* interval_contact.h - the judge's quick part: whether a moving pair touches, decided by interval arithmetic where that
 * suffices. What it is sure of is proved; the rest is for exact_contact. */
#ifndef WEFT_BENCH_INTERVAL_CONTACT_H
#define WEFT_BENCH_INTERVAL_CONTACT_H

#include "exact_contact.h"

typedef enum interval_verdict { APART, TOUCHING, DOUBTFUL } interval_verdict;

/* Of the motion up to `until`. With a separation, only pairs that one axis keeps apart are decided. */
interval_verdict interval_contact(exact_pair kind, const double x0[4][3], const double x1[4][3], double separation,
                                  double until);

#endif
