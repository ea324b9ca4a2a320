/* assay completion: the command line's tables as a script for a shell. Packages install the output.
 */
#include "conformance/cli/commands.h"
#include "conformance/subject/subject.h"

#include <string.h>

/* ---- Words --------------------------------------------------------------------------------- */

/* Each returns the word with this index; NULL after the last one. */
static const char *subject_word(uint32_t index)
{
    return index < cnf_subject_count ? cnf_subjects[index].name : NULL;
}

static const char *rule_word(uint32_t index)
{
    uint32_t rule = RT_RULE_NONE + 1 + index;
    return rule < RT_RULE_COUNT ? rt_rule_name((rt_rule)rule) : NULL;
}

static const char *verdict_word(uint32_t index)
{
    return index < CNF_VERDICT_COUNT ? cnf_verdict_word((cnf_verdict)index) : NULL;
}

static const char *profile_word(uint32_t index)
{
    return index < RT_PROFILE_COUNT ? rt_profile_name((rt_profile)index) : NULL;
}

static const char *loader_word(uint32_t index)
{
    return index == 0 ? CNF_LOADER_SIMULATED : index == 1 ? CNF_LOADER_REAL : NULL;
}

/* The words of an option's value, which is one of them or a list of them between commas. */
static const struct value_row {
    cnf_option_id id;
    const char *(*word)(uint32_t index);
} value_rows[] = {
    {CNF_OPTION_ON, subject_word},      {CNF_OPTION_FORMATS, cnf_pack_format},
    {CNF_OPTION_RULE, rule_word},       {CNF_OPTION_VERDICT, verdict_word},
    {CNF_OPTION_PROFILE, profile_word}, {CNF_OPTION_LOADER, loader_word},
};
enum { VALUES = sizeof value_rows / sizeof *value_rows };

static const char *const shells[] = {"bash", "zsh", "fish"};
enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_word(uint32_t index)
{
    return index < SHELLS ? shells[index] : NULL;
}

/* The words that a command takes instead of, or in addition to, files. */
static const struct operand_row {
    const char *command;
    const char *(*word)(uint32_t index);
} operand_rows[] = {{"why", subject_word}, {"completion", shell_word}};
enum { OPERANDS = sizeof operand_rows / sizeof *operand_rows };

static void words_write(rt_buffer *out, const char *(*word)(uint32_t index))
{
    for (uint32_t i = 0; word(i); i++)
        rt_buffer_printf(out, "%s%s", i > 0 ? " " : "", word(i));
}

/* Returns true after writing the words of the option's value; false if it has none. */
static bool value_words_write(rt_buffer *out, cnf_option_id id)
{
    for (uint32_t i = 0; i < VALUES; i++) {
        if (value_rows[i].id != id) continue;
        words_write(out, value_rows[i].word);
        return true;
    }
    return false;
}

/* Likewise for a command's operands. */
static bool operand_words_write(rt_buffer *out, const char *command)
{
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (strcmp(operand_rows[i].command, command) != 0) continue;
        words_write(out, operand_rows[i].word);
        return true;
    }
    return false;
}

/* Writes text inside single quotes; `escaped` characters get a backslash. */
static void quoted_write(rt_buffer *out, const char *text, const char *escaped, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'') {
            rt_buffer_printf(out, "%s", quote);
            continue;
        }
        if (strchr(escaped, *text)) rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, *text);
    }
}

/* True for an option such as "-cl-*", of which only the beginning is known. */
static bool is_open(const cnf_option *option)
{
    return option->name[strlen(option->name) - 1] == '*';
}

/* ---- bash ---------------------------------------------------------------------------------- */

static void bash_write(rt_buffer *out, const cnf_command *commands, uint32_t count)
{
    rt_buffer_printf(out, "# Completes command lines of assay in bash; written by `assay "
                          "completion`.\n_assay() {\n"
                          "    local word=${COMP_WORDS[COMP_CWORD]} "
                          "before=${COMP_WORDS[COMP_CWORD-1]} words= values= first=\n"
                          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                          "        COMPREPLY=($(compgen -W \"");
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s ", commands[i].name);
    rt_buffer_printf(out, "--help --version\" -- \"$word\"))\n        return\n    fi\n"
                          "    # bash splits \"--on=sim\" into three words.\n"
                          "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
                          "    [ \"$word\" = = ] && word=\n"
                          "    case $before in\n");
    /* An option has the same values in all commands. */
    bool is_written[CNF_OPTION_COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < commands[i].option_count; k++) {
            const cnf_option *option = &commands[i].options[k];
            rt_buffer words = {0};
            if (!is_written[option->id] && value_words_write(&words, option->id))
                rt_buffer_printf(out, "        %s) values=\"%s\" ;;\n", option->name,
                                 rt_buffer_string(&words));
            is_written[option->id] = true;
            rt_buffer_free(&words);
        }
    }
    rt_buffer_printf(out, "    esac\n    if [ -n \"$values\" ]; then\n"
                          "        case $word in *,*) first=${word%%,*}, ;; esac\n"
                          "        COMPREPLY=($(compgen -P \"$first\" -W \"$values\" -- "
                          "\"${word##*,}\"))\n        return\n    fi\n"
                          "    case ${COMP_WORDS[1]} in\n");
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(out, "        %s) words=\"", commands[i].name);
        for (uint32_t k = 0; k < commands[i].option_count; k++) {
            const char *name = commands[i].options[k].name;
            rt_buffer_printf(out, "%s%.*s", k > 0 ? " " : "", (int)strcspn(name, "*"), name);
        }
        rt_buffer_printf(out, "\" values=\"");
        operand_words_write(out, commands[i].name);
        rt_buffer_printf(out, "\" ;;\n");
    }
    rt_buffer_printf(out, "    esac\n    case $word in\n"
                          "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
                          "        *) COMPREPLY=($(compgen -W \"$values\" -- \"$word\") "
                          "$(compgen -f -- \"$word\")) ;;\n"
                          "    esac\n}\ncomplete -o filenames -F _assay assay\n");
}

/* ---- zsh ----------------------------------------------------------------------------------- */

/* Writes the specification of one spelling of an option for _arguments. */
static void zsh_option_write(rt_buffer *out, const cnf_option *option, const char *name,
                             const char *joint)
{
    rt_buffer_printf(out, " \\\n            '*%s%s[", name, option->value ? joint : "");
    quoted_write(out, option->help, "[]:\\", "'\\''");
    rt_buffer_append_byte(out, ']');
    if (option->value) {
        rt_buffer_printf(out, option->optional_ending ? "::" : ":");
        quoted_write(out, option->value, "[]:\\", "'\\''");
        rt_buffer words = {0};
        if (value_words_write(&words, option->id))
            rt_buffer_printf(out, ":_values -s , word %s", rt_buffer_string(&words));
        else
            rt_buffer_printf(out, ":_files");
        rt_buffer_free(&words);
    }
    rt_buffer_append_byte(out, '\'');
}

static void zsh_write(rt_buffer *out, const cnf_command *commands, uint32_t count)
{
    rt_buffer_printf(out, "#compdef assay\n# Completes command lines of assay in zsh; written by "
                          "`assay completion zsh`.\n_assay() {\n    local -a commands\n"
                          "    commands=(");
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(out, "\n        '%s:", commands[i].name);
        quoted_write(out, commands[i].summary, ":\\", "'\\''");
        rt_buffer_append_byte(out, '\'');
    }
    rt_buffer_printf(out, ")\n    if (( CURRENT == 2 )); then\n"
                          "        _describe command commands\n        return\n    fi\n"
                          "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n");
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(out, "        %s) _arguments", commands[i].name);
        for (uint32_t k = 0; k < commands[i].option_count; k++) {
            const cnf_option *option = &commands[i].options[k];
            if (is_open(option)) continue;
            zsh_option_write(out, option, option->name, option->optional_ending ? "=-" : "=");
            if (option->letter) zsh_option_write(out, option, option->letter, "+");
        }
        rt_buffer words = {0};
        if (operand_words_write(&words, commands[i].name))
            rt_buffer_printf(out, " \\\n            '*:operand:{_values word %s; _files}'",
                             rt_buffer_string(&words));
        else if (commands[i].operands)
            rt_buffer_printf(out, " \\\n            '*:file:_files'");
        rt_buffer_free(&words);
        rt_buffer_printf(out, " ;;\n");
    }
    rt_buffer_printf(out, "    esac\n}\nif [ \"$funcstack[1]\" = _assay ]; then\n"
                          "    _assay \"$@\"\nelse\n    compdef _assay assay\nfi\n");
}

/* ---- fish ---------------------------------------------------------------------------------- */

static void fish_write(rt_buffer *out, const cnf_command *commands, uint32_t count)
{
    rt_buffer_printf(out, "# Completes command lines of assay in fish; written by `assay "
                          "completion fish`.\n");
    for (uint32_t i = 0; i < count; i++) {
        const cnf_command *command = &commands[i];
        rt_buffer_printf(out, "complete -c assay -n __fish_use_subcommand -x -a %s -d '",
                         command->name);
        quoted_write(out, command->summary, "\\", "\\'");
        rt_buffer_printf(out, "'\n");
        rt_buffer words = {0};
        if (operand_words_write(&words, command->name))
            rt_buffer_printf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                             command->name, rt_buffer_string(&words));
        for (uint32_t k = 0; k < command->option_count; k++) {
            const cnf_option *option = &command->options[k];
            if (is_open(option)) continue;
            bool is_long = option->name[1] == '-';
            rt_buffer_printf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' %s %s",
                             command->name, is_long ? "-l" : "-s",
                             option->name + (is_long ? 2 : 1));
            if (option->letter) rt_buffer_printf(out, " -s %s", option->letter + 1);
            rt_buffer_truncate(&words, 0);
            if (option->value && value_words_write(&words, option->id))
                rt_buffer_printf(out,
                                 " -x -a '(__fish_complete_list , \"printf %%s\\\\\\\\n %s\")'",
                                 rt_buffer_string(&words));
            else if (option->value && !option->optional_ending)
                rt_buffer_printf(out, " -r");
            rt_buffer_printf(out, " -d '");
            quoted_write(out, option->help, "\\", "\\'");
            rt_buffer_printf(out, "'\n");
        }
        rt_buffer_free(&words);
    }
}

/* ---- The command --------------------------------------------------------------------------- */

int cnf_completion_command(const cnf_arguments *arguments)
{
    static void (*const writers[SHELLS])(rt_buffer * out, const cnf_command *commands,
                                         uint32_t count) = {bash_write, zsh_write, fish_write};
    if (arguments->path_count > 1) {
        fprintf(stderr, "assay: completion takes one shell: bash, zsh or fish\n");
        return CNF_EXIT_USAGE;
    }
    uint32_t count, shell = 0;
    const cnf_command *commands = cnf_command_table(&count);
    if (arguments->path_count == 1) {
        while (shell < SHELLS && !rt_text_is(arguments->paths[0], shells[shell]))
            shell++;
        if (shell == SHELLS)
            return cnf_command_unknown("completion: ", "shell", arguments->paths[0].data, shells,
                                       SHELLS);
    }
    rt_buffer script = {0};
    writers[shell](&script, commands, count);
    return cnf_command_finish(&script, "the script");
}
