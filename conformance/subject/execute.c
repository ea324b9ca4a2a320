/* The steps of a scenario, one after the other. */
#include "conformance/subject/execute.h"

void cnf_execution_finding(void *user, const dev_finding *finding)
{
    cnf_execution *execution = user;
    pthread_mutex_lock(&execution->findings_lock);
    *rt_vector_push(&execution->findings) = (cnf_kept_finding){
        .kind = finding->kind,
        .message = rt_arena_text(&execution->arena, finding->message),
        .kernel = rt_arena_text(&execution->arena, finding->kernel),
        .source = rt_arena_text(&execution->arena, finding->source),
        .object = rt_arena_text(&execution->arena, finding->object),
        .source_line = finding->source_line,
        .offset = finding->offset,
    };
    pthread_mutex_unlock(&execution->findings_lock);
}

/* ---- Setting up --------------------------------------------------------------------------- */

static rt_module *module_table(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    rt_module *modules =
        rt_arena_alloc_array(&execution->arena, scenario->module_count, sizeof *modules);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        modules[i] = (rt_module){.name = module->name,
                                 .needs = module->needs,
                                 .need_count = module->need_count,
                                 .images = module->images};
    }
    return modules;
}

static rt_status create_memories(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        const scn_memory *memory = &scenario->memories[i];
        uint64_t size = memory->count * scn_type_size(memory->type);
        CHECK(!memory->initial.data || memory->initial.size == size);
        RT_TRY(rt_runtime_memory_create(execution->runtime, memory->name, size,
                                        memory->initial.data, &execution->memories[i]));
    }
    return RT_STATUS_OK;
}

static rt_status set_up(cnf_execution *execution, dev_device *device)
{
    const scn_scenario *scenario = execution->scenario;
    rt_arena *arena = &execution->arena;
    execution->memories =
        rt_arena_alloc_array(arena, scenario->memory_count, sizeof *execution->memories);
    execution->commands =
        rt_arena_alloc_array(arena, scenario->step_count, sizeof *execution->commands);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        execution->commands[i] = UINT32_MAX;
    execution->counted = rt_arena_alloc_array(arena, RT_EVENT_COUNT, sizeof *execution->counted);
    execution->runtime = rt_runtime_create(execution->sink, module_table(execution),
                                           scenario->module_count, execution->seed);
    execution->device = rt_runtime_device_add(execution->runtime, RT_TEXT("device"), device);
    RT_TRY(rt_scheduler_queue_create(rt_runtime_scheduler(execution->runtime), execution->device,
                                     false, &execution->queue));
    return create_memories(execution);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static rt_argument argument_of(const cnf_execution *execution, const scn_argument *given)
{
    static const rt_access accesses[] = {
        [SCN_ACCESS_READ_WRITE] = RT_ACCESS_READ_WRITE,
        [SCN_ACCESS_READ] = RT_ACCESS_READ,
        [SCN_ACCESS_WRITE] = RT_ACCESS_WRITE,
    };
    switch (given->kind) {
    case SCN_ARGUMENT_MEMORY:
        return (rt_argument){.kind = RT_ARGUMENT_MEMORY,
                             .memory = execution->memories[given->memory],
                             .access = accesses[given->access]};
    case SCN_ARGUMENT_VALUE: return (rt_argument){.kind = RT_ARGUMENT_BYTES, .bytes = given->value};
    case SCN_ARGUMENT_LOCAL: return (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = given->size};
    }
    UNREACHABLE();
}

static dev_nd_range range_of(const scn_submit *submit)
{
    dev_nd_range range = {.dimensions = submit->dimensions};
    bool local_given = submit->local[0] != 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        bool used = d < submit->dimensions;
        range.global[d] = used ? submit->range[d] : 1;
        range.local[d] = !local_given ? 0 : used ? submit->local[d] : 1;
        range.offset[d] = used ? submit->offset[d] : 0;
    }
    return range;
}

static rt_status run_submit(cnf_execution *execution, uint32_t step, const scn_submit *submit)
{
    rt_argument *arguments = rt_alloc_array(submit->argument_count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < submit->argument_count; i++) {
        arguments[i] = argument_of(execution, &submit->arguments[i]);
    }
    rt_command_id *after = rt_alloc_array(submit->after_count + 1, sizeof *after);
    uint32_t after_count = 0;
    for (uint32_t i = 0; i < submit->after_count; i++) {
        /* A step that was refused, as it was expected to be, made no command to wait for. */
        rt_command_id command = execution->commands[submit->after[i]];
        if (command != UINT32_MAX) after[after_count++] = command;
    }
    rt_launch launch = {
        .kernel = submit->kernel,
        .range = range_of(submit),
        .arguments = arguments,
        .argument_count = submit->argument_count,
        .after = after,
        .after_count = after_count,
    };
    rt_status status = rt_scheduler_launch(rt_runtime_scheduler(execution->runtime),
                                           execution->queue, &launch, &execution->commands[step]);
    rt_free(after);
    rt_free(arguments);
    return status;
}

static void run_step(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const scn_scenario *scenario = execution->scenario;
    rt_scheduler *scheduler = rt_runtime_scheduler(execution->runtime);
    switch (step->verb) {
    case SCN_VERB_LOAD:
        rt_loader_open(rt_runtime_loader(execution->runtime), step->module);
        cnf_judge_step(execution, index, "step", scenario->modules[step->module].name,
                       RT_STATUS_OK);
        return;
    case SCN_VERB_UNLOAD:
        cnf_judge_step(execution, index, "step", scenario->modules[step->module].name,
                       rt_loader_close(rt_runtime_loader(execution->runtime), step->module));
        return;
    case SCN_VERB_SUBMIT:
        cnf_judge_step(execution, index, "launch", step->submit.kernel,
                       run_submit(execution, index, &step->submit));
        return;
    case SCN_VERB_WAIT:
        cnf_judge_step(execution, index, "step", RT_TEXT("wait"), rt_scheduler_wait(scheduler));
        return;
    case SCN_VERB_HOST_ACCESS:
        cnf_judge_step(execution, index, "step", scenario->memories[step->memory].name,
                       rt_scheduler_host_read(scheduler, execution->memories[step->memory]));
        return;
    case SCN_VERB_EXPECT:
        for (uint32_t i = 0; i < step->expect_count; i++) {
            cnf_judge_expect(execution, index, &step->expect[i]);
        }
        return;
    }
    UNREACHABLE();
}

/* ---- The end ------------------------------------------------------------------------------ */

/* A failure that no step was told: nothing in the scenario asked for it, so it is unexpected. */
static void judge_end(cnf_execution *execution, rt_text what, rt_status status)
{
    /* A kernel without end is told by its finding, which is judged as every finding is. */
    if (rt_ok(status) || status.code == RT_BUDGET) return;
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
    cnf_emit_check(execution->emitter, &(cnf_emitted_check){
                                           .step = SCN_NONE,
                                           .kind = "step",
                                           .what = what,
                                           .observed = true,
                                           .code = rt_text_of(rt_code_name(status.code)),
                                           .place = RT_TEXT("end"),
                                           .message = diagnostic->message,
                                           .rule = diagnostic->rule,
                                       });
    execution->failed = true;
}

/* Which bytes of the memory hold a value: as the device says, else all or none. */
static rt_status defined_bytes(cnf_execution *execution, const rt_memory *memory, uint8_t *bits)
{
    uint32_t device = rt_memory_valid_device(memory);
    if (device != UINT32_MAX) {
        CHECK(device == execution->device->id);
        return dev_memory_defined(memory->copies.items[device].memory, 0, memory->size, bits);
    }
    for (uint64_t i = 0; i < (memory->size + 7) / 8; i++)
        bits[i] = memory->initialised ? 255 : 0;
    return RT_STATUS_OK;
}

static void emit_final_memory(cnf_execution *execution, uint32_t index)
{
    const scn_memory *declared = &execution->scenario->memories[index];
    rt_memory *memory = execution->memories[index];
    rt_scheduler *scheduler = rt_runtime_scheduler(execution->runtime);
    rt_status status = rt_scheduler_host_read(scheduler, memory);
    uint8_t *bits = rt_alloc((size_t)(memory->size + 7) / 8);
    if (rt_ok(status)) status = defined_bytes(execution, memory, bits);
    judge_end(execution, declared->name, status);
    if (rt_ok(status)) {
        bool tracked = execution->device->capabilities.finds_faults;
        cnf_emit_memory(execution->emitter, declared, (rt_bytes){memory->host, memory->size},
                        tracked ? bits : NULL);
    }
    rt_free(bits);
}

static void finish(cnf_execution *execution)
{
    cnf_emit_stage(execution->emitter, "finish", SCN_NONE, 0);
    rt_status ended = rt_scheduler_wait(rt_runtime_scheduler(execution->runtime));
    judge_end(execution, RT_TEXT("wait"), ended);
    cnf_judge_findings(execution);
    for (uint32_t i = 0; i < execution->scenario->memory_count && !execution->failed; i++) {
        emit_final_memory(execution, i);
    }
    cnf_emit_trace(execution->emitter, rt_runtime_trace(execution->runtime));
}

void cnf_execute(cnf_execution *execution, dev_device *device)
{
    const scn_scenario *scenario = execution->scenario;
    CHECK(scenario->module_count >= 1);
    cnf_emit_stage(execution->emitter, "load", SCN_NONE, 0);
    rt_status status = set_up(execution, device);
    judge_end(execution, RT_TEXT("set-up"), status);
    if (rt_ok(status)) {
        rt_loader_start(rt_runtime_loader(execution->runtime), 0);
        for (uint32_t i = 0; i < scenario->step_count && !execution->failed; i++) {
            cnf_emit_stage(execution->emitter, "step", i, scenario->steps[i].at.line);
            execution->step_count = i + 1;
            run_step(execution, i);
        }
        finish(execution);
    }
    rt_runtime_destroy(execution->runtime);
    execution->runtime = NULL;
    rt_vector_free(&execution->findings);
    rt_arena_reset(&execution->arena);
}
