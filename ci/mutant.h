/* Included by force into every file of the build `mutate` (ci/mutate), and by ci/plant into the
 * files of the build `prove` that have rule marks.
 *
 * ci/mutate writes `(MUTANT(7) ? (a <= b) : (a < b))` where the tree has `a < b`.  The variable
 * ASSAY_MUTANT=7 selects that alternative; without it, every mark is false.  With
 * ASSAY_MUTANT_REACHED=FILE marks that are evaluated set bytes of FILE, the first MUTANT_CAPACITY
 * of them in the compile stage, the others elsewhere.  ASSAY_MUTANT_CHECK turns CHECK_SLOW on.
 *
 * With MUTANT_PROBE marks are the constant false and leave their number and place in the section
 * .debug_mutants.  The compiler drops code that no mutant revives and its marks with it, and the
 * linker clears the places in functions that it discards: what is left are the mutants of code that
 * exists in the original. */
#ifndef CI_MUTANT_H
#define CI_MUTANT_H

#define MUTANT_CAPACITY (1 << 18)

/* True in the process of the selected mutant. */
#if defined ASSAY_PROVE
#define MUTANT(n) rt_fault_planted(&mutant_faults[n])
#elif defined MUTANT_PROBE
#define MUTANT(n)                                                                                  \
    (__extension__({                                                                               \
        __asm__ volatile("771:\n\t.pushsection .debug_mutants,\"\"\n\t.long %c0\n\t.quad 771b\n\t" \
                         ".popsection" ::"i"(n));                                                  \
        0;                                                                                         \
    }))
#else
#define MUTANT(n)          (assay_mutant_reached[n] = 1, assay_mutant_active == (n))
#define MUTANT_CHECKS_SLOW (assay_mutant_reached[0])
#endif

/* What this call returned first. */
#define MUTANT_FIRST(...)                                                                          \
    (__extension__({                                                                               \
        static __typeof__(__VA_ARGS__) first_value;                                                \
        static unsigned char has_first_value;                                                      \
        if (!has_first_value) {                                                                    \
            has_first_value = 1;                                                                   \
            first_value = (__VA_ARGS__);                                                           \
        }                                                                                          \
        first_value;                                                                               \
    }))

/* The zero of the type of an expression, which is not evaluated. */
#define MUTANT_ZERO(...) (__extension__({ (__typeof__(1 ? (__VA_ARGS__) : (__VA_ARGS__))){0}; }))

#define MUTANT_HIDDEN __attribute__((visibility("hidden")))

/* The program and the compiler plugin have one of each; a constructor of mutant.c sets them. */
#ifdef __cplusplus
extern "C" {
#endif
extern MUTANT_HIDDEN int assay_mutant_active; /* 0: none */
extern MUTANT_HIDDEN volatile unsigned char *assay_mutant_reached;
#ifdef __cplusplus
}
#endif

#endif
