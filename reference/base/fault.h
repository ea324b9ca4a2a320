/* Faults of the build `prove` (decision 4); no other build compiles this.
 *
 * The environment variable ASSAY_FAULT names the fault that is planted in a process:
 * "ID@FILE:LINE.NUMBER" for a mutant of the mark RULE(ID, ...) in that line, numbered from 0, and
 * "ID@FILE:LINE" for RT_FAULT(ID, ...) in a file of faults.  ASSAY_RULE_HITS=FILE appends the name
 * of every fault whose place a process reaches, one per line.
 *
 * A mistake that is larger than a mutant replaces a function: `faults.c` of the function's folder
 * (assay_faults in cmake/assay.cmake) defines
 *
 *     bool __real_rt_sync_is_due(const rt_command *command);
 *     bool __wrap_rt_sync_is_due(const rt_command *command)
 *     {
 *         if (RT_FAULT(KF_SYNC_04, "asks the last command instead of all")) return ...;
 *         return __real_rt_sync_is_due(command);
 *     }
 *
 * The linker directs calls from other files to the wrapper (--wrap); calls within the file that
 * defines the function are not wrapped.
 *
 * RT_FAULT(NONE, ...) is a mistake in the runtime's state that breaks rules only after a sequence
 * of steps which no scenario need have: assay requirements does not ask for a proof, and the
 * generator of programs has to find it (assay fuzz, docs/fuzzing.md).
 *
 * All faults of a program are rows of its section assay_faults; the build writes them to
 * faults-PROGRAM.txt next to the program.  A row is
 * "ID@FILE:LINE.NUMBER<TAB>OPERATOR<TAB>ORIGINAL<TAB>MUTATED", with '_' for '-' in the id. */
#ifndef REFERENCE_BASE_FAULT_H
#define REFERENCE_BASE_FAULT_H

#include "reference/base/rule.h"

#ifdef ASSAY_PROVE
#ifdef __cplusplus
extern "C" {
#endif

/* A fault and what is known about it in this process; has static storage. */
typedef struct rt_fault {
    rt_rule rule;
    const char *file; /* relative to the root of the tree */
    int line;
    int number; /* of the mutant, or -1 */
    int state;  /* an rt_fault_state, accessed atomically */
} rt_fault;

typedef enum rt_fault_state { RT_FAULT_UNSEEN, RT_FAULT_ABSENT, RT_FAULT_PRESENT } rt_fault_state;

/* Records that the place of a fault is reached, and returns whether the fault is planted.
 * Thread-safe; process-wide. */
bool rt_fault_reach(rt_fault *fault);

static inline bool rt_fault_planted(rt_fault *fault)
{
    int state = __atomic_load_n(&fault->state, __ATOMIC_RELAXED);
    return state == RT_FAULT_UNSEEN ? rt_fault_reach(fault) : state == RT_FAULT_PRESENT;
}

#ifdef __cplusplus
}
#endif

#define RT_FAULT_ROWS __attribute__((section("assay_faults"), used, aligned(1)))

/* True if the fault at this place is planted; `mistake` says in a literal what is wrong then. */
#define RT_FAULT(id, mistake)                                                                      \
    (__extension__({                                                                               \
        static const char fault_row[] RT_FAULT_ROWS =                                              \
            #id "@" __FILE__ ":" RT_FAULT_TEXT(__LINE__) "\tfunction\t\t" mistake "\n";            \
        static rt_fault fault_here = {RT_RULE_##id, __FILE__, __LINE__, -1, RT_FAULT_UNSEEN};      \
        rt_fault_planted(&fault_here);                                                             \
    }))
#define RT_FAULT_TEXT(number)  RT_FAULT_TEXT_(number)
#define RT_FAULT_TEXT_(number) #number
#endif

#endif
