/* The keys of the lines are those of opencl/report.c. */
#include "conformance/cli/exec_report.h"

#include "conformance/report/sarif_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cnf_exec_report_read(const char *path, cnf_exec_report *out_report)
{
    *out_report = (cnf_exec_report){.lines = cnf_json_checked(json_array())};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t length; file && (length = getline(&line, &capacity, file)) > 0;) {
        json_t *value = json_loadb(line, (size_t)length, 0, NULL);
        if (!json_is_object(value)) {
            json_decref(value);
            continue;
        }
        bool is_suppressed = json_object_get(value, "suppressed_by") != NULL;
        cnf_json_append(out_report->lines, value);
        out_report->count += !is_suppressed;
        out_report->suppressed_count += is_suppressed;
    }
    free(line); /* allocated by the C library */
    if (file) fclose(file);
}

void cnf_exec_report_free(cnf_exec_report *report)
{
    json_decref(report->lines);
    *report = (cnf_exec_report){0};
}

/* A text of a line; empty if it lacks the key. */
static rt_text text_of(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    if (!json_is_string(value)) return (rt_text){0};
    return (rt_text){json_string_value(value), json_string_length(value)};
}

static uint32_t number_of(const json_t *line, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(line, key));
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

void cnf_exec_report_unused(const cnf_exec_report *report, const cnf_suppressions *suppressions,
                            rt_buffer *out)
{
    for (uint32_t i = 0; i < suppressions->count; i++) {
        const cnf_suppression *item = &suppressions->items[i];
        bool is_used = false;
        for (size_t k = 0; !is_used && k < json_array_size(report->lines); k++)
            is_used = rt_text_equal(text_of(json_array_get(report->lines, k), "suppressed_by"),
                                    item->entry);
        if (!is_used)
            rt_buffer_printf(out, "%.*s:%u: warning: the entry has matched no finding\n",
                             RT_TEXT_ARG(item->entry), item->at.column);
    }
}

/* ---- SARIF --------------------------------------------------------------------------------- */

static size_t class_index(cnf_sarif_document *document, rt_text class)
{
    json_t *added;
    size_t index = cnf_sarif_rule(document, class, &added);
    const char *word, *description;
    for (uint32_t i = 0; added && (word = cnf_finding_class(i, &description)); i++)
        if (rt_text_is(class, word))
            cnf_json_set(added, "shortDescription", cnf_sarif_message(rt_text_of(description)));
    return index;
}

/* Where a finding is: in a kernel's source, whose line is quoted, and in the program's code, which
 * is known as "clFinish at program+0x12". */
static json_t *locations_json(const json_t *line)
{
    json_t *location = cnf_json_checked(json_object());
    rt_text source = text_of(line, "source"), quoted = text_of(line, "text");
    if (source.length > 0) {
        json_t *place = cnf_sarif_place(source, number_of(line, "line"), number_of(line, "column"));
        json_t *region = json_object_get(place, "region");
        if (region && quoted.length > 0) cnf_json_set(region, "snippet", cnf_sarif_message(quoted));
        cnf_json_set(location, "physicalLocation", place);
    }
    json_t *logical = cnf_json_checked(json_array());
    const struct {
        const char *key, *kind;
    } rows[] = {{"kernel", "function"}, {"call", "function"}, {"other_call", "function"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text name = text_of(line, rows[i].key);
        if (name.length == 0) continue;
        cnf_json_append(logical,
                        cnf_json_checked(json_pack("{s:o, s:s}", "fullyQualifiedName",
                                                   cnf_json_text(name), "kind", rows[i].kind)));
    }
    cnf_json_set(location, "logicalLocations", logical);
    return cnf_json_checked(json_pack("[o]", location));
}

static json_t *result_json(cnf_sarif_document *document, const json_t *line)
{
    rt_text class = text_of(line, "finding"), by = text_of(line, "suppressed_by");
    rt_buffer text = {0};
    rt_buffer_append_text(&text, text_of(line, "message"));
    rt_text call = text_of(line, "call");
    if (call.length > 0) rt_buffer_printf(&text, "\nin %.*s", RT_TEXT_ARG(call));
    json_t *result = cnf_json_checked(json_pack(
        "{s:o, s:I, s:s, s:o, s:o}", "ruleId", cnf_json_text(class), "ruleIndex",
        (json_int_t)class_index(document, class), "level", by.length > 0 ? "note" : "error",
        "message", cnf_sarif_message(rt_buffer_text(&text)), "locations", locations_json(line)));
    rt_buffer_free(&text);
    if (by.length > 0)
        cnf_json_set(result, "suppressions", cnf_sarif_suppressions(text_of(line, "reason")));
    return result;
}

void cnf_exec_report_sarif(const cnf_exec_report *report, rt_text version, rt_buffer *out)
{
    cnf_sarif_document document = cnf_sarif_document_make();
    for (size_t i = 0; i < json_array_size(report->lines); i++)
        cnf_json_append(document.results, result_json(&document, json_array_get(report->lines, i)));
    cnf_sarif_document_write(out, &document, version);
}
