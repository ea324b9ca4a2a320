/* Prints the final contents of memories, and writes them as arrays of NumPy: --dump, --dump-npy. */
#ifndef CONFORMANCE_CLI_DUMP_H
#define CONFORMANCE_CLI_DUMP_H

#include "conformance/cli/launch.h"
#include "conformance/verdict/messages.h"

typedef enum cnf_dump_format {
    CNF_DUMP_DECIMAL,
    CNF_DUMP_HEX, /* the bits of each number */
    CNF_DUMP_BYTES,
    CNF_DUMP_FORMATS
} cnf_dump_format;

/* A memory named by --dump. */
typedef struct cnf_dump {
    rt_text name;
    cnf_dump_format format;
} cnf_dump;

typedef struct cnf_dumps {
    const cnf_dump *items;
    uint32_t count;
    bool
        prints_written; /* without --dump: the beginning of every memory that the run has changed */
    const char *folder; /* of --dump-npy; NULL: none */
} cnf_dumps;

/* Reads --dump NAME[:FORMAT] and --dump-npy DIR; `prints_written` applies if --dump is absent.
 * Returns false after reporting an unknown format, or a folder that cannot be created, on stderr.
 */
bool cnf_dumps_read(const cnf_arguments *arguments, rt_arena *arena, bool prints_written,
                    cnf_dumps *out_dumps);

/* True if each name of --dump is that of an argument in memory; otherwise one that is not is
 * reported on stderr. */
bool cnf_dumps_check(const cnf_dumps *dumps, const cnf_launch *launch);

/* Appends the chosen memories of a run, with the subject's name, and writes the arrays:
 * DIR/SUBJECT/NAME.npy, or, if `launch` is not empty, DIR/SUBJECT/LAUNCH/NAME.npy. Returns an exit
 * status: USAGE if a memory is unknown, INFRASTRUCTURE if a file cannot be written; both are
 * reported on stderr. */
int cnf_dumps_write(rt_buffer *out, const cnf_dumps *dumps, rt_text subject, rt_text launch,
                    const scn_scenario *scenario, const cnf_messages *messages);

/* True if the run has changed a memory: it differs from its initial contents. */
bool cnf_memory_is_written(const scn_memory *memory, const cnf_final_memory *final);

/* True if all bytes of the memory's fields are defined. */
bool cnf_memory_is_defined(const scn_memory *memory, const cnf_final_memory *final);

/* The scenario's memory with that name; NULL: none. */
const scn_memory *cnf_memory_find(const scn_scenario *scenario, rt_text name);

#endif
