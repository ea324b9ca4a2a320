/* The list of registered descriptors; see process.h. */
#include "api/process.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static api_registrations registered; /* guarded by the lock */
static uint64_t registered_count;    /* ever; guarded by the lock */
static atomic_uint_fast64_t version;

void api_process_register(const void *descriptor, api_next next)
{
    pthread_mutex_lock(&lock);
    *rt_vector_push(&registered) =
        (api_registration){(uint64_t)(uintptr_t)descriptor, next, ++registered_count};
    atomic_fetch_add(&version, 1);
    pthread_mutex_unlock(&lock);
}

api_next api_process_unregister(const void *descriptor)
{
    api_next next = {0};
    pthread_mutex_lock(&lock);
    /* The newest: a descriptor may be registered again before it is unregistered. */
    uint32_t at = registered.count;
    while (at > 0 && registered.items[at - 1].descriptor != (uint64_t)(uintptr_t)descriptor)
        at--;
    if (at > 0) {
        next = registered.items[at - 1].next;
        for (uint32_t i = at; i < registered.count; i++)
            registered.items[i - 1] = registered.items[i];
        registered.count--;
        if (registered.count == 0) rt_vector_free(&registered);
        atomic_fetch_add(&version, 1);
    }
    pthread_mutex_unlock(&lock);
    return next;
}

uint64_t api_process_version(void)
{
    return atomic_load(&version);
}

void api_process_list(api_registrations *out_list)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < registered.count; i++)
        *rt_vector_push(out_list) = registered.items[i];
    pthread_mutex_unlock(&lock);
}

bool api_process_holds(uint64_t number)
{
    bool holds = false;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < registered.count; i++)
        holds = holds || registered.items[i].number == number;
    pthread_mutex_unlock(&lock);
    return holds;
}
