/* nearest_name.h - the name that was probably meant. */
#ifndef WEFT_BASE_NEAREST_NAME_H
#define WEFT_BASE_NEAREST_NAME_H

/* Of the NULL-terminated `names`, the one nearest to `name` by edit distance, or NULL when none is near. */
const char *wf_nearest_name(const char *name, const char *const *names);

#endif
