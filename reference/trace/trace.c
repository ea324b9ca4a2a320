/* The table of event kinds, and the growing list of events. */
#include "reference/trace/trace.h"

#include "reference/base/arena.h"
#include "reference/base/lock.h"
#include "reference/base/vector.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct event_row {
    const char *name, *fields;
} event_rows[RT_EVENT_COUNT] = {
#define RT_EVENT_ROW(kind, name, fields) {name, fields},
    RT_EVENTS(RT_EVENT_ROW)
#undef RT_EVENT_ROW
};

enum { FIELD_COUNT_MAX = 16 }; /* no kind of event has more fields */

struct rt_trace {
    pthread_mutex_t lock;
    rt_arena arena;
    RT_VECTOR(rt_event *) events;
    bool is_stopped;
};

const char *rt_event_name(rt_event_kind kind)
{
    CHECK((unsigned)kind < RT_EVENT_COUNT);
    return event_rows[kind].name;
}

const char *rt_event_fields(rt_event_kind kind)
{
    CHECK((unsigned)kind < RT_EVENT_COUNT);
    return event_rows[kind].fields;
}

rt_event_kind rt_event_find(rt_text name)
{
    for (int i = 0; i < RT_EVENT_COUNT; i++) {
        if (rt_text_is(name, event_rows[i].name)) return (rt_event_kind)i;
    }
    return RT_EVENT_COUNT;
}

bool rt_event_has_field(rt_event_kind kind, rt_text field, bool *out_is_list)
{
    CHECK((unsigned)kind < RT_EVENT_COUNT);
    for (const char *at = event_rows[kind].fields; *at;) {
        size_t length = strcspn(at, " ");
        bool is_list = length > 2 && at[length - 1] == ']';
        rt_text name = {at, is_list ? length - 2 : length};
        if (rt_text_equal(name, field)) {
            if (out_is_list) *out_is_list = is_list;
            return true;
        }
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

rt_trace *rt_trace_create(void)
{
    rt_trace *trace = rt_alloc(sizeof *trace);
    rt_lock_init(&trace->lock);
    return trace;
}

void rt_trace_destroy(rt_trace *trace)
{
    if (!trace) return;
    rt_arena_reset(&trace->arena);
    rt_vector_free(&trace->events);
    pthread_mutex_destroy(&trace->lock);
    rt_free(trace);
}

static rt_text number_print(rt_arena *arena, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return rt_arena_text(arena, (rt_text){digits + first, sizeof digits - first});
}

static rt_text copy_value(rt_arena *arena, const rt_trace_value *value, uint32_t index)
{
    switch (value->type) {
    case RT_TRACE_TEXT: return rt_arena_text(arena, value->text);
    case RT_TRACE_NUMBER: return number_print(arena, value->number);
    case RT_TRACE_TEXTS: return rt_arena_text(arena, value->texts[index]);
    case RT_TRACE_NUMBERS: return number_print(arena, value->numbers[index]);
    }
    UNREACHABLE();
}

void rt_trace_stop(rt_trace *trace)
{
    trace->is_stopped = true;
}

/* Checks that the key is a field of the kind, in the form in which its value is given. */
static void value_check(rt_event_kind kind, const rt_trace_value *value)
{
    bool is_list = value->type == RT_TRACE_TEXTS || value->type == RT_TRACE_NUMBERS;
    bool declared_list = false;
    CHECK(rt_event_has_field(kind, rt_text_of(value->key), &declared_list));
    CHECK(declared_list == is_list);
    CHECK_IMPLIES(is_list && value->count > 0, value->texts || value->numbers);
}

void rt_trace_emit(rt_trace *trace, rt_event_kind kind, const rt_trace_value *values,
                   uint32_t value_count)
{
    CHECK((unsigned)kind < RT_EVENT_COUNT && value_count <= FIELD_COUNT_MAX);
    for (uint32_t i = 0; i < value_count; i++)
        value_check(kind, &values[i]);
    if (trace->is_stopped) return;
    rt_lock_take(&trace->lock);
    rt_arena *arena = &trace->arena;
    rt_event *event = rt_arena_alloc(arena, sizeof *event);
    rt_event_field *fields = rt_arena_alloc_array(arena, value_count, sizeof *fields);
    for (uint32_t i = 0; i < value_count; i++) {
        const rt_trace_value *value = &values[i];
        bool is_list = value->type == RT_TRACE_TEXTS || value->type == RT_TRACE_NUMBERS;
        uint32_t count = is_list ? value->count : 1;
        rt_text *copies = rt_arena_alloc_array(arena, count, sizeof *copies);
        for (uint32_t k = 0; k < count; k++)
            copies[k] = copy_value(arena, value, k);
        fields[i] = (rt_event_field){
            .key = value->key, .values = copies, .value_count = count, .is_list = is_list};
        for (uint32_t k = 0; k < i; k++)
            CHECK(strcmp(fields[k].key, fields[i].key) != 0);
    }
    *event = (rt_event){kind, fields, value_count};
    *rt_vector_push(&trace->events) = event;
    rt_lock_release(&trace->lock);
}

uint32_t rt_trace_count(rt_trace *trace)
{
    rt_lock_take(&trace->lock);
    uint32_t count = trace->events.count;
    rt_lock_release(&trace->lock);
    return count;
}

const rt_event *rt_trace_event(rt_trace *trace, uint32_t index)
{
    rt_lock_take(&trace->lock);
    CHECK(index < trace->events.count);
    const rt_event *event = trace->events.items[index];
    CHECK((unsigned)event->kind < RT_EVENT_COUNT && event->field_count <= FIELD_COUNT_MAX);
    rt_lock_release(&trace->lock);
    return event;
}

void rt_trace_print_newest(const rt_trace *trace, uint32_t limit)
{
    uint32_t count = trace->events.count;
    for (uint32_t i = count > limit ? count - limit : 0; i < count; i++) {
        const rt_event *event = trace->events.items[i];
        fprintf(stderr, "assay:   %s", rt_event_name(event->kind));
        for (uint32_t k = 0; k < event->field_count; k++) {
            const rt_event_field *field = &event->fields[k];
            fprintf(stderr, " %s=", field->key);
            for (uint32_t v = 0; v < field->value_count; v++)
                fprintf(stderr, "%s%.*s", v ? "," : "", RT_TEXT_ARG(field->values[v]));
        }
        fputc('\n', stderr);
    }
}

const rt_event_field *rt_event_field_find(const rt_event *event, rt_text key)
{
    for (uint32_t i = 0; i < event->field_count; i++) {
        if (rt_text_is(key, event->fields[i].key)) return &event->fields[i];
    }
    return NULL;
}
