/* The table of rules in a build without libyaml (ASSAY_YAML off, preset portable), which can read
 * neither the table nor the scenarios' citations. */
#include "conformance/requirements/rules.h"

#include "conformance/scenario/yaml/yaml.h"

rt_status cnf_rules_read(rt_sink *sink, rt_arena *arena, rt_text file, cnf_rules *out_rules)
{
    (void)arena;
    *out_rules = (cnf_rules){0};
    return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "%.*s: " SCN_YAML_ABSENT, RT_TEXT_ARG(file));
}

rt_status cnf_citations_read(rt_sink *sink, rt_arena *arena, const cnf_files *files,
                             const cnf_rules *rules, cnf_citations *out_citations)
{
    (void)arena;
    (void)files;
    (void)rules;
    *out_citations = (cnf_citations){0};
    return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, SCN_YAML_ABSENT);
}
