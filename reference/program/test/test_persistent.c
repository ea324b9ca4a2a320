/* Unit tests of the persistent cache: the parts of a key, and the effects of files in the folder.
 */
#include "reference/program/persistent_key.h"
#include "reference/program/test/fixture.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Keys ---------------------------------------------------------------------------------- */

enum { NAMES_MAX = 4 };

/* An image whose only properties are names and code. */
typedef struct test_image {
    rt_text kernels[NAMES_MAX];
    rt_property exported[NAMES_MAX];
    rt_property_set set;
    rt_image image;
    rt_registered_image registered;
} test_image;

static const rt_registered_image *make(test_image *image, const char *kernels[NAMES_MAX],
                                       const char *exports[NAMES_MAX], const char *code)
{
    *image = (test_image){.set = {.name = RT_TEXT(RT_SET_EXPORTED_SYMBOLS)}};
    uint32_t kernel_count = 0, export_count = 0;
    for (int i = 0; i < NAMES_MAX && kernels[i]; i++)
        image->kernels[kernel_count++] = rt_text_of(kernels[i]);
    for (int i = 0; i < NAMES_MAX && exports[i]; i++)
        image->exported[export_count++] =
            (rt_property){.name = rt_text_of(exports[i]), .type = RT_PROPERTY_UINT32, .number = 1};
    image->set.properties = image->exported;
    image->set.property_count = export_count;
    image->image = (rt_image){.kernels = image->kernels,
                              .kernel_count = kernel_count,
                              .sets = &image->set,
                              .set_count = 1,
                              .code = {(const uint8_t *)code, strlen(code)}};
    image->registered = (rt_registered_image){.image = &image->image};
    return &image->registered;
}

#define NAMES(...) ((const char *[NAMES_MAX]){__VA_ARGS__})
#define NO_NAMES   ((const char *[NAMES_MAX]){NULL})

/* Checks the image part of a key for the images in the order given; if `sorted`, sorts them first.
 */
static void assert_part(const rt_registered_image *const *images, uint32_t count, bool sorted,
                        const char *expected)
{
    rt_image_sequence sequence = {0};
    for (uint32_t i = 0; i < count; i++)
        *rt_vector_push(&sequence) = images[i];
    if (sorted) rt_persistent_sort(&sequence);
    rt_buffer part = {0};
    rt_persistent_image_part(&part, &sequence);
    assert_string_equal(rt_buffer_string(&part), expected);
    rt_buffer_free(&part);
    rt_vector_free(&sequence);
}

static void DL_PCACHE_02_images_are_appended(void **state)
{
    (void)state;
    test_image parts[3];
    const rt_registered_image *images[] = {make(&parts[0], NAMES("k"), NO_NAMES, "main;"),
                                           make(&parts[1], NO_NAMES, NAMES("a"), "first;"),
                                           make(&parts[2], NO_NAMES, NAMES("b"), "second;")};
    assert_part(images, 3, false, "main;first;second;");
    assert_part(images + 1, 2, false, "first;second;");
    assert_part(images, 1, false, "main;");
}

/* The names determine the order, regardless of their position in the property set and of the
 * images' code.
 */
static void DL_PCACHE_04_the_names_defined_decide(void **state)
{
    (void)state;
    test_image parts[4];
    const rt_registered_image *bc = make(&parts[0], NO_NAMES, NAMES("b", "c"), "1"),
                              *az = make(&parts[1], NO_NAMES, NAMES("a", "z"), "2"),
                              *za = make(&parts[2], NO_NAMES, NAMES("z", "a"), "2"),
                              *kernel = make(&parts[3], NAMES("aa"), NAMES("b"), "0");
    assert_part((const rt_registered_image *[]){bc, az}, 2, true, "21");
    assert_part((const rt_registered_image *[]){bc, za}, 2, true, "21");
    /* "a\0z" < "aa\0b" < "b\0c": the separator sorts before every name. */
    assert_part((const rt_registered_image *[]){kernel, bc, az}, 3, true, "201");
    assert_part((const rt_registered_image *[]){bc, kernel, za}, 3, true, "201");
}

static void the_last_name_counts_too(void **state)
{
    (void)state;
    test_image parts[2];
    const rt_registered_image *ab = make(&parts[0], NAMES("a"), NAMES("b"), "2"),
                              *ac = make(&parts[1], NAMES("a"), NAMES("c"), "1");
    assert_part((const rt_registered_image *[]){ab, ac}, 2, true, "21");
    assert_part((const rt_registered_image *[]){ac, ab}, 2, true, "21");
}

static void the_last_kernel_counts_too(void **state)
{
    (void)state;
    test_image parts[2];
    const rt_registered_image *ab = make(&parts[0], NAMES("a", "b"), NO_NAMES, "2"),
                              *ac = make(&parts[1], NAMES("a", "c"), NO_NAMES, "1");
    assert_part((const rt_registered_image *[]){ab, ac}, 2, true, "21");
    assert_part((const rt_registered_image *[]){ac, ab}, 2, true, "21");
}

static void DL_PCACHE_04_equal_names_are_ordered_by_code(void **state)
{
    (void)state;
    test_image parts[2];
    const rt_registered_image *first = make(&parts[0], NAMES("k"), NO_NAMES, "later"),
                              *other = make(&parts[1], NAMES("k"), NO_NAMES, "early");
    assert_part((const rt_registered_image *[]){first, other}, 2, true, "earlylater");
    assert_part((const rt_registered_image *[]){other, first}, 2, true, "earlylater");
}

/* ---- The manager with a folder ------------------------------------------------------------- */

static const fixture_module modules[] = {
    {"main", "k", "f g", NULL},
    {"left", "lk", NULL, "f"},
    {"right", NULL, NULL, "g"},
    {"alone", "solo", NULL, NULL, .constants = "c", .link_options = "-link"},
    {"other", "solo", NULL, NULL, .constants = "c"},
    {"optioned", "opt", NULL, NULL, .options = "-O0"},
    {"compiled", "ahead", NULL, NULL, RT_FORMAT_SPIRV64_GEN},
};
enum { MAIN, LEFT, RIGHT, ALONE, OTHER, OPTIONED, COMPILED, MODULES };

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/persistent-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Simulates a process that has loaded `count` modules in the order of `loaded`; the caller destroys
 * the fixture. */
static fixture *process(rt_profile profile, const char *selector, const rt_store_calls *calls,
                        uint32_t count, const uint32_t *loaded)
{
    fixture *f = fixture_create_in(profile, modules, MODULES, selector);
    f->manager->persistent = rt_persistent_open(rt_text_of(folder), calls);
    for (uint32_t i = 0; i < count; i++)
        rt_loader_open(&f->loader, loaded[i]);
    return f;
}

#define PROCESS(...)                                                                               \
    process(RT_PROFILE_DOCUMENTS, "", NULL, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),  \
            (const uint32_t[]){__VA_ARGS__})

static char entry[512];
static uint32_t entry_count;
static int count_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)place;
    if (type != FTW_F) return 0;
    entry_count++;
    snprintf(entry, sizeof entry, "%s", path);
    return 0;
}

/* The number of files in the folder; `entry` is set to the path of one of them. */
static uint32_t entries(void)
{
    entry_count = 0;
    nftw(folder, count_entry, 8, FTW_PHYS);
    return entry_count;
}

static void assert_counts(fixture *f, uint32_t builds, uint32_t hits, uint32_t stores)
{
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), builds);
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_HIT), hits);
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_STORE), stores);
}

static void the_second_process_builds_nothing(void **state)
{
    (void)state;
    fixture *f = PROCESS(MAIN, LEFT, RIGHT);
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_counts(f, 1, 0, 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_STORE, "images"),
                        "main/0 left/0 right/0");
    fixture_destroy(f);
    f = PROCESS(MAIN, LEFT, RIGHT);
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_true(rt_ok(fixture_ask(f, "k"))); /* served by the in-memory cache */
    assert_counts(f, 0, 1, 0);
    assert_int_equal(f->counting->compiles + f->counting->links_done + f->counting->builds, 0);
    assert_int_equal(f->counting->loads, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_HIT, "images"),
                        "main/0 left/0 right/0");
    fixture_destroy(f);
}

static void the_order_of_registration_makes_no_difference(void **state)
{
    (void)state;
    static const uint32_t orders[6][3] = {{MAIN, LEFT, RIGHT}, {MAIN, RIGHT, LEFT},
                                          {LEFT, MAIN, RIGHT}, {LEFT, RIGHT, MAIN},
                                          {RIGHT, MAIN, LEFT}, {RIGHT, LEFT, MAIN}};
    for (int i = 0; i < 6; i++) {
        fixture *f = process(RT_PROFILE_DOCUMENTS, "", NULL, 3, orders[i]);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_counts(f, i == 0, i > 0, i == 0);
        fixture_destroy(f);
    }
    assert_int_equal(entries(), 1);
}

/* Requests a kernel in a new simulated process; true if its program was built. */
static bool builds(const char *selector, uint32_t module, const rt_kernel_request *parameters)
{
    fixture *f = process(RT_PROFILE_DOCUMENTS, selector, NULL, 1, &module);
    rt_kernel_request request = *parameters;
    request.device = &f->device;
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    bool built = fixture_count(f, RT_EVENT_BUILD) == 1;
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_HIT), built ? 0 : 1);
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_REJECT), 0);
    fixture_destroy(f);
    return built;
}

static void every_identifier_has_a_separate_entry(void **state)
{
    (void)state;
    const uint8_t two[] = {2, 0, 0, 0}, seven[] = {7, 0, 0, 0};
    const rt_spec_constant other_value = {RT_TEXT("c"), {two, 4}};
    const rt_spec_constant its_default = {RT_TEXT("c"), {seven, 4}};
    const rt_kernel_request plain = {.kernel = RT_TEXT("solo")};
    rt_kernel_request options = plain, value = plain, defaults = plain;
    options.options = RT_TEXT("-O2");
    value.constants = &other_value;
    defaults.constants = &its_default;
    value.constant_count = defaults.constant_count = 1;
    for (int round = 0; round < 2; round++) {
        bool first = round == 0;
        assert_int_equal(builds("", ALONE, &plain), first);
        assert_int_equal(builds("", ALONE, &options), first);
        assert_int_equal(builds("", ALONE, &value), first);
        assert_int_equal(builds("renamed", ALONE, &plain), first);
        assert_int_equal(builds("", OTHER, &plain), first); /* different code */
        assert_false(builds("", ALONE, &defaults));         /* set to its default value */
    }
    assert_int_equal(entries(), 5);
}

/* The whole key of a program.  Folders outlive the programs that write them: if this test needs
 * another expectation, KEY_VERSION needs another number. */
static void a_key_has_all_its_parts_in_order(void **state)
{
    (void)state;
    fixture *f = PROCESS(OPTIONED, ALONE);
    const rt_registered_image *optioned = fixture_image(f, "optioned"),
                              *alone = fixture_image(f, "alone");
    const uint8_t two[] = {2, 0, 0, 0};
    const rt_spec_constant value = {RT_TEXT("c"), {two, 4}};
    const rt_build_target target = {&f->device, 5, RT_TEXT("-call"), {&value, 1}};
    rt_link_set set = {0};
    *rt_vector_push(&set.images) = alone;
    *rt_vector_push(&set.images) = optioned;
    rt_buffer key = {0}, expected = {0};
    rt_persistent_key(&key, f->manager, &target, &set);

    rt_write_u32(&expected, 1);
    rt_write_text(&expected, RT_TEXT("counting"));
    rt_write_text(&expected, RT_TEXT("none"));
    rt_write_u32(&expected, RT_FORMAT_SPIRV64);
    rt_write_text(&expected, RT_TEXT("-link"));
    rt_write_text(&expected, RT_TEXT("-call"));
    rt_write_u32(&expected, RT_PROFILE_DOCUMENTS);
    rt_write_u32(&expected, 2);
    /* "opt" comes before "solo". */
    rt_write_u64(&expected, strlen("code of optioned"));
    rt_write_text(&expected, RT_TEXT("-O0"));
    rt_write_u32(&expected, 0);
    rt_write_u64(&expected, strlen("code of alone"));
    rt_write_text(&expected, (rt_text){0});
    rt_write_u32(&expected, 1);
    rt_write_u32(&expected, 1);
    rt_write_bytes(&expected, value.value);
    rt_buffer_append_text(&expected, RT_TEXT("code of optionedcode of alone"));
    assert_int_equal(key.size, expected.size);
    assert_memory_equal(key.data, expected.data, expected.size);
    rt_buffer_free(&key);
    rt_buffer_free(&expected);
    rt_link_set_free(&set);
    fixture_destroy(f);
}

static void another_driver_has_separate_entries(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        fixture *f = PROCESS(ALONE);
        if (round == 1) f->device.capabilities.driver = RT_TEXT("the next version");
        assert_true(rt_ok(fixture_ask(f, "solo")));
        assert_counts(f, 1, 0, 1);
        fixture_destroy(f);
    }
    assert_int_equal(entries(), 2);
}

/* Checks that the only entry is rejected, and that the program is built and stored again. */
static void assert_rejected(const char *reason, bool fail_loads)
{
    fixture *f = PROCESS(ALONE);
    f->counting->fail_loads = fail_loads;
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_counts(f, 1, 0, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_REJECT), 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_REJECT, "reason"), reason);
    fixture_destroy(f);
    assert_int_equal(entries(), 1);
    assert_false(builds("", ALONE, &(rt_kernel_request){.kernel = RT_TEXT("solo")}));
}

static void unusable_entries_are_traced_and_replaced(void **state)
{
    (void)state;
    assert_true(builds("", ALONE, &(rt_kernel_request){.kernel = RT_TEXT("solo")}));
    assert_int_equal(entries(), 1);
    struct stat info;
    assert_int_equal(stat(entry, &info), 0);
    assert_int_equal(truncate(entry, info.st_size - 1), 0);
    assert_rejected("cut", false);
    FILE *file = fopen(entry, "w");
    assert_non_null(file);
    fputs("another program's file", file);
    fclose(file);
    assert_rejected("foreign", false);
    assert_rejected("malformed", true); /* the device refuses */
}

static void no_failed_build_is_kept(void **state)
{
    (void)state;
    fixture *f = PROCESS(ALONE);
    f->counting->fail_builds = true;
    assert_int_equal(fixture_ask(f, "solo").code, RT_ERRC_BUILD);
    assert_int_equal(entries(), 0);
    f->counting->fail_builds = false;
    assert_true(rt_ok(fixture_ask(f, "solo")));
    fixture_destroy(f);
    assert_int_equal(entries(), 1);
}

static int full(char *path, int flags)
{
    (void)path, (void)flags;
    errno = ENOSPC;
    return -1;
}

static void a_full_folder_is_reported_once(void **state)
{
    (void)state;
    rt_store_calls calls = rt_store_system;
    calls.create = full;
    const uint32_t loaded[] = {ALONE, OPTIONED};
    fixture *f = process(RT_PROFILE_DOCUMENTS, "", &calls, 2, loaded);
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_true(rt_ok(fixture_ask(f, "opt")));
    assert_counts(f, 2, 0, 0);
    assert_int_equal(fixture_count(f, RT_EVENT_PERSISTENT_FAIL), 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_FAIL, "reason"), "ENOSPC");
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_FAIL, "images"), "alone/0");
    fixture_destroy(f);
}

static void a_program_without_a_binary_is_traced(void **state)
{
    (void)state;
    fixture *f = PROCESS(ALONE);
    f->counting->no_binaries = true;
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_string_equal(fixture_newest(f, RT_EVENT_PERSISTENT_FAIL, "reason"), "unsupported");
    fixture_destroy(f);
    assert_int_equal(entries(), 0);
}

static void devices_that_give_none_take_no_part(void **state)
{
    (void)state;
    fixture *f = PROCESS(ALONE);
    f->device.capabilities.program_binaries = false;
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_counts(f, 1, 0, 0);
    fixture_destroy(f);
    assert_int_equal(entries(), 0);
}

/* The profiles use an image's options differently, so neither finds the other's entries. */
static void profiles_have_separate_entries(void **state)
{
    (void)state;
    const uint32_t loaded = ALONE;
    for (int round = 0; round < 2; round++) {
        fixture *f = process(RT_PROFILE_DPCPP, "", NULL, 1, &loaded);
        assert_true(rt_ok(fixture_ask(f, "solo")));
        assert_counts(f, round == 0, round == 1, round == 0);
        fixture_destroy(f);
        assert_int_equal(builds("", ALONE, &(rt_kernel_request){.kernel = RT_TEXT("solo")}),
                         round == 0);
    }
}

static void shipped_dpcpp_stores_only_what_it_compiles(void **state)
{
    (void)state;
    const uint32_t loaded = COMPILED;
    for (int profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = process((rt_profile)profile, "", NULL, 1, &loaded);
        f->device.capabilities.formats_taken |= 1u << RT_FORMAT_SPIRV64_GEN;
        assert_true(rt_ok(fixture_ask(f, "ahead")));
        assert_counts(f, 1, 0, profile != RT_PROFILE_DPCPP);
        fixture_destroy(f);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(DL_PCACHE_02_images_are_appended),
        cmocka_unit_test(DL_PCACHE_04_the_names_defined_decide),
        cmocka_unit_test(the_last_name_counts_too),
        cmocka_unit_test(the_last_kernel_counts_too),
        cmocka_unit_test(DL_PCACHE_04_equal_names_are_ordered_by_code),
        TEST(the_second_process_builds_nothing),
        TEST(the_order_of_registration_makes_no_difference),
        TEST(every_identifier_has_a_separate_entry),
        TEST(a_key_has_all_its_parts_in_order),
        TEST(another_driver_has_separate_entries),
        TEST(unusable_entries_are_traced_and_replaced),
        TEST(no_failed_build_is_kept),
        TEST(a_full_folder_is_reported_once),
        TEST(a_program_without_a_binary_is_traced),
        TEST(devices_that_give_none_take_no_part),
        TEST(profiles_have_separate_entries),
        TEST(shipped_dpcpp_stores_only_what_it_compiles),
    };
    if (argument_count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
