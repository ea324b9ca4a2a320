/* Queries on a table of rules. */
#include "conformance/requirements/rules.h"

#include <string.h>

/* The documents that the table's texts cite. */
static const struct document_row {
    const char *text, *name;
} document_rows[] = {
    {"000", "SharedLibraries.md, older text"},
    {"001", "KernelFusionJIT.md"},
    {"002", "DeviceGlobal.md"},
    {"003", "SharedLibraries.md"},
    {"004", "VirtualFunctions.md"},
};

void cnf_rule_source_print(rt_buffer *out, const cnf_rule *rule)
{
    static const char section[] = " § ";
    rt_text source = rule->source;
    const char *sign = memmem(source.data, source.length, section, strlen(section));
    for (size_t i = 0; sign && i < sizeof document_rows / sizeof *document_rows; i++) {
        if (!rt_text_starts(source, document_rows[i].text)) continue;
        size_t skipped = (size_t)(sign - source.data) + strlen(section);
        rt_buffer_printf(out, "%s, %.*s", document_rows[i].name, (int)(source.length - skipped),
                         source.data + skipped);
        return;
    }
    rt_buffer_append_text(out, source);
}

uint32_t cnf_rules_find(const cnf_rules *rules, rt_text id)
{
    for (uint32_t i = 0; i < rules->count; i++)
        if (rt_text_equal(rules->items[i].id, id)) return i;
    return UINT32_MAX;
}
