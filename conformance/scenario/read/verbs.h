/* The verbs whose tables are in files of their own; verbs.c has the other tables, and the table of
 * all verbs. */
#ifndef CONFORMANCE_SCENARIO_VERBS_H
#define CONFORMANCE_SCENARIO_VERBS_H

#include "conformance/scenario/check.h"
#include "conformance/scenario/schema/schema.h"

/* Each is an OBJECT that fills a scn_step. */
extern const scn_shape scn_shape_submit;
extern const scn_shape scn_shape_copy;
extern const scn_shape scn_shape_memcpy;
extern const scn_shape scn_shape_fill;
extern const scn_shape scn_shape_map;
extern const scn_shape scn_shape_map_write;
extern const scn_shape scn_shape_unmap;
extern const scn_shape scn_shape_bundle;
extern const scn_shape scn_shape_wait;

/* The rows common to all commands: `command` is the first field of all their structs. */
#define SCN_COMMAND_ROWS                                                                           \
    {"queue", &scn_shape_queue_reference, SCN_OR_NONE, SCN_FIELD(scn_step, submit.command.queue),  \
     "The queue to submit to; default: the default queue of `device`."},                           \
        {"device", &scn_shape_device_reference, SCN_OR_CHOSEN,                                     \
         SCN_FIELD(scn_step, submit.command.device),                                               \
         "The device whose default queue is used; default: the one chosen last."},                 \
    {                                                                                              \
        "after", &scn_shape_command_references, 0,                                                 \
            SCN_ITEMS(scn_step, submit.command.after, submit.command.after_count),                 \
            "Ids of earlier commands that must have ended."                                        \
    }
_Static_assert(offsetof(scn_submit, command) == 0 && offsetof(scn_transfer, command) == 0 &&
                   offsetof(scn_host_task, command) == 0 && offsetof(scn_map, command) == 0 &&
                   offsetof(scn_unmap, command) == 0,
               "one set of rows serves all commands");

/* The memory that a step maps; NULL: the step is not a map, which check.c reports, or its memory is
 * not valid. */
const scn_memory *scn_mapped_memory(const scn_reader *reader, uint32_t map);

/* A step as scenarios write it: a verb's name, or an object. */
extern const scn_shape scn_shape_step;

/* The verb of a row of scn_shape_step_object; the row must be one of the alternatives. */
scn_verb scn_verb_of_row(uint32_t row);

#endif
