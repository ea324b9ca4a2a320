/* Fuzzes what `assay capture` reads of a log, and of build options: any input must yield an error
 * status, or launches whose parts refer to each other as the model says. */
#include "conformance/tools/capture/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void launch_check(const cap_recording *recording, const cap_command *launch)
{
    for (uint32_t i = 0; i < launch->after_count; i++)
        CHECK(launch->after[i] < recording->command_count);
    CHECK_IMPLIES(launch->kind == CAP_FILL, launch->transfer.pattern.size > 0);
    CHECK_IMPLIES(launch->kind == CAP_STORE, launch->transfer.data.length > 0);
    if (launch->kind != CAP_LAUNCH) return;
    CHECK(launch->program);
    if (launch->loss.length > 0) return;
    CHECK(launch->dimensions >= 1 && launch->dimensions <= 3);
    CHECK(launch->program->source_count > 0);
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const cap_argument *argument = &launch->arguments[i];
        CHECK_IMPLIES(argument->kind == CAP_MEMORY, argument->memory < launch->memory_count);
        for (uint32_t k = 0; k < argument->word_count; k++) {
            CHECK(argument->words[k].memory < launch->memory_count);
            CHECK(argument->words[k].at + 8 <= argument->value.size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_text input = {(const char *)data, size};
    cap_recording recording;
    cap_program program = {0};
    if (rt_ok(cap_recording_read(sink, &arena, input, RT_TEXT("folder"), &recording)))
        for (uint32_t i = 0; i < recording.command_count; i++)
            launch_check(&recording, &recording.commands[i]);
    cap_options_split(&arena, input, &program);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return 0;
}
