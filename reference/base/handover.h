/* Threads that take turns: real threads, of which one at a time runs, so that what they do together
 * is the same for the same seed.
 *
 * A `parallel` step makes one handover for its threads.  A thread that has the turn offers it at
 * hand-over points, which the runtime sets where another thread could come between: before it takes
 * a lock, and around what it does without one.  Who is next is drawn from the seed, among all
 * threads that have not left.  A thread that waits for a condition stays in the draw and looks
 * again when its turn comes, so no signal can be lost and whoever changes the condition need not
 * know of the handover.  Outside a parallel step the points do nothing.  The thread's place is
 * thread-local. */
#ifndef REFERENCE_BASE_HANDOVER_H
#define REFERENCE_BASE_HANDOVER_H

#include <pthread.h>
#include <stdint.h>

typedef struct rt_handover rt_handover;

/* Makes a handover for thread_count >= 1 threads, none of which has entered yet. */
rt_handover *rt_handover_create(uint32_t thread_count, uint64_t seed);

/* Frees it; every thread has left.  NULL does nothing. */
void rt_handover_destroy(rt_handover *handover);

/* The calling thread, which has no place yet, becomes thread `index` (each index once) and waits
 * until all have entered, and for its first turn; at its end it leaves and passes the turn on. */
void rt_handover_enter(rt_handover *handover, uint32_t index);
void rt_handover_leave(void);

/* A hand-over point: offers the turn.  The caller holds no lock that another thread of the handover
 * could want. */
void rt_handover_point(void);

/* Waits for the condition as pthread_cond_wait does, without the turn meanwhile: it may return
 * without cause, so the caller looks at what it waits for in a loop. */
void rt_handover_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

#endif
