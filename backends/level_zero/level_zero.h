/* Level Zero devices: those of the machine's Level Zero loader, as the device interface.
 */
#ifndef BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H
#define BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H

#include "reference/device/device.h"

/* The selector is a list, separated by commas and possibly empty, of
 *   device=N      the N-th device of all drivers, from 0, as the loader orders them (the first);
 *   link=dynamic  zeModuleDynamicLink joins modules even where the driver joins SPIR-V.
 *
 * Images are SPIR-V.  How several are linked follows from what the driver lists: with
 * ZE_experimental_module_program it is given all SPIR-V at once, else one module is made of each
 * and zeModuleDynamicLink joins them.
 *
 * Variables are found by name, among the names of their HostAccessINTEL decorations first.
 *
 * A driver can be told by its environment to take every command and run none (Intel's: the debug
 * keys NEOReadDebugKeys=1 and SetCommandStreamReceiver=1).  Such a device builds, links, creates
 * kernels and takes commands as usual, and its capabilities say that it does not execute.
 *
 * The loader is looked for as libze_loader.so.1.  Opening reads that environment and whatever
 * loader and drivers read. */
extern const dev_backend l0_backend;

#endif
