/* A page of a run that never was: records, traces and a log by hand, and texts that would break out
 * of a page that took them for markup. */
#ifndef CONFORMANCE_REPORT_HTML_TEST_SAMPLE_H
#define CONFORMANCE_REPORT_HTML_TEST_SAMPLE_H

#include "reference/base/text.h"

/* Appends the page.  `more` is how many scenarios of six verdicts each there are besides. */
void sample_page(rt_buffer *out, uint32_t more);

#endif
