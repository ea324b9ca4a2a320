/* Modules: the executable, the shared libraries, and the device code in them. */
#include "conformance/scenario/model/build_options.h"
#include "conformance/scenario/read/source.h"

#include <string.h>

static const scn_choice splits[] = {
#define SPLIT_CHOICE(split, name) [RT_SPLIT_##split] = {name, true},
    RT_SPLITS(SPLIT_CHOICE)
#undef SPLIT_CHOICE
};
_Static_assert(sizeof splits / sizeof *splits == RT_SPLIT_COUNT, "a name for every split");
static const scn_shape shape_split = {SCN_CHOICE("a split", splits)};

static const scn_shape shape_sources = {
    SCN_LIST("the list of sources", scn_source, &scn_shape_source), .least = 1};
static const scn_shape shape_needs = {
    SCN_LIST("a list of modules", uint32_t, &scn_shape_module_reference),
    .unique = true,
};
static const scn_shape shape_build_options = {
    SCN_TEXT("the options of the front end"),
    .pattern = SCN_BUILD_OPTIONS_PATTERN,
};

/* The formats that post-link can make from sources; images written by hand may claim the same
 * formats. */
static const scn_choice formats[] = {
    [RT_FORMAT_SPIRV64] = {"spirv64", true},
    [RT_FORMAT_SPIRV64_X86_64] = {"spirv64_x86_64", true},
    [RT_FORMAT_SPIRV64_GEN] = {"spirv64_gen", true},
    [RT_FORMAT_SPIRV64_FPGA] = {"spirv64_fpga", true},
    [RT_FORMAT_NATIVE] = {"native", true},
    [RT_FORMAT_PTX] = {"ptx", true},
};
_Static_assert(
    sizeof formats / sizeof *formats == RT_FORMAT_OPENCL_C,
    "a name for every format but the last two: a subject, not a module, chooses source, and no "
    "compiler here makes AMD machine code");
const scn_shape scn_shape_format = {SCN_CHOICE("a format", formats)};

/* Reads a list of distinct formats into a bit mask. */
static bool formats_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint32_t *mask = out;
    if (node->kind != SCN_NODE_LIST)
        return scn_report_expected(reader, node, scn_shape_format_list.noun);
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t format;
        if (!scn_value_read(reader, &scn_shape_format, &node->items[i], &format)) return false;
        if (*mask >> format & 1) {
            return scn_report(reader->reporter, node->items[i].at,
                              "this format is listed a second time; remove it");
        }
        *mask |= 1u << format;
    }
    return true;
}

static const scn_shape shape_some_formats;

static bool some_formats_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_items_check(reader, &shape_some_formats, node) && formats_read(reader, node, out);
}

static const scn_shape shape_format_mask = {SCN_NUMBER((1u << RT_FORMAT_COUNT) - 1)};
#define FORMAT_LIST                                                                                \
    .kind = SCN_SHAPE_LIST, .noun = "a list of formats", .unique = true,                           \
    .element = &scn_shape_format, .stored = &shape_format_mask
const scn_shape scn_shape_format_list = {FORMAT_LIST, .read = formats_read};
static const scn_shape shape_some_formats = {FORMAT_LIST, .least = 1, .read = some_formats_read};

static const scn_shape shape_symbol = {SCN_TEXT("the name of a symbol")};
static const scn_shape shape_host_symbols = {
    SCN_LIST("a list of host symbols", rt_text, &shape_symbol),
    .unique = true,
};
static const scn_shape shape_device_options = {SCN_TEXT("options for the device")};
static const scn_shape shape_registers = {
    SCN_TRUTH("whether loading the module registers its images"),
};

static const scn_shape shape_truncate = {SCN_INTEGER("a number of bytes", 1, UINT32_MAX)};
static const scn_shape shape_names_end = {
    SCN_TRUTH("whether a NUL follows the bytes of properties"),
};

static const scn_shape shape_embed_ir;

static bool embed_ir_read(scn_reader *reader, const scn_node *node, void *out)
{
    bool embeds;
    if (!scn_kind_read(reader, &shape_embed_ir, node, &embeds)) return false;
    *(scn_embed_ir *)out = embeds ? SCN_EMBED_IR_YES : SCN_EMBED_IR_NO;
    return true;
}

static const scn_shape shape_embed_ir_number = {SCN_NUMBER(SCN_EMBED_IR_YES)};
static const scn_shape shape_embed_ir = {
    SCN_TRUTH("whether images also hold their LLVM IR"),
    .read = embed_ir_read,
    .stored = &shape_embed_ir_number,
};

static const scn_shape shape_images = {.kind = SCN_SHAPE_IMAGES};

static const scn_shape shape_source_number = {SCN_NUMBER(UINT32_MAX)};
static const scn_row half_rows[] = {
    SCN_HIDDEN(&shape_source_number, scn_host_half, source),
    SCN_HIDDEN(&scn_shape_text, scn_host_half, header),
    SCN_HIDDEN(&scn_shape_text, scn_host_half, footer),
    SCN_HIDDEN_ITEMS(&scn_shape_globals, scn_host_half, globals.globals, globals.count),
};
static const scn_shape shape_half = {SCN_STRUCT(half_rows)};
static const scn_shape shape_halves = {SCN_TABLE(scn_host_half, &shape_half)};

static const scn_row module_rows[] = {
    {"needs", &shape_needs, 0, SCN_ITEMS(scn_module, needs, need_count),
     "The modules that the OS loader loads along with this one, in order."},
    {"host_symbols", &shape_host_symbols, 0, SCN_ITEMS(scn_module, host_symbols, host_symbol_count),
     "The symbols that the module's host code defines."},
    {"sources", &shape_sources, 0, SCN_ITEMS(scn_module, sources, source_count),
     "The device code of the module."},
    {"images", &scn_shape_hand_images, 0, SCN_ITEMS(scn_module, hand_images, hand_image_count),
     "Device images written by hand; their numbers follow those of the sources' images."},
    {"device_globals", &scn_shape_globals, 0,
     SCN_ITEMS(scn_module, device_globals.globals, device_globals.count),
     "Variables that the module's host code registers in addition to those of its sources; a "
     "variable with the id of a source's variable replaces that one."},
    {"split", &shape_split, 0, SCN_FIELD(scn_module, split),
     "How post-link splits the code into device images; off: into one image."},
    {"build_options", &shape_build_options, 0, SCN_FIELD(scn_module, build_options),
     "Options for the front end, as written on its command line."},
    {"formats", &shape_some_formats, 0, SCN_FIELD(scn_module, formats),
     "The formats in which each image of the sources is made, in all but spirv64 with the default "
     "values of specialisation constants: ptx for NVIDIA devices, from OpenCL sources; the others "
     "are compiled ahead of time for the simulated device, as itself (native) or standing in for "
     "a CPU (spirv64_x86_64), GPU (spirv64_gen) or FPGA (spirv64_fpga).  Default: the format that "
     "the subject's device takes."},
    {"compile_target", &scn_shape_name, 0, SCN_FIELD(scn_module, compile_target),
     "The architecture that the images compiled ahead of time are for (DPC++'s property "
     "compile_target), such as intel_gpu_pvc: a device with another one does not take them; "
     "spir64_x86_64, spir64_gen and spir64_fpga stand for every CPU, GPU and FPGA.  Default: any "
     "device that takes the format."},
    {"truncate", &shape_truncate, 0, SCN_FIELD(scn_module, truncate),
     "Only this many bytes of each image's code are registered, as if a file had been cut."},
    {"embed_ir", &shape_embed_ir, 0, SCN_FIELD(scn_module, embed_ir),
     "Whether ptx images also hold their LLVM IR, without which their kernels cannot be fused "
     "(DPC++'s option -fsycl-embed-ir); default: only if the scenario fuses kernels."},
    {"compile_options", &shape_device_options, 0, SCN_FIELD(scn_module, compile_options),
     "Options that the sources' images carry for the device's compiler."},
    {"link_options", &shape_device_options, 0, SCN_FIELD(scn_module, link_options),
     "Options that the sources' images carry for the device's linker."},
    {"file_name", &scn_shape_name, 0, SCN_FIELD(scn_module, file_name),
     "The name of the file that the OS loads; default: the module's name. Files with the same "
     "name are placed in different folders."},
    {"registers", &shape_registers, SCN_OR_TRUE, SCN_FIELD(scn_module, registers),
     "Whether loading the module registers its images; if false, load_image steps can register "
     "them."},
    {"names_end_in_nul", &shape_names_end, 0, SCN_FIELD(scn_module, names_end_in_nul),
     "Whether a NUL follows the bytes of each property in the memory of a real host program, as "
     "padding may, for a runtime that reads the name of a virtual-functions set past its length; "
     "default: another byte follows, as when DPC++'s tools put the next property there."},
    {"device_config", &scn_shape_device_config, SCN_WRITTEN, SCN_SAME,
     "The target of ahead-of-time compilation: virtual-function sets that use an optional feature "
     "that the target does not support are left out of the code."},
    {"expect", &scn_shape_refused, 0, SCN_FIELD(scn_module, refusal),
     "The error with which compiling the module must be refused; nothing can run then, so `steps` "
     "must be empty."},
    SCN_HIDDEN(&scn_shape_aspect_mask, scn_module, target_lacks),
    SCN_HIDDEN(&shape_images, scn_module, images),
    SCN_HIDDEN_ITEMS(&shape_halves, scn_module, host_halves, host_half_count),
};
/* The same conditions as in check.c and scn_device_config_check. */
#define HAS_LANGUAGE(key, language)                                                                \
    "{'required': ['" key "'], 'properties': {'" key                                               \
    "': {'contains': {'required': ['language'], 'properties': {'language': " language "}}}}}"
#define LACKS_OPTION(language, option)                                                             \
    "{'if': {'anyOf': [" HAS_LANGUAGE("sources", language) "," HAS_LANGUAGE(                       \
        "images", language) "]}, 'then': {'properties': {'build_options': {'not': {'pattern': "    \
                            "'(^|[ \\n])" option "'}}}}}"
static const char module_also[] =
    "{'allOf': [" LACKS_OPTION("{'const': 'sycl'}", "-cl-") "," LACKS_OPTION(
        "{'not': {'const': 'sycl'}}",
        "-std=") ","
                 " {'if': {'anyOf': [{'required': ['device_config']},"
                 " {'required': ['compile_target']}]}, 'then': {'required': ['formats'],"
                 " 'properties': {'formats': {'contains': {'not': {'enum': ['spirv64',"
                 " 'ptx']}}}}}}]}";
/* Sources are named by their number in the module; the sources of images written by hand come last.
 */
static bool module_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_module *module = object;
    uint32_t count = module->source_count;
    scn_source *sources = rt_arena_alloc_array(reader->arena, count, sizeof *sources);
    for (uint32_t i = 0; i < count; i++) {
        sources[i] = module->sources[i];
        sources[i].name = rt_arena_printf(reader->arena, "%.*s/%u", RT_TEXT_ARG(module->name), i);
    }
    scn_hand_image *images =
        rt_arena_alloc_array(reader->arena, module->hand_image_count, sizeof *images);
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        images[i] = module->hand_images[i];
        images[i].source.name =
            rt_arena_printf(reader->arena, "%.*s/%u", RT_TEXT_ARG(module->name), count + i);
    }
    module->sources = sources;
    module->hand_images = images;
    return scn_device_config_check(reader, node, module);
}

static const scn_shape shape_module = {
    SCN_OBJECT("a module", module_rows),
    .also = module_also,
    .finish = module_finish,
};
const scn_shape scn_shape_modules = {
    SCN_MAP("the map of modules", scn_module, &shape_module),
    .least = 1,
    .most = 1024,
};
