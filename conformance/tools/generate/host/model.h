/* The generated program, and a model of what a runtime that obeys document 003 does with it.
 *
 * The model is small and independent of the reference runtime: it knows images, the definitions in
 * them, which modules are loaded, and which programs exist for which device and constants. It
 * explores every order of imports and every choice of a provider that the document leaves open.
 * What the documents do not decide (a kernel and a function of the same name in one program) it
 * calls unknown, and the generator leaves such a launch out. */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_MODEL_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GEN_FUNCTIONS = 5, /* names f0 to f4; a function calls only functions with larger numbers, since
                        * OpenCL C has no recursion */
    GEN_KERNELS = 4,   /* names k0 to k2, and f4 */
    GEN_SHARED_FUNCTION = GEN_FUNCTIONS - 1, /* the function whose name kernels have too */
    GEN_SHARED_KERNEL = GEN_KERNELS - 1,
    GEN_MODULES_MAX = 6,
    GEN_IMAGES_MAX = 18,
    GEN_ALTERNATIVES_MAX = 6,
    GEN_CONSTANTS = 2, /* names c0 and c1, in any image that uses them */
    GEN_DEVICES = 2,
    GEN_OTHER_CONTEXT = GEN_DEVICES, /* the first device in a second context */
    GEN_PLACES,                      /* the devices in the context of all, and that one */
    GEN_SETTINGS = 6 /* values of the constants that a launch may set, gen_settings */
};

/* The constants that a launch sets, and the value of every constant: its default if it is not set.
 */
typedef struct gen_setting {
    uint32_t set; /* bits 1u << constant */
    uint64_t values[GEN_CONSTANTS];
} gen_setting;
extern const gen_setting gen_settings[GEN_SETTINGS]; /* the first one sets nothing */

/* Where and how a launch takes place. Each has programs of its own. */
typedef struct gen_target {
    uint32_t place, setting;
} gen_target;

/* The device of a place. */
uint32_t gen_device_of(uint32_t place);

/* A definition of a function or kernel. */
typedef struct gen_body {
    uint64_t number;    /* what it adds to a kernel's result */
    uint32_t callees;   /* bits 1u << function */
    uint32_t constants; /* bits 1u << constant: the specialisation constants that it adds as well */
} gen_body;

typedef struct gen_image {
    uint32_t module;
    uint32_t functions; /* bits 1u << function: those that it defines and exports */
    uint32_t kernels;   /* bits 1u << kernel */
    gen_body function_bodies[GEN_FUNCTIONS];
    gen_body kernel_bodies[GEN_KERNELS];
    uint32_t variable; /* the number in the variable's name */
    uint32_t
        increment; /* bits 1u << kernel: those that add 1 to the module's device_global, which
                    * the image then defines, and store the sum; only in one image of a module */
    bool has_image_scope; /* each program has an instance of the variable; no functions are exported
                           * then, so that all programs with the image are its own */
    bool needs_fp64;      /* devices without fp64 cannot run it */
} gen_image;

/* In which formats a module's images are. No device that executes programs takes PTX. */
typedef enum gen_format { GEN_SPIRV, GEN_SPIRV_AND_PTX, GEN_PTX } gen_format;

typedef struct gen_module {
    uint32_t needs; /* bits 1u << module; only modules with larger numbers */
    gen_format format;
} gen_module;

/* The modules and their images; module 0 is the executable. Fixed once drawn. */
typedef struct gen_program {
    gen_module modules[GEN_MODULES_MAX];
    uint32_t module_count;
    gen_image images[GEN_IMAGES_MAX];
    uint32_t image_count;
    uint32_t without_fp64; /* bits 1u << device */
    uint32_t preloaded;    /* bits 1u << module: those of LD_PRELOAD, which no dlclose unloads */
} gen_program;

/* The device programs that may exist for the kernels of an image: one of `sets`, or none. */
typedef struct gen_built {
    uint32_t sets[GEN_ALTERNATIVES_MAX]; /* bits 1u << image */
    uint32_t set_count;
    bool may_be_absent;  /* the next launch may link anew */
    uint32_t generation; /* grows whenever `sets` changes */
} gen_built;

/* A variable with image scope in a program. */
typedef struct gen_instance {
    int32_t content;
    bool is_unknown; /* the program may be another one */
} gen_instance;

typedef struct gen_state {
    const gen_program *program;
    uint32_t open_count[GEN_MODULES_MAX]; /* dlopen minus dlclose; the executable has 1 */
    gen_built built[GEN_IMAGES_MAX][GEN_PLACES][GEN_SETTINGS];
    /* The contents of the modules' device_globals on each device in the context of all devices: the
     * documents leave open whether another context has its own (DG-INIT-11). Unknown: a launch that
     * may have been refused may have changed it. */
    int32_t variables[GEN_MODULES_MAX][GEN_DEVICES];
    bool variable_unknown[GEN_MODULES_MAX][GEN_DEVICES];
    /* The same for variables with image scope, in the program that `built` describes. */
    gen_instance instances[GEN_IMAGES_MAX][GEN_PLACES][GEN_SETTINGS];
} gen_state;

/* How a launch may end. */
typedef struct gen_outcome {
    uint64_t values[GEN_ALTERNATIVES_MAX]; /* stored by the kernel; each once */
    uint32_t value_count;
    bool tells_programs_apart; /* values[i] is that of the program sets[i] */
    bool may_be_refused;
    int32_t sum;     /* what it stores of the variable, if it increments one */
    bool is_unknown; /* the documents do not decide, or there are too many alternatives */
} gen_outcome;

/* The specialisation constants that the image's definitions use, as bits 1u << constant. */
uint32_t gen_constants(const gen_image *image);

/* The functions that the image's definitions call, as bits 1u << function. */
uint32_t gen_callees(const gen_image *image);

/* True if the device of the place can run the image; others are neither launched from nor suitable
 * providers. */
bool gen_is_usable(const gen_program *program, uint32_t image, uint32_t place);

/* The state of a process that has just started. */
gen_state gen_state_start(const gen_program *program);

/* The modules in memory, as bits 1u << module: those that are open or preloaded, and what they
 * need.
 */
uint32_t gen_loaded(const gen_state *state);

/* Opens or closes a module. Closing requires that it is open. */
void gen_open(gen_state *state, uint32_t module);
void gen_close(gen_state *state, uint32_t module);

/* How a launch of a kernel of an image would end. The image's module is loaded. */
gen_outcome gen_predict(const gen_state *state, uint32_t image, uint32_t kernel, gen_target target);

/* How the creation of an executable kernel bundle of the kernel would end. Certain or unknown: it
 * may link anew, or take a program that exists. *out_images are those that its program may have.
 * The kernel increments no variable with image scope. */
gen_outcome gen_predict_bundle(const gen_state *state, uint32_t image, uint32_t kernel,
                               gen_target target, uint32_t *out_images);

/* Records that the bundle was created: a launch without it may use its program. */
void gen_bundle_create(gen_state *state, uint32_t image, gen_target target);

/* The images of loaded modules, as bits 1u << image. */
uint32_t gen_loaded_images(const gen_state *state);

/* Records that the launch took place; the outcome is not unknown. */
void gen_launch(gen_state *state, uint32_t image, uint32_t kernel, gen_target target);

/* True if the kernel increments its module's variable; its outcome is unknown if the variable's
 * content is. */
bool gen_increments(const gen_program *program, uint32_t image, uint32_t kernel);

#endif
