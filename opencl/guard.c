/* Guards of memory of the host; see guard.h.
 *
 * SIGSEGV may arrive on any thread at any time. So the guards are in a table of fixed size, under a
 * spinlock that is never held while the program's memory is accessed. */
#include "opencl/guard.h"

#include "opencl/report.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    GUARDS = 128,        /* further destinations are not guarded */
    STACK_SIZE = 8 << 20 /* bytes above a frame that may be of the same stack */
};

typedef struct guard {
    uint8_t *begin, *end; /* whole pages; NULL: the entry is free */
    uint8_t *destination;
    size_t size;
    uint32_t tag;
    const uint8_t *accessed; /* the first byte that the host has accessed; NULL: none */
    const void *place;       /* the instruction that did */
} guard;

static guard guards[GUARDS];
static atomic_flag is_locked = ATOMIC_FLAG_INIT;
static atomic_uint open_count; /* how many guards have been opened */
static struct sigaction handler_before;

static void guards_lock(void)
{
    while (atomic_flag_test_and_set(&is_locked))
        sched_yield();
}

static void guards_unlock(void)
{
    atomic_flag_clear(&is_locked);
}

static void guard_open(const guard *opened)
{
    int failed =
        mprotect(opened->begin, (size_t)(opened->end - opened->begin), PROT_READ | PROT_WRITE);
    (void)failed; /* the program may have unmapped it */
    atomic_fetch_add(&open_count, 1);
}

/* ---- Accesses of the host ----------------------------------------------------------------- */

static const void *instruction_of(const void *context)
{
    const ucontext_t *interrupted = context;
#if defined(__x86_64__)
    return (const void *)interrupted->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)interrupted->uc_mcontext.pc;
#else
    (void)interrupted;
    return NULL;
#endif
}

/* Opens the guards of a byte that the host accesses; false: there are none. */
static bool byte_open(const uint8_t *byte, const void *place)
{
    bool is_guarded = false;
    guards_lock();
    for (size_t i = 0; i < GUARDS; i++) {
        guard *each = &guards[i];
        if (!each->begin || byte < each->begin || byte >= each->end) continue;
        is_guarded = true;
        guard_open(each);
        if (each->accessed) continue;
        each->accessed = byte;
        each->place = place;
    }
    guards_unlock();
    return is_guarded;
}

/* Does what would have happened without this handler. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &handler_before;
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    } else {
        signal(number, SIG_DFL); /* the access is repeated, unless a process has sent the signal */
        if (info->si_code <= 0) raise(number);
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    /* In the memory that a thread has from its start, so that nothing is allocated here. */
    static _Thread_local const void *missed __attribute__((tls_model("initial-exec")));
    static _Thread_local unsigned missed_at __attribute__((tls_model("initial-exec")));
    int error = errno;
    bool may_be_guarded = info->si_code == SEGV_ACCERR;
    bool is_done = may_be_guarded && byte_open(info->si_addr, instruction_of(context));
    /* Another thread may have opened the guard after the fault: then the access, repeated, works.
     */
    unsigned now = atomic_load(&open_count);
    if (may_be_guarded && !is_done && (missed != info->si_addr || missed_at != now)) {
        missed = info->si_addr;
        missed_at = now;
        is_done = true;
    }
    if (!is_done) pass_on(number, info, context);
    errno = error;
}

/* Puts the handler before that of the program, which may have installed one since the last time. */
static void handler_install(void)
{
    struct sigaction before,
        ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    int failed = sigaction(SIGSEGV, NULL, &before);
    CHECK(!failed);
    if (before.sa_flags & SA_SIGINFO && before.sa_sigaction == handle) return;
    handler_before = before;
    failed = sigaction(SIGSEGV, &ours, NULL);
    CHECK(!failed);
}

/* ---- Guards ------------------------------------------------------------------------------- */

/* True if the signal's frame might have to be written there. */
static bool is_on_stack(uintptr_t address)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return address >= here && address - here < STACK_SIZE;
}

void icd_guard_begin(uint32_t tag, void *destination, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)destination;
    const size_t before = (size_t)(-first & (page - 1)); /* bytes before the first whole page */
    if (size < before + page || is_on_stack(first)) return;
    uint8_t *begin = (uint8_t *)destination + before;
    const size_t length = (size - before) & ~(size_t)(page - 1);
    handler_install();
    guards_lock();
    size_t i = 0;
    while (i < GUARDS && guards[i].begin)
        i++;
    if (i < GUARDS && mprotect(begin, length, PROT_NONE) == 0)
        guards[i] = (guard){begin, begin + length, destination, size, tag, NULL, NULL};
    guards_unlock();
}

static void access_report(const guard *accessed)
{
    rt_buffer message = {0};
    rt_buffer_printf(&message, "the host");
    icd_report_address(&message, accessed->place);
    rt_buffer_printf(&message,
                     " accesses byte %zu of the destination of a read of %zu bytes, which has not "
                     "been done; wait for the read before that",
                     (size_t)(accessed->accessed - accessed->destination), accessed->size);
    const dev_finding finding = {.kind = "command-race",
                                 .message = rt_buffer_text(&message),
                                 .tag = accessed->tag,
                                 .count = 1};
    icd_report_finding(NULL, &finding);
    rt_buffer_free(&message);
}

void icd_guard_end(void *user, void *destination, uint64_t size)
{
    (void)user;
    guard ended = {0};
    guards_lock();
    for (size_t i = 0; i < GUARDS && !ended.begin; i++) {
        if (!guards[i].begin || guards[i].destination != destination || guards[i].size != size)
            continue;
        ended = guards[i];
        guards[i].begin = NULL;
        guard_open(&ended);
    }
    guards_unlock();
    if (ended.accessed) access_report(&ended);
}

/* Reports the accesses to destinations of reads for which the program has never waited. */
__attribute__((destructor)) static void guards_finish(void)
{
    for (size_t i = 0; i < GUARDS; i++)
        if (guards[i].begin && guards[i].accessed) access_report(&guards[i]);
}
