/* Evaluates expectations about the trace: counts, programs, events in order, and events that must
 * not happen. */
#include "conformance/subject/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What this runtime makes observable --------------------------------------------------- */

static bool observes(const cnf_execution *execution, rt_event_kind kind, const char *field)
{
    const cnf_runtime *runtime = execution->runtime;
    return runtime->operations->observes(runtime, kind, rt_text_of(field));
}

static bool identifies_program(const cnf_execution *execution, rt_event_kind kind)
{
    const cnf_runtime *runtime = execution->runtime;
    return runtime->operations->identifies_program(runtime, kind);
}

/* True if the trace shows from which program a kernel was last launched. */
static bool observes_programs(const cnf_execution *execution)
{
    return observes(execution, RT_EVENT_LAUNCH, "kernel") &&
           identifies_program(execution, RT_EVENT_LAUNCH);
}

/* True if the expected event, had it happened, would be in the trace and distinguishable from
 * others. */
static bool observes_event(const cnf_execution *execution, const scn_trace_event *expected)
{
    const cnf_runtime *runtime = execution->runtime;
    rt_event_kind kind = rt_event_find(expected->kind);
    CHECK(kind != RT_EVENT_COUNT); /* The scenario reader accepts only known events. */
    if (!observes(execution, kind, "")) return false;
    if (expected->program_of.length > 0 &&
        (!observes_programs(execution) || !identifies_program(execution, kind)))
        return false;
    for (uint32_t i = 0; i < expected->field_count; i++) {
        rt_text key = expected->fields[i].key;
        if (scn_event_counts_work_items(kind, key)) key = RT_TEXT("global");
        if (!runtime->operations->observes(runtime, kind, key)) return false;
    }
    return expected->condition_count == 0 ||
           observes(execution, kind, scn_event_images_field(kind));
}

/* How many events a message lists. */
enum { LISTED_MAX = 5 };

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

/* ---- Counts and programs ------------------------------------------------------------------ */

void cnf_evaluate_count(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check)
{
    rt_trace *trace = execution->runtime->trace;
    rt_event_kind kind = rt_event_find(expect->count.event);
    CHECK(kind != RT_EVENT_COUNT); /* The scenario reader accepts only known events. */
    check->kind = "count";
    check->what = expect->count.event;
    if (!observes(execution, kind, "")) {
        cnf_leave_unobserved(check);
        return;
    }
    uint32_t end = rt_trace_count(trace);
    uint64_t count = 0;
    for (uint32_t i = execution->counted[kind]; i < end; i++) {
        count += rt_trace_event(trace, i)->kind == kind;
    }
    check->ok = count == expect->count.count;
    if (check->ok) return;
    check->code = count > expect->count.count ? RT_TEXT("more") : RT_TEXT("fewer");
    rt_buffer text = {0};
    rt_buffer_printf(&text, "expected %" PRIu64 " '%.*s' events, got %" PRIu64, expect->count.count,
                     RT_TEXT_ARG(expect->count.event), count);
    uint64_t listed = 0;
    for (uint32_t i = execution->counted[kind]; i < end && listed < LISTED_MAX; i++) {
        const rt_event *event = rt_trace_event(trace, i);
        if (event->kind != kind) continue;
        if (listed++ == 0) rt_buffer_append_byte(&text, ':');
        print_event(&text, event);
    }
    if (listed < count) rt_buffer_printf(&text, "\n  and %" PRIu64 " more", count - listed);
    check->message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

static const rt_event_field *field_of(const rt_event *event, const char *key)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    CHECK(field);
    return field;
}

/* The position in the trace of the kernel's last launch; UINT32_MAX if it was never launched. */
static uint32_t last_launch(rt_trace *trace, rt_text kernel)
{
    for (uint32_t i = rt_trace_count(trace); i-- > 0;) {
        const rt_event *event = rt_trace_event(trace, i);
        if (event->kind != RT_EVENT_LAUNCH) continue;
        if (rt_text_equal(field_of(event, "kernel")->values[0], kernel)) return i;
    }
    return UINT32_MAX;
}

void cnf_evaluate_program(cnf_execution *execution, const scn_expect *expect,
                          cnf_emitted_check *check)
{
    rt_trace *trace = execution->runtime->trace;
    check->kind = "program";
    check->what = expect->program.kernel;
    if (!observes_programs(execution) || !identifies_program(execution, RT_EVENT_BUILD) ||
        !observes(execution, RT_EVENT_BUILD, "images")) {
        cnf_leave_unobserved(check);
        return;
    }
    uint32_t launch = last_launch(trace, expect->program.kernel);
    if (launch == UINT32_MAX) {
        check->code = RT_TEXT("not-launched");
        check->message = rt_arena_printf(&execution->arena, "kernel '%.*s' was never launched",
                                         RT_TEXT_ARG(expect->program.kernel));
        return;
    }
    /* The event that created the program: a build, or a hit in the persistent cache. */
    rt_text program = field_of(rt_trace_event(trace, launch), "program")->values[0];
    const rt_event *creation = NULL;
    for (uint32_t i = launch; i-- > 0 && !creation;) {
        const rt_event *event = rt_trace_event(trace, i);
        if (event->kind != RT_EVENT_BUILD && event->kind != RT_EVENT_PERSISTENT_HIT) continue;
        if (rt_text_equal(field_of(event, "program")->values[0], program)) creation = event;
    }
    /* A runtime may have read the program from its cache on disk without showing that it did. */
    if (!creation && execution->scenario->persistent_cache &&
        !observes(execution, RT_EVENT_PERSISTENT_HIT, "program")) {
        cnf_leave_unobserved(check);
        return;
    }
    if (!creation) { /* The shipped runtime's trace may have gaps. */
        check->code = RT_TEXT("not-built");
        check->message =
            rt_arena_printf(&execution->arena, "no build of the program of '%.*s' was observed",
                            RT_TEXT_ARG(expect->program.kernel));
        return;
    }
    const rt_event_field *images = field_of(creation, "images");
    check->ok = cnf_images_equal(images->values, images->value_count, expect->program.images,
                                 expect->program.image_count);
    if (!check->ok) {
        rt_arena *arena = &execution->arena;
        check->code = RT_TEXT("images");
        check->message = rt_arena_printf(
            arena, "the program of '%.*s' was expected to hold images %.*s; it holds %.*s",
            RT_TEXT_ARG(expect->program.kernel),
            RT_TEXT_ARG(
                cnf_images_print(arena, expect->program.images, expect->program.image_count)),
            RT_TEXT_ARG(cnf_images_print(arena, images->values, images->value_count)));
    }
}

/* True if the kernel was last launched from the program that the event is about. Ids are comparable
 * only within one process. */
static bool is_about_program(rt_trace *trace, uint32_t index, rt_text kernel)
{
    uint32_t launch = last_launch(trace, kernel);
    if (launch == UINT32_MAX) return false;
    for (uint32_t i = index < launch ? index : launch; i < index || i < launch; i++)
        if (rt_trace_event(trace, i)->kind == RT_EVENT_RESTART) return false;
    return rt_text_equal(field_of(rt_trace_event(trace, index), "program")->values[0],
                         field_of(rt_trace_event(trace, launch), "program")->values[0]);
}

/* True if the launch has that many work-items, a number in decimal, in whatever shape. */
static bool has_work_items(const rt_event *event, rt_text expected)
{
    const rt_event_field *global = field_of(event, "global");
    uint64_t count = 1;
    char text[24];
    for (uint32_t i = 0; i < global->value_count; i++)
        count *= strtoull(global->values[i].data, NULL, 10);
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    return rt_text_is(expected, text);
}

static bool event_matches(const cnf_execution *execution, uint32_t index,
                          const scn_trace_event *expected)
{
    rt_trace *trace = execution->runtime->trace;
    const rt_event *event = rt_trace_event(trace, index);
    if (!rt_text_is(expected->kind, rt_event_name(event->kind))) return false;
    bool of_program = expected->program_of.length > 0;
    if (of_program && !is_about_program(trace, index, expected->program_of)) return false;
    for (uint32_t i = 0; i < expected->field_count; i++) {
        const scn_trace_field *expected_field = &expected->fields[i];
        if (scn_event_counts_work_items(event->kind, expected_field->key)) {
            if (!has_work_items(event, expected_field->values[0])) return false;
            continue;
        }
        const rt_event_field *field = rt_event_field_find(event, expected_field->key);
        if (!field || field->is_list != expected_field->is_list) return false;
        if (field->value_count != expected_field->value_count) return false;
        for (uint32_t k = 0; k < field->value_count; k++)
            if (!rt_text_equal(field->values[k], expected_field->values[k])) return false;
    }
    return cnf_event_images_fit(execution->scenario, event, expected);
}

void cnf_evaluate_trace(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check)
{
    rt_trace *trace = execution->runtime->trace;
    uint32_t found = 0, after_last = 0, end = rt_trace_count(trace);
    for (; found < expect->trace.event_count; found++) {
        const scn_trace_event *expected = &expect->trace.events[found];
        if (!observes_event(execution, expected)) {
            check->observed = false;
            continue;
        }
        uint32_t at = after_last;
        while (at < end && !event_matches(execution, at, expected))
            at++;
        if (at == end) break;
        after_last = at + 1;
    }
    CHECK(after_last <= end);
    check->kind = "trace";
    check->ok = found == expect->trace.event_count;
    if (check->ok) return;
    /* The message says which events the missing one was expected to follow, and lists the later
     * events of its kind. */
    const scn_trace_event *missing = &expect->trace.events[found];
    rt_buffer text = {0};
    rt_buffer_printf(&text,
                     "no event '%.*s' that matches line %u follows the events matched before it",
                     RT_TEXT_ARG(missing->kind), missing->at.line);
    uint32_t listed = 0;
    for (uint32_t i = after_last; i < end && listed < LISTED_MAX; i++) {
        const rt_event *event = rt_trace_event(trace, i);
        if (!rt_text_is(missing->kind, rt_event_name(event->kind))) continue;
        if (listed++ == 0) rt_buffer_printf(&text, "; later events of this kind:");
        print_event(&text, event);
    }
    if (listed == 0) rt_buffer_printf(&text, "; no later event is of this kind");
    check->observed = true; /* The missing event is observable, even if others are not. */
    check->what = missing->kind;
    check->line = missing->at.line;
    check->code = RT_TEXT("missing");
    check->place = rt_arena_printf(&execution->arena, "event %u", found);
    check->message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

void cnf_evaluate_never(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check)
{
    rt_trace *trace = execution->runtime->trace;
    uint32_t end = rt_trace_count(trace);
    check->kind = "never";
    check->ok = true;
    for (uint32_t e = 0; e < expect->trace.event_count && check->ok; e++) {
        const scn_trace_event *unwanted = &expect->trace.events[e];
        if (!observes_event(execution, unwanted)) {
            check->observed = false;
            continue;
        }
        for (uint32_t i = 0; i < end && check->ok; i++) {
            if (!event_matches(execution, i, unwanted)) continue;
            rt_buffer text = {0};
            rt_buffer_printf(&text, "expected never to happen, but it did:");
            print_event(&text, rt_trace_event(trace, i));
            check->ok = false;
            check->observed = true;
            check->what = unwanted->kind;
            check->line = unwanted->at.line;
            check->code = RT_TEXT("happened");
            check->place = rt_arena_printf(&execution->arena, "event %u", e);
            check->message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
            rt_buffer_free(&text);
        }
    }
}
