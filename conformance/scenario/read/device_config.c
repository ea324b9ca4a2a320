/* The device config of a module: what post-link knows about the target of code that is compiled
 * ahead of time, written in the scenario or in a companion file.
 *
 * Source: DeviceConfigFile.md of intel/llvm (sycl/doc/design). Only the part that document 004,
 * "AOT flow", uses is implemented: the aspects that a target supports. */
#include "conformance/scenario/read/device_config_file.h"
#include "conformance/scenario/read/source.h"

#include "reference/base/format.h"

static const scn_shape shape_target = {SCN_NAME("the name of a target")};

static const scn_relation config_relations[] = {
    {"sha256", SCN_BARS, {"aspects"}, "'sha256' can be combined only with 'file'; remove it"},
    {"target", SCN_BARS, {"aspects"}, "'target' can be combined only with 'file'; remove it"},
    {"file",
     SCN_NEEDS,
     {"target"},
     "a device config file can describe several targets; name the one that is meant with "
     "'target:'"},
};

static const scn_row config_rows[] = {
    {"aspects", &scn_shape_aspects_object, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "Aspects that the target supports (true) or lacks (false); it supports all others."},
    {"file", &scn_shape_file_name, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The device config file that describes the target, next to the scenario: YAML, as accepted "
     "by DPC++'s -fsycl-device-config-file."},
    {"sha256", &scn_shape_sha256, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The SHA-256 hash of `file`, in hexadecimal."},
    {"target", &shape_target, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The name of the target in `file`."},
};

/* Which keys belong together is known only once all of them have been read. */
static bool config_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_module *module = object;
    const scn_node *aspects = scn_node_value(node, "aspects"), *file = scn_node_value(node, "file");
    const scn_node *target = scn_node_value(node, "target");
    if (scn_object_alternative(reader, &scn_shape_device_config, node,
                               "what the target supports") == SCN_NONE)
        return false;
    CHECK(!aspects != !file);
    CHECK_IMPLIES(file, target); /* checked by config_relations */
    uint32_t present = 0;
    if (aspects) return scn_aspects_read(reader, aspects, &present, &module->target_lacks);
    rt_text text;
    return scn_value_read(reader, &scn_shape_file_name, file, &text) &&
           scn_value_read(reader, &shape_target, target, &text) &&
           scn_device_config_file_read(reader, file, scn_node_value(node, "sha256"), target,
                                       &module->target_lacks);
}

const scn_shape scn_shape_device_config = {
    SCN_OBJECT("a device config", config_rows),
    SCN_RELATIONS(config_relations),
    .finish = config_finish,
};

/* A module without code that is compiled ahead of time has no target to describe. */
bool scn_device_config_check(scn_reader *reader, const scn_node *node, const scn_module *module)
{
    const scn_entry *config = scn_node_entry(node, "device_config");
    const scn_entry *target = scn_node_entry(node, "compile_target");
    bool ahead = false;
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        ahead = ahead || (module->formats >> format & 1 && rt_format_is_native((rt_format)format));
    if (ahead || !(config || target)) return true;
    return scn_report(reader->reporter, (config ? config : target)->value.at,
                      "%s applies only to code compiled ahead of time, and the module has none; "
                      "give it 'formats: [native]', or remove the %s",
                      config ? "a device config" : "a compile target",
                      config ? "device config" : "compile target");
}
