/* Executable programs as bytes, and such bytes checked. */
#ifndef BACKENDS_LEVEL_ZERO_L0_BINARY_H
#define BACKENDS_LEVEL_ZERO_L0_BINARY_H

#include "backends/level_zero/l0_module.h"

/* The parts of a binary, borrowed from its bytes. */
typedef struct l0_binary {
    uint32_t module_count; /* >= 1 */
    rt_bytes sizes;        /* of the modules, eight bytes each */
    rt_bytes names;        /* as l0_names has them */
    rt_bytes natives;      /* the modules' native code, one after the other */
} l0_binary;

/* Appends the linked modules with the names of their variables; nothing where it fails. */
RT_MUST_USE rt_status l0_binary_write(const l0_device *device, const l0_modules *modules,
                                      const l0_names *names, rt_buffer *out_binary);

/* Refuses bytes that are not such a binary (MALFORMED); they are untrusted.  The driver judges the
 * native code. */
RT_MUST_USE rt_status l0_binary_read(rt_sink *sink, rt_bytes binary, l0_binary *out_parts);

/* The native code of module `index` < module_count. */
rt_bytes l0_binary_module(const l0_binary *parts, uint32_t index);

#endif
