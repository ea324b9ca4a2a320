/* A SARIF 2.1.0 document of one run of assay: what reports of scenarios and of programs share.
 * Bytes that are not UTF-8 become U+FFFD.
 * Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0. */
#ifndef CONFORMANCE_REPORT_SARIF_DOCUMENT_H
#define CONFORMANCE_REPORT_SARIF_DOCUMENT_H

#include "conformance/json/json.h"

/* The descriptors of the rules to which results refer by index, and the results; both are arrays
 * that the document owns until cnf_sarif_document_write. */
typedef struct cnf_sarif_document {
    json_t *descriptors, *results;
} cnf_sarif_document;

/* An empty document. */
cnf_sarif_document cnf_sarif_document_make(void);

/* Finds the descriptor with this id, or adds it; returns its index. *out_new is the added
 * descriptor, borrowed, to be completed by the caller, or NULL. */
size_t cnf_sarif_rule(cnf_sarif_document *document, rt_text id, json_t **out_new);

/* A message object; the path as a URI reference (RFC 3986), "file:" for an absolute path; a place
 * in a file, whole if the line is 0; the suppressions of a result, with their reason. All are new
 * references. */
json_t *cnf_sarif_message(rt_text text);
json_t *cnf_sarif_uri(rt_text path);
json_t *cnf_sarif_place(rt_text path, uint32_t line, uint32_t column);
json_t *cnf_sarif_suppressions(rt_text reason);

/* Appends the document, whose arrays are consumed. `version` is assay's. */
void cnf_sarif_document_write(rt_buffer *out, cnf_sarif_document *document, rt_text version);

#endif
