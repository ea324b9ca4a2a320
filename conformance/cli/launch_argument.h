/* The grammar of `--arg`: one kernel argument, with the words of the scenario format.
 *
 *     NAME=TYPE[COUNT]          a buffer; its contents are undefined
 *     NAME=TYPE[COUNT]:VALUES   a buffer with values: iota, iota=START,step=STEP, fill=VALUE,
 *                               random, random=SEED, bytes=HEX, file=PATH, or a list: 1,2,3 or
 *                               [1,2],[3,4]; with a list or a file, COUNT may be left out: TYPE[]
 *     NAME=KIND TYPE[COUNT]     KIND: read or write (what the kernel does with the buffer), device,
 *                               host or shared (unified shared memory), local (local memory)
 *     NAME=TYPE:VALUE           a scalar, or a vector: float4:[1,2,3,4]
 *     NAME=bytes:HEX            a struct by value
 *     NAME=null                 the null pointer */
#ifndef CONFORMANCE_CLI_LAUNCH_ARGUMENT_H
#define CONFORMANCE_CLI_LAUNCH_ARGUMENT_H

#include "reference/base/arena.h"
#include "reference/base/text.h"

/* An argument as the YAML of a scenario. */
typedef struct cnf_launch_argument {
    rt_text name;
    rt_text memory;   /* the entry of `memory`, without its name: "{type: float, count: 4}"; empty:
                       * it has none */
    rt_text argument; /* the item of `args`: "in", "{int: 7}", "{local: 256}" */
    rt_text file;     /* the file of its values, as written; empty: none. `memory` then contains
                       * CNF_LAUNCH_FILE in its place */
} cnf_launch_argument;

#define CNF_LAUNCH_FILE "@FILE@"

/* A mistake in an argument. */
typedef struct cnf_launch_mistake {
    uint32_t column; /* of the text, from 1 */
    rt_text text;    /* in the arena */
} cnf_launch_mistake;

/* Reads an argument into the arena. Whether numbers fit their types is left to the scenario's
 * reader. False: *out_mistake says what was expected. */
bool cnf_launch_argument_read(rt_arena *arena, rt_text text, cnf_launch_argument *out_argument,
                              cnf_launch_mistake *out_mistake);

#endif
