/* clock.h - wall time for statistics. Never an input of a computation. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

/* Seconds since an arbitrary start, monotonic. */
double wf_clock_seconds(void);

#endif
