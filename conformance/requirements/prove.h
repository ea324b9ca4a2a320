/* Proof of rules: a scenario that cites a rule must fail at the cited step when the rule's mark in
 * the code disobeys. Rules that requirements.yaml assigns to tools, units and vendors' adapters
 * (`proof:`) are also proven by tests named after their ids: those must fail. The behaviour of a
 * front end from another project (`proof: front-end`) is shown by tests and their twins, without a
 * fault (front_end.c). A rule that sums up others (`proof: parts`) is closed if and only if all
 * rules under its `parts:` are.
 *
 * First, every citing scenario runs on sim, and the marks (sites) that it reaches are recorded.
 * Then, for every site of a rule that a citing scenario reached, those scenarios run again with
 * that fault armed until one of them fails at the step that its citation names. Every run is a
 * separate process. The green run of a scenario, which has no fault, begins with an empty artefact
 * cache, so that it reaches the marks of the compiling code; its runs with faults reuse the
 * artefacts that the fault does not change, since an artefact's key includes the fault
 * (conformance/build/cache.c). The tests' programs are treated in the same way (programs.c). */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_H
#define CONFORMANCE_REQUIREMENTS_PROVE_H

#include "conformance/requirements/rules.h"

/* The state of a rule, in rising order: that of its weakest site; if both scenarios and programs
 * test the rule, the higher of the two. */
typedef enum cnf_proof_state {
    CNF_PROOF_UNCITED,  /* no scenario cites it, and no program reaches it */
    CNF_PROOF_NOT_HIT,  /* cited, but no citing scenario that passes reaches a mark of it */
    CNF_PROOF_UNTESTED, /* a program reaches a mark of it but has no test of it, or shows it without
                           a twin */
    CNF_PROOF_SURVIVED, /* with the fault armed, all citing scenarios and tests still pass */
    CNF_PROOF_ASSERTED, /* the fault caused a crash, a time-out or a failure at another step */
    CNF_PROOF_COVERED,  /* each site's fault makes a citing scenario, or a test, fail as expected */
    CNF_PROOF_STATES
} cnf_proof_state;

/* A mark of a rule, and the effect of its fault. */
typedef struct cnf_site {
    rt_text text; /* "DL-RESOLVE-09@reference/program/resolve.c:120", the value of ASSAY_FAULT */
    uint32_t rule;
    cnf_proof_state state;
    rt_text detail;  /* the scenario or program that noticed the fault, or the result if none did */
    bool by_program; /* the state comes from programs; there may be a separate site for scenarios */
    /* The number of scenarios that fail with this fault, if requested. */
    uint32_t kill_count;
} cnf_site;

typedef struct cnf_proof {
    const cnf_rules *rules;
    cnf_proof_state *states; /* per rule */
    bool *by_program;        /* per rule: the state comes from programs, not from scenarios */
    const cnf_site *sites;
    uint32_t site_count;
    uint32_t scenario_count; /* total for cnf_site.kill_count; 0: not requested */
    /* False claims: scenarios and programs that fail without a fault, and citations that do not
     * hold. */
    const rt_text *complaints;
    uint32_t complaint_count;
    const rt_text *notes; /* proofs that this build cannot perform */
    uint32_t note_count;
} cnf_proof;

typedef struct cnf_prove_options {
    uint32_t job_count; /* >= 1 */
    uint32_t timeout_s; /* of a scenario's child, >= 1 */
    /* A file that lists the path of one proof program per line, relative to the file's folder; a
     * NUL byte follows. Empty: no programs. The proof has a note for a missing file or program. */
    rt_text program_list;
    bool shows_progress; /* shows a line on stderr that is redrawn */
    bool counts_kills;   /* runs all scenarios with every covered fault, to find blunt ones */
} cnf_prove_options;

/* The word that the table prints for a state (static). */
const char *cnf_proof_state_word(cnf_proof_state state);

/* Performs the proof, which lives in the arena. IO: no temporary folder or process could be
 * created, or the user interrupted the proof. */
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
