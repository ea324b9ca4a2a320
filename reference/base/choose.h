/* What the documents leave open is chosen here, and only here.
 *
 * A choice is drawn from the run's seed: seed 0 always takes the first alternative, so that an
 * ordinary run is easy to follow; another seed takes others.  Each choice names the rule that
 * leaves it open. */
#ifndef REFERENCE_BASE_CHOOSE_H
#define REFERENCE_BASE_CHOOSE_H

#include "reference/base/rule.h"
#include "reference/base/vector.h"

#include <stdint.h>

/* A choice that was made, for who wants to try the others. */
typedef struct rt_choice {
    rt_rule rule;
    uint32_t alternative_count, taken;
} rt_choice;

typedef struct rt_chooser {
    uint64_t seed;
    uint64_t drawn;         /* choices made so far, those with one alternative included */
    const uint32_t *script; /* what the first choices take, instead of a drawn one; borrowed */
    uint32_t script_count;
    RT_VECTOR(rt_choice) made; /* those among more than one alternative, in order */
} rt_chooser;

/* Frees what the chooser has recorded. */
void rt_chooser_free(rt_chooser *chooser);

/* Returns a number below alternative_count >= 1: the script's next while it lasts (one that is too
 * large counts as the last alternative), else one drawn.  A choice among one takes nothing from the
 * script.  The caller serialises calls on one chooser. */
uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count);

#endif
