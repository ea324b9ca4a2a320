/* Proof of the rules about an image's descriptor: the document's structures, redeclared here from
 * its text, are filled in this process and read back.
 *
 *     descriptor_tests [PATTERN]
 *
 * Source: document 003 (SharedLibraries.md), "sycl-post-link changes". */
#include "reference/base/alloc.h"
#include "reference/image/fat_binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- The document's structures ------------------------------------------------------------ */

typedef struct document_property {
    const char *Name;
    const void *ValAddr;
    uint32_t Type;
    uint64_t ValSize;
} document_property;

typedef struct document_set {
    const char *Name;
    const document_property *PropertiesBegin, *PropertiesEnd;
} document_set;

/* The members before the two that the document names are DPC++'s (fat_binary.h). */
typedef struct document_image {
    uint16_t version;
    uint8_t kind, format;
    uint32_t padding;
    const char *target, *compile_options, *link_options;
    const uint8_t *code_begin, *code_end;
    const void *entries_begin, *entries_end;
    const document_set *PropertySetsBegin, *PropertySetsEnd;
} document_image;

typedef struct document_descriptor {
    uint16_t version, image_count;
    uint32_t padding;
    const document_image *images;
    const void *host_begin, *host_end;
} document_descriptor;

_Static_assert(offsetof(document_property, ValAddr) == 8 && offsetof(document_property, Type) == 16,
               "the order of a property's members");
_Static_assert(offsetof(document_property, ValSize) == 24 && sizeof(document_property) == 32,
               "the order of a property's members");
_Static_assert(offsetof(document_set, PropertiesEnd) == 16 && sizeof(document_set) == 24,
               "the order of a set's members");
_Static_assert(sizeof(document_image) == 80, "an image without a manifest");

static const uint8_t code[] = {3, 2, 35, 7};
/* Three bytes preceded by their length in bits, as DPC++ stores bytes. */
static const uint8_t odd_value[] = {24, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};

static const document_property properties[] = {
    {"number", NULL, 1, 77},
    {"bytes", odd_value, 2, sizeof odd_value},
};
static const document_set sets[] = {
    {"SYCL/exported symbols", properties, properties + 2},
    {"SYCL/Imported symbols", properties, properties + 1},
    {"SYCL/imported  symbols", properties, properties},
};

#define IMAGE_WITH(begin, end)                                                                     \
    {                                                                                              \
        .version = 3, .kind = 4, .format = 2, .target = "spir64", .compile_options = "",           \
        .link_options = "", .code_begin = code, .code_end = code + sizeof code,                    \
        .PropertySetsBegin = (begin), .PropertySetsEnd = (end)                                     \
    }

/* The data lies in a module's segments, where compilers put it, not on a heap. */
static const document_image images[] = {
    IMAGE_WITH(NULL, NULL),
    IMAGE_WITH(sets, sets + 1),
    IMAGE_WITH(sets, sets + 3),
};
static const document_descriptor descriptor = {.version = 1, .image_count = 3, .images = images};

typedef struct fixture {
    rt_sink *sink;
    rt_arena arena;
} fixture;

static int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

/* The property sets of one of the images. */
static rt_property_sets sets_of(fixture *f, uint32_t index)
{
    rt_mapping mapping = rt_mapping_of_process(&f->arena);
    rt_fat_binary fat;
    rt_status status =
        rt_fat_binary_read(f->sink, &f->arena, &mapping, (uintptr_t)&descriptor, &fat);
    assert_true(rt_ok(status));
    assert_int_equal(fat.binaries.count, 3);
    return fat.binaries.items[index].properties;
}

/* ---- The rules ---------------------------------------------------------------------------- */

static void DL_IMAGE_02_sets_lie_between_begin_and_end(void **state)
{
    fixture *f = *state;
    assert_int_equal(sets_of(f, 0).count, 0);
    assert_int_equal(sets_of(f, 1).count, 1);
    rt_property_sets three = sets_of(f, 2);
    assert_int_equal(three.count, 3);
    assert_true(rt_text_is(three.sets[0].name, sets[0].Name));
    assert_true(rt_text_is(three.sets[2].name, sets[2].Name));
}

static void DL_IMAGE_03_sets_are_found_by_their_exact_name(void **state)
{
    rt_property_sets read = sets_of(*state, 2);
    const rt_image image = {.sets = read.sets, .set_count = read.count};
    assert_ptr_equal(rt_image_set(&image, RT_SET_EXPORTED_SYMBOLS), &read.sets[0]);
    assert_int_equal(read.sets[0].property_count, 2);
    assert_int_equal(read.sets[1].property_count, 1);
    assert_int_equal(read.sets[2].property_count, 0);
    /* Different case or spacing makes a different name. */
    assert_null(rt_image_set(&image, RT_SET_IMPORTED_SYMBOLS));
}

static void DL_IMAGE_04_a_property_is_name_value_type_and_size(void **state)
{
    const rt_property_set *set = &sets_of(*state, 1).sets[0];
    assert_true(rt_text_is(set->properties[0].name, "number"));
    assert_int_equal(set->properties[0].type, RT_PROPERTY_UINT32);
    assert_int_equal(set->properties[0].number, 77);
    assert_true(rt_text_is(set->properties[1].name, "bytes"));
    assert_int_equal(set->properties[1].type, RT_PROPERTY_BYTES);
    assert_int_equal(set->properties[1].bytes.size, 3);
    assert_memory_equal(set->properties[1].bytes.data, "abc", 3);
}

/* ---- Modules of the process ---------------------------------------------------------------- */

typedef struct visit {
    uint64_t address;
    unsigned count;
    bool holds, is_program;
} visit;

static void visit_note(void *user, const rt_mapping *module, rt_text path)
{
    visit *noted = user;
    rt_bytes bytes;
    noted->count++;
    noted->holds = rt_mapping_bytes(module, noted->address, 1, &bytes) &&
                   bytes.data == (const uint8_t *)(uintptr_t)noted->address;
    noted->is_program = path.length == 0;
}

static void the_module_of_an_address_is_visited(void **state)
{
    (void)state;
    const char *automatic = "";
    const struct {
        const void *address;
        bool is_found, is_program;
    } rows[] = {
        {&descriptor, true, true},
        {(const void *)(uintptr_t)printf, true, false},
        {&automatic, false, false},
        {NULL, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        visit noted = {.address = (uintptr_t)rows[i].address};
        assert_int_equal(rt_mapping_visit(noted.address, visit_note, &noted), rows[i].is_found);
        assert_int_equal(noted.count, rows[i].is_found);
        assert_int_equal(noted.holds, rows[i].is_found);
        assert_int_equal(noted.is_program, rows[i].is_program);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(DL_IMAGE_02_sets_lie_between_begin_and_end),
        TEST(DL_IMAGE_03_sets_are_found_by_their_exact_name),
        TEST(DL_IMAGE_04_a_property_is_name_value_type_and_size),
        TEST(the_module_of_an_address_is_visited),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
