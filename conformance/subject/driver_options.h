/* Driver options that no driver knows. A driver ignores them without a word, so a mistyped option
 * would seem to change nothing. */
#ifndef CONFORMANCE_SUBJECT_DRIVER_OPTIONS_H
#define CONFORMANCE_SUBJECT_DRIVER_OPTIONS_H

#include "reference/base/text.h"

/* The environment variable with the names of the driver options that a column sets, separated by
 * commas (conformance/cli/columns.c). */
#define CNF_DRIVER_OPTIONS "ASSAY_DRIVER_OPTIONS"

/* Appends a sentence for each name in `names`, separated by commas, that occurs in no file that
 * this process has loaded, with the nearest name that does. A program that reads an environment
 * variable contains its name. Call it when the driver is loaded. */
void cnf_driver_options_check(rt_text names, rt_buffer *out);

#endif
