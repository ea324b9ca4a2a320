/* What a run of generated scenarios has found so far: failures in buckets, and what was covered.
 *
 * A bucket holds the failures of one subject whose first failing checks are alike: the same verdict
 * and the same signature without numbers, which differ from seed to seed. A scenario that lacks
 * something which the bucket's reduced scenario has, such as two kernels of one name, must fail for
 * another reason, and is in another bucket. The failure of a variation (generate.h) whose program
 * fails as drawn too belongs to the bucket of the latter.
 * Coverage is the set of pairs of successive events in the traces of sim and, in the build `prove`,
 * of the marks of rules that the reference reaches (reference/base/fault.h).
 *
 * The state is a file of JSON, from which a later run continues. */
#ifndef CONFORMANCE_TOOLS_FUZZ_FUZZ_H
#define CONFORMANCE_TOOLS_FUZZ_FUZZ_H

#include "reference/base/arena.h"
#include "reference/base/map.h"
#include "reference/base/status.h"
#include "reference/base/vector.h"

typedef struct fuz_bucket {
    rt_text subject, verdict, headline,
        variation; /* variation: empty if the program fails as drawn */
    uint64_t seed; /* the one that represents it: the first that was added */
    uint32_t count;
    uint32_t traits; /* of its reduced scenario (fuz_traits); 0 until that is known */
    rt_text key;     /* by which failures are compared; not part of the file */
} fuz_bucket;

/* A set of hashes. */
typedef struct fuz_set {
    RT_VECTOR(uint64_t) items;
    rt_map index;
} fuz_set;

typedef struct fuz_state {
    rt_arena arena;
    rt_text conditions; /* kind, subjects, seed and weights; a run with others does not continue
                           this one */
    uint64_t next;      /* the seed that follows those that were run */
    uint64_t seeds, runs;
    RT_VECTOR(fuz_bucket) buckets;
    fuz_set pairs, marks;
} fuz_state;

/* A signature's first failure without the numbers of steps and elements: "memory:differs:out12" of
 * "step7:memory:differs:out12/element-0 …". In the arena. */
rt_text fuz_headline(rt_arena *arena, rt_text signature);

/* The headline as buckets compare it: without any digit. In the arena. */
rt_text fuz_headline_key(rt_arena *arena, rt_text headline);

/* What a scenario's text has, as bits: steps such as unload and restart, a variable, equal names of
 * kernels or functions. A scenario made from it by leaving something out has no other bits. */
uint32_t fuz_traits(rt_text scenario);

/* A failure: on which subject, how, in which variation of which seed, and the traits of its
 * scenario. */
typedef struct fuz_failure {
    rt_text subject, verdict, signature, variation;
    uint64_t seed;
    uint32_t traits;
} fuz_failure;

/* Counts a failure. Returns its bucket, which is new if its `count` is 1; valid until the next
 * call. Texts are copied. */
fuz_bucket *fuz_bucket_add(fuz_state *state, const fuz_failure *failure);

/* True if fuz_bucket_add would return this bucket. */
bool fuz_bucket_has(const fuz_state *state, const fuz_bucket *bucket, const fuz_failure *failure);

/* True if a program with these traits has all that the reduced scenario of a bucket has, so that it
 * probably fails in the same way; buckets of `oracle` do not count. */
bool fuz_is_explained(const fuz_state *state, rt_text oracle, uint32_t traits);

/* Enters the pairs of successive events of a trace, as its child sent it
 * (conformance/subject/subject.h); only the kinds of events matter. Returns the number of pairs
 * that are new. */
uint32_t fuz_events_add(fuz_state *state, rt_text trace);

/* Enters pairs of events that another state has got from a trace: the newest of its `pairs`.
 * Returns the number of pairs that are new. */
uint32_t fuz_pairs_add(fuz_state *state, const uint64_t *pairs, uint32_t count);

/* Why a trace's calls were refused, as a set of bits: for each error class and rule the bit that
 * their hash selects, so two reasons may share one. */
uint64_t fuz_refusals(rt_text trace);

/* Enters the marks in the text of a file that ASSAY_RULE_HITS names, one per line; mutants of one
 * mark are one. Returns the number of marks that are new. */
uint32_t fuz_marks_add(fuz_state *state, rt_text hits);

/* Appends the state as JSON. */
void fuz_state_write(const fuz_state *state, rt_buffer *out);

/* Reads what fuz_state_write wrote into a zero-initialised state. MALFORMED: it is something else.
 */
RT_MUST_USE rt_status fuz_state_read(rt_sink *sink, rt_text content, fuz_state *out_state);

/* Frees everything that belongs to the state, but not the state itself. */
void fuz_state_free(fuz_state *state);

#endif
