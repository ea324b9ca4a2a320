/* Options and logs of the driver's compiler and linker (cuda_jit.c). */
#ifndef BACKENDS_CUDA_CUDA_JIT_H
#define BACKENDS_CUDA_CUDA_JIT_H

#include "backends/cuda/cuda_internal.h"

/* The first options of every call specify the two logs: a buffer and its size for each. */
enum { CUDA_JIT_LOG_OPTIONS = 4, CUDA_JIT_OPTIONS_MAX = 8 };

/* Options and logs of one link.  The driver may write to the logs until the link is destroyed, so
 * call cuda_jit_end only after that. */
typedef struct cuda_jit {
    cuda_jit_option options[CUDA_JIT_OPTIONS_MAX];
    void *values[CUDA_JIT_OPTIONS_MAX];
    unsigned count;
    char *logs[2]; /* errors, then information; always NUL-terminated */
} cuda_jit;

/* Begins the options of a call with those for its logs; cuda_jit_end must always be called
 * afterwards. */
void cuda_jit_begin(cuda_jit *out_jit);
void cuda_jit_end(cuda_jit *jit);

/* Adds space-separated options (listed in cuda.h).  ERRC_BUILD: unknown option. */
RT_MUST_USE rt_status cuda_jit_options(const cuda_device *device, cuda_jit *jit, rt_text options);

/* Makes a status for a compile, link or load that failed, with both logs. */
RT_MUST_USE rt_status cuda_jit_fail(const cuda_device *device, cuda_stage stage, const char *call,
                                    cuda_result result, const cuda_jit *jit);

#endif
