/* Intel's offline compiler, ocloc, without a GPU: compiles and links SPIR-V to machine code of a
 * named product; nothing is executed (capabilities.executes is false). */
#ifndef BACKENDS_OCLOC_OCLOC_H
#define BACKENDS_OCLOC_OCLOC_H

#include "reference/device/device.h"

/* The selector is "product=NAME", a name that ocloc's option -device takes, or "" for tgllp.
 *
 * Images are SPIR-V, and are kept until they are linked: `ocloc link` joins them, and `ocloc
 * compile` makes machine code of the result, so the compiler's errors are reported by a link too.
 * ocloc cannot set specialisation constants.  What a linked program contains is read from its
 * machine code; what the product can do is read from the extensions that ocloc reports for it.
 *
 * Memories have addresses but no contents (backends/vendor/unexecuted.h).
 *
 * The library is loaded from the path in the environment variable ASSAY_OCLOC or, if that is not
 * set, as libocloc.so. */
extern const dev_backend ocloc_backend;

#endif
