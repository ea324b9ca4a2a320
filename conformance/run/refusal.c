/* Compares the refusal of a module with the scenario's expectation. The class, names and text are
 * given in the same form as for a step's error. */
#include "conformance/run/refusal.h"

#include <string.h>

static bool mentions(rt_text text, rt_text part)
{
    return part.length == 0 ||
           (text.length > 0 && memmem(text.data, text.length, part.data, part.length) != NULL);
}

/* True if the answer contains the text: in its own message, which post-link writes, or in one of
 * the front end's messages. */
static bool says(const cnf_compile_answer *answer, rt_text part)
{
    if (mentions(answer->message, part)) return true;
    for (uint32_t i = 0; i < answer->message_count; i++)
        if (mentions(answer->messages[i].text, part)) return true;
    return false;
}

static bool names(const cnf_compile_answer *answer, rt_text name)
{
    for (uint32_t i = 0; i < answer->name_count; i++)
        if (rt_text_equal(answer->names[i], name)) return true;
    return says(answer, name);
}

/* The first part of the expectation that does not hold, for the signature; NULL if all hold. */
static const char *difference(rt_arena *arena, const scn_module *module,
                              const cnf_compile_answer *answer, rt_text *out_sentence)
{
    const scn_error *error = module->refusal.error;
    const char *code = rt_code_name(answer->code);
    bool by_front_end = answer->code == RT_COMPILE_TIME;
    if (by_front_end != module->refusal.by_front_end) {
        *out_sentence = rt_arena_printf(arena, "the %s refused it, expected the %s",
                                        by_front_end ? "front end" : "post-link tool",
                                        by_front_end ? "post-link tool" : "front end");
        return "stage";
    }
    if (error->documents.length > 0 && !rt_code_matches(answer->code, error->documents)) {
        *out_sentence = rt_arena_printf(arena, "the class is %s, expected %.*s", code,
                                        RT_TEXT_ARG(error->documents));
        return "documents";
    }
    if (error->reference_class.length > 0 && !rt_text_is(error->reference_class, code)) {
        *out_sentence = rt_arena_printf(arena, "our class is %s, expected %.*s", code,
                                        RT_TEXT_ARG(error->reference_class));
        return "class";
    }
    for (uint32_t i = 0; i < error->name_count; i++) {
        if (names(answer, error->names[i])) continue;
        *out_sentence =
            rt_arena_printf(arena, "it does not name '%.*s'", RT_TEXT_ARG(error->names[i]));
        return "names";
    }
    if (says(answer, error->reference_text)) return NULL;
    *out_sentence =
        rt_arena_printf(arena, "it does not say '%.*s'", RT_TEXT_ARG(error->reference_text));
    return "text";
}

void cnf_refusal_judge(rt_arena *arena, const scn_module *module, const cnf_compile_answer *answer,
                       cnf_judgement *out_judgement)
{
    CHECK(module->refusal.error && answer->code != RT_UNAVAILABLE && answer->code != RT_TOOL);
    rt_text sentence = RT_TEXT("it was compiled");
    const char *code = "succeeded";
    if (answer->code != RT_OK) code = difference(arena, module, answer, &sentence);
    *out_judgement = (cnf_judgement){.step = SCN_NONE, .expected = 1, .observed = 1};
    out_judgement->verdict = code ? CNF_VERDICT_FAIL : CNF_VERDICT_PASS;
    if (!code) return;
    rt_buffer messages = {0}; /* all messages of the answer, one per line */
    rt_buffer_append_text(&messages, answer->message);
    for (uint32_t i = 0; i < answer->message_count; i++)
        rt_buffer_printf(&messages, "%s%.*s", messages.size ? "\n" : "",
                         RT_TEXT_ARG(answer->messages[i].text));
    out_judgement->line = module->refusal.error->at.line;
    out_judgement->signature =
        cnf_signature(arena, RT_TEXT("compile"), RT_TEXT("error"), rt_text_of(code), module->name);
    out_judgement->message = rt_arena_printf(
        arena, "module %.*s is not refused as expected: %.*s%s%.*s", RT_TEXT_ARG(module->name),
        RT_TEXT_ARG(sentence), messages.size ? "\n" : "", RT_TEXT_ARG(rt_buffer_text(&messages)));
    rt_buffer_free(&messages);
}
