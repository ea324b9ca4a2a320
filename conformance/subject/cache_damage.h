/* Damage to the persistent cache between two processes of a scenario. */
#ifndef CONFORMANCE_SUBJECT_CACHE_DAMAGE_H
#define CONFORMANCE_SUBJECT_CACHE_DAMAGE_H

#include "conformance/scenario/model/scenario.h"

/* Damages the files below the folder as the scenario's process says: each is cut to `cache_cut`
 * bytes, or with `cache_mixed` gets the contents of the next, in the order of their paths. Only
 * files that hold programs are changed, not those with which libsycl identifies them. Returns 0, or
 * the errno of the call that failed. */
int cnf_cache_damage(const scn_scenario *scenario, rt_text folder);

#endif
