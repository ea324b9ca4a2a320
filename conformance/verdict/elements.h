/* Compares two states of a memory element by element, in the layout that the scenario declares.
 * Used for expectations and for comparing subjects.
 *
 * The numbers of the declared fields are compared; struct padding and the fourth lane of a
 * three-element vector are ignored. Two numbers are equal if their bits are, with these additions:
 *
 *     - two NaNs are equal, whatever their signs and payloads, because no rule specifies those;
 *     - -0 and +0 differ, unless the memory has a tolerance: every tolerance covers them;
 *     - an infinity equals only itself: no tolerance covers an overflow;
 *     - a tolerance applies to floating-point numbers, and integers in the same memory are compared
 *       exactly; in a memory without floating-point numbers it applies to integers;
 *     - elements that the scenario leaves uncompared are equal.
 *
 * `ulp: n` bounds the steps between adjacent representable numbers that separate the two;
 * `absolute: d` requires |got - expected| <= d and `relative: r` requires |got - expected| <= r *
 * |expected|, both computed in double, which is precise enough for differences of halves and
 * floats.
 *
 * An unordered memory is compared as a multiset: every expected element needs its own equal partner
 * among the elements found. An element that is not wholly defined may hold anything. Source:
 * docs/internals/conformance.md. */
#ifndef CONFORMANCE_VERDICT_ELEMENTS_H
#define CONFORMANCE_VERDICT_ELEMENTS_H

#include "conformance/scenario/model/model.h"

/* The difference between two states of a memory. Texts live in the arena passed to the comparison.
 */
typedef struct cnf_difference {
    uint64_t count, total; /* number of elements that differ (unordered: that have no partner), and
                            * of all elements */
    uint64_t first;        /* index of the first element that differs */
    rt_text place;         /* for signatures, such as "element 3" or "element 3.weight.y" */
    rt_text name;          /* for people, such as "data[3]" or "data[3].weight.y" */
    rt_text expected, got; /* the first number that differs, in decimal and as bits */
    rt_text distance;      /* such as "1 ULP apart" or "one is NaN"; empty for whole numbers */
    rt_text pattern;       /* pattern of the indices that differ, such as "every 4th from 2" or
                            * "all"; never empty */
    rt_text table;         /* the elements around the first difference (elements_table.h); empty if
                            * the memory has one element or is unordered */
    rt_text text;          /* the whole difference, the table included, without a final newline */
} cnf_difference;

/* Who wrote what was found, for the table. */
typedef struct cnf_element_writers {
    /* Appends the writer of the byte; false: it is not known. NULL: none is. */
    bool (*append)(void *user, uint64_t offset, rt_buffer *out);
    void *user;
} cnf_element_writers;

/* Compares two states of the memory, each of count * element size bytes. `defined` has one bit per
 * byte of `expected`, lowest first; NULL data means that every byte is defined. Returns true, with
 * a zeroed *out_difference, if the two are equal within the memory's tolerance. */
bool cnf_elements_compare(rt_arena *arena, const scn_memory *memory, rt_bytes expected,
                          rt_bytes got, rt_bytes defined, cnf_difference *out_difference);
/* cnf_elements_compare, with a column of the table that says who wrote the elements. */
bool cnf_elements_compare_written(rt_arena *arena, const scn_memory *memory, rt_bytes expected,
                                  rt_bytes got, rt_bytes defined, cnf_element_writers writers,
                                  cnf_difference *out_difference);

#endif
