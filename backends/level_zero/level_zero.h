/* The devices of the machine's Level Zero loader. */
#ifndef BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H
#define BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H

#include "reference/device/device.h"

/* The selector is a comma-separated list, possibly empty, of
 *   device=N      the N-th device of all drivers, from 0, in the loader's order (default: 0);
 *   link=dynamic  link modules with zeModuleDynamicLink even if the driver joins SPIR-V.
 *
 * Images are SPIR-V.  The driver's extensions decide how several images are linked: with
 * ZE_experimental_module_program the driver is given all SPIR-V in one call; otherwise each image
 * becomes a module, and zeModuleDynamicLink joins the modules.
 *
 * Variables are looked up by name, first among the names in their HostAccessINTEL decorations.
 *
 * A driver can be configured by its environment to accept every command and run none (Intel's: the
 * debug keys NEOReadDebugKeys=1 and SetCommandStreamReceiver=1).  Such a device builds, links,
 * creates kernels and accepts commands as usual, and its capabilities say that it does not execute.
 *
 * The loader is loaded as libze_loader.so.1.  Opening reads these environment variables and those
 * that loader and drivers read. */
extern const dev_backend l0_backend;

#endif
