/* Executes calls of printf: one work-item after the other, each argument checked against its
 * directive.  The output of a launch is kept until its work-group is done (print.h).  The same in
 * every engine. */
#include "sim/exec/print.h"

#include "sim/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One work-item's call. */
typedef struct printing {
    sim_exec *x;
    const sim_op *op;
    const sim_print *print;
    const sim_register *places; /* registers of the next argument */
    uint32_t argument;          /* index of the next argument */
    uint32_t lane;
} printing;

/* ---- Strings ------------------------------------------------------------------------------ */

/* Reports undefined behaviour: `reason` says what is wrong with the directive. Returns false. */
static bool wrong(const printing *p, rt_text directive, const char *reason)
{
    char text[256];
    snprintf(text, sizeof text, "printf: '%.*s' %s, called", (int)(directive.length % 64),
             directive.data ? directive.data : "", reason);
    sim_note(p->x, p->op->site, SIM_FINDING_UNDEFINED_ARITHMETIC, p->lane, 1, text);
    return false;
}

/* Reads the string at an address, without its terminating NUL; at most `most` bytes are read.
 * False, with a finding, if the memory is not global or ends before the string does. */
static bool read_string(const printing *p, uint64_t address, uint64_t most, rt_text *out_string)
{
    sim_view_memory view;
    sim_finding_kind kind;
    uint8_t byte;
    *out_string = (rt_text){0};
    bool found = sim_access_find(p->x, address, &view, &kind) && view.offset < view.size;
    if (found && view.class != SIM_CLASS_GLOBAL) {
        return wrong(p, RT_TEXT("%s"), "is given a string that is not in constant memory");
    }
    uint64_t size = found ? view.size - view.offset : 0;
    if (size > most) size = most;
    const uint8_t *first = found ? view.data + view.offset : NULL;
    const uint8_t *end = size ? memchr(first, 0, (size_t)size) : NULL;
    if (end || (found && size == most)) {
        *out_string = (rt_text){(const char *)first, end ? (size_t)(end - first) : (size_t)size};
        return true;
    }
    /* Make the invalid load, for its finding. */
    sim_lane_load(p->x, p->op, p->lane, address + size, 1, 1, 1, &byte);
    return false;
}

/* ---- Directives --------------------------------------------------------------------------- */

static uint64_t component(printing *p, uint32_t bytes)
{
    return sim_lane_bits(p->x, *p->places++, bytes, p->lane);
}

static bool print_directive(printing *p, const sim_directive *directive, rt_buffer *out)
{
    if (directive->conversion == '%') {
        rt_buffer_append_byte(out, '%');
        return true;
    }
    if (p->argument == p->print->argument_count) {
        return wrong(p, directive->text, "has no argument");
    }
    sim_print_argument argument = p->print->arguments[p->argument++];
    const char *wanted = sim_directive_wants(directive, argument);
    if (wanted) {
        char text[128];
        snprintf(text, sizeof text, "takes %s, but argument %u is something else", wanted,
                 p->argument);
        return wrong(p, directive->text, text);
    }
    if (directive->conversion == 's') {
        rt_text string;
        uint64_t most = directive->has_precision ? directive->precision : SIM_OUTPUT_MAX;
        if (!read_string(p, component(p, 8), most, &string)) return false;
        sim_directive_string(directive, string, out);
        return true;
    }
    for (uint32_t i = 0; i < argument.count; i++) {
        if (i) rt_buffer_append_byte(out, ',');
        sim_directive_value(directive, argument, component(p, argument.bytes), out);
    }
    return true;
}

/* ---- The operation ------------------------------------------------------------------------ */

/* True if the call printed; a call that is invalid or would print too much prints nothing. */
static bool print_lane(sim_exec *x, const sim_op *op, uint32_t lane)
{
    sim_launch_state *l = x->launch;
    sim_output *output = &l->output;
    printing p = {.x = x,
                  .op = op,
                  .print = &l->program->prints[op->stride],
                  .places = x->frame->function->places + op->extra,
                  .lane = lane};
    rt_text format;
    size_t first = output->text.size;
    CHECK(op->stride < l->program->print_count);
    if (!read_string(&p, component(&p, 8), SIM_OUTPUT_MAX, &format)) return false;
    bool is_right = true;
    for (size_t at = 0; is_right && at < format.length;) {
        if (format.data[at] != '%') {
            rt_buffer_append_byte(&output->text, format.data[at++]);
            continue;
        }
        sim_directive directive;
        const char *reason = sim_directive_read(format, &at, &directive);
        is_right = reason ? wrong(&p, directive.text, reason)
                          : print_directive(&p, &directive, &output->text);
    }
    size_t size = output->text.size - first;
    if (is_right && size > SIM_OUTPUT_MAX - output->bytes) {
        output->dropped++;
        is_right = false;
    }
    if (!is_right) {
        output->text.size = first;
        return false;
    }
    output->bytes += size;
    CHECK(output->bytes <= SIM_OUTPUT_MAX);
    *rt_vector_push(&output->calls) = (sim_printed){.phase = l->barrier_count,
                                                    .item = x->wave->first_item + lane,
                                                    .first = (uint32_t)first,
                                                    .size = (uint32_t)size};
    return true;
}

void sim_handle_print(sim_exec *x, const sim_op *op)
{
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        int32_t result = print_lane(x, op, i) ? 0 : -1;
        if (op->target == SIM_REGISTER_NONE) continue;
        memcpy((uint8_t *)sim_at(x, op->target) + i * sizeof result, &result, sizeof result);
    }
}

/* ---- A launch's output -------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const sim_printed *left = a, *right = b;
    if (left->phase != right->phase) return left->phase < right->phase ? -1 : 1;
    if (left->item != right->item) return left->item < right->item ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

void sim_output_group_end(sim_output *output, const sim_launch_options *options)
{
    if (output->calls.count == 0) return;
    qsort(output->calls.items, output->calls.count, sizeof *output->calls.items, compare);
    rt_buffer ordered = {0};
    for (uint32_t i = 0; i < output->calls.count; i++) {
        const sim_printed *call = &output->calls.items[i];
        CHECK(call->first + (size_t)call->size <= output->text.size);
        if (call->size == 0) continue; /* an empty text may have no memory */
        rt_buffer_append(&ordered, output->text.data + call->first, call->size);
    }
    if (options && options->on_output && ordered.size) {
        options->on_output(options->user, rt_buffer_text(&ordered));
    }
    rt_buffer_free(&ordered);
    output->text.size = 0;
    output->calls.count = 0;
}

void sim_output_end(sim_output *output, const sim_launch_options *options)
{
    if (output->dropped && options && options->on_output) {
        char text[128];
        int size = snprintf(text, sizeof text,
                            "[%llu calls of printf dropped: a launch prints at most %u bytes]\n",
                            (unsigned long long)output->dropped, SIM_OUTPUT_MAX);
        options->on_output(options->user, (rt_text){text, (size_t)size});
    }
    rt_buffer_free(&output->text);
    rt_vector_free(&output->calls);
}
