/* What a step or an expectation depends on: memories, by name, and objects that earlier steps
 * create. After a failure, this distinguishes its consequences from other failures. */
#include "conformance/subject/execute.h"

/* ---- Objects ------------------------------------------------------------------------------- */

static bool lacks(const cnf_execution *execution, uint32_t step)
{
    CHECK(step == SCN_NONE || step < execution->scenario->step_count);
    return step != SCN_NONE && execution->results[step].failed;
}

/* True if the memory is a part that was not created. */
static bool lacks_part(const cnf_execution *execution, uint32_t memory)
{
    return memory != SCN_NONE && lacks(execution, scn_part_step(execution->scenario, memory));
}

bool cnf_step_lacks_object(const cnf_execution *execution, const scn_step *step)
{
    const scn_command *command = scn_step_command(step);
    if (command && lacks(execution, command->queue)) return true;
    switch (step->verb) {
    case SCN_VERB_QUEUE: return lacks(execution, step->queue.context);
    case SCN_VERB_SUBMIT:
        for (uint32_t i = 0; i < step->submit.argument_count; i++) {
            const scn_argument *argument = &step->submit.arguments[i];
            if (argument->kind == SCN_ARGUMENT_MEMORY && lacks_part(execution, argument->memory))
                return true;
        }
        return lacks(execution, step->submit.bundle);
    case SCN_VERB_COPY:
        if (lacks_part(execution, step->transfer.from)) return true;
        return lacks_part(execution, step->transfer.to);
    case SCN_VERB_FILL: return lacks_part(execution, step->transfer.to);
    case SCN_VERB_MAP: return lacks_part(execution, step->map.memory);
    case SCN_VERB_MAP_WRITE: return lacks(execution, step->map_write.map);
    case SCN_VERB_UNMAP: return lacks(execution, step->unmap.map);
    case SCN_VERB_HOST_ACCESS:
    case SCN_VERB_END_MEMORY: return lacks_part(execution, step->memory);
    case SCN_VERB_SUB_BUFFER: return lacks_part(execution, step->part.whole);
    case SCN_VERB_START_FUSION:
    case SCN_VERB_COMPLETE_FUSION:
    case SCN_VERB_CANCEL_FUSION:
    case SCN_VERB_END_QUEUE: return lacks(execution, step->fusion.queue);
    case SCN_VERB_PROFILING:
        return lacks(execution, step->profiling.step) || lacks(execution, step->profiling.after) ||
               lacks(execution, step->profiling.same_as);
    case SCN_VERB_COMPLETE_EVENT: return lacks(execution, step->completion.event);
    case SCN_VERB_BUNDLE:
        for (uint32_t i = 0; i < step->bundle.source_count; i++)
            if (lacks(execution, step->bundle.sources[i])) return true;
        return lacks(execution, step->bundle.context);
    default: return false;
    }
}

/* True if the kernel was submitted, but no submission succeeded as it should have. */
static bool was_never_launched(const cnf_execution *execution, rt_text kernel)
{
    bool failed = false;
    for (uint32_t i = 0; i < execution->scenario->step_count; i++) {
        const scn_step *step = &execution->scenario->steps[i];
        if (step->verb != SCN_VERB_SUBMIT || !rt_text_equal(step->submit.kernel, kernel)) continue;
        failed = failed || execution->results[i].failed;
        if (execution->results[i].command != CNF_NO_OBJECT) return false;
    }
    return failed;
}

bool cnf_expect_lacks_object(const cnf_execution *execution, const scn_expect *expect)
{
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: return lacks_part(execution, expect->memory.index);
    case SCN_EXPECT_PROGRAM_OF: return was_never_launched(execution, expect->program.kernel);
    case SCN_EXPECT_BUNDLE: return lacks(execution, expect->bundle.step);
    case SCN_EXPECT_FUSION_MODE: return lacks(execution, expect->fusion_mode.queue);
    case SCN_EXPECT_EVENT: return lacks(execution, expect->event.step);
    case SCN_EXPECT_MAPPED: return lacks(execution, expect->mapped.map);
    default: return false;
    }
}

/* ---- Memories ------------------------------------------------------------------------------ */

/* Adds a name to the check's list of memories, unless it is empty or already listed. */
static void name_add(cnf_execution *execution, rt_text name, cnf_emitted_check *check)
{
    if (name.length == 0) return;
    for (uint32_t i = 0; i < check->memory_count; i++)
        if (rt_text_equal(check->memories[i], name)) return;
    rt_text *names =
        rt_arena_alloc_array(&execution->arena, check->memory_count + 1, sizeof *names);
    for (uint32_t i = 0; i < check->memory_count; i++)
        names[i] = check->memories[i];
    names[check->memory_count++] = name;
    check->memories = names;
}

static void memory_add(cnf_execution *execution, uint32_t memory, cnf_emitted_check *check)
{
    if (memory != SCN_NONE) name_add(execution, execution->scenario->memories[memory].name, check);
}

/* Adds the memory that the step maps. */
static void mapped_add(cnf_execution *execution, uint32_t map, cnf_emitted_check *check)
{
    memory_add(execution, execution->scenario->steps[map].map.memory, check);
}

void cnf_step_memories(cnf_execution *execution, const scn_step *step, cnf_emitted_check *check)
{
    for (uint32_t i = 0; i < step->outcome_count; i++)
        for (uint32_t k = 0; k < step->outcomes[i].expect_count; k++)
            cnf_expect_memories(execution, &step->outcomes[i].expects[k], check);
    switch (step->verb) {
    case SCN_VERB_SUBMIT:
        for (uint32_t i = 0; i < step->submit.argument_count; i++) {
            const scn_argument *argument = &step->submit.arguments[i];
            bool is_memory =
                argument->kind == SCN_ARGUMENT_MEMORY || argument->kind == SCN_ARGUMENT_POINTER;
            if (is_memory) memory_add(execution, argument->memory, check);
            for (uint32_t k = 0; k < argument->pointer_count; k++)
                memory_add(execution, argument->pointers[k].memory, check);
        }
        return;
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
        if (step->verb == SCN_VERB_COPY) memory_add(execution, step->transfer.from, check);
        memory_add(execution, step->transfer.to, check);
        name_add(execution, step->transfer.variable.name, check);
        return;
    case SCN_VERB_HOST_TASK:
        memory_add(execution, step->task.from, check);
        memory_add(execution, step->task.to, check);
        return;
    case SCN_VERB_SUB_BUFFER:
        memory_add(execution, step->part.memory, check);
        memory_add(execution, step->part.whole, check);
        return;
    case SCN_VERB_MAP: memory_add(execution, step->map.memory, check); return;
    case SCN_VERB_MAP_WRITE: mapped_add(execution, step->map_write.map, check); return;
    case SCN_VERB_UNMAP: mapped_add(execution, step->unmap.map, check); return;
    case SCN_VERB_HOST_ACCESS:
    case SCN_VERB_END_MEMORY: memory_add(execution, step->memory, check); return;
    default: return;
    }
}

void cnf_expect_memories(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    if (expect->kind == SCN_EXPECT_MEMORY) memory_add(execution, expect->memory.index, check);
    if (expect->kind == SCN_EXPECT_MAPPED) mapped_add(execution, expect->mapped.map, check);
    if (expect->kind == SCN_EXPECT_VARIABLE)
        name_add(execution, expect->variable.variable.name, check);
    for (uint32_t i = 0; i < scn_expect_outcome_count(expect); i++)
        for (uint32_t k = 0; k < expect->one_of.outcomes[i].expect_count; k++)
            cnf_expect_memories(execution, &expect->one_of.outcomes[i].expects[k], check);
}
