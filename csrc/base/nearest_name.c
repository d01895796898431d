/* nearest_name.c - see nearest_name.h. */
#include "base/nearest_name.h"

#include <string.h>

enum { NAME_LIMIT = 63 };

/* The number of letters to insert, delete or replace (Levenshtein 1966), of names up to NAME_LIMIT letters. */
static int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[NAME_LIMIT + 1];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]);
            int shorter = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[b_length];
}

const char *wf_nearest_name(const char *name, const char *const *names)
{
    size_t length = strlen(name);
    if (length > NAME_LIMIT) {
        return NULL;
    }
    const char *nearest = NULL;
    int least = (int)(length / 2) + 1; /* at most half of the letters may differ */
    for (; *names; names++) {
        size_t other = strlen(*names);
        if (other <= NAME_LIMIT) {
            int distance = edit_distance(name, length, *names, other);
            if (distance < least) {
                least = distance;
                nearest = *names;
            }
        }
    }
    return nearest;
}
