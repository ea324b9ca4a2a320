/* Values that nothing was written to: found where they decide something, and only there.  Kernels of
 * undefined.cl at three levels on every engine, and the cases that no compiler makes in assembly. */
#include "sim/test/harness.h"

#include <string.h>

#define ITEMS 16

/* What the kernel's arguments are: O the output, whose elements are defined as `known` says; D, U
 * buffers of 16 integers, wholly defined and undefined; H one whose first four are defined; R 64
 * bytes an item, undefined; L local memory of 64 bytes; 0 to 9 an integer. */
typedef struct row {
    const char *kernel, *arguments;
    const char *words; /* of the one finding; NULL: none */
    uint64_t count;    /* work-item instructions that it concerns; 0: whatever the compiler made */
    const char *object;
    uint8_t levels; /* bits: where the compiler leaves the use in; 0: all */
} row;

#define NOT_O0 6
#define ONLY_O0 1

static const row rows[] = {
    {"bad_branch", "D2", "branch on a value that was never written", 16, "tmp", 0},
    {"good_branch", "D2", NULL, 0, NULL, 0},
    {"bad_lanes", "D4", "branch on a value", 0, "tmp", 0},
    {"good_lanes", "D4", NULL, 0, NULL, 0},
    {"bad_again", "DI", "branch on a value", 0, "tmp", NOT_O0},
    {"bad_frame", "D1", "branch on a value", 0, "kept", 0},
    {"good_frame", "D1", NULL, 0, NULL, 0},
    {"bad_address", "DU", "store to an address made of a value that was never written", 16, "U", 0},
    {"good_address", "DU", NULL, 0, NULL, 0},
    {"bad_load_address", "DU", "load from an address made of", 16, "U", 0},
    {"bad_divisor", "DU", "division by a value that was never written", 16, "U", 0},
    {"good_dividend", "DU", NULL, 0, NULL, 0},
    {"bad_switch", "DU", "switch on a value", 16, "U", 0},
    {"bad_compare", "DU", "atomic comparison with a value", 16, "U", 0},
    {"good_exchange", "DD", NULL, 0, NULL, 0},
    {"bad_component", "DUV", "component chosen by a value", 16, "U", 0},
    {"good_copy", "DU", NULL, 0, NULL, 0},
    {"good_select", "DU", NULL, 0, NULL, NOT_O0},
    {"good_fields", "DR", NULL, 0, NULL, 0},
    {"bad_fields", "DR", "branch on a value", 16, "R", 0},
    {"good_bits", "DR", NULL, 0, NULL, 0},
    {"good_record", "DR", NULL, 0, NULL, 0},
    {"bad_record", "DR", "branch on a value", 16, "", 0},
    {"good_arrays", "D8", NULL, 0, NULL, 0},
    {"good_first", "DD8", NULL, 0, NULL, 0},
    {"bad_local", "D", "branch on a value", 8, "bad_local.tile", 0},
    {"good_local", "DL", NULL, 0, NULL, 0},
    {"bad_reduce", "DH", "branch on an undefined value", 16, "", 0},
    {"good_reduce", "DU", NULL, 0, NULL, 0},
    {"bad_vote", "DH", "branch on", 16, NULL, 0},
    {"good_broadcast", "DH", NULL, 0, NULL, 0},
    {"good_async", "DUL", NULL, 0, NULL, 0},
    {"bad_async", "DUL", "branch on a value", 16, "local argument 2", 0},
};

/* The buffer or value that a letter stands for. */
static sim_argument argument_of(harness *h, char letter, int32_t *number)
{
    int32_t numbers[ITEMS], four[4 * ITEMS];
    for (int32_t i = 0; i < ITEMS; i++)
        numbers[i] = i & 3;
    for (int32_t i = 0; i < 4 * ITEMS; i++)
        four[i] = i;
    char label[2] = {letter, 0};
    sim_object object = 0;
    switch (letter) {
    case 'L': return harness_local(64);
    case 'D':
    case 'I': return harness_global(harness_memory(h, label, numbers, sizeof numbers));
    case 'V': return harness_global(harness_memory(h, label, four, sizeof four));
    case 'U': return harness_global(harness_memory(h, label, NULL, sizeof numbers));
    case 'R': return harness_global(harness_memory(h, label, NULL, 64 * ITEMS));
    case 'H':
        object = harness_memory(h, label, NULL, sizeof numbers);
        sim_object_write(h->world, object, 0, 16, numbers);
        return harness_global(object);
    default: *number = letter - '0'; return harness_value(number, sizeof *number);
    }
}

static void check_row(const row *r, uint32_t level, uint32_t engine)
{
    harness h = harness_open_file("undefined", level, engine);
    sim_argument arguments[4];
    int32_t numbers[4] = {0};
    uint32_t count = (uint32_t)strlen(r->arguments);
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = argument_of(&h, r->arguments[i], &numbers[i]);
    harness_try(&h, r->kernel, harness_range(ITEMS, ITEMS), arguments, count);
    assert_true(rt_ok(h.status));
    uint32_t found = 0;
    for (uint32_t i = 0; i < h.finding_count; i++) {
        const sim_finding *finding = &h.findings[i];
        if (!r->words) fail_msg("%s -O%u: %s", r->kernel, level, finding->message.data);
        if (strcmp(finding->kind, "uninitialised") || !strstr(finding->message.data, r->words)) {
            continue;
        }
        found++;
        if (r->count && finding->count != r->count) {
            fail_msg("%s -O%u: %s: concerns %u", r->kernel, level, finding->message.data,
                     (unsigned)finding->count);
        }
        if (r->object && !rt_text_is(finding->object, r->object)) {
            fail_msg("%s -O%u: object '%s'", r->kernel, level, finding->object.data);
        }
    }
    if (r->words && found == 0) {
        fail_msg("%s -O%u: nothing says '%s' (%u findings: %s)", r->kernel, level, r->words,
                 h.finding_count, h.finding_count ? h.findings[0].message.data : "");
    }
    harness_close(&h);
}

static void test_kernels(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            if (rows[i].levels && !(rows[i].levels >> level & 1)) continue;
            check_row(&rows[i], level, engine);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
