/* Executes a scenario: sets it up, runs its steps in order, and finishes it. */
#include "conformance/subject/cache_damage.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/unfused.h"

#include <string.h>

void cnf_execution_finding(void *user, const dev_finding *finding)
{
    cnf_execution *execution = user;
    pthread_mutex_lock(&execution->findings_lock);
    *rt_vector_push(&execution->findings) = (cnf_finding){
        .kind = finding->kind,
        .message = rt_arena_text(&execution->finding_texts, finding->message),
        .kernel = rt_arena_text(&execution->finding_texts, finding->kernel),
        .source = rt_arena_text(&execution->finding_texts, finding->source),
        .object = rt_arena_text(&execution->finding_texts, finding->object),
        .source_line = finding->source_line,
        .source_column = finding->source_column,
        .other_source = rt_arena_text(&execution->finding_texts, finding->other_source),
        .other_line = finding->other_line,
        .command = finding->tag,
        .has_other = finding->has_other,
        .is_host = finding->is_host,
        .other_command = finding->other_tag,
        .offset = finding->offset,
    };
    pthread_mutex_unlock(&execution->findings_lock);
}

void cnf_choices_read(rt_arena *arena, rt_text script, const uint32_t **out_choices,
                      uint32_t *out_count)
{
    CHECK(rt_script_valid(script));
    uint32_t *choices = rt_arena_alloc_array(arena, script.length + 1, sizeof *choices);
    *out_choices = choices;
    *out_count = 0;
    while (rt_script_choice(&script, &choices[*out_count]))
        ++*out_count;
}

/* The alternative that the script prescribes for the choice with that number; false: none. */
static bool order_find(rt_text script, uint32_t number, uint32_t *out_alternative)
{
    uint32_t choice;
    rt_order order;
    while (rt_script_choice(&script, &choice))
        ;
    while (rt_script_order(&script, &order)) {
        if (order.number != number) continue;
        *out_alternative = order.alternative;
        return true;
    }
    return false;
}

uint32_t cnf_execution_choose(void *user, uint32_t count, uint32_t drawn, uint32_t *out_number)
{
    cnf_execution *execution = user;
    cnf_orders *orders = &execution->orders;
    uint32_t alternative = drawn;
    pthread_mutex_lock(&execution->findings_lock);
    *out_number = orders->count++;
    if (order_find(execution->options->choices, *out_number, &alternative)) {
        if (alternative >= count) alternative = drawn;
        *rt_vector_push(&orders->taken) = (rt_order){*out_number, alternative};
    }
    pthread_mutex_unlock(&execution->findings_lock);
    CHECK(alternative < count);
    return alternative;
}

void cnf_execution_order(void *user, uint32_t number, uint32_t alternative)
{
    enum { WANTED_MAX = 1 << 12 }; /* more than anybody explores */
    cnf_execution *execution = user;
    cnf_orders *orders = &execution->orders;
    bool is_known = false;
    pthread_mutex_lock(&execution->findings_lock);
    for (uint32_t i = 0; i < orders->wanted.count && !is_known; i++)
        is_known = orders->wanted.items[i].number == number &&
                   orders->wanted.items[i].alternative == alternative;
    if (!is_known && orders->wanted.count < WANTED_MAX)
        *rt_vector_push(&orders->wanted) = (rt_order){number, alternative};
    pthread_mutex_unlock(&execution->findings_lock);
}

/* ---- Setting up --------------------------------------------------------------------------- */

rt_status cnf_execution_open(cnf_execution *execution)
{
    CHECK(!execution->runtime && execution->scenario->device_count >= 1);
    return execution->subject->runtime->open(execution, &execution->runtime);
}

void cnf_execution_close(cnf_execution *execution)
{
    execution->subject->runtime->close(execution, execution->runtime);
    execution->runtime = NULL;
    rt_vector_free(&execution->findings);
    rt_vector_free(&execution->outcomes);
    rt_vector_free(&execution->orders.taken);
    rt_vector_free(&execution->orders.wanted);
    rt_arena_reset(&execution->finding_texts);
    rt_arena_reset(&execution->arena);
}

/* A new process of the program has none of the objects that earlier steps created. */
static void tables_reset(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        cnf_step_result *result = &execution->results[i];
        result->command = result->mapping = result->queue = CNF_NO_OBJECT;
        result->context = result->bundle = CNF_NO_OBJECT;
    }
    for (uint32_t i = 0; i < scenario->device_count; i++)
        execution->queues[i] = CNF_NO_OBJECT;
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* Waits for all commands, ends the program and starts it again; in between, the persistent cache is
 * damaged if the scenario says so. */
static rt_status run_restart(cnf_execution *execution)
{
    const cnf_runtime_operations *operations = execution->runtime->operations;
    rt_status waited = operations->wait(execution);
    int error = cnf_cache_damage(execution->scenario, execution->options->scratch);
    if (error != 0)
        return rt_fail(execution->sink, RT_IO, RT_RULE_NONE,
                       "the persistent cache in %.*s cannot be damaged: %s",
                       RT_TEXT_ARG(execution->options->scratch), strerrordesc_np(error));
    cnf_findings_settle(execution);
    tables_reset(execution);
    rt_status begun = operations->restart(execution);
    execution->stopped = !rt_ok(begun);
    return rt_ok(waited) ? begun : waited;
}

static void run_expect(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    /* An expectation that reads the trace needs the driver calls made since the last call of
     * `look`. `look` takes longer the more driver calls have been made, so it is not called for
     * expectations about memories and variables. */
    bool judges_trace = false;
    for (uint32_t i = 0; i < step->expect_count; i++) {
        scn_expect_kind kind = step->expect[i].kind;
        judges_trace = judges_trace || (kind != SCN_EXPECT_MEMORY && kind != SCN_EXPECT_VARIABLE);
    }
    if (judges_trace) execution->runtime->operations->look(execution);
    for (uint32_t i = 0; i < step->expect_count; i++)
        cnf_judge_expect(execution, index, &step->expect[i]);
}

/* The name that the scenario gives to the target of a copy or fill. */
static rt_text written_name(const scn_scenario *scenario, const scn_transfer *transfer)
{
    return transfer->to == SCN_NONE ? transfer->variable.name
                                    : scenario->memories[transfer->to].name;
}

static rt_status run_host_access(cnf_execution *execution, uint32_t index)
{
    const cnf_runtime_operations *operations = execution->runtime->operations;
    uint32_t memory = execution->scenario->steps[index].memory;
    scn_memory_kind kind = execution->scenario->memories[memory].kind;
    bool has_pointer = kind == SCN_MEMORY_USM_HOST || kind == SCN_MEMORY_USM_SHARED;
    if (!has_pointer || !operations->look_at) return operations->read(execution, memory, NULL);
    return operations->look_at(execution, index, memory);
}

static void run_verb(cnf_execution *execution, uint32_t index)
{
    const scn_scenario *scenario = execution->scenario;
    const scn_step *step = &scenario->steps[index];
    const cnf_runtime_operations *operations = execution->runtime->operations;
    switch (step->verb) {
    case SCN_VERB_LOAD:
        cnf_judge_step(execution, index, "step", scenario->modules[step->load.module].name,
                       operations->load(execution, step->load.module));
        return;
    case SCN_VERB_UNLOAD:
        cnf_judge_step(execution, index, "step", scenario->modules[step->load.module].name,
                       operations->unload(execution, step->load.module));
        return;
    case SCN_VERB_LOAD_IMAGE:
        cnf_judge_step(execution, index, "step", scenario->modules[step->load.module].name,
                       operations->load_image(execution, step->load.module, step->load.image));
        return;
    case SCN_VERB_DEVICE: return; /* the reader has resolved the device of every command */
    case SCN_VERB_CONTEXT:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_context(execution, index));
        return;
    case SCN_VERB_QUEUE:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_queue(execution, index));
        return;
    case SCN_VERB_BUNDLE:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_bundle(execution, index));
        return;
    case SCN_VERB_SUBMIT:
        cnf_judge_step(execution, index, "launch", step->submit.kernel,
                       cnf_run_submit(execution, index));
        return;
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
        cnf_judge_step(execution, index, "step", written_name(scenario, &step->transfer),
                       cnf_run_transfer(execution, index));
        return;
    case SCN_VERB_BARRIER:
    case SCN_VERB_MARKER:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_marker(execution, index));
        return;
    case SCN_VERB_USER_EVENT:
        cnf_judge_step(execution, index, "step", step->id, cnf_run_user_event(execution, index));
        return;
    case SCN_VERB_COMPLETE_EVENT:
        cnf_judge_step(execution, index, "step", scenario->steps[step->completion.event].id,
                       cnf_run_complete_event(execution, index));
        return;
    case SCN_VERB_HOST_TASK:
        cnf_judge_step(execution, index, "step", scenario->memories[step->task.from].name,
                       cnf_run_host_task(execution, index));
        return;
    case SCN_VERB_MAP:
        cnf_judge_step(execution, index, "step", scenario->memories[step->map.memory].name,
                       cnf_run_map(execution, index));
        return;
    case SCN_VERB_MAP_WRITE:
        cnf_judge_step(execution, index, "step", scenario->steps[step->map_write.map].id,
                       cnf_run_map_write(execution, index));
        return;
    case SCN_VERB_UNMAP:
        cnf_judge_step(execution, index, "step", scenario->steps[step->unmap.map].id,
                       cnf_run_unmap(execution, index));
        return;
    case SCN_VERB_SUB_BUFFER:
        cnf_judge_step(
            execution, index, "step", scenario->memories[step->part.memory].name,
            operations->part(execution, step->part.memory, step->part.whole, step->part.offset));
        return;
    case SCN_VERB_END_MEMORY:
        cnf_judge_step(execution, index, "step", scenario->memories[step->memory].name,
                       scn_part_step(scenario, step->memory) == SCN_NONE
                           ? cnf_run_fusion(execution, index)
                           : operations->end_part(execution, step->memory));
        return;
    case SCN_VERB_START_FUSION:
    case SCN_VERB_COMPLETE_FUSION:
    case SCN_VERB_CANCEL_FUSION:
    case SCN_VERB_END_QUEUE:
        cnf_judge_step(execution, index, "step", scenario->steps[step->fusion.queue].id,
                       cnf_run_fusion(execution, index));
        return;
    case SCN_VERB_PROFILING: cnf_run_profiling(execution, index); return;
    case SCN_VERB_WAIT:
        cnf_judge_step(execution, index, "step", RT_TEXT("wait"), cnf_run_wait(execution, index));
        return;
    case SCN_VERB_HOST_ACCESS:
        cnf_judge_step(execution, index, "step", scenario->memories[step->memory].name,
                       run_host_access(execution, index));
        return;
    case SCN_VERB_PARALLEL: cnf_run_parallel(execution, index); return;
    case SCN_VERB_RESTART:
        cnf_judge_step(execution, index, "step", RT_TEXT("restart"), run_restart(execution));
        return;
    case SCN_VERB_EXPECT: run_expect(execution, index); return;
    case SCN_VERB_COUNT: break;
    }
    UNREACHABLE();
}

void cnf_run_step(cnf_execution *execution, uint32_t index)
{
    CHECK(index < execution->scenario->step_count && !execution->stopped);
    const scn_step *step = &execution->scenario->steps[index];
    if (step->profile != RT_PROFILE_COUNT && step->profile != execution->options->profile) return;
    if (!execution->options->receiver)
        cnf_emit_stage(execution->emitter, "step", index, step->at.line);
    execution->results[index].begun = true;
    execution->thread = step->thread;
    if (!cnf_step_lacks_object(execution, step)) {
        run_verb(execution, index);
        return;
    }
    /* The failure to create the object has been judged already; this step can show nothing more. */
    execution->results[index].failed = true;
    cnf_judged(
        execution,
        &(cnf_emitted_check){
            .step = index, .line = step->at.line, .kind = "step", .what = step->id, .ok = true});
}

/* ---- The end ------------------------------------------------------------------------------ */

/* Reports a failure outside any step: the scenario cannot expect it, so it is unexpected. `what` is
 * the name of a memory or a device_global, or of a phase outside the steps ("set-up", "wait",
 * "exit"), which no memory can have. */
static void judge_failure(cnf_execution *execution, const char *kind, rt_text what,
                          rt_status status)
{
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
    cnf_judged(execution, &(cnf_emitted_check){
                              .step = SCN_NONE,
                              .kind = kind,
                              .what = what,
                              .observed = true,
                              .code = rt_text_of(rt_code_name(status.code)),
                              .place = RT_TEXT("end"),
                              .message = diagnostic->message,
                              .rule = diagnostic->rule,
                              .memories = rt_arena_copy(&execution->arena, &what, 1, sizeof what),
                              .memory_count = 1,
                          });
}

static void judge_end(cnf_execution *execution, rt_text what, rt_status status)
{
    /* A kernel that does not terminate, or exhausts its stack, is reported as a finding, and judged
     * like any other. */
    execution->stop_is_returned = execution->stop_is_returned || status.code == RT_BUDGET;
    if (rt_ok(status) || status.code == RT_BUDGET) return;
    judge_failure(execution, "step", what, status);
}

/* The finding about a stopped kernel comes from the device; its command has also failed, and some
 * wait or read must have returned that. */
static void judge_stopped_kernels(cnf_execution *execution)
{
    bool is_stopped = false;
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const char *kind = execution->findings.items[i].kind;
        is_stopped =
            is_stopped || strcmp(kind, "budget") == 0 || strcmp(kind, "stack-exhausted") == 0;
    }
    if (!is_stopped || execution->stop_is_returned) return;
    judge_failure(execution, "step", RT_TEXT("wait"),
                  rt_fail(execution->sink, RT_BUDGET, RT_RULE_NONE,
                          "a kernel was stopped, but neither a wait nor a read returned the "
                          "failure of its command"));
}

/* True if the runtime says that it does without what the failed call was for: a program is not in
 * the persistent cache, which must change no memory, or kernels run one by one, which then write
 * buffers that were to be promoted. */
static bool call_is_dispensable(const cnf_execution *execution)
{
    rt_trace *trace = execution->runtime->trace;
    for (uint32_t i = 0; i < rt_trace_count(trace); i++) {
        const rt_event *event = rt_trace_event(trace, i);
        bool is_fusion = event->kind == RT_EVENT_FUSION_CANCEL;
        bool is_cache =
            event->kind == RT_EVENT_PERSISTENT_FAIL || event->kind == RT_EVENT_PERSISTENT_REJECT;
        const rt_event_field *why =
            rt_event_field_find(event, is_fusion ? RT_TEXT("detail") : RT_TEXT("reason"));
        if (is_fusion && why && cnf_is_on_demand(why->values[0])) return true;
        if (is_cache && why && rt_text_is(why->values[0], rt_code_name(RT_DRIVER_ERROR)))
            return !execution->is_wrong_since;
    }
    return false;
}

/* Judges the call of the devices that failed on demand: a step must have returned its failure, or
 * one before it, unless the runtime does without. */
static void judge_failed_call(cnf_execution *execution)
{
    if (execution->options->fail_call == 0) return;
    cnf_emit_calls(execution->emitter, atomic_load(&execution->calls.count));
    const char *failed = atomic_load(&execution->calls.failed);
    execution->calls.failing = 0; /* what ends the program can return no failure */
    execution->call_is_judged = true;
    bool is_returned = execution->failure_is_returned || execution->has_other_failure;
    if (!failed || is_returned || call_is_dispensable(execution)) return;
    judge_failure(execution, "step", RT_TEXT("wait"),
                  rt_fail(execution->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                          "call %u of the device, %s, failed, but no step returned the failure",
                          execution->options->fail_call, failed));
}

/* Judges the status of set-up. Missing build tools are an infrastructure failure, not the
 * subject's, and a feature that no real program can have is a SKIP. */
static void judge_set_up(cnf_execution *execution, rt_status status)
{
    bool real = execution->options->real_loader || !execution->runtime->operations->is_reference;
    execution->skipped = real && status.code == RT_UNSUPPORTED;
    /* The subject is at fault here even if its device was never used. */
    execution->was_used = execution->was_used || !rt_ok(status);
    if (execution->skipped)
        cnf_emit_skip(execution->emitter, "real-program", "no",
                      rt_sink_diagnostic(execution->sink, status)->message);
    else if (real && (status.code == RT_IO || status.code == RT_UNAVAILABLE))
        judge_failure(execution, "start", RT_TEXT("set-up"), status);
    else
        judge_end(execution, RT_TEXT("set-up"), status);
}

static void emit_final_memory(cnf_execution *execution, uint32_t index)
{
    CHECK(index < execution->scenario->memory_count);
    const scn_memory *declared = &execution->scenario->memories[index];
    cnf_content content = {0};
    rt_status status = execution->runtime->operations->read(execution, index, &content);
    /* No document specifies the contents of a memory that a refused command was to write, and
     * libsycl refuses to read such a memory. */
    bool is_unspecified =
        !rt_ok(status) && execution->refused && !execution->runtime->operations->is_reference;
    if (is_unspecified || cnf_unfused_hides_memory(execution, index))
        cnf_judged(execution,
                   &(cnf_emitted_check){
                       .step = SCN_NONE, .kind = "memory", .what = declared->name, .ok = true});
    else if (rt_ok(status))
        cnf_emit_memory(execution->emitter, declared, content.bytes, content.defined);
    else
        judge_end(execution, declared->name, status);
    rt_arena_reset(&content.arena);
}

/* In bytes; comparing a larger variable is not worth the size of its message. */
enum { FINAL_VARIABLE_SIZE_MAX = 1 << 20 };

/* Emits those variables of a module that the host may read, for each device whose default queue was
 * used and that has an instance of the variable. The reader of the messages recognises a variable
 * by its name, which no memory can have. */
static void emit_final_variables(cnf_execution *execution, uint32_t module)
{
    const scn_scenario *scenario = execution->scenario;
    rt_device_global_list list = scenario->modules[module].device_globals;
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        const scn_variable variable = {.name = global->name, .module = module, .global = i};
        bool readable = global->host_access == RT_HOST_ACCESS_READ_WRITE ||
                        global->host_access == RT_HOST_ACCESS_READ;
        if (!readable || global->size > FINAL_VARIABLE_SIZE_MAX) continue;
        for (uint32_t d = 0; d < scenario->device_count; d++) {
            if (execution->queues[d] == CNF_NO_OBJECT) continue;
            cnf_content content = {0};
            rt_status status = execution->runtime->operations->read_global(
                execution, &variable, execution->queues[d], true, &content);
            const scn_memory named = {
                .name = rt_arena_printf(&execution->arena, "device_global %.*s on %.*s",
                                        RT_TEXT_ARG(global->unique_id),
                                        RT_TEXT_ARG(scenario->devices[d].name))};
            if (rt_ok(status) && content.bytes.data)
                cnf_emit_memory(execution->emitter, &named, content.bytes, content.defined);
            /* A variable defined in several programs cannot be read; the refusal is the same as for
             * a copy. */
            if (!rt_ok(status) && status.code != RT_ERRC_INVALID)
                judge_end(execution, global->name, status);
            rt_arena_reset(&content.arena);
        }
    }
}

static void finish(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    cnf_runtime *runtime = execution->runtime;
    execution->was_used = runtime->operations->was_used(runtime);
    CHECK(!execution->skipped && execution->settled <= execution->findings.count);
    execution->thread = 0;
    cnf_emit_stage(execution->emitter, "finish", SCN_NONE, 0);
    judge_end(execution, RT_TEXT("wait"), runtime->operations->wait(execution));
    cnf_judge_findings(execution);
    /* The runner compares the final contents of memories and variables with the oracle's. */
    bool executes = runtime->capabilities.executes;
    for (uint32_t i = 0; executes && i < scenario->memory_count; i++) /* parts are in buffers */
        if (scn_part_step(scenario, i) == SCN_NONE) emit_final_memory(execution, i);
    bool reads = executes && runtime->operations->read_global != NULL;
    for (uint32_t m = 0; reads && m < scenario->module_count; m++)
        emit_final_variables(execution, m);
    judge_stopped_kernels(execution);
    if (runtime->operations->is_reference) cnf_judge_layer(execution);
    runtime->operations->look(execution);
    cnf_trace_extent extent =
        runtime->operations->is_reference ? CNF_TRACE_COMPLETE : CNF_TRACE_OBSERVED;
    if (execution->options->receiver) extent = CNF_TRACE_KINDS;
    cnf_emit_trace(execution->emitter, runtime->trace, extent);
    const rt_choice *choices;
    uint32_t choice_count;
    runtime->operations->choices(runtime, &choices, &choice_count);
    cnf_emit_choices(execution->emitter, choices, choice_count);
    const cnf_orders *orders = &execution->orders;
    cnf_emit_orders(execution->emitter, "taken", orders->taken.items, orders->taken.count);
    cnf_emit_orders(execution->emitter, "wanted", orders->wanted.items, orders->wanted.count);
    judge_failed_call(execution);
    judge_end(execution, RT_TEXT("exit"), runtime->operations->end(execution));
}

void cnf_execute(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    CHECK(execution->runtime && scenario->module_count >= 1);
    cnf_emit_stage(execution->emitter, "load", SCN_NONE, 0);
    rt_arena *arena = &execution->arena;
    execution->queues =
        rt_arena_alloc_array(arena, scenario->device_count, sizeof *execution->queues);
    execution->results =
        rt_arena_alloc_array(arena, scenario->step_count, sizeof *execution->results);
    execution->counted = rt_arena_alloc_array(arena, RT_EVENT_COUNT, sizeof *execution->counted);
    tables_reset(execution);
    rt_status status = execution->runtime->operations->set_up(execution);
    judge_set_up(execution, status);
    if (!rt_ok(status)) return;
    for (uint32_t i = 0; i < scenario->step_count && !execution->stopped;) {
        cnf_run_step(execution, i);
        i += 1 + scn_step_nested_count(&scenario->steps[i]);
        CHECK(i <= scenario->step_count);
    }
    /* A lost program cannot be finished; its loss is the subject's failure. */
    if (execution->stopped)
        execution->was_used = true;
    else
        finish(execution);
}
