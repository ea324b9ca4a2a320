/* Post-link: turns the sources of a module into images (contract: reference/compiler_api.h). */
#ifndef REFERENCE_COMPILER_POSTLINK_POSTLINK_H
#define REFERENCE_COMPILER_POSTLINK_POSTLINK_H

#include "reference/compiler_api.h"

/* The table's postlink. */
RT_MUST_USE rt_status pl_postlink(rt_sink *sink, const rt_postlink_request *request,
                                  rt_buffer *out_answer);

#endif
