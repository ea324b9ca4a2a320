/* Scenarios with two modules for unit tests of subjects, read from YAML but not compiled. */
#ifndef CONFORMANCE_SUBJECT_TEST_SCENARIO_FIXTURE_H
#define CONFORMANCE_SUBJECT_TEST_SCENARIO_FIXTURE_H

#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/messages.h"

/* The parts that all scenarios of a test program have in common. */
typedef struct scenario_fixture {
    const char *head;        /* their text up to and including the line "steps:" */
    rt_image_list images[2]; /* one list per module */
    rt_text library;         /* file name of the second module; empty: the default name */
} scenario_fixture;

/* Reads the scenario with the given steps into the arena; any problem fails the test. */
scn_scenario *scenario_fixture_read(rt_arena *arena, const scenario_fixture *fixture,
                                    const char *steps);

/* Reads all of a subject's messages into the arena and closes the descriptor. */
void scenario_fixture_messages(rt_arena *arena, int descriptor, cnf_messages *out_messages);

#endif
