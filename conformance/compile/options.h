/* Taking build options apart. */
#ifndef CONFORMANCE_COMPILE_OPTIONS_H
#define CONFORMANCE_COMPILE_OPTIONS_H

#include "conformance/compile/compile.h"

/* Takes the next option off *rest; options are separated by white space, without quoting.  False
 * when there is none. */
bool cnf_options_next(rt_text *rest, rt_text *out_option);

#endif
