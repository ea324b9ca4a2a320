/* How often a generated program does what: the weights of steps relative to each other, and
 * probabilities in percent. */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_WEIGHTS_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_WEIGHTS_H

#include "conformance/tools/generate/random.h"
#include "reference/base/text.h"

#include <stdbool.h>

typedef enum gen_weight {
    /* steps */
    GEN_LOAD,
    GEN_UNLOAD,
    GEN_LAUNCH,
    GEN_COPY_IN,  /* to the device_global of a module */
    GEN_COPY_OUT, /* from it */
    GEN_RESTART,
    GEN_SWEEP,   /* a kernel is launched on every device with every setting of the constants */
    GEN_REPLACE, /* a module is unloaded, or the process restarted, mostly after a launch that needs
                  * it; the module, one that defines some of its functions or none is loaded, and
                  * the latest launches are repeated.  Now and then, one of two libraries with
                  * kernels of the same name is unloaded, and the other's are launched */
    GEN_BUNDLE,  /* an executable kernel bundle is created, from which launches take kernels */
    GEN_SHAPE,   /* a virtual function of a new object is called */
    GEN_WORK,    /* a kernel, copy or fill on memories */
    GEN_FAN,     /* several kernels that read one memory, and one that overwrites it */
    GEN_GATHER,  /* a kernel that needs what seven others wrote */
    GEN_FUSION,  /* a fusion list */
    GEN_READ,    /* a read by the host */
    GEN_STEPS,
    /* probabilities in percent */
    GEN_REFUSED = GEN_STEPS, /* a launch that must be refused is kept */
    GEN_LATE,                /* a launch's result is read some steps later */
    GEN_SET_CONSTANTS,       /* a launch sets specialisation constants */
    GEN_TWO_DEVICES,         /* the program has two devices */
    GEN_TWO_CONTEXTS,        /* it has a second context with the first device */
    GEN_PERSISTENT,          /* it has a persistent cache */
    GEN_NEEDS,               /* a module needs another one */
    GEN_PRELOAD,             /* LD_PRELOAD names a library */
    GEN_SHAPES,              /* the program has classes with virtual functions */
    GEN_WITHOUT_FP64,        /* a device lacks fp64 */
    GEN_FORMATS,             /* modules have images in several formats, or in one of no device, and
                              * then provide nothing */
    GEN_WEIGHTS
} gen_weight;

typedef struct gen_weights {
    uint32_t of[GEN_WEIGHTS];
} gen_weights;

/* The default weights. */
gen_weights gen_weights_default(void);

/* Weights for one program, which differ around the given ones: some steps do not occur in it, some
 * four times as often, and percentages vary likewise. Programs that concentrate on few kinds of
 * steps reach states that programs with an even mixture do not (A. Groce et al., "Swarm Testing",
 * 2012). A weight of 0 remains 0, and one that nothing else could replace is kept. */
gen_weights gen_weights_vary(const gen_weights *weights, gen_random *random);

/* Keeps the weights of the named features, which are separated by commas, and sets those of all
 * other features to 0. False: one is unknown; *out_word is the first such. */
bool gen_weights_choose(gen_weights *weights, rt_text features, rt_text *out_word);

/* Reads lines "NAME: NUMBER" (0 to 1000; percentages to 100), and replaces these weights; blank
 * lines and lines that begin with '#' are ignored. False: *out_line is the number of the first
 * wrong line, or 0 if no step that submits a command keeps a weight. */
bool gen_weights_read(gen_weights *weights, rt_text content, uint32_t *out_line);

/* The names of the features or of the weights, by index (static); NULL after the last one. */
const char *gen_feature_name(uint32_t index);
const char *gen_weight_name(uint32_t index);

#endif
