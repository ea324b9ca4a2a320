/* Formatting scenario files: one way to indent and to space, nothing else changes.
 *
 * What is normalised: indentation by two spaces, lists two spaces inside their key, blanks between
 * tokens, two blanks in front of a comment, blanks at the ends of lines, blank lines (one at most,
 * none at the file's beginning and end), line ends, the final line feed.  What stays as it is
 * written: every line break, the order of keys, quotes, comments, and the text of block scalars. */
#ifndef CONFORMANCE_TOOLS_FMT_FMT_H
#define CONFORMANCE_TOOLS_FMT_FMT_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/status.h"

typedef enum cnf_fmt_end {
    CNF_FMT_DONE,
    CNF_FMT_REFUSED, /* the text is not in the YAML subset of scenario files */
    CNF_FMT_BROKEN,  /* the result would say something else than the text: a defect of ours */
} cnf_fmt_end;

/* Formats one file's content.  The problems live in the arena: those of the text for REFUSED, for
 * BROKEN the place in the text from which on the result differs; none for DONE.  `out` is appended
 * to only for DONE.  What keys mean does not matter: a scenario may be wrong and still have a form.
 */
cnf_fmt_end cnf_fmt_text(rt_arena *arena, rt_text text, rt_buffer *out, scn_problems *out_problems);

/* Replaces a file's content at once or not at all: a temporary file beside it, fsync, rename.  The
 * mode is kept, and a symbolic link stays one; `file` is NUL-terminated.  IO: says what failed. */
RT_MUST_USE rt_status cnf_fmt_replace(rt_sink *sink, rt_text file, rt_text content);

#endif
