/* Declarations that the files of this folder share; private to it.
 *
 * The trace of sim's run lists the requests to the device (export_trace.c), and the scenario's
 * steps have the arguments. The exporter walks both together; each step appends its calls to the
 * body of main. */
#ifndef CONFORMANCE_EXPORT_EXPORT_INTERNAL_H
#define CONFORMANCE_EXPORT_EXPORT_INTERNAL_H

#include "conformance/export/export.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/image/fusion_request.h"

/* ---- Requests to the device (export_trace.c) ------------------------------------------------ */

/* A program that the runtime created, or would have created. */
typedef struct cnf_export_program {
    const rt_text *images; /* names, in link order */
    uint32_t image_count;
} cnf_export_program;

typedef enum cnf_export_kind {
    CNF_EXPORT_LAUNCH,          /* of a submit, or of a fused list */
    CNF_EXPORT_DEVICE_REFUSED,  /* the device refused the program, so the step was refused */
    CNF_EXPORT_RUNTIME_REFUSED, /* the runtime refused a step without calling the device */
    CNF_EXPORT_BUNDLE,          /* a kernel bundle was created, with program_count programs */
    CNF_EXPORT_VARIABLE,        /* a device_global with image scope was read or written */
} cnf_export_kind;

typedef struct cnf_export_command {
    cnf_export_kind kind;
    uint32_t program; /* its index; BUNDLE: index of the first of `program_count` */
    uint32_t program_count;
    rt_text kernel; /* LAUNCH: the symbol */
    bool fused;     /* LAUNCH: the kernel is fused and runs with `range` */
    rt_fusion_range range;
} cnf_export_command;

/* A device_global in a program. */
typedef struct cnf_export_variable {
    uint32_t program; /* its index */
    rt_text unique_id;
    bool image_scope;
} cnf_export_variable;

/* The requests in a trace, in its order. */
typedef struct cnf_export_trace {
    const cnf_export_program *programs;
    uint32_t program_count;
    const cnf_export_command *commands;
    uint32_t command_count;
    const cnf_export_variable *variables;
    uint32_t variable_count;
} cnf_export_trace;

/* Reads the trace of a run. UNSUPPORTED: it is incomplete, or refers to a program that it does not
 * describe. */
RT_MUST_USE rt_status cnf_export_trace_read(rt_sink *sink, rt_arena *arena,
                                            const cnf_messages *messages,
                                            cnf_export_trace *out_trace);

/* ---- The exported program -------------------------------------------------------------------- */

/* A fused kernel. */
typedef struct cnf_export_fused {
    rt_text kernel;
    rt_fusion_result result;
} cnf_export_fused;

/* The state of the trace's program N in main.c. */
typedef struct cnf_export_written {
    bool linked;   /* the variable program_N exists and is not NULL */
    bool declared; /* images_N exist */
} cnf_export_written;

typedef struct cnf_exporter {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_export_api *api;
    const scn_scenario *scenario;
    const cnf_messages *messages;
    cnf_export_trace trace;
    uint32_t command;            /* the trace's next command */
    uint32_t device_commands;    /* number of commands so far that reach the device */
    cnf_export_written *written; /* per program of the trace */
    const cnf_export_fused *fused;
    uint32_t fused_count;
    uint32_t list_queue;      /* the step that created the queue in fusion mode; SCN_NONE: no queue
                               * is in fusion mode */
    RT_VECTOR(uint32_t) list; /* indices of the held submits */
    uint32_t arrays;          /* number of arrays declared so far */
    bool *laid_out;           /* per memory: its layout has been declared */
    rt_map globals;           /* id of a declared device_global -> number of its memory */
    uint32_t global_count;
    bool alternatives; /* the scenario allows several outcomes, so final memories may differ */
    bool prints;       /* the kernels' output is compared */
    rt_buffer declarations, body;
    RT_VECTOR(cnf_exported_file) files;
} cnf_exporter;

/* Refuses with UNSUPPORTED: `feature` cannot be expressed in an exported program. */
RT_MUST_USE rt_status cnf_export_refuse(cnf_exporter *exporter, scn_position at,
                                        const char *feature);

/* A copy of the name, in the arena, in which '_' replaces the characters that C and shells do not
 * accept. */
rt_text cnf_export_plain(rt_arena *arena, rt_text name);

/* The plain name of a memory. */
const char *cnf_export_memory(cnf_exporter *exporter, uint32_t memory);

/* The variable that holds what the step maps. */
const char *cnf_export_mapping(cnf_exporter *exporter, const scn_step *map);

/* Adds a file, unless one with that name exists. */
void cnf_export_file_add(cnf_exporter *exporter, rt_text name, rt_bytes content);

/* Appends a C string literal, with escapes for unprintable characters. */
void cnf_export_literal(rt_buffer *out, rt_text text);

/* Takes the next command of the trace, which must be of the given kind, DEVICE_REFUSED or
 * RUNTIME_REFUSED; UNSUPPORTED: it is not, so the trace does not describe the step. */
RT_MUST_USE rt_status cnf_export_command_take(cnf_exporter *exporter, const scn_step *step,
                                              cnf_export_kind kind,
                                              const cnf_export_command **out_command);

/* Writes a step that the runtime refuses without calling the device; UNSUPPORTED: the trace does
 * not describe such a refusal. */
RT_MUST_USE rt_status cnf_export_refusal_write(cnf_exporter *exporter, const scn_step *step);

/* ---- Programs (export_program.c) ----------------------------------------------------------- */

/* The image with that name, a module's or a fused one; NULL: there is none. */
const rt_image *cnf_export_image(const cnf_exporter *exporter, rt_text name);

/* Writes the creation of a program, `program_N`, unless it exists. If the step is a submit, the
 * program gets its constants and options. `refused`: the device must refuse the program;
 * `may_fail`: it may refuse it. */
RT_MUST_USE rt_status cnf_export_program_write(cnf_exporter *exporter, const scn_step *step,
                                               uint32_t program, bool refused, bool may_fail);

/* ---- Launches (export_launch.c) ------------------------------------------------------------ */

/* Writes a submit: its program and its launch, unless an open list holds it back. */
RT_MUST_USE rt_status cnf_export_submit_write(cnf_exporter *exporter, uint32_t step);

/* Writes the launch of a single submit. */
RT_MUST_USE rt_status cnf_export_single_write(cnf_exporter *exporter, const scn_step *step);

/* Writes argument number `index` of a kernel. */
void cnf_export_argument_write(cnf_exporter *exporter, uint32_t index,
                               const scn_argument *argument);

/* Writes the end of a launch's block, after its arguments; `local` all 0: the driver chooses it. */
void cnf_export_launch_end(cnf_exporter *exporter, uint32_t dimensions, const uint64_t *offset,
                           const uint64_t *global, const uint64_t *local);

/* The work-group size that a program's kernel requires in PTX, all 0 if it requires none or the
 * program is not PTX. CUDA has no call that reports it, so it is read from the text. */
RT_MUST_USE rt_status cnf_export_group_find(const cnf_exporter *exporter, uint32_t program,
                                            rt_text kernel, uint64_t *out_group);

/* ---- Lists (export_fusion.c) --------------------------------------------------------------- */

/* For an API whose images are PTX: puts the translation of each SPIR-V image, which the child with
 * these messages received, in its place; `messages` NULL: no child ran. */
void cnf_export_translate(cnf_exporter *exporter, const cnf_messages *messages);

/* Finds the fused kernels among the answers that a child received; `messages` NULL: no child
 * ran. */
void cnf_export_fused_find(cnf_exporter *exporter, const cnf_messages *messages);

/* Writes a step that begins or ends a list. */
RT_MUST_USE rt_status cnf_export_list_write(cnf_exporter *exporter, const scn_step *step);

/* ---- device_globals (export_globals.c) ----------------------------------------------------- */

/* Writes the code that sets a program's pointers to the memories of its device_globals; `may_fail`:
 * the code does so only if the program exists at run time. */
RT_MUST_USE rt_status cnf_export_globals_point(cnf_exporter *exporter, const scn_step *step,
                                               uint32_t program, bool may_fail);

/* Writes the code that makes a variable available as a memory, and returns the memory's name, for
 * example "&global_0". A variable with image scope is that of the only program that contains it or,
 * in a copy, that of the program that the trace names. */
RT_MUST_USE rt_status cnf_export_global_write(cnf_exporter *exporter, const scn_step *step,
                                              const scn_variable *variable, bool copied,
                                              const char **out_name);

/* ---- Expectations (export_expect.c) -------------------------------------------------------- */

/* Writes the checks of an expect step. */
RT_MUST_USE rt_status cnf_export_expects_write(cnf_exporter *exporter, const scn_step *step);

/* Writes the comparison of the final memories with those that the simulated device left. */
void cnf_export_finals_write(cnf_exporter *exporter);

/* ---- Values (export_values.c) -------------------------------------------------------------- */

/* Appends bytes as elements of a C array. */
void cnf_export_bytes(rt_buffer *out, rt_bytes bytes);

/* True if all elements are numbers of one type without gaps. */
bool cnf_export_layout_is_plain(const scn_layout *layout);

/* Appends `static const layout NAME = {…};`, which describes the numbers in an element. */
void cnf_export_layout(rt_buffer *out, const char *name, const scn_layout *layout);

/* Appends `static const TYPE NAME[] = {…};` with the numbers of a plain layout: integers in
 * decimal, floats as their bits, with the values in a comment at the end of the line. Any other
 * layout is written as bytes, one element per line. */
void cnf_export_values(rt_buffer *out, const char *name, const scn_layout *layout, rt_bytes values);

/* Appends a similar array with one byte per number: 1 if all its bits are defined. `defined` has
 * one bit per byte of the memory. */
void cnf_export_defined(rt_buffer *out, const char *name, const scn_layout *layout,
                        rt_bytes defined, uint64_t size);

#endif
