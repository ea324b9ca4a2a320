/* An image's code, kept until a module is built from it. */
#ifndef BACKENDS_LEVEL_ZERO_L0_CODE_H
#define BACKENDS_LEVEL_ZERO_L0_CODE_H

#include "backends/level_zero/l0_internal.h"

/* Names of variables, each with its linkage name: "host name\0linkage name\0", repeated. */
typedef rt_buffer l0_names;

typedef struct l0_code {
    rt_buffer bytes; /* SPIR-V, or the driver's native code */
    bool is_native;
    rt_buffer options; /* compiler options */
    bool has_symbols;  /* exports symbols to other modules or host code, or imports some */
    l0_names names;    /* for the variables that have a separate name in host code */
    /* Constants with a value, in the form of ze_module_constants_t: each pointer refers to eight
     * bytes that begin with the value. */
    uint32_t *constant_ids;
    uint64_t *constant_values;
    const void **constant_pointers;
    uint32_t constant_count;
} l0_code;

/* Copies the code and reads the properties that are not queried from the driver.  On success the
 * caller must call l0_code_free.  UNSUPPORTED: a format or version that the device does not take;
 * MALFORMED: the code is damaged; ERRC_INVALID: a value's size differs from its constant's, which
 * the driver cannot detect. */
RT_MUST_USE rt_status l0_code_make(const l0_device *device, const dev_code *code,
                                   l0_code *out_code);
void l0_code_free(l0_code *code);

/* Exports the variables that the code, as the only code of its program, defines for host code with
 * linkage LinkOnceODR, which permits definitions in other images.  Observed: driver 22.43 does not
 * find a variable with that linkage by any name. */
void l0_code_export_variables(l0_code *code);

/* Returns the linkage name of the variable with that host name, borrowed from `names`; NULL if
 * there is none. */
const char *l0_names_find(const l0_names *names, rt_text host_name);

#endif
