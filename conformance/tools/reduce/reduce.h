/* Makes a scenario smaller as long as a test says that it still shows what matters.
 *
 * Delta debugging over the tree of the file: items and entries are left out, then numbers are made
 * smaller, then lines of texts are left out, in chunks that become smaller, until no single change
 * passes the test any more. Whether a candidate is a valid scenario is for the test to decide.
 * Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002);
 * Misherghi and Su, "HDD: Hierarchical Delta Debugging" (2006). */
#ifndef CONFORMANCE_TOOLS_REDUCE_REDUCE_H
#define CONFORMANCE_TOOLS_REDUCE_REDUCE_H

#include "conformance/scenario/yaml/yaml.h"

enum { RED_BATCH_MAX = 64 };

typedef struct red_request {
    const scn_node *root; /* of a file whose scenario is valid and passes the test */
    uint32_t batch;       /* candidates that are tested together, 1 to RED_BATCH_MAX */
    /* Tests `count` candidates, the texts of whole files. Sets *out_passed to the index of the
     * first that passes, or to `count`. False to stop: the result is then the smallest so far. */
    bool (*test)(void *user, const rt_text *candidates, uint32_t count, uint32_t *out_passed);
    void *user;
    rt_text summary; /* of the result; empty: unchanged */
} red_request;

/* Appends the reduced scenario, unformatted and without comments. False if the test stopped. */
bool red_reduce(const red_request *request, rt_buffer *out);

#endif
