/* Writes entries, and adds them to files. */
#include "conformance/verdict/baseline.h"

#include "conformance/scenario/yaml/yaml.h"
#include "conformance/verdict/interval.h"
#include "conformance/verdict/judge.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { INDENT_DEFAULT = 2 };

/* Appends a text as a YAML scalar, in quotes if it may need them. */
static void scalar_write(rt_buffer *out, rt_text text)
{
    bool is_plain = text.length > 0 && isalnum((unsigned char)text.data[0]);
    for (size_t i = 0; i < text.length && is_plain; i++)
        is_plain = isalnum((unsigned char)text.data[i]) || strchr("_-./", text.data[i]);
    if (is_plain) {
        rt_buffer_append_text(out, text);
        return;
    }
    rt_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '\'') rt_buffer_append_byte(out, '\'');
        rt_buffer_append_byte(out, text.data[i]);
    }
    rt_buffer_append_byte(out, '\'');
}

/* The bound of an entry for a scenario that fails in some attempts and passes in others: the upper
 * end of the interval of its rate, in percent. 0: all attempts failed. */
static uint32_t bound_of(const cnf_judgement *judgement)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < judgement->attempt_count; i++)
        failed += cnf_verdict_effect(judgement->attempts[i].verdict) == CNF_EFFECT_UNEXPECTED;
    if (failed == judgement->attempt_count) return 0;
    return (uint32_t)ceil(100 * cnf_interval_of(failed, judgement->attempt_count).high);
}

uint32_t cnf_baseline_write(rt_buffer *out, size_t indent, const cnf_record *record, rt_text since)
{
    const cnf_judgement *judgement = &record->judgement;
    if (cnf_verdict_effect(judgement->verdict) != CNF_EFFECT_UNEXPECTED ||
        !cnf_verdict_ran(judgement->verdict) || judgement->signature.length == 0 ||
        !cnf_record_has_subject(record) ||
        rt_text_starts(judgement->signature, CNF_STAGE_REPEAT ":"))
        return 0;
    rt_arena arena = {0};
    uint32_t failure_count, count = 0, bound = bound_of(judgement);
    const cnf_failure *failures = cnf_judgement_failures(&arena, judgement, &failure_count);
    for (uint32_t i = 0; i < failure_count; i++) {
        if (failures[i].entry.length > 0) continue;
        rt_buffer_printf(out, "%*s- scenario: ", (int)indent, "");
        scalar_write(out, record->scenario);
        rt_buffer_printf(out, "\n%*s  signature: \"%.*s\"\n", (int)indent, "",
                         RT_TEXT_ARG(failures[i].signature));
        if (bound > 0)
            rt_buffer_printf(out, "%*s  flaky: true\n%*s  bound: %u\n", (int)indent, "",
                             (int)indent, "", bound);
        rt_buffer_printf(out, "%*s  class: untriaged\n", (int)indent, "");
        if (since.length > 0)
            rt_buffer_printf(out, "%*s  since: %.*s\n", (int)indent, "", RT_TEXT_ARG(since));
        count++;
    }
    rt_arena_reset(&arena);
    return count;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* Finds the indentation of the list's items. Returns false, with the reason, if items cannot be
 * added at the end of the file. */
static bool place_find(rt_arena *arena, rt_text contents, rt_text subject, size_t *out_indent,
                       rt_text *out_why)
{
    scn_reporter reporter = {.arena = arena};
    const scn_node *root = scn_yaml_read(&reporter, rt_arena_text(arena, contents));
    (void)scn_reporter_finish(&reporter); /* the problems' texts are in the arena */
    const scn_entry *entries = root ? scn_node_entry(root, "entries") : NULL;
    const scn_entry *about = root ? scn_node_entry(root, "subject") : NULL;
    if (!entries || !about || !scn_node_entry(root, "assay_expectations")) {
        *out_why = RT_TEXT("it is not an expectation file");
        return false;
    }
    if (!rt_text_equal(about->value.text, subject)) {
        *out_why = rt_arena_printf(arena, "its entries are about '%.*s'; name another folder",
                                   RT_TEXT_ARG(about->value.text));
        return false;
    }
    bool is_last = true;
    for (uint32_t i = 0; i < root->count; i++)
        is_last = is_last && root->entries[i].at.line <= entries->at.line;
    rt_text rest = contents, line = {0};
    const scn_node *list = &entries->value;
    for (uint32_t i = 0; list->count > 0 && i < list->items[0].at.line; i++)
        line = rt_text_take_until(&rest, '\n');
    size_t indent = 0;
    while (indent < line.length && line.data[indent] == ' ')
        indent++;
    if (!is_last || indent == line.length || line.data[indent] != '-') {
        *out_why =
            RT_TEXT("'entries' is not its last key, or does not begin with '- ' on a line of "
                    "its own");
        return false;
    }
    *out_indent = indent;
    return true;
}

uint32_t cnf_baseline_add(rt_buffer *out, rt_arena *arena, rt_text contents,
                          const cnf_record *const *records, uint32_t record_count, rt_text since,
                          rt_text *out_why)
{
    CHECK(record_count > 0);
    const rt_text subject = records[0]->subject;
    size_t indent = INDENT_DEFAULT;
    *out_why = (rt_text){0};
    if (contents.length > 0 && !place_find(arena, contents, subject, &indent, out_why)) return 0;
    if (contents.length == 0) {
        rt_buffer_printf(out, "assay_expectations: 1\nsubject: ");
        scalar_write(out, subject);
        rt_buffer_printf(out, "\nentries:\n");
    }
    rt_buffer_append_text(out, contents);
    if (out->data[out->size - 1] != '\n') rt_buffer_append_byte(out, '\n');
    uint32_t count = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        CHECK(rt_text_equal(records[i]->subject, subject));
        count += cnf_baseline_write(out, indent, records[i], since);
    }
    return count;
}
