/* The records of findings, to which entries of expectation files refer: findings/COMPONENT.yaml in
 * the folder of the expectation files.
 *
 *     assay_findings: 1
 *     findings:
 *       - id: shuffle-of-doubles        # the entry's `finding:` is COMPONENT/shuffle-of-doubles
 *         title: shuffle of doubles uses more than the lowest bits of a mask element
 *         class: violates-a-must
 *         reference: OpenCL C, "Miscellaneous Vector Functions"
 *         reproduction: {…}
 *         …
 *
 * Entries need the id, the class, the title as their reason, and the reference. The other keys are
 * for people: ci/findings checks them and generates the pages from them, and
 * ci/checks/reproductions runs the reproductions. */
#ifndef CONFORMANCE_VERDICT_FINDINGS_H
#define CONFORMANCE_VERDICT_FINDINGS_H

#include "conformance/scenario/schema/schema.h"
#include "conformance/verdict/expectations.h"

typedef struct cnf_finding {
    rt_text id; /* in a record "ID", and once it has been added to a list "COMPONENT/ID" */
    scn_position at;
    rt_text title, reference;
    cnf_class class;
} cnf_finding;

/* A file of findings. */
typedef struct cnf_finding_file {
    const cnf_finding *findings;
    uint32_t finding_count;
} cnf_finding_file;

/* The word of a class in files and records. */
const char *cnf_class_word(cnf_class class);

/* True if the class says that a value or a behaviour is wrong, which needs a finding. */
bool cnf_class_accuses(cnf_class class);

/* Shapes of values: a cnf_class; a text whose rule ids exist; a cnf_finding_file; an expectation
 * file, for its JSON Schema. */
extern const scn_shape cnf_class_shape, cnf_reference_shape, cnf_finding_file_shape,
    cnf_expectation_file_shape;

/* Checks that a format version is 1, and stores nothing. `key` is the key of the version. */
bool cnf_version_read(scn_reader *reader, const scn_node *node, const char *key);

#endif
