/* Limits that kernels must observe while they run. */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include <stdint.h>

/* Bytes of live private variables, for all lanes of a wave together. */
#define SIM_PRIVATE_BYTES_MAX (UINT64_C(1) << 28)

#endif
