/* The companion of a fuzzed module: a second module with the same code that can be linked with it,
 * so that every symbol has two definitions and the program's tables hold entries of two modules. */
#ifndef SIM_FUZZ_COMPANION_H
#define SIM_FUZZ_COMPANION_H

#include "reference/base/status.h"

/* Copies a module without its entry points; its exports become LinkOnceODR, which yields to the
 * original.  Any bytes are accepted: the copy ends before the first malformed instruction.  The
 * caller frees the bytes with rt_free.  Source: SPIR-V specification 1.6, section 2.3, and
 * SPV_KHR_linkonce_odr. */
rt_bytes companion_of(rt_bytes code);

#endif
