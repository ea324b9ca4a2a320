/* The parts of a SARIF document that do not depend on what the results are about. */
#include "conformance/report/sarif_document.h"

#include <ctype.h>
#include <string.h>

cnf_sarif_document cnf_sarif_document_make(void)
{
    return (cnf_sarif_document){cnf_json_checked(json_array()), cnf_json_checked(json_array())};
}

size_t cnf_sarif_rule(cnf_sarif_document *document, rt_text id, json_t **out_new)
{
    size_t count = json_array_size(document->descriptors);
    *out_new = NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(document->descriptors, i);
        if (rt_text_is(id, json_string_value(json_object_get(row, "id")))) return i;
    }
    *out_new = cnf_json_checked(json_object());
    cnf_json_set(*out_new, "id", cnf_json_text(id));
    cnf_json_append(document->descriptors, *out_new);
    CHECK(json_array_size(document->descriptors) == count + 1);
    return count;
}

json_t *cnf_sarif_message(rt_text text)
{
    return cnf_json_checked(json_pack("{s:o}", "text", cnf_json_text(text)));
}

json_t *cnf_sarif_uri(rt_text path)
{
    rt_buffer uri = {0};
    if (rt_text_starts(path, "/")) rt_buffer_printf(&uri, "file://");
    for (size_t i = 0; i < path.length; i++) {
        unsigned char byte = (unsigned char)path.data[i];
        bool plain = byte != '\0' && byte < 0x80 && (isalnum(byte) || strchr("-._~/", byte));
        rt_buffer_printf(&uri, plain ? "%c" : "%%%02X", byte);
    }
    json_t *text = cnf_json_text(rt_buffer_text(&uri));
    rt_buffer_free(&uri);
    return text;
}

json_t *cnf_sarif_place(rt_text path, uint32_t line, uint32_t column)
{
    json_t *place =
        cnf_json_checked(json_pack("{s:{s:o}}", "artifactLocation", "uri", cnf_sarif_uri(path)));
    /* SARIF counts lines and columns from 1; a result about the whole file has no region. */
    if (line == 0) return place;
    json_t *region = cnf_json_checked(json_pack("{s:I}", "startLine", (json_int_t)line));
    if (column > 0)
        cnf_json_set(region, "startColumn", cnf_json_checked(json_integer((json_int_t)column)));
    cnf_json_set(place, "region", region);
    return place;
}

json_t *cnf_sarif_suppressions(rt_text reason)
{
    return cnf_json_checked(json_pack("[{s:s, s:s, s:o}]", "kind", "external", "status", "accepted",
                                      "justification", cnf_json_text(reason)));
}

void cnf_sarif_document_write(rt_buffer *out, cnf_sarif_document *document, rt_text version)
{
    CHECK(json_array_size(document->descriptors) <= json_array_size(document->results));
    json_t *whole = cnf_json_checked(
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o, s:o}}, s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "assay", "version", cnf_json_text(version), "rules",
                  document->descriptors, "results", document->results));
    *document = (cnf_sarif_document){0};
    cnf_json_write(out, whole, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    rt_buffer_append_byte(out, '\n');
}
