/* Images and a program manager for unit tests. */
#ifndef REFERENCE_PROGRAM_TEST_FIXTURE_H
#define REFERENCE_PROGRAM_TEST_FIXTURE_H

#include "reference/program/program_internal.h"
#include "reference/program/test/counting_device.h"

typedef struct fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser chooser;
    rt_registry registry;
    rt_loader loader;
    rt_program_manager *manager;
    rt_device device, other; /* ids 0 and 1 */
    counting_device *counting, *other_counting;
} fixture;

/* A module with one or two images.  A list of names is a string separated by spaces; NULL: empty.
 */
typedef struct fixture_module {
    const char *name, *kernels, *imports, *exports;
    rt_format format;
    const char *options; /* for the device's compiler; NULL: none */
    uint32_t aspect;     /* number of the aspect that the image needs; 0: none */
    /* Specialisation constants of 4 bytes with the default value 7, numbered from 1. */
    const char *constants;
    /* Properties of virtual functions, as in "provides=a calls=a,b creates=c uses=d". */
    const char *virtual_functions;
    /* Of which kernels the image says that they call sets: "k=a j=a,b". */
    const char *kernel_calls;
    bool with_dummy; /* adds a second image, which is the dummy of this one and does not need the
                      * aspect */
    /* device_globals of 4 bytes in the image's set, "a b!": those with '!' have image scope. */
    const char *globals;
    const char *embedded_ir;  /* the embedded bitcode, which may be any text; NULL: none */
    const char *link_options; /* for the device's linker; NULL: none */
} fixture_module;

/* Creates a fixture with module_count modules, none loaded, and two devices of counting_backend. */
fixture *fixture_create(const fixture_module *modules, uint32_t module_count, const char *selector);

/* Like fixture_create, with the given profile. */
fixture *fixture_create_in(rt_profile profile, const fixture_module *modules, uint32_t module_count,
                           const char *selector);
void fixture_destroy(fixture *fixture);

/* The registered image of the module with that name (modules are loaded with rt_loader_open). */
const rt_registered_image *fixture_image(fixture *fixture, const char *module);

/* The number of trace events of a kind. */
uint32_t fixture_count(fixture *fixture, rt_event_kind kind);

/* A field of the newest event of that kind; a list is returned as "a b". "none" if there is no such
 * event.
 */
const char *fixture_newest(fixture *fixture, rt_event_kind kind, const char *field);

/* Requests a kernel from the manager on the first device in context 0 and releases it immediately.
 */
rt_status fixture_ask(fixture *fixture, const char *kernel);

/* Requests a kernel as described, and releases it immediately. */
rt_status fixture_ask_as(fixture *fixture, const rt_kernel_request *request);

#endif
