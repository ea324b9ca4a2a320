/* The companion of a fuzzed module: the same code again as another module that can be linked with
 * it, so that every symbol has two definitions and the tables of two modules follow each other. */
#ifndef SIM_FUZZ_COMPANION_H
#define SIM_FUZZ_COMPANION_H

#include "reference/base/status.h"

/* Copies a module without its entry points; what it exports becomes LinkOnceODR, which gives way to
 * the original.  Any bytes will do; what is not a module is copied as far as it has instructions.
 * The caller frees the bytes with rt_free.  Source: SPIR-V specification 1.6, section 2.3, and
 * SPV_KHR_linkonce_odr. */
rt_bytes companion_of(rt_bytes code);

#endif
