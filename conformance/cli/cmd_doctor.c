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

/* A missing NEEDED item is an error; only some scenarios or options require OPTIONAL items. */
typedef enum importance { NEEDED, OPTIONAL } importance;

typedef struct complaint {
    importance weight;
    rt_text problem, cure;
    bool is_printed;
} complaint;

typedef struct doctor_command {
    rt_arena arena;
    RT_VECTOR(complaint) complaints;
    uint32_t counts[2]; /* by importance */
} doctor_command;

static void complain(doctor_command *diagnosis, importance weight, const char *problem,
                     const char *cure)
{
    CHECK(weight == NEEDED || weight == OPTIONAL);
    *rt_vector_push(&diagnosis->complaints) =
        (complaint){.weight = weight,
                    .problem = rt_arena_text(&diagnosis->arena, rt_text_of(problem)),
                    .cure = rt_arena_text(&diagnosis->arena, rt_text_of(cure))};
    diagnosis->counts[weight]++;
}

static void tools_check(doctor_command *diagnosis)
{
    cnf_toolchain tools;
    cnf_toolchain_find(&tools);
    char path[PATH_MAX];
    const struct tool_row {
        bool is_found;
        importance weight;
        const char *problem, *cure;
    } rows[] = {
        {tools.clang[0] != '\0', NEEDED, CNF_CLANG_NAME ", which compiles device code",
         "apt-get install " CNF_CLANG_NAME},
        {tools.plugin[0] != '\0', NEEDED, "libassay_compiler.so, which post-links device code",
         "build assay with ASSAY_COMPILER=ON, or reinstall it"},
        {tools.spirv_as[0] != '\0', OPTIONAL, "spirv-as, for sources in SPIR-V assembly",
         "apt-get install spirv-tools"},
        {tools.libclc[0] != '\0', OPTIONAL, "libclc, for images in PTX",
         "apt-get install libclc-" ASSAY_LLVM_VERSION},
        {tools.sycl[0] != '\0', OPTIONAL, "assay-sycl-compiler, which compiles SYCL sources",
         "ci/setup --with dpcpp"},
        {cnf_toolchain_find_library(path, "libassay_reference.so"), NEEDED,
         "libassay_reference.so, for --loader real and image show --runtime", "reinstall assay"},
        {cnf_toolchain_find_library(path, "libassay_opencl_layer.so"), NEEDED,
         "libassay_opencl_layer.so, for OpenCL subjects", "reinstall assay"},
        {cnf_toolchain_find_program(path, "cc"), OPTIONAL, "cc, for --loader real",
         "apt-get install gcc"},
        {cnf_toolchain_find_program(path, "dot"), OPTIONAL, "dot, for explain --svg",
         "apt-get install graphviz"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].is_found) complain(diagnosis, rows[i].weight, rows[i].problem, rows[i].cure);
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    rt_text problem = rt_arena_text(&diagnosis->arena, warning);
    if (warning.length > 0)
        complain(diagnosis, NEEDED, problem.data, "set ASSAY_CACHE_DIR to a writable folder");
    cnf_cache_close(cache);
}

/* A driver that is not installed is a missing optional item; one that crashes when opened is an
 * error. */
static void subject_check(void *user, const cnf_answer *answer)
{
    doctor_command *diagnosis = user;
    if (answer->is_valid && answer->messages->device.length > 0) return;
    const char *name = answer->subject->name, *install = answer->subject->install;
    rt_text reason = answer->messages->reason;
    rt_text problem = rt_arena_printf(&diagnosis->arena, "subject %s", name);
    if (!answer->is_valid)
        problem = rt_arena_printf(&diagnosis->arena,
                                  "subject %s crashed or did not respond when it was opened", name);
    else if (reason.length > 0)
        problem = rt_arena_printf(&diagnosis->arena, "subject %s: %.*s", name, RT_TEXT_ARG(reason));
    complain(diagnosis, answer->is_valid && install ? OPTIONAL : NEEDED, problem.data,
             install ? install : "reinstall assay");
}

/* Merges the remedies that use the same command into one, which has all their words, each once and
 * preceded by `before`. */
static void command_append(const doctor_command *diagnosis, const char *command, const char *before,
                           rt_buffer *out)
{
    rt_buffer beginning = {0}, words = {0};
    rt_buffer_printf(&beginning, "%s %s", command, before);
    for (uint32_t i = 0; i < diagnosis->complaints.count; i++) {
        rt_text remaining = diagnosis->complaints.items[i].cure;
        if (!rt_text_take_prefix(&remaining, rt_buffer_string(&beginning))) continue;
        while (remaining.length > 0) {
            rt_buffer pattern = {0};
            rt_text word = rt_text_take_until(&remaining, ' ');
            rt_buffer_printf(&pattern, " %s%.*s ", before, RT_TEXT_ARG(word));
            if (!strstr(rt_buffer_string(&words), rt_buffer_string(&pattern))) {
                rt_buffer_truncate(&words, words.size > 0 ? words.size - 1 : 0);
                rt_buffer_append_text(&words, rt_buffer_text(&pattern));
            }
            rt_buffer_free(&pattern);
        }
    }
    if (words.size > 0)
        rt_buffer_printf(out, "%s%s%.*s", out->size ? " && " : "", command, (int)words.size - 1,
                         rt_buffer_string(&words));
    rt_buffer_free(&beginning);
    rt_buffer_free(&words);
}

/* Prints errors before missing optional items, and complaints with the same remedy together. */
static void diagnosis_print(doctor_command *diagnosis)
{
    complaint *rows = diagnosis->complaints.items;
    const uint32_t count = diagnosis->complaints.count;
    for (importance weight = NEEDED; weight <= OPTIONAL; weight++) {
        for (uint32_t i = 0; i < count; i++) {
            if (rows[i].weight != weight || rows[i].is_printed) continue;
            for (uint32_t k = 0; k < count; k++) {
                if (!rt_text_equal(rows[k].cure, rows[i].cure)) continue;
                printf("%s: %.*s\n", rows[k].weight == NEEDED ? "wrong" : "missing",
                       RT_TEXT_ARG(rows[k].problem));
                rows[k].is_printed = true;
            }
            printf("    remedy: %.*s\n", RT_TEXT_ARG(rows[i].cure));
            CHECK(rows[i].is_printed);
        }
    }
    uint32_t error_count = diagnosis->counts[NEEDED], missing = diagnosis->counts[OPTIONAL];
    CHECK(error_count + missing == count);
    if (error_count > 0)
        printf("%u wrong, %u missing\n", error_count, missing);
    else if (missing > 0)
        printf("nothing is wrong; %u optional items are missing\n", missing);
    else
        printf("nothing is wrong or missing\n");
    rt_buffer command = {0};
    command_append(diagnosis, "apt-get install", "", &command);
    command_append(diagnosis, "ci/setup", "--with ", &command);
    if (command.size > 0) printf("in one command: %.*s\n", RT_TEXT_ARG(rt_buffer_text(&command)));
    rt_buffer_free(&command);
}

int cnf_doctor_command(const cnf_arguments *arguments)
{
    (void)arguments;
    doctor_command diagnosis = {0};
    tools_check(&diagnosis);
    bool is_complete = cnf_subjects_ask(subject_check, &diagnosis);
    if (is_complete) diagnosis_print(&diagnosis);
    bool has_errors = diagnosis.counts[NEEDED] > 0;
    rt_vector_free(&diagnosis.complaints);
    rt_arena_reset(&diagnosis.arena);
    if (!is_complete) return CNF_EXIT_INFRASTRUCTURE;
    return has_errors ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
}
