/* Table-driven parsing of the command line. Every option has a long form, "--name value" or
 * "--name=value", and may have a short form, "-x value" or "-xvalue". */
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
    cnf_given *given; /* has room for one option per argument */
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
        if (option->name[length - 1] == '*') {
            if (strncmp(argument, option->name, length - 1) != 0) continue;
            *out_value = argument;
            return option;
        }
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

/* Parses an option, whose value may be the next argument. If the value is optional and the next
 * argument does not have the ending of a value, the value is "-". */
static bool parse_option(argument_parser *parser, const char *argument)
{
    const cnf_command *command = parser->command;
    const char *value;
    const cnf_option *option = option_find(command, argument, &value);
    if (!option) {
        enum { NAMES_MAX = 96 };
        const char *names[NAMES_MAX];
        CHECK(command->option_count <= NAMES_MAX);
        for (uint32_t i = 0; i < command->option_count; i++)
            names[i] = command->options[i].name;
        rt_buffer_printf(parser->error, "assay %s has no option %s", command->name, argument);
        cnf_suggest(parser->error, argument, names, command->option_count);
        return false;
    }
    CHECK((unsigned)option->id < CNF_OPTION_COUNT);
    CHECK_IMPLIES(option->optional_ending, option->value);
    bool is_spelled = option->name[strlen(option->name) - 1] == '*';
    if (!option->value && value && !is_spelled) {
        rt_buffer_printf(parser->error, "option %s takes no value", option->name);
        return false;
    }
    if (option->value && !value) {
        const char *next = parser->next < parser->count ? parser->arguments[parser->next] : NULL;
        const char *ending = option->optional_ending;
        size_t length = next ? strlen(next) : 0, ending_length = ending ? strlen(ending) : 0;
        if (ending && (!next || length < ending_length ||
                       strcmp(next + length - ending_length, ending) != 0)) {
            value = "-";
        } else if (next) {
            value = next;
            parser->next++;
        } else {
            rt_buffer_printf(parser->error, "option %s needs a value: %s", option->name,
                             option->value);
            return false;
        }
    }
    parser->out->values[option->id] = value ? value : "";
    parser->given[parser->out->given_count++] = (cnf_given){option->id, value ? value : ""};
    return true;
}

bool cnf_arguments_parse(const cnf_command *command, int argument_count, char *const *arguments,
                         rt_arena *arena, cnf_arguments *out_arguments, rt_buffer *out_error)
{
    CHECK(argument_count >= 0);
    *out_arguments = (cnf_arguments){.command = command};
    out_arguments->paths = rt_arena_alloc_array(arena, (size_t)argument_count + 1, sizeof(rt_text));
    cnf_given *given = rt_arena_alloc_array(arena, (size_t)argument_count + 1, sizeof *given);
    argument_parser parser = {command, arguments,     argument_count, 0,
                              given,   out_arguments, out_error};
    out_arguments->given = given;
    bool only_paths = false;
    while (parser.next < argument_count) {
        const char *argument = arguments[parser.next++];
        if (!only_paths && strcmp(argument, "--") == 0) {
            only_paths = true;
        } else if (!only_paths && argument[0] == '-' && argument[1] != '\0') {
            if (!parse_option(&parser, argument)) return false;
        } else if (!command->operands) {
            rt_buffer_printf(out_error, "assay %s takes no operands; remove '%s'", command->name,
                             argument);
            return false;
        } else {
            out_arguments->paths[out_arguments->path_count++] = rt_text_of(argument);
        }
        CHECK(parser.next <= argument_count);
    }
    CHECK(out_arguments->path_count <= (uint32_t)argument_count);
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
        rt_buffer label = {0};
        if (option->letter) rt_buffer_printf(&label, "%s, ", option->letter);
        rt_buffer_printf(&label, option->optional_ending ? "%s[%s%s]" : "%s%s%s", option->name,
                         option->optional_ending ? "="
                         : option->value         ? " "
                                                 : "",
                         option->value ? option->value : "");
        rt_buffer_printf(out, "  %-22s %s\n", rt_buffer_string(&label), option->help);
        rt_buffer_free(&label);
    }
}
