/* Writes launches through the formatter of scenario files. A comment marks expectations that are
 * results of a run, because no derivation supports them. */
#include "conformance/cli/save.h"

#include "conformance/cli/commands.h"
#include "conformance/cli/dump.h"
#include "conformance/tools/fmt/fmt.h"
#include "conformance/verdict/scenario_text.h"

#include <stdio.h>
#include <string.h>

/* Formats and writes the scenario. */
static bool scenario_write(const cnf_save *save, const cnf_launch_style *style)
{
    rt_arena arena = {0};
    rt_buffer text = {0}, formatted = {0};
    scn_problems problems;
    cnf_launch_write(&text, &arena, save->launch, style, NULL);
    bool written =
        cnf_fmt_text(&arena, rt_buffer_text(&text), &formatted, &problems) == CNF_FMT_DONE;
    if (!written) cnf_command_problems(stderr, rt_text_of(save->file), &problems);
    if (written) written = cnf_command_file_replace("--save", save->file, &formatted);
    rt_buffer_free(&text);
    rt_buffer_free(&formatted);
    rt_arena_reset(&arena);
    return written;
}

int cnf_save_begin(cnf_save *save, const cnf_arguments *arguments, const cnf_launch *launch,
                   const cnf_columns *columns)
{
    *save = (cnf_save){.file = arguments->values[CNF_OPTION_SAVE], .launch = launch};
    bool blesses = arguments->values[CNF_OPTION_BLESS] != NULL;
    if (blesses && !save->file) {
        fprintf(stderr, "assay: --bless needs --save FILE.yaml and a kernel to launch\n");
        return CNF_EXIT_USAGE;
    }
    if (!save->file || launch->is_refused) return CNF_EXIT_EXPECTED;
    if (!blesses) {
        const cnf_launch_style style = {.folder = cnf_launch_folder(rt_text_of(save->file))};
        return scenario_write(save, &style) ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
    }
    save->subject = columns->subjects[0].name;
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->subjects[i].subject->oracle) save->subject = columns->subjects[i].name;
    return CNF_EXIT_EXPECTED;
}

/* Appends the expectation of one memory. */
static void memory_append(rt_buffer *out, const scn_memory *memory, const cnf_final_memory *final)
{
    const scn_layout *layout = &memory->layout;
    rt_buffer_printf(out,
                     "  - expect:\n      memory: %.*s\n      equals: ", RT_TEXT_ARG(memory->name));
    cnf_elements_append(out, &layout->fields[0], layout->size, memory->count, final->data.data);
    rt_buffer_append_byte(out, '\n');
}

void cnf_save_note(cnf_save *save, const cnf_record *record, const cnf_run_detail *detail)
{
    if (save->subject.length == 0 || !rt_text_equal(record->subject, save->subject)) return;
    save->verdict = cnf_verdict_word(record->judgement.verdict);
    if (record->judgement.verdict != CNF_VERDICT_PASS) return;
    rt_buffer *out = &save->text;
    rt_buffer_printf(out, "  # Taken from a run on %.*s (assay run --bless), not derived.\n",
                     RT_TEXT_ARG(save->subject));
    bool is_empty = true;
    for (uint32_t i = 0; i < detail->messages->memory_count; i++) {
        const cnf_final_memory *final = &detail->messages->memories[i];
        const scn_memory *memory = cnf_memory_find(detail->scenario, final->name);
        if (!memory || final->data.size != memory->count * memory->layout.size) continue;
        if (!cnf_memory_is_written(memory, final)) continue;
        if (!cnf_memory_is_defined(memory, final)) {
            rt_buffer_printf(out, "  # '%.*s' is only partly defined: nothing is expected of it.\n",
                             RT_TEXT_ARG(memory->name));
            continue;
        }
        memory_append(out, memory, final);
        is_empty = false;
    }
    if (is_empty) rt_buffer_printf(out, "  - expect: {launches: 1}\n");
}

bool cnf_save_finish(cnf_save *save)
{
    if (save->subject.length == 0) return true;
    bool written = false;
    if (save->text.size == 0) {
        fprintf(stderr, "assay: --bless: %s is not written, because the run on %.*s %s%s\n",
                save->file, RT_TEXT_ARG(save->subject),
                save->verdict ? "ended with " : "did not end", save->verdict ? save->verdict : "");
    } else {
        rt_arena arena = {0};
        const cnf_launch_style style = {
            .folder = cnf_launch_folder(rt_text_of(save->file)),
            .summary =
                rt_arena_printf(&arena,
                                "Kernel %.*s; its expected values are the results of a run "
                                "on %.*s.",
                                RT_TEXT_ARG(save->launch->kernel), RT_TEXT_ARG(save->subject)),
            .expectations = rt_buffer_text(&save->text),
        };
        written = scenario_write(save, &style);
        rt_arena_reset(&arena);
    }
    rt_buffer_free(&save->text);
    return written;
}
