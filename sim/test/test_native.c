/* Tests of the native format: an image keeps its meaning when it is written and read back, values
 * of specialisation constants are kept, images link, and damage is always detected. */
#include "reference/base/hash.h"
#include "reference/base/stream.h"
#include "sim/module/linker.h"
#include "sim/sim.h"
#include "sim/test/harness.h"

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%int = OpTypeInt 32 0\n"                                                                      \
    "%long = OpTypeInt 64 0\n"                                                                     \
    "%long3 = OpTypeVector %long 3\n"                                                              \
    "%in = OpTypePointer Input %long3\n"                                                           \
    "%pointer = OpTypePointer CrossWorkgroup %int\n"                                               \
    "%get = OpTypeFunction %int %int\n"                                                            \
    "%start = OpTypeFunction %void %pointer\n"

/* kernel void k(global int *p) { p[get_global_id(0)] = f(p[get_global_id(0)]); } */
static const char importer[] = SIM_TEST_PRELUDE
    "OpEntryPoint Kernel %k \"k\" %gid\n"
    "%file = OpString \"k.cl\"\n"
    "OpDecorate %f LinkageAttributes \"f\" Import\n"
    "OpDecorate %gid BuiltIn GlobalInvocationId\n" TYPES "%gid = OpVariable %in Input\n"
    "%f = OpFunction %int None %get\n%fx = OpFunctionParameter %int\nOpFunctionEnd\n"
    "%k = OpFunction %void None %start\n%p = OpFunctionParameter %pointer\n%l = OpLabel\n"
    "%ids = OpLoad %long3 %gid Aligned 32\n%i = OpCompositeExtract %long %ids 0\n"
    "%at = OpInBoundsPtrAccessChain %pointer %p %i\n"
    "OpLine %file 7 0\n"
    "%x = OpLoad %int %at Aligned 4\n"
    "%y = OpFunctionCall %int %f %x\n"
    "OpStore %at %y Aligned 4\nOpReturn\nOpFunctionEnd\n";

/* int f(int x) { return x * n; }, where n is specialisation constant 5, by default 3. */
static const char exporter[] =
    SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"f\" Export\n"
                     "OpDecorate %n SpecId 5\n" TYPES "%n = OpSpecConstant %int 3\n"
                     "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
                     "%y = OpIMul %int %x %n\nOpReturnValue %y\nOpFunctionEnd\n";

/* ---- Building images ----------------------------------------------------------------------- */

/* Reads a module from text with the given constants. */
static sim_module *module_with(rt_sink *sink, const char *text, const sim_spec_constant *constants,
                               uint32_t count)
{
    rt_bytes code = sim_test_assemble(text);
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, code, constants, count, &module);
    rt_free((void *)code.data);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    return module;
}

/* Writes the image of modules and destroys the modules. */
static rt_buffer image_of(rt_sink *sink, sim_module *const *modules, uint32_t count)
{
    rt_buffer image = {0};
    rt_status status = sim_native_write(sink, (const sim_module *const *)modules, count, &image);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    for (uint32_t i = 0; i < count; i++)
        sim_module_destroy(modules[i]);
    return image;
}

static rt_buffer image_of_text(rt_sink *sink, const char *text)
{
    sim_module *module = module_with(sink, text, NULL, 0);
    return image_of(sink, &module, 1);
}

static sim_native read_image(rt_sink *sink, const rt_buffer *image)
{
    sim_native native;
    rt_status status = sim_native_read(sink, rt_buffer_bytes(image), &native);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    return native;
}

/* Builds an image by hand: the header that module/native.c describes, followed by the given
 * contents. */
static rt_buffer sealed(const rt_buffer *content)
{
    rt_buffer image = {0};
    rt_hash hash = rt_hash128(content->data, content->size);
    rt_buffer_append(&image, "ASIM", 4);
    rt_write_u32(&image, SIM_NATIVE_FORMAT);
    rt_write_u32(&image, SIM_NATIVE_DEVICE);
    rt_write_u64(&image, hash.low);
    rt_write_u64(&image, hash.high);
    rt_buffer_append(&image, content->data, content->size);
    return image;
}

enum { HEADER_SIZE = 28 };

static rt_buffer content_of(const rt_buffer *image)
{
    rt_buffer content = {0};
    rt_buffer_append(&content, image->data + HEADER_SIZE, image->size - HEADER_SIZE);
    return content;
}

/* Checks that the image is refused with the given code and words, and frees it. */
static void assert_refused(rt_buffer image, rt_code code, const char *words)
{
    rt_sink *sink = rt_sink_create();
    sim_native native;
    rt_status status = sim_native_read(sink, rt_buffer_bytes(&image), &native);
    if (rt_ok(status)) fail_msg("accepted, expected to be refused: %s", words);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
    if (status.code != code || !strstr(diagnostic->message.data, words)) {
        fail_msg("expected %s with '%s', got %s: %.*s", rt_code_name(code), words,
                 rt_code_name(status.code), RT_TEXT_ARG(diagnostic->message));
    }
    assert_null(native.modules);
    assert_int_equal(native.module_count, 0);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

/* ---- Meaning ------------------------------------------------------------------------------- */

/* Runs kernel k with five work-items over a memory of four elements, {1, 2, 3, 4}. */
static void run(harness *h, int out_values[4])
{
    const int values[4] = {1, 2, 3, 4};
    sim_object memory = harness_memory(h, "p", values, sizeof values);
    const sim_argument argument = harness_global(memory);
    harness_try(h, "k", harness_range(5, 5), &argument, 1);
    assert_true(rt_ok(h->status));
    harness_read_back(h, memory, out_values, 4 * sizeof(int));
}

/* Links the modules of two images and frees the images. */
static harness linked(rt_sink *sink, rt_buffer *first, rt_buffer *second)
{
    sim_native natives[2] = {read_image(sink, first), read_image(sink, second)};
    const sim_module *modules[2] = {natives[0].modules[0], natives[1].modules[0]};
    assert_int_equal(natives[0].module_count + natives[1].module_count, 2);
    harness h = {.sink = sink};
    rt_status status = sim_program_link(sink, modules, 2, &h.program);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    h.world = sim_world_create(sink, 42);
    for (int i = 0; i < 2; i++)
        sim_native_free(&natives[i]);
    rt_buffer_free(first);
    rt_buffer_free(second);
    return h;
}

/* Imports of one image are resolved by exports of the other when the program is linked: the results
 * and findings are those of the SPIR-V modules that the images were built from. */
static void DL_BACKEND_12_two_images_link_and_run(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create(), *other = rt_sink_create();
    sim_module *modules[2] = {module_with(sink, importer, NULL, 0),
                              module_with(sink, exporter, NULL, 0)};
    harness spirv = harness_link(sink, modules, 2, sim_engine_best());
    rt_buffer first = image_of_text(other, importer), second = image_of_text(other, exporter);
    harness native = linked(other, &first, &second);
    harness *runs[2] = {&spirv, &native};
    for (int i = 0; i < 2; i++) {
        int values[4];
        const int expected[4] = {3, 6, 9, 12};
        run(runs[i], values);
        assert_memory_equal(values, expected, sizeof values);
        /* The load and the store of the fifth work-item. */
        assert_int_equal(runs[i]->finding_count, 2);
        assert_string_equal(runs[i]->findings[0].kind, "out-of-bounds");
        assert_int_equal(runs[i]->findings[0].source_line, 7);
        assert_int_equal(runs[i]->findings[0].offset, 16);
    }
    for (int k = 0; k < 2; k++)
        assert_string_equal(spirv.texts[k][0], native.texts[k][0]);
    harness_close(&spirv);
    harness_close(&native);
}

/* The image lists its unresolved imports. */
static void DL_BACKEND_11_open_imports_are_compiled(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_buffer image = image_of_text(sink, importer);
    sim_native native = read_image(sink, &image);
    assert_int_equal(native.import_count, 1);
    assert_true(rt_text_is(native.imports[0], "f"));
    sim_native_free(&native);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

static void test_constants_stay_as_they_were(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    const uint32_t seven = 7;
    const sim_spec_constant n = {5, {(const uint8_t *)&seven, sizeof seven}};
    sim_module *module = module_with(sink, exporter, &n, 1);
    rt_buffer first = image_of_text(sink, importer), second = image_of(sink, &module, 1);
    harness h = linked(sink, &first, &second);
    int values[4];
    const int expected[4] = {7, 14, 21, 28};
    run(&h, values);
    assert_memory_equal(values, expected, sizeof values);
    harness_close(&h);
}

static const char scalars[] =
    SIM_TEST_PRELUDE "OpDecorate %c SpecId 1\n"
                     "OpDecorate %s SpecId 2\n"
                     "OpDecorate %i SpecId 3\n"
                     "OpDecorate %l SpecId 4\n"
                     "OpDecorate %group SpecId 5\n"
                     "%group = OpDecorationGroup\n"
                     "OpGroupDecorate %group %d\n"
                     "OpDecorate %t SpecId 6\n"
                     "%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%short = OpTypeInt 16 0\n"
                     "%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%double = OpTypeFloat 64\n"
                     "%pair = OpTypeVector %int 2\n"
                     "%c = OpSpecConstant %char 255\n%s = OpSpecConstant %short 65535\n"
                     "%i = OpSpecConstant %int 3\n%l = OpSpecConstant %long 4\n"
                     "%d = OpSpecConstant %double 1\n%t = OpSpecConstantTrue %bool\n"
                     "%sum = OpSpecConstantOp %int IAdd %i %i\n"
                     "%both = OpSpecConstantComposite %pair %i %sum\n"
                     "%undecorated = OpSpecConstantFalse %bool\n";

#define VALUE(number, variable)                                                                    \
    {                                                                                              \
        .id = (number), .value = {(const uint8_t *)&(variable), sizeof(variable) }                 \
    }

/* Reads an image of the scalars and checks their bits and those of the sum. */
static void assert_scalars(const sim_spec_constant *values, uint32_t count,
                           const uint64_t expected[7])
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = module_with(sink, scalars, values, count);
    rt_buffer image = image_of(sink, &module, 1);
    sim_native native = read_image(sink, &image);
    const sim_module *fixed = native.modules[0];
    for (uint32_t k = 0; k < 7; k++) {
        assert_int_equal(fixed->constants[k].spec_id, SIM_NONE);
        assert_int_equal(fixed->constants[k].kind, SIM_CONSTANT_BITS);
        assert_true(fixed->constants[k].bits == expected[k]);
    }
    /* Zeros fill the word of a narrow constant. */
    const uint32_t *words = fixed->words + fixed->ids[fixed->constants[0].id].word;
    assert_int_equal(words[0], 4u << 16 | SIM_OpConstant);
    assert_int_equal(words[3], expected[0]);
    sim_native_free(&native);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

static void test_constants_of_every_kind(void **state)
{
    (void)state;
    const uint8_t c = 128, t = 0;
    const uint16_t s = 40000;
    const uint32_t i = 4000000000u;
    const uint64_t l = UINT64_C(0x8000000000000001);
    const double d = 0.5;
    const sim_spec_constant values[] = {VALUE(1, c), VALUE(2, s), VALUE(3, i),
                                        VALUE(4, l), VALUE(5, d), VALUE(6, t)};
    const uint64_t defaults[7] = {255, 65535, 3, 4, UINT64_C(0x3ff0000000000000), 1, 6};
    const uint64_t bits[7] = {128, 40000, i, l, UINT64_C(0x3fe0000000000000), 0, 3705032704u};
    assert_scalars(NULL, 0, defaults);
    assert_scalars(values, 6, bits);
}

/* A module without constants to fix is read back word for word. */
static void test_words_stay(void **state)
{
    (void)state;
    static const char *const files[] = {"kernels", "math",      "races", "pointers",
                                        "groups",  "undefined", "print"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        for (uint32_t level = 0; level < 3; level++) {
            char path[1024];
            snprintf(path, sizeof path, SIM_TEST_FOLDER "%s_%u.spv", files[f], level);
            rt_sink *sink = rt_sink_create();
            sim_module *module = harness_read(sink, path);
            size_t size = module->word_count * sizeof(uint32_t);
            uint32_t *words = rt_alloc(size);
            memcpy(words, module->words, size);
            rt_buffer image = image_of(sink, &module, 1);
            sim_native native = read_image(sink, &image);
            assert_int_equal(native.modules[0]->word_count * sizeof(uint32_t), size);
            assert_memory_equal(native.modules[0]->words, words, size);
            rt_free(words);
            sim_native_free(&native);
            rt_buffer_free(&image);
            rt_sink_destroy(sink);
        }
    }
}

/* ---- Links inside an image ----------------------------------------------------------------- */

#define IMPORT(name)                                                                               \
    SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"" name "\" Import\n"                       \
                     "OpDecorate %v LinkageAttributes \"v\" Import\n" TYPES                        \
                     "%v = OpVariable %pointer CrossWorkgroup\n"                                   \
                     "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n"             \
                     "OpFunctionEnd\n"

static void test_open_imports_are_named(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *modules[4] = {
        module_with(sink, IMPORT("h"), NULL, 0), module_with(sink, importer, NULL, 0),
        module_with(sink, IMPORT("g"), NULL, 0), module_with(sink, exporter, NULL, 0)};
    rt_buffer image = image_of(sink, modules, 4);
    sim_native native = read_image(sink, &image);
    assert_int_equal(native.module_count, 4);
    assert_int_equal(native.import_count, 3);
    assert_true(rt_text_is(native.imports[0], "h"));
    assert_true(rt_text_is(native.imports[1], "v"));
    assert_true(rt_text_is(native.imports[2], "g"));
    sim_program *program;
    rt_status status =
        sim_program_link(sink, (const sim_module *const *)native.modules, 4, &program);
    assert_int_equal(status.code, RT_LINK_ERROR);
    assert_int_equal(rt_sink_diagnostic(sink, status)->name_count, 3);
    sim_native_free(&native);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

static void test_modules_that_do_not_fit(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *twice[2] = {module_with(sink, exporter, NULL, 0),
                            module_with(sink, exporter, NULL, 0)};
    rt_buffer image = {0};
    rt_status status = sim_native_write(sink, (const sim_module *const *)twice, 2, &image);
    assert_int_equal(status.code, RT_LINK_ERROR);
    assert_int_equal(image.size, 0);
    assert_true(rt_text_is(rt_sink_diagnostic(sink, status)->names[0], "f"));

    rt_buffer single = image_of(sink, twice, 1), content = {0};
    sim_module_destroy(twice[1]);
    rt_write_u32(&content, 2);
    for (int i = 0; i < 2; i++)
        rt_buffer_append(&content, single.data + HEADER_SIZE + 4, single.size - HEADER_SIZE - 8);
    rt_write_u32(&content, 0);
    assert_refused(sealed(&content), RT_MALFORMED,
                   "its modules cannot be linked: defined more than once: f");
    rt_buffer_free(&content);
    rt_buffer_free(&single);
    rt_sink_destroy(sink);
}

/* ---- Damage -------------------------------------------------------------------------------- */

static void test_every_cut_is_noticed(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_buffer image = image_of_text(sink, importer);
    for (size_t size = 0; size < image.size; size++) {
        rt_buffer cut = {0};
        if (size) rt_buffer_append(&cut, image.data, size);
        assert_refused(cut, RT_MALFORMED,
                       size < HEADER_SIZE ? "the image ends inside its header"
                                          : "the image is damaged");
    }
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

/* An image with any changed bit is refused: versions by number, the rest as damage. */
static void test_every_changed_byte_is_noticed(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_buffer image = image_of_text(sink, importer);
    for (size_t at = 0; at < image.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            rt_buffer changed = {0};
            rt_buffer_append(&changed, image.data, image.size);
            changed.data[at] = (char)((unsigned char)changed.data[at] ^ 1u << bit);
            bool version = at >= 4 && at < 12;
            assert_refused(changed, version ? RT_UNSUPPORTED : RT_MALFORMED,
                           at < 4    ? "byte 0 of"
                           : at < 8  ? "byte 4 of"
                           : at < 12 ? "byte 8 of"
                                     : "byte 12 of");
        }
    }
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

/* With a matching hash, changed contents are read like any other input: they are refused or
 * accepted, and if accepted they can be linked. */
static void test_changed_content_is_read_safely(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_buffer image = image_of_text(sink, exporter);
    rt_buffer content = content_of(&image);
    uint32_t refused = 0;
    for (size_t at = 0; at < content.size; at++) {
        char kept = content.data[at];
        content.data[at] = (char)~kept;
        rt_buffer changed = sealed(&content);
        sim_native native;
        rt_status status = sim_native_read(sink, rt_buffer_bytes(&changed), &native);
        sim_program *program = NULL;
        if (rt_ok(status))
            status = sim_program_link(sink, (const sim_module *const *)native.modules,
                                      native.module_count, &program);
        refused += !rt_ok(status);
        sim_program_destroy(program);
        sim_native_free(&native);
        rt_buffer_free(&changed);
        content.data[at] = kept;
    }
    /* At least a change in any of the 16 bytes of the number of modules, the module's length and
     * the number of imports must be refused. */
    assert_true(refused >= 16);
    for (size_t size = 0; size < content.size; size++) {
        rt_buffer cut = {0};
        if (size) rt_buffer_append(&cut, content.data, size);
        assert_refused(sealed(&cut), RT_MALFORMED, "native image, byte");
        rt_buffer_free(&cut);
    }
    rt_buffer_free(&content);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

static void test_versions_are_named(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    for (size_t at = 4; at <= 8; at += 4) {
        rt_buffer image = image_of_text(sink, exporter);
        const uint8_t version[4] = {77};
        memcpy(image.data + at, version, sizeof version);
        assert_refused(image, RT_UNSUPPORTED,
                       at == 4
                           ? "its format has version 77, but this device reads version 2"
                           : "it is for version 77 of the simulated device, but this is version 1; "
                             "compile the image again");
    }
    rt_buffer spirv = {0};
    rt_write_u32(&spirv, 0x07230203);
    assert_refused(spirv, RT_MALFORMED, "it begins with the word 0x07230203, not with 0x4d495341");
    rt_sink_destroy(sink);
}

/* Contents that the compiler never writes, after a matching hash. */
static void test_lies_are_refused(void **state)
{
    (void)state;
    rt_buffer content = {0};
    rt_write_u32(&content, 0);
    rt_write_u32(&content, 0);
    assert_refused(sealed(&content), RT_MALFORMED, "it lists no module");
    rt_buffer_free(&content);

    rt_bytes code = sim_test_assemble(exporter);
    rt_write_u32(&content, 1);
    rt_write_bytes(&content, code);
    rt_write_u32(&content, 0);
    assert_refused(sealed(&content), RT_MALFORMED,
                   "its module still has specialisation constant 5");
    rt_buffer_free(&content);
    rt_free((void *)code.data);

    rt_sink *sink = rt_sink_create();
    rt_buffer image = image_of_text(sink, importer);
    content = content_of(&image);
    CHECK(content.data[content.size - 1] == 'f');
    content.data[content.size - 1] = 'g';
    assert_refused(sealed(&content), RT_MALFORMED,
                   "its modules import 'f', which it does not list");
    content.data[content.size - 1] = 'f';
    rt_buffer_append_byte(&content, 0);
    assert_refused(sealed(&content), RT_MALFORMED, "extra bytes follow its end");
    content.size -= 1 + 1 + 8 + 4;
    rt_write_u32(&content, 0);
    assert_refused(sealed(&content), RT_MALFORMED,
                   "it lists 0 unresolved imports, but its modules have 1");
    rt_buffer_free(&content);
    rt_buffer_free(&image);
    rt_sink_destroy(sink);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(DL_BACKEND_11_open_imports_are_compiled),
        cmocka_unit_test(DL_BACKEND_12_two_images_link_and_run),
        cmocka_unit_test(test_constants_stay_as_they_were),
        cmocka_unit_test(test_constants_of_every_kind),
        cmocka_unit_test(test_words_stay),
        cmocka_unit_test(test_open_imports_are_named),
        cmocka_unit_test(test_modules_that_do_not_fit),
        cmocka_unit_test(test_every_cut_is_noticed),
        cmocka_unit_test(test_every_changed_byte_is_noticed),
        cmocka_unit_test(test_changed_content_is_read_safely),
        cmocka_unit_test(test_versions_are_named),
        cmocka_unit_test(test_lies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
