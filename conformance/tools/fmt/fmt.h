/* Formats scenario files: normalises indentation and spacing, and changes nothing else.
 *
 * It normalises: indentation to two spaces, with lists two spaces inside their key; blanks between
 * tokens; two blanks before a comment; trailing blanks; blank lines (one at most, none at the
 * file's beginning and end); line ends; the final line feed.  It keeps: every line break, the order
 * of keys, quotes, comments, and the text of block scalars. */
#ifndef CONFORMANCE_TOOLS_FMT_FMT_H
#define CONFORMANCE_TOOLS_FMT_FMT_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/status.h"

typedef enum cnf_fmt_end {
    CNF_FMT_DONE,
    CNF_FMT_REFUSED, /* the text is not in the YAML subset of scenario files */
    CNF_FMT_BROKEN,  /* the result would differ in meaning from the text: a bug in the formatter
                      */
} cnf_fmt_end;

/* Formats the contents of one file.  The problems are in the arena: those of the text for REFUSED;
 * for BROKEN the position in the text from which the result differs; none for DONE.  `out` is
 * appended to only for DONE.  The meaning of keys is irrelevant: an invalid scenario can be
 * formatted, too.
 */
cnf_fmt_end cnf_fmt_text(rt_arena *arena, rt_text text, rt_buffer *out, scn_problems *out_problems);

/* Replaces a file's contents atomically: writes a temporary file next to it, fsync, rename.  The
 * mode is kept, and a symbolic link remains a link; `file` is NUL-terminated.  IO: the message says
 * what failed. */
RT_MUST_USE rt_status cnf_fmt_replace(rt_sink *sink, rt_text file, rt_text content);

#endif
