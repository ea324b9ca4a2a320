/* Splits texts into lines. */
#ifndef REFERENCE_BASE_LINES_H
#define REFERENCE_BASE_LINES_H

#include "reference/base/text.h"

/* Removes the first line and its newline from *inout_text; *out_line is the line without the
 * newline.  Returns false, and an empty line, if the text is empty.  Both texts borrow the same
 * bytes. */
bool rt_line_take(rt_text *inout_text, rt_text *out_line);

/* The text without the newlines at its end. */
rt_text rt_lines_trim(rt_text text);

/* The last lines of the text, at most `count` of them, without the newlines at its end. */
rt_text rt_lines_last(rt_text text, uint32_t count);

#endif
