/* Tests of companion files that a repository cannot hold: links, pipes and large files. All other
 * messages have golden cases (test/wrong/source.cases). */
#include "conformance/scenario/model/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* SHA-256 of "abc" (FIPS 180-4, appendix B.1). */
#define ABC_HASH "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* Two temporary folders: `inside` holds the scenario, and `outside` is a sibling of `inside`. */
typedef struct companion_fixture {
    char root[64];
    rt_arena arena;
    const scn_scenario *scenario;
    scn_problems problems;
} companion_fixture;

static companion_fixture the_fixture;

static void path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", the_fixture.root, name);
}

static void write_file(const char *name, const char *content)
{
    char path[256];
    path_of(path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void make_link(const char *target, const char *name)
{
    char path[256];
    path_of(path, name);
    assert_int_equal(symlink(target, path), 0);
}

static int open_fixture(void **state)
{
    the_fixture = (companion_fixture){.root = "/tmp/companion-test-XXXXXX"};
    assert_non_null(mkdtemp(the_fixture.root));
    static const char *const folders[] = {"inside", "inside/deep", "outside"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[256];
        path_of(path, folders[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    write_file("inside/abc", "abc");
    write_file("outside/abc", "abc");
    *state = &the_fixture;
    return 0;
}

static int close_fixture(void **state)
{
    companion_fixture *fixture = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", fixture->root);
    assert_int_equal(system(command), 0);
    rt_arena_reset(&fixture->arena);
    return 0;
}

/* Reads a scenario whose only source is the file of that name, with the given text after it. */
static const scn_scenario *read_pinned(companion_fixture *fixture, const char *name,
                                       const char *hash)
{
    rt_text text = rt_arena_printf(&fixture->arena,
                                   "assay: 1\nsummary: s\nmodules:\n"
                                   "  app: {sources: [{language: opencl-c, file: '%s'%s}]}\n"
                                   "memory: {data: {type: int, count: 4}}\n"
                                   "steps: [{expect: {launches: 0}}]\n",
                                   name, hash);
    char path[256];
    path_of(path, "inside/scenario.yaml");
    fixture->scenario = scn_read(&fixture->arena, text, rt_text_of(path), RT_TEXT("scenario.yaml"),
                                 &fixture->problems);
    return fixture->scenario;
}

static const scn_scenario *read_with(companion_fixture *fixture, const char *name)
{
    return read_pinned(fixture, name, ", sha256: " ABC_HASH);
}

static const scn_scenario *read_unpinned(companion_fixture *fixture, const char *name)
{
    return read_pinned(fixture, name, "");
}

static void assert_refused(companion_fixture *fixture, const char *name, const char *message)
{
    assert_null(read_with(fixture, name));
    assert_int_equal(fixture->problems.count, 1);
    assert_int_equal(fixture->problems.items[0].at.line, 4);
    assert_string_equal(fixture->problems.items[0].text.data, message);
}

static void a_file_becomes_the_code(void **state)
{
    companion_fixture *fixture = *state;
    char absolute[256];
    assert_non_null(read_with(fixture, "abc"));
    const scn_source *source = &fixture->scenario->modules[0].sources[0];
    assert_true(rt_text_is(source->code, "abc"));
    assert_true(rt_text_is(source->file, "abc"));
    assert_true(rt_text_is(source->name, "app/0"));
    rt_text path = scn_companion_path(&fixture->arena, fixture->scenario, source->file);
    assert_int_equal(access(path.data, R_OK), 0);
    assert_non_null(read_with(fixture, "./abc"));
    assert_non_null(read_with(fixture, "deep/../abc"));
    assert_non_null(read_with(fixture, "../outside/abc"));
    assert_int_equal(fixture->scenario->unpinned.low, 0);
    assert_int_equal(fixture->scenario->unpinned.high, 0);
    path_of(absolute, "inside/abc");
    assert_null(read_with(fixture, absolute));
    assert_non_null(strstr(fixture->problems.items[0].text.data, "is an absolute path; write it"));
}

/* Without a hash, the contents are part of the scenario's identity. */
static void contents_without_a_hash_are_noted(void **state)
{
    companion_fixture *fixture = *state;
    rt_hash noted[3];
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(read_unpinned(fixture, "abc"));
        noted[i] = fixture->scenario->unpinned;
        assert_true(noted[i].low != 0 || noted[i].high != 0);
        if (i == 1) write_file("inside/abc", "abd");
    }
    assert_memory_equal(&noted[0], &noted[1], sizeof noted[0]);
    assert_memory_not_equal(&noted[0], &noted[2], sizeof noted[0]);
}

static void links_are_followed(void **state)
{
    companion_fixture *fixture = *state;
    make_link("../abc", "inside/deep/link");
    assert_non_null(read_with(fixture, "deep/link"));
    make_link("../outside/abc", "inside/out");
    assert_non_null(read_with(fixture, "out"));
    make_link("loop", "inside/loop");
    assert_refused(
        fixture, "loop",
        "'loop' cannot be opened: Too many levels of symbolic links; the name is relative to the "
        "scenario's folder");
}

static void pipes_and_large_files_are_refused(void **state)
{
    companion_fixture *fixture = *state;
    char path[256];
    path_of(path, "inside/pipe");
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_refused(fixture, "pipe", "'pipe' is not a regular file");
    write_file("inside/large", "abc");
    path_of(path, "inside/large");
    assert_int_equal(truncate(path, (off_t)RT_IMAGE_SIZE_MAX + 1), 0);
    assert_refused(fixture, "large", "'large' has 67108865 bytes; at most 67108864 are read");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(a_file_becomes_the_code),
        TEST(contents_without_a_hash_are_noted),
        TEST(links_are_followed),
        TEST(pipes_and_large_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
