/* The log of a vendor's compiler or linker, as a message for people shows it. */
#ifndef BACKENDS_VENDOR_LOG_H
#define BACKENDS_VENDOR_LOG_H

#include "reference/base/text.h"

/* Keeps the beginning of a long log, since the first error is the cause, and says how many bytes
 * went.  It is cut between characters where it is UTF-8. */
void vendor_log_cut(rt_buffer *log);

#endif
