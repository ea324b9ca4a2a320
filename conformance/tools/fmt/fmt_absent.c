/* The formatter in a build without libyaml (ASSAY_YAML off, preset portable): reports that it is
 * unavailable. */
#include "conformance/tools/fmt/fmt.h"

#include "conformance/scenario/yaml/yaml.h"

cnf_fmt_end cnf_fmt_text(rt_arena *arena, rt_text text, rt_buffer *out, scn_problems *out_problems)
{
    (void)out;
    scn_reporter reporter = {.arena = arena};
    const scn_node *root = scn_yaml_read(&reporter, text);
    CHECK(!root);
    *out_problems = scn_reporter_finish(&reporter);
    return CNF_FMT_REFUSED;
}
