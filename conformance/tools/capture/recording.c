/* From the layer's log to launches: what programs are made of, and what a launch waits for. */
#include "conformance/tools/capture/capture.h"

#include "backends/opencl/layer/log.h"
#include "reference/base/hash.h"
#include "reference/base/map.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <string.h>

enum { OBJECTS_MAX = 1 << 20 }; /* of one kind; the layer's limit leaves room for fewer records */

typedef RT_VECTOR(uint32_t) number_list;
typedef RT_VECTOR(cap_source) source_list;

typedef enum program_origin {
    PROGRAM_UNKNOWN,
    PROGRAM_SOURCE,
    PROGRAM_IL,
    PROGRAM_BINARY,
    PROGRAM_LINKED,
} program_origin;

typedef struct program_state {
    program_origin origin;
    rt_text hash; /* of its code */
    rt_text options;
    const uint64_t *inputs; /* of a linked program */
    uint32_t input_count;
    const char *loss;        /* NULL: none */
    const cap_program *made; /* its description, once it was needed */
} program_state;

typedef struct queue_state {
    bool is_in_order;
    rt_text device;
    uint32_t last, barrier; /* indices of commands; SCN_NONE: none */
    number_list launches;   /* that no other launch on it has waited for */
} queue_state;

/* A command, and the captured launches that have ended when it ends: a launch itself, or those that
 * another command waits for. */
typedef struct command_state {
    const uint32_t *launches;
    uint32_t launch_count;
} command_state;

/* A buffer that is part of another one. */
typedef struct buffer_state {
    uint32_t root;   /* number of the buffer that it is part of; SCN_NONE: of none */
    bool is_defined; /* something may have written it */
} buffer_state;

/* A block of unified shared or shared virtual memory. */
typedef struct block_state {
    const char *usm; /* what a scenario calls its memory; NULL: not of a kind that scenarios have */
    bool is_defined; /* something may have written it */
} block_state;

typedef struct process_state {
    RT_VECTOR(program_state) programs;
    RT_VECTOR(queue_state) queues;
    RT_VECTOR(buffer_state) buffers;
    RT_VECTOR(block_state) blocks;
    RT_VECTOR(uint32_t) events; /* the command of each event; SCN_NONE: none */
    RT_VECTOR(command_state) commands;
    number_list waited; /* launches that the host has waited for since the last launch */
    bool has_launch;    /* a launch of it is in the recording */
    bool is_opaque;     /* it uses buffers in ways that the log does not tell */
    rt_map binaries;    /* from hashes to the programs that they are binaries of */
} process_state;

typedef struct recording_reader {
    rt_arena *arena;
    rt_text folder;
    process_state *processes;
    uint32_t process_count;
    RT_VECTOR(cap_command) commands;
    uint64_t seen, captured;
} recording_reader;

/* ---- Fields --------------------------------------------------------------------------------- */

/* The number of an object in a field; SCN_NONE: none, or unknown. */
static uint32_t object_of(const ocl_call *call, const char *key)
{
    uint64_t number;
    if (!ocl_call_number(call, key, &number) || number >= OBJECTS_MAX) return SCN_NONE;
    return (uint32_t)number;
}

static uint64_t number_of(const ocl_call *call, const char *key)
{
    uint64_t number = 0;
    (void)ocl_call_number(call, key, &number);
    return number;
}

/* Each returns the state of the object with that number, SCN_NONE excepted, after growing the list.
 */
static program_state *program_at(process_state *process, uint32_t number)
{
    while (process->programs.count <= number)
        *rt_vector_push(&process->programs) = (program_state){0};
    return &process->programs.items[number];
}

static queue_state *queue_at(process_state *process, uint32_t number)
{
    while (process->queues.count <= number)
        *rt_vector_push(&process->queues) =
            (queue_state){.is_in_order = true, .last = SCN_NONE, .barrier = SCN_NONE};
    return &process->queues.items[number];
}

static buffer_state *buffer_at(process_state *process, uint32_t number)
{
    while (process->buffers.count <= number)
        *rt_vector_push(&process->buffers) = (buffer_state){SCN_NONE, true};
    return &process->buffers.items[number];
}

static block_state *block_at(process_state *process, uint32_t number)
{
    while (process->blocks.count <= number)
        *rt_vector_push(&process->blocks) = (block_state){NULL, true};
    return &process->blocks.items[number];
}

static uint32_t *event_at(process_state *process, uint32_t number)
{
    while (process->events.count <= number)
        *rt_vector_push(&process->events) = SCN_NONE;
    return &process->events.items[number];
}

/* The buffer that a buffer is part of, or itself. */
static uint32_t whole_of(process_state *process, uint32_t number)
{
    uint32_t root = buffer_at(process, number)->root;
    return root == SCN_NONE ? number : root;
}

/* The path of what the layer has stored under a hash. */
static rt_text stored_path(const recording_reader *reader, rt_text hash)
{
    return rt_arena_printf(reader->arena, "%.*s/%.*s.bin", RT_TEXT_ARG(reader->folder),
                           RT_TEXT_ARG(hash));
}

/* Reads bytes in hexadecimal into the arena. */
static bool bytes_read(recording_reader *reader, rt_text digits, rt_bytes *out_bytes)
{
    uint8_t *bytes = rt_arena_alloc(reader->arena, digits.length / 2 + 1);
    *out_bytes = (rt_bytes){bytes, digits.length / 2};
    return rt_hex_read(digits, bytes);
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* The calls that create programs. */
static const struct {
    const char *call;
    program_origin origin;
} creations[] = {
    {"clCreateProgramWithSource", PROGRAM_SOURCE},
    {"clCreateProgramWithIL", PROGRAM_IL},
    {"clCreateProgramWithILKHR", PROGRAM_IL},
    {"clCreateProgramWithBinary", PROGRAM_BINARY},
    {"clLinkProgram", PROGRAM_LINKED},
};

/* The calls that allocate blocks, and what a scenario calls their memory. */
static const struct {
    const char *call, *usm;
} allocations[] = {
    {"clHostMemAllocINTEL", "host"},
    {"clDeviceMemAllocINTEL", "device"},
    {"clSharedMemAllocINTEL", "shared"},
    {"clSVMAlloc", "shared"},
};

/* The calls after which a program's kernels depend on what no scenario of theirs has. */
static const struct {
    const char *call, *loss;
} spoilers[] = {
    {"clSetProgramSpecializationConstant", "its program sets specialisation constants"},
    {"clEnqueueWriteGlobalVariableINTEL", "the host has written variables of its program"},
};

static void program_create(recording_reader *reader, process_state *process, const ocl_call *call,
                           uint32_t number, program_origin origin)
{
    uint64_t size;
    program_state *program = program_at(process, number);
    *program = (program_state){.origin = origin, .options = ocl_call_text(call, "options")};
    rt_hash hash;
    if (origin == PROGRAM_LINKED) {
        (void)ocl_call_numbers(reader->arena, call, "inputs", &program->inputs,
                               &program->input_count);
        return;
    }
    if (!ocl_call_code(call, &program->hash, &size) || !rt_hash_read(program->hash, &hash))
        *program = (program_state){0};
}

/* Notes what a call that has succeeded says about programs. */
static void program_note(recording_reader *reader, process_state *process, const ocl_call *call)
{
    uint32_t made = object_of(call, "made"), number = object_of(call, "program");
    for (size_t i = 0; i < sizeof creations / sizeof *creations && made != SCN_NONE; i++)
        if (rt_text_is(call->name, creations[i].call))
            program_create(reader, process, call, made, creations[i].origin);
    if (number == SCN_NONE) return;
    program_state *program = program_at(process, number);
    for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++)
        if (rt_text_is(call->name, spoilers[i].call)) {
            program->loss = spoilers[i].loss;
            program->made = NULL; /* launches so far keep what they had */
        }
    bool compiles = rt_text_is(call->name, "clCompileProgram");
    if (compiles || rt_text_is(call->name, "clBuildProgram")) {
        program->options = ocl_call_text(call, "options");
        program->made = NULL;
    }
    if (compiles && ocl_call_text(call, "headers").length > 0)
        program->loss = "its program is compiled with headers from other programs "
                        "(clCompileProgram)";
    if (!rt_text_is(call->name, "clGetProgramInfo")) return;
    rt_text binary = ocl_call_text(call, "binary"), hash = rt_text_take_until(&binary, ':');
    if (hash.length > 0) rt_map_set(&process->binaries, hash, number);
}

static void object_note(recording_reader *reader, process_state *process, const ocl_call *call)
{
    uint32_t made = object_of(call, "made");
    if (made == SCN_NONE) return;
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++)
        if (rt_text_is(call->name, allocations[i].call))
            *block_at(process, made) =
                (block_state){allocations[i].usm, strcmp(allocations[i].usm, "device") != 0};
    if (rt_text_is(call->name, "clCreateSubBuffer")) {
        uint32_t parent = object_of(call, "memory");
        if (parent != SCN_NONE) {
            uint32_t whole = whole_of(process, parent);
            buffer_at(process, made)->root = whole;
        }
    } else if (rt_text_starts(call->name, "clCreateBuffer")) {
        enum { FROM_HOST = 1 << 3 | 1 << 5 }; /* CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR */
        bool is_defined = number_of(call, "flags") & FROM_HOST;
        *buffer_at(process, made) = (buffer_state){SCN_NONE, is_defined};
    }
    if (!rt_text_starts(call->name, "clCreateCommandQueue")) return;
    enum { OUT_OF_ORDER = 1 }; /* CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE */
    queue_state *queue = queue_at(process, made);
    rt_text name = ocl_call_text(call, "device_name"), driver = ocl_call_text(call, "driver");
    rt_vector_free(&queue->launches); /* of a queue with the same number, in a damaged log */
    *queue = (queue_state){
        .is_in_order = !(number_of(call, "properties") & OUT_OF_ORDER),
        .device = rt_arena_printf(reader->arena, "%.*s, driver %.*s", RT_TEXT_ARG(name),
                                  RT_TEXT_ARG(driver)),
        .last = SCN_NONE,
        .barrier = SCN_NONE,
    };
}

static void buffer_define(process_state *process, uint32_t number)
{
    if (number == SCN_NONE) return;
    buffer_at(process, number)->is_defined = true;
    buffer_at(process, whole_of(process, number))->is_defined = true;
}

/* Notes what a call may write. */
static void writes_note(process_state *process, const ocl_call *call)
{
    /* "to=BLOCK+OFFSET" of the commands on pointers. */
    uint32_t number;
    rt_text pointer = ocl_call_text(call, "to"), block = rt_text_take_until(&pointer, '+');
    if (pointer.length > 0 && rt_number_read_u32(block, 0, OBJECTS_MAX - 1, &number))
        block_at(process, number)->is_defined = true;
    static const char *const names[] = {"clEnqueueWriteBuffer", "clEnqueueFillBuffer",
                                        "clEnqueueMapBuffer"};
    if (rt_text_starts(call->name, "clEnqueueCopyBuffer"))
        buffer_define(process, object_of(call, "to"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rt_text_starts(call->name, names[i])) buffer_define(process, object_of(call, "memory"));
    /* Commands on images, which may write buffers, are not in the log. */
    if (rt_text_starts(call->name, "clCreateImage")) process->is_opaque = true;
}

/* ---- Order ---------------------------------------------------------------------------------- */

/* True if the launch `earlier` is known to end before `later` begins. */
static bool is_before(const recording_reader *reader, uint32_t earlier, uint32_t later)
{
    if (later >= reader->commands.count) return false; /* it is being read */
    const cap_command *launch = &reader->commands.items[later];
    for (uint32_t i = 0; i < launch->after_count; i++)
        if (launch->after[i] == earlier) return true;
    return false;
}

/* Adds launches to a list that leaves out those which another one of the list has waited for: the
 * lists of long runs stay short. */
static void launches_add(const recording_reader *reader, number_list *list,
                         const uint32_t *launches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_covered = false;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < list->count; k++) {
            uint32_t other = list->items[k];
            is_covered =
                is_covered || other == launches[i] || is_before(reader, launches[i], other);
            if (!is_before(reader, other, launches[i])) list->items[kept++] = other;
        }
        list->count = kept;
        if (!is_covered) *rt_vector_push(list) = launches[i];
    }
}

static void command_add(const recording_reader *reader, const process_state *process,
                        uint32_t command, number_list *list)
{
    if (command == SCN_NONE) return;
    CHECK(command < process->commands.count);
    const command_state *state = &process->commands.items[command];
    launches_add(reader, list, state->launches, state->launch_count);
}

/* Adds the launches that the call's wait list names. */
static void waits_add(recording_reader *reader, process_state *process, const ocl_call *call,
                      number_list *list)
{
    const uint64_t *events;
    uint32_t count;
    if (!ocl_call_numbers(reader->arena, call, "wait", &events, &count)) return;
    for (uint32_t i = 0; i < count; i++)
        if (events[i] < OBJECTS_MAX)
            command_add(reader, process, *event_at(process, (uint32_t)events[i]), list);
}

/* Notes a command, and the launches that it waits for (in the arena); `launch` is its own, or
 * SCN_NONE. */
static void command_note(recording_reader *reader, process_state *process, const ocl_call *call,
                         uint32_t launch, number_list *out_after)
{
    uint32_t number = object_of(call, "queue");
    if (number == SCN_NONE) return;
    bool is_barrier = rt_text_starts(call->name, "clEnqueueBarrier") ||
                      rt_text_is(call->name, "clEnqueueWaitForEvents");
    bool waits_for_all = is_barrier || rt_text_starts(call->name, "clEnqueueMarker");
    number_list after = {0};
    waits_add(reader, process, call, &after);
    queue_state *queue = queue_at(process, number);
    command_add(reader, process, queue->is_in_order ? queue->last : queue->barrier, &after);
    if (waits_for_all && number_of(call, "waits_for") == 0)
        launches_add(reader, &after, queue->launches.items, queue->launches.count);
    command_state command = {.launch_count = 1};
    command.launches = rt_arena_copy(reader->arena, &launch, 1, sizeof launch);
    if (launch == SCN_NONE) {
        command.launches =
            rt_arena_copy(reader->arena, after.items, after.count, sizeof *after.items);
        command.launch_count = after.count;
    }
    uint32_t index = process->commands.count;
    *rt_vector_push(&process->commands) = command;
    queue->last = index;
    if (is_barrier) queue->barrier = index;
    uint32_t event = object_of(call, "event");
    if (event != SCN_NONE) *event_at(process, event) = index;
    if (out_after)
        *out_after = after;
    else
        rt_vector_free(&after);
}

/* Notes that the host has waited for the command that was noted last, if the call blocks. A launch
 * must be in the recording: the list of what the host has waited for leaves out what it follows. */
static void blocking_note(recording_reader *reader, process_state *process, const ocl_call *call)
{
    if (number_of(call, "blocking") == 1 && object_of(call, "queue") != SCN_NONE)
        command_add(reader, process, process->commands.count - 1, &process->waited);
}

/* Notes what the host waits for. */
static void host_wait_note(recording_reader *reader, process_state *process, const ocl_call *call)
{
    number_list *waited = &process->waited;
    uint32_t event = object_of(call, "event");
    if (rt_text_is(call->name, "clWaitForEvents")) waits_add(reader, process, call, waited);
    /* The host has learnt, or will learn, that a command has ended. */
    bool is_told =
        rt_text_is(call->name, "clGetEventInfo") || rt_text_is(call->name, "clSetEventCallback");
    if (is_told && event != SCN_NONE)
        command_add(reader, process, *event_at(process, event), waited);
    uint32_t queue = object_of(call, "queue");
    if (!rt_text_is(call->name, "clFinish") || queue == SCN_NONE) return;
    const number_list *launches = &queue_at(process, queue)->launches;
    launches_add(reader, waited, launches->items, launches->count);
}

/* ---- Programs ------------------------------------------------------------------------------- */

/* Adds the sources of a program, and of those that it was linked from, to a list.  Returns a loss;
 * NULL: none. */
static const char *sources_collect(recording_reader *reader, process_state *process,
                                   uint32_t number, uint32_t depth, source_list *sources,
                                   rt_text *inout_options)
{
    enum { DEPTH_MAX = 16 };
    if (number == SCN_NONE) return "the creation of its program was not seen";
    const program_state program = *program_at(process, number);
    if (depth > DEPTH_MAX) return "its program is linked from too many levels of others";
    if (program.loss) return program.loss;
    bool is_linked = program.origin == PROGRAM_LINKED;
    for (uint32_t i = 0; is_linked && i < program.input_count; i++) {
        uint64_t input = program.inputs[i];
        const char *loss =
            sources_collect(reader, process, input < OBJECTS_MAX ? (uint32_t)input : SCN_NONE,
                            depth + 1, sources, inout_options);
        if (loss) return loss;
    }
    if (is_linked) return NULL;
    if (program.origin == PROGRAM_UNKNOWN) return "the creation of its program was not seen";
    if (program.origin == PROGRAM_BINARY) {
        uint32_t source = rt_map_find(&process->binaries, program.hash);
        if (source == RT_MAP_NONE)
            return "its program was made from a binary that this process did not get from a "
                   "program; disable the application's cache of binaries";
        return sources_collect(reader, process, source, depth + 1, sources, inout_options);
    }
    bool is_first = sources->count == 0;
    if (!is_first && !rt_text_equal(*inout_options, program.options))
        return "the parts of its program were compiled with different options";
    *inout_options = program.options;
    *rt_vector_push(sources) = (cap_source){
        program.origin == PROGRAM_IL ? SCN_LANGUAGE_SPIRV : SCN_LANGUAGE_OPENCL_C,
        stored_path(reader, program.hash),
    };
    return NULL;
}

static const cap_program *program_make(recording_reader *reader, process_state *process,
                                       uint32_t number)
{
    if (number != SCN_NONE && program_at(process, number)->made)
        return program_at(process, number)->made;
    source_list sources = {0};
    rt_text options = {0};
    const char *loss = sources_collect(reader, process, number, 0, &sources, &options);
    if (!loss && sources.count == 0) loss = "its program was linked from nothing";
    cap_program *made = rt_arena_alloc(reader->arena, sizeof *made);
    *made = (cap_program){.loss = rt_text_of(loss)};
    cap_options_split(reader->arena, options, made);
    made->sources =
        rt_arena_copy(reader->arena, sources.items, sources.count, sizeof *sources.items);
    made->source_count = sources.count;
    rt_vector_free(&sources);
    if (number != SCN_NONE) program_at(process, number)->made = made;
    return made;
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* The loss that a word of the log stands for. */
static rt_text loss_of(rt_text word)
{
    static const char *const losses[][2] = {
#define LOSS_ROW(name, text) {name, text},
        OCL_CAPTURE_LOSSES(LOSS_ROW)
#undef LOSS_ROW
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (rt_text_is(word, losses[i][0])) return rt_text_of(losses[i][1]);
    return word;
}

/* Reads "m3:HASH:SIZE" or "p1:HASH:SIZE".  The path is that of the contents. */
static bool content_read(const recording_reader *reader, rt_text item, cap_memory *out_memory,
                         rt_text *out_path)
{
    rt_text name = rt_text_take_until(&item, ':'), hash = rt_text_take_until(&item, ':');
    rt_hash valid;
    *out_memory = (cap_memory){0};
    out_memory->is_block = rt_text_take_prefix(&name, "p");
    bool is_valid = (out_memory->is_block || rt_text_take_prefix(&name, "m")) &&
                    rt_number_read_u32(name, 0, OBJECTS_MAX - 1, &out_memory->number) &&
                    rt_hash_read(hash, &valid) &&
                    rt_number_read(item, 0, UINT64_MAX, &out_memory->size);
    *out_path = stored_path(reader, hash);
    return is_valid;
}

/* True if the list "m3,p1" names the memory. */
static bool list_has(rt_text list, const cap_memory *memory)
{
    while (list.length > 0) {
        uint32_t number;
        rt_text name = rt_text_take_until(&list, ',');
        bool is_block = rt_text_take_prefix(&name, "p");
        if (!is_block && !rt_text_take_prefix(&name, "m")) continue;
        if (is_block == memory->is_block && rt_number_read_u32(name, 0, OBJECTS_MAX - 1, &number) &&
            number == memory->number)
            return true;
    }
    return false;
}

static uint32_t items_count(rt_text list)
{
    uint32_t count = list.length > 0;
    for (size_t i = 0; i < list.length; i++)
        count += list.data[i] == ',';
    return count;
}

/* Reads the contents before and after the launch. */
static bool contents_read(recording_reader *reader, process_state *process, const ocl_call *call,
                          cap_command *launch)
{
    rt_text before = ocl_call_text(call, "before"), after = ocl_call_text(call, "after");
    uint32_t count = items_count(before);
    bool has_after = items_count(after) == count;
    launch->memories = rt_arena_alloc_array(reader->arena, count, sizeof *launch->memories);
    for (uint32_t i = 0; i < count; i++) {
        cap_memory memory, same;
        rt_text path;
        if (!content_read(reader, rt_text_take_until(&before, ','), &memory, &path)) return false;
        memory.before = path;
        if (has_after) {
            if (!content_read(reader, rt_text_take_until(&after, ','), &same, &memory.after) ||
                same.number != memory.number || same.is_block != memory.is_block)
                return false;
            memory.is_changed = !rt_text_equal(memory.before, memory.after);
        }
        if (!memory.is_block) {
            const buffer_state *buffer = buffer_at(process, memory.number);
            memory.is_undefined =
                !process->is_opaque && !buffer->is_defined && buffer->root == SCN_NONE;
            buffer_define(process, memory.number);
        } else {
            block_state *block = block_at(process, memory.number);
            memory.usm = block->usm;
            memory.is_undefined = !process->is_opaque && !block->is_defined;
            block->is_defined = true;
            if (!memory.usm) return false;
        }
        /* What nothing has written may hold addresses by chance, which the launch does not use. */
        if (!memory.is_undefined && list_has(ocl_call_text(call, "addresses"), &memory))
            launch->loss = RT_TEXT("its memory holds addresses of unified shared or shared virtual "
                                   "memory");
        launch->memories[launch->memory_count++] = memory;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const cap_memory *a = &launch->memories[i], *b = &launch->memories[k];
            if (a->is_block || b->is_block) continue;
            if (whole_of(process, a->number) == whole_of(process, b->number))
                launch->loss = RT_TEXT("it uses several parts of one buffer");
        }
    return true;
}

static bool memory_find(const cap_command *launch, bool is_block, uint32_t number,
                        uint32_t *out_index)
{
    for (uint32_t i = 0; i < launch->memory_count; i++) {
        const cap_memory *memory = &launch->memories[i];
        *out_index = i;
        if (memory->is_block == is_block && memory->number == number) return true;
    }
    return false;
}

/* Reads "BLOCK+OFFSET". */
static bool pointer_read(const cap_command *launch, rt_text text, uint32_t *out_memory,
                         uint64_t *out_offset)
{
    uint32_t number;
    rt_text block = rt_text_take_until(&text, '+');
    return rt_number_read_u32(block, 0, OBJECTS_MAX - 1, &number) &&
           rt_number_read(text, 0, UINT64_MAX, out_offset) &&
           memory_find(launch, true, number, out_memory);
}

static bool argument_read(recording_reader *reader, cap_command *launch, rt_text item,
                          cap_argument *out)
{
    uint32_t number;
    if (item.length == 0) return false;
    rt_text rest = rt_text_skip(item, 1);
    switch (*item.data) {
    case 'm':
        out->kind = CAP_MEMORY;
        return rt_number_read_u32(rest, 0, OBJECTS_MAX - 1, &number) &&
               memory_find(launch, false, number, &out->memory);
    case 'p': out->kind = CAP_MEMORY; return pointer_read(launch, rest, &out->memory, &out->offset);
    case 'l': out->kind = CAP_LOCAL; return rt_number_read(rest, 0, UINT64_MAX, &out->size);
    case 'n': out->kind = CAP_NULL; return rest.length == 0;
    case 'v': return bytes_read(reader, rest, &out->value);
    case 'i': launch->loss = RT_TEXT("it uses an image"); return true;
    case 's': launch->loss = RT_TEXT("it uses a sampler"); return true;
    default: return false;
    }
}

/* Reads the addresses within values: "ARGUMENT@AT:BLOCK+OFFSET". */
static bool words_read(recording_reader *reader, const ocl_call *call, cap_command *launch,
                       cap_argument *arguments)
{
    rt_text list = ocl_call_text(call, "words");
    uint32_t count = items_count(list);
    cap_word *words = rt_arena_alloc_array(reader->arena, count, sizeof *words);
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index;
        rt_text item = rt_text_take_until(&list, ',');
        rt_text place = rt_text_take_until(&item, ':'), argument = rt_text_take_until(&place, '@');
        if (!rt_number_read_u32(argument, last, launch->argument_count - 1, &index) ||
            !rt_number_read(place, 0, UINT64_MAX, &words[i].at) ||
            !pointer_read(launch, item, &words[i].memory, &words[i].offset))
            return false;
        cap_argument *owner = &arguments[index];
        if (owner->value.size < 8 || words[i].at > owner->value.size - 8) return false;
        if (owner->word_count == 0) owner->words = &words[i];
        owner->word_count++;
        last = index;
    }
    return true;
}

static bool arguments_read(recording_reader *reader, const ocl_call *call, cap_command *launch)
{
    rt_text list = ocl_call_text(call, "args");
    uint32_t count = items_count(list);
    cap_argument *arguments = rt_arena_alloc_array(reader->arena, count, sizeof *arguments);
    launch->arguments = arguments;
    launch->argument_count = count;
    for (uint32_t i = 0; i < count; i++)
        if (!argument_read(reader, launch, rt_text_take_until(&list, ','), &arguments[i]))
            return false;
    return count == 0 || words_read(reader, call, launch, arguments);
}

static bool sizes_read(recording_reader *reader, const ocl_call *call, const char *key,
                       uint32_t dimensions, uint64_t out_sizes[3], bool *out_has)
{
    const uint64_t *numbers;
    uint32_t count;
    *out_has = ocl_call_numbers(reader->arena, call, key, &numbers, &count);
    if (!*out_has) return true;
    for (uint32_t i = 0; i < count && i < 3; i++)
        out_sizes[i] = numbers[i];
    return count == dimensions;
}

static bool range_read(recording_reader *reader, const ocl_call *call, cap_command *launch)
{
    bool has_range;
    if (rt_text_is(call->name, "clEnqueueTask")) {
        launch->dimensions = 1;
        launch->range[0] = launch->local[0] = 1;
        return launch->has_local = true;
    }
    uint64_t dimensions = number_of(call, "dimensions");
    if (dimensions < 1 || dimensions > 3) return false;
    launch->dimensions = (uint32_t)dimensions;
    return sizes_read(reader, call, "global", launch->dimensions, launch->range, &has_range) &&
           has_range &&
           sizes_read(reader, call, "local", launch->dimensions, launch->local,
                      &launch->has_local) &&
           sizes_read(reader, call, "offset", launch->dimensions, launch->offset,
                      &launch->has_offset);
}

/* Adds a command to the recording. */
static void entry_add(recording_reader *reader, process_state *process, const ocl_call *call,
                      cap_command *entry)
{
    uint32_t index = reader->commands.count, queue = object_of(call, "queue");
    number_list after = {0};
    command_note(reader, process, call, index, &after);
    launches_add(reader, &after, process->waited.items, process->waited.count);
    entry->after = rt_arena_copy(reader->arena, after.items, after.count, sizeof *after.items);
    entry->after_count = after.count;
    rt_vector_free(&after);
    if (queue != SCN_NONE) entry->queue = (cap_queue){queue, queue_at(process, queue)->is_in_order};
    *rt_vector_push(&reader->commands) = *entry;
    if (queue != SCN_NONE) launches_add(reader, &queue_at(process, queue)->launches, &index, 1);
    blocking_note(reader, process, call);
}

/* Notes a launch; one that the layer was not to capture is only counted. */
static void launch_note(recording_reader *reader, process_state *process, const ocl_call *call)
{
    reader->seen++;
    uint32_t queue = object_of(call, "queue");
    bool is_captured = ocl_call_text(call, "program").length > 0;
    if (!is_captured || ocl_call_text(call, "lost").length > 0) process->is_opaque = true;
    if (!is_captured) {
        command_note(reader, process, call, SCN_NONE, NULL);
        return;
    }
    cap_command launch = {
        .number = number_of(call, "launch"),
        .process = call->process,
        .kernel = ocl_call_text(call, "name"),
        .loss = loss_of(ocl_call_text(call, "lost")),
        .has_ended = call->returned && ocl_call_text(call, "after").length > 0,
    };
    launch.program = program_make(reader, process, object_of(call, "program"));
    bool is_valid = range_read(reader, call, &launch);
    if (launch.loss.length == 0)
        is_valid = is_valid && contents_read(reader, process, call, &launch) &&
                   arguments_read(reader, call, &launch);
    if (launch.memory_count == 0) launch.has_ended = call->returned;
    if (launch.loss.length == 0) launch.loss = launch.program->loss;
    if (call->returned && call->result != 0)
        launch.loss = rt_arena_printf(reader->arena, "the driver refused it with %d", call->result);
    else if (!is_valid && launch.loss.length == 0)
        launch.loss = RT_TEXT("its record is incomplete");
    if (queue != SCN_NONE) launch.device = queue_at(process, queue)->device;
    process->has_launch = true;
    reader->captured++;
    entry_add(reader, process, call, &launch);
}

/* Reads where a command writes or reads: a buffer with an offset, or "BLOCK+OFFSET". */
static bool place_read(const ocl_call *call, const char *key, const char *offset_key,
                       cap_place *out_place)
{
    rt_text offset = ocl_call_text(call, key), block = rt_text_take_until(&offset, '+');
    *out_place = (cap_place){.is_block = offset.length > 0};
    if (out_place->is_block)
        return rt_number_read_u32(block, 0, OBJECTS_MAX - 1, &out_place->number) &&
               rt_number_read(offset, 0, UINT64_MAX, &out_place->offset);
    out_place->number = object_of(call, key);
    out_place->offset = number_of(call, offset_key);
    return out_place->number != SCN_NONE;
}

/* Reads a command that changes memory, if it says everything that repeating it needs. */
static bool transfer_read(recording_reader *reader, const ocl_call *call, cap_command *out)
{
    static const struct {
        const char *call;
        cap_kind kind; /* of CAP_COPY: or CAP_STORE, if it copies from the host */
        const char *to, *to_offset, *from, *from_offset;
    } rows[] = {
        {"clEnqueueCopyBuffer", CAP_COPY, "to", "to_offset", "from", "from_offset"},
        {"clEnqueueMemcpyINTEL", CAP_COPY, "to", "-", "from", "-"},
        {"clEnqueueSVMMemcpy", CAP_COPY, "to", "-", "from", "-"},
        {"clEnqueueFillBuffer", CAP_FILL, "memory", "offset", NULL, NULL},
        {"clEnqueueMemFillINTEL", CAP_FILL, "to", "-", NULL, NULL},
        {"clEnqueueMemsetINTEL", CAP_FILL, "to", "-", NULL, NULL},
        {"clEnqueueSVMMemFill", CAP_FILL, "to", "-", NULL, NULL},
        {"clEnqueueWriteBuffer", CAP_STORE, "memory", "offset", NULL, NULL},
    };
    cap_transfer *transfer = &out->transfer;
    size_t row = 0, count = sizeof rows / sizeof *rows;
    while (row < count && !rt_text_is(call->name, rows[row].call))
        row++;
    if (row == count || !place_read(call, rows[row].to, rows[row].to_offset, &transfer->to))
        return false;
    out->kind = rows[row].kind;
    transfer->size = number_of(call, "size");
    rt_text data = ocl_call_text(call, "data"), hash = rt_text_take_until(&data, ':');
    rt_hash valid;
    bool has_data = rt_hash_read(hash, &valid);
    if (out->kind == CAP_COPY && has_data) out->kind = CAP_STORE;
    if (out->kind == CAP_STORE) transfer->data = stored_path(reader, hash);
    if (out->kind == CAP_STORE) return has_data;
    if (out->kind == CAP_COPY)
        return place_read(call, rows[row].from, rows[row].from_offset, &transfer->from);
    rt_text pattern = ocl_call_text(call, "pattern");
    return bytes_read(reader, pattern, &transfer->pattern) && pattern.length > 0;
}

/* Notes a command that is not a launch. Those before the first captured launch are left out: the
 * launch's first contents have their effects. */
static void other_command_note(recording_reader *reader, process_state *process,
                               const ocl_call *call)
{
    cap_command entry = {.process = call->process};
    if (process->has_launch && transfer_read(reader, call, &entry)) {
        entry_add(reader, process, call, &entry);
        return;
    }
    command_note(reader, process, call, SCN_NONE, NULL);
    blocking_note(reader, process, call);
}

/* ---- The log -------------------------------------------------------------------------------- */

static void call_note(recording_reader *reader, const ocl_call *call)
{
    process_state *process = &reader->processes[call->process];
    bool is_launch =
        rt_text_is(call->name, "clEnqueueNDRangeKernel") || rt_text_is(call->name, "clEnqueueTask");
    if (is_launch) {
        launch_note(reader, process, call);
        return;
    }
    if (!call->returned || call->result != 0) return;
    program_note(reader, process, call);
    object_note(reader, process, call);
    writes_note(process, call);
    if (rt_text_starts(call->name, "clEnqueue")) other_command_note(reader, process, call);
    host_wait_note(reader, process, call);
}

static void process_free(process_state *process)
{
    rt_vector_free(&process->programs);
    for (uint32_t i = 0; i < process->queues.count; i++)
        rt_vector_free(&process->queues.items[i].launches);
    rt_vector_free(&process->queues);
    rt_vector_free(&process->buffers);
    rt_vector_free(&process->blocks);
    rt_vector_free(&process->events);
    rt_vector_free(&process->commands);
    rt_vector_free(&process->waited);
    rt_map_free(&process->binaries);
}

rt_status cap_recording_read(rt_sink *sink, rt_arena *arena, rt_text log, rt_text folder,
                             cap_recording *out_recording)
{
    ocl_call_log calls;
    *out_recording = (cap_recording){0};
    RT_TRY(ocl_call_log_read(sink, arena, log, false, &calls));
    recording_reader reader = {.arena = arena, .folder = folder};
    reader.process_count = calls.process_count;
    reader.processes = rt_arena_alloc_array(arena, calls.process_count, sizeof *reader.processes);
    for (uint32_t i = 0; i < calls.call_count; i++)
        if (calls.calls[i].process < calls.process_count) call_note(&reader, &calls.calls[i]);
    *out_recording = (cap_recording){
        .commands = rt_arena_copy(arena, reader.commands.items, reader.commands.count,
                                  sizeof *reader.commands.items),
        .command_count = reader.commands.count,
        .captured = reader.captured,
        .seen = reader.seen,
        .processes = calls.process_count,
        .is_full = calls.is_full,
    };
    for (uint32_t i = 0; i < calls.process_count; i++)
        process_free(&reader.processes[i]);
    rt_vector_free(&reader.commands);
    return RT_STATUS_OK;
}
