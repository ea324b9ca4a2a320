/* The folder into which ci/setup installs Python packages and builds programs that need them. */
#ifndef CONFORMANCE_BUILD_PACKAGES_H
#define CONFORMANCE_BUILD_PACKAGES_H

#include "reference/base/arena.h"

/* The folder's path without a trailing slash, in the arena: $ASSAY_VENV, $XDG_DATA_HOME/assay/venv
 * or ~/.local/share/assay/venv, the first whose variable is set. ci/setup uses the same rule. The
 * folder need not exist. */
rt_text cnf_packages_folder(rt_arena *arena);

#endif
