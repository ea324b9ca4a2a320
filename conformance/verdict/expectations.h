/* Expectation files: the known failures of a subject, and their reasons.
 *
 *     assay_expectations: 1
 *     subject: pocl
 *     entries:
 *       - scenario: device/runaway.yaml     # path from the scenarios' root; `*` is any characters
 *         signature: "run:timeout:-:-"      # required unless there is a verdict; may contain `*`
 *         verdict: TIMEOUT                  # CRASH, TIMEOUT or HANG; both must match, if given
 *         poisons: [data]                   # memories that this failure spoils; optional
 *         driver: "PoCL"                    # a part of the driver's text; absent: every driver
 *         versions: "3.1..6.0"              # of the driver, both included; either may be absent
 *         flaky: true                       # it may also pass; needs `bound`
 *         bound: 25                         # at most this percentage of attempts fails
 *         since: 2026-11-28                 # when the entry was written; optional
 *         finding: pocl/runaway             # a record of findings/pocl.yaml (findings.h), or:
 *         class: crash-or-hang
 *         reason: One or two sentences.     # with a finding: how it causes this failure; optional
 *         reference: DL-RESOLVE-09          # the deciding rule or document; optional
 *
 * An entry whose scenario is a pattern is about every scenario that matches; one whose signature is
 * a pattern names every failing check that matches, and at least one must. The version of a driver
 * is the first number, such as 3.1, in its text after the `driver` text; an end of a range includes
 * the versions that it begins: 6.0.1 is in "3.1..6.0". An entry of class `untriaged` needs no
 * reason, but `since`.
 *
 * Each entry names one failing check, so a scenario with several failing checks needs several
 * entries. A check that depends on a poisoned memory and fails later needs no separate entry.
 *
 * The scenario runs regardless. Its verdict is XFAIL if the entries cover exactly the checks that
 * fail, XFAIL_MISMATCH if another check fails or a check that an entry names passes, and XPASS if
 * none fails. A flaky entry need not name a failing check; it does not make a scenario XPASS, but
 * if the attempts of a run show with 95 % confidence that more than `bound` fail, it is
 * XFAIL_MISMATCH.
 *
 * An entry whose scenario is skipped or does not exist is unused, and an unused entry fails the
 * run. A scenario that did not run proves nothing about its entry: it was not selected, its subject
 * did not take part, its verdict is UNAVAILABLE, NOT_RUN or POISONED, its pack lacks the subject's
 * format, or the entry is for another driver. An entry of a folder of --expectations whose scenario
 * is not below the run's roots is taken as being about another suite, unless a scenario of the run
 * has a similar path. A pattern is not unused because one of its scenarios is skipped.
 *
 * If the `driver` texts of several entries are part of the driver's text, the entries with the
 * longest text apply.
 *
 * A subject with driver options, such as "pocl{A=1}", is a separate subject with its own file,
 * whose `subject:` has that name. If it has no entry for a scenario, the entries of the bare
 * subject excuse exactly the failures that they cover; any other result with the options is judged
 * as if there were no entry. Source: docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_EXPECTATIONS_H
#define CONFORMANCE_VERDICT_EXPECTATIONS_H

#include "conformance/process/files.h"
#include "conformance/verdict/verdict.h"
#include "reference/base/vector.h"

/* class, word in files and records, text for people; the most serious first
 *
 *     SILENT_WRONG_RESULT  no sentence decides, but no order of the steps can produce the value
 *     VIOLATES_A_MUST      a sentence of a specification says otherwise
 *     VIOLATES_A_READING   the sentence leaves room; our reading of it, stated with the rule, says
 *                          otherwise
 *     PERMITTED_DIVERGENCE the documents leave it open, so it is not a defect
 *     UNTRIAGED            its class is not decided yet; written by run --write-expectations
 *
 * SILENT_WRONG_RESULT and VIOLATES_A_MUST need a finding, whose record has a reproduction without
 * our runtime. */
#define CNF_CLASSES(CLASS)                                                                         \
    CLASS(SILENT_WRONG_RESULT, "silent-wrong-result", "silent wrong result")                       \
    CLASS(CRASH_OR_HANG, "crash-or-hang", "crash or hang")                                         \
    CLASS(VIOLATES_A_MUST, "violates-a-must", "violates a must")                                   \
    CLASS(VIOLATES_A_READING, "violates-a-reading", "violates a must, in our reading")             \
    CLASS(PERMITTED_DIVERGENCE, "permitted-divergence",                                            \
          "permitted divergence, left open by the "                                                \
          "documents")                                                                             \
    CLASS(UNTRIAGED, "untriaged", "not triaged")

typedef enum cnf_class {
#define CNF_CLASS_ENUM(class, word, text) CNF_CLASS_##class,
    CNF_CLASSES(CNF_CLASS_ENUM)
#undef CNF_CLASS_ENUM
        CNF_CLASS_COUNT
} cnf_class;

/* The text for people of the class with the given word; empty for an unknown word. */
const char *cnf_class_text(rt_text word);

/* The state of an entry after a run. */
typedef enum cnf_entry_state {
    CNF_ENTRY_NOT_JUDGED,
    CNF_ENTRY_JUDGED,
    CNF_ENTRY_OTHER_DRIVER, /* `note` holds the driver's text */
    CNF_ENTRY_OTHER_FOLDER, /* `note` holds the path of a scenario of the run that ends like that of
                             * the entry, or the entry's ends like it */
    CNF_ENTRY_NO_SCENARIO,  /* of a folder that --expectations named: not known to be a mistake */
    CNF_ENTRY_UNUSED,       /* `note` holds the reason and the remedy; fails the run */
} cnf_entry_state;

typedef struct cnf_expectation {
    rt_text file; /* its name in messages */
    scn_position at;
    rt_text subject, scenario;
    rt_text signature;      /* empty: any */
    cnf_verdict verdict;    /* CNF_VERDICT_COUNT: any */
    const rt_text *poisons; /* names of memories */
    uint32_t poison_count;
    rt_text driver;   /* empty: any */
    rt_text versions; /* "FROM..TO"; empty: any */
    bool is_flaky;
    uint32_t bound_percent; /* of a flaky entry */
    rt_text since;          /* "2026-11-28"; may be empty */
    cnf_class class;
    rt_text reason, reference; /* reference may be empty */
    rt_text finding;           /* "COMPONENT/ID"; empty: none */
    cnf_entry_state state;
    rt_text note;
} cnf_expectation;

/* All entries read. Zero-initialise it; freed by cnf_expectations_free. */
typedef struct cnf_expectations {
    rt_arena arena;
    RT_VECTOR(cnf_expectation) entries; /* by file, in the order of the file */
} cnf_expectations;

/* Reads expectations/NAME.yaml under every root of the files, and NAME.yaml in every given folder,
 * where NAME is a subject's name, and the records of findings/ in the same folders, which all
 * entries may name; for files from a pack, reads the pack's entries. `subjects` are the known
 * subjects; entries of the one named `deterministic` must not be flaky. Returns false if a file has
 * a mistake, after appending lines "FILE:LINE:COLUMN: error: …" to out_problems. */
bool cnf_expectations_read(cnf_expectations *expectations, const cnf_files *files,
                           const rt_text *folders, uint32_t folder_count, const rt_text *subjects,
                           uint32_t subject_count, rt_text deterministic, rt_buffer *out_problems);

/* Appends the entries about the files' scenarios in the format of packs. */
void cnf_expectations_pack(rt_buffer *out, const cnf_expectations *expectations,
                           const cnf_files *files);

/* Adds the entries written by cnf_expectations_pack; texts point into `packed`. An entry about a
 * scenario that is not among the files keeps its initial state. MALFORMED: the pack is damaged or
 * has another version; the entries before the fault have been added. */
RT_MUST_USE rt_status cnf_expectations_unpack(rt_sink *sink, cnf_expectations *expectations,
                                              rt_bytes packed);

/* Frees all entries and their texts. */
void cnf_expectations_free(cnf_expectations *expectations);

/* The entries that were applied to a scenario on a subject. The judgement keeps its signature and
 * message; its verdict is replaced, and its failures name the entries that cover them. */
typedef struct cnf_known {
    rt_text entry;     /* FILE:LINE of the first entry; empty: no entry applied, and the rest is
                        * unset */
    cnf_verdict seen;  /* the verdict before the entries were applied */
    rt_text class;     /* word of the most serious class, such as "permitted-divergence" */
    rt_text reason;    /* the entries' reasons, each once, a line per reason */
    rt_text reference; /* the deciding rules or documents; may be empty */
    rt_text finding;   /* the ids of the findings, separated by ", "; may be empty */
    rt_text failure;   /* the expected failures, separated by ", ": each a signature, a verdict's
                        * word, or both, separated by a blank */
} cnf_known;

/* Finds the entries for a judged scenario. If there are any, replaces the verdict with XFAIL, XPASS
 * or XFAIL_MISMATCH; it must not be one of these already. Records the states of entries. Texts of
 * *out_known live as long as the expectations. */
void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known);

/* True if an entry is about the scenario on the subject or, for one with driver options or
 * settings, on the bare subject, whatever the driver. */
bool cnf_expectations_has(const cnf_expectations *expectations, rt_text scenario, rt_text subject);

/* True if the text matches the pattern, in which `*` matches any characters. */
bool cnf_pattern_matches(rt_text pattern, rt_text text);

/* Appends a line for each unused entry. */
void cnf_expectations_unused_write(rt_buffer *out, const cnf_expectations *expectations);

/* Appends a line for each entry whose path seems to begin in another folder than those of the run,
 * and for each entry about another driver or, without `is_each`, each file with such entries. */
void cnf_expectations_others_write(rt_buffer *out, const cnf_expectations *expectations,
                                   bool is_each);

/* The number of unused entries. */
uint32_t cnf_expectations_unused(const cnf_expectations *expectations);

#endif
