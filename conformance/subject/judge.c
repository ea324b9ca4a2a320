/* Expectations judged against what happened. */
#include "conformance/compare/value.h"
#include "conformance/subject/execute.h"

#include <inttypes.h>
#include <string.h>

static void emit_judged(cnf_execution *execution, cnf_emitted_check check)
{
    if (!check.ok) execution->failed = true;
    CHECK_IMPLIES(!check.ok, check.code.length > 0 && check.message.length > 0);
    cnf_emit_check(execution->emitter, &check);
}

/* ---- Steps that succeed or are refused ---------------------------------------------------- */

static bool names_all(const rt_diagnostic *diagnostic, const scn_error *error, rt_text *out_missing)
{
    for (uint32_t i = 0; i < error->name_count; i++) {
        bool named = false;
        for (uint32_t k = 0; k < diagnostic->name_count; k++) {
            named = named || rt_text_equal(diagnostic->names[k], error->names[i]);
        }
        if (!named) {
            *out_missing = error->names[i];
            return false;
        }
    }
    return true;
}

/* What of the expected error differs from the diagnostic: a code for the signature and a sentence,
 * or empty texts. */
static rt_text error_difference(cnf_execution *execution, const scn_error *error,
                                const rt_diagnostic *diagnostic, rt_text *out_sentence)
{
    rt_arena *arena = &execution->arena;
    const char *class_name = rt_code_name(diagnostic->code);
    rt_text missing = {0};
    *out_sentence = (rt_text){0};
    if (error->documents.length && !rt_code_matches(diagnostic->code, error->documents)) {
        *out_sentence = rt_arena_printf(arena, "expected the documents' class %.*s, got %s",
                                        RT_TEXT_ARG(error->documents), class_name);
        return RT_TEXT("documents-class");
    }
    if (error->reference_class.length && !rt_text_is(error->reference_class, class_name)) {
        *out_sentence = rt_arena_printf(arena, "expected class %.*s, got %s",
                                        RT_TEXT_ARG(error->reference_class), class_name);
        return RT_TEXT("reference-class");
    }
    if (!names_all(diagnostic, error, &missing)) {
        *out_sentence =
            rt_arena_printf(arena, "expected the refusal to name '%.*s'", RT_TEXT_ARG(missing));
        return RT_TEXT("names");
    }
    if (error->reference_text.length &&
        !memmem(diagnostic->message.data, diagnostic->message.length, error->reference_text.data,
                error->reference_text.length)) {
        *out_sentence = rt_arena_printf(arena, "expected a message with \"%.*s\"",
                                        RT_TEXT_ARG(error->reference_text));
        return RT_TEXT("text");
    }
    return (rt_text){0};
}

static void trace_refusal(cnf_execution *execution, const rt_diagnostic *diagnostic)
{
    RT_TRACE(rt_runtime_trace(execution->runtime), ERROR,
             RT_T("class", rt_text_of(rt_code_name(diagnostic->code))),
             RT_T("rule", rt_text_of(rt_rule_name(diagnostic->rule))),
             RT_TS("names", diagnostic->names, diagnostic->name_count));
}

/* The step succeeded. */
static void judge_success(cnf_execution *execution, cnf_emitted_check check, const scn_error *error)
{
    if (error) {
        check.ok = false;
        check.code = RT_TEXT("succeeded");
        check.message = rt_arena_printf(
            &execution->arena, "expected a refusal (%.*s), but the step succeeded",
            RT_TEXT_ARG(error->documents.length ? error->documents : error->reference_class));
    }
    emit_judged(execution, check);
}

void cnf_judge_step(cnf_execution *execution, uint32_t step, const char *kind, rt_text what,
                    rt_status status)
{
    const scn_step *declared = &execution->scenario->steps[step];
    cnf_emitted_check check = {
        .step = step,
        .line = declared->error ? declared->error->at.line : declared->at.line,
        .kind = declared->error ? "error" : kind,
        .what = what,
        .ok = true,
        .observed = true,
    };
    if (rt_ok(status)) {
        /* That a step which nothing expects to fail did not fail is no observation worth counting
         * on its own: a PASS must have seen results. */
        if (declared->error) judge_success(execution, check, declared->error);
        return;
    }
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
    trace_refusal(execution, diagnostic);
    check.rule = diagnostic->rule;
    if (!declared->error) {
        check.ok = false;
        check.code = rt_text_of(rt_code_name(diagnostic->code));
        check.message =
            rt_arena_printf(&execution->arena, "refused (%s): %.*s", rt_code_name(diagnostic->code),
                            RT_TEXT_ARG(diagnostic->message));
    } else {
        rt_text sentence;
        check.code = error_difference(execution, declared->error, diagnostic, &sentence);
        check.ok = check.code.length == 0;
        if (!check.ok) {
            check.message = rt_arena_printf(&execution->arena, "%.*s\nthe refusal was (%s): %.*s",
                                            RT_TEXT_ARG(sentence), rt_code_name(diagnostic->code),
                                            RT_TEXT_ARG(diagnostic->message));
        }
    }
    emit_judged(execution, check);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static rt_text memory_difference(cnf_execution *execution, const scn_expect *expect,
                                 const scn_memory *declared, const uint8_t *actual,
                                 rt_text *out_place)
{
    uint32_t size = scn_type_size(declared->type);
    CHECK(expect->values.size == declared->count * size);
    uint64_t first = UINT64_MAX, count = 0;
    for (uint64_t i = 0; i < declared->count; i++) {
        if (memcmp(expect->values.data + i * size, actual + i * size, size) == 0) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0) return (rt_text){0};
    *out_place = rt_arena_printf(&execution->arena, "element %" PRIu64, first);
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%.*s[%" PRIu64 "]: expected ", RT_TEXT_ARG(declared->name), first);
    cnf_value_print(&text, declared->type, expect->values.data + first * size);
    rt_buffer_printf(&text, ", got ");
    cnf_value_print(&text, declared->type, actual + first * size);
    rt_buffer_printf(&text, " (%" PRIu64 " of %" PRIu64 " elements differ)", count,
                     declared->count);
    rt_text message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return message;
}

static void judge_memory(cnf_execution *execution, cnf_emitted_check check,
                         const scn_expect *expect)
{
    const scn_memory *declared = &execution->scenario->memories[expect->memory];
    rt_memory *memory = execution->memories[expect->memory];
    check.kind = "memory";
    check.what = declared->name;
    rt_status status = rt_scheduler_host_read(rt_runtime_scheduler(execution->runtime), memory);
    if (!rt_ok(status)) {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
        check.code = rt_text_of(rt_code_name(status.code));
        check.message = diagnostic->message;
    } else if (!execution->device->capabilities.executes) {
        check.ok = true;
        check.observed = false;
    } else {
        check.message = memory_difference(execution, expect, declared, memory->host, &check.place);
        check.ok = check.message.length == 0;
        if (!check.ok) check.code = RT_TEXT("differs");
    }
    emit_judged(execution, check);
}

/* ---- Events ------------------------------------------------------------------------------- */

static void judge_count(cnf_execution *execution, cnf_emitted_check check, const scn_expect *expect)
{
    rt_trace *trace = rt_runtime_trace(execution->runtime);
    rt_event_kind kind = rt_event_find(expect->event);
    CHECK(kind != RT_EVENT_COUNT); /* The reader knows the events. */
    uint32_t end = rt_trace_count(trace);
    uint64_t count = 0;
    for (uint32_t i = execution->counted[kind]; i < end; i++) {
        count += rt_trace_event(trace, i)->kind == kind;
    }
    execution->counted[kind] = end;
    check.kind = "count";
    check.what = expect->event;
    check.ok = count == expect->count;
    if (!check.ok) {
        check.code = count > expect->count ? RT_TEXT("more") : RT_TEXT("fewer");
        check.message =
            rt_arena_printf(&execution->arena, "expected %" PRIu64 " '%.*s' events, got %" PRIu64,
                            expect->count, RT_TEXT_ARG(expect->event), count);
    }
    emit_judged(execution, check);
}

static const rt_event_field *field_of(const rt_event *event, const char *key)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    CHECK(field);
    return field;
}

/* The newest event of `kind` whose field `key` is `value`; NULL where there is none. */
static const rt_event *last_event(rt_trace *trace, rt_event_kind kind, const char *key,
                                  rt_text value)
{
    for (uint32_t i = rt_trace_count(trace); i-- > 0;) {
        const rt_event *event = rt_trace_event(trace, i);
        if (event->kind != kind) continue;
        if (rt_text_equal(field_of(event, key)->values[0], value)) return event;
    }
    return NULL;
}

static bool holds(const rt_text *texts, uint32_t count, rt_text wanted)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rt_text_equal(texts[i], wanted)) return true;
    }
    return false;
}

static rt_text joined(rt_arena *arena, const rt_text *texts, uint32_t count)
{
    rt_buffer list = {0};
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(&list, "%s%.*s", i ? ", " : "", RT_TEXT_ARG(texts[i]));
    }
    rt_text text = rt_arena_text(arena, rt_buffer_text(&list));
    rt_buffer_free(&list);
    return text;
}

static void judge_program_of(cnf_execution *execution, cnf_emitted_check check,
                             const scn_expect *expect)
{
    rt_trace *trace = rt_runtime_trace(execution->runtime);
    check.kind = "program";
    check.what = expect->kernel;
    const rt_event *launch = last_event(trace, RT_EVENT_LAUNCH, "kernel", expect->kernel);
    if (!launch) {
        check.code = RT_TEXT("not-launched");
        check.message = rt_arena_printf(&execution->arena, "kernel '%.*s' was never launched",
                                        RT_TEXT_ARG(expect->kernel));
        emit_judged(execution, check);
        return;
    }
    rt_text program = field_of(launch, "program")->values[0];
    const rt_event *build = last_event(trace, RT_EVENT_BUILD, "program", program);
    CHECK(build); /* No launch without a program that was built. */
    const rt_event_field *images = field_of(build, "images");
    check.ok = images->value_count == expect->image_count;
    for (uint32_t i = 0; i < expect->image_count && check.ok; i++) {
        /* Both ways: an expectation that names an image twice must not hide another. */
        check.ok = holds(images->values, images->value_count, expect->images[i]) &&
                   holds(expect->images, expect->image_count, images->values[i]);
    }
    if (!check.ok) {
        rt_arena *arena = &execution->arena;
        check.code = RT_TEXT("images");
        check.message = rt_arena_printf(
            arena, "the program of '%.*s' was expected to hold images %.*s; it holds %.*s",
            RT_TEXT_ARG(expect->kernel),
            RT_TEXT_ARG(joined(arena, expect->images, expect->image_count)),
            RT_TEXT_ARG(joined(arena, images->values, images->value_count)));
    }
    emit_judged(execution, check);
}

static bool field_matches(const rt_event *event, const scn_trace_field *expected)
{
    const rt_event_field *field = rt_event_field_find(event, expected->key);
    if (!field || field->is_list != expected->is_list) return false;
    if (field->value_count != expected->value_count) return false;
    for (uint32_t i = 0; i < field->value_count; i++) {
        if (!rt_text_equal(field->values[i], expected->values[i])) return false;
    }
    return true;
}

static bool event_matches(const rt_event *event, const scn_trace_event *expected)
{
    if (!rt_text_is(expected->kind, rt_event_name(event->kind))) return false;
    for (uint32_t i = 0; i < expected->field_count; i++) {
        if (!field_matches(event, &expected->fields[i])) return false;
    }
    return true;
}

static void print_event(rt_buffer *out, const rt_event *event)
{
    rt_buffer_printf(out, "\n  %s", rt_event_name(event->kind));
    for (uint32_t i = 0; i < event->field_count; i++) {
        const rt_event_field *field = &event->fields[i];
        rt_buffer_printf(out, " %s: %s", field->key, field->is_list ? "[" : "");
        for (uint32_t k = 0; k < field->value_count; k++) {
            rt_buffer_printf(out, "%s%.*s", k ? ", " : "", RT_TEXT_ARG(field->values[k]));
        }
        if (field->is_list) rt_buffer_append_byte(out, ']');
    }
}

/* What is said of an expected event that is missing: where it is expected, and which events of its
 * kind there are from `start` on. */
static rt_text missing_event(cnf_execution *execution, const scn_trace_event *missing,
                             uint32_t start)
{
    enum { SHOWN = 5 };
    rt_trace *trace = rt_runtime_trace(execution->runtime);
    rt_buffer text = {0};
    rt_buffer_printf(&text, "no event '%.*s' as line %u asks for it, after those found before",
                     RT_TEXT_ARG(missing->kind), missing->at.line);
    uint32_t shown = 0;
    for (uint32_t i = start; i < rt_trace_count(trace) && shown < SHOWN; i++) {
        const rt_event *event = rt_trace_event(trace, i);
        if (!rt_text_is(missing->kind, rt_event_name(event->kind))) continue;
        if (shown++ == 0) rt_buffer_printf(&text, "; of this kind there are:");
        print_event(&text, event);
    }
    if (shown == 0) rt_buffer_printf(&text, "; there is none of this kind");
    rt_text message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return message;
}

static void judge_trace(cnf_execution *execution, cnf_emitted_check check, const scn_expect *expect)
{
    rt_trace *trace = rt_runtime_trace(execution->runtime);
    uint32_t found = 0, after_last = 0, end = rt_trace_count(trace);
    for (uint32_t i = 0; i < end && found < expect->event_count; i++) {
        if (!event_matches(rt_trace_event(trace, i), &expect->events[found])) continue;
        found++;
        after_last = i + 1;
    }
    check.kind = "trace";
    check.ok = found == expect->event_count;
    if (!check.ok) {
        const scn_trace_event *missing = &expect->events[found];
        check.what = missing->kind;
        check.line = missing->at.line;
        check.code = RT_TEXT("missing");
        check.place = rt_arena_printf(&execution->arena, "event %u", found);
        check.message = missing_event(execution, missing, after_last);
    }
    emit_judged(execution, check);
}

void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    cnf_emitted_check check = {.step = step, .line = expect->at.line, .observed = true};
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: judge_memory(execution, check, expect); return;
    case SCN_EXPECT_COUNT: judge_count(execution, check, expect); return;
    case SCN_EXPECT_PROGRAM_OF: judge_program_of(execution, check, expect); return;
    case SCN_EXPECT_TRACE: judge_trace(execution, check, expect); return;
    case SCN_EXPECT_FINDING: return; /* Judged when every command is done. */
    }
    UNREACHABLE();
}

/* ---- Findings ----------------------------------------------------------------------------- */

static bool finding_matches(const cnf_kept_finding *finding, const scn_expect *expect)
{
    if (finding->expected || !rt_text_is(expect->finding, finding->kind)) return false;
    if (expect->kernel.length && !rt_text_equal(expect->kernel, finding->kernel)) return false;
    if (expect->finding_memory.length && !rt_text_equal(expect->finding_memory, finding->object)) {
        return false;
    }
    return !expect->has_finding_offset || expect->finding_offset == finding->offset;
}

/* What is said when an expected finding is missing: which others there are. */
static rt_text other_findings(cnf_execution *execution, const scn_expect *expect)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "expected a finding '%.*s'; the device reported no such one",
                     RT_TEXT_ARG(expect->finding));
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const cnf_kept_finding *finding = &execution->findings.items[i];
        if (finding->expected) continue;
        rt_buffer_printf(&text, "\n  but %s in kernel '%.*s': %.*s", finding->kind,
                         RT_TEXT_ARG(finding->kernel), RT_TEXT_ARG(finding->message));
    }
    rt_text message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return message;
}

static void judge_finding(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    cnf_emitted_check check = {.step = step,
                               .line = expect->at.line,
                               .kind = "finding",
                               .what = expect->finding,
                               .observed = true};
    for (uint32_t i = 0; i < execution->findings.count && !check.ok; i++) {
        cnf_kept_finding *finding = &execution->findings.items[i];
        if (!finding_matches(finding, expect)) continue;
        finding->expected = true;
        check.ok = true;
    }
    if (!check.ok) {
        check.code = RT_TEXT("not-found");
        check.message = other_findings(execution, expect);
    }
    emit_judged(execution, check);
}

/* A source's own line as the scenario's, 0 where the source is not one of the scenario's. */
static uint32_t scenario_line(const scn_scenario *scenario, const cnf_kept_finding *finding)
{
    if (finding->source_line == 0) return 0;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const scn_module *module = &scenario->modules[m];
        for (uint32_t s = 0; s < module->source_count; s++) {
            const scn_source *source = &module->sources[s];
            if (!rt_text_equal(source->name, finding->source)) continue;
            return source->code_at.line + finding->source_line - 1;
        }
    }
    return 0;
}

void cnf_judge_findings(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t s = 0; s < execution->step_count; s++) {
        const scn_step *step = &scenario->steps[s];
        for (uint32_t i = 0; i < step->expect_count; i++) {
            if (step->expect[i].kind == SCN_EXPECT_FINDING) {
                judge_finding(execution, s, &step->expect[i]);
            }
        }
    }
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const cnf_kept_finding *finding = &execution->findings.items[i];
        if (finding->expected) continue;
        uint32_t line = scenario_line(scenario, finding);
        rt_text message =
            line ? rt_arena_printf(&execution->arena, "%s in kernel '%.*s' at line %u: %.*s",
                                   finding->kind, RT_TEXT_ARG(finding->kernel), line,
                                   RT_TEXT_ARG(finding->message))
                 : rt_arena_printf(&execution->arena, "%s in kernel '%.*s': %.*s", finding->kind,
                                   RT_TEXT_ARG(finding->kernel), RT_TEXT_ARG(finding->message));
        emit_judged(execution, (cnf_emitted_check){.step = SCN_NONE,
                                                   .line = line,
                                                   .kind = "finding",
                                                   .what = finding->object,
                                                   .observed = true,
                                                   .code = rt_text_of(finding->kind),
                                                   .place = finding->kernel,
                                                   .message = message});
    }
}
