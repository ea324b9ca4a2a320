/* Proof of rules: with a fault planted in the code that obeys a rule, a scenario that cites the
 * rule must fail at the cited step. Rules that requirements.yaml assigns to tools, units and
 * vendors' adapters (`proof:`) are also proven by tests named after their ids: those must fail. The
 * behaviour of a front end from another project (`proof: front-end`) is shown by tests and their
 * twins, without a fault (front_end.c). A rule that sums up others (`proof: parts`) is closed if
 * and only if all rules under its `parts:` are.
 *
 * The faults of a rule are the mutants of its marks and the faults of its functions
 * (reference/base/fault.h); the build lists all of them in tables. A rule is closed if every one of
 * its faults is noticed, and each mark must be reached.
 *
 * First, every citing scenario runs on sim, and the faults that it reaches are recorded. Then each
 * fault is planted in the citing scenarios that reach it, one after the other, until one of them
 * fails at the step that its citation names. Every run is a separate process. The green run of a
 * scenario, which has no fault, finds no artefacts in the cache, so that it reaches the marks of
 * the compiling code; its runs with faults reuse the artefacts that the fault does not change,
 * since an artefact's key includes the fault (conformance/build/cache.c). The tests' programs are
 * treated in the same way (programs.c). A fault that nothing notices does not count if the compiler
 * makes the original's code of it. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_H
#define CONFORMANCE_REQUIREMENTS_PROVE_H

#include "conformance/requirements/rules.h"

/* The state of a fault, and of a rule, in rising order; a rule has that of its weakest fault. */
typedef enum cnf_proof_state {
    CNF_PROOF_UNCITED,  /* no scenario cites the rule, and no program reaches the fault */
    CNF_PROOF_NOT_HIT,  /* cited, but no citing scenario that passes reaches the fault */
    CNF_PROOF_UNTESTED, /* a program reaches the fault but has no test of its rule, or shows the
                           rule without a twin */
    CNF_PROOF_SURVIVED, /* with the fault planted, all citing scenarios and tests still pass */
    CNF_PROOF_ASSERTED, /* the fault caused a crash, a time-out or a failure at another step */
    CNF_PROOF_COVERED,  /* the fault makes a citing scenario, or a test, fail as expected */
    CNF_PROOF_STATES
} cnf_proof_state;

/* What a scenario noticed, in rising order. */
typedef enum cnf_evidence {
    CNF_EVIDENCE_NONE,     /* nothing, or a test noticed the fault */
    CNF_EVIDENCE_INTERNAL, /* only what other runtimes do not show: the trace, the parts of a
                              program */
    CNF_EVIDENCE_REFUSAL,  /* the runtime refused what it should have done */
    CNF_EVIDENCE_RESULT,   /* a result, or a refusal that did not happen */
} cnf_evidence;

/* A fault of a rule, and its effect. */
typedef struct cnf_site {
    rt_text text; /* "DL-RESOLVE-09@reference/program/resolve.c:120.3", the value of ASSAY_FAULT */
    uint32_t rule;
    /* The mutant, as in ci/mutate; for the fault of a function, `mutated` says what is wrong. Empty
     * for the result of a front end's tests. */
    rt_text operation, original, mutated;
    bool is_chosen;     /* it was planted: it belongs to the sample */
    bool is_reached;    /* a scenario or program reaches it */
    bool is_reviewed;   /* ci/mutants.yaml has an entry for it: the fault may go unnoticed */
    bool is_equivalent; /* the compiler makes the original's code of it: it does not count */
    cnf_proof_state state;
    cnf_evidence evidence;
    rt_text detail;  /* the scenario or program that noticed the fault, or the result if none did */
    bool by_program; /* the state comes from programs */
    uint32_t kill_count; /* the number of scenarios that fail with this fault, if requested */
} cnf_site;

typedef struct cnf_proof {
    const cnf_rules *rules;
    const bool *is_wanted; /* per rule: its faults were planted */
    bool lists_refusals, lists_internal;
    cnf_proof_state *states; /* per rule */
    cnf_evidence *evidence; /* per rule: that of the weakest of its faults that scenarios noticed */
    bool *by_program;       /* per rule: programs notice some of its faults */
    const cnf_site *sites;
    uint32_t site_count;
    uint32_t scenario_count; /* total for cnf_site.kill_count; 0: not requested */
    /* Failures of the proof: scenarios and programs that fail without a fault, citations that do
     * not hold, marks that nothing reaches, and faults that nothing notices. */
    const rt_text *complaints;
    uint32_t complaint_count;
    const rt_text *notes; /* proofs that this build cannot perform */
    uint32_t note_count;
} cnf_proof;

typedef struct cnf_prove_options {
    uint32_t job_count; /* >= 1 */
    uint32_t timeout_s; /* of a scenario's child, >= 1 */
    /* The tables of faults that the build has written, see reference/base/fault.h. */
    const rt_text *fault_tables;
    uint32_t fault_table_count;
    /* A file that lists the path of one proof program per line, relative to the file's folder; a
     * NUL byte follows. Empty: no programs. The proof has a note for a missing file or program. */
    rt_text program_list;
    /* The words of a command to which the names of faults are added; it prints the names of those
     * that compile to the original's code, one per line (ci/plant --same). NULL: none. */
    const char *const *same_command; /* NULL-terminated */
    /* Rules whose faults are planted: ids separated by commas, of which '*' at the end matches any
     * text. Empty: all. */
    rt_text rules;
    uint32_t sample; /* at most this many faults of each rule, chosen by `seed`; 0: all */
    uint64_t seed;
    bool shows_progress; /* shows a line on stderr that is redrawn */
    bool counts_kills;   /* runs all scenarios with every covered fault, to find blunt ones */
    bool lists_refusals; /* the table lists faults whose evidence is only a refusal */
    /* Runs faults on more scenarios, until one shows the fault without the trace; the table lists
     * those that none shows. */
    bool lists_internal;
} cnf_prove_options;

/* The word that the table prints for a state (static). */
const char *cnf_proof_state_word(cnf_proof_state state);

/* Appends the fault's name and what is wrong with it, on one line. */
void cnf_site_print(rt_buffer *out, const cnf_site *site);

/* Performs the proof, which lives in the arena. IO: no temporary folder or process could be
 * created, a table of faults cannot be read, or the user interrupted the proof. MALFORMED: a row of
 * such a table is not one. */
RT_MUST_USE rt_status cnf_prove(rt_sink *sink, rt_arena *arena, const cnf_rules *rules,
                                const cnf_files *files, const cnf_citations *citations,
                                const cnf_prove_options *options, cnf_proof *out_proof);

/* Appends the table for people: every tested rule with its state and sites, complaints and notes,
 * and a line for each family. */
void cnf_proof_write(rt_buffer *out, const cnf_proof *proof);

/* Appends {"DL": {"rules": n, "closed": n, "by": {"scenario": n, "tool": n, "unit": n, "vendor": n,
 * "front-end": n, "parts": n}, "asserted": [id…], "missing": [id…], "needs": {id: subject}}, …}.
 * "by" contains only kinds that close at least one rule; "missing" lists all rules that are not
 * closed; "needs" maps each of these that requires a subject missing from this build to that
 * subject. */
void cnf_proof_write_json(rt_buffer *out, const cnf_proof *proof);

#endif
