/* An image's code, kept for the module that is made of it. */
#ifndef BACKENDS_LEVEL_ZERO_L0_CODE_H
#define BACKENDS_LEVEL_ZERO_L0_CODE_H

#include "backends/level_zero/l0_internal.h"

/* Names of variables, each with its linkage name: "host name\0linkage name\0" again and again. */
typedef rt_buffer l0_names;

typedef struct l0_code {
    rt_buffer bytes;   /* SPIR-V */
    rt_buffer options; /* for the compiler */
    bool has_symbols;  /* that other modules or host code may see, or others are to define */
    l0_names names;    /* of the variables that host code reaches by names of their own */
    /* Constants that get a value, as ze_module_constants_t wants them: each a pointer to eight
     * bytes that begin with the value. */
    uint32_t *constant_ids;
    uint64_t *constant_values;
    const void **constant_pointers;
    uint32_t constant_count;
} l0_code;

/* Copies the code and reads from it what the driver is not asked about.  l0_code_free follows after
 * success.  UNSUPPORTED: a format or version that the device does not take; MALFORMED;
 * ERRC_INVALID: a constant's value has another size than the constant, which the driver cannot see.
 */
RT_MUST_USE rt_status l0_code_make(const l0_device *device, const dev_code *code,
                                   l0_code *out_code);
void l0_code_free(l0_code *code);

/* The linkage name, in `names`, of the variable with that name for the host; NULL: there is none.
 */
const char *l0_names_find(const l0_names *names, rt_text host_name);

#endif
