/* The documents' vocabulary, available to every OpenCL source. */
#ifndef CONFORMANCE_BUILD_PRELUDE_H
#define CONFORMANCE_BUILD_PRELUDE_H

#include "conformance/scenario/model/model.h"

/* The static text that precedes a source: complete lines, to be followed by a #line that restarts
 * the source's line numbers. `language` is OpenCL C or C++ for OpenCL. */
rt_text cnf_prelude(scn_language language);

/* Appends a whole translation unit: the prelude, `#line 1 "name"` and the code; compilers then
 * report positions in the source as it was written.  `name` is not empty. */
void cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code);

/* Like cnf_prelude_unit for OpenCL C, with only those macros of the prelude that the code uses, and
 * without a name for the prelude's lines: for sources that others than our front end compile, and
 * that people read. */
void cnf_prelude_used_unit(rt_buffer *out, rt_text name, rt_text code);

#endif
