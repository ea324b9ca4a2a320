/* The devices that the machine's Level Zero loader offers. */
#ifndef BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H
#define BACKENDS_LEVEL_ZERO_LEVEL_ZERO_H

#include "reference/device/device.h"

/* The selector is a comma-separated list, possibly empty, of
 *   device=N      device number N, from 0, of all drivers in the loader's order (default: 0);
 *   link=dynamic  link modules with zeModuleDynamicLink even if the driver joins SPIR-V.
 *
 * Images are SPIR-V.  The driver's extensions decide how several images are linked: with
 * ZE_experimental_module_program the driver is given all SPIR-V in one call; otherwise each image
 * becomes a module, and zeModuleDynamicLink joins the modules.
 *
 * Variables are looked up by name, first among the host names given by HostAccessINTEL decorations.
 *
 * Environment variables can configure a driver to accept every command and run none (for Intel's,
 * the debug keys NEOReadDebugKeys=1 and SetCommandStreamReceiver=1).  Such a device builds, links,
 * creates kernels and accepts commands as usual, and its capabilities say that it does not execute.
 *
 * The loader is loaded as libze_loader.so.1.  Opening a device reads these environment variables
 * and those that the loader and drivers read. */
extern const dev_backend l0_backend;

#endif
