/* What the documents leave open is chosen here, and only here.
 *
 * A choice is drawn from the run's seed: seed 0 always takes the first alternative, so that an
 * ordinary run is easy to follow; another seed takes others.  Each choice names the rule that
 * leaves it open. */
#ifndef REFERENCE_BASE_CHOOSE_H
#define REFERENCE_BASE_CHOOSE_H

#include "reference/base/rule.h"

#include <stdint.h>

typedef struct rt_chooser {
    uint64_t seed;
    uint64_t drawn; /* choices made so far */
} rt_chooser;

/* Returns a number below alternative_count >= 1.  The caller serialises calls on one chooser. */
uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count);

/* Fills order[0..count) with a permutation of 0..count-1; seed 0 gives the identity. */
void rt_choose_order(rt_chooser *chooser, rt_rule rule, uint32_t *order, uint32_t count);

#endif
