/* Turns: a number identifies the thread that has the turn, and a condition variable signals a
 * change. */
#include "reference/base/handover.h"

#include "reference/base/alloc.h"
#include "reference/base/check.h"
#include "reference/base/hash.h"
#include "reference/base/lock.h"
#include "reference/base/unseen.h"

#include <stddef.h>

enum { TURN_NONE = -1 };

typedef enum thread_state { THREAD_EXPECTED, THREAD_PRESENT, THREAD_LEFT } thread_state;

struct rt_handover {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    thread_state *states; /* indexed by thread */
    uint32_t thread_count;
    uint32_t expected; /* threads that have not entered yet */
    int64_t turn;      /* index of the thread that has the turn, or TURN_NONE */
    uint64_t state;    /* state of the random generator */
};

static _Thread_local struct {
    rt_handover *handover; /* NULL: outside a parallel step */
    uint32_t index;
} place;

rt_handover *rt_handover_create(uint32_t thread_count, uint64_t seed)
{
    CHECK(thread_count >= 1);
    rt_handover *handover = rt_alloc(sizeof *handover);
    pthread_mutex_init(&handover->lock, NULL);
    pthread_cond_init(&handover->turned, NULL);
    handover->states = rt_alloc_array(thread_count, sizeof *handover->states);
    handover->thread_count = thread_count;
    handover->expected = thread_count;
    handover->turn = TURN_NONE;
    /* The chooser uses the sequence that starts at the seed; turns start elsewhere, so as not to be
     * correlated with its choices. */
    handover->state = rt_mix64(seed);
    return handover;
}

void rt_handover_destroy(rt_handover *handover)
{
    if (!handover) return;
    CHECK(handover->turn == TURN_NONE && handover->expected == 0);
    pthread_cond_destroy(&handover->turned);
    pthread_mutex_destroy(&handover->lock);
    rt_free(handover->states);
    rt_free(handover);
}

/* The turns order everything that the threads do; the lock is unseen, so that only what orders them
 * outside a parallel step as well counts. */
static void lock(rt_handover *handover)
{
    RT_UNSEEN_BEGIN();
    pthread_mutex_lock(&handover->lock);
}

static void unlock(rt_handover *handover)
{
    pthread_mutex_unlock(&handover->lock);
    RT_UNSEEN_END();
}

/* Draws a thread and gives it the turn, or gives it to none if all have left.  Called with the lock
 * held. */
static void pass(rt_handover *handover)
{
    CHECK(handover->expected == 0);
    uint32_t present = 0;
    for (uint32_t i = 0; i < handover->thread_count; i++)
        present += handover->states[i] == THREAD_PRESENT;
    handover->turn = TURN_NONE;
    if (present > 0) {
        handover->state += RT_MIX_STEP;
        uint64_t skipped = rt_mix64(handover->state) % present;
        for (uint32_t i = 0; i < handover->thread_count; i++)
            if (handover->states[i] == THREAD_PRESENT && skipped-- == 0) handover->turn = i;
        CHECK(handover->turn != TURN_NONE);
    }
    pthread_cond_broadcast(&handover->turned);
}

/* Waits until it is the turn of thread `index`.  Called with the lock held. */
static void await_turn(rt_handover *handover, uint32_t index)
{
    while (handover->turn != index)
        pthread_cond_wait(&handover->turned, &handover->lock);
}

void rt_handover_enter(rt_handover *handover, uint32_t index)
{
    CHECK(!place.handover);
    CHECK(index < handover->thread_count);
    place.handover = handover;
    place.index = index;
    lock(handover);
    CHECK(handover->states[index] == THREAD_EXPECTED);
    handover->states[index] = THREAD_PRESENT;
    /* Only the last thread to arrive draws, so that the order of arrival has no influence. */
    if (--handover->expected == 0) pass(handover);
    await_turn(handover, index);
    unlock(handover);
}

void rt_handover_leave(void)
{
    rt_handover *handover = place.handover;
    CHECK(handover != NULL);
    lock(handover);
    CHECK(handover->turn == place.index);
    handover->states[place.index] = THREAD_LEFT;
    pass(handover);
    unlock(handover);
    place.handover = NULL;
}

void rt_handover_point(void)
{
    rt_handover *handover = place.handover;
    if (!handover) return;
    lock(handover);
    CHECK(handover->turn == place.index);
    pass(handover);
    await_turn(handover, place.index);
    unlock(handover);
}

void rt_handover_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!place.handover) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    /* No other thread has run since the caller tested the condition, so no signal can be missed:
     * instead of sleeping, let others run, then have the caller test again. */
    rt_lock_release(mutex);
    rt_handover_point();
    rt_lock_take(mutex);
}
