/* The part of a generated program that works on memories: kernels, copies and fills on several
 * queues, fusion lists, and reads by the host.
 *
 * Every command is a function of whole memories, so its model is arithmetic. Buffers order their
 * commands; commands on unified shared memory name in `after` exactly those that they need. So the
 * contents do not depend on queues, fusion or the order in which a device runs commands.
 *
 * Source: SYCL 2020, 3.8.1 "SYCL memory model"; KernelFusionJIT.md. */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_WORK_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_WORK_H

#include "conformance/tools/generate/random.h"
#include "reference/base/text.h"

enum {
    WORK_BUFFERS = 4,
    WORK_SHARED = 8, /* memories in unified shared memory, after the buffers */
    WORK_MEMORIES = WORK_BUFFERS + WORK_SHARED,
    WORK_ELEMENTS = 4,
    WORK_SOURCES = 7,   /* of a sum */
    WORK_COMMANDS = 8,  /* of one step */
    WORK_HISTORY = 512, /* commands of a program */
};

typedef enum work_verb {
    WORK_MIX,  /* to = 3 * to + source + value */
    WORK_SUM,  /* to = to + source 0 + 3 * source 1 + 5 * source 2 + … */
    WORK_COPY, /* to = source */
    WORK_FILL, /* to = value */
    WORK_LOOK, /* in a reduction, of a mix: it reads the source and does nothing else */
} work_verb;

typedef enum work_queue {
    WORK_DEFAULT, /* the default queue, which is out of order */
    WORK_ORDERED,
    WORK_FUSING, /* may be in fusion mode */
    WORK_SECOND, /* of the second device; no unified shared memory */
} work_queue;

typedef struct work_command {
    work_verb verb;
    work_queue queue;
    uint32_t to, sources[WORK_SOURCES];
    uint64_t value;
} work_command;

typedef enum work_kind { WORK_ONE, WORK_FAN, WORK_GATHER, WORK_FUSED, WORK_READ } work_kind;

/* One step of the program: a command; several that read one memory, and one that overwrites it; one
 * that reads what as many commands wrote; a fusion list; or a read by the host. */
typedef struct work_step {
    work_kind kind;
    bool is_cancelled, no_barriers; /* of a fusion list */
    uint32_t command_count;
    work_command commands[WORK_COMMANDS + 1];
    uint32_t read; /* READ: the memory */
} work_step;

/* The contents of memories and, for those in unified shared memory, the commands that the next one
 * must wait for. Commands are numbered through all processes. */
typedef struct work_state {
    uint64_t content[WORK_MEMORIES][WORK_ELEMENTS];
    uint32_t command_count;
    bool is_awaited[WORK_HISTORY];  /* the commands that later ones have named */
    const bool *named;              /* the commands that get an id; NULL: all */
    uint32_t writer[WORK_MEMORIES]; /* UINT32_MAX: none */
    uint32_t readers[WORK_MEMORIES][WORK_HISTORY], reader_count[WORK_MEMORIES];
    uint32_t touched; /* bits 1u << memory */
} work_state;

/* How a variation of the same program differs. */
typedef struct work_form {
    bool in_order;    /* every queue is in order */
    bool not_fused;   /* fusion lists are cancelled */
    bool two_devices; /* there is a second device */
} work_form;

/* What the steps of a program use, so that nothing else is declared. */
typedef struct work_use {
    uint32_t memories; /* bits 1u << memory */
    uint32_t verbs;    /* bits 1u << work_verb */
    uint32_t queues;   /* bits 1u << work_queue */
} work_use;

/* Adds what a step uses. */
void gen_work_use(const work_step *step, work_form form, work_use *inout_use);

/* Begins a process; the state is zero-initialised before the first one. */
void gen_work_start(work_state *state);

/* Draws a step of a kind. */
work_step gen_work_draw(gen_random *random, work_kind kind, bool two_devices);

/* For a reduction: lets the sum of a GATHER step read one memory only, which the step's first
 * command writes if it has another one. */
void gen_work_gather_one(work_step *step);

/* True if a command is a kernel. */
bool gen_work_has_kernels(const work_use *use);

/* Appends the sources of the kernels, the declarations of the memories, the steps that create the
 * queues, as far as they are used, the step itself (which changes the state), and the expectation
 * of what the memories in `memories` contain. */
void gen_work_write_sources(const work_use *use, rt_buffer *out);
void gen_work_write_memories(const work_use *use, rt_buffer *out);
void gen_work_write_queues(const work_use *use, work_form form, rt_buffer *out);
void gen_work_write_step(work_state *state, const work_step *step, work_form form, rt_buffer *out);
void gen_work_write_contents(const work_state *state, uint32_t memories, rt_buffer *out);

/* The name of the module with these sources, unless a reduction has them in the executable. */
#define GEN_WORK_MODULE "libwork"

#endif
