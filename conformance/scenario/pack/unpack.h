/* What the two readers of packs (pack_read.c, pack_read_steps.c) share: the state of reading one,
 * and its smallest parts.  After a fault every read gives zero or nothing, so that a reader may go
 * on to its end; what depends on earlier parts asks reader.failed first. */
#ifndef CONFORMANCE_SCENARIO_UNPACK_H
#define CONFORMANCE_SCENARIO_UNPACK_H

#include "conformance/scenario/pack/pack.h"

/* Bytes that a text, and an item of the table of steps, take at least. */
enum { SCN_PACKED_TEXT_MIN = 8, SCN_PACKED_STEP_MIN = 4 + 8 + SCN_PACKED_TEXT_MIN + 2 + 4 + 1 + 4 };

typedef struct scn_unpacker {
    rt_sink *sink;
    rt_arena *arena;
    rt_reader reader;
    rt_status status;       /* of the images, which say more than a position */
    scn_scenario *scenario; /* being filled */
    uint32_t index;         /* of the step that is being read */
    uint32_t step_thread;   /* its scn_step.thread */
    uint32_t process;       /* first step behind the last restart that was read; 0 without one */
    /* While the lists of a parallel are read: */
    uint32_t parallel;    /* its step */
    uint32_t nested_left; /* its steps that are not read yet */
    uint32_t thread;      /* of the step read last */
} scn_unpacker;

/* Marks the pack as faulty unless the condition holds. */
void scn_unpack_check(scn_unpacker *unpack, bool condition);

/* Reads a count and allocates that many zeroed items in the arena; item_packed_min is what each
 * takes at least in the pack, so that a damaged count allocates little. */
void *scn_unpack_table(scn_unpacker *unpack, size_t item_size, size_t item_packed_min,
                       uint32_t *out_count);

/* Each reads what the function of its name in pack_write.c wrote.  A size is at most `most`, a name
 * is not empty, indices are below `limit`, and distinct ones are each there once. */
bool scn_unpack_flag(scn_unpacker *unpack);
rt_text scn_unpack_name(scn_unpacker *unpack);
uint64_t scn_unpack_size(scn_unpacker *unpack, uint64_t most);
scn_position scn_unpack_position(scn_unpacker *unpack);
const rt_text *scn_unpack_texts(scn_unpacker *unpack, uint32_t *out_count);
const uint32_t *scn_unpack_indices(scn_unpacker *unpack, uint32_t limit, uint32_t *out_count);
const uint32_t *scn_unpack_distinct(scn_unpacker *unpack, uint32_t limit, uint32_t *out_count);

/* Reads a layout, whose fields are placed anew.  Its size is 0 after a fault. */
scn_layout scn_unpack_layout(scn_unpacker *unpack);

/* Reads an expected error; `among_several`: it may be that the step succeeds. */
const scn_error *scn_unpack_error(scn_unpacker *unpack, bool among_several);

/* Reads step `index` of the scenario; all before it are read, as are modules, devices and memories.
 */
scn_step scn_unpack_step(scn_unpacker *unpack, uint32_t index);

#endif
