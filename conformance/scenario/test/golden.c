/* scenario_golden FILE...: reads scenarios, and prints the messages of `assay check` or, for a
 * valid scenario, its text form.
 *
 *   scenario_golden --compare FILE...        compares this with the expected text
 *   scenario_golden --update FILE...         replaces the expected text
 *   scenario_golden --write FOLDER FILE...   writes the scenarios of cases to separate files
 *
 * FILE is a scenario, whose expected text is in NAME.expected next to it, or a file of cases
 * (NAME.cases, see cases.h).  Exit status: 1 if a text differs, 2 if a file cannot be read or
 * written. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/test/cases.h"
#include "conformance/scenario/test/print.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum mode { MODE_PRINT, MODE_COMPARE, MODE_UPDATE, MODE_WRITE } mode;

typedef struct invocation {
    mode mode;
    const char *folder; /* of MODE_WRITE */
} invocation;

enum { SAME, DIFFERENT, FAILED };

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static bool file_read(const char *name, rt_buffer *out)
{
    FILE *file = fopen(name, "rb");
    if (!file) return false;
    char chunk[4096];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        rt_buffer_append(out, chunk, size);
    bool is_read = !ferror(file);
    fclose(file);
    return is_read;
}

static int file_write(const char *name, const char *open_mode, rt_text text)
{
    FILE *file = fopen(name, open_mode);
    bool is_written = file && fwrite(text.data, 1, text.length, file) == text.length;
    if (file && fclose(file) != 0) is_written = false;
    if (!is_written) perror(name);
    return is_written ? SAME : FAILED;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Changes to a file's folder, so that messages contain no folder names. Returns a descriptor of the
 * previous folder. */
static int folder_enter(const char *path)
{
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(before >= 0);
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.", (int)(base_name(path) - path), path);
    int failed = chdir(folder);
    CHECK(failed == 0);
    return before;
}

static void folder_leave(int before)
{
    int failed = fchdir(before);
    CHECK(failed == 0);
    close(before);
}

/* Appends a scenario's problems and, if it is valid, its text form, as if it were the file `name`
 * in the folder of `path`. */
static void describe(const char *path, rt_text name, rt_text text, rt_buffer *out)
{
    int before = folder_enter(path);
    rt_arena arena = {0};
    scn_problems problems;
    const scn_scenario *scenario = scn_read(&arena, text, name, name, &problems);
    scn_problems_write(out, name, &problems);
    if (scenario) scn_print(out, scenario);
    rt_arena_reset(&arena);
    folder_leave(before);
}

static int compare(const char *path, rt_text name, rt_text expected, rt_text printed)
{
    if (rt_text_equal(printed, expected)) return SAME;
    printf("%s: %.*s differs\n--- expected\n%.*s+++ printed\n%.*s", path, RT_TEXT_ARG(name),
           RT_TEXT_ARG(expected), RT_TEXT_ARG(printed));
    return DIFFERENT;
}

/* ---- A file of cases ----------------------------------------------------------------------- */

/* An invalid base could hide the mistakes that its cases are meant to show. */
static int base_compare(const char *path, rt_text base)
{
    rt_buffer printed = {0};
    rt_arena arena = {0};
    scn_problems problems;
    rt_text name = RT_TEXT("base.yaml");
    int before = folder_enter(path);
    if (base.length > 0 && !scn_read(&arena, base, name, name, &problems))
        scn_problems_write(&printed, name, &problems);
    folder_leave(before);
    int status = compare(path, name, RT_TEXT(""), rt_buffer_text(&printed));
    rt_buffer_free(&printed);
    rt_arena_reset(&arena);
    return status;
}

static int case_write(const char *folder, const golden_case *item)
{
    rt_buffer name = {0};
    rt_buffer_printf(&name, "%s/%.*s.yaml", folder, RT_TEXT_ARG(item->name));
    int status = file_write(rt_buffer_string(&name), "wbx", item->scenario);
    rt_buffer_free(&name);
    return status;
}

static int case_process(const invocation *command, const char *path, const golden_case *item,
                        rt_text *out_printed, rt_arena *arena)
{
    if (command->mode == MODE_WRITE) return case_write(command->folder, item);
    rt_buffer printed = {0};
    rt_text name = rt_arena_printf(arena, "%.*s.yaml", RT_TEXT_ARG(item->name));
    describe(path, name, item->scenario, &printed);
    *out_printed = rt_arena_text(arena, rt_buffer_text(&printed));
    rt_buffer_free(&printed);
    if (command->mode == MODE_PRINT) printf("%.*s", RT_TEXT_ARG(*out_printed));
    return command->mode == MODE_COMPARE ? compare(path, item->name, item->message, *out_printed)
                                         : SAME;
}

static int cases_process(const invocation *command, const char *path, rt_text file)
{
    rt_arena arena = {0};
    golden_cases cases;
    rt_text error;
    int status = SAME;
    if (golden_cases_read(&arena, file, &cases, &error)) {
        rt_text *printed = rt_arena_alloc_array(&arena, cases.list.count, sizeof *printed);
        if (command->mode == MODE_COMPARE) status = base_compare(path, cases.base);
        for (uint32_t i = 0; i < cases.list.count; i++)
            status = worse(status,
                           case_process(command, path, &cases.list.items[i], &printed[i], &arena));
        if (command->mode == MODE_UPDATE) {
            rt_buffer updated = {0};
            golden_cases_update(&updated, file, &cases, printed);
            status = file_write(path, "wb", rt_buffer_text(&updated));
            rt_buffer_free(&updated);
        }
    } else {
        printf("%s:%.*s\n", path, RT_TEXT_ARG(error));
        status = FAILED;
    }
    rt_vector_free(&cases.list);
    rt_arena_reset(&arena);
    return status;
}

/* ---- A scenario ---------------------------------------------------------------------------- */

static int expected_compare(const char *path, const char *expected_path, rt_text printed)
{
    rt_buffer expected = {0};
    int status = FAILED;
    if (file_read(expected_path, &expected))
        status = compare(path, RT_TEXT("the scenario"), rt_buffer_text(&expected), printed);
    else
        perror(expected_path);
    rt_buffer_free(&expected);
    return status;
}

static int scenario_process(const invocation *command, const char *path, rt_text text)
{
    rt_buffer printed = {0}, expected_path = {0};
    size_t stem = strlen(path) - (rt_text_is(rt_text_of(path + strlen(path) - 5), ".yaml") ? 5 : 0);
    rt_buffer_printf(&expected_path, "%.*s.expected", (int)stem, path);
    describe(path, rt_text_of(base_name(path)), text, &printed);
    int status = SAME;
    switch (command->mode) {
    case MODE_WRITE:
    case MODE_PRINT: printf("%s", rt_buffer_string(&printed)); break;
    case MODE_UPDATE:
        status = file_write(rt_buffer_string(&expected_path), "wb", rt_buffer_text(&printed));
        break;
    case MODE_COMPARE:
        status = expected_compare(path, rt_buffer_string(&expected_path), rt_buffer_text(&printed));
        break;
    }
    rt_buffer_free(&printed);
    rt_buffer_free(&expected_path);
    return status;
}

static bool is_cases_file(const char *path)
{
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".cases") == 0;
}

static int process(const invocation *command, const char *path)
{
    rt_buffer text = {0};
    int status = FAILED;
    if (!file_read(path, &text))
        perror(path);
    else if (is_cases_file(path))
        status = cases_process(command, path, rt_buffer_text(&text));
    else
        status = scenario_process(command, path, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return status;
}

int main(int argument_count, char **arguments)
{
    static const char *const words[] = {NULL, "--compare", "--update", "--write"};
    invocation command = {.mode = MODE_PRINT};
    int first = 1, status = SAME;
    for (mode m = MODE_COMPARE; m <= MODE_WRITE; m++)
        if (argument_count > 1 && strcmp(arguments[1], words[m]) == 0) command.mode = m;
    if (command.mode != MODE_PRINT) first++;
    if (command.mode == MODE_WRITE && argument_count > first) command.folder = arguments[first++];
    if (first >= argument_count) {
        fprintf(stderr, "usage: scenario_golden [--compare | --update | --write FOLDER] FILE...\n");
        return FAILED;
    }
    for (int i = first; i < argument_count; i++)
        status = worse(status, process(&command, arguments[i]));
    return status;
}
