#include "conformance/tools/generate/host/work.h"

#include "reference/base/check.h"

#include <inttypes.h>
#include <string.h>

#define CONTENT_MASK ((UINT64_C(1) << 48) - 1) /* a number of the scenario's format */
#define NONE         UINT32_MAX

/* ---- Drawing ------------------------------------------------------------------------------ */

/* Values whose lower halves are often equal. */
static const uint64_t values[] = {3, 5, (UINT64_C(1) << 32) + 3, (UINT64_C(1) << 33) + 3,
                                  (UINT64_C(1) << 32) + 5};
enum { VALUES = sizeof values / sizeof *values, FUSION_LISTS = 80 };

static uint32_t below(gen_random *random, uint32_t limit)
{
    return gen_random_below(random, limit);
}

static uint32_t draw_other(gen_random *random, uint32_t memories, uint32_t memory)
{
    uint32_t other = below(random, memories - 1);
    return other + (other >= memory);
}

static work_command draw_mix(gen_random *random, uint32_t to, uint32_t source)
{
    return (work_command){
        .verb = WORK_MIX, .to = to, .sources = {source}, .value = values[below(random, VALUES)]};
}

static work_command draw_one(gen_random *random, bool two_devices)
{
    static const work_verb verbs[] = {WORK_MIX, WORK_MIX, WORK_MIX, WORK_COPY, WORK_FILL};
    work_command command = {.queue = (work_queue)below(random, two_devices ? 4 : 3)};
    bool is_on_buffers = command.queue == WORK_SECOND || gen_random_chance(random, 50);
    uint32_t memories = is_on_buffers ? WORK_BUFFERS : WORK_MEMORIES;
    command.verb = verbs[below(random, sizeof verbs / sizeof *verbs)];
    command.to = below(random, memories);
    command.sources[0] = draw_other(random, memories, command.to);
    command.value = values[below(random, VALUES)];
    return command;
}

static void draw_fan(gen_random *random, work_step *step)
{
    uint32_t source = below(random, WORK_BUFFERS), count = 4 + below(random, 4);
    for (uint32_t i = 0; i < count; i++)
        step->commands[step->command_count++] = draw_mix(random, WORK_BUFFERS + i, source);
    step->commands[step->command_count++] =
        draw_mix(random, source, draw_other(random, WORK_BUFFERS, source));
}

static void draw_gather(gen_random *random, work_step *step)
{
    uint32_t to = WORK_MEMORIES - 1;
    work_command sum = {.verb = WORK_SUM, .to = to};
    for (uint32_t i = 0; i < WORK_SOURCES; i++) {
        sum.sources[i] = WORK_BUFFERS + i;
        step->commands[step->command_count++] =
            draw_mix(random, WORK_BUFFERS + i, below(random, WORK_BUFFERS));
    }
    step->commands[step->command_count++] = sum;
}

void gen_work_gather_one(work_step *step)
{
    if (step->command_count == 0) return;
    work_command *sum = &step->commands[step->command_count - 1];
    uint32_t source = step->command_count > 1 ? step->commands[0].to : sum->sources[0];
    for (uint32_t i = 0; i < WORK_SOURCES && sum->verb == WORK_SUM; i++)
        sum->sources[i] = source;
}

/* A fused kernel is compiled once for each list, so there is a finite number of them. */
static void draw_fused(gen_random *drawn, work_step *step)
{
    gen_random list = {UINT64_C(3000) + below(drawn, FUSION_LISTS)}, *random = &list;
    uint32_t count = 2 + below(random, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = below(random, WORK_BUFFERS);
        work_command mix = draw_mix(random, to, draw_other(random, WORK_BUFFERS, to));
        mix.queue = WORK_FUSING;
        step->commands[step->command_count++] = mix;
    }
    step->is_cancelled = gen_random_chance(random, 20);
    step->no_barriers = gen_random_chance(random, 50);
}

work_step gen_work_draw(gen_random *random, work_kind kind, bool two_devices)
{
    work_step step = {.kind = kind};
    switch (kind) {
    case WORK_ONE: step.commands[step.command_count++] = draw_one(random, two_devices); break;
    case WORK_FAN: draw_fan(random, &step); break;
    case WORK_GATHER: draw_gather(random, &step); break;
    case WORK_FUSED: draw_fused(random, &step); break;
    case WORK_READ: step.read = below(random, WORK_BUFFERS + 2); break;
    }
    CHECK(step.command_count <= WORK_COMMANDS + 1);
    return step;
}

/* ---- Use ---------------------------------------------------------------------------------- */

static bool has_target(work_verb verb)
{
    return verb != WORK_LOOK;
}

static uint32_t source_count(work_verb verb)
{
    return verb == WORK_SUM ? WORK_SOURCES : verb == WORK_FILL ? 0 : 1;
}

static work_queue queue_of(const work_command *command, work_form form)
{
    return form.in_order && command->queue == WORK_DEFAULT ? WORK_ORDERED : command->queue;
}

void gen_work_use(const work_step *step, work_form form, work_use *inout_use)
{
    if (step->kind == WORK_FUSED) inout_use->queues |= 1u << WORK_FUSING;
    if (step->kind == WORK_READ) inout_use->memories |= 1u << step->read;
    for (uint32_t i = 0; i < step->command_count; i++) {
        const work_command *command = &step->commands[i];
        inout_use->verbs |= 1u << command->verb;
        inout_use->queues |= 1u << queue_of(command, form);
        if (has_target(command->verb)) inout_use->memories |= 1u << command->to;
        for (uint32_t s = 0; s < source_count(command->verb); s++)
            inout_use->memories |= 1u << command->sources[s];
    }
}

/* ---- The model ---------------------------------------------------------------------------- */

static uint64_t initial_of(uint32_t memory)
{
    return UINT64_C(100) * (memory + 1);
}

void gen_work_start(work_state *state)
{
    memset(state->reader_count, 0, sizeof state->reader_count);
    state->touched = 0;
    for (uint32_t m = 0; m < WORK_MEMORIES; m++) {
        state->writer[m] = NONE;
        for (uint32_t i = 0; i < WORK_ELEMENTS; i++)
            state->content[m][i] = initial_of(m) + i;
    }
}

static void command_apply(work_state *state, const work_command *command)
{
    if (!has_target(command->verb)) return;
    for (uint32_t i = 0; i < WORK_ELEMENTS; i++) {
        uint64_t *to = &state->content[command->to][i];
        uint64_t source = state->content[command->sources[0]][i];
        switch (command->verb) {
        case WORK_MIX: *to = 3 * *to + source + command->value; break;
        case WORK_COPY: *to = source; break;
        case WORK_FILL: *to = command->value; break;
        case WORK_SUM:
            for (uint32_t s = 0; s < WORK_SOURCES; s++)
                *to += (2 * s + 1) * state->content[command->sources[s]][i];
            break;
        case WORK_LOOK: break;
        }
        *to &= CONTENT_MASK;
    }
    state->touched |= 1u << command->to;
}

/* ---- Order ---------------------------------------------------------------------------------- */

typedef struct edges {
    uint32_t items[WORK_HISTORY], count;
} edges;

static void edge_add(edges *list, uint32_t command)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == command) return;
    if (command != NONE && list->count < WORK_HISTORY) list->items[list->count++] = command;
}

/* The commands that must have ended before this one touches unified shared memory. */
static void edges_find(const work_state *state, const work_command *command, edges *out)
{
    for (uint32_t s = 0; s < source_count(command->verb); s++)
        if (command->sources[s] >= WORK_BUFFERS) edge_add(out, state->writer[command->sources[s]]);
    if (!has_target(command->verb) || command->to < WORK_BUFFERS) return;
    edge_add(out, state->writer[command->to]);
    for (uint32_t i = 0; i < state->reader_count[command->to]; i++)
        edge_add(out, state->readers[command->to][i]);
}

static void order_note(work_state *state, const work_command *command, uint32_t number)
{
    for (uint32_t s = 0; s < source_count(command->verb); s++) {
        uint32_t source = command->sources[s];
        CHECK(state->reader_count[source] < WORK_HISTORY);
        state->readers[source][state->reader_count[source]++] = number;
    }
    if (!has_target(command->verb)) return;
    state->writer[command->to] = number;
    state->reader_count[command->to] = 0;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_sum(rt_buffer *out)
{
    rt_buffer_printf(out, "          kernel void sum(global ulong *to");
    for (uint32_t s = 0; s < WORK_SOURCES; s++)
        rt_buffer_printf(out, ", global const ulong *s%u", s);
    rt_buffer_printf(out, ") { size_t i = get_global_id(0); to[i] = (to[i]");
    for (uint32_t s = 0; s < WORK_SOURCES; s++)
        rt_buffer_printf(out, " + %u * s%u[i]", 2 * s + 1, s);
    rt_buffer_printf(out, ") & %" PRIu64 "ul; }\n", CONTENT_MASK);
}

bool gen_work_has_kernels(const work_use *use)
{
    return use->verbs & (1u << WORK_MIX | 1u << WORK_SUM | 1u << WORK_LOOK);
}

void gen_work_write_sources(const work_use *use, rt_buffer *out)
{
    rt_buffer_printf(out, "    sources:\n      - language: opencl-c\n        code: |\n");
    if (use->verbs & 1u << WORK_MIX)
        rt_buffer_printf(
            out,
            "          kernel void mix(global ulong *to, global const ulong *source, ulong value) "
            "{ size_t i = get_global_id(0); to[i] = (3 * to[i] + source[i] + value) & %" PRIu64
            "ul; }\n",
            CONTENT_MASK);
    if (use->verbs & 1u << WORK_SUM) write_sum(out);
    if (use->verbs & 1u << WORK_LOOK)
        rt_buffer_printf(out, "          kernel void look(global const volatile ulong *source) "
                              "{ (void)source[get_global_id(0)]; }\n");
}

static void name_write(rt_buffer *out, uint32_t memory)
{
    bool is_buffer = memory < WORK_BUFFERS;
    rt_buffer_printf(out, "%s%u", is_buffer ? "buffer" : "s",
                     is_buffer ? memory : memory - WORK_BUFFERS);
}

void gen_work_write_memories(const work_use *use, rt_buffer *out)
{
    for (uint32_t m = 0; m < WORK_MEMORIES; m++) {
        if (!(use->memories & 1u << m)) continue;
        rt_buffer_printf(out, "  ");
        name_write(out, m);
        rt_buffer_printf(out, ": {type: ulong, values: {iota: %u, start: %" PRIu64 "}%s}\n",
                         (unsigned)WORK_ELEMENTS, initial_of(m),
                         m < WORK_BUFFERS ? "" : ", usm: device");
    }
}

static const char *const queue_names[] = {[WORK_DEFAULT] = NULL,
                                          [WORK_ORDERED] = "ordered",
                                          [WORK_FUSING] = "fusing",
                                          [WORK_SECOND] = "second_queue"};

void gen_work_write_queues(const work_use *use, work_form form, rt_buffer *out)
{
    if (use->queues & 1u << WORK_ORDERED)
        rt_buffer_printf(out, "  - queue: {id: ordered, properties: [in_order]}\n");
    if (use->queues & 1u << WORK_FUSING)
        rt_buffer_printf(out, "  - queue: {id: fusing, properties: [%senable_fusion]}\n",
                         form.in_order ? "in_order, " : "");
    if (use->queues & 1u << WORK_SECOND)
        rt_buffer_printf(out, "  - queue: {id: second_queue, device: second%s}\n",
                         form.in_order ? ", properties: [in_order]" : "");
}

static void after_write(work_state *state, const work_command *command, rt_buffer *out)
{
    edges after = {.count = 0};
    edges_find(state, command, &after);
    for (uint32_t i = 0; i < after.count; i++) {
        rt_buffer_printf(out, "%sc%u", i == 0 ? ", after: [" : ", ", after.items[i]);
        state->is_awaited[after.items[i]] = true;
    }
    if (after.count > 0) rt_buffer_printf(out, "]");
}

/* The command's verb with its operands, except for the closing brace. */
static void operands_write(const work_command *command, rt_buffer *out)
{
    static const char *const verbs[] = {[WORK_MIX] = "submit: {kernel: mix, ",
                                        [WORK_SUM] = "submit: {kernel: sum, ",
                                        [WORK_COPY] = "copy: {from: ",
                                        [WORK_FILL] = "fill: {memory: ",
                                        [WORK_LOOK] = "submit: {kernel: look, "};
    rt_buffer_printf(out, "%s", verbs[command->verb]);
    if (command->verb == WORK_COPY) {
        name_write(out, command->sources[0]);
        rt_buffer_printf(out, ", to: ");
    } else if (command->verb != WORK_FILL) {
        rt_buffer_printf(out, "range: [%u], args: [", (unsigned)WORK_ELEMENTS);
    }
    if (has_target(command->verb)) name_write(out, command->to);
    if (command->verb == WORK_FILL) rt_buffer_printf(out, ", value: %" PRIu64, command->value);
    if (command->verb == WORK_FILL || command->verb == WORK_COPY) return;
    for (uint32_t s = 0; s < source_count(command->verb); s++) {
        bool is_buffer = command->sources[s] < WORK_BUFFERS;
        bool is_first = s == 0 && !has_target(command->verb);
        rt_buffer_printf(out, "%s%s", is_first ? "" : ", ", is_buffer ? "{read: " : "");
        name_write(out, command->sources[s]);
        if (is_buffer) rt_buffer_printf(out, "}");
    }
    if (command->verb == WORK_MIX) rt_buffer_printf(out, ", {ulong: %" PRIu64 "}", command->value);
    rt_buffer_printf(out, "]");
}

static void command_write(work_state *state, const work_command *command, work_form form,
                          rt_buffer *out)
{
    work_queue queue = queue_of(command, form);
    uint32_t number = state->command_count++;
    CHECK(number < WORK_HISTORY);
    bool has_id = !state->named || state->named[number];
    rt_buffer_printf(out, "  - %s", has_id ? "{" : "");
    operands_write(command, out);
    if (queue_names[queue]) rt_buffer_printf(out, ", queue: %s", queue_names[queue]);
    after_write(state, command, out);
    rt_buffer_printf(out, "}");
    if (has_id) rt_buffer_printf(out, ", id: c%u}", number);
    rt_buffer_printf(out, "\n");
    order_note(state, command, number);
    command_apply(state, command);
}

void gen_work_write_step(work_state *state, const work_step *step, work_form form, rt_buffer *out)
{
    if (step->kind == WORK_FUSED) rt_buffer_printf(out, "  - start_fusion: fusing\n");
    for (uint32_t i = 0; i < step->command_count; i++)
        command_write(state, &step->commands[i], form, out);
    if (step->kind == WORK_FUSED) {
        if (step->is_cancelled || form.not_fused)
            rt_buffer_printf(out, "  - cancel_fusion: fusing\n");
        else
            rt_buffer_printf(out, "  - complete_fusion: {queue: fusing, no_barriers: %s}\n",
                             step->no_barriers ? "true" : "false");
    }
    if (step->kind == WORK_READ) gen_work_write_contents(state, 1u << step->read, out);
}

void gen_work_write_contents(const work_state *state, uint32_t memories, rt_buffer *out)
{
    /* The runtime orders the host's read of a buffer, but not of unified shared memory. */
    if (memories >> WORK_BUFFERS) rt_buffer_printf(out, "  - wait\n");
    for (uint32_t m = 0; m < WORK_MEMORIES; m++) {
        if (!(memories & 1u << m)) continue;
        rt_buffer_printf(out, "  - expect: {memory: ");
        name_write(out, m);
        for (uint32_t i = 0; i < WORK_ELEMENTS; i++)
            rt_buffer_printf(out, "%s%" PRIu64, i == 0 ? ", equals: [" : ", ",
                             state->content[m][i]);
        rt_buffer_printf(out, "]}\n");
    }
}
