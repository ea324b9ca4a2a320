/* Executable programs as bytes: reads and validates what l0_program_binary has written. */
#ifndef BACKENDS_LEVEL_ZERO_L0_BINARY_H
#define BACKENDS_LEVEL_ZERO_L0_BINARY_H

#include "backends/level_zero/l0_module.h"

/* The parts of a binary; they borrow its bytes. */
typedef struct l0_binary {
    uint32_t module_count; /* >= 1 */
    rt_bytes sizes;        /* sizes of the modules, eight bytes each */
    rt_bytes names;        /* in the format of l0_names */
    rt_bytes natives;      /* the modules' native code, concatenated */
} l0_binary;

/* Reads a binary, which is untrusted input.  MALFORMED: the bytes are not a binary.  The native
 * code is left to the driver to check. */
RT_MUST_USE rt_status l0_binary_read(rt_sink *sink, rt_bytes binary, l0_binary *out_parts);

/* Returns the native code of module `index` < module_count. */
rt_bytes l0_binary_module(const l0_binary *parts, uint32_t index);

#endif
