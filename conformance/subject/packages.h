/* Where ci/setup installs what is not the distribution's. */
#ifndef CONFORMANCE_SUBJECT_PACKAGES_H
#define CONFORMANCE_SUBJECT_PACKAGES_H

#include "reference/base/arena.h"

/* The folder of the Python environment that ci/setup makes: ASSAY_VENV, or else one in the user's
 * folder of data.  It need not be there.  In the arena. */
rt_text cnf_packages_folder(rt_arena *arena);

#endif
