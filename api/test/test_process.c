/* Tests of the entry points: modules of this process that are opened and closed, from one thread
 * and from several. */
#include "api/objects.h"
#include "api/process.h"
#include "api/test/fixture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *module_open(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, MODULES "/%s.so", name);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) print_error("%s\n", dlerror());
    assert_non_null(module);
    return module;
}

/* Document 003, "Requirements": images are registered when a module is loaded with dlopen, and no
 * longer take part once it is unloaded. */
static void modules_are_followed(void **state)
{
    (void)state;
    const assay_options options = {.program = PROGRAM};
    api_fixture f;
    void *app = module_open("app");
    fixture_begin(&f, &options);
    int value = 3;
    assay_memory *memory = fixture_values(&f, &value, 1);
    assert_refused(launch(&f, "apply", memory, 1, NULL), ASSAY_ERRC_BUILD, "twice");
    void *twice = module_open("libtwice");
    assert_ok(launch(&f, "apply", memory, 1, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 6);
    dlclose(twice);
    assert_refused(launch(&f, "apply", memory, 1, NULL), ASSAY_ERRC_BUILD, "twice");
    dlclose(app);
    assert_refused(launch(&f, "apply", memory, 1, NULL), ASSAY_ERRC_RUNTIME, "apply");
    /* Every dlopen registers anew. */
    for (unsigned i = 0; i < 3; i++) {
        app = module_open("app");
        twice = module_open("libtwice");
        assert_ok(launch(&f, "apply", memory, 1, NULL));
        assert_ok(assay_queue_wait(f.queue));
        dlclose(twice);
        dlclose(app);
    }
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 48);
    fixture_end(&f);
}

static void an_isolated_runtime_follows_nothing(void **state)
{
    api_fixture *f = *state;
    void *work = module_open("work");
    assay_memory *memory = fixture_buffer(f, 1);
    assert_refused(launch_add(f, f->queue, memory, 1, 1, NULL), ASSAY_ERRC_RUNTIME, "add");
    dlclose(work);
}

/* The generated module's descriptor is static, so another module's is taken from the process list.
 */
static void a_descriptor_is_registered_by_hand(void **state)
{
    api_fixture *f = *state;
    void *work = module_open("work");
    api_registrations list = {0};
    api_process_list(&list);
    assert_true(list.count > 0);
    const void *descriptor =
        (const void *)(uintptr_t)list.items[list.count - 1].descriptor; /* work's */
    rt_vector_free(&list);
    assay_module *module;
    assert_ok(assay_module_register(f->runtime, "by hand", descriptor, &module));
    dlclose(work); /* images were copied */
    int value = 1;
    assay_memory *memory = fixture_values(f, &value, 1);
    assert_ok(launch_add(f, f->queue, memory, 1, 2, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 3);
    assert_refused(assay_module_register(f->runtime, "again", descriptor, &module), ASSAY_MALFORMED,
                   "is not in the data of a module of this process");
    assert_refused(assay_module_register(f->runtime, "m", (const void *)(uintptr_t)1, &module),
                   ASSAY_MALFORMED, "0x1 is not in the data of a module of this process");
}

/* Every registration has a name of its own; one that is undone gives its name back. */
static void images_of_one_file_have_different_names(void **state)
{
    (void)state;
    const assay_options options = {.program = PROGRAM};
    void *constants = module_open("constants");
    api_registrations list = {0};
    api_process_list(&list);
    const void *descriptor = (const void *)(uintptr_t)list.items[list.count - 1].descriptor;
    rt_vector_free(&list);
    api_process_register(descriptor, (api_next){0});
    api_fixture f;
    fixture_begin(&f, &options);
    for (unsigned i = 0; i < 2; i++) {
        api_modules_follow(f.runtime);
        assert_int_equal(f.runtime->modules.count, 2);
        assay_module *const *modules = f.runtime->modules.items;
        assert_true(modules[0]->registered && modules[1]->registered);
        assert_true(rt_text_is(modules[0]->images.images[0].name, "constants.so/0"));
        assert_true(rt_text_is(modules[1]->images.images[0].name, "constants.so#2/0"));
        api_process_unregister(descriptor);
        api_modules_follow(f.runtime);
        assert_true(modules[0]->registered && !modules[1]->registered);
        api_process_register(descriptor, (api_next){0});
    }
    api_process_unregister(descriptor);
    fixture_end(&f);
    dlclose(constants);
}

/* The number of lines that are written to standard error between the calls. */
static FILE *errors_begin(int *out_saved)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    *out_saved = dup(STDERR_FILENO);
    assert_true(*out_saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return file;
}

static unsigned errors_end(FILE *file, int saved)
{
    unsigned count = 0;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

/* The runtime looks at the process again when `work` is opened and closed. */
static void a_damaged_registration_is_reported_once(void **state)
{
    (void)state;
    static const uint64_t damaged[4] = {1 | 1 << 16, 16};
    const assay_options options = {.program = PROGRAM};
    int saved;
    FILE *errors = errors_begin(&saved);
    api_process_register(damaged, (api_next){0});
    api_fixture f;
    fixture_begin(&f, &options);
    assay_memory *memory = fixture_buffer(&f, 1);
    void *work = module_open("work");
    assert_ok(launch_add(&f, f.queue, memory, 1, 1, NULL));
    dlclose(work);
    assert_refused(launch_add(&f, f.queue, memory, 1, 1, NULL), ASSAY_ERRC_RUNTIME, "add");
    fixture_end(&f);
    api_process_unregister(damaged);
    assert_int_equal(errors_end(errors, saved), 1);
}

/* ---- Threads ------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 20 };

typedef struct worker {
    pthread_t thread;
    api_fixture *fixture;
    assay_queue *queue;
    assay_memory *memory; /* that several workers use */
    int result;
    bool is_ok;
} worker;

/* Adds 1 to its own buffer in each round, waiting in different ways. */
static void *work_run(void *user)
{
    worker *w = user;
    int value = 0;
    assay_memory *memory;
    w->is_ok = assay_ok(assay_buffer_create(w->fixture->runtime, "own", 4, &value, &memory));
    for (unsigned i = 0; i < ROUNDS && w->is_ok; i++) {
        assay_event event;
        w->is_ok = assay_ok(launch_add(w->fixture, w->queue, memory, 1, 1, &event));
        if (!w->is_ok) break;
        if (i % 3 == 0) w->is_ok = assay_ok(assay_event_wait(event));
        if (i % 3 == 1) w->is_ok = assay_ok(assay_queue_wait(w->queue));
    }
    w->is_ok = w->is_ok && assay_ok(assay_memory_read(memory, 0, 4, &w->result));
    return NULL;
}

/* Doubles a value in each round, with options of its own, so that every launch resolves `twice`,
 * of which there are two providers. */
static void *resolve_run(void *user)
{
    worker *w = user;
    int value = 1;
    assay_memory *memory;
    w->is_ok = assay_ok(assay_buffer_create(w->fixture->runtime, "own", 4, &value, &memory));
    const assay_argument argument = {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory};
    for (unsigned i = 0; i < ROUNDS && w->is_ok; i++) {
        char options[32];
        snprintf(options, sizeof options, "-DROUND=%u", i);
        const assay_launch apply = {.kernel = "apply",
                                    .dimensions = 1,
                                    .global = {1},
                                    .arguments = &argument,
                                    .argument_count = 1,
                                    .options = options};
        w->is_ok = assay_ok(assay_submit(w->queue, &apply, NULL));
    }
    w->is_ok = w->is_ok && assay_ok(assay_memory_read(memory, 0, 4, &w->result));
    return NULL;
}

/* Opens and closes another module all the time; its variable is registered before or after its
 * image, which is left open. */
static void *modules_run(void *user)
{
    worker *w = user;
    w->is_ok = true;
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *module = dlopen(MODULES "/variables.so", RTLD_NOW | RTLD_LOCAL);
        w->is_ok = w->is_ok && module;
        api_modules_follow(w->fixture->runtime);
        if (module) dlclose(module);
    }
    return NULL;
}

enum { ADDERS = 4 };

/* Adds 1 to a memory that others add to as well, and reads it: the
 * buffer orders the kernels, so every value that is read is at least the number of the thread's own
 * additions. */
static void *shared_run(void *user)
{
    worker *w = user;
    int value = 0;
    w->is_ok = true;
    for (int i = 0; i < ROUNDS && w->is_ok; i++) {
        w->is_ok = assay_ok(launch_add(w->fixture, w->queue, w->memory, 1, 1, NULL)) &&
                   assay_ok(assay_memory_read(w->memory, 0, 4, &value)) && value > i &&
                   value <= ADDERS * ROUNDS;
    }
    return NULL;
}

static void threads_read_a_memory_that_others_write(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    const int zero = 0;
    int value;
    worker workers[ADDERS] = {0};
    assay_memory *memory = fixture_values(f, &zero, 1);
    for (unsigned i = 0; i < ADDERS; i++) {
        workers[i] = (worker){.fixture = f, .queue = f->queue, .memory = memory};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, shared_run, &workers[i]), 0);
    }
    for (unsigned i = 0; i < ADDERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].is_ok);
    }
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, ADDERS * ROUNDS);
}

static void threads_share_a_runtime(void **state)
{
    (void)state;
    enum { RESOLVER = THREADS, OPENER, WORKERS };
    const assay_options options = {.program = PROGRAM, .seed = 1};
    api_fixture f;
    void *work = module_open("work"), *app = module_open("app"), *twice = module_open("libtwice");
    fixture_begin(&f, &options);
    fixture_module(&f, "libtwice"); /* again, from its file */
    worker workers[WORKERS] = {0};
    for (unsigned i = 0; i < WORKERS; i++) {
        void *(*run)(void *) = i < THREADS ? work_run : i == RESOLVER ? resolve_run : modules_run;
        workers[i].fixture = &f;
        assert_ok(assay_queue_create(f.device, NULL, i % 2 ? ASSAY_QUEUE_IN_ORDER : 0,
                                     &workers[i].queue));
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].is_ok);
        if (i < THREADS) assert_int_equal(workers[i].result, ROUNDS);
    }
    assert_int_equal(workers[RESOLVER].result, 1 << ROUNDS);
    /* The interface cannot read the trace, so none is kept. */
    assert_int_equal(rt_trace_count(rt_runtime_trace(f.runtime->runtime)), 0);
    fixture_end(&f);
    dlclose(twice);
    dlclose(app);
    dlclose(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_followed),
        cmocka_unit_test_setup_teardown(an_isolated_runtime_follows_nothing, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_descriptor_is_registered_by_hand, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test(images_of_one_file_have_different_names),
        cmocka_unit_test(a_damaged_registration_is_reported_once),
        cmocka_unit_test_setup_teardown(threads_read_a_memory_that_others_write, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test(threads_share_a_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
