/* What the files of this folder share; nobody else includes it.
 *
 * The trace of sim's run says what the device was asked for (export_trace.c), the steps say with
 * what; both are walked together, and each step appends its calls to the body of main. */
#ifndef CONFORMANCE_EXPORT_EXPORT_INTERNAL_H
#define CONFORMANCE_EXPORT_EXPORT_INTERNAL_H

#include "conformance/export/export.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/image/fusion_request.h"

/* ---- What the device was asked for (export_trace.c) ---------------------------------------- */

/* A program that the runtime had made, or would have. */
typedef struct cnf_export_program {
    const rt_text *images; /* names, in the order in which they are linked */
    uint32_t image_count;
} cnf_export_program;

typedef enum cnf_export_kind {
    CNF_EXPORT_LAUNCH,   /* of a submit, or of a list that was fused */
    CNF_EXPORT_REFUSED,  /* the device did not make the program, and the step was refused for it */
    CNF_EXPORT_UNASKED,  /* the runtime refused a step, and asked no device */
    CNF_EXPORT_BUNDLE,   /* a kernel bundle was made, and so many programs with it */
    CNF_EXPORT_VARIABLE, /* a device_global with image scope was read or written in a program */
} cnf_export_kind;

typedef struct cnf_export_command {
    cnf_export_kind kind;
    uint32_t program; /* its index; of a BUNDLE the first of `program_count` */
    uint32_t program_count;
    rt_text kernel; /* LAUNCH: the symbol */
    bool fused;     /* LAUNCH: the kernel was made of a list; the range is this one */
    rt_fusion_range range;
} cnf_export_command;

/* A device_global that a program has. */
typedef struct cnf_export_variable {
    uint32_t program; /* its index */
    rt_text unique_id;
    bool image_scope;
} cnf_export_variable;

/* In the order of the trace. */
typedef struct cnf_export_trace {
    const cnf_export_program *programs;
    uint32_t program_count;
    const cnf_export_command *commands;
    uint32_t command_count;
    const cnf_export_variable *variables;
    uint32_t variable_count;
} cnf_export_trace;

/* Reads the trace of a run.  UNSUPPORTED: it is not whole, or has a program that it does not tell
 * of. */
RT_MUST_USE rt_status cnf_export_trace_read(rt_sink *sink, rt_arena *arena,
                                            const cnf_messages *messages,
                                            cnf_export_trace *out_trace);

/* ---- The program that is made -------------------------------------------------------------- */

/* A kernel that was made of a list. */
typedef struct cnf_export_fused {
    rt_text kernel;
    rt_fusion_result result;
} cnf_export_fused;

/* A program of the trace in main.c. */
typedef struct cnf_export_written {
    bool linked;   /* there is a variable program_N, N its index here, that is not NULL */
    bool declared; /* there are images_N */
} cnf_export_written;

typedef struct cnf_exporter {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_export_api *api;
    const scn_scenario *scenario;
    const cnf_messages *messages;
    cnf_export_trace trace;
    uint32_t command;            /* of the trace, the next one */
    uint32_t asked;              /* commands so far that a device sees something of */
    cnf_export_written *written; /* one for each program of the trace */
    const cnf_export_fused *fused;
    uint32_t fused_count;
    uint32_t list_queue;      /* the step that makes the queue in fusion mode; SCN_NONE: none is */
    RT_VECTOR(uint32_t) list; /* indices of the submits that it holds */
    uint32_t arrays;          /* declared so far */
    bool *laid_out;           /* of each memory, whether its layout is declared */
    rt_map globals; /* number of the content of each device_global that is declared, by id */
    uint32_t global_count;
    bool alternatives; /* the scenario allows several outcomes, so that final memories may differ */
    bool prints;       /* what kernels print is compared */
    rt_buffer declarations, body;
    RT_VECTOR(cnf_exported_file) files;
} cnf_exporter;

/* UNSUPPORTED: `what` has no form in an exported program. */
RT_MUST_USE rt_status cnf_export_refuse(cnf_exporter *made, scn_position at, const char *what);

/* The name with what C and shells do not take replaced, in the arena. */
rt_text cnf_export_plain(rt_arena *arena, rt_text name);

/* The plain name of a memory. */
const char *cnf_export_memory(cnf_exporter *made, uint32_t memory);

/* Adds a file, unless there is one of that name. */
void cnf_export_file_add(cnf_exporter *made, rt_text name, rt_bytes content);

/* Appends a string literal of C, with escapes for what is not printable. */
void cnf_export_literal(rt_buffer *out, rt_text text);

/* Takes the next command of the trace, which must be of that kind, REFUSED or UNASKED; UNSUPPORTED:
 * it is not, so that the trace does not tell of the step. */
RT_MUST_USE rt_status cnf_export_command_take(cnf_exporter *made, const scn_step *step,
                                              cnf_export_kind kind,
                                              const cnf_export_command **out_command);

/* Takes the refusal that a step expects, of which the device sees nothing; UNSUPPORTED: it sees. */
RT_MUST_USE rt_status cnf_export_unasked_write(cnf_exporter *made, const scn_step *step);

/* ---- Programs (export_program.c) ----------------------------------------------------------- */

/* The image of that name, of a module or made of a list; NULL: there is none. */
const rt_image *cnf_export_image(const cnf_exporter *made, rt_text name);

/* Writes the making of a program, `program_N`, unless it has been made.  The step's constants and
 * options are those of the program where it is a submit.  `refused`: the device must refuse it;
 * `may_fail`: it may, and nothing is demanded. */
RT_MUST_USE rt_status cnf_export_program_write(cnf_exporter *made, const scn_step *step,
                                               uint32_t program, bool refused, bool may_fail);

/* ---- Launches (export_launch.c) ------------------------------------------------------------ */

/* Writes a submit: its program and its launch, or that it is held by a list. */
RT_MUST_USE rt_status cnf_export_submit_write(cnf_exporter *made, uint32_t step);

/* Writes the launch of a submit by itself. */
RT_MUST_USE rt_status cnf_export_single_write(cnf_exporter *made, const scn_step *step);

/* Writes one argument of a kernel, which is its parameter number `index`. */
void cnf_export_argument_write(cnf_exporter *made, uint32_t index, const scn_argument *argument);

/* Writes the end of a launch's block, whose kernel has its arguments; local all 0: left open. */
void cnf_export_launch_end(cnf_exporter *made, uint32_t dimensions, const uint64_t *offset,
                           const uint64_t *global, const uint64_t *local);

/* The size of groups that a program's kernel requires in PTX, all 0 where it requires none or the
 * program is no PTX.  No call of CUDA's tells it, so that the text is asked. */
RT_MUST_USE rt_status cnf_export_group_find(const cnf_exporter *made, uint32_t program,
                                            rt_text kernel, uint64_t *out_group);

/* ---- Lists (export_fusion.c) --------------------------------------------------------------- */

/* Finds the kernels that were made of lists among what a child was answered; NULL: none ran. */
void cnf_export_fused_find(cnf_exporter *made, const cnf_messages *messages);

/* Writes a step that begins or ends a list. */
RT_MUST_USE rt_status cnf_export_list_write(cnf_exporter *made, const scn_step *step);

/* ---- device_globals (export_globals.c) ----------------------------------------------------- */

/* Writes what makes the pointers in a program point to those contents; `may_fail`: where there is
 * such a program. */
RT_MUST_USE rt_status cnf_export_globals_point(cnf_exporter *made, const scn_step *step,
                                               uint32_t program, bool may_fail);

/* Writes what gives a variable a name as a memory, and returns that name, "&global_0"; where it has
 * image scope, that of the one program that contains it.  A copy takes that program from the
 * trace. */
RT_MUST_USE rt_status cnf_export_global_write(cnf_exporter *made, const scn_step *step,
                                              const scn_variable *variable, bool copied,
                                              const char **out_name);

/* ---- Expectations (export_expect.c) -------------------------------------------------------- */

/* Writes the judgement of a step that expects. */
RT_MUST_USE rt_status cnf_export_expects_write(cnf_exporter *made, const scn_step *step);

/* What the memories hold in the end is compared with what the simulated device left. */
void cnf_export_finals_write(cnf_exporter *made);

/* ---- Values (export_values.c) -------------------------------------------------------------- */

/* Appends bytes as C writes them in an array. */
void cnf_export_bytes(rt_buffer *out, rt_bytes bytes);

/* Reports whether all elements are numbers of one type without gaps. */
bool cnf_export_layout_is_plain(const scn_layout *layout);

/* Appends `static const layout NAME = {…};`, which says where an element has its numbers. */
void cnf_export_layout(rt_buffer *out, const char *name, const scn_layout *layout);

/* Appends `static const TYPE NAME[] = {…};` with the numbers of a plain layout: integers in
 * decimal, floating ones as their bits, with their values in a comment at the line's end.  Of any
 * other layout they are the bytes, an element a line. */
void cnf_export_values(rt_buffer *out, const char *name, const scn_layout *layout, rt_bytes values);

/* Appends such an array of one byte for each number: 1 where all its bits are defined.  `defined`
 * has one bit a byte of the memory. */
void cnf_export_defined(rt_buffer *out, const char *name, const scn_layout *layout,
                        rt_bytes defined, uint64_t size);

#endif
