/* Scenarios of two modules for unit tests of subjects: read from YAML, not compiled. */
#ifndef CONFORMANCE_SUBJECT_TEST_SCENARIO_FIXTURE_H
#define CONFORMANCE_SUBJECT_TEST_SCENARIO_FIXTURE_H

#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/messages.h"

/* What the scenarios of a test program have in common. */
typedef struct scenario_fixture {
    const char *head;        /* their text up to "steps:" and its end of line */
    rt_image_list images[2]; /* of their modules */
    rt_text library;         /* file name of the second module; empty: its own */
} scenario_fixture;

/* Reads the scenario with those steps; a problem fails the test.  In the arena. */
scn_scenario *scenario_fixture_read(rt_arena *arena, const scenario_fixture *of, const char *steps);

/* Reads what a subject has sent, to its end, and closes the descriptor.  In the arena. */
void scenario_fixture_messages(rt_arena *arena, int descriptor, cnf_messages *out_messages);

#endif
