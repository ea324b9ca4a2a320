/* What every OpenCL source can use without writing it down: the documents' vocabulary. */
#ifndef CONFORMANCE_COMPILE_PRELUDE_H
#define CONFORMANCE_COMPILE_PRELUDE_H

#include "conformance/scenario/model/model.h"

/* The text that stands in front of a source, static: complete lines, after which a #line begins the
 * source's own counting.  `language` is OpenCL C or C++ for OpenCL. */
rt_text cnf_prelude(scn_language language);

/* Appends a whole translation unit: the prelude, `#line 1 "name"`, the code; compilers then report
 * positions in the source as it was written.  `name` is not empty. */
void cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code);

#endif
