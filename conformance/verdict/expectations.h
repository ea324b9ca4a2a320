/* Expectation files: the known failures of a subject, and their reasons.
 *
 *     assay_expectations: 1
 *     subject: pocl
 *     entries:
 *       - scenario: device/runaway.yaml     # path from the scenarios' root
 *         signature: "step0:timeout:-:-"    # this or a verdict is needed; with both, both hold
 *         verdict: TIMEOUT                  # CRASH, TIMEOUT or HANG
 *         driver: "3.1"                     # a part of the driver's text; absent: every driver
 *         class: crash-or-hang
 *         reason: One or two sentences.
 *         reference: DL-RESOLVE-09          # the rule or document that decides; optional
 *         reproduction: runaway.c           # in the same folder; does not use our runtime
 *
 * The scenario runs regardless. Its verdict is XFAIL if it fails as its entry predicts,
 * XFAIL_MISMATCH if it fails in another way, and XPASS if it does not fail. An entry whose scenario
 * is skipped or does not exist is unused, and an unused entry fails the run. A scenario that did
 * not run proves nothing about its entry: it was not selected, its subject did not take part, its
 * verdict is UNAVAILABLE, NOT_RUN or POISONED, or the driver is another one.
 *
 * There is at most one entry for a scenario, subject and driver text; if the texts of several
 * entries are part of the driver's text, the longest applies.
 *
 * A subject with driver options, "pocl{A=1}", is a separate subject with its own file, whose
 * `subject:` has that name. If it has no entry for a scenario, the entry of the bare subject
 * excuses exactly the failure that it names; any other result with the options is judged as if
 * there were no entry. Source: docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_EXPECTATIONS_H
#define CONFORMANCE_VERDICT_EXPECTATIONS_H

#include "conformance/process/files.h"
#include "conformance/verdict/verdict.h"
#include "reference/base/vector.h"

/* class, word in files and records, text for people
 *
 *     VIOLATES_A_MUST      needs a reproduction without our runtime
 *     PERMITTED_DIVERGENCE the documents leave it open, so it is not a defect */
#define CNF_CLASSES(CLASS)                                                                         \
    CLASS(VIOLATES_A_MUST, "violates-a-must", "violates a must")                                   \
    CLASS(CRASH_OR_HANG, "crash-or-hang", "crash or hang")                                         \
    CLASS(PERMITTED_DIVERGENCE, "permitted-divergence",                                            \
          "permitted divergence, left open by the "                                                \
          "documents")

typedef enum cnf_class {
#define CNF_CLASS_ENUM(class, word, text) CNF_CLASS_##class,
    CNF_CLASSES(CNF_CLASS_ENUM)
#undef CNF_CLASS_ENUM
        CNF_CLASS_COUNT
} cnf_class;

/* The text for a class's word; empty for an unknown word. */
const char *cnf_class_text(rt_text word);

/* The state of an entry after a run. */
typedef enum cnf_entry_state {
    CNF_ENTRY_NOT_JUDGED,
    CNF_ENTRY_JUDGED,
    CNF_ENTRY_OTHER_DRIVER, /* `note` holds the driver's text */
    CNF_ENTRY_UNUSED,       /* `note` holds the reason; fails the run */
} cnf_entry_state;

typedef struct cnf_expectation {
    rt_text file; /* as messages name it */
    scn_position at;
    rt_text subject, scenario;
    rt_text signature;   /* empty: any */
    cnf_verdict verdict; /* CNF_VERDICT_COUNT: any */
    rt_text driver;      /* empty: any */
    cnf_class class;
    rt_text reason, reference, reproduction; /* the last two may be empty */
    cnf_entry_state state;
    rt_text note;
} cnf_expectation;

/* All entries read. Zero-initialise it; freed by cnf_expectations_free. */
typedef struct cnf_expectations {
    rt_arena arena;
    RT_VECTOR(cnf_expectation) entries; /* by file, in the order of the file */
} cnf_expectations;

/* Reads expectations/NAME.yaml of every root of the files, and NAME.yaml of every folder, where
 * NAME is a subject's; for a pack's files, the entries of the pack. `subjects` are the known
 * subjects. Returns false if a file has a mistake, after appending lines "FILE:LINE:COLUMN: error:
 * …" to out_problems. */
bool cnf_expectations_read(cnf_expectations *expectations, const cnf_files *files,
                           const rt_text *folders, uint32_t folder_count, const rt_text *subjects,
                           uint32_t subject_count, rt_buffer *out_problems);

/* Appends the entries about the files' scenarios in the format of packs. */
void cnf_expectations_pack(rt_buffer *out, const cnf_expectations *expectations,
                           const cnf_files *files);

/* Adds the entries written by cnf_expectations_pack; texts point into `packed`. An entry about a
 * scenario that is not among the files keeps its initial state. MALFORMED. */
RT_MUST_USE rt_status cnf_expectations_unpack(rt_sink *sink, cnf_expectations *expectations,
                                              rt_bytes packed);

/* Frees everything that was read. */
void cnf_expectations_free(cnf_expectations *expectations);

/* The entry that was applied to a scenario on a subject. The judgement keeps its signature and
 * message; only its verdict is replaced. */
typedef struct cnf_known {
    rt_text entry;     /* FILE:LINE of the entry; empty: none applied, and the rest is unset */
    cnf_verdict seen;  /* the verdict before the entry was applied */
    rt_text class;     /* word of the entry's class: "permitted-divergence", … */
    rt_text reason;    /* the entry's sentences */
    rt_text reference; /* the rule or document that decides; may be empty */
    rt_text failure;   /* the expected failure: a signature, a verdict's word, or both separated by
                        * a blank */
} cnf_known;

/* Finds the entry for a judged scenario. If there is one, replaces the verdict by XFAIL, XPASS or
 * XFAIL_MISMATCH; the verdict must not be one of these before. Records the states of entries. Texts
 * of *out_known live as long as the expectations. */
void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known);

/* Appends a line for each unused entry and each entry for another driver. */
void cnf_expectations_write(rt_buffer *out, const cnf_expectations *expectations);

/* True if no entry is unused. */
bool cnf_expectations_hold(const cnf_expectations *expectations);

#endif
