/* assay doctor: the machine's problems, grouped by remedy, and one command that applies all
 * remedies. */
#include "conformance/build/compile.h"
#include "conformance/build/toolchain.h"
#include "conformance/cli/ask.h"
#include "conformance/cli/commands.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Missing NEEDED items are errors; OPTIONAL items are needed by some scenarios or options. */
typedef enum importance { NEEDED, OPTIONAL } importance;

typedef struct complaint {
    importance weight;
    rt_text what, cure;
    bool told;
} complaint;

typedef struct diagnosis {
    rt_arena arena;
    RT_VECTOR(complaint) complaints;
    uint32_t counts[2]; /* by importance */
} diagnosis;

static void say(diagnosis *seen, importance weight, const char *what, const char *cure)
{
    *rt_vector_push(&seen->complaints) =
        (complaint){.weight = weight,
                    .what = rt_arena_text(&seen->arena, rt_text_of(what)),
                    .cure = rt_arena_text(&seen->arena, rt_text_of(cure))};
    seen->counts[weight]++;
}

static void tools_look(diagnosis *seen)
{
    cnf_toolchain found;
    cnf_toolchain_find(&found);
    const struct tool_row {
        const char *path;
        importance weight;
        const char *what, *cure;
    } rows[] = {
        {found.clang, NEEDED, "clang 14, which compiles device code", "apt-get install clang-14"},
        {found.plugin, NEEDED, "libassay_compiler.so, which post-links device code",
         "build assay with ASSAY_COMPILER=ON, or install it whole"},
        {found.spirv_as, OPTIONAL, "spirv-as, for sources in SPIR-V assembly",
         "apt-get install spirv-tools"},
        {found.libclc, OPTIONAL, "libclc, for images in PTX", "apt-get install libclc-14"},
        {found.sycl, OPTIONAL, "the compiler of sources in SYCL", "ci/setup --with dpcpp"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].path[0] == '\0') say(seen, rows[i].weight, rows[i].what, rows[i].cure);
}

static void files_look(diagnosis *seen)
{
    static const struct file_row {
        const char *name, *what, *cure;
        bool program;
        importance weight;
    } rows[] = {
        {"libassay_registrar.so", "libassay_registrar.so, for --loader real", "install assay whole",
         false, NEEDED},
        {"libassay_opencl_layer.so", "libassay_opencl_layer.so, for OpenCL subjects",
         "install assay whole", false, NEEDED},
        {"cc", "cc, for --loader real", "apt-get install gcc", true, OPTIONAL},
        {"dot", "dot, for explain --svg", "apt-get install graphviz", true, OPTIONAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[PATH_MAX];
        bool found = rows[i].program ? cnf_toolchain_find_program(path, rows[i].name)
                                     : cnf_toolchain_find_library(path, rows[i].name);
        if (!found) say(seen, rows[i].weight, rows[i].what, rows[i].cure);
    }
}

static void cache_look(diagnosis *seen)
{
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    rt_buffer text = {0};
    rt_buffer_append_text(&text, warning);
    if (warning.length > 0)
        say(seen, NEEDED, rt_buffer_string(&text),
            "set ASSAY_CACHE_DIR to a folder that can be written");
    rt_buffer_free(&text);
    cnf_cache_close(cache);
}

/* A driver that is not installed is optional; a driver that crashes when it is opened is an error.
 */
static void subject_look(void *user, const cnf_asked *asked)
{
    if (asked->answered && asked->answer->device.length > 0) return;
    rt_buffer what = {0}, cure = {0};
    rt_buffer_printf(&what, "subject %s", asked->subject->name);
    if (!asked->answered)
        rt_buffer_printf(&what, ": it died, or said nothing, when it was opened");
    else if (asked->answer->reason.length > 0)
        rt_buffer_printf(&what, ": %.*s", RT_TEXT_ARG(asked->answer->reason));
    rt_buffer_printf(&cure, "%s",
                     asked->subject->install ? asked->subject->install
                                             : "install assay anew, it is a part of it");
    bool part_of_assay = !asked->subject->install;
    say(user, asked->answered && !part_of_assay ? OPTIONAL : NEEDED, rt_buffer_string(&what),
        rt_buffer_string(&cure));
    rt_buffer_free(&what);
    rt_buffer_free(&cure);
}

/* ---- What is told -------------------------------------------------------------------------- */

/* Prints all complaints with the same remedy, then the remedy. */
static void cure_print(diagnosis *seen, rt_text cure)
{
    for (uint32_t i = 0; i < seen->complaints.count; i++) {
        complaint *row = &seen->complaints.items[i];
        if (!rt_text_equal(row->cure, cure)) continue;
        printf("%s: %.*s\n", row->weight == NEEDED ? "wrong" : "missing", RT_TEXT_ARG(row->what));
        row->told = true;
    }
    printf("    cure: %.*s\n", RT_TEXT_ARG(cure));
}

/* Prints errors before missing optional items. */
static void complaints_print(diagnosis *seen)
{
    for (int weight = NEEDED; weight <= OPTIONAL; weight++) {
        for (uint32_t i = 0; i < seen->complaints.count; i++) {
            const complaint *row = &seen->complaints.items[i];
            if ((int)row->weight == weight && !row->told) cure_print(seen, row->cure);
        }
    }
}

/* True if the blank-separated list has the word. */
static bool has_word(const rt_buffer *words, rt_text word)
{
    rt_buffer padded = {0}, wanted = {0};
    rt_buffer_printf(&padded, " %.*s ", RT_TEXT_ARG(rt_buffer_text(words)));
    rt_buffer_printf(&wanted, " %.*s ", RT_TEXT_ARG(word));
    bool there = strstr(rt_buffer_string(&padded), rt_buffer_string(&wanted)) != NULL;
    rt_buffer_free(&padded);
    rt_buffer_free(&wanted);
    return there;
}

/* Adds the words of a text that are not in the list yet, each preceded by `before`. */
static void words_add(rt_buffer *words, const char *before, rt_text text)
{
    while (text.length > 0) {
        const char *blank = memchr(text.data, ' ', text.length);
        rt_text word = {text.data, blank ? (size_t)(blank - text.data) : text.length};
        if (!has_word(words, word)) rt_buffer_printf(words, " %s%.*s", before, RT_TEXT_ARG(word));
        size_t passed = word.length + (blank != NULL);
        text = (rt_text){text.data + passed, text.length - passed};
    }
}

/* Merges remedies that are the same command into one command with all their words. */
static void command_append(const diagnosis *seen, const char *command, const char *before,
                           rt_buffer *out)
{
    rt_buffer beginning = {0}, words = {0};
    rt_buffer_printf(&beginning, "%s %s", command, before);
    for (uint32_t i = 0; i < seen->complaints.count; i++) {
        rt_text cure = seen->complaints.items[i].cure;
        if (!rt_text_starts(cure, rt_buffer_string(&beginning))) continue;
        rt_text rest = {cure.data + beginning.size, cure.length - beginning.size};
        words_add(&words, before, rest);
    }
    if (words.size > 0)
        rt_buffer_printf(out, "%s%s%.*s", out->size ? " && " : "", command,
                         RT_TEXT_ARG(rt_buffer_text(&words)));
    rt_buffer_free(&beginning);
    rt_buffer_free(&words);
}

static void diagnosis_print(diagnosis *seen)
{
    complaints_print(seen);
    uint32_t wrong = seen->counts[NEEDED], missing = seen->counts[OPTIONAL];
    if (wrong > 0)
        printf("%u wrong, %u missing\n", wrong, missing);
    else if (missing > 0)
        printf("nothing is wrong; %u missing, which not everything needs\n", missing);
    else
        printf("nothing is wrong or missing\n");
    rt_buffer command = {0};
    command_append(seen, "apt-get install", "", &command);
    command_append(seen, "ci/setup", "--with ", &command);
    if (command.size > 0) printf("in one command: %.*s\n", RT_TEXT_ARG(rt_buffer_text(&command)));
    rt_buffer_free(&command);
}

int cnf_doctor_command(const cnf_arguments *arguments)
{
    (void)arguments;
    diagnosis seen = {0};
    tools_look(&seen);
    files_look(&seen);
    cache_look(&seen);
    bool asked = cnf_subjects_ask(subject_look, &seen);
    if (asked) diagnosis_print(&seen);
    bool wrong = seen.counts[NEEDED] > 0;
    rt_vector_free(&seen.complaints);
    rt_arena_reset(&seen.arena);
    if (!asked) return CNF_EXIT_INFRASTRUCTURE;
    return wrong ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
}
