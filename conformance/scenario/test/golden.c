/* scenario_golden FILE...: reads each scenario and prints what `assay check` would say of it, or,
 * when it is valid, its text form.  With --compare NAME.expected beside each FILE the printed text
 * is compared instead; --update writes it.  Exit status 1: one differs; 2: a file operation
 * failed. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/test/print.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool file_read(const char *name, rt_buffer *out)
{
    FILE *file = fopen(name, "rb");
    if (!file) return false;
    char chunk[4096];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        rt_buffer_append(out, chunk, size);
    bool fine = !ferror(file);
    fclose(file);
    return fine;
}

static bool file_write(const char *name, rt_text text)
{
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    bool fine = fwrite(text.data, 1, text.length, file) == text.length;
    return fclose(file) == 0 && fine;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Goes to the folder of a file, so that what is said names no other, and tells how to return. */
static int folder_enter(const char *path)
{
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(here >= 0);
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.", (int)(base_name(path) - path), path);
    int failed = chdir(folder);
    CHECK(failed == 0);
    return here;
}

static void folder_leave(int here)
{
    int failed = fchdir(here);
    CHECK(failed == 0);
    close(here);
}

/* Appends what is said about the scenario. */
static void describe(const char *path, rt_text text, rt_buffer *out)
{
    int here = folder_enter(path);
    rt_arena arena = {0};
    scn_problems problems;
    rt_text name = rt_text_of(base_name(path));
    const scn_scenario *scenario = scn_read(&arena, text, name, name, &problems);
    scn_problems_write(out, name, &problems);
    if (scenario) scn_print(out, scenario);
    rt_arena_reset(&arena);
    folder_leave(here);
}

typedef enum mode { MODE_PRINT, MODE_COMPARE, MODE_UPDATE } mode;

static int judge(mode what, const char *path, rt_text said)
{
    rt_buffer expected_name = {0}, expected = {0};
    size_t stem = strlen(path) - (rt_text_is(rt_text_of(path + strlen(path) - 5), ".yaml") ? 5 : 0);
    rt_buffer_printf(&expected_name, "%.*s.expected", (int)stem, path);
    const char *name = rt_buffer_string(&expected_name);
    int status = 0;
    if (what == MODE_UPDATE) {
        status = file_write(name, said) ? 0 : 2;
    } else if (!file_read(name, &expected)) {
        printf("%s: cannot be read\n", name);
        status = 2;
    } else if (!rt_text_equal(said, rt_buffer_text(&expected))) {
        printf("%s: differs\n--- expected\n%s+++ printed\n%.*s", path, rt_buffer_string(&expected),
               RT_TEXT_ARG(said));
        status = 1;
    }
    rt_buffer_free(&expected_name);
    rt_buffer_free(&expected);
    return status;
}

static int process(mode what, const char *path)
{
    rt_buffer text = {0}, said = {0};
    int status = 0;
    if (!file_read(path, &text)) {
        printf("%s: cannot be read\n", path);
        status = 2;
    } else {
        describe(path, rt_buffer_text(&text), &said);
        if (what == MODE_PRINT)
            printf("%s", rt_buffer_string(&said));
        else
            status = judge(what, path, rt_buffer_text(&said));
    }
    rt_buffer_free(&text);
    rt_buffer_free(&said);
    return status;
}

int main(int argument_count, char **arguments)
{
    mode what = MODE_PRINT;
    int first = 1, worst = 0;
    if (argument_count > 1 && strcmp(arguments[1], "--compare") == 0) what = MODE_COMPARE;
    if (argument_count > 1 && strcmp(arguments[1], "--update") == 0) what = MODE_UPDATE;
    if (what != MODE_PRINT) first = 2;
    if (first >= argument_count) {
        printf("usage: scenario_golden [--compare | --update] FILE...\n");
        return 2;
    }
    for (int i = first; i < argument_count; i++) {
        int status = process(what, arguments[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
