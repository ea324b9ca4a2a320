/* Makes a scenario smaller as long as a test says that it still shows what matters.
 *
 * Delta debugging over the tree of the file: items and entries are left out, then numbers are made
 * smaller, then lines of texts are left out, in chunks that become smaller, until no single change
 * passes the test any more. What belongs together goes together: the names that link outcomes, and
 * a launch that is left for its expectation alone in exchange for a simpler expectation. Whether a
 * candidate is a valid scenario is for the test to decide. Source: Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input" (2002); Misherghi and Su, "HDD: Hierarchical
 * Delta Debugging" (2006). */
#ifndef CONFORMANCE_TOOLS_REDUCE_REDUCE_H
#define CONFORMANCE_TOOLS_REDUCE_REDUCE_H

#include "conformance/scenario/yaml/yaml.h"

enum { RED_BATCH_MAX = 64 };

/* A source or image with its code in the scenario. */
typedef struct red_source {
    rt_text language, code;
    struct reducer *reduction; /* private */
    struct red_node *node;     /* private */
} red_source;

typedef struct red_request {
    const scn_node *root; /* of a file whose scenario is valid and passes the test */
    uint32_t batch;       /* candidates that are tested together, 1 to RED_BATCH_MAX */
    /* Tests `count` candidates, the texts of whole files. Sets *out_passed to the index of the
     * first that passes, or to `count`. False to stop: the result is then the smallest so far. */
    bool (*test)(void *user, const rt_text *candidates, uint32_t count, uint32_t *out_passed);
    /* Makes the code of a source smaller, with red_source_test; called once for each source when
     * nothing else can be left out. False to stop. NULL: not called. */
    bool (*reduce_source)(void *user, red_source *source);
    void *user;
    rt_text summary; /* of the result; empty: unchanged */
} red_request;

/* Tests the scenario with another code, which is kept if it passes. Returns false if the test
 * stopped. */
bool red_source_test(red_source *source, rt_text code, bool *out_passes);

/* Appends the reduced scenario, unformatted and without comments. False if the test stopped. */
bool red_reduce(const red_request *request, rt_buffer *out);

#endif
