/* Converts calls to events, tracking each program's images through creation, compilation and
 * linking. */
#include "conformance/subject/observed.h"
#include "reference/base/vector.h"

/* A program of a process, identified by the layer's number. */
typedef struct seen_program {
    uint32_t process;
    uint64_t number;
    const rt_text *images;
    uint32_t image_count;
    uint32_t created; /* index of its CREATE; UINT32_MAX: created by linking */
} seen_program;

typedef struct log_observer {
    rt_arena *arena;
    const cnf_image_name *names;
    uint32_t name_count;
    RT_VECTOR(seen_program) programs;
    RT_VECTOR(cnf_observed) found;
} log_observer;

const cnf_image_name *cnf_image_names_make(rt_arena *arena, const rt_image *const *images,
                                           uint32_t count)
{
    cnf_image_name *names = rt_arena_alloc_array(arena, count, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = (cnf_image_name){images[i]->name,
                                    rt_hash128(images[i]->code.data, images[i]->code.size)};
    return names;
}

rt_text cnf_image_name_find(const cnf_image_name *names, uint32_t count, rt_text hash)
{
    for (uint32_t i = 0; i < count; i++)
        if (rt_text_is(hash, rt_hash_print(names[i].hash).digits)) return names[i].name;
    return (rt_text){0};
}

/* ---- Programs ------------------------------------------------------------------------------- */

static uint64_t number_of(const ocl_call *call, const char *key)
{
    uint64_t number;
    return ocl_call_number(call, key, &number) ? number : UINT64_MAX;
}

static const seen_program *program_find(const log_observer *observer, uint32_t process,
                                        uint64_t number)
{
    for (uint32_t i = observer->programs.count; i-- > 0;) {
        const seen_program *program = &observer->programs.items[i];
        if (program->process == process && program->number == number) return program;
    }
    return NULL;
}

/* The images from which a call builds an executable or linkable program. */
static void images_take(const seen_program *program, cnf_observed *observed)
{
    static const rt_text unknown = {"?", 1};
    observed->images = program ? program->images : &unknown;
    observed->image_count = program ? program->image_count : 1;
}

static cnf_observed observed_of(rt_event_kind kind, const ocl_call *call)
{
    return (cnf_observed){.kind = kind,
                          .call = call,
                          .ok = call->returned && call->result == 0,
                          .program = number_of(call, "program"),
                          .queue = number_of(call, "queue"),
                          .kernel = ocl_call_text(call, "name"),
                          .options = ocl_call_text(call, "options")};
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void observe_create(log_observer *observer, const ocl_call *call)
{
    cnf_observed observed = observed_of(RT_EVENT_CREATE, call);
    rt_text *image = rt_arena_alloc(observer->arena, sizeof *image);
    rt_text hash = {0};
    uint64_t size;
    if (ocl_call_code(call, &hash, &size))
        *image = cnf_image_name_find(observer->names, observer->name_count, hash);
    if (image->length == 0 && rt_text_is(call->name, "clCreateProgramWithSource"))
        *image = RT_TEXT("source");
    if (image->length == 0) *image = ocl_call_text(call, "code");
    observed.program = number_of(call, "made");
    observed.images = image;
    observed.image_count = 1;
    if (observed.program != UINT64_MAX)
        *rt_vector_push(&observer->programs) =
            (seen_program){call->process, observed.program, image, 1, observer->found.count};
    *rt_vector_push(&observer->found) = observed;
}

/* A program's options and purpose become known only when it is compiled or built. */
static void observe_compile(log_observer *observer, const ocl_call *call)
{
    const seen_program *program = program_find(observer, call->process, number_of(call, "program"));
    if (!program || program->created == UINT32_MAX) return;
    cnf_observed *created = &observer->found.items[program->created];
    CHECK(created->kind == RT_EVENT_CREATE);
    created->executable = rt_text_is(call->name, "clBuildProgram");
    created->options = ocl_call_text(call, "options");
}

static void observe_build(log_observer *observer, const ocl_call *call)
{
    observe_compile(observer, call);
    cnf_observed observed = observed_of(RT_EVENT_BUILD, call);
    images_take(program_find(observer, call->process, observed.program), &observed);
    *rt_vector_push(&observer->found) = observed;
}

static void observe_link(log_observer *observer, const ocl_call *call)
{
    cnf_observed observed = observed_of(RT_EVENT_LINK, call);
    observed.program = number_of(call, "made");
    /* The images of the inputs, concatenated. */
    const uint64_t *inputs = NULL;
    uint32_t input_count = 0, count = 0;
    if (!ocl_call_numbers(observer->arena, call, "inputs", &inputs, &input_count)) input_count = 0;
    cnf_observed *parts = rt_arena_alloc_array(observer->arena, input_count, sizeof *parts);
    for (uint32_t i = 0; i < input_count; i++) {
        images_take(program_find(observer, call->process, inputs[i]), &parts[i]);
        count += parts[i].image_count;
    }
    rt_text *images = rt_arena_alloc_array(observer->arena, count, sizeof *images);
    observed.images = images;
    for (uint32_t i = 0; i < input_count; i++)
        for (uint32_t k = 0; k < parts[i].image_count; k++)
            images[observed.image_count++] = parts[i].images[k];
    CHECK(observed.image_count == count);
    *rt_vector_push(&observer->found) = observed;
    if (observed.program != UINT64_MAX)
        *rt_vector_push(&observer->programs) = (seen_program){
            call->process, observed.program, observed.images, observed.image_count, UINT32_MAX};
    if (!observed.ok) return;
    observed.kind = RT_EVENT_BUILD;
    *rt_vector_push(&observer->found) = observed;
}

static void observe_kernel(log_observer *observer, const ocl_call *call)
{
    *rt_vector_push(&observer->found) = observed_of(RT_EVENT_KERNEL_CREATE, call);
}

/* Reads a range of up to three numbers; if the list is missing or longer, the range is unchanged.
 */
static void range_take(rt_arena *arena, const ocl_call *call, const char *key, uint64_t *out_range)
{
    const uint64_t *numbers;
    uint32_t count;
    if (!ocl_call_numbers(arena, call, key, &numbers, &count)) return;
    for (uint32_t i = 0; i < count && i < RT_ND_RANGE_DIMENSIONS; i++)
        out_range[i] = numbers[i];
}

static void observe_launch(log_observer *observer, const ocl_call *call)
{
    cnf_observed observed = observed_of(RT_EVENT_LAUNCH, call);
    uint64_t dimensions = number_of(call, "dimensions");
    if (rt_text_is(call->name, "clEnqueueTask")) dimensions = 1;
    observed.range.dimensions = dimensions <= RT_ND_RANGE_DIMENSIONS ? (uint32_t)dimensions : 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        observed.range.global[d] = 1;
    range_take(observer->arena, call, "global", observed.range.global);
    range_take(observer->arena, call, "local", observed.range.local);
    range_take(observer->arena, call, "offset", observed.range.offset);
    *rt_vector_push(&observer->found) = observed;
}

static const struct {
    const char *name;
    void (*observe)(log_observer *, const ocl_call *);
} calls[] = {
    {"clCreateProgramWithIL", observe_create},
    {"clCreateProgramWithILKHR", observe_create},
    {"clCreateProgramWithBinary", observe_create},
    {"clCreateProgramWithSource", observe_create},
    {"clCompileProgram", observe_compile},
    {"clBuildProgram", observe_build},
    {"clLinkProgram", observe_link},
    {"clCreateKernel", observe_kernel},
    {"clEnqueueNDRangeKernel", observe_launch},
    {"clEnqueueTask", observe_launch},
};

cnf_observations cnf_observe(rt_arena *arena, const ocl_call_log *log, const cnf_image_name *names,
                             uint32_t name_count)
{
    log_observer observer = {.arena = arena, .names = names, .name_count = name_count};
    for (uint32_t i = 0; i < log->call_count; i++) {
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
            if (!rt_text_is(log->calls[i].name, calls[k].name)) continue;
            calls[k].observe(&observer, &log->calls[i]);
            break;
        }
    }
    CHECK(observer.programs.count <= observer.found.count); /* each program was either created or
                                                             * linked */
    cnf_observed *items = rt_arena_alloc_array(arena, observer.found.count, sizeof *items);
    for (uint32_t i = 0; i < observer.found.count; i++)
        items[i] = observer.found.items[i];
    cnf_observations observations = {items, observer.found.count};
    rt_vector_free(&observer.programs);
    rt_vector_free(&observer.found);
    return observations;
}
