/* assay doctor: what is wrong with the machine, a line each with the cure. */
#include "conformance/cli/ask.h"
#include "conformance/cli/commands.h"
#include "conformance/compile/compile.h"
#include "conformance/compile/toolchain.h"

#include <stdio.h>
#include <unistd.h>

/* What assay cannot do without is wrong; what some scenarios or options need is missing. */
typedef enum importance { NEEDED, OPTIONAL } importance;

typedef struct diagnosis {
    uint32_t wrong, missing;
} diagnosis;

static void say(diagnosis *seen, importance weight, const char *what, const char *cure)
{
    bool needed = weight == NEEDED;
    printf("%s: %s; %s\n", needed ? "wrong" : "missing", what, cure);
    if (needed)
        seen->wrong++;
    else
        seen->missing++;
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

/* A driver that is not installed is missing; one that cannot be opened without dying is wrong. */
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

int cnf_doctor_command(const cnf_arguments *arguments)
{
    (void)arguments;
    diagnosis seen = {0};
    tools_look(&seen);
    files_look(&seen);
    cache_look(&seen);
    if (!cnf_subjects_ask(subject_look, &seen)) return CNF_EXIT_INFRASTRUCTURE;
    if (seen.wrong > 0)
        printf("%u wrong, %u missing\n", seen.wrong, seen.missing);
    else if (seen.missing > 0)
        printf("nothing is wrong; %u missing, which not everything needs\n", seen.missing);
    else
        printf("nothing is wrong or missing\n");
    return seen.wrong > 0 ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
}
