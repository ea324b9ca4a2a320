/* A generated program while it is drawn, reduced and written; private to this folder. */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_HOST_INTERNAL_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_HOST_INTERNAL_H

#include "conformance/tools/generate/host/host.h"
#include "conformance/tools/generate/host/shapes.h"
#include "conformance/tools/generate/host/work.h"

/* FRESH repeats each launch at most twice, and loads every module again. */
enum { STEPS_LEAST = 6, STEPS_MORE = 18, STEPS_WANTED = STEPS_LEAST + STEPS_MORE };
/* What is drawn at once consists of as many steps at most. */
enum { SWEEP_MAX = 6, REPEATED_MAX = 5, REPLACE_MAX = 18 + 2 * GEN_DEVICES + REPEATED_MAX };
enum { STEPS_DRAWN = STEPS_WANTED + REPLACE_MAX };
enum { STEPS_MAX = 4 * STEPS_DRAWN, LATE_STEPS = 3 };

typedef struct host_step {
    gen_weight verb;
    uint32_t module;   /* LOAD, UNLOAD, COPY_… */
    int32_t content;   /* COPY_… */
    gen_target target; /* COPY_…: the place alone, which is not the other context */
    /* LAUNCH: */
    uint32_t image, kernel;
    bool names_module, is_late;
    uint32_t bundle;    /* LAUNCH: from which the kernel comes, 0 for none; BUNDLE: its number */
    bool is_unread;     /* in a reduction: nothing expects its result */
    bool shares_memory; /* LAUNCH, SHAPE, in a reduction: with others of its kind */
    gen_outcome outcome;
    uint32_t process;    /* processes before the one that launches */
    uint32_t generation; /* of the image's programs after the launch */
    gen_shape_call call; /* SHAPE */
    work_step work;      /* from WORK to READ */
} host_step;

/* A kernel bundle in the current process. */
typedef struct host_bundle {
    bool exists;
    uint32_t image, kernel, images; /* images: of its program, none of which has been unloaded */
    gen_target target;
    gen_outcome outcome;
} host_bundle;

enum { BUNDLES_MAX = STEPS_DRAWN + 1 };

typedef struct host_generator {
    const gen_request *request;
    gen_weights weights;
    gen_random random;
    gen_program program;
    gen_state state;
    gen_role roles[GEN_MODULES_MAX];
    gen_shapes shapes;
    uint32_t families[GEN_MODULES_MAX]; /* of the libraries: those of one have the same names */
    bool two_devices, two_contexts, has_persistent_cache;
    host_bundle bundles[BUNDLES_MAX]; /* by number, from 1 */
    uint32_t bundle_count;
    uint32_t process_count; /* before the current one */
    uint32_t read_memories; /* bits 1u << memory: those that are read at the end of a process */
    uint32_t joined; /* bits 1u << module: those whose images come from one source, where they
                      * can; set by a reduction */
    host_step steps[STEPS_MAX];
    uint32_t step_count;
    uint32_t unit_count; /* things that can be omitted, counted so far */
} host_generator;

/* ---- steps.c: what a step does to the model --------------------------------------------- */

/* Takes a step in the model's state and completes it. Returns false, and changes nothing, if the
 * step is impossible or the documents do not decide its outcome. */
bool gen_host_take(host_generator *g, host_step *step);

/* Puts the model into the state of a process that has just started, without any step. */
void gen_host_begin(host_generator *g);

/* True if the module is loaded and has a device_global that can be copied: one with image scope can
 * be in several programs. */
bool gen_host_has_variable(const host_generator *g, uint32_t module);

/* True if a step submits something to memories, or anything at all, without which there is nothing
 * to expect. */
bool gen_host_has_work(const host_generator *g);
bool gen_host_has_command(const host_generator *g);

/* ---- draw.c ----------------------------------------------------------------------------- */

/* Draws the modules, and steps which the model permits. */
void gen_host_draw(host_generator *g);

/* Appends the launches so far, once in this process, and once in a new one in which the same
 * modules are open. The documents let a program that exists serve again, so the model decides which
 * results each may have. */
void gen_host_repeat(host_generator *g);

/* ---- write.c ---------------------------------------------------------------------------- */

/* How many images a module has. */
uint32_t gen_host_images(const gen_program *program, uint32_t module);

/* Appends the scenario. */
void gen_host_text(const host_generator *g, rt_buffer *out);

#endif
