/* The report of a run as one page of HTML that needs no network.
 *
 * Everything that the page shows is in it once, as JSON: an index of records and rules, and for
 * each scenario what is only looked at when it is opened.  The page itself (page.html, page.css and
 * the scripts beside it) is put into the program when that is built; a policy in its head forbids
 * the browser every script but that one, by its hash, and all network.  Content from
 * scenarios, drivers or device code is text to it, never markup; pictures are parsed as XML and
 * lose what could run. Source: HTML Standard, "4.12.1.3 Restrictions for contents of script
 * elements"; Content Security Policy Level 3. */
#ifndef CONFORMANCE_REPORT_HTML_HTML_H
#define CONFORMANCE_REPORT_HTML_HTML_H

#include "conformance/report/matrix.h"
#include "conformance/requirements/rules.h"
#include "conformance/run/run.h"

/* What a page is made of, gathered while scenarios run. */
typedef struct cnf_html cnf_html;

/* Makes an empty one, which cnf_html_free frees (NULL does nothing).  `oracle` is the subject whose
 * pictures are preferred, borrowed. */
cnf_html *cnf_html_create(rt_text oracle);
void cnf_html_free(cnf_html *html);

/* Keeps what a record comes from: the scenario's text, checks, trace, calls of OpenCL, graphs. */
void cnf_html_note(cnf_html *html, const cnf_record *record, const cnf_run_detail *detail);

/* What else the page says; borrowed. */
typedef struct cnf_html_run {
    cnf_report *report;        /* every record; sorted by the writer */
    const cnf_column *columns; /* of the matrix */
    uint32_t column_count;
    const cnf_files *files; /* scenarios of records that nothing was noted of are read again */
    const cnf_rules *rules; /* NULL: there is no table of them */
    rt_text version;        /* of assay */
    rt_text conditions;     /* of the run, as records have them */
    uint32_t job_count;     /* pictures drawn at once, >= 1 */
} cnf_html_run;

/* Appends the page.  Graphs are drawn by Graphviz; where it is missing, or fails on one of them,
 * the page says so in the picture's place. */
void cnf_html_write(cnf_html *html, const cnf_html_run *run, rt_buffer *out);

#endif
