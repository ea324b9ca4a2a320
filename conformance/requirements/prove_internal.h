/* Declarations shared by proofs with scenarios and with programs; private to this folder. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H
#define CONFORMANCE_REQUIREMENTS_PROVE_INTERNAL_H

#include "conformance/process/child.h"
#include "conformance/requirements/prove.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

enum { CNF_REPORT_MAX = 1 << 24 /* bytes of output of one run */ };

/* The state of a proof. */
typedef struct cnf_prove_run {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_rules *rules;
    const cnf_prove_options *options;
    const bool *is_wanted; /* per rule: its faults are planted (cnf_prove_options.rules) */
    rt_text scratch;       /* temporary folder of the proof */
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

/* Indices of scenarios or of programs, ascending and without repetition: the order in which runs
 * happen to end must not decide which of them a proof names. */
typedef RT_VECTOR(uint32_t) cnf_runners;

/* A fault with the scenarios and programs that reach it, and the next program to run with it. */
typedef struct cnf_reached_site {
    cnf_site site;
    cnf_runners scenarios, programs;
    uint32_t next;
} cnf_reached_site;

/* All faults. Zero-initialise it; freed with cnf_reached_free. */
typedef struct cnf_reached {
    RT_VECTOR(cnf_reached_site) sites;
    rt_map by_name;
} cnf_reached;

/* Reads a table of faults that the build has written, and adds its faults. IO: it cannot be read.
 * MALFORMED: a row is not one, or its rule is not in the table of rules. */
RT_MUST_USE rt_status cnf_fault_table_read(const cnf_prove_run *run, rt_text file,
                                           cnf_reached *inout_reached);

/* Chooses the sample of each rule (cnf_prove_options.sample); everything if there is no sample. */
void cnf_sample_choose(const cnf_prove_run *run, cnf_reached *inout_reached);

/* Reads the file named by ASSAY_RULE_HITS, "ID@FILE:LINE.NUMBER" per line, and adds the runner to
 * the scenarios or the programs of each fault; adds a fault that is in no table. Returns the number
 * of faults. A run that reaches no fault writes no file, so a missing file is not an error;
 * truncated lines and rules that are not in the table are left out. */
uint32_t cnf_hits_read(const cnf_prove_run *run, rt_text file, uint32_t runner, bool is_program,
                       cnf_reached *inout_reached);

/* True if the scenario reaches the fault. */
bool cnf_reached_by(const cnf_reached_site *site, uint32_t scenario);

/* Writes the name of the mark: that of the fault without the number of the mutant. */
rt_text cnf_site_mark(const cnf_site *site);

/* Frees what cnf_hits_read has collected. */
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
 * and that no scenario notices (see programs.c). `out_front_end` receives the results of front
 * ends, which live in the arena; problems of the programs are added to the run's complaints and
 * notes. IO: the user interrupted the proof. */
RT_MUST_USE rt_status cnf_programs_prove(cnf_prove_run *run, cnf_reached *inout_reached,
                                         cnf_sites *out_front_end);

/* Marks the unnoticed faults that compile to the original's code (options->same_command). IO: the
 * user interrupted the proof. */
RT_MUST_USE rt_status cnf_same_code_find(cnf_prove_run *run, cnf_reached *inout_reached);

/* Combines the results: the state of each rule, and the complaints. `green` says of each file
 * whether it passes without a fault. The proof lives in the arena. */
void cnf_proof_decide(cnf_prove_run *run, const cnf_files *files, const cnf_citations *citations,
                      const bool *green, const cnf_reached *reached, const cnf_sites *front_end,
                      cnf_proof *out_proof);

#endif
