/* The device config of a module: what post-link knows about the target of code that is compiled
 * ahead of time, written in the scenario or in a companion file.
 *
 * Source: DeviceConfigFile.md of intel/llvm (sycl/doc/design). This is the part of it that document
 * 004, "AOT flow", reads: the aspects that a target supports. */
#include "conformance/scenario/read/device_config_file.h"
#include "conformance/scenario/read/source.h"

#include "reference/base/format.h"

static bool target_aspects_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_module *module = out;
    uint32_t present = 0;
    return scn_aspects_read(reader, node, &present, &module->target_lacks);
}

typedef struct config_draft {
    const scn_node *aspects, *file, *sha256, *target;
} config_draft;

/* Which keys belong together is known only when all of them have been read. */
static const scn_shape shape_kept_aspects = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the aspects of a target",
    .read = scn_node_keep,
    .alternatives = {&scn_shape_aspects_object},
};
static const scn_shape shape_target_text = {SCN_NAME("the name of a target")};
static const scn_shape shape_target_name = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a target",
    .read = scn_node_keep,
    .alternatives = {&shape_target_text},
};

static const scn_relation config_relations[] = {
    {"sha256",
     SCN_BARS,
     {"aspects"},
     "'sha256' belongs to 'file'; aspects that are written here need none"},
    {"target",
     SCN_BARS,
     {"aspects"},
     "'target' belongs to 'file'; aspects that are written here need none"},
    {"file",
     SCN_NEEDS,
     {"target"},
     "a device config file describes several targets; say which one is meant with 'target:'"},
};

static const scn_row config_rows[] = {
    {"aspects", &shape_kept_aspects, SCN_ALTERNATIVE, SCN_FIELD(config_draft, aspects),
     "Aspects that the target supports or lacks; it supports those that are not named."},
    {"file", &scn_shape_file_name, SCN_ALTERNATIVE, SCN_FIELD(config_draft, file),
     "The device config file that describes the target, beside the scenario: YAML as DPC++'s "
     "-fsycl-device-config-file takes it."},
    {"sha256", &scn_shape_sha256, 0, SCN_FIELD(config_draft, sha256),
     "The SHA-256 hash of `file`, in hexadecimal."},
    {"target", &shape_target_name, 0, SCN_FIELD(config_draft, target),
     "The name of the target in `file`."},
};
static const scn_shape shape_config_object = {
    SCN_OBJECT("a device config", config_rows),
    SCN_RELATIONS(config_relations),
};

static bool embedded_read(scn_reader *reader, const config_draft *draft, scn_module *module)
{
    return target_aspects_read(reader, draft->aspects, module);
}

static bool file_read(scn_reader *reader, const config_draft *draft, scn_module *module)
{
    rt_text text;
    if (!scn_value_read(reader, scn_shape_file_name.alternatives[0], draft->file, &text))
        return false;
    CHECK(draft->target);
    if (!scn_value_read(reader, &shape_target_text, draft->target, &text)) return false;
    return scn_device_config_file_read(reader, draft->file, draft->sha256, draft->target,
                                       &module->target_lacks);
}

static bool config_read(scn_reader *reader, const scn_node *node, void *out)
{
    config_draft draft = {0};
    if (!scn_object_read(reader, &shape_config_object, node, &draft)) return false;
    uint32_t row =
        scn_object_alternative(reader, &shape_config_object, node, "what the target supports");
    if (row == SCN_NONE) return false;
    CHECK(!draft.aspects != !draft.file);
    return draft.file ? file_read(reader, &draft, out) : embedded_read(reader, &draft, out);
}

const scn_shape scn_shape_device_config = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a device config",
    .read = config_read,
    .alternatives = {&shape_config_object},
};

/* Code that is not compiled ahead of time has no target yet. */
bool scn_device_config_check(scn_reader *reader, const scn_node *node, const scn_module *module)
{
    const scn_entry *config = scn_node_entry(node, "device_config");
    bool ahead = false;
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        ahead = ahead || (module->formats >> format & 1 && rt_format_is_native((rt_format)format));
    if (!config || ahead) return true;
    return scn_report(
        reader->reporter, config->value.at,
        "a device config is for code that is compiled ahead of time, and the module has none; "
        "give it 'formats: [native]'");
}
