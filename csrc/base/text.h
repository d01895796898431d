/* text.h - copies of text. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include <string.h>

#include "base/context.h"

/* To be freed with wf_free; NULL when there is no memory. */
static inline char *wf_copy_text(wf_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = wf_allocate(context, size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

#endif
