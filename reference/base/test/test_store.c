/* Unit tests of stores: stored content is found, other files at its path are reported and removed,
 * and no failing call leaves anything in the folder. */
#include "reference/base/store.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char folder[64];
    rt_store *store;
} fixture;

static const rt_bytes key = {(const uint8_t *)"the key", 7};
static const rt_bytes content = {(const uint8_t *)"some content", 12};

/* tag, version, hash, size of the key, key, size of the content, content */
enum { ENTRY_SIZE = 4 + 4 + 16 + 8 + 7 + 8 + 12 };

static rt_store *open_store(const char *folder, const rt_store_calls *calls)
{
    return rt_store_create(&(rt_store_parameters){
        .folder = rt_text_of(folder), .size_max = 1 << 20, .size_kept = 1 << 19, .calls = calls});
}

static int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    strcpy(f->folder, "/tmp/store-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->store = open_store(f->folder, NULL);
    *state = f;
    return 0;
}

static int remove_path(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    assert_int_equal(nftw(f->folder, remove_path, 8, FTW_DEPTH | FTW_PHYS), 0);
    rt_store_destroy(f->store);
    rt_free(f);
    return 0;
}

static rt_store_answer find(const rt_store *store, rt_bytes wanted_key, rt_bytes wanted)
{
    rt_buffer found = {0};
    rt_store_answer answer = rt_store_find(store, wanted_key, &found);
    if (answer == RT_STORE_FOUND) {
        assert_int_equal(found.size, wanted.size);
        if (wanted.size > 0) assert_memory_equal(found.data, wanted.data, wanted.size);
    } else {
        assert_int_equal(found.size, 0);
    }
    rt_buffer_free(&found);
    return answer;
}

static void path_of(const fixture *f, rt_bytes entry_key, char out_path[128])
{
    rt_hash_text name = rt_hash_print(rt_hash128(entry_key.data, entry_key.size));
    snprintf(out_path, 128, "%s/%.2s/%s", f->folder, name.digits, name.digits + 2);
}

static uint32_t file_count;
static int count_file(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)path, (void)info, (void)place;
    file_count += type == FTW_F;
    return 0;
}

/* Counts regular files below the folder. */
static uint32_t files_in(const char *folder)
{
    file_count = 0;
    nftw(folder, count_file, 8, FTW_PHYS);
    return file_count;
}

static void stored_content_is_found(void **state)
{
    fixture *f = *state;
    const rt_bytes empty = {0}, other = {(const uint8_t *)"another key", 11};
    assert_int_equal(find(f->store, key, content), RT_STORE_ABSENT);
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    assert_int_equal(rt_store_keep(f->store, other, empty), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOUND);
    assert_int_equal(find(f->store, other, empty), RT_STORE_FOUND);
    assert_int_equal(rt_store_keep(f->store, key, other), 0); /* replaces the entry's content */
    rt_store *reopened = open_store(f->folder, NULL);
    assert_int_equal(find(reopened, key, other), RT_STORE_FOUND);
    rt_store_destroy(reopened);
    assert_int_equal(files_in(f->folder), 2);
}

static void write_at(const char *path, off_t at, const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, size, at), (ssize_t)size);
    close(file);
}

/* Which answer is reported when a byte of an entry changes depends on what the byte is for. */
static void every_damaged_byte_is_reported_and_removed(void **state)
{
    fixture *f = *state;
    char path[128];
    path_of(f, key, path);
    for (off_t at = 0; at < ENTRY_SIZE; at++) {
        assert_int_equal(rt_store_keep(f->store, key, content), 0);
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, ENTRY_SIZE);
        const char mark = '\x7f';
        write_at(path, at, &mark, 1);
        bool in_size = (at >= 24 && at < 32) || (at >= 39 && at < 47);
        rt_store_answer wanted = at < 4    ? RT_STORE_FOREIGN
                                 : at < 8  ? RT_STORE_OTHER_VERSION
                                 : in_size ? RT_STORE_CUT
                                           : RT_STORE_DAMAGED;
        assert_int_equal(find(f->store, key, content), wanted);
        assert_int_equal(files_in(f->folder), 0);
        assert_int_equal(find(f->store, key, content), RT_STORE_ABSENT);
    }
}

static void truncation_and_trailing_bytes_are_reported(void **state)
{
    fixture *f = *state;
    char path[128];
    path_of(f, key, path);
    for (off_t size = 0; size < ENTRY_SIZE; size++) {
        assert_int_equal(rt_store_keep(f->store, key, content), 0);
        assert_int_equal(truncate(path, size), 0);
        assert_int_equal(find(f->store, key, content), RT_STORE_CUT);
        assert_int_equal(files_in(f->folder), 0);
    }
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    write_at(path, ENTRY_SIZE, "x", 1);
    assert_int_equal(find(f->store, key, content), RT_STORE_DAMAGED);
}

/* An intact entry of another key lies at this key's path, as if both keys had the same hash. */
static void a_collision_is_seen(void **state)
{
    fixture *f = *state;
    const rt_bytes other = {(const uint8_t *)"the kez", 7};
    char from[128], to[128];
    path_of(f, other, from);
    path_of(f, key, to);
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    assert_int_equal(rt_store_keep(f->store, other, content), 0);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_OTHER_KEY);
    assert_int_equal(files_in(f->folder), 1); /* it is another key's valid entry */
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOUND);
}

static void other_files_are_neither_read_nor_followed(void **state)
{
    fixture *f = *state;
    char path[128], target[128];
    path_of(f, key, path);
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOREIGN);
    assert_int_equal(find(f->store, key, content), RT_STORE_ABSENT);
    snprintf(target, sizeof target, "%s/elsewhere", f->folder);
    FILE *elsewhere = fopen(target, "w");
    assert_non_null(elsewhere);
    fclose(elsewhere);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOREIGN);
    assert_int_equal(access(target, F_OK), 0); /* the link was removed, not its target */
    assert_int_equal(find(f->store, key, content), RT_STORE_ABSENT);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOREIGN);
    assert_int_equal(rt_store_keep(f->store, key, content), EISDIR);
    assert_int_equal(files_in(f->folder), 1);
}

/* ---- Calls that fail ----------------------------------------------------------------------- */

static uint32_t call_count, failing_call; /* from 1; 0: none */
static int failing_errno;
static bool writes_little; /* writes one byte at a time, as after a signal */

static bool call_fails(void)
{
    if (++call_count != failing_call) return false;
    errno = failing_errno;
    return true;
}

static int try_make_folder(const char *path, mode_t mode)
{
    return call_fails() ? -1 : mkdir(path, mode);
}

static int try_create(char *path, int flags)
{
    return call_fails() ? -1 : mkostemp(path, flags);
}

static ssize_t try_write(int descriptor, const void *data, size_t size)
{
    return call_fails() ? -1 : write(descriptor, data, writes_little ? 1 : size);
}

/* Closes the descriptor even when it fails, as close(2) does. */
static int try_close(int descriptor)
{
    int closed = close(descriptor);
    return call_fails() ? -1 : closed;
}

static int try_rename(const char *from, const char *to)
{
    return call_fails() ? -1 : rename(from, to);
}

static const rt_store_calls failing_calls = {
    .make_folder = try_make_folder,
    .create = try_create,
    .write = try_write,
    .close = try_close,
    .rename = try_rename,
};

static void no_failing_call_leaves_a_file(void **state)
{
    fixture *f = *state;
    char folder[80];
    snprintf(folder, sizeof folder, "%s/below", f->folder);
    rt_store *store = open_store(folder, &failing_calls);
    const int errors[] = {ENOSPC, EIO, EROFS};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        failing_errno = errors[i];
        failing_call = 0;
        uint32_t succeeded_at = 0;
        for (uint32_t n = 1; succeeded_at == 0; n++) {
            call_count = 0;
            failing_call = n;
            int error = rt_store_keep(store, key, content);
            failing_call = 0;
            if (error == 0) {
                succeeded_at = n;
                break;
            }
            assert_int_equal(error, errors[i]);
            assert_int_equal(find(store, key, content), RT_STORE_ABSENT);
            assert_int_equal(files_in(folder), 0);
        }
        /* The calls: create up to four folders; create, write, close and rename the file. */
        assert_int_equal(succeeded_at, 4 + 4 + 1);
        char path[192];
        rt_hash_text name = rt_hash_print(rt_hash128(key.data, key.size));
        snprintf(path, sizeof path, "%s/%.2s/%s", folder, name.digits, name.digits + 2);
        assert_int_equal(unlink(path), 0);
    }
    rt_store_destroy(store);
}

static void short_and_interrupted_writes_continue(void **state)
{
    fixture *f = *state;
    rt_store *store = open_store(f->folder, &failing_calls);
    writes_little = true;
    failing_errno = EINTR;
    failing_call = 8; /* one of the writes */
    call_count = 0;
    assert_int_equal(rt_store_keep(store, key, content), 0);
    assert_true(call_count > ENTRY_SIZE);
    writes_little = false;
    failing_call = 0;
    assert_int_equal(find(store, key, content), RT_STORE_FOUND);
    rt_store_destroy(store);
}

static void a_file_size_limit_loses_only_the_entry(void **state)
{
    fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, 16});
        _exit(rt_store_keep(f->store, key, content) == EFBIG ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(files_in(f->folder), 0);
}

static void a_folder_that_cannot_be_created_is_a_failure(void **state)
{
    (void)state;
    rt_store *store = open_store("/proc/nowhere/cache", NULL);
    assert_int_equal(rt_store_keep(store, key, content), ENOENT);
    assert_int_equal(find(store, key, content), RT_STORE_ABSENT);
    rt_store_sweep(store, 0, 0);
    rt_store_destroy(store);
    store = open_store("/dev/null", NULL);
    assert_int_equal(rt_store_keep(store, key, content), ENOTDIR);
    assert_int_equal(find(store, key, content), RT_STORE_UNREADABLE);
    rt_store_destroy(store);
}

/* ---- Many entries, and their total size ---------------------------------------------------- */

static void age(const fixture *f, rt_bytes entry_key, time_t seconds)
{
    char path[128];
    path_of(f, entry_key, path);
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_sweep_removes_the_least_recently_used(void **state)
{
    fixture *f = *state;
    rt_bytes keys[4] = {{(const uint8_t *)"a", 1},
                        {(const uint8_t *)"b", 1},
                        {(const uint8_t *)"c", 1},
                        {(const uint8_t *)"d", 1}};
    const time_t times[4] = {3000, 1000, 4000, 2000};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rt_store_keep(f->store, keys[i], content), 0);
        age(f, keys[i], times[i]);
    }
    const uint64_t entry_size = ENTRY_SIZE - 6; /* these keys have one byte, not seven */
    rt_store_sweep(f->store, 4 * entry_size,
                   entry_size); /* within the limit, so nothing is removed */
    assert_int_equal(files_in(f->folder), 4);
    assert_int_equal(find(f->store, keys[1], content), RT_STORE_FOUND); /* used now */
    rt_store_sweep(f->store, 3 * entry_size, 2 * entry_size);
    assert_int_equal(find(f->store, keys[3], content), RT_STORE_ABSENT);
    assert_int_equal(find(f->store, keys[0], content), RT_STORE_ABSENT);
    assert_int_equal(find(f->store, keys[2], content), RT_STORE_FOUND);
    assert_int_equal(find(f->store, keys[1], content), RT_STORE_FOUND);
}

static void files_of_dead_processes_are_swept_too(void **state)
{
    fixture *f = *state;
    assert_int_equal(rt_store_keep(f->store, key, content), 0);
    char path[128], leftover[160];
    path_of(f, key, path);
    *strrchr(path, '/') = '\0';
    snprintf(leftover, sizeof leftover, "%s/new-abcdef", path);
    FILE *file = fopen(leftover, "w");
    assert_non_null(file);
    fputs("half of an entry", file);
    fclose(file);
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, leftover, times, 0), 0);
    rt_store_sweep(f->store, ENTRY_SIZE, ENTRY_SIZE);
    assert_int_equal(access(leftover, F_OK), -1);
    assert_int_equal(find(f->store, key, content), RT_STORE_FOUND);
}

static void large_entries_make_room_for_themselves(void **state)
{
    fixture *f = *state;
    enum { LARGE = 300000, COUNT = 8 }; /* of 1 MiB */
    uint8_t *bytes = rt_alloc(2 << 20);
    for (uint8_t i = 0; i < COUNT; i++) {
        assert_int_equal(rt_store_keep(f->store, (rt_bytes){&i, 1}, (rt_bytes){bytes, LARGE}), 0);
        assert_true(files_in(f->folder) <= 3);
    }
    assert_int_equal(rt_store_keep(f->store, key, (rt_bytes){bytes, 2 << 20}), EFBIG);
    assert_int_equal(find(f->store, key, content), RT_STORE_ABSENT);
    rt_free(bytes);
}

static void many_small_entries_are_swept_in_time(void **state)
{
    fixture *f = *state;
    enum { SMALL = 1000, COUNT = 5000 }; /* of 1 MiB, and each is a file of its header as well */
    uint8_t bytes[SMALL] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        rt_bytes number = {(const uint8_t *)&i, sizeof i};
        assert_int_equal(rt_store_keep(f->store, number, (rt_bytes){bytes, SMALL}), 0);
        if (i % 100 != 0) continue;
        uint32_t files = files_in(f->folder);
        most = files > most ? files : most;
    }
    assert_in_range(most, 900, 1500);
}

/* Several processes write, read and sweep one entry: a reader that finds it finds it complete. */
static void processes_share_a_folder(void **state)
{
    fixture *f = *state;
    enum { PROCESSES = 6, ROUNDS = 40 };
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) continue;
        bool is_ok = true;
        for (int round = 0; round < ROUNDS; round++) {
            int error = rt_store_keep(f->store, key, content);
            is_ok = is_ok && (error == 0 || error == ENOENT); /* the temporary file was swept before
                                                               * it was renamed */
            if (i == 0) rt_store_sweep(f->store, 0, 0);
            rt_store_answer answer = find(f->store, key, content);
            is_ok = is_ok && (answer == RT_STORE_FOUND || answer == RT_STORE_ABSENT);
        }
        _exit(is_ok ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_true(files_in(f->folder) <= 1);
}

static void answers_have_names(void **state)
{
    (void)state;
    assert_string_equal(rt_store_answer_name(RT_STORE_FOUND), "found");
    assert_string_equal(rt_store_answer_name(RT_STORE_CUT), "cut");
    assert_string_equal(rt_store_answer_name(RT_STORE_OTHER_KEY), "other-key");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stored_content_is_found),
        TEST(every_damaged_byte_is_reported_and_removed),
        TEST(truncation_and_trailing_bytes_are_reported),
        TEST(a_collision_is_seen),
        TEST(other_files_are_neither_read_nor_followed),
        TEST(no_failing_call_leaves_a_file),
        TEST(short_and_interrupted_writes_continue),
        TEST(a_file_size_limit_loses_only_the_entry),
        TEST(a_folder_that_cannot_be_created_is_a_failure),
        TEST(a_sweep_removes_the_least_recently_used),
        TEST(files_of_dead_processes_are_swept_too),
        TEST(large_entries_make_room_for_themselves),
        TEST(many_small_entries_are_swept_in_time),
        TEST(processes_share_a_folder),
        cmocka_unit_test(answers_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
