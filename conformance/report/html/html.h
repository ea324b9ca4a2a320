/* The report of a run as one HTML page that needs no network.
 *
 * The page contains each piece of data once, as JSON: an index of records and rules, and for each
 * scenario its data, which is decoded only when the scenario is opened. The page itself (page.html,
 * page.css and the scripts next to it, joined into one) is embedded in the program at build time;
 * the policy in its head allows only this script, by its hash, and no network access. Text from
 * scenarios, drivers and device code is inserted as text, never as markup; pictures are parsed as
 * XML, and everything executable is removed from them. Source: HTML Standard, "4.12.1.3
 * Restrictions for contents of script elements"; Content Security Policy Level 3. */
#ifndef CONFORMANCE_REPORT_HTML_HTML_H
#define CONFORMANCE_REPORT_HTML_HTML_H

#include "conformance/report/matrix.h"
#include "conformance/requirements/rules.h"
#include "conformance/run/run.h"

/* The data of a page, collected while scenarios run. */
typedef struct cnf_html cnf_html;

/* Creates an empty page; free it with cnf_html_free, which ignores NULL. `oracle` is the subject
 * whose pictures are preferred; it is borrowed. */
cnf_html *cnf_html_create(rt_text oracle);
void cnf_html_free(cnf_html *html);

/* Keeps the data that a record is based on: the scenario's text, checks, trace, OpenCL calls and
 * graphs. */
void cnf_html_note(cnf_html *html, const cnf_record *record, const cnf_run_detail *detail);

/* Takes the data of all scenarios from a page that was written earlier, in addition to what is
 * there: several pages may be about different subjects of a scenario. MALFORMED: it is not such a
 * page. */
RT_MUST_USE rt_status cnf_html_adopt(rt_sink *sink, cnf_html *html, rt_text page);

/* The rest of the page's input; borrowed. */
typedef struct cnf_html_run {
    cnf_report *report;        /* every record; sorted by the writer */
    const cnf_column *columns; /* the columns of the matrix */
    uint32_t column_count;
    const cnf_files *files; /* read again for records without cnf_html_note */
    const cnf_rules *rules; /* NULL: no table of rules */
    rt_text version;        /* of assay */
    rt_text conditions;     /* options of the run, as in its records */
    rt_text command;        /* the command line of the run; may be empty */
    double seconds;         /* duration of the run */
    uint32_t job_count;     /* number of pictures drawn in parallel, >= 1 */
} cnf_html_run;

/* Appends the page. Graphviz draws the graphs; if it is missing or fails for a graph, the page
 * shows the reason instead of the picture. */
void cnf_html_write(cnf_html *html, const cnf_html_run *run, rt_buffer *out);

#endif
