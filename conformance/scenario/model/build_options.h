/* The build options that a scenario may give to the front end. */
#ifndef CONFORMANCE_SCENARIO_BUILD_OPTIONS_H
#define CONFORMANCE_SCENARIO_BUILD_OPTIONS_H

#include "reference/base/text.h"

/* The accepted options: prefixes, after which anything may follow, and whole words. None contains a
 * character that is special in a regular expression. */
#define SCN_BUILD_OPTIONS(PREFIX, WORD)                                                            \
    PREFIX("-D")                                                                                   \
    PREFIX("-U")                                                                                   \
    PREFIX("-cl-std=")                                                                             \
    WORD("-cl-opt-disable")                                                                        \
    WORD("-cl-single-precision-constant")                                                          \
    WORD("-cl-denorms-are-zero")                                                                   \
    WORD("-cl-fp32-correctly-rounded-divide-sqrt")                                                 \
    WORD("-cl-no-signed-zeros")                                                                    \
    WORD("-cl-mad-enable")                                                                         \
    WORD("-cl-unsafe-math-optimizations")                                                          \
    WORD("-cl-finite-math-only")                                                                   \
    WORD("-cl-fast-relaxed-math")                                                                  \
    WORD("-cl-uniform-work-group-size")                                                            \
    WORD("-cl-strict-aliasing")                                                                    \
    WORD("-cl-kernel-arg-info")                                                                    \
    WORD("-O0")                                                                                    \
    WORD("-O1")                                                                                    \
    WORD("-O2")                                                                                    \
    WORD("-O3")                                                                                    \
    WORD("-Os")                                                                                    \
    WORD("-ffp-contract=off")                                                                      \
    WORD("-ffp-contract=on")                                                                       \
    WORD("-ffast-math")                                                                            \
    WORD("-w")                                                                                     \
    WORD("-Wall")                                                                                  \
    WORD("-Wextra")                                                                                \
    WORD("-Werror")

/* What scn_build_options_check accepts, as an ECMA 262 regular expression: options separated by
 * white space.
 */
#define SCN_PREFIX_PATTERN(text) text "\\S+|"
#define SCN_WORD_PATTERN(text)   text "|"
#define SCN_BUILD_OPTIONS_PATTERN                                                                  \
    "^\\s*((" SCN_BUILD_OPTIONS(SCN_PREFIX_PATTERN,                                                \
                                SCN_WORD_PATTERN) "-std=c\\+\\+(17|20)|(?!))(\\s+|$))*$"

/* For SYCL alone: the version of C++. */
#define SCN_BUILD_OPTION_CPP17 "-std=c++17"
#define SCN_BUILD_OPTION_CPP20 "-std=c++20"

/* Takes the next option off *rest; options are separated by white space and cannot be quoted. False
 * if no option is left. */
bool scn_build_options_next(rt_text *rest, rt_text *out_option);

/* True if every option is accepted: definitions (-D, -U), OpenCL's own (-cl-...), -std=c++17 or 20,
 * -O0 to -O3 and -Os, -ffp-contract=on or off, -ffast-math and a few warnings. Otherwise
 * *out_refused is the first option that is not accepted. */
bool scn_build_options_check(rt_text options, rt_text *out_refused);

#endif
