/* Functions shared by the two forms of a timeline: an event's position, thread and dependencies. */
#ifndef CONFORMANCE_EXPLAIN_TIMELINE_INTERNAL_H
#define CONFORMANCE_EXPLAIN_TIMELINE_INTERNAL_H

#include "conformance/explain/explain_internal.h"

/* Threads of a timeline: one for events without a queue, then queue 0, 1 and so on. */
enum { CNF_RUNTIME_THREAD = 0, CNF_FIRST_QUEUE_THREAD = 1 };

/* The position of each command in the trace, by the command's number; SCN_NONE: absent. A restart
 * clears the list.
 */
typedef RT_VECTOR(uint32_t) cnf_place_list;

/* The number in a field; `otherwise` if the field has none. */
uint64_t cnf_event_number(const rt_event *event, const char *key, uint64_t otherwise);

/* The timeline's thread for an event: the runtime's thread, or the thread of the event's queue. */
uint64_t cnf_event_thread(const rt_event *event);

/* Appends a thread's name, for example "runtime" or "queue 0". */
void cnf_thread_title(rt_buffer *out, uint64_t thread);

/* Appends the event's kind and subject, for example "launch fused_0". */
void cnf_event_title(rt_buffer *out, const rt_event *event);

/* Records that the command is at position `time` of the trace. */
void cnf_place_note(cnf_place_list *places, const rt_event *event, uint32_t time);

/* Collects the positions of the commands in the list `after` (NULL: none) in *out, which the caller
 * frees. */
void cnf_places_of_after(const cnf_place_list *places, const rt_event_field *after,
                         cnf_place_list *out);

#endif
