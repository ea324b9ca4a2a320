/* From a program to scenarios: the launches of a running OpenCL program, as the OpenCL layer
 * recorded them, or as the Intercept Layer for OpenCL Applications dumped them.
 *
 * Both readers fill the same model; one writer makes scenarios of it.  Recordings are files of
 * other programs: everything in them is validated. */
#ifndef CONFORMANCE_TOOLS_CAPTURE_CAPTURE_H
#define CONFORMANCE_TOOLS_CAPTURE_CAPTURE_H

#include "conformance/build/spirv_outline.h"
#include "conformance/scenario/model/model.h"
#include "reference/base/arena.h"
#include "reference/base/status.h"

/* A source of a program, in a file. */
typedef struct cap_source {
    scn_language language;
    rt_text file; /* path that opens it, NUL-terminated */
} cap_source;

typedef struct cap_program {
    cap_source *sources;
    uint32_t source_count;
    rt_text options;        /* that scenarios accept */
    rt_text dropped;        /* other options of the program's build; empty: none */
    const rt_text *folders; /* of -I */
    uint32_t folder_count;
    rt_text loss; /* why it cannot be in a scenario; empty: it can */
} cap_program;

/* Memory that launches use.  Two arguments with the same memory have the same number. */
typedef struct cap_memory {
    uint32_t number;   /* in its recording, unique among buffers and blocks */
    bool is_block;     /* unified shared or shared virtual memory */
    const char *usm;   /* "device", "host" or "shared"; NULL: a buffer */
    uint64_t size;     /* bytes */
    rt_text before;    /* path of the contents when the launch began, NUL-terminated */
    rt_text after;     /* when it had ended; empty: unknown */
    bool is_undefined; /* nothing had written it before the launch */
    bool is_changed;   /* by the launch */
} cap_memory;

typedef enum cap_argument_kind {
    CAP_VALUE,
    CAP_LOCAL,
    CAP_MEMORY,
    CAP_NULL,
} cap_argument_kind;

/* An address within a value. */
typedef struct cap_word {
    uint64_t at;     /* its offset in the value */
    uint32_t memory; /* index of the launch's memory that it points into */
    uint64_t offset; /* in bytes */
} cap_word;

typedef struct cap_argument {
    cap_argument_kind kind;
    rt_bytes value;
    const cap_word *words;
    uint32_t word_count;
    uint64_t size;   /* of local memory */
    uint32_t memory; /* index into the launch's memories */
    uint64_t offset; /* of a pointer into it, in bytes */
} cap_argument;

/* What a command of a recording does. */
typedef enum cap_kind {
    CAP_LAUNCH,
    CAP_COPY,  /* from a memory to another */
    CAP_FILL,  /* with a pattern */
    CAP_STORE, /* from the host */
} cap_kind;

/* A place in a memory. */
typedef struct cap_place {
    uint32_t number; /* of the memory, as in cap_memory */
    bool is_block;
    uint64_t offset; /* in bytes */
} cap_place;

/* A command that is not a launch. */
typedef struct cap_transfer {
    cap_place to, from; /* from: of CAP_COPY */
    uint64_t size;      /* bytes */
    rt_bytes pattern;   /* of CAP_FILL */
    rt_text data;       /* of CAP_STORE: path of the contents, NUL-terminated */
} cap_transfer;

/* A queue as the recording numbers it. */
typedef struct cap_queue {
    uint32_t number;
    bool is_in_order;
} cap_queue;

/* A launch, or another command; of the latter, only the members that say so have a meaning. */
typedef struct cap_command {
    cap_kind kind;         /* of all commands */
    cap_transfer transfer; /* of commands that are not launches */
    uint64_t number;       /* among all launches of its process, from 0 */
    uint32_t process;      /* from 0; of all commands */
    rt_text kernel;
    const cap_program *program;
    uint32_t dimensions; /* 1 to 3 */
    uint64_t range[3], local[3], offset[3];
    bool has_local, has_offset;
    const cap_argument *arguments;
    uint32_t argument_count;
    cap_memory *memories;
    uint32_t memory_count;
    cap_queue queue;       /* of all commands */
    const uint32_t *after; /* indices, in the recording, of commands that must have ended; of all */
    uint32_t after_count;
    bool has_ended; /* false: the program ended, or crashed, during the launch */
    rt_text device; /* "NAME, driver VERSION"; empty: unknown */
    rt_text loss;   /* why it cannot be a scenario; empty: it can */
} cap_command;

typedef struct cap_recording {
    /* The launches that were chosen for capture, and the commands between them. */
    const cap_command *commands;
    uint32_t command_count;
    uint64_t captured;  /* launches among them */
    uint64_t seen;      /* launches of the program in all, captured or not */
    uint32_t processes; /* that loaded an OpenCL loader */
    bool is_full;       /* the log's limit was reached: later launches are missing */
    rt_text program;    /* its name; empty: unknown */
    bool is_dump;       /* of the Intercept Layer */
} cap_recording;

/* Reads the layer's log, whose contents files are in `folder` (without a final '/').  Everything is
 * copied into the arena.  MALFORMED: as ocl_call_log_read. */
RT_MUST_USE rt_status cap_recording_read(rt_sink *sink, rt_arena *arena, rt_text log,
                                         rt_text folder, cap_recording *out_recording);

/* Reads the launches that the Intercept Layer dumped (its control CaptureReplay): `folder` is that
 * of one launch, or holds such folders, at most three levels below it.  IO: it cannot be read, or
 * holds none; MALFORMED: a file of a dump does not follow its format, or has the number and kernel
 * of another, and the message names it. Source: github.com/intel/opencl-intercept-layer,
 * docs/capture_single_kernels.md. */
RT_MUST_USE rt_status cap_intercept_read(rt_sink *sink, rt_arena *arena, rt_text folder,
                                         cap_recording *out_recording);

/* Splits the options of a build into those that scenarios accept, folders of -I, and the rest. */
void cap_options_split(rt_arena *arena, rt_text options, cap_program *out_program);

/* How scenarios are written. */
typedef struct cap_style {
    rt_text folder;        /* of the scenarios, without a final '/' */
    uint64_t ulp;          /* tolerance of floating-point results; 0: exact */
    bool leaves_undefined; /* of single launches: memory that nothing had written has no values */
    /* The kernels of a program, for the types of parameters; NULL: they are unknown. */
    const cnf_spirv_outline *(*outline)(void *user, const cap_program *program);
    void *user;
} cap_style;

/* Writes a scenario of `count` commands, one after the other in the recording, of one process, of
 * which the first and the last are launches:
 * FOLDER/NAME.yaml, and the files that it needs below FOLDER/code and FOLDER/data, each named by
 * its contents.  *out_name is the scenario's path, in the arena.  UNSUPPORTED: the launches cannot
 * be a scenario, and the message says why; *out_failed is the index in the recording of the launch
 * that the message is about, and the commands before it may be one.  IO: a file cannot be read or
 * written. */
RT_MUST_USE rt_status cap_scenario_write(rt_sink *sink, rt_arena *arena,
                                         const cap_recording *recording, uint32_t first,
                                         uint32_t count, const cap_style *style, rt_text *out_name,
                                         uint32_t *out_failed);

#endif
