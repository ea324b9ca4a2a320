/* The output of kernels: standard output is redirected to a file while they run, so that it can be
 * compared, and is printed afterwards for the user.
 *
 * This requires POSIX, and a driver that has written the output to standard output when a wait for
 * its queue returns; main.c waits before it restores standard output. */
#ifndef SUPPORT_OUTPUT_H
#define SUPPORT_OUTPUT_H

#include <unistd.h>

#include "support.h"

static FILE *capture; /* contains everything that kernels have printed */
static int standard_output = -1;
static long compared_size; /* number of bytes that have been compared */

/* Restores standard output.  Also runs at exit: a call that fails while a kernel runs ends the
 * program, and its last message must be visible too. */
static inline void output_end(void)
{
    char text[TEXT_MAX];
    size_t size;
    if (standard_output < 0) return;
    fflush(stdout);
    long end = ftell(capture);
    dup2(standard_output, STDOUT_FILENO);
    close(standard_output);
    standard_output = -1;
    fseek(capture, end, SEEK_SET);
    while ((size = fread(text, 1, sizeof text, capture)) > 0)
        fwrite(text, 1, size, stdout);
}

static inline void output_begin(void)
{
    if (!capture) {
        capture = tmpfile();
        if (!capture) stop("no temporary file can be created", 2);
        atexit(output_end);
    }
    fflush(stdout);
    fseek(capture, 0, SEEK_END);
    standard_output = dup(STDOUT_FILENO);
    if (standard_output < 0 || dup2(fileno(capture), STDOUT_FILENO) < 0)
        stop("standard output cannot be saved", 2);
}

/* Returns what kernels have printed since the last comparison, and its size; the caller frees it.
 */
static inline char *output_read(size_t *out_size)
{
    *out_size = 0;
    if (capture) {
        fseek(capture, 0, SEEK_END);
        *out_size = (size_t)(ftell(capture) - compared_size);
        fseek(capture, compared_size, SEEK_SET);
    }
    char *text = calloc(*out_size + 1, 1);
    if (!text || (capture && fread(text, 1, *out_size, capture) != *out_size))
        stop("the output of the kernels cannot be read", 2);
    return text;
}

/* True if the output equals `expected`; otherwise prints the difference unless `place` is NULL. */
static inline int output_holds(const char *expected, size_t size, const char *place)
{
    size_t actual_size;
    if (!executes) return 1;
    char *text = output_read(&actual_size);
    const int is_equal = actual_size == size && memcmp(text, expected, size) == 0;
    if (!is_equal && place)
        printf("FAIL %s: kernels printed %zu bytes that differ from the %zu expected:\n%s\n", place,
               actual_size, size, expected);
    free(text);
    return is_equal;
}

/* Later comparisons begin with the output after this point. */
static inline void output_consume(void)
{
    if (!capture) return;
    fseek(capture, 0, SEEK_END);
    compared_size = ftell(capture);
}

#endif
