/* The simulated device's offline compiler as a program, like vendors' compilers: it reads SPIR-V
 * and writes a native image, or explains a refusal on stderr. */
#ifndef CONFORMANCE_BUILD_OFFLINE_H
#define CONFORMANCE_BUILD_OFFLINE_H

#include "conformance/build/worker.h"
#include "reference/image/image.h"

/* Translates a SPIR-V image to another format in place: replaces its code (which then lives in the
 * worker's arena) and its format, keeps the SPIR-V in `spirv`, and removes its sets of
 * specialisation constants. `name` is for messages. COMPILE_TIME, with a message: the device
 * refuses the code; TOOL: the compiler died; UNAVAILABLE: it cannot be started. */
RT_MUST_USE rt_status cnf_offline_compile(cnf_worker *worker, rt_text name, rt_format format,
                                          rt_image *image);

#endif
