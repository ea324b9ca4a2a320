/* The parts of a record that several reports print. */
#include "conformance/report/record_text.h"

#include "reference/base/lines.h"

void cnf_indented_write(rt_buffer *out, const char *indent, rt_text text)
{
    for (rt_text line; rt_line_take(&text, &line);)
        rt_buffer_printf(out, "%s%.*s\n", indent, RT_TEXT_ARG(line));
}

void cnf_field_write(rt_buffer *out, const char *label, rt_text value)
{
    if (value.length > 0) rt_buffer_printf(out, "  %s: %.*s\n", label, RT_TEXT_ARG(value));
}

void cnf_attempts_write(rt_buffer *out, const cnf_judgement *judgement)
{
    enum { LISTED_MAX = 10 };
    const uint32_t count = judgement->attempt_count;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++)
        failed += cnf_verdict_effect(judgement->attempts[i].verdict) == CNF_EFFECT_UNEXPECTED;
    if (count == 0) return;
    rt_buffer_printf(out, "  attempts: %u of %u failed:", failed, count);
    for (uint32_t i = 0; i < count && i < LISTED_MAX; i++)
        rt_buffer_printf(out, "%s %s", i > 0 ? "," : "",
                         cnf_verdict_word(judgement->attempts[i].verdict));
    rt_buffer_printf(out, count > LISTED_MAX ? ", …\n" : "\n");
}

void cnf_device_write(rt_buffer *out, const char *indent, const cnf_record *record)
{
    if (record->device.length == 0) return;
    rt_buffer_printf(out, "%sdevice: %.*s (%.*s)\n", indent, RT_TEXT_ARG(record->device),
                     RT_TEXT_ARG(record->driver));
}

uint32_t cnf_row_end(const cnf_record *records, uint32_t record_count, uint32_t first)
{
    CHECK(first < record_count);
    uint32_t end = first + 1;
    while (end < record_count && rt_text_equal(records[end].scenario, records[first].scenario))
        end++;
    CHECK(end > first && end <= record_count);
    return end;
}

const cnf_record *cnf_row_cell(const cnf_record *records, uint32_t count, rt_text subject)
{
    CHECK(count > 0);
    const cnf_record *cell = NULL;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(rt_text_equal(records[i].scenario, records[0].scenario));
        if (rt_text_equal(records[i].subject, subject) || !cnf_record_has_subject(&records[i]))
            cell = &records[i];
    }
    return cell;
}
