/* Modules: the executable, the shared libraries, and the device code in them.  Code is taken as it
 * is; the compiler judges it. */
#include "conformance/scenario/build_options.h"
#include "conformance/scenario/schema.h"

static const scn_choice languages[] = {
    [SCN_LANGUAGE_OPENCL_C] = {"opencl-c", true},
    {"opencl-cpp", false},
    {"llvm-ir", false},
    {"spirv-asm", false},
    {"sycl", false},
};
static const scn_shape shape_language = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a language",
    SCN_CHOICES(languages),
};

static const scn_choice splits[] = {
    [RT_SPLIT_OFF] = {"off", true},
    [RT_SPLIT_PER_SOURCE] = {"per_source", true},
    [RT_SPLIT_PER_KERNEL] = {"per_kernel", true},
};
_Static_assert(sizeof splits / sizeof *splits == RT_SPLIT_COUNT, "a name for every split");
static const scn_shape shape_split = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a split",
    SCN_CHOICES(splits),
};

/* ---- Sources ------------------------------------------------------------------------------ */

typedef struct source_draft {
    scn_language language;
    const scn_node *code;
} source_draft;

static const scn_shape shape_code_text = {.kind = SCN_SHAPE_TEXT, .noun = "source code"};
static const scn_shape shape_code = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "source code",
    .read = scn_node_keep,
    .alternatives = {&shape_code_text},
};

static const scn_row source_rows[] = {
    {"language", &shape_language, SCN_REQUIRED, SCN_FIELD(source_draft, language),
     "What the code is written in."},
    {"code", &shape_code, SCN_REQUIRED, SCN_FIELD(source_draft, code),
     "The code itself, best as a literal block ('|'): compiler messages then point into it."},
    {"file", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "A file beside the scenario, instead of code."},
    {"sha256", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The hash of the file's content."},
};
static const scn_shape shape_source_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a source",
    SCN_ROWS(source_rows),
};

static bool source_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_source *source = out;
    source_draft draft = {0};
    uint64_t given;
    source->at = node->at;
    if (!scn_object_read(reader, &shape_source_object, node, &draft, &given)) return false;
    CHECK(draft.code);
    if (draft.code->kind != SCN_NODE_SCALAR || draft.code->text.length == 0) {
        return scn_report(reader->reporter, draft.code->at, "expected source code, found %s",
                          scn_node_describe(reader->arena, draft.code));
    }
    source->language = draft.language;
    source->code = draft.code->text;
    source->code_at = draft.code->content_at;
    return true;
}

static const scn_shape shape_source = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a source",
    .read = source_read,
    .alternatives = {&shape_source_object},
};
static const scn_shape shape_sources = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of sources",
    .element = &shape_source,
    .element_size = sizeof(scn_source),
    .least = 1,
};

/* ---- Modules ------------------------------------------------------------------------------ */

static const scn_shape shape_needs = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of modules",
    .element = &scn_shape_module_reference,
    .element_size = sizeof(uint32_t),
};
static const scn_shape shape_build_options_text = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "the options of the front end",
};

static bool build_options_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text refused;
    if (!scn_value_read(reader, &shape_build_options_text, node, out)) return false;
    if (scn_build_options_check(*(const rt_text *)out, &refused)) return true;
    return scn_report(
        reader->reporter, node->at,
        "build option '%.*s' is not taken; these are: -D, -U, -cl-..., -O0 to -O3, -Os, "
        "-ffp-contract=on or off, -ffast-math and warnings",
        RT_TEXT_ARG(refused));
}

static const scn_shape shape_build_options = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the options of the front end",
    .read = build_options_read,
    .alternatives = {&shape_build_options_text},
};

static const scn_row module_rows[] = {
    {"needs", &shape_needs, 0, SCN_ITEMS(scn_module, needs, need_count),
     "The modules that the OS loader loads with this one, in order."},
    {"sources", &shape_sources, SCN_REQUIRED, SCN_ITEMS(scn_module, sources, source_count),
     "The device code of the module."},
    {"split", &shape_split, 0, SCN_FIELD(scn_module, split),
     "How post-link distributes the code over device images; off: one image."},
    {"build_options", &shape_build_options, 0, SCN_FIELD(scn_module, build_options),
     "Options for the front end, as on its command line."},
    {"images", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "Device images written by hand."},
    {"host_symbols", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "Host symbols that the module defines."},
    {"format", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The format of the module's device images."},
    {"device_config", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The device-config file for post-link."},
    {"expect", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "What compiling the module is refused with."},
};
static const scn_shape shape_module_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a module",
    SCN_ROWS(module_rows),
};

/* A module may need any other, itself excepted: loaders allow cycles, so scenarios may have them.
 */
static bool needs_check(scn_reader *reader, const scn_node *node, const scn_module *module)
{
    uint32_t self = rt_map_find(&reader->modules.map, module->name);
    CHECK(self != RT_MAP_NONE);
    bool fine = true;
    for (uint32_t i = 0; i < module->need_count; i++) {
        scn_position at = scn_node_entry(node, "needs")->value.items[i].at;
        if (module->needs[i] == self) {
            fine = scn_report(reader->reporter, at, "a module does not need itself; remove it");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (module->needs[i] != module->needs[j] || module->needs[i] == SCN_NONE) continue;
            fine = scn_report(reader->reporter, at, "this module is needed a second time");
            break;
        }
    }
    return fine;
}

static bool module_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_module *module = out;
    uint64_t given;
    if (!scn_object_read(reader, &shape_module_object, node, module, &given)) return false;
    scn_source *sources =
        rt_arena_alloc_array(reader->arena, module->source_count, sizeof *sources);
    for (uint32_t i = 0; i < module->source_count; i++) {
        sources[i] = module->sources[i];
        sources[i].name = rt_arena_printf(reader->arena, "%.*s/%u", RT_TEXT_ARG(module->name), i);
    }
    module->sources = sources;
    return needs_check(reader, node, module);
}

static const scn_shape shape_module = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a module",
    .read = module_read,
    .alternatives = {&shape_module_object},
};
const scn_shape scn_shape_modules = {
    .kind = SCN_SHAPE_MAP,
    .noun = "the map of modules",
    .element = &shape_module,
    .element_size = sizeof(scn_module),
    .least = 1,
    .most = 1024,
};
