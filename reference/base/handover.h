/* Threads that take turns: real threads, only one of which runs at a time, so that their
 * interleaving is reproducible from a seed.
 *
 * A `parallel` step creates one handover for its threads. The thread that has the turn offers it at
 * hand-over points, which the runtime places wherever another thread could intervene: before it
 * takes a lock, and around lock-free operations.  The next thread is drawn, by the seed, from all
 * threads that have not left.  A thread that waits for a condition still takes part in the draw,
 * and tests the condition again when it gets the turn; so no signal can be lost, and the thread
 * that changes the condition need not know about the handover.  Outside a parallel step, hand-over
 * points do nothing.  A thread's handover and index are thread-local. */
#ifndef REFERENCE_BASE_HANDOVER_H
#define REFERENCE_BASE_HANDOVER_H

#include <pthread.h>
#include <stdint.h>

typedef struct rt_handover rt_handover;

/* Creates a handover for thread_count >= 1 threads, none of which has entered yet.  The caller
 * destroys it. */
rt_handover *rt_handover_create(uint32_t thread_count, uint64_t seed);

/* Frees a handover that every thread has left.  NULL does nothing. */
void rt_handover_destroy(rt_handover *handover);

/* rt_handover_enter makes the calling thread, which belongs to no handover yet, thread `index`
 * (each index is used once), then waits until all threads have entered and this one gets its first
 * turn.  When the thread is done, rt_handover_leave passes the turn on. */
void rt_handover_enter(rt_handover *handover, uint32_t index);
void rt_handover_leave(void);

/* A hand-over point: passes the turn to the next thread drawn, which may be the caller.  The caller
 * must not hold a lock that another thread of the handover could take. */
void rt_handover_point(void);

/* Waits for the condition as pthread_cond_wait does, giving up the turn meanwhile.  Wake-ups may be
 * spurious, so the caller tests the condition in a loop. */
void rt_handover_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

#endif
