/* Makes the choices that the documents leave open; no other code makes any.
 *
 * A choice is drawn from the run's seed: seed 0 always takes the first alternative, so that an
 * ordinary run is easy to follow; other seeds vary the choices.  Each choice names the rule that
 * leaves it open. */
#ifndef REFERENCE_BASE_CHOOSE_H
#define REFERENCE_BASE_CHOOSE_H

#include "reference/base/rule.h"
#include "reference/base/vector.h"

#include <pthread.h>
#include <stdint.h>

/* A choice, recorded so that a caller can try the other alternatives. */
typedef struct rt_choice {
    rt_rule rule;
    uint32_t alternative_count, alternative;
} rt_choice;

typedef struct rt_chooser {
    pthread_mutex_t lock; /* guards what follows; no other lock is taken while it is held */
    uint64_t seed;
    uint64_t drawn;         /* choices so far, including those with a single alternative */
    const uint32_t *script; /* results of the first choices, which are not drawn from the seed;
                             * borrowed */
    uint32_t script_count;
    RT_VECTOR(rt_choice) choices; /* choices among several alternatives, in order */
} rt_chooser;

/* Initialises a chooser that has made no choice; its members are described above.  The caller frees
 * it. */
void rt_chooser_init(rt_chooser *chooser, uint64_t seed, const uint32_t *script,
                     uint32_t script_count);

/* Frees the choices that the chooser has recorded. */
void rt_chooser_free(rt_chooser *chooser);

/* Returns a number below alternative_count >= 1: the script's next entry while there is one (an
 * entry that is too large means the last alternative), then a number drawn from the seed.  A choice
 * with a single alternative does not consume an entry of the script.  May be called
 * from several threads. */
uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count);

#endif
