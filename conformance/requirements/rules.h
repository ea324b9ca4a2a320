/* The documents' rules, as listed in requirements.yaml, and the scenarios that cite them. */
#ifndef CONFORMANCE_REQUIREMENTS_RULES_H
#define CONFORMANCE_REQUIREMENTS_RULES_H

#include "conformance/process/files.h"

typedef struct cnf_rule {
    rt_text id;     /* "DL-RESOLVE-09" */
    rt_text family; /* "DL": the id's text before the first '-' */
    rt_text proof;  /* the kind of proof that closes it; empty: a scenario */
    rt_text source; /* "003_….txt § introduction": file and section, as in the table */
    rt_text statement, outcome;
    rt_text reading;       /* our reading of an unclear sentence; empty: it is clear */
    rt_text dpcpp;         /* how shipped DPC++ departs, or "same …"; empty: unknown */
    const uint32_t *parts; /* of an umbrella: indices of the rules that it sums up */
    uint32_t part_count;   /* 0: the rule is not an umbrella, or is one without parts */
} cnf_rule;

typedef struct cnf_rules {
    const cnf_rule *items; /* in the order of the file, families together */
    uint32_t count;
} cnf_rules;

/* Reads the table of rules into the arena. IO: the file cannot be read. MALFORMED: it is not a list
 * of mappings, each with an id, or `parts:` names an umbrella or something that is not a rule of
 * the table, or belongs to a rule without `proof: parts`. */
RT_MUST_USE rt_status cnf_rules_read(rt_sink *sink, rt_arena *arena, rt_text file,
                                     cnf_rules *out_rules);

/* Appends the rule's document and section, for example "SharedLibraries.md, introduction". */
void cnf_rule_source_print(rt_buffer *out, const cnf_rule *rule);

/* Index of the rule with this id; UINT32_MAX if there is none. */
uint32_t cnf_rules_find(const cnf_rules *rules, rt_text id);

/* A rule named under `covers:` of a scenario. */
typedef struct cnf_citation {
    rt_text id;        /* as written, known or not */
    uint32_t rule;     /* index; UINT32_MAX: unknown */
    rt_text at;        /* id of the step that fails when the rule is broken; empty: any */
    uint32_t scenario; /* index of the file */
    uint32_t line;
} cnf_citation;

typedef struct cnf_citations {
    const cnf_citation *items; /* by scenario, in the order of the file */
    uint32_t count;
} cnf_citations;

/* Reads the scenarios' citations. Only `covers:` is read, so that a scenario with mistakes
 * elsewhere still counts; a file that is not YAML cites nothing. */
RT_MUST_USE rt_status cnf_citations_read(rt_sink *sink, rt_arena *arena, const cnf_files *files,
                                         const cnf_rules *rules, cnf_citations *out_citations);

#endif
