/* Tests of damage to a persistent cache: cut files, and exchanged ones. */
#include "conformance/subject/cache_damage.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void file_make(const char *name, const char *content)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void assert_file(const char *name, const char *content)
{
    char text[64] = "";
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    assert_string_equal(text, content);
}

/* One file as the reference runtime keeps it, and an entry of libsycl's. */
static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/assay-damage-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mkdir(path_of("ab"), 0700), 0);
    file_make("ab/0123", "first program");
    file_make("ab/0.bin", "second");
    file_make("ab/0.src", "what it was built from");
    file_make("ab/0.lock", "");
    file_make("cache_size.txt", "19");
    return 0;
}

static void programs_are_cut(void **state)
{
    (void)state;
    const scn_scenario scenario = {.cache_cut = 7};
    assert_int_equal(cnf_cache_damage(&scenario, rt_text_of(folder)), 0);
    assert_file("ab/0123", "first p");
    assert_file("ab/0.bin", "second");
    assert_file("ab/0.src", "what it was built from");
    assert_file("cache_size.txt", "19");
}

static void programs_are_exchanged(void **state)
{
    (void)state;
    const scn_scenario scenario = {.cache_mixed = true};
    assert_int_equal(cnf_cache_damage(&scenario, rt_text_of(folder)), 0);
    assert_file("ab/0123", "second");
    assert_file("ab/0.bin", "first program");
    assert_file("ab/0.src", "what it was built from");
}

static void nothing_is_touched_without_damage(void **state)
{
    (void)state;
    const scn_scenario scenario = {.persistent_cache = true};
    assert_int_equal(cnf_cache_damage(&scenario, RT_TEXT("/does/not/exist")), 0);
    assert_file("ab/0123", "first program");
}

static void both_at_once(void **state)
{
    (void)state;
    const scn_scenario scenario = {.cache_cut = 3, .cache_mixed = true};
    assert_int_equal(cnf_cache_damage(&scenario, rt_text_of(folder)), 0);
    assert_file("ab/0123", "sec");
    assert_file("ab/0.bin", "fir");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(programs_are_cut, set_up),
        cmocka_unit_test_setup(programs_are_exchanged, set_up),
        cmocka_unit_test_setup(nothing_is_touched_without_damage, set_up),
        cmocka_unit_test_setup(both_at_once, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
