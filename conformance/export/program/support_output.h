/* The output of kernels: standard output is redirected to a file while they run, so that it can be
 * compared, and is repeated afterwards for the user.
 *
 * It requires POSIX, and a driver that has printed to standard output by the end of a wait for its
 * queue, which main.c performs before the end. */
#ifndef SUPPORT_OUTPUT_H
#define SUPPORT_OUTPUT_H

#include <unistd.h>

#include "support.h"

static FILE *printed; /* everything that kernels have printed */
static int standard_output = -1;
static long printed_seen; /* bytes that have been compared */

/* Restores standard output.  A call that fails while a kernel runs ends the program, and its last
 * message must be visible, too. */
static inline void output_end(void)
{
    char text[TEXT_MAX];
    size_t size;
    if (standard_output < 0) return;
    fflush(stdout);
    long end = ftell(printed);
    dup2(standard_output, STDOUT_FILENO);
    close(standard_output);
    standard_output = -1;
    fseek(printed, end, SEEK_SET);
    while ((size = fread(text, 1, sizeof text, printed)) > 0)
        fwrite(text, 1, size, stdout);
}

static inline void output_begin(void)
{
    if (!printed) {
        printed = tmpfile();
        if (!printed) stop("there is no temporary file to be had", 2);
        atexit(output_end);
    }
    fflush(stdout);
    fseek(printed, 0, SEEK_END);
    standard_output = dup(STDOUT_FILENO);
    if (standard_output < 0 || dup2(fileno(printed), STDOUT_FILENO) < 0)
        stop("standard output cannot be kept", 2);
}

/* Returns what kernels have printed since the last comparison, and its size; the caller frees it.
 */
static inline char *output_read(size_t *out_size)
{
    *out_size = 0;
    if (printed) {
        fseek(printed, 0, SEEK_END);
        *out_size = (size_t)(ftell(printed) - printed_seen);
        fseek(printed, printed_seen, SEEK_SET);
    }
    char *text = calloc(*out_size + 1, 1);
    if (!text || (printed && fread(text, 1, *out_size, printed) != *out_size))
        stop("what kernels printed cannot be read", 2);
    return text;
}

/* True if the output equals `expected`; otherwise prints the difference unless `place` is NULL. */
static inline int output_holds(const char *expected, size_t size, const char *place)
{
    size_t has;
    if (!executes) return 1;
    char *text = output_read(&has);
    const int same = has == size && memcmp(text, expected, size) == 0;
    if (!same && place)
        printf("FAIL %s: kernels printed %zu bytes, which are not these %zu:\n%s\n", place, has,
               size, expected);
    free(text);
    return same;
}

/* Later comparisons begin with the output after this point. */
static inline void output_seen(void)
{
    if (!printed) return;
    fseek(printed, 0, SEEK_END);
    printed_seen = ftell(printed);
}

#endif
