/* Declarations shared by the files of this folder; private to it. */
#ifndef CONFORMANCE_REPORT_HTML_HTML_INTERNAL_H
#define CONFORMANCE_REPORT_HTML_HTML_INTERNAL_H

#include "conformance/report/html/html.h"
#include "reference/base/map.h"

#include <jansson.h>

/* The output of `assay explain` and `assay trace` for one run. */
typedef struct html_drawing {
    rt_text subject;  /* empty: there is no drawing */
    rt_text dot;      /* the graph in Graphviz's DOT language */
    rt_text words;    /* the explanation as text */
    rt_text timeline; /* SVG; empty if nothing ran */
    rt_text graph;    /* SVG; empty unless it has been drawn */
    rt_text problem;  /* why the graph could not be drawn */
} html_drawing;

/* The data of one scenario. Texts are in the page's arena; the JSON values are owned. */
typedef struct html_scenario {
    rt_text path, summary, source;
    json_t *covers;      /* [[rule, id of the step or ""], …] */
    json_t *events;      /* [[line, number that equal events share], …], each line once */
    rt_map lines, keys;  /* line -> index in events; key -> number */
    json_t *oracle;      /* indices of the oracle's events; NULL: it sent no trace */
    json_t *subjects;    /* name -> object of html_detail_json */
    html_drawing shared; /* the oracle's; if there is none, that of the subject with the most data
                          */
    json_t *adopted; /* drawings of other pages, as html_drawings_json writes them; NULL: none */
    RT_VECTOR(html_drawing) deviating; /* drawings of subjects for which html_is_wrong is true */
} html_scenario;

struct cnf_html {
    rt_arena arena;
    rt_text oracle;
    RT_VECTOR(html_scenario) scenarios;
    rt_map paths;
};

/* Finds the scenario with this path, or adds it (html.c). */
html_scenario *html_scenario_of(cnf_html *html, rt_text path);

/* True if the verdict needs an explanation: it is unexpected, or a known failure (html.c). */
bool html_is_wrong(const cnf_record *record);

/* Keeps a scenario's text and, if the model could be read, its title and the rules that it covers
 * (html.c). */
void html_scenario_describe(cnf_html *html, html_scenario *scenario, rt_text source,
                            const scn_scenario *model);

/* ---- detail.c: one verdict ----------------------------------------------------------------- */

/* Empty members are left out of the object:
 *
 *   {"checks": [[word, line, text], …], "trace": [index, …], "part": index, or -1 if equal,
 *    "log": [line, …], "log_note": text} */
json_t *html_detail_json(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                         const cnf_run_detail *detail);

/* ---- drawing.c: pictures ------------------------------------------------------------------- */

/* Keeps the input of the scenario's pictures. */
void html_drawing_note(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                       const cnf_run_detail *detail);

/* Draws all graphs. Returns, in the arena, the reason why Graphviz could not be started; empty if
 * it could. */
rt_text html_drawings_draw(cnf_html *html, uint32_t job_count);

/* The drawings of a scenario as JSON, the shared drawing first. */
json_t *html_drawings_json(const html_scenario *scenario);

#endif
