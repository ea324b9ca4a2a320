/* The life of a scenario: setting up, the steps one after the other, the end. */
#include "conformance/subject/layer.h"

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
        .command = finding->tag,
        .offset = finding->offset,
    };
    pthread_mutex_unlock(&execution->findings_lock);
}

bool cnf_choices_read(rt_arena *arena, rt_text script, const uint32_t **out_choices,
                      uint32_t *out_count)
{
    uint32_t *choices = rt_arena_alloc_array(arena, script.length + 1, sizeof *choices);
    *out_choices = choices;
    *out_count = 0;
    if (script.length == 0) return true;
    uint32_t count = 0;
    bool digit = false;
    for (size_t i = 0; i < script.length; i++) {
        char c = script.data[i];
        if (c >= '0' && c <= '9' && choices[count] <= (UINT32_MAX - 9) / 10) {
            choices[count] = choices[count] * 10 + (uint32_t)(c - '0');
            digit = true;
        } else if (c == ',' && digit) {
            count++;
            digit = false;
        } else {
            return false;
        }
    }
    *out_count = count + 1;
    return digit;
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
                                 .host_symbols = module->host_symbols,
                                 .host_symbol_count = module->host_symbol_count};
        if (module->registers) modules[i].images = module->images;
    }
    return modules;
}

static rt_status create_memory(cnf_execution *execution, uint32_t index)
{
    static const dev_memory_kind kinds[SCN_MEMORY_KIND_COUNT] = {
        [SCN_MEMORY_BUFFER] = DEV_MEMORY_BUFFER,
        [SCN_MEMORY_USM_DEVICE] = DEV_MEMORY_USM_DEVICE,
        [SCN_MEMORY_USM_HOST] = DEV_MEMORY_USM_HOST,
        [SCN_MEMORY_USM_SHARED] = DEV_MEMORY_USM_SHARED,
    };
    const scn_memory *memory = &execution->scenario->memories[index];
    uint64_t size = memory->count * memory->layout.size;
    CHECK(!memory->initial.data || memory->initial.size == size);
    if (memory->kind == SCN_MEMORY_BUFFER) {
        return rt_runtime_memory_create(execution->runtime, memory->name, size,
                                        memory->initial.data, &execution->memories[index]);
    }
    return rt_runtime_usm_create(execution->runtime, memory->name,
                                 execution->devices[memory->device], kinds[memory->kind], size,
                                 memory->initial.data, &execution->memories[index]);
}

static void create_tables(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    rt_arena *arena = &execution->arena;
    execution->devices =
        rt_arena_alloc_array(arena, scenario->device_count, sizeof(const rt_device *));
    execution->queues =
        rt_arena_alloc_array(arena, scenario->device_count, sizeof *execution->queues);
    execution->memories =
        rt_arena_alloc_array(arena, scenario->memory_count, sizeof *execution->memories);
    execution->results =
        rt_arena_alloc_array(arena, scenario->step_count, sizeof *execution->results);
    execution->counted = rt_arena_alloc_array(arena, RT_EVENT_COUNT, sizeof *execution->counted);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        execution->results[i] = (cnf_step_result){.command = UINT32_MAX, .queue = UINT32_MAX};
    for (uint32_t i = 0; i < scenario->device_count; i++)
        execution->queues[i] = UINT32_MAX;
}

static rt_status set_up(cnf_execution *execution, dev_device *const *devices)
{
    const scn_scenario *scenario = execution->scenario;
    create_tables(execution);
    rt_runtime_parameters parameters = {
        .sink = execution->sink,
        .modules = module_table(execution),
        .module_count = scenario->module_count,
        .profile = execution->profile,
        .seed = execution->seed,
    };
    bool readable = cnf_choices_read(&execution->arena, execution->choices, &parameters.choices,
                                     &parameters.choice_count);
    CHECK(readable); /* Checked where the child begins. */
    execution->runtime = rt_runtime_create(&parameters);
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        const scn_device *device = &scenario->devices[i];
        execution->devices[i] = rt_runtime_device_add(execution->runtime, device->name, devices[i],
                                                      device->hidden_aspects);
    }
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        RT_TRY(create_memory(execution, i));
    return RT_STATUS_OK;
}

/* ---- Steps -------------------------------------------------------------------------------- */

static rt_status run_load_image(cnf_execution *execution, const scn_step *step)
{
    const scn_module *module = &execution->scenario->modules[step->module];
    if (step->image >= module->images.count) {
        return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "module '%.*s' has %u images; there is no %.*s/%u",
                       RT_TEXT_ARG(module->name), module->images.count, RT_TEXT_ARG(module->name),
                       step->image);
    }
    return rt_runtime_image_load(execution->runtime, step->module,
                                 &module->images.images[step->image]);
}

static void run_context(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const rt_device **devices = rt_alloc_array(step->device_count, sizeof *devices);
    for (uint32_t i = 0; i < step->device_count; i++)
        devices[i] = execution->devices[step->devices[i]];
    execution->results[index].context =
        rt_runtime_context_create(execution->runtime, devices, step->device_count);
    rt_free(devices);
}

static void run_expect(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    for (uint32_t i = 0; i < step->expect_count; i++)
        cnf_judge_expect(execution, index, &step->expect[i]);
}

static void run_verb(cnf_execution *execution, uint32_t index)
{
    const scn_scenario *scenario = execution->scenario;
    const scn_step *step = &scenario->steps[index];
    rt_loader *loader = rt_runtime_loader(execution->runtime);
    rt_scheduler *scheduler = rt_runtime_scheduler(execution->runtime);
    switch (step->verb) {
    case SCN_VERB_LOAD:
        rt_loader_open(loader, step->module);
        cnf_judge_step(execution, index, "step", scenario->modules[step->module].name,
                       RT_STATUS_OK);
        return;
    case SCN_VERB_UNLOAD:
        cnf_judge_step(execution, index, "step", scenario->modules[step->module].name,
                       rt_loader_close(loader, step->module));
        return;
    case SCN_VERB_LOAD_IMAGE:
        cnf_judge_step(execution, index, "step", scenario->modules[step->module].name,
                       run_load_image(execution, step));
        return;
    case SCN_VERB_DEVICE: return; /* The reader has told every command its device. */
    case SCN_VERB_CONTEXT: run_context(execution, index); return;
    case SCN_VERB_QUEUE:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_queue(execution, index));
        return;
    case SCN_VERB_SUBMIT:
        cnf_judge_step(execution, index, "launch", step->submit.kernel,
                       cnf_run_submit(execution, index));
        return;
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
        cnf_judge_step(execution, index, "step", scenario->memories[step->transfer.to].name,
                       cnf_run_transfer(execution, index));
        return;
    case SCN_VERB_WAIT:
        cnf_judge_step(execution, index, "step", RT_TEXT("wait"), cnf_run_wait(execution, index));
        return;
    case SCN_VERB_HOST_ACCESS:
        cnf_judge_step(execution, index, "step", scenario->memories[step->memory].name,
                       rt_scheduler_host_read(scheduler, execution->memories[step->memory]));
        return;
    case SCN_VERB_PARALLEL: cnf_run_parallel(execution, index); return;
    case SCN_VERB_EXPECT: run_expect(execution, index); return;
    case SCN_VERB_COUNT: break;
    }
    UNREACHABLE();
}

void cnf_run_step(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    if (step->profile != RT_PROFILE_COUNT && step->profile != execution->profile) return;
    cnf_emit_stage(execution->emitter, "step", index, step->at.line);
    execution->results[index].begun = true;
    run_verb(execution, index);
}

/* ---- The end ------------------------------------------------------------------------------ */

/* A failure that no step was told: nothing in the scenario asked for it, so it is unexpected. */
static void judge_end(cnf_execution *execution, rt_text what, rt_status status)
{
    /* A kernel without end, or whose stack is exhausted, is told by its finding, which is judged as
     * every finding is. */
    if (rt_ok(status) || status.code == RT_BUDGET) return;
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
    cnf_judged(execution, &(cnf_emitted_check){
                              .step = SCN_NONE,
                              .kind = "step",
                              .what = what,
                              .observed = true,
                              .code = rt_text_of(rt_code_name(status.code)),
                              .place = RT_TEXT("end"),
                              .message = diagnostic->message,
                              .rule = diagnostic->rule,
                          });
}

rt_status cnf_memory_defined(const rt_memory *memory, uint8_t *out_bits)
{
    if (memory->written_on != UINT32_MAX) {
        CHECK(memory->written_on < memory->copies.count);
        dev_memory *copy = memory->copies.items[memory->written_on].memory;
        return dev_memory_defined(copy, 0, memory->size, out_bits);
    }
    for (uint64_t i = 0; i < (memory->size + 7) / 8; i++)
        out_bits[i] = memory->initialised ? 255 : 0;
    return RT_STATUS_OK;
}

static void emit_final_memory(cnf_execution *execution, uint32_t index)
{
    const scn_memory *declared = &execution->scenario->memories[index];
    rt_memory *memory = execution->memories[index];
    rt_scheduler *scheduler = rt_runtime_scheduler(execution->runtime);
    rt_status status = rt_scheduler_host_read(scheduler, memory);
    uint8_t *bits = rt_alloc((size_t)(memory->size + 7) / 8);
    if (rt_ok(status)) status = cnf_memory_defined(memory, bits);
    judge_end(execution, declared->name, status);
    if (rt_ok(status)) {
        bool tracked = execution->devices[0]->capabilities.finds_faults;
        cnf_emit_memory(execution->emitter, declared, (rt_bytes){memory->host, memory->size},
                        tracked ? bits : NULL);
    }
    rt_free(bits);
}

/* Whether anything went to a device, before the end reads what is left there. */
static bool device_was_asked(cnf_execution *execution)
{
    static const rt_event_kind asking[] = {RT_EVENT_CREATE, RT_EVENT_LAUNCH, RT_EVENT_COPY,
                                           RT_EVENT_FILL, RT_EVENT_UPLOAD};
    rt_trace *trace = rt_runtime_trace(execution->runtime);
    uint32_t count = rt_trace_count(trace);
    for (uint32_t i = 0; i < count; i++) {
        rt_event_kind kind = rt_trace_event(trace, i)->kind;
        for (size_t k = 0; k < sizeof asking / sizeof *asking; k++) {
            if (kind == asking[k]) return true;
        }
    }
    return false;
}

static void finish(cnf_execution *execution)
{
    execution->device_was_asked = device_was_asked(execution);
    cnf_emit_stage(execution->emitter, "finish", SCN_NONE, 0);
    rt_status ended = rt_scheduler_wait(rt_runtime_scheduler(execution->runtime));
    judge_end(execution, RT_TEXT("wait"), ended);
    cnf_judge_findings(execution);
    for (uint32_t i = 0; i < execution->scenario->memory_count && !execution->failed; i++) {
        emit_final_memory(execution, i);
    }
    cnf_judge_layer(execution);
    cnf_emit_trace(execution->emitter, rt_runtime_trace(execution->runtime));
    const rt_choice *choices;
    uint32_t choice_count;
    rt_runtime_choices(execution->runtime, &choices, &choice_count);
    cnf_emit_choices(execution->emitter, choices, choice_count);
}

void cnf_execute(cnf_execution *execution, dev_device *const *devices)
{
    const scn_scenario *scenario = execution->scenario;
    CHECK(scenario->module_count >= 1 && scenario->device_count >= 1);
    cnf_emit_stage(execution->emitter, "load", SCN_NONE, 0);
    rt_status status = set_up(execution, devices);
    judge_end(execution, RT_TEXT("set-up"), status);
    if (rt_ok(status)) {
        rt_loader_start(rt_runtime_loader(execution->runtime), 0, scenario->preloaded,
                        scenario->preloaded_count);
        for (uint32_t i = 0; i < scenario->step_count && !execution->failed;) {
            cnf_run_step(execution, i);
            i += 1 + scenario->steps[i].nested_count;
        }
        finish(execution);
    }
    rt_runtime_destroy(execution->runtime);
    execution->runtime = NULL;
    rt_vector_free(&execution->findings);
    rt_arena_reset(&execution->arena);
}
