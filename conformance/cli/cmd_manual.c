/* assay manual: the command line's tables as a page for man(1), which packages install. */
#include "conformance/cli/commands.h"

#include <string.h>

/* Prints a table's text as roff, in which a backslash, a minus, and a dot or quote at the beginning
 * of a line are special. */
static void roff_print(rt_buffer *out, const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) rt_buffer_printf(out, "\\&");
        begins = *text == '\n';
        if (*text == '\\')
            rt_buffer_printf(out, "\\e");
        else if (*text == '-')
            rt_buffer_printf(out, "\\-");
        else
            rt_buffer_append_byte(out, *text);
    }
}

static void option_print(rt_buffer *out, const cnf_option *option)
{
    rt_buffer_printf(out, ".TP\n.B ");
    if (option->letter) {
        roff_print(out, option->letter);
        rt_buffer_printf(out, ", ");
    }
    roff_print(out, option->name);
    if (option->value) {
        rt_buffer_printf(out, "%s", option->optional_ending ? "[=" : " ");
        roff_print(out, option->value);
        if (option->optional_ending) rt_buffer_append_byte(out, ']');
    }
    rt_buffer_append_byte(out, '\n');
    roff_print(out, option->help);
    rt_buffer_append_byte(out, '\n');
}

static void command_print(rt_buffer *out, const cnf_command *command)
{
    rt_buffer_printf(out, ".SS assay %s ", command->name);
    if (command->operands) roff_print(out, command->operands);
    rt_buffer_append_byte(out, '\n');
    roff_print(out, command->summary);
    rt_buffer_append_byte(out, '\n');
    if (command->text) {
        /* The tables' texts have line breaks and indented lists for a terminal. */
        rt_buffer_printf(out, ".PP\n.nf\n");
        roff_print(out, command->text);
        rt_buffer_printf(out, "\n.fi\n");
    }
    for (uint32_t i = 0; i < command->option_count; i++)
        option_print(out, &command->options[i]);
}

int cnf_manual_command(const cnf_arguments *arguments)
{
    (void)arguments;
    uint32_t count;
    const cnf_command *commands = cnf_command_table(&count);
    rt_buffer page = {0};
    rt_buffer_printf(&page,
                     ".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION "\" \"User Commands\"\n"
                     ".SH NAME\nassay \\- test runtimes that link and launch device code\n"
                     ".SH SYNOPSIS\n.B assay\n.I COMMAND\n[PATH...] [OPTION...]\n"
                     ".SH DESCRIPTION\nRuns scenarios for the device\\-code runtime of DPC++ on "
                     "several devices and compares the results.\n.SH COMMANDS\n");
    for (uint32_t i = 0; i < count; i++)
        command_print(&page, &commands[i]);
    rt_buffer_printf(&page, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, output is "
                            "not coloured.\n.TP\n.B ASSAY_CACHE_DIR\nFolder of compiled device "
                            "code.\n.TP\n.B ASSAY_VENV\nFolder of the vendors' packages that "
                            "ci/setup installs.\n");
    return cnf_command_finish(&page, "the manual");
}
