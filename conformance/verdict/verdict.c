/* The table of verdicts, and the form of signatures. */
#include "conformance/verdict/verdict.h"

#include "reference/base/alloc.h"

#include <ctype.h>
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
