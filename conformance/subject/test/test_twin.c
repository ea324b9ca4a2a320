/* Tests of what the first process reports of the second: from the messages that it left. */
#include "conformance/subject/twin.h"

#include "reference/base/descriptors.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* Appends what is emitted of a twin that left these messages. */
static void finish(cnf_twin twin, const char *messages, bool runs, rt_buffer *out)
{
    cnf_emitter emitter = {.descriptor = memfd_create("emitted", 0)};
    twin.channel = -1;
    twin.messages = memfd_create("messages", 0);
    assert_int_equal(write(twin.messages, messages, strlen(messages)), strlen(messages));
    cnf_twin_finish(&twin, &emitter, runs);
    assert_int_equal(lseek(emitter.descriptor, 0, SEEK_SET), 0);
    assert_true(rt_read_all(emitter.descriptor, out));
    close(emitter.descriptor);
    assert_int_equal(twin.messages, -1);
}

static void the_second_process_is_judged(void **state)
{
    (void)state;
    static const struct {
        const char *messages;
        int error;
        const char *parts[2];
    } rows[] = {
        {"{\"type\": \"check\", \"ok\": true, \"observed\": true}\n{\"type\": \"end\"}\n",
         0,
         {"\"kind\":\"twin\"", "\"ok\":true"}},
        {"{\"type\": \"check\", \"ok\": false, \"observed\": false}\n{\"type\": \"end\"}\n",
         0,
         {"\"kind\":\"twin\"", "\"ok\":true"}},
        {"{\"type\": \"check\", \"ok\": false, \"observed\": true, \"line\": 7, \"message\": "
         "\"data differs\"}\n{\"type\": \"end\"}\n",
         0,
         {"\"ok\":false", "missed an expectation: line 7: data differs"}},
        {"{\"type\": \"stage\"}\nnot json\n", 0, {"\"ok\":false", "the second process"}},
        {"{\"type\": \"stage\"}\n{\"type\": \"unavailable\", \"message\": \"no driver\"}\n",
         0,
         {"\"code\":\"unavailable\"", "cannot open its device: no driver"}},
        {"{\"type\": \"end\"}\n", EAGAIN, {"\"not-started\"", "cannot be started"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer emitted = {0};
        finish((cnf_twin){.error = rows[i].error}, rows[i].messages, true, &emitted);
        for (size_t k = 0; k < 2; k++)
            assert_non_null(strstr(rt_buffer_string(&emitted), rows[i].parts[k]));
        rt_buffer_free(&emitted);
    }
}

static void a_twin_of_a_scenario_that_does_not_run_is_not_judged(void **state)
{
    (void)state;
    rt_buffer emitted = {0};
    finish((cnf_twin){0}, "", false, &emitted);
    assert_int_equal(emitted.size, 0);
    rt_buffer_free(&emitted);
}

static void a_meeting_needs_both_or_ends(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(send(ends[1], "", 1, 0), 1); /* the other one is here already */
    cnf_twin_meet(ends[0]);
    close(ends[1]);
    cnf_twin_meet(ends[0]); /* the other one has ended */
    close(ends[0]);
    cnf_twin_meet(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_process_is_judged),
        cmocka_unit_test(a_twin_of_a_scenario_that_does_not_run_is_not_judged),
        cmocka_unit_test(a_meeting_needs_both_or_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
