/* What the modules of this process have registered with __sycl_register_lib: the only state of the
 * library that does not belong to a runtime, because start-up code names none. */
#ifndef API_PROCESS_H
#define API_PROCESS_H

#include "reference/base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* The entry points of another runtime in the process, to which calls are passed on; NULLs: none. */
typedef struct api_next {
    void (*begin)(const void *descriptor);
    void (*end)(const void *descriptor);
} api_next;

typedef struct api_registration {
    uint64_t descriptor; /* its address */
    api_next next;
    uint64_t number; /* from 1, in order; never reused */
} api_registration;

typedef RT_VECTOR(api_registration) api_registrations;

/* Notes that a module registers or unregisters a descriptor; the second returns what the first was
 * given, NULLs if the descriptor is not registered.  Take no lock of the dynamic linker, which may
 * call them with its own lock held. */
void api_process_register(const void *descriptor, api_next next);
api_next api_process_unregister(const void *descriptor);

/* Changes with every registration; 0: nothing was ever registered. */
uint64_t api_process_version(void);

/* Appends the descriptors that are registered now, in order. */
void api_process_list(api_registrations *out_list);

/* True if the registration with that number has not been undone. */
bool api_process_holds(uint64_t number);

#endif
