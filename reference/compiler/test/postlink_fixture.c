/* Runs clang and the plugin for the tests and reads the resulting SPIR-V. */
#include "reference/compiler/test/postlink_fixture.h"

#include "reference/base/alloc.h"
#include "reference/base/spirv.h"
#include "reference/compiler/test/plugin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- The plugin ---------------------------------------------------------------------------- */

int fixture_open(void **state)
{
    postlink_fixture *fixture = rt_alloc(sizeof *fixture);
    fixture->api = test_plugin_open();
    fixture->sink = rt_sink_create();
    *state = fixture;
    return 0;
}

int fixture_close(void **state)
{
    postlink_fixture *fixture = *state;
    rt_buffer_free(&fixture->bytes);
    rt_arena_reset(&fixture->arena);
    rt_sink_destroy(fixture->sink);
    rt_free(fixture);
    return 0;
}

/* ---- clang --------------------------------------------------------------------------------- */

#define LINES "-gline-tables-only -fdebug-compilation-dir=/"

#define VIRTUAL_FUNCTIONS                                                                          \
    "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable\n"                             \
    "inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }\n"           \
    "#if __clang_major__ == 14\n"                                                                  \
    "#define SAYS(...) annotate(__VA_ARGS__), assume(__VA_ARGS__)\n"                               \
    "#else\n"                                                                                      \
    "#define SAYS(...) annotate(__VA_ARGS__)\n"                                                    \
    "#endif\n"                                                                                     \
    "#define IN(set) __attribute__((used, SAYS(\"assay:indirectly-callable=\" set)))\n"            \
    "#define CALLS(...) __attribute__((annotate(\"assay:calls-indirectly=\" #__VA_ARGS__)))\n"     \
    "#define USES(...) __attribute__((SAYS(\"assay:uses-aspects=\" #__VA_ARGS__)))\n"              \
    "#line 1\n"

/* The suffix of a source's name determines its language. */
static const struct language {
    const char *end; /* "": any other */
    const char *prelude;
    const char *options;
} languages[] = {
    {".ll", "", "-x ir"},
    {".clcpp", VIRTUAL_FUNCTIONS,
     "-x clcpp -cl-std=clc++2021 -Wno-unknown-assumption -Xclang -fno-rtti "
     "-Xclang -mno-constructor-aliases -Xclang -cl-ext=+__cl_clang_function_pointers"},
    {"", TEST_SPEC_CONSTANT "#line 1\n", "-x cl -cl-std=CL2.0"},
};

static const struct language *language_of(const char *name)
{
    const struct language *language = languages;
    while (true) {
        size_t length = strlen(name), end = strlen(language->end);
        if (length >= end && strcmp(name + length - end, language->end) == 0) return language;
        language++;
    }
}

rt_bytes fixture_compile(postlink_fixture *fixture, const fixture_source *source)
{
    const struct language *language = language_of(source->name);
    bool ptx = fixture->format == RT_FORMAT_PTX;
    rt_text options = rt_arena_printf(&fixture->arena, "-target %s " LINES " %s",
                                      ptx ? "nvptx64-nvidia-cuda -Xclang -cl-ext=+all" : "spir64",
                                      language->options);
    rt_buffer bitcode = test_clang(options.data, language->prelude, source->code);
    rt_bytes copy = rt_arena_bytes(&fixture->arena, rt_buffer_bytes(&bitcode));
    rt_buffer_free(&bitcode);
    return copy;
}

#define LIBCLC "/usr/lib/clc/nvptx64--nvidiacl.bc"

/* ---- Post-link ----------------------------------------------------------------------------- */

rt_status fixture_postlink(postlink_fixture *fixture, rt_split split, const fixture_source *sources)
{
    uint32_t count = 0;
    while (sources[count].name)
        count++;
    rt_postlink_source *inputs = rt_arena_alloc_array(&fixture->arena, count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i].name = rt_text_of(sources[i].name);
        inputs[i].bitcode = fixture_compile(fixture, &sources[i]);
    }
    rt_postlink_request request = {.module = RT_TEXT("m"),
                                   .sources = inputs,
                                   .source_count = count,
                                   .split = split,
                                   .format = fixture->format,
                                   .library =
                                       rt_text_of(fixture->library ? fixture->library : LIBCLC),
                                   .whole = fixture->whole,
                                   .embed_ir = fixture->embed_ir,
                                   .spirv_version_max = 0x00010200,
                                   .device_globals = !fixture->no_device_globals,
                                   .profile = fixture->profile,
                                   .ahead_of_time = fixture->ahead_of_time,
                                   .target_aspects = fixture->target_aspects};
    rt_buffer_free(&fixture->bytes);
    rt_status status = fixture->api->postlink(fixture->sink, &request, &fixture->bytes);
    if (!rt_ok(status)) return status;
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&fixture->bytes));
    RT_TRY(rt_image_list_read(fixture->sink, &fixture->arena, &reader, &fixture->images));
    fixture->globals = rt_device_global_list_read(&fixture->arena, &reader);
    assert_true(rt_reader_finished(&reader));
    return RT_STATUS_OK;
}

enum { OP_NAME = 5, OP_FUNCTION = 54, OP_FUNCTION_END = 56, OP_DECORATE = 71, OP_LABEL = 248 };
enum { OP_VARIABLE = 59, DECORATION_LINKAGE = 41, LINKAGE_IMPORT = 1 };

/* OpenCL 2.2 is the environment with SPIR-V 1.2. As the validator implements it, it lacks optional
 * capabilities such as Float16 (which comes with cl_khr_fp16) and Int64Atomics. */
static bool is_plain_opencl(const rt_image *image)
{
    enum { OP_CAPABILITY = 17, FLOAT16 = 9, INT64_ATOMICS = 12 };
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        uint32_t capability = rt_spirv_word(&at, 1);
        bool optional = capability == FLOAT16 || capability == INT64_ATOMICS;
        if (at.opcode == OP_CAPABILITY && optional) return false;
    }
    return true;
}

static bool is_function_type(const rt_image *image, uint32_t id)
{
    enum { OP_TYPE_FUNCTION = 33 };
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at))
        if (at.opcode == OP_TYPE_FUNCTION && rt_spirv_word(&at, 1) == id) return true;
    return false;
}

/* SPIRV-Tools supports neither function pointers, which vtables contain, nor constants with
 * function pointers, which refer to a function that follows them. */
static bool has_function_pointers(const rt_image *image)
{
    enum { OP_CAPABILITY = 17, OP_TYPE_POINTER = 32, FUNCTION_POINTERS = 5603 };
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_CAPABILITY && rt_spirv_word(&at, 1) == FUNCTION_POINTERS) return true;
        if (at.opcode == OP_TYPE_POINTER && is_function_type(image, rt_spirv_word(&at, 3)))
            return true;
    }
    return false;
}

/* True for instructions that this version of the validator does not know:
 * SPV_INTEL_global_variable_decorations, its capability and decorations. */
static bool is_unknown(const rt_spirv_instruction *at)
{
    enum { OP_CAPABILITY = 17, CAPABILITY = 6146, DECORATION_FIRST = 6147, DECORATION_LAST = 6149 };
    uint32_t decoration = rt_spirv_word(at, 2);
    if (at->opcode == OP_CAPABILITY) return rt_spirv_word(at, 1) == CAPABILITY;
    return at->opcode == OP_DECORATE && decoration >= DECORATION_FIRST &&
           decoration <= DECORATION_LAST;
}

/* Keeps only the instructions that the validator knows. */
static rt_buffer known_words(rt_bytes code)
{
    rt_buffer known = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction at;
    rt_buffer_append(&known, code.data, RT_SPIRV_HEADER_SIZE);
    while (rt_spirv_walk_next(&walk, &at))
        if (!is_unknown(&at)) rt_buffer_append(&known, at.bytes.data, at.bytes.size);
    return known;
}

static void validate(const rt_image *image)
{
    if (has_function_pointers(image)) return;
    rt_buffer known = known_words(image->code);
    test_spirv_validate(is_plain_opencl(image), rt_buffer_bytes(&known));
    rt_buffer_free(&known);
}

void fixture_make(postlink_fixture *fixture, rt_split split, uint32_t image_count,
                  const fixture_source *sources)
{
    rt_status status = fixture_postlink(fixture, split, sources);
    if (!rt_ok(status)) {
        fail_msg("%s", rt_sink_diagnostic(fixture->sink, status)->message.data);
    }
    assert_int_equal(fixture->images.count, image_count);
    for (uint32_t i = 0; i < image_count && fixture->format == RT_FORMAT_SPIRV64; i++)
        validate(&fixture->images.images[i]);
}

rt_status fixture_link(postlink_fixture *fixture, const rt_bytes *codes, uint32_t count,
                       rt_buffer *out_bitcode)
{
    rt_link_code *inputs = rt_arena_alloc_array(&fixture->arena, count, sizeof *inputs);
    for (uint32_t i = 0; i < count; i++)
        inputs[i].spirv = codes[i];
    return fixture->api->link_to_bitcode(fixture->sink, inputs, count, out_bitcode);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

static void assert_names(rt_buffer *actual, const char *names)
{
    assert_string_equal(rt_buffer_string(actual), names);
    rt_buffer_free(actual);
}

static void assert_set(const postlink_fixture *fixture, uint32_t image, const char *name,
                       const char *names)
{
    assert_true(image < fixture->images.count);
    const rt_property_set *set = rt_image_set(&fixture->images.images[image], name);
    rt_buffer actual = {0};
    for (uint32_t i = 0; set && i < set->property_count; i++)
        rt_buffer_printf(&actual, "%s%.*s", i ? " " : "", RT_TEXT_ARG(set->properties[i].name));
    if (set) assert_true(set->property_count > 0);
    assert_names(&actual, names);
}

void assert_imports(const postlink_fixture *fixture, uint32_t image, const char *names)
{
    assert_set(fixture, image, RT_SET_IMPORTED_SYMBOLS, names);
}

void assert_exports(const postlink_fixture *fixture, uint32_t image, const char *names)
{
    assert_set(fixture, image, RT_SET_EXPORTED_SYMBOLS, names);
}

void assert_kernels(const postlink_fixture *fixture, uint32_t image, const char *names)
{
    assert_true(image < fixture->images.count);
    const rt_image *actual_image = &fixture->images.images[image];
    rt_buffer actual = {0};
    for (uint32_t i = 0; i < actual_image->kernel_count; i++)
        rt_buffer_printf(&actual, "%s%.*s", i ? " " : "", RT_TEXT_ARG(actual_image->kernels[i]));
    assert_names(&actual, names);
}

void assert_refused(postlink_fixture *fixture, rt_status status, rt_code code, const char *names)
{
    assert_int_equal(status.code, code);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(fixture->sink, status);
    rt_buffer actual = {0};
    for (uint32_t i = 0; i < diagnostic->name_count; i++)
        rt_buffer_printf(&actual, "%s%.*s", i ? " " : "", RT_TEXT_ARG(diagnostic->names[i]));
    assert_names(&actual, names);
}

/* ---- Code ---------------------------------------------------------------------------------- */

function_state fixture_function(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    assert_true(image < fixture->images.count);
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    uint32_t named = 0, current = 0;
    bool linked = false;
    function_state state = ABSENT;
    while (rt_spirv_walk_next(&walk, &at)) {
        uint32_t first = rt_spirv_word(&at, 1);
        if (at.opcode == OP_NAME && rt_text_is(rt_spirv_text(&at, 2), name)) named = first;
        if (at.opcode == OP_DECORATE && first == named && named &&
            rt_spirv_word(&at, 2) == DECORATION_LINKAGE)
            linked = true;
        if (at.opcode == OP_FUNCTION) current = rt_spirv_word(&at, 2);
        if (at.opcode == OP_FUNCTION && current == named) state = DECLARED;
        if (at.opcode == OP_LABEL && current == named && state == DECLARED) {
            state = linked ? EXPORTED : INTERNAL;
        }
    }
    assert_false(walk.is_damaged);
    return state;
}

function_state fixture_variable(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    assert_true(image < fixture->images.count);
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    uint32_t named = 0;
    function_state linkage = INTERNAL, state = ABSENT;
    while (rt_spirv_walk_next(&walk, &at)) {
        uint32_t first = rt_spirv_word(&at, 1);
        if (at.opcode == OP_NAME && rt_text_is(rt_spirv_text(&at, 2), name)) named = first;
        if (at.opcode == OP_DECORATE && first == named && named &&
            rt_spirv_word(&at, 2) == DECORATION_LINKAGE) {
            uint32_t type = rt_spirv_word(&at, at.word_count - 1);
            linkage = type == LINKAGE_IMPORT ? DECLARED : EXPORTED;
        }
        if (at.opcode == OP_VARIABLE && rt_spirv_word(&at, 2) == named) state = linkage;
    }
    assert_false(walk.is_damaged);
    return state;
}
