/* The words of a SPIR-V module, as an adapter has to look at them before it hands them to a driver.
 */
#ifndef REFERENCE_DEVICE_SPIRV_H
#define REFERENCE_DEVICE_SPIRV_H

#include "reference/base/status.h"

/* Where the first instruction begins, in words. */
#define DEV_SPIRV_HEADER_WORDS 5u

/* A module that is a header and whole instructions; its bytes are borrowed. */
typedef struct dev_spirv {
    rt_bytes bytes;
    size_t word_count;
    uint32_t version; /* of SPIR-V, as the header has it: 0x00010200 for 1.2 */
    bool is_swapped;  /* its words are in the other order of bytes */
} dev_spirv;

/* Refuses what is not a header and whole instructions (MALFORMED): there are drivers that end the
 * process when a module is cut off.  What the instructions say is the driver's to judge.
 * Source: SPIR-V 1.6, 2.3 "Physical Layout of a SPIR-V Module and Instruction". */
RT_MUST_USE rt_status dev_spirv_read(rt_sink *sink, rt_bytes bytes, dev_spirv *out_module);

/* Word `index` < word_count, in this machine's order. */
uint32_t dev_spirv_word(const dev_spirv *module, size_t index);

#endif
