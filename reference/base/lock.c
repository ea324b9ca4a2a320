/* Mutexes of POSIX's error-checking type, whose errors are mistakes of the caller. */
#include "reference/base/lock.h"

#include "reference/base/check.h"

void rt_lock_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void rt_lock_take(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_lock(mutex);
    CHECK(error == 0);
}

void rt_lock_release(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_unlock(mutex);
    CHECK(error == 0);
}
