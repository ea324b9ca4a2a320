/* Subjects (a subject is a runtime on a device), and running one scenario on one subject.
 *
 * A subject runs in a child process and reports what it observes as messages, one JSON object per
 * line. Each message is written immediately, so what a child sent before it died is not lost:
 *
 *   {"type": "stage", "stage": "open" | "load" | "step" | "finish", "step": 2, "line": 31}
 *       the stage that begins; step counts from 0 and, like line, is present for "step" only
 *   {"type": "device", "name": "…", "driver": "…", "executes": true,
 *       "warning": "…" (may be absent)}
 *   {"type": "capabilities", "lines": "…"}     capabilities of a probed device, for people
 *   {"type": "unavailable", "message": "…"}    the subject is not installed; last message
 *   {"type": "skip", "capability": "…", "answer": "…", "message": "…"}
 *       this scenario cannot run on this subject: the capability queried and the device's answer;
 *       last message
 *   {"type": "check", "step": 2, "id": "first", "line": 31, "kind": "memory" | "error" | "count" |
 *       "program" | "trace" | "finding" | "launch" | "step" | "layer" | "offline" | "twin", "what":
 * "data", "ok": false, "observed": true, "code": "differs", "place": "element 3", "rule":
 * "DL-RESOLVE-09" (may be absent), "message": "several lines for people (absent when ok)"} one
 * judged expectation. "observed" false: this subject does not show it, so it is neither met nor
 * missed.  "memories":
 * ["data"] names the memories that it depends on, if any; "code_file", "code_line" and
 * "code_column" are the place of a finding that is not in the scenario itself.  The steps after a
 * failed check still run and are judged.
 *   {"type": "memory", "name": "data", "data": "HEX", "defined": "HEX"}
 *       final contents of a memory, in order of declaration; "defined" (one bit per byte, lowest
 *       first) only if the device tracks it
 *   {"type": "trace", "partial": true, "events": [{"event": "link", …}, …]}
 *       "partial": only some kinds of events, or some of their fields, are observed or sent;
 *       absent for a complete trace
 *   {"type": "choices", "made": [{"rule": "DL-RESOLVE-05", "of": 2, "taken": 0}, …]}
 *       the choices made among several alternatives, in order (reference/base/choose.h)
 *   {"type": "orders", "taken": [{"choice": 3, "take": 1}, …]}
 *       the choices among ready commands that the script prescribes, as they were made
 *   {"type": "orders", "wanted": [{"choice": 5, "take": 0}, …]}
 *       choices that would exchange commands which conflict and which nothing orders
 *   {"type": "calls", "count": 31}
 *       how many calls the devices received, if one of them fails or may fail on demand
 *   {"type": "artefact", "request": "32 HEX DIGITS", "answer": "HEX"}
 *       the compile worker's answer (conformance/build/compile.h), with --record only
 *   {"type": "end"}                            the scenario ran to its end; last message
 *   {"type": "released", "ok": false, "code": "objects" | "answer", "message": "…"}
 *       only from a child that runs several scenarios, after the last message: whether everything
 *       of this one has been released, and the device still computes.  "ok" false: the device is
 *       not fit for another scenario, so the child ends
 *
 * A check of a one_of also has "branch": 1, "branches": 3: the branch that held, from 1, and the
 * number of branches.  `assay probe --compute` sends, after "device":
 *   {"type": "probe", "ok": false, "message": "…"}  whether a computation with a known answer gave
 *       it; last message */
#ifndef CONFORMANCE_SUBJECT_SUBJECT_H
#define CONFORMANCE_SUBJECT_SUBJECT_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/profile.h"
#include "reference/device/device.h"

/* A setting of a subject's device, such as "schedule=backward"; its name and value are validated
 * before anything runs. */
typedef struct cnf_setting {
    const char *name;
    const char *const *values; /* all permitted values, NULL-terminated */
} cnf_setting;

/* A value of a driver option, and what it becomes in the environment of the child. */
typedef struct cnf_driver_value {
    const char *name;
    const char *variables[2]; /* "NAME=value" */
} cnf_driver_value;

/* A driver option with a name of ours: for an environment variable of the child or, if it has
 * `values`, for those of a value. */
typedef struct cnf_driver_option {
    const char *name, *variable;
    const cnf_driver_value *values; /* all permitted ones, the last without a name; may be NULL */
} cnf_driver_option;

struct cnf_runtime_operations;

typedef struct cnf_subject {
    const char *name;    /* "sim", "pocl" */
    const char *summary; /* one line for `assay subjects` */
    const char *install; /* the single command that installs it; NULL: always available */
    bool forked;     /* runs in a forked child; otherwise the child is exec'd (vendor libraries) */
    bool reusable;   /* an exec'd child may run several scenarios on devices that stay open */
    bool takes_root; /* the braces may hold root=FOLDER, another installation */
    bool oracle;     /* the oracle, with which the other subjects are compared */
    /* Format to which sources are compiled for it, since its device cannot be queried that early:
     * SPIRV64 or PTX. */
    rt_format format;
    const struct cnf_runtime_operations
        *runtime;               /* the runtime that executes scenarios (runtime.h) */
    const dev_backend *backend; /* for the reference runtime */
    /* The subject whose driver compiles ahead of time for this one (native_images.h); NULL: images
     * in native formats stay as the build made them, for the simulated device. */
    const char *offline;
    const char *selector; /* for dev_device_open; for the shipped runtime see runtime.h */
    /* Settings permitted in braces after the name, NULL-terminated; except for `fusion` (unfused.h)
     * they are passed to dev_device_open as the selector. NULL: the braces hold environment
     * variables for the driver. */
    const cnf_setting *settings;
    const cnf_driver_option *options; /* permitted in braces in addition; ends with a NULL name; may
                                       * be NULL */
    /* Makes a NULL-terminated list of "NAME=value" environment variables for an exec'd child, in
     * the arena; may return NULL for none. `root` is the folder of an installation, for a subject
     * that takes one; empty: the one that `install` makes. A NULL pointer means none are ever
     * needed. */
    const char *const *(*environment)(rt_arena *arena, rt_text root);
    /* Reports, without opening anything, whether the subject runs kernels on this machine; NULL: it
     * always does. The verdict on a subject that only links is never PASS
     * (conformance/verdict/verdict.h). */
    bool (*executes)(void);
} cnf_subject;

/* All subjects of this build, in the order of the matrix. */
extern const cnf_subject cnf_subjects[];
extern const uint32_t cnf_subject_count;

/* Finds a subject by name; NULL if there is none. */
const cnf_subject *cnf_subject_find(rt_text name);

/* No child makes so many calls. */
#define CNF_FAIL_NONE UINT32_MAX

struct json_t;

/* Takes the messages of a subject that runs in the reader's own process, in place of a descriptor;
 * they are valid during the call. Left out is what only a comparison with another subject, or the
 * report of a crash, would need: the contents of memories, the fields of the trace's events, and
 * the stages of steps. */
typedef struct cnf_receiver {
    void (*take)(void *user, const struct json_t *message);
    void (*take_trace)(void *user, rt_text message); /* the trace is text already */
    void *user;
} cnf_receiver;

/* Options of one run that the child needs; all except `receiver` are passed through exec as
 * arguments of `assay subject`. */
typedef struct cnf_subject_options {
    uint64_t seed; /* seed of all choices */
    rt_text cache; /* folder of the artefact cache, as cnf_cache_open takes it */
    rt_profile profile;
    /* The choices that are prescribed, for example "0,1,0" or "0;3:1" (reference/base/script.h);
     * empty: none. */
    rt_text choices;
    rt_text settings; /* of the subject's device, for example "schedule=backward"; empty: none */
    /* The reference runtime's modules are real files loaded by ld.so (conformance/host/loader.h),
     * not simulated. The shipped runtime's modules are always real files. */
    bool real_loader;
    uint32_t threads; /* threads that a device in this process may use; 0: one */
    /* The number, from 1, of the call of the devices that fails (dev_device_count_calls);
     * CNF_FAIL_NONE: the calls are only counted; 0: they are not. */
    uint32_t fail_call;
    /* Folder, initially empty, in which the scenario's processes leave data for each other; the
     * process that starts the child removes it. Required if the scenario has a persistent cache. */
    rt_text scratch;
    bool record;  /* send the compile worker's answers, for assay pack */
    bool is_twin; /* of another process with the same scenario, which it meets (twin.h) */
    const cnf_receiver *receiver; /* NULL: messages are written to a descriptor */
} cnf_subject_options;

/* The capability for lack of which a subject skips a scenario that expects a finding. */
#define CNF_CAPABILITY_FAULTS "reports-faults"

/* The two values of --loader. */
#define CNF_LOADER_REAL      "real"
#define CNF_LOADER_SIMULATED "simulated"

/* Parses a value of --loader; *out_real is true for the first. False if `word` is neither. */
bool cnf_loader_find(rt_text word, bool *out_real);

/* Runs the scenario, with its images, on the subject in this process, and writes messages to the
 * descriptor, which is ignored if the options have a receiver. Returns the child's exit status: 0
 * if the last message was written, 3 otherwise. */
int cnf_subject_run(const cnf_subject *subject, const cnf_subject_options *options,
                    const scn_scenario *scenario, int messages);

/* Runs the scenarios that the runner sends over the socket (conformance/process/service.h), one
 * after another, on devices that stay open (kept.h). Returns the child's exit status, as
 * cnf_subject_run does. For a subject with the reference runtime. */
int cnf_subject_serve(const cnf_subject *subject, const cnf_subject_options *options, int socket,
                      int messages);

/* Body of the hidden `assay subject NAME [--seed N] [--cache FOLDER] [--profile NAME]
 * [--choices 0,1,…] [--settings NAME=VALUE,…] [--loader KIND] [--scratch FOLDER] [--record]
 * [--fail-call N] [--twin] [--serve]`: the pack comes on descriptor 0, messages go to descriptor 3.
 * With --serve, descriptor 0 is a socket over which packs come. */
int cnf_subject_main(int argument_count, char **arguments);

/* The arguments, with the program's name, for which cnf_subject_main runs the subject with these
 * options; NULL is the last. `flag`: "--twin", "--serve" or NULL. All are the arena's. */
const char *const *cnf_subject_arguments(rt_arena *arena, const char *name,
                                         const cnf_subject_options *options, const char *flag);

/* Body of the hidden `assay probe NAME [--compute]`: opens the device and sends one "device" or
 * "unavailable" message on descriptor 3; with --compute, then a "probe" message (probe.h). */
int cnf_subject_probe_main(int argument_count, char **arguments);

#endif
