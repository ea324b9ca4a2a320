/* The device config of a module: what post-link knows of the target of code that is made ahead of
 * time.  Source: DeviceConfigFile.md of intel/llvm (sycl/doc/design), of which this is the part
 * that document 004, "AOT flow", reads: the aspects that a target supports. */
#include "conformance/scenario/schema.h"

#include "reference/base/format.h"

static bool target_aspects_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_module *module = out;
    uint32_t present = 0;
    return scn_aspects_read(reader, node, &present, &module->target_lacks);
}

static const scn_shape shape_target_aspects = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the aspects of a target",
    .read = target_aspects_read,
    .alternatives = {&scn_shape_aspects_object},
};

static const scn_row config_rows[] = {
    {"aspects", &shape_target_aspects, SCN_REQUIRED, SCN_SAME,
     "Aspects that the target supports or not; those that are not named it supports."},
};
const scn_shape scn_shape_device_config = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a device config",
    SCN_ROWS(config_rows),
};

/* Code that is not made ahead of time has no target yet. */
bool scn_device_config_check(scn_reader *reader, const scn_node *node, const scn_module *module)
{
    const scn_entry *config = scn_node_entry(node, "device_config");
    bool ahead = false;
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        ahead = ahead || (module->formats >> format & 1 && rt_format_is_native((rt_format)format));
    if (!config || ahead) return true;
    return scn_report(
        reader->reporter, config->value.at,
        "a device config is about code that is made ahead of time, and the module has "
        "none; give it 'formats: [native]'");
}
