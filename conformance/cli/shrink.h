/* Makes a generated scenario smaller by leaving out what the generator can leave out. Its model
 * predicts the rest anew, so the expected values stay right even if the reference itself is wrong;
 * `assay reduce`, which knows only the text, needs the reference as its oracle. */
#ifndef CONFORMANCE_CLI_SHRINK_H
#define CONFORMANCE_CLI_SHRINK_H

#include "conformance/cli/generated.h"
#include "conformance/run/run.h"

typedef struct cnf_shrink_request {
    const cnf_generated_kind *kind;
    gen_request drawn;              /* nothing omitted */
    const cnf_run_options *options; /* its first subject is sim */
    rt_text subject;                /* that fails */
    rt_text verdict, headline_key;  /* how (conformance/tools/fuzz/fuzz.h) */
} cnf_shrink_request;

/* Appends, as `assay reduce` writes it, the smallest scenario found that fails on the subject with
 * the verdict and headline, and passes on sim unless that is the subject. Returns false, and
 * appends nothing, if the run was interrupted or nothing can be left out. */
bool cnf_generated_shrink(const cnf_shrink_request *request, rt_buffer *out);

#endif
