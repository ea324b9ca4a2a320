/* Shortens a vendor's compiler or linker log for messages. */
#ifndef BACKENDS_VENDOR_LOG_H
#define BACKENDS_VENDOR_LOG_H

#include "reference/base/text.h"

/* Truncates a long log in place.  The beginning is kept, since the first error is the cause, and
 * the number of dropped bytes is appended.  UTF-8 text is cut between characters. */
void vendor_log_cut(rt_buffer *log);

#endif
