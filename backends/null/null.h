/* A device that accepts everything and executes nothing: the adapter to copy for a new device. */
#ifndef BACKENDS_NULL_NULL_H
#define BACKENDS_NULL_NULL_H

#include "reference/device/device.h"

/* Takes SPIR-V and reads only its first word, offers a kernel for any name, with any number of
 * arguments, and completes every command immediately.  Reads return zeros, and no byte counts as
 * defined.  There is one such device; its selector is "". */
extern const dev_backend null_backend;

#endif
