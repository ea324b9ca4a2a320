/* Shortens a vendor's compiler or linker log for messages. */
#include "backends/vendor/log.h"

enum { SHOWN_MAX = 4000 }; /* bytes of the log that a message shows */

void vendor_log_cut(rt_buffer *log)
{
    size_t whole = log->size;
    rt_text beginning = rt_text_cut(rt_buffer_text(log), SHOWN_MAX);
    if (beginning.length == whole) return;
    log->size = beginning.length;
    rt_buffer_printf(log, "… (%zu more bytes)", whole - beginning.length);
}
