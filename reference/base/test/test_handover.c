/* Unit tests of turns: only one thread runs at a time, the same seed yields the same order, and
 * waits end. */
#include "reference/base/alloc.h"
#include "reference/base/handover.h"
#include "reference/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS_MAX = 8 };

typedef struct world {
    rt_handover *handover;
    rt_buffer log; /* needs no lock: only the thread that has the turn writes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t passed; /* number of threads that have passed the gate; guarded by `lock` */
} world;

typedef struct walker {
    world *w;
    uint32_t index;
    void (*body)(world *, uint32_t);
} walker;

static void *walk(void *user)
{
    walker *self = user;
    rt_handover_enter(self->w->handover, self->index);
    self->body(self->w, self->index);
    rt_handover_leave();
    return NULL;
}

/* Returns what thread_count threads write to the log when each runs `body`. */
static rt_buffer run(uint32_t thread_count, uint64_t seed, void (*body)(world *, uint32_t))
{
    world w = {.handover = rt_handover_create(thread_count, seed),
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .changed = PTHREAD_COND_INITIALIZER};
    pthread_t threads[THREADS_MAX];
    walker walkers[THREADS_MAX];
    for (uint32_t i = 0; i < thread_count; i++) {
        walkers[i] = (walker){&w, i, body};
        assert_int_equal(pthread_create(&threads[i], NULL, walk, &walkers[i]), 0);
    }
    for (uint32_t i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    rt_handover_destroy(w.handover);
    return w.log;
}

static void three_steps(world *w, uint32_t index)
{
    for (uint32_t i = 0; i < 3; i++) {
        rt_buffer_printf(&w->log, "%u", index);
        rt_handover_point();
    }
}

static void the_same_seed_gives_the_same_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        rt_buffer first = run(4, seed, three_steps), second = run(4, seed, three_steps);
        assert_int_equal(first.size, 12);
        assert_string_equal(rt_buffer_string(&first), rt_buffer_string(&second));
        rt_buffer_free(&first);
        rt_buffer_free(&second);
    }
}

static void one_step(world *w, uint32_t index)
{
    rt_buffer_printf(&w->log, "%u", index);
}

static void every_order_comes_up(void **state)
{
    (void)state;
    static const char *const orders[] = {"012", "021", "102", "120", "201", "210"};
    uint32_t seen[6] = {0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        rt_buffer order = run(3, seed, one_step);
        for (uint32_t i = 0; i < 6; i++)
            seen[i] += strcmp(rt_buffer_string(&order), orders[i]) == 0;
        rt_buffer_free(&order);
    }
    for (uint32_t i = 0; i < 6; i++)
        assert_true(seen[i] > 0);
}

/* Thread i passes the gate once i others have passed. */
static void pass_the_gate_in_turn(world *w, uint32_t index)
{
    pthread_mutex_lock(&w->lock);
    while (w->passed != index)
        rt_handover_cond_wait(&w->changed, &w->lock);
    rt_buffer_printf(&w->log, "%u", index);
    w->passed++;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    rt_handover_point();
}

static void waiting_threads_let_others_run(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        rt_buffer order = run(THREADS_MAX, seed, pass_the_gate_in_turn);
        assert_string_equal(rt_buffer_string(&order), "01234567");
        rt_buffer_free(&order);
    }
}

static void outside_a_handover_nothing_happens(void **state)
{
    (void)state;
    rt_handover_point();
    rt_handover_destroy(NULL);
    rt_buffer order = run(1, 3, three_steps);
    assert_string_equal(rt_buffer_string(&order), "000");
    rt_buffer_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(every_order_comes_up),
        cmocka_unit_test(waiting_threads_let_others_run),
        cmocka_unit_test(outside_a_handover_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
