/* assay new: writes a scenario from a template; the scenario passes unchanged. */
#include "conformance/cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* conformance/cli/templates, embedded by embed_templates.py. */
static const struct template_row {
    const char *feature, *text;
} templates[] = {
#include "scenario_templates.inc"
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static const struct template_row *template_find(rt_text feature)
{
    const char *names[TEMPLATES];
    for (size_t i = 0; i < TEMPLATES; i++) {
        names[i] = templates[i].feature;
        if (rt_text_is(feature, templates[i].feature)) return &templates[i];
    }
    cnf_command_unknown("", "template", feature.data, names, TEMPLATES);
    return NULL;
}

/* Creates a file; it must not exist. Returns 0 or an errno; a partly written file is removed. */
static int file_make(const char *name, const char *text)
{
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    size_t size = strlen(text);
    ssize_t written = write(file, text, size);
    int error = written < 0 ? errno : (size_t)written < size ? ENOSPC : 0;
    if (close(file) != 0 && error == 0) error = errno;
    if (error != 0) unlink(name);
    return error;
}

int cnf_new_command(const cnf_arguments *arguments)
{
    if (arguments->path_count != 2) {
        fprintf(stderr, "assay: new needs a FEATURE and a NAME (assay new --help)\n");
        return CNF_EXIT_USAGE;
    }
    const struct template_row *row = template_find(arguments->paths[0]);
    if (!row) return CNF_EXIT_USAGE;
    rt_text name = arguments->paths[1];
    bool has_ending = name.length > 5 && strcmp(name.data + name.length - 5, ".yaml") == 0;
    rt_buffer file = {0};
    rt_buffer_printf(&file, "%s%s", name.data, has_ending ? "" : ".yaml");
    const char *path = rt_buffer_string(&file);
    int error = file_make(path, row->text);
    if (error == 0)
        printf("%s written; run it: assay run %s --on sim\n", path, path);
    else
        fprintf(stderr, "assay: %s: %s%s\n", path, strerror(error),
                error == EEXIST ? "; choose another name" : "");
    rt_buffer_free(&file);
    return error == 0 ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}
