/* number.h - decimal numbers as text, the same in every locale.
 *
 * Files use '.' whatever setlocale() says. Reading rounds correctly (texts of 128 and more
 * characters to a unit in the last place), writing gives the shortest text that reads back
 * as the same number, so that a value survives any number of round trips.
 */
#ifndef WEFT_BASE_NUMBER_H
#define WEFT_BASE_NUMBER_H

#include "base/context.h"

enum { WF_NUMBER_SIZE = 32 }; /* bytes that wf_format_double may write, the final NUL included */

/* Reads a decimal number [+-]digits[.digits][(e|E)[+-]digits] at the start of [begin, end). Returns the first byte
 * after it, or NULL when there is none; "nan", "inf" and hexadecimal are not numbers. A magnitude too large for a
 * double gives an infinity: the caller checks isfinite(). */
const char *wf_parse_double(const char *begin, const char *end, double *value);

/* Reads [+-]digits. Returns the first byte after it, or NULL when there is none or it does not fit. */
const char *wf_parse_int64(const char *begin, const char *end, int64_t *value);

/* Writes the shortest decimal text that reads back as `value` (which must be finite), NUL-terminated.
 * Returns its length. */
int wf_format_double(double value, char text[WF_NUMBER_SIZE]);

#endif
