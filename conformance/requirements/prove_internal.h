/* Declarations shared by proofs with scenarios and with programs; private to this folder. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H
#define CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/requirements/prove.h"
#include "reference/base/vector.h"

enum { CNF_REPORT_MAX = 1 << 24 /* bytes of output of one run */ };

/* The state of a proof. */
typedef struct cnf_prove_run {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_rules *rules;
    const cnf_prove_options *options;
    rt_text scratch; /* temporary folder of the proof */
    cnf_pool *pool;
    RT_VECTOR(rt_text) complaints, notes; /* as in cnf_proof */
    uint32_t done, total;                 /* of the phase in progress */
} cnf_prove_run;

/* A phase of a proof: child processes, as many at a time as the options allow. */
typedef struct cnf_prove_phase {
    const char *name; /* shown in the progress line */
    uint64_t count;   /* number of items */
    /* Starts an item's child, or does nothing. */
    void (*start)(void *state, uint64_t item);
    /* Handles the end of a child, whose tag is in the result; may start another. */
    void (*end)(void *state, cnf_child_result *result);
    void *state;
} cnf_prove_phase;

/* Runs all children of a phase. `total` is the goal of its progress; the functions above count
 * finished items in run->done. IO: the user interrupted the proof. */
RT_MUST_USE rt_status cnf_prove_phase_run(cnf_prove_run *run, const cnf_prove_phase *phase,
                                          uint32_t total);

/* The time limit of one run, which reads, compiles, runs and reports. */
uint32_t cnf_prove_limit_ms(const cnf_prove_options *options);

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

/* A site, and the next scenario or program to run with its fault. */
typedef struct cnf_reached_site {
    cnf_site site;
    uint32_t next;
} cnf_reached_site;

/* The sites that the green runs of the runners (scenarios or programs) reached. Zero-initialise it;
 * freed with cnf_reached_free. */
typedef struct cnf_reached {
    RT_VECTOR(cnf_reached_site) sites;
    RT_VECTOR(uint64_t) pairs; /* runner << 32 | site */
} cnf_reached;

/* The first function records that a runner reached a site, known or new; the second returns true if
 * the runner reached the site. */
void cnf_reached_add(cnf_reached *reached, uint32_t runner, const cnf_hit *hit, bool by_program);
bool cnf_reached_by(const cnf_reached *reached, uint32_t runner, uint32_t site);
void cnf_reached_free(cnf_reached *reached);

enum { CNF_TEST_NAMES_MAX = 128 };

/* Writes the prefix that the names of a rule's tests share: "DL-SPLIT-08" -> "DL_SPLIT_08_". */
void cnf_test_names_write(char out_names[CNF_TEST_NAMES_MAX], rt_text id);

typedef RT_VECTOR(cnf_site) cnf_sites;

/* Adds the result of each rule with `proof: front-end` that has tests in the program; `output` is
 * what the program printed; all its tests must have passed. */
void cnf_front_end_judge(const cnf_prove_run *run, rt_text program, rt_text output,
                         cnf_sites *inout_sites);

/* Runs the programs of options->program_list and plants the faults of the rules that they can close
 * (see programs.c). The sites live in the arena; problems of the programs are added to the run's
 * complaints and notes. IO: the user interrupted the proof. */
RT_MUST_USE rt_status cnf_programs_prove(cnf_prove_run *run, const cnf_site **out_sites,
                                         uint32_t *out_count);

#endif
