/* The simulated device's queues: commands run late, in a legal order that the seed chooses.
 *
 * An enqueue creates a pending command and returns.  A thread that waits for an event, or destroys
 * a queue, becomes the stepper: under the device's lock it picks one of the ready commands of any
 * queue, runs it to completion, and repeats this until its event or queue is done. So commands may
 * run long after they are enqueued and in a different order, as out-of-order queues permit.  An
 * entry missing from a wait list is a finding, whatever the order (simdev_order.h).
 *
 * Workload: graphs of up to tens of thousands of commands.  A command knows how many of its
 * predecessors are not done and which commands depend on it, so scheduling costs one step per
 * command and one per edge.
 *
 * The event that a caller holds is the command itself; the pending set holds another reference.  A
 * host event is a command that no queue has and that never becomes ready: the host ends it.  A
 * stepper that has nothing to run because commands wait for such an event sleeps until a command
 * has ended.
 * Source of the rules: reference/device/device.h, "Enqueues". */
#include "backends/sim/simdev_internal.h"

#include "reference/base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct simdev_queue {
    dev_queue base;
    simdev_device *device;
    simdev_command *newest;  /* of its commands that are not done; NULL: none */
    simdev_command *barrier; /* the newest that is a barrier; NULL: none is pending */
    RT_VECTOR(simdev_node *)
    nodes;                     /* references to those of its commands that the host does not
                                * know to be done; known ones are dropped late */
    uint32_t purge_at;         /* number of nodes at which known ones are dropped */
    simdev_node *barrier_node; /* reference to the last barrier; NULL: none */
} simdev_queue;

typedef enum command_kind {
    COMMAND_KERNEL,
    COMMAND_READ,
    COMMAND_WRITE,
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_MARKER,
    COMMAND_MAP,
    COMMAND_UNMAP,
    COMMAND_HOST, /* a host event */
} command_kind;

/* A range of one memory, with a reference to it. */
typedef struct operand {
    simdev_memory *memory;
    uint64_t offset; /* bytes */
} operand;

/* A pending command that waits for another one. */
typedef struct dependent {
    simdev_command *command;
    bool takes_failure; /* fails if the other one does: it is in the wait list */
} dependent;

struct simdev_command {
    dev_event base;
    simdev_device *device;
    simdev_queue *queue; /* valid while pending: a queue outlives its commands; NULL: HOST */
    uint32_t references;
    dev_event_state state;
    rt_status status;    /* valid once done; until then, the first failure of a predecessor */
    uint32_t unfinished; /* predecessors that are not done */
    RT_VECTOR(dependent) dependents;
    simdev_command *newer, *older; /* neighbours among the queue's pending commands */
    dev_times times;               /* in ticks of the device's clock */
    uint32_t tag;
    command_kind kind;
    simdev_node *node; /* a reference */
    /* READ, MAP and UNMAP use `from`, WRITE and FILL use `to`, and COPY uses both. */
    operand from;
    operand to;
    uint64_t size;      /* bytes read, written, copied, filled */
    void *destination;  /* of READ; owned by the caller */
    const void *source; /* of WRITE; owned by the caller */
    /* WRITE, if nothing that it waits for can change the source: its contents at submission. */
    bool has_source_hash;
    uint64_t source_hash;
    uint64_t host_writes; /* the device's count at that time */
    uint8_t pattern[DEV_PATTERN_SIZE_MAX];
    uint32_t pattern_size;   /* FILL, bytes */
    simdev_mapping *mapping; /* MAP, UNMAP: a reference */
    simdev_kernel *kernel;   /* KERNEL, a reference */
    sim_range range;
    sim_argument *arguments;
    simdev_memory **argument_memories; /* references; NULL for arguments that are not memory */
    uint32_t argument_count;
};

/* ---- References held by a command --------------------------------------------------------- */

static simdev_memory *memory_keep(dev_memory *base)
{
    simdev_memory *memory = (simdev_memory *)base;
    memory->references++;
    return memory;
}

/* A range of a part is one of its whole memory. */
static operand operand_of(dev_memory *base, uint64_t offset)
{
    simdev_memory *memory = (simdev_memory *)base;
    return (operand){memory_keep(memory->whole ? &memory->whole->base : base),
                     base->origin + offset};
}

/* Releases the objects that a command needs only while it is pending. */
static void operands_release(simdev_command *command)
{
    /* Before its memory, whose last reference may be the command's. */
    if (command->mapping) simdev_mapping_release(command->mapping);
    if (command->from.memory) simdev_memory_release(command->from.memory);
    if (command->to.memory) simdev_memory_release(command->to.memory);
    for (uint32_t i = 0; i < command->argument_count; i++) {
        if (command->argument_memories[i]) simdev_memory_release(command->argument_memories[i]);
        if (command->arguments[i].kind == SIM_PARAMETER_VALUE)
            rt_free((void *)(uintptr_t)command->arguments[i].bytes.data);
    }
    rt_free(command->argument_memories);
    rt_free(command->arguments);
    if (command->kernel) simdev_kernel_release(command->kernel);
    command->from.memory = command->to.memory = NULL;
    command->argument_memories = NULL;
    command->arguments = NULL;
    command->argument_count = 0;
    command->kernel = NULL;
    command->mapping = NULL;
}

static void command_release(simdev_command *command)
{
    CHECK(command->references >= 1);
    if (--command->references > 0) return;
    CHECK(command->state != DEV_EVENT_PENDING);
    CHECK(command->dependents.count == 0);
    simdev_node_release(&command->device->history, command->node);
    rt_free(command);
}

/* Adds a command to its queue's pending ones, and removes one that has ended. */
static void queue_add(simdev_command *command)
{
    simdev_queue *queue = command->queue;
    command->older = queue->newest;
    if (queue->newest) queue->newest->newer = command;
    queue->newest = command;
}

static void queue_remove(simdev_command *command)
{
    simdev_queue *queue = command->queue;
    simdev_command *newer = command->newer, *older = command->older;
    CHECK((newer == NULL) == (queue->newest == command));
    if (newer)
        newer->older = older;
    else
        queue->newest = older;
    if (older) older->newer = newer;
    if (queue->barrier == command) queue->barrier = NULL;
    command->newer = command->older = NULL;
    command->queue = NULL;
}

/* ---- Running one command ------------------------------------------------------------------ */

/* Forwards a finding of sim, with the tag that the runtime gave the command. */
static void finding_forward(void *user, const sim_finding *finding)
{
    const simdev_command *command = user;
    if (!command->device->on_finding) return;
    dev_finding forwarded = {
        .kind = finding->kind,
        .message = finding->message,
        .tag = command->tag,
        .kernel = finding->kernel,
        .source = finding->source,
        .source_line = finding->source_line,
        .source_column = finding->source_column,
        .other_source = finding->other_source,
        .other_line = finding->other_line,
        .object = finding->object,
        .offset = finding->offset,
        .count = finding->count,
    };
    memcpy(forwarded.work_item, finding->work_item, sizeof forwarded.work_item);
    command->device->on_finding(command->device->finding_user, &forwarded);
}

/* True if the operand's memory still exists. If not, it was unified shared memory that the
 * application freed too early; the command then moves nothing. */
static bool operand_found(const simdev_command *command, operand range)
{
    static const char *const verbs[] = {
        [COMMAND_READ] = "read", [COMMAND_WRITE] = "write", [COMMAND_COPY] = "copy",
        [COMMAND_FILL] = "fill", [COMMAND_MAP] = "map",     [COMMAND_UNMAP] = "unmap"};
    simdev_device *device = command->device;
    if (!range.memory || sim_object_is_alive(device->world, range.memory->object)) return true;
    if (!device->on_finding) return false;
    /* Other commands have no operands. */
    CHECK((size_t)command->kind < sizeof verbs / sizeof *verbs && verbs[command->kind]);
    rt_text label = sim_object_label(device->world, range.memory->object);
    rt_buffer message = {0};
    rt_buffer_printf(&message, "%s of %llu bytes at offset %llu of '%.*s', which has been freed",
                     verbs[command->kind], (unsigned long long)command->size,
                     (unsigned long long)range.offset, RT_TEXT_ARG(label));
    const dev_finding finding = {.kind = "use-after-free",
                                 .message = rt_buffer_text(&message),
                                 .tag = command->tag,
                                 .object = label,
                                 .offset = range.offset,
                                 .count = 1};
    device->on_finding(device->finding_user, &finding);
    rt_buffer_free(&message);
    return false;
}

/* Passes on what a kernel printed; by default to standard output, as OpenCL drivers do. Bypasses
 * the C library's buffer, which in a forked child may hold the parent's output. */
static void output_print(void *user, rt_text text)
{
    const simdev_device *device = ((const simdev_command *)user)->device;
    ((const simdev_command *)user)->node->has_printed = true;
    if (device->on_output) {
        device->on_output(device->output_user, text);
        return;
    }
    while (text.length > 0) {
        ssize_t size = write(STDOUT_FILENO, text.data, text.length);
        if (size < 0 && errno != EINTR) return; /* for example, the reader has closed its end */
        if (size < 0) continue;
        text.data += size;
        text.length -= (size_t)size;
    }
}

/* With sim{tier=compiled}, says why a kernel is interpreted nevertheless. */
static void tier_report(const simdev_command *command)
{
    sim_tier_report report = sim_world_tier_report(command->device->world);
    if (!report.is_news) return;
    fprintf(stderr, "assay: kernel '%.*s' is interpreted because it %.*s\n",
            RT_TEXT_ARG(report.kernel), RT_TEXT_ARG(report.reason));
}

/* Notes what a launch accessed. */
static void accessed_note(void *user, const sim_accessed *accessed)
{
    simdev_node_accesses(((const simdev_command *)user)->node, accessed);
}

/* Notes what a transfer accesses. */
static void transfer_note(const simdev_command *command)
{
    if (command->mapping) {
        simdev_mapping_note(command->mapping, command->node, command->kind == COMMAND_UNMAP);
        return;
    }
    const operand sides[] = {command->from, command->to};
    const void *const host[] = {command->source, command->destination};
    for (uint32_t i = 0; i < 2; i++) {
        if (!sides[i].memory && !host[i]) continue;
        uint64_t offset = sides[i].memory ? sides[i].offset : (uintptr_t)host[i];
        sim_object object = sides[i].memory ? sides[i].memory->object : 0;
        const sim_accessed accessed = {object, offset, command->size, .is_write = i == 1};
        simdev_node_accesses(command->node, &accessed);
    }
}

/* Keeps what the source of a write contains, unless an earlier command or host event that the host
 * does not know to be done is in its wait list: that may provide the contents. */
static void source_keep(simdev_command *command)
{
    command->has_source_hash = command->node->before.count == 0;
    if (!command->has_source_hash) return;
    command->source_hash = rt_hash64(command->source, (size_t)command->size);
    command->host_writes = command->device->host_writes;
}

/* Reports a write whose source the host has changed since it was submitted: the host must leave the
 * source alone until the write is done (OpenCL API 3.0, clEnqueueWriteBuffer). */
static void source_check(const simdev_command *command)
{
    simdev_device *device = command->device;
    bool is_host_alone = command->host_writes == device->host_writes;
    if (!command->has_source_hash || !is_host_alone || !device->on_finding) return;
    if (rt_hash64(command->source, (size_t)command->size) == command->source_hash) return;
    rt_text label = sim_object_label(device->world, command->to.memory->object);
    rt_buffer message = {0};
    rt_buffer_printf(&message,
                     "the host has changed the source of a write of %llu bytes at offset %llu of "
                     "'%.*s', which had not been done; wait for the write before that",
                     (unsigned long long)command->size, (unsigned long long)command->to.offset,
                     RT_TEXT_ARG(label));
    const dev_finding finding = {.kind = "command-race",
                                 .message = rt_buffer_text(&message),
                                 .tag = command->tag,
                                 .object = label,
                                 .offset = command->to.offset,
                                 .count = 1};
    device->on_finding(device->finding_user, &finding);
    rt_buffer_free(&message);
}

static rt_status command_run(simdev_command *command, bool is_recorded)
{
    sim_world *world = command->device->world;
    if (!operand_found(command, command->from) || !operand_found(command, command->to)) {
        /* Zeros, so that every run reads the same bytes. */
        if (command->kind == COMMAND_READ) memset(command->destination, 0, (size_t)command->size);
        return RT_STATUS_OK;
    }
    if (is_recorded) transfer_note(command);
    bool may_write_host = command->kind == COMMAND_READ || command->kind == COMMAND_MAP ||
                          (command->device->maps_usm && command->kind != COMMAND_WRITE);
    command->device->host_writes += may_write_host;
    switch (command->kind) {
    case COMMAND_KERNEL: {
        if (is_recorded) simdev_node_name(command->node, sim_kernel_name(command->kernel->kernel));
        const sim_launch_options options = {.schedule = command->device->schedule,
                                            .on_finding = finding_forward,
                                            .on_output = output_print,
                                            .on_accessed = is_recorded ? accessed_note : NULL,
                                            .user = command};
        rt_status status = sim_launch(world, command->kernel->kernel, &command->range,
                                      command->arguments, command->argument_count, &options);
        tier_report(command);
        return status;
    }
    case COMMAND_READ:
        sim_object_read(world, command->from.memory->object, command->from.offset, command->size,
                        command->destination);
        return RT_STATUS_OK;
    case COMMAND_WRITE:
        source_check(command);
        sim_object_write(world, command->to.memory->object, command->to.offset, command->size,
                         command->source);
        return RT_STATUS_OK;
    case COMMAND_COPY:
        sim_object_copy(world, command->from.memory->object, command->from.offset,
                        command->to.memory->object, command->to.offset, command->size);
        return RT_STATUS_OK;
    case COMMAND_FILL: {
        /* Write whole patterns, at most a page at a time, so that a large fill needs no buffer of
         * its own size. */
        uint8_t chunk[4096];
        const size_t whole = sizeof chunk - sizeof chunk % command->pattern_size;
        for (size_t i = 0; i < whole; i++)
            chunk[i] = command->pattern[i % command->pattern_size];
        for (uint64_t done = 0, size; done < command->size; done += size) {
            size = command->size - done;
            if (size > whole) size = whole;
            sim_object_write(world, command->to.memory->object, command->to.offset + done, size,
                             chunk);
        }
        return RT_STATUS_OK;
    }
    case COMMAND_MARKER: return RT_STATUS_OK;
    case COMMAND_MAP: simdev_mapping_begin(command->mapping); return RT_STATUS_OK;
    case COMMAND_UNMAP: simdev_mapping_end(command->mapping); return RT_STATUS_OK;
    case COMMAND_HOST: break;
    }
    UNREACHABLE();
}

/* The present time on the clock of the commands' times; the lock is held. */
static uint64_t now(simdev_device *device)
{
    if (!device->has_host_clock) return device->clock++;
    struct timespec time;
    int failed = clock_gettime(CLOCK_MONOTONIC, &time);
    CHECK(failed == 0);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Ends a command with the status that it has, and passes the status on to its dependents. */
static void command_end(simdev_command *command)
{
    simdev_device *device = command->device;
    command->state = rt_ok(command->status) ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
    /* A failure is passed on immediately, but a dependent ends only when all its predecessors are
     * done. */
    for (uint32_t i = 0; i < command->dependents.count; i++) {
        const dependent *edge = &command->dependents.items[i];
        simdev_command *after = edge->command;
        CHECK(after->state == DEV_EVENT_PENDING && after->unfinished >= 1);
        if (edge->takes_failure && rt_ok(after->status)) after->status = command->status;
        if (--after->unfinished == 0) *rt_vector_push(&device->ready) = after;
    }
    rt_vector_free(&command->dependents);
    operands_release(command);
    simdev_node_end(&device->history, command->node);
    pthread_cond_broadcast(&device->changed);
}

/* Takes one of the ready commands: drawn from the seed, unless the opener of the device chooses. */
static simdev_command *ready_take(simdev_device *device)
{
    uint32_t count = device->ready.count, number = 0;
    CHECK(count >= 1);
    device->choice += RT_MIX_STEP;
    uint32_t index = (uint32_t)(rt_mix64(device->choice) % count);
    bool is_chosen = count > 1 && device->choose_command;
    if (is_chosen) index = device->choose_command(device->order_user, count, index, &number);
    CHECK(index < count);
    simdev_command *command = device->ready.items[index];
    if (is_chosen && device->history.is_kept) {
        simdev_node **nodes = rt_alloc_array(count, sizeof(simdev_node *));
        for (uint32_t i = 0; i < count; i++)
            nodes[i] = device->ready.items[i]->node;
        simdev_point_add(&device->history, number, nodes, count, command->node);
        rt_free(nodes);
    }
    device->ready.items[index] = device->ready.items[--device->ready.count];
    return command;
}

/* Runs one of the ready commands, or fails it if a predecessor has failed. While commands are
 * pending and the host has completed its events, one is always ready: a wait list contains only
 * commands that were enqueued earlier, so pending commands cannot wait for each other in a cycle.
 */
static void step(simdev_device *device)
{
    simdev_command *command = ready_take(device);
    CHECK(command->state == DEV_EVENT_PENDING && command->unfinished == 0);
    simdev_node_begin(command->node);
    bool waits_here =
        device->ready.count == 0 && (device->host_pending == 0 || device->pending_count == 1);
    bool is_recorded =
        command->kind != COMMAND_MARKER &&
        (simdev_is_mapped(device) || simdev_order_matters(device, command->node, waits_here));
    command->times.start = now(device);
    if (command->kind == COMMAND_READ && device->on_host_write)
        device->on_host_write(device->finding_user, command->destination, command->size);
    if (rt_ok(command->status)) command->status = command_run(command, is_recorded);
    command->times.end = now(device);
    if (is_recorded) simdev_mapped_judge(device, command->node, command->mapping);
    if (is_recorded) simdev_node_judge(device, command->node);
    command_end(command);
    CHECK(device->pending_count >= 1);
    queue_remove(command);
    device->pending_count--;
    command_release(command);
}

/* Makes what a thread waits for wanted: a command, or all of a queue. */
static void wait_begin(simdev_device *device, const simdev_command *command,
                       const simdev_queue *queue)
{
    simdev_want_begin(&device->history);
    if (command) simdev_want(&device->history, command->node);
    for (uint32_t i = 0; queue && i < queue->nodes.count; i++)
        simdev_want(&device->history, queue->nodes.items[i]);
}

/* Runs a command, or waits until there may be one that can run. */
static void step_or_sleep(simdev_device *device, const simdev_command *command,
                          const simdev_queue *queue)
{
    if (device->ready.count > 0) {
        step(device);
        return;
    }
    pthread_cond_wait(&device->changed, &device->lock);
    wait_begin(device, command, queue); /* another thread may have waited meanwhile */
}

/* ---- Events ------------------------------------------------------------------------------- */

static void host_event_end(simdev_command *command, bool has_failed)
{
    CHECK(command->kind == COMMAND_HOST && command->state == DEV_EVENT_PENDING);
    if (has_failed)
        command->status = rt_fail(command->device->base.sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                                  "the host completed an event with an error");
    CHECK(command->device->host_pending >= 1);
    command->device->host_pending--;
    simdev_node_complete(&command->device->history, command->node);
    command_end(command);
}

static void simdev_event_destroy(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    simdev_device *device = command->device;
    pthread_mutex_lock(&device->lock);
    if (command->kind == COMMAND_HOST && command->state == DEV_EVENT_PENDING)
        host_event_end(command, true);
    command_release(command);
    pthread_mutex_unlock(&device->lock);
}

static rt_status simdev_event_wait(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    simdev_device *device = command->device;
    pthread_mutex_lock(&device->lock);
    if (command->state == DEV_EVENT_PENDING) wait_begin(device, command, NULL);
    while (command->state == DEV_EVENT_PENDING)
        step_or_sleep(device, command, NULL);
    simdev_node_learn(&device->history, command->node);
    rt_status status = command->status;
    pthread_mutex_unlock(&device->lock);
    return status;
}

static dev_event_state simdev_event_state(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    pthread_mutex_lock(&command->device->lock);
    dev_event_state state = command->state;
    pthread_mutex_unlock(&command->device->lock);
    return state;
}

static rt_status simdev_event_times(dev_event *base, dev_times *out_times)
{
    simdev_command *command = (simdev_command *)base;
    pthread_mutex_lock(&command->device->lock);
    *out_times = command->times;
    pthread_mutex_unlock(&command->device->lock);
    return RT_STATUS_OK;
}

static void simdev_event_advance(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    simdev_device *device = command->device;
    pthread_mutex_lock(&device->lock);
    if (command->state == DEV_EVENT_PENDING) wait_begin(device, command, NULL);
    while (command->state == DEV_EVENT_PENDING && device->ready.count > 0)
        step(device);
    pthread_mutex_unlock(&device->lock);
}

static rt_status simdev_host_event_complete(dev_event *base, bool has_failed)
{
    simdev_command *command = (simdev_command *)base;
    pthread_mutex_lock(&command->device->lock);
    bool is_open = command->state == DEV_EVENT_PENDING;
    if (is_open) host_event_end(command, has_failed);
    pthread_mutex_unlock(&command->device->lock);
    if (is_open) return RT_STATUS_OK;
    return rt_fail(command->device->base.sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "the host has completed this event already; an event is completed once");
}

static void simdev_event_learn(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    pthread_mutex_lock(&command->device->lock);
    CHECK(command->state != DEV_EVENT_PENDING);
    simdev_node_learn(&command->device->history, command->node);
    pthread_mutex_unlock(&command->device->lock);
}

static bool simdev_event_is_known(dev_event *base)
{
    simdev_command *command = (simdev_command *)base;
    pthread_mutex_lock(&command->device->lock);
    bool is_known = command->node->is_known;
    pthread_mutex_unlock(&command->device->lock);
    return is_known;
}

static const dev_event_ops simdev_event_ops = {
    .destroy = simdev_event_destroy,
    .wait = simdev_event_wait,
    .state = simdev_event_state,
    .times = simdev_event_times,
    .advance = simdev_event_advance,
    .complete = simdev_host_event_complete,
    .learn = simdev_event_learn,
    .is_known = simdev_event_is_known,
};

rt_status simdev_host_event_create(dev_device *base, dev_event **out_event)
{
    simdev_command *command = rt_alloc(sizeof *command);
    command->base.ops = &simdev_event_ops;
    command->device = (simdev_device *)base;
    command->state = DEV_EVENT_PENDING;
    command->kind = COMMAND_HOST;
    command->references = 1;
    pthread_mutex_lock(&command->device->lock);
    command->node = simdev_node_make(&command->device->history, 0, "host event");
    command->device->host_pending++;
    pthread_mutex_unlock(&command->device->lock);
    *out_event = &command->base;
    return RT_STATUS_OK;
}

/* ---- Enqueues ----------------------------------------------------------------------------- */

static simdev_command *command_create(simdev_queue *queue, command_kind kind, uint32_t tag)
{
    simdev_command *command = rt_alloc(sizeof *command);
    command->base.ops = &simdev_event_ops;
    command->device = queue->device;
    command->queue = queue;
    command->state = DEV_EVENT_PENDING;
    command->tag = tag;
    command->kind = kind;
    return command;
}

/* Makes a command wait for a pending one. */
static void command_follow(simdev_command *command, simdev_command *before, bool takes_failure)
{
    CHECK(before->state == DEV_EVENT_PENDING && before != command);
    simdev_node_follow(command->node, before->node);
    *rt_vector_push(&before->dependents) = (dependent){command, takes_failure};
    command->unfinished++;
}

/* Drops the nodes that the host knows, and all of them if a command waits for all of them. */
static void nodes_purge(simdev_queue *queue, bool drops_all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->nodes.count; i++) {
        simdev_node *node = queue->nodes.items[i];
        if (drops_all || node->is_known)
            simdev_node_release(&queue->device->history, node);
        else
            queue->nodes.items[kept++] = node;
    }
    queue->nodes.count = kept;
    queue->purge_at = 2 * kept + 64;
}

/* Gives the command its place in the order: after its queue's last barrier and, if it waits for
 * all, after everything in the queue, done or not.  What its wait list adds follows. */
static void node_place(simdev_command *command, bool waits_for_all)
{
    static const char *const names[] = {
        [COMMAND_KERNEL] = "kernel", [COMMAND_READ] = "read",  [COMMAND_WRITE] = "write",
        [COMMAND_COPY] = "copy",     [COMMAND_FILL] = "fill",  [COMMAND_MARKER] = "marker",
        [COMMAND_MAP] = "map",       [COMMAND_UNMAP] = "unmap"};
    simdev_queue *queue = command->queue;
    simdev_history *history = &queue->device->history;
    command->node = simdev_node_make(history, command->tag, names[command->kind]);
    if (queue->barrier_node) simdev_node_follow(command->node, queue->barrier_node);
    for (uint32_t i = 0; waits_for_all && i < queue->nodes.count; i++)
        simdev_node_follow(command->node, queue->nodes.items[i]);
    if (waits_for_all || queue->nodes.count >= queue->purge_at) nodes_purge(queue, waits_for_all);
    command->node->references++;
    *rt_vector_push(&queue->nodes) = command->node;
}

/* Adds a fully initialised command to the pending ones.  The lock is held, and the references to
 * its operands were taken under it. */
static void command_submit(simdev_command *command, dev_command described, dev_event **out_event)
{
    simdev_device *device = command->device;
    for (uint32_t i = 0; i < described.wait_count; i++) {
        simdev_command *before = (simdev_command *)described.wait[i];
        CHECK(before->device == device && before != command);
        if (before->state == DEV_EVENT_PENDING) {
            command_follow(command, before, true);
            continue;
        }
        simdev_node_follow(command->node, before->node);
        if (rt_ok(command->status)) command->status = before->status;
    }
    if (command->queue->barrier) command_follow(command, command->queue->barrier, false);
    command->times.submit = now(device);
    command->references = 2; /* the pending set's and the caller's */
    queue_add(command);
    device->pending_count++;
    if (command->unfinished == 0) *rt_vector_push(&device->ready) = command;
    *out_event = &command->base;
}

/* Submits a command that moves bytes; `from` or `to` is NULL if that side is the host. */
static rt_status transfer_submit(simdev_command *command, dev_command described, dev_memory *from,
                                 uint64_t from_offset, dev_memory *to, uint64_t to_offset,
                                 dev_event **out_event)
{
    pthread_mutex_t *lock = &command->queue->device->lock;
    pthread_mutex_lock(lock);
    node_place(command, false);
    if (from) command->from = operand_of(from, from_offset);
    if (to) command->to = operand_of(to, to_offset);
    command_submit(command, described, out_event);
    if (command->kind == COMMAND_WRITE) source_keep(command);
    pthread_mutex_unlock(lock);
    return RT_STATUS_OK;
}

static rt_status simdev_enqueue_read(dev_queue *base, dev_command described, dev_memory *memory,
                                     uint64_t offset, uint64_t size, void *destination,
                                     dev_event **out_event)
{
    simdev_command *command = command_create((simdev_queue *)base, COMMAND_READ, described.tag);
    command->size = size;
    command->destination = destination;
    return transfer_submit(command, described, memory, offset, NULL, 0, out_event);
}

static rt_status simdev_enqueue_write(dev_queue *base, dev_command described, dev_memory *memory,
                                      uint64_t offset, uint64_t size, const void *source,
                                      dev_event **out_event)
{
    simdev_command *command = command_create((simdev_queue *)base, COMMAND_WRITE, described.tag);
    command->size = size;
    command->source = source;
    return transfer_submit(command, described, NULL, 0, memory, offset, out_event);
}

static rt_status simdev_enqueue_copy(dev_queue *base, dev_command described, dev_memory *source,
                                     uint64_t source_offset, dev_memory *destination,
                                     uint64_t destination_offset, uint64_t size,
                                     dev_event **out_event)
{
    simdev_command *command = command_create((simdev_queue *)base, COMMAND_COPY, described.tag);
    command->size = size;
    return transfer_submit(command, described, source, source_offset, destination,
                           destination_offset, out_event);
}

static rt_status simdev_enqueue_fill(dev_queue *base, dev_command described, dev_memory *memory,
                                     uint64_t offset, uint64_t size, rt_bytes pattern,
                                     dev_event **out_event)
{
    simdev_command *command = command_create((simdev_queue *)base, COMMAND_FILL, described.tag);
    CHECK(pattern.size <= sizeof command->pattern);
    command->size = size;
    memcpy(command->pattern, pattern.data, pattern.size);
    command->pattern_size = (uint32_t)pattern.size;
    return transfer_submit(command, described, NULL, 0, memory, offset, out_event);
}

static void barrier_set(simdev_queue *queue, simdev_command *command)
{
    queue->barrier = command;
    if (queue->barrier_node) simdev_node_release(&queue->device->history, queue->barrier_node);
    queue->barrier_node = command->node;
    command->node->references++;
}

static rt_status simdev_enqueue_marker(dev_queue *base, dev_command described, dev_marker marker,
                                       dev_event **out_event)
{
    simdev_queue *queue = (simdev_queue *)base;
    simdev_command *command = command_create(queue, COMMAND_MARKER, described.tag);
    pthread_mutex_lock(&queue->device->lock);
    node_place(command, marker.waits_for_all);
    for (simdev_command *before = queue->newest; marker.waits_for_all && before;
         before = before->older)
        command_follow(command, before, false);
    command_submit(command, described, out_event);
    if (marker.is_barrier) barrier_set(queue, command);
    pthread_mutex_unlock(&queue->device->lock);
    return RT_STATUS_OK;
}

/* ---- Mappings ----------------------------------------------------------------------------- */

static rt_status simdev_enqueue_map(dev_queue *base, dev_command described, dev_memory *memory,
                                    dev_map map, dev_mapping **out_mapping, dev_event **out_event)
{
    simdev_queue *queue = (simdev_queue *)base;
    simdev_mapping *mapping = NULL;
    pthread_mutex_lock(&queue->device->lock);
    rt_status status = simdev_mapping_create((simdev_memory *)memory, map, described.tag, &mapping);
    if (rt_ok(status)) {
        simdev_command *command = command_create(queue, COMMAND_MAP, described.tag);
        command->size = map.size;
        command->mapping = mapping;
        mapping->references++;
        node_place(command, false);
        command->from = operand_of(memory, map.offset);
        command_submit(command, described, out_event);
    }
    pthread_mutex_unlock(&queue->device->lock);
    if (rt_ok(status) && map.is_blocking) {
        status = simdev_event_wait(*out_event);
        if (!rt_ok(status)) {
            simdev_event_destroy(*out_event);
            pthread_mutex_lock(&queue->device->lock);
            simdev_mapping_release(mapping);
            pthread_mutex_unlock(&queue->device->lock);
            *out_event = NULL;
        }
    }
    *out_mapping = rt_ok(status) ? &mapping->base : NULL;
    return status;
}

static rt_status simdev_enqueue_unmap(dev_queue *base, dev_command described, dev_mapping *mapped,
                                      dev_event **out_event)
{
    simdev_queue *queue = (simdev_queue *)base;
    simdev_mapping *mapping = (simdev_mapping *)mapped;
    simdev_command *command = command_create(queue, COMMAND_UNMAP, described.tag);
    command->size = mapped->map.size;
    pthread_mutex_lock(&queue->device->lock);
    CHECK(mapping->is_open);
    mapping->is_open = false;
    command->mapping = mapping; /* the caller's reference */
    node_place(command, false);
    command->from = operand_of(mapped->memory, mapped->map.offset);
    command_submit(command, described, out_event);
    pthread_mutex_unlock(&queue->device->lock);
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

/* For each kind of argument, its name in messages and the kind of parameter that it fits. */
static const struct {
    const char *name;
    sim_parameter_kind parameter;
} argument_kinds[DEV_ARGUMENT_KINDS] = {
    [DEV_ARGUMENT_MEMORY] = {"memory", SIM_PARAMETER_GLOBAL},
    [DEV_ARGUMENT_POINTER] = {"a pointer to global memory", SIM_PARAMETER_GLOBAL},
    [DEV_ARGUMENT_BYTES] = {"a value", SIM_PARAMETER_VALUE},
    [DEV_ARGUMENT_LOCAL] = {"local memory", SIM_PARAMETER_LOCAL},
};

static const sim_argument_access argument_accesses[] = {
    [DEV_ACCESS_READ_WRITE] = SIM_ACCESS_READ_WRITE,
    [DEV_ACCESS_READ] = SIM_ACCESS_READ,
    [DEV_ACCESS_WRITE] = SIM_ACCESS_WRITE,
};

static const char *const parameter_kind_names[] = {
    [SIM_PARAMETER_GLOBAL] = "a pointer to global memory",
    [SIM_PARAMETER_LOCAL] = "a pointer to local memory",
    [SIM_PARAMETER_VALUE] = "a value",
};

/* Refuses unsuitable arguments when the kernel is enqueued, rather than when it runs. */
static rt_status arguments_validate(rt_sink *sink, const sim_kernel *kernel,
                                    const dev_argument *arguments, uint32_t argument_count)
{
    RT_TRY(dev_argument_count_validate(sink, sim_kernel_parameter_count(kernel), argument_count));
    for (uint32_t i = 0; i < argument_count; i++) {
        sim_parameter parameter = sim_kernel_parameter(kernel, i);
        dev_argument_kind kind = arguments[i].kind;
        CHECK(kind < DEV_ARGUMENT_KINDS);
        bool is_value = kind == DEV_ARGUMENT_BYTES;
        uint64_t size = is_value ? arguments[i].bytes.size : 8;
        bool has_size = !is_value || size == parameter.size;
        if (parameter.kind == argument_kinds[kind].parameter && has_size) continue;
        return rt_fail(
            sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
            "argument %u is %s (%llu bytes), but the kernel's parameter is %s (%u bytes)", i,
            argument_kinds[kind].name, (unsigned long long)size,
            parameter_kind_names[parameter.kind], parameter.size);
    }
    return RT_STATUS_OK;
}

/* Copies the arguments into the command, with references to their memories; the lock is held. */
static void arguments_take(simdev_command *command, const dev_argument *arguments, uint32_t count)
{
    command->arguments = rt_alloc_array(count, sizeof *command->arguments);
    command->argument_memories = rt_alloc_array(count, sizeof *command->argument_memories);
    command->argument_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const dev_argument *argument = &arguments[i];
        sim_argument *stored = &command->arguments[i];
        stored->kind = argument_kinds[argument->kind].parameter;
        stored->access = argument_accesses[argument->access];
        if (argument->kind == DEV_ARGUMENT_LOCAL) {
            stored->size = argument->size;
        } else if (argument->kind == DEV_ARGUMENT_BYTES) {
            uint8_t *copy = rt_alloc(argument->bytes.size);
            memcpy(copy, argument->bytes.data, argument->bytes.size);
            stored->bytes = (rt_bytes){copy, argument->bytes.size};
        } else if (argument->memory) { /* otherwise object 0, the null pointer */
            stored->offset = argument->kind == DEV_ARGUMENT_POINTER ? argument->offset : 0;
            command->argument_memories[i] = memory_keep(argument->memory);
            stored->object = command->argument_memories[i]->object;
        }
    }
}

static rt_status simdev_enqueue_kernel(dev_queue *base, dev_command described,
                                       dev_kernel *kernel_base, const dev_nd_range *range,
                                       const dev_argument *arguments, uint32_t argument_count,
                                       dev_event **out_event)
{
    simdev_queue *queue = (simdev_queue *)base;
    simdev_kernel *kernel = (simdev_kernel *)kernel_base;
    rt_sink *sink = base->device->sink;
    RT_TRY(dev_nd_range_validate(sink, range, RT_WORK_GROUP_SIZE_MAX));
    RT_TRY(arguments_validate(sink, kernel->kernel, arguments, argument_count));
    if (dev_nd_range_is_empty(range))
        return simdev_enqueue_marker(base, described, (dev_marker){0}, out_event);
    sim_range chosen = {.dimensions = range->dimensions, .is_non_uniform = range->is_non_uniform};
    memcpy(chosen.global, range->global, sizeof chosen.global);
    memcpy(chosen.local, range->local, sizeof chosen.local);
    memcpy(chosen.offset, range->offset, sizeof chosen.offset);
    if (chosen.local[0] == 0) sim_range_choose_local(kernel->kernel, &chosen);
    CHECK(chosen.local[0] >= 1 && chosen.local[1] >= 1 && chosen.local[2] >= 1);
    RT_TRY(sim_range_check(sink, kernel->kernel, &chosen));

    simdev_command *command = command_create(queue, COMMAND_KERNEL, described.tag);
    command->range = chosen;
    pthread_mutex_lock(&queue->device->lock);
    node_place(command, false);
    command->kernel = kernel;
    kernel->references++;
    arguments_take(command, arguments, argument_count);
    command_submit(command, described, out_event);
    pthread_mutex_unlock(&queue->device->lock);
    return RT_STATUS_OK;
}

/* ---- Queues ------------------------------------------------------------------------------- */

/* A flush permits progress but guarantees none; running commands here would hide missing waits. */
static rt_status simdev_queue_flush(dev_queue *base)
{
    (void)base;
    return RT_STATUS_OK;
}

static void simdev_queue_destroy(dev_queue *base)
{
    simdev_queue *queue = (simdev_queue *)base;
    simdev_device *device = queue->device;
    pthread_mutex_lock(&device->lock);
    wait_begin(device, NULL, queue);
    while (queue->newest)
        step_or_sleep(device, NULL, queue);
    for (uint32_t i = 0; i < queue->nodes.count; i++)
        simdev_node_learn(&device->history, queue->nodes.items[i]);
    nodes_purge(queue, true);
    rt_vector_free(&queue->nodes);
    if (queue->barrier_node) simdev_node_release(&device->history, queue->barrier_node);
    pthread_mutex_unlock(&device->lock);
    rt_free(queue);
}

static const dev_queue_ops simdev_queue_ops = {
    .destroy = simdev_queue_destroy,
    .enqueue_kernel = simdev_enqueue_kernel,
    .enqueue_read = simdev_enqueue_read,
    .enqueue_write = simdev_enqueue_write,
    .enqueue_copy = simdev_enqueue_copy,
    .enqueue_fill = simdev_enqueue_fill,
    .enqueue_marker = simdev_enqueue_marker,
    .enqueue_map = simdev_enqueue_map,
    .enqueue_unmap = simdev_enqueue_unmap,
    .flush = simdev_queue_flush,
};

rt_status simdev_queue_create(dev_device *base, dev_queue **out_queue)
{
    simdev_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &simdev_queue_ops;
    queue->device = (simdev_device *)base;
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}
