/* The build options that a scenario may give to the front end. */
#ifndef CONFORMANCE_SCENARIO_BUILD_OPTIONS_H
#define CONFORMANCE_SCENARIO_BUILD_OPTIONS_H

#include "reference/base/text.h"

/* Takes the next option off *rest; options are separated by white space, without quoting.  False
 * when there is none. */
bool scn_build_options_next(rt_text *rest, rt_text *out_option);

/* Reports whether all options are ones that compiling takes: definitions (-D, -U), OpenCL's own
 * (-cl-...), -O0 to -O3 and -Os, -ffp-contract=on or off, -ffast-math and a few warnings.
 * *out_refused: the first other one. */
bool scn_build_options_check(rt_text options, rt_text *out_refused);

#endif
