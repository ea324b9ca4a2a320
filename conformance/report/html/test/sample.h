/* The page of an invented run: hand-made records, traces and a log, with texts that would break a
 * page if it treated them as markup. */
#ifndef CONFORMANCE_REPORT_HTML_TEST_SAMPLE_H
#define CONFORMANCE_REPORT_HTML_TEST_SAMPLE_H

#include "reference/base/text.h"

/* Appends the page, with `more` additional scenarios of six verdicts each. */
void sample_page(rt_buffer *out, uint32_t extra_count);

#endif
