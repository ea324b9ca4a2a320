/* What proving by scenarios and proving by programs share; for this folder only. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H
#define CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/requirements/prove.h"
#include "reference/base/vector.h"

enum { CNF_REPORT_MAX = 1 << 24 /* bytes of what one run prints or writes */ };

/* One proof while it is made. */
typedef struct cnf_prove_run {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_rules *rules;
    const cnf_prove_options *options;
    rt_text scratch; /* temporary folder of everything */
    cnf_pool *pool;
    RT_VECTOR(rt_text) complaints, notes; /* as cnf_proof has them */
    uint32_t done, total;                 /* of the phase that is shown */
} cnf_prove_run;

/* The line that shows how far a phase is, where the options want it. */
void cnf_prove_progress(const cnf_prove_run *run, const char *phase);

/* How long one run may take: reading, compiling and running, and time to report. */
uint32_t cnf_prove_limit_ms(const cnf_prove_options *options);

/* The status of a proof that the user broke off. */
RT_MUST_USE rt_status cnf_prove_interrupted(const cnf_prove_run *run);

/* Cuts the first line off a text; false: there is none left.  The newline is in neither part. */
bool cnf_line_take(rt_text *rest, rt_text *out_line);

/* A mark that a run reached. */
typedef struct cnf_hit {
    rt_text site; /* as cnf_site.text */
    uint32_t rule;
} cnf_hit;

typedef struct cnf_hits {
    const cnf_hit *items;
    uint32_t count;
} cnf_hits;

/* Reads the file that ASSAY_RULE_HITS named into the arena.  A run that reaches no mark leaves no
 * file, so that none is not an error; lines that are cut short or name no rule of the table are
 * left out. */
void cnf_hits_read(rt_arena *arena, const cnf_rules *rules, rt_text file, cnf_hits *out_hits);

enum { CNF_TEST_NAMES_MAX = 128 };

/* How the names of a rule's tests begin: "DL-SPLIT-08" -> "DL_SPLIT_08_". */
void cnf_test_names_write(char out_names[CNF_TEST_NAMES_MAX], rt_text id);

typedef RT_VECTOR(cnf_site) cnf_sites;

/* Adds, for each rule with `proof: front-end` that tests of a program show, what they say of it;
 * `output` is what the program printed, and all its tests passed. */
void cnf_front_end_judge(const cnf_prove_run *run, rt_text program, rt_text output,
                         cnf_sites *inout_sites);

/* Runs the programs of options->program_list and plants the faults of the rules that they can
 * close (programs.c tells how).  The sites live in the arena; what is wrong with the programs is
 * added to the run's complaints and notes.  IO: interrupted. */
RT_MUST_USE rt_status cnf_programs_prove(cnf_prove_run *run, const cnf_site **out_sites,
                                         uint32_t *out_count);

#endif
