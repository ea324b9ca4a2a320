/* Proving rules: a scenario that cites a rule must fail where it says when the rule's mark in the
 * code disobeys.
 *
 * First every citing scenario runs on sim, and the marks (sites) that it reaches are noted.  Then,
 * for every site of a rule that a citing scenario reached, those scenarios run again with that one
 * fault armed until one of them fails at the step that its citation names.  Every run is a process
 * of its own with an artefact cache of its own, so that neither a mark's memory nor a warm artefact
 * hides a fault. */
#ifndef CONFORMANCE_REQUIREMENTS_PROVE_H
#define CONFORMANCE_REQUIREMENTS_PROVE_H

#include "conformance/requirements/rules.h"

/* What became of a rule, the weakest of its sites deciding. */
typedef enum cnf_proof_state {
    CNF_PROOF_UNCITED,  /* no scenario names it */
    CNF_PROOF_NOT_HIT,  /* cited, but no citing scenario that passes reaches a mark of it */
    CNF_PROOF_SURVIVED, /* with the fault on, every citing scenario still passes */
    CNF_PROOF_ASSERTED, /* the fault was noticed, but by a crash, a time-out or at another step */
    CNF_PROOF_COVERED,  /* each site's fault makes a citing scenario fail where it says */
    CNF_PROOF_STATES
} cnf_proof_state;

/* One mark of one rule, and what its fault did. */
typedef struct cnf_site {
    rt_text text; /* "DL-RESOLVE-09@reference/program/resolve.c:120", as ASSAY_FAULT takes it */
    uint32_t rule;
    cnf_proof_state state;
    rt_text detail; /* which scenario killed it, or what happened instead */
    /* How many of all scenarios do not pass with this fault, where that was asked for. */
    uint32_t kill_count;
} cnf_site;

typedef struct cnf_proof {
    const cnf_rules *rules;
    cnf_proof_state *states; /* per rule */
    const cnf_site *sites;
    uint32_t site_count;
    uint32_t scenario_count;   /* of which cnf_site.kill_count is a part; 0: not asked for */
    const rt_text *complaints; /* scenarios that do not even pass without a fault, and the like */
    uint32_t complaint_count;
} cnf_proof;

typedef struct cnf_prove_options {
    uint32_t job_count;  /* >= 1 */
    uint32_t timeout_s;  /* of a scenario's child, >= 1 */
    bool shows_progress; /* a line on stderr that is rewritten */
    bool counts_kills;   /* runs every scenario with every covered fault, to find blunt ones */
} cnf_prove_options;

/* The word of a state, as the table prints it. */
const char *cnf_proof_state_word(cnf_proof_state state);

/* Runs everything; the proof lives in the arena.  IO: no temporary folder or process could be made,
 * or the user interrupted. */
RT_MUST_USE rt_status cnf_prove(rt_sink *sink, rt_arena *arena, const cnf_rules *rules,
                                const cnf_files *files, const cnf_citations *citations,
                                const cnf_prove_options *options, cnf_proof *out_proof);

/* Appends the table for people: every cited rule with its state, and a line for each family. */
void cnf_proof_write(rt_buffer *out, const cnf_proof *proof);

/* Appends {"DL": {"rules": n, "closed": n, "by": {"scenario": n}, "asserted": [id…],
 * "missing": [id…], "needs": {id: subject}}, …}.  "missing" is everything that is not closed,
 * "needs" names the subject that this build lacks for the rules among them that need one. */
void cnf_proof_write_json(rt_buffer *out, const cnf_proof *proof);

#endif
