/* Proves the rules about the program manager's tables, which are the tables of document 000.
 *
 *     tables_tests [PATTERN] */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Images with given exports ------------------------------------------------------------ */

typedef struct sample {
    rt_arena arena;
    rt_program_tables tables;
    uint32_t image_count;
} sample;

static int set_up(void **state)
{
    *state = rt_alloc(sizeof(sample));
    return 0;
}

static int tear_down(void **state)
{
    sample *s = *state;
    rt_program_tables_free(&s->tables);
    rt_arena_reset(&s->arena);
    rt_free(s);
    return 0;
}

/* Registers an image of a module that exports one or two names (`second` may be NULL). */
static const rt_registered_image *add(sample *s, rt_module_id module, rt_format format,
                                      const char *first, const char *second)
{
    rt_property *properties = rt_arena_alloc_array(&s->arena, 2, sizeof *properties);
    rt_property_set *set = rt_arena_alloc(&s->arena, sizeof *set);
    *set = (rt_property_set){RT_TEXT(RT_SET_EXPORTED_SYMBOLS), properties, second ? 2 : 1};
    properties[0] = (rt_property){.name = rt_text_of(first), .type = RT_PROPERTY_UINT32};
    if (second) properties[1] = (rt_property){.name = rt_text_of(second)};
    rt_image *image = rt_arena_alloc(&s->arena, sizeof *image);
    *image = (rt_image){.format = format, .sets = set, .set_count = 1};
    rt_registered_image *registered = rt_arena_alloc(&s->arena, sizeof *registered);
    *registered = (rt_registered_image){
        .id = s->image_count++, .module = module, .image = image, .registered = true};
    rt_program_tables_add(&s->tables, registered);
    return registered;
}

static rt_set_id id_of(const sample *s, rt_module_id module, const char *symbol)
{
    return rt_program_tables_symbol(&s->tables, module, rt_text_of(symbol));
}

/* ---- The rules ---------------------------------------------------------------------------- */

static void DL_SET_01_each_combination_has_an_id_and_its_images(void **state)
{
    sample *s = *state;
    const rt_registered_image *first = add(s, 1, RT_FORMAT_SPIRV64, "f", NULL);
    const rt_registered_image *two = add(s, 2, RT_FORMAT_SPIRV64, "g", NULL);
    rt_set_id f = id_of(s, 1, "f"), g = id_of(s, 2, "g");
    assert_int_not_equal(f, g);
    const rt_image_group *of_f = rt_program_tables_set(&s->tables, f);
    assert_int_equal(of_f->images.count, 1);
    assert_ptr_equal(of_f->images.items[0], first);
    const rt_image_group *of_g = rt_program_tables_set(&s->tables, g);
    assert_int_equal(of_g->images.count, 1);
    assert_ptr_equal(of_g->images.items[0], two);
}

static void DL_SET_02_each_module_has_its_symbols(void **state)
{
    sample *s = *state;
    add(s, 1, RT_FORMAT_SPIRV64, "g", NULL);
    add(s, 2, RT_FORMAT_SPIRV64, "f", NULL);
    assert_int_not_equal(id_of(s, 2, "f"), RT_SET_NONE);
    assert_int_equal(id_of(s, 1, "f"), RT_SET_NONE);
    assert_int_equal(id_of(s, 2, "g"), RT_SET_NONE);
}

static void DL_SET_03_a_name_leads_to_one_id_in_a_module(void **state)
{
    sample *s = *state;
    add(s, 1, RT_FORMAT_SPIRV64, "f", "g");
    add(s, 1, RT_FORMAT_SPIRV64, "h", NULL);
    rt_set_id f = id_of(s, 1, "f");
    assert_int_equal(id_of(s, 1, "g"), f);
    assert_int_not_equal(id_of(s, 1, "h"), f);
    /* If combinations are not disjoint, the name belongs to the first. */
    add(s, 1, RT_FORMAT_SPIRV64, "x", "f");
    assert_int_equal(id_of(s, 1, "f"), f);
    assert_int_not_equal(id_of(s, 1, "x"), f);
}

static void DL_SET_04_formats_of_a_combination_share_its_id(void **state)
{
    sample *s = *state;
    const rt_registered_image *spirv = add(s, 1, RT_FORMAT_SPIRV64, "f", "g");
    const rt_registered_image *native = add(s, 1, RT_FORMAT_NATIVE, "g", "f");
    const rt_image_group *set = rt_program_tables_set(&s->tables, id_of(s, 1, "f"));
    assert_int_equal(set->images.count, 2);
    assert_ptr_equal(set->images.items[0], spirv);
    assert_ptr_equal(set->images.items[1], native);
    const rt_set_group *exporters = rt_program_tables_exporters(&s->tables, RT_TEXT("g"));
    assert_int_equal(exporters->ids.count, 1);
}

static void *open_library(void *user)
{
    rt_loader_open(user, 1);
    return NULL;
}

/* While this thread holds the tables' lock, the images of a module that another thread loads are
 * not added to the tables. */
static void DL_SET_05_the_tables_are_changed_under_a_lock(void **state)
{
    (void)state;
    static const fixture_module modules[] = {{"main", "k", "f", NULL},
                                             {"library", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 2, "");
    const rt_program_tables *tables = &f->manager->tables;
    pthread_mutex_lock(&f->manager->lock);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_library, &f->loader), 0);
    usleep(100000);
    uint32_t early = rt_program_tables_exporters(tables, RT_TEXT("f"))->ids.count;
    pthread_mutex_unlock(&f->manager->lock);
    pthread_join(thread, NULL);
    uint32_t late = rt_program_tables_exporters(tables, RT_TEXT("f"))->ids.count;
    fixture_destroy(f);
    assert_int_equal(early, 0);
    assert_int_equal(late, 1);
}

static double look_up_s(const rt_program_tables *tables, uint32_t times)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (uint32_t i = 0; i < times; i++)
        assert_int_equal(rt_program_tables_exporters(tables, RT_TEXT("f0"))->ids.count, 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* With a thousand times as many symbols, a walk takes a thousand times as long; a probe is slowed
 * down only by cache effects. */
static void DL_SET_06_a_look_up_does_not_grow_with_the_tables(void **state)
{
    sample *s = *state;
    enum { FEW = 10, MANY = 10000, TIMES = 2000 };
    double few_s = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        if (i == FEW) few_s = look_up_s(&s->tables, TIMES);
        add(s, i, RT_FORMAT_SPIRV64, rt_arena_printf(&s->arena, "f%u", i).data, NULL);
    }
    double many_s = look_up_s(&s->tables, TIMES);
    assert_true(few_s > 0);
    assert_true(many_s < 50 * few_s);
}

/* ---- Removing images ---------------------------------------------------------------------- */

static void nothing_is_stale_after_images_are_unregistered(void **state)
{
    sample *s = *state;
    const rt_registered_image *first = add(s, 1, RT_FORMAT_SPIRV64, "f", "g");
    rt_set_id id = id_of(s, 1, "f");
    const rt_registered_image *other = add(s, 2, RT_FORMAT_SPIRV64, "f", "g");
    rt_program_tables_remove(&s->tables, first);
    assert_int_equal(id_of(s, 1, "f"), RT_SET_NONE);
    assert_int_equal(id_of(s, 2, "f"), id);
    assert_int_equal(rt_program_tables_exporters(&s->tables, RT_TEXT("f"))->ids.count, 1);
    rt_program_tables_remove(&s->tables, other);
    assert_int_equal(rt_program_tables_exporters(&s->tables, RT_TEXT("f"))->ids.count, 0);
    assert_false(rt_program_tables_hold(&s->tables, other));
    add(s, 2, RT_FORMAT_SPIRV64, "g", "f");
    assert_int_equal(id_of(s, 2, "g"), id);
    assert_int_equal(rt_program_tables_exporters(&s->tables, RT_TEXT("g"))->ids.count, 1);
}

static void a_name_listed_twice_counts_once(void **state)
{
    sample *s = *state;
    const rt_registered_image *image = add(s, 1, RT_FORMAT_SPIRV64, "f", "f");
    assert_int_equal(rt_program_tables_exporters(&s->tables, RT_TEXT("f"))->ids.count, 1);
    rt_program_tables_remove(&s->tables, image);
    assert_int_equal(rt_program_tables_exporters(&s->tables, RT_TEXT("f"))->ids.count, 0);
    /* It leaves the others alone, and so does a second removal. */
    const rt_registered_image *twice = add(s, 1, RT_FORMAT_SPIRV64, "f", "f");
    add(s, 2, RT_FORMAT_SPIRV64, "f", "g");
    for (uint32_t i = 0; i < 2; i++) {
        rt_program_tables_remove(&s->tables, twice);
        const rt_set_group *exporters = rt_program_tables_exporters(&s->tables, RT_TEXT("f"));
        assert_int_equal(exporters->ids.count, 1);
        assert_int_equal(exporters->ids.items[0], id_of(s, 2, "f"));
        assert_int_equal(id_of(s, 1, "f"), RT_SET_NONE);
    }
}

/* A module has all of its kernels and exports, and loses them all, unless it has another image of
 * the combination. */
static void a_module_has_every_symbol_of_its_images(void **state)
{
    (void)state;
    static const fixture_module modules[] = {{"x", "first middle last", NULL, "f g"}};
    static const char *const symbols[] = {"first", "middle", "last", "f", "g"};
    fixture *f = fixture_create(modules, 1, "");
    const rt_program_tables *tables = &f->manager->tables;
    for (uint32_t round = 0; round < 2; round++) {
        rt_loader_open(&f->loader, 0);
        rt_set_id id = rt_program_tables_symbol(tables, 0, RT_TEXT("f"));
        assert_int_not_equal(id, RT_SET_NONE);
        for (uint32_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
            assert_int_equal(rt_program_tables_symbol(tables, 0, rt_text_of(symbols[i])), id);
        assert_true(rt_ok(rt_loader_close(&f->loader, 0)));
        for (uint32_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
            assert_int_equal(rt_program_tables_symbol(tables, 0, rt_text_of(symbols[i])),
                             RT_SET_NONE);
    }
    fixture_destroy(f);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(DL_SET_01_each_combination_has_an_id_and_its_images),
        TEST(DL_SET_02_each_module_has_its_symbols),
        TEST(DL_SET_03_a_name_leads_to_one_id_in_a_module),
        TEST(DL_SET_04_formats_of_a_combination_share_its_id),
        cmocka_unit_test(DL_SET_05_the_tables_are_changed_under_a_lock),
        TEST(DL_SET_06_a_look_up_does_not_grow_with_the_tables),
        TEST(nothing_is_stale_after_images_are_unregistered),
        TEST(a_name_listed_twice_counts_once),
        cmocka_unit_test(a_module_has_every_symbol_of_its_images),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
