/* Stands in for the YAML reader in a build without libyaml (ASSAY_YAML off, preset portable):
 * refuses every file with a message that names libyaml. */
#include "conformance/scenario/yaml/yaml.h"

const scn_node *scn_yaml_read(scn_reporter *reporter, rt_text text)
{
    (void)text;
    scn_report(reporter, (scn_position){1, 1}, SCN_YAML_ABSENT);
    return NULL;
}
