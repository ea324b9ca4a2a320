/* Declarations shared by proofs with scenarios and with programs; private to this folder. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H
#define CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/requirements/prove.h"
#include "reference/base/vector.h"

enum { CNF_REPORT_MAX = 1 << 24 /* bytes of the output of one run */ };

/* The state of a proof. */
typedef struct cnf_prove_run {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_rules *rules;
    const cnf_prove_options *options;
    rt_text scratch; /* temporary folder of the proof */
    cnf_pool *pool;
    RT_VECTOR(rt_text) complaints, notes; /* as in cnf_proof */
    uint32_t done, total;                 /* of the phase shown */
} cnf_prove_run;

/* Shows the progress of a phase, if the options request it. */
void cnf_prove_progress(const cnf_prove_run *run, const char *phase);

/* The time limit of one run, which reads, compiles, runs and reports. */
uint32_t cnf_prove_limit_ms(const cnf_prove_options *options);

/* The status of a proof that the user interrupted. */
RT_MUST_USE rt_status cnf_prove_interrupted(const cnf_prove_run *run);

/* A mark that a run reached. */
typedef struct cnf_hit {
    rt_text site; /* in the form of cnf_site.text */
    uint32_t rule;
} cnf_hit;

typedef struct cnf_hits {
    const cnf_hit *items;
    uint32_t count;
} cnf_hits;

/* Reads the file named by ASSAY_RULE_HITS into the arena. A run that reaches no mark writes no
 * file, so a missing file is not an error; truncated lines and rules that are not in the table are
 * left out. */
void cnf_hits_read(rt_arena *arena, const cnf_rules *rules, rt_text file, cnf_hits *out_hits);

enum { CNF_TEST_NAMES_MAX = 128 };

/* Writes the prefix of the names of a rule's tests: "DL-SPLIT-08" -> "DL_SPLIT_08_". */
void cnf_test_names_write(char out_names[CNF_TEST_NAMES_MAX], rt_text id);

typedef RT_VECTOR(cnf_site) cnf_sites;

/* Adds the result of each rule with `proof: front-end` that has tests in the program; `output` is
 * the program's, and all its tests passed. */
void cnf_front_end_judge(const cnf_prove_run *run, rt_text program, rt_text output,
                         cnf_sites *inout_sites);

/* Runs the programs of options->program_list and plants the faults of the rules that they can close
 * (see programs.c). The sites live in the arena; problems of the programs are added to the run's
 * complaints and notes. IO: interrupted. */
RT_MUST_USE rt_status cnf_programs_prove(cnf_prove_run *run, const cnf_site **out_sites,
                                         uint32_t *out_count);

#endif
