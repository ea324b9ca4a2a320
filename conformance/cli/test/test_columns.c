/* Tests --on: the subjects and options that it names, and the refusal of wrong values. */
#include "conformance/cli/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const schedules[] = {"forward", "backward", NULL};
static const cnf_setting settings[] = {{"schedule", schedules}, {NULL, NULL}};
static const cnf_driver_value products[] = {{"small", {"PRODUCT=small", "SIZE=1x2"}},
                                            {"large", {"PRODUCT=large", "SIZE=4x8"}},
                                            {NULL, {NULL, NULL}}};
static const cnf_driver_option driver_options[] = {
    {"device", "DEVICE_VARIABLE", NULL}, {"product", NULL, products}, {NULL, NULL, NULL}};
const cnf_subject cnf_subjects[] = {
    {.name = "sim", .forked = true, .oracle = true, .settings = settings},
    {.name = "intel-cpu", .install = "somehow", .options = driver_options, .takes_root = true},
};
const uint32_t cnf_subject_count = 2;

const cnf_subject *cnf_subject_find(rt_text name)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        if (rt_text_is(name, cnf_subjects[i].name)) return &cnf_subjects[i];
    return NULL;
}

static void subjects_are_chosen_or_refused(void **state)
{
    (void)state;
    static const struct choose_row {
        const char *on, *columns, *options, *error; /* error NULL: `on` is valid */
    } rows[] = {
        {NULL, "sim intel-cpu ", "", NULL},
        {"sim", "sim ", "", NULL},
        {"intel-cpu,sim,sim", "intel-cpu sim ", "", NULL},
        {"intel-cpu{A=1,B_2=x=y},sim", "intel-cpu{A=1,B_2=x=y} sim ",
         "A=1 B_2=x=y ASSAY_DRIVER_OPTIONS=A,B_2 ", NULL},
        {"intel-cpu,intel-cpu{A=}", "intel-cpu intel-cpu{A=} ", "A= ASSAY_DRIVER_OPTIONS=A ", NULL},
        {"intel-cpu{device=level_zero:gpu,devices=1}",
         "intel-cpu{device=level_zero:gpu,devices=1} ",
         "DEVICE_VARIABLE=level_zero:gpu devices=1 ASSAY_DRIVER_OPTIONS=DEVICE_VARIABLE,devices ",
         NULL},
        {"intel-cpu{product=large,A=1}", "intel-cpu{product=large,A=1} ",
         "PRODUCT=large SIZE=4x8 A=1 ASSAY_DRIVER_OPTIONS=PRODUCT,SIZE,A ", NULL},
        {"intel-cpu{product=lage}", "", "",
         "intel-cpu{product=lage}: unknown product 'lage'; did you mean 'large'?"},
        {"intel-cpu{root=/usr/../usr}", "intel-cpu{root=/usr/../usr} ", "root /usr ", NULL},
        {"intel-cpu{A=1,root=/usr,B=2}", "intel-cpu{A=1,root=/usr,B=2} ",
         "A=1 B=2 ASSAY_DRIVER_OPTIONS=A,B root /usr ", NULL},
        {"intel-cpu{root=/nowhere}", "", "",
         "intel-cpu{root=/nowhere}: the folder '/nowhere' does not exist"},
        {"sim{root=/usr}", "", "",
         "sim{root=/usr}: unknown setting 'root'; expected one of: schedule"},
        {"", "", "", "a subject's name is missing (assay subjects lists them)"},
        {",", "", "", "a subject's name is missing (assay subjects lists them)"},
        {"sim,", "", "", "a subject's name is missing (assay subjects lists them)"},
        {"intel-cp", "", "",
         "unknown subject 'intel-cp'; did you mean 'intel-cpu'? (assay subjects lists "
         "them)"},
        {"intel-cpu{A=1", "", "", "intel-cpu{A=1: the '}' is missing"},
        {"intel-cpu{A=1}x", "", "", "intel-cpu{A=1}x: expected a comma or the end after '}'"},
        {"intel-cpu{}", "", "", "intel-cpu{}: the braces of intel-cpu are empty; write NAME=VALUE"},
        {"intel-cpu{A}", "", "", "intel-cpu{A}: 'A' is not a driver option; write NAME=VALUE"},
        {"intel-cpu{1=2}", "", "",
         "intel-cpu{1=2}: '1=2' is not a driver option; write NAME=VALUE"},
        {"sim,sim{schedule=backward}", "sim sim{schedule=backward} ", "schedule=backward ", NULL},
        {"sim{}", "", "", "sim{}: the braces of sim are empty; write NAME=VALUE"},
        {"sim{shedule=forward}", "", "",
         "sim{shedule=forward}: unknown setting 'shedule'; did you mean 'schedule'?"},
        {"sim{schedule=bakward}", "", "",
         "sim{schedule=bakward}: unknown schedule 'bakward'; did you mean 'backward'?"},
        {"sim{schedule}", "", "",
         "sim{schedule}: unknown schedule ''; expected one of: forward, backward"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        rt_buffer error = {0}, columns = {0}, options = {0};
        cnf_columns chosen;
        bool is_chosen = cnf_columns_choose(&arena, rows[i].on, &chosen, &error);
        assert_string_equal(rt_buffer_string(&error), rows[i].error ? rows[i].error : "");
        assert_int_equal(is_chosen, rows[i].error == NULL);
        for (uint32_t column = 0; column < chosen.count; column++) {
            rt_text name = chosen.subjects[column].name;
            assert_true(rt_text_equal(name, chosen.columns[column].subject));
            assert_true(rt_text_starts(name, chosen.subjects[column].subject->name));
            rt_buffer_printf(&columns, "%.*s ", RT_TEXT_ARG(name));
            const char *const *option = chosen.subjects[column].options;
            for (; option && *option; option++)
                rt_buffer_printf(&options, "%s ", *option);
            rt_text setting = chosen.subjects[column].settings;
            if (setting.length > 0) rt_buffer_printf(&options, "%.*s ", RT_TEXT_ARG(setting));
            rt_text root = chosen.subjects[column].root;
            if (root.length > 0) rt_buffer_printf(&options, "root %.*s ", RT_TEXT_ARG(root));
        }
        assert_string_equal(rt_buffer_string(&columns), rows[i].columns);
        assert_string_equal(rt_buffer_string(&options), rows[i].options);
        rt_buffer_free(&error);
        rt_buffer_free(&columns);
        rt_buffer_free(&options);
        rt_arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(subjects_are_chosen_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
