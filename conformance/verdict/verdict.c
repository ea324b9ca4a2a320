/* The table of verdicts, and the format of signatures. */
#include "conformance/verdict/verdict.h"

#include "reference/base/alloc.h"
#include "reference/base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct verdict_row {
    const char *word;
    cnf_effect effect;
} verdict_rows[] = {
#define VERDICT_ROW(verdict, word, effect) [CNF_VERDICT_##verdict] = {word, CNF_EFFECT_##effect},
    CNF_VERDICTS(VERDICT_ROW)
#undef VERDICT_ROW
};

const char *cnf_verdict_word(cnf_verdict verdict)
{
    CHECK((unsigned)verdict < CNF_VERDICT_COUNT);
    return verdict_rows[verdict].word;
}

cnf_effect cnf_verdict_effect(cnf_verdict verdict)
{
    CHECK((unsigned)verdict < CNF_VERDICT_COUNT);
    return verdict_rows[verdict].effect;
}

cnf_verdict cnf_verdict_find(rt_text word)
{
    for (cnf_verdict verdict = 0; verdict < CNF_VERDICT_COUNT; verdict++)
        if (rt_text_is(word, verdict_rows[verdict].word)) return verdict;
    return CNF_VERDICT_COUNT;
}

bool cnf_verdict_ran(cnf_verdict verdict)
{
    switch (verdict) {
    case CNF_VERDICT_SKIP:
    case CNF_VERDICT_UNAVAILABLE:
    case CNF_VERDICT_INVALID:
    case CNF_VERDICT_NOT_RUN:
    case CNF_VERDICT_POISONED: return false;
    default: return true;
    }
}

/* ---- Signatures ---------------------------------------------------------------------------- */

rt_text cnf_signature(rt_arena *arena, rt_text stage, rt_text class, rt_text code, rt_text place)
{
    CHECK(class.length > 0 && stage.length > 0);
    const rt_text parts[] = {stage, class, code, place};
    enum { PARTS = sizeof parts / sizeof *parts };
    rt_buffer out = {0};
    for (size_t part = 0; part < PARTS; part++) {
        if (part > 0) rt_buffer_append_byte(&out, ':');
        if (parts[part].length == 0) rt_buffer_append_byte(&out, '-');
        for (size_t i = 0; i < parts[part].length; i++) {
            char byte = parts[part].data[i];
            bool safe = isalnum((unsigned char)byte) || (byte != '\0' && strchr("_.+/[]", byte));
            if (safe)
                rt_buffer_append_byte(&out, byte);
            else if (out.size > 0 && out.data[out.size - 1] != '-')
                rt_buffer_append_byte(&out, '-');
        }
    }
    rt_text signature = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return signature;
}

/* ---- Sets of failures ---------------------------------------------------------------------- */

cnf_failure *cnf_judgement_failures(rt_arena *arena, const cnf_judgement *judgement,
                                    uint32_t *out_count)
{
    CHECK(judgement->signature.length > 0);
    bool is_process = judgement->verdict == CNF_VERDICT_CRASH ||
                      judgement->verdict == CNF_VERDICT_TIMEOUT ||
                      judgement->verdict == CNF_VERDICT_HANG;
    const cnf_failure only = {.cause = is_process ? CNF_CAUSE_PROCESS : CNF_CAUSE_CHECK,
                              .signature = judgement->signature,
                              .message = judgement->message,
                              .rule = judgement->rule,
                              .step = judgement->step,
                              .line = judgement->line,
                              .code = judgement->code};
    *out_count = judgement->failure_count > 0 ? judgement->failure_count : 1;
    const cnf_failure *items = judgement->failure_count > 0 ? judgement->failures : &only;
    return rt_arena_copy(arena, items, *out_count, sizeof *items);
}

/* Orders failures by cause, then by step; a failure after the last step has the largest step
 * number. */
static int failure_compare(const void *left, const void *right)
{
    const cnf_failure *a = left, *b = right;
    if (a->cause != b->cause) return a->cause < b->cause ? -1 : 1;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    return rt_text_compare(a->signature, b->signature);
}

/* The message of the first failure, then one line for each of the others. */
static rt_text failures_message(rt_arena *arena, const cnf_failure *failures, uint32_t count)
{
    if (count == 1) return failures[0].message;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%.*s\n%u more:", RT_TEXT_ARG(failures[0].message), count - 1);
    for (uint32_t i = 1; i < count; i++) {
        rt_text rest = failures[i].message;
        rt_text line = rt_text_take_until(&rest, '\n');
        /* What the colon announces follows only in the full message. */
        if (line.length > 0 && line.data[line.length - 1] == ':') line.length--;
        rt_buffer_printf(&text, "\n  %.*s", RT_TEXT_ARG(failures[i].signature));
        if (failures[i].line > 0) rt_buffer_printf(&text, " (line %u)", failures[i].line);
        rt_buffer_printf(&text, ": %.*s", RT_TEXT_ARG(line));
    }
    rt_text message = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return message;
}

void cnf_judgement_add(rt_arena *arena, cnf_judgement *inout, const cnf_failure *failures,
                       uint32_t count)
{
    if (count == 0) return;
    uint32_t known_count = inout->failure_count;
    cnf_failure *all = rt_arena_alloc_array(arena, known_count + count, sizeof *all);
    if (known_count > 0) memcpy(all, inout->failures, known_count * sizeof *all);
    uint32_t total = known_count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = false;
        CHECK(failures[i].signature.length > 0 && failures[i].cause < CNF_CAUSE_COUNT);
        for (uint32_t k = 0; k < total && !is_known; k++)
            is_known = rt_text_equal(all[k].signature, failures[i].signature);
        if (is_known) continue;
        all[total] = failures[i];
        all[total++].message = rt_demangle_text(arena, failures[i].message);
    }
    qsort(all, total, sizeof *all, failure_compare);
    rt_buffer signatures = {0};
    for (uint32_t i = 0; i < total; i++)
        rt_buffer_printf(&signatures, "%s%.*s", i > 0 ? " " : "", RT_TEXT_ARG(all[i].signature));
    inout->failures = all;
    inout->failure_count = total;
    inout->signature = rt_arena_text(arena, rt_buffer_text(&signatures));
    inout->message = failures_message(arena, all, total);
    inout->rule = all[0].rule;
    inout->step = all[0].step;
    inout->line = all[0].line;
    inout->code = all[0].code;
    rt_buffer_free(&signatures);
}
