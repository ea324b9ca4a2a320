/* Mutexes that know which thread holds them.
 *
 * Releasing a mutex that the caller does not hold, or taking one that it holds, panics: a lock or a
 * release that is missing is found by the first call, in one thread, rather than by a race. */
#ifndef REFERENCE_BASE_LOCK_H
#define REFERENCE_BASE_LOCK_H

#include <pthread.h>

/* Initialises the mutex, which no thread holds; the caller destroys it with pthread_mutex_destroy.
 * pthread_cond_wait may be used with it (POSIX, PTHREAD_MUTEX_ERRORCHECK). */
void rt_lock_init(pthread_mutex_t *mutex);

/* Takes the mutex, which the calling thread must not hold, and waits until no other thread does. */
void rt_lock_take(pthread_mutex_t *mutex);

/* Releases the mutex, which the calling thread must hold. */
void rt_lock_release(pthread_mutex_t *mutex);

#endif
