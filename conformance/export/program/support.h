/* Code that the programs for all APIs share: reading files, comparing numbers, the exit. The API's
 * support file includes it and defines memory_create and memory_read. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 64, CONSTANTS_MAX = 256, TEXT_MAX = 16384 };

/* The value of a specialisation constant, little-endian. */
typedef struct {
    unsigned id; /* its SpecId */
    size_t size;
    unsigned char value[8];
} spec_constant;

/* A device image: a file, and the constants that are set. */
typedef struct {
    const char *file;
    unsigned constant_count;
    const spec_constant *constants;
} image;

/* Buffers, and pointers to what SYCL calls unified shared memory. */
typedef enum { BUFFER, USM_DEVICE, USM_HOST, USM_SHARED } memory_kind;

typedef struct {
    memory_kind kind;
    const char *name;
    size_t size;
    void *object;  /* for APIs whose buffers are not pointers */
    char *pointer; /* device address; NULL if there is an object */
} memory;

/* How elements are compared.  Without a tolerance, floating-point numbers must be equal bit for
 * bit, except that all NaNs are equal. */
typedef enum { INTEGERS, HALVES, FLOATS, DOUBLES } number_kind;
typedef enum { EXACT, ULP, ABSOLUTE, RELATIVE } tolerance_kind;

/* The location of numbers in an element of a memory: `count` consecutive numbers of one type at an
 * offset. */
typedef struct {
    size_t offset, size, count; /* size: bytes per number */
    number_kind kind;
} field;

/* Bytes outside all fields are padding and not compared. */
typedef struct {
    size_t size, field_count;
    const field *fields;
} layout;

static int failures;
static int executes = 1; /* 0 if the driver accepts kernels but runs none */

/* Copies a memory's contents to the host, after all previously issued commands. */
void memory_read(const memory *read, void *out_bytes);

/* Creates a memory; if `initial` is NULL, its contents are undefined. */
memory memory_create(memory_kind kind, const char *name, size_t size, const void *initial);

/* Stores an address within a memory, which must be of a pointer kind, in an argument's value. */
static inline void pointer_put(unsigned char *value, size_t at, const memory *target, size_t offset)
{
    const char *pointer = target->pointer + offset;
    memcpy(value + at, &pointer, sizeof pointer);
}

/* Prints the reason and ends the program. */
static inline void stop(const char *reason, int status)
{
    printf("%s\n", reason);
    exit(status);
}

/* Creates the memory of a device_global without image scope, filled with zeros. */
static inline memory global_create(const char *name, size_t size)
{
    void *zeros = calloc(1, size);
    if (!zeros) stop("out of memory", 2);
    memory content = memory_create(USM_DEVICE, name, size, zeros);
    free(zeros);
    return content;
}

/* Prints the result and returns main's exit status. */
static inline int program_end(void)
{
    if (!executes && failures == 0)
        printf("LINKED: this driver runs no kernels, so no memory was compared\n");
    else
        printf("%s\n", failures == 0 ? "PASS" : "FAIL");
    return failures > 0;
}

static inline void *file_read(const char *name, size_t *out_size)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        printf("%s cannot be read\n", name);
        exit(2);
    }
    long size = ftell(file);
    rewind(file);
    void *content = malloc((size_t)size + 1);
    if (!content || fread(content, 1, (size_t)size, file) != (size_t)size) {
        printf("%s cannot be read\n", name);
        exit(2);
    }
    fclose(file);
    *out_size = (size_t)size;
    return content;
}

/* Checks whether linking a program had the expected result. */
static inline void program_expect(const void *program, int linked, const char *place)
{
    if ((program != NULL) == (linked != 0)) return;
    printf("FAIL %s: the program %s\n", place,
           linked ? "was refused" : "was linked but should have been refused");
    failures++;
    if (linked) exit(1); /* nothing after this can run */
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* Returns a floating-point number's rank among all numbers of its type, so that neighbours differ
 * by 1. */
static inline int64_t number_rank(const void *number, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, number, size); /* little-endian, like all devices here */
    const uint64_t sign = (uint64_t)1 << (size * 8 - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static inline double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(fraction + 1024, (int)exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static inline double number_value(const void *number, size_t size)
{
    uint16_t half;
    float narrow;
    double wide;
    if (size == 8) {
        memcpy(&wide, number, 8);
        return wide;
    }
    if (size == 2) {
        memcpy(&half, number, 2);
        return half_value(half);
    }
    memcpy(&narrow, number, 4);
    return narrow;
}

static inline int numbers_agree(const unsigned char *got, const unsigned char *expected,
                                size_t size, number_kind kind, tolerance_kind tolerance,
                                double most)
{
    if (memcmp(got, expected, size) == 0) return 1;
    if (kind == INTEGERS) return 0;
    double a = number_value(got, size), b = number_value(expected, size);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (tolerance == EXACT) return 0;
    if (isinf(a) || isinf(b)) return a == b;
    int64_t apart = number_rank(got, size) - number_rank(expected, size);
    if (tolerance == ULP) return (double)(apart < 0 ? -apart : apart) <= most;
    return fabs(a - b) <= (tolerance == RELATIVE ? most * fabs(b) : most);
}

/* Prints the location of a difference: the number's index if elements consist only of numbers of
 * one type. */
static inline void place_print(const char *place, const memory *read, const layout *element,
                               size_t byte)
{
    const field *first = &element->fields[0];
    if (element->field_count == 1 && first->count * first->size == element->size)
        printf("FAIL %s: %s, number %zu: ", place, read->name, byte / first->size);
    else
        printf("FAIL %s: %s, element %zu, byte %zu: ", place, read->name, byte / element->size,
               byte % element->size);
}

static inline void difference_print(const unsigned char *expected, const unsigned char *got,
                                    const field *in)
{
    printf("expected bits 0x");
    for (size_t k = in->size; k-- > 0;)
        printf("%02x", expected[k]);
    printf(", got 0x");
    for (size_t k = in->size; k-- > 0;)
        printf("%02x", got[k]);
    if (in->kind != INTEGERS)
        printf(" (%a, %a)", number_value(expected, in->size), number_value(got, in->size));
    printf("\n");
}

/* True if all numbers in `size` bytes of the memory are as expected.  `defined`, one byte per
 * number, is 0 where no value is expected; NULL means that all numbers count.  Unless `place` is
 * NULL, prints the first difference. */
static inline int bytes_hold(const memory *read, const unsigned char *got, size_t size,
                             const void *expected, const unsigned char *defined,
                             const layout *element, tolerance_kind tolerance, double most,
                             const char *place)
{
    size_t count = 0, differing = 0;
    for (size_t at = 0; at + element->size <= size; at += element->size)
        for (size_t f = 0; f < element->field_count; f++)
            for (size_t i = 0; i < element->fields[f].count; i++, count++) {
                const field *in = &element->fields[f];
                const size_t byte = at + in->offset + i * in->size;
                const unsigned char *correct = (const unsigned char *)expected + byte;
                if (defined && !defined[count]) continue;
                if (numbers_agree(got + byte, correct, in->size, in->kind, tolerance, most))
                    continue;
                if (differing++ > 0 || !place) continue;
                place_print(place, read, element, byte);
                difference_print(correct, got + byte, in);
            }
    if (place && differing > 0) printf("  %zu of %zu numbers differ\n", differing, count);
    return differing == 0;
}

/* The same for the whole memory, which it reads. */
static inline int memory_holds(const memory *read, const void *expected,
                               const unsigned char *defined, const layout *element,
                               tolerance_kind tolerance, double most, const char *place)
{
    if (!executes) return 1;
    unsigned char *got = malloc(read->size);
    if (!got) stop("out of memory", 2);
    memory_read(read, got);
    const int holds =
        bytes_hold(read, got, read->size, expected, defined, element, tolerance, most, place);
    free(got);
    return holds;
}

static size_t sorted_size; /* bytes per element, for qsort */

static inline int elements_compare(const void *a, const void *b)
{
    return memcmp(a, b, sorted_size);
}

/* Like memory_holds, for a memory whose elements may be in any order; compared bytewise. */
static inline int elements_held(const memory *read, const void *expected,
                                const unsigned char *defined, const layout *element,
                                tolerance_kind tolerance, double most, const char *place)
{
    (void)tolerance, (void)most;
    if (!executes) return 1;
    for (size_t i = 0; defined && i < read->size / element->fields[0].size; i++)
        if (!defined[i]) return 1; /* which element is undefined depends on the order */
    unsigned char *got = malloc(read->size), *correct = malloc(read->size);
    if (!got || !correct) stop("out of memory", 2);
    memory_read(read, got);
    memcpy(correct, expected, read->size);
    sorted_size = element->size;
    qsort(got, read->size / element->size, element->size, elements_compare);
    qsort(correct, read->size / element->size, element->size, elements_compare);
    const int is_equal = memcmp(got, correct, read->size) == 0;
    if (!is_equal && place)
        printf("FAIL %s: %s does not hold the expected elements\n", place, read->name);
    free(got);
    free(correct);
    return is_equal;
}

#endif
