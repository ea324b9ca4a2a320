/* The simulated device's offline compiler as a program, as vendors' ones are: it reads SPIR-V and
 * writes a native image, or says on its standard error what it refuses. */
#ifndef CONFORMANCE_COMPILE_OFFLINE_H
#define CONFORMANCE_COMPILE_OFFLINE_H

#include "conformance/build/worker.h"
#include "reference/image/image.h"

/* Makes an image in a format other than SPIR-V of an image of SPIR-V, in place: the code, which
 * then lives in the worker's arena, the format, and the tables of specialisation constants, which
 * are gone.  `name` is for messages.  COMPILE_TIME, with a message: the device refuses the code;
 * TOOL: the compiler died; UNAVAILABLE: it cannot be started. */
RT_MUST_USE rt_status cnf_offline_compile(cnf_worker *worker, rt_text name, rt_format format,
                                          rt_image *image);

#endif
