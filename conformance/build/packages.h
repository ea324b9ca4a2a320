/* The folder into which ci/setup installs Python packages and builds what needs them. */
#ifndef CONFORMANCE_COMPILE_PACKAGES_H
#define CONFORMANCE_COMPILE_PACKAGES_H

#include "reference/base/arena.h"

/* The folder's path, without a final slash, in the arena: $ASSAY_VENV, else
 * $XDG_DATA_HOME/assay/venv, else ~/.local/share/assay/venv.  ci/setup chooses it in the same way;
 * nothing says that it exists. */
rt_text cnf_packages_folder(rt_arena *arena);

#endif
