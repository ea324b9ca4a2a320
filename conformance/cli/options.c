/* Table-driven parsing of the command line. Every option is long, takes "--name value" or
 * "--name=value", and may have a letter, which takes "-x value" or "-xvalue". */
#include "conformance/cli/options.h"

#include "reference/base/nearest.h"

#include <string.h>

void cnf_suggest(rt_buffer *out, const char *written, const char *const *names, uint32_t count)
{
    rt_nearest nearest = rt_nearest_to(rt_text_of(written));
    for (uint32_t i = 0; i < count; i++)
        rt_nearest_offer(&nearest, rt_text_of(names[i]));
    rt_nearest_hint(&nearest, out);
}

/* ---- Parsing ------------------------------------------------------------------------------- */

typedef struct argument_parser {
    const cnf_command *command;
    char *const *arguments;
    int count, next;
    cnf_arguments *out;
    rt_buffer *error;
} argument_parser;

/* Finds the option that the argument names; *out_value is the text after "=" or after the letter.
 */
static const cnf_option *option_find(const cnf_command *command, const char *argument,
                                     const char **out_value)
{
    *out_value = NULL;
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cnf_option *option = &command->options[i];
        size_t length = strlen(option->name);
        bool named = strncmp(argument, option->name, length) == 0;
        if (named && argument[length] == '\0') return option;
        if (named && argument[length] == '=') {
            *out_value = argument + length + 1;
            return option;
        }
        if (option->letter && argument[1] != '-' && strncmp(argument, option->letter, 2) == 0) {
            if (argument[2] != '\0') *out_value = argument + 2;
            return option;
        }
    }
    return NULL;
}

static bool unknown_option(argument_parser *parser, const char *argument)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    CHECK(parser->command->option_count <= NAMES_MAX);
    for (uint32_t i = 0; i < parser->command->option_count; i++)
        names[i] = parser->command->options[i].name;
    rt_buffer_printf(parser->error, "assay %s has no option %s", parser->command->name, argument);
    cnf_suggest(parser->error, argument, names, parser->command->option_count);
    return false;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

/* Takes the next argument as the value of an option without "="; "-" if the value may be left out
 * and the next argument does not end like one. */
static bool value_take(argument_parser *parser, const cnf_option *option, const char **out_value)
{
    CHECK(option->value);
    *out_value = "-";
    bool more = parser->next < parser->count;
    const char *ending = option->optional_ending;
    if (ending && (!more || !ends_with(parser->arguments[parser->next], ending))) return true;
    if (more) {
        *out_value = parser->arguments[parser->next++];
        return true;
    }
    rt_buffer_printf(parser->error, "option %s needs a value: %s", option->name, option->value);
    return false;
}

static bool parse_option(argument_parser *parser, const char *argument)
{
    const char *value;
    const cnf_option *option = option_find(parser->command, argument, &value);
    if (!option) return unknown_option(parser, argument);
    if (!option->value && value) {
        rt_buffer_printf(parser->error, "option %s takes no value", option->name);
        return false;
    }
    if (option->value && !value && !value_take(parser, option, &value)) return false;
    CHECK((unsigned)option->id < CNF_OPTION_COUNT);
    parser->out->values[option->id] = value ? value : "";
    return true;
}

bool cnf_arguments_parse(const cnf_command *command, int argument_count, char *const *arguments,
                         rt_arena *arena, cnf_arguments *out_arguments, rt_buffer *out_error)
{
    CHECK(argument_count >= 0);
    *out_arguments = (cnf_arguments){0};
    out_arguments->paths = rt_arena_alloc_array(arena, (size_t)argument_count + 1, sizeof(rt_text));
    argument_parser parser = {command, arguments, argument_count, 0, out_arguments, out_error};
    bool only_paths = false;
    while (parser.next < argument_count) {
        const char *argument = arguments[parser.next++];
        if (!only_paths && strcmp(argument, "--") == 0) {
            only_paths = true;
        } else if (!only_paths && argument[0] == '-' && argument[1] != '\0') {
            if (!parse_option(&parser, argument)) return false;
        } else if (!command->operands) {
            rt_buffer_printf(out_error, "assay %s takes no '%s'", command->name, argument);
            return false;
        } else {
            out_arguments->paths[out_arguments->path_count++] = rt_text_of(argument);
        }
    }
    return true;
}

/* ---- Help ---------------------------------------------------------------------------------- */

void cnf_command_help(rt_buffer *out, const cnf_command *command)
{
    rt_buffer_printf(out, "assay %s", command->name);
    if (command->operands) rt_buffer_printf(out, " %s", command->operands);
    if (command->option_count > 0) rt_buffer_printf(out, " [OPTION…]");
    rt_buffer_printf(out, "\n\n%s\n", command->summary);
    if (command->text) rt_buffer_printf(out, "\n%s\n", command->text);
    rt_buffer_printf(out, "\nOptions:\n");
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cnf_option *option = &command->options[i];
        rt_buffer left = {0};
        if (option->letter) rt_buffer_printf(&left, "%s, ", option->letter);
        rt_buffer_printf(&left, option->optional_ending ? "%s[%s%s]" : "%s%s%s", option->name,
                         option->optional_ending ? "="
                         : option->value         ? " "
                                                 : "",
                         option->value ? option->value : "");
        rt_buffer_printf(out, "  %-22s %s\n", rt_buffer_string(&left), option->help);
        rt_buffer_free(&left);
    }
}
