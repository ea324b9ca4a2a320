/* Expectation files: what is known to go wrong on a subject, and why.
 *
 *     assay_expectations: 1
 *     subject: pocl
 *     entries:
 *       - scenario: device/runaway.yaml     # path from the scenarios' root
 *         signature: "step0:timeout:-:-"    # one of these two is needed; with both, both must hold
 *         verdict: TIMEOUT                  # CRASH, TIMEOUT or HANG
 *         driver: "3.1"                     # a part of the driver's text; absent: every driver
 *         class: crash-or-hang
 *         reason: One or two sentences.
 *         reference: DL-RESOLVE-09          # the rule or document that decides; may be absent
 *         reproduction: runaway.c           # beside this file, without our runtime
 *
 * The scenario runs all the same.  One that fails as its entry says is XFAIL, one that fails
 * otherwise XFAIL_MISMATCH, one that does not fail XPASS.  An entry whose scenario is skipped, or
 * is not there at all, is unused, and an unused entry fails the run.  What did not run proves
 * nothing about an entry: a scenario that is not selected, a subject that takes no part, is
 * UNAVAILABLE, NOT_RUN or POISONED, another driver.
 *
 * There is at most one entry for a scenario, subject and driver text; of several that are part of
 * the driver's text the longest is meant.
 *
 * A subject with driver options, "pocl{A=1}", is a subject of its own, with a file's `subject:` of
 * that name.  Where it has no entry for a scenario, the entry of the bare subject excuses the very
 * failure that it names; what passes or fails otherwise with the options is judged as though there
 * were no entry.  Source: docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_EXPECTATIONS_H
#define CONFORMANCE_VERDICT_EXPECTATIONS_H

#include "conformance/process/files.h"
#include "conformance/verdict/verdict.h"
#include "reference/base/vector.h"

/* class, word in files and records, what people read
 *
 * VIOLATES_A_MUST      needs a reproduction without our runtime
 * PERMITTED_DIVERGENCE the documents leave it open: it is never called a defect */
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

/* What people read for a class's word; empty for a word that is none. */
const char *cnf_class_text(rt_text word);

/* What became of an entry in a run. */
typedef enum cnf_entry_state {
    CNF_ENTRY_NOT_JUDGED,
    CNF_ENTRY_JUDGED,
    CNF_ENTRY_OTHER_DRIVER, /* `note` is the driver's text */
    CNF_ENTRY_UNUSED,       /* `note` says why; fails the run */
} cnf_entry_state;

typedef struct cnf_expectation {
    rt_text file; /* as messages name it */
    scn_position at;
    rt_text subject, scenario;
    rt_text signature;   /* empty: any */
    cnf_verdict verdict; /* CNF_VERDICT_COUNT: any */
    rt_text driver;      /* empty: every one */
    cnf_class class;
    rt_text reason, reference, reproduction; /* the last two may be empty */
    cnf_entry_state state;
    rt_text note;
} cnf_expectation;

/* Every entry that was read.  Zero-initialise it, and free it. */
typedef struct cnf_expectations {
    rt_arena arena;
    RT_VECTOR(cnf_expectation) entries; /* by file, in its order */
} cnf_expectations;

/* Reads expectations/NAME.yaml of every root that the files lie under, and NAME.yaml of every
 * folder, where NAME is the subject's; where the files are a pack's, the entries of the pack.
 * `subjects` are the subjects that there are.  False: some file is wrong, and lines
 * "FILE:LINE:COLUMN: error: …" have been appended to out_problems. */
bool cnf_expectations_read(cnf_expectations *expectations, const cnf_files *files,
                           const rt_text *folders, uint32_t folder_count, const rt_text *subjects,
                           uint32_t subject_count, rt_buffer *out_problems);

/* Appends the entries about scenarios that the files are, as a pack has them. */
void cnf_expectations_pack(rt_buffer *out, const cnf_expectations *expectations,
                           const cnf_files *files);

/* Adds the entries that cnf_expectations_pack wrote; texts point into `packed`.  An entry about a
 * scenario that is not among the files stays not judged.  MALFORMED. */
RT_MUST_USE rt_status cnf_expectations_unpack(rt_sink *sink, cnf_expectations *expectations,
                                              rt_bytes packed);

/* Frees everything that was read. */
void cnf_expectations_free(cnf_expectations *expectations);

/* What an entry says about a scenario on a subject.  The judgement beside it keeps the signature
 * and message of what was seen; only its verdict is another. */
typedef struct cnf_known {
    rt_text entry;     /* FILE:LINE of the entry that was applied; empty: none, and nothing below */
    cnf_verdict seen;  /* the verdict before the entry was applied */
    rt_text class;     /* word of the entry's class: "permitted-divergence", … */
    rt_text reason;    /* its sentences */
    rt_text reference; /* which rule or document decides; may be empty */
    rt_text failure;   /* what it expects: a signature, a verdict's word, or both with a blank */
} cnf_known;

/* Looks for the entry about a judged scenario, and makes XFAIL, XPASS or XFAIL_MISMATCH of the
 * verdict, which is none of these, where there is one.  Remembers what became of the entries.
 * Texts of *out_known live as long as the expectations. */
void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known);

/* Appends a line for each unused entry and each that was made for another driver. */
void cnf_expectations_write(rt_buffer *out, const cnf_expectations *expectations);

/* True when no entry is unused. */
bool cnf_expectations_hold(const cnf_expectations *expectations);

#endif
